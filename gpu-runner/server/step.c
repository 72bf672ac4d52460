/* Doing one step on the device, and recording it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

#define VIRTUAL_MS_PER_STEP        0.002 /* about a launch's cost on a GPU */
#define VIRTUAL_MS_PER_INSTRUCTION 1e-8
#define VIRTUAL_MS_PER_BYTE        1e-9

/* One row of a copy, set or write. */
static cmpd_rc apply_row(struct cmpd_device *d, const struct cmpd_server_step *step, uint64_t to,
                         uint64_t from, const uint8_t *data, size_t len, struct cmpd_err *err)
{
    switch (step->kind) {
    case CMPD_SERVER_SET:
        return d->ops->set(d, to, step->value, step->unit, len, err);
    case CMPD_SERVER_COPY:
        return d->ops->copy(d, to, from, len, err);
    case CMPD_SERVER_WRITE:
        return d->ops->write(d, to, data, len, err);
    default:
        return CMPD_OK;
    }
}

cmpd_rc srv_apply(struct cmpd_device *d, const struct cmpd_server_step *step, bool *gone,
                  struct cmpd_err *err)
{
    struct cmpd_server_rows rows = step->rows;
    const uint8_t *data = step->data;
    cmpd_rc rc = CMPD_OK;

    *gone = false;
    bool dense = rows.to_pitch == rows.width &&
                 (step->kind != CMPD_SERVER_COPY || rows.from_pitch == rows.width);
    if (dense || rows.height == 1) {
        rows.width *= rows.height;
        rows.height = 1;
    }
    for (uint64_t y = 0; y < rows.height && rc == CMPD_OK; y++) {
        rc = apply_row(d, step, rows.to + y * rows.to_pitch, rows.from + y * rows.from_pitch, data,
                       rows.width, err);
        if (data)
            data += rows.width;
    }
    if (rc == CMPD_EINPUT) {
        *gone = true;
        return CMPD_OK;
    }
    return rc;
}

/* Which error a faulted launch leaves: by what the device saw last in it. */
static int32_t fault_error(const struct cmpd_server_record *r, size_t from)
{
    for (size_t i = r->sightings.count; i-- > from;) {
        const struct cmpd_sighting *g = &r->sightings.items[i];
        if (g->note)
            continue;
        if (g->tag == CMPD_TAG_misaligned_access)
            return SRV_MISALIGNED;
        if (g->tag == CMPD_TAG_out_of_bounds || g->tag == CMPD_TAG_host_dereference)
            return SRV_ILLEGAL_ADDRESS;
        if (g->tag == CMPD_TAG_crashed && g->message && strstr(g->message, "ssert"))
            return SRV_ASSERT;
    }
    return SRV_LAUNCH_FAILURE;
}

static void launched(struct cmpd_server *s, const struct cmpd_launch_result *result, size_t seen)
{
    struct cmpd_server_record *r = s->record;

    r->launches++;
    r->lane_instructions += result->lane_instructions;
    r->warp_instructions += result->warp_instructions;
    r->device_ms += result->elapsed_ms;
    s->clock_ms += VIRTUAL_MS_PER_INSTRUCTION * (double)result->lane_instructions;
    switch (result->end) {
    case CMPD_LAUNCH_DONE:
        return;
    case CMPD_LAUNCH_FAULT:
        s->sticky = fault_error(r, seen);
        break;
    case CMPD_LAUNCH_STUCK:
        s->sticky = SRV_LAUNCH_TIMEOUT;
        break;
    case CMPD_LAUNCH_BUDGET:
        r->budget_exhausted = true;
        srv_undecided(s);
        s->given_up = true;
        s->sticky = SRV_LAUNCH_TIMEOUT;
        break;
    case CMPD_LAUNCH_UNSUPPORTED:
        srv_undecided(s);
        s->given_up = true;
        s->sticky = SRV_LAUNCH_FAILURE;
        break;
    case CMPD_LAUNCH_CANCELLED:
        srv_end(s, CMPD_SERVER_CANCELLED, "cancelled");
        break;
    }
    r->sticky_error = s->sticky;
}

struct cmpd_launch srv_launch_of(const struct cmpd_server_step *step)
{
    struct cmpd_launch l = {.module = step->module,
                            .kernel = step->kernel,
                            .shared_bytes = step->shared_bytes,
                            .cooperative = step->cooperative,
                            .params = step->data,
                            .param_bytes = step->data_bytes};

    memcpy(l.grid, step->grid, sizeof(l.grid));
    memcpy(l.block, step->block, sizeof(l.block));
    return l;
}

static bool do_launch(struct cmpd_server *s, struct cmpd_server_step *step)
{
    struct cmpd_err err = {0};
    struct cmpd_launch l = srv_launch_of(step);
    size_t seen = s->record->sightings.count;
    bool undecided = s->undecided;

    cmpd_rc rc = s->device->ops->launch(s->device, &l, &step->result, &s->record->sightings, &err);
    if (rc != CMPD_OK) {
        srv_broken(s, rc, &err);
        return false;
    }
    launched(s, &step->result, seen);
    /* Perhaps a consequence of what could not be done before. */
    for (size_t i = seen; undecided && i < s->record->sightings.count; i++)
        s->record->sightings.items[i].note |=
            s->record->sightings.items[i].tag != CMPD_TAG_not_emulated &&
            s->record->sightings.items[i].tag != CMPD_TAG_emulation_budget;
    return true;
}

/* The memory was there when the call was made: another stream freed it meanwhile. */
static void lost(struct cmpd_server *s, const struct cmpd_server_step *step)
{
    struct srv_range *r = srv_range_near(s, step->rows.to);

    srv_sight(s, CMPD_TAG_out_of_bounds, false, NULL,
              "a queued %s meets memory that was freed before it was done (%s)",
              step->kind == CMPD_SERVER_SET ? "set" : "copy", r ? r->name : "unknown");
    s->sticky = SRV_ILLEGAL_ADDRESS;
    s->record->sticky_error = s->sticky;
}

bool srv_do_step(struct cmpd_server *s, struct cmpd_server_step *step)
{
    struct cmpd_err err = {0};
    uint64_t start = srv_now_ns();
    bool ok = true, gone = false;

    if (step->kind == CMPD_SERVER_LAUNCH) {
        ok = do_launch(s, step);
    } else {
        cmpd_rc rc = srv_apply(s->device, step, &gone, &err);
        if (rc != CMPD_OK) {
            srv_broken(s, rc, &err);
            ok = false;
        } else if (gone) {
            lost(s, step);
        }
        s->clock_ms += VIRTUAL_MS_PER_BYTE * (double)(step->rows.width * step->rows.height);
    }
    s->clock_ms += VIRTUAL_MS_PER_STEP;
    s->device_ns += srv_now_ns() - start;
    srv_record_step(s, step);
    return ok;
}
