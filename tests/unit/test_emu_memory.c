/* The emulated device's memory: allocations, bounds, what was written, races, and what the reports say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/report.h"

/* Instruction i stands on line 10 + i of k.cu. */
static const char PTX[] = ".version 9.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p)\n{\n"
                          ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
                          ".shared .align 4 .b8 _ZZ1kPfE4tile[256];\n"
                          ".loc 1 10 1\nld.param.u64 %rd1, [p];\n"
                          ".loc 1 11 1\nst.global.u32 [%rd1], %r1;\n"
                          ".loc 1 12 1\nld.global.u32 %r2, [%rd1];\n"
                          ".loc 1 13 1\natom.global.add.u32 %r2, [%rd1], %r1;\n"
                          ".loc 1 14 1\nst.volatile.global.u32 [%rd1], %r2;\n"
                          ".loc 1 15 1\nmembar.gl;\n"
                          ".loc 1 16 1\natom.global.cas.b32 %r2, [%rd1], %r1, %r3;\n"
                          ".loc 1 17 1\nret;\n}\n"
                          ".file 1 \"k.cu\"\n";
enum { STORE = 1, LOAD, ATOM, VSTORE, FENCE, CAS };

#define BLOCKS 3
#define WARPS  2

struct world {
    struct emu_device device;
    struct emu_module module, *modules[1];
    struct emu_function function;
    struct emu_launch launch;
    struct emu_block blocks[BLOCKS];
    struct emu_warp warps[BLOCKS][WARPS];
    struct emu_shared shared[BLOCKS][3];
    uint32_t shared_variable[3];
    uint64_t block_serial;
    struct cmpd_sightings sightings;
    struct emu_ins in;
};

static void begin_launch(struct world *w)
{
    w->launch.serial++;
    w->launch.stop = false;
    for (unsigned b = 0; b < BLOCKS; b++) {
        struct emu_block *k = &w->blocks[b];
        *k = (struct emu_block){.launch = &w->launch,
                                .id = {b},
                                .linear = b,
                                .warp_count = WARPS,
                                .thread_count = WARPS * EMU_LANES,
                                .warps = w->warps[b],
                                .shared = w->shared[b],
                                .flat = true,
                                .serial = ++w->block_serial};
        for (unsigned i = 0; i < WARPS; i++) {
            w->warps[b][i] = (struct emu_warp){.launch = &w->launch,
                                               .block = k,
                                               .index = i,
                                               .lanes = EMU_FULL,
                                               .live = EMU_FULL,
                                               .flat = true};
        }
    }
}

static struct world *world_new(void)
{
    struct world *w = cmpd_calloc(1, sizeof *w);
    struct cmpd_err err = {0};
    if (cmpd_ptx_parse(PTX, sizeof PTX - 1, &w->module.ptx, &err) != CMPD_OK ||
        emu_memory_open(&w->device, 1 << 30, &w->device.memory, &err) != CMPD_OK) {
        fail_msg("%s", err.msg);
    }
    w->modules[0] = &w->module;
    w->device.modules = w->modules;
    w->device.module_count = 1;
    w->module.device = &w->device;
    w->module.shared_slot_count = 3;
    w->shared_variable[0] = w->shared_variable[1] = CMPD_PTX_NONE;
    w->shared_variable[2] = CMPD_PTX_NONE;
    for (uint32_t i = 0; i < w->module.ptx->variable_count; i++) {
        if (strcmp(w->module.ptx->variables[i].name, "_ZZ1kPfE4tile") == 0) {
            w->shared_variable[2] = i;
        }
    }
    assert_int_not_equal(w->shared_variable[2], CMPD_PTX_NONE);
    w->module.shared_variable = w->shared_variable;
    w->function.ptx = &w->module.ptx->functions[0];
    w->launch = (struct emu_launch){.device = &w->device,
                                    .module = &w->module,
                                    .function = &w->function,
                                    .grid = {BLOCKS, 1, 1},
                                    .block = {WARPS * EMU_LANES, 1, 1},
                                    .sightings = &w->sightings};
    for (unsigned b = 0; b < BLOCKS; b++) {
        emu_shared_init(&w->shared[b][2], 256);
    }
    begin_launch(w);
    return w;
}

