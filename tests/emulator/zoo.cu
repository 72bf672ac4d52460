// A zoo of defects: one kernel for each, in a bad variant (-DBAD) and a good one. "// BUG TAG" stands on the line that
// the device must name; "note:TAG" is a note. Several with | between: any of them. "// HOST TAG": no line of device code.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef BAD
#define B(x, y) x
#else
#define B(x, y) y
#endif
#define N 1000
static float hbuf[1 << 16];
static float *dev(size_t n, bool init = true) { float *p; cudaMalloc(&p, n * 4); if (init) { for (size_t i = 0; i < n && i < 65536; i++) hbuf[i] = (float)(i % 17); cudaMemcpy(p, hbuf, n * 4, cudaMemcpyHostToDevice); } return p; }
static void fetch(float *p, size_t n) { cudaDeviceSynchronize(); cudaMemcpy(hbuf, p, n * 4, cudaMemcpyDeviceToHost); }
__device__ int gcount; __device__ float gtab[64]; __constant__ float ctab[16];
// 1 off by one in a row index
__global__ void k_offby1(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i B(<=, <) n) y[i] = x[i]; } // BUG out_of_bounds
// 2 int overflow: far out of bounds
__global__ void k_far(float *y, int n) { int i = threadIdx.x; int j = B(i * 100000000, i); y[j] = 1.f; } // BUG out_of_bounds
// 3 negative index
__global__ void k_neg(const float *x, float *y) { int i = threadIdx.x; y[i] = x[B(i - 1, i > 0 ? i - 1 : 0)]; } // BUG out_of_bounds
// 4 shared array overflows into its neighbour
__global__ void k_shover(float *y) { __shared__ float a[64]; __shared__ float b[64]; int i = threadIdx.x; b[i] = 0; __syncthreads();
  a[B(i + 1, i)] = i; // BUG out_of_bounds
  __syncthreads(); y[i] = a[i] + b[i]; }
// 5 missing barrier: read neighbour
__global__ void k_race(float *y) { __shared__ float a[128]; int i = threadIdx.x; a[i] = i; B(, __syncthreads());
  y[i] = a[127 - i]; } // BUG data_race
// 6 missing __syncwarp inside a warp
__global__ void k_warprace(float *y) { __shared__ float a[32]; int i = threadIdx.x; a[i] = i; B(, __syncwarp());
  y[i] = a[31 - i]; } // BUG data_race
// 7 global race between blocks
__global__ void k_gblocks(float *y) { B(y[0] += 1.f, atomicAdd(y, 1.f)); } // BUG data_race
// 8 global race inside a block
__global__ void k_gin(float *y) { int i = threadIdx.x; y[i] = i; B(, __syncthreads());
  y[i + 256] = y[255 - i]; } // BUG data_race
// 9 barrier in a divergent branch, two different barriers
__global__ void k_bardiv(float *y) { __shared__ float a[64]; int i = threadIdx.x; a[i] = i;
#ifdef BAD
  if (i < 40) { __syncthreads(); y[i] = a[63 - i]; } // BUG barrier_divergence|deadlock
  else { __syncthreads(); y[i] = 1; }
#else
  __syncthreads(); y[i] = a[63 - i];
#endif
}
// 10 barrier not reached by all: loop count differs
__global__ void k_barloop(float *y) { __shared__ float a[64]; int i = threadIdx.x; for (int k = 0; k < B(1 + (i == 5), 2); k++) { a[i] = k;
    __syncthreads(); } // BUG note:barrier_divergence|barrier_divergence|deadlock
  y[i] = a[i]; }
// 11 uninitialised shared memory
__global__ void k_unish(float *y) { __shared__ float a[64]; int i = threadIdx.x; if (i < B(63, 64)) a[i] = 1.f; __syncthreads();
  y[i] = a[i]; } // BUG uninitialized_read
// 12 uninitialised accumulator in global memory
__global__ void k_ungl(float *y) { atomicAdd(y, 1.f); } // BUG uninitialized_read
// 13 uninitialised local array
__global__ void k_unloc(float *y, int n) { float a[8]; for (int k = 0; k < n; k++) a[k] = k; float s = 0; for (int k = 0; k < 8; k++)
    s += a[(k * n) & 7]; // BUG uninitialized_read
  y[threadIdx.x] = s; }
