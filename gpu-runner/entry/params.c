/*
 * Roles by names and types. Names come first; what they leave open is filled in by order where the numbers agree, and
 * then marked as assumed: a passing comparison confirms it, a failing one proves nothing.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/params.h"

/* What is known of one parameter while roles are handed out. */
enum direction { EITHER, READS, WRITES, BOTH };

/* ---- how each is passed ---- */

static enum cmpd_bind_side side_of(const struct cmpd_sig_param *p, enum cmpd_sig_kind kind)
{
    unsigned device = CMPD_SIG_TO_KERNEL | CMPD_SIG_COPY_DEVICE_IN | CMPD_SIG_COPY_DEVICE_OUT;
    unsigned host = CMPD_SIG_COPY_HOST_IN | CMPD_SIG_COPY_HOST_OUT | CMPD_SIG_HOST_READ |
                    CMPD_SIG_HOST_WRITE;
    if (kind == CMPD_SIG_KERNEL)
        return CMPD_BIND_DEVICE;
    bool on_device = p->evidence & device, on_host = p->evidence & host;
    if (on_device == on_host)
        return CMPD_BIND_UNKNOWN_SIDE;
    return on_device ? CMPD_BIND_DEVICE : CMPD_BIND_HOST;
}

static bool pass_value(const struct cmpd_sig_param *p, struct cmpd_bind_param *out)
{
    out->size_bytes = cmpd_sig_elem_size(p->elem);
    if (p->pointers) {
        out->pass = CMPD_BIND_POINTER;
        out->size_bytes = 8;
        return p->pointers == 1 && !p->is_reference && p->elem != CMPD_SIG_UNKNOWN &&
               p->elem != CMPD_SIG_STRUCT && p->elem != CMPD_SIG_TPARAM;
    }
    out->by_reference = p->is_reference;
    if (p->vector > 1)
        return false;
    switch (p->elem) {
    case CMPD_SIG_I8:
    case CMPD_SIG_I16:
    case CMPD_SIG_I32:
    case CMPD_SIG_I64:
    case CMPD_SIG_STATUS:
        out->pass = CMPD_BIND_SIGNED;
        return true;
    case CMPD_SIG_BOOL:
    case CMPD_SIG_U8:
    case CMPD_SIG_U16:
    case CMPD_SIG_U32:
    case CMPD_SIG_U64:
        out->pass = CMPD_BIND_UNSIGNED;
        return true;
    case CMPD_SIG_F32:
    case CMPD_SIG_F64:
        out->pass = CMPD_BIND_FLOAT;
        return true;
    case CMPD_SIG_F16:
    case CMPD_SIG_BF16:
        out->pass = CMPD_BIND_HALF;
        return true;
    case CMPD_SIG_STREAM:
        out->pass = CMPD_BIND_POINTER;
        return !p->is_reference;
    case CMPD_SIG_VOID:
        out->pass = CMPD_BIND_VOID;
        return true;
    default:
        return false;
    }
}

static void start_param(struct cmpd_bind_param *out)
{
    memset(out, 0, sizeof *out);
    out->role = CMPD_ROLE_SCALAR;
    out->arg = out->out_arg = UNBOUND;
    out->dim_factor = out->dim_divisor = 1;
}

/*
 * Nobody hands over host memory to read and device memory to fill: where only the direction of a copy says that an
 * output is the device's, it may be the direction that is wrong.
 */
static void doubt_directions(const struct cmpd_sig_func *f, struct cmpd_binding *b)
{
    bool host = false;
    for (size_t i = 0; i < f->param_count; i++)
        host |= b->params[i].side == CMPD_BIND_HOST &&
                (f->params[i].evidence & CMPD_SIG_COPY_HOST_IN);
    for (size_t i = 0; host && i < f->param_count; i++) {
        if (b->params[i].side == CMPD_BIND_DEVICE &&
            !(f->params[i].evidence & (CMPD_SIG_TO_KERNEL | CMPD_SIG_COPY_DEVICE_IN)))
            b->params[i].side = CMPD_BIND_UNKNOWN_SIDE;
    }
}

