/*
 * Checked access by warps. A warp's access is cut into runs of lanes at consecutive addresses (or, for loads, at one
 * address): bounds, shadow and race marks are looked up once for a run, and vector code does the rest. A lane that
 * faults is taken alone, so that the report names it.
 */
#include "gpu-runner/emulator/report.h"

#define RUN_BYTES_MAX 1024u /* 32 lanes of 32 bytes */

/* Where a run lies. */
struct reach {
    uint8_t *data;
    uint8_t *shadow;          /* NULL: all defined */
    struct emu_marks **marks; /* NULL: not watched for races */
    uint64_t offset, size;    /* of the first byte in its region; of the region */
    struct emu_region *region;
    uint32_t slot; /* of shared memory */
    bool read_only;
};

struct access {
    struct emu_warp *w;
    const struct emu_ins *in;
    unsigned bytes; /* a lane */
    bool racing;    /* racer is ready, for the space that racer.shared says */
    struct emu_racer racer;
};

static uint8_t scratch_data[32], scratch_shadow[32];

/* The space of a generic address; *address becomes the one within it. */
static enum cmpd_ptx_space resolve(enum cmpd_ptx_space space, uint64_t *address)
{
    if (space != CMPD_PTX_SPACE_GENERIC) {
        return space;
    }
    if (*address < EMU_SHARED_WINDOW || *address >= EMU_CODE_BASE) {
        return CMPD_PTX_SPACE_GLOBAL;
    }
    if (*address < EMU_LOCAL_WINDOW) {
        *address -= EMU_SHARED_WINDOW;
        return CMPD_PTX_SPACE_SHARED;
    }
    if (*address < EMU_PARAM_WINDOW) {
        *address -= EMU_LOCAL_WINDOW;
        return CMPD_PTX_SPACE_LOCAL;
    }
    *address -= EMU_PARAM_WINDOW;
    return CMPD_PTX_SPACE_PARAM;
}

static bool reach_global(const struct emu_warp *w, uint64_t address, uint64_t len, struct reach *to)
{
    struct emu_region *r = emu_memory_range(w->launch->device->memory, address, len);
    if (r == NULL) {
        return false;
    }
    uint64_t offset = address - r->base;
    *to = (struct reach){
        .data = r->data + offset,
        .shadow = r->defined ? NULL : r->shadow + offset,
        .marks = &r->marks,
        .offset = offset,
        .size = r->size,
        .region = r,
    };
    return true;
}

static bool reach_shared(const struct emu_warp *w, uint64_t address, uint64_t len, struct reach *to)
{
    uint64_t slot = address >> EMU_SHARED_SLOT_BITS;
    uint64_t offset = address & ((1u << EMU_SHARED_SLOT_BITS) - 1);
    if (slot >= w->launch->module->shared_slot_count) {
        return false;
    }
    struct emu_shared *s = &w->block->shared[slot];
    if (offset + len > s->size) {
        return false;
    }
    *to = (struct reach){
        .data = s->data + offset,
        .shadow = s->shadow + offset,
        .marks = (struct emu_marks **)&s->race,
        .offset = offset,
        .size = s->size,
        .slot = (uint32_t)slot,
    };
    return true;
}

static bool reach_local(struct emu_warp *w, unsigned lane, uint64_t address, uint64_t len,
                        struct reach *to)
{
    struct emu_local *l = &w->local[lane];
    uint32_t size = w->top[lane] < l->size ? w->top[lane] : l->size;
    if (address > size || len > size - address) {
        return false;
    }
    *to = (struct reach){.data = l->data + address, .shadow = l->shadow + address};
    return true;
}

static bool reach_param(const struct emu_warp *w, uint64_t address, uint64_t len, struct reach *to)
{
    uint32_t size = w->launch->function->ptx->param_bytes;
    if (address > size || len > size - address) {
        return false;
    }
    *to = (struct reach){.data = (uint8_t *)w->launch->params + address, .read_only = true};
    return true;
}

static bool reach(struct emu_warp *w, unsigned lane, enum cmpd_ptx_space space, uint64_t address,
                  uint64_t len, struct reach *to)
{
    switch (space) {
    case CMPD_PTX_SPACE_SHARED:
        return reach_shared(w, address, len, to);
    case CMPD_PTX_SPACE_LOCAL:
        return reach_local(w, lane, address, len, to);
    case CMPD_PTX_SPACE_PARAM:
        return reach_param(w, address, len, to);
    default:
        return reach_global(w, address, len, to);
    }
}

