/*
 * Blocks of one launch. A few are resident at a time: one runs until it is done, has to wait for another one, or has
 * had its share of steps; then the others have theirs and a further one may start. Whoever waits for something that no
 * running thread will do is a deadlock or an endless loop, and proven.
 */
#include <poll.h>
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/specials.h"
#include "gpu-runner/emulator/warp.h"

#define WARP_QUANTUM        4096 /* steps that a warp may take before another one has its turn */
#define BLOCK_PASSES        64   /* turns of all warps before another block has its turn */
/* Resident at once: what the device could hold, and what this process should. */
#define RESIDENT_THREADS    (EMU_MULTIPROCESSORS * 2048u)
#define RESIDENT_BYTES      ((uint64_t)768 << 20)
#define BLOCK_BYTES_CEILING ((uint64_t)3 << 30)

struct barrier {
    uint32_t arrived;               /* threads that came by bar.arrive and went on */
    uint32_t expected;              /* 0: all that live */
    uint32_t seen[EMU_BLOCK_WARPS]; /* what those were after */
};
/* What those have done who arrived at an mbarrier. */
#define MBARRIERS_WATCHED 16
struct watched {
    uint64_t address;
    uint32_t seen[EMU_BLOCK_WARPS];
};
struct emu_block_state {
    struct barrier barriers[EMU_BARRIERS];
    struct watched mbarriers[MBARRIERS_WATCHED];
    unsigned next_mbarrier;
    bool reductions; /* some barrier of this block was a bar.red */
};

struct scheduler {
    struct emu_launch *l;
    struct emu_block **resident; /* owned, each */
    uint32_t count, limit;
    uint64_t next, total; /* blocks: to start next, of the grid */
    uint64_t step, shift; /* with a seed: the n-th to start is n * step + shift, modulo total */
    uint8_t *slots;       /* owned; shared slots that the kernel reaches */
    bool short_of_memory; /* a device would hold more blocks at once than are held here */
};

/* ---- blocks ---- */

static struct emu_block *new_block(struct scheduler *s)
{
    struct emu_launch *l = s->l;
    struct emu_block *b = cmpd_calloc(1, sizeof *b);
    b->launch = l;
    b->state = cmpd_calloc(1, sizeof *b->state);
    b->thread_count = l->block[0] * l->block[1] * l->block[2];
    b->warp_count = (b->thread_count + EMU_LANES - 1) / EMU_LANES;
    b->shared = cmpd_calloc(l->module->shared_slot_count, sizeof *b->shared);
    for (uint32_t i = 1; i < l->module->shared_slot_count; i++) {
        const uint32_t v = l->module->shared_variable[i];
        const uint32_t size = i == 1 ? l->shared_bytes
                                     : (uint32_t)l->module->ptx->variables[v].size;
        if (!s->slots[i] || !size)
            continue;
        emu_shared_init(&b->shared[i], size);
        b->shared_bytes += size;
    }
    b->warps = cmpd_calloc(b->warp_count, sizeof *b->warps);
    for (uint32_t i = 0; i < b->warp_count; i++)
        emu_warp_init(&b->warps[i], b, i);
    return b;
}

static void free_block(struct emu_block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        emu_warp_clear(&b->warps[i]);
    for (uint32_t i = 0; i < b->launch->module->shared_slot_count; i++)
        if (b->shared[i].size)
            emu_shared_clear(&b->shared[i]);
    free(b->warps);
    free(b->shared);
    free(b->state);
    free(b);
}

static void start_block(struct scheduler *s, struct emu_block *b)
{
    const uint32_t *grid = s->l->grid;
    const uint64_t n = s->next++;
    b->linear = s->step ? (n * s->step + s->shift) % s->total : n;
    b->id[0] = (uint32_t)(b->linear % grid[0]);
    b->id[1] = (uint32_t)(b->linear / grid[0] % grid[1]);
    b->id[2] = (uint32_t)(b->linear / grid[0] / grid[1]);
    b->serial = ++s->l->device->block_serial;
    b->started = true;
    b->done = false;
    b->flat = true;
    memset(b->state, 0, sizeof *b->state);
    for (uint32_t i = 1; i < s->l->module->shared_slot_count; i++)
        if (b->shared[i].size)
            emu_shared_reset(&b->shared[i]);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        b->warp_clock[i] = 1;
        emu_warp_start(&b->warps[i]);
    }
}

/* ---- barriers ---- */

