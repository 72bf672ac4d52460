/*
 * The device server: the trusted end of gpu-runner/wire. It sits between one candidate process (hostile, in a jail)
 * and one device, owns the candidate's memory, streams and modules, checks whatever it is sent, answers with CUDA's own
 * errors, records what was launched and sees what the host code does wrong (bad frees, copies past an allocation,
 * launches that no device takes, crashes, errors that nobody read).
 *
 * One server for one candidate process. The device is the caller's and outlives the server; the server frees what the
 * candidate left behind. Not for several threads.
 *
 * Streams: work is queued and done as late as CUDA allows (legacy default stream, blocking and non-blocking streams,
 * events), in an order that hangs on `schedule_seed` alone. So work that nobody waits for has not happened when the
 * caller looks, and a copy from pinned memory sees what the host wrote there too early.
 */
#ifndef CMPD_GPU_RUNNER_SERVER_SERVER_H
#define CMPD_GPU_RUNNER_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/device/device.h"
#include "gpu-runner/wire/wire.h"

#define CMPD_SERVER_ARGS_CEILING     64 /* arguments of an entry */
#define CMPD_SERVER_FAILURES_CEILING 64 /* distinct (call, error) pairs kept in a record */
#define CMPD_SERVER_NAME_BYTES       64 /* of an argument or a runtime call in a record */

/* 0 means the default, which stands behind each. */
struct cmpd_server_limits {
    uint64_t start_ms; /* from serve to the first NEXT; 10,000 */
    uint64_t wall_ms;  /* one case, time on the device not counted (it has its budget); 10,000 */
    uint64_t memory_bytes;  /* of the candidate, all kinds together; 2 GiB */
    uint64_t traffic_bytes; /* received and sent, one case; 8 GiB */
    uint64_t messages;      /* one case; 2 M */
    uint32_t launches;      /* one case; 20,000 */
    uint32_t objects;       /* live streams and events, each; 4,096 */
    uint32_t modules;       /* 64 */
    uint32_t symbols;       /* functions and variables, each; 8,192 */
    uint64_t kept_bytes;    /* what one record keeps (parameters, written bytes); 256 MiB */
    uint32_t
        multiprocessors; /* of the device that the candidate sees; CMPD_WIRE_MODEL_MULTIPROCESSORS */
};

/* ---- what is to be done ---- */

struct cmpd_server_arg {
    enum cmpd_wire_type type;
    const char *name; /* borrowed, for messages ("out"); may be NULL */
    uint64_t
        value; /* bits of a number; POINTER_DEVICE: an address of the caller's own allocation, or 0 */
    uint64_t bytes; /* POINTER_DEVICE, POINTER_HOST: length of the buffer */
    const void *
        data; /* POINTER_HOST: its first contents, borrowed until `next` is called again; NULL: zeros */
};

struct cmpd_server_case {
    enum cmpd_wire_task task;
    uint32_t number; /* the caller's own, told back in the record */
    uint64_t symbol_offset;
    enum cmpd_wire_type result;
    const struct cmpd_server_arg *args; /* borrowed until `next` is called again */
    uint32_t arg_count;
    uint64_t lane_instructions; /* as of cmpd_device_ops.begin_case; 0: the device's default */
    uint32_t schedule_seed, jitter_ulp;
    /* The record is to be run again (cmpd_server_replay): memory that the candidate frees stays until the record goes,
     * so that addresses in it hold. Use after free is not seen in such a case. */
    bool keep_for_replay;
};

/* ---- what happened ---- */

enum cmpd_server_step_kind {
    CMPD_SERVER_LAUNCH,
    CMPD_SERVER_SET,   /* cudaMemset and its kin */
    CMPD_SERVER_COPY,  /* device to device, and to or from managed and pinned memory */
    CMPD_SERVER_WRITE, /* host to device */
    CMPD_SERVER_READ,  /* device to host */
};

struct cmpd_server_rows { /* a copy or set: `height` rows of `width` bytes */
    uint64_t to, from;    /* device addresses; 0: the host's side */
    uint64_t to_pitch, from_pitch, width, height;
};

/* One thing that the device did, in the order in which it was done. */
struct cmpd_server_step {
    enum cmpd_server_step_kind kind;
    uint32_t stream; /* 0: legacy default */
    /* LAUNCH */
    uint32_t module;
    char *kernel; /* owned; mangled */
    uint32_t grid[3], block[3], shared_bytes;
    bool cooperative;
    struct cmpd_launch_result result;
    /* SET, COPY, WRITE, READ */
    struct cmpd_server_rows rows;
    uint32_t value, unit;
    /* LAUNCH: the parameter block; WRITE: the bytes, packed rows. Owned; NULL where kept_bytes was reached. */
    uint8_t *data;
    size_t data_bytes;
};

struct cmpd_server_failure { /* a runtime call that returned an error */
    char call[CMPD_SERVER_NAME_BYTES];
    int32_t error; /* cudaError_t */
    uint64_t times;
};

