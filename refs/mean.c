/* out = the mean of all elements. */
#include "refs/op.h"

enum { X, OUT };

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    long double sum = 0;
    for (size_t i = 0; i < call->tensors[X].count; i++) {
        sum += ref_get(call, X, i);
    }
    expected[OUT][0] = (double)(sum / (long double)call->tensors[X].count);
}

/* A running mean. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    long double mean = 0;
    for (size_t i = 0; i < call->tensors[X].count; i++) {
        mean += (ref_get(call, X, i) - mean) / (long double)(i + 1);
    }
    expected[OUT][0] = (double)mean;
}

/* With both signs the mean of many shrinks toward the absolute tolerance; of one sign it stays. */
static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    bool many = call->tensors[X].count > 1000 && (!inputs || ref_inputs_are(inputs, "mixed"));
    ref_reduce_generate(call, many ? "positive" : inputs, seed);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    const struct cmpd_tensor *x = &call->tensors[X];
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    double error = ref_sum_error(dtype, x->count, ref_norm2(x)) / (double)x->count;
    return ref_tolerance_at_least(dtype, error);
}

const struct cmpd_ref_op cmpd_op_mean = {
    .name = "mean",
    .aliases = "reduce_mean average avg mean_reduction",
    .summary = "out = (x[0] + ... + x[n-1]) / n",
    REF_FLOAT_DTYPES,
    REF_REDUCE,
    .args = ref_reduce_args,
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
};
