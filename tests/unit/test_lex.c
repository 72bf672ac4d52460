/* Tokens, comments, context, blanking, and what the scan counts. */
#include "text_helper.h"

#include "analysis/text/scan.h"

/* Tokens as one line: I identifier, N number, S string, C character, P punctuator, ? other. */
static const char *dump(struct text_fixture *f)
{
    static const char letters[] = "INSCP?";
    const char *all = "";
    for (size_t i = 0; i < f->toks->count; i++) {
        const struct cmpd_token *t = &f->toks->items[i];
        all = cmpd_arena_printf(&f->arena, "%s%s%c:%.*s", all, i ? " " : "", letters[t->kind],
                                (int)t->len, f->src->text + t->off);
    }
    return all;
}

static void assert_tokens(const char *text, const char *expected)
{
    struct text_fixture f;
    text_open(&f, text);
    assert_string_equal(dump(&f), expected);
    text_close(&f);
}

static void kinds(void **state)
{
    (void)state;
    assert_tokens("int a_1 = 0x1fu;", "I:int I:a_1 P:= N:0x1fu P:;");
    assert_tokens("x+=1e-5f-.5e+3+1'000'000.", "I:x P:+= N:1e-5f P:- N:.5e+3 P:+ N:1'000'000.");
    assert_tokens("a.b.*c->*d...e", "I:a P:. I:b P:.* I:c P:->* I:d P:... I:e");
    assert_tokens(
        "k<<<g,b>>>(x>>=1,y>>2,a<=>b)",
        "I:k P:<<< I:g P:, I:b P:>>> P:( I:x P:>>= N:1 P:, I:y P:>> N:2 P:, I:a P:<=> I:b P:)");
    assert_tokens("a::b && c||d == !e", "I:a P::: I:b P:&& I:c P:|| I:d P:== P:! I:e");
    assert_tokens("x @ y `", "I:x ?:@ I:y ?:`");
    assert_tokens("gr\xc3\xbc\xc3\x9f_$", "I:gr\xc3\xbc\xc3\x9f_$");
    assert_tokens("\xef\xbb\xbf#define A", "P:# I:define I:A");
}

static void literals(void **state)
{
    (void)state;
    assert_tokens("\"a\\\"b\" 'x' '\\''", "S:\"a\\\"b\" C:'x' C:'\\''");
    assert_tokens("u8\"a\" L'b' U\"c\" x\"d\"", "S:u8\"a\" C:L'b' S:U\"c\" I:x S:\"d\"");
    assert_tokens("R\"(a\"\n)\" LR\"x(a)\")x\";", "S:R\"(a\"\n)\" S:LR\"x(a)\")x\" P:;");
    assert_tokens("\"open\nint", "S:\"open I:int");
    assert_tokens("'open\nint", "C:'open I:int");
    assert_tokens("R\"(open\nint", "S:R\"(open\nint");
    assert_tokens("\"two\\\nlines\" x", "S:\"two\\\nlines\" I:x");
    assert_tokens("R\"bad delim(\" y", "S:R\"bad delim(\" I:y");
    assert_tokens("\"\\", "S:\"\\");
}

static void comments(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(&f, "a // one\n  /* two */ b /* three\n*/ c // four \\\n still\nd /**/ / e /* open");
    assert_string_equal(dump(&f), "I:a I:b I:c I:d P:/ I:e");
    static const struct {
        const char *text;
        bool own_line;
    } expected[] = {{"// one", false},       {"/* two */", true},
                    {"/* three\n*/", false}, {"// four \\\n still", false},
                    {"/**/", false},         {"/* open", false}};
    assert_int_equal(f.toks->comment_count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < f.toks->comment_count; i++) {
        const struct cmpd_comment *c = &f.toks->comments[i];
        assert_int_equal(c->len, strlen(expected[i].text));
        assert_memory_equal(f.src->text + c->off, expected[i].text, c->len);
        assert_int_equal(c->own_line, expected[i].own_line);
    }
    text_close(&f);
}

