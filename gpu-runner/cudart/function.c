/* Attributes of kernels, and how many blocks fit. */
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define WARP                     32u
#define WARPS_PER_SM             (CMPD_WIRE_MODEL_THREADS_PER_SM / WARP)
#define REGISTER_GRAIN           256u /* registers are given out to warps in this many */
#define SHARED_GRAIN             128u
#define REGISTERS_PER_THREAD     255u
#define DISABLE_CACHING_OVERRIDE 1u
#define ARCHITECTURE             80 /* major and minor, as CUDA writes it here */

static uint32_t static_shared(const struct rt_kernel *k)
{
    return (uint32_t)k->info.static_shared_bytes;
}

/* How much dynamic shared memory a launch may ask for. */
static uint32_t dynamic_most(const struct rt_kernel *k)
{
    if (k->max_dynamic >= 0)
        return (uint32_t)k->max_dynamic;
    return static_shared(k) < CMPD_WIRE_MODEL_SHARED_PER_BLOCK
               ? CMPD_WIRE_MODEL_SHARED_PER_BLOCK - static_shared(k)
               : 0;
}

static uint32_t registers_per_warp(const struct rt_kernel *k)
{
    uint32_t n = k->info.registers ? k->info.registers : 1;

    if (n > REGISTERS_PER_THREAD)
        n = REGISTERS_PER_THREAD;
    return (n * WARP + REGISTER_GRAIN - 1) / REGISTER_GRAIN * REGISTER_GRAIN;
}

static uint32_t threads_most(const struct rt_kernel *k)
{
    uint32_t by_registers = CMPD_WIRE_MODEL_REGISTERS / registers_per_warp(k) * WARP;
    uint32_t most = k->info.max_threads ? k->info.max_threads : CMPD_WIRE_MODEL_THREADS_PER_BLOCK;

    if (most > CMPD_WIRE_MODEL_THREADS_PER_BLOCK)
        most = CMPD_WIRE_MODEL_THREADS_PER_BLOCK;
    return most < by_registers ? most : by_registers;
}

RT_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *func)
{
    struct rt_kernel *k;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_kernel_get(func, &k);
    if (error != cudaSuccess)
        return rt_refuse("cudaFuncGetAttributes", error);
    memset(out, 0, sizeof(*out));
    out->sharedSizeBytes = static_shared(k);
    out->localSizeBytes = k->info.local_bytes;
    out->maxThreadsPerBlock = (int)threads_most(k);
    out->numRegs = (int)k->info.registers;
    out->ptxVersion = ARCHITECTURE;
    out->binaryVersion = ARCHITECTURE;
    out->maxDynamicSharedSizeBytes = (int)dynamic_most(k);
    out->preferredShmemCarveout = k->carveout;
    return cudaSuccess;
}

RT_API cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attribute,
                                        int value)
{
    struct rt_kernel *k;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_kernel_get(func, &k);
    if (error == cudaSuccess && (attribute < cudaFuncAttributeMaxDynamicSharedMemorySize ||
                                 attribute > cudaFuncAttributeClusterSchedulingPolicyPreference))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && attribute == cudaFuncAttributePreferredSharedMemoryCarveout &&
        (value < -1 || value > 100))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse("cudaFuncSetAttribute", error);
    struct {
        uint64_t handle;
        int32_t attribute, value;
    } fixed = {.handle = k->handle, .attribute = attribute, .value = value};
    error = rt_ask_simple(CMPD_WIRE_FUNC_SET, &fixed, sizeof(fixed), NULL, 0);
    if (error == cudaSuccess && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        k->max_dynamic = value;
    if (error == cudaSuccess && attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        k->carveout = value;
    return rt_done(error);
}

static cudaError_t check_only(const char *call, const void *func)
{
    return rt_kernel_find(func) ? cudaSuccess : rt_refuse(call, rt_no_kernel(func));
}

RT_API cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return rt_refuse("cudaFuncSetCacheConfig", cudaErrorInvalidValue);
    return check_only("cudaFuncSetCacheConfig", func);
}

