#include <algorithm>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <vector>

namespace mine {
template <typename T>
__device__ void sort(T *first, T *last)
{
    for (T *p = first + 1; p < last; ++p) {
        for (T *q = p; q > first && *q < q[-1]; --q) {
            const T t = *q;
            *q = q[-1];
            q[-1] = t;
        }
    }
}
} // namespace mine

__global__ void order(int *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        std::sort(v + 4 * i, v + 4 * i + 4); // expect: api_host_in_device reject
        mine::sort(v + 4 * i, v + 4 * i + 4);
    }
}

__global__ void uniques(const int *v, int *out, int n)
{
    std::map<int, int> seen; // expect: api_host_in_device reject
    std::vector<int> order; // expect: api_host_in_device reject
    for (int i = 0; i < n; ++i) {
        seen[v[i]]++;
    }
    *out = static_cast<int>(seen.size());
}

void host_side(const std::vector<int> &v)
{
    std::map<int, std::string> names;
    names[v.empty() ? 0 : v[0]] = "first";
}
