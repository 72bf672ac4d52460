#include "analysis/eval/law.h"

enum { LAW_INPUTS = 10, LAW_FACTORS = 3 };

struct ev_footprint *ev_find_footprint(const struct ev_run *run, const void *key)
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
    return run->launch_count > 0;
}

void ev_gather(struct ev_run *const *runs, size_t count, const void *key, struct ev_series *out)
{
    *out = (struct ev_series){.key = key};
    for (size_t i = 0; i < count; i++) {
        struct ev_run *run = runs[i];
        struct ev_footprint *f = run->valid && all_complete(run) ? ev_find_footprint(run, key)
                                                                 : NULL;
        if (!f || f->hi == INT64_MIN || !f->gran)
            continue;
        struct ev_sample *s = &out->s[out->count++];
        s->run = run;
        s->f = f;
        s->end = (f->hi + f->gran - 1) / f->gran;
        s->covered = f->written && !f->unknown_write && !f->filled;
    }
}

static int64_t product(const struct ev_run *run, unsigned subset, size_t inputs)
{
    int64_t p = 1;
    for (size_t i = 0; i < inputs; i++)
        if (subset >> i & 1)
            p = p > ((int64_t)1 << 40) ? p : p * run->values[i];
    return p;
}

static unsigned factors(unsigned subset)
{
    return (unsigned)__builtin_popcount(subset);
}

bool ev_law_speaks_of(const struct ev_root *root, const struct ev_law *law,
                      const struct ev_run *run)
{
    for (size_t i = 0; i < root->inputs.count; i++)
        if (!(law->subset >> i & 1) && run->values[i] != root->inputs.items[i].usual)
            return false;
    return true;
}

/* How many runs, with how many different products, follow the law exactly? */
static void count_support(const struct ev_root *root, const struct ev_series *se, size_t inputs,
                          struct ev_law *law)
{
    int64_t seen[RUNS_MAX], low[LAW_INPUTS], high[LAW_INPUTS];
    size_t different = 0;
    law->support = 0;
    for (size_t i = 0; i < se->count; i++) {
        const struct ev_run *run = se->s[i].run;
        int64_t p = product(run, law->subset, inputs);
        if (se->s[i].end != p * law->num || !ev_law_speaks_of(root, law, run))
            continue;
        for (size_t k = 0; k < inputs; k++) {
            int64_t v = run->values[k];
            low[k] = law->support && low[k] < v ? low[k] : v;
            high[k] = law->support && high[k] > v ? high[k] : v;
        }
        law->support++;
        bool known = false;
        for (size_t k = 0; k < different; k++)
            known |= seen[k] == p;
        if (!known)
            seen[different++] = p;
    }
    bool shown = different >= 2; /* a factor that never changed is no factor */
    for (size_t k = 0; shown && k < inputs; k++)
        shown = !(law->subset >> k & 1) || low[k] != high[k];
    if (!shown)
        law->support = 0;
}

static bool better(const struct ev_law *a, const struct ev_law *b)
{
    if (a->support != b->support)
        return a->support > b->support;
    return factors(a->subset) > factors(b->subset);
}

/* Laws with these factors that some sample suggests. */
static void try_subset(const struct ev_root *root, const struct ev_series *se, unsigned subset,
                       size_t inputs, struct ev_law *best)
{
    for (size_t i = 0; i < se->count; i++) {
        int64_t p = product(se->s[i].run, subset, inputs);
        if (p <= 0 || se->s[i].end % p != 0)
            continue;
        struct ev_law law = {subset, se->s[i].end / p, 0};
        if (law.num < 1)
            continue;
        count_support(root, se, inputs, &law);
        if (law.support >= 2 && better(&law, best))
            *best = law;
    }
}

bool ev_find_law(const struct ev_root *root, const struct ev_series *se, struct ev_law *out)
{
    size_t inputs = root->inputs.count < LAW_INPUTS ? root->inputs.count : LAW_INPUTS;
    struct ev_law best = {0};
    for (unsigned subset = 1; subset < 1u << inputs; subset++)
        if (factors(subset) <= LAW_FACTORS)
            try_subset(root, se, subset, inputs, &best);
    *out = best;
    return best.support >= 2;
}

int64_t ev_law_length(const struct ev_law *law, const struct ev_run *run, size_t inputs)
{
    return product(run, law->subset, inputs) * law->num;
}

const char *ev_law_text(struct ev_root *root, const struct ev_law *law)
{
    char *text = cmpd_arena_printf(root->arena, "%s", "");
    if (law->num != 1)
        text = cmpd_arena_printf(root->arena, "%lld", (long long)law->num);
    for (size_t i = 0; i < root->inputs.count; i++)
        if (law->subset >> i & 1)
            text = cmpd_arena_printf(root->arena, "%s%s%s", text, *text ? " * " : "",
                                     root->inputs.items[i].name);
    return text;
}

int64_t ev_first_gap(const struct ev_footprint *f, int64_t length)
{
    for (int64_t e = 0; e < length; e++)
        if ((size_t)e >= f->writer_count || !f->writer[e])
            return e;
    return -1;
}
