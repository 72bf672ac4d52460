/* mov in all its forms, cvta, isspacep, and what the bind functions of comparisons and conversions choose. */
#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/specials.h"

/* ---- special registers ---- */

static int special_slot(unsigned special)
{
    switch (special) {
#define X(name)                   \
    case CMPD_PTX_SPECIAL_##name: \
        return EMU_SPECIAL_##name;
#define CMPD_PTX_SPECIAL_zero CMPD_PTX_SPECIAL_tid_w
        EMU_SPECIALS(X)
#undef X
    case CMPD_PTX_SPECIAL_ctaid_w:
    case CMPD_PTX_SPECIAL_gridid:
        return EMU_SPECIAL_zero;
    default:
        return -1;
    }
}

bool emu_bind_special(struct emu_binder *b, uint32_t special, enum emu_lanes_kind kind,
                      struct emu_operand *out)
{
    const int slot = special_slot(special);
    if (slot < 0 || kind == EMU_W64 || kind == EMU_WPRED) {
        b->why = "a special register";
        return false;
    }
    out->place = EMU_SPECIAL;
    out->offset = (uint32_t)slot * 128;
    return true;
}

/* Clocks move with the steps of the launch, by lane the same. */
static void run_mov_clock(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    struct emu_launch *l = w->launch;
    l->clock_reads++;
    l->clock += EMU_STEPS_PER_CLOCK_READ;
    const uint64_t now = (l->warp_instructions + l->clock) * EMU_CLOCKS_PER_STEP;
    uint64_t v = now;
    if (in->imm == CMPD_PTX_SPECIAL_clock_hi || in->imm == CMPD_PTX_SPECIAL_globaltimer_hi)
        v = now >> 32;
    EMU_BITS(m, l2)
    emu_put(w, &in->dst[0], l2, v);
}

static bool bind_moving_special(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                                struct emu_ins *in)
{
    switch (o[1].index) {
    case CMPD_PTX_SPECIAL_clock:
    case CMPD_PTX_SPECIAL_clock_hi:
    case CMPD_PTX_SPECIAL_clock64:
    case CMPD_PTX_SPECIAL_globaltimer:
    case CMPD_PTX_SPECIAL_globaltimer_lo:
    case CMPD_PTX_SPECIAL_globaltimer_hi:
        in->imm = o[1].index;
        in->run = run_mov_clock;
        in->dst_count = 1;
        return emu_bind_destination(b, &o[0], EMU_WANY, &in->dst[0]);
    default:
        return false;
    }
}

/* ---- mov ---- */

static void run_mov_frame(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    EMU_BITS(m, l)
    emu_put(w, &in->dst[0], l, w->frame[l] + (uint64_t)in->imm);
}
/* A narrow special register into a wide one. */
static void run_mov_widen(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    EMU_BITS(m, l)
    emu_put(w, &in->dst[0], l, emu_get(w, &in->src[0], l));
}

/* {a, b, ..} from or to one register; mode: bits of an element. */
static void run_mov_pack(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const unsigned bits = in->mode;
    const uint64_t part = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    EMU_BITS(m, l)
    {
        uint64_t v = 0;
        for (unsigned i = 0; i < in->more_count; i++)
            v |= (emu_get(w, &in->more[i], l) & part) << (i * bits);
        emu_put(w, &in->dst[0], l, v);
    }
}
static void run_mov_unpack(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const unsigned bits = in->mode;
    const uint64_t part = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    EMU_BITS(m, l)
    {
        const uint64_t v = emu_get(w, &in->src[0], l);
        for (unsigned i = 0; i < in->more_count; i++)
            if (in->more[i].place != EMU_SINK)
                emu_put(w, &in->more[i], l, v >> (i * bits) & part);
    }
}

