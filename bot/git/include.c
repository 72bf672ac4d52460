#include "bot/git/include.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "bot/git/path.h"

/* What one file includes, as indexes into the map's nodes. */
struct node {
    const struct cmpd_git_file *file; /* borrowed from the tree; NULL: gone */
    const char *path;                 /* borrowed */
    size_t *includes;                 /* owned */
    size_t count, cap;
    bool read;
    size_t visit; /* number of the walk that saw it last */
};

struct cmpd_includes {
    struct cmpd_git *git;             /* borrowed */
    const struct cmpd_git_tree *tree; /* borrowed */
    const struct cmpd_strings *dirs;  /* borrowed */
    const char *const *gone;          /* borrowed */
    struct node *nodes;               /* owned; the tree's files, then the gone ones */
    size_t node_count;
    size_t *by_name; /* owned; nodes in the order of their last names */
    uint64_t read_bytes;
    size_t visits;
};

static int by_last_name(const void *pa, const void *pb, void *nodes)
{
    const struct node *a = (const struct node *)nodes + *(const size_t *)pa;
    const struct node *b = (const struct node *)nodes + *(const size_t *)pb;
    int c = strcmp(cmpd_path_base(a->path), cmpd_path_base(b->path));
    return c ? c : (a > b) - (a < b);
}

static void sort_names(struct cmpd_includes *inc)
{
    inc->by_name = cmpd_calloc(inc->node_count, sizeof *inc->by_name);
    for (size_t i = 0; i < inc->node_count; i++)
        inc->by_name[i] = i;
    qsort_r(inc->by_name, inc->node_count, sizeof *inc->by_name, by_last_name, inc->nodes);
}

struct cmpd_includes *cmpd_includes_new(struct cmpd_git *git, const struct cmpd_git_tree *tree,
                                        const struct cmpd_strings *dirs, const char *const *gone,
                                        size_t gone_count)
{
    struct cmpd_includes *inc = cmpd_calloc(1, sizeof *inc);

    inc->git = git;
    inc->tree = tree;
    inc->dirs = dirs;
    inc->gone = gone;
    inc->node_count = tree->count + gone_count;
    inc->nodes = cmpd_calloc(inc->node_count, sizeof *inc->nodes);
    for (size_t i = 0; i < tree->count; i++) {
        inc->nodes[i].file = &tree->files[i];
        inc->nodes[i].path = tree->files[i].path;
    }
    for (size_t i = 0; i < gone_count; i++)
        inc->nodes[tree->count + i] = (struct node){.path = gone[i], .read = true};
    sort_names(inc);
    return inc;
}

void cmpd_includes_free(struct cmpd_includes *inc)
{
    if (!inc)
        return;
    for (size_t i = 0; i < inc->node_count; i++)
        free(inc->nodes[i].includes);
    free(inc->nodes);
    free(inc->by_name);
    free(inc);
}

static int compare_strings(const void *key, const void *element)
{
    return strcmp(key, *(const char *const *)element);
}

/* Index of the node at the path, -1 when no regular file stands there. */
static ptrdiff_t node_at(const struct cmpd_includes *inc, const char *path)
{
    const struct cmpd_git_file *f = cmpd_git_tree_find(inc->tree, path);
    size_t gone_count = inc->node_count - inc->tree->count;

    if (f)
        return cmpd_git_mode_is_file(f->mode) ? f - inc->tree->files : -1;
    if (gone_count == 0)
        return -1;
    const char *const *g = bsearch(path, inc->gone, gone_count, sizeof *inc->gone, compare_strings);
    return g ? (ptrdiff_t)inc->tree->count + (g - inc->gone) : -1;
}

static ptrdiff_t try_dir(const struct cmpd_includes *inc, const char *dir, const char *name,
                         size_t len)
{
    CMPD_AUTOFREE char *path = cmpd_path_join(dir, name, len);
    return path ? node_at(inc, path) : -1;
}

struct reading {
    struct cmpd_includes *inc;
    size_t at;
    const char *dir;
};

static void add_include(struct node *n, size_t found)
{
    CMPD_GROW(n->includes, n->count + 1, n->cap);
    n->includes[n->count++] = found;
}

