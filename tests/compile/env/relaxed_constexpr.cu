constexpr int round_up(int n, int to)
{
    return (n + to - 1) / to * to;
}

__global__ void fill(int *p, int n, int step)
{
    int i = threadIdx.x;
    if (i < n)
        p[i] = round_up(i, step); // expect: compile_environment
}
