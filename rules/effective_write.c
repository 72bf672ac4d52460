/*
 * effective_write: a kernel that stores nothing that can be seen outside it.
 *
 * Catches: kernels whose every assignment goes to locals, copies or shared
 * memory. Stores through pointers and references that may lead outside, through
 * helpers of the file, functors and lambdas, atomics, store intrinsics, inline
 * asm and any function that is not seen count as a write, so a finding is a
 * proof.
 *
 * Misses: stores behind conditions that never hold, and stores of values that
 * were there before: the dynamic track settles those.
 */
#include <string.h>

#include "analysis/rule.h"
#include "rules/outside.h"

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_GLOBAL_FN] > 0;
}

/* Could an output be bound to the parameter? const_only: it is a pointer, but to const. */
static bool is_output_param(const struct ir_type *t, bool *const_only)
{
    if (!t)
        return true;
    switch (t->kind) {
    case IR_T_PTR:
    case IR_T_REF:
        *const_only = true;
        return !t->elem || !t->elem->is_const;
    case IR_T_STRUCT:
        if (!t->record)
            return true;
        for (size_t i = 0; i < t->record->field_count; i++) {
            const struct ir_type *f = t->record->fields[i].type;
            if (f && (f->kind == IR_T_PTR || f->kind == IR_T_UNKNOWN) &&
                is_output_param(f, const_only))
                return true;
        }
        return false;
    case IR_T_UNKNOWN:
    case IR_T_TPARAM:
        return true;
    default:
        return false;
    }
}

/* A kernel that spins on a flag of the host does its work by taking time. */
static bool reads_volatile(const struct ir_func *kernel)
{
    for (size_t i = 0; i < kernel->param_count; i++) {
        const struct ir_type *t = kernel->params[i]->type;
        if (t && t->elem && t->elem->is_volatile)
            return true;
    }
    return false;
}

/* A part of the body is behind an #if on names that the file does not define: the store may stand there. */
static bool hangs_on_guess(const struct cmpd_unit *unit, const struct ir_func *kernel)
{
    for (size_t i = 0; unit->guessed_condition && i < unit->directive_count; i++) {
        const struct cmpd_directive *d = &unit->directives[i];
        if (d->kind == CMPD_DIR_IF && d->off >= kernel->loc.off && d->off < kernel->loc.end)
            return true;
    }
    return false;
}

struct launch_search {
    const struct ir_func *kernel;
    bool found;
};

static bool find_launch(const struct ir_expr *x, void *ctx)
{
    struct launch_search *l = ctx;
    l->found |= x->kind == IR_X_LAUNCH && x->launch->kernel == l->kernel;
    return !l->found;
}

static bool is_launched(const struct ir_module *m, const struct ir_func *kernel)
{
    struct launch_search l = {kernel, false};
    for (size_t i = 0; i < m->func_count && !l.found; i++)
        if (m->funcs[i]->body)
            cmpd_ir_walk_stmt(m->funcs[i]->body, find_launch, &l);
    return l.found;
}

static void judge(struct cmpd_check *check, const struct ir_func *kernel)
{
    bool output = false, any_pointer = false, unclear = false;
    for (size_t i = 0; i < kernel->param_count; i++) {
        const struct ir_type *t = kernel->params[i]->type;
        bool pointer = false;
        output |= is_output_param(t, &pointer);
        any_pointer |= pointer;
        unclear |= t && (t->kind == IR_T_UNKNOWN || t->kind == IR_T_TPARAM ||
                         (t->kind == IR_T_STRUCT && !t->record));
    }
    if ((!output && !any_pointer) || kernel->is_variadic)
        return;
    if (reads_volatile(kernel) || hangs_on_guess(check->unit, kernel))
        return;
    if (kernel->has_error || cmpd_outside_may_write(check->module, kernel))
        return;
    uint32_t at = kernel->global_off;
    bool bound = (output && !unclear) || is_launched(check->module, kernel);
    cmpd_report(
        check, CMPD_TAG_no_global_write, bound ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW, at,
        at + (uint32_t)strlen("__global__"), kernel->name,
        "store the result through a pointer parameter; a copy of an element is not the element",
        "kernel %s stores nothing outside itself: all that it assigns are locals, copies or shared memory",
        kernel->name);
}

static void run(struct cmpd_check *check)
{
    for (size_t i = 0; check->module && i < check->module->func_count; i++) {
        const struct ir_func *f = check->module->funcs[i];
        if (f->kind == IR_F_KERNEL && f->body)
            judge(check, f);
    }
}

const struct cmpd_rule cmpd_rule_effective_write = {
    .name = "effective_write",
    .layer = CMPD_LAYER_AST,
    .possible = possible,
    .run = run,
};
