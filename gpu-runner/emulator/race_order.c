/* Before or not: intervals, barriers, fences and flags. */
#include "gpu-runner/emulator/race.h"

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"

struct emu_race *emu_race_new(void)
{
    struct emu_race *r = cmpd_calloc(1, sizeof *r);
    r->intervals = cmpd_calloc(EMU_INTERVALS_KEPT, sizeof *r->intervals); /* paid for as used */
    r->next = r->first = 1;
    return r;
}

void emu_race_free(struct emu_race *r)
{
    if (r != NULL) {
        emu_guards_free(r);
        free(r->intervals);
        free(r);
    }
}

static void forget_stamps(struct emu_race *r)
{
    for (struct emu_marks *m = r->all; m != NULL; m = m->next) {
        size_t bytes = (size_t)(((m->bytes - 1) >> m->shift) + 1) * sizeof(uint32_t);
        uint32_t *columns[] = {m->write.stamp, m->strong.stamp, m->read.stamp, m->second.stamp};
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            if (columns[i] != NULL) {
                memset(columns[i], 0, bytes);
            }
        }
    }
    r->next = r->first = 1;
    r->generation++;
}

/* Room for what one instruction may begin. */
static void make_room(struct emu_race *r)
{
    if (r->next > EMU_INTERVAL_END - 2 * EMU_LANES) {
        forget_stamps(r);
    } else if (r->next - r->first > EMU_INTERVALS_KEPT - 2 * EMU_LANES) {
        r->first = r->next;
    }
}

static uint32_t begin_interval(struct emu_race *r, const struct emu_warp *w, unsigned lane)
{
    struct emu_clock now = emu_now(w, lane);
    r->intervals[r->next - r->first] = (struct emu_interval){
        .block_serial = w->block->serial,
        .block = (uint32_t)w->block->linear,
        .lane_clock = now.lane,
        .warp_clock = now.warp,
        .warp = (uint16_t)w->index,
    };
    return r->next++;
}

static uint64_t serial_of(const struct emu_race *r, const struct emu_block *b)
{
    return b->serial ^ r->generation << 48;
}

static void enter_block(struct emu_race *r, struct emu_warp *w)
{
    struct emu_block *b = w->block;
    struct emu_block_marks *m = &b->marks;
    uint64_t serial = serial_of(r, b);
    uint32_t clock = b->warp_clock[w->index];
    if (m->serial != serial) {
        *m = (struct emu_block_marks){.serial = serial, .base = r->next, .clock = clock};
    } else if (b->flat && m->clock != clock) {
        m->base = r->next; /* the first access after a barrier of all threads */
        m->clock = clock;
    }
}

static void enter_warp(struct emu_race *r, struct emu_warp *w)
{
    struct emu_warp_marks *m = &w->marks;
    struct emu_clock now = emu_now(w, 0);
    if (m->serial != w->block->marks.serial) {
        *m = (struct emu_warp_marks){.serial = w->block->marks.serial};
    }
    if (m->warp_clock != now.warp) {
        memset(m->lane_interval, 0, sizeof m->lane_interval);
    }
    if (m->interval < r->first || m->warp_clock != now.warp || m->lane_clock != now.lane) {
        m->interval = begin_interval(r, w, 0);
        m->lane_clock = now.lane;
        m->warp_clock = now.warp;
    }
}

static uint32_t base_of(const struct emu_race *r, const struct emu_warp *w, bool shared)
{
    const struct emu_block_marks *b = &w->block->marks;
    uint32_t base = b->base;
    const uint32_t *grid = w->launch->grid;
    if (!shared && (uint64_t)grid[0] * grid[1] * grid[2] > 1 && b->known + 1 < base) {
        base = b->known + 1; /* other blocks are not ordered by this one's barriers */
    }
    return base > r->first ? base : r->first;
}

static void read_flags(struct emu_racer *r)
{
    unsigned flags = r->in->flags;
    r->strong = flags &
                (EMU_F_VOLATILE | EMU_F_RELAXED | EMU_F_ACQUIRE | EMU_F_RELEASE | EMU_F_MMIO);
    r->atomic = false;
    r->acquire = r->release = false;
}

void emu_racer_begin(struct emu_racer *r, struct emu_warp *w, const struct emu_ins *in, bool shared)
{
    struct emu_race *race = w->launch->device->memory->race;
    if (race->launch_serial != w->launch->serial) {
        race->launch_serial = w->launch->serial;
        race->first = race->next;
    }
    make_room(race);
    enter_block(race, w);
    enter_warp(race, w);
    r->race = race;
    r->w = w;
    r->in = in;
    r->region = NULL;
    r->slot = 0;
    r->shared = shared;
    r->base = base_of(race, w, shared) << EMU_STAMP_BITS;
    r->stamp = w->marks.interval << EMU_STAMP_BITS;
    r->place = emu_place_make(w->launch->module->index, in->ptx);
    read_flags(r);
}

