/* What stands at namespace scope: namespaces, templates, globals, aliases, instantiations. */
#include <string.h>

#include "analysis/ir/lower.h"

void ir_top_items(struct lower *L, uint32_t parent)
{
    FOR_CHILDREN(L, c, parent)
    if (L->n[c].flags & TN_NAMED)
        ir_top_item(L, c);
}

static void function_item(struct lower *L, uint32_t node)
{
    struct specs specs;
    struct declarator d;
    uint32_t dnode = ir_child(L, node, TF_DECLARATOR);
    ir_specs(L, node, &specs);
    if (!dnode)
        return;
    if (L->n[dnode].kind == TK_OPERATOR_CAST) { /* operator float() const */
        uint32_t inner = ir_child(L, dnode, TF_DECLARATOR), type = ir_child(L, dnode, TF_TYPE);
        if (!inner || !type)
            return;
        ir_declarator(L, inner, ir_type_node(L, type), &d);
        d.name = dnode;
    } else {
        ir_declarator(L, dnode, specs.type, &d);
    }
    if (!d.function || !d.name)
        return;
    struct ir_func *f = ir_declare_function(L, node, &specs, &d);
    f->is_defined = ir_child(L, node, TF_BODY) || ir_child_kind(L, node, TK_TRY);
    if (!f->is_defined)
        return;
    struct pending p = {f, node, L->ctx};
    ir_add_pending(L, &p);
}

/* ---- globals ---- */

static enum ir_storage global_storage(const struct specs *specs)
{
    if (specs->shared)
        return IR_V_SHARED_DYNAMIC;
    if (specs->constant)
        return IR_V_CONSTANT;
    return specs->device || specs->managed ? IR_V_DEVICE : IR_V_GLOBAL;
}

/* `const int S::n = 3;` gives the value of what the class declared. */
static struct ir_var *declared_member(struct lower *L, uint32_t name)
{
    struct qname q;
    uint32_t args;
    ir_split_name(L, name, &q);
    if (!q.qual)
        return NULL;
    const struct binding *b = ir_lookup_in(L, ir_symbol_of(L, ir_name_and_args(L, q.last, &args)),
                                           q.qual);
    return b && b->kind == BIND_VAR ? b->var : NULL;
}

static struct ir_var *global_var(struct lower *L, uint32_t name, const struct specs *specs,
                                 const struct ir_type *type)
{
    struct ir_var *v = declared_member(L, name);
    if (v)
        return v;
    uint32_t args, plain = ir_name_and_args(L, name, &args);
    struct symbol *sym = ir_symbol_of(L, plain);
    v = CMPD_ARENA_NEW(L->arena, struct ir_var);
    v->name = sym->name;
    v->type = type;
    v->storage = global_storage(specs);
    v->slot = v->tparam = -1;
    v->loc = ir_loc_of(L, plain);
    v->is_constexpr = specs->is_constexpr;
    v->is_const = type->is_const || specs->is_constexpr;
    v->is_static = specs->is_static;
    ir_bind(L, sym, BIND_VAR, false)->var = v;
    ir_push(&L->globals, v);
    return v;
}

static const struct ir_expr *global_value(struct lower *L, uint32_t value,
                                          const struct ir_type *type)
{
    if (L->n[value].kind != TK_ARG_LIST)
        return ir_initializer(L, value, type);
    struct ir_expr *x = ir_new_expr(L, IR_X_INIT, value, type);
    x->args = ir_arg_list(L, value, &x->arg_count);
    x->paren = true;
    return x;
}

static void global_declarator(struct lower *L, uint32_t node, const struct specs *specs,
                              uint32_t dnode)
{
    uint32_t value = 0;
    struct declarator d;
    const struct ir_expr *init = NULL;
    const struct ir_type *base = specs->type;
    if (L->n[dnode].kind == TK_INIT_DECLARATOR) {
        value = ir_child(L, dnode, TF_VALUE);
        dnode = ir_child(L, dnode, TF_DECLARATOR);
    }
    if (!dnode)
        return;
    if (base->is_auto && base->kind == IR_T_UNKNOWN && value) {
        init = global_value(L, value, &ir_t_unknown);
        base = ir_deduce_auto(L, base, init->type, dnode);
    }
    ir_declarator(L, dnode, base, &d);
    if (!d.name)
        return;
    if (d.function && !value && ir_declares_function(L, d.function, false, d.type)) {
        ir_declare_function(L, node, specs, &d);
        return;
    }
    struct ir_var *v = global_var(L, d.name, specs, d.type);
    if (d.function) {
        struct ir_expr *x = ir_new_expr(L, IR_X_INIT, d.function, d.type);
        x->args = ir_params_as_args(L, ir_child(L, d.function, TF_PARAMETERS), &x->arg_count);
        x->paren = true;
        v->init = x;
    } else if (init || value) {
        v->init = init ? init : global_value(L, value, d.type);
    }
    if (v->type->kind == IR_T_ARRAY && !v->type->extent && v->init && v->init->kind == IR_X_INIT)
        v->type = ir_array_of(L->arena, v->type->elem,
                              ir_int_expr(L, value, (int64_t)v->init->arg_count, &ir_t_size));
}

void ir_global_declaration(struct lower *L, uint32_t node)
{
    struct specs specs;
    ir_specs(L, node, &specs);
    FOR_CHILDREN(L, c, node)
    if (L->n[c].field == TF_DECLARATOR)
        global_declarator(L, node, &specs, c);
}

/* ---- names for types and namespaces ---- */

void ir_type_alias(struct lower *L, uint32_t node)
{
    uint32_t name = ir_child(L, node, TF_NAME), type = ir_child(L, node, TF_TYPE);
    if (!name || !type)
        return;
    const struct ir_type *t = ir_type_descriptor(L, type);
    struct binding *b = ir_bind(L, ir_symbol_of(L, name), BIND_TYPE, L->ctx.local);
    b->type = t;
}

