/* The translation unit: expansion, conditions, the way back to the source, and the normaliser. */
#include "text_helper.h"

/* ---- expansion ---- */

static void assert_expands(const char *text, const char *expected)
{
    struct text_fixture f;
    text_unit(&f, text);
    const char *got = text_squeezed(&f, f.unit->text);
    if (strcmp(got, expected) != 0)
        fail_msg("%s\n gives %s\n not   %s", text, got, expected);
    assert_false(f.unit->cut);
    text_close(&f);
}

static void object_like(void **state)
{
    (void)state;
    assert_expands("#define N 256\nint a[N];", "int a[256];");
    assert_expands("#define A B\n#define B A + 1\nint x = A;", "int x = A + 1;");
    assert_expands("#define E\nint E x;", "int x;");
    assert_expands("#define M -1\nint x = -M;", "int x = - -1;");
    assert_expands("#define A 1\nA\n#undef A\nA\n#define A 2\nA", "1 A 2");
    assert_expands("#define A 1\n// A\nint /* A */ x; \"A\" 'A' AA", "int x; \"A\" 'A' AA");
}

static void function_like(void **state)
{
    (void)state;
    assert_expands("#define F(x, y) (x) + y\nint a = F(1, (2, 3)); F F;",
                   "int a = (1) + (2, 3); F F;");
    assert_expands("#define F(x) x\nF(F(F(1)))", "1");
    assert_expands("#define f(x) f(x + 1)\nf(f(2))", "f(f(2 + 1) + 1)");
    assert_expands("#define G() g\nG() G( ) G", "g g G");
    assert_expands("#define F(x) [x]\nF() F((,))", "[] [(,)]");
    assert_expands("#define F (x) x\nF", "(x) x");
    assert_expands("#define F(x) x\n#define G F\nG(3) G (4)", "3 4");
    assert_expands("#define CAT_OPEN f(\n#define f(x) <x>\nCAT_OPEN 1)", "<1>");
    assert_expands("#define F(a,\\\n b) a b\nF(1,\n2)", "1 2");
}

static void arguments_that_do_not_fit(void **state)
{
    (void)state;
    assert_expands("#define F(x, y) x\nF(1) F(1, 2, 3) F(1, 2)", "F(1) F(1, 2, 3) 1");
    assert_expands("#define F(x) x\nint a = F(1;", "int a = F(1;");
    assert_expands("#define BAD(x #x\nBAD(1)", "BAD(1)");
}

static void hashes(void **state)
{
    (void)state;
    assert_expands("#define S(x) #x\nS(a  +  \"q\\n\" '\"') S()",
                   "\"a + \\\"q\\\\n\\\" '\\\"'\" \"\"");
    assert_expands("#define C(a, b) a##b\nC(x, 1) C(, y) C(z,) C(+, +) C(L, 'c')",
                   "x1 y z ++ L'c'");
    assert_expands(
        "#define N 3\n#define C(a, b) a##b\n#define S(x) #x\n#define X(x) S(x)\nC(N, N); S(N) X(N)",
        "NN; \"N\" \"3\"");
    assert_expands("#define H # x\nH", "# x");
}

static void variadic(void **state)
{
    (void)state;
    assert_expands("#define P(f, ...) p(f, ##__VA_ARGS__)\nP(1) P(1, 2, (3, 4)) P(1,)",
                   "p(1) p(1, 2, (3, 4)) p(1)");
    assert_expands("#define V(...) [__VA_ARGS__] #__VA_ARGS__\nV() V(a, b)",
                   "[] \"\" [a, b] \"a, b\"");
    assert_expands("#define Y(a...) g(a)\nY(1, 2)", "g(1, 2)");
}

static void macros_of_headers_stay(void **state)
{
    (void)state;
    assert_expands("int v = CUDART_VERSION + __CUDA_ARCH__ + __CUDACC_VER_MAJOR__;",
                   "int v = CUDART_VERSION + __CUDA_ARCH__ + __CUDACC_VER_MAJOR__;");
}

