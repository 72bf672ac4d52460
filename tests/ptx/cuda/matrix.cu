// Tensor cores: the wmma interface, mma and ldmatrix by inline assembly.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void wmma_half(half *a, half *b, float *c, half *d)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> fd;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::load_matrix_sync(fd, d, 16, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::mma_sync(fd, fa, fb, fd);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    wmma::store_matrix_sync(d, fd, 16, wmma::mem_col_major);
}

__global__ void wmma_others(__nv_bfloat16 *a, signed char *i, int *o, float *f, double *d)
{
    wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::fill_fragment(fc, 0.f);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(f, fc, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> ia;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> ib;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> ic;
    wmma::load_matrix_sync(ia, i, 16);
    wmma::load_matrix_sync(ib, i, 16);
    wmma::fill_fragment(ic, 0);
    wmma::mma_sync(ic, ia, ib, ic);
    wmma::store_matrix_sync(o, ic, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ta;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> tb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> tc;
    wmma::load_matrix_sync(ta, f, 16);
    wmma::load_matrix_sync(tb, f, 16);
    wmma::fill_fragment(tc, 0.f);
    ta.x[0] = wmma::__float_to_tf32(ta.x[0]);
    wmma::mma_sync(tc, ta, tb, tc);
    wmma::store_matrix_sync(f, tc, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> da;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> db;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> dc;
    wmma::load_matrix_sync(da, d, 8);
    wmma::load_matrix_sync(db, d, 8);
    wmma::fill_fragment(dc, 0.);
    wmma::mma_sync(dc, da, db, dc);
    wmma::store_matrix_sync(d, dc, 8, wmma::mem_row_major);
}

__global__ void assembly(float *o, const half *in)
{
    __shared__ __align__(16) half tile[16 * 16];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    unsigned s = __cvta_generic_to_shared(&tile[threadIdx.x * 8]), a0, a1, a2, a3, b0, b1;
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
                 : "r"(s));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(s));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    asm volatile("{ .reg .pred p; .reg .b32 t<3>; setp.ne.b32 p, %1, 0; @p mov.b32 t1, 1; @!p mov.b32 t1, 2; add.u32 %0, t1, %1; }"
                 : "=r"(a0)
                 : "r"(b1));
    o[threadIdx.x] = c0 + c1 + c2 + c3 + a0;
}
