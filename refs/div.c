/* out = a / b; b is never 0. */
#include "refs/op.h"

static double divide(double a, double b)
{
    return a / b;
}

/* a times a reciprocal by Newton's method. */
static double divide_again(double a, double b)
{
    long double r = 1.0F / (float)b;
    for (int i = 0; i < 3; i++) {
        r = r * (2 - b * r);
    }
    return (double)(a * r);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, divide);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map2(call, expected, divide_again);
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    ref_elementwise_fill(call, 0, inputs, seed);
    ref_fill(call, 1, seed, &(struct ref_fill){.least_exponent = -3, .past_exponent = 4});
}

const struct cmpd_ref_op cmpd_op_div = {
    .name = "div",
    .aliases = "divide vector_div vec_div vdiv elementwise_div quotient",
    .summary = "out = a / b",
    REF_BINARY,
    REF_FLOAT_DTYPES,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
