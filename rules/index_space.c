/*
 * index_space: threads against data.
 *
 * Catches: threads past the end without a guard, elements without a thread,
 * swapped axes, factors and launch arguments, launches over the limits, and
 * dimensions that the launch does not have. Every REJECT comes with numbers:
 * the launcher is run with values of its inputs at the edges (whole blocks, one
 * more, one less ...) and the kernel with the grid that it then gets.
 *
 * Misses: launches whose grid hangs on data or on functions of other files,
 * indices read from memory, and kernels that the file does not launch.
 */
#include "rules/witness.h"

static bool has_fault_at(const struct cmpd_facts *facts, uint32_t off)
{
    for (size_t i = 0; i < facts->fault_count; i++)
        if (facts->faults[i].at.off == off)
            return true;
    return false;
}

static void run(struct cmpd_check *check)
{
    static const enum cmpd_tag tags[] = {
        CMPD_TAG_missing_bounds_guard, CMPD_TAG_index_space_too_small,
        CMPD_TAG_index_space_swapped,  CMPD_TAG_launch_config_invalid,
        CMPD_TAG_launch_dim_unused,
    };
    cmpd_witness_report(check, tags, sizeof tags / sizeof *tags);
    if (!check->facts)
        return;
    for (size_t i = 0; i < check->facts->launch_count; i++) {
        const struct cmpd_launch_fact *l = &check->facts->launches[i];
        if (!l->evaluated && l->kernel && l->kernel->body &&
            !has_fault_at(check->facts, l->expr->loc.off))
            cmpd_report(
                check, CMPD_TAG_index_space_unproven, CMPD_TIER_NOTE, l->expr->loc.off,
                l->expr->loc.end, l->kernel->name, NULL,
                check->facts->cut
                    ? "the evaluation of this file ended before this launch was judged: threads and data "
                      "were not compared for all sizes"
                    : "this launch's grid or block is not known from the file alone: threads and "
                      "data were not compared");
    }
}

const struct cmpd_rule cmpd_rule_index_space = {
    .name = "index_space",
    .layer = CMPD_LAYER_AST,
    .possible = cmpd_witness_has_kernel,
    .run = run,
};
