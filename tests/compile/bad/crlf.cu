__global__ void k(float *p, int n)
{
	int i = threadIdx.x;
	if (i < n)
		p[i] = unknown_scale * p[i]; // expect: compile_error
}
