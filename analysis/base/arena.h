/*
 * A bump allocator: what belongs to one analysed file is freed in one go.
 * Memory is zeroed and aligned to 16 bytes. The ceiling guards against hostile
 * input: once it is passed, `exhausted` is set while requests are still served,
 * so callers test `exhausted` at loop heads instead of testing each pointer.
 */
#ifndef CMPD_ANALYSIS_BASE_ARENA_H
#define CMPD_ANALYSIS_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct cmpd_arena_block;

struct cmpd_arena {
    struct cmpd_arena_block *blocks; /* owned */
    size_t used_bytes;
    size_t ceiling_bytes; /* 0: CMPD_ARENA_CEILING_BYTES of limits.h */
    bool exhausted;
};

void *cmpd_arena_alloc(struct cmpd_arena *a, size_t size); /* never NULL */
/* The same without zeroing, for memory that is written whole at once. */
void *cmpd_arena_alloc_raw(struct cmpd_arena *a, size_t size) __attribute__((returns_nonnull));
char *cmpd_arena_strndup(struct cmpd_arena *a, const char *s, size_t len);
char *cmpd_arena_printf(struct cmpd_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cmpd_arena_clear(struct cmpd_arena *a);

/* A point to return to: everything allocated after the mark is given back. */
struct cmpd_arena_mark {
    struct cmpd_arena_block *block;
    size_t used;
    size_t used_bytes;
};
struct cmpd_arena_mark cmpd_arena_mark(struct cmpd_arena *a);
void cmpd_arena_release(struct cmpd_arena *a, struct cmpd_arena_mark mark);

#define CMPD_ARENA_NEW(a, type)      ((type *)cmpd_arena_alloc((a), sizeof(type)))
#define CMPD_ARENA_ARRAY(a, type, n) ((type *)cmpd_arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
