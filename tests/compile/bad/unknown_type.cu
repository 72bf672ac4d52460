__global__ void k(float *p, tensor_view v) // expect: compile_error
{
    p[threadIdx.x] = v.data[threadIdx.x];
}

void run(float *p)
{
    tensor_view v;
    k<<<1, 32>>>(p, v);
}
