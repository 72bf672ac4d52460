#include "peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/wire/io.h"

static cmpd_rc on_next(void *ctx, struct cmpd_server_case *out, struct cmpd_err *err)
{
    struct peer *p = ctx;

    (void)err;
    if (p->next == p->case_count)
        *out = (struct cmpd_server_case){.task = CMPD_WIRE_TASK_STOP};
    else
        *out = p->cases[p->next++];
    return CMPD_OK;
}

static cmpd_rc on_joined(void *ctx, const struct cmpd_server_record *record, struct cmpd_err *err)
{
    struct peer *p = ctx;

    (void)record;
    if (p->watch)
        return p->device->ops->read(p->device, &p->joined_value, p->watch, sizeof(float), err);
    return CMPD_OK;
}

static cmpd_rc on_done(void *ctx, struct cmpd_server_record *record, struct cmpd_err *err)
{
    struct peer *p = ctx;

    if (p->done_rc != CMPD_OK)
        return cmpd_err_set(err, p->done_rc, "enough");
    p->records[p->record_count++] = *record;
    memset(record, 0, sizeof(*record));
    return CMPD_OK;
}

static void *serve(void *ctx)
{
    struct peer *p = ctx;
    const struct cmpd_server_plan plan = {
        .ctx = p, .next = on_next, .joined = on_joined, .done = on_done};

    p->rc = cmpd_server_serve(p->server, p->server_fd, p->cancel[0], &plan, &p->outcome, &p->err);
    close(p->server_fd);
    return NULL;
}

struct peer *peer_silent(const struct cmpd_server_limits *limits,
                         const struct cmpd_server_case *cases, size_t case_count)
{
    struct peer *p = cmpd_calloc(1, sizeof(*p));
    struct cmpd_err err = {0};
    int fds[2];

    assert_true(case_count <= PEER_CASES);
    if (case_count > 0)
        memcpy(p->cases, cases, case_count * sizeof(*cases));
    p->case_count = case_count;
    assert_int_equal(mock_device_ops.open(NULL, &p->device, &err), CMPD_OK);
    assert_int_equal(cmpd_server_new(p->device, limits, &p->server, &err), CMPD_OK);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(pipe(p->cancel), 0);
    p->fd = fds[0];
    p->server_fd = fds[1];
    p->answer_fd = -1;
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
    return p;
}

static void register_all(struct peer *p)
{
    static const char *const names[] = {"add_one",    "copy",    "fault",       "misaligned",
                                        "stuck",      "budget",  "unsupported", "bounded",
                                        "big_shared", "missing", "taint"};

    assert_int_equal(peer_ask(p, CMPD_WIRE_FATBIN, NULL, 0, MOCK_IMAGE, strlen(MOCK_IMAGE)), 0);
    memcpy(&p->module, p->answer, sizeof(p->module));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct {
            uint32_t module, zero;
            uint64_t handle;
        } f = {p->module, 0, K_ADD_ONE + i};
        assert_int_equal(peer_ask(p, CMPD_WIRE_FUNCTION, &f, sizeof(f), names[i], strlen(names[i])),
                         0);
    }
    for (uint64_t i = 0; i < 2; i++) {
        const char *name = i ? "constant" : "table";
        struct {
            uint32_t module, flags;
            uint64_t handle, bytes;
        } v = {p->module, (uint32_t)i, V_TABLE + i, 64};
        assert_int_equal(peer_ask(p, CMPD_WIRE_VARIABLE, &v, sizeof(v), name, strlen(name)), 0);
    }
}

void peer_hello(struct peer *p)
{
    uint32_t version = CMPD_WIRE_VERSION;

    assert_int_equal(peer_ask(p, CMPD_WIRE_HELLO, &version, sizeof(version), NULL, 0), 0);
}

struct peer *peer_start(const struct cmpd_server_limits *limits,
                        const struct cmpd_server_case *cases, size_t case_count)
{
    struct peer *p = peer_silent(limits, cases, case_count);

    peer_hello(p);
    register_all(p);
    return p;
}

void peer_end(struct peer *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
    pthread_join(p->thread, NULL);
}

void peer_free(struct peer *p)
{
    cmpd_server_free(p->server);
    for (size_t i = 0; i < p->record_count; i++)
        cmpd_server_record_clear(&p->records[i]);
    p->device->ops->close(p->device);
    close(p->cancel[0]);
    close(p->cancel[1]);
    free(p);
}

