/*
 * How many threads the candidate has left running. There is no /proc in the jail to count them in, so pthread_create of
 * this program stands before the C library's: std::thread and OpenMP come through it too. A candidate that makes
 * threads behind its back gains nothing by it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "gpu-runner/candidate/candidate.h"

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct start {
    void *(*fn)(void *);
    void *arg;
};

static _Atomic uint32_t running;

uint32_t candidate_threads(void)
{
    return running;
}

static void ended(void *unused)
{
    (void)unused;
    running--;
}

static void *run(void *arg)
{
    struct start start = *(struct start *)arg;
    void *result;

    free(arg);
    pthread_cleanup_push(ended, NULL);
    result = start.fn(start.arg);
    pthread_cleanup_pop(1);
    return result;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attr,
                                                          void *(*fn)(void *), void *arg)
{
    static create_function *real;
    struct start *start = malloc(sizeof(*start));

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (!start || !real) {
        free(start);
        return 11; /* EAGAIN */
    }
    *start = (struct start){.fn = fn, .arg = arg};
    running++;
    int rc = real(thread, attr, run, start);
    if (rc != 0) {
        running--;
        free(start);
    }
    return rc;
}
