/* Binding of control flow: branches, calls, returns, barriers; warp.c and block.c carry it out. */
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/warp.h"

static void run_nothing(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    (void)w;
    (void)in;
    (void)m;
}

static bool control(struct emu_ins *in, enum emu_control c)
{
    in->control = (uint8_t)c;
    in->run = run_nothing;
    in->taint = EMU_TAINT_NONE;
    return true;
}

bool emu_bind_nothing(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    (void)b;
    (void)p;
    return control(in, EMU_PLAIN);
}

/* createpolicy: what caches should keep; the result is only ever a hint's operand. */
static void run_policy(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    EMU_BITS(m, l)
    emu_put(w, &in->dst[0], l, 0);
}
bool emu_bind_policy(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    in->run = run_policy;
    in->dst_count = 1;
    return p->operand_count >= 1 && emu_bind_destination(b, &o[0], EMU_W64, &in->dst[0]);
}

bool emu_bind_bra(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count != 1 || o->kind != CMPD_PTX_O_LABEL)
        return false;
    in->target = o->index;
    if (emu_has(p, CMPD_PTX_MOD_uni))
        in->flags |= EMU_F_UNIFORM;
    return control(in, EMU_BRANCH);
}

bool emu_bind_brx(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    if (p->operand_count != 2 || o[1].kind != CMPD_PTX_O_TABLE ||
        b->m->ptx->tables[o[1].index].functions)
        return false;
    const struct cmpd_ptx_table *t = &b->m->ptx->tables[o[1].index];
    for (uint32_t i = 0; i < t->count; i++)
        if (t->targets[i] - b->f->ptx->first >=
            b->f->ptx->count) /* unknown, or another function's */
            return false;
    in->target = o[1].index;
    in->src_count = 1;
    control(in, EMU_BRANCH_TABLE);
    in->taint = EMU_TAINT_USE;
    return emu_bind_operand(b, &o[0], EMU_W32, CMPD_PTX_U32, &in->src[0]);
}

/* Each value of a call is a param variable in the caller's frame: its offset, and its size where a register's number is. */
static bool bind_list(struct emu_binder *b, const struct cmpd_ptx_operand *list,
                      struct emu_operand *more)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct cmpd_ptx_operand *e = &b->m->ptx->operands[list->index + i];
        if (e->kind != CMPD_PTX_O_VARIABLE ||
            b->m->ptx->variables[e->index].space != CMPD_PTX_SPACE_PARAM) {
            b->why = "a call whose values are registers";
            return false;
        }
        more[i].offset = (uint32_t)b->m->variable_address[e->index];
        more[i].reg = (uint32_t)b->m->ptx->variables[e->index].size;
    }
    return true;
}

bool emu_bind_call(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const struct cmpd_ptx_operand none = {.kind = CMPD_PTX_O_LIST};
    const struct cmpd_ptx_operand *results = &none, *arguments = &none;
    unsigned at = 0;
    if (at < p->operand_count && o[at].kind == CMPD_PTX_O_LIST)
        results = &o[at++];
    if (at == p->operand_count)
        return false;
    const struct cmpd_ptx_operand *callee = &o[at++];
    if (at < p->operand_count && o[at].kind == CMPD_PTX_O_LIST)
        arguments = &o[at];
    in->target = CMPD_PTX_NONE;
    control(in, EMU_CALL);
    if (callee->kind == CMPD_PTX_O_FUNCTION)
        in->target = callee->index;
    else {
        b->f->calls_pointers = true;
        in->src_count = 1;
        in->taint = EMU_TAINT_USE;
        if (!emu_bind_operand(b, callee, EMU_W64, CMPD_PTX_U64, &in->src[0]))
            return false;
    }
    in->mode = (uint8_t)results->count;
    struct emu_operand *more = emu_bind_more(b, in, results->count + arguments->count);
    return results->count < 256 && bind_list(b, results, more) &&
           bind_list(b, arguments, more + results->count);
}

bool emu_bind_ret(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    (void)b;
    (void)p;
    return control(in, EMU_RETURN);
}

bool emu_bind_exit(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    (void)b;
    (void)p;
    return control(in, EMU_EXIT);
}

bool emu_bind_trap(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    (void)b;
    (void)p;
    return control(in, EMU_TRAP);
}

bool emu_bind_nanosleep(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    (void)b;
    (void)p;
    return control(in, EMU_YIELD);
}

static void run_fence(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    emu_race_fence(w, in, m);
}
bool emu_bind_fence(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    (void)b;
    for (unsigned i = 0; i < p->mod_count; i++)
        if (p->mods[i] == CMPD_PTX_MOD_cta)
            in->flags |= EMU_F_CTA;
    control(in, EMU_PLAIN);
    in->flags |= EMU_F_ACQUIRE | EMU_F_RELEASE;
    in->run = run_fence;
    return true;
}

/* ---- barriers: mode is one of these; src[0] number, src[1] threads (imm bit 0: given), src[2] predicate ---- */

static bool bind_warp_barrier(struct emu_binder *b, const struct cmpd_ptx_operand *o,
                              unsigned count, struct emu_ins *in)
{
    control(in, EMU_COLLECTIVE);
    in->mode = EMU_COLLECTIVE_BARRIER;
    in->taint = EMU_TAINT_USE;
    in->src_count = 1;
    return count == 1 && emu_bind_operand(b, o, EMU_W32, CMPD_PTX_B32, &in->src[3]) &&
           emu_bind_operand(b, o, EMU_W32, CMPD_PTX_B32, &in->src[0]);
}

