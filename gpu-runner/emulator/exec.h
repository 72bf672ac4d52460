/*
 * What the files of the interpreter share: how a handler finds its lanes, the rows by which a PTX instruction finds
 * its handler, and what binding offers to those instructions that need more than a row.
 *
 * The files ops_*.c are compiled twice, for every x86-64 and for x86-64-v3 (AVX2, FMA, F16C); EMU_FLAVOUR is what
 * keeps the names apart. Both must give the same bits: no contraction, no fast math.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_EXEC_H
#define CMPD_GPU_RUNNER_EMULATOR_EXEC_H

#include <string.h>

#include "gpu-runner/emulator/emu.h"
#include "gpu-runner/emulator/taint.h"

/* Modifiers that choose between the handlers of one opcode. A bind function reads the others. */
/* clang-format off */
#define EMU_FEATURES(X) \
    X(ftz) X(sat) X(rn) X(rz) X(rm) X(rp) X(rni) X(rzi) X(rmi) X(rpi) X(rna) X(lo) X(hi) X(wide) X(cc) X(approx) \
    X(full) X(relu) X(NaN) X(xorsign) X(abs) X(satfinite) X(wrap) X(clamp) X(l) X(r) X(uni) X(shiftamt) X(noftz)
/* clang-format on */
enum emu_feature_index {
#define X(name) EMU_FEATURE_##name,
    EMU_FEATURES(X)
#undef X
        EMU_FEATURE_other, /* any modifier that is none of these */
};
#define EMU_F(name) (UINT64_C(1) << EMU_FEATURE_##name)
#define EMU_ROUNDINGS                                                                       \
    (EMU_F(rn) | EMU_F(rz) | EMU_F(rm) | EMU_F(rp) | EMU_F(rni) | EMU_F(rzi) | EMU_F(rmi) | \
     EMU_F(rpi) | EMU_F(rna))

enum emu_rounding { EMU_RN, EMU_RZ, EMU_RM, EMU_RP, EMU_RNA };

/* Sets of types. */
#define EMU_T(name) (1u << CMPD_PTX_##name)
#define EMU_T_16    (EMU_T(U16) | EMU_T(S16) | EMU_T(B16))
#define EMU_T_32    (EMU_T(U32) | EMU_T(S32) | EMU_T(B32))
#define EMU_T_64    (EMU_T(U64) | EMU_T(S64) | EMU_T(B64))
#define EMU_T_NONE  (1u << CMPD_PTX_T_NONE)

/*
 * One row: instructions of this opcode, with these types, that have all modifiers of `need` and none but those of
 * `need` and `allow`, are run by this handler. The first row that fits counts.
 *
 * form: one letter an operand, destination first; it says which lanes the operand has:
 *   t as the first type   2 as the second type   w twice the first type   u 32 bits   p predicate
 *   a a register of any width (the handler looks at emu_operand.wide)   - an operand that is read at binding: emu_ins.imm
 */
struct emu_row {
    uint8_t op;    /* enum cmpd_ptx_op; a row with 0 ends a table */
    uint8_t taint; /* enum emu_taint_rule */
    const char *form;
    uint32_t types, types2; /* sets; types2 0: there is no second type */
    uint64_t need, allow;
    emu_handler *run;
};

/* The tables of one flavour, and the handlers that binding names itself. */
struct emu_ops {
    const struct emu_row *const *tables;                /* ends with NULL */
    emu_test *(*test)(unsigned type, unsigned compare); /* NULL: no such comparison */
    int (*compare_index)(unsigned compare);
    emu_handler *setp, *setp_x2, *set, *testp, *mma;
    emu_handler *(*cvt)(const struct emu_ins *in);
};
extern const struct emu_ops emu_ops_baseline, emu_ops_v3;

#define EMU_JOIN2(a, b) a##_##b
#define EMU_JOIN(a, b)  EMU_JOIN2(a, b)
#define EMU_NAME(name)  EMU_JOIN(name, EMU_FLAVOUR)
#ifdef EMU_FLAVOUR
extern const struct emu_row EMU_NAME(emu_rows_int)[], EMU_NAME(emu_rows_bits)[],
    EMU_NAME(emu_rows_float)[], EMU_NAME(emu_rows_round)[], EMU_NAME(emu_rows_half)[],
    EMU_NAME(emu_rows_setp)[];
