/* Functions, methods, lambdas: signatures first, bodies once all names are known. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"

struct ir_func *ir_new_func(struct lower *L, uint32_t node, const char *name)
{
    struct ir_func *f = CMPD_ARENA_NEW(L->arena, struct ir_func);
    f->name = name;
    f->scope = L->ctx.scope;
    f->loc = ir_loc_of(L, node);
    f->ret = &ir_t_void;
    f->is_extern_c = L->ctx.extern_c;
    f->index = (uint32_t)L->funcs.count;
    ir_push(&L->funcs, f);
    return f;
}

/* ---- parameters ---- */

static struct ir_var *one_param(struct lower *L, struct ir_func *f, uint32_t node)
{
    struct specs specs;
    struct declarator d;
    ir_specs(L, node, &specs);
    ir_declarator(L, ir_child(L, node, TF_DECLARATOR), specs.type, &d);
    struct ir_var *v = CMPD_ARENA_NEW(L->arena, struct ir_var);
    v->name = d.name ? ir_dup_text(L, d.name) : "";
    v->loc = ir_loc_of(L, d.name ? d.name : node);
    v->type = d.type->kind == IR_T_ARRAY ? ir_ptr_to(L->arena, d.type->elem) : d.type;
    if (d.function)
        v->type = ir_ptr_to(L->arena, &ir_t_unknown); /* float f(int): a pointer to a function */
    v->storage = IR_V_PARAM;
    v->slot = (int)f->param_count;
    v->tparam = -1;
    v->func = f;
    v->is_const = v->type->is_const;
    v->is_pack = d.is_pack || L->n[node].kind == TK_VARIADIC_PARAM;
    uint32_t def = ir_child(L, node, TF_DEFAULT_VALUE);
    if (def)
        v->init = ir_initializer(L, def, v->type);
    return v;
}

static bool only_void(struct lower *L, const struct ir_func *f, uint32_t node)
{
    uint32_t type = ir_child(L, node, TF_TYPE);
    return f->param_count == 0 && type && ir_text_is(L, type, "void") &&
           !ir_child(L, node, TF_DECLARATOR);
}

void ir_add_parameters(struct lower *L, struct ir_func *f, uint32_t list)
{
    size_t n = 0;
    if (list)
        FOR_CHILDREN(L, c, list)
    n++;
    f->params = CMPD_ARENA_ARRAY(L->arena, struct ir_var *, n + 1);
    struct binding *scope = ir_scope_open(L);
    if (list)
        FOR_CHILDREN(L, c, list)
        {
            switch (ir_kind(L, c)) {
            case TK_PARAM:
            case TK_OPTIONAL_PARAM:
            case TK_VARIADIC_PARAM: {
                if (only_void(L, f, c))
                    break;
                struct ir_var *v = one_param(L, f, c);
                f->params[f->param_count++] = v;
                ir_bind(L, ir_symbol(L, v->name, strlen(v->name)), BIND_VAR, true)->var = v;
                break;
            }
            case TK_T_ELLIPSIS:
                f->is_variadic = true;
                break;
            case TK_ERROR:
                f->has_error = true;
                break;
            default:
                break;
            }
        }
    ir_scope_close(L, scope);
    f->vars = f->params;
    f->var_count = f->param_count;
}

static void collect_tparams(struct lower *L, struct ir_func *f)
{
    const struct tframe *t = L->ctx.tframe;
    if (!t)
        return;
    f->tparam_count = t->base + t->count;
    f->tparams = CMPD_ARENA_ARRAY(L->arena, struct ir_tparam, f->tparam_count + 1);
    for (; t; t = t->outer)
        if (t->count)
            memcpy(f->tparams + t->base, t->params, t->count * sizeof *t->params);
}

/* ---- declaration ---- */

static enum ir_func_kind kind_of(const struct specs *s)
{
    if (s->global)
        return IR_F_KERNEL;
    if (s->device)
        return s->host ? IR_F_HOST_DEVICE : IR_F_DEVICE;
    return IR_F_HOST;
}

/* operator + and operator() without blanks; "operator float" keeps its one. */
static const char *function_name(struct lower *L, uint32_t node)
{
    char *text = ir_dup_text(L, node);
    if (L->n[node].kind == TK_OPERATOR_CAST) {
        uint32_t type = ir_child(L, node, TF_TYPE);
        return cmpd_arena_printf(L->arena, "operator %s", type ? ir_dup_text(L, type) : "");
    }
    if (L->n[node].kind == TK_OPERATOR_NAME && strncmp(text, "operator ", 9) == 0 &&
        !strchr("abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ", text[9]))
        memmove(text + 8, text + 9, strlen(text + 9) + 1);
    return text;
}

