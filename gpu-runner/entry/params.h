/* The state of binding by names, between params.c (tensors) and numbers.c. Private to this folder. */
#ifndef CMPD_GPU_RUNNER_ENTRY_PARAMS_H
#define CMPD_GPU_RUNNER_ENTRY_PARAMS_H

#include "gpu-runner/entry/entry.h"

#define UNBOUND -1

struct entry_state {
    const struct cmpd_bind_request *q;
    struct cmpd_binding *b;
    const struct cmpd_ref_op *op;
    struct cmpd_sig_param
        params[CMPD_SIG_PARAMS_CEILING]; /* with template arguments; texts borrowed */
    bool done[CMPD_SIG_PARAMS_CEILING];
    int taken[CMPD_REF_ARGS_CEILING]; /* by argument: the parameter, UNBOUND: none */
};

/* Streams, dimensions and scalars, once tensors have their roles. What stays open is not done. */
void entry_bind_numbers(struct entry_state *s);
/* A pointer that may be a tensor. */
bool entry_is_pointer(const struct entry_state *s, size_t i);
bool entry_is_tensor_role(enum cmpd_role r);

#endif
