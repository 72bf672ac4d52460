__global__ void k(float *p)
{
    float v;
    asm volatile("fused.magic.f32 %0, %1;" : "=f"(v) : "f"(p[0])); // expect: compile_error
    p[threadIdx.x] = v;
}
