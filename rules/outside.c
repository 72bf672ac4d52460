#include "rules/outside.h"

#include <string.h>

#include "analysis/eval/names.h"

enum { CALL_DEPTH_MAX = 8, ROUNDS_MAX = 8 };

/* One function under analysis: which of its variables may hold an address that leads outside the thread. */
struct scope {
    const struct ir_module *module;
    const struct ir_func *func;
    bool *outside; /* by slot */
    size_t slots;
    bool writes;
    unsigned depth;
    bool changed;
};

static bool leads_outside(struct scope *s, const struct ir_expr *x);

static bool store_leaves(struct scope *s, const struct ir_expr *x);

static bool var_leads_outside(struct scope *s, const struct ir_var *v)
{
    switch (v->storage) {
    case IR_V_SHARED:
    case IR_V_SHARED_DYNAMIC:
        return false;
    case IR_V_LOCAL:
    case IR_V_PARAM:
        if (v->func != s->func || v->slot < 0 || (size_t)v->slot >= s->slots)
            return true; /* captured by a lambda: the enclosing function's */
        return s->outside[v->slot];
    case IR_V_TPARAM:
        return false;
    default:
        return true;
    }
}

/* May the address that an expression evaluates to (a pointer's value) lead outside? */
static bool leads_outside(struct scope *s, const struct ir_expr *x)
{
    if (!x)
        return true;
    switch (x->kind) {
    case IR_X_VAR:
        return var_leads_outside(s, x->var);
    case IR_X_INT:
    case IR_X_FLOAT:
    case IR_X_STRING:
    case IR_X_NULLPTR:
    case IR_X_BUILTIN:
    case IR_X_SIZEOF:
        return false;
    case IR_X_BINARY:
        return leads_outside(s, x->a) || leads_outside(s, x->b);
    case IR_X_UNARY:
    case IR_X_CAST:
    case IR_X_INCDEC:
        return leads_outside(s, x->a);
    case IR_X_COND:
        return leads_outside(s, x->b) || leads_outside(s, x->c);
    case IR_X_COMMA:
    case IR_X_ASSIGN:
        return leads_outside(s, x->b);
    case IR_X_ADDR:
        return store_leaves(s, x->a);
    case IR_X_INDEX:
    case IR_X_DEREF:
    case IR_X_MEMBER:
        return leads_outside(
            s, x->a); /* a pointer loaded from local memory was put there, and that counted */
    case IR_X_LAND:
    case IR_X_LOR:
        return false;
    case IR_X_INIT:
        for (size_t i = 0; i < x->arg_count; i++)
            if (leads_outside(s, x->args[i]))
                return true;
        return false;
    default:
        return true;
    }
}

/* May storing to this lvalue change something outside? */
static bool store_leaves(struct scope *s, const struct ir_expr *x)
{
    if (!x)
        return true;
    switch (x->kind) {
    case IR_X_VAR: {
        const struct ir_var *v = x->var;
        bool reference = v->type && v->type->kind == IR_T_REF;
        if (v->storage == IR_V_LOCAL || v->storage == IR_V_PARAM)
            return reference && var_leads_outside(s, v);
        return var_leads_outside(s, v);
    }
    case IR_X_MEMBER:
        return x->arrow ? leads_outside(s, x->a) : store_leaves(s, x->a);
    case IR_X_INDEX: {
        const struct ir_type *t = x->a ? x->a->type : NULL;
        bool array = t && t->kind == IR_T_ARRAY;
        return array ? store_leaves(s, x->a) : leads_outside(s, x->a);
    }
    case IR_X_DEREF:
        return leads_outside(s, x->a);
    case IR_X_CAST:
    case IR_X_INCDEC:
        return store_leaves(s, x->a);
    case IR_X_ASSIGN:
        return store_leaves(s, x->a);
    case IR_X_COND:
        return store_leaves(s, x->b) || store_leaves(s, x->c);
    case IR_X_COMMA:
        return store_leaves(s, x->b);
    case IR_X_UNKNOWN:
    default:
        return true;
    }
}

static void mark(struct scope *s, const struct ir_var *v)
{
    if (!v || v->func != s->func || v->slot < 0 || (size_t)v->slot >= s->slots ||
        s->outside[v->slot])
        return;
    s->outside[v->slot] = true;
    s->changed = true;
}

/* The local variable that an lvalue is part of, or NULL. */
static const struct ir_var *root_of(const struct ir_expr *x)
{
    while (x && (x->kind == IR_X_MEMBER || x->kind == IR_X_INDEX || x->kind == IR_X_CAST ||
                 x->kind == IR_X_DEREF))
        x = x->a;
    return x && x->kind == IR_X_VAR ? x->var : NULL;
}

static bool call_writes(struct scope *s, const struct ir_expr *x);

