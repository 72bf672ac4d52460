/* Integer arithmetic: add to sad, carry chains, division. */
#include "gpu-runner/emulator/exec.h"

/* clang-format off */
EMU_BINARY(add_32, uint32_t, uint32_t, uint32_t, x + y)
EMU_BINARY(add_64, uint64_t, uint64_t, uint64_t, x + y)
EMU_BINARY(sub_32, uint32_t, uint32_t, uint32_t, x - y)
EMU_BINARY(sub_64, uint64_t, uint64_t, uint64_t, x - y)
EMU_BINARY(mul_32, uint32_t, uint32_t, uint32_t, x * y)
EMU_BINARY(mul_64, uint64_t, uint64_t, uint64_t, x * y)
EMU_TERNARY(mad_32, uint32_t, uint32_t, uint32_t, uint32_t, x * y + z)
EMU_TERNARY(mad_64, uint64_t, uint64_t, uint64_t, uint64_t, x * y + z)

static inline int32_t saturate(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}
EMU_BINARY(add_sat_s32, uint32_t, int32_t, int32_t, saturate((int64_t)x + y))
EMU_BINARY(sub_sat_s32, uint32_t, int32_t, int32_t, saturate((int64_t)x - y))

static inline int64_t high_s64(int64_t x, int64_t y)
{
    return (int64_t)(((__int128)x * y) >> 64);
}
static inline uint64_t high_u64(uint64_t x, uint64_t y)
{
    return (uint64_t)(((unsigned __int128)x * y) >> 64);
}
EMU_BINARY(mul_hi_s16, uint32_t, uint32_t, uint32_t, (uint16_t)(((int16_t)x * (int16_t)y) >> 16))
EMU_BINARY(mul_hi_u16, uint32_t, uint32_t, uint32_t, (uint16_t)(((uint32_t)(uint16_t)x * (uint16_t)y) >> 16))
EMU_BINARY(mul_hi_s32, uint32_t, int32_t, int32_t, (uint32_t)(((int64_t)x * y) >> 32))
EMU_BINARY(mul_hi_u32, uint32_t, uint32_t, uint32_t, (uint32_t)(((uint64_t)x * y) >> 32))
EMU_BINARY(mul_hi_s64, uint64_t, int64_t, int64_t, high_s64(x, y))
EMU_BINARY(mul_hi_u64, uint64_t, uint64_t, uint64_t, high_u64(x, y))
EMU_BINARY(mul_wide_s16, uint32_t, uint32_t, uint32_t, (int16_t)x * (int16_t)y)
EMU_BINARY(mul_wide_u16, uint32_t, uint32_t, uint32_t, (uint32_t)(uint16_t)x * (uint16_t)y)
EMU_BINARY(mul_wide_s32, uint64_t, int32_t, int32_t, (int64_t)x * y)
EMU_BINARY(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)x * y)
EMU_TERNARY(mad_hi_s16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)((((int16_t)x * (int16_t)y) >> 16) + (int32_t)z))
EMU_TERNARY(mad_hi_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)((((uint32_t)(uint16_t)x * (uint16_t)y) >> 16) + z))
EMU_TERNARY(mad_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)(((int64_t)x * y) >> 32) + z)
EMU_TERNARY(mad_hi_sat_s32, uint32_t, int32_t, int32_t, int32_t, saturate((((int64_t)x * y) >> 32) + z))
EMU_TERNARY(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(((uint64_t)x * y) >> 32) + z)
EMU_TERNARY(mad_hi_s64, uint64_t, int64_t, int64_t, uint64_t, (uint64_t)high_s64(x, y) + z)
EMU_TERNARY(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, high_u64(x, y) + z)
EMU_TERNARY(mad_wide_s16, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)((int16_t)x * (int16_t)y) + z)
EMU_TERNARY(mad_wide_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(uint16_t)x * (uint16_t)y + z)
EMU_TERNARY(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)x * y) + z)
EMU_TERNARY(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)x * y + z)

