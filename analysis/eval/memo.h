/*
 * What a called name is, remembered for each call: names are compared once,
 * however often a loop comes by. Internal to analysis/eval.
 */
#ifndef CMPD_ANALYSIS_EVAL_MEMO_H
#define CMPD_ANALYSIS_EVAL_MEMO_H

#include <stddef.h>
#include <stdint.h>

struct ir_expr;
struct cmpd_arena;

struct ev_memo {
    const struct ir_expr **keys; /* open addressing; size is a power of two */
    uint16_t *values;
    size_t size, count;
};

/* The value for a key, 0 if it was not stored. */
uint16_t ev_memo_get(const struct ev_memo *memo, const struct ir_expr *key);
void ev_memo_put(struct ev_memo *memo, struct cmpd_arena *arena, const struct ir_expr *key,
                 uint16_t value);

#endif