void peer_finish(struct peer *p)
{
    assert_int_equal(peer_next(p), -1);
    peer_end(p);
    assert_int_equal(p->outcome.end, CMPD_SERVER_FINISHED);
    assert_int_equal(p->rc, CMPD_OK);
}

void peer_send_raw(struct peer *p, const void *data, size_t len)
{
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};

    cmpd_wire_send(p->fd, &part, 1, -1);
}

void peer_send(struct peer *p, uint32_t kind, const void *fixed, size_t fixed_len, const void *data,
               size_t len)
{
    struct cmpd_wire_head head = {.magic = CMPD_WIRE_MAGIC,
                                  .kind = kind,
                                  .seq = ++p->seq,
                                  .len = (uint32_t)(fixed_len + len)};
    struct iovec parts[3] = {{.iov_base = &head, .iov_len = sizeof(head)},
                             {.iov_base = (void *)(uintptr_t)fixed, .iov_len = fixed_len},
                             {.iov_base = (void *)(uintptr_t)data, .iov_len = len}};

    cmpd_wire_send(p->fd, parts, 3, -1);
}

int32_t peer_ask(struct peer *p, uint32_t kind, const void *fixed, size_t fixed_len,
                 const void *data, size_t len)
{
    struct cmpd_wire_answer a;

    peer_send(p, kind, fixed, fixed_len, data, len);
    if (cmpd_wire_receive(p->fd, &a, sizeof(a), &p->answer_fd) != 1)
        return INT32_MIN;
    assert_int_equal(a.seq, p->seq);
    assert_true(a.len <= sizeof(p->answer));
    assert_int_equal(!!(a.flags & CMPD_WIRE_HAS_FD), p->answer_fd >= 0);
    p->answer_len = a.len;
    p->answer_flags = a.flags;
    if (a.len > 0)
        assert_int_equal(cmpd_wire_receive(p->fd, p->answer, a.len, NULL), 1);
    return a.error;
}

uint64_t peer_alloc_kind(struct peer *p, uint64_t bytes, uint32_t kind, int *fd)
{
    struct {
        uint64_t bytes;
        uint32_t kind, stream;
    } q = {bytes, kind, 0};
    uint64_t address;

    assert_int_equal(peer_ask(p, CMPD_WIRE_ALLOC, &q, sizeof(q), NULL, 0), 0);
    assert_int_equal(p->answer_len, sizeof(address));
    memcpy(&address, p->answer, sizeof(address));
    if (fd)
        *fd = p->answer_fd;
    return address;
}

uint64_t peer_alloc(struct peer *p, uint64_t bytes)
{
    return peer_alloc_kind(p, bytes, CMPD_MEMORY_DEVICE, NULL);
}

int32_t peer_free_memory(struct peer *p, uint64_t address, uint32_t how, uint32_t stream)
{
    struct {
        uint64_t address;
        uint32_t how, stream;
    } q = {address, how, stream};

    return peer_ask(p, CMPD_WIRE_FREE, &q, sizeof(q), NULL, 0);
}

int32_t peer_write(struct peer *p, uint64_t to, const void *from, size_t len)
{
    struct cmpd_wire_copy c = {.to = to, .width = len, .height = 1, .direction = 1, .from_host = 1};

    return peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), from, len);
}

int32_t peer_read(struct peer *p, void *to, uint64_t from, size_t len, uint64_t host_address)
{
    struct cmpd_wire_copy c = {.from = from,
                               .width = len,
                               .height = 1,
                               .direction = 2,
                               .to_host = 1,
                               .host_address = host_address};
    int32_t error = peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), NULL, 0);

    if (error == 0) {
        assert_int_equal(p->answer_len, len);
        memcpy(to, p->answer, len);
    }
    return error;
}

int32_t peer_copy(struct peer *p, uint64_t to, uint64_t from, size_t len, uint32_t direction,
                  uint32_t stream, bool async)
{
    struct cmpd_wire_copy c = {.to = to,
                               .from = from,
                               .width = len,
                               .height = 1,
                               .direction = direction,
                               .stream = stream,
                               .async = async};

    return peer_ask(p, CMPD_WIRE_COPY, &c, sizeof(c), NULL, 0);
}

