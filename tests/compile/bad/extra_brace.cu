__global__ void a(float *p, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        p[i] = 1.0f;
    }
    }
    p[0] = 2.0f; // expect-near: 1 compile_error
}

__global__ void b(float *p)
{
    p[threadIdx.x] = 2.0f;
}
