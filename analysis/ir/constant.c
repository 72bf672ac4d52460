/* Integer constants that the file spells out: array bounds, enumerators, alignments. */
#include "analysis/ir/lower.h"

#define DEPTH_CEILING 64

static bool eval(const struct ir_expr *x, int64_t *out, unsigned depth);

static bool eval_binary(const struct ir_expr *x, int64_t *out, unsigned depth)
{
    int64_t a, b;
    if (!eval(x->a, &a, depth) || !eval(x->b, &b, depth))
        return false;
    uint64_t u = (uint64_t)a, v = (uint64_t)b;
    switch (x->op) {
    case IR_OP_ADD:
        *out = (int64_t)(u + v);
        return true;
    case IR_OP_SUB:
        *out = (int64_t)(u - v);
        return true;
    case IR_OP_MUL:
        *out = (int64_t)(u * v);
        return true;
    case IR_OP_DIV:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *out = a / b;
        return true;
    case IR_OP_MOD:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *out = a % b;
        return true;
    case IR_OP_AND:
        *out = a & b;
        return true;
    case IR_OP_OR:
        *out = a | b;
        return true;
    case IR_OP_XOR:
        *out = a ^ b;
        return true;
    case IR_OP_SHL:
        *out = v < 63 ? (int64_t)(u << v) : 0;
        return v < 63;
    case IR_OP_SHR:
        *out = v < 63 ? a >> v : 0;
        return v < 63;
    case IR_OP_EQ:
        *out = a == b;
        return true;
    case IR_OP_NE:
        *out = a != b;
        return true;
    case IR_OP_LT:
        *out = a < b;
        return true;
    case IR_OP_LE:
        *out = a <= b;
        return true;
    case IR_OP_GT:
        *out = a > b;
        return true;
    case IR_OP_GE:
        *out = a >= b;
        return true;
    default:
        return false;
    }
}

static bool eval_unary(const struct ir_expr *x, int64_t *out, unsigned depth)
{
    int64_t a;
    if (!eval(x->a, &a, depth))
        return false;
    switch (x->op) {
    case IR_OP_NEG:
        *out = (int64_t)(0 - (uint64_t)a);
        return true;
    case IR_OP_NOT:
        *out = !a;
        return true;
    case IR_OP_COMPL:
        *out = ~a;
        return true;
    case IR_OP_PLUS:
        *out = a;
        return true;
    default:
        return false;
    }
}

static bool eval_logical(const struct ir_expr *x, int64_t *out, unsigned depth)
{
    int64_t a, b;
    if (!eval(x->a, &a, depth))
        return false;
    if ((x->kind == IR_X_LAND) == (a == 0)) {
        *out = x->kind == IR_X_LOR;
        return true;
    }
    if (!eval(x->b, &b, depth))
        return false;
    *out = b != 0;
    return true;
}

/* The value as its type holds it. */
static int64_t wrap(int64_t v, const struct ir_type *t)
{
    if (t->kind == IR_T_BOOL)
        return v != 0;
    switch (t->size) {
    case 1:
        return t->is_signed ? (int8_t)v : (uint8_t)v;
    case 2:
        return t->is_signed ? (int16_t)v : (uint16_t)v;
    case 4:
        return t->is_signed ? (int32_t)v : (int64_t)(uint32_t)v;
    default:
        return v;
    }
}

static bool eval_var(const struct ir_var *v, int64_t *out, unsigned depth)
{
    if (!v->init || !(v->is_constexpr || v->is_const) || v->storage == IR_V_PARAM)
        return false;
    if (v->type->kind != IR_T_INT && v->type->kind != IR_T_BOOL)
        return false;
    if (v->init->kind == IR_X_INIT)
        return v->init->arg_count == 1 && eval(v->init->args[0], out, depth);
    return eval(v->init, out, depth);
}

static bool eval_sizeof(const struct ir_expr *x, int64_t *out)
{
    uint64_t size;
    uint32_t align;
    const struct ir_type *t = cmpd_ir_strip_ref(x->sizeof_type);
    if (!ir_type_size(t, &size, &align))
        return false;
    *out = x->is_alignof ? (int64_t)align : (int64_t)size;
    return true;
}

static bool eval_any(const struct ir_expr *x, int64_t *out, unsigned depth)
{
    int64_t c;
    switch (x->kind) {
    case IR_X_INT:
        *out = x->ival;
        return true;
    case IR_X_VAR:
        return eval_var(x->var, out, depth);
    case IR_X_BINARY:
        return eval_binary(x, out, depth);
    case IR_X_UNARY:
        return eval_unary(x, out, depth);
    case IR_X_LAND:
    case IR_X_LOR:
        return eval_logical(x, out, depth);
    case IR_X_SIZEOF:
        return eval_sizeof(x, out);
    case IR_X_COND:
        return eval(x->a, &c, depth) && eval(c ? x->b : x->c, out, depth);
    case IR_X_CAST:
        return (x->type->kind == IR_T_INT || x->type->kind == IR_T_BOOL) && eval(x->a, out, depth);
    default:
        return false;
    }
}

static bool eval(const struct ir_expr *x, int64_t *out, unsigned depth)
{
    if (!x || depth > DEPTH_CEILING || !eval_any(x, out, depth + 1))
        return false;
    *out = wrap(*out, x->type);
    return true;
}

bool ir_const_int(const struct ir_expr *x, int64_t *out)
{
    int64_t v;
    if (!eval(x, &v, 0))
        return false;
    *out = v;
    return true;
}

bool ir_type_size(const struct ir_type *t, uint64_t *size, uint32_t *align)
{
    uint64_t n = 1;
    while (t->kind == IR_T_ARRAY) {
        int64_t extent;
        if (!t->extent || !ir_const_int(t->extent, &extent) || extent < 0 || extent > INT32_MAX ||
            n > INT32_MAX)
            return false;
        n *= (uint64_t)extent;
        t = t->elem;
    }
    if (!t->size)
        return false;
    *size = n * t->size;
    *align = t->align;
    return true;
}
