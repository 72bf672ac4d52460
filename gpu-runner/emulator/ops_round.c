/*
 * f32 and f64 arithmetic that rounds to zero, down or up. Compiled with -frounding-math: values are loaded after the
 * mode is set and stored before it is set back, since the calls between may touch any memory.
 */
#include <fenv.h>
#include <math.h>

#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/half.h"

static int mode_of(const struct emu_ins *in)
{
    return in->rounding == EMU_RZ   ? FE_TOWARDZERO
           : in->rounding == EMU_RM ? FE_DOWNWARD
           : in->rounding == EMU_RP ? FE_UPWARD
                                    : FE_TONEAREST;
}

static inline float finish(float r, bool ftz, bool sat)
{
    r = emu_canonical(r);
    if (ftz)
        r = emu_flush(r);
    return sat ? emu_saturate(r) : r;
}
#define IN(v) (ftz ? emu_flush(v) : (v))
#define ROUNDED_F32(NAME, EXPR)                                                             \
    EMU_HANDLER(NAME##_f32)                                                                 \
    {                                                                                       \
        float *d = emu_dst(w, in, 0);                                                       \
        const float *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2); \
        const bool ftz = in->ftz, sat = in->sat;                                            \
        float r[EMU_LANES];                                                                 \
        fesetround(mode_of(in));                                                            \
        EMU_BITS(m, l)                                                                      \
        {                                                                                   \
            const float x = IN(a[l]), y = IN(b[l]), z = IN(c[l]);                           \
            (void)y;                                                                        \
            (void)z;                                                                        \
            r[l] = (EXPR);                                                                  \
        }                                                                                   \
        keep(r);                                                                            \
        fesetround(FE_TONEAREST);                                                           \
        EMU_BITS(m, l)                                                                      \
        d[l] = finish(r[l], ftz, sat);                                                      \
    }
#define ROUNDED_F64(NAME, EXPR)                                                              \
    EMU_HANDLER(NAME##_f64)                                                                  \
    {                                                                                        \
        double *d = emu_dst(w, in, 0);                                                       \
        const double *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2); \
        fesetround(mode_of(in));                                                             \
        EMU_BITS(m, l)                                                                       \
        {                                                                                    \
            const double x = a[l], y = b[l], z = c[l];                                       \
            (void)y;                                                                         \
            (void)z;                                                                         \
            d[l] = (EXPR);                                                                   \
        }                                                                                    \
        keep(d);                                                                             \
        fesetround(FE_TONEAREST);                                                            \
    }
/* The values at p are needed by here. */
static inline void keep(void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}
ROUNDED_F32(add, x + y)
ROUNDED_F32(sub, x - y)
ROUNDED_F32(mul, x *y)
ROUNDED_F32(fma, __builtin_fmaf(x, y, z))
ROUNDED_F32(div, x / y)
ROUNDED_F32(rcp, 1.0f / x)
ROUNDED_F32(sqrt, __builtin_sqrtf(x))
ROUNDED_F64(add, x + y)
ROUNDED_F64(sub, x - y)
ROUNDED_F64(mul, x *y)
ROUNDED_F64(fma, __builtin_fma(x, y, z))
ROUNDED_F64(div, x / y)
ROUNDED_F64(rcp, 1.0 / x)
ROUNDED_F64(sqrt, __builtin_sqrt(x))

/* clang-format off */
#define DIRECTED (EMU_F(rz) | EMU_F(rm) | EMU_F(rp))
#define ALSO (EMU_F(ftz) | EMU_F(sat))
#define PAIR(op, form) \
    {CMPD_PTX_OP_##op, EMU_TAINT_ALL, form, EMU_T(F32), 0, 0, DIRECTED | ALSO, op##_f32}, \
    {CMPD_PTX_OP_##op, EMU_TAINT_ALL, form, EMU_T(F64), 0, 0, DIRECTED, op##_f64}
/* After the rows of ops_float.c: these would take what has no rounding at all. */
const struct emu_row EMU_NAME(emu_rows_round)[] = {
    PAIR(add, "ttt"), PAIR(sub, "ttt"), PAIR(mul, "ttt"), PAIR(fma, "tttt"), PAIR(div, "ttt"), PAIR(rcp, "tt"),
    PAIR(sqrt, "tt"),
    {CMPD_PTX_OP_mad, EMU_TAINT_ALL, "tttt", EMU_T(F32), 0, 0, DIRECTED | ALSO, fma_f32},
    {CMPD_PTX_OP_mad, EMU_TAINT_ALL, "tttt", EMU_T(F64), 0, 0, DIRECTED, fma_f64},
    {0},
};
