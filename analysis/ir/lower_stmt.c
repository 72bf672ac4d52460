/* Statements. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"

struct ir_stmt *ir_new_stmt(struct lower *L, enum ir_stmt_kind kind, uint32_t node)
{
    struct ir_stmt *s = CMPD_ARENA_NEW(L->arena, struct ir_stmt);
    s->kind = kind;
    s->loc = ir_loc_of(L, node);
    s->unroll = -1;
    return s;
}

void ir_list_add(struct stmt_list *list, const struct ir_stmt *s)
{
    CMPD_GROW(list->items, list->count + 1, list->cap);
    list->items[list->count++] = s;
}

static void set_body(struct lower *L, struct ir_stmt *s, struct stmt_list *list)
{
    s->body = CMPD_ARENA_ARRAY(L->arena, const struct ir_stmt *, list->count + 1);
    s->body_count = list->count;
    if (list->count)
        memcpy(s->body, list->items, list->count * sizeof *s->body);
    free(list->items);
    memset(list, 0, sizeof *list);
}

const struct ir_stmt *ir_list_block(struct lower *L, struct stmt_list *list, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_BLOCK, node);
    set_body(L, s, list);
    return s;
}

static void body_of(struct lower *L, struct ir_stmt *s, const struct ir_stmt *one,
                    const struct ir_stmt *two)
{
    s->body = CMPD_ARENA_ARRAY(L->arena, const struct ir_stmt *, 2);
    s->body[0] = one;
    s->body[1] = two;
    s->body_count = two ? 2 : 1;
}

/* The statement at a node in a scope of its own; what becomes several is a block. Never NULL. */
const struct ir_stmt *ir_stmt_one(struct lower *L, uint32_t node)
{
    if (!node)
        return CMPD_ARENA_NEW(L->arena, struct ir_stmt); /* IR_S_UNKNOWN */
    struct stmt_list list = {0};
    struct binding *scope = ir_scope_open(L);
    ir_stmt_append(L, &list, node);
    ir_scope_close(L, scope);
    if (list.count == 1) {
        const struct ir_stmt *s = list.items[0];
        free(list.items);
        return s;
    }
    if (list.count == 0)
        return ir_new_stmt(L, IR_S_EMPTY, node);
    return ir_list_block(L, &list, node);
}

const struct ir_stmt *ir_compound(struct lower *L, uint32_t node)
{
    struct stmt_list list = {0};
    struct binding *scope = ir_scope_open(L);
    FOR_CHILDREN(L, c, node)
    ir_stmt_append(L, &list, c);
    ir_scope_close(L, scope);
    return ir_list_block(L, &list, node);
}

/* ---- errors ---- */

static bool is_statement(enum ir_node_kind k)
{
    switch (k) {
    case TK_COMPOUND:
    case TK_IF:
    case TK_FOR:
    case TK_FOR_RANGE:
    case TK_WHILE:
    case TK_DO:
    case TK_SWITCH:
    case TK_CASE:
    case TK_EXPR_STMT:
    case TK_DECL:
    case TK_RETURN:
    case TK_LABELED:
    case TK_TRY:
    case TK_GOTO:
    case TK_BREAK:
    case TK_CONTINUE:
    case TK_ATTRIBUTED_STMT:
    case TK_ELSE:
    case TK_CATCH:
    case TK_FIELD_LIST:
        return true;
    default:
        return false;
    }
}

/* Only the words that CUDA puts between a lambda's captures and its parameters. */
static bool harmless_error(struct lower *L, uint32_t node)
{
    FOR_CHILDREN(L, c, node)
    if (!ir_text_is(L, c, "__device__") && !ir_text_is(L, c, "__host__"))
        return false;
    return L->n[node].skip > node + 1;
}

