#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/jail/cgroup.h"
#include "gpu-runner/jail/filter.h"
#include "gpu-runner/jail/jail.h"
#include "gpu-runner/jail/layout.h"
#include "gpu-runner/jail/memo.h"

#define BWRAP             "/usr/bin/bwrap"
#define PROBE_DEADLINE_MS 10000

static const char *const names[CMPD_LAYER_COUNT] = {
    "bubblewrap",  "user namespaces", "seccomp",           "seccomp notification",
    "jail limits", "jail user",       "jail control group"};

const char *cmpd_jail_layer_name(enum cmpd_jail_layer layer)
{
    return names[layer];
}

static void set(struct cmpd_jail_probe *p, enum cmpd_jail_layer layer, bool active,
                const char *value, const char *advice)
{
    struct cmpd_jail_layer_state *s = &p->layers[layer];
    s->active = active;
    snprintf(s->value, sizeof s->value, "%s", value);
    snprintf(s->advice, sizeof s->advice, "%s", advice);
}

/* A setting of the kernel; -1: this kernel does not have it. */
static long setting(const char *path)
{
    char text[24];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return -1;
    text[n] = '\0';
    return strtol(text, NULL, 10);
}

static void probe_bwrap(struct cmpd_jail_probe *p, bool ask)
{
    const char *const argv[] = {BWRAP, "--version", NULL};
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    spec.argv = argv;
    spec.deadline_ms = PROBE_DEADLINE_MS;
    if (access(BWRAP, X_OK) < 0) {
        set(p, CMPD_LAYER_BWRAP, false, "not at " BWRAP,
            "install bubblewrap (Debian: apt-get install bubblewrap)");
        return;
    }
    if (!ask) { /* an old one shows when it is started */
        set(p, CMPD_LAYER_BWRAP, true, BWRAP, "");
        return;
    }
    if (cmpd_proc_run(&spec, &r, NULL) != CMPD_OK) {
        set(p, CMPD_LAYER_BWRAP, false, "cannot be started", "install bubblewrap anew");
        return;
    }
    unsigned major = 0, minor = 0;
    const char *at = strpbrk(cmpd_buf_str(&r.out), "0123456789");
    char *end = NULL;
    if (at) {
        major = (unsigned)strtoul(at, &end, 10);
        minor = *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    }
    char value[60];
    snprintf(value, sizeof value, BWRAP " %u.%u", major, minor);
    bool good = major > 0 || minor >= 5; /* --perms and --size */
    set(p, CMPD_LAYER_BWRAP, good, value, good ? "" : "bubblewrap 0.5 or later is needed");
    cmpd_proc_result_clear(&r);
}

/* Why a start failed, as far as the kernel's settings say. */
static const char *namespace_advice(void)
{
    if (setting("/proc/sys/kernel/unprivileged_userns_clone") == 0)
        return "user namespaces are forbidden here; as root: sysctl -w "
               "kernel.unprivileged_userns_clone=1 (to keep it: a file in /etc/sysctl.d)";
    if (setting("/proc/sys/user/max_user_namespaces") == 0)
        return "user namespaces are forbidden here; as root: sysctl -w "
               "user.max_user_namespaces=10000 (to keep it: a file in /etc/sysctl.d)";
    if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
        return "AppArmor keeps bubblewrap from user namespaces: give /usr/bin/bwrap a profile with "
               "`userns,` (Ubuntu: the package apparmor-profiles has bwrap-userns-restrict), or as "
               "root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
    if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
        return "in a container: start it with a seccomp profile that allows user namespaces and "
               "mounts (docker run --security-opt seccomp=unconfined --security-opt "
               "apparmor=unconfined), or run cmpd outside of it";
    return "user namespaces don't work here: see user_namespaces(7)";
}

/* The whole way once: a program in the RUN profile. It need not close itself in. Without `ask` what is known counts. */
static void probe_namespaces(struct cmpd_jail_probe *p, bool ask)
{
    static const char *const programs[] = {"/usr/bin/true", "/bin/true"};
    const char *program = access(programs[0], X_OK) == 0 ? programs[0] : programs[1];
    const char *const argv[] = {program, NULL};
    struct cmpd_jail_request q = CMPD_JAIL_REQUEST_INIT;
    struct cmpd_proc_result r;
    struct cmpd_err why = {0};
    q.profile = CMPD_JAIL_RUN;
    q.argv = argv;
    q.readable = argv;
    q.readable_count = 1;
    q.deadline_ms = PROBE_DEADLINE_MS;
    q.output_ceiling = 4096;
    if (!p->layers[CMPD_LAYER_BWRAP].active) {
        set(p, CMPD_LAYER_NAMESPACES, false, "not tried without bubblewrap",
            "install bubblewrap first");
        return;
    }
    if (!ask && cmpd_jail_memo_holds(BWRAP)) {
        set(p, CMPD_LAYER_NAMESPACES, true, "worked before", "");
        return;
    }
    if (cmpd_jail_bwrap.run(&q, &r, &why) != CMPD_OK) {
        char value[160];
        snprintf(value, sizeof value, "%.150s", why.msg);
        set(p, CMPD_LAYER_NAMESPACES, false, value, namespace_advice());
        return;
    }
    char value[80], how[80];
    snprintf(value, sizeof value, "a start takes %.0f ms", r.elapsed_ms);
    bool works = r.end == CMPD_PROC_EXITED && r.exit_status == 0;
    if (works)
        cmpd_jail_memo_keep(BWRAP);
    if (works)
        set(p, CMPD_LAYER_NAMESPACES, true, value, "");
    else
        set(p, CMPD_LAYER_NAMESPACES, false, cmpd_proc_describe(&r, how, sizeof how),
            namespace_advice());
    cmpd_proc_result_clear(&r);
}

