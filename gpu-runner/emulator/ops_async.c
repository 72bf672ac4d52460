/* Asynchronous copies: cp.async, whose bytes arrive when they are waited for and not before. */
#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"

void emu_async_issue(struct emu_warp *w, const struct emu_ins *in, unsigned lane, uint64_t to,
                     unsigned bytes, const uint8_t *value, uint32_t undefined)
{
    const uint32_t cap = w->async_cap;
    CMPD_GROW(w->async, w->async_count + 1, w->async_cap);
    if (w->async_cap != cap)
        w->async_lane = cmpd_realloc(w->async_lane, w->async_cap, 1);
    struct emu_async *a = &w->async[w->async_count];
    *a = (struct emu_async){.to = to,
                            .in = in,
                            .group = w->async_group[lane],
                            .bytes = (uint16_t)bytes,
                            .undefined = (uint16_t)undefined};
    memcpy(a->value, value, bytes);
    w->async_lane[w->async_count++] = (uint8_t)lane;
}

void emu_async_commit(struct emu_warp *w, uint32_t mask)
{
    EMU_BITS(mask, l)
    w->async_group[l]++;
}

/* all: those of the open group too (wait_all). Else groups up to the open one minus `keep` minus one. */
void emu_async_wait(struct emu_warp *w, uint32_t mask, uint32_t keep, bool all)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < w->async_count; i++) {
        const unsigned lane = w->async_lane[i];
        const uint32_t open = w->async_group[lane];
        const bool due = mask >> lane & 1 && (all || (uint64_t)w->async[i].group + keep < open);
        if (due) {
            const struct emu_async *a = &w->async[i];
            emu_store_arrived(w, a->in, lane, a->to, a->bytes, a->value, a->undefined);
            continue;
        }
        w->async[left] = w->async[i];
        w->async_lane[left++] = (uint8_t)lane;
    }
    w->async_count = left;
}

/* ---- cp.async ---- src[0]: to, imm; src[1]: from, more[0] holds what is added; src[2]: bytes to read, the rest zeros */

static uint64_t from_address(const struct emu_warp *w, const struct emu_ins *in, unsigned l)
{
    return emu_get(w, &in->src[1], l) + (uint64_t)(int64_t)(int32_t)in->target;
}

static void run_cp_async(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    const unsigned bytes = in->vec;
    uint64_t from[EMU_LANES];
    uint32_t undefined[EMU_LANES], full = 0;
    uint8_t value[EMU_LANES * 16] = {0};
    uint32_t size[EMU_LANES];
    EMU_BITS(m, l)
    {
        from[l] = from_address(w, in, l);
        const uint64_t want = in->mode & 1   ? (emu_predicate(w, &in->src[2]) >> l & 1 ? 0 : bytes)
                              : in->mode & 2 ? emu_get(w, &in->src[2], l)
                                             : bytes;
        size[l] = want < bytes ? (uint32_t)want : bytes;
        full |= (uint32_t)(size[l] == bytes) << l;
    }
    const uint32_t bad =
        full ? emu_load(w, in, full, from, bytes, CMPD_PTX_SPACE_GLOBAL, value, undefined) : 0;
    EMU_BITS(m, l)
    {
        uint32_t miss = bad >> l & 1 ? undefined[l] : 0;
        const bool part = !(full >> l & 1);
        for (uint32_t i = 0; part && i < size[l]; i++) {
            uint64_t at[EMU_LANES];
            uint8_t one[EMU_LANES];
            uint32_t u[EMU_LANES] = {0};
            at[l] = from[l] + i;
            miss |= (emu_load(w, in, 1u << l, at, 1, CMPD_PTX_SPACE_GLOBAL, one, u) ? 1u : 0) << i;
            value[l * bytes + i] = one[l];
        }
        if (part)
            memset(value + l * bytes + size[l], 0, bytes - size[l]);
        uint64_t to = emu_get(w, &in->src[0], l) + (uint64_t)in->imm;
        to = in->narrow_address ? (uint32_t)to : to;
        if (emu_store_pending(w, in, l, to, bytes))
            emu_async_issue(w, in, l, to, bytes, value + l * bytes, miss);
    }
}
static void run_commit(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    (void)in;
    emu_async_commit(w, m);
}
static void run_wait(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    emu_async_wait(w, m, (uint32_t)in->imm, in->mode);
}

static bool bind_source_size(struct emu_binder *b, const struct cmpd_ptx_ins *p, unsigned given,
                             const struct cmpd_ptx_operand *o, struct emu_ins *in)
{
    (void)p;
    in->src_count = 2;
    if (!given)
        return true;
    const bool predicate = o->kind == CMPD_PTX_O_REG &&
                           b->f->ptx->registers[o->index].type == CMPD_PTX_PRED;
    in->mode = predicate ? 1 : 2; /* ignore-src, or the number of bytes to read */
    in->src_count = 3;
    return emu_bind_operand(b, o, predicate ? EMU_WPRED : EMU_W32, CMPD_PTX_U32, &in->src[2]);
}

static bool bind_copy(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const unsigned hint = emu_has(p, CMPD_PTX_MOD_L2_cache_hint);
    struct emu_ins from = *in;
    if (p->operand_count < 3 + hint || p->operand_count > 4 + hint || o[2].kind != CMPD_PTX_O_INT)
        return false;
    const int64_t bytes = o[2].value;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return false;
    if (!emu_bind_address(b, &o[1], &from) || from.imm < INT32_MIN || from.imm > INT32_MAX ||
        from.mode || from.narrow_address || !emu_bind_address(b, &o[0], in) || in->mode)
        return false;
    in->src[1] = from.src[0];
    in->target = (uint32_t)(int32_t)from.imm;
    in->vec = (uint8_t)bytes;
    in->space = CMPD_PTX_SPACE_SHARED;
    in->flags |= EMU_F_ASYNC;
    in->taint = EMU_TAINT_USE;
    in->run = run_cp_async;
    return bind_source_size(b, p, p->operand_count - 3 - hint, &o[3], in);
}

bool emu_bind_cp(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (!emu_has(p, CMPD_PTX_MOD_async) || emu_has(p, CMPD_PTX_MOD_bulk) ||
        emu_has(p, CMPD_PTX_MOD_reduce))
        return false;
    if (emu_has(p, CMPD_PTX_MOD_mbarrier))
        return emu_bind_copies_arrive(b, p, in);
    in->taint = EMU_TAINT_NONE;
    if (emu_has(p, CMPD_PTX_MOD_commit_group))
        in->run = run_commit;
    else if (emu_has(p, CMPD_PTX_MOD_wait_all)) {
        in->run = run_wait;
        in->mode = 1;
    } else if (emu_has(p, CMPD_PTX_MOD_wait_group)) {
        if (p->operand_count != 1 || o->kind != CMPD_PTX_O_INT)
            return false;
        in->run = run_wait;
        in->imm = o->value;
    } else
        return bind_copy(b, p, in);
    return true;
}
