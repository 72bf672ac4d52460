#include "analysis/eval/watch.h"

#include <stdio.h>
#include <string.h>

#include "analysis/text/source.h"

/* ---- names for messages ---- */

const char *ev_source_text(struct ev_machine *m, const struct ir_loc *loc)
{
    const struct cmpd_source *src = m->module->unit->src;
    size_t off = loc->off < src->len ? loc->off : src->len;
    size_t end = loc->end < src->len ? loc->end : src->len;
    char *out = cmpd_arena_alloc(m->keep, 68);
    size_t n = 0;
    for (size_t i = off; i < end && n < 60; i++) {
        char c = src->text[i];
        if ((unsigned char)c <= ' ')
            c = ' ';
        if (c == ' ' && (n == 0 || out[n - 1] == ' '))
            continue;
        out[n++] = c;
    }
    if (n == 60)
        memcpy(out + 57, "...", 3);
    return out;
}

static const char *triple(struct ev_machine *m, const char *what, int64_t x, int64_t y, int64_t z,
                          const struct ev_dims *extent)
{
    if (extent->z > 1)
        return cmpd_arena_printf(m->keep, "%s (%lld, %lld, %lld)", what, (long long)x, (long long)y,
                                 (long long)z);
    if (extent->y > 1)
        return cmpd_arena_printf(m->keep, "%s (%lld, %lld)", what, (long long)x, (long long)y);
    return cmpd_arena_printf(m->keep, "%s %lld", what, (long long)x);
}

const char *ev_thread_in_block_name(struct ev_machine *m, uint32_t lane)
{
    return triple(m, "thread", m->tid[0][lane], m->tid[1][lane], m->tid[2][lane], &m->block);
}

const char *ev_thread_name(struct ev_machine *m, uint32_t lane)
{
    return cmpd_arena_printf(
        m->keep, "%s of %s", ev_thread_in_block_name(m, lane),
        triple(m, "block", m->block_idx.x, m->block_idx.y, m->block_idx.z, &m->grid));
}

static void sight(struct ev_machine *m, enum cmpd_tag tag, const struct ir_expr *at, bool weak,
                  const char *text)
{
    struct ev_watch *w = m->user;
    struct ev_sighting s = {.tag = tag, .at = at, .kernel = w->kernel, .text = text, .weak = weak};
    w->sight(w, m, &s);
}

/* ---- global memory ---- */

enum { ELEMENTS_MAX = 1 << 21 };

struct ev_footprint *ev_footprint_of(struct ev_machine *m, struct ev_region *r)
{
    if (!r->shadow) {
        struct ev_footprint *f = CMPD_ARENA_NEW(m->keep, struct ev_footprint);
        f->region = r;
        f->hi = INT64_MIN;
        f->gran = r->elem_bytes ? r->elem_bytes : 1;
        r->shadow = f;
    }
    return r->shadow;
}

static struct ev_site *site_of(struct ev_footprint *f, const struct ir_expr *at)
{
    for (size_t i = 0; i < f->site_count; i++)
        if (f->sites[i].hi_at.at == at)
            return &f->sites[i];
    if (f->site_count == FOOTPRINT_SITES)
        return NULL;
    f->sites[f->site_count] = (struct ev_site){.hi = INT64_MIN, .hi_at = {.at = at}};
    return &f->sites[f->site_count++];
}

const struct ev_site *ev_first_site_past(const struct ev_footprint *f, int64_t bytes)
{
    static _Thread_local struct ev_site whole;
    const struct ev_site *first = NULL;
    for (size_t i = 0; i < f->site_count; i++)
        if (f->sites[i].hi > bytes &&
            (!first || f->sites[i].hi_at.at->loc.off < first->hi_at.at->loc.off))
            first = &f->sites[i];
    whole = (struct ev_site){.hi = f->hi, .hi_at = f->hi_at};
    return first ? first : &whole;
}

static void grow_writers(struct ev_machine *m, struct ev_footprint *f, size_t need)
{
    size_t count = f->writer_count ? f->writer_count : 1024;
    while (count < need)
        count *= 2;
    uint32_t *more = CMPD_ARENA_ARRAY(m->keep, uint32_t, count);
    if (f->writer_count)
        memcpy(more, f->writer, f->writer_count * sizeof *more);
    f->writer = more;
    f->writer_count = count;
}

