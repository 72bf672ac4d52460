/* The emulated device through its vtable: modules, symbols, launches, what it tells about memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu-runner/emulator/device_text.h"

/* y[i] = x[i] + table[0] for i < n, and the sum of all goes into total. */
static const char PTX[] =
    ".version 9.0\n.target sm_80\n.address_size 64\n"
    ".visible .const .align 4 .b8 table[8] = {5, 0, 0, 0, 6, 0, 0, 0};\n"
    ".visible .global .align 4 .u32 total;\n"
    ".visible .entry add(.param .u64 x, .param .u64 y, .param .u32 n)\n"
    ".maxntid 256, 1, 1\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
    ".loc 1 10 1\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r4, %r2, %r3, %r4;\nsetp.ge.s32 %p1, %r4, %r1;\n@%p1 bra $L_end;\n"
    "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n"
    "mul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
    ".loc 1 11 1\nld.global.u32 %r5, [%rd4];\n"
    ".loc 1 12 1\nld.const.u32 %r6, [table];\nadd.s32 %r7, %r5, %r6;\n"
    ".loc 1 13 1\nst.global.u32 [%rd5], %r7;\n"
    ".loc 1 14 1\nred.global.add.u32 [total], %r7;\n"
    "$L_end:\n.loc 1 15 1\nret;\n}\n"
    ".file 1 \"add.cu\"\n";

struct params {
    uint64_t x, y;
    uint32_t n;
};

struct fixture {
    struct cmpd_device *d;
    uint32_t module;
    struct params params;
    struct cmpd_launch launch;
    struct cmpd_launch_result result;
    struct cmpd_sightings sightings;
    struct cmpd_err err;
};

#define OK(call)                        \
    do {                                \
        if ((call) != CMPD_OK) {        \
            fail_msg("%s", f->err.msg); \
        }                               \
    } while (0)

static uint64_t allocate(struct fixture *f, uint64_t bytes)
{
    uint64_t address = 0;
    OK(f->d->ops->alloc(f->d, bytes, CMPD_MEMORY_DEVICE, -1, NULL, &address, &f->err));
    return address;
}

static int open_device(void **state)
{
    struct fixture *f = test_calloc(1, sizeof *f);
    struct cmpd_device_options options = {.cancel_fd = -1};
    OK(cmpd_device_find("emulator")->open(&options, &f->d, &f->err));
    OK(emu_device_load_text(f->d, PTX, sizeof PTX - 1, &f->module, &f->err));
    f->params = (struct params){allocate(f, 400), allocate(f, 400), 100};
    OK(f->d->ops->set(f->d, f->params.x, 7, 4, 400, &f->err));
    f->launch = (struct cmpd_launch){.module = f->module,
                                     .kernel = "add",
                                     .grid = {4, 1, 1},
                                     .block = {32, 1, 1},
                                     .params = &f->params,
                                     .param_bytes = sizeof f->params};
    *state = f;
    return 0;
}

static int close_device(void **state)
{
    struct fixture *f = *state;
    f->d->ops->close(f->d);
    cmpd_sightings_clear(&f->sightings);
    test_free(f);
    return 0;
}

static void launch(struct fixture *f)
{
    OK(f->d->ops->launch(f->d, &f->launch, &f->result, &f->sightings, &f->err));
}

static void runs(void **state)
{
    struct fixture *f = *state;
    launch(f);
    assert_int_equal(f->result.end, CMPD_LAUNCH_DONE);
    assert_int_equal(f->sightings.count, 0);
    assert_true(f->result.lane_instructions > 1000);
    uint32_t y[100], total = 0;
    OK(f->d->ops->read(f->d, y, f->params.y, 400, &f->err));
    assert_int_equal(y[0], 12);
    assert_int_equal(y[99], 12);
    uint64_t address = 0, bytes = 0;
    OK(f->d->ops->symbol(f->d, f->module, "total", &address, &bytes, &f->err));
    assert_int_equal(bytes, 4);
    OK(f->d->ops->read(f->d, &total, address, 4, &f->err));
    assert_int_equal(total, 1200);
    /* A symbol that the host sets. */
    uint32_t five[2] = {100, 0};
    OK(f->d->ops->symbol(f->d, f->module, "table", &address, &bytes, &f->err));
    assert_int_equal(bytes, 8);
    OK(f->d->ops->write(f->d, address, five, 8, &f->err));
    launch(f);
    OK(f->d->ops->read(f->d, y, f->params.y, 400, &f->err));
    assert_int_equal(y[50], 107);
}

