/*
 * Values that hang on memory that nobody wrote: how they spread, and where they count. Bytes are the unit: a structure
 * with holes is copied in words, and its fields must stay defined.
 */
#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/report.h"
#include "gpu-runner/emulator/warp.h"

void emu_taint_set(struct emu_warp *w, uint32_t reg, unsigned lane, uint8_t bytes, uint32_t ptx)
{
    if (reg == CMPD_PTX_NONE)
        return;
    if (!bytes) {
        emu_taint_clear(w, reg, 1u << lane);
        return;
    }
    w->tainted = true;
    w->undefined[reg] |= 1u << lane;
    w->undefined_bytes[reg * EMU_LANES + lane] = bytes;
    w->origin[reg] = ptx;
}

/* ---- uses ---- */

void emu_taint_use(struct emu_warp *w, const struct emu_ins *in, const struct emu_operand *o,
                   uint32_t mask, const char *what)
{
    const uint32_t bad = emu_taint_lanes(w, o) & mask;
    if (!bad)
        return;
    const unsigned lane = (unsigned)__builtin_ctz(bad);
    const uint32_t origin = w->origin[o->reg];
    char place[256];
    emu_place_text(w->launch->module, in->ptx, place, sizeof place);
    if (origin == EMU_NO_INS) {
        emu_report(w, in, lane, CMPD_TAG_uninitialized_read, false,
                   "a variable that was never given a value %s", what);
    } else {
        const struct emu_ins at = {.ptx = emu_origin_ins(origin)};
        const struct emu_cause cause = emu_cause_of(w->launch->module, at.ptx);
        emu_report(w, &at, lane, cause.tag, false, "%s, and it %s at %s", cause.text, what, place);
    }
    w->undefined[o->reg] &= ~bad; /* once is enough: what follows from it isn't told again */
}

void emu_taint_guard(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    const struct emu_operand guard = {
        .place = EMU_REG, .offset = in->guard_offset, .reg = in->guard};
    if (emu_taint_lanes(w, &guard) & mask)
        emu_taint_use(w, in, &guard, mask, "decides a branch");
}

/* ---- what each rule makes of one lane ---- */

static uint8_t all_bytes(const struct emu_operand *o)
{
    return o->wide ? 0xff : 0x0f;
}

static uint64_t value(const struct emu_warp *w, const struct emu_operand *o, unsigned lane,
                      bool predicate)
{
    return predicate ? emu_predicate(w, o) >> lane & 1 : emu_get(w, o, lane);
}

static uint8_t of_and_or(const struct emu_warp *w, const struct emu_ins *in, unsigned l, bool is_or)
{
    const bool predicate = in->type == CMPD_PTX_PRED;
    const uint8_t ua = emu_taint_bytes(w, &in->src[0], l), ub = emu_taint_bytes(w, &in->src[1], l);
    uint64_t a = value(w, &in->src[0], l, predicate), b = value(w, &in->src[1], l, predicate);
    if (is_or) { /* what decides is a byte of ones */
        a = predicate ? !a : ~a;
        b = predicate ? !b : ~b;
    }
    uint8_t r = 0;
    for (unsigned i = 0; i < 8; i++) {
        const bool na = a >> (8 * i) & 0xff, nb = b >> (8 * i) & 0xff, xa = ua >> i & 1,
                   xb = ub >> i & 1;
        r |= (uint8_t)(((xa && (xb || nb)) || (xb && (xa || na))) << i);
    }
    return predicate ? r & 1 : r;
}