static void mark_written(struct ev_machine *m, struct ev_footprint *f, int64_t off, uint32_t bytes,
                         uint32_t lane, bool certain, bool atomic)
{
    struct ev_watch *w = m->user;
    int64_t first = off / f->gran, last = (off + bytes - 1) / f->gran;
    if (off < 0 || last >= ELEMENTS_MAX || w->sampled) {
        f->unknown_write = true;
        return;
    }
    if ((size_t)last >= f->writer_count)
        grow_writers(m, f, (size_t)last + 1);
    uint32_t id = (uint32_t)(w->block_linear * m->width + lane + 1);
    for (int64_t e = first; e <= last; e++) {
        uint32_t before = f->writer[e];
        if (before && before != id && certain && !atomic && !f->collision) {
            f->collision = true;
            f->collision_off = e * f->gran;
            f->collision_a = before - 1;
            f->collision_b = id - 1;
        }
        f->writer[e] = id;
    }
}

/* The buffer is long enough for that many elements, only its bytes were counted with another width. */
static bool counted_in_other_width(const struct ev_region *r, int64_t off, uint32_t bytes)
{
    if (off < 0 || !r->made_at || r->kind != EV_R_DEVICE)
        return false;
    uint32_t elem = r->elem_bytes ? r->elem_bytes : 1;
    uint32_t unit = ev_sizeof_in(r->made_at);
    if (bytes > elem && bytes % elem == 0 && (unit == 0 || unit == elem || elem == 1))
        return off + bytes <=
               r->size_bytes / elem * bytes; /* narrow elements taken for wider ones */
    return unit < elem && off + bytes <= r->size_bytes / (unit ? unit : 1) * elem;
}

/* The cast that the pointer of an access was made with, or NULL. */
static const struct ir_expr *view_of(const struct ir_expr *at)
{
    const struct ir_expr *p = at->a;
    if (p && p->kind == IR_X_VAR && p->var->storage == IR_V_LOCAL)
        p = p->var->init;
    return p && p->kind == IR_X_CAST ? p : NULL;
}

static void sight_length(struct ev_machine *m, struct ev_region *r, int64_t off, uint32_t bytes,
                         unsigned flags, uint32_t lane, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    uint32_t elem = r->elem_bytes ? r->elem_bytes : 1;
    bool width = counted_in_other_width(r, off, bytes);
    const char *text = cmpd_arena_printf(
        m->keep, "%s %s bytes %lld to %lld of %s, which has %lld", ev_thread_name(m, lane),
        flags & EV_WRITE ? "writes" : "reads", (long long)off, (long long)(off + bytes - 1),
        r->name, (long long)r->size_bytes);
    if (width) {
        const struct ir_expr *view = bytes > elem ? view_of(at) : NULL;
        const struct ir_expr *where = bytes <= elem ? r->made_at
                                      : view        ? view
                                      : w->launch   ? w->launch
                                                    : at;
        sight(m, CMPD_TAG_type_width_mismatch, where, false, text);
        return;
    }
    text = cmpd_arena_printf(
        m->keep, "%s %s %s[%lld], but %s has %lld element%s", ev_thread_name(m, lane),
        flags & EV_WRITE ? "writes" : "reads", r->name, (long long)(off / elem), r->name,
        (long long)(r->size_bytes / elem), r->size_bytes / elem == 1 ? "" : "s");
    sight(m, CMPD_TAG_missing_bounds_guard, at, false, text);
}

static void global_access(struct ev_machine *m, const struct ev_val *p, uint32_t bytes,
                          unsigned flags, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    struct ev_region *r = p->region;
    struct ev_footprint *f = ev_footprint_of(m, r);
    bool write = flags & EV_WRITE;
    f->read |= !write;
    f->written |= write;
    f->atomic |= (flags & EV_ATOMIC) != 0;
    if (write && !f->write_at) {
        f->write_at = at;
        f->write_kernel = w->kernel;
        f->write_launch = w->launch;
    }
    if ((flags & EV_SPECULATIVE) || bytes == 0) {
        f->unknown_write |= write;
        return;
    }
    if (bytes > f->widest)
        f->widest = bytes;
    ev_tick(m, m->width);
    bool told = false;
    struct ev_site *site = site_of(f, at);
    for (uint32_t l = 0; l < m->width; l++) {
        uint8_t st = m->mask[l];
        if (!st)
            continue;
        int64_t off = p->lanes ? p->lanes[l] : p->i;
        if (off == CMPD_UNKNOWN_LANE) {
            f->unknown_write |= write;
            continue;
        }
        if (st == LANE_ON) {
            if (off + bytes > f->hi) {
                f->hi = off + bytes;
                f->hi_at = (struct ev_witness){at, w->block_linear, l, off};
                f->hi_kernel = w->kernel;
            }
            if (site && off + bytes > site->hi) {
                site->hi = off + bytes;
                site->hi_at = (struct ev_witness){at, w->block_linear, l, off};
            }
            if (!told && r->size_bytes >= 0 && (off < 0 || off + bytes > r->size_bytes)) {
                sight_length(m, r, off, bytes, flags, l, at);
                told = true;
            }
        }
        if (write)
            mark_written(m, f, off, bytes, l, st == LANE_ON, flags & EV_ATOMIC);
    }
}

