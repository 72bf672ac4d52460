/* The conversation: who may say what and when, how it ends, and what a hostile peer gets. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu-runner/wire/io.h"
#include "peer.h"

static const struct cmpd_server_case one_case = {.task = CMPD_WIRE_TASK_CALL, .number = 7};

static void test_all_cases(void **state)
{
    struct cmpd_server_arg args[2] = {{.type = CMPD_WIRE_I32, .value = 5},
                                      {.type = CMPD_WIRE_F32, .value = 0x3f800000}};
    struct cmpd_server_case cases[2] = {{.task = CMPD_WIRE_TASK_CALL,
                                         .number = 3,
                                         .symbol_offset = 0x1234,
                                         .args = args,
                                         .arg_count = 2,
                                         .result = CMPD_WIRE_I32},
                                        {.task = CMPD_WIRE_TASK_MAIN, .number = 4}};
    struct peer *p = peer_start(NULL, cases, 2);
    struct cmpd_wire_case c;
    struct cmpd_wire_arg a;
    uint32_t done[4] = {3, 42, 2, 0};

    (void)state;
    assert_int_equal(peer_next(p), 3);
    memcpy(&c, p->answer, sizeof(c));
    assert_int_equal(c.symbol_offset, 0x1234);
    assert_int_equal(c.arg_count, 2);
    assert_int_equal(c.result, CMPD_WIRE_I32);
    memcpy(&a, p->answer + sizeof(c), sizeof(a));
    assert_int_equal(a.value, 5);
    assert_int_equal(peer_ask(p, CMPD_WIRE_DONE, done, sizeof(done), NULL, 0), 0);
    assert_int_equal(peer_next(p), 4);
    assert_int_equal(peer_done(p, 4), 0);
    peer_finish(p);
    assert_int_equal(p->outcome.cases_done, 2);
    assert_int_equal(p->record_count, 2);
    assert_int_equal(p->records[0].number, 3);
    assert_int_equal(p->records[0].result, 42);
    assert_int_equal(p->records[0].threads, 2);
    assert_true(p->records[0].returned);
    assert_int_equal(p->records[0].sightings.count, 0);
    peer_free(p);
}

/* Sends something and expects that the server ends the conversation for it. */
static void violates(struct peer *p)
{
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_VIOLATION);
    assert_int_equal(p->rc, CMPD_OK);
    assert_true(strlen(p->outcome.message) > 0);
    peer_free(p);
}

static void test_violations(void **state)
{
    struct cmpd_wire_head head = {.magic = CMPD_WIRE_MAGIC, .kind = CMPD_WIRE_RESET, .seq = 1};
    uint32_t version = 99;
    struct cmpd_wire_copy copy = {.width = 8, .height = 1, .from_host = 1};
    struct peer *p = peer_silent(NULL, NULL, 0);

    (void)state;
    peer_send_raw(p, "garbage garbage garbage ", 24);
    violates(p);

    p = peer_silent(NULL, NULL, 0); /* no greeting */
    peer_send_raw(p, &head, sizeof(head));
    violates(p);

    p = peer_silent(NULL, NULL, 0);
    peer_send(p, CMPD_WIRE_HELLO, &version, sizeof(version), NULL, 0);
    violates(p);

    p = peer_start(NULL, NULL, 0); /* a number that is left out */
    p->seq++;
    peer_send(p, CMPD_WIRE_MEM_INFO, NULL, 0, NULL, 0);
    violates(p);

    p = peer_start(NULL, NULL, 0);
    peer_send(p, CMPD_WIRE_KIND_COUNT, NULL, 0, NULL, 0);
    violates(p);

    p = peer_start(NULL, NULL, 0); /* 8 bytes announced, 4 sent */
    peer_send(p, CMPD_WIRE_COPY, &copy, sizeof(copy), "1234", 4);
    violates(p);

    copy.height = UINT64_MAX / 4; /* width * height overflows */
    p = peer_start(NULL, NULL, 0);
    peer_send(p, CMPD_WIRE_COPY, &copy, sizeof(copy), NULL, 0);
    violates(p);

    p = peer_start(NULL, NULL, 0); /* longer than its kind allows: refused before the bytes come */
    head = (struct cmpd_wire_head){CMPD_WIRE_MAGIC, CMPD_WIRE_FUNCTION, p->seq + 1, UINT32_MAX};
    peer_send_raw(p, &head, sizeof(head));
    violates(p);

    p = peer_start(NULL, &one_case, 1); /* DONE without NEXT */
    peer_send(p, CMPD_WIRE_DONE, (uint32_t[4]){7}, 16, NULL, 0);
    violates(p);

    p = peer_start(NULL, &one_case, 1); /* the number of another case */
    assert_int_equal(peer_next(p), 7);
    peer_send(p, CMPD_WIRE_DONE, (uint32_t[4]){8}, 16, NULL, 0);
    violates(p);

    p = peer_start(NULL, &one_case, 1); /* NEXT inside of a case */
    assert_int_equal(peer_next(p), 7);
    peer_send(p, CMPD_WIRE_NEXT, NULL, 0, NULL, 0);
    violates(p);

    p = peer_start(NULL, NULL, 0); /* a name with a control character */
    peer_send(p, CMPD_WIRE_UNBUILT, NULL, 0, "cuda\nFoo", 8);
    violates(p);

    p = peer_start(NULL, NULL, 0); /* a parameter block of another size than the kernel's */
    peer_send(p, CMPD_WIRE_LAUNCH,
              &(struct cmpd_wire_launch){K_ADD_ONE, {1, 1, 1}, {1, 1, 1}, 0, 0, 0, {0, 0, 0}},
              sizeof(struct cmpd_wire_launch), "1234", 4);
    violates(p);
}

