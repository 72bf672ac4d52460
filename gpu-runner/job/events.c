#include "gpu-runner/job/events.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/job/events_read.h"

#define MESSAGE_CEILING  8192 /* characters of a message or hint that are kept */
#define FINDINGS_CEILING 2000

static void write_all(struct cmpd_event_writer *w, const char *p, size_t len)
{
    while (len && !w->failed) {
        ssize_t n = write(w->fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            w->failed = true;
            return;
        }
        p += n;
        len -= (size_t)n;
    }
}

void cmpd_event_write_take(struct cmpd_event_writer *w, json_t *event)
{
    char *text = json_dumps(event, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(event);
    if (!text) {
        w->failed = true;
        return;
    }
    write_all(w, text, strlen(text));
    write_all(w, "\n", 1);
    free(text);
    w->lines++;
}

void cmpd_event_write_end(struct cmpd_event_writer *w, const char *nonce)
{
    json_t *end = json_pack("{s:s, s:I}", "end", nonce, "lines", (json_int_t)w->lines);
    cmpd_event_write_take(w, end);
}

static cmpd_rc bad(struct cmpd_err *err, size_t line, const char *why)
{
    return cmpd_err_set(err, CMPD_EINPUT, "the runner's answer is not usable: line %zu: %s", line,
                        why);
}

bool cmpd_events_uint32(const json_t *o, const char *key, uint32_t *out)
{
    const json_t *v = json_object_get(o, key);
    json_int_t n = v ? json_integer_value(v) : 0;
    if ((v && !json_is_integer(v)) || n < 0 || n > UINT32_MAX)
        return false;
    *out = (uint32_t)n;
    return true;
}

char *cmpd_events_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? cmpd_strndup(s, strnlen(s, MESSAGE_CEILING)) : NULL;
}

/* A runner may report what its stages can find, and no static tag. */
static bool runner_tag(enum cmpd_tag tag)
{
    static const char *const stages[] = {"compile", "run",  "memory",
                                         "numeric", "perf", "undecided"};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (strcmp(cmpd_tag_info(tag)->rule, stages[i]) == 0)
            return true;
    }
    return false;
}

static bool get_weight(const json_t *o, enum cmpd_event_weight *out)
{
    const json_t *v = json_object_get(o, "tier");
    const char *tier = json_string_value(v);
    if (tier && strcmp(tier, "note") == 0)
        *out = CMPD_EVENT_NOTE;
    else if (tier && strcmp(tier, "review") == 0)
        *out = CMPD_EVENT_DOUBT;
    else
        return v == NULL;
    return true;
}

static bool get_also(const json_t *o, struct cmpd_event_place *out)
{
    const json_t *also = json_object_get(o, "also");
    if (!also)
        return true;
    if (!json_is_object(also) || !cmpd_events_uint32(also, "line", &out->line) ||
        !cmpd_events_uint32(also, "column", &out->column))
        return false;
    out->file = cmpd_events_text(also, "file");
    return true;
}

static const char *read_finding(const json_t *o, struct cmpd_events *e)
{
    const char *name = json_string_value(json_object_get(o, "tag"));
    struct cmpd_event_finding f = {0};
    if (!name || !cmpd_tag_find(name, &f.tag) || !runner_tag(f.tag))
        return "a finding without a tag that a runner may give";
    if (!cmpd_events_uint32(o, "line", &f.line) || !cmpd_events_uint32(o, "column", &f.column))
        return "a finding with a wrong place";
    if (!json_is_string(json_object_get(o, "message")))
        return "a finding without a message";
    if (!get_weight(o, &f.weight))
        return "a finding of a tier that a runner may not give";
    if (!get_also(o, &f.also))
        return "a finding with a wrong second place";
    if (e->finding_count == FINDINGS_CEILING)
        return "too many findings";
    f.message = cmpd_events_text(o, "message");
    f.hint = cmpd_events_text(o, "hint");
    f.kernel = cmpd_events_text(o, "kernel");
    f.replay = cmpd_events_text(o, "replay");
    CMPD_GROW(e->findings, e->finding_count + 1, e->finding_cap);
    e->findings[e->finding_count++] = f;
    return NULL;
}

static const char *read_compile(const json_t *o, struct cmpd_events *e)
{
    const json_t *ok = json_object_get(o, "ok"), *ms = json_object_get(o, "elapsed_ms");
    if (!json_is_boolean(ok) || !json_is_number(ms) || !isfinite(json_number_value(ms)))
        return "a compile event without its result";
    struct cmpd_event_compile c = {0};
    c.ok = json_is_true(ok);
    c.elapsed_ms = json_number_value(ms);
    c.cached = json_is_true(json_object_get(o, "cached"));
    c.nvcc = cmpd_events_text(o, "nvcc");
    c.version = cmpd_events_text(o, "version");
    c.arch = cmpd_events_text(o, "arch");
    CMPD_GROW(e->compiles, e->compile_count + 1, e->compile_cap);
    e->compiles[e->compile_count++] = c;
    return NULL;
}

