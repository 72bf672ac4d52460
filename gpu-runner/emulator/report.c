/* Sightings of the emulated device: one for each place and kind, in words that name thread, block and memory. */
#include "gpu-runner/emulator/report.h"

#include <stdarg.h>

#include "analysis/base/alloc.h"

#define TEXT_BYTES 256

/* Places of this launch that have a sighting; a hash with open addressing that never fills. */
#define SEEN_SLOTS 4096u

struct seen {
    uint64_t key; /* 0: free */
    size_t item;  /* in the launch's sightings */
};

struct emu_reports {
    struct seen seen[SEEN_SLOTS];
    size_t used;
    uint64_t launch_serial;
};

struct emu_reports *emu_reports_new(void)
{
    return cmpd_calloc(1, sizeof(struct emu_reports));
}

void emu_reports_free(struct emu_reports *r)
{
    free(r);
}

static uint64_t key_of(const struct emu_launch *l, uint32_t ptx, enum cmpd_tag tag, bool note)
{
    return ((uint64_t)tag << 1 | note) << 48 | emu_place_make(l->module->index, ptx);
}

static struct seen *seen_slot(struct emu_launch *l, uint64_t key)
{
    struct emu_reports *r = l->device->memory->reports;
    if (r->launch_serial != l->serial) {
        memset(r, 0, sizeof *r);
        r->launch_serial = l->serial;
    }
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 52) % SEEN_SLOTS;
    while (r->seen[i].key != 0 && r->seen[i].key != key) {
        i = (i + 1) % SEEN_SLOTS;
    }
    return &r->seen[i];
}

static bool count_again(struct emu_launch *l, uint32_t ptx, enum cmpd_tag tag, bool note)
{
    struct seen *s = seen_slot(l, key_of(l, ptx, tag, note));
    if (s->key == 0) {
        /* Full of sightings as well: what is new now is dropped, for it was never shown to have an end. */
        return l->device->memory->reports->used >= SEEN_SLOTS / 2;
    }
    if (s->item < l->sightings->count) {
        l->sightings->items[s->item].times++;
    }
    return true;
}

bool emu_report_again(struct emu_warp *w, const struct emu_ins *in, enum cmpd_tag tag, bool note)
{
    return count_again(w->launch, in->ptx, tag, note);
}

/* ---- places ---- */

