/*
 * What a rule sees of a file, and how it reports. A rule is one file in rules/
 * and one row in its table; it keeps no globals and its order does not matter.
 */
#ifndef CMPD_ANALYSIS_RULE_H
#define CMPD_ANALYSIS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/ir/ir.h"
#include "analysis/text/lex.h"
#include "analysis/text/scan.h"
#include "analysis/text/source.h"
#include "analysis/text/unit.h"
#include "analysis/verdict/finding.h"
#include "analysis/verdict/policy.h"

enum cmpd_layer { CMPD_LAYER_SCAN, CMPD_LAYER_LEX, CMPD_LAYER_AST };

struct cmpd_facts;        /* analysis/eval/facts.h */
struct cmpd_report_state; /* analysis/verdict/report.c: allow comments, enclosing functions */

struct cmpd_check {
    const struct cmpd_source *src;
    const struct cmpd_policy *policy;
    const struct cmpd_scan *scan;     /* always */
    const struct cmpd_tokens *tokens; /* from LAYER_LEX on */
    const struct cmpd_unit *unit;     /* from LAYER_LEX on */
    const struct ir_module *module;   /* from LAYER_AST on, else NULL */
    const struct cmpd_facts
        *facts; /* from LAYER_AST on: what concrete evaluation of the launches showed */
    struct cmpd_arena *arena; /* scratch that lives as long as the check */
    struct cmpd_findings *findings;
    struct cmpd_report_state *report; /* of the driver; rules leave it alone */
};

struct cmpd_rule {
    const char *name;      /* "index_space" */
    enum cmpd_layer layer; /* the layer that it needs to prove a fault */
    /*
     * Optional: may the file have a fault of this rule at all, judged from the scan alone? false settles the rule
     * for this file with no deeper layer. Must never rule out a real fault.
     */
    bool (*possible)(const struct cmpd_scan *scan);
    void (*run)(struct cmpd_check *check);
};

/* A table of rules. rules/table.h gives CMP-D's own; this folder knows none of them by name. */
struct cmpd_ruleset {
    const struct cmpd_rule *const *rules;
    size_t count;
};

/*
 * Report a fault at source bytes [off, end). `proven` is what the rule has proven (REJECT only with a witness in the
 * message); it is capped by the tag's default and moved by the policy. `kernel` may be NULL. The message is one
 * sentence; hint may be NULL. Exempt functions and allow comments are handled behind this call.
 */
void cmpd_report(struct cmpd_check *check, enum cmpd_tag tag, enum cmpd_tier proven, uint32_t off,
                 uint32_t end, const char *kernel, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 8, 9)));

#endif
