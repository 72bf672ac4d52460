/*
 * The emulated device, inside. Not for other folders: they see gpu-runner/device/device.h.
 *
 *   memory.c  address space, allocations, shadow (which bytes were written), checked access
 *   race.c    who touched a word last, and whether a barrier lies between
 *   report.c  from a fault to a sighting with file, line, thread and block
 *   device.c  the vtable
 *   module.c  a module made ready: variables, shared slots, constants
 *   bind.c    a PTX function made runnable: operands resolved, each instruction given its handler (bind_*.c: matrices)
 *   ops_*.c   the handlers, one file a kind of instruction; matrix.c: which lane holds which element
 *   live.c    registers that may be read before they are written; paths.c: who passed a barrier by
 *   runtime.c what the device has by itself: printf, malloc, free, assert
 *   taint.c   values that hang on memory that nobody wrote
 *   warp.c    one warp: divergence, collectives; call.c: calls
 *   block.c   blocks: barriers, residency, scheduling, deadlock, endless loops
 *
 * Lanes: a register of a warp is 32 values side by side, so that a handler is one loop that the compiler turns into
 * vector code. Values of up to 32 bits take 4 bytes a lane, 64-bit values 8, a predicate is one 32-bit mask.
 *
 * Undefined values: beside each register lies a mask of the lanes whose value hangs on memory that nobody wrote, and
 * for each such lane which bytes do. Only a use that counts (a branch, an address, an output) is judged. A warp that
 * has no undefined value anywhere (`tainted` is false) spends nothing on this.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_EMU_H
#define CMPD_GPU_RUNNER_EMULATOR_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/base/buf.h"
#include "gpu-runner/device/device.h"
#include "gpu-runner/ptx/ptx.h"

#define EMU_LANES       32
#define EMU_FULL        UINT32_MAX
#define EMU_CALL_DEPTH  256
#define EMU_LOCAL_BYTES (1u << 19) /* a thread's local memory and stack at most; grown as needed */
#define EMU_NO_INS      UINT32_MAX
#define EMU_BLOCK_WARPS 32 /* 1024 threads */
#define EMU_BARRIERS    16
#define EMU_OUTPUT_BYTES \
    ((size_t)1 << 20) /* of device printf, kept for one device; the rest is dropped */
#define EMU_DEVICE_HEAP_BYTES ((uint64_t)64 << 20) /* of malloc in device code, all together */

/* Generic addresses outside global memory. Windows never overlap device slots. */
#define EMU_SHARED_WINDOW    0x7e00000000000000ull
#define EMU_LOCAL_WINDOW     0x7e80000000000000ull
#define EMU_PARAM_WINDOW     0x7ec0000000000000ull
/* Function "addresses": EMU_CODE_BASE + (module << 24 | function) * 16. No data lies there. */
#define EMU_CODE_BASE        0x7f00000000000000ull
/* Each shared variable has a slot of its own of 1 MiB: slot 0 is nothing, 1 dynamic shared memory, 2.. the static ones. */
#define EMU_SHARED_SLOT_BITS 20
#define EMU_SHARED_SLOTS     4096

struct emu_device;
struct emu_module;
struct emu_function;
struct emu_launch;
struct emu_block;
struct emu_warp;
struct emu_ins;
struct emu_memory; /* memory.h */

/* Runs one instruction for the lanes of `mask` (never 0). */
typedef void emu_handler(struct emu_warp *w, const struct emu_ins *in, uint32_t mask);

/* An operand made runnable: where its 32 lanes stand. */
enum emu_place {
    EMU_REG,     /* offset into the registers of the current frame */
    EMU_CONST,   /* offset into the module's constants (each value stands there 32 times) */
    EMU_SPECIAL, /* offset into the warp's special registers */
    EMU_SINK,    /* a destination that nobody reads */
    EMU_PLACES,
    EMU_ABSENT = EMU_PLACES,
};

struct emu_operand {
    uint8_t place; /* enum emu_place */
    bool negated;  /* predicates: inverted */
    bool wide;     /* 64-bit lanes */
    uint8_t spare;
    uint32_t offset; /* bytes */
    uint32_t reg;    /* for the undefined masks; CMPD_PTX_NONE where place is not EMU_REG */
};

