#include "mock_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "analysis/base/alloc.h"

#define MODULES_MOST 64

struct block {
    uint64_t address, bytes;
    enum cmpd_memory_kind kind;
    uint8_t *data, *shadow; /* shadow: 1 where written, 2: undefined values */
    bool mapped, live;
};

struct mock {
    struct cmpd_device base;
    struct block blocks[CMPD_DEVICE_SLOT_COUNT];
    uint32_t count;
    uint32_t modules;
    uint64_t used, most;
    bool broken;
    char log[MOCK_LOG_BYTES];
};

static struct mock *mock_of(struct cmpd_device *d)
{
    return (struct mock *)d;
}

static void log_put(struct mock *m, const char *what)
{
    size_t len = strlen(m->log);

    snprintf(m->log + len, sizeof(m->log) - len, "%s%s", len ? " " : "", what);
}

const char *mock_device_log(struct cmpd_device *d)
{
    return mock_of(d)->log;
}

void mock_device_log_clear(struct cmpd_device *d)
{
    mock_of(d)->log[0] = '\0';
}

void mock_device_break(struct cmpd_device *d)
{
    mock_of(d)->broken = true;
}

static cmpd_rc mock_open(const struct cmpd_device_options *options, struct cmpd_device **out,
                         struct cmpd_err *err)
{
    struct mock *m = cmpd_calloc(1, sizeof(*m));

    (void)err;
    m->base.ops = &mock_device_ops;
    m->most = options && options->memory_bytes ? options->memory_bytes : (uint64_t)4 << 30;
    *out = &m->base;
    return CMPD_OK;
}

static void drop(struct mock *m, struct block *b)
{
    if (b->mapped)
        munmap(b->data, b->bytes);
    else
        free(b->data);
    free(b->shadow);
    b->data = b->shadow = NULL;
    if (b->live)
        m->used -= b->bytes;
    b->live = false;
}

static void mock_close(struct cmpd_device *d)
{
    if (!d)
        return;
    struct mock *m = mock_of(d);
    for (uint32_t i = 0; i < m->count; i++)
        drop(m, &m->blocks[i]);
    free(m);
}

static cmpd_rc mock_alloc(struct cmpd_device *d, uint64_t bytes, enum cmpd_memory_kind kind,
                          int shared_fd, const char *what, uint64_t *address, struct cmpd_err *err)
{
    struct mock *m = mock_of(d);

    (void)what;
    if (m->count == CMPD_DEVICE_SLOT_COUNT || bytes == 0 || bytes > m->most - m->used)
        return cmpd_err_set(err, CMPD_ELIMIT, "out of memory");
    struct block *b = &m->blocks[m->count];
    *b = (struct block){.bytes = bytes, .kind = kind, .live = true};
    if (shared_fd >= 0) {
        b->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd, 0);
        if (b->data == MAP_FAILED)
            return cmpd_err_set(err, CMPD_EIO, "mmap");
        b->mapped = true;
    } else {
        b->data = malloc(bytes);
        if (!b->data)
            return cmpd_err_set(err, CMPD_ELIMIT, "out of memory");
    }
    b->shadow = calloc(1, bytes);
    if (!b->shadow)
        return cmpd_err_set(err, CMPD_ELIMIT, "out of memory");
    if (kind != CMPD_MEMORY_DEVICE) /* the host may have written it at any time */
        memset(b->shadow, 1, bytes);
    b->address = CMPD_DEVICE_BASE + m->count * CMPD_DEVICE_SLOT_BYTES + CMPD_DEVICE_SLOT_BYTES / 2;
    m->count++;
    m->used += bytes;
    *address = b->address;
    return CMPD_OK;
}

static struct block *find(struct mock *m, uint64_t address, uint64_t len)
{
    if (address < CMPD_DEVICE_BASE || address >= CMPD_DEVICE_END)
        return NULL;
    uint64_t slot = (address - CMPD_DEVICE_BASE) / CMPD_DEVICE_SLOT_BYTES;
    struct block *b = slot < m->count ? &m->blocks[slot] : NULL;
    if (!b || !b->live || address < b->address || address - b->address > b->bytes ||
        len > b->bytes - (address - b->address))
        return NULL;
    return b;
}

