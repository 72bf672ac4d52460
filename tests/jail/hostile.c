/*
 * A program that misbehaves, one way at a time: `hostile WAY [ARGUMENT]`. It closes itself in first
 * where it is told to (as the candidate program does), so what follows stands for foreign code.
 * It prints "got WAY" where it had its way and "refused WAY: why" where not.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu-runner/jail/seccomp.h"

static const char *argument;

static int opened(const char *path, int flags)
{
    int fd = open(path, flags, 0600);
    if (fd < 0)
        return -1;
    char byte;
    ssize_t n = (flags & O_ACCMODE) == O_RDONLY ? read(fd, &byte, 1) : 1;
    close(fd);
    return n < 0 ? -1 : 0;
}

static int way_read_passwd(void)
{
    return opened("/etc/passwd", O_RDONLY);
}

static int way_read_argument(void)
{
    return opened(argument, O_RDONLY);
}

static int way_write_argument(void)
{
    return opened(argument, O_WRONLY | O_APPEND);
}

static int way_remove_argument(void)
{
    return unlink(argument);
}

static int way_make_tmp(void)
{
    return opened("/tmp/made", O_WRONLY | O_CREAT);
}

static int way_proc_environ(void)
{
    return opened("/proc/1/environ", O_RDONLY);
}

static int sock(int family, int type)
{
    int fd = socket(family, type, 0);
    return fd < 0 ? -1 : close(fd);
}

static int way_inet(void)
{
    return sock(AF_INET, SOCK_STREAM);
}

static int way_inet6(void)
{
    return sock(AF_INET6, SOCK_DGRAM);
}

static int way_unix(void)
{
    return sock(AF_UNIX, SOCK_STREAM);
}

static int way_netlink(void)
{
    return sock(AF_NETLINK, SOCK_RAW);
}

static int way_vsock(void)
{
    return sock(AF_VSOCK, SOCK_STREAM);
}

static int way_packet(void)
{
    return sock(AF_PACKET, SOCK_RAW);
}

static int way_ptrace(void)
{
    return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) < 0 ? -1 : 0;
}

static int way_kill_all(void)
{
    return kill(-1, SIGKILL);
}

static int way_kill_init(void)
{
    return (int)syscall(SYS_tgkill, 1, 1, SIGKILL) == 0 && getppid() == 0 ? 0 : -1;
}

static int way_fork(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : 0;
}

static int way_fork_bomb(void)
{
    for (unsigned failed = 0; failed < 2000000;) {
        pid_t pid = fork();
        if (pid < 0)
            failed++;
    }
    return -1;
}

static int way_daemon(void)
{
    pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (pid > 0)
        return 0;
    setsid();
    if (fork() > 0)
        _exit(0);
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    for (;;)
        sleep(100);
}

static int way_system(void)
{
    return system("/bin/true") == 0 ? 0 : -1;
}

static int way_exec(void)
{
    char *const argv[] = {(char *)"/bin/sh", NULL};
    execve("/bin/sh", argv, argv + 1);
    return -1;
}

static int way_exec_self(void)
{
    char *const argv[] = {(char *)(uintptr_t)argument, (char *)"nothing", NULL};
    execve(argument, argv, argv + 2);
    return -1;
}

static int way_memory(void)
{
    size_t step = (size_t)8 << 20;
    for (;;) {
        char *p = malloc(step);
        if (!p)
            abort(); /* as a failed operator new would */
        memset(p, 1, step);
    }
}

static int way_descriptors(void)
{
    int found = 0;
    for (int fd = 3; fd < 4096; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            printf("descriptor %d\n", fd);
            found++;
        }
    }
    return found ? 0 : -1;
}

static int way_type(void)
{
    char c = '#';
    return ioctl(0, TIOCSTI, &c);
}

static int way_mount(void)
{
    return mount("none", "/tmp", "tmpfs", 0, NULL);
}

static int way_unshare(void)
{
    return unshare(CLONE_NEWUSER);
}

static int way_clone_user(void)
{
    return (int)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL) < 0 ? -1 : 0;
}

static int way_io_uring(void)
{
    struct io_uring_params p;
    memset(&p, 0, sizeof p);
    return (int)syscall(SYS_io_uring_setup, 4, &p) < 0 ? -1 : 0;
}

static int way_keyctl(void)
{
    return syscall(SYS_keyctl, 0, -3, 1) < 0 ? -1 : 0;
}

