/* What single runs showed: limits of launches, dimensions without effect, races, barriers, shared arrays. */
#include <string.h>

#include "analysis/eval/root.h"

/* ---- launches over the limits of every device since sm_30 (CUDA C++ Programming Guide, Compute Capabilities) ---- */

enum { THREADS_MAX = 1024, BLOCK_Z_MAX = 64, GRID_YZ_MAX = 65535 };

static const char *limit_broken(struct cmpd_arena *arena, const struct ev_dims *g,
                                const struct ev_dims *b)
{
    const int64_t grid[3] = {g->x, g->y, g->z}, block[3] = {b->x, b->y, b->z};
    static const char axes[] = "xyz";
    bool block_known = b->x >= 0 && b->y >= 0 && b->z >= 0;
    long long threads = block_known ? (long long)b->x * b->y * b->z : 0;
    if (threads > THREADS_MAX)
        return cmpd_arena_printf(arena, "a block has %lld threads, at most 1024 are possible",
                                 threads);
    for (int d = 0; d < 3; d++) {
        int64_t most = d == 2 ? BLOCK_Z_MAX : THREADS_MAX;
        if (block[d] > most)
            return cmpd_arena_printf(arena, "blockDim.%c is %lld, at most %lld are possible",
                                     axes[d], (long long)block[d], (long long)most);
        int64_t cap = d == 0 ? INT32_MAX : GRID_YZ_MAX;
        if (grid[d] > cap)
            return cmpd_arena_printf(arena, "gridDim.%c is %lld, at most %lld are possible",
                                     axes[d], (long long)grid[d], (long long)cap);
    }
    return NULL;
}

static bool has_zero(const struct ev_dims *d)
{
    return d->x == 0 || d->y == 0 || d->z == 0;
}

static bool told_launch(struct ev_root *root, const struct ir_expr *launch)
{
    for (size_t i = 0; i < root->facts->fault_count; i++) {
        const struct cmpd_fault *f = &root->facts->faults[i];
        if (f->at.off == launch->loc.off &&
            (f->tag == CMPD_TAG_launch_config_invalid || f->tag == CMPD_TAG_index_space_swapped))
            return true;
    }
    return false;
}

/* The block grows with the data while the grid is a usual block size: the two are exchanged. */
static bool looks_exchanged(const struct ev_launch_run *l)
{
    int64_t g = l->grid.x * l->grid.y * l->grid.z;
    return g >= 32 && g <= THREADS_MAX && g % 32 == 0 && l->block.y == 1 && l->grid.y == 1;
}

static void judge_limits(struct ev_root *root, const struct ev_run *run, bool certain_input,
                         bool grows)
{
    for (size_t i = 0; i < run->launch_count; i++) {
        const struct ev_launch_run *l = &run->launches[i];
        if (told_launch(root, l->expr))
            continue;
        const char *why = limit_broken(root->arena, &l->grid, &l->block);
        const char *with = ev_run_inputs_text(root, run);
        bool swapped = why && grows && l->block.x > THREADS_MAX && looks_exchanged(l);
        enum cmpd_tier tier = l->certain && (certain_input || swapped) ? CMPD_TIER_REJECT
                                                                       : CMPD_TIER_REVIEW;
        if (!why && has_zero(&l->block))
            why = "a block has no threads";
        if (!why && has_zero(&l->grid) && root->inputs.count == 0)
            why = "the grid has no blocks";
        if (!why)
            continue;
        ev_add_fault(
            root->facts, root->arena,
            swapped ? CMPD_TAG_index_space_swapped : CMPD_TAG_launch_config_invalid, tier,
            &l->expr->loc, l->kernel,
            swapped
                ? "the launch takes <<<grid, block>>>: the number of blocks comes first"
                : "the launch fails with cudaErrorInvalidConfiguration and the kernel never runs",
            "%s%s%sthe launch is %s: %s%s", *with ? "with " : "", with, *with ? " " : "",
            ev_launch_text(root, &l->grid, &l->block), why,
            swapped ? "; grid and block are exchanged" : "");
    }
}