struct cmpd_server_host { /* a host buffer of the case, as it was once the entry had returned */
    uint32_t arg;         /* index of the argument */
    uint64_t address;     /* where it lies in the candidate */
    uint8_t *data;        /* owned; NULL until then */
    uint64_t bytes;
    /* Of bytes that were copied here from the device and that a kernel computed from memory that nobody wrote: where it
     * read such memory (uninitialized_read). For outputs, in which each byte is defined. */
    struct cmpd_sightings undefined;
    uint64_t
        from_device_bytes; /* of it: how many were written by a copy from the device, or equal bytes that came
                                   from the device by way of other host memory. Less than `bytes`: host_compute, if the
                                   buffer is an output */
};

/*
 * A buffer of the case whose contents stood in host memory first: `from_host_bytes` of them are equal to bytes that the
 * candidate sent to the device and that are no input's (nor all one value). All of an output: host_compute, whatever
 * kernel moved them afterwards.
 */
struct cmpd_server_origin {
    uint32_t arg; /* POINTER_DEVICE or POINTER_HOST */
    uint64_t bytes, from_host_bytes;
};

struct cmpd_server_record {
    uint32_t number;
    bool entered, returned;         /* the task was handed out; the entry came back */
    int32_t result;                 /* what the entry returned, 0 if void */
    uint64_t result_bits;           /* the same in full: a float's or a wide integer's bits */
    struct cmpd_server_step *steps; /* owned */
    size_t step_count, step_cap;
    bool steps_cut;    /* kept_bytes was reached: no replay */
    uint32_t launches; /* that ran, cut ones too */
    uint32_t launches_refused;
    uint64_t lane_instructions, warp_instructions;
    double device_ms; /* spent in the device, of this process */
    /* Something could not be done here (not_emulated, or the budget): what the candidate then did wrong is a note, and
     * its outputs prove nothing. */
    bool undecided;
    bool budget_exhausted; /* a launch ended by CMPD_LAUNCH_BUDGET */
    struct cmpd_server_failure failures[CMPD_SERVER_FAILURES_CEILING];
    size_t failure_count;
    int32_t last_error;   /* still set when the entry returned (NotReady is none) */
    int32_t sticky_error; /* of a launch that faulted; 0: none */
    uint32_t threads;     /* host threads of the candidate that still ran */
    uint32_t unjoined; /* launches, copies and sets that no stream order made the caller wait for */
    uint64_t live_count, live_bytes; /* allocated in this case and not freed */
    struct cmpd_server_host *hosts;  /* owned */
    size_t host_count;
    struct cmpd_server_origin origins[CMPD_SERVER_ARGS_CEILING]; /* those with any such byte */
    size_t origin_count;
    struct cmpd_sightings sightings; /* the device's and the server's own */
};

void cmpd_server_record_clear(struct cmpd_server_record *r);

/* ---- serving ---- */

/*
 * The caller's side. `next` says what comes; CMPD_WIRE_TASK_STOP ends. `joined` is called once the entry has returned
 * and the caller's legacy default stream was synchronised: device outputs are to be read then, and only then (through
 * the device). Work that nobody waits for is done after it, so that its faults are seen; then `done` gets the whole
 * record, which it may take (copy the struct, zero the original). Device buffers of the case live until `done`.
 * Returning anything but CMPD_OK ends the serving with CMPD_SERVER_STOPPED and that rc.
 */
struct cmpd_server_plan {
    void *ctx;
    cmpd_rc (*next)(void *ctx, struct cmpd_server_case *out, struct cmpd_err *err);
    cmpd_rc (*joined)(void *ctx, const struct cmpd_server_record *record,
                      struct cmpd_err *err); /* MAY be NULL */
    cmpd_rc (*done)(void *ctx, struct cmpd_server_record *record, struct cmpd_err *err);
};

enum cmpd_server_end {
    CMPD_SERVER_FINISHED, /* STOP was handed out and the peer is gone */
    CMPD_SERVER_GONE_EARLY, /* the peer closed before: outside of an entry (a constructor), or inside one */
    CMPD_SERVER_FAULTED,   /* the peer told of a signal; see `fault` */
    CMPD_SERVER_VIOLATION, /* not our runtime that speaks: forbidden_host_action */
    CMPD_SERVER_WALL,      /* start_ms or wall_ms */
    CMPD_SERVER_LIMIT,     /* traffic, messages, launches, ... (message says which) */
    CMPD_SERVER_CANCELLED, /* cancel_fd */
    CMPD_SERVER_BROKEN,    /* the device doesn't work any more (err) */
    CMPD_SERVER_STOPPED,   /* a callback of the plan failed (err) */
    /* A launch ended by CMPD_LAUNCH_BUDGET or _UNSUPPORTED: the case can't be decided here, and what the candidate would do
     * next proves nothing. */
    CMPD_SERVER_UNDECIDED,
};

