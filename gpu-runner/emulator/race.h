/*
 * Data races: who touched each unit of memory last, and whether the access now is ordered after it.
 *
 * When: a warp's run between two barriers of any kind is an interval, numbered upward over all warps as they begin. A
 * mark is a stamp (interval, lane) and the place in the code. Stamps below a bound that the racer knows lie before the
 * last barrier or in an earlier launch: comparing with that bound settles nearly every access, many units at once.
 * Only what is above it is looked up (race_order.c): same warp, same block, another block; barriers by the clocks of
 * emu.h; fences and flags by "everything up to the interval that released the flag" (which may take more for ordered than is, never less).
 *
 * A plain read beside atomic operations is a race, unless it only looks before it leaps: the read that begins a
 * compare-and-swap loop, or a comparison before an atomic maximum. So these are judged at the end of the launch, when it
 * is known what the threads that read did next (race_guard.c).
 *
 * What is kept of a unit: the last plain write, the last atomic or volatile write, two reads by different warps. A unit is 4
 * bytes until the first narrower access to the region, then 2 or 1.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_RACE_H
#define CMPD_GPU_RUNNER_EMULATOR_RACE_H

#include "gpu-runner/emulator/memory.h"

/* A stamp: interval << EMU_STAMP_BITS | EMU_STAMP_MORE | lane. 0: never. */
#define EMU_STAMP_BITS     6
#define EMU_STAMP_MORE     32u
#define EMU_INTERVAL_END   (UINT32_MAX >> EMU_STAMP_BITS)
#define EMU_INTERVALS_KEPT (1u << 20) /* of one launch; older ones are taken for ordered */

struct emu_column {          /* one stamp and one place a unit */
    uint32_t *stamp, *place; /* owned; NULL: never used */
};

struct emu_marks {
    unsigned shift; /* a unit is 1 << shift bytes */
    uint64_t bytes; /* of the region */
    struct emu_column write;
    struct emu_column strong; /* atomics; volatile and relaxed stores (these with EMU_STAMP_MORE) */
    struct emu_column read;   /* EMU_STAMP_MORE: another lane of that warp too */
    struct emu_column
        second; /* a reader of another warp; EMU_STAMP_MORE: and of another block than `read` */
    struct emu_marks *next, **link; /* of all that exist on the device */
};

struct emu_interval {
    uint64_t block_serial;
    uint32_t block; /* linear index */
    uint32_t lane_clock, warp_clock;
    uint16_t warp;
    uint8_t released; /* a flag was set after a fence: 0 no, 1 for the block, 2 for the device */
};

struct emu_guard; /* race_guard.c: a plain read that conflicts with atomics */

struct emu_race {
    struct emu_interval *intervals; /* owned; [interval - first] */
    uint32_t next;                  /* the next interval to begin */
    uint32_t first;                 /* of this launch, or since it forgot */
    uint64_t launch_serial;
    uint64_t generation; /* of the numbering */
    struct emu_marks *all;
    struct emu_guard *guards; /* owned; of this launch */
    size_t guard_count, guard_cap;
};

struct emu_race *emu_race_new(void);
void emu_race_free(struct emu_race *r);
void emu_marks_free(struct emu_marks **m); /* and NULL it */

/* One instruction's view: made once for each access of a warp. */
struct emu_racer {
    struct emu_race *race;
    struct emu_warp *w;
    const struct emu_ins *in;
    const struct emu_region *region; /* NULL: shared memory */
    uint32_t slot;                   /* of shared memory */
    uint32_t base;                   /* smallest stamp that may be unordered */
    uint32_t stamp;                  /* of lane 0; plus lane. While the warp is flat */
    uint32_t place;                  /* module and instruction, never 0 */
    bool shared, strong, atomic, acquire, release;
};

void emu_racer_begin(struct emu_racer *r, struct emu_warp *w, const struct emu_ins *in,
                     bool shared);
/*
 * A run: `lanes` lanes from `lane` on at consecutive addresses, each `bytes` wide, the first at `offset` of the region.
 * old, new: what stands there and what will be stored, to tell same-value stores; NULL: reads and atomics.
 */
void emu_race_read(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                   uint64_t offset, unsigned lane, unsigned lanes, unsigned bytes);
/* All lanes of mask read the same bytes. */
void emu_race_read_same(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                        uint64_t offset, unsigned lane, unsigned lanes, unsigned bytes);
void emu_race_write(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                    uint64_t offset, unsigned lane, unsigned lanes, unsigned bytes,
                    const uint8_t *old, const uint8_t *fresh);
void emu_race_atomic(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                     uint64_t offset, unsigned lane, unsigned bytes);
/* After the last run of an instruction. */
void emu_racer_end(struct emu_racer *r);

/* ---- race_order.c ---- */

/* Is lane `lane` now ordered after what carries this stamp (at or above r->base)? */
bool emu_race_ordered(const struct emu_racer *r, unsigned lane, uint32_t stamp);
bool emu_race_same_warp(const struct emu_racer *r, uint32_t stamp);
bool emu_race_same_block(const struct emu_racer *r, uint32_t stamp);
uint32_t emu_race_stamp(struct emu_racer *r, unsigned lane);
void emu_race_acquire(struct emu_racer *r, uint32_t stamp);
struct emu_interval *emu_race_interval(const struct emu_race *r,
                                       uint32_t stamp); /* NULL: forgotten */

/* ---- race_guard.c ---- */

/* A conflict between the plain read at read_place and an atomic operation. `message` is taken over (NULL: another one of the same). */
bool emu_guard_known(struct emu_race *r, uint32_t read_place);
void emu_guard_conflict_take(struct emu_race *r, uint32_t read_place, uint32_t ptx, char *message);
/* A thread that had read at read_place goes on with the atomic operation `in` on the same memory. */
void emu_guard_followed(struct emu_racer *r, uint32_t read_place);
/* The launch has ended: what is left is reported. */
void emu_race_finish(struct emu_launch *l);
void emu_guards_free(struct emu_race *r);

/* place <-> module and PTX instruction */
static inline uint32_t emu_place_make(uint32_t module, uint32_t ptx)
{
    return (module << 22 | ptx) + 1;
}
static inline uint32_t emu_place_module(uint32_t place)
{
    return (place - 1) >> 22;
}
static inline uint32_t emu_place_ptx(uint32_t place)
{
    return (place - 1) & ((1u << 22) - 1);
}

#endif
