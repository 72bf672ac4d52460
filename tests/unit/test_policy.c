/* cmpd.json: defaults, every key, places of errors, tiers, paths; and the committed schema. */
#include "tests/unit/unit.h"

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/jsonpos.h"
#include "analysis/verdict/glob.h"
#include "analysis/verdict/policy.h"
#include "analysis/verdict/policy_keys.h"
#include "config/policy_schema.h"

static struct cmpd_policy *parse(const char *text)
{
    struct cmpd_err err = {0};
    struct cmpd_policy *p = NULL;
    if (cmpd_policy_parse(text, strlen(text), "cmpd.json", &p, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    return p;
}

static void refuse(const char *text, const char *message)
{
    struct cmpd_err err = {0};
    struct cmpd_policy *p = NULL;
    assert_int_equal(cmpd_policy_parse(text, strlen(text), "cmpd.json", &p, &err), CMPD_EINPUT);
    assert_null(p);
    if (!strstr(err.msg, message))
        fail_msg("no '%s' in '%s'", message, err.msg);
}

static void defaults(void **state)
{
    (void)state;
    struct cmpd_policy *p = cmpd_policy_new();
    assert_null(p->origin);
    assert_int_equal(p->kernel_count, 0);
    assert_true(p->require[CMPD_STAGE_STATIC] && p->require[CMPD_STAGE_COMPILE]);
    assert_true(p->require[CMPD_STAGE_NUMERIC] && p->require[CMPD_STAGE_MEMORY]);
    assert_false(p->require[CMPD_STAGE_PERF]);
    assert_true(p->enforce);
    assert_true(p->perf_ratio > 1.999 && p->perf_ratio < 2.001);
    assert_int_equal(p->perf_runs, 50);
    assert_int_equal(p->template_limit, 32);
    assert_int_equal(p->preexisting, CMPD_PREEXISTING_NOTE);
    assert_int_equal(p->jail, CMPD_JAIL_AUTO);
    assert_int_equal(p->nvcc_count, 1);
    assert_string_equal(p->nvcc[0].path, "/usr/local/cuda/bin/nvcc");
    assert_string_equal(p->nvcc[0].std, "c++17");
    assert_string_equal(p->nvcc[0].arch, "sm_80");
    assert_string_equal(p->nvcc[0].opt, "-O2");
    assert_int_equal(p->nvcc[0].timeout_s, 120);
    assert_int_equal(p->nvcc[0].memory_mib, 8192);
    assert_false(p->nvcc[0].rdc);
    cmpd_policy_free(p);
}

static void every_key(void **state)
{
    (void)state;
    struct cmpd_policy *p = parse(
        "{\"version\": 1, \"kernels\": [{\"path\": \"k/*.cu\", \"op\": \"add\", \"entry\": \"ns::launch\","
        " \"args\": [\"in:a\", \"out:c\", \"inout:d\", \"dim:n\", \"scalar:alpha=1.5\", \"workspace:w\", \"stream\"],"
        " \"dtype\": \"f32\", \"cases\": [{\"n\": 7}], \"baseline\": \"builtin\","
        " \"tolerance\": {\"atol\": 1e-5, \"rtol\": 1e-4}, \"nvcc\": {\"std\": \"c++20\"},"
        " \"launch\": {\"grid\": \"(n + 255) / 256\", \"block\": \"256\"}, \"reference\": {\"file\": \"ops/add.c\"}}],"
        " \"policy\": {\"require\": [\"static\", \"perf\"], \"enforce\": false, \"perf_ratio\": 1.5,"
        " \"perf_runs\": 9, \"tiers\": {\"template_bloat\": \"note\"}, \"exempt\": [\"pool\"],"
        " \"template_limit\": 8, \"api\": {\"allow\": [\"cudaOurs\"], \"deny\": [\"cudaDeviceReset\"]},"
        " \"preexisting\": \"count\", \"jail\": \"none\", \"emulation_budget\": 7000000,"
        " \"nvcc\": [{\"path\": \"/opt/a/nvcc\", \"include\": [\"inc\"], \"define\": [\"A\", \"B=2\"],"
        " \"flags\": [\"--extended-lambda\", \"-maxrregcount=64\"], \"rdc\": true}, {\"arch\": \"sm_90a\"}]}}");
    const struct cmpd_kernel_policy *k = cmpd_policy_kernel(p, "k/x.cu");
    assert_non_null(k);
    assert_string_equal(k->op, "add");
    assert_string_equal(k->entry, "ns::launch");
    assert_int_equal(k->args.count, 7);
    assert_string_equal(k->args.items[4], "scalar:alpha=1.5");
    assert_string_equal(k->grid, "(n + 255) / 256");
    assert_string_equal(k->block, "256");
    assert_null(k->shared);
    assert_string_equal(k->reference_file, "ops/add.c");
    assert_null(k->reference_command);
    assert_int_equal(p->emulation_budget, 7000000);
    assert_string_equal(k->cases_json, "[{\"n\":7}]");
    assert_int_equal(k->nvcc_count, 1);
    assert_string_equal(k->nvcc[0].std, "c++20");
    assert_string_equal(k->nvcc[0].path, "/opt/a/nvcc"); /* from the policy's first toolkit */
    assert_true(k->nvcc[0].rdc);
    assert_true(p->require[CMPD_STAGE_STATIC] && p->require[CMPD_STAGE_PERF]);
    assert_false(p->require[CMPD_STAGE_COMPILE]);
    assert_false(p->enforce);
    assert_int_equal(p->template_limit, 8);
    assert_int_equal(p->preexisting, CMPD_PREEXISTING_COUNT);
    assert_int_equal(p->jail, CMPD_JAIL_NONE);
    assert_int_equal(p->nvcc_count, 2);
    assert_string_equal(p->nvcc[1].arch, "sm_90a");
    assert_string_equal(p->nvcc[1].path, "/usr/local/cuda/bin/nvcc");
    assert_int_equal(p->nvcc[0].flags.count, 2);
    cmpd_policy_free(p);
}

static void places(void **state)
{
    (void)state;
    refuse("{\n  \"policy\": {\n    \"perf_ration\": 2}}",
           "cmpd.json:3:5: unknown key 'perf_ration' in policy; did you mean 'perf_ratio'?");
    refuse("{\"kernels\": [{\"path\": \"a\"},\n {\"path\": \"b\", \"opp\": 1}]}",
           "cmpd.json:2:16: unknown key 'opp' in kernels; did you mean 'op'?");
    refuse("{\"policy\": {\"nvcc\": [{}, {\"arch\": 80}]}}",
           "cmpd.json:1:35: 'arch' must be a string");
    refuse("{\"pol\\u0069cy\": {\"x\": 1}}", "cmpd.json:1:18: unknown key 'x' in policy");
    refuse("{\"policy\": {\"tiers\": {\"compile_error\": \"note\"}}}",
           "cmpd.json:1:23: compile_error can't be lowered");
    refuse("{\"a\": 1, \"a\": 2}", "duplicate");
    refuse("{\"kernels\": [{\"path\": \"a\", \"reference\": {}}]}", "one 'file' or one 'command'");
    refuse("{\"kernels\": [{\"path\": \"a\", \"entry\": \"k<float\"}]}", "kernel<float>");
    refuse("{\"kernels\": [{\"path\": \"a\", \"launch\": {\"grid\": \"$(id)\"}}]}", "arithmetic");
    refuse("{\"kernels\": [{\"path\": \"a\", \"args\": [\"dim:\"]}]}", "dim:NAME");
    refuse("{\"kernels\": [{\"path\": \"a.cu\", \"cases\": [{\"n\": []}]}]}",
           "a number or a string");
}

static void tiers(void **state)
{
    (void)state;
    struct cmpd_policy *p = parse(
        "{\"policy\": {\"tiers\": {\"missing_sync\": \"review\","
        " \"no_vectorized_access\": \"reject\", \"compile_error\": \"reject\"}}}");
    /* Lowered: whatever was proven. */
    assert_int_equal(cmpd_policy_tier(p, CMPD_TAG_missing_sync, CMPD_TIER_REJECT),
                     CMPD_TIER_REVIEW);
    assert_int_equal(cmpd_policy_tier(p, CMPD_TAG_missing_sync, CMPD_TIER_NOTE), CMPD_TIER_NOTE);
    /* Raised: what the rule was sure of alone. */
    assert_int_equal(cmpd_policy_tier(p, CMPD_TAG_no_vectorized_access, CMPD_TIER_REVIEW),
                     CMPD_TIER_REJECT);
    assert_int_equal(cmpd_policy_tier(p, CMPD_TAG_no_vectorized_access, CMPD_TIER_NOTE),
                     CMPD_TIER_NOTE);
    /* Left alone. */
    assert_int_equal(cmpd_policy_tier(p, CMPD_TAG_api_unknown, CMPD_TIER_REJECT), CMPD_TIER_REJECT);
    cmpd_policy_free(p);
}

static void globs(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool match;
    } rows[] = {
        {"a.cu", "a.cu", true},
        {"a.cu", "b/a.cu", false},
        {"*.cu", "a.cu", true},
        {"*.cu", "b/a.cu", false},
        {"**/*.cu", "a.cu", true},
        {"**/*.cu", "b/c/a.cu", true},
        {"k/**/a.cu", "k/a.cu", true},
        {"k/**/a.cu", "k/x/y/a.cu", true},
        {"k/**", "k/x/y.cu", true},
        {"k/**", "l/x.cu", false},
        {"./a.cu", "a.cu", true},
        {"a.cu", "./a.cu", true},
        {"k/?.cu", "k/a.cu", true},
        {"k/?.cu", "k/ab.cu", false},
        {"k/[ab].cu", "k/b.cu", true},
        {"k/[ab].cu", "k/c.cu", false},
        {"**/x/**/*.cu", "a/x/b/c.cu", true},
        {"**/x/**/*.cu", "a/b/c.cu", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (cmpd_glob_match(rows[i].pattern, rows[i].path) != rows[i].match)
            fail_msg("%s on %s", rows[i].pattern, rows[i].path);
    }
    struct cmpd_policy *p = parse("{\"kernels\": [{\"path\": \"**\", \"op\": \"first\"},"
                                  " {\"path\": \"k/*.cu\", \"op\": \"last\"}]}");
    assert_string_equal(cmpd_policy_kernel(p, "k/a.cu")->op, "last");
    assert_string_equal(cmpd_policy_kernel(p, "z.cu")->op, "first");
    cmpd_policy_free(p);
}

static void flags(void **state)
{
    (void)state;
    static const char *const good[] = {"--extended-lambda",
                                       "-lineinfo",
                                       "--use_fast_math",
                                       "-use_fast_math",
                                       "--default-stream=per-thread",
                                       "-maxrregcount=32",
                                       "-Xptxas=-v",
                                       "-Xcompiler=-fopenmp",
                                       "--expt-relaxed-constexpr",
                                       "-w"};
    static const char *const bad[] = {"-o",
                                      "-o=x",
                                      "--run",
                                      "-ccbin=/tmp/x",
                                      "-Xcompiler=-fplugin=x.so",
                                      "-Xcompiler=-Wall,-B/tmp",
                                      "-I/etc",
                                      "--options-file=x",
                                      "-maxrregcount=",
                                      "-maxrregcount=9;id",
                                      "x.cu",
                                      "",
                                      "-",
                                      "--",
                                      "-Xptxas=-v -o x",
                                      "-lineinfo=1"};
    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(cmpd_nvcc_flag_ok(good[i]));
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (cmpd_nvcc_flag_ok(bad[i]))
            fail_msg("'%s' was let through", bad[i]);
    }
}

/* A committed file is what the table makes. */
static void is_current(const char *file, void (*make)(struct cmpd_buf *))
{
    struct cmpd_buf made = CMPD_BUF_INIT, kept = CMPD_BUF_INIT;
    struct cmpd_err err = {0};
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/config/%s", getenv("CMPD_SOURCE_DIR"), file);
    make(&made);
    assert_int_equal(cmpd_file_read(path, 1 << 20, &kept, &err), CMPD_OK);
    if (strcmp(cmpd_buf_str(&made), cmpd_buf_str(&kept)) != 0)
        fail_msg("config/%s is not what config/policy_keys.def makes: write it anew with "
                 "contrib/docgen/cmpd-docgen of the build folder",
                 file);
    cmpd_buf_clear(&made);
    cmpd_buf_clear(&kept);
}

static void files_are_current(void **state)
{
    (void)state;
    is_current("schema/policy.schema.json", cmpd_policy_schema);
    is_current("default.json", cmpd_policy_defaults);
}

/* Stating every default changes nothing. */
static void stated_defaults(void **state)
{
    (void)state;
    struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_policy_defaults(&text);
    struct cmpd_policy *stated = parse(cmpd_buf_str(&text)), *built_in = cmpd_policy_new();
    assert_memory_equal(stated->require, built_in->require, sizeof stated->require);
    assert_true(stated->enforce == built_in->enforce);
    assert_int_equal(stated->perf_runs, built_in->perf_runs);
    assert_int_equal(stated->template_limit, built_in->template_limit);
    assert_string_equal(stated->nvcc[0].path, built_in->nvcc[0].path);
    assert_string_equal(stated->nvcc[0].arch, built_in->nvcc[0].arch);
    assert_int_equal(stated->nvcc[0].timeout_s, built_in->nvcc[0].timeout_s);
    cmpd_policy_free(stated);
    cmpd_policy_free(built_in);
    cmpd_buf_clear(&text);
}

/* Every default in the table is JSON and passes the table's own checks. */
static void defaults_are_valid(void **state)
{
    (void)state;
    size_t count;
    const struct cmpd_key *keys = cmpd_policy_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const char *name = cmpd_policy_key_below(&keys[i], "policy");
        if (!name || !keys[i].def[0])
            continue;
        CMPD_AUTOFREE char *text = cmpd_asprintf("{\"policy\": {\"%s\": %s}}", name, keys[i].def);
        cmpd_policy_free(parse(text));
    }
}

static void too_long(void **state)
{
    (void)state;
    struct cmpd_err err = {0};
    struct cmpd_policy *p = NULL;
    size_t len = ((size_t)1 << 20) + 1;
    CMPD_AUTOFREE char *text = cmpd_alloc(len);
    memset(text, ' ', len);
    assert_int_equal(cmpd_policy_parse(text, len, "p", &p, &err), CMPD_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(places),
        cmocka_unit_test(tiers),
        cmocka_unit_test(globs),
        cmocka_unit_test(flags),
        cmocka_unit_test(too_long),
        cmocka_unit_test(defaults_are_valid),
        cmocka_unit_test(files_are_current),
        cmocka_unit_test(stated_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