enum cmpd_server_fault_kind {
    CMPD_SERVER_FAULT_DEVICE_POINTER, /* host code followed a device pointer: host_dereference */
    CMPD_SERVER_FAULT_HOST_BUFFER,    /* past the end of a host buffer of the case: out_of_bounds */
    CMPD_SERVER_FAULT_NULL,
    CMPD_SERVER_FAULT_OTHER_ADDRESS,
    CMPD_SERVER_FAULT_SIGNAL,    /* no memory access: SIGABRT, SIGFPE, ... */
    CMPD_SERVER_FAULT_FORBIDDEN, /* SIGSYS: a system call that the jail forbids */
    CMPD_SERVER_FAULT_EXCEPTION, /* a C++ exception that nobody caught: crashed */
    /* These two are no fault of the candidate's, and no sighting: */
    CMPD_SERVER_FAULT_LOAD, /* the library can't be loaded, nothing of it ran: `where` says why */
    CMPD_SERVER_FAULT_TASK, /* our own program in the jail can't do its task: `where` says why */
};

struct cmpd_server_outcome {
    enum cmpd_server_end end;
    bool started;   /* the peer said HELLO */
    bool undecided; /* as in the record of the open case, or of what came before the first one */
    bool
        after_error; /* GONE_EARLY inside an entry: a runtime call had failed before, as a program that checks ends */
    bool in_case;    /* a task was handed out and not done */
    uint32_t number; /* of that task, or the last one */
    uint32_t cases_done;
    /* FAULTED. The record's sightings hold it too, with its tag. */
    enum cmpd_server_fault_kind fault;
    uint32_t signal;
    uint64_t address, pc;
    char where[256];   /* "object:function" of the pc, as the peer says */
    char message[256]; /* one sentence for people; every end but FINISHED */
};

struct cmpd_server;

/* device: borrowed. limits: copied; NULL: all defaults. */
cmpd_rc cmpd_server_new(struct cmpd_device *device, const struct cmpd_server_limits *limits,
                        struct cmpd_server **out, struct cmpd_err *err);
/* Frees the candidate's allocations on the device too. NULL is fine. */
void cmpd_server_free(struct cmpd_server *s);

/*
 * Serves until the peer is gone or has to go (the caller then kills it). fd: our end of the socket pair, borrowed; any
 * blocking mode. cancel_fd: readable or hung up: stop soon; -1: none. How the candidate ended is *outcome; rc other
 * than CMPD_OK only for STOPPED (the callback's) and BROKEN.
 * Once for a server.
 */
cmpd_rc cmpd_server_serve(struct cmpd_server *s, int fd, int cancel_fd,
                          const struct cmpd_server_plan *plan, struct cmpd_server_outcome *outcome,
                          struct cmpd_err *err);

/*
 * The record of the case that was open when serving ended (returned is false), or of what happened outside of all
 * cases: constructors, destructors. Borrowed until the server goes; never NULL.
 */
const struct cmpd_server_record *cmpd_server_open_record(const struct cmpd_server *s);
const struct cmpd_server_record *cmpd_server_outside_record(const struct cmpd_server *s);

/* ---- without a candidate process: files that hold only kernels ---- */

/*
 * Loads every fat binary of an object file's .nv_fatbin sections into the device; *count modules, the first of them
 * *first. Errors as cmpd_device_ops.load; CMPD_ENOENT: no such section.
 */
cmpd_rc cmpd_server_load_object(struct cmpd_server *s, const void *elf, size_t len, uint32_t *first,
                                uint32_t *count, struct cmpd_err *err);

/* Looks through all modules of the server. CMPD_ENOENT. */
cmpd_rc cmpd_server_find_kernel(struct cmpd_server *s, const char *name, uint32_t *module,
                                struct cmpd_kernel_info *out, struct cmpd_err *err);

/*
 * begin, direct (any number of times), end: one case. Launches are checked, run and recorded as if a host program had
 * made them on the default stream and had read the error after each. A launch that is refused or faults is in the
 * record (sightings, sticky_error), not in rc. end: the record, borrowed until the next begin; it may be taken.
 */
void cmpd_server_begin(struct cmpd_server *s, const struct cmpd_server_case *c);
cmpd_rc cmpd_server_direct(struct cmpd_server *s, const struct cmpd_launch *launch,
                           struct cmpd_err *err);
struct cmpd_server_record *cmpd_server_end(struct cmpd_server *s);

/* ---- again ---- */

struct cmpd_server_replay {
    uint32_t launches;
    uint64_t lane_instructions;
    double device_ms;                /* sum of cmpd_launch_result.elapsed_ms */
    enum cmpd_launch_end worst;      /* CMPD_LAUNCH_DONE: all ran through */
    struct cmpd_sightings sightings; /* owned: cmpd_sightings_clear */
};

/*
 * Does a record's steps again in their order (launches, sets, copies, writes; not reads) on what the buffers hold now.
 * CMPD_EINPUT: the record was cut, or memory that it names is gone.
 */
cmpd_rc cmpd_server_replay(struct cmpd_server *s, const struct cmpd_server_record *record,
                           struct cmpd_server_replay *out, struct cmpd_err *err);

/* "cudaErrorInvalidValue"; "cudaErrorUnknown" for a number that is none. Static. */
const char *cmpd_server_error_name(int32_t error);

#endif
