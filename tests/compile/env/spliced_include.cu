%: /* hidden */ inc\
lude "/etc/hostname"
// expect-line: 1 compile_environment

__global__ void k(float *p)
{
    p[threadIdx.x] = 0.0f;
}
