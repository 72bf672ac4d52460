template <int N> __global__ void k(float *p)
{
    static_assert(N % 32 == 0, "N must be a multiple of the warp size"); // expect: compile_error
    p[threadIdx.x] = N;
}

void run(float *p)
{
    k<48><<<1, 48>>>(p);
}
