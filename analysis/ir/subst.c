/* Template arguments put into types and constant expressions; deduction for calls. */
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"

#define DEPTH_CEILING 24

static bool targs_dependent(const struct ir_targ *targs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((targs[i].type && ir_is_dependent(targs[i].type)) ||
            (targs[i].value && ir_expr_dependent(targs[i].value)))
            return true;
    return false;
}

static bool type_dependent(const struct ir_type *t)
{
    for (; t; t = t->elem) {
        if (t->kind == IR_T_TPARAM ||
            (t->kind == IR_T_ARRAY && t->extent && ir_expr_dependent(t->extent)))
            return true;
        if (t->targ_count && targs_dependent(t->targs, t->targ_count))
            return true;
    }
    return false;
}

bool ir_expr_dependent(const struct ir_expr *x)
{
    if (!x)
        return false;
    if (x->kind == IR_X_VAR && x->var->storage == IR_V_TPARAM)
        return true;
    if (x->kind == IR_X_VAR && x->var->init && (x->var->is_constexpr || x->var->is_const) &&
        x->var->init->kind != IR_X_VAR)
        return false;
    if (x->kind == IR_X_SIZEOF)
        return type_dependent(x->sizeof_type);
    if (ir_expr_dependent(x->a) || ir_expr_dependent(x->b) || ir_expr_dependent(x->c))
        return true;
    for (size_t i = 0; i < x->arg_count; i++)
        if (ir_expr_dependent(x->args[i]))
            return true;
    return false;
}

static const struct ir_targ *subst_targs(struct tsubst *s, const struct ir_targ *targs,
                                         size_t count)
{
    struct ir_targ *out = CMPD_ARENA_ARRAY(s->L->arena, struct ir_targ, count + 1);
    for (size_t i = 0; i < count; i++) {
        out[i].type = targs[i].type ? ir_subst_type(s, targs[i].type) : NULL;
        out[i].value = targs[i].value ? ir_subst_expr(s, targs[i].value) : NULL;
    }
    return out;
}

static const struct ir_type *subst_struct(struct tsubst *s, const struct ir_type *t)
{
    struct ir_type *copy = ir_type_copy(s->L->arena, t);
    copy->targs = subst_targs(s, t->targs, t->targ_count);
    if (t->kind == IR_T_STRUCT && t->record) {
        const struct ir_struct *primary = t->record->primary ? t->record->primary : t->record;
        copy->record = ir_instantiate(s->L, primary, copy->targs, copy->targ_count);
        copy->size = copy->record ? copy->record->size : 0;
        copy->align = copy->record ? copy->record->align : 0;
    }
    return copy;
}

static const struct ir_type *subst_elem(struct tsubst *s, const struct ir_type *t)
{
    const struct ir_type *elem = ir_subst_type(s, t->elem);
    if (t->kind == IR_T_ARRAY)
        return ir_array_of(s->L->arena, elem, t->extent ? ir_subst_expr(s, t->extent) : NULL);
    if (t->kind == IR_T_REF)
        return ir_ref_to(s->L->arena, elem);
    struct ir_type *copy = ir_type_copy(s->L->arena, t);
    copy->elem = elem;
    return copy;
}

const struct ir_type *ir_subst_type(struct tsubst *s, const struct ir_type *t)
{
    if (!type_dependent(t))
        return t;
    if (s->depth > DEPTH_CEILING)
        return &ir_t_unknown;
    s->depth++;
    const struct ir_type *out = &ir_t_unknown;
    if (t->kind == IR_T_TPARAM) {
        size_t i = (size_t)t->tparam;
        if (i < s->count && s->targs[i].type)
            out = ir_qualify(s->L, s->targs[i].type, t->is_const, t->is_volatile);
    } else if (t->kind == IR_T_PTR || t->kind == IR_T_REF || t->kind == IR_T_ARRAY) {
        out = subst_elem(s, t);
    } else if (t->targ_count) {
        out = subst_struct(s, t);
    }
    s->depth--;
    return out;
}

static const struct ir_expr *subst_children(struct tsubst *s, const struct ir_expr *x)
{
    struct ir_expr *copy = CMPD_ARENA_NEW(s->L->arena, struct ir_expr);
    *copy = *x;
    copy->type = ir_subst_type(s, x->type);
    copy->a = x->a ? ir_subst_expr(s, x->a) : NULL;
    copy->b = x->b ? ir_subst_expr(s, x->b) : NULL;
    copy->c = x->c ? ir_subst_expr(s, x->c) : NULL;
    if (x->kind == IR_X_SIZEOF)
        copy->sizeof_type = ir_subst_type(s, x->sizeof_type);
    if (x->kind == IR_X_BINARY && copy->a && copy->b)
        copy->type = ir_binary_type(s->L->arena, x->op, copy->a->type, copy->b->type);
    return copy;
}

