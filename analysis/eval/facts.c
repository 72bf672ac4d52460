#include "analysis/eval/facts.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/eval/root.h"

enum { ROOTS_MAX = 64 };

/*
 * Lane operations a file may cost, in all: some for any file and more for a longer one, so that the evaluation stays
 * in proportion to the parse. A typical launcher with its kernel costs a few hundred thousand.
 */
enum { BUDGET_BASE = 1600 * 1000, BUDGET_PER_BYTE = 20 };

void ev_add_fault(struct cmpd_facts *facts, struct cmpd_arena *arena, enum cmpd_tag tag,
                  enum cmpd_tier tier, const struct ir_loc *at, const struct ir_func *kernel,
                  const char *hint, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < facts->fault_count; i++) {
        struct cmpd_fault *f = &facts->faults[i];
        if (f->tag == tag && f->at.off == at->off) {
            if (tier <= f->proven)
                return;
            f->proven = tier;
            f->message = cmpd_arena_strndup(arena, text, strlen(text));
            return;
        }
    }
    if (facts->fault_count == facts->fault_cap) {
        size_t cap = facts->fault_cap ? facts->fault_cap * 2 : 16;
        struct cmpd_fault *more = CMPD_ARENA_ARRAY(arena, struct cmpd_fault, cap);
        if (facts->fault_count)
            memcpy(more, facts->faults, facts->fault_count * sizeof *more);
        facts->faults = more;
        facts->fault_cap = cap;
    }
    facts->faults[facts->fault_count++] =
        (struct cmpd_fault){.tag = tag,
                            .proven = tier,
                            .at = *at,
                            .kernel = kernel,
                            .message = cmpd_arena_strndup(arena, text, strlen(text)),
                            .hint = hint ? cmpd_arena_strndup(arena, hint, strlen(hint)) : NULL};
}

bool ev_input_is_free(const struct ev_input *in)
{
    return !in->opaque;
}

const char *ev_run_inputs_text(struct ev_root *root, const struct ev_run *run)
{
    char *text = cmpd_arena_printf(root->arena, "%s", "");
    for (size_t i = 0; i < root->inputs.count; i++)
        text = cmpd_arena_printf(root->arena, "%s%s%s = %lld", text, *text ? ", " : "",
                                 root->inputs.items[i].name, (long long)run->values[i]);
    return text;
}

static const char *dims_text(struct cmpd_arena *arena, const struct ev_dims *d)
{
    if (d->z != 1)
        return cmpd_arena_printf(arena, "(%lld, %lld, %lld)", (long long)d->x, (long long)d->y,
                                 (long long)d->z);
    if (d->y != 1)
        return cmpd_arena_printf(arena, "(%lld, %lld)", (long long)d->x, (long long)d->y);
    return cmpd_arena_printf(arena, "%lld", (long long)d->x);
}

const char *ev_launch_text(struct ev_root *root, const struct ev_dims *grid,
                           const struct ev_dims *block)
{
    return cmpd_arena_printf(root->arena, "<<<%s, %s>>>", dims_text(root->arena, grid),
                             dims_text(root->arena, block));
}

/* ---- which functions are entries ---- */

/* What one walk over all bodies tells of each function. */
struct func_info {
    bool called;           /* by another function of the file */
    bool launches, copies; /* itself or through functions that it calls */
};

struct edge {
    uint32_t from, to;
};

struct graph {
    const struct ir_module *module;
    struct cmpd_arena *arena;
    struct func_info *info; /* by the function's index */
    struct edge *edges;
    size_t edge_count, edge_cap;
    uint32_t current;
};

static void add_edge(struct graph *g, uint32_t to)
{
    if (g->edge_count == g->edge_cap) {
        size_t cap = g->edge_cap ? g->edge_cap * 2 : 64;
        struct edge *more = CMPD_ARENA_ARRAY(g->arena, struct edge, cap);
        if (g->edge_count)
            memcpy(more, g->edges, g->edge_count * sizeof *more);
        g->edges = more;
        g->edge_cap = cap;
    }
    g->edges[g->edge_count++] = (struct edge){g->current, to};
}

static bool note_expr(const struct ir_expr *x, void *ctx)
{
    struct graph *g = ctx;
    struct func_info *info = &g->info[g->current];
    if (x->kind == IR_X_LAUNCH)
        info->launches = true;
    if (x->kind == IR_X_CALL && x->name && strncmp(x->name, "cudaMem", 7) == 0)
        info->copies = true;
    if ((x->kind == IR_X_CALL || x->kind == IR_X_FUNC) && x->func && x->func->index != g->current &&
        x->func->index < g->module->func_count) {
        g->info[x->func->index].called = true;
        add_edge(g, x->func->index);
    }
    if (x->kind == IR_X_LAMBDA && x->lambda->func->body)
        cmpd_ir_walk_stmt(x->lambda->func->body, note_expr, ctx);
    return true;
}

