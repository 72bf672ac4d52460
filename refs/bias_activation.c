/* y = act(x + bias), bias along the columns: add (no activation), relu, gelu (both forms), silu, sigmoid, tanh. */
#include <math.h>

#include "refs/act.h"
#include "refs/op.h"

enum { X, BIAS, Y };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "rows cols"),
    REF_IN("bias", "b beta add bias_vec biases bvec bias_data B", "cols"),
    REF_OUT("y", "out output outp dst dest destination res result results c o z ret outputs Y C",
            "rows cols"),
    REF_DIM("rows", REF_NAMES_ROWS),
    REF_DIM("cols", REF_NAMES_COLS),
};

static void map(const struct cmpd_ref_call *call, double *const expected[], ref_f1 *f)
{
    size_t cols = call->tensors[BIAS].count;
    for (size_t i = 0; i < call->tensors[Y].count; i++) {
        expected[Y][i] = f(ref_get(call, X, i) + ref_get(call, BIAS, i % cols));
    }
}

/* Column by column, the bias held as a difference. */
static void map_again(const struct cmpd_ref_call *call, double *const expected[], ref_f1 *f)
{
    size_t cols = call->tensors[BIAS].count;
    for (size_t c = 0; c < cols; c++) {
        double minus_bias = -ref_get(call, BIAS, c);
        for (size_t i = c; i < call->tensors[Y].count; i += cols) {
            expected[Y][i] = f(ref_get(call, X, i) - minus_bias);
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = ref_mixed;
    if (ref_inputs_are(inputs, "large")) {
        fill.least_exponent = 4;
        fill.past_exponent = 7;
    }
    ref_fill(call, X, seed, &fill);
    /* Of the activation's own scale, so that a bias of the wrong column shows. */
    ref_fill(call, BIAS, seed, &(struct ref_fill){.least_exponent = -3, .past_exponent = 2});
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    /* The sum rounded before the activation, whose slope is at most 1.13. */
    struct cmpd_tolerance t = ref_tolerance_stepwise(dtype, ref_max_abs(&call->tensors[X]));
    if (call->approximations & CMPD_APPROX_TANH) {
        t.atol += 18.0 / 6 * REF_TANH_GATE_ATOL;
        t.rtol += 0x1p-11;
    }
    return t;
}

static double identity(double v)
{
    return v;
}

static double relu(double v)
{
    return v > 0 ? v : 0;
}

static double relu_again(double v)
{
    return (v + fabs(v)) / 2;
}

static double sigmoid(double v)
{
    return 1 / (1 + exp(-v));
}

static double sigmoid_again(double v)
{
    return v < -1 ? (double)(expl(v) / (1 + expl(v))) : (double)((1 + tanhl(v / 2.0L)) / 2);
}

static double tanh_again(double v)
{
    long double e = expm1l(-2 * fabsl((long double)v));
    return (double)copysignl(-e / (e + 2), v);
}

#define BIAS_OP(op_name, f, again, names, text)                                               \
    static void compute_##op_name(const struct cmpd_ref_call *call, double *const expected[]) \
    {                                                                                         \
        map(call, expected, f);                                                               \
    }                                                                                         \
    static void verify_##op_name(const struct cmpd_ref_call *call, double *const expected[])  \
    {                                                                                         \
        map_again(call, expected, again);                                                     \
    }                                                                                         \
    const struct cmpd_ref_op cmpd_op_##op_name = {                                            \
        .name = #op_name,                                                                     \
        .aliases = names,                                                                     \
        .summary = text,                                                                      \
        REF_FLOAT_DTYPES,                                                                     \
        .args = ARGS,                                                                         \
        .arg_count = REF_COUNT(ARGS),                                                         \
        REF_ROWS,                                                                             \
        .generate = generate,                                                                 \
        .compute = compute_##op_name,                                                         \
        .verify = verify_##op_name,                                                           \
        .tolerance = tolerance,                                                               \
    };

BIAS_OP(bias_add, identity, identity, "add_bias bias_addition rowwise_add", "y = x + bias")
BIAS_OP(bias_relu, relu, relu_again,
        "add_bias_relu fused_bias_relu relu_bias bias_add_relu fused_add_bias_relu biasrelu",
        "y = max(x + bias, 0)")
BIAS_OP(bias_gelu, ref_gelu, ref_gelu_again,
        "add_bias_gelu fused_bias_gelu gelu_bias bias_add_gelu bias_gelu_erf biasgelu",
        "y = gelu(x + bias), the exact form")
BIAS_OP(bias_gelu_tanh, ref_gelu_tanh, ref_gelu_tanh_again,
        "add_bias_gelu_tanh fused_bias_gelu_tanh bias_add_gelu_tanh",
        "y = gelu(x + bias), the tanh form")
BIAS_OP(bias_silu, ref_silu, ref_silu_again,
        "add_bias_silu fused_bias_silu silu_bias bias_swish bias_add_silu bias_add_swish",
        "y = silu(x + bias)")
BIAS_OP(bias_sigmoid, sigmoid, sigmoid_again,
        "add_bias_sigmoid fused_bias_sigmoid sigmoid_bias bias_add_sigmoid",
        "y = sigmoid(x + bias)")
BIAS_OP(bias_tanh, tanh, tanh_again, "add_bias_tanh fused_bias_tanh tanh_bias bias_add_tanh",
        "y = tanh(x + bias)")
