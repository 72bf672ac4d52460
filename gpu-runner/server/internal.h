/*
 * The device server, inside. Not for other folders.
 *
 *   server.c    new, free, the serving loop, cases
 *   link.c      the socket: whole messages under a deadline, answers
 *   dispatch.c  one handler a kind of question; which call it stands for
 *   memory.c    address ranges and whose they are; allocating and freeing
 *   copy.c      copies and sets: directions, ranges, rows
 *   queue.c     streams, events, and when queued work is done
 *   module.c    fat binaries, functions, variables
 *   launch.c    whether a launch is possible; direct launches
 *   step.c      doing one step on the device, and recording it
 *   record.c    records: failures, sightings, clearing
 *   host.c      host buffers of a case: memfd, reading back, which bytes came from the device
 *   match.c     whether bytes stand elsewhere too
 *   origin.c    outputs that the host worked out itself
 *   object.c    fat binaries of an ELF object
 *   replay.c    a record's steps again
 *   stream.c    questions about streams and events
 *   fault.c     what a signal of the candidate means
 *   error.c     names of CUDA's errors
 *
 * Error numbers and which call waits for what were measured with CUDA 13.0 on an H200 (driver 580); where the
 * documentation says less, the measured behaviour counts.
 */
#ifndef CMPD_GPU_RUNNER_SERVER_INTERNAL_H
#define CMPD_GPU_RUNNER_SERVER_INTERNAL_H

#include "gpu-runner/server/server.h"
#include "gpu-runner/wire/io.h"

/* cudaError_t, as cuda 13.0's driver_types.h numbers them. */
enum srv_error {
    SRV_SUCCESS = 0,
    SRV_INVALID_VALUE = 1,
    SRV_MEMORY_ALLOCATION = 2,
    SRV_INVALID_PITCH = 12,
    SRV_INVALID_SYMBOL = 13,
    SRV_INVALID_DIRECTION = 21,
    SRV_INVALID_FUNCTION = 98,
    SRV_NO_KERNEL_IMAGE = 209,
    SRV_INVALID_HANDLE = 400,
    SRV_NOT_READY = 600,
    SRV_ILLEGAL_ADDRESS = 700,
    SRV_LAUNCH_RESOURCES = 701,
    SRV_LAUNCH_TIMEOUT = 702,
    SRV_ASSERT = 710,
    SRV_ALREADY_REGISTERED = 712,
    SRV_NOT_REGISTERED = 713,
    SRV_MISALIGNED = 716,
    SRV_LAUNCH_FAILURE = 719,
    SRV_COOPERATIVE_TOO_LARGE = 720,
    SRV_NOT_SUPPORTED = 801,
};

#define SRV_NO_SEQ   0u
#define SRV_FIRST_ID 16u /* of streams and events; below it are CUDA's own handles */
#define SRV_PENDING_CEILING \
    4096u /* queued operations; more: the oldest are done, which is always legal */
#define SRV_PENDING_BYTES ((uint64_t)256 << 20) /* that they hold */
#define SRV_BLOB_BYTES \
    ((uint64_t)64 << 20) /* of data from the device kept to explain host buffers */
#define SRV_SEARCH_BYTES     ((uint64_t)256 << 20) /* looked through to explain one case's buffers */
#define SRV_REGISTER_CEILING 4096u                 /* host ranges registered at a time */
#define SRV_ROW_COST         64u /* bytes of traffic that a row of a copy counts as, beside its own */

/* ---- memory ---- */

enum srv_owner { SRV_CANDIDATE, SRV_CALLER, SRV_MODULE };

struct srv_range {
    uint64_t base, bytes;
    enum cmpd_memory_kind kind;
    enum srv_owner owner;
    bool live;
    bool free_queued;                  /* cudaFreeAsync was called */
    uint32_t arg;                      /* CALLER: index of the argument */
    uint32_t epoch;                    /* the case in which it was made */
    char name[CMPD_SERVER_NAME_BYTES]; /* "cudaMalloc #3", the argument's or the variable's name */
};

struct srv_ranges { /* sorted by base */
    struct srv_range *items;
    size_t count, cap;
};

/* ---- queue ---- */

enum srv_op_kind { SRV_STEP, SRV_FREE, SRV_RECORD_EVENT, SRV_WAIT_EVENT };

struct srv_op {
    uint64_t seq;   /* 1, 2, ... */
    uint64_t after; /* WAIT_EVENT: the operation that it waits for; SRV_NO_SEQ: none */
    uint32_t stream;
    enum srv_op_kind kind;
    bool done, wanted;
    struct cmpd_server_step step; /* STEP: owned */
    uint64_t address;             /* FREE */
    uint32_t event;               /* RECORD_EVENT */
};

