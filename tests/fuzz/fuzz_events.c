/* What a runner wrote, which may be anything: a remote machine's output is not to be trusted. */
#include <stdint.h>
#include <stdlib.h>

#include "gpu-runner/job/events.h"
#include "gpu-runner/job/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_events e;
    struct cmpd_err err = {0};
    if (cmpd_events_parse((const char *)data, size, "n", &e, &err) == CMPD_OK) {
        for (size_t i = 0; i < e.finding_count; i++) {
            if (!e.findings[i].message)
                abort();
        }
        cmpd_events_clear(&e);
    }
    struct cmpd_job *job = NULL;
    if (cmpd_job_parse((const char *)data, size, &job, &err) == CMPD_OK) {
        struct cmpd_buf out = CMPD_BUF_INIT;
        /* What was taken can be sent on. */
        if (cmpd_job_encode(job, &out, &err) != CMPD_OK)
            abort();
        cmpd_buf_clear(&out);
        cmpd_job_free(job);
    }
    return 0;
}
