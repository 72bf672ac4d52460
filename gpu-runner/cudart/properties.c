/* What the device says of itself: one table (attributes.def) for attributes and both forms of the properties. */
#include <stdio.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define DEVICE_NAME "CMP-D emulated device (sm_80)"

struct attribute {
    int number, value;
};

static const struct attribute attributes[] = {
#define ATTRIBUTE(name, number, value) {number, value},
#include "gpu-runner/cudart/attributes.def"
#undef ATTRIBUTE
};
#define ATTRIBUTE_COUNT (sizeof(attributes) / sizeof(attributes[0]))
#define HIGHEST_ATTRIBUTE \
    147 /* numbers up to it that the table lacks are reserved or not supported: 0 */

static int value_of(int number)
{
    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++)
        if (attributes[i].number == number)
            return attributes[i].value;
    return 0;
}

RT_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    int number = (int)attribute;

    if (!value || number < 1 || number > HIGHEST_ATTRIBUTE)
        return rt_refuse("cudaDeviceGetAttribute", cudaErrorInvalidValue);
    if (device != 0)
        return rt_refuse("cudaDeviceGetAttribute", cudaErrorInvalidDevice);
    *value = value_of(number);
    return cudaSuccess;
}

static size_t memory_bytes(void)
{
    uint64_t answer[2] = {0, 0};

    rt_ask_simple(CMPD_WIRE_MEM_INFO, NULL, 0, answer, sizeof(answer));
    return answer[1];
}

