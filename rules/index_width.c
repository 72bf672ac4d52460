/*
 * type_width_mismatch, second part: 32-bit indices that the file's own limits overflow.
 *
 * Catches: an index, condition or initialiser of a kernel that is computed or kept in 32 bits and, for the
 * last block of a launch at the largest values that the file's comments allow, does not fit. The values
 * are put in one by one: thread 0 of the last block, which passes the usual guards, walks the kernel's
 * straight line.
 *
 * Misses: limits that no comment gives, values that hang on data or loops, unsigned arithmetic with large
 * constants (hashes, where wrapping round is meant).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/eval/inputs.h"
#include "analysis/eval/names.h"
#include "analysis/rule.h"

enum { DEPTH_MAX = 64, STEPS_MAX = 1000000, HASH_LITERAL = 65536, USED_MAX = 8, NAMES_MAX = 64 };

/* What the comments say of a name. */
struct limit {
    const char *name;
    bool known;
    int64_t max;
};

struct search {
    struct cmpd_check *check;
    bool *done;     /* by function index: reported */
    unsigned steps; /* of all launches */
    struct limit limits[NAMES_MAX];
    size_t limit_count;
};

struct used {
    const char *name;
    int64_t value;
};

struct scene {
    struct search *all;
    const struct ir_expr *launch;
    const struct ir_func *kernel;
    int64_t grid[3], block[3]; /* 0: not known */
    bool on_host;              /* what is evaluated is the launcher's */
    unsigned depth;
    const struct ir_expr *fault; /* the first node of the kernel that does not fit */
    int64_t value;               /* its true value */
    struct used used[USED_MAX];
    size_t used_count;
};

static bool value_of(struct scene *s, const struct ir_expr *x, int64_t *out);

/* ---- what fits ---- */

static bool is_int(const struct ir_type *t)
{
    return t && (t->kind == IR_T_INT || t->kind == IR_T_BOOL) && t->size > 0;
}

static bool fits(const struct ir_type *t, int64_t v)
{
    if (t->kind == IR_T_BOOL)
        return v == 0 || v == 1;
    if (t->size >= 8)
        return t->is_signed || v >= 0;
    int64_t top = ((int64_t)1 << (t->size * 8 - (t->is_signed ? 1 : 0))) - 1;
    return v <= top && v >= (t->is_signed ? -top - 1 : 0);
}

static bool is_hash_literal(const struct ir_expr *x)
{
    return x && x->kind == IR_X_INT && (x->ival < 0 || x->ival >= HASH_LITERAL);
}

/* Wrapping round is a fault in signed arithmetic, and in unsigned sums and products of plain sizes. */
static bool wraps_by_mistake(const struct ir_expr *x, int64_t v)
{
    const struct ir_type *t = x->type;
    if (t->size != 4 || v < 0)
        return false;
    if (t->is_signed)
        return true;
    return x->kind == IR_X_BINARY && (x->op == IR_OP_ADD || x->op == IR_OP_MUL) &&
           !is_hash_literal(x->a) && !is_hash_literal(x->b);
}

static bool settle(struct scene *s, const struct ir_expr *x, int64_t v, int64_t *out)
{
    if (!is_int(x->type))
        return false;
    *out = v;
    if (fits(x->type, v))
        return true;
    if (!s->on_host && !s->fault && wraps_by_mistake(x, v)) {
        s->fault = x;
        s->value = v;
    }
    return false;
}

/* ---- values ---- */

