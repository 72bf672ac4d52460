/*
 * What the file's comments demand of its parameters: "cols <= 1024", "n is a multiple of 4". A shape outside of it says
 * nothing about the file; it is brought inside, or left out.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_CONTRACT_H
#define CMPD_GPU_RUNNER_STAGES_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/entry/bind.h"
#include "refs/ref.h"

#define CMPD_CONTRACT_CEILING 32

struct cmpd_contract_term {
    size_t param;     /* index in the binding; a DIM */
    int64_t most;     /* 0: no bound */
    int64_t multiple; /* 1: any */
};

struct cmpd_contract {
    struct cmpd_contract_term terms[CMPD_CONTRACT_CEILING];
    size_t count;
};

/* Never fails: what can't be read demands nothing. */
void cmpd_contract_read(const char *root, const char *file, const struct cmpd_binding *b,
                        struct cmpd_contract *out);

/* Do these dimensions keep it? Otherwise they are changed so that they do, where one dimension at a time can; false: not. */
bool cmpd_contract_fit(const struct cmpd_contract *c, const struct cmpd_binding *b,
                       const struct cmpd_ref_op *op, struct cmpd_dims *dims);

#endif