static void directives(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(&f, "#define A(x) \\\n  #x /* c\n */ + 1\n #if A // no\nx # y\n#");
    assert_int_equal(f.toks->directive_count, 3);
    const struct cmpd_line_directive *d = f.toks->directives;
    assert_int_equal(d[0].off, 0);
    assert_int_equal(d[0].end, text_find(f.src->text, "+ 1", 0) + 3);
    assert_int_equal(d[0].end_token - d[0].first_token, 10);
    assert_int_equal(d[1].off, text_find(f.src->text, "#if", 0));
    assert_int_equal(d[2].end, f.src->len);
    size_t outside = 0;
    for (size_t i = 0; i < f.toks->count; i++)
        outside += f.toks->items[i].ctx & CMPD_CTX_DIRECTIVE ? 0 : 1;
    assert_int_equal(outside, 3); /* x # y */
    text_close(&f);
}

/* The context of the nth occurrence of an identifier. */
static uint8_t ctx_of(struct text_fixture *f, const char *name)
{
    for (size_t i = 0; i < f->toks->count; i++)
        if (cmpd_token_is(f->toks, i, name))
            return f->toks->items[i].ctx;
    fail_msg("no %s", name);
    return 0;
}

static void context(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(
        &f,
        "namespace a { extern \"C\" {\n"
        "template <class T, int N = (3 > 2)> __global__ void __launch_bounds__(256) k1(T *p) { in_kernel; }\n"
        "extern \"C\" __global__ void k2() { { in_block; } }\n"
        "struct __align__(16) S : B<(1)> { int member = init; __device__ S() : x{at_init}, y(2) { in_ctor; }\n"
        "  bool operator=(int) { in_op; } };\n"
        "__host__ __device__ auto f(int a) -> int { in_device; }\n"
        "} }\n"
        "int g[] = {in_array};\n"
        "enum E { in_enum };\n"
        "#define M in_macro\n"
        "int main() {\n"
        "#define L in_local_macro\n"
        "  in_host; run([=] __device__ (int i) { in_lambda; }, after_lambda); end_host; }\n"
        "at_end;\n");
    static const struct {
        const char *name;
        int ctx;
    } expected[] = {
        {"p", 0},
        {"in_kernel", CMPD_CTX_KERNEL},
        {"in_block", CMPD_CTX_KERNEL},
        {"init", 0},
        {"at_init", 0},
        {"in_ctor", CMPD_CTX_DEVICE},
        {"in_op", CMPD_CTX_HOST},
        {"in_device", CMPD_CTX_DEVICE},
        {"in_array", 0},
        {"in_enum", 0},
        {"in_macro", CMPD_CTX_DIRECTIVE},
        {"in_host", CMPD_CTX_HOST},
        {"in_local_macro", CMPD_CTX_HOST | CMPD_CTX_DIRECTIVE},
        {"in_lambda", CMPD_CTX_DEVICE},
        {"after_lambda", CMPD_CTX_HOST},
        {"end_host", CMPD_CTX_HOST},
        {"at_end", 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (ctx_of(&f, expected[i].name) != expected[i].ctx)
            fail_msg("%s: ctx %d", expected[i].name, ctx_of(&f, expected[i].name));
    text_close(&f);
}

static void context_by_macros(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(
        &f,
        "#define HD __host__ __device__\n#define KERNEL extern \"C\" __global__ void\n#define GL __global__\n"
        "HD int f() { in_hd; }\nGL void k() { in_gl; }\nLIB_DEVICE void g() { in_lib; }\n"
        "int DEVICE_COUNT(int a) { in_count; }\nint h(int GL) { in_host; }");
    assert_int_equal(ctx_of(&f, "in_hd"), CMPD_CTX_DEVICE);
    assert_int_equal(ctx_of(&f, "in_gl"), CMPD_CTX_KERNEL);
    assert_int_equal(ctx_of(&f, "in_lib"), CMPD_CTX_DEVICE);
    assert_int_equal(ctx_of(&f, "in_count"), CMPD_CTX_HOST);
    assert_int_equal(ctx_of(&f, "in_host"), CMPD_CTX_HOST);
    text_close(&f);
}

static void context_over_branches(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(
        &f,
        "#if A\n__global__ void f(int a) {\n#else\n__global__ void f() {\n#endif\ninside; }\noutside;");
    assert_int_equal(ctx_of(&f, "inside"), CMPD_CTX_KERNEL);
    assert_int_equal(ctx_of(&f, "outside"), 0);
    text_close(&f);
}

static void depth_and_nesting(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(&f, "a { b { (([c])) } } d }} e");
    assert_int_equal(f.toks->max_nesting, 5);
    assert_int_equal(f.toks->items[0].depth, 0);
    assert_int_equal(f.toks->items[2].depth, 1);
    assert_int_equal(f.toks->items[f.toks->count - 1].depth, 0);
    text_close(&f);
}

static void blanked(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(&f, "a /* b\nc */ \"d\\\"e\" 'f' R\"(g)\" // h\r\n\"open");
    assert_string_equal(cmpd_lex_blanked(f.toks, &f.arena),
                        "a     \n     \"    \" ' ' R\"   \"     \r\n\"    ");
    text_close(&f);
}

static void scan_counts(void **state)
{
    (void)state;
    struct text_fixture f;
    text_open(
        &f,
        "#include <x>\n#define A 1\n# undef A\n"
        "template <class T> __global__ void k(T *p) { __shared__ T s[32]; // __shared__\n"
        "  int i = threadIdx.x + blockIdx.y; __syncthreads(); p[i] = *(float *)s;\n"
        "  atomicAdd (p, __shfl_sync(1, 2, 3)); printf(\"malloc(\"); auto t = threadIdx; }\n"
        "int main() { float *d; cudaMalloc(&d, sizeof(float)); cudaMemcpyAsync (d, d, 4, x);\n"
        "  k<<<1, 32>>>(d); cudaLaunchKernel(k, 1, 1, 0, 0, 0); cuInit(0); f(&cudaFree);\n"
        "  int *q = new int[4]; delete[] q; tile.sync(); myprintf(newer, defree(q)); my_cudaX(); }\n");
    struct cmpd_scan s;
    assert_int_equal(cmpd_scan_run(cmpd_lex_blanked(f.toks, &f.arena), f.src->len, &s, NULL),
                     CMPD_OK);
    static const uint32_t expected[CMPD_SCAN_ITEM_COUNT] = {
        [CMPD_SCAN_GLOBAL_FN] = 1, [CMPD_SCAN_LAUNCH] = 1,   [CMPD_SCAN_LAUNCH_API] = 1,
        [CMPD_SCAN_SHARED] = 1,    [CMPD_SCAN_BARRIER] = 2,  [CMPD_SCAN_CUDA_CALL] = 4,
        [CMPD_SCAN_MEMCPY] = 1,    [CMPD_SCAN_ALLOC] = 1,    [CMPD_SCAN_DEFINE] = 1,
        [CMPD_SCAN_UNDEF] = 1,     [CMPD_SCAN_TEMPLATE] = 1, [CMPD_SCAN_REINTERPRET] = 1,
        [CMPD_SCAN_PRINTF] = 1,    [CMPD_SCAN_MALLOC] = 2,   [CMPD_SCAN_INTRINSIC] = 2,
        [CMPD_SCAN_ATOMIC] = 1,    [CMPD_SCAN_INDEX_YZ] = 2, [CMPD_SCAN_SIZEOF] = 1,
        [CMPD_SCAN_MAIN] = 1,
    };
    for (int i = 0; i < CMPD_SCAN_ITEM_COUNT; i++)
        if (s.count[i] != expected[i])
            fail_msg("item %d: %u, not %u", i, s.count[i], expected[i]);
    assert_int_equal(s.first[CMPD_SCAN_SHARED], text_find(f.src->text, "__shared__", 0));
    assert_int_equal(s.first[CMPD_SCAN_DEVICE_FN], UINT32_MAX);
    text_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(literals),
        cmocka_unit_test(comments),
        cmocka_unit_test(directives),
        cmocka_unit_test(context),
        cmocka_unit_test(context_by_macros),
        cmocka_unit_test(context_over_branches),
        cmocka_unit_test(depth_and_nesting),
        cmocka_unit_test(blanked),
        cmocka_unit_test(scan_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
