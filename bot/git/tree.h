/* All files of a tree, by path. */
#ifndef CMPD_BOT_GIT_TREE_H
#define CMPD_BOT_GIT_TREE_H

#include "bot/git/repo.h"

struct cmpd_git_file {
    char *path; /* owned; raw bytes */
    git_filemode_t mode;
    git_oid oid;
};

struct cmpd_git_tree {
    struct cmpd_git_file *files; /* owned; ascending by path */
    size_t count, cap;
};

/* CMPD_ELIMIT: over CMPD_TREE_ENTRIES_CEILING files. CMPD_EIO: objects are missing. */
cmpd_rc cmpd_git_tree_list(struct cmpd_git *git, const git_oid *tree, struct cmpd_git_tree *out,
                           struct cmpd_err *err);
void cmpd_git_tree_clear(struct cmpd_git_tree *tree);

/* NULL when there is no file of that path. Borrowed. */
const struct cmpd_git_file *cmpd_git_tree_find(const struct cmpd_git_tree *tree, const char *path);

#endif
