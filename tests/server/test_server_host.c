/* Host buffers of a case, and which of their bytes came from the device. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "peer.h"

#define PAGE  4096u
#define COUNT 1500 /* floats: 6,000 bytes, two pages */
#define BYTES (COUNT * sizeof(float))

struct setup {
    struct peer *p;
    float in[COUNT];
    struct cmpd_server_arg args[3]; /* in, out, n */
    struct cmpd_wire_arg got[3];
    float *host_in, *host_out; /* our mappings */
};

/* As the candidate does: the whole pages of [address, address + bytes). */
static void *map_buffer(const struct cmpd_wire_arg *a, int fd)
{
    uint64_t page = a->address / PAGE * PAGE,
             end = (a->address + a->bytes + PAGE - 1) / PAGE * PAGE;
    uint8_t *at = mmap(NULL, end - page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)a->value);

    assert_ptr_not_equal(at, MAP_FAILED);
    return at + (a->address - page);
}

static struct setup *start(void)
{
    struct setup *t = calloc(1, sizeof(*t));
    struct cmpd_server_case c = {.task = CMPD_WIRE_TASK_CALL, .number = 1, .arg_count = 3};
    struct cmpd_wire_case head;

    assert_non_null(t);
    for (int i = 0; i < COUNT; i++)
        t->in[i] = (float)i;
    t->args[0] = (struct cmpd_server_arg){
        .type = CMPD_WIRE_POINTER_HOST, .name = "in", .bytes = BYTES, .data = t->in};
    t->args[1] =
        (struct cmpd_server_arg){.type = CMPD_WIRE_POINTER_HOST, .name = "out", .bytes = BYTES};
    t->args[2] = (struct cmpd_server_arg){.type = CMPD_WIRE_I32, .value = COUNT};
    c.args = t->args;
    t->p = peer_start(NULL, &c, 1);
    assert_int_equal(peer_ask(t->p, CMPD_WIRE_NEXT, NULL, 0, NULL, 0), 0);
    memcpy(&head, t->p->answer, sizeof(head));
    memcpy(t->got, t->p->answer + sizeof(head), sizeof(t->got));
    assert_true(head.host_bytes >= 2 * BYTES);
    assert_true(t->p->answer_fd >= 0);
    t->host_in = map_buffer(&t->got[0], t->p->answer_fd);
    t->host_out = map_buffer(&t->got[1], t->p->answer_fd);
    close(t->p->answer_fd);
    return t;
}

static const struct cmpd_server_record *done(struct setup *t)
{
    assert_int_equal(peer_done(t->p, 1), 0);
    peer_finish(t->p);
    assert_int_equal(t->p->records[0].host_count, 2);
    return &t->p->records[0];
}

static void drop(struct setup *t)
{
    peer_free(t->p);
    free(t);
}

static void test_places(void **state)
{
    struct setup *t = start();

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t end = t->got[i].address + t->got[i].bytes;
        assert_in_range(t->got[i].address, CMPD_WIRE_HOST_BASE, CMPD_WIRE_HOST_END);
        assert_int_equal(t->got[i].address % 16, 0);
        assert_true(PAGE - (end - 1) % PAGE <= 16); /* the end touches the end of a page */
        assert_int_equal(t->got[i].value % PAGE, 0);
    }
    assert_memory_equal(t->host_in, t->in, BYTES);
    assert_float_equal(t->host_out[COUNT - 1], 0, 0);
    const struct cmpd_server_record *r = done(t);
    assert_int_equal(r->hosts[0].arg, 0);
    assert_int_equal(r->hosts[1].arg, 1);
    assert_memory_equal(r->hosts[0].data, t->in, BYTES);
    drop(t);
}

/* Copies through the device and back, in the usual way. */
static void test_copied_back(void **state)
{
    struct setup *t = start();

    (void)state;
    uint64_t a = peer_alloc(t->p, BYTES);
    assert_int_equal(peer_write(t->p, a, t->host_in, BYTES), 0);
    assert_int_equal(peer_add_one(t->p, a, COUNT, 0), 0);
    assert_int_equal(peer_read(t->p, t->host_out, a, BYTES, t->got[1].address), 0);
    const struct cmpd_server_record *r = done(t);
    assert_int_equal(r->hosts[1].from_device_bytes, BYTES);
    assert_int_equal(r->hosts[0].from_device_bytes, 0);
    assert_int_equal(r->origin_count, 0); /* what was sent is an input */
    assert_float_equal(((float *)(void *)r->hosts[1].data)[7], 8, 0);
    drop(t);
}

