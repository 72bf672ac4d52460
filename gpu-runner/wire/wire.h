/*
 * What is said between the candidate's side (gpu-runner/cudart, gpu-runner/candidate: in the jail) and the device
 * server (gpu-runner/server: trusted), over one SOCK_STREAM socket of the AF_UNIX family that the jail inherits as
 * descriptor CMPD_WIRE_FD. The candidate asks, the server answers; one question is open at a time (the runtime holds a
 * lock). All numbers are little-endian, structures are packed by hand to multiples of 8 bytes.
 *
 * The peer is hostile: the server checks every length, count and enum, and ends the conversation on the first message
 * that is not in order (`forbidden_host_action`: someone else than our runtime wrote to the socket).
 *
 * A question:  struct cmpd_wire_head, then `len` bytes: the fixed part of its kind, then its data.
 * An answer:   struct cmpd_wire_answer, then `len` bytes. A descriptor may come with an answer (SCM_RIGHTS).
 */
#ifndef CMPD_GPU_RUNNER_WIRE_WIRE_H
#define CMPD_GPU_RUNNER_WIRE_WIRE_H

#include <stdint.h>

#define CMPD_WIRE_FD              3
#define CMPD_WIRE_MAGIC           0x44504d43u /* "CMPD" */
#define CMPD_WIRE_VERSION         1u
#define CMPD_WIRE_MESSAGE_CEILING ((uint32_t)64 << 20) /* longer copies go in pieces of this size */
#define CMPD_WIRE_NAME_CEILING    4096u                /* mangled names */
#define CMPD_WIRE_PARAMS_CEILING  32764u /* the parameter block of a kernel (CUDA 12.1 and later) */

struct cmpd_wire_head {
    uint32_t magic;
    uint32_t kind; /* enum cmpd_wire_kind */
    uint32_t seq;  /* 1, 2, 3, ... */
    uint32_t len;
};

struct cmpd_wire_answer {
    uint32_t seq;
    int32_t error; /* cudaError_t that the call returns */
    uint32_t len;
    uint32_t flags; /* CMPD_WIRE_HAS_FD */
};
#define CMPD_WIRE_HAS_FD      1u
#define CMPD_WIRE_WANTS_WHERE 2u /* something was wrong with the call: a WHERE comes next */
#define CMPD_WIRE_PLACES      4u

/* Kinds and their fixed parts. Names are the kind's with cmpd_wire_ before it. Streams and events are ids that the
 * server gives; stream 0 is the legacy default stream, 1 the per-thread one, 2 as given by cudaStreamLegacy. */