const struct ir_expr *ir_subst_expr(struct tsubst *s, const struct ir_expr *x)
{
    if (!ir_expr_dependent(x))
        return x;
    if (x->kind == IR_X_VAR) {
        size_t i = (size_t)x->var->tparam;
        if (i < s->count && s->targs[i].value)
            return s->targs[i].value;
    } else if (s->depth <= DEPTH_CEILING && !x->arg_count) {
        s->depth++;
        const struct ir_expr *out = subst_children(s, x);
        s->depth--;
        return out;
    }
    struct ir_expr *unknown = CMPD_ARENA_NEW(s->L->arena, struct ir_expr);
    unknown->loc = x->loc;
    unknown->type = x->type;
    return unknown;
}

/* ---- deduction ---- */

static void unify(const struct ir_type *param, const struct ir_type *arg, struct ir_targ *out,
                  size_t count)
{
    for (unsigned depth = 0; param && arg && depth < DEPTH_CEILING; depth++) {
        if (param->kind == IR_T_REF) {
            param = param->elem;
            continue;
        }
        if (param->kind == IR_T_TPARAM) {
            size_t i = (size_t)param->tparam;
            if (i < count && !out[i].type)
                out[i].type = arg;
            return;
        }
        if (param->kind == IR_T_ARRAY && arg->kind == IR_T_ARRAY && param->extent &&
            param->extent->kind == IR_X_VAR && param->extent->var->storage == IR_V_TPARAM) {
            size_t i = (size_t)param->extent->var->tparam;
            if (i < count && !out[i].value)
                out[i].value = arg->extent;
        }
        if (param->targ_count && param->targ_count == arg->targ_count) {
            for (size_t i = 0; i < param->targ_count; i++) {
                const struct ir_targ *p = &param->targs[i], *a = &arg->targs[i];
                if (p->type && a->type)
                    unify(p->type, a->type, out, count);
                else if (p->value && p->value->kind == IR_X_VAR &&
                         p->value->var->storage == IR_V_TPARAM && a->value)
                    out[p->value->var->tparam].value = a->value;
            }
            return;
        }
        if (!param->elem || !arg->elem)
            return;
        param = param->elem;
        arg = arg->elem;
    }
}

static void fill_defaults(const struct ir_func *f, struct ir_targ *out)
{
    for (size_t i = 0; i < f->tparam_count; i++) {
        const struct ir_tparam *p = &f->tparams[i];
        if (p->is_type && !out[i].type && p->type && !ir_is_dependent(p->type))
            out[i].type = p->type;
        if (!p->is_type && !out[i].value && p->def)
            out[i].value = p->def;
    }
}

struct ir_targ *ir_bind_targs(struct lower *L, const struct ir_func *f,
                              const struct ir_expr *const *args, size_t count,
                              const struct ir_targ *targs, size_t targ_count,
                              const struct ir_type *object)
{
    struct ir_targ *bound = CMPD_ARENA_ARRAY(L->arena, struct ir_targ, f->tparam_count + 1);
    size_t given = 0;
    if (object && object->targ_count) /* a method's list begins with its class' parameters */
        for (; given < object->targ_count && given < f->tparam_count; given++)
            bound[given] = object->targs[given];
    for (size_t i = 0; i < targ_count && given < f->tparam_count && !f->tparams[given].is_pack; i++)
        bound[given++] = targs[i];
    for (size_t i = 0; i < f->param_count && i < count; i++) {
        bool by_ref = f->params[i]->type->kind == IR_T_REF;
        const struct ir_type *t = by_ref ? cmpd_ir_strip_ref(args[i]->type)
                                         : ir_decay(L->arena, args[i]->type);
        unify(f->params[i]->type, t, bound, f->tparam_count);
    }
    fill_defaults(f, bound);
    return bound;
}

const struct ir_type *ir_call_type(struct lower *L, const struct ir_func *f,
                                   const struct ir_expr *const *args, size_t count,
                                   const struct ir_targ *targs, size_t targ_count,
                                   const struct ir_type *object)
{
    if (!type_dependent(f->ret))
        return f->ret;
    if (!f->tparam_count)
        return &ir_t_unknown;
    const struct ir_targ *bound = ir_bind_targs(L, f, args, count, targs, targ_count, object);
    struct tsubst s = {L, bound, f->tparam_count, 0};
    return ir_subst_type(&s, f->ret);
}

