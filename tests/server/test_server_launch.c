/* Launches: what is refused, what faults leave behind, what is recorded, and doing it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "peer.h"

static const struct cmpd_server_case one_case = {.task = CMPD_WIRE_TASK_CALL, .number = 1};

static struct peer *start(void)
{
    struct peer *p = peer_start(NULL, &one_case, 1);

    assert_int_equal(peer_next(p), 1);
    return p;
}

static const struct cmpd_server_record *done(struct peer *p)
{
    assert_int_equal(peer_done(p, 1), 0);
    peer_finish(p);
    return &p->records[0];
}

static int32_t launch(struct peer *p, struct cmpd_wire_launch l)
{
    return peer_ask(p, CMPD_WIRE_LAUNCH, &l, sizeof(l), NULL, 0);
}

/* Errors measured with CUDA 13.0. */
static void test_configurations(void **state)
{
    static const struct {
        struct cmpd_wire_launch l;
        int32_t error;
    } shapes[] = {
        {{.handle = K_STUCK, .grid = {1, 1, 1}, .block = {1025, 1, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 1, 1}, .block = {1, 1, 65}}, 1},
        {{.handle = K_STUCK, .grid = {1, 1, 1}, .block = {1, 2048, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 1, 1}, .block = {UINT32_MAX, 2, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 1, 1}, .block = {64, 32, 1}}, 1},
        {{.handle = K_STUCK, .grid = {0, 1, 1}, .block = {32, 1, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 0, 1}, .block = {1, 1, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 1, 1}, .block = {0, 1, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 65536, 1}, .block = {1, 1, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 1, 65536}, .block = {1, 1, 1}}, 1},
        {{.handle = K_STUCK, .grid = {0x80000000u, 1, 1}, .block = {1, 1, 1}}, 1},
        {{.handle = K_STUCK, .grid = {1, 1, 1}, .block = {1, 1, 1}, .shared_bytes = 49153}, 1},
        {{.handle = K_BOUNDED, .grid = {1, 1, 1}, .block = {129, 1, 1}}, 1},
        {{.handle = K_BIG_SHARED, .grid = {1, 1, 1}, .block = {1, 1, 1}, .shared_bytes = 1025}, 1},
        {{.handle = K_STUCK, .grid = {100000, 1, 1}, .block = {1024, 1, 1}, .flags = 1}, 720},
        {{.handle = 0x7777, .grid = {1, 1, 1}, .block = {1, 1, 1}}, 400},
        {{.handle = 0, .grid = {1, 1, 1}, .block = {1, 1, 1}}, 98},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct peer *p = start();
        assert_int_equal(launch(p, shapes[i].l), shapes[i].error);
        const struct cmpd_server_record *r = done(p);
        assert_int_equal(sightings_of(r, CMPD_TAG_launch_failed, false), 1);
        assert_int_equal(sightings_of(r, CMPD_TAG_api_error, false), 1); /* nobody read it */
        assert_int_equal(r->launches, 0);
        assert_int_equal(r->last_error, shapes[i].error);
        peer_free(p);
    }
}

static void test_possible_configurations(void **state)
{
    static const struct cmpd_wire_launch shapes[] = {
        {.handle = K_BOUNDED, .grid = {0x7fffffff, 1, 1}, .block = {128, 1, 1}},
        {.handle = K_BOUNDED, .grid = {1, 65535, 65535}, .block = {2, 1, 64}},
        {.handle = K_BOUNDED, .grid = {1, 1, 1}, .block = {1, 1, 1}, .shared_bytes = 49152},
        {.handle = K_BIG_SHARED, .grid = {1, 1, 1}, .block = {1024, 1, 1}, .shared_bytes = 1024},
        {.handle = K_BIG_SHARED, .grid = {216, 1, 1}, .block = {1024, 1, 1}, .flags = 1},
    };
    struct peer *p = start();

    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        assert_int_equal(launch(p, shapes[i]), 0);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(r->launches, 5);
    assert_int_equal(r->sightings.count, 0);
    assert_int_equal(r->steps[1].grid[1], 65535);
    assert_string_equal(r->steps[0].kernel, "bounded");
    assert_int_equal(r->lane_instructions, 500);
    assert_true(r->steps[4].cooperative);
    peer_free(p);
}

