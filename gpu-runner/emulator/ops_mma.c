/*
 * Matrix products of a warp: mma and wmma.mma. Products are exact in double; a sum is rounded once to the
 * destination's type, where the hardware cuts partial sums in an order that isn't documented: the difference is within
 * what a kernel on it must bear anyway. f64 is a chain of fma in the order of k, integers are exact.
 */
#include <math.h>

#include "gpu-runner/emulator/half.h"
#include "gpu-runner/emulator/matrix.h"

struct product {
    struct emu_fragment a, b, c, d;
    bool satfinite;
};

/* The operands of one instruction: registers of D, A, B, C in this order in emu_ins.more. */
struct matrices {
    double a[EMU_MATRIX_SIDE][EMU_MATRIX_SIDE],
        b[EMU_MATRIX_SIDE][EMU_MATRIX_SIDE]; /* b by column */
    double c[EMU_MATRIX_SIDE][EMU_MATRIX_SIDE];
    uint32_t bad_rows, bad_columns; /* of the result, through A and B */
    uint32_t bad[EMU_MATRIX_SIDE];  /* elements, through C: by row, a bit a column */
    uint32_t origin;
};

static double element(uint64_t v, unsigned type)
{
    /* clang-format off */
    switch (type) {
    case CMPD_PTX_F16: return (double)emu_from_f16((uint32_t)v & 0xffff);
    case CMPD_PTX_BF16: return (double)emu_from_bf16((uint32_t)v & 0xffff);
    case CMPD_PTX_TF32: return (double)emu_f32((uint32_t)v & 0xffffe000u);
    case CMPD_PTX_F32: return (double)emu_f32((uint32_t)v);
    case CMPD_PTX_F64: return emu_f64(v);
    case CMPD_PTX_S8: return (int8_t)v;
    case CMPD_PTX_U8: return (uint8_t)v;
    default: return (int32_t)v;
    }
    /* clang-format on */
}

static void mark_bad(struct matrices *x, const struct emu_fragment *f, unsigned row,
                     unsigned column)
{
    if (f->matrix == EMU_MATRIX_A)
        x->bad_rows |= 1u << row;
    else if (f->matrix == EMU_MATRIX_B)
        x->bad_columns |= 1u << column;
    else
        x->bad[row] |= 1u << column;
}

static void read_matrix(struct emu_warp *w, const struct emu_fragment *f,
                        const struct emu_operand *regs, struct matrices *x)
{
    const unsigned bits = 8 * cmpd_ptx_type_size(f->type);
    for (unsigned r = 0; r < f->unique; r++) {
        const uint32_t undefined = emu_taint_lanes(w, &regs[r]);
        if (undefined)
            x->origin = w->origin[regs[r].reg];
        for (unsigned l = 0; l < EMU_LANES; l++) {
            const uint64_t v = emu_get(w, &regs[r], l);
            for (unsigned i = 0; i < f->each; i++) {
                unsigned row, column;
                emu_fragment_place(f, l, r, i, &row, &column);
                const double e = element(f->each > 1 ? v >> (i * bits) : v, f->type);
                if (f->matrix == EMU_MATRIX_A)
                    x->a[row][column] = e;
                else if (f->matrix == EMU_MATRIX_B)
                    x->b[column][row] = e;
                else
                    x->c[row][column] = e;
                if (undefined >> l & 1)
                    mark_bad(x, f, row, column);
            }
        }
    }
}

static double dot(const double *a, const double *b, unsigned k)
{
    double s = 0;
    for (unsigned i = 0; i < k; i++)
        s += a[i] * b[i];
    return s;
}
static double chain(const double *a, const double *b, unsigned k, double c)
{
    for (unsigned i = 0; i < k; i++)
        c = fma(a[i], b[i], c);
    return c;
}

static uint64_t result(double v, unsigned type, bool satfinite)
{
    switch (type) {
    case CMPD_PTX_F16:
        return emu_to_f16_mode(v, EMU_RN);
    case CMPD_PTX_F32:
        return emu_bits32(emu_canonical((float)v));
    case CMPD_PTX_F64:
        return emu_bits64(v);
    default:
        if (satfinite)
            v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
        return (uint32_t)(int64_t)v;
    }
}

static void multiply(const struct product *p, struct matrices *x)
{
    for (unsigned i = 0; i < p->d.shape.m; i++)
        for (unsigned j = 0; j < p->d.shape.n; j++)
            x->c[i][j] = p->d.type == CMPD_PTX_F64
                             ? chain(x->a[i], x->b[j], p->a.shape.k, x->c[i][j])
                             : x->c[i][j] + dot(x->a[i], x->b[j], p->a.shape.k);
}

static bool is_bad(const struct matrices *x, unsigned row, unsigned column)
{
    return (x->bad_rows >> row | x->bad_columns >> column | x->bad[row] >> column) & 1;
}

static void write_matrix(struct emu_warp *w, const struct product *p,
                         const struct emu_operand *regs, const struct matrices *x, uint32_t m)
{
    const struct emu_fragment *f = &p->d;
    const unsigned bits = 8 * cmpd_ptx_type_size(f->type);
    for (unsigned r = 0; r < f->unique; r++)
        EMU_BITS(m, l)
        {
            uint64_t v = 0;
            bool bad = false;
            for (unsigned i = 0; i < f->each; i++) {
                unsigned row, column;
                emu_fragment_place(f, l, r, i, &row, &column);
                v |= result(x->c[row][column], f->type, p->satfinite) << (i * bits);
                bad = bad || is_bad(x, row, column);
            }
            emu_put(w, &regs[r], l, v);
            if (w->tainted)
                emu_taint_set(w, regs[r].reg, l, bad ? 0xff : 0, x->origin);
        }
}

static void run_mma(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const struct product *p = in->extra;
    struct matrices x;
    const struct emu_operand *a = in->more + in->more_written, *b = a + in->vec;
    memset(&x, 0, sizeof x);
    read_matrix(w, &p->a, a, &x);
    read_matrix(w, &p->b, b, &x);
    read_matrix(w, &p->c, b + in->combine, &x);
    multiply(p, &x);
    write_matrix(w, p, in->more, &x, m);
}

/* ---- binding ---- */

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

static bool types_work(const struct product *p)
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
    struct product *x = cmpd_arena_alloc(&b->m->arena, sizeof *x);
    struct emu_shape s;
    if (p->operand_count != 4 || !emu_shape_of(p, &s) ||
        !emu_fragment_init(&x->d, EMU_MATRIX_C, types[0], s) ||
        !emu_fragment_init(&x->a, EMU_MATRIX_A, types[1], s) ||
        !emu_fragment_init(&x->b, EMU_MATRIX_B, types[2], s) ||
        !emu_fragment_init(&x->c, EMU_MATRIX_C, types[3], s) || !types_work(x))
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
    in->run = run_mma;
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
