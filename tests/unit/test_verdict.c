/* Findings and what becomes of them: order, repeats, verdict, allow comments, exemption, fingerprints. */
#include "tests/unit/unit.h"

#include "analysis/base/alloc.h"
#include "analysis/base/nearest.h"
#include "analysis/base/sha256.h"
#include "analysis/check.h"

/* A rule that reports every call of hit(), at the tier that its argument names. */
static void report_hits(struct cmpd_check *c)
{
    const struct cmpd_tokens *toks = c->tokens;
    for (size_t i = 0; i + 2 < toks->count; i++) {
        if (!cmpd_token_is(toks, i, "hit") || (toks->items[i].ctx & CMPD_CTX_DIRECTIVE))
            continue;
        enum cmpd_tier tier = CMPD_TIER_NOTE;
        if (cmpd_token_is(toks, i + 2, "reject"))
            tier = CMPD_TIER_REJECT;
        else if (cmpd_token_is(toks, i + 2, "review"))
            tier = CMPD_TIER_REVIEW;
        const struct cmpd_token *t = &toks->items[i];
        cmpd_report(c, CMPD_TAG_missing_sync, tier, t->off, t->off + t->len, NULL, "stop",
                    "a hit\n");
    }
}

static bool has_hits(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0;
}

static const struct cmpd_rule HIT = {"hit", CMPD_LAYER_SCAN, has_hits, report_hits};
static const struct cmpd_rule *const RULES[] = {&HIT};
static const struct cmpd_ruleset SET = {RULES, 1};

