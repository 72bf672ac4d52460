/*
 * Memory of the emulated device: address space, allocations, which bytes were written, checked access of whole warps.
 *
 * This file and race.[ch], report.[ch] know nothing of instructions. The interpreter keeps a struct emu_launch_memory
 * for each launch, a struct emu_block_memory for each resident block and a struct emu_warp_memory for each warp, fills
 * in what is marked (in) and calls the functions below. `pc` is the index of the instruction in its PTX module
 * (emu_ins.ptx): from it comes the source line.
 *
 * A fault of the candidate is reported as a sighting; the function then goes on with the other lanes. Where a GPU would
 * stop the kernel (misaligned, null or host pointer, freed memory) launch->stop is set: the interpreter ends the launch
 * with CMPD_LAUNCH_FAULT after this instruction.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_MEMORY_H
#define CMPD_GPU_RUNNER_EMULATOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/device/device.h"
#include "gpu-runner/ptx/ptx.h"

#define EMU_LANES 32

/* Generic addresses outside global memory. Windows never overlap device slots. */
#define EMU_SHARED_WINDOW    0x7e00000000000000ull
#define EMU_LOCAL_WINDOW     0x7e80000000000000ull
#define EMU_PARAM_WINDOW     0x7ec0000000000000ull
#define EMU_WINDOW_END       0x7f00000000000000ull
/* Each shared variable has a slot of its own of 1 MiB: slot 0 is nothing, 1 dynamic shared memory, 2.. the static ones. */
#define EMU_SHARED_SLOT_BITS 20
#define EMU_LOCAL_BYTES      (1u << 19) /* a thread's local memory and stack at most */

#define EMU_NO_PC UINT32_MAX

/* What a byte of shadow says. */
enum emu_shadow {
    EMU_NEVER = 0,     /* nobody wrote here */
    EMU_DEFINED = 1,   /* written, with a value that is known */
    EMU_UNDEFINED = 2, /* written, with a value that hangs on bytes that nobody wrote */
    EMU_IN_FLIGHT = 3, /* target of an asynchronous copy that wasn't waited for */
};

struct emu_marks; /* race.h: who touched each unit last */

/* A stretch of memory that is checked as one: an allocation, a module variable, a shared variable of a block. */
struct emu_region {
    uint64_t base;   /* first address, in its own space */
    uint64_t size;   /* bytes */
    uint8_t *data;   /* owned */
    uint8_t *shadow; /* owned, one enum emu_shadow a byte; not to be read while `defined` is set */
    struct emu_marks *marks; /* owned, NULL: not touched since it was made */
    char *name;              /* owned; "allocation #3", "dynamic shared memory", "tile" */
    uint8_t kind;            /* enum cmpd_memory_kind */
    bool live, defined;      /* defined: every byte counts as EMU_DEFINED */
    bool constant, shared;
    bool mapped; /* data and shadow come from mmap */
    bool host;   /* the candidate's host code writes here too: always defined */
};

struct emu_memory;

/* The memory of a device. Lives as long as it. */
struct emu_memory *emu_memory_new(uint64_t limit_bytes);
void emu_memory_free(struct emu_memory *m);

/* For lines in reports: module number `module` is this one (borrowed, must outlive the memory's use). */
void emu_memory_module(struct emu_memory *m, uint32_t module, const struct cmpd_ptx_module *ptx);

/*
 * CMPD_ELIMIT: over the limit, or out of slots. `what` (copied) names it; NULL: "allocation #N". shared_fd as in
 * device.h. `align` matters only for messages: every allocation begins at a multiple of 8 GiB.
 */
cmpd_rc emu_memory_alloc(struct emu_memory *m, uint64_t bytes, enum cmpd_memory_kind kind,
                         int shared_fd, const char *what, uint64_t *address, struct cmpd_err *err);
cmpd_rc emu_memory_release(struct emu_memory *m, uint64_t address, struct cmpd_err *err);
/* The live or freed region whose slot holds this address; NULL: no device memory. */
struct emu_region *emu_memory_find(struct emu_memory *m, uint64_t address);
/* Freed, all in one: what `live` of device.h asks. */
void emu_memory_live(const struct emu_memory *m, uint64_t *count, uint64_t *bytes);

/* As the slots of the same name in device.h. */
cmpd_rc emu_memory_write(struct emu_memory *m, uint64_t to, const void *from, size_t len,
                         struct cmpd_err *err);
cmpd_rc emu_memory_read(struct emu_memory *m, void *to, uint64_t from, size_t len,
                        struct cmpd_err *err);
cmpd_rc emu_memory_copy(struct emu_memory *m, uint64_t to, uint64_t from, size_t len,
                        struct cmpd_err *err);
cmpd_rc emu_memory_set(struct emu_memory *m, uint64_t to, uint32_t value, unsigned unit, size_t len,
                       struct cmpd_err *err);
