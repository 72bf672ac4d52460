#include "gpu-runner/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static struct cmpd_sighting *find(struct cmpd_sightings *s, const struct cmpd_sighting *what)
{
    for (size_t i = 0; i < s->count; i++) {
        struct cmpd_sighting *k = &s->items[i];
        if (k->tag == what->tag && k->note == what->note && k->line == what->line &&
            same_text(k->file, what->file) && same_text(k->kernel, what->kernel)) {
            return k;
        }
    }
    return NULL;
}

struct cmpd_sighting *cmpd_sightings_add(struct cmpd_sightings *s, const struct cmpd_sighting *what)
{
    uint64_t times = what->times ? what->times : 1;
    struct cmpd_sighting *known = find(s, what);
    if (known != NULL) {
        known->times += times;
        return known;
    }
    if (s->count >= CMPD_SIGHTINGS_CEILING) {
        return NULL;
    }
    CMPD_GROW(s->items, s->count + 1, s->cap);
    struct cmpd_sighting *fresh = &s->items[s->count++];
    *fresh = *what;
    fresh->file = cmpd_strdup(what->file);
    fresh->outer_file = cmpd_strdup(what->outer_file);
    fresh->kernel = cmpd_strdup(what->kernel);
    fresh->message = cmpd_strdup(what->message);
    fresh->times = times;
    return fresh;
}

void cmpd_sightings_clear(struct cmpd_sightings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].file);
        free(s->items[i].outer_file);
        free(s->items[i].kernel);
        free(s->items[i].message);
    }
    free(s->items);
    *s = (struct cmpd_sightings){0};
}