static bool exchanged_somewhere(const struct ev_run *run)
{
    for (size_t i = 0; i < run->launch_count; i++)
        if (looks_exchanged(&run->launches[i]))
            return true;
    return false;
}

/* Inputs of large but allowed size: does a block grow over the limit with them? */
static void judge_large(struct ev_root *root)
{
    for (size_t i = 0; i < root->inputs.count; i++) {
        struct ev_input *in = &root->inputs.items[i];
        if ((!in->block && !in->grid_dims) || root->host_steps > 2 * PROBE_STEPS_MAX)
            continue;
        int64_t large = in->bounded ? in->hi : (int64_t)1 << 20;
        large = ev_input_fit(in, large);
        struct ev_run *run = CMPD_ARENA_NEW(root->keep, struct ev_run);
        for (size_t k = 0; k < root->inputs.count; k++)
            run->values[k] = root->inputs.items[k].usual;
        run->values[i] = large;
        run->varied = i;
        run->probe = true;
        ev_run_root(root, run);
        /* A bare block size as a parameter is the caller's choice; a large one is nobody's witness. */
        bool chosen = in->block && !in->grid_dims && !in->bounded && !exchanged_somewhere(run);
        if (run->valid && !chosen && (in->bounded || in->block))
            judge_limits(root, run, in->bounded && ev_input_is_free(in), true);
    }
}

/* ---- dimensions that the launch does not have ---- */

struct dim_use {
    int dim;
    bool thread, block; /* threadIdx or blockIdx of that dimension is used */
    bool strides;       /* gridDim too: the kernel loops over what the launch does not have */
    unsigned depth;
};

static bool uses_dim(const struct ir_expr *x, void *ctx)
{
    struct dim_use *u = ctx;
    if (x->kind == IR_X_BUILTIN && x->dim == u->dim) {
        u->thread |= x->builtin == IR_B_THREAD_IDX;
        u->block |= x->builtin == IR_B_BLOCK_IDX;
        u->strides |= x->builtin == IR_B_GRID_DIM;
    }
    if (x->kind == IR_X_CALL && x->func && x->func->body && u->depth < 4) {
        u->depth++;
        cmpd_ir_walk_stmt(x->func->body, uses_dim, u);
        u->depth--;
    }
    return true;
}

/* Does a comparison's left side hang on the dimension, directly or through the variable that it names? */
static bool hangs_on_dim(const struct ev_compare *cmp, int dim)
{
    struct dim_use u = {.dim = dim};
    const struct ir_expr *left = cmp->at->a;
    if (!left)
        return false;
    cmpd_ir_walk_expr(left, uses_dim, &u);
    while (left->kind == IR_X_CAST && left->a)
        left = left->a;
    if (left->kind == IR_X_VAR && left->var->init)
        cmpd_ir_walk_expr(left->var->init, uses_dim, &u);
    return u.thread || u.block;
}

/* A guard such as `row < rows` whose left side hangs on the dimension and never has some index below the bound. */
static const struct ev_compare *unmet_bound(const struct ev_launch_run *l, int dim, int64_t *index)
{
    for (size_t c = 0; c < l->compare_count; c++) {
        const struct ev_compare *cmp = &l->compares[c];
        *index = cmp->right >= 2 ? ev_compare_hole(cmp) : -1;
        if (*index > 0 && hangs_on_dim(cmp, dim)) /* without index 0 the rest would be a border */
            return cmp;
    }
    return NULL;
}

static int64_t grid_extent(const struct ev_launch_run *l, int dim)
{
    return dim == 1 ? l->grid.y : l->grid.z;
}

static int64_t block_extent(const struct ev_launch_run *l, int dim)
{
    return dim == 1 ? l->block.y : l->block.z;
}

