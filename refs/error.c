/* What honest rounding may cost. */
#include <math.h>

#include "refs/op.h"

double ref_norm2(const struct cmpd_tensor *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        double v = cmpd_tensor_get(t, i);
        sum += v * v;
    }
    return sqrt(sum);
}

double ref_max_abs(const struct cmpd_tensor *t)
{
    double most = 0;
    for (size_t i = 0; i < t->count; i++) {
        most = fmax(most, fabs(cmpd_tensor_get(t, i)));
    }
    return most;
}

double ref_sum_error(enum cmpd_dtype dtype, size_t length, double norm2)
{
    double u = cmpd_dtype_unit_roundoff(dtype);
    double steps = (double)length;
    if (dtype == CMPD_F16 || dtype == CMPD_BF16) {
        steps = log2(steps) + 1;
    }
    return 2 * sqrt(steps) * u * norm2;
}

struct cmpd_tolerance ref_tolerance_at_least(enum cmpd_dtype dtype, double atol)
{
    struct cmpd_tolerance t = cmpd_ref_default_tolerance(dtype);
    t.atol = fmax(t.atol, atol);
    return t;
}

struct cmpd_tolerance ref_tolerance_stepwise(enum cmpd_dtype dtype, double intermediate)
{
    /* Two roundings, each of at most u. */
    return ref_tolerance_at_least(dtype, 2 * cmpd_dtype_unit_roundoff(dtype) * intermediate);
}