enum emu_flag {
    EMU_F_VOLATILE = 1 << 0, /* ld.volatile, st.volatile */
    EMU_F_RELAXED = 1 << 1,  /* .relaxed: an access that takes part in synchronisation */
    EMU_F_ACQUIRE = 1 << 2,  /* .acquire, .acq_rel, .sc */
    EMU_F_RELEASE = 1 << 3,  /* .release, .acq_rel, .sc */
    EMU_F_CTA = 1 << 4,      /* scope .cta; none of these: .gpu or wider */
    EMU_F_MMIO = 1 << 5,
    EMU_F_ASYNC = 1 << 6,   /* cp.async */
    EMU_F_UNIFORM = 1 << 7, /* .uni */
    EMU_F_ALL_LANES =
        1 << 8, /* a collective: all lanes that live must come; else src[3] holds the mask */
};

/* What the interpreter's loop does with an instruction. */
enum emu_control {
    EMU_PLAIN, /* run the handler, go on */
    EMU_BRANCH,
    EMU_BRANCH_TABLE,
    EMU_CALL,
    EMU_RETURN,
    EMU_EXIT,
    EMU_COLLECTIVE, /* waits for the lanes of its mask, then the handler runs for them together */
    EMU_BARRIER,    /* of the block */
    EMU_TRAP,
    EMU_YIELD, /* nanosleep */
};

/* What setp and set ask of all 32 lanes. */
typedef uint32_t emu_test(const struct emu_warp *w, const struct emu_ins *in);

struct emu_ins {
    emu_handler *run;
    emu_test *test;
    uint32_t guard_offset; /* of the predicate, into the registers; CMPD_PTX_NONE: no guard */
    uint32_t guard;        /* its register number; CMPD_PTX_NONE: none */
    uint8_t control;       /* enum emu_control */
    bool guard_negated;
    uint8_t dst_count, src_count; /* of dst and src; more: see `more` */
    struct emu_operand dst[2], src[4];
    const void *extra; /* in the module's arena; what else the handler needs */
    const struct emu_operand
        *more; /* owned by the function; vectors and matrices: the handler knows the layout */
    uint16_t more_count;
    uint16_t
        more_written; /* of a matrix instruction: the first so many of `more` are destinations */
    uint16_t flags;   /* enum emu_flag */
    uint8_t type, type2, type3, type4; /* enum cmpd_ptx_type */
    uint8_t space;                     /* enum cmpd_ptx_space */
    uint8_t vec;                       /* elements of a vector access: 1, 2, 4, 8 */
    uint8_t rounding, compare, combine, mode;
    bool ftz, sat;
    bool narrow_address; /* the base register holds 32 bits */
    uint8_t taint;       /* enum emu_taint_rule (taint.h) */
    int64_t imm;         /* address offset */
    uint32_t target;     /* instruction index in the PTX module, function, or table */
    uint32_t ptx;        /* index into the PTX module's instructions: text and place */
};

/* A function made runnable, on first need. */
struct emu_function {
    const struct cmpd_ptx_function *ptx; /* borrowed */
    uint32_t index;                      /* in module->functions, as in the PTX module */
    bool bound;
    struct emu_ins *code;    /* owned; ptx->count of them; code[i] is instruction ptx->first + i */
    uint32_t register_bytes; /* of one frame */
    uint32_t
        local_bytes;   /* of one frame: local variables, params of calls, own params when called */
    uint32_t *live_in; /* owned; registers that may be read before they are written */
    uint32_t live_in_count;
    uint32_t unsupported;  /* PTX instruction that has no handler; EMU_NO_INS: all have one */
    char *unsupported_why; /* owned; NULL: simply no handler */
    uint32_t *callees;     /* owned; functions that it may call */
    uint32_t callee_count;
    bool
        calls_pointers; /* has an indirect call: every function whose address is taken is reachable */
    uint32_t *shared_slots; /* owned; of the module's, that its text names */
    uint32_t shared_slot_count;
    bool uses_fence;
};

struct emu_module {
    struct emu_device *device;      /* borrowed */
    uint32_t index;                 /* in device->modules */
    struct cmpd_ptx_module *ptx;    /* owned */
    struct emu_function *functions; /* owned; ptx->function_count */
    uint64_t *
        variable_address; /* owned; ptx->variable_count. GLOBAL, CONST: device address; SHARED: slot <<
                                          EMU_SHARED_SLOT_BITS; LOCAL and PARAM of a function: offset in its frame */
    uint32_t *
        shared_variable; /* owned; by slot: index of the PTX variable, CMPD_PTX_NONE: slot 0 and 1 */
    uint32_t shared_slot_count;
    /* One frame for all functions that are called: how many registers of each kind. */
    uint32_t called_predicates, called_narrow, called_wide;
    struct cmpd_arena arena; /* operands of vectors */
    uint8_t *constants;      /* owned; EMU_CONST operands */
    size_t constants_len, constants_cap;
};