static void build_graph(const struct ir_module *m, struct cmpd_arena *arena, struct graph *g)
{
    *g = (struct graph){.module = m, .arena = arena};
    g->info = CMPD_ARENA_ARRAY(arena, struct func_info, m->func_count + 1);
    for (size_t i = 0; i < m->func_count; i++) {
        g->current = (uint32_t)i;
        if (m->funcs[i]->body && !m->funcs[i]->is_lambda)
            cmpd_ir_walk_stmt(m->funcs[i]->body, note_expr, g);
    }
    bool changed = true;
    for (int round = 0; changed && round < 16; round++) {
        changed = false;
        for (size_t e = 0; e < g->edge_count; e++) {
            struct func_info *from = &g->info[g->edges[e].from], *to = &g->info[g->edges[e].to];
            changed |= (to->launches && !from->launches) || (to->copies && !from->copies);
            from->launches |= to->launches;
            from->copies |= to->copies;
        }
    }
}

static bool is_main(const struct ir_func *f)
{
    return f->name && strcmp(f->name, "main") == 0;
}

/* An entry: host code with launches or copies that others may call. In a program only main and what nobody calls. */
static bool is_root(const struct graph *g, size_t index, bool program)
{
    const struct ir_func *f = g->module->funcs[index];
    const struct func_info *info = &g->info[index];
    if (!f->body || f->kind != IR_F_HOST || f->is_lambda || (!info->launches && !info->copies))
        return false;
    if (is_main(f))
        return true;
    return program || f->is_static || f->tparam_count ? !info->called : true;
}

/* ---- the work ---- */

static struct cmpd_launch_fact *launch_fact(struct cmpd_facts *facts, const struct ir_expr *expr)
{
    for (size_t i = 0; i < facts->launch_count; i++)
        if (facts->launches[i].expr == expr)
            return &facts->launches[i];
    return NULL;
}

struct launch_list {
    struct cmpd_facts *facts;
    struct cmpd_arena *arena;
    size_t cap;
};

static bool list_launch(const struct ir_expr *x, void *ctx)
{
    struct launch_list *l = ctx;
    if (x->kind == IR_X_LAMBDA && x->lambda->func->body)
        cmpd_ir_walk_stmt(x->lambda->func->body, list_launch, ctx);
    if (x->kind != IR_X_LAUNCH || launch_fact(l->facts, x))
        return true;
    if (l->facts->launch_count == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 16;
        struct cmpd_launch_fact *more = CMPD_ARENA_ARRAY(l->arena, struct cmpd_launch_fact, cap);
        if (l->facts->launch_count)
            memcpy(more, l->facts->launches, l->facts->launch_count * sizeof *more);
        l->facts->launches = more;
        l->cap = cap;
    }
    l->facts->launches[l->facts->launch_count++] =
        (struct cmpd_launch_fact){.expr = x, .kernel = x->launch->kernel};
    return true;
}

static void note_evaluated(struct ev_root *root)
{
    for (size_t r = 0; r < root->run_count; r++) {
        for (size_t i = 0; i < root->runs[r].launch_count; i++) {
            const struct ev_launch_run *l = &root->runs[r].launches[i];
            struct cmpd_launch_fact *f = launch_fact(root->facts, l->expr);
            if (f && l->evaluated) {
                f->evaluated = true;
                f->kernel = l->kernel;
            }
        }
    }
}

static void work_root(struct ev_root *root)
{
    ev_plan_runs(root);
    for (size_t i = 0; i < root->run_count; i++)
        ev_run_root(root, &root->runs[i]);
    note_evaluated(root);
    ev_judge_launches(root);
    ev_judge_index_space(root);
    ev_judge_sightings(root);
}

/* What all roots of a file share. */
struct work {
    const struct ir_module *module;
    const struct cmpd_policy *policy;
    struct cmpd_facts *facts;
    struct cmpd_arena *arena;             /* the facts' */
    struct cmpd_arena keep, temp, frames; /* of the root at work */
    struct ev_memo memos[3];
    uint64_t budget;
    bool padding;
};

static struct ev_root *new_root(struct work *w, const struct ir_func *func)
{
    struct ev_root *root = CMPD_ARENA_NEW(&w->keep, struct ev_root);
    root->module = w->module;
    root->policy = w->policy;
    root->func = func;
    root->facts = w->facts;
    root->arena = w->arena;
    root->keep = &w->keep;
    root->temp = &w->temp;
    root->frames = &w->frames;
    root->memos = w->memos;
    root->inputs.module = w->module;
    root->inputs.arena = &w->keep;
    root->step_limit = w->budget;
    root->steps = w->facts->steps;
    root->padding = w->padding;
    return root;
}

static void end_root(struct work *w, const struct ev_root *root)
{
    w->facts->steps = root->steps;
    cmpd_arena_clear(&w->keep);
    cmpd_arena_clear(&w->temp);
    cmpd_arena_clear(&w->frames);
}

/* ---- kernels that the file does not launch ---- */

static bool was_evaluated(const struct cmpd_facts *facts, const struct ir_func *kernel)
{
    for (size_t i = 0; i < facts->launch_count; i++)
        if (facts->launches[i].kernel == kernel)
            return true;
    return false;
}

static bool uses_y(const struct ir_expr *x, void *ctx)
{
    bool *found = ctx;
    *found |= x->kind == IR_X_BUILTIN && x->dim == 1;
    return true;
}

