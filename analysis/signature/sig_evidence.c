/*
 * What becomes of each pointer parameter. Every function is walked once a round: an access, a copy or a call of
 * something outside gives evidence to the parameter that the pointer comes from; a call of a function of the file
 * hands on what is known of that function's parameter. Rounds go on until nothing is new. Members of classes carry
 * pointers from a constructor to the methods.
 *
 * Not followed: pointers that are stored in arrays or returned, and function pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/signature/sig.h"

#define ROUNDS         12
#define DEPTH_CEILING  40
#define FIELDS_CEILING 500
#define NOWHERE        -1
#define NUMBER_EVIDENCE \
    ((unsigned)(CMPD_SIG_COMPARED | CMPD_SIG_AXIS_X | CMPD_SIG_AXIS_Y | CMPD_SIG_AXIS_Z))

/* A member of a class that a pointer was put into. */
struct member {
    const struct ir_struct *record;
    const char *name;
    unsigned evidence;
};

struct flow {
    struct sig_build *b;
    unsigned **params; /* by ir_func.index: evidence by parameter; NULL: none */
    bool *launches;    /* by ir_func.index */
    bool *library;
    bool *called;
    struct member *members;
    size_t member_count, member_cap;
    bool changed;
    /* the function under way */
    const struct ir_func *func;
    int *origin;      /* by slot: the parameter that a local pointer comes from */
    const char **via; /* by slot: the member of the own class that it comes from */
    bool device;      /* code of a kernel or device function, or of a lambda for one */
};

/* Where a pointer comes from: a parameter, a member, or neither. */
struct from {
    int param;
    struct member *member;
};

static struct member *member_of(struct flow *w, const struct ir_struct *record, const char *name)
{
    for (size_t i = 0; i < w->member_count; i++) {
        if (w->members[i].record == record && strcmp(w->members[i].name, name) == 0)
            return &w->members[i];
    }
    return NULL;
}

static const struct ir_struct *record_of(const struct ir_expr *object)
{
    const struct ir_type *t = cmpd_ir_strip_ref(object->type);
    if (t && t->kind == IR_T_PTR)
        t = t->elem;
    const struct ir_struct *r = t && t->kind == IR_T_STRUCT ? t->record : NULL;
    return r && r->primary ? r->primary : r;
}

static struct from trace(struct flow *w, const struct ir_expr *x, int depth);

static struct from trace_var(struct flow *w, const struct ir_var *v)
{
    struct from f = {NOWHERE, NULL};
    if (v->func != w->func || v->slot < 0 || (size_t)v->slot >= w->func->var_count)
        return f;
    f.param = w->origin[v->slot];
    if (w->via[v->slot] && w->func->record)
        f.member = member_of(w, w->func->record, w->via[v->slot]);
    return f;
}

/* The pointer that a pointer expression is made from: through casts, sums, members and elements' addresses. */
static struct from trace(struct flow *w, const struct ir_expr *x, int depth)
{
    struct from none = {NOWHERE, NULL};
    if (!x || depth > DEPTH_CEILING)
        return none;
    switch (x->kind) {
    case IR_X_VAR:
        return trace_var(w, x->var);
    case IR_X_CAST:
        return trace(w, x->a, depth + 1);
    case IR_X_ADDR: /* &p[i] */
        if (x->a && (x->a->kind == IR_X_INDEX || x->a->kind == IR_X_DEREF))
            return trace(w, x->a->a, depth + 1);
        return none;
    case IR_X_BINARY: {
        struct from f = trace(w, x->a, depth + 1);
        return f.param != NOWHERE || f.member ? f : trace(w, x->b, depth + 1);
    }
    case IR_X_INCDEC:
    case IR_X_ASSIGN:
        return trace(w, x->a, depth + 1);
    case IR_X_COND: {
        struct from f = trace(w, x->b, depth + 1);
        return f.param != NOWHERE || f.member ? f : trace(w, x->c, depth + 1);
    }
    case IR_X_INIT:
        return x->arg_count == 1 ? trace(w, x->args[0], depth + 1) : none;
    case IR_X_MEMBER: {
        const struct ir_struct *r = x->a ? record_of(x->a) : NULL;
        if (r && x->name)
            none.member = member_of(w, r, x->name);
        return none;
    }
    default:
        return none;
    }
}

