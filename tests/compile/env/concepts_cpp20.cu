#include <type_traits>

template <class T> concept Real = std::is_floating_point<T>::value; // expect: compile_environment

template <Real T> __global__ void twice(T *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= T(2);
}

template __global__ void twice<float>(float *, int);