/* Where the function's text begins: at `template` when it is what the template declares. */
static void set_loc(struct lower *L, struct ir_func *f, uint32_t node)
{
    for (const struct tframe *t = L->ctx.tframe; t; t = t->outer)
        if (L->n[t->node].end == L->n[node].end)
            f->loc.off = ir_loc_of(L, t->node).off;
}

/* Class and scope of a method: inside its class, or named Class::method outside. */
static void set_owner(struct lower *L, struct ir_func *f, const struct qname *q)
{
    if (!q->qual) {
        f->record = L->ctx.local ? NULL : L->ctx.record;
        f->is_method = f->record != NULL;
        return;
    }
    const struct ir_type *owner = q->owner ? ir_type_of_name(L, q->owner) : NULL;
    if (owner && owner->kind == IR_T_STRUCT && owner->record && !owner->record->builtin &&
        ((const struct record_full *)owner->record)->spec_name) {
        f->record = owner->record;
        f->scope = ir_record_path(L, f->record);
        f->is_method = true;
        return;
    }
    const char *last = ir_unqualified(q->qual);
    const char *outer = last == q->qual
                            ? NULL
                            : cmpd_arena_strndup(L->arena, q->qual, (size_t)(last - q->qual) - 2);
    const struct binding *b = ir_lookup_in(L, ir_symbol(L, last, strlen(last)), outer);
    if (b && b->kind == BIND_TYPE && b->type->kind == IR_T_STRUCT && b->type->record) {
        f->record = b->type->record;
        f->scope = ir_record_path(L, f->record);
        f->is_method = true;
    } else {
        f->scope = ir_join_scope(L, L->ctx.scope, q->qual);
    }
}

static void set_bounds(struct lower *L, struct ir_func *f, uint32_t node, uint32_t bounds)
{
    const struct ir_expr *args[2] = {NULL, NULL};
    uint32_t body = ir_child(L, node, TF_BODY);
    const struct cmpd_attr *attr = ir_attr_in(L, L->n[node].start, L->n[body ? body : node].start,
                                              "__launch_bounds__");
    size_t i = 0;
    if (attr)
        ir_attr_args(L, attr, args, 2);
    if (bounds)
        FOR_CHILDREN(L, c, bounds)
    if ((L->n[c].flags & TN_NAMED) && i < 2)
        args[i++] = ir_expr(L, c);
    f->launch_bounds_threads = args[0];
    f->launch_bounds_blocks = args[1];
}

/* A constructor is bound under a name of its own, so that the class' name keeps meaning the class. */
static void bind_function(struct lower *L, struct ir_func *f)
{
    const char *scope = L->ctx.scope, *name = f->is_constructor ? IR_CONSTRUCTOR : f->name;
    L->ctx.scope = f->scope;
    ir_bind(L, ir_symbol(L, name, strlen(name)), BIND_FUNC, false)->func = f;
    L->ctx.scope = scope;
}

struct ir_func *ir_declare_function(struct lower *L, uint32_t node, const struct specs *specs,
                                    const struct declarator *d)
{
    struct qname q;
    uint32_t args;
    ir_split_name(L, d->name, &q);
    uint32_t name = ir_name_and_args(L, q.last, &args);
    struct ir_func *f = ir_new_func(L, node, function_name(L, name));
    f->kind = kind_of(specs);
    f->name_loc = ir_loc_of(L, name);
    f->ret = d->type;
    f->is_static = specs->is_static;
    set_owner(L, f, &q);
    set_loc(L, f, node);
    if (specs->global_node)
        f->global_off = ir_loc_of(L, specs->global_node).off;
    collect_tparams(L, f);
    f->is_specialization = L->ctx.tframe && L->ctx.tframe->is_explicit;
    if (args && f->is_specialization)
        f->spec_targs = ir_template_args(L, args, &f->spec_targ_count);
    ir_add_parameters(L, f, ir_child(L, d->function, TF_PARAMETERS));
    f->is_constructor = f->record && f->record->name && strcmp(f->name, f->record->name) == 0;
    set_bounds(L, f, node, specs->launch_bounds);
    bind_function(L, f);
    return f;
}

/* ---- template parameters ---- */

