/* What is a deed, and its sentence: without a jail. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu-runner/jail/deeds.h"
#include "gpu-runner/jail/filter.h"

static const char *const readable[] = {"/build/bin/candidate", "/work/a/candidate.so", "/data"};

static struct cmpd_deed_rules plain_rules(void)
{
    struct cmpd_deed_rules r = {.readable = readable, .readable_count = 3, .threads = 2};
    return r;
}

static int judge_open(const char *path, uint64_t flags, bool may_write, struct cmpd_jail_deed *deed)
{
    struct cmpd_deed_rules r = plain_rules();
    r.may_write = may_write;
    struct cmpd_deed_call c = {.row = cmpd_deed_row("openat"), .args = {0, 1, flags}, .path = path};
    return cmpd_deed_judge(&r, &c, deed);
}

static void test_open(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint64_t flags;
        bool may_write, through;
    } rows[] = {
        {"/usr/lib/x86_64-linux-gnu/libm.so.6", O_RDONLY | O_CLOEXEC, false, true},
        {"/lib/x86_64-linux-gnu/../../etc/passwd", O_RDONLY, false, false},
        {"/work/a/candidate.so", O_RDONLY, false, true},
        {"/work/a/candidate.so", O_RDWR, false, false},
        {"/work/a/glibc-hwcaps/x86-64-v3/libcudart.so.13", O_RDONLY, false, true},
        {"/work/a/answers.txt", O_RDONLY, false, false},
        {"/data", O_RDONLY | O_DIRECTORY, false, true},
        {"/data/x", O_RDONLY, false, true},
        {"/data2", O_RDONLY, false, false},
        {"/dev/null", O_WRONLY, false, true},
        {"/dev/tty", O_RDWR, false, false},
        {"/tmp/x", O_WRONLY | O_CREAT, false, false},
        {"/tmp/x", O_WRONLY | O_CREAT, true, true},
        {"/tmp/../etc/x", O_WRONLY | O_CREAT, true, false},
        {"/etc/passwd", O_RDONLY, true, false},
        {"relative", O_RDONLY, true, false},
        {NULL, O_RDONLY, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cmpd_jail_deed deed;
        int rc = judge_open(rows[i].path, rows[i].flags, rows[i].may_write, &deed);
        if ((rc == 0) != rows[i].through)
            fail_msg("row %zu: %s gives %d", i, rows[i].path ? rows[i].path : "NULL", rc);
    }
}

/* Where no path can be read, opening to read must still work, for libraries. */
static void test_blind(void **state)
{
    (void)state;
    struct cmpd_deed_rules r = plain_rules();
    struct cmpd_jail_deed deed;
    struct cmpd_deed_call c = {
        .row = cmpd_deed_row("openat"), .args = {0, 1, O_RDONLY}, .blind = true};
    assert_int_equal(cmpd_deed_judge(&r, &c, &deed), 0);
    c.args[2] = O_WRONLY | O_CREAT;
    assert_int_equal(cmpd_deed_judge(&r, &c, &deed), EACCES);
}

static void test_sentences(void **state)
{
    (void)state;
    struct cmpd_jail_deed deed;
    assert_int_equal(judge_open("/etc/passwd", O_RDONLY, false, &deed), EACCES);
    assert_string_equal(deed.what, "opens the file /etc/passwd (openat)");
    assert_int_equal(judge_open("/home/u/x", O_WRONLY, false, &deed), EACCES);
    assert_string_equal(deed.what, "opens to write the file /home/u/x (openat)");
    assert_int_equal(judge_open("/a\nb\x01", O_RDONLY, false, &deed), EACCES);
    assert_string_equal(deed.what, "opens the file /a?b? (openat)");
    char longest[600];
    memset(longest, 'a', sizeof longest - 1);
    longest[0] = '/';
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(judge_open(longest, O_RDONLY, false, &deed), EACCES);
    assert_non_null(strstr(deed.what, "... (openat)"));
}

static void test_threads(void **state)
{
    (void)state;
    struct cmpd_deed_rules r = plain_rules();
    struct cmpd_jail_deed deed;
    struct cmpd_deed_call thread = {.row = cmpd_deed_row("clone"),
                                    .args = {CLONE_THREAD | CLONE_VM}};
    struct cmpd_deed_call fork = {.row = cmpd_deed_row("clone"), .args = {17}};
    thread.threads = 1;
    assert_int_equal(cmpd_deed_judge(&r, &thread, &deed), 0);
    thread.threads = 2;
    assert_int_equal(cmpd_deed_judge(&r, &thread, &deed), EAGAIN);
    assert_int_equal(deed.kind, CMPD_DEED_THREADS);
    assert_int_equal(cmpd_deed_judge(&r, &fork, &deed), EPERM);
    assert_string_equal(deed.what, "starts a process (clone)");
}

static void test_notes(void **state)
{
    (void)state;
    struct cmpd_jail_report report;
    struct cmpd_jail_deed deed;
    memset(&report, 0, sizeof report);
    memset(&deed, 0, sizeof deed);
    deed.times = 1;
    for (int i = 0; i < 100; i++) {
        snprintf(deed.what, sizeof deed.what, "does %d", i / 2);
        cmpd_deed_note(&report, &deed);
    }
    assert_int_equal(report.deed_count, CMPD_JAIL_DEEDS_CEILING);
    assert_int_equal(report.deed_total, 100);
    assert_int_equal(report.deeds[0].times, 2);
}

/* Every row is a call of its own, and the filters can be built. */
static void test_table(void **state)
{
    (void)state;
    size_t count;
    const struct cmpd_deed_row *rows = cmpd_deed_rows(&count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(cmpd_deed_row(rows[i].call), &rows[i]);
        assert_true(strlen(rows[i].call) < sizeof(((struct cmpd_jail_deed *)0)->call));
    }
    struct cmpd_err err = {0};
    for (int i = 0; i < CMPD_FILTER_COUNT; i++) {
        const struct cmpd_buf *b;
        if (cmpd_filter_get((enum cmpd_filter_kind)i, &b, &err) != CMPD_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(b->len % 8, 0);
        assert_true(b->len / 8 > 50 && b->len / 8 < 4096);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),  cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_blind), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_notes), cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
