/*
 * Launch expressions as formulas over the kernel's parameter names (gpu-runner/entry/formula.h says how they are read).
 * Locals, constants, small functions of the file and ceil() over a division are followed. A number that carries a
 * name in the file is written NAME[number]: the name counts where it turns out to be a dimension, else the number.
 */
#include <math.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"
#include "analysis/signature/sig.h"

#define DEPTH_CEILING 40

struct render {
    struct cmpd_buf out;
    const struct ir_func *kernel, *host;
    const struct ir_expr *const *args;
    size_t arg_count;
    bool failed;
};

static void put(struct render *r, const struct ir_expr *x, const struct sig_env *env, int depth);

static const struct ir_expr *plain(const struct ir_expr *x)
{
    while (x && (x->kind == IR_X_CAST ||
                 (x->kind == IR_X_INIT && x->arg_count == 1 && x->type->kind != IR_T_STRUCT)))
        x = x->kind == IR_X_CAST ? x->a : x->args[0];
    return x;
}

static bool same(const struct ir_expr *x, const struct ir_expr *y, int depth)
{
    x = plain(x);
    y = plain(y);
    if (!x || !y || x->kind != y->kind || depth > 8)
        return x == y;
    switch (x->kind) {
    case IR_X_VAR:
        return x->var == y->var;
    case IR_X_INT:
        return x->ival == y->ival;
    case IR_X_BINARY:
        return x->op == y->op && same(x->a, y->a, depth + 1) && same(x->b, y->b, depth + 1);
    default:
        return false;
    }
}

/* The kernel's parameter that is given just this value; NULL: none. Numbers alone name nothing. */
static const char *handed_on(const struct render *r, const struct ir_expr *x)
{
    const struct ir_expr *p = plain(x);
    if (!p || (p->kind != IR_X_VAR && p->kind != IR_X_BINARY))
        return NULL;
    for (size_t i = 0; i < r->arg_count && i < r->kernel->param_count; i++) {
        const struct ir_var *v = r->kernel->params[i];
        if (v->type->kind == IR_T_INT && v->name && v->name[0] && same(p, r->args[i], 0))
            return v->name;
    }
    return NULL;
}

static const struct ir_expr *bound(const struct ir_var *v, const struct sig_env **env)
{
    for (const struct sig_env *e = *env; e; e = e->outer) {
        for (size_t i = 0; i < e->func->param_count; i++) {
            if (e->func->params[i] != v)
                continue;
            *env = e->outer;
            return i < e->arg_count ? e->args[i] : v->init;
        }
    }
    return NULL;
}

/* ---- variables ---- */

struct search {
    const struct ir_var *var;
    const char *member; /* NULL: the variable as a whole */
    const struct ir_expr *value;
    unsigned count;
};

static bool find_assign(const struct ir_expr *x, void *ctx)
{
    struct search *s = ctx;
    if (x->kind != IR_X_ASSIGN)
        return true;
    const struct ir_expr *place = x->a;
    if (s->member) {
        if (place->kind != IR_X_MEMBER || !place->name || strcmp(place->name, s->member) != 0)
            return true;
        place = place->a;
    }
    if (place && place->kind == IR_X_VAR && place->var == s->var) {
        s->value = x->op == IR_OP_NONE ? x->b : NULL;
        s->count++;
    }
    return true;
}

/* The one value that the variable (or its member) is given after its start; NULL: none or several. */
static const struct ir_expr *later_value(const struct render *r, const struct ir_var *v,
                                         const char *member, bool *several)
{
    struct search s = {.var = v, .member = member};
    const struct ir_func *f = v->func ? v->func : r->host;
    if (f)
        cmpd_ir_walk_stmt(f->body, find_assign, &s);
    *several = s.count > 1 || (s.count == 1 && !s.value);
    return s.count == 1 ? s.value : NULL;
}

static void put_named(struct render *r, const struct ir_var *v, int64_t n)
{
    if (v->name && v->name[0])
        cmpd_buf_printf(&r->out, "%s[%lld]", v->name, (long long)n);
    else
        cmpd_buf_printf(&r->out, "%lld", (long long)n);
}

