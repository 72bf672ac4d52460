/* What is shown to a person who waits, from a runner's output so far. */
#include "unit/unit.h"

#include "bot/progress.h"

static void check(const char *output, const char *want)
{
    struct cmpd_buf b = CMPD_BUF_INIT;
    cmpd_buf_puts(&b, output);
    char *got = cmpd_progress_of(&b);
    if (want && got)
        assert_string_equal(got, want);
    if (!want != !got)
        fail_msg("'%s' for: %s", got ? got : "(nothing)", output);
    free(got);
    cmpd_buf_clear(&b);
}

#define DEVICE  "{\"event\":\"device\",\"name\":\"emulator\",\"backend\":\"emulator\"}\n"
#define AT(n)   "{\"event\":\"progress\",\"what\":\"n=1\",\"index\":" #n ",\"count\":9}\n"
#define FURTHER "{\"event\":\"case\"}\n"

static void said(void **state)
{
    (void)state;
    check("", NULL);
    check("{\"event\":\"start\"}\n", NULL);
    check(DEVICE AT(1), "running case 1/9 on the emulator");
    check(DEVICE AT(1) FURTHER AT(2) FURTHER, "running case 2/9 on the emulator");
    check(AT(3), "running case 3/9 on the device");
    check(DEVICE AT(4) "{\"event\":\"progress\",\"what\":\"n=", "running case 4/9 on the emulator");
    check(DEVICE AT(10), NULL);
    check(AT(-1), NULL);
    check("{\"event\":\"progress\"\n", NULL);
    check("\n\n\n", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
