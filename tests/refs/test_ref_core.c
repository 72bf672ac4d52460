/* Conversions, the generator, call records and the comparison. */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

#include "refs/dtype.h"
#include "refs/ref.h"
#include "refs/rng.h"

/* ---- 16-bit floats ---- */

typedef double to_double(uint16_t);
typedef uint16_t from_double(double);

static void round_trips(to_double *to, from_double *from)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        double v = to((uint16_t)bits);
        if (isnan(v)) {
            assert_true(isnan(to(from(v))));
        } else {
            assert_int_equal(from(v), bits);
        }
    }
}

/* v lies between two neighbours; the nearer one, or the even one in the middle, is right. */
static void rounds_to_nearest(to_double *to, from_double *from, double v, uint16_t infinity)
{
    uint16_t got = from(v);
    unsigned magnitude = got & 0x7fff;
    if (magnitude == infinity) {
        /* One step past the largest, as if the format went on. */
        double largest = to((uint16_t)(infinity - 1));
        double step = largest - to((uint16_t)(infinity - 2));
        assert_true(fabs(v) >= largest + step / 2);
        return;
    }
    double at = fabs(to(got)), diff = fabs(fabs(v) - at);
    for (int side = -1; side <= 1; side += 2) {
        if (magnitude == 0 && side < 0) {
            continue;
        }
        double beside = to((uint16_t)(magnitude + (unsigned)side));
        double other = fabs(fabs(v) - beside);
        if (isinf(beside)) {
            continue;
        }
        assert_true(diff < other || (diff == other && magnitude % 2 == 0));
    }
    assert_int_equal(signbit(v) != 0, got >> 15);
}

static void test_f16(void **state)
{
    (void)state;
    round_trips(cmpd_f16_to_double, cmpd_f16_from_double);
    assert_true(cmpd_f16_to_double(0x3c00) == 1);
    assert_true(cmpd_f16_to_double(0x7bff) == 65504);
    assert_true(cmpd_f16_to_double(0x0001) == 0x1p-24);
    assert_true(cmpd_f16_to_double(0x0400) == 0x1p-14);
    assert_int_equal(cmpd_f16_from_double(65519.999), 0x7bff);
    assert_int_equal(cmpd_f16_from_double(65520), 0x7c00);
    assert_int_equal(cmpd_f16_from_double(-1e300), 0xfc00);
    assert_int_equal(cmpd_f16_from_double(0x1p-25), 0);
    assert_int_equal(cmpd_f16_from_double(0x1.8p-24), 2);
    assert_int_equal(cmpd_f16_from_double(-0.0), 0x8000);
    /* Ties: 1 + 2^-11 goes to 1, 1 + 3 * 2^-11 to 1 + 2^-9; twice rounding through float would err. */
    assert_int_equal(cmpd_f16_from_double(1 + 0x1p-11), 0x3c00);
    assert_int_equal(cmpd_f16_from_double(1 + 3 * 0x1p-11), 0x3c02);
    assert_int_equal(cmpd_f16_from_double(1 + 0x1p-11 + 0x1p-40), 0x3c01);
}

static void test_bf16(void **state)
{
    (void)state;
    round_trips(cmpd_bf16_to_double, cmpd_bf16_from_double);
    assert_true(cmpd_bf16_to_double(0x3f80) == 1);
    assert_true(cmpd_bf16_to_double(0x0001) == 0x1p-133);
    assert_int_equal(cmpd_bf16_from_double(1 + 0x1p-8), 0x3f80);
    assert_int_equal(cmpd_bf16_from_double(1 + 3 * 0x1p-8), 0x3f82);
    assert_int_equal(cmpd_bf16_from_double(3.4e38), 0x7f80);
    assert_int_equal(cmpd_bf16_from_double(1e308), 0x7f80);
    assert_int_equal(cmpd_bf16_from_double(0x1p-140), 0);
}

