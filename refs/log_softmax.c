/* y[r][c] = x[r][c] - log(sum over c of exp(x[r][c])). */
#include <math.h>

#include "refs/op.h"

enum { X, Y };

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        double most = -INFINITY, sum = 0;
        for (size_t c = 0; c < cols; c++) {
            most = fmax(most, ref_get(call, X, row + c));
        }
        for (size_t c = 0; c < cols; c++) {
            sum += exp(ref_get(call, X, row + c) - most);
        }
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] = ref_get(call, X, row + c) - most - log(sum);
        }
    }
}

/* The logarithm of the sum carried along. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        long double log_sum = ref_get(call, X, row + cols - 1);
        for (size_t c = cols - 1; c-- > 0;) {
            long double v = ref_get(call, X, row + c);
            long double hi = v > log_sum ? v : log_sum, lo = v > log_sum ? log_sum : v;
            log_sum = hi + log1pl(expl(lo - hi));
        }
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] = (double)(ref_get(call, X, row + c) - log_sum);
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = {.least_exponent = -6, .past_exponent = 3};
    if (ref_inputs_are(inputs, "large")) {
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

/* x, the row's maximum and the logarithm cancel: 4 roundings of the largest of them. */
static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    return ref_tolerance_stepwise(call->tensors[arg].dtype, 2 * ref_max_abs(&call->tensors[X]));
}

const struct cmpd_ref_op cmpd_op_log_softmax = {
    .name = "log_softmax",
    .aliases = "logsoftmax log_softmax_rows log_softmax_forward",
    .summary = "y = x - log(sum(exp(x))) along each row",
    REF_FLOAT_DTYPES,
    .args = ref_row_args,
    .arg_count = REF_ROW_ARG_COUNT,
    REF_ROWS,
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