enum cmpd_wire_kind {
    CMPD_WIRE_HELLO = 1, /* u32 version; first of all */
    CMPD_WIRE_FATBIN,    /* data: the fat binary. Answer: u32 module */
    CMPD_WIRE_FUNCTION,  /* u32 module, u32 0, u64 handle (host stub address); data: mangled name */
    CMPD_WIRE_VARIABLE, /* u32 module, u32 flags (1 constant), u64 handle, u64 bytes; data: name. A __managed__ one
                              is a variable like any other here: the runtime keeps the host's copy in step */
    CMPD_WIRE_ALLOC, /* u64 bytes, u32 kind (enum cmpd_memory_kind), u32 stream. Answer: u64 address; managed and
                              pinned: with a descriptor that the runtime maps at that address */
    CMPD_WIRE_FREE, /* u64 address, u32 how (0 cudaFree, 1 cudaFreeAsync, 2 cudaFreeHost), u32 stream */
    CMPD_WIRE_COPY, /* struct cmpd_wire_copy; data: host bytes, packed rows, where the source is the host.
                              Answer where the destination is the host: the bytes, packed rows. Managed and
                              pinned memory is named by its address (to, from) and is not the host's side here */
    CMPD_WIRE_SET,    /* struct cmpd_wire_set */
    CMPD_WIRE_LAUNCH, /* struct cmpd_wire_launch; data: parameter block */
    CMPD_WIRE_KERNEL, /* u64 handle. Answer: struct cmpd_wire_kernel, then param_count pairs of u32 offset, size */
    CMPD_WIRE_SYMBOL,      /* u64 handle. Answer: u64 address, u64 bytes */
    CMPD_WIRE_FUNC_SET,    /* u64 handle, i32 attribute (cudaFuncAttribute), i32 value */
    CMPD_WIRE_STREAM_NEW,  /* u32 flags (1 non-blocking), i32 priority. Answer: u32 stream, u32 0 */
    CMPD_WIRE_STREAM_FREE, /* u32 stream, u32 0 */
    CMPD_WIRE_EVENT_NEW,   /* u32 flags, u32 0. Answer: u32 event, u32 0 */
    CMPD_WIRE_EVENT_FREE,  /* u32 event, u32 0 */
    CMPD_WIRE_EVENT_RECORD, /* u32 event, u32 stream */
    CMPD_WIRE_EVENT_TIME,   /* u32 start, u32 end. Answer: f32 ms, u32 0 */
    CMPD_WIRE_WAIT_EVENT,   /* u32 stream, u32 event */
    CMPD_WIRE_SYNC, /* u32 what (0 device, 1 stream, 2 event), u32 id; u32 query (1: don't wait), u32 0 */
    CMPD_WIRE_MEM_INFO, /* Answer: u64 free, u64 total */
    CMPD_WIRE_POINTER, /* u64 address. Answer: u32 kind + 1 (0: no device memory), u32 0, u64 base, u64 bytes */
    CMPD_WIRE_HOST_RANGE, /* u64 address, u64 bytes, u32 on (cudaHostRegister: 1, Unregister: 0), u32 0 */
    CMPD_WIRE_LAST_ERROR, /* u32 clear, u32 0. The answer's error is the thread's last error */
    CMPD_WIRE_FAILED, /* i32 error, u32 0; data: name of the call. A call that the runtime itself refused */
    CMPD_WIRE_RESET, /* cudaDeviceReset */
    CMPD_WIRE_UNBUILT, /* data: name of a runtime function that this build does not have, or an argument of one */
    CMPD_WIRE_NEXT, /* the candidate program: what next? Answer: struct cmpd_wire_case, then its arguments */
    CMPD_WIRE_DONE, /* u32 case, i32 result of an entry that returns one (of a wider type and of F32: the low 32
                              bits as they are), u32 threads still running, u32 high 32 bits of the result */
    CMPD_WIRE_FAULT, /* u32 signal, u32 why (enum cmpd_wire_why), u64 address, u64 pc; data: "object:function" of
                              the pc, or with another why than a signal a sentence. The last words of the process: no
                              answer is awaited */
    CMPD_WIRE_WHERE, /* data: up to CMPD_WIRE_PLACES u64: addresses in the candidate's file (from its load address) on
                              the stack of the thread, innermost first. After an answer that wants it, or before FAULT.
                              No answer is awaited */
    CMPD_WIRE_KIND_COUNT
};

struct cmpd_wire_copy { /* rows of `width` bytes; 1D: height 1 */
    uint64_t to, from;  /* device addresses, or 0 on the host side */
    uint64_t to_pitch, from_pitch, width, height;
    uint64_t host_address; /* of the side that is the host's (the runtime's own view), else 0 */
    uint32_t direction;    /* cudaMemcpyKind as the caller gave it */
    uint32_t stream;
    uint8_t async, to_host, from_host, symbol; /* what the runtime took the pointers for */
    uint32_t reserved;
};

struct cmpd_wire_set {
    uint64_t to, pitch, width, height;
    uint32_t value, unit, stream;
    uint32_t async;
};

struct cmpd_wire_launch {
    uint64_t handle;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes, stream;
    uint32_t
        flags; /* 1 cooperative, 2 through an Ex launch, 4 programmatic stream serialisation (taken as none) */
    uint32_t cluster[3];
};

struct cmpd_wire_kernel {
    uint32_t param_count, param_bytes;
    uint32_t max_threads, registers;
    uint64_t static_shared_bytes, local_bytes;
    uint32_t max_dynamic_shared_bytes, reserved;
};