/* Bytes of the result that differ between the extremes of what is undefined. */
static uint8_t of_lop3(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    uint32_t v[3], u[3], first = 0, differ = 0;
    for (unsigned i = 0; i < 3; i++) {
        const uint8_t bytes = emu_taint_bytes(w, &in->src[i], l);
        v[i] = (uint32_t)emu_get(w, &in->src[i], l);
        u[i] = 0;
        for (unsigned k = 0; k < 4; k++)
            u[i] |= bytes >> k & 1 ? 0xffu << (8 * k) : 0;
    }
    for (unsigned pick = 0; pick < 8; pick++) {
        uint32_t r = 0;
        for (unsigned row = 0; row < 8; row++) {
            uint32_t term = in->imm >> row & 1 ? UINT32_MAX : 0;
            for (unsigned i = 0; i < 3; i++) {
                const uint32_t x = (v[i] & ~u[i]) | (pick >> i & 1 ? u[i] : 0);
                term &= row >> (2 - i) & 1 ? x : ~x;
            }
            r |= term;
        }
        first = pick == 0 ? r : first;
        differ |= r ^ first;
    }
    uint8_t bytes = 0;
    for (unsigned k = 0; k < 4; k++)
        bytes |= (uint8_t)((differ >> (8 * k) & 0xff ? 1 : 0) << k);
    return bytes;
}

static uint8_t of_select(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    if (emu_taint_lanes(w, &in->src[2]) >> l & 1)
        return 0xff;
    const uint32_t c = ((const uint32_t *)emu_lanes(w, &in->src[2]))[in->type2 ? l : 0];
    bool first;
    if (in->type2 == 0)
        first = emu_predicate(w, &in->src[2]) >> l & 1;
    else /* slct: not negative; a NaN and minus zero don't matter for where bytes come from */
        first = !(c >> 31);
    return emu_taint_bytes(w, &in->src[first ? 0 : 1], l);
}

static uint8_t of_product(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    const bool ua = emu_taint_lanes(w, &in->src[0]) >> l & 1,
               ub = emu_taint_lanes(w, &in->src[1]) >> l & 1;
    if ((!ua && emu_get(w, &in->src[0], l) == 0) || (!ub && emu_get(w, &in->src[1], l) == 0))
        return 0;
    return ua || ub ? 0xff : 0;
}

static uint8_t of_shift(const struct emu_warp *w, const struct emu_ins *in, unsigned l, bool left)
{
    const struct emu_operand *a = &in->src[0];
    const uint32_t u = emu_taint_bytes(w, a, l);
    if (emu_taint_lanes(w, &in->src[1]) >> l & 1)
        return 0xff;
    const uint64_t amount = emu_get(w, &in->src[1], l);
    if (!u || amount >= 64)
        return 0;
    const unsigned bytes = (unsigned)amount / 8, rest = amount % 8 != 0;
    uint32_t r = left ? u << bytes | (rest ? u << (bytes + 1) : 0)
                      : u >> bytes | (rest ? u >> (bytes + 1) : 0);
    const bool is_signed = in->type == CMPD_PTX_S32 || in->type == CMPD_PTX_S64 ||
                           in->type == CMPD_PTX_S16;
    if (!left && is_signed && (u >> (cmpd_ptx_type_size(in->type) - 1) & 1))
        r = 0xff; /* the sign fills what is free */
    return (uint8_t)r & all_bytes(&in->dst[0]);
}

static uint8_t of_permute(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    const uint32_t u = emu_taint_bytes(w, &in->src[0], l) |
                       (uint32_t)emu_taint_bytes(w, &in->src[1], l) << 4;
    if (in->mode || emu_taint_lanes(w, &in->src[2]) >> l & 1)
        return 0x0f;
    const uint32_t s = (uint32_t)emu_get(w, &in->src[2], l);
    uint8_t r = 0;
    for (unsigned i = 0; i < 4; i++)
        r |= (uint8_t)((u >> (s >> (4 * i) & 7) & 1) << i);
    return r;
}

static uint8_t of_extract(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    const uint32_t u = emu_taint_bytes(w, &in->src[0], l);
    if ((emu_taint_lanes(w, &in->src[1]) | emu_taint_lanes(w, &in->src[2])) >> l & 1)
        return 0xff;
    const uint32_t at = emu_get(w, &in->src[1], l) & 0xff, n = emu_get(w, &in->src[2], l) & 0xff;
    if (n == 0 || at >= 64)
        return 0;
    const uint32_t last = at + n - 1 < 63 ? at + n - 1 : 63;
    const uint32_t field = (u >> (at / 8)) & ((2u << (last / 8 - at / 8)) - 1);
    if (!field)
        return 0;
    if (in->type == CMPD_PTX_S32 || in->type == CMPD_PTX_S64 || at % 8)
        return all_bytes(&in->dst[0]);
    return (uint8_t)field;
}

