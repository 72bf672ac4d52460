/* Copies. Which side is the host's is told by the pointers, and has to agree with the direction that the caller gave. */
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

struct
    sides { /* where the two ends are; addresses as the device knows them, 0 for plain host memory */
    enum rt_place to_place, from_place;
    uint64_t to, from;
};

static bool device_can_reach(enum rt_place p)
{
    return p != RT_HOST;
}

/*
 * As measured with CUDA 13.0 on an H200: between two ends that the device can reach every direction passes, with one
 * plain host end the direction has to fit, and cudaMemcpyHostToHost counts as cudaMemcpyDefault.
 */
static bool direction_fits(enum cudaMemcpyKind kind, const struct sides *s)
{
    bool to = device_can_reach(s->to_place), from = device_can_reach(s->from_place);

    if (kind == cudaMemcpyDefault || kind == cudaMemcpyHostToHost || (to && from))
        return true;
    if (!to && !from)
        return false;
    return kind == (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

/* A part of a copy: `rows` rows from row `row` on, of each the bytes from `column` on. */
struct piece {
    size_t row, rows, column, width;
};

static void *host_at(const struct rt_copy *c, bool to, const struct piece *p)
{
    return to ? (uint8_t *)c->to + p->row * c->to_pitch + p->column
              : (uint8_t *)(uintptr_t)c->from + p->row * c->from_pitch + p->column;
}

struct packing {
    const struct rt_rows *rows;
    uint8_t *packed;
    bool gather;
};

static void pack(void *ctx)
{
    const struct packing *p = ctx;

    for (size_t i = 0; i < p->rows->height; i++) {
        uint8_t *row = (uint8_t *)p->rows->base + i * p->rows->pitch;
        uint8_t *packed = p->packed + i * p->rows->width;
        if (p->gather)
            memcpy(packed, row, p->rows->width);
        else
            memcpy(row, packed, p->rows->width);
    }
}

/* The memory was touched before; only another thread could have taken it away since. */
static void pack_or_fault(const char *call, const struct packing *p)
{
    uint64_t bad;

    if (!rt_guarded(pack, (void *)(uintptr_t)p, &bad))
        rt_host_fault(call, bad);
}

static cudaError_t send_piece(const struct rt_copy *c, const struct sides *s, const struct piece *p,
                              uint32_t stream)
{
    bool to_host = s->to_place == RT_HOST, from_host = s->from_place == RT_HOST;
    struct cmpd_wire_copy fixed = {
        .to = to_host ? 0 : s->to + p->row * c->to_pitch + p->column,
        .from = from_host ? 0 : s->from + p->row * c->from_pitch + p->column,
        .to_pitch = c->to_pitch,
        .from_pitch = c->from_pitch,
        .width = p->width,
        .height = p->rows,
        .direction = c->kind,
        .stream = stream,
        .async = c->async,
        .to_host = to_host,
        .from_host = from_host,
        .symbol = c->symbol,
    };
    struct rt_question q = {.kind = CMPD_WIRE_COPY, .fixed = &fixed, .fixed_bytes = sizeof(fixed)};
    if (!to_host && !from_host)
        return rt_ask(&q);

    struct rt_rows host = {.base = host_at(c, to_host, p),
                           .pitch = to_host ? c->to_pitch : c->from_pitch,
                           .width = p->width,
                           .height = p->rows};
    struct packing packing = {.rows = &host, .gather = from_host};
    size_t bytes = p->width * p->rows;
    uint64_t bad;
    fixed.host_address = (uint64_t)(uintptr_t)host.base;
    if (!rt_can_touch(&host, to_host, &bad))
        rt_host_fault(c->call, bad);
    void *data = host.base;
    if (p->rows > 1) {
        data = packing.packed = malloc(bytes);
        if (!data)
            return cudaErrorMemoryAllocation;
    }
    if (from_host) {
        if (p->rows > 1)
            pack_or_fault(c->call, &packing);
        q.data = data;
        q.data_bytes = bytes;
    } else {
        q.answer = data;
        q.answer_bytes = bytes;
    }
    cudaError_t error = rt_ask(&q);
    if (to_host && p->rows > 1 && error == cudaSuccess)
        pack_or_fault(c->call, &packing);
    free(packing.packed);
    return error;
}

/* Rows that are longer than a message go in pieces of their own, shorter ones as many as fit. */
static cudaError_t send_all(const struct rt_copy *c, const struct sides *s, uint32_t stream)
{
    size_t most = CMPD_WIRE_MESSAGE_CEILING;

    if (s->to_place != RT_HOST && s->from_place != RT_HOST) {
        struct piece whole = {0, c->height, 0, c->width};
        return send_piece(c, s, &whole, stream);
    }
    size_t rows = c->width < most ? most / c->width : 1;
    for (size_t row = 0; row < c->height; row += rows) {
        size_t n = c->height - row < rows ? c->height - row : rows;
        for (size_t column = 0; column < c->width; column += most) {
            size_t width = c->width - column < most ? c->width - column : most;
            struct piece p = {row, n, column, width};
            cudaError_t error = send_piece(c, s, &p, stream);
            if (error != cudaSuccess)
                return error;
        }
    }
    return cudaSuccess;
}

static void move_rows(void *ctx)
{
    const struct rt_copy *c = ctx;

    for (size_t i = 0; i < c->height; i++)
        memmove((uint8_t *)c->to + i * c->to_pitch, (const uint8_t *)c->from + i * c->from_pitch,
                c->width);
}

/* Both ends on the host: nothing that the device has to do with, but it waits for the work before it. */
static cudaError_t copy_on_host(const struct rt_copy *c, uint32_t stream)
{
    cudaError_t error = rt_sync(1, stream, false);
    uint64_t bad;

    if (error == cudaSuccess && !rt_guarded(move_rows, (void *)(uintptr_t)c, &bad))
        rt_host_fault(c->call, bad);
    return error;
}

/* A host range that goes on past the registered part of it counts as plain host memory. */
static void find_sides(const struct rt_copy *c, struct sides *s)
{
    s->to_place = rt_place_of(c->to, &s->to);
    s->from_place = rt_place_of(c->from, &s->from);
}

cudaError_t rt_copy_run(const struct rt_copy *asked, uint32_t stream)
{
    struct rt_copy c = *asked;
    struct sides s;
    size_t bytes;

    if (c.width == 0 || c.height == 0)
        return cudaSuccess;
    if (!c.to || !c.from || (unsigned)c.kind > cudaMemcpyDefault)
        return rt_refuse(c.call, (unsigned)c.kind > cudaMemcpyDefault
                                     ? cudaErrorInvalidMemcpyDirection
                                     : cudaErrorInvalidValue);
    if (c.height > 1 && (c.width > c.to_pitch || c.width > c.from_pitch))
        return rt_refuse(c.call, cudaErrorInvalidPitchValue);
    if (__builtin_mul_overflow(c.width, c.height, &bytes))
        return rt_refuse(c.call, cudaErrorInvalidValue);
    if (c.height > 1 && c.to_pitch == c.width && c.from_pitch == c.width) {
        c.width = bytes;
        c.height = 1;
    }
    if (c.height == 1)
        c.to_pitch = c.from_pitch = c.width;
    find_sides(&c, &s);
    if (!direction_fits(c.kind, &s))
        return rt_refuse(c.call, cudaErrorInvalidValue);
    if (s.to_place == RT_HOST && s.from_place == RT_HOST)
        return rt_done(copy_on_host(&c, stream));
    return rt_done(send_all(&c, &s, stream));
}

static cudaError_t submit(const struct rt_copy *c, cudaStream_t stream)
{
    struct rt_op op = {.kind = RT_OP_COPY, .call = c->call, .copy = *c};

    return rt_submit(&op, stream);
}

static cudaError_t copy_1d(const char *call, void *to, const void *from, size_t count,
                           enum cudaMemcpyKind kind, bool async, cudaStream_t stream)
{
    struct rt_copy c = {.call = call,
                        .to = to,
                        .from = from,
                        .width = count,
                        .height = 1,
                        .kind = kind,
                        .async = async};

    return submit(&c, stream);
}

RT_API cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    return copy_1d("cudaMemcpy", to, from, count, kind, false, NULL);
}

RT_API cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t count,
                                   enum cudaMemcpyKind kind)
{
    return copy_1d("cudaMemcpy", to, from, count, kind, false, CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_1d("cudaMemcpyAsync", to, from, count, kind, true, stream);
}

RT_API cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, count, kind, rt_per_thread(stream));
}

