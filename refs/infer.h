/*
 * Which operator a file implements, by the names in it. What is inferred is never certain: the numeric verdict that
 * rests on it is at most REVIEW.
 */
#ifndef CMPD_REFS_INFER_H
#define CMPD_REFS_INFER_H

#include "refs/ref.h"

struct cmpd_infer_names {
    const char *comment;          /* NAME of `// cmpd: op=NAME`; NULL: none */
    const char *file;             /* file name, with or without folders and ending; NULL: none */
    const char *const *functions; /* launchers and kernels of the file, unmangled; borrowed */
    size_t function_count;
};

struct cmpd_infer_candidate {
    const struct cmpd_ref_op *op; /* static */
    int score; /* letters explained, less those left over; comparable within one call alone */
};

#define CMPD_INFER_CANDIDATES 4

struct cmpd_infer_result {
    const struct cmpd_ref_op *op; /* NULL: none, or several that fit equally well */
    bool from_comment;
    struct cmpd_infer_candidate candidates[CMPD_INFER_CANDIDATES]; /* best first */
    size_t count;
};

/* Never fails. A comment that names no known operator leaves op NULL and from_comment set. */
void cmpd_ref_infer(const struct cmpd_infer_names *names, struct cmpd_infer_result *out);

#endif
