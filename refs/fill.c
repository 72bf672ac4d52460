/* Input generators. */
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
#define LOW_UNITS 8192
#define LOW_LEAST 3113 /* 0.38 */
#define LOW_SPAN  820  /* up to 0.48 */

static double power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* All from one number: 16 bits choose the binade, 10 the leading mantissa, 12 the low one, then flags. */
double ref_fill_value(struct cmpd_rng *r, const struct ref_fill *fill)
{
    uint64_t bits = cmpd_rng_next(r);
    uint64_t binades = (uint64_t)(fill->past_exponent - fill->least_exponent);
    int e = fill->least_exponent + (int)(((bits & 0xffff) * binades) >> 16);
    double top = (double)((bits >> 16) & 0x3ff);
    double low = (double)(LOW_LEAST + ((((bits >> 26) & 0xfff) * LOW_SPAN) >> 12));
    if (fill->half == REF_HALF_AWAY_FROM_ZERO || (bits >> 38) & 1) {
        low = LOW_UNITS - low;
    }
    double v = (1 + (top + low / LOW_UNITS) / 1024) * power_of_two(e);
    if (fill->sign == REF_NEGATIVE || (fill->sign == REF_BOTH_SIGNS && ((bits >> 39) & 1))) {
        v = -v;
    }
    if (fill->zeros && ((bits >> 40) & 0xffff) % 61 == 0) {
        v = 0;
    }
    return v + fill->offset;
}

static double whole_value(struct cmpd_rng *r, const struct ref_fill *fill)
{
    double v = (double)cmpd_rng_range(r, fill->zeros ? 0 : 1, 1000);
    bool negative = fill->sign == REF_NEGATIVE ||
                    (fill->sign == REF_BOTH_SIGNS && (cmpd_rng_next(r) >> 63));
    return negative ? -v : v;
}

void ref_fill(struct cmpd_ref_call *call, size_t arg, uint64_t seed, const struct ref_fill *fill)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, arg);
    struct cmpd_tensor *t = &call->tensors[arg];
    bool whole = !cmpd_dtype_is_float(t->dtype);
    for (size_t i = 0; i < t->count; i++) {
        cmpd_tensor_set(t, i, whole ? whole_value(&r, fill) : ref_fill_value(&r, fill));
    }
}

void ref_fill_ends(struct cmpd_ref_call *call, size_t arg, uint64_t seed,
                   const struct ref_fill *fill)
{
    struct cmpd_tensor *t = &call->tensors[arg];
    struct ref_fill large = *fill;
    struct cmpd_rng r;
    large.least_exponent = large.past_exponent - 1;
    large.zeros = false;
    cmpd_rng_init(&r, seed, 60 + arg);
    if (!cmpd_dtype_is_float(t->dtype)) {
        return;
    }
    cmpd_tensor_set(t, 0, ref_fill_value(&r, &large));
    cmpd_tensor_set(t, t->count - 1, ref_fill_value(&r, &large));
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
