/*
 * Conversions. Integers among themselves have handlers of their own for each width of register; everything with a
 * floating type goes lane by lane through two steps: to a double (exact for every type but the 64-bit integers, which
 * have their own way), then to the destination, rounding once.
 */
#include <fenv.h>
#include <math.h>

#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/half.h"

/* clang-format off */
/* Extending a part of a 32- or 64-bit lane into a lane of either width. */
#define NARROW(NAME, PART)                              \
    EMU_UNARY(NAME##_32_32, uint32_t, uint32_t, (PART)x) \
    EMU_UNARY(NAME##_32_64, uint64_t, uint32_t, (PART)x) \
    EMU_UNARY(NAME##_64_32, uint32_t, uint64_t, (PART)x) \
    EMU_UNARY(NAME##_64_64, uint64_t, uint64_t, (PART)x)
NARROW(u8, uint8_t)
NARROW(s8, int8_t)
NARROW(u16, uint16_t)
NARROW(s16, int16_t)
NARROW(u32, uint32_t)
NARROW(s32, int32_t)
NARROW(u64, uint64_t)
EMU_UNARY(f32_of_s32, float, int32_t, x)
EMU_UNARY(f32_of_u32, float, uint32_t, x)
EMU_UNARY(f64_of_s32, double, int32_t, x)
EMU_UNARY(f64_of_u32, double, uint32_t, x)
EMU_UNARY(f64_of_f32, double, float, x)
EMU_UNARY(f32_of_f64, float, double, emu_canonical((float)x))
EMU_UNARY(f32_of_f16, float, uint32_t, emu_from_f16(x & 0xffffu))
EMU_UNARY(f16_of_f32, uint32_t, float, emu_to_f16(x))
EMU_UNARY(f32_of_bf16, float, uint32_t, emu_from_bf16(x & 0xffffu))
EMU_UNARY(bf16_of_f32, uint32_t, float, emu_to_bf16(x))
/* clang-format on */

static bool is_signed(unsigned t)
{
    return t == CMPD_PTX_S8 || t == CMPD_PTX_S16 || t == CMPD_PTX_S32 || t == CMPD_PTX_S64;
}
static bool is_float(unsigned t)
{
    return t == CMPD_PTX_F16 || t == CMPD_PTX_BF16 || t == CMPD_PTX_F32 || t == CMPD_PTX_F64 ||
           t == CMPD_PTX_TF32;
}

/* An integer of type t from the low bytes of a lane, as 128 bits so that signed and unsigned both fit. */
static __int128 integer_of(uint64_t v, unsigned t)
{
    /* clang-format off */
    switch (t) {
    case CMPD_PTX_S8: return (int8_t)v;
    case CMPD_PTX_S16: return (int16_t)v;
    case CMPD_PTX_S32: return (int32_t)v;
    case CMPD_PTX_S64: return (int64_t)v;
    case CMPD_PTX_U8: case CMPD_PTX_B8: return (uint8_t)v;
    case CMPD_PTX_U16: case CMPD_PTX_B16: return (uint16_t)v;
    case CMPD_PTX_U32: case CMPD_PTX_B32: return (uint32_t)v;
    default: return v;
    }
    /* clang-format on */
}

static __int128 clamp_to(__int128 v, unsigned t)
{
    const unsigned bits = 8 * cmpd_ptx_type_size(t);
    const __int128 high = is_signed(t) ? ((__int128)1 << (bits - 1)) - 1
                                       : ((__int128)1 << bits) - 1;
    const __int128 low = is_signed(t) ? -high - 1 : 0;
    return v < low ? low : v > high ? high : v;
}

static double float_of(uint64_t v, unsigned t, bool ftz)
{
    /* clang-format off */
    switch (t) {
    case CMPD_PTX_F16: return (double)emu_from_f16((uint32_t)v & 0xffffu);
    case CMPD_PTX_BF16: return (double)emu_from_bf16((uint32_t)v & 0xffffu);
    case CMPD_PTX_F32: return (double)(ftz ? emu_flush(emu_f32((uint32_t)v)) : emu_f32((uint32_t)v));
    default: return emu_f64(v);
    }
    /* clang-format on */
}

static double to_integral(double x, enum emu_rounding mode)
{
    /* clang-format off */
    switch (mode) {
    case EMU_RZ: return trunc(x);
    case EMU_RM: return floor(x);
    case EMU_RP: return ceil(x);
    default: return rint(x);
    }
    /* clang-format on */
}

/* NaN gives zero, or the sign bit where a 64-bit type takes part (PTX ISA, "cvt"). Else it clamps. */
static uint64_t integer_from_float(double x, const struct emu_ins *in)
{
    const unsigned t = in->type;
    const unsigned bits = 8 * cmpd_ptx_type_size(t);
    if (x != x) {
        const uint64_t top = UINT64_C(1) << (bits - 1);
        return bits != 64 && in->type2 != CMPD_PTX_F64 ? 0 : is_signed(t) ? 0 - top : top;
    }
    x = to_integral(x, in->rounding);
    if (is_signed(t)) {
        const double limit = ldexp(1.0, (int)bits - 1);
        if (x >= limit)
            return (UINT64_C(1) << (bits - 1)) - 1;
        return x < -limit ? (uint64_t)0 - (UINT64_C(1) << (bits - 1)) : (uint64_t)(int64_t)x;
    }
    if (x <= 0)
        return 0;
    if (x >= ldexp(1.0, (int)bits))
        return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (uint64_t)x;
}

static int fenv_mode(enum emu_rounding mode)
{
    return mode == EMU_RZ   ? FE_TOWARDZERO
           : mode == EMU_RM ? FE_DOWNWARD
           : mode == EMU_RP ? FE_UPWARD
                            : FE_TONEAREST;
}
static float f32_of_double(double x, enum emu_rounding mode)
{
    if (mode == EMU_RN)
        return (float)x;
    fesetround(fenv_mode(mode));
    const volatile double from = x;
    const volatile float to = (float)from;
    fesetround(FE_TONEAREST);
    return to;
}
static double f64_of_integer(__int128 v, enum emu_rounding mode)
{
    fesetround(fenv_mode(mode));
    const volatile int64_t s = (int64_t)v;
    const volatile uint64_t u = (uint64_t)v;
    const volatile double to = v < 0 ? (double)s : (double)u;
    fesetround(FE_TONEAREST);
    return to;
}
static float f32_of_integer(__int128 v, enum emu_rounding mode)
{
    fesetround(fenv_mode(mode));
    const volatile int64_t s = (int64_t)v;
    const volatile uint64_t u = (uint64_t)v;
    const volatile float to = v < 0 ? (float)s : (float)u;
    fesetround(FE_TONEAREST);
    return to;
}
/* To 53 bits with the rest as a sticky lowest bit: small formats then round the true value. */
static double odd_of_integer(__int128 v)
{
    const bool negative = v < 0;
    uint64_t u = negative ? (uint64_t)-v : (uint64_t)v;
    if (u >> 53)
        u = (u & ~UINT64_C(0xfff)) | ((u & 0xfff) != 0 ? 0x1000 : 0);
    return negative ? -(double)u : (double)u;
}

static double round_float_to(double x, unsigned t, bool integral, enum emu_rounding mode)
{
    (void)t;
    return integral ? to_integral(x, mode) : x;
}

/* mode bit 0: round to an integral value in the destination's format (rni and kin between floats) */
static uint64_t float_result(double x, const struct emu_ins *in)
{
    const unsigned t = in->type;
    x = round_float_to(x, t, in->mode & 1, in->rounding);
    const enum emu_rounding mode = in->mode & 1 ? EMU_RN : (enum emu_rounding)in->rounding;
    if (in->sat)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if (in->mode & 2) /* relu */
        x = x != x || x > 0 ? x : 0;
    switch (t) {
    case CMPD_PTX_F16:
        return emu_to_f16_mode(x, mode);
    case CMPD_PTX_BF16:
        return emu_to_bf16_mode(x, mode);
    case CMPD_PTX_TF32:
        return x != x ? EMU_NAN_F32 : emu_round_small(x, 10, -126, 18, mode) << 13;
    case CMPD_PTX_F32: {
        const float r = emu_canonical(f32_of_double(x, mode));
        return emu_bits32(in->ftz ? emu_flush(r) : r);
    }
    default:
        return emu_bits64(x);
    }
}

static uint64_t finite_limit(uint64_t r, const struct emu_ins *in)
{
    if (!(in->mode & 4)) /* satfinite: infinity becomes the greatest finite value */
        return r;
    const uint64_t infinity = in->type == CMPD_PTX_F16    ? 0x7c00
                              : in->type == CMPD_PTX_BF16 ? 0x7f80
                              : in->type == CMPD_PTX_TF32 ? 0x7f800000
                                                          : 0;
    const uint64_t magnitude = in->type == CMPD_PTX_TF32 ? r & 0x7fffffff : r & 0x7fff;
    return infinity && magnitude == infinity ? r - (in->type == CMPD_PTX_TF32 ? 0x2000 : 1) : r;
}

EMU_HANDLER(cvt_any)
{
    EMU_BITS(m, l)
    {
        const uint64_t v = emu_get(w, &in->src[0], l);
        uint64_t r;
        if (is_float(in->type2) && is_float(in->type))
            r = finite_limit(float_result(float_of(v, in->type2, in->ftz), in), in);
        else if (is_float(in->type2))
            r = integer_from_float(float_of(v, in->type2, in->ftz), in);
        else if (in->type == CMPD_PTX_F32)
            r = emu_bits32(f32_of_integer(integer_of(v, in->type2), in->rounding));
        else if (in->type == CMPD_PTX_F64)
            r = emu_bits64(f64_of_integer(integer_of(v, in->type2), in->rounding));
        else if (is_float(in->type))
            r = float_result(odd_of_integer(integer_of(v, in->type2)), in);
        else
            r = (uint64_t)(in->sat ? clamp_to(integer_of(v, in->type2), in->type)
                                   : integer_of((uint64_t)integer_of(v, in->type2), in->type));
        if (in->sat && in->type == CMPD_PTX_F32 && !is_float(in->type2))
            r = emu_bits32(emu_saturate(emu_f32((uint32_t)r)));
        if (in->sat && in->type == CMPD_PTX_F64)
            r = emu_bits64(emu_f64(r) > 0 ? (emu_f64(r) < 1 ? emu_f64(r) : 1) : 0);
        emu_put(w, &in->dst[0], l, r);
    }
}

/* Two floats into one packed register: the first source becomes the upper half. */
EMU_HANDLER(cvt_pack)
{
    uint32_t *d = emu_dst(w, in, 0);
    const float *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);
    struct emu_ins half = *in;
    half.type = in->type == CMPD_PTX_F16X2 ? CMPD_PTX_F16 : CMPD_PTX_BF16;
    EMU_BITS(m, l)
    {
        const uint32_t high = (uint32_t)finite_limit(float_result((double)a[l], &half), &half);
        const uint32_t low = (uint32_t)finite_limit(float_result((double)b[l], &half), &half);
        d[l] = high << 16 | low;
    }
}

static emu_handler *const integers[7][2][2] = {
    /* by source type; source lane wide; destination lane wide */
    {{u8_32_32, u8_32_64}, {u8_64_32, u8_64_64}},
    {{s8_32_32, s8_32_64}, {s8_64_32, s8_64_64}},
    {{u16_32_32, u16_32_64}, {u16_64_32, u16_64_64}},
    {{s16_32_32, s16_32_64}, {s16_64_32, s16_64_64}},
    {{u32_32_32, u32_32_64}, {u32_64_32, u32_64_64}},
    {{s32_32_32, s32_32_64}, {s32_64_32, s32_64_64}},
    {{u64_32_32, u64_32_64}, {u64_64_32, u64_64_64}},
};

/* Truncating to a narrower type and extending that: which part of the source is left. */
static emu_handler *integer_handler(const struct emu_ins *in)
{
    const unsigned from = cmpd_ptx_type_size(in->type2), to = cmpd_ptx_type_size(in->type);
    const unsigned part = from <= to ? in->type2 : in->type;
    const unsigned size = cmpd_ptx_type_size(part);
    /* The destination's type, not the source's, says how a register that is wider than it is filled. */
    if (from <= to && is_signed(in->type) != is_signed(in->type2) && (to < 4 || in->dst[0].wide) &&
        to < 8)
        return cvt_any;
    const unsigned row = size == 8 ? 6 : (size == 1 ? 0 : size == 2 ? 2 : 4) + is_signed(part);
    /* A signed source in a wider unsigned type that does not fill its lane: bits above the type must not matter. */
    return integers[row][in->src[0].wide][in->dst[0].wide];
}

emu_handler *EMU_NAME(emu_find_cvt)(const struct emu_ins *in)
{
    if (in->src_count == 2)
        return cvt_pack;
    if (in->sat || in->ftz || in->mode || in->rounding)
        return cvt_any;
    if (!is_float(in->type) && !is_float(in->type2))
        return integer_handler(in);
    static const struct {
        uint8_t to, from;
        emu_handler *run;
    } fast[] = {
        {CMPD_PTX_F32, CMPD_PTX_S32, f32_of_s32},   {CMPD_PTX_F32, CMPD_PTX_U32, f32_of_u32},
        {CMPD_PTX_F64, CMPD_PTX_S32, f64_of_s32},   {CMPD_PTX_F64, CMPD_PTX_U32, f64_of_u32},
        {CMPD_PTX_F64, CMPD_PTX_F32, f64_of_f32},   {CMPD_PTX_F32, CMPD_PTX_F64, f32_of_f64},
        {CMPD_PTX_F32, CMPD_PTX_F16, f32_of_f16},   {CMPD_PTX_F16, CMPD_PTX_F32, f16_of_f32},
        {CMPD_PTX_F32, CMPD_PTX_BF16, f32_of_bf16}, {CMPD_PTX_BF16, CMPD_PTX_F32, bf16_of_f32},
    };
    for (unsigned i = 0; i < sizeof fast / sizeof *fast; i++)
        if (fast[i].to == in->type && fast[i].from == in->type2 &&
            in->src[0].wide == (in->type2 == CMPD_PTX_F64))
            return fast[i].run;
    return cvt_any;
}
