/*
 * Watches one kernel launch being evaluated: footprints of global buffers,
 * order of shared accesses, barriers. Internal to analysis/eval.
 */
#ifndef CMPD_ANALYSIS_EVAL_WATCH_H
#define CMPD_ANALYSIS_EVAL_WATCH_H

#include "analysis/eval/machine.h"
#include "analysis/verdict/tags.h"

/* Where something was seen: the expression and who ran it. */
struct ev_witness {
    const struct ir_expr *at;
    int64_t block; /* linear block index */
    uint32_t lane; /* linear thread index */
    int64_t off;   /* byte offset in the region */
};

enum { FOOTPRINT_SITES = 8 };

struct ev_site { /* one expression that accesses a buffer */
    int64_t hi;
    struct ev_witness hi_at;
};

/* What one evaluation of the host code did to a global buffer, over all its launches. */
struct ev_footprint {
    struct ev_region *region;
    int64_t hi; /* end of what certain accesses reach, in bytes */
    struct ev_witness hi_at;
    const struct ir_func *hi_kernel;
    struct ev_site sites[FOOTPRINT_SITES];
    size_t site_count;
    const struct ir_expr *write_at; /* the first write */
    const struct ir_func *write_kernel;
    const struct ir_expr *write_launch;
    uint32_t *writer; /* a thread's id + 1 for each element of `gran` bytes; 0: not written */
    size_t writer_count;
    uint32_t gran;   /* bytes */
    uint32_t widest; /* bytes of the widest access */
    bool read, written, atomic;
    bool unknown_write; /* something may have been written anywhere */
    bool filled;        /* cudaMemset or a copy wrote all of it */
    bool collision;     /* two threads certainly wrote one element */
    int64_t collision_off;
    uint32_t collision_a, collision_b; /* thread ids */
};

struct ev_product { /* a suspicious product of built-in variables */
    const struct ir_expr *at;
    uint8_t a, b;
};

enum { WATCH_INDEX_MAX = 4096 };

struct ev_compare { /* index < bound, as all threads of the launch met it */
    const struct ir_expr *at;
    int64_t max_left; /* the largest left side seen */
    int64_t right;
    bool lanes;                          /* the left side differed between threads */
    uint64_t seen[WATCH_INDEX_MAX / 64]; /* left sides below WATCH_INDEX_MAX, a bit each */
};

enum { WATCH_PRODUCTS = 8, WATCH_COMPARES = 16 };

struct ev_root; /* root.h: the run that this launch belongs to */

/* Told once a fault is certain: message parts are formatted by the root. */
struct ev_sighting {
    enum cmpd_tag tag;
    const struct ir_expr *at;
    const struct ir_func *kernel;
    const char *text; /* witness, in `keep` */
    const char *hint; /* NULL: the usual one of the tag */
    bool weak;        /* shown only where nothing stronger is: at most review */
};

struct ev_watch {
    struct ev_root *root;
    const struct ir_expr *launch;
    const struct ir_func *kernel;
    int64_t block_linear;
    uint32_t epoch;
    uint32_t *warp_epoch;
    uint32_t next_epoch;
    uint64_t activity;     /* accesses so far */
    bool divergent;        /* a divergent barrier was seen: races are its consequence */
    int64_t dynamic_bytes; /* given by the launch; -1 unknown */
    struct ev_product products[WATCH_PRODUCTS];
    size_t product_count;
    struct ev_compare *compares; /* in keep; WATCH_COMPARES of them once there is one */
    size_t compare_count;
    bool sampled;       /* not all blocks are run: which elements are written is not known */
    bool certain;       /* no unknown condition of the host code before the launch */
    bool unknown_write; /* a write through a pointer that is not known */
    void (*sight)(struct ev_watch *w, struct ev_machine *m, const struct ev_sighting *s);
};

/* copies.c: bytes of the type in the one sizeof of an allocation's count; 0: none or several. */
uint32_t ev_sizeof_in(const struct ir_expr *allocation);

extern const struct ev_hooks ev_watch_hooks;

/* Call before each block. */
void ev_watch_block(struct ev_watch *w, struct ev_machine *m, int64_t block_linear);

/* "thread (3, 0, 0) of block (1, 0, 0)", shorter where dimensions are 1; in `keep`. */
const char *ev_thread_name(struct ev_machine *m, uint32_t lane);
const char *ev_thread_in_block_name(struct ev_machine *m, uint32_t lane);
/* The source text of an expression, shortened to 60 bytes, on one line; in `keep`. */
const char *ev_source_text(struct ev_machine *m, const struct ir_loc *loc);

/* The access expression that stands first in the source among those that reach past `bytes`; never NULL. */
const struct ev_site *ev_first_site_past(const struct ev_footprint *f, int64_t bytes);
struct ev_footprint *ev_footprint_of(struct ev_machine *m, struct ev_region *r);

#endif
