/*
 * y = (x - mean) / sqrt(variance + eps) * gamma + beta along each row; the variance is the population's.
 *
 * Tolerance: the default, and what the row's mean costs. An honest kernel rounds the mean (4 u |mean|, carried on by
 * 1 / sqrt(variance + eps)), and may take the variance as E[x^2] - mean^2, which loses (mean / deviation)^2 (4 u of it).
 * "offset" has a mean of 8 deviations, so that both stay small.
 */
#include <math.h>

#include "refs/op.h"

enum { X, GAMMA, BETA, Y, ROWS, COLS, EPS };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "rows cols"),
    {.name = "gamma",
     .role = CMPD_ROLE_IN,
     .aliases = "weight weights w g scale gain gamma_weight ln_weight",
     .shape = "cols",
     .optional = true,
     .default_value = 1,
     .fixed_dtype = -1},
    {.name = "beta",
     .role = CMPD_ROLE_IN,
     .aliases = "bias b shift ln_bias beta_bias",
     .shape = "cols",
     .optional = true,
     .default_value = 0,
     .fixed_dtype = -1},
    REF_OUT("y", "out output outp dst dest destination res result results o z ret outputs Y",
            "rows cols"),
    REF_DIM("rows", REF_NAMES_ROWS),
    REF_DIM("cols", REF_NAMES_COLS),
    REF_SCALAR("eps", "epsilon EPS EPSILON e eps_value variance_epsilon", 1e-5),
};

struct moments {
    double mean, variance;
};

static struct moments row_moments(const struct cmpd_ref_call *call, size_t row, size_t cols)
{
    struct moments m = {0, 0};
    for (size_t c = 0; c < cols; c++) {
        m.mean += ref_get(call, X, row + c);
    }
    m.mean /= (double)cols;
    for (size_t c = 0; c < cols; c++) {
        double d = ref_get(call, X, row + c) - m.mean;
        m.variance += d * d;
    }
    m.variance /= (double)cols;
    return m;
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        struct moments m = row_moments(call, row, cols);
        double scale = 1 / sqrt(m.variance + call->scalars[EPS]);
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] = (ref_get(call, X, row + c) - m.mean) * scale *
                                       ref_get(call, GAMMA, c) +
                                   ref_get(call, BETA, c);
        }
    }
}

/* Welford's running moments in long double; y as one affine map of x. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        long double mean = 0, squares = 0;
        for (size_t c = 0; c < cols; c++) {
            long double v = ref_get(call, X, row + c), d = v - mean;
            mean += d / (long double)(c + 1);
            squares += d * (v - mean);
        }
        long double deviation = sqrtl(squares / (long double)cols + call->scalars[EPS]);
        for (size_t c = 0; c < cols; c++) {
            long double slope = ref_get(call, GAMMA, c) / deviation;
            long double start = ref_get(call, BETA, c) - mean * slope;
            expected[Y][row + c] = (double)(ref_get(call, X, row + c) * slope + start);
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill x = {.least_exponent = -6, .past_exponent = 3};
    const struct ref_fill gamma = {.least_exponent = -1, .past_exponent = 1};
    const struct ref_fill beta = {.least_exponent = -3, .past_exponent = 1};
    call->scalars[EPS] = cmpd_dtype_round(CMPD_F32, 1e-5);
    if (call->dims.value[1] < 20) {
        /* An eps built into the kernel, 1e-6 or 1e-8, must not show in the variance of few values. */
        x.least_exponent = 1;
    }
    ref_fill(call, GAMMA, seed, &gamma);
    ref_fill(call, BETA, seed, &beta);
    if (ref_inputs_are(inputs, "ties")) {
        /* Constant rows: y is beta, whatever eps is. */
        size_t cols = (size_t)call->dims.value[1];
        for (size_t i = 0; i < call->tensors[X].count; i++) {
            size_t row = i / cols;
            cmpd_tensor_set(&call->tensors[X], i, row % 2 ? 0 : 1 + (double)row / 4);
        }
        return;
    }
    if (ref_inputs_are(inputs, "large")) {
        x.least_exponent = 5;
        x.past_exponent = 9;
    } else if (ref_inputs_are(inputs, "offset")) {
        x.least_exponent = -2;
        x.past_exponent = 1;
        x.offset = 8;
    }
    ref_fill(call, X, seed, &x);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    size_t cols = (size_t)call->dims.value[1];
    double u = cmpd_dtype_unit_roundoff(CMPD_F32);
    double gamma = ref_max_abs(&call->tensors[GAMMA]);
    double most = 0;
    for (size_t row = 0; cols > 1 && row < call->tensors[X].count; row += cols) {
        struct moments m = row_moments(call, row, cols);
        double deviation = sqrt(m.variance + call->scalars[EPS]), z = 0;
        for (size_t c = 0; c < cols; c++) {
            z = fmax(z, fabs(ref_get(call, X, row + c) - m.mean) / deviation);
        }
        double ratio = fabs(m.mean) / deviation;
        most = fmax(most, 4 * u * gamma * (ratio + ratio * ratio * z));
    }
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(dtype);
    if (dtype != CMPD_F64) {
        t.atol += most;
    }
    return t;
}

const struct cmpd_ref_op cmpd_op_layernorm = {
    .name = "layernorm",
    .aliases = "layer_norm LayerNorm ln layernorm_forward layernorm_fwd layer_normalization "
               "layer_norm_forward fused_layernorm",
    .summary = "y = (x - mean) / sqrt(variance + eps) * gamma + beta along each row",
    REF_FLOAT_DTYPES,
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    REF_ROWS,
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
