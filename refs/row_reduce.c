/* One number a row: sum, mean, largest. */
#include <math.h>

#include "refs/op.h"

enum { X, OUT };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "rows cols"),
    {.name = "out",
     .role = CMPD_ROLE_OUT,
     .aliases = "y output result res dst ret o b c sums sum mean means maxs max row_sums row_max Y",
     .shape = "rows",
     .fixed_dtype = -1},
    REF_DIM("rows", REF_NAMES_ROWS),
    REF_DIM("cols", REF_NAMES_COLS),
};

static size_t columns(const struct cmpd_ref_call *call)
{
    return (size_t)call->dims.value[1];
}

static double row_sum(const struct cmpd_ref_call *call, size_t row)
{
    long double sum = 0;
    for (size_t c = 0; c < columns(call); c++) {
        sum += ref_get(call, X, row * columns(call) + c);
    }
    return (double)sum;
}

static double sum_of_halves(const struct cmpd_tensor *t, size_t from, size_t to)
{
    if (to - from == 1) {
        return cmpd_tensor_get(t, from);
    }
    size_t middle = from + (to - from) / 2;
    return sum_of_halves(t, from, middle) + sum_of_halves(t, middle, to);
}

static void compute_sum(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t r = 0; r < call->tensors[OUT].count; r++) {
        expected[OUT][r] = row_sum(call, r);
    }
}

static void verify_sum(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = columns(call);
    for (size_t r = 0; r < call->tensors[OUT].count; r++) {
        expected[OUT][r] = sum_of_halves(&call->tensors[X], r * cols, (r + 1) * cols);
    }
}

static void compute_mean(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t r = 0; r < call->tensors[OUT].count; r++) {
        expected[OUT][r] = row_sum(call, r) / (double)columns(call);
    }
}

/* A running mean. */
static void verify_mean(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t r = 0; r < call->tensors[OUT].count; r++) {
        long double mean = 0;
        for (size_t c = 0; c < columns(call); c++) {
            mean += (ref_get(call, X, r * columns(call) + c) - mean) / (long double)(c + 1);
        }
        expected[OUT][r] = (double)mean;
    }
}

static void compute_max(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t r = 0; r < call->tensors[OUT].count; r++) {
        double most = -INFINITY;
        for (size_t c = 0; c < columns(call); c++) {
            most = fmax(most, ref_get(call, X, r * columns(call) + c));
        }
        expected[OUT][r] = most;
    }
}

/* Minus the least of the negated values, from the end. */
static void verify_max(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t r = call->tensors[OUT].count; r-- > 0;) {
        double least = INFINITY;
        for (size_t c = columns(call); c-- > 0;) {
            double v = -ref_get(call, X, r * columns(call) + c);
            least = v < least ? v : least;
        }
        expected[OUT][r] = -least;
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = ref_summed;
    if (ref_inputs_are(inputs, "ties")) {
        ref_fill_integers(call, X, seed, -4, 3);
        return;
    }
    if (ref_inputs_are(inputs, "large")) {
        /* All negative, none near zero. */
        fill.least_exponent = 0;
        fill.sign = REF_NEGATIVE;
    } else if (ref_inputs_are(inputs, "offset")) {
        fill.sign = REF_POSITIVE;
    }
    ref_fill(call, X, seed, &fill);
}

/* Rows are alike in size, so the longest norm serves all of them. */
static double largest_norm(const struct cmpd_ref_call *call)
{
    size_t cols = columns(call);
    double most = 0;
    for (size_t r = 0; r < call->tensors[OUT].count; r++) {
        double sum = 0;
        for (size_t c = 0; c < cols; c++) {
            double v = ref_get(call, X, r * cols + c);
            sum += v * v;
        }
        most = fmax(most, sum);
    }
    return sqrt(most);
}

static struct cmpd_tolerance tolerance_sum(const struct cmpd_ref_call *call, size_t arg)
{
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    return ref_tolerance_at_least(dtype, ref_sum_error(dtype, columns(call), largest_norm(call)));
}

static struct cmpd_tolerance tolerance_mean(const struct cmpd_ref_call *call, size_t arg)
{
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    double error = ref_sum_error(dtype, columns(call), largest_norm(call));
    return ref_tolerance_at_least(dtype, error / (double)columns(call));
}

#define ROW_OP(op_name, what, names, text, tolerance_) \
    const struct cmpd_ref_op cmpd_op_##op_name = {     \
        .name = #op_name,                              \
        .aliases = names,                              \
        .summary = text,                               \
        REF_FLOAT_DTYPES,                              \
        .args = ARGS,                                  \
        .arg_count = REF_COUNT(ARGS),                  \
        REF_ROWS,                                      \
        .generate = generate,                          \
        .compute = compute_##what,                     \
        .verify = verify_##what,                       \
        .tolerance = tolerance_,                       \
    };

ROW_OP(row_max, max, "rowwise_max max_rows max_per_row row_wise_max reduce_max_rows",
       "out[r] = the largest of row r", NULL)
ROW_OP(row_mean, mean, "rowwise_mean mean_rows mean_per_row row_wise_mean reduce_mean_rows",
       "out[r] = the mean of row r", tolerance_mean)
ROW_OP(row_sum, sum, "rowwise_sum sum_rows sum_per_row row_wise_sum reduce_sum_rows sum_dim",
       "out[r] = the sum of row r", tolerance_sum)