// 14 misaligned vector access
__global__ void k_mis(const float *x, float4 *y) { y[threadIdx.x] = *reinterpret_cast<const float4 *>(x + B(1, 4)); } // BUG misaligned_access
// 15 host pointer passed to a kernel
__global__ void k_host(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; } // BUG out_of_bounds
// 16 null pointer
__global__ void k_null(float *y) { y[threadIdx.x] = 1.f; } // BUG out_of_bounds
// 17 use after free
__global__ void k_uaf(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; } // BUG out_of_bounds
// 18 shuffle from a lane that does not take part
__global__ void k_shfl(float *y) { int i = threadIdx.x; float v = i; if (i < B(20, 32)) v = __shfl_down_sync(B(0xfffff, 0xffffffff), v, 8); y[i] = v; } // BUG invalid_warp_mask
// 19 full mask shuffle in a divergent branch
__global__ void k_shmask(float *y) { int i = threadIdx.x; float v = i;
  if (i < B(16, 32)) v += __shfl_xor_sync(0xffffffff, v, 1); // BUG invalid_warp_mask|note:invalid_warp_mask
  y[i] = v; }
// 20 endless loop
__global__ void k_loop(volatile float *y) { while (B(y[0] != -1.f, y[0] == -1.f)) {} } // BUG timeout
// 21 out of bounds on a __device__ array and a constant array
__global__ void k_dev(float *y) { int i = threadIdx.x; y[i] = gtab[i]; } // BUG out_of_bounds
// 22 division by zero
__global__ void k_div(int *y, int d) { y[threadIdx.x] = threadIdx.x / d; } // BUG uninitialized_read
// 23 atomics and plain writes mixed on shared memory
__global__ void k_mix(int *y) { __shared__ int c; if (threadIdx.x == 0) c = 0; B(, __syncthreads());
  atomicAdd(&c, 1); // BUG data_race
  __syncthreads(); y[threadIdx.x] = c; }
// 24 half array overrun through half2
__global__ void k_h2(__half2 *x, int n) { int i = threadIdx.x; if (i < B((n + 1) / 2, n / 2)) x[i] = __hadd2(x[i], x[i]); } // BUG out_of_bounds
// 25 race through double buffering with one barrier too few
__global__ void k_dbuf(const float *x, float *y, int n) { __shared__ float a[2][128]; int i = threadIdx.x; float s = 0; for (int t = 0; t < n; t++) {
    a[B(0, t & 1)][i] = x[t * 128 + i]; // BUG data_race
    __syncthreads(); s += a[B(0, t & 1)][127 - i]; } y[i] = s; }
// 26 early return before a barrier (works on hardware, undefined by the book)
__global__ void k_early(float *y, int n) { __shared__ float a[64]; int i = threadIdx.x; if (i >= n) return; a[i] = i;
  __syncthreads(); // BUG note:barrier_divergence
  y[i] = a[n - 1 - i]; }
