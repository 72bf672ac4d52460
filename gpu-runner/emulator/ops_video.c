/*
 * The packed "video" instructions, two or four lanes to a word: vadd2 to vabsdiff4, in the forms that CUDA's SIMD
 * functions have (no choice of bytes, no mask). With .add the lanes' results are summed up with c.
 */
#include "gpu-runner/emulator/exec.h"

enum { VIDEO_ADD, VIDEO_SUB, VIDEO_AVERAGE, VIDEO_DIFFERENCE, VIDEO_MIN, VIDEO_MAX };

static int32_t part_of(uint32_t v, unsigned i, unsigned bits, bool is_signed)
{
    const uint32_t part = v >> (i * bits) & (uint32_t)((UINT64_C(1) << bits) - 1);
    return is_signed && part >> (bits - 1) ? (int32_t)((int64_t)part - (INT64_C(1) << bits))
                                           : (int32_t)part;
}

static int32_t work(unsigned op, int32_t a, int32_t b)
{
    /* clang-format off */
    switch (op) {
    case VIDEO_ADD: return a + b;
    case VIDEO_SUB: return a - b;
    case VIDEO_AVERAGE: return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_DIFFERENCE: return a < b ? b - a : a - b;
    case VIDEO_MIN: return a < b ? a : b;
    default: return a > b ? a : b;
    }
    /* clang-format on */
}

static int32_t saturate(int32_t v, unsigned bits, bool is_signed)
{
    const int32_t high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    const int32_t low = is_signed ? -high - 1 : 0;
    return v < low ? low : v > high ? high : v;
}

/* vec: lanes; mode: what to do; type, type2, type3: of the result, of a, of b; combine: .add */
static void run_video(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    uint32_t *d = emu_dst(w, in, 0);
    const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1), *c = emu_src(w, in, 2);
    const unsigned bits = in->vec == 4 ? 8 : 16;
    const bool result_signed = in->type == CMPD_PTX_S32;
    EMU_BITS(m, l)
    {
        uint32_t packed = 0, sum = c[l];
        for (unsigned i = 0; i < in->vec; i++) {
            int32_t r = work(in->mode, part_of(a[l], i, bits, in->type2 == CMPD_PTX_S32),
                             part_of(b[l], i, bits, in->type3 == CMPD_PTX_S32));
            if (in->sat)
                r = saturate(r, bits, result_signed);
            packed |= ((uint32_t)r & ((1u << bits) - 1)) << (i * bits);
            sum += (uint32_t)r;
        }
        d[l] = in->combine ? sum : packed;
    }
}

static bool operation(unsigned op, struct emu_ins *in)
{
    static const struct {
        uint16_t op;
        uint8_t lanes, mode;
    } known[] = {
        {CMPD_PTX_OP_vadd2, 2, VIDEO_ADD},
        {CMPD_PTX_OP_vadd4, 4, VIDEO_ADD},
        {CMPD_PTX_OP_vsub2, 2, VIDEO_SUB},
        {CMPD_PTX_OP_vsub4, 4, VIDEO_SUB},
        {CMPD_PTX_OP_vavrg2, 2, VIDEO_AVERAGE},
        {CMPD_PTX_OP_vavrg4, 4, VIDEO_AVERAGE},
        {CMPD_PTX_OP_vabsdiff2, 2, VIDEO_DIFFERENCE},
        {CMPD_PTX_OP_vabsdiff4, 4, VIDEO_DIFFERENCE},
        {CMPD_PTX_OP_vmin2, 2, VIDEO_MIN},
        {CMPD_PTX_OP_vmin4, 4, VIDEO_MIN},
        {CMPD_PTX_OP_vmax2, 2, VIDEO_MAX},
        {CMPD_PTX_OP_vmax4, 4, VIDEO_MAX},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].op == op) {
            in->vec = known[i].lanes;
            in->mode = known[i].mode;
            return true;
        }
    return false;
}

bool emu_bind_video(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (!operation(p->op, in) || p->type_count != 3 || p->operand_count != 4)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (p->types[i] != CMPD_PTX_U32 && p->types[i] != CMPD_PTX_S32)
            return false;
    for (unsigned i = 0; i < p->mod_count; i++) {
        in->sat = in->sat || p->mods[i] == CMPD_PTX_MOD_sat;
        in->combine |= p->mods[i] == CMPD_PTX_MOD_add;
        if (p->mods[i] != CMPD_PTX_MOD_sat && p->mods[i] != CMPD_PTX_MOD_add)
            return false;
    }
    in->type = p->types[0];
    in->type2 = p->types[1];
    in->type3 = p->types[2];
    in->dst_count = 1;
    in->src_count = in->combine ? 3 : 2;
    in->taint = EMU_TAINT_ALL;
    in->run = run_video;
    return emu_bind_destination(b, &o[0], EMU_W32, &in->dst[0]) &&
           emu_bind_operand(b, &o[1], EMU_W32, CMPD_PTX_U32, &in->src[0]) &&
           emu_bind_operand(b, &o[2], EMU_W32, CMPD_PTX_U32, &in->src[1]) &&
           emu_bind_operand(b, &o[3], EMU_W32, CMPD_PTX_U32, &in->src[2]);
}