void ir_type_def(struct lower *L, uint32_t node)
{
    struct specs specs;
    ir_specs(L, node, &specs);
    FOR_CHILDREN(L, c, node)
    {
        if (L->n[c].field != TF_DECLARATOR)
            continue;
        struct declarator d;
        ir_declarator(L, c, specs.type, &d);
        if (!d.name)
            continue;
        struct symbol *sym = ir_symbol_of(L, d.name);
        const struct ir_type *t = d.function ? &ir_t_unknown : d.type;
        if (t->kind == IR_T_STRUCT && t->record && !t->record->builtin && t->name &&
            t->name[0] == '<') {
            ((struct ir_type *)t)->name = sym->name; /* typedef struct {...} S: S is its name */
            ((struct ir_struct *)t->record)->name = sym->name;
        }
        ir_bind(L, sym, BIND_TYPE, L->ctx.local)->type = t;
    }
}

void ir_namespace_alias(struct lower *L, uint32_t node)
{
    uint32_t name = ir_child(L, node, TF_NAME), target = 0;
    FOR_CHILDREN(L, c, node)
    if (c != name && (L->n[c].flags & TN_NAMED))
        target = c;
    if (name && target)
        ir_bind(L, ir_symbol_of(L, name), BIND_NAMESPACE, L->ctx.local)->target =
            ir_dup_text(L, target);
}

static void namespace_item(struct lower *L, uint32_t node)
{
    uint32_t name = ir_child(L, node, TF_NAME), body = ir_child(L, node, TF_BODY);
    const char *outer = L->ctx.scope;
    if (name) {
        char *text = ir_dup_text(L, name);
        L->ctx.scope = ir_join_scope(L, outer, text);
    }
    if (body && !ir_enter(L))
        ir_top_items(L, body);
    if (body)
        ir_leave(L);
    L->ctx.scope = outer;
}

static void linkage_item(struct lower *L, uint32_t node)
{
    bool outer = L->ctx.extern_c;
    uint32_t value = ir_child(L, node, TF_VALUE), body = ir_child(L, node, TF_BODY);
    L->ctx.extern_c = value && ir_text_is(L, value, "\"C\"");
    if (body && !ir_enter(L)) {
        if (L->n[body].kind == TK_DECL_LIST)
            ir_top_items(L, body);
        else
            ir_top_item(L, body);
    }
    if (body)
        ir_leave(L);
    L->ctx.extern_c = outer;
}

/* ---- templates ---- */

void ir_template_declaration(struct lower *L, uint32_t node)
{
    uint32_t list = ir_child(L, node, TF_PARAMETERS);
    struct tframe *outer = L->ctx.tframe;
    if (!list)
        return;
    struct binding *scope = ir_scope_open(L);
    L->ctx.tframe = ir_template_frame(L, list, node);
    FOR_CHILDREN(L, c, node)
    if (c != list && (L->n[c].flags & TN_NAMED))
        ir_top_item(L, c);
    ir_scope_close(L, scope);
    L->ctx.tframe = outer;
}

static void instantiation(struct lower *L, uint32_t node)
{
    struct specs specs;
    struct declarator d;
    struct qname q;
    uint32_t args, dnode = ir_child(L, node, TF_DECLARATOR);
    ir_specs(L, node, &specs);
    ir_declarator(L, dnode, specs.type, &d);
    if (!d.name)
        return;
    ir_split_name(L, d.name, &q);
    uint32_t name = ir_name_and_args(L, q.last, &args);
    struct ir_instantiation *inst = CMPD_ARENA_NEW(L->arena, struct ir_instantiation);
    inst->name = ir_dup_text(L, name);
    inst->loc = ir_loc_of(L, node);
    if (args)
        inst->targs = ir_template_args(L, args, &inst->targ_count);
    size_t params = 0;
    uint32_t list = d.function ? ir_child(L, d.function, TF_PARAMETERS) : 0;
    if (list)
        FOR_CHILDREN(L, c, list)
    params += (L->n[c].flags & TN_NAMED) != 0;
    const struct symbol *sym = ir_symbol_of(L, name);
    for (const struct binding *b = sym->top; b; b = b->older)
        if (b->kind == BIND_FUNC && b->func->tparam_count && b->func->param_count == params &&
            (!inst->func || b->func->is_defined))
            inst->func = b->func;
    ir_push(&L->instantiations, inst);
}

/* ---- dispatch ---- */

void ir_top_item(struct lower *L, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_FUNCTION:
        function_item(L, node);
        break;
    case TK_DECL:
    case TK_FIELD_DECL:
        ir_global_declaration(L, node);
        break;
    case TK_NAMESPACE:
        namespace_item(L, node);
        break;
    case TK_NAMESPACE_ALIAS:
        ir_namespace_alias(L, node);
        break;
    case TK_LINKAGE:
        linkage_item(L, node);
        break;
    case TK_TEMPLATE_DECL:
        if (!ir_enter(L))
            ir_template_declaration(L, node);
        ir_leave(L);
        break;
    case TK_TEMPLATE_INSTANTIATION:
        instantiation(L, node);
        break;
    case TK_ALIAS_DECL:
        ir_type_alias(L, node);
        break;
    case TK_TYPE_DEF:
        ir_type_def(L, node);
        break;
    case TK_STRUCT:
    case TK_CLASS:
    case TK_UNION:
    case TK_ENUM:
        ir_type_node(L, node);
        break;
    case TK_FRIEND: {
        uint32_t inner = ir_child_kind(L, node, TK_FUNCTION);
        if (inner)
            function_item(L, inner);
        break;
    }
    default:
        break;
    }
}
