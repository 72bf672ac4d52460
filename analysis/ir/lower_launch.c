/* Launches: k<<<...>>>(...) and the calls of the runtime that launch a kernel of the file. */
#include <string.h>

#include "analysis/ir/lower.h"

/* A launch through a variable: its kernel is known once the body showed no other assignment. */
struct pending_launch {
    struct ir_launch *launch;
    const struct ir_var *var;
    const struct ir_func *kernel;
};

/* The kernel that a callee names: through parentheses, casts and &. */
static const struct ir_expr *named_function(const struct ir_expr *x)
{
    while (x->kind == IR_X_CAST || x->kind == IR_X_ADDR || x->kind == IR_X_DEREF)
        x = x->a;
    return x;
}

static const struct ir_func *kernel_of(struct lower *L, const struct ir_expr *f,
                                       const struct ir_expr *const *args, size_t count)
{
    if (f->kind != IR_X_FUNC)
        return NULL;
    const struct ir_func *k = ir_resolve(L, f->func->name, f->func->scope, args, count, f->targs,
                                         f->targ_count);
    return k && k->kind == IR_F_KERNEL ? k : NULL;
}

/* By name alone: the arguments are not to be seen. NULL when overloads differ. */
static const struct ir_func *kernel_by_name(struct lower *L, const struct ir_expr *f)
{
    if (f->kind != IR_X_FUNC)
        return NULL;
    const struct ir_func *best = NULL;
    const struct symbol *sym = ir_symbol(L, f->func->name, strlen(f->func->name));
    for (const struct binding *b = sym->top; b; b = b->older) {
        if (b->kind != BIND_FUNC || b->func->kind != IR_F_KERNEL || b->func->is_specialization)
            continue;
        if (best && best->param_count != b->func->param_count)
            return NULL;
        if (!best || (b->func->is_defined && !best->is_defined))
            best = b->func;
    }
    return best;
}

static void set_kernel(struct lower *L, struct ir_launch *launch, const struct ir_expr *const *args,
                       size_t count)
{
    const struct ir_expr *f = named_function(launch->callee);
    launch->targs = f->targs;
    launch->targ_count = f->targ_count;
    launch->kernel = kernel_of(L, f, args, count);
    if (f->kind != IR_X_VAR || !f->var->init)
        return;
    const struct ir_expr *held = named_function(f->var->init);
    const struct ir_func *k = kernel_of(L, held, args, count);
    if (!k)
        return;
    struct pending_launch *p = CMPD_ARENA_NEW(L->arena, struct pending_launch);
    p->launch = launch;
    p->var = f->var;
    p->kernel = k;
    launch->targs = held->targs;
    launch->targ_count = held->targ_count;
    ir_push(&L->launches, p);
}

void ir_finish_launches(struct lower *L)
{
    for (size_t i = 0; i < L->launches.count; i++) {
        struct pending_launch *p = L->launches.items[i];
        if (!p->var->address_taken && !p->var->is_assigned)
            p->launch->kernel = p->kernel;
    }
}

static void kernel_references(const struct ir_launch *launch, const struct ir_expr *const *args,
                              size_t count)
{
    const struct ir_func *k = launch->kernel;
    for (size_t i = 0; k && i < count && i < k->param_count; i++)
        if (k->params[i]->type->kind == IR_T_REF)
            ir_take_address(args[i]);
}

const struct ir_expr *ir_launch_node(struct lower *L, uint32_t node, uint32_t config)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_LAUNCH, node, &ir_t_void);
    struct ir_launch *launch = CMPD_ARENA_NEW(L->arena, struct ir_launch);
    launch->callee = ir_expr(L, ir_child(L, node, TF_FUNCTION));
    const struct ir_expr **slots[] = {&launch->grid, &launch->block, &launch->shared,
                                      &launch->stream};
    size_t i = 0;
    FOR_CHILDREN(L, c, config)
    if ((L->n[c].flags & TN_NAMED) && i < 4)
        *slots[i++] = ir_expr(L, c);
    x->args = ir_arg_list(L, ir_child(L, node, TF_ARGUMENTS), &x->arg_count);
    set_kernel(L, launch, x->args, x->arg_count);
    kernel_references(launch, x->args, x->arg_count);
    x->launch = launch;
    return x;
}