/* In every run the launch has extent 1 there. */
static bool always_one(const struct ev_root *root, const struct ir_expr *launch, int dim, bool grid)
{
    for (size_t r = 0; r < root->run_count; r++) {
        const struct ev_run *run = &root->runs[r];
        for (size_t k = 0; k < run->launch_count; k++) {
            const struct ev_launch_run *l = &run->launches[k];
            if (l->expr == launch && (grid ? grid_extent(l, dim) : block_extent(l, dim)) != 1)
                return false;
        }
    }
    return true;
}

/* An extent that the comments put at two or more, and that no launch hangs on. */
static const struct ev_input *unused_extent(const struct ev_root *root)
{
    for (size_t i = 0; i < root->inputs.count; i++) {
        const struct ev_input *in = &root->inputs.items[i];
        if (in->documented && !in->opaque && in->lo >= 2 && !in->grid_dims && !in->block)
            return in;
    }
    return NULL;
}

static void judge_dim(struct ev_root *root, const struct ev_launch_run *l, int dim)
{
    struct dim_use u = {.dim = dim};
    cmpd_ir_walk_stmt(l->kernel->body, uses_dim, &u);
    bool no_blocks = u.block && always_one(root, l->expr, dim, true);
    bool no_threads = u.thread && always_one(root, l->expr, dim, false);
    if (!no_blocks && !no_threads)
        return;
    int64_t index;
    const struct ev_compare *cmp = unmet_bound(l, dim, &index);
    /* A flat index of threads, or one of the two factors alone, is right for any launch. */
    bool whole = grid_extent(l, dim) == 1 && block_extent(l, dim) == 1 && no_blocks;
    if (!cmp && (!whole || u.strides))
        return;
    const struct ev_input *extent = whole ? unused_extent(root) : NULL;
    const char *effect = "";
    if (cmp)
        effect = cmpd_arena_printf(root->arena,
                                   ": of %lld indices along it, %lld is never computed",
                                   (long long)cmp->right, (long long)index);
    else if (extent)
        effect = cmpd_arena_printf(root->arena,
                                   ": %s is at least %lld, and only index 0 is computed",
                                   extent->name, (long long)extent->lo);
    ev_add_fault(root->facts, root->arena, CMPD_TAG_launch_dim_unused,
                 (cmp || extent) && l->certain ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW, &l->expr->loc,
                 l->kernel, "give the launch that dimension, or drop it from the kernel",
                 "%s uses %s.%c, but the launch %s has extent 1 there%s", l->kernel->name,
                 no_blocks ? "blockIdx" : "threadIdx", "xyz"[dim],
                 ev_launch_text(root, &l->grid, &l->block), effect);
}

static void judge_dims(struct ev_root *root)
{
    struct ev_run *run = root->run_count ? &root->runs[0] : NULL;
    for (size_t i = 0; run && run->valid && i < run->launch_count; i++) {
        struct ev_launch_run *l = &run->launches[i];
        if (!l->kernel || l->grid.x < 0 || l->block.x < 0)
            continue;
        judge_dim(root, l, 1);
        judge_dim(root, l, 2);
    }
}

/* ---- static plus dynamic shared memory ---- */

enum { SHARED_DEFAULT_BYTES = 48 * 1024 };

static bool asks_for_more(const struct ir_expr *x, void *ctx)
{
    bool *found = ctx;
    const char *name = x->kind == IR_X_NAME ? x->name : NULL;
    if (name && strstr(name, "MaxDynamicSharedMemorySize"))
        *found = true;
    if (x->kind == IR_X_CALL && x->name && strstr(x->name, "FuncSetAttribute"))
        *found = true;
    return true;
}

static bool file_raises_limit(const struct ir_module *m)
{
    bool found = false;
    for (size_t i = 0; i < m->func_count && !found; i++)
        if (m->funcs[i]->body)
            cmpd_ir_walk_stmt(m->funcs[i]->body, asks_for_more, &found);
    return found;
}

