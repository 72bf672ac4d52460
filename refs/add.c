/* out = a + b. */
#include "refs/op.h"

static double add(double a, double b)
{
    return a + b;
}

static double add_again(double a, double b)
{
    return (double)((long double)b - -(long double)a);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, add);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, add_again);
}

const struct cmpd_ref_op cmpd_op_add = {
    .name = "add",
    .aliases = "vector_add vec_add vectoradd vadd elementwise_add add_vectors matrix_add matadd "
               "mat_add eltwise_add residual_add residual vecadd",
    .summary = "out = a + b",
    REF_BINARY,
    REF_NUMBER_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
