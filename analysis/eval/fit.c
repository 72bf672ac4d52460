/*
 * Threads against data. The length of a buffer that comes from outside is not
 * written anywhere, but the launcher's own behaviour tells it: over many values
 * of the inputs, the end of what a kernel touches equals a product of inputs
 * (n, rows * cols, 4 * n ...) wherever threads and data fit. Where it does not,
 * a thread reaches past that length, or an element is left out.
 */
#include <string.h>

#include "analysis/eval/root.h"

struct sample { /* a buffer in one run */
    struct ev_run *run;
    struct ev_footprint *f;
    int64_t end;  /* elements */
    bool covered; /* coverage is known: no unknown writes */
};

struct series {
    const void *key;
    struct sample s[RUNS_MAX];
    size_t count;
};

struct law { /* end = num / den * product of the inputs in `subset` */
    unsigned subset;
    int64_t num, den;
    unsigned support;
};

static struct ev_footprint *find_footprint(struct ev_run *run, const void *key)
{
    for (struct ev_region *r = run->regions ? run->regions->first : NULL; r; r = r->next)
        if (r->key == key && r->kind == EV_R_BUFFER)
            return r->shadow;
    return NULL;
}

static bool all_complete(const struct ev_run *run)
{
    for (size_t i = 0; i < run->launch_count; i++)
        if (!run->launches[i].complete)
            return false;
    return true;
}

static void gather(struct ev_root *root, const void *key, struct series *out)
{
    *out = (struct series){.key = key};
    for (size_t i = 0; i < root->run_count; i++) {
        struct ev_run *run = &root->runs[i];
        struct ev_footprint *f = run->valid && run->launch_count ? find_footprint(run, key) : NULL;
        if (!f || f->hi == INT64_MIN || !f->gran)
            continue;
        struct sample *s = &out->s[out->count++];
        s->run = run;
        s->f = f;
        s->end = (f->hi + f->gran - 1) / f->gran;
        s->covered = f->written && !f->unknown_write && !f->filled && all_complete(run);
    }
}

static int64_t product(const struct sample *s, unsigned subset, size_t inputs)
{
    int64_t p = 1;
    for (size_t i = 0; i < inputs; i++)
        if (subset >> i & 1)
            p = p > ((int64_t)1 << 40) ? p : p * s->run->values[i];
    return p;
}

static unsigned bits(unsigned v)
{
    return (unsigned)__builtin_popcount(v);
}

/* How many runs, with how many different products, follow the law exactly? */
static void count_support(const struct series *se, size_t inputs, struct law *law)
{
    int64_t seen[RUNS_MAX];
    size_t different = 0;
    law->support = 0;
    for (size_t i = 0; i < se->count; i++) {
        int64_t p = product(&se->s[i], law->subset, inputs);
        if (se->s[i].end * law->den != p * law->num)
            continue;
        law->support++;
        bool known = false;
        for (size_t k = 0; k < different; k++)
            known |= seen[k] == p;
        if (!known)
            seen[different++] = p;
    }
    if (different < (law->den > 1 ? 3u : 2u))
        law->support = 0;
}

static bool better(const struct law *a, const struct law *b)
{
    if (a->support != b->support)
        return a->support > b->support;
    return bits(a->subset) > bits(b->subset);
}

/* Subsets of inputs that vary between the runs, of up to three. */
static bool find_law(const struct ev_root *root, const struct series *se, struct law *out)
{
    static const int64_t dens[] = {1, 2, 4, 8, 16};
    size_t inputs = root->inputs.count < 10 ? root->inputs.count : 10;
    struct law best = {0};
    for (unsigned subset = 1; subset < 1u << inputs; subset++) {
        if (bits(subset) > 3)
            continue;
        for (size_t i = 0; i < se->count; i++) {
            int64_t p = product(&se->s[i], subset, inputs);
            for (size_t d = 0; d < sizeof dens / sizeof *dens && p > 0; d++) {
                struct law law = {subset, 0, dens[d], 0};
                if (se->s[i].end * dens[d] % p != 0)
                    continue;
                law.num = se->s[i].end * dens[d] / p;
                if (law.num < 1 || (dens[d] > 1 && law.num % 2 == 0))
                    continue;
                count_support(se, inputs, &law);
                if (law.support >= 2 && better(&law, &best))
                    best = law;
                break;
            }
        }
    }
    *out = best;
    return best.support >= 2;
}

