/*
 * What a file offers to call: its host functions and kernels with names, parameters, and what the file does with each
 * pointer. Made from the lowered unit (analysis/ir); the runner's binding (gpu-runner/entry) reads it out of the job.
 *
 * It says what the text says. Whether a symbol reached the object is for the object's symbol table to tell.
 */
#ifndef CMPD_ANALYSIS_SIGNATURE_SIGNATURE_H
#define CMPD_ANALYSIS_SIGNATURE_SIGNATURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

struct ir_module;
struct cmpd_source;

#define CMPD_SIG_FUNCS_CEILING     400
#define CMPD_SIG_PARAMS_CEILING    64
#define CMPD_SIG_LAUNCHES_CEILING  400
#define CMPD_SIG_INSTANCES_CEILING 32
#define CMPD_SIG_POINTERS_CEILING  8   /* deeper ones are of no known type */
#define CMPD_SIG_TPARAM_CEILING    200 /* index of a template parameter */
#define CMPD_SIG_TEXT_CEILING \
    600 /* bytes of one name, type or expression; longer: left out or cut */

/* What one element is, once pointers, references and const are taken away. */
enum cmpd_sig_elem {
    CMPD_SIG_UNKNOWN, /* a name that the file does not explain (Tensor, std::vector<float>, ...) */
    CMPD_SIG_VOID,
    CMPD_SIG_BOOL,
    CMPD_SIG_I8,
    CMPD_SIG_U8,
    CMPD_SIG_I16,
    CMPD_SIG_U16,
    CMPD_SIG_I32,
    CMPD_SIG_U32,
    CMPD_SIG_I64,
    CMPD_SIG_U64,
    CMPD_SIG_F16,
    CMPD_SIG_BF16,
    CMPD_SIG_F32,
    CMPD_SIG_F64,
    CMPD_SIG_STREAM, /* cudaStream_t */
    CMPD_SIG_STATUS, /* cudaError_t */
    CMPD_SIG_TPARAM, /* a type parameter of the function's own template: tparam */
    CMPD_SIG_STRUCT, /* any other class, union or CUDA handle: by value it can't be bound */
    CMPD_SIG_ELEM_COUNT
};
const char *cmpd_sig_elem_name(enum cmpd_sig_elem e); /* "f32", "stream", ... */
bool cmpd_sig_elem_find(const char *name, enum cmpd_sig_elem *out);
unsigned cmpd_sig_elem_size(enum cmpd_sig_elem e); /* bytes; 0: not known */

/* What the file does with a pointer parameter; bits. Calls inside the file are followed. */
enum cmpd_sig_evidence {
    CMPD_SIG_TO_KERNEL = 1 << 0,       /* handed to a launch: a device pointer */
    CMPD_SIG_COPY_HOST_IN = 1 << 1,    /* source of a copy host to device */
    CMPD_SIG_COPY_HOST_OUT = 1 << 2,   /* destination of a copy device to host */
    CMPD_SIG_COPY_DEVICE_IN = 1 << 3,  /* source of a copy from the device */
    CMPD_SIG_COPY_DEVICE_OUT = 1 << 4, /* destination of a copy to the device, or of cudaMemset */
    CMPD_SIG_COPY_ANY_IN = 1 << 5,     /* source of a copy of unknown direction */
    CMPD_SIG_COPY_ANY_OUT = 1 << 6,    /* destination of one */
    CMPD_SIG_HOST_READ = 1 << 7,       /* dereferenced by host code */
    CMPD_SIG_HOST_WRITE = 1 << 8,
    CMPD_SIG_FREED = 1 << 9,    /* cudaFree, free */
    CMPD_SIG_LOADED = 1 << 10,  /* device code reads through it */
    CMPD_SIG_STORED = 1 << 11,  /* device code writes (or counts atomically) through it */
    CMPD_SIG_ESCAPES = 1 << 12, /* handed to code that this file does not hold */
    /* A number: a kernel compares something with it (a bounds guard, a loop's end); and with which axis' index. */
    CMPD_SIG_COMPARED = 1 << 13,
    CMPD_SIG_AXIS_X = 1 << 14,
    CMPD_SIG_AXIS_Y = 1 << 15,
    CMPD_SIG_AXIS_Z = 1 << 16,
};

struct cmpd_sig_param {
    char *name; /* owned; "" where it has none */
    char *type; /* owned; with typedefs, macros and using resolved where the file tells */
    enum cmpd_sig_elem elem;
    unsigned vector;   /* float4: 4; else 1 */
    unsigned pointers; /* 0: by value */
    int tparam;        /* TPARAM: index into tparams; else -1 */
    bool is_const;     /* the element is */
    bool is_reference;
    bool is_pack;
    bool has_default;
    double default_value; /* valid where default_known */
    bool default_known;
    unsigned evidence; /* enum cmpd_sig_evidence */
};

