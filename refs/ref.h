/*
 * An operator: what a kernel is compared with. One file an operator (relu.c, softmax.c, ...), one row in refs.def.
 * References compute in double from the very values that the kernel gets (already rounded to its dtype).
 *
 * Tensors are dense, row-major, of one dtype an operator call; dimensions have names ("n", "rows", "cols", "m", "k").
 */
#ifndef CMPD_REFS_REF_H
#define CMPD_REFS_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

#define CMPD_REF_ARGS_CEILING 12
#define CMPD_REF_DIMS_CEILING 6
#define CMPD_REF_RANK_CEILING 4

enum cmpd_dtype {
    CMPD_F32,
    CMPD_F64,
    CMPD_F16,
    CMPD_BF16,
    CMPD_I8,
    CMPD_U8,
    CMPD_I32,
    CMPD_U32,
    CMPD_I64,
    CMPD_U64,
    CMPD_DTYPE_COUNT
};
const char *cmpd_dtype_name(enum cmpd_dtype t); /* "f32" */
bool cmpd_dtype_parse(const char *name,
                      enum cmpd_dtype *out); /* "f32", "float32", "float", "half", ... */
unsigned cmpd_dtype_size(enum cmpd_dtype t);

enum cmpd_role {
    CMPD_ROLE_IN,
    CMPD_ROLE_OUT,
    CMPD_ROLE_INOUT,
    CMPD_ROLE_DIM,
    CMPD_ROLE_SCALAR,
    CMPD_ROLE_STREAM,
    CMPD_ROLE_WORKSPACE,
};

struct cmpd_ref_arg {
    const char *name;    /* "x", "rows", "eps" */
    enum cmpd_role role; /* IN, OUT, INOUT, DIM, SCALAR */
    const char *aliases; /* other names that parameters carry, space-separated: "in input a src" */
    /*
     * Tensors: dimension names, space-separated: "rows cols"; NULL: one element.
     * A dimension: NULL, or the dimensions of which it is the product ("n" of an elementwise operator may come as
     * rows times cols, "total" of a row-wise one beside rows and cols). Cases hold all of them filled in; where only
     * some are known (a policy's case), cmpd_ref_dims_complete works the others out.
     */
    const char *shape;
    /*
     * A launcher may do without it; then default_value counts: cmpd_ref_call_default. Without an optional dimension
     * that is no product only those cases count in which it equals default_value (negative: all; 0: it has to follow
     * from others).
     */
    bool optional;
    double default_value; /* SCALAR, DIM, or every element of an optional tensor */
    int fixed_dtype; /* enum cmpd_dtype, -1: the call's dtype (an index or count tensor has its own) */
    /*
     * OUT: a kernel that comes without a launcher may count on its caller having put `identity` there (it adds to it
     * by atomics). A launcher has to do that itself.
     */
    bool accumulates;
    double identity;
};

struct cmpd_dims {
    int64_t value[CMPD_REF_DIMS_CEILING]; /* in the order of the operator's DIM arguments */
};

struct cmpd_tensor {
    void *data; /* owned by whoever made the call record; dense */
    size_t count;
    enum cmpd_dtype dtype;
};

/* One call of the operator: tensors and scalars by the index of their argument. */
struct cmpd_ref_call {
    const struct cmpd_ref_op *op;
    struct cmpd_dims dims;
    enum cmpd_dtype dtype;
    struct cmpd_tensor
        tensors[CMPD_REF_ARGS_CEILING]; /* IN, INOUT: filled; OUT: what the kernel wrote */
    double scalars[CMPD_REF_ARGS_CEILING];
    unsigned
        approximations; /* CMPD_APPROX_*: what the kernel's code uses; tolerances depend on it */
};

/* tanh.approx (__tanhf, -use_fast_math): within 2^-11 of the value, as coarse as half. */
#define CMPD_APPROX_TANH 1u

struct cmpd_tolerance {
    double atol, rtol;
};

enum cmpd_case_size {
    CMPD_CASE_TINY,
    CMPD_CASE_SMALL,
    CMPD_CASE_MEDIUM,
    CMPD_CASE_LARGE /* a GPU's only */
};

struct cmpd_ref_case {
    const char *name; /* "n=31", "wide rows", "ties" */
    struct cmpd_dims dims;
    enum cmpd_case_size size;
    const char
        *inputs; /* named input set of the operator: "mixed" (default), "large", "ties", ... */
};

struct cmpd_ref_op {
    const char *name; /* "softmax" */
    const char
        *aliases; /* names by which files call it, space-separated: "soft_max rowwise_softmax" */
    const char *summary; /* one line, with the formula */
    const struct cmpd_ref_arg *args;
    size_t arg_count;
    const struct cmpd_ref_case *cases;
    size_t case_count;
    const enum cmpd_dtype *dtypes; /* that it is defined for */
    size_t dtype_count;