static bool binary(struct scene *s, const struct ir_expr *x, int64_t *out)
{
    int64_t a, b, v = 0;
    bool known = value_of(s, x->a, &a);
    if (!value_of(s, x->b, &b) || !known)
        return false;
    switch (x->op) {
    case IR_OP_ADD:
        return !__builtin_add_overflow(a, b, &v) && settle(s, x, v, out);
    case IR_OP_SUB:
        return !__builtin_sub_overflow(a, b, &v) && settle(s, x, v, out);
    case IR_OP_MUL:
        return !__builtin_mul_overflow(a, b, &v) && settle(s, x, v, out);
    case IR_OP_DIV:
        return a >= 0 && b > 0 && settle(s, x, a / b, out);
    case IR_OP_MOD:
        return a >= 0 && b > 0 && settle(s, x, a % b, out);
    case IR_OP_SHR:
        return a >= 0 && b >= 0 && b < 63 && settle(s, x, a >> b, out);
    case IR_OP_SHL:
        return a >= 0 && b >= 0 && b < 31 && a < INT32_MAX && x->type->is_signed &&
               settle(s, x, a << b, out);
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
    case IR_OP_EQ:
        *out = a == b;
        return true;
    case IR_OP_NE:
        *out = a != b;
        return true;
    default:
        return false;
    }
}

/* && and ||: one side may settle it. */
static bool logical(struct scene *s, const struct ir_expr *x, int64_t *out)
{
    int64_t a, b, settles = x->kind == IR_X_LOR;
    bool known_a = value_of(s, x->a, &a);
    *out = settles;
    if (known_a && (a != 0) == settles)
        return true;
    bool known_b = value_of(s, x->b, &b);
    if (known_b && (b != 0) == settles)
        return true;
    *out = !settles;
    return known_a && known_b;
}

static bool builtin(const struct scene *s, const struct ir_expr *x, int64_t *out)
{
    if (x->dim < 0 || s->on_host)
        return false;
    int64_t grid = s->grid[x->dim], block = s->block[x->dim];
    switch (x->builtin) {
    case IR_B_THREAD_IDX:
        *out = 0;
        return true;
    case IR_B_BLOCK_IDX:
        *out = grid - 1;
        return grid > 0;
    case IR_B_BLOCK_DIM:
        *out = block;
        return block > 0;
    case IR_B_GRID_DIM:
        *out = grid;
        return grid > 0;
    default:
        *out = 32;
        return true;
    }
}

static void note_used(struct scene *s, const char *name, int64_t value)
{
    for (size_t i = 0; i < s->used_count; i++)
        if (strcmp(s->used[i].name, name) == 0)
            return;
    if (s->used_count < USED_MAX)
        s->used[s->used_count++] = (struct used){name, value};
}

static bool limit_of(struct search *all, const char *name, int64_t *max)
{
    for (size_t i = 0; i < all->limit_count; i++)
        if (strcmp(all->limits[i].name, name) == 0) {
            *max = all->limits[i].max;
            return all->limits[i].known;
        }
    if (all->limit_count == NAMES_MAX)
        return false;
    struct limit *l = &all->limits[all->limit_count++];
    l->name = name;
    l->known = ev_documented_max(all->check->module, all->check->arena, name, &l->max);
    *max = l->max;
    return l->known;
}

static bool parameter(struct scene *s, const struct ir_var *v, int64_t *out)
{
    if (v->is_assigned || v->address_taken)
        return false;
    if (s->on_host) {
        if (!is_int(v->type) || !limit_of(s->all, v->name, out) || !fits(v->type, *out))
            return false;
        note_used(s, v->name, *out);
        return true;
    }
    for (size_t i = 0; i < s->kernel->param_count && i < s->launch->arg_count; i++) {
        if (s->kernel->params[i] != v)
            continue;
        s->on_host = true;
        bool known = value_of(s, s->launch->args[i], out);
        s->on_host = false;
        return known && is_int(v->type) && fits(v->type, *out);
    }
    return false;
}

static bool variable(struct scene *s, const struct ir_var *v, int64_t *out)
{
    if (v->storage == IR_V_PARAM)
        return parameter(s, v, out);
    bool fixed = !v->is_assigned && !v->address_taken && v->init && is_int(v->type);
    if (!fixed || (v->storage != IR_V_LOCAL && !v->is_const && !v->is_constexpr))
        return false;
    return value_of(s, v->init, out) && fits(v->type, *out);
}

