/* Loads and stores of all spaces: ld, ldu, st. */
#include "gpu-runner/emulator/exec.h"

/* How the address of lane l comes about: mode of emu_ins. */
enum { AT_REGISTER, AT_FRAME };

static void addresses(const struct emu_warp *w, const struct emu_ins *in, uint64_t *out)
{
    const void *base = emu_src(w, in, 0);
    const uint64_t imm = (uint64_t)in->imm;
    if (in->mode == AT_FRAME)
        for (unsigned l = 0; l < EMU_LANES; l++)
            out[l] = w->frame[l] + imm;
    else if (in->narrow_address)
        for (unsigned l = 0; l < EMU_LANES; l++)
            out[l] = (uint32_t)(((const uint32_t *)base)[l] + (uint32_t)imm);
    else
        for (unsigned l = 0; l < EMU_LANES; l++)
            out[l] = ((const uint64_t *)base)[l] + imm;
}

static void set_undefined(struct emu_warp *w, const struct emu_ins *in, uint32_t lanes,
                          const uint32_t *undefined)
{
    const unsigned size = cmpd_ptx_type_size(in->type);
    const bool extends = in->type == CMPD_PTX_S8 || in->type == CMPD_PTX_S16;
    const uint32_t origin = emu_load_origin(w, in);
    for (unsigned e = 0; e < in->vec; e++) {
        const struct emu_operand *o = in->vec > 1 ? &in->more[e] : &in->dst[0];
        EMU_BITS(lanes, l)
        {
            const uint32_t part = undefined[l] >> (e * size) & ((1u << size) - 1);
            if (part)
                emu_taint_set(w, o->reg, l, extends ? 0xff : (uint8_t)part, origin);
        }
    }
}
static void clear_undefined(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    if (!w->tainted)
        return;
    for (unsigned e = 0; e < in->vec; e++)
        emu_taint_clear(w, in->vec > 1 ? in->more[e].reg : in->dst[0].reg, m);
}

/* One element of `size` bytes into a register's lane, extended as the type says. */
static inline uint64_t widen(const uint8_t *from, unsigned type)
{
    uint64_t v = 0;
    memcpy(&v, from, cmpd_ptx_type_size(type));
    /* clang-format off */
    switch (type) {
    case CMPD_PTX_S8: return (uint64_t)(int8_t)v;
    case CMPD_PTX_S16: return (uint64_t)(int16_t)v;
    case CMPD_PTX_S32: return (uint64_t)(int32_t)v;
    default: return v;
    }
    /* clang-format on */
}

static void spread(struct emu_warp *w, const struct emu_ins *in, uint32_t m, const uint8_t *from)
{
    const unsigned size = cmpd_ptx_type_size(in->type), stride = size * in->vec;
    for (unsigned e = 0; e < in->vec; e++) {
        const struct emu_operand *o = in->vec > 1 ? &in->more[e] : &in->dst[0];
        const uint8_t *p = from + (size_t)e * size;
        if (o->place == EMU_SINK)
            continue;
        if (size == 4 && !o->wide) {
            uint32_t *d = emu_lanes(w, o);
            EMU_BITS(m, l)
            memcpy(&d[l], p + (size_t)l * stride, 4);
        } else
            EMU_BITS(m, l)
        emu_put(w, o, l, widen(p + (size_t)l * stride, in->type));
    }
}

static void run_ld(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint64_t address[EMU_LANES];
    uint32_t undefined[EMU_LANES];
    uint8_t bytes[EMU_LANES * 32];
    addresses(w, in, address);
    clear_undefined(w, in, m);
    const unsigned size = cmpd_ptx_type_size(in->type) * in->vec;
    const uint32_t bad = emu_load(w, in, m, address, size, in->space, bytes, undefined);
    spread(w, in, m, bytes);
    if (bad)
        set_undefined(w, in, bad & m, undefined);
}
/* One element that fills its register's lane: it goes there at once. */
static void run_ld_whole(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint64_t address[EMU_LANES];
    uint32_t undefined[EMU_LANES];
    addresses(w, in, address);
    emu_taint_clear(w, in->dst[0].reg, m);
    const uint32_t bad = emu_load(w, in, m, address, in->dst[0].wide ? 8 : 4, in->space,
                                  emu_dst(w, in, 0), undefined);
    if (bad)
        set_undefined(w, in, bad & m, undefined);
}

