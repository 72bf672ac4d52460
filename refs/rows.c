/* Operators along the rows of a matrix: cases. */
#include "refs/op.h"

/* Rows of one element, below and above a warp, wider than a block, wider than one pass of it; more rows than 64 and 256. */
const struct cmpd_ref_case ref_row_cases[REF_ROW_CASES] = {
    {"1x1", {{1, 1}}, CMPD_CASE_TINY, "mixed"},
    {"3x31", {{3, 31}}, CMPD_CASE_TINY, "mixed"},
    {"7x33", {{7, 33}}, CMPD_CASE_TINY, "mixed"},
    {"1x1000", {{1, 1000}}, CMPD_CASE_TINY, "mixed"},
    {"5x1024", {{5, 1024}}, CMPD_CASE_TINY, "mixed"},
    {"large values", {{4, 257}}, CMPD_CASE_TINY, "large"},
    {"ties", {{6, 100}}, CMPD_CASE_TINY, "ties"},
    {"offset", {{5, 97}}, CMPD_CASE_TINY, "offset"},
    {"67x129", {{67, 129}}, CMPD_CASE_SMALL, "mixed"},
    {"wide rows", {{2, 4099}}, CMPD_CASE_SMALL, "mixed"},
    {"257x65", {{257, 65}}, CMPD_CASE_MEDIUM, "mixed"},
    {"1x10007", {{1, 10007}}, CMPD_CASE_MEDIUM, "mixed"},
    {"4099x1023", {{4099, 1023}}, CMPD_CASE_LARGE, "mixed"},
    {"70001x33", {{70001, 33}}, CMPD_CASE_LARGE, "mixed"},
};

void ref_row_draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[0] = cmpd_rng_range(&r, 2, 40);
    /* Never so few that a row may be all small, where the eps that a norm has built in would show. */
    dims->value[1] = cmpd_rng_range(&r, 20, 700);
}