static void test_computed_on_host(void **state)
{
    struct setup *t = start();

    (void)state;
    uint64_t a = peer_alloc(t->p, BYTES);
    assert_int_equal(peer_write(t->p, a, t->host_in, BYTES), 0);
    assert_int_equal(peer_add_one(t->p, a, COUNT, 0), 0);
    for (int i = 0; i < COUNT; i++)
        t->host_out[i] = t->host_in[i] + 0.5f;
    const struct cmpd_server_record *r = done(t);
    assert_int_equal(r->hosts[1].from_device_bytes, 0);
    drop(t);
}

/* Copied, and then changed by the host. */
static void test_changed_after_the_copy(void **state)
{
    struct setup *t = start();

    (void)state;
    uint64_t a = peer_alloc(t->p, BYTES);
    assert_int_equal(peer_write(t->p, a, t->host_in, BYTES), 0);
    assert_int_equal(peer_read(t->p, t->host_out, a, BYTES, t->got[1].address), 0);
    for (int i = 1000; i < COUNT; i++)
        t->host_out[i] = -1.5f - (float)i;
    const struct cmpd_server_record *r = done(t);
    assert_in_range(r->hosts[1].from_device_bytes, 3900, 5000);
    drop(t);
}

/* By way of a std::vector: the copy goes elsewhere, the bytes arrive by memcpy. */
static void test_staged_in_host_memory(void **state)
{
    struct setup *t = start();
    static float staging[COUNT];

    (void)state;
    uint64_t a = peer_alloc(t->p, BYTES);
    assert_int_equal(peer_write(t->p, a, t->host_in, BYTES), 0);
    assert_int_equal(peer_add_one(t->p, a, COUNT, 0), 0);
    assert_int_equal(peer_read(t->p, staging, a, BYTES, 0x7f0000001000), 0);
    memcpy(t->host_out, staging, BYTES / 2);
    memcpy((uint8_t *)t->host_out + BYTES / 2, (uint8_t *)staging + BYTES / 2, BYTES / 2);
    const struct cmpd_server_record *r = done(t);
    assert_int_equal(r->hosts[1].from_device_bytes, BYTES);
    drop(t);
}

/* Pieces that arrive in another order, and a part out of the middle of a longer copy. */
static void test_staged_in_pieces(void **state)
{
    static float staging[2 * COUNT];
    const size_t piece = 1000 * sizeof(float);

    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        struct setup *t = start();
        uint64_t a = peer_alloc(t->p, 2 * BYTES);
        assert_int_equal(peer_write(t->p, a, t->host_in, BYTES), 0);
        assert_int_equal(peer_write(t->p, a + BYTES, t->host_in, BYTES), 0);
        assert_int_equal(peer_add_one(t->p, a, 2 * COUNT, 0), 0);
        if (longer) {
            assert_int_equal(peer_read(t->p, staging, a, 2 * BYTES, 0x7f0000001000), 0);
            memcpy(t->host_out, staging + 300, BYTES);
        } else {
            uint8_t *out = (uint8_t *)t->host_out, *from = (uint8_t *)staging;
            assert_int_equal(peer_read(t->p, from, a, piece, 0x7f0000001000), 0);
            assert_int_equal(
                peer_read(t->p, from + piece, a + piece, BYTES - piece, 0x7f0000002000), 0);
            memcpy(out, from + piece, BYTES - piece);
            memcpy(out + BYTES - piece, from, piece);
        }
        const struct cmpd_server_record *r = done(t);
        assert_int_equal(r->hosts[1].from_device_bytes, BYTES);
        drop(t);
    }
}

static void test_staged_in_pinned_memory(void **state)
{
    for (int freed = 0; freed < 2; freed++) {
        struct setup *t = start();
        int fd;
        (void)state;
        uint64_t a = peer_alloc_kind(t->p, BYTES, CMPD_MEMORY_MANAGED, &fd);
        float *m = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_ptr_not_equal(m, MAP_FAILED);
        memcpy(m, t->host_in, BYTES);
        assert_int_equal(peer_add_one(t->p, a, COUNT, 0), 0);
        assert_int_equal(peer_sync(t->p, 0, 0, 0), 0);
        memcpy(t->host_out, m, BYTES);
        munmap(m, 2 * PAGE);
        close(fd);
        if (freed)
            assert_int_equal(peer_free_memory(t->p, a, 0, 0), 0);
        const struct cmpd_server_record *r = done(t);
        assert_int_equal(r->hosts[1].from_device_bytes, BYTES);
        drop(t);
    }
}

