/* Matrices between memory and registers: ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store. */
#include "gpu-runner/emulator/matrix.h"

/* ---- ldmatrix, stmatrix: rows of 16 bytes, whose addresses lanes 8q .. 8q+7 hold for matrix q ---- */

struct rows {
    uint64_t address[EMU_LANES];
    uint16_t element[EMU_LANES][8]; /* row of matrix q: q * 8 + row */
    uint32_t undefined[EMU_LANES];  /* bytes of a row */
};

static void row_addresses(const struct emu_warp *w, const struct emu_ins *in, struct rows *r)
{
    for (unsigned l = 0; l < EMU_LANES; l++) {
        const uint64_t a = emu_get(w, &in->src[0], l) + (uint64_t)in->imm;
        r->address[l] = in->narrow_address ? (uint32_t)a : a;
        r->undefined[l] = 0;
    }
}

/* The row and column of half i of lane l's register. */
static void half_place(const struct emu_ins *in, unsigned l, unsigned i, unsigned *row,
                       unsigned *column)
{
    *row = in->mode ? 2 * (l % 4) + i : l / 4;
    *column = in->mode ? l / 4 : 2 * (l % 4) + i;
}

static void run_ldmatrix(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    struct rows r;
    uint32_t undefined[EMU_LANES];
    const unsigned count = in->more_count;
    const uint32_t givers = count == 4 ? EMU_FULL : (1u << (8 * count)) - 1;
    row_addresses(w, in, &r);
    memset(r.element, 0, sizeof r.element);
    const uint32_t bad = emu_load(w, in, givers & m, r.address, 16, in->space, (uint8_t *)r.element,
                                  undefined);
    EMU_BITS(bad, l)
    r.undefined[l] = undefined[l];
    for (unsigned q = 0; q < count; q++)
        EMU_BITS(m, l)
        {
            uint32_t v = 0, miss = 0;
            for (unsigned i = 0; i < 2; i++) {
                unsigned row, column;
                half_place(in, l, i, &row, &column);
                v |= (uint32_t)r.element[8 * q + row][column] << (16 * i);
                miss |= (r.undefined[8 * q + row] >> (2 * column) & 3) << (2 * i);
            }
            emu_put(w, &in->more[q], l, v);
            if (miss || w->tainted)
                emu_taint_set(w, in->more[q].reg, l, (uint8_t)miss, in->ptx);
        }
}

static void run_stmatrix(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    struct rows r;
    const unsigned count = in->more_count;
    const uint32_t givers = count == 4 ? EMU_FULL : (1u << (8 * count)) - 1;
    uint32_t bad = 0;
    row_addresses(w, in, &r);
    for (unsigned q = 0; q < count; q++)
        for (unsigned l = 0; l < EMU_LANES; l++)
            for (unsigned i = 0; i < 2; i++) {
                unsigned row, column;
                half_place(in, l, i, &row, &column);
                r.element[8 * q + row][column] = (uint16_t)(emu_get(w, &in->more[q], l) >>
                                                            (16 * i));
                const uint32_t miss = emu_taint_bytes(w, &in->more[q], l) >> (2 * i) & 3;
                r.undefined[8 * q + row] |= miss << (2 * column);
                bad |= (uint32_t)(miss != 0) << (8 * q + row);
            }
    emu_store(w, in, givers & m, r.address, 16, in->space, (const uint8_t *)r.element, bad,
              r.undefined);
}

bool emu_bind_ldmatrix(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const bool load = p->op == CMPD_PTX_OP_ldmatrix;
    const unsigned count = emu_has(p, CMPD_PTX_MOD_x4) ? 4 : emu_has(p, CMPD_PTX_MOD_x2) ? 2 : 1;
    const struct cmpd_ptx_operand *v = load ? &o[0] : &o[1], *address = load ? &o[1] : &o[0];
    if (p->operand_count != 2 || !emu_has(p, CMPD_PTX_MOD_m8n8) || p->type_count != 1 ||
        p->types[0] != CMPD_PTX_B16)
        return false;
    if (!emu_bind_address(b, address, in) || in->mode)
        return false;
    const bool shared = emu_has(p, CMPD_PTX_MOD_shared) || emu_has(p, CMPD_PTX_MOD_shared_cta);
    in->space = shared ? CMPD_PTX_SPACE_SHARED : CMPD_PTX_SPACE_GENERIC;
    in->mode = emu_has(p, CMPD_PTX_MOD_trans);
    in->type = CMPD_PTX_B16;
    struct emu_operand *more = emu_bind_more(b, in, count);
    const struct cmpd_ptx_operand *e = v->kind == CMPD_PTX_O_VECTOR ? &b->m->ptx->operands[v->index]
                                                                    : v;
    if ((v->kind == CMPD_PTX_O_VECTOR ? v->count : 1) != count)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!(load ? emu_bind_destination(b, &e[i], EMU_W32, &more[i])
                   : emu_bind_operand(b, &e[i], EMU_W32, CMPD_PTX_B32, &more[i])))
            return false;
    in->more_written = load ? (uint16_t)count : 0;
    in->control = EMU_COLLECTIVE;
    in->flags |= EMU_F_ALL_LANES;
    in->taint = load ? EMU_TAINT_LOAD : EMU_TAINT_STORE;
    in->run = load ? run_ldmatrix : run_stmatrix;
    return true;
}

