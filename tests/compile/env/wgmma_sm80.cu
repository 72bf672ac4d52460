// Hopper's warpgroup instructions: sm_80 does not have them.
__global__ void fence(float *p)
{
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); // expect: compile_environment
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
    p[threadIdx.x] = 1.0f;
}
