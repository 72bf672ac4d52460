/* Comparisons: setp, set, testp, slct and selp. */
#include <immintrin.h>
#include <math.h>

#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/half.h"

/* 32 lanes of all ones or zero as one mask. */
static inline uint32_t mask_of_32(const uint32_t *t)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        r |= (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)t + 4 * i)) << (4 * i);
    return r;
}
static inline uint32_t mask_of_64(const uint64_t *t)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 16; i++)
        r |= (uint32_t)_mm_movemask_pd(_mm_loadu_pd((const double *)t + 2 * i)) << (2 * i);
    return r;
}

#define TEST(NAME, LANE, T, BITS, CONVERT, EXPR)                             \
    static uint32_t NAME(const struct emu_warp *w, const struct emu_ins *in) \
    {                                                                        \
        const LANE *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);           \
        const bool ftz = in->ftz;                                            \
        (void)ftz;                                                           \
        uint##BITS##_t t[EMU_LANES];                                         \
        EMU_IVDEP for (unsigned l = 0; l < EMU_LANES; l++)                   \
        {                                                                    \
            const T x = CONVERT(a[l]), y = CONVERT(b[l]);                    \
            t[l] = (uint##BITS##_t)0 - (uint##BITS##_t)(EXPR);               \
        }                                                                    \
        return mask_of_##BITS(t);                                            \
    }

#define PLAIN(v)     (v)
#define LOW_S16(v)   ((int16_t)(v))
#define LOW_U16(v)   ((uint16_t)(v))
#define MAY_FLUSH(v) (ftz ? emu_flush(v) : (v))
#define HALF(v)      emu_from_f16(ftz ? emu_flush_f16((v)&0xffffu) : ((v)&0xffffu))
#define BHALF(v)     emu_from_bf16((v)&0xffffu)