static uint32_t live_threads(const struct emu_block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        n += (uint32_t)__builtin_popcount(b->warps[i].live);
    return n;
}

static void begin_partial(struct emu_block *b)
{
    if (!b->flat)
        return;
    b->flat = false;
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (uint32_t k = 0; k < b->warp_count; k++)
            b->seen[i][k] = b->warp_clock[k] - 1;
}

static void join_seen(struct emu_block *b, uint32_t warp, uint32_t *most)
{
    begin_partial(b);
    b->seen[warp][warp] = b->warp_clock[warp];
    for (uint32_t k = 0; k < b->warp_count; k++)
        most[k] = b->seen[warp][k] > most[k] ? b->seen[warp][k] : most[k];
}

void emu_block_arrive(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    struct emu_block *b = w->block;
    const uint32_t *number = emu_src(w, in, 0), *threads = emu_src(w, in, 1);
    EMU_BITS(mask, l)
    {
        const uint32_t id = number[l] % EMU_BARRIERS;
        struct barrier *k = &b->state->barriers[id];
        if (in->imm)
            k->expected = threads[l];
        if (in->mode == EMU_BARRIER_ARRIVE) {
            k->arrived++;
            w->pc[l] = in->ptx + 1;
            continue;
        }
        w->waiting[id] |= 1u << l;
        w->at_barrier |= 1u << l;
        b->state->reductions |= in->mode == EMU_BARRIER_RED;
    }
    if (in->mode == EMU_BARRIER_ARRIVE) {
        join_seen(b, w->index, b->state->barriers[number[__builtin_ctz(mask)] % EMU_BARRIERS].seen);
        b->warp_clock[w->index]++;
    }
}

static struct watched *watched_at(struct emu_block *b, uint64_t address, bool make)
{
    struct emu_block_state *s = b->state;
    for (unsigned i = 0; i < MBARRIERS_WATCHED; i++)
        if (s->mbarriers[i].address == address)
            return &s->mbarriers[i];
    if (!make)
        return NULL;
    struct watched *k = &s->mbarriers[s->next_mbarrier++ % MBARRIERS_WATCHED];
    *k = (struct watched){.address = address};
    return k;
}

void emu_block_signal(struct emu_warp *w, uint64_t address)
{
    join_seen(w->block, w->index, watched_at(w->block, address, true)->seen);
    w->block->warp_clock[w->index]++;
}

void emu_block_acquire(struct emu_warp *w, uint64_t address, uint32_t mask)
{
    struct emu_block *b = w->block;
    const struct watched *k = watched_at(b, address, false);
    if (!k)
        return;
    begin_partial(b);
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (k->seen[i] > b->seen[w->index][i])
            b->seen[w->index][i] = k->seen[i];
    b->warp_clock[w->index]++;
    emu_warp_order(w, mask);
}

static uint32_t waiting_count(const struct emu_block *b, uint32_t id)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        n += (uint32_t)__builtin_popcount(b->warps[i].waiting[id]);
    return n;
}

/* Threads that meet at different barriers of the source: a fault, though a counter would let them pass. */
static void check_places(struct emu_block *b, uint32_t id)
{
    const struct emu_module *m = b->launch->module;
    char first[256] = "", other[256];
    uint32_t first_pc = EMU_NO_INS;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct emu_warp *w = &b->warps[i];
        EMU_BITS(w->waiting[id], l)
        {
            if (first_pc == EMU_NO_INS) {
                first_pc = w->pc[l];
                emu_place_text(m, first_pc, first, sizeof first);
            }
            if (w->pc[l] == first_pc)
                continue;
            emu_place_text(m, w->pc[l], other, sizeof other);
            if (strcmp(first, other) != 0) {
                emu_report(w, emu_warp_ins(w, l), l, CMPD_TAG_barrier_divergence, false,
                           "threads of one block wait at different barriers: here and at %s",
                           first);
                return;
            }
        }
    }
}

/* Threads that have left the kernel without coming to this barrier: early, or having passed it by. */
static bool passed_by(const struct emu_block *b, const struct emu_warp *at, unsigned lane,
                      uint32_t *thread)
{
    for (uint32_t i = 0; i < b->warp_count; i++) {
        const struct emu_warp *w = &b->warps[i];
        const uint32_t by = emu_passed_by(w, w->lanes & ~w->live, at->function[lane], at->pc[lane]);
        if (!by)
            continue;
        *thread = i * EMU_LANES + (uint32_t)__builtin_ctz(by);
        return true;
    }
    return false;
}