static void defines_from_outside(void **state)
{
    (void)state;
    static const struct cmpd_define defines[] = {{"N", "64"}, {"DBG", NULL}, {"TWICE(x)", "x + x"}};
    struct text_fixture f;
    text_open(
        &f,
        "int a = N + TWICE(1);\n#if DBG == 1 && N > 63\nint b;\n#endif\n#ifdef OTHER\nint c;\n#endif\n");
    f.unit = cmpd_unit_build(f.toks, defines, 3, "12.4", "sm_90a", &f.arena);
    assert_string_equal(text_squeezed(&f, f.unit->text), "int a = 64 + 1 + 1; int b;");
    const struct cmpd_macro *n = cmpd_unit_macro_at(f.unit, "N", 1, 0);
    assert_true(n->predefined && !n->compiler);
    assert_string_equal(cmpd_unit_macro_at(f.unit, "__CUDACC_VER_MAJOR__", 20, 0)->body, "12");
    assert_string_equal(cmpd_unit_macro_at(f.unit, "CUDART_VERSION", 14, 0)->body, "12040");
    assert_string_equal(cmpd_unit_macro_at(f.unit, "__CUDA_ARCH__", 13, 0)->body, "900");
    text_close(&f);
}

/* ---- conditions ---- */

/* Is the group compiled, and was that a guess? */
static void assert_condition(const char *condition, bool active, bool guessed)
{
    struct text_fixture f;
    char text[512];
    snprintf(text, sizeof text,
             "#define ONE 1\n#define EMPTY\n#define F(x) (x * 2)\n#%s\nyes;\n#endif\n", condition);
    text_unit(&f, text);
    bool got = strstr(f.unit->text, "yes;") != NULL;
    if (got != active || f.unit->guessed_condition != guessed)
        fail_msg("%s: active %d, guessed %d", condition, got, f.unit->guessed_condition);
    text_close(&f);
}

