/* Advice about managed memory: it changes where pages lie, never what they hold. */
#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

static cudaError_t advise(const char *call, const void *pointer, size_t count)
{
    uint64_t device;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (count == 0 || rt_place_of(pointer, &device) != RT_SHARED))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? error : rt_refuse(call, error);
}

/* CUDA 12 gives a device's number where 13 gives a location; neither is looked at. */
RT_API cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation location)
{
    (void)advice, (void)location;
    return advise("cudaMemAdvise", pointer, count);
}

RT_API cudaError_t cudaMemAdvise_v2(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation location)
{
    return cudaMemAdvise(pointer, count, advice, location);
}

RT_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count,
                                        struct cudaMemLocation location, unsigned int flags,
                                        cudaStream_t stream)
{
    (void)location, (void)flags, (void)stream;
    return advise("cudaMemPrefetchAsync", pointer, count);
}

RT_API cudaError_t cudaMemPrefetchAsync_ptsz(const void *pointer, size_t count,
                                             struct cudaMemLocation location, unsigned int flags,
                                             cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer, count, location, flags, stream);
}

RT_API cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t count,
                                           struct cudaMemLocation location, unsigned int flags,
                                           cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer, count, location, flags, stream);
}

RT_API cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *pointer, size_t count,
                                                struct cudaMemLocation location, unsigned int flags,
                                                cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer, count, location, flags, stream);
}
