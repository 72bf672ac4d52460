/*
 * One warp. Each lane has a program counter of its own; lanes that stand at the same place run together, the
 * deepest call first, then the lowest place, so that lanes that parted meet again where their paths join. Lanes at a
 * warp collective wait there until all lanes of their mask have come.
 */
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/specials.h"
#include "gpu-runner/emulator/warp.h"

uint32_t emu_random(struct emu_launch *l)
{
    /* splitmix64 */
    uint64_t z = (l->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 16);
}

void emu_warp_stop(struct emu_warp *w, enum cmpd_launch_end end)
{
    if (!w->launch->stop) {
        w->launch->stop = true;
        w->launch->end = end;
    }
}

/* ---- frames ---- */

struct emu_function *emu_warp_function(const struct emu_warp *w, uint32_t index)
{
    return &w->launch->module->functions[index];
}

static uint32_t frame_bytes(const struct emu_warp *w, uint32_t depth)
{
    const struct emu_warp_state *s = w->state;
    return depth == 0 ? 0 : s->kernel_bytes + (depth - 1) * s->called_bytes;
}

/* The running frame: where registers and their masks stand. */
void emu_warp_select(struct emu_warp *w, uint32_t depth)
{
    struct emu_warp_state *s = w->state;
    const uint32_t reg = depth == 0 ? 0 : s->kernel_registers + (depth - 1) * s->called_registers;
    w->base[EMU_REG] = w->frames + frame_bytes(w, depth);
    w->undefined = s->undefined + reg;
    w->undefined_bytes = s->undefined_bytes + (size_t)reg * EMU_LANES;
    w->origin = s->origin + reg;
}

static void *grow_zeroed(void *p, size_t old, size_t new)
{
    uint8_t *q = cmpd_realloc(p, new, 1);
    memset(q + old, 0, new - old);
    return q;
}

/* Room for frames up to `depths` calls deep. */
void emu_warp_depth(struct emu_warp *w, uint32_t depths)
{
    struct emu_warp_state *s = w->state;
    if (depths <= w->call_depths)
        return;
    const uint32_t old = w->call_depths, new = old * 2 > depths ? old * 2 : depths;
    const size_t old_registers = s->registers;
    s->registers = s->kernel_registers + (size_t)(new - 1) * s->called_registers;
    w->frames = grow_zeroed(w->frames, old ? frame_bytes(w, old) : 0, frame_bytes(w, new));
    w->calls = cmpd_realloc(w->calls, new, sizeof *w->calls);
    s->undefined = grow_zeroed(s->undefined, old_registers * 4, s->registers * 4);
    s->origin = grow_zeroed(s->origin, old_registers * 4, s->registers * 4);
    s->undefined_bytes = grow_zeroed(s->undefined_bytes, old_registers * EMU_LANES,
                                     s->registers * EMU_LANES);
    w->call_depths = new;
}

bool emu_warp_local(struct emu_warp *w, uint32_t bytes)
{
    struct emu_warp_state *s = w->state;
    if (bytes > EMU_LOCAL_BYTES)
        return false;
    if (bytes <= s->local_bytes)
        return true;
    uint32_t size = s->local_bytes ? s->local_bytes : 256;
    while (size < bytes)
        size *= 2;
    uint8_t *memory = cmpd_calloc((size_t)size * 2, EMU_LANES);
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint8_t *data = memory + (size_t)l * size * 2, *shadow = data + size;
        if (s->local_bytes) {
            memcpy(data, w->local[l].data, s->local_bytes);
            memcpy(shadow, w->local[l].shadow, s->local_bytes);
        }
        w->local[l] = (struct emu_local){data, shadow, size};
    }
    free(s->local);
    s->local = memory;
    s->local_bytes = size;
    return true;
}

