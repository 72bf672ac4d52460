/* Which function a call means: arity, then how well the arguments fit the parameters. */
#include <string.h>

#include "analysis/ir/lower.h"

enum { NO_FIT = -1 };

static size_t required_params(const struct ir_func *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->param_count; i++) {
        const struct ir_var *p = f->params[i];
        if (p->init || p->is_pack)
            break;
        n++;
    }
    return n;
}

bool ir_arity_fits(const struct ir_func *f, size_t count)
{
    if (count < required_params(f))
        return false;
    if (count <= f->param_count || f->is_variadic)
        return true;
    return f->param_count && f->params[f->param_count - 1]->is_pack;
}

static int pointer_cost(const struct ir_type *p, const struct ir_type *a)
{
    if (a == &ir_t_nullptr)
        return 2;
    if (a->kind == IR_T_INT)
        return 6; /* a literal 0, or wrong */
    if (a->kind != IR_T_PTR)
        return a->kind == IR_T_STRUCT && a->record && !a->record->builtin ? 6 : NO_FIT;
    const struct ir_type *pe = p->elem, *ae = a->elem;
    if (pe->kind == IR_T_UNKNOWN || ae->kind == IR_T_UNKNOWN)
        return 2;
    if (ir_same_type(pe, ae))
        return pe->is_const == ae->is_const ? 0 : 1;
    if (pe->kind == IR_T_VOID)
        return 4;
    if (ir_is_dependent(pe))
        return ir_is_dependent(ae) ? 1 : 2;
    if (ir_is_dependent(ae))
        return 3;
    return pe->kind == IR_T_STRUCT && ae->kind == IR_T_STRUCT && ae->record && ae->record->has_bases
               ? 5
               : NO_FIT;
}

static int arith_cost(const struct ir_type *p, const struct ir_type *a)
{
    if (a->kind == IR_T_STRUCT)
        return a->record && !a->record->builtin ? 6 : NO_FIT;
    if (a->kind == IR_T_PTR)
        return p->kind == IR_T_BOOL ? 5 : NO_FIT;
    if (!ir_is_arith(a))
        return 3;
    if (ir_same_type(ir_promote(a), p) ||
        (a->kind == IR_T_FLOAT && p->kind == IR_T_FLOAT && p->size == 8))
        return 2;
    return a->kind == p->kind ? 3 : 4;
}

static int struct_cost(const struct ir_type *p, const struct ir_type *a)
{
    bool p_vec = p->record && p->record->builtin,
         a_vec = a->kind == IR_T_STRUCT && a->record && a->record->builtin;
    if (a->kind == IR_T_STRUCT && p->record && a->record && p->record->primary &&
        p->record->primary == (a->record->primary ? a->record->primary : a->record))
        return 1; /* two instances of one template, parameters still open */
    if (p_vec && (a_vec || a->kind == IR_T_PTR))
        return p->record == ir_t_dim3.record && a->record == ir_t_uint3.record ? 3 : NO_FIT;
    if (a->kind == IR_T_PTR && !p->record)
        return 6;
    return 6;
}

/* What the conversion of an argument costs; NO_FIT: there is none. */
static int arg_cost(struct lower *L, const struct ir_type *param, const struct ir_type *arg)
{
    const struct ir_type *p = cmpd_ir_strip_ref(param);
    const struct ir_type *a = cmpd_ir_strip_ref(arg);
    if (p->kind == IR_T_ARRAY && a->kind == IR_T_ARRAY)
        return ir_same_type(p->elem, a->elem) ? 0 : ir_is_dependent(p->elem) ? 1 : NO_FIT;
    a = ir_decay(L->arena, a);
    if (p->kind == IR_T_UNKNOWN || a->kind == IR_T_UNKNOWN)
        return 3;
    if (ir_same_type(p, a) && p->kind != IR_T_PTR)
        return 0;
    if (p->kind == IR_T_TPARAM)
        return 1;
    if (a->kind == IR_T_TPARAM)
        return 3;
    if (p->kind == IR_T_PTR)
        return pointer_cost(p, a);
    if (ir_is_arith(p))
        return arith_cost(p, a);
    return struct_cost(p, a);
}

static int call_cost(struct lower *L, const struct ir_func *f, const struct ir_expr *const *args,
                     size_t count, int ceiling)
{
    int total = 0;
    for (size_t i = 0; i < count; i++) {
        bool pack = i >= f->param_count || f->params[i]->is_pack;
        int cost = pack ? 4 : arg_cost(L, f->params[i]->type, args[i]->type);
        if (cost == NO_FIT || cost > ceiling)
            return NO_FIT;
        total += cost;
    }
    return total;
}

static bool same_signature(const struct ir_func *f, const struct ir_func *g)
{
    if (f->param_count != g->param_count)
        return false;
    for (size_t i = 0; i < f->param_count; i++)
        if (!ir_same_type(f->params[i]->type, g->params[i]->type))
            return false;
    return true;
}

static bool on_device(const struct ir_func *f)
{
    return f && f->kind != IR_F_HOST;
}

