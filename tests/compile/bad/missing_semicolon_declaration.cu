// What the swallowed line declares is missing afterwards: an echo, not a cause.
__global__ void k(float *p, int n)
{
    int i = threadIdx.x // expect: compile_error
    float v = p[i];
    v = v * 2.0f;
    p[i] = v;
    p[n - 1] = v;
}