static void keep_text(char **slot, const json_t *o, const char *key)
{
    free(*slot);
    *slot = cmpd_events_text(o, key);
}

static const char *read_start(const json_t *o, struct cmpd_events *e)
{
    keep_text(&e->jail, o, "jail");
    return NULL;
}

static const char *read_jail(const json_t *o, struct cmpd_events *e)
{
    keep_text(&e->jail, o, "name");
    return NULL;
}

static const char *read_event(const json_t *o, struct cmpd_events *e)
{
    static const struct {
        const char *kind;
        const char *(*read)(const json_t *, struct cmpd_events *);
    } kinds[] = {
        {"case", cmpd_events_read_case},
        {"compile", read_compile},
        {"device", cmpd_events_read_device},
        {"entry", cmpd_events_read_entry},
        {"finding", read_finding},
        {"jail", read_jail},
        {"program", cmpd_events_read_program},
        {"memory", cmpd_events_read_memory},
        {"stage", cmpd_events_read_stage},
        {"start", read_start},
        {"tolerance", cmpd_events_read_tolerance},
    };
    const char *kind = json_string_value(json_object_get(o, "event"));
    if (!kind)
        return "neither an event nor the end record";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].read(o, e);
    }
    return NULL; /* kinds that a later runner may add */
}

static bool is_end(const json_t *o, const char *nonce, size_t lines)
{
    const char *end = json_string_value(json_object_get(o, "end"));
    const json_t *n = json_object_get(o, "lines");
    return end && strcmp(end, nonce) == 0 && json_is_integer(n) &&
           json_integer_value(n) == (json_int_t)lines;
}

/* One line. *ended: it was the end record. */
static cmpd_rc read_line(const char *p, size_t len, size_t lines, const char *nonce,
                         struct cmpd_events *e, bool *ended, struct cmpd_err *err)
{
    json_error_t je;
    json_t *o = json_loadb(p, len, JSON_REJECT_DUPLICATES, &je);
    if (!json_is_object(o)) {
        json_decref(o);
        return bad(err, lines + 1, "not a JSON object");
    }
    cmpd_rc rc = CMPD_OK;
    if (json_object_get(o, "end")) {
        *ended = is_end(o, nonce, lines);
        if (!*ended)
            rc = bad(err, lines + 1, "the end record is of another job or lines are missing");
    } else {
        const char *why = read_event(o, e);
        if (why)
            rc = bad(err, lines + 1, why);
    }
    json_decref(o);
    return rc;
}

static cmpd_rc read_lines(const char *text, size_t len, const char *nonce, struct cmpd_events *e,
                          struct cmpd_err *err)
{
    size_t lines = 0, at = 0;
    bool ended = false;
    while (at < len && !ended) {
        const char *nl = memchr(text + at, '\n', len - at);
        if (!nl)
            return bad(err, lines + 1, "the last line is cut off");
        size_t n = (size_t)(nl - (text + at));
        cmpd_rc rc = read_line(text + at, n, lines, nonce, e, &ended, err);
        if (rc != CMPD_OK)
            return rc;
        at += n + 1;
        if (++lines > CMPD_EVENTS_LINES_CEILING)
            return bad(err, lines, "too many lines");
    }
    if (!ended)
        return cmpd_err_set(err, CMPD_EINPUT, "the runner's answer has no end record (%zu lines)",
                            lines);
    return at == len ? CMPD_OK : bad(err, lines + 1, "there is text behind the end record");
}

cmpd_rc cmpd_events_parse(const char *text, size_t len, const char *nonce, struct cmpd_events *out,
                          struct cmpd_err *err)
{
    struct cmpd_events e;
    memset(&e, 0, sizeof e);
    if (len > CMPD_EVENTS_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_EINPUT, "the runner's answer is longer than %zu bytes",
                            CMPD_EVENTS_CEILING_BYTES);
    cmpd_rc rc = read_lines(text, len, nonce, &e, err);
    if (rc != CMPD_OK) {
        cmpd_events_clear(&e);
        return rc;
    }
    *out = e;
    return CMPD_OK;
}

void cmpd_events_clear(struct cmpd_events *e)
{
    for (size_t i = 0; i < e->finding_count; i++) {
        free(e->findings[i].message);
        free(e->findings[i].hint);
        free(e->findings[i].kernel);
        free(e->findings[i].replay);
        free(e->findings[i].also.file);
    }
    for (size_t i = 0; i < e->compile_count; i++) {
        free(e->compiles[i].nvcc);
        free(e->compiles[i].version);
        free(e->compiles[i].arch);
    }
    free(e->findings);
    free(e->compiles);
    free(e->jail);
    cmpd_events_clear_run(e);
    memset(e, 0, sizeof *e);
}
