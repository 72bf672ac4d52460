/*
 * When queued work is done. CUDA promises an order only between operations of one stream, across an event, and between
 * the legacy default stream and the blocking ones; whatever else happens first is chance. The plain order here does
 * what somebody waits for and no more, so that everything that nobody waited for comes too late.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

/* Choosing among ready operations costs the square of their number; longer queues keep the plain order. */
#define CHOICE_CEILING 256u

struct srv_stream *srv_stream_find(struct cmpd_server *s, uint32_t id)
{
    if (id == 2)
        id = 0; /* cudaStreamLegacy */
    for (size_t i = 0; i < s->stream_count; i++)
        if (s->streams[i].id == id)
            return s->streams[i].live ? &s->streams[i] : NULL;
    return NULL;
}

/* The stream of a queued operation, which may have been destroyed since. */
static struct srv_stream *stream_of(struct cmpd_server *s, const struct srv_op *op)
{
    for (size_t i = 0; i < s->stream_count; i++)
        if (s->streams[i].id == op->stream)
            return &s->streams[i];
    return NULL;
}

static uint32_t draw(struct cmpd_server *s, uint32_t below)
{
    s->random ^= s->random << 13; /* xorshift32 */
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random % below;
}

/* ---- which operations a wait needs ---- */

/* Marks what has to come before the operations that are marked already. */
static void mark_before(struct cmpd_server *s)
{
    bool legacy = false, blocking = false;

    for (size_t i = 0; i < s->stream_count; i++)
        s->streams[i].wanted = false;
    for (size_t i = s->op_count; i-- > 0;) {
        struct srv_op *op = &s->ops[i];
        struct srv_stream *st = stream_of(s, op);
        if (op->done || !st)
            continue;
        if (st->wanted || (legacy && st->legacy) || (blocking && st->blocking))
            op->wanted = true;
        if (!op->wanted)
            continue;
        st->wanted = true;
        legacy = legacy || st->blocking;
        blocking = blocking || st->legacy;
        if (op->after != SRV_NO_SEQ)
            for (size_t k = i; k-- > 0;)
                if (s->ops[k].seq == op->after)
                    s->ops[k].wanted = true;
    }
}

/* The legacy default stream's wait counts for the blocking ones too (measured). */
static bool callers(const struct cmpd_server *s, const struct srv_op *op)
{
    for (size_t i = 0; i < s->stream_count; i++)
        if (s->streams[i].id == op->stream)
            return s->streams[i].legacy || s->streams[i].blocking;
    return false;
}

static bool wanted_by(const struct cmpd_server *s, const struct srv_op *op, enum srv_wait what,
                      uint64_t id)
{
    if (op->done)
        return false;
    switch (what) {
    case SRV_WAIT_ALL:
        return true;
    case SRV_WAIT_SEQ:
        return op->seq == id;
    case SRV_WAIT_STREAM:
        return id == 0 || id == 2 ? callers(s, op) : op->stream == id;
    case SRV_WAIT_CALLER:
        return callers(s, op);
    }
    return false;
}

bool srv_pending(struct cmpd_server *s, enum srv_wait what, uint64_t id)
{
    for (size_t i = 0; i < s->op_count; i++)
        if (wanted_by(s, &s->ops[i], what, id))
            return true;
    return false;
}

uint32_t srv_pending_steps(const struct cmpd_server *s)
{
    uint32_t n = 0;

    for (size_t i = 0; i < s->op_count; i++)
        n += !s->ops[i].done && s->ops[i].kind == SRV_STEP;
    return n;
}

/* ---- doing them ---- */

static void finish_event(struct cmpd_server *s, const struct srv_op *op)
{
    for (size_t i = 0; i < s->event_count; i++) {
        struct srv_event *e = &s->events[i];
        if (e->id == op->event && e->seq == op->seq) {
            e->complete = true;
            e->at_ms = s->clock_ms;
        }
    }
}

static uint64_t op_bytes(const struct srv_op *op)
{
    return op->kind == SRV_STEP ? op->step.data_bytes : 0;
}

