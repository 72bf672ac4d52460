/* The subprocess helper: how a child ends is data, and nothing of it is left behind. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/proc.h"

static void shell(const char *script, struct cmpd_proc_spec *spec, struct cmpd_proc_result *r)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const char *const envp[] = {"PATH=/usr/bin:/bin", NULL};
    struct cmpd_err err = {0};
    spec->argv = argv;
    spec->envp = envp;
    if (cmpd_proc_run(spec, r, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
}

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void test_exit_and_output(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    shell("echo out; echo err >&2; exit 7", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_EXITED);
    assert_int_equal(r.exit_status, 7);
    assert_string_equal(cmpd_buf_str(&r.out), "out\n");
    assert_string_equal(cmpd_buf_str(&r.err), "err\n");
    assert_true(r.elapsed_ms > 0 && r.max_rss_kib > 0);
    cmpd_proc_result_clear(&r);
}

static void test_signal(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    shell("kill -SEGV $$", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_SIGNALLED);
    assert_int_equal(r.signal, SIGSEGV);
    cmpd_proc_result_clear(&r);
    shell("kill -KILL $$", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_KILLED);
    cmpd_proc_result_clear(&r);
}

static void test_stdin(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    size_t len = 3u << 20; /* more than a socket holds */
    char *data = cmpd_alloc(len);
    memset(data, 'x', len);
    spec.stdin_data = data;
    spec.stdin_len = len;
    shell("cat", &spec, &r);
    assert_int_equal(r.out.len, len);
    assert_memory_equal(r.out.data, data, len);
    cmpd_proc_result_clear(&r);
    shell("exit 0", &spec, &r); /* nobody reads it: no SIGPIPE */
    assert_int_equal(r.end, CMPD_PROC_EXITED);
    cmpd_proc_result_clear(&r);
    free(data);
    struct cmpd_proc_spec none = CMPD_PROC_SPEC_INIT;
    shell("cat | wc -c", &none, &r);
    assert_string_equal(cmpd_buf_str(&r.out), "0\n");
    cmpd_proc_result_clear(&r);
}

static void test_ceiling(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    spec.stdout_ceiling = 1000;
    shell("head -c 5000000 /dev/zero; echo done >&2", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_EXITED); /* read to the end, so that it can end */
    assert_int_equal(r.out.len, 1000);
    assert_true(r.out.truncated);
    assert_string_equal(cmpd_buf_str(&r.err), "done\n");
    cmpd_proc_result_clear(&r);
}

static void test_deadline(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    spec.deadline_ms = 200;
    shell("echo begun; sleep 60", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_TIMED_OUT);
    assert_string_equal(cmpd_buf_str(&r.out), "begun\n");
    assert_true(r.elapsed_ms < 20000);
    cmpd_proc_result_clear(&r);
    spec.grace_ms = 200;
    shell("trap '' TERM; while :; do sleep 1; done", &spec, &r); /* ignores SIGTERM */
    assert_int_equal(r.end, CMPD_PROC_TIMED_OUT);
    assert_int_equal(r.signal, SIGKILL);
    cmpd_proc_result_clear(&r);
    spec.grace_ms = 20000;
    shell("trap 'echo bye; exit 3' TERM; while :; do sleep 0.05; done", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_TIMED_OUT);
    assert_non_null(strstr(cmpd_buf_str(&r.out), "bye"));
    cmpd_proc_result_clear(&r);
}

/* The number in the file, once it is there. */
static pid_t read_pid(const char *path)
{
    char text[32] = "";
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    assert_true(n > 0);
    return (pid_t)strtol(text, NULL, 10);
}

/* Killed at once, but whoever adopts it takes a moment to reap it. */
static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 100; i++) {
        char path[64], text[512] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        int fd = open(path, O_RDONLY);
        if (fd < 0)
            return true;
        ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        if (n <= 0 || strstr(text, ") Z "))
            return true;
        usleep(50000);
    }
    return false;
}

static void test_group_is_killed(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    char path[] = "/tmp/cmpd-test-XXXXXX", script[256];
    close(mkstemp(path));
    spec.deadline_ms = 1500;
    snprintf(script, sizeof script, "(sleep 300 & echo $! > %s; wait)", path);
    shell(script, &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_TIMED_OUT);
    assert_true(is_gone(read_pid(path)));
    cmpd_proc_result_clear(&r);
    /* A grandchild that holds the pipes must not keep us waiting once its parent has ended. */
    spec.deadline_ms = 60000;
    snprintf(script, sizeof script, "sleep 300 & echo $! > %s", path);
    shell(script, &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_EXITED);
    assert_true(r.elapsed_ms < 30000);
    assert_true(is_gone(read_pid(path)));
    cmpd_proc_result_clear(&r);
    unlink(path);
}