/* A kernel's parameter at a known place: the same for all. */
static void run_ld_param(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const uint8_t *from = w->launch->params + in->imm;
    const unsigned size = cmpd_ptx_type_size(in->type);
    clear_undefined(w, in, m);
    for (unsigned e = 0; e < in->vec; e++) {
        const struct emu_operand *o = in->vec > 1 ? &in->more[e] : &in->dst[0];
        const uint64_t v = widen(from + (size_t)e * size, in->type);
        if (o->place != EMU_SINK)
            EMU_BITS(m, l)
        emu_put(w, o, l, v);
    }
}
/* At a place that is worked out (an array in a by-value structure). */
static void run_ld_param_at(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint64_t address[EMU_LANES];
    addresses(w, in, address);
    clear_undefined(w, in, m);
    const unsigned size = cmpd_ptx_type_size(in->type);
    const uint64_t limit = w->launch->function->ptx->param_bytes;
    EMU_BITS(m, l)
    {
        const uint8_t zeros[32] = {0};
        uint64_t at = address[l];
        if (at >= EMU_PARAM_WINDOW)
            at -= EMU_PARAM_WINDOW;
        const uint64_t need = (uint64_t)size * in->vec;
        const bool inside = at <= limit && need <= limit - at;
        if (!inside)
            emu_report(w, in, l, CMPD_TAG_out_of_bounds, false,
                       "%u-byte read at offset %lld of the kernel's %llu bytes of parameters",
                       (unsigned)need, (long long)at, (unsigned long long)limit);
        const uint8_t *from = inside ? w->launch->params + at : zeros;
        for (unsigned e = 0; e < in->vec; e++)
            emu_put(w, in->vec > 1 ? &in->more[e] : &in->dst[0], l,
                    widen(from + (size_t)e * size, in->type));
    }
}

static uint32_t gather(struct emu_warp *w, const struct emu_ins *in, uint32_t m, uint8_t *to,
                       uint32_t *undefined)
{
    const unsigned size = cmpd_ptx_type_size(in->type), stride = size * in->vec;
    uint32_t bad = 0;
    for (unsigned e = 0; e < in->vec; e++) {
        const struct emu_operand *o = in->vec > 1 ? &in->more[e] : &in->src[1];
        uint8_t *p = to + (size_t)e * size;
        EMU_BITS(m, l)
        {
            const uint64_t v = emu_get(w, o, l);
            memcpy(p + (size_t)l * stride, &v, size);
        }
        const uint32_t lanes = emu_taint_lanes(w, o) & m;
        if (lanes)
            emu_store_origin(w, in, w->origin[o->reg]);
        EMU_BITS(lanes, l)
        {
            if (!(bad >> l & 1))
                undefined[l] = 0;
            bad |= 1u << l;
            undefined[l] |= (emu_taint_bytes(w, o, l) & ((1u << size) - 1)) << (e * size);
        }
    }
    return bad;
}
static void run_st(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint64_t address[EMU_LANES];
    uint32_t undefined[EMU_LANES];
    uint8_t bytes[EMU_LANES * 32];
    addresses(w, in, address);
    const uint32_t bad = gather(w, in, m, bytes, undefined);
    emu_note_store(w, in, m);
    emu_store(w, in, m, address, cmpd_ptx_type_size(in->type) * in->vec, in->space, bytes, bad,
              undefined);
}
static void run_st_whole(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint64_t address[EMU_LANES];
    addresses(w, in, address);
    if (emu_taint_lanes(w, &in->src[1]) & m) {
        run_st(w, in, m);
        return;
    }
    emu_note_store(w, in, m);
    emu_store(w, in, m, address, in->src[1].wide ? 8 : 4, in->space, emu_src(w, in, 1), 0, NULL);
}

/* ---- binding ---- */

