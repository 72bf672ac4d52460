#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu-runner/cudart/rt.h"

#define LOST_STATUS 70 /* the server is gone: nobody looks at it */

/* One question at a time; and, for last words, whether bytes of a question are on their way. */
static pthread_mutex_t talking = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t last_seq;

static enum { NOT_YET, CONNECTED, ALONE } state; /* under `talking` */

__thread struct rt_thread rt_thread __attribute__((tls_model("initial-exec")));

static _Noreturn void lost(void)
{
    _exit(LOST_STATUS);
}

static bool send_question(const struct rt_question *q, uint32_t *seq)
{
    struct cmpd_wire_head head = {.magic = CMPD_WIRE_MAGIC,
                                  .kind = q->kind,
                                  .len = (uint32_t)(q->fixed_bytes + q->data_bytes)};
    struct iovec parts[3] = {{.iov_base = &head, .iov_len = sizeof(head)},
                             {.iov_base = (void *)(uintptr_t)q->fixed, .iov_len = q->fixed_bytes},
                             {.iov_base = (void *)(uintptr_t)q->data, .iov_len = q->data_bytes}};

    pthread_mutex_lock(&sending);
    head.seq = *seq = atomic_fetch_add(&last_seq, 1) + 1;
    int rc = cmpd_wire_send(CMPD_WIRE_FD, parts, 3, -1);
    pthread_mutex_unlock(&sending);
    return rc == 0;
}

static void receive(void *to, size_t len)
{
    if (len > 0 && cmpd_wire_receive(CMPD_WIRE_FD, to, len, NULL) != 1)
        lost();
}

static void skip(size_t len)
{
    char sink[4096];

    while (len > 0) {
        size_t n = len < sizeof(sink) ? len : sizeof(sink);
        receive(sink, n);
        len -= n;
    }
}

static void receive_more(const struct rt_question *q, size_t len)
{
    if (!q->more) {
        if (len > 0)
            lost();
        return;
    }
    void *data = malloc(len ? len : 1);
    if (!data)
        lost();
    receive(data, len);
    *q->more = data;
    *q->more_bytes = len;
}

/* One way: nothing comes back. */
static void tell_where(void)
{
    uint64_t places[CMPD_WIRE_PLACES];
    uint32_t number;
    struct rt_question q = {.kind = CMPD_WIRE_WHERE, .fixed = places};

    q.fixed_bytes = rt_fault_places(places, CMPD_WIRE_PLACES) * sizeof(places[0]);
    if (!send_question(&q, &number))
        lost();
}

static cudaError_t receive_answer(const struct rt_question *q, uint32_t seq)
{
    struct cmpd_wire_answer answer;
    int fd = -1;

    if (cmpd_wire_receive(CMPD_WIRE_FD, &answer, sizeof(answer), &fd) != 1)
        lost();
    if (answer.seq != seq || answer.len > CMPD_WIRE_MESSAGE_CEILING)
        lost();
    if (answer.error != cudaSuccess) {
        skip(answer.len);
    } else {
        if (answer.len < q->answer_bytes)
            lost();
        receive(q->answer, q->answer_bytes);
        receive_more(q, answer.len - q->answer_bytes);
    }
    if (q->fd)
        *q->fd = fd;
    else if (fd >= 0)
        close(fd);
    if (answer.flags & CMPD_WIRE_WANTS_WHERE)
        tell_where();
    return answer.error;
}

/* The first question. What is no socket means that nobody started us for this. */
static bool connected(void)
{
    if (state == NOT_YET) {
        uint32_t version = CMPD_WIRE_VERSION, seq;
        struct rt_question hello = {
            .kind = CMPD_WIRE_HELLO, .fixed = &version, .fixed_bytes = sizeof(version)};

        state = ALONE;
        if (send_question(&hello, &seq)) {
            state = CONNECTED;
            if (receive_answer(&hello, seq) != cudaSuccess)
                lost();
        }
    }
    return state == CONNECTED;
}

cudaError_t rt_ask(const struct rt_question *q)
{
    uint32_t seq;
    cudaError_t error = cudaErrorInsufficientDriver;

    if (q->fd)
        *q->fd = -1;
    pthread_mutex_lock(&talking);
    if (connected()) {
        if (!send_question(q, &seq))
            lost();
        error = receive_answer(q, seq);
    }
    pthread_mutex_unlock(&talking);
    return error;
}

cudaError_t rt_ask_simple(uint32_t kind, const void *fixed, size_t fixed_bytes, void *answer,
                          size_t answer_bytes)
{
    struct rt_question q = {.kind = kind,
                            .fixed = fixed,
                            .fixed_bytes = fixed_bytes,
                            .answer = answer,
                            .answer_bytes = answer_bytes};

    return rt_ask(&q);
}

/* Another thread may be amid a question: it gets a second to finish it. */
static void lock_sending_from_handler(void)
{
    struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 1000 && pthread_mutex_trylock(&sending) != 0; i++)
        nanosleep(&pause, NULL);
}

void rt_tell_fault(uint32_t sig, enum cmpd_wire_why why, uint64_t address, uint64_t pc, uint64_t at,
                   const char *where)
{
    struct {
        struct cmpd_wire_head head;
        uint32_t sig, why;
        uint64_t address, pc;
    } words = {.sig = sig, .why = why, .address = address, .pc = pc};
    size_t len = strnlen(where, CMPD_WIRE_NAME_CEILING);
    struct {
        struct cmpd_wire_head head;
        uint64_t at;
    } place = {.head = {.magic = CMPD_WIRE_MAGIC, .kind = CMPD_WIRE_WHERE, .len = sizeof(place.at)},
               .at = at};
    struct iovec parts[3] = {{.iov_base = &place, .iov_len = sizeof(place)},
                             {.iov_base = &words, .iov_len = sizeof(words)},
                             {.iov_base = (void *)(uintptr_t)where, .iov_len = len}};

    lock_sending_from_handler();
    place.head.seq = atomic_fetch_add(&last_seq, 1) + 1;
    words.head.magic = CMPD_WIRE_MAGIC;
    words.head.kind = CMPD_WIRE_FAULT;
    words.head.seq = atomic_fetch_add(&last_seq, 1) + 1;
    words.head.len = (uint32_t)(sizeof(words) - sizeof(words.head) + len);
    if (cmpd_wire_send(CMPD_WIRE_FD, parts, 3, -1) != 0)
        return; /* the process ends in any case */
}
