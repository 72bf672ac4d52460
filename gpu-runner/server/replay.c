/* A record's steps again. */
#include <string.h>

#include "gpu-runner/server/internal.h"

static cmpd_rc launch_again(struct cmpd_server *s, const struct cmpd_server_step *step,
                            struct cmpd_server_replay *out, struct cmpd_err *err)
{
    struct cmpd_launch l = srv_launch_of(step);
    struct cmpd_launch_result result = {0};

    cmpd_rc rc = s->device->ops->launch(s->device, &l, &result, &out->sightings, err);
    if (rc != CMPD_OK)
        return rc;
    out->launches++;
    out->lane_instructions += result.lane_instructions;
    out->device_ms += result.elapsed_ms;
    if (result.end != CMPD_LAUNCH_DONE && out->worst == CMPD_LAUNCH_DONE)
        out->worst = result.end;
    return CMPD_OK;
}

static cmpd_rc step_again(struct cmpd_server *s, const struct cmpd_server_step *step,
                          struct cmpd_server_replay *out, struct cmpd_err *err)
{
    bool gone = false;

    if (step->kind == CMPD_SERVER_READ)
        return CMPD_OK;
    if (step->kind == CMPD_SERVER_LAUNCH)
        return launch_again(s, step, out, err);
    if (step->kind == CMPD_SERVER_WRITE && !step->data)
        return cmpd_err_set(err, CMPD_EINPUT, "the record was not kept for a replay");
    cmpd_rc rc = srv_apply(s->device, step, &gone, err);
    if (rc == CMPD_OK && gone)
        rc = cmpd_err_set(err, CMPD_EINPUT, "memory that the record names is gone");
    return rc;
}

cmpd_rc cmpd_server_replay(struct cmpd_server *s, const struct cmpd_server_record *record,
                           struct cmpd_server_replay *out, struct cmpd_err *err)
{
    struct cmpd_server_replay r = {.worst = CMPD_LAUNCH_DONE};
    cmpd_rc rc = CMPD_OK;

    if (record->steps_cut)
        return cmpd_err_set(err, CMPD_EINPUT, "the record was cut");
    for (size_t i = 0; i < record->step_count && rc == CMPD_OK; i++)
        rc = step_again(s, &record->steps[i], &r, err);
    if (rc != CMPD_OK) {
        cmpd_sightings_clear(&r.sightings);
        return rc;
    }
    *out = r;
    return CMPD_OK;
}
