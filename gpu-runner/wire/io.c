#include "gpu-runner/wire/io.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Steps over what was sent; parts that are through get length 0. */
static void advance(struct iovec *parts, size_t count, size_t sent)
{
    for (size_t i = 0; i < count && sent > 0; i++) {
        size_t n = sent < parts[i].iov_len ? sent : parts[i].iov_len;

        parts[i].iov_base = (uint8_t *)parts[i].iov_base + n;
        parts[i].iov_len -= n;
        sent -= n;
    }
}

static size_t total(const struct iovec *parts, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += parts[i].iov_len;
    return sum;
}

void cmpd_wire_attach(struct msghdr *msg, union cmpd_wire_control *control, int fd)
{
    memset(control, 0, sizeof(*control));
    msg->msg_control = control->bytes;
    msg->msg_controllen = sizeof(control->bytes);
    struct cmsghdr *c = CMSG_FIRSTHDR(msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof(fd));
}

int cmpd_wire_send(int sock, const struct iovec *parts, size_t count, int pass_fd)
{
    struct iovec left[CMPD_WIRE_PARTS];
    union cmpd_wire_control control;

    if (count > CMPD_WIRE_PARTS) {
        errno = EINVAL;
        return -1;
    }
    memcpy(left, parts, count * sizeof(*parts));
    while (total(left, count) > 0) {
        struct msghdr msg = {.msg_iov = left, .msg_iovlen = count};
        if (pass_fd >= 0)
            cmpd_wire_attach(&msg, &control, pass_fd);
        ssize_t n = sendmsg(sock, &msg, MSG_NOSIGNAL);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        pass_fd = -1;
        advance(left, count, (size_t)n);
    }
    return 0;
}

/* Keeps the first descriptor if one is wanted; closes all others. */
static void take_fds(struct msghdr *msg, int *fd)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len < CMSG_LEN(0))
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int got;
            memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            if (fd && *fd < 0)
                *fd = got;
            else
                close(got);
        }
    }
}

int cmpd_wire_receive(int sock, void *to, size_t len, int *fd)
{
    size_t have = 0;

    if (fd)
        *fd = -1;
    while (have < len) {
        union cmpd_wire_control control;
        struct iovec part = {.iov_base = (uint8_t *)to + have, .iov_len = len - have};
        struct msghdr msg = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
        ssize_t n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0) {
            take_fds(&msg, fd);
            have += (size_t)n;
            continue;
        }
        int why = n < 0 ? errno : EPROTO;
        if (fd && *fd >= 0) {
            close(*fd);
            *fd = -1;
        }
        if (n == 0 && have == 0)
            return 0;
        errno = why;
        return -1;
    }
    return 1;
}
