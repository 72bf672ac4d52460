namespace a { extern "C" { struct S : B<(1)> { __device__ S() : x{1}, y(2) { z(); } int x = 1; __global__ static void k() {} }; } }
template <class T = int, int N = (3 > 2)> __host__ __device__ auto f(T a) -> T { auto l = [] __device__ () {}; }
bool operator=(int) { }
int a[] = {1, 2}; enum { E };
