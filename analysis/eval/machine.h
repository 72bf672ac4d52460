/*
 * The evaluator: runs IR for all lanes of a block at once (one lane on the
 * host), with concrete numbers for everything that a launch determines and
 * UNKNOWN for all data. Control flow is kept by a state for each lane:
 *
 *   LANE_OFF    not here
 *   LANE_ON     certainly here
 *   LANE_MAYBE  perhaps here, on one side of an unknown condition that joins
 *               again: writes to variables only weaken them
 *   LANE_LEFT   perhaps here, since it perhaps left the function before: what
 *               it computes is right if it is here
 *
 * Only what happens in LANE_ON is ever a witness. Internal to analysis/eval.
 */
#ifndef CMPD_ANALYSIS_EVAL_MACHINE_H
#define CMPD_ANALYSIS_EVAL_MACHINE_H

#include "analysis/eval/memo.h"
#include "analysis/eval/names.h"
#include "analysis/eval/region.h"
#include "analysis/eval/value.h"

/* What visiting one node costs beside the work on its lanes, measured in lane operations. */
enum { EV_NODE_COST = 8 };

enum { LANE_OFF = 0, LANE_ON = 1, LANE_MAYBE = 2, LANE_LEFT = 3 };

struct ev_slot {
    struct ev_val val;
    int64_t *store;       /* the slot's own lanes, once it needed some */
    struct ev_val *alias; /* a reference bound to another variable */
    bool is_memref;       /* a reference bound to memory: val is the PTR */
    struct ev_region
        *cell; /* the region that stands for this variable once its address was taken */
};

struct ev_binding { /* a template parameter's argument */
    const struct ir_type *type;
    struct ev_val value;
    bool set;
};

struct ev_frame {
    const struct ir_func *func;
    struct ev_slot *slots;
    struct ev_binding *targs;
    struct ev_frame *parent; /* the caller; lambdas: see `outer` */
    struct ev_frame *outer;  /* lambdas: the frame that the captured names live in */
    uint8_t *returned;       /* a state a lane: OFF, ON (surely), MAYBE */
    struct ev_val ret;
    bool has_ret;
    struct ev_val *self; /* methods: the object, may be NULL */
    unsigned depth;
};

struct ev_loop { /* the innermost loop or switch */
    uint8_t *broke, *continued;
    struct ev_loop *parent;
    bool is_switch;
    unsigned parted_at_entry; /* m->parted when the loop began */
    bool parted_exit;         /* threads left it on a condition on their own data */
};

struct ev_dims {
    int64_t x, y, z;
};

struct ev_machine;

/* One launch as the host code reached it. */
struct ev_launch_event {
    const struct ir_expr *expr;
    const struct ir_launch *launch;
    struct ev_val grid, block, shared; /* AGG or INT; UNKNOWN where not known */
    struct ev_val *args;
    size_t arg_count;
    struct ev_frame *frame; /* of the launching function, for template arguments */
    bool certain;           /* no unknown condition before it */
};

/* What the machine's user wants to hear. Any may be NULL. */
struct ev_hooks {
    void (*launch)(struct ev_machine *m, const struct ev_launch_event *ev);
    /* Memory touched: ptr holds region and offsets; bytes a lane; states as in m->mask. */
    void (*access)(struct ev_machine *m, const struct ev_val *ptr, uint32_t bytes, unsigned flags,
                   const struct ir_expr *at);
    /* at: the barrier's call, NULL: code that may order memory. whole_block: every thread must come (__syncthreads). */
    void (*barrier)(struct ev_machine *m, const struct ir_expr *at, bool whole_block);
    void (*warp_sync)(struct ev_machine *m, const struct ir_expr *at);
    void (*host_call)(struct ev_machine *m, const struct ir_expr *call, const char *name,
                      const struct ev_val *args, size_t arg_count);
    void (*compare)(struct ev_machine *m, const struct ir_expr *at, const struct ev_val *a,
                    const struct ev_val *b);
    /* Multiplication of two built-in variables: at is the expression. */
    void (*builtin_product)(struct ev_machine *m, const struct ir_expr *at, uint8_t prov_a,
                            uint8_t prov_b);
    /* The number for a free integer of the host code (a parameter, a size()). CMPD_UNKNOWN_LANE: none. */
    int64_t (*input)(struct ev_machine *m, const char *name, const struct ir_var *var);
};

enum ev_access_flags {
    EV_READ = 1 << 0,
    EV_WRITE = 1 << 1,
    EV_ATOMIC = 1 << 2,
    EV_VOLATILE = 1 << 3,
    EV_SPECULATIVE = 1 << 5 /* address taken by code that is not seen: may read and write */
};

