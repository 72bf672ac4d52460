/* Names that every CUDA file may use without defining them. */
#ifndef CMPD_ANALYSIS_EVAL_NAMES_H
#define CMPD_ANALYSIS_EVAL_NAMES_H

#include <stdbool.h>

/* The name without std::, cuda::std::, cooperative_groups:: and leading ::. */
const char *ev_plain_name(const char *name);

/*
 * A device function that is known to do nothing but compute its result, order threads, or touch the memory behind its
 * pointer arguments: mathematics, intrinsics, atomics, barriers. `name` is plain.
 */
bool ev_is_known_name(const char *name);

#endif
