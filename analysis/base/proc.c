#include "analysis/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* After the group is dead, what is still in the pipes is read for at most this long. */
#define DRAIN_MS      1000
/* Without pidfd_open the child's end is looked for this often. */
#define REAP_POLL_MS  20
/* Descriptors closed one by one where close_range is missing. */
#define CLOSE_BY_HAND 65536

struct child {
    pid_t pid;
    int in, out, err; /* our ends; -1 once closed */
    int pidfd;        /* -1: the kernel has none */
    size_t written;
    uint64_t produced; /* bytes of output, kept or not */
};

/* What the child says when it could not start. */
struct start_failure {
    int saved_errno;
    char stage; /* 'c' chdir, 'x' exec, 'l' limits, 'u' user, 'f' descriptors */
};

static double now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Above 2, so that the child's dup2 calls can't overwrite each other. */
static int lift(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return up;
}

static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    ends[0] = lift(ends[0]);
    ends[1] = lift(ends[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

/* A socket pair and not a pipe: send() can be told not to raise SIGPIPE. */
static bool make_input(const struct cmpd_proc_spec *spec, int ends[2])
{
    if (!spec->stdin_len && !spec->keep_stdin_open) {
        ends[0] = lift(open("/dev/null", O_RDONLY | O_CLOEXEC));
        return ends[0] >= 0;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return false;
    ends[0] = lift(ends[0]);
    ends[1] = lift(ends[1]);
    if (ends[0] < 0 || ends[1] < 0)
        return false;
    shutdown(ends[1], SHUT_RD);
    return true;
}

/* ---- in the child: only async-signal-safe calls ---- */

static bool set_limit(int what, uint64_t value)
{
    struct rlimit now, want;
    if (getrlimit(what, &now) < 0)
        return false;
    want.rlim_cur = (rlim_t)value;
    /* With both at the same value the kernel sends SIGKILL and never SIGXCPU. */
    want.rlim_max = what == RLIMIT_CPU ? want.rlim_cur + 2 : want.rlim_cur;
    if (now.rlim_max != RLIM_INFINITY && want.rlim_max > now.rlim_max)
        want.rlim_max = now.rlim_max;
    if (want.rlim_cur > want.rlim_max)
        want.rlim_cur = want.rlim_max;
    return setrlimit(what, &want) == 0;
}

static bool set_limits(const struct cmpd_proc_limits *l)
{
    return set_limit(RLIMIT_CORE, 0) && (!l->cpu_s || set_limit(RLIMIT_CPU, l->cpu_s)) &&
           (!l->address_space_bytes || set_limit(RLIMIT_AS, l->address_space_bytes)) &&
           (!l->file_size_bytes || set_limit(RLIMIT_FSIZE, l->file_size_bytes)) &&
           (!l->open_files || set_limit(RLIMIT_NOFILE, l->open_files)) &&
           (!l->processes || set_limit(RLIMIT_NPROC, l->processes));
}

static bool write_word(const char *path, const char *word, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = write(fd, word, len) == (ssize_t)len;
    close(fd);
    return ok;
}

/* Raw calls: the library's wait for all threads of the parent, which the child does not have. */
static bool become_user(const struct cmpd_proc_spec *spec)
{
    if (!spec->become_uid)
        return true;
    return syscall(SYS_setgroups, 0, NULL) == 0 &&
           syscall(SYS_setresgid, spec->become_gid, spec->become_gid, spec->become_gid) == 0 &&
           syscall(SYS_setresuid, spec->become_uid, spec->become_uid, spec->become_uid) == 0;
}

/*
 * 0 to 2 and the passed ones stand where they should, the report behind them. All go above the
 * targets first, so that none overwrites another. Returns the report's number, -1: failed.
 */
static int place_fds(const struct cmpd_proc_spec *spec, int in, int out, int err, int report)
{
    int first = 3 + (int)spec->pass_count; /* where the report goes */
    int std[3] = {in, out, err};
    int high = fcntl(report, F_DUPFD_CLOEXEC, first + 1);
    if (high < 0)
        return -1;
    for (int i = 0; i < 3; i++) {
        std[i] = fcntl(std[i], F_DUPFD_CLOEXEC, first + 1);
        if (std[i] < 0)
            return -1;
    }
    /* Sources below `first` could be overwritten by a target before their turn: move those. */
    int moved[CMPD_PROC_PASS_CEILING];
    for (size_t i = 0; i < spec->pass_count; i++) {
        moved[i] = fcntl(spec->pass_fds[i], F_DUPFD_CLOEXEC, first + 1);
        if (moved[i] < 0)
            return -1;
    }
    for (int i = 0; i < 3; i++) {
        if (dup2(std[i], i) < 0)
            return -1;
    }
    for (size_t i = 0; i < spec->pass_count; i++) {
        if (dup2(moved[i], 3 + (int)i) < 0)
            return -1;
    }
    return dup3(high, first, O_CLOEXEC);
}

static _Noreturn void child_fail(int report, char stage)
{
    struct start_failure f;
    memset(&f, 0, sizeof f);
    f.saved_errno = errno;
    f.stage = stage;
    ssize_t n = write(report, &f, sizeof f);
    _exit(n == (ssize_t)sizeof f ? 127 : 126);
}

static void child_signals(void)
{
    struct sigaction dfl;
    memset(&dfl, 0, sizeof dfl);
    dfl.sa_handler = SIG_DFL;
    for (int s = 1; s < NSIG; s++)
        sigaction(s, &dfl, NULL); /* fails for SIGKILL and SIGSTOP, which is fine */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void child_main(const struct cmpd_proc_spec *spec, int in, int out, int err,
                                 int report)
{
    static char *const empty[] = {NULL};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, spec->orphan_may_clean_up ? SIGTERM : SIGKILL);
    child_signals();
    int placed = place_fds(spec, in, out, err, report);
    if (placed < 0)
        child_fail(report, 'f');
    report = placed;
    if (close_range((unsigned)report + 1, ~0U, 0) < 0) /* a kernel before 5.9 */
        for (int fd = report + 1; fd < CLOSE_BY_HAND; fd++)
            close(fd);
    if (spec->cwd && chdir(spec->cwd) < 0)
        child_fail(report, 'c');
    if (spec->expendable)
        write_word("/proc/self/oom_score_adj", "1000", 4); /* a wish, no more */
    for (const char *const *p = spec->join; p && *p; p++)
        write_word(*p, "0", 1);
    if (!set_limits(&spec->limits))
        child_fail(report, 'l');
    if (!become_user(spec))
        child_fail(report, 'u');
    prctl(PR_SET_PDEATHSIG, spec->orphan_may_clean_up
                                ? SIGTERM
                                : SIGKILL); /* after the change of user, which resets it */
    execve(spec->argv[0], (char *const *)(uintptr_t)spec->argv,
           spec->envp ? (char *const *)(uintptr_t)spec->envp : empty);
    child_fail(report, 'x');
}

/* ---- in the parent ---- */

static cmpd_rc start_error(const struct cmpd_proc_spec *spec, const struct start_failure *f,
                           struct cmpd_err *err)
{
    if (f->stage == 'c')
        return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot enter %s: %s", spec->cwd,
                            strerror(f->saved_errno));
    if (f->stage == 'l')
        return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot set the limits of %s: %s", spec->argv[0],
                            strerror(f->saved_errno));
    if (f->stage == 'u')
        return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot become user %u for %s: %s",
                            (unsigned)spec->become_uid, spec->argv[0], strerror(f->saved_errno));
    return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot start %s: %s", spec->argv[0],
                        strerror(f->saved_errno));
}