static struct emu_racer *racer_for(struct access *a, const struct reach *to)
{
    bool shared = to->region == NULL;
    if (!a->racing || a->racer.shared != shared) {
        if (a->racing) {
            emu_racer_end(&a->racer);
        }
        emu_racer_begin(&a->racer, a->w, a->in, shared);
        a->racing = true;
    }
    a->racer.region = to->region;
    a->racer.slot = to->slot;
    return &a->racer;
}

static void finish(struct access *a)
{
    if (a->racing) {
        emu_racer_end(&a->racer);
    }
}

/* ---- faults ---- */

static void stop(struct emu_warp *w)
{
    w->launch->stop = true;
    w->launch->end = CMPD_LAUNCH_FAULT;
}

/* A GPU ends a kernel where nothing is mapped; just outside an allocation it goes on. */
static void fault_outside(struct access *a, unsigned lane, const char *what, uint64_t address,
                          enum cmpd_ptx_space space)
{
    emu_report_outside(a->w, a->in, lane, what, a->bytes, address, space);
    if (space == CMPD_PTX_SPACE_GLOBAL || space == CMPD_PTX_SPACE_CONST) {
        const struct emu_region *r = emu_memory_find(a->w->launch->device->memory, address);
        if (r == NULL || !r->live) {
            stop(a->w);
        }
    }
}

static void fault_misaligned(struct access *a, unsigned lane, const char *what, uint64_t address)
{
    emu_report(a->w, a->in, lane, CMPD_TAG_misaligned_access, false,
               "%s of %u bytes at address 0x%llx, which is not a multiple of %u", what, a->bytes,
               (unsigned long long)address, a->bytes);
    stop(a->w);
}

/* One lane; false: reported. */
static bool reach_lane(struct access *a, unsigned lane, enum cmpd_ptx_space space, uint64_t address,
                       const char *what, struct reach *to)
{
    uint64_t at = address;
    enum cmpd_ptx_space where = resolve(space, &at);
    if (at & (a->bytes - 1)) {
        fault_misaligned(a, lane, what, address);
        return false;
    }
    if (!reach(a->w, lane, where, at, a->bytes, to)) {
        fault_outside(a, lane, what, at, where);
        return false;
    }
    return true;
}

/* ---- runs ---- */

struct run {
    unsigned lane, lanes;
    bool same; /* all lanes at one address */
};

/* How the addresses of a warp go on, worked out once: bit l: lane l + 1 is this far behind lane l. */
struct pattern {
    uint32_t next, same;
};

/* Without branches, so that it becomes vector code. Lanes outside the mask hold anything. */
static uint32_t steps(const uint64_t *address, uint64_t step)
{
    uint64_t bits = 0;
    for (unsigned l = 0; l + 1 < EMU_LANES; l++) {
        uint64_t differs = (address[l + 1] - address[l]) ^ step;
        bits |= differs == 0 ? (uint64_t)1 << l : 0;
    }
    return (uint32_t)bits;
}

static struct pattern pattern_of(uint32_t mask, const uint64_t *address, unsigned bytes,
                                 bool may_same)
{
    uint32_t both = mask & mask >> 1; /* lane l and lane l + 1 take part */
    struct pattern p = {0};
    if (both != 0) {
        p.next = steps(address, bytes) & both;
        p.same = may_same && p.next != both ? steps(address, 0) & both : 0;
    }
    return p;
}

static unsigned ones_from(uint32_t bits, unsigned l)
{
    uint32_t rest = ~(bits >> l);
    return rest != 0 ? (unsigned)__builtin_ctz(rest) : EMU_LANES;
}

static struct run next_run(const struct pattern *p, uint32_t mask)
{
    unsigned l = (unsigned)__builtin_ctz(mask);
    bool same = p->same >> l & 1;
    return (struct run){
        .lane = l,
        .lanes = 1 + ones_from(same ? p->same : p->next, l),
        .same = same,
    };
}

static uint32_t run_mask(const struct run *r)
{
    return (uint32_t)(((uint64_t)1 << r->lanes) - 1) << r->lane;
}

/* Fits in one region, aligned? Otherwise lane by lane. */
static bool reach_run(struct access *a, const struct run *r, enum cmpd_ptx_space space,
                      uint64_t address, struct reach *to)
{
    uint64_t at = address;
    enum cmpd_ptx_space where = resolve(space, &at);
    uint64_t len = r->same ? a->bytes : (uint64_t)r->lanes * a->bytes;
    return where != CMPD_PTX_SPACE_LOCAL && (at & (a->bytes - 1)) == 0 &&
           reach(a->w, r->lane, where, at, len, to);
}

