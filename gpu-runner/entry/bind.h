/*
 * Which function of the file is called, and what each of its parameters stands for in the operator's terms. From the
 * policy where it says so, else from names and types of the signature. Two readings that both fit are asked about in
 * the message (with the line for cmpd.json that would settle it), never guessed.
 */
#ifndef CMPD_GPU_RUNNER_ENTRY_BIND_H
#define CMPD_GPU_RUNNER_ENTRY_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "analysis/signature/signature.h"
#include "analysis/verdict/policy.h"
#include "analysis/verdict/tags.h"
#include "refs/ref.h"

/* How many device threads a launch that nobody wrote down assumes: of a block of one dimension, and of a tile's edge. */
#define CMPD_BIND_ASSUMED_BLOCK 256
#define CMPD_BIND_ASSUMED_TILE  16

enum cmpd_bind_task {
    CMPD_BIND_NONE,     /* nothing to call: tag, message and hint say why */
    CMPD_BIND_LAUNCHER, /* a host function */
    CMPD_BIND_KERNEL,   /* a __global__ function, launched by the runner */
    CMPD_BIND_MAIN,     /* the file is a whole program: no numeric verdict, run whole */
};

enum cmpd_bind_side { CMPD_BIND_UNKNOWN_SIDE, CMPD_BIND_DEVICE, CMPD_BIND_HOST };

/* How a value is passed, by the x86-64 convention or in a kernel's parameter block. */
enum cmpd_bind_pass {
    CMPD_BIND_POINTER,
    CMPD_BIND_SIGNED, /* integers of size_bytes */
    CMPD_BIND_UNSIGNED,
    CMPD_BIND_FLOAT, /* 4 or 8 bytes */
    CMPD_BIND_HALF,  /* 2 bytes in a class of the toolkit: __half (f16) or __nv_bfloat16 (bf16) */
    CMPD_BIND_VOID,  /* a return type only */
};

struct cmpd_bind_param {
    enum cmpd_role role; /* OUT of element count 1 may be the function's own result */
    /* INOUT that is the operator's input and, in place, its output: the latter's index; else -1. Both shapes are equal. */
    int out_arg;
    int arg; /* index into op->args: tensors, scalars; DIM: -1, see dim_mask. -1: none */
    enum cmpd_bind_pass pass;
    unsigned size_bytes;
    bool by_reference; /* a pointer to the value is passed (const int &n) */
    enum cmpd_bind_side side;
    enum cmpd_dtype dtype;   /* tensors */
    enum cmpd_sig_elem elem; /* as declared (void *: VOID) */
    /* DIM: the product of these dimensions (bit d: op's dimension d) times dim_factor, divided by dim_divisor. */
    unsigned dim_mask;
    int64_t dim_factor, dim_divisor;
    double
        value; /* SCALAR that the operator does not draw itself: what to pass; valid where fixed */
    bool fixed;
    bool
        starts_zero; /* OUT: it must hold zeros before the call, which the function reads (C of BLAS with beta 0) */
    bool is_null; /* pointer: pass NULL (an optional tensor that stays out) */
    char *
        workspace_bytes; /* owned; WORKSPACE: formula over the operator's dimension names; NULL: default size */
};

struct cmpd_bind_launch {
    char *grid[3], *block[3],
        *shared; /* owned; formulas over the entry's parameter names and the op's dimensions */
    bool
        assumed; /* nobody wrote it down: what fails under it is REVIEW at most (cmpd_binding.assumed says so too) */
};

struct cmpd_binding {
    enum cmpd_bind_task task;
    enum cmpd_tag tag; /* NONE: no_entry, entry_not_found, no_reference */
    enum cmpd_tier tier;
    char *message, *hint; /* owned; NONE: always set; else NULL */
    /*
     * Owned; NULL: all was told. Else a clause that says what was taken by order alone, or by a convention: what then
     * fails may be the reading's fault and is REVIEW at most (no_entry, with args_hint); what passes has confirmed it.
     */
    char *assumed;
    char *
        args_hint; /* owned; the line for cmpd.json that would settle it; NULL with task NONE or MAIN */
    uint32_t line; /* of the function, for findings; 0: none */

