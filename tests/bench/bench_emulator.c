/*
 * How many lane instructions a second the emulated device runs, all checks on.
 *
 *   nvcc -arch=compute_80 -lineinfo -ptx tests/bench/emulator.cu -o e.ptx && bench_emulator e.ptx [baseline]
 *
 * CPU time of the process, the best of some launches. "baseline": handlers for every x86-64 instead of the newest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/emulator/device_text.h"
#include "gpu-runner/emulator/emu.h"

#define LAUNCHES 10
#define FLOATS   (1u << 18)

static const struct {
    const char *kernel;
    uint32_t grid[3], block[3];
    int32_t n;
} cases[] = {
    {"tanh_add", {391, 1, 1}, {256, 1, 1}, 100000},
    {"matmul", {8, 8, 1}, {16, 16, 1}, 128},
    {"row_norm", {64, 1, 1}, {256, 1, 1}, 768},
    {"histogram", {40, 1, 1}, {256, 1, 1}, 100000},
};

struct params {
    uint64_t x, y, out;
    int32_t n;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t buffer(struct cmpd_device *d, struct cmpd_err *err)
{
    CMPD_AUTOFREE float *values = cmpd_alloc(FLOATS * sizeof *values);
    uint64_t address = 0;
    for (uint32_t i = 0; i < FLOATS; i++)
        values[i] = (float)(i * 2654435761u >> 8) / (1 << 24);
    if (d->ops->alloc(d, FLOATS * sizeof *values, CMPD_MEMORY_DEVICE, -1, "buffer", &address,
                      err) != CMPD_OK ||
        d->ops->write(d, address, values, FLOATS * sizeof *values, err) != CMPD_OK)
        return 0;
    return address;
}

static void measure(struct cmpd_device *d, uint32_t module, size_t i, const struct params *params)
{
    struct params p = *params;
    struct cmpd_launch l = {
        .module = module, .kernel = cases[i].kernel, .params = &p, .param_bytes = 28};
    struct cmpd_launch_result r = {0};
    struct cmpd_sightings seen = {0};
    struct cmpd_err err = {0};
    double best = 1e9;
    p.n = cases[i].n;
    memcpy(l.grid, cases[i].grid, sizeof l.grid);
    memcpy(l.block, cases[i].block, sizeof l.block);
    for (unsigned k = 0; k < LAUNCHES; k++) {
        const double start = now_s();
        if (d->ops->launch(d, &l, &r, &seen, &err) != CMPD_OK || r.end != CMPD_LAUNCH_DONE) {
            printf("%-10s did not end: %s\n", cases[i].kernel,
                   seen.count ? seen.items[0].message : err.msg);
            break;
        }
        const double took = now_s() - start;
        best = took < best ? took : best;
    }
    printf("%-10s %9llu lane instructions, %7.2f ms, %7.1f M/s\n", cases[i].kernel,
           (unsigned long long)r.lane_instructions, best * 1e3,
           (double)r.lane_instructions / best / 1e6);
    cmpd_sightings_clear(&seen);
}

int main(int argc, char **argv)
{
    struct cmpd_device_options options = {.cancel_fd = -1, .lane_instructions = UINT64_MAX};
    struct cmpd_device *d = NULL;
    struct cmpd_err err = {0};
    struct cmpd_buf text = CMPD_BUF_INIT;
    uint32_t module;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_emulator PTX [baseline]\n");
        return 64;
    }
    if (cmpd_file_read(argv[1], (size_t)16 << 20, &text, &err) != CMPD_OK ||
        cmpd_device_emulator.open(&options, &d, &err) != CMPD_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    ((struct emu_device *)d)->baseline_code = argc > 2;
    if (emu_device_load_text(d, text.data, text.len, &module, &err) != CMPD_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    const struct params p = {buffer(d, &err), buffer(d, &err), buffer(d, &err), 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        measure(d, module, i, &p);
    cmpd_buf_clear(&text);
    d->ops->close(d);
    return 0;
}
