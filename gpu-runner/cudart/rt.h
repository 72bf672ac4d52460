/*
 * Our CUDA runtime library, inside. It lives in the jail with the candidate's host code: it holds no secret, decides
 * nothing that counts, and trusts the server alone. Each call becomes a question to the device server (wire.h); what
 * can be answered from what is known here (names of errors, properties, the error state of a thread) is.
 *
 *   talk.c       the conversation: one question open at a time
 *   fault.c      host faults become last words to the server; guarded reading and writing of the caller's memory
 *   error.c      error state of a thread; names and texts
 *   handle.c     streams and events: from CUDA's handles to the server's ids
 *   register.c   fat binaries, kernels and variables as nvcc's host code announces them
 *   launch.c     launches in all their forms
 *   memory.c     allocation, freeing, what a pointer is
 *   managed.c    __managed__ variables
 *   copy.c, copy3d.c, set.c
 *   op.c, capture.c, graph.c   work for a stream as data: done at once, or kept in a graph
 *   stream.c, event.c, device.c, properties.c, occupancy.c, function.c, pool.c
 *   stubs.c      every other exported name: tells the server (not_emulated) and fails
 *
 * To add a function: write it with RT_API (its stub gives way), put its prototype into api_calls.h, where `generate.py
 * --check` compares it with a toolkit's, and a line into tests/runtime/conform_*, whose expected text comes from a GPU.
 *
 * The library keeps to C and to what the C library gives, since a candidate may bring any C++ runtime of its own.
 */
#ifndef CMPD_GPU_RUNNER_CUDART_RT_H
#define CMPD_GPU_RUNNER_CUDART_RT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "gpu-runner/cudart/api_types.h"
#include "gpu-runner/cudart/cudart.h"
#include "gpu-runner/device/device.h"
#include "gpu-runner/wire/io.h"

/* Everything else of the library is hidden, so that no name of the candidate's meets one of ours. */
#define RT_API __attribute__((visibility("default")))

#define RT_CONFIGS 32 /* <<<>>> whose arguments hold further <<<>>> */

struct rt_config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    uint64_t from; /* where in the candidate's file it was given; 0: not known */
};

struct rt_thread { /* one a host thread, as CUDA keeps it */
    cudaError_t last_error;
    int device;
    bool in_host_func; /* CUDA calls are not allowed there */
    unsigned configs;
    struct rt_config config[RT_CONFIGS];
    uint64_t launch_from;       /* of the launch that is under way */
    sigjmp_buf *volatile guard; /* where a fault in guarded code goes; NULL: a real fault */
    volatile uint64_t guard_address;
};
extern __thread struct rt_thread rt_thread __attribute__((tls_model("initial-exec")));

/* ---- talk.c ---- */

struct rt_rows { /* host memory: `height` rows of `width` bytes; contiguous: height 1 */
    void *base;
    size_t pitch, width, height;
};

struct rt_question {
    uint32_t kind;
    const void *fixed; /* the kind's fixed part */
    size_t fixed_bytes;
    const void *data; /* what follows it */
    size_t data_bytes;
    void *answer; /* filled on cudaSuccess only, with exactly this many bytes */
    size_t answer_bytes;
    void **more; /* MAY be NULL. What comes after `answer`: malloc'ed, the caller's */
    size_t *more_bytes;
    int *fd; /* MAY be NULL. A descriptor that came along, the caller's; else -1 */
};

/*
 * Asks and waits for the answer. A peer that is gone, or an answer out of order, ends the process. Where there is no
 * server at all (the program was not started by cmpd-runner): cudaErrorInsufficientDriver, as CUDA without a driver.
 */
cudaError_t rt_ask(const struct rt_question *q);
/* A question with only a fixed part and a fixed answer (which may be NULL, 0). */
cudaError_t rt_ask_simple(uint32_t kind, const void *fixed, size_t fixed_bytes, void *answer,
                          size_t answer_bytes);
/* Last words, from a signal handler: no lock that this thread may hold is waited for, no answer. */
void rt_tell_fault(uint32_t sig, enum cmpd_wire_why why, uint64_t address, uint64_t pc, uint64_t at,
                   const char *where); /* at: in the candidate's file, 0: not known */

/* ---- fault.c ---- */

/*
 * Runs fn(ctx) so that a fault in it ends it: false, and *address is where. For touching memory that the caller of a
 * runtime function named.
 */
