/* The launches of the file, and which builtin variables kernels use. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"
#include "analysis/signature/sig.h"

#define CALL_DEPTH 8

struct walk {
    struct sig_build *b;
    const struct ir_func *host;
};

static char *source_text(const struct sig_build *b, struct ir_loc loc)
{
    const struct cmpd_source *src = b->module->unit->src;
    if (loc.end <= loc.off || loc.end > src->len || loc.end - loc.off > CMPD_SIG_TEXT_CEILING)
        return NULL;
    return cmpd_strndup(src->text + loc.off, loc.end - loc.off);
}

static bool is_default_stream(const struct ir_expr *x)
{
    while (x && x->kind == IR_X_CAST)
        x = x->a;
    int64_t n;
    return !x || x->kind == IR_X_NULLPTR || (ir_const_int(x, &n) && n == 0);
}

static void fill(struct walk *w, const struct ir_expr *x, const struct ir_func *kernel,
                 struct cmpd_sig_launch *l)
{
    const struct ir_launch *launch = x->launch;
    const struct ir_expr *const *args = x->args;
    size_t count = launch->args_unknown ? 0 : x->arg_count;
    for (unsigned c = 0; c < 3; c++) {
        l->grid[c] = sig_formula(launch->grid, c, kernel, args, count, w->host);
        l->block[c] = sig_formula(launch->block, c, kernel, args, count, w->host);
    }
    l->shared = launch->shared ? sig_formula(launch->shared, 0, kernel, args, count, w->host)
                               : cmpd_strdup(launch->config ? NULL : "0");
    if (launch->stream && !is_default_stream(launch->stream))
        l->stream = source_text(w->b, launch->stream->loc);
    if (launch->targ_count) {
        CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
        sig_targs_text(launch->targs, launch->targ_count, &text);
        if (text.len <= CMPD_SIG_TEXT_CEILING)
            l->targs = cmpd_strdup(cmpd_buf_str(&text));
    }
}

static bool visit(const struct ir_expr *x, void *ctx)
{
    struct walk *w = ctx;
    struct cmpd_signatures *out = w->b->out;
    if (x->kind != IR_X_LAUNCH)
        return true;
    uint32_t kernel = sig_index_of(w->b, x->launch->kernel);
    if (kernel == UINT32_MAX)
        return true;
    if (out->launch_count == CMPD_SIG_LAUNCHES_CEILING) {
        out->cut = true;
        return true;
    }
    struct cmpd_sig_launch l = {.kernel = kernel, .func = sig_index_of(w->b, w->host)};
    l.line = cmpd_source_pos(w->b->module->unit->src, x->loc.off).line;
    fill(w, x, x->launch->kernel, &l);
    CMPD_GROW(out->launches, out->launch_count + 1, out->launch_cap);
    out->launches[out->launch_count++] = l;
    return true;
}

/* ---- threadIdx and blockIdx ---- */

struct uses {
    unsigned thread, block;
    uint32_t threads[3], tparam[3];
    int depth;
    unsigned steps;
};

static const struct ir_expr *bare(const struct ir_expr *x)
{
    while (x->kind == IR_X_CAST)
        x = x->a;
    return x;
}

static bool is_tparam(const struct ir_expr *x)
{
    return x->kind == IR_X_VAR && x->var->storage == IR_V_TPARAM && x->var->tparam >= 0;
}

/* blockIdx times blockDim or a number: the index of an element, not of a row. */
static bool is_global_index(const struct ir_expr *x)
{
    int64_t n;
    if (x->kind != IR_X_BINARY || x->op != IR_OP_MUL)
        return false;
    const struct ir_expr *block = x->a->kind == IR_X_BUILTIN && x->a->builtin == IR_B_BLOCK_IDX
                                      ? x->a
                                      : x->b;
    const struct ir_expr *other = block == x->a ? x->b : x->a;
    while (other->kind == IR_X_CAST)
        other = other->a;
    return block->kind == IR_X_BUILTIN && block->builtin == IR_B_BLOCK_IDX &&
           ((other->kind == IR_X_BUILTIN && other->builtin == IR_B_BLOCK_DIM) || is_tparam(other) ||
            ir_const_int(other, &n));
}

