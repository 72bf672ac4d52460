/* y[i] = x[0] + ... + x[i]. */
#include <math.h>

#include "analysis/base/alloc.h"
#include "refs/op.h"

enum { X, Y };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "n"),
    REF_OUT("y", REF_NAMES_Y, "n"),
    REF_DIM("n", REF_NAMES_N),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    long double sum = 0;
    for (size_t i = 0; i < call->tensors[X].count; i++) {
        sum += ref_get(call, X, i);
        expected[Y][i] = (double)sum;
    }
}

/* Hillis and Steele: log2(n) rounds, each adding what lies 1, 2, 4, ... to the left. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t n = call->tensors[X].count;
    CMPD_AUTOFREE double *sums = cmpd_calloc(n, sizeof *sums);
    for (size_t i = 0; i < n; i++) {
        sums[i] = ref_get(call, X, i);
    }
    for (size_t far = 1; far < n; far *= 2) {
        for (size_t i = n; i-- > far;) {
            sums[i] += sums[i - far];
        }
    }
    for (size_t i = 0; i < n; i++) {
        expected[Y][i] = sums[i];
    }
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    const struct cmpd_tensor *x = &call->tensors[X];
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    return ref_tolerance_at_least(dtype, ref_sum_error(dtype, x->count, ref_norm2(x)));
}

const struct cmpd_ref_op cmpd_op_cumsum = {
    .name = "cumsum",
    .aliases =
        "scan prefix_sum inclusive_scan prefix_scan cumulative_sum scan_inclusive inclusive_sum",
    .summary = "y[i] = x[0] + ... + x[i]",
    REF_NUMBER_DTYPES,
    REF_REDUCE,
    .args = ARGS,
    .generate = ref_reduce_generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