/* ---- shared memory ---- */

struct reader {
    uint16_t lane;
    bool here;
    uint32_t warp_epoch;
};

struct cell {
    uint32_t write_epoch, write_warp_epoch;
    uint32_t read_epoch;
    struct reader readers[2]; /* of read_epoch; of two warps where there are two */
    uint16_t writer;
    bool write_atomic;
    const struct ir_expr *write_at, *read_at;
};

/* Accesses at an index that data decides: they may meet any element. */
struct anywhere {
    uint32_t epoch;
    uint16_t lane;
    const struct ir_expr *at;
};

struct shared_shadow {
    struct cell *cells;
    size_t count;
    uint32_t gran;
    struct anywhere plain_write,
        atomic; /* the last plain write; the last atomic at an unknown index */
};

enum { SHARED_BYTES_MAX = 256 * 1024, SHARED_FIRST_BYTES = 4096 };

static struct shared_shadow *shared_shadow(struct ev_machine *m, struct ev_region *r)
{
    if (r->shadow)
        return r->shadow;
    struct ev_watch *w = m->user;
    struct shared_shadow *s = CMPD_ARENA_NEW(m->keep, struct shared_shadow);
    uint32_t e = r->elem_bytes;
    s->gran = e && e % 4 == 0 ? 4 : e == 2 ? 2 : 1;
    int64_t size = r->kind == EV_R_DYNAMIC ? w->dynamic_bytes : r->size_bytes;
    if (size < 0)
        size = SHARED_FIRST_BYTES; /* grown as it is used */
    if (size > SHARED_BYTES_MAX)
        size = SHARED_BYTES_MAX;
    s->count = (size_t)(size / s->gran) + 1;
    s->cells = CMPD_ARENA_ARRAY(m->keep, struct cell, s->count);
    r->shadow = s;
    return s;
}

static void sight_race(struct ev_machine *m, struct ev_region *r, int64_t off, uint32_t other,
                       bool other_wrote, const struct ir_expr *other_at, uint32_t lane, bool writes,
                       const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    if (w->divergent)
        return;
    uint32_t elem = r->elem_bytes ? r->elem_bytes : 1;
    bool one_warp = other / 32 == lane / 32;
    /* The barrier belongs between the two; where a loop brings the second one round, behind the first. */
    const struct ir_expr *anchor = other_at && other_at->loc.off > at->loc.off ? other_at : at;
    const char *text = cmpd_arena_printf(
        m->keep, "%s %s %s[%lld] and %s %s it, with no barrier between",
        ev_thread_in_block_name(m, other), other_wrote ? "writes" : "reads", r->name,
        (long long)(off / elem), ev_thread_in_block_name(m, lane), writes ? "writes" : "reads");
    sight(m, CMPD_TAG_missing_sync, anchor, one_warp, text);
}

static void note_reader(struct cell *c, uint32_t epoch, uint32_t lane, uint32_t warp_epoch)
{
    if (c->read_epoch != epoch) {
        c->read_epoch = epoch;
        c->readers[0] = (struct reader){(uint16_t)lane, true, warp_epoch};
        c->readers[1].here = false;
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct reader *r = &c->readers[i];
        /* A reader of this warp before its last __syncwarp is ordered with all that this warp does now. */
        bool stale = r->here && r->lane / 32 == lane / 32 && r->warp_epoch != warp_epoch;
        if (!r->here || r->lane == lane || stale) {
            *r = (struct reader){(uint16_t)lane, true, warp_epoch};
            return;
        }
    }
    if (c->readers[0].lane / 32 == c->readers[1].lane / 32)
        c->readers[1] = (struct reader){(uint16_t)lane, true, warp_epoch};
}

