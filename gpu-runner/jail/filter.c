#include "gpu-runner/jail/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "gpu-runner/jail/deeds.h"

#define FILTER_CEILING ((size_t)4096 * 8) /* BPF_MAXINSNS of 8 bytes */
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#define TCGETS2_NUMBER 0x802c542aU /* _IOR('T', 0x2A, struct termios2) */
#define OPEN_CHANGES   ((scmp_datum_t)(O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY)))

/* What no compiler needs. By name, so that a kernel or library that lacks one does not matter. */
static const char *const never_compile[] = {
    "acct",
    "add_key",
    "bpf",
    "chroot",
    "clock_settime",
    "delete_module",
    "fanotify_init",
    "finit_module",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "init_module",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "kcmp",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "mount",
    "mount_setattr",
    "move_mount",
    "name_to_handle_at",
    "nfsservctl",
    "open_by_handle_at",
    "open_tree",
    "perf_event_open",
    "pidfd_getfd",
    "pivot_root",
    "process_madvise",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "quotactl",
    "reboot",
    "request_key",
    "setdomainname",
    "sethostname",
    "setns",
    "settimeofday",
    "swapoff",
    "swapon",
    "syslog",
    "umount2",
    "unshare",
    "userfaultfd",
    "vhangup",
    "vmsplice",
};

/* What a launcher and the libraries under it need, or what can do no harm in there. */
static const char *const always_run[] = {
    "access",
    "alarm",
    "arch_prctl",
    "brk",
    "chdir",
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "close",
    "close_range",
    "dup",
    "dup2",
    "dup3",
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "eventfd",
    "eventfd2",
    "exit",
    "exit_group",
    "faccessat",
    "faccessat2",
    "fadvise64",
    "fcntl",
    "fdatasync",
    "fstat",
    "fstatfs",
    "fsync",
    "futex",
    "futex_waitv",
    "futex_wait",
    "futex_wake",
    "futex_requeue",
    "get_mempolicy",
    "get_robust_list",
    "getcpu",
    "getcwd",
    "getdents",
    "getdents64",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getitimer",
    "getpeername",
    "getpgid",
    "getpgrp",
    "getpid",
    "getppid",
    "getpriority",
    "getrandom",
    "getresgid",
    "getresuid",
    "getrlimit",
    "getrusage",
    "getsid",
    "getsockname",
    "getsockopt",
    "gettid",
    "gettimeofday",
    "getuid",
    "lseek",
    "lstat",
    "madvise",
    "membarrier",
    "mincore",
    "mlock",
    "mlock2",
    "mlockall",
    "mmap",
    "mprotect",
    "mremap",
    "msync",
    "munlock",
    "munlockall",
    "munmap",
    "nanosleep",
    "newfstatat",
    "pause",
    "pipe",
    "pipe2",
    "pkey_alloc",
    "pkey_free",
    "pkey_mprotect",
    "poll",
    "ppoll",
    "pread64",
    "preadv",
    "preadv2",
    "pselect6",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "read",
    "readlink",
    "readlinkat",
    "readv",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "restart_syscall",
    "rseq",
    "rt_sigaction",
    "rt_sigpending",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigsuspend",
    "rt_sigtimedwait",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "sched_getaffinity",
    "sched_getattr",
    "sched_getparam",
    "sched_getscheduler",
    "sched_setaffinity",
    "sched_yield",
    "select",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "set_robust_list",
    "set_tid_address",
    "setitimer",
    "shutdown",
    "sigaltstack",
    "stat",
    "statfs",
    "statx",
    "sysinfo",
    "tgkill",
    "time",
    "timer_create",
    "timer_delete",
    "timer_getoverrun",
    "timer_gettime",
    "timer_settime",
    "timerfd_create",
    "timerfd_gettime",
    "timerfd_settime",
    "times",
    "uname",
    "wait4",
    "waitid",
    "write",
    "writev",
};

static const uint32_t ioctls_run[] = {TCGETS,  TCGETS2_NUMBER, TIOCGWINSZ, FIONREAD,
                                      FIONBIO, FIOCLEX,        FIONCLEX};
static const uint32_t prctls_run[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_CAPBSET_READ,
                                      PR_GET_DUMPABLE};

