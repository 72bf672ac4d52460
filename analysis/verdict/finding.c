#include "analysis/verdict/finding.h"

#include <stdlib.h>
#include <string.h>

static const char *const VERDICTS[] = {"PASS", "REVIEW", "REJECT"};

const char *cmpd_verdict_name(enum cmpd_verdict v)
{
    return VERDICTS[v];
}

static void clear_one(struct cmpd_finding *f)
{
    free(f->kernel);
    free(f->message);
    free(f->hint);
    free(f->replay);
    free(f->also_file);
    free(f->suppress_why);
    *f = (struct cmpd_finding){0};
}

void cmpd_findings_clear(struct cmpd_findings *list)
{
    for (size_t i = 0; i < list->count; i++)
        clear_one(&list->items[i]);
    free(list->items);
    *list = (struct cmpd_findings){0};
}

static int by_number(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Total over all that a reader sees, so that the order does not hang on the order of rules. */
static int compare(const void *pa, const void *pb)
{
    const struct cmpd_finding *a = pa, *b = pb;
    int c = by_number(a->line, b->line);
    if (!c)
        c = by_number(a->column, b->column);
    if (!c)
        c = by_number(b->tier, a->tier);
    if (!c)
        c = by_number(a->tag, b->tag);
    if (!c)
        c = strcmp(a->message, b->message);
    return c;
}

static bool repeats(const struct cmpd_finding *a, const struct cmpd_finding *b)
{
    return a->tag == b->tag && a->line == b->line && a->column == b->column && a->line != 0;
}

/* Whether an earlier finding at the same place is the same one; equal ones need not be neighbours. */
static bool seen_before(const struct cmpd_finding *items, size_t kept, const struct cmpd_finding *f)
{
    for (size_t k = kept; k > 0 && items[k - 1].line == f->line && items[k - 1].column == f->column;
         k--) {
        if (repeats(&items[k - 1], f))
            return true;
    }
    return false;
}

void cmpd_findings_sort(struct cmpd_findings *list)
{
    if (list->count < 2)
        return;
    qsort(list->items, list->count, sizeof *list->items, compare);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (seen_before(list->items, kept, &list->items[i])) {
            clear_one(&list->items[i]);
            continue;
        }
        if (kept != i)
            list->items[kept] = list->items[i];
        kept++;
    }
    list->count = kept;
}

enum cmpd_verdict cmpd_findings_verdict(const struct cmpd_findings *list)
{
    enum cmpd_verdict v = CMPD_PASS;
    for (size_t i = 0; i < list->count; i++) {
        const struct cmpd_finding *f = &list->items[i];
        if (f->suppressed || f->tier == CMPD_TIER_NOTE)
            continue;
        enum cmpd_verdict of = f->tier == CMPD_TIER_REJECT ? CMPD_REJECT : CMPD_REVIEW;
        if (of > v)
            v = of;
    }
    return v;
}
