/*
 * Streams and events. A handle is the address of one of these; only live ones are looked at, so that a stale or made-up
 * handle is an error and never a crash.
 */
#include <pthread.h>
#include <stdlib.h>

#include "gpu-runner/cudart/rt.h"

struct rt_handle {
    struct rt_handle *next;
    bool event;
    uint32_t id;
    unsigned flags;
    int priority;
    struct rt_graph *graph;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_handle *live;

struct rt_handle *rt_handle_new(bool event, uint32_t id, unsigned flags, int priority)
{
    struct rt_handle *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    *h = (struct rt_handle){.event = event, .id = id, .flags = flags, .priority = priority};
    pthread_mutex_lock(&lock);
    h->next = live;
    live = h;
    pthread_mutex_unlock(&lock);
    return h;
}

struct rt_handle *rt_handle_find(bool event, const void *handle)
{
    struct rt_handle *h;

    pthread_mutex_lock(&lock);
    for (h = live; h && (h != handle || h->event != event);)
        h = h->next;
    pthread_mutex_unlock(&lock);
    return h;
}

void rt_handle_free(struct rt_handle *gone)
{
    pthread_mutex_lock(&lock);
    for (struct rt_handle **at = &live; *at; at = &(*at)->next) {
        if (*at == gone) {
            *at = gone->next;
            free(gone);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

void rt_handles_clear(void)
{
    pthread_mutex_lock(&lock);
    while (live) {
        struct rt_handle *next = live->next;
        free(live);
        live = next;
    }
    pthread_mutex_unlock(&lock);
}

struct rt_graph *rt_handle_graph(const struct rt_handle *h)
{
    return h->graph;
}

void rt_handle_set_graph(struct rt_handle *h, struct rt_graph *g)
{
    h->graph = g;
}

void rt_handles_forget_graph(const struct rt_graph *g)
{
    pthread_mutex_lock(&lock);
    for (struct rt_handle *h = live; h; h = h->next)
        if (h->graph == g)
            h->graph = NULL;
    pthread_mutex_unlock(&lock);
}

uint32_t rt_handle_id(const struct rt_handle *h)
{
    return h->id;
}

unsigned rt_handle_flags(const struct rt_handle *h)
{
    return h->flags;
}

int rt_handle_priority(const struct rt_handle *h)
{
    return h->priority;
}

cudaStream_t rt_per_thread(cudaStream_t stream)
{
    return stream ? stream : CMPD_CUDA_STREAM_PER_THREAD;
}

cudaError_t rt_stream_id(cudaStream_t stream, uint32_t *id)
{
    if (!stream || stream == CMPD_CUDA_STREAM_LEGACY) {
        *id = 0;
        return cudaSuccess;
    }
    if (stream == CMPD_CUDA_STREAM_PER_THREAD) {
        *id = 1;
        return cudaSuccess;
    }
    struct rt_handle *h = rt_handle_find(false, stream);
    if (!h)
        return cudaErrorInvalidResourceHandle;
    *id = h->id;
    return cudaSuccess;
}

cudaError_t rt_event_id(cudaEvent_t event, uint32_t *id)
{
    struct rt_handle *h = rt_handle_find(true, event);

    if (!h)
        return cudaErrorInvalidResourceHandle;
    *id = h->id;
    return cudaSuccess;
}