static void note_missing(struct emu_block *b, uint32_t id, uint32_t came)
{
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct emu_warp *w = &b->warps[i];
        const uint32_t here = w->waiting[id];
        uint32_t thread;
        if (!here)
            continue;
        const unsigned l = (unsigned)__builtin_ctz(here);
        if (passed_by(b, w, l, &thread))
            emu_report(
                w, emu_warp_ins(w, l), l, CMPD_TAG_barrier_divergence, false,
                "%u of %u threads came to this barrier: thread %u passed it by and left the kernel",
                came, b->thread_count, thread);
        else
            emu_report(w, emu_warp_ins(w, l), l, CMPD_TAG_barrier_divergence, true,
                       "%u of %u threads had left the kernel before this barrier",
                       b->thread_count - came, b->thread_count);
        return;
    }
}

static uint32_t predicate_at(struct emu_warp *w, const struct emu_ins *in, unsigned lane)
{
    emu_warp_select(w, w->depth[lane]);
    return emu_predicate(w, &in->src[2]) >> lane & 1;
}

/* bar.red: how many of those who wait bring a true predicate. */
static uint32_t count_true(struct emu_block *b, uint32_t id)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct emu_warp *w = &b->warps[i];
        EMU_BITS(w->waiting[id], l)
        {
            const struct emu_ins *in = emu_warp_ins(w, l);
            if (in->mode == EMU_BARRIER_RED)
                n += predicate_at(w, in, l);
        }
    }
    return n;
}

static void give_result(struct emu_warp *w, const struct emu_ins *in, unsigned lane, uint32_t yes,
                        uint32_t came)
{
    emu_warp_select(w, w->depth[lane]);
    emu_taint_clear(w, in->dst[0].reg, 1u << lane);
    if (in->combine == 3)
        emu_put(w, &in->dst[0], lane, yes);
    else
        emu_set_predicate(w, &in->dst[0], 1u << lane,
                          (in->combine == 1 ? yes == came : yes > 0) ? EMU_FULL : 0);
}

static void order_after(struct emu_block *b, const uint32_t *participants, bool all,
                        struct barrier *k)
{
    uint32_t most[EMU_BLOCK_WARPS];
    uint32_t highest = 0;
    if (all) {
        for (uint32_t i = 0; i < b->warp_count; i++)
            highest = b->warp_clock[i] > highest ? b->warp_clock[i] : highest;
        for (uint32_t i = 0; i < b->warp_count; i++)
            b->warp_clock[i] = highest + 1;
        b->flat = true;
        return;
    }
    memcpy(most, k->seen, sizeof most);
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (participants[i])
            join_seen(b, i, most);
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (participants[i]) {
            memcpy(b->seen[i], most, sizeof most);
            b->warp_clock[i]++;
        }
}

static void release(struct emu_block *b, uint32_t id, uint32_t came)
{
    struct barrier *k = &b->state->barriers[id];
    const uint32_t yes = b->state->reductions ? count_true(b, id) : 0;
    uint32_t participants[EMU_BLOCK_WARPS] = {0};
    for (uint32_t i = 0; i < b->warp_count; i++)
        participants[i] = b->warps[i].waiting[id];
    order_after(b, participants, !k->expected || came >= b->thread_count, k);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct emu_warp *w = &b->warps[i];
        EMU_BITS(participants[i], l)
        {
            const struct emu_ins *in = b->state->reductions ? emu_warp_ins(w, l) : NULL;
            if (in && in->mode == EMU_BARRIER_RED)
                give_result(w, in, l, yes, came);
            w->pc[l]++;
        }
        w->at_barrier &= ~participants[i];
        w->waiting[id] = 0;
        if (participants[i])
            emu_warp_order(w, participants[i]);
    }
    memset(k, 0, sizeof *k);
}

/* True where a barrier was complete and let its threads go. */
static bool release_barriers(struct emu_block *b)
{
    bool any = false;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        waiting |= b->warps[i].at_barrier;
    for (uint32_t id = 0; waiting && id < EMU_BARRIERS; id++) {
        const struct barrier *k = &b->state->barriers[id];
        const uint32_t came = waiting_count(b, id), live = live_threads(b);
        if (!came || came + k->arrived < (k->expected ? k->expected : live))
            continue;
        if (!k->expected) {
            check_places(b, id);
            if (came < b->thread_count)
                note_missing(b, id, came);
        }
        release(b, id, came);
        any = true;
    }
    return any;
}