/* blockIdx.d * 32 + threadIdx.d, in any order: *d and the number. */
static bool block_size(const struct ir_expr *x, int *d, uint32_t *threads, uint32_t *tparam)
{
    int64_t n;
    if (x->kind != IR_X_BINARY || x->op != IR_OP_ADD)
        return false;
    for (int side = 0; side < 2; side++) {
        const struct ir_expr *product = bare(side ? x->b : x->a),
                             *thread = bare(side ? x->a : x->b);
        if (thread->kind != IR_X_BUILTIN || thread->builtin != IR_B_THREAD_IDX || thread->dim < 0 ||
            product->kind != IR_X_BINARY || product->op != IR_OP_MUL)
            continue;
        const struct ir_expr *a = bare(product->a), *b = bare(product->b);
        const struct ir_expr *block = a->kind == IR_X_BUILTIN ? a : b, *factor = block == a ? b : a;
        if (block->kind != IR_X_BUILTIN || block->builtin != IR_B_BLOCK_IDX ||
            block->dim != thread->dim)
            continue;
        *threads = ir_const_int(factor, &n) && n >= 1 && n <= 1024 ? (uint32_t)n : 0;
        *tparam = !*threads && is_tparam(factor) ? (uint32_t)factor->var->tparam + 1 : 0;
        *d = thread->dim;
        if (*threads || *tparam)
            return true;
    }
    return false;
}

static bool visit_use(const struct ir_expr *x, void *ctx)
{
    struct uses *u = ctx;
    int d;
    uint32_t threads, tparam;
    if (is_global_index(x))
        u->block |= CMPD_SIG_GLOBAL_INDEX;
    if (block_size(x, &d, &threads, &tparam)) {
        u->threads[d] = threads;
        u->tparam[d] = tparam;
    }
    if (x->kind == IR_X_BUILTIN) {
        unsigned bits = x->dim < 0 ? 7u : 1u << x->dim;
        if (x->builtin == IR_B_THREAD_IDX || x->builtin == IR_B_BLOCK_DIM)
            u->thread |= bits;
        else if (x->builtin == IR_B_BLOCK_IDX || x->builtin == IR_B_GRID_DIM)
            u->block |= bits;
    }
    if (x->kind == IR_X_CALL && x->func && x->func->body && u->depth < CALL_DEPTH &&
        u->steps++ < 500) {
        u->depth++;
        cmpd_ir_walk_stmt(x->func->body, visit_use, u);
        u->depth--;
    }
    return true;
}

static uint32_t shared_extent(const struct ir_func *f)
{
    int64_t n, most = 0;
    for (size_t v = 0; v < f->var_count; v++) {
        const struct ir_type *t = f->vars[v]->storage == IR_V_SHARED ? f->vars[v]->type : NULL;
        if (!t)
            continue;
        most = most ? most : 1;
        if (t->kind == IR_T_ARRAY && t->elem->kind != IR_T_ARRAY && t->extent &&
            ir_const_int(t->extent, &n) && n > most && n <= UINT32_MAX)
            most = n;
    }
    return (uint32_t)most;
}

void sig_find_launches(struct sig_build *b)
{
    for (size_t i = 0; i < b->module->func_count; i++) {
        const struct ir_func *f = b->module->funcs[i];
        struct walk w = {b, f};
        if (f->body && !f->is_lambda && f->kind != IR_F_DEVICE)
            cmpd_ir_walk_stmt(f->body, visit, &w);
        if (f->kind != IR_F_KERNEL || b->index[f->index] == UINT32_MAX)
            continue;
        struct uses u = {0};
        cmpd_ir_walk_stmt(f->body, visit_use, &u);
        struct cmpd_sig_func *s = &b->out->funcs[b->index[f->index]];
        s->uses_thread = u.thread;
        s->uses_block = u.block;
        memcpy(s->index_threads, u.threads, sizeof u.threads);
        memcpy(s->index_tparam, u.tparam, sizeof u.tparam);
        s->shared_extent = shared_extent(f);
        for (size_t v = 0; v < f->var_count; v++)
            s->dynamic_shared = s->dynamic_shared || f->vars[v]->storage == IR_V_SHARED_DYNAMIC;
    }
}
