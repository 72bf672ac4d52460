/* Marks on memory and the judgement of each access against them. See race.h for what is kept and why. */
#include "gpu-runner/emulator/race.h"

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/report.h"
#include "gpu-runner/emulator/stamps.h"

static size_t units_of(const struct emu_marks *m)
{
    return (size_t)((m->bytes + (1u << m->shift) - 1) >> m->shift);
}

static uint32_t *column_get(size_t units)
{
    uint32_t *p = emu_pages_get(units * sizeof(uint32_t));
    if (p == NULL) {
        fprintf(stderr, "cmpd: out of address space\n"); /* as alloc.h: a fault of the machine */
        abort();
    }
    return p;
}

static void column_put(uint32_t *p, size_t units)
{
    emu_pages_put(p, units * sizeof(uint32_t));
}

static void column_need(struct emu_column *c, size_t units)
{
    if (c->stamp == NULL) {
        c->stamp = column_get(units);
        c->place = column_get(units);
    }
}

static void column_clear(struct emu_column *c, size_t units)
{
    column_put(c->stamp, units);
    column_put(c->place, units);
    *c = (struct emu_column){0};
}

void emu_marks_free(struct emu_marks **pm)
{
    struct emu_marks *m = *pm;
    *pm = NULL;
    if (m == NULL) {
        return;
    }
    size_t units = units_of(m);
    column_clear(&m->write, units);
    column_clear(&m->strong, units);
    column_clear(&m->read, units);
    column_clear(&m->second, units);
    *m->link = m->next;
    if (m->next != NULL) {
        m->next->link = m->link;
    }
    free(m);
}

static struct emu_marks *marks_new(struct emu_race *race, uint64_t bytes, unsigned shift)
{
    struct emu_marks *m = cmpd_calloc(1, sizeof *m);
    m->bytes = bytes;
    m->shift = shift;
    column_need(&m->write, units_of(m));
    column_need(&m->read, units_of(m));
    m->next = race->all;
    m->link = &race->all;
    if (m->next != NULL) {
        m->next->link = &m->next;
    }
    race->all = m;
    return m;
}

/* Each unit becomes several, all with its mark. */
static void column_split(struct emu_column *c, size_t units, size_t fine, unsigned by)
{
    if (c->stamp == NULL) {
        return;
    }
    struct emu_column old = *c;
    *c = (struct emu_column){0};
    column_need(c, fine);
    for (size_t i = 0; i < units; i++) {
        for (size_t k = i << by; old.stamp[i] != 0 && k < (i + 1) << by && k < fine; k++) {
            c->stamp[k] = old.stamp[i];
            c->place[k] = old.place[i];
        }
    }
    column_clear(&old, units);
}

static void marks_split(struct emu_marks *m, unsigned shift)
{
    size_t units = units_of(m);
    unsigned by = m->shift - shift;
    m->shift = shift;
    size_t fine = units_of(m);
    column_split(&m->write, units, fine, by);
    column_split(&m->strong, units, fine, by);
    column_split(&m->read, units, fine, by);
    column_split(&m->second, units, fine, by);
}

static struct emu_marks *marks_for(struct emu_racer *r, struct emu_marks **pm,
                                   uint64_t region_bytes, unsigned bytes)
{
    unsigned shift = bytes >= 4 ? 2 : bytes == 2 ? 1 : 0;
    if (*pm == NULL) {
        *pm = marks_new(r->race, region_bytes, shift);
    } else if ((*pm)->shift > shift) {
        marks_split(*pm, shift);
    }
    return *pm;
}

/* ---- one unit ---- */

struct unit {
    struct emu_racer *r;
    struct emu_marks *m;
    size_t i;
    unsigned lane, bytes;
    uint32_t stamp; /* of this access */
    uint64_t offset;
    bool same; /* the store changes nothing */
};

static void found(const struct unit *u, const char *what, const char *other, uint32_t stamp,
                  uint32_t place, bool note)
{
    struct emu_race_party party = {.what = other, .stamp = stamp, .place = place};
    emu_report_race(u->r, u->lane, what, u->bytes, u->offset, &party, note);
}

