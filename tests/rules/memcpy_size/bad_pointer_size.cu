#include <cuda_runtime.h>

struct particle {
    float pos[3];
    float mass;
};

void send(int count)
{
    particle *dev;
    cudaMalloc(&dev, 64 * sizeof(particle));
    particle table[32];
    for (int i = 0; i < 32; ++i) {
        table[i].mass = 1.0f;
    }
    cudaMemcpy(dev, table, 64 * sizeof(particle), cudaMemcpyHostToDevice); // expect: memcpy_size reject
    cudaFree(dev);
}
