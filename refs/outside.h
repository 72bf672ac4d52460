/*
 * Operators of the user's own, computed by another program: a C file linked with cmpd_reference_main.c, or any command
 * that reads and writes .npy files (in cmpd.json: "reference": {"file": "..."} or {"command": "..."}). Both speak this
 * protocol; how the program is started and held in is the caller's affair (a function below). What the program says and
 * leaves behind is hostile input.
 *
 *   PROGRAM describe
 *     writes the operator to its standard output, one line each, words separated by blanks, lists by commas:
 *       cmpd-reference 1                                      first
 *       name NAME
 *       summary TEXT                                          may be left out
 *       dtypes f32,f16                                        may be left out: f32
 *       arg in NAME shape=rows,cols [aliases=a,b] [dtype=i32] [values=V] [optional=VALUE]
 *       arg out NAME ...        arg inout NAME ...
 *       arg dim NAME [aliases=...]
 *       arg scalar NAME default=VALUE [aliases=...] [values=V]
 *       case NAME rows=3 cols=31 [inputs=SET] [size=tiny|small|medium|large]
 *       tolerance f32 ATOL RTOL                               may be left out: the contract's
 *     V is mixed (default), positive, LO:HI, or below:DIM for whole numbers under a dimension.
 *     SET is mixed (default), small, large, zeros.
 *     Without a case line, the shapes of elementwise, row-wise or matrix operators serve for one, two, three dimensions.
 *
 *   PROGRAM compute FOLDER dtype=f32 rows=3 cols=31 eps=1e-05
 *     reads FOLDER/NAME.npy for each in and inout (f8; whole numbers as i8), and writes FOLDER/NAME.out.npy for each out
 *     and inout: any element type of npy.h, row-major, the shape of the argument (or one dimension of as many elements).
 *     The values are those that the kernel gets, rounded to its dtype.
 */
#ifndef CMPD_REFS_OUTSIDE_H
#define CMPD_REFS_OUTSIDE_H

#include "analysis/base/proc.h"
#include "refs/ref.h"

#define CMPD_OUTSIDE_DESCRIBE_CEILING ((size_t)64 << 10)
#define CMPD_OUTSIDE_CASES_CEILING    64

struct cmpd_outside_how {
    const char *folder; /* absolute, private; the program may write it. Borrowed until close */
    /*
     * Runs the program with these arguments (NULL-terminated, without the program itself) and waits. *result is
     * overwritten; the caller of run clears it.
     */
    cmpd_rc (*run)(void *ctx, const char *const *args, struct cmpd_proc_result *result,
                   struct cmpd_err *err);
    void *ctx; /* borrowed until close */
};

/*
 * Asks the program what it is. *out is an operator with compute_outside and without verify and draw; close it.
 * CMPD_EINPUT: the program failed or its answer is wrong (the message says where); else run's own error.
 */
cmpd_rc cmpd_outside_open(const struct cmpd_outside_how *how, struct cmpd_ref_op **out,
                          struct cmpd_err *err);
void cmpd_outside_close(struct cmpd_ref_op *op); /* NULL is fine */

/* The answer to describe alone: an operator that can't compute. Close it. */
cmpd_rc cmpd_outside_parse(const char *text, size_t len, struct cmpd_ref_op **out,
                           struct cmpd_err *err);

#endif
