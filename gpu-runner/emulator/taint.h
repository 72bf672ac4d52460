/*
 * Values that hang on memory that nobody wrote. While a warp is tainted, emu_taint runs before each instruction: from
 * the masks of the sources it makes those of the destinations, and it judges uses (branch, address).
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_TAINT_H
#define CMPD_GPU_RUNNER_EMULATOR_TAINT_H

#include "gpu-runner/emulator/emu.h"

/*
 * Where an undefined value comes from: the PTX index of the instruction that read unwritten memory (or divided by zero,
 * or asked a lane that takes no part); with this bit, something was computed with it since, it wasn't merely copied.
 * EMU_NO_INS: a variable that was never set.
 */
#define EMU_ORIGIN_COMPUTED 0x80000000u
static inline uint32_t emu_origin_ins(uint32_t origin)
{
    return origin == EMU_NO_INS ? EMU_NO_INS : origin & ~EMU_ORIGIN_COMPUTED;
}

enum emu_taint_rule {
    EMU_TAINT_ALL,  /* any undefined source makes every byte of the destinations undefined */
    EMU_TAINT_NONE, /* nothing is read or written, or the handler sees to it */
    EMU_TAINT_COPY, /* destination i is source i, byte by byte */
    EMU_TAINT_AND,  /* bytes that a defined operand makes zero are defined */
    EMU_TAINT_OR,   /* bytes that a defined operand makes ones are defined */
    EMU_TAINT_XOR,  /* byte by byte */
    EMU_TAINT_LOP3, /* bytes that come out the same whatever the undefined ones are, are defined */
    EMU_TAINT_SELECT,     /* the operand chosen by a defined third operand */
    EMU_TAINT_MULTIPLY,   /* a defined zero makes the product defined */
    EMU_TAINT_SHIFT_LEFT, /* bytes move by a defined amount */
    EMU_TAINT_SHIFT_RIGHT,
    EMU_TAINT_PERMUTE,  /* prmt */
    EMU_TAINT_EXTRACT,  /* bfe */
    EMU_TAINT_INSERT,   /* bfi */
    EMU_TAINT_TRUNCATE, /* cvt between integers: the low bytes */
    EMU_TAINT_PACK,     /* mov from or to a vector */
    EMU_TAINT_LOAD,     /* judges the address (src[0]); the handler sets the destination's masks */
    EMU_TAINT_STORE,    /* judges the address (src[0]); the handler reads the value's masks */
    EMU_TAINT_USE,      /* every source is a use: branch tables, masks of collectives, counts */
};

void emu_taint(struct emu_warp *w, const struct emu_ins *in, uint32_t mask);
/* The guard of a branch or an access. */
void emu_taint_guard(struct emu_warp *w, const struct emu_ins *in, uint32_t mask);
/* A use that counts, of operand o in lanes of mask: a finding where it is undefined. */
void emu_taint_use(struct emu_warp *w, const struct emu_ins *in, const struct emu_operand *o,
                   uint32_t mask, const char *what);

/* For handlers: bytes of register `reg` in `lane` are undefined (0: it is defined), read at instruction `ptx`. */
void emu_taint_set(struct emu_warp *w, uint32_t reg, unsigned lane, uint8_t bytes, uint32_t ptx);
/* All of mask's lanes are defined. */
static inline void emu_taint_clear(struct emu_warp *w, uint32_t reg, uint32_t mask)
{
    if (w->tainted && reg != CMPD_PTX_NONE)
        w->undefined[reg] &= ~mask;
}
static inline uint32_t emu_taint_lanes(const struct emu_warp *w, const struct emu_operand *o)
{
    return w->tainted && o->reg != CMPD_PTX_NONE ? w->undefined[o->reg] : 0;
}
static inline uint8_t emu_taint_bytes(const struct emu_warp *w, const struct emu_operand *o,
                                      unsigned lane)
{
    return emu_taint_lanes(w, o) >> lane & 1 ? w->undefined_bytes[o->reg * EMU_LANES + lane] : 0;
}

#endif