/* Where toolkits, their Python and Debian packages and gcc keep headers. A project's own include/cuda isn't among them. */
static bool is_toolkit(const char *file)
{
    static const char *const starts[] = {"/usr/include/", "/usr/lib/gcc/", "/usr/local/cuda",
                                         "/opt/cuda"};
    static const char *const parts[] = {"/targets/", "-packages/nvidia/", "/nvidia-cuda-toolkit/"};
    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (strncmp(file, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *at = strstr(file, parts[i]);
        if (at != NULL && strstr(at, "/include/") != NULL) {
            return true;
        }
    }
    return false;
}

static const char *file_of(const struct cmpd_ptx_module *m, const struct cmpd_ptx_loc *l)
{
    return l->file < m->file_count ? m->files[l->file] : NULL;
}

struct emu_source emu_source_of(const struct cmpd_ptx_module *m, uint32_t ptx)
{
    struct emu_source out = {0};
    if (ptx >= m->ins_count || m->ins[ptx].loc >= m->loc_count) {
        return out;
    }
    const struct cmpd_ptx_loc *l = &m->locs[m->ins[ptx].loc];
    while (is_toolkit(file_of(m, l)) && l->inlined_at < m->loc_count) {
        l = &m->locs[l->inlined_at];
    }
    out.file = file_of(m, l);
    out.line = l->line;
    const struct cmpd_ptx_loc *outer = l;
    while (outer->inlined_at < m->loc_count) {
        outer = &m->locs[outer->inlined_at];
    }
    if (outer != l) {
        out.outer_file = file_of(m, outer);
        out.outer_line = outer->line;
    }
    return out;
}

void emu_place_text(const struct emu_module *m, uint32_t ptx, char *out, size_t cap)
{
    struct emu_source s = emu_source_of(m->ptx, ptx);
    if (s.file == NULL) {
        snprintf(out, cap, "an unknown place");
    } else {
        const char *slash = strrchr(s.file,
                                    '/'); /* where the object was compiled is nobody's concern */
        snprintf(out, cap, "%s:%u", slash != NULL ? slash + 1 : s.file, s.line);
    }
}

/* ---- who ---- */

static void thread_text(const struct emu_launch *l, uint32_t thread, char *out, size_t cap)
{
    const uint32_t *b = l->block;
    snprintf(out, cap, "thread (%u,%u,%u)", thread % b[0], thread / b[0] % b[1],
             thread / (b[0] * b[1]));
}

static void block_text(const struct emu_launch *l, uint64_t linear, char *out, size_t cap)
{
    const uint64_t x = l->grid[0], y = l->grid[1];
    snprintf(out, cap, "block (%llu,%llu,%llu)", (unsigned long long)(linear % x),
             (unsigned long long)(linear / x % y), (unsigned long long)(linear / (x * y)));
}

void emu_who_text(const struct emu_warp *w, unsigned lane, char *out, size_t cap)
{
    char thread[64], block[96];
    thread_text(w->launch, w->index * EMU_LANES + lane, thread, sizeof thread);
    block_text(w->launch, w->block->linear, block, sizeof block);
    snprintf(out, cap, "; %s of %s", thread, block);
}

void emu_region_text(const struct emu_region *r, char *out, size_t cap)
{
    const char *freed = r->live ? "" : "freed ";
    const char *kind = r->kind == CMPD_MEMORY_MANAGED  ? "managed "
                       : r->kind == CMPD_MEMORY_PINNED ? "pinned "
                                                       : "";
    if (r->kind == CMPD_MEMORY_SYMBOL) {
        char name[TEXT_BYTES];
        emu_demangle(r->name, name, sizeof name);
        snprintf(out, cap, "variable '%s' of %llu bytes", name, (unsigned long long)r->size);
    } else if (r->name != NULL) {
        snprintf(out, cap, "%s%s (%llu bytes)", freed, r->name, (unsigned long long)r->size);
    } else {
        snprintf(out, cap, "%s%sallocation #%u of %llu bytes", freed, kind, r->number,
                 (unsigned long long)r->size);
    }
}

void emu_shared_text(const struct emu_warp *w, uint32_t slot, char *out, size_t cap)
{
    const struct emu_module *m = w->launch->module;
    uint32_t size = w->block->shared[slot].size;
    uint32_t variable = slot > 1 ? m->shared_variable[slot] : CMPD_PTX_NONE;
    if (variable == CMPD_PTX_NONE) {
        snprintf(out, cap, "the dynamic shared memory of %u bytes", size);
        return;
    }
    char name[TEXT_BYTES];
    emu_demangle(m->ptx->variables[variable].name, name, sizeof name);
    snprintf(out, cap, "shared variable '%s' of %u bytes", name, size);
}

/* ---- sightings ---- */

static struct cmpd_sighting *add(struct emu_launch *l, uint32_t ptx, enum cmpd_tag tag, bool note,
                                 const char *message)
{
    struct emu_source place = emu_source_of(l->module->ptx, ptx);
    struct cmpd_sighting what = {
        .tag = tag,
        .file = (char *)place.file,
        .line = place.file != NULL ? place.line : 0,
        .outer_file = (char *)place.outer_file,
        .outer_line = place.outer_line,
        .kernel = (char *)l->function->ptx->name,
        .message = (char *)message,
        .note = note,
        .times = 1,
    };
    struct cmpd_sighting *s = cmpd_sightings_add(l->sightings, &what);
    struct seen *seen = seen_slot(l, key_of(l, ptx, tag, note));
    if (seen->key == 0) {
        seen->key = key_of(l, ptx, tag, note);
        l->device->memory->reports->used++;
    }
    seen->item = s != NULL ? (size_t)(s - l->sightings->items) : SIZE_MAX;
    return s;
}

__attribute__((format(printf, 6, 0))) static struct cmpd_sighting *report_v(
    struct emu_launch *l, uint32_t ptx, enum cmpd_tag tag, bool note, const char *tail,
    const char *fmt, va_list ap)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_buf_vprintf(&text, fmt, ap);
    cmpd_buf_puts(&text, tail);
    return add(l, ptx, tag, note, cmpd_buf_str(&text));
}

struct cmpd_sighting *emu_report(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                                 enum cmpd_tag tag, bool note, const char *fmt, ...)
{
    struct emu_launch *l = w->launch;
    if (count_again(l, in->ptx, tag, note)) {
        return NULL;
    }
    char tail[EMU_WHO_BYTES];
    emu_who_text(w, lane, tail, sizeof tail);
    va_list ap;
    va_start(ap, fmt);
    struct cmpd_sighting *s = report_v(l, in->ptx, tag, note, tail, fmt, ap);
    va_end(ap);
    return s;
}

struct cmpd_sighting *emu_report_at(struct emu_launch *l, uint32_t ptx, enum cmpd_tag tag,
                                    bool note, const char *fmt, ...)
{
    uint32_t at = ptx == EMU_NO_INS ? l->function->ptx->first : ptx;
    if (count_again(l, at, tag, note)) {
        return NULL;
    }
    va_list ap;
    va_start(ap, fmt);
    struct cmpd_sighting *s = report_v(l, at, tag, note, "", fmt, ap);
    va_end(ap);
    return s;
}

/* ---- races ---- */

static void other_text(const struct emu_racer *r, const struct emu_race_party *other, char *out,
                       size_t cap)
{
    struct emu_launch *l = r->w->launch;
    const struct emu_interval *i = emu_race_interval(r->race, other->stamp);
    char thread[64] = "another thread", block[96] = "", place[TEXT_BYTES + 64];
    if (i != NULL) {
        thread_text(l, i->warp * EMU_LANES + other->stamp % EMU_LANES, thread, sizeof thread);
        if (i->block_serial != r->w->block->serial) {
            block_text(l, i->block, block, sizeof block);
        }
    }
    emu_place_text(l->module, emu_place_ptx(other->place), place, sizeof place);
    const char *several = (other->stamp & EMU_STAMP_MORE) ? "threads of the warp of " : "";
    snprintf(out, cap, "the %s by %s%s%s%s at %s", other->what, several, thread,
             block[0] ? " of " : "", block, place);
}

