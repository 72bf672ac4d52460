/*
 * Host code that has nothing to do with the device is not worth a parse: the
 * bodies of such functions are blanked in the unit's text. Kept are device
 * functions and kernels, host functions that launch kernels or call the CUDA
 * API, all that call those, and all that those call.
 */
#ifndef CMPD_ANALYSIS_TEXT_PRUNE_H
#define CMPD_ANALYSIS_TEXT_PRUNE_H

#include "analysis/text/unit.h"

/* Same length, same line ends; returns the number of bytes blanked. */
size_t cmpd_unit_prune(struct cmpd_unit *unit, struct cmpd_arena *arena);

#endif
