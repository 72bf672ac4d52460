/* Devices: there is one, number 0. */
#include <stdio.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define VERSION                 13000 /* what our runtime and its driver say they are */
#define DEVICE_FLAGS            0xffu
#define DEVICE_MAP_HOST         8u
#define PCI_BUS_ID              "0000:01:00.0"
#define PEER_ACCESS_UNSUPPORTED 217 /* cudaErrorPeerAccessUnsupported */

RT_API cudaError_t cudaGetDeviceCount(int *count)
{
    uint64_t memory[2];

    if (!count)
        return rt_refuse("cudaGetDeviceCount", cudaErrorInvalidValue);
    *count = 0;
    /* With no server there is no device, as with no driver. */
    cudaError_t error = rt_ask_simple(CMPD_WIRE_MEM_INFO, NULL, 0, memory, sizeof(memory));
    if (error == cudaErrorInsufficientDriver)
        return rt_done(error);
    *count = 1;
    return cudaSuccess;
}

RT_API cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return rt_refuse("cudaGetDevice", cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : rt_refuse("cudaSetDevice", cudaErrorInvalidDevice);
}

RT_API cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags;
    if (flags > 1)
        return rt_refuse("cudaInitDevice", cudaErrorInvalidValue);
    return device == 0 ? cudaSuccess : rt_refuse("cudaInitDevice", cudaErrorInvalidDevice);
}

RT_API cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    if (!device || !prop)
        return rt_refuse("cudaChooseDevice", cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaSetValidDevices(int *devices, int count)
{
    for (int i = 0; i < count; i++)
        if (!devices || devices[i] != 0)
            return rt_refuse("cudaSetValidDevices", cudaErrorInvalidDevice);
    return cudaSuccess;
}

static unsigned device_flags;

RT_API cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    if (flags & ~DEVICE_FLAGS)
        return rt_refuse("cudaSetDeviceFlags", cudaErrorInvalidValue);
    device_flags = flags;
    return cudaSuccess;
}

RT_API cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    if (!flags)
        return rt_refuse("cudaGetDeviceFlags", cudaErrorInvalidValue);
    *flags = device_flags | DEVICE_MAP_HOST;
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_capture_forbids(NULL, false);
    if (error != cudaSuccess)
        return rt_refuse("cudaDeviceSynchronize", error);
    return rt_done(rt_sync(0, 0, false));
}

RT_API cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

RT_API cudaError_t cudaDeviceReset(void)
{
    cudaError_t error = rt_ask_simple(CMPD_WIRE_RESET, NULL, 0, NULL, 0);

    rt_handles_clear();
    rt_unmap_all();
    rt_sticky_reset();
    return rt_done(error);
}

RT_API cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

RT_API cudaError_t cudaDriverGetVersion(int *version)
{
    if (!version)
        return rt_refuse("cudaDriverGetVersion", cudaErrorInvalidValue);
    *version = VERSION;
    return cudaSuccess;
}

RT_API cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return rt_refuse("cudaRuntimeGetVersion", cudaErrorInvalidValue);
    *version = VERSION;
    return cudaSuccess;
}

/* ---- limits and preferences: kept, and without an effect on what a correct program sees ---- */

static size_t limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 7340032,
    [cudaLimitMallocHeapSize] = 8388608,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};
#define LIMIT_COUNT (sizeof(limits) / sizeof(limits[0]))

RT_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value)
        return rt_refuse("cudaDeviceGetLimit", cudaErrorInvalidValue);
    if ((unsigned)limit >= LIMIT_COUNT)
        return rt_refuse("cudaDeviceGetLimit", cudaErrorInvalidValue);
    *value = limits[limit];
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= LIMIT_COUNT)
        return rt_refuse("cudaDeviceSetLimit", cudaErrorInvalidValue);
    limits[limit] = value;
    return cudaSuccess;
}

static enum cudaFuncCache cache_config;
static enum cudaSharedMemConfig shared_config = cudaSharedMemBankSizeFourByte;

RT_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    if (!config)
        return rt_refuse("cudaDeviceGetCacheConfig", cudaErrorInvalidValue);
    *config = cache_config;
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return rt_refuse("cudaDeviceSetCacheConfig", cudaErrorInvalidValue);
    cache_config = config;
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (!config)
        return rt_refuse("cudaDeviceGetSharedMemConfig", cudaErrorInvalidValue);
    *config = shared_config;
    return cudaSuccess;
}

/* Compute capability 8.0 has banks of four bytes whatever one asks for. */
RT_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    if ((unsigned)config > cudaSharedMemBankSizeEightByte)
        return rt_refuse("cudaDeviceSetSharedMemConfig", cudaErrorInvalidValue);
    return cudaSuccess;
}

RT_API cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return cudaSuccess;
}

RT_API cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

RT_API cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}

/* ---- other devices: there are none ---- */

RT_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return rt_refuse("cudaDeviceCanAccessPeer", cudaErrorInvalidValue);
    if (device != 0 || peer != 0)
        return rt_refuse("cudaDeviceCanAccessPeer", cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)flags;
    return rt_refuse("cudaDeviceEnablePeerAccess",
                     peer == 0 ? PEER_ACCESS_UNSUPPORTED : cudaErrorInvalidDevice);
}

RT_API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return rt_refuse("cudaDeviceDisablePeerAccess",
                     peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

RT_API cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    if (!id || size < (int)sizeof(PCI_BUS_ID))
        return rt_refuse("cudaDeviceGetPCIBusId", cudaErrorInvalidValue);
    if (device != 0)
        return rt_refuse("cudaDeviceGetPCIBusId", cudaErrorInvalidDevice);
    snprintf(id, (size_t)size, "%s", PCI_BUS_ID);
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    if (!device || !id)
        return rt_refuse("cudaDeviceGetByPCIBusId", cudaErrorInvalidValue);
    if (strcmp(id, PCI_BUS_ID) != 0)
        return rt_refuse("cudaDeviceGetByPCIBusId", cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from,
                                             int to)
{
    (void)attribute, (void)from, (void)to;
    if (!value)
        return rt_refuse("cudaDeviceGetP2PAttribute", cudaErrorInvalidValue);
    return rt_refuse("cudaDeviceGetP2PAttribute", cudaErrorInvalidDevice);
}

/* What a texture's elements are made of; textures themselves are not built. */
RT_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
