/*
 * Writes what a compiler needs of a tree into a folder of our own: files of a
 * tree with all that they include, at their paths. Nothing is taken from the
 * work tree. No link is made or followed, and no path can lead out.
 */
#ifndef CMPD_BOT_GIT_TREE_EXPORT_H
#define CMPD_BOT_GIT_TREE_EXPORT_H

#include <stdint.h>

#include "bot/git/include.h"

struct cmpd_export {
    char *root;   /* owned; absolute; a fresh folder that only this user may enter */
    int root_fd;  /* owned */
    size_t files; /* written so far */
    uint64_t bytes;
};

/* Makes the folder below $TMPDIR or /tmp. CMPD_EIO. */
cmpd_rc cmpd_export_begin(struct cmpd_export *out, struct cmpd_err *err);

/*
 * Adds the file at `path` and its include closure; what is there already is left. Not for several threads at once.
 * CMPD_ELIMIT: CMPD_EXPORT_FILES_CEILING, CMPD_EXPORT_CEILING_BYTES, or a file over CMPD_SOURCE_CEILING_BYTES.
 * CMPD_EINPUT: a path that must not be written (".." as a name and the like). CMPD_EIO: writing or reading failed.
 */
cmpd_rc cmpd_export_closure(struct cmpd_export *ex, struct cmpd_git *git, struct cmpd_includes *inc,
                            const char *path, struct cmpd_err *err);

/* Adds every regular file of the tree whose path is wanted; over-long ones are left out. Errors as above. */
cmpd_rc cmpd_export_matching(struct cmpd_export *ex, struct cmpd_git *git,
                             const struct cmpd_git_tree *tree, bool (*wanted)(const char *path),
                             struct cmpd_err *err);

/*
 * Adds the one file at `path` of that tree; an executable one stays executable. What is there already is left.
 * CMPD_ENOENT: the tree has no such file. Errors as above.
 */
cmpd_rc cmpd_export_one(struct cmpd_export *ex, struct cmpd_git *git, const git_oid *tree,
                        const char *path, struct cmpd_err *err);

/* Removes the folder with all that is in it. Safe twice and on a zeroed struct with root_fd -1. */
void cmpd_export_end(struct cmpd_export *ex);

#define CMPD_EXPORT_INIT \
    {                    \
        NULL, -1, 0, 0   \
    }

#endif