static void test_rounding_anywhere(void **state)
{
    (void)state;
    struct cmpd_rng r;
    cmpd_rng_init(&r, 7, 0);
    for (int i = 0; i < 200000; i++) {
        double m = 1 + cmpd_rng_unit(&r);
        if (i % 3 == 0) {
            m = 1 + (double)cmpd_rng_below(&r, 4096) / 4096; /* many ties */
        }
        double sign = i % 2 ? -1 : 1;
        double v = sign * ldexp(m, (int)cmpd_rng_range(&r, -27, 17));
        rounds_to_nearest(cmpd_f16_to_double, cmpd_f16_from_double, v, 0x7c00);
        double w = sign * ldexp(m, (int)cmpd_rng_range(&r, -136, 128));
        rounds_to_nearest(cmpd_bf16_to_double, cmpd_bf16_from_double, w, 0x7f80);
    }
}

static void test_integers_are_held(void **state)
{
    (void)state;
    assert_true(cmpd_dtype_round(CMPD_I8, 200) == 127);
    assert_true(cmpd_dtype_round(CMPD_I8, -200) == -128);
    assert_true(cmpd_dtype_round(CMPD_U8, -1) == 0);
    assert_true(cmpd_dtype_round(CMPD_U8, 300) == 255);
    assert_true(cmpd_dtype_round(CMPD_I32, 2.5) == 2);
    assert_true(cmpd_dtype_round(CMPD_I32, 3.5) == 4);
    assert_true(cmpd_dtype_round(CMPD_I32, 1e20) == 2147483647);
    assert_true(cmpd_dtype_round(CMPD_U32, 4294967295.0) == 4294967295.0);
    assert_true(cmpd_dtype_round(CMPD_I64, 1e30) == 0x1p63);
    assert_true(cmpd_dtype_round(CMPD_I64, -1e30) == -0x1p63);
    assert_true(cmpd_dtype_round(CMPD_U64, INFINITY) == 0x1p64);
    assert_true(cmpd_dtype_round(CMPD_I32, NAN) == 0);
}

static void test_dtype_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CMPD_DTYPE_COUNT; i++) {
        enum cmpd_dtype t;
        assert_true(cmpd_dtype_parse(cmpd_dtype_name((enum cmpd_dtype)i), &t));
        assert_int_equal(t, i);
        assert_true(cmpd_dtype_size(t) >= 1);
    }
    static const struct {
        const char *name;
        enum cmpd_dtype dtype;
    } NAMES[] = {{"float", CMPD_F32},     {"half", CMPD_F16},     {"__half", CMPD_F16},
                 {"bfloat16", CMPD_BF16}, {"float64", CMPD_F64},  {"uint8_t", CMPD_U8},
                 {"int", CMPD_I32},       {"unsigned", CMPD_U32}, {"int64", CMPD_I64}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        enum cmpd_dtype t;
        assert_true(cmpd_dtype_parse(NAMES[i].name, &t));
        assert_int_equal(t, NAMES[i].dtype);
    }
    enum cmpd_dtype t;
    assert_false(cmpd_dtype_parse("", &t));
    assert_false(cmpd_dtype_parse("float32 float", &t));
    assert_false(cmpd_dtype_parse("f8", &t));
}

/* ---- the generator ---- */

static void test_rng(void **state)
{
    (void)state;
    struct cmpd_rng a, b, c;
    cmpd_rng_init(&a, 1, 0);
    cmpd_rng_init(&b, 1, 0);
    cmpd_rng_init(&c, 1, 1);
    unsigned same = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = cmpd_rng_next(&a);
        assert_true(x == cmpd_rng_next(&b));
        same += x == cmpd_rng_next(&c);
    }
    assert_int_equal(same, 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(cmpd_rng_below(&a, 7) < 7);
        int64_t v = cmpd_rng_range(&a, -3, 3);
        assert_true(v >= -3 && v <= 3);
        double u = cmpd_rng_unit(&a);
        assert_true(u >= 0 && u < 1);
    }
    assert_true(cmpd_rng_below(&a, 0) == 0);
    assert_true(cmpd_rng_range(&a, 5, 5) == 5);
    assert_true(cmpd_rng_range(&a, INT64_MIN, INT64_MAX) !=
                cmpd_rng_range(&a, INT64_MIN, INT64_MAX));
}

