/*
 * copies (tags of the api rule): cudaMemcpy and cudaMemset against their buffers.
 *
 * Catches: a direction that contradicts who made the two pointers (cudaMalloc,
 * malloc, new, arrays, std::vector); a byte count that is larger than a buffer,
 * a number of elements, the size of a pointer or of another element type.
 *
 * Misses: buffers made in other files, and 2-D, 3-D and symbol copies.
 */
#include "rules/witness.h"

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_MEMCPY] > 0 || scan->count[CMPD_SCAN_ALLOC] > 0;
}

static void run(struct cmpd_check *check)
{
    static const enum cmpd_tag tags[] = {CMPD_TAG_memcpy_direction, CMPD_TAG_memcpy_size};
    cmpd_witness_report(check, tags, sizeof tags / sizeof *tags);
}

const struct cmpd_rule cmpd_rule_copies = {
    .name = "copies",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
