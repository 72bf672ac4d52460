#include "analysis/eval/value.h"

#include <math.h>
#include <string.h>

#define UNK CMPD_UNKNOWN_LANE

int64_t ev_wrap(int64_t v, const struct ir_type *type)
{
    if (!type || v == UNK)
        return v;
    if (type->kind == IR_T_BOOL)
        return v != 0;
    if (type->kind != IR_T_INT)
        return v;
    switch (type->size) {
    case 1:
        return type->is_signed ? (int64_t)(int8_t)v : (int64_t)(uint8_t)v;
    case 2:
        return type->is_signed ? (int64_t)(int16_t)v : (int64_t)(uint16_t)v;
    case 4:
        return type->is_signed ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
    default:
        return v;
    }
}

static bool is_unsigned64(const struct ir_type *t)
{
    return t && t->kind == IR_T_INT && t->size == 8 && !t->is_signed;
}

static int64_t divide(int64_t a, int64_t b, bool uns, bool mod)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return UNK;
    if (uns)
        return mod ? (int64_t)((uint64_t)a % (uint64_t)b) : (int64_t)((uint64_t)a / (uint64_t)b);
    return mod ? a % b : a / b;
}

/* One lane. Comparison and wrapping use the operands' and the result's types. */
static int64_t scalar_op(enum ir_op op, int64_t a, int64_t b, bool uns)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op) {
    case IR_OP_ADD:
        return (int64_t)(ua + ub);
    case IR_OP_SUB:
        return (int64_t)(ua - ub);
    case IR_OP_MUL:
        return (int64_t)(ua * ub);
    case IR_OP_DIV:
        return divide(a, b, uns, false);
    case IR_OP_MOD:
        return divide(a, b, uns, true);
    case IR_OP_AND:
        return a & b;
    case IR_OP_OR:
        return a | b;
    case IR_OP_XOR:
        return a ^ b;
    case IR_OP_SHL:
        return b < 0 || b > 63 ? UNK : (int64_t)(ua << b);
    case IR_OP_SHR:
        return b < 0 || b > 63 ? UNK : uns ? (int64_t)(ua >> b) : a >> b;
    case IR_OP_EQ:
        return a == b;
    case IR_OP_NE:
        return a != b;
    case IR_OP_LT:
        return uns ? ua < ub : a < b;
    case IR_OP_LE:
        return uns ? ua <= ub : a <= b;
    case IR_OP_GT:
        return uns ? ua > ub : a > b;
    case IR_OP_GE:
        return uns ? ua >= ub : a >= b;
    default:
        return UNK;
    }
}

static bool is_compare(enum ir_op op)
{
    return op >= IR_OP_EQ && op <= IR_OP_GE;
}

/* A comparison of signed with unsigned of 4 bytes happens in unsigned: bring the signed side there. */
static const struct ir_type *common_type(const struct ev_val *a, const struct ev_val *b)
{
    const struct ir_type *x = a->type, *y = b->type;
    if (!x || !y || x->kind != IR_T_INT || y->kind != IR_T_INT)
        return NULL;
    if (x->size < 4 && y->size < 4)
        return NULL;
    if (x->size != y->size)
        return x->size > y->size ? x : y;
    return x->is_signed ? y : x;
}

/* How a result is brought into its type: shift left and back. bits 0: nothing to do. */
struct narrowing {
    unsigned bits;
    bool is_signed;
};

static struct narrowing narrowing_of(const struct ir_type *t)
{
    struct narrowing n = {0, true};
    if (t && t->kind == IR_T_INT && t->size >= 1 && t->size <= 4) {
        n.bits = 64 - 8 * t->size;
        n.is_signed = t->is_signed;
    }
    return n;
}

static inline int64_t narrow(uint64_t v, struct narrowing n)
{
    return n.is_signed ? (int64_t)(v << n.bits) >> n.bits : (int64_t)(v << n.bits >> n.bits);
}

/* One loop an operator, so that the compiler can make vectors of it. */
#define EACH_LANE(result)                                                             \
    for (uint32_t l = 0; l < width; l++) {                                            \
        int64_t x = a->lanes ? a->lanes[l] : a->i, y = b->lanes ? b->lanes[l] : b->i; \
        out[l] = x == UNK || y == UNK ? UNK : (result);                               \
    }                                                                                 \
    return true