static void conditions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool active, guessed;
    } cases[] = {
        {"if 1", true, false},
        {"if 0", false, false},
        {"if ONE && !0", true, false},
        {"if defined(ONE) && defined EMPTY && !defined(ONE) == 0", true, false},
        {"ifdef ONE", true, false},
        {"ifndef ONE", false, false},
        {"if 1 + 2 * 3 == 7 && (8 >> 2) == 2 && 7 % 4 == 3 && (6 & 3) == 2 && (4 | 1) == 5 && (6 ^ 3) == 5",
         true, false},
        {"if -1 < 0 && -1 > 0u && ~0 == -1 && 10 / 3 == 3 && -7 / 2 == -3", true, false},
        {"if 0x10 == 16 && 010 == 8 && 0b11 == 3 && 1'000 == 1000 && 5ULL == 5 && 'a' == 97", true,
         false},
        {"if 1 ? 0 : 1", false, false},
        {"if (2 || 1 / 0) && 1 <= 1 && 2 >= 1 && 1 != 2 && 1 << 4 == 16", true, false},
        {"if 1 / 0", false, true},
        {"if F(3) == 6", true, false},
        {"if true && !false", true, false},
        {"if CUDART_VERSION >= 12000 && __CUDACC_VER_MAJOR__ == 13 && defined(__CUDACC__)", true,
         false},
        {"if __cplusplus >= 201703L && defined(__linux__) && __GNUC__ >= 9", true, false},
        {"ifdef _WIN32", false, false},
        {"if defined(_MSC_VER) || defined(__HIP_PLATFORM_AMD__)", false, false},
        {"if __has_include(<vector>) && __has_include(<cuda_fp16.h>) && __has_include(\"cub/cub.cuh\")",
         true, false},
        {"if __has_include(<my/own.h>)", false, true},
        {"ifdef UNKNOWN", false, true},
        {"ifndef UNKNOWN", true, true},
        {"if UNKNOWN > 2", false, true},
        {"if 0 && UNKNOWN", false, false},
        {"if 1 || UNKNOWN", true, false},
        {"if UNKNOWN(3)", false, true},
        {"if", false, true},
        {"if 1 +", false, true},
        {"if (1", false, true},
        {"if 1 1", false, true},
        {"if EMPTY", false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_condition(cases[i].text, cases[i].active, cases[i].guessed);
}

static void branches(void **state)
{
    (void)state;
    assert_expands("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b e");
    assert_expands("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c");
    assert_expands("#if 0\n#define A 1\n#endif\nA", "A");
    assert_expands("#if 1\na\n#else\nb\n#else\nc\n#endif\n#endif\nd", "a d");
    assert_expands("#if 0\nit's \"odd\n#endif\na", "a");
    assert_expands("#if 0\na", "");
}

static void guards_are_no_guess(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(
        &f,
        "#ifndef A_H\n#define A_H\n#ifndef BLOCK\n#define BLOCK 128\n#endif\nint a = BLOCK;\n#endif\n");
    assert_false(f.unit->guessed_condition);
    assert_string_equal(text_squeezed(&f, f.unit->text), "int a = 128;");
    text_close(&f);
}

static void guessed_groups(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(&f, "int a;\n#ifdef FAST\nint b;\n#else\nint c;\n#endif\nint d;\n");
    assert_int_equal(f.unit->guess_count, 1);
    uint32_t c = text_find(f.src->text, "int c", 0), d = text_find(f.src->text, "int d", 0);
    assert_true(cmpd_unit_guessed_in(f.unit, c, c + 5));
    assert_false(cmpd_unit_guessed_in(f.unit, d, d + 5));
    assert_false(cmpd_unit_guessed_in(f.unit, 0, 6));
    text_close(&f);
}

static void the_device_pass(void **state)
{
    (void)state;
    /* In bodies the function's kind decides; at namespace scope what the group holds. */
    assert_expands(
        "__device__ int f() {\n#if __CUDA_ARCH__ >= 800\n return 1;\n#else\n return 0;\n#endif\n}",
        "__device__ int f() { return 1; }");
    assert_expands("void f() {\n#ifdef __CUDA_ARCH__\n a;\n#else\n b;\n#endif\n}",
                   "void f() { b; }");
    assert_expands(
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600\n__device__ void f();\n#endif", "");
    assert_expands("#if __CUDA_ARCH__ >= 700\n__global__ void k() {}\n#endif",
                   "__global__ void k() {}");
    assert_expands("#ifdef __CUDA_ARCH__\nint d;\n#else\nint h;\n#endif", "int h;");
}

/* ---- directives and macros ---- */

static void directives(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(
        &f,
        "#include <a/b.h>\n#include \"c.h\"\n#define A(x, ...) x /* no */ + \\\n 1\n#undef A\n#undef NONE\n"
        "#pragma unroll 4\n#if 0\n#define B\n#endif\n#error no\n");
    static const struct {
        enum cmpd_directive_kind kind;
        const char *name;
        bool active;
    } expected[] = {
        {CMPD_DIR_INCLUDE, "a/b.h", true}, {CMPD_DIR_INCLUDE, "c.h", true},
        {CMPD_DIR_DEFINE, "A", true},      {CMPD_DIR_UNDEF, "A", true},
        {CMPD_DIR_UNDEF, "NONE", true},    {CMPD_DIR_PRAGMA, "unroll", true},
        {CMPD_DIR_IF, "0", true},          {CMPD_DIR_DEFINE, "B", false},
        {CMPD_DIR_IF, "", true},           {CMPD_DIR_OTHER, "no", true},
    };
    assert_int_equal(f.unit->directive_count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < f.unit->directive_count; i++) {
        const struct cmpd_directive *d = &f.unit->directives[i];
        assert_int_equal(d->kind, expected[i].kind);
        assert_int_equal(d->active, expected[i].active);
        assert_int_equal(d->name_len, strlen(expected[i].name));
        assert_memory_equal(f.src->text + d->name_off, expected[i].name, d->name_len);
    }
    assert_true(f.unit->directives[0].system_include && !f.unit->directives[1].system_include);
    const struct cmpd_macro *a = f.unit->directives[2].macro;
    assert_string_equal(a->name, "A");
    assert_string_equal(a->body, "x + 1");
    assert_true(a->function_like && a->variadic && a->param_count == 1);
    assert_string_equal(a->params[0], "x");
    assert_ptr_equal(f.unit->directives[3].macro, a);
    assert_null(f.unit->directives[4].macro);
    text_close(&f);
}

static void macros_in_force(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(&f, "#define A 1\nA A\n#undef A\nA\n#define A 2\nA\n#define A 3\nA\n");
    const char *text = f.src->text;
    const struct cmpd_macro *first = cmpd_unit_macro_at(f.unit, "A", 1, text_find(text, "A A", 0));
    assert_string_equal(first->body, "1");
    assert_int_equal(first->use_count, 2);
    assert_int_equal(first->undef_off, text_find(text, "#undef A", 0) + 7);
    assert_null(first->redefines);
    assert_null(cmpd_unit_macro_at(f.unit, "A", 1, text_find(text, "A\n#define A 2", 0)));
    const struct cmpd_macro *last = cmpd_unit_macro_at(f.unit, "A", 1, (uint32_t)f.src->len);
    assert_string_equal(last->body, "3");
    assert_string_equal(last->redefines->body, "2");
    assert_ptr_equal(last->redefines->redefines, first);
    assert_int_equal(last->undef_off, UINT32_MAX);
    assert_null(cmpd_unit_macro_at(f.unit, "A", 1, 3));
    assert_null(cmpd_unit_macro_at(f.unit, "B", 1, 3));
    text_close(&f);
}

/* ---- the way back ---- */

static void without_macros_nothing_moves(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(&f, "\xef\xbb\xbfint a; // x\r\n#pragma once\r\nint b;\r\n");
    assert_int_equal(f.unit->len, f.src->len);
    assert_int_equal(f.unit->run_count, 1);
    for (uint32_t i = 0; i < f.unit->len; i++) {
        assert_int_equal(cmpd_unit_origin(f.unit, i), i);
        assert_true(f.unit->text[i] == f.src->text[i] || f.unit->text[i] == ' ');
    }
    assert_null(cmpd_unit_use_at(f.unit, 4));
    text_close(&f);
}

static void origins(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(&f, "#define SQ(x) ((x) * (x))\nint a = SQ(foo + 1) + bar;\n");
    const char *src = f.src->text, *exp = f.unit->text;
    assert_string_equal(text_squeezed(&f, exp), "int a = ((foo + 1) * (foo + 1)) + bar;");
    uint32_t use = text_find(src, "SQ(foo", 0);
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "int", 0)), text_find(src, "int", 0));
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "((", 0)), use);
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "foo", 0)), text_find(src, "foo", 0));
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "foo", 1)), text_find(src, "foo", 0));
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "* (", 0)), use);
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "bar", 0)), text_find(src, "bar", 0));
    assert_int_equal(cmpd_unit_origin(f.unit, (uint32_t)f.unit->len), f.src->len);
    const struct cmpd_macro_use *u = cmpd_unit_use_at(f.unit, text_find(exp, "foo", 0));
    assert_string_equal(u->macro->name, "SQ");
    assert_int_equal(u->off, use);
    assert_int_equal(u->len, strlen("SQ(foo + 1)"));
    assert_int_equal(u->exp_off, text_find(exp, "((", 0));
    assert_int_equal(u->exp_len, strlen("((foo + 1) * (foo + 1))"));
    assert_null(cmpd_unit_use_at(f.unit, text_find(exp, "bar", 0)));
    text_close(&f);
}

