/*
 * One call of the entry: the operator's tensors for a planned case, their buffers on the device or in host memory,
 * the arguments as the server or a kernel's parameter block takes them, and what came back.
 */
#ifndef CMPD_GPU_RUNNER_STAGES_CALL_H
#define CMPD_GPU_RUNNER_STAGES_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"
#include "gpu-runner/device/device.h"
#include "gpu-runner/entry/bind.h"
#include "gpu-runner/server/server.h"
#include "gpu-runner/stages/plan.h"
#include "refs/ref.h"

/* The memory behind one pointer parameter. */
struct cmpd_call_buffer {
    bool used;
    bool host;        /* in the candidate's memory; else on the device */
    uint64_t address; /* device address */
    uint64_t bytes;
    void *before; /* owned; what it held before the call */
    void *after;  /* owned; what it held after, NULL: not read yet */
};

struct cmpd_call {
    const struct cmpd_binding *binding; /* borrowed, as op and device */
    const struct cmpd_ref_op *op;
    struct cmpd_device *device;
    struct cmpd_ref_call ref;
    double *expected[CMPD_REF_ARGS_CEILING]; /* owned; OUT and INOUT arguments that are bound */
    struct cmpd_call_buffer buffers[CMPD_SIG_PARAMS_CEILING];
    struct cmpd_server_arg args[CMPD_SIG_PARAMS_CEILING];
};

/*
 * Fills everything for one case. `side[i]`: where parameter i's buffer lies. `again` MAY be NULL: device memory of an
 * equal case, taken over (and zeroed there) where it is still live, so that what is remembered by address shows. CMPD_ELIMIT: the shape is too large for the
 * device; errors of an operator outside this process come through. Clear it.
 */
cmpd_rc cmpd_call_make(struct cmpd_call *c, struct cmpd_device *device,
                       const struct cmpd_ref_op *op, const struct cmpd_binding *binding,
                       const enum cmpd_bind_side side[], const struct cmpd_plan_case *planned,
                       uint64_t again[], unsigned approximations, struct cmpd_err *err);
void cmpd_call_clear(struct cmpd_call *c);

/* Reads back every device buffer. Call it when the entry has returned and its stream was joined. */
cmpd_rc cmpd_call_read_device(struct cmpd_call *c, struct cmpd_err *err);
/* Takes over what the server kept of the host buffers. */
void cmpd_call_take_hosts(struct cmpd_call *c, const struct cmpd_server_record *record);

/* How the server passes parameter i. */
enum cmpd_wire_type cmpd_call_wire_type(const struct cmpd_bind_param *p);

/*
 * The parameter block of a kernel. CMPD_EINPUT: it does not fit what the object's code says of the kernel.
 */
cmpd_rc cmpd_call_params(const struct cmpd_call *c, const struct cmpd_kernel_info *kernel,
                         uint8_t *out, size_t size, struct cmpd_err *err);

/* The operator's output that parameter i holds after the call; -1: none. In place, that is not the input it held. */
int cmpd_call_output(const struct cmpd_bind_param *p);

/* Dimensions for people: "rows=3 cols=17". */
void cmpd_call_shape(const struct cmpd_call *c, char *out, size_t size);

#endif