/* A seed that a finding prints has to give the same inputs in every release. */
static void test_rng_is_pinned(void **state)
{
    (void)state;
    struct cmpd_rng r;
    cmpd_rng_init(&r, 42, 3);
    r.state = 1234567;
    /* The published sequence of SplitMix64 from 1234567. */
    assert_true(cmpd_rng_next(&r) == 6457827717110365317ull);
    assert_true(cmpd_rng_next(&r) == 3203168211198807973ull);
    assert_true(cmpd_rng_next(&r) == 9817491932198370423ull);
}

/* ---- call records ---- */

static struct cmpd_dims dims_of(int64_t a, int64_t b, int64_t c)
{
    return (struct cmpd_dims){{a, b, c}};
}

static void test_counts(void **state)
{
    (void)state;
    const struct cmpd_ref_op *op = cmpd_ref_find("softmax");
    struct cmpd_dims d = dims_of(3, 5, 0);
    assert_int_equal(cmpd_ref_count(op, 0, &d), 15);
    assert_int_equal(cmpd_ref_count(op, 2, &d), 0); /* no tensor */
    assert_int_equal(cmpd_ref_count(op, 99, &d), 0);
    d = dims_of(INT64_MAX, INT64_MAX, 0);
    assert_int_equal(cmpd_ref_count(op, 0, &d), 0);
    d = dims_of((int64_t)1 << 33, (int64_t)1 << 33, 0);
    assert_int_equal(cmpd_ref_count(op, 0, &d), 0);
    d = dims_of(-1, -1, 0);
    assert_int_equal(cmpd_ref_count(op, 0, &d), 0);

    struct cmpd_ref_call call;
    struct cmpd_err err = {0};
    d = dims_of((int64_t)1 << 40, (int64_t)1 << 40, 0);
    assert_int_equal(cmpd_ref_call_init(&call, op, &d, CMPD_F32, &err), CMPD_ELIMIT);
    assert_non_null(strstr(err.msg, "x"));
}

static void test_dims(void **state)
{
    (void)state;
    const struct cmpd_ref_op *op = cmpd_ref_find("relu");
    struct cmpd_err err = {0};
    struct cmpd_dims d = dims_of(1000, 0, 0);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_OK);
    assert_int_equal(d.value[1], 1);
    assert_int_equal(d.value[2], 1000);
    d = dims_of(0, 7, 9);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_OK);
    assert_int_equal(d.value[0], 63);
    d = dims_of(63, 0, 9);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_OK);
    assert_int_equal(d.value[1], 7);
    d = dims_of(64, 7, 9);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_EINPUT);
    assert_non_null(strstr(err.msg, "n is 64"));
    d = dims_of(64, 7, 0);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_EINPUT);
    d = dims_of(0, 7, 0);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_EINPUT);
    d = dims_of(-5, 0, 0);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_EINPUT);
    d = dims_of(0, INT64_MAX, INT64_MAX);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_EINPUT);
    /* An optional dimension that is no product has its default. */
    op = cmpd_ref_find("histogram");
    d = dims_of(10, 0, 0);
    assert_int_equal(cmpd_ref_dims_complete(op, &d, &err), CMPD_OK);
    assert_int_equal(d.value[1], 256);
}

static void test_defaults(void **state)
{
    (void)state;
    const struct cmpd_ref_op *op = cmpd_ref_find("layernorm");
    struct cmpd_dims d = dims_of(2, 3, 0);
    struct cmpd_ref_call call;
    assert_int_equal(cmpd_ref_call_init(&call, op, &d, CMPD_BF16, NULL), CMPD_OK);
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].optional) {
            cmpd_ref_call_default(&call, i);
        }
    }
    assert_true(cmpd_tensor_get(&call.tensors[1], 2) == 1);
    assert_true(cmpd_tensor_get(&call.tensors[2], 0) == 0);
    assert_true(call.scalars[6] == 1e-5);
    cmpd_ref_call_clear(&call);
    cmpd_ref_call_clear(&call);
}

