/* Memory: allocating, freeing, copying, setting, and CUDA's own answers (measured with CUDA 13.0 on an H200). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "peer.h"

enum { FREE, FREE_ASYNC, FREE_HOST };
enum { H2H, H2D, D2H, D2D, DEFAULT };

static const struct cmpd_server_case one_case = {.task = CMPD_WIRE_TASK_CALL, .number = 1};

static struct peer *start(void)
{
    struct peer *p = peer_start(NULL, &one_case, 1);

    assert_int_equal(peer_next(p), 1);
    return p;
}

/* Ends the case; the record. */
static const struct cmpd_server_record *done(struct peer *p)
{
    assert_int_equal(peer_done(p, 1), 0);
    peer_finish(p);
    return &p->records[0];
}

static void test_alloc_and_free(void **state)
{
    struct peer *p = start();
    uint64_t count, bytes;

    (void)state;
    uint64_t a = peer_alloc(p, 1024);
    assert_int_equal(peer_free_memory(p, 0, FREE, 0), 0);
    assert_int_equal(peer_free_memory(p, a, FREE, 0), 0);
    assert_int_equal(peer_alloc(p, 0), 0); /* cudaMalloc(&p, 0): success, NULL */
    a = peer_alloc(p, 64);
    assert_int_equal(peer_free_memory(p, a, FREE_ASYNC, 0), 0);
    peer_alloc(p, 100);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(r->last_error, 0);
    assert_int_equal(r->failure_count, 0);
    assert_int_equal(r->live_count, 1);
    assert_int_equal(r->live_bytes, 100);
    assert_int_equal(sightings_of(r, CMPD_TAG_memory_leak, true), 1);
    cmpd_server_free(p->server);
    p->server = NULL;
    p->device->ops->live(p->device, &count, &bytes);
    assert_int_equal(count, 0); /* the server gave back what the candidate kept */
    peer_free(p);
}

static void test_bad_frees(void **state)
{
    static const struct {
        uint64_t offset;
        bool device, twice;
        uint32_t kind, how;
    } bad[] = {
        {0x7fff1000, false, false, 0, FREE},
        {0x7fff1000, false, false, 0, FREE_ASYNC},
        {0x7fff1000, false, false, 0, FREE_HOST},
        {16, true, false, CMPD_MEMORY_DEVICE, FREE},
        {0, true, true, CMPD_MEMORY_DEVICE, FREE},
        {0, true, true, CMPD_MEMORY_DEVICE, FREE_ASYNC},
        {0, true, false, CMPD_MEMORY_DEVICE, FREE_HOST},
        {0, true, false, CMPD_MEMORY_PINNED, FREE},
        {0, true, false, CMPD_MEMORY_MANAGED, FREE_HOST},
        {0, true, true, CMPD_MEMORY_PINNED, FREE_HOST},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct peer *p = start();
        uint64_t address = bad[i].offset;
        int fd = -1;
        if (bad[i].device)
            address += peer_alloc_kind(p, 1024, bad[i].kind, &fd);
        if (fd >= 0)
            close(fd);
        if (bad[i].twice)
            assert_int_equal(peer_free_memory(p, address, bad[i].how, 0), 0);
        assert_int_equal(peer_free_memory(p, address, bad[i].how, 0), 1);
        const struct cmpd_server_record *r = done(p);
        assert_int_equal(sightings_of(r, CMPD_TAG_bad_free, false), 1);
        assert_int_equal(r->last_error, 1);
        assert_int_equal(sightings_of(r, CMPD_TAG_api_error, false), 1);
        peer_free(p);
    }
}

static void test_free_of_the_callers(void **state)
{
    struct cmpd_server_arg arg = {.type = CMPD_WIRE_POINTER_DEVICE, .name = "out", .bytes = 256};
    struct cmpd_server_case c = {.task = CMPD_WIRE_TASK_CALL, .args = &arg, .arg_count = 1};
    struct peer *p = peer_start(NULL, &c, 1);
    float v = 4;

    (void)state;
    assert_int_equal(
        mock_device_ops.alloc(p->device, 256, CMPD_MEMORY_DEVICE, -1, "out", &arg.value, &p->err),
        CMPD_OK);
    p->watch = arg.value;
    assert_int_equal(peer_next(p), 0);
    assert_int_equal(peer_write(p, arg.value, &v, sizeof(v)), 0);
    assert_int_equal(peer_free_memory(p, arg.value, FREE, 0), 0); /* as CUDA would */
    assert_int_equal(peer_read(p, &v, arg.value, sizeof(v), 0), 1);
    assert_int_equal(peer_done(p, 0), 0);
    assert_float_equal(p->joined_value, 4, 0); /* the caller still sees it */
    peer_finish(p);
    assert_int_equal(sightings_of(&p->records[0], CMPD_TAG_bad_free, false), 1);
    assert_non_null(strstr(message_of(&p->records[0], CMPD_TAG_bad_free), "out"));
    peer_free(p);
}

