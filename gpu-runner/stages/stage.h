/*
 * The run stage: the compiled file is called with the operator's cases on a device, watched, and compared with the
 * reference. What was found is written as events (gpu-runner/job/events.h).
 */
#ifndef CMPD_GPU_RUNNER_STAGES_STAGE_H
#define CMPD_GPU_RUNNER_STAGES_STAGE_H

#include <stdbool.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "gpu-runner/compile/cache.h"
#include "gpu-runner/jail/jail.h"
#include "gpu-runner/job/events.h"
#include "gpu-runner/job/job.h"

struct cmpd_stage_request {
    const struct cmpd_job *job; /* its run part is set; borrowed, as all */
    const void *object;         /* nvcc's object of the file */
    size_t object_len;
    const struct cmpd_jail_ops *jail;
    const char *jail_name;          /* as results say it */
    const struct cmpd_cache *cache; /* linked libraries are kept there too */
    int cancel_fd;
    struct cmpd_event_writer *writer;
    /*
     * Compiles another text in the file's place (it includes the file) with the same flags. CMPD_EINPUT: it does not
     * compile. MAY be NULL: no shims.
     */
    cmpd_rc (*compile_shim)(void *ctx, const char *text, struct cmpd_buf *object,
                            struct cmpd_err *err);
    void *shim_ctx;
};

/* rc other than CMPD_OK: the stage itself could not work (cancelled: CMPD_EUNAVAIL); findings are no error. */
cmpd_rc cmpd_stage_run(const struct cmpd_stage_request *q, struct cmpd_err *err);

/* Has whoever waits given up? */
bool cmpd_stage_cancelled(int cancel_fd);

#endif
