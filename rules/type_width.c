/*
 * type_width: memory accessed through a pointer of another element width.
 *
 * Catches: an array of one floating-point type read as another of other width
 * (half as float, float as double): the values are wrong and twice as far
 * apart; a global thread index kept in 8 or 16 bits, or computed in 32 bits
 * where the file says that the count goes beyond them.
 *
 * Vector types, raw bytes, 16-bit pairs in 32-bit words and same-width bit casts
 * are fine. Signed against unsigned comparisons are a note.
 *
 * Misses: reinterpretation through unions, memcpy or void pointers.
 */
#include <string.h>

#include "analysis/rule.h"

static const struct ir_type *pointee(const struct ir_type *t)
{
    return t && (t->kind == IR_T_PTR || t->kind == IR_T_ARRAY) ? t->elem : NULL;
}

static bool is_wide_float(const struct ir_type *t)
{
    return t && t->kind == IR_T_FLOAT && t->size >= 2;
}

struct search {
    struct cmpd_check *check;
    const struct ir_func *func;
    bool compared; /* one sign_compare note a function */
};

/* Through a cast to void * the types are the author's own business. */
static bool is_plain_source(const struct ir_expr *x)
{
    return x && x->kind != IR_X_CAST && x->kind != IR_X_ADDR && x->kind != IR_X_CALL &&
           x->kind != IR_X_UNKNOWN;
}

/* The elements behind a cast pointer: is one used as a number, not only moved? */
struct use {
    const struct ir_expr *cast;
    const struct ir_var *var; /* the local that holds the cast, or NULL */
    bool computed;
};

static bool is_element(const struct use *u, const struct ir_expr *x)
{
    while (x && x->kind == IR_X_CAST && x != u->cast && x->type->kind != IR_T_PTR)
        x = x->a;
    if (!x || (x->kind != IR_X_INDEX && x->kind != IR_X_DEREF))
        return false;
    const struct ir_expr *p = x->a;
    while (p && (p->kind == IR_X_BINARY || (p->kind == IR_X_CAST && p != u->cast)))
        p = p->a;
    return p && (p == u->cast || (p->kind == IR_X_VAR && p->var == u->var));
}

static bool find_use(const struct ir_expr *x, void *ctx)
{
    struct use *u = ctx;
    if (x->kind == IR_X_BINARY || x->kind == IR_X_COND)
        u->computed |= is_element(u, x->a) || is_element(u, x->b);
    else if (x->kind == IR_X_UNARY || (x->kind == IR_X_ASSIGN && x->op != IR_OP_NONE))
        u->computed |= is_element(u, x->a) || is_element(u, x->b);
    else if (x->kind == IR_X_ASSIGN && is_element(u, x->a) &&
             x->b) /* a number of the other width is put there */
        u->computed |= x->b->kind == IR_X_BINARY || x->b->kind == IR_X_CALL ||
                       x->b->kind == IR_X_CAST;
    else if (x->kind == IR_X_CALL)
        for (size_t i = 0; i < x->arg_count; i++)
            u->computed |= is_element(u, x->args[i]);
    return !u->computed;
}

static bool note_holder(const struct ir_stmt *st, void *ctx)
{
    struct use *u = ctx;
    if (st->kind == IR_S_DECL && st->var && st->var->init == u->cast)
        u->var = st->var;
    return !u->var;
}

