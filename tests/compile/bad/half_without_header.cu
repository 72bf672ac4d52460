__global__ void k(__half *p) // expect: compile_error
{
    p[threadIdx.x] = __float2half(1.0f);
}
