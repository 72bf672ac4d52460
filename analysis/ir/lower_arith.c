/* Operators: unary, binary, assignment, subscript, casts, ?: and comma. */
#include <string.h>

#include "analysis/ir/lower.h"

enum { LOGICAL_AND = 1, LOGICAL_OR = 2 };

/* The operator at a node; *logical is set for && and ||. IR_OP_NONE: none of ours. */
static enum ir_op op_of_text(const char *s, size_t len, int *logical)
{
    static const struct {
        const char *text;
        enum ir_op op;
        int logical;
    } ops[] = {
        {"+", IR_OP_ADD, 0},
        {"-", IR_OP_SUB, 0},
        {"*", IR_OP_MUL, 0},
        {"/", IR_OP_DIV, 0},
        {"%", IR_OP_MOD, 0},
        {"<", IR_OP_LT, 0},
        {">", IR_OP_GT, 0},
        {"&&", IR_OP_NONE, LOGICAL_AND},
        {"||", IR_OP_NONE, LOGICAL_OR},
        {"==", IR_OP_EQ, 0},
        {"!=", IR_OP_NE, 0},
        {"<=", IR_OP_LE, 0},
        {">=", IR_OP_GE, 0},
        {"<<", IR_OP_SHL, 0},
        {">>", IR_OP_SHR, 0},
        {"&", IR_OP_AND, 0},
        {"|", IR_OP_OR, 0},
        {"^", IR_OP_XOR, 0},
        {"and", IR_OP_NONE, LOGICAL_AND},
        {"or", IR_OP_NONE, LOGICAL_OR},
        {"bitand", IR_OP_AND, 0},
        {"bitor", IR_OP_OR, 0},
        {"xor", IR_OP_XOR, 0},
        {"not_eq", IR_OP_NE, 0},
    };
    *logical = 0;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strlen(ops[i].text) == len && memcmp(ops[i].text, s, len) == 0) {
            *logical = ops[i].logical;
            return ops[i].op;
        }
    return IR_OP_NONE;
}

/* The variable whose storage an lvalue lies in; NULL where it is reached through a pointer. */
static struct ir_var *base_var(const struct ir_expr *x)
{
    for (;;) {
        if (x->kind == IR_X_VAR)
            return (struct ir_var *)x->var;
        if (x->kind == IR_X_MEMBER && !x->arrow)
            x = x->a;
        else if (x->kind == IR_X_INDEX && x->a && cmpd_ir_strip_ref(x->a->type)->kind == IR_T_ARRAY)
            x = x->a;
        else if (x->kind == IR_X_CAST && x->type->kind == IR_T_REF)
            x = x->a;
        else
            return NULL;
    }
}

void ir_take_address(const struct ir_expr *x)
{
    struct ir_var *v = base_var(x);
    if (v)
        v->address_taken = true;
}

void ir_mark_assigned(const struct ir_expr *x)
{
    struct ir_var *v = base_var(x);
    if (v)
        v->is_assigned = true;
}

const struct ir_expr *ir_binary_expr(struct lower *L, uint32_t node, enum ir_op op, int logical,
                                     const struct ir_expr *a, const struct ir_expr *b)
{
    struct ir_expr *x;
    if (logical) {
        x = ir_new_expr(L, logical == LOGICAL_AND ? IR_X_LAND : IR_X_LOR, node, &ir_t_bool);
    } else {
        x = ir_new_expr(L, IR_X_BINARY, node, ir_binary_type(L->arena, op, a->type, b->type));
        x->op = op;
    }
    x->a = a;
    x->b = b;
    return x;
}

