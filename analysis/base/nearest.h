/* "Did you mean": the nearest of some names to a mistyped one. */
#ifndef CMPD_ANALYSIS_BASE_NEAREST_H
#define CMPD_ANALYSIS_BASE_NEAREST_H

#include <stddef.h>

/*
 * Edits (insert, delete, replace, swap of neighbours) from a to b, or `most` + 1 when there are more than that or
 * either name is longer than 63 bytes.
 */
size_t cmpd_edit_distance(const char *a, const char *b, size_t most);

/* The first of the names with the least distance, at most 2 and less than half of the typed name; else NULL. */
const char *cmpd_nearest(const char *typed, const char *const *names, size_t count);

#endif