static int32_t func_set(struct peer *p, uint64_t handle, int32_t attribute, int32_t value)
{
    struct {
        uint64_t handle;
        int32_t attribute, value;
    } q = {handle, attribute, value};

    return peer_ask(p, CMPD_WIRE_FUNC_SET, &q, sizeof(q), NULL, 0);
}

static void test_clusters(void **state)
{
    struct peer *p = start();

    (void)state;
    assert_int_equal(launch(p, (struct cmpd_wire_launch){.handle = K_BOUNDED,
                                                         .grid = {4, 1, 1},
                                                         .block = {32, 1, 1},
                                                         .cluster = {2, 1, 1}}),
                     801);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_not_emulated, false), 1);
    assert_true(r->undecided);
    peer_free(p);
}

static void test_function_attributes(void **state)
{
    struct cmpd_wire_launch big = {
        .handle = K_BOUNDED, .grid = {1, 1, 1}, .block = {1, 1, 1}, .shared_bytes = 166912};
    struct peer *p = start();

    (void)state;
    assert_int_equal(launch(p, big), 1);
    assert_int_equal(func_set(p, K_BOUNDED, 8, 166912), 0);
    assert_int_equal(launch(p, big), 0);
    assert_int_equal(func_set(p, K_BOUNDED, 8, 166913), 1);
    assert_int_equal(func_set(p, K_BIG_SHARED, 8, 166912), 1);
    assert_int_equal(func_set(p, K_BOUNDED, 8, -5), 1);
    assert_int_equal(func_set(p, K_BOUNDED, 0, 1), 1);
    assert_int_equal(func_set(p, K_BOUNDED, 9, 101), 1);
    assert_int_equal(func_set(p, K_BOUNDED, 9, 50), 0);
    assert_int_equal(func_set(p, 0x7777, 8, 5), 400);
    assert_int_equal(func_set(p, K_BOUNDED, 8, 1024), 0); /* it lowers the limit too */
    big.shared_bytes = 2048;
    assert_int_equal(launch(p, big), 1);
    done(p);
    peer_free(p);
}

static void test_kernel_info(void **state)
{
    struct peer *p = start();
    struct cmpd_wire_kernel k;
    uint32_t pairs[4];
    uint64_t handle = K_ADD_ONE;

    (void)state;
    assert_int_equal(peer_ask(p, CMPD_WIRE_KERNEL, &handle, 8, NULL, 0), 0);
    assert_int_equal(p->answer_len, sizeof(k) + sizeof(pairs));
    memcpy(&k, p->answer, sizeof(k));
    memcpy(pairs, p->answer + sizeof(k), sizeof(pairs));
    assert_int_equal(k.param_count, 2);
    assert_int_equal(k.param_bytes, 12);
    assert_int_equal(k.max_threads, 1024);
    assert_int_equal(k.max_dynamic_shared_bytes, 49152);
    assert_int_equal(pairs[2], 8);
    assert_int_equal(pairs[3], 4);
    handle = K_MISSING; /* registered, but the device code is not there */
    assert_int_equal(peer_ask(p, CMPD_WIRE_KERNEL, &handle, 8, NULL, 0), 209);
    handle = 5;
    assert_int_equal(peer_ask(p, CMPD_WIRE_KERNEL, &handle, 8, NULL, 0), 400);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_not_emulated, false), 1);
    assert_int_equal(sightings_of(r, CMPD_TAG_api_error, false), 0);
    peer_free(p);
}

