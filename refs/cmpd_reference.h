/*
 * An operator of your own, in C. Write one file that includes this header and defines `cmpd_reference`; name it in
 * cmpd.json: {"path": "kernels/scale_shift.cu", "op": "scale_shift", "reference": {"file": "refs/scale_shift.c"}}.
 * examples/scale_shift.c is one. The file is compiled with cc (C11) and linked with libm alone; it runs in a process of
 * its own, without network, and may not rely on anything but its arguments.
 *
 * Tensors are row-major. Their values come as double, already rounded to the dtype of the kernel, and go back as double.
 */
#ifndef CMPD_REFERENCE_H
#define CMPD_REFERENCE_H

#include <stddef.h>

#define CMPD_REFERENCE_VERSION 1

struct cmpd_reference_arg {
    const char *role;  /* "in", "out", "inout", "dim", "scalar" */
    const char *name;  /* letters, digits, underscores */
    const char *shape; /* tensors: names of dimensions, "rows,cols"; NULL: one element */
    const char
        *aliases; /* other names that a kernel's parameter may have: "input,src"; may be NULL */
    const char *dtype; /* tensors: NULL: the dtype under test; else its own: "i32" */
    /*
     * in, inout, scalar: what it is filled with. "mixed" (both signs, 2^-10 to 2^5; tensors have it by default),
     * "positive", "-1:1" (a range), "below:rows" (whole numbers from 0, less than a dimension). A scalar without it
     * always has default_value.
     */
    const char *values;
    double default_value; /* scalar */
};

struct cmpd_reference_case {
    const char *name;   /* one word */
    long long dims[6];  /* in the order of the "dim" arguments */
    const char *inputs; /* "mixed", "small", "large", "zeros"; NULL: mixed */
    const char *size;   /* "tiny", "small", "medium", "large" (a GPU's only); NULL: tiny */
};

struct cmpd_reference_call {
    const long long *dims;   /* in the order of the "dim" arguments */
    const double *const *in; /* by argument: the values of an in or inout tensor; else NULL */
    const double *scalars;   /* by argument: the value of a scalar */
    const char *dtype;       /* under test: "f32" */
};

struct cmpd_reference {
    int version; /* CMPD_REFERENCE_VERSION */
    const char *name;
    const char *summary; /* one line, may be NULL */
    const char *dtypes;  /* "f32,f16"; NULL: f32 */
    const struct cmpd_reference_arg *args;
    size_t arg_count;
    const struct cmpd_reference_case *cases; /* none: shapes of ours, for one to three dimensions */
    size_t case_count;
    /* How far a kernel may be off, for f32 alone: atol + rtol * |expected|; both 0: 1e-5 and 1e-4. */
    double atol, rtol;
    /* out[i]: for each out and inout argument i, as many doubles as it has elements; else NULL. */
    void (*compute)(const struct cmpd_reference_call *call, double *const out[]);
};

extern const struct cmpd_reference cmpd_reference;

#endif
