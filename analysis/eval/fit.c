/*
 * Threads against data. The length of a buffer that comes from outside is not
 * written anywhere, but the launcher's own behaviour tells it: over many values
 * of the inputs, the end of what a kernel touches equals a product of inputs
 * (n, rows * cols, 4 * n ...) wherever threads and data fit. Where it does not,
 * a thread reaches past that length, or an element is left out.
 */
#include <string.h>

#include "analysis/eval/law.h"

/* What one buffer's series shows. */
struct trouble {
    struct ev_law law;
    const struct ev_sample *over;  /* a run that reaches past the law's length */
    const struct ev_sample *under; /* a run that leaves an element out */
    int64_t gap;
    bool both; /* one run does both */
};

static const struct ev_launch_run *launch_of(const struct ev_sample *s,
                                             const struct ir_func *kernel)
{
    for (size_t i = 0; i < s->run->launch_count; i++)
        if (s->run->launches[i].kernel == kernel)
            return &s->run->launches[i];
    return &s->run->launches[0];
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
static enum cmpd_tier settle_tier(struct ev_root *root, const struct ev_law *law,
                                  const struct ev_sample *s, bool gap)
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

/* ---- reports ---- */

/*
 * One missing guard is one finding, however many buffers it lets a thread past: at the access that stands first. A
 * later one that was told before gives way. true: an earlier one stands.
 */
static bool told_earlier(struct ev_root *root, const struct ir_func *kernel,
                         const struct ir_loc *at, enum cmpd_tier tier)
{
    struct cmpd_facts *facts = root->facts;
    for (size_t i = 0; i < facts->fault_count; i++) {
        struct cmpd_fault *f = &facts->faults[i];
        if (f->tag != CMPD_TAG_missing_bounds_guard || f->kernel != kernel)
            continue;
        if (f->at.off <= at->off || f->proven > tier)
            return true;
        memmove(f, f + 1, (facts->fault_count - i - 1) * sizeof *f);
        facts->fault_count--;
        return false;
    }
    return false;
}

static void report_overrun(struct ev_root *root, const struct ev_law *law,
                           const struct ev_sample *s)
{
    const struct ev_footprint *f = s->f;
    int64_t length = ev_law_length(law, s->run, root->inputs.count);
    const struct ev_launch_run *l = launch_of(s, f->hi_kernel);
    const struct ev_site *site = ev_first_site_past(f, length * f->gran);
    enum cmpd_tier tier = root->padding ? CMPD_TIER_REVIEW : settle_tier(root, law, s, false);
    if (told_earlier(root, f->hi_kernel, &site->hi_at.at->loc, tier))
        return;
    ev_add_fault(
        root->facts, root->arena, CMPD_TAG_missing_bounds_guard, tier, &site->hi_at.at->loc,
        f->hi_kernel,
        "leave threads past the end out: compare the index with the number of elements before the access",
        "with %s the launch is %s, and thread %u of block %lld reaches %s[%lld], past its %lld elements (%s)",
        ev_run_inputs_text(root, s->run), ev_launch_text(root, &l->grid, &l->block),
        site->hi_at.lane, (long long)site->hi_at.block, f->region->name,
        (long long)(site->hi_at.off / f->gran), (long long)length, ev_law_text(root, law));
}

/* Is the shortfall less than one access wide? */
static bool within_one_vector(const struct ev_sample *s, int64_t gap, int64_t length)
{
    return s->f->widest > s->f->gran && length - gap < s->f->widest / s->f->gran;
}

static void report_gap(struct ev_root *root, const struct ev_law *law, const struct ev_sample *s,
                       int64_t gap)
{
    const struct ev_footprint *f = s->f;
    const struct ev_launch_run *l = launch_of(s, f->write_kernel);
    enum cmpd_tier tier = settle_tier(root, law, s, true);
    int64_t length = ev_law_length(law, s->run, root->inputs.count);
    bool varies = s->run->varied < root->inputs.count;
    bool documented = varies && root->inputs.items[s->run->varied].documented;
    /* Rounded down with no guard, or to whole vectors: the author may count on whole blocks. */
    bool guarded = varies && is_compared(s->run, s->run->values[s->run->varied]);
    if (!documented && (!guarded || within_one_vector(s, gap, length)))
        tier = CMPD_TIER_REVIEW;
    ev_add_fault(root->facts, root->arena, CMPD_TAG_index_space_too_small, tier,
                 f->write_launch ? &f->write_launch->loc : &f->write_at->loc, f->write_kernel,
                 "round the number of blocks up, or let each thread loop with the grid's stride",
                 "with %s the launch %s leaves %s[%lld] of its %lld elements (%s) without a thread",
                 ev_run_inputs_text(root, s->run), ev_launch_text(root, &l->grid, &l->block),
                 f->region->name, (long long)gap, (long long)length, ev_law_text(root, law));
}

static void report_exchanged(struct ev_root *root, const struct ev_law *law,
                             const struct ev_sample *s)
{
    const struct ev_footprint *f = s->f;
    const struct ev_launch_run *l = launch_of(s, f->write_kernel);
    int64_t length = ev_law_length(law, s->run, root->inputs.count), gap = ev_first_gap(f, length);
    const char *what =
        gap >= 0 ? cmpd_arena_printf(
                       root->arena, "leaves %s[%lld] of its %lld elements (%s) without a thread",
                       f->region->name, (long long)gap, (long long)length, ev_law_text(root, law))
                 : cmpd_arena_printf(root->arena, "reaches %s[%lld], past its %lld elements (%s)",
                                     f->region->name, (long long)(s->end - 1), (long long)length,
                                     ev_law_text(root, law));
    ev_add_fault(root->facts, root->arena, CMPD_TAG_index_space_swapped,
                 settle_tier(root, law, s, true), l->grid_at ? l->grid_at : &l->expr->loc,
                 f->write_kernel,
                 "exchange the axes: what the kernel walks along x belongs into the grid's x",
                 "with %s the launch %s %s; with the grid's x and y exchanged all fits",
                 ev_run_inputs_text(root, s->run), ev_launch_text(root, &l->grid, &l->block), what);
}

static void report_transposed(struct ev_root *root, const struct trouble *t)
{
    const struct ev_sample *s = t->under;
    const struct ev_footprint *f = s->f;
    const struct ev_launch_run *l = launch_of(s, f->write_kernel);
    ev_add_fault(
        root->facts, root->arena, CMPD_TAG_index_space_swapped, settle_tier(root, &t->law, s, true),
        &f->write_at->loc, f->write_kernel,
        "exchange row and column in the index, or use the other extent as its stride",
        "with %s and the launch %s the index leaves %s[%lld] unwritten and reaches %s[%lld], past its %lld "
        "elements (%s): row and column are exchanged",
        ev_run_inputs_text(root, s->run), ev_launch_text(root, &l->grid, &l->block),
        f->region->name, (long long)t->gap, f->region->name, (long long)(s->end - 1),
        (long long)ev_law_length(&t->law, s->run, root->inputs.count), ev_law_text(root, &t->law));
}

/* ---- the same with the grid's axes exchanged ---- */

static bool grid_is_uneven(const struct ev_series *se)
{
    for (size_t i = 0; i < se->count; i++)
        for (size_t k = 0; k < se->s[i].run->launch_count; k++)
            if (se->s[i].run->launches[k].grid.x != se->s[i].run->launches[k].grid.y &&
                se->s[i].run->launches[k].grid.y > 1)
                return true;
    return false;
}

/* Every sample follows the law, to the last element. */
static bool all_fit(const struct ev_series *se, const struct ev_law *law, size_t inputs)
{
    for (size_t i = 0; i < se->count; i++) {
        const struct ev_sample *s = &se->s[i];
        if (s->end != ev_law_length(law, s->run, inputs) || !s->covered ||
            ev_first_gap(s->f, s->end) >= 0)
            return false;
    }
    return true;
}

/* Run all again with x and y of every grid exchanged: does everything fit then? *law is the law of that. */
static bool exchange_mends(struct ev_root *root, const struct ev_series *se, struct ev_law *law)
{
    if (!grid_is_uneven(se))
        return false;
    struct ev_run *again[RUNS_MAX];
    struct ev_run *saved = root->run;
    size_t seen = root->seen_count;
    for (size_t i = 0; i < root->run_count; i++) {
        again[i] = CMPD_ARENA_NEW(root->keep, struct ev_run);
        memcpy(again[i]->values, root->runs[i].values, sizeof again[i]->values);
        again[i]->varied = root->runs[i].varied;
        again[i]->swap_grid = true;
        ev_run_root(root, again[i]);
    }
    root->seen_count = seen; /* what a changed launch shows is not the file's */
    root->run = saved;
    struct ev_series *other = CMPD_ARENA_NEW(root->keep, struct ev_series);
    ev_gather(again, root->run_count, se->key, other);
    return other->count >= 3 && ev_find_law(root, other, law) &&
           all_fit(other, law, root->inputs.count);
}

/* ---- one buffer ---- */

/* Over the runs that vary the input: does the bound move with it, and is not the input itself? */
static bool moves_otherwise(const struct ev_root *root, const struct ev_compare *cmp, size_t input)
{
    const struct ev_compare *usual = ev_find_compare(&root->runs[0], NULL, cmp->at);
    for (size_t r = 1; usual && r < root->run_count; r++) {
        const struct ev_run *run = &root->runs[r];
        const struct ev_compare *c = run->varied == input ? ev_find_compare(run, NULL, cmp->at)
                                                          : NULL;
        if (c && c->right != usual->right && c->right != run->values[input])
            return true;
    }
    return false;
}

/*
 * The kernel guards an index by a bound that moves with the varied input without being it, such as (n + 1) / 2, or by
 * one beyond this element: then its author counts elements in another way than the law, and nothing is proven.
 */
static bool guard_speaks_otherwise(const struct ev_root *root, const struct ev_run *run,
                                   int64_t element)
{
    for (size_t k = 0; k < run->launch_count; k++) {
        const struct ev_launch_run *l = &run->launches[k];
        int64_t threads = l->grid.x * l->grid.y * l->grid.z * l->block.x * l->block.y * l->block.z;
        for (size_t c = 0; c < l->compare_count; c++) {
            const struct ev_compare *cmp = &l->compares[c];
            if (!cmp->lanes || cmp->right == threads)
                continue;
            if (cmp->right > element)
                return true;
            if (run->varied < root->inputs.count && moves_otherwise(root, cmp, run->varied))
                return true;
        }
    }
    return false;
}

/* Some count that is no whole number of blocks fits exactly: rounding is the author's, as in (h + 1) / 2 rows. */
static bool rounds_itself(const struct ev_root *root, const struct ev_series *se,
                          const struct ev_law *law, size_t input)
{
    if (input >= root->inputs.count || root->inputs.items[input].divisor < 2)
        return false;
    for (size_t i = 0; i < se->count; i++) {
        const struct ev_sample *s = &se->s[i];
        if (s->run->varied == input &&
            s->run->values[input] % root->inputs.items[input].divisor != 0 &&
            ev_law_speaks_of(root, law, s->run) &&
            s->end <= ev_law_length(law, s->run, root->inputs.count))
            return true;
    }
    return false;
}

static void look_for_trouble(struct ev_root *root, const struct ev_series *se, struct trouble *t)
{
    size_t inputs = root->inputs.count;
    for (size_t i = 0; i < se->count; i++) {
        const struct ev_sample *s = &se->s[i];
        if (!ev_law_speaks_of(root, &t->law, s->run))
            continue;
        int64_t length = ev_law_length(&t->law, s->run, inputs);
        bool over = s->end > length && !guard_speaks_otherwise(root, s->run, s->end - 1) &&
                    !rounds_itself(root, se, &t->law, s->run->varied);
        int64_t gap = s->covered ? ev_first_gap(s->f, length) : -1;
        if (over && !t->over)
            t->over = s;
        if (gap >= 0 && (!t->under || (over && !t->both))) {
            t->under = s;
            t->gap = gap;
            t->both = over;
        }
    }
}

/* Holes that runs which follow the law have as well are meant: every second element, a border. */
static bool holes_are_meant(const struct ev_root *root, const struct ev_series *se,
                            const struct trouble *t)
{
    for (size_t i = 0; i < se->count; i++) {
        const struct ev_sample *s = &se->s[i];
        if (s == t->under || !s->covered ||
            s->end != ev_law_length(&t->law, s->run, root->inputs.count))
            continue;
        int64_t first = ev_first_gap(s->f, s->end);
        if (first >= 0 && first == t->gap)
            return true;
    }
    return false;
}

/* The launch lacks a dimension: what follows from that is no fault of its own. */
static bool dimension_told(const struct ev_root *root, const struct ir_func *kernel)
{
    for (size_t i = 0; i < root->facts->fault_count; i++) {
        const struct cmpd_fault *f = &root->facts->faults[i];
        if (f->tag == CMPD_TAG_launch_dim_unused && f->kernel == kernel &&
            f->proven == CMPD_TIER_REJECT)
            return true;
    }
    return false;
}

static bool judge_series(struct ev_root *root, const struct ev_series *se)
{
    struct trouble t = {.gap = -1};
    if (se->count < 3 || dimension_told(root, se->s[0].f->hi_kernel) ||
        !ev_find_law(root, se, &t.law))
        return false;
    look_for_trouble(root, se, &t);
    if (t.under && holes_are_meant(root, se, &t))
        t.under = NULL;
    if (!t.under && !t.over)
        return false;
    struct ev_law exchanged;
    if (se->s[0].f->written && exchange_mends(root, se, &exchanged)) {
        for (size_t i = 0; i < se->count; i++) {
            int64_t length = ev_law_length(&exchanged, se->s[i].run, root->inputs.count);
            if (se->s[i].end > length || ev_first_gap(se->s[i].f, length) >= 0) {
                report_exchanged(root, &exchanged, &se->s[i]);
                return true;
            }
        }
    }
    if (t.both && t.under)
        report_transposed(root, &t);
    else if (t.over)
        report_overrun(root, &t.law, t.over);
    else if (!t.under->f->read)
        report_gap(root, &t.law, t.under, t.gap);
    else /* worked on in place: what nobody writes keeps its value, a pair without a partner, the middle of a swap */
        return false;
    return true;
}

/* ---- all buffers ---- */

static bool seen_before(struct ev_root *root, size_t run, const void *key)
{
    for (size_t k = 0; k < run; k++)
        if (ev_find_footprint(&root->runs[k], key))
            return true;
    return false;
}

static bool judge_buffers(struct ev_root *root, bool written)
{
    struct ev_run *runs[RUNS_MAX];
    for (size_t i = 0; i < root->run_count; i++)
        runs[i] = &root->runs[i];
    struct ev_series *se = CMPD_ARENA_NEW(root->keep, struct ev_series);
    bool told = false;
    for (size_t i = 0; i < root->run_count; i++) {
        struct ev_region *r = root->runs[i].regions ? root->runs[i].regions->first : NULL;
        for (; r; r = r->next) {
            const struct ev_footprint *f = r->kind == EV_R_BUFFER ? r->shadow : NULL;
            if (!f || f->written != written || seen_before(root, i, r->key))
                continue;
            ev_gather(runs, root->run_count, r->key, se);
            told |= judge_series(root, se);
        }
    }
    return told;
}

void ev_judge_index_space(struct ev_root *root)
{
    if (ev_judge_products(root))
        return;
    /* Outputs first: they say most clearly which elements are meant. Inputs only tell of overruns. */
    bool told = judge_buffers(root, true);
    told |= judge_buffers(root, false);
    if (!told)
        ev_judge_bounds(root);
}