/* The operators that indices are made of, over lanes. false: not one of them. */
static bool fast_lanes(enum ir_op op, uint32_t width, const struct ev_val *a,
                       const struct ev_val *b, struct narrowing n, int64_t *out)
{
    switch (op) {
    case IR_OP_ADD:
        EACH_LANE(narrow((uint64_t)x + (uint64_t)y, n));
    case IR_OP_SUB:
        EACH_LANE(narrow((uint64_t)x - (uint64_t)y, n));
    case IR_OP_MUL:
        EACH_LANE(narrow((uint64_t)x * (uint64_t)y, n));
    case IR_OP_LT:
        EACH_LANE(x < y);
    case IR_OP_GE:
        EACH_LANE(x >= y);
    case IR_OP_LE:
        EACH_LANE(x <= y);
    case IR_OP_GT:
        EACH_LANE(x > y);
    case IR_OP_EQ:
        EACH_LANE(x == y);
    case IR_OP_AND:
        EACH_LANE(narrow((uint64_t)x & (uint64_t)y, n));
    default:
        return false;
    }
}

static struct ev_val int_binary(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                                const struct ev_val *a, const struct ev_val *b,
                                const struct ir_type *type)
{
    const struct ir_type *common = common_type(a, b);
    bool shift = op == IR_OP_SHL || op == IR_OP_SHR;
    bool uns = is_unsigned64(shift ? a->type : common);
    const struct ir_type *conv = shift ? NULL : common;
    if (!a->lanes && !b->lanes) {
        int64_t r = scalar_op(op, ev_wrap(a->i, conv), ev_wrap(b->i, conv), uns);
        return ev_int(is_compare(op) ? r : ev_wrap(r, type), type);
    }
    struct ev_val out = {.kind = EV_INT, .type = type};
    out.lanes = cmpd_arena_alloc_raw(arena, sizeof(int64_t) * width);
    /* With one type on both sides, or only additions modulo 2^n, no operand has to be converted first. */
    bool plain = !uns && (a->type == b->type || !common || common->is_signed || !is_compare(op));
    if (plain && (!type || type->kind != IR_T_BOOL) &&
        fast_lanes(op, width, a, b, narrowing_of(type), out.lanes))
        return out;
    if (plain && is_compare(op) && fast_lanes(op, width, a, b, narrowing_of(NULL), out.lanes))
        return out;
    for (uint32_t l = 0; l < width; l++) {
        int64_t x = a->lanes ? a->lanes[l] : a->i, y = b->lanes ? b->lanes[l] : b->i;
        int64_t r = UNK;
        if (x != UNK && y != UNK)
            r = scalar_op(op, ev_wrap(x, conv), ev_wrap(y, conv), uns);
        out.lanes[l] = is_compare(op) ? r : ev_wrap(r, type);
    }
    return out;
}

static double as_double(const struct ev_val *v)
{
    return v->kind == EV_DBL ? v->d : (double)v->i;
}

static struct ev_val dbl_binary(enum ir_op op, double x, double y, const struct ir_type *type)
{
    switch (op) {
    case IR_OP_ADD:
        return ev_dbl(x + y, type);
    case IR_OP_SUB:
        return ev_dbl(x - y, type);
    case IR_OP_MUL:
        return ev_dbl(x * y, type);
    case IR_OP_DIV:
        return y == 0 ? ev_unknown(type) : ev_dbl(x / y, type);
    case IR_OP_EQ:
        return ev_int(x == y, type);
    case IR_OP_NE:
        return ev_int(x != y, type);
    case IR_OP_LT:
        return ev_int(x < y, type);
    case IR_OP_LE:
        return ev_int(x <= y, type);
    case IR_OP_GT:
        return ev_int(x > y, type);
    case IR_OP_GE:
        return ev_int(x >= y, type);
    default:
        return ev_unknown(type);
    }
}

/* Two pointers: a difference in elements or a comparison, where both lead into one region. */
static struct ev_val ptr_binary(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                                const struct ev_val *a, const struct ev_val *b,
                                const struct ir_type *type)
{
    if (a->region != b->region || a->region == NULL)
        return ev_unknown(type);
    struct ev_val x = {.kind = EV_INT, .i = a->i, .lanes = a->lanes};
    struct ev_val y = {.kind = EV_INT, .i = b->i, .lanes = b->lanes};
    if (is_compare(op))
        return int_binary(arena, width, op, &x, &y, type);
    uint32_t size = a->type && a->type->elem ? a->type->elem->size : 0;
    if (op != IR_OP_SUB || !size)
        return ev_unknown(type);
    struct ev_val diff = int_binary(arena, width, IR_OP_SUB, &x, &y, NULL);
    struct ev_val by = ev_int(size, NULL);
    return int_binary(arena, width, IR_OP_DIV, &diff, &by, type);
}