static void world_free(struct world *w)
{
    for (unsigned b = 0; b < BLOCKS; b++) {
        emu_shared_clear(&w->shared[b][2]);
    }
    emu_memory_close(w->device.memory);
    cmpd_ptx_free(w->module.ptx);
    cmpd_sightings_clear(&w->sightings);
    free(w);
}

static uint64_t allocate(struct world *w, uint64_t bytes)
{
    uint64_t address = 0;
    struct cmpd_err err = {0};
    if (emu_memory_alloc(&w->device, bytes, CMPD_MEMORY_DEVICE, -1, NULL, &address, &err) !=
        CMPD_OK) {
        fail_msg("%s", err.msg);
    }
    return address;
}

/* A zeroed allocation. */
static uint64_t zeros(struct world *w, uint64_t bytes)
{
    uint64_t address = allocate(w, bytes);
    assert_int_equal(emu_memory_set(w->device.memory, address, 0, 1, bytes, NULL), CMPD_OK);
    return address;
}

static const struct emu_ins *at(struct world *w, unsigned ptx)
{
    w->in = (struct emu_ins){.ptx = w->function.ptx->first + ptx};
    if (ptx == VSTORE) {
        w->in.flags = EMU_F_VOLATILE;
    }
    return &w->in;
}

static void addresses(uint64_t *a, uint64_t first, uint64_t step)
{
    for (unsigned l = 0; l < EMU_LANES; l++) {
        a[l] = first + l * step;
    }
}

static void store(struct world *w, unsigned b, unsigned warp, unsigned ptx, uint32_t mask,
                  enum cmpd_ptx_space space, uint64_t first, uint64_t step, uint32_t value)
{
    uint64_t a[EMU_LANES];
    uint32_t v[EMU_LANES];
    addresses(a, first, step);
    for (unsigned l = 0; l < EMU_LANES; l++) {
        v[l] = value + l;
    }
    emu_store(&w->warps[b][warp], at(w, ptx), mask, a, 4, space, (const uint8_t *)v, 0, NULL);
}

static uint32_t load(struct world *w, unsigned b, unsigned warp, uint32_t mask,
                     enum cmpd_ptx_space space, uint64_t first, uint64_t step, uint32_t *out)
{
    uint64_t a[EMU_LANES];
    uint32_t undefined[EMU_LANES];
    addresses(a, first, step);
    return emu_load(&w->warps[b][warp], at(w, LOAD), mask, a, 4, space, (uint8_t *)out, undefined);
}

static void atomic(struct world *w, unsigned ptx, unsigned b, unsigned warp, unsigned lane,
                   uint64_t address)
{
    struct emu_bytes bytes;
    assert_true(emu_access(&w->warps[b][warp], at(w, ptx), lane, address, 4, CMPD_PTX_SPACE_GLOBAL,
                           EMU_ATOMIC, NULL, &bytes));
    uint32_t v;
    memcpy(&v, bytes.data, 4);
    v++;
    memcpy(bytes.data, &v, 4);
}

static void atom(struct world *w, unsigned b, unsigned warp, unsigned lane, uint64_t address)
{
    atomic(w, ATOM, b, warp, lane, address);
}

static void barrier(struct world *w, unsigned b)
{
    for (unsigned i = 0; i < WARPS; i++) {
        w->blocks[b].warp_clock[i]++;
    }
}

static void warp_sync(struct world *w, unsigned b, unsigned warp)
{
    for (unsigned l = 0; l < EMU_LANES; l++) {
        w->warps[b][warp].lane_clock[l]++;
    }
}

static void expect_quiet(struct world *w)
{
    if (w->sightings.count != 0) {
        fail_msg("unexpected: %s", w->sightings.items[0].message);
    }
}

static void expect(struct world *w, enum cmpd_tag tag, bool note, unsigned line, const char *text)
{
    if (w->sightings.count != 1) {
        fail_msg("%zu sightings", w->sightings.count);
    }
    const struct cmpd_sighting *s = &w->sightings.items[0];
    assert_int_equal(s->tag, tag);
    assert_int_equal(s->note, note);
    assert_string_equal(s->file, "k.cu");
    assert_int_equal(s->line, line);
    if (strstr(s->message, text) == NULL) {
        fail_msg("'%s' lacks '%s'", s->message, text);
    }
    cmpd_sightings_clear(&w->sightings);
    emu_reports_free(w->device.memory->reports); /* so that the same place is reported again */
    w->device.memory->reports = emu_reports_new();
}