int32_t peer_set(struct peer *p, uint64_t to, uint32_t value, size_t len, uint32_t stream)
{
    struct cmpd_wire_set w = {
        .to = to, .width = len, .height = 1, .value = value, .unit = 1, .stream = stream};

    return peer_ask(p, CMPD_WIRE_SET, &w, sizeof(w), NULL, 0);
}

int32_t peer_launch(struct peer *p, uint64_t handle, uint32_t grid, uint32_t block, uint32_t shared,
                    uint32_t stream, const void *params, size_t len)
{
    struct cmpd_wire_launch l = {.handle = handle,
                                 .grid = {grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .shared_bytes = shared,
                                 .stream = stream};

    return peer_ask(p, CMPD_WIRE_LAUNCH, &l, sizeof(l), params, len);
}

int32_t peer_add_one(struct peer *p, uint64_t address, int32_t n, uint32_t stream)
{
    uint8_t params[12];

    memcpy(params, &address, 8);
    memcpy(params + 8, &n, 4);
    return peer_launch(p, K_ADD_ONE, 1, 32, 0, stream, params, sizeof(params));
}

int32_t peer_taint(struct peer *p, uint64_t address, int32_t n)
{
    uint8_t params[12];

    memcpy(params, &address, 8);
    memcpy(params + 8, &n, 4);
    return peer_launch(p, K_TAINT, 1, 32, 0, 0, params, sizeof(params));
}

int32_t peer_copy_kernel(struct peer *p, uint64_t to, uint64_t from, int32_t n, uint32_t stream)
{
    uint8_t params[20];

    memcpy(params, &to, 8);
    memcpy(params + 8, &from, 8);
    memcpy(params + 16, &n, 4);
    return peer_launch(p, K_COPY, 1, 32, 0, stream, params, sizeof(params));
}

int32_t peer_sync(struct peer *p, uint32_t what, uint32_t id, uint32_t query)
{
    uint32_t q[4] = {what, id, query, 0};

    return peer_ask(p, CMPD_WIRE_SYNC, q, sizeof(q), NULL, 0);
}

int32_t peer_two(struct peer *p, uint32_t kind, uint32_t a, uint32_t b)
{
    uint32_t q[2] = {a, b};

    return peer_ask(p, kind, q, sizeof(q), NULL, 0);
}

static uint32_t new_object(struct peer *p, uint32_t kind, uint32_t flags)
{
    uint32_t id;

    assert_int_equal(peer_two(p, kind, flags, 0), 0);
    memcpy(&id, p->answer, sizeof(id));
    return id;
}

uint32_t peer_stream(struct peer *p, uint32_t flags)
{
    return new_object(p, CMPD_WIRE_STREAM_NEW, flags);
}

uint32_t peer_event(struct peer *p, uint32_t flags)
{
    return new_object(p, CMPD_WIRE_EVENT_NEW, flags);
}

int32_t peer_last_error(struct peer *p, bool clear)
{
    return peer_two(p, CMPD_WIRE_LAST_ERROR, clear, 0);
}

int peer_next(struct peer *p)
{
    struct cmpd_wire_case c;

    assert_int_equal(peer_ask(p, CMPD_WIRE_NEXT, NULL, 0, NULL, 0), 0);
    memcpy(&c, p->answer, sizeof(c));
    return c.task == CMPD_WIRE_TASK_STOP ? -1 : (int)c.number;
}

int32_t peer_done(struct peer *p, uint32_t number)
{
    uint32_t q[4] = {number, 0, 0, 0};

    return peer_ask(p, CMPD_WIRE_DONE, q, sizeof(q), NULL, 0);
}

void peer_fault(struct peer *p, uint32_t signal, uint64_t address)
{
    struct {
        uint32_t signal, zero;
        uint64_t address, pc;
    } q = {signal, 0, address, 0};

    peer_send(p, CMPD_WIRE_FAULT, &q, sizeof(q), "candidate.so:run", 16);
}

size_t sightings_of(const struct cmpd_server_record *r, enum cmpd_tag tag, bool note)
{
    size_t n = 0;

    for (size_t i = 0; i < r->sightings.count; i++)
        n += r->sightings.items[i].tag == tag && r->sightings.items[i].note == note;
    return n;
}

const char *message_of(const struct cmpd_server_record *r, enum cmpd_tag tag)
{
    for (size_t i = 0; i < r->sightings.count; i++)
        if (r->sightings.items[i].tag == tag)
            return r->sightings.items[i].message;
    return "";
}
