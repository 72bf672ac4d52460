#include "analysis/verdict/tags.h"

#include <string.h>

static const struct cmpd_tag_info TABLE[CMPD_TAG_COUNT] = {
#define TAG(name, rule, tier, fixed, summary) {#name, #rule, CMPD_TIER_##tier, fixed, summary},
#include "analysis/verdict/tags.def"
#undef TAG
};

static const char *const TIERS[] = {"note", "review", "reject"};

const struct cmpd_tag_info *cmpd_tag_info(enum cmpd_tag tag)
{
    return &TABLE[tag];
}

bool cmpd_tag_find(const char *name, enum cmpd_tag *out)
{
    for (int i = 0; i < CMPD_TAG_COUNT; i++) {
        if (strcmp(TABLE[i].name, name) == 0) {
            *out = (enum cmpd_tag)i;
            return true;
        }
    }
    return false;
}

const char *cmpd_tier_name(enum cmpd_tier tier)
{
    return TIERS[tier];
}

bool cmpd_tier_find(const char *name, enum cmpd_tier *out)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(TIERS[i], name) == 0) {
            *out = (enum cmpd_tier)i;
            return true;
        }
    }
    return false;
}
