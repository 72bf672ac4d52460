// Integer and floating arithmetic of every width, with the intrinsics that name an instruction each.
#include <cstdint>

__global__ void integers(long long *o, long long a, unsigned long long b, int x, unsigned y, short s, unsigned char c)
{
    int i = threadIdx.x;
    o[i] = a * (long long)b + a / (x | 1) + b % (y | 1) + __mul64hi(a, x) + __umul64hi(b, y);
    o[i] += __mulhi(x, s) + __umulhi(y, c) + __mul24(x, s) + __umul24(y, c) + __sad(x, s, y) + __usad(y, c, y);
    o[i] += __clz(x) + __clzll(a) + __popc(y) + __popcll(b) + __ffs(x) + __ffsll(a) + __brev(y) + __brevll(b);
    o[i] += __byte_perm(x, y, c) + __funnelshift_l(x, y, c) + __funnelshift_r(x, y, c) + __funnelshift_lc(x, y, c);
    o[i] += __dp4a(x, x, x) + __dp4a(y, y, y) + __dp2a_lo(x, x, x) + __dp2a_hi(y, y, y) + __hadd(x, s) + __rhadd(x, s);
    o[i] += min(x, (int)s) + max(y, (unsigned)c) + min(a, (long long)x) + max(b, (unsigned long long)y) + abs(x) + llabs(a);
    o[i] += (int8_t)x + (uint8_t)y + (int16_t)a + (x << (c & 31)) + (x >> (c & 31)) + (b >> (c & 63)) + (a >> (c & 63));
    o[i] += ((x >> 3) & 0x1f) | ((y & 0xff) << 8) ^ ~x;
    o[i] += __vadd2(x, y) + __vabsdiffs4(x, y) + __vcmpgtu2(x, y) + __vmaxs4(x, y) + __vavgu4(x, y) + __vsetleu4(x, y);
    o[i] += (a > x) ? (a == 5) : (b >= y && x != s);
}

__global__ void wide(unsigned __int128 *o, unsigned __int128 a, __int128 b)
{
    o[0] = a * 3 + (unsigned __int128)(b >> 5) - (a << 7);
    o[1] = a / 12345 + (a > (unsigned __int128)b);
}

__global__ void floats(float *o, double *d, float a, float b, double p, double q)
{
    int i = threadIdx.x;
    o[i] = __fadd_rn(a, b) + __fadd_rz(a, b) + __fadd_ru(a, b) + __fadd_rd(a, b) + __fmul_rz(a, b) + __fmaf_ru(a, b, a);
    o[i] += __fdiv_rn(a, b) + __fdiv_rz(a, b) + __frcp_rn(a) + __frcp_ru(a) + __fsqrt_rn(a) + __fsqrt_rd(a) + __frsqrt_rn(a);
    o[i] += __fdividef(a, b) + __expf(a) + __logf(b) + __sinf(a) + __cosf(b) + __powf(a, b) + __saturatef(a) + rsqrtf(b);
    o[i] += sinf(a) + cosf(b) + tanf(a) + expf(b) + logf(a) + powf(a, b) + erff(a) + tanhf(b) + cbrtf(a) + lgammaf(b);
    o[i] += floorf(a) + ceilf(b) + truncf(a) + rintf(b) + roundf(a) + fmodf(a, b) + remainderf(b, a) + copysignf(a, b);
    o[i] += fminf(a, b) + fmaxf(a, b) + fabsf(a) + fdimf(a, b) + (isnan(a) ? 1 : isinf(b) ? 2 : 3) + ldexpf(a, i);
    o[i] += __float2int_rn(a) + __float2uint_rz(b) + __float2ll_ru(a) + __int_as_float(i) + __uint2float_rd(i) + __ll2float_rn(i);
    d[i] = __dadd_rn(p, q) + __dmul_ru(p, q) + __fma_rz(p, q, p) + __ddiv_rn(p, q) + __drcp_rd(p) + __dsqrt_rn(q);
    d[i] += sin(p) + cos(q) + exp(p) + log(q) + pow(p, q) + erf(p) + tanh(q) + floor(p) + rint(q) + fmod(p, q);
    d[i] += __double2int_rn(p) + __double2ull_rz(q) + __double2float_rz(p) + __hiloint2double(i, i) + __double2hiint(q) + fmin(p, q);
}