/* The members that CUDA 12's structure and 13's both have. */
#define FILL_COMMON(p)                                                                           \
    do {                                                                                         \
        snprintf((p)->name, sizeof((p)->name), "%s", DEVICE_NAME);                               \
        memcpy((p)->uuid.bytes, "CMP-D emulation", sizeof((p)->uuid.bytes));                     \
        (p)->totalGlobalMem = memory_bytes();                                                    \
        (p)->sharedMemPerBlock = (size_t)value_of(cudaDevAttrMaxSharedMemoryPerBlock);           \
        (p)->regsPerBlock = value_of(cudaDevAttrMaxRegistersPerBlock);                           \
        (p)->warpSize = value_of(cudaDevAttrWarpSize);                                           \
        (p)->memPitch = (size_t)value_of(cudaDevAttrMaxPitch);                                   \
        (p)->maxThreadsPerBlock = value_of(cudaDevAttrMaxThreadsPerBlock);                       \
        (p)->maxThreadsDim[0] = value_of(cudaDevAttrMaxBlockDimX);                               \
        (p)->maxThreadsDim[1] = value_of(cudaDevAttrMaxBlockDimY);                               \
        (p)->maxThreadsDim[2] = value_of(cudaDevAttrMaxBlockDimZ);                               \
        (p)->maxGridSize[0] = value_of(cudaDevAttrMaxGridDimX);                                  \
        (p)->maxGridSize[1] = value_of(cudaDevAttrMaxGridDimY);                                  \
        (p)->maxGridSize[2] = value_of(cudaDevAttrMaxGridDimZ);                                  \
        (p)->totalConstMem = (size_t)value_of(cudaDevAttrTotalConstantMemory);                   \
        (p)->major = value_of(cudaDevAttrComputeCapabilityMajor);                                \
        (p)->minor = value_of(cudaDevAttrComputeCapabilityMinor);                                \
        (p)->textureAlignment = (size_t)value_of(cudaDevAttrTextureAlignment);                   \
        (p)->texturePitchAlignment = (size_t)value_of(cudaDevAttrTexturePitchAlignment);         \
        (p)->multiProcessorCount = value_of(cudaDevAttrMultiProcessorCount);                     \
        (p)->canMapHostMemory = value_of(cudaDevAttrCanMapHostMemory);                           \
        (p)->maxTexture1D = value_of(cudaDevAttrMaxTexture1DWidth);                              \
        (p)->maxTexture1DMipmap = value_of(cudaDevAttrMaxTexture1DMipmappedWidth);               \
        (p)->maxTexture2D[0] = value_of(cudaDevAttrMaxTexture2DWidth);                           \
        (p)->maxTexture2D[1] = value_of(cudaDevAttrMaxTexture2DHeight);                          \
        (p)->maxTexture2DMipmap[0] = value_of(cudaDevAttrMaxTexture2DMipmappedWidth);            \
        (p)->maxTexture2DMipmap[1] = value_of(cudaDevAttrMaxTexture2DMipmappedHeight);           \
        (p)->maxTexture2DLinear[0] = value_of(cudaDevAttrMaxTexture2DLinearWidth);               \
        (p)->maxTexture2DLinear[1] = value_of(cudaDevAttrMaxTexture2DLinearHeight);              \
        (p)->maxTexture2DLinear[2] = value_of(cudaDevAttrMaxTexture2DLinearPitch);               \
        (p)->maxTexture2DGather[0] = value_of(cudaDevAttrMaxTexture2DGatherWidth);               \
        (p)->maxTexture2DGather[1] = value_of(cudaDevAttrMaxTexture2DGatherHeight);              \
        (p)->maxTexture3D[0] = value_of(cudaDevAttrMaxTexture3DWidth);                           \
        (p)->maxTexture3D[1] = value_of(cudaDevAttrMaxTexture3DHeight);                          \
        (p)->maxTexture3D[2] = value_of(cudaDevAttrMaxTexture3DDepth);                           \
        (p)->maxTexture3DAlt[0] = value_of(cudaDevAttrMaxTexture3DWidthAlt);                     \
        (p)->maxTexture3DAlt[1] = value_of(cudaDevAttrMaxTexture3DHeightAlt);                    \
        (p)->maxTexture3DAlt[2] = value_of(cudaDevAttrMaxTexture3DDepthAlt);                     \
        (p)->maxTextureCubemap = value_of(cudaDevAttrMaxTextureCubemapWidth);                    \
        (p)->maxTexture1DLayered[0] = value_of(cudaDevAttrMaxTexture1DLayeredWidth);             \
        (p)->maxTexture1DLayered[1] = value_of(cudaDevAttrMaxTexture1DLayeredLayers);            \
        (p)->maxTexture2DLayered[0] = value_of(cudaDevAttrMaxTexture2DLayeredWidth);             \
        (p)->maxTexture2DLayered[1] = value_of(cudaDevAttrMaxTexture2DLayeredHeight);            \
        (p)->maxTexture2DLayered[2] = value_of(cudaDevAttrMaxTexture2DLayeredLayers);            \
        (p)->maxTextureCubemapLayered[0] = value_of(cudaDevAttrMaxTextureCubemapLayeredWidth);   \
        (p)->maxTextureCubemapLayered[1] = value_of(cudaDevAttrMaxTextureCubemapLayeredLayers);  \
        (p)->maxSurface1D = value_of(cudaDevAttrMaxSurface1DWidth);                              \
        (p)->maxSurface2D[0] = value_of(cudaDevAttrMaxSurface2DWidth);                           \
        (p)->maxSurface2D[1] = value_of(cudaDevAttrMaxSurface2DHeight);                          \
        (p)->maxSurface3D[0] = value_of(cudaDevAttrMaxSurface3DWidth);                           \
        (p)->maxSurface3D[1] = value_of(cudaDevAttrMaxSurface3DHeight);                          \
        (p)->maxSurface3D[2] = value_of(cudaDevAttrMaxSurface3DDepth);                           \
        (p)->maxSurface1DLayered[0] = value_of(cudaDevAttrMaxSurface1DLayeredWidth);             \
        (p)->maxSurface1DLayered[1] = value_of(cudaDevAttrMaxSurface1DLayeredLayers);            \
        (p)->maxSurface2DLayered[0] = value_of(cudaDevAttrMaxSurface2DLayeredWidth);             \
        (p)->maxSurface2DLayered[1] = value_of(cudaDevAttrMaxSurface2DLayeredHeight);            \
        (p)->maxSurface2DLayered[2] = value_of(cudaDevAttrMaxSurface2DLayeredLayers);            \
        (p)->maxSurfaceCubemap = value_of(cudaDevAttrMaxSurfaceCubemapWidth);                    \
        (p)->maxSurfaceCubemapLayered[0] = value_of(cudaDevAttrMaxSurfaceCubemapLayeredWidth);   \
        (p)->maxSurfaceCubemapLayered[1] = value_of(cudaDevAttrMaxSurfaceCubemapLayeredLayers);  \
        (p)->surfaceAlignment = (size_t)value_of(cudaDevAttrSurfaceAlignment);                   \
        (p)->concurrentKernels = value_of(cudaDevAttrConcurrentKernels);                         \
        (p)->ECCEnabled = value_of(cudaDevAttrEccEnabled);                                       \
        (p)->pciBusID = value_of(cudaDevAttrPciBusId);                                           \
        (p)->asyncEngineCount = value_of(cudaDevAttrAsyncEngineCount);                           \
        (p)->unifiedAddressing = value_of(cudaDevAttrUnifiedAddressing);                         \
        (p)->memoryBusWidth = value_of(cudaDevAttrGlobalMemoryBusWidth);                         \
        (p)->l2CacheSize = value_of(cudaDevAttrL2CacheSize);                                     \
        (p)->persistingL2CacheMaxSize = value_of(cudaDevAttrMaxPersistingL2CacheSize);           \
        (p)->maxThreadsPerMultiProcessor = value_of(cudaDevAttrMaxThreadsPerMultiProcessor);     \
        (p)->streamPrioritiesSupported = value_of(cudaDevAttrStreamPrioritiesSupported);         \
        (p)->globalL1CacheSupported = value_of(cudaDevAttrGlobalL1CacheSupported);               \
        (p)->localL1CacheSupported = value_of(cudaDevAttrLocalL1CacheSupported);                 \
        (p)->sharedMemPerMultiprocessor =                                                        \
            (size_t)value_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor);                       \
        (p)->regsPerMultiprocessor = value_of(cudaDevAttrMaxRegistersPerMultiprocessor);         \
        (p)->managedMemory = value_of(cudaDevAttrManagedMemory);                                 \
        (p)->concurrentManagedAccess = value_of(cudaDevAttrConcurrentManagedAccess);             \
        (p)->computePreemptionSupported = value_of(cudaDevAttrComputePreemptionSupported);       \
        (p)->cooperativeLaunch = value_of(cudaDevAttrCooperativeLaunch);                         \
        (p)->sharedMemPerBlockOptin = (size_t)value_of(cudaDevAttrMaxSharedMemoryPerBlockOptin); \
        (p)->maxBlocksPerMultiProcessor = value_of(cudaDevAttrMaxBlocksPerMultiprocessor);       \
        (p)->accessPolicyMaxWindowSize = value_of(cudaDevAttrMaxAccessPolicyWindowSize);         \
        (p)->reservedSharedMemPerBlock =                                                         \
            (size_t)value_of(cudaDevAttrReservedSharedMemoryPerBlock);                           \
        (p)->hostRegisterSupported = value_of(cudaDevAttrHostRegisterSupported);                 \
        (p)->memoryPoolsSupported = value_of(cudaDevAttrMemoryPoolsSupported);                   \
        (p)->unifiedFunctionPointers = 1;                                                        \
    } while (0)

