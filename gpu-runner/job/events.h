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
#include "analysis/verdict/policy.h"
#include "analysis/verdict/tags.h"

#define CMPD_EVENTS_CEILING_BYTES ((size_t)16 << 20) /* all that one job may write */
#define CMPD_EVENTS_LINES_CEILING 20000

#define CMPD_EVENT_OUTPUT_CEILING ((size_t)256 << 10) /* bytes of each stream of a program */

/* ---- writing ---- */

struct cmpd_event_writer {
    int fd; /* borrowed */
    size_t lines;
    bool failed; /* a write failed: the reader is gone */
};

/* Takes the object over. */
void cmpd_event_write_take(struct cmpd_event_writer *w, json_t *event);
void cmpd_event_write_end(struct cmpd_event_writer *w, const char *nonce);

/* All strings borrowed, cleaned of what JSON can't hold and cut to their ceilings. */

struct cmpd_event_dim {
    const char *name;
    int64_t value;
};
#define CMPD_EVENT_DIMS_CEILING 8

/* One numeric case that was run to its end (or not: ok false). */
struct cmpd_event_case {
    const char *name; /* "n=31", "drawn" */
    struct cmpd_event_dim shape[CMPD_EVENT_DIMS_CEILING];
    size_t dim_count;
    const char *dtype;
    uint64_t seed;
    uint32_t schedule;
    bool measured; /* were outputs compared? Else the two errors are left out */
    double max_abs_err, max_rel_err;
    bool ok;
    double elapsed_ms;
    uint64_t lane_instructions;
};

/* Where a finding is about a second place too: the other side of a race, the call that was inlined. */
struct cmpd_event_place {
    char *file;            /* NULL: the job's file */
    uint32_t line, column; /* line 0: no such place */
};

enum cmpd_event_stage { CMPD_EVENT_NUMERIC, CMPD_EVENT_MEMORY };
enum cmpd_event_status { CMPD_EVENT_PASS, CMPD_EVENT_FAIL, CMPD_EVENT_UNDECIDED };

/* What a finding is worth; 0 is the tag's own tier, so that nothing is made light by oversight. */
enum cmpd_event_weight {
    CMPD_EVENT_SURE,  /* the tag's own tier */
    CMPD_EVENT_DOUBT, /* review at most: found under an assumption */
    CMPD_EVENT_NOTE,  /* worth saying, proves nothing */
};

struct cmpd_event_finding {
    enum cmpd_tag tag;
    enum cmpd_event_weight weight;
    uint32_t line, column; /* in the job's file; 0: the file as a whole */
    char *message;
    char *hint;   /* NULL: none */
    char *kernel; /* kernel or function, demangled; NULL: none */
    char *replay; /* arguments of `cmpd replay` behind the file's name; NULL: none */
    struct cmpd_event_place also;
};

void cmpd_event_write_device(struct cmpd_event_writer *w, const char *name, const char *backend);
/* `index` of `count` begins: for whoever waits. */
void cmpd_event_write_progress(struct cmpd_event_writer *w, const char *what, uint32_t index,
                               uint32_t count);
/* The entry that was chosen, as text, and the roles bound to its parameters ("in:x"). */
void cmpd_event_write_entry(struct cmpd_event_writer *w, const char *entry, const char *op,
                            const char *args_json, bool assumed_launch);
void cmpd_event_write_case(struct cmpd_event_writer *w, const struct cmpd_event_case *c);
/* why: one sentence for people; NULL: none. An UNDECIDED stage has a finding that names the reason. */
void cmpd_event_write_stage(struct cmpd_event_writer *w, enum cmpd_event_stage stage,
                            enum cmpd_event_status status, const char *why);
/* Which layer watched memory ("shadow memory", "memcheck") and over how many launches. */
void cmpd_event_write_memory(struct cmpd_event_writer *w, bool ok, const char *method,
                             uint64_t launches, uint64_t lane_instructions);
/* The tolerance that numeric cases were held to, where one held for all. */
void cmpd_event_write_tolerance(struct cmpd_event_writer *w, double atol, double rtol);
void cmpd_event_write_finding(struct cmpd_event_writer *w, const struct cmpd_event_finding *f);
/* What a whole program wrote and how it ended: exit status, or 128 plus the signal. Text is any bytes. */
void cmpd_event_write_program(struct cmpd_event_writer *w, int status, const char *out,
                              size_t out_len, const char *err, size_t err_len);
/* What jail candidate code ran in: "none", "bubblewrap+seccomp". */
void cmpd_event_write_jail(struct cmpd_event_writer *w, const char *name);

/* ---- reading ---- */

struct cmpd_event_compile {
    char *nvcc, *version, *arch; /* owned */
    bool ok, cached;
    double elapsed_ms;
};

struct cmpd_event_read_case {
    char *name, *dtype; /* owned */
    struct cmpd_event_read_dim {
        char *name; /* owned */
        int64_t value;
    } shape[CMPD_EVENT_DIMS_CEILING];
    size_t dim_count;
    uint64_t seed;
    uint32_t schedule;
    bool measured, ok;
    double max_abs_err, max_rel_err, elapsed_ms;
    uint64_t lane_instructions;
};

struct cmpd_event_stage_result {
    bool said; /* did the runner say anything of it? */
    enum cmpd_event_status status;
    char *why; /* owned, may be NULL */
};

struct cmpd_events {
    struct cmpd_event_finding *findings; /* owned, with their strings */
    size_t finding_count, finding_cap;
    struct cmpd_event_compile *compiles; /* owned; one a toolkit, in the job's order */
    size_t compile_count, compile_cap;
    char *jail;               /* owned, may be NULL: "none" */
    char *device, *backend;   /* owned; NULL: nothing ran */
    char *entry, *op;         /* owned; what was called and compared with; NULL: nothing */
    struct cmpd_strings args; /* roles bound to the entry's parameters */
    bool assumed_launch;
    struct cmpd_event_read_case *cases; /* owned */
    size_t case_count, case_cap;
    struct cmpd_event_stage_result numeric, memory;
    char *memory_method; /* owned, may be NULL */
    uint64_t launches, lane_instructions;
    bool has_tolerance;
    double atol, rtol;
    bool has_program; /* a whole program was run */
    int program_status;
    char *program_out, *program_err; /* owned; NULL: nothing was written */
};

/*
 * CMPD_EINPUT: no end record, one of another nonce or count, a line that is no event, text behind
 * the end: nothing of it counts. *out is written on success; clear it.
 */
cmpd_rc cmpd_events_parse(const char *text, size_t len, const char *nonce, struct cmpd_events *out,
                          struct cmpd_err *err);
void cmpd_events_clear(struct cmpd_events *e);

#endif