static uint8_t *bytes_at(struct mock *m, uint64_t address, uint64_t len, uint8_t **shadow)
{
    struct block *b = find(m, address, len);

    if (!b)
        return NULL;
    if (shadow)
        *shadow = b->shadow + (address - b->address);
    return b->data + (address - b->address);
}

static cmpd_rc not_there(struct cmpd_err *err)
{
    return cmpd_err_set(err, CMPD_EINPUT, "not inside one live allocation");
}

static cmpd_rc mock_free(struct cmpd_device *d, uint64_t address, struct cmpd_err *err)
{
    struct mock *m = mock_of(d);
    struct block *b = find(m, address, 0);

    if (!b || b->address != address || b->kind == CMPD_MEMORY_SYMBOL)
        return not_there(err);
    drop(m, b);
    log_put(m, "free");
    return CMPD_OK;
}

/* ---- modules ---- */

enum {
    ADD_ONE,
    COPY,
    FAULT,
    MISALIGNED,
    STUCK,
    BUDGET,
    UNSUPPORTED,
    BOUNDED,
    BIG_SHARED,
    TAINT,
    KERNELS
};
static const uint32_t offsets[] = {0, 8, 16}, add_sizes[] = {8, 4}, copy_sizes[] = {8, 8, 4};
static const struct cmpd_kernel_info kernels[KERNELS] = {
    [ADD_ONE] = {.name = "add_one",
                 .param_count = 2,
                 .param_offsets = offsets,
                 .param_sizes = add_sizes,
                 .param_bytes = 12},
    [COPY] = {.name = "copy",
              .param_count = 3,
              .param_offsets = offsets,
              .param_sizes = copy_sizes,
              .param_bytes = 20},
    [FAULT] = {.name = "fault"},
    [MISALIGNED] = {.name = "misaligned"},
    [STUCK] = {.name = "stuck"},
    [BUDGET] = {.name = "budget"},
    [UNSUPPORTED] = {.name = "unsupported"},
    [BOUNDED] = {.name = "bounded", .max_threads = 128},
    [TAINT] = {.name = "taint",
               .param_count = 2,
               .param_offsets = offsets,
               .param_sizes = add_sizes,
               .param_bytes = 12},
    [BIG_SHARED] = {.name = "big_shared", .static_shared_bytes = 47 * 1024},
};

static cmpd_rc mock_load(struct cmpd_device *d, const void *image, size_t len, uint32_t *module,
                         struct cmpd_err *err)
{
    struct mock *m = mock_of(d);
    uint64_t address;

    if (len < strlen(MOCK_IMAGE) || memcmp(image, MOCK_IMAGE, strlen(MOCK_IMAGE)) != 0)
        return cmpd_err_set(err, CMPD_EINPUT, "not an image of this device");
    if (m->modules > 0 && m->modules < MODULES_MOST) {
        *module = m->modules++; /* all modules share the variables of the first */
        return CMPD_OK;
    }
    for (int i = 0; i < 2; i++) {
        cmpd_rc rc = mock_alloc(d, 64, CMPD_MEMORY_SYMBOL, -1, "variable", &address, err);
        if (rc != CMPD_OK)
            return rc;
        memset(m->blocks[m->count - 1].data, 0, 64);
    }
    *module = m->modules++;
    return CMPD_OK;
}

static cmpd_rc mock_kernel(struct cmpd_device *d, uint32_t module, const char *name,
                           struct cmpd_kernel_info *out, struct cmpd_err *err)
{
    for (int i = 0; i < KERNELS && module < mock_of(d)->modules; i++) {
        if (strcmp(kernels[i].name, name) == 0) {
            *out = kernels[i];
            return CMPD_OK;
        }
    }
    return cmpd_err_set(err, CMPD_ENOENT, "no kernel %s", name);
}

static cmpd_rc mock_symbol(struct cmpd_device *d, uint32_t module, const char *name,
                           uint64_t *address, uint64_t *bytes, struct cmpd_err *err)
{
    struct mock *m = mock_of(d);
    int which = strcmp(name, "table") == 0 ? 0 : strcmp(name, "constant") == 0 ? 1 : -1;

    (void)module;
    for (uint32_t i = 0; i < m->count && which >= 0; i++) {
        if (m->blocks[i].kind == CMPD_MEMORY_SYMBOL && which-- == 0) {
            *address = m->blocks[i].address;
            *bytes = m->blocks[i].bytes;
            return CMPD_OK;
        }
    }
    return cmpd_err_set(err, CMPD_ENOENT, "no variable %s", name);
}