static int64_t length_up(const struct law *law, const struct sample *s, size_t inputs)
{
    return (product(s, law->subset, inputs) * law->num + law->den - 1) / law->den;
}

static int64_t length_down(const struct law *law, const struct sample *s, size_t inputs)
{
    return product(s, law->subset, inputs) * law->num / law->den;
}

/* The first element below `length` that nobody wrote, or -1. */
static int64_t first_gap(const struct ev_footprint *f, int64_t length)
{
    for (int64_t e = 0; e < length; e++)
        if ((size_t)e >= f->writer_count || !f->writer[e])
            return e;
    return -1;
}

/* "n", "4 * rows * cols" */
static const char *law_text(struct ev_root *root, const struct law *law)
{
    char *text = cmpd_arena_printf(root->arena, "%s", "");
    if (law->num != 1)
        text = cmpd_arena_printf(root->arena, "%lld", (long long)law->num);
    for (size_t i = 0; i < root->inputs.count; i++)
        if (law->subset >> i & 1)
            text = cmpd_arena_printf(root->arena, "%s%s%s", text, *text ? " * " : "",
                                     root->inputs.items[i].name);
    if (law->den > 1)
        text = cmpd_arena_printf(root->arena, "%s / %lld", text, (long long)law->den);
    return text;
}

static const struct ev_launch_run *launch_of(const struct sample *s, const struct ir_func *kernel)
{
    for (size_t i = 0; i < s->run->launch_count; i++)
        if (s->run->launches[i].kernel == kernel)
            return &s->run->launches[i];
    return s->run->launch_count ? &s->run->launches[0] : NULL;
}

/* Some thread index is compared with this number: the author's own word that it is the count. */
static bool is_compared(const struct ev_run *run, int64_t bound)
{
    for (size_t i = 0; i < run->launch_count; i++)
        for (size_t c = 0; c < run->launches[i].compare_count; c++)
            if (run->launches[i].compares[c].lanes && run->launches[i].compares[c].right == bound)
                return true;
    return false;
}

/*
 * An input that no launch hangs on is a witness only where its range is written down, or where the kernel's own guard
 * names it as the count (a gap then contradicts the guard).
 */
static enum cmpd_tier settle_tier(struct ev_root *root, const struct law *law,
                                  const struct sample *s, bool gap)
{
    for (size_t i = 0; i < root->inputs.count; i++) {
        const struct ev_input *in = &root->inputs.items[i];
        bool varied = s->run->varied == i;
        bool matters = (law->subset >> i & 1) || varied;
        if (matters && !ev_input_is_free(in))
            return CMPD_TIER_REVIEW;
        if (varied && !in->grid_dims && !in->documented &&
            !(gap && is_compared(s->run, s->run->values[i])))
            return CMPD_TIER_REVIEW;
    }
    for (size_t i = 0; i < s->run->launch_count; i++)
        if (!s->run->launches[i].certain)
            return CMPD_TIER_REVIEW;
    return CMPD_TIER_REJECT;
}

static void report_overrun(struct ev_root *root, const struct law *law, const struct sample *s)
{
    size_t inputs = root->inputs.count;
    const struct ev_footprint *f = s->f;
    const struct ev_launch_run *l = launch_of(s, f->hi_kernel);
    int64_t length = length_up(law, s, inputs);
    enum cmpd_tier tier = settle_tier(root, law, s, false);
    if (root->padding)
        tier = CMPD_TIER_REVIEW;
    int64_t threads = l ? l->block.x * l->block.y * l->block.z : 1;
    ev_add_fault(
        root->facts, root->arena, CMPD_TAG_missing_bounds_guard, tier, &f->hi_at.at->loc,
        f->hi_kernel,
        "leave threads past the end out: compare the index with the number of elements before the access",
        "with %s the launch %s runs %lld threads a block, and thread %u of block %lld reaches %s[%lld], past "
        "its %lld elements (%s)",
        ev_run_inputs_text(root, s->run), l ? ev_launch_text(root, &l->grid, &l->block) : "",
        (long long)threads, f->hi_at.lane, (long long)f->hi_at.block, f->region->name,
        (long long)(f->hi_at.off / f->gran), (long long)length, law_text(root, law));
}

