#include "gpu-runner/stages/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/compile/compile_findings.h"

static void clear(struct cmpd_event_finding *f)
{
    free(f->message);
    free(f->hint);
    free(f->kernel);
    free(f->replay);
    free(f->also.file);
}

void cmpd_stage_findings_clear(struct cmpd_stage_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        clear(&f->items[i]);
    free(f->items);
    free(f->places);
    f->items = NULL;
    f->places = NULL;
    f->count = f->cap = f->place_cap = 0;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Equal but for numbers, which differ from case to case. */
static bool same_words(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

/* A finding without a line is told apart by its words. */
static bool is_there(const struct cmpd_stage_findings *f, const struct cmpd_event_finding *w)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct cmpd_event_finding *o = &f->items[i];
        if (o->tag == w->tag && o->line == w->line && o->weight <= w->weight &&
            same(o->kernel, w->kernel) && (w->line || same_words(o->message, w->message)))
            return true;
    }
    return false;
}

struct cmpd_event_finding *cmpd_stage_findings_add(struct cmpd_stage_findings *f,
                                                   const struct cmpd_event_finding *what)
{
    struct cmpd_event_finding w = *what;
    if (f->doubt && w.weight == CMPD_EVENT_SURE)
        w.weight = CMPD_EVENT_DOUBT;
    if (f->count >= CMPD_STAGE_FINDINGS_CEILING || is_there(f, &w))
        return NULL;
    w.message = cmpd_strdup(what->message);
    w.hint = cmpd_strdup(what->hint);
    w.kernel = cmpd_strdup(what->kernel);
    w.replay = cmpd_strdup(what->replay);
    w.also.file = cmpd_strdup(what->also.file);
    CMPD_GROW(f->items, f->count + 1, f->cap);
    CMPD_GROW(f->places, f->count + 1, f->place_cap);
    memset(&f->places[f->count], 0, sizeof f->places[0]);
    f->items[f->count] = w;
    return &f->items[f->count++];
}

struct cmpd_event_finding *cmpd_stage_findings_say(struct cmpd_stage_findings *f, enum cmpd_tag tag,
                                                   uint32_t line, const char *replay,
                                                   const char *hint, const char *format, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    struct cmpd_event_finding w = {
        .tag = tag, .line = line, .message = text, .hint = (char *)hint, .replay = (char *)replay};
    return cmpd_stage_findings_add(f, &w);
}

bool cmpd_stage_is_file(const char *path, const char *file)
{
    if (!path)
        return false;
    size_t n = strlen(path), m = strlen(file);
    return n >= m && strcmp(path + n - m, file) == 0 && (n == m || path[n - m - 1] == '/');
}

/* The place in the judged file: the statement itself, else the call of it that stands there. */
static void anchor(const struct cmpd_stage_findings *f, const struct cmpd_sighting *s,
                   struct cmpd_event_finding *out)
{
    bool here = cmpd_stage_is_file(s->file, f->file),
         outer = cmpd_stage_is_file(s->outer_file, f->file);
    if (here) {
        out->line = s->line;
        if (s->outer_file && s->outer_line && !(outer && s->outer_line == s->line)) {
            out->also.file = outer ? NULL : s->outer_file;
            out->also.line = s->outer_line;
        }
    } else if (outer) {
        out->line = s->outer_line;
        out->also.file = s->file;
        out->also.line = s->line;
    } else if (s->file) {
        out->also.file = s->file;
        out->also.line = s->line;
    }
}

size_t cmpd_stage_findings_sightings(struct cmpd_stage_findings *f, const struct cmpd_sightings *s,
                                     const char *replay)
{
    size_t proven = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct cmpd_sighting *at = &s->items[i];
        char kernel[256] = "";
        if (at->kernel)
            cmpd_plain_name(at->kernel, kernel, sizeof kernel);
        struct cmpd_event_finding w = {.tag = at->tag,
                                       .weight = at->note ? CMPD_EVENT_NOTE : CMPD_EVENT_SURE,
                                       .message = at->message,
                                       .kernel = kernel[0] ? kernel : NULL,
                                       .replay = at->note ? NULL : (char *)replay};
        anchor(f, at, &w);
        if (cmpd_stage_findings_add(f, &w))
            memcpy(f->places[f->count - 1].at, at->host_at, sizeof f->places[0].at);
        proven += !at->note && cmpd_tag_info(at->tag)->tier == CMPD_TIER_REJECT;
    }
    return proven;
}

void cmpd_stage_findings_unite(struct cmpd_stage_findings *f)
{
    struct cmpd_stage_findings kept = *f;
    kept.count = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct cmpd_event_finding w = f->items[i];
        if (is_there(&kept, &w)) {
            clear(&w);
            continue;
        }
        kept.places[kept.count] = f->places[i];
        kept.items[kept.count++] = w;
    }
    *f = kept;
}

bool cmpd_stage_findings_proven(const struct cmpd_stage_findings *f, const char *rule)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct cmpd_tag_info *t = cmpd_tag_info(f->items[i].tag);
        if (f->items[i].weight == CMPD_EVENT_SURE && t->tier == CMPD_TIER_REJECT &&
            (!rule || strcmp(t->rule, rule) == 0))
            return true;
    }
    return false;
}

bool cmpd_stage_findings_has(const struct cmpd_stage_findings *f, enum cmpd_tag tag)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->items[i].tag == tag)
            return true;
    }
    return false;
}