RT_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    if (!prop)
        return rt_refuse("cudaGetDeviceProperties", cudaErrorInvalidValue);
    if (device != 0)
        return rt_refuse("cudaGetDeviceProperties", cudaErrorInvalidDevice);
    memset(prop, 0, sizeof(*prop));
    FILL_COMMON(prop);
    prop->deviceNumaId = value_of(cudaDevAttrNumaId);
    return cudaSuccess;
}

RT_API cudaError_t cudaGetDeviceProperties_v2(struct cmpd_device_prop_12 *prop, int device)
{
    if (!prop)
        return rt_refuse("cudaGetDeviceProperties", cudaErrorInvalidValue);
    if (device != 0)
        return rt_refuse("cudaGetDeviceProperties", cudaErrorInvalidDevice);
    memset(prop, 0, sizeof(*prop));
    FILL_COMMON(prop);
    prop->clockRate = value_of(cudaDevAttrClockRate);
    prop->memoryClockRate = value_of(cudaDevAttrMemoryClockRate);
    prop->deviceOverlap = value_of(cudaDevAttrGpuOverlap);
    prop->maxTexture1DLinear = value_of(cudaDevAttrMaxTexture1DLinearWidth);
    prop->singleToDoublePrecisionPerfRatio = value_of(cudaDevAttrSingleToDoublePrecisionPerfRatio);
    prop->cooperativeMultiDeviceLaunch = 0;
    return cudaSuccess;
}
