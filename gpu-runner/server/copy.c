/*
 * Copies and sets. Which directions CUDA refuses was measured: between two device pointers every direction is taken for
 * right; with one host pointer the direction must fit; between two host pointers only cudaMemcpyHostToHost and
 * cudaMemcpyDefault pass.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

enum direction { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, INFERRED };
static const char *const direction_name[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                             "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                             "cudaMemcpyDefault"};

static const char *copy_call(const struct cmpd_wire_copy *c)
{
    if (c->symbol)
        return c->from_host ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
    if (c->height > 1)
        return c->async ? "cudaMemcpy2DAsync" : "cudaMemcpy2D";
    return c->async ? "cudaMemcpyAsync" : "cudaMemcpy";
}

static int32_t check_direction(struct cmpd_server *s, const struct cmpd_wire_copy *c)
{
    bool ok = true;

    if (c->direction > INFERRED)
        return SRV_INVALID_DIRECTION;
    if (c->symbol && ((c->from_host && c->direction == DEVICE_TO_HOST) ||
                      (c->to_host && c->direction == HOST_TO_DEVICE)))
        return SRV_INVALID_DIRECTION;
    if (c->direction == INFERRED || c->direction == HOST_TO_HOST || (!c->to_host && !c->from_host))
        return SRV_SUCCESS;
    if (c->to_host && c->from_host)
        ok = false;
    else
        ok = c->direction == (c->from_host ? HOST_TO_DEVICE : DEVICE_TO_HOST);
    if (ok)
        return SRV_SUCCESS;
    srv_sight(s, CMPD_TAG_api_error, false, NULL,
              "%s with %s, but it copies from %s memory to %s memory", copy_call(c),
              direction_name[c->direction], c->from_host ? "host" : "device",
              c->to_host ? "host" : "device");
    return SRV_INVALID_VALUE;
}

/* The bytes from the first row's beginning to the last one's end. False: no address space holds that. */
static bool extent(uint64_t pitch, uint64_t width, uint64_t height, uint64_t *out)
{
    uint64_t before;

    return !__builtin_mul_overflow(pitch, height - 1, &before) &&
           !__builtin_add_overflow(before, width, out);
}

static bool side_ok(struct cmpd_server *s, const char *call, bool write, uint64_t address,
                    uint64_t len, struct srv_range **range)
{
    if (srv_is_device_address(address))
        return srv_span_ok(s, call, write, address, len, range);
    srv_sight(s, CMPD_TAG_api_error, false, NULL, "%s %s 0x%" PRIx64 ", which is no device memory",
              call, write ? "to" : "from", address);
    return false;
}

static bool host_visible(const struct srv_range *r)
{
    return r && (r->kind == CMPD_MEMORY_MANAGED || r->kind == CMPD_MEMORY_PINNED);
}

/* A copy with its parts looked up. */
struct copy {
    struct cmpd_wire_copy wire;
    uint64_t bytes;      /* width * height */
    const uint8_t *data; /* of a host source; borrowed from the message */
    struct srv_range *to, *from;
};

static int32_t check_sides(struct cmpd_server *s, struct copy *c)
{
    const struct cmpd_wire_copy *w = &c->wire;
    uint64_t len;

    if (w->height > 1 && (w->to_pitch < w->width || w->from_pitch < w->width))
        return SRV_INVALID_PITCH;
    if (!w->to_host && (!extent(w->height > 1 ? w->to_pitch : 0, w->width, w->height, &len) ||
                        !side_ok(s, copy_call(w), true, w->to, len, &c->to)))
        return SRV_INVALID_VALUE;
    if (!w->from_host && (!extent(w->height > 1 ? w->from_pitch : 0, w->width, w->height, &len) ||
                          !side_ok(s, copy_call(w), false, w->from, len, &c->from)))
        return SRV_INVALID_VALUE;
    return SRV_SUCCESS;
}

static struct cmpd_server_step step_of(const struct copy *c, enum cmpd_server_step_kind kind)
{
    const struct cmpd_wire_copy *w = &c->wire;