static inline int32_t low24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}
static inline int64_t product_s24(uint32_t x, uint32_t y)
{
    return (int64_t)low24(x) * low24(y);
}
static inline uint64_t product_u24(uint32_t x, uint32_t y)
{
    return (uint64_t)(x & 0xffffffu) * (y & 0xffffffu);
}
EMU_BINARY(mul24_lo_s32, uint32_t, uint32_t, uint32_t, product_s24(x, y))
EMU_BINARY(mul24_lo_u32, uint32_t, uint32_t, uint32_t, product_u24(x, y))
EMU_BINARY(mul24_hi_s32, uint32_t, uint32_t, uint32_t, product_s24(x, y) >> 16)
EMU_BINARY(mul24_hi_u32, uint32_t, uint32_t, uint32_t, product_u24(x, y) >> 16)
EMU_TERNARY(mad24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)product_s24(x, y) + z)
EMU_TERNARY(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)product_u24(x, y) + z)
EMU_TERNARY(mad24_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(product_s24(x, y) >> 16) + z)
EMU_TERNARY(mad24_hi_sat_s32, uint32_t, uint32_t, uint32_t, int32_t, saturate((product_s24(x, y) >> 16) + z))
EMU_TERNARY(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(product_u24(x, y) >> 16) + z)

EMU_TERNARY(sad_s16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)(z + (uint32_t)((int16_t)x < (int16_t)y ? (int16_t)y - (int16_t)x : (int16_t)x - (int16_t)y)))
EMU_TERNARY(sad_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)(z + (uint32_t)((uint16_t)x < (uint16_t)y ? (uint16_t)y - (uint16_t)x : (uint16_t)x - (uint16_t)y)))
EMU_TERNARY(sad_s32, uint32_t, int32_t, int32_t, uint32_t, z + (x < y ? (uint32_t)y - (uint32_t)x : (uint32_t)x - (uint32_t)y))
EMU_TERNARY(sad_u32, uint32_t, uint32_t, uint32_t, uint32_t, z + (x < y ? y - x : x - y))
EMU_TERNARY(sad_s64, uint64_t, int64_t, int64_t, uint64_t, z + (x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y))
EMU_TERNARY(sad_u64, uint64_t, uint64_t, uint64_t, uint64_t, z + (x < y ? y - x : x - y))

EMU_UNARY(abs_s16, uint32_t, uint32_t, (uint16_t)((int16_t)x < 0 ? -(int32_t)(int16_t)x : (int16_t)x))
EMU_UNARY(abs_s32, uint32_t, uint32_t, (int32_t)x < 0 ? 0u - x : x)
EMU_UNARY(abs_s64, uint64_t, uint64_t, (int64_t)x < 0 ? 0u - x : x)
EMU_UNARY(neg_32, uint32_t, uint32_t, 0u - x)
EMU_UNARY(neg_64, uint64_t, uint64_t, 0u - x)

EMU_BINARY(min_s16, uint32_t, uint32_t, uint32_t, (int16_t)x < (int16_t)y ? x : y)
EMU_BINARY(min_u16, uint32_t, uint32_t, uint32_t, (uint16_t)x < (uint16_t)y ? x : y)
EMU_BINARY(max_s16, uint32_t, uint32_t, uint32_t, (int16_t)x > (int16_t)y ? x : y)
EMU_BINARY(max_u16, uint32_t, uint32_t, uint32_t, (uint16_t)x > (uint16_t)y ? x : y)
EMU_BINARY(min_s32, int32_t, int32_t, int32_t, x < y ? x : y)
EMU_BINARY(min_u32, uint32_t, uint32_t, uint32_t, x < y ? x : y)
EMU_BINARY(max_s32, int32_t, int32_t, int32_t, x > y ? x : y)
EMU_BINARY(max_u32, uint32_t, uint32_t, uint32_t, x > y ? x : y)
EMU_BINARY(min_s64, int64_t, int64_t, int64_t, x < y ? x : y)
EMU_BINARY(min_u64, uint64_t, uint64_t, uint64_t, x < y ? x : y)
EMU_BINARY(max_s64, int64_t, int64_t, int64_t, x > y ? x : y)
EMU_BINARY(max_u64, uint64_t, uint64_t, uint64_t, x > y ? x : y)
EMU_BINARY(min_relu_s32, int32_t, int32_t, int32_t, x < y ? (x < 0 ? 0 : x) : (y < 0 ? 0 : y))
EMU_BINARY(max_relu_s32, int32_t, int32_t, int32_t, x > y ? (x < 0 ? 0 : x) : (y < 0 ? 0 : y))
/* clang-format on */

/*
 * Division. By zero the machine gives an unspecified value: all ones here, as NVIDIA's do, and undefined to
 * whoever uses it. The most negative value by -1 wraps.
 */
