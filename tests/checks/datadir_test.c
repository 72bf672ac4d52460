#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/datadir.h"

static void test_build_tree_is_found_beside_the_executable(void **state)
{
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    struct cmpd_err err;

    (void)state;
    unsetenv("CMPD_DATADIR");
    assert_int_equal(cmpd_datadir_path("config", &path, &err), CMPD_OK);
    assert_non_null(strstr(cmpd_buf_str(&path), "/share/cmpd/config"));
    assert_int_equal(access(cmpd_buf_str(&path), R_OK), 0);
}

static void test_environment_comes_first(void **state)
{
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    struct cmpd_err err;

    (void)state;
    setenv("CMPD_DATADIR", "/proc/self", 1);
    assert_int_equal(cmpd_datadir_path("status", &path, &err), CMPD_OK);
    assert_string_equal(cmpd_buf_str(&path), "/proc/self/status");
    setenv("CMPD_DATADIR", "", 1);
    assert_int_equal(cmpd_datadir_path("config", &path, &err), CMPD_OK);
    unsetenv("CMPD_DATADIR");
}

static void test_missing_file_leaves_out_untouched(void **state)
{
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    struct cmpd_err err;

    (void)state;
    cmpd_buf_puts(&path, "before");
    assert_int_equal(cmpd_datadir_path("config/no-such-file.json", &path, &err), CMPD_ENOENT);
    assert_non_null(strstr(err.msg, "no-such-file.json"));
    assert_string_equal(cmpd_buf_str(&path), "before");
}

static void test_outside_is_refused(void **state)
{
    static const char *const bad[] = {"",     "/etc/passwd",    "..",
                                      "../x", "config/../../x", "config/.."};
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    struct cmpd_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cmpd_datadir_path(bad[i], &path, &err), CMPD_EUSAGE);
    assert_int_equal(cmpd_datadir_path("config/..x", &path, &err), CMPD_ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build_tree_is_found_beside_the_executable),
        cmocka_unit_test(test_environment_comes_first),
        cmocka_unit_test(test_missing_file_leaves_out_untouched),
        cmocka_unit_test(test_outside_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