static bool all_written(const uint8_t *shadow, size_t n)
{
    size_t i = 0;
    uint64_t bad = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t x;
        memcpy(&x, shadow + i, 8);
        bad |= x ^ 0x0101010101010101ull * EMU_WRITTEN;
    }
    for (; i < n; i++) {
        bad |= shadow[i] ^ EMU_WRITTEN;
    }
    return bad == 0;
}

/* Which of a lane's bytes are undefined; a byte in flight is a fault of its own. */
static uint32_t undefined_bytes(struct access *a, unsigned lane, const uint8_t *shadow)
{
    uint32_t bits = 0;
    bool pending = false;
    for (unsigned i = 0; i < a->bytes; i++) {
        bool flies = shadow[i] == EMU_PENDING; /* a fault of its own, told once */
        bits |= (uint32_t)(shadow[i] != EMU_WRITTEN && !flies) << i;
        pending |= flies;
    }
    if (pending) {
        emu_report(a->w, a->in, lane, CMPD_TAG_missing_async_wait, false,
                   "read of %u bytes that an asynchronous copy is still writing: its wait is "
                   "missing",
                   a->bytes);
    }
    return bits;
}

/* ---- loads ---- */

/* For emu_load_origin: who stored the undefined value that is read here. */
static void remember_store(const struct access *a, const struct reach *to, uint64_t at,
                           const uint8_t *shadow)
{
    struct emu_memory *m = a->w->launch->device->memory;
    const uint8_t *tainted = memchr(shadow, EMU_TAINTED, a->bytes);
    m->loaded_from = 0;
    if (tainted != NULL && to->marks != NULL) {
        m->loaded_from = emu_marks_writer(*to->marks,
                                          to->offset + at + (uint64_t)(tainted - shadow));
    }
}

static uint32_t load_shadow(struct access *a, const struct run *r, const struct reach *to,
                            uint32_t *undefined)
{
    size_t len = r->same ? a->bytes : (size_t)r->lanes * a->bytes;
    if (to->shadow == NULL || all_written(to->shadow, len)) {
        return 0;
    }
    uint32_t lanes = 0;
    for (unsigned l = 0; l < r->lanes; l++) {
        const uint8_t *shadow = to->shadow + (r->same ? 0 : (size_t)l * a->bytes);
        uint32_t bits = undefined_bytes(a, r->lane + l, shadow);
        if (bits != 0 && lanes == 0) {
            remember_store(a, to, (r->same ? 0 : (uint64_t)l * a->bytes), shadow);
        }
        if (bits != 0) {
            undefined[r->lane + l] = bits;
            lanes |= 1u << (r->lane + l);
        }
    }
    return lanes;
}

/* One value for all lanes of the run. */
static void load_same(unsigned bytes, unsigned lanes, const uint8_t *from, uint8_t *to)
{
    if (bytes == 4) {
        uint32_t v;
        memcpy(&v, from, 4);
        for (unsigned l = 0; l < lanes; l++) {
            memcpy(to + (size_t)l * 4, &v, 4);
        }
        return;
    }
    for (unsigned l = 0; l < lanes; l++) {
        memcpy(to + (size_t)l * bytes, from, bytes);
    }
}

static void load_data(const struct access *a, const struct run *r, const struct reach *to,
                      uint8_t *out)
{
    uint8_t *at = out + (size_t)r->lane * a->bytes;
    if (r->same) {
        load_same(a->bytes, r->lanes, to->data, at);
    } else if (r->lanes == 1 && a->bytes == 4) {
        memcpy(at, to->data, 4); /* the usual scattered access: no call */
    } else {
        memcpy(at, to->data, (size_t)r->lanes * a->bytes);
    }
}

static uint32_t load_run(struct access *a, const struct run *r, const struct reach *to,
                         uint8_t *out, uint32_t *undefined)
{
    if (to->marks != NULL) {
        struct emu_racer *racer = racer_for(a, to);
        if (r->same) {
            emu_race_read_same(racer, to->marks, to->size, to->offset, r->lane, r->lanes, a->bytes);
        } else {
            emu_race_read(racer, to->marks, to->size, to->offset, r->lane, r->lanes, a->bytes);
        }
    }
    load_data(a, r, to, out);
    return load_shadow(a, r, to, undefined);
}

static uint32_t load_lane(struct access *a, unsigned lane, enum cmpd_ptx_space space,
                          uint64_t address, uint8_t *out, uint32_t *undefined)
{
    struct reach to;
    if (!reach_lane(a, lane, space, address, "read", &to)) {
        memset(out + (size_t)lane * a->bytes, 0, a->bytes);
        return 0;
    }
    struct run one = {.lane = lane, .lanes = 1};
    return load_run(a, &one, &to, out, undefined);
}

