/* y = 1 / (1 + exp(-x)). */
#include <math.h>

#include "refs/op.h"

static double sigmoid(double x)
{
    /* The exponent is never positive, so nothing overflows. */
    double e = exp(-fabs(x));
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static double sigmoid_by_tanh(double x)
{
    return x < -1 ? (double)(expl(x) / (1 + expl(x))) : (double)((1 + tanhl(x / 2.0L)) / 2);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, sigmoid);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, sigmoid_by_tanh);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(call->tensors[arg].dtype);
    if (call->approximations & CMPD_APPROX_TANH) {
        /* (1 + tanh(x / 2)) / 2: half of 2^-11. */
        t.atol += 0x1p-12;
    }
    return t;
}

const struct cmpd_ref_op cmpd_op_sigmoid = {
    .name = "sigmoid",
    .aliases = "logistic sigmoid_forward sigmoid_fwd expit",
    .summary = "y = 1 / (1 + exp(-x))",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
