/* Calls: of functions, methods, functors and constructors, and casts that look like calls. */
#include <string.h>

#include "analysis/ir/lower.h"

/* ---- construction ---- */

static const struct ir_func *constructor(struct lower *L, const struct ir_type *t,
                                         const struct ir_expr **args, size_t count)
{
    if (t->kind != IR_T_STRUCT || !t->record || t->record->builtin)
        return NULL;
    return ir_resolve_method(L, t, IR_CONSTRUCTOR, args, count);
}

const struct ir_expr *ir_construct(struct lower *L, uint32_t node, const struct ir_type *type,
                                   const struct ir_expr **args, size_t count, bool paren)
{
    struct ir_expr *x;
    if (paren && count == 1 && type->kind != IR_T_STRUCT && type->kind != IR_T_UNKNOWN) {
        x = ir_new_expr(L, IR_X_CAST, node, type);
        x->cast = IR_CAST_FUNCTIONAL;
        x->a = args[0];
        return x;
    }
    x = ir_new_expr(L, IR_X_INIT, node, type);
    x->args = args;
    x->arg_count = count;
    x->paren = paren;
    x->func = constructor(L, type, args, count);
    return x;
}

/* ---- calls ---- */

/* f({1, 2}): braces get the type of the parameter. */
static void type_braces(const struct ir_func *f, const struct ir_expr *const *args, size_t count)
{
    for (size_t i = 0; i < count && i < f->param_count; i++) {
        struct ir_expr *x = (struct ir_expr *)args[i];
        const struct ir_type *t = cmpd_ir_strip_ref(f->params[i]->type);
        if (x->kind == IR_X_INIT && !x->paren && x->type == &ir_t_unknown && !ir_is_dependent(t))
            x->type = t;
    }
}

static void bind_references(const struct ir_func *f, const struct ir_expr *const *args,
                            size_t count)
{
    for (size_t i = 0; i < count && i < f->param_count; i++) {
        const struct ir_type *t = f->params[i]->type;
        if (t->kind == IR_T_REF && !t->elem->is_const)
            ir_take_address(args[i]);
    }
}

/* The lambda that a variable holds, or NULL. */
static const struct ir_func *lambda_of(const struct ir_expr *callee)
{
    const struct ir_expr *x = callee;
    if (x->kind == IR_X_VAR && x->var->init)
        x = x->var->init;
    return x->kind == IR_X_LAMBDA ? x->lambda->func : NULL;
}

static const struct ir_func *func_of(struct lower *L, struct ir_expr *x)
{
    const struct ir_expr *callee = x->a;
    switch (callee->kind) {
    case IR_X_FUNC:
        return ir_resolve(L, callee->func->name, callee->func->scope, x->args, x->arg_count,
                          x->targs, x->targ_count);
    case IR_X_MEMBER:
        return ir_resolve_method(L, callee->a->type, callee->name, x->args, x->arg_count);
    case IR_X_VAR:
    case IR_X_LAMBDA: {
        const struct ir_func *f = lambda_of(callee);
        return f ? f : ir_resolve_method(L, callee->type, "operator()", x->args, x->arg_count);
    }
    default:
        return ir_resolve_method(L, callee->type, "operator()", x->args, x->arg_count);
    }
}

/* The object of a method call, for the parameters of its class template. */
static const struct ir_type *object_type(const struct ir_expr *callee)
{
    const struct ir_type *t = cmpd_ir_strip_ref(callee->kind == IR_X_MEMBER ? callee->a->type
                                                                            : callee->type);
    return t->kind == IR_T_PTR ? t->elem : t;
}

/* Members of the containers of the standard library and thrust. */
static const struct ir_type *container_call(struct lower *L, const struct ir_type *object,
                                            const char *name)
{
    static const struct {
        const char *name;
        int pointers; /* of the result over the element; -1: a size */
    } known[] = {{"data", 1}, {"get", 1},   {"begin", 1}, {"end", 1},
                 {"back", 0}, {"front", 0}, {"at", 0},    {"size", -1}};
    const struct ir_type *elem = ir_container_elem(object);
    for (size_t i = 0; elem && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].pointers < 0 ? &ir_t_size
                   : known[i].pointers   ? ir_ptr_to(L->arena, elem)
                                         : elem;
    return NULL;
}

static const struct ir_type *type_of_call(struct lower *L, const struct ir_expr *x)
{
    const struct ir_type *t = NULL;
    if (x->func)
        t = ir_call_type(L, x->func, x->args, x->arg_count, x->targs, x->targ_count,
                         object_type(x->a));
    else if (x->a->kind == IR_X_NAME)
        t = ir_known_call_type(L->arena, x->a->name, x->args, x->arg_count, x->targs,
                               x->targ_count);
    else if (x->a->kind == IR_X_MEMBER && !(t = container_call(L, object_type(x->a), x->a->name)))
        t = ir_known_method_type(x->a->name, x->args, x->arg_count);
    return t ? cmpd_ir_strip_ref(t) : &ir_t_unknown;
}

/* A method named without its object: this->f(). */
static void add_this(struct lower *L, uint32_t node, struct ir_expr *x)
{
    if (!x->func || x->a->kind != IR_X_FUNC || !x->func->is_method || x->func->is_static ||
        !L->ctx.record)
        return;
    struct ir_expr *m = ir_new_expr(L, IR_X_MEMBER, node, NULL);
    m->a = ir_this_expr(L, node);
    m->arrow = true;
    m->name = x->func->name;
    m->field = -1;
    x->a = m;
}

