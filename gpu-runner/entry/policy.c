/*
 * Roles by the policy's list, one a parameter:
 *   in:x  out:y  inout:x  dim:n  dim:rows*cols  dim:n/4  dim:1  scalar:eps=1e-5  stream  workspace:NAME
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/entry.h"

static bool wrong(const struct cmpd_bind_request *q, struct cmpd_binding *b, size_t i,
                  const char *why)
{
    return entry_refuse(q, b, "\"%s\" for parameter '%s' of %s: %s", q->args->items[i],
                        b->func->params[i].name, b->display, why);
}

static int exact_arg(const struct cmpd_ref_op *op, const char *name, bool pointer)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        bool number = op->args[i].role == CMPD_ROLE_DIM || op->args[i].role == CMPD_ROLE_SCALAR;
        if (strcmp(op->args[i].name, name) == 0 && number != pointer)
            return (int)i;
    }
    return cmpd_ref_match_param(op, name, pointer, NULL);
}

/* The output that an input of this shape is overwritten with; -1: none. */
static int output_like(const struct cmpd_ref_op *op, int in)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        const char *x = op->args[in].shape, *y = op->args[i].shape;
        if (op->args[i].role == CMPD_ROLE_OUT && ((!x && !y) || (x && y && strcmp(x, y) == 0)))
            return (int)i;
    }
    return -1;
}

static bool bind_tensor(const struct cmpd_bind_request *q, struct cmpd_binding *b, size_t i,
                        const char *name, enum cmpd_role role)
{
    struct cmpd_bind_param *p = &b->params[i];
    int arg = exact_arg(q->op, name, true);
    if (p->pass != CMPD_BIND_POINTER || p->elem == CMPD_SIG_STREAM)
        return wrong(q, b, i, "the parameter is no pointer");
    if (arg < 0)
        return wrong(q, b, i, "the operator has no such tensor");
    enum cmpd_role is = q->op->args[arg].role;
    p->role = is;
    p->arg = arg;
    b->arg_bound[arg] = true;
    if (role == is)
        return true;
    if (role != CMPD_ROLE_INOUT)
        return wrong(q, b, i, "the operator's tensor has another direction");
    if (is == CMPD_ROLE_OUT) { /* named by the output: the input of its shape */
        int in = -1;
        for (size_t k = 0; k < q->op->arg_count && in < 0; k++) {
            if (q->op->args[k].role == CMPD_ROLE_IN && output_like(q->op, (int)k) == arg)
                in = (int)k;
        }
        p->arg = in;
        p->out_arg = arg;
    } else {
        p->out_arg = output_like(q->op, arg);
    }
    if (p->arg < 0 || p->out_arg < 0)
        return wrong(q, b, i, "the operator has no input and output of one shape");
    p->role = CMPD_ROLE_INOUT;
    b->arg_bound[p->arg] = b->arg_bound[p->out_arg] = true;
    return true;
}

/* rows*cols, n/4, 1 */
static bool bind_dim(const struct cmpd_bind_request *q, struct cmpd_binding *b, size_t i,
                     const char *text)
{
    struct cmpd_bind_param *p = &b->params[i];
    bool divide = false;
    if (p->pass == CMPD_BIND_POINTER && !p->by_reference)
        return wrong(q, b, i, "the parameter is a pointer");
    p->role = CMPD_ROLE_DIM;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "*/");
        char word[64];
        if (n == 0 || n >= sizeof word)
            return wrong(q, b, i, "a name or a number is missing");
        memcpy(word, at, n);
        word[n] = '\0';
        char *end;
        long long number = strtoll(word, &end, 10);
        int arg = exact_arg(q->op, word, false);
        int d = arg >= 0 ? cmpd_ref_dim_index(q->op, (size_t)arg) : -1;
        if (!*end && number > 0 && number < 1 << 20 && p->dim_factor < 1 << 20 &&
            p->dim_divisor < 1 << 20)
            *(divide ? &p->dim_divisor : &p->dim_factor) *= number;
        else if (d >= 0 && !divide)
            p->dim_mask |= 1u << d;
        else
            return wrong(q, b, i, "the operator has no such dimension");
        if (d >= 0)
            b->arg_bound[arg] = true;
        divide = at[n] == '/';
        at += n + (at[n] != '\0');
    }
    return true;
}

