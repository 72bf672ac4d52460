/* Launches in all the forms that nvcc's host code and callers use. Limits are the server's to check. */
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define FLAG_COOPERATIVE  1u
#define FLAG_EX           2u
#define FLAG_PROGRAMMATIC 4u

RT_API unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                struct CUstream_st *stream)
{
    struct rt_thread *t = &rt_thread;

    if (t->configs == RT_CONFIGS)
        return 1;
    t->config[t->configs++] = (struct rt_config){
        grid, block, shared, stream, rt_fault_place_of_call(__builtin_return_address(0))};
    return 0;
}

RT_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    struct rt_thread *t = &rt_thread;

    if (t->configs == 0)
        return rt_refuse("__cudaPopCallConfiguration", cudaErrorMissingConfiguration);
    const struct rt_config *c = &t->config[--t->configs];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    memcpy(stream, &c->stream, sizeof(c->stream));
    t->launch_from = c->from;
    return cudaSuccess;
}

/* The parameter block: each argument at the offset that the kernel has it. */
static cudaError_t gather(const struct rt_kernel *k, void **args, uint8_t **out)
{
    if (k->info.param_count > 0 && !args)
        return cudaErrorInvalidValue;
    uint8_t *block = calloc(1, k->info.param_bytes ? k->info.param_bytes : 1);
    if (!block)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < k->info.param_count; i++) {
        uint32_t offset = k->params[2 * i], size = k->params[2 * i + 1];
        if (offset > k->info.param_bytes || size > k->info.param_bytes - offset) {
            free(block);
            return cudaErrorInvalidDeviceFunction;
        }
        memcpy(block + offset, args[i], size);
    }
    rt_translate_registered(block, k->info.param_bytes);
    *out = block;
    return cudaSuccess;
}

cudaError_t rt_launch_op(struct rt_op *op, const void *func, dim3 grid, dim3 block, void **args,
                         size_t shared, uint8_t **params)
{
    struct rt_kernel *k;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_kernel_get(func, &k);
    if (error == cudaSuccess && shared > UINT32_MAX)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = gather(k, args, params);
    if (error != cudaSuccess)
        return error;
    op->launch.head = (struct cmpd_wire_launch){
        .handle = k->handle,
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .shared_bytes = (uint32_t)shared,
    };
    op->launch.params = *params;
    op->launch.param_bytes = k->info.param_bytes;
    return cudaSuccess;
}

static cudaError_t launch(const char *call, const void *func, const cudaLaunchConfig_t *config,
                          void **args, uint32_t flags, const uint32_t cluster[3])
{
    struct rt_op op = {.kind = RT_OP_LAUNCH, .call = call};
    uint8_t *params;
    cudaError_t error = rt_launch_op(&op, func, config->gridDim, config->blockDim, args,
                                     config->dynamicSmemBytes, &params);

    if (error != cudaSuccess)
        return rt_refuse(call, error);
    op.launch.head.flags = flags;
    memcpy(op.launch.head.cluster, cluster, sizeof(op.launch.head.cluster));
    error = rt_submit(&op, config->stream);
    free(params);
    return error;
}

static cudaError_t launch_plain(const char *call, const void *func, dim3 grid, dim3 block,
                                void **args, size_t shared, cudaStream_t stream, uint32_t flags)
{
    static const uint32_t no_cluster[3];
    cudaLaunchConfig_t config = {
        .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared, .stream = stream};
    cudaError_t error = launch(call, func, &config, args, flags, no_cluster);

    rt_thread.launch_from = 0;
    return error;
}

/* nvcc's host code of CUDA 13 asks for a handle first: the stub's address serves as one. */
RT_API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
    if (!rt_kernel_find(func))
        return rt_refuse("__cudaGetKernel", cudaErrorInvalidDeviceFunction);
    *kernel = (cudaKernel_t)(uintptr_t)func;
    return cudaSuccess;
}

RT_API cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
    if (!kernel)
        return rt_refuse("cudaGetKernel", cudaErrorInvalidValue);
    return __cudaGetKernel(kernel, func);
}

RT_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    if (!function)
        return rt_refuse("cudaGetFuncBySymbol", cudaErrorInvalidValue);
    if (!rt_kernel_find(symbol))
        return rt_refuse("cudaGetFuncBySymbol", cudaErrorInvalidDeviceFunction);
    *function = (cudaFunction_t)(uintptr_t)symbol;
    return cudaSuccess;
}

RT_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                      size_t shared, cudaStream_t stream)
{
    return launch_plain("cudaLaunchKernel", kernel, grid, block, args, shared, stream, 0);
}

RT_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                           size_t shared, cudaStream_t stream)
{
    return __cudaLaunchKernel(kernel, grid, block, args, shared, rt_per_thread(stream));
}

RT_API cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args,
                                    size_t shared, cudaStream_t stream)
{
    return launch_plain("cudaLaunchKernel", func, grid, block, args, shared, stream, 0);
}

RT_API cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 grid, dim3 block, void **args,
                                         size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(func, grid, block, args, shared, rt_per_thread(stream));
}

RT_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                               size_t shared, cudaStream_t stream)
{
    return launch_plain("cudaLaunchCooperativeKernel", func, grid, block, args, shared, stream,
                        FLAG_COOPERATIVE);
}

RT_API cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *func, dim3 grid, dim3 block,
                                                    void **args, size_t shared, cudaStream_t stream)
{
    return cudaLaunchCooperativeKernel(func, grid, block, args, shared, rt_per_thread(stream));
}

RT_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                       void **args)
{
    uint32_t flags = FLAG_EX, cluster[3] = {0};

    if (!config)
        return rt_refuse("cudaLaunchKernelExC", cudaErrorInvalidValue);
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative && a->val.cooperative)
            flags |= FLAG_COOPERATIVE;
        if (a->id == cudaLaunchAttributeProgrammaticStreamSerialization &&
            a->val.programmaticStreamSerializationAllowed)
            flags |= FLAG_PROGRAMMATIC;
        if (a->id == cudaLaunchAttributeClusterDimension) {
            cluster[0] = a->val.clusterDim.x;
            cluster[1] = a->val.clusterDim.y;
            cluster[2] = a->val.clusterDim.z;
        }
    }
    return launch("cudaLaunchKernelExC", func, config, args, flags, cluster);
}

RT_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                                            void **args)
{
    if (!config)
        return rt_refuse("cudaLaunchKernelExC", cudaErrorInvalidValue);
    cudaLaunchConfig_t per_thread = *config;
    per_thread.stream = rt_per_thread(config->stream);
    return cudaLaunchKernelExC(&per_thread, func, args);
}