#define GLOBAL CMPD_PTX_SPACE_GLOBAL
#define SHARED CMPD_PTX_SPACE_SHARED
#define FULL   EMU_FULL
#define TILE   ((uint64_t)2 << EMU_SHARED_SLOT_BITS)

/* ---- allocations ---- */

static void host_side(void **state)
{
    (void)state;
    struct world *w = world_new();
    struct emu_memory *m = w->device.memory;
    struct cmpd_err err = {0};
    uint64_t a = allocate(w, 100), count = 0, first = 0;
    uint8_t buffer[100];
    assert_int_equal(emu_memory_read(m, buffer, a, 100, &err), CMPD_OK);
    assert_int_equal(buffer[99], EMU_FRESH_PATTERN);
    memset(buffer, 7, sizeof buffer);
    assert_int_equal(emu_memory_write(m, a + 10, buffer, 20, &err), CMPD_OK);
    assert_int_equal(emu_memory_unwritten(m, a, 100, &count, &first, &err), CMPD_OK);
    assert_int_equal(count, 80);
    assert_int_equal(first, 0);
    assert_int_equal(emu_memory_unwritten(m, a + 10, 30, &count, &first, &err), CMPD_OK);
    assert_int_equal(count, 10);
    assert_int_equal(first, 20);
    uint64_t b = allocate(w, 100);
    assert_int_equal(emu_memory_copy(m, b, a, 100, &err), CMPD_OK);
    assert_int_equal(emu_memory_unwritten(m, b, 100, &count, &first, &err), CMPD_OK);
    assert_int_equal(count, 80);
    assert_int_equal(emu_memory_set(m, b, 0x01020304, 4, 100, &err), CMPD_OK);
    assert_int_equal(emu_memory_unwritten(m, b, 100, &count, &first, &err), CMPD_OK);
    assert_int_equal(count, 0);
    assert_int_equal(emu_memory_read(m, buffer, b + 97, 2, &err), CMPD_OK);
    assert_int_equal(buffer[0], 3);
    assert_int_equal(emu_memory_poison(m, b + 50, 0x11, 10, &err), CMPD_OK);
    assert_int_equal(emu_memory_unwritten(m, b, 100, &count, &first, &err), CMPD_OK);
    assert_int_equal(count, 10);
    assert_int_equal(first, 50);

    assert_int_equal(emu_memory_read(m, buffer, a + 1, 100, &err), CMPD_EINPUT);
    assert_string_equal(err.msg, "100 bytes at offset 1 of allocation #1 of 100 bytes");
    assert_int_equal(emu_memory_read(m, buffer, 0, 4, &err), CMPD_EINPUT);
    assert_non_null(strstr(err.msg, "null pointer"));
    assert_int_equal(emu_memory_free(&w->device, a + 4, &err), CMPD_EINPUT);
    assert_int_equal(emu_memory_free(&w->device, a, &err), CMPD_OK);
    assert_int_equal(emu_memory_free(&w->device, a, &err), CMPD_EINPUT);
    assert_string_equal(err.msg, "second free of freed allocation #1 of 100 bytes");
    uint64_t bytes = 0;
    emu_memory_live(m, &count, &bytes);
    assert_int_equal(count, 1);
    assert_int_equal(bytes, 100);
    world_free(w);
}

static long resident_kib(void)
{
    char line[128];
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    char *second = strchr(line, ' ');
    assert_non_null(second);
    return strtol(second, NULL, 10) * (sysconf(_SC_PAGESIZE) / 1024);
}