static bool bind_vector(struct emu_binder *b, const struct cmpd_ptx_operand *o, bool pack,
                        struct emu_ins *in)
{
    const struct cmpd_ptx_operand *vector = pack ? &o[1] : &o[0], *whole = pack ? &o[0] : &o[1];
    const unsigned size = cmpd_ptx_type_size(in->type), count = vector->count;
    if (count < 1 || count > 8 || size * 8 % count || size > 8)
        return false;
    in->mode = (uint8_t)(size * 8 / count);
    struct emu_operand *more = emu_bind_more(b, in, count);
    for (unsigned i = 0; i < count; i++) {
        const struct cmpd_ptx_operand *e = &b->m->ptx->operands[vector->index + i];
        if (!(pack ? emu_bind_operand(b, e, EMU_WANY, CMPD_PTX_B32, &more[i])
                   : emu_bind_destination(b, e, EMU_WANY, &more[i])))
            return false;
    }
    in->run = pack ? run_mov_pack : run_mov_unpack;
    in->taint = EMU_TAINT_PACK;
    in->dst_count = pack;
    in->src_count = !pack;
    return pack ? emu_bind_destination(b, whole, emu_lanes_of(in->type), &in->dst[0])
                : emu_bind_operand(b, whole, emu_lanes_of(in->type), in->type, &in->src[0]);
}

/* The address of a local variable, or of a parameter of a device function: it differs by lane and call. */
static bool in_frame(const struct emu_binder *b, const struct cmpd_ptx_operand *o)
{
    if (o->kind != CMPD_PTX_O_VARIABLE)
        return false;
    const struct cmpd_ptx_variable *v = &b->m->ptx->variables[o->index];
    return v->space == CMPD_PTX_SPACE_LOCAL ||
           (v->space == CMPD_PTX_SPACE_PARAM &&
            !(b->f->ptx->entry && emu_is_param(b->f, o->index)));
}

bool emu_bind_mov(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count != 2 || p->type_count != 1 || p->mod_count)
        return false;
    in->type = p->types[0];
    if (o[1].kind == CMPD_PTX_O_VECTOR || o[0].kind == CMPD_PTX_O_VECTOR)
        return bind_vector(b, o, o[1].kind == CMPD_PTX_O_VECTOR, in);
    if (in_frame(b, &o[1])) {
        in->imm = (int64_t)b->m->variable_address[o[1].index] + o[1].value;
        in->run = run_mov_frame;
        in->dst_count = 1;
        return emu_bind_destination(b, &o[0], EMU_WANY, &in->dst[0]);
    }
    if (o[1].kind == CMPD_PTX_O_SPECIAL) {
        if (bind_moving_special(b, o, in))
            return true;
        in->run = run_mov_widen;
        in->dst_count = in->src_count = 1;
        return emu_bind_destination(b, &o[0], EMU_WANY, &in->dst[0]) &&
               emu_bind_operand(b, &o[1], EMU_WANY, in->type, &in->src[0]);
    }
    return false; /* by the rows */
}

/* ---- addresses between spaces ---- */

static void run_offset(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    EMU_BITS(m, l)
    emu_put(w, &in->dst[0], l, emu_get(w, &in->src[0], l) + (uint64_t)in->imm);
}

static uint64_t window_of(unsigned space)
{
    /* clang-format off */
    switch (space) {
    case CMPD_PTX_SPACE_SHARED: return EMU_SHARED_WINDOW;
    case CMPD_PTX_SPACE_LOCAL: return EMU_LOCAL_WINDOW;
    case CMPD_PTX_SPACE_PARAM: return EMU_PARAM_WINDOW;
    default: return 0;
    }
    /* clang-format on */
}

bool emu_bind_cvta(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const bool to = emu_has(p, CMPD_PTX_MOD_to);
    struct cmpd_ptx_ins rest = *p;
    rest.mod_count = 0;
    for (unsigned i = 0; i < p->mod_count; i++)
        if (p->mods[i] != CMPD_PTX_MOD_to)
            rest.mods[rest.mod_count++] = p->mods[i];
    if (p->operand_count != 2 || p->type_count != 1 || !emu_bind_access_mods(b, &rest, in))
        return false;
    unsigned space = in->space;
    if (space == CMPD_PTX_SPACE_PARAM && !b->f->ptx->entry)
        space = CMPD_PTX_SPACE_LOCAL;
    in->imm = (int64_t)(to ? 0 - window_of(space) : window_of(space));
    in->type = p->types[0];
    in->dst_count = 1;
    if (!emu_bind_destination(b, &o[0], EMU_WANY, &in->dst[0]))
        return false;
    if (in_frame(b, &o[1])) {
        in->imm += (int64_t)b->m->variable_address[o[1].index] + o[1].value;
        in->run = run_mov_frame;
        return true;
    }
    in->src_count = 1;
    in->run = run_offset;
    in->taint = EMU_TAINT_COPY;
    return emu_bind_operand(b, &o[1], EMU_WANY, in->type, &in->src[0]);
}

