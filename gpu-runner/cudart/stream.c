/* Streams, and host functions in them. */
#include <stddef.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define LOWEST_PRIORITY  0
#define HIGHEST_PRIORITY (-5) /* compute capability 8.0 */

static cudaError_t create(const char *call, cudaStream_t *out, unsigned flags, int priority)
{
    struct {
        uint32_t flags;
        int32_t priority;
    } fixed = {.flags = flags, .priority = priority};
    uint32_t answer[2];
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (!out || flags > 1))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    if (priority > LOWEST_PRIORITY)
        fixed.priority = LOWEST_PRIORITY;
    if (priority < HIGHEST_PRIORITY)
        fixed.priority = HIGHEST_PRIORITY;
    error = rt_ask_simple(CMPD_WIRE_STREAM_NEW, &fixed, sizeof(fixed), answer, sizeof(answer));
    if (error != cudaSuccess)
        return rt_done(error);
    struct rt_handle *h = rt_handle_new(false, answer[0], flags, fixed.priority);
    if (!h)
        return rt_refuse(call, cudaErrorMemoryAllocation);
    *out = (cudaStream_t)h;
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return create("cudaStreamCreate", stream, 0, 0);
}

RT_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return create("cudaStreamCreateWithFlags", stream, flags, 0);
}

RT_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags,
                                                int priority)
{
    return create("cudaStreamCreateWithPriority", stream, flags, priority);
}

RT_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct rt_handle *h = rt_handle_find(false, stream);
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !h)
        error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess)
        return rt_refuse("cudaStreamDestroy", error);
    uint32_t fixed[2] = {rt_handle_id(h), 0};
    error = rt_ask_simple(CMPD_WIRE_STREAM_FREE, fixed, sizeof(fixed), NULL, 0);
    rt_handle_free(h);
    return rt_done(error);
}

static cudaError_t wait_or_query(const char *call, cudaStream_t stream, bool query)
{
    uint32_t id;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_stream_id(stream, &id);
    if (error == cudaSuccess)
        error = rt_capture_forbids(stream, false);
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    return rt_done(rt_sync(1, id, query));
}

RT_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return wait_or_query("cudaStreamSynchronize", stream, false);
}

RT_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream)
{
    return cudaStreamSynchronize(rt_per_thread(stream));
}

RT_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return wait_or_query("cudaStreamQuery", stream, true);
}

RT_API cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream)
{
    return cudaStreamQuery(rt_per_thread(stream));
}

RT_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    uint32_t fixed[2];
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && flags > 1)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_stream_id(stream, &fixed[0]);
    if (error == cudaSuccess)
        error = rt_event_id(event, &fixed[1]);
    if (error != cudaSuccess)
        return rt_refuse("cudaStreamWaitEvent", error);
    if (rt_capture_wait(stream, event))
        return cudaSuccess;
    return rt_done(rt_ask_simple(CMPD_WIRE_WAIT_EVENT, fixed, sizeof(fixed), NULL, 0));
}

RT_API cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event,
                                            unsigned int flags)
{
    return cudaStreamWaitEvent(rt_per_thread(stream), event, flags);
}

RT_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    const struct rt_handle *h = rt_handle_find(false, stream);
    uint32_t id;

    if (!flags)
        return rt_refuse("cudaStreamGetFlags", cudaErrorInvalidValue);
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamGetFlags", cudaErrorInvalidResourceHandle);
    *flags = h ? rt_handle_flags(h) : 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned int *flags)
{
    return cudaStreamGetFlags(rt_per_thread(stream), flags);
}

RT_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    const struct rt_handle *h = rt_handle_find(false, stream);
    uint32_t id;

    if (!priority)
        return rt_refuse("cudaStreamGetPriority", cudaErrorInvalidValue);
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamGetPriority", cudaErrorInvalidResourceHandle);
    *priority = h ? rt_handle_priority(h) : 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int *priority)
{
    return cudaStreamGetPriority(rt_per_thread(stream), priority);
}

