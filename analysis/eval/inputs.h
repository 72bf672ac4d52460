/*
 * The free integers of a launcher (parameters, sizes of containers) and what
 * the file says of them: a comment such as "1 <= n <= 2^30, n is a multiple of
 * 4". Internal to analysis/eval.
 */
#ifndef CMPD_ANALYSIS_EVAL_INPUTS_H
#define CMPD_ANALYSIS_EVAL_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/ir/ir.h"

enum { INPUTS_MAX = 24 };

struct ev_input {
    const char *name; /* "n", "size.width", "x.size(0)" */
    const struct ir_var *var;
    int64_t lo, hi;     /* allowed values */
    int64_t multiple;   /* 1: any */
    bool documented;    /* lo or hi come from the file's comments */
    bool bounded;       /* hi does */
    bool opaque;        /* a comment limits it in words that were not understood */
    unsigned grid_dims; /* bit d: grid dimension d hangs on it */
    bool block;         /* block dimensions hang on it */
    int64_t divisor;    /* how many units one block more covers; 0 unknown */
    int64_t usual;      /* the value that it has when others are varied */
};

struct ev_inputs {
    struct ev_input items[INPUTS_MAX];
    size_t count;
    const struct ir_module *module;
    struct cmpd_arena *arena;
};

/* The input of that name, added with a default value if it is new; NULL when there are too many. */
struct ev_input *ev_inputs_get(struct ev_inputs *in, const char *name, const struct ir_var *var);

/* The allowed value nearest to v, upwards first. */
int64_t ev_input_fit(const struct ev_input *in, int64_t v);

/*
 * The largest value that the file's comments allow for the name, however large; false where they set no
 * such limit, or one to a product that it is a factor of.
 */
bool ev_documented_max(const struct ir_module *m, struct cmpd_arena *arena, const char *name,
                       int64_t *max);

/* Does any comment speak of padding (buffers longer than their count)? */
bool ev_comments_mention_padding(const struct ir_module *m);

#endif
