/* Rules whose proof is a run of the file's launches with concrete numbers: facts turned into findings. */
#ifndef CMPD_RULES_WITNESS_H
#define CMPD_RULES_WITNESS_H

#include "analysis/eval/facts.h"
#include "analysis/rule.h"

/* Report every fault of the facts that carries one of the tags. */
void cmpd_witness_report(struct cmpd_check *check, const enum cmpd_tag *tags, size_t tag_count);

/* The scan sees a kernel of the file. */
bool cmpd_witness_has_kernel(const struct cmpd_scan *scan);

#endif
