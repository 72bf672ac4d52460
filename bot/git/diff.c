#include "bot/git/diff.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "bot/git/path.h"
#include "bot/git/rename.h"

const char *cmpd_git_change_path(const struct cmpd_git_change *change)
{
    return change->to.path ? change->to.path : change->from.path;
}

static void clear_side(struct cmpd_git_side *side)
{
    free(side->path);
    *side = (struct cmpd_git_side){0};
}

void cmpd_git_diff_clear(struct cmpd_git_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        clear_side(&diff->items[i].from);
        clear_side(&diff->items[i].to);
    }
    free(diff->items);
    *diff = (struct cmpd_git_diff){0};
}

static struct cmpd_git_side side_of(const git_diff_file *file)
{
    return (struct cmpd_git_side){cmpd_strdup(file->path), (git_filemode_t)file->mode, file->id};
}

static enum cmpd_change_status status_of(const git_diff_delta *d)
{
    bool old_module = d->old_file.mode == GIT_FILEMODE_COMMIT;
    bool new_module = d->new_file.mode == GIT_FILEMODE_COMMIT;

    switch (d->status) {
    case GIT_DELTA_ADDED:
        return new_module ? CMPD_CHANGE_SUBMODULE : CMPD_CHANGE_ADDED;
    case GIT_DELTA_DELETED:
        return old_module ? CMPD_CHANGE_SUBMODULE : CMPD_CHANGE_DELETED;
    case GIT_DELTA_TYPECHANGE:
        return CMPD_CHANGE_TYPE;
    default:
        if (new_module)
            return CMPD_CHANGE_SUBMODULE;
        return git_oid_equal(&d->old_file.id, &d->new_file.id) ? CMPD_CHANGE_MODE
                                                               : CMPD_CHANGE_MODIFIED;
    }
}

static void add_delta(struct cmpd_git_diff *out, const git_diff_delta *d)
{
    struct cmpd_git_change c = {.status = status_of(d)};

    if (d->status != GIT_DELTA_ADDED)
        c.from = side_of(&d->old_file);
    if (d->status != GIT_DELTA_DELETED)
        c.to = side_of(&d->new_file);
    CMPD_GROW(out->items, out->count + 1, out->cap);
    out->items[out->count++] = c;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(cmpd_git_change_path(a), cmpd_git_change_path(b));
}

static cmpd_rc list_deltas(struct cmpd_git *git, git_tree *old_tree, git_tree *new_tree,
                           struct cmpd_git_diff *out, struct cmpd_err *err)
{
    git_diff_options opt;
    git_diff *diff = NULL;

    git_diff_options_init(&opt, GIT_DIFF_OPTIONS_VERSION);
    opt.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
    opt.ignore_submodules = GIT_SUBMODULE_IGNORE_NONE;
    if (git_diff_tree_to_tree(&diff, git->repo, old_tree, new_tree, &opt) < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot compare the trees of %s: %s", git->shown,
                            cmpd_git_last_message());
    size_t count = git_diff_num_deltas(diff);
    cmpd_rc rc = CMPD_OK;
    if (count > CMPD_DIFF_FILES_CEILING)
        rc = cmpd_err_set(err, CMPD_ELIMIT, "the change touches %zu files; at most %zu are read",
                          count, CMPD_DIFF_FILES_CEILING);
    for (size_t i = 0; rc == CMPD_OK && i < count; i++)
        add_delta(out, git_diff_get_delta(diff, i));
    git_diff_free(diff);
    return rc;
}

/* The changes with just one side, as the rename detection wants them. `places` leads back. */
static size_t one_sided(const struct cmpd_git_diff *diff, bool added,
                        struct cmpd_rename_file *files, size_t *places)
{
    size_t n = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct cmpd_git_change *c = &diff->items[i];
        const struct cmpd_git_side *here = added ? &c->to : &c->from;
        const struct cmpd_git_side *there = added ? &c->from : &c->to;
        if (!here->path || there->path)
            continue;
        files[n] = (struct cmpd_rename_file){here->path, here->mode, here->oid, -1};
        places[n++] = i;
    }
    return n;
}

/* Moves the deleted file's side into the added file's change and drops those that were emptied. */
static void merge_renames(struct cmpd_git_diff *diff, const struct cmpd_rename_file *added,
                          size_t added_count, const size_t *added_at, const size_t *deleted_at)
{
    for (size_t i = 0; i < added_count; i++) {
        if (added[i].partner < 0)
            continue;
        struct cmpd_git_change *to = &diff->items[added_at[i]];
        struct cmpd_git_change *from = &diff->items[deleted_at[added[i].partner]];
        to->from = from->from;
        if (to->status == CMPD_CHANGE_ADDED)
            to->status = CMPD_CHANGE_RENAMED;
        from->from = (struct cmpd_git_side){0};
    }
    size_t kept = 0;
    for (size_t i = 0; i < diff->count; i++) {
        if (cmpd_git_change_path(&diff->items[i]))
            diff->items[kept++] = diff->items[i];
    }
    diff->count = kept;
}

static void follow_renames(struct cmpd_git *git, struct cmpd_git_diff *diff)
{
    CMPD_AUTOFREE struct cmpd_rename_file *deleted = cmpd_calloc(diff->count, sizeof *deleted);
    CMPD_AUTOFREE struct cmpd_rename_file *added = cmpd_calloc(diff->count, sizeof *added);
    CMPD_AUTOFREE size_t *deleted_at = cmpd_calloc(diff->count, sizeof *deleted_at);
    CMPD_AUTOFREE size_t *added_at = cmpd_calloc(diff->count, sizeof *added_at);
    size_t deleted_count = one_sided(diff, false, deleted, deleted_at);
    size_t added_count = one_sided(diff, true, added, added_at);

    cmpd_git_find_renames(git, deleted, deleted_count, added, added_count, cmpd_path_is_cuda,
                          &diff->renames_cut);
    merge_renames(diff, added, added_count, added_at, deleted_at);
}

cmpd_rc cmpd_git_diff(struct cmpd_git *git, const git_oid *old_tree, const git_oid *new_tree,
                      struct cmpd_git_diff *out, struct cmpd_err *err)
{
    git_tree *a = NULL, *b = NULL;
    struct cmpd_git_diff diff = {0};
    cmpd_rc rc;

    if (git_tree_lookup(&a, git->repo, old_tree) < 0 ||
        git_tree_lookup(&b, git->repo, new_tree) < 0)
        rc = cmpd_err_set(err, CMPD_EIO, "cannot read a tree of %s: %s", git->shown,
                          cmpd_git_last_message());
    else
        rc = list_deltas(git, a, b, &diff, err);
    git_tree_free(a);
    git_tree_free(b);
    if (rc != CMPD_OK) {
        cmpd_git_diff_clear(&diff);
        return rc;
    }
    /* Trees are ordered by bytes with folders as "name/": plain order of whole paths. */
    if (diff.count > 1)
        qsort(diff.items, diff.count, sizeof *diff.items, by_path);
    follow_renames(git, &diff);
    *out = diff;
    return CMPD_OK;
}