static void shared_read(struct ev_machine *m, struct ev_region *r, struct cell *c, int64_t off,
                        uint32_t lane, unsigned flags, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    uint32_t we = w->warp_epoch[lane / 32];
    if (c->write_epoch == w->epoch && c->writer != lane) {
        bool ordered = c->writer / 32 == lane / 32 &&
                       (c->write_warp_epoch != we || (flags & EV_VOLATILE));
        if (!ordered)
            sight_race(m, r, off, c->writer, true, c->write_at, lane, false, at);
    }
    note_reader(c, w->epoch, lane, we);
    c->read_at = at;
}

static void check_readers(struct ev_machine *m, struct ev_region *r, struct cell *c, int64_t off,
                          uint32_t lane, unsigned flags, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    uint32_t we = w->warp_epoch[lane / 32];
    const struct reader *found = NULL;
    for (int i = 0; i < 2; i++) {
        const struct reader *o = &c->readers[i];
        if (!o->here || o->lane == lane)
            continue;
        bool one_warp = o->lane / 32 == lane / 32;
        if (one_warp && (o->warp_epoch != we || (flags & EV_VOLATILE)))
            continue;
        if (!found || !one_warp) /* prefer a reader of another warp */
            found = o;
    }
    if (found)
        sight_race(m, r, off, found->lane, false, c->read_at, lane, true, at);
}

static void shared_write(struct ev_machine *m, struct ev_region *r, struct cell *c, int64_t off,
                         uint32_t lane, unsigned flags, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    uint32_t we = w->warp_epoch[lane / 32];
    bool atomic = flags & EV_ATOMIC;
    if (c->read_epoch == w->epoch && !atomic)
        check_readers(m, r, c, off, lane, flags, at);
    if (c->write_epoch == w->epoch && c->writer != lane && atomic && !c->write_atomic) {
        bool ordered = c->writer / 32 == lane / 32 && c->write_warp_epoch != we;
        if (!ordered)
            sight_race(m, r, off, c->writer, true, c->write_at, lane, true, at);
    }
    c->write_epoch = w->epoch;
    c->write_warp_epoch = we;
    c->writer = (uint16_t)lane;
    c->write_atomic = atomic;
    c->write_at = at;
}

/* An access at an index that data alone decides: it can meet what another warp wrote plainly; an atomic, the reverse. */
static void shared_anywhere(struct ev_machine *m, struct ev_region *r, struct shared_shadow *s,
                            uint32_t lane, unsigned flags, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    bool plain_write = (flags & EV_WRITE) &&
                       !(flags & EV_ATOMIC); /* that all write the same is possible */
    if (!plain_write && s->plain_write.epoch == w->epoch && s->plain_write.lane / 32 != lane / 32)
        sight_race(m, r, 0, s->plain_write.lane, true, s->plain_write.at, lane,
                   (flags & EV_WRITE) != 0, at);
    if (flags & EV_ATOMIC)
        s->atomic = (struct anywhere){w->epoch, (uint16_t)lane, at};
}

static void shared_bounds(struct ev_machine *m, struct ev_region *r, int64_t off, uint32_t bytes,
                          unsigned flags, uint32_t lane, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    bool dynamic = r->kind == EV_R_DYNAMIC;
    int64_t size = dynamic ? w->dynamic_bytes : r->size_bytes;
    uint32_t elem = r->elem_bytes ? r->elem_bytes : 1;
    const char *verb = flags & EV_WRITE ? "writes" : "reads";
    if (dynamic) {
        sight(m, CMPD_TAG_shared_size_mismatch, at, false,
              cmpd_arena_printf(
                  m->keep,
                  "%s %s byte %lld of dynamic shared memory, but the launch asks for %lld bytes",
                  ev_thread_name(m, lane), verb, (long long)(off + bytes - 1), (long long)size));
        return;
    }
    sight(m, CMPD_TAG_shared_index_out_of_range, at, false,
          cmpd_arena_printf(
              m->keep, "%s %s element %lld of %s, which has %lld", ev_thread_name(m, lane), verb,
              (long long)(off < 0 ? (off - (int64_t)elem + 1) / (int64_t)elem : off / elem),
              r->name, (long long)(size / elem)));
}