    const struct cmpd_sig_func *func; /* borrowed from the request's signatures */
    char *symbol;                     /* owned; mangled; NULL: needs_shim */
    char *display;                    /* owned; "ns::launch<float>" */
    char *targs;                      /* owned; template arguments; NULL: no template */
    bool
        needs_shim; /* the object holds no such symbol: compile cmpd_bind_shim() and call CMPD_BIND_SHIM_SYMBOL */

    enum cmpd_dtype dtype;
    struct cmpd_bind_param params[CMPD_SIG_PARAMS_CEILING];
    size_t param_count;
    struct cmpd_bind_param
        ret; /* role OUT: the result is the operator's (one) element; else SCALAR, arg -1 */

    /* Dimensions that must be equal share a class (a square matmul); the class is the lowest index in it. */
    unsigned dim_class[CMPD_REF_DIMS_CEILING];
    int64_t dim_fixed[CMPD_REF_DIMS_CEILING]; /* > 0: the dimension can have no other value */
    bool dim_free
        [CMPD_REF_DIMS_CEILING]; /* no parameter tells it: only the policy's cases may set it */
    bool arg_bound
        [CMPD_REF_ARGS_CEILING]; /* false: an optional argument that has its default value */

    struct cmpd_bind_launch launch; /* KERNEL */
};

struct cmpd_bind_request {
    const struct cmpd_signatures *sigs;
    const char *file;                  /* for messages and the shim: relative to the root */
    const char *entry;                 /* NULL: to be found */
    bool entry_required;               /* policy or --entry names it: absent is a REJECT */
    const struct cmpd_strings *args;   /* may be NULL or empty */
    const struct cmpd_ref_op *op;      /* NULL: none is known */
    const char *dtype;                 /* of the policy, NULL: by the signature */
    const char *grid, *block, *shared; /* policy's launch, NULL each: none */
    bool has_cases; /* the policy gives shapes, so dimensions need no parameter */
    /* Function symbols that the linked object defines, mangled (static ones too). NULL: not known: trust the text. */
    const char *const *symbols;
    size_t symbol_count;
    const char *const
        *kernels; /* entry functions in the object's device code, mangled; NULL: not known */
    size_t kernel_count;
};

/* Never fails: what can't be bound is task NONE. The request's signatures must outlive the binding. Clear it. */
void cmpd_bind(const struct cmpd_bind_request *q, struct cmpd_binding *out);
void cmpd_binding_clear(struct cmpd_binding *b);

#define CMPD_BIND_SHIM_SYMBOL "cmpd_shim_entry"
/*
 * Text of a .cu file that includes `include_path` and defines extern "C" CMPD_BIND_SHIM_SYMBOL with the entry's
 * parameters, calling it. Kernels: it only instantiates the template.
 */
void cmpd_bind_shim(const struct cmpd_binding *b, const char *include_path, struct cmpd_buf *out);

/* KERNEL whose shim was compiled: its symbol is sought among that object's entry functions. False: not there. */
bool cmpd_bind_kernel_symbol(struct cmpd_binding *b, const char *const *kernels, size_t count);

/* Makes a case's dimensions fit (equal classes, fixed values). False: they can't (then leave the case out). */
bool cmpd_bind_fit(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                   struct cmpd_dims *dims);
/* The value of a DIM parameter. */
int64_t cmpd_bind_dim(const struct cmpd_bind_param *p, const struct cmpd_ref_op *op,
                      const struct cmpd_dims *dims);
/* Grid, block and dynamic shared memory of a KERNEL task. CMPD_EINPUT: the formula has no value (message says why). */
cmpd_rc cmpd_bind_launch_eval(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                              const struct cmpd_dims *dims, uint32_t grid[3], uint32_t block[3],
                              uint32_t *shared_bytes, struct cmpd_err *err);
/* "args": ["in:a", ...] as it would stand in cmpd.json. */
void cmpd_bind_args_text(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                         struct cmpd_buf *out);

#endif
