/* Atomics: atom and red, lane after lane. */
#include <math.h>

#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/half.h"

/* emu_ins.combine */
enum {
    ATOM_ADD,
    ATOM_MIN,
    ATOM_MAX,
    ATOM_INC,
    ATOM_DEC,
    ATOM_CAS,
    ATOM_EXCH,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR
};

static uint64_t add_float(unsigned type, bool ftz, uint64_t x, uint64_t y)
{
    const uint32_t a = (uint32_t)x, b = (uint32_t)y;
    switch (type) {
    case CMPD_PTX_F32: {
        const float fa = ftz ? emu_flush(emu_f32(a)) : emu_f32(a);
        const float r = emu_canonical(fa + (ftz ? emu_flush(emu_f32(b)) : emu_f32(b)));
        return emu_bits32(ftz ? emu_flush(r) : r);
    }
    case CMPD_PTX_F64:
        return emu_bits64(emu_f64(x) + emu_f64(y));
    case CMPD_PTX_F16:
        return emu_to_f16(emu_from_f16(a & 0xffff) + emu_from_f16(b & 0xffff));
    case CMPD_PTX_BF16:
        return emu_to_bf16(emu_from_bf16(a & 0xffff) + emu_from_bf16(b & 0xffff));
    case CMPD_PTX_F16X2:
        return add_float(CMPD_PTX_F16, false, a, b) |
               add_float(CMPD_PTX_F16, false, a >> 16, b >> 16) << 16;
    default:
        return add_float(CMPD_PTX_BF16, false, a, b) |
               add_float(CMPD_PTX_BF16, false, a >> 16, b >> 16) << 16;
    }
}

static bool less(unsigned type, uint64_t x, uint64_t y)
{
    /* clang-format off */
    switch (type) {
    case CMPD_PTX_S32: return (int32_t)x < (int32_t)y;
    case CMPD_PTX_S64: return (int64_t)x < (int64_t)y;
    default: return x < y;
    }
    /* clang-format on */
}

static bool is_float(unsigned t)
{
    return t == CMPD_PTX_F32 || t == CMPD_PTX_F64 || t == CMPD_PTX_F16 || t == CMPD_PTX_BF16 ||
           t == CMPD_PTX_F16X2 || t == CMPD_PTX_BF16X2;
}

static uint64_t combine(const struct emu_ins *in, bool ftz, uint64_t old, uint64_t b, uint64_t c)
{
    /* clang-format off */
    switch (in->combine) {
    case ATOM_ADD: return is_float(in->type) ? add_float(in->type, ftz, old, b) : old + b;
    case ATOM_MIN: return less(in->type, b, old) ? b : old;
    case ATOM_MAX: return less(in->type, old, b) ? b : old;
    case ATOM_INC: return old >= b ? 0 : old + 1;
    case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOM_CAS: return old == b ? c : old;
    case ATOM_EXCH: return b;
    case ATOM_AND: return old & b;
    case ATOM_OR: return old | b;
    default: return old ^ b;
    }
    /* clang-format on */
}

static uint64_t address_of(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    if (in->mode) /* a local variable */
        return w->frame[l] + (uint64_t)in->imm;
    const uint64_t a = emu_get(w, &in->src[0], l) + (uint64_t)in->imm;
    return in->narrow_address ? (uint32_t)a : a;
}

/* f32 addition in global memory flushes subnormals, in shared memory it doesn't (PTX ISA, "atom"). */
static bool flushes(const struct emu_ins *in, uint64_t address)
{
    return in->type == CMPD_PTX_F32 &&
           (in->space == CMPD_PTX_SPACE_GLOBAL ||
            (in->space == CMPD_PTX_SPACE_GENERIC && address < EMU_SHARED_WINDOW));
}

/* The old value is undefined, or what is put in: then so is what stands there afterwards. */
static uint8_t settle_shadow(struct emu_warp *w, const struct emu_ins *in, unsigned l,
                             unsigned size, uint8_t *shadow)
{
    uint8_t old = 0;
    for (unsigned i = 0; i < size; i++)
        old |= (uint8_t)((shadow[i] != EMU_WRITTEN) << i);
    const uint8_t value = emu_taint_bytes(w, &in->src[1], l) | emu_taint_bytes(w, &in->src[2], l);
    const bool overwrites = in->combine == ATOM_EXCH;
    if (memchr(shadow, EMU_UNWRITTEN, size) && !overwrites)
        emu_report(w, in, l, CMPD_TAG_uninitialized_read, false,
                   "an atomic operation on memory that nobody wrote");
    if (value || (old && !overwrites)) {
        memset(shadow, EMU_TAINTED, size);
        if (value)
            emu_store_origin(
                w, in,
                w->origin[emu_taint_bytes(w, &in->src[1], l) ? in->src[1].reg : in->src[2].reg]);
    } else
        memset(shadow, EMU_WRITTEN, size);
    return old;
}

