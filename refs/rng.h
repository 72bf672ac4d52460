/*
 * Random numbers of the input generators: SplitMix64 (Steele, Lea, Flood 2014), whose sequence hangs on the seed
 * alone. Not for secrets.
 */
#ifndef CMPD_REFS_RNG_H
#define CMPD_REFS_RNG_H

#include <stdint.h>

struct cmpd_rng {
    uint64_t state;
};

/* `stream` tells apart what is drawn from one seed: the tensors of a call, the dimensions of a drawn case. */
void cmpd_rng_init(struct cmpd_rng *r, uint64_t seed, uint64_t stream);
uint64_t cmpd_rng_next(struct cmpd_rng *r);
uint64_t cmpd_rng_below(struct cmpd_rng *r, uint64_t limit); /* 0 .. limit-1; limit 0 gives 0 */
int64_t cmpd_rng_range(struct cmpd_rng *r, int64_t lo, int64_t hi); /* lo .. hi, both included */
double cmpd_rng_unit(struct cmpd_rng *r);                           /* [0, 1) in steps of 2^-53 */

#endif