struct ev_machine {
    const struct ir_module *module;
    struct cmpd_arena *arena;  /* temporaries: released statement by statement */
    struct cmpd_arena *keep;   /* slots, frames, regions: lives as long as one evaluation */
    struct cmpd_arena *frames; /* slots and their lanes: on the device released block by block */
    const struct ev_hooks *hooks;
    void *user;
    uint32_t width;   /* lanes */
    uint8_t *mask;    /* state a lane */
    bool all_on;      /* every lane is LANE_ON (fast path) */
    uint16_t *unsure; /* lanes set aside behind an unknown condition: count of reasons */
    bool on_device;
    struct ev_dims grid, block, block_idx; /* device only */
    int64_t *tid[3];                       /* device only: threadIdx of each lane */
    struct ev_frame *frame;
    struct ev_loop *loop;
    struct ev_region_table *regions;
    uint64_t steps, step_limit; /* lane operations; past the limit `cut` is set */
    unsigned loop_limit;        /* turns of one loop; what comes after is unknown */
    bool cut;
    bool aborted; /* the host program ends here for these inputs (assert, exit, throw) */
    const struct ir_func *kernel;
    unsigned call_depth;
    /*
     * Conditions on data of each thread's own that the code at hand stands behind, and loops that some threads left on
     * such a condition: the threads of a block need not be together here.
     */
    unsigned parted, parted_loops;
    const struct ir_expr *parted_by; /* the last such condition */
    struct ev_memo *memos; /* host code, device code, unknown calls; live as long as the file */
    struct cmpd_arena *memo_arena;
    const struct ir_type *pointers[32]; /* pointer types made lately, by their element */
};

/* exec.c */
void ev_exec(struct ev_machine *m, const struct ir_stmt *s);
/* Call a function of the file with evaluated arguments; lvals[i] is the variable bound to a reference parameter or NULL. */
struct ev_val ev_call(struct ev_machine *m, const struct ir_func *f, const struct ev_val *args,
                      struct ev_val *const *lvals, size_t arg_count, const struct ir_targ *targs,
                      size_t targ_count, struct ev_frame *targ_frame, struct ev_val *self);

/* expr.c */
struct ev_val ev_eval(struct ev_machine *m, const struct ir_expr *x);
/* The variable that an expression names, for binding references: NULL if it is not one. */
struct ev_val *ev_variable(struct ev_machine *m, const struct ir_expr *x);
/* store.c: write a variable under the lanes' states; fresh: a declaration, nothing old is kept. */
void ev_store_slot(struct ev_machine *m, struct ev_slot *slot, struct ev_val v, bool fresh);
void ev_store_val(struct ev_machine *m, struct ev_val *dst, struct ev_val v, bool fresh);
struct ev_slot *ev_slot_of(struct ev_machine *m, const struct ir_var *var, struct ev_frame **frame);
/* Load or store through a pointer; reports the access. */
struct ev_val ev_load(struct ev_machine *m, const struct ev_val *p, const struct ir_type *elem,
                      const struct ir_expr *at, unsigned extra_flags);
void ev_store(struct ev_machine *m, const struct ev_val *p, const struct ir_type *elem,
              const struct ev_val *v, const struct ir_expr *at, unsigned extra_flags);
/* The address of an lvalue expression as a PTR, or UNKNOWN. */
struct ev_val ev_address(struct ev_machine *m, const struct ir_expr *x);
/* A record with unknown fields (default member initialisers are applied). */
struct ev_val ev_blank_record(struct ev_machine *m, const struct ir_type *type);
struct ev_val ev_initial(struct ev_machine *m, const struct ir_type *type,
                         const struct ir_expr *init, const struct ir_expr *at);
void ev_assign(struct ev_machine *m, const struct ir_expr *lhs, struct ev_val v,
               const struct ir_expr *at);

/* memory.c: the region behind a variable in memory (arrays, shared, __device__), made at first use. */
struct ev_region *ev_region_of(struct ev_machine *m, const struct ir_var *var);
struct ev_region *ev_region_new(struct ev_machine *m, enum ev_region_kind kind, const void *key,
                                const char *name);
/* A pointer to the region's start. type: of the pointer. */
struct ev_val ev_region_ptr(struct ev_region *r, const struct ir_type *type);
const struct ir_type *ev_pointer_to(struct ev_machine *m, const struct ir_type *elem);
/* Field of a record by name: -1 if it has none. */
int ev_field_index(const struct ir_struct *record, const char *name);
bool ev_is_dim3(const struct ir_type *t);

/* types.c: types with template parameters filled in from the frame; sizes in bytes, 0 unknown. */
const struct ir_type *ev_type(struct ev_machine *m, const struct ir_type *t);
uint32_t ev_sizeof(struct ev_machine *m, const struct ir_type *t);

/* call.c */
struct ev_val ev_eval_call(struct ev_machine *m, const struct ir_expr *x);
struct ev_val ev_eval_launch(struct ev_machine *m, const struct ir_expr *x);

/* known.c: functions and names that the file does not define. */
bool ev_known_call(struct ev_machine *m, const struct ir_expr *x, const char *name,
                   struct ev_val *out);
bool ev_known_name(const char *name, struct ev_val *out);

/* call.c: lanes that certainly end the kernel or program here (__trap, exit). */
void ev_exit_lanes(struct ev_machine *m);

/* known_host.c: the CUDA runtime and C library as host code sees them. */
/* Is the word in a list that ends with NULL? */
bool ev_in_list(const char *word, const char *const *list);
bool ev_is_host_call(const struct ir_expr *x, const char *name);
bool ev_known_host_call(struct ev_machine *m, const struct ir_expr *x, const char *name,
                        struct ev_val *out);

/* mask.c */
uint8_t *ev_mask_copy(struct ev_machine *m);
void ev_mask_refresh(struct ev_machine *m); /* recompute all_on */
bool ev_mask_any(const struct ev_machine *m);
bool ev_mask_certain(const struct ev_machine *m); /* some lane is LANE_ON */
/* With one lane there is nothing but uniform values: fold lanes of one into the value itself. */
struct ev_val ev_collapse(const struct ev_machine *m, struct ev_val v);
bool ev_tick(struct ev_machine *m, uint64_t cost); /* false once the budget is spent */

#endif