// 27 benign: same value written by all
__global__ void k_same(int *y) { __shared__ int f; if (threadIdx.x == 0) f = 0; __syncthreads(); f = 7; __syncthreads(); y[threadIdx.x] = f; }
// 28 benign: last block pattern with fences
__global__ void k_last(const float *x, float *part, float *out, int nb) { __shared__ bool last; if (threadIdx.x == 0) { part[blockIdx.x] = x[blockIdx.x]; __threadfence(); last = atomicAdd(&gcount, 1) == nb - 1; } __syncthreads(); if (last && threadIdx.x == 0) { float s = 0; for (int i = 0; i < nb; i++) s += ((volatile float *)part)[i]; *out = s; } }
// 29 benign: warp-level reduction through shared memory with __syncwarp
__global__ void k_wred(float *y) { __shared__ float a[64]; int i = threadIdx.x; a[i] = i; __syncthreads(); if (i < 32) { a[i] += a[i + 32]; __syncwarp(); for (int o = 16; o; o >>= 1) { float v = i < o ? a[i + o] : 0; __syncwarp(); if (i < o) a[i] += v; __syncwarp(); } } if (i == 0) y[0] = a[0]; }
// 30 benign: disjoint byte writes of one word
__global__ void k_bytes(unsigned char *y) { __shared__ unsigned char a[128]; int i = threadIdx.x; a[i] = i; __syncthreads(); y[i] = a[127 - i]; }
extern "C" int zoo(int t) {
  float *x, *y; int *iy;
  switch (t) {
    case 1: x = dev(N); y = dev(N); k_offby1<<<4, 256>>>(x, y, N); fetch(y, N); break;
    case 2: y = dev(64); k_far<<<1, 64>>>(y, 64); fetch(y, 64); break;
    case 3: x = dev(64); y = dev(64); k_neg<<<1, 64>>>(x, y); fetch(y, 64); break;
    case 4: y = dev(64); k_shover<<<1, 64>>>(y); fetch(y, 64); break;
    case 5: y = dev(128); k_race<<<2, 128>>>(y); fetch(y, 128); break;
    case 6: y = dev(32); k_warprace<<<1, 32>>>(y); fetch(y, 32); break;
    case 7: y = dev(1); k_gblocks<<<4, 1>>>(y); fetch(y, 1); break;
    case 8: y = dev(512); k_gin<<<1, 256>>>(y); fetch(y, 512); break;
    case 9: y = dev(64); k_bardiv<<<1, 64>>>(y); fetch(y, 64); break;
    case 10: y = dev(64); k_barloop<<<1, 64>>>(y); fetch(y, 64); break;
    case 11: y = dev(64); k_unish<<<1, 64>>>(y); fetch(y, 64); break;
    case 12: y = dev(1, B(false, true)); k_ungl<<<1, 64>>>(y); fetch(y, 1); break;
    case 13: y = dev(32); k_unloc<<<1, 32>>>(y, B(5, 8)); fetch(y, 32); break;
    case 14: x = dev(64); y = dev(128); k_mis<<<1, 32>>>(x, (float4 *)y); fetch(y, 128); break;
    case 15: x = B(hbuf, dev(64)); y = dev(64); k_host<<<1, 64>>>(x, y); fetch(y, 64); break;
    case 16: y = B(nullptr, dev(64)); k_null<<<1, 64>>>(y); cudaDeviceSynchronize(); break;
    case 17: x = dev(64); y = dev(64); B(cudaFree(x), (void)0); k_uaf<<<1, 64>>>(x, y); fetch(y, 64); break;
    case 18: y = dev(32); k_shfl<<<1, 32>>>(y); fetch(y, 32); break;
    case 19: y = dev(32); k_shmask<<<1, 32>>>(y); fetch(y, 32); break;
    case 20: y = dev(1); k_loop<<<1, 1>>>(y); break;
    case 21: y = dev(128); { float h[64]; memset(h, 0, sizeof h); cudaMemcpyToSymbol(gtab, h, sizeof h); } k_dev<<<1, B(65, 64)>>>(y); fetch(y, 64); break;
    case 22: iy = (int *)dev(32); k_div<<<1, 32>>>(iy, B(0, 3)); fetch((float *)iy, 32); break;
    case 23: iy = (int *)dev(64); k_mix<<<1, 64>>>(iy); fetch((float *)iy, 64); break;
    case 24: { __half *h; int n = 99; cudaMalloc(&h, n * 2); cudaMemset(h, 0, n * 2); k_h2<<<1, 64>>>((__half2 *)h, n); cudaDeviceSynchronize(); } break;
    case 25: x = dev(128 * 4); y = dev(128); k_dbuf<<<1, 128>>>(x, y, 4); fetch(y, 128); break;
    case 26: y = dev(64); k_early<<<1, 64>>>(y, B(50, 64)); fetch(y, 50); break;
    case 27: iy = (int *)dev(64); k_same<<<1, 64>>>(iy); fetch((float *)iy, 64); break;
    case 28: x = dev(8); y = dev(16); k_last<<<8, 32>>>(x, y, y + 8, 8); fetch(y, 16); printf("%g\n", hbuf[8]); break;
    case 29: y = dev(1); k_wred<<<1, 64>>>(y); fetch(y, 1); printf("%g\n", hbuf[0]); break;
    case 30: y = dev(32); k_bytes<<<1, 128>>>((unsigned char *)y); fetch(y, 32); break;
    case 31: y = dev(64); cudaMemcpy(hbuf, y, B(65, 64) * 4, cudaMemcpyDeviceToHost); break; // HOST out_of_bounds
    case 32: y = dev(64); B(y[3] = 1.f, (void)0); break; // HOST host_dereference
    case 33: x = dev(64); y = dev(64); k_host<<<1, B(2048, 64)>>>(x, y); break; // HOST launch_failed
    case 34: x = dev(64); y = dev(64); k_host<<<1, 64, B(60000, 40000)>>>(x, y); break; // HOST launch_failed
    case 35: x = dev(64); cudaMemcpy(x, hbuf, 256, B(cudaMemcpyDeviceToHost, cudaMemcpyHostToDevice)); break; // HOST api_error
    case 36: y = dev(64, false); B((void)0, cudaMemset(y, 0, 256)); fetch(y, 64); break; // HOST uninitialized_read|note:uninitialized_read
  }
  return 0; }
