/*
 * Bytes as the candidate's whole conversation, against a device of plain memory. The first bytes are options: seed and
 * plan; then come messages. Where the bytes begin with "Q", heads are put in by us, so that more of them get further
 * than the magic number: each message is kind (1 byte), length (2 bytes), its bytes. Where they begin with "E", the rest
 * is an object file.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu-runner/server/server.h"
#include "mock_device.h"

#define CASES 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct plan {
    unsigned next;
    uint32_t seed;
    struct cmpd_server_arg args[3];
    struct cmpd_device *device;
};

static cmpd_rc on_next(void *ctx, struct cmpd_server_case *out, struct cmpd_err *err)
{
    struct plan *p = ctx;

    (void)err;
    *out = (struct cmpd_server_case){.task = CMPD_WIRE_TASK_STOP};
    if (p->next < CASES)
        *out = (struct cmpd_server_case){.task = CMPD_WIRE_TASK_CALL,
                                         .number = p->next,
                                         .args = p->args,
                                         .arg_count = 3,
                                         .schedule_seed = p->seed,
                                         .keep_for_replay = p->next == 1};
    p->next++;
    return CMPD_OK;
}

static cmpd_rc on_done(void *ctx, struct cmpd_server_record *record, struct cmpd_err *err)
{
    const struct plan *p = ctx;
    uint8_t bytes[64];

    /* The caller's buffer is still there, whatever the candidate did. */
    if (p->device->ops->read(p->device, bytes, p->args[0].value, sizeof(bytes), err) != CMPD_OK)
        abort();
    if (!record->returned || record->host_count != 1 || !record->hosts[0].data)
        abort();
    return CMPD_OK;
}

struct drain {
    int fd;
};

static void *drain(void *ctx)
{
    const struct drain *d = ctx;
    uint8_t bytes[65536];

    while (recv(d->fd, bytes, sizeof(bytes), 0) > 0)
        ;
    return NULL;
}

static void send_all(int fd, const void *data, size_t len)
{
    const uint8_t *at = data;

    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        at += n;
        len -= (size_t)n;
    }
}

static void send_framed(int fd, const uint8_t *data, size_t size)
{
    uint32_t seq = 0;

    while (size >= 3) {
        uint32_t len = (uint32_t)data[1] | (uint32_t)data[2] << 8;
        struct cmpd_wire_head head = {.magic = CMPD_WIRE_MAGIC, .kind = data[0], .seq = ++seq};
        data += 3;
        size -= 3;
        head.len = len < size ? len : (uint32_t)size;
        send_all(fd, &head, sizeof(head));
        send_all(fd, data, head.len);
        data += head.len;
        size -= head.len;
    }
}

static void serve(struct cmpd_device *d, struct plan *plan, const uint8_t *data, size_t size)
{
    static const struct cmpd_server_limits limits = {.start_ms = 2000,
                                                     .wall_ms = 2000,
                                                     .memory_bytes = 1 << 20,
                                                     .traffic_bytes = 8 << 20,
                                                     .kept_bytes = 1 << 20};
    const struct cmpd_server_plan p = {.ctx = plan, .next = on_next, .done = on_done};
    struct cmpd_server_outcome outcome;
    struct cmpd_server *s;
    struct cmpd_err err = {0};
    pthread_t thread;
    int fds[2];

    if (cmpd_server_new(d, &limits, &s, &err) != CMPD_OK ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    struct drain ours = {fds[0]};
    if (pthread_create(&thread, NULL, drain, &ours) != 0)
        abort();
    if (data[0] == 'Q')
        send_framed(fds[0], data + 2, size - 2);
    else
        send_all(fds[0], data + 2, size - 2);
    shutdown(fds[0], SHUT_WR);
    cmpd_rc rc = cmpd_server_serve(s, fds[1], -1, &p, &outcome, &err);
    if (rc != CMPD_OK || outcome.end == CMPD_SERVER_WALL)
        abort();
    close(fds[1]);
    pthread_join(thread, NULL);
    close(fds[0]);
    cmpd_server_free(s);
}

static void load(struct cmpd_device *d, const uint8_t *object, size_t size)
{
    struct cmpd_server *s;
    struct cmpd_err err = {0};
    uint32_t first, count;

    if (cmpd_server_new(d, NULL, &s, &err) != CMPD_OK)
        abort();
    if (cmpd_server_load_object(s, object, size, &first, &count, &err) == CMPD_OK && count == 0)
        abort();
    cmpd_server_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_device_options options = {.memory_bytes = 4 << 20, .cancel_fd = -1};
    struct cmpd_err err = {0};
    struct plan plan = {0};
    uint64_t count, bytes;

    /* What fits into the socket's buffer: nobody serves while it is filled. */
    if (size < 3 || size > 32768 || mock_device_ops.open(&options, &plan.device, &err) != CMPD_OK)
        return 0;
    plan.seed = data[1];
    plan.args[0] =
        (struct cmpd_server_arg){.type = CMPD_WIRE_POINTER_DEVICE, .name = "x", .bytes = 64};
    plan.args[1] =
        (struct cmpd_server_arg){.type = CMPD_WIRE_POINTER_HOST, .name = "y", .bytes = 100};
    plan.args[2] = (struct cmpd_server_arg){.type = CMPD_WIRE_I32, .value = 3};
    if (plan.device->ops->alloc(plan.device, 64, CMPD_MEMORY_DEVICE, -1, "x", &plan.args[0].value,
                                &err) != CMPD_OK)
        abort();
    if (data[0] == 'E')
        load(plan.device, data + 1, size - 1);
    else
        serve(plan.device, &plan, data, size);
    plan.device->ops->live(plan.device, &count, &bytes);
    if (count != 1)
        abort(); /* the server left something behind, or took what isn't the candidate's */
    plan.device->ops->close(plan.device);
    return 0;
}
