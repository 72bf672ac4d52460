/* The diagnostics parser, on what nvcc 13.0 really said (tests/compile/recorded/). */
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
#include "gpu-runner/compile/diag.h"

static void parse_recorded(const char *name, struct cmpd_diags *d)
{
    const char *source = getenv("CMPD_SOURCE_DIR");
    assert_non_null(source);
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/tests/compile/recorded/%s.txt", source, name);
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    assert_int_equal(cmpd_file_read(path, 1 << 20, &text, NULL), CMPD_OK);
    cmpd_diag_parse(cmpd_buf_str(&text), text.len, d);
}

struct row {
    const char *recorded;
    size_t count; /* errors in all */
    size_t which; /* the one looked at */
    enum cmpd_diag_tool tool;
    const char *path; /* NULL: none */
    uint32_t line, column;
    const char *message; /* begins with */
};

static const struct row rows[] = {
    {"undeclared_many_uses", 1, 0, CMPD_DIAG_FRONT, "./bad/undeclared_many_uses.cu", 4, 0,
     "identifier \"count\" is undefined"},
    {"two_causes", 2, 1, CMPD_DIAG_FRONT, "./bad/two_causes.cu", 9, 0,
     "identifier \"second_unknown\" is undefined"},
    {"argument_type", 1, 0, CMPD_DIAG_FRONT, "./bad/argument_type.cu", 8, 0,
     "argument of type \"float *\" is incompatible with parameter of type \"float\""},
    {"template_arguments", 1, 0, CMPD_DIAG_FRONT, "./bad/template_arguments.cu", 8, 0,
     "no instance of function template \"k\" matches the argument list; argument types are: (float *)"},
    {"std_function_in_device", 10, 0, CMPD_DIAG_FRONT, "./bad/std_function_in_device.cu", 5, 0,
     "calling a __host__ function(\"std::vector<float"},
    {"torch_header", 1, 0, CMPD_DIAG_HOST, "./env/torch_header.cu", 1, 10,
     "torch/extension.h: No such file or directory"},
    {"error_directive", 1, 0, CMPD_DIAG_HOST, "./env/error_directive.cu", 2, 2, "#error \"TILE"},
    {"chain", 1, 0, CMPD_DIAG_HOST, "inner.h", 2, 10, "absent.h: No such file or directory"},
    {"host_compiler", 1, 0, CMPD_DIAG_HOST, "host.cu", 4, 6, "call to 'never' declared with"},
    {"shared_too_big", 1, 0, CMPD_DIAG_PTXAS, NULL, 0, 0,
     "Entry function '_Z1kPf' uses too much shared data"},
    {"asm_unknown", 2, 0, CMPD_DIAG_PTXAS, "/work-folder/asm_unknown.ptx", 30, 0,
     "Unknown modifier '.magic'"},
    {"wgmma_sm80", 3, 2, CMPD_DIAG_PTXAS, "/work-folder/wgmma_sm80.ptx", 38, 0,
     "Instruction 'wgmma.wait_group' not supported on .target 'sm_80'"},
    {"extern_function", 1, 0, CMPD_DIAG_PTXAS, NULL, 0, 0,
     "Unresolved extern function '_Z10activationf'"},
    {"driver_arch", 1, 0, CMPD_DIAG_DRIVER, NULL, 0, 0, "Unsupported gpu architecture 'sm_12'"},
    {"missing_brace", 3, 1, CMPD_DIAG_FRONT, NULL, 0, 0, "expected a \"}\""},
};

static void test_recorded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        struct cmpd_diags d;
        parse_recorded(r->recorded, &d);
        if (d.count != r->count)
            fail_msg("%s: %zu errors, expected %zu", r->recorded, d.count, r->count);
        const struct cmpd_diag *x = &d.items[r->which];
        assert_int_equal(x->tool, r->tool);
        if (r->path)
            assert_string_equal(x->path, r->path);
        else
            assert_null(x->path);
        assert_int_equal(x->line, r->line);
        assert_int_equal(x->column, r->column);
        if (strncmp(x->message, r->message, strlen(r->message)) != 0)
            fail_msg("%s: \"%s\" does not begin with \"%s\"", r->recorded, x->message, r->message);
        cmpd_diags_clear(&d);
    }
}

