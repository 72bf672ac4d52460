/* Where bytes came from: the store that left them, and the load of unwritten memory behind an undefined value. */
#include "gpu-runner/emulator/report.h"

#include "analysis/base/alloc.h"

struct emu_kept {
    const void *key;
    void *room; /* owned */
};

void *emu_memory_keep(struct emu_memory *m, size_t bytes, const void *key)
{
    for (size_t i = 0; i < m->kept_count; i++) {
        if (m->kept[i].key == key) {
            return m->kept[i].room;
        }
    }
    CMPD_GROW(m->kept, m->kept_count + 1, m->kept_cap);
    void *room = cmpd_calloc(1, bytes ? bytes : 1);
    m->kept[m->kept_count++] = (struct emu_kept){.key = key, .room = room};
    return room;
}

void emu_provenance_clear(struct emu_memory *m)
{
    for (size_t i = 0; i < m->kept_count; i++) {
        free(m->kept[i].room);
    }
    free(m->kept);
    free(m->origins);
}

static uint32_t origin_of(const struct emu_memory *m, uint32_t store)
{
    for (size_t i = 0; i < m->origin_count; i++) {
        if (m->origins[i].store == store) {
            return m->origins[i].load;
        }
    }
    return 0;
}

void emu_store_origin(struct emu_warp *w, const struct emu_ins *in, uint32_t origin)
{
    struct emu_memory *m = w->launch->device->memory;
    uint32_t store = emu_place_make(w->launch->module->index, in->ptx);
    if (origin == EMU_NO_INS || m->origin_count >= EMU_ORIGINS_CEILING ||
        origin_of(m, store) != 0) {
        return;
    }
    CMPD_GROW(m->origins, m->origin_count + 1, m->origin_cap);
    m->origins[m->origin_count++] = (struct emu_origin){
        .store = store,
        .load = emu_place_make(w->launch->module->index, origin),
    };
}

static uint32_t place_at(const struct emu_marks *marks, uint64_t offset)
{
    if (marks == NULL) {
        return 0;
    }
    size_t i = (size_t)(offset >> marks->shift);
    uint32_t place = marks->write.place[i];
    if (marks->strong.stamp != NULL && marks->strong.place[i] != 0 &&
        (place == 0 || marks->strong.stamp[i] > marks->write.stamp[i])) {
        place = marks->strong.place[i];
    }
    return place;
}

uint32_t emu_memory_writer(const struct emu_memory *m, uint64_t address)
{
    const struct emu_region *r = emu_memory_range(m, address, 1);
    return r != NULL ? place_at(r->marks, address - r->base) : 0;
}

static const char *kernel_of(const struct cmpd_ptx_module *ptx, uint32_t ins)
{
    for (uint32_t i = 0; i < ptx->function_count; i++) {
        const struct cmpd_ptx_function *f = &ptx->functions[i];
        if (f->defined && ins >= f->first && ins - f->first < f->count) {
            return f->name;
        }
    }
    return NULL;
}

static void add_undefined(struct emu_memory *m, const struct emu_region *r, uint64_t offset,
                          uint32_t store, struct cmpd_sightings *sightings)
{
    uint32_t load = store != 0 ? origin_of(m, store) : 0;
    uint32_t place = load != 0 ? load : store;
    char text[256], message[512];
    emu_region_text(r, text, sizeof text);
    struct emu_source s = {0};
    const char *kernel = NULL;
    if (place != 0) {
        const struct cmpd_ptx_module *ptx = m->device->modules[emu_place_module(place)]->ptx;
        s = emu_source_of(ptx, emu_place_ptx(place));
        kernel = kernel_of(ptx, emu_place_ptx(place));
    }
    snprintf(message, sizeof message,
             "memory that nobody wrote was read here, and the value reached offset %llu of %s",
             (unsigned long long)offset, text);
    struct cmpd_sighting what = {
        .tag = CMPD_TAG_uninitialized_read,
        .file = (char *)s.file,
        .line = s.file != NULL ? s.line : 0,
        .outer_file = (char *)s.outer_file,
        .outer_line = s.outer_line,
        .kernel = (char *)kernel,
        .message = message,
        .times = 1,
    };
    cmpd_sightings_add(sightings, &what);
}

cmpd_rc emu_memory_undefined(struct emu_memory *m, uint64_t from, size_t len,
                             struct cmpd_sightings *sightings, struct cmpd_err *err)
{
    struct emu_region *r = emu_memory_range(m, from, len);
    if (r == NULL) {
        return cmpd_err_set(err, CMPD_EINPUT, "%zu bytes at 0x%llx are no device memory", len,
                            (unsigned long long)from);
    }
    uint32_t last = UINT32_MAX;
    uint64_t offset = from - r->base;
    for (size_t i = 0; !r->defined && i < len; i++) {
        const uint8_t *hit = memchr(r->shadow + offset + i, EMU_TAINTED, len - i);
        if (hit == NULL) {
            break;
        }
        i = (size_t)(hit - (r->shadow + offset));
        uint32_t store = place_at(r->marks, offset + i);
        if (store != last) {
            add_undefined(m, r, offset + i, store, sightings);
            last = store;
        }
    }
    return CMPD_OK;
}
