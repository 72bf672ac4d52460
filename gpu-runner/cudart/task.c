/* The candidate program's side of the conversation. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu-runner/cudart/cudart.h"
#include "gpu-runner/cudart/rt.h"

#define GIVEN_UP_STATUS 72

static bool next(struct cmpd_wire_case *task, struct cmpd_wire_arg **args, int *host_fd)
{
    void *more = NULL;
    size_t bytes = 0;
    struct rt_question q = {.kind = CMPD_WIRE_NEXT,
                            .answer = task,
                            .answer_bytes = sizeof(*task),
                            .more = &more,
                            .more_bytes = &bytes,
                            .fd = host_fd};

    if (rt_ask(&q) != cudaSuccess)
        return false;
    if (bytes != task->arg_count * sizeof(struct cmpd_wire_arg)) {
        free(more);
        return false;
    }
    *args = more;
    return true;
}

static void done(uint32_t number, uint64_t result, uint32_t threads)
{
    uint32_t words[4] = {number, (uint32_t)result, threads, (uint32_t)(result >> 32)};

    rt_ask_simple(CMPD_WIRE_DONE, words, sizeof(words), NULL, 0);
}

/* Not _Noreturn, which is no part of a function's type for all compilers. */
__attribute__((noreturn)) static void give_up(enum cmpd_wire_why why, const char *what)
{
    uint64_t at = 0;

    if (why == CMPD_WIRE_WHY_EXCEPTION)
        rt_fault_places(&at, 1);
    rt_tell_fault(why == CMPD_WIRE_WHY_EXCEPTION ? SIGABRT : 0, why, 0, 0, at, what);
    _exit(GIVEN_UP_STATUS);
}

RT_API const struct cmpd_cudart_ops cmpd_cudart_ops = {
    .blame = rt_fault_blame,
    .set_resolver = rt_fault_resolver,
    .next = next,
    .done = done,
    .give_up = give_up,
};
