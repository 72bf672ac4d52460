/* y = exp(x). */
#include <math.h>

#include "refs/op.h"

static double exponential(double x)
{
    return exp(x);
}

/* exp(x / 2^10) by its series, squared ten times. */
static double exponential_again(double x)
{
    long double step = x / 1024.0L, term = 1, sum = 1;
    for (int i = 1; i < 20; i++) {
        term *= step / i;
        sum += term;
    }
    for (int i = 0; i < 10; i++) {
        sum *= sum;
    }
    return (double)sum;
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, exponential);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, exponential_again);
}

/* exp(11) is the last that half holds. */
static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    if (ref_inputs_are(inputs, "large")) {
        ref_fill(call, 0, seed,
                 &(struct ref_fill){.least_exponent = 3, .past_exponent = 5, .sign = REF_NEGATIVE});
    } else if (ref_inputs_are(inputs, "mixed") || !inputs) {
        ref_fill(call, 0, seed,
                 &(struct ref_fill){.least_exponent = -10, .past_exponent = 3, .zeros = true});
    } else {
        ref_elementwise_fill(call, 0, inputs, seed);
    }
}

const struct cmpd_ref_op cmpd_op_exp = {
    .name = "exp",
    .aliases = "exponential vector_exp expf_kernel elementwise_exp",
    .summary = "y = exp(x)",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
