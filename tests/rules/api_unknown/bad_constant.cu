#include <cuda_runtime.h>

struct job {
    cudaStrem_t stream; // expect: api_unknown reject
    float *x;
};

int upload(job &j, const float *host, size_t bytes)
{
    cudaError_t rc = cudaMemcpyAsync(j.x, host, bytes, cudaMemcpyHosttoDevice, // expect: api_unknown reject
                                     j.stream);
    return rc == cudaSuccesss ? 0 : 1; // expect: api_unknown reject
}
