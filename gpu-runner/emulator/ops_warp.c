/*
 * Collectives of a warp: shfl, vote, match, redux; and activemask, which is none. The lanes of `m` take part together;
 * src[3] is their mask. A value that comes from a lane that does not take part is undefined.
 */
#include "gpu-runner/emulator/exec.h"

/* ---- shfl ---- */

enum { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY };

/* The lane to read from, and whether it lies inside the segment (PTX ISA, "shfl.sync"). */
static unsigned shuffle_source(unsigned mode, int lane, uint32_t b, uint32_t c, bool *inside)
{
    const int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31), by = (int)(b & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int j;
    switch (mode) {
    case SHUFFLE_UP:
        j = lane - by;
        *inside = j >= most;
        break;
    case SHUFFLE_DOWN:
        j = lane + by;
        *inside = j <= most;
        break;
    case SHUFFLE_BFLY:
        j = lane ^ by;
        *inside = j <= most;
        break;
    default:
        j = least | (by & ~segment);
        *inside = j <= most;
        break;
    }
    return (unsigned)(*inside ? j : lane) & 31;
}

static void shuffle_undefined(struct emu_warp *w, const struct emu_ins *in, uint32_t m,
                              const uint8_t *from)
{
    const struct emu_operand *a = &in->src[0];
    const uint32_t lanes = emu_taint_lanes(w, a);
    uint8_t bytes[EMU_LANES];
    uint32_t origin = lanes ? w->origin[a->reg] : in->ptx;
    uint32_t outside = 0;
    EMU_BITS(m, l)
    {
        const bool taking_part = m >> from[l] & 1;
        bytes[l] = taking_part ? emu_taint_bytes(w, a, from[l]) : 0x0f;
        outside |= (uint32_t)!taking_part << l;
    }
    if (!outside && !w->tainted)
        return;
    EMU_BITS(m, l)
    emu_taint_set(w, in->dst[0].reg, l, bytes[l], outside >> l & 1 ? in->ptx : origin);
    emu_taint_clear(w, in->dst[1].reg, m);
}

static void run_shfl(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint32_t *d = emu_dst(w, in, 0);
    const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2);
    uint32_t r[EMU_LANES], valid = 0;
    uint8_t from[EMU_LANES];
    for (unsigned l = 0; l < EMU_LANES; l++) {
        bool inside;
        from[l] = (uint8_t)shuffle_source(in->mode, (int)l, b[l], c[l], &inside);
        r[l] = a[from[l]];
        valid |= (uint32_t)inside << l;
    }
    shuffle_undefined(w, in, m, from);
    EMU_BITS(m, l)
    d[l] = r[l];
    if (in->dst_count > 1)
        emu_set_predicate(w, &in->dst[1], m, valid);
}

/* ---- vote, match, redux ---- */

/* What all lanes get hangs on every lane that takes part. */
static void join_undefined(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const struct emu_operand *a = &in->src[0];
    if (!w->tainted)
        return;
    const bool any = emu_taint_lanes(w, a) & m;
    for (unsigned i = 0; i < in->dst_count; i++)
        EMU_BITS(m, l)
    emu_taint_set(w, in->dst[i].reg, l, any ? 0xff : 0, any ? w->origin[a->reg] : 0);
}

static void run_ballot(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const uint32_t r = emu_predicate(w, &in->src[0]) & m;
    uint32_t *d = emu_dst(w, in, 0);
    join_undefined(w, in, m);
    EMU_BITS(m, l)
    d[l] = r;
}

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI };
static void run_vote(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const uint32_t p = emu_predicate(w, &in->src[0]) & m;
    const bool r = in->mode == VOTE_ALL ? p == m : in->mode == VOTE_ANY ? p != 0 : p == m || p == 0;
    join_undefined(w, in, m);
    emu_set_predicate(w, &in->dst[0], m, r ? EMU_FULL : 0);
}

static void run_match_any(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint32_t r[EMU_LANES];
    EMU_BITS(m, l)
    {
        r[l] = 0;
        EMU_BITS(m, k)
        r[l] |= (uint32_t)(emu_get(w, &in->src[0], l) == emu_get(w, &in->src[0], k)) << k;
    }
    join_undefined(w, in, m);
    EMU_BITS(m, l)
    emu_put(w, &in->dst[0], l, r[l]);
}

static void run_match_all(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const uint64_t first = emu_get(w, &in->src[0], (unsigned)__builtin_ctz(m));
    bool all = true;
    EMU_BITS(m, l)
    all = all && emu_get(w, &in->src[0], l) == first;
    join_undefined(w, in, m);
    EMU_BITS(m, l)
    emu_put(w, &in->dst[0], l, all ? m : 0);
    if (in->dst_count > 1)
        emu_set_predicate(w, &in->dst[1], m, all ? EMU_FULL : 0);
}

static uint32_t reduce(unsigned op, bool is_signed, uint32_t x, uint32_t y)
{
    const bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    /* clang-format off */
    switch (op) {
    case CMPD_PTX_MOD_add: return x + y;
    case CMPD_PTX_MOD_min: return less ? x : y;
    case CMPD_PTX_MOD_max: return less ? y : x;
    case CMPD_PTX_MOD_and: return x & y;
    case CMPD_PTX_MOD_or: return x | y;
    default: return x ^ y;
    }
    /* clang-format on */
}
static void run_redux(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const uint32_t *a = emu_src(w, in, 0);
    uint32_t *d = emu_dst(w, in, 0);
    const unsigned first = (unsigned)__builtin_ctz(m);
    uint32_t r = a[first];
    EMU_BITS(m & (m - 1), l)
    r = reduce((unsigned)in->imm >> 1, in->type == CMPD_PTX_S32, r, a[l]);
    join_undefined(w, in, m);
    EMU_BITS(m, l)
    d[l] = r;
}

