/* Index arithmetic that looks wrong, with the proof that it is: two threads on one element, an index that nobody has. */
#include "analysis/eval/law.h"

/* ---- suspicious products of built-in variables ---- */

static bool is_suspicious(const struct ev_product *p, const struct ev_launch_run *l)
{
    enum ir_builtin a = EV_PROV_BUILTIN(p->a), b = EV_PROV_BUILTIN(p->b);
    int da = EV_PROV_DIM(p->a), db = EV_PROV_DIM(p->b);
    if (a == IR_B_BLOCK_DIM || a == IR_B_GRID_DIM) {
        enum ir_builtin t = a;
        int d = da;
        a = b;
        da = db;
        b = t;
        db = d;
    }
    if (a == IR_B_THREAD_IDX && b == IR_B_BLOCK_DIM)
        return da == db;
    if (a == IR_B_BLOCK_IDX && b == IR_B_GRID_DIM)
        return da == db;
    if (a == IR_B_BLOCK_IDX && b == IR_B_BLOCK_DIM && da != db) {
        const int64_t extent[3] = {l->block.x, l->block.y, l->block.z};
        return extent[da] != extent[db];
    }
    return false;
}

static const char *product_name(struct ev_root *root, const struct ev_product *p)
{
    static const char *const names[][3] = {{"threadIdx.x", "threadIdx.y", "threadIdx.z"},
                                           {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
                                           {"blockDim.x", "blockDim.y", "blockDim.z"},
                                           {"gridDim.x", "gridDim.y", "gridDim.z"}};
    return cmpd_arena_printf(root->arena, "%s * %s",
                             names[EV_PROV_BUILTIN(p->a)][EV_PROV_DIM(p->a)],
                             names[EV_PROV_BUILTIN(p->b)][EV_PROV_DIM(p->b)]);
}

static int64_t threads_of(const struct ev_launch_run *l)
{
    return l->block.x * l->block.y * l->block.z;
}

/* All threads of a launch; INT64_MAX where they are too many to count. */
static int64_t all_threads_of(const struct ev_launch_run *l)
{
    int64_t all;
    if (__builtin_mul_overflow(l->grid.x, l->grid.y, &all) ||
        __builtin_mul_overflow(all, l->grid.z, &all) ||
        __builtin_mul_overflow(all, threads_of(l), &all))
        return INT64_MAX;
    return all;
}

static const char usual_index[] = "the usual index is blockIdx.x * blockDim.x + threadIdx.x";

/* Two threads certainly write one element of an output while another gets none. */
static bool report_collision(struct ev_root *root, const struct ev_run *run,
                             const struct ev_launch_run *l, const struct ir_loc *at,
                             const char *what)
{
    for (struct ev_region *r = run->regions->first; r; r = r->next) {
        struct ev_footprint *f = r->kind == EV_R_BUFFER || r->kind == EV_R_DEVICE ? r->shadow
                                                                                  : NULL;
        if (!f || !f->written || f->unknown_write || f->atomic || f->write_kernel != l->kernel ||
            !f->collision)
            continue;
        int64_t gap = ev_first_gap(f, f->hi / f->gran), width = threads_of(l);
        if (gap < 0)
            continue;
        ev_add_fault(
            root->facts, root->arena, CMPD_TAG_index_space_swapped, CMPD_TIER_REJECT, at, l->kernel,
            usual_index,
            "with %s the launch %s computes %s: thread %lld of block %lld and thread %lld of block %lld both "
            "write %s[%lld], and %s[%lld] gets none",
            ev_run_inputs_text(root, run), ev_launch_text(root, &l->grid, &l->block), what,
            (long long)(f->collision_a % width), (long long)(f->collision_a / width),
            (long long)(f->collision_b % width), (long long)(f->collision_b / width), r->name,
            (long long)(f->collision_off / f->gran), r->name, (long long)gap);
        return true;
    }
    return false;
}

int64_t ev_compare_hole(const struct ev_compare *c)
{
    int64_t end = c->right < WATCH_INDEX_MAX ? c->right : WATCH_INDEX_MAX;
    for (int64_t v = 0; v < end; v++)
        if (!(c->seen[v / 64] >> (v % 64) & 1))
            return v;
    if (c->right > WATCH_INDEX_MAX && c->max_left < c->right - 1 && c->max_left >= WATCH_INDEX_MAX)
        return c->max_left + 1;
    return -1;
}

static bool report_hole(struct ev_root *root, const struct ev_run *run,
                        const struct ev_launch_run *l, const struct ev_product *p)
{
    int64_t all = all_threads_of(l);
    for (size_t c = 0; c < l->compare_count; c++) {
        const struct ev_compare *cmp = &l->compares[c];
        int64_t hole = cmp->right > 0 ? ev_compare_hole(cmp) : -1;
        if (hole < 0 || all < cmp->right || (!cmp->lanes && cmp->max_left == 0))
            continue;
        ev_add_fault(
            root->facts, root->arena, CMPD_TAG_index_space_swapped, CMPD_TIER_REJECT, &p->at->loc,
            l->kernel, usual_index,
            "with %s the launch %s has enough threads, but %s gives none of them the index %lld of %lld",
            ev_run_inputs_text(root, run), ev_launch_text(root, &l->grid, &l->block),
            product_name(root, p), (long long)hole, (long long)cmp->right);
        return true;
    }
    return false;
}

/* Block and thread do not both go into the index: a whole block on one element, although it has a thread for each. */
static bool report_missing_thread(struct ev_root *root, const struct ev_run *run,
                                  const struct ev_launch_run *l)
{
    if (threads_of(l) < 2 || l->block.y != 1 || l->grid.y != 1 || l->product_count == 0)
        return false;
    for (size_t c = 0; c < l->compare_count; c++) {
        const struct ev_compare *cmp = &l->compares[c];
        if (cmp->lanes || cmp->max_left < 1 || ev_compare_hole(cmp) < 0)
            continue;
        for (size_t i = 0; i < root->inputs.count; i++)
            if (run->values[i] == cmp->right && root->inputs.items[i].divisor == threads_of(l) &&
                report_collision(root, run, l, &l->products[0].at->loc,
                                 "an index without the thread in it"))
                return true;
    }
    return false;
}

bool ev_judge_products(struct ev_root *root)
{
    for (size_t i = 0; i < root->run_count; i++) {
        const struct ev_run *run = &root->runs[i];
        for (size_t k = 0; run->valid && k < run->launch_count; k++) {
            const struct ev_launch_run *l = &run->launches[k];
            if (!l->complete || !l->certain)
                continue;
            for (size_t p = 0; p < l->product_count; p++) {
                if (!is_suspicious(&l->products[p], l))
                    continue;
                if (report_collision(root, run, l, &l->products[p].at->loc,
                                     product_name(root, &l->products[p])) ||
                    report_hole(root, run, l, &l->products[p]))
                    return true;
            }
            if (report_missing_thread(root, run, l))
                return true;
        }
    }
    return false;
}

/* ---- a bound that no thread reaches ---- */

const struct ev_compare *ev_find_compare(const struct ev_run *run, const struct ir_expr *launch,
                                         const struct ir_expr *at)
{
    for (size_t k = 0; k < run->launch_count; k++) {
        const struct ev_launch_run *l = &run->launches[k];
        for (size_t c = 0; (!launch || l->expr == launch) && c < l->compare_count; c++)
            if (l->compares[c].at == at)
                return &l->compares[c];
    }
    return NULL;
}

/* In some run every index below the bound was there: the comparison is meant for a dense index. */
static bool dense_somewhere(const struct ev_root *root, const struct ir_expr *launch,
                            const struct ir_expr *at)
{
    for (size_t i = 0; i < root->run_count; i++) {
        const struct ev_compare *c = root->runs[i].valid
                                         ? ev_find_compare(&root->runs[i], launch, at)
                                         : NULL;
        if (c && c->right > 1 && ev_compare_hole(c) < 0)
            return true;
    }
    return false;
}

/* The bound is an input, or the length of a buffer of the file that this kernel writes. */
static bool bound_is_count(const struct ev_root *root, const struct ev_run *run,
                           const struct ev_launch_run *l, int64_t bound, size_t *input)
{
    *input = SIZE_MAX;
    for (size_t i = 0; i < root->inputs.count; i++) {
        if (run->values[i] == bound && (run->varied == i || root->inputs.items[i].grid_dims)) {
            *input = i;
            return true;
        }
    }
    for (struct ev_region *r = run->regions->first; r; r = r->next) {
        struct ev_footprint *f = r->kind == EV_R_DEVICE ? r->shadow : NULL;
        if (f && f->written && !f->filled && f->write_kernel == l->kernel && r->elem_bytes &&
            r->size_bytes > 0 && r->size_bytes / r->elem_bytes == bound)
            return true;
    }
    return false;
}

/* Another comparison with the same bound has the indices that this one lacks: a loop's condition behind its guard. */
static bool others_have_it(const struct ev_launch_run *l, const struct ev_compare *cmp,
                           int64_t hole)
{
    for (size_t c = 0; c < l->compare_count; c++) {
        const struct ev_compare *o = &l->compares[c];
        if (o == cmp || o->right != cmp->right)
            continue;
        bool has = hole < WATCH_INDEX_MAX ? o->seen[hole / 64] >> (hole % 64) & 1
                                          : o->max_left >= hole;
        if (has)
            return true;
    }
    return false;
}

static bool judge_compare(struct ev_root *root, const struct ev_run *run,
                          const struct ev_launch_run *l, const struct ev_compare *cmp)
{
    int64_t all = all_threads_of(l);
    bool short_of_threads = cmp->max_left == all - 1 && cmp->max_left < cmp->right - 1;
    int64_t hole = l->complete ? ev_compare_hole(cmp) : short_of_threads ? cmp->max_left + 1 : -1;
    size_t input;
    if (!cmp->lanes || hole < 0 || others_have_it(l, cmp, hole) ||
        !bound_is_count(root, run, l, cmp->right, &input))
        return false;
    if (!short_of_threads && !dense_somewhere(root, l->expr, cmp->at))
        return false;
    bool settled = input == SIZE_MAX || ev_input_is_free(&root->inputs.items[input]);
    const char *with = ev_run_inputs_text(root, run);
    ev_add_fault(
        root->facts, root->arena, CMPD_TAG_index_space_too_small,
        l->certain && settled ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW, &l->expr->loc, l->kernel,
        "round the number of blocks up, or let each thread loop with the grid's stride",
        "%s%s%sthe launch %s has %lld threads for %lld elements, and none of them has the index %lld",
        *with ? "with " : "", with, *with ? " " : "", ev_launch_text(root, &l->grid, &l->block),
        (long long)all, (long long)cmp->right, (long long)hole);
    return true;
}

void ev_judge_bounds(struct ev_root *root)
{
    for (size_t i = 0; i < root->run_count; i++) {
        const struct ev_run *run = &root->runs[i];
        for (size_t k = 0; run->valid && k < run->launch_count; k++) {
            const struct ev_launch_run *l = &run->launches[k];
            for (size_t c = 0; l->evaluated && c < l->compare_count; c++)
                if (judge_compare(root, run, l, &l->compares[c]))
                    return;
        }
    }
}