/* What ended the process. */
enum cmpd_wire_why {
    CMPD_WIRE_WHY_SIGNAL,
    CMPD_WIRE_WHY_EXCEPTION, /* a C++ exception that nobody caught (the signal is SIGABRT): "an exception of type ..." */
    CMPD_WIRE_WHY_LOAD, /* the library can't be loaded or has no main: the loader's words. Nothing of it ran */
    CMPD_WIRE_WHY_TASK, /* the candidate program can't do what it was told: "host buffers can't be mapped" */
};

/* What the candidate program is to do next. */
enum cmpd_wire_task {
    CMPD_WIRE_TASK_CALL, /* call the entry with the arguments */
    CMPD_WIRE_TASK_MAIN, /* run main(argc, argv) of the object */
    CMPD_WIRE_TASK_STOP, /* end in an orderly way */
};

struct cmpd_wire_case {
    uint32_t task, number;
    uint32_t arg_count, result; /* result: enum cmpd_wire_type of what the entry returns */
    uint64_t
        symbol_offset; /* of the entry in the candidate's file (st_value), from its load address */
    uint64_t host_bytes; /* host buffers: one memfd with the answer's descriptor, 0: none */
};

enum cmpd_wire_type { /* how an argument is passed */
                      CMPD_WIRE_VOID,
                      CMPD_WIRE_I8,
                      CMPD_WIRE_U8,
                      CMPD_WIRE_I16,
                      CMPD_WIRE_U16,
                      CMPD_WIRE_I32,
                      CMPD_WIRE_U32,
                      CMPD_WIRE_I64,
                      CMPD_WIRE_U64,
                      CMPD_WIRE_F32,
                      CMPD_WIRE_F64,
                      CMPD_WIRE_F16 /* class of 2 bytes */,
                      CMPD_WIRE_POINTER_DEVICE,
                      CMPD_WIRE_POINTER_HOST,
                      CMPD_WIRE_STREAM,
};

struct cmpd_wire_arg {
    uint32_t type, reserved;
    uint64_t
        value; /* bits of a number; device address; POINTER_HOST: offset in the host memfd, page-aligned */
    uint64_t
        bytes; /* POINTER_HOST: length; the end of the buffer touches a guard page where alignment allows */
    /*
     * POINTER_HOST: where the buffer has to be (the server knows host buffers by it). The whole pages of
     * [address, address + bytes) are mapped from the descriptor at `value` on; what lies round them stays unmapped.
     */
    uint64_t address;
};

/*
 * Host buffers lie in slots of this window, which lies between the device's addresses and where Linux puts programs:
 * the mapping never collides (MAP_FIXED_NOREPLACE).
 */
#define CMPD_WIRE_HOST_BASE      0x510000000000ull
#define CMPD_WIRE_HOST_SLOT_BITS 32
#define CMPD_WIRE_HOST_SLOTS     128u
#define CMPD_WIRE_HOST_END \
    (CMPD_WIRE_HOST_BASE + ((uint64_t)CMPD_WIRE_HOST_SLOTS << CMPD_WIRE_HOST_SLOT_BITS))

/*
 * The device that the candidate sees, where a launch is refused because of it (properties and occupancy say the same):
 * compute capability 8.0. Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
 */
#define CMPD_WIRE_MODEL_MULTIPROCESSORS   108u /* A100 */
#define CMPD_WIRE_MODEL_THREADS_PER_BLOCK 1024u
#define CMPD_WIRE_MODEL_THREADS_PER_SM    2048u
#define CMPD_WIRE_MODEL_BLOCKS_PER_SM     32u
#define CMPD_WIRE_MODEL_SHARED_PER_BLOCK  49152u  /* without the attribute */
#define CMPD_WIRE_MODEL_SHARED_OPTIN      166912u /* 163 KiB, with it */
#define CMPD_WIRE_MODEL_SHARED_PER_SM     167936u /* 164 KiB */
#define CMPD_WIRE_MODEL_SHARED_RESERVED   1024u   /* taken by each block */
#define CMPD_WIRE_MODEL_REGISTERS         65536u  /* a block, and a multiprocessor */

#endif
