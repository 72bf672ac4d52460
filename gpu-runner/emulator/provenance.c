/* Where bytes came from: the store that left them, and the load of unwritten memory behind an undefined value. */
#include "gpu-runner/emulator/report.h"
#include "gpu-runner/emulator/taint.h"

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
    for (size_t i = 0; i < m->origin_count; i++) {
        free(m->origins[i].copied);
    }
    free(m->kept);
    free(m->origins);
}

static struct emu_origin *origin_of(const struct emu_memory *m, uint32_t store)
{
    for (size_t i = 0; i < m->origin_count; i++) {
        if (m->origins[i].store == store) {
            return &m->origins[i];
        }
    }
    return NULL;
}

void emu_store_origin(struct emu_warp *w, const struct emu_ins *in, uint32_t origin)
{
    struct emu_memory *m = w->launch->device->memory;
    uint32_t store = emu_place_make(w->launch->module->index, in->ptx);
    bool computed = origin != EMU_NO_INS && (origin & EMU_ORIGIN_COMPUTED);
    struct emu_origin *known = origin_of(m, store);
    if (known != NULL) {
        known->computed |= computed;
        return;
    }
    if (origin == EMU_NO_INS || m->origin_count >= EMU_ORIGINS_CEILING) {
        return;
    }
    CMPD_GROW(m->origins, m->origin_count + 1, m->origin_cap);
    m->origins[m->origin_count++] = (struct emu_origin){
        .store = store,
        .load = emu_place_make(w->launch->module->index, emu_origin_ins(origin)),
        .computed = computed,
    };
}

static bool reads_own(const struct cmpd_ptx_ins *in)
{
    for (unsigned i = 0; i < in->mod_count; i++) {
        switch (in->mods[i]) {
        case CMPD_PTX_MOD_shared:
        case CMPD_PTX_MOD_shared_cta:
        case CMPD_PTX_MOD_local:
            return true;
        default:
            break;
        }
    }
    return false;
}

/* Can a report of this launch stand at that instruction? Another kernel's can't. */
static bool of_this_launch(const struct emu_launch *l, uint32_t place)
{
    if (emu_place_module(place) != l->module->index) {
        return false;
    }
    uint32_t ptx = emu_place_ptx(place);
    const struct cmpd_ptx_module *m = l->module->ptx;
    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct cmpd_ptx_function *f = &m->functions[i];
        if (f->defined && f->entry && ptx >= f->first && ptx - f->first < f->count) {
            return f == l->function->ptx;
        }
    }
    return true;
}

uint32_t emu_load_origin(const struct emu_warp *w, const struct emu_ins *in)
{
    const struct emu_memory *m = w->launch->device->memory;
    const struct emu_origin *o = m->loaded_from != 0 ? origin_of(m, m->loaded_from) : NULL;
    if (o == NULL || !of_this_launch(w->launch, o->load)) {
        return in->ptx;
    }
    return emu_place_ptx(o->load) | (o->computed ? EMU_ORIGIN_COMPUTED : 0);
}

struct emu_cause emu_cause_of(const struct emu_module *m, uint32_t ptx)
{
    const struct cmpd_ptx_ins *in = &m->ptx->ins[ptx];
    switch (in->op) {
    case CMPD_PTX_OP_div:
    case CMPD_PTX_OP_rem:
        return (struct emu_cause){.tag = CMPD_TAG_uninitialized_read,
                                  .computes = true,
                                  .text = "a division by zero gives no defined value here"};
    case CMPD_PTX_OP_shfl:
        return (struct emu_cause){.tag = CMPD_TAG_invalid_warp_mask,
                                  .computes = true,
                                  .text = "a lane that takes no part is asked for its value here"};
    default:
        return (struct emu_cause){.tag = CMPD_TAG_uninitialized_read,
                                  .own = reads_own(in),
                                  .text = "memory that nobody wrote is read here"};
    }
}

