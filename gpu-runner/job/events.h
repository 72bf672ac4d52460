/*
 * What a runner writes: JSON lines, the last one the end record {"end": nonce, "lines": n}, where n
 * counts the lines before it (see PROTOCOL.md). The reader trusts nothing without a right end
 * record.
 */
#ifndef CMPD_GPU_RUNNER_EVENTS_H
#define CMPD_GPU_RUNNER_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"
#include "analysis/verdict/tags.h"

#define CMPD_EVENTS_CEILING_BYTES ((size_t)16 << 20) /* all that one job may write */
#define CMPD_EVENTS_LINES_CEILING 20000

/* ---- writing ---- */

struct cmpd_event_writer {
    int fd; /* borrowed */
    size_t lines;
    bool failed; /* a write failed: the reader is gone */
};

/* Takes the object over. */
void cmpd_event_write_take(struct cmpd_event_writer *w, json_t *event);
void cmpd_event_write_end(struct cmpd_event_writer *w, const char *nonce);

/* ---- reading ---- */

struct cmpd_event_finding {
    enum cmpd_tag tag;
    uint32_t line, column; /* 0: the file as a whole */
    char *message;         /* owned */
    char *hint;            /* owned, NULL: none */
};

struct cmpd_event_compile {
    char *nvcc, *version, *arch; /* owned */
    bool ok, cached;
    double elapsed_ms;
};

struct cmpd_events {
    struct cmpd_event_finding *findings; /* owned */
    size_t finding_count, finding_cap;
    struct cmpd_event_compile *compiles; /* owned; one a toolkit, in the job's order */
    size_t compile_count, compile_cap;
    char *jail; /* owned, may be NULL: "none" */
};

/*
 * CMPD_EINPUT: no end record, one of another nonce or count, a line that is no event, text behind
 * the end: nothing of it counts. *out is written on success; clear it.
 */
cmpd_rc cmpd_events_parse(const char *text, size_t len, const char *nonce, struct cmpd_events *out,
                          struct cmpd_err *err);
void cmpd_events_clear(struct cmpd_events *e);

#endif
