/* What the files of this folder share. Private to it. */
#ifndef CMPD_ANALYSIS_SIGNATURE_SIG_H
#define CMPD_ANALYSIS_SIGNATURE_SIG_H

#include "analysis/base/buf.h"
#include "analysis/ir/ir.h"
#include "analysis/signature/signature.h"

/* One building under way: which function of the module became which of the result. */
struct sig_build {
    const struct ir_module *module;
    struct cmpd_signatures *out;
    uint32_t *index; /* by ir_func.index; UINT32_MAX: not listed */
};

/* The listed function behind one of the module's (its definition), UINT32_MAX: none. */
uint32_t sig_index_of(const struct sig_build *b, const struct ir_func *f);

/* ---- sig_type.c ---- */

void sig_type_text(const struct ir_type *t, struct cmpd_buf *out);
void sig_param_type(const struct ir_type *t, struct cmpd_sig_param *p);
void sig_targs_text(const struct ir_targ *targs, size_t count, struct cmpd_buf *out);

/* ---- sig_instance.c: which template arguments the file uses ---- */

void sig_find_instances(struct sig_build *b);

/* ---- sig_evidence.c: what becomes of each pointer ---- */

void sig_find_evidence(struct sig_build *b);

/* ---- sig_launch.c: launches and their formulas ---- */

void sig_find_launches(struct sig_build *b);

/* ---- sig_formula.c ---- */

/* What an expression is evaluated in: the parameters of a function that was followed into stand for arguments. */
struct sig_env {
    const struct ir_func *func;
    const struct ir_expr *const *args;
    size_t arg_count;
    const struct sig_env *outer;
};
/*
 * Component 0..2 of a grid or block expression over the kernel's parameter names; `args`: what the launch hands to
 * them. NULL: it can't be followed. Owned.
 */
char *sig_formula(const struct ir_expr *x, unsigned component, const struct ir_func *kernel,
                  const struct ir_expr *const *args, size_t arg_count, const struct ir_func *host);

#endif
