#ifndef TILE
#error "TILE must be given with -DTILE=..." // expect: compile_environment
#endif

__global__ void k(float *p)
{
    p[threadIdx.x] = TILE;
}
