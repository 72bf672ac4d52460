struct pair {
    float a, b;
};

template <class T> __device__ float total(T x)
{
    return x.a + x.c; // expect: compile_error
}

__global__ void k(float *p, pair q)
{
    p[threadIdx.x] = total(q);
}
