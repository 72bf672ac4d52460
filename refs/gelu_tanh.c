/* The tanh approximation of GELU, as GPT-2 has it. */
#include <math.h>

#include "refs/act.h"
#include "refs/op.h"

static const double SQRT_2_OVER_PI = 0.79788456080286535588;

double ref_gelu_tanh(double x)
{
    double u = SQRT_2_OVER_PI * (x + 0.044715 * x * x * x);
    /* 1 + tanh(u) cancels for negative u; 2 / (1 + exp(-2u)) does not. */
    return x / (1 + exp(-2 * u));
}

double ref_gelu_tanh_again(double x)
{
    long double u = 0.79788456080286535588L * x * (1 + 0.044715L * x * x);
    if (x < -1) {
        long double e = expl(2 * u);
        return (double)(x * e / (1 + e));
    }
    return (double)(x * (1 + tanhl(u)) / 2);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, ref_gelu_tanh);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, ref_gelu_tanh_again);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(call->tensors[arg].dtype);
    if (call->approximations & CMPD_APPROX_TANH) {
        t.atol += REF_TANH_GATE_ATOL;
        t.rtol += REF_TANH_GATE_RTOL;
    }
    return t;
}

const struct cmpd_ref_op cmpd_op_gelu_tanh = {
    .name = "gelu_tanh",
    .aliases =
        "gelu_approx approx_gelu tanh_gelu fast_gelu new_gelu gelu_new gelu_fast gelu_approximate",
    .summary = "y = x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) / 2",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
