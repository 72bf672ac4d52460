/* CMP-D's own rules, in the order of the contract's table of reason tags. */
#ifndef CMPD_RULES_TABLE_H
#define CMPD_RULES_TABLE_H

#include "analysis/rule.h"

const struct cmpd_ruleset *cmpd_ruleset(void); /* static */

#endif