/* ---- movmatrix: an 8 by 8 matrix of halves, transposed ---- */

static void run_movmatrix(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint16_t x[8][8];
    const uint32_t *a = emu_src(w, in, 0);
    uint32_t *d = emu_dst(w, in, 0);
    for (unsigned l = 0; l < EMU_LANES; l++)
        for (unsigned i = 0; i < 2; i++)
            x[l / 4][2 * (l % 4) + i] = (uint16_t)(a[l] >> (16 * i));
    const bool bad = emu_taint_lanes(w, &in->src[0]);
    const uint32_t origin = bad ? w->origin[in->src[0].reg] : 0;
    EMU_BITS(m, l)
    {
        d[l] = x[2 * (l % 4)][l / 4] | (uint32_t)x[2 * (l % 4) + 1][l / 4] << 16;
        if (w->tainted)
            emu_taint_set(w, in->dst[0].reg, l, bad ? 0x0f : 0, origin);
    }
}

bool emu_bind_movmatrix(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count != 2 || !emu_has(p, CMPD_PTX_MOD_m8n8) || !emu_has(p, CMPD_PTX_MOD_trans))
        return false;
    in->control = EMU_COLLECTIVE;
    in->flags |= EMU_F_ALL_LANES;
    in->taint = EMU_TAINT_NONE;
    in->dst_count = in->src_count = 1;
    in->run = run_movmatrix;
    return emu_bind_destination(b, &o[0], EMU_W32, &in->dst[0]) &&
           emu_bind_operand(b, &o[1], EMU_W32, CMPD_PTX_B32, &in->src[0]);
}

/* ---- wmma.load, wmma.store: src[1]: the stride in elements, extra: struct access ---- */

struct access {
    struct emu_fragment f;
    bool columns; /* consecutive elements in memory are those of a column */
};

static void element_addresses(const struct emu_warp *w, const struct emu_ins *in,
                              const struct access *a, unsigned reg, unsigned part, uint64_t *out)
{
    const unsigned size = cmpd_ptx_type_size(a->f.type == CMPD_PTX_TF32 ? CMPD_PTX_F32 : a->f.type);
    for (unsigned l = 0; l < EMU_LANES; l++) {
        unsigned row, column;
        emu_fragment_place(&a->f, l, reg, part, &row, &column);
        const uint64_t stride = (uint32_t)emu_get(w, &in->src[1], l);
        const uint64_t at = a->columns ? column * stride + row : row * stride + column;
        const uint64_t base = emu_get(w, &in->src[0], l) + (uint64_t)in->imm + at * size;
        out[l] = in->narrow_address ? (uint32_t)base : base;
    }
}

static void run_wmma_load(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const struct access *a = in->extra;
    const unsigned size = a->f.each > 1 ? 4 / a->f.each : cmpd_ptx_type_size(a->f.type);
    emu_warp_order(w, m); /* it waits for all lanes, and what one has stored before is there */
    for (unsigned r = 0; r < in->more_count; r++) {
        uint64_t v[EMU_LANES] = {0};
        uint8_t miss[EMU_LANES] = {0};
        for (unsigned i = 0; i < a->f.each; i++) {
            uint64_t address[EMU_LANES];
            uint32_t undefined[EMU_LANES];
            uint8_t bytes[EMU_LANES * 8] = {0};
            element_addresses(w, in, a, r, i, address);
            const uint32_t bad = emu_load(w, in, m, address, size, in->space, bytes, undefined);
            EMU_BITS(m, l)
            {
                uint64_t e = 0;
                memcpy(&e, bytes + l * size, size);
                v[l] |= e << (8 * size * i);
                if (bad >> l & 1)
                    miss[l] |= (uint8_t)(undefined[l] << (size * i));
            }
        }
        EMU_BITS(m, l)
        {
            emu_put(w, &in->more[r], l, v[l]);
            if (miss[l] || w->tainted)
                emu_taint_set(w, in->more[r].reg, l, miss[l], in->ptx);
        }
    }
}

