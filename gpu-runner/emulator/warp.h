/* What warp.c keeps for itself in each warp, and what block.c reads of it. */
#ifndef CMPD_GPU_RUNNER_EMULATOR_WARP_H
#define CMPD_GPU_RUNNER_EMULATOR_WARP_H

#include "gpu-runner/emulator/emu.h"

/* To find a loop that repeats its state: from time to time the state at a few turns in a row is compared. */
struct emu_spin {
    uint64_t turns, next, hash, writes, clock_reads;
    uint32_t pc, mask;
    unsigned left; /* turns to compare yet */
};

struct emu_warp_state {
    uint32_t kernel_bytes, kernel_registers; /* of the kernel's frame */
    uint32_t called_bytes, called_registers; /* of a called function's, the largest */
    size_t registers;                        /* that the masks have room for */
    uint32_t *undefined, *origin;            /* owned; all frames' */
    uint8_t *undefined_bytes;                /* owned */
    uint8_t *specials, *sink;                /* owned */
    uint8_t *local;                          /* owned; of all lanes */
    uint32_t local_bytes;                    /* of one lane */
    struct emu_spin spin;
    uint32_t tired;         /* lanes that had their share of steps: others first */
    uint64_t parked_writes; /* launch->writes when lanes were parked */
    bool yields;            /* nanosleep: let others run */
};

/* The running frame of lanes at this call depth. */
void emu_warp_select(struct emu_warp *w, uint32_t depth);
const struct emu_ins *emu_warp_ins(const struct emu_warp *w, unsigned lane);

struct emu_function *emu_warp_function(const struct emu_warp *w, uint32_t index);
/* Room for frames of calls up to `depths` deep. */
void emu_warp_depth(struct emu_warp *w, uint32_t depths);
/* The launch ends so, unless it already ended. */
void emu_warp_stop(struct emu_warp *w, enum cmpd_launch_end end);

/* ---- call.c: lanes of mask stand at the call `in`; afterwards where they go on ---- */
void emu_call(struct emu_warp *w, const struct emu_ins *in, uint32_t mask, uint32_t target);
void emu_call_indirect(struct emu_warp *w, const struct emu_ins *in, uint32_t mask);
void emu_call_return(struct emu_warp *w, unsigned lane);

#endif
