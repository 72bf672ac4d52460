/*
 * Which of the deleted files an added file came from, by the steps of git's
 * rename detection with its defaults (`git diff -M`): equal content first,
 * then a name that is unique on both sides, then the best pairs of all that is
 * left, if these are not too many.
 */
#ifndef CMPD_BOT_GIT_RENAME_H
#define CMPD_BOT_GIT_RENAME_H

#include <stdbool.h>
#include <stddef.h>

#include "bot/git/repo.h"

/* One side of a possible rename; both lists are sorted by path. */
struct cmpd_rename_file {
    const char *path; /* borrowed */
    git_filemode_t mode;
    git_oid oid;
    ptrdiff_t partner; /* out: index in the other list, -1: none */
};

/*
 * Fills `partner` on both sides. `wanted` says for which files the answer matters: where all of these are settled
 * early, the costly step is left out. *cut is set when there were too many candidates or too much to compare; the rest
 * then counts as deleted and added, which judges more, never less.
 */
void cmpd_git_find_renames(struct cmpd_git *git, struct cmpd_rename_file *deleted,
                           size_t deleted_count, struct cmpd_rename_file *added, size_t added_count,
                           bool (*wanted)(const char *path), bool *cut);

#endif