bool entry_pass_params(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    const struct cmpd_sig_func *f = b->func;
    b->param_count = f->param_count;
    for (size_t i = 0; i < f->param_count; i++) {
        struct cmpd_sig_param p = entry_instantiate(&f->params[i], b->targs);
        start_param(&b->params[i]);
        b->params[i].elem = p.elem;
        b->params[i].side = p.pointers ? side_of(&p, f->kind) : CMPD_BIND_UNKNOWN_SIDE;
        if (!p.is_pack && pass_value(&p, &b->params[i]))
            continue;
        CMPD_AUTOFREE char *text = cmpd_sig_text(f);
        return entry_refuse(
            q, b,
            "%.300s: the parameter '%s' of type %s can't be passed from outside; add "
            "an extern \"C\" function with plain pointers and numbers that calls it, "
            "and name that as the entry",
            text, p.name, f->params[i].type);
    }
    doubt_directions(f, b);
    struct cmpd_sig_param ret = entry_instantiate(&f->ret, b->targs);
    start_param(&b->ret);
    b->ret.elem = ret.elem;
    if (!pass_value(&ret, &b->ret) || ret.is_reference)
        return entry_refuse(q, b,
                            "%s returns %s, which can't be taken over; let it write to a pointer",
                            b->display, f->ret.type);
    return true;
}

/* ---- tensors ---- */

bool entry_is_tensor_role(enum cmpd_role r)
{
    return r == CMPD_ROLE_IN || r == CMPD_ROLE_OUT || r == CMPD_ROLE_INOUT;
}

bool entry_is_pointer(const struct entry_state *s, size_t i)
{
    return s->params[i].pointers == 1 && s->params[i].elem != CMPD_SIG_STREAM;
}

static enum direction direction(const struct cmpd_sig_param *p)
{
    unsigned out = CMPD_SIG_STORED | CMPD_SIG_COPY_HOST_OUT | CMPD_SIG_HOST_WRITE |
                   CMPD_SIG_COPY_DEVICE_OUT | CMPD_SIG_COPY_ANY_OUT;
    unsigned in = CMPD_SIG_LOADED | CMPD_SIG_COPY_HOST_IN | CMPD_SIG_HOST_READ |
                  CMPD_SIG_COPY_DEVICE_IN | CMPD_SIG_COPY_ANY_IN;
    if (p->is_const)
        return READS;
    if (p->evidence & CMPD_SIG_ESCAPES)
        return EITHER;
    bool writes = p->evidence & out, reads = p->evidence & in;
    return writes && reads ? BOTH : writes ? WRITES : reads ? READS : EITHER;
}

/* May the parameter be that argument? */
static bool fits(const struct entry_state *s, size_t i, size_t arg)
{
    const struct cmpd_ref_arg *a = &s->op->args[arg];
    enum direction d = direction(&s->params[i]);
    enum cmpd_dtype is;
    if (!entry_is_tensor_role(a->role))
        return false;
    if (a->role == CMPD_ROLE_IN && d == WRITES)
        return false;
    if (a->role != CMPD_ROLE_IN && (s->params[i].is_const || d == READS))
        return false;
    if (s->params[i].elem == CMPD_SIG_VOID)
        return true;
    if (!entry_dtype_of(s->params[i].elem, &is))
        return false;
    /* Counts and indexes are whole numbers of any width that holds them. */
    return a->fixed_dtype < 0 || (is >= CMPD_I32 && is < CMPD_DTYPE_COUNT) ||
           is == (enum cmpd_dtype)a->fixed_dtype;
}

static void give_tensor(struct entry_state *s, size_t i, size_t arg)
{
    struct cmpd_bind_param *p = &s->b->params[i];
    p->role = s->op->args[arg].role;
    p->arg = (int)arg;
    s->taken[arg] = (int)i;
    s->done[i] = true;
}

static bool same_shape(const struct cmpd_ref_op *op, size_t a, size_t b)
{
    const char *x = op->args[a].shape, *y = op->args[b].shape;
    return (!x && !y) || (x && y && strcmp(x, y) == 0);
}

static bool workspace_name(const char *name)
{
    static const char *const parts[] = {"tmp",          "temp",      "work",     "scratch",
                                        "partial",      "block_sum", "blocksum", "ws",
                                        "intermediate", "aux",       "cache"};
    char low[64] = "";
    for (size_t i = 0; name[i] && i + 1 < sizeof low; i++)
        low[i] = (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(low, parts[i]))
            return strcmp(parts[i], "ws") != 0 || strcmp(low, "ws") == 0 || strstr(low, "d_ws");
    }
    return false;
}

