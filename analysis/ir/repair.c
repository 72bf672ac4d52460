/*
 * `i < w && j > (h)` reads as a call of the template i<(w && j)> with argument
 * h. Where i cannot be a template the operands and operators are taken apart in
 * the order written and put together again by precedence.
 */
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"

#include <stdlib.h>

enum { AND_AND = 1, OR_OR = 2 };

struct item {
    const struct ir_expr *operand; /* NULL: an operator */
    enum ir_op op;
    int logical, level;
};

struct items {
    struct item *v;
    size_t count, cap;
    const char *prefix; /* a unary operator that waits for the next operand */
    size_t prefix_len;
    bool failed;
};

static bool is_lazy_op(struct lower *L, uint32_t node)
{
    uint32_t op = L->n[node].kind == TK_BINARY ? ir_child(L, node, TF_OPERATOR) : 0;
    return op && (ir_text_is(L, op, "&&") || ir_text_is(L, op, "||"));
}

/* Do the arguments in <> hold a && or || at their top? No real template argument does without parentheses. */
static bool lazy_args(struct lower *L, uint32_t list)
{
    uint32_t first = list ? ir_first_child(L, list) : 0;
    return first && L->n[first].skip == L->n[list].skip && is_lazy_op(L, first);
}

static bool is_value_name(struct lower *L, uint32_t name, const char *qual)
{
    const struct symbol *sym = ir_symbol_of(L, name);
    const struct binding *b = ir_lookup_in(L, sym, qual);
    return b && (b->kind == BIND_VAR || b->kind == BIND_ENUM || b->kind == BIND_FIELD);
}

/* A template_function (qualified or not) or x.template_method that is a comparison. */
static bool is_comparison(struct lower *L, uint32_t fn)
{
    uint32_t args, name;
    struct qname q;
    switch (ir_kind(L, fn)) {
    case TK_TEMPLATE_FUNCTION:
    case TK_QUALIFIED_ID:
        ir_split_name(L, fn, &q);
        name = ir_name_and_args(L, q.last, &args);
        return args && name && (lazy_args(L, args) || is_value_name(L, name, q.qual));
    case TK_FIELD_EXPR: {
        uint32_t field = ir_child(L, fn, TF_FIELD), obj = ir_child(L, fn, TF_ARGUMENT);
        if (!field || L->n[field].kind != TK_TEMPLATE_METHOD || !obj)
            return false;
        ir_name_and_args(L, field, &args);
        return lazy_args(L, args) ||
               (L->n[obj].kind == TK_IDENT && ir_symbol_of(L, obj)->builtin_var);
    }
    default:
        return false;
    }
}

static bool needs_repair(struct lower *L, uint32_t node, unsigned depth)
{
    for (; node && depth < 64; depth++) {
        switch (ir_kind(L, node)) {
        case TK_CALL: {
            uint32_t fn = ir_child(L, node, TF_FUNCTION);
            return fn && is_comparison(L, fn);
        }
        case TK_TEMPLATE_FUNCTION: {
            uint32_t args;
            ir_name_and_args(L, node, &args);
            return args && lazy_args(L, args);
        }
        case TK_UNARY:
            node = ir_child(L, node, TF_ARGUMENT);
            break;
        case TK_BINARY: {
            uint32_t right = ir_child(L, node, TF_RIGHT);
            if (right && needs_repair(L, right, depth + 1))
                return true;
            node = ir_child(L, node, TF_LEFT);
            break;
        }
        default:
            return false;
        }
    }
    return false;
}

bool ir_needs_repair(struct lower *L, uint32_t node)
{
    return needs_repair(L, node, 0);
}

/* ---- taking apart ---- */

static void add_item(struct items *out, struct item it)
{
    CMPD_GROW(out->v, out->count + 1, out->cap);
    out->v[out->count++] = it;
}

