/* The table of reason tags: one row a tag (tags.def), from which ids, tiers, docs checks and output rules derive. */
#ifndef CMPD_ANALYSIS_VERDICT_TAGS_H
#define CMPD_ANALYSIS_VERDICT_TAGS_H

#include <stdbool.h>
#include <stddef.h>

enum cmpd_tier {
    CMPD_TIER_NOTE = 0,
    CMPD_TIER_REVIEW = 1,
    CMPD_TIER_REJECT = 2,
};

enum cmpd_tag {
#define TAG(name, rule, tier, fixed, summary) CMPD_TAG_##name,
#include "analysis/verdict/tags.def"
#undef TAG
    CMPD_TAG_COUNT
};

struct cmpd_tag_info {
    const char *name;    /* "missing_bounds_guard" */
    const char *rule;    /* rule or stage: "index_space", "compile", ... */
    enum cmpd_tier tier; /* default; a rule may report below it, never above */
    bool fixed;          /* a policy may not lower it */
    const char *summary; /* one line */
};

const struct cmpd_tag_info *cmpd_tag_info(enum cmpd_tag tag); /* static */
bool cmpd_tag_find(const char *name, enum cmpd_tag *out);
const char *cmpd_tier_name(enum cmpd_tier tier); /* "reject", "review", "note" */
bool cmpd_tier_find(const char *name, enum cmpd_tier *out);

#endif
