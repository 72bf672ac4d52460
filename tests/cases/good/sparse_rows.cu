#include <cuda_runtime.h>

#define IDX (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void spmv(const int* __restrict__ ptr, const int* __restrict__ col, const double* __restrict__ val,
                     const double* __restrict__ x, double* __restrict__ y, int rows)
{
    for (int row = IDX; row < rows; row += blockDim.x * gridDim.x) {
        double s = 0.0;
        for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * __ldg(&x[col[k]]);
        y[row] = s;
    }
}
#undef IDX

// 1 <= rows <= 2^28
void csr_spmv(const int* ptr, const int* col, const double* val, const double* x, double* y, int rows)
{
    const int tpb = 128;
    spmv<<<(rows + tpb - 1) / tpb, tpb>>>(ptr, col, val, x, y, rows);
}
