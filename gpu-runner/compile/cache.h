/*
 * The compile cache: ${XDG_CACHE_HOME:-~/.cache}/cmpd/compile.
 *
 * Two levels. The first key is over what is known before compiling: toolkit, flags, the file's
 * bytes, how its includes resolve. Its manifest lists, for each result known, every file that was
 * really read (from nvcc -MD) with its hash; the first whose files are all unchanged names the
 * second key, under which the result lies. Files of the repository are hashed anew at each look-up;
 * those of the toolkit and the system only when size, time or inode differ. Every entry begins with
 * the hash of the rest: a damaged one counts as missing.
 */
#ifndef CMPD_GPU_RUNNER_CACHE_H
#define CMPD_GPU_RUNNER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "analysis/verdict/policy.h"

#define CMPD_CACHE_DEFAULT_BYTES ((uint64_t)2 << 30)

struct cmpd_cache {
    char *dir; /* owned; NULL: no cache, all calls do nothing */
    uint64_t ceiling_bytes;
};

/* Makes the folder (0700). Where that fails the cache is off: never an error. */
void cmpd_cache_open(struct cmpd_cache *c, bool wanted);
void cmpd_cache_clear(struct cmpd_cache *c);

/* The files of a make rule ("a.o : a.cu \\\n b.h"), unescaped. */
void cmpd_cache_parse_rule(const char *text, size_t len, struct cmpd_strings *out);
void cmpd_strings_clear_all(struct cmpd_strings *l);

/*
 * Look `key` up (64 hex digits). true: *meta (JSON text) and *object (may be empty) are filled, and
 * the entry counts as used now. Relative paths of a manifest are below `root`.
 */
bool cmpd_cache_get(const struct cmpd_cache *c, const char *key, const char *root,
                    struct cmpd_buf *meta, struct cmpd_buf *object);

/*
 * Store. `inputs`: every file read. Not stored where one can't be read, or was changed after
 * `started_ns` (realtime): nobody knows then which state was compiled. Evicts the least recently
 * used over the ceiling.
 */
void cmpd_cache_put(const struct cmpd_cache *c, const char *key, const char *root,
                    const struct cmpd_strings *inputs, int64_t started_ns, const char *meta,
                    const void *object, size_t object_len);

#endif
