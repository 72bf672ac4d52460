/*
 * sync: order between the threads of a block.
 *
 * Catches: shared memory that one thread writes and another reads or
 * overwrites with no barrier between, on any path and round any loop that the
 * block runs through; __syncthreads() that only a part of the block reaches.
 * Accesses of one thread to its own element, warps ordered by __syncwarp or a
 * *_sync operation, volatile accesses within a warp, atomics among themselves
 * and barriers of cooperative groups are no faults. A race within one warp
 * alone is review, since lockstep execution often hides it.
 *
 * Misses: indices read from memory, barriers and accesses under conditions on
 * data, global memory, and order through mbarriers or asm (taken as ordered).
 */
#include "rules/witness.h"

static bool possible(const struct cmpd_scan *scan)
{
    return cmpd_witness_has_kernel(scan) &&
           (scan->count[CMPD_SCAN_SHARED] || scan->count[CMPD_SCAN_BARRIER]);
}

static void run(struct cmpd_check *check)
{
    static const enum cmpd_tag tags[] = {CMPD_TAG_missing_sync, CMPD_TAG_divergent_barrier};
    cmpd_witness_report(check, tags, sizeof tags / sizeof *tags);
}

const struct cmpd_rule cmpd_rule_sync = {
    .name = "sync",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
