/*
 * The lowering: each tests/unit/ir/NAME.cu against the dump in NAME.ir, and what a dump does not show
 * (source places, look-up of functions, walkers, limits). CMPD_UPDATE=1 writes the dumps anew: read the
 * difference before it is committed.
 */
#include "unit/unit.h"

#include "analysis/base/buf.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"
#include "analysis/ir/ir.h"
#include "analysis/syntax/ast.h"

struct lowered {
    struct cmpd_source *src;
    struct cmpd_arena arena;
    struct cmpd_ast *ast;
    struct ir_module *m;
};

static void lower_source(struct lowered *low, struct cmpd_source *src)
{
    struct cmpd_err err = {CMPD_OK, ""};
    memset(low, 0, sizeof *low);
    low->src = src;
    struct cmpd_tokens *toks = cmpd_lex(src, &low->arena);
    struct cmpd_unit *unit = cmpd_unit_build(toks, NULL, 0, NULL, NULL, &low->arena);
    if (cmpd_ast_parse(unit, &low->ast, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    low->m = cmpd_ir_lower(low->ast, &low->arena);
}

static void lower_text(struct lowered *low, const char *text)
{
    struct cmpd_source *src = NULL;
    assert_int_equal(cmpd_source_new_take("text.cu", strdup(text), strlen(text), &src, NULL),
                     CMPD_OK);
    lower_source(low, src);
}

static void lowered_clear(struct lowered *low)
{
    cmpd_ast_free(low->ast);
    cmpd_arena_clear(&low->arena);
    cmpd_source_free(low->src);
}

/* ---- dumps ---- */

static void golden_path(char *out, size_t size, const char *name, const char *ending)
{
    const char *root = getenv("CMPD_SOURCE_DIR");
    snprintf(out, size, "%s/tests/unit/ir/%s%s", root ? root : ".", name, ending);
}

static void write_golden(const char *path, const struct cmpd_buf *dump)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(cmpd_buf_str(dump), 1, dump->len, f), dump->len);
    fclose(f);
}