static void put_var(struct render *r, const struct ir_expr *x, const struct sig_env *env, int depth)
{
    const struct ir_var *v = x->var;
    const struct sig_env *at = env;
    const struct ir_expr *arg = bound(v, &at);
    int64_t n;
    if (arg) {
        put(r, arg, at, depth + 1);
        return;
    }
    const struct ir_expr *init = plain(v->init);
    if (v->storage != IR_V_PARAM && init && !v->is_assigned && ir_const_int(init, &n)) {
        put_named(r, v, n);
        return;
    }
    if (v->storage == IR_V_PARAM || v->storage == IR_V_TPARAM) {
        /* A dimension that the kernel is not told: perhaps the operator knows the name. */
        if (v->storage == IR_V_PARAM && v->type->kind == IR_T_INT && v->name && v->name[0])
            cmpd_buf_puts(&r->out, v->name);
        else
            r->failed = true;
        return;
    }
    bool several = false;
    const struct ir_expr *later = v->is_assigned ? later_value(r, v, NULL, &several) : NULL;
    /* Where it has a start and one more value, the second is a clamp in practice. */
    if (v->init && (!v->is_assigned || !several))
        put(r, v->init, env, depth + 1);
    else if (later)
        put(r, later, env, depth + 1);
    else
        r->failed = true;
}

/* ---- expressions ---- */

static const char *op_text(enum ir_op op)
{
    static const char *const texts[] = {
        [IR_OP_ADD] = "+",  [IR_OP_SUB] = "-",  [IR_OP_MUL] = "*", [IR_OP_DIV] = "/",
        [IR_OP_MOD] = "%",  [IR_OP_AND] = "&",  [IR_OP_OR] = "|",  [IR_OP_XOR] = "^",
        [IR_OP_SHL] = "<<", [IR_OP_SHR] = ">>", [IR_OP_EQ] = "==", [IR_OP_NE] = "!=",
        [IR_OP_LT] = "<",   [IR_OP_LE] = "<=",  [IR_OP_GT] = ">",  [IR_OP_GE] = ">="};
    return (size_t)op < sizeof texts / sizeof *texts ? texts[op] : NULL;
}

static void put_pair(struct render *r, const char *open, const struct ir_expr *a, const char *mid,
                     const struct ir_expr *b, const struct sig_env *env, int depth)
{
    cmpd_buf_puts(&r->out, open);
    put(r, a, env, depth + 1);
    cmpd_buf_puts(&r->out, mid);
    put(r, b, env, depth + 1);
    cmpd_buf_putc(&r->out, ')');
}

static const char *simple_name(const struct ir_expr *call)
{
    const char *name = call->name;
    if (!name)
        name = call->a && call->a->name ? call->a->name : "";
    const char *last = strrchr(name, ':');
    return last ? last + 1 : name;
}

/* The value of a function of the file whose body is one return. */
static const struct ir_expr *only_return(const struct ir_func *f)
{
    const struct ir_stmt *s = f && f->body && !f->is_variadic ? f->body : NULL;
    while (s && s->kind == IR_S_BLOCK && s->body_count == 1)
        s = s->body[0];
    return s && s->kind == IR_S_RETURN ? s->x : NULL;
}

static void put_call(struct render *r, const struct ir_expr *x, const struct sig_env *env,
                     int depth)
{
    const struct ir_expr *value = only_return(x->func);
    const char *name = simple_name(x);
    if (value) {
        struct sig_env inner = {x->func, x->args, x->arg_count, env};
        put(r, value, &inner, depth + 1);
        return;
    }
    if (x->arg_count == 2 && (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)) {
        put_pair(r, name[1] == 'i' ? "min(" : "max(", x->args[0], ", ", x->args[1], env, depth);
        return;
    }
    const struct ir_expr *a = x->arg_count == 1 ? plain(x->args[0]) : NULL;
    if (a && (strcmp(name, "ceil") == 0 || strcmp(name, "ceilf") == 0)) {
        if (a->kind == IR_X_BINARY && a->op == IR_OP_DIV && a->type->kind == IR_T_FLOAT)
            put_pair(r, "ceil_div(", a->a, ", ", a->b, env, depth);
        else
            put(r, a, env, depth + 1);
        return;
    }
    r->failed = true;
}