cmpd_rc emu_memory_poison(struct emu_memory *m, uint64_t to, uint8_t pattern, size_t len,
                          struct cmpd_err *err);
cmpd_rc emu_memory_unwritten(struct emu_memory *m, uint64_t from, size_t len, uint64_t *count,
                             uint64_t *first, struct cmpd_err *err);
/* module and pc of the last store to this byte by a kernel since emu_memory_forget. CMPD_ENOENT: none. */
cmpd_rc emu_memory_writer(struct emu_memory *m, uint64_t address, uint32_t *module, uint32_t *pc,
                          struct cmpd_err *err);
/* Adds a sighting for each place from which a value that hangs on unwritten memory came into this range. */
cmpd_rc emu_memory_undefined(struct emu_memory *m, uint64_t from, size_t len,
                             struct cmpd_sightings *sightings, struct cmpd_err *err);
/* A new case: races and writers of before are forgotten. */
void emu_memory_forget(struct emu_memory *m);

/* ---- what the interpreter keeps ---- */

struct emu_launch_memory {
    struct emu_memory *memory;        /* (in) */
    struct cmpd_sightings *sightings; /* (in) borrowed */
    const char *kernel;               /* (in) borrowed; mangled name */
    uint32_t module;                  /* (in) */
    uint32_t grid[3], block[3];       /* (in) */
    const uint8_t *params;            /* (in) borrowed */
    uint32_t param_bytes;             /* (in) */
    bool stop;                        /* out: a fault that ends the kernel */
    struct emu_seen *
        seen; /* report.c: places that were reported already; owned, free by emu_launch_end_memory */
};

/* A launch begins: what happened before is ordered before it. And ends. */
void emu_launch_begin_memory(struct emu_launch_memory *l);
void emu_launch_end_memory(struct emu_launch_memory *l);

struct emu_block_memory {
    struct emu_launch_memory *launch; /* (in) */
    uint32_t index[3];                /* (in) blockIdx */
    uint32_t linear;                  /* (in) x + grid.x * (y + grid.y * z) */
    uint32_t shared_count;            /* slots, 2 + static variables */
    struct emu_region *shared;        /* owned; [slot]; size 0: none */
    /* race.c */
    uint32_t
        base; /* accesses in earlier intervals than this one of this block lie before the last barrier */
    uint32_t
        known; /* intervals of other blocks up to this one are ordered before, by fences and flags */
    uint8_t fenced;    /* 0 no fence yet, 1 __threadfence_block, 2 __threadfence or wider */
    bool partial_seen; /* a barrier that not all warps take part in: warps' `heard` counts */
};

/*
 * Gives the block its shared variables: slot 1 of dynamic_bytes, then one for each of names/bytes (slot 2, 3, ...).
 * Called once for each block structure; emu_block_begin_memory before each block that it runs.
 */
void emu_block_init_memory(struct emu_block_memory *b, uint32_t dynamic_bytes,
                           const char *const *names, const uint32_t *bytes, uint32_t count);
void emu_block_begin_memory(struct emu_block_memory *b); /* all shared memory undefined again */
void emu_block_clear_memory(struct emu_block_memory *b); /* frees */

struct emu_warp_memory {
    struct emu_block_memory *block; /* (in) */
    uint32_t warp;                  /* (in) index in the block */
    /*
     * Local memory: a stack a lane, data[lane * cap ..]. Bytes at and above top[lane] are out of bounds; the
     * interpreter moves top by emu_local_push and _pop.
     */
    uint8_t *local, *local_shadow; /* owned */
    uint32_t local_cap;            /* bytes a lane */
    uint32_t local_top[EMU_LANES];
    /* race.c */
    uint32_t interval; /* 0: a new one at the next access */
    uint32_t base;     /* lanes met in a full __syncwarp at this interval */
    uint32_t known;    /* intervals up to this one are ordered before, by fences and flags */
    uint32_t (*lanes)
        [EMU_LANES]; /* owned; [i][j]: interval of lane j that lane i knows; NULL: no partial sync yet */
    uint32_t *heard; /* owned; [warp]: the same for warps of this block, NULL: none */
};

void emu_warp_begin_memory(
    struct emu_warp_memory *w); /* before each block that it runs: empty stack, no order yet */
void emu_warp_clear_memory(struct emu_warp_memory *w); /* frees */

/*
 * Makes room for `bytes` more local memory of each lane of mask (a frame: 16-aligned), undefined. at[lane]: offset of
 * the frame, set for the lanes of mask; its generic address is EMU_LOCAL_WINDOW + offset. false: over EMU_LOCAL_BYTES.
 */
bool emu_local_push(struct emu_warp_memory *w, uint32_t mask, uint32_t bytes,
                    uint32_t at[EMU_LANES]);
