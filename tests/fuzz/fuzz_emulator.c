/*
 * Any text as PTX that the emulated device loads, binds and runs a little: whatever the program is, it must not touch
 * memory that isn't its own, and must end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/emulator/device_text.h"
#include "gpu-runner/emulator/emu.h"

#define KERNELS      4     /* run of one text */
#define BUFFER_BYTES 4096u /* what each of the first pointers leads to */
#define POINTERS     3
#define PARAM_WORDS  64
#define BUDGET       30000u

/* In every build type, unlike assert. */
#define MUST(condition)   \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void launch(struct cmpd_device *d, uint32_t module, const char *kernel,
                   const uint64_t pointers[POINTERS])
{
    struct cmpd_kernel_info info;
    struct cmpd_launch_result result;
    struct cmpd_sightings seen = {0};
    struct cmpd_err err;
    uint64_t params[PARAM_WORDS];
    for (unsigned i = 0; i < PARAM_WORDS; i++)
        params[i] = i < POINTERS ? pointers[i] : 33 + i;
    if (d->ops->kernel(d, module, kernel, &info, &err) != CMPD_OK ||
        info.param_bytes > sizeof params)
        return;
    const struct cmpd_launch l = {.module = module,
                                  .kernel = kernel,
                                  .grid = {2, 1, 1},
                                  .block = {40, 1, 1},
                                  .shared_bytes = 512,
                                  .params = params,
                                  .param_bytes = info.param_bytes};
    d->ops->begin_case(d, BUDGET, 0, 0);
    (void)d->ops->launch(d, &l, &result, &seen, &err);
    MUST(seen.count <= CMPD_SIGHTINGS_CEILING);
    cmpd_sightings_clear(&seen);
}

static void run(struct cmpd_device *d, uint32_t module)
{
    static uint8_t content[BUFFER_BYTES];
    const struct cmpd_ptx_module *ptx = ((struct emu_device *)d)->modules[module]->ptx;
    uint64_t pointers[POINTERS] = {0};
    struct cmpd_err err;
    unsigned kernels = 0;
    for (unsigned i = 0; i < POINTERS; i++) {
        if (d->ops->alloc(d, BUFFER_BYTES, CMPD_MEMORY_DEVICE, -1, "fuzz", &pointers[i], &err) !=
            CMPD_OK)
            return;
    }
    for (unsigned i = 0; i < BUFFER_BYTES; i++)
        content[i] = (uint8_t)(i * 37 >> 3);
    (void)d->ops->write(d, pointers[0], content, BUFFER_BYTES, &err);
    (void)d->ops->write(d, pointers[1], content, BUFFER_BYTES / 2, &err);
    for (uint32_t i = 0; i < ptx->function_count && kernels < KERNELS; i++) {
        if (ptx->functions[i].entry && ptx->functions[i].defined) {
            launch(d, module, ptx->functions[i].name, pointers);
            kernels++;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_device *d = NULL;
    struct cmpd_err err;
    uint32_t module = 0;
    const struct cmpd_device_options options = {.memory_bytes = (uint64_t)1 << 20, .cancel_fd = -1};
    if (cmpd_device_emulator.open(&options, &d, &err) != CMPD_OK)
        return 0;
    if (emu_device_load_text(d, (const char *)data, size, &module, &err) == CMPD_OK)
        run(d, module);
    d->ops->close(d);
    return 0;
}
