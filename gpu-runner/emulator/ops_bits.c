/* Logic, shifts, bit fields, bytes. */
#include "gpu-runner/emulator/exec.h"

/* clang-format off */
EMU_BINARY(and_32, uint32_t, uint32_t, uint32_t, x & y)
EMU_BINARY(and_64, uint64_t, uint64_t, uint64_t, x & y)
EMU_BINARY(or_32, uint32_t, uint32_t, uint32_t, x | y)
EMU_BINARY(or_64, uint64_t, uint64_t, uint64_t, x | y)
EMU_BINARY(xor_32, uint32_t, uint32_t, uint32_t, x ^ y)
EMU_BINARY(xor_64, uint64_t, uint64_t, uint64_t, x ^ y)
EMU_UNARY(not_32, uint32_t, uint32_t, ~x)
EMU_UNARY(not_64, uint64_t, uint64_t, ~x)
EMU_UNARY(cnot_16, uint32_t, uint32_t, (uint16_t)x == 0)
EMU_UNARY(cnot_32, uint32_t, uint32_t, x == 0)
EMU_UNARY(cnot_64, uint64_t, uint64_t, x == 0)
/* Shift amounts are clamped to the width. */
EMU_BINARY(shl_16, uint32_t, uint32_t, uint32_t, y > 15 ? 0 : (uint16_t)(x << (y & 31)))
EMU_BINARY(shl_32, uint32_t, uint32_t, uint32_t, y > 31 ? 0 : x << (y & 31))
EMU_BINARY(shl_64, uint64_t, uint64_t, uint32_t, y > 63 ? 0 : x << (y & 63))
EMU_BINARY(shr_u16, uint32_t, uint32_t, uint32_t, y > 15 ? 0 : (uint16_t)x >> (y & 31))
EMU_BINARY(shr_u32, uint32_t, uint32_t, uint32_t, y > 31 ? 0 : x >> (y & 31))
EMU_BINARY(shr_u64, uint64_t, uint64_t, uint32_t, y > 63 ? 0 : x >> (y & 63))
EMU_BINARY(shr_s16, uint32_t, uint32_t, uint32_t, (uint16_t)((int16_t)x >> (y > 15 ? 15 : y)))
EMU_BINARY(shr_s32, uint32_t, int32_t, uint32_t, x >> (y > 31 ? 31 : y))
EMU_BINARY(shr_s64, uint64_t, int64_t, uint32_t, x >> (y > 63 ? 63 : y))

static inline uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << n >> 32);
}
static inline uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}
EMU_TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(x, y, z & 31))
EMU_TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(x, y, z > 32 ? 32 : z))
EMU_TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(x, y, z & 31))
EMU_TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(x, y, z > 32 ? 32 : z))

EMU_UNARY(popc_32, uint32_t, uint32_t, __builtin_popcount(x))
EMU_UNARY(popc_64, uint32_t, uint64_t, __builtin_popcountll(x))
EMU_UNARY(clz_32, uint32_t, uint32_t, x ? __builtin_clz(x) : 32)
EMU_UNARY(clz_64, uint32_t, uint64_t, x ? __builtin_clzll(x) : 64)
/* clang-format on */

static inline uint32_t reverse_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline uint64_t reverse_64(uint64_t x)
{
    return (uint64_t)reverse_32((uint32_t)x) << 32 | reverse_32((uint32_t)(x >> 32));
}
EMU_UNARY(brev_32, uint32_t, uint32_t, reverse_32(x))
EMU_UNARY(brev_64, uint64_t, uint64_t, reverse_64(x))