/* Is there an ERROR or MISSING node that belongs to this statement itself, not to one inside it? */
static bool own_error(struct lower *L, uint32_t node, bool in_lambda)
{
    if (ir_enter(L)) {
        ir_leave(L);
        return true;
    }
    bool found = false;
    FOR_CHILDREN(L, c, node)
    {
        const struct ir_tnode *n = &L->n[c];
        if (n->kind == TK_ERROR || (n->flags & TN_MISSING))
            found |= !(in_lambda && n->kind == TK_ERROR && harmless_error(L, c));
        else if ((n->flags & TN_HAS_ERROR) && !is_statement((enum ir_node_kind)n->kind))
            found |= own_error(L, c, n->kind == TK_LAMBDA);
    }
    ir_leave(L);
    return found;
}

/* ---- control flow ---- */

/* A condition_clause: what runs before, and the condition. decl_in_loop: a declared condition is assigned anew. */
static const struct ir_expr *condition(struct lower *L, uint32_t clause, struct stmt_list *before,
                                       bool decl_in_loop)
{
    uint32_t init = clause ? ir_child(L, clause, TF_INITIALIZER) : 0;
    uint32_t value = clause ? ir_child(L, clause, TF_VALUE) : 0;
    if (init) {
        uint32_t inner = ir_first_child(L, init);
        if (inner)
            ir_stmt_append(L, before, inner);
    }
    if (!value)
        return NULL;
    if (L->n[value].kind != TK_DECL)
        return ir_expr(L, value);
    size_t first = before->count;
    ir_local_declaration(L, value, before);
    if (before->count == first || before->items[before->count - 1]->kind != IR_S_DECL)
        return ir_unknown_expr(L, value);
    struct ir_stmt *decl = (struct ir_stmt *)before->items[before->count - 1];
    struct ir_expr *x = ir_new_expr(L, IR_X_VAR, value, cmpd_ir_strip_ref(decl->var->type));
    x->var = decl->var;
    if (!decl_in_loop || !decl->var->init)
        return x;
    struct ir_expr *assign = ir_new_expr(L, IR_X_ASSIGN, value, x->type);
    assign->a = x;
    assign->b = decl->var->init;
    ((struct ir_var *)decl->var)->init = NULL;
    return assign;
}

/* The statement, with what must run before it round it as a block. */
static void add_with(struct lower *L, struct stmt_list *out, struct stmt_list *before,
                     const struct ir_stmt *s, uint32_t node)
{
    if (!before->count) {
        ir_list_add(out, s);
        return;
    }
    ir_list_add(before, s);
    ir_list_add(out, ir_list_block(L, before, node));
}

static void if_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_IF, node);
    struct stmt_list before = {0};
    struct binding *scope = ir_scope_open(L);
    s->is_constexpr = ir_child_kind(L, node, TK_T_CONSTEXPR) != 0;
    s->x = condition(L, ir_child(L, node, TF_CONDITION), &before, false);
    if (before.count == 1) {
        s->init = before.items[0];
        free(before.items);
    } else if (before.count) {
        s->init = ir_list_block(L, &before, node);
    }
    const struct ir_stmt *yes = ir_stmt_one(L, ir_child(L, node, TF_CONSEQUENCE)), *no = NULL;
    uint32_t other = ir_child(L, node, TF_ALTERNATIVE);
    uint32_t inner = other ? ir_first_child(L, other) : 0;
    if (inner)
        no = ir_stmt_one(L, inner);
    body_of(L, s, yes, no);
    ir_scope_close(L, scope);
    if (!s->x)
        ir_list_add(out, ir_unknown_stmt(L, node));
    else
        ir_list_add(out, s);
}

static void for_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_FOR, node);
    struct binding *scope = ir_scope_open(L);
    uint32_t init = ir_child(L, node, TF_INITIALIZER), c = ir_child(L, node, TF_CONDITION);
    uint32_t update = ir_child(L, node, TF_UPDATE);
    if (init) {
        struct stmt_list list = {0};
        if (L->n[init].kind == TK_DECL) {
            ir_local_declaration(L, init, &list);
        } else {
            struct ir_stmt *e = ir_new_stmt(L, IR_S_EXPR, init);
            e->x = ir_expr(L, init);
            ir_list_add(&list, e);
        }
        s->init = list.count == 1 ? list.items[0] : NULL;
        if (list.count > 1)
            s->init = ir_list_block(L, &list, init);
        free(list.items);
    }
    s->x = c ? ir_expr(L, c) : NULL;
    s->step = update ? ir_expr(L, update) : NULL;
    s->unroll = ir_unroll_before(L, node);
    body_of(L, s, ir_stmt_one(L, ir_child(L, node, TF_BODY)), NULL);
    ir_scope_close(L, scope);
    ir_list_add(out, s);
}