static void test_use_places(void **state)
{
    (void)state;
    struct cmpd_diags d;
    parse_recorded("error_in_instantiation", &d);
    assert_int_equal(d.count, 2); /* the member is named twice on the line */
    assert_string_equal(d.items[0].path, "./bad/include/generic.cuh");
    assert_int_equal(d.items[0].use_line, 6);
    assert_string_equal(d.items[0].use_path, "./bad/error_in_instantiation.cu");
    assert_non_null(strstr(d.items[0].context, "detected during instantiation"));
    cmpd_diags_clear(&d);
    parse_recorded("chain", &d);
    assert_string_equal(d.items[0].use_path, "chain.cu");
    assert_int_equal(d.items[0].use_line, 2);
    cmpd_diags_clear(&d);
    parse_recorded("missing_brace", &d);
    assert_int_equal(d.items[1].use_line, 4);
    assert_string_equal(d.items[1].use_path, "./bad/missing_brace.cu");
    cmpd_diags_clear(&d);
}

static void test_caret(void **state)
{
    (void)state;
    struct cmpd_diags d;
    parse_recorded("undeclared_many_uses", &d);
    assert_string_equal(d.items[0].shown, "    if (i < count)");
    assert_int_equal(d.items[0].caret, 13);
    cmpd_diags_clear(&d);
}

static void parse(const char *text, struct cmpd_diags *d)
{
    cmpd_diag_parse(text, strlen(text), d);
}

static void test_not_errors(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n\n\n",
        "a.cu(4): warning #177-D: variable \"x\" was declared but never referenced\n",
        "a.cu:4:2: warning: unused\n",
        "a.cu:4:2: note: here\n",
        "5 errors detected in the compilation of \"a.cu\".\n",
        "ptxas info    : Used 12 registers\n",
        "ptxas fatal   : Ptx assembly aborted due to errors\n",
        "error\n",
        ": error: \n",
        "a.cu(): error: x\n",
        "(3): error: x\n",
        "a.cu(4)error: x\n",
        "compilation terminated.\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cmpd_diags d;
        parse(texts[i], &d);
        if (d.count)
            fail_msg("\"%s\" was taken for an error: %s", texts[i], d.items[0].message);
        cmpd_diags_clear(&d);
    }
}

static void test_odd_forms(void **state)
{
    (void)state;
    struct cmpd_diags d;
    parse("a b(1).cu(7): catastrophic error: cannot open source file \"x.h\"\r\n", &d);
    assert_int_equal(d.count, 1);
    assert_string_equal(d.items[0].path, "a b(1).cu");
    assert_int_equal(d.items[0].line, 7);
    assert_string_equal(d.items[0].message, "cannot open source file \"x.h\"");
    cmpd_diags_clear(&d);
    parse("nvcc error   : 'cicc' died due to signal 9 (Kill signal)", &d);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.items[0].tool, CMPD_DIAG_DRIVER);
    cmpd_diags_clear(&d);
    parse("cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes\n", &d);
    assert_int_equal(d.count, 1);
    cmpd_diags_clear(&d);
    parse("a.cu(99999999999): error: big\n", &d);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.items[0].line, 0);
    cmpd_diags_clear(&d);
}

static void test_ceiling(void **state)
{
    (void)state;
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    for (unsigned i = 1; i <= 2 * CMPD_DIAGS_CEILING; i++)
        cmpd_buf_printf(&text, "a.cu(%u): error: e%u\n\n", i, i);
    struct cmpd_diags d;
    cmpd_diag_parse(text.data, text.len, &d);
    assert_int_equal(d.count, CMPD_DIAGS_CEILING);
    cmpd_diags_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),  cmocka_unit_test(test_use_places),
        cmocka_unit_test(test_caret),     cmocka_unit_test(test_not_errors),
        cmocka_unit_test(test_odd_forms), cmocka_unit_test(test_ceiling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