static void do_op(struct cmpd_server *s, struct srv_op *op)
{
    op->done = true;
    s->op_bytes -= op_bytes(op);
    if (op->kind == SRV_RECORD_EVENT)
        finish_event(s, op);
    if (op->kind == SRV_STEP) {
        /* After a fault the context is dead: nothing more happens in it. */
        if (!s->sticky && !s->over)
            srv_do_step(s, &op->step);
        srv_step_clear(&op->step);
    }
    if (op->kind == SRV_FREE && !s->sticky)
        srv_do_free(s, op->address);
}

static void compact(struct cmpd_server *s)
{
    size_t to = 0;

    for (size_t i = 0; i < s->op_count; i++)
        if (!s->ops[i].done)
            s->ops[to++] = s->ops[i];
    s->op_count = to;
}

/* Whether operation i may come next: nothing before it that it has to wait for. */
static bool ready(struct cmpd_server *s, size_t i)
{
    const struct srv_op *op = &s->ops[i];
    const struct srv_stream *st = stream_of(s, op);

    for (size_t k = 0; k < i; k++) {
        const struct srv_op *before = &s->ops[k];
        const struct srv_stream *bs = stream_of(s, before);
        if (before->done || !bs || !st)
            continue;
        if (bs == st || before->seq == op->after || (st->legacy && bs->blocking) ||
            (st->blocking && bs->legacy))
            return false;
    }
    return true;
}

/* Another order than the plain one: most seeds turn it round as far as is legal, the others draw. */
static bool choose(struct cmpd_server *s, size_t *chosen)
{
    uint32_t seen = 0;

    for (size_t i = 0; i < s->op_count; i++)
        if (s->ops[i].wanted && !s->ops[i].done && ready(s, i) &&
            (s->latest_first || draw(s, ++seen) == 0)) {
            *chosen = i;
            seen += s->latest_first;
        }
    return seen > 0;
}

static void do_wanted(struct cmpd_server *s)
{
    size_t i = 0;

    if (s->random && s->op_count <= CHOICE_CEILING)
        while (choose(s, &i))
            do_op(s, &s->ops[i]);
    for (i = 0; i < s->op_count; i++)
        if (s->ops[i].wanted && !s->ops[i].done)
            do_op(s, &s->ops[i]);
    compact(s);
}

void srv_wait(struct cmpd_server *s, enum srv_wait what, uint64_t id)
{
    bool any = false;

    for (size_t i = 0; i < s->op_count; i++) {
        s->ops[i].wanted = wanted_by(s, &s->ops[i], what, id);
        any = any || s->ops[i].wanted;
    }
    if (!any)
        return;
    if (s->random && !s->latest_first &&
        draw(s, 2) == 0) /* another order may do what nobody waits for early */
        for (size_t i = 0; i < s->op_count; i++)
            s->ops[i].wanted = s->ops[i].wanted || draw(s, 2) == 0;
    mark_before(s);
    do_wanted(s);
}

/* ---- queueing ---- */

static void do_oldest_half(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->op_count; i++)
        s->ops[i].wanted = i < (s->op_count + 1) / 2;
    mark_before(s);
    do_wanted(s);
}

struct srv_op *srv_queue(struct cmpd_server *s, uint32_t stream, enum srv_op_kind kind,
                         struct cmpd_server_step *step)
{
    while (s->op_count > 0 &&
           (s->op_count >= SRV_PENDING_CEILING || s->op_bytes > SRV_PENDING_BYTES))
        do_oldest_half(s);
    CMPD_GROW(s->ops, s->op_count + 1, s->op_cap);
    struct srv_op *op = &s->ops[s->op_count++];
    *op = (struct srv_op){.seq = ++s->op_seq, .stream = stream == 2 ? 0 : stream, .kind = kind};
    if (step) {
        step->stream = op->stream;
        op->step = *step;
        *step = (struct cmpd_server_step){0};
        s->op_bytes += op_bytes(op);
    }
    return op;
}

void srv_queue_drop(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->op_count; i++)
        srv_step_clear(&s->ops[i].step);
    s->op_count = 0;
    s->op_bytes = 0;
}
