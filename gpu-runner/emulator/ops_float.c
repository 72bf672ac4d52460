/*
 * f32 and f64 arithmetic. Each f32 operation has two handlers: the plain one, and one that sees to ftz and sat. What
 * rounds otherwise than to nearest stands in ops_round.c.
 */
#include <math.h>

#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/half.h"

#define IN(v)  (ftz ? emu_flush(v) : (v))
#define OUT(v) finish(v, ftz, sat)
static inline float finish(float r, bool ftz, bool sat)
{
    r = emu_canonical(r);
    if (ftz)
        r = emu_flush(r);
    return sat ? emu_saturate(r) : r;
}

#define FLOAT_UNARY(NAME, EXPR)                               \
    EMU_UNARY(NAME##_f32, float, float, emu_canonical(EXPR))  \
    EMU_HANDLER(NAME##_f32_any)                               \
    {                                                         \
        float *d = emu_dst(w, in, 0);                         \
        const float *a = emu_src(w, in, 0);                   \
        const bool ftz = in->ftz, sat = in->sat;              \
        EMU_EACH(float, const float x = IN(a[l]);, OUT(EXPR)) \
    }
#define FLOAT_BINARY(NAME, EXPR)                                                        \
    EMU_BINARY(NAME##_f32, float, float, float, emu_canonical(EXPR))                    \
    EMU_HANDLER(NAME##_f32_any)                                                         \
    {                                                                                   \
        float *d = emu_dst(w, in, 0);                                                   \
        const float *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);                     \
        const bool ftz = in->ftz, sat = in->sat;                                        \
        EMU_EACH(float, const float x = IN(a[l]); const float y = IN(b[l]);, OUT(EXPR)) \
    }
#define FLOAT_TERNARY(NAME, EXPR)                                                           \
    EMU_TERNARY(NAME##_f32, float, float, float, float, emu_canonical(EXPR))                \
    EMU_HANDLER(NAME##_f32_any)                                                             \
    {                                                                                       \
        float *d = emu_dst(w, in, 0);                                                       \
        const float *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2); \
        const bool ftz = in->ftz, sat = in->sat;                                            \
        EMU_EACH(float, const float x = IN(a[l]); const float y = IN(b[l]);                 \
                 const float z = IN(c[l]);, OUT(EXPR))                                      \
    }

FLOAT_BINARY(add, x + y)
FLOAT_BINARY(sub, x - y)
FLOAT_BINARY(mul, x *y)
FLOAT_TERNARY(fma, __builtin_fmaf(x, y, z))
FLOAT_BINARY(div, x / y)
FLOAT_UNARY(rcp, 1.0f / x)
FLOAT_UNARY(sqrt, __builtin_sqrtf(x))
EMU_UNARY(abs_f32, uint32_t, uint32_t, x & 0x7fffffffu)
EMU_UNARY(neg_f32, uint32_t, uint32_t, x ^ 0x80000000u)
EMU_UNARY(abs_f32_ftz, float, float, emu_flush(emu_f32(emu_bits32(x) & 0x7fffffffu)))
EMU_UNARY(neg_f32_ftz, float, float, emu_flush(emu_f32(emu_bits32(x) ^ 0x80000000u)))
EMU_BINARY(copysign_f32, uint32_t, uint32_t, uint32_t, (x & 0x80000000u) | (y & 0x7fffffffu))

EMU_BINARY(add_f64, double, double, double, x + y)
EMU_BINARY(sub_f64, double, double, double, x - y)
EMU_BINARY(mul_f64, double, double, double, x *y)
EMU_TERNARY(fma_f64, double, double, double, double, __builtin_fma(x, y, z))
EMU_BINARY(div_f64, double, double, double, x / y)
EMU_UNARY(rcp_f64, double, double, 1.0 / x)
EMU_UNARY(sqrt_f64, double, double, __builtin_sqrt(x))
EMU_UNARY(abs_f64, uint64_t, uint64_t, x & ~(UINT64_C(1) << 63))
EMU_UNARY(neg_f64, uint64_t, uint64_t, x ^ (UINT64_C(1) << 63))
EMU_BINARY(copysign_f64, uint64_t, uint64_t, uint64_t,
           (x & UINT64_C(1) << 63) | (y & ~(UINT64_C(1) << 63)))

/*
 * Least and greatest: a number beats NaN, -0 is below +0. With NaN: NaN beats a number. abs: the one of the
 * magnitudes; xorsign: with the product's sign.
 */
static inline float least(float x, float y)
{
    if (x == y)
        return emu_f32(emu_bits32(x) | emu_bits32(y));
    return y != y || x < y ? x : y;
}
static inline float greatest(float x, float y)
{
    if (x == y)
        return emu_f32(emu_bits32(x) & emu_bits32(y));
    return y != y || x > y ? x : y;
}
EMU_BINARY(min_f32, float, float, float, emu_canonical(least(x, y)))
EMU_BINARY(max_f32, float, float, float, emu_canonical(greatest(x, y)))
#define EXTREME_ANY(NAME, PICK)                                                                   \
    EMU_HANDLER(NAME##_f32_any)                                                                   \
    {                                                                                             \
        float *d = emu_dst(w, in, 0);                                                             \
        const float *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);                               \
        const float *c = emu_src(w, in, 2);                                                       \
        const bool three = in->src_count > 2;                                                     \
        EMU_BITS(m, l)                                                                            \
        {                                                                                         \
            const bool ftz = in->ftz;                                                             \
            float x = IN(a[l]), y = IN(b[l]), z = three ? IN(c[l]) : 0;                           \
            const uint32_t sign = (emu_bits32(x) ^ emu_bits32(y) ^ (three ? emu_bits32(z) : 0)) & \
                                  0x80000000u;                                                    \
            const bool nan = (in->mode & 1) && (x != x || y != y || z != z);                      \
            if (in->mode & (2 | 8)) {                                                             \
                x = fabsf(x);                                                                     \
                y = fabsf(y);                                                                     \
                z = fabsf(z);                                                                     \
            }                                                                                     \
            float r = PICK(x, y);                                                                 \
            if (three)                                                                            \
                r = PICK(r, z);                                                                   \
            if (in->mode & 2 && r == r)                                                           \
                r = emu_f32(emu_bits32(r) | sign);                                                \
            d[l] = nan ? emu_f32(EMU_NAN_F32) : emu_canonical(r);                                 \
        }                                                                                         \
    }
EXTREME_ANY(min, least)
EXTREME_ANY(max, greatest)

static inline double least_f64(double x, double y)
{
    if (x == y)
        return emu_f64(emu_bits64(x) | emu_bits64(y));
    return y != y || x < y ? x : y;
}
static inline double greatest_f64(double x, double y)
{
    if (x == y)
        return emu_f64(emu_bits64(x) & emu_bits64(y));
    return y != y || x > y ? x : y;
}
EMU_BINARY(min_f64, double, double, double, least_f64(x, y))
EMU_BINARY(max_f64, double, double, double, greatest_f64(x, y))

/*
 * Approximate instructions give the correctly rounded value, or one within an ulp of it; with a jitter each result is
 * moved by up to so many ulp, so that a verdict that hangs on the last bits is seen to.
 */
static float jitter(struct emu_warp *w, float r)
{
    const uint32_t ulp = w->launch->device->options.jitter_ulp;
    if (ulp == 0 || r == 0 || !(fabsf(r) <= 3.4e38f) || fabsf(r) < 0x1p-125f)
        return r;
    const uint32_t n = emu_random(w->launch) % (2 * ulp + 1);
    return emu_f32(emu_bits32(r) + n - ulp);
}
#define APPROX(NAME, EXPR)                          \
    EMU_HANDLER(NAME)                               \
    {                                               \
        float *d = emu_dst(w, in, 0);               \
        const float *a = emu_src(w, in, 0);         \
        const bool ftz = in->ftz, sat = in->sat;    \
        float r[EMU_LANES];                         \
        for (unsigned l = 0; l < EMU_LANES; l++) {  \
            const float x = IN(a[l]);               \
            r[l] = m >> l & 1u ? (float)(EXPR) : 0; \
        }                                           \
        EMU_BITS(m, l)                              \
        d[l] = OUT(jitter(w, r[l]));                \
    }
APPROX(ex2_approx, exp2f(x))
APPROX(lg2_approx, x == 0 ? -INFINITY : log2f(x))
APPROX(sin_approx, sinf(x))
APPROX(cos_approx, cosf(x))
APPROX(tanh_approx, tanhf(x))
APPROX(rsqrt_approx, x == 0 ? copysignf(INFINITY, x) : 1.0 / sqrt((double)x))
APPROX(rcp_approx, 1.0f / x)
APPROX(sqrt_approx, sqrtf(x))
EMU_HANDLER(div_approx)
{
    float *d = emu_dst(w, in, 0);
    const float *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);
    const bool ftz = in->ftz, sat = in->sat;
    EMU_BITS(m, l)
    d[l] = OUT(jitter(w, IN(a[l]) / IN(b[l])));
}

/* The f64 approximations with ftz read and give the upper 32 bits alone; without, they are as good as the type. */
static inline double upper(double x)
{
    return emu_f64(emu_bits64(x) & 0xffffffff00000000ull);
}
static inline double upper_ftz(double x)
{
    x = upper(x);
    return fabs(x) < 0x1p-1022 ? copysign(0.0, x) : x;
}
EMU_UNARY(rcp_approx_f64, double, double, upper_ftz(1.0 / upper_ftz(x)))
EMU_UNARY(rsqrt_approx_f64, double, double,
          x == 0 ? copysign(INFINITY, x) : (double)(1.0L / sqrtl((long double)x)))
EMU_UNARY(rsqrt_approx_ftz_f64, double, double,
          upper_ftz(upper_ftz(x) == 0 ? copysign(INFINITY, x) : 1.0 / __builtin_sqrt(upper_ftz(x))))

/* clang-format off */
#define F32 EMU_T(F32)
#define F64 EMU_T(F64)
#define RN EMU_F(rn)
#define FTZ EMU_F(ftz)
#define SAT EMU_F(sat)
#define EXT (EMU_F(NaN) | EMU_F(xorsign) | EMU_F(abs) | FTZ)
#define ROW(op, types, form, need, allow, run) {CMPD_PTX_OP_##op, EMU_TAINT_ALL, form, types, 0, need, allow, run}
const struct emu_row EMU_NAME(emu_rows_float)[] = {
    ROW(add, F32, "ttt", 0, RN, add_f32),
    ROW(add, F32, "ttt", 0, RN | FTZ | SAT, add_f32_any),
    ROW(add, F64, "ttt", 0, RN, add_f64),
    ROW(sub, F32, "ttt", 0, RN, sub_f32),
    ROW(sub, F32, "ttt", 0, RN | FTZ | SAT, sub_f32_any),
    ROW(sub, F64, "ttt", 0, RN, sub_f64),
    ROW(mul, F32, "ttt", 0, RN, mul_f32),
    ROW(mul, F32, "ttt", 0, RN | FTZ | SAT, mul_f32_any),
    ROW(mul, F64, "ttt", 0, RN, mul_f64),
    ROW(fma, F32, "tttt", 0, RN, fma_f32),
    ROW(fma, F32, "tttt", 0, RN | FTZ | SAT, fma_f32_any),
    ROW(fma, F64, "tttt", 0, RN, fma_f64),
    ROW(mad, F32, "tttt", 0, RN, fma_f32),
    ROW(mad, F32, "tttt", 0, RN | FTZ | SAT, fma_f32_any),
    ROW(mad, F64, "tttt", 0, RN, fma_f64),
    ROW(div, F32, "ttt", RN, 0, div_f32),
    ROW(div, F32, "ttt", RN, FTZ, div_f32_any),
    ROW(div, F32, "ttt", EMU_F(approx), FTZ, div_approx),
    ROW(div, F32, "ttt", EMU_F(full), FTZ, div_approx),
    ROW(div, F64, "ttt", RN, 0, div_f64),
    ROW(rcp, F32, "tt", RN, 0, rcp_f32),
    ROW(rcp, F32, "tt", RN, FTZ, rcp_f32_any),
    ROW(rcp, F32, "tt", EMU_F(approx), FTZ, rcp_approx),
    ROW(rcp, F64, "tt", RN, 0, rcp_f64),
    ROW(rcp, F64, "tt", EMU_F(approx) | FTZ, 0, rcp_approx_f64),
    ROW(sqrt, F32, "tt", RN, 0, sqrt_f32),
    ROW(sqrt, F32, "tt", RN, FTZ, sqrt_f32_any),
    ROW(sqrt, F32, "tt", EMU_F(approx), FTZ, sqrt_approx),
    ROW(sqrt, F64, "tt", RN, 0, sqrt_f64),
    ROW(rsqrt, F32, "tt", EMU_F(approx), FTZ, rsqrt_approx),
    ROW(rsqrt, F64, "tt", EMU_F(approx), 0, rsqrt_approx_f64),
    ROW(rsqrt, F64, "tt", EMU_F(approx) | FTZ, 0, rsqrt_approx_ftz_f64),
    ROW(abs, F32, "tt", 0, 0, abs_f32),
    ROW(abs, F32, "tt", FTZ, 0, abs_f32_ftz),
    ROW(abs, F64, "tt", 0, 0, abs_f64),
    ROW(neg, F32, "tt", 0, 0, neg_f32),
    ROW(neg, F32, "tt", FTZ, 0, neg_f32_ftz),
    ROW(neg, F64, "tt", 0, 0, neg_f64),
    ROW(copysign, F32, "ttt", 0, 0, copysign_f32),
    ROW(copysign, F64, "ttt", 0, 0, copysign_f64),
    ROW(min, F32, "ttt", 0, 0, min_f32),
    ROW(min, F32, "ttt", 0, EXT, min_f32_any),
    ROW(min, F32, "tttt", 0, EXT, min_f32_any),
    ROW(min, F64, "ttt", 0, 0, min_f64),
    ROW(max, F32, "ttt", 0, 0, max_f32),
    ROW(max, F32, "ttt", 0, EXT, max_f32_any),
    ROW(max, F32, "tttt", 0, EXT, max_f32_any),
    ROW(max, F64, "ttt", 0, 0, max_f64),
    ROW(ex2, F32, "tt", EMU_F(approx), FTZ, ex2_approx),
    ROW(lg2, F32, "tt", EMU_F(approx), FTZ, lg2_approx),
    ROW(sin, F32, "tt", EMU_F(approx), FTZ, sin_approx),
    ROW(cos, F32, "tt", EMU_F(approx), FTZ, cos_approx),
    ROW(tanh, F32, "tt", EMU_F(approx), 0, tanh_approx),
    {0},
};
