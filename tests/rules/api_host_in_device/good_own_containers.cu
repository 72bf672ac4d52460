#include <cuda/std/array>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

template <typename T, int N>
struct vector {
    T items[N];
    int used = 0;
    __device__ void push_back(T v) { items[used++] = v; }
};

__global__ void evens(const int *v, int *out, int n)
{
    vector<int, 8> kept;
    cuda::std::array<int, 2> pair = {0, 1};
    std::pair<int, int> limits{0, 8};
    for (int i = limits.first; i < limits.second && i < n; ++i) {
        if (v[i] % 2 == pair[0]) {
            kept.push_back(v[i]);
        }
    }
    *out = kept.used;
}

void host_side(const int *v, int *out)
{
    std::vector<int> sizes{1, 2, 3};
    for (int n : sizes) {
        evens<<<1, 1>>>(v, out, n);
    }
}
