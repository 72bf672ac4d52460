/* Plain reads beside atomic operations: races, or looks before a leap? Known only when the launch is over. */
#include "gpu-runner/emulator/report.h"

#include "analysis/base/alloc.h"

#define GUARDS_CEILING 256

struct emu_guard {
    uint32_t read_place;
    uint32_t ptx;  /* where the sighting goes */
    char *message; /* owned; NULL: no conflict so far */
    uint64_t times;
    bool followed; /* by an atomic operation of the same thread on the same memory */
};

static struct emu_guard *guard_of(struct emu_race *r, uint32_t read_place)
{
    for (size_t i = 0; i < r->guard_count; i++) {
        if (r->guards[i].read_place == read_place) {
            return &r->guards[i];
        }
    }
    if (r->guard_count >= GUARDS_CEILING) {
        return NULL;
    }
    CMPD_GROW(r->guards, r->guard_count + 1, r->guard_cap);
    struct emu_guard *g = &r->guards[r->guard_count++];
    *g = (struct emu_guard){.read_place = read_place};
    return g;
}

bool emu_guard_known(struct emu_race *r, uint32_t read_place)
{
    struct emu_guard *g = guard_of(r, read_place);
    if (g != NULL && g->message == NULL) {
        return false;
    }
    if (g != NULL) {
        g->times++;
    }
    return true;
}

void emu_guard_conflict_take(struct emu_race *r, uint32_t read_place, uint32_t ptx, char *message)
{
    struct emu_guard *g = guard_of(r, read_place);
    if (g == NULL || g->message != NULL) {
        free(message);
        return;
    }
    g->ptx = ptx;
    g->message = message;
    g->times = 1;
}

/* Does this operation decide by what stands there now? An addition doesn't. */
static bool leaps(const struct emu_racer *r)
{
    const struct cmpd_ptx_module *ptx = r->w->launch->module->ptx;
    const struct cmpd_ptx_ins *in = &ptx->ins[r->in->ptx];
    for (unsigned i = 0; i < in->mod_count; i++) {
        switch (in->mods[i]) {
        case CMPD_PTX_MOD_cas:
        case CMPD_PTX_MOD_min:
        case CMPD_PTX_MOD_max:
        case CMPD_PTX_MOD_and:
        case CMPD_PTX_MOD_or:
        case CMPD_PTX_MOD_exch:
            return true;
        default:
            break;
        }
    }
    return false;
}

void emu_guard_followed(struct emu_racer *r, uint32_t read_place)
{
    if (emu_place_module(read_place) != r->w->launch->module->index || !leaps(r)) {
        return;
    }
    struct emu_guard *g = guard_of(r->race, read_place);
    if (g != NULL) {
        g->followed = true;
    }
}

/* ---- the same told from the code: a thread that gives up at once never shows what it would have done ---- */

#define FLOW_REGISTERS 64  /* values followed */
#define FLOW_REACH     400 /* instructions looked at */

struct flow {
    const struct cmpd_ptx_module *m;
    uint32_t regs[FLOW_REGISTERS]; /* hold a value that hangs on the read */
    size_t count;
};

static bool flows(const struct flow *f, const struct cmpd_ptx_operand *o)
{
    bool hit = false;
    if (o->kind == CMPD_PTX_O_VECTOR || o->kind == CMPD_PTX_O_PAIR) {
        for (unsigned i = 0; i < (o->kind == CMPD_PTX_O_PAIR ? 2u : o->count); i++) {
            hit = hit || flows(f, &f->m->operands[o->index + i]);
        }
        return hit;
    }
    for (size_t i = 0; o->kind == CMPD_PTX_O_REG && i < f->count && !hit; i++) {
        hit = f->regs[i] == o->index;
    }
    return hit;
}

static void flow_into(struct flow *f, const struct cmpd_ptx_operand *o)
{
    if (o->kind == CMPD_PTX_O_VECTOR || o->kind == CMPD_PTX_O_PAIR) {
        for (unsigned i = 0; i < (o->kind == CMPD_PTX_O_PAIR ? 2u : o->count); i++) {
            flow_into(f, &f->m->operands[o->index + i]);
        }
    } else if (o->kind == CMPD_PTX_O_REG && !flows(f, o) && f->count < FLOW_REGISTERS) {
        f->regs[f->count++] = o->index;
    }
}

static bool is_swap(const struct cmpd_ptx_ins *in)
{
    bool swap = false;
    for (unsigned i = 0; in->op == CMPD_PTX_OP_atom && i < in->mod_count; i++) {
        swap = swap || in->mods[i] == CMPD_PTX_MOD_cas;
    }
    return swap;
}

/* Is what was read compared by a compare-and-swap further on? In the order of the text, twice because of loops. */
static bool feeds_swap(const struct cmpd_ptx_module *m, uint32_t read)
{
    struct flow f = {.m = m};
    uint32_t last = read + FLOW_REACH < m->ins_count ? read + FLOW_REACH : m->ins_count;
    if (m->ins[read].operand_count == 0) {
        return false;
    }
    flow_into(&f, &m->operands[m->ins[read].operands]);
    for (uint32_t at = read + 1, round = 0; round < 2; at = read + 1, round++) {
        for (; at < last; at++) {
            const struct cmpd_ptx_ins *in = &m->ins[at];
            const struct cmpd_ptx_operand *o = &m->operands[in->operands];
            bool hit = false;
            for (unsigned i = 1; i < in->operand_count; i++) {
                hit = hit || flows(&f, &o[i]);
            }
            if (hit && is_swap(in)) {
                return true;
            }
            if (hit) {
                flow_into(&f, &o[0]);
            }
        }
    }
    return false;
}

static bool looks_before_it_leaps(const struct emu_launch *l, const struct emu_guard *g)
{
    return g->followed || (emu_place_module(g->read_place) == l->module->index &&
                           emu_place_ptx(g->read_place) < l->module->ptx->ins_count &&
                           feeds_swap(l->module->ptx, emu_place_ptx(g->read_place)));
}

void emu_guards_free(struct emu_race *r)
{
    for (size_t i = 0; i < r->guard_count; i++) {
        free(r->guards[i].message);
    }
    free(r->guards);
    r->guards = NULL;
    r->guard_count = r->guard_cap = 0;
}

void emu_race_finish(struct emu_launch *l)
{
    struct emu_race *r = l->device->memory->race;
    for (size_t i = 0; i < r->guard_count; i++) {
        const struct emu_guard *g = &r->guards[i];
        struct cmpd_sighting *s = NULL;
        if (g->message != NULL) {
            s = emu_report_at(l, g->ptx, CMPD_TAG_data_race, looks_before_it_leaps(l, g), "%s",
                              g->message);
        }
        if (s != NULL) {
            s->times += g->times - 1;
        }
    }
    emu_guards_free(r);
}