/* ---- class templates ---- */

#define INSTANCE_DEPTH_CEILING 12
#define INSTANCE_CEILING       1024

static bool targs_equal(const struct ir_targ *a, size_t n, const struct ir_targ *b, size_t m)
{
    if (n != m)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!ir_same_targ(&a[i], &b[i]))
            return false;
    return true;
}

/* The arguments with the template's defaults behind them. */
const struct ir_targ *ir_with_defaults(struct lower *L, const struct ir_struct *primary,
                                       const struct ir_targ *targs, size_t count, size_t *out_count)
{
    const struct tframe *frame = ((const struct record_full *)primary)->frame;
    size_t need = frame ? frame->base + frame->count : 0;
    *out_count = count;
    if (count >= need || frame->base)
        return targs;
    struct ir_targ *all = CMPD_ARENA_ARRAY(L->arena, struct ir_targ, need);
    if (count)
        memcpy(all, targs, count * sizeof *all);
    for (; *out_count < need; ++*out_count) {
        const struct ir_tparam *p = &frame->params[*out_count];
        struct tsubst s = {L, all, *out_count, 0};
        if (p->is_pack || !(p->is_type ? p->type != NULL : p->def != NULL))
            break;
        if (p->is_type)
            all[*out_count].type = ir_subst_type(&s, p->type);
        else
            all[*out_count].value = ir_subst_expr(&s, p->def);
    }
    return all;
}

static const struct ir_struct *make_instance(struct lower *L, const struct record_full *from,
                                             const struct ir_targ *targs, size_t count)
{
    struct record_full *full = CMPD_ARENA_NEW(L->arena, struct record_full);
    *full = *from;
    struct ir_struct *rec = &full->rec;
    rec->is_template = false;
    rec->primary = &from->rec;
    rec->size = rec->align = 0;
    rec->fields = CMPD_ARENA_ARRAY(L->arena, struct ir_field, rec->field_count + 1);
    struct record_spec spec = {&from->rec, rec, targs, count, false};
    CMPD_GROW(L->specs, L->spec_count + 1, L->spec_cap);
    L->specs[L->spec_count++] = spec;
    struct tsubst s = {L, targs, count, 0};
    for (size_t i = 0; i < rec->field_count; i++) {
        rec->fields[i] = from->rec.fields[i];
        rec->fields[i].type = ir_subst_type(&s, from->rec.fields[i].type);
    }
    ir_layout(full);
    return rec;
}

/* Could the argument be what a partial specialisation's pattern asks for? */
static bool may_match(const struct ir_targ *pattern, const struct ir_targ *arg)
{
    const struct ir_type *p = pattern->type, *t = arg->type;
    int64_t u, v;
    if (!p || !t) {
        bool both = pattern->value && arg->value;
        return !both || !ir_const_int(pattern->value, &u) || !ir_const_int(arg->value, &v) ||
               u == v;
    }
    while (p->kind == t->kind && p->elem && t->elem) {
        p = p->elem;
        t = t->elem;
    }
    if (p->kind == IR_T_TPARAM || p->kind == IR_T_UNKNOWN || t->kind == IR_T_TPARAM ||
        t->kind == IR_T_UNKNOWN)
        return true;
    return p->kind == t->kind && (p->targ_count || ir_same_type(p, t));
}

static bool may_specialise(const struct record_spec *spec, const struct ir_targ *targs,
                           size_t count)
{
    for (size_t i = 0; i < count && i < spec->targ_count; i++)
        if (!may_match(&spec->targs[i], &targs[i]))
            return false;
    return true;
}

const struct ir_struct *ir_instantiate(struct lower *L, const struct ir_struct *primary,
                                       const struct ir_targ *targs, size_t count)
{
    const struct record_full *full = (const struct record_full *)primary;
    if (!primary || primary->builtin || !full->frame)
        return primary;
    if (!full->complete)
        return primary;
    targs = ir_with_defaults(L, primary, targs, count, &count);
    bool partial = false;
    for (size_t i = 0; i < L->spec_count; i++) {
        const struct record_spec *spec = &L->specs[i];
        if (spec->primary != primary)
            continue;
        if (spec->partial)
            partial |= may_specialise(spec, targs, count);
        else if (targs_equal(spec->targs, spec->targ_count, targs, count))
            return spec->record;
    }
    if (partial || L->instance_depth >= INSTANCE_DEPTH_CEILING || L->spec_count >= INSTANCE_CEILING)
        return NULL;
    L->instance_depth++;
    const struct ir_struct *rec = make_instance(L, full, targs, count);
    L->instance_depth--;
    return rec;
}