static void large_is_lazy(void **state)
{
    (void)state;
    struct world *w = world_new();
    struct emu_memory *m = w->device.memory;
    struct cmpd_err err = {0};
    uint64_t size = ((uint64_t)900 << 20) + 12, over = 0, count = 0, first = 0;
    long before = resident_kib();
    uint64_t a = allocate(w, size);
    assert_true(resident_kib() - before < 64 * 1024);
    uint32_t v = 0;
    assert_int_equal(emu_memory_read(m, &v, a + size - 4, 4, &err), CMPD_OK);
    assert_int_equal(v, 0xa5a5a5a5u);
    assert_int_equal(emu_memory_read(m, &v, a + ((uint64_t)500 << 20), 4, &err), CMPD_OK);
    assert_int_equal(v, 0xa5a5a5a5u);
    assert_int_equal(emu_memory_poison(m, a, 0x3c, size, &err), CMPD_OK);
    assert_int_equal(emu_memory_read(m, &v, a + ((uint64_t)500 << 20), 4, &err), CMPD_OK);
    assert_int_equal(v, 0x3c3c3c3cu);
    assert_int_equal(emu_memory_unwritten(m, a + 1000, 64, &count, &first, &err), CMPD_OK);
    assert_int_equal(count, 64);
    assert_int_equal(emu_memory_alloc(&w->device, (uint64_t)200 << 20, CMPD_MEMORY_DEVICE, -1, NULL,
                                      &over, &err),
                     CMPD_ELIMIT);
    assert_int_equal(emu_memory_free(&w->device, a, &err), CMPD_OK);
    allocate(w, (uint64_t)200 << 20);
    world_free(w);
}

static void slots_run_out_late(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t first = allocate(w, 16), last = 0;
    assert_int_equal(emu_memory_free(&w->device, first, NULL), CMPD_OK);
    for (unsigned i = 0; i < CMPD_DEVICE_SLOT_COUNT + 100; i++) {
        last = allocate(w, 16);
        if (i + 1 < CMPD_DEVICE_SLOT_COUNT) {
            assert_true(last != first);
        }
        assert_int_equal(emu_memory_free(&w->device, last, NULL), CMPD_OK);
    }
    world_free(w);
}

static void host_memory(void **state)
{
    (void)state;
    struct world *w = world_new();
    int fd = memfd_create("test", 0);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    uint32_t *mine = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(mine != MAP_FAILED);
    uint64_t a = 0;
    assert_int_equal(emu_memory_alloc(&w->device, 4096, CMPD_MEMORY_MANAGED, fd, NULL, &a, NULL),
                     CMPD_OK);
    mine[3] = 1234;
    uint32_t out[EMU_LANES];
    assert_int_equal(load(w, 0, 0, FULL, GLOBAL, a, 4, out), 0);
    assert_int_equal(out[3], 1234);
    store(w, 0, 0, STORE, FULL, GLOBAL, a, 4, 50);
    assert_int_equal(mine[31], 81);
    expect_quiet(w);
    munmap(mine, 4096);
    close(fd);
    world_free(w);
}

/* ---- bounds ---- */

static void bounds(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 124);
    uint32_t out[EMU_LANES];
    memset(out, 0xff, sizeof out);
    load(w, 1, 1, FULL, GLOBAL, a, 4, out);
    assert_int_equal(out[30], 0);
    assert_int_equal(out[31], 0);
    assert_false(w->launch.stop);
    expect(w, CMPD_TAG_out_of_bounds, false, 12,
           "read of 4 bytes at offset 124 of allocation #1 of 124 bytes; thread (63,0,0) of block "
           "(1,0,0)");
    store(w, 0, 0, STORE, 1, GLOBAL, a - 4, 0, 1);
    expect(w, CMPD_TAG_out_of_bounds, false, 11, "write of 4 bytes at offset -4 of allocation #1");
    load(w, 0, 0, 1, GLOBAL, 16, 0, out);
    assert_true(w->launch.stop);
    expect(w, CMPD_TAG_out_of_bounds, false, 12, "null pointer");
    load(w, 0, 0, 1, GLOBAL, 0x7fff12345678, 0, out);
    expect(w, CMPD_TAG_out_of_bounds, false, 12, "host pointer");
    load(w, 0, 0, 1, GLOBAL, a + 2, 0, out);
    expect(w, CMPD_TAG_misaligned_access, false, 12, "not a multiple of 4");
    emu_memory_free(&w->device, a, NULL);
    load(w, 0, 0, 1, GLOBAL, a + 4, 0, out);
    expect(w, CMPD_TAG_out_of_bounds, false, 12, "offset 4 of freed allocation #1 of 124 bytes");
    /* Shared: generic and not, above and below. */
    store(w, 0, 0, STORE, FULL, SHARED, TILE, 4, 0);
    assert_int_equal(load(w, 0, 0, FULL, CMPD_PTX_SPACE_GENERIC, EMU_SHARED_WINDOW + TILE, 4, out),
                     0);
    assert_int_equal(out[5], 5);
    load(w, 0, 0, 1, SHARED, TILE + 256, 0, out);
    expect(w, CMPD_TAG_out_of_bounds, false, 12,
           "offset 256 of shared variable 'tile' of 256 bytes");
    load(w, 0, 0, 1, SHARED, TILE - 4, 0, out);
    expect(w, CMPD_TAG_out_of_bounds, false, 12, "offset -4 of shared variable 'tile'");
    world_free(w);
}