emu_test *EMU_NAME(emu_find_test)(unsigned type, unsigned compare);
int EMU_NAME(emu_compare_index)(unsigned mod);
emu_handler EMU_NAME(emu_setp), EMU_NAME(emu_setp_x2), EMU_NAME(emu_set), EMU_NAME(emu_testp),
    EMU_NAME(emu_mma);
emu_handler *EMU_NAME(emu_find_cvt)(const struct emu_ins *in);
#endif

/* mode of a collective that is a barrier of the warp. */
#define EMU_COLLECTIVE_BARRIER 255
/* mode of a barrier of the block */
enum { EMU_BARRIER_SYNC, EMU_BARRIER_ARRIVE, EMU_BARRIER_RED };

/* ---- for handlers ---- */

static inline void *emu_lanes(const struct emu_warp *w, const struct emu_operand *o)
{
    return w->base[o->place] + o->offset;
}
static inline void *emu_dst(const struct emu_warp *w, const struct emu_ins *in, unsigned i)
{
    return emu_lanes(w, &in->dst[i]);
}
static inline void *emu_src(const struct emu_warp *w, const struct emu_ins *in, unsigned i)
{
    return emu_lanes(w, &in->src[i]);
}
/* A predicate operand as a mask. */
static inline uint32_t emu_predicate(const struct emu_warp *w, const struct emu_operand *o)
{
    uint32_t p = *(const uint32_t *)emu_lanes(w, o);
    return o->negated ? ~p : p;
}
static inline void emu_set_predicate(const struct emu_warp *w, const struct emu_operand *o,
                                     uint32_t mask, uint32_t value)
{
    uint32_t *p = emu_lanes(w, o);
    *p = (*p & ~mask) | (value & mask);
}
/* One lane of an operand whatever its width, zero-extended. */
static inline void emu_note_store(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    for (unsigned l = 0; l < EMU_LANES; l++)
        w->last_store[l] = m >> l & 1u ? in->ptx : w->last_store[l];
}
static inline uint64_t emu_get(const struct emu_warp *w, const struct emu_operand *o, unsigned lane)
{
    const uint8_t *p = emu_lanes(w, o);
    return o->wide ? ((const uint64_t *)p)[lane] : ((const uint32_t *)p)[lane];
}
static inline void emu_put(const struct emu_warp *w, const struct emu_operand *o, unsigned lane,
                           uint64_t value)
{
    uint8_t *p = emu_lanes(w, o);
    if (o->wide)
        ((uint64_t *)p)[lane] = value;
    else
        ((uint32_t *)p)[lane] = (uint32_t)value;
}