#define DIVISION(NAME, T, U, EXPR)                              \
    EMU_HANDLER(NAME)                                           \
    {                                                           \
        T *d = emu_dst(w, in, 0);                               \
        const T *a = emu_src(w, in, 0), *b = emu_src(w, in, 1); \
        uint32_t zero = 0;                                      \
        EMU_BITS(m, l)                                          \
        {                                                       \
            const T x = a[l], y = b[l];                         \
            zero |= (uint32_t)((U)y == 0) << l;                 \
            d[l] = (U)y == 0 ? (T)-1 : (T)(EXPR);               \
        }                                                       \
        if (zero)                                               \
            EMU_BITS(zero, l)                                   \
        emu_taint_set(w, in->dst[0].reg, l, 0xff, in->ptx);     \
    }
/* clang-format off */
DIVISION(div_u16, uint32_t, uint16_t, (uint16_t)x / (uint16_t)y)
DIVISION(div_u32, uint32_t, uint32_t, x / y)
DIVISION(div_u64, uint64_t, uint64_t, x / y)
DIVISION(rem_u16, uint32_t, uint16_t, (uint16_t)x % (uint16_t)y)
DIVISION(rem_u32, uint32_t, uint32_t, x % y)
DIVISION(rem_u64, uint64_t, uint64_t, x % y)
DIVISION(div_s16, uint32_t, uint16_t, (uint16_t)((int16_t)x / (int16_t)y))
DIVISION(div_s32, uint32_t, uint32_t, y == UINT32_MAX ? 0u - x : (uint32_t)((int32_t)x / (int32_t)y))
DIVISION(div_s64, uint64_t, uint64_t, y == UINT64_MAX ? 0u - x : (uint64_t)((int64_t)x / (int64_t)y))
DIVISION(rem_s16, uint32_t, uint16_t, (uint16_t)((int16_t)x % (int16_t)y))
DIVISION(rem_s32, uint32_t, uint32_t, y == UINT32_MAX ? 0 : (uint32_t)((int32_t)x % (int32_t)y))
DIVISION(rem_s64, uint64_t, uint64_t, y == UINT64_MAX ? 0 : (uint64_t)((int64_t)x % (int64_t)y))
/* clang-format on */

/*
 * Carry chains: mode bit 0: write the carry, bit 1: read it. A subtraction leaves the carry of a + ~b + 1, so 0 where it
 * borrowed: the manual doesn't say, but the compiler's 128-bit division reads it with addc, and an H200 does so.
 */
#define CARRY(NAME, T, WIDE, FIRST, SECOND, SUBTRACT)                                       \
    EMU_HANDLER(NAME)                                                                       \
    {                                                                                       \
        T *d = emu_dst(w, in, 0);                                                           \
        const T *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2);     \
        EMU_BITS(m, l)                                                                      \
        {                                                                                   \
            const WIDE x = a[l], y = b[l];                                                  \
            const WIDE z = c[l];                                                            \
            (void)z;                                                                        \
            const uint32_t flag = w->carry >> l & 1u;                                       \
            const WIDE carry = in->mode & 2 ? (SUBTRACT ? !flag : flag) : 0;                \
            const WIDE first = (T)(FIRST), second = (T)(SECOND);                            \
            const WIDE r = SUBTRACT ? first - second - carry : first + second + carry;      \
            d[l] = (T)r;                                                                    \
            const uint32_t out = (uint32_t)(r >> (8 * sizeof(T)) & 1) ^ (SUBTRACT ? 1 : 0); \
            if (in->mode & 1)                                                               \
                w->carry = (w->carry & ~(1u << l)) | out << l;                              \
        }                                                                                   \
    }
#define PRODUCT_HI_S32(x, y) (((int64_t)(int32_t)(x) * (int32_t)(y)) >> 32)
/* clang-format off */
CARRY(addc_32, uint32_t, uint64_t, x, y, false)
CARRY(addc_64, uint64_t, unsigned __int128, x, y, false)
CARRY(subc_32, uint32_t, uint64_t, x, y, true)
CARRY(subc_64, uint64_t, unsigned __int128, x, y, true)
CARRY(madc_lo_32, uint32_t, uint64_t, x * y, z, false)
CARRY(madc_lo_64, uint64_t, unsigned __int128, x * y, z, false)
CARRY(madc_hi_u32, uint32_t, uint64_t, (x * y) >> 32, z, false)
CARRY(madc_hi_s32, uint32_t, uint64_t, PRODUCT_HI_S32(x, y), z, false)
CARRY(madc_hi_u64, uint64_t, unsigned __int128, (x * y) >> 64, z, false)
CARRY(madc_hi_s64, uint64_t, unsigned __int128, high_s64((int64_t)x, (int64_t)y), z, false)