RT_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *out)
{
    uint32_t id;

    if (!out)
        return rt_refuse("cudaStreamGetId", cudaErrorInvalidValue);
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamGetId", cudaErrorInvalidResourceHandle);
    *out = id + 1ull;
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long *out)
{
    return cudaStreamGetId(rt_per_thread(stream), out);
}

RT_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    uint32_t id;

    if (!device)
        return rt_refuse("cudaStreamGetDevice", cudaErrorInvalidValue);
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamGetDevice", cudaErrorInvalidResourceHandle);
    *device = 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int *device)
{
    return cudaStreamGetDevice(rt_per_thread(stream), device);
}

/* Who may touch managed memory when. One that a correct program makes changes nothing that can be seen here. */
RT_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length,
                                            unsigned int flags)
{
    uint64_t device;
    uint32_t id;

    (void)length, (void)flags;
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamAttachMemAsync", cudaErrorInvalidResourceHandle);
    if (rt_place_of(pointer, &device) == RT_HOST)
        return rt_refuse("cudaStreamAttachMemAsync", cudaErrorInvalidValue);
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *pointer, size_t length,
                                                 unsigned int flags)
{
    return cudaStreamAttachMemAsync(rt_per_thread(stream), pointer, length, flags);
}

/* Priorities, access policies, ...: taken, and without an effect on what a correct program sees. */
RT_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                          const union cudaLaunchAttributeValue *value)
{
    uint32_t id;

    if (!value || attribute == cudaLaunchAttributeIgnore)
        return rt_refuse("cudaStreamSetAttribute", cudaErrorInvalidValue);
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamSetAttribute", cudaErrorInvalidResourceHandle);
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream,
                                               enum cudaLaunchAttributeID attribute,
                                               const union cudaLaunchAttributeValue *value)
{
    return cudaStreamSetAttribute(rt_per_thread(stream), attribute, value);
}

RT_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                          union cudaLaunchAttributeValue *value)
{
    const struct rt_handle *h = rt_handle_find(false, stream);
    uint32_t id;

    if (!value)
        return rt_refuse("cudaStreamGetAttribute", cudaErrorInvalidValue);
    if (rt_stream_id(stream, &id) != cudaSuccess)
        return rt_refuse("cudaStreamGetAttribute", cudaErrorInvalidResourceHandle);
    memset(value, 0, sizeof(*value));
    if (attribute == cudaLaunchAttributePriority && h)
        value->priority = rt_handle_priority(h);
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream,
                                               enum cudaLaunchAttributeID attribute,
                                               union cudaLaunchAttributeValue *value)
{
    return cudaStreamGetAttribute(rt_per_thread(stream), attribute, value);
}

RT_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    uint32_t id;

    if (rt_stream_id(to, &id) != cudaSuccess || rt_stream_id(from, &id) != cudaSuccess)
        return rt_refuse("cudaStreamCopyAttributes", cudaErrorInvalidResourceHandle);
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from)
{
    return cudaStreamCopyAttributes(rt_per_thread(to), rt_per_thread(from));
}

RT_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    struct rt_op op = {.kind = RT_OP_HOST, .call = "cudaLaunchHostFunc"};

    if (!fn)
        return rt_refuse(op.call, cudaErrorInvalidValue);
    op.host.fn = fn;
    op.host.data = data;
    return rt_submit(&op, stream);
}

RT_API cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    return cudaLaunchHostFunc(rt_per_thread(stream), fn, data);
}

RT_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                         void *data, unsigned int flags)
{
    struct rt_op op = {.kind = RT_OP_HOST, .call = "cudaStreamAddCallback"};

    if (!callback || flags != 0)
        return rt_refuse(op.call, cudaErrorInvalidValue);
    op.host.callback = callback;
    op.host.data = data;
    op.host.stream = stream;
    return rt_submit(&op, stream);
}

RT_API cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback,
                                              void *data, unsigned int flags)
{
    return cudaStreamAddCallback(rt_per_thread(stream), callback, data, flags);
}

RT_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LOWEST_PRIORITY;
    if (greatest)
        *greatest = HIGHEST_PRIORITY;
    return cudaSuccess;
}
