/* cudaMemcpy3D between pitched memory. Arrays (for textures) are not built. */
#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

static size_t start_of(struct cudaPos pos, struct cudaPitchedPtr p)
{
    return pos.x + (pos.y + pos.z * p.ysize) * p.pitch;
}

static cudaError_t copy_3d(const char *call, const struct cudaMemcpy3DParms *p, bool async,
                           cudaStream_t stream)
{
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !p)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    if (p->srcArray || p->dstArray)
        return rt_unbuilt("cudaMemcpy3D with a cudaArray");
    if (!p->srcPtr.ptr || !p->dstPtr.ptr)
        return rt_refuse(call, cudaErrorInvalidValue);
    for (size_t z = 0; z < p->extent.depth; z++) {
        struct rt_op op = {.kind = RT_OP_COPY, .call = call};
        op.copy = (struct rt_copy){
            .call = call,
            .to = (unsigned char *)p->dstPtr.ptr + start_of(p->dstPos, p->dstPtr) +
                  z * p->dstPtr.pitch * p->dstPtr.ysize,
            .from = (unsigned char *)p->srcPtr.ptr + start_of(p->srcPos, p->srcPtr) +
                    z * p->srcPtr.pitch * p->srcPtr.ysize,
            .to_pitch = p->dstPtr.pitch,
            .from_pitch = p->srcPtr.pitch,
            .width = p->extent.width,
            .height = p->extent.height,
            .kind = p->kind,
            .async = async,
        };
        error = rt_submit(&op, stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

RT_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return copy_3d("cudaMemcpy3D", p, false, NULL);
}

RT_API cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p)
{
    return copy_3d("cudaMemcpy3D", p, false, CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_3d("cudaMemcpy3DAsync", p, true, stream);
}

RT_API cudaError_t cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return cudaMemcpy3DAsync(p, rt_per_thread(stream));
}
