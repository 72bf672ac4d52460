/* The tree over a unit's text: what parses, what is refused, and that positions hold. */
#include "text_helper.h"

#include <pthread.h>

#include "analysis/base/limits.h"
#include "analysis/syntax/ast.h"

static struct cmpd_ast *parse(struct text_fixture *f, const char *text)
{
    struct cmpd_ast *ast = NULL;
    struct cmpd_err err = {0};
    text_unit(f, text);
    if (cmpd_ast_parse(f->unit, &ast, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    return ast;
}

static bool has_error(const struct cmpd_ast *ast)
{
    return ts_node_has_error(ts_tree_root_node(ast->tree));
}

static void assert_parses(const char *text)
{
    struct text_fixture f;
    struct cmpd_ast *ast = parse(&f, text);
    if (has_error(ast))
        fail_msg("does not parse: %s", text);
    cmpd_ast_free(ast);
    text_close(&f);
}

static void what_breaks_the_grammar(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "__global__ void __launch_bounds__(256, 2) k(float *__restrict__ a) { a[threadIdx.x] = 1; }",
        "struct __align__(16) S { float a; };",
        "__global__ void k() { extern __shared__ __align__(16) unsigned char s[]; s[0] = 1; }",
        "void f() { auto g = [=] __device__ (int i) { return i; }; }",
        "void f() { const float **p = new const float *[n]; }",
        "void f() { printf(\"a\" PRIu64 \"b\\n\", x); }",
        "__global__ void __cluster_dims__(2, 1, 1) k(const __grid_constant__ P p) { }",
        "void f() { CHECK(x)\n int y = 1; }",
        "void f() { if (x) CHECK(y)\n else CHECK(z)\n }",
        "FOO_API float4 f() { return x; }",
        "template <typename T> HD T f(T a) { return a; }",
        "template class X<float>;",
        "void f() { DISPATCH(const float *, x); }",
        "__device__ __managed__ int m;",
        "__global__ void k() { asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(v) : \"memory\"); }",
        "void f() { ns::k<T, (N > 1)><<<dim3(1, 2), n >> 2, 0, s>>>(a, b); }",
        "#define CHECK(x) do { if (x) exit(1); } while (0)\nvoid f() { CHECK(a()); CHECK(b()); }",
        "#define LOOP(i, n) for (int i = 0; i < (n); i++)\nvoid f() { LOOP(j, 3) { g(j); } }",
        "void f() {\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  } }",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_parses(cases[i]);
}

/* The first node of a kind, depth first. */
static bool find_kind(TSNode n, const char *kind, TSNode *out)
{
    if (strcmp(ts_node_type(n), kind) == 0) {
        *out = n;
        return true;
    }
    for (uint32_t i = 0; i < ts_node_child_count(n); i++)
        if (find_kind(ts_node_child(n, i), kind, out))
            return true;
    return false;
}

static void positions_lead_back(void **state)
{
    (void)state;
    struct text_fixture f;
    struct cmpd_ast *ast =
        parse(&f, "#define N 256\n/* x */ int a = N;\nvoid f() { k<<<N, N>>>(a); }\n");
    TSNode n;
    assert_true(find_kind(ts_tree_root_node(ast->tree), "kernel_call_syntax", &n));
    assert_int_equal(cmpd_unit_origin(f.unit, ts_node_start_byte(n)),
                     text_find(f.src->text, "<<<", 0));
    cmpd_ast_free(ast);
    text_close(&f);
}

static void asm_survives(void **state)
{
    (void)state;
    struct text_fixture f;
    struct cmpd_ast *ast =
        parse(&f, "__global__ void k() { asm volatile(\"mov %0, %1;\" : \"=r\"(x) : \"r\"(y)); }");
    TSNode n;
    assert_true(find_kind(ts_tree_root_node(ast->tree), "gnu_asm_expression", &n));
    assert_true(find_kind(n, "gnu_asm_output_operand", &n));
    cmpd_ast_free(ast);
    text_close(&f);
}

static void errors_stay_local(void **state)
{
    (void)state;
    struct text_fixture f;
    struct cmpd_ast *ast = parse(&f, "void f() { x = = 3 }\n__global__ void k(int a) { a = 1; }\n");
    TSNode n;
    assert_true(has_error(ast));
    assert_true(find_kind(ts_tree_root_node(ast->tree), "__global__", &n));
    cmpd_ast_free(ast);
    text_close(&f);
}

static void repeated(struct cmpd_buf *b, const char *head, const char *what, unsigned times,
                     const char *tail)
{
    cmpd_buf_puts(b, head);
    for (unsigned i = 0; i < times; i++)
        cmpd_buf_puts(b, what);
    cmpd_buf_puts(b, tail);
}

static void assert_refused(const char *head, const char *what, unsigned times)
{
    struct cmpd_buf b = CMPD_BUF_INIT;
    struct text_fixture f;
    struct cmpd_ast *ast = NULL;
    struct cmpd_err err = {0};
    repeated(&b, head, what, times, "\n");
    text_unit(&f, cmpd_buf_str(&b));
    assert_int_equal(cmpd_ast_parse(f.unit, &ast, &err), CMPD_ELIMIT);
    assert_null(ast);
    assert_non_null(strstr(err.msg, "test.cu"));
    text_close(&f);
    cmpd_buf_clear(&b);
}

static void hostile_text_is_refused(void **state)
{
    (void)state;
    assert_refused("int a = ", "(", CMPD_NESTING_CEILING + 1);
    assert_refused("void f() { x = ", "a<", 50000); /* 250 MB if it were let */
    assert_parses("int a;");                        /* the parser is fit for the next file */
}

static void nesting_up_to_the_ceiling(void **state)
{
    (void)state;
    struct cmpd_buf b = CMPD_BUF_INIT;
    repeated(&b, "int a = ", "(", CMPD_NESTING_CEILING, "1");
    repeated(&b, "", ")", CMPD_NESTING_CEILING, ";");
    assert_parses(cmpd_buf_str(&b));
    cmpd_buf_clear(&b);
}

static void odd_files(void **state)
{
    (void)state;
    assert_parses("");
    assert_parses("\n\n");
    assert_parses("// only this");
    assert_parses("\xef\xbb\xbfint a;\r\n");
    struct text_fixture f;
    struct cmpd_ast *ast = NULL;
    text_open_bytes(&f, "int \0 a; \xff", 11);
    f.unit = cmpd_unit_build(f.toks, NULL, 0, NULL, NULL, &f.arena);
    assert_int_equal(cmpd_ast_parse(f.unit, &ast, NULL), CMPD_OK);
    cmpd_ast_free(ast);
    cmpd_ast_free(NULL);
    text_close(&f);
}

static void *parse_in_thread(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++) {
        struct text_fixture f;
        struct cmpd_ast *ast = NULL;
        text_unit(&f, "__global__ void k(float *a) { a[0] = 1; }");
        if (cmpd_ast_parse(f.unit, &ast, NULL) != CMPD_OK || has_error(ast))
            return "failed";
        cmpd_ast_free(ast);
        text_close(&f);
    }
    return NULL;
}

static void threads_have_their_own_parser(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, parse_in_thread, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_breaks_the_grammar),
        cmocka_unit_test(positions_lead_back),
        cmocka_unit_test(asm_survives),
        cmocka_unit_test(errors_stay_local),
        cmocka_unit_test(hostile_text_is_refused),
        cmocka_unit_test(nesting_up_to_the_ceiling),
        cmocka_unit_test(odd_files),
        cmocka_unit_test(threads_have_their_own_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