/* One shared variable of one block. */
struct emu_shared {
    uint8_t *data, *shadow; /* owned by the block; shadow: one byte a byte, enum emu_shadow */
    uint32_t size;          /* bytes; 0: not part of this launch */
    void *race;             /* owned by race.c */
};

/* A byte's state. */
enum emu_shadow {
    EMU_UNWRITTEN = 0,
    EMU_WRITTEN = 1,
    EMU_PENDING =
        2, /* an asynchronous copy is under way: a read or a write now is missing_async_wait */
    EMU_TAINTED =
        3, /* a value was stored that hangs on memory that nobody wrote; a read of it is undefined too */
};

/* race.c's own place in a warp and a block; all zero is fine, `serial` tells what an earlier block left behind. */
struct emu_warp_marks {
    uint64_t serial;   /* of the block for which the rest holds */
    uint32_t interval; /* 0: a new one at the next access */
    uint32_t lane_clock, warp_clock;
    uint32_t known;                    /* what lies before by fences and flags */
    uint32_t lane_interval[EMU_LANES]; /* while the warp is not flat */
    uint32_t lane_interval_clock[EMU_LANES];
};
struct emu_block_marks {
    uint64_t serial;
    uint32_t base, clock, known;
    uint8_t fenced; /* 0 no fence yet, 1 of scope cta, 2 wider */
};

struct emu_local {          /* of one lane */
    uint8_t *data, *shadow; /* owned by the warp's pool; `size` bytes each */
    uint32_t size;
};

struct emu_return {    /* where a lane goes on after the function that it is in */
    uint32_t pc;       /* PTX instruction index of the call */
    uint32_t function; /* of the caller */
    uint32_t frame;    /* of the caller, in the lane's local memory */
    uint32_t top;      /* of the caller's stack */
};

struct emu_async { /* one cp.async of one lane under way */
    uint64_t to;
    const struct emu_ins *in; /* the cp.async */
    uint32_t group;
    uint16_t bytes, undefined; /* bit i: byte i is undefined */
    uint8_t value[16];
};

struct emu_warp {
    /* hot */
    uint8_t *base
        [EMU_PLACES]; /* by enum emu_place: EMU_REG of the running frame, constants, specials, sink */
    uint32_t *undefined; /* of the running frame, by register: lanes */
    uint8_t *
        undefined_bytes; /* of the running frame, by register * 32 + lane: which bytes (bit i: byte i) */
    uint32_t *origin; /* of the running frame, by register: PTX index of the load, EMU_NO_INS */
    uint32_t carry;   /* the carry flag, by lane */
    bool tainted;     /* some register of some frame is undefined in some lane */
    struct emu_launch *launch; /* borrowed */
    struct emu_block *block;   /* borrowed */
    uint32_t index;            /* in the block: thread = index * 32 + lane */
    uint32_t lanes;            /* that exist */
    uint32_t live;             /* that have not left the kernel */
    uint32_t at_barrier, at_collective, parked;
    uint32_t pc[EMU_LANES]; /* PTX instruction index */
    uint32_t function[EMU_LANES];
    uint32_t frame[EMU_LANES];      /* offset of the running frame in the lane's local memory */
    uint32_t top[EMU_LANES];        /* of the lane's stack in local memory */
    uint16_t depth[EMU_LANES];      /* of calls */
    uint32_t last_store[EMU_LANES]; /* PTX index, EMU_NO_INS */
    uint32_t need[EMU_LANES];       /* at_collective: the mask it waits for */
    uint32_t waiting[EMU_BARRIERS]; /* at_barrier, by the barrier's number */
    struct emu_local local[EMU_LANES];
    struct emu_return (*calls)[EMU_LANES]; /* owned; by depth and lane; NULL until the first call */
    uint32_t call_depths;                  /* that calls and frames have room for */

    /*
     * Order within the warp (vector clocks): lane_clock[l] is what a record of lane l's access keeps. While `flat`,
     * all lanes have the same clock, and an access is ordered before now if its clock is smaller than that.
     */
    bool flat;
    uint32_t lane_clock[EMU_LANES];
    uint32_t (*seen)
        [EMU_LANES]; /* owned, NULL while flat; seen[l][k]: lane l is after lane k's clocks up to this */

    struct emu_async *async; /* owned; in order of issue, all lanes: see async_lane */
    uint8_t *async_lane;     /* owned */
    uint32_t async_count, async_cap;
    uint32_t async_group[EMU_LANES]; /* number of the open group */

