/*
 * The emulated device, inside. Not for other folders: they see gpu-runner/device/device.h.
 *
 *   memory.c  address space, allocations, shadow (which bytes were written), checked access
 *   race.c    who touched a word last, and whether a barrier lies between
 *   report.c  from a fault to a sighting with file, line, thread and block
 *   bind.c    a PTX function made runnable: operands resolved, each instruction given its handler
 *   ops_*.c   the handlers, one file a kind of instruction
 *   warp.c    one warp: divergence, calls, collectives
 *   block.c   blocks: barriers, residency, scheduling, deadlock, endless loops
 *   device.c  the vtable
 *
 * Lanes: a register of a warp is 32 values side by side, so that a handler is one loop that the compiler turns into
 * vector code. Beside each register lies a mask of the lanes whose value hangs on memory that nobody wrote
 * ("undefined"); handlers or the masks of their sources together, and only a use that counts (a branch, an address,
 * an output) is judged.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_EMU_H
#define CMPD_GPU_RUNNER_EMULATOR_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/device/device.h"
#include "gpu-runner/ptx/ptx.h"

#define EMU_LANES       32
#define EMU_CALL_DEPTH  24
#define EMU_LOCAL_BYTES (1u << 19) /* a thread's local memory and stack at most; grown as needed */
#define EMU_NO_INS      UINT32_MAX

/* Generic addresses outside global memory. Windows never overlap device slots. */
#define EMU_SHARED_WINDOW    0x7e00000000000000ull
#define EMU_LOCAL_WINDOW     0x7e80000000000000ull
#define EMU_PARAM_WINDOW     0x7ec0000000000000ull
/* Each shared variable has a slot of its own of 1 MiB: slot 0 is nothing, 1 dynamic shared memory, 2.. the static ones. */
#define EMU_SHARED_SLOT_BITS 20

struct emu_device;
struct emu_module;
struct emu_function;
struct emu_launch;
struct emu_block;
struct emu_warp;
struct emu_ins;

/* Runs one instruction for the lanes of `mask`. Control flow handlers set warp->next_pc and friends (warp.c). */
typedef void emu_handler(struct emu_warp *w, const struct emu_ins *in, uint32_t mask);

/* An operand made runnable: where its 32 lanes stand. */
enum emu_place {
    EMU_REG,     /* offset into the warp's registers of the current frame */
    EMU_CONST,   /* offset into the module's constants (each value stands there 32 times) */
    EMU_SPECIAL, /* offset into the warp's special registers */
    EMU_FRAME,   /* local variable: frame base of the lane plus offset (64-bit local address) */
    EMU_SINK,
    EMU_ABSENT,
};

struct emu_operand {
    uint8_t place;   /* enum emu_place */
    bool negated;    /* predicates: inverted */
    bool wide;       /* the register holds 64-bit lanes */
    uint32_t offset; /* bytes */
    uint32_t
        reg; /* register number, for the undefined masks; CMPD_PTX_NONE where place is not EMU_REG */
};

#define EMU_OPERANDS 20 /* mma has 4 + 4 + 4 + 4, and a predicate */

struct emu_ins {
    emu_handler *run;
    struct emu_operand dst[8], src[12];
    uint8_t dst_count, src_count;
    uint8_t type, type2, type3, type4;
    uint8_t space, vec, rounding, compare, combine, mode;
    bool ftz, sat, guard_negated, address64;
    uint32_t flags;
    uint32_t guard; /* register number of the predicate, CMPD_PTX_NONE: none */
    uint32_t guard_offset;
    int64_t imm;     /* address offset, table index, ... */
    uint32_t target; /* instruction index in the module, or function index of a call */
    uint32_t ptx;    /* index into the PTX module's instructions: text and place */
};

/* ---- memory.c ---- */

enum emu_access { EMU_READ, EMU_WRITE, EMU_ATOMIC };

/*
 * One lane's access. Checks space, alignment, bounds, liveness; notes the race record; for writes and atomics marks
 * nothing (the caller stores through *data and then calls emu_mark). Returns false after having reported a fault: the
 * caller then reads zero or drops the store, and the launch goes on where a GPU's would, else w->launch->stop is set.
 *
 *   data    the bytes; valid until the next allocation changes
 *   shadow  one byte a byte: 0 never written, 1 written (defined)
 */
struct emu_bytes {
    uint8_t *data, *shadow;
};
bool emu_access(struct emu_warp *w, const struct emu_ins *in, unsigned lane, uint64_t address,
                unsigned size, enum cmpd_ptx_space space, enum emu_access access, const void *value,
                struct emu_bytes *out);

#endif
