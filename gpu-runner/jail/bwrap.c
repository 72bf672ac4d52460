#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/jail/cgroup.h"
#include "gpu-runner/jail/filter.h"
#include "gpu-runner/jail/jail.h"
#include "gpu-runner/jail/layout.h"
#include "gpu-runner/jail/notify.h"
#include "gpu-runner/jail/seccomp.h"

#define BWRAP          "/usr/bin/bwrap" /* never looked up in PATH */
#define WORK_BYTES     ((uint64_t)8 << 30)
#define WORK_DEPTH     16
#define TICK_MS        100 /* how often the size of the work folder is looked at */
/* Processes and threads of that user at once. nvcc needs ten; it may be that runners share a user. */
#define PROCESSES      256
#define FIRST_PAUSE_NS 100000 /* doubled up to a hundredth of the next */
#define END_WAIT_NS    2000000000
#define ATTEMPTS       4
#define OWN_FILES      64
#define MEMORY_PART    0.9 /* of the limit: so high it got, and then it died */
#define FIRST_PASSED   3   /* descriptors 3, 4, ... of the child */

/* One run, with one owner. */
struct bwrap_run {
    const struct cmpd_jail_request *q;
    struct cmpd_jail_layout layout;
    struct cmpd_notify notify; /* RUN */
    struct cmpd_cgroup cgroup;
    bool notifies;
    uid_t uid; /* 0: ours */
    int pass;  /* taken over from the request */
    int filter, status[2], null;
    int cancel; /* epoll: the caller's and ours */
    int full;   /* eventfd, readable: the work folder has grown too big */
    bool filled;
    int *fds; /* borrowed ones, in the order of their numbers inside */
    size_t fd_count;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void clear(struct bwrap_run *r)
{
    if (r->notifies)
        cmpd_notify_clear(&r->notify);
    cmpd_layout_clear(&r->layout);
    cmpd_cgroup_leave(&r->cgroup);
    close_fd(&r->pass);
    close_fd(&r->filter);
    close_fd(&r->status[0]);
    close_fd(&r->status[1]);
    close_fd(&r->null);
    close_fd(&r->cancel);
    close_fd(&r->full);
    free(r->fds);
}

static cmpd_rc no_descriptors(struct cmpd_err *err)
{
    return cmpd_err_set(err, CMPD_EIO, "no descriptors left: %s", strerror(errno));
}

/* ---- before ---- */

/* RUN: 3 the caller's, 4 the control socket, 5 bwrap's status. COMPILE: 3 status, 4 filter. */
static cmpd_rc make_fds(struct bwrap_run *r, struct cmpd_err *err)
{
    if (pipe2(r->status, O_CLOEXEC | O_NONBLOCK) < 0)
        return no_descriptors(err);
    if (r->q->profile == CMPD_JAIL_RUN) {
        r->notifies = true;
        r->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (r->null < 0)
            return no_descriptors(err);
        return cmpd_notify_init(&r->notify, r->q, err);
    }
    const struct cmpd_buf *program;
    cmpd_rc rc = cmpd_filter_get(CMPD_FILTER_COMPILE, &program, err);
    if (rc != CMPD_OK)
        return rc;
    r->filter = cmpd_filter_file(program);
    return r->filter < 0 ? no_descriptors(err) : CMPD_OK;
}

/* Readable: the caller cancels, or our own thread has had enough. */
static cmpd_rc make_cancel(struct bwrap_run *r, struct cmpd_err *err)
{
    struct epoll_event on = {.events = EPOLLIN};
    r->cancel = epoll_create1(EPOLL_CLOEXEC);
    if (r->cancel < 0)
        return no_descriptors(err);
    if (r->q->cancel_fd >= 0 && epoll_ctl(r->cancel, EPOLL_CTL_ADD, r->q->cancel_fd, &on) < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot wait for the end: %s", strerror(errno));
    r->full = eventfd(0, EFD_CLOEXEC);
    if (r->full < 0 || epoll_ctl(r->cancel, EPOLL_CTL_ADD, r->full, &on) < 0)
        return no_descriptors(err);
    if (r->notifies && epoll_ctl(r->cancel, EPOLL_CTL_ADD, r->notify.enough_fd, &on) < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot wait for the end: %s", strerror(errno));
    return CMPD_OK;
}

static void number_arg(struct bwrap_run *r, const char *option, int number)
{
    char text[12];
    snprintf(text, sizeof text, "%d", number);
    cmpd_layout_arg(&r->layout, option);
    cmpd_layout_arg(&r->layout, text);
}

static cmpd_rc lay_out(struct bwrap_run *r, struct cmpd_err *err)
{
    bool run = r->q->profile == CMPD_JAIL_RUN;
    r->layout.first_fd = run ? FIRST_PASSED + 3 : FIRST_PASSED + 2;
    r->layout.other_user = r->uid != 0;
    cmpd_layout_arg(&r->layout, BWRAP);
    number_arg(r, "--json-status-fd", run ? FIRST_PASSED + 2 : FIRST_PASSED);
    if (!run)
        number_arg(r, "--seccomp", FIRST_PASSED + 1);
    cmpd_rc rc = cmpd_layout_build(&r->layout, r->q, err);
    if (rc != CMPD_OK)
        return rc;
    r->fds = cmpd_calloc(r->layout.first_fd + r->layout.fd_count, sizeof *r->fds);
    if (run) {
        r->fds[r->fd_count++] = r->pass >= 0 ? r->pass : r->null;
        r->fds[r->fd_count++] = r->notify.theirs;
        r->fds[r->fd_count++] = r->status[1];
    } else {
        r->fds[r->fd_count++] = r->status[1];
        r->fds[r->fd_count++] = r->filter;
    }
    for (size_t i = 0; i < r->layout.fd_count; i++)
        r->fds[r->fd_count++] = r->layout.fds[i];
    return CMPD_OK;
}

/* What lies in the folder, too: an object to be linked. Links are given away, not what they name. */
static bool give_away(const char *folder, uid_t uid)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    bool ok = d != NULL;
    while (d && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, "..") != 0)
            ok = fchownat(dirfd(d), e->d_name, uid, uid, AT_SYMLINK_NOFOLLOW) == 0 && ok;
    }
    int saved = errno;
    if (d)
        closedir(d);
    errno = saved;
    return ok;
}