uint32_t emu_race_stamp(struct emu_racer *r, unsigned lane)
{
    struct emu_warp *w = r->w;
    if (w->flat) {
        return r->stamp | lane;
    }
    struct emu_warp_marks *m = &w->marks;
    if (m->lane_interval[lane] < r->race->first ||
        m->lane_interval_clock[lane] != w->lane_clock[lane]) {
        m->lane_interval[lane] = begin_interval(r->race, w, lane);
        m->lane_interval_clock[lane] = w->lane_clock[lane];
    }
    return m->lane_interval[lane] << EMU_STAMP_BITS | lane;
}

struct emu_interval *emu_race_interval(const struct emu_race *r, uint32_t stamp)
{
    uint32_t id = stamp >> EMU_STAMP_BITS;
    return id >= r->first && id < r->next ? &r->intervals[id - r->first] : NULL;
}

bool emu_race_same_block(const struct emu_racer *r, uint32_t stamp)
{
    const struct emu_interval *i = emu_race_interval(r->race, stamp);
    return i != NULL && i->block_serial == r->w->block->serial;
}

bool emu_race_same_warp(const struct emu_racer *r, uint32_t stamp)
{
    const struct emu_interval *i = emu_race_interval(r->race, stamp);
    return i != NULL && i->block_serial == r->w->block->serial && i->warp == r->w->index;
}

bool emu_race_ordered(const struct emu_racer *r, unsigned lane, uint32_t stamp)
{
    if (stamp < r->base) {
        return true;
    }
    const struct emu_interval *i = emu_race_interval(r->race, stamp);
    uint32_t id = stamp >> EMU_STAMP_BITS;
    const struct emu_warp *w = r->w;
    if (i == NULL) {
        return true;
    }
    if (i->block_serial != w->block->serial) {
        return id <= w->block->marks.known;
    }
    if (id <= w->marks.known) {
        return true;
    }
    unsigned other = stamp % EMU_LANES;
    if ((stamp & EMU_STAMP_MORE) && i->warp == w->index && other == lane) {
        if (!w->flat) {
            return true; /* which other lane it was isn't kept */
        }
        other ^= 1;
    }
    return emu_ordered(w, lane, i->warp * EMU_LANES + other, i->lane_clock, i->warp_clock);
}

/* A flag was read or taken that an interval had set: what that one had seen lies before this warp from now on. */
void emu_race_acquire(struct emu_racer *r, uint32_t stamp)
{
    const struct emu_interval *i = emu_race_interval(r->race, stamp);
    if (i == NULL || i->released == 0) {
        return;
    }
    uint32_t id = stamp >> EMU_STAMP_BITS;
    bool same_block = i->block_serial == r->w->block->serial;
    struct emu_warp_marks *w = &r->w->marks;
    struct emu_block_marks *b = &r->w->block->marks;
    if (id > w->known && (same_block || i->released == 2)) {
        w->known = id;
        r->acquire = true;
    }
    if (id > b->known && i->released == 2) {
        b->known = id; /* its threads meet in a barrier before they rely on it; not judged finer */
        r->acquire = true;
    }
}

/*
 * Lanes that pass a fence side by side are taken to have met there: code that was written for warps in lockstep puts
 * fences where __syncwarp belongs, and hardware lets it.
 */
void emu_race_fence(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    if ((mask & (mask - 1)) != 0) {
        emu_warp_order(w, mask);
    }
    struct emu_racer r;
    emu_racer_begin(&r, w, in, false);
    uint8_t level = in->flags & EMU_F_CTA ? 1 : 2;
    if (w->block->marks.fenced < level) {
        w->block->marks.fenced = level;
    }
}

/*
 * What was set after a fence tells others that all before it happened. Later accesses of this warp belong to a new
 * interval, for they aren't part of that.
 */
static void publish(struct emu_racer *r)
{
    uint8_t level = r->w->block->marks.fenced;
    if (r->in->flags & EMU_F_RELEASE) {
        uint8_t own = r->in->flags & EMU_F_CTA ? 1 : 2;
        level = own > level ? own : level;
    }
    if (level == 0) {
        return;
    }
    struct emu_warp *w = r->w;
    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        uint32_t id = w->flat ? w->marks.interval : w->marks.lane_interval[lane];
        struct emu_interval *i = emu_race_interval(r->race, id << EMU_STAMP_BITS);
        if (i != NULL && i->released < level) {
            i->released = level;
        }
    }
    r->acquire = true;
}

void emu_racer_end(struct emu_racer *r)
{
    if (r->release) {
        publish(r);
    }
    if (r->acquire) {
        r->w->marks.interval = 0;
        memset(r->w->marks.lane_interval, 0, sizeof r->w->marks.lane_interval);
    }
}