static bool kernel_knows(unsigned action)
{
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void probe_seccomp(struct cmpd_jail_probe *p)
{
    const struct cmpd_buf *filter;
    struct cmpd_err why = {0};
    if (!kernel_knows(SECCOMP_RET_ERRNO))
        set(p, CMPD_LAYER_SECCOMP, false, "this kernel has none",
            "a kernel with CONFIG_SECCOMP_FILTER");
    else if (cmpd_filter_get(CMPD_FILTER_RUN, &filter, &why) != CMPD_OK)
        set(p, CMPD_LAYER_SECCOMP, false, why.msg, "another version of libseccomp");
    else
        set(p, CMPD_LAYER_SECCOMP, true, "filters", "");
    /* Opening to read is answered with "go on", which came with 5.5. */
    struct utsname u;
    char *end = NULL;
    unsigned long major = uname(&u) == 0 ? strtoul(u.release, &end, 10) : 0;
    unsigned long minor = major && *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    bool watch = kernel_knows(SECCOMP_RET_USER_NOTIF) && (major > 5 || (major == 5 && minor >= 5));
    set(p, CMPD_LAYER_WATCH, watch, watch ? "what is refused is named" : "this kernel has none",
        watch ? "" : "what is refused is not named: Linux 5.5 or later");
}

static void probe_user(struct cmpd_jail_probe *p)
{
    uid_t uid = cmpd_layout_uid(0);
    char value[80];
    snprintf(value, sizeof value, uid ? "%u, not root" : "%u, as cmpd itself",
             uid ? (unsigned)uid : (unsigned)geteuid());
    bool works = !uid || p->layers[CMPD_LAYER_NAMESPACES].active;
    set(p, CMPD_LAYER_UID, works, value, works ? "" : "run cmpd as a user, not as root");
    set(p, CMPD_LAYER_RLIMITS, true, "memory, processor time, file size, descriptors, processes",
        "");
}

static void sum_up(struct cmpd_jail_probe *p)
{
    const struct cmpd_jail_layer_state *bad = NULL;
    for (int i = 0; i < CMPD_LAYER_COUNT; i++) {
        p->layers[i].required = i == CMPD_LAYER_BWRAP || i == CMPD_LAYER_NAMESPACES ||
                                i == CMPD_LAYER_SECCOMP || i == CMPD_LAYER_UID;
        if (!bad && p->layers[i].required && !p->layers[i].active)
            bad = &p->layers[i];
    }
    p->usable = bad == NULL;
    if (bad)
        snprintf(p->why_not, sizeof p->why_not, "%s", bad->advice[0] ? bad->advice : bad->value);
    if (!p->usable) {
        snprintf(p->name, sizeof p->name, "none");
        return;
    }
    snprintf(p->name, sizeof p->name, "bwrap+seccomp%s+rlimits%s",
             p->layers[CMPD_LAYER_WATCH].active ? "" : "(unwatched)",
             p->layers[CMPD_LAYER_CGROUP].active ? "+cgroup" : "");
}

static void probe(struct cmpd_jail_probe *p, bool ask)
{
    char group[120];
    memset(p, 0, sizeof *p);
    probe_bwrap(p, ask);
    probe_seccomp(p);
    probe_namespaces(p, ask);
    probe_user(p);
    bool grouped = cmpd_cgroup_describe(group, sizeof group);
    set(p, CMPD_LAYER_CGROUP, grouped, group,
        grouped ? "" : "optional; a service unit may have Delegate=memory pids");
    sum_up(p);
}

void cmpd_jail_probe(struct cmpd_jail_probe *out)
{
    probe(out, true);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cmpd_jail_probe probed;

static void probe_once(void)
{
    probe(&probed, false);
}

cmpd_rc cmpd_jail_choose(bool policy_none, const struct cmpd_jail_ops **ops, const char **name,
                         struct cmpd_err *err)
{
    if (policy_none) {
        *ops = &cmpd_jail_none;
        if (name)
            *name = cmpd_jail_none.name;
        return CMPD_OK;
    }
    pthread_once(&once, probe_once);
    if (!probed.usable)
        return cmpd_err_set(err, CMPD_EUNAVAIL,
                            "no jail for foreign code on this machine (%s); \"jail\": \"none\" in "
                            "the policy of cmpd.json goes without one",
                            probed.why_not);
    *ops = &cmpd_jail_bwrap;
    if (name)
        *name = probed.name;
    return CMPD_OK;
}