/* (T)-x, (T)+x, (T)*x and (T)&x read as binary when T is a plain name. */
static const struct ir_expr *cast_in_disguise(struct lower *L, uint32_t node, uint32_t left,
                                              uint32_t right, uint32_t op)
{
    if (L->n[left].kind != TK_PAREN)
        return NULL;
    size_t len;
    const char *s = ir_text(L, op, &len);
    if (len != 1 || !strchr("-+*&", *s))
        return NULL;
    uint32_t inner = ir_first_child(L, left);
    if (!inner || (L->n[inner].kind != TK_IDENT && L->n[inner].kind != TK_QUALIFIED_ID))
        return NULL;
    const struct ir_type *t = ir_type_of_name(L, inner);
    if (!t)
        return NULL;
    const struct ir_expr *a = ir_expr(L, right);
    struct ir_expr *u;
    if (*s == '*' || *s == '&') {
        u = ir_new_expr(L, *s == '*' ? IR_X_DEREF : IR_X_ADDR, right, NULL);
        const struct ir_type *pt = ir_decay(L->arena, a->type);
        u->type = *s == '&'  ? ir_ptr_to(L->arena, cmpd_ir_strip_ref(a->type))
                  : pt->elem ? pt->elem
                             : &ir_t_unknown;
        if (*s == '&')
            ir_take_address(a);
    } else {
        u = ir_new_expr(L, IR_X_UNARY, right, ir_promote(a->type));
        u->op = *s == '-' ? IR_OP_NEG : IR_OP_PLUS;
    }
    u->a = a;
    struct ir_expr *x = ir_new_expr(L, IR_X_CAST, node, t);
    x->a = u;
    return x;
}

#define SPINE_CEILING 256

/*
 * Binary operators lean left, and generated code has sums of hundreds of terms: the left spine is
 * walked in a loop, so that only real nesting counts as depth.
 */
static const struct ir_expr *binary_spine(struct lower *L, uint32_t node)
{
    uint32_t spine[SPINE_CEILING];
    size_t n = 0;
    uint32_t at = node;
    while (L->n[at].kind == TK_BINARY && n < SPINE_CEILING) {
        spine[n++] = at;
        at = ir_child(L, at, TF_LEFT);
        if (!at)
            return ir_unknown_expr(L, node);
    }
    if (L->n[at].kind == TK_BINARY)
        return ir_unknown_expr(L, node);
    const struct ir_expr *x = NULL;
    while (n-- > 0) {
        uint32_t here = spine[n], op_node = ir_child(L, here, TF_OPERATOR),
                 right = ir_child(L, here, TF_RIGHT);
        if (!op_node || !right)
            return ir_unknown_expr(L, node);
        if (!x) {
            const struct ir_expr *cast = cast_in_disguise(L, here, at, right, op_node);
            if (cast) {
                x = cast;
                continue;
            }
            L->depth += (unsigned)n; /* so deep will it lie in the result */
            x = ir_expr(L, at);
            L->depth -= (unsigned)n;
        }
        size_t len;
        int logical;
        const char *s = ir_text(L, op_node, &len);
        enum ir_op op = op_of_text(s, len, &logical);
        const struct ir_expr *b = ir_expr(L, right);
        const struct ir_expr *call = ir_call_operator(L, here, ir_symbol(L, s, len)->name, x, b);
        if (call)
            x = call;
        else if (op == IR_OP_NONE && !logical)
            x = ir_unknown_expr(L, here);
        else
            x = ir_binary_expr(L, here, op, logical, x, b);
    }
    return x;
}

static const struct ir_expr *unary_node(struct lower *L, uint32_t node)
{
    uint32_t op = ir_child(L, node, TF_OPERATOR), arg = ir_child(L, node, TF_ARGUMENT);
    if (!op || !arg)
        return ir_unknown_expr(L, node);
    const struct ir_expr *a = ir_expr(L, arg);
    size_t len;
    const char *s = ir_text(L, op, &len);
    const struct ir_expr *call = ir_call_operator(L, node, ir_symbol(L, s, len)->name, a, NULL);
    if (call)
        return call;
    bool is_not = *s == '!' || *s == 'n';
    struct ir_expr *x = ir_new_expr(L, IR_X_UNARY, node, is_not ? &ir_t_bool : ir_promote(a->type));
    x->op = is_not ? IR_OP_NOT : *s == '-' ? IR_OP_NEG : *s == '+' ? IR_OP_PLUS : IR_OP_COMPL;
    x->a = a;
    return x;
}

