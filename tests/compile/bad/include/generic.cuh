#pragma once

template <class T> __device__ float length(const T &v)
{
    return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}
