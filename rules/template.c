/*
 * template: how many instances of one template the file makes.
 *
 * Catches: more instances of a function or kernel template than the policy's
 * template_limit, counted over explicit instantiations, calls and launches with
 * constant arguments, what those instances call in turn, and recursion such as
 * f<N - 1>().
 *
 * Misses: class templates, and arguments that are deduced from values or made
 * in other files.
 */
#include <string.h>

#include "analysis/rule.h"

enum { INSTANCES_MAX = 2048, ARGS_MAX = 8 };

struct instance {
    const struct ir_func *func;
    int64_t values[ARGS_MAX];    /* of value parameters */
    const char *types[ARGS_MAX]; /* names of type arguments */
    bool known[ARGS_MAX];        /* a value that could be computed, or a named type */
    struct ir_loc at;            /* the place in code that is no template which led here */
};

struct count {
    struct cmpd_check *check;
    struct instance *items;
    size_t n;
    const struct instance *caller; /* whose body is being read; NULL: code that is no template */
    struct ir_loc at;
};

/* ---- constants under a caller's binding ---- */

static bool constant(const struct count *c, const struct ir_expr *x, int64_t *out, int depth);

static bool constant_binary(const struct count *c, const struct ir_expr *x, int64_t *out, int depth)
{
    int64_t a, b;
    if (!constant(c, x->a, &a, depth + 1) || !constant(c, x->b, &b, depth + 1))
        return false;
    switch (x->op) {
    case IR_OP_ADD:
        return !__builtin_add_overflow(a, b, out);
    case IR_OP_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case IR_OP_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case IR_OP_DIV:
    case IR_OP_MOD:
        if (b == 0 || b == -1)
            return false;
        *out = x->op == IR_OP_DIV ? a / b : a % b;
        return true;
    case IR_OP_SHL:
        if (b < 0 || b > 30 || a < 0 || a > INT32_MAX)
            return false;
        *out = a << b;
        return true;
    case IR_OP_SHR:
        if (b < 0 || b > 62 || a < 0)
            return false;
        *out = a >> b;
        return true;
    default:
        return false;
    }
}

static bool constant(const struct count *c, const struct ir_expr *x, int64_t *out, int depth)
{
    if (!x || depth > 16)
        return false;
    switch (x->kind) {
    case IR_X_INT:
        *out = x->ival;
        return true;
    case IR_X_CAST:
        return constant(c, x->a, out, depth + 1);
    case IR_X_BINARY:
        return constant_binary(c, x, out, depth);
    case IR_X_UNARY:
        if (x->op != IR_OP_NEG || !constant(c, x->a, out, depth + 1) || *out == INT64_MIN)
            return false;
        *out = -*out;
        return true;
    case IR_X_VAR:
        if (x->var->storage == IR_V_TPARAM) {
            int i = x->var->tparam;
            if (!c->caller || i < 0 || i >= ARGS_MAX || !c->caller->known[i])
                return false;
            *out = c->caller->values[i];
            return true;
        }
        return (x->var->is_constexpr || x->var->is_const) && x->var->init &&
               constant(c, x->var->init, out, depth + 1);
    default:
        return false;
    }
}

/* ---- instances ---- */

static const char *type_name(const struct count *c, const struct ir_type *t)
{
    if (t && t->kind == IR_T_TPARAM)
        return c->caller && t->tparam >= 0 && t->tparam < ARGS_MAX ? c->caller->types[t->tparam]
                                                                   : NULL;
    return t ? t->name : NULL;
}

static bool same(const struct instance *a, const struct instance *b, size_t args)
{
    for (size_t i = 0; i < args && i < ARGS_MAX; i++) {
        bool type = a->types[i] || b->types[i];
        if (type ? !a->types[i] || !b->types[i] || strcmp(a->types[i], b->types[i]) != 0
                 : a->values[i] != b->values[i])
            return false;
    }
    return true;
}

/* Is there a `template <> f<...>` for these values? It ends a recursion. */
static bool has_own_body(const struct count *c, const struct instance *in)
{
    for (size_t i = 0; i < c->check->module->func_count; i++) {
        const struct ir_func *g = c->check->module->funcs[i];
        bool same = g->is_specialization && g->spec_targ_count == in->func->tparam_count &&
                    strcmp(g->name, in->func->name) == 0;
        for (size_t k = 0; k < g->spec_targ_count && same; k++) {
            int64_t value;
            same = in->known[k] && g->spec_targs[k].value &&
                   constant(c, g->spec_targs[k].value, &value, 0) && value == in->values[k];
        }
        if (same)
            return true;
    }
    return false;
}