static void type_param(struct lower *L, struct ir_tparam *p, uint32_t node, int index)
{
    uint32_t name = ir_child(L, node, TF_NAME), def = ir_child(L, node, TF_DEFAULT_TYPE);
    if (!name)
        name = ir_child_kind(L, node, TK_TYPE_ID);
    p->is_type = true;
    p->is_pack = L->n[node].kind == TK_VARIADIC_TYPE_PARAM;
    p->name = name ? ir_dup_text(L, name) : "";
    p->type = def ? ir_type_node(L, def) : NULL;
    if (!name)
        return;
    struct ir_type *t = CMPD_ARENA_NEW(L->arena, struct ir_type);
    t->kind = IR_T_TPARAM;
    t->name = p->name;
    t->tparam = index;
    ir_bind(L, ir_symbol_of(L, name), BIND_TYPE, true)->type = t;
}

static void value_param(struct lower *L, struct ir_tparam *p, uint32_t node, int index)
{
    struct specs specs;
    struct declarator d;
    ir_specs(L, node, &specs);
    ir_declarator(L, ir_child(L, node, TF_DECLARATOR), specs.type, &d);
    uint32_t def = ir_child(L, node, TF_DEFAULT_VALUE);
    struct ir_var *v = CMPD_ARENA_NEW(L->arena, struct ir_var);
    v->name = d.name ? ir_dup_text(L, d.name) : "";
    v->type = d.type;
    v->storage = IR_V_TPARAM;
    v->slot = -1;
    v->tparam = index;
    v->loc = ir_loc_of(L, d.name ? d.name : node);
    v->is_const = v->is_constexpr = true;
    p->name = v->name;
    p->is_pack = d.is_pack || L->n[node].kind == TK_VARIADIC_PARAM;
    p->type = d.type;
    p->def = def ? ir_expr(L, def) : NULL;
    p->var = v;
    if (d.name)
        ir_bind(L, ir_symbol_of(L, d.name), BIND_VAR, true)->var = v;
}

/* Reads the parameters and binds them in the scope at hand. */
struct tframe *ir_template_frame(struct lower *L, uint32_t list, uint32_t node)
{
    struct tframe *t = CMPD_ARENA_NEW(L->arena, struct tframe);
    size_t n = 0;
    FOR_CHILDREN(L, c, list)
    n++;
    t->outer = L->ctx.tframe;
    t->base = t->outer ? t->outer->base + t->outer->count : 0;
    t->node = node;
    t->params = CMPD_ARENA_ARRAY(L->arena, struct ir_tparam, n + 1);
    FOR_CHILDREN(L, c, list)
    {
        int index = (int)(t->base + t->count);
        switch (ir_kind(L, c)) {
        case TK_TYPE_PARAM:
        case TK_OPTIONAL_TYPE_PARAM:
        case TK_VARIADIC_TYPE_PARAM:
            type_param(L, &t->params[t->count++], c, index);
            break;
        case TK_PARAM:
        case TK_OPTIONAL_PARAM:
        case TK_VARIADIC_PARAM:
            value_param(L, &t->params[t->count++], c, index);
            break;
        case TK_TEMPLATE_TEMPLATE_PARAM: {
            uint32_t inner = 0;
            FOR_CHILDREN(L, k, c)
            if (L->n[k].kind == TK_TYPE_PARAM || L->n[k].kind == TK_OPTIONAL_TYPE_PARAM)
                inner = k;
            if (inner)
                type_param(L, &t->params[t->count++], inner, index);
            break;
        }
        default:
            break;
        }
    }
    t->is_explicit = t->count == 0;
    return t;
}

void ir_bind_tframe(struct lower *L, struct tframe *t)
{
    if (!t)
        return;
    ir_bind_tframe(L, t->outer);
    for (size_t i = 0; i < t->count; i++) {
        const struct ir_tparam *p = &t->params[i];
        struct symbol *sym = ir_symbol(L, p->name, strlen(p->name));
        if (p->is_type) {
            struct ir_type *type = CMPD_ARENA_NEW(L->arena, struct ir_type);
            type->kind = IR_T_TPARAM;
            type->name = p->name;
            type->tparam = (int)(t->base + i);
            ir_bind(L, sym, BIND_TYPE, true)->type = type;
        } else if (p->var) {
            ir_bind(L, sym, BIND_VAR, true)->var = (struct ir_var *)p->var;
        }
    }
}

/* ---- bodies ---- */