    uint8_t *frames;              /* owned by the pool: registers of all depths */
    struct emu_warp_state *state; /* warp.c's own */
    struct emu_warp_marks marks;  /* race.c's own */
};

struct emu_block {
    struct emu_launch *launch; /* borrowed */
    uint32_t id[3];
    uint64_t linear; /* id.x + grid.x * (id.y + grid.y * id.z) */
    uint32_t thread_count, warp_count;
    struct emu_warp *warps;    /* owned by the pool */
    struct emu_shared *shared; /* owned by the pool; module->shared_slot_count */
    /* Order between warps: as lane_clock, a warp's clock grows with each block barrier that it takes part in. */
    bool flat;
    uint32_t warp_clock[EMU_BLOCK_WARPS];
    uint32_t seen[EMU_BLOCK_WARPS][EMU_BLOCK_WARPS];
    uint32_t shared_bytes; /* of all slots */
    bool started, done;
    uint64_t
        serial; /* counts up over all blocks ever started on the device; never 0: tells shared records of old blocks apart */
    struct emu_block_state *state; /* block.c's own */
    struct emu_block_marks marks;  /* race.c's own */
};

struct emu_launch {
    struct emu_device *device;     /* borrowed */
    struct emu_module *module;     /* borrowed */
    struct emu_function *function; /* borrowed; the kernel */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
    bool cooperative;
    const uint8_t
        *params; /* borrowed; function->ptx->param_bytes of them, 16 more readable behind */
    uint64_t
        workspace;   /* of a cooperative launch: a few words that grid.sync() counts in; else 0 */
    uint64_t serial; /* counts up over the launches of a device; never 0 */
    bool stop;       /* set with `end`: nothing more runs */
    enum cmpd_launch_end end;
    uint64_t writes; /* grows with each store or atomic that may have changed memory */
    uint64_t random; /* state of the generator for schedules and jitter */
    uint64_t lane_instructions, warp_instructions;
    uint64_t clock, clock_reads;
    struct cmpd_sightings *sightings; /* borrowed */
    bool
        uses_fence; /* some reachable function has membar, fence, or an acquire or release access */
};

struct emu_device {
    struct cmpd_device base; /* first: the vtable */
    struct cmpd_device_options options;
    struct emu_memory *memory;   /* owned; memory.c */
    struct emu_module **modules; /* owned, each */
    uint32_t module_count, module_cap;
    uint64_t budget_left; /* lane instructions */
    uint64_t launch_serial, block_serial;
    uint64_t workspace;     /* device address, 0: none was needed yet */
    uint64_t heap_used;     /* of malloc in device code */
    struct cmpd_buf output; /* of device printf */
    void *pool;             /* block.c: memory of blocks, kept between launches */
    bool baseline_code;     /* tests: don't use the handlers compiled for newer processors */
};

/* ---- memory.c ---- */

enum emu_access { EMU_READ, EMU_WRITE, EMU_ATOMIC };

struct emu_bytes {
    uint8_t *data, *shadow; /* valid until the next allocation changes */
};
/*
 * One lane's access, for atomics and the like. Checks space, alignment, bounds, liveness, pending bytes; notes the
 * race record. The caller works on *out itself. False after having reported a fault: the caller then reads zero or
 * drops the store, and the launch goes on unless launch->stop was set.
 */
bool emu_access(struct emu_warp *w, const struct emu_ins *in, unsigned lane, uint64_t address,
                unsigned size, enum cmpd_ptx_space space, enum emu_access access, const void *value,
                struct emu_bytes *out);

/*
 * All lanes of mask at once: `bytes` (1, 2, 4, 8, 16, 32) at address[lane] into out + lane * bytes. address includes
 * the offset; spaces SHARED and LOCAL: the address within the space; GENERIC: windows told apart lane by lane. A lane
 * that faulted reads zeros. Lanes outside mask: out is left alone. Returns the lanes with an undefined byte;
 * undefined[lane] says which (bit i: byte i) and is written for those lanes only. Faults, races: reported.
 */
uint32_t emu_load(struct emu_warp *w, const struct emu_ins *in, uint32_t mask,
                  const uint64_t *address, unsigned bytes, enum cmpd_ptx_space space, uint8_t *out,
                  uint32_t *undefined);
/* The other way. undefined_lanes: lanes with undefined bytes, which become TAINTED. Counts launch->writes. */
void emu_store(struct emu_warp *w, const struct emu_ins *in, uint32_t mask, const uint64_t *address,
               unsigned bytes, enum cmpd_ptx_space space, const uint8_t *values,
               uint32_t undefined_lanes, const uint32_t *undefined);