static void uses_inside_uses(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(&f,
              "#define N 4\n#define BYTES(n) ((n) * SIZE)\n#define SIZE 8\n#define CALL(x) run(x)\n"
              "CALL(BYTES(N) + 1);\n");
    const char *src = f.src->text, *exp = f.unit->text;
    assert_string_equal(text_squeezed(&f, exp), "run(((4) * 8) + 1);");
    assert_int_equal(f.unit->use_count, 4);
    const struct cmpd_macro_use *u = cmpd_unit_use_at(f.unit, text_find(exp, "4", 0));
    assert_string_equal(u->macro->name, "N");
    assert_int_equal(u->off, text_find(src, "N) + 1", 0));
    u = &f.unit->uses[u->parent - 1];
    assert_string_equal(u->macro->name, "BYTES");
    assert_int_equal(u->off, text_find(src, "BYTES(N)", 0));
    assert_int_equal(u->len, 8);
    assert_int_equal(u->exp_off, text_find(exp, "((4)", 0));
    assert_int_equal(u->exp_len, strlen("((4) * 8)"));
    u = &f.unit->uses[u->parent - 1];
    assert_string_equal(u->macro->name, "CALL");
    assert_int_equal(u->parent, 0);
    u = cmpd_unit_use_at(f.unit, text_find(exp, "8", 0));
    assert_string_equal(u->macro->name, "SIZE");
    assert_string_equal(cmpd_unit_use_at(f.unit, text_find(exp, "+ 1", 0))->macro->name, "CALL");
    text_close(&f);
}