static void test_early_exit(void **state)
{
    struct peer *p = peer_silent(NULL, &one_case, 1);

    (void)state;
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_GONE_EARLY);
    assert_false(p->outcome.started);
    peer_free(p);

    p = peer_start(NULL, &one_case, 1);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_GONE_EARLY);
    assert_true(p->outcome.started);
    assert_false(p->outcome.in_case);
    peer_free(p);

    p = peer_start(NULL, &one_case, 1);
    assert_int_equal(peer_next(p), 7);
    assert_int_equal(peer_launch(p, K_FAULT, 1, 1, 0, 0, NULL, 0), 0);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_GONE_EARLY);
    assert_true(p->outcome.in_case);
    assert_int_equal(p->outcome.number, 7);
    const struct cmpd_server_record *r = cmpd_server_open_record(p->server);
    assert_true(r->entered);
    assert_false(r->returned);
    /* what was still queued has been done, and its fault seen */
    assert_int_equal(sightings_of(r, CMPD_TAG_out_of_bounds, false), 1);
    peer_free(p);
}

static void test_wall(void **state)
{
    struct cmpd_server_limits limits = {.wall_ms = 60, .start_ms = 60};
    struct peer *p = peer_silent(&limits, &one_case, 1);

    (void)state;
    pthread_join(p->thread, NULL); /* silence */
    assert_int_equal(p->outcome.end, CMPD_SERVER_WALL);
    close(p->fd);
    peer_free(p);

    p = peer_start(&limits, &one_case, 1);
    assert_int_equal(peer_next(p), 7);
    for (int i = 0; i < 200; i++) { /* one byte now and then does not buy time */
        char byte = 'C';
        if (send(p->fd, &byte, 1, MSG_NOSIGNAL) < 0)
            break;
        usleep(2000);
    }
    pthread_join(p->thread, NULL);
    assert_true(p->outcome.end == CMPD_SERVER_WALL || p->outcome.end == CMPD_SERVER_VIOLATION);
    close(p->fd);
    peer_free(p);

    p = peer_start(&limits, &one_case, 1);
    assert_int_equal(peer_next(p), 7);
    while (peer_ask(p, CMPD_WIRE_MEM_INFO, NULL, 0, NULL, 0) ==
           0) /* nor does a flood of questions */
        ;
    pthread_join(p->thread, NULL);
    assert_int_equal(p->outcome.end, CMPD_SERVER_WALL);
    close(p->fd);
    peer_free(p);
}

static void test_slow_drip(void **state)
{
    struct cmpd_server_limits limits = {.wall_ms = 60};
    struct peer *p = peer_start(&limits, &one_case, 1);
    struct cmpd_wire_head head = {CMPD_WIRE_MAGIC, CMPD_WIRE_UNBUILT, 0, 4096};

    (void)state;
    assert_int_equal(peer_next(p), 7);
    head.seq = p->seq + 1;
    peer_send_raw(p, &head, sizeof(head));
    while (send(p->fd, "x", 1, MSG_NOSIGNAL) == 1)
        usleep(2000);
    pthread_join(p->thread, NULL);
    assert_int_equal(p->outcome.end, CMPD_SERVER_WALL);
    close(p->fd);
    peer_free(p);
}

/* A peer that asks for much and reads nothing. */
static void test_deaf(void **state)
{
    struct cmpd_server_limits limits = {.wall_ms = 100};
    struct peer *p = peer_start(&limits, &one_case, 1);

    (void)state;
    uint64_t a = peer_alloc(p, 8 << 20);
    assert_int_equal(peer_next(p), 7);
    struct cmpd_wire_copy c = {
        .from = a, .width = 8 << 20, .height = 1, .direction = 2, .to_host = 1};
    peer_send(p, CMPD_WIRE_COPY, &c, sizeof(c), NULL, 0);
    pthread_join(p->thread, NULL);
    assert_int_equal(p->outcome.end, CMPD_SERVER_WALL);
    close(p->fd);
    peer_free(p);
}

