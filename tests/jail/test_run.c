/* The RUN profile: what the candidate's host code can and can't do, and that each deed is named. */
#include <pthread.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "jail/jailed.h"

/* Refused, and named with `part`. */
struct row {
    const char *way, *argument, *part;
    enum cmpd_jail_deed_kind kind;
};

static const struct row rows[] = {
    {"read_passwd", NULL, "opens the file /etc/passwd (open", CMPD_DEED_FILE},
    {"read_argument", "/home/somebody/.ssh/id", "opens the file /home/somebody/.ssh/id",
     CMPD_DEED_FILE},
    {"write_argument", "/home/somebody/repo/x.cu", "opens to write the file /home/somebody/repo",
     CMPD_DEED_FILE},
    {"remove_argument", "/home/somebody/repo", "removes the file /home/somebody/repo (unlink",
     CMPD_DEED_FILE},
    {"make_tmp", NULL, "opens to write the file /tmp/made", CMPD_DEED_FILE},
    {"fill_tmp", NULL, "opens to write the file /tmp/full", CMPD_DEED_FILE},
    {"fill_shm", NULL, "opens to write the file /dev/shm/full", CMPD_DEED_FILE},
    {"proc_environ", NULL, "opens the file /proc/1/environ", CMPD_DEED_FILE},
    {"own_handler", NULL, "opens the file /etc/shadow", CMPD_DEED_FILE},
    {"undumpable", NULL, "opens the file /etc/group", CMPD_DEED_FILE},
    {"inet", NULL, "opens a socket, IPv4 (socket)", CMPD_DEED_NETWORK},
    {"inet6", NULL, "opens a socket, IPv6 (socket)", CMPD_DEED_NETWORK},
    {"unix", NULL, "opens a socket, local (socket)", CMPD_DEED_NETWORK},
    {"netlink", NULL, "opens a socket, netlink (socket)", CMPD_DEED_NETWORK},
    {"vsock", NULL, "opens a socket, to the host", CMPD_DEED_NETWORK},
    {"packet", NULL, "opens a socket, raw packets (socket)", CMPD_DEED_NETWORK},
    {"ptrace", NULL, "traces a process (ptrace)", CMPD_DEED_PROCESS},
    {"kill_all", NULL, "sends signal 9 to process -1 (kill)", CMPD_DEED_PROCESS},
    {"fork", NULL, "starts a process (", CMPD_DEED_PROCESS},
    {"daemon", NULL, "starts a process (", CMPD_DEED_PROCESS},
    {"system", NULL, "starts a process (", CMPD_DEED_PROCESS},
    {"exec", NULL, "starts the program /bin/sh (execve)", CMPD_DEED_PROGRAM},
    {"type", NULL, "types into the terminal (ioctl)", CMPD_DEED_SYSTEM},
    {"mount", NULL, "mounts on /tmp (mount)", CMPD_DEED_SYSTEM},
    {"unshare", NULL, "changes its namespaces (unshare)", CMPD_DEED_SYSTEM},
    {"clone_user", NULL, "starts a process (clone)", CMPD_DEED_PROCESS},
    {"io_uring", NULL, "uses io_uring (io_uring_setup)", CMPD_DEED_SYSTEM},
    {"keyctl", NULL, "uses the kernel's keys (keyctl)", CMPD_DEED_SYSTEM},
    {"bpf", NULL, "(bpf)", CMPD_DEED_SYSTEM},
    {"perf", NULL, "(perf_event_open)", CMPD_DEED_SYSTEM},
    {"setuid", NULL, "changes its user (setuid)", CMPD_DEED_SYSTEM},
    {"limits", NULL, "changes its limits (", CMPD_DEED_SYSTEM},
    {"own_filter", NULL, "changes its system call filter (seccomp)", CMPD_DEED_SYSTEM},
};

static void test_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_RUN, rows[i].way, rows[i].argument);
        jailed_run(&j);
        if (!j.report.confined || !jailed_said(&j, "refused ") || !j.report.deed_count)
            fail_msg("%s: %s%s", rows[i].way, cmpd_buf_str(&j.result.out),
                     cmpd_buf_str(&j.result.err));
        if (j.report.watched && !jailed_deed(&j, rows[i].part))
            fail_msg("%s: said '%s', not '%s'", rows[i].way, j.report.deeds[0].what, rows[i].part);
        assert_int_equal(j.report.deeds[0].kind, rows[i].kind);
        jailed_clear(&j);
    }
}

static void test_honest(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "honest", NULL);
    jailed_run(&j);
    if (j.report.deed_count)
        fail_msg("a deed: %s", j.report.deeds[0].what);
    if (!jailed_said(&j, "got honest"))
        fail_msg("%s%s", cmpd_buf_str(&j.result.out), cmpd_buf_str(&j.result.err));
    assert_true(jailed_said(&j, "hello nobody 0"));
    assert_true(j.report.confined);
    assert_int_equal(j.report.limit, CMPD_JAIL_WITHIN);
    jailed_clear(&j);
}

