/* y = A x; A is m x n, row-major. */
#include <math.h>

#include "refs/op.h"

enum { A, X, Y };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("a", "A mat matrix mat_a W w weight weights", "m n"),
    REF_IN("x", "vec vector v in input src b B X", "n"),
    REF_OUT("y", "out output result res dst ret o c C Y", "m"),
    REF_DIM("m", "M rows num_rows n_rows nrows height"),
    REF_DIM("n", "N cols num_cols n_cols ncols width k K"),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t n = call->tensors[X].count;
    for (size_t r = 0; r < call->tensors[Y].count; r++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) {
            sum += ref_get(call, A, r * n + c) * ref_get(call, X, c);
        }
        expected[Y][r] = sum;
    }
}

/* Column by column, in long double. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t n = call->tensors[X].count;
    for (size_t r = 0; r < call->tensors[Y].count; r++) {
        long double even = 0, odd = 0;
        for (size_t c = n; c-- > 0;) {
            long double p = (long double)ref_get(call, X, c) * ref_get(call, A, r * n + c);
            even += c % 2 ? 0 : p;
            odd += c % 2 ? p : 0;
        }
        expected[Y][r] = (double)(even + odd);
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = {
        .least_exponent = -6, .past_exponent = 3, .half = REF_HALF_AWAY_FROM_ZERO};
    if (ref_inputs_are(inputs, "offset")) {
        fill.sign = REF_POSITIVE;
    }
    ref_fill(call, A, seed, &fill);
    ref_fill(call, X, seed, &fill);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    size_t n = call->tensors[X].count;
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    double most = 0;
    for (size_t r = 0; r < call->tensors[Y].count; r++) {
        double squares = 0;
        for (size_t c = 0; c < n; c++) {
            double p = ref_get(call, A, r * n + c) * ref_get(call, X, c);
            squares += p * p;
        }
        most = fmax(most, squares);
    }
    return ref_tolerance_at_least(dtype, ref_sum_error(dtype, n, sqrt(most)));
}

const struct cmpd_ref_op cmpd_op_gemv = {
    .name = "gemv",
    .aliases = "matvec sgemv mat_vec matrix_vector matrix_vector_multiply mv matvec_mul",
    .summary = "y[m] = sum over n of A[m,n] * x[n], row-major",
    REF_FLOAT_DTYPES,
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    REF_ROWS,
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