/* One of the two is a plain read, the other an atomic operation: see race_guard.c. */
static void found_guard(const struct unit *u, const char *what, const char *other, uint32_t stamp,
                        uint32_t place, uint32_t read_place)
{
    struct emu_race_party party = {.what = other, .stamp = stamp, .place = place};
    if (!emu_guard_known(u->r->race, read_place)) {
        emu_guard_conflict_take(u->r->race, read_place, u->r->in->ptx,
                                emu_race_message(u->r, u->lane, what, u->bytes, u->offset, &party));
    }
}

static void against_write(const struct unit *u, const char *what, bool note)
{
    uint32_t s = u->m->write.stamp[u->i];
    if (s >= u->r->base && !emu_race_ordered(u->r, u->lane, s)) {
        found(u, what, "write", s, u->m->write.place[u->i], note);
    }
}

static void against_strong(const struct unit *u, const char *what, bool reading)
{
    if (u->m->strong.stamp == NULL) {
        return;
    }
    uint32_t s = u->m->strong.stamp[u->i];
    uint32_t plain = s & ~EMU_STAMP_MORE;
    if (s >= u->r->base && !emu_race_ordered(u->r, u->lane, plain)) {
        uint32_t place = u->m->strong.place[u->i];
        if (s & EMU_STAMP_MORE) {
            found(u, what, "volatile write", plain, place, true);
        } else if (reading) {
            found_guard(u, what, "atomic operation", plain, place, u->r->place);
        } else {
            found(u, what, "atomic operation", plain, place, false);
        }
    }
}

static void against_read(const struct unit *u, const struct emu_column *c, uint32_t stamp,
                         const char *what, bool note)
{
    uint32_t place = c->place[u->i];
    if (u->r->atomic) {
        found_guard(u, what, "read", stamp, place, place);
    } else {
        found(u, what, "read", stamp, place, note);
    }
}

static void against_reads(const struct unit *u, const char *what, bool note)
{
    uint32_t s = u->m->read.stamp[u->i];
    if (s >= u->r->base && !emu_race_ordered(u->r, u->lane, s)) {
        against_read(u, &u->m->read, s, what, note);
        return;
    }
    if (u->m->second.stamp == NULL) {
        return;
    }
    s = u->m->second.stamp[u->i] & ~EMU_STAMP_MORE;
    if (s >= u->r->base && !emu_race_ordered(u->r, u->lane, s)) {
        against_read(u, &u->m->second, s, what, note);
    }
}

/* What this warp read there before. */
static void followed(const struct unit *u)
{
    uint32_t s = u->m->read.stamp[u->i];
    if (s >= u->r->base && emu_race_same_warp(u->r, s)) {
        emu_guard_followed(u->r, u->m->read.place[u->i]);
        return;
    }
    s = u->m->second.stamp != NULL ? u->m->second.stamp[u->i] : 0;
    if (s >= u->r->base && emu_race_same_warp(u->r, s)) {
        emu_guard_followed(u->r, u->m->second.place[u->i]);
    }
}

static void put(struct emu_column *c, size_t i, uint32_t stamp, uint32_t place)
{
    c->stamp[i] = stamp;
    c->place[i] = place;
}

/* A read by another warp, not ordered after the one that is kept: keep both, of two blocks where there are two. */
static void note_second(const struct unit *u)
{
    struct emu_marks *m = u->m;
    column_need(&m->second, units_of(m));
    uint32_t s = m->second.stamp[u->i];
    if (s >= u->r->base && (s & EMU_STAMP_MORE)) {
        return;
    }
    bool other_block = !u->r->shared && !emu_race_same_block(u->r, m->read.stamp[u->i]);
    put(&m->second, u->i, u->stamp | (other_block ? EMU_STAMP_MORE : 0), u->r->place);
}

