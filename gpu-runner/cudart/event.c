/* Events; their times come from the server's clock. */
#include <stddef.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define EVENT_FLAGS          7u /* cudaEventBlockingSync, DisableTiming, Interprocess */
#define EVENT_DISABLE_TIMING 2u
#define EVENT_INTERPROCESS   4u

static cudaError_t create(const char *call, cudaEvent_t *out, unsigned flags)
{
    uint32_t fixed[2] = {flags, 0}, answer[2];
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (!out || (flags & ~EVENT_FLAGS) ||
                                 ((flags & EVENT_INTERPROCESS) && !(flags & EVENT_DISABLE_TIMING))))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    error = rt_ask_simple(CMPD_WIRE_EVENT_NEW, fixed, sizeof(fixed), answer, sizeof(answer));
    if (error != cudaSuccess)
        return rt_done(error);
    struct rt_handle *h = rt_handle_new(true, answer[0], flags, 0);
    if (!h)
        return rt_refuse(call, cudaErrorMemoryAllocation);
    *out = (cudaEvent_t)h;
    return cudaSuccess;
}

RT_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return create("cudaEventCreate", event, 0);
}

RT_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return create("cudaEventCreateWithFlags", event, flags);
}

RT_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    struct rt_handle *h = rt_handle_find(true, event);
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !h)
        error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess)
        return rt_refuse("cudaEventDestroy", error);
    uint32_t fixed[2] = {rt_handle_id(h), 0};
    error = rt_ask_simple(CMPD_WIRE_EVENT_FREE, fixed, sizeof(fixed), NULL, 0);
    rt_handle_free(h);
    return rt_done(error);
}

static cudaError_t record(const char *call, cudaEvent_t event, cudaStream_t stream)
{
    uint32_t fixed[2];
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_event_id(event, &fixed[0]);
    if (error == cudaSuccess)
        error = rt_stream_id(stream, &fixed[1]);
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    if (rt_capture_record(event, stream))
        return cudaSuccess;
    return rt_done(rt_ask_simple(CMPD_WIRE_EVENT_RECORD, fixed, sizeof(fixed), NULL, 0));
}

RT_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return record("cudaEventRecord", event, stream);
}

RT_API cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecord(event, rt_per_thread(stream));
}

RT_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                            unsigned int flags)
{
    if (flags > 1)
        return rt_refuse("cudaEventRecordWithFlags", cudaErrorInvalidValue);
    return record("cudaEventRecordWithFlags", event, stream);
}

RT_API cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream,
                                                 unsigned int flags)
{
    return cudaEventRecordWithFlags(event, rt_per_thread(stream), flags);
}

static cudaError_t wait_or_query(const char *call, cudaEvent_t event, bool query)
{
    uint32_t id;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_event_id(event, &id);
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    return rt_done(rt_sync(2, id, query));
}

RT_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return wait_or_query("cudaEventSynchronize", event, false);
}

RT_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return wait_or_query("cudaEventQuery", event, true);
}

RT_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    struct {
        float ms;
        uint32_t zero;
    } answer;
    uint32_t fixed[2];
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !ms)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_event_id(start, &fixed[0]);
    if (error == cudaSuccess)
        error = rt_event_id(end, &fixed[1]);
    if (error == cudaSuccess && ((rt_handle_flags(rt_handle_find(true, start)) |
                                  rt_handle_flags(rt_handle_find(true, end))) &
                                 EVENT_DISABLE_TIMING))
        error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess)
        return rt_refuse("cudaEventElapsedTime", error);
    error = rt_ask_simple(CMPD_WIRE_EVENT_TIME, fixed, sizeof(fixed), &answer, sizeof(answer));
    if (error == cudaSuccess)
        *ms = answer.ms;
    return rt_done(error);
}

RT_API cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(ms, start, end);
}
