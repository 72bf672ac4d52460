/* y = tanh(x). */
#include <math.h>

#include "refs/op.h"

static double tanh_by_expm1(double x)
{
    long double e = expm1l(-2 * fabsl((long double)x));
    return (double)copysignl(-e / (e + 2), x);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, tanh);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, tanh_by_expm1);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(call->tensors[arg].dtype);
    if (call->approximations & CMPD_APPROX_TANH) {
        t.rtol += 0x1p-11;
    }
    return t;
}

const struct cmpd_ref_op cmpd_op_tanh = {
    .name = "tanh",
    .aliases = "hyperbolic_tangent tanh_forward tanh_fwd tanh_activation",
    .summary = "y = tanh(x)",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