/* A name that this machine's kind does not have needs no rule. */
static int rule(scmp_filter_ctx ctx, uint32_t action, const char *name, unsigned count,
                const struct scmp_arg_cmp *args)
{
    int nr = seccomp_syscall_resolve_name(name);
    if (nr < 0)
        return 0;
    int rc = seccomp_rule_add_array(ctx, action, nr, count, args);
    return rc == -EEXIST || rc == -EACCES /* as the default action is */ ? 0 : rc;
}

static int plain_rules(scmp_filter_ctx ctx, uint32_t action, const char *const *names, size_t count)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = rule(ctx, action, names[i], 0, NULL);
    return rc;
}

static int allow_values(scmp_filter_ctx ctx, const char *name, unsigned arg, const uint32_t *values,
                        size_t count)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        /* The kernel looks at 32 bits of these. */
        struct scmp_arg_cmp cmp = {arg, SCMP_CMP_MASKED_EQ, 0xffffffffU, values[i]};
        rc = rule(ctx, SCMP_ACT_ALLOW, name, 1, &cmp);
    }
    return rc;
}

static cmpd_rc export_take(scmp_filter_ctx ctx, int rc, struct cmpd_buf *out, struct cmpd_err *err)
{
    int fd = rc == 0 ? memfd_create("cmpd-filter", MFD_CLOEXEC) : -1;
    if (rc == 0 && (fd < 0 || (rc = seccomp_export_bpf(ctx, fd)) < 0))
        rc = rc < 0 ? rc : -errno;
    seccomp_release(ctx);
    if (rc < 0) {
        if (fd >= 0)
            close(fd);
        return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot build the seccomp filter: %s",
                            strerror(-rc));
    }
    char chunk[4096];
    ssize_t n;
    off_t at = 0;
    while ((n = pread(fd, chunk, sizeof chunk, at)) > 0 && out->len < FILTER_CEILING) {
        cmpd_buf_append(out, chunk, (size_t)n);
        at += n;
    }
    close(fd);
    return out->len && out->len <= FILTER_CEILING
               ? CMPD_OK
               : cmpd_err_set(err, CMPD_EUNAVAIL, "the seccomp filter is too long");
}

static scmp_filter_ctx begin(uint32_t action)
{
    scmp_filter_ctx ctx = seccomp_init(action);
    if (!ctx)
        return NULL;
    seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree; a wish */
    return ctx;
}

/* clone3 hides its flags behind a pointer; without it libc falls back to clone. */
static int compile_rules(scmp_filter_ctx ctx)
{
    static const struct {
        const char *name;
        struct scmp_arg_cmp arg;
    } conditional[] = {
        {"socket", {0, SCMP_CMP_NE, AF_UNIX, 0}},
        {"socketpair", {0, SCMP_CMP_NE, AF_UNIX, 0}},
        {"ioctl", {1, SCMP_CMP_MASKED_EQ, 0xffffffffU, TIOCSTI}},
        {"ioctl", {1, SCMP_CMP_MASKED_EQ, 0xffffffffU, TIOCLINUX}},
        {"clone", {0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER}},
        {"clone", {0, SCMP_CMP_MASKED_EQ, CLONE_NEWNS, CLONE_NEWNS}},
        {"clone", {0, SCMP_CMP_MASKED_EQ, CLONE_NEWNET, CLONE_NEWNET}},
        {"clone", {0, SCMP_CMP_MASKED_EQ, CLONE_NEWPID, CLONE_NEWPID}},
    };
    int rc = plain_rules(ctx, SCMP_ACT_ERRNO(EPERM), never_compile,
                         sizeof never_compile / sizeof never_compile[0]);
    for (size_t i = 0; rc == 0 && i < sizeof conditional / sizeof conditional[0]; i++)
        rc = rule(ctx, SCMP_ACT_ERRNO(EPERM), conditional[i].name, 1, &conditional[i].arg);
    return rc ? rc : rule(ctx, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
}

/* Where nobody is told: opening to read and starting threads must work by themselves. */
static int unwatched_rules(scmp_filter_ctx ctx)
{
    struct scmp_arg_cmp thread = {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD};
    struct scmp_arg_cmp open_read = {1, SCMP_CMP_MASKED_EQ, OPEN_CHANGES, 0};
    struct scmp_arg_cmp openat_read = {2, SCMP_CMP_MASKED_EQ, OPEN_CHANGES, 0};
    int rc = rule(ctx, SCMP_ACT_ALLOW, "clone", 1, &thread);
    if (rc == 0)
        rc = rule(ctx, SCMP_ACT_ALLOW, "open", 1, &open_read);
    return rc ? rc : rule(ctx, SCMP_ACT_ALLOW, "openat", 1, &openat_read);
}

/* The library can't say "any other value", so these name the values. */
static int deed_values(scmp_filter_ctx ctx, uint32_t action)
{
    struct scmp_arg_cmp sets = {2, SCMP_CMP_NE, 0, 0};
    struct scmp_arg_cmp types = {1, SCMP_CMP_MASKED_EQ, 0xffffffffU, TIOCSTI};
    struct scmp_arg_cmp pastes = {1, SCMP_CMP_MASKED_EQ, 0xffffffffU, TIOCLINUX};
    int rc = rule(ctx, action, "prlimit64", 1, &sets);
    if (rc == 0)
        rc = rule(ctx, action, "ioctl", 1, &types);
    return rc ? rc : rule(ctx, action, "ioctl", 1, &pastes);
}

static int deed_rules(scmp_filter_ctx ctx, uint32_t action, bool watching)
{
    size_t count;
    const struct cmpd_deed_row *rows = cmpd_deed_rows(&count);
    int rc = deed_values(ctx, action);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        bool wanted = rows[i].when == CMPD_DEED_ALWAYS ||
                      (rows[i].when == CMPD_DEED_BY_ARGUMENT && watching);
        if (wanted)
            rc = rule(ctx, action, rows[i].call, 0, NULL);
    }
    return rc;
}

