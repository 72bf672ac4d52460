/*
 * Stream capture. What is captured is kept in the order in which the host gave it; that order keeps every dependency
 * that the streams have, so one stream can run it. CUDA's modes differ in what they forbid to others: only relaxed
 * against the other two is told apart. A capture by one thread and work by another at once is not looked after.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

struct capture {
    struct capture *next;
    struct rt_graph *graph;
    cudaStream_t origin;
    enum cudaStreamCaptureMode mode;
    unsigned long long id;
    bool spoilt;
};

static struct capture *captures;
static _Atomic int active; /* how many; most programs have none */
static unsigned long long last_id;

static struct capture *capture_with(const struct rt_graph *g)
{
    struct capture *c = captures;

    while (c && c->graph != g)
        c = c->next;
    return c;
}

static struct capture *capture_on(cudaStream_t stream)
{
    struct rt_handle *h = active ? rt_handle_find(false, stream) : NULL;

    return h && rt_handle_graph(h) ? capture_with(rt_handle_graph(h)) : NULL;
}

struct rt_graph *rt_capture_of(cudaStream_t stream)
{
    struct capture *c = capture_on(stream);

    return c ? c->graph : NULL;
}

static bool is_legacy(cudaStream_t stream)
{
    return !stream || stream == CMPD_CUDA_STREAM_LEGACY;
}

cudaError_t rt_capture_forbids(cudaStream_t stream, bool work)
{
    struct capture *c = capture_on(stream);

    if (!active)
        return cudaSuccess;
    if (c && !work) {
        c->spoilt = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    for (c = captures; c && is_legacy(stream); c = c->next) {
        const struct rt_handle *h = rt_handle_find(false, c->origin);
        if (c->mode == cudaStreamCaptureModeRelaxed || (work && h && (rt_handle_flags(h) & 1)))
            continue;
        c->spoilt = true;
        return work ? cudaErrorStreamCaptureImplicit : cudaErrorStreamCaptureUnsupported;
    }
    return cudaSuccess;
}

bool rt_capture_record(cudaEvent_t event, cudaStream_t stream)
{
    struct rt_handle *e = rt_handle_find(true, event);
    struct capture *c = capture_on(stream);

    if (e)
        rt_handle_set_graph(e, c ? c->graph : NULL);
    return e && c;
}

bool rt_capture_wait(cudaStream_t stream, cudaEvent_t event)
{
    const struct rt_handle *e = rt_handle_find(true, event);
    struct rt_handle *s = rt_handle_find(false, stream);

    if (!e || !s || !rt_handle_graph(e) || !capture_with(rt_handle_graph(e)))
        return capture_on(stream) != NULL; /* an event from outside: done before the graph runs */
    rt_handle_set_graph(s, rt_handle_graph(e));
    return true;
}

RT_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    struct rt_handle *h = rt_handle_find(false, stream);
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (unsigned)mode > cudaStreamCaptureModeRelaxed)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && (is_legacy(stream) || stream == CMPD_CUDA_STREAM_PER_THREAD))
        error = cudaErrorStreamCaptureUnsupported;
    if (error == cudaSuccess && !h)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && capture_on(stream))
        error = cudaErrorIllegalState;
    struct capture *c = error == cudaSuccess ? calloc(1, sizeof(*c)) : NULL;
    if (c && !(c->graph = rt_graph_new())) {
        free(c);
        c = NULL;
    }
    if (!c)
        return rt_refuse("cudaStreamBeginCapture",
                         error != cudaSuccess ? error : cudaErrorMemoryAllocation);
    c->origin = stream;
    c->mode = mode;
    c->id = ++last_id;
    c->next = captures;
    captures = c;
    active++;
    rt_handle_set_graph(h, c->graph);
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return cudaStreamBeginCapture(rt_per_thread(stream), mode);
}

static void drop(struct capture *gone)
{
    for (struct capture **at = &captures; *at; at = &(*at)->next) {
        if (*at == gone) {
            *at = gone->next;
            active--;
            free(gone);
            return;
        }
    }
}

RT_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    struct capture *c = capture_on(stream);

    if (!c || c->origin != stream)
        return rt_refuse("cudaStreamEndCapture",
                         c ? cudaErrorStreamCaptureUnmatched : cudaErrorIllegalState);
    struct rt_graph *g = c->graph;
    bool spoilt = c->spoilt;
    rt_handles_forget_graph(g);
    drop(c);
    if (out)
        *out = spoilt ? NULL : (cudaGraph_t)g;
    if (!spoilt && out)
        return cudaSuccess;
    rt_graph_free(g);
    return rt_refuse("cudaStreamEndCapture",
                     spoilt ? cudaErrorStreamCaptureInvalidated : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *out)
{
    return cudaStreamEndCapture(rt_per_thread(stream), out);
}

static enum cudaStreamCaptureStatus status_of(const struct capture *c)
{
    if (!c)
        return cudaStreamCaptureStatusNone;
    return c->spoilt ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

RT_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    uint32_t id;

    if (!status)
        return rt_refuse("cudaStreamIsCapturing", cudaErrorInvalidValue);
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamIsCapturing", cudaErrorInvalidResourceHandle);
    *status = status_of(capture_on(stream));
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream,
                                              enum cudaStreamCaptureStatus *status)
{
    return cudaStreamIsCapturing(rt_per_thread(stream), status);
}

/*
 * Every version of CUDA has these three parameters first; what follows them differs from version to version, so that
 * writing there could hit anything. It stays as it was.
 */
RT_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                            enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **needs,
                                            const cudaGraphEdgeData **edges, size_t *count)
{
    const struct capture *c = capture_on(stream);
    cudaError_t error = cudaStreamIsCapturing(stream, status);

    (void)graph, (void)needs, (void)edges, (void)count;
    if (error == cudaSuccess && c && id)
        *id = c->id;
    return error;
}

RT_API cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream,
                                                 enum cudaStreamCaptureStatus *status,
                                                 unsigned long long *id, cudaGraph_t *graph,
                                                 const cudaGraphNode_t **needs,
                                                 const cudaGraphEdgeData **edges, size_t *count)
{
    return cudaStreamGetCaptureInfo(rt_per_thread(stream), status, id, graph, needs, edges, count);
}

RT_API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static __thread enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;

    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return rt_refuse("cudaThreadExchangeStreamCaptureMode", cudaErrorInvalidValue);
    enum cudaStreamCaptureMode was = current;
    current = *mode;
    *mode = was;
    return cudaSuccess;
}
