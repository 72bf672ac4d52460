/*
 * A device: memory, modules and launches behind one vtable. The server (gpu-runner/server) owns a device and is its
 * only caller; it has checked what the candidate sent, but a device checks again whatever could hurt this process.
 *
 * Addresses are device addresses (numbers); nobody but the device turns them into pointers. An error of the candidate
 * is a sighting, never a cmpd_rc: return codes are for what keeps the device itself from working.
 */
#ifndef CMPD_GPU_RUNNER_DEVICE_DEVICE_H
#define CMPD_GPU_RUNNER_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "analysis/verdict/tags.h"

/*
 * Where device addresses lie: slot i begins at CMPD_DEVICE_BASE + i * CMPD_DEVICE_SLOT_BYTES and its allocation at
 * half of the slot, so that an index that is off by any 32-bit amount never lands in a neighbour. Freed slots are not
 * used again. The candidate's runtime maps managed and pinned memory at these very addresses; they are free in
 * every x86-64 Linux process (47 bits).
 */
#define CMPD_DEVICE_BASE       0x100000000000ull
#define CMPD_DEVICE_SLOT_BITS  34
#define CMPD_DEVICE_SLOT_BYTES (1ull << CMPD_DEVICE_SLOT_BITS)
#define CMPD_DEVICE_SLOT_COUNT 4096u
#define CMPD_DEVICE_END        (CMPD_DEVICE_BASE + CMPD_DEVICE_SLOT_COUNT * CMPD_DEVICE_SLOT_BYTES)

enum cmpd_memory_kind {
    CMPD_MEMORY_DEVICE,  /* cudaMalloc: device only */
    CMPD_MEMORY_MANAGED, /* both sides, at the same address */
    CMPD_MEMORY_PINNED,  /* host memory that the device may reach at the same address */
    CMPD_MEMORY_SYMBOL,  /* a __device__ or __constant__ variable of a module */
};

/* What a device saw the candidate do wrong. One for each distinct (tag, place); `times` counts. */
struct cmpd_sighting {
    enum cmpd_tag tag; /* out_of_bounds, data_race, timeout, not_emulated, ... */
    char *
        file; /* owned, as in the line table; NULL: unknown. The innermost place that is not a toolkit header */
    uint32_t line;    /* 1-based, 0: unknown */
    char *outer_file; /* owned, NULL: not inlined; where the outermost inlined call stands */
    uint32_t outer_line;
    char *kernel; /* owned; mangled; NULL: no kernel (a copy, host code) */
    char *
        message; /* owned; one sentence: the access, thread and block, the allocation, what stood there */
    uint64_t host_at
        [4]; /* host code: addresses in the candidate's file on its stack, innermost first; 0: none */
    bool
        note; /* worth saying, proves nothing (same-value race, copy of uninitialised bytes, ...) */
    uint64_t times;
};

struct cmpd_sightings {
    struct cmpd_sighting *items; /* owned */
    size_t count, cap;
};
#define CMPD_SIGHTINGS_CEILING 200

/* Adds, or counts one up where (tag, note, file, line, kernel) is there already. Copies all strings. */
struct cmpd_sighting *cmpd_sightings_add(struct cmpd_sightings *s,
                                         const struct cmpd_sighting *what);
void cmpd_sightings_clear(struct cmpd_sightings *s);

struct cmpd_device_options {
    uint64_t memory_bytes;      /* all allocations together; 0: 4 GiB */
    uint64_t lane_instructions; /* budget until the next cmpd_device_ops.budget; 0: 40 M */
    uint32_t schedule_seed;     /* 0: the plain order; else another, reproducible */
    uint32_t jitter_ulp; /* approximate instructions are off by up to this; 0: correctly rounded */
    int cancel_fd;       /* readable or hung up: stop soon. -1: none */
};

struct cmpd_kernel_info {
    const char *name; /* borrowed from the module */
    uint32_t param_count;
    const uint32_t *param_offsets, *param_sizes; /* borrowed from the module; bytes */
    uint32_t param_bytes;
    uint32_t max_threads; /* of __launch_bounds__; 0: not given */
    uint64_t static_shared_bytes, local_bytes;
    uint32_t registers; /* an estimate where the device has none */
};

struct cmpd_launch {
    uint32_t module;
    const char *kernel; /* mangled name */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
    bool cooperative;
    const void *params; /* the parameter block, laid out by cmpd_kernel_info's offsets */
    size_t param_bytes;
};

enum cmpd_launch_end {
    CMPD_LAUNCH_DONE,
    CMPD_LAUNCH_FAULT, /* it stopped on a fault that a GPU would stop on too (sightings say which) */
    CMPD_LAUNCH_STUCK,       /* deadlock or endless loop, proven */
    CMPD_LAUNCH_BUDGET,      /* out of lane instructions */
    CMPD_LAUNCH_UNSUPPORTED, /* not_emulated */
    CMPD_LAUNCH_CANCELLED,
};

struct cmpd_launch_result {
    enum cmpd_launch_end end;
    uint64_t lane_instructions, warp_instructions;
    double
        elapsed_ms; /* of this process; a device with a clock of its own answers through `time` */
};

struct
    cmpd_device; /* each device has its own, beginning with `const struct cmpd_device_ops *ops` */