static bool call(struct scene *s, const struct ir_expr *x, int64_t *out)
{
    const char *name = !x->func && x->name ? ev_plain_name(x->name) : "";
    bool least = strcmp(name, "min") == 0, most = strcmp(name, "max") == 0;
    int64_t a, b;
    if ((!least && !most) || x->arg_count != 2 || !value_of(s, x->args[0], &a) ||
        !value_of(s, x->args[1], &b))
        return false;
    *out = (a < b) == least ? a : b;
    return true;
}

static bool choose(struct scene *s, const struct ir_expr *x, int64_t *out)
{
    switch (x->kind) {
    case IR_X_INT:
        *out = x->ival;
        return x->ival >= 0;
    case IR_X_VAR:
        return variable(s, x->var, out);
    case IR_X_BUILTIN:
        return builtin(s, x, out);
    case IR_X_BINARY:
        return binary(s, x, out);
    case IR_X_LAND:
    case IR_X_LOR:
        return logical(s, x, out);
    case IR_X_UNARY:
        if (x->op != IR_OP_NOT || !value_of(s, x->a, out))
            return false;
        *out = !*out;
        return true;
    case IR_X_COND: {
        int64_t which;
        return value_of(s, x->a, &which) && value_of(s, which ? x->b : x->c, out);
    }
    case IR_X_CAST:
        return value_of(s, x->a, out) && settle(s, x, *out, out);
    case IR_X_INIT:
        return x->arg_count == 1 && is_int(x->type) && value_of(s, x->args[0], out) &&
               settle(s, x, *out, out);
    case IR_X_CALL:
        return call(s, x, out);
    default:
        return false;
    }
}

static bool value_of(struct scene *s, const struct ir_expr *x, int64_t *out)
{
    *out = 0;
    if (!x || s->depth >= DEPTH_MAX || ++s->all->steps > STEPS_MAX)
        return false;
    s->depth++;
    bool known = choose(s, x, out);
    s->depth--;
    return known;
}

/* ---- the launch ---- */

static void extents(struct scene *s, const struct ir_expr *x, int64_t dims[3])
{
    static const int64_t ones[3] = {1, 1, 1};
    if (x && x->kind == IR_X_VAR && !is_int(x->var->type))
        x = x->var->is_assigned ? NULL : x->var->init;
    memset(dims, 0, 3 * sizeof *dims);
    if (!x)
        return;
    memcpy(dims, ones, sizeof ones);
    if (x->kind != IR_X_INIT || is_int(x->type)) {
        if (!value_of(s, x, &dims[0]))
            dims[0] = 0;
        return;
    }
    for (size_t i = 0; i < x->arg_count && i < 3; i++)
        if (!value_of(s, x->args[i], &dims[i]))
            dims[i] = 0;
}

static void set_launch(struct scene *s)
{
    static const int64_t limits[3] = {INT32_MAX, 65535, 65535};
    s->on_host = true;
    extents(s, s->launch->launch->grid, s->grid);
    extents(s, s->launch->launch->block, s->block);
    s->on_host = false;
    for (int d = 0; d < 3; d++) {
        if (s->grid[d] > limits[d])
            s->grid[d] = 0;
        if (s->block[d] > 1024)
            s->block[d] = 0;
    }
}

/* ---- the kernel's straight line ---- */

static bool find_index(const struct ir_expr *x, void *ctx)
{
    struct scene *s = ctx;
    int64_t v;
    if (x->kind == IR_X_INDEX && !s->fault)
        value_of(s, x->b, &v);
    return !s->fault && x->kind != IR_X_LAMBDA && x->kind != IR_X_COND && x->kind != IR_X_LAND &&
           x->kind != IR_X_LOR;
}

static bool find_leave(const struct ir_stmt *st, void *ctx)
{
    bool *found = ctx;
    *found |= st->kind == IR_S_RETURN || st->kind == IR_S_GOTO || st->kind == IR_S_UNKNOWN ||
              st->kind == IR_S_BREAK || st->kind == IR_S_CONTINUE;
    return !*found;
}