static void range_for(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_RANGE_FOR, node);
    struct binding *scope = ir_scope_open(L);
    struct stmt_list before = {0};
    uint32_t init = ir_child(L, node, TF_INITIALIZER), right = ir_child(L, node, TF_RIGHT);
    uint32_t dnode = ir_child(L, node, TF_DECLARATOR), inner = init ? ir_first_child(L, init) : 0;
    if (inner)
        ir_stmt_append(L, &before, inner);
    s->x = right ? ir_initializer(L, right, &ir_t_unknown) : ir_unknown_expr(L, node);
    struct specs specs;
    struct declarator d;
    ir_specs(L, node, &specs);
    const struct ir_type *range = cmpd_ir_strip_ref(s->x->type), *base = specs.type;
    if (base->is_auto)
        base = ir_deduce_auto(L, base, range->kind == IR_T_ARRAY ? range->elem : &ir_t_unknown,
                              dnode);
    ir_declarator(L, dnode, base, &d);
    if (d.bindings || !d.name) {
        s->var = ir_unnamed_local(L, node, &ir_t_unknown);
        if (d.bindings)
            ir_bind_structured(L, d.bindings);
    } else {
        s->var = ir_new_local(L, d.name, d.type, IR_V_LOCAL);
        if (d.type->kind == IR_T_REF)
            ir_take_address(s->x);
    }
    s->unroll = ir_unroll_before(L, node);
    body_of(L, s, ir_stmt_one(L, ir_child(L, node, TF_BODY)), NULL);
    ir_scope_close(L, scope);
    add_with(L, out, &before, s, node);
}

static void while_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_WHILE, node);
    struct stmt_list before = {0};
    struct binding *scope = ir_scope_open(L);
    s->x = condition(L, ir_child(L, node, TF_CONDITION), &before, true);
    s->unroll = ir_unroll_before(L, node);
    body_of(L, s, ir_stmt_one(L, ir_child(L, node, TF_BODY)), NULL);
    ir_scope_close(L, scope);
    add_with(L, out, &before, s->x ? s : ir_unknown_stmt(L, node), node);
}

static void do_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_DO, node);
    uint32_t c = ir_child(L, node, TF_CONDITION);
    s->unroll = ir_unroll_before(L, node);
    body_of(L, s, ir_stmt_one(L, ir_child(L, node, TF_BODY)), NULL);
    s->x = c ? ir_expr(L, c) : NULL;
    ir_list_add(out, s->x ? s : ir_unknown_stmt(L, node));
}

static void switch_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_SWITCH, node);
    struct stmt_list before = {0};
    struct binding *scope = ir_scope_open(L);
    s->x = condition(L, ir_child(L, node, TF_CONDITION), &before, false);
    uint32_t body = ir_child(L, node, TF_BODY);
    body_of(L, s, body ? ir_compound(L, body) : ir_unknown_stmt(L, node), NULL);
    ir_scope_close(L, scope);
    add_with(L, out, &before, s->x ? s : ir_unknown_stmt(L, node), node);
}

static void case_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_CASE, node);
    uint32_t value = ir_child(L, node, TF_VALUE);
    s->x = value ? ir_expr(L, value) : NULL;
    ir_list_add(out, s);
    FOR_CHILDREN(L, c, node)
    if (c != value && (L->n[c].flags & TN_NAMED))
        ir_stmt_append(L, out, c);
}

static void labeled_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_LABEL, node);
    uint32_t label = ir_child(L, node, TF_LABEL);
    s->name = label ? ir_dup_text(L, label) : "";
    ir_list_add(out, s);
    FOR_CHILDREN(L, c, node)
    if (c != label && (L->n[c].flags & TN_NAMED))
        ir_stmt_append(L, out, c);
}