static void race_text(const struct emu_racer *r, const char *what, unsigned bytes, uint64_t offset,
                      const struct emu_race_party *other, char *out, size_t cap)
{
    char party[2 * TEXT_BYTES], memory[TEXT_BYTES];
    other_text(r, other, party, sizeof party);
    if (r->shared) {
        emu_shared_text(r->w, r->slot, memory, sizeof memory);
    } else {
        emu_region_text(r->region, memory, sizeof memory);
    }
    snprintf(out, cap, "%s of %u byte%s at offset %llu of %s is not ordered after %s", what, bytes,
             bytes == 1 ? "" : "s", (unsigned long long)offset, memory, party);
}

char *emu_race_message(const struct emu_racer *r, unsigned lane, const char *what, unsigned bytes,
                       uint64_t offset, const struct emu_race_party *other)
{
    char text[4 * TEXT_BYTES], tail[EMU_WHO_BYTES];
    race_text(r, what, bytes, offset, other, text, sizeof text);
    emu_who_text(r->w, lane, tail, sizeof tail);
    return cmpd_asprintf("%s%s", text, tail);
}

void emu_report_race(const struct emu_racer *r, unsigned lane, const char *what, unsigned bytes,
                     uint64_t offset, const struct emu_race_party *other, bool note)
{
    if (emu_report_again(r->w, r->in, CMPD_TAG_data_race, note)) {
        return;
    }
    char text[4 * TEXT_BYTES];
    race_text(r, what, bytes, offset, other, text, sizeof text);
    emu_report(r->w, r->in, lane, CMPD_TAG_data_race, note, "%s", text);
}

/* ---- outside ---- */

static void outside_global(const struct emu_launch *l, uint64_t address, char *out, size_t cap)
{
    const struct emu_region *r = emu_memory_find(l->device->memory, address);
    if (r == NULL && address < 65536) {
        snprintf(out, cap, "at address 0x%llx: a null pointer", (unsigned long long)address);
    } else if (r == NULL) {
        snprintf(out, cap, "at address 0x%llx, which is no device memory (a host pointer?)",
                 (unsigned long long)address);
    } else {
        char text[TEXT_BYTES];
        emu_region_text(r, text, sizeof text);
        snprintf(out, cap, "at offset %lld of %s", (long long)(address - r->base), text);
    }
}

static bool shared_there(const struct emu_warp *w, uint64_t slot)
{
    return slot < w->launch->module->shared_slot_count && w->block->shared[slot].size > 0;
}

/* In the upper half of a slot it is nearer to the variable of the next one: a negative index. */
static void outside_shared(const struct emu_warp *w, uint64_t address, char *out, size_t cap)
{
    uint64_t slot = address >> EMU_SHARED_SLOT_BITS;
    int64_t offset = (int64_t)(address & ((1u << EMU_SHARED_SLOT_BITS) - 1));
    if (offset >= 1 << (EMU_SHARED_SLOT_BITS - 1) && shared_there(w, slot + 1)) {
        slot++;
        offset -= 1 << EMU_SHARED_SLOT_BITS;
    }
    if (!shared_there(w, slot)) {
        snprintf(out, cap, "at shared address 0x%llx, where the launch has no shared memory",
                 (unsigned long long)address);
        return;
    }
    char text[TEXT_BYTES];
    emu_shared_text(w, (uint32_t)slot, text, sizeof text);
    snprintf(out, cap, "at offset %lld of %s", (long long)offset, text);
}

void emu_report_outside(struct emu_warp *w, const struct emu_ins *in, unsigned lane,
                        const char *what, unsigned bytes, uint64_t address,
                        enum cmpd_ptx_space space)
{
    if (emu_report_again(w, in, CMPD_TAG_out_of_bounds, false)) {
        return;
    }
    char where[2 * TEXT_BYTES];
    switch (space) {
    case CMPD_PTX_SPACE_SHARED:
        outside_shared(w, address, where, sizeof where);
        break;
    case CMPD_PTX_SPACE_LOCAL:
        snprintf(where, sizeof where, "at offset %lld of the thread's %u bytes of local arrays",
                 (long long)address, w->top[lane]);
        break;
    case CMPD_PTX_SPACE_PARAM:
        snprintf(where, sizeof where, "at offset %llu of the kernel's %u bytes of parameters",
                 (unsigned long long)address, w->launch->function->ptx->param_bytes);
        break;
    default:
        outside_global(w->launch, address, where, sizeof where);
    }
    emu_report(w, in, lane, CMPD_TAG_out_of_bounds, false, "%s of %u byte%s %s", what, bytes,
               bytes == 1 ? "" : "s", where);
}