/* Names that speak for one argument alone. Own names win over aliases; two of a kind cancel each other out. */
static void tensors_by_name(struct entry_state *s)
{
    for (int pass = 0; pass < 2; pass++) {
        int wish[CMPD_SIG_PARAMS_CEILING];
        for (size_t i = 0; i < s->b->param_count; i++) {
            bool exact = false;
            wish[i] = UNBOUND;
            if (s->done[i] || !entry_is_pointer(s, i))
                continue;
            int arg = cmpd_ref_match_param(s->op, s->params[i].name, true, &exact);
            if (arg >= 0 && (exact || pass) && s->taken[arg] == UNBOUND && fits(s, i, (size_t)arg))
                wish[i] = arg;
        }
        for (size_t i = 0; i < s->b->param_count; i++) {
            unsigned same = 0;
            for (size_t k = 0; k < s->b->param_count; k++)
                same += wish[i] != UNBOUND && wish[k] == wish[i];
            if (same == 1)
                give_tensor(s, i, (size_t)wish[i]);
        }
    }
}

/* Arguments of one kind that are open, and parameters that may be them, in order. */
struct open {
    size_t args[CMPD_REF_ARGS_CEILING], arg_count, must_count;
    size_t params[CMPD_SIG_PARAMS_CEILING], param_count;
};

static void collect(const struct entry_state *s, bool inputs, struct open *o)
{
    memset(o, 0, sizeof *o);
    for (size_t a = 0; a < s->op->arg_count; a++) {
        if (!entry_is_tensor_role(s->op->args[a].role) || s->taken[a] != UNBOUND ||
            (s->op->args[a].role == CMPD_ROLE_IN) != inputs)
            continue;
        o->args[o->arg_count++] = a;
        o->must_count += !s->op->args[a].optional;
    }
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (s->done[i] || !entry_is_pointer(s, i))
            continue;
        enum direction d = direction(&s->params[i]);
        bool reads = d == READS, writes = d == WRITES || d == BOTH;
        if (inputs ? reads : writes || d == EITHER)
            o->params[o->param_count++] = i;
    }
}

/* The open ones in their order, where there are as many of either. */
static void by_order(struct entry_state *s, bool inputs)
{
    struct open o;
    collect(s, inputs, &o);
    size_t count = o.param_count;
    if (!count || (count != o.arg_count && count != o.must_count))
        return;
    CMPD_BUF_AUTO struct cmpd_buf said = CMPD_BUF_INIT;
    for (size_t k = 0, a = 0; k < count; k++, a++) {
        while (count != o.arg_count && a < o.arg_count && s->op->args[o.args[a]].optional)
            a++;
        if (a >= o.arg_count || !fits(s, o.params[k], o.args[a]))
            return;
    }
    for (size_t k = 0, a = 0; k < count; k++, a++) {
        while (count != o.arg_count && s->op->args[o.args[a]].optional)
            a++;
        cmpd_buf_printf(&said, "%s'%s' as %s", k ? ", " : "", s->params[o.params[k]].name,
                        s->op->args[o.args[a]].name);
        give_tensor(s, o.params[k], o.args[a]);
    }
    /* One input and one output can't be mistaken for each other. */
    if (count > 1 || o.arg_count > 1)
        entry_assume(s->b, "%s by their order", cmpd_buf_str(&said));
}

/* An input that is written over: the operator's input and output in one. */
static void in_place(struct entry_state *s)
{
    for (size_t out = 0; out < s->op->arg_count; out++) {
        if (s->op->args[out].role != CMPD_ROLE_OUT || s->taken[out] != UNBOUND)
            continue;
        int found = UNBOUND, found_in = UNBOUND;
        unsigned count = 0;
        for (size_t in = 0; in < s->op->arg_count; in++) {
            int i = s->taken[in];
            if (s->op->args[in].role != CMPD_ROLE_IN || i == UNBOUND || s->params[i].is_const ||
                !same_shape(s->op, in, out))
                continue;
            found = i;
            found_in = (int)in;
            count++;
        }
        /* A parameter that took the output's name but is read too, with no other input left for it. */
        if (count != 1)
            continue;
        s->b->params[found].role = CMPD_ROLE_INOUT;
        s->b->params[found].arg = found_in;
        s->b->params[found].out_arg = (int)out;
        s->taken[out] = found;
    }
}

