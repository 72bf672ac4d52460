/* The core and the CUDA grammar fit together: the parser takes the language and parses a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_cuda(void);

static void test_parses_a_kernel(void **state)
{
    static const char source[] = "__global__ void f(float *x, int n)\n"
                                 "{\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n)\n"
                                 "        x[i] = 1.0f;\n"
                                 "}\n"
                                 "void g(float *x, int n) { f<<<(n + 255) / 256, 256>>>(x, n); }\n";
    TSParser *parser = ts_parser_new();

    (void)state;
    assert_true(ts_parser_set_language(parser, tree_sitter_cuda()));
    TSTree *tree = ts_parser_parse_string(parser, NULL, source, (uint32_t)strlen(source));
    assert_non_null(tree);
    TSNode root = ts_tree_root_node(tree);
    assert_string_equal(ts_node_type(root), "translation_unit");
    assert_false(ts_node_has_error(root));
    assert_int_equal(ts_node_named_child_count(root), 2);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parses_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
