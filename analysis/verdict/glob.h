/* Path patterns of cmpd.json. */
#ifndef CMPD_ANALYSIS_VERDICT_GLOB_H
#define CMPD_ANALYSIS_VERDICT_GLOB_H

#include <stdbool.h>

/*
 * Does the pattern match the whole path? `*`, `?` and `[..]` stay within one folder, a component `**` stands for any
 * number of folders. A leading "./" of either is ignored. Both have at most 64 components; longer ones never match.
 */
bool cmpd_glob_match(const char *pattern, const char *path);

#endif