/* The work folder becomes the jail user's. */
static cmpd_rc hand_over(const struct cmpd_jail_request *q, uid_t uid, struct cmpd_err *err)
{
    if (!uid || !q->work)
        return CMPD_OK;
    if (!give_away(q->work, uid))
        return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot hand %s over to user %u: %s", q->work,
                            (unsigned)uid, strerror(errno));
    CMPD_AUTOFREE char *parent = cmpd_strdup(q->work);
    char *slash = strrchr(parent, '/');
    if (slash && slash > parent) {
        *slash = '\0';
        if (!cmpd_layout_open_to_all(parent, X_OK))
            return cmpd_err_set(err, CMPD_EUNAVAIL,
                                "the jail's user may not enter %s: set TMPDIR to a folder that "
                                "all may enter",
                                parent);
    }
    return CMPD_OK;
}

/* ---- while it runs ---- */

static void on_start(void *ctx)
{
    struct bwrap_run *r = ctx;
    close_fd(&r->pass);
    close_fd(&r->status[1]);
    if (r->notifies)
        cmpd_notify_given(&r->notify);
}

/* Processes and threads that this user has now: the kernel counts them all against the limit. */
static uint64_t tasks_of_user(void)
{
    uint64_t count = 0;
    DIR *d = opendir("/proc");
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        char path[280];
        struct stat st;
        if (e->d_name[0] < '1' || e->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%s/task", e->d_name);
        /* A folder has two links, and one more for each folder in it: one a thread. */
        if (stat(path, &st) == 0 && st.st_uid == geteuid())
            count += st.st_nlink > 2 ? st.st_nlink - 2 : 1;
    }
    if (d)
        closedir(d);
    return count;
}

/* RUN needs none: every thread and process is counted or refused one by one. */
static uint64_t process_limit(const struct cmpd_jail_request *q, uid_t uid)
{
    if (q->limits.processes || q->profile == CMPD_JAIL_RUN)
        return q->limits.processes;
    /* A user of its own begins at nothing. */
    return PROCESSES + (uid ? 0 : tasks_of_user());
}

/* Takes the descriptor over. What can't be read counts nothing: the limit is against accidents and
 * floods, each file has one of its own. */
static uint64_t bytes_below_take(int fd, unsigned depth)
{
    uint64_t bytes = 0;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;
    struct stat st;
    if (!d && fd >= 0)
        close(fd);
    while (d && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        bytes += (uint64_t)st.st_blocks * 512; /* the unit of stat(2) */
        if (S_ISDIR(st.st_mode) && depth < WORK_DEPTH)
            bytes += bytes_below_take(
                openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                depth + 1);
    }
    if (d)
        closedir(d);
    return bytes;
}

