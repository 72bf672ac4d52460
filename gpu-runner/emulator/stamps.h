/* Many stamps at once, four by four. `per`: units a lane (a power of two), stamp: of the run's first lane. */
#ifndef CMPD_GPU_RUNNER_EMULATOR_STAMPS_H
#define CMPD_GPU_RUNNER_EMULATOR_STAMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpu-runner/emulator/race.h"

typedef uint32_t emu_four __attribute__((vector_size(16)));

static inline emu_four emu_four_at(const uint32_t *p)
{
    emu_four v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline bool emu_four_any(emu_four v)
{
    uint64_t half[2];
    memcpy(half, &v, sizeof half);
    return (half[0] | half[1]) != 0;
}

/* The stamps that the lanes of units i .. i + 3 would leave. */
static inline emu_four emu_four_own(uint32_t stamp, size_t i, unsigned per_bits)
{
    static const uint32_t lanes[3][4] = {{0, 1, 2, 3}, {0, 0, 1, 1}, {0, 0, 0, 0}};
    return emu_four_at(lanes[per_bits < 2 ? per_bits : 2]) + (stamp + (uint32_t)(i >> per_bits));
}

/* All below `base`? */
static inline bool emu_stamps_below(const uint32_t *s, size_t n, uint32_t base)
{
    emu_four bad = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        bad |= (emu_four)(emu_four_at(s + i) >= base);
    }
    bool over = emu_four_any(bad);
    for (; i < n; i++) {
        over |= s[i] >= base;
    }
    return !over;
}

/* All below `base`, or this very lane's own of this interval? */
static inline bool emu_stamps_own(const uint32_t *s, size_t n, uint32_t base, uint32_t stamp,
                                  unsigned per_bits)
{
    emu_four bad = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        emu_four v = emu_four_at(s + i);
        bad |= (emu_four)(v >= base) & (emu_four)(v != emu_four_own(stamp, i, per_bits));
    }
    bool over = emu_four_any(bad);
    for (; i < n; i++) {
        over |= s[i] >= base && s[i] != stamp + (uint32_t)(i >> per_bits);
    }
    return !over;
}

/* All of one interval, none of several lanes? */
static inline bool emu_stamps_uniform(const uint32_t *s, size_t n)
{
    const uint32_t same = ~(uint32_t)(EMU_LANES - 1); /* the interval, and EMU_STAMP_MORE */
    uint32_t first = s[0] & same;
    emu_four bad = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        bad |= (emu_four_at(s + i) & same) ^ first;
    }
    uint32_t over = emu_four_any(bad);
    for (; i < n; i++) {
        over |= (s[i] & same) ^ first;
    }
    return over == 0 && (first & EMU_STAMP_MORE) == 0;
}

/* All at or above `base`, with these bits set? */
static inline bool emu_stamps_have(const uint32_t *s, size_t n, uint32_t base, uint32_t bits)
{
    emu_four bad = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        emu_four v = emu_four_at(s + i);
        bad |= (emu_four)(v < base) | (emu_four)((v & bits) != bits);
    }
    bool over = emu_four_any(bad);
    for (; i < n; i++) {
        over |= s[i] < base || (s[i] & bits) != bits;
    }
    return !over;
}

static inline void emu_stamps_put(uint32_t *s, uint32_t *places, size_t n, uint32_t stamp,
                                  unsigned per_bits, uint32_t place)
{
    emu_four p = {place, place, place, place};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        emu_four own = emu_four_own(stamp, i, per_bits);
        memcpy(s + i, &own, sizeof own);
        memcpy(places + i, &p, sizeof p);
    }
    for (; i < n; i++) {
        s[i] = stamp + (uint32_t)(i >> per_bits);
        places[i] = place;
    }
}

#endif