/* The first place in by_name whose last name is not below `name`. */
static size_t first_named(const struct cmpd_includes *inc, const char *name)
{
    size_t low = 0, high = inc->node_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (strcmp(cmpd_path_base(inc->nodes[inc->by_name[mid]].path), name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool path_ends_in(const char *path, const char *name)
{
    size_t n = strlen(path), m = strlen(name);
    return n >= m && strcmp(path + n - m, name) == 0 && (n == m || path[n - m - 1] == '/');
}

static void add_all_that_end_so(struct cmpd_includes *inc, struct node *n, const char *name,
                                size_t len)
{
    while (len > 3 && memcmp(name, "../", 3) == 0) {
        name += 3;
        len -= 3;
    }
    CMPD_AUTOFREE char *tail = cmpd_path_join("", name, len);
    if (!tail)
        return;
    const char *last = cmpd_path_base(tail);
    for (size_t i = first_named(inc, last); i < inc->node_count; i++) {
        const struct node *other = &inc->nodes[inc->by_name[i]];
        if (strcmp(cmpd_path_base(other->path), last) != 0)
            return;
        bool readable = !other->file || cmpd_git_mode_is_file(other->file->mode);
        if (readable && path_ends_in(other->path, tail))
            add_include(n, inc->by_name[i]);
    }
}

static void on_include(void *ctx, const char *name, size_t len, bool angle)
{
    struct reading *r = ctx;
    struct node *n = &r->inc->nodes[r->at];
    ptrdiff_t found = angle ? -1 : try_dir(r->inc, r->dir, name, len);

    for (size_t i = 0; found < 0 && i < r->inc->dirs->count; i++)
        found = try_dir(r->inc, r->inc->dirs->items[i], name, len);
    if (found >= 0)
        add_include(n, (size_t)found);
    else
        add_all_that_end_so(r->inc, n, name, len);
}

/* Content that can't be had (too long, missing) includes nothing; judging that file says why. */
static cmpd_rc read_node(struct cmpd_includes *inc, size_t at, struct cmpd_err *err)
{
    struct node *n = &inc->nodes[at];
    CMPD_AUTOFREE char *text = NULL;
    size_t len = 0;

    if (n->read)
        return CMPD_OK;
    n->read = true;
    if (!cmpd_git_mode_is_file(n->file->mode) ||
        cmpd_git_blob(inc->git, &n->file->oid, CMPD_SOURCE_CEILING_BYTES, &text, &len, NULL) !=
            CMPD_OK)
        return CMPD_OK;
    inc->read_bytes += len;
    if (inc->read_bytes > CMPD_INCLUDE_SCAN_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT,
                            "the tree holds more code than is read to find who includes what "
                            "(%llu bytes)",
                            (unsigned long long)CMPD_INCLUDE_SCAN_CEILING_BYTES);
    CMPD_AUTOFREE char *dir = cmpd_path_dir(n->path);
    struct reading r = {inc, at, dir};
    cmpd_include_scan(text, len, on_include, &r);
    return CMPD_OK;
}

/* Walks from a node; visit(ctx, node) false ends the walk. */
static cmpd_rc walk(struct cmpd_includes *inc, size_t start,
                    bool (*visit)(void *ctx, const struct node *n), void *ctx, struct cmpd_err *err)
{
    size_t *todo = NULL, count = 0, cap = 0, number = ++inc->visits;
    cmpd_rc rc = CMPD_OK;

    CMPD_GROW(todo, 1, cap);
    todo[count++] = start;
    inc->nodes[start].visit = number;
    while (count && rc == CMPD_OK) {
        size_t at = todo[--count];
        if (!visit(ctx, &inc->nodes[at]))
            break;
        rc = read_node(inc, at, err);
        for (size_t i = 0; rc == CMPD_OK && i < inc->nodes[at].count; i++) {
            size_t next = inc->nodes[at].includes[i];
            if (inc->nodes[next].visit == number)
                continue;
            inc->nodes[next].visit = number;
            CMPD_GROW(todo, count + 1, cap);
            todo[count++] = next;
        }
    }
    free(todo);
    return rc;
}

struct search {
    const char *self;
    const char *const *wanted;
    size_t wanted_count;
    const char *via;
};

static bool is_wanted(void *ctx, const struct node *n)
{
    struct search *s = ctx;

    if (n->path == s->self)
        return true;
    const char *const *hit = bsearch(n->path, s->wanted, s->wanted_count, sizeof *s->wanted,
                                     compare_strings);
    if (hit)
        s->via = *hit;
    return !hit;
}

cmpd_rc cmpd_includes_reach(struct cmpd_includes *inc, const char *path, const char *const *wanted,
                            size_t wanted_count, const char **via, struct cmpd_err *err)
{
    ptrdiff_t start = node_at(inc, path);
    struct search s = {NULL, wanted, wanted_count, NULL};

    *via = NULL;
    if (start < 0 || wanted_count == 0)
        return CMPD_OK;
    s.self = inc->nodes[start].path;
    cmpd_rc rc = walk(inc, (size_t)start, is_wanted, &s, err);
    *via = s.via;
    return rc;
}

struct closure {
    cmpd_rc (*each)(void *ctx, const struct cmpd_git_file *file, struct cmpd_err *err);
    void *ctx;
    struct cmpd_err *err;
    cmpd_rc rc;
};

static bool pass_on(void *ctx, const struct node *n)
{
    struct closure *c = ctx;

    if (n->file)
        c->rc = c->each(c->ctx, n->file, c->err);
    return c->rc == CMPD_OK;
}

cmpd_rc cmpd_includes_closure(struct cmpd_includes *inc, const char *path,
                              cmpd_rc (*each)(void *ctx, const struct cmpd_git_file *file,
                                              struct cmpd_err *err),
                              void *ctx, struct cmpd_err *err)
{
    ptrdiff_t start = node_at(inc, path);
    struct closure c = {each, ctx, err, CMPD_OK};

    if (start < 0)
        return CMPD_OK;
    cmpd_rc rc = walk(inc, (size_t)start, pass_on, &c, err);
    return rc != CMPD_OK ? rc : c.rc;
}

static void add_dirs(const struct cmpd_nvcc *nvcc, size_t count, struct cmpd_strings *out)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < nvcc[i].include.count; k++) {
            const char *dir = nvcc[i].include.items[k];
            size_t known = 0;
            while (known < out->count && strcmp(out->items[known], dir) != 0)
                known++;
            if (known < out->count || dir[0] == '/')
                continue;
            CMPD_GROW(out->items, out->count + 1, out->cap);
            out->items[out->count++] = cmpd_strdup(dir);
        }
    }
}

void cmpd_include_dirs(const struct cmpd_policy *policy, struct cmpd_strings *out)
{
    *out = (struct cmpd_strings){0};
    add_dirs(policy->nvcc, policy->nvcc_count, out);
    for (size_t i = 0; i < policy->kernel_count; i++)
        add_dirs(policy->kernels[i].nvcc, policy->kernels[i].nvcc_count, out);
}

void cmpd_include_dirs_clear(struct cmpd_strings *dirs)
{
    for (size_t i = 0; i < dirs->count; i++)
        free(dirs->items[i]);
    free(dirs->items);
    *dirs = (struct cmpd_strings){0};
}
