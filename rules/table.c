#include "rules/table.h"

#define RULE(name) extern const struct cmpd_rule cmpd_rule_##name;
#include "rules/rules.def"
#undef RULE

/* The last entry is no rule: it lets the table be empty. */
static const struct cmpd_rule *const TABLE[] = {
#define RULE(name) &cmpd_rule_##name,
#include "rules/rules.def"
#undef RULE
    NULL,
};

static const struct cmpd_ruleset RULESET = {TABLE, sizeof TABLE / sizeof TABLE[0] - 1};

const struct cmpd_ruleset *cmpd_ruleset(void)
{
    return &RULESET;
}