/* ---- comparing ---- */

static struct cmpd_comparison compare(const float *got, const double *expected, size_t count)
{
    struct cmpd_tensor t = {(void *)(uintptr_t)got, count, CMPD_F32};
    struct cmpd_comparison c;
    cmpd_compare(&t, expected, (struct cmpd_tolerance){1e-5, 1e-4}, &c);
    return c;
}

static void test_compare(void **state)
{
    (void)state;
    struct cmpd_comparison c = compare((float[]){1, -0.0F, 100.005F}, (double[]){1, 0, 100}, 3);
    assert_true(c.ok);
    assert_int_equal(c.wrong, 0);
    assert_true(c.max_abs_err > 0.004 && c.max_abs_err < 0.006);

    c = compare((float[]){0, 2, 3, 5}, (double[]){0, 2, 4, 6}, 4);
    assert_false(c.ok);
    assert_int_equal(c.wrong, 2);
    assert_int_equal(c.first, 2);
    assert_true(c.got == 3 && c.expected == 4);
    assert_int_equal(c.nonfinite, 0);
    assert_true(c.max_abs_err == 1 && c.max_rel_err == 0.25);
    assert_true(compare(NULL, NULL, 0).ok);
}

static void test_compare_nonfinite(void **state)
{
    (void)state;
    assert_false(compare((float[]){NAN}, (double[]){1}, 1).ok);
    assert_false(compare((float[]){INFINITY}, (double[]){1}, 1).ok);
    assert_false(compare((float[]){1}, (double[]){NAN}, 1).ok);
    assert_false(compare((float[]){1}, (double[]){INFINITY}, 1).ok);
    assert_false(compare((float[]){-INFINITY}, (double[]){INFINITY}, 1).ok);
    assert_false(compare((float[]){NAN}, (double[]){INFINITY}, 1).ok);
    assert_true(compare((float[]){INFINITY}, (double[]){INFINITY}, 1).ok);
    assert_true(compare((float[]){NAN}, (double[]){NAN}, 1).ok);
    struct cmpd_comparison c = compare((float[]){1, NAN, 2}, (double[]){1, 1, 1}, 3);
    assert_int_equal(c.nonfinite, 1);
    assert_int_equal(c.wrong, 2);
    assert_int_equal(c.first, 1);
    assert_true(isnan(c.got));
    /* An infinite or NaN tolerance accepts nothing that is not finite. */
    float nan = NAN;
    struct cmpd_tensor t = {&nan, 1, CMPD_F32};
    cmpd_compare(&t, (double[]){1}, (struct cmpd_tolerance){INFINITY, INFINITY}, &c);
    assert_false(c.ok);
    float two = 2;
    t.data = &two;
    cmpd_compare(&t, (double[]){1}, (struct cmpd_tolerance){NAN, NAN}, &c);
    assert_false(c.ok);
}

static void test_default_tolerances(void **state)
{
    (void)state;
    assert_true(cmpd_ref_default_tolerance(CMPD_F32).atol == 1e-5);
    assert_true(cmpd_ref_default_tolerance(CMPD_F32).rtol == 1e-4);
    assert_true(cmpd_ref_default_tolerance(CMPD_F16).atol == 1e-2);
    assert_true(cmpd_ref_default_tolerance(CMPD_BF16).rtol == 1e-2);
    assert_true(cmpd_ref_default_tolerance(CMPD_I32).atol == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f16),
        cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_rounding_anywhere),
        cmocka_unit_test(test_integers_are_held),
        cmocka_unit_test(test_dtype_names),
        cmocka_unit_test(test_rng),
        cmocka_unit_test(test_rng_is_pinned),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_dims),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_compare_nonfinite),
        cmocka_unit_test(test_default_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
