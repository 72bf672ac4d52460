/* The serving loop, and cases from the handing out of a task to its record. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

static const struct cmpd_server_limits defaults = {
    .start_ms = 10000,
    .wall_ms = 10000,
    .memory_bytes = (uint64_t)2 << 30,
    .traffic_bytes = (uint64_t)8 << 30,
    .messages = 2000000,
    .launches = 20000,
    .objects = 4096,
    .modules = 64,
    .symbols = 8192,
    .kept_bytes = (uint64_t)256 << 20,
    .multiprocessors = CMPD_WIRE_MODEL_MULTIPROCESSORS,
};

#define DEFAULT(l, field) ((l)->field = (l)->field ? (l)->field : defaults.field)

static void set_limits(struct cmpd_server_limits *l)
{
    DEFAULT(l, start_ms);
    DEFAULT(l, wall_ms);
    DEFAULT(l, memory_bytes);
    DEFAULT(l, traffic_bytes);
    DEFAULT(l, messages);
    DEFAULT(l, launches);
    DEFAULT(l, objects);
    DEFAULT(l, modules);
    DEFAULT(l, symbols);
    DEFAULT(l, kept_bytes);
    DEFAULT(l, multiprocessors);
}

static void add_default_streams(struct cmpd_server *s)
{
    CMPD_GROW(s->streams, 2, s->stream_cap);
    s->streams[0] = (struct srv_stream){.id = 0, .live = true, .legacy = true};
    s->streams[1] = (struct srv_stream){.id = 1, .live = true, .blocking = true};
    s->stream_count = 2;
    s->next_id = SRV_FIRST_ID;
}

cmpd_rc cmpd_server_new(struct cmpd_device *device, const struct cmpd_server_limits *limits,
                        struct cmpd_server **out, struct cmpd_err *err)
{
    if (!device)
        return cmpd_err_set(err, CMPD_EUSAGE, "a server needs a device");
    struct cmpd_server *s = cmpd_calloc(1, sizeof(*s));
    s->device = device;
    if (limits)
        s->limits = *limits;
    set_limits(&s->limits);
    s->fd = s->cancel_fd = s->host_fd = s->reply.fd = -1;
    s->record = &s->outside;
    s->outcome = &s->own_outcome;
    add_default_streams(s);
    *out = s;
    return CMPD_OK;
}

void cmpd_server_free(struct cmpd_server *s)
{
    if (!s)
        return;
    srv_queue_drop(s);
    srv_hosts_close(s);
    srv_memory_release(s);
    srv_modules_clear(s);
    cmpd_server_record_clear(&s->open);
    cmpd_server_record_clear(&s->outside);
    free(s->in);
    free(s->reply.data);
    free(s->ranges.items);
    free(s->kept);
    free(s->registered);
    free(s->streams);
    free(s->events);
    free(s->ops);
    free(s);
}

const struct cmpd_server_record *cmpd_server_open_record(const struct cmpd_server *s)
{
    return &s->open;
}

const struct cmpd_server_record *cmpd_server_outside_record(const struct cmpd_server *s)
{
    return &s->outside;
}

/* ---- cases ---- */

static void add_caller_ranges(struct cmpd_server *s, const struct cmpd_server_case *c)
{
    char name[CMPD_SERVER_NAME_BYTES];

    for (uint32_t i = 0; i < c->arg_count; i++) {
        const struct cmpd_server_arg *a = &c->args[i];
        if (a->type != CMPD_WIRE_POINTER_DEVICE || a->value == 0)
            continue;
        snprintf(name, sizeof(name), "%s", a->name ? a->name : "an argument");
        srv_range_add(s, a->value, a->bytes, CMPD_MEMORY_DEVICE, SRV_CALLER, name)->arg = i;
    }
}