/* Constant variables lie in device memory like others. */
static bool is_constant(const struct emu_module *m, uint64_t a)
{
    for (uint32_t i = 0; i < m->ptx->variable_count; i++) {
        const struct cmpd_ptx_variable *v = &m->ptx->variables[i];
        if (v->space == CMPD_PTX_SPACE_CONST && a - m->variable_address[i] < v->size)
            return true;
    }
    return false;
}

static bool lies_in(const struct emu_module *m, uint64_t a, unsigned space)
{
    const bool device = a >= CMPD_DEVICE_BASE && a < EMU_SHARED_WINDOW;
    switch (space) {
    case CMPD_PTX_SPACE_SHARED:
        return a >= EMU_SHARED_WINDOW && a < EMU_LOCAL_WINDOW;
    case CMPD_PTX_SPACE_LOCAL:
        return a >= EMU_LOCAL_WINDOW && a < EMU_PARAM_WINDOW;
    case CMPD_PTX_SPACE_PARAM:
        return a >= EMU_PARAM_WINDOW && a < EMU_CODE_BASE;
    case CMPD_PTX_SPACE_CONST:
        return device && is_constant(m, a);
    default:
        return device && !is_constant(m, a);
    }
}
static void run_isspacep(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint32_t r = 0;
    EMU_BITS(m, l)
    r |= (uint32_t)lies_in(w->launch->module, emu_get(w, &in->src[0], l), in->space) << l;
    emu_set_predicate(w, &in->dst[0], m, r);
}
bool emu_bind_isspacep(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count != 2 || !emu_bind_access_mods(b, p, in))
        return false;
    in->run = run_isspacep;
    in->taint = EMU_TAINT_ALL;
    in->dst_count = in->src_count = 1;
    return emu_bind_destination(b, &o[0], EMU_WPRED, &in->dst[0]) &&
           emu_bind_operand(b, &o[1], EMU_WANY, CMPD_PTX_B64, &in->src[0]);
}

/* ---- comparisons ---- */

static bool bind_compare_mods(struct emu_binder *b, const struct cmpd_ptx_ins *p,
                              struct emu_ins *in)
{
    unsigned compare = 0;
    for (unsigned i = 0; i < p->mod_count; i++) {
        const unsigned mod = p->mods[i];
        if (mod == CMPD_PTX_MOD_ftz)
            in->ftz = true;
        else if (mod == CMPD_PTX_MOD_and || mod == CMPD_PTX_MOD_or || mod == CMPD_PTX_MOD_xor)
            in->combine = mod == CMPD_PTX_MOD_and ? 1 : mod == CMPD_PTX_MOD_or ? 2 : 3;
        else if (i == 0)
            compare = mod;
        else
            return false;
    }
    in->test = b->ops->test(in->type2, compare);
    in->mode = (uint8_t)b->ops->compare_index(compare);
    return in->test != NULL;
}

static bool bind_compared(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                          struct emu_ins *in)
{
    in->src_count = in->combine ? 3 : 2;
    in->taint = EMU_TAINT_ALL;
    return emu_bind_operand(b, &o[0], emu_lanes_of(in->type2), in->type2, &in->src[0]) &&
           emu_bind_operand(b, &o[1], emu_lanes_of(in->type2), in->type2, &in->src[1]) &&
           (!in->combine || emu_bind_operand(b, &o[2], EMU_WPRED, CMPD_PTX_PRED, &in->src[2]));
}

bool emu_bind_setp(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->type_count != 1)
        return false;
    in->type = in->type2 = p->types[0];
    const bool packed = in->type == CMPD_PTX_F16X2 || in->type == CMPD_PTX_BF16X2;
    if (!bind_compare_mods(b, p, in) || p->operand_count != (in->combine ? 4 : 3))
        return false;
    const bool pair = o[0].kind == CMPD_PTX_O_PAIR;
    const struct cmpd_ptx_operand *d = pair ? &b->m->ptx->operands[o[0].index] : o;
    in->dst_count = pair ? 2 : 1;
    for (unsigned i = 0; i < in->dst_count; i++)
        if (!emu_bind_destination(b, &d[i], EMU_WPRED, &in->dst[i]))
            return false;
    in->run = packed ? b->ops->setp_x2 : b->ops->setp;
    return packed == (packed && pair) && bind_compared(b, o + 1, in);
}

