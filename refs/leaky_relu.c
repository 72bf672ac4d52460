/* y = x > 0 ? x : alpha * x. */
#include <math.h>

#include "refs/op.h"

enum { X, Y, N, ROWS, COLS, ALPHA };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "n"), REF_OUT("y", REF_NAMES_Y, "n"), REF_N_OR_MATRIX,
    REF_SCALAR("alpha", "negative_slope slope leak negslope a leaky_slope", 0.01)};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t i = 0; i < call->tensors[Y].count; i++) {
        double x = ref_get(call, X, i);
        expected[Y][i] = x > 0 ? x : call->scalars[ALPHA] * x;
    }
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    double alpha = call->scalars[ALPHA];
    for (size_t i = 0; i < call->tensors[Y].count; i++) {
        double x = ref_get(call, X, i);
        expected[Y][i] = ((1 + alpha) * x + (1 - alpha) * fabs(x)) / 2;
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    ref_elementwise_fill(call, X, inputs, seed);
    call->scalars[ALPHA] = cmpd_dtype_round(CMPD_F32, 0.01);
}

const struct cmpd_ref_op cmpd_op_leaky_relu = {
    .name = "leaky_relu",
    .aliases = "leakyrelu LeakyReLU lrelu leaky_relu_forward",
    .summary = "y = x > 0 ? x : alpha * x",
    REF_UNARY_LIKE(ARGS),
    REF_FLOAT_DTYPES,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
