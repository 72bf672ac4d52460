/*
 * When queued work happens. Each test asks for an order that CUDA promises, or shows that one that it doesn't promise is
 * not kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "peer.h"

enum { NON_BLOCKING = 1, DISABLE_TIMING = 2 };
enum { DEVICE, STREAM, EVENT };
#define LEGACY     0
#define PER_THREAD 1

struct setup {
    struct peer *p;
    struct cmpd_server_arg arg;
    uint64_t out; /* the caller's: one float, 0 */
};

static struct setup *start(uint32_t seed)
{
    struct setup *t = calloc(1, sizeof(*t));
    struct cmpd_server_case c = {.task = CMPD_WIRE_TASK_CALL, .number = 1, .schedule_seed = seed};
    float zero = 0;

    assert_non_null(t);
    t->arg = (struct cmpd_server_arg){.type = CMPD_WIRE_POINTER_DEVICE, .name = "out", .bytes = 4};
    c.args = &t->arg;
    c.arg_count = 1;
    t->p = peer_start(NULL, &c, 1);
    struct cmpd_device *d = t->p->device;
    assert_int_equal(d->ops->alloc(d, 4, CMPD_MEMORY_DEVICE, -1, "out", &t->out, &t->p->err), 0);
    assert_int_equal(d->ops->write(d, t->out, &zero, 4, &t->p->err), 0);
    t->arg.value = t->out;
    t->p->watch = t->out;
    assert_int_equal(peer_next(t->p), 1);
    mock_device_log_clear(d);
    return t;
}

static float now(const struct setup *t)
{
    float v;

    assert_int_equal(t->p->device->ops->read(t->p->device, &v, t->out, 4, &t->p->err), 0);
    return v;
}

/* Ends the case: what the caller saw, and how many steps nobody waited for. */
static void finish(struct setup *t, float seen, uint32_t unjoined)
{
    assert_int_equal(peer_done(t->p, 1), 0);
    peer_finish(t->p);
    assert_float_equal(t->p->joined_value, seen, 0);
    assert_int_equal(t->p->records[0].unjoined, unjoined);
    peer_free(t->p);
    free(t);
}

static void test_launches_wait(void **state)
{
    struct setup *t = start(0);

    (void)state;
    assert_int_equal(peer_add_one(t->p, t->out, 1, LEGACY), 0);
    assert_float_equal(now(t), 0, 0); /* nobody has waited yet */
    assert_int_equal(peer_sync(t->p, DEVICE, 0, 0), 0);
    assert_float_equal(now(t), 1, 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, LEGACY), 0);
    finish(t, 2, 0); /* the caller's own wait covers the default stream */
}

static void test_non_blocking_stream_is_not_joined(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint32_t s = peer_stream(t->p, NON_BLOCKING);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_STREAM_FREE, s, 0), 0); /* doesn't wait */
    finish(t, 0, 1);
}

static void test_blocking_stream_is_joined(void **state)
{
    struct setup *t = start(0);

    (void)state;
    assert_int_equal(peer_add_one(t->p, t->out, 1, peer_stream(t->p, 0)), 0);
    finish(t, 1, 0);
    t = start(0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, PER_THREAD), 0);
    finish(t, 1, 0);
}

static void test_stream_wait(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint32_t s = peer_stream(t->p, NON_BLOCKING), other = peer_stream(t->p, NON_BLOCKING);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    assert_int_equal(peer_sync(t->p, STREAM, other, 0), 0);
    assert_float_equal(now(t), 0, 0);
    assert_int_equal(peer_sync(t->p, STREAM, LEGACY, 0), 0);
    assert_float_equal(now(t), 0, 0);
    assert_int_equal(peer_sync(t->p, STREAM, s, 0), 0);
    assert_float_equal(now(t), 1, 0);
    finish(t, 1, 0);
}

/* A wait for a blocking stream does what the legacy stream had before it, and nothing that came after. */
static void test_legacy_before_blocking(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint32_t s = peer_stream(t->p, 0);
    assert_int_equal(peer_set(t->p, t->out, 0, 4, LEGACY), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, LEGACY), 0);
    assert_int_equal(peer_sync(t->p, STREAM, s, 0), 0);
    assert_string_equal(mock_device_log(t->p->device), "set add_one");
    finish(t, 2, 0);
}

static void test_blocking_before_legacy(void **state)
{
    struct setup *t = start(0);
    float v;

    (void)state;
    assert_int_equal(peer_add_one(t->p, t->out, 1, peer_stream(t->p, 0)), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, peer_stream(t->p, NON_BLOCKING)), 0);
    assert_int_equal(peer_read(t->p, &v, t->out, 4, 0), 0); /* cudaMemcpy: on the legacy stream */
    assert_float_equal(v, 1, 0);
    finish(t, 1, 1);
}

