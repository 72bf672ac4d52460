/*
 * Values of the evaluator. A value stands for all lanes (threads of one block;
 * on the host there is one lane) at once: uniform values are stored once,
 * others as an array with one entry a lane. CMPD_UNKNOWN_LANE marks a lane whose
 * value is not known; unknown spreads through every operation.
 */
#ifndef CMPD_ANALYSIS_EVAL_VALUE_H
#define CMPD_ANALYSIS_EVAL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/ir/ir.h"

#define CMPD_UNKNOWN_LANE INT64_MIN

struct ev_region;

enum ev_kind {
    EV_UNKNOWN,
    EV_INT,      /* integers and booleans */
    EV_DBL,      /* uniform floating-point constants only: data is never known */
    EV_PTR,      /* region + byte offset */
    EV_AGG,      /* a record whose fields are values */
    EV_CALLABLE, /* a function of the file or a lambda */
};

/* prov of a value that is exactly one built-in variable, e.g. threadIdx.x; 0: anything else. */
#define EV_PROV(builtin, dim) ((uint8_t)(1 + (int)(builtin)*4 + (dim)))
#define EV_PROV_BUILTIN(prov) ((enum ir_builtin)(((prov)-1) / 4))
#define EV_PROV_DIM(prov)     (((prov)-1) % 4)

struct ev_val {
    enum ev_kind kind;
    uint8_t prov;
    const struct ir_type *type; /* may be NULL */
    int64_t i;      /* INT: the value; PTR: byte offset; of all lanes while lanes == NULL */
    int64_t *lanes; /* INT, PTR: one entry a lane; in the machine's arena or a slot's own memory */
    double d;       /* DBL */
    struct ev_region *region; /* PTR */
    struct ev_val *fields;    /* AGG: one a field of `record` */
    const struct ir_struct *record;
    const struct ir_func *func; /* CALLABLE */
    bool varying; /* UNKNOWN, or unknown offset: data that differs from thread to thread */
    bool mixed; /* varying, and put together with the thread index: may keep to parts of its own */
    /*
     * UNKNOWN integers read from what callers hand in, and unknown offsets made of them: the most that the data can make
     * them. `capped`: the code itself sets that bound.
     */
    bool reaches, capped;
    int64_t reach;
    bool aligned_null; /* PTR: may be null (never assumed to be non-null) */
};

static inline struct ev_val ev_unknown(const struct ir_type *type)
{
    return (struct ev_val){.kind = EV_UNKNOWN, .type = type};
}

/* An unknown that data makes different for each thread. */
static inline struct ev_val ev_varying(const struct ir_type *type)
{
    return (struct ev_val){.kind = EV_UNKNOWN, .type = type, .varying = true};
}

static inline struct ev_val ev_int(int64_t i, const struct ir_type *type)
{
    return (struct ev_val){
        .kind = i == CMPD_UNKNOWN_LANE ? EV_UNKNOWN : EV_INT, .type = type, .i = i};
}

static inline struct ev_val ev_dbl(double d, const struct ir_type *type)
{
    return (struct ev_val){.kind = EV_DBL, .type = type, .d = d};
}

static inline bool ev_is_uniform_int(const struct ev_val *v)
{
    return v->kind == EV_INT && !v->lanes;
}

/* The value of one lane of an INT or the offset of a PTR; CMPD_UNKNOWN_LANE for everything else. */
static inline int64_t ev_lane(const struct ev_val *v, uint32_t lane)
{
    if (v->kind != EV_INT && v->kind != EV_PTR)
        return CMPD_UNKNOWN_LANE;
    return v->lanes ? v->lanes[lane] : v->i;
}

/* Bring an integer into the range of its type: sign- or zero-extend. Unknown stays unknown. */
int64_t ev_wrap(int64_t v, const struct ir_type *type);

/* Arithmetic over `width` lanes; result lanes come from the arena. type: of the result, may be NULL. */
struct ev_val ev_binary(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                        const struct ev_val *a, const struct ev_val *b, const struct ir_type *type);
struct ev_val ev_unary(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                       const struct ev_val *a, const struct ir_type *type);
/* Conversion to a type: integers wrap, doubles truncate, pointers keep region and offset. */
struct ev_val ev_convert(struct cmpd_arena *arena, uint32_t width, const struct ev_val *a,
                         const struct ir_type *type);
/* Pointer plus or minus an element count. sign: +1 or -1; elem_bytes 0: the offset becomes unknown. */
struct ev_val ev_ptr_add(struct cmpd_arena *arena, uint32_t width, const struct ev_val *p,
                         const struct ev_val *count, int sign, uint32_t elem_bytes);
/* 1 true, 0 false, CMPD_UNKNOWN_LANE for one lane. */
int64_t ev_truth(const struct ev_val *v, uint32_t lane);
/* Is the truth value the same for all lanes? Then *out is 0, 1 or CMPD_UNKNOWN_LANE. */
bool ev_uniform_truth(const struct ev_val *v, int64_t *out);

#endif
