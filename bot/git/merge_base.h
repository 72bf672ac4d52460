/* The commit that two lines of history have in common. */
#ifndef CMPD_BOT_GIT_MERGE_BASE_H
#define CMPD_BOT_GIT_MERGE_BASE_H

#include "bot/git/repo.h"

/*
 * The best common ancestor (the most recent one where there are several, as `git diff A...B` takes it).
 * CMPD_ENOENT: none; for a shallow clone the message says how to get the missing history.
 */
cmpd_rc cmpd_git_merge_base(struct cmpd_git *git, const git_oid *base, const git_oid *head,
                            git_oid *out, struct cmpd_err *err);

#endif