static void test_events(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint32_t s = peer_stream(t->p, NON_BLOCKING), e = peer_event(t->p, DISABLE_TIMING);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_RECORD, e, s), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_WAIT_EVENT, LEGACY, e), 0);
    finish(t, 1, 1); /* up to the event, not what came after it */

    t = start(0);
    s = peer_stream(t->p, NON_BLOCKING);
    e = peer_event(t->p, DISABLE_TIMING);
    assert_int_equal(peer_sync(t->p, EVENT, e, 0), 0); /* never recorded: complete */
    assert_int_equal(peer_two(t->p, CMPD_WIRE_WAIT_EVENT, s, e), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_RECORD, e, s), 0);
    assert_int_equal(peer_sync(t->p, EVENT, e, 0), 0);
    assert_float_equal(now(t), 1, 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_FREE, e, 0), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_FREE, e, 0), 400);
    finish(t, 1, 0);
}

static void test_event_time(void **state)
{
    struct setup *t = start(0);
    float ms;

    (void)state;
    uint32_t a = peer_event(t->p, 0), b = peer_event(t->p, 0), c = peer_event(t->p, DISABLE_TIMING);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_TIME, a, b), 400);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_RECORD, a, LEGACY), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, LEGACY), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_RECORD, b, LEGACY), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_RECORD, c, LEGACY), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_TIME, a, b), 600);
    assert_int_equal(peer_sync(t->p, DEVICE, 0, 0), 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_TIME, a, b), 0);
    memcpy(&ms, t->p->answer, sizeof(ms));
    assert_true(ms > 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_EVENT_TIME, a, c), 400);
    assert_int_equal(peer_last_error(t->p, true), 400);
    finish(t, 1, 0);
}

/* cudaErrorNotReady is no error to be read, and asking again gets there. */
static void test_query(void **state)
{
    struct setup *t = start(0);

    (void)state;
    assert_int_equal(peer_sync(t->p, DEVICE, 0, 1), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, LEGACY), 0);
    assert_int_equal(peer_sync(t->p, STREAM, LEGACY, 1), 600);
    assert_int_equal(peer_last_error(t->p, false), 0);
    assert_int_equal(peer_sync(t->p, STREAM, LEGACY, 1), 0);
    finish(t, 1, 0);
}

static void test_free_waits_for_all(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint64_t a = peer_alloc(t->p, 4);
    assert_int_equal(peer_copy_kernel(t->p, a, t->out, 1, peer_stream(t->p, NON_BLOCKING)), 0);
    assert_int_equal(peer_free_memory(t->p, a, 0, 0), 0);
    assert_string_equal(mock_device_log(t->p->device), "copy free");
    finish(t, 0, 0);
}

static void test_free_async_keeps_its_place(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint32_t s = peer_stream(t->p, NON_BLOCKING);
    uint64_t a = peer_alloc(t->p, 4);
    assert_int_equal(peer_set(t->p, a, 0, 4, s), 0);
    assert_int_equal(peer_free_memory(t->p, a, 1, s), 0);
    assert_int_equal(peer_free_memory(t->p, a, 1, s), 1); /* twice */
    assert_string_equal(mock_device_log(t->p->device), "");
    assert_int_equal(peer_sync(t->p, STREAM, s, 0), 0);
    assert_string_equal(mock_device_log(t->p->device), "set free");
    finish(t, 0, 0);
}

static void test_use_after_queued_free(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint32_t s = peer_stream(t->p, NON_BLOCKING), u = peer_stream(t->p, NON_BLOCKING);
    uint64_t a = peer_alloc(t->p, 4);
    assert_int_equal(peer_set(t->p, a, 0, 4, u), 0); /* on another stream, which nothing orders */
    assert_int_equal(peer_free_memory(t->p, a, 1, s), 0);
    assert_int_equal(peer_sync(t->p, STREAM, s, 0), 0);
    assert_int_equal(peer_sync(t->p, STREAM, u, 0), 700);
    assert_int_equal(peer_done(t->p, 1), 0);
    peer_finish(t->p);
    assert_int_equal(sightings_of(&t->p->records[0], CMPD_TAG_out_of_bounds, false), 1);
    peer_free(t->p);
    free(t);
}