static void test_out_of_memory(void **state)
{
    struct cmpd_server_limits limits = {.memory_bytes = 1 << 20};
    struct peer *p = peer_start(&limits, &one_case, 1);
    struct {
        uint64_t bytes;
        uint32_t kind, stream;
    } q = {2 << 20, CMPD_MEMORY_DEVICE, 0};

    (void)state;
    assert_int_equal(peer_next(p), 1);
    assert_int_equal(peer_ask(p, CMPD_WIRE_ALLOC, &q, sizeof(q), NULL, 0), 2);
    /* what follows from that is no fault of the candidate's */
    assert_int_equal(peer_write(p, 0, "abcd", 4), 1);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_not_emulated, false), 1);
    assert_int_equal(sightings_of(r, CMPD_TAG_api_error, false), 0);
    peer_free(p);
}

static void test_copies(void **state)
{
    struct peer *p = start();
    uint8_t in[256], out[256];

    (void)state;
    for (size_t i = 0; i < sizeof(in); i++)
        in[i] = (uint8_t)i;
    uint64_t a = peer_alloc(p, 256), b = peer_alloc(p, 256);
    assert_int_equal(peer_write(p, a, in, 256), 0);
    assert_int_equal(peer_copy(p, b, a, 256, D2D, 0, false), 0);
    assert_int_equal(peer_set(p, b + 8, 0xee, 4, 0), 0);
    assert_int_equal(peer_read(p, out, b, 256, 0), 0);
    memset(in + 8, 0xee, 4);
    assert_memory_equal(in, out, 256);
    assert_int_equal(peer_write(p, a, in, 0), 0);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(r->failure_count, 0);
    assert_int_equal(r->step_count, 4);
    assert_int_equal(r->steps[0].kind, CMPD_SERVER_WRITE);
    assert_null(r->steps[0].data); /* bytes are kept for a replay only */
    assert_int_equal(r->steps[3].kind, CMPD_SERVER_READ);
    peer_free(p);
}

/* Which direction passes for which pointers: measured. */
static void test_directions(void **state)
{
    static const struct {
        bool to_host, from_host;
        int32_t error[5]; /* by cudaMemcpyKind */
    } measured[] = {
        {false, true, {0, 0, 1, 1, 0}},
        {true, false, {0, 1, 0, 1, 0}},
        {false, false, {0, 0, 0, 0, 0}},
        {true, true, {0, 1, 1, 1, 0}},
    };
    struct peer *p = start();
    uint8_t bytes[16] = {0};

    (void)state;
    uint64_t a = peer_alloc(p, 64), b = peer_alloc(p, 64);
    assert_int_equal(peer_set(p, b, 0, 64, 0), 0);
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        for (uint32_t kind = 0; kind < 5; kind++) {
            struct cmpd_wire_copy c = {.to = measured[i].to_host ? 0 : a,
                                       .from = measured[i].from_host ? 0 : b,
                                       .width = 16,
                                       .height = 1,
                                       .direction = kind,
                                       .to_host = measured[i].to_host,
                                       .from_host = measured[i].from_host};
            assert_int_equal(
                peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), bytes, measured[i].from_host ? 16 : 0),
                measured[i].error[kind]);
        }
    }
    struct cmpd_wire_copy c = {.to = a, .from = b, .width = 16, .height = 1, .direction = 7};
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), NULL, 0), 21);
    assert_int_equal(peer_last_error(p, true), 21);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(r->last_error, 0); /* it was read */
    assert_true(sightings_of(r, CMPD_TAG_api_error, false) > 0);
    peer_free(p);
}

static void test_ranges(void **state)
{
    struct peer *p = start();
    uint8_t bytes[128] = {0};

    (void)state;
    uint64_t a = peer_alloc(p, 100);
    assert_int_equal(peer_write(p, a, bytes, 101), 1);
    assert_int_equal(peer_write(p, a + 90, bytes, 11), 1);
    assert_int_equal(peer_write(p, a - 1, bytes, 2), 1);
    assert_int_equal(peer_read(p, bytes, a, 101, 0), 1);
    assert_int_equal(peer_set(p, a, 0, 101, 0), 1);
    assert_int_equal(peer_write(p, a + 90, bytes, 10), 0);
    assert_int_equal(peer_copy(p, a, a + 60, 41, D2D, 0, false), 1);
    assert_int_equal(peer_free_memory(p, a, FREE, 0), 0);
    assert_int_equal(peer_write(p, a, bytes, 4), 1);
    assert_int_equal(peer_read(p, bytes, CMPD_DEVICE_END - 4, 16, 0), 1);
    assert_int_equal(peer_read(p, bytes, 0, 16, 0), 1);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_out_of_bounds, false), 1);
    assert_int_equal(r->sightings.items[0].times, 8);
    assert_string_equal(message_of(r, CMPD_TAG_out_of_bounds),
                        "cudaMemcpy writes 101 bytes at offset 0 of cudaMalloc #1 (100 bytes)");
    assert_int_equal(r->last_error, 1);
    peer_free(p);
}