struct srv_stream {
    uint32_t id;
    bool live, legacy, blocking; /* blocking: waits for the legacy stream and it for this one */
    bool wanted;                 /* scratch of queue.c */
};

struct srv_event {
    uint32_t id;
    bool live, timed, recorded, complete;
    uint64_t seq; /* of its last record */
    double at_ms; /* virtual time */
};

/* ---- modules ---- */

struct srv_module {
    bool loaded;
    char why[256]; /* not loaded: what the device said */
    uint32_t device_module;
};

struct srv_function {
    uint64_t handle;
    uint32_t module; /* index of srv_module */
    char *name;      /* owned */
    bool found;
    struct cmpd_kernel_info info;
    uint32_t max_dynamic; /* bytes of dynamic shared memory that a launch may ask for */
};

struct srv_variable {
    uint64_t handle, address, bytes;
    bool found;
};

/* ---- host buffers ---- */

struct srv_host {
    uint32_t arg;
    uint64_t address, bytes, file_offset; /* file_offset of the buffer's first byte */
    uint8_t *copied; /* owned: what copies from the device put there; NULL: none yet */
    uint8_t *mask;   /* owned: one bit a byte, set where `copied` holds */
    struct cmpd_sightings undefined; /* owned: as in struct cmpd_server_host */
    const uint8_t *initial;          /* borrowed: its first contents; NULL: zeros */
    const char *name;
};

struct srv_blob {
    uint8_t *data; /* owned */
    size_t len;
};

struct srv_blobs { /* up to SRV_BLOB_BYTES; what is over is dropped */
    struct srv_blob *items;
    size_t count, cap;
    uint64_t bytes;
};

struct srv_match {
    const uint8_t *data; /* borrowed: the buffer in question */
    uint64_t bytes;
    uint8_t *mask;   /* owned between begin and end: bytes that were found elsewhere */
    uint64_t budget; /* bytes that may still be looked through */
    uint64_t next;   /* where the next copy in order would stand */
};

struct srv_registered { /* cudaHostRegister; never followed */
    uint64_t address, bytes;
};

struct srv_reply {
    uint8_t *data; /* owned; kept from message to message */
    size_t len, cap;
    int fd; /* owned; -1: none */
};

struct cmpd_server {
    struct cmpd_device *device; /* borrowed */
    struct cmpd_server_limits limits;

    /* the link */
    int fd, cancel_fd;
    uint32_t seq;
    uint64_t start_ns, device_ns; /* of the running case: when it began, what the device took */
    uint64_t traffic, messages;
    uint8_t *in; /* owned: the question's bytes */
    size_t in_cap;
    struct srv_reply reply;
    bool greeted, stopping;
    bool over; /* the outcome is set: no further message */
    struct cmpd_server_outcome *outcome, own_outcome;
    cmpd_rc rc; /* STOPPED, BROKEN */
    struct cmpd_err *err;
    const struct cmpd_server_plan *plan;

    /* the case */
    bool in_case, keep;
    uint32_t epoch; /* counts cases */
    enum cmpd_wire_task task;
    struct cmpd_server_record open, outside;
    struct cmpd_server_record *record; /* one of the two */
    uint64_t kept_bytes;
    uint32_t launch_count;
    struct srv_host hosts[CMPD_SERVER_ARGS_CEILING];
    size_t host_count;
    int host_fd;            /* owned memfd; -1: none */
    struct srv_blobs blobs; /* what came from the device to host memory */
    struct srv_blobs sent;  /* what went from host memory to the device, but for inputs */

    /* errors */
    int32_t last_error, sticky;
    char last_call[CMPD_SERVER_NAME_BYTES];
    /* Addresses on the candidate's stack: of the call that set the last error, and as it told them last. */
    uint64_t error_at[CMPD_WIRE_PLACES], told_at[CMPD_WIRE_PLACES];
    size_t sighted;   /* sightings of the record before the message that is answered */
    bool call_failed; /* that message set the last error */
    bool given_up;    /* a launch of this case ended undecided: its context is dead */
    bool undecided;   /* what fails from here on is the emulation's doing, not the candidate's */