void emu_warp_init(struct emu_warp *w, struct emu_block *b, uint32_t index)
{
    struct emu_launch *l = b->launch;
    struct emu_warp_state *s = cmpd_calloc(1, sizeof *s);
    w->state = s;
    w->launch = l;
    w->block = b;
    w->index = index;
    s->kernel_bytes = l->function->register_bytes;
    s->kernel_registers = l->function->ptx->register_count;
    for (uint32_t i = 0; i < l->module->ptx->function_count; i++) {
        const struct emu_function *f = &l->module->functions[i];
        if (f->ptx->entry || !f->bound)
            continue;
        s->called_bytes = f->register_bytes;
        if (f->ptx->register_count > s->called_registers)
            s->called_registers = f->ptx->register_count;
    }
    s->specials = cmpd_calloc(EMU_SPECIAL_COUNT, 128);
    s->sink = cmpd_calloc(1, 512);
    w->base[EMU_CONST] = l->module->constants;
    w->base[EMU_SPECIAL] = s->specials;
    w->base[EMU_SINK] = s->sink;
    emu_warp_depth(w, 1);
    if (l->function->local_bytes)
        emu_warp_local(w, l->function->local_bytes);
}

static void set_special(struct emu_warp *w, unsigned which, unsigned lane, uint32_t value)
{
    ((uint32_t *)(w->state->specials + which * 128))[lane] = value;
}

static void set_specials(struct emu_warp *w)
{
    const struct emu_block *b = w->block;
    const struct emu_launch *g = w->launch;
    const uint32_t *size = g->block;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        const uint32_t t = w->index * EMU_LANES + l, bit = 1u << l;
        const uint32_t values[EMU_SPECIAL_COUNT] = {
            [EMU_SPECIAL_tid_x] = t % size[0],
            [EMU_SPECIAL_tid_y] = t / size[0] % size[1],
            [EMU_SPECIAL_tid_z] = t / (size[0] * size[1]),
            [EMU_SPECIAL_ntid_x] = size[0],
            [EMU_SPECIAL_ntid_y] = size[1],
            [EMU_SPECIAL_ntid_z] = size[2],
            [EMU_SPECIAL_ctaid_x] = b->id[0],
            [EMU_SPECIAL_ctaid_y] = b->id[1],
            [EMU_SPECIAL_ctaid_z] = b->id[2],
            [EMU_SPECIAL_nctaid_x] = g->grid[0],
            [EMU_SPECIAL_nctaid_y] = g->grid[1],
            [EMU_SPECIAL_nctaid_z] = g->grid[2],
            [EMU_SPECIAL_laneid] = l,
            [EMU_SPECIAL_warpid] = w->index,
            [EMU_SPECIAL_nwarpid] = b->warp_count,
            [EMU_SPECIAL_lanemask_eq] = bit,
            [EMU_SPECIAL_lanemask_lt] = bit - 1,
            [EMU_SPECIAL_lanemask_le] = bit | (bit - 1),
            [EMU_SPECIAL_lanemask_gt] = ~(bit | (bit - 1)),
            [EMU_SPECIAL_lanemask_ge] = ~(bit - 1),
            [EMU_SPECIAL_smid] = (uint32_t)(b->linear % EMU_MULTIPROCESSORS),
            [EMU_SPECIAL_nsmid] = EMU_MULTIPROCESSORS,
            [EMU_SPECIAL_WARP_SZ] = EMU_LANES,
            [EMU_SPECIAL_dynamic_smem_size] = g->shared_bytes,
            [EMU_SPECIAL_total_smem_size] = b->shared_bytes,
            [EMU_SPECIAL_envreg1] = (uint32_t)(g->workspace >> 32),
            [EMU_SPECIAL_envreg2] = (uint32_t)g->workspace,
        };
        for (unsigned i = 0; i < EMU_SPECIAL_COUNT; i++)
            set_special(w, i, l, values[i]);
    }
}

static void forget_undefined(struct emu_warp *w)
{
    const struct emu_function *f = w->launch->function;
    if (w->tainted)
        memset(w->state->undefined, 0, w->state->registers * 4);
    w->tainted = false;
    emu_warp_select(w, 0);
    for (uint32_t i = 0; i < f->live_in_count; i++)
        EMU_BITS(w->lanes, l)
    emu_taint_set(w, f->live_in[i], l, 0xff, EMU_NO_INS);
}

