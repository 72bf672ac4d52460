#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "bot/judge.h"

/* tree-sitter, PCRE2 and our own recursion stay far below it, at CMPD_NESTING_CEILING too. */
#define STACK_BYTES ((size_t)16 << 20)

struct pool {
    atomic_size_t next;
    size_t count;
    void (*work)(void *ctx, size_t i);
    void *ctx;
};

static void *run(void *arg)
{
    struct pool *p = arg;
    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->count;)
        p->work(p->ctx, i);
    return NULL;
}

void cmpd_parallel(size_t count, unsigned jobs, void (*work)(void *ctx, size_t i), void *ctx)
{
    struct pool pool = {.count = count, .work = work, .ctx = ctx};
    size_t threads = jobs < count ? jobs : count;
    pthread_t *ids = cmpd_calloc(threads + 1, sizeof *ids);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    size_t started = 0;
    while (started + 1 < threads && pthread_create(&ids[started], &attr, run, &pool) == 0)
        started++;
    pthread_attr_destroy(&attr);
    run(&pool); /* this thread works too: with no others it does all */
    for (size_t i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    free(ids);
}