#ifdef __clang__
#define EMU_IVDEP
#else
#define EMU_IVDEP _Pragma("GCC ivdep")
#endif
#define EMU_BITS(m, bit)                                                         \
    for (uint32_t emu_rest_##bit = (m), bit = 0;                                 \
         emu_rest_##bit && ((bit = (uint32_t)__builtin_ctz(emu_rest_##bit)), 1); \
         emu_rest_##bit &= emu_rest_##bit - 1)

/*
 * d[lane] = EXPR for the lanes of m. The expression is worked out for all 32 lanes (so that it becomes vector code)
 * and must not fault for any value. Destination and sources may be the same register, never shifted ones.
 */
#define EMU_EACH(TD, LOADS, EXPR)                          \
    if (m == EMU_FULL) {                                   \
        EMU_IVDEP for (unsigned l = 0; l < EMU_LANES; l++) \
        {                                                  \
            LOADS d[l] = (TD)(EXPR);                       \
        }                                                  \
    } else {                                               \
        EMU_IVDEP for (unsigned l = 0; l < EMU_LANES; l++) \
        {                                                  \
            LOADS const TD emu_r = (TD)(EXPR);             \
            d[l] = (m >> l & 1u) ? emu_r : d[l];           \
        }                                                  \
    }
#define EMU_HANDLER(NAME) static void NAME(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
#define EMU_UNARY(NAME, TD, TA, EXPR)          \
    EMU_HANDLER(NAME)                          \
    {                                          \
        TD *d = emu_dst(w, in, 0);             \
        const TA *a = emu_src(w, in, 0);       \
        EMU_EACH(TD, const TA x = a[l];, EXPR) \
    }
#define EMU_BINARY(NAME, TD, TA, TB, EXPR)                        \
    EMU_HANDLER(NAME)                                             \
    {                                                             \
        TD *d = emu_dst(w, in, 0);                                \
        const TA *a = emu_src(w, in, 0);                          \
        const TB *b = emu_src(w, in, 1);                          \
        EMU_EACH(TD, const TA x = a[l]; const TB y = b[l];, EXPR) \
    }
#define EMU_TERNARY(NAME, TD, TA, TB, TC, EXPR)                                      \
    EMU_HANDLER(NAME)                                                                \
    {                                                                                \
        TD *d = emu_dst(w, in, 0);                                                   \
        const TA *a = emu_src(w, in, 0);                                             \
        const TB *b = emu_src(w, in, 1);                                             \
        const TC *c = emu_src(w, in, 2);                                             \
        EMU_EACH(TD, const TA x = a[l]; const TB y = b[l]; const TC z = c[l];, EXPR) \
    }

/* ---- binding ---- */

struct emu_binder {
    struct emu_module *m;
    struct emu_function *f;
    const struct emu_ops *ops;
    const uint32_t *register_offset; /* of the function being bound, by register */
    bool full;                       /* the module's constants are */
    const char *why; /* static; why the instruction has no handler, NULL: it simply has none */
};

/* Lanes that an operand must have. */
enum emu_lanes_kind { EMU_W32, EMU_W64, EMU_WPRED, EMU_WANY };
/*
 * Resolves an operand as a source or a destination. Constants are put into the pool in the width asked for (WANY: 64
 * bits). type: for floating constants. False: not runnable (a wrong width, an unknown name).
 */
bool emu_bind_operand(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                      enum emu_lanes_kind kind, enum cmpd_ptx_type type, struct emu_operand *out);
bool emu_bind_destination(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                          enum emu_lanes_kind kind, struct emu_operand *out);
/* The offset of a value in the module's constants, as 32 lanes of 32 or 64 bits. */
uint32_t emu_bind_constant(struct emu_binder *b, uint64_t value, bool wide);
enum emu_lanes_kind emu_lanes_of(enum cmpd_ptx_type t);
/* A special register that stands still while a block runs; one that moves is read by mov alone. */
bool emu_bind_special(struct emu_binder *b, uint32_t special, enum emu_lanes_kind kind,
                      struct emu_operand *out);
/* Are there instructions of this opcode that can run? */
bool emu_bind_knows(enum cmpd_ptx_op op);
/* By the rows alone. */
bool emu_bind_row(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in);
uint64_t emu_bind_features(const struct cmpd_ptx_ins *p);
void emu_bind_rounding(uint64_t features, struct emu_ins *in);
/* Room for `count` operands, which becomes in->more. */
struct emu_operand *emu_bind_more(struct emu_binder *b, struct emu_ins *in, unsigned count);
/* Is the variable one of the function's own parameters (not one of a call that it makes)? */
bool emu_is_param(const struct emu_function *f, uint32_t variable);
/* Modifiers and address of a memory access: space, vec, flags; src[0], imm, narrow_address, mode. */
bool emu_bind_access_mods(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in);
bool emu_bind_address(struct emu_binder *b, const struct cmpd_ptx_operand *o, struct emu_ins *in);
static inline bool emu_has(const struct cmpd_ptx_ins *p, enum cmpd_ptx_mod mod)
{
    for (unsigned i = 0; i < p->mod_count; i++)
        if (p->mods[i] == mod)
            return true;
    return false;
}

/*
 * What a row can't say has a bind function: one an opcode, in the table of bind.c. False: not supported (b->why).
 * The instruction is zeroed but for its guard and ptx index.
 */
typedef bool emu_bind(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in);
emu_bind emu_bind_ld, emu_bind_st, emu_bind_atom, emu_bind_mov, emu_bind_cvta, emu_bind_cvt,
    emu_bind_setp, emu_bind_set, emu_bind_bra, emu_bind_brx, emu_bind_call, emu_bind_ret,
    emu_bind_exit, emu_bind_bar, emu_bind_shfl, emu_bind_vote, emu_bind_match, emu_bind_redux,
    emu_bind_cp, emu_bind_mma, emu_bind_ldmatrix, emu_bind_nothing, emu_bind_trap,
    emu_bind_nanosleep, emu_bind_fence, emu_bind_isspacep, emu_bind_activemask, emu_bind_testp,
    emu_bind_mbarrier, emu_bind_movmatrix, emu_bind_copies_arrive, emu_bind_video, emu_bind_policy,
    emu_bind_wmma_mma, emu_bind_alloca, emu_bind_wmma, emu_bind_elect;

/* How large a frame the module's called functions need: once, before any is bound. */
void emu_bind_frames(struct emu_module *m);
/* Binds the function if that wasn't done. Its `unsupported` says whether it can run. */
void emu_function_bind(struct emu_module *m, uint32_t function);
/*
 * Binds all that the kernel reaches. *bad: a function that holds an instruction without a handler or has no text,
 * CMPD_PTX_NONE: all can run. Returns which functions are reached, one byte each; the caller frees it.
 */
uint8_t *emu_function_reach(struct emu_module *m, uint32_t kernel, uint32_t *bad, bool *fence);
/* Registers that may be read before they are written: f->live_in. */
void emu_flow_live_in(const struct emu_module *m, struct emu_function *f);

/* ---- warp.c ---- */

enum emu_warp_end {
    EMU_WARP_DONE,  /* every lane has left */
    EMU_WARP_WAITS, /* nothing can run before others do something (barrier, memory, a collective) */
    EMU_WARP_QUANTUM, /* could go on */
};
enum emu_warp_end emu_warp_run(struct emu_warp *w, uint64_t quantum);
void emu_warp_init(struct emu_warp *w, struct emu_block *b,
                   uint32_t index);      /* memory, once a pool entry */
void emu_warp_start(struct emu_warp *w); /* at each block's begin */
void emu_warp_clear(struct emu_warp *w);
/* bar.warp.sync and the like: the lanes of mask are ordered among themselves from here. */
void emu_warp_order(struct emu_warp *w, uint32_t mask);
/* All lanes are: after a barrier of the block. */
void emu_warp_order_all(struct emu_warp *w);
/* At least `bytes` of local memory for each lane. False: over the ceiling. */
bool emu_warp_local(struct emu_warp *w, uint32_t bytes);
uint32_t emu_random(struct emu_launch *l);

/* block.c: lanes of w have come to a barrier; in is the instruction. */
void emu_block_arrive(struct emu_warp *w, const struct emu_ins *in, uint32_t mask);

/* block.c, for mbarrier: this warp's past belongs to whoever waits for the object at `address`; the other way. */
void emu_block_signal(struct emu_warp *w, uint64_t address);
void emu_block_acquire(struct emu_warp *w, uint64_t address, uint32_t mask);

/* ---- paths.c ---- */

/* May a thread that has done instruction `from` leave the function without doing `through`? */
bool emu_path_avoids(const struct emu_module *m, const struct emu_function *f, uint32_t from,
                     uint32_t through);
/*
 * Which of these lanes, which have left the kernel, did a store that threads do which come from instruction `ptx`, and
 * which none does before: they passed it by, where others returned early and skipped the rest too.
 */
uint32_t emu_passed_by(const struct emu_warp *w, uint32_t lanes, uint32_t function, uint32_t ptx);

/* ---- runtime.c: functions that the device has by itself ---- */

/* CMPD_PTX_NONE: not one of them. */
uint32_t emu_builtin_find(const char *name);
/* Runs it for the lanes; their arguments stand in the callers' frames. */
void emu_builtin_call(struct emu_warp *w, const struct emu_ins *in, uint32_t mask,
                      uint32_t builtin);

/* ---- cp.async ---- */
void emu_async_issue(struct emu_warp *w, const struct emu_ins *in, unsigned lane, uint64_t to,
                     unsigned bytes, const uint8_t *value, uint32_t undefined);
/* Completes what lane issued in groups older than its open one minus `keep` (0: all that were committed). */
void emu_async_wait(struct emu_warp *w, uint32_t mask, uint32_t keep, bool all);
void emu_async_commit(struct emu_warp *w, uint32_t mask);

#endif
