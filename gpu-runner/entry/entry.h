/* What the files of this folder share. Private to it. */
#ifndef CMPD_GPU_RUNNER_ENTRY_ENTRY_H
#define CMPD_GPU_RUNNER_ENTRY_ENTRY_H

#include "gpu-runner/entry/bind.h"

/* A function under consideration; with one set of template arguments where it is a template. */
struct entry_candidate {
    const struct cmpd_sig_func *func;
    const char *targs; /* borrowed; NULL: none, or not known yet */
};

/* ---- names.c ---- */

/* The n-th of "float, 256"; NULL: there are not that many. Owned. */
char *entry_targ(const char *targs, size_t n);
/* What a type's name means: "float" is F32; false: not one of those that can be passed. */
bool entry_elem_of_name(const char *name, enum cmpd_sig_elem *elem, unsigned *vector);
/* The parameter with the template's arguments put in; text is not changed. */
struct cmpd_sig_param entry_instantiate(const struct cmpd_sig_param *p, const char *targs);
/* How C++ writes its type: "const float *"; of a reference that of what it refers to. False: it can't be written. */
bool entry_type_text(const struct cmpd_sig_param *p, struct cmpd_buf *out);
/* The dtype of an element; false: no tensor has it. */
bool entry_dtype_of(enum cmpd_sig_elem e, enum cmpd_dtype *out);
/* Does a function's name speak of the operator? 0: no; the higher, the clearer. */
unsigned entry_name_score(const struct cmpd_sig_func *f, const struct cmpd_ref_op *op);

/* ---- symbol.c ---- */

/* Sets symbol, targs, needs_shim by what the object holds. */
void entry_find_symbol(const struct cmpd_bind_request *q, struct cmpd_binding *b);
/* Template arguments with which the object or the file has it, the first that fits the wanted dtype; NULL: none. Owned. */
char *entry_find_targs(const struct cmpd_bind_request *q, const struct cmpd_sig_func *f);

/* ---- dims.c ---- */

/* Sets of dimensions, bit d: the operator's dimension d. */
unsigned entry_dims_needed(const struct cmpd_ref_op *op, const struct cmpd_binding *b);
unsigned entry_dims_closure(const struct cmpd_ref_op *op, unsigned known);
/* The argument that is dimension d. */
size_t entry_dim_arg(const struct cmpd_ref_op *op, int d);
size_t entry_dim_count(const struct cmpd_ref_op *op);
/* Dimension d is a product of others. */
bool entry_dim_is_product(const struct cmpd_ref_op *op, int d);
/* Which dimensions no parameter tells: fixed, equal to others, free. False: *b says what is missing. */
bool entry_settle_dims(const struct cmpd_bind_request *q, struct cmpd_binding *b);

/* ---- params.c, policy.c ---- */

/* Starts b->params from the signature: how each is passed. False: one can't be passed (*b says which). */
bool entry_pass_params(const struct cmpd_bind_request *q, struct cmpd_binding *b);
/* Roles by names and types. False: *b says what is missing. */
bool entry_bind_by_names(const struct cmpd_bind_request *q, struct cmpd_binding *b);
/* Roles by the policy's list. False: *b says what is wrong. */
bool entry_bind_by_policy(const struct cmpd_bind_request *q, struct cmpd_binding *b);
/* The call's dtype from its tensors. */
bool entry_settle_dtype(const struct cmpd_bind_request *q, struct cmpd_binding *b);

/* Task NONE with no_entry and a message; the hint shows the line for cmpd.json. Returns false. */
bool entry_refuse(const struct cmpd_bind_request *q, struct cmpd_binding *b, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a clause to b->assumed. */
void entry_assume(struct cmpd_binding *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- launch.c ---- */

void entry_find_launch(const struct cmpd_bind_request *q, struct cmpd_binding *b);

#endif
