/*
 * Roles by names and types. Names come first; what they leave open is filled in by order where the numbers agree, and
 * then marked as assumed: a passing comparison confirms it, a failing one proves nothing.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/entry.h"

#define WORKSPACE_BYTES \
    (1 << 20) /* what a parameter that asks for the size of a workspace is told */
#define UNBOUND -1

/* What is known of one parameter while roles are handed out. */
enum direction { EITHER, READS, WRITES, BOTH };

struct state {
    const struct cmpd_bind_request *q;
    struct cmpd_binding *b;
    const struct cmpd_ref_op *op;
    struct cmpd_sig_param
        params[CMPD_SIG_PARAMS_CEILING]; /* with template arguments; texts borrowed */
    bool done[CMPD_SIG_PARAMS_CEILING];
    int taken[CMPD_REF_ARGS_CEILING]; /* by argument: the parameter, UNBOUND: none */
    bool exact[CMPD_REF_ARGS_CEILING];
};

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

static bool is_tensor_role(enum cmpd_role r)
{
    return r == CMPD_ROLE_IN || r == CMPD_ROLE_OUT || r == CMPD_ROLE_INOUT;
}

static bool is_pointer(const struct state *s, size_t i)
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
static bool fits(const struct state *s, size_t i, size_t arg)
{
    const struct cmpd_ref_arg *a = &s->op->args[arg];
    enum direction d = direction(&s->params[i]);
    enum cmpd_dtype is;
    if (!is_tensor_role(a->role))
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

static void give_tensor(struct state *s, size_t i, size_t arg)
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
static void tensors_by_name(struct state *s)
{
    for (int pass = 0; pass < 2; pass++) {
        int wish[CMPD_SIG_PARAMS_CEILING];
        for (size_t i = 0; i < s->b->param_count; i++) {
            bool exact = false;
            wish[i] = UNBOUND;
            if (s->done[i] || !is_pointer(s, i))
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

static void collect(const struct state *s, bool inputs, struct open *o)
{
    memset(o, 0, sizeof *o);
    for (size_t a = 0; a < s->op->arg_count; a++) {
        if (!is_tensor_role(s->op->args[a].role) || s->taken[a] != UNBOUND ||
            (s->op->args[a].role == CMPD_ROLE_IN) != inputs)
            continue;
        o->args[o->arg_count++] = a;
        o->must_count += !s->op->args[a].optional;
    }
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (s->done[i] || !is_pointer(s, i))
            continue;
        enum direction d = direction(&s->params[i]);
        bool reads = d == READS, writes = d == WRITES || d == BOTH;
        if (inputs ? reads : writes || d == EITHER)
            o->params[o->param_count++] = i;
    }
}

/* The open ones in their order, where there are as many of either. */
static void by_order(struct state *s, bool inputs)
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
static void in_place(struct state *s)
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
static void output_is_input(struct state *s)
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

static void workspaces(struct state *s)
{
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (!s->done[i] && is_pointer(s, i) && !s->params[i].is_const &&
            workspace_name(s->params[i].name)) {
            s->b->params[i].role = CMPD_ROLE_WORKSPACE;
            s->done[i] = true;
        }
    }
}

/* A scalar result that the function returns. */
static void result(struct state *s)
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

static void tensors(struct state *s)
{
    tensors_by_name(s);
    workspaces(s);
    by_order(s, true);
    by_order(s, false);
    in_place(s);
    output_is_input(s);
    result(s);
}

/* ---- numbers ---- */

static bool is_whole(enum cmpd_sig_elem e)
{
    return e >= CMPD_SIG_I8 && e <= CMPD_SIG_U64;
}

static bool is_number(const struct state *s, size_t i)
{
    const struct cmpd_sig_param *p = &s->params[i];
    return p->pointers == 0 && p->elem != CMPD_SIG_STREAM && p->elem != CMPD_SIG_VOID;
}

static void streams(struct state *s)
{
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (s->params[i].elem == CMPD_SIG_STREAM && s->params[i].pointers == 0) {
            s->b->params[i].role = CMPD_ROLE_STREAM;
            s->done[i] = true;
        }
    }
}

static void fix(struct state *s, size_t i, double value)
{
    s->b->params[i].role = CMPD_ROLE_SCALAR;
    s->b->params[i].fixed = true;
    s->b->params[i].value = value;
    s->done[i] = true;
}

static void give_number(struct state *s, size_t i, size_t arg)
{
    struct cmpd_bind_param *p = &s->b->params[i];
    int d = cmpd_ref_dim_index(s->op, arg);
    p->arg = (int)arg;
    if (d >= 0) {
        p->role = CMPD_ROLE_DIM;
        p->dim_mask = 1u << d;
        p->arg = UNBOUND;
    } else {
        p->role = CMPD_ROLE_SCALAR;
    }
    s->taken[arg] = (int)i;
    s->done[i] = true;
}

static bool number_fits(const struct state *s, size_t i, size_t arg)
{
    if (cmpd_ref_dim_index(s->op, arg) >= 0)
        return is_whole(s->params[i].elem);
    return s->op->args[arg].role == CMPD_ROLE_SCALAR;
}

/* "n4", "n_vec4": a count of float4, where the tensors are float4. */
static int vector_dim(const struct state *s, size_t i, unsigned *width)
{
    static const char *const ends[] = {"_vec4", "vec4", "_v4", "_div_4", "_4",   "4",       "_vec2",
                                       "vec2",  "_v2",  "_2",  "2",      "_vec", "_packed", NULL};
    const char *name = s->params[i].name;
    size_t len = strlen(name);
    unsigned vector = 1;
    for (size_t k = 0; k < s->b->param_count; k++)
        vector = is_pointer(s, k) && s->params[k].vector > vector ? s->params[k].vector : vector;
    for (size_t e = 0; ends[e]; e++) {
        size_t n = strlen(ends[e]);
        char stem[64];
        if (len <= n || len - n >= sizeof stem || strcmp(name + len - n, ends[e]) != 0)
            continue;
        memcpy(stem, name, len - n);
        stem[len - n] = '\0';
        int arg = cmpd_ref_match_param(s->op, stem, false, NULL);
        unsigned w = strchr(ends[e], '4') ? 4 : strchr(ends[e], '2') ? 2 : vector;
        if (arg >= 0 && w > 1 && w == vector) {
            *width = w;
            return arg;
        }
    }
    return UNBOUND;
}

static void numbers_by_name(struct state *s)
{
    for (int pass = 0; pass < 2; pass++) {
        int wish[CMPD_SIG_PARAMS_CEILING];
        for (size_t i = 0; i < s->b->param_count; i++) {
            bool exact = false;
            wish[i] = UNBOUND;
            if (s->done[i] || !is_number(s, i))
                continue;
            int arg = cmpd_ref_match_param(s->op, s->params[i].name, false, &exact);
            if (arg >= 0 && (exact || pass) && s->taken[arg] == UNBOUND &&
                number_fits(s, i, (size_t)arg))
                wish[i] = arg;
        }
        for (size_t i = 0; i < s->b->param_count; i++) {
            unsigned same = 0;
            for (size_t k = 0; k < s->b->param_count; k++)
                same += wish[i] != UNBOUND && wish[k] == wish[i];
            if (same == 1)
                give_number(s, i, (size_t)wish[i]);
        }
    }
    for (size_t i = 0; i < s->b->param_count; i++) {
        unsigned width = 1;
        int arg = s->done[i] || !is_number(s, i) ? UNBOUND : vector_dim(s, i, &width);
        if (arg == UNBOUND || !number_fits(s, i, (size_t)arg) || s->taken[arg] != UNBOUND)
            continue;
        give_number(s, i, (size_t)arg);
        s->b->params[i].dim_divisor = width;
    }
}

static unsigned told_dims(const struct state *s)
{
    unsigned set = 0;
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (s->b->params[i].role == CMPD_ROLE_DIM)
            set |= s->b->params[i].dim_mask;
    }
    return entry_dims_closure(s->op, set);
}