/* What the program needs and can't have here (met in a constructor, say) leaves every case undecided. */
static void inherit_undecided(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->outside.sightings.count; i++) {
        const struct cmpd_sighting *g = &s->outside.sightings.items[i];
        if (g->tag == CMPD_TAG_not_emulated && !g->note) {
            cmpd_sightings_add(&s->open.sightings, g);
            srv_undecided(s);
        }
    }
}

/* Each case stands for itself: an error of the one before doesn't make this one fail. */
static void open_case(struct cmpd_server *s, const struct cmpd_server_case *c)
{
    cmpd_server_record_clear(&s->open);
    s->open.number = c->number;
    s->open.entered = true;
    s->record = &s->open;
    s->in_case = true;
    s->epoch++;
    s->task = c->task;
    s->keep = c->keep_for_replay;
    s->kept_bytes = 0;
    s->launch_count = 0;
    s->traffic = s->messages = 0;
    s->device_ns = 0;
    s->last_error = s->sticky = SRV_SUCCESS;
    s->undecided = s->given_up = false;
    s->outcome->undecided = false;
    inherit_undecided(s);
    s->random = c->schedule_seed;
    s->latest_first = c->schedule_seed % 4 != 0;
    s->clock_ms = 0;
    s->outcome->number = c->number;
    s->outcome->in_case = true;
    add_caller_ranges(s, c);
    s->device->ops->begin_case(s->device, c->lane_instructions, c->schedule_seed, c->jitter_ulp);
    s->start_ns = srv_now_ns();
}

static void note_leaks(struct cmpd_server *s)
{
    struct cmpd_server_record *r = s->record;

    for (size_t i = 0; i < s->ranges.count; i++) {
        const struct srv_range *g = &s->ranges.items[i];
        if (g->live && !g->free_queued && g->owner == SRV_CANDIDATE && g->epoch == s->epoch) {
            r->live_count++;
            r->live_bytes += g->bytes;
        }
    }
    if (r->live_count > 0)
        srv_sight(s, CMPD_TAG_memory_leak, true, NULL,
                  "%" PRIu64 " allocations (%" PRIu64 " bytes) are not freed", r->live_count,
                  r->live_bytes);
}

static void note_last_error(struct cmpd_server *s)
{
    struct cmpd_server_record *r = s->record;

    r->last_error = s->last_error;
    if (!s->last_error || s->last_error == s->sticky)
        return;
    size_t before = r->sightings.count;
    srv_sight(s, CMPD_TAG_api_error, false, NULL,
              "the error %s (%d) of %s was still set when the entry returned",
              cmpd_server_error_name(s->last_error), s->last_error, s->last_call);
    if (before < r->sightings.count)
        srv_sight_at(&r->sightings.items[before], s->error_at);
}

static void note_unjoined(struct cmpd_server *s)
{
    struct cmpd_server_record *r = s->record;

    r->unjoined = srv_pending_steps(s);
    if (r->unjoined > 0)
        srv_sight(
            s, CMPD_TAG_data_race, true, NULL,
            "%u launches, copies or sets were still queued on streams that nothing joins with "
            "the caller's when the entry returned",
            r->unjoined);
}

static void close_case(struct cmpd_server *s)
{
    srv_hosts_close(s);
    srv_ranges_drop_caller(s);
    s->in_case = s->keep = false;
    s->outcome->in_case = false;
    s->record = &s->outside;
    s->device_ns = 0;
    s->start_ns = srv_now_ns();
}

static int32_t stopped(struct cmpd_server *s, cmpd_rc rc, const struct cmpd_err *err)
{
    srv_end(s, CMPD_SERVER_STOPPED, "%.250s", err->msg);
    s->rc = rc;
    if (s->err)
        *s->err = *err;
    return SRV_INVALID_VALUE;
}

static cmpd_rc check_case(const struct cmpd_server_case *c, struct cmpd_err *err)
{
    if (c->arg_count > CMPD_SERVER_ARGS_CEILING)
        return cmpd_err_set(err, CMPD_EUSAGE, "an entry with %u arguments", c->arg_count);
    return CMPD_OK;
}

