#include "analysis/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"

struct cmpd_arena_block {
    struct cmpd_arena_block *prev;
    size_t used, cap;
    _Alignas(16) char data[];
};

static struct cmpd_arena_block *new_block(struct cmpd_arena *a, size_t size)
{
    size_t cap = 16 * 1024;
    if (a->blocks && a->blocks->cap < ((size_t)1 << 20))
        cap = a->blocks->cap * 2;
    if (cap < size)
        cap = size;
    struct cmpd_arena_block *b = cmpd_alloc(sizeof *b + cap);
    b->prev = a->blocks;
    b->used = 0;
    b->cap = cap;
    a->blocks = b;
    return b;
}

void *cmpd_arena_alloc_raw(struct cmpd_arena *a, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    size_t ceiling = a->ceiling_bytes ? a->ceiling_bytes : CMPD_ARENA_CEILING_BYTES;
    if (a->used_bytes + size > ceiling)
        a->exhausted = true;
    struct cmpd_arena_block *b = a->blocks;
    if (!b || b->cap - b->used < size)
        b = new_block(a, size);
    void *p = b->data + b->used;
    b->used += size;
    a->used_bytes += size;
    return p;
}

void *cmpd_arena_alloc(struct cmpd_arena *a, size_t size)
{
    return memset(cmpd_arena_alloc_raw(a, size), 0, size);
}

char *cmpd_arena_strndup(struct cmpd_arena *a, const char *s, size_t len)
{
    char *p = cmpd_arena_alloc(a, len + 1);
    memcpy(p, s, len);
    return p;
}

char *cmpd_arena_printf(struct cmpd_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = cmpd_arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
    if (n >= 0)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

struct cmpd_arena_mark cmpd_arena_mark(struct cmpd_arena *a)
{
    struct cmpd_arena_mark m = {a->blocks, a->blocks ? a->blocks->used : 0, a->used_bytes};
    return m;
}

void cmpd_arena_release(struct cmpd_arena *a, struct cmpd_arena_mark mark)
{
    while (a->blocks != mark.block) {
        struct cmpd_arena_block *b = a->blocks;
        a->blocks = b->prev;
        free(b);
    }
    if (a->blocks)
        a->blocks->used = mark.used;
    a->used_bytes = mark.used_bytes;
}

void cmpd_arena_clear(struct cmpd_arena *a)
{
    struct cmpd_arena_mark empty = {NULL, 0, 0};
    cmpd_arena_release(a, empty);
    a->exhausted = false;
}