/* The most significant bit that differs from the sign; all ones: none. With shiftamt: how far it is from the top. */
static inline uint32_t find_32(uint32_t x, bool shiftamt)
{
    const uint32_t at = x ? 31u - (uint32_t)__builtin_clz(x) : UINT32_MAX;
    return shiftamt && x ? 31u - at : at;
}
static inline uint32_t find_64(uint64_t x, bool shiftamt)
{
    const uint32_t at = x ? 63u - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
    return shiftamt && x ? 63u - at : at;
}
/* clang-format off */
EMU_UNARY(bfind_u32, uint32_t, uint32_t, find_32(x, false))
EMU_UNARY(bfind_s32, uint32_t, uint32_t, find_32((int32_t)x < 0 ? ~x : x, false))
EMU_UNARY(bfind_u64, uint32_t, uint64_t, find_64(x, false))
EMU_UNARY(bfind_s64, uint32_t, uint64_t, find_64((int64_t)x < 0 ? ~x : x, false))
EMU_UNARY(bfind_shiftamt_u32, uint32_t, uint32_t, find_32(x, true))
EMU_UNARY(bfind_shiftamt_s32, uint32_t, uint32_t, find_32((int32_t)x < 0 ? ~x : x, true))
EMU_UNARY(bfind_shiftamt_u64, uint32_t, uint64_t, find_64(x, true))
EMU_UNARY(bfind_shiftamt_s64, uint32_t, uint64_t, find_64((int64_t)x < 0 ? ~x : x, true))
/* clang-format on */

/* The n-th set bit from base, counting base; forwards for n > 0, backwards for n < 0 (PTX ISA, "fns"). */
static uint32_t find_nth(uint32_t x, uint32_t base, int32_t n)
{
    const int step = n < 0 ? -1 : 1;
    int32_t left = n == 0 ? 1 : n < 0 ? -n : n;
    if (n == 0)
        return x >> (base & 31) & 1 ? base & 31 : UINT32_MAX;
    for (int at = (int)(base & 31); at >= 0 && at < 32; at += step)
        if ((x >> at & 1) && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}
EMU_TERNARY(fns_32, uint32_t, uint32_t, uint32_t, int32_t, find_nth(x, y, z))

/* Bit fields: position and length are bytes; what lies beyond the value reads as its sign, or zero. */
static inline uint64_t extract(uint64_t x, uint32_t position, uint32_t length, unsigned width,
                               bool is_signed)
{
    position &= 0xff;
    length &= 0xff;
    if (length == 0)
        return 0;
    const uint64_t top = position + length - 1 < width ? position + length - 1 : width - 1;
    const uint64_t sign = is_signed ? x >> top & 1 : 0;
    uint64_t field = position < width ? x >> position : 0;
    const uint64_t have = position < width ? width - position : 0;
    const uint64_t bits = length < have ? length : have;
    const uint64_t keep = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (field & keep) | (sign ? ~keep : 0);
}
static inline uint64_t insert(uint64_t from, uint64_t into, uint32_t position, uint32_t length,
                              unsigned width)
{
    position &= 0xff;
    length &= 0xff;
    if (position >= width)
        return into;
    const uint64_t ones = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
    const uint64_t place = ones << position;
    return (into & ~place) | (from << position & place);
}
/* clang-format off */
EMU_TERNARY(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(x, y, z, 32, false))
EMU_TERNARY(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(x, y, z, 32, true))
EMU_TERNARY(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(x, y, z, 64, false))
EMU_TERNARY(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(x, y, z, 64, true))
/* clang-format on */
#define INSERT(NAME, T, WIDTH)                                                     \
    EMU_HANDLER(NAME)                                                              \
    {                                                                              \
        T *d = emu_dst(w, in, 0);                                                  \
        const T *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);                    \
        const uint32_t *position = emu_src(w, in, 2), *length = emu_src(w, in, 3); \
        EMU_BITS(m, l)                                                             \
        d[l] = (T)insert(a[l], b[l], position[l], length[l], WIDTH);               \
    }
INSERT(bfi_32, uint32_t, 32)
INSERT(bfi_64, uint64_t, 64)

static inline uint32_t mask_clamp(uint32_t at, uint32_t n)
{
    return at > 31 ? 0 : (n > 31 ? UINT32_MAX : (1u << n) - 1) << at;
}
EMU_BINARY(bmsk_clamp, uint32_t, uint32_t, uint32_t, mask_clamp(x, y))
EMU_BINARY(bmsk_wrap, uint32_t, uint32_t, uint32_t, mask_clamp(x & 31, y & 31))