void emu_warp_start(struct emu_warp *w)
{
    const struct emu_launch *g = w->launch;
    const uint32_t left = w->block->thread_count - w->index * EMU_LANES;
    struct emu_warp_state *s = w->state;
    w->lanes = w->live = left >= EMU_LANES ? EMU_FULL : (1u << left) - 1;
    w->at_barrier = w->at_collective = w->parked = 0;
    memset(w->waiting, 0, sizeof w->waiting);
    w->flat = true;
    w->async_count = 0;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        w->pc[l] = g->function->ptx->first;
        w->function[l] = g->function->index;
        w->frame[l] = 0;
        w->top[l] = g->function->local_bytes;
        w->depth[l] = 0;
        w->lane_clock[l] = 1;
        w->async_group[l] = 1;
        if (w->local[l].size)
            memset(w->local[l].shadow, EMU_UNWRITTEN, w->local[l].size);
    }
    s->spin = (struct emu_spin){.next = 16};
    s->tired = 0;
    memset(w->last_store, 0xff, sizeof w->last_store); /* EMU_NO_INS */
    set_specials(w);
    forget_undefined(w);
}

void emu_warp_clear(struct emu_warp *w)
{
    struct emu_warp_state *s = w->state;
    if (!s)
        return;
    free(s->specials);
    free(s->sink);
    free(s->undefined);
    free(s->undefined_bytes);
    free(s->origin);
    free(s->local);
    free(s);
    free(w->frames);
    free(w->calls);
    free(w->seen);
    free(w->async);
    free(w->async_lane);
}

/* ---- order ---- */

void emu_warp_order_all(struct emu_warp *w)
{
    uint32_t most = 0;
    for (unsigned l = 0; l < EMU_LANES; l++)
        most = w->lane_clock[l] > most ? w->lane_clock[l] : most;
    for (unsigned l = 0; l < EMU_LANES; l++)
        w->lane_clock[l] = most + 1;
    w->flat = true;
}

