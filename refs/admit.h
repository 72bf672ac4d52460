/*
 * A task admits itself: results that a kernel could give without the work must fail on the operator's own cases. A task
 * whose cases let one of these through proves nothing, and must not be used for a verdict.
 */
#ifndef CMPD_REFS_ADMIT_H
#define CMPD_REFS_ADMIT_H

#include "refs/ref.h"

enum cmpd_trick {
    CMPD_TRICK_ZEROS,
    CMPD_TRICK_ONES,
    CMPD_TRICK_MEAN, /* every element the mean of the true result; outputs of several elements */
    CMPD_TRICK_COPY, /* the leading elements of an input; each input by itself */
    CMPD_TRICK_HALF, /* float inputs rounded to half, then the true formula; dtypes wider than half */
    CMPD_TRICK_STALE, /* the true result for other inputs of the same shape */
    CMPD_TRICK_NAN,   /* float outputs */
    CMPD_TRICK_COUNT
};
const char *cmpd_trick_name(enum cmpd_trick t); /* "zeros" */

struct cmpd_admission {
    unsigned tried[CMPD_TRICK_COUNT];  /* in how many cases it could be tried */
    unsigned caught[CMPD_TRICK_COUNT]; /* in how many the comparison refused it */
};

/*
 * Adds one case to *out (zeroed by the caller before the first). `tolerance` NULL: the operator's. Errors are those of
 * cmpd_ref_call_init and cmpd_ref_compute.
 */
cmpd_rc cmpd_ref_admit_case(const struct cmpd_ref_op *op, const struct cmpd_dims *dims,
                            enum cmpd_dtype dtype, const char *inputs, uint64_t seed,
                            const struct cmpd_tolerance *tolerance, struct cmpd_admission *out,
                            struct cmpd_err *err);

/* All cases up to that size. */
cmpd_rc cmpd_ref_admit(const struct cmpd_ref_op *op, enum cmpd_dtype dtype,
                       enum cmpd_case_size largest, uint64_t seed, struct cmpd_admission *out,
                       struct cmpd_err *err);

/* Every trick that could be tried was caught at least once; else *passed (may be NULL) is one that never was. */
bool cmpd_admission_ok(const struct cmpd_admission *a, enum cmpd_trick *passed);

#endif
