/*
 * style: habits that are no faults. Notes alone, which never count.
 *
 * style_no_error_check: a launch with no look at its error behind it in its function (cudaGetLastError,
 * cudaPeekAtLastError, a synchronisation whose result is used, something called check or assert). One a
 * function.
 * style_missing_restrict: a kernel with several pointers of which none is __restrict__, one is written and
 * no launch passes one buffer twice. One a kernel.
 * style_missing_const: a pointer parameter of a kernel that is only read and not const. One a kernel.
 * style_magic_block_size: the kernel repeats the number that its launch gives as block size. One a kernel.
 *
 * Misses: errors that the caller looks at; pointers that are handed on or copied; members of parameters.
 */
#include <string.h>
#include <strings.h>

#include "analysis/eval/names.h"
#include "analysis/rule.h"

enum { PARAMS_MAX = 32, LAUNCHES_MAX = 256, CHAIN_MAX = 8, BODIES_MAX = 200 };

struct launches {
    struct cmpd_check *check;
    const struct ir_expr *unchecked; /* a launch, no look at errors seen behind it yet */
    const struct ir_expr *dropped;   /* a call that is a whole statement: its result is lost */
    const struct ir_expr *all[LAUNCHES_MAX];
    size_t count;
    size_t bodies; /* of called functions that were looked through */
};

/* ---- errors ---- */