    return (struct cmpd_server_step){
        .kind = kind,
        .stream = w->stream,
        .rows = {.to = w->to_host ? 0 : w->to,
                 .from = w->from_host ? 0 : w->from,
                 .to_pitch = w->height > 1 ? w->to_pitch : w->width,
                 .from_pitch = w->height > 1 && !w->from_host ? w->from_pitch : w->width,
                 .width = w->width,
                 .height = w->height}};
}

static int32_t queue_step(struct cmpd_server *s, struct cmpd_server_step *step, uint32_t stream,
                          bool wait)
{
    uint64_t seq = srv_queue(s, stream, SRV_STEP, step)->seq;

    if (wait)
        srv_wait(s, SRV_WAIT_SEQ, seq);
    return wait ? s->sticky : SRV_SUCCESS;
}

/* Host bytes are taken as they are now: pageable memory is staged (measured: the call doesn't wait for the stream). */
static int32_t write_device(struct cmpd_server *s, struct copy *c)
{
    struct cmpd_server_step step = step_of(c, CMPD_SERVER_WRITE);

    step.data = cmpd_alloc(c->bytes);
    step.data_bytes = c->bytes;
    memcpy(step.data, c->data, c->bytes);
    srv_origin_sent(s, c->wire.host_address, c->data, c->bytes);
    return queue_step(s, &step, c->wire.stream, !c->wire.async);
}

static void note_unwritten(struct cmpd_server *s, const struct copy *c, uint64_t unwritten,
                           uint64_t first)
{
    if (unwritten > 0)
        srv_sight(s, CMPD_TAG_uninitialized_read, true, NULL,
                  "%s copies %" PRIu64 " bytes to the host that nothing wrote, the first at offset "
                  "%" PRIu64 " of %s",
                  copy_call(&c->wire), unwritten, first, c->from->name);
}

static bool read_row(struct cmpd_server *s, const struct copy *c, uint64_t y, uint8_t *to,
                     uint64_t *unwritten, uint64_t *first)
{
    const struct cmpd_device_ops *ops = s->device->ops;
    const struct cmpd_wire_copy *w = &c->wire;
    struct cmpd_err err = {0};
    uint64_t from = w->from + (w->height > 1 ? y * w->from_pitch : 0), n = 0, at = 0;

    cmpd_rc rc = ops->read(s->device, to, from, w->width, &err);
    if (rc == CMPD_OK && ops->unwritten)
        rc = ops->unwritten(s->device, from, w->width, &n, &at, &err);
    if (rc == CMPD_EINPUT)
        return false;
    if (rc != CMPD_OK) {
        srv_broken(s, rc, &err);
        return false;
    }
    if (n > 0 && *unwritten == 0)
        *first = from - c->from->base + at;
    *unwritten += n;
    if (w->host_address)
        srv_hosts_copied(s, w->host_address + (w->height > 1 ? y * w->to_pitch : 0), from, to,
                         w->width);
    else
        srv_hosts_explain(s, to, w->width);
    return true;
}

/* To pageable memory the call comes back only when the bytes are there, async or not (measured). */
static int32_t read_device(struct cmpd_server *s, struct copy *c)
{
    uint64_t seq = srv_queue(s, c->wire.stream, SRV_WAIT_EVENT, NULL)->seq;
    uint64_t unwritten = 0, first = 0;

    srv_wait(s, SRV_WAIT_SEQ, seq);
    if (s->sticky)
        return s->sticky;
    if (!c->from->live) { /* a queued free came first */
        srv_span_ok(s, copy_call(&c->wire), false, c->wire.from, 1, &c->from);
        return SRV_INVALID_VALUE;
    }
    uint8_t *to = srv_reply_grow(s, c->bytes);
    for (uint64_t y = 0; y < c->wire.height; y++)
        if (!read_row(s, c, y, to + y * c->wire.width, &unwritten, &first))
            return SRV_INVALID_VALUE;
    note_unwritten(s, c, unwritten, first);
    struct cmpd_server_step step = step_of(c, CMPD_SERVER_READ);
    srv_record_step(s, &step);
    return SRV_SUCCESS;
}