/* Dimensions that are needed, not told, and no products: what numbers without a known name may be. */
static size_t open_dims(const struct state *s, int out[CMPD_REF_DIMS_CEILING])
{
    unsigned open = entry_dims_needed(s->op, s->b) & ~told_dims(s);
    size_t count = 0;
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        if (open & (1u << d))
            out[count++] = d;
    }
    return count;
}

static size_t open_numbers(const struct state *s, size_t out[CMPD_SIG_PARAMS_CEILING])
{
    size_t count = 0;
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (!s->done[i] && is_number(s, i) && is_whole(s->params[i].elem) &&
            !s->params[i].has_default)
            out[count++] = i;
    }
    return count;
}

/* Several numbers whose product is the count of elements: a shape that the operator sees flat. */
static bool shape_of_flat(struct state *s, const size_t *params, size_t count, int d, bool sure)
{
    const struct cmpd_ref_op *op = s->op;
    if (!entry_dim_is_product(op, d) || count < 2)
        return false;
    int factors[2], found = 0;
    for (int f = 0; f < (int)entry_dim_count(op) && found < 2; f++) {
        if (f != d && !entry_dim_is_product(op, f))
            factors[found++] = f;
    }
    if (found < 2)
        return false;
    for (size_t k = 0; k < count; k++) {
        struct cmpd_bind_param *p = &s->b->params[params[k]];
        p->role = CMPD_ROLE_DIM;
        /* The last two are rows and columns; what stands before them is 1. */
        p->dim_mask = k + 2 >= count ? 1u << factors[k + 2 - count] : 0;
        s->done[params[k]] = true;
    }
    if (!sure)
        entry_assume(s->b, "the %zu numbers are taken as a shape whose product counts the elements",
                     count);
    return true;
}