/* One device: a peer is the device itself. */
RT_API cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t count)
{
    if (to_device != 0 || from_device != 0)
        return rt_refuse("cudaMemcpyPeer", cudaErrorInvalidDevice);
    return copy_1d("cudaMemcpyPeer", to, from, count, cudaMemcpyDeviceToDevice, false, NULL);
}

RT_API cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                       size_t count, cudaStream_t stream)
{
    if (to_device != 0 || from_device != 0)
        return rt_refuse("cudaMemcpyPeerAsync", cudaErrorInvalidDevice);
    return copy_1d("cudaMemcpyPeerAsync", to, from, count, cudaMemcpyDeviceToDevice, true, stream);
}

static cudaError_t copy_2d(struct rt_copy c, cudaStream_t stream)
{
    /* CUDA looks at the pitches even where one row is copied, and says it otherwise. */
    if (c.width > c.to_pitch || c.width > c.from_pitch)
        return rt_refuse(c.call, c.height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue);
    return submit(&c, stream);
}

RT_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_2d((struct rt_copy){.call = "cudaMemcpy2D",
                                    .to = to,
                                    .from = from,
                                    .to_pitch = to_pitch,
                                    .from_pitch = from_pitch,
                                    .width = width,
                                    .height = height,
                                    .kind = kind},
                   NULL);
}

RT_API cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_2d((struct rt_copy){.call = "cudaMemcpy2D",
                                    .to = to,
                                    .from = from,
                                    .to_pitch = to_pitch,
                                    .from_pitch = from_pitch,
                                    .width = width,
                                    .height = height,
                                    .kind = kind},
                   CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    return copy_2d((struct rt_copy){.call = "cudaMemcpy2DAsync",
                                    .to = to,
                                    .from = from,
                                    .to_pitch = to_pitch,
                                    .from_pitch = from_pitch,
                                    .width = width,
                                    .height = height,
                                    .kind = kind,
                                    .async = true},
                   stream);
}

RT_API cudaError_t cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from,
                                          size_t from_pitch, size_t width, size_t height,
                                          enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind,
                             rt_per_thread(stream));
}
