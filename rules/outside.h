/* Where may a pointer lead, and may a kernel write there? A may-analysis: "no" is a proof, "yes" is not. */
#ifndef CMPD_RULES_OUTSIDE_H
#define CMPD_RULES_OUTSIDE_H

#include "analysis/ir/ir.h"

/* May running the kernel change anything that can be seen outside it? */
bool cmpd_outside_may_write(const struct ir_module *module, const struct ir_func *kernel);

#endif
