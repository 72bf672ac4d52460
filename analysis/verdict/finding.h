/* Findings, the verdict of a file and of a whole run. One list feeds every output format. */
#ifndef CMPD_ANALYSIS_VERDICT_FINDING_H
#define CMPD_ANALYSIS_VERDICT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/buf.h"
#include "analysis/text/source.h"
#include "analysis/verdict/tags.h"

enum cmpd_track { CMPD_TRACK_STATIC, CMPD_TRACK_DYNAMIC };

struct cmpd_finding {
    enum cmpd_tag tag;
    enum cmpd_tier tier; /* after policy and `preexisting` */
    enum cmpd_track track;
    uint32_t line, column; /* 1-based; 0: belongs to the file as a whole */
    uint32_t end_line, end_column;
    char *kernel;  /* owned; enclosing kernel or function, may be NULL */
    char *message; /* owned; one sentence, no trailing newline */
    char *hint;    /* owned, may be NULL: what to change */
    char *replay;  /* owned, may be NULL: the command that shows it again */
    /* A second place: the other side of a race, the call that was inlined. also_line 0: none. */
    char *also_file; /* owned; NULL: this file */
    uint32_t also_line;
    /* Hex; of tag, normalised tokens, enclosing kernel and occurrence; no line number. */
    char fingerprint[33];
    char content_hash[33]; /* the fingerprint before its occurrence counter */
    bool preexisting;      /* stands on base too, kernel not touched */
    bool suppressed;       /* a `cmpd: allow` comment: listed, never counted */
    char *suppress_why;    /* owned, may be NULL */
    bool in_diff;          /* review: its line is an added or context line of the diff */
    bool hidden; /* review: --filter leaves it out of what is shown; it counts all the same */
};

struct cmpd_findings {
    struct cmpd_finding *items; /* owned */
    size_t count, cap;
};

void cmpd_findings_clear(struct cmpd_findings *list);
/* By line, column, tier (reject first), tag; removes exact repeats of (tag, line, column). */
void cmpd_findings_sort(struct cmpd_findings *list);

enum cmpd_verdict { CMPD_PASS, CMPD_REVIEW, CMPD_REJECT };
const char *cmpd_verdict_name(enum cmpd_verdict v); /* "PASS", "REVIEW", "REJECT" */

/* Of the findings that count (not note, not suppressed). */
enum cmpd_verdict cmpd_findings_verdict(const struct cmpd_findings *list);

#endif
