/*
 * Who includes what in one tree, from the #include lines alone: conditions
 * are taken as true, so that a file is rather read once too often than
 * missed. Includes spelt by a macro are not followed.
 *
 * "name" is looked for beside the includer, then in the include folders;
 * <name> in the include folders. A name found in neither place stands for
 * every file of the tree whose path ends in it, since build systems know
 * folders that nobody told us of. Only regular files inside the tree count:
 * links are not followed.
 */
#ifndef CMPD_BOT_GIT_INCLUDE_H
#define CMPD_BOT_GIT_INCLUDE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/verdict/policy.h"
#include "bot/git/tree.h"

/* Calls found(ctx, name, name_len, angle) for each #include of the text. */
void cmpd_include_scan(const char *text, size_t len,
                       void (*found)(void *ctx, const char *name, size_t name_len, bool angle),
                       void *ctx);

struct cmpd_includes;

/*
 * A map that reads files as it is asked. `tree` and `dirs` (relative to the root; may hold "" or ".") are borrowed.
 * `gone` are paths that the tree no longer has and that count as there all the same (deleted by the change): an
 * include of one is found, with nothing behind it. Borrowed, ascending.
 */
struct cmpd_includes *cmpd_includes_new(struct cmpd_git *git, const struct cmpd_git_tree *tree,
                                        const struct cmpd_strings *dirs, const char *const *gone,
                                        size_t gone_count);
void cmpd_includes_free(struct cmpd_includes *inc);

/*
 * The first of the `wanted` paths (ascending) that the file includes, directly or through others; *via is borrowed from
 * `wanted`, NULL if there is none. CMPD_ELIMIT: CMPD_INCLUDE_SCAN_CEILING_BYTES were read.
 */
cmpd_rc cmpd_includes_reach(struct cmpd_includes *inc, const char *path, const char *const *wanted,
                            size_t wanted_count, const char **via, struct cmpd_err *err);

/* Calls each(ctx, file) once for the file itself and for every regular file of the tree that it includes. */
cmpd_rc cmpd_includes_closure(struct cmpd_includes *inc, const char *path,
                              cmpd_rc (*each)(void *ctx, const struct cmpd_git_file *file,
                                              struct cmpd_err *err),
                              void *ctx, struct cmpd_err *err);

/* The include folders that a policy names anywhere, each once. Free with cmpd_include_dirs_clear. */
void cmpd_include_dirs(const struct cmpd_policy *policy, struct cmpd_strings *out);
void cmpd_include_dirs_clear(struct cmpd_strings *dirs);

#endif
