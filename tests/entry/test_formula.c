/* Formulas of launches: C's values, C's precedence, and nothing from what can't be read. */
#include "unit/unit.h"

#include "gpu-runner/entry/formula.h"

static const struct cmpd_formula_value names[] = {
    {"n", 1000}, {"rows", 3}, {"cols", 17}, {"_x1", -4}};

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"1", 1},
        {" 0x10 ", 16},
        {"010", 8},
        {"5u", 5},
        {"(n + 255) / 256", 4},
        {"ceil_div(n, 256)", 4},
        {"ceil_div(1024, 256)", 4},
        {"ceil_div(-7, 2)", -3},
        {"rows*cols", 51},
        {"n - rows - cols", 980},
        {"2 + 3 * 4 - 1", 13},
        {"100 / 7 % 4", 2},
        {"1 << 3 + 1", 16},
        {"256 >> 2 >> 1", 32},
        {"n > 512 ? 512 : n", 512},
        {"rows > 512 ? 512 : rows", 3},
        {"1 ? 2 : 0 ? 3 : 4", 2},
        {"min(n, 64) + max(rows, cols)", 81},
        {"-rows + ~0 + !0", -3},
        {"n == 1000 && rows != 4 || 0", 1},
        {"1 & 3 | 4 ^ 1", 5},
        {"rows <= 3", 1},
        {"threads[256]", 256},
        {"n[5]", 1000},
        {"blocks[(n + 1) / 2]", 500},
        {"cols == 0 ? 1 / 0 : 9", 9},
        {"0 && 1 / 0", 0},
        {"1 || 1 / 0", 1},
        {"_x1", -4},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cmpd_err err = {0};
        int64_t v = 0;
        if (cmpd_formula_eval(rows[i].text, names, COUNT(names), &v, &err) != CMPD_OK)
            fail_msg("%s: %s", rows[i].text, err.msg);
        if (v != rows[i].value)
            fail_msg("%s is %lld, not %lld", rows[i].text, (long long)v, (long long)rows[i].value);
    }
}

static void refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "n +",
                                        "(n",
                                        "n)",
                                        "m",
                                        "n / 0",
                                        "n % (rows - 3)",
                                        "1.5",
                                        "min(n)",
                                        "f(1, 2)",
                                        "n n",
                                        "1 ? 2",
                                        "n[",
                                        "m[1",
                                        "1 << 63",
                                        "1 << -1",
                                        "9223372036854775807 + 1",
                                        "9223372036854775807 * 2",
                                        "9223372036854775808",
                                        "0x",
                                        "$(id)",
                                        "n; 1",
                                        "'a'",
                                        "3x",
                                        "=",
                                        "-9223372036854775807 - 2"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct cmpd_err err = {0};
        int64_t v = 77;
        if (cmpd_formula_eval(texts[i], names, COUNT(names), &v, &err) != CMPD_EINPUT)
            fail_msg("taken: '%s' as %lld", texts[i], (long long)v);
        assert_int_equal(v, 77);
        assert_true(err.msg[0] != '\0');
    }
}

static void deep(void **state)
{
    (void)state;
    char text[1500];
    int64_t v;
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(cmpd_formula_eval(text, NULL, 0, &v, NULL), CMPD_EINPUT);
    memset(text, '-', sizeof text - 1);
    assert_int_equal(cmpd_formula_eval(text, NULL, 0, &v, NULL), CMPD_EINPUT);
}

static void split(void **state)
{
    (void)state;
    char *out[3];
    assert_int_equal(cmpd_formula_split3("min(a, b), c[max(1, 2)]", out, NULL), CMPD_OK);
    assert_string_equal(out[0], "min(a, b)");
    assert_string_equal(out[1], " c[max(1, 2)]");
    assert_string_equal(out[2], "1");
    for (int i = 0; i < 3; i++)
        free(out[i]);
    assert_int_equal(cmpd_formula_split3("1,2,3,4", out, NULL), CMPD_EINPUT);
    assert_null(out[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(refused),
                                       cmocka_unit_test(deep), cmocka_unit_test(split)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
