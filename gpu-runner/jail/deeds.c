#include "gpu-runner/jail/deeds.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define FILE_   CMPD_DEED_FILE, CMPD_DEED_ALWAYS
#define NETWORK CMPD_DEED_NETWORK, CMPD_DEED_ALWAYS
#define PROCESS CMPD_DEED_PROCESS, CMPD_DEED_ALWAYS
#define PROGRAM CMPD_DEED_PROGRAM, CMPD_DEED_ALWAYS
#define SYSTEM  CMPD_DEED_SYSTEM, CMPD_DEED_ALWAYS
#define NO_PATH -1

static const struct cmpd_deed_row rows[] = {
    {"open", CMPD_DEED_FILE, CMPD_DEED_BY_ARGUMENT, 0, "opens"},
    {"openat", CMPD_DEED_FILE, CMPD_DEED_BY_ARGUMENT, 1, "opens"},
    {"openat2", FILE_, 1, "opens"},
    {"creat", FILE_, 0, "writes"},
    {"open_by_handle_at", FILE_, NO_PATH, "opens a file by its handle"},
    {"truncate", FILE_, 0, "cuts"},
    {"ftruncate", FILE_, NO_PATH, "changes the length of a file"},
    {"fallocate", FILE_, NO_PATH, "takes room on a disk"},
    {"unlink", FILE_, 0, "removes"},
    {"unlinkat", FILE_, 1, "removes"},
    {"rmdir", FILE_, 0, "removes"},
    {"rename", FILE_, 0, "renames"},
    {"renameat", FILE_, 1, "renames"},
    {"renameat2", FILE_, 1, "renames"},
    {"mkdir", FILE_, 0, "makes the folder"},
    {"mkdirat", FILE_, 1, "makes the folder"},
    {"mknod", FILE_, 0, "makes the node"},
    {"mknodat", FILE_, 1, "makes the node"},
    {"link", FILE_, 0, "links"},
    {"linkat", FILE_, 1, "links"},
    {"symlink", FILE_, 0, "links"},
    {"symlinkat", FILE_, 0, "links"},
    {"chmod", FILE_, 0, "changes the mode of"},
    {"fchmod", FILE_, NO_PATH, "changes the mode of a file"},
    {"fchmodat", FILE_, 1, "changes the mode of"},
    {"fchmodat2", FILE_, 1, "changes the mode of"},
    {"chown", FILE_, 0, "changes the owner of"},
    {"lchown", FILE_, 0, "changes the owner of"},
    {"fchown", FILE_, NO_PATH, "changes the owner of a file"},
    {"fchownat", FILE_, 1, "changes the owner of"},
    {"utimensat", FILE_, 1, "changes the times of"},
    {"utime", FILE_, 0, "changes the times of"},
    {"utimes", FILE_, 0, "changes the times of"},
    {"setxattr", FILE_, 0, "changes attributes of"},
    {"lsetxattr", FILE_, 0, "changes attributes of"},
    {"removexattr", FILE_, 0, "changes attributes of"},
    {"inotify_init1", FILE_, NO_PATH, "watches files"},
    {"inotify_init", FILE_, NO_PATH, "watches files"},
    {"fanotify_init", FILE_, NO_PATH, "watches files"},
    {"memfd_create", FILE_, 0, "makes the memory file"},
    {"memfd_secret", FILE_, NO_PATH, "makes a memory file"},
    {"sendfile", FILE_, NO_PATH, "copies between files"},
    {"copy_file_range", FILE_, NO_PATH, "copies between files"},
    {"splice", FILE_, NO_PATH, "copies between files"},
    {"socket", NETWORK, NO_PATH, "opens a socket"},
    {"socketpair", NETWORK, NO_PATH, "opens sockets"},
    {"connect", NETWORK, NO_PATH, "connects to an address"},
    {"bind", NETWORK, NO_PATH, "binds an address"},
    {"listen", NETWORK, NO_PATH, "listens for connections"},
    {"accept", NETWORK, NO_PATH, "takes connections"},
    {"accept4", NETWORK, NO_PATH, "takes connections"},
    {"clone", CMPD_DEED_PROCESS, CMPD_DEED_BY_ARGUMENT, NO_PATH, "starts a process"},
    {"fork", PROCESS, NO_PATH, "starts a process"},
    {"vfork", PROCESS, NO_PATH, "starts a process"},
    {"kill", PROCESS, NO_PATH, "sends a signal"},
    {"tkill", PROCESS, NO_PATH, "sends a signal"},
    {"rt_sigqueueinfo", PROCESS, NO_PATH, "sends a signal"},
    {"rt_tgsigqueueinfo", PROCESS, NO_PATH, "sends a signal"},
    {"pidfd_open", PROCESS, NO_PATH, "takes hold of a process"},
    {"pidfd_send_signal", PROCESS, NO_PATH, "sends a signal"},
    {"pidfd_getfd", PROCESS, NO_PATH, "takes descriptors of a process"},
    {"ptrace", PROCESS, NO_PATH, "traces a process"},
    {"process_vm_readv", PROCESS, NO_PATH, "reads the memory of a process"},
    {"process_vm_writev", PROCESS, NO_PATH, "writes the memory of a process"},
    {"process_madvise", PROCESS, NO_PATH, "acts on the memory of a process"},
    {"kcmp", PROCESS, NO_PATH, "looks into a process"},
    {"setsid", PROCESS, NO_PATH, "leaves its session"},
    {"setpgid", PROCESS, NO_PATH, "leaves its process group"},
    {"execve", PROGRAM, 0, "starts the program"},
    {"execveat", PROGRAM, 1, "starts the program"},
    {"uselib", PROGRAM, 0, "loads the library"},
    {"mount", SYSTEM, 1, "mounts on"},
    {"umount2", SYSTEM, 0, "unmounts"},
    {"pivot_root", SYSTEM, 0, "changes the root to"},
    {"chroot", SYSTEM, 0, "changes the root to"},
    {"fsopen", SYSTEM, NO_PATH, "mounts"},
    {"fsmount", SYSTEM, NO_PATH, "mounts"},
    {"move_mount", SYSTEM, NO_PATH, "mounts"},
    {"open_tree", SYSTEM, NO_PATH, "mounts"},
    {"mount_setattr", SYSTEM, NO_PATH, "mounts"},
    {"unshare", SYSTEM, NO_PATH, "changes its namespaces"},
    {"setns", SYSTEM, NO_PATH, "changes its namespaces"},
    {"setuid", SYSTEM, NO_PATH, "changes its user"},
    {"setgid", SYSTEM, NO_PATH, "changes its group"},
    {"setreuid", SYSTEM, NO_PATH, "changes its user"},
    {"setregid", SYSTEM, NO_PATH, "changes its group"},
    {"setresuid", SYSTEM, NO_PATH, "changes its user"},
    {"setresgid", SYSTEM, NO_PATH, "changes its group"},
    {"setgroups", SYSTEM, NO_PATH, "changes its groups"},
    {"setfsuid", SYSTEM, NO_PATH, "changes its user"},
    {"setfsgid", SYSTEM, NO_PATH, "changes its group"},
    {"capset", SYSTEM, NO_PATH, "changes its rights"},
    {"setrlimit", SYSTEM, NO_PATH, "changes its limits"},
    {"prlimit64", CMPD_DEED_SYSTEM, CMPD_DEED_SOME_VALUES, NO_PATH, "changes its limits"},
    {"ioctl", CMPD_DEED_SYSTEM, CMPD_DEED_SOME_VALUES, NO_PATH, "types into the terminal"},
    {"seccomp", SYSTEM, NO_PATH, "changes its system call filter"},
    {"landlock_create_ruleset", SYSTEM, NO_PATH, "changes its rights"},
    {"sethostname", SYSTEM, NO_PATH, "changes the machine's name"},
    {"setdomainname", SYSTEM, NO_PATH, "changes the machine's name"},
    {"settimeofday", SYSTEM, NO_PATH, "changes the clock"},
    {"clock_settime", SYSTEM, NO_PATH, "changes the clock"},
    {"clock_adjtime", SYSTEM, NO_PATH, "changes the clock"},
    {"adjtimex", SYSTEM, NO_PATH, "changes the clock"},
    {"io_uring_setup", SYSTEM, NO_PATH, "uses io_uring"},
    {"io_uring_enter", SYSTEM, NO_PATH, "uses io_uring"},
    {"io_uring_register", SYSTEM, NO_PATH, "uses io_uring"},
    {"io_setup", SYSTEM, NO_PATH, "uses asynchronous input and output"},
    {"bpf", SYSTEM, NO_PATH, "loads a program into the kernel"},
    {"perf_event_open", SYSTEM, NO_PATH, "reads performance counters"},
    {"userfaultfd", SYSTEM, NO_PATH, "handles page faults"},
    {"add_key", SYSTEM, NO_PATH, "uses the kernel's keys"},
    {"request_key", SYSTEM, NO_PATH, "uses the kernel's keys"},
    {"keyctl", SYSTEM, NO_PATH, "uses the kernel's keys"},
    {"syslog", SYSTEM, NO_PATH, "reads the kernel's log"},
    {"personality", SYSTEM, NO_PATH, "changes its personality"},
    {"modify_ldt", SYSTEM, NO_PATH, "changes its segments"},
    {"iopl", SYSTEM, NO_PATH, "asks for input and output ports"},
    {"ioperm", SYSTEM, NO_PATH, "asks for input and output ports"},
    {"init_module", SYSTEM, NO_PATH, "loads a kernel module"},
    {"finit_module", SYSTEM, NO_PATH, "loads a kernel module"},
    {"delete_module", SYSTEM, NO_PATH, "removes a kernel module"},
    {"kexec_load", SYSTEM, NO_PATH, "loads a kernel"},
    {"reboot", SYSTEM, NO_PATH, "restarts the machine"},
    {"swapon", SYSTEM, 0, "swaps to"},
    {"swapoff", SYSTEM, 0, "stops swapping to"},
    {"acct", SYSTEM, 0, "keeps accounts in"},
    {"quotactl", SYSTEM, NO_PATH, "changes quotas"},
    {"shmget", SYSTEM, NO_PATH, "shares memory between processes"},
    {"semget", SYSTEM, NO_PATH, "shares semaphores between processes"},
    {"msgget", SYSTEM, NO_PATH, "sends messages between processes"},
    {"mq_open", SYSTEM, 0, "opens the message queue"},
};

