/* What the static track found in order: the '+' lines of the text form. */
#ifndef CMPD_ANALYSIS_VERDICT_CLEAN_H
#define CMPD_ANALYSIS_VERDICT_CLEAN_H

#include "analysis/check.h"

/* Appends to r->clean what holds after all rules have run; says nothing that was not looked at. */
void cmpd_clean_remarks(const struct cmpd_check *check, struct cmpd_file_result *r);

#endif
