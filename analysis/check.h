/*
 * The static track for one file: layers as far as needed, all rules, allow
 * comments, fingerprints. And the result that every front end shows.
 */
#ifndef CMPD_ANALYSIS_CHECK_H
#define CMPD_ANALYSIS_CHECK_H

#include <jansson.h>

#include "analysis/change.h"
#include "analysis/rule.h"

enum cmpd_dynamic_status { CMPD_DYNAMIC_DONE, CMPD_DYNAMIC_SKIPPED, CMPD_DYNAMIC_UNAVAILABLE };

/* The dynamic track of a file, as far as it went. */
struct cmpd_dynamic {
    enum cmpd_dynamic_status status;
    char *why; /* owned; skipped or unavailable: the reason */
    /* Something that the policy requires was not decided: no PASS, whatever tier its tag was moved to. */
    bool undecided;
    /* Owned, may be NULL: members of the contract's "dynamic" object beside status and why. */
    json_t *details;
};

/* Where the time of one static check went. */
struct cmpd_timing {
    double lex_ms, scan_ms, unit_ms, parse_ms, lower_ms, facts_ms, rules_ms;
};

struct cmpd_file_result {
    char *path;                    /* owned; as given or as in the repository */
    char *old_path;                /* owned; review: the name on base if renamed, else NULL */
    char sha256[65];               /* "" if the file could not be read */
    struct cmpd_findings findings; /* static and dynamic ones */
    enum cmpd_layer layer;
    double static_elapsed_ms;
    struct cmpd_timing timing;
    bool static_done;
    bool scope_static;                   /* --track static: judged by the static track alone */
    uint32_t kernel_count, launch_count; /* seen; 0 also where no deeper layer was needed */
    struct cmpd_strings clean; /* what is in order, a sentence each ("API blacklist: none.") */
    char *op_comment;    /* owned; NAME of a `// cmpd: op=NAME` comment, NULL if there is none */
    bool op_comment_new; /* review: the change itself brings the comment, so it counts as a guess */
    /* Owned, may be NULL: a caller hands the source over, for forms that show its lines. */
    struct cmpd_source *source;
    struct cmpd_dynamic dynamic;
    enum cmpd_verdict verdict;
    struct cmpd_err error;      /* rc != OK: the file could not be judged; verdict is REVIEW then */
    struct cmpd_change *change; /* owned (cmpd_change_free); review only, else NULL */
};

/*
 * Judge one source by the static track. The result (caller owns, cmpd_file_result_free) is complete but for the
 * dynamic track; verdict is that of the static findings. Binary and over-deep files get an error in result->error or a
 * lower layer, never a crash.
 */
struct cmpd_file_result *cmpd_check_static(const struct cmpd_source *src,
                                           const struct cmpd_policy *policy,
                                           const struct cmpd_ruleset *rules);
/* The same with the repository's own headers (may be NULL). */
struct cmpd_file_result *cmpd_check_static_with(const struct cmpd_source *src,
                                                const struct cmpd_policy *policy,
                                                const struct cmpd_ruleset *rules,
                                                const struct cmpd_headers *headers);
void cmpd_file_result_free(struct cmpd_file_result *r);

/* A result for a file that could not be read at all: REVIEW with *why. Takes nothing over. */
struct cmpd_file_result *cmpd_file_result_failed(const char *path, const struct cmpd_err *why);

/* Add a finding of the dynamic track (compile and later stages); tiers go through the policy as in cmpd_report. */
struct cmpd_finding *cmpd_file_result_add(struct cmpd_file_result *r,
                                          const struct cmpd_policy *policy, enum cmpd_tag tag,
                                          enum cmpd_tier tier, uint32_t line, uint32_t column,
                                          const char *message);

/* Recompute sort order and verdict from the findings and from what policy requires. */
void cmpd_file_result_settle(struct cmpd_file_result *r, const struct cmpd_policy *policy);

/* A whole run. */
struct cmpd_document {
    struct cmpd_file_result **files; /* owned, in the order given */
    size_t count, cap;
    enum cmpd_verdict verdict;
    /* Of the run as a whole (bad policy, missing revision ...); rc OK else. */
    struct cmpd_err error;
    char *base, *head, *merge_base; /* owned hex ids; review only, else NULL */
    const char *filter;             /* review: added|context|file|all; NULL else */
    bool advisory;                  /* policy: "enforce": false */
};
/* Takes the result over. */
void cmpd_document_add_take(struct cmpd_document *doc, struct cmpd_file_result *r);
void cmpd_document_settle(struct cmpd_document *doc);
void cmpd_document_clear(struct cmpd_document *doc);

#endif
