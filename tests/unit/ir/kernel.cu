__global__ void scale(float *__restrict__ out, const float *__restrict__ in, int n, float k = 2.0f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    for (; i < n; i += step)
        out[i] = in[i] * k;
    if (threadIdx.y == 0 && warpSize == 32)
        return;
    else
        out[0]++;
    dim3 whole = blockDim;
    uint3 place = threadIdx;
    --out[1];
}