/* ---- running ---- */

enum turn { TURN_DONE, TURN_WAITS, TURN_MORE };

static bool cancelled(struct emu_launch *l)
{
    struct pollfd p = {.fd = l->device->options.cancel_fd, .events = POLLIN};
    if (p.fd < 0 || poll(&p, 1, 0) <= 0)
        return false;
    l->stop = true;
    l->end = CMPD_LAUNCH_CANCELLED;
    return true;
}

/* Another order of the warps for each seed. */
static uint32_t warp_at(const struct emu_block *b, uint32_t i, uint32_t turn)
{
    const uint32_t seed = b->launch->device->options.schedule_seed;
    if (!seed)
        return i;
    return b->warp_count - 1 - (i + seed + turn) % b->warp_count;
}

/* One pass over the warps. *more: one of them could go on. True where anything was done. */
static bool pass(struct emu_block *b, uint32_t turn, bool *more)
{
    struct emu_launch *l = b->launch;
    const uint64_t before = l->warp_instructions;
    *more = false;
    for (uint32_t i = 0; i < b->warp_count && !l->stop; i++) {
        struct emu_warp *w = &b->warps[warp_at(b, i, turn)];
        if (w->live && emu_warp_run(w, WARP_QUANTUM) == EMU_WARP_QUANTUM)
            *more = true;
    }
    return l->warp_instructions != before;
}

static enum turn run_block(struct emu_block *b, bool *progress)
{
    struct emu_launch *l = b->launch;
    for (uint32_t i = 0; i < BLOCK_PASSES && !l->stop; i++) {
        bool more;
        const bool any = pass(b, i, &more);
        const bool released = !l->stop && release_barriers(b);
        *progress |= any || released;
        if (!live_threads(b))
            return TURN_DONE;
        if (!more && !released && !any)
            return TURN_WAITS;
    }
    return TURN_MORE;
}

/* ---- stuck ---- */

static bool any_parked(const struct emu_block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (b->warps[i].parked)
            return true;
    return false;
}

static const char *state_of(const struct emu_warp *w, unsigned l)
{
    const uint32_t bit = 1u << l;
    if (!(w->live & bit))
        return "have left the kernel";
    return w->at_barrier & bit      ? "wait at the barrier"
           : w->at_collective & bit ? "wait for their warp"
           : w->parked & bit        ? "turn in the loop"
                                    : "could run";
}

/* "threads 0-15 wait at the barrier at f.cu:7, threads 16-31 have left the kernel" */
static void list_places(const struct emu_block *b, struct cmpd_buf *out)
{
    uint32_t from = 0, shown = 0;
    for (uint32_t t = 1; t <= b->thread_count && shown < 6; t++) {
        const struct emu_warp *w = &b->warps[from / EMU_LANES];
        const unsigned l = from % EMU_LANES;
        const struct emu_warp *w2 = t < b->thread_count ? &b->warps[t / EMU_LANES] : NULL;
        const char *state = state_of(w, l);
        if (w2 && state == state_of(w2, t % EMU_LANES) &&
            (!(w->live >> l & 1) || w->pc[l] == w2->pc[t % EMU_LANES]))
            continue;
        char place[256] = "";
        if (w->live >> l & 1)
            emu_place_text(b->launch->module, w->pc[l], place, sizeof place);
        cmpd_buf_printf(out, "%s%s %u", shown ? ", " : "", from + 1 == t ? "thread" : "threads",
                        from);
        if (from + 1 != t)
            cmpd_buf_printf(out, "-%u", t - 1);
        cmpd_buf_printf(out, " %s%s%s", state, *place ? " at " : "", place);
        shown++;
        from = t;
    }
    if (from < b->thread_count)
        cmpd_buf_puts(out, ", ...");
}

/* A thread of those that wait, to hang the report on: one in a collective, else in a barrier, else in a loop. */
static bool find_waiting(struct emu_block *b, struct emu_warp **warp, unsigned *lane)
{
    for (unsigned kind = 0; kind < 3; kind++)
        for (uint32_t i = 0; i < b->warp_count; i++) {
            struct emu_warp *w = &b->warps[i];
            const uint32_t m = kind == 0 ? w->at_collective : kind == 1 ? w->at_barrier : w->parked;
            if (!(m & w->live))
                continue;
            *warp = w;
            *lane = (unsigned)__builtin_ctz(m & w->live);
            return true;
        }
    return false;
}

