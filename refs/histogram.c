/* counts[v] = how often v occurs in x; every x is one of 0 .. bins-1. */
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "refs/op.h"

enum { X, COUNTS, N, BINS };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X " indices keys bin_indices", "n"),
    {.name = "counts",
     .role = CMPD_ROLE_OUT,
     .aliases = "hist histogram bin_counts out output y result res histo buckets b c h",
     .shape = "bins",
     .accumulates = true,
     .fixed_dtype = CMPD_I32},
    REF_DIM("n", REF_NAMES_N),
    {.name = "bins",
     .role = CMPD_ROLE_DIM,
     .aliases = "num_bins n_bins nbins bin_count numBins nBins num_buckets k m",
     .optional = true,
     .default_value = 256,
     .fixed_dtype = -1},
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t b = 0; b < call->tensors[COUNTS].count; b++) {
        expected[COUNTS][b] = 0;
    }
    for (size_t i = 0; i < call->tensors[X].count; i++) {
        double v = ref_get(call, X, i);
        if (v >= 0 && v < (double)call->tensors[COUNTS].count) {
            expected[COUNTS][(size_t)v]++;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    double l = *(const double *)a, r = *(const double *)b;
    return (l > r) - (l < r);
}

/* Lengths of the runs of the sorted values. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t count = call->tensors[X].count, at = 0;
    CMPD_AUTOFREE double *sorted = cmpd_calloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = ref_get(call, X, i);
    }
    qsort(sorted, count, sizeof *sorted, by_value);
    while (at < count && sorted[at] < 0) {
        at++;
    }
    for (size_t b = 0; b < call->tensors[COUNTS].count; b++) {
        size_t from = at;
        while (at < count && sorted[at] == (double)b) {
            at++;
        }
        expected[COUNTS][b] = (double)(at - from);
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, X);
    struct cmpd_tensor *x = &call->tensors[X];
    int64_t bins = call->dims.value[1];
    if (x->dtype == CMPD_U8 && bins > 256) {
        bins = 256;
    }
    int64_t most = cmpd_rng_range(&r, 0, bins - 1);
    for (size_t i = 0; i < x->count; i++) {
        /* Skewed: half of all fall into one bin, where updates without atomics get lost. */
        bool skewed = ref_inputs_are(inputs, "ties") || (cmpd_rng_next(&r) >> 63);
        cmpd_tensor_set(x, i, (double)(skewed ? most : cmpd_rng_range(&r, 0, bins - 1)));
    }
}

static const struct cmpd_ref_case CASES[] = {
    {"n=1", {{1, 256}}, CMPD_CASE_TINY, "mixed"},
    {"n=31", {{31, 256}}, CMPD_CASE_TINY, "mixed"},
    {"n=33", {{33, 16}}, CMPD_CASE_TINY, "mixed"},
    {"n=1000", {{1000, 256}}, CMPD_CASE_TINY, "mixed"},
    {"ties", {{777, 256}}, CMPD_CASE_TINY, "ties"},
    {"one bin", {{130, 1}}, CMPD_CASE_TINY, "mixed"},
    {"10 bins", {{2053, 10}}, CMPD_CASE_TINY, "mixed"},
    {"prime", {{10007, 256}}, CMPD_CASE_SMALL, "mixed"},
    {"100 bins", {{10007, 100}}, CMPD_CASE_SMALL, "mixed"},
    {"n=70001", {{70001, 256}}, CMPD_CASE_MEDIUM, "mixed"},
    {"n=16777207", {{16777207, 256}}, CMPD_CASE_LARGE, "mixed"},
};

static void draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[0] = cmpd_rng_range(&r, 2, 20000);
    dims->value[1] = 256;
}

static const enum cmpd_dtype DTYPES[] = {CMPD_I32, CMPD_U32, CMPD_U8};

const struct cmpd_ref_op cmpd_op_histogram = {
    .name = "histogram",
    .aliases = "hist histo bincount histogram256 compute_histogram histogram_atomic",
    .summary = "counts[v] = how many x[i] are v, for v in 0 .. bins-1",
    .dtypes = DTYPES,
    .dtype_count = REF_COUNT(DTYPES),
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    .cases = CASES,
    .case_count = REF_COUNT(CASES),
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .draw = draw,
};