static bool bind_reduction(struct emu_binder *b, const struct cmpd_ptx_ins *p,
                           const struct cmpd_ptx_operand *o, struct emu_ins *in)
{
    const unsigned n = p->operand_count;
    in->combine = emu_has(p, CMPD_PTX_MOD_and) ? 1 : emu_has(p, CMPD_PTX_MOD_or) ? 2 : 3;
    in->type = in->combine == 3 ? CMPD_PTX_U32 : CMPD_PTX_PRED;
    in->imm = n == 4;
    in->dst_count = 1;
    if (n != 3 && n != 4)
        return false;
    if (n == 4 && !emu_bind_operand(b, &o[2], EMU_W32, CMPD_PTX_U32, &in->src[1]))
        return false;
    return emu_bind_destination(b, &o[0], in->combine == 3 ? EMU_W32 : EMU_WPRED, &in->dst[0]) &&
           emu_bind_operand(b, &o[1], EMU_W32, CMPD_PTX_U32, &in->src[0]) &&
           emu_bind_operand(b, &o[n - 1], EMU_WPRED, CMPD_PTX_PRED, &in->src[2]);
}

bool emu_bind_bar(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const unsigned n = p->operand_count;
    if (emu_has(p, CMPD_PTX_MOD_cluster)) {
        b->why = "a barrier of a cluster";
        return false;
    }
    if (emu_has(p, CMPD_PTX_MOD_warp))
        return bind_warp_barrier(b, o, n, in);
    control(in, EMU_BARRIER);
    in->taint = EMU_TAINT_USE;
    in->src_count = 3;
    if (emu_has(p, CMPD_PTX_MOD_red)) {
        in->mode = EMU_BARRIER_RED;
        return bind_reduction(b, p, o, in);
    }
    in->mode = emu_has(p, CMPD_PTX_MOD_arrive) ? EMU_BARRIER_ARRIVE : EMU_BARRIER_SYNC;
    in->imm = n == 2;
    if (n < 1 || n > 2 || (in->mode == EMU_BARRIER_ARRIVE && n != 2))
        return false;
    return emu_bind_operand(b, &o[0], EMU_W32, CMPD_PTX_U32, &in->src[0]) &&
           (n == 1 || emu_bind_operand(b, &o[1], EMU_W32, CMPD_PTX_U32, &in->src[1]));
}

/* ---- alloca, stacksave, stackrestore: the lane's stack in local memory ---- */

static void run_alloca(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    EMU_BITS(m, l)
    {
        const uint64_t align = (uint64_t)in->imm;
        const uint64_t from = (w->top[l] + align - 1) & ~(align - 1),
                       bytes = emu_get(w, &in->src[0], l);
        const uint64_t top = bytes < EMU_LOCAL_BYTES ? from + bytes : UINT64_MAX;
        if (top > EMU_LOCAL_BYTES || !emu_warp_local(w, (uint32_t)top)) {
            emu_report(w, in, l, CMPD_TAG_not_emulated, false, "alloca of %llu bytes",
                       (unsigned long long)bytes);
            emu_warp_stop(w, CMPD_LAUNCH_UNSUPPORTED);
            return;
        }
        if (bytes)
            memset(w->local[l].shadow + from, EMU_UNWRITTEN, bytes);
        w->top[l] = (uint32_t)top;
        emu_put(w, &in->dst[0], l, from);
    }
    emu_taint_clear(w, in->dst[0].reg, m);
}
static void run_stacksave(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    EMU_BITS(m, l)
    emu_put(w, &in->dst[0], l, w->top[l]);
}
static void run_stackrestore(struct emu_warp *w, const struct emu_ins *in, uint32_t m)
{
    EMU_BITS(m, l)
    {
        const uint64_t to = emu_get(w, &in->src[0], l);
        if (to <= w->top[l])
            w->top[l] = (uint32_t)to;
    }
}

bool emu_bind_alloca(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    const struct cmpd_ptx_operand *o = &b->m->ptx->operands[p->operands];
    const bool restores = p->op == CMPD_PTX_OP_stackrestore, saves = p->op == CMPD_PTX_OP_stacksave;
    in->imm = 8;
    in->src_count = !saves;
    in->dst_count = !restores;
    in->run = restores ? run_stackrestore : saves ? run_stacksave : run_alloca;
    in->taint = EMU_TAINT_USE;
    if (restores)
        return p->operand_count == 1 &&
               emu_bind_operand(b, &o[0], EMU_WANY, CMPD_PTX_U64, &in->src[0]);
    if (!emu_bind_destination(b, &o[0], EMU_WANY, &in->dst[0]))
        return false;
    if (saves)
        return p->operand_count == 1;
    if (p->operand_count == 3) {
        in->imm = o[2].value;
        if (o[2].kind != CMPD_PTX_O_INT || in->imm < 1 || in->imm > 4096 ||
            (in->imm & (in->imm - 1)))
            return false;
    }
    return p->operand_count >= 2 && emu_bind_operand(b, &o[1], EMU_WANY, CMPD_PTX_U64, &in->src[0]);
}