static struct ev_val mixed_ptr(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                               const struct ev_val *a, const struct ev_val *b,
                               const struct ir_type *type)
{
    const struct ev_val *p = a->kind == EV_PTR ? a : b, *n = a->kind == EV_PTR ? b : a;
    uint32_t size = p->type && p->type->elem ? p->type->elem->size : 0;
    if (op == IR_OP_ADD && n->kind == EV_INT)
        return ev_ptr_add(arena, width, p, n, 1, size);
    if (op == IR_OP_SUB && n->kind == EV_INT && p == a)
        return ev_ptr_add(arena, width, p, n, -1, size);
    /* A pointer against null: pointers that exist here are not null. */
    if ((op == IR_OP_EQ || op == IR_OP_NE) && ev_is_uniform_int(n) && n->i == 0 && !p->aligned_null)
        return ev_int(op == IR_OP_NE, type);
    if (op == IR_OP_ADD || op == IR_OP_SUB) {
        struct ev_val out = *p;
        out.lanes = NULL;
        out.i = UNK;
        out.prov = 0;
        return out;
    }
    return ev_unknown(type);
}

static struct ev_val binary(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                            const struct ev_val *a, const struct ev_val *b,
                            const struct ir_type *type)
{
    if (type && type->kind == IR_T_UNKNOWN)
        type = NULL;
    if (a->kind == EV_INT && b->kind == EV_INT) {
        if (type && type->kind == IR_T_FLOAT)
            return a->lanes || b->lanes ? ev_unknown(type)
                                        : dbl_binary(op, as_double(a), as_double(b), type);
        return int_binary(arena, width, op, a, b, type);
    }
    if (a->kind == EV_PTR && b->kind == EV_PTR)
        return ptr_binary(arena, width, op, a, b, type);
    if (a->kind == EV_PTR || b->kind == EV_PTR)
        return mixed_ptr(arena, width, op, a, b, type);
    bool a_num = a->kind == EV_DBL || ev_is_uniform_int(a);
    bool b_num = b->kind == EV_DBL || ev_is_uniform_int(b);
    if (a_num && b_num)
        return dbl_binary(op, as_double(a), as_double(b), type);
    return ev_unknown(type);
}

struct ev_val ev_binary(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                        const struct ev_val *a, const struct ev_val *b, const struct ir_type *type)
{
    struct ev_val out = binary(arena, width, op, a, b, type);
    if (out.kind == EV_UNKNOWN || (out.kind == EV_PTR && out.i == UNK)) {
        out.varying = a->varying || b->varying;
        out.mixed = a->mixed || b->mixed || a->lanes || b->lanes;
    }
    return out;
}

static int64_t unary_lane(enum ir_op op, int64_t v, const struct ir_type *type)
{
    if (v == UNK)
        return UNK;
    switch (op) {
    case IR_OP_NEG:
        return ev_wrap((int64_t)(0 - (uint64_t)v), type);
    case IR_OP_NOT:
        return v == 0;
    case IR_OP_COMPL:
        return ev_wrap(~v, type);
    default:
        return v;
    }
}

struct ev_val ev_unary(struct cmpd_arena *arena, uint32_t width, enum ir_op op,
                       const struct ev_val *a, const struct ir_type *type)
{
    if (a->kind == EV_DBL && op == IR_OP_NEG)
        return ev_dbl(-a->d, type);
    if (a->kind == EV_PTR && op == IR_OP_NOT)
        return a->aligned_null ? ev_unknown(type) : ev_int(0, type);
    if (a->kind != EV_INT)
        return a->varying ? ev_varying(type) : ev_unknown(type);
    if (!a->lanes)
        return ev_int(unary_lane(op, a->i, type), type);
    struct ev_val out = {.kind = EV_INT, .type = type};
    out.lanes = cmpd_arena_alloc_raw(arena, sizeof(int64_t) * width);
    for (uint32_t l = 0; l < width; l++)
        out.lanes[l] = unary_lane(op, a->lanes[l], type);
    return out;
}

