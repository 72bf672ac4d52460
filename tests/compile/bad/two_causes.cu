__global__ void a(float *x)
{
    x[threadIdx.x] = first_unknown; // expect: compile_error
}

__global__ void b(float *x)
{
    x[threadIdx.x] = 1.0f;
    second_unknown(x); // expect: compile_error
}
