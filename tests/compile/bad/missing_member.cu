__global__ void k(float4 *p)
{
    p[threadIdx.x].v = 1.0f; // expect: compile_error
}
