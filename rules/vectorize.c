/*
 * vectorize: memory-bound kernels that move one scalar a thread.
 *
 * Catches only the plain form: one global index blockIdx.x * block + threadIdx.x,
 * every buffer accessed at exactly that index, scalars of at most eight bytes, no
 * loop, no shared memory, no barrier, no atomic and no warp operation. There a
 * float4, half2 or double2 a thread needs fewer memory instructions for the same bytes.
 *
 * Misses, on purpose: grid-stride loops, two-dimensional kernels, and anything
 * with reuse, where wider access is no plain gain.
 */
#include <string.h>

#include "analysis/eval/names.h"
#include "analysis/rule.h"

enum { CHAIN_MAX = 8 };

struct form {
    const struct ir_func *kernel;
    bool plain; /* nothing seen that breaks the form */
    unsigned loads, stores;
    const struct ir_expr *store;
    const struct ir_expr *target; /* the lvalue being assigned, not a load */
};

static const struct ir_expr *strip(const struct ir_expr *x)
{
    while (x && x->kind == IR_X_CAST)
        x = x->a;
    return x;
}

/* The initialiser that a constant-like local stands for. */
static const struct ir_expr *resolve(const struct ir_expr *x)
{
    x = strip(x);
    for (int i = 0;
         x && x->kind == IR_X_VAR && x->var->storage == IR_V_LOCAL && x->var->init && i < CHAIN_MAX;
         i++)
        x = strip(x->var->init);
    return x;
}

static bool is_builtin(const struct ir_expr *x, enum ir_builtin b)
{
    x = resolve(x);
    return x && x->kind == IR_X_BUILTIN && x->builtin == b && x->dim == 0;
}

static bool is_block_extent(const struct ir_expr *x)
{
    x = resolve(x);
    if (!x)
        return false;
    if (x->kind == IR_X_BUILTIN)
        return x->builtin == IR_B_BLOCK_DIM && x->dim == 0;
    return x->kind == IR_X_INT || (x->kind == IR_X_VAR && (x->var->storage == IR_V_TPARAM ||
                                                           x->var->storage == IR_V_GLOBAL));
}

static bool is_block_start(const struct ir_expr *x)
{
    x = resolve(x);
    if (!x || x->kind != IR_X_BINARY || x->op != IR_OP_MUL)
        return false;
    return (is_builtin(x->a, IR_B_BLOCK_IDX) && is_block_extent(x->b)) ||
           (is_builtin(x->b, IR_B_BLOCK_IDX) && is_block_extent(x->a));
}

/* blockIdx.x * block + threadIdx.x, in any order, through variables and casts. */
static bool is_global_index(const struct ir_expr *x)
{
    x = resolve(x);
    if (!x || x->kind != IR_X_BINARY || x->op != IR_OP_ADD)
        return false;
    return (is_block_start(x->a) && is_builtin(x->b, IR_B_THREAD_IDX)) ||
           (is_block_start(x->b) && is_builtin(x->a, IR_B_THREAD_IDX));
}

static bool is_param_pointer(const struct form *f, const struct ir_expr *x)
{
    x = strip(x);
    return x && x->kind == IR_X_VAR && x->var->storage == IR_V_PARAM && x->var->func == f->kernel &&
           x->var->type->kind == IR_T_PTR;
}

static bool is_small_scalar(const struct ir_type *t)
{
    return t && (t->kind == IR_T_FLOAT || t->kind == IR_T_INT || t->kind == IR_T_BOOL) &&
           t->size >= 1 && t->size <= 8;
}

static void note_index(struct form *f, const struct ir_expr *x)
{
    const struct ir_type *ptr = x->a ? strip(x->a)->type : NULL;
    if (!is_param_pointer(f, x->a) || !ptr || !is_small_scalar(ptr->elem) ||
        x->a->kind == IR_X_CAST || !is_global_index(x->b)) {
        f->plain = false;
        return;
    }
    if (x != f->target)
        f->loads++;
}

static bool is_quiet_call(const struct ir_expr *x)
{
    const char *name = x->name ? ev_plain_name(x->name) : NULL;
    if (!name || (x->a && x->a->kind == IR_X_MEMBER) || !ev_is_known_name(name))
        return false;
    return strncmp(name, "atomic", 6) != 0 && !strstr(name, "sync");
}

static bool note_expr(const struct ir_expr *x, void *ctx)
{
    struct form *f = ctx;
    switch (x->kind) {
    case IR_X_ASSIGN:
        if (x->a && x->a->kind == IR_X_INDEX) {
            f->stores++;
            f->store = f->store ? f->store : x;
            f->target = x->op == IR_OP_NONE ? x->a : NULL;
        }
        break;
    case IR_X_INDEX:
        note_index(f, x);
        break;
    case IR_X_CALL: /* helpers of the file only compute: anything with a pointer breaks the form below */
        if (x->func)
            for (size_t i = 0; i < x->arg_count; i++)
                f->plain &= x->args[i] && x->args[i]->type->kind != IR_T_PTR;
        else
            f->plain &= is_quiet_call(x);
        break;
    case IR_X_DEREF:
    case IR_X_ADDR:
    case IR_X_LAMBDA:
    case IR_X_LAUNCH:
    case IR_X_NEW:
    case IR_X_UNKNOWN:
        f->plain = false;
        break;
    case IR_X_MEMBER:
        f->plain &= !x->arrow;
        break;
    default:
        break;
    }
    return f->plain;
}

static bool note_stmt(const struct ir_stmt *s, void *ctx)
{
    struct form *f = ctx;
    switch (s->kind) {
    case IR_S_FOR:
    case IR_S_WHILE:
    case IR_S_DO:
    case IR_S_RANGE_FOR:
    case IR_S_SWITCH:
    case IR_S_GOTO:
    case IR_S_ASM:
    case IR_S_UNKNOWN:
        f->plain = false;
        break;
    default:
        break;
    }
    return f->plain;
}

static bool uses_shared(const struct ir_func *k)
{
    for (size_t i = 0; i < k->var_count; i++)
        if (k->vars[i] &&
            (k->vars[i]->storage == IR_V_SHARED || k->vars[i]->storage == IR_V_SHARED_DYNAMIC))
            return true;
    return false;
}

static void judge(struct cmpd_check *check, const struct ir_func *k)
{
    struct form f = {.kernel = k, .plain = !k->has_error && !uses_shared(k)};
    if (f.plain)
        cmpd_ir_walk_stmts(k->body, note_stmt, &f);
    if (f.plain)
        cmpd_ir_walk_stmt(k->body, note_expr, &f);
    if (!f.plain || !f.loads || !f.stores || !f.store)
        return;
    const struct ir_type *elem = f.store->a->type;
    const char *name = elem && elem->name ? elem->name : "scalar";
    cmpd_report(
        check, CMPD_TAG_no_vectorized_access, CMPD_TIER_REVIEW, f.store->loc.off, f.store->loc.end,
        k->name,
        "move several neighbouring elements a thread (float4, half2 ...), with a scalar tail",
        "one %s a thread, contiguous: kernel %s is bound by memory and moves single scalars", name,
        k->name);
}

static void run(struct cmpd_check *check)
{
    for (size_t i = 0; check->module && i < check->module->func_count; i++)
        if (check->module->funcs[i]->kind == IR_F_KERNEL && check->module->funcs[i]->body)
            judge(check, check->module->funcs[i]);
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0;
}

const struct cmpd_rule cmpd_rule_vectorize = {
    .name = "vectorize",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
