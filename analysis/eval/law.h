/*
 * How far a buffer is used, over the runs of a root, and the law that it
 * follows: a product of inputs. Internal to analysis/eval.
 */
#ifndef CMPD_ANALYSIS_EVAL_LAW_H
#define CMPD_ANALYSIS_EVAL_LAW_H

#include "analysis/eval/root.h"

struct ev_sample { /* a buffer in one run */
    struct ev_run *run;
    struct ev_footprint *f;
    int64_t end;  /* elements */
    bool covered; /* it is known which elements were written */
};

struct ev_series {
    const void *key;
    struct ev_sample s[RUNS_MAX];
    size_t count;
};

/*
 * end = num * product of the inputs in `subset`. Shares of a product are no law: halves are rounded one way here and
 * another way there.
 */
struct ev_law {
    unsigned subset;
    int64_t num;
    unsigned support; /* runs that follow it exactly */
};

/* The footprint of a buffer from outside in a run, or NULL. */
struct ev_footprint *ev_find_footprint(const struct ev_run *run, const void *key);
/* Samples of the buffer over runs that were evaluated completely. */
void ev_gather(struct ev_run *const *runs, size_t count, const void *key, struct ev_series *out);
/* The law with the most support; false: none that at least two different products of inputs follow. */
bool ev_find_law(const struct ev_root *root, const struct ev_series *se, struct ev_law *out);
int64_t ev_law_length(const struct ev_law *law, const struct ev_run *run, size_t inputs);
/*
 * Does the law say anything of this run? An input outside the law that differs from its usual value may change the
 * length in ways that the law does not know.
 */
bool ev_law_speaks_of(const struct ev_root *root, const struct ev_law *law,
                      const struct ev_run *run);
/* "n", "4 * rows * cols"; in the root's arena. */
const char *ev_law_text(struct ev_root *root, const struct ev_law *law);
/* The first element below `length` that nobody wrote, or -1. */
int64_t ev_first_gap(const struct ev_footprint *f, int64_t length);

#endif