    struct srv_ranges ranges;
    uint64_t *kept; /* owned: addresses that the candidate freed but a replay may need */
    size_t kept_count, kept_cap;
    uint32_t allocations;
    uint64_t allocated_bytes;
    struct srv_module *modules;
    size_t module_count, module_cap;
    struct srv_function *functions;
    size_t function_count, function_cap;
    struct srv_variable *variables;
    size_t variable_count, variable_cap;
    struct srv_stream *streams;
    size_t stream_count, stream_cap, live_streams;
    struct srv_event *events;
    size_t event_count, event_cap, live_events;
    uint32_t next_id;
    struct srv_registered *registered;
    size_t registered_count, registered_cap;

    struct srv_op *ops; /* owned; in order of seq */
    size_t op_count, op_cap;
    uint64_t op_seq, op_bytes;
    uint32_t random; /* state of the schedule; 0: plain order */
    bool latest_first;
    double clock_ms; /* virtual: hangs on work done alone */
};

/* ---- link.c ---- */

/* Reads exactly len bytes under the deadline. False: the outcome is set. */
bool srv_receive(struct cmpd_server *s, void *to, size_t len);
bool srv_answer(struct cmpd_server *s, uint32_t seq, int32_t error);
/* Room for len more bytes at the end of the answer. */
void *srv_reply_grow(struct cmpd_server *s, size_t len);
void srv_reply_put(struct cmpd_server *s, const void *data, size_t len);
uint64_t srv_now_ns(void);
uint64_t srv_left_ms(const struct cmpd_server *s);

/* ---- how it ends ---- */

