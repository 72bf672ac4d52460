/* The socket. The peer may be slow, silent or gone, and may not read: each wait has an end. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"
#include "gpu-runner/wire/io.h"

#define NS_PER_MS 1000000u

uint64_t srv_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t srv_left_ms(const struct cmpd_server *s)
{
    uint64_t most = (s->in_case ? s->limits.wall_ms : s->limits.start_ms) * NS_PER_MS;
    uint64_t spent = srv_now_ns() - s->start_ns;

    spent = spent > s->device_ns ? spent - s->device_ns : 0;
    return spent >= most ? 0 : (most - spent) / NS_PER_MS + 1;
}

void srv_end(struct cmpd_server *s, enum cmpd_server_end end, const char *fmt, ...)
{
    va_list ap;

    if (s->over)
        return;
    s->over = true;
    s->outcome->end = end;
    va_start(ap, fmt);
    vsnprintf(s->outcome->message, sizeof(s->outcome->message), fmt, ap);
    va_end(ap);
}

int32_t srv_violation(struct cmpd_server *s, const char *what)
{
    srv_end(s, CMPD_SERVER_VIOLATION, "the candidate wrote to the runtime's socket itself: %s",
            what);
    return SRV_INVALID_VALUE;
}

void srv_broken(struct cmpd_server *s, cmpd_rc rc, const struct cmpd_err *err)
{
    if (s->over)
        return;
    srv_end(s, CMPD_SERVER_BROKEN, "the device failed: %.200s", err->msg);
    s->rc = rc;
    if (s->err)
        *s->err = *err;
}

bool srv_traffic(struct cmpd_server *s, uint64_t bytes)
{
    s->traffic += bytes;
    if (s->traffic <= s->limits.traffic_bytes)
        return true;
    srv_end(s, CMPD_SERVER_LIMIT, "more than %llu bytes were moved in one case",
            (unsigned long long)s->limits.traffic_bytes);
    return false;
}

/* Waits until the socket is ready for `events`. False: the outcome is set. */
static bool ready(struct cmpd_server *s, short events)
{
    for (;;) {
        struct pollfd p[2] = {{.fd = s->fd, .events = events},
                              {.fd = s->cancel_fd, .events = POLLIN}};
        uint64_t left = srv_left_ms(s);
        if (left == 0) {
            srv_end(s, CMPD_SERVER_WALL, "%s took longer than %llu ms",
                    s->in_case ? "the host code of one case" : "starting or ending the program",
                    (unsigned long long)(s->in_case ? s->limits.wall_ms : s->limits.start_ms));
            return false;
        }
        int n = poll(p, s->cancel_fd >= 0 ? 2 : 1, left > 60000 ? 60000 : (int)left);
        if (n < 0 && errno != EINTR) {
            srv_end(s, CMPD_SERVER_GONE_EARLY, "poll: errno %d", errno);
            return false;
        }
        if (n <= 0)
            continue;
        if (s->cancel_fd >= 0 && p[1].revents) {
            srv_end(s, CMPD_SERVER_CANCELLED, "cancelled");
            return false;
        }
        if (p[0].revents)
            return true;
    }
}

static bool would_block(int e)
{
    return e == EAGAIN || e == EWOULDBLOCK || e == EINTR;
}

static void peer_gone(struct cmpd_server *s)
{
    if (s->stopping)
        srv_end(s, CMPD_SERVER_FINISHED, "finished");
    else if (s->in_case)
        srv_end(s, CMPD_SERVER_GONE_EARLY, "the program ended inside the entry");
    else
        srv_end(s, CMPD_SERVER_GONE_EARLY, "the program ended before it was asked to");
}

/* recv without room for control messages: descriptors that the peer sends are closed by the kernel. */
bool srv_receive(struct cmpd_server *s, void *to, size_t len)
{
    size_t have = 0;

    while (have < len) {
        ssize_t n = recv(s->fd, (uint8_t *)to + have, len - have, MSG_DONTWAIT);
        if (n > 0) {
            have += (size_t)n;
            continue;
        }
        if (n < 0 && would_block(errno)) {
            if (!ready(s, POLLIN))
                return false;
            continue;
        }
        peer_gone(s);
        return false;
    }
    return true;
}

void *srv_reply_grow(struct cmpd_server *s, size_t len)
{
    CMPD_GROW(s->reply.data, s->reply.len + len, s->reply.cap);
    void *at = s->reply.data + s->reply.len;
    s->reply.len += len;
    return at;
}

void srv_reply_put(struct cmpd_server *s, const void *data, size_t len)
{
    if (len > 0)
        memcpy(srv_reply_grow(s, len), data, len);
}

static bool send_all(struct cmpd_server *s, struct iovec *parts, size_t count, int fd)
{
    union cmpd_wire_control control;

    while (count > 0) {
        struct msghdr msg = {.msg_iov = parts, .msg_iovlen = count};
        if (fd >= 0)
            cmpd_wire_attach(&msg, &control, fd);
        ssize_t n = sendmsg(s->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && would_block(errno)) {
            if (!ready(s, POLLOUT))
                return false;
            continue;
        }
        if (n < 0) {
            peer_gone(s);
            return false;
        }
        fd = -1;
        size_t sent = (size_t)n;
        while (count > 0 && sent >= parts->iov_len) {
            sent -= parts->iov_len;
            parts++;
            count--;
        }
        if (count > 0) {
            parts->iov_base = (uint8_t *)parts->iov_base + sent;
            parts->iov_len -= sent;
        }
    }
    return true;
}

bool srv_answer(struct cmpd_server *s, uint32_t seq, int32_t error)
{
    bool with_fd = error == SRV_SUCCESS && s->reply.fd >= 0;
    size_t len = error == SRV_SUCCESS ? s->reply.len : 0;
    struct cmpd_wire_answer a = {
        .seq = seq, .error = error, .len = (uint32_t)len, .flags = with_fd ? CMPD_WIRE_HAS_FD : 0};

    if (s->call_failed || s->sighted < s->record->sightings.count)
        a.flags |= CMPD_WIRE_WANTS_WHERE;
    struct iovec parts[2] = {{.iov_base = &a, .iov_len = sizeof(a)},
                             {.iov_base = s->reply.data, .iov_len = len}};
    if (!srv_traffic(s, sizeof(a) + len))
        return false;
    return send_all(s, parts, len > 0 ? 2 : 1, with_fd ? s->reply.fd : -1);
}
