/* Layouts of matrices in registers. */
#include "gpu-runner/emulator/matrix.h"

static void place_a(const struct emu_fragment *f, unsigned lane, unsigned reg, unsigned part,
                    unsigned *row, unsigned *column)
{
    const unsigned halves = f->shape.m >= 16 ? 2 : 1;
    const unsigned in_tile = f->shape.k / (4u * f->each) * halves;
    const unsigned r = reg % in_tile;
    *row = reg / in_tile * 16 + r % halves * 8 + lane / 4;
    *column = r / halves * 4 * f->each + lane % 4 * f->each + part;
}
static void place_b(const struct emu_fragment *f, unsigned lane, unsigned reg, unsigned part,
                    unsigned *row, unsigned *column)
{
    const unsigned in_tile = f->shape.k / (4u * f->each);
    *row = reg % in_tile * 4 * f->each + lane % 4 * f->each + part;
    *column = reg / in_tile * 8 + lane / 4;
}
static void place_c(const struct emu_fragment *f, unsigned lane, unsigned reg, unsigned part,
                    unsigned *row, unsigned *column)
{
    const unsigned i = reg * f->each + part, halves = f->shape.m >= 16 ? 2 : 1;
    const unsigned tile = i / (2 * halves), tiles_across = f->shape.n / 8u;
    *row = tile / tiles_across * 16 + i / 2 % halves * 8 + lane / 4;
    *column = tile % tiles_across * 8 + lane % 4 * 2 + i % 2;
}

void emu_fragment_place(const struct emu_fragment *f, unsigned lane, unsigned reg, unsigned part,
                        unsigned *row, unsigned *column)
{
    reg %= f->unique;
    if (f->matrix == EMU_MATRIX_A)
        place_a(f, lane, reg, part, row, column);
    else if (f->matrix == EMU_MATRIX_B)
        place_b(f, lane, reg, part, row, column);
    else
        place_c(f, lane, reg, part, row, column);
}

static const uint16_t *places(struct emu_module *m, const struct emu_fragment *f)
{
    uint16_t *place = CMPD_ARENA_ARRAY(&m->arena, uint16_t,
                                       (size_t)f->unique * f->each * EMU_LANES);
    for (unsigned r = 0; r < f->unique; r++)
        for (unsigned i = 0; i < f->each; i++)
            for (unsigned l = 0; l < EMU_LANES; l++) {
                unsigned row, column;
                emu_fragment_place(f, l, r, i, &row, &column);
                place[(r * f->each + i) * EMU_LANES + l] =
                    (uint16_t)(row * EMU_MATRIX_SIDE + column);
            }
    return place;
}

bool emu_fragment_init(struct emu_module *m, struct emu_fragment *f, enum emu_matrix matrix,
                       enum cmpd_ptx_type type, struct emu_shape shape)
{
    const unsigned size = cmpd_ptx_type_size(type);
    if (size < 1 || size > 8)
        return false;
    *f = (struct emu_fragment){.matrix = matrix, .type = type, .shape = shape};
    f->each = size >= 4 ? 1 : (uint8_t)(4 / size);
    const unsigned elements = matrix == EMU_MATRIX_A   ? shape.m * shape.k
                              : matrix == EMU_MATRIX_B ? shape.k * shape.n
                                                       : shape.m * shape.n;
    f->unique = (uint8_t)(elements / EMU_LANES / f->each);
    if (f->unique == 0 || elements % (EMU_LANES * f->each) != 0)
        return false;
    f->place = places(m, f);
    return true;
}

bool emu_shape_of(const struct cmpd_ptx_ins *p, struct emu_shape *out)
{
    static const struct {
        uint16_t mod;
        struct emu_shape shape;
    } known[] = {
        {CMPD_PTX_MOD_m16n8k4, {16, 8, 4}},     {CMPD_PTX_MOD_m16n8k8, {16, 8, 8}},
        {CMPD_PTX_MOD_m16n8k16, {16, 8, 16}},   {CMPD_PTX_MOD_m16n8k32, {16, 8, 32}},
        {CMPD_PTX_MOD_m8n8k4, {8, 8, 4}},       {CMPD_PTX_MOD_m8n8k16, {8, 8, 16}},
        {CMPD_PTX_MOD_m16n16k16, {16, 16, 16}}, {CMPD_PTX_MOD_m16n16k8, {16, 16, 8}},
        {CMPD_PTX_MOD_m32n8k16, {32, 8, 16}},   {CMPD_PTX_MOD_m8n32k16, {8, 32, 16}},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (emu_has(p, known[i].mod)) {
            *out = known[i].shape;
            return true;
        }
    return false;
}