static void tells_of_kernels(void **state)
{
    struct fixture *f = *state;
    struct cmpd_kernel_info k;
    OK(f->d->ops->kernel(f->d, f->module, "add", &k, &f->err));
    assert_string_equal(k.name, "add");
    assert_int_equal(k.param_count, 3);
    assert_int_equal(k.param_offsets[2], 16);
    assert_int_equal(k.param_sizes[2], 4);
    assert_int_equal(k.max_threads, 256);
    assert_int_equal(k.static_shared_bytes, 0);
    assert_int_equal(f->d->ops->kernel(f->d, f->module, "sub", &k, &f->err), CMPD_ENOENT);
    assert_int_equal(f->d->ops->kernel(f->d, 7, "add", &k, &f->err), CMPD_ENOENT);
    uint64_t address, bytes;
    assert_int_equal(f->d->ops->symbol(f->d, f->module, "add", &address, &bytes, &f->err),
                     CMPD_ENOENT);
}

static void refuses(void **state)
{
    struct fixture *f = *state;
    static const uint32_t wrong[][6] = {
        {0, 1, 1, 32, 1, 1},     {1, 1, 1, 0, 1, 1},  {1, 1, 1, 257, 1, 1},
        {1, 70000, 1, 32, 1, 1}, {1, 1, 1, 1, 1, 65}, {1, 1, 1, 65536, 65536, 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(f->launch.grid, wrong[i], sizeof f->launch.grid);
        memcpy(f->launch.block, wrong[i] + 3, sizeof f->launch.block);
        assert_int_equal(f->d->ops->launch(f->d, &f->launch, &f->result, &f->sightings, &f->err),
                         CMPD_EINPUT);
    }
    memcpy(f->launch.grid, (uint32_t[]){1, 1, 1}, sizeof f->launch.grid);
    memcpy(f->launch.block, (uint32_t[]){32, 1, 1}, sizeof f->launch.block);
    f->launch.shared_bytes = 300000;
    assert_int_equal(f->d->ops->launch(f->d, &f->launch, &f->result, &f->sightings, &f->err),
                     CMPD_EINPUT);
    f->launch.shared_bytes = 0;
    f->launch.param_bytes = 19;
    assert_int_equal(f->d->ops->launch(f->d, &f->launch, &f->result, &f->sightings, &f->err),
                     CMPD_EINPUT);
    uint32_t module;
    assert_int_equal(f->d->ops->load(f->d, "not a fat binary", 16, &module, &f->err), CMPD_EINPUT);
    assert_int_equal(emu_device_load_text(f->d, "nonsense", 8, &module, &f->err), CMPD_EINPUT);
}

static void knows_the_writer(void **state)
{
    struct fixture *f = *state;
    const char *file = NULL;
    uint32_t line = 0;
    assert_int_equal(f->d->ops->writer(f->d, f->params.y, &file, &line, &f->err), CMPD_ENOENT);
    launch(f);
    OK(f->d->ops->writer(f->d, f->params.y + 30, &file, &line, &f->err));
    assert_string_equal(file, "add.cu");
    assert_int_equal(line, 13);
    uint64_t total = 0, bytes = 0;
    OK(f->d->ops->symbol(f->d, f->module, "total", &total, &bytes, &f->err));
    OK(f->d->ops->writer(f->d, total, &file, &line, &f->err));
    assert_int_equal(line, 14);
    f->d->ops->begin_case(f->d, 0, 0, 0);
    assert_int_equal(f->d->ops->writer(f->d, f->params.y, &file, &line, &f->err), CMPD_ENOENT);
}

static void sees_undefined_results(void **state)
{
    struct fixture *f = *state;
    uint64_t count = 0, first = 0;
    OK(f->d->ops->poison(f->d, f->params.x + 40, 0xff, 8, &f->err));
    launch(f);
    OK(f->d->ops->unwritten(f->d, f->params.y, 400, &count, &first, &f->err));
    assert_int_equal(count, 8);
    assert_int_equal(first, 40);
    /* Stored to global memory, computed with: named where it was read. */
    assert_int_equal(f->sightings.count, 1);
    assert_int_equal(f->sightings.items[0].tag, CMPD_TAG_uninitialized_read);
    assert_false(f->sightings.items[0].note);
    assert_int_equal(f->sightings.items[0].line, 11);
    cmpd_sightings_clear(&f->sightings);
    OK(f->d->ops->undefined(f->d, f->params.y, 40, &f->sightings, &f->err));
    assert_int_equal(f->sightings.count, 0);
    OK(f->d->ops->undefined(f->d, f->params.y, 400, &f->sightings, &f->err));
    assert_int_equal(f->sightings.count, 1);
    assert_int_equal(f->sightings.items[0].line, 11);
    assert_string_equal(f->sightings.items[0].kernel, "add");
}

static void faults(void **state)
{
    struct fixture *f = *state;
    f->params.n = 101;
    launch(f);
    assert_int_equal(f->result.end, CMPD_LAUNCH_DONE);
    assert_int_equal(f->sightings.count, 2); /* the read and the write */
    f->params.y = 0;
    launch(f);
    assert_int_equal(f->result.end, CMPD_LAUNCH_FAULT);
    f->params.n = 100;
    f->params.y = f->params.x;
    OK(f->d->ops->free(f->d, f->params.x, &f->err));
    launch(f);
    assert_int_equal(f->result.end, CMPD_LAUNCH_FAULT);
    uint64_t bytes = 0, live = 0;
    f->d->ops->live(f->d, &live, &bytes);
    assert_int_equal(live, 1);
    assert_int_equal(bytes, 400);
}

static void budget(void **state)
{
    struct fixture *f = *state;
    f->d->ops->begin_case(f->d, 500, 0, 0);
    launch(f);
    assert_int_equal(f->result.end, CMPD_LAUNCH_BUDGET);
    f->d->ops->begin_case(f->d, 0, 0, 0);
    launch(f);
    assert_int_equal(f->result.end, CMPD_LAUNCH_DONE);
}

static void sightings(void **state)
{
    (void)state;
    struct cmpd_sightings s = {0};
    struct cmpd_sighting what = {.tag = CMPD_TAG_data_race,
                                 .file = (char *)"a.cu",
                                 .line = 3,
                                 .message = (char *)"first",
                                 .times = 1};
    assert_non_null(cmpd_sightings_add(&s, &what));
    what.message = (char *)"second";
    what.times = 4;
    assert_ptr_equal(cmpd_sightings_add(&s, &what), &s.items[0]);
    assert_string_equal(s.items[0].message, "first");
    assert_int_equal(s.items[0].times, 5);
    what.note = true;
    assert_non_null(cmpd_sightings_add(&s, &what));
    what.note = false;
    what.kernel = (char *)"k";
    assert_non_null(cmpd_sightings_add(&s, &what));
    assert_int_equal(s.count, 3);
    for (uint32_t i = 0; i < 2 * CMPD_SIGHTINGS_CEILING; i++) {
        what.line = 100 + i;
        cmpd_sightings_add(&s, &what);
    }
    assert_int_equal(s.count, CMPD_SIGHTINGS_CEILING);
    what.line = 100; /* what is known still counts */
    assert_non_null(cmpd_sightings_add(&s, &what));
    cmpd_sightings_clear(&s);
    cmpd_sightings_clear(&s);
    assert_null(s.items);
    assert_null(cmpd_device_find("abacus"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs, open_device, close_device),
        cmocka_unit_test_setup_teardown(tells_of_kernels, open_device, close_device),
        cmocka_unit_test_setup_teardown(refuses, open_device, close_device),
        cmocka_unit_test_setup_teardown(knows_the_writer, open_device, close_device),
        cmocka_unit_test_setup_teardown(sees_undefined_results, open_device, close_device),
        cmocka_unit_test_setup_teardown(faults, open_device, close_device),
        cmocka_unit_test(sightings),
        cmocka_unit_test_setup_teardown(budget, open_device, close_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
