extern "C" __global__ void check(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n); // expect: compile_environment
    p[i] = i;
}