/* N, C, H, W of an operator that sees its data flat, before 'N' is taken for their count. */
static void flat_shape(struct state *s)
{
    size_t params[CMPD_SIG_PARAMS_CEILING], count = open_numbers(s, params), letters = 0;
    int dims[CMPD_REF_DIMS_CEILING];
    for (size_t k = 0; k < count; k++)
        letters += strlen(s->params[params[k]].name) == 1;
    if (count >= 3 && letters == count && open_dims(s, dims) == 1)
        shape_of_flat(s, params, count, dims[0], true);
}

static bool named_like(const char *name, const char *const *parts);

/* (N, D), (B, C), (T, H): rows by columns as everybody writes them. */
static bool usual_pair(const struct state *s, const size_t *params, const int *dims)
{
    static const char *const firsts[] = {"n",      "b",   "m",      "t",         "r",
                                         "bt",     "bs",  "batch",  "batchsize", "rows",
                                         "tokens", "seq", "seqlen", NULL};
    static const char *const seconds[] = {"d", "c",   "n",      "k",    "h",        "e",     "f",
                                          "v", "dim", "hidden", "cols", "features", "width", NULL};
    return strcmp(s->op->args[entry_dim_arg(s->op, dims[0])].name, "rows") == 0 &&
           strcmp(s->op->args[entry_dim_arg(s->op, dims[1])].name, "cols") == 0 &&
           named_like(s->params[params[0]].name, firsts) &&
           named_like(s->params[params[1]].name, seconds);
}

static void numbers_by_order(struct state *s)
{
    int dims[CMPD_REF_DIMS_CEILING];
    size_t params[CMPD_SIG_PARAMS_CEILING];
    size_t open = open_dims(s, dims), count = open_numbers(s, params);
    if (!open || !count)
        return;
    if (open == 1 && shape_of_flat(s, params, count, dims[0], false))
        return;
    if (open != count)
        return;
    CMPD_BUF_AUTO struct cmpd_buf said = CMPD_BUF_INIT;
    for (size_t k = 0; k < count; k++) {
        size_t arg = entry_dim_arg(s->op, dims[k]);
        cmpd_buf_printf(&said, "%s'%s' as %s", k ? ", " : "", s->params[params[k]].name,
                        s->op->args[arg].name);
        give_number(s, params[k], arg);
    }
    if (count != 2 || !usual_pair(s, params, dims))
        entry_assume(s->b, "%s by their order", cmpd_buf_str(&said));
}

static bool named_like(const char *name, const char *const *parts)
{
    char low[64] = "";
    size_t n = 0;
    for (size_t i = 0; name[i] && n + 1 < sizeof low; i++) {
        if (name[i] != '_')
            low[n++] = (char)tolower((unsigned char)name[i]);
    }
    low[n] = '\0';
    for (size_t i = 0; parts[i]; i++) {
        if (strcmp(low, parts[i]) == 0)
            return true;
    }
    return false;
}

