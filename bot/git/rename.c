#include "bot/git/rename.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "bot/git/path.h"
#include "bot/git/similarity.h"

enum {
    SAME_CONTENT_TRIES = 102, /* sources of equal content that are looked at */
    BEST_KEPT = 4,            /* candidates remembered for each added file */
    UNKNOWN_SIZE = -1,
};

/* What is known of a file's content; read when first needed. */
struct content {
    ptrdiff_t size; /* UNKNOWN_SIZE until read; -2: can't be compared */
    bool cut;       /* pieces are there */
    struct cmpd_pieces pieces;
};

struct detection {
    struct cmpd_git *git;
    struct cmpd_rename_file *from, *to;
    size_t from_count, to_count;
    struct content *from_content, *to_content; /* owned */
    uint64_t steps;                            /* spent so far */
    uint64_t kept_bytes;                       /* of pieces */
    bool exhausted;
};

struct pair {
    ptrdiff_t from, to; /* to < 0: unused */
    int score;
    int same_name;
};

static bool is_file(const struct cmpd_rename_file *f)
{
    return cmpd_git_mode_is_file(f->mode);
}

static int same_name(const struct cmpd_rename_file *a, const struct cmpd_rename_file *b)
{
    return strcmp(cmpd_path_base(a->path), cmpd_path_base(b->path)) == 0;
}

static void join(struct detection *d, size_t from, size_t to)
{
    d->from[from].partner = (ptrdiff_t)to;
    d->to[to].partner = (ptrdiff_t)from;
}

/* Step 1: equal content. */

static int by_oid_then_place(const void *pa, const void *pb)
{
    const struct cmpd_rename_file *a = *(const struct cmpd_rename_file *const *)pa;
    const struct cmpd_rename_file *b = *(const struct cmpd_rename_file *const *)pb;
    int c = git_oid_cmp(&a->oid, &b->oid);
    return c ? c : (a > b) - (a < b);
}

static size_t first_with_oid(struct cmpd_rename_file *const *sorted, size_t count,
                             const git_oid *oid)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (git_oid_cmp(&sorted[mid]->oid, oid) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void match_equal(struct detection *d)
{
    CMPD_AUTOFREE struct cmpd_rename_file **sorted = cmpd_calloc(d->from_count, sizeof *sorted);

    for (size_t i = 0; i < d->from_count; i++)
        sorted[i] = &d->from[i];
    qsort(sorted, d->from_count, sizeof *sorted, by_oid_then_place);
    for (size_t t = 0; t < d->to_count; t++) {
        struct cmpd_rename_file *to = &d->to[t], *best = NULL;
        int tries = 0;
        for (size_t i = first_with_oid(sorted, d->from_count, &to->oid);
             i < d->from_count && git_oid_equal(&sorted[i]->oid, &to->oid); i++) {
            struct cmpd_rename_file *from = sorted[i];
            bool comparable = (is_file(from) && is_file(to)) || from->mode == to->mode;
            if (!comparable || from->partner >= 0)
                continue;
            if (!best || same_name(from, to))
                best = from;
            if (same_name(from, to) || ++tries >= SAME_CONTENT_TRIES)
                break;
        }
        if (best)
            join(d, (size_t)(best - d->from), t);
    }
}

/* How alike two files are; content is read once and only when the sizes make it worth while. */

static void learn_size(struct detection *d, const struct cmpd_rename_file *f, struct content *c)
{
    size_t size;
    if (c->size != UNKNOWN_SIZE)
        return;
    bool known = is_file(f) && cmpd_git_blob_size(d->git, &f->oid, &size, NULL) == CMPD_OK;
    c->size = known && size <= CMPD_RENAME_BLOB_CEILING_BYTES ? (ptrdiff_t)size : -2;
}

static void learn_pieces(struct detection *d, const struct cmpd_rename_file *f, struct content *c)
{
    size_t len = 0;
    CMPD_AUTOFREE char *text = NULL;

    if (c->cut)
        return;
    if (cmpd_git_blob(d->git, &f->oid, CMPD_RENAME_BLOB_CEILING_BYTES, &text, &len, NULL) ==
        CMPD_OK) {
        cmpd_pieces_make(text, len, &c->pieces);
        d->steps += len + 100000;
        d->kept_bytes += c->pieces.count * sizeof *c->pieces.items;
    }
    c->cut = true;
}

static int compare(struct detection *d, size_t from, size_t to, int least)
{
    struct content *a = &d->from_content[from], *b = &d->to_content[to];

    if (d->steps > CMPD_RENAME_STEPS_CEILING || d->kept_bytes > CMPD_RENAME_MEMORY_CEILING_BYTES)
        d->exhausted = true;
    if (d->exhausted)
        return 0;
    learn_size(d, &d->from[from], a);
    learn_size(d, &d->to[to], b);
    d->steps++;
    if (a->size < 0 || b->size < 0 ||
        !cmpd_similarity_possible((size_t)a->size, (size_t)b->size, least))
        return 0;
    learn_pieces(d, &d->from[from], a);
    learn_pieces(d, &d->to[to], b);
    d->steps += a->pieces.count + b->pieces.count;
    return cmpd_similarity(&a->pieces, (size_t)a->size, &b->pieces, (size_t)b->size);
}

/* Step 2: one file of that name on either side. */

struct named {
    const char *name; /* borrowed */
    size_t index;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static size_t open_names(const struct cmpd_rename_file *files, size_t count, struct named *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i].partner < 0)
            out[n++] = (struct named){cmpd_path_base(files[i].path), i};
    }
    qsort(out, n, sizeof *out, by_name);
    return n;
}