static void one_lane(struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    const unsigned size = cmpd_ptx_type_size(in->type);
    const uint64_t address = address_of(w, in, l);
    const uint64_t b = emu_get(w, &in->src[1], l), c = emu_get(w, &in->src[2], l);
    const uint64_t part = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
    struct emu_bytes at;
    uint64_t old = 0;
    uint8_t undefined = 0;
    if (emu_access(w, in, l, address, size, in->space, EMU_ATOMIC, &b, &at)) {
        memcpy(&old, at.data, size);
        const uint64_t new = combine(in, flushes(in, address), old, b & part, c & part) & part;
        undefined = settle_shadow(w, in, l, size, at.shadow);
        if (new != old) {
            memcpy(at.data, &new, size);
            w->launch->writes++;
        }
    }
    if (!in->dst_count || in->dst[0].place == EMU_SINK)
        return;
    emu_put(w, &in->dst[0], l, old);
    if (undefined || w->tainted)
        emu_taint_set(w, in->dst[0].reg, l, undefined, in->ptx);
}

static void run_atom(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    emu_note_store(w, in, m);
    const bool backwards = w->launch->device->options.schedule_seed && (emu_random(w->launch) & 1);
    if (backwards)
        for (uint32_t rest = m; rest; rest &= ~(1u << (31 - __builtin_clz(rest))))
            one_lane(w, in, 31u - (unsigned)__builtin_clz(rest));
    else
        EMU_BITS(m, l)
    one_lane(w, in, l);
}

static int operation(unsigned mod)
{
    static const uint16_t mods[] = {
        CMPD_PTX_MOD_add, CMPD_PTX_MOD_min,  CMPD_PTX_MOD_max, CMPD_PTX_MOD_inc, CMPD_PTX_MOD_dec,
        CMPD_PTX_MOD_cas, CMPD_PTX_MOD_exch, CMPD_PTX_MOD_and, CMPD_PTX_MOD_or,  CMPD_PTX_MOD_xor};
    for (unsigned i = 0; i < sizeof mods / sizeof *mods; i++)
        if (mods[i] == mod)
            return (int)i;
    return -1;
}

static bool bind_mods(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    struct cmpd_ptx_ins rest = *p;
    int op = -1;
    rest.mod_count = 0;
    for (unsigned i = 0; i < p->mod_count; i++) {
        const int o = operation(p->mods[i]);
        if (o >= 0)
            op = o;
        else if (p->mods[i] != CMPD_PTX_MOD_noftz)
            rest.mods[rest.mod_count++] = p->mods[i];
    }
    if (op < 0 || p->type_count != 1 || !emu_bind_access_mods(b, &rest, in) || in->vec != 1)
        return false;
    in->combine = (uint8_t)op;
    in->type = p->types[0];
    const unsigned size = cmpd_ptx_type_size(in->type);
    return (size == 2 || size == 4 || size == 8) &&
           (!is_float(in->type) || op == ATOM_ADD || op == ATOM_EXCH);
}

bool emu_bind_atom(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const bool gives = p->op == CMPD_PTX_OP_atom;
    if (!bind_mods(b, p, in))
        return false;
    const unsigned values = in->combine == ATOM_CAS ? 2 : 1;
    const bool hint = emu_has(p, CMPD_PTX_MOD_L2_cache_hint);
    const enum emu_lanes_kind kind = emu_lanes_of(in->type);
    if (p->operand_count != gives + 1 + values + hint)
        return false;
    if (gives && !emu_bind_destination(b, &o[0], kind, &in->dst[0]))
        return false;
    o += gives;
    const uint8_t op = in->combine;
    if (!emu_bind_address(b, &o[0], in) || in->space == CMPD_PTX_SPACE_PARAM)
        return false;
    in->combine = op;
    in->dst_count = gives;
    for (unsigned i = 0; i < values; i++)
        if (!emu_bind_operand(b, &o[1 + i], kind, in->type, &in->src[1 + i]))
            return false;
    in->src_count = (uint8_t)(1 + values);
    in->taint = EMU_TAINT_STORE;
    in->run = run_atom;
    return true;
}