static void a_use_over_several_lines(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(
        &f,
        "#define RUN(...) do { __VA_ARGS__; } while (0)\nRUN(\n  first(),\n  second()\n);\nlast();\n");
    const char *src = f.src->text, *exp = f.unit->text;
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "second", 0)),
                     text_find(src, "second", 0));
    assert_int_equal(cmpd_unit_origin(f.unit, text_find(exp, "last", 0)),
                     text_find(src, "last", 0));
    uint32_t from = text_find(exp, "do {", 0), to = text_find(exp, "while", 0);
    assert_null(memchr(exp + from, '\n', to - from));
    text_close(&f);
}

/* ---- ceilings ---- */

static void floods_are_cut(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(
        &f,
        "#define A x x x x x x x x x x\n#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n"
        "#define D C C C C C C C C C C\n#define E D D D D D D D D D D\n#define F E E E E E E E E E E\n"
        "int before; F; int after; A;\n");
    assert_true(f.unit->cut);
    assert_true(f.unit->len < 10000);
    assert_non_null(strstr(f.unit->text, "F; int after; x x x"));
    text_close(&f);
}

static void deep_arguments_are_cut(void **state)
{
    (void)state;
    struct cmpd_buf b = CMPD_BUF_INIT;
    cmpd_buf_puts(&b, "#define F(x) x x\nint a = ");
    for (int i = 0; i < 5000; i++)
        cmpd_buf_puts(&b, "F(");
    cmpd_buf_puts(&b, "1");
    for (int i = 0; i < 5000; i++)
        cmpd_buf_puts(&b, ")");
    struct text_fixture f;
    text_unit(&f, cmpd_buf_str(&b));
    assert_true(f.unit->cut);
    text_close(&f);
    cmpd_buf_clear(&b);
}

/* ---- the normaliser ---- */

/* The unit's text has the source's length, and reads so. */
static void assert_reads(const char *text, const char *expected)
{
    struct text_fixture f;
    text_unit(&f, text);
    assert_int_equal(f.unit->len, f.src->len);
    const char *got = text_squeezed(&f, f.unit->text);
    if (strcmp(got, expected) != 0)
        fail_msg("%s\n reads %s\n not   %s", text, got, expected);
    text_close(&f);
}

static void attributes(void **state)
{
    (void)state;
    struct text_fixture f;
    const char *text =
        "__global__ void __launch_bounds__(256, N / 2) __maxnreg__ (64) k(const __grid_constant__ P p);\n"
        "struct __align__(16) S { float x; };\nAPI __forceinline__ float4 f();\n";
    text_unit(&f, text);
    assert_int_equal(f.unit->len, strlen(text));
    assert_string_equal(text_squeezed(&f, f.unit->text),
                        "__global__ void k(const P p); struct S { float x; }; float4 f();");
    static const struct {
        const char *name, *args;
    } expected[] = {{"__launch_bounds__", "256, N / 2"},
                    {"__maxnreg__", "64"},
                    {"__grid_constant__", NULL},
                    {"__align__", "16"},
                    {"API", NULL},
                    {"__forceinline__", NULL}};
    assert_int_equal(f.unit->attr_count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < f.unit->attr_count; i++) {
        const struct cmpd_attr *a = &f.unit->attrs[i];
        assert_string_equal(a->name, expected[i].name);
        assert_int_equal(a->exp_off, text_find(text, a->name, 0));
        if (expected[i].args) {
            assert_string_equal(a->args, expected[i].args);
            assert_int_equal(a->args_off, text_find(text, a->args, 0));
        } else {
            assert_null(a->args);
        }
    }
    text_close(&f);
}

