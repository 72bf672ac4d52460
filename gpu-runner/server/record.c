/*
 * What is kept of a case. Once something could not be done here (`undecided`), what the candidate then does wrong may be
 * a consequence of that: it is a note.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

void srv_sight(struct cmpd_server *s, enum cmpd_tag tag, bool note, const char *kernel,
               const char *fmt, ...)
{
    char message[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    struct cmpd_sighting what = {.tag = tag,
                                 .note = note || (s->undecided && tag != CMPD_TAG_not_emulated),
                                 .kernel = (char *)(uintptr_t)kernel,
                                 .message = message};
    cmpd_sightings_add(&s->record->sightings, &what);
}

/* The candidate tells where it stood: that is where the sightings of its last message belong. */
void srv_on_where(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct cmpd_sightings *seen = &s->record->sightings;

    memset(s->told_at, 0, sizeof(s->told_at));
    for (size_t i = 0; i < CMPD_WIRE_PLACES && r->left >= sizeof(uint64_t); i++)
        s->told_at[i] = cmpd_wire_get_u64(r);
    for (size_t i = s->sighted; i < seen->count; i++)
        srv_sight_at(&seen->items[i], s->told_at);
    if (s->call_failed)
        memcpy(s->error_at, s->told_at, sizeof(s->error_at));
    s->call_failed = false;
    s->sighted = seen->count;
}

void srv_sight_at(struct cmpd_sighting *sighting, const uint64_t at[])
{
    if (!sighting->file && sighting->host_at[0] == 0)
        memcpy(sighting->host_at, at, sizeof(sighting->host_at));
}

void srv_undecided(struct cmpd_server *s)
{
    s->undecided = true;
    s->record->undecided = true;
    s->outcome->undecided = true;
}

void srv_fail(struct cmpd_server *s, const char *call, int32_t error)
{
    struct cmpd_server_record *r = s->record;

    if (error == SRV_SUCCESS || error == SRV_NOT_READY)
        return;
    s->last_error = error;
    s->call_failed = true;
    snprintf(s->last_call, sizeof(s->last_call), "%s", call);
    for (size_t i = 0; i < r->failure_count; i++) {
        if (r->failures[i].error == error && strcmp(r->failures[i].call, s->last_call) == 0) {
            r->failures[i].times++;
            return;
        }
    }
    if (r->failure_count == CMPD_SERVER_FAILURES_CEILING)
        return;
    struct cmpd_server_failure *f = &r->failures[r->failure_count++];
    *f = (struct cmpd_server_failure){.error = error, .times = 1};
    memcpy(f->call, s->last_call, sizeof(f->call));
}

void srv_step_clear(struct cmpd_server_step *step)
{
    free(step->kernel);
    free(step->data);
    *step = (struct cmpd_server_step){0};
}

static uint64_t step_cost(const struct cmpd_server_step *step)
{
    return sizeof(*step) + step->data_bytes + (step->kernel ? strlen(step->kernel) + 1 : 0);
}

void srv_record_step(struct cmpd_server *s, struct cmpd_server_step *step)
{
    struct cmpd_server_record *r = s->record;

    if (step->kind == CMPD_SERVER_WRITE && !s->keep) {
        free(step->data);
        step->data = NULL;
        step->data_bytes = 0;
    }
    uint64_t cost = step_cost(step);
    if (r->steps_cut || s->kept_bytes + cost > s->limits.kept_bytes) {
        r->steps_cut = true;
        srv_step_clear(step);
        return;
    }
    s->kept_bytes += cost;
    CMPD_GROW(r->steps, r->step_count + 1, r->step_cap);
    r->steps[r->step_count++] = *step;
    *step = (struct cmpd_server_step){0};
}

void cmpd_server_record_clear(struct cmpd_server_record *r)
{
    for (size_t i = 0; i < r->step_count; i++)
        srv_step_clear(&r->steps[i]);
    free(r->steps);
    for (size_t i = 0; i < r->host_count; i++) {
        free(r->hosts[i].data);
        cmpd_sightings_clear(&r->hosts[i].undefined);
    }
    free(r->hosts);
    cmpd_sightings_clear(&r->sightings);
    memset(r, 0, sizeof(*r));
}