/* A fault shows at the next call that waits; then nothing works any more, and reading the error doesn't help. */
static void test_sticky(void **state)
{
    static const struct {
        uint64_t kernel;
        int32_t error;
    } ends[] = {{K_FAULT, 700}, {K_MISALIGNED, 716}, {K_STUCK, 702}};

    (void)state;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct peer *p = start();
        uint64_t a = peer_alloc(p, 64);
        assert_int_equal(peer_launch(p, ends[i].kernel, 1, 1, 0, 0, NULL, 0), 0);
        assert_int_equal(peer_last_error(p, false), 0);
        assert_int_equal(peer_sync(p, 0, 0, 0), ends[i].error);
        assert_int_equal(peer_last_error(p, true), ends[i].error);
        assert_int_equal(peer_last_error(p, true), 0); /* measured */
        assert_int_equal(peer_free_memory(p, a, 0, 0), ends[i].error);
        assert_int_equal(peer_launch(p, K_BOUNDED, 1, 1, 0, 0, NULL, 0), ends[i].error);
        assert_int_equal(peer_write(p, a, "abcd", 4), ends[i].error);
        const struct cmpd_server_record *r = done(p);
        assert_int_equal(r->sticky_error, ends[i].error);
        assert_int_equal(r->launches, 1);
        assert_int_equal(sightings_of(r, CMPD_TAG_api_error, false), 0); /* the fault says it */
        peer_free(p);
    }
}

static void test_fault_met_by_copy(void **state)
{
    struct peer *p = start();
    float v;

    (void)state;
    uint64_t a = peer_alloc(p, 64);
    assert_int_equal(peer_launch(p, K_FAULT, 1, 1, 0, 0, NULL, 0), 0);
    assert_int_equal(peer_read(p, &v, a, sizeof(v), 0), 700);
    done(p);
    peer_free(p);
}

static void only_undecided(const struct cmpd_server_record *r, uint64_t kernel)
{
    assert_true(r->undecided);
    assert_int_equal(r->budget_exhausted, kernel == K_BUDGET);
    for (size_t i = 0; i < r->sightings.count; i++)
        assert_true(r->sightings.items[i].note ||
                    r->sightings.items[i].tag == CMPD_TAG_not_emulated);
}

/* The budget ran out or an instruction is unknown: undecided, and nothing after it counts against the candidate. */
static void test_undecided(void **state)
{
    (void)state;
    for (uint64_t k = K_BUDGET; k <= K_UNSUPPORTED; k++) {
        struct peer *p = start(); /* met when the caller waits: the case comes to its end */
        assert_int_equal(peer_launch(p, k, 1, 1, 0, 0, NULL, 0), 0);
        only_undecided(done(p), k);
        peer_free(p);

        p = start(); /* met before: what the candidate would do next proves nothing */
        assert_int_equal(peer_launch(p, k, 1, 1, 0, 0, NULL, 0), 0);
        assert_int_equal(peer_sync(p, 0, 0, 0), INT32_MIN);
        peer_end(p);
        assert_int_equal(p->outcome.end, CMPD_SERVER_UNDECIDED);
        assert_true(p->outcome.undecided);
        only_undecided(cmpd_server_open_record(p->server), k);
        peer_free(p);
    }
}

/* Kernels that run after something could not be done here may meet its consequences. */
static void test_fault_after_undecided(void **state)
{
    struct peer *p = start();

    (void)state;
    assert_int_equal(peer_ask(p, CMPD_WIRE_UNBUILT, NULL, 0, "cudaGraphLaunch", 15), 801);
    assert_int_equal(peer_launch(p, K_FAULT, 1, 1, 0, 0, NULL, 0), 0);
    assert_int_equal(peer_sync(p, 0, 0, 0), 700);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_out_of_bounds, false), 0);
    assert_int_equal(sightings_of(r, CMPD_TAG_out_of_bounds, true), 1);
    assert_true(r->undecided);
    peer_free(p);
}

/* CHECK(cudaFoo()) ends the program: the error is what is wrong. */
static void test_exit_after_error(void **state)
{
    struct peer *p = start();
    int32_t failed[2] = {801, 0};

    (void)state;
    assert_int_equal(peer_ask(p, CMPD_WIRE_FAILED, failed, sizeof(failed), "cudaSetDevice", 13),
                     801);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_GONE_EARLY);
    assert_true(p->outcome.after_error);
    assert_string_equal(
        message_of(cmpd_server_open_record(p->server), CMPD_TAG_api_error),
        "cudaSetDevice returned cudaErrorNotSupported (801), and the program ended");
    peer_free(p);

    p = start(); /* the fault that the error came from is known */
    assert_int_equal(peer_launch(p, K_FAULT, 1, 1, 0, 0, NULL, 0), 0);
    assert_int_equal(peer_sync(p, 0, 0, 0), 700);
    peer_end(p);
    assert_true(p->outcome.after_error);
    assert_int_equal(sightings_of(cmpd_server_open_record(p->server), CMPD_TAG_api_error, false),
                     0);
    peer_free(p);
}

