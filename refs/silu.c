/* y = x * sigmoid(x), also called swish. */
#include <math.h>

#include "refs/act.h"
#include "refs/op.h"

double ref_silu(double x)
{
    return x / (1 + exp(-x));
}

double ref_silu_again(double x)
{
    if (x < -1) {
        long double e = expl(x);
        return (double)(x * e / (1 + e));
    }
    return (double)(x * (1 + tanhl(x / 2.0L)) / 2);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, ref_silu);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, ref_silu_again);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(call->tensors[arg].dtype);
    if (call->approximations & CMPD_APPROX_TANH) {
        /* tanh(x / 2) reaches 1 in float only at |x| = 18. */
        t.atol += 18.0 / 6 * REF_TANH_GATE_ATOL;
        t.rtol += REF_TANH_GATE_RTOL;
    }
    return t;
}

const struct cmpd_ref_op cmpd_op_silu = {
    .name = "silu",
    .aliases = "swish SiLU silu_forward silu_fwd",
    .summary = "y = x / (1 + exp(-x))",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
