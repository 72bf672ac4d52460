/* Questions about streams and events. */
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

#define STREAM_NON_BLOCKING  1u
#define EVENT_DISABLE_TIMING 2u

static struct srv_event *event_find(struct cmpd_server *s, uint32_t id)
{
    for (size_t i = 0; i < s->event_count; i++)
        if (s->events[i].id == id)
            return s->events[i].live ? &s->events[i] : NULL;
    return NULL;
}

static void put_id(struct cmpd_server *s, uint32_t id)
{
    uint32_t answer[2] = {id, 0};

    srv_reply_put(s, answer, sizeof(answer));
}

static bool stream_has_work(const struct cmpd_server *s, uint32_t id)
{
    for (size_t i = 0; i < s->op_count; i++)
        if (s->ops[i].stream == id)
            return true;
    return false;
}

/* A destroyed stream's work still happens, so its place is free only when nothing is queued. */
static struct srv_stream *stream_place(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->stream_count; i++)
        if (!s->streams[i].live && !stream_has_work(s, s->streams[i].id))
            return &s->streams[i];
    CMPD_GROW(s->streams, s->stream_count + 1, s->stream_cap);
    return &s->streams[s->stream_count++];
}

int32_t srv_on_stream_new(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint32_t flags = cmpd_wire_get_u32(r);

    if (s->live_streams >= s->limits.objects) {
        srv_end(s, CMPD_SERVER_LIMIT, "more than %u streams", s->limits.objects);
        return SRV_MEMORY_ALLOCATION;
    }
    struct srv_stream *st = stream_place(s);
    *st = (struct srv_stream){
        .id = s->next_id++, .live = true, .blocking = (flags & STREAM_NON_BLOCKING) == 0};
    s->live_streams++;
    put_id(s, st->id);
    return SRV_SUCCESS;
}

int32_t srv_on_stream_free(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint32_t id = cmpd_wire_get_u32(r);
    struct srv_stream *st = id >= SRV_FIRST_ID ? srv_stream_find(s, id) : NULL;

    if (!st)
        return SRV_INVALID_HANDLE;
    st->live = false;
    s->live_streams--;
    return SRV_SUCCESS;
}

static struct srv_event *event_place(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->event_count; i++)
        if (!s->events[i].live)
            return &s->events[i];
    CMPD_GROW(s->events, s->event_count + 1, s->event_cap);
    return &s->events[s->event_count++];
}

int32_t srv_on_event_new(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint32_t flags = cmpd_wire_get_u32(r);

    if (s->live_events >= s->limits.objects) {
        srv_end(s, CMPD_SERVER_LIMIT, "more than %u events", s->limits.objects);
        return SRV_MEMORY_ALLOCATION;
    }
    struct srv_event *e = event_place(s);
    *e = (struct srv_event){
        .id = s->next_id++, .live = true, .timed = (flags & EVENT_DISABLE_TIMING) == 0};
    s->live_events++;
    put_id(s, e->id);
    return SRV_SUCCESS;
}

int32_t srv_on_event_free(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct srv_event *e = event_find(s, cmpd_wire_get_u32(r));

    if (!e)
        return SRV_INVALID_HANDLE;
    e->live = false;
    s->live_events--;
    return SRV_SUCCESS;
}

int32_t srv_on_event_record(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct srv_event *e = event_find(s, cmpd_wire_get_u32(r));
    uint32_t stream = cmpd_wire_get_u32(r);

    if (!e || !srv_stream_find(s, stream))
        return SRV_INVALID_HANDLE;
    struct srv_op *op = srv_queue(s, stream, SRV_RECORD_EVENT, NULL);
    op->event = e->id;
    e->recorded = true;
    e->complete = false;
    e->seq = op->seq;
    return SRV_SUCCESS;
}

/* Time is virtual, so that a program that looks at it does the same thing every time. */
int32_t srv_on_event_time(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct srv_event *a = event_find(s, cmpd_wire_get_u32(r));
    struct srv_event *b = event_find(s, cmpd_wire_get_u32(r));
    struct {
        float ms;
        uint32_t zero;
    } answer = {0};

    if (!a || !b || !a->timed || !b->timed || !a->recorded || !b->recorded)
        return SRV_INVALID_HANDLE;
    if (!a->complete || !b->complete) {
        /* Not yet; but one that asks again and again has to get there. */
        srv_wait(s, SRV_WAIT_SEQ, a->seq);
        srv_wait(s, SRV_WAIT_SEQ, b->seq);
        return s->sticky ? s->sticky : SRV_NOT_READY;
    }
    answer.ms = (float)(b->at_ms - a->at_ms);
    srv_reply_put(s, &answer, sizeof(answer));
    return SRV_SUCCESS;
}

int32_t srv_on_wait_event(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint32_t stream = cmpd_wire_get_u32(r);
    struct srv_event *e = event_find(s, cmpd_wire_get_u32(r));

    if (!e || !srv_stream_find(s, stream))
        return SRV_INVALID_HANDLE;
    if (e->recorded && !e->complete)
        srv_queue(s, stream, SRV_WAIT_EVENT, NULL)->after = e->seq;
    return SRV_SUCCESS;
}

int32_t srv_on_sync(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint32_t what = cmpd_wire_get_u32(r), id = cmpd_wire_get_u32(r);
    uint32_t query = cmpd_wire_get_u32(r);
    enum srv_wait wait = SRV_WAIT_ALL;
    uint64_t target = 0;

    if (what > 2 || query > 1)
        return srv_violation(s, "an unknown way to wait");
    if (what == 1) {
        if (!srv_stream_find(s, id))
            return SRV_INVALID_HANDLE;
        wait = SRV_WAIT_STREAM;
        target = id;
    } else if (what == 2) {
        struct srv_event *e = event_find(s, id);
        if (!e)
            return SRV_INVALID_HANDLE;
        if (!e->recorded || e->complete)
            return SRV_SUCCESS;
        wait = SRV_WAIT_SEQ;
        target = e->seq;
    }
    bool pending = srv_pending(s, wait, target);
    srv_wait(s, wait, target);
    if (s->sticky)
        return s->sticky;
    return query && pending ? SRV_NOT_READY : SRV_SUCCESS;
}
