/*
 * Makes a unit's text readable for the grammar without moving anything: what
 * it cannot read is blanked and kept in unit->attrs, statement macros without
 * a `;` get one in place of a blank. Also counts the brackets of the text.
 */
#ifndef CMPD_ANALYSIS_TEXT_NORMALISE_H
#define CMPD_ANALYSIS_TEXT_NORMALISE_H

#include "analysis/text/unit.h"

void cmpd_normalise(struct cmpd_unit *unit, struct cmpd_arena *arena);

#endif
