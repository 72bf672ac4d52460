/*
 * From recorded compiler output to findings, without a compiler: each fixture's own "// expect:"
 * comments say what must come out, exactly (run_fixtures.py holds the same files against the real
 * nvcc).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/compile/compile_findings.h"

static char *fixtures;

/* Those whose line comes from the PTX are left to the real compiler. */
static const char *const names[] = {
    "bad/undeclared_many_uses",   "bad/two_causes",          "bad/missing_semicolon_declaration",
    "bad/missing_brace",          "bad/extra_brace",         "bad/argument_type",
    "bad/launch_arguments",       "bad/shared_too_big",      "bad/std_function_in_device",
    "bad/template_arguments",     "bad/template_body",       "bad/error_in_header",
    "bad/error_in_instantiation", "bad/half_without_header", "bad/goto_python",
    "env/torch_header",           "env/extern_function",     "env/dynamic_parallelism",
    "env/device_lambda",          "env/relaxed_constexpr",   "env/wgmma_sm80",
    "env/atomic_float2_sm80",     "env/concepts_cpp20",      "env/error_directive"};

struct loaded {
    struct cmpd_buf text;
    struct cmpd_closure closure;
    struct cmpd_nvcc nvcc;
    struct cmpd_compile_findings findings;
};

static void read_file(struct cmpd_buf *out, const char *format, const char *name)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s%s", fixtures, name, format);
    struct cmpd_err err = {0};
    if (cmpd_file_read(path, 1 << 20, out, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
}

static void make(const char *name, struct loaded *l)
{
    CMPD_BUF_AUTO struct cmpd_buf said = CMPD_BUF_INIT;
    CMPD_AUTOFREE char *recorded = cmpd_asprintf("recorded/%s", strchr(name, '/') + 1);
    CMPD_AUTOFREE char *file = cmpd_asprintf("%s.cu", name);
    struct cmpd_diags diags;
    memset(l, 0, sizeof *l);
    read_file(&said, ".txt", recorded);
    read_file(&l->text, ".cu", name);
    l->nvcc.path = "/usr/local/cuda/bin/nvcc";
    l->nvcc.std = "c++17";
    l->nvcc.arch = "sm_80";
    assert_int_equal(
        cmpd_closure_scan(fixtures, file, &l->nvcc.include, "/usr/local/cuda", &l->closure, NULL),
        CMPD_OK);
    cmpd_diag_parse(cmpd_buf_str(&said), said.len, &diags);
    struct cmpd_compile_context ctx = {.root = fixtures,
                                       .file = file,
                                       .text = cmpd_buf_str(&l->text),
                                       .len = l->text.len,
                                       .closure = &l->closure,
                                       .nvcc = &l->nvcc,
                                       .toolkit = "/usr/local/cuda",
                                       .work = "/work-folder"};
    cmpd_compile_findings_make(&diags, &ctx, &l->findings);
    cmpd_diags_clear(&diags);
}

static void drop(struct loaded *l)
{
    cmpd_buf_clear(&l->text);
    cmpd_closure_clear(&l->closure);
    cmpd_compile_findings_clear(&l->findings);
}

/* The tag that the line's comment expects there; *near: lines that it may be off. */
static bool expectation(const char *line, size_t len, enum cmpd_tag *tag, uint32_t *near)
{
    CMPD_AUTOFREE char *s = cmpd_strndup(line, len);
    char *at = strstr(s, "// expect");
    *near = 0;
    if (!at)
        return false;
    at += strlen("// expect");
    if (strncmp(at, "-near: ", 7) == 0)
        *near = (uint32_t)strtoul(at + 7, &at, 10);
    at += strspn(at, ": ");
    assert_true(cmpd_tag_find(at, tag));
    return true;
}

static void test_fixtures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct loaded l;
        size_t matched = 0, expected = 0, len;
        make(names[i], &l);
        for (uint32_t n = 1; n < 200; n++) {
            const char *line = cmpd_text_line(l.text.data, l.text.len, n, &len);
            enum cmpd_tag tag;
            uint32_t near;
            if (!len || !expectation(line, len, &tag, &near))
                continue;
            expected++;
            for (size_t k = 0; k < l.findings.count; k++) {
                const struct cmpd_compile_finding *f = &l.findings.items[k];
                if (f->tag == tag && f->line + near >= n && f->line <= n + near)
                    matched++;
            }
        }
        if (!expected || matched != expected || l.findings.count != expected)
            fail_msg("%s: %zu expected, %zu of them found, %zu findings (first: %s)", names[i],
                     expected, matched, l.findings.count,
                     l.findings.count ? l.findings.items[0].message : "none");
        drop(&l);
    }
}