static void note_read(const struct unit *u, bool several)
{
    struct emu_column *c = &u->m->read;
    uint32_t s = c->stamp[u->i], mine = u->stamp | (several ? EMU_STAMP_MORE : 0);
    if (s < u->r->base) {
        put(c, u->i, mine, u->r->place);
        return;
    }
    if (emu_race_same_warp(u->r, s)) {
        bool other = (s & EMU_STAMP_MORE) || s % EMU_LANES != u->lane;
        bool now = s >> EMU_STAMP_BITS == u->stamp >> EMU_STAMP_BITS;
        if (other && (now || !emu_race_ordered(u->r, u->lane, s))) {
            mine |= EMU_STAMP_MORE;
        }
        put(c, u->i, mine, u->r->place);
    } else if (emu_race_ordered(u->r, u->lane, s)) {
        put(c, u->i, mine, u->r->place);
    } else {
        note_second(u);
    }
}

static void read_unit(const struct unit *u, bool several)
{
    struct emu_racer *r = u->r;
    if (r->strong) {
        if (u->m->strong.stamp != NULL && u->m->strong.stamp[u->i] >= r->base) {
            emu_race_acquire(r, u->m->strong.stamp[u->i]);
        }
        against_write(u, "volatile read", true);
        return;
    }
    against_write(u, "read", false);
    against_strong(u, "read", true);
    note_read(u, several);
}

static void write_unit(const struct unit *u)
{
    struct emu_racer *r = u->r;
    if (r->strong) {
        against_write(u, "volatile write", true);
        against_reads(u, "volatile write", true);
        column_need(&u->m->strong, units_of(u->m));
        put(&u->m->strong, u->i, u->stamp | EMU_STAMP_MORE, r->place);
        r->release = true;
        return;
    }
    against_write(u, "write", u->same);
    against_strong(u, "write", false);
    against_reads(u, "write", u->same);
    put(&u->m->write, u->i, u->stamp, r->place);
}

static void atomic_unit(const struct unit *u)
{
    struct emu_racer *r = u->r;
    column_need(&u->m->strong, units_of(u->m));
    if (u->m->strong.stamp[u->i] >= r->base) {
        emu_race_acquire(r, u->m->strong.stamp[u->i]);
    }
    followed(u);
    against_write(u, "atomic operation", false);
    against_reads(u, "atomic operation", false);
    put(&u->m->strong, u->i, u->stamp, r->place);
    r->release = true;
}

/* ---- runs ---- */

/* A run of units: `lanes` lanes from `lane` on, each 1 << per_bits units wide. */
struct units {
    size_t first, n;
    unsigned lane, per_bits;
    uint32_t stamp; /* of the first lane */
};

static struct units units_for(const struct emu_racer *r, const struct emu_marks *m, uint64_t offset,
                              unsigned lane, unsigned lanes, unsigned bytes)
{
    unsigned per_bits = (unsigned)__builtin_ctz(bytes) - m->shift;
    return (struct units){
        .first = (size_t)(offset >> m->shift),
        .n = (size_t)lanes << per_bits,
        .lane = lane,
        .per_bits = per_bits,
        .stamp = r->stamp + lane,
    };
}

/*
 * Is all that the column holds there ordered before the run? Below the bound, the lane's own, or of one interval that
 * is. (While the warp is flat, and that is asked first, no lane of it is ordered other than the rest.)
 */
static bool column_before(const struct emu_racer *r, const struct emu_column *c,
                          const struct units *u)
{
    if (c->stamp == NULL) {
        return true;
    }
    const uint32_t *s = c->stamp + u->first;
    if (emu_stamps_own(s, u->n, r->base, u->stamp, u->per_bits)) {
        return true;
    }
    uint32_t interval = s[0] & ~(uint32_t)(EMU_LANES - 1);
    return emu_stamps_uniform(s, u->n) && interval != (u->stamp & ~(uint32_t)(EMU_LANES - 1)) &&
           emu_race_ordered(r, u->lane, interval | (u->lane ^ 1));
}

static void column_put_run(struct emu_column *c, const struct units *u, uint32_t place)
{
    emu_stamps_put(c->stamp + u->first, c->place + u->first, u->n, u->stamp, u->per_bits, place);
}

/* Two readers of different blocks (shared memory: warps) are kept of each: further ones add nothing. */
static bool all_read_enough(const struct emu_racer *r, const struct emu_marks *m, size_t first,
                            size_t n)
{
    return m->second.stamp != NULL &&
           emu_stamps_have(m->second.stamp + first, n, r->base, r->shared ? 0 : EMU_STAMP_MORE);
}