/* What `&a` in an argument array stands for. */
static const struct ir_expr *pointee(struct lower *L, const struct ir_expr *x)
{
    while (x->kind == IR_X_CAST)
        x = x->a;
    if (x->kind == IR_X_ADDR)
        return x->a;
    struct ir_expr *d = CMPD_ARENA_NEW(L->arena, struct ir_expr);
    const struct ir_type *t = ir_decay(L->arena, x->type);
    d->kind = IR_X_DEREF;
    d->loc = x->loc;
    d->a = x;
    d->type = t->kind == IR_T_PTR ? t->elem : &ir_t_unknown;
    return d;
}

/* The arguments in `void *args[] = {&a, &b}`. */
static bool array_args(struct lower *L, const struct ir_expr *array, struct ir_expr *out)
{
    array = named_function(array);
    const struct ir_expr *init = array->kind == IR_X_VAR ? array->var->init : array;
    if (array->kind == IR_X_VAR && array->var->storage != IR_V_LOCAL)
        return false;
    if (!init || init->kind != IR_X_INIT || init->paren)
        return false;
    out->args = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, init->arg_count + 1);
    out->arg_count = init->arg_count;
    for (size_t i = 0; i < init->arg_count; i++)
        out->args[i] = pointee(L, init->args[i]);
    return true;
}

static void api_array(struct lower *L, struct ir_expr *x, struct ir_launch *launch,
                      const struct ir_expr *array)
{
    const struct ir_expr *f = named_function(launch->callee);
    launch->args_unknown = !array_args(L, array, x);
    if (!launch->args_unknown)
        set_kernel(L, launch, x->args, x->arg_count);
    if (!launch->kernel)
        launch->kernel = kernel_by_name(L, f);
    launch->targs = f->targs;
    launch->targ_count = f->targ_count;
}

/* A call of a function that launches, as IR_X_LAUNCH; NULL where the kernel is not plain to see. */
const struct ir_expr *ir_launch_api(struct lower *L, uint32_t node, const char *name,
                                    const struct ir_expr *const *args, size_t count)
{
    if (strncmp(name, "cudaLaunch", 10) != 0 && strncmp(name, "::cudaLaunch", 12) != 0)
        return NULL;
    name = ir_unqualified(name);
    bool array = strcmp(name, "cudaLaunchKernel") == 0 ||
                 strcmp(name, "cudaLaunchCooperativeKernel") == 0;
    bool exc = strcmp(name, "cudaLaunchKernelExC") == 0;
    bool ex = strcmp(name, "cudaLaunchKernelEx") == 0;
    if (!(array && count >= 4) && !(ex && count >= 2) && !(exc && count == 3))
        return NULL;
    const struct ir_expr *callee = args[array ? 0 : 1];
    const struct ir_expr *f = named_function(callee);
    if (f->kind != IR_X_FUNC &&
        !(f->kind == IR_X_VAR && f->var->init && named_function(f->var->init)->kind == IR_X_FUNC))
        return NULL;
    struct ir_expr *x = ir_new_expr(L, IR_X_LAUNCH, node, &ir_t_error);
    struct ir_launch *launch = CMPD_ARENA_NEW(L->arena, struct ir_launch);
    launch->callee = callee;
    launch->via_api = true;
    x->launch = launch;
    if (array) {
        launch->grid = args[1];
        launch->block = args[2];
        launch->shared = count > 4 ? args[4] : NULL;
        launch->stream = count > 5 ? args[5] : NULL;
        api_array(L, x, launch, args[3]);
        return x;
    }
    launch->config = args[0];
    if (exc) {
        api_array(L, x, launch, args[2]);
        return x;
    }
    x->arg_count = count - 2;
    x->args = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, count);
    memcpy(x->args, args + 2, (count - 2) * sizeof *args);
    set_kernel(L, launch, x->args, x->arg_count);
    return x;
}
