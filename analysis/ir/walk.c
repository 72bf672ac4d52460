/* Walkers: every expression or statement below one, parents first. */
#include "analysis/ir/ir.h"

static void walk_targs(const struct ir_targ *targs, size_t count, cmpd_ir_visit_expr visit,
                       void *ctx)
{
    for (size_t i = 0; i < count; i++)
        if (targs[i].value)
            cmpd_ir_walk_expr(targs[i].value, visit, ctx);
}

static void walk_launch(const struct ir_launch *l, cmpd_ir_visit_expr visit, void *ctx)
{
    const struct ir_expr *parts[] = {l->callee, l->config, l->grid, l->block, l->shared, l->stream};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            cmpd_ir_walk_expr(parts[i], visit, ctx);
}

void cmpd_ir_walk_expr(const struct ir_expr *x, cmpd_ir_visit_expr visit, void *ctx)
{
    if (!x || !visit(x, ctx))
        return;
    if (x->kind == IR_X_LAUNCH)
        walk_launch(x->launch, visit, ctx);
    if (x->kind == IR_X_LAMBDA)
        cmpd_ir_walk_stmt(x->lambda->func->body, visit, ctx);
    cmpd_ir_walk_expr(x->a, visit, ctx);
    cmpd_ir_walk_expr(x->b, visit, ctx);
    cmpd_ir_walk_expr(x->c, visit, ctx);
    if (x->kind == IR_X_CALL)
        walk_targs(x->targs, x->targ_count, visit, ctx);
    for (size_t i = 0; i < x->arg_count; i++)
        cmpd_ir_walk_expr(x->args[i], visit, ctx);
}

void cmpd_ir_walk_stmt(const struct ir_stmt *s, cmpd_ir_visit_expr visit, void *ctx)
{
    if (!s)
        return;
    cmpd_ir_walk_stmt(s->init, visit, ctx);
    if (s->var)
        cmpd_ir_walk_expr(s->var->init, visit, ctx);
    cmpd_ir_walk_expr(s->x, visit, ctx);
    for (size_t i = 0; i < s->expr_count; i++)
        cmpd_ir_walk_expr(s->exprs[i], visit, ctx);
    for (size_t i = 0; i < s->body_count; i++)
        cmpd_ir_walk_stmt(s->body[i], visit, ctx);
    cmpd_ir_walk_expr(s->step, visit, ctx);
}

void cmpd_ir_walk_stmts(const struct ir_stmt *s, cmpd_ir_visit_stmt visit, void *ctx)
{
    if (!s || !visit(s, ctx))
        return;
    cmpd_ir_walk_stmts(s->init, visit, ctx);
    for (size_t i = 0; i < s->body_count; i++)
        cmpd_ir_walk_stmts(s->body[i], visit, ctx);
}