/* ---- copies ---- */

static cmpd_rc mock_write(struct cmpd_device *d, uint64_t to, const void *from, size_t len,
                          struct cmpd_err *err)
{
    uint8_t *shadow, *data = bytes_at(mock_of(d), to, len, &shadow);

    if (!data)
        return not_there(err);
    memcpy(data, from, len);
    memset(shadow, 1, len);
    log_put(mock_of(d), "write");
    return CMPD_OK;
}

static cmpd_rc mock_read(struct cmpd_device *d, void *to, uint64_t from, size_t len,
                         struct cmpd_err *err)
{
    uint8_t *data = bytes_at(mock_of(d), from, len, NULL);

    if (!data)
        return not_there(err);
    memcpy(to, data, len);
    return CMPD_OK;
}

static cmpd_rc mock_copy(struct cmpd_device *d, uint64_t to, uint64_t from, size_t len,
                         struct cmpd_err *err)
{
    uint8_t *ts, *fs, *t = bytes_at(mock_of(d), to, len, &ts);
    uint8_t *f = bytes_at(mock_of(d), from, len, &fs);

    if (!t || !f)
        return not_there(err);
    memmove(t, f, len);
    memmove(ts, fs, len);
    log_put(mock_of(d), "copy");
    return CMPD_OK;
}

static cmpd_rc mock_set(struct cmpd_device *d, uint64_t to, uint32_t value, unsigned unit,
                        size_t len, struct cmpd_err *err)
{
    uint8_t *shadow, *data = bytes_at(mock_of(d), to, len, &shadow);

    if (!data)
        return not_there(err);
    for (size_t i = 0; i < len; i++)
        data[i] = (uint8_t)(value >> (i % unit * 8));
    memset(shadow, 1, len);
    log_put(mock_of(d), "set");
    return CMPD_OK;
}

static cmpd_rc mock_unwritten(struct cmpd_device *d, uint64_t from, size_t len, uint64_t *count,
                              uint64_t *first, struct cmpd_err *err)
{
    struct block *b = find(mock_of(d), from, len);

    *count = *first = 0;
    if (!b)
        return not_there(err);
    for (size_t i = 0; i < len && b->kind == CMPD_MEMORY_DEVICE; i++) {
        if (b->shadow[from - b->address + i] == 0 && (*count)++ == 0)
            *first = i;
    }
    return CMPD_OK;
}

static cmpd_rc mock_poison(struct cmpd_device *d, uint64_t to, uint8_t pattern, size_t len,
                           struct cmpd_err *err)
{
    uint8_t *shadow, *data = bytes_at(mock_of(d), to, len, &shadow);

    if (!data)
        return not_there(err);
    memset(data, pattern, len);
    memset(shadow, 0, len);
    return CMPD_OK;
}

static void sight(struct cmpd_sightings *to, enum cmpd_tag tag, const char *kernel,
                  const char *message)
{
    struct cmpd_sighting g = {
        .tag = tag, .kernel = (char *)(uintptr_t)kernel, .message = (char *)(uintptr_t)message};

    cmpd_sightings_add(to, &g);
}

static cmpd_rc mock_undefined(struct cmpd_device *d, uint64_t from, size_t len,
                              struct cmpd_sightings *sightings, struct cmpd_err *err)
{
    uint8_t *shadow = NULL;

    if (!bytes_at(mock_of(d), from, len, &shadow))
        return not_there(err);
    if (memchr(shadow, 2, len))
        sight(sightings, CMPD_TAG_uninitialized_read, "taint", "computed from nothing");
    return CMPD_OK;
}

/* ---- launches ---- */

static enum cmpd_launch_end run(struct mock *m, int which, const struct cmpd_launch *l,
                                struct cmpd_sightings *seen)
{
    const uint8_t *params = l->params;
    uint64_t p[2] = {0, 0};
    int32_t n = 0;
    uint8_t *shadow = NULL, *from_shadow = NULL;

