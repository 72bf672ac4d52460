/* Memory pools: all of them give out memory like cudaMallocAsync; what is set on them is kept and told back. */
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

struct pool {
    struct pool *next;
    int reuse[4];                /* by enum cudaMemPoolAttr, 1..3 */
    unsigned long long bytes[9]; /* 4..8 */
};

static struct pool default_pool = {.reuse = {0, 1, 1, 1}};
static struct pool *pools = &default_pool;

static struct pool *find(cudaMemPool_t handle)
{
    struct pool *p = pools;

    while (p && p != (struct pool *)handle)
        p = p->next;
    return p;
}

static cudaError_t the_default(const char *call, cudaMemPool_t *out, int device)
{
    if (!out)
        return rt_refuse(call, cudaErrorInvalidValue);
    if (device != 0)
        return rt_refuse(call, cudaErrorInvalidDevice);
    *out = (cudaMemPool_t)&default_pool;
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    return the_default("cudaDeviceGetDefaultMemPool", out, device);
}

RT_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    return the_default("cudaDeviceGetMemPool", out, device);
}

RT_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    if (device != 0)
        return rt_refuse("cudaDeviceSetMemPool", cudaErrorInvalidDevice);
    return find(pool) ? cudaSuccess : rt_refuse("cudaDeviceSetMemPool", cudaErrorInvalidValue);
}

RT_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    struct pool *p = out && props ? calloc(1, sizeof(*p)) : NULL;

    if (!p)
        return rt_refuse("cudaMemPoolCreate", cudaErrorInvalidValue);
    memcpy(p->reuse, default_pool.reuse, sizeof(p->reuse));
    p->next = pools;
    pools = p;
    *out = (cudaMemPool_t)p;
    return cudaSuccess;
}

RT_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    for (struct pool **at = &pools; *at; at = &(*at)->next) {
        struct pool *p = *at;
        if (p == (struct pool *)pool && p != &default_pool) {
            *at = p->next;
            free(p);
            return cudaSuccess;
        }
    }
    return rt_refuse("cudaMemPoolDestroy", cudaErrorInvalidValue);
}

RT_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep;
    return find(pool) ? cudaSuccess : rt_refuse("cudaMemPoolTrimTo", cudaErrorInvalidValue);
}

RT_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                           void *value)
{
    struct pool *p = find(pool);

    if (!p || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
        attribute > cudaMemPoolAttrUsedMemHigh)
        return rt_refuse("cudaMemPoolSetAttribute", cudaErrorInvalidValue);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
        memcpy(&p->reuse[attribute], value, sizeof(p->reuse[0]));
    else
        memcpy(&p->bytes[attribute], value, sizeof(p->bytes[0]));
    return cudaSuccess;
}

RT_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                           void *value)
{
    const struct pool *p = find(pool);

    if (!p || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
        attribute > cudaMemPoolAttrUsedMemHigh)
        return rt_refuse("cudaMemPoolGetAttribute", cudaErrorInvalidValue);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
        memcpy(value, &p->reuse[attribute], sizeof(p->reuse[0]));
    else
        memcpy(value, &p->bytes[attribute], sizeof(p->bytes[0]));
    return cudaSuccess;
}

RT_API cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                           cudaStream_t stream)
{
    if (!find(pool))
        return rt_refuse("cudaMallocFromPoolAsync", cudaErrorInvalidValue);
    return cudaMallocAsync(pointer, size, stream);
}

RT_API cudaError_t cudaMallocFromPoolAsync_ptsz(void **pointer, size_t size, cudaMemPool_t pool,
                                                cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, size, pool, rt_per_thread(stream));
}

/* One device, which may use all of them. */
RT_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                        size_t count)
{
    if (!find(pool) || (count > 0 && !list))
        return rt_refuse("cudaMemPoolSetAccess", cudaErrorInvalidValue);
    return cudaSuccess;
}