/* What the modifiers say. False: one that isn't known here. */
bool emu_bind_access_mods(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    in->vec = 1;
    in->space = CMPD_PTX_SPACE_GENERIC;
    for (unsigned i = 0; i < p->mod_count; i++) {
        /* clang-format off */
        switch (p->mods[i]) {
        case CMPD_PTX_MOD_global: in->space = CMPD_PTX_SPACE_GLOBAL; break;
        case CMPD_PTX_MOD_shared: case CMPD_PTX_MOD_shared_cta: in->space = CMPD_PTX_SPACE_SHARED; break;
        case CMPD_PTX_MOD_local: in->space = CMPD_PTX_SPACE_LOCAL; break;
        case CMPD_PTX_MOD_const_: in->space = CMPD_PTX_SPACE_CONST; break;
        case CMPD_PTX_MOD_param: case CMPD_PTX_MOD_param_entry: case CMPD_PTX_MOD_param_func:
            in->space = CMPD_PTX_SPACE_PARAM; break;
        case CMPD_PTX_MOD_v2: in->vec = 2; break;
        case CMPD_PTX_MOD_v4: in->vec = 4; break;
        case CMPD_PTX_MOD_v8: in->vec = 8; break;
        case CMPD_PTX_MOD_volatile_: in->flags |= EMU_F_VOLATILE; break;
        case CMPD_PTX_MOD_mmio: in->flags |= EMU_F_MMIO | EMU_F_RELAXED; break;
        case CMPD_PTX_MOD_relaxed: in->flags |= EMU_F_RELAXED; break;
        case CMPD_PTX_MOD_acquire: in->flags |= EMU_F_ACQUIRE; break;
        case CMPD_PTX_MOD_release: in->flags |= EMU_F_RELEASE; break;
        case CMPD_PTX_MOD_acq_rel: in->flags |= EMU_F_ACQUIRE | EMU_F_RELEASE; break;
        case CMPD_PTX_MOD_cta: in->flags |= EMU_F_CTA; break;
        case CMPD_PTX_MOD_weak: case CMPD_PTX_MOD_gpu: case CMPD_PTX_MOD_sys: case CMPD_PTX_MOD_cluster:
        case CMPD_PTX_MOD_ca: case CMPD_PTX_MOD_cg: case CMPD_PTX_MOD_cs: case CMPD_PTX_MOD_lu:
        case CMPD_PTX_MOD_cv: case CMPD_PTX_MOD_wb: case CMPD_PTX_MOD_wt: case CMPD_PTX_MOD_nc:
        case CMPD_PTX_MOD_L1_evict_first: case CMPD_PTX_MOD_L1_evict_last: case CMPD_PTX_MOD_L1_evict_normal:
        case CMPD_PTX_MOD_L1_evict_unchanged: case CMPD_PTX_MOD_L1_no_allocate:
        case CMPD_PTX_MOD_L2_evict_first: case CMPD_PTX_MOD_L2_evict_last: case CMPD_PTX_MOD_L2_evict_normal:
        case CMPD_PTX_MOD_L2_64B: case CMPD_PTX_MOD_L2_128B: case CMPD_PTX_MOD_L2_256B:
        case CMPD_PTX_MOD_L2_cache_hint: case CMPD_PTX_MOD_unified: break;
        default: b->why = "a modifier of a memory access"; return false;
        }
        /* clang-format on */
    }
    return true;
}

/* The variable's offset in its function's frame, plus what is added. */
static bool bind_frame(struct emu_binder *b, uint32_t variable, int64_t value, struct emu_ins *in)
{
    in->mode = AT_FRAME;
    in->imm = (int64_t)b->m->variable_address[variable] + value;
    in->space = CMPD_PTX_SPACE_LOCAL;
    in->src[0].place = EMU_SINK;
    return true;
}

bool emu_bind_address(struct emu_binder *b, const struct cmpd_ptx_operand *o, struct emu_ins *in)
{
    if (o->kind != CMPD_PTX_O_ADDRESS || o->count > 1)
        return false;
    const struct cmpd_ptx_operand *base = &b->m->ptx->operands[o->index];
    in->imm = o->value;
    in->src_count = 1;
    if (base->kind == CMPD_PTX_O_VARIABLE) {
        const struct cmpd_ptx_variable *v = &b->m->ptx->variables[base->index];
        if (v->space == CMPD_PTX_SPACE_LOCAL ||
            (v->space == CMPD_PTX_SPACE_PARAM &&
             !(b->f->ptx->entry && v->function == b->f->index && emu_is_param(b->f, base->index))))
            return bind_frame(b, base->index, o->value + base->value, in);
        if (v->space == CMPD_PTX_SPACE_PARAM) {
            in->src[0].place = EMU_SINK;
            in->imm = (int64_t)v->offset + base->value + o->value;
            in->space = CMPD_PTX_SPACE_PARAM;
            in->combine = 1; /* a constant place */
            return true;
        }
    }
    if (!emu_bind_operand(b, base, EMU_WANY, CMPD_PTX_B64, &in->src[0]))
        return false;
    in->narrow_address = !in->src[0].wide;
    return true;
}

