/*
 * f16 and bf16, single and packed. Each value is worked out in float or double with enough bits and rounded once:
 * a sum or product of two halves is exact enough in float for that to be innocuous (24 >= 2 * 11 + 2 bits), fma goes
 * through a double that is rounded to odd.
 */
#include <math.h>

#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/half.h"

/* What a modifier asks of the result of an operation. */
static inline uint32_t finish_f16(uint32_t r, const struct emu_ins *in)
{
    if (in->ftz)
        r = emu_flush_f16(r);
    if (in->sat) {
        const float f = emu_from_f16(r);
        r = f > 0 ? (f < 1 ? r : 0x3c00u) : 0;
    }
    if (in->mode & 4) /* relu: NaN stays NaN */
        r = (r & 0x8000u) && (r & 0x7fffu) <= 0x7c00u ? 0 : r;
    return r;
}
static inline uint32_t finish_bf16(uint32_t r, const struct emu_ins *in)
{
    if (in->sat) {
        const float f = emu_from_bf16(r);
        r = f > 0 ? (f < 1 ? r : 0x3f80u) : 0;
    }
    if (in->mode & 4)
        r = (r & 0x8000u) && (r & 0x7fffu) <= 0x7f80u ? 0 : r;
    return r;
}
static inline uint32_t in_f16(uint32_t h, const struct emu_ins *in)
{
    h &= 0xffffu;
    return in->ftz ? emu_flush_f16(h) : h;
}
static inline uint32_t in_bf16(uint32_t h, const struct emu_ins *in)
{
    (void)in;
    return h & 0xffffu;
}

#define HALVES(NAME, FORMAT, EXPR)                                             \
    static inline uint32_t NAME##_##FORMAT(uint32_t p, uint32_t q, uint32_t s, \
                                           const struct emu_ins *in)           \
    {                                                                          \
        const float x = emu_from_##FORMAT(in_##FORMAT(p, in));                 \
        const float y = emu_from_##FORMAT(in_##FORMAT(q, in));                 \
        const float z = emu_from_##FORMAT(in_##FORMAT(s, in));                 \
        (void)x;                                                               \
        (void)y;                                                               \
        (void)z;                                                               \
        return finish_##FORMAT(EXPR, in);                                      \
    }
#define BOTH(NAME, EXPR)                \
    HALVES(NAME, f16, emu_to_f16(EXPR)) \
    HALVES(NAME, bf16, emu_to_bf16(EXPR))
BOTH(add, x + y)
BOTH(sub, x - y)
BOTH(mul, x *y)
HALVES(fma, f16, emu_to_f16_mode(emu_fma_odd((double)x, (double)y, (double)z), EMU_RN))
HALVES(fma, bf16, emu_to_bf16_mode(emu_fma_odd((double)x, (double)y, (double)z), EMU_RN))
BOTH(tanh, tanhf(x))
BOTH(ex2, exp2f(x))

/* mode bit 0: NaN beats a number; bit 1: of the magnitudes, with the product's sign */
static inline uint32_t extreme(uint32_t p, uint32_t q, float x, float y, bool greatest,
                               uint32_t nan, const struct emu_ins *in)
{
    const uint32_t sign = (p ^ q) & 0x8000u;
    uint32_t r;
    if (x != x || y != y)
        r = (in->mode & 1) || (x != x && y != y) ? nan : x != x ? q : p;
    else if (in->mode & 2) {
        const float a = fabsf(x), b = fabsf(y);
        r = ((greatest ? a > b : a < b) ? p : q) & 0x7fffu;
    } else if (x == y)
        r = greatest ? p & q : p | q;
    else
        r = (greatest ? x > y : x < y) ? p : q;
    if ((in->mode & 2) && r != nan)
        r = (r & 0x7fffu) | sign;
    return r;
}
#define EXTREME(NAME, FORMAT, GREATEST, NAN_BITS)                                                 \
    static inline uint32_t NAME##_##FORMAT(uint32_t p, uint32_t q, uint32_t s,                    \
                                           const struct emu_ins *in)                              \
    {                                                                                             \
        (void)s;                                                                                  \
        p = in_##FORMAT(p, in);                                                                   \
        q = in_##FORMAT(q, in);                                                                   \
        return extreme(p, q, emu_from_##FORMAT(p), emu_from_##FORMAT(q), GREATEST, NAN_BITS, in); \
    }
EXTREME(min, f16, false, EMU_NAN_F16)
EXTREME(max, f16, true, EMU_NAN_F16)
EXTREME(min, bf16, false, EMU_NAN_BF16)
EXTREME(max, bf16, true, EMU_NAN_BF16)

#define BITWISE(NAME, FORMAT, EXPR)                                            \
    static inline uint32_t NAME##_##FORMAT(uint32_t p, uint32_t q, uint32_t s, \
                                           const struct emu_ins *in)           \
    {                                                                          \
        (void)q;                                                               \
        (void)s;                                                               \
        p = in_##FORMAT(p, in);                                                \
        return (EXPR);                                                         \
    }
