/* Allocations of the emulated device, and what the host does to them. */
#include "gpu-runner/emulator/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/report.h"

/* From here on memory is mapped, so that what nobody touches costs nothing. */
#define MAPPED_BYTES      ((uint64_t)64 << 10)
/* Larger allocations get their pattern from a file that is mapped over and over, page by page on demand. */
#define POISON_FILE_BYTES ((uint64_t)16 << 20)
#define DEFAULT_LIMIT     ((uint64_t)4 << 30)
/* An allocation begins in the middle of its slot. */
#define LARGEST_BYTES     (CMPD_DEVICE_SLOT_BYTES / 2)

void *emu_pages_get(uint64_t bytes)
{
    if (bytes < MAPPED_BYTES) {
        return cmpd_calloc(bytes ? bytes : 1, 1);
    }
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void emu_pages_put(void *p, uint64_t bytes)
{
    if (p == NULL) {
        return;
    }
    if (bytes < MAPPED_BYTES) {
        free(p);
    } else {
        munmap(p, bytes);
    }
}

/* Zeros, without touching pages that were never there. */
static void pages_zero(void *p, uint64_t bytes, uint64_t offset, uint64_t len)
{
    uint8_t *at = (uint8_t *)p + offset;
    if (bytes >= MAPPED_BYTES && offset == 0 && len == bytes &&
        madvise(p, bytes, MADV_DONTNEED) == 0) {
        return;
    }
    memset(at, 0, len);
}

/* A file of POISON_FILE_BYTES full of this byte; -1: can't. */
static int poison_file(struct emu_memory *m, uint8_t pattern)
{
    for (int i = 0; i < 2; i++) {
        if (m->poison_fd[i] >= 0 && m->poison_byte[i] == pattern) {
            return m->poison_fd[i];
        }
    }
    int slot = m->poison_fd[0] < 0 ? 0 : 1;
    int fd = memfd_create("cmpd-pattern", MFD_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    void *p = MAP_FAILED;
    if (ftruncate(fd, (off_t)POISON_FILE_BYTES) == 0) {
        p = mmap(NULL, POISON_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (p == MAP_FAILED) {
        close(fd);
        return -1;
    }
    memset(p, pattern, POISON_FILE_BYTES);
    munmap(p, POISON_FILE_BYTES);
    if (m->poison_fd[slot] >= 0) {
        close(m->poison_fd[slot]);
    }
    m->poison_fd[slot] = fd;
    m->poison_byte[slot] = pattern;
    return fd;
}

static void fill_pattern(struct emu_memory *m, struct emu_region *r, uint64_t offset, uint64_t len,
                         uint8_t pattern)
{
    uint8_t *at = r->data + offset;
    int fd = len > POISON_FILE_BYTES && offset == 0 && !r->host ? poison_file(m, pattern) : -1;
    uint64_t done = 0;
    while (fd >= 0 && len - done >= POISON_FILE_BYTES) {
        void *p = mmap(at + done, POISON_FILE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0);
        if (p == MAP_FAILED) {
            break;
        }
        done += POISON_FILE_BYTES;
    }
    memset(at + done, pattern, len - done);
}

cmpd_rc emu_memory_open(struct emu_device *d, uint64_t limit_bytes, struct emu_memory **out,
                        struct cmpd_err *err)
{
    (void)err;
    struct emu_memory *m = cmpd_calloc(1, sizeof *m);
    m->slots = cmpd_calloc(CMPD_DEVICE_SLOT_COUNT, sizeof *m->slots);
    m->limit_bytes = limit_bytes ? limit_bytes : DEFAULT_LIMIT;
    m->poison_fd[0] = m->poison_fd[1] = -1;
    m->device = d;
    m->race = emu_race_new();
    m->reports = emu_reports_new();
    *out = m;
    return CMPD_OK;
}

static void region_clear(struct emu_region *r)
{
    if (r->host) {
        munmap(r->data, r->size ? r->size : 1);
    } else {
        emu_pages_put(r->data, r->size);
    }
    emu_pages_put(r->shadow, r->size);
    emu_marks_free(&r->marks);
    r->data = r->shadow = NULL;
    r->live = false;
}

void emu_memory_close(struct emu_memory *m)
{
    if (m == NULL) {
        return;
    }
    for (uint32_t i = 0; i < m->used; i++) {
        region_clear(&m->slots[i]);
        free(m->slots[i].name);
    }
    for (int i = 0; i < 2; i++) {
        if (m->poison_fd[i] >= 0) {
            close(m->poison_fd[i]);
        }
    }
    emu_provenance_clear(m);
    emu_race_free(m->race);
    emu_reports_free(m->reports);
    free(m->slots);
    free(m);
}

/* A slot that was never used; else the one that has been free for longest. */
static struct emu_region *slot_get(struct emu_memory *m)
{
    if (m->used < CMPD_DEVICE_SLOT_COUNT) {
        return &m->slots[m->used++];
    }
    for (uint32_t i = 0; i < CMPD_DEVICE_SLOT_COUNT; i++) {
        struct emu_region *r = &m->slots[m->oldest];
        m->oldest = (m->oldest + 1) % CMPD_DEVICE_SLOT_COUNT;
        if (!r->live) {
            free(r->name);
            return r;
        }
    }
    return NULL;
}

static uint8_t *map_shared(uint64_t bytes, int fd)
{
    void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool region_back(struct emu_memory *m, struct emu_region *r, int shared_fd)
{
    r->host = r->kind == CMPD_MEMORY_MANAGED || r->kind == CMPD_MEMORY_PINNED;
    if (r->host) {
        r->data = map_shared(r->size, shared_fd);
        r->defined = true;
        return r->data != NULL;
    }
    r->data = emu_pages_get(r->size);
    r->shadow = emu_pages_get(r->size);
    if (r->data == NULL || r->shadow == NULL) {
        return false;
    }
    if (r->kind == CMPD_MEMORY_SYMBOL) {
        r->defined = true;
    } else {
        fill_pattern(m, r, 0, r->size, EMU_FRESH_PATTERN);
    }
    return true;
}

cmpd_rc emu_memory_alloc(struct emu_device *d, uint64_t bytes, enum cmpd_memory_kind kind,
                         int shared_fd, const char *what, uint64_t *address, struct cmpd_err *err)
{
    struct emu_memory *m = d->memory;
    if (bytes > LARGEST_BYTES || bytes > m->limit_bytes - m->live_bytes) {
        return cmpd_err_set(err, CMPD_ELIMIT,
                            "%llu bytes more than the device's limit of %llu bytes allows "
                            "(%llu in use)",
                            (unsigned long long)bytes, (unsigned long long)m->limit_bytes,
                            (unsigned long long)m->live_bytes);
    }
    struct emu_region *r = slot_get(m);
    if (r == NULL) {
        return cmpd_err_set(err, CMPD_ELIMIT, "more than %u allocations at once",
                            CMPD_DEVICE_SLOT_COUNT);
    }
    uint64_t slot = (uint64_t)(r - m->slots);
    *r = (struct emu_region){
        .base = CMPD_DEVICE_BASE + (slot << CMPD_DEVICE_SLOT_BITS) + CMPD_DEVICE_SLOT_BYTES / 2,
        .size = bytes,
        .kind = (uint8_t)kind,
        .name = cmpd_strdup(what),
        .live = true,
    };
    if (!region_back(m, r, shared_fd)) {
        int e = errno;
        region_clear(r);
        return cmpd_err_set(err, CMPD_ELIMIT, "cannot map %llu bytes: %s",
                            (unsigned long long)bytes, strerror(e));
    }
    if (kind != CMPD_MEMORY_SYMBOL) {
        r->number = ++m->allocations;
    }
    m->live_bytes += bytes;
    *address = r->base;
    return CMPD_OK;
}

cmpd_rc emu_memory_free(struct emu_device *d, uint64_t address, struct cmpd_err *err)
{
    struct emu_memory *m = d->memory;
    struct emu_region *r = emu_memory_find(m, address);
    if (r == NULL) {
        return cmpd_err_set(err, CMPD_EINPUT, "free of 0x%llx, which is no device memory",
                            (unsigned long long)address);
    }
    char text[256];
    emu_region_text(r, text, sizeof text);
    if (!r->live) {
        return cmpd_err_set(err, CMPD_EINPUT, "second free of %s", text);
    }
    if (address != r->base) {
        return cmpd_err_set(err, CMPD_EINPUT, "free of an address at offset %lld of %s",
                            (long long)(address - r->base), text);
    }
    if (r->kind == CMPD_MEMORY_SYMBOL) {
        return cmpd_err_set(err, CMPD_EINPUT, "free of %s", text);
    }
    m->live_bytes -= r->size;
    region_clear(r);
    return CMPD_OK;
}

struct emu_region *emu_memory_range(const struct emu_memory *m, uint64_t address, uint64_t len)
{
    struct emu_region *r = emu_memory_find(m, address);
    if (r == NULL || !r->live || address < r->base || address - r->base > r->size ||
        len > r->size - (address - r->base)) {
        return NULL;
    }
    return r;
}

bool emu_memory_bytes(struct emu_device *d, uint64_t address, uint64_t len, struct emu_bytes *out)
{
    struct emu_region *r = emu_memory_range(d->memory, address, len);
    if (r == NULL) {
        return false;
    }
    if (r->shadow == NULL) {
        r->shadow = emu_pages_get(r->size);
    }
    if (r->shadow == NULL) {
        return false;
    }
    out->data = r->data + (address - r->base);
    out->shadow = r->shadow + (address - r->base);
    return true;
}

void emu_region_shadow(struct emu_region *r)
{
    if (!r->defined || r->host) {
        return;
    }
    memset(r->shadow, EMU_WRITTEN, r->size);
    r->defined = false;
}

void emu_memory_live(const struct emu_memory *m, uint64_t *count, uint64_t *bytes)
{
    *count = *bytes = 0;
    for (uint32_t i = 0; i < m->used; i++) {
        const struct emu_region *r = &m->slots[i];
        if (r->live && r->kind != CMPD_MEMORY_SYMBOL) {
            ++*count;
            *bytes += r->size;
        }
    }
}

/* The region, or an error that says how the range misses it. */
static cmpd_rc host_range(struct emu_memory *m, uint64_t address, uint64_t len,
                          struct emu_region **out, struct cmpd_err *err)
{
    struct emu_region *r = emu_memory_find(m, address);
    if (r == NULL) {
        return cmpd_err_set(err, CMPD_EINPUT, "%llu bytes at 0x%llx, which is no device memory%s",
                            (unsigned long long)len, (unsigned long long)address,
                            address < 65536 ? " (a null pointer)" : "");
    }
    if (emu_memory_range(m, address, len) == NULL) {
        char text[256];
        emu_region_text(r, text, sizeof text);
        return cmpd_err_set(err, CMPD_EINPUT, "%llu bytes at offset %lld of %s",
                            (unsigned long long)len, (long long)(address - r->base), text);
    }
    *out = r;
    return CMPD_OK;
}

/* These bytes now hold what the host knows. */
static void mark_written(struct emu_region *r, uint64_t offset, uint64_t len)
{
    if (r->defined) {
        return;
    }
    if (offset == 0 && len == r->size) {
        r->defined = true;
        return;
    }
    memset(r->shadow + offset, EMU_WRITTEN, len);
}

cmpd_rc emu_memory_write(struct emu_memory *m, uint64_t to, const void *from, size_t len,
                         struct cmpd_err *err)
{
    struct emu_region *r = NULL;
    cmpd_rc rc = host_range(m, to, len, &r, err);
    if (rc != CMPD_OK || len == 0) {
        return rc;
    }
    memcpy(r->data + (to - r->base), from, len);
    mark_written(r, to - r->base, len);
    return CMPD_OK;
}

cmpd_rc emu_memory_read(struct emu_memory *m, void *to, uint64_t from, size_t len,
                        struct cmpd_err *err)
{
    struct emu_region *r = NULL;
    cmpd_rc rc = host_range(m, from, len, &r, err);
    if (rc == CMPD_OK && len > 0) {
        memcpy(to, r->data + (from - r->base), len);
    }
    return rc;
}

static void copy_shadow(struct emu_region *to, uint64_t to_offset, const struct emu_region *from,
                        uint64_t from_offset, uint64_t len)
{
    if (from->defined) {
        mark_written(to, to_offset, len);
        return;
    }
    emu_region_shadow(to);
    if (!to->defined) {
        memmove(to->shadow + to_offset, from->shadow + from_offset, len);
    }
}

cmpd_rc emu_memory_copy(struct emu_memory *m, uint64_t to, uint64_t from, size_t len,
                        struct cmpd_err *err)
{
    struct emu_region *target = NULL, *source = NULL;
    cmpd_rc rc = host_range(m, to, len, &target, err);
    if (rc == CMPD_OK) {
        rc = host_range(m, from, len, &source, err);
    }
    if (rc != CMPD_OK || len == 0) {
        return rc;
    }
    memmove(target->data + (to - target->base), source->data + (from - source->base), len);
    copy_shadow(target, to - target->base, source, from - source->base, len);
    return CMPD_OK;
}

cmpd_rc emu_memory_set(struct emu_memory *m, uint64_t to, uint32_t value, unsigned unit, size_t len,
                       struct cmpd_err *err)
{
    struct emu_region *r = NULL;
    cmpd_rc rc = host_range(m, to, len, &r, err);
    if (rc != CMPD_OK || len == 0) {
        return rc;
    }
    if ((unit != 1 && unit != 2 && unit != 4) || len % unit != 0) {
        return cmpd_err_set(err, CMPD_EINPUT, "a set of %zu bytes in units of %u", len, unit);
    }
    uint8_t *at = r->data + (to - r->base);
    if (unit == 1) {
        memset(at, (int)(value & 0xff), len);
    } else {
        for (size_t i = 0; i < len; i += unit) {
            memcpy(at + i, &value, unit); /* little endian on both sides */
        }
    }
    mark_written(r, to - r->base, len);
    return CMPD_OK;
}

cmpd_rc emu_memory_poison(struct emu_memory *m, uint64_t to, uint8_t pattern, size_t len,
                          struct cmpd_err *err)
{
    struct emu_region *r = NULL;
    cmpd_rc rc = host_range(m, to, len, &r, err);
    if (rc != CMPD_OK || len == 0) {
        return rc;
    }
    uint64_t offset = to - r->base;
    fill_pattern(m, r, offset, len, pattern);
    if (r->host) {
        return CMPD_OK;
    }
    if (r->defined && (offset != 0 || len != r->size)) {
        emu_region_shadow(r);
    }
    r->defined = false;
    pages_zero(r->shadow, r->size, offset, len);
    return CMPD_OK;
}

cmpd_rc emu_memory_unwritten(struct emu_memory *m, uint64_t from, size_t len, uint64_t *count,
                             uint64_t *first, struct cmpd_err *err)
{
    struct emu_region *r = NULL;
    cmpd_rc rc = host_range(m, from, len, &r, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    *count = *first = 0;
    if (r->defined) {
        return CMPD_OK;
    }
    const uint8_t *shadow = r->shadow + (from - r->base);
    uint64_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += shadow[i] != EMU_WRITTEN;
    }
    *count = n;
    while (n > 0 && shadow[*first] == EMU_WRITTEN) {
        ++*first;
    }
    return CMPD_OK;
}

void emu_memory_forget(struct emu_memory *m)
{
    for (uint32_t i = 0; i < m->used; i++) {
        emu_marks_free(&m->slots[i].marks);
    }
}

/* ---- shared memory of a block ---- */

void emu_shared_init(struct emu_shared *s, uint32_t size)
{
    *s = (struct emu_shared){.size = size};
    if (size == 0) {
        return;
    }
    s->data = cmpd_alloc(size);
    s->shadow = cmpd_alloc(size);
    emu_shared_reset(s);
}

/* Race records needn't be forgotten: what an earlier block did there lies before this one's first interval. */
void emu_shared_reset(struct emu_shared *s)
{
    if (s->size > 0) {
        memset(s->data, EMU_FRESH_PATTERN, s->size);
        memset(s->shadow, EMU_UNWRITTEN, s->size);
    }
}

void emu_shared_clear(struct emu_shared *s)
{
    free(s->data);
    free(s->shadow);
    struct emu_marks *marks = s->race;
    emu_marks_free(&marks);
    *s = (struct emu_shared){0};
}