/* The value or values of an access: one operand, or a vector in `more`. */
static bool bind_values(struct emu_binder *b, const struct cmpd_ptx_operand *o, bool destination,
                        struct emu_ins *in)
{
    struct emu_operand *one = destination ? &in->dst[0] : &in->src[1];
    const enum cmpd_ptx_type t = in->type;
    in->dst_count = destination;
    in->src_count = destination ? 1 : 2;
    if (in->vec == 1) {
        if (o->kind == CMPD_PTX_O_VECTOR && o->count == 1)
            o = &b->m->ptx->operands[o->index];
        return destination ? emu_bind_destination(b, o, EMU_WANY, one)
                           : emu_bind_operand(b, o, cmpd_ptx_type_size(t) == 8 ? EMU_W64 : EMU_WANY,
                                              t, one);
    }
    if (o->kind != CMPD_PTX_O_VECTOR || o->count != in->vec)
        return false;
    one->place = EMU_SINK;
    one->reg = CMPD_PTX_NONE;
    struct emu_operand *more = emu_bind_more(b, in, in->vec);
    for (unsigned i = 0; i < in->vec; i++) {
        const struct cmpd_ptx_operand *e = &b->m->ptx->operands[o->index + i];
        if (!(destination ? emu_bind_destination(b, e, EMU_WANY, &more[i])
                          : emu_bind_operand(b, e, EMU_WANY, t, &more[i])))
            return false;
        if (cmpd_ptx_type_size(t) == 8 && !more[i].wide && more[i].place != EMU_SINK)
            return false;
    }
    return true;
}

static bool bind_common(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    if (!emu_bind_access_mods(b, p, in) || p->type_count != 1)
        return false;
    in->type = p->types[0];
    const unsigned size = cmpd_ptx_type_size(in->type);
    return size >= 1 && size <= 8 && size * in->vec <= 32;
}

bool emu_bind_ld(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count < 2 || !bind_common(b, p, in))
        return false;
    if (!emu_bind_address(b, &o[1], in) || !bind_values(b, &o[0], true, in))
        return false;
    const unsigned size = cmpd_ptx_type_size(in->type);
    if (size == 8 && in->vec == 1 && !in->dst[0].wide && in->dst[0].place != EMU_SINK)
        return false;
    in->taint = EMU_TAINT_LOAD;
    if (in->space == CMPD_PTX_SPACE_PARAM && in->combine) {
        const uint64_t limit = b->f->ptx->param_bytes;
        if (in->imm < 0 || (uint64_t)in->imm + (uint64_t)size * in->vec > limit)
            return false;
        in->run = run_ld_param;
    } else if (in->space == CMPD_PTX_SPACE_PARAM && b->f->ptx->entry)
        in->run = run_ld_param_at;
    else {
        if (in->space == CMPD_PTX_SPACE_PARAM) /* of a device function: lies in its frame */
            in->space = CMPD_PTX_SPACE_LOCAL;
        const bool whole = in->vec == 1 && in->dst[0].place == EMU_REG &&
                           (in->dst[0].wide ? size == 8 : size == 4);
        in->run = whole ? run_ld_whole : run_ld;
    }
    return true;
}

bool emu_bind_st(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count < 2 || !bind_common(b, p, in))
        return false;
    if (!emu_bind_address(b, &o[0], in) || !bind_values(b, &o[1], false, in))
        return false;
    if (in->space == CMPD_PTX_SPACE_PARAM) {
        if (b->f->ptx->entry)
            return false;
        in->space = CMPD_PTX_SPACE_LOCAL;
    }
    in->taint = EMU_TAINT_STORE;
    const unsigned size = cmpd_ptx_type_size(in->type);
    const bool whole = in->vec == 1 && (in->src[1].wide ? size == 8 : size == 4);
    in->run = whole ? run_st_whole : run_st;
    return true;
}
