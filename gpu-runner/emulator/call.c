/* Calls of device functions: arguments and results lie in the frames of local memory. */
#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/warp.h"

static void copy_local(struct emu_warp *w, unsigned lane, uint32_t to, uint32_t from,
                       uint32_t bytes)
{
    struct emu_local *m = &w->local[lane];
    if (to > m->size || from > m->size || bytes > m->size - to || bytes > m->size - from)
        return;
    memmove(m->data + to, m->data + from, bytes);
    memmove(m->shadow + to, m->shadow + from, bytes);
}

static uint32_t smaller(uint32_t a, uint64_t b)
{
    return b < a ? (uint32_t)b : a;
}

static void copy_arguments(struct emu_warp *w, const struct emu_ins *in,
                           const struct emu_function *callee, unsigned lane, uint32_t frame)
{
    const struct emu_module *m = w->launch->module;
    const uint32_t given = in->more_count - in->mode;
    for (uint32_t i = 0; i < given && i < callee->ptx->param_count; i++) {
        const struct emu_operand *o = &in->more[in->mode + i];
        const uint32_t v = callee->ptx->params[i];
        copy_local(w, lane, frame + (uint32_t)m->variable_address[v], w->frame[lane] + o->offset,
                   smaller(o->reg, m->ptx->variables[v].size));
    }
}

/* Of one warp's calls: recursion of a function with very many registers is not worth more. */
#define FRAMES_CEILING_BYTES ((uint64_t)16 << 20)

static void enter(struct emu_warp *w, const struct emu_ins *in, uint32_t mask, uint32_t target)
{
    const struct emu_function *callee = emu_warp_function(w, target);
    const unsigned first = (unsigned)__builtin_ctz(mask);
    const uint32_t depth = w->depth[first];
    uint32_t most = 0;
    EMU_BITS(mask, l)
    most = w->top[l] > most ? w->top[l] : most;
    if (depth + 2 > EMU_CALL_DEPTH ||
        (uint64_t)w->state->called_bytes * (depth + 2) > FRAMES_CEILING_BYTES ||
        !emu_warp_local(w, most + callee->local_bytes + 16)) {
        emu_report(w, in, first, CMPD_TAG_not_emulated, false,
                   "calls %u deep or with more than %u bytes of stack a thread", depth + 1,
                   EMU_LOCAL_BYTES);
        emu_warp_stop(w, CMPD_LAUNCH_UNSUPPORTED);
        return;
    }
    emu_warp_depth(w, depth + 2);
    emu_warp_select(w, depth + 1);
    EMU_BITS(mask, l)
    {
        const uint32_t frame = (w->top[l] + 15) & ~15u;
        if (callee->local_bytes)
            memset(w->local[l].shadow + frame, EMU_UNWRITTEN, callee->local_bytes);
        copy_arguments(w, in, callee, l, frame);
        w->calls[depth][l] = (struct emu_return){in->ptx, w->function[l], w->frame[l], w->top[l]};
        w->function[l] = target;
        w->frame[l] = frame;
        w->top[l] = frame + callee->local_bytes;
        w->depth[l]++;
        w->pc[l] = callee->ptx->first;
    }
    if (w->tainted)
        for (uint32_t i = 0; i < callee->ptx->register_count; i++)
            w->undefined[i] &= ~mask;
}

void emu_call(struct emu_warp *w, const struct emu_ins *in, uint32_t mask, uint32_t target)
{
    const struct emu_function *callee = emu_warp_function(w, target);
    EMU_BITS(mask, l)
    w->pc[l] = in->ptx;
    if (callee->ptx->defined && callee->bound && callee->unsupported == EMU_NO_INS) {
        enter(w, in, mask, target);
        return;
    }
    const uint32_t builtin = callee->ptx->defined ? CMPD_PTX_NONE
                                                  : emu_builtin_find(callee->ptx->name);
    if (builtin == CMPD_PTX_NONE) {
        emu_report(w, in, (unsigned)__builtin_ctz(mask), CMPD_TAG_not_emulated, false,
                   "call of '%s'", callee->ptx->name);
        emu_warp_stop(w, CMPD_LAUNCH_UNSUPPORTED);
        return;
    }
    emu_builtin_call(w, in, mask, builtin);
    EMU_BITS(mask & w->live, l)
    w->pc[l]++;
}

/* Indirect: lanes that go to the same function go together. */
void emu_call_indirect(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    const uint64_t *pointer = emu_src(w, in, 0);
    uint64_t to[EMU_LANES];
    memcpy(to, pointer, sizeof to);
    while (mask && !w->launch->stop) {
        const unsigned first = (unsigned)__builtin_ctz(mask);
        const struct emu_module *m = w->launch->module;
        uint32_t same = 0;
        EMU_BITS(mask, l)
        if (to[l] == to[first])
            same |= 1u << l;
        mask &= ~same;
        const uint64_t index = (to[first] - EMU_CODE_BASE) >> 4;
        if (to[first] < EMU_CODE_BASE || (to[first] & 15) || index >> 24 != m->index ||
            (index & 0xffffff) >= m->ptx->function_count) {
            emu_report(w, in, first, CMPD_TAG_crashed, false,
                       "a call through the pointer 0x%llx, which is no function",
                       (unsigned long long)to[first]);
            emu_warp_stop(w, CMPD_LAUNCH_FAULT);
            return;
        }
        emu_call(w, in, same, (uint32_t)(index & 0xffffff));
    }
}

void emu_call_return(struct emu_warp *w, unsigned lane)
{
    const struct emu_module *m = w->launch->module;
    const struct emu_function *f = emu_warp_function(w, w->function[lane]);
    const struct emu_return *r = &w->calls[--w->depth[lane]][lane];
    const struct emu_function *caller = emu_warp_function(w, r->function);
    const struct emu_ins *in = &caller->code[r->pc - caller->ptx->first];
    for (uint32_t i = 0; i < in->mode && i < f->ptx->return_count; i++) {
        const uint32_t v = f->ptx->returns[i];
        copy_local(w, lane, r->frame + in->more[i].offset,
                   w->frame[lane] + (uint32_t)m->variable_address[v],
                   smaller(in->more[i].reg, m->ptx->variables[v].size));
    }
    w->function[lane] = r->function;
    w->frame[lane] = r->frame;
    w->top[lane] = r->top;
    w->pc[lane] = r->pc + 1;
}
