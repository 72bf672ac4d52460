/* What cmpd.json could say of one file. */
#ifndef CMPD_BOT_PROPOSE_H
#define CMPD_BOT_PROPOSE_H

#include <jansson.h>
#include <stddef.h>

#include "analysis/text/source.h"

/*
 * An entry of "kernels" for the file, with the launcher or kernel to call and the operator, where its name is
 * one; NULL: the file has nothing to call. `note` gets a clause for people about what is left
 * open, "" if nothing is. Caller owns the entry.
 */
json_t *cmpd_propose_kernel(const struct cmpd_source *src, const char *path, char *note,
                            size_t size);

#endif