static void put(struct render *r, const struct ir_expr *x, const struct sig_env *env, int depth)
{
    int64_t n;
    if (!x || depth > DEPTH_CEILING || r->out.len > CMPD_SIG_TEXT_CEILING)
        r->failed = true;
    if (r->failed)
        return;
    const char *name = env ? NULL : handed_on(r, x);
    x = plain(x);
    if (name) {
        cmpd_buf_puts(&r->out, name);
    } else if (!x) {
        r->failed = true;
    } else if (x->kind == IR_X_FLOAT) {
        r->failed = floor(x->fval) != x->fval || fabs(x->fval) > 1e15;
        cmpd_buf_printf(&r->out, "%lld", r->failed ? 0LL : (long long)x->fval);
    } else if (x->kind == IR_X_INT || x->kind == IR_X_SIZEOF) {
        r->failed = !ir_const_int(x, &n);
        cmpd_buf_printf(&r->out, "%lld", r->failed ? 0LL : (long long)n);
    } else if (x->kind == IR_X_VAR) {
        put_var(r, x, env, depth);
    } else if (x->kind == IR_X_BINARY && op_text(x->op)) {
        char mid[8];
        snprintf(mid, sizeof mid, " %s ", op_text(x->op));
        put_pair(r, "(", x->a, mid, x->b, env, depth);
    } else if (x->kind == IR_X_COND) {
        cmpd_buf_putc(&r->out, '(');
        put(r, x->a, env, depth + 1);
        put_pair(r, " ? ", x->b, " : ", x->c, env, depth);
    } else if (x->kind == IR_X_CALL) {
        put_call(r, x, env, depth);
    } else if (x->kind == IR_X_MEMBER && x->a && x->name && !x->name[1] &&
               strchr("xyz", x->name[0])) {
        char *part = sig_formula(x->a, (unsigned)(x->name[0] - 'x'), r->kernel, r->args,
                                 r->arg_count, r->host);
        r->failed = part == NULL || env != NULL;
        cmpd_buf_puts(&r->out, part ? part : "");
        free(part);
    } else {
        r->failed = true;
    }
}

/* ---- grids and blocks ---- */

static bool is_dim3(const struct ir_type *t)
{
    t = cmpd_ir_strip_ref(t);
    return t && t->kind == IR_T_STRUCT && t->name && strcmp(t->name, "dim3") == 0;
}

static void put_component(struct render *r, const struct ir_expr *x, unsigned component, int depth)
{
    static const char *const names[] = {"x", "y", "z"};
    if (depth > DEPTH_CEILING || !x) {
        r->failed = true;
        return;
    }
    if (x->kind == IR_X_INIT && is_dim3(x->type)) {
        if (x->arg_count == 1 && is_dim3(x->args[0]->type))
            put_component(r, x->args[0], component, depth + 1);
        else if (component < x->arg_count)
            put(r, x->args[component], NULL, 0);
        else
            cmpd_buf_puts(&r->out, "1");
        return;
    }
    if (x->kind == IR_X_CAST && is_dim3(x->type)) {
        put_component(r, x->a, component, depth + 1);
        return;
    }
    if (x->kind == IR_X_VAR && is_dim3(x->var->type)) {
        bool several = false;
        const struct ir_expr *later = x->var->is_assigned
                                          ? later_value(r, x->var, names[component], &several)
                                          : NULL;
        if (several)
            r->failed = true;
        else if (later)
            put(r, later, NULL, 0);
        else if (x->var->init)
            put_component(r, x->var->init, component, depth + 1);
        else if (x->var->storage == IR_V_PARAM)
            r->failed = true;
        else
            cmpd_buf_puts(&r->out, "1");
        return;
    }
    if (is_dim3(x->type)) {
        r->failed = true;
        return;
    }
    /* A braced list of no type, or a number. */
    if (x->kind == IR_X_INIT && x->arg_count > 1) {
        if (component < x->arg_count)
            put(r, x->args[component], NULL, 0);
        else
            cmpd_buf_puts(&r->out, "1");
        return;
    }
    if (component)
        cmpd_buf_puts(&r->out, "1");
    else
        put(r, x, NULL, 0);
}

char *sig_formula(const struct ir_expr *x, unsigned component, const struct ir_func *kernel,
                  const struct ir_expr *const *args, size_t arg_count, const struct ir_func *host)
{
    static _Thread_local int nested;
    struct render r = {
        .out = CMPD_BUF_INIT, .kernel = kernel, .host = host, .args = args, .arg_count = arg_count};
    if (nested < DEPTH_CEILING) {
        nested++;
        put_component(&r, x, component, 0);
        nested--;
    } else {
        r.failed = true;
    }
    if (r.failed || r.out.len > CMPD_SIG_TEXT_CEILING || r.out.len == 0) {
        cmpd_buf_clear(&r.out);
        return NULL;
    }
    return cmpd_buf_steal(&r.out);
}
