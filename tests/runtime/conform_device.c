/* The device, its attributes and limits; error names; error state. */
#include "conform.h"

static void devices(void)
{
    int n, value;
    struct cudaDeviceProp prop;
    char id[32];

    T(cudaGetDeviceCount(&n));
    SHOW("%d", n > 0);
    T(cudaGetDeviceCount(NULL));
    T(cudaSetDevice(0));
    T(cudaSetDevice(-1));
    T(cudaSetDevice(99));
    T(cudaGetDevice(&n));
    SHOW("%d", n);
    T(cudaGetDevice(NULL));
    memset(&prop, 0x55, sizeof(prop));
    T(cudaGetDeviceProperties(&prop, 0));
    SHOW("%d %d %zu %d %d", prop.warpSize, prop.maxThreadsPerBlock, prop.sharedMemPerBlock,
         prop.regsPerBlock, prop.maxThreadsDim[2]);
    SHOW("%d %d %d", prop.maxGridSize[0], prop.maxGridSize[1], prop.maxGridSize[2]);
    SHOW("%zu %d %d", prop.totalConstMem, prop.maxThreadsPerMultiProcessor,
         prop.maxBlocksPerMultiProcessor);
    SHOW("%d %d %d %d", prop.unifiedAddressing, prop.managedMemory, prop.concurrentManagedAccess,
         prop.cooperativeLaunch);
    SHOW("%zu %zu", prop.memPitch, prop.reservedSharedMemPerBlock);
    T(cudaGetDeviceProperties(&prop, 5000));
    T(cudaGetDeviceProperties(&prop, -1));
    T(cudaGetDeviceProperties(NULL, 0));
    T(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    SHOW("%d", value);
    T(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    SHOW("%d", value);
    T(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    SHOW("%d", value);
    T(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0));
    T(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)5000, 0));
    T(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5000));
    T(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    T(cudaDeviceGetPCIBusId(id, sizeof(id), 0));
    T(cudaDeviceGetByPCIBusId(&value, id));
    SHOW("%d", value);
    T(cudaDeviceGetByPCIBusId(&value, "ffff:ff:ff.7"));
    T(cudaDeviceCanAccessPeer(&value, 0, 0));
    SHOW("%d", value);
    T(cudaDeviceEnablePeerAccess(0, 0));
    T(cudaDeviceDisablePeerAccess(0));
    T(cudaRuntimeGetVersion(&value));
    SHOW("%d", value);
    T(cudaDriverGetVersion(&value));
    SHOW("%d", value >= 13000);
    T(cudaDriverGetVersion(NULL));
    T(cudaChooseDevice(&value, &prop));
    T(cudaInitDevice(0, 0, 0));
    T(cudaInitDevice(5000, 0, 0));
    T(cudaSetDeviceFlags(0));
    T(cudaSetDeviceFlags(0xffff));
}

static void limits(void)
{
    size_t value;
    enum cudaFuncCache cache;

    T(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    SHOW("%zu", value);
    T(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    SHOW("%zu", value);
    T(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
    SHOW("%d", value >= 1 << 20);
    T(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    T(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    SHOW("%zu", value);
    T(cudaDeviceGetLimit(&value, (enum cudaLimit)99));
    T(cudaDeviceSetLimit((enum cudaLimit)99, 1));
    T(cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    T(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    T(cudaDeviceGetCacheConfig(&cache));
    T(cudaDeviceSetCacheConfig((enum cudaFuncCache)9));
    T(cudaCtxResetPersistingL2Cache());
    T(cudaProfilerStart());
    T(cudaProfilerStop());
}

static void state(void)
{
    SHOW("%s", cudaGetErrorName(cudaPeekAtLastError()));
    cudaMalloc(NULL, 4);
    SHOW("%s", cudaGetErrorName(cudaPeekAtLastError()));
    SHOW("%s", cudaGetErrorName(cudaPeekAtLastError()));
    void *p;
    cudaError_t e = cudaMalloc(&p, 4); /* success leaves the error as it is */
    SHOW("%s %s", cudaGetErrorName(e), cudaGetErrorName(cudaPeekAtLastError()));
    cudaSetDevice(99);
    SHOW("%s", cudaGetErrorName(cudaGetLastError()));
    SHOW("%s", cudaGetErrorName(cudaGetLastError()));
    T(cudaFree(p));
    SHOW("%s|%s", cudaGetErrorName((cudaError_t)4242), cudaGetErrorString((cudaError_t)4242));
    SHOW("%s|%s", cudaGetErrorName((cudaError_t)-1), cudaGetErrorString((cudaError_t)700));
}

static void pools(void)
{
    cudaMemPool_t pool = NULL;
    unsigned long long threshold = 1 << 20, got = 0;
    int reuse = 5;
    void *p;

    T(cudaDeviceGetDefaultMemPool(&pool, 0));
    T(cudaDeviceGetDefaultMemPool(&pool, 5000));
    T(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    T(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    SHOW("%llu", got);
    T(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    SHOW("%d", reuse);
    T(cudaMallocFromPoolAsync(&p, 100, pool, 0));
    T(cudaFreeAsync(p, 0));
    T(cudaMemPoolTrimTo(pool, 0));
    T(cudaDeviceSetMemPool(0, pool));
    T(cudaMemPoolDestroy(pool));
}

int main(void)
{
    devices();
    limits();
    state();
    pools();
    T(cudaDeviceSynchronize());
    T(cudaDeviceReset());
    printf("end\n");
    return 0;
}