bool emu_bind_set(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->type_count != 2)
        return false;
    in->type = p->types[0];
    in->type2 = p->types[1];
    if (!bind_compare_mods(b, p, in) || p->operand_count != (in->combine ? 4 : 3))
        return false;
    /* clang-format off */
    switch (in->type) {
    case CMPD_PTX_U32: case CMPD_PTX_S32: in->imm = UINT32_MAX; break;
    case CMPD_PTX_U16: case CMPD_PTX_S16: in->imm = UINT16_MAX; break;
    case CMPD_PTX_F32: in->imm = 0x3f800000; break;
    case CMPD_PTX_F16: in->imm = 0x3c00; break;
    case CMPD_PTX_BF16: in->imm = 0x3f80; break;
    case CMPD_PTX_F16X2: in->imm = 0x3c003c00; break;
    case CMPD_PTX_BF16X2: in->imm = 0x3f803f80; break;
    default: return false;
    }
    /* clang-format on */
    in->dst_count = 1;
    in->run = b->ops->set;
    return emu_bind_destination(b, &o[0], EMU_W32, &in->dst[0]) && bind_compared(b, o + 1, in);
}

bool emu_bind_testp(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    static const uint16_t classes[] = {CMPD_PTX_MOD_finite, CMPD_PTX_MOD_infinite,
                                       CMPD_PTX_MOD_number, CMPD_PTX_MOD_notanumber,
                                       CMPD_PTX_MOD_normal, CMPD_PTX_MOD_subnormal};
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const unsigned count = sizeof classes / sizeof *classes;
    if (p->operand_count != 2 || p->mod_count != 1 || p->type_count != 1)
        return false;
    in->type = p->types[0];
    for (in->mode = 0; in->mode < count && classes[in->mode] != p->mods[0];)
        in->mode++;
    in->run = b->ops->testp;
    in->taint = EMU_TAINT_ALL;
    in->dst_count = in->src_count = 1;
    return in->mode < count && (in->type == CMPD_PTX_F32 || in->type == CMPD_PTX_F64) &&
           emu_bind_destination(b, &o[0], EMU_WPRED, &in->dst[0]) &&
           emu_bind_operand(b, &o[1], emu_lanes_of(in->type), in->type, &in->src[0]);
}

/* ---- cvt ---- */

static bool integral_rounding(uint64_t has)
{
    return has & (EMU_F(rni) | EMU_F(rzi) | EMU_F(rmi) | EMU_F(rpi));
}

bool emu_bind_cvt(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const uint64_t known = EMU_ROUNDINGS | EMU_F(ftz) | EMU_F(sat) | EMU_F(relu) | EMU_F(satfinite);
    const uint64_t has = emu_bind_features(p);
    if ((has & ~known) || p->type_count != 2 || p->operand_count < 2)
        return false;
    in->type = p->types[0];
    in->type2 = p->types[1];
    emu_bind_rounding(has, in);
    in->mode = (uint8_t)((integral_rounding(has) ? 1 : 0) | (has & EMU_F(relu) ? 2 : 0) |
                         (has & EMU_F(satfinite) ? 4 : 0));
    const bool packs = in->type == CMPD_PTX_F16X2 || in->type == CMPD_PTX_BF16X2;
    if (p->operand_count != (packs ? 3 : 2) || (packs && in->type2 != CMPD_PTX_F32) ||
        in->type2 == CMPD_PTX_F16X2 || in->type2 == CMPD_PTX_BF16X2 || in->type2 == CMPD_PTX_TF32)
        return false;
    in->dst_count = 1;
    in->src_count = packs ? 2 : 1;
    in->taint = EMU_TAINT_TRUNCATE;
    if (!emu_bind_destination(b, &o[0], EMU_WANY, &in->dst[0]))
        return false;
    for (unsigned i = 0; i < in->src_count; i++)
        if (!emu_bind_operand(b, &o[1 + i],
                              o[1 + i].kind == CMPD_PTX_O_REG || o[1 + i].kind == CMPD_PTX_O_SPECIAL
                                  ? EMU_WANY
                                  : emu_lanes_of(in->type2),
                              in->type2, &in->src[i]))
            return false;
    /* A register may be wider than the type, never narrower. */
    if (cmpd_ptx_type_size(in->type2) == 8 && !in->src[0].wide)
        return false;
    if (cmpd_ptx_type_size(in->type) == 8 && !in->dst[0].wide)
        return false;
    in->run = b->ops->cvt(in);
    return in->run != NULL;
}