static void test_two_dimensions(void **state)
{
    struct peer *p = start();
    uint8_t rows[12], all[32];

    (void)state;
    uint64_t a = peer_alloc(p, 32);
    for (size_t i = 0; i < sizeof(rows); i++)
        rows[i] = (uint8_t)(i + 1);
    assert_int_equal(peer_set(p, a, 0, 32, 0), 0);
    struct cmpd_wire_copy c = {.to = a,
                               .to_pitch = 8,
                               .from_pitch = 4,
                               .width = 4,
                               .height = 3,
                               .direction = H2D,
                               .from_host = 1};
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), rows, 12), 0);
    assert_int_equal(peer_read(p, all, a, 32, 0), 0);
    assert_memory_equal(all + 8, rows + 4, 4);
    assert_int_equal(all[4], 0);
    c.to_pitch = 3; /* smaller than a row */
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), rows, 12), 12);
    c.to_pitch = 15; /* the last row ends at 2 * 15 + 4 = 34 */
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), rows, 12), 1);
    c.to_pitch = UINT64_MAX / 2; /* overflows */
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), rows, 12), 1);
    struct cmpd_wire_set w = {.to = a, .pitch = 16, .width = 2, .height = 2, .value = 7, .unit = 1};
    assert_int_equal(peer_ask(p, CMPD_WIRE_SET, &w, sizeof(w), NULL, 0), 0);
    assert_int_equal(peer_read(p, all, a, 32, 0), 0);
    assert_int_equal(all[16], 7);
    assert_int_equal(all[18], rows[10]);
    w.pitch = 1;
    assert_int_equal(peer_ask(p, CMPD_WIRE_SET, &w, sizeof(w), NULL, 0), 1);
    done(p);
    peer_free(p);
}

static int32_t symbol(struct peer *p, uint64_t handle, uint64_t *address, uint64_t *bytes)
{
    int32_t error = peer_ask(p, CMPD_WIRE_SYMBOL, &handle, sizeof(handle), NULL, 0);

    if (error == 0) {
        memcpy(address, p->answer, 8);
        memcpy(bytes, p->answer + 8, 8);
    }
    return error;
}

static void test_symbols(void **state)
{
    struct peer *p = start();
    uint64_t address = 0, bytes = 0;
    uint8_t data[72] = {1, 2, 3};

    (void)state;
    assert_int_equal(symbol(p, V_TABLE, &address, &bytes), 0);
    assert_int_equal(bytes, 64);
    struct cmpd_wire_copy c = {
        .to = address, .width = 64, .height = 1, .direction = H2D, .from_host = 1, .symbol = 1};
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), data, 64), 0);
    c.width = 68;
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), data, 68), 1);
    c.width = 8;
    c.direction = D2H;
    assert_int_equal(peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), data, 8), 21);
    assert_int_equal(symbol(p, 0x9999, &address, &bytes), 13);
    assert_int_equal(peer_free_memory(p, address, FREE, 0), 1);
    const struct cmpd_server_record *r = done(p);
    assert_non_null(strstr(message_of(r, CMPD_TAG_out_of_bounds), "cudaMemcpyToSymbol"));
    assert_non_null(strstr(message_of(r, CMPD_TAG_out_of_bounds), "table"));
    assert_non_null(strstr(message_of(r, CMPD_TAG_bad_free), "variable table"));
    peer_free(p);
}

/* Managed and pinned memory is one memfd on both sides; the host's writes are there for the device. */
static void test_shared_memory(void **state)
{
    struct peer *p = start();
    int fd;
    uint8_t got[8];

    (void)state;
    uint64_t a = peer_alloc_kind(p, 5000, CMPD_MEMORY_MANAGED, &fd);
    assert_true(fd >= 0);
    uint8_t *host = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(host, MAP_FAILED);
    assert_int_equal(ftruncate(fd, 0), -1); /* sealed: nobody pulls it away from under the server */
    memcpy(host, "through", 8);
    uint64_t b = peer_alloc(p, 8);
    assert_int_equal(peer_copy(p, b, a, 8, DEFAULT, 0, false), 0);
    assert_int_equal(peer_read(p, got, b, 8, 0), 0);
    assert_string_equal((char *)got, "through");
    munmap(host, 8192);
    close(fd);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_uninitialized_read, true), 0);
    peer_free(p);
}