/* Data alone decides which element, and the code lets it be one past the array. */
static bool reach_past(struct ev_machine *m, const struct ev_val *p, int64_t size, uint32_t bytes,
                       unsigned flags, uint32_t lane, const struct ir_expr *at)
{
    const struct ev_region *r = p->region;
    uint32_t elem = r->elem_bytes;
    if (!p->capped || r->kind != EV_R_SHARED || elem == 0 || p->reach + bytes <= size)
        return false;
    sight(m, CMPD_TAG_shared_index_out_of_range, at, false,
          cmpd_arena_printf(
              m->keep, "where its data is large enough, %s %s element %lld of %s, which has %lld",
              ev_thread_name(m, lane), flags & EV_WRITE ? "writes" : "reads",
              (long long)(p->reach / elem), r->name, (long long)(size / elem)));
    return true;
}

static void grow_cells(struct ev_machine *m, struct shared_shadow *s, size_t need)
{
    size_t count = s->count * 2 > need ? s->count * 2 : need;
    struct cell *more = CMPD_ARENA_ARRAY(m->keep, struct cell, count);
    memcpy(more, s->cells, s->count * sizeof *more);
    s->cells = more;
    s->count = count;
}

static void shared_lane(struct ev_machine *m, struct ev_region *r, struct shared_shadow *s,
                        int64_t off, uint32_t bytes, unsigned flags, uint32_t lane,
                        const struct ir_expr *at)
{
    int64_t last = (off + bytes - 1) / s->gran;
    if (off + bytes > SHARED_BYTES_MAX)
        return;
    if ((size_t)last >= s->count)
        grow_cells(m, s, (size_t)last + 1);
    for (int64_t e = off / s->gran; e <= last; e++) {
        struct cell *c = &s->cells[e];
        if ((flags & EV_READ) && !(flags & EV_ATOMIC))
            shared_read(m, r, c, off, lane, flags, at);
        if (flags & EV_WRITE)
            shared_write(m, r, c, off, lane, flags, at);
    }
}

static void shared_access(struct ev_machine *m, const struct ev_val *p, uint32_t bytes,
                          unsigned flags, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    struct ev_region *r = p->region;
    if ((flags & EV_SPECULATIVE) || bytes == 0)
        return;
    int64_t size = r->kind == EV_R_DYNAMIC ? w->dynamic_bytes : r->size_bytes;
    struct shared_shadow *s = shared_shadow(m, r);
    bool told = false;
    /* All read one element: the first and the last thread stand for the others. */
    bool one_place = !p->lanes && m->all_on && !(flags & EV_WRITE);
    uint32_t step = one_place && m->width > 1 ? m->width - 1 : 1;
    ev_tick(m, m->width / step + 1);
    for (uint32_t l = 0; l < m->width; l += step) {
        if (m->mask[l] != LANE_ON)
            continue;
        int64_t off = p->lanes ? p->lanes[l] : p->i;
        if (off == CMPD_UNKNOWN_LANE) {
            told = told || reach_past(m, p, size, bytes, flags, l, at);
            if (p->varying && !p->mixed)
                shared_anywhere(m, r, s, l, flags, at);
            continue;
        }
        if (off < 0 || (size >= 0 && off + bytes > size)) {
            if (!told)
                shared_bounds(m, r, off, bytes, flags, l, at);
            told = true;
            continue;
        }
        if (!(flags & EV_ATOMIC) && (flags & EV_WRITE))
            s->plain_write = (struct anywhere){w->epoch, (uint16_t)l, at};
        if (!(flags & EV_WRITE) && s->atomic.epoch == w->epoch && s->atomic.lane / 32 != l / 32)
            sight_race(m, r, off, s->atomic.lane, true, s->atomic.at, l, false, at);
        shared_lane(m, r, s, off, bytes, flags, l, at);
    }
}

static void on_access(struct ev_machine *m, const struct ev_val *p, uint32_t bytes, unsigned flags,
                      const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    w->activity++;
    if (p->kind != EV_PTR) {
        w->unknown_write |= (flags & EV_WRITE) != 0;
        return;
    }
    switch (p->region->kind) {
    case EV_R_SHARED:
    case EV_R_DYNAMIC:
        shared_access(m, p, bytes, flags, at);
        break;
    case EV_R_BUFFER:
    case EV_R_DEVICE:
    case EV_R_PINNED:
    case EV_R_MANAGED:
        global_access(m, p, bytes, flags, at);
        break;
    default:
        break;
    }
}

/* ---- barriers ---- */

static bool has_exited(const struct ev_machine *m, uint32_t lane)
{
    const struct ev_frame *f = m->frame;
    while (f && f->func != m->kernel)
        f = f->parent;
    return f && f->returned[lane] != LANE_OFF;
}