/* The host may overwrite pinned memory too early: the copy takes what stands there when it is done. */
static void test_pinned_copy_is_late(void **state)
{
    struct setup *t = start(0);
    int fd;
    float one = 1, two = 2;

    (void)state;
    uint64_t pinned = peer_alloc_kind(t->p, 4, CMPD_MEMORY_PINNED, &fd);
    assert_int_equal(pwrite(fd, &one, 4, 0), 4);
    assert_int_equal(peer_copy(t->p, t->out, pinned, 4, 1, LEGACY, true), 0);
    assert_int_equal(pwrite(fd, &two, 4, 0), 4);
    close(fd);
    finish(t, 2, 0);

    t = start(0);
    pinned = peer_alloc_kind(t->p, 4, CMPD_MEMORY_PINNED, &fd);
    assert_int_equal(pwrite(fd, &one, 4, 0), 4);
    assert_int_equal(peer_copy(t->p, t->out, pinned, 4, 1, LEGACY, false), 0); /* it waits */
    assert_int_equal(pwrite(fd, &two, 4, 0), 4);
    close(fd);
    finish(t, 1, 0);
}

/* An asynchronous copy to pageable memory comes back with the bytes. */
static void test_pageable_read_waits(void **state)
{
    struct setup *t = start(0);
    float v = 0;

    (void)state;
    uint32_t s = peer_stream(t->p, NON_BLOCKING);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    struct cmpd_wire_copy c = {.from = t->out,
                               .width = 4,
                               .height = 1,
                               .direction = 2,
                               .to_host = 1,
                               .stream = s,
                               .async = 1};
    assert_int_equal(peer_ask(t->p, CMPD_WIRE_COPY, &c, sizeof(c), NULL, 0), 0);
    memcpy(&v, t->p->answer, 4);
    assert_float_equal(v, 1, 0);
    finish(t, 1, 0);
}

static void test_bad_handles(void **state)
{
    struct setup *t = start(0);

    (void)state;
    assert_int_equal(peer_add_one(t->p, t->out, 1, 12345), 400);
    assert_int_equal(peer_sync(t->p, STREAM, 12345, 0), 400);
    assert_int_equal(peer_sync(t->p, EVENT, 12345, 0), 400);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_STREAM_FREE, LEGACY, 0), 400);
    uint32_t s = peer_stream(t->p, 0);
    assert_int_equal(peer_two(t->p, CMPD_WIRE_STREAM_FREE, s, 0), 0);
    assert_int_equal(peer_add_one(t->p, t->out, 1, s), 400);
    finish(t, 0, 0);
}

/* Longer than the queue may be: nothing is lost and the order holds. */
static void test_long_queue(void **state)
{
    struct setup *t = start(0);

    (void)state;
    uint32_t s = peer_stream(t->p, NON_BLOCKING);
    for (int i = 0; i < 6000; i++)
        assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
    assert_int_equal(peer_sync(t->p, DEVICE, 0, 0), 0);
    finish(t, 6000, 0);
}

/* Under every seed an order that is promised holds, and one that isn't shows up both ways. */
static void test_seeds(void **state)
{
    bool first = false, last = false;

    (void)state;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct setup *t = start(seed);
        uint32_t s = peer_stream(t->p, NON_BLOCKING), u = peer_stream(t->p, NON_BLOCKING);
        uint64_t a = peer_alloc(t->p, 4);
        assert_int_equal(peer_set(t->p, t->out, 0, 4, s), 0);
        assert_int_equal(peer_add_one(t->p, t->out, 1, s), 0);
        assert_int_equal(peer_free_memory(t->p, a, 1, u), 0); /* free of the other two */
        assert_int_equal(peer_sync(t->p, DEVICE, 0, 0), 0);
        const char *log = mock_device_log(t->p->device);
        assert_true(strstr(log, "set") < strstr(log, "add_one"));
        first = first || strncmp(log, "free", 4) == 0;
        last = last || strncmp(log, "set add_one", 11) == 0;
        finish(t, 1, 0);
    }
    assert_true(first);
    assert_true(last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches_wait),
        cmocka_unit_test(test_non_blocking_stream_is_not_joined),
        cmocka_unit_test(test_blocking_stream_is_joined),
        cmocka_unit_test(test_stream_wait),
        cmocka_unit_test(test_legacy_before_blocking),
        cmocka_unit_test(test_blocking_before_legacy),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_event_time),
        cmocka_unit_test(test_query),
        cmocka_unit_test(test_free_waits_for_all),
        cmocka_unit_test(test_free_async_keeps_its_place),
        cmocka_unit_test(test_use_after_queued_free),
        cmocka_unit_test(test_pinned_copy_is_late),
        cmocka_unit_test(test_pageable_read_waits),
        cmocka_unit_test(test_bad_handles),
        cmocka_unit_test(test_long_queue),
        cmocka_unit_test(test_seeds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
