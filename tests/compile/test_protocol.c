/* The job that a runner reads and the events that it writes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

#define RUN_JOB(stages, more)                                                        \
    "{\"schema\":\"cmpd.job.v1\",\"nonce\":\"n\",\"root\":\"/r\",\"file\":\"a.cu\"," \
    "\"nvcc\":[{}],\"stages\":[" stages "]" more "}"
#define BOTH   "\"compile\",\"run\""
#define RUN(o) RUN_JOB(BOTH, ",\"run\":{" o "}")

static void test_run_defaults(void **state)
{
    (void)state;
    struct cmpd_job *job = NULL;
    assert_int_equal(cmpd_job_parse(RUN(""), strlen(RUN("")), &job, NULL), CMPD_OK);
    assert_non_null(job->run);
    assert_string_equal(job->run->device, "auto");
    assert_null(job->run->op);
    assert_int_equal(job->run->op_source, CMPD_OP_NONE);
    assert_false(job->run->has_seed || job->run->has_atol || job->run->program);
    assert_int_equal(job->run->reference, CMPD_REFERENCE_BUILTIN);
    cmpd_job_free(job);
}

static void test_run_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {RUN_JOB(BOTH, ""), "goes with the stage"},
        {RUN_JOB("\"compile\"", ",\"run\":{}"), "goes with the stage"},
        {RUN_JOB("\"run\"", ",\"run\":{}"), "compile is missing"},
        {RUN_JOB(BOTH, ",\"run\":[]"), "object"},
        {RUN("\"extra\":1"), "unknown key extra in run"},
        {RUN("\"device\":\"abacus\""), "device"},
        {RUN("\"op\":\"a b\""), "op"},
        {RUN("\"op_source\":\"rumour\""), "op_source"},
        {RUN("\"entry\":\"f(\""), "entry"},
        {RUN("\"args\":[\"x\"]"), "args"},
        {RUN("\"cases\":{}"), "cases"},
        {RUN("\"cases\":[{\"n\":0}]"), "cases"},
        {RUN("\"cases\":[{\"n\":1.5}]"), "cases"},
        {RUN("\"cases\":[{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}]"),
         "too many"},
        {RUN("\"tolerance\":{\"atol\":-1}"), "atol"},
        {RUN("\"tolerance\":{\"ulp\":1}"), "ulp"},
        {RUN("\"launch\":{\"grid\":\"`id`\"}"), "grid"},
        {RUN("\"reference\":{\"kind\":\"file\"}"), "path"},
        {RUN("\"reference\":{\"path\":\"x.c\"}"), "path"},
        {RUN("\"reference\":{\"kind\":\"file\",\"path\":\"../x.c\"}"), "path"},
        {RUN("\"functions\":{\"list\":[{}]}"), "functions"},
        {RUN("\"budget\":-1"), "budget"},
        {RUN("\"seed\":-1"), "seed"},
        {RUN("\"schedule\":4294967296"), "schedule"},
        {RUN("\"only_case\":1"), "only_case"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cmpd_job *job = NULL;
        struct cmpd_err err = {0};
        if (cmpd_job_parse(rows[i].text, strlen(rows[i].text), &job, &err) != CMPD_EINPUT)
            fail_msg("taken: %s", rows[i].text);
        if (!strstr(err.msg, rows[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.msg, rows[i].says);
    }
}

static void test_run_round_trip(void **state)
{
    (void)state;
    const char *text = RUN(
        "\"device\":\"emulator\",\"op\":\"softmax\",\"op_source\":\"comment\",\"entry\":\"k<float, 4>\","
        "\"entry_required\":true,\"args\":[\"in:x\",\"dim:rows*cols\",\"scalar:eps\",\"stream\"],\"dtype\":\"f16\","
        "\"cases\":[{\"rows\":3,\"cols\":17,\"inputs\":\"ties\",\"dtype\":\"f16\"},{\"n\":1}],"
        "\"tolerance\":{\"atol\":0.5},\"launch\":{\"grid\":\"(n + 255) / 256\",\"block\":\"256\"},"
        "\"reference\":{\"kind\":\"command\",\"path\":\"ops/x\"},\"budget\":1000,\"seed\":0,\"schedule\":7,"
        "\"only_case\":\"n=1\",\"program\":true,\"argv\":[\"-x\"],\"functions\":{\"list\":[{\"name\":\"f\","
        "\"kind\":\"kernel\",\"returns\":{\"elem\":\"void\"},\"params\":[{\"elem\":\"f32\",\"pointers\":1}]}]}");
    struct cmpd_job *job = NULL, *again = NULL;
    struct cmpd_err err = {0};
    CMPD_BUF_AUTO struct cmpd_buf one = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf two = CMPD_BUF_INIT;
    if (cmpd_job_parse(text, strlen(text), &job, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(cmpd_job_encode(job, &one, NULL), CMPD_OK);
    if (cmpd_job_parse(one.data, one.len, &again, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(cmpd_job_encode(again, &two, NULL), CMPD_OK);
    assert_string_equal(one.data, two.data);
    const struct cmpd_job_run *r = again->run;
    assert_int_equal(r->op_source, CMPD_OP_COMMENT);
    assert_int_equal(r->args.count, 4);
    assert_int_equal(r->case_count, 2);
    assert_string_equal(r->cases[0].inputs, "ties");
    assert_int_equal(r->cases[0].dim_count, 2);
    assert_true(r->has_atol && !r->has_rtol && r->has_seed && r->seed == 0 && r->schedule == 7);
    assert_int_equal(r->reference, CMPD_REFERENCE_COMMAND);
    assert_int_equal(r->signatures.func_count, 1);
    assert_true(r->program && r->argv.count == 1);
    cmpd_job_free(job);
    cmpd_job_free(again);
}

/* What the writers write is what the reader reads. */
static void test_run_events(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    assert_non_null(f);
    struct cmpd_event_writer w = {.fd = fileno(f)};
    cmpd_event_write_device(&w, "emulator", "emulator");
    cmpd_event_write_entry(&w, "ns::f<float>", "relu", "\"args\": [\"in:x\", \"dim:n\"]", true);
    cmpd_event_write_progress(&w, "case", 1, 2);
    cmpd_event_write_tolerance(&w, 1e-5, 1e-4);
    struct cmpd_event_case c = {.name = "n=31",
                                .shape = {{"n", 31}, {"m", -1}},
                                .dim_count = 2,
                                .dtype = "f32",
                                .seed = 77,
                                .schedule = 3,
                                .measured = true,
                                .max_abs_err = 0.25,
                                .max_rel_err = INFINITY,
                                .ok = false,
                                .elapsed_ms = 1.5,
                                .lane_instructions = 1u << 31};
    cmpd_event_write_case(&w, &c);
    c.measured = false;
    cmpd_event_write_case(&w, &c);
    struct cmpd_event_finding bad = {.tag = CMPD_TAG_data_race,
                                     .weight = CMPD_EVENT_DOUBT,
                                     .line = 7,
                                     .column = 2,
                                     .message = "a\nb\xff\xc3\xa4\x01",
                                     .hint = "h",
                                     .kernel = "k",
                                     .replay = "--case 'n=31'",
                                     .also = {"b.cuh", 9, 0}};
    cmpd_event_write_finding(&w, &bad);
    bad = (struct cmpd_event_finding){.tag = CMPD_TAG_memory_leak, .weight = CMPD_EVENT_NOTE};
    cmpd_event_write_finding(&w, &bad);
    cmpd_event_write_memory(&w, false, "shadow memory", 5, 1000);
    cmpd_event_write_stage(&w, CMPD_EVENT_NUMERIC, CMPD_EVENT_UNDECIDED, "why");
    cmpd_event_write_stage(&w, CMPD_EVENT_MEMORY, CMPD_EVENT_FAIL, NULL);
    cmpd_event_write_jail(&w, "none");
    cmpd_event_write_program(&w, 139, "a\tb\n\x01\xff\xc3\xa4....", 12, "", 0);
    cmpd_event_write_end(&w, "n");
    char text[8192];
    rewind(f);
    size_t len = fread(text, 1, sizeof text, f);
    fclose(f);
    struct cmpd_events e;
    struct cmpd_err err = {0};
    if (cmpd_events_parse(text, len, "n", &e, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(e.device, "emulator");
    assert_string_equal(e.entry, "ns::f<float>");
    assert_int_equal(e.args.count, 2);
    assert_string_equal(e.args.items[1], "dim:n");
    assert_true(e.assumed_launch && e.has_tolerance && e.rtol == 1e-4);
    assert_int_equal(e.case_count, 2);
    assert_int_equal(e.cases[0].shape[1].value, -1);
    assert_int_equal(e.cases[0].seed, 77);
    assert_true(e.cases[0].measured && isinf(e.cases[0].max_rel_err) && !e.cases[1].measured);
    assert_int_equal(e.cases[0].lane_instructions, 1u << 31);
    assert_int_equal(e.finding_count, 2);
    assert_string_equal(e.findings[0].message, "a b?\xc3\xa4 ");
    assert_int_equal(e.findings[0].weight, CMPD_EVENT_DOUBT);
    assert_string_equal(e.findings[0].also.file, "b.cuh");
    assert_int_equal(e.findings[0].also.line, 9);
    assert_string_equal(e.findings[0].replay, "--case 'n=31'");
    assert_int_equal(e.findings[1].weight, CMPD_EVENT_NOTE);
    assert_true(e.numeric.said && e.numeric.status == CMPD_EVENT_UNDECIDED);
    assert_string_equal(e.numeric.why, "why");
    assert_int_equal(e.memory.status, CMPD_EVENT_FAIL);
    assert_string_equal(e.memory_method, "shadow memory");
    assert_string_equal(e.jail, "none");
    assert_true(e.has_program && e.program_status == 139 && !e.program_err);
    assert_string_equal(e.program_out, "a\tb\n??\xc3\xa4....");
    cmpd_events_clear(&e);
}

#define ENDED(line) line "\n{\"end\":\"n\",\"lines\":1}\n"
#define CASE(more) \
    "{\"event\":\"case\",\"name\":\"n\",\"dtype\":\"f32\",\"shape\":{},\"elapsed_ms\":1" more "}"

static void test_run_events_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ENDED("{\"event\":\"device\",\"name\":\"x\",\"backend\":\"abacus\"}"),
        ENDED("{\"event\":\"device\",\"backend\":\"gpu\"}"),
        ENDED("{\"event\":\"entry\"}"),
        ENDED("{\"event\":\"entry\",\"name\":\"f\",\"args\":[1]}"),
        ENDED("{\"event\":\"stage\",\"stage\":\"numeric\",\"status\":\"fine\"}"),
        ENDED("{\"event\":\"memory\",\"ok\":1}"),
        ENDED("{\"event\":\"memory\",\"ok\":true,\"launches\":-1}"),
        ENDED("{\"event\":\"tolerance\",\"atol\":\"inf\",\"rtol\":0}"),
        ENDED(
            "{\"event\":\"finding\",\"tag\":\"data_race\",\"message\":\"m\",\"tier\":\"reject\"}"),
        ENDED(
            "{\"event\":\"finding\",\"tag\":\"data_race\",\"message\":\"m\",\"also\":{\"line\":-2}}"),
        ENDED(CASE("")),
        ENDED(CASE(",\"ok\":true")), /* right without having been measured */
        ENDED(CASE(",\"ok\":true,\"max_abs_err\":\"nan\",\"max_rel_err\":0")),
        ENDED(CASE(",\"ok\":false,\"max_abs_err\":\"much\",\"max_rel_err\":0")),
        ENDED(CASE(",\"ok\":false,\"seed\":-1")),
        ENDED(
            "{\"event\":\"case\",\"name\":\"n\",\"dtype\":\"f32\",\"shape\":{\"n\":1.5},\"elapsed_ms\":1,\"ok\":false}"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cmpd_events e;
        if (cmpd_events_parse(texts[i], strlen(texts[i]), "n", &e, NULL) != CMPD_EINPUT)
            fail_msg("taken: %s", texts[i]);
    }
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_job_defaults),
                                       cmocka_unit_test(test_job_refused),
                                       cmocka_unit_test(test_job_paths),
                                       cmocka_unit_test(test_job_round_trip),
                                       cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_events_refused),
                                       cmocka_unit_test(test_run_defaults),
                                       cmocka_unit_test(test_run_refused),
                                       cmocka_unit_test(test_run_round_trip),
                                       cmocka_unit_test(test_run_events),
                                       cmocka_unit_test(test_run_events_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
