/* What is known of a file's functions, and that a job carries all of it. */
#include "unit/unit.h"

#include "analysis/base/alloc.h"
#include "analysis/signature/signature.h"
#include "analysis/text/source.h"

static struct cmpd_signatures made;

static const struct cmpd_sig_func *func(const char *name)
{
    for (size_t i = 0; i < made.func_count; i++) {
        if (strcmp(made.funcs[i].name, name) == 0)
            return &made.funcs[i];
    }
    fail_msg("there is no function %s", name);
    return NULL;
}

static void make(const char *text)
{
    struct cmpd_source *src = NULL;
    struct cmpd_err err = {CMPD_OK, ""};
    assert_int_equal(cmpd_source_new_take("k.cu", strdup(text), strlen(text), &src, NULL), CMPD_OK);
    if (cmpd_signatures_of_source(src, NULL, &made, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    cmpd_source_free(src);
}

static int clear(void **state)
{
    (void)state;
    cmpd_signatures_clear(&made);
    return 0;
}

static void types(void **state)
{
    (void)state;
    make(
        "#include <cuda_fp16.h>\n#include <vector>\n"
        "typedef float real; using vec = float4;\n#define P *\nstruct S { int a; };\n"
        "void f(const real *a, vec *b, half *c, __nv_bfloat16 d, unsigned long long e, const int &g,\n"
        "       std::vector<float> h, S i, cudaStream_t s, float **j, void *k, double l[4], char P m,\n"
        "       bool n = true, float o = 0.5f, int p = 3 * 4);\n"
        "void f(const real *a, vec *b, half *c, __nv_bfloat16 d, unsigned long long e, const int &g,\n"
        "       std::vector<float> h, S i, cudaStream_t s, float **j, void *k, double l[4], char P m,\n"
        "       bool n, float o, int p) {}\n"
        "cudaError_t q(int p = 3 * 4, float r = 0.5f) { return cudaSuccess; }\n");
    static const struct {
        enum cmpd_sig_elem elem;
        unsigned vector, pointers;
        bool constant, reference;
    } want[] = {{CMPD_SIG_F32, 1, 1, true, false},      {CMPD_SIG_F32, 4, 1, false, false},
                {CMPD_SIG_F16, 1, 1, false, false},     {CMPD_SIG_BF16, 1, 0, false, false},
                {CMPD_SIG_U64, 1, 0, false, false},     {CMPD_SIG_I32, 1, 0, true, true},
                {CMPD_SIG_UNKNOWN, 1, 0, false, false}, {CMPD_SIG_STRUCT, 1, 0, false, false},
                {CMPD_SIG_STREAM, 1, 0, false, false},  {CMPD_SIG_F32, 1, 2, false, false},
                {CMPD_SIG_VOID, 1, 1, false, false},    {CMPD_SIG_F64, 1, 1, false, false},
                {CMPD_SIG_I8, 1, 1, false, false},      {CMPD_SIG_BOOL, 1, 0, false, false}};
    const struct cmpd_sig_func *f = func("f");
    assert_int_equal(f->param_count, 16);
    for (size_t i = 0; i < COUNT(want); i++) {
        const struct cmpd_sig_param *p = &f->params[i];
        if (p->elem != want[i].elem || p->vector != want[i].vector ||
            p->pointers != want[i].pointers || p->is_const != want[i].constant ||
            p->is_reference != want[i].reference)
            fail_msg("%s: %s is %s x%u, %u pointers", p->name, p->type, cmpd_sig_elem_name(p->elem),
                     p->vector, p->pointers);
    }
    const struct cmpd_sig_func *q = func("q");
    assert_int_equal(q->ret.elem, CMPD_SIG_STATUS);
    assert_true(q->params[0].default_known && q->params[0].default_value == 12);
    assert_true(q->params[1].default_known && q->params[1].default_value == 0.5);
    CMPD_AUTOFREE char *text = cmpd_sig_text(q);
    assert_string_equal(text, "cudaError_t q(int p, float r)");
}

static void linkage(void **state)
{
    (void)state;
    make(
        "extern \"C\" void a(float *x) {}\nstatic void b(float *x) {}\ninline void c(float *x) {}\n"
        "namespace { void d(float *x) {} }\nnamespace n { namespace { void e(float *x) {} } void g(float *x) {} }\n"
        "struct S { void m(float *x) {} };\nextern \"C\" { void h(float *x) {} }\n"
        "template <typename T, int B = 128> void t(T *x) {}\ntemplate void t<double, 64>(double *);\n"
        "void u(float *x) { t(x); }\nint main() { return 0; }\nvoid declared(float *x);\n");
    assert_true(func("a")->is_extern_c && func("h")->is_extern_c && !func("b")->is_extern_c);
    assert_true(func("b")->is_static && func("c")->is_inline);
    assert_true(func("d")->is_local && func("e")->is_local && !func("g")->is_local);
    assert_string_equal(func("g")->scope, "n");
    assert_true(func("m")->is_method && made.has_main);
    const struct cmpd_sig_func *t = func("t");
    assert_int_equal(t->tparam_count, 2);
    assert_true(t->tparams[0].is_type && !t->tparams[1].is_type);
    assert_string_equal(t->tparams[1].default_value, "128");
    assert_int_equal(t->instance_count, 2);
    assert_string_equal(t->instances[0], "double, 64");
    assert_string_equal(t->instances[1], "float, 128");
    for (size_t i = 0; i < made.func_count; i++) {
        assert_string_not_equal(made.funcs[i].name, "main");
        assert_string_not_equal(made.funcs[i].name, "declared");
    }
}

#define E(name) CMPD_SIG_##name

static void expect_evidence(const char *name, size_t param, unsigned want)
{
    const struct cmpd_sig_func *f = func(name);
    if (f->params[param].evidence != want)
        fail_msg("%s, %s: evidence %#x, not %#x", name, f->params[param].name,
                 f->params[param].evidence, want);
}

static void evidence(void **state)
{
    (void)state;
    make(
        "__device__ void put(float *p, float v) { *p = v; }\n"
        "__global__ void k(const float *x, float *y, int *c, float4 *v, int n)\n"
        "{ int i = threadIdx.x; if (i < n) put(y + i, __ldg(&x[i])); atomicAdd(c, 1); v[i].x = 2; }\n"
        "static void inner(const float *a, float *b, int *c, int n)\n"
        "{ const float *p = a + 1; k<<<1, n>>>(p, b, c, (float4 *)b, n); }\n"
        "void outer(float *a, float *b, int *c, int n) { inner(a, b, c, n); }\n"
        "void host(const float *h, float *o, float *m, int n)\n"
        "{ float *d; cudaMalloc(&d, n); cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);\n"
        "  cudaMemcpyAsync(o, d, n, cudaMemcpyDeviceToHost, 0); cudaMemset(m, 0, n); cudaFree(m); }\n"
        "void either(float *a, float *b, int n) { cudaMemcpy(a, b, n, cudaMemcpyDefault); }\n"
        "float touch(const float *a, float *b) { b[0] = a[1]; b[1] += 2; return *a; }\n"
        "void away(float *a); void other(float *a) { away(a); }\n"
        "struct Own { float *p; Own(float *q) : p(q) {} void run(int n) { k<<<1, n>>>(p, p, 0, 0, n); } };\n"
        "void owned(float *a, int n) { Own o(a); o.run(n); }\n");
    expect_evidence("k", 0, E(LOADED));
    expect_evidence("k", 1, E(STORED));
    expect_evidence("k", 2, E(STORED) | E(LOADED));
    expect_evidence("k", 3, E(STORED));
    expect_evidence("k", 4, E(COMPARED) | E(AXIS_X));
    expect_evidence("outer", 0, E(TO_KERNEL) | E(LOADED));
    expect_evidence("outer", 1, E(TO_KERNEL) | E(STORED));
    expect_evidence("host", 0, E(COPY_HOST_IN));
    expect_evidence("host", 1, E(COPY_HOST_OUT));
    expect_evidence("host", 2, E(COPY_DEVICE_OUT) | E(FREED));
    expect_evidence("either", 0, E(COPY_ANY_OUT));
    expect_evidence("either", 1, E(COPY_ANY_IN));
    expect_evidence("touch", 0, E(HOST_READ));
    expect_evidence("touch", 1, E(HOST_WRITE) | E(HOST_READ));
    expect_evidence("other", 0, E(ESCAPES));
    expect_evidence("owned", 0, E(TO_KERNEL) | E(LOADED) | E(STORED));
    assert_true(func("outer")->is_launcher && func("inner")->is_called);
    assert_true(!func("host")->is_launcher && !func("touch")->is_launcher);
}

static void launches(void **state)
{
    (void)state;
    make(
        "constexpr int T = 32;\nint up(int a, int b) { return (a + b - 1) / b; }\n"
        "__global__ void k(float *x, int rows, int cols) { int i = blockIdx.x * 32 + threadIdx.x; x[i + blockIdx.y] = 1; }\n"
        "void f(float *x, int r, int c, cudaStream_t s)\n"
        "{ dim3 b(T, 8); dim3 g(up(c, T), (r + b.y - 1) / b.y); size_t m = b.x * sizeof(float);\n"
        "  k<<<g, b, m, s>>>(x, r, c); k<<<unknown(c), 1>>>(x, r, c); k<<<r * 2, dim3{c, 2}>>>(x, r, c); }\n"
        "int main() { int rows = 5; k<<<rows, T>>>(nullptr, 3, 4); }\n");
    assert_int_equal(made.launch_count, 4);
    const struct cmpd_sig_launch *l = made.launches;
    assert_string_equal(l[0].grid[0], "(((cols + T[32]) - 1) / T[32])");
    assert_string_equal(l[0].grid[1], "(((rows + 8) - 1) / 8)");
    assert_string_equal(l[0].block[0], "T[32]");
    assert_string_equal(l[0].shared, "(T[32] * 4)");
    assert_string_equal(l[0].stream, "s");
    assert_null(l[1].grid[0]);
    assert_string_equal(l[2].grid[0], "(rows * 2)");
    assert_string_equal(l[3].grid[0], "rows[5]");
    assert_true(l[3].func == UINT32_MAX && l[0].func != UINT32_MAX);
    const struct cmpd_sig_func *k = func("k");
    assert_int_equal(k->index_threads[0], 32);
    assert_int_equal(k->uses_block & 3, 3);
    assert_int_equal(k->uses_thread, 1);
}

static void round_trip(void **state)
{
    (void)state;
    make(
        "template <typename T> __global__ void __launch_bounds__(256) k(const T *x, T *y, int n) { extern __shared__ float s[]; y[0] = x[0]; }\n"
        "namespace a { void f(const float *x, float *y, int n = 7) { k<float><<<n, 1, 4>>>(x, y, n); } }\n"
        "int main() {}\n");
    struct cmpd_signatures again;
    struct cmpd_err err = {CMPD_OK, ""};
    json_t *one = cmpd_signatures_json(&made);
    if (cmpd_signatures_read(one, &again, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    json_t *two = cmpd_signatures_json(&again);
    assert_true(json_equal(one, two));
    assert_true(again.funcs[0].dynamic_shared && again.funcs[0].max_threads == 256);
    json_decref(one);
    json_decref(two);
    cmpd_signatures_clear(&again);
}

#define FUNCTION(more) \
    "{\"list\":[{\"name\":\"f\",\"kind\":\"host\",\"returns\":{\"elem\":\"void\"}" more "}]}"

static void refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[]",
        "{\"extra\":1}",
        "{\"list\":{}}",
        "{\"list\":[1]}",
        "{\"list\":[{\"name\":\"f\"}]}",
        "{\"list\":[{\"name\":\"\",\"kind\":\"host\",\"returns\":{\"elem\":\"void\"}}]}",
        "{\"list\":[{\"name\":\"f\",\"kind\":\"guest\",\"returns\":{\"elem\":\"void\"}}]}",
        FUNCTION(",\"more\":1"),
        FUNCTION(",\"line\":-1"),
        FUNCTION(",\"static\":1"),
        FUNCTION(",\"params\":[{\"elem\":\"f33\"}]"),
        FUNCTION(",\"params\":[{\"elem\":\"f32\",\"vector\":9}]"),
        FUNCTION(",\"params\":[{\"elem\":\"f32\",\"pointers\":99}]"),
        FUNCTION(",\"params\":[{\"elem\":\"f32\",\"evidence\":[\"hearsay\"]}]"),
        FUNCTION(",\"instances\":[1]"),
        "{\"launches\":[{\"kernel\":0,\"grid\":{},\"block\":{}}]}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct cmpd_signatures s;
        struct cmpd_err err = {CMPD_OK, ""};
        json_t *o = json_loads(texts[i], 0, NULL);
        assert_non_null(o);
        if (cmpd_signatures_read(o, &s, &err) != CMPD_EINPUT)
            fail_msg("taken: %s", texts[i]);
        json_decref(o);
    }
}

static void odd_input(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "float **************f(int ************x) {}",
        "void f(",
        "template <",
        "__global__ void k(float *x) { k<<<1,1>>>(x); }",
        "void f(float *x) { float *y = x; y = y; f(y); x = x + (x = y, 1); }",
        "int n = n; __global__ void k(int m) {} void f() { int a = b, b = a; k<<<a, b>>>(a); }",
        "int g(int a) { return g(a); } __global__ void k() {} void f(int n) { k<<<g(n), g(g(n))>>>(); }",
        "__global__ void k() {} void f(dim3 d) { dim3 e(d.x, e.y), h = h; k<<<d, e>>>(); k<<<h, h>>>(); }"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct cmpd_signatures again;
        make(texts[i]);
        json_t *o = cmpd_signatures_json(&made);
        assert_int_equal(cmpd_signatures_read(o, &again, NULL), CMPD_OK);
        json_decref(o);
        cmpd_signatures_clear(&again);
        cmpd_signatures_clear(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(types, clear),
                                       cmocka_unit_test_teardown(linkage, clear),
                                       cmocka_unit_test_teardown(evidence, clear),
                                       cmocka_unit_test_teardown(launches, clear),
                                       cmocka_unit_test_teardown(round_trip, clear),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(odd_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