static struct ev_val convert_to_int(struct cmpd_arena *arena, uint32_t width,
                                    const struct ev_val *a, const struct ir_type *type)
{
    if (a->kind == EV_DBL) {
        if (!(a->d > -9.0e18 && a->d < 9.0e18))
            return ev_unknown(type);
        return ev_int(type->kind == IR_T_BOOL ? a->d != 0 : ev_wrap((int64_t)a->d, type), type);
    }
    if (a->kind != EV_INT)
        return ev_unknown(type);
    struct ev_val out = *a;
    out.type = type;
    if (!a->lanes) {
        out.i = ev_wrap(a->i, type);
        return out;
    }
    bool same = true;
    for (uint32_t l = 0; l < width && same; l++)
        same = ev_wrap(a->lanes[l], type) == a->lanes[l];
    if (same)
        return out;
    out.lanes = cmpd_arena_alloc_raw(arena, sizeof(int64_t) * width);
    for (uint32_t l = 0; l < width; l++)
        out.lanes[l] = ev_wrap(a->lanes[l], type);
    return out;
}

struct ev_val ev_convert(struct cmpd_arena *arena, uint32_t width, const struct ev_val *a,
                         const struct ir_type *type)
{
    if (a->kind == EV_UNKNOWN && a->varying) {
        struct ev_val out = ev_varying(type);
        out.mixed = a->mixed;
        if (a->reaches && type && type->kind == IR_T_INT && ev_wrap(a->reach, type) == a->reach) {
            out.reaches = true;
            out.capped = a->capped;
            out.reach = a->reach;
        }
        return out;
    }
    if (!type || type->kind == IR_T_UNKNOWN || type->kind == IR_T_TPARAM)
        return *a;
    switch (type->kind) {
    case IR_T_INT:
    case IR_T_BOOL:
        return convert_to_int(arena, width, a, type);
    case IR_T_FLOAT:
        if (a->kind == EV_DBL || ev_is_uniform_int(a))
            return ev_dbl(as_double(a), type);
        return ev_unknown(type);
    case IR_T_PTR:
    case IR_T_ARRAY: {
        if (a->kind != EV_PTR)
            return ev_is_uniform_int(a) ? ev_int(a->i, type) : ev_unknown(type);
        struct ev_val out = *a;
        out.type = type;
        return out;
    }
    default: {
        struct ev_val out = *a;
        if (a->kind != EV_AGG)
            out.type = type;
        return out;
    }
    }
}

struct ev_val ev_ptr_add(struct cmpd_arena *arena, uint32_t width, const struct ev_val *p,
                         const struct ev_val *count, int sign, uint32_t elem_bytes)
{
    struct ev_val out = *p;
    out.prov = 0;
    if (count->kind != EV_INT || !elem_bytes || p->kind != EV_PTR) {
        bool bounded = p->kind == EV_PTR && !p->lanes && p->i != UNK && count->capped && sign > 0 &&
                       elem_bytes && count->reach < INT32_MAX;
        out.lanes = NULL;
        out.i = UNK;
        out.capped = out.reaches = bounded;
        out.reach = bounded ? p->i + count->reach * (int64_t)elem_bytes : 0;
        out.varying = p->varying || count->varying;
        out.mixed = p->mixed || count->mixed || p->lanes || count->lanes;
        return out;
    }
    int64_t scale = sign * (int64_t)elem_bytes;
    if (!p->lanes && !count->lanes) {
        out.i = p->i == UNK ? UNK : p->i + count->i * scale;
        return out;
    }
    out.lanes = cmpd_arena_alloc_raw(arena, sizeof(int64_t) * width);
    for (uint32_t l = 0; l < width; l++) {
        int64_t x = p->lanes ? p->lanes[l] : p->i, n = count->lanes ? count->lanes[l] : count->i;
        out.lanes[l] = x == UNK || n == UNK
                           ? UNK
                           : (int64_t)((uint64_t)x + (uint64_t)n * (uint64_t)scale);
    }
    return out;
}

int64_t ev_truth(const struct ev_val *v, uint32_t lane)
{
    switch (v->kind) {
    case EV_INT: {
        int64_t x = v->lanes ? v->lanes[lane] : v->i;
        return x == UNK ? UNK : x != 0;
    }
    case EV_DBL:
        return v->d != 0;
    case EV_PTR:
        return v->aligned_null ? UNK : 1;
    default:
        return UNK;
    }
}

bool ev_uniform_truth(const struct ev_val *v, int64_t *out)
{
    if (v->kind == EV_INT && v->lanes)
        return false;
    *out = ev_truth(v, 0);
    return true;
}
