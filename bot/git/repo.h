/*
 * A repository as a review sees it: objects alone. The work tree, the index,
 * attributes and the user's diff settings are never looked at.
 */
#ifndef CMPD_BOT_GIT_REPO_H
#define CMPD_BOT_GIT_REPO_H

#include <git2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/err.h"

struct cmpd_git {
    git_repository *repo; /* owned */
    git_odb *odb;         /* owned */
    bool shallow;         /* history was cut when the repository was cloned */
    char *shown;          /* owned; how messages name it */
    pthread_mutex_t lock; /* held while objects are read: workers share the repository */
};

/* Readies libgit2; cheap, and safe in several threads at once. What needs no repository calls it. */
void cmpd_git_start(void);

/*
 * Opens the repository that `dir` lies in: bare, with a work tree, or a linked work tree.
 * CMPD_ENOENT: no such folder, or no repository there. CMPD_EIO: it belongs to another user, or can't be read.
 * CMPD_EINPUT: a repository of a kind that can't be read.
 */
cmpd_rc cmpd_git_open(const char *dir, struct cmpd_git **out, struct cmpd_err *err);
void cmpd_git_close(struct cmpd_git *git); /* NULL is fine */

struct cmpd_git_commit {
    git_oid commit;
    git_oid tree;
};

/*
 * The commit that any revision expression means (tags are followed). CMPD_ENOENT names the revision and says why:
 * no such revision, a branch without a commit, several, or no commit.
 */
cmpd_rc cmpd_git_revision(struct cmpd_git *git, const char *rev, struct cmpd_git_commit *out,
                          struct cmpd_err *err);

/* The tree of a commit. CMPD_ENOENT when the object is missing. */
cmpd_rc cmpd_git_commit_of(struct cmpd_git *git, const git_oid *commit, struct cmpd_git_commit *out,
                           struct cmpd_err *err);

/* What stands at a path of a tree. */
struct cmpd_git_entry {
    git_filemode_t mode; /* GIT_FILEMODE_UNREADABLE (0): nothing there */
    git_oid oid;
};
/* Symbolic links on the way are not followed. Fails only when objects are missing (CMPD_EIO). */
cmpd_rc cmpd_git_entry_at(struct cmpd_git *git, const git_oid *tree, const char *path,
                          struct cmpd_git_entry *out, struct cmpd_err *err);

static inline bool cmpd_git_mode_is_file(git_filemode_t mode)
{
    return mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

/*
 * A blob's bytes: *text is NUL-terminated behind *len, caller owns. Safe in several threads at once.
 * CMPD_ELIMIT: over `ceiling` bytes (then nothing was loaded). CMPD_EIO: missing, or not a blob. Messages speak of
 * the blob only, so that callers can put its path in front.
 */
cmpd_rc cmpd_git_blob(struct cmpd_git *git, const git_oid *oid, size_t ceiling, char **text,
                      size_t *len, struct cmpd_err *err);

/* Its size alone. */
cmpd_rc cmpd_git_blob_size(struct cmpd_git *git, const git_oid *oid, size_t *size,
                           struct cmpd_err *err);

/* The last message of libgit2 for this thread; static or borrowed until the next call. */
const char *cmpd_git_last_message(void);

/* `CMPD_GIT_AUTO struct cmpd_git *git = NULL;` closes it at the end of the scope. */
static inline void cmpd_git_close_at(struct cmpd_git **git)
{
    cmpd_git_close(*git);
}
#define CMPD_GIT_AUTO __attribute__((cleanup(cmpd_git_close_at)))

#endif