/*
 * Lanes of one warp that wait for each other, some in a barrier of the block, some in a collective: who stands earlier in
 * the code went into a branch that the others didn't take. True: that is the barrier, and *lane becomes one that waits there.
 */
static bool barrier_in_branch(const struct emu_warp *w, unsigned *lane)
{
    EMU_BITS(w->at_barrier & w->live, l)
    {
        if (w->function[l] == w->function[*lane] && w->pc[l] < w->pc[*lane]) {
            *lane = l;
            return true;
        }
    }
    return false;
}

static void report_stuck(const struct scheduler *s, struct emu_block *b)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    struct emu_warp *w;
    unsigned lane;
    if (!find_waiting(b, &w, &lane))
        return;
    const bool branch = (w->at_collective >> lane & 1) && barrier_in_branch(w, &lane);
    const uint32_t bit = 1u << lane;
    const struct emu_ins *in = emu_warp_ins(w, lane);
    list_places(b, &text);
    if (s->next < s->total)
        cmpd_buf_printf(&text, " (%u of %llu blocks fit on the device at once)", s->count,
                        (unsigned long long)s->total);
    if (branch)
        emu_report(w, in, lane, CMPD_TAG_barrier_divergence, false,
                   "a barrier that not all threads of the block come to: %s", cmpd_buf_str(&text));
    else if (w->at_collective & bit)
        emu_report(w, in, lane,
                   in->mode == EMU_COLLECTIVE_BARRIER ? CMPD_TAG_deadlock
                                                      : CMPD_TAG_invalid_warp_mask,
                   false, "the mask 0x%08x names lanes that never come here: %s", w->need[lane],
                   cmpd_buf_str(&text));
    else if (w->at_barrier & bit)
        emu_report(w, in, lane, CMPD_TAG_deadlock, false,
                   "threads wait for each other for ever: %s", cmpd_buf_str(&text));
    else
        emu_report(w, in, lane, CMPD_TAG_timeout, false,
                   "the loop never ends: its state repeats and nothing else runs that could change "
                   "it: %s",
                   cmpd_buf_str(&text));
}

static void stuck(struct scheduler *s)
{
    struct emu_block *worst = NULL;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->resident[i]->started && !s->resident[i]->done &&
            (!worst || (any_parked(worst) && !any_parked(s->resident[i]))))
            worst = s->resident[i];
    s->l->stop = true;
    s->l->end = CMPD_LAUNCH_STUCK;
    if (s->short_of_memory && s->next < s->total && (!worst || any_parked(worst))) {
        s->l->end = CMPD_LAUNCH_UNSUPPORTED;
        emu_report_at(
            s->l, EMU_NO_INS, CMPD_TAG_not_emulated, false,
            "blocks wait for others, and no more than %u of this kernel's are held at once",
            s->count);
    } else if (worst)
        report_stuck(s, worst);
}

/* ---- the launch ---- */

/* What a resident block takes, about. */
static uint64_t block_bytes(const struct emu_launch *l)
{
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    const uint64_t warp = l->function->register_bytes + l->function->ptx->register_count * 40ull +
                          EMU_LANES * 2ull * l->function->local_bytes + 8192;
    return warp * ((threads + 31) / 32) + 8ull * l->shared_bytes + 65536;
}

static uint32_t resident_limit(struct scheduler *s)
{
    const struct emu_launch *l = s->l;
    const uint64_t bytes = block_bytes(l);
    uint64_t n = RESIDENT_THREADS / (l->block[0] * l->block[1] * l->block[2]);
    n = n < s->total ? n : s->total;
    s->short_of_memory = RESIDENT_BYTES / bytes < n;
    n = s->short_of_memory ? RESIDENT_BYTES / bytes : n;
    return n ? (uint32_t)n : 1;
}

static void add_block(struct scheduler *s)
{
    s->resident[s->count] = new_block(s);
    start_block(s, s->resident[s->count]);
    s->count++;
}