/* The first one counts; later ones are dropped. */
void srv_end(struct cmpd_server *s, enum cmpd_server_end end, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int32_t srv_violation(struct cmpd_server *s, const char *what);
void srv_broken(struct cmpd_server *s, cmpd_rc rc, const struct cmpd_err *err);
/* Counts bytes against traffic_bytes. False: over. */
bool srv_traffic(struct cmpd_server *s, uint64_t bytes);

/* ---- dispatch.c ---- */

void srv_dispatch(struct cmpd_server *s, const struct cmpd_wire_head *head);

/* Handlers: a kind's question; the answer's error. */
typedef int32_t srv_handler(struct cmpd_server *s, struct cmpd_wire_reader *r);
srv_handler srv_on_next, srv_on_done; /* server.c */
srv_handler srv_on_alloc, srv_on_free, srv_on_mem_info, srv_on_pointer, srv_on_host_range,
    srv_on_reset;                    /* memory.c */
srv_handler srv_on_copy, srv_on_set; /* copy.c */
srv_handler srv_on_fatbin, srv_on_function, srv_on_variable, srv_on_kernel, srv_on_symbol,
    srv_on_func_set;       /* module.c */
srv_handler srv_on_launch; /* launch.c */
srv_handler srv_on_stream_new, srv_on_stream_free, srv_on_event_new, srv_on_event_free,
    srv_on_event_record, srv_on_event_time, srv_on_wait_event, srv_on_sync; /* stream.c */

/* ---- record.c ---- */

/* tag with a message, of a kernel or of none. note: proves nothing. */
void srv_on_where(struct cmpd_server *s, struct cmpd_wire_reader *r);
void srv_sight_at(struct cmpd_sighting *sighting, const uint64_t at[]);
void srv_sight(struct cmpd_server *s, enum cmpd_tag tag, bool note, const char *kernel,
               const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* From here on nothing is the candidate's fault, until the next case. */
void srv_undecided(struct cmpd_server *s);
void srv_fail(struct cmpd_server *s, const char *call, int32_t error);
void srv_step_clear(struct cmpd_server_step *step);
/* Takes over the step. */
void srv_record_step(struct cmpd_server *s, struct cmpd_server_step *step);

/* ---- memory.c ---- */

/* The range that holds the address, or of which it is the next byte; else the nearest in front of it, within a slot's
 * half; live or not. NULL: none. */
struct srv_range *srv_range_near(struct cmpd_server *s, uint64_t address);
struct srv_range *srv_range_add(struct cmpd_server *s, uint64_t base, uint64_t bytes,
                                enum cmpd_memory_kind kind, enum srv_owner owner, const char *name);
void srv_ranges_drop_caller(struct cmpd_server *s);
/* Whether [address, address + len) lies in one live range; else an out_of_bounds sighting that names `call`. */
bool srv_span_ok(struct cmpd_server *s, const char *call, bool write, uint64_t address,
                 uint64_t len, struct srv_range **range);
bool srv_is_device_address(uint64_t address);
/* Gives what lies in live shared memory to srv_hosts_explain. */
void srv_explain_shared(struct cmpd_server *s);
/* Frees what the candidate still has, on the device too. */
void srv_memory_release(struct cmpd_server *s);
/* A recorded launch as the device takes it; borrows from the step. */
struct cmpd_launch srv_launch_of(const struct cmpd_server_step *step);
void srv_do_free(struct cmpd_server *s, uint64_t address);

/* ---- queue.c ---- */

/* A stream by the wire's id; NULL: none that lives. */
struct srv_stream *srv_stream_find(struct cmpd_server *s, uint32_t id);
/* Queues an operation of the given stream; takes over the step (may be NULL). */
struct srv_op *srv_queue(struct cmpd_server *s, uint32_t stream, enum srv_op_kind kind,
                         struct cmpd_server_step *step);
enum srv_wait { SRV_WAIT_ALL, SRV_WAIT_STREAM, SRV_WAIT_SEQ, SRV_WAIT_CALLER };
/* Does what has to be done before the wait is over, and as a rule no more. */
void srv_wait(struct cmpd_server *s, enum srv_wait what, uint64_t id);
/* Whether there is anything left to do for this wait. */
bool srv_pending(struct cmpd_server *s, enum srv_wait what, uint64_t id);
/* Launches, copies and sets that are queued. */
uint32_t srv_pending_steps(const struct cmpd_server *s);
void srv_queue_drop(struct cmpd_server *s);

/* ---- step.c ---- */

/* Does it and records it (takes over its parts). False: the device is broken. */
bool srv_do_step(struct cmpd_server *s, struct cmpd_server_step *step);
/* The same on the device alone; *gone: memory that it names is not there. */
cmpd_rc srv_apply(struct cmpd_device *d, const struct cmpd_server_step *step, bool *gone,
                  struct cmpd_err *err);

/* ---- module.c ---- */

struct srv_function *srv_function_find(struct cmpd_server *s, uint64_t handle);
/* Asks the device, once. 0, or the error that CUDA gives. */
int32_t srv_function_ready(struct cmpd_server *s, struct srv_function *f);
void srv_modules_clear(struct cmpd_server *s);
cmpd_rc srv_module_load(struct cmpd_server *s, const void *image, size_t len, uint32_t *index,
                        struct cmpd_err *err);

/* ---- launch.c ---- */

struct srv_shape {
    uint32_t grid[3], block[3], shared_bytes;
    bool cooperative;
};
/* 0, or the error with a sighting. max_dynamic: of the function. */
int32_t srv_launch_check(struct cmpd_server *s, const struct cmpd_kernel_info *info,
                         uint32_t max_dynamic, const struct srv_shape *shape);

/* ---- host.c ---- */

/* Makes the memfd of a case's host buffers; *bytes its size, 0: no host buffers. */
cmpd_rc srv_hosts_open(struct cmpd_server *s, const struct cmpd_server_case *c, uint64_t *bytes,
                       struct cmpd_err *err);
/* Bytes that a copy from device address `from` wrote to host memory. */
void srv_hosts_copied(struct cmpd_server *s, uint64_t address, uint64_t from, const uint8_t *data,
                      size_t len);
/* The contents of host-visible memory, which may be where an output's bytes came from. */
void srv_hosts_explain(struct cmpd_server *s, const uint8_t *data, size_t len);
cmpd_rc srv_hosts_collect(struct cmpd_server *s, struct cmpd_server_record *record,
                          struct cmpd_err *err);
void srv_hosts_close(struct cmpd_server *s);
/* A sealed memfd; -1 with errno. */
int srv_shared_memory(const char *name, uint64_t bytes);
const struct srv_host *srv_host_near(const struct cmpd_server *s, uint64_t address);

/* ---- match.c ---- */

void srv_mask_set(uint8_t *mask, uint64_t at, uint64_t len);
bool srv_mask_get(const uint8_t *mask, uint64_t at);
void srv_blobs_add(struct srv_blobs *b, const uint8_t *data, size_t len);
void srv_blobs_clear(struct srv_blobs *b);
/* data, bytes and budget are set before; end: how many bytes of the buffer were found. */
void srv_match_begin(struct srv_match *m);
void srv_match_blob(struct srv_match *m, const struct srv_blob *b);
uint64_t srv_match_end(struct srv_match *m);

/* ---- origin.c ---- */

/* A copy from host memory at `address` to the device. */
void srv_origin_sent(struct cmpd_server *s, uint64_t address, const uint8_t *data, size_t len);
/* After srv_hosts_collect: fills the record's origins. */
cmpd_rc srv_origin_judge(struct cmpd_server *s, struct cmpd_err *err);

/* ---- fault.c ---- */

void srv_on_fault(struct cmpd_server *s, struct cmpd_wire_reader *r);

#endif