#define ROW(op, types, form, need, allow, run) {CMPD_PTX_OP_##op, EMU_TAINT_ALL, form, types, 0, need, allow, run}
#define MUL(op, types, form, need, allow, run) {CMPD_PTX_OP_##op, EMU_TAINT_MULTIPLY, form, types, 0, need, allow, run}
#define S16 EMU_T(S16)
#define U16 EMU_T(U16)
#define S32 EMU_T(S32)
#define U32 EMU_T(U32)
#define S64 EMU_T(S64)
#define U64 EMU_T(U64)
#define LO EMU_F(lo)
#define HI EMU_F(hi)
#define WIDE EMU_F(wide)
#define CC EMU_F(cc)
const struct emu_row EMU_NAME(emu_rows_int)[] = {
    ROW(add, EMU_T_16 | EMU_T_32, "ttt", 0, 0, add_32),
    ROW(add, EMU_T_64, "ttt", 0, 0, add_64),
    ROW(add, S32, "ttt", EMU_F(sat), 0, add_sat_s32),
    ROW(add, EMU_T_32, "ttt", CC, 0, addc_32),
    ROW(add, EMU_T_64, "ttt", CC, 0, addc_64),
    ROW(addc, EMU_T_32, "ttt", 0, CC, addc_32),
    ROW(addc, EMU_T_64, "ttt", 0, CC, addc_64),
    ROW(sub, EMU_T_16 | EMU_T_32, "ttt", 0, 0, sub_32),
    ROW(sub, EMU_T_64, "ttt", 0, 0, sub_64),
    ROW(sub, S32, "ttt", EMU_F(sat), 0, sub_sat_s32),
    ROW(sub, EMU_T_32, "ttt", CC, 0, subc_32),
    ROW(sub, EMU_T_64, "ttt", CC, 0, subc_64),
    ROW(subc, EMU_T_32, "ttt", 0, CC, subc_32),
    ROW(subc, EMU_T_64, "ttt", 0, CC, subc_64),
    MUL(mul, EMU_T_16 | EMU_T_32, "ttt", LO, 0, mul_32),
    MUL(mul, EMU_T_64, "ttt", LO, 0, mul_64),
    MUL(mul, S16, "ttt", HI, 0, mul_hi_s16),
    MUL(mul, U16, "ttt", HI, 0, mul_hi_u16),
    MUL(mul, S32, "ttt", HI, 0, mul_hi_s32),
    MUL(mul, U32, "ttt", HI, 0, mul_hi_u32),
    MUL(mul, S64, "ttt", HI, 0, mul_hi_s64),
    MUL(mul, U64, "ttt", HI, 0, mul_hi_u64),
    MUL(mul, S16, "wtt", WIDE, 0, mul_wide_s16),
    MUL(mul, U16, "wtt", WIDE, 0, mul_wide_u16),
    MUL(mul, S32, "wtt", WIDE, 0, mul_wide_s32),
    MUL(mul, U32, "wtt", WIDE, 0, mul_wide_u32),
    ROW(mad, EMU_T_16 | EMU_T_32, "tttt", LO, 0, mad_32),
    ROW(mad, EMU_T_64, "tttt", LO, 0, mad_64),
    ROW(mad, S16, "tttt", HI, 0, mad_hi_s16),
    ROW(mad, U16, "tttt", HI, 0, mad_hi_u16),
    ROW(mad, S32, "tttt", HI, 0, mad_hi_s32),
    ROW(mad, S32, "tttt", HI | EMU_F(sat), 0, mad_hi_sat_s32),
    ROW(mad, U32, "tttt", HI, 0, mad_hi_u32),
    ROW(mad, S64, "tttt", HI, 0, mad_hi_s64),
    ROW(mad, U64, "tttt", HI, 0, mad_hi_u64),
    ROW(mad, S16, "wttw", WIDE, 0, mad_wide_s16),
    ROW(mad, U16, "wttw", WIDE, 0, mad_wide_u16),
    ROW(mad, S32, "wttw", WIDE, 0, mad_wide_s32),
    ROW(mad, U32, "wttw", WIDE, 0, mad_wide_u32),
    ROW(mad, EMU_T_32, "tttt", LO | CC, 0, madc_lo_32),
    ROW(mad, EMU_T_64, "tttt", LO | CC, 0, madc_lo_64),
    ROW(mad, U32, "tttt", HI | CC, 0, madc_hi_u32),
    ROW(mad, S32, "tttt", HI | CC, 0, madc_hi_s32),
    ROW(mad, U64, "tttt", HI | CC, 0, madc_hi_u64),
    ROW(mad, S64, "tttt", HI | CC, 0, madc_hi_s64),
    ROW(madc, EMU_T_32, "tttt", LO, CC, madc_lo_32),
    ROW(madc, EMU_T_64, "tttt", LO, CC, madc_lo_64),
    ROW(madc, U32, "tttt", HI, CC, madc_hi_u32),
    ROW(madc, S32, "tttt", HI, CC, madc_hi_s32),
    ROW(madc, U64, "tttt", HI, CC, madc_hi_u64),
    ROW(madc, S64, "tttt", HI, CC, madc_hi_s64),
    MUL(mul24, S32, "ttt", LO, 0, mul24_lo_s32),
    MUL(mul24, U32, "ttt", LO, 0, mul24_lo_u32),
    MUL(mul24, S32, "ttt", HI, 0, mul24_hi_s32),
    MUL(mul24, U32, "ttt", HI, 0, mul24_hi_u32),
    ROW(mad24, S32, "tttt", LO, 0, mad24_lo_s32),
    ROW(mad24, U32, "tttt", LO, 0, mad24_lo_u32),
    ROW(mad24, S32, "tttt", HI, 0, mad24_hi_s32),
    ROW(mad24, S32, "tttt", HI | EMU_F(sat), 0, mad24_hi_sat_s32),
    ROW(mad24, U32, "tttt", HI, 0, mad24_hi_u32),
    ROW(sad, S16, "tttt", 0, 0, sad_s16),
    ROW(sad, U16, "tttt", 0, 0, sad_u16),
    ROW(sad, S32, "tttt", 0, 0, sad_s32),
    ROW(sad, U32, "tttt", 0, 0, sad_u32),
    ROW(sad, S64, "tttt", 0, 0, sad_s64),
    ROW(sad, U64, "tttt", 0, 0, sad_u64),
    ROW(div, S16, "ttt", 0, 0, div_s16),
    ROW(div, U16, "ttt", 0, 0, div_u16),
    ROW(div, S32, "ttt", 0, 0, div_s32),
    ROW(div, U32, "ttt", 0, 0, div_u32),
    ROW(div, S64, "ttt", 0, 0, div_s64),
    ROW(div, U64, "ttt", 0, 0, div_u64),
    ROW(rem, S16, "ttt", 0, 0, rem_s16),
    ROW(rem, U16, "ttt", 0, 0, rem_u16),
    ROW(rem, S32, "ttt", 0, 0, rem_s32),
    ROW(rem, U32, "ttt", 0, 0, rem_u32),
    ROW(rem, S64, "ttt", 0, 0, rem_s64),
    ROW(rem, U64, "ttt", 0, 0, rem_u64),
    ROW(abs, S16, "tt", 0, 0, abs_s16),
    ROW(abs, S32, "tt", 0, 0, abs_s32),
    ROW(abs, S64, "tt", 0, 0, abs_s64),
    ROW(neg, S16 | S32, "tt", 0, 0, neg_32),
    ROW(neg, S64, "tt", 0, 0, neg_64),
    ROW(min, S16, "ttt", 0, 0, min_s16),
    ROW(min, U16, "ttt", 0, 0, min_u16),
    ROW(min, S32, "ttt", 0, 0, min_s32),
    ROW(min, U32, "ttt", 0, 0, min_u32),
    ROW(min, S64, "ttt", 0, 0, min_s64),
    ROW(min, U64, "ttt", 0, 0, min_u64),
    ROW(min, S32, "ttt", EMU_F(relu), 0, min_relu_s32),
    ROW(max, S16, "ttt", 0, 0, max_s16),
    ROW(max, U16, "ttt", 0, 0, max_u16),
    ROW(max, S32, "ttt", 0, 0, max_s32),
    ROW(max, U32, "ttt", 0, 0, max_u32),
    ROW(max, S64, "ttt", 0, 0, max_s64),
    ROW(max, U64, "ttt", 0, 0, max_u64),
    ROW(max, S32, "ttt", EMU_F(relu), 0, max_relu_s32),
    {0},
};
