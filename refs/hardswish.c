/* y = x * min(max(x + 3, 0), 6) / 6. */
#include <math.h>

#include "refs/op.h"

static double hardswish(double x)
{
    return x * fmin(fmax(x + 3, 0), 6) / 6;
}

static double hardswish_again(double x)
{
    if (x <= -3) {
        return 0;
    }
    return x >= 3 ? x : (x * x + 3 * x) / 6;
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, hardswish);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, hardswish_again);
}

const struct cmpd_ref_op cmpd_op_hardswish = {
    .name = "hardswish",
    .aliases = "hard_swish hswish h_swish",
    .summary = "y = x * min(max(x + 3, 0), 6) / 6",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