static void counts_by_place(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 4);
    uint32_t out[EMU_LANES];
    for (int i = 0; i < 10; i++) {
        load(w, 0, 0, FULL, GLOBAL, a, 4, out);
    }
    assert_int_equal(w->sightings.count, 1);
    assert_int_equal(w->sightings.items[0].times, 310);
    world_free(w);
}

/* ---- what was written ---- */

static void unwritten(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = allocate(w, 128);
    uint32_t out[EMU_LANES];
    store(w, 0, 0, STORE, 0xff, GLOBAL, a, 4, 0);
    assert_int_equal(load(w, 0, 0, FULL, GLOBAL, a, 4, out), 0xffffff00u);
    /* All lanes at one word. */
    assert_int_equal(load(w, 0, 0, 0xf0, GLOBAL, a + 64, 0, out), 0xf0);
    /* An undefined value that is stored, and where it came from. */
    uint64_t at_[EMU_LANES], b = zeros(w, 128);
    uint32_t bytes[EMU_LANES] = {0};
    bytes[2] = 0xf;
    addresses(at_, b, 4);
    emu_store(&w->warps[0][0], at(w, STORE), FULL, at_, 4, GLOBAL, (const uint8_t *)out, 4, bytes);
    emu_store_origin(&w->warps[0][0], at(w, STORE), w->function.ptx->first + LOAD);
    assert_int_equal(load(w, 0, 0, FULL, GLOBAL, b, 4, out), 4);
    uint64_t count = 1, first = 0;
    assert_int_equal(emu_memory_unwritten(w->device.memory, b, 128, &count, &first, NULL), CMPD_OK);
    assert_int_equal(count, 4);
    assert_int_equal(first, 8);
    assert_int_equal(emu_memory_undefined(w->device.memory, b, 8, &w->sightings, NULL), CMPD_OK);
    expect_quiet(w);
    assert_int_equal(emu_memory_undefined(w->device.memory, b, 128, &w->sightings, NULL), CMPD_OK);
    expect(w, CMPD_TAG_uninitialized_read, false, 12, "reached offset 8 of allocation #2");
    world_free(w);
}

static void async_copies(void **state)
{
    (void)state;
    struct world *w = world_new();
    struct emu_warp *warp = &w->warps[0][0];
    uint32_t out[EMU_LANES], v = 77;
    assert_true(emu_store_pending(warp, at(w, STORE), 0, TILE, 4));
    load(w, 0, 0, 1, SHARED, TILE, 0, out);
    expect(w, CMPD_TAG_missing_async_wait, false, 12, "asynchronous copy");
    emu_store_arrived(warp, at(w, STORE), 0, TILE, 4, (const uint8_t *)&v, 0);
    assert_int_equal(load(w, 0, 0, 1, SHARED, TILE, 0, out), 0);
    assert_int_equal(out[0], 77);
    expect_quiet(w);
    load(w, 0, 1, 1, SHARED, TILE, 0, out);
    expect(w, CMPD_TAG_data_race, false, 12, "read of 4 bytes");
    world_free(w);
}

/* ---- races ---- */