struct cmpd_device_ops {
    const char *name;    /* "emulator", "cuda" */
    const char *backend; /* "emulator", "gpu": as the verdict document says it */
    /* MUST. CMPD_EUNAVAIL: not here (message says why and what to do). */
    cmpd_rc (*open)(const struct cmpd_device_options *options, struct cmpd_device **out,
                    struct cmpd_err *err);
    void (*close)(struct cmpd_device *d); /* MUST; NULL is fine */

    /*
     * MUST. image: a fat binary. Its variables are allocated and initialised. CMPD_EINPUT: damaged; CMPD_EUNAVAIL: no
     * code for this device inside. *module is 0, 1, ...
     */
    cmpd_rc (*load)(struct cmpd_device *d, const void *image, size_t len, uint32_t *module,
                    struct cmpd_err *err);
    /* MUST. CMPD_ENOENT: no such kernel. Borrowed parts live as long as the device. */
    cmpd_rc (*kernel)(struct cmpd_device *d, uint32_t module, const char *name,
                      struct cmpd_kernel_info *out, struct cmpd_err *err);
    /* MUST. A variable of a module. CMPD_ENOENT. */
    cmpd_rc (*symbol)(struct cmpd_device *d, uint32_t module, const char *name, uint64_t *address,
                      uint64_t *bytes, struct cmpd_err *err);

    /*
     * MUST. CMPD_ELIMIT: out of memory. MANAGED and PINNED need shared_fd: a memfd of at least `bytes` that the
     * candidate maps too (borrowed; the device keeps a mapping of its own). Contents of DEVICE memory are poison.
     */
    cmpd_rc (*alloc)(struct cmpd_device *d, uint64_t bytes, enum cmpd_memory_kind kind,
                     int shared_fd, const char *what, uint64_t *address, struct cmpd_err *err);
    /* MUST. CMPD_EINPUT: not the start of a live allocation. */
    cmpd_rc (*free)(struct cmpd_device *d, uint64_t address, struct cmpd_err *err);

    /*
     * MUST. Copies and sets of whole ranges. CMPD_EINPUT: not inside one live allocation (the server turns that into
     * an error for the candidate and a sighting). `host_init` false: the bytes count as never written.
     */
    cmpd_rc (*write)(struct cmpd_device *d, uint64_t to, const void *from, size_t len,
                     struct cmpd_err *err);
    cmpd_rc (*read)(struct cmpd_device *d, void *to, uint64_t from, size_t len,
                    struct cmpd_err *err);
    cmpd_rc (*copy)(struct cmpd_device *d, uint64_t to, uint64_t from, size_t len,
                    struct cmpd_err *err);
    /* `unit` is 1, 2 or 4 bytes of `value`, repeated. */
    cmpd_rc (*set)(struct cmpd_device *d, uint64_t to, uint32_t value, unsigned unit, size_t len,
                   struct cmpd_err *err);

    /*
     * MAY be NULL (the device can't tell). How many bytes of the range were never written since it was allocated or
     * poisoned, or hold what a kernel made of such bytes (`writer` knows a store then); *first the first such offset.
     */
    cmpd_rc (*unwritten)(struct cmpd_device *d, uint64_t from, size_t len, uint64_t *count,
                         uint64_t *first, struct cmpd_err *err);
    /*
     * MAY be NULL. Bytes of the range that a kernel computed from memory that nobody wrote: adds a sighting
     * (uninitialized_read) for each place in the code that read such memory. For what counts as a defined output; bytes
     * that nobody wrote at all are `unwritten`'s affair.
     */
    cmpd_rc (*undefined)(struct cmpd_device *d, uint64_t from, size_t len,
                         struct cmpd_sightings *sightings, struct cmpd_err *err);
    /* MUST. Fills the range with a pattern and marks it as never written. */
    cmpd_rc (*poison)(struct cmpd_device *d, uint64_t to, uint8_t pattern, size_t len,
                      struct cmpd_err *err);
    /* MAY be NULL. Which source line last stored to this byte (file borrowed until the next call); CMPD_ENOENT: unknown. */
    cmpd_rc (*writer)(struct cmpd_device *d, uint64_t address, const char **file, uint32_t *line,
                      struct cmpd_err *err);

    /* MUST. Runs to its end. What it saw is added to *sightings. An rc other than CMPD_OK: the device is broken. */
    cmpd_rc (*launch)(struct cmpd_device *d, const struct cmpd_launch *launch,
                      struct cmpd_launch_result *result, struct cmpd_sightings *sightings,
                      struct cmpd_err *err);
    /* MUST. A new budget for the next case, a new schedule seed; forgets races and writers of before. */
    void (*begin_case)(struct cmpd_device *d, uint64_t lane_instructions, uint32_t schedule_seed,
                       uint32_t jitter_ulp);
    /* MAY be NULL. What kernels printed since the device was opened; borrowed. */
    const struct cmpd_buf *(*printed)(struct cmpd_device *d);
    /* MUST. Live allocations (not symbols): count and bytes, for memory_leak. */
    void (*live)(struct cmpd_device *d, uint64_t *count, uint64_t *bytes);
};

struct cmpd_device {
    const struct cmpd_device_ops *ops;
};

extern const struct cmpd_device_ops cmpd_device_emulator;

/* By the option's value ("auto", "gpu", "emulator"); NULL where that kind is not built. */
const struct cmpd_device_ops *cmpd_device_find(const char *name);

#endif