    memcpy(p, params, which == COPY ? 16 : 8);
    memcpy(&n, params + (which == COPY ? 16 : 8), 4);
    uint64_t bytes = n > 0 ? (uint64_t)n * 4 : 0;
    float *to = (float *)(void *)bytes_at(m, p[0], bytes, &shadow);
    float *from = which == COPY ? (float *)(void *)bytes_at(m, p[1], bytes, &from_shadow) : to;
    if (!to || !from) {
        sight(seen, CMPD_TAG_out_of_bounds, l->kernel, "outside");
        return CMPD_LAUNCH_FAULT;
    }
    if (which == COPY) {
        memmove(to, from, bytes);
        memmove(shadow, from_shadow, bytes);
        return CMPD_LAUNCH_DONE;
    }
    for (int32_t i = 0; i < n; i++) {
        float v;
        memcpy(&v, (uint8_t *)to + (size_t)i * 4, 4);
        v += 1;
        memcpy((uint8_t *)to + (size_t)i * 4, &v, 4);
    }
    memset(shadow, which == TAINT ? 2 : 1, bytes);
    return CMPD_LAUNCH_DONE;
}

static enum cmpd_launch_end end_as_named(int which, const char *kernel, struct cmpd_sightings *seen)
{
    switch (which) {
    case FAULT:
        sight(seen, CMPD_TAG_out_of_bounds, kernel, "outside");
        return CMPD_LAUNCH_FAULT;
    case MISALIGNED:
        sight(seen, CMPD_TAG_misaligned_access, kernel, "crooked");
        return CMPD_LAUNCH_FAULT;
    case STUCK:
        sight(seen, CMPD_TAG_timeout, kernel, "never ends");
        return CMPD_LAUNCH_STUCK;
    case BUDGET:
        return CMPD_LAUNCH_BUDGET;
    case UNSUPPORTED:
        sight(seen, CMPD_TAG_not_emulated, kernel, "unknown");
        return CMPD_LAUNCH_UNSUPPORTED;
    default:
        return CMPD_LAUNCH_DONE;
    }
}

static cmpd_rc mock_launch(struct cmpd_device *d, const struct cmpd_launch *launch,
                           struct cmpd_launch_result *result, struct cmpd_sightings *sightings,
                           struct cmpd_err *err)
{
    struct mock *m = mock_of(d);
    int which = 0;

    while (which < KERNELS && strcmp(kernels[which].name, launch->kernel) != 0)
        which++;
    if (m->broken || which == KERNELS || launch->param_bytes != kernels[which].param_bytes)
        return cmpd_err_set(err, CMPD_EINTERNAL, "the device is broken");
    log_put(m, launch->kernel);
    *result = (struct cmpd_launch_result){.lane_instructions = 100, .warp_instructions = 4};
    result->end = which == ADD_ONE || which == COPY || which == TAINT
                      ? run(m, which, launch, sightings)
                      : end_as_named(which, launch->kernel, sightings);
    return CMPD_OK;
}

static void mock_begin_case(struct cmpd_device *d, uint64_t lane_instructions,
                            uint32_t schedule_seed, uint32_t jitter_ulp)
{
    (void)d, (void)lane_instructions, (void)schedule_seed, (void)jitter_ulp;
}

static void mock_live(struct cmpd_device *d, uint64_t *count, uint64_t *bytes)
{
    struct mock *m = mock_of(d);

    *count = *bytes = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->blocks[i].live && m->blocks[i].kind != CMPD_MEMORY_SYMBOL) {
            (*count)++;
            *bytes += m->blocks[i].bytes;
        }
    }
}

const struct cmpd_device_ops mock_device_ops = {
    .name = "mock",
    .backend = "emulator",
    .open = mock_open,
    .close = mock_close,
    .load = mock_load,
    .kernel = mock_kernel,
    .symbol = mock_symbol,
    .alloc = mock_alloc,
    .free = mock_free,
    .write = mock_write,
    .read = mock_read,
    .copy = mock_copy,
    .set = mock_set,
    .unwritten = mock_unwritten,
    .undefined = mock_undefined,
    .poison = mock_poison,
    .launch = mock_launch,
    .begin_case = mock_begin_case,
    .live = mock_live,
};