static void test_error_state(void **state)
{
    struct peer *p = start();
    int32_t failed[2] = {21, 0};

    (void)state;
    assert_int_equal(peer_free_memory(p, 0x5000, 0, 0), 1);
    peer_alloc(p, 64); /* success leaves it */
    assert_int_equal(peer_last_error(p, false), 1);
    assert_int_equal(peer_last_error(p, true), 1);
    assert_int_equal(peer_last_error(p, true), 0);
    assert_int_equal(peer_ask(p, CMPD_WIRE_FAILED, failed, sizeof(failed), "cudaMemcpyToArray", 17),
                     21);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(r->last_error, 21);
    assert_string_equal(message_of(r, CMPD_TAG_api_error),
                        "the error cudaErrorInvalidMemcpyDirection (21) of cudaMemcpyToArray was "
                        "still set when the entry returned");
    assert_int_equal(r->failure_count, 2);
    assert_string_equal(r->failures[0].call, "cudaFree");
    assert_int_equal(r->failures[0].times, 1);
    peer_free(p);
}

static void test_unbuilt(void **state)
{
    struct peer *p = start();

    (void)state;
    assert_int_equal(peer_ask(p, CMPD_WIRE_UNBUILT, NULL, 0, "cudaGraphLaunch", 15), 801);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_not_emulated, false), 1);
    assert_string_equal(message_of(r, CMPD_TAG_not_emulated), "cudaGraphLaunch");
    peer_free(p);
}

/* Asked where it stood, the candidate says so: sightings of the call get it, and the error that stays set. */
static void test_where(void **state)
{
    struct peer *p = start();
    uint64_t first[2] = {0x1111, 0x2222}, second[1] = {0x3333};

    (void)state;
    peer_alloc(p, 64);
    assert_false(p->answer_flags & CMPD_WIRE_WANTS_WHERE);
    assert_int_equal(peer_free_memory(p, 0x5000, 0, 0), 1);
    assert_true(p->answer_flags & CMPD_WIRE_WANTS_WHERE);
    peer_send(p, CMPD_WIRE_WHERE, NULL, 0, first, sizeof(first));
    assert_int_equal(peer_launch(p, K_BOUNDED, 0, 1, 0, 0, NULL, 0), 1);
    assert_true(p->answer_flags & CMPD_WIRE_WANTS_WHERE);
    peer_send(p, CMPD_WIRE_WHERE, NULL, 0, second, sizeof(second));
    assert_int_equal(peer_sync(p, 0, 0, 0), 0);
    assert_false(p->answer_flags & CMPD_WIRE_WANTS_WHERE);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(r->sightings.items[0].tag, CMPD_TAG_bad_free);
    assert_int_equal(r->sightings.items[0].host_at[0], 0x1111);
    assert_int_equal(r->sightings.items[0].host_at[1], 0x2222);
    assert_int_equal(r->sightings.items[1].tag, CMPD_TAG_launch_failed);
    assert_int_equal(r->sightings.items[1].host_at[0], 0x3333);
    assert_int_equal(r->sightings.items[2].tag, CMPD_TAG_api_error);
    assert_int_equal(r->sightings.items[2].host_at[0], 0x3333);
    peer_free(p);
}

/* What was met before the first case holds for all of them. */
static void test_unbuilt_in_a_constructor(void **state)
{
    struct cmpd_server_case cases[2] = {one_case, {.task = CMPD_WIRE_TASK_CALL, .number = 2}};
    struct peer *p = peer_start(NULL, cases, 2);

    (void)state;
    assert_int_equal(peer_ask(p, CMPD_WIRE_UNBUILT, NULL, 0, "cudaGraphLaunch", 15), 801);
    for (uint32_t i = 1; i <= 2; i++) {
        assert_int_equal(peer_next(p), i);
        assert_int_equal(peer_free_memory(p, 0x5000, 0, 0), 1);
        assert_int_equal(peer_done(p, i), 0);
    }
    peer_finish(p);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sightings_of(&p->records[i], CMPD_TAG_not_emulated, false), 1);
        assert_int_equal(sightings_of(&p->records[i], CMPD_TAG_bad_free, false), 0);
        assert_int_equal(sightings_of(&p->records[i], CMPD_TAG_bad_free, true), 1);
    }
    peer_free(p);
}

