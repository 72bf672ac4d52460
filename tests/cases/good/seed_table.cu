#include <cuda_runtime.h>

__global__ void mix_seeds(const unsigned *seed, unsigned *state, int n)
{
	int me = threadIdx.x + blockIdx.x * blockDim.x;
	if (me < n) {
		unsigned s = seed[me & 15] + 0x9e3779b9u * me;
		s ^= s >> 15;
		state[me] = s * 0x2c1b3c6du;
	}
}

/* state: device buffer of n words, 1 <= n <= 2^26 */
void init_state(unsigned *state, int n)
{
	unsigned seeds[16];
	unsigned *dev_seeds;
	for (int i = 0; i < 16; i++)
		seeds[i] = 1812433253u * (i + 1);
	cudaMalloc(&dev_seeds, sizeof seeds);
	cudaMemcpy(dev_seeds, seeds, sizeof seeds, cudaMemcpyHostToDevice);
	mix_seeds<<<(n + 255) / 256, 256>>>(dev_seeds, state, n);
	cudaFree(dev_seeds);
}