static void race_in_block(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint32_t out[EMU_LANES];
    store(w, 0, 0, STORE, FULL, SHARED, TILE, 4, 0);
    load(w, 0, 0, FULL, SHARED, TILE, 4, out); /* its own */
    expect_quiet(w);
    load(w, 0, 1, 1, SHARED, TILE, 0, out);
    expect(
        w, CMPD_TAG_data_race, false, 12,
        "read of 4 bytes at offset 0 of shared variable 'tile' of 256 bytes is not ordered after "
        "the write by thread (0,0,0) at k.cu:11; thread (32,0,0) of block (0,0,0)");
    begin_launch(w);
    store(w, 0, 0, STORE, FULL, SHARED, TILE, 4, 0);
    barrier(w, 0);
    load(w, 0, 1, FULL, SHARED, TILE, 4, out);
    load(w, 0, 0, FULL, SHARED, TILE, 4, out);
    expect_quiet(w);
    store(w, 0, 1, STORE, 2, SHARED, TILE, 4, 100);
    expect(w, CMPD_TAG_data_race, false, 11, "after the read by thread (1,0,0)");
    /* The next block finds nothing of it. */
    begin_launch(w);
    store(w, 0, 1, STORE, FULL, SHARED, TILE, 4, 0);
    expect_quiet(w);
    world_free(w);
}

static void race_in_warp(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint32_t out[EMU_LANES];
    uint64_t back[EMU_LANES];
    uint32_t undefined[EMU_LANES];
    addresses(back, TILE + 124, (uint64_t)-4);
    store(w, 0, 0, STORE, FULL, SHARED, TILE, 4, 0);
    emu_load(&w->warps[0][0], at(w, LOAD), FULL, back, 4, SHARED, (uint8_t *)out, undefined);
    expect(w, CMPD_TAG_data_race, false, 12, "the write by thread (31,0,0)");
    begin_launch(w);
    store(w, 0, 0, STORE, FULL, SHARED, TILE, 4, 0);
    warp_sync(w, 0, 0);
    emu_load(&w->warps[0][0], at(w, LOAD), FULL, back, 4, SHARED, (uint8_t *)out, undefined);
    expect_quiet(w);
    /* One instruction, two lanes, one word. */
    begin_launch(w);
    store(w, 0, 0, STORE, 3, SHARED, TILE, 0, 1000);
    expect(w, CMPD_TAG_data_race, false, 11, "the write by thread (0,0,0)");
    /* A broadcast is read by all: even the first reader may not write. */
    begin_launch(w);
    store(w, 0, 0, STORE, 1, SHARED, TILE, 0, 5);
    warp_sync(w, 0, 0);
    load(w, 0, 0, FULL, SHARED, TILE, 0, out);
    expect_quiet(w);
    store(w, 0, 0, STORE, 1, SHARED, TILE, 0, 6);
    expect(w, CMPD_TAG_data_race, false, 11, "after the read by");
    world_free(w);
}

static void same_value_is_a_note(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 4);
    store(w, 0, 0, STORE, 1, GLOBAL, a, 0, 7);
    store(w, 1, 0, STORE, 1, GLOBAL, a, 0, 7);
    expect(w, CMPD_TAG_data_race, true, 11, "write");
    world_free(w);
}

static void race_between_blocks(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 256);
    uint32_t out[EMU_LANES];
    store(w, 0, 0, STORE, FULL, GLOBAL, a, 4, 0);
    barrier(w, 0);
    barrier(w, 1);
    load(w, 0, 1, FULL, GLOBAL, a, 4, out);
    expect_quiet(w);
    load(w, 1, 0, FULL, GLOBAL, a, 4, out);
    expect(w, CMPD_TAG_data_race, false, 12, "the write by thread (0,0,0) of block (0,0,0)");
    /* Read by three blocks, then written by one of them. */
    begin_launch(w);
    for (unsigned b = 0; b < BLOCKS; b++) {
        load(w, b, 0, FULL, GLOBAL, a, 4, out);
        load(w, b, 1, FULL, GLOBAL, a, 4, out);
    }
    expect_quiet(w);
    store(w, 0, 0, STORE, 1, GLOBAL, a, 4, 900);
    expect(w, CMPD_TAG_data_race, false, 11, "the read by thread (0,0,0) of block (1,0,0)");
    /* What an earlier launch did is over. */
    begin_launch(w);
    store(w, 2, 0, STORE, FULL, GLOBAL, a, 4, 0);
    expect_quiet(w);
    world_free(w);
}

