/* See symbols.h. */
#include "gpu-runner/ptx/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/ptx.h"

#define FIRST_BUCKETS 1024u /* a power of two */
#define INDEX_DIGITS  6     /* of a register in a range; CMPD_PTX_REGISTERS_CEILING has as many */

void ptx_symbols_init(struct ptx_symbols *s)
{
    *s = (struct ptx_symbols){.bucket_count = FIRST_BUCKETS, .seed = 0x9e3779b9u};
    /* Without entropy the seed is a known one: slower on names made to collide, never wrong. */
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
        s->seed = seed;
    s->buckets = cmpd_alloc(sizeof *s->buckets * FIRST_BUCKETS);
    memset(s->buckets, 0xff, sizeof *s->buckets * FIRST_BUCKETS);
}

void ptx_symbols_clear(struct ptx_symbols *s)
{
    free(s->items);
    free(s->buckets);
    *s = (struct ptx_symbols){0};
}

void ptx_symbols_push(struct ptx_symbols *s)
{
    s->depth++;
}

void ptx_symbols_pop(struct ptx_symbols *s)
{
    while (s->count > 0 && s->items[s->count - 1].depth == s->depth) {
        const struct ptx_symbol *it = &s->items[--s->count];
        s->buckets[it->hash & (s->bucket_count - 1)] = it->next;
    }
    s->depth--;
}

static uint32_t step(uint32_t h, char c)
{
    h = (h ^ (unsigned char)c) * 0x01000193u;
    return h ^ (h >> 15);
}

static uint32_t hash(const struct ptx_symbols *s, const char *name, uint32_t len)
{
    uint32_t h = s->seed;
    for (uint32_t i = 0; i < len; i++)
        h = step(h, name[i]);
    return h;
}

/* Within a bucket the newest stands first, and pop takes the newest away: so in the order of the items. */
static void rehash(struct ptx_symbols *s)
{
    s->bucket_count *= 4;
    s->buckets = cmpd_realloc(s->buckets, s->bucket_count, sizeof *s->buckets);
    memset(s->buckets, 0xff, sizeof *s->buckets * s->bucket_count);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t *bucket = &s->buckets[s->items[i].hash & (s->bucket_count - 1)];
        s->items[i].next = *bucket;
        *bucket = i;
    }
}

struct ptx_symbol *ptx_symbols_add(struct ptx_symbols *s, const char *name, uint32_t len,
                                   enum ptx_symbol_kind kind, uint32_t index)
{
    if (s->count >= s->bucket_count)
        rehash(s);
    CMPD_GROW(s->items, s->count + 1, s->cap);
    uint32_t h = hash(s, name, len);
    uint32_t *bucket = &s->buckets[h & (s->bucket_count - 1)];
    struct ptx_symbol *it = &s->items[s->count];
    *it = (struct ptx_symbol){.name = name,
                              .len = len,
                              .hash = h,
                              .depth = s->depth,
                              .next = *bucket,
                              .kind = (uint8_t)kind,
                              .index = index};
    *bucket = s->count++;
    return it;
}

/* A range must reach to number `number`; CMPD_PTX_NONE: a single name. */
static const struct ptx_symbol *lookup(const struct ptx_symbols *s, const char *name, uint32_t len,
                                       uint32_t number)
{
    bool range = number != CMPD_PTX_NONE;
    uint32_t h = hash(s, name, len);
    for (uint32_t i = s->buckets[h & (s->bucket_count - 1)]; i != CMPD_PTX_NONE;
         i = s->items[i].next) {
        const struct ptx_symbol *it = &s->items[i];
        if (it->hash == h && it->len == len && it->range == range &&
            (!range || number < it->count) && memcmp(it->name, name, len) == 0)
            return it;
    }
    return NULL;
}

/* "%r12" is number 12 of the range %r, or 2 of the range %r1. */
static const struct ptx_symbol *in_range(const struct ptx_symbols *s, const char *name,
                                         uint32_t len, uint32_t *index)
{
    const struct ptx_symbol *best = NULL;
    uint32_t value = 0, place = 1;
    for (uint32_t n = 1; n <= INDEX_DIGITS && n < len; n++) {
        char c = name[len - n];
        if (c < '0' || c > '9')
            break;
        value += (uint32_t)(c - '0') * place;
        place *= 10;
        if (c == '0' && n > 1)
            continue;
        const struct ptx_symbol *it = lookup(s, name, len - n, value);
        if (it && (!best || it->depth > best->depth)) {
            best = it;
            *index = it->index + value;
        }
    }
    return best;
}

const struct ptx_symbol *ptx_symbols_find(const struct ptx_symbols *s, const char *name,
                                          uint32_t len, uint32_t *index)
{
    const struct ptx_symbol *range = in_range(s, name, len, index);
    const struct ptx_symbol *exact = lookup(s, name, len, CMPD_PTX_NONE);
    if (!exact || (range && range->depth > exact->depth))
        return range;
    *index = exact->index;
    return exact;
}

const struct ptx_symbol *ptx_symbols_find_target(const struct ptx_symbols *s, const char *name,
                                                 uint32_t len)
{
    uint32_t h = hash(s, name, len);
    for (uint32_t i = s->buckets[h & (s->bucket_count - 1)]; i != CMPD_PTX_NONE;
         i = s->items[i].next) {
        const struct ptx_symbol *it = &s->items[i];
        if (it->depth < s->depth)
            return NULL;
        if ((it->kind == PTX_SYMBOL_LABEL || it->kind == PTX_SYMBOL_TABLE) && it->hash == h &&
            it->len == len && memcmp(it->name, name, len) == 0)
            return it;
    }
    return NULL;
}
