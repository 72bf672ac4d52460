/*
 * What our CUDA runtime library offers beside CUDA's own functions: to the candidate program (gpu-runner/candidate),
 * which lives in the same process. The program loads the library by its path, from the folder that it lies in itself:
 * a run path relative to the program can't be followed where there is no /proc, as in the jail.
 */
#ifndef CMPD_GPU_RUNNER_CUDART_CUDART_H
#define CMPD_GPU_RUNNER_CUDART_CUDART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/wire/wire.h"

#define CMPD_CUDART_FILE "libcudart.so.13"
#define CMPD_CUDART_OPS  "cmpd_cudart_ops" /* the symbol: one struct cmpd_cudart_ops */

/*
 * The name of the function at an offset from the load address of the candidate's file, terminated. False: not known.
 * Called from a signal handler.
 */
typedef bool cmpd_cudart_resolver(uint64_t offset, char *name, size_t size);

struct cmpd_cudart_ops {
    /* The candidate's file, by an address inside of it: what host code does wrong is blamed on its innermost frame there. */
    void (*blame)(const void *inside);
    void (*set_resolver)(cmpd_cudart_resolver *function);
    /* What comes next, as CMPD_WIRE_NEXT: the case, its arguments (malloc'ed, the caller's), the descriptor of its host
     * buffers (the caller's; -1). False: there is no server. */
    bool (*next)(struct cmpd_wire_case *task, struct cmpd_wire_arg **args, int *host_fd);
    /* result: the bits of what the entry returned, or what a whole program exited with. */
    void (*done)(uint32_t number, uint64_t result, uint32_t threads);
    /* Last words of the program itself; ends the process. */
    void (*give_up)(enum cmpd_wire_why why, const char *what) __attribute__((noreturn));
};

extern const struct cmpd_cudart_ops cmpd_cudart_ops;

#endif
