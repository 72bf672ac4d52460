#pragma once

__device__ inline float relu(float x)
{
    return x > 0.0f ? x : zero_value;
}