static char *tainted_message(const struct emu_warp *w, const struct emu_ins *in,
                             const struct emu_origin *o, const struct emu_region *r,
                             uint64_t offset)
{
    const struct emu_module *module = w->launch->module;
    char text[256], place[256];
    emu_region_text(r, text, sizeof text);
    emu_place_text(module, in->ptx, place, sizeof place);
    return cmpd_asprintf("%s, and %s is stored to offset %llu of %s at %s",
                         emu_cause_of(module, emu_place_ptx(o->load)).text,
                         o->computed ? "what is computed with it" : "a copy of it",
                         (unsigned long long)offset, text, place);
}

void emu_memory_tainted(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                        const struct emu_region *r, uint64_t offset, bool whole)
{
    struct emu_origin *o = origin_of(w->launch->device->memory,
                                     emu_place_make(w->launch->module->index, in->ptx));
    if (o == NULL) {
        return;
    }
    const struct emu_ins at = {.ptx = emu_place_ptx(o->load)};
    const struct emu_cause cause = emu_cause_of(w->launch->module, at.ptx);
    const bool computed = o->computed || cause.computes;
    const bool later = !computed && cause.own && whole;
    if (later && o->copied != NULL) {
        o->times++;
        return;
    }
    if (!later && emu_report_again(w, &at, cause.tag, !computed)) {
        return;
    }
    CMPD_AUTOFREE char *message = tainted_message(w, in, o, r, offset);
    if (!later) {
        emu_report(w, &at, lane, cause.tag, !computed, "%s", message);
        return;
    }
    char who[EMU_WHO_BYTES];
    emu_who_text(w, lane, who, sizeof who);
    o->copied = cmpd_asprintf("%s%s", message, who);
    o->address = r->base + offset;
    o->times = 1;
}

/* Does this instruction's store stand anywhere in the region with a value that is defined? */
static bool stored_defined_too(const struct emu_region *r, uint32_t store)
{
    const struct emu_marks *m = r->marks;
    if (m == NULL || r->defined) {
        return false;
    }
    uint64_t units = ((r->size - 1) >> m->shift) + 1;
    for (uint64_t i = 0; i < units; i++) {
        if (m->write.place[i] == store && r->shadow[i << m->shift] == EMU_WRITTEN) {
            return true;
        }
    }
    return false;
}

void emu_provenance_finish(struct emu_launch *l)
{
    struct emu_memory *m = l->device->memory;
    for (size_t i = 0; i < m->origin_count; i++) {
        struct emu_origin *o = &m->origins[i];
        if (o->copied == NULL) {
            continue;
        }
        const struct emu_region *r = emu_memory_range(m, o->address, 1);
        bool note = r == NULL || !stored_defined_too(r, o->store);
        struct cmpd_sighting *s = emu_report_at(l, emu_place_ptx(o->load),
                                                CMPD_TAG_uninitialized_read, note, "%s", o->copied);
        if (s != NULL) {
            s->times += o->times - 1;
        }
        free(o->copied);
        o->copied = NULL;
    }
}

uint32_t emu_marks_writer(const struct emu_marks *marks, uint64_t offset)
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
    return r != NULL ? emu_marks_writer(r->marks, address - r->base) : 0;
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
    const struct emu_origin *o = store != 0 ? origin_of(m, store) : NULL;
    uint32_t place = o != NULL ? o->load : store;
    char text[256], message[512];
    emu_region_text(r, text, sizeof text);
    struct emu_source s = {0};
    struct emu_cause cause = {.tag = CMPD_TAG_uninitialized_read,
                              .text = "memory that nobody wrote was read"};
    const char *kernel = NULL;
    if (place != 0) {
        const struct emu_module *module = m->device->modules[emu_place_module(place)];
        s = emu_source_of(module->ptx, emu_place_ptx(place));
        kernel = kernel_of(module->ptx, emu_place_ptx(place));
        cause = emu_cause_of(module, emu_place_ptx(place));
    }
    snprintf(message, sizeof message, "%s, and the value reached offset %llu of %s", cause.text,
             (unsigned long long)offset, text);
    struct cmpd_sighting what = {
        .tag = cause.tag,
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
        uint32_t store = emu_marks_writer(r->marks, offset + i);
        if (store != last) {
            add_undefined(m, r, offset + i, store, sightings);
            last = store;
        }
    }
    return CMPD_OK;
}
