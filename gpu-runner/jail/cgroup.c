#include "gpu-runner/jail/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

#define PROCESSES      256
#define RUN_DEFAULT    ((uint64_t)4 << 30)
#define MEMORY_DEFAULT ((uint64_t)16 << 30)
#define LEAVE_TRIES    600 /* of 5 ms: a group is busy until its last process has been asked for */

static bool read_text(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, buf, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool put(const char *folder, const char *file, uint64_t value)
{
    char text[24];
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", folder, file);
    int n = snprintf(text, sizeof text, "%ju", (uintmax_t)value);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, (size_t)n) == n;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Our own group of a version 1 controller, or of version 2 (controller ""). Caller owns, or NULL. */
static char *own_group(const char *controller)
{
    char text[4096];
    if (!read_text("/proc/self/cgroup", text, sizeof text))
        return NULL;
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *names = strchr(line, ':');
        char *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        names++;
        if (strcmp(names, controller) == 0)
            return cmpd_strdup(strcmp(path, "/") == 0 ? "" : path);
    }
    return NULL;
}

/* Where a group of a version 1 controller may be made. */
static char *place_of_one(const char *controller)
{
    CMPD_AUTOFREE char *own = own_group(controller);
    char *place = own ? cmpd_asprintf("/sys/fs/cgroup/%s%s", controller, own) : NULL;
    if (place && access(place, W_OK) == 0)
        return place;
    free(place);
    return NULL;
}

/*
 * Version 2: processes live in leaves, so ours must be a leaf of a group that was delegated with
 * memory and pids switched on; the jail's group is made beside ours.
 */
static char *place_of_two(void)
{
    CMPD_AUTOFREE char *own = own_group("");
    char *slash = own ? strrchr(own, '/') : NULL;
    if (!slash)
        return NULL;
    *slash = '\0';
    char *place = cmpd_asprintf("/sys/fs/cgroup%s", own);
    CMPD_AUTOFREE char *control = cmpd_asprintf("%s/cgroup.subtree_control", place);
    CMPD_AUTOFREE char *procs = cmpd_asprintf("%s/cgroup.procs", place);
    char on[256];
    if (access(place, W_OK) == 0 && access(procs, W_OK) == 0 && read_text(control, on, sizeof on) &&
        strstr(on, "memory") && strstr(on, "pids"))
        return place;
    free(place);
    return NULL;
}

/* Groups of runners that were killed: nobody is in them, and their runner is no more. */
static void sweep(const char *place)
{
    DIR *d = opendir(place);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        if (strncmp(e->d_name, "cmpd-", 5) != 0)
            continue;
        pid_t pid = (pid_t)strtol(e->d_name + 5, NULL, 10);
        if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH)
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    }
    if (d)
        closedir(d);
}

static pthread_once_t swept = PTHREAD_ONCE_INIT;

static void sweep_all(void)
{
    char *places[] = {place_of_two(), place_of_one("memory"), place_of_one("pids")};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i])
            sweep(places[i]);
        free(places[i]);
    }
}

static char *make_below(const char *place)
{
    static atomic_uint counter;
    char *folder = cmpd_asprintf("%s/cmpd-%d-%u", place, (int)getpid(),
                                 atomic_fetch_add(&counter, 1));
    if (mkdir(folder, 0755) == 0)
        return folder;
    free(folder);
    return NULL;
}

static void add(struct cmpd_cgroup *g, char *folder_take, size_t at)
{
    g->folders[at] = folder_take;
    g->files[at] = cmpd_asprintf("%s/cgroup.procs", folder_take);
}

/* Above the other limits, which can be told apart: this one is for many processes together. */
static uint64_t memory_for(const struct cmpd_jail_request *q)
{
    if (q->profile == CMPD_JAIL_RUN && q->resident_bytes)
        return q->resident_bytes * 2;
    if (q->profile == CMPD_JAIL_RUN)
        return RUN_DEFAULT;
    return q->limits.address_space_bytes ? q->limits.address_space_bytes * 2 : MEMORY_DEFAULT;
}

void cmpd_cgroup_enter(struct cmpd_cgroup *g, const struct cmpd_jail_request *q)
{
    uint64_t memory = memory_for(q);
    memset(g, 0, sizeof *g);
    pthread_once(&swept, sweep_all);
    CMPD_AUTOFREE char *two = place_of_two();
    char *folder = two ? make_below(two) : NULL;
    if (folder) {
        g->two = g->memory = put(folder, "memory.max", memory);
        put(folder, "memory.swap.max", 0);
        put(folder, "pids.max", PROCESSES);
        add(g, folder, 0);
        return;
    }
    CMPD_AUTOFREE char *one = place_of_one("memory");
    CMPD_AUTOFREE char *pids = place_of_one("pids");
    size_t n = 0;
    folder = one ? make_below(one) : NULL;
    if (folder) {
        g->memory = put(folder, "memory.limit_in_bytes", memory);
        add(g, folder, n++);
    }
    folder = pids ? make_below(pids) : NULL;
    if (folder) {
        put(folder, "pids.max", PROCESSES);
        add(g, folder, n);
    }
}

const char *const *cmpd_cgroup_files(const struct cmpd_cgroup *g)
{
    return g->files[0] ? (const char *const *)g->files : NULL;
}

bool cmpd_cgroup_out_of_memory(const struct cmpd_cgroup *g)
{
    char text[512];
    if (!g->memory)
        return false;
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", g->folders[0],
                                             g->two ? "memory.events" : "memory.oom_control");
    if (!read_text(path, text, sizeof text))
        return false;
    const char *kills = strstr(text, "oom_kill ");
    return kills && strtoul(kills + strlen("oom_kill "), NULL, 10) > 0;
}

void cmpd_cgroup_leave(struct cmpd_cgroup *g)
{
    const struct timespec pause = {0, 5000000};
    for (size_t i = 0; i < 2; i++) {
        for (int tries = 0; g->folders[i] && tries < LEAVE_TRIES; tries++) {
            if (rmdir(g->folders[i]) == 0 || errno != EBUSY)
                break;
            nanosleep(&pause, NULL);
        }
        free(g->folders[i]);
        free(g->files[i]);
    }
    memset(g, 0, sizeof *g);
}

bool cmpd_cgroup_describe(char *buf, size_t size)
{
    CMPD_AUTOFREE char *two = place_of_two();
    CMPD_AUTOFREE char *one = place_of_one("memory");
    CMPD_AUTOFREE char *pids = place_of_one("pids");
    if (two)
        snprintf(buf, size, "version 2, below %s", two);
    else if (one || pids)
        snprintf(buf, size, "version 1:%s%s", one ? " memory" : "", pids ? " processes" : "");
    else
        snprintf(buf, size, "no group that may be divided");
    return two || one || pids;
}