/* Waits until exec has happened (the pipe closes) or the child says why it can't. */
static bool read_report(int fd, struct start_failure *f)
{
    ssize_t n;
    do
        n = read(fd, f, sizeof *f);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *f;
}

static pid_t fork_child(const struct cmpd_proc_spec *spec, int in, int out, int err, int report)
{
    /* A handler of ours must not run in the child before it has reset them. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t pid = fork();
    if (pid == 0)
        child_main(spec, in, out, err, report);
    int saved = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (pid > 0)
        setpgid(pid, pid); /* both sides do it, so that no kill can come too early */
    errno = saved;
    return pid;
}

static void reap(pid_t pid, struct rusage *usage, int *status)
{
    while (wait4(pid, status, 0, usage) < 0 && errno == EINTR)
        ;
}

static cmpd_rc start(const struct cmpd_proc_spec *spec, struct child *c, struct cmpd_err *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, er[2] = {-1, -1}, report[2] = {-1, -1};
    struct start_failure failure = {0};
    cmpd_rc rc = CMPD_OK;
    pid_t pid = -1;
    if (make_input(spec, in) && make_pipe(out) && make_pipe(er) && make_pipe(report))
        pid = fork_child(spec, in[0], out[1], er[1], report[1]);
    if (pid < 0)
        rc = cmpd_err_set(err, CMPD_EIO, "cannot start %s: %s", spec->argv[0], strerror(errno));
    close_fd(&in[0]);
    close_fd(&out[1]);
    close_fd(&er[1]);
    close_fd(&report[1]);
    if (rc == CMPD_OK && read_report(report[0], &failure)) {
        int status;
        reap(pid, NULL, &status);
        rc = start_error(spec, &failure, err);
    }
    close_fd(&report[0]);
    if (rc != CMPD_OK) {
        close_fd(&in[1]);
        close_fd(&out[0]);
        close_fd(&er[0]);
        return rc;
    }
    c->pid = pid;
    c->in = in[1];
    c->out = out[0];
    c->err = er[0];
    c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (c->pidfd >= 0)
        fcntl(c->pidfd, F_SETFD, FD_CLOEXEC);
    return CMPD_OK;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static void feed(const struct cmpd_proc_spec *spec, struct child *c)
{
    while (c->in >= 0 && c->written < spec->stdin_len) {
        ssize_t n = send(c->in, (const char *)spec->stdin_data + c->written,
                         spec->stdin_len - c->written, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n < 0) { /* the child does not read it: its own affair */
            close_fd(&c->in);
            return;
        }
        c->written += (size_t)n;
    }
    if (!spec->keep_stdin_open)
        close_fd(&c->in);
}

/* One read; false once the other side is closed. */
static bool take(struct child *c, int *fd, struct cmpd_buf *to)
{
    char chunk[16384];
    ssize_t n = read(*fd, chunk, sizeof chunk);
    if (n > 0) {
        cmpd_buf_append(to, chunk, (size_t)n);
        c->produced += (uint64_t)n;
        return true;
    }
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    close_fd(fd);
    return false;
}

/* The group is dead: reads what is left, without waiting for a process that escaped it. */
static void drain(struct child *c, struct cmpd_proc_result *r)
{
    double until = now_ms() + DRAIN_MS;
    while ((c->out >= 0 || c->err >= 0) && now_ms() < until) {
        struct pollfd p[2] = {{c->out, POLLIN, 0}, {c->err, POLLIN, 0}};
        int n = poll(p, 2, 0);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        if (n > 0 && p[0].revents)
            take(c, &c->out, &r->out);
        if (n > 0 && p[1].revents)
            take(c, &c->err, &r->err);
    }
    close_fd(&c->out);
    close_fd(&c->err);
}

struct watch {
    double started, kill_at; /* kill_at: when SIGTERM turns into SIGKILL; 0: not asked to end yet */
    bool killed;
    enum cmpd_proc_end why;
    double next_tick;
};

static void ask_to_end(const struct cmpd_proc_spec *spec, struct child *c, struct watch *w,
                       enum cmpd_proc_end why)
{
    w->why = why;
    w->kill_at = now_ms() + (double)spec->grace_ms;
    kill(-c->pid, spec->grace_ms ? SIGTERM : SIGKILL);
    w->killed = spec->grace_ms == 0;
    close_fd(&c->in); /* the lifeline goes too */
}

static int wait_ms(const struct cmpd_proc_spec *spec, const struct child *c, const struct watch *w)
{
    double left = -1, now = now_ms();
    if (w->kill_at > 0 && !w->killed)
        left = w->kill_at - now;
    else if (w->kill_at <= 0 && spec->deadline_ms)
        left = w->started + (double)spec->deadline_ms - now;
    if (spec->on_tick && (left < 0 || w->next_tick - now < left))
        left = w->next_tick - now;
    if (c->pidfd < 0 && (left < 0 || left > REAP_POLL_MS))
        left = REAP_POLL_MS;
    if (left < 0)
        return w->kill_at > 0 || spec->deadline_ms || spec->on_tick ? 0 : -1;
    return left > 1e6 ? 1000000 : (int)left + 1;
}

static void check_clock(const struct cmpd_proc_spec *spec, struct child *c, struct watch *w)
{
    double now = now_ms();
    if (w->kill_at <= 0 && spec->deadline_ms && now >= w->started + (double)spec->deadline_ms)
        ask_to_end(spec, c, w, CMPD_PROC_TIMED_OUT);
    else if (w->kill_at > 0 && !w->killed && now >= w->kill_at) {
        kill(-c->pid, SIGKILL);
        w->killed = true;
    }
    if (spec->on_tick && now >= w->next_tick) {
        spec->on_tick(spec->tick_ctx, (uint64_t)(now - w->started));
        w->next_tick = now + (double)spec->tick_ms;
    }
}

/* Until the leader has ended. It is not reaped yet, so its group's number is still its own. */
static void watch_child(const struct cmpd_proc_spec *spec, struct child *c,
                        struct cmpd_proc_result *r, struct watch *w)
{
    while (!has_ended(c->pid)) {
        bool feeding = c->in >= 0 && c->written < spec->stdin_len;
        struct pollfd p[5] = {{c->pidfd, POLLIN, 0},
                              {c->out, POLLIN, 0},
                              {c->err, POLLIN, 0},
                              {feeding ? c->in : -1, POLLOUT, 0},
                              {w->kill_at > 0 ? -1 : spec->cancel_fd, POLLIN, 0}};
        int n = poll(p, 5, wait_ms(spec, c, w));
        if (n > 0 && p[1].revents)
            take(c, &c->out, &r->out);
        if (n > 0 && p[2].revents)
            take(c, &c->err, &r->err);
        if (n > 0 && p[3].revents)
            feed(spec, c);
        if (n > 0 && p[4].revents)
            ask_to_end(spec, c, w, CMPD_PROC_CANCELLED);
        if (w->kill_at <= 0 && spec->output_limit_bytes && c->produced > spec->output_limit_bytes)
            ask_to_end(spec, c, w, CMPD_PROC_FLOODED);
        check_clock(spec, c, w);
    }
}

static void fill_end(struct cmpd_proc_result *r, const struct watch *w, int status,
                     const struct rusage *u)
{
    if (w->kill_at > 0)
        r->end = w->why;
    else if (WIFEXITED(status))
        r->end = CMPD_PROC_EXITED;
    else if (WTERMSIG(status) == SIGXCPU)
        r->end = CMPD_PROC_TIMED_OUT;
    else if (WTERMSIG(status) == SIGKILL)
        r->end = CMPD_PROC_KILLED;
    else
        r->end = CMPD_PROC_SIGNALLED;
    r->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    r->elapsed_ms = now_ms() - w->started;
    r->user_ms = (double)u->ru_utime.tv_sec * 1e3 + (double)u->ru_utime.tv_usec / 1e3;
    r->system_ms = (double)u->ru_stime.tv_sec * 1e3 + (double)u->ru_stime.tv_usec / 1e3;
    r->max_rss_kib = (uint64_t)u->ru_maxrss;
}

cmpd_rc cmpd_proc_run(const struct cmpd_proc_spec *spec, struct cmpd_proc_result *result,
                      struct cmpd_err *err)
{
    struct child c = {.pid = -1, .in = -1, .out = -1, .err = -1, .pidfd = -1};
    struct watch w = {.started = now_ms()};
    if (spec->pass_count > CMPD_PROC_PASS_CEILING)
        return cmpd_err_set(err, CMPD_ELIMIT, "too many descriptors to pass to %s", spec->argv[0]);
    w.next_tick = w.started + (double)spec->tick_ms;
    cmpd_rc rc = start(spec, &c, err);
    if (rc != CMPD_OK)
        return rc;
    memset(result, 0, sizeof *result);
    result->out.ceiling = spec->stdout_ceiling;
    result->err.ceiling = spec->stderr_ceiling;
    if (spec->on_start)
        spec->on_start(spec->start_ctx);
    feed(spec, &c);
    watch_child(spec, &c, result, &w);
    kill(-c.pid, SIGKILL);
    int status = 0;
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    reap(c.pid, &usage, &status);
    close_fd(&c.in);
    close_fd(&c.pidfd);
    drain(&c, result);
    fill_end(result, &w, status, &usage);
    return CMPD_OK;
}

void cmpd_proc_result_clear(struct cmpd_proc_result *result)
{
    cmpd_buf_clear(&result->out);
    cmpd_buf_clear(&result->err);
}

const char *cmpd_proc_describe(const struct cmpd_proc_result *result, char *buf, size_t size)
{
    switch (result->end) {
    case CMPD_PROC_EXITED:
        snprintf(buf, size, "exited with status %d", result->exit_status);
        return buf;
    case CMPD_PROC_SIGNALLED:
        snprintf(buf, size, "killed by signal %d", result->signal);
        return buf;
    case CMPD_PROC_TIMED_OUT:
        return "timed out";
    case CMPD_PROC_KILLED:
        return "killed, as when memory runs out";
    case CMPD_PROC_CANCELLED:
        return "cancelled";
    case CMPD_PROC_FLOODED:
        return "stopped, as it wrote too much output";
    }
    return "ended in an unknown way";
}