static enum cmpd_tag classify(enum cmpd_diag_tool tool, const char *path, const char *message,
                              const struct cmpd_nvcc *nvcc)
{
    struct cmpd_diag d = {.tool = tool,
                          .path = (char *)(uintptr_t)path,
                          .message = (char *)(uintptr_t)message,
                          .line = 1};
    struct cmpd_compile_context ctx = {.root = "/no/such/root",
                                       .file = "a.cu",
                                       .text = "",
                                       .len = 0,
                                       .nvcc = nvcc,
                                       .toolkit = "/usr/local/cuda"};
    const char *hint;
    return cmpd_compile_classify(&d, &ctx, &hint);
}

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        enum cmpd_diag_tool tool;
        const char *message;
        enum cmpd_tag tag;
    } rows[] = {
        {CMPD_DIAG_DRIVER, "Unsupported gpu architecture 'sm_12'", CMPD_TAG_compile_environment},
        {CMPD_DIAG_DRIVER, "'cicc' died due to signal 9 (Kill signal)",
         CMPD_TAG_compile_environment},
        {CMPD_DIAG_DRIVER, "something new", CMPD_TAG_compile_environment},
        {CMPD_DIAG_LINK, "Undefined reference to '_Z3foov' in '/tmp/a.o'",
         CMPD_TAG_compile_environment},
        {CMPD_DIAG_FRONT, "internal error: assertion failed", CMPD_TAG_compile_environment},
        {CMPD_DIAG_FRONT, "namespace \"std\" has no member \"span\"", CMPD_TAG_compile_environment},
        {CMPD_DIAG_FRONT, "namespace \"std\" has no member \"sortt\"", CMPD_TAG_compile_error},
        {CMPD_DIAG_FRONT, "identifier \"consteval\" is undefined", CMPD_TAG_compile_environment},
        {CMPD_DIAG_FRONT, "identifier \"__shfl_down\" is undefined", CMPD_TAG_compile_error},
        {CMPD_DIAG_FRONT, "identifier \"foo\" is undefined", CMPD_TAG_compile_error},
        {CMPD_DIAG_FRONT, "expected a \";\"", CMPD_TAG_compile_error},
        {CMPD_DIAG_FRONT,
         "no instance of overloaded function \"atomicAdd\" matches the argument list; "
         "argument types are: (const char *, float)",
         CMPD_TAG_compile_error},
        {CMPD_DIAG_PTXAS,
         "Entry function '_Z1kv' uses too much shared data (0x10000 bytes, 0xc000 max)",
         CMPD_TAG_compile_error},
    };
    struct cmpd_nvcc nvcc = {.path = "/usr/local/cuda/bin/nvcc", .std = "c++17", .arch = "sm_80"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (classify(rows[i].tool, "./a.cu", rows[i].message, &nvcc) != rows[i].tag)
            fail_msg("wrong class: %s", rows[i].message);
    }
    /* With the setting there, the same words are the file's own fault. */
    char *flag = "--extended-lambda";
    const char *lambda =
        "__host__ or __device__ annotation on lambda requires --extended-lambda nvcc flag";
    assert_int_equal(classify(CMPD_DIAG_FRONT, "./a.cu", lambda, &nvcc),
                     CMPD_TAG_compile_environment);
    nvcc.flags = (struct cmpd_strings){&flag, 1, 1};
    assert_int_equal(classify(CMPD_DIAG_FRONT, "./a.cu", lambda, &nvcc), CMPD_TAG_compile_error);
    nvcc.std = "c++20";
    assert_int_equal(
        classify(CMPD_DIAG_FRONT, "./a.cu", "namespace \"std\" has no member \"span\"", &nvcc),
        CMPD_TAG_compile_error);
    /* Inside a header of the toolkit, and no template of the file's leads there. */
    assert_int_equal(
        classify(CMPD_DIAG_FRONT, "/usr/local/cuda/include/x.h", "expected a \";\"", &nvcc),
        CMPD_TAG_compile_environment);
}

static void test_foreign_text_is_not_shown(void **state)
{
    (void)state;
    struct cmpd_diags diags;
    const char *said =
        "/etc/shadow(1): error: identifier \"root\" is undefined\n  root:secret\n  ^\n\n"
        "a.cu(3): error: expected a declaration\n";
    struct cmpd_nvcc nvcc = {.path = "/usr/local/cuda/bin/nvcc", .std = "c++17", .arch = "sm_80"};
    struct cmpd_compile_context ctx = {.root = "/src",
                                       .file = "a.cu",
                                       .text = "",
                                       .len = 0,
                                       .nvcc = &nvcc,
                                       .toolkit = "/usr/local/cuda"};
    struct cmpd_compile_findings l = {0};
    cmpd_diag_parse(said, strlen(said), &diags);
    cmpd_compile_findings_make(&diags, &ctx, &l);
    assert_int_equal(l.count, 1);
    assert_int_equal(l.items[0].tag, CMPD_TAG_compile_environment);
    assert_null(strstr(l.items[0].message, "root"));
    assert_null(strstr(l.items[0].message, "shadow"));
    cmpd_compile_findings_clear(&l);
    cmpd_diags_clear(&diags);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"_Z4kernPfi", "kern"},
                                          {"_ZN2ns4kernEPf", "kern"},
                                          {"plain", "plain"},
                                          {"_Z", ""},
                                          {"_Z999999999999999999999x", ""},
                                          {"_ZN", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[64];
        cmpd_plain_name(rows[i][0], out, sizeof out);
        assert_string_equal(out, rows[i][1]);
    }
}

int main(void)
{
    fixtures = cmpd_asprintf("%s/tests/compile", getenv("CMPD_SOURCE_DIR"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_foreign_text_is_not_shown), cmocka_unit_test(test_names)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(fixtures);
    return failed;
}