/* Take up func<targs> if all its arguments are known and it is new. */
static void add_instance(struct count *c, const struct ir_func *f, const struct ir_targ *targs,
                         size_t targ_count)
{
    if (!f || !f->tparam_count || f->tparam_count > ARGS_MAX || !targ_count ||
        c->n == INSTANCES_MAX)
        return;
    struct instance in = {.func = f, .at = c->at};
    for (size_t i = 0; i < f->tparam_count; i++) {
        const struct ir_targ *t = i < targ_count ? &targs[i] : NULL;
        if (t && t->value && constant(c, t->value, &in.values[i], 0))
            in.known[i] = true;
        else if (t && t->type)
            in.types[i] = type_name(c, t->type);
        else if (t)
            return; /* depends on what is not known here */
    }
    if (has_own_body(c, &in))
        return;
    for (size_t i = 0; i < c->n; i++)
        if (c->items[i].func == f && same(&c->items[i], &in, f->tparam_count))
            return;
    c->items[c->n++] = in;
}

static bool note_expr(const struct ir_expr *x, void *ctx)
{
    struct count *c = ctx;
    if (!c->caller)
        c->at = x->loc;
    if (x->kind == IR_X_CALL && x->func)
        add_instance(c, x->func, x->targs, x->targ_count);
    else if (x->kind == IR_X_LAUNCH)
        add_instance(c, x->launch->kernel, x->launch->targs, x->launch->targ_count);
    else if (x->kind == IR_X_LAMBDA && x->lambda->func->body)
        cmpd_ir_walk_stmt(x->lambda->func->body, note_expr, ctx);
    return c->n < INSTANCES_MAX;
}

static void collect(struct count *c, const struct ir_module *m)
{
    for (size_t i = 0; i < m->instantiation_count; i++) {
        c->at = m->instantiations[i].loc;
        add_instance(c, m->instantiations[i].func, m->instantiations[i].targs,
                     m->instantiations[i].targ_count);
    }
    for (size_t i = 0; i < m->func_count; i++)
        if (m->funcs[i]->body && !m->funcs[i]->tparam_count && !m->funcs[i]->is_lambda)
            cmpd_ir_walk_stmt(m->funcs[i]->body, note_expr, c);
    for (size_t i = 0; i < c->n && c->n < INSTANCES_MAX; i++) { /* grows while it is walked */
        struct instance caller = c->items[i];
        c->caller = &caller;
        c->at = caller.at;
        if (caller.func->body)
            cmpd_ir_walk_stmt(caller.func->body, note_expr, c);
    }
    c->caller = NULL;
}

/* ---- the verdict ---- */

static size_t instances_of(const struct count *c, const struct ir_func *f, struct ir_loc *first)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->items[i].func != f)
            continue;
        if (n++ == 0 || c->items[i].at.off < first->off)
            *first = c->items[i].at;
    }
    return n;
}

static void judge(struct cmpd_check *check, const struct count *c, const struct ir_module *m)
{
    uint32_t limit = check->policy->template_limit;
    uint32_t told[16];
    size_t told_count = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < m->func_count; i++) {
            const struct ir_func *f = m->funcs[i];
            struct ir_loc at = {0};
            bool kernel = f->kind == IR_F_KERNEL;
            if (kernel != (pass == 0) || !f->tparam_count || instances_of(c, f, &at) <= limit)
                continue;
            bool known = false; /* a wrapper and its kernel stem from one place: one finding */
            for (size_t k = 0; k < told_count; k++)
                known |= told[k] == at.off;
            if (known || told_count == 16)
                continue;
            told[told_count++] = at.off;
            size_t n = instances_of(c, f, &at);
            cmpd_report(
                check, CMPD_TAG_template_bloat, CMPD_TIER_REVIEW, at.off, at.end, f->name,
                "make the parameter an argument, or keep the template for the few values that gain from it",
                "template %s is instantiated %zu%s times, over the limit of %u", f->name, n,
                c->n == INSTANCES_MAX ? " or more" : "", limit);
        }
    }
}

static void run(struct cmpd_check *check)
{
    if (!check->module)
        return;
    struct count c = {.check = check};
    c.items = CMPD_ARENA_ARRAY(check->arena, struct instance, INSTANCES_MAX);
    collect(&c, check->module);
    judge(check, &c, check->module);
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_TEMPLATE] > 0;
}

const struct cmpd_rule cmpd_rule_template = {
    .name = "template",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
