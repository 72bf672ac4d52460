// ask: op=softmax
// get: kernel softmax_kernel [in:x out:y dim:cols] f32 DD free:0 <<<(rows, 1, 1), (256, 1, 1), 32768>>> assumed: a launch with rows blocks of 256 threads
__global__ void softmax_kernel(const float *input, float *output, int N)
{
    extern __shared__ float s[];
    int r = blockIdx.x;
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        output[r * N + i] = input[r * N + i];
}
