__constant__ float coeff[16];
__device__ int counter = 3;
static __device__ float4 quad;
__managed__ int both;
constexpr int Q = 3, R = Q * 2;
const float pi = 3.14f;
extern int elsewhere;
float table[] = {1, 2, 3};
__device__ float (*op)(float) = nullptr;
dim3 grid(Q, R);
const dim3 block = dim3(32, 8);
extern "C" { void c_function(int); __global__ void c_kernel(float *x) { x[0] = coeff[Q] + table[1]; } }
extern "C" __global__ void single() { counter++; atomicAdd(&counter, 1); }
void (*callback)(int) = c_function;