struct cmpd_sig_tparam {
    char *name;          /* owned */
    char *default_value; /* owned, may be NULL */
    bool is_type, is_pack;
};

/* Blocks are multiplied by a number of threads: the grid counts elements, not rows. */
#define CMPD_SIG_GLOBAL_INDEX 8u

enum cmpd_sig_kind { CMPD_SIG_HOST, CMPD_SIG_KERNEL };

struct cmpd_sig_func {
    char *name;  /* owned; "launch" */
    char *scope; /* owned; "ns::Class" or "" */
    enum cmpd_sig_kind kind;
    struct cmpd_sig_param ret; /* its name is "" */
    struct cmpd_sig_param *params;
    size_t param_count, param_cap;
    struct cmpd_sig_tparam *tparams;
    size_t tparam_count, tparam_cap;
    /* Template arguments that the file instantiates or launches it with, as written: "float, 4". Owned. */
    char **instances;
    size_t instance_count, instance_cap;
    uint32_t line; /* 1-based, of its name */
    bool is_extern_c, is_static, is_inline, is_method, is_variadic;
    bool is_local;    /* inside an unnamed namespace */
    bool is_launcher; /* host: it launches a kernel of the file, itself or by what it calls */
    bool
        calls_library; /* host: it calls something that the file does not hold and the runtime API does not either */
    bool is_called; /* host: another host function of the file calls it */
    /* Kernels: what of the launch they use; bit 0 x, 1 y, 2 z; of uses_block CMPD_SIG_GLOBAL_INDEX too. */
    unsigned uses_thread, uses_block;
    uint32_t max_threads; /* of __launch_bounds__; 0: not given or not a number */
    /* Kernels: blockIdx.x * 32 + threadIdx.x stands in the code: a block has 32 threads along x. 0: it does not. */
    uint32_t index_threads[3];
    uint32_t index_tparam
        [3]; /* the same where a template parameter stands for the number: its index plus 1 */
    bool dynamic_shared; /* kernels: extern __shared__ */
    uint32_t
        shared_extent; /* kernels: elements of the largest __shared__ array of one dimension; 1: others alone; 0: none */
};

/*
 * One launch in the file. grid, block and shared are formulas over the KERNEL's parameter names (see formula.h), made
 * from the expressions by following locals, constants and small functions of the file; NULL where one can't be followed.
 */
struct cmpd_sig_launch {
    uint32_t func;   /* index of the host function it stands in; UINT32_MAX: none that is listed */
    uint32_t kernel; /* index */
    uint32_t line;
    char *grid[3], *block[3], *shared; /* owned */
    char *stream;                      /* owned; text; NULL: the default stream */
    char *targs;                       /* owned; "float, 256"; NULL: none written */
};

struct cmpd_signatures {
    struct cmpd_sig_func *funcs; /* defined in the file itself; in order */
    size_t func_count, func_cap;
    struct cmpd_sig_launch *launches;
    size_t launch_count, launch_cap;
    bool has_main;
    bool cut; /* a ceiling was reached, or the file could not be read to its end */
};

/* Never fails on odd input: what it can't tell is UNKNOWN or left out. Clear it. */
void cmpd_signatures_build(const struct ir_module *module, struct cmpd_signatures *out);
void cmpd_signatures_clear(struct cmpd_signatures *s);

/*
 * From a source file alone: lexes, expands, parses, lowers. `defines` as NAME or NAME=VALUE (may be NULL).
 * CMPD_ELIMIT: nested too deeply.
 */
struct cmpd_nvcc;
cmpd_rc cmpd_signatures_of_source(const struct cmpd_source *src, const struct cmpd_nvcc *nvcc,
                                  struct cmpd_signatures *out, struct cmpd_err *err);

/* As they stand in a job. Never NULL; new reference. */
json_t *cmpd_signatures_json(const struct cmpd_signatures *s);
/* CMPD_EINPUT: a wrong key, type or value (message names it). *out is written on success; clear it. */
cmpd_rc cmpd_signatures_read(const json_t *o, struct cmpd_signatures *out, struct cmpd_err *err);

/* "ns::launch" */
char *cmpd_sig_qualified(const struct cmpd_sig_func *f); /* owned by the caller */
/* "void launch(const float *x, float *y, int n)", for messages. */
char *cmpd_sig_text(const struct cmpd_sig_func *f); /* owned by the caller */

#endif
