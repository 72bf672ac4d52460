/* The candidate program's side of the conversation. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu-runner/cudart/cudart.h"
#include "gpu-runner/cudart/rt.h"

#define GIVEN_UP_STATUS 72

RT_API bool cmpd_cudart_next(struct cmpd_wire_case *task, struct cmpd_wire_arg **args, int *host_fd)
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

RT_API void cmpd_cudart_done(uint32_t number, uint64_t result, uint32_t threads)
{
    uint32_t done[4] = {number, (uint32_t)result, threads, (uint32_t)(result >> 32)};

    rt_ask_simple(CMPD_WIRE_DONE, done, sizeof(done), NULL, 0);
}

RT_API _Noreturn void cmpd_cudart_give_up(enum cmpd_wire_why why, const char *what)
{
    rt_tell_fault(why == CMPD_WIRE_WHY_EXCEPTION ? SIGABRT : 0, why, 0, 0, what);
    _exit(GIVEN_UP_STATUS);
}