static void test_cancel(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    spec.cancel_fd = eventfd(1, EFD_CLOEXEC);
    shell("sleep 60", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_CANCELLED);
    cmpd_proc_result_clear(&r);
    close(spec.cancel_fd);
}

static void test_lifeline(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    spec.stdin_data = "line\n";
    spec.stdin_len = 5;
    spec.keep_stdin_open = true;
    spec.deadline_ms = 500;
    /* cat would end at once if its input did. */
    shell("cat; echo ended", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_TIMED_OUT);
    assert_string_equal(cmpd_buf_str(&r.out), "line\n");
    cmpd_proc_result_clear(&r);
}

static void test_cannot_start(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    struct cmpd_err err = {0};
    const char *const absent[] = {"/no/such/program", NULL};
    spec.argv = absent;
    assert_int_equal(cmpd_proc_run(&spec, &r, &err), CMPD_EUNAVAIL);
    assert_non_null(strstr(err.msg, "/no/such/program"));
    assert_non_null(strstr(err.msg, "No such file"));
    const char *const program[] = {"/bin/true", NULL};
    spec.argv = program;
    spec.cwd = "/no/such/folder";
    assert_int_equal(cmpd_proc_run(&spec, &r, &err), CMPD_EUNAVAIL);
    assert_non_null(strstr(err.msg, "/no/such/folder"));
    const char *const text[] = {"/etc/passwd", NULL};
    spec.argv = text;
    spec.cwd = NULL;
    assert_int_equal(cmpd_proc_run(&spec, &r, &err), CMPD_EUNAVAIL);
}

static void test_what_the_child_gets(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    int leaked = open("/dev/null", O_RDONLY); /* no O_CLOEXEC */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    setenv("CMPD_SECRET", "s3cret", 1);
    spec.cwd = "/usr";
    shell(
        "ls /proc/self/fd | wc -l; pwd; env | grep -c SECRET; grep -E 'Sig(Blk|Ign)' /proc/self/status",
        &spec, &r);
    /* 0, 1, 2 and the one that ls reads the folder by */
    assert_string_equal(cmpd_buf_str(&r.out),
                        "4\n/usr\n0\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    cmpd_proc_result_clear(&r);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGPIPE, SIG_DFL);
    close(leaked);
}

static void test_limits(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    struct cmpd_proc_result r;
    spec.limits.cpu_s = 1;
    spec.deadline_ms = 120000;
    shell("while :; do :; done", &spec, &r);
    assert_int_equal(r.end, CMPD_PROC_TIMED_OUT);
    cmpd_proc_result_clear(&r);
    struct cmpd_proc_spec files = CMPD_PROC_SPEC_INIT;
    files.limits.open_files = 17;
    files.limits.file_size_bytes = 1024;
    files.limits.address_space_bytes = (uint64_t)1 << 30;
    shell("ulimit -n; ulimit -f; ulimit -v; ulimit -c", &files, &r);
    assert_string_equal(cmpd_buf_str(&r.out), "17\n2\n1048576\n0\n");
    cmpd_proc_result_clear(&r);
}

static void test_no_descriptor_leaks(void **state)
{
    (void)state;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    unsigned before = open_descriptors();
    for (int i = 0; i < 20; i++) {
        struct cmpd_proc_result r;
        const char *const absent[] = {"/no/such/program", NULL};
        spec.stdin_data = "x";
        spec.stdin_len = 1;
        shell("cat", &spec, &r);
        cmpd_proc_result_clear(&r);
        spec.argv = absent;
        assert_int_equal(cmpd_proc_run(&spec, &r, NULL), CMPD_EUNAVAIL);
    }
    assert_int_equal(open_descriptors(), before);
}

static void *in_thread(void *arg)
{
    long *bad = arg;
    for (int i = 0; i < 25; i++) {
        const char *const argv[] = {"/bin/cat", NULL};
        struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
        struct cmpd_proc_result r;
        spec.argv = argv;
        spec.stdin_data = "hello";
        spec.stdin_len = 5;
        spec.deadline_ms = 60000;
        if (cmpd_proc_run(&spec, &r, NULL) != CMPD_OK) {
            (*bad)++;
            continue;
        }
        *bad += r.end != CMPD_PROC_EXITED || strcmp(cmpd_buf_str(&r.out), "hello") != 0;
        cmpd_proc_result_clear(&r);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    long bad[4] = {0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, in_thread, &bad[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(bad[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_and_output), cmocka_unit_test(test_signal),
        cmocka_unit_test(test_stdin),           cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_deadline),        cmocka_unit_test(test_group_is_killed),
        cmocka_unit_test(test_cancel),          cmocka_unit_test(test_lifeline),
        cmocka_unit_test(test_cannot_start),    cmocka_unit_test(test_what_the_child_gets),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_no_descriptor_leaks),
        cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
