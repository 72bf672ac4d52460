__global__ void load(float *out, const void *map)
{
    __shared__ alignas(128) float tile[256];
    unsigned dst = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global [%0, {%1}];" // expect: compile_environment
                 :: "l"(map), "r"(0) : "memory");
    out[threadIdx.x] = tile[threadIdx.x] + (float)dst;
}
