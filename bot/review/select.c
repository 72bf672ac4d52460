/* Which files of a change are judged or listed. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/git/path.h"
#include "bot/review/review.h"

static bool is_code_change(const struct cmpd_git_change *c)
{
    return cmpd_path_is_code(cmpd_git_change_path(c)) ||
           (c->from.path && cmpd_path_is_code(c->from.path));
}

bool cmpd_review_relevant(const struct cmpd_review *rv, const struct cmpd_policy *policy)
{
    for (size_t i = 0; i < rv->diff.count; i++) {
        const struct cmpd_git_change *c = &rv->diff.items[i];
        if (is_code_change(c) || c->status == CMPD_CHANGE_SUBMODULE ||
            cmpd_review_judges(policy, c))
            return true;
    }
    return false;
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts and drops repeats; returns the new count. */
static size_t sort_strings(const char **list, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(list, count, sizeof *list, by_string);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || strcmp(list[kept - 1], list[i]) != 0)
            list[kept++] = list[i];
    }
    return kept;
}

/* Old paths of code that nothing stands at any more: an include of one still leads to a changed file. */
static void list_gone(struct cmpd_review *rv)
{
    rv->gone = cmpd_calloc(rv->diff.count, sizeof *rv->gone);
    for (size_t i = 0; i < rv->diff.count; i++) {
        const char *from = rv->diff.items[i].from.path;
        if (from && cmpd_path_is_code(from) && !cmpd_git_tree_find(&rv->tree, from))
            rv->gone[rv->gone_count++] = from;
    }
    rv->gone_count = sort_strings(rv->gone, rv->gone_count);
}

cmpd_rc cmpd_review_includes(struct cmpd_review *rv, struct cmpd_err *err)
{
    if (rv->includes)
        return CMPD_OK;
    cmpd_rc rc = cmpd_git_tree_list(rv->git, &rv->head.tree, &rv->tree, err);
    if (rc != CMPD_OK)
        return rc;
    cmpd_include_dirs(rv->policy, &rv->include_dirs);
    list_gone(rv);
    rv->includes = cmpd_includes_new(rv->git, &rv->tree, &rv->include_dirs, rv->gone,
                                     rv->gone_count);
    return CMPD_OK;
}

static struct cmpd_review_file *add_file(struct cmpd_review *rv, enum cmpd_change_status status)
{
    CMPD_GROW(rv->files, rv->count + 1, rv->cap);
    struct cmpd_review_file *f = &rv->files[rv->count++];
    *f = (struct cmpd_review_file){.status = status};
    return f;
}

static bool is_cuda_side(const struct cmpd_git_side *side)
{
    return side->path && cmpd_path_is_cuda(side->path);
}

/* Why a changed file is listed but not judged; NULL: it is judged, or fails with a reason of its own. */
static const char *note_for(const struct cmpd_git_change *c)
{
    if (c->status == CMPD_CHANGE_SUBMODULE || c->to.mode == GIT_FILEMODE_COMMIT)
        return "submodule: its content is not reviewed";
    if (!c->to.path)
        return "deleted: nothing to judge";
    if (!is_cuda_side(&c->to) && is_cuda_side(&c->from))
        return "renamed: no CUDA file any more, not judged";
    return NULL;
}

static void select_change(struct cmpd_review *rv, const struct cmpd_git_change *c)
{
    bool judges = cmpd_review_judges(rv->policy, c);
    bool cuda = is_cuda_side(&c->to) || is_cuda_side(&c->from);

    if (!judges && !cuda && c->status != CMPD_CHANGE_SUBMODULE)
        return;
    struct cmpd_review_file *f = add_file(rv, c->status);
    f->from = c->from.path ? &c->from : NULL;
    f->to = c->to.path ? &c->to : NULL;
    f->policy_changed = judges;
    f->note = note_for(c);
    f->cuda = is_cuda_side(&c->to) && !f->note;
}

/* All paths that the change touches and that code may include. Caller frees the array. */
static const char **changed_code(const struct cmpd_review *rv, size_t *count)
{
    const char **list = cmpd_calloc(rv->diff.count * 2, sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < rv->diff.count; i++) {
        const struct cmpd_git_change *c = &rv->diff.items[i];
        if (c->to.path && cmpd_path_is_code(c->to.path))
            list[n++] = c->to.path;
        if (c->from.path && cmpd_path_is_code(c->from.path))
            list[n++] = c->from.path;
    }
    *count = sort_strings(list, n);
    return list;
}

/* Is it CUDA source of its own, not touched by the change? */
static bool may_be_includer(const struct cmpd_git_file *file, const char *const *changed,
                            size_t changed_count)
{
    const char *dot = strrchr(file->path, '.');
    return cmpd_git_mode_is_file(file->mode) && dot && strcmp(dot, ".cu") == 0 &&
           !bsearch(&file->path, changed, changed_count, sizeof *changed, by_string);
}

static cmpd_rc select_includers(struct cmpd_review *rv, struct cmpd_err *err)
{
    size_t changed_count;
    CMPD_AUTOFREE const char **changed = changed_code(rv, &changed_count);
    cmpd_rc rc = changed_count ? cmpd_review_includes(rv, err) : CMPD_OK;

    for (size_t i = 0; rc == CMPD_OK && i < rv->tree.count; i++) {
        const struct cmpd_git_file *file = &rv->tree.files[i];
        const char *via = NULL;
        if (!may_be_includer(file, changed, changed_count))
            continue;
        rc = cmpd_includes_reach(rv->includes, file->path, changed, changed_count, &via, err);
        if (rc != CMPD_OK || !via)
            continue;
        struct cmpd_review_file *f = add_file(rv, CMPD_CHANGE_INCLUDER);
        f->own = (struct cmpd_git_side){cmpd_strdup(file->path), file->mode, file->oid};
        f->via = via;
        f->cuda = true;
    }
    return rc;
}

static const char *path_of(const struct cmpd_review_file *f)
{
    return f->status == CMPD_CHANGE_INCLUDER ? f->own.path : f->to ? f->to->path : f->from->path;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(path_of(a), path_of(b));
}

cmpd_rc cmpd_review_select(struct cmpd_review *rv, struct cmpd_err *err)
{
    for (size_t i = 0; i < rv->diff.count; i++)
        select_change(rv, &rv->diff.items[i]);
    cmpd_rc rc = select_includers(rv, err);
    if (rc != CMPD_OK)
        return rc;
    if (rv->count > 1)
        qsort(rv->files, rv->count, sizeof *rv->files, by_path);
    for (size_t i = 0; i < rv->count; i++) {
        if (rv->files[i].status == CMPD_CHANGE_INCLUDER)
            rv->files[i].from = rv->files[i].to = &rv->files[i].own;
    }
    return CMPD_OK;
}
