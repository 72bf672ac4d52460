/* out = tanh(a) + b. */
#include <math.h>

#include "refs/op.h"

static double tanh_add(double a, double b)
{
    return tanh(a) + b;
}

static double tanh_add_again(double a, double b)
{
    long double e = expl(-2 * fabsl((long double)a));
    return (double)(b + copysignl(1 - 2 * e / (1 + e), a));
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, tanh_add);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, tanh_add_again);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(call->tensors[arg].dtype);
    if (call->approximations & CMPD_APPROX_TANH) {
        t.atol += 0x1p-11;
    }
    return t;
}

const struct cmpd_ref_op cmpd_op_tanh_add = {
    .name = "tanh_add",
    .aliases = "add_tanh fused_tanh_add tanhadd",
    .summary = "out = tanh(a) + b",
    REF_BINARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