const struct cmpd_deed_row *cmpd_deed_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const struct cmpd_deed_row *cmpd_deed_row(const char *call)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].call, call) == 0)
            return &rows[i];
    }
    return NULL;
}

/* ---- what is let through ---- */

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* What the C and C++ libraries look at by themselves; in the jail most of it is not there. */
static bool library_reads(const char *path)
{
    static const char *const exact[] = {"/etc/ld.so.cache",
                                        "/etc/ld.so.preload",
                                        "/etc/localtime",
                                        "/dev/null",
                                        "/dev/zero",
                                        "/dev/random",
                                        "/dev/urandom",
                                        "/proc/self/maps",
                                        "/proc/cpuinfo",
                                        "/proc/meminfo",
                                        "/proc/stat",
                                        "/proc/sys/vm/overcommit_memory",
                                        "/sys/devices/system/cpu"};
    static const char *const below[] = {"/lib/",
                                        "/lib64/",
                                        "/usr/lib/",
                                        "/usr/lib64/",
                                        "/usr/share/locale/",
                                        "/usr/share/zoneinfo/",
                                        "/sys/devices/system/cpu/",
                                        "/sys/devices/system/node/",
                                        "/sys/kernel/mm/transparent_hugepage/"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        if (strcmp(path, exact[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        if (starts(path, below[i]))
            return true;
    }
    return false;
}

/* The file itself, below the folder, or a library looked for beside it. */
static bool request_reads(const struct cmpd_deed_rules *rules, const char *path)
{
    for (size_t i = 0; i < rules->readable_count; i++) {
        const char *r = rules->readable[i];
        size_t n = strlen(r);
        const char *slash = strrchr(r, '/');
        if (strncmp(path, r, n) == 0 && (path[n] == '\0' || path[n] == '/'))
            return true;
        if (slash && strncmp(path, r, (size_t)(slash - r) + 1) == 0 && strstr(path, ".so"))
            return true;
    }
    return false;
}

static bool changes(uint64_t flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

static bool may_open(const struct cmpd_deed_rules *rules, const char *path, bool writes)
{
    if (!path || path[0] != '/' || strstr(path, "/../"))
        return false;
    if (writes)
        return strcmp(path, "/dev/null") == 0 || (rules->may_write && starts(path, "/tmp/"));
    return library_reads(path) || request_reads(rules, path) ||
           (rules->may_write && starts(path, "/tmp/"));
}

/* ---- sentences ---- */

static const char *family(uint64_t f)
{
    switch ((int)f) {
    case AF_UNIX:
        return "local";
    case AF_INET:
        return "IPv4";
    case AF_INET6:
        return "IPv6";
    case AF_NETLINK:
        return "netlink";
    case AF_PACKET:
        return "raw packets";
    case AF_VSOCK:
        return "to the host of the virtual machine";
    default:
        return "of another family";
    }
}

/* Printable and short: it ends in a message. */
static void clean(char *to, size_t size, const char *from)
{
    size_t n = 0;
    for (; from[n] && n + 1 < size; n++)
        to[n] = from[n] >= ' ' && from[n] < 0x7f ? from[n] : '?';
    to[n] = '\0';
    if (from[n] && size > 4)
        memcpy(to + n - 3, "...", 3);
}

static void say(struct cmpd_jail_deed *deed, const struct cmpd_deed_call *c, bool writes)
{
    const struct cmpd_deed_row *row = c->row;
    bool opens = strcmp(row->says, "opens") == 0;
    memset(deed, 0, sizeof *deed);
    deed->kind = row->kind;
    deed->times = 1;
    snprintf(deed->call, sizeof deed->call, "%s", row->call);
    if (row->path >= 0) {
        char path[140];
        clean(path, sizeof path, c->path && *c->path ? c->path : "that has no name");
        const char *verb = opens && writes ? "opens to write" : row->says;
        const char *noun = row->kind == CMPD_DEED_FILE && !strchr(row->says, ' ') ? " the file"
                                                                                  : "";
        snprintf(deed->what, sizeof deed->what, "%s%s %s (%s)", verb, noun, path, row->call);
    } else if (strcmp(row->call, "socket") == 0) {
        snprintf(deed->what, sizeof deed->what, "opens a socket, %s (socket)", family(c->args[0]));
    } else if (strcmp(row->call, "kill") == 0) {
        snprintf(deed->what, sizeof deed->what, "sends signal %d to process %d (kill)",
                 (int)c->args[1], (int)c->args[0]);
    } else {
        snprintf(deed->what, sizeof deed->what, "%s (%s)", row->says, row->call);
    }
}

static int judge_clone(const struct cmpd_deed_rules *rules, const struct cmpd_deed_call *call,
                       struct cmpd_jail_deed *deed)
{
    if (!(call->args[0] & CLONE_THREAD)) {
        say(deed, call, false);
        return EPERM;
    }
    if (call->threads < rules->threads)
        return 0;
    memset(deed, 0, sizeof *deed);
    deed->kind = CMPD_DEED_THREADS;
    deed->times = 1;
    snprintf(deed->call, sizeof deed->call, "clone");
    snprintf(deed->what, sizeof deed->what, "runs more than %u threads (clone)", rules->threads);
    return EAGAIN;
}

int cmpd_deed_judge(const struct cmpd_deed_rules *rules, const struct cmpd_deed_call *call,
                    struct cmpd_jail_deed *deed)
{
    const struct cmpd_deed_row *row = call->row;
    bool writes = false;
    if (row->when == CMPD_DEED_BY_ARGUMENT) {
        if (row->path < 0)
            return judge_clone(rules, call, deed);
        writes = changes(call->args[row->path + 1]);
        if (may_open(rules, call->path, writes) || (call->blind && !writes))
            return 0;
    }
    say(deed, call, writes);
    return row->kind == CMPD_DEED_FILE ? EACCES : EPERM;
}

void cmpd_deed_note(struct cmpd_jail_report *report, const struct cmpd_jail_deed *deed)
{
    report->deed_total++;
    for (size_t i = 0; i < report->deed_count; i++) {
        if (strcmp(report->deeds[i].what, deed->what) == 0) {
            report->deeds[i].times++;
            return;
        }
    }
    if (report->deed_count < CMPD_JAIL_DEEDS_CEILING)
        report->deeds[report->deed_count++] = *deed;
}
