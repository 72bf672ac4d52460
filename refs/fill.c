/* Input generators. */
#include <math.h>
#include <string.h>

#include "refs/op.h"

const struct ref_fill ref_mixed = {
    .least_exponent = -10, .past_exponent = 5, .sign = REF_BOTH_SIGNS, .zeros = true};
const struct ref_fill ref_summed = {
    .least_exponent = -10, .past_exponent = 5, .half = REF_HALF_AWAY_FROM_ZERO};

/*
 * The 13 bits of a float32 mantissa that half lacks, as a share of half's last place. Between 0.38 and 0.48 half rounds
 * toward zero, between 0.52 and 0.62 away from it: it is always wrong by at least 0.38 of its last place, and nothing
 * lies so near the middle that a sloppy conversion could be blamed.
 */
static double low_bits(struct cmpd_rng *r, enum ref_half half)
{
    bool away = half == REF_HALF_AWAY_FROM_ZERO || (cmpd_rng_next(r) >> 63);
    double units = (double)cmpd_rng_range(r, 3113, 3932); /* of 8192 */
    return (away ? 8192 - units : units) / 8192;
}

double ref_fill_value(struct cmpd_rng *r, const struct ref_fill *fill)
{
    int64_t e = cmpd_rng_range(r, fill->least_exponent, fill->past_exponent - 1);
    double top = (double)cmpd_rng_below(r, 1024);
    double v = ldexp(1 + (top + low_bits(r, fill->half)) / 1024, (int)e);
    uint64_t bits = cmpd_rng_next(r);
    if (fill->sign == REF_NEGATIVE || (fill->sign == REF_BOTH_SIGNS && (bits >> 63))) {
        v = -v;
    }
    if (fill->zeros && (bits & 0xffff) % 61 == 0) {
        v = 0;
    }
    return v + fill->offset;
}

void ref_fill(struct cmpd_ref_call *call, size_t arg, uint64_t seed, const struct ref_fill *fill)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, arg);
    struct cmpd_tensor *t = &call->tensors[arg];
    for (size_t i = 0; i < t->count; i++) {
        cmpd_tensor_set(t, i, ref_fill_value(&r, fill));
    }
}

void ref_fill_constant(struct cmpd_ref_call *call, size_t arg, double v)
{
    struct cmpd_tensor *t = &call->tensors[arg];
    for (size_t i = 0; i < t->count; i++) {
        cmpd_tensor_set(t, i, v);
    }
}

void ref_fill_integers(struct cmpd_ref_call *call, size_t arg, uint64_t seed, int64_t lo,
                       int64_t hi)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, arg);
    struct cmpd_tensor *t = &call->tensors[arg];
    for (size_t i = 0; i < t->count; i++) {
        cmpd_tensor_set(t, i, (double)cmpd_rng_range(&r, lo, hi));
    }
}

double ref_scalar(const struct cmpd_ref_call *call, size_t arg, uint64_t seed,
                  const struct ref_fill *fill)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, arg);
    return cmpd_dtype_round(call->dtype, ref_fill_value(&r, fill));
}

bool ref_inputs_are(const char *inputs, const char *name)
{
    return inputs && strcmp(inputs, name) == 0;
}