uint32_t emu_load(struct emu_warp *w, const struct emu_ins *in, uint32_t mask,
                  const uint64_t *address, unsigned bytes, enum cmpd_ptx_space space, uint8_t *out,
                  uint32_t *undefined)
{
    struct access a = {.w = w, .in = in, .bytes = bytes};
    const struct pattern p = pattern_of(mask, address, bytes, true);
    uint32_t lanes = 0;
    w->launch->device->memory->loaded_from = 0;
    while (mask != 0) {
        struct run r = next_run(&p, mask);
        struct reach to;
        if (reach_run(&a, &r, space, address[r.lane], &to)) {
            lanes |= load_run(&a, &r, &to, out, undefined);
        } else {
            for (unsigned l = r.lane; l < r.lane + r.lanes; l++) {
                lanes |= load_lane(&a, l, space, address[l], out, undefined);
            }
        }
        mask &= ~run_mask(&r);
    }
    finish(&a);
    return lanes;
}

/* ---- stores ---- */

static void taint_bytes(uint8_t *shadow, uint32_t undefined, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        if (undefined >> i & 1) {
            shadow[i] = EMU_TAINTED;
        }
    }
}

static void store_shadow(struct access *a, const struct run *r, struct reach *to,
                         uint32_t undefined_lanes, const uint32_t *undefined)
{
    undefined_lanes &= run_mask(r);
    if (undefined_lanes != 0 && to->region != NULL && to->region->defined && !to->region->host) {
        emu_region_shadow(to->region);
        to->shadow = to->region->shadow + to->offset;
    }
    if (to->shadow != NULL) {
        memset(to->shadow, EMU_WRITTEN, (size_t)r->lanes * a->bytes);
    }
    for (uint32_t q = undefined_lanes; q != 0; q &= q - 1) {
        unsigned lane = (unsigned)__builtin_ctz(q);
        uint64_t at = (uint64_t)(lane - r->lane) * a->bytes;
        if (to->shadow != NULL) {
            taint_bytes(to->shadow + at, undefined[lane], a->bytes);
        }
        if (to->region != NULL) {
            emu_memory_tainted(a->w, a->in, lane, to->region, to->offset + at,
                               undefined[lane] == UINT32_MAX >> (32 - a->bytes));
        }
    }
}

static void store_pending(struct access *a, const struct run *r, const struct reach *to)
{
    size_t len = (size_t)r->lanes * a->bytes;
    if (to->shadow != NULL && to->region == NULL && memchr(to->shadow, EMU_PENDING, len) != NULL) {
        emu_report(a->w, a->in, r->lane, CMPD_TAG_missing_async_wait, false,
                   "write of %u bytes that an asynchronous copy is still writing: its wait is "
                   "missing",
                   a->bytes);
    }
}

static void store_run(struct access *a, const struct run *r, struct reach *to,
                      const uint8_t *values, uint32_t undefined_lanes, const uint32_t *undefined)
{
    const uint8_t *from = values + (size_t)r->lane * a->bytes;
    size_t len = (size_t)r->lanes * a->bytes;
    if (to->marks != NULL) {
        emu_race_write(racer_for(a, to), to->marks, to->size, to->offset, r->lane, r->lanes,
                       a->bytes, to->data, from);
        store_pending(a, r, to);
    }
    if (memcmp(to->data, from, len) != 0) {
        memcpy(to->data, from, len);
        a->w->launch->writes++;
    }
    store_shadow(a, r, to, undefined_lanes, undefined);
}

static void store_lane(struct access *a, unsigned lane, enum cmpd_ptx_space space, uint64_t address,
                       const uint8_t *values, uint32_t undefined_lanes, const uint32_t *undefined)
{
    struct reach to;
    if (!reach_lane(a, lane, space, address, "write", &to)) {
        return;
    }
    if (to.read_only) {
        fault_outside(a, lane, "write", address, CMPD_PTX_SPACE_PARAM);
        return;
    }
    struct run one = {.lane = lane, .lanes = 1};
    store_run(a, &one, &to, values, undefined_lanes, undefined);
}