RT_API cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    if ((unsigned)config > cudaSharedMemBankSizeEightByte)
        return rt_refuse("cudaFuncSetSharedMemConfig", cudaErrorInvalidValue);
    return check_only("cudaFuncSetSharedMemConfig", func);
}

RT_API cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    const struct rt_kernel *k = rt_kernel_find(func);

    if (!name)
        return rt_refuse("cudaFuncGetName", cudaErrorInvalidValue);
    if (!k)
        return rt_refuse("cudaFuncGetName", rt_no_kernel(func));
    *name = k->name;
    return cudaSuccess;
}

RT_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset,
                                        size_t *size)
{
    struct rt_kernel *k;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !offset)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_kernel_get(func, &k);
    if (error == cudaSuccess && index >= k->info.param_count)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse("cudaFuncGetParamInfo", error);
    *offset = k->params[2 * index];
    if (size)
        *size = k->params[2 * index + 1];
    return cudaSuccess;
}

/* ---- occupancy, as the CUDA C++ Programming Guide has it ("Multiprocessor Level") ---- */

static uint32_t blocks_per_sm(const struct rt_kernel *k, uint32_t threads, size_t dynamic)
{
    uint32_t warps = (threads + WARP - 1) / WARP;
    size_t shared = static_shared(k) + dynamic + CMPD_WIRE_MODEL_SHARED_RESERVED;

    /* __launch_bounds__ are not looked at, nor by CUDA. */
    if (threads > CMPD_WIRE_MODEL_THREADS_PER_BLOCK || dynamic > dynamic_most(k))
        return 0;
    shared = (shared + SHARED_GRAIN - 1) / SHARED_GRAIN * SHARED_GRAIN;
    uint32_t most = WARPS_PER_SM / warps;
    uint32_t by_registers = CMPD_WIRE_MODEL_REGISTERS / registers_per_warp(k) / warps;
    uint32_t by_shared = (uint32_t)(CMPD_WIRE_MODEL_SHARED_PER_SM / shared);
    if (most > CMPD_WIRE_MODEL_BLOCKS_PER_SM)
        most = CMPD_WIRE_MODEL_BLOCKS_PER_SM;
    if (most > by_registers)
        most = by_registers;
    return most < by_shared ? most : by_shared;
}

static cudaError_t occupancy(const char *call, int *blocks, const void *func, int threads,
                             size_t dynamic)
{
    struct rt_kernel *k;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (!blocks || threads <= 0))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_kernel_get(func, &k);
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    *blocks = (int)blocks_per_sm(k, (uint32_t)threads, dynamic);
    return cudaSuccess;
}

RT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                                 int threads, size_t dynamic)
{
    return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, func, threads,
                     dynamic);
}

RT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *func, int threads, size_t dynamic, unsigned int flags)
{
    const char *call = "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags";

    if (flags & ~DISABLE_CACHING_OVERRIDE)
        return rt_refuse(call, cudaErrorInvalidValue);
    return occupancy(call, blocks, func, threads, dynamic);
}

RT_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, const void *func,
                                                             int blocks, int threads)
{
    struct rt_kernel *k;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (!dynamic || blocks <= 0 || threads <= 0))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_kernel_get(func, &k);
    if (error == cudaSuccess && blocks_per_sm(k, (uint32_t)threads, 0) < (uint32_t)blocks)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse("cudaOccupancyAvailableDynamicSMemPerBlock", error);
    size_t each = CMPD_WIRE_MODEL_SHARED_PER_SM / (uint32_t)blocks;
    size_t taken = static_shared(k) + CMPD_WIRE_MODEL_SHARED_RESERVED;
    each = each > taken ? (each - taken) / SHARED_GRAIN * SHARED_GRAIN : 0;
    *dynamic = each < dynamic_most(k) ? each : dynamic_most(k);
    return cudaSuccess;
}
