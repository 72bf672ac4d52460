/*
 * The forms in which a document is shown. Each form is one file behind one
 * row of one table; all read the same findings, so their numbers agree.
 */
#ifndef CMPD_ANALYSIS_OUTPUT_OUTPUT_H
#define CMPD_ANALYSIS_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/buf.h"
#include "analysis/check.h"

struct cmpd_output_env {
    bool color;      /* the reader is a terminal that wants colour */
    int exit_status; /* what the program will exit with */
};

struct cmpd_output_ops {
    const char *name;    /* "json", as --format takes it */
    const char *summary; /* one line for the help text */
    /* MUST. Appends the whole document, with a final newline; never fails, whatever bytes it holds. Repeatable. */
    void (*render)(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out);
};

/* NULL when there is no such form. */
const struct cmpd_output_ops *cmpd_output_find(const char *name);
/* All rows in the order of the contract; static. */
const struct cmpd_output_ops *const *cmpd_output_all(size_t *count);

#endif