static const struct ir_expr *unary(struct lower *L, uint32_t node, char op, const struct ir_expr *a)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_UNARY, node,
                                    op == '!' ? &ir_t_bool : ir_promote(a->type));
    x->op = op == '!' ? IR_OP_NOT : op == '-' ? IR_OP_NEG : op == '+' ? IR_OP_PLUS : IR_OP_COMPL;
    x->a = a;
    return x;
}

static void add_operand(struct lower *L, struct items *out, uint32_t node, const struct ir_expr *x)
{
    if (out->prefix) {
        if (out->prefix_len == 1 && strchr("-+!~", *out->prefix))
            x = unary(L, node, *out->prefix, x);
        else
            out->failed = true;
        out->prefix = NULL;
    }
    add_item(out, (struct item){x, IR_OP_NONE, 0, 0});
}

static int level_of(const char *s, size_t len)
{
    static const char *const levels[] = {"||",    "&&",        "|",     "^",   "&",
                                         "== !=", "< > <= >=", "<< >>", "+ -", "* / %"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        for (const char *p = levels[i]; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] == ' '))
            if (strcspn(p, " ") == len && memcmp(p, s, len) == 0)
                return (int)i + 1;
    return 0;
}

static enum ir_op op_of(const char *s, size_t len)
{
    switch (*s) {
    case '+':
        return IR_OP_ADD;
    case '-':
        return IR_OP_SUB;
    case '*':
        return IR_OP_MUL;
    case '/':
        return IR_OP_DIV;
    case '%':
        return IR_OP_MOD;
    case '|':
        return IR_OP_OR;
    case '^':
        return IR_OP_XOR;
    case '&':
        return IR_OP_AND;
    case '=':
        return IR_OP_EQ;
    case '!':
        return IR_OP_NE;
    case '<':
        return len == 1 ? IR_OP_LT : s[1] == '=' ? IR_OP_LE : IR_OP_SHL;
    default:
        return len == 1 ? IR_OP_GT : s[1] == '=' ? IR_OP_GE : IR_OP_SHR;
    }
}

static void add_operator(struct items *out, const char *s, size_t len)
{
    if (!out->count || !out->v[out->count - 1].operand) { /* an operand was due: a unary operator */
        out->failed |= out->prefix != NULL;
        out->prefix = s;
        out->prefix_len = len;
        return;
    }
    int level = level_of(s, len);
    if (!level)
        out->failed = true;
    int logical = len == 2 && s[0] == s[1] ? (*s == '&' ? AND_AND : *s == '|' ? OR_OR : 0) : 0;
    add_item(out, (struct item){NULL, op_of(s, len), logical, level});
}

static void take_apart(struct lower *L, uint32_t node, struct items *out);

/* x < args > : the name, the arguments and the two operators. */
static void comparison(struct lower *L, uint32_t fn, struct items *out)
{
    uint32_t args, name;
    const struct ir_expr *x;
    if (L->n[fn].kind == TK_FIELD_EXPR) {
        uint32_t field = ir_child(L, fn, TF_FIELD), obj = ir_child(L, fn, TF_ARGUMENT);
        uint32_t op = ir_child(L, fn, TF_OPERATOR);
        name = ir_name_and_args(L, field, &args);
        const struct symbol *sym = ir_symbol_of(L, obj), *dim = ir_symbol_of(L, name);
        if (L->n[obj].kind == TK_IDENT && sym->builtin_var && !ir_lookup(L, sym) && dim->len == 1 &&
            *dim->name >= 'x' && *dim->name <= 'z') {
            struct ir_expr *b = ir_new_expr(L, IR_X_BUILTIN, obj, &ir_t_uint);
            b->loc = ir_loc_span(L, L->n[fn].start, L->n[name].end);
            b->builtin = (enum ir_builtin)(sym->builtin_var - 1);
            b->dim = *dim->name - 'x';
            x = b;
        } else {
            x = ir_member_expr(L, name, ir_expr(L, obj), op && ir_text_is(L, op, "->"), dim->name);
        }
    } else {
        struct qname q;
        ir_split_name(L, fn, &q);
        name = ir_name_and_args(L, q.last, &args);
        struct binding *b = ir_lookup_in(L, ir_symbol_of(L, name), q.qual);
        x = b ? ir_binding_expr(L, name, b) : NULL;
        if (!x)
            x = ir_name_expr(L, name);
    }
    add_operand(L, out, name, x);
    uint32_t first = ir_first_child(L, args);
    if (!first || L->n[first].skip != L->n[args].skip) {
        out->failed = true; /* x < a, b > (c): two arguments of a call; too odd to guess */
        return;
    }
    add_operator(out, "<", 1);
    if (L->n[first].kind == TK_TYPE_DESCRIPTOR) {
        uint32_t type = ir_child(L, first, TF_TYPE);
        out->failed |= !type || ir_child(L, first, TF_DECLARATOR);
        add_operand(L, out, first, type ? ir_name_expr(L, type) : ir_unknown_expr(L, first));
    } else {
        take_apart(L, first, out);
    }
    add_operator(out, ">", 1);
}