const struct ir_expr *ir_make_call(struct lower *L, uint32_t node, const struct ir_expr *callee,
                                   const struct ir_expr **args, size_t count)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_CALL, node, NULL);
    x->a = callee;
    x->args = args;
    x->arg_count = count;
    x->name = callee->name;
    x->targs = callee->targs;
    x->targ_count = callee->targ_count;
    x->func = callee->kind == IR_X_NAME ? NULL : func_of(L, x);
    if (x->func)
        bind_references(x->func, args, count);
    if (x->func)
        type_braces(x->func, args, count);
    add_this(L, node, x);
    x->type = type_of_call(L, x);
    return x;
}

/* ---- overloaded operators ---- */

static bool may_overload(const struct ir_type *t)
{
    return t->kind == IR_T_STRUCT;
}

const struct ir_expr *ir_call_operator(struct lower *L, uint32_t node, const char *op,
                                       const struct ir_expr *a, const struct ir_expr *b)
{
    const struct ir_type *ta = cmpd_ir_strip_ref(a->type),
                         *tb = b ? cmpd_ir_strip_ref(b->type) : &ir_t_unknown;
    if (!may_overload(ta) && !may_overload(tb))
        return NULL;
    const char *name = cmpd_arena_printf(L->arena, "operator%s", op);
    struct symbol *sym = ir_symbol(L, name, strlen(name));
    if (!sym->top)
        return NULL;
    const struct ir_expr **args = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, 2);
    args[0] = b;
    const struct ir_func *f = ir_resolve_method(L, ta->kind == IR_T_STRUCT ? ta : &ir_t_unknown,
                                                name, args, b != NULL);
    if (f) {
        struct ir_expr *m = ir_new_expr(L, IR_X_MEMBER, node, NULL);
        m->a = a;
        m->name = sym->name;
        m->field = -1;
        return ir_make_call(L, node, m, args, b != NULL);
    }
    args[0] = a;
    args[1] = b;
    f = ir_resolve(L, name, NULL, args, b ? 2 : 1, NULL, 0);
    if (!f || f->is_method)
        return NULL;
    struct ir_expr *callee = ir_new_expr(L, IR_X_FUNC, node, NULL);
    callee->func = f;
    callee->name = f->name;
    return ir_make_call(L, node, callee, args, b ? 2 : 1);
}

/* ---- what a call_expression may be ---- */

static const struct ir_expr *named_cast(struct lower *L, uint32_t node, uint32_t fn)
{
    static const struct {
        const char *name;
        enum ir_cast cast;
    } casts[] = {{"static_cast", IR_CAST_STATIC},
                 {"reinterpret_cast", IR_CAST_REINTERPRET},
                 {"const_cast", IR_CAST_CONST},
                 {"dynamic_cast", IR_CAST_STATIC}};
    uint32_t targs, name = ir_name_and_args(L, fn, &targs);
    uint32_t desc = targs ? ir_first_child(L, targs) : 0, list = ir_child(L, node, TF_ARGUMENTS);
    uint32_t value = list ? ir_first_child(L, list) : 0;
    if (!name || !desc || !value)
        return NULL;
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        if (!ir_text_is(L, name, casts[i].name))
            continue;
        struct ir_expr *x = ir_new_expr(L, IR_X_CAST, node, ir_type_descriptor(L, desc));
        x->cast = casts[i].cast;
        x->a = ir_initializer(L, value, &ir_t_unknown);
        if (x->type->kind == IR_T_REF)
            ir_take_address(x->a);
        return x;
    }
    return NULL;
}

/* (T)(x): a call of a name in parentheses. */
static const struct ir_expr *paren_cast(struct lower *L, uint32_t node, uint32_t fn,
                                        const struct ir_expr **args, size_t count)
{
    const struct ir_type *t = count == 1 ? ir_type_of_expr(L, fn) : NULL;
    if (!t)
        return NULL;
    struct ir_expr *x = ir_new_expr(L, IR_X_CAST, node, t);
    x->a = args[0];
    return x;
}

static const struct ir_type *constructed_type(struct lower *L, uint32_t fn)
{
    switch (ir_kind(L, fn)) {
    case TK_PRIMITIVE_TYPE:
    case TK_IDENT:
    case TK_QUALIFIED_ID:
    case TK_TEMPLATE_FUNCTION:
        return ir_type_of_name(L, fn);
    default:
        return NULL;
    }
}

const struct ir_expr *ir_call_node(struct lower *L, uint32_t node)
{
    uint32_t fn = ir_child(L, node, TF_FUNCTION), list = ir_child(L, node, TF_ARGUMENTS);
    if (!fn || !list)
        return ir_unknown_expr(L, node);
    uint32_t config = ir_child_kind(L, node, TK_KERNEL_CALL);
    if (config)
        return ir_launch_node(L, node, config);
    const struct ir_expr *x = NULL;
    if (L->n[fn].kind == TK_TEMPLATE_FUNCTION && (x = named_cast(L, node, fn)))
        return x;
    if (ir_needs_repair(L, node))
        return ir_repair(L, node);
    const struct ir_type *made = constructed_type(L, fn);
    size_t count;
    const struct ir_expr **args = ir_arg_list(L, list, &count);
    if (made)
        return ir_construct(L, node, made, args, count, true);
    if (L->n[fn].kind == TK_PAREN && (x = paren_cast(L, node, fn, args, count)))
        return x;
    const struct ir_expr *callee = ir_expr(L, fn);
    if (callee->kind == IR_X_NAME) {
        x = ir_launch_api(L, node, callee->name, args, count);
        if (x)
            return x;
    }
    return ir_make_call(L, node, callee, args, count);
}
