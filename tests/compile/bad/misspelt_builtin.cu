__global__ void k(float *p)
{
    int i = blockldx.x * blockDim.x + threadIdx.x; // expect: compile_error
    p[i] = 1.0f;
    __syncthread(); // expect: compile_error
}