static bool may_leave(const struct ir_stmt *st)
{
    bool found = false;
    cmpd_ir_walk_stmts(st, find_leave, &found);
    return found;
}

static void judge_decl(struct scene *s, const struct ir_stmt *st)
{
    int64_t v;
    const struct ir_var *var = st->var;
    if (!var || !var->init)
        return;
    bool known = is_int(var->type) && value_of(s, var->init, &v);
    if (known && !s->fault && var->type->kind == IR_T_INT && var->type->size == 4 &&
        var->type->is_signed && v > INT32_MAX) {
        s->fault = var->init;
        s->value = v;
    }
    if (!s->fault)
        cmpd_ir_walk_expr(var->init, find_index, s);
}

/* false: the thread ends here, or may */
static bool walk(struct scene *s, const struct ir_stmt *st)
{
    int64_t v;
    if (!st || s->fault)
        return !s->fault;
    switch (st->kind) {
    case IR_S_BLOCK:
        for (size_t i = 0; i < st->body_count; i++)
            if (!walk(s, st->body[i]))
                return false;
        return true;
    case IR_S_DECL:
        judge_decl(s, st);
        return !s->fault;
    case IR_S_EXPR:
        if (st->x)
            cmpd_ir_walk_expr(st->x, find_index, s);
        return !s->fault;
    case IR_S_IF:
        if (value_of(s, st->x, &v))
            return walk(s, v ? st->body[0] : st->body_count > 1 ? st->body[1] : NULL);
        return !s->fault && !may_leave(st);
    case IR_S_FOR:
        return (!st->init || walk(s, st->init)) && !may_leave(st);
    case IR_S_EMPTY:
    case IR_S_ASM:
        return true;
    case IR_S_WHILE:
    case IR_S_DO:
    case IR_S_SWITCH:
    case IR_S_RANGE_FOR:
        return !may_leave(st);
    default:
        return false;
    }
}

static void report(const struct scene *s)
{
    char with[256] = "";
    size_t n = 0;
    for (size_t i = 0; i < s->used_count && n + 64 < sizeof with; i++)
        n += (size_t)snprintf(with + n, sizeof with - n, "%s%.24s = %" PRId64, i ? ", " : "",
                              s->used[i].name, s->used[i].value);
    cmpd_report(s->all->check, CMPD_TAG_type_width_mismatch, CMPD_TIER_REJECT, s->fault->loc.off,
                s->fault->loc.end, s->kernel->name, "compute and keep it in size_t or int64_t",
                "32 bits are too few: with %s, which the file's comments allow, this is %" PRId64
                " for thread 0 of the last block",
                with, s->value);
}

static bool note_launch(const struct ir_expr *x, void *ctx)
{
    struct search *all = ctx;
    const struct ir_func *k = x->kind == IR_X_LAUNCH ? x->launch->kernel : NULL;
    if (!k || !k->body || k->has_error || x->launch->args_unknown || all->done[k->index])
        return true;
    struct scene s = {.all = all, .launch = x, .kernel = k};
    set_launch(&s);
    walk(&s, k->body);
    if (s.fault && s.used_count) {
        all->done[k->index] = true;
        report(&s);
    }
    return true;
}

static void run(struct cmpd_check *check)
{
    const struct ir_module *m = check->module;
    if (!m || !m->unit->tokens || !m->unit->tokens->comment_count)
        return;
    struct search all = {.check = check,
                         .done = CMPD_ARENA_ARRAY(check->arena, bool, m->func_count + 1)};
    for (size_t i = 0; i < m->func_count; i++)
        if (m->funcs[i]->body && m->funcs[i]->kind == IR_F_HOST)
            cmpd_ir_walk_stmt(m->funcs[i]->body, note_launch, &all);
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0 && scan->count[CMPD_SCAN_LAUNCH] > 0;
}

const struct cmpd_rule cmpd_rule_index_width = {
    .name = "type_width",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