static void atomics(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 256);
    uint32_t out[EMU_LANES];
    for (unsigned b = 0; b < BLOCKS; b++) {
        atom(w, b, 0, 3, a);
        atom(w, b, 1, 4, a);
    }
    expect_quiet(w);
    load(w, 1, 0, 1, GLOBAL, a, 0, out);
    expect_quiet(w); /* not yet: see race_guard.c */
    emu_race_finish(&w->launch);
    expect(w, CMPD_TAG_data_race, false, 12,
           "the atomic operation by thread (36,0,0) of block (2,0,0)");
    begin_launch(w);
    store(w, 0, 0, STORE, 1, GLOBAL, a, 0, 3);
    atom(w, 0, 1, 0, a);
    expect(w, CMPD_TAG_data_race, false, 13, "atomic operation of 4 bytes");
    world_free(w);
}

/* old = *p; do old = atomicCAS(p, ...): the read is no race; the same read before an addition is. */
static void looks_before_leaps(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 256);
    uint32_t out[EMU_LANES];
    for (unsigned b = 0; b < BLOCKS; b++) {
        load(w, b, 0, FULL, GLOBAL, a, 0, out);
        for (unsigned l = 0; l < EMU_LANES; l++) {
            atomic(w, CAS, b, 0, l, a);
        }
    }
    expect_quiet(w);
    emu_race_finish(&w->launch);
    expect(w, CMPD_TAG_data_race, true, 16, "atomic operation");
    begin_launch(w);
    for (unsigned b = 0; b < BLOCKS; b++) {
        load(w, b, 0, FULL, GLOBAL, a, 0, out);
        for (unsigned l = 0; l < EMU_LANES; l++) {
            atomic(w, ATOM, b, 0, l, a);
        }
    }
    emu_race_finish(&w->launch);
    expect(w, CMPD_TAG_data_race, false, 13, "atomic operation");
    world_free(w);
}

static void fences(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t data = zeros(w, 128), counter = zeros(w, 4);
    uint32_t out[EMU_LANES];
    /* The last block sums up: data, fence, atomic. */
    for (unsigned b = 0; b < BLOCKS; b++) {
        store(w, b, 0, STORE, 1, GLOBAL, data + b * 4, 0, b);
        emu_race_fence(&w->warps[b][0], at(w, FENCE), 1);
        atom(w, b, 0, 0, counter);
    }
    load(w, BLOCKS - 1, 1, 3, GLOBAL, data, 4, out);
    expect_quiet(w);
    /* What comes after the flag isn't covered by it. */
    store(w, 0, 0, STORE, 1, GLOBAL, data, 0, 5);
    begin_launch(w);
    store(w, 0, 0, STORE, 1, GLOBAL, data, 0, 1);
    emu_race_fence(&w->warps[0][0], at(w, FENCE), 1);
    atom(w, 0, 0, 0, counter);
    store(w, 0, 0, STORE, 1, GLOBAL, data + 4, 0, 1);
    atom(w, 1, 0, 0, counter);
    cmpd_sightings_clear(&w->sightings);
    load(w, 1, 0, 1, GLOBAL, data, 0, out);
    expect_quiet(w);
    load(w, 1, 0, 1, GLOBAL, data + 4, 0, out);
    expect(w, CMPD_TAG_data_race, false, 12, "of block (0,0,0) at k.cu:11");
    /* Without the fence the atomic orders nothing. */
    begin_launch(w);
    store(w, 0, 0, STORE, 1, GLOBAL, data, 0, 2);
    atom(w, 0, 0, 0, counter);
    atom(w, 1, 0, 0, counter);
    load(w, 1, 0, 1, GLOBAL, data, 0, out);
    expect(w, CMPD_TAG_data_race, false, 12, "write by thread (0,0,0) of block (0,0,0)");
    /* A volatile flag that was set too early is worth a note at the flag, and the data race stands. */
    begin_launch(w);
    store(w, 0, 0, STORE, 1, GLOBAL, counter, 0, 1);
    store(w, 1, 0, VSTORE, 1, GLOBAL, counter, 0, 2);
    expect(w, CMPD_TAG_data_race, true, 14, "volatile write");
    world_free(w);
}