static int run_rules(scmp_filter_ctx ctx, bool watching)
{
    struct scmp_arg_cmp asks = {2, SCMP_CMP_EQ, 0, 0}; /* prlimit64 without new limits */
    int rc = plain_rules(ctx, SCMP_ACT_ALLOW, always_run, sizeof always_run / sizeof always_run[0]);
    if (rc == 0)
        rc = allow_values(ctx, "ioctl", 1, ioctls_run, sizeof ioctls_run / sizeof ioctls_run[0]);
    if (rc == 0)
        rc = allow_values(ctx, "prctl", 0, prctls_run, sizeof prctls_run / sizeof prctls_run[0]);
    if (rc == 0)
        rc = rule(ctx, SCMP_ACT_ALLOW, "prlimit64", 1, &asks);
    if (rc == 0 && !watching)
        rc = unwatched_rules(ctx);
    if (rc == 0)
        rc = deed_rules(ctx, watching ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(EPERM), watching);
    return rc;
}

static cmpd_rc build(enum cmpd_filter_kind kind, struct cmpd_buf *out, struct cmpd_err *err)
{
    bool compile = kind == CMPD_FILTER_COMPILE;
    scmp_filter_ctx ctx = begin(compile ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(ENOSYS));
    if (!ctx)
        return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot build a seccomp filter");
    int rc = compile ? compile_rules(ctx) : run_rules(ctx, kind == CMPD_FILTER_RUN);
    return export_take(ctx, rc, out, err);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cmpd_buf built[CMPD_FILTER_COUNT];
static struct cmpd_err failed[CMPD_FILTER_COUNT];

static void build_all(void)
{
    for (int i = 0; i < CMPD_FILTER_COUNT; i++)
        build((enum cmpd_filter_kind)i, &built[i], &failed[i]);
}

cmpd_rc cmpd_filter_get(enum cmpd_filter_kind kind, const struct cmpd_buf **out,
                        struct cmpd_err *err)
{
    pthread_once(&once, build_all);
    if (failed[kind].rc != CMPD_OK)
        return cmpd_err_set(err, failed[kind].rc, "%s", failed[kind].msg);
    *out = &built[kind];
    return CMPD_OK;
}

int cmpd_filter_file(const struct cmpd_buf *filter)
{
    int fd = memfd_create("cmpd-filter", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (write(fd, filter->data, filter->len) != (ssize_t)filter->len ||
        lseek(fd, 0, SEEK_SET) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}