static void test_nothing_there(void **state)
{
    (void)state;
    static const char *const ways[] = {"descriptors", "race", "fake_results", "kill_init",
                                       "fill_root"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_RUN, ways[i], NULL);
        j.q.limits.address_space_bytes = (uint64_t)1 << 30;
        jailed_run(&j);
        /* Descriptor 3 is the request's (here /dev/null), no more. */
        bool only_three = jailed_said(&j, "descriptor 3\n") && !jailed_said(&j, "descriptor 4") &&
                          !jailed_said(&j, "descriptor 5");
        if (strcmp(ways[i], "descriptors") == 0 ? !only_three : !jailed_said(&j, "refused "))
            fail_msg("%s: %s%s", ways[i], cmpd_buf_str(&j.result.out), cmpd_buf_str(&j.result.err));
        jailed_clear(&j);
    }
}

static void expect_limit(const char *way, enum cmpd_jail_limit limit, uint64_t deadline_ms)
{
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, way, NULL);
    j.q.deadline_ms = deadline_ms;
    j.q.limits.cpu_s = 1;
    j.q.threads = 16;
    jailed_run(&j);
    if (j.report.limit != limit)
        fail_msg("%s: limit %d, %d was to be expected; %s", way, (int)j.report.limit, (int)limit,
                 cmpd_buf_str(&j.result.out));
    char *program = strdup(j.program);
    jailed_clear(&j);
    assert_true(jailed_gone(program));
    free(program);
}

static void test_limits(void **state)
{
    (void)state;
    expect_limit("loop", CMPD_JAIL_LIMIT_CPU, 20000);
    expect_limit("loop", CMPD_JAIL_LIMIT_TIME, 300);
    expect_limit("sleep", CMPD_JAIL_LIMIT_TIME, 300);
    expect_limit("memory", CMPD_JAIL_LIMIT_MEMORY, 20000);
    expect_limit("flood", CMPD_JAIL_LIMIT_OUTPUT, 20000);
    expect_limit("fork_bomb", CMPD_JAIL_LIMIT_DEEDS, 20000);
    expect_limit("thread_bomb", CMPD_JAIL_LIMIT_THREADS, 20000);
}

/* Memory that is promised is no memory that is used. */
static void test_resident(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "memory", NULL);
    j.q.limits.address_space_bytes = (uint64_t)8 << 30;
    j.q.resident_bytes = 128 << 20;
    jailed_run(&j);
    assert_int_equal(j.report.limit, CMPD_JAIL_LIMIT_MEMORY);
    assert_int_equal(j.result.end, CMPD_PROC_KILLED);
    jailed_clear(&j);
}

static void test_ends(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "exit", NULL);
    jailed_run(&j);
    assert_int_equal(j.result.end, CMPD_PROC_EXITED);
    assert_int_equal(j.result.exit_status, 0);
    assert_false(jailed_said(&j, "exit"));
    jailed_clear(&j);
    jailed_init(&j, CMPD_JAIL_RUN, "stack", NULL);
    jailed_run(&j);
    assert_int_equal(j.result.end, CMPD_PROC_SIGNALLED);
    assert_int_equal(j.result.signal, SIGSEGV);
    assert_int_equal(j.report.limit, CMPD_JAIL_WITHIN);
    jailed_clear(&j);
    jailed_init(&j, CMPD_JAIL_RUN, "old_abi", NULL);
    jailed_run(&j);
    assert_int_equal(j.result.end, CMPD_PROC_SIGNALLED);
    assert_int_equal(j.result.signal, SIGSYS);
    jailed_clear(&j);
}

/* A constructor that ends the process: seen as an end without the last word. */
static void test_early_exit(void **state)
{
    (void)state;
    const char *given = getenv("CMPD_EARLY_LIBRARY");
    char *library = realpath(given ? given : EARLY_LIBRARY, NULL);
    assert_non_null(library);
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "load", library);
    j.readable[1] = library;
    j.q.readable_count = 2;
    jailed_run(&j);
    assert_true(j.report.confined);
    assert_int_equal(j.report.deed_count, 0);
    assert_int_equal(j.result.end, CMPD_PROC_EXITED);
    assert_int_equal(j.result.exit_status, 0);
    assert_int_equal(j.result.out.len, 0); /* neither got nor refused */
    jailed_clear(&j);
    free(library);
}

static void test_may_write(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "fill_tmp", NULL);
    j.q.may_write = true;
    j.q.tmp_bytes = 4 << 20;
    jailed_run(&j);
    assert_int_equal(j.report.deed_count, 0);
    if (!jailed_said(&j, "filled 4 MiB") && !jailed_said(&j, "filled 3 MiB"))
        fail_msg("%s", cmpd_buf_str(&j.result.out));
    jailed_clear(&j);
}

/* Another program than the one that was named isn't there, and can't be started. */
static void test_exec_self(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "exec_self", NULL);
    j.argv[2] = j.program;
    jailed_run(&j);
    assert_true(jailed_said(&j, "refused exec_self"));
    assert_true(jailed_deed(&j, "starts the program "));
    jailed_clear(&j);
}

