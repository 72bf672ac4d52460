/* The JSON Schema of cmpd.json, from the table of its keys. */
#ifndef CMPD_CONFIG_POLICY_SCHEMA_H
#define CMPD_CONFIG_POLICY_SCHEMA_H

#include "analysis/base/buf.h"

/* Appends the text of config/schema/policy.schema.json. */
void cmpd_policy_schema(struct cmpd_buf *out);

/* Appends a cmpd.json that states every default: the text of config/default.json. */
void cmpd_policy_defaults(struct cmpd_buf *out);

/* Appends the entries of the keys for the manual page cmpd.json(5), in roff. */
void cmpd_policy_man(struct cmpd_buf *out);

#endif
