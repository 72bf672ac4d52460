/* out = a * b, element by element. */
#include "refs/op.h"

static double mul(double a, double b)
{
    return a * b;
}

/* By squares: ((a + b)^2 - (a - b)^2) / 4. */
static double mul_again(double a, double b)
{
    long double s = (long double)a + b, d = (long double)a - b;
    return (double)((s - d) * (s + d) / 4);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, mul);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, mul_again);
}

const struct cmpd_ref_op cmpd_op_mul = {
    .name = "mul",
    .aliases = "multiply vector_mul vec_mul vmul elementwise_mul hadamard hadamard_product "
               "eltwise_mul elementwise_multiply",
    .summary = "out = a * b",
    REF_BINARY,
    REF_NUMBER_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