/* Is the shortfall less than one access wide, and the count not said to be free of remainders? */
static bool within_one_vector(const struct sample *s, int64_t gap, int64_t length)
{
    return s->f->widest > s->f->gran && length - gap < s->f->widest / s->f->gran;
}

static void report_gap(struct ev_root *root, const struct law *law, const struct sample *s,
                       int64_t gap, bool swapped)
{
    const struct ev_footprint *f = s->f;
    const struct ev_launch_run *l = launch_of(s, f->write_kernel);
    enum cmpd_tier tier = settle_tier(root, law, s, true);
    int64_t length = length_down(law, s, root->inputs.count);
    bool documented = s->run->varied < root->inputs.count &&
                      root->inputs.items[s->run->varied].documented;
    if (within_one_vector(s, gap, length) && !documented)
        tier = CMPD_TIER_REVIEW;
    /* Rounded down with no guard: the author may count on whole blocks. */
    bool guarded = s->run->varied < root->inputs.count &&
                   is_compared(s->run, s->run->values[s->run->varied]);
    if (!swapped && !guarded && !documented)
        tier = CMPD_TIER_REVIEW;
    const struct ir_loc *at = f->write_launch ? &f->write_launch->loc : &f->write_at->loc;
    ev_add_fault(
        root->facts, root->arena,
        swapped ? CMPD_TAG_index_space_swapped : CMPD_TAG_index_space_too_small, tier, at,
        f->write_kernel,
        swapped ? "exchange the axes: the kernel's x extent belongs into the grid's x"
                : "round the number of blocks up, or let each thread loop with the grid's stride",
        "with %s the launch %s leaves %s[%lld] of its %lld elements (%s) without a thread%s",
        ev_run_inputs_text(root, s->run), l ? ev_launch_text(root, &l->grid, &l->block) : "",
        f->region->name, (long long)gap, (long long)length, law_text(root, law),
        swapped ? "; with the grid's x and y exchanged all are covered" : "");
}

/* Would exchanging grid.x and grid.y mend this run? */
static bool swap_mends(struct ev_root *root, const struct law *law, const struct sample *s)
{
    bool two = false;
    for (size_t i = 0; i < s->run->launch_count; i++)
        two |= s->run->launches[i].grid.x != s->run->launches[i].grid.y;
    if (!two)
        return false;
    struct ev_run *again = CMPD_ARENA_NEW(root->keep, struct ev_run);
    memcpy(again->values, s->run->values, sizeof again->values);
    again->swap_grid = true;
    struct ev_run *saved = root->run;
    size_t seen = root->seen_count;
    ev_run_root(root, again);
    root->seen_count = seen; /* what a changed launch shows is not the file's */
    root->run = saved;
    struct ev_footprint *f = find_footprint(again, s->f->region->key);
    if (!f || f->hi == INT64_MIN || f->unknown_write)
        return false;
    size_t inputs = root->inputs.count;
    return (f->hi + f->gran - 1) / f->gran <= length_up(law, s, inputs) &&
           (!f->written || first_gap(f, length_down(law, s, inputs)) < 0);
}