static void goto_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_GOTO, node);
    uint32_t label = ir_child(L, node, TF_LABEL);
    s->name = label ? ir_dup_text(L, label) : "";
    ir_list_add(out, s);
}

/* The result type of a function declared auto, from its first return. */
static void deduce_return(struct lower *L, const struct ir_expr *x)
{
    if (!L->fn)
        return;
    L->fn->returned = true;
    if (!L->fn->deduce_ret)
        return;
    const struct ir_type *placeholder = L->fn->func->ret;
    const struct ir_type *t = x ? ir_deduce_auto(L, placeholder, x->type, 0) : &ir_t_void;
    if (placeholder->kind == IR_T_UNKNOWN && t->kind != IR_T_UNKNOWN)
        L->fn->func->ret = t;
}

static void return_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_RETURN, node);
    uint32_t x = ir_first_child(L, node);
    if (x)
        s->x = ir_initializer(L, x, L->fn ? L->fn->func->ret : &ir_t_unknown);
    if (s->x && L->fn && L->fn->func->ret->kind == IR_T_REF)
        ir_take_address(s->x);
    deduce_return(L, s->x);
    ir_list_add(out, s);
}

static void throw_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_EXPR, node);
    struct ir_expr *callee = ir_new_expr(L, IR_X_NAME, node, NULL);
    callee->name = "throw";
    uint32_t x = ir_first_child(L, node);
    const struct ir_expr **args = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, 1);
    if (x)
        args[0] = ir_expr(L, x);
    struct ir_expr *call = (struct ir_expr *)ir_make_call(L, node, callee, args, x != 0);
    call->type = &ir_t_void;
    s->x = call;
    ir_list_add(out, s);
}

static void try_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_TRY, node);
    body_of(L, s, ir_stmt_one(L, ir_child(L, node, TF_BODY)), NULL);
    ir_list_add(out, s);
}

/* ---- asm ---- */

static size_t operands(struct lower *L, uint32_t list, const struct ir_expr **out)
{
    size_t n = 0;
    if (!list)
        return 0;
    FOR_CHILDREN(L, c, list)
    {
        uint32_t value = ir_child(L, c, TF_VALUE);
        if (!value)
            continue;
        if (out)
            out[n] = ir_expr(L, value);
        n++;
    }
    return n;
}

static void asm_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_ASM, node);
    uint32_t outs = ir_child(L, node, TF_OUTPUT_OPERANDS),
             ins = ir_child(L, node, TF_INPUT_OPERANDS);
    uint32_t code = ir_child(L, node, TF_ASSEMBLY_CODE);
    size_t n = operands(L, outs, NULL) + operands(L, ins, NULL);
    s->exprs = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, n + 1);
    s->asm_outputs = operands(L, outs, s->exprs);
    s->expr_count = s->asm_outputs + operands(L, ins, s->exprs + s->asm_outputs);
    for (size_t i = 0; i < s->asm_outputs; i++)
        ir_mark_assigned(s->exprs[i]);
    s->name = code ? ir_expr(L, code)->name : "";
    FOR_CHILDREN(L, c, node)
    if (L->n[c].kind == TK_ASM_QUALIFIER)
        s->is_volatile |= strstr(ir_dup_text(L, c), "volatile") != NULL;
    ir_list_add(out, s);
}

/* ---- expressions as statements ---- */

static void expr_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    uint32_t x = ir_first_child(L, node);
    if (!x) {
        ir_list_add(out, ir_new_stmt(L, IR_S_EMPTY, node));
        return;
    }
    if (L->n[x].kind == TK_ASM) {
        asm_stmt(L, out, x);
        return;
    }
    if (ir_recover_declaration(L, x, out))
        return;
    struct ir_stmt *s = ir_new_stmt(L, IR_S_EXPR, node);
    s->x = ir_expr(L, x);
    ir_list_add(out, s);
}

/* A name alone reads as a type: `ns::value;`. */
static void bare_name(struct lower *L, struct stmt_list *out, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_EXPR, node);
    s->x = ir_name_expr(L, node);
    ir_list_add(out, s);
}

/* ---- dispatch ---- */

