/*
 * Sending, receiving and checking messages of wire.h, for both sides. Nothing here allocates, blocks longer than the
 * socket does, or trusts a length.
 */
#ifndef CMPD_GPU_RUNNER_WIRE_IO_H
#define CMPD_GPU_RUNNER_WIRE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "gpu-runner/wire/wire.h"

#define CMPD_WIRE_PARTS 4 /* pieces of one message that are sent in one go */

/* Room for the one descriptor that a message may carry; aligned as cmsg wants it. */
union cmpd_wire_control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

/* Lets fd go with the next message. control is msg's as long as it is used. */
void cmpd_wire_attach(struct msghdr *msg, union cmpd_wire_control *control, int fd);

/*
 * Sends all parts in order. pass_fd goes with the first byte; -1: none. 0, or -1 with errno; EPIPE where the peer is
 * gone (never a signal). EFAULT: a part is not readable (what came before it may have been sent).
 */
int cmpd_wire_send(int sock, const struct iovec *parts, size_t count, int pass_fd);

/*
 * Reads exactly len bytes. 1: done; 0: the peer closed before the first of them; -1 with errno: EPROTO where it closed
 * in between, EAGAIN where the socket is non-blocking or has a time limit and nothing came (what was read is lost: the
 * conversation is over). *fd (MAY be NULL) gets a descriptor that came along, close-on-exec and owned by the caller,
 * else -1; descriptors that nobody asked for are closed.
 */
int cmpd_wire_receive(int sock, void *to, size_t len, int *fd);

/* "CMPD_WIRE_COPY"; NULL: no such kind. Static. */
const char *cmpd_wire_kind_name(uint32_t kind);

/* Bytes of the fixed part of a question of this kind; 0 for unknown ones too. */
uint32_t cmpd_wire_fixed_bytes(uint32_t kind);

/*
 * Whether a question's head is in order: magic, a known kind, the next number, and a length that its kind allows.
 * NULL: yes; else what is wrong with it (static text).
 */
const char *cmpd_wire_head_fault(const struct cmpd_wire_head *head, uint32_t expected_seq);

/* The bytes of one message that are still unread. A read past the end sets `bad` and gives zeros. */
struct cmpd_wire_reader {
    const uint8_t *at; /* borrowed */
    size_t left;
    bool bad;
};

struct cmpd_wire_reader cmpd_wire_reader_of(const void *data, size_t len);
/* Copies the next n bytes (a number, or a structure of wire.h) to *out. */
void cmpd_wire_get(struct cmpd_wire_reader *r, void *out, size_t n);
uint32_t cmpd_wire_get_u32(struct cmpd_wire_reader *r);
uint64_t cmpd_wire_get_u64(struct cmpd_wire_reader *r);
/* The next n bytes, in place; NULL past the end. */
const void *cmpd_wire_get_bytes(struct cmpd_wire_reader *r, size_t n);
/*
 * The rest of the message as a name: printable, of 1 to CMPD_WIRE_NAME_CEILING bytes, no NUL inside; not terminated.
 * NULL (and bad): it is no name.
 */
const char *cmpd_wire_get_name(struct cmpd_wire_reader *r, size_t *len);
/* Whether all was read and nothing was missing. */
bool cmpd_wire_reader_done(const struct cmpd_wire_reader *r);

/*
 * Host bytes that a copy carries one way or the other, packed rows: width * height. False where that overflows, is over
 * the ceiling, or where the two pitches are smaller than the width of a copy of several rows.
 */
bool cmpd_wire_copy_bytes(const struct cmpd_wire_copy *copy, uint64_t *bytes);

#endif