static bool judge_series(struct ev_root *root, const struct series *se)
{
    struct law law;
    if (se->count < 3 || !find_law(root, se, &law))
        return false;
    size_t inputs = root->inputs.count;
    const struct sample *over = NULL, *under = NULL;
    int64_t gap = -1;
    for (size_t i = 0; i < se->count; i++) {
        const struct sample *s = &se->s[i];
        /* An input outside the law that changes the end anyway: the length hangs on it in ways not known. */
        if (s->run->varied < inputs && !(law.subset >> s->run->varied & 1))
            continue;
        if (!over && s->end > length_up(&law, s, inputs))
            over = s;
        if (!under && s->covered && law.den == 1) {
            gap = first_gap(s->f, length_down(&law, s, inputs));
            if (gap >= 0)
                under = s;
        }
    }
    /* A buffer that even the fitting runs leave holes in is meant to have them. */
    for (size_t i = 0; under && i < se->count; i++) {
        const struct sample *s = &se->s[i];
        if (s->end == length_down(&law, s, inputs) && s->covered && s != under &&
            first_gap(s->f, s->end) >= 0 && first_gap(under->f, under->end) >= 0 &&
            first_gap(under->f, under->end) < under->end && first_gap(s->f, s->end) == gap)
            under = NULL;
    }
    const struct sample *bad = under ? under : over;
    if (!bad)
        return false;
    if (swap_mends(root, &law, bad)) {
        if (!under) {
            gap = bad->f->written ? first_gap(bad->f, length_down(&law, bad, inputs)) : 0;
            gap = gap < 0 ? 0 : gap;
        }
        report_gap(root, &law, bad, gap, true);
        return true;
    }
    if (over)
        report_overrun(root, &law, over);
    else
        report_gap(root, &law, under, gap, false);
    return true;
}

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
    if (a == IR_B_BLOCK_IDX && b == IR_B_BLOCK_DIM && da != db)
        return (da == 0   ? l->block.x
                : da == 1 ? l->block.y
                          : l->block.z) != (db == 0   ? l->block.x
                                            : db == 1 ? l->block.y
                                                      : l->block.z);
    return false;
}