bool rt_guarded(void (*fn)(void *ctx), void *ctx, uint64_t *address);
/* Whether each page of the rows can be read (and written). False: *address is the first that can't. */
bool rt_can_touch(const struct rt_rows *rows, bool write, uint64_t *address);
/* The candidate's own file, by an address inside of it: a fault is blamed on its innermost frame there. */
void rt_fault_blame(const void *inside);
/* Places in that file on this thread's stack (offsets from its load address, of the calls), innermost first. */
size_t rt_fault_places(uint64_t out[], size_t most);
/* The place of the call that returns to `address`; 0: not in that file. */
uint64_t rt_fault_place_of_call(const void *address);
/* Names the functions of that file; NULL: nobody does. */
void rt_fault_resolver(cmpd_cudart_resolver *function);
/* The runtime met memory of the caller's that isn't there: ends the process as the fault that it would have been. */
_Noreturn void rt_host_fault(const char *call, uint64_t address);

/* ---- error.c ---- */

/* A runtime call's result, kept as the thread's last error where it is one. The server knows of it. */
cudaError_t rt_done(cudaError_t error);
/* The same for a call that the runtime itself turns down: the server is told its name. */
cudaError_t rt_refuse(const char *call, cudaError_t error);
/* An argument of a call that this build does not do: not_emulated, named `what`. */
cudaError_t rt_unbuilt(const char *what);
void rt_sticky_reset(void); /* cudaDeviceReset */
/* Every call begins with it: cudaSuccess, or the error it has to end with. */
cudaError_t rt_begin(void);

/* ---- handle.c ---- */

/* A stream handle that was left out (0) where the translation unit asks for per-thread default streams. */
cudaStream_t rt_per_thread(cudaStream_t stream);
/* cudaErrorInvalidResourceHandle: not a live stream. */
cudaError_t rt_stream_id(cudaStream_t stream, uint32_t *id);
cudaError_t rt_event_id(cudaEvent_t event, uint32_t *id);

struct rt_handle; /* what a stream or an event handle points to */
struct rt_handle *rt_handle_new(bool event, uint32_t id, unsigned flags, int priority);
/* NULL: no live one. */
struct rt_handle *rt_handle_find(bool event, const void *handle);
void rt_handle_free(struct rt_handle *h);
/* The graph that the stream is captured into, or the event was recorded in; NULL: none. */
struct rt_graph *rt_handle_graph(const struct rt_handle *h);
void rt_handle_set_graph(struct rt_handle *h, struct rt_graph *g);
/* Every handle that points to the graph is let go of it. */
void rt_handles_forget_graph(const struct rt_graph *g);
uint32_t rt_handle_id(const struct rt_handle *h);
unsigned rt_handle_flags(const struct rt_handle *h);
int rt_handle_priority(const struct rt_handle *h);
/* Every live handle goes (cudaDeviceReset). */
void rt_handles_clear(void);

/* ---- register.c ---- */

struct rt_kernel {
    uint64_t handle; /* address of the host stub: what the wire knows it by */
    char *name;      /* owned; mangled */
    bool known;      /* info and params are filled */
    bool asked;      /* the server was asked */
    cudaError_t why; /* of an answer that was no */
    struct cmpd_wire_kernel info;
    uint32_t *params;          /* owned; pairs of offset and size */
    int carveout, max_dynamic; /* cudaFuncSetAttribute; max_dynamic -1: not set */
};

/* func: a host stub, a cudaKernel_t or a cudaFunction_t. NULL: no registered kernel. */
struct rt_kernel *rt_kernel_find(const void *func);
/* The error for what is none. */
cudaError_t rt_no_kernel(const void *func);
/* The same with its parameters and limits. cudaErrorInvalidDeviceFunction, or what the server says. */
cudaError_t rt_kernel_get(const void *func, struct rt_kernel **out);
/* cudaErrorInvalidSymbol */
cudaError_t rt_symbol_get(const void *symbol, uint64_t *address, uint64_t *bytes);

/* ---- memory.c ---- */

enum rt_place {
    RT_HOST,       /* nothing that the device knows */
    RT_DEVICE,     /* in the range of device addresses, not mapped here */
    RT_SHARED,     /* managed or pinned: both sides reach it at this address */
    RT_REGISTERED, /* host memory under cudaHostRegister: the device knows it at another address */
};