static void each_unit(struct unit *u, unsigned units, void (*act)(const struct unit *u))
{
    u->stamp = emu_race_stamp(u->r, u->lane);
    for (unsigned k = 0; k < units; k++) {
        act(u);
        u->i++;
    }
}

static void read_one(const struct unit *u)
{
    read_unit(u, false);
}

static void read_several(const struct unit *u)
{
    read_unit(u, true);
}

void emu_race_read(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                   uint64_t offset, unsigned lane, unsigned lanes, unsigned bytes)
{
    struct emu_marks *m = marks_for(r, marks, region_bytes, bytes);
    struct units run = units_for(r, m, offset, lane, lanes, bytes);
    if (r->w->flat && !r->strong && column_before(r, &m->strong, &run) &&
        column_before(r, &m->write, &run)) {
        if (all_read_enough(r, m, run.first, run.n)) {
            return;
        }
        if (column_before(r, &m->read, &run)) {
            column_put_run(&m->read, &run, r->place);
            return;
        }
    }
    for (unsigned l = 0; l < lanes; l++) {
        struct unit u = {.r = r,
                         .m = m,
                         .i = run.first + ((size_t)l << run.per_bits),
                         .lane = lane + l,
                         .bytes = bytes,
                         .offset = offset + (uint64_t)l * bytes};
        each_unit(&u, 1u << run.per_bits, read_one);
    }
}

void emu_race_read_same(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                        uint64_t offset, unsigned lane, unsigned lanes, unsigned bytes)
{
    struct emu_marks *m = marks_for(r, marks, region_bytes, bytes);
    struct units run = units_for(r, m, offset, lane, 1, bytes);
    run.stamp |= EMU_STAMP_MORE; /* none of these lanes' own: several read it */
    bool quiet = r->w->flat && !r->strong && column_before(r, &m->strong, &run) &&
                 column_before(r, &m->write, &run);
    if (quiet && all_read_enough(r, m, run.first, run.n)) {
        return;
    }
    struct unit u = {
        .r = r, .m = m, .i = run.first, .lane = lane, .bytes = bytes, .offset = offset};
    if (quiet) {
        each_unit(&u, (unsigned)run.n, lanes > 1 ? read_several : read_one);
        return;
    }
    for (unsigned l = 0; l < lanes; l++) {
        u.i = run.first;
        u.lane = lane + l;
        each_unit(&u, (unsigned)run.n, read_one);
    }
}

void emu_race_write(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                    uint64_t offset, unsigned lane, unsigned lanes, unsigned bytes,
                    const uint8_t *old, const uint8_t *fresh)
{
    struct emu_marks *m = marks_for(r, marks, region_bytes, bytes);
    struct units run = units_for(r, m, offset, lane, lanes, bytes);
    if (r->w->flat && !r->strong && column_before(r, &m->strong, &run) &&
        column_before(r, &m->write, &run) && column_before(r, &m->read, &run) &&
        (m->second.stamp == NULL ||
         emu_stamps_below(m->second.stamp + run.first, run.n, r->base))) {
        column_put_run(&m->write, &run, r->place);
        return;
    }
    for (unsigned l = 0; l < lanes; l++) {
        const size_t at = (size_t)l * bytes;
        struct unit u = {.r = r,
                         .m = m,
                         .i = run.first + ((size_t)l << run.per_bits),
                         .lane = lane + l,
                         .bytes = bytes,
                         .offset = offset + at,
                         .same = old != NULL && memcmp(old + at, fresh + at, bytes) == 0};
        each_unit(&u, 1u << run.per_bits, write_unit);
    }
}

void emu_race_atomic(struct emu_racer *r, struct emu_marks **marks, uint64_t region_bytes,
                     uint64_t offset, unsigned lane, unsigned bytes)
{
    r->atomic = true;
    struct emu_marks *m = marks_for(r, marks, region_bytes, bytes);
    struct unit u = {.r = r,
                     .m = m,
                     .i = (size_t)(offset >> m->shift),
                     .lane = lane,
                     .bytes = bytes,
                     .offset = offset};
    each_unit(&u, bytes >> m->shift, atomic_unit);
}
