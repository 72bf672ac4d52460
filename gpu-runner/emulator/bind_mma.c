/* Binding of matrix products: which shapes and types there are, and where their registers stand. */
#include "gpu-runner/emulator/matrix.h"

static unsigned count_of(const struct cmpd_ptx_operand *o)
{
    return o->kind == CMPD_PTX_O_VECTOR ? o->count : 1;
}

static bool bind_matrix(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                        const struct emu_fragment *f, bool destination, struct emu_operand *out)
{
    const enum emu_lanes_kind kind = cmpd_ptx_type_size(f->type) == 8 ? EMU_W64 : EMU_W32;
    const unsigned count = count_of(o);
    const struct cmpd_ptx_operand *e = o->kind == CMPD_PTX_O_VECTOR ? &b->m->ptx->operands[o->index]
                                                                    : o;
    if (count < f->unique || count % f->unique)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!(destination ? emu_bind_destination(b, &e[i], kind, &out[i])
                          : emu_bind_operand(b, &e[i], kind, f->type, &out[i])))
            return false;
    return true;
}

static bool types_work(const struct emu_product *p)
{
    const unsigned a = p->a.type, c = p->c.type, d = p->d.type;
    if (a == CMPD_PTX_F16)
        return (c == CMPD_PTX_F16 || c == CMPD_PTX_F32) && (d == CMPD_PTX_F16 || d == CMPD_PTX_F32);
    if (a == CMPD_PTX_BF16 || a == CMPD_PTX_TF32)
        return a == p->b.type && c == CMPD_PTX_F32 && d == CMPD_PTX_F32;
    if (a == CMPD_PTX_F64)
        return a == p->b.type && c == a && d == a;
    return (a == CMPD_PTX_S8 || a == CMPD_PTX_U8) &&
           (p->b.type == CMPD_PTX_S8 || p->b.type == CMPD_PTX_U8) && c == CMPD_PTX_S32 && d == c;
}

/* Repeated registers of a wmma fragment get the same result: a copy of the unique ones. */
static bool bind_product(struct emu_binder *b, const struct cmpd_ptx_ins *p, const uint8_t types[4],
                         struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    struct emu_product *x = cmpd_arena_alloc(&b->m->arena, sizeof *x);
    struct emu_shape s;
    if (p->operand_count != 4 || !emu_shape_of(p, &s) ||
        !emu_fragment_init(b->m, &x->d, EMU_MATRIX_C, types[0], s) ||
        !emu_fragment_init(b->m, &x->a, EMU_MATRIX_A, types[1], s) ||
        !emu_fragment_init(b->m, &x->b, EMU_MATRIX_B, types[2], s) ||
        !emu_fragment_init(b->m, &x->c, EMU_MATRIX_C, types[3], s) || !types_work(x))
        return false;
    x->satfinite = emu_has(p, CMPD_PTX_MOD_satfinite);
    const unsigned d = count_of(&o[0]), a = count_of(&o[1]), bb = count_of(&o[2]),
                   c = count_of(&o[3]);
    if (d + a + bb + c > 64)
        return false;
    struct emu_operand *more = emu_bind_more(b, in, d + a + bb + c);
    in->more_written = (uint16_t)d;
    in->vec = (uint8_t)a;
    in->combine = (uint8_t)bb;
    in->extra = x;
    in->control = EMU_COLLECTIVE;
    in->flags |= EMU_F_ALL_LANES;
    in->taint = EMU_TAINT_NONE;
    in->run = b->ops->mma;
    return d == x->d.unique && bind_matrix(b, &o[0], &x->d, true, more) &&
           bind_matrix(b, &o[1], &x->a, false, more + d) &&
           bind_matrix(b, &o[2], &x->b, false, more + d + a) &&
           bind_matrix(b, &o[3], &x->c, false, more + d + a + bb);
}

bool emu_bind_mma(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    if (p->type_count != 4 || emu_has(p, CMPD_PTX_MOD_sp) || emu_has(p, CMPD_PTX_MOD_block_scale) ||
        (emu_has(p, CMPD_PTX_MOD_m8n8k4) && p->types[1] == CMPD_PTX_F16))
        return false;
    for (unsigned i = 0; i < p->mod_count; i++) {
        const unsigned mod = p->mods[i];
        struct cmpd_ptx_ins one = {.mod_count = 1, .mods = {mod}};
        struct emu_shape s;
        if (mod != CMPD_PTX_MOD_sync && mod != CMPD_PTX_MOD_aligned && mod != CMPD_PTX_MOD_row &&
            mod != CMPD_PTX_MOD_col && mod != CMPD_PTX_MOD_satfinite && !emu_shape_of(&one, &s))
            return false;
    }
    return bind_product(b, p, p->types, in);
}

bool emu_bind_wmma_mma(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    uint8_t types[4];
    if (p->type_count == 2) { /* f16: the factors' types go without saying */
        types[0] = p->types[0];
        types[1] = types[2] = CMPD_PTX_F16;
        types[3] = p->types[1];
    } else if (p->type_count == 4)
        memcpy(types, p->types, sizeof types);
    else
        return false;
    return bind_product(b, p, types, in);
}
