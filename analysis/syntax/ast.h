/*
 * The ast layer: tree-sitter's tree over a unit's text. Parse errors are local:
 * whoever reads the tree treats an ERROR or MISSING node as unknown.
 */
#ifndef CMPD_ANALYSIS_SYNTAX_AST_H
#define CMPD_ANALYSIS_SYNTAX_AST_H

#include <tree_sitter/api.h>

#include "analysis/base/err.h"
#include "analysis/text/unit.h"

struct cmpd_ast {
    const struct cmpd_unit *unit; /* borrowed */
    TSTree *tree;                 /* owned */
};

/*
 * CMPD_ELIMIT: nested deeper than CMPD_NESTING_CEILING, or the parse ran past its budget of time
 * (the caller then judges the file by the layers below). CMPD_EINTERNAL: the grammar does not fit
 * the core.
 */
cmpd_rc cmpd_ast_parse(const struct cmpd_unit *unit, struct cmpd_ast **out, struct cmpd_err *err);
void cmpd_ast_free(struct cmpd_ast *ast);

#endif
