#include "refs/rng.h"

#define GOLDEN 0x9e3779b97f4a7c15ull

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

void cmpd_rng_init(struct cmpd_rng *r, uint64_t seed, uint64_t stream)
{
    /* Mixed, so that neighbouring seeds and streams share nothing. */
    r->state = mix(seed + GOLDEN) ^ mix((stream + 1) * GOLDEN);
}

uint64_t cmpd_rng_next(struct cmpd_rng *r)
{
    r->state += GOLDEN;
    return mix(r->state);
}

uint64_t cmpd_rng_below(struct cmpd_rng *r, uint64_t limit)
{
    if (limit == 0) {
        return 0;
    }
    return (uint64_t)(((unsigned __int128)cmpd_rng_next(r) * limit) >> 64);
}

int64_t cmpd_rng_range(struct cmpd_rng *r, int64_t lo, int64_t hi)
{
    if (hi <= lo) {
        return lo;
    }
    uint64_t span = (uint64_t)hi - (uint64_t)lo + 1; /* 0: all 2^64 values */
    return (int64_t)((uint64_t)lo + (span ? cmpd_rng_below(r, span) : cmpd_rng_next(r)));
}

double cmpd_rng_unit(struct cmpd_rng *r)
{
    return (double)(cmpd_rng_next(r) >> 11) * 0x1p-53;
}