static void begin_partial(struct emu_warp *w)
{
    if (!w->seen)
        w->seen = cmpd_calloc(EMU_LANES, sizeof *w->seen);
    for (unsigned l = 0; l < EMU_LANES; l++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            w->seen[l][k] = w->lane_clock[k] - 1;
    w->flat = false;
}

void emu_warp_order(struct emu_warp *w, uint32_t mask)
{
    uint32_t most[EMU_LANES] = {0};
    if ((mask & w->live) == w->live) {
        emu_warp_order_all(w);
        return;
    }
    if (w->flat)
        begin_partial(w);
    EMU_BITS(mask, l)
    {
        w->seen[l][l] = w->lane_clock[l];
        for (unsigned k = 0; k < EMU_LANES; k++)
            most[k] = w->seen[l][k] > most[k] ? w->seen[l][k] : most[k];
    }
    EMU_BITS(mask, l)
    {
        memcpy(w->seen[l], most, sizeof most);
        w->lane_clock[l]++;
    }
}

/* ---- groups ---- */

struct group {
    uint32_t mask, pc, function, depth;
    uint32_t limit;  /* another group waits here, to be joined */
    uint32_t others; /* lanes that could run too */
};

static void save(struct emu_warp *w, uint32_t mask, uint32_t pc)
{
    if (mask == EMU_FULL) {
        for (unsigned l = 0; l < EMU_LANES; l++)
            w->pc[l] = pc;
        return;
    }
    EMU_BITS(mask, l)
    w->pc[l] = pc;
}

static bool before(const struct emu_warp *w, unsigned a, unsigned b)
{
    if (w->depth[a] != w->depth[b])
        return w->depth[a] > w->depth[b];
    return w->pc[a] < w->pc[b];
}

static bool together(const struct emu_warp *w, unsigned a, unsigned b)
{
    return w->pc[a] == w->pc[b] && w->depth[a] == w->depth[b] && w->function[a] == w->function[b];
}

static unsigned pick(struct emu_warp *w, uint32_t runnable)
{
    unsigned best = (unsigned)__builtin_ctz(runnable);
    if (w->launch->device->options.schedule_seed && emu_random(w->launch) % 4 == 0) {
        unsigned skip = emu_random(w->launch) % (unsigned)__builtin_popcount(runnable);
        while (skip--)
            runnable &= runnable - 1;
        return (unsigned)__builtin_ctz(runnable);
    }
    EMU_BITS(runnable, l)
    if (before(w, l, best))
        best = l;
    return best;
}

static bool choose(struct emu_warp *w, struct group *g)
{
    const uint32_t runnable = w->live & ~w->at_barrier & ~w->at_collective & ~w->parked;
    if (!runnable)
        return false;
    if (!(runnable & ~w->state->tired))
        w->state->tired = 0;
    const unsigned best = pick(w, runnable & ~w->state->tired);
    *g = (struct group){.pc = w->pc[best],
                        .function = w->function[best],
                        .depth = w->depth[best],
                        .limit = UINT32_MAX};
    EMU_BITS(runnable, l)
    {
        if (together(w, l, best))
            g->mask |= 1u << l;
        else if (w->depth[l] == g->depth && w->function[l] == g->function && w->pc[l] > g->pc &&
                 w->pc[l] < g->limit)
            g->limit = w->pc[l];
    }
    g->others = runnable & ~g->mask;
    return true;
}

/* ---- collectives ---- */

static uint32_t needed(const struct emu_warp *w, const struct emu_ins *in, unsigned lane)
{
    return in->flags & EMU_F_ALL_LANES ? w->live : ((const uint32_t *)emu_src(w, in, 3))[lane];
}

const struct emu_ins *emu_warp_ins(const struct emu_warp *w, unsigned lane)
{
    const struct emu_function *f = emu_warp_function(w, w->function[lane]);
    return &f->code[w->pc[lane] - f->ptx->first];
}

static void run_collective(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    if (in->mode == EMU_COLLECTIVE_BARRIER)
        emu_warp_order(w, mask);
    else
        in->run(w, in, mask);
}

static void name_missing_caller(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                                uint32_t need)
{
    emu_report(w, in, lane, CMPD_TAG_invalid_warp_mask, false,
               "the mask 0x%08x does not name the lane that uses it (lane %u)", need, lane);
}

/* Lanes that left can't come any more, so nobody waits for them. Early, it works; or they passed this place by. */
static void name_who_left(struct emu_warp *w, const struct emu_ins *in, unsigned first,
                          uint32_t need)
{
    const uint32_t absent = need & w->lanes & ~w->live;
    if (!absent || in->flags & EMU_F_ALL_LANES)
        return;
    const uint32_t by = emu_passed_by(w, absent, w->function[first], in->ptx);
    if (by)
        emu_report(w, in, first, CMPD_TAG_invalid_warp_mask, false,
                   "the mask 0x%08x names lane %u, which passed this place by and left the kernel",
                   need, (unsigned)__builtin_ctz(by));
    else
        emu_report(w, in, first, CMPD_TAG_invalid_warp_mask, true,
                   "the mask 0x%08x names lanes that have left the kernel (0x%08x)", need, absent);
}

/* Lanes of `mask` have come to the collective: who is complete runs, who isn't waits. Returns those who wait. */
static uint32_t arrive(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    uint32_t wait = 0, rest = mask;
    while (rest) {
        const unsigned first = (unsigned)__builtin_ctz(rest);
        const uint32_t need = needed(w, in, first);
        uint32_t same = 0;
        EMU_BITS(rest, l)
        if (needed(w, in, l) == need)
            same |= 1u << l;
        rest &= ~same;
        const uint32_t strangers = same & ~need;
        if (strangers)
            name_missing_caller(w, in, (unsigned)__builtin_ctz(strangers), need);
        if ((need & w->live & ~same) == 0) {
            name_who_left(w, in, first, need);
            run_collective(w, in, same);
            continue;
        }
        EMU_BITS(same, l)
        w->need[l] = need;
        wait |= same;
    }
    return wait;
}

/* Waiting lanes of one mask that are complete by now. Barriers of the warp may stand at different places. */
static uint32_t complete(const struct emu_warp *w, unsigned first)
{
    const struct emu_ins *in = emu_warp_ins(w, first);
    const bool barrier = in->mode == EMU_COLLECTIVE_BARRIER && in->control == EMU_COLLECTIVE;
    uint32_t came = 0;
    EMU_BITS(w->at_collective, l)
    {
        const struct emu_ins *other = emu_warp_ins(w, l);
        const bool same_place = together(w, l, first) ||
                                (barrier && other->mode == EMU_COLLECTIVE_BARRIER);
        if (w->need[l] == w->need[first] && same_place)
            came |= 1u << l;
    }
    return (w->need[first] & w->live & ~came) == 0 ? came : 0;
}

static void release_collectives(struct emu_warp *w)
{
    uint32_t look = w->at_collective;
    while (look) {
        const unsigned first = (unsigned)__builtin_ctz(look);
        const uint32_t came = complete(w, first);
        look &= came ? ~came : ~(1u << first);
        if (!came)
            continue;
        w->at_collective &= ~came;
        emu_warp_select(w, w->depth[first]);
        name_who_left(w, emu_warp_ins(w, first), first, w->need[first]);
        run_collective(w, emu_warp_ins(w, first), came);
        EMU_BITS(came, l)
        w->pc[l]++;
    }
}

static void leave_kernel(struct emu_warp *w, uint32_t mask)
{
    w->live &= ~mask;
    emu_async_wait(w, mask, 0, true);
}

static void return_from(struct emu_warp *w, uint32_t mask)
{
    EMU_BITS(mask, l)
    {
        if (w->depth[l] == 0)
            leave_kernel(w, 1u << l);
        else
            emu_call_return(w, l);
    }
}

/* ---- running ---- */

static void branch_table(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    const struct cmpd_ptx_table *t = &w->launch->module->ptx->tables[in->target];
    const uint32_t *index = emu_src(w, in, 0);
    EMU_BITS(mask, l)
    {
        if (index[l] >= t->count) { /* undefined behaviour; no compiler makes it */
            emu_report(w, in, l, CMPD_TAG_crashed, false, "a branch by index %u into a table of %u",
                       index[l], t->count);
            emu_warp_stop(w, CMPD_LAUNCH_FAULT);
            return;
        }
        w->pc[l] = t->targets[index[l]];
    }
}

static void trap(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    emu_report(w, in, (unsigned)__builtin_ctz(mask), CMPD_TAG_crashed, false,
               "the kernel stopped itself (trap)");
    emu_warp_stop(w, CMPD_LAUNCH_FAULT);
}

/* What is no plain instruction and no branch. Lanes of g->mask outside m go on behind it. */
static void run_control(struct emu_warp *w, const struct emu_ins *in, struct group *g, uint32_t m)
{
    save(w, g->mask & ~m, in->ptx + 1);
    save(w, m, in->ptx);
    if (!m)
        return;
    switch (in->control) {
    case EMU_BRANCH_TABLE:
        branch_table(w, in, m);
        break;
    case EMU_CALL:
        if (in->target == CMPD_PTX_NONE)
            emu_call_indirect(w, in, m);
        else
            emu_call(w, in, m, in->target);
        break;
    case EMU_RETURN:
        return_from(w, m);
        break;
    case EMU_EXIT:
        leave_kernel(w, m);
        break;
    case EMU_BARRIER:
        emu_block_arrive(w, in, m);
        break;
    case EMU_TRAP:
        trap(w, in, m);
        break;
    default: /* EMU_YIELD */
        save(w, m, in->ptx + 1);
        w->state->yields = true;
        break;
    }
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t v;
        memcpy(&v, p + i, 8);
        h = (h ^ v) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 32;
    }
    return h;
}