    /* MUST. Fills IN and INOUT tensors and SCALARs for a named input set, from a seed; same seed, same bytes. */
    void (*generate)(struct cmpd_ref_call *call, const char *inputs, uint64_t seed);
    /* MUST. expected[i]: for each OUT and INOUT argument i, `count` doubles (others NULL). Pure. */
    void (*compute)(const struct cmpd_ref_call *call, double *const expected[]);
    /* MUST. A second, independent formula (or stored vectors), for the tests of this folder only. */
    void (*verify)(const struct cmpd_ref_call *call, double *const expected[]);
    /* MAY be NULL. In place of compute for an operator outside this process, which can fail. */
    cmpd_rc (*compute_outside)(const struct cmpd_ref_call *call, double *const expected[],
                               struct cmpd_err *err);
    /* MAY be NULL: the defaults of CONTRACT (1e-5 and 1e-4; 1e-2 for half and bf16), widened by no analysis. */
    struct cmpd_tolerance (*tolerance)(const struct cmpd_ref_call *call, size_t arg);
    /* MAY be NULL. Dimensions for the case that is drawn at run time. */
    void (*draw)(struct cmpd_dims *dims, uint64_t seed);
};

/* NULL: none of that name or alias. */
const struct cmpd_ref_op *cmpd_ref_find(const char *name);
const struct cmpd_ref_op *cmpd_ref_at(size_t i); /* NULL: past the last */

/* The count of elements of argument i under these dimensions; 0 where the product overflows a ceiling. */
size_t cmpd_ref_count(const struct cmpd_ref_op *op, size_t arg, const struct cmpd_dims *dims);

/* All tensors allocated (zeroed) for op, dims, dtype. Clear it. */
cmpd_rc cmpd_ref_call_init(struct cmpd_ref_call *call, const struct cmpd_ref_op *op,
                           const struct cmpd_dims *dims, enum cmpd_dtype dtype,
                           struct cmpd_err *err);
void cmpd_ref_call_clear(struct cmpd_ref_call *call);

/* The index of a dimension argument's value in struct cmpd_dims; -1: argument i is no dimension. */
int cmpd_ref_dim_index(const struct cmpd_ref_op *op, size_t arg);

/*
 * Fills in dimensions that are 0 from those that are not: products from their factors, a factor from the product.
 * Of "n" alone the last factor is n and the others are 1. CMPD_EINPUT: one stays unknown, they contradict each other,
 * or one is negative; the message names it.
 */
cmpd_rc cmpd_ref_dims_complete(const struct cmpd_ref_op *op, struct cmpd_dims *dims,
                               struct cmpd_err *err);

/* Puts default_value into the scalar or every element of the tensor; for arguments that the launcher lacks. */
void cmpd_ref_call_default(struct cmpd_ref_call *call, size_t arg);

/* What callers use: op->compute or op->compute_outside. */
cmpd_rc cmpd_ref_compute(const struct cmpd_ref_call *call, double *const expected[],
                         struct cmpd_err *err);

/* The contract's: 1e-5 and 1e-4; 1e-2 both for half and bf16; 1e-10 and 1e-8 for double; integers are exact. */
struct cmpd_tolerance cmpd_ref_default_tolerance(enum cmpd_dtype dtype);
/* The operator's tolerance, else the contract's defaults; integers are exact. */
struct cmpd_tolerance cmpd_ref_tolerance(const struct cmpd_ref_call *call, size_t arg);

/*
 * The argument that a parameter of that name means; -1: none, or several by their aliases alone. Letter case and
 * underscores don't matter, nor do the habits d_x, h_x, x_d, x_ptr for pointers. *exact (may be NULL): it is the
 * argument's own name.
 */
int cmpd_ref_match_arg(const struct cmpd_ref_op *op, const char *param, bool *exact);
/* The same among tensors alone (pointers), or among dimensions and scalars alone. */
int cmpd_ref_match_param(const struct cmpd_ref_op *op, const char *param, bool pointer,
                         bool *exact);

/* As double; exact but for 64-bit integers beyond 2^53. */
double cmpd_tensor_get(const struct cmpd_tensor *t, size_t i);
/* Rounded to nearest even; integers are held within their range, NaN becomes 0 there. */
void cmpd_tensor_set(struct cmpd_tensor *t, size_t i, double v);

/* ---- comparing (refs/compare.c) ---- */

struct cmpd_comparison {
    bool ok;
    uint64_t wrong;                  /* elements beyond tolerance */
    uint64_t nonfinite;              /* NaN or Inf where the reference has none (or another one) */
    size_t first;                    /* index of the first wrong element, valid where !ok */
    double got, expected;            /* of that element */
    double max_abs_err, max_rel_err; /* over finite pairs */
};
/* !(|got - expected| <= atol + rtol * |expected|) is wrong; equal infinities are equal; NaN only where expected is. */
void cmpd_compare(const struct cmpd_tensor *got, const double *expected, struct cmpd_tolerance tol,
                  struct cmpd_comparison *out);

#endif