void emu_store(struct emu_warp *w, const struct emu_ins *in, uint32_t mask, const uint64_t *address,
               unsigned bytes, enum cmpd_ptx_space space, const uint8_t *values,
               uint32_t undefined_lanes, const uint32_t *undefined)
{
    struct access a = {.w = w, .in = in, .bytes = bytes};
    const struct pattern p = pattern_of(mask, address, bytes, false);
    while (mask != 0) {
        struct run r = next_run(&p, mask);
        struct reach to;
        if (reach_run(&a, &r, space, address[r.lane], &to) && !to.read_only) {
            store_run(&a, &r, &to, values, undefined_lanes, undefined);
        } else {
            for (unsigned l = r.lane; l < r.lane + r.lanes; l++) {
                store_lane(&a, l, space, address[l], values, undefined_lanes, undefined);
            }
        }
        mask &= ~run_mask(&r);
    }
    finish(&a);
}

/* ---- one lane ---- */

static const char *access_name(enum emu_access access)
{
    return access == EMU_READ ? "read" : access == EMU_WRITE ? "write" : "atomic operation";
}

static void race_lane(struct access *a, unsigned lane, const struct reach *to,
                      enum emu_access access, const void *value)
{
    struct emu_racer *r = racer_for(a, to);
    switch (access) {
    case EMU_READ:
        emu_race_read(r, to->marks, to->size, to->offset, lane, 1, a->bytes);
        break;
    case EMU_WRITE:
        emu_race_write(r, to->marks, to->size, to->offset, lane, 1, a->bytes,
                       value != NULL ? to->data : NULL, value);
        break;
    case EMU_ATOMIC:
        emu_race_atomic(r, to->marks, to->size, to->offset, lane, a->bytes);
        break;
    }
}

/* The shadow that the caller may read and change, where the region keeps none. */
static uint8_t *shadow_for_caller(const struct reach *to)
{
    if (to->shadow != NULL) {
        return to->shadow;
    }
    memset(scratch_shadow, EMU_WRITTEN, sizeof scratch_shadow);
    return scratch_shadow;
}

bool emu_access(struct emu_warp *w, const struct emu_ins *in, unsigned lane, uint64_t address,
                unsigned size, enum cmpd_ptx_space space, enum emu_access access, const void *value,
                struct emu_bytes *out)
{
    struct access a = {.w = w, .in = in, .bytes = size};
    struct reach to;
    bool ok = reach_lane(&a, lane, space, address, access_name(access), &to);
    if (ok && to.read_only && access != EMU_READ) {
        fault_outside(&a, lane, access_name(access), address, CMPD_PTX_SPACE_PARAM);
        ok = false;
    }
    if (!ok) {
        memset(scratch_data, 0, sizeof scratch_data);
        memset(scratch_shadow, EMU_WRITTEN, sizeof scratch_shadow);
        *out = (struct emu_bytes){.data = scratch_data, .shadow = scratch_shadow};
        return false;
    }
    if (to.marks != NULL) {
        race_lane(&a, lane, &to, access, value);
    }
    /* What an atomic operation adds may be undefined: then the place has to keep that. */
    if (access == EMU_ATOMIC && w->tainted && to.region != NULL && to.region->defined &&
        !to.region->host) {
        emu_region_shadow(to.region);
        to.shadow = to.region->shadow + to.offset;
    }
    out->data = to.data;
    out->shadow = shadow_for_caller(&to);
    if (to.region == NULL && memchr(out->shadow, EMU_PENDING, size) != NULL) {
        undefined_bytes(&a, lane, out->shadow);
    }
    finish(&a);
    return true;
}

/* ---- asynchronous copies ---- */

bool emu_store_pending(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                       uint64_t address, unsigned bytes)
{
    struct access a = {.w = w, .in = in, .bytes = bytes};
    struct reach to;
    if (!reach_lane(&a, lane, CMPD_PTX_SPACE_SHARED, address, "asynchronous write", &to)) {
        return false;
    }
    emu_race_write(racer_for(&a, &to), to.marks, to.size, to.offset, lane, 1, bytes, NULL, NULL);
    finish(&a);
    memset(to.shadow, EMU_PENDING, bytes);
    return true;
}

void emu_store_arrived(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                       uint64_t address, unsigned bytes, const uint8_t *value, uint32_t undefined)
{
    struct access a = {.w = w, .in = in, .bytes = bytes};
    struct reach to;
    if (!reach_shared(w, address, bytes, &to)) {
        return;
    }
    emu_race_write(racer_for(&a, &to), to.marks, to.size, to.offset, lane, 1, bytes, NULL, NULL);
    finish(&a);
    memcpy(to.data, value, bytes);
    for (unsigned i = 0; i < bytes; i++) {
        to.shadow[i] = undefined >> i & 1 ? EMU_TAINTED : EMU_WRITTEN;
    }
    w->launch->writes++;
}