static void on_tick(void *ctx, uint64_t elapsed_ms)
{
    struct bwrap_run *r = ctx;
    uint64_t limit = r->q->work_bytes ? r->q->work_bytes : WORK_BYTES, one = 1;
    if (r->q->work && !r->filled) {
        int fd = open(r->q->work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        r->filled = bytes_below_take(fd, 0) > limit &&
                    write(r->full, &one, sizeof one) == (ssize_t)sizeof one;
    }
    if (r->q->on_tick)
        r->q->on_tick(r->q->tick_ctx, elapsed_ms);
}

static cmpd_rc start(struct bwrap_run *r, struct cmpd_proc_result *result, struct cmpd_err *err)
{
    const struct cmpd_jail_request *q = r->q;
    uid_t uid = r->uid;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    cmpd_rc rc = hand_over(q, uid, err);
    if (rc == CMPD_OK && r->notifies)
        rc = cmpd_notify_start(&r->notify, err);
    if (rc != CMPD_OK)
        return rc;
    cmpd_cgroup_enter(&r->cgroup, q);
    spec.argv = (const char *const *)r->layout.argv;
    spec.cwd = "/";
    spec.stdout_ceiling = spec.stderr_ceiling = q->output_ceiling;
    spec.output_limit_bytes = q->output_limit;
    spec.deadline_ms = q->deadline_ms;
    spec.cancel_fd = r->cancel;
    spec.limits = q->limits;
    spec.limits.processes = process_limit(q, uid);
    /* bwrap itself opens a few, above the files that are handed in. */
    if (spec.limits.open_files && spec.limits.open_files < r->fd_count + OWN_FILES)
        spec.limits.open_files = r->fd_count + OWN_FILES;
    spec.pass_fds = r->fds;
    spec.pass_count = r->fd_count;
    spec.become_uid = uid;
    spec.become_gid = uid;
    spec.join = cmpd_cgroup_files(&r->cgroup);
    spec.expendable = true;
    spec.on_start = on_start;
    spec.start_ctx = r;
    spec.on_tick = on_tick;
    spec.tick_ctx = r;
    spec.tick_ms = TICK_MS;
    return cmpd_proc_run(&spec, result, err);
}

/* ---- after ---- */

/* What bwrap said: the number of the jail's first process, seen from here, and the exit status. */
struct status {
    pid_t first; /* 0: not said */
    int exit;    /* -1: the program was never started, or bwrap was killed */
};

static long number_after(const char *text, const char *key, long otherwise)
{
    const char *p = strstr(text, key);
    return p ? strtol(p + strlen(key), NULL, 10) : otherwise;
}

static struct status read_status(struct bwrap_run *r)
{
    char text[1024];
    size_t have = 0;
    ssize_t n;
    while (have < sizeof text - 1 &&
           (n = read(r->status[0], text + have, sizeof text - 1 - have)) > 0)
        have += (size_t)n;
    text[have] = '\0';
    return (struct status){(pid_t)number_after(text, "\"child-pid\":", 0),
                           (int)number_after(text, "\"exit-code\":", -1)};
}

/* A process whose parent has not asked for it yet is dead as well, and so is all below it. */
static bool is_dead(pid_t pid)
{
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *state = strrchr(text, ')');
    return !state || !state[1] || state[2] == 'Z' || state[2] == 'X';
}

/*
 * bwrap is dead, and the kernel kills the jail's first process for that; with it goes the whole
 * process namespace, before it counts as dead itself.
 */
static void wait_for_all(pid_t first)
{
    struct timespec pause = {0, FIRST_PAUSE_NS};
    for (uint64_t waited = 0; first && !is_dead(first) && waited < END_WAIT_NS;
         waited += (uint64_t)pause.tv_nsec) {
        if (waited)
            pause.tv_nsec = pause.tv_nsec < END_WAIT_NS / 100 ? pause.tv_nsec * 2 : pause.tv_nsec;
        nanosleep(&pause, NULL);
    }
}

static cmpd_rc did_not_start(const struct cmpd_proc_result *p, struct cmpd_err *err)
{
    char line[300], how[80];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(cmpd_buf_str(&p->err), "\n"),
             cmpd_buf_str(&p->err));
    return cmpd_err_set(err, CMPD_EUNAVAIL, "the jail could not be set up: %s",
                        *line ? line : cmpd_proc_describe(p, how, sizeof how));
}

/*
 * bwrap passes a signal on as 128 and its number. nvcc does so too when a tool of its dies, but then
 * it says so; what died itself says nothing.
 */
static void translate(const struct cmpd_jail_request *q, int status, struct cmpd_proc_result *p)
{
    bool spoke = p->out.len > 0 || p->err.len > 0;
    p->exit_status = status;
    if (status <= 128 || status > 128 + 64 || (q->profile == CMPD_JAIL_COMPILE && spoke))
        return;
    p->signal = status - 128;
    p->exit_status = 0;
    p->end = p->signal == SIGXCPU   ? CMPD_PROC_TIMED_OUT
             : p->signal == SIGKILL ? CMPD_PROC_KILLED
                                    : CMPD_PROC_SIGNALLED;
}