static void simple_stmt(struct lower *L, struct stmt_list *out, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_BREAK:
        ir_list_add(out, ir_new_stmt(L, IR_S_BREAK, node));
        break;
    case TK_CONTINUE:
        ir_list_add(out, ir_new_stmt(L, IR_S_CONTINUE, node));
        break;
    case TK_GOTO:
        goto_stmt(L, out, node);
        break;
    case TK_RETURN:
        return_stmt(L, out, node);
        break;
    case TK_THROW:
        throw_stmt(L, out, node);
        break;
    case TK_ASM:
        asm_stmt(L, out, node);
        break;
    case TK_DECL:
        ir_local_declaration(L, node, out);
        break;
    case TK_ALIAS_DECL:
        ir_type_alias(L, node);
        break;
    case TK_TYPE_DEF:
        ir_type_def(L, node);
        break;
    case TK_NAMESPACE_ALIAS:
        ir_namespace_alias(L, node);
        break;
    case TK_STRUCT:
    case TK_CLASS:
    case TK_UNION:
    case TK_ENUM:
        ir_type_node(L, node);
        break;
    case TK_USING:
    case TK_STATIC_ASSERT:
    case TK_ATTRIBUTE_DECL:
    case TK_TEMPLATE_DECL:
        break;
    case TK_QUALIFIED_ID:
    case TK_TYPE_ID:
    case TK_TEMPLATE_TYPE:
        bare_name(L, out, node);
        break;
    default:
        ir_list_add(out, ir_unknown_stmt(L, node));
        break;
    }
}

static void stmt_node(struct lower *L, struct stmt_list *out, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_COMPOUND:
        ir_list_add(out, ir_compound(L, node));
        break;
    case TK_EXPR_STMT:
        expr_stmt(L, out, node);
        break;
    case TK_IF:
        if_stmt(L, out, node);
        break;
    case TK_FOR:
        for_stmt(L, out, node);
        break;
    case TK_FOR_RANGE:
        range_for(L, out, node);
        break;
    case TK_WHILE:
        while_stmt(L, out, node);
        break;
    case TK_DO:
        do_stmt(L, out, node);
        break;
    case TK_SWITCH:
        switch_stmt(L, out, node);
        break;
    case TK_CASE:
        case_stmt(L, out, node);
        break;
    case TK_LABELED:
        labeled_stmt(L, out, node);
        break;
    case TK_TRY:
        try_stmt(L, out, node);
        break;
    case TK_ATTRIBUTED_STMT:
        FOR_CHILDREN(L, c, node)
        if (L->n[c].kind != TK_ATTRIBUTE_DECL)
            ir_stmt_append(L, out, c);
        break;
    default:
        simple_stmt(L, out, node);
        break;
    }
}

/* Names that a statement with an error in it declares hide outer ones all the same. */
static void hide_names(struct lower *L, uint32_t node)
{
    if (L->n[node].kind != TK_DECL)
        return;
    FOR_CHILDREN(L, c, node)
    {
        if (L->n[c].field != TF_DECLARATOR)
            continue;
        uint32_t d = c;
        while (d && L->n[d].kind != TK_IDENT)
            d = ir_first_child(L, d);
        if (d)
            ir_new_local(L, d, &ir_t_unknown, IR_V_LOCAL);
    }
}

void ir_stmt_append(struct lower *L, struct stmt_list *out, uint32_t node)
{
    const struct ir_tnode *n = &L->n[node];
    if (!(n->flags & (TN_NAMED | TN_MISSING)))
        return;
    if (ir_enter(L)) {
        ir_list_add(out, ir_new_stmt(L, IR_S_UNKNOWN, node));
    } else if (n->kind == TK_ERROR || (n->flags & TN_MISSING)) {
        ir_list_add(out, ir_unknown_stmt(L, node));
    } else if ((n->flags & TN_HAS_ERROR) && n->kind != TK_COMPOUND && n->kind != TK_CASE &&
               own_error(L, node, false)) {
        ir_list_add(out, ir_unknown_stmt(L, node));
        hide_names(L, node);
    } else {
        stmt_node(L, out, node);
    }
    ir_leave(L);
}