static bool note_expr(const struct ir_expr *x, void *ctx)
{
    struct scope *s = ctx;
    switch (x->kind) {
    case IR_X_ASSIGN:
        s->writes |= store_leaves(s, x->a);
        if (x->b && leads_outside(s, x->b))
            mark(s, root_of(x->a));
        break;
    case IR_X_INCDEC:
        s->writes |= store_leaves(s, x->a);
        break;
    case IR_X_CALL:
        s->writes |= call_writes(s, x);
        break;
    case IR_X_LAUNCH:
    case IR_X_DELETE:
    case IR_X_UNKNOWN:
        s->writes = true;
        break;
    case IR_X_LAMBDA: /* its body works on this function's variables */
        if (x->lambda->func->body)
            cmpd_ir_walk_stmt(x->lambda->func->body, note_expr, ctx);
        break;
    default:
        break;
    }
    return !s->writes;
}

static bool note_stmt(const struct ir_stmt *st, void *ctx)
{
    struct scope *s = ctx;
    if (st->kind == IR_S_UNKNOWN || st->kind == IR_S_ASM || st->kind == IR_S_GOTO)
        s->writes = true;
    if (st->kind == IR_S_DECL && st->var && st->var->init && leads_outside(s, st->var->init))
        mark(s, st->var);
    if (st->kind == IR_S_RANGE_FOR)
        s->writes = true;
    return !s->writes;
}

static void analyse(struct scope *s)
{
    for (int round = 0; round < ROUNDS_MAX && !s->writes; round++) {
        s->changed = false;
        cmpd_ir_walk_stmts(s->func->body, note_stmt, s);
        if (!s->writes)
            cmpd_ir_walk_stmt(s->func->body, note_expr, s);
        if (!s->changed)
            return;
    }
    if (s->changed)
        s->writes = true; /* not settled */
}

/* A function of the file with arguments that may lead outside where `args_outside` says so. */
static bool function_writes(const struct ir_module *m, const struct ir_func *f,
                            const bool *args_outside, size_t count, unsigned depth)
{
    enum { SLOTS_MAX = 512 };
    bool outside[SLOTS_MAX];
    if (depth > CALL_DEPTH_MAX || !f->body || f->var_count > SLOTS_MAX || f->has_error)
        return true;
    memset(outside, 0, sizeof outside);
    for (size_t i = 0; i < f->param_count; i++)
        if (f->params[i]->slot >= 0 && (size_t)f->params[i]->slot < SLOTS_MAX)
            outside[f->params[i]->slot] = i >= count || args_outside[i];
    struct scope s = {
        .module = m, .func = f, .outside = outside, .slots = f->var_count, .depth = depth};
    analyse(&s);
    return s.writes;
}

/* The address behind an argument that is bound to a reference or passed as a pointer. */
static bool argument_outside(struct scope *s, const struct ir_func *f, size_t i,
                             const struct ir_expr *arg)
{
    bool by_ref = f && i < f->param_count && f->params[i]->type &&
                  f->params[i]->type->kind == IR_T_REF;
    return by_ref ? store_leaves(s, arg) || leads_outside(s, arg) : leads_outside(s, arg);
}

static const struct ir_func *functor(const struct ir_module *m, const struct ir_expr *callee)
{
    const struct ir_type *t = callee ? cmpd_ir_strip_ref(callee->type) : NULL;
    for (size_t i = 0; t && t->kind == IR_T_STRUCT && t->record && i < m->func_count; i++)
        if (m->funcs[i]->record == t->record && m->funcs[i]->body &&
            strcmp(m->funcs[i]->name, "operator()") == 0)
            return m->funcs[i];
    return NULL;
}

static bool call_writes(struct scope *s, const struct ir_expr *x)
{
    const struct ir_func *f = x->func && x->func->body ? x->func : functor(s->module, x->a);
    if (f) {
        bool outside[32];
        size_t n = x->arg_count < 32 ? x->arg_count : 32;
        for (size_t i = 0; i < n; i++)
            outside[i] = argument_outside(s, f, i, x->args[i]);
        if (f->is_method) /* members of an object may be pointers: only plain functors are known */
            return f->record && f->record->field_count
                       ? true
                       : function_writes(s->module, f, outside, n, s->depth + 1);
        return function_writes(s->module, f, outside, n, s->depth + 1);
    }
    const char *name = x->name ? ev_plain_name(x->name) : NULL;
    if (!name || (x->a && x->a->kind == IR_X_MEMBER))
        return true;
    if (strcmp(name, "printf") == 0 || strcmp(name, "assert") == 0 || strcmp(name, "__trap") == 0)
        return true; /* can be seen outside */
    bool pure = ev_is_known_name(name);
    for (size_t i = 0; i < x->arg_count; i++) {
        const struct ir_expr *arg = x->args[i];
        const struct ir_type *t = arg ? cmpd_ir_strip_ref(arg->type) : NULL;
        bool pointer = !t || t->kind == IR_T_PTR || t->kind == IR_T_ARRAY ||
                       (!pure && t->kind == IR_T_UNKNOWN);
        bool load = strncmp(name, "__ld", 4) == 0;
        if (pointer && !load && leads_outside(s, arg))
            return true;
    }
    return !pure;
}

bool cmpd_outside_may_write(const struct ir_module *module, const struct ir_func *kernel)
{
    return function_writes(module, kernel, NULL, 0, 0);
}
