/* The one comparison of the numeric stage. */
#include <math.h>
#include <string.h>

#include "refs/ref.h"

/* NaN and Inf are wrong unless the reference has the same there. */
static bool nonfinite_wrong(double got, double expected)
{
    if (isnan(got) || isnan(expected)) {
        return !(isnan(got) && isnan(expected));
    }
    return got != expected;
}

static void note_wrong(struct cmpd_comparison *out, size_t i, double got, double expected)
{
    if (out->wrong++ == 0) {
        out->ok = false;
        out->first = i;
        out->got = got;
        out->expected = expected;
    }
}

void cmpd_compare(const struct cmpd_tensor *got, const double *expected, struct cmpd_tolerance tol,
                  struct cmpd_comparison *out)
{
    memset(out, 0, sizeof *out);
    out->ok = true;
    for (size_t i = 0; i < got->count; i++) {
        double g = cmpd_tensor_get(got, i);
        double e = expected[i];
        if (!isfinite(g) || !isfinite(e)) {
            if (nonfinite_wrong(g, e)) {
                out->nonfinite++;
                note_wrong(out, i, g, e);
            }
            continue;
        }
        double diff = fabs(g - e);
        if (diff > out->max_abs_err) {
            out->max_abs_err = diff;
        }
        if (e != 0 && diff / fabs(e) > out->max_rel_err) {
            out->max_rel_err = diff / fabs(e);
        }
        if (!(diff <= tol.atol + tol.rtol * fabs(e))) {
            note_wrong(out, i, g, e);
        }
    }
}