static bool name_checks(const char *name)
{
    static const char *const parts[] = {"check", "assert", "GetLastError", "PeekAtLastError",
                                        "_try",  "errchk", "safe_call",    "safecall"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

static bool find_check(const struct ir_expr *x, void *ctx)
{
    bool *found = ctx;
    *found |= x->kind == IR_X_CALL && x->name && name_checks(x->name);
    return !*found;
}

static bool looks_at_error(struct launches *l, const struct ir_expr *x)
{
    const char *name = x->func ? x->func->name : x->name;
    if (x->kind != IR_X_CALL || !name)
        return false;
    if (name_checks(name))
        return true;
    if (x->func && x->func->body && l->bodies++ < BODIES_MAX) {
        bool found = false;
        cmpd_ir_walk_stmt(x->func->body, find_check, &found);
        return found;
    }
    return strstr(name, "Synchronize") && x != l->dropped;
}

static bool note_host(const struct ir_expr *x, void *ctx)
{
    struct launches *l = ctx;
    if (x->kind == IR_X_LAUNCH) {
        if (!l->unchecked && !x->launch->via_api)
            l->unchecked = x;
        if (l->count < LAUNCHES_MAX)
            l->all[l->count++] = x;
    } else if (l->unchecked && x->kind == IR_X_CALL && looks_at_error(l, x)) {
        l->unchecked = NULL;
    }
    return true;
}

/* Statements and their expressions in order of the text. */
static bool note_host_stmt(const struct ir_stmt *s, void *ctx)
{
    struct launches *l = ctx;
    l->dropped = s->kind == IR_S_EXPR ? s->x : NULL;
    if (s->x)
        cmpd_ir_walk_expr(s->x, note_host, l);
    if (s->kind == IR_S_DECL && s->var && s->var->init)
        cmpd_ir_walk_expr(s->var->init, note_host, l);
    for (size_t i = 0; i < s->expr_count; i++)
        cmpd_ir_walk_expr(s->exprs[i], note_host, l);
    return true;
}

static void judge_host(struct launches *l, const struct ir_func *f)
{
    l->unchecked = NULL;
    cmpd_ir_walk_stmts(f->body, note_host_stmt, l);
    if (!l->unchecked)
        return;
    cmpd_report(l->check, CMPD_TAG_style_no_error_check, CMPD_TIER_NOTE, l->unchecked->loc.off,
                l->unchecked->loc.end,
                l->unchecked->launch->kernel ? l->unchecked->launch->kernel->name : NULL,
                "look at cudaGetLastError() behind the launch",
                "nothing in %s looks at the error of this launch", f->name);
}

/* ---- pointer parameters ---- */

struct pointers {
    const struct ir_func *kernel;
    unsigned seen[PARAMS_MAX], read[PARAMS_MAX];
    bool written[PARAMS_MAX];
    const struct ir_expr *literal; /* of the wanted value, see find_literal */
    int64_t wanted;
};

static int param_of(const struct pointers *p, const struct ir_expr *x)
{
    if (!x || x->kind != IR_X_VAR || x->var->storage != IR_V_PARAM || x->var->func != p->kernel)
        return -1;
    for (size_t i = 0; i < p->kernel->param_count && i < PARAMS_MAX; i++)
        if (p->kernel->params[i] == x->var)
            return (int)i;
    return -1;
}

/* The parameter that an lvalue goes through is not only read. */
static void mark(struct pointers *p, const struct ir_expr *x)
{
    while (x && (x->kind == IR_X_INDEX || x->kind == IR_X_DEREF || x->kind == IR_X_MEMBER ||
                 x->kind == IR_X_CAST))
        x = x->a;
    int i = param_of(p, x);
    if (i >= 0)
        p->written[i] = true;
}

/* Arguments that may be bound to a reference which writes. */
static void mark_args(struct pointers *p, const struct ir_expr *x)
{
    bool plain = x->kind == IR_X_INIT
                     ? !x->func
                     : !x->func && x->name && ev_is_known_name(ev_plain_name(x->name));
    for (size_t i = 0; i < x->arg_count && !plain; i++) {
        const struct ir_type *t = x->func && i < x->func->param_count ? x->func->params[i]->type
                                                                      : NULL;
        bool by_value = t && !(t->kind == IR_T_REF && !t->elem->is_const);
        if (!by_value)
            mark(p, x->args[i]);
    }
    if (x->kind == IR_X_CALL && x->a && x->a->kind == IR_X_MEMBER)
        mark(p, x->a);
}

static bool note_use(const struct ir_expr *x, void *ctx)
{
    struct pointers *p = ctx;
    int i;
    switch (x->kind) {
    case IR_X_ASSIGN:
    case IR_X_INCDEC:
    case IR_X_ADDR:
    case IR_X_LAMBDA:
    case IR_X_UNKNOWN:
        mark(p, x->a);
        for (size_t k = 0; k < x->arg_count; k++)
            mark(p, x->args[k]);
        break;
    case IR_X_CALL:
    case IR_X_INIT:
        mark_args(p, x);
        break;
    case IR_X_INDEX:
    case IR_X_DEREF:
    case IR_X_MEMBER:
        if ((i = param_of(p, x->a)) >= 0)
            p->read[i]++;
        break;
    case IR_X_VAR:
        if ((i = param_of(p, x)) >= 0)
            p->seen[i]++;
        break;
    default:
        break;
    }
    return true;
}

static bool note_binding(const struct ir_stmt *s, void *ctx)
{
    struct pointers *p = ctx;
    if (s->kind == IR_S_DECL && s->var && s->var->init && s->var->type->kind == IR_T_REF)
        mark(p, s->var->init);
    for (size_t i = 0; i < s->expr_count; i++)
        mark(p, s->exprs[i]);
    return true;
}

static bool is_data_pointer(const struct ir_type *t)
{
    return t->kind == IR_T_PTR && t->elem->kind != IR_T_PTR && t->elem->kind != IR_T_VOID &&
           !t->elem->is_volatile;
}

static void judge_const(struct cmpd_check *check, const struct pointers *p)
{
    const struct ir_func *k = p->kernel;
    for (size_t i = 0; i < k->param_count && i < PARAMS_MAX; i++) {
        const struct ir_var *v = k->params[i];
        if (!is_data_pointer(v->type) || v->type->elem->is_const || p->written[i] || !p->read[i] ||
            p->read[i] != p->seen[i])
            continue;
        cmpd_report(check, CMPD_TAG_style_missing_const, CMPD_TIER_NOTE, v->loc.off, v->loc.end,
                    k->name, "make it a pointer to const",
                    "%s is only read, and its type does not say so", v->name);
        return;
    }
}

/* Does a launch pass one variable to two pointers of the kernel? */
static bool may_alias(const struct launches *l, const struct ir_func *k)
{
    for (size_t n = 0; n < l->count; n++) {
        const struct ir_expr *x = l->all[n];
        if (x->launch->kernel != k)
            continue;
        for (size_t i = 0; i < x->arg_count; i++)
            for (size_t j = 0; j < i; j++)
                if (x->args[i]->kind == IR_X_VAR && x->args[j]->kind == IR_X_VAR &&
                    x->args[i]->var == x->args[j]->var && x->args[i]->var->type->kind != IR_T_INT)
                    return true;
    }
    return false;
}

/* Between the kernel's name and its body; also as a macro of a header. */
static bool says_restrict(const struct cmpd_tokens *toks, const struct ir_func *k)
{
    size_t lo = 0, hi = toks->count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (toks->items[mid].off < k->name_loc.off)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < toks->count && toks->items[lo].off < k->body->loc.off; lo++) {
        const struct cmpd_token *t = &toks->items[lo];
        for (uint32_t i = 0; i + 8 <= t->len; i++)
            if (strncasecmp(toks->src->text + t->off + i, "restrict", 8) == 0)
                return true;
    }
    return false;
}

static void judge_restrict(struct launches *l, const struct pointers *p)
{
    const struct ir_func *k = p->kernel;
    size_t pointers = 0, written = 0, marked = 0;
    for (size_t i = 0; i < k->param_count && i < PARAMS_MAX; i++)
        if (is_data_pointer(k->params[i]->type)) {
            pointers++;
            written += p->written[i];
            marked += k->params[i]->type->is_restrict;
        }
    if (pointers < 2 || !written || marked || may_alias(l, k) || says_restrict(l->check->tokens, k))
        return;
    cmpd_report(l->check, CMPD_TAG_style_missing_restrict, CMPD_TIER_NOTE, k->name_loc.off,
                k->name_loc.end, k->name, "mark pointers that never overlap with __restrict__",
                "none of the %zu pointers of %s is __restrict__, so loads wait for stores",
                pointers, k->name);
}

/* ---- block sizes ---- */

static const struct ir_expr *plain_literal(const struct ir_expr *x)
{
    for (int i = 0; x && i < CHAIN_MAX; i++) {
        if (x->kind == IR_X_CAST)
            x = x->a;
        else if (x->kind == IR_X_INIT && x->arg_count == 1)
            x = x->args[0];
        else if (x->kind == IR_X_VAR && x->var->storage == IR_V_LOCAL && !x->var->is_assigned)
            x = x->var->init;
        else
            break;
    }
    return x && x->kind == IR_X_INT && !x->loc.in_macro ? x : NULL;
}

static bool find_literal(const struct ir_expr *x, void *ctx)
{
    struct pointers *p = ctx;
    if (x->kind != IR_X_BINARY || x->op != IR_OP_MUL || p->literal)
        return !p->literal;
    const struct ir_expr *side[] = {x->a, x->b};
    for (int i = 0; i < 2; i++) {
        const struct ir_expr *other = side[1 - i];
        if (side[i]->kind == IR_X_BUILTIN && side[i]->builtin == IR_B_BLOCK_IDX &&
            other->kind == IR_X_INT && !other->loc.in_macro && other->ival == p->wanted)
            p->literal = other;
    }
    return !p->literal;
}

static void judge_block_size(struct launches *l, struct pointers *p)
{
    const struct ir_func *k = p->kernel;
    for (size_t n = 0; n < l->count && !p->literal; n++) {
        const struct ir_launch *at = l->all[n]->launch;
        const struct ir_expr *block = at->kernel == k ? plain_literal(at->block) : NULL;
        if (!block)
            continue;
        p->wanted = block->ival;
        cmpd_ir_walk_stmt(k->body, find_literal, p);
        for (size_t i = 0; i < k->var_count && !p->literal; i++) {
            const struct ir_var *v = k->vars[i];
            const struct ir_expr *extent = v && v->storage == IR_V_SHARED &&
                                                   v->type->kind == IR_T_ARRAY
                                               ? v->type->extent
                                               : NULL;
            if (extent && extent->kind == IR_X_INT && !extent->loc.in_macro &&
                extent->ival == p->wanted && extent->ival > 32)
                p->literal = extent;
        }
    }
    if (p->literal)
        cmpd_report(l->check, CMPD_TAG_style_magic_block_size, CMPD_TIER_NOTE, p->literal->loc.off,
                    p->literal->loc.end, k->name, "use blockDim, or one constant for both",
                    "%lld repeats the block size that the launch of %s gives",
                    (long long)p->literal->ival, k->name);
}

/* ---- the rule ---- */

static void judge_kernel(struct launches *l, const struct ir_func *k)
{
    struct pointers p = {.kernel = k};
    if (k->has_error)
        return;
    cmpd_ir_walk_stmt(k->body, note_use, &p);
    cmpd_ir_walk_stmts(k->body, note_binding, &p);
    judge_const(l->check, &p);
    judge_restrict(l, &p);
    judge_block_size(l, &p);
}

static void run(struct cmpd_check *check)
{
    struct launches l = {.check = check};
    const struct ir_module *m = check->module;
    for (size_t i = 0; m && i < m->func_count; i++)
        if (m->funcs[i]->kind == IR_F_HOST && m->funcs[i]->body)
            judge_host(&l, m->funcs[i]);
    for (size_t i = 0; m && i < m->func_count; i++)
        if (m->funcs[i]->kind == IR_F_KERNEL && m->funcs[i]->body)
            judge_kernel(&l, m->funcs[i]);
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0 || scan->count[CMPD_SCAN_LAUNCH] > 0;
}

const struct cmpd_rule cmpd_rule_style = {
    .name = "style",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