/* What an address is. *device is the address that the device knows (0 for RT_HOST). */
enum rt_place rt_place_of(const void *p, uint64_t *device);
/* Pointers to registered host memory in a parameter block become the addresses that the device knows it by. */
void rt_translate_registered(uint8_t *params, size_t bytes);
/* Notes that memory at this address is reached from both sides; somebody else has mapped it. */
bool rt_note_shared(uint64_t address, size_t bytes, enum cmpd_memory_kind kind);
/* Maps shared memory of the server at its address; takes over fd. False: it could not be mapped there. */
bool rt_map_shared(uint64_t address, size_t bytes, int fd, enum cmpd_memory_kind kind);
/* Forgets all mappings (cudaDeviceReset). */
void rt_unmap_all(void);

/* ---- managed.c ---- */

/* A __managed__ variable at the device's address; where the host finds it. */
void *rt_managed_add(uint64_t address, size_t bytes);
/* What the host changed goes to the device, ahead of work on the stream. */
void rt_managed_push(uint32_t stream);
/* What the device changed comes back, after the stream was waited for. */
void rt_managed_pull(uint32_t stream);

/* ---- copy.c ---- */

struct rt_copy {
    const char *call; /* name of the runtime function; static */
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, width, height; /* 1D: height 1 */
    enum cudaMemcpyKind kind;
    bool async, symbol;
};
/* Direction and pointers checked, in pieces where it is long. The result went through rt_done. */
cudaError_t rt_copy_run(const struct rt_copy *c, uint32_t stream);

/* ---- op.c ---- */

enum rt_op_kind { RT_OP_LAUNCH, RT_OP_COPY, RT_OP_SET, RT_OP_HOST };

/* One piece of work for a stream: what a launch, a copy, ... is made of; what a graph holds. */
struct rt_op {
    enum rt_op_kind kind;
    const char *call; /* name of the runtime function; static */
    union {
        struct {
            struct cmpd_wire_launch head; /* its stream is filled in when it runs */
            void *params;                 /* owned by a graph, else borrowed */
            size_t param_bytes;
        } launch;
        struct rt_copy copy;
        struct cmpd_wire_set set; /* as above */
        struct {
            cudaHostFn_t fn;
            cudaStreamCallback_t callback; /* instead of fn; called with the stream */
            void *data;
            cudaStream_t stream;
        } host;
    };
};

/* Fills op for a launch of func; *params is the caller's to free. Not yet refused or done. (launch.c) */
cudaError_t rt_launch_op(struct rt_op *op, const void *func, dim3 grid, dim3 block, void **args,
                         size_t shared, uint8_t **params);
/* Does it on the stream, or adds it to the graph that the stream is being captured into. Went through rt_done. */
cudaError_t rt_submit(const struct rt_op *op, cudaStream_t stream);
/* Does it now. For rt_submit and graph launches. */
cudaError_t rt_op_run(const struct rt_op *op, uint32_t stream);
/* Waits until the stream (or with what 0 the device, 2 an event) is through. query: cudaErrorNotReady, no waiting. */
cudaError_t rt_sync(uint32_t what, uint32_t id, bool query);

/* ---- capture.c, graph.c ---- */

struct rt_graph;

/* NULL: the stream is not being captured. */
struct rt_graph *rt_capture_of(cudaStream_t stream);
/* Takes a copy of the operation, after all that the graph holds. cudaErrorMemoryAllocation. */
cudaError_t rt_graph_append(struct rt_graph *g, const struct rt_op *op);
/*
 * While a capture is on, work for the legacy stream (`work`), waiting for a capturing stream, and calls that may wait
 * by themselves (stream NULL, not `work`) fail, and spoil the capture: the error to return, else cudaSuccess.
 */
cudaError_t rt_capture_forbids(cudaStream_t stream, bool work);
/* An event recorded in a capturing stream, and a stream that waits for such an event. True: done, nothing to send. */
bool rt_capture_record(cudaEvent_t event, cudaStream_t stream);
bool rt_capture_wait(cudaStream_t stream, cudaEvent_t event);
/* A new empty graph; NULL: no memory. */
struct rt_graph *rt_graph_new(void);
void rt_graph_free(struct rt_graph *g);
/* Names of nothing in use: a graph that was destroyed, or never made. */
bool rt_graph_live(const struct rt_graph *g);

#endif
