/*
 * The candidate's end of the conversation, for tests: a server with a mock device runs in a thread of its own, the
 * test asks it questions. A plan of up to PEER_CASES cases; what the callbacks got is kept.
 */
#ifndef CMPD_TESTS_SERVER_PEER_H
#define CMPD_TESTS_SERVER_PEER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu-runner/server/server.h"
#include "mock_device.h"

#define PEER_CASES 8

struct peer {
    struct cmpd_device *device;
    struct cmpd_server *server;
    int fd, server_fd, cancel[2];
    uint32_t seq;
    uint32_t module;

    struct cmpd_server_case cases[PEER_CASES];
    size_t case_count, next;
    struct cmpd_server_record records[PEER_CASES]; /* as `done` got them */
    size_t record_count;
    float joined_value; /* what was read from `watch` when the case was joined */
    uint64_t watch;
    cmpd_rc done_rc;

    pthread_t thread;
    struct cmpd_server_outcome outcome; /* valid after peer_end */
    cmpd_rc rc;
    struct cmpd_err err;

    uint8_t answer[1 << 16];
    uint32_t answer_len, answer_flags;
    int answer_fd; /* the caller's; -1: none */
};

/* A peer that has said hello and registered the mock's kernels (handles K_*) and variables. */
struct peer *peer_start(const struct cmpd_server_limits *limits,
                        const struct cmpd_server_case *cases, size_t case_count);
/* The same with nothing said yet. */
struct peer *peer_silent(const struct cmpd_server_limits *limits,
                         const struct cmpd_server_case *cases, size_t case_count);
void peer_hello(struct peer *p);
/* Closes our end and waits for the server's. */
void peer_end(struct peer *p);
void peer_free(struct peer *p);
/* Hands out STOP where the plan is through, ends, checks that all is FINISHED. */
void peer_finish(struct peer *p);

enum {
    K_ADD_ONE = 0x1000,
    K_COPY,
    K_FAULT,
    K_MISALIGNED,
    K_STUCK,
    K_BUDGET,
    K_UNSUPPORTED,
    K_BOUNDED,
    K_BIG_SHARED,
    K_MISSING,
    K_TAINT,
    V_TABLE = 0x2000,
    V_CONSTANT
};

/* Sends a question and takes the answer; the error. The answer's bytes are in p->answer. INT32_MIN: no answer. */
int32_t peer_ask(struct peer *p, uint32_t kind, const void *fixed, size_t fixed_len,
                 const void *data, size_t len);
/* Only sends. */
void peer_send(struct peer *p, uint32_t kind, const void *fixed, size_t fixed_len, const void *data,
               size_t len);
void peer_send_raw(struct peer *p, const void *data, size_t len);

/* Shorthands for the questions. Each gives the error. */
uint64_t peer_alloc(struct peer *p, uint64_t bytes); /* must succeed */
uint64_t peer_alloc_kind(struct peer *p, uint64_t bytes, uint32_t kind, int *fd);
int32_t peer_free_memory(struct peer *p, uint64_t address, uint32_t how, uint32_t stream);
int32_t peer_write(struct peer *p, uint64_t to, const void *from, size_t len);
int32_t peer_read(struct peer *p, void *to, uint64_t from, size_t len, uint64_t host_address);
int32_t peer_copy(struct peer *p, uint64_t to, uint64_t from, size_t len, uint32_t direction,
                  uint32_t stream, bool async);
int32_t peer_set(struct peer *p, uint64_t to, uint32_t value, size_t len, uint32_t stream);
int32_t peer_launch(struct peer *p, uint64_t handle, uint32_t grid, uint32_t block, uint32_t shared,
                    uint32_t stream, const void *params, size_t len);
int32_t peer_add_one(struct peer *p, uint64_t address, int32_t n, uint32_t stream);
int32_t peer_taint(struct peer *p, uint64_t address, int32_t n);
int32_t peer_copy_kernel(struct peer *p, uint64_t to, uint64_t from, int32_t n, uint32_t stream);
int32_t peer_sync(struct peer *p, uint32_t what, uint32_t id, uint32_t query);
uint32_t peer_stream(struct peer *p, uint32_t flags);
uint32_t peer_event(struct peer *p, uint32_t flags);
int32_t peer_two(struct peer *p, uint32_t kind, uint32_t a, uint32_t b);
int32_t peer_last_error(struct peer *p, bool clear);
/* NEXT: the case's number, or -1 for STOP. */
int peer_next(struct peer *p);
int32_t peer_done(struct peer *p, uint32_t number);
/* NEXT, nothing, DONE. */
void peer_fault(struct peer *p, uint32_t signal, uint64_t address);

/* Sightings with this tag and note mark in a record. */
size_t sightings_of(const struct cmpd_server_record *r, enum cmpd_tag tag, bool note);
const char *message_of(const struct cmpd_server_record *r, enum cmpd_tag tag);

#endif