static int64_t static_shared(const struct ir_func *f)
{
    int64_t total = 0;
    for (size_t i = 0; i < f->var_count; i++) {
        const struct ir_var *v = f->vars[i];
        if (!v || v->storage != IR_V_SHARED)
            continue;
        int64_t bytes = 1;
        const struct ir_type *t = v->type;
        for (; t && t->kind == IR_T_ARRAY; t = t->elem)
            bytes = t->extent && t->extent->kind == IR_X_INT && bytes >= 0 ? bytes * t->extent->ival
                                                                           : -1;
        if (bytes < 0 || !t || !t->size)
            continue;
        total += bytes * t->size;
    }
    return total;
}

static void judge_shared_limit(struct ev_root *root, const struct ev_run *run)
{
    for (size_t i = 0; i < run->launch_count; i++) {
        const struct ev_launch_run *l = &run->launches[i];
        if (!l->kernel || l->shared_bytes <= 0 || told_launch(root, l->expr))
            continue;
        int64_t total = l->shared_bytes + static_shared(l->kernel);
        if (total <= SHARED_DEFAULT_BYTES || file_raises_limit(root->module))
            continue;
        bool settled = root->inputs.count == 0 || run->varied == SIZE_MAX;
        ev_add_fault(
            root->facts, root->arena, CMPD_TAG_shared_size_mismatch,
            l->certain && settled ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW, &l->expr->loc, l->kernel,
            "raise the limit with cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
            "the launch needs %lld bytes of shared memory a block, over 49152 without cudaFuncSetAttribute",
            (long long)total);
        return;
    }
}

void ev_judge_launches(struct ev_root *root)
{
    bool chosen_block =
        false; /* block sizes that a caller chooses: ours may not be one that anybody passes */
    for (size_t i = 0; i < root->inputs.count; i++)
        chosen_block |= root->inputs.items[i].block && !root->inputs.items[i].documented;
    for (size_t i = 0; i < root->run_count; i++) {
        const struct ev_run *run = &root->runs[i];
        if (!run->valid)
            continue;
        bool plausible = run->varied >= root->inputs.count ||
                         root->inputs.items[run->varied].documented ||
                         run->values[run->varied] >= root->inputs.items[run->varied].usual;
        if (plausible && !chosen_block)
            judge_limits(root, run, true, false);
        judge_shared_limit(root, run);
    }
    judge_large(root);
    judge_dims(root);
}

/* ---- sightings ---- */

void ev_record_sighting(struct ev_root *root, struct ev_machine *m, const struct ev_sighting *s,
                        const struct ir_expr *launch, bool certain)
{
    size_t run = root->run ? (size_t)(root->run - root->runs) : 0;
    uint64_t bit = run < RUNS_MAX ? (uint64_t)1 << run : 0;
    for (size_t i = 0; i < root->seen_count; i++) {
        struct ev_seen *e = &root->seen[i];
        if (e->first.tag == s->tag && e->first.at == s->at && e->first.kernel == s->kernel) {
            e->runs |= bit;
            if (e->first.weak && !s->weak) {
                uint64_t runs = e->runs;
                e->first = *s;
                e->first.text = cmpd_arena_strndup(root->arena, s->text, strlen(s->text));
                e->runs = runs;
            }
            return;
        }
    }
    if (root->seen_count == SIGHTINGS_MAX)
        return;
    struct ev_seen *e = &root->seen[root->seen_count++];
    *e = (struct ev_seen){.first = *s, .launch = launch, .runs = bit, .uncertain = !certain};
    if (!m) { /* seen on the host: the text says all */
        e->first.text = cmpd_arena_strndup(root->arena, s->text, strlen(s->text));
        return;
    }
    const char *inputs = root->run ? ev_run_inputs_text(root, root->run) : "";
    e->first.text = cmpd_arena_printf(root->arena, "%s%s%sin a launch %s, %s",
                                      *inputs ? "with " : "", inputs, *inputs ? " " : "",
                                      ev_launch_text(root, &m->grid, &m->block), s->text);
}