/* As root: what a program in the jail left as a link isn't followed with root's rights. */
static void test_link_of_another(void **state)
{
    (void)state;
    struct jailed j;
    struct cmpd_err err = {0};
    char place[] = "/tmp/cmpd-link-XXXXXX", link[64];
    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(place));
    snprintf(link, sizeof link, "%s/library.so", place);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(lchown(link, 65520, 65520), 0);
    jailed_init(&j, CMPD_JAIL_RUN, "read_argument", link);
    j.readable[1] = link;
    j.q.readable_count = 2;
    assert_int_equal(cmpd_jail_bwrap.run(&j.q, &j.result, &err), CMPD_EUNAVAIL);
    assert_non_null(strstr(err.msg, "link of another user"));
    jailed_clear(&j);
    unlink(link);
    rmdir(place);
}

/* One listener a process: under somebody else's there is none of ours, and calls just fail. */
static void listen_already(void)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
    if (!ctx || seccomp_rule_add(ctx, SCMP_ACT_NOTIFY, SCMP_SYS(acct), 0) != 0 ||
        seccomp_load(ctx) != 0)
        _exit(77);
    seccomp_release(ctx);
}

static void test_unwatched(void **state)
{
    (void)state;
    static const char *const ways[] = {"honest", "read_passwd", "make_tmp", "inet",    "fork",
                                       "exec",   "ptrace",      "kill_all", "io_uring"};
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        listen_already();
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            struct jailed j;
            jailed_init(&j, CMPD_JAIL_RUN, ways[i], NULL);
            if (cmpd_jail_bwrap.run(&j.q, &j.result, NULL) != CMPD_OK || !j.report.confined ||
                j.report.watched || jailed_said(&j, "got ") != (i == 0))
                _exit(1 + (int)i);
            jailed_clear(&j);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void test_talk(void **state)
{
    (void)state;
    int pair[2];
    char byte = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(send(pair[0], "y", 1, 0), 1);
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "talk", NULL);
    j.q.pass_fd_take = pair[1];
    jailed_run(&j);
    assert_true(jailed_said(&j, "got talk"));
    assert_int_equal(recv(pair[0], &byte, 1, 0), 1);
    assert_int_equal(byte, 'x');
    assert_int_equal(recv(pair[0], &byte, 1, 0), 0); /* ours is the last end */
    close(pair[0]);
    jailed_clear(&j);
}

static void test_cancel(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "sleep", NULL);
    j.q.cancel_fd = ends[0];
    jailed_run(&j);
    assert_int_equal(j.result.end, CMPD_PROC_CANCELLED);
    assert_true(j.result.elapsed_ms < 5000);
    assert_true(jailed_gone(j.program));
    jailed_clear(&j);
    close(ends[0]);
}

/* A runner that is killed takes its jail with it. */
static void test_killed_runner(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_RUN, "sleep", NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        jailed_run(&j);
        _exit(1);
    }
    for (int i = 0; i < 500 && jailed_alive(j.program) == 0; i++)
        usleep(10000);
    usleep(50000);
    assert_true(jailed_alive(j.program) > 0);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(jailed_gone(j.program));
    jailed_clear(&j);
}

static void *some_runs(void *ctx)
{
    bool *good = ctx;
    for (int i = 0; i < 10; i++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_RUN, i % 2 ? "honest" : "read_passwd", NULL);
        if (cmpd_jail_bwrap.run(&j.q, &j.result, NULL) != CMPD_OK || !j.report.confined ||
            j.report.deed_count != (i % 2 ? 0 : 1))
            *good = false;
        jailed_clear(&j);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    bool good[4] = {true, true, true, true};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, some_runs, &good[i]), 0);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(good[i]);
    }
}

static void test_many(void **state)
{
    (void)state;
    static const char *const ways[] = {"daemon", "fork_bomb", "read_passwd", "exit",
                                       "stack",  "kill_all",  "honest",      "inet"};
    size_t before = jailed_descriptors();
    char *program = NULL;
    for (int i = 0; i < 200; i++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_RUN, ways[(size_t)i % (sizeof ways / sizeof ways[0])], NULL);
        jailed_run(&j);
        assert_true(j.report.confined);
        if (!program)
            program = strdup(j.program);
        jailed_clear(&j);
    }
    assert_true(jailed_gone(program));
    assert_int_equal(jailed_descriptors(), before);
    free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest),        cmocka_unit_test(test_named),
        cmocka_unit_test(test_nothing_there), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_resident),      cmocka_unit_test(test_ends),
        cmocka_unit_test(test_early_exit),    cmocka_unit_test(test_may_write),
        cmocka_unit_test(test_exec_self),     cmocka_unit_test(test_talk),
        cmocka_unit_test(test_unwatched),     cmocka_unit_test(test_link_of_another),
        cmocka_unit_test(test_cancel),        cmocka_unit_test(test_killed_runner),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_many),
    };
    jailed_need();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
