#include <cuda_runtime.h>
#include <vector>

struct Mesh {
    float3* vertex = nullptr;
    int count = 0;
};

__global__ void translate(float3* v, float3 by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    v[i].x += by.x;
    v[i].y += by.y;
    v[i].z += by.z;
}

// At most 2^26 vertices.
cudaError_t upload(Mesh& mesh, const std::vector<float3>& vertices, float3 by)
{
    mesh.count = static_cast<int>(vertices.size());
    if (mesh.count == 0) return cudaSuccess;
    cudaError_t rc = cudaMalloc(&mesh.vertex, vertices.size() * sizeof(float3));
    if (rc != cudaSuccess) return rc;
    rc = cudaMemcpy(mesh.vertex, vertices.data(), vertices.size() * sizeof(float3), cudaMemcpyDeviceToHost);
    if (rc != cudaSuccess) return rc;
    translate<<<(mesh.count + 127) / 128, 128>>>(mesh.vertex, by, mesh.count);
    return cudaGetLastError();
}