static bool unique_at(const struct named *names, size_t count, size_t i)
{
    return (i == 0 || by_name(&names[i - 1], &names[i]) != 0) &&
           (i + 1 == count || by_name(&names[i + 1], &names[i]) != 0);
}

static void match_unique_names(struct detection *d)
{
    CMPD_AUTOFREE struct named *from = cmpd_calloc(d->from_count, sizeof *from);
    CMPD_AUTOFREE struct named *to = cmpd_calloc(d->to_count, sizeof *to);
    size_t from_open = open_names(d->from, d->from_count, from);
    size_t to_open = open_names(d->to, d->to_count, to);

    for (size_t a = 0, b = 0; a < from_open && b < to_open;) {
        int c = by_name(&from[a], &to[b]);
        if (c == 0 && unique_at(from, from_open, a) && unique_at(to, to_open, b) &&
            compare(d, from[a].index, to[b].index, CMPD_SIMILARITY_SAME_NAME) >=
                CMPD_SIMILARITY_SAME_NAME)
            join(d, from[a].index, to[b].index);
        a += c <= 0;
        b += c >= 0;
    }
}

/* Step 3: all that is left, best pairs first. */

/* Above 0: b is the better pair. Unused places are the worst. */
static int better(const struct pair *a, const struct pair *b)
{
    if (a->to < 0 || b->to < 0)
        return a->to < 0 ? b->to >= 0 : -1;
    if (a->score != b->score)
        return b->score - a->score;
    return b->same_name - a->same_name;
}

static void keep_if_better(struct pair kept[BEST_KEPT], struct pair candidate)
{
    int worst = 0;
    for (int i = 1; i < BEST_KEPT; i++) {
        if (better(&kept[i], &kept[worst]) > 0)
            worst = i;
    }
    if (better(&kept[worst], &candidate) > 0)
        kept[worst] = candidate;
}

static void rank_sources(struct detection *d, size_t to, struct pair kept[BEST_KEPT])
{
    for (int i = 0; i < BEST_KEPT; i++)
        kept[i] = (struct pair){.from = -1, .to = -1};
    for (size_t f = 0; f < d->from_count; f++) {
        if (d->from[f].partner >= 0)
            continue;
        int score = compare(d, f, to, CMPD_SIMILARITY_RENAME);
        keep_if_better(kept, (struct pair){(ptrdiff_t)f, (ptrdiff_t)to, score,
                                           same_name(&d->from[f], &d->to[to])});
    }
    struct content *c = &d->to_content[to];
    d->kept_bytes -= c->pieces.count * sizeof *c->pieces.items;
    cmpd_pieces_clear(&c->pieces);
}