/* A value stored at `in` is undefined because of what the load at `origin` (PTX index) read. Once a store is enough. */
void emu_store_origin(struct emu_warp *w, const struct emu_ins *in, uint32_t origin);
/* After emu_load named undefined lanes: where the value of the first of them comes from (taint.h: origin). */
uint32_t emu_load_origin(const struct emu_warp *w, const struct emu_ins *in);
/* cp.async was issued: checks the destination (shared) and marks it PENDING. False: faulted, drop the copy. */
bool emu_store_pending(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                       uint64_t address, unsigned bytes);
/* It arrived: the bytes and their shadow, and the race record of a write by this lane now. */
void emu_store_arrived(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                       uint64_t address, unsigned bytes, const uint8_t *value, uint32_t undefined);

/* Raw bytes of a live device range, unchecked by shadow and race: initialisers, strings of printf. False: no such range. */
bool emu_memory_bytes(struct emu_device *d, uint64_t address, uint64_t len, struct emu_bytes *out);
cmpd_rc emu_memory_alloc(struct emu_device *d, uint64_t bytes, enum cmpd_memory_kind kind,
                         int shared_fd, const char *what, uint64_t *address, struct cmpd_err *err);
cmpd_rc emu_memory_free(struct emu_device *d, uint64_t address, struct cmpd_err *err);

/* Shared memory of a block: data and shadow of one slot (poisoned, unwritten); reset for the next block; freed. */
void emu_shared_init(struct emu_shared *s, uint32_t size);
void emu_shared_reset(struct emu_shared *s);
void emu_shared_clear(struct emu_shared *s);

/* ---- race.c ---- */

/* membar, fence: for the lanes of mask. */
void emu_race_fence(struct emu_warp *w, const struct emu_ins *in, uint32_t mask);

/* ---- report.c ---- */

/* From an instruction of a lane. Not NULL where it is the first of its kind at this place. */
struct cmpd_sighting *emu_report(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                                 enum cmpd_tag tag, bool note, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Where no lane is to blame. ptx: instruction index in the launch's module, EMU_NO_INS: the kernel as such. */
struct cmpd_sighting *emu_report_at(struct emu_launch *l, uint32_t ptx, enum cmpd_tag tag,
                                    bool note, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* "file:line" of an instruction, for use within a message; `out` is always terminated. */
void emu_place_text(const struct emu_module *m, uint32_t ptx, char *out, size_t cap);

/* ---- module.c ---- */

/*
 * Takes the PTX module (on success). Allocates and initialises its variables through memory.c. CMPD_EINPUT,
 * CMPD_ELIMIT. The module is added to d->modules.
 */
cmpd_rc emu_module_new_take(struct emu_device *d, struct cmpd_ptx_module *ptx,
                            struct emu_module **out, struct cmpd_err *err);
void emu_module_free(struct emu_module *m);
/* CMPD_PTX_NONE: none. */
uint32_t emu_module_find_kernel(const struct emu_module *m, const char *name);
/* What a kernel's static shared variables take, and a thread's local memory (binds what it reaches). */
uint64_t emu_module_shared_bytes(struct emu_module *m, uint32_t function);
uint64_t emu_module_local_bytes(struct emu_module *m, uint32_t function);

/* ---- block.c ---- */

/*
 * Runs the launch to its end: l->end, counts and sightings are set. Everything of *l but what is counted or decided
 * was filled by the caller (device.c); grid, block and shared memory are within the limits that it checked.
 */
void emu_launch_run(struct emu_launch *l);
void emu_pool_free(void *pool);

struct emu_clock { /* what a race record keeps of "when" */
    uint32_t lane, warp;
};
static inline struct emu_clock emu_now(const struct emu_warp *w, unsigned lane)
{
    return (struct emu_clock){w->lane_clock[lane], w->block->warp_clock[w->index]};
}

/* Is lane `later` of warp `w` ordered after what a thread of the same block did at these clocks? */
static inline bool emu_ordered(const struct emu_warp *w, unsigned later, uint32_t earlier_thread,
                               uint32_t lane_clock, uint32_t warp_clock)
{
    uint32_t warp = earlier_thread / EMU_LANES, lane = earlier_thread % EMU_LANES;
    if (warp == w->index) {
        if (lane == later)
            return true;
        return w->flat ? lane_clock < w->lane_clock[later] : w->seen[later][lane] >= lane_clock;
    }
    return w->block->flat ? warp_clock < w->block->warp_clock[w->index]
                          : w->block->seen[w->index][warp] >= warp_clock;
}

#endif
