/*
 * The candidate program: lives in the jail, loads the candidate's shared library, does what the device server says.
 *
 *   cmpd-candidate FILE.so
 *
 * Nothing in it is trusted by anybody; it is small so that what the candidate's host code can meet in its own process
 * is small. What goes wrong is told as last words (CMPD_WIRE_FAULT).
 */
#ifndef CMPD_GPU_RUNNER_CANDIDATE_CANDIDATE_H
#define CMPD_GPU_RUNNER_CANDIDATE_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/cudart/cudart.h"
#include "gpu-runner/wire/wire.h"

#define CANDIDATE_PROGRAM_NAME "cmpd-candidate"

/* ---- main.c ---- */

extern const struct cmpd_cudart_ops *candidate_runtime; /* our CUDA runtime, once it is loaded */

/* ---- call.c ---- */

/* Calls fn with the arguments as C would; *result gets the bits of what it returns (0 for void). False: a type that
 * can't be passed. */
bool candidate_call(void *fn, const struct cmpd_wire_arg *args, uint32_t count,
                    uint32_t result_type, uint64_t *result);

/* ---- buffers.c ---- */

/* Host buffers of one case, mapped where the server says. False: they could not be (errno). */
bool candidate_map(const struct cmpd_wire_arg *args, uint32_t count, int fd);
void candidate_unmap(const struct cmpd_wire_arg *args, uint32_t count);

/* ---- terminate.c ---- */

/* An exception that nobody catches becomes last words that name it. After the C++ library is loaded. */
void candidate_watch_exceptions(void);

/* ---- threads.c ---- */

/* Threads of the candidate's that have not ended. */
uint32_t candidate_threads(void);

#endif
