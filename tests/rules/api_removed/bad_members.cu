#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

void describe(const void *p)
{
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    printf("%d kHz\n", prop.clockRate); // expect: api_removed reject
    std::vector<cudaDeviceProp> all(2);
    printf("%d kHz\n", all[1].memoryClockRate); // expect: api_removed reject
    cudaPointerAttributes attr;
    cudaPointerGetAttributes(&attr, p);
    printf("%d\n", attr.memoryType == cudaMemoryTypeDevice); // expect: api_removed reject
}