static bool is_pointer(const struct ir_type *t)
{
    t = cmpd_ir_strip_ref(t);
    return t && (t->kind == IR_T_PTR || t->kind == IR_T_ARRAY) && !t->name;
}

static void give(struct flow *w, struct from f, unsigned evidence)
{
    if (f.param != NOWHERE) {
        unsigned *e = &w->params[w->func->index][f.param];
        w->changed = w->changed || (*e | evidence) != *e;
        *e |= evidence;
    }
    if (f.member) {
        w->changed = w->changed || (f.member->evidence | evidence) != f.member->evidence;
        f.member->evidence |= evidence;
    }
}

/* ---- calls ---- */

static const char *base_name(const char *name)
{
    const char *last = strrchr(name, ':');
    return last ? last + 1 : name;
}

static unsigned copy_kind(const struct ir_expr *kind, bool source)
{
    const char *k = kind && kind->name ? base_name(kind->name) : "";
    if (strcmp(k, "cudaMemcpyHostToDevice") == 0)
        return source ? CMPD_SIG_COPY_HOST_IN : CMPD_SIG_COPY_DEVICE_OUT;
    if (strcmp(k, "cudaMemcpyDeviceToHost") == 0)
        return source ? CMPD_SIG_COPY_DEVICE_IN : CMPD_SIG_COPY_HOST_OUT;
    if (strcmp(k, "cudaMemcpyDeviceToDevice") == 0)
        return source ? CMPD_SIG_COPY_DEVICE_IN : CMPD_SIG_COPY_DEVICE_OUT;
    return source ? CMPD_SIG_COPY_ANY_IN : CMPD_SIG_COPY_ANY_OUT;
}

/* What functions outside the file do with their arguments: -1 where an argument plays no such part. */
struct outside {
    const char *name;
    int dst, src, kind;                  /* argument numbers */
    unsigned dst_evidence, src_evidence; /* where kind is -1 */
};
static const struct outside OUTSIDE[] = {
    {"cudaMemcpy", 0, 1, 3, 0, 0},
    {"cudaMemcpyAsync", 0, 1, 3, 0, 0},
    {"cudaMemcpy2D", 0, 2, 6, 0, 0},
    {"cudaMemcpy2DAsync", 0, 2, 6, 0, 0},
    {"cudaMemcpyToSymbol", -1, 1, -1, 0, CMPD_SIG_COPY_ANY_IN},
    {"cudaMemcpyToSymbolAsync", -1, 1, -1, 0, CMPD_SIG_COPY_ANY_IN},
    {"cudaMemcpyFromSymbol", 0, -1, -1, CMPD_SIG_COPY_ANY_OUT, 0},
    {"cudaMemset", 0, -1, -1, CMPD_SIG_COPY_DEVICE_OUT, 0},
    {"cudaMemsetAsync", 0, -1, -1, CMPD_SIG_COPY_DEVICE_OUT, 0},
    {"cudaMemset2D", 0, -1, -1, CMPD_SIG_COPY_DEVICE_OUT, 0},
    {"memcpy", 0, 1, -1, CMPD_SIG_HOST_WRITE, CMPD_SIG_HOST_READ},
    {"memmove", 0, 1, -1, CMPD_SIG_HOST_WRITE, CMPD_SIG_HOST_READ},
    {"memset", 0, -1, -1, CMPD_SIG_HOST_WRITE, 0},
    {"cudaFree", 0, -1, -1, CMPD_SIG_FREED, 0},
    {"cudaFreeAsync", 0, -1, -1, CMPD_SIG_FREED, 0},
    {"cudaFreeHost", 0, -1, -1, CMPD_SIG_FREED, 0},
    {"free", 0, -1, -1, CMPD_SIG_FREED, 0},
    {"cudaHostRegister", 0, -1, -1, CMPD_SIG_HOST_READ, 0},
};
/* Functions of device code that read or write through their first pointer. */
static const struct outside DEVICE_OUTSIDE[] = {
    {"__ldg", -1, 0, -1, 0, CMPD_SIG_LOADED},
    {"__ldcs", -1, 0, -1, 0, CMPD_SIG_LOADED},
    {"__ldca", -1, 0, -1, 0, CMPD_SIG_LOADED},
    {"__ldcg", -1, 0, -1, 0, CMPD_SIG_LOADED},
    {"__ldcv", -1, 0, -1, 0, CMPD_SIG_LOADED},
    {"__ldlu", -1, 0, -1, 0, CMPD_SIG_LOADED},
    {"__stcs", 0, -1, -1, CMPD_SIG_STORED, 0},
    {"__stcg", 0, -1, -1, CMPD_SIG_STORED, 0},
    {"__stwb", 0, -1, -1, CMPD_SIG_STORED, 0},
    {"__stwt", 0, -1, -1, CMPD_SIG_STORED, 0},
    {"load_matrix_sync", -1, 1, -1, 0, CMPD_SIG_LOADED},
    {"store_matrix_sync", 0, -1, -1, CMPD_SIG_STORED, 0},
    {"__pipeline_memcpy_async", -1, 1, -1, 0, CMPD_SIG_LOADED},
    {"memcpy_async", -1, 2, -1, 0, CMPD_SIG_LOADED},
    {"memcpy", 0, 1, -1, CMPD_SIG_STORED, CMPD_SIG_LOADED},
    {"memset", 0, -1, -1, CMPD_SIG_STORED, 0},
};