static uint8_t of_insert(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    const uint32_t from = emu_taint_bytes(w, &in->src[0], l),
                   into = emu_taint_bytes(w, &in->src[1], l);
    if ((emu_taint_lanes(w, &in->src[2]) | emu_taint_lanes(w, &in->src[3])) >> l & 1)
        return 0xff;
    const uint32_t at = emu_get(w, &in->src[2], l) & 0xff, n = emu_get(w, &in->src[3], l) & 0xff;
    if (n == 0 || at >= 64)
        return (uint8_t)into;
    const uint32_t end = at + n < 64 ? at + n : 64;
    /* Bytes that are replaced whole, and bytes that something of the field lands in. */
    uint32_t whole = 0, touched = 0;
    for (unsigned i = 0; i < 8; i++) {
        whole |= (uint32_t)(8 * i >= at && 8 * i + 8 <= end) << i;
        touched |= (uint32_t)(8 * i + 8 > at && 8 * i < end) << i;
    }
    const uint32_t moved = at % 8 ? (from << (at / 8) | from << (at / 8 + 1)) : from << (at / 8);
    return (uint8_t)((into & ~whole) | (moved & touched));
}

static bool is_integer(unsigned t)
{
    return (t >= CMPD_PTX_U8 && t <= CMPD_PTX_S64) || (t >= CMPD_PTX_B8 && t <= CMPD_PTX_B64);
}

static uint8_t of_conversion(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    const unsigned size = cmpd_ptx_type_size(in->type2);
    const uint8_t from = (uint8_t)((1u << size) - 1);
    uint8_t u = 0;
    for (unsigned i = 0; i < in->src_count; i++)
        u |= emu_taint_bytes(w, &in->src[i], l) & from;
    if (!u)
        return 0;
    const bool plain = is_integer(in->type) && is_integer(in->type2) && !in->sat;
    const bool extends_sign = in->type2 >= CMPD_PTX_S8 && in->type2 <= CMPD_PTX_S64 &&
                              (u >> (size - 1) & 1);
    return !plain || extends_sign ? all_bytes(&in->dst[0]) : u & all_bytes(&in->dst[0]);
}

/* ---- spreading ---- */

static const struct emu_operand *first_undefined(const struct emu_warp *w, const struct emu_ins *in,
                                                 uint32_t mask)
{
    for (unsigned i = 0; i < in->src_count && i < 4; i++)
        if (emu_taint_lanes(w, &in->src[i]) & mask)
            return &in->src[i];
    return NULL;
}

static uint8_t one_lane(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    /* clang-format off */
    switch (in->taint) {
    case EMU_TAINT_COPY: return emu_taint_bytes(w, &in->src[0], l);
    case EMU_TAINT_AND: return of_and_or(w, in, l, false);
    case EMU_TAINT_OR: return of_and_or(w, in, l, true);
    case EMU_TAINT_XOR: return emu_taint_bytes(w, &in->src[0], l) | emu_taint_bytes(w, &in->src[1], l);
    case EMU_TAINT_LOP3: return of_lop3(w, in, l);
    case EMU_TAINT_SELECT: return of_select(w, in, l);
    case EMU_TAINT_MULTIPLY: return of_product(w, in, l);
    case EMU_TAINT_SHIFT_LEFT: return of_shift(w, in, l, true);
    case EMU_TAINT_SHIFT_RIGHT: return of_shift(w, in, l, false);
    case EMU_TAINT_PERMUTE: return of_permute(w, in, l);
    case EMU_TAINT_EXTRACT: return of_extract(w, in, l);
    case EMU_TAINT_INSERT: return of_insert(w, in, l);
    case EMU_TAINT_TRUNCATE: return of_conversion(w, in, l);
    default: return 0xff;
    }
    /* clang-format on */
}

