#include "bot/git/tree.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"

static int on_entry(const char *root, const git_tree_entry *entry, void *payload)
{
    struct cmpd_git_tree *tree = payload;

    if (git_tree_entry_type(entry) == GIT_OBJECT_TREE)
        return 0;
    if (tree->count >= CMPD_TREE_ENTRIES_CEILING)
        return GIT_EUSER;
    CMPD_GROW(tree->files, tree->count + 1, tree->cap);
    struct cmpd_git_file *f = &tree->files[tree->count++];
    f->path = cmpd_asprintf("%s%s", root, git_tree_entry_name(entry));
    f->mode = git_tree_entry_filemode(entry);
    git_oid_cpy(&f->oid, git_tree_entry_id(entry));
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct cmpd_git_file *)a)->path, ((const struct cmpd_git_file *)b)->path);
}

cmpd_rc cmpd_git_tree_list(struct cmpd_git *git, const git_oid *id, struct cmpd_git_tree *out,
                           struct cmpd_err *err)
{
    struct cmpd_git_tree list = {0};
    git_tree *tree = NULL;

    int code = git_tree_lookup(&tree, git->repo, id);
    if (code == 0)
        code = git_tree_walk(tree, GIT_TREEWALK_PRE, on_entry, &list);
    git_tree_free(tree);
    if (code < 0) {
        cmpd_git_tree_clear(&list);
        if (code == GIT_EUSER)
            return cmpd_err_set(err, CMPD_ELIMIT, "the tree holds over %zu files",
                                CMPD_TREE_ENTRIES_CEILING);
        return cmpd_err_set(err, CMPD_EIO, "cannot read the tree %s of %s: %s", git_oid_tostr_s(id),
                            git->shown, cmpd_git_last_message());
    }
    if (list.count > 1)
        qsort(list.files, list.count, sizeof *list.files, by_path);
    *out = list;
    return CMPD_OK;
}

void cmpd_git_tree_clear(struct cmpd_git_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        free(tree->files[i].path);
    free(tree->files);
    *tree = (struct cmpd_git_tree){0};
}

const struct cmpd_git_file *cmpd_git_tree_find(const struct cmpd_git_tree *tree, const char *path)
{
    size_t low = 0, high = tree->count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = strcmp(tree->files[mid].path, path);
        if (c == 0)
            return &tree->files[mid];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}
