#include <cuda_runtime.h>
#include <string.h>

__global__ void lengths(const char *text, const int *start, int *len, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        len[i] = (int)strlen(text + start[i]);
}

/* n strings, each ended by a zero byte; 1 <= n <= 2^24 */
void string_lengths(const char *text, const int *start, int *len, int n)
{
    lengths<<<(n + 127) / 128, 128>>>(text, start, len, n);
}