static void run_wmma_store(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const struct access *a = in->extra;
    const unsigned size = a->f.each > 1 ? 4 / a->f.each : cmpd_ptx_type_size(a->f.type);
    emu_warp_order(w, m);
    for (unsigned r = 0; r < a->f.unique; r++)
        for (unsigned i = 0; i < a->f.each; i++) {
            uint64_t address[EMU_LANES];
            uint32_t undefined[EMU_LANES] = {0};
            uint8_t bytes[EMU_LANES * 8];
            const uint32_t bad = emu_taint_lanes(w, &in->more[r]) & m;
            element_addresses(w, in, a, r, i, address);
            EMU_BITS(m, l)
            {
                const uint64_t e = emu_get(w, &in->more[r], l) >> (8 * size * i % 64);
                memcpy(bytes + l * size, &e, size);
                undefined[l] = emu_taint_bytes(w, &in->more[r], l) >> (size * i) &
                               ((1u << size) - 1);
            }
            emu_store(w, in, m, address, size, in->space, bytes, bad, undefined);
        }
}

static bool bind_stride(struct emu_binder *b, const struct cmpd_ptx_ins *p, unsigned at,
                        const struct access *a, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const struct emu_fragment *f = &a->f;
    const unsigned rows = f->matrix == EMU_MATRIX_B ? f->shape.k : f->shape.m;
    const unsigned columns = f->matrix == EMU_MATRIX_A ? f->shape.k : f->shape.n;
    const struct cmpd_ptx_operand whole = {.kind = CMPD_PTX_O_INT,
                                           .value = a->columns ? rows : columns};
    in->src_count = 2;
    return emu_bind_operand(b, at < p->operand_count ? &o[at] : &whole, EMU_W32, CMPD_PTX_U32,
                            &in->src[1]);
}

static bool bind_wmma_memory(struct emu_binder *b, const struct cmpd_ptx_ins *p, bool load,
                             struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    struct access *a = cmpd_arena_alloc(&b->m->arena, sizeof *a);
    const enum emu_matrix which = emu_has(p, CMPD_PTX_MOD_a)   ? EMU_MATRIX_A
                                  : emu_has(p, CMPD_PTX_MOD_b) ? EMU_MATRIX_B
                                                               : EMU_MATRIX_C;
    struct emu_shape s;
    if (p->operand_count < 2 || p->operand_count > 3 || p->type_count != 1 ||
        !emu_shape_of(p, &s) || !emu_fragment_init(b->m, &a->f, which, p->types[0], s))
        return false;
    const struct cmpd_ptx_operand *v = load ? &o[0] : &o[1];
    const unsigned count = v->kind == CMPD_PTX_O_VECTOR ? v->count : 1;
    const struct cmpd_ptx_operand *e = v->kind == CMPD_PTX_O_VECTOR ? &b->m->ptx->operands[v->index]
                                                                    : v;
    a->columns = emu_has(p, CMPD_PTX_MOD_col);
    if (!emu_bind_address(b, load ? &o[1] : &o[0], in) || in->mode || count % a->f.unique)
        return false;
    in->space = emu_has(p, CMPD_PTX_MOD_global) ? CMPD_PTX_SPACE_GLOBAL
                : emu_has(p, CMPD_PTX_MOD_shared) || emu_has(p, CMPD_PTX_MOD_shared_cta)
                    ? CMPD_PTX_SPACE_SHARED
                    : CMPD_PTX_SPACE_GENERIC;
    in->extra = a;
    struct emu_operand *more = emu_bind_more(b, in, count);
    const enum emu_lanes_kind kind = cmpd_ptx_type_size(a->f.type) == 8 ? EMU_W64 : EMU_W32;
    for (unsigned i = 0; i < count; i++)
        if (!(load ? emu_bind_destination(b, &e[i], kind, &more[i])
                   : emu_bind_operand(b, &e[i], kind, a->f.type, &more[i])))
            return false;
    in->more_written = load ? (uint16_t)count : 0;
    in->control = EMU_COLLECTIVE;
    in->flags |= EMU_F_ALL_LANES;
    in->taint = load ? EMU_TAINT_LOAD : EMU_TAINT_STORE;
    in->run = load ? run_wmma_load : run_wmma_store;
    return bind_stride(b, p, 2, a, in);
}

bool emu_bind_wmma(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    if (emu_has(p, CMPD_PTX_MOD_load))
        return bind_wmma_memory(b, p, true, in);
    if (emu_has(p, CMPD_PTX_MOD_store))
        return bind_wmma_memory(b, p, false, in);
    return emu_has(p, CMPD_PTX_MOD_mma) && emu_bind_wmma_mma(b, p, in);
}