static void put_case(struct cmpd_server *s, const struct cmpd_server_case *c, uint64_t host_bytes)
{
    struct cmpd_wire_case head = {.task = c->task,
                                  .number = c->number,
                                  .arg_count = c->arg_count,
                                  .result = c->result,
                                  .symbol_offset = c->symbol_offset,
                                  .host_bytes = host_bytes};
    size_t host = 0;

    srv_reply_put(s, &head, sizeof(head));
    for (uint32_t i = 0; i < c->arg_count; i++) {
        struct cmpd_wire_arg a = {
            .type = c->args[i].type, .value = c->args[i].value, .bytes = c->args[i].bytes};
        if (a.type == CMPD_WIRE_POINTER_HOST) {
            const struct srv_host *h = &s->hosts[host++];
            a.value = h->file_offset - h->file_offset % 4096;
            a.address = h->address;
        }
        srv_reply_put(s, &a, sizeof(a));
    }
}

int32_t srv_on_next(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct cmpd_server_case c = {0};
    struct cmpd_err err = {0};
    uint64_t host_bytes = 0;

    (void)r;
    if (s->in_case || s->stopping)
        return srv_violation(s, "it asked for the next task out of turn");
    cmpd_rc rc = s->plan->next(s->plan->ctx, &c, &err);
    if (rc == CMPD_OK)
        rc = check_case(&c, &err);
    if (rc == CMPD_OK && c.task == CMPD_WIRE_TASK_STOP) {
        s->stopping = true;
        s->start_ns = srv_now_ns();
        c.arg_count = 0;
        put_case(s, &c, 0);
        return SRV_SUCCESS;
    }
    if (rc == CMPD_OK)
        rc = srv_hosts_open(s, &c, &host_bytes, &err);
    if (rc != CMPD_OK)
        return stopped(s, rc, &err);
    open_case(s, &c);
    put_case(s, &c, host_bytes);
    if (s->host_fd >= 0)
        s->reply.fd = s->host_fd; /* lent: on_next's descriptor stays ours until the case closes */
    return SRV_SUCCESS;
}

/* What the harness does once the entry is back: it waits for its own stream, and looks. */
static cmpd_rc join(struct cmpd_server *s, struct cmpd_err *err)
{
    note_last_error(s);
    srv_wait(s, SRV_WAIT_CALLER, 0);
    if (s->over)
        return CMPD_OK;
    srv_explain_shared(s);
    cmpd_rc rc = srv_hosts_collect(s, s->record, err);
    s->record->returned = true;
    if (rc == CMPD_OK)
        rc = srv_origin_judge(s, err);
    if (rc == CMPD_OK && s->plan->joined)
        rc = s->plan->joined(s->plan->ctx, s->record, err);
    return rc;
}

int32_t srv_on_done(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct cmpd_err err = {0};
    uint32_t number = cmpd_wire_get_u32(r);
    int32_t result = (int32_t)cmpd_wire_get_u32(r);
    uint32_t threads = cmpd_wire_get_u32(r);
    uint32_t high = cmpd_wire_get_u32(r);

    if (!s->in_case || number != s->open.number)
        return srv_violation(s, "it says that a task is done that it was not given");
    s->open.result = result;
    s->open.result_bits = (uint64_t)high << 32 | (uint32_t)result;
    s->open.threads = threads;
    cmpd_rc rc = join(s, &err);
    if (rc == CMPD_OK && !s->over) {
        note_unjoined(s);
        srv_wait(s, SRV_WAIT_ALL, 0);
        note_leaks(s);
    }
    if (rc == CMPD_OK && !s->over)
        rc = s->plan->done(s->plan->ctx, &s->open, &err);
    if (rc != CMPD_OK)
        return stopped(s, rc, &err);
    if (s->over)
        return SRV_SUCCESS;
    cmpd_server_record_clear(&s->open);
    s->outcome->cases_done++;
    close_case(s);
    return SRV_SUCCESS;
}