static void judge_cast(struct search *s, const struct ir_expr *x)
{
    const struct ir_type *to = pointee(x->type),
                         *from = x->a ? pointee(cmpd_ir_strip_ref(x->a->type)) : NULL;
    if (s->func->kind == IR_F_HOST) /* launchers pass buffers on under any pointer type */
        return;
    if (!is_wide_float(to) || !is_wide_float(from) || to->size == from->size ||
        !is_plain_source(x->a))
        return;
    struct use u = {.cast = x};
    cmpd_ir_walk_stmts(s->func->body, note_holder, &u);
    cmpd_ir_walk_stmt(s->func->body, find_use, &u);
    if (!u.computed)
        return;
    const char *a = from->name ? from->name : "the source", *b = to->name ? to->name : "the target";
    cmpd_report(
        s->check, CMPD_TAG_type_width_mismatch, CMPD_TIER_REJECT, x->loc.off, x->loc.end,
        s->func->name, "convert each element instead of the pointer",
        "an array of %s (%u bytes each) is accessed as %s (%u bytes each): element k is read from byte %u * k "
        "instead of %u * k, and its bits mean another number",
        a, from->size, b, to->size, to->size, from->size);
}

static void judge_compare(struct search *s, const struct ir_expr *x)
{
    if (s->compared || !x->a || !x->b || x->op < IR_OP_LT || x->op > IR_OP_GE)
        return;
    const struct ir_type *a = cmpd_ir_strip_ref(x->a->type), *b = cmpd_ir_strip_ref(x->b->type);
    bool ints = a && b && a->kind == IR_T_INT && b->kind == IR_T_INT && a->size >= 4 &&
                b->size >= 4;
    if (!ints || a->is_signed == b->is_signed || x->a->kind == IR_X_INT || x->b->kind == IR_X_INT)
        return;
    const struct ir_type *sgn = a->is_signed ? a : b, *uns = a->is_signed ? b : a;
    if (sgn->size > uns->size)
        return;
    s->compared = true;
    cmpd_report(s->check, CMPD_TAG_sign_compare, CMPD_TIER_NOTE, x->loc.off, x->loc.end,
                s->func->name, NULL,
                "signed and unsigned are compared: a negative value counts as a very large one");
}

static bool note_expr(const struct ir_expr *x, void *ctx)
{
    struct search *s = ctx;
    if (x->kind == IR_X_CAST)
        judge_cast(s, x);
    else if (x->kind == IR_X_BINARY)
        judge_compare(s, x);
    return true;
}

struct index_parts {
    bool block, thread;
};

static bool find_parts(const struct ir_expr *x, void *ctx)
{
    struct index_parts *p = ctx;
    if (x->kind == IR_X_BUILTIN) {
        p->block |= x->builtin == IR_B_BLOCK_IDX;
        p->thread |= x->builtin == IR_B_THREAD_IDX;
    }
    return true;
}

/* short i = blockIdx.x * blockDim.x + threadIdx.x; */
static bool note_stmt(const struct ir_stmt *st, void *ctx)
{
    struct search *s = ctx;
    if (st->kind != IR_S_DECL || !st->var || !st->var->init)
        return true;
    const struct ir_type *t = st->var->type;
    struct index_parts parts = {0};
    cmpd_ir_walk_expr(st->var->init, find_parts, &parts);
    bool narrow = t->kind == IR_T_INT && t->size >= 1 && t->size <= 2;
    if (!narrow || !parts.block || !parts.thread)
        return true;
    cmpd_report(s->check, CMPD_TAG_type_width_mismatch, CMPD_TIER_REVIEW, st->loc.off, st->loc.end,
                s->func->name, "use int, or size_t where counts go beyond 2^31",
                "the global thread index is kept in %u bits: from element %u on it starts again",
                t->size * 8, 1u << (t->size * 8 - (t->is_signed ? 1 : 0)));
    return true;
}

static void run(struct cmpd_check *check)
{
    for (size_t i = 0; check->module && i < check->module->func_count; i++) {
        const struct ir_func *f = check->module->funcs[i];
        if (!f->body)
            continue;
        struct search s = {.check = check, .func = f};
        cmpd_ir_walk_stmt(f->body, note_expr, &s);
        if (f->kind != IR_F_HOST)
            cmpd_ir_walk_stmts(f->body, note_stmt, &s);
    }
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0 || scan->count[CMPD_SCAN_DEVICE_FN] > 0;
}

const struct cmpd_rule cmpd_rule_type_width = {
    .name = "type_width",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
