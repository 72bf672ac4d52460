/*
 * Memory as the evaluator sees it: regions instead of addresses. A pointer is a
 * region and a byte offset, so an index can't land in a neighbour.
 */
#ifndef CMPD_ANALYSIS_EVAL_REGION_H
#define CMPD_ANALYSIS_EVAL_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/ir/ir.h"

enum ev_region_kind {
    EV_R_BUFFER,  /* memory handed in from outside: length unknown */
    EV_R_DEVICE,  /* allocated on the device in the file, or a __device__ variable */
    EV_R_HOST,    /* host memory made in the file: malloc, new, an array, a vector */
    EV_R_PINNED,  /* page-locked host memory: cudaMallocHost */
    EV_R_MANAGED, /* managed memory: at home on both sides */
    EV_R_SHARED,
    EV_R_DYNAMIC, /* dynamic shared memory of the launch */
    EV_R_LOCAL,   /* a local array or a variable whose address was taken */
    EV_R_CONSTANT,
};

struct ev_region {
    enum ev_region_kind kind;
    const void *key;               /* the same thing in another evaluation has the same key */
    const char *name;              /* how people call it; static or in the module's arena */
    int64_t size_bytes;            /* -1: unknown */
    uint32_t elem_bytes;           /* of the declared element; 0 unknown */
    const struct ir_type *elem;    /* declared element type, may be NULL */
    const struct ir_expr *made_at; /* the allocation, may be NULL */
    const struct ir_var *var;      /* arrays and __device__ variables */
    struct ev_val *cell;           /* LOCAL: the variable behind it (scalars), else NULL */
    bool is_volatile;
    bool freed;
    uint32_t id;
    void *shadow; /* of whoever watches accesses */
    struct ev_region *next;
};

struct ev_region_table {
    struct ev_region *first;
    uint32_t count;
};

#endif