static void test_unloadable_module(void **state)
{
    struct peer *p = start();
    uint32_t module;

    (void)state;
    assert_int_equal(peer_ask(p, CMPD_WIRE_FATBIN, NULL, 0, "else", 4), 0);
    memcpy(&module, p->answer, sizeof(module));
    struct {
        uint32_t module, zero;
        uint64_t handle;
    } f = {module, 0, 0x9000};
    assert_int_equal(peer_ask(p, CMPD_WIRE_FUNCTION, &f, sizeof(f), "add_one", 7), 0);
    assert_int_equal(peer_launch(p, 0x9000, 1, 1, 0, 0, NULL, 0), 209);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_not_emulated, false), 1);
    assert_int_equal(sightings_of(r, CMPD_TAG_api_error, false), 0);
    peer_free(p);
}

/* A record run again on other contents, with memory that the candidate has freed meanwhile. */
static void test_replay(void **state)
{
    struct cmpd_server_arg arg = {.type = CMPD_WIRE_POINTER_DEVICE, .name = "x", .bytes = 16};
    struct cmpd_server_case c = {
        .task = CMPD_WIRE_TASK_CALL, .args = &arg, .arg_count = 1, .keep_for_replay = true};
    struct peer *p = peer_start(NULL, &c, 1);
    struct cmpd_device *d = p->device;
    float in[4] = {1, 2, 3, 4}, again[4] = {10, 20, 30, 40}, out[4];
    struct cmpd_server_replay replay;

    (void)state;
    assert_int_equal(d->ops->alloc(d, 16, CMPD_MEMORY_DEVICE, -1, "x", &arg.value, &p->err), 0);
    assert_int_equal(d->ops->write(d, arg.value, in, 16, &p->err), 0);
    assert_int_equal(peer_next(p), 0);
    uint64_t temp = peer_alloc(p, 32);
    assert_int_equal(peer_write(p, temp, in, 16), 0);
    assert_int_equal(peer_copy_kernel(p, temp, arg.value, 4, 0), 0);
    assert_int_equal(peer_add_one(p, temp, 4, 0), 0);
    assert_int_equal(peer_copy(p, arg.value, temp, 16, 3, 0, false), 0);
    assert_int_equal(peer_set(p, arg.value, 0, 4, 0), 0);
    assert_int_equal(peer_read(p, out, arg.value, 16, 0), 0);
    assert_int_equal(peer_free_memory(p, temp, 0, 0), 0);
    assert_int_equal(peer_done(p, 0), 0);
    peer_finish(p);
    assert_int_equal(p->records[0].live_count, 0);
    assert_float_equal(out[0], 0, 0);
    assert_float_equal(out[1], 3, 0);
    assert_int_equal(d->ops->write(d, arg.value, again, 16, &p->err), 0);
    assert_int_equal(cmpd_server_replay(p->server, &p->records[0], &replay, &p->err), CMPD_OK);
    assert_int_equal(replay.launches, 2);
    assert_int_equal(replay.lane_instructions, 200);
    assert_int_equal(replay.worst, CMPD_LAUNCH_DONE);
    assert_int_equal(d->ops->read(d, out, arg.value, 16, &p->err), 0);
    assert_float_equal(out[0], 0, 0);
    assert_float_equal(out[3], 41, 0);
    cmpd_sightings_clear(&replay.sightings);
    peer_free(p);
}

static void test_no_replay(void **state)
{
    struct peer *p = start();
    struct cmpd_server_replay replay;

    (void)state;
    uint64_t a = peer_alloc(p, 16);
    assert_int_equal(peer_write(p, a, "0123456789abcdef", 16), 0);
    done(p);
    assert_int_equal(cmpd_server_replay(p->server, &p->records[0], &replay, &p->err), CMPD_EINPUT);
    peer_free(p);
}