static bool has_shared(const struct ir_func *f)
{
    for (size_t i = 0; i < f->var_count; i++)
        if (f->vars[i] &&
            (f->vars[i]->storage == IR_V_SHARED || f->vars[i]->storage == IR_V_SHARED_DYNAMIC))
            return true;
    return false;
}

/* Assumed blocks: what is wrong in each of them is wrong in any. */
static void work_orphan(struct ev_root *root, const struct ir_func *kernel)
{
    static const struct ev_dims flat[] = {{64, 1, 1}, {128, 1, 1}, {256, 1, 1}};
    static const struct ev_dims square[] = {{16, 16, 1}, {32, 8, 1}, {32, 32, 1}};
    bool two = false;
    cmpd_ir_walk_stmt(kernel->body, uses_y, &two);
    for (size_t i = 0; i < 3; i++) {
        struct ev_run *run = &root->runs[root->run_count++];
        run->valid = true;
        run->varied = SIZE_MAX;
        run->regions = CMPD_ARENA_NEW(root->keep, struct ev_region_table);
        root->run = run;
        struct ev_val *args = CMPD_ARENA_ARRAY(root->keep, struct ev_val, kernel->param_count + 1);
        for (size_t p = 0; p < kernel->param_count; p++) {
            const struct ir_type *t = kernel->params[p]->type;
            struct ev_input *in = t->kind == IR_T_INT && kernel->params[p]->name
                                      ? ev_inputs_get(&root->inputs, kernel->params[p]->name,
                                                      kernel->params[p])
                                      : NULL;
            args[p] = in ? ev_int(in->usual, t) : ev_unknown(t);
            if (in)
                run->values[in - root->inputs.items] = in->usual;
        }
        struct ev_launch_run out = {.kernel = kernel};
        struct ev_kernel_job job = {.kernel = kernel,
                                    .grid = {2, two ? 2 : 1, 1},
                                    .block = two ? square[i] : flat[i],
                                    .shared_bytes = -1,
                                    .args = args,
                                    .arg_count = kernel->param_count,
                                    .certain = true};
        ev_run_kernel(root, run->regions, &job, &out);
    }
    for (size_t i = 0; i < root->seen_count; i++) {
        const struct ev_seen *e = &root->seen[i];
        bool order = e->first.tag == CMPD_TAG_missing_sync ||
                     e->first.tag == CMPD_TAG_divergent_barrier;
        if (!order && e->first.tag != CMPD_TAG_shared_index_out_of_range)
            continue;
        if (e->runs != 7 || e->first.weak)
            continue; /* a block shape that the kernel is not made for shows nothing */
        ev_add_fault(root->facts, root->arena, e->first.tag,
                     order ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW, &e->first.at->loc, kernel, NULL,
                     "%s (the file does not launch it; so in every block tried)", e->first.text);
        return;
    }
}

static bool list_launches(const struct ir_module *module, struct cmpd_facts *facts,
                          struct cmpd_arena *arena)
{
    struct launch_list list = {facts, arena, 0};
    bool program = false;
    for (size_t i = 0; i < module->func_count; i++) {
        const struct ir_func *f = module->funcs[i];
        program |= f->body && is_main(f);
        if (f->body && f->kind != IR_F_KERNEL && f->kind != IR_F_DEVICE)
            cmpd_ir_walk_stmt(f->body, list_launch, &list);
    }
    return program;
}

struct cmpd_facts *cmpd_facts_build(const struct ir_module *module,
                                    const struct cmpd_policy *policy, struct cmpd_arena *arena)
{
    struct work w = {.module = module,
                     .policy = policy,
                     .facts = CMPD_ARENA_NEW(arena, struct cmpd_facts),
                     .arena = arena,
                     .keep = {.ceiling_bytes = (size_t)192 << 20},
                     .temp = {.ceiling_bytes = (size_t)64 << 20},
                     .frames = {.ceiling_bytes = (size_t)64 << 20},
                     .budget = BUDGET_BASE + (uint64_t)module->unit->src->len * BUDGET_PER_BYTE,
                     .padding = ev_comments_mention_padding(module)};
    bool program = list_launches(module, w.facts, arena);
    struct graph graph;
    build_graph(module, arena, &graph);
    size_t roots = 0;
    for (size_t i = 0; i < module->func_count && w.facts->steps < w.budget; i++) {
        if (!is_root(&graph, i, program) || roots++ == ROOTS_MAX)
            continue;
        struct ev_root *root = new_root(&w, module->funcs[i]);
        work_root(root);
        end_root(&w, root);
    }
    for (size_t i = 0; i < module->func_count && w.facts->steps < w.budget; i++) {
        const struct ir_func *f = module->funcs[i];
        if (f->kind != IR_F_KERNEL || !f->body || f->tparam_count || was_evaluated(w.facts, f) ||
            !has_shared(f) || module->unit->has_headers)
            continue; /* with headers its launch is in another file, in a shape that they say */
        struct ev_root *root = new_root(&w, f);
        work_orphan(root, f);
        end_root(&w, root);
    }
    return w.facts;
}