static void check_golden(void **state)
{
    const char *name = *state;
    char path[4096];
    struct cmpd_err err = {CMPD_OK, ""};
    struct cmpd_source *src = NULL, *want = NULL;
    struct lowered low;
    CMPD_BUF_AUTO struct cmpd_buf dump = CMPD_BUF_INIT;
    golden_path(path, sizeof path, name, ".cu");
    if (cmpd_source_open(path, &src, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    lower_source(&low, src);
    cmpd_ir_dump(low.m, &dump);
    golden_path(path, sizeof path, name, ".ir");
    if (getenv("CMPD_UPDATE"))
        write_golden(path, &dump);
    if (cmpd_source_open(path, &want, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(cmpd_buf_str(&dump), want->text);
    cmpd_source_free(want);
    lowered_clear(&low);
}

/* ---- what a dump does not show ---- */

struct spot {
    const struct lowered *low;
    const char *text; /* look for an expression with this source text */
    bool in_macro;
    size_t found;
};

static bool find_spot(const struct ir_expr *x, void *ctx)
{
    struct spot *s = ctx;
    size_t len = x->loc.end - x->loc.off;
    if (len == strlen(s->text) && memcmp(s->low->src->text + x->loc.off, s->text, len) == 0 &&
        x->loc.in_macro == s->in_macro)
        s->found++;
    return true;
}

static size_t count_spot(const struct lowered *low, const char *text, bool in_macro)
{
    struct spot s = {low, text, in_macro, 0};
    for (size_t i = 0; i < low->m->func_count; i++)
        cmpd_ir_walk_stmt(low->m->funcs[i]->body, find_spot, &s);
    return s.found;
}

static void places_lead_to_the_source(void **state)
{
    (void)state;
    struct lowered low;
    lower_text(&low, "#define IDX(r) ((r) * 16)\n"
                     "#define N 256\n"
                     "/* a remark */ __global__ void k(float *x, int a)\n"
                     "{\n"
                     "    x[IDX(a + 1)] = a * N; /* more */\n"
                     "    if (a /* here */ < 3) x[a] = 1;\n"
                     "}\n");
    assert_int_equal(count_spot(&low, "a + 1", false), 1);
    assert_int_equal(count_spot(&low, "IDX(a + 1)", true), 2); /* the product and its 16 */
    assert_int_equal(count_spot(&low, "N", true), 1);
    assert_int_equal(count_spot(&low, "a * N", false), 1);
    assert_int_equal(count_spot(&low, "x[IDX(a + 1)]", false), 1);
    assert_int_equal(count_spot(&low, "a /* here */ < 3", false), 1);
    const struct ir_func *k = low.m->funcs[0];
    assert_memory_equal(low.src->text + k->global_off, "__global__", 10);
    assert_int_equal(k->loc.off, k->global_off);
    assert_memory_equal(low.src->text + k->name_loc.off, "k(", 2);
    assert_int_equal(low.src->text[k->loc.end - 1], '}');
    lowered_clear(&low);
}

static void functions_are_found_by_arity(void **state)
{
    (void)state;
    struct lowered low;
    lower_text(
        &low, "void one(int); void one(int a) {}\n"
              "void two(int a) {} void two(float a) {} void two(int a, int b) {}\n"
              "template <typename T> void tee(T a) {} template <> void tee<int>(int a) {}\n"
              "void more(int a, int b = 2) {} void any(const char *f, ...) {} void only(int a);\n");
    assert_non_null(cmpd_ir_find_func(low.m, "one", 1));
    assert_non_null(cmpd_ir_find_func(low.m, "one", 1)->body);
    assert_null(cmpd_ir_find_func(low.m, "one", 2));
    assert_null(cmpd_ir_find_func(low.m, "two", 1)); /* two fit, and differ */
    assert_int_equal(cmpd_ir_find_func(low.m, "two", 2)->param_count, 2);
    assert_false(cmpd_ir_find_func(low.m, "tee", 1)->is_specialization);
    assert_non_null(cmpd_ir_find_func(low.m, "more", 1));
    assert_non_null(cmpd_ir_find_func(low.m, "more", 2));
    assert_null(cmpd_ir_find_func(low.m, "more", 0));
    assert_non_null(cmpd_ir_find_func(low.m, "any", 5));
    assert_null(cmpd_ir_find_func(low.m, "only", 1));
    assert_null(cmpd_ir_find_func(low.m, "none", 0));
    lowered_clear(&low);
}

static void builtin_types_have_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum ir_type_kind kind;
        uint32_t size, align;
        bool is_signed;
    } want[] = {
        {"float4", IR_T_STRUCT, 16, 16, false},
        {"float3", IR_T_STRUCT, 12, 4, false},
        {"double3", IR_T_STRUCT, 24, 8, false},
        {"double4", IR_T_STRUCT, 32, 16, false},
        {"char1", IR_T_STRUCT, 1, 1, false},
        {"uchar2", IR_T_STRUCT, 2, 2, false},
        {"short3", IR_T_STRUCT, 6, 2, false},
        {"ushort4", IR_T_STRUCT, 8, 8, false},
        {"ulonglong4", IR_T_STRUCT, 32, 16, false},
        {"long2", IR_T_STRUCT, 16, 16, false},
        {"dim3", IR_T_STRUCT, 12, 4, false},
        {"uint3", IR_T_STRUCT, 12, 4, false},
        {"half", IR_T_FLOAT, 2, 2, true},
        {"__half2", IR_T_STRUCT, 4, 4, false},
        {"__nv_bfloat16", IR_T_FLOAT, 2, 2, true},
        {"nv_bfloat162", IR_T_STRUCT, 4, 4, false},
        {"size_t", IR_T_INT, 8, 8, false},
        {"std::int8_t", IR_T_INT, 1, 1, true},
        {"uint16_t", IR_T_INT, 2, 2, false},
        {"unsigned long long", IR_T_INT, 8, 8, false},
        {"bool", IR_T_BOOL, 1, 1, false},
        {"cudaStream_t", IR_T_PTR, 8, 8, false},
        {"long double", IR_T_FLOAT, 16, 16, true},
        {"cudaLaunchConfig_t", IR_T_STRUCT, 56, 8, false},
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        const struct ir_type *t = cmpd_ir_builtin_type(want[i].name, strlen(want[i].name));
        if (!t)
            fail_msg("%s is not known", want[i].name);
        assert_int_equal(t->kind, want[i].kind);
        assert_int_equal(t->size, want[i].size);
        assert_int_equal(t->align, want[i].align);
        assert_int_equal(t->is_signed, want[i].is_signed);
    }
    assert_null(cmpd_ir_builtin_type("float5", 6));
    assert_null(cmpd_ir_builtin_type("floa", 4));
}

static bool count_all(const struct ir_expr *x, void *ctx)
{
    (void)x;
    ++*(size_t *)ctx;
    return true;
}

static bool count_outer(const struct ir_expr *x, void *ctx)
{
    ++*(size_t *)ctx;
    return x->kind != IR_X_CALL;
}

static bool count_stmt(const struct ir_stmt *s, void *ctx)
{
    ++*(size_t *)ctx;
    return s->kind != IR_S_FOR;
}

static void walkers_reach_all(void **state)
{
    (void)state;
    struct lowered low;
    size_t all = 0, outer = 0, stmts = 0;
    lower_text(
        &low,
        "void f(int n) { int a = n + 1; for (int i = 0; i < n; i++) g(a, i); if (a) h(n); }\n");
    const struct ir_stmt *body = low.m->funcs[0]->body;
    cmpd_ir_walk_stmt(body, count_all, &all);
    cmpd_ir_walk_stmt(body, count_outer, &outer);
    cmpd_ir_walk_stmts(body, count_stmt, &stmts);
    assert_int_equal(all, 3 + 1 + 3 + 2 + 4 + 1 + 3);
    assert_int_equal(outer, 3 + 1 + 3 + 2 + 1 + 1 + 1);
    assert_int_equal(stmts, 5); /* the block, a, for, if, h(n) */
    lowered_clear(&low);
}

/* `head` n times, then `mid`, then `tail` n times. */
static char *nested(const char *before, const char *head, const char *mid, const char *tail,
                    const char *after, size_t n)
{
    struct cmpd_buf b = CMPD_BUF_INIT;
    cmpd_buf_puts(&b, before);
    for (size_t i = 0; i < n; i++)
        cmpd_buf_puts(&b, head);
    cmpd_buf_puts(&b, mid);
    for (size_t i = 0; i < n; i++)
        cmpd_buf_puts(&b, tail);
    cmpd_buf_puts(&b, after);
    return cmpd_buf_steal(&b);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *before, *head, *mid, *tail, *after;
        size_t n;
        bool too_deep;
    } texts[] = {
        {"void f(int x) { g(", "", "x", " + 1", "); }", 200, false},
        {"void f(int x) { g(", "", "x", " + 1", "); }", 5000, true},
        {"void f(int x) { g(", "!", "x", "", "); }", 5000, true},
        {"void f(int x) { ", "if (x) g(); else ", "g();", "", " }", 150, false},
        {"void f(int x) { ", "if (x) g(); else ", "g();", "", " }", 3000, true},
        {"void f(int x) { ", "x = ", "1", "", "; }", 3000, true},
        {"void f() { int ", "*", "x", "", "; }", 3000, true},
        {"void f(int x) { x", "", "", ".a", "; }", 3000, true},
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct lowered low;
        char *text = nested(texts[i].before, texts[i].head, texts[i].mid, texts[i].tail,
                            texts[i].after, texts[i].n);
        lower_text(&low, text);
        assert_int_equal(low.m->func_count, 1);
        assert_int_equal(low.m->funcs[0]->has_error, texts[i].too_deep);
        CMPD_BUF_AUTO struct cmpd_buf dump = CMPD_BUF_INIT;
        cmpd_ir_dump(low.m, &dump);
        assert_int_equal(strstr(cmpd_buf_str(&dump), "UNKNOWN") != NULL, texts[i].too_deep);
        lowered_clear(&low);
        free(text);
    }
}

static void odd_text_is_survived(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "}",
        "template",
        "template <",
        "template <typename T",
        "struct S { S",
        "namespace a { namespace",
        "__global__ void k(",
        "__global__ void k() { extern __shared__",
        "void f() { dim3 g(",
        "void f() { k<<<1",
        "void f() { k<<<>>>(); }",
        "void f() { auto [a, b] = ",
        "enum { A = B, B = A };",
        "template <int N> struct A { A<N + 1> *p; A<N - 1> q; }; A<3> a;",
        "template <typename T> struct P { P<P<T>> x; T y; }; P<int> p;",
        "struct S : S { S s; }; S s;",
        "constexpr int a = b, b = a; int c[a];",
        "using A = A; using B = C; using C = B; A a; B b;",
        "int a[2147483647][2147483647]; struct T { int a[2147483647]; char b[2147483647]; };",
        "template <typename... A> void f(A... a) { g(a...); (a + ...); sizeof...(A); }",
        "void f() { switch (1) { case 1 ... 3: ; } ({ int x = 1; x; }); &&label; }",
        "operator int() { return 1; } int operator\"\"_x(int);",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct lowered low;
        CMPD_BUF_AUTO struct cmpd_buf dump = CMPD_BUF_INIT;
        lower_text(&low, texts[i]);
        cmpd_ir_dump(low.m, &dump);
        assert_non_null(low.m);
        lowered_clear(&low);
    }
}

#define GOLDEN(name)                                               \
    {                                                              \
#name, check_golden, NULL, NULL, (void *)(uintptr_t) #name \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        GOLDEN(asm_stmt),
        GOLDEN(casts),
        GOLDEN(comparisons),
        GOLDEN(containers),
        GOLDEN(control),
        GOLDEN(conversions),
        GOLDEN(errors),
        GOLDEN(globals),
        GOLDEN(initialisers),
        GOLDEN(kernel),
        GOLDEN(known),
        GOLDEN(lambdas),
        GOLDEN(launch_api),
        GOLDEN(launches),
        GOLDEN(layout),
        GOLDEN(literals),
        GOLDEN(macros),
        GOLDEN(methods),
        GOLDEN(overloads),
        GOLDEN(scopes),
        GOLDEN(shared),
        GOLDEN(templates),
        GOLDEN(unroll),
        GOLDEN(vexing),
        cmocka_unit_test(places_lead_to_the_source),
        cmocka_unit_test(functions_are_found_by_arity),
        cmocka_unit_test(builtin_types_have_sizes),
        cmocka_unit_test(walkers_reach_all),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(odd_text_is_survived),
    };
    return cmocka_run_group_tests_name("ir", tests, NULL, NULL);
}