void emu_local_pop(struct emu_warp_memory *w, uint32_t mask,
                   const uint32_t at[EMU_LANES]); /* top = at */

/* ---- access ---- */

/* How an access orders others. weak and plain accesses: EMU_WEAK. */
enum emu_order {
    EMU_WEAK,
    EMU_VOLATILE,
    EMU_RELAXED,
    EMU_ACQUIRE,
    EMU_RELEASE,
    EMU_ACQ_REL,
};
enum emu_scope { EMU_SCOPE_CTA, EMU_SCOPE_GPU /* and wider */ };

/* One ld or st by up to 32 lanes. */
struct emu_span {
    uint32_t pc;
    uint32_t mask;         /* not 0 */
    uint8_t space;         /* enum cmpd_ptx_space */
    uint8_t element_bytes; /* 1, 2, 4, 8, 16 */
    uint8_t elements;      /* 1, 2, 4, 8: .v2 and so on; element_bytes * elements <= 32 */
    bool sign;             /* ld: extend the sign into a wider register; else zeros */
    uint8_t order, scope;  /* enum emu_order, enum emu_scope */
    uint64_t address
        [EMU_LANES]; /* valid for lanes of mask; 32-bit shared and local addresses zero-extended */
};

/* Where 32 values of an element stand: uint32_t[32]; uint64_t[32]; or 32 times 16 bytes. */
struct emu_lanes {
    void *lanes;
    uint8_t
        bytes; /* 4, 8, 16: of one lane's slot, at least that of the element (1 and 2 byte elements: 4 or 8) */
};

/*
 * to[e], undefined[e]: for each element. Only lanes of mask are written. undefined[e]: the lanes (of mask) whose
 * value hangs on bytes that nobody wrote. A faulting lane gets zeros. Lanes with undefined bytes were remembered under
 * span->pc for emu_report_undefined (report.h).
 */
void emu_load(struct emu_warp_memory *w, const struct emu_span *span, const struct emu_lanes to[],
              uint32_t undefined[]);

/*
 * from[e]: the values; undefined: NULL, or for each element the lanes whose value is undefined; origin: pc of a load
 * from which such a value came, EMU_NO_PC: unknown.
 */
void emu_store(struct emu_warp_memory *w, const struct emu_span *span,
               const struct emu_lanes from[], const uint32_t undefined[], uint32_t origin);

/* One lane's access of 1 to 16 bytes, for atomics, ldmatrix, copies. */
enum emu_access {
    EMU_READ,
    EMU_WRITE,    /* the caller stores `size` bytes to *data at once; they count as defined */
    EMU_ATOMIC,   /* read, computed with, written: reports a read of unwritten bytes itself */
    EMU_EXCHANGE, /* read and replaced */
};
struct emu_bytes {
    uint8_t *
        data; /* valid until the next call; never NULL: after a fault a scratch of 32 bytes, zeroed */
    bool undefined; /* READ, EXCHANGE: it hangs on bytes that nobody wrote */
};
/*
 * value: WRITE only, what will be stored (to tell stores of the same value), else NULL. Returns false after a fault.
 * Takes mask, element_bytes and elements of span as no concern: `size` bytes at `address`, by lane `lane`.
 */
bool emu_access(struct emu_warp_memory *w, const struct emu_span *span, unsigned lane,
                uint64_t address, unsigned size, enum emu_access access, const void *value,
                struct emu_bytes *out);
/* The same of writes whose value is undefined: after emu_access. */
void emu_mark_undefined(struct emu_warp_memory *w, const struct emu_span *span, unsigned lane,
                        uint64_t address, unsigned size, uint32_t origin);

/*
 * An asynchronous copy to shared memory (cp.async). _begin: at the instruction; checks the target and marks it in flight:
 * a read before _land is missing_async_wait. _land: when the wait lets it finish; writes the bytes. `undefined`: the
 * source bytes were. Both false after a fault.
 */
bool emu_async_begin(struct emu_warp_memory *w, const struct emu_span *span, unsigned lane,
                     uint64_t address, unsigned size);
bool emu_async_land(struct emu_warp_memory *w, const struct emu_span *span, unsigned lane,
                    uint64_t address, unsigned size, const void *bytes, bool undefined);

/* ---- order (race.c) ---- */

/* bar.sync, bar.red: warps[i] true: takes part. NULL: all threads of the block that are still there. */
void emu_order_barrier(struct emu_block_memory *b, struct emu_warp_memory *const *warps,
                       uint32_t count);
/* bar.warp.sync by these lanes. */
void emu_order_warp(struct emu_warp_memory *w, uint32_t mask);
/* membar, fence. */
void emu_order_fence(struct emu_warp_memory *w, enum emu_scope scope);

#endif
