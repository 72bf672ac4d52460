/*
 * What stands behind cmpd_report(): the remarks (`cmpd:` comments) of a file,
 * its functions by their tokens, and fingerprints. For the driver
 * (analysis/check.c), not for rules.
 */
#ifndef CMPD_ANALYSIS_VERDICT_REPORT_H
#define CMPD_ANALYSIS_VERDICT_REPORT_H

#include "analysis/rule.h"

/* A `// cmpd: allow TAG: why` comment, one entry a tag. */
struct cmpd_allow {
    enum cmpd_tag tag;
    uint32_t first_line, last_line; /* lines whose findings it suppresses */
    const char *why;                /* in the arena, NULL if it gives none */
};

/* What is wrong with a remark, for a note on its place. */
struct cmpd_remark_fault {
    uint32_t off, end;
    const char *what; /* in the arena */
};

struct cmpd_remarks {
    struct cmpd_allow *allows; /* in the arena, as all below */
    size_t allow_count, allow_cap;
    struct cmpd_remark_fault *faults;
    size_t fault_count, fault_cap;
    const char *op; /* of the first `cmpd: op=NAME`, NULL if there is none */
};

void cmpd_remarks_read(const struct cmpd_tokens *toks, struct cmpd_arena *arena,
                       struct cmpd_remarks *out);

/* The entry that covers a finding, or NULL. */
const struct cmpd_allow *cmpd_remarks_allow(const struct cmpd_remarks *r, enum cmpd_tag tag,
                                            uint32_t line);

/* A function's body by its tokens: from the one behind `{` up to the closing brace. */
struct cmpd_body {
    const char *name; /* in the arena; "" if none was found */
    size_t first, end;
};

struct cmpd_report_state {
    struct cmpd_remarks remarks;
    struct cmpd_body *bodies; /* ascending */
    size_t body_count;
    bool cut; /* CMPD_FINDINGS_CEILING was reached */
};

void cmpd_report_state_init(struct cmpd_report_state *s, const struct cmpd_tokens *toks,
                            struct cmpd_arena *arena);

/* The function whose definition (head included) holds the source offset, or NULL. */
const struct cmpd_body *cmpd_report_body_at(const struct cmpd_report_state *s,
                                            const struct cmpd_tokens *toks, uint32_t off);

/* The first token at or behind a source offset; toks->count if there is none. */
size_t cmpd_token_at(const struct cmpd_tokens *toks, uint32_t off);

/*
 * Hash of a finding's content: tag, kernel, and the tokens of [off, end), or where that is less than a statement, of
 * the statement round it. 32 hex digits and a NUL.
 */
void cmpd_fingerprint_region(const struct cmpd_tokens *toks, enum cmpd_tag tag, const char *kernel,
                             uint32_t off, uint32_t end, char out[33]);

/* The same for a finding that knows its line alone: the line's text without white space. */
void cmpd_fingerprint_text(enum cmpd_tag tag, const char *kernel, const char *text, size_t len,
                           char out[33]);

/* From the contents' hashes to fingerprints: equal ones are told apart by their order. The list must be sorted. */
void cmpd_fingerprints_number(struct cmpd_findings *list);

#endif