static const char *product_name(uint8_t prov)
{
    static const char *const names[][3] = {{"threadIdx.x", "threadIdx.y", "threadIdx.z"},
                                           {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
                                           {"blockDim.x", "blockDim.y", "blockDim.z"},
                                           {"gridDim.x", "gridDim.y", "gridDim.z"}};
    return names[EV_PROV_BUILTIN(prov)][EV_PROV_DIM(prov)];
}

/* Two threads on one element, or an element below a bound that the kernel compares with, left out. */
static bool product_breaks(struct ev_root *root, struct ev_run *run, const struct ev_launch_run *l,
                           const struct ev_product *p)
{
    for (struct ev_region *r = run->regions->first; r; r = r->next) {
        struct ev_footprint *f = r->kind == EV_R_BUFFER || r->kind == EV_R_DEVICE ? r->shadow
                                                                                  : NULL;
        if (!f || !f->written || f->unknown_write || f->atomic || f->write_kernel != l->kernel)
            continue;
        const char *what = cmpd_arena_printf(root->arena, "%s * %s", product_name(p->a),
                                             product_name(p->b));
        int64_t width = l->block.x * l->block.y * l->block.z;
        int64_t end = f->hi / f->gran, gap = first_gap(f, end);
        if (f->collision && gap >= 0) {
            ev_add_fault(
                root->facts, root->arena, CMPD_TAG_index_space_swapped, CMPD_TIER_REJECT,
                &p->at->loc, l->kernel, "the usual index is blockIdx.x * blockDim.x + threadIdx.x",
                "with %s the launch %s computes %s: thread %lld of block %lld and thread %lld of block %lld both "
                "write %s[%lld], and %s[%lld] gets none",
                ev_run_inputs_text(root, run), ev_launch_text(root, &l->grid, &l->block), what,
                (long long)(f->collision_a % width), (long long)(f->collision_a / width),
                (long long)(f->collision_b % width), (long long)(f->collision_b / width), r->name,
                (long long)(f->collision_off / f->gran), r->name, (long long)gap);
            return true;
        }
        for (size_t c = 0; c < l->compare_count; c++) {
            const struct ev_compare *cmp = &l->compares[c];
            int64_t hole = cmp->lanes && cmp->right > 0
                               ? first_gap(f, cmp->right < 65536 ? cmp->right : 65536)
                               : -1;
            bool enough = l->grid.x * l->grid.y * l->grid.z * width >= cmp->right;
            if (hole < 0 || !enough || hole >= cmp->right)
                continue;
            ev_add_fault(
                root->facts, root->arena, CMPD_TAG_index_space_swapped, CMPD_TIER_REJECT,
                &p->at->loc, l->kernel, "the usual index is blockIdx.x * blockDim.x + threadIdx.x",
                "with %s the launch %s has a thread for each of the %lld elements, but %s leaves %s[%lld] without one",
                ev_run_inputs_text(root, run), ev_launch_text(root, &l->grid, &l->block),
                (long long)cmp->right, what, r->name, (long long)hole);
            return true;
        }
    }
    return false;
}

static bool judge_products(struct ev_root *root)
{
    for (size_t i = 0; i < root->run_count; i++) {
        struct ev_run *run = &root->runs[i];
        if (!run->valid)
            continue;
        for (size_t k = 0; k < run->launch_count; k++) {
            const struct ev_launch_run *l = &run->launches[k];
            for (size_t p = 0; l->complete && l->certain && p < l->product_count; p++)
                if (is_suspicious(&l->products[p], l) &&
                    product_breaks(root, run, l, &l->products[p]))
                    return true;
        }
    }
    return false;
}

/* ---- a bound that no thread reaches ---- */

/* The bound is an input itself, or the length of a buffer of the file that this kernel writes. */
static bool bound_is_count(const struct ev_root *root, const struct ev_run *run,
                           const struct ev_launch_run *l, int64_t bound, size_t *input)
{
    *input = SIZE_MAX;
    for (size_t i = 0; i < root->inputs.count; i++) {
        if (run->values[i] == bound && run->varied == i) {
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

static void judge_bounds(struct ev_root *root)
{
    for (size_t i = 0; i < root->run_count; i++) {
        struct ev_run *run = &root->runs[i];
        for (size_t k = 0; run->valid && k < run->launch_count; k++) {
            const struct ev_launch_run *l = &run->launches[k];
            int64_t threads = l->grid.x * l->grid.y * l->grid.z * l->block.x * l->block.y *
                              l->block.z;
            for (size_t c = 0; l->evaluated && c < l->compare_count; c++) {
                const struct ev_compare *cmp = &l->compares[c];
                size_t input;
                if (!cmp->lanes || cmp->max_left != threads - 1 ||
                    cmp->max_left >= cmp->right - 1 ||
                    !bound_is_count(root, run, l, cmp->right, &input))
                    continue;
                bool free_input = input == SIZE_MAX || ev_input_is_free(&root->inputs.items[input]);
                ev_add_fault(
                    root->facts, root->arena, CMPD_TAG_index_space_too_small,
                    l->certain && free_input ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW, &l->expr->loc,
                    l->kernel,
                    "round the number of blocks up, or let each thread loop with the grid's stride",
                    "%s%s the launch %s has %lld threads for %lld elements: element %lld has no thread",
                    input == SIZE_MAX ? "" : "with ",
                    input == SIZE_MAX ? "" : ev_run_inputs_text(root, run),
                    ev_launch_text(root, &l->grid, &l->block), (long long)threads,
                    (long long)cmp->right, (long long)(cmp->max_left + 1));
                return;
            }
        }
    }
}

void ev_judge_index_space(struct ev_root *root)
{
    if (judge_products(root))
        return;
    struct series *se = CMPD_ARENA_NEW(root->keep, struct series);
    bool told = false;
    for (size_t i = 0; i < root->run_count && !told; i++) {
        for (struct ev_region *r = root->runs[i].regions ? root->runs[i].regions->first : NULL;
             r && !told; r = r->next) {
            bool earlier = r->kind != EV_R_BUFFER;
            for (size_t k = 0; k < i && !earlier; k++)
                earlier = find_footprint(&root->runs[k], r->key) != NULL;
            if (earlier)
                continue;
            gather(root, r->key, se);
            told = judge_series(root, se);
        }
    }
    if (!told)
        judge_bounds(root);
}