static bool was_run(const struct ev_run *run, const struct ir_expr *launch)
{
    if (!launch)
        return true;
    for (size_t i = 0; i < run->launch_count; i++)
        if (run->launches[i].expr == launch && run->launches[i].complete)
            return true;
    return false;
}

/* Does the fault come and go with an input whose range nobody has written down? */
static bool hangs_on_unsettled(const struct ev_root *root, const struct ev_seen *e)
{
    bool at_usual = e->runs & 1;
    for (size_t r = 1; r < root->run_count; r++) {
        const struct ev_run *run = &root->runs[r];
        bool here = e->runs >> r & 1;
        if (here == at_usual || run->varied >= root->inputs.count || !run->valid ||
            !was_run(run, e->launch))
            continue;
        const struct ev_input *in = &root->inputs.items[run->varied];
        if (!ev_input_is_free(in))
            return true;
        /* Too few turns of a loop hide a race: that it needs more of them is no doubt about it. */
        bool small = run->values[run->varied] < in->usual;
        bool order = e->first.tag == CMPD_TAG_missing_sync;
        if (!in->documented && !in->grid_dims && !(order && small))
            return true;
    }
    return false;
}

static const char *hint_for(enum cmpd_tag tag)
{
    switch (tag) {
    case CMPD_TAG_missing_sync:
        return "put __syncthreads() between the two accesses, where all threads of the block come by";
    case CMPD_TAG_divergent_barrier:
        return "move the barrier out of the condition, so that every thread of the block reaches it";
    case CMPD_TAG_shared_index_out_of_range:
        return "make the array as large as the index can get, or bound the index";
    case CMPD_TAG_shared_size_mismatch:
        return "pass the launch as many bytes of shared memory as the kernel uses";
    case CMPD_TAG_type_width_mismatch:
        return "count bytes with the size of the element that is accessed";
    case CMPD_TAG_missing_bounds_guard:
        return "compare the index with the number of elements before the access";
    default:
        return NULL;
    }
}

/* One finding a kernel and tag is enough; copies are told one by one. */
static bool told_for_kernel(const struct ev_root *root, enum cmpd_tag tag,
                            const struct ir_func *kernel)
{
    if (tag == CMPD_TAG_memcpy_size)
        return false;
    for (size_t i = 0; i < root->facts->fault_count; i++)
        if (root->facts->faults[i].tag == tag && root->facts->faults[i].kernel == kernel)
            return true;
    return false;
}

static void judge_seen(struct ev_root *root, const struct ev_seen *e)
{
    if (told_for_kernel(root, e->first.tag, e->first.kernel))
        return;
    bool doubt = e->uncertain || e->first.weak || hangs_on_unsettled(root, e);
    /* The size is the launch's to mend. */
    bool at_launch = e->first.tag == CMPD_TAG_shared_size_mismatch && e->launch;
    ev_add_fault(root->facts, root->arena, e->first.tag,
                 doubt ? CMPD_TIER_REVIEW : CMPD_TIER_REJECT,
                 at_launch ? &e->launch->loc : &e->first.at->loc, e->first.kernel,
                 e->first.hint ? e->first.hint : hint_for(e->first.tag), "%s", e->first.text);
}

void ev_judge_sightings(struct ev_root *root)
{
    for (size_t i = 0; i < root->seen_count;
         i++) /* the strong ones first: one finding a kernel and tag */
        if (!root->seen[i].first.weak)
            judge_seen(root, &root->seen[i]);
    for (size_t i = 0; i < root->seen_count; i++)
        if (root->seen[i].first.weak)
            judge_seen(root, &root->seen[i]);
}