/* "vocab_size", "num_heads": what is left without the word that says that it counts. */
static int match_bare(const struct state *s, const char *name)
{
    static const char *const heads[] = {"num_", "n_", "num"}, *const tails[] = {"_size", "_dim",
                                                                                "_len",  "_count",
                                                                                "Size",  "Dim"};
    char bare[64];
    size_t len = strlen(name);
    for (size_t t = 0; t < sizeof tails / sizeof *tails; t++) {
        size_t n = strlen(tails[t]);
        if (len > n && len - n < sizeof bare && strcmp(name + len - n, tails[t]) == 0) {
            snprintf(bare, sizeof bare, "%.*s", (int)(len - n), name);
            int arg = cmpd_ref_match_param(s->op, bare, false, NULL);
            if (arg >= 0)
                return arg;
        }
    }
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
        size_t n = strlen(heads[h]);
        int arg = len > n && strncmp(name, heads[h], n) == 0
                      ? cmpd_ref_match_param(s->op, name + n, false, NULL)
                      : UNBOUND;
        if (arg >= 0)
            return arg;
    }
    return UNBOUND;
}

static void numbers_by_bare_name(struct state *s)
{
    for (size_t i = 0; i < s->b->param_count; i++) {
        int arg = s->done[i] || !is_number(s, i) ? UNBOUND : match_bare(s, s->params[i].name);
        if (arg != UNBOUND && s->taken[arg] == UNBOUND && number_fits(s, i, (size_t)arg))
            give_number(s, i, (size_t)arg);
    }
}

/* The same dimension twice (batch and sequence of one softmax): the second counts 1. */
static bool repeated_dim(struct state *s, size_t i)
{
    static const char *const leading[] = {
        "seq", "seqlen", "sequencelength", "heads", "numheads", "nheads",    "nhead",  "h",
        "t",   "time",   "steps",          "b",     "batch",    "batchsize", "groups", NULL};
    int arg = cmpd_ref_match_param(s->op, s->params[i].name, false, NULL);
    for (size_t a = 0; arg < 0 && a < s->op->arg_count; a++) {
        if (strcmp(s->op->args[a].name, "rows") == 0 && named_like(s->params[i].name, leading))
            arg = (int)a;
    }
    if (arg < 0 || cmpd_ref_dim_index(s->op, (size_t)arg) < 0 || s->taken[arg] == UNBOUND ||
        !is_whole(s->params[i].elem))
        return false;
    s->b->params[i].role = CMPD_ROLE_DIM;
    s->b->params[i].dim_mask = 0;
    s->done[i] = true;
    if (!named_like(s->params[i].name, leading))
        entry_assume(s->b, "'%s' is 1, since '%s' is %s already", s->params[i].name,
                     s->params[s->taken[arg]].name, s->op->args[arg].name);
    return true;
}

/* Dimensions before the rows of a matrix, once rows and columns have their numbers or will get them. */
static void leading_dims(struct state *s)
{
    int dims[CMPD_REF_DIMS_CEILING];
    size_t params[CMPD_SIG_PARAMS_CEILING];
    size_t open = open_dims(s, dims), count = open_numbers(s, params);
    for (size_t k = 0; k < count && count > open; k++)
        repeated_dim(s, params[k]);
}

/* The length of a row in memory: that of the tensor that the name speaks of, else of all. */
static bool leading_dim(struct state *s, size_t i)
{
    static const char *const lengths[] = {
        "stride",      "rowstride", "pitch",   "ld",        "leadingdim",   "step",    "instride",
        "inputstride", "xstride",   "stridex", "outstride", "outputstride", "ystride", "stridey",
        "lda",         "ldb",       "ldc",     "ldx",       "ldy",          NULL};
    const char *name = s->params[i].name;
    if (!is_whole(s->params[i].elem) || !named_like(name, lengths))
        return false;
    int last = UNBOUND;
    for (size_t a = 0; a < s->op->arg_count; a++) {
        const char *shape = is_tensor_role(s->op->args[a].role) ? s->op->args[a].shape : NULL;
        const char *word = shape ? strrchr(shape, ' ') : NULL;
        bool ours = strlen(name) == 3 && name[0] == 'l' && name[1] == 'd' &&
                    tolower((unsigned char)name[2]) == s->op->args[a].name[0];
        if (!word)
            continue;
        for (size_t k = 0; k < s->op->arg_count; k++) {
            int d = cmpd_ref_dim_index(s->op, k);
            if (d < 0 || strcmp(s->op->args[k].name, word + 1) != 0)
                continue;
            if (ours || last == UNBOUND || last == d)
                last = d;
            else if (strlen(name) != 3)
                return false; /* rows of different lengths */
        }
        if (ours)
            break;
    }
    if (last == UNBOUND)
        return false;
    s->b->params[i].role = CMPD_ROLE_DIM;
    s->b->params[i].dim_mask = 1u << last;
    s->done[i] = true;
    entry_assume(s->b, "'%s' as the length of a row", name);
    return true;
}

