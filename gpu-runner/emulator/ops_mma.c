/*
 * Matrix products of a warp: mma and wmma.mma. Products are exact in double; a sum is rounded once to the
 * destination's type, where the hardware cuts partial sums in an order that isn't documented: the difference is within
 * what a kernel on it must bear anyway. f64 is a chain of fma in the order of k, integers are exact.
 */
#include <math.h>

#include "gpu-runner/emulator/half.h"
#include "gpu-runner/emulator/matrix.h"

/* The operands of one instruction: registers of D, A, B, C in this order in emu_ins.more. */
struct matrices {
    double a[EMU_MATRIX_SIDE][EMU_MATRIX_SIDE], b[EMU_MATRIX_SIDE][EMU_MATRIX_SIDE];
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
    const unsigned bits = 8 * cmpd_ptx_type_size(f->type), each = f->each;
    double *to = f->matrix == EMU_MATRIX_A   ? x->a[0]
                 : f->matrix == EMU_MATRIX_B ? x->b[0]
                                             : x->c[0];
    for (unsigned r = 0; r < f->unique; r++) {
        const uint16_t *place = f->place + (size_t)r * each * EMU_LANES;
        const uint32_t undefined = emu_taint_lanes(w, &regs[r]);
        if (undefined)
            x->origin = w->origin[regs[r].reg];
        for (unsigned l = 0; l < EMU_LANES; l++) {
            const uint64_t v = emu_get(w, &regs[r], l);
            for (unsigned i = 0; i < each; i++)
                to[place[i * EMU_LANES + l]] = element(each > 1 ? v >> (i * bits) : v, f->type);
        }
        EMU_BITS(undefined, l)
        for (unsigned i = 0; i < each; i++) {
            const unsigned at = place[i * EMU_LANES + l];
            mark_bad(x, f, at / EMU_MATRIX_SIDE, at % EMU_MATRIX_SIDE);
        }
    }
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

/* One row of the result: columns side by side, so that it becomes vector code. */
static void multiply_row(const struct emu_product *p, struct matrices *x, unsigned i)
{
    const unsigned n = p->d.shape.n, k = p->a.shape.k;
    double *c = x->c[i], sum[EMU_MATRIX_SIDE] = {0};
    if (p->d.type == CMPD_PTX_F64) {
        for (unsigned l = 0; l < k; l++)
            for (unsigned j = 0; j < n; j++)
                c[j] = __builtin_fma(x->a[i][l], x->b[l][j], c[j]);
        return;
    }
    for (unsigned l = 0; l < k; l++) {
        const double a = x->a[i][l];
        for (unsigned j = 0; j < n; j++)
            sum[j] += a * x->b[l][j];
    }
    for (unsigned j = 0; j < n; j++)
        c[j] += sum[j];
}

static bool is_bad(const struct matrices *x, unsigned row, unsigned column)
{
    return (x->bad_rows >> row | x->bad_columns >> column | x->bad[row] >> column) & 1;
}

static void write_matrix(struct emu_warp *w, const struct emu_product *p,
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
                const unsigned at = f->place[((size_t)r * f->each + i) * EMU_LANES + l];
                const unsigned row = at / EMU_MATRIX_SIDE, column = at % EMU_MATRIX_SIDE;
                v |= result(x->c[row][column], f->type, p->satfinite) << (i * bits);
                bad = bad || is_bad(x, row, column);
            }
            emu_put(w, &regs[r], l, v);
            if (w->tainted)
                emu_taint_set(w, regs[r].reg, l, bad ? 0xff : 0, x->origin);
        }
}

void EMU_NAME(emu_mma)(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const struct emu_product *p = in->extra;
    struct matrices x;
    const struct emu_operand *a = in->more + in->more_written, *b = a + in->vec;
    memset(&x, 0, sizeof x);
    read_matrix(w, &p->a, a, &x);
    read_matrix(w, &p->b, b, &x);
    read_matrix(w, &p->c, b + in->combine, &x);
    for (unsigned i = 0; i < p->d.shape.m; i++)
        multiply_row(p, &x, i);
    write_matrix(w, p, in->more, &x, m);
}