static void check_divergence(struct ev_machine *m, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    int64_t here = -1, absent = -1;
    for (uint32_t l = 0; l < m->width; l++) {
        if (m->mask[l] == LANE_ON && here < 0)
            here = l;
        else if (m->mask[l] == LANE_OFF && !m->unsure[l] && absent < 0 && !has_exited(m, l))
            absent = l;
    }
    if (here < 0 || absent < 0)
        return;
    w->divergent = true;
    sight(m, CMPD_TAG_divergent_barrier, at, false,
          cmpd_arena_printf(m->keep,
                            "%s waits at this barrier, %s of the same block does not come to it",
                            ev_thread_in_block_name(m, (uint32_t)here),
                            ev_thread_in_block_name(m, (uint32_t)absent)));
}

/* Threads may have parted on their own data: some wait here while others are elsewhere. */
static void check_parted(struct ev_machine *m, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    if ((!m->parted && !m->parted_loops) || !m->parted_by || m->width < 2)
        return;
    w->divergent = true;
    sight(m, CMPD_TAG_divergent_barrier, at, false,
          cmpd_arena_printf(
              m->keep,
              "threads of one block come to this barrier or not, as `%s` says for the data of each",
              ev_source_text(m, &m->parted_by->loc)));
}

static void on_barrier(struct ev_machine *m, const struct ir_expr *at, bool whole_block)
{
    struct ev_watch *w = m->user;
    if (!ev_mask_any(m))
        return;
    if (at && whole_block && !m->all_on)
        check_divergence(m, at);
    if (at && whole_block)
        check_parted(m, at);
    w->epoch = ++w->next_epoch;
}

static void on_warp_sync(struct ev_machine *m, const struct ir_expr *at)
{
    struct ev_watch *w = m->user;
    (void)at;
    for (uint32_t l = 0; l < m->width; l++)
        if (m->mask[l])
            w->warp_epoch[l / 32] = w->next_epoch + 1;
    w->next_epoch++;
}

void ev_watch_block(struct ev_watch *w, struct ev_machine *m, int64_t block_linear)
{
    w->block_linear = block_linear;
    w->epoch = ++w->next_epoch;
    if (!w->warp_epoch)
        w->warp_epoch = CMPD_ARENA_ARRAY(m->keep, uint32_t, m->width / 32 + 1);
    for (uint32_t i = 0; i <= m->width / 32; i++)
        w->warp_epoch[i] = w->epoch;
}

/* ---- index arithmetic ---- */

static void on_product(struct ev_machine *m, const struct ir_expr *at, uint8_t a, uint8_t b)
{
    struct ev_watch *w = m->user;
    if (w->product_count == WATCH_PRODUCTS)
        return;
    for (size_t i = 0; i < w->product_count; i++)
        if (w->products[i].at == at)
            return;
    w->products[w->product_count++] = (struct ev_product){at, a, b};
}

static void on_compare(struct ev_machine *m, const struct ir_expr *at, const struct ev_val *a,
                       const struct ev_val *b)
{
    struct ev_watch *w = m->user;
    if (a->kind != EV_INT || !ev_is_uniform_int(b) || (at->op != IR_OP_LT && at->op != IR_OP_GE))
        return;
    struct ev_compare *c = NULL;
    for (size_t i = 0; i < w->compare_count && !c; i++)
        if (w->compares[i].at == at)
            c = &w->compares[i];
    if (!c) {
        if (w->compare_count == WATCH_COMPARES)
            return;
        if (!w->compares)
            w->compares = CMPD_ARENA_ARRAY(m->keep, struct ev_compare, WATCH_COMPARES);
        c = &w->compares[w->compare_count++];
        c->at = at;
        c->max_left = INT64_MIN;
    }
    c->lanes |= a->lanes != NULL;
    c->right = b->i;
    for (uint32_t l = 0; l < (a->lanes ? m->width : 1); l++) {
        if (a->lanes && !m->mask[l])
            continue;
        int64_t v = ev_lane(a, l);
        if (v >= 0 && v < WATCH_INDEX_MAX)
            c->seen[v / 64] |= (uint64_t)1 << (v % 64);
        if (v == CMPD_UNKNOWN_LANE) { /* may be any index: nothing is missing */
            memset(c->seen, 0xff, sizeof c->seen);
            v = INT64_MAX;
        }
        if (v > c->max_left)
            c->max_left = v;
    }
}

const struct ev_hooks ev_watch_hooks = {
    .access = on_access,
    .barrier = on_barrier,
    .warp_sync = on_warp_sync,
    .builtin_product = on_product,
    .compare = on_compare,
};
