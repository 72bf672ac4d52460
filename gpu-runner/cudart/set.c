/* Fills. On memory that the host reaches too they are the device's work all the same. */
#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

static cudaError_t fill(const char *call, void *to, size_t pitch, int value, size_t width,
                        size_t height, bool async, cudaStream_t stream)
{
    uint64_t device;
    cudaError_t error = rt_begin();

    if (error != cudaSuccess)
        return rt_refuse(call, error);
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (!to || rt_place_of(to, &device) == RT_HOST)
        return rt_refuse(call, cudaErrorInvalidValue);
    if (height > 1 && pitch < width)
        return rt_refuse(call, cudaErrorInvalidValue);
    struct rt_op op = {.kind = RT_OP_SET, .call = call};
    op.set = (struct cmpd_wire_set){.to = device,
                                    .pitch = height > 1 ? pitch : width,
                                    .width = width,
                                    .height = height,
                                    .value = (unsigned char)value,
                                    .unit = 1,
                                    .async = async};
    return rt_submit(&op, stream);
}

RT_API cudaError_t cudaMemset(void *to, int value, size_t count)
{
    return fill("cudaMemset", to, count, value, count, 1, false, NULL);
}

RT_API cudaError_t cudaMemset_ptds(void *to, int value, size_t count)
{
    return fill("cudaMemset", to, count, value, count, 1, false, CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemsetAsync(void *to, int value, size_t count, cudaStream_t stream)
{
    return fill("cudaMemsetAsync", to, count, value, count, 1, true, stream);
}

RT_API cudaError_t cudaMemsetAsync_ptsz(void *to, int value, size_t count, cudaStream_t stream)
{
    return cudaMemsetAsync(to, value, count, rt_per_thread(stream));
}

RT_API cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return fill("cudaMemset2D", to, pitch, value, width, height, false, NULL);
}

RT_API cudaError_t cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return fill("cudaMemset2D", to, pitch, value, width, height, false,
                CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    return fill("cudaMemset2DAsync", to, pitch, value, width, height, true, stream);
}

RT_API cudaError_t cudaMemset2DAsync_ptsz(void *to, size_t pitch, int value, size_t width,
                                          size_t height, cudaStream_t stream)
{
    return cudaMemset2DAsync(to, pitch, value, width, height, rt_per_thread(stream));
}

/* Slices lie pitch * ysize bytes apart: one fill where they have no gap, else one a slice. */
static cudaError_t fill_3d(const char *call, struct cudaPitchedPtr p, int value,
                           struct cudaExtent extent, bool async, cudaStream_t stream)
{
    if (extent.depth > 1 && extent.height > p.ysize)
        return rt_refuse(call, cudaErrorInvalidValue);
    if (extent.depth <= 1 || extent.height == p.ysize)
        return fill(call, p.ptr, p.pitch, value, extent.width, extent.height * extent.depth, async,
                    stream);
    for (size_t z = 0; z < extent.depth; z++) {
        void *slice = (unsigned char *)p.ptr + z * p.pitch * p.ysize;
        cudaError_t error = fill(call, slice, p.pitch, value, extent.width, extent.height, async,
                                 stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

RT_API cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    return fill_3d("cudaMemset3D", p, value, extent, false, NULL);
}

RT_API cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    return fill_3d("cudaMemset3D", p, value, extent, false, CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                                     cudaStream_t stream)
{
    return fill_3d("cudaMemset3DAsync", p, value, extent, true, stream);
}

RT_API cudaError_t cudaMemset3DAsync_ptsz(struct cudaPitchedPtr p, int value,
                                          struct cudaExtent extent, cudaStream_t stream)
{
    return cudaMemset3DAsync(p, value, extent, rt_per_thread(stream));
}
