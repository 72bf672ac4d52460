/*
 * Small floating formats: f16, bf16, tf32 and the 8-bit ones. Everything is exact: a value is widened to float or
 * double, worked on there with enough bits, and rounded once.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_HALF_H
#define CMPD_GPU_RUNNER_EMULATOR_HALF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "gpu-runner/emulator/exec.h"

/* The NaN that NVIDIA's arithmetic gives, whatever NaN went in (PTX ISA, "Floating-Point Instructions"). */
#define EMU_NAN_F32  0x7fffffffu
#define EMU_NAN_F16  0x7fffu
#define EMU_NAN_BF16 0x7fffu

static inline float emu_f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint32_t emu_bits32(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}
static inline double emu_f64(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint64_t emu_bits64(double f)
{
    uint64_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

/*
 * Rounds to a format of `mantissa` stored bits whose least normal exponent is `emin`; the encoding without its sign's
 * place: sign is shifted to bit `top`. Infinity's exponent field is the one above the greatest. NaN: not handled.
 */
static inline uint32_t emu_round_small(double x, unsigned mantissa, int emin, unsigned top,
                                       enum emu_rounding mode)
{
    const uint64_t bits = emu_bits64(x);
    const uint32_t negative = (uint32_t)(bits >> 63);
    const uint32_t infinity = (uint32_t)((1u << (top - mantissa)) - 1) << mantissa;
    uint64_t m = bits & 0xfffffffffffffull;
    int e = (int)(bits >> 52 & 0x7ff);
    if (e == 0x7ff)
        return negative << top | infinity;
    if (e == 0 && m == 0)
        return negative << top;
    if (e != 0)
        m |= 1ull << 52;
    e = e ? e - 1023 : -1022;
    unsigned shift = 52 - mantissa + (e < emin ? (unsigned)(emin - e) : 0);
    if (shift > 60)
        shift = 60; /* all that is left counts as less than a half */
    const uint64_t rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    uint64_t q = m >> shift;
    bool up = false;
    if (mode == EMU_RN)
        up = rest > half || (rest == half && (q & 1));
    else if (mode == EMU_RNA)
        up = rest >= half;
    else if (rest)
        up = (mode == EMU_RM && negative) || (mode == EMU_RP && !negative);
    q += up;
    const uint64_t field = e < emin ? q : ((uint64_t)(e - emin) << mantissa) + q;
    if (field >= infinity) {
        const bool away = mode == EMU_RN || mode == EMU_RNA || (mode == EMU_RM && negative) ||
                          (mode == EMU_RP && !negative);
        return negative << top | (away ? infinity : infinity - 1);
    }
    return negative << top | (uint32_t)field;
}

static inline float emu_from_f16(uint32_t h)
{
#ifdef __F16C__
    return _cvtsh_ss((uint16_t)h);
#else
    const uint32_t sign = (h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 0x3ffu;
    if (e == 31)
        return emu_f32(sign | 0x7f800000u | m << 13);
    if (e == 0) /* zero or subnormal: m * 2^-24 is exact */
        return emu_f32(sign | emu_bits32((float)m * 0x1p-24f));
    return emu_f32(sign | (e + 112) << 23 | m << 13);
#endif
}
static inline float emu_from_bf16(uint32_t h)
{
    return emu_f32(h << 16);
}
static inline uint32_t emu_to_f16_mode(double x, enum emu_rounding mode)
{
    return x != x ? EMU_NAN_F16 : emu_round_small(x, 10, -14, 15, mode);
}
static inline uint32_t emu_to_bf16_mode(double x, enum emu_rounding mode)
{
    return x != x ? EMU_NAN_BF16 : emu_round_small(x, 7, -126, 15, mode);
}
static inline uint32_t emu_to_f16(float x)
{
#ifdef __F16C__
    return x != x ? EMU_NAN_F16 : (uint32_t)(uint16_t)_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
#else
    return emu_to_f16_mode((double)x, EMU_RN);
#endif
}
static inline uint32_t emu_to_bf16(float x)
{
    const uint32_t b = emu_bits32(x);
    return x != x ? EMU_NAN_BF16 : (b + 0x7fffu + (b >> 16 & 1u)) >> 16;
}

/* a * b + c to odd, where a * b is exact: whoever rounds it again to at most 50 bits rounds the true sum. */
static inline double emu_fma_odd(double a, double b, double c)
{
    const double p = a * b, s = p + c;
    if (!(fabs(s) <= 0x1p1023))
        return s;
    const double t = s - p, lost = (p - (s - t)) + (c - t);
    uint64_t bits = emu_bits64(s);
    if (lost != 0 && !(bits & 1))
        bits += (lost > 0) == (s > 0) ? 1 : UINT64_MAX;
    return emu_f64(bits);
}

static inline float emu_flush(float x)
{
    const uint32_t b = emu_bits32(x);
    return b & 0x7f800000u ? x : emu_f32(b & 0x80000000u);
}
/* NaN becomes the one that the hardware gives. */
static inline float emu_canonical(float x)
{
    return x == x ? x : emu_f32(EMU_NAN_F32);
}
static inline float emu_saturate(float x)
{
    return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; /* NaN gives 0 */
}
static inline uint32_t emu_flush_f16(uint32_t h)
{
    return h & 0x7c00u ? h : h & 0x8000u;
}
static inline uint32_t emu_flush_bf16(uint32_t h)
{
    return h & 0x7f80u ? h : h & 0x8000u;
}

#endif
