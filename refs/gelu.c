/* y = x * Phi(x), Phi the normal distribution function: the exact form, by erf. */
#include <math.h>

#include "refs/act.h"
#include "refs/op.h"

double ref_gelu(double x)
{
    return 0.5 * x * erfc(-x * M_SQRT1_2);
}

/* Phi(-a) for a >= 0. */
static long double normal_tail(long double a)
{
    const long double density = 0.398942280401432677939946059934381868L *
                                expl(-a * a / 2); /* 1 / sqrt(2 pi) */
    if (a < 2) {
        /* Phi(a) = 1/2 + density * (a + a^3/3 + a^5/(3*5) + ...) */
        long double term = a, sum = a;
        for (int i = 1; i < 200 && term > 1e-22L * sum; i++) {
            term *= a * a / (2 * i + 1);
            sum += term;
        }
        return 0.5L - density * sum;
    }
    /* Mills' ratio as a continued fraction, from the inside: 1/(a + 1/(a + 2/(a + 3/...))). */
    long double f = a;
    for (int i = 400; i >= 1; i--) {
        f = a + i / f;
    }
    return density / f;
}

double ref_gelu_again(double x)
{
    return (double)(x < 0 ? x * normal_tail(-(long double)x) : x * (1 - normal_tail(x)));
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, ref_gelu);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    ref_map1(call, expected, ref_gelu_again);
}

const struct cmpd_ref_op cmpd_op_gelu = {
    .name = "gelu",
    .aliases = "GELU gelu_erf gelu_exact exact_gelu erf_gelu gelu_forward gelu_fwd",
    .summary = "y = x * (1 + erf(x / sqrt(2))) / 2",
    REF_UNARY,
    REF_FLOAT_DTYPES,
    .generate = ref_elementwise_generate,
    .compute = compute,
    .verify = verify,
};