static void narrow(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 128), at_[EMU_LANES];
    uint8_t v[EMU_LANES] = {1, 2, 3};
    addresses(at_, a, 1);
    /* Words first, then bytes of the same words by other threads. */
    store(w, 0, 0, STORE, 1, GLOBAL, a + 64, 0, 5);
    emu_store(&w->warps[0][0], at(w, STORE), 3, at_, 1, GLOBAL, v, 0, NULL);
    addresses(at_, a + 2, 1);
    emu_store(&w->warps[1][0], at(w, STORE), 3, at_, 1, GLOBAL, v, 0, NULL);
    expect_quiet(w);
    v[0] = 99;
    emu_store(&w->warps[2][0], at(w, STORE), 1, at_, 1, GLOBAL, v, 0, NULL);
    expect(w, CMPD_TAG_data_race, false, 11, "write of 1 byte at offset 2");
    addresses(at_, a + 67, 1);
    emu_store(&w->warps[2][0], at(w, STORE), 1, at_, 1, GLOBAL, v, 0, NULL);
    expect(w, CMPD_TAG_data_race, false, 11, "offset 67");
    world_free(w);
}

static void last_writer(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 128);
    assert_int_equal(emu_memory_writer(w->device.memory, a), 0);
    store(w, 0, 0, STORE, FULL, GLOBAL, a, 4, 0);
    uint32_t place = emu_memory_writer(w->device.memory, a + 9);
    assert_int_equal(emu_place_ptx(place), w->function.ptx->first + STORE);
    begin_launch(w);
    atom(w, 0, 0, 0, a + 8);
    place = emu_memory_writer(w->device.memory, a + 9);
    assert_int_equal(emu_place_ptx(place), w->function.ptx->first + ATOM);
    emu_memory_forget(w->device.memory);
    assert_int_equal(emu_memory_writer(w->device.memory, a + 9), 0);
    world_free(w);
}

static void many_intervals(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t a = zeros(w, 256);
    uint32_t out[EMU_LANES];
    w->device.memory->race->next = EMU_INTERVAL_END -
                                   200; /* the numbering begins anew on the way */
    for (unsigned i = 0; i < 600; i++) {
        store(w, 0, 0, STORE, FULL, GLOBAL, a, 4, i);
        warp_sync(w, 0, 0);
    }
    assert_true(w->device.memory->race->next < 10000);
    expect_quiet(w);
    load(w, 1, 0, 1, GLOBAL, a, 0, out);
    expect(w, CMPD_TAG_data_race, false, 12, "the write by");
    world_free(w);
}

static void names(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"gtab", "gtab"},
        {"_ZN2ns4gtabE", "gtab"},
        {"_ZL4gtab", "gtab"},
        {"_ZZ8k_shoverPfE1a", "a"},
        {"_ZZ6kernelIfLi12EEvPT_E4tile", "tile"},
        {"_ZZ6kernelPfE4tile_0", "tile"},
        {"_ZZN3foo6kernelEPfE9tile_b2x4", "tile_b2x4"},
        {"_ZN44_INTERNAL_00000000_7_test_cu_00000000_1234566gcountE", "gcount"},
        {"_Z", "_Z"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64];
        emu_demangle(rows[i][0], out, sizeof out);
        assert_string_equal(out, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_side),
        cmocka_unit_test(large_is_lazy),
        cmocka_unit_test(slots_run_out_late),
        cmocka_unit_test(host_memory),
        cmocka_unit_test(bounds),
        cmocka_unit_test(counts_by_place),
        cmocka_unit_test(unwritten),
        cmocka_unit_test(async_copies),
        cmocka_unit_test(race_in_block),
        cmocka_unit_test(race_in_warp),
        cmocka_unit_test(same_value_is_a_note),
        cmocka_unit_test(race_between_blocks),
        cmocka_unit_test(atomics),
        cmocka_unit_test(looks_before_leaps),
        cmocka_unit_test(fences),
        cmocka_unit_test(narrow),
        cmocka_unit_test(last_writer),
        cmocka_unit_test(many_intervals),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