static const struct ir_expr *pointer_node(struct lower *L, uint32_t node)
{
    uint32_t op = ir_child(L, node, TF_OPERATOR), arg = ir_child(L, node, TF_ARGUMENT);
    if (!op || !arg)
        return ir_unknown_expr(L, node);
    const struct ir_expr *a = ir_expr(L, arg);
    struct ir_expr *x;
    if (ir_text_is(L, op, "&")) {
        x = ir_new_expr(L, IR_X_ADDR, node, ir_ptr_to(L->arena, cmpd_ir_strip_ref(a->type)));
        ir_take_address(a);
    } else {
        const struct ir_expr *call = ir_call_operator(L, node, "*", a, NULL);
        if (call)
            return call;
        const struct ir_type *t = ir_decay(L->arena, a->type);
        x = ir_new_expr(L, IR_X_DEREF, node, t->kind == IR_T_PTR ? t->elem : NULL);
    }
    x->a = a;
    return x;
}

static const struct ir_expr *update_node(struct lower *L, uint32_t node)
{
    uint32_t op = ir_child(L, node, TF_OPERATOR), arg = ir_child(L, node, TF_ARGUMENT);
    if (!op || !arg)
        return ir_unknown_expr(L, node);
    const struct ir_expr *a = ir_expr(L, arg);
    struct ir_expr *x = ir_new_expr(L, IR_X_INCDEC, node, cmpd_ir_strip_ref(a->type));
    x->op = ir_text_is(L, op, "++") ? IR_OP_ADD : IR_OP_SUB;
    x->postfix = L->n[arg].start < L->n[op].start;
    x->a = a;
    ir_mark_assigned(a);
    return x;
}

static const struct ir_expr *assignment_node(struct lower *L, uint32_t node)
{
    uint32_t left = ir_child(L, node, TF_LEFT), right = ir_child(L, node, TF_RIGHT);
    uint32_t op = ir_child(L, node, TF_OPERATOR);
    if (!left || !right || !op)
        return ir_unknown_expr(L, node);
    const struct ir_expr *a = ir_expr(L, left);
    const struct ir_expr *b = ir_initializer(L, right, cmpd_ir_strip_ref(a->type));
    size_t len;
    int logical;
    const char *s = ir_text(L, op, &len);
    ir_mark_assigned(a);
    const struct ir_expr *call = ir_call_operator(L, node, ir_symbol(L, s, len)->name, a, b);
    if (call)
        return call;
    struct ir_expr *x = ir_new_expr(L, IR_X_ASSIGN, node, cmpd_ir_strip_ref(a->type));
    x->op = len > 1 ? op_of_text(s, s[len - 1] == '=' ? len - 1 : len - 3, &logical) : IR_OP_NONE;
    x->a = a;
    x->b = b;
    return x;
}

static const struct ir_expr *conditional_node(struct lower *L, uint32_t node)
{
    uint32_t c = ir_child(L, node, TF_CONDITION), yes = ir_child(L, node, TF_CONSEQUENCE);
    uint32_t no = ir_child(L, node, TF_ALTERNATIVE);
    if (!c || !no)
        return ir_unknown_expr(L, node);
    struct ir_expr *x = ir_new_expr(L, IR_X_COND, node, NULL);
    x->a = ir_expr(L, c);
    x->b = yes ? ir_expr(L, yes) : x->a;
    x->c = ir_expr(L, no);
    const struct ir_type *p = cmpd_ir_strip_ref(x->b->type), *q = cmpd_ir_strip_ref(x->c->type);
    if (x->b->kind == IR_X_NULLPTR && q->kind == IR_T_PTR)
        x->type = q;
    else if (x->c->kind == IR_X_NULLPTR && p->kind == IR_T_PTR)
        x->type = p;
    else if (ir_same_type(p, q))
        x->type = p;
    else
        x->type = ir_common_type(L->arena, p, q);
    return x;
}

