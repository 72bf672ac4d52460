/* The emulated device behind the vtable of device.h. */
#include <errno.h>
#include <time.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/device_text.h"
#include "gpu-runner/emulator/report.h"
#include "gpu-runner/ptx/fatbin.h"

/* What the largest device offers a block; the server checks what the emulated one promises (sm_80: 163 KiB). */
#define SHARED_BYTES_MAX 232448u
#define DEFAULT_BUDGET   40000000ull
/* The device that is emulated. */
#define TARGET           80u
/* PTX has no registers of a machine: what is told where a number must be told. */
#define REGISTERS_TOLD   32u

static struct emu_device *self(struct cmpd_device *d)
{
    return (struct emu_device *)d;
}

static cmpd_rc emu_open(const struct cmpd_device_options *options, struct cmpd_device **out,
                        struct cmpd_err *err)
{
    struct emu_device *d = cmpd_calloc(1, sizeof *d);
    d->base.ops = &cmpd_device_emulator;
    d->options = options != NULL ? *options : (struct cmpd_device_options){.cancel_fd = -1};
    d->budget_left = d->options.lane_instructions ? d->options.lane_instructions : DEFAULT_BUDGET;
    cmpd_rc rc = emu_memory_open(d, d->options.memory_bytes, &d->memory, err);
    if (rc != CMPD_OK) {
        free(d);
        return rc;
    }
    *out = &d->base;
    return CMPD_OK;
}

static void emu_close(struct cmpd_device *base)
{
    if (base == NULL) {
        return;
    }
    struct emu_device *d = self(base);
    emu_pool_free(d->pool); /* before the memory: its race marks are linked there */
    for (uint32_t i = 0; i < d->module_count; i++) {
        emu_module_free(d->modules[i]);
    }
    free(d->modules);
    emu_memory_close(d->memory);
    cmpd_buf_clear(&d->output);
    free(d);
}

/* ---- modules ---- */

