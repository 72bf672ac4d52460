/*
 * Allocation. Sizes that come from input are bounded by limits.h before they
 * get here, so running out of memory is a fault of the machine: these abort
 * with a message instead of returning NULL.
 */
#ifndef CMPD_ANALYSIS_BASE_ALLOC_H
#define CMPD_ANALYSIS_BASE_ALLOC_H

#include <stddef.h>

#define CMPD_NEVER_NULL __attribute__((returns_nonnull))

CMPD_NEVER_NULL void *cmpd_alloc(size_t size);                /* free() it */
CMPD_NEVER_NULL void *cmpd_calloc(size_t count, size_t size); /* zeroed; checks the product */
CMPD_NEVER_NULL void *cmpd_realloc(void *p, size_t count, size_t size); /* checks the product */
char *cmpd_strdup(const char *s);                                       /* NULL stays NULL */
CMPD_NEVER_NULL char *cmpd_strndup(const char *s, size_t len);
CMPD_NEVER_NULL char *cmpd_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Grow a vector: `items` to hold at least `need` elements; `cap` is updated. Afterwards
 * `items` is not NULL.
 */
#define CMPD_GROW(items, need, cap)                                          \
    do {                                                                     \
        if (!(items) || (size_t)(need) > (size_t)(cap)) {                    \
            size_t cmpd_new_cap_ = (size_t)(cap) ? (size_t)(cap)*2 : 16;     \
            if (cmpd_new_cap_ < (size_t)(need))                              \
                cmpd_new_cap_ = (size_t)(need);                              \
            (items) = cmpd_realloc((items), cmpd_new_cap_, sizeof *(items)); \
            (cap) = cmpd_new_cap_;                                           \
        }                                                                    \
    } while (0)

/* `CMPD_AUTOFREE char *s = ...;` frees s when it goes out of scope. */
void cmpd_autofree(void *pp);
#define CMPD_AUTOFREE __attribute__((cleanup(cmpd_autofree)))

#endif
