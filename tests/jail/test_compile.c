/* The COMPILE profile: what a compiler that was taken over can reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "jail/jailed.h"

static void refused(const char *way, const char *argument)
{
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_COMPILE, way, argument);
    jailed_run(&j);
    if (!jailed_said(&j, "refused "))
        fail_msg("%s: %s%s", way, cmpd_buf_str(&j.result.out), cmpd_buf_str(&j.result.err));
    jailed_clear(&j);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "read_passwd", "proc_environ", "inet",        "inet6",       "netlink", "vsock",
        "packet",      "ptrace",       "type",        "mount",       "unshare", "clone_user",
        "io_uring",    "keyctl",       "bpf",         "perf",        "setuid",  "fill_tmp",
        "fill_shm",    "fill_root",    "own_handler", "descriptors", "limits"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        refused(ways[i], NULL);
}

/* Only the files that were named are there, read-only; what lies beside them is not. */
static void test_sources(void **state)
{
    (void)state;
    static const struct {
        const char *way, *file;
        bool got;
    } rows[] = {{"read_argument", "file.cu", true},
                {"read_argument", "secret", false},
                {"write_argument", "file.cu", false},
                {"remove_argument", "file.cu", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_COMPILE, rows[i].way, NULL);
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", j.sources, rows[i].file);
        j.argv[2] = path;
        jailed_run(&j);
        if (jailed_said(&j, "got ") != rows[i].got)
            fail_msg("%s %s: %s", rows[i].way, rows[i].file, cmpd_buf_str(&j.result.out));
        jailed_clear(&j);
    }
}

/* With all_sources the folder is there, as far as the jail's user may read it; never a home. */
static void test_all_sources(void **state)
{
    (void)state;
    for (int home = 0; home < 2; home++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_COMPILE, "read_argument", NULL);
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/secret", j.sources);
        CMPD_AUTOFREE char *before = cmpd_strdup(getenv("HOME"));
        j.argv[2] = path;
        j.q.all_sources = true;
        assert_int_equal(chmod(j.sources, 0755), 0);
        if (home)
            setenv("HOME", j.sources, 1);
        jailed_run(&j);
        if (jailed_said(&j, "got ") == (home == 1))
            fail_msg("home %d: %s", home, cmpd_buf_str(&j.result.out));
        if (before)
            setenv("HOME", before, 1);
        jailed_clear(&j);
    }
}

/* A link in the repository does not show what lies outside. */
static void test_link_out(void **state)
{
    (void)state;
    struct jailed j;
    struct cmpd_err err = {0};
    jailed_init(&j, CMPD_JAIL_COMPILE, "nothing", NULL);
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/link.cuh", j.sources);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    j.files[0] = "link.cuh";
    assert_int_equal(cmpd_jail_bwrap.run(&j.q, &j.result, &err), CMPD_EUNAVAIL);
    assert_non_null(strstr(err.msg, "leads out of the repository"));
    jailed_clear(&j);
}

static void test_work(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_COMPILE, "write_argument", NULL);
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/here", j.work);
    assert_int_equal(cmpd_file_write_atomic(path, "x", 1, NULL), CMPD_OK);
    assert_int_equal(chmod(path, 0600), 0);
    j.argv[2] = path;
    jailed_run(&j);
    if (!jailed_said(&j, "got "))
        fail_msg("%s", cmpd_buf_str(&j.result.out));
    jailed_clear(&j);
}

static void test_work_is_bounded(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_COMPILE, "fill_argument", NULL);
    j.argv[2] = j.work;
    j.q.work_bytes = 32 << 20;
    jailed_run(&j);
    assert_int_equal(j.report.limit, CMPD_JAIL_LIMIT_FILE);
    assert_int_equal(j.result.end, CMPD_PROC_KILLED);
    jailed_clear(&j);
}

/* It may start processes; none of them outlives it, and it can't hit what is outside. */
static void test_processes(void **state)
{
    (void)state;
    static const char *const ways[] = {"daemon", "fork_bomb", "kill_all"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_COMPILE, ways[i], NULL);
        j.q.deadline_ms = 2000;
        jailed_run(&j);
        if (!jailed_gone(j.program))
            fail_msg("%s: %zu left", ways[i], jailed_alive(j.program));
        jailed_clear(&j);
    }
}

static size_t most_alive;

static void count_alive(void *ctx, uint64_t elapsed_ms)
{
    (void)elapsed_ms;
    size_t alive = jailed_alive(ctx);
    if (alive > most_alive)
        most_alive = alive;
}

static void test_fork_bomb_is_bounded(void **state)
{
    (void)state;
    struct jailed j;
    jailed_init(&j, CMPD_JAIL_COMPILE, "fork_bomb", NULL);
    j.q.deadline_ms = 2500;
    j.q.on_tick = count_alive;
    j.q.tick_ctx = j.program;
    jailed_run(&j);
    assert_int_equal(j.report.limit, CMPD_JAIL_LIMIT_TIME);
    assert_in_range(most_alive, 2, 300);
    assert_true(jailed_gone(j.program));
    jailed_clear(&j);
}

static void test_daemons_in_a_row(void **state)
{
    (void)state;
    size_t before = jailed_descriptors();
    char *program = NULL;
    for (int i = 0; i < 100; i++) {
        struct jailed j;
        jailed_init(&j, CMPD_JAIL_COMPILE, i % 2 ? "daemon" : "read_passwd", NULL);
        jailed_run(&j);
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
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_all_sources),
        cmocka_unit_test(test_link_out),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_work_is_bounded),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_fork_bomb_is_bounded),
        cmocka_unit_test(test_daemons_in_a_row),
    };
    jailed_need();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