/* The field of that name in the class at hand; -1: none. */
static int field_named(const struct lower *L, const char *name)
{
    const struct ir_struct *rec = L->ctx.record;
    for (size_t i = 0; rec && i < rec->field_count; i++)
        if (rec->fields[i].name && strcmp(rec->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const struct ir_expr *initialiser_value(struct lower *L, uint32_t value,
                                               const struct ir_type *type)
{
    if (L->n[value].kind != TK_ARG_LIST)
        return ir_initializer(L, value, type);
    size_t count;
    const struct ir_expr **args = ir_arg_list(L, value, &count);
    return count == 1 && type->kind != IR_T_STRUCT
               ? args[0]
               : ir_construct(L, value, type, args, count, true);
}

/* A(int n) : x(n), y{0} {}: assignments to this->x and this->y; a base class is constructed. */
static void member_initialiser(struct lower *L, uint32_t node, struct stmt_list *out)
{
    uint32_t name = ir_first_child(L, node), value = 0;
    FOR_CHILDREN(L, c, node)
    if (L->n[c].kind == TK_ARG_LIST || L->n[c].kind == TK_INIT_LIST)
        value = c;
    if (!name || !value) {
        ir_list_add(out, ir_unknown_stmt(L, node));
        return;
    }
    const char *text = ir_dup_text(L, name);
    int index = field_named(L, text);
    const struct ir_type *field = index >= 0 ? L->ctx.record->fields[index].type : &ir_t_unknown;
    const struct ir_type *base = index < 0 ? ir_type_of_name(L, name) : NULL;
    if (field->kind == IR_T_REF) { /* a binding, which no expression says */
        ir_list_add(out, ir_unknown_stmt(L, node));
        return;
    }
    struct ir_stmt *s = ir_new_stmt(L, IR_S_EXPR, node);
    if (base) {
        s->x = initialiser_value(L, value, base);
    } else {
        struct ir_expr *x = ir_new_expr(L, IR_X_ASSIGN, node, field);
        x->a = ir_member_expr(L, name, ir_this_expr(L, name), true, text);
        x->b = initialiser_value(L, value, field);
        s->x = x;
    }
    ir_list_add(out, s);
}

static const struct ir_stmt *function_body(struct lower *L, uint32_t node)
{
    uint32_t body = ir_child(L, node, TF_BODY), inits = ir_child_kind(L, node, TK_FIELD_INIT_LIST);
    if (!body)
        body = ir_child_kind(L, node, TK_TRY);
    if (!body)
        return NULL;
    struct stmt_list list = {0};
    if (inits)
        FOR_CHILDREN(L, c, inits)
    if (L->n[c].kind == TK_FIELD_INIT)
        member_initialiser(L, c, &list);
    if (!list.count)
        return ir_stmt_one(L, body);
    ir_list_add(&list, ir_stmt_one(L, body));
    return ir_list_block(L, &list, body);
}

static void open_function(struct lower *L, struct fn_state *st, struct ir_func *f)
{
    *st = (struct fn_state){.outer = L->fn, .func = f, .var_cap = f->param_count + 16};
    struct ir_var **vars = cmpd_calloc(st->var_cap, sizeof *vars);
    if (f->param_count)
        memcpy(vars, f->params, f->param_count * sizeof *vars);
    f->vars = vars; /* on the heap while it grows */
    st->deduce_ret = f->ret->is_auto && f->ret->kind == IR_T_UNKNOWN;
    L->fn = st;
    for (size_t i = 0; i < f->param_count; i++)
        ir_bind(L, ir_symbol(L, f->params[i]->name, strlen(f->params[i]->name)), BIND_VAR, true)
            ->var = f->params[i];
}

static void close_function(struct lower *L, struct fn_state *st)
{
    struct ir_func *f = st->func;
    struct ir_var **vars = CMPD_ARENA_ARRAY(L->arena, struct ir_var *, f->var_count + 1);
    memcpy(vars, f->vars, f->var_count * sizeof *vars);
    free(f->vars);
    f->vars = vars;
    if (st->deduce_ret && !st->returned && !f->has_error)
        f->ret = &ir_t_void;
    L->fn = st->outer;
}

void ir_lower_body(struct lower *L, const struct pending *p)
{
    struct context outer = L->ctx;
    struct fn_state st;
    L->ctx = p->ctx;
    L->ctx.local = true;
    L->ctx.scope = p->func->scope;
    if (p->func->record)
        L->ctx.record = p->func->record;
    struct binding *scope = ir_scope_open(L);
    ir_bind_tframe(L, p->ctx.tframe);
    open_function(L, &st, p->func);
    p->func->body = function_body(L, p->node);
    close_function(L, &st);
    ir_scope_close(L, scope);
    L->ctx = outer;
}

/* ---- lambdas ---- */

static enum ir_func_kind lambda_kind(struct lower *L, uint32_t node)
{
    bool device = false, host = false;
    FOR_CHILDREN(L, c, node)
    {
        enum ir_node_kind k = ir_kind(L, c);
        if (k == TK_COMPOUND)
            break;
        size_t len;
        const char *s = ir_text(L, c, &len);
        char *text = cmpd_arena_strndup(L->arena, s, len);
        device |= k != TK_LAMBDA_CAPTURES && strstr(text, "__device__") != NULL;
        host |= k != TK_LAMBDA_CAPTURES && strstr(text, "__host__") != NULL;
    }
    uint32_t body = ir_child(L, node, TF_BODY), end = L->n[body ? body : node].start;
    device |= ir_attr_in(L, L->n[node].start + 1, end, "__device__") != NULL;
    host |= ir_attr_in(L, L->n[node].start + 1, end, "__host__") != NULL;
    if (device)
        return host ? IR_F_HOST_DEVICE : IR_F_DEVICE;
    if (L->fn && L->fn->func->kind != IR_F_HOST)
        return L->fn->func->kind == IR_F_HOST_DEVICE ? IR_F_HOST_DEVICE : IR_F_DEVICE;
    return IR_F_HOST;
}

static bool captures_reference(struct lower *L, uint32_t captures)
{
    for (uint32_t i = L->n[captures].start; i < L->n[captures].end; i++)
        if (L->text[i] == '&')
            return true;
    return false;
}

/* [n = x + 1]: a variable of the lambda with that initialiser. */
static void captured_inits(struct lower *L, uint32_t captures, struct stmt_list *out)
{
    FOR_CHILDREN(L, c, captures)
    {
        uint32_t left = ir_child(L, c, TF_LEFT), right = ir_child(L, c, TF_RIGHT);
        if (L->n[c].kind != TK_LAMBDA_CAPTURE_INIT || !left || !right)
            continue;
        const struct ir_expr *init = ir_expr(L, right);
        struct ir_var *v = ir_new_local(L, left, ir_decay(L->arena, init->type), IR_V_LOCAL);
        v->init = init;
        ir_list_add(out, ir_decl_stmt(L, c, v));
    }
}

static void lambda_body(struct lower *L, struct ir_func *f, uint32_t node, uint32_t captures,
                        bool by_ref)
{
    struct fn_state st;
    struct stmt_list list = {0};
    uint32_t body = ir_child(L, node, TF_BODY);
    open_function(L, &st, f);
    st.by_ref = by_ref;
    if (captures)
        captured_inits(L, captures, &list);
    const struct ir_stmt *inner = body ? ir_stmt_one(L, body) : ir_unknown_stmt(L, node);
    if (list.count) {
        ir_list_add(&list, inner);
        inner = ir_list_block(L, &list, body ? body : node);
    }
    f->body = inner;
    close_function(L, &st);
}

const struct ir_expr *ir_lambda_node(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_LAMBDA, node, NULL);
    struct ir_lambda *lambda = CMPD_ARENA_NEW(L->arena, struct ir_lambda);
    uint32_t captures = ir_child(L, node, TF_CAPTURES), d = ir_child(L, node, TF_DECLARATOR);
    struct ir_func *f = ir_new_func(L, node, "<lambda>");
    struct context outer = L->ctx;
    struct binding *scope = ir_scope_open(L);
    uint32_t tlist = ir_child(L, node, TF_TEMPLATE_PARAMETERS);
    if (tlist)
        L->ctx.tframe = ir_template_frame(L, tlist, node);
    f->is_lambda = f->is_defined = true;
    f->is_static = true;
    f->name_loc = f->loc;
    f->kind = lambda_kind(L, node);
    struct ir_type *ret = ir_type_copy(L->arena, &ir_t_unknown);
    ret->is_auto = true;
    struct declarator decl;
    ir_declarator(L, d, ret, &decl);
    f->ret = decl.type;
    collect_tparams(L, f);
    ir_add_parameters(L, f, d ? ir_child(L, d, TF_PARAMETERS) : 0);
    lambda->by_reference = captures && captures_reference(L, captures);
    L->ctx.local = true;
    lambda_body(L, f, node, captures, lambda->by_reference);
    ir_scope_close(L, scope);
    L->ctx = outer;
    lambda->func = f;
    x->lambda = lambda;
    return x;
}