/* The output is named, one input lacks a parameter, and the output is read: out = f(out). */
static void output_is_input(struct entry_state *s)
{
    size_t missing = 0, which = 0;
    for (size_t a = 0; a < s->op->arg_count; a++) {
        if (s->op->args[a].role == CMPD_ROLE_IN && s->taken[a] == UNBOUND &&
            !s->op->args[a].optional) {
            missing++;
            which = a;
        }
    }
    for (size_t out = 0; missing == 1 && out < s->op->arg_count; out++) {
        int i = s->taken[out];
        if (s->op->args[out].role != CMPD_ROLE_OUT || i == UNBOUND ||
            !same_shape(s->op, which, out) || direction(&s->params[i]) == WRITES)
            continue;
        s->b->params[i].role = CMPD_ROLE_INOUT;
        s->b->params[i].arg = (int)which;
        s->b->params[i].out_arg = (int)out;
        s->taken[which] = i;
        return;
    }
}

/* What the operator updates in place, read here from one parameter and written to another: z = f(x, y). */
static void apart(struct entry_state *s)
{
    for (size_t a = 0; a < s->op->arg_count; a++) {
        int out = s->taken[a], in = UNBOUND;
        unsigned count = 0;
        if (s->op->args[a].role != CMPD_ROLE_INOUT || out == UNBOUND ||
            direction(&s->params[out]) == BOTH)
            continue;
        for (size_t i = 0; i < s->b->param_count; i++) {
            if (s->done[i] || !entry_is_pointer(s, i) || direction(&s->params[i]) != READS ||
                s->params[i].elem != s->params[out].elem)
                continue;
            in = (int)i;
            count++;
        }
        if (count != 1)
            continue;
        s->b->params[in].role = CMPD_ROLE_IN;
        s->b->params[in].arg = (int)a;
        s->b->params[out].role = CMPD_ROLE_OUT;
        s->done[in] = true;
    }
}

static void workspaces(struct entry_state *s)
{
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (!s->done[i] && entry_is_pointer(s, i) && !s->params[i].is_const &&
            workspace_name(s->params[i].name)) {
            s->b->params[i].role = CMPD_ROLE_WORKSPACE;
            s->done[i] = true;
        }
    }
}

/* What is only written beside all that the operator has (means, norms for a backward pass) is room to write to. */
static void further_outputs(struct entry_state *s)
{
    for (size_t a = 0; a < s->op->arg_count; a++) {
        if (entry_is_tensor_role(s->op->args[a].role) && s->taken[a] == UNBOUND &&
            !s->op->args[a].optional)
            return;
    }
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (s->done[i] || !entry_is_pointer(s, i) || direction(&s->params[i]) != WRITES)
            continue;
        s->b->params[i].role = CMPD_ROLE_WORKSPACE;
        s->done[i] = true;
    }
}

/* A scalar result that the function returns. */
static void result(struct entry_state *s)
{
    enum cmpd_dtype is;
    if (!entry_dtype_of(s->b->ret.elem, &is) || s->b->ret.pass == CMPD_BIND_POINTER)
        return;
    for (size_t a = 0; a < s->op->arg_count; a++) {
        if (s->op->args[a].role != CMPD_ROLE_OUT || s->op->args[a].shape || s->taken[a] != UNBOUND)
            continue;
        s->b->ret.role = CMPD_ROLE_OUT;
        s->b->ret.arg = (int)a;
        s->b->ret.dtype = is;
        s->taken[a] = (int)s->b->param_count;
        return;
    }
}

static void tensors(struct entry_state *s)
{
    tensors_by_name(s);
    workspaces(s);
    by_order(s, true);
    by_order(s, false);
    apart(s);
    in_place(s);
    output_is_input(s);
    result(s);
    further_outputs(s);
}

/* ---- what is still open ---- */

