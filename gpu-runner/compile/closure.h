/*
 * The headers of the repository that a file may include, found by reading #include lines: which of
 * them lead out of the repository, which folders the compiler needs to be told, and through which
 * line of the file each header came in. It reads more than the compiler does (both sides of every
 * #if), never less, but for `#include MACRO`, which it can only notice.
 */
#ifndef CMPD_GPU_RUNNER_CLOSURE_H
#define CMPD_GPU_RUNNER_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"
#include "analysis/verdict/policy.h"

struct cmpd_closure_file {
    char *path; /* owned; relative to the root, normalised */
    uint32_t
        main_line; /* 1-based line of the file's own #include that leads here; 0: the file itself */
};

struct cmpd_closure {
    struct cmpd_closure_file *files; /* owned; the file itself first */
    size_t count, cap;
    struct cmpd_strings
        found_dirs; /* owned; folders outside the given include path where headers were found */
    struct cmpd_strings conditions; /* owned; macros on which it hangs which headers are included */
    bool ambiguous;        /* a header of found_dirs exists more than once: the choice is a guess */
    bool computed;         /* an #include of a macro: what it names is not known here */
    char *refused;         /* owned; NULL: nothing. Why this must not be compiled, one sentence */
    uint32_t refused_line; /* 1-based, in the file; 0: unknown */
    char digest[65];       /* of how names were resolved (not of contents) */
};

/*
 * `root` is absolute, `file` relative to it. `toolkit` is the folder that holds bin/nvcc. Text that
 * does not lie in the repository is never opened. CMPD_ENOENT, CMPD_EINPUT and CMPD_EIO for the
 * file itself.
 */
cmpd_rc cmpd_closure_scan(const char *root, const char *file, const struct cmpd_strings *include,
                          const char *toolkit, struct cmpd_closure *out, struct cmpd_err *err);
void cmpd_closure_clear(struct cmpd_closure *c);

/* The row of a header, by path relative to the root; NULL: not of the closure. */
const struct cmpd_closure_file *cmpd_closure_find(const struct cmpd_closure *c, const char *path);

/* nvcc hands its arguments to a shell: may this path be one? */
bool cmpd_nvcc_path_ok(const char *path);

/* "./a/../b//c" -> "b/c"; NULL where it climbs above its start or is absolute. Caller owns. */
char *cmpd_path_normalise(const char *path);

#endif
