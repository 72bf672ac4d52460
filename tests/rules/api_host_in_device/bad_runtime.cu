#include <algorithm>
#include <cuda_runtime.h>

__global__ void grow(float **slots, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cudaMallocHost(&slots[i], 64); // expect: api_host_in_device reject
        cudaMemcpy(slots[i], slots[0], 64, cudaMemcpyDeviceToDevice); // expect: api_host_in_device reject
        std::sort(slots[i], slots[i] + 16); // expect: api_host_in_device reject
    }
    cudaDeviceSynchronize(); // expect: api_host_in_device reject
}

void run(float **slots, int n)
{
    grow<<<(n + 127) / 128, 128>>>(slots, n);
    cudaDeviceSynchronize();
}