static void test_unwritten_bytes_are_a_note(void **state)
{
    struct peer *p = start();
    uint8_t got[64];

    (void)state;
    uint64_t a = peer_alloc(p, 64);
    assert_int_equal(peer_write(p, a, "0123456789", 10), 0);
    assert_int_equal(peer_read(p, got, a, 64, 0), 0);
    const struct cmpd_server_record *r = done(p);
    assert_int_equal(sightings_of(r, CMPD_TAG_uninitialized_read, true), 1);
    assert_int_equal(sightings_of(r, CMPD_TAG_uninitialized_read, false), 0);
    assert_non_null(strstr(message_of(r, CMPD_TAG_uninitialized_read), "54 bytes"));
    assert_non_null(strstr(message_of(r, CMPD_TAG_uninitialized_read), "offset 10"));
    peer_free(p);
}

static int32_t host_range(struct peer *p, uint64_t address, uint64_t bytes, uint32_t on)
{
    struct {
        uint64_t address, bytes;
        uint32_t on, zero;
    } q = {address, bytes, on, 0};

    return peer_ask(p, CMPD_WIRE_HOST_RANGE, &q, sizeof(q), NULL, 0);
}

static void test_registered_memory(void **state)
{
    struct peer *p = start();

    (void)state;
    assert_int_equal(host_range(p, 0x10000, 8192, 1), 0);
    assert_int_equal(host_range(p, 0x10000, 8192, 1), 712);
    assert_int_equal(host_range(p, 0x11000, 0, 0), 1);
    assert_int_equal(host_range(p, 0x10000, 0, 0), 0);
    assert_int_equal(host_range(p, 0x10000, 0, 0), 713);
    assert_int_equal(host_range(p, 0x10000, 0, 1), 1);
    assert_int_equal(host_range(p, peer_alloc(p, 64), 64, 1), 1);
    done(p);
    peer_free(p);
}

static void test_pointer(void **state)
{
    struct peer *p = start();
    struct {
        uint32_t kind, zero;
        uint64_t base, bytes;
    } a;

    (void)state;
    uint64_t address = peer_alloc(p, 64), inside = address + 63, past = address + 64;
    assert_int_equal(peer_ask(p, CMPD_WIRE_POINTER, &inside, 8, NULL, 0), 0);
    memcpy(&a, p->answer, sizeof(a));
    assert_int_equal(a.kind, CMPD_MEMORY_DEVICE + 1);
    assert_int_equal(a.base, address);
    assert_int_equal(a.bytes, 64);
    assert_int_equal(peer_ask(p, CMPD_WIRE_POINTER, &past, 8, NULL, 0), 0);
    memcpy(&a, p->answer, sizeof(a));
    assert_int_equal(a.kind, 0);
    done(p);
    peer_free(p);
}

static void test_reset(void **state)
{
    struct peer *p = start();
    uint8_t byte;

    (void)state;
    uint64_t a = peer_alloc(p, 64);
    uint32_t stream = peer_stream(p, 0);
    assert_int_equal(peer_free_memory(p, 0x5000, FREE, 0), 1);
    assert_int_equal(peer_ask(p, CMPD_WIRE_RESET, NULL, 0, NULL, 0), 0);
    assert_int_equal(peer_last_error(p, false), 1); /* measured: it stays */
    assert_int_equal(peer_read(p, &byte, a, 1, 0), 1);
    assert_int_equal(peer_sync(p, 1, stream, 0), 400);
    done(p);
    peer_free(p);
}

/* What one case did wrong does not make the next one fail. */
static void test_cases_are_apart(void **state)
{
    struct cmpd_server_case cases[2] = {one_case, {.task = CMPD_WIRE_TASK_CALL, .number = 2}};
    struct peer *p = peer_start(NULL, cases, 2);

    (void)state;
    assert_int_equal(peer_next(p), 1);
    assert_int_equal(peer_launch(p, K_FAULT, 1, 1, 0, 0, NULL, 0), 0);
    assert_int_equal(peer_done(p, 1), 0);
    assert_int_equal(peer_next(p), 2);
    assert_int_equal(peer_last_error(p, false), 0);
    peer_alloc(p, 64);
    assert_int_equal(peer_done(p, 2), 0);
    peer_finish(p);
    assert_int_equal(p->records[0].sticky_error, 700);
    assert_int_equal(p->records[1].sticky_error, 0);
    assert_int_equal(sightings_of(&p->records[1], CMPD_TAG_out_of_bounds, false), 0);
    peer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_and_free),
        cmocka_unit_test(test_bad_frees),
        cmocka_unit_test(test_free_of_the_callers),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_unwritten_bytes_are_a_note),
        cmocka_unit_test(test_registered_memory),
        cmocka_unit_test(test_pointer),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_cases_are_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