static bool known_outside(struct flow *w, const char *name, const struct ir_expr *call)
{
    const struct outside *table = w->device ? DEVICE_OUTSIDE : OUTSIDE;
    size_t count = w->device ? sizeof DEVICE_OUTSIDE / sizeof *DEVICE_OUTSIDE
                             : sizeof OUTSIDE / sizeof *OUTSIDE;
    for (size_t i = 0; i < count; i++) {
        const struct outside *o = &table[i];
        if (strcmp(o->name, name) != 0)
            continue;
        const struct ir_expr *kind = o->kind >= 0 && (size_t)o->kind < call->arg_count
                                         ? call->args[o->kind]
                                         : NULL;
        if (o->dst >= 0 && (size_t)o->dst < call->arg_count)
            give(w, trace(w, call->args[o->dst], 0),
                 o->kind >= 0 ? copy_kind(kind, false) : o->dst_evidence);
        if (o->src >= 0 && (size_t)o->src < call->arg_count)
            give(w, trace(w, call->args[o->src], 0),
                 o->kind >= 0 ? copy_kind(kind, true) : o->src_evidence);
        return true;
    }
    return false;
}

static bool is_library(const char *name)
{
    static const char *const starts[] = {"cublas", "cudnn",    "cufft", "cusparse", "cusolver",
                                         "curand", "thrust::", "cub::", "nccl",     "cutlass::"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    }
    return false;
}