/* What reaches a host buffer of values that a kernel made from unwritten memory is told for that buffer. */
static void test_undefined_values(void **state)
{
    struct setup *t = start();
    float other[4];

    (void)state;
    uint64_t a = peer_alloc(t->p, BYTES);
    assert_int_equal(peer_write(t->p, a, t->host_in, BYTES), 0);
    assert_int_equal(peer_taint(t->p, a, 10), 0);
    assert_int_equal(peer_read(t->p, other, a, sizeof(other), 0x7f0000001000), 0);
    assert_int_equal(peer_read(t->p, t->host_out, a, BYTES, t->got[1].address), 0);
    const struct cmpd_server_record *r = done(t);
    assert_int_equal(r->hosts[0].undefined.count, 0);
    assert_int_equal(r->hosts[1].undefined.count, 1);
    assert_int_equal(r->hosts[1].undefined.items[0].tag, CMPD_TAG_uninitialized_read);
    assert_int_equal(sightings_of(r, CMPD_TAG_uninitialized_read, false), 0);
    drop(t);
}

/* Worked out by the host, sent to the device, moved by a kernel, and copied back as if that were a result. */
static void test_sent_by_the_host(void **state)
{
    struct setup *t = start();
    static float result[COUNT];

    (void)state;
    uint64_t a = peer_alloc(t->p, BYTES), b = peer_alloc(t->p, BYTES), c = peer_alloc(t->p, BYTES);
    assert_int_equal(peer_write(t->p, a, t->host_in, BYTES), 0);
    assert_int_equal(peer_add_one(t->p, a, COUNT, 0), 0); /* a decoy */
    for (int i = 0; i < COUNT; i++)
        result[i] = t->host_in[i] * 1.5f + 0.25f;
    assert_int_equal(peer_write(t->p, b, result, BYTES / 2), 0);
    assert_int_equal(peer_write(t->p, b + BYTES / 2, (uint8_t *)result + BYTES / 2, BYTES / 2), 0);
    assert_int_equal(peer_copy_kernel(t->p, c, b, COUNT, 0), 0);
    assert_int_equal(peer_read(t->p, t->host_out, c, BYTES, t->got[1].address), 0);
    const struct cmpd_server_record *r = done(t);
    assert_int_equal(r->hosts[1].from_device_bytes, BYTES);
    assert_int_equal(r->origin_count, 1);
    assert_int_equal(r->origins[0].arg, 1);
    assert_int_equal(r->origins[0].from_host_bytes, BYTES);
    drop(t);
}

static void test_sent_to_a_device_buffer(void **state)
{
    struct cmpd_server_arg arg = {.type = CMPD_WIRE_POINTER_DEVICE, .name = "out", .bytes = 16};
    struct cmpd_server_case c = {.task = CMPD_WIRE_TASK_CALL, .args = &arg, .arg_count = 1};
    float result[4] = {1, 2, 3, 4}, zeros[4] = {0};

    (void)state;
    for (int honest = 0; honest < 2; honest++) {
        struct peer *p = peer_start(NULL, &c, 1);
        assert_int_equal(p->device->ops->alloc(p->device, 16, CMPD_MEMORY_DEVICE, -1, "out",
                                               &arg.value, &p->err),
                         CMPD_OK);
        assert_int_equal(peer_next(p), 0);
        assert_int_equal(peer_write(p, arg.value, honest ? zeros : result, 16), 0);
        if (honest)
            assert_int_equal(peer_add_one(p, arg.value, 4, 0), 0);
        assert_int_equal(peer_done(p, 0), 0);
        peer_finish(p);
        assert_int_equal(p->records[0].origin_count, honest ? 0 : 1);
        peer_free(p);
    }
}

static void test_past_the_end(void **state)
{
    struct setup *t = start();

    (void)state;
    peer_fault(t->p, SIGSEGV, t->got[1].address + BYTES);
    peer_end(t->p);
    assert_int_equal(t->p->outcome.end, CMPD_SERVER_FAULTED);
    assert_int_equal(t->p->outcome.fault, CMPD_SERVER_FAULT_HOST_BUFFER);
    assert_non_null(
        strstr(t->p->outcome.message, "offset 6000 of the host buffer out (6000 bytes)"));
    drop(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_copied_back),
        cmocka_unit_test(test_computed_on_host),
        cmocka_unit_test(test_changed_after_the_copy),
        cmocka_unit_test(test_staged_in_host_memory),
        cmocka_unit_test(test_staged_in_pieces),
        cmocka_unit_test(test_staged_in_pinned_memory),
        cmocka_unit_test(test_undefined_values),
        cmocka_unit_test(test_sent_by_the_host),
        cmocka_unit_test(test_sent_to_a_device_buffer),
        cmocka_unit_test(test_past_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