static void test_limits(void **state)
{
    struct cmpd_server_limits limits = {
        .messages = 40, .launches = 3, .objects = 4, .modules = 2, .traffic_bytes = 1 << 20};
    struct peer *p = peer_start(&limits, &one_case, 1);
    static uint8_t block[4096];

    (void)state;
    while (peer_ask(p, CMPD_WIRE_MEM_INFO, NULL, 0, NULL, 0) == 0)
        ;
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_LIMIT);
    peer_free(p);

    p = peer_start(&limits, &one_case, 1);
    assert_int_equal(peer_next(p), 7);
    for (int i = 0; i < 3; i++)
        assert_int_equal(peer_launch(p, K_BOUNDED, 1, 1, 0, 0, NULL, 0), 0);
    assert_int_equal(peer_launch(p, K_BOUNDED, 1, 1, 0, 0, NULL, 0), INT32_MIN);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_LIMIT);
    peer_free(p);

    p = peer_start(&limits, &one_case, 1);
    for (int i = 0; i < 4; i++)
        peer_stream(p, 0);
    assert_int_equal(peer_two(p, CMPD_WIRE_STREAM_NEW, 0, 0), INT32_MIN);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_LIMIT);
    peer_free(p);

    p = peer_start(&limits, &one_case, 1);
    assert_int_equal(peer_ask(p, CMPD_WIRE_FATBIN, NULL, 0, MOCK_IMAGE, 4), 0);
    assert_int_equal(peer_ask(p, CMPD_WIRE_FATBIN, NULL, 0, MOCK_IMAGE, 4), INT32_MIN);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_LIMIT);
    peer_free(p);

    limits.messages = 0;
    p = peer_start(&limits, &one_case, 1);
    uint64_t a = peer_alloc(p, sizeof(block));
    while (peer_write(p, a, block, sizeof(block)) == 0)
        ;
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_LIMIT);
    peer_free(p);
}

static void test_cancel(void **state)
{
    struct peer *p = peer_start(NULL, &one_case, 1);

    (void)state;
    assert_int_equal(peer_next(p), 7);
    assert_int_equal(write(p->cancel[1], "x", 1), 1);
    pthread_join(p->thread, NULL);
    assert_int_equal(p->outcome.end, CMPD_SERVER_CANCELLED);
    close(p->fd);
    peer_free(p);
}

static void test_plan_fails(void **state)
{
    struct peer *p = peer_start(NULL, &one_case, 1);

    (void)state;
    p->done_rc = CMPD_EIO;
    assert_int_equal(peer_next(p), 7);
    assert_int_equal(peer_done(p, 7), INT32_MIN);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_STOPPED);
    assert_int_equal(p->rc, CMPD_EIO);
    assert_string_equal(p->err.msg, "enough");
    peer_free(p);
}

static void test_broken_device(void **state)
{
    struct peer *p = peer_start(NULL, &one_case, 1);

    (void)state;
    mock_device_break(p->device);
    assert_int_equal(peer_next(p), 7);
    assert_int_equal(peer_launch(p, K_BOUNDED, 1, 1, 0, 0, NULL, 0), 0);
    assert_int_equal(peer_sync(p, 0, 0, 0), INT32_MIN);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_BROKEN);
    assert_int_equal(p->rc, CMPD_EINTERNAL);
    peer_free(p);
}

/* Descriptors that the peer sends never arrive here. */
static void test_descriptors_from_peer(void **state)
{
    struct peer *p = peer_start(NULL, NULL, 0);
    struct cmpd_wire_head head = {CMPD_WIRE_MAGIC, CMPD_WIRE_MEM_INFO, 0, 0};
    int pipe_fds[2];
    char byte;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    head.seq = ++p->seq;
    struct iovec part = {.iov_base = &head, .iov_len = sizeof(head)};
    assert_int_equal(cmpd_wire_send(p->fd, &part, 1, pipe_fds[1]), 0);
    close(pipe_fds[1]);
    struct cmpd_wire_answer a;
    assert_int_equal(cmpd_wire_receive(p->fd, &a, sizeof(a), NULL), 1);
    assert_int_equal(read(pipe_fds[0], &byte, 1), 0); /* the last writer is gone */
    close(pipe_fds[0]);
    peer_end(p);
    peer_free(p);
}