/* Of two that cost the same: 1 f is better, -1 g is, 0 neither. */
static int prefer(const struct lower *L, const struct ir_func *f, const struct ir_func *g)
{
    if (!f->tparam_count != !g->tparam_count)
        return f->tparam_count ? -1 : 1;
    bool device = L->fn && on_device(L->fn->func);
    bool f_here = device ? f->kind != IR_F_HOST : f->kind != IR_F_DEVICE;
    bool g_here = device ? g->kind != IR_F_HOST : g->kind != IR_F_DEVICE;
    if (f_here != g_here)
        return f_here ? 1 : -1;
    if (f->is_defined != g->is_defined && same_signature(f, g))
        return f->is_defined ? 1 : -1;
    return 0;
}

struct choice {
    const struct ir_func *best;
    int cost;
    bool ambiguous;
};

static void consider(struct lower *L, struct choice *c, const struct ir_func *f, int cost)
{
    if (cost == NO_FIT || (c->best && cost > c->cost))
        return;
    int better = !c->best || cost < c->cost ? 1 : prefer(L, f, c->best);
    if (better > 0) {
        *c = (struct choice){f, cost, false};
    } else if (better == 0 && !same_signature(f, c->best)) {
        c->ambiguous = true;
    }
}

/* An explicit specialisation that the arguments lead to. */
static const struct ir_func *specialised(const struct symbol *sym, const struct ir_func *f,
                                         const struct ir_targ *bound)
{
    for (const struct binding *b = sym->top; b; b = b->older) {
        const struct ir_func *g = b->kind == BIND_FUNC ? b->func : NULL;
        if (!g || !g->is_specialization || g->param_count != f->param_count ||
            g->spec_targ_count > f->tparam_count)
            continue;
        bool same = true;
        for (size_t i = 0; i < g->spec_targ_count && same; i++)
            same = ir_same_targ(&g->spec_targs[i], &bound[i]);
        if (same && (g->spec_targ_count || same_signature(f, g)))
            return g;
    }
    return f;
}

const struct ir_func *ir_resolve(struct lower *L, const char *name, const char *scope,
                                 const struct ir_expr *const *args, size_t count,
                                 const struct ir_targ *targs, size_t targ_count)
{
    const struct symbol *sym = ir_symbol(L, name, strlen(name));
    struct choice c = {NULL, 0, false};
    for (const struct binding *b = sym->top; b; b = b->older) {
        if (b->kind != BIND_FUNC || (scope && b->scope && strcmp(scope, b->scope) != 0))
            continue;
        const struct ir_func *f = b->func;
        if (f->is_specialization || !ir_arity_fits(f, count) || (targ_count && !f->tparam_count))
            continue;
        consider(L, &c, f, call_cost(L, f, args, count, scope ? 9 : 4));
    }
    if (!c.best || c.ambiguous)
        return NULL;
    if (!c.best->tparam_count)
        return c.best;
    return specialised(sym, c.best, ir_bind_targs(L, c.best, args, count, targs, targ_count, NULL));
}

static const struct ir_func *method_in(struct lower *L, const struct ir_struct *rec,
                                       const struct symbol *sym, const struct ir_expr *const *args,
                                       size_t count, unsigned depth)
{
    const char *path = ir_record_path(L, rec);
    struct choice c = {NULL, 0, false};
    bool any = false;
    for (const struct binding *b = sym->top; b; b = b->older) {
        if (b->kind != BIND_FUNC || !b->scope || strcmp(b->scope, path) != 0)
            continue;
        any = true;
        if (ir_arity_fits(b->func, count))
            consider(L, &c, b->func, call_cost(L, b->func, args, count, 9));
    }
    if (any)
        return c.ambiguous ? NULL : c.best;
    for (size_t i = 0; i < rec->base_count && depth < 8; i++)
        if (rec->bases[i]->record && !rec->bases[i]->record->builtin) {
            const struct ir_func *f = method_in(L, rec->bases[i]->record, sym, args, count,
                                                depth + 1);
            if (f)
                return f;
        }
    return NULL;
}

const struct ir_func *ir_resolve_method(struct lower *L, const struct ir_type *object,
                                        const char *name, const struct ir_expr *const *args,
                                        size_t count)
{
    const struct ir_type *t = cmpd_ir_strip_ref(object);
    if (t->kind == IR_T_PTR)
        t = t->elem;
    if (t->kind != IR_T_STRUCT || !t->record || t->record->builtin)
        return NULL;
    return method_in(L, t->record, ir_symbol(L, name, strlen(name)), args, count, 0);
}

const struct ir_func *cmpd_ir_find_func(const struct ir_module *m, const char *name,
                                        size_t arg_count)
{
    const struct ir_func *found = NULL;
    for (size_t i = 0; i < m->func_count; i++) {
        const struct ir_func *f = m->funcs[i];
        if (!f->body || f->is_lambda || strcmp(f->name, name) != 0 || !ir_arity_fits(f, arg_count))
            continue;
        if (!found || (found->is_specialization && !f->is_specialization)) {
            found = f;
            continue;
        }
        bool templates = f->tparam_count || f->is_specialization;
        if (!templates || !(found->tparam_count || found->is_specialization) ||
            f->param_count != found->param_count)
            return NULL;
    }
    return found;
}