cmpd_rc emu_device_load_text(struct cmpd_device *base, const char *text, size_t len,
                             uint32_t *module, struct cmpd_err *err)
{
    struct emu_device *d = self(base);
    struct cmpd_ptx_module *ptx = NULL;
    struct emu_module *m = NULL;
    cmpd_rc rc = cmpd_ptx_parse(text, len, &ptx, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    rc = emu_module_new_take(d, ptx, &m, err);
    if (rc != CMPD_OK) {
        cmpd_ptx_free(ptx);
        return rc;
    }
    *module = m->index;
    return CMPD_OK;
}

/* The newest PTX that the emulated device would take; else the oldest newer one, whose opcodes are then looked at. */
static const struct cmpd_fatbin_image *choose(const struct cmpd_fatbin *f)
{
    const struct cmpd_fatbin_image *best = NULL;
    for (size_t i = 0; i < f->count; i++) {
        const struct cmpd_fatbin_image *k = &f->images[i];
        bool fits = k->arch <= TARGET;
        if (best == NULL || (fits && (best->arch > TARGET || k->arch > best->arch)) ||
            (!fits && best->arch > TARGET && k->arch < best->arch)) {
            best = k;
        }
    }
    return best;
}

static cmpd_rc emu_load_image(struct cmpd_device *base, const void *image, size_t len,
                              uint32_t *module, struct cmpd_err *err)
{
    struct cmpd_fatbin f = {0};
    cmpd_rc rc = cmpd_fatbin_read(image, len, &f, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    const struct cmpd_fatbin_image *best = choose(&f);
    if (best == NULL) {
        rc = cmpd_err_set(err, CMPD_EUNAVAIL,
                          "the code holds no PTX (%zu images of machine code): compile with "
                          "-gencode arch=compute_80,code=compute_80",
                          f.skipped);
    } else {
        rc = emu_device_load_text(base, best->text, best->len, module, err);
    }
    cmpd_fatbin_clear(&f);
    return rc;
}

static struct emu_module *module_of(struct emu_device *d, uint32_t module, struct cmpd_err *err)
{
    if (module >= d->module_count) {
        cmpd_err_set(err, CMPD_ENOENT, "there is no module %u", module);
        return NULL;
    }
    return d->modules[module];
}

static uint32_t find_kernel(struct emu_module *m, const char *name, struct cmpd_err *err)
{
    uint32_t f = emu_module_find_kernel(m, name);
    if (f == CMPD_PTX_NONE) {
        cmpd_err_set(err, CMPD_ENOENT, "the module has no kernel '%s'", name);
    }
    return f;
}

/* Kernels' parameters as two arrays, made once for each kernel that is asked for. */
static void fill_params(struct emu_device *d, struct emu_module *m, uint32_t function,
                        struct cmpd_kernel_info *out)
{
    const struct cmpd_ptx_function *f = &m->ptx->functions[function];
    uint32_t *arrays = emu_memory_keep(d->memory, (size_t)f->param_count * 2 * sizeof(uint32_t),
                                       f->name);
    for (uint32_t i = 0; i < f->param_count; i++) {
        const struct cmpd_ptx_variable *v = &m->ptx->variables[f->params[i]];
        arrays[i] = (uint32_t)v->offset;
        arrays[f->param_count + i] = (uint32_t)v->size;
    }
    out->param_count = f->param_count;
    out->param_offsets = arrays;
    out->param_sizes = arrays + f->param_count;
    out->param_bytes = f->param_bytes;
}

static uint32_t thread_limit(const struct cmpd_ptx_function *f)
{
    const uint32_t *t = f->required_threads[0] != 0 ? f->required_threads : f->max_threads;
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        n *= t[i] != 0 ? t[i] : 1;
    }
    return t[0] == 0 || n > UINT32_MAX ? 0 : (uint32_t)n;
}

static cmpd_rc emu_kernel(struct cmpd_device *base, uint32_t module, const char *name,
                          struct cmpd_kernel_info *out, struct cmpd_err *err)
{
    struct emu_device *d = self(base);
    struct emu_module *m = module_of(d, module, err);
    uint32_t function = m != NULL ? find_kernel(m, name, err) : CMPD_PTX_NONE;
    if (function == CMPD_PTX_NONE) {
        return CMPD_ENOENT;
    }
    const struct cmpd_ptx_function *f = &m->ptx->functions[function];
    *out = (struct cmpd_kernel_info){
        .name = f->name,
        .max_threads = thread_limit(f),
        .static_shared_bytes = emu_module_shared_bytes(m, function),
        .local_bytes = emu_module_local_bytes(m, function),
        .registers = REGISTERS_TOLD,
    };
    fill_params(d, m, function, out);
    return CMPD_OK;
}

static cmpd_rc emu_symbol(struct cmpd_device *base, uint32_t module, const char *name,
                          uint64_t *address, uint64_t *bytes, struct cmpd_err *err)
{
    struct emu_module *m = module_of(self(base), module, err);
    if (m == NULL) {
        return CMPD_ENOENT;
    }
    uint32_t v = cmpd_ptx_find_variable(m->ptx, name);
    const struct cmpd_ptx_variable *var = v != CMPD_PTX_NONE ? &m->ptx->variables[v] : NULL;
    if (var == NULL ||
        (var->space != CMPD_PTX_SPACE_GLOBAL && var->space != CMPD_PTX_SPACE_CONST)) {
        return cmpd_err_set(err, CMPD_ENOENT, "the module has no variable '%s'", name);
    }
    *address = m->variable_address[v];
    *bytes = var->size;
    return CMPD_OK;
}

/* ---- memory ---- */

static cmpd_rc emu_alloc(struct cmpd_device *d, uint64_t bytes, enum cmpd_memory_kind kind,
                         int shared_fd, const char *what, uint64_t *address, struct cmpd_err *err)
{
    return emu_memory_alloc(self(d), bytes, kind, shared_fd, what, address, err);
}

static cmpd_rc emu_free(struct cmpd_device *d, uint64_t address, struct cmpd_err *err)
{
    return emu_memory_free(self(d), address, err);
}

static cmpd_rc emu_write(struct cmpd_device *d, uint64_t to, const void *from, size_t len,
                         struct cmpd_err *err)
{
    return emu_memory_write(self(d)->memory, to, from, len, err);
}

static cmpd_rc emu_read(struct cmpd_device *d, void *to, uint64_t from, size_t len,
                        struct cmpd_err *err)
{
    return emu_memory_read(self(d)->memory, to, from, len, err);
}

static cmpd_rc emu_copy(struct cmpd_device *d, uint64_t to, uint64_t from, size_t len,
                        struct cmpd_err *err)
{
    return emu_memory_copy(self(d)->memory, to, from, len, err);
}

static cmpd_rc emu_set(struct cmpd_device *d, uint64_t to, uint32_t value, unsigned unit,
                       size_t len, struct cmpd_err *err)
{
    return emu_memory_set(self(d)->memory, to, value, unit, len, err);
}

static cmpd_rc emu_unwritten(struct cmpd_device *d, uint64_t from, size_t len, uint64_t *count,
                             uint64_t *first, struct cmpd_err *err)
{
    return emu_memory_unwritten(self(d)->memory, from, len, count, first, err);
}

static cmpd_rc emu_undefined(struct cmpd_device *d, uint64_t from, size_t len,
                             struct cmpd_sightings *sightings, struct cmpd_err *err)
{
    return emu_memory_undefined(self(d)->memory, from, len, sightings, err);
}

static cmpd_rc emu_poison(struct cmpd_device *d, uint64_t to, uint8_t pattern, size_t len,
                          struct cmpd_err *err)
{
    return emu_memory_poison(self(d)->memory, to, pattern, len, err);
}

static cmpd_rc emu_writer(struct cmpd_device *base, uint64_t address, const char **file,
                          uint32_t *line, struct cmpd_err *err)
{
    struct emu_device *d = self(base);
    uint32_t place = emu_memory_writer(d->memory, address);
    if (place == 0) {
        return cmpd_err_set(err, CMPD_ENOENT, "no store to 0x%llx is known",
                            (unsigned long long)address);
    }
    struct emu_source s = emu_source_of(d->modules[emu_place_module(place)]->ptx,
                                        emu_place_ptx(place));
    if (s.file == NULL) {
        return cmpd_err_set(err, CMPD_ENOENT, "the store has no line: compile with -lineinfo");
    }
    *file = s.file;
    *line = s.line;
    return CMPD_OK;
}

static void emu_live(struct cmpd_device *d, uint64_t *count, uint64_t *bytes)
{
    emu_memory_live(self(d)->memory, count, bytes);
}

/* ---- launches ---- */

static cmpd_rc check_sizes(const struct cmpd_launch *l, const struct cmpd_ptx_function *f,
                           uint64_t shared_bytes, struct cmpd_err *err)
{
    const uint32_t *g = l->grid, *b = l->block;
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    if (b[0] > 1024 || b[1] > 1024 || b[2] > 64 || threads == 0 || threads > 1024 || g[0] == 0 ||
        g[0] > 0x7fffffff || g[1] == 0 || g[1] > 65535 || g[2] == 0 || g[2] > 65535) {
        return cmpd_err_set(err, CMPD_EINPUT,
                            "no device runs a grid of (%u,%u,%u) blocks of (%u,%u,%u) threads",
                            g[0], g[1], g[2], b[0], b[1], b[2]);
    }
    uint32_t limit = thread_limit(f);
    if (limit != 0 && threads > limit) {
        return cmpd_err_set(err, CMPD_EINPUT, "%llu threads, %u are the kernel's limit",
                            (unsigned long long)threads, limit);
    }
    unsigned long long all_shared = shared_bytes + l->shared_bytes;
    if (all_shared > SHARED_BYTES_MAX) {
        return cmpd_err_set(err, CMPD_EINPUT, "%llu bytes of shared memory", all_shared);
    }
    if (l->param_bytes < f->param_bytes) {
        return cmpd_err_set(err, CMPD_EINPUT, "%zu bytes of parameters, the kernel takes %u",
                            l->param_bytes, f->param_bytes);
    }
    return CMPD_OK;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void run(struct emu_device *d, struct emu_module *m, uint32_t function,
                const struct cmpd_launch *launch, struct cmpd_launch_result *result,
                struct cmpd_sightings *sightings)
{
    uint32_t bytes = m->ptx->functions[function].param_bytes;
    CMPD_AUTOFREE uint8_t *params = cmpd_calloc(1, (size_t)bytes + 16);
    if (bytes > 0) {
        memcpy(params, launch->params, bytes);
    }
    struct emu_launch l = {
        .device = d,
        .module = m,
        .function = &m->functions[function],
        .shared_bytes = launch->shared_bytes,
        .cooperative = launch->cooperative,
        .params = params,
        .serial = ++d->launch_serial,
        .random = d->options.schedule_seed,
        .sightings = sightings,
    };
    memcpy(l.grid, launch->grid, sizeof l.grid);
    memcpy(l.block, launch->block, sizeof l.block);
    double start = now_ms();
    emu_launch_run(&l);
    emu_race_finish(&l);
    emu_provenance_finish(&l);
    *result = (struct cmpd_launch_result){
        .end = l.end,
        .lane_instructions = l.lane_instructions,
        .warp_instructions = l.warp_instructions,
        .elapsed_ms = now_ms() - start,
    };
}

static cmpd_rc emu_launch_checked(struct cmpd_device *base, const struct cmpd_launch *launch,
                                  struct cmpd_launch_result *result,
                                  struct cmpd_sightings *sightings, struct cmpd_err *err)
{
    struct emu_device *d = self(base);
    struct emu_module *m = module_of(d, launch->module, err);
    uint32_t function = m != NULL ? find_kernel(m, launch->kernel, err) : CMPD_PTX_NONE;
    if (function == CMPD_PTX_NONE) {
        return CMPD_ENOENT;
    }
    cmpd_rc rc = check_sizes(launch, &m->ptx->functions[function],
                             emu_module_shared_bytes(m, function), err);
    if (rc == CMPD_OK) {
        run(d, m, function, launch, result, sightings);
    }
    return rc;
}

static void emu_begin_case(struct cmpd_device *base, uint64_t lane_instructions,
                           uint32_t schedule_seed, uint32_t jitter_ulp)
{
    struct emu_device *d = self(base);
    d->budget_left = lane_instructions ? lane_instructions : DEFAULT_BUDGET;
    d->options.schedule_seed = schedule_seed;
    d->options.jitter_ulp = jitter_ulp;
    emu_memory_forget(d->memory);
}

static const struct cmpd_buf *emu_printed(struct cmpd_device *d)
{
    return &self(d)->output;
}

const struct cmpd_device_ops cmpd_device_emulator = {
    .name = "emulator",
    .backend = "emulator",
    .open = emu_open,
    .close = emu_close,
    .load = emu_load_image,
    .kernel = emu_kernel,
    .symbol = emu_symbol,
    .alloc = emu_alloc,
    .free = emu_free,
    .write = emu_write,
    .read = emu_read,
    .copy = emu_copy,
    .set = emu_set,
    .unwritten = emu_unwritten,
    .undefined = emu_undefined,
    .poison = emu_poison,
    .writer = emu_writer,
    .launch = emu_launch_checked,
    .begin_case = emu_begin_case,
    .printed = emu_printed,
    .live = emu_live,
};
