/* The error state of a host thread, and what errors are called. */
#include <stdatomic.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

static _Atomic cudaError_t sticky;

/* Errors after which nothing works any more but cudaDeviceReset (driver_types.h: "must be terminated and relaunched"). */
static bool ruins_the_context(cudaError_t e)
{
    return e == cudaErrorIllegalAddress || e == cudaErrorLaunchTimeout ||
           (e >= cudaErrorAssert && e <= cudaErrorLaunchFailure &&
            e != cudaErrorHostMemoryAlreadyRegistered && e != cudaErrorHostMemoryNotRegistered &&
            e != 711 /* TooManyPeers */);
}

/* CUDA 13 gives the device no second life in a process whose context was ruined. */
void rt_sticky_reset(void)
{
    if (sticky != cudaSuccess)
        sticky = cudaErrorDevicesUnavailable;
}

cudaError_t rt_begin(void)
{
    return rt_thread.in_host_func ? cudaErrorNotPermitted : (cudaError_t)sticky;
}

cudaError_t rt_done(cudaError_t error)
{
    if (error != cudaSuccess) {
        rt_thread.last_error = error;
        if (ruins_the_context(error))
            sticky = error;
    }
    return error;
}

cudaError_t rt_refuse(const char *call, cudaError_t error)
{
    struct {
        int32_t error;
        uint32_t zero;
    } fixed = {.error = error};
    struct rt_question q = {.kind = CMPD_WIRE_FAILED,
                            .fixed = &fixed,
                            .fixed_bytes = sizeof(fixed),
                            .data = call,
                            .data_bytes = strlen(call)};

    if (error != cudaSuccess)
        rt_ask(&q); /* its answer says nothing new */
    return rt_done(error);
}

cudaError_t rt_unbuilt(const char *what)
{
    struct rt_question q = {.kind = CMPD_WIRE_UNBUILT, .data = what, .data_bytes = strlen(what)};

    rt_ask(&q);
    return rt_done(cudaErrorNotSupported);
}

/* The server keeps score of errors that nobody has read; it has to hear when one was. */
RT_API cudaError_t cudaGetLastError(void)
{
    cudaError_t error = rt_thread.last_error;

    if (error != cudaSuccess) {
        uint32_t clear[2] = {1, 0};
        rt_ask_simple(CMPD_WIRE_LAST_ERROR, clear, sizeof(clear), NULL, 0);
        rt_thread.last_error = cudaSuccess;
    }
    return error;
}

RT_API cudaError_t cudaPeekAtLastError(void)
{
    return rt_thread.last_error;
}

struct error_text {
    int code;
    const char *name, *text;
};

static const struct error_text errors[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "gpu-runner/cudart/errors.def"
#undef ERROR
};

static const struct error_text *find(cudaError_t error)
{
    static const struct error_text unknown = {-1, "unrecognized error code",
                                              "unrecognized error code"};

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].code == error)
            return &errors[i];
    return &unknown;
}

RT_API const char *cudaGetErrorName(cudaError_t error)
{
    return find(error)->name;
}

RT_API const char *cudaGetErrorString(cudaError_t error)
{
    return find(error)->text;
}