/* All resident blocks have their turn; one that is done makes place for the next. False: nothing could move. */
static bool round_of_turns(struct scheduler *s)
{
    bool progress = false;
    for (uint32_t i = 0; i < s->count && !s->l->stop; i++) {
        struct emu_block *b = s->resident[i];
        while (!b->done && !cancelled(s->l) && run_block(b, &progress) == TURN_DONE) {
            b->done = true;
            if (s->next < s->total)
                start_block(s, b);
        }
    }
    return progress;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void order_blocks(struct scheduler *s)
{
    if (!s->l->device->options.schedule_seed || s->total > UINT32_MAX)
        return;
    do
        s->step = 1 + emu_random(s->l) % s->total;
    while (common_divisor(s->step, s->total) != 1);
    s->shift = emu_random(s->l) % s->total;
}

static bool all_done(const struct scheduler *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->resident[i]->done)
            return false;
    return s->next >= s->total;
}

static void run_all(struct scheduler *s)
{
    struct emu_launch *l = s->l;
    add_block(s);
    while (!l->stop && !all_done(s)) {
        const bool progress = round_of_turns(s);
        if (l->stop || all_done(s))
            break;
        if (s->next < s->total && s->count < s->limit)
            add_block(s);
        else if (!progress)
            stuck(s);
    }
}

static void mark_slots(struct scheduler *s, const uint8_t *reached)
{
    const struct emu_module *m = s->l->module;
    s->slots = cmpd_calloc(m->shared_slot_count, 1);
    s->slots[1] = 1;
    for (uint32_t i = 0; i < m->ptx->function_count; i++)
        for (uint32_t k = 0; reached[i] && k < m->functions[i].shared_slot_count; k++)
            s->slots[m->functions[i].shared_slots[k]] = 1;
}

static void report_unsupported(struct emu_launch *l, uint32_t function)
{
    const struct emu_function *f = &l->module->functions[function];
    const struct cmpd_ptx_module *p = l->module->ptx;
    if (f->unsupported == EMU_NO_INS) {
        emu_report_at(l, EMU_NO_INS, CMPD_TAG_not_emulated, false,
                      "the function '%s' has no code here", f->ptx->name);
        return;
    }
    const struct cmpd_ptx_ins *in = &p->ins[f->unsupported];
    emu_report_at(l, f->unsupported, CMPD_TAG_not_emulated, false,
                  "the emulator does not know '%.*s'%s%s",
                  (int)(in->text_len < 120 ? in->text_len : 120), p->text + in->text,
                  f->unsupported_why ? ": " : "", f->unsupported_why ? f->unsupported_why : "");
}

/* Cooperative groups find these words through %envreg1 and 2 and keep the grid's barrier in them. */
#define WORKSPACE_BYTES 64

static void prepare_workspace(struct emu_launch *l)
{
    struct emu_device *d = l->device;
    struct emu_bytes at;
    if (!l->cooperative)
        return;
    if (!d->workspace &&
        emu_memory_alloc(d, WORKSPACE_BYTES, CMPD_MEMORY_SYMBOL, -1, "workspace of grid.sync()",
                         &d->workspace, NULL) != CMPD_OK)
        return;
    if (!emu_memory_bytes(d, d->workspace, WORKSPACE_BYTES, &at))
        return;
    memset(at.data, 0, WORKSPACE_BYTES);
    if (at.shadow)
        memset(at.shadow, EMU_WRITTEN, WORKSPACE_BYTES);
    l->workspace = d->workspace;
}

void emu_launch_run(struct emu_launch *l)
{
    struct scheduler s = {.l = l};
    uint32_t bad;
    l->end = CMPD_LAUNCH_DONE;
    uint8_t *reached = emu_function_reach(l->module, l->function->index, &bad, &l->uses_fence);
    const bool too_large = bad == CMPD_PTX_NONE && block_bytes(l) > BLOCK_BYTES_CEILING;
    if (too_large)
        emu_report_at(l, EMU_NO_INS, CMPD_TAG_not_emulated, false,
                      "a block needs more than %llu bytes of registers and local memory",
                      (unsigned long long)BLOCK_BYTES_CEILING);
    else if (bad != CMPD_PTX_NONE)
        report_unsupported(l, bad);
    if (too_large || bad != CMPD_PTX_NONE) {
        l->end = CMPD_LAUNCH_UNSUPPORTED;
        free(reached);
        return;
    }
    prepare_workspace(l);
    mark_slots(&s, reached);
    free(reached);
    s.total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    s.limit = resident_limit(&s);
    order_blocks(&s);
    s.resident = cmpd_calloc(s.limit, sizeof *s.resident);
    run_all(&s);
    for (uint32_t i = 0; i < s.count; i++)
        free_block(s.resident[i]);
    free(s.resident);
    free(s.slots);
}

void emu_pool_free(void *pool)
{
    free(pool);
}