/* ---- the loop ---- */

static void reset_reply(struct cmpd_server *s)
{
    s->reply.len = 0;
    if (s->reply.fd >= 0 && s->reply.fd != s->host_fd)
        close(s->reply.fd);
    s->reply.fd = -1;
}

/* One question and its answer. */
static void serve_one(struct cmpd_server *s)
{
    struct cmpd_wire_head head;

    if (!srv_receive(s, &head, sizeof(head)))
        return;
    const char *fault = cmpd_wire_head_fault(&head, s->seq + 1);
    if (fault) {
        srv_violation(s, fault);
        return;
    }
    s->seq++;
    if (++s->messages > s->limits.messages) {
        srv_end(s, CMPD_SERVER_LIMIT, "more than %" PRIu64 " runtime calls in one case",
                s->limits.messages);
        return;
    }
    if (!srv_traffic(s, sizeof(head) + head.len))
        return;
    CMPD_GROW(s->in, (size_t)head.len + 1, s->in_cap);
    if (!srv_receive(s, s->in, head.len))
        return;
    srv_dispatch(s, &head);
    reset_reply(s);
    if (!s->over && srv_left_ms(s) == 0)
        srv_end(s, CMPD_SERVER_WALL, "the host code took longer than it may");
}

/* A program that checks its errors ends at one: then the error is what is wrong. */
static void note_exit(struct cmpd_server *s)
{
    const struct cmpd_server_record *r = s->record;
    size_t proven = 0;

    s->outcome->after_error = r->failure_count > 0;
    for (size_t i = 0; i < r->sightings.count; i++)
        proven += !r->sightings.items[i].note;
    if (!s->outcome->after_error || proven > 0)
        return;
    const struct cmpd_server_failure *f = &r->failures[r->failure_count - 1];
    srv_sight(s, CMPD_TAG_api_error, false, NULL, "%s returned %s (%d), and the program ended",
              f->call, cmpd_server_error_name(f->error), f->error);
}

/* Work that was queued when the candidate went: its faults may say why. */
static void finish_open(struct cmpd_server *s)
{
    bool dead = s->outcome->end == CMPD_SERVER_BROKEN || s->outcome->end == CMPD_SERVER_CANCELLED ||
                s->outcome->end == CMPD_SERVER_STOPPED || s->outcome->end == CMPD_SERVER_LIMIT;

    if (s->in_case && !dead) {
        s->over = false;
        srv_wait(s, SRV_WAIT_ALL, 0);
        s->over = true;
    }
    if (s->in_case && s->outcome->end == CMPD_SERVER_GONE_EARLY)
        note_exit(s);
    srv_queue_drop(s);
    srv_hosts_close(s);
    srv_ranges_drop_caller(s);
}

cmpd_rc cmpd_server_serve(struct cmpd_server *s, int fd, int cancel_fd,
                          const struct cmpd_server_plan *plan, struct cmpd_server_outcome *outcome,
                          struct cmpd_err *err)
{
    *outcome = (struct cmpd_server_outcome){0};
    s->fd = fd;
    s->cancel_fd = cancel_fd;
    s->plan = plan;
    s->outcome = outcome;
    s->err = err;
    s->start_ns = srv_now_ns();
    while (!s->over)
        serve_one(s);
    finish_open(s);
    s->outcome = &s->own_outcome;
    s->own_outcome = *outcome;
    s->err = NULL;
    s->plan = NULL;
    return s->rc;
}

/* ---- without a candidate ---- */

void cmpd_server_begin(struct cmpd_server *s, const struct cmpd_server_case *c)
{
    open_case(s, c);
}

struct cmpd_server_record *cmpd_server_end(struct cmpd_server *s)
{
    srv_wait(s, SRV_WAIT_ALL, 0);
    s->open.returned = true;
    srv_ranges_drop_caller(s);
    s->in_case = s->keep = false;
    s->record = &s->outside;
    return &s->open;
}
