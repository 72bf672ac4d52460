/*
 * y[r][c] = exp(x[r][c]) / sum over c of exp(x[r][c]).
 *
 * Tolerance: values shrink as rows grow, down to 1 / cols for even ones; the absolute part shrinks with them, or zeros
 * would pass. The relative part holds: exp of x - max errs by |x - max| * 2^-24, below 2e-5 for what is not yet
 * negligible, and __expf by about as much again.
 */
#include <math.h>

#include "refs/op.h"

enum { X, Y, ROWS, COLS };

const struct cmpd_ref_arg ref_row_args[REF_ROW_ARG_COUNT] = {
    REF_IN("x", REF_NAMES_X, "rows cols"),
    REF_OUT("y", REF_NAMES_Y, "rows cols"),
    REF_DIM("rows", REF_NAMES_ROWS),
    REF_DIM("cols", REF_NAMES_COLS),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        double most = -INFINITY, sum = 0;
        for (size_t c = 0; c < cols; c++) {
            most = fmax(most, ref_get(call, X, row + c));
        }
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] = exp(ref_get(call, X, row + c) - most);
            sum += expected[Y][row + c];
        }
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] /= sum;
        }
    }
}

/* In one pass, the logarithm of the sum carried along: y = exp(x - log sum exp). */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        long double log_sum = ref_get(call, X, row);
        for (size_t c = 1; c < cols; c++) {
            long double v = ref_get(call, X, row + c);
            long double hi = v > log_sum ? v : log_sum, lo = v > log_sum ? log_sum : v;
            log_sum = hi + log1pl(expl(lo - hi));
        }
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] = (double)expl(ref_get(call, X, row + c) - log_sum);
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = {.least_exponent = -6, .past_exponent = 2};
    if (ref_inputs_are(inputs, "large")) {
        /* exp overflows float from 89 on, so the row's maximum has to be taken off. */
        fill.least_exponent = 6;
        fill.past_exponent = 8;
    } else if (ref_inputs_are(inputs, "offset")) {
        fill.offset = 100;
    } else if (ref_inputs_are(inputs, "ties")) {
        ref_fill_integers(call, X, seed, -2, 1);
        return;
    }
    ref_fill(call, X, seed, &fill);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(call->tensors[arg].dtype);
    t.atol = fmin(t.atol, 100 * t.atol / (double)call->dims.value[1]);
    return t;
}

const struct cmpd_ref_op cmpd_op_softmax = {
    .name = "softmax",
    .aliases = "soft_max rowwise_softmax row_softmax softmax_rows softmax_forward softmax_fwd "
               "online_softmax safe_softmax stable_softmax softmax_rowwise",
    .summary = "y = exp(x) / sum(exp(x)) along each row",
    REF_FLOAT_DTYPES,
    .args = ref_row_args,
    .arg_count = REF_ROW_ARG_COUNT,
    REF_ROWS,
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