static const struct ir_expr *comma_node(struct lower *L, uint32_t node)
{
    uint32_t left = ir_child(L, node, TF_LEFT), right = ir_child(L, node, TF_RIGHT);
    if (!left || !right)
        return ir_unknown_expr(L, node);
    struct ir_expr *x = ir_new_expr(L, IR_X_COMMA, node, NULL);
    x->a = ir_expr(L, left);
    x->b = ir_expr(L, right);
    x->type = x->b->type;
    return x;
}

static const struct ir_expr *cast_node(struct lower *L, uint32_t node)
{
    uint32_t type = ir_child(L, node, TF_TYPE), value = ir_child(L, node, TF_VALUE);
    if (!type || !value)
        return ir_unknown_expr(L, node);
    struct ir_expr *x = ir_new_expr(L, IR_X_CAST, node, ir_type_descriptor(L, type));
    x->cast = IR_CAST_C;
    x->a = ir_expr(L, value);
    if (x->type->kind == IR_T_REF)
        ir_take_address(x->a);
    return x;
}

/* The element type where the container's name says it: std::vector<float>, thrust::device_vector<int>. */
const struct ir_type *ir_container_elem(const struct ir_type *t)
{
    if (t->kind != IR_T_UNKNOWN || !t->targ_count || !t->targs[0].type || !t->name)
        return NULL;
    static const char *const containers[] = {
        "std::vector<",           "std::array<",         "std::unique_ptr<", "thrust::host_vector<",
        "thrust::device_vector<", "thrust::device_ptr<", "vector<",          "std::span<",
        "std::shared_ptr<",       "unique_ptr<"};
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (strncmp(t->name, containers[i], strlen(containers[i])) == 0) {
            const struct ir_type *elem = t->targs[0].type;
            return elem->kind == IR_T_ARRAY ? elem->elem : elem;
        }
    return NULL;
}

static const struct ir_expr *subscript_node(struct lower *L, uint32_t node)
{
    uint32_t arg = ir_child(L, node, TF_ARGUMENT), list = ir_child(L, node, TF_INDICES);
    uint32_t index = list ? ir_first_child(L, list) : 0;
    if (!arg || !index || L->n[index].skip < L->n[list].skip)
        return ir_unknown_expr(L, node);
    const struct ir_expr *a = ir_expr(L, arg), *b = ir_initializer(L, index, &ir_t_unknown);
    const struct ir_expr *call = ir_call_operator(L, node, "[]", a, b);
    if (call)
        return call;
    const struct ir_type *t = cmpd_ir_strip_ref(a->type), *u = cmpd_ir_strip_ref(b->type);
    struct ir_expr *x = ir_new_expr(L, IR_X_INDEX, node, NULL);
    bool swapped = t->kind == IR_T_INT && (u->kind == IR_T_PTR || u->kind == IR_T_ARRAY);
    x->a = swapped ? b : a;
    x->b = swapped ? a : b;
    if (swapped)
        t = u;
    const struct ir_type *elem = t->kind == IR_T_PTR || t->kind == IR_T_ARRAY
                                     ? t->elem
                                     : ir_container_elem(t);
    x->type = elem ? elem : &ir_t_unknown;
    return x;
}

const struct ir_expr *ir_arith_node(struct lower *L, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_BINARY:
        return ir_needs_repair(L, node) ? ir_repair(L, node) : binary_spine(L, node);
    case TK_UNARY:
        return ir_needs_repair(L, node) ? ir_repair(L, node) : unary_node(L, node);
    case TK_POINTER_EXPR:
        return pointer_node(L, node);
    case TK_UPDATE:
        return update_node(L, node);
    case TK_ASSIGNMENT:
        return assignment_node(L, node);
    case TK_CONDITIONAL:
        return conditional_node(L, node);
    case TK_COMMA:
        return comma_node(L, node);
    case TK_CAST:
        return cast_node(L, node);
    default:
        return subscript_node(L, node);
    }
}