static void run_activemask(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint32_t *d = emu_dst(w, in, 0);
    emu_taint_clear(w, in->dst[0].reg, m);
    EMU_BITS(m, l)
    d[l] = m;
}

/* ---- binding ---- */

static bool bind_mask(struct emu_binder *b, const struct cmpd_ptx_operand *o, struct emu_ins *in)
{
    in->control = EMU_COLLECTIVE;
    in->taint = EMU_TAINT_NONE;
    return emu_bind_operand(b, o, EMU_W32, CMPD_PTX_B32, &in->src[3]);
}

/* d or d|p */
static bool bind_result(struct emu_binder *b, const struct cmpd_ptx_operand *o, struct emu_ins *in)
{
    in->dst_count = 1;
    if (o->kind != CMPD_PTX_O_PAIR)
        return emu_bind_destination(b, o, EMU_W32, &in->dst[0]);
    const struct cmpd_ptx_operand *d = &b->m->ptx->operands[o->index];
    in->dst_count = 2;
    return emu_bind_destination(b, &d[0], EMU_W32, &in->dst[0]) &&
           emu_bind_destination(b, &d[1], EMU_WPRED, &in->dst[1]);
}

bool emu_bind_shfl(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (!emu_has(p, CMPD_PTX_MOD_sync) || p->operand_count != 5 || p->type_count != 1 ||
        cmpd_ptx_type_size(p->types[0]) != 4)
        return false;
    in->mode = emu_has(p, CMPD_PTX_MOD_up)     ? SHUFFLE_UP
               : emu_has(p, CMPD_PTX_MOD_down) ? SHUFFLE_DOWN
               : emu_has(p, CMPD_PTX_MOD_bfly) ? SHUFFLE_BFLY
                                               : SHUFFLE_IDX;
    in->type = p->types[0];
    in->src_count = 3;
    in->run = run_shfl;
    return bind_result(b, &o[0], in) &&
           emu_bind_operand(b, &o[1], EMU_W32, in->type, &in->src[0]) &&
           emu_bind_operand(b, &o[2], EMU_W32, CMPD_PTX_U32, &in->src[1]) &&
           emu_bind_operand(b, &o[3], EMU_W32, CMPD_PTX_U32, &in->src[2]) &&
           bind_mask(b, &o[4], in);
}

bool emu_bind_vote(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const bool ballot = emu_has(p, CMPD_PTX_MOD_ballot);
    if (!emu_has(p, CMPD_PTX_MOD_sync) || p->operand_count != 3)
        return false;
    in->mode = emu_has(p, CMPD_PTX_MOD_all)   ? VOTE_ALL
               : emu_has(p, CMPD_PTX_MOD_any) ? VOTE_ANY
                                              : VOTE_UNI;
    in->run = ballot ? run_ballot : run_vote;
    in->dst_count = in->src_count = 1;
    return emu_bind_destination(b, &o[0], ballot ? EMU_W32 : EMU_WPRED, &in->dst[0]) &&
           emu_bind_operand(b, &o[1], EMU_WPRED, CMPD_PTX_PRED, &in->src[0]) &&
           bind_mask(b, &o[2], in);
}

bool emu_bind_match(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (!emu_has(p, CMPD_PTX_MOD_sync) || p->operand_count != 3 || p->type_count != 1)
        return false;
    in->type = p->types[0];
    in->src_count = 1;
    in->run = emu_has(p, CMPD_PTX_MOD_any) ? run_match_any : run_match_all;
    return bind_result(b, &o[0], in) &&
           emu_bind_operand(b, &o[1], emu_lanes_of(in->type), in->type, &in->src[0]) &&
           bind_mask(b, &o[2], in);
}

bool emu_bind_redux(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    static const uint16_t known[] = {CMPD_PTX_MOD_add, CMPD_PTX_MOD_min, CMPD_PTX_MOD_max,
                                     CMPD_PTX_MOD_and, CMPD_PTX_MOD_or,  CMPD_PTX_MOD_xor};
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    unsigned op = 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (emu_has(p, known[i]))
            op = known[i];
    if (!op || p->operand_count != 3 || p->type_count != 1 || p->mod_count != 2 ||
        emu_lanes_of(p->types[0]) != EMU_W32 || p->types[0] == CMPD_PTX_F32)
        return false;
    in->type = p->types[0];
    in->imm = (int64_t)op << 1;
    in->dst_count = in->src_count = 1;
    in->run = run_redux;
    return emu_bind_destination(b, &o[0], EMU_W32, &in->dst[0]) &&
           emu_bind_operand(b, &o[1], EMU_W32, in->type, &in->src[0]) && bind_mask(b, &o[2], in);
}

bool emu_bind_activemask(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    in->run = run_activemask;
    in->taint = EMU_TAINT_NONE;
    in->dst_count = 1;
    return p->operand_count == 1 && emu_bind_destination(b, &o[0], EMU_W32, &in->dst[0]);
}