static void qualifier_macros(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"FOO_API void f();", "void f();"},
        {"A_B C_D static int f();", "static int f();"},
        {"static HD float4 f();", "static float4 f();"},
        {"template <class T> HD T f(T a);", "template <class T> T f(T a);"},
        {"template <class T> BOUNDS(512) __global__ void k(T *a);",
         "template <class T> __global__ void k(T *a);"},
        {"void CALLBACK f(int x);", "void f(int x);"},
        {"float *QUAL x, *const QUAL_TWO y;", "float * x, *const QUAL_TWO y;"},
        {"const float *MY_RESTRICT p = q;", "const float * p = q;"},
        {"class API Foo : public Bar {};", "class Foo : public Bar {};"},
        {"void f() { LOCALS\n const int x = 1; }", "void f() { const int x = 1; }"},
        {"auto g = [=] GPU_LAMBDA (int i) { };", "auto g = [=] (int i) { };"},
        {"void f(int a MORE_ARGS, Foo<T> b REST);", "void f(int a , Foo<T> b );"},
        {"void f(CONSTANT Foo const a, IN Bar b);", "void f( Foo const a, Bar b);"},
        {"struct S { HD S(int a) : b(a) {} };", "struct S { S(int a) : b(a) {} };"},
        {"typedef struct MY_ALIGN(4) { int a; } A;", "typedef struct { int a; } A;"},
        {"void f() { g();\n SET_ONE\n SET_TWO\n p.x = 1; }", "void f() { g(); p.x = 1; }"},
        {"namespace a {\nint x;\n}\nA_NAMESPACE_END\n", "namespace a { int x; }"},
        {"struct S {\n MEMBERS\n};", "struct S { };"},
        {"HD Ptr<T> f() const;", "Ptr<T> f() const;"},
        {"int x; DEV HOST float *f(int a);", "int x; float *f(int a);"},
        /* These are types, constants and variables, and stay. */
        {"static REAL f(REAL x);", "static REAL f(REAL x);"},
        {"REAL __device__ f(int x);", "REAL __device__ f(int x);"},
        {"FLOAT const x = 1; BYTE *p = q; DTYPE y;", "FLOAT const x = 1; BYTE *p = q; DTYPE y;"},
        {"int a = NUM * count, b = MAX_N;", "int a = NUM * count, b = MAX_N;"},
        {"BOOL Foo::flag = FALSE;", "BOOL Foo::flag = FALSE;"},
        {"return FAILURE;", "return FAILURE;"},
        {"enum E {\n ONLY_ONE\n};", "enum E { ONLY_ONE };"},
        {"void f(Matrix MA, int NUM, float *OUT_A);", "void f(Matrix MA, int NUM, float *OUT_A);"},
        {"x = a ? b : MAX_N * c;", "x = a ? b : MAX_N * c;"},
        {"static REAL\nf(int a);", "static REAL f(int a);"},
        {"case KIND_A: x = 1;", "case KIND_A: x = 1;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_reads(cases[i][0], cases[i][1]);
}

/* The text without white space. */
static const char *solid(struct text_fixture *f, const char *text)
{
    char *out = cmpd_arena_strndup(&f->arena, text, strlen(text)), *w = out;
    for (const char *p = text; *p; p++)
        if (!strchr(" \n", *p))
            *w++ = *p;
    *w = '\0';
    return out;
}

