/*
 * Headers of the repository, as the preprocessor asks for them. Who judges a file says how a
 * header's bytes are read: from disk below a root, or from a commit's tree.
 */
#ifndef CMPD_ANALYSIS_TEXT_HEADER_H
#define CMPD_ANALYSIS_TEXT_HEADER_H

#include <stdbool.h>
#include <stddef.h>

struct cmpd_headers {
    /*
     * MUST: the bytes of the regular file at `path` (relative to the root, normalised: no "..", no
     * "."), malloc'ed and NUL-terminated behind *len; false where there is none, it is longer than
     * the ceiling, or a link is on the way. Called from the thread that judges; several may call at
     * once.
     */
    bool (*read)(void *ctx, const char *path, size_t ceiling_bytes, char **text, size_t *len);
    void *ctx;
    const char *file;           /* borrowed: the judged file, relative to the root */
    const char *const *include; /* borrowed: include folders, relative to the root */
    size_t include_count;
};

/* A `read` for a folder on disk: ctx is its path, a `const char *`. Links are not followed. */
bool cmpd_header_read_disk(void *ctx, const char *path, size_t ceiling_bytes, char **text,
                           size_t *len);

/*
 * Finds what `#include "name"` (or <name>, `angle`) in the file `from` means: beside that file, then
 * in the include folders. On true *path (normalised), *text and *len are set, the caller's to free.
 */
bool cmpd_header_find(const struct cmpd_headers *headers, const char *from, const char *name,
                      bool angle, size_t ceiling_bytes, char **path, char **text, size_t *len);

#endif