/* What moves bytes or picks between values copies; the rest makes new ones. */
static uint32_t computed(const struct emu_warp *w, const struct emu_ins *in, unsigned lane)
{
    switch (in->taint) {
    case EMU_TAINT_ALL:
    case EMU_TAINT_MULTIPLY:
    case EMU_TAINT_XOR:
        return EMU_ORIGIN_COMPUTED;
    case EMU_TAINT_SHIFT_LEFT:
    case EMU_TAINT_SHIFT_RIGHT:
        return emu_get(w, &in->src[1], lane) % 8 != 0 ? EMU_ORIGIN_COMPUTED : 0;
    default:
        return 0;
    }
}

static void spread(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    const struct emu_operand *from = first_undefined(w, in, mask);
    uint32_t lanes = 0;
    for (unsigned i = 0; from && i < in->src_count && i < 4; i++)
        lanes |= emu_taint_lanes(w, &in->src[i]) & mask;
    uint32_t origin = from ? w->origin[from->reg] : 0;
    if (lanes)
        origin |= computed(w, in, (unsigned)__builtin_ctz(lanes));
    uint8_t bytes[EMU_LANES];
    EMU_BITS(lanes, l)
    bytes[l] = one_lane(w, in, l) & all_bytes(&in->dst[0]);
    for (unsigned i = 0; i < in->dst_count && i < 2; i++) {
        emu_taint_clear(w, in->dst[i].reg, mask);
        EMU_BITS(lanes, l)
        emu_taint_set(w, in->dst[i].reg, l, bytes[l], origin);
    }
}

static uint8_t element(uint64_t bytes, unsigned i, unsigned bits)
{
    const unsigned size = bits / 8 ? bits / 8 : 1;
    return (uint8_t)(bytes >> (i * bits / 8) & ((1u << size) - 1));
}

static void pack(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    uint8_t bytes[EMU_LANES] = {0};
    uint32_t origin = EMU_NO_INS;
    for (unsigned i = 0; i < in->more_count; i++) {
        const uint32_t lanes = emu_taint_lanes(w, &in->more[i]) & mask;
        origin = lanes ? w->origin[in->more[i].reg] : origin;
        EMU_BITS(lanes, l)
        bytes[l] |= (uint8_t)(element(emu_taint_bytes(w, &in->more[i], l), 0, in->mode)
                              << (i * in->mode / 8));
    }
    EMU_BITS(mask, l)
    emu_taint_set(w, in->dst[0].reg, l, bytes[l], origin);
}

static void unpack(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    uint8_t bytes[EMU_LANES];
    const struct emu_operand *a = &in->src[0];
    const uint32_t origin = emu_taint_lanes(w, a) & mask ? w->origin[a->reg] : EMU_NO_INS;
    EMU_BITS(mask, l)
    bytes[l] = emu_taint_bytes(w, a, l);
    for (unsigned i = 0; i < in->more_count; i++)
        EMU_BITS(mask, l)
    emu_taint_set(w, in->more[i].reg, l, element(bytes[l], i, in->mode), origin);
}

void emu_taint(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    switch (in->taint) {
    case EMU_TAINT_NONE:
        break;
    case EMU_TAINT_LOAD:
    case EMU_TAINT_STORE:
        emu_taint_use(w, in, &in->src[0], mask, "is used as an address");
        break;
    case EMU_TAINT_USE:
        for (unsigned i = 0; i < in->src_count && i < 4; i++)
            emu_taint_use(w, in, &in->src[i], mask, "decides where the program goes");
        break;
    case EMU_TAINT_PACK:
        if (in->dst_count)
            pack(w, in, mask);
        else
            unpack(w, in, mask);
        break;
    default:
        spread(w, in, mask);
        break;
    }
}