static void statement_macros(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"void f() { CHECK(a)\n CHECK(b)\n int c; }", "void f() { CHECK(a); CHECK(b); int c; }"},
        {"void f() { CHECK(a) }", "void f() { CHECK(a);}"},
        {"void f() { if (x) CHECK(a)\n else CHECK(b)\n}",
         "void f() { if (x) CHECK(a); else CHECK(b);}"},
        {"switch (x) { case 0: CHECK(a)\n break; }", "switch (x) { case 0: CHECK(a); break; }"},
        {"void f() { check(a)\n b(); }", "void f() { check(a); b(); }"},
        {"REGISTER(a)\n", "REGISTER(a);"},
        /* No statements, or none that ended. */
        {"int a[] = { FOO(1) };", "int a[] = { FOO(1) };"},
        {"x = { y(1), FOO(2) };", "x = { y(1), FOO(2) };"},
        {"if (a)\n b();", "if (a)\n b();"},
        {"while (a)\n b();", "while (a)\n b();"},
        {"Foo(int a)\n noexcept {}", "Foo(int a)\n noexcept {}"},
        {"x = f(a)\n + b;", "x = f(a)\n + b;"},
        {"f(a)\n .g();", "f(a)\n .g();"},
        {"k<<<1, 2>>>\n (a);", "k<<<1, 2>>>\n (a);"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text_fixture f;
        text_unit(&f, cases[i][0]);
        const char *want = solid(&f, cases[i][1]), *got = solid(&f, f.unit->text);
        if (strcmp(got, want) != 0)
            fail_msg("%s\n reads %s\n not   %s", cases[i][0], got, want);
        assert_int_equal(f.unit->len, f.src->len);
        text_close(&f);
    }
}

static void constructs(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"auto g = [=] __host__ __device__ (int i) { };", "auto g = [=] (int i) { };"},
        {"int a[3]; __device__ int b;", "int a[3]; __device__ int b;"},
        {"p = new const float *[n];", "p = new float [n];"},
        {"printf(\"a\" PRIu64 \"b\" STR(x) \"c\", FMT \"d\");",
         "printf(\"a\" \"b\" \"c\", \"d\");"},
        {"auto s = \"a\"_s;", "auto s = \"a\"_s;"},
        {"extern \"C\" FOO void f();", "extern \"C\" void f();"},
        {"template class X<float>;", "class X<float>;"},
        {"extern template void f<int>(int a);", ""},
        {"x = va_arg(ap, unsigned int); FOO(const float *, y);",
         "x = va_arg(ap, Unsigned_int); FOO(Const_float , y);"},
        {"x = typename T::X(1) + g(typename T::template Y<1>{});",
         "x = T::X(1) + g( T::template Y<1>{});"},
        {"template <typename T, typename U = V> void f(typename T::X a);",
         "template <typename T, typename U = V> void f(typename T::X a);"},
        {"struct S { int a : 14, : 2; int : 1, b : 3; };", "struct S { int a : 14 ; int b : 3; };"},
        {"MY_STATIC_ASSERT(a > b, \"c\");", ";"},
        {"void f(T x = {});", "void f(T x );"},
        {"p = alloc(int, n); using F = R(int, T);", "p = alloc(Int, n); using F = R(int, T);"},
        {"const int *const __restrict a, int *__restrict b;",
         "const int *const a, int *__restrict b;"},
        {"void FOO(float); x = foo(a * b);", "void FOO(float); x = foo(a * b);"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_reads(cases[i][0], cases[i][1]);
}

static void nesting_of_the_text(void **state)
{
    (void)state;
    struct text_fixture f;
    text_unit(&f, "#define P(x) ((((x))))\nint a = P(P([1]));\n");
    assert_int_equal(f.toks->max_nesting, 3);
    assert_int_equal(f.unit->max_nesting, 9);
    text_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(object_like),
        cmocka_unit_test(function_like),
        cmocka_unit_test(arguments_that_do_not_fit),
        cmocka_unit_test(hashes),
        cmocka_unit_test(variadic),
        cmocka_unit_test(macros_of_headers_stay),
        cmocka_unit_test(defines_from_outside),
        cmocka_unit_test(conditions),
        cmocka_unit_test(branches),
        cmocka_unit_test(guards_are_no_guess),
        cmocka_unit_test(guessed_groups),
        cmocka_unit_test(the_device_pass),
        cmocka_unit_test(directives),
        cmocka_unit_test(macros_in_force),
        cmocka_unit_test(without_macros_nothing_moves),
        cmocka_unit_test(origins),
        cmocka_unit_test(uses_inside_uses),
        cmocka_unit_test(a_use_over_several_lines),
        cmocka_unit_test(floods_are_cut),
        cmocka_unit_test(deep_arguments_are_cut),
        cmocka_unit_test(attributes),
        cmocka_unit_test(qualifier_macros),
        cmocka_unit_test(statement_macros),
        cmocka_unit_test(constructs),
        cmocka_unit_test(nesting_of_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
