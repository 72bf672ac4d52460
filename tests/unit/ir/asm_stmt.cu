__device__ unsigned lane(int a, float *p)
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(p[0]) : "f"(p[1]), "f"(p[2]) : "memory");
    asm volatile("bar.sync 0;");
    asm volatile("a;" "b;" ::"l"(p), "n"(4));
    return r;
}