/* Turns of loops between two looks for a repeated state grow up to this. */
#define SPIN_LOOKS_APART 4096
#define SPIN_COMPARED    6 /* the longest cycle, in turns, that is seen */

/*
 * Called at each jump back of a whole group. True where its state (registers, place) is what it was at an earlier
 * turn while no memory changed and no clock was read: without a change from outside it turns for ever.
 */
static bool spins(struct emu_warp *w, const struct group *g, uint32_t pc)
{
    struct emu_warp_state *s = w->state;
    struct emu_spin *p = &s->spin;
    const struct emu_launch *l = w->launch;
    if (++p->turns < p->next)
        return false;
    const struct emu_function *f = emu_warp_function(w, g->function);
    const uint64_t hash = hash_bytes(w->carry, w->base[EMU_REG], f->register_bytes);
    if (p->turns == p->next) {
        p->left = SPIN_COMPARED;
        p->pc = pc;
        p->mask = g->mask;
        p->hash = hash;
        p->writes = l->writes;
        p->clock_reads = l->clock_reads;
        return false;
    }
    if (p->pc == pc && p->mask == g->mask && p->hash == hash && p->writes == l->writes &&
        p->clock_reads == l->clock_reads) {
        *p = (struct emu_spin){.next = 4};
        return true;
    }
    if (--p->left == 0)
        p->next = p->turns + (p->turns < SPIN_LOOKS_APART ? p->turns : SPIN_LOOKS_APART);
    return false;
}