static int way_bpf(void)
{
    return syscall(SYS_bpf, 0, NULL, 0) < 0 ? -1 : 0;
}

static int way_perf(void)
{
    return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 ? -1 : 0;
}

static int way_setuid(void)
{
    return (int)syscall(SYS_setuid, 0);
}

static int way_limits(void)
{
    struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_NOFILE, &l);
}

static int way_flood(void)
{
    char page[4096];
    memset(page, 'x', sizeof page);
    for (;;) {
        if (write(1, page, sizeof page) < 0)
            return -1;
    }
}

static int way_loop(void)
{
    for (volatile unsigned long i = 0;; i++)
        ;
}

static int way_sleep(void)
{
    sleep(1000);
    return 0;
}

/* How much it could write, in MiB, is in the exit's message. */
static int fill(const char *path)
{
    static char block[1 << 20];
    int fd = open(path, O_WRONLY | O_CREAT, 0600), n = 0;
    if (fd < 0)
        return -1;
    signal(SIGXFSZ, SIG_IGN);
    while (n < 4096 && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        n++;
    printf("filled %d MiB\n", n);
    return n >= 1024 ? 0 : -1;
}

static int way_fill_tmp(void)
{
    return fill("/tmp/full");
}

static int way_fill_shm(void)
{
    return fill("/dev/shm/full");
}

static int way_fill_root(void)
{
    return fill("/full");
}

/* Many files, each within its limit. */
static int way_fill_argument(void)
{
    static char block[1 << 20];
    char path[4096];
    for (int i = 0; i < 4096; i++) {
        snprintf(path, sizeof path, "%s/%d", argument, i);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        for (int n = 0; n < 8; n++) {
            if (fd < 0 || write(fd, block, sizeof block) != (ssize_t)sizeof block)
                return -1;
        }
        close(fd);
        usleep(1000);
    }
    return 0;
}

static int way_exit(void)
{
    _exit(0);
}

static void handler(int sig)
{
    (void)sig;
}

static int way_own_handler(void)
{
    signal(SIGSYS, handler);
    return opened("/etc/shadow", O_RDONLY);
}

static int way_undumpable(void)
{
    prctl(PR_SET_DUMPABLE, 0);
    return opened("/etc/group", O_RDONLY);
}

static int way_own_filter(void)
{
    return syscall(SYS_seccomp, 1, 0, NULL) < 0 ? -1 : 0;
}

static int way_old_abi(void)
{
#ifdef __x86_64__
    long rc;
    __asm__ volatile("int $0x80" : "=a"(rc) : "a"(20L) : "memory"); /* getpid */
    return rc > 0 ? 0 : -1;
#else
    raise(SIGSYS);
    return -1;
#endif
}

static void *idle(void *ctx)
{
    (void)ctx;
    sleep(1000);
    return NULL;
}

static int way_thread_bomb(void)
{
    pthread_t t;
    for (int i = 0; i < 10000; i++) {
        if (pthread_create(&t, NULL, idle, NULL) != 0)
            return -1;
    }
    return 0;
}

static const char *volatile race_path;

static void *flip(void *ctx)
{
    char *path = ctx;
    for (;;) {
        memcpy(path, "/etc/passwd\0\0", 13);
        memcpy(path, "/dev/urandom\0", 13);
    }
}

/* The path changes between the runner's look and the kernel's: nothing must be there to open. */
static int way_race(void)
{
    static char path[16] = "/dev/urandom";
    pthread_t t;
    if (pthread_create(&t, NULL, flip, path) != 0)
        return -1;
    for (int i = 0; i < 300; i++) {
        struct stat st;
        int fd = open(path, O_RDONLY);
        if (fd < 0)
            continue;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            return 0;
        close(fd);
    }
    return -1;
}

/* On every number that might be a channel of somebody's. */
static int way_fake_results(void)
{
    static const char fake[] = "{\"end\":\"0\",\"lines\":1}\n";
    int taken = 0;
    for (int fd = 0; fd < 256; fd++)
        taken += write(fd, fake, sizeof fake - 1) > 0;
    dprintf(2, "taken by %d\n", taken);
    return taken > 3 ? 0 : -1;
}

static int recurse(volatile char *up)
{
    volatile char here[4096];
    here[0] = *up;
    return recurse(here) + here[0];
}

static int way_stack(void)
{
    char c = 1;
    return recurse(&c);
}

static int way_load(void)
{
    void *lib = dlopen(argument, RTLD_NOW);
    if (!lib)
        printf("%s\n", dlerror());
    return lib ? 0 : -1;
}

static void *count_up(void *ctx)
{
    return (char *)ctx + 1;
}

/* What launchers do: none of it is a deed. */
static int way_honest(void)
{
    struct timespec ts;
    struct stat st;
    pthread_t t[4];
    char buf[64];
    void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("hello %s %d\n", getenv("HOME") ? "home" : "nobody", isatty(1));
    fflush(stdout);
    for (size_t i = 0; i < 4; i++) {
        if (pthread_create(&t[i], NULL, count_up, NULL) != 0)
            return -1;
    }
    for (size_t i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (size_t i = 0; i < 100; i++) { /* one after the other: that many never run at once */
        if (pthread_create(&t[0], NULL, count_up, NULL) != 0)
            return -1;
        pthread_join(t[0], NULL);
    }
    time_t now = time(NULL);
    localtime_r(&now, &(struct tm){0});
    snprintf(buf, sizeof buf, "%f", (double)rand() / RAND_MAX);
    srand((unsigned)now);
    stat("/etc/passwd", &st);
    sysconf(_SC_NPROCESSORS_ONLN);
    sysconf(_SC_PHYS_PAGES);
    usleep(1000);
    free(malloc((size_t)64 << 20));
    void *lib = dlopen("libm.so.6", RTLD_NOW);
    return p != MAP_FAILED && clock_gettime(CLOCK_MONOTONIC, &ts) == 0 && lib ? 0 : -1;
}

static int way_nothing(void)
{
    return 0;
}

/* Speaks on descriptor 3. */
static int way_talk(void)
{
    char byte = 0;
    return send(3, "x", 1, 0) == 1 && read(3, &byte, 1) == 1 && byte == 'y' ? 0 : -1;
}

static const struct {
    const char *name;
    int (*run)(void);
} ways[] = {
    {"read_passwd", way_read_passwd},
    {"read_argument", way_read_argument},
    {"write_argument", way_write_argument},
    {"remove_argument", way_remove_argument},
    {"make_tmp", way_make_tmp},
    {"proc_environ", way_proc_environ},
    {"inet", way_inet},
    {"inet6", way_inet6},
    {"unix", way_unix},
    {"netlink", way_netlink},
    {"vsock", way_vsock},
    {"packet", way_packet},
    {"ptrace", way_ptrace},
    {"kill_all", way_kill_all},
    {"kill_init", way_kill_init},
    {"fork", way_fork},
    {"fork_bomb", way_fork_bomb},
    {"daemon", way_daemon},
    {"system", way_system},
    {"exec", way_exec},
    {"exec_self", way_exec_self},
    {"memory", way_memory},
    {"descriptors", way_descriptors},
    {"type", way_type},
    {"mount", way_mount},
    {"unshare", way_unshare},
    {"clone_user", way_clone_user},
    {"io_uring", way_io_uring},
    {"keyctl", way_keyctl},
    {"bpf", way_bpf},
    {"perf", way_perf},
    {"setuid", way_setuid},
    {"limits", way_limits},
    {"flood", way_flood},
    {"loop", way_loop},
    {"sleep", way_sleep},
    {"fill_tmp", way_fill_tmp},
    {"fill_shm", way_fill_shm},
    {"fill_root", way_fill_root},
    {"fill_argument", way_fill_argument},
    {"exit", way_exit},
    {"own_handler", way_own_handler},
    {"undumpable", way_undumpable},
    {"own_filter", way_own_filter},
    {"old_abi", way_old_abi},
    {"thread_bomb", way_thread_bomb},
    {"race", way_race},
    {"fake_results", way_fake_results},
    {"stack", way_stack},
    {"load", way_load},
    {"honest", way_honest},
    {"nothing", way_nothing},
    {"talk", way_talk},
};

int main(int argc, char **argv)
{
    const char *why, *way = argc > 1 ? argv[1] : "";
    if (cmpd_jail_enter(&why) < 0) {
        dprintf(2, "%s\n", why);
        return CMPD_JAIL_ENTER_FAILED;
    }
    argument = argc > 2 ? argv[2] : "/nonexistent";
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, way) != 0)
            continue;
        errno = 0;
        int rc = ways[i].run();
        int saved = errno;
        if (rc == 0)
            printf("got %s\n", way);
        else
            printf("refused %s: %s\n", way, strerror(saved));
        fflush(stdout);
        return 0;
    }
    return 64;
}