/* alpha and beta of BLAS, where the operator has neither: the plain product. */
static bool blas_scalar(struct state *s, size_t i)
{
    bool alpha = strcmp(s->params[i].name, "alpha") == 0,
         beta = strcmp(s->params[i].name, "beta") == 0;
    bool other = false;
    for (size_t k = 0; k < s->b->param_count; k++)
        other = other || strcmp(s->params[k].name, alpha ? "beta" : "alpha") == 0;
    if ((!alpha && !beta) || !other || is_whole(s->params[i].elem))
        return false;
    fix(s, i, alpha ? 1 : 0);
    /* What is multiplied by zero is read all the same. */
    for (size_t k = 0; k < s->b->param_count; k++)
        s->b->params[k].starts_zero = s->b->params[k].role == CMPD_ROLE_OUT;
    return true;
}

/* What is left over: defaults of the signature, sizes of blocks and workspaces, strides. */
static void rest(struct state *s)
{
    static const char *const blocks[] = {"block",      "blocksize", "threads", "threadsperblock",
                                         "numthreads", "nthreads",  "tpb",     "blockdim",
                                         "bs",         NULL};
    static const char *const bytes[] = {"workspacesize",    "workspacebytes", "wssize",  "wsbytes",
                                        "tempstoragebytes", "scratchsize",    "tmpsize", NULL};
    for (size_t i = 0; i < s->b->param_count; i++) {
        const struct cmpd_sig_param *p = &s->params[i];
        if (s->done[i])
            continue;
        if (is_number(s, i) && p->has_default && p->default_known)
            fix(s, i, p->default_value);
        else if (is_pointer(s, i) && p->has_default && p->default_known) {
            s->b->params[i].is_null = true;
            s->b->params[i].role = CMPD_ROLE_WORKSPACE;
            s->done[i] = true;
        } else if (is_whole(p->elem) && is_number(s, i) && named_like(p->name, blocks))
            fix(s, i, CMPD_BIND_ASSUMED_BLOCK);
        else if (is_whole(p->elem) && is_number(s, i) && named_like(p->name, bytes))
            fix(s, i, WORKSPACE_BYTES);
        else if (is_number(s, i) && !leading_dim(s, i) && !blas_scalar(s, i))
            repeated_dim(s, i);
    }
}

/* ---- what is still open ---- */

static bool complain(struct state *s)
{
    CMPD_BUF_AUTO struct cmpd_buf open = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf missing = CMPD_BUF_INIT;
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (!s->done[i])
            cmpd_buf_printf(&open, "%s'%s'", open.len ? ", " : "", s->params[i].name);
    }
    for (size_t a = 0; a < s->op->arg_count; a++) {
        if (is_tensor_role(s->op->args[a].role) && s->taken[a] == UNBOUND &&
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
    struct state s = {.q = q, .b = b, .op = q->op};
    for (size_t i = 0; i < b->param_count; i++)
        s.params[i] = entry_instantiate(&b->func->params[i], b->targs);
    for (size_t a = 0; a < CMPD_REF_ARGS_CEILING; a++)
        s.taken[a] = UNBOUND;
    streams(&s);
    tensors(&s);
    flat_shape(&s);
    numbers_by_name(&s);
    numbers_by_bare_name(&s);
    leading_dims(&s);
    numbers_by_order(&s);
    rest(&s);
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
            bool tensor = is_tensor_role(p->role) && p->arg >= 0 &&
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
        if (!is_tensor_role(p->role) || p->arg < 0)
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