static bool complain(struct entry_state *s)
{
    CMPD_BUF_AUTO struct cmpd_buf open = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf missing = CMPD_BUF_INIT;
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (!s->done[i])
            cmpd_buf_printf(&open, "%s'%s'", open.len ? ", " : "", s->params[i].name);
    }
    for (size_t a = 0; a < s->op->arg_count; a++) {
        if (entry_is_tensor_role(s->op->args[a].role) && s->taken[a] == UNBOUND &&
            !s->op->args[a].optional)
            cmpd_buf_printf(&missing, "%s'%s'", missing.len ? ", " : "", s->op->args[a].name);
    }
    if (!open.len && !missing.len)
        return true;
    if (open.len && missing.len)
        return entry_refuse(
            s->q, s->b, "nothing tells what %s of %s stands for, nor where %s of operator %s is",
            cmpd_buf_str(&open), s->b->display, cmpd_buf_str(&missing), s->op->name);
    if (open.len)
        return entry_refuse(s->q, s->b, "nothing tells what %s of %s stands for in operator %s",
                            cmpd_buf_str(&open), s->b->display, s->op->name);
    return entry_refuse(s->q, s->b, "%s of operator %s has no parameter in %s",
                        cmpd_buf_str(&missing), s->op->name, s->b->display);
}

bool entry_bind_by_names(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    struct entry_state s = {.q = q, .b = b, .op = q->op};
    for (size_t i = 0; i < b->param_count; i++)
        s.params[i] = entry_instantiate(&b->func->params[i], b->targs);
    for (size_t a = 0; a < CMPD_REF_ARGS_CEILING; a++)
        s.taken[a] = UNBOUND;
    tensors(&s);
    entry_bind_numbers(&s);
    for (size_t a = 0; a < q->op->arg_count; a++)
        b->arg_bound[a] = s.taken[a] != UNBOUND;
    return complain(&s);
}

/* ---- the dtype ---- */

static bool dtype_allowed(const struct cmpd_ref_op *op, enum cmpd_dtype t)
{
    for (size_t i = 0; i < op->dtype_count; i++) {
        if (op->dtypes[i] == t)
            return true;
    }
    return false;
}

bool entry_settle_dtype(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    const struct cmpd_ref_op *op = q->op;
    enum cmpd_dtype wanted = CMPD_F32, is;
    bool given = q->dtype && cmpd_dtype_parse(q->dtype, &wanted), found = false;
    b->dtype = wanted;
    for (int outputs = 0; outputs < 2 && !found; outputs++) {
        for (size_t i = 0; i < b->param_count && !found; i++) {
            struct cmpd_bind_param *p = &b->params[i];
            bool tensor = entry_is_tensor_role(p->role) && p->arg >= 0 &&
                          op->args[p->arg].fixed_dtype < 0;
            if (!tensor || (p->role == CMPD_ROLE_OUT) != (outputs == 1) ||
                !entry_dtype_of(p->elem, &is))
                continue;
            b->dtype = is;
            found = true;
        }
    }
    if (given && found && b->dtype != wanted)
        return entry_refuse(q, b, "the policy's dtype is %s, but %s takes %s",
                            cmpd_dtype_name(wanted), b->display, cmpd_dtype_name(b->dtype));
    if (!dtype_allowed(op, b->dtype))
        return entry_refuse(q, b, "operator %s is not defined for %s, which %s takes", op->name,
                            cmpd_dtype_name(b->dtype), b->display);
    for (size_t i = 0; i < b->param_count; i++) {
        struct cmpd_bind_param *p = &b->params[i];
        if (!entry_is_tensor_role(p->role) || p->arg < 0)
            continue;
        int fixed = op->args[p->arg].fixed_dtype;
        p->dtype = entry_dtype_of(p->elem, &is) ? is
                   : fixed >= 0                 ? (enum cmpd_dtype)fixed
                                                : b->dtype;
        bool mixed = fixed < 0 && p->dtype != b->dtype;
        if (mixed && p->role != CMPD_ROLE_OUT)
            return entry_refuse(q, b, "%s takes %s of one dtype and %s of another", b->display,
                                cmpd_dtype_name(b->dtype), cmpd_dtype_name(p->dtype));
    }
    return true;
}