/* It looks at a pointer or says something of it, and that is all. */
static bool harmless(const char *name)
{
    static const char *const names[] = {"cudaPointerGetAttributes",
                                        "printf",
                                        "fprintf",
                                        "assert",
                                        "cudaMemPrefetchAsync",
                                        "cudaMemAdvise",
                                        "isAligned",
                                        "cudaMallocManaged",
                                        "cudaMalloc",
                                        "cudaMallocAsync"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static void into_function(struct flow *w, const struct ir_func *callee,
                          const struct ir_expr *const *args, size_t count, unsigned extra)
{
    unsigned *known = w->params[callee->index];
    for (size_t i = 0; i < count && i < callee->param_count && known; i++) {
        unsigned e = known[i];
        if (is_pointer(callee->params[i]->type) || callee->params[i]->type->kind == IR_T_TPARAM)
            give(w, trace(w, args[i], 0), e | extra);
        else if (w->device)
            give(w, trace(w, args[i], 0), e & NUMBER_EVIDENCE);
    }
}

/* The definition behind a call, with its walked body; NULL: none in this file. */
static const struct ir_func *definition(struct flow *w, const struct ir_func *f)
{
    if (!f || f->index >= w->b->module->func_count)
        return NULL;
    if (f->body)
        return f;
    uint32_t i = sig_index_of(w->b, f);
    for (size_t k = 0; i != UINT32_MAX && k < w->b->module->func_count; k++) {
        const struct ir_func *g = w->b->module->funcs[k];
        if (w->b->index[g->index] == i)
            return g;
    }
    return NULL;
}

static void escape_args(struct flow *w, const struct ir_expr *x)
{
    for (size_t i = 0; i < x->arg_count; i++) {
        struct from f = trace(w, x->args[i], 0);
        if ((f.param != NOWHERE || f.member) && is_pointer(x->args[i]->type))
            give(w, f, CMPD_SIG_ESCAPES);
    }
}

static void mark(bool *flag, struct flow *w)
{
    w->changed = w->changed || !*flag;
    *flag = true;
}

static void visit_call(struct flow *w, const struct ir_expr *x)
{
    const struct ir_func *callee = definition(w, x->func);
    if (callee) {
        into_function(w, callee, x->args, x->arg_count, 0);
        mark(&w->called[callee->index], w);
        if (w->launches[callee->index])
            mark(&w->launches[w->func->index], w);
        if (w->library[callee->index])
            mark(&w->library[w->func->index], w);
        return;
    }
    const char *full = x->name ? x->name : x->a && x->a->name ? x->a->name : "";
    const char *name = base_name(full);
    if (is_library(full) || is_library(name))
        mark(&w->library[w->func->index], w);
    if (known_outside(w, name, x) || harmless(name))
        return;
    if (w->device && strncmp(name, "atomic", 6) == 0 && x->arg_count) {
        give(w, trace(w, x->args[0], 0), CMPD_SIG_STORED | CMPD_SIG_LOADED);
        return;
    }
    escape_args(w, x);
}

static void visit_launch(struct flow *w, const struct ir_expr *x)
{
    const struct ir_func *k = definition(w, x->launch->kernel);
    mark(&w->launches[w->func->index], w);
    for (size_t i = 0; i < x->arg_count; i++)
        give(w, trace(w, x->args[i], 0), CMPD_SIG_TO_KERNEL);
    if (k)
        into_function(w, k, x->args, x->arg_count, CMPD_SIG_TO_KERNEL);
}

/* ---- accesses ---- */

static const struct ir_expr *lvalue_pointer(const struct ir_expr *x)
{
    while (x && (x->kind == IR_X_MEMBER && !x->arrow))
        x = x->a; /* p[i].x = ... */
    if (x && (x->kind == IR_X_INDEX || x->kind == IR_X_DEREF))
        return x->a;
    return x && x->kind == IR_X_MEMBER && x->arrow ? x->a : NULL;
}

static bool visit_expr(const struct ir_expr *x, void *ctx);

static void visit_store(struct flow *w, const struct ir_expr *x)
{
    const struct ir_expr *p = lvalue_pointer(x->a);
    bool reads = x->kind == IR_X_INCDEC || x->op != IR_OP_NONE;
    if (p)
        give(w, trace(w, p, 0),
             w->device ? CMPD_SIG_STORED | (reads ? CMPD_SIG_LOADED : 0)
                       : CMPD_SIG_HOST_WRITE | (reads ? CMPD_SIG_HOST_READ : 0));
    /* What stands inside the place (indexes) is read; the place itself is not. */
    for (const struct ir_expr *at = x->a; at;) {
        if (at->kind == IR_X_INDEX)
            cmpd_ir_walk_expr(at->b, visit_expr, w);
        bool inner = at->kind == IR_X_INDEX || at->kind == IR_X_DEREF || at->kind == IR_X_MEMBER ||
                     at->kind == IR_X_CAST;
        if (!inner && at != x->a)
            cmpd_ir_walk_expr(at, visit_expr, w);
        at = inner ? at->a : NULL;
    }
    cmpd_ir_walk_expr(x->b, visit_expr, w);
}

/* The axes whose index an expression is made from, locals followed. */
struct axes {
    unsigned bits;
    int depth;
};

static bool find_axis(const struct ir_expr *x, void *ctx)
{
    struct axes *a = ctx;
    if (x->kind == IR_X_BUILTIN && x->dim >= 0 &&
        (x->builtin == IR_B_BLOCK_IDX || x->builtin == IR_B_THREAD_IDX))
        a->bits |= (unsigned)CMPD_SIG_AXIS_X << x->dim;
    if (x->kind == IR_X_VAR && x->var->storage == IR_V_LOCAL && x->var->init && a->depth < 4) {
        a->depth++;
        cmpd_ir_walk_expr(x->var->init, find_axis, a);
        a->depth--;
    }
    return true;
}

/* Every number among the parameters that an expression is made from. */
struct numbers {
    struct flow *w;
    unsigned evidence;
};

static bool find_number(const struct ir_expr *x, void *ctx)
{
    struct numbers *n = ctx;
    if (x->kind != IR_X_VAR || x->var->func != n->w->func)
        return true;
    for (size_t i = 0; i < n->w->func->param_count && i < CMPD_SIG_PARAMS_CEILING; i++) {
        if (n->w->func->params[i] == x->var && !is_pointer(x->var->type))
            give(n->w, (struct from){(int)i, NULL}, n->evidence);
    }
    return true;
}

static void visit_lambda(struct flow *w, const struct ir_expr *x)
{
    bool was = w->device;
    enum ir_func_kind kind = x->lambda->func->kind;
    w->device = w->device || kind == IR_F_DEVICE || kind == IR_F_HOST_DEVICE;
    cmpd_ir_walk_stmt(x->lambda->func->body, visit_expr, w);
    w->device = was;
}

/* A number that a kernel compares something with. */
static void visit_comparison(struct flow *w, const struct ir_expr *x)
{
    if (!w->device || x->op < IR_OP_EQ || x->op > IR_OP_GE)
        return;
    for (int side = 0; side < 2; side++) {
        struct axes a = {0, 0};
        cmpd_ir_walk_expr(side ? x->a : x->b, find_axis, &a);
        struct numbers n = {w, CMPD_SIG_COMPARED | a.bits};
        cmpd_ir_walk_expr(side ? x->b : x->a, find_number, &n);
    }
}

static bool visit_expr(const struct ir_expr *x, void *ctx)
{
    struct flow *w = ctx;
    switch (x->kind) {
    case IR_X_BINARY:
        visit_comparison(w, x);
        return true;
    case IR_X_ASSIGN:
    case IR_X_INCDEC:
        if (is_pointer(x->a->type))
            return true;
        visit_store(w, x);
        return false;
    case IR_X_INDEX:
    case IR_X_DEREF:
        give(w, trace(w, x->a, 0), w->device ? CMPD_SIG_LOADED : CMPD_SIG_HOST_READ);
        return true;
    case IR_X_ADDR: /* &p[i] reads nothing */
        if (x->a && x->a->kind == IR_X_INDEX) {
            cmpd_ir_walk_expr(x->a->b, visit_expr, w);
            return false;
        }
        return true;
    case IR_X_CALL:
        visit_call(w, x);
        return true;
    case IR_X_LAUNCH:
        visit_launch(w, x);
        return true;
    case IR_X_INIT:
        if (x->func && definition(w, x->func))
            into_function(w, definition(w, x->func), x->args, x->arg_count, 0);
        else if (x->type->kind == IR_T_UNKNOWN && x->type->name)
            escape_args(w, x);
        return true;
    case IR_X_UNKNOWN:
        escape_args(w, x);
        return true;
    case IR_X_LAMBDA:
        visit_lambda(w, x);
        return false;
    default:
        return true;
    }
}

static bool visit_asm(const struct ir_stmt *s, void *ctx)
{
    struct flow *w = ctx;
    if (s->kind != IR_S_ASM && s->kind != IR_S_UNKNOWN)
        return true;
    for (size_t i = 0; i < s->expr_count; i++)
        give(w, trace(w, s->exprs[i], 0), CMPD_SIG_ESCAPES);
    return true;
}

/* ---- which locals and members hold which pointer ---- */

static void remember(struct flow *w, const struct ir_var *v, const struct ir_expr *value)
{
    if (v->func != w->func || v->slot < 0 || (size_t)v->slot >= w->func->var_count ||
        w->origin[v->slot] != NOWHERE)
        return;
    struct from f = trace(w, value, 0);
    if (f.param != NOWHERE)
        w->origin[v->slot] = f.param;
    if (f.member && f.member->record == w->func->record)
        w->via[v->slot] = f.member->name;
}

static bool visit_decl(const struct ir_stmt *s, void *ctx)
{
    struct flow *w = ctx;
    if (s->kind == IR_S_DECL && s->var && s->var->init &&
        (is_pointer(s->var->type) || s->var->type->is_auto))
        remember(w, s->var, s->var->init);
    return true;
}

static void into_member(struct flow *w, const struct ir_expr *place, const struct ir_expr *value)
{
    const struct ir_struct *r = place->a ? record_of(place->a) : NULL;
    if (place->a && place->a->kind == IR_X_THIS && w->func->record)
        r = w->func->record->primary ? w->func->record->primary : w->func->record;
    if (!r || !place->name || w->member_count == FIELDS_CEILING)
        return;
    struct from f = trace(w, value, 0);
    if (f.param == NOWHERE)
        return;
    struct member *m = member_of(w, r, place->name);
    if (m) { /* what is done with the member is done with the parameter */
        give(w, (struct from){f.param, NULL}, m->evidence);
        return;
    }
    CMPD_GROW(w->members, w->member_count + 1, w->member_cap);
    w->members[w->member_count++] = (struct member){r, place->name, 0};
    w->changed = true;
}

static bool visit_pointer_assign(const struct ir_expr *x, void *ctx)
{
    struct flow *w = ctx;
    if (x->kind != IR_X_ASSIGN || x->op != IR_OP_NONE || !x->a || !is_pointer(x->a->type))
        return true;
    if (x->a->kind == IR_X_VAR)
        remember(w, x->a->var, x->b);
    else if (x->a->kind == IR_X_MEMBER)
        into_member(w, x->a, x->b);
    return true;
}

static void walk_function(struct flow *w, const struct ir_func *f)
{
    w->func = f;
    w->device = f->kind != IR_F_HOST;
    w->origin = cmpd_calloc(f->var_count + 1, sizeof *w->origin);
    w->via = cmpd_calloc(f->var_count + 1, sizeof *w->via);
    for (size_t i = 0; i < f->var_count; i++)
        w->origin[i] = NOWHERE;
    for (size_t i = 0; i < f->param_count; i++) {
        int slot = f->params[i]->slot;
        if (slot >= 0 && (size_t)slot < f->var_count)
            w->origin[slot] = (int)i;
    }
    for (int again = 0; again < 3; again++) {
        cmpd_ir_walk_stmts(f->body, visit_decl, w);
        cmpd_ir_walk_stmt(f->body, visit_pointer_assign, w);
    }
    cmpd_ir_walk_stmts(f->body, visit_asm, w);
    cmpd_ir_walk_stmt(f->body, visit_expr, w);
    free(w->origin);
    free(w->via);
    w->origin = NULL;
    w->via = NULL;
}

static void hand_over(struct flow *w)
{
    const struct ir_module *m = w->b->module;
    for (size_t i = 0; i < m->func_count; i++) {
        const struct ir_func *f = m->funcs[i];
        uint32_t at = w->b->index[f->index];
        if (at == UINT32_MAX)
            continue;
        struct cmpd_sig_func *s = &w->b->out->funcs[at];
        for (size_t p = 0; p < s->param_count && w->params[f->index]; p++)
            s->params[p].evidence = s->params[p].pointers
                                        ? w->params[f->index][p]
                                        : w->params[f->index][p] & NUMBER_EVIDENCE;
        s->is_launcher = w->launches[f->index];
        s->calls_library = w->library[f->index];
        s->is_called = w->called[f->index];
    }
}

void sig_find_evidence(struct sig_build *b)
{
    const struct ir_module *m = b->module;
    struct flow w = {.b = b};
    w.params = cmpd_calloc(m->func_count + 1, sizeof *w.params);
    w.launches = cmpd_calloc(m->func_count + 1, sizeof *w.launches);
    w.library = cmpd_calloc(m->func_count + 1, sizeof *w.library);
    w.called = cmpd_calloc(m->func_count + 1, sizeof *w.called);
    for (size_t i = 0; i < m->func_count; i++)
        w.params[i] = cmpd_calloc(m->funcs[i]->param_count + 1, sizeof **w.params);
    w.changed = true;
    for (int round = 0; w.changed && round < ROUNDS; round++) {
        w.changed = false;
        for (size_t i = 0; i < m->func_count; i++) {
            if (m->funcs[i]->body && !m->funcs[i]->is_lambda)
                walk_function(&w, m->funcs[i]);
        }
    }
    hand_over(&w);
    for (size_t i = 0; i < m->func_count; i++)
        free(w.params[i]);
    free(w.params);
    free(w.launches);
    free(w.library);
    free(w.called);
    free(w.members);
}