static struct cmpd_file_result *judge(const char *text, const char *policy_text)
{
    struct cmpd_err err = {0};
    struct cmpd_source *src = NULL;
    struct cmpd_policy *policy = NULL;
    if (cmpd_policy_parse(policy_text, strlen(policy_text), "p", &policy, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(cmpd_source_new_take("k.cu", cmpd_strdup(text), strlen(text), &src, &err),
                     CMPD_OK);
    struct cmpd_file_result *r = cmpd_check_static(src, policy, &SET);
    cmpd_source_free(src);
    cmpd_policy_free(policy);
    assert_int_equal(r->error.rc, CMPD_OK);
    return r;
}

static void verdict_is(const char *text, enum cmpd_verdict expected, size_t count)
{
    struct cmpd_file_result *r = judge(text, "{}");
    assert_int_equal(r->verdict, expected);
    assert_int_equal(r->findings.count, count);
    cmpd_file_result_free(r);
}

#define KERNEL(body) "__global__ void k(float *a)\n{\n" body "}\n"

static void verdicts(void **state)
{
    (void)state;
    verdict_is(KERNEL("    hit(note);\n"), CMPD_PASS, 1);
    verdict_is(KERNEL("    hit(review);\n"), CMPD_REVIEW, 1);
    verdict_is(KERNEL("    hit(note);\n    hit(reject);\n    hit(review);\n"), CMPD_REJECT, 3);
    verdict_is("void f() { hit(reject); }\n", CMPD_PASS, 0); /* settled by the scan */
    verdict_is("", CMPD_PASS, 0);
}

static void finding_members(void **state)
{
    (void)state;
    struct cmpd_file_result *r = judge(KERNEL("    hit(reject);\n"), "{}");
    const struct cmpd_finding *f = &r->findings.items[0];
    assert_int_equal(f->line, 3);
    assert_int_equal(f->column, 5);
    assert_int_equal(f->end_line, 3);
    assert_int_equal(f->end_column, 8);
    assert_string_equal(f->kernel, "k");
    assert_string_equal(f->message, "a hit");
    assert_string_equal(f->hint, "stop");
    assert_int_equal(strlen(f->fingerprint), 32);
    cmpd_file_result_free(r);
}

static void allowed(const char *text, bool suppressed, const char *why)
{
    struct cmpd_file_result *r = judge(text, "{}");
    bool found = false;
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (f->tag != CMPD_TAG_missing_sync)
            continue;
        found = true;
        if (f->suppressed != suppressed)
            fail_msg("suppressed: %d: %s", f->suppressed, text);
        if (why)
            assert_string_equal(f->suppress_why, why);
        else
            assert_null(f->suppress_why);
    }
    assert_true(found);
    assert_int_equal(r->verdict, suppressed ? CMPD_PASS : CMPD_REJECT);
    cmpd_file_result_free(r);
}

static void allow_comments(void **state)
{
    (void)state;
    allowed(KERNEL("hit(reject); // cmpd: allow missing_sync: one warp\n"), true, "one warp");
    allowed(KERNEL("// cmpd: allow missing_sync: one warp, really\nhit(reject);\n"), true,
            "one warp, really");
    allowed(KERNEL("/* cmpd: allow missing_sync: c */\nhit(reject);\n"), true, "c");
    allowed(KERNEL("// cmpd: allow missing_sync: above\n\n// more words\nhit(reject);\n"), true,
            "above");
    allowed(KERNEL("// cmpd: allow sign_compare, missing_sync: both\nhit(reject);\n"), true,
            "both");
    allowed(KERNEL("hit(reject); // cmpd: allow missing_sync\n"), true, NULL);
    allowed(KERNEL("hit(reject); // cmpd: allow data_race: wrong tag\n"), false, NULL);
    allowed(KERNEL("x(); // cmpd: allow missing_sync: the line before\nhit(reject);\n"), false,
            NULL);
    allowed(KERNEL("// cmpd: allow missing_sync: too far\nx();\nhit(reject);\n"), false, NULL);
    allowed(KERNEL("hit(reject);\n// cmpd: allow missing_sync: behind it\n"), false, NULL);
    allowed(KERNEL("f(\"// cmpd: allow missing_sync: a string\"); hit(reject);\n"), false, NULL);
    allowed(KERNEL("hit(reject); // cmpd: allowed missing_sync: another word\n"), false, NULL);
}

static void unknown_allow(void **state)
{
    (void)state;
    struct cmpd_file_result *r = judge(KERNEL("// cmpd: allow missing_sink: x\nhit(note);\n"),
                                       "{}");
    assert_int_equal(r->findings.count, 2);
    assert_int_equal(r->findings.items[0].tag, CMPD_TAG_style_unknown_allow);
    assert_non_null(strstr(r->findings.items[0].message, "did you mean 'missing_sync'"));
    cmpd_file_result_free(r);
}

static void op_comment(void **state)
{
    (void)state;
    struct cmpd_file_result *r = judge("// cmpd: op=tanh_add\n" KERNEL(""), "{}");
    assert_string_equal(r->op_comment, "tanh_add");
    cmpd_file_result_free(r);
}

static void exemption(void **state)
{
    (void)state;
    static const char policy[] = "{\"policy\": {\"exempt\": [\"safe_hit\", \"ns::pool\"]}}";
    static const struct {
        const char *text;
        size_t left;
    } rows[] = {
        {"__global__ void k() { hit(reject); }\n", 1},
        {"__device__ void safe_hit() { hit(reject); }\n__global__ void k() {}\n", 0},
        {"__device__ void pool(int n) { if (n) { hit(reject); } }\n__global__ void k() { hit(note); }\n",
         1},
        {"__global__ void k() { safe_hit(hit(reject)); }\n", 0},
        {"__global__ void k() { safe_hit(1); hit(reject); }\n", 1},
        {"__global__ void k() { x = safe_hit(1) + hit(reject); }\n", 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cmpd_file_result *r = judge(rows[i].text, policy);
        if (r->findings.count != rows[i].left)
            fail_msg("%zu left of: %s", r->findings.count, rows[i].text);
        cmpd_file_result_free(r);
    }
}

/* The fingerprints of both texts, in order, are the same. */
static void same_prints(const char *a, const char *b, bool same)
{
    struct cmpd_file_result *ra = judge(a, "{}"), *rb = judge(b, "{}");
    assert_int_equal(ra->findings.count, rb->findings.count);
    for (size_t i = 0; i < ra->findings.count; i++) {
        bool equal = strcmp(ra->findings.items[i].fingerprint, rb->findings.items[i].fingerprint) ==
                     0;
        if (equal != same)
            fail_msg("finding %zu: %s\n%s", i, a, b);
    }
    cmpd_file_result_free(ra);
    cmpd_file_result_free(rb);
}

static void fingerprints(void **state)
{
    (void)state;
    const char *plain = KERNEL("int x = hit(reject) + 1;\n");
    same_prints(
        plain,
        "\n\n// a comment\n" KERNEL("        int x =\n            hit(reject)  +  1; // c\n"),
        true);
    same_prints(plain, KERNEL("a[0] = 2;\nint x = hit(reject) + 1;\n"), true);
    same_prints(plain, KERNEL("int y = hit(reject) + 1;\n"), false);
    same_prints(plain, "__global__ void other(float *a)\n{\nint x = hit(reject) + 1;\n}\n", false);
    same_prints(KERNEL("hit(reject);\nhit(reject);\n"),
                "int g;\n" KERNEL("hit(reject);\na[0] = 1;\nhit(reject);\n"), true);
    struct cmpd_file_result *r = judge(KERNEL("hit(reject);\nhit(reject);\nhit(reject);\n"), "{}");
    assert_string_not_equal(r->findings.items[0].fingerprint, r->findings.items[1].fingerprint);
    assert_string_not_equal(r->findings.items[1].fingerprint, r->findings.items[2].fingerprint);
    assert_string_not_equal(r->findings.items[0].fingerprint, r->findings.items[2].fingerprint);
    cmpd_file_result_free(r);
}

static struct cmpd_finding *add(struct cmpd_findings *list, enum cmpd_tag tag, enum cmpd_tier tier,
                                uint32_t line, const char *message)
{
    CMPD_GROW(list->items, list->count + 1, list->cap);
    struct cmpd_finding *f = &list->items[list->count++];
    *f = (struct cmpd_finding){
        .tag = tag, .tier = tier, .line = line, .column = 1, .message = cmpd_strdup(message)};
    return f;
}

static void sorting(void **state)
{
    (void)state;
    struct cmpd_findings list = {0};
    add(&list, CMPD_TAG_missing_sync, CMPD_TIER_NOTE, 9, "a");
    add(&list, CMPD_TAG_sign_compare, CMPD_TIER_NOTE, 2, "b");
    add(&list, CMPD_TAG_missing_sync, CMPD_TIER_REVIEW, 2, "c");
    add(&list, CMPD_TAG_missing_sync, CMPD_TIER_REJECT, 2,
        "d"); /* the stronger of two at one place stays */
    add(&list, CMPD_TAG_sign_compare, CMPD_TIER_NOTE, 2, "b");
    add(&list, CMPD_TAG_no_reference, CMPD_TIER_REVIEW, 0, "whole file");
    add(&list, CMPD_TAG_no_reference, CMPD_TIER_REVIEW, 0, "whole file, other words");
    cmpd_findings_sort(&list);
    assert_int_equal(list.count, 5);
    assert_int_equal(list.items[0].line, 0);
    assert_int_equal(list.items[1].line, 0);
    assert_string_equal(list.items[2].message, "d");
    assert_string_equal(list.items[3].message, "b");
    assert_string_equal(list.items[4].message, "a");
    assert_int_equal(cmpd_findings_verdict(&list), CMPD_REJECT);
    list.items[2].suppressed = true;
    assert_int_equal(cmpd_findings_verdict(&list), CMPD_REVIEW);
    cmpd_findings_clear(&list);
    assert_int_equal(cmpd_findings_verdict(&list), CMPD_PASS);
}

/* What is required and was not done is never a pass. */
static void undecided(void **state)
{
    (void)state;
    struct cmpd_policy *all = cmpd_policy_new();
    struct cmpd_file_result *r = judge(KERNEL("a[0] = 1;\n"), "{}");
    assert_int_equal(r->verdict, CMPD_PASS);
    cmpd_file_result_settle(r, all);
    assert_int_equal(r->verdict, CMPD_REVIEW);
    r->scope_static = true;
    cmpd_file_result_settle(r, all);
    assert_int_equal(r->verdict, CMPD_PASS);
    r->scope_static = false;
    r->dynamic.status = CMPD_DYNAMIC_DONE;
    cmpd_file_result_settle(r, all);
    assert_int_equal(r->verdict, CMPD_PASS);
    cmpd_file_result_add(r, all, CMPD_TAG_compile_error, CMPD_TIER_REJECT, 1, 1, "no");
    cmpd_file_result_settle(r, all);
    assert_int_equal(r->verdict, CMPD_REJECT);
    cmpd_file_result_free(r);
    cmpd_policy_free(all);
}

static void tags(void **state)
{
    (void)state;
    for (int t = 0; t < CMPD_TAG_COUNT; t++) {
        const struct cmpd_tag_info *info = cmpd_tag_info((enum cmpd_tag)t);
        enum cmpd_tag found = CMPD_TAG_COUNT;
        assert_true(cmpd_tag_find(info->name, &found));
        assert_int_equal(found, t);
        assert_true(info->summary[0] && info->rule[0]);
        CMPD_AUTOFREE char *page = cmpd_asprintf("%s/rules/docs/%s.md", getenv("CMPD_SOURCE_DIR"),
                                                 info->name);
        FILE *f = fopen(page, "r");
        if (!f)
            fail_msg("no page for %s", info->name);
        fclose(f);
    }
    static const enum cmpd_tag fixed[] = {CMPD_TAG_compile_error, CMPD_TAG_numeric_mismatch,
                                          CMPD_TAG_out_of_bounds, CMPD_TAG_output_nan_inf};
    size_t count = 0;
    for (int t = 0; t < CMPD_TAG_COUNT; t++)
        count += cmpd_tag_info((enum cmpd_tag)t)->fixed;
    assert_int_equal(count, COUNT(fixed));
    for (size_t i = 0; i < COUNT(fixed); i++)
        assert_true(cmpd_tag_info(fixed[i])->fixed);
}

static void hashes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hex;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[65];
    for (size_t i = 0; i < COUNT(rows); i++) {
        cmpd_sha256_hex(rows[i].text, strlen(rows[i].text), hex);
        assert_string_equal(hex, rows[i].hex);
    }
    struct cmpd_sha256 h;
    cmpd_sha256_init(&h);
    for (int i = 0; i < 1000000; i++)
        cmpd_sha256_update(&h, "a", 1);
    cmpd_sha256_final_hex(&h, hex, 64);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"perf_ratio", "perf_runs", "enforce", "api"};
    assert_string_equal(cmpd_nearest("perf_ration", names, COUNT(names)), "perf_ratio");
    assert_string_equal(cmpd_nearest("efnorce", names, COUNT(names)), "enforce");
    assert_string_equal(cmpd_nearest("apis", names, COUNT(names)), "api");
    assert_null(cmpd_nearest("something", names, COUNT(names)));
    assert_null(cmpd_nearest("", names, COUNT(names)));
    assert_int_equal(cmpd_edit_distance("kitten", "sitting", 5), 3);
    assert_int_equal(cmpd_edit_distance("ab", "ba", 2), 1);
    assert_int_equal(cmpd_edit_distance("abcdef", "uvwxyz", 2), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),       cmocka_unit_test(finding_members),
        cmocka_unit_test(allow_comments), cmocka_unit_test(unknown_allow),
        cmocka_unit_test(op_comment),     cmocka_unit_test(exemption),
        cmocka_unit_test(fingerprints),   cmocka_unit_test(sorting),
        cmocka_unit_test(undecided),      cmocka_unit_test(tags),
        cmocka_unit_test(hashes),         cmocka_unit_test(nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
