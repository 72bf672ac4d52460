/* Copies to and from variables of a module. */
#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

static cudaError_t symbol_copy(const char *call, const void *symbol, size_t offset, void *other,
                               size_t count, enum cudaMemcpyKind kind, bool to_symbol, bool async,
                               cudaStream_t stream)
{
    uint64_t address = 0, bytes = 0;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_symbol_get(symbol, &address, &bytes);
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess &&
        (kind == cudaMemcpyHostToHost ||
         kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice)))
        error = cudaErrorInvalidMemcpyDirection;
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    void *place = (void *)(uintptr_t)(address + offset);
    struct rt_op op = {.kind = RT_OP_COPY, .call = call};
    op.copy = (struct rt_copy){.call = call,
                               .to = to_symbol ? place : other,
                               .from = to_symbol ? other : place,
                               .width = count,
                               .height = 1,
                               .kind = kind,
                               .async = async,
                               .symbol = true};
    return rt_submit(&op, stream);
}

RT_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count,
                                      size_t offset, enum cudaMemcpyKind kind)
{
    return symbol_copy("cudaMemcpyToSymbol", symbol, offset, (void *)(uintptr_t)from, count, kind,
                       true, false, NULL);
}

RT_API cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t count,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    return symbol_copy("cudaMemcpyToSymbol", symbol, offset, (void *)(uintptr_t)from, count, kind,
                       true, false, CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset,
                                        enum cudaMemcpyKind kind)
{
    return symbol_copy("cudaMemcpyFromSymbol", symbol, offset, to, count, kind, false, false, NULL);
}

RT_API cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t count,
                                             size_t offset, enum cudaMemcpyKind kind)
{
    return symbol_copy("cudaMemcpyFromSymbol", symbol, offset, to, count, kind, false, false,
                       CMPD_CUDA_STREAM_PER_THREAD);
}

RT_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    return symbol_copy("cudaMemcpyToSymbolAsync", symbol, offset, (void *)(uintptr_t)from, count,
                       kind, true, true, stream);
}

RT_API cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t count,
                                                size_t offset, enum cudaMemcpyKind kind,
                                                cudaStream_t stream)
{
    return cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, rt_per_thread(stream));
}

RT_API cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count,
                                             size_t offset, enum cudaMemcpyKind kind,
                                             cudaStream_t stream)
{
    return symbol_copy("cudaMemcpyFromSymbolAsync", symbol, offset, to, count, kind, false, true,
                       stream);
}

RT_API cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t count,
                                                  size_t offset, enum cudaMemcpyKind kind,
                                                  cudaStream_t stream)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, rt_per_thread(stream));
}
