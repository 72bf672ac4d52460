/* out = silu(a) * b: the gate of SwiGLU, its two halves as two tensors. */
#include <math.h>

#include "refs/act.h"
#include "refs/op.h"

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("a", "gate x lhs g in1 input1 gate_proj x1 input A", "n"),
    REF_IN("b", "up y rhs u in2 input2 up_proj x2 value B", "n"),
    REF_OUT("out", REF_NAMES_BINARY_OUT, "n"),
    REF_N_OR_MATRIX,
};

static double silu_mul(double a, double b)
{
    return ref_silu(a) * b;
}

static double silu_mul_again(double a, double b)
{
    return b * ref_silu_again(a);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, silu_mul);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, silu_mul_again);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    double b = ref_max_abs(&call->tensors[1]);
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(dtype);
    if (call->approximations & CMPD_APPROX_TANH) {
        t.atol += 18.0 / 6 * REF_TANH_GATE_ATOL * b;
        t.rtol += REF_TANH_GATE_RTOL;
    }
    return t;
}

const struct cmpd_ref_op cmpd_op_silu_mul = {
    .name = "silu_mul",
    .aliases = "swiglu silu_and_mul fused_silu_mul swish_mul silu_gate swiglu_forward",
    .summary = "out = silu(a) * b",
    REF_UNARY_LIKE(ARGS),
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