static void take_apart_call(struct lower *L, uint32_t node, struct items *out)
{
    comparison(L, ir_child(L, node, TF_FUNCTION), out);
    uint32_t list = ir_child(L, node, TF_ARGUMENTS), arg = list ? ir_first_child(L, list) : 0;
    if (!arg || L->n[arg].skip != L->n[list].skip)
        out->failed = true;
    else
        add_operand(L, out, arg, ir_expr(L, arg));
}

static void take_apart(struct lower *L, uint32_t node, struct items *out)
{
    if (ir_enter(L)) {
        out->failed = true;
    } else if (!ir_needs_repair(L, node) && L->n[node].kind != TK_BINARY) {
        add_operand(L, out, node, ir_expr(L, node));
    } else if (L->n[node].kind == TK_CALL) {
        take_apart_call(L, node, out);
    } else if (L->n[node].kind == TK_TEMPLATE_FUNCTION) {
        comparison(L, node, out);
    } else {
        size_t len;
        const char *s = ir_text(L, ir_child(L, node, TF_OPERATOR), &len);
        if (L->n[node].kind == TK_BINARY)
            take_apart(L, ir_child(L, node, TF_LEFT), out);
        add_operator(out, s, len);
        take_apart(L, ir_child(L, node, L->n[node].kind == TK_BINARY ? TF_RIGHT : TF_ARGUMENT),
                   out);
    }
    ir_leave(L);
}

/* ---- putting together ---- */

static const struct ir_expr *climb(struct lower *L, uint32_t node, const struct items *it,
                                   size_t *at, int level)
{
    const struct ir_expr *x = it->v[(*at)++].operand;
    while (x && *at + 1 < it->count && it->v[*at].level >= level) {
        const struct item *op = &it->v[(*at)++];
        const struct ir_expr *b = climb(L, node, it, at, op->level + 1);
        if (!b)
            return NULL;
        struct ir_expr *whole = (struct ir_expr *)ir_binary_expr(L, node, op->op, op->logical, x,
                                                                 b);
        whole->loc = (struct ir_loc){x->loc.off, b->loc.end, x->loc.in_macro && b->loc.in_macro};
        x = whole;
    }
    return x;
}

const struct ir_expr *ir_repair(struct lower *L, uint32_t node)
{
    struct items it = {0};
    take_apart(L, node, &it);
    bool ok = !it.failed && !it.prefix && it.count % 2 == 1;
    for (size_t i = 0; i < it.count && ok; i++)
        ok = (it.v[i].operand != NULL) == (i % 2 == 0);
    size_t at = 0;
    const struct ir_expr *x = ok ? climb(L, node, &it, &at, 1) : NULL;
    free(it.v);
    return x ? x : ir_unknown_expr(L, node);
}
