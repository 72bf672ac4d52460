template <int N, class T> __global__ void k(T *p)
{
    p[threadIdx.x] = T(N);
}

void run(float *p)
{
    k<float, 4><<<1, 32>>>(p); // expect: compile_error
}