static int32_t copy_device(struct cmpd_server *s, struct copy *c)
{
    struct cmpd_server_step step = step_of(c, CMPD_SERVER_COPY);
    bool wait = !c->wire.async && (host_visible(c->to) || host_visible(c->from));

    return queue_step(s, &step, c->wire.stream, wait);
}

static int32_t do_copy(struct cmpd_server *s, struct copy *c)
{
    const struct cmpd_wire_copy *w = &c->wire;

    if (!srv_stream_find(s, w->stream))
        return SRV_INVALID_HANDLE;
    if (c->bytes == 0)
        return SRV_SUCCESS;
    int32_t error = check_direction(s, w);
    if (error == SRV_SUCCESS)
        error = check_sides(s, c);
    if (error != SRV_SUCCESS)
        return error;
    if (!srv_traffic(s, w->height * SRV_ROW_COST + (w->from_host || w->to_host ? 0 : c->bytes / 4)))
        return SRV_INVALID_VALUE;
    if (w->from_host && w->to_host) {
        srv_reply_put(s, c->data, c->bytes);
        return SRV_SUCCESS;
    }
    return w->from_host ? write_device(s, c) : w->to_host ? read_device(s, c) : copy_device(s, c);
}

int32_t srv_on_copy(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct copy c = {0};
    struct cmpd_wire_copy *w = &c.wire;

    cmpd_wire_get(r, w, sizeof(*w));
    if (w->async > 1 || w->to_host > 1 || w->from_host > 1 || w->symbol > 1)
        return srv_violation(s, "a copy with unknown flags");
    if (__builtin_mul_overflow(w->width, w->height, &c.bytes))
        return srv_violation(s, "a copy of more bytes than there are");
    if ((w->to_host || w->from_host) && c.bytes > CMPD_WIRE_MESSAGE_CEILING)
        return srv_violation(s, "a copy longer than a message");
    if (r->left != (w->from_host ? c.bytes : 0))
        return srv_violation(s, "a copy whose data has another length");
    c.data = cmpd_wire_get_bytes(r, r->left);
    int32_t error = do_copy(s, &c);
    srv_fail(s, copy_call(w), error);
    return error;
}

/* ---- sets ---- */

static int32_t do_set(struct cmpd_server *s, const struct cmpd_wire_set *w)
{
    struct srv_range *range = NULL;
    uint64_t bytes, len;
    const char *call = w->height > 1 ? "cudaMemset2D" : "cudaMemset";

    if (!srv_stream_find(s, w->stream))
        return SRV_INVALID_HANDLE;
    if (w->width == 0 || w->height == 0)
        return SRV_SUCCESS;
    if (w->unit != 1 && w->unit != 2 && w->unit != 4)
        return SRV_INVALID_VALUE;
    if (__builtin_mul_overflow(w->width, w->height, &bytes) || w->width % w->unit != 0 ||
        (w->height > 1 && w->pitch < w->width) ||
        !extent(w->height > 1 ? w->pitch : 0, w->width, w->height, &len) ||
        !side_ok(s, call, true, w->to, len, &range))
        return SRV_INVALID_VALUE;
    if (!srv_traffic(s, w->height * SRV_ROW_COST + bytes / 4))
        return SRV_INVALID_VALUE;
    struct cmpd_server_step step = {.kind = CMPD_SERVER_SET,
                                    .stream = w->stream,
                                    .value = w->value,
                                    .unit = w->unit,
                                    .rows = {.to = w->to,
                                             .to_pitch = w->height > 1 ? w->pitch : w->width,
                                             .width = w->width,
                                             .height = w->height}};
    /* Asynchronous for device memory even under its plain name (measured, and documented). */
    return queue_step(s, &step, w->stream, !w->async && host_visible(range));
}

int32_t srv_on_set(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct cmpd_wire_set w;

    cmpd_wire_get(r, &w, sizeof(w));
    int32_t error = do_set(s, &w);
    srv_fail(s, w.async ? "cudaMemsetAsync" : w.height > 1 ? "cudaMemset2D" : "cudaMemset", error);
    return error;
}