static size_t open_descriptors(void)
{
    size_t n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* However it ends, nothing stays open. */
static void test_no_descriptor_is_left(void **state)
{
    struct cmpd_server_arg arg = {.type = CMPD_WIRE_POINTER_HOST, .name = "x", .bytes = 100};
    struct cmpd_server_case c = {
        .task = CMPD_WIRE_TASK_CALL, .number = 7, .args = &arg, .arg_count = 1};
    size_t before = open_descriptors();

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct peer *p = peer_start(NULL, &c, 1);
        int fd;
        peer_alloc_kind(p, 4096, CMPD_MEMORY_MANAGED, &fd);
        close(fd);
        assert_int_equal(peer_next(p), 7);
        close(p->answer_fd); /* the memory of the host buffer */
        if (i == 0)
            assert_int_equal(peer_done(p, 7), 0);
        if (i == 1)
            peer_send_raw(p, "nonsense nonsense", 17);
        peer_end(p);
        peer_free(p);
        assert_int_equal(open_descriptors(), before);
    }
}

static void faulted(uint32_t signal, uint64_t offset_or_address, bool device,
                    enum cmpd_server_fault_kind kind, enum cmpd_tag tag)
{
    struct peer *p = peer_start(NULL, &one_case, 1);
    uint64_t address = offset_or_address;

    if (device)
        address += peer_alloc(p, 64);
    assert_int_equal(peer_next(p), 7);
    peer_fault(p, signal, address);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_FAULTED);
    assert_int_equal(p->outcome.fault, kind);
    assert_int_equal(p->outcome.signal, signal);
    assert_string_equal(p->outcome.where, "candidate.so:run");
    const struct cmpd_server_record *r = cmpd_server_open_record(p->server);
    assert_int_equal(sightings_of(r, tag, false), 1);
    assert_non_null(strstr(message_of(r, tag), "candidate.so:run"));
    peer_free(p);
}

static void test_faults(void **state)
{
    (void)state;
    faulted(SIGSEGV, 8, true, CMPD_SERVER_FAULT_DEVICE_POINTER, CMPD_TAG_host_dereference);
    faulted(SIGSEGV, 8, false, CMPD_SERVER_FAULT_NULL, CMPD_TAG_crashed);
    faulted(SIGSEGV, 0x7fff00001234, false, CMPD_SERVER_FAULT_OTHER_ADDRESS, CMPD_TAG_crashed);
    faulted(SIGABRT, 0, false, CMPD_SERVER_FAULT_SIGNAL, CMPD_TAG_crashed);
    faulted(SIGSYS, 0, false, CMPD_SERVER_FAULT_FORBIDDEN, CMPD_TAG_forbidden_host_action);
}

static void test_last_words(void **state)
{
    static const struct {
        uint32_t why;
        enum cmpd_server_fault_kind kind;
        size_t crashed;
    } words[] = {{CMPD_WIRE_WHY_EXCEPTION, CMPD_SERVER_FAULT_EXCEPTION, 1},
                 {CMPD_WIRE_WHY_LOAD, CMPD_SERVER_FAULT_LOAD, 0},
                 {CMPD_WIRE_WHY_TASK, CMPD_SERVER_FAULT_TASK, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct peer *p = peer_start(NULL, NULL, 0);
        struct {
            uint32_t signal, why;
            uint64_t address, pc;
        } q = {SIGABRT, words[i].why, 0, 0};
        peer_send(p, CMPD_WIRE_FAULT, &q, sizeof(q), "an exception of type int", 24);
        peer_end(p);
        assert_int_equal(p->outcome.end, CMPD_SERVER_FAULTED);
        assert_int_equal(p->outcome.fault, words[i].kind);
        assert_string_equal(p->outcome.where, "an exception of type int");
        const struct cmpd_server_record *r = cmpd_server_outside_record(p->server);
        assert_int_equal(r->sightings.count, words[i].crashed);
        peer_free(p);
    }
}

static void test_fault_in_shared_memory(void **state)
{
    struct peer *p = peer_start(NULL, &one_case, 1);
    int fd;

    (void)state;
    uint64_t a = peer_alloc_kind(p, 4096, CMPD_MEMORY_PINNED, &fd);
    close(fd);
    assert_int_equal(peer_next(p), 7);
    peer_fault(p, SIGSEGV, a + 4096);
    peer_end(p);
    assert_int_equal(p->outcome.fault, CMPD_SERVER_FAULT_HOST_BUFFER);
    assert_int_equal(
        sightings_of(cmpd_server_open_record(p->server), CMPD_TAG_out_of_bounds, false), 1);
    peer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_cases),
        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_early_exit),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_slow_drip),
        cmocka_unit_test(test_deaf),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_plan_fails),
        cmocka_unit_test(test_broken_device),
        cmocka_unit_test(test_descriptors_from_peer),
        cmocka_unit_test(test_no_descriptor_is_left),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_fault_in_shared_memory),
        cmocka_unit_test(test_last_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