static bool ran_out_of_memory(const struct bwrap_run *r, const struct cmpd_proc_result *p)
{
    double limit = (double)r->q->limits.address_space_bytes;
    bool died = p->end == CMPD_PROC_SIGNALLED || p->end == CMPD_PROC_KILLED ||
                (p->end == CMPD_PROC_EXITED && p->exit_status != 0);
    if (!died)
        return false;
    return p->end == CMPD_PROC_KILLED || cmpd_cgroup_out_of_memory(&r->cgroup) ||
           (limit > 0 && (double)r->notify.peak_bytes > limit * MEMORY_PART) ||
           (p->err.data && strstr(p->err.data, "std::bad_alloc"));
}

static enum cmpd_jail_limit limit_of(const struct bwrap_run *r, const struct cmpd_proc_result *p)
{
    if (r->notify.report.limit != CMPD_JAIL_WITHIN)
        return r->notify.report.limit;
    if (p->end == CMPD_PROC_TIMED_OUT)
        return p->signal == SIGXCPU ? CMPD_JAIL_LIMIT_CPU : CMPD_JAIL_LIMIT_TIME;
    if (p->end == CMPD_PROC_FLOODED)
        return CMPD_JAIL_LIMIT_OUTPUT;
    if (r->filled || (p->end == CMPD_PROC_SIGNALLED && p->signal == SIGXFSZ))
        return CMPD_JAIL_LIMIT_FILE;
    if (ran_out_of_memory(r, p))
        return CMPD_JAIL_LIMIT_MEMORY;
    for (size_t i = 0; i < r->notify.report.deed_count; i++) {
        if (r->notify.report.deeds[i].kind == CMPD_DEED_THREADS)
            return CMPD_JAIL_LIMIT_THREADS;
    }
    return CMPD_JAIL_WITHIN;
}

static cmpd_rc finish(struct bwrap_run *r, struct cmpd_proc_result *p, struct cmpd_err *err)
{
    if (r->notifies)
        cmpd_notify_stop(&r->notify);
    struct status status = read_status(r);
    wait_for_all(status.first);
    bool had_enough = r->notify.report.limit != CMPD_JAIL_WITHIN;
    if (p->end == CMPD_PROC_EXITED && status.exit < 0) {
        cmpd_rc rc = did_not_start(p, err);
        cmpd_proc_result_clear(p);
        return rc;
    }
    if (p->end == CMPD_PROC_EXITED)
        translate(r->q, status.exit, p);
    if (p->end == CMPD_PROC_CANCELLED && (had_enough || r->filled)) {
        p->end = CMPD_PROC_KILLED;
        p->signal = SIGKILL;
    }
    if (r->q->report) {
        *r->q->report = r->notify.report;
        r->q->report->limit = limit_of(r, p);
    }
    return CMPD_OK;
}

static cmpd_rc run_once(const struct cmpd_jail_request *q, unsigned attempt,
                        struct cmpd_proc_result *result, struct cmpd_err *err)
{
    struct bwrap_run r = {.q = q,
                          .uid = cmpd_layout_uid(attempt),
                          .pass = q->profile == CMPD_JAIL_RUN ? q->pass_fd_take : -1,
                          .filter = -1,
                          .status = {-1, -1},
                          .null = -1,
                          .cancel = -1,
                          .full = -1};
    cmpd_rc rc = access(BWRAP, X_OK) == 0
                     ? make_fds(&r, err)
                     : cmpd_err_set(err, CMPD_EUNAVAIL, "no jail: %s is not there", BWRAP);
    if (rc == CMPD_OK)
        rc = make_cancel(&r, err);
    if (rc == CMPD_OK)
        rc = lay_out(&r, err);
    if (rc == CMPD_OK)
        rc = start(&r, result, err);
    if (rc == CMPD_OK)
        rc = finish(&r, result, err);
    clear(&r);
    return rc;
}

/* Another runner's jail, with the same user, may hold all its processes: then the next user. */
static cmpd_rc run(const struct cmpd_jail_request *q, struct cmpd_proc_result *result,
                   struct cmpd_err *err)
{
    struct cmpd_err why = {0};
    cmpd_rc rc;
    unsigned attempt = 0;
    do
        rc = run_once(q, attempt, result, &why);
    while (rc == CMPD_EUNAVAIL && q->profile == CMPD_JAIL_COMPILE && geteuid() == 0 &&
           strstr(why.msg, strerror(EAGAIN)) && ++attempt < ATTEMPTS);
    if (rc != CMPD_OK && err)
        *err = why;
    return rc;
}

const struct cmpd_jail_ops cmpd_jail_bwrap = {"bwrap", run};
