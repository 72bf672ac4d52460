/* The job that a runner reads and the events that it writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu-runner/job/events.h"
#include "gpu-runner/job/job.h"

#define JOB(more)                                                                    \
    "{\"schema\":\"cmpd.job.v1\",\"nonce\":\"n\",\"root\":\"/r\",\"file\":\"a.cu\"," \
    "\"stages\":[\"compile\"]," more "}"

static void test_job_defaults(void **state)
{
    (void)state;
    const char *text = JOB("\"nvcc\":[{}]");
    struct cmpd_job *job = NULL;
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_job_parse(text, strlen(text), &job, &err), CMPD_OK);
    assert_int_equal(job->nvcc_count, 1);
    assert_string_equal(job->nvcc[0].path, "/usr/local/cuda/bin/nvcc");
    assert_string_equal(job->nvcc[0].std, "c++17");
    assert_string_equal(job->nvcc[0].arch, "sm_80");
    assert_string_equal(job->nvcc[0].opt, "-O2");
    assert_int_equal(job->nvcc[0].timeout_s, 120);
    assert_true(job->cache && job->lifeline && job->compile);
    cmpd_job_free(job);
}

static void test_job_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "not JSON"},
        {"[]", "must be an object"},
        {"{}", "schema: is missing"},
        {"{\"schema\":\"cmpd.job.v9\"}", "this runner knows cmpd.job.v1"},
        {JOB("\"nvcc\":[]"), "1 to 16"},
        {JOB("\"nvcc\":{}"), "1 to 16"},
        {JOB("\"nvcc\":[1]"), "list of objects"},
        {JOB("\"nvcc\":[{}],\"extra\":1"), "unknown key extra"},
        {JOB("\"nvcc\":[{\"paths\":1}]"), "unknown key paths in nvcc"},
        {JOB("\"nvcc\":[{\"path\":\"nvcc\"}]"), "absolute"},
        {JOB("\"nvcc\":[{\"std\":\"c++99\"}]"), "std"},
        {JOB("\"nvcc\":[{\"arch\":\"80; rm\"}]"), "arch"},
        {JOB("\"nvcc\":[{\"opt\":\"-Ofast\"}]"), "opt"},
        {JOB("\"nvcc\":[{\"include\":[\"../x\"]}]"), "include"},
        {JOB("\"nvcc\":[{\"include\":[\"a$(b)\"]}]"), "shell"},
        {JOB("\"nvcc\":[{\"define\":[\"X=`id`\"]}]"), "shell"},
        {JOB("\"nvcc\":[{\"define\":[\"X=1,Y=2\"]}]"), "shell"},
        {JOB("\"nvcc\":[{\"flags\":[\"-ccbin=/tmp/x\"]}]"), "flags"},
        {JOB("\"nvcc\":[{\"timeout_s\":0}]"), "timeout_s"},
        {JOB("\"nvcc\":[{\"timeout_s\":1e9}]"), "timeout_s"},
        {JOB("\"nvcc\":[{\"rdc\":1}]"), "rdc"},
        {JOB("\"nvcc\":[{}],\"cache\":\"no\""), "cache"},
        {JOB("\"nvcc\":[{}],\"cache\":true,\"cache\":true"), "not JSON"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cmpd_job *job = NULL;
        struct cmpd_err err = {0};
        if (cmpd_job_parse(rows[i].text, strlen(rows[i].text), &job, &err) != CMPD_EINPUT)
            fail_msg("taken: %s", rows[i].text);
        if (!strstr(err.msg, rows[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.msg, rows[i].says);
        assert_null(job);
    }
}

#define PLACED(nonce, root, file, stages)                                        \
    "{\"schema\":\"cmpd.job.v1\",\"nonce\":\"" nonce "\",\"root\":\"" root "\"," \
    "\"file\":\"" file "\",\"stages\":[" stages "],\"nvcc\":[{}]}"

static void test_job_paths(void **state)
{
    (void)state;
    static const char *const texts[] = {
        PLACED("n", "r", "a.cu", "\"compile\""),    PLACED("n", "/r", "../a.cu", "\"compile\""),
        PLACED("n", "/r", "/a.cu", "\"compile\""),  PLACED("", "/r", "a.cu", "\"compile\""),
        PLACED("a b", "/r", "a.cu", "\"compile\""), PLACED("n", "/r", "a\\u0000.cu", "\"compile\""),
        PLACED("n", "/r", "a.cu", "\"dance\""),     PLACED("n", "/r", "a.cu", "")};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cmpd_job *job = NULL;
        struct cmpd_err err = {0};
        if (cmpd_job_parse(texts[i], strlen(texts[i]), &job, &err) != CMPD_EINPUT)
            fail_msg("taken: %s", texts[i]);
    }
}

static void test_job_round_trip(void **state)
{
    (void)state;
    const char *text = JOB(
        "\"nvcc\":[{\"arch\":\"sm_90a\",\"include\":[\"inc\"],\"define\":[\"A=1\"],"
        "\"flags\":[\"--extended-lambda\"],\"rdc\":true,\"timeout_s\":7,\"memory_mib\":512},{}],"
        "\"cache\":false,\"lifeline\":false");
    struct cmpd_job *job = NULL, *again = NULL;
    CMPD_BUF_AUTO struct cmpd_buf one = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf two = CMPD_BUF_INIT;
    assert_int_equal(cmpd_job_parse(text, strlen(text), &job, NULL), CMPD_OK);
    assert_int_equal(cmpd_job_encode(job, &one, NULL), CMPD_OK);
    assert_int_equal(one.data[one.len - 1], '\n');
    assert_null(memchr(one.data, '\n', one.len - 1));
    assert_int_equal(cmpd_job_parse(one.data, one.len, &again, NULL), CMPD_OK);
    assert_int_equal(cmpd_job_encode(again, &two, NULL), CMPD_OK);
    assert_string_equal(one.data, two.data);
    assert_true(again->nvcc[0].rdc && !again->cache && !again->lifeline);
    assert_int_equal(again->nvcc[0].timeout_s, 7);
    cmpd_job_free(job);
    cmpd_job_free(again);
}

#define START    "{\"event\":\"start\",\"jail\":\"none\"}\n"
#define COMPILED "{\"event\":\"compile\",\"ok\":true,\"elapsed_ms\":9,\"arch\":\"sm_80\"}\n"
#define FOUND \
    "{\"event\":\"finding\",\"tag\":\"compile_error\",\"line\":3,\"column\":4,\"message\":\"m\",\"hint\":\"h\"}\n"

static void test_events(void **state)
{
    (void)state;
    const char *text = START COMPILED FOUND
        "{\"event\":\"of a later version\"}\n{\"end\":\"n\",\"lines\":4}\n";
    struct cmpd_events e;
    struct cmpd_err err = {0};
    if (cmpd_events_parse(text, strlen(text), "n", &e, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(e.compile_count, 1);
    assert_true(e.compiles[0].ok);
    assert_string_equal(e.compiles[0].arch, "sm_80");
    assert_int_equal(e.finding_count, 1);
    assert_int_equal(e.findings[0].tag, CMPD_TAG_compile_error);
    assert_int_equal(e.findings[0].line, 3);
    assert_string_equal(e.findings[0].hint, "h");
    assert_string_equal(e.jail, "none");
    cmpd_events_clear(&e);
}

static void test_events_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        START,
        START COMPILED, /* no end record */
        START "{\"end\":\"other\",\"lines\":1}\n",
        START "{\"end\":\"n\",\"lines\":2}\n",
        START "{\"end\":\"n\",\"lines\":1}", /* cut off */
        START "{\"end\":\"n\",\"lines\":1}\n" START,
        START "{\"end\":\"n\",\"lines\":1}\n\n",
        "not JSON\n{\"end\":\"n\",\"lines\":1}\n",
        "{\"no\":\"event\"}\n{\"end\":\"n\",\"lines\":1}\n",
        "[1]\n{\"end\":\"n\",\"lines\":1}\n",
        "{\"event\":\"finding\",\"tag\":\"missing_sync\",\"message\":\"m\"}\n{\"end\":\"n\",\"lines\":1}\n",
        "{\"event\":\"finding\",\"tag\":\"no_such\",\"message\":\"m\"}\n{\"end\":\"n\",\"lines\":1}\n",
        "{\"event\":\"finding\",\"tag\":\"compile_error\"}\n{\"end\":\"n\",\"lines\":1}\n",
        "{\"event\":\"finding\",\"tag\":\"compile_error\",\"message\":\"m\",\"line\":-1}\n{\"end\":\"n\",\"lines\":1}\n",
        "{\"event\":\"finding\",\"tag\":\"compile_error\",\"message\":\"m\",\"line\":\"1\"}\n{\"end\":\"n\",\"lines\":1}\n",
        "{\"event\":\"compile\",\"ok\":1,\"elapsed_ms\":1}\n{\"end\":\"n\",\"lines\":1}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cmpd_events e;
        struct cmpd_err err = {0};
        if (cmpd_events_parse(texts[i], strlen(texts[i]), "n", &e, &err) != CMPD_EINPUT)
            fail_msg("taken: %s", texts[i]);
        assert_true(err.msg[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_defaults), cmocka_unit_test(test_job_refused),
        cmocka_unit_test(test_job_paths),    cmocka_unit_test(test_job_round_trip),
        cmocka_unit_test(test_events),       cmocka_unit_test(test_events_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