static inline uint32_t permute_byte(uint64_t from, uint32_t selector)
{
    const uint32_t byte = (uint32_t)(from >> (8 * (selector & 7))) & 0xff;
    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
/* The special modes as lists of four selectors, indexed by the two low bits of c (PTX ISA, "prmt"). */
static const uint16_t permute_modes[7][4] = {
    [1] = {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
    [2] = {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
    [3] = {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
    [4] = {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
    [5] = {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
    [6] = {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
};
EMU_HANDLER(prmt)
{
    uint32_t *d = emu_dst(w, in, 0);
    const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2);
    EMU_BITS(m, l)
    {
        const uint64_t from = (uint64_t)b[l] << 32 | a[l];
        const uint32_t s = in->mode ? permute_modes[in->mode][c[l] & 3] : c[l];
        uint32_t r = 0;
        for (unsigned i = 0; i < 4; i++)
            r |= permute_byte(from, s >> (4 * i) & 15) << (8 * i);
        d[l] = r;
    }
}

EMU_HANDLER(lop3)
{
    uint32_t *d = emu_dst(w, in, 0);
    const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2);
    uint32_t keep[8];
    for (unsigned i = 0; i < 8; i++)
        keep[i] = (in->imm >> i & 1) ? UINT32_MAX : 0;
    /* One term for each row of the truth table: bit 2 of the row is a, bit 1 b, bit 0 c. */
    EMU_EACH(uint32_t, const uint32_t x = a[l]; const uint32_t y = b[l]; const uint32_t z = c[l];
             , (keep[0] & ~x & ~y & ~z) | (keep[1] & ~x & ~y & z) | (keep[2] & ~x & y & ~z) |
                   (keep[3] & ~x & y & z) | (keep[4] & x & ~y & ~z) | (keep[5] & x & ~y & z) |
                   (keep[6] & x & y & ~z) | (keep[7] & x & y & z))
}

/* Dot products of bytes; dp2a takes halves of a and two bytes of b. */
static inline uint32_t byte_of(uint32_t v, unsigned i, bool is_signed)
{
    const uint32_t byte = v >> (8 * i) & 0xff;
    return is_signed ? (uint32_t)(int8_t)byte : byte;
}
static inline uint32_t half_of(uint32_t v, unsigned i, bool is_signed)
{
    const uint32_t half = v >> (16 * i) & 0xffff;
    return is_signed ? (uint32_t)(int16_t)half : half;
}
EMU_HANDLER(dp4a)
{
    uint32_t *d = emu_dst(w, in, 0);
    const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2);
    const bool sa = in->type == CMPD_PTX_S32, sb = in->type2 == CMPD_PTX_S32;
    EMU_BITS(m, l)
    {
        uint32_t r = c[l];
        for (unsigned i = 0; i < 4; i++)
            r += byte_of(a[l], i, sa) * byte_of(b[l], i, sb);
        d[l] = r;
    }
}
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, unsigned first, bool sa, bool sb)
{
    for (unsigned i = 0; i < 2; i++)
        c += half_of(a, i, sa) * byte_of(b, first + i, sb);
    return c;
}
#define DP2A(NAME, FIRST)                                                                      \
    EMU_HANDLER(NAME)                                                                          \
    {                                                                                          \
        uint32_t *d = emu_dst(w, in, 0);                                                       \
        const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2); \
        const bool sa = in->type == CMPD_PTX_S32, sb = in->type2 == CMPD_PTX_S32;              \
        EMU_BITS(m, l)                                                                         \
        d[l] = dot2(a[l], b[l], c[l], FIRST, sa, sb);                                          \
    }
DP2A(dp2a, 0)
DP2A(dp2a_hi, 2)

/* Predicates are masks. */
EMU_HANDLER(and_pred)
{
    emu_set_predicate(w, &in->dst[0], m,
                      emu_predicate(w, &in->src[0]) & emu_predicate(w, &in->src[1]));
}
EMU_HANDLER(or_pred)
{
    emu_set_predicate(w, &in->dst[0], m,
                      emu_predicate(w, &in->src[0]) | emu_predicate(w, &in->src[1]));
}
EMU_HANDLER(xor_pred)
{
    emu_set_predicate(w, &in->dst[0], m,
                      emu_predicate(w, &in->src[0]) ^ emu_predicate(w, &in->src[1]));
}
EMU_HANDLER(not_pred)
{
    emu_set_predicate(w, &in->dst[0], m, ~emu_predicate(w, &in->src[0]));
}

EMU_UNARY(mov_32, uint32_t, uint32_t, x)
EMU_UNARY(mov_64, uint64_t, uint64_t, x)
EMU_HANDLER(mov_pred)
{
    emu_set_predicate(w, &in->dst[0], m, emu_predicate(w, &in->src[0]));
}

/* clang-format off */
#define ROW(op, rule, types, form, need, allow, run) {CMPD_PTX_OP_##op, EMU_TAINT_##rule, form, types, 0, need, allow, run}
#define B16 EMU_T(B16)
#define B32 EMU_T(B32)
#define B64 EMU_T(B64)
#define PRED EMU_T(PRED)
#define U32 EMU_T(U32)
#define S32 EMU_T(S32)
#define U64 EMU_T(U64)
#define S64 EMU_T(S64)
#define L EMU_F(l)
#define R EMU_F(r)
#define WRAP EMU_F(wrap)
#define CLAMP EMU_F(clamp)
#define BITS_T32 (U32 | S32 | B32)
#define BITS_T64 (U64 | S64 | B64)
#define INT32_PAIR (U32 | S32)
const struct emu_row EMU_NAME(emu_rows_bits)[] = {
    ROW(mov, COPY, EMU_T_16 | EMU_T_32 | EMU_T(F32) | EMU_T(F16) | EMU_T(BF16) | EMU_T(F16X2) | EMU_T(BF16X2), "tt", 0, 0, mov_32),
    ROW(mov, COPY, EMU_T_64 | EMU_T(F64), "tt", 0, 0, mov_64),
    ROW(mov, COPY, PRED, "pp", 0, 0, mov_pred),
    ROW(and, AND, B16 | B32, "ttt", 0, 0, and_32),
    ROW(and, AND, B64, "ttt", 0, 0, and_64),
    ROW(and, AND, PRED, "ppp", 0, 0, and_pred),
    ROW(or, OR, B16 | B32, "ttt", 0, 0, or_32),
    ROW(or, OR, B64, "ttt", 0, 0, or_64),
    ROW(or, OR, PRED, "ppp", 0, 0, or_pred),
    ROW(xor, XOR, B16 | B32, "ttt", 0, 0, xor_32),
    ROW(xor, XOR, B64, "ttt", 0, 0, xor_64),
    ROW(xor, XOR, PRED, "ppp", 0, 0, xor_pred),
    ROW(not, COPY, B16 | B32, "tt", 0, 0, not_32),
    ROW(not, COPY, B64, "tt", 0, 0, not_64),
    ROW(not, COPY, PRED, "pp", 0, 0, not_pred),
    ROW(cnot, ALL, B16, "tt", 0, 0, cnot_16),
    ROW(cnot, ALL, B32, "tt", 0, 0, cnot_32),
    ROW(cnot, ALL, B64, "tt", 0, 0, cnot_64),
    ROW(shl, SHIFT_LEFT, EMU_T_16, "ttu", 0, 0, shl_16),
    ROW(shl, SHIFT_LEFT, BITS_T32, "ttu", 0, 0, shl_32),
    ROW(shl, SHIFT_LEFT, BITS_T64, "ttu", 0, 0, shl_64),
    ROW(shr, SHIFT_RIGHT, B16 | EMU_T(U16), "ttu", 0, 0, shr_u16),
    ROW(shr, SHIFT_RIGHT, B32 | U32, "ttu", 0, 0, shr_u32),
    ROW(shr, SHIFT_RIGHT, B64 | U64, "ttu", 0, 0, shr_u64),
    ROW(shr, SHIFT_RIGHT, EMU_T(S16), "ttu", 0, 0, shr_s16),
    ROW(shr, SHIFT_RIGHT, S32, "ttu", 0, 0, shr_s32),
    ROW(shr, SHIFT_RIGHT, S64, "ttu", 0, 0, shr_s64),
    ROW(shf, ALL, B32, "tttu", L | WRAP, 0, shf_l_wrap),
    ROW(shf, ALL, B32, "tttu", L | CLAMP, 0, shf_l_clamp),
    ROW(shf, ALL, B32, "tttu", R | WRAP, 0, shf_r_wrap),
    ROW(shf, ALL, B32, "tttu", R | CLAMP, 0, shf_r_clamp),
    ROW(popc, ALL, B32, "ut", 0, 0, popc_32),
    ROW(popc, ALL, B64, "ut", 0, 0, popc_64),
    ROW(clz, ALL, B32, "ut", 0, 0, clz_32),
    ROW(clz, ALL, B64, "ut", 0, 0, clz_64),
    ROW(brev, ALL, B32, "tt", 0, 0, brev_32),
    ROW(brev, ALL, B64, "tt", 0, 0, brev_64),
    ROW(bfind, ALL, U32, "ut", 0, 0, bfind_u32),
    ROW(bfind, ALL, S32, "ut", 0, 0, bfind_s32),
    ROW(bfind, ALL, U64, "ut", 0, 0, bfind_u64),
    ROW(bfind, ALL, S64, "ut", 0, 0, bfind_s64),
    ROW(bfind, ALL, U32, "ut", EMU_F(shiftamt), 0, bfind_shiftamt_u32),
    ROW(bfind, ALL, S32, "ut", EMU_F(shiftamt), 0, bfind_shiftamt_s32),
    ROW(bfind, ALL, U64, "ut", EMU_F(shiftamt), 0, bfind_shiftamt_u64),
    ROW(bfind, ALL, S64, "ut", EMU_F(shiftamt), 0, bfind_shiftamt_s64),
    ROW(fns, ALL, B32, "uuuu", 0, 0, fns_32),
    ROW(bfe, EXTRACT, U32, "ttuu", 0, 0, bfe_u32),
    ROW(bfe, EXTRACT, S32, "ttuu", 0, 0, bfe_s32),
    ROW(bfe, EXTRACT, U64, "ttuu", 0, 0, bfe_u64),
    ROW(bfe, EXTRACT, S64, "ttuu", 0, 0, bfe_s64),
    ROW(bfi, INSERT, B32, "tttuu", 0, 0, bfi_32),
    ROW(bfi, INSERT, B64, "tttuu", 0, 0, bfi_64),
    ROW(bmsk, ALL, B32, "uuu", CLAMP, 0, bmsk_clamp),
    ROW(bmsk, ALL, B32, "uuu", WRAP, 0, bmsk_wrap),
    ROW(prmt, PERMUTE, B32, "uuuu", 0, EMU_F(other), prmt),
    ROW(lop3, LOP3, B32, "uuuu-", 0, 0, lop3),
    {CMPD_PTX_OP_dp4a, EMU_TAINT_ALL, "uuuu", INT32_PAIR, INT32_PAIR, 0, 0, dp4a},
    {CMPD_PTX_OP_dp2a, EMU_TAINT_ALL, "uuuu", INT32_PAIR, INT32_PAIR, EMU_F(lo), 0, dp2a},
    {CMPD_PTX_OP_dp2a, EMU_TAINT_ALL, "uuuu", INT32_PAIR, INT32_PAIR, EMU_F(hi), 0, dp2a_hi},
    {0},
};
