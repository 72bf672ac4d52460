/*
 * __managed__ variables. To the device they are variables of a module like any other; here, memory at the same address
 * holds a copy. What the host has changed since goes to the device ahead of the next piece of work; what the device has
 * made of it comes back whenever the host has waited. A host that looks without waiting sees the old value, as it may
 * on a GPU.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu-runner/cudart/rt.h"

#define PAGE_BYTES ((uint64_t)4096)

struct managed {
    struct managed *next;
    uint64_t address; /* the device's, and where the copy is */
    size_t bytes;
    uint8_t *known; /* owned; what both sides had when they last met */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct managed *variables; /* added to, never taken from */

static uint8_t *copy_of(const struct managed *m)
{
    return (uint8_t *)(uintptr_t)m->address;
}

static cudaError_t move(const struct managed *m, size_t offset, size_t bytes, bool to_device,
                        uint32_t stream)
{
    struct cmpd_wire_copy fixed = {
        .to = to_device ? m->address + offset : 0,
        .from = to_device ? 0 : m->address + offset,
        .to_pitch = bytes,
        .from_pitch = bytes,
        .width = bytes,
        .height = 1,
        .host_address = m->address + offset,
        .direction = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
        .stream = stream,
        .async = to_device,
        .to_host = !to_device,
        .from_host = to_device,
        .symbol = 1,
    };
    struct rt_question q = {.kind = CMPD_WIRE_COPY,
                            .fixed = &fixed,
                            .fixed_bytes = sizeof(fixed),
                            .data = to_device ? copy_of(m) + offset : NULL,
                            .data_bytes = to_device ? bytes : 0,
                            .answer = to_device ? NULL : copy_of(m) + offset,
                            .answer_bytes = to_device ? 0 : bytes};

    return rt_ask(&q);
}

/* Only what changed: the rest may have been changed by the device since. */
static void push_one(struct managed *m, uint32_t stream)
{
    const uint8_t *now = copy_of(m);
    size_t i = 0;

    while (i < m->bytes) {
        size_t end = i;
        while (end < m->bytes && now[end] != m->known[end])
            end++;
        if (end > i) {
            move(m, i, end - i, true, stream);
            memcpy(m->known + i, now + i, end - i);
        }
        i = end + 1;
    }
}

/* A copy is a message: none is longer than one may be. */
static void pull_one(struct managed *m, uint32_t stream)
{
    for (size_t i = 0; i < m->bytes; i += CMPD_WIRE_MESSAGE_CEILING) {
        size_t n = m->bytes - i;
        if (n > CMPD_WIRE_MESSAGE_CEILING)
            n = CMPD_WIRE_MESSAGE_CEILING;
        if (move(m, i, n, false, stream) != cudaSuccess)
            return;
    }
    memcpy(m->known, copy_of(m), m->bytes);
}

void rt_managed_push(uint32_t stream)
{
    pthread_mutex_lock(&lock);
    for (struct managed *m = variables; m; m = m->next)
        push_one(m, stream);
    pthread_mutex_unlock(&lock);
}

void rt_managed_pull(uint32_t stream)
{
    pthread_mutex_lock(&lock);
    for (struct managed *m = variables; m; m = m->next)
        pull_one(m, stream);
    pthread_mutex_unlock(&lock);
}

void *rt_managed_add(uint64_t address, size_t bytes)
{
    struct managed *m = calloc(1, sizeof(*m));
    uint64_t first = address - address % PAGE_BYTES;
    size_t span = (size_t)(address + bytes - first);

    if (!m || !(m->known = calloc(1, bytes ? bytes : 1)))
        abort();
    m->address = address;
    m->bytes = bytes;
    /* Two small variables may share a page: the second finds it mapped. */
    void *at = mmap((void *)(uintptr_t)first, span, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    struct rt_rows rows = {(void *)(uintptr_t)address, 0, bytes, 1};
    uint64_t bad;
    if (at == MAP_FAILED && !rt_can_touch(&rows, true, &bad))
        abort();
    pull_one(m, 0);
    pthread_mutex_lock(&lock);
    m->next = variables;
    variables = m;
    pthread_mutex_unlock(&lock);
    return copy_of(m);
}
