/*
 * alloc_width (a tag of type_width): a buffer whose bytes were counted with
 * another width than the kernel accesses it with.
 *
 * Catches: d_x is double*, but the file allocates n * sizeof(float) or n bytes,
 * and a thread of the launch is seen past the end for that reason.
 *
 * Misses: buffers from outside, whose size is not in the file.
 */
#include "rules/witness.h"

static bool possible(const struct cmpd_scan *scan)
{
    return cmpd_witness_has_kernel(scan) && scan->count[CMPD_SCAN_ALLOC] > 0;
}

static void run(struct cmpd_check *check)
{
    static const enum cmpd_tag tags[] = {CMPD_TAG_type_width_mismatch};
    cmpd_witness_report(check, tags, 1);
}

const struct cmpd_rule cmpd_rule_alloc_width = {
    .name = "alloc_width",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