/* Runs the group until it parts, meets another or has used `quantum` steps; returns the steps. */
static uint64_t run_group(struct emu_warp *w, struct group *g, uint64_t quantum)
{
    const struct emu_function *f = emu_warp_function(w, g->function);
    const struct emu_ins *code = f->code;
    const uint32_t first = f->ptx->first;
    const uint32_t mask = g->mask;
    uint32_t pc = g->pc;
    uint64_t steps = 0;
    emu_warp_select(w, g->depth);
    for (;;) {
        const struct emu_ins *in = &code[pc - first];
        uint32_t m = mask;
        steps++;
        if (in->guard_offset != CMPD_PTX_NONE) {
            const uint32_t p = *(const uint32_t *)(w->base[EMU_REG] + in->guard_offset);
            m &= in->guard_negated ? ~p : p;
            if (w->tainted)
                emu_taint_guard(w, in, mask);
        }
        if (in->control == EMU_PLAIN) {
            if (m) {
                if (w->tainted)
                    emu_taint(w, in, m);
                in->run(w, in, m);
                if (w->launch->stop)
                    break;
            }
            if (++pc >= g->limit)
                break;
            continue;
        }
        if (in->control != EMU_BRANCH) {
            if (m && w->tainted)
                emu_taint(w, in, m);
            if (in->control == EMU_COLLECTIVE) {
                const uint32_t wait = m ? arrive(w, in, m) : 0;
                if (w->launch->stop)
                    break;
                if (!wait) {
                    if (++pc >= g->limit)
                        break;
                    continue;
                }
                w->at_collective |= wait;
                save(w, mask & ~wait, pc + 1);
                save(w, wait, pc);
                return steps;
            }
            run_control(w, in, g, m);
            return steps;
        }
        if (m == mask) {
            const bool back = in->target <= pc;
            pc = in->target;
            if (back && spins(w, g, pc)) {
                w->parked |= mask;
                w->state->parked_writes = w->launch->writes;
                break;
            }
            if (pc >= g->limit || (back && steps >= quantum))
                break;
        } else if (!m) {
            if (++pc >= g->limit)
                break;
        } else {
            save(w, m, in->target);
            save(w, mask & ~m, pc + 1);
            return steps;
        }
    }
    save(w, mask, pc);
    return steps;
}

static void out_of_budget(struct emu_warp *w, const struct group *g)
{
    emu_report(w, emu_warp_ins(w, (unsigned)__builtin_ctz(g->mask)),
               (unsigned)__builtin_ctz(g->mask), CMPD_TAG_emulation_budget, false,
               "the emulator's budget of lane instructions ran out here");
    emu_warp_stop(w, CMPD_LAUNCH_BUDGET);
}

static void count(struct emu_warp *w, const struct group *g, uint64_t steps)
{
    struct emu_launch *l = w->launch;
    const uint64_t lanes = steps * (unsigned)__builtin_popcount(g->mask);
    l->warp_instructions += steps;
    l->lane_instructions += lanes;
    if (l->stop)
        return;
    if (l->device->budget_left <= lanes)
        out_of_budget(w, g);
    l->device->budget_left -= l->device->budget_left < lanes ? l->device->budget_left : lanes;
}

enum emu_warp_end emu_warp_run(struct emu_warp *w, uint64_t quantum)
{
    struct group g;
    if (w->parked && w->state->parked_writes != w->launch->writes)
        w->parked = 0;
    w->state->yields = false;
    for (;;) {
        if (w->at_collective)
            release_collectives(w);
        if (w->launch->stop || !choose(w, &g))
            break;
        const uint64_t steps = run_group(w, &g, quantum);
        count(w, &g, steps);
        if (w->launch->stop)
            break;
        if (steps >= quantum || w->state->yields) {
            w->state->tired |= g.mask;
            return EMU_WARP_QUANTUM;
        }
        quantum -= steps;
    }
    return w->live ? EMU_WARP_WAITS : EMU_WARP_DONE;
}