static bool bind_scalar(const struct cmpd_bind_request *q, struct cmpd_binding *b, size_t i,
                        const char *text)
{
    struct cmpd_bind_param *p = &b->params[i];
    size_t n = strcspn(text, "=");
    CMPD_AUTOFREE char *name = cmpd_strndup(text, n);
    int arg = exact_arg(q->op, name, false);
    if (p->pass == CMPD_BIND_POINTER)
        return wrong(q, b, i, "the parameter is a pointer");
    p->role = CMPD_ROLE_SCALAR;
    if (arg >= 0 && q->op->args[arg].role == CMPD_ROLE_SCALAR) {
        p->arg = arg;
        b->arg_bound[arg] = true;
    }
    if (text[n] != '=')
        return p->arg >= 0 ||
               wrong(q, b, i, "the operator has no such scalar, so it needs a value");
    char *end;
    p->value = strtod(text + n + 1, &end);
    p->fixed = true;
    if (*end || !isfinite(p->value))
        return wrong(q, b, i, "the value is no number");
    return true;
}

static bool bind_workspace(const struct cmpd_bind_request *q, struct cmpd_binding *b, size_t i,
                           const char *text)
{
    struct cmpd_bind_param *p = &b->params[i];
    if (p->pass != CMPD_BIND_POINTER)
        return wrong(q, b, i, "the parameter is no pointer");
    p->role = CMPD_ROLE_WORKSPACE;
    /* A formula of the dimensions gives its bytes; a mere name nothing. */
    if (text[strcspn(text, "*+-/(0123456789")])
        p->workspace_bytes = cmpd_strdup(text);
    return true;
}

static bool bind_one(const struct cmpd_bind_request *q, struct cmpd_binding *b, size_t i)
{
    const char *role = q->args->items[i];
    if (strcmp(role, "stream") == 0) {
        b->params[i].role = CMPD_ROLE_STREAM;
        return b->params[i].elem == CMPD_SIG_STREAM ||
               wrong(q, b, i, "the parameter is no cudaStream_t");
    }
    if (strncmp(role, "in:", 3) == 0)
        return bind_tensor(q, b, i, role + 3, CMPD_ROLE_IN);
    if (strncmp(role, "out:", 4) == 0)
        return bind_tensor(q, b, i, role + 4, CMPD_ROLE_OUT);
    if (strncmp(role, "inout:", 6) == 0)
        return bind_tensor(q, b, i, role + 6, CMPD_ROLE_INOUT);
    if (strncmp(role, "dim:", 4) == 0)
        return bind_dim(q, b, i, role + 4);
    if (strncmp(role, "scalar:", 7) == 0)
        return bind_scalar(q, b, i, role + 7);
    if (strncmp(role, "workspace:", 10) == 0)
        return bind_workspace(q, b, i, role + 10);
    return wrong(q, b, i, "it is no role");
}

bool entry_bind_by_policy(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    if (q->args->count != b->param_count)
        return entry_refuse(q, b, "\"args\" names %zu roles, but %s has %zu parameters",
                            q->args->count, b->display, b->param_count);
    for (size_t i = 0; i < b->param_count; i++) {
        if (!bind_one(q, b, i))
            return false;
    }
    for (size_t a = 0; a < q->op->arg_count; a++) {
        const struct cmpd_ref_arg *arg = &q->op->args[a];
        bool tensor = arg->role == CMPD_ROLE_IN || arg->role == CMPD_ROLE_OUT ||
                      arg->role == CMPD_ROLE_INOUT;
        if (tensor && !b->arg_bound[a] && !arg->optional && arg->role == CMPD_ROLE_OUT &&
            !arg->shape && entry_dtype_of(b->ret.elem, &b->ret.dtype)) {
            b->ret.role = CMPD_ROLE_OUT;
            b->ret.arg = (int)a;
            b->arg_bound[a] = true;
        } else if (tensor && !b->arg_bound[a] && !arg->optional) {
            return entry_refuse(q, b, "\"args\" lacks '%s' of operator %s", arg->name, q->op->name);
        }
    }
    return true;
}