#define INTEGER_TESTS(SUFFIX, LANE, T, BITS, CONVERT) \
    TEST(eq_##SUFFIX, LANE, T, BITS, CONVERT, x == y) \
    TEST(ne_##SUFFIX, LANE, T, BITS, CONVERT, x != y) \
    TEST(lt_##SUFFIX, LANE, T, BITS, CONVERT, x < y)  \
    TEST(le_##SUFFIX, LANE, T, BITS, CONVERT, x <= y) \
    TEST(gt_##SUFFIX, LANE, T, BITS, CONVERT, x > y)  \
    TEST(ge_##SUFFIX, LANE, T, BITS, CONVERT, x >= y)
#define FLOAT_TESTS(SUFFIX, LANE, T, BITS, CONVERT)               \
    TEST(eq_##SUFFIX, LANE, T, BITS, CONVERT, x == y)             \
    TEST(ne_##SUFFIX, LANE, T, BITS, CONVERT, x<y || x> y)        \
    TEST(lt_##SUFFIX, LANE, T, BITS, CONVERT, x < y)              \
    TEST(le_##SUFFIX, LANE, T, BITS, CONVERT, x <= y)             \
    TEST(gt_##SUFFIX, LANE, T, BITS, CONVERT, x > y)              \
    TEST(ge_##SUFFIX, LANE, T, BITS, CONVERT, x >= y)             \
    TEST(equ_##SUFFIX, LANE, T, BITS, CONVERT, !(x < y || x > y)) \
    TEST(neu_##SUFFIX, LANE, T, BITS, CONVERT, !(x == y))         \
    TEST(ltu_##SUFFIX, LANE, T, BITS, CONVERT, !(x >= y))         \
    TEST(leu_##SUFFIX, LANE, T, BITS, CONVERT, !(x > y))          \
    TEST(gtu_##SUFFIX, LANE, T, BITS, CONVERT, !(x <= y))         \
    TEST(geu_##SUFFIX, LANE, T, BITS, CONVERT, !(x < y))          \
    TEST(num_##SUFFIX, LANE, T, BITS, CONVERT, x == x && y == y)  \
    TEST(nan_##SUFFIX, LANE, T, BITS, CONVERT, x != x || y != y)

INTEGER_TESTS(s16, uint32_t, int16_t, 32, LOW_S16)
INTEGER_TESTS(u16, uint32_t, uint16_t, 32, LOW_U16)
INTEGER_TESTS(s32, int32_t, int32_t, 32, PLAIN)
INTEGER_TESTS(u32, uint32_t, uint32_t, 32, PLAIN)
INTEGER_TESTS(s64, int64_t, int64_t, 64, PLAIN)
INTEGER_TESTS(u64, uint64_t, uint64_t, 64, PLAIN)
FLOAT_TESTS(f32, float, float, 32, MAY_FLUSH)
FLOAT_TESTS(f64, double, double, 64, PLAIN)
FLOAT_TESTS(f16, uint32_t, float, 32, HALF)
FLOAT_TESTS(bf16, uint32_t, float, 32, BHALF)
#define HALF_HIGH(v)  emu_from_f16(ftz ? emu_flush_f16((v) >> 16) : (v) >> 16)
#define BHALF_HIGH(v) emu_from_bf16((v) >> 16)
FLOAT_TESTS(f16_high, uint32_t, float, 32, HALF_HIGH)
FLOAT_TESTS(bf16_high, uint32_t, float, 32, BHALF_HIGH)

enum { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_, COMPARES };

static int compare_index(unsigned mod)
{
    /* clang-format off */
    switch (mod) {
    case CMPD_PTX_MOD_eq: return EQ;
    case CMPD_PTX_MOD_ne: return NE;
    case CMPD_PTX_MOD_lt: case CMPD_PTX_MOD_lo: return LT;
    case CMPD_PTX_MOD_le: case CMPD_PTX_MOD_ls: return LE;
    case CMPD_PTX_MOD_gt: case CMPD_PTX_MOD_hi: return GT;
    case CMPD_PTX_MOD_ge: case CMPD_PTX_MOD_hs: return GE;
    case CMPD_PTX_MOD_equ: return EQU;
    case CMPD_PTX_MOD_neu: return NEU;
    case CMPD_PTX_MOD_ltu: return LTU;
    case CMPD_PTX_MOD_leu: return LEU;
    case CMPD_PTX_MOD_gtu: return GTU;
    case CMPD_PTX_MOD_geu: return GEU;
    case CMPD_PTX_MOD_num: return NUM;
    case CMPD_PTX_MOD_nan: return NAN_;
    default: return -1;
    }
    /* clang-format on */
}

#define INTEGER_ROW(s)                                 \
    {                                                  \
        eq_##s, ne_##s, lt_##s, le_##s, gt_##s, ge_##s \
    }
#define FLOAT_ROW(s)                                                                        \
    {                                                                                       \
        eq_##s, ne_##s, lt_##s, le_##s, gt_##s, ge_##s, equ_##s, neu_##s, ltu_##s, leu_##s, \
            gtu_##s, geu_##s, num_##s, nan_##s                                              \
    }
/* f16 and bf16 by halves: the low half under the type's own name, the high one under that of the packed type. */
static emu_test *const tests[CMPD_PTX_TYPE_COUNT][COMPARES] = {
    [CMPD_PTX_S16] = INTEGER_ROW(s16),        [CMPD_PTX_U16] = INTEGER_ROW(u16),
    [CMPD_PTX_B16] = INTEGER_ROW(u16),        [CMPD_PTX_S32] = INTEGER_ROW(s32),
    [CMPD_PTX_U32] = INTEGER_ROW(u32),        [CMPD_PTX_B32] = INTEGER_ROW(u32),
    [CMPD_PTX_S64] = INTEGER_ROW(s64),        [CMPD_PTX_U64] = INTEGER_ROW(u64),
    [CMPD_PTX_B64] = INTEGER_ROW(u64),        [CMPD_PTX_F32] = FLOAT_ROW(f32),
    [CMPD_PTX_F64] = FLOAT_ROW(f64),          [CMPD_PTX_F16] = FLOAT_ROW(f16),
    [CMPD_PTX_BF16] = FLOAT_ROW(bf16),        [CMPD_PTX_F16X2] = FLOAT_ROW(f16_high),
    [CMPD_PTX_BF16X2] = FLOAT_ROW(bf16_high),
};

emu_test *EMU_NAME(emu_find_test)(unsigned type, unsigned compare)
{
    int i = compare_index(compare);
    return i >= 0 && type < CMPD_PTX_TYPE_COUNT ? tests[type][i] : NULL;
}

static inline uint32_t combine(const struct emu_ins *in, uint32_t r, uint32_t c)
{
    switch (in->combine) {
    case 0:
        return r;
    case 1:
        return r & c;
    case 2:
        return r | c;
    default:
        return r ^ c;
    }
}

/* p|q = (a ? b) combined with c; q has the negated comparison. */
void EMU_NAME(emu_setp)(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const uint32_t r = in->test(w, in);
    const uint32_t c = in->combine ? emu_predicate(w, &in->src[2]) : 0;
    emu_set_predicate(w, &in->dst[0], m, combine(in, r, c));
    if (in->dst_count > 1)
        emu_set_predicate(w, &in->dst[1], m, combine(in, ~r, c));
}

/* Packed halves: p gets the low one, q the high one. The low test stands under the unpacked type. */
static emu_test *low_test(const struct emu_ins *in)
{
    unsigned low = in->type == CMPD_PTX_F16X2 ? CMPD_PTX_F16 : CMPD_PTX_BF16;
    return tests[low][in->mode];
}
void EMU_NAME(emu_setp_x2)(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const uint32_t high = in->test(w, in), low = low_test(in)(w, in);
    const uint32_t c = in->combine ? emu_predicate(w, &in->src[2]) : 0;
    emu_set_predicate(w, &in->dst[0], m, combine(in, low, c));
    emu_set_predicate(w, &in->dst[1], m, combine(in, high, c));
}

/* imm: the value for true (set.u32: all ones, set.f32: 1.0, packed halves: both halves) */
void EMU_NAME(emu_set)(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const bool packed = in->type2 == CMPD_PTX_F16X2 || in->type2 == CMPD_PTX_BF16X2;
    const uint32_t c = in->combine ? emu_predicate(w, &in->src[2]) : 0;
    const uint32_t r = combine(in, in->test(w, in), c);
    const uint32_t true_value = (uint32_t)in->imm;
    uint32_t *d = emu_dst(w, in, 0);
    if (!packed) {
        EMU_BITS(m, l)
        d[l] = r >> l & 1 ? true_value : 0;
        return;
    }
    const struct emu_ins low = {.type = in->type2, .mode = in->mode};
    const uint32_t s = combine(in, low_test(&low)(w, in), c);
    EMU_BITS(m, l)
    d[l] = (s >> l & 1 ? true_value & 0xffffu : 0) | (r >> l & 1 ? true_value & 0xffff0000u : 0);
}

int EMU_NAME(emu_compare_index)(unsigned mod)
{
    return compare_index(mod);
}

/* Classes of testp; mode: the modifier's place in the list of emu_bind_testp. */
static bool is_class(double x, double smallest, unsigned mode)
{
    const bool finite = fabs(x) <= 0x1.fffffffffffffp1023;
    switch (mode) {
    case 0:
        return finite;
    case 1:
        return x == x && !finite;
    case 2:
        return x == x;
    case 3:
        return x != x;
    case 4:
        return finite && (x == 0 || fabs(x) >= smallest); /* PTX ISA, "testp": zero is normal */
    default:
        return x != 0 && fabs(x) < smallest;
    }
}
void EMU_NAME(emu_testp)(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const void *a = emu_src(w, in, 0);
    uint32_t r = 0;
    EMU_BITS(m, l)
    {
        const bool f64 = in->type == CMPD_PTX_F64;
        const double x = f64 ? ((const double *)a)[l] : (double)((const float *)a)[l];
        r |= (uint32_t)is_class(x, f64 ? 0x1p-1022 : 0x1p-126, in->mode) << l;
    }
    emu_set_predicate(w, &in->dst[0], m, r);
}

EMU_HANDLER(selp_32)
{
    uint32_t *d = emu_dst(w, in, 0);
    const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);
    const uint32_t p = emu_predicate(w, &in->src[2]);
    EMU_EACH(uint32_t, , p >> l & 1u ? a[l] : b[l])
}
EMU_HANDLER(selp_64)
{
    uint64_t *d = emu_dst(w, in, 0);
    const uint64_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);
    const uint32_t p = emu_predicate(w, &in->src[2]);
    EMU_EACH(uint64_t, , p >> l & 1u ? a[l] : b[l])
}
/* clang-format off */
EMU_TERNARY(slct_32_s32, uint32_t, uint32_t, uint32_t, int32_t, z >= 0 ? x : y)
EMU_TERNARY(slct_64_s32, uint64_t, uint64_t, uint64_t, int32_t, z >= 0 ? x : y)
EMU_TERNARY(slct_32_f32, uint32_t, uint32_t, uint32_t, float, z >= 0 ? x : y)
EMU_TERNARY(slct_64_f32, uint64_t, uint64_t, uint64_t, float, z >= 0 ? x : y)

/* A subnormal that is flushed is zero, and minus zero counts as zero: ftz changes nothing but tiny negatives. */
EMU_TERNARY(slct_32_f32_ftz, uint32_t, uint32_t, uint32_t, float, emu_flush(z) >= 0 ? x : y)
EMU_TERNARY(slct_64_f32_ftz, uint64_t, uint64_t, uint64_t, float, emu_flush(z) >= 0 ? x : y)

#define T32 (EMU_T_16 | EMU_T_32 | EMU_T(F32) | EMU_T(F16) | EMU_T(BF16) | EMU_T(F16X2))
#define T64 (EMU_T_64 | EMU_T(F64))
#define SELECT(op, types, types2, form, need, run) {CMPD_PTX_OP_##op, EMU_TAINT_SELECT, form, types, types2, need, 0, run}
const struct emu_row EMU_NAME(emu_rows_setp)[] = {
    SELECT(selp, T32, 0, "tttp", 0, selp_32),
    SELECT(selp, T64, 0, "tttp", 0, selp_64),
    SELECT(slct, T32, EMU_T(S32), "ttt2", 0, slct_32_s32),
    SELECT(slct, T64, EMU_T(S32), "ttt2", 0, slct_64_s32),
    SELECT(slct, T32, EMU_T(F32), "ttt2", 0, slct_32_f32),
    SELECT(slct, T64, EMU_T(F32), "ttt2", 0, slct_64_f32),
    SELECT(slct, T32, EMU_T(F32), "ttt2", EMU_F(ftz), slct_32_f32_ftz),
    SELECT(slct, T64, EMU_T(F32), "ttt2", EMU_F(ftz), slct_64_f32_ftz),
    {0},
};