/* Without a candidate: kernels launched by the caller, under the same checks. */
static void test_direct(void **state)
{
    struct cmpd_device *d;
    struct cmpd_server *s;
    struct cmpd_err err = {0};
    struct cmpd_server_case c = {.number = 5};
    struct cmpd_kernel_info info;
    uint32_t module;
    uint64_t x;
    float v = 1;
    uint8_t params[12];
    int32_t n = 1;

    (void)state;
    assert_int_equal(mock_device_ops.open(NULL, &d, &err), CMPD_OK);
    assert_int_equal(cmpd_server_new(d, NULL, &s, &err), CMPD_OK);
    assert_int_equal(d->ops->load(d, MOCK_IMAGE, 4, &module, &err), CMPD_OK);
    assert_int_equal(cmpd_server_find_kernel(s, "add_one", &module, &info, &err), CMPD_ENOENT);
    assert_int_equal(d->ops->alloc(d, 4, CMPD_MEMORY_DEVICE, -1, "x", &x, &err), CMPD_OK);
    assert_int_equal(d->ops->write(d, x, &v, 4, &err), CMPD_OK);
    memcpy(params, &x, 8);
    memcpy(params + 8, &n, 4);
    struct cmpd_launch l = {.module = 0,
                            .kernel = "add_one",
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .params = params,
                            .param_bytes = 12};
    cmpd_server_begin(s, &c);
    assert_int_equal(cmpd_server_direct(s, &l, &err), CMPD_OK);
    l.block[0] = 2048;
    assert_int_equal(cmpd_server_direct(s, &l, &err), CMPD_OK);
    struct cmpd_server_record *r = cmpd_server_end(s);
    assert_int_equal(r->number, 5);
    assert_int_equal(r->launches, 1);
    assert_int_equal(r->launches_refused, 1);
    assert_int_equal(sightings_of(r, CMPD_TAG_launch_failed, false), 1);
    assert_int_equal(d->ops->read(d, &v, x, 4, &err), CMPD_OK);
    assert_float_equal(v, 2, 0);
    l.param_bytes = 4;
    assert_int_equal(cmpd_server_direct(s, &l, &err), CMPD_EUSAGE);
    l.kernel = "nothing";
    assert_int_equal(cmpd_server_direct(s, &l, &err), CMPD_ENOENT);
    cmpd_server_free(s);
    d->ops->close(d);
}

static void test_load_object(void **state)
{
    struct cmpd_device *d;
    struct cmpd_server *s;
    struct cmpd_err err = {0};
    uint32_t first, count;
    uint8_t junk[256] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

    (void)state;
    assert_int_equal(mock_device_ops.open(NULL, &d, &err), CMPD_OK);
    assert_int_equal(cmpd_server_new(d, NULL, &s, &err), CMPD_OK);
    assert_int_equal(cmpd_server_load_object(s, junk, 4, &first, &count, &err), CMPD_EINPUT);
    assert_int_equal(cmpd_server_load_object(s, junk, sizeof(junk), &first, &count, &err),
                     CMPD_EINPUT);
    junk[58] = 64; /* e_shentsize; no sections */
    assert_int_equal(cmpd_server_load_object(s, junk, sizeof(junk), &first, &count, &err),
                     CMPD_ENOENT);
    junk[47] = 0xff; /* e_shoff far outside */
    assert_int_equal(cmpd_server_load_object(s, junk, sizeof(junk), &first, &count, &err),
                     CMPD_EINPUT);
    cmpd_server_free(s);
    d->ops->close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_possible_configurations),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_function_attributes),
        cmocka_unit_test(test_kernel_info),
        cmocka_unit_test(test_sticky),
        cmocka_unit_test(test_fault_met_by_copy),
        cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_fault_after_undecided),
        cmocka_unit_test(test_exit_after_error),
        cmocka_unit_test(test_error_state),
        cmocka_unit_test(test_unbuilt),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_unbuilt_in_a_constructor),
        cmocka_unit_test(test_unloadable_module),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_no_replay),
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_load_object),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