struct ranked {
    struct pair pair;
    size_t place; /* keeps the sort stable */
};

static int by_rank(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    int c = better(&a->pair, &b->pair);
    return c ? c : (a->place > b->place) - (a->place < b->place);
}

static void match_best(struct detection *d, size_t open_to)
{
    CMPD_AUTOFREE struct ranked *all = cmpd_calloc(open_to * BEST_KEPT, sizeof *all);
    size_t count = 0;

    for (size_t t = 0; t < d->to_count; t++) {
        struct pair kept[BEST_KEPT];
        if (d->to[t].partner >= 0)
            continue;
        rank_sources(d, t, kept);
        for (int i = 0; i < BEST_KEPT; i++, count++)
            all[count] = (struct ranked){kept[i], count};
    }
    if (d->exhausted)
        return;
    qsort(all, count, sizeof *all, by_rank);
    for (size_t i = 0; i < count; i++) {
        const struct pair *p = &all[i].pair;
        if (p->to < 0 || p->score < CMPD_SIMILARITY_RENAME)
            break;
        if (d->to[p->to].partner < 0 && d->from[p->from].partner < 0)
            join(d, (size_t)p->from, (size_t)p->to);
    }
}

static size_t count_open(const struct cmpd_rename_file *files, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += files[i].partner < 0;
    return n;
}

static bool any_open(const struct cmpd_rename_file *files, size_t count,
                     bool (*wanted)(const char *path))
{
    for (size_t i = 0; i < count; i++) {
        if (files[i].partner < 0 && wanted(files[i].path))
            return true;
    }
    return false;
}

static bool any_wanted(const struct detection *d, bool (*wanted)(const char *path))
{
    return any_open(d->from, d->from_count, wanted) || any_open(d->to, d->to_count, wanted);
}

static struct content *unknown_contents(size_t count)
{
    struct content *c = cmpd_calloc(count, sizeof *c);
    for (size_t i = 0; i < count; i++)
        c[i].size = UNKNOWN_SIZE;
    return c;
}

static void free_contents(struct content *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cmpd_pieces_clear(&c[i].pieces);
    free(c);
}

static void match_inexact(struct detection *d, bool *cut)
{
    match_unique_names(d);
    size_t from = count_open(d->from, d->from_count), to = count_open(d->to, d->to_count);
    if (from == 0 || to == 0)
        return;
    /* Git's diff.renameLimit: a square of that side. */
    if (from * to > (size_t)CMPD_RENAME_LIMIT * CMPD_RENAME_LIMIT)
        *cut = true;
    else
        match_best(d, to);
    *cut = *cut || d->exhausted;
}

void cmpd_git_find_renames(struct cmpd_git *git, struct cmpd_rename_file *deleted,
                           size_t deleted_count, struct cmpd_rename_file *added, size_t added_count,
                           bool (*wanted)(const char *path), bool *cut)
{
    struct detection d = {.git = git,
                          .from = deleted,
                          .to = added,
                          .from_count = deleted_count,
                          .to_count = added_count};
    *cut = false;
    for (size_t i = 0; i < deleted_count; i++)
        deleted[i].partner = -1;
    for (size_t i = 0; i < added_count; i++)
        added[i].partner = -1;
    if (deleted_count == 0 || added_count == 0)
        return;
    match_equal(&d);
    if (any_wanted(&d, wanted)) {
        d.from_content = unknown_contents(deleted_count);
        d.to_content = unknown_contents(added_count);
        match_inexact(&d, cut);
        free_contents(d.from_content, deleted_count);
        free_contents(d.to_content, added_count);
    }
}
