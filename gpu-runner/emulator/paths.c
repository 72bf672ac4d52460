/* Paths through a function's text, for reports: who passed a barrier by, and who merely left early. */
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"

struct walk {
    const struct emu_module *m;
    const struct emu_function *f;
    uint8_t *seen;
    uint32_t *todo;
    uint32_t count;
};

static void go_to(struct walk *p, uint32_t target)
{
    const uint32_t i = target - p->f->ptx->first;
    if (i < p->f->ptx->count && !p->seen[i]) {
        p->seen[i] = 1;
        p->todo[p->count++] = i;
    }
}

/* Adds what may come after instruction i; true where the function may be left there. */
static bool step(struct walk *p, uint32_t i)
{
    const struct emu_ins *in = &p->f->code[i];
    const bool guarded = in->guard != CMPD_PTX_NONE;
    const bool leaves = in->control == EMU_RETURN || in->control == EMU_EXIT;
    const bool jumps = in->control == EMU_BRANCH || in->control == EMU_BRANCH_TABLE;
    if (in->control == EMU_BRANCH)
        go_to(p, in->target);
    if (in->control == EMU_BRANCH_TABLE)
        for (uint32_t k = 0; k < p->m->ptx->tables[in->target].count; k++)
            go_to(p, p->m->ptx->tables[in->target].targets[k]);
    if (guarded || !(leaves || jumps || in->control == EMU_TRAP))
        go_to(p, in->ptx + 1);
    return leaves;
}

bool emu_path_avoids(const struct emu_module *m, const struct emu_function *f, uint32_t from,
                     uint32_t through)
{
    struct walk p = {.m = m, .f = f};
    const uint32_t i = from - f->ptx->first, avoid = through - f->ptx->first;
    bool left = false;
    if (i >= f->ptx->count || avoid >= f->ptx->count)
        return true;
    p.seen = cmpd_calloc(f->ptx->count, 1);
    p.todo = cmpd_calloc(f->ptx->count, sizeof *p.todo);
    p.seen[avoid] = 1;
    go_to(&p, from + 1);
    while (p.count && !left)
        left = step(&p, p.todo[--p.count]);
    free(p.seen);
    free(p.todo);
    return left;
}

/* May a thread that has done instruction `from` come to `to`? */
static bool leads_to(const struct emu_module *m, const struct emu_function *f, uint32_t from,
                     uint32_t to)
{
    struct walk p = {.m = m, .f = f};
    const uint32_t i = from - f->ptx->first, wanted = to - f->ptx->first;
    if (i >= f->ptx->count || wanted >= f->ptx->count)
        return false;
    p.seen = cmpd_calloc(f->ptx->count, 1);
    p.todo = cmpd_calloc(f->ptx->count, sizeof *p.todo);
    go_to(&p, from + 1);
    while (p.count && !p.seen[wanted])
        step(&p, p.todo[--p.count]);
    const bool found = p.seen[wanted];
    free(p.seen);
    free(p.todo);
    return found;
}

/* `store` stands behind `ptx`: all who come from there do it, or some do and nobody comes back. */
static bool is_behind(const struct emu_module *m, const struct emu_function *f, uint32_t ptx,
                      uint32_t store)
{
    return store != ptx && (!emu_path_avoids(m, f, ptx, store) ||
                            (leads_to(m, f, ptx, store) && !leads_to(m, f, store, ptx)));
}

uint32_t emu_passed_by(const struct emu_warp *w, uint32_t lanes, uint32_t function, uint32_t ptx)
{
    const struct emu_module *m = w->launch->module;
    const struct emu_function *f = &m->functions[function];
    uint32_t r = 0, last = EMU_NO_INS;
    bool behind = false;
    EMU_BITS(lanes, l)
    {
        if (w->last_store[l] == EMU_NO_INS)
            continue;
        if (w->last_store[l] != last) {
            last = w->last_store[l];
            behind = is_behind(m, f, ptx, last);
        }
        r |= (uint32_t)behind << l;
    }
    return r;
}