BITWISE(neg, f16, p ^ 0x8000u)
BITWISE(abs, f16, p & 0x7fffu)
BITWISE(neg, bf16, p ^ 0x8000u)
BITWISE(abs, bf16, p & 0x7fffu)

/* Handlers: one value a lane, or two. Approximations are not moved by a jitter: it would be many times their error. */
#define HANDLERS(NAME, FORMAT)                                                                 \
    EMU_HANDLER(NAME##_one_##FORMAT)                                                           \
    {                                                                                          \
        uint32_t *d = emu_dst(w, in, 0);                                                       \
        const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2); \
        if (m == EMU_FULL)                                                                     \
            EMU_IVDEP for (unsigned l = 0; l < EMU_LANES; l++)                                 \
                d[l] = NAME##_##FORMAT(a[l], b[l], c[l], in);                                  \
        else                                                                                   \
            EMU_BITS(m, l)                                                                     \
        d[l] = NAME##_##FORMAT(a[l], b[l], c[l], in);                                          \
    }                                                                                          \
    EMU_HANDLER(NAME##_two_##FORMAT)                                                           \
    {                                                                                          \
        uint32_t *d = emu_dst(w, in, 0);                                                       \
        const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2); \
        EMU_BITS(m, l)                                                                         \
        d[l] = NAME##_##FORMAT(a[l], b[l], c[l], in) |                                         \
               NAME##_##FORMAT(a[l] >> 16, b[l] >> 16, c[l] >> 16, in) << 16;                  \
    }
#define ALL_HANDLERS(NAME) HANDLERS(NAME, f16) HANDLERS(NAME, bf16)
ALL_HANDLERS(add)
ALL_HANDLERS(sub)
ALL_HANDLERS(mul)
ALL_HANDLERS(fma)
ALL_HANDLERS(min)
ALL_HANDLERS(max)
ALL_HANDLERS(neg)
ALL_HANDLERS(abs)
ALL_HANDLERS(tanh)
ALL_HANDLERS(ex2)

/* clang-format off */
#define RN EMU_F(rn)
#define FTZ EMU_F(ftz)
#define SAT EMU_F(sat)
#define RELU EMU_F(relu)
#define EXT (EMU_F(NaN) | EMU_F(xorsign) | EMU_F(abs))
#define ROW(op, type, form, need, allow, run) {CMPD_PTX_OP_##op, EMU_TAINT_ALL, form, EMU_T(type), 0, need, allow, run}
#define FOUR(op, form, need, allow, allow_bf) \
    ROW(op, F16, form, need, allow, op##_one_f16), ROW(op, F16X2, form, need, allow, op##_two_f16), \
    ROW(op, BF16, form, need, allow_bf, op##_one_bf16), ROW(op, BF16X2, form, need, allow_bf, op##_two_bf16)
const struct emu_row EMU_NAME(emu_rows_half)[] = {
    FOUR(add, "ttt", 0, RN | FTZ | SAT, RN),
    FOUR(sub, "ttt", 0, RN | FTZ | SAT, RN),
    FOUR(mul, "ttt", 0, RN | FTZ | SAT, RN),
    FOUR(fma, "tttt", RN, FTZ | SAT | RELU, RELU),
    FOUR(min, "ttt", 0, FTZ | EXT, EXT),
    FOUR(max, "ttt", 0, FTZ | EXT, EXT),
    FOUR(neg, "tt", 0, FTZ, 0),
    FOUR(abs, "tt", 0, FTZ, 0),
    FOUR(tanh, "tt", EMU_F(approx), 0, 0),
    FOUR(ex2, "tt", EMU_F(approx), FTZ, FTZ),
    {0},
};
