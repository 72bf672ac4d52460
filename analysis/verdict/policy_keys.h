/* The rows of config/policy_keys.def as data: for the parser, the schema and the reference page. */
#ifndef CMPD_ANALYSIS_VERDICT_POLICY_KEYS_H
#define CMPD_ANALYSIS_VERDICT_POLICY_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/err.h"
#include "analysis/verdict/policy.h"

enum cmpd_key_kind {
    CMPD_KEY_OBJECT,
    CMPD_KEY_LIST,
    CMPD_KEY_MAYBE_LIST,
    CMPD_KEY_STRING,
    CMPD_KEY_STRINGS,
    CMPD_KEY_CHOICE,
    CMPD_KEY_CHOICES,
    CMPD_KEY_BOOL,
    CMPD_KEY_UINT,
    CMPD_KEY_NUMBER,
    CMPD_KEY_TIERS,
    CMPD_KEY_CASES,
};

struct cmpd_key {
    const char *path; /* "policy.nvcc.std" */
    enum cmpd_key_kind kind;
    const char *limits; /* see the table */
    const char *def;    /* JSON text or "" */
    const char *help;
};

const struct cmpd_key *cmpd_policy_keys(size_t *count); /* static */

/* The last part of the row's path if `parent` ("": the top) is its parent's path, else NULL. */
const char *cmpd_policy_key_below(const struct cmpd_key *key, const char *parent);

/* Check a parsed cmpd.json against the table; CMPD_EINPUT names place, key and what is wrong. */
cmpd_rc cmpd_policy_check(const json_t *root, const char *text, size_t len, const char *origin,
                          struct cmpd_err *err);

/* The checked tree as a policy (never fails). */
struct cmpd_policy *cmpd_policy_read(const json_t *root, const char *origin);

/*
 * Is a string of the named form ("relative", "absolute", "arch", "name", "entry", "formula", "define", "role",
 * "flag", "" for any)? If not,
 * *why is a clause that says what it must be (static).
 */
bool cmpd_policy_form_ok(const char *form, const char *value, const char **why);

/* Is it a compiler flag that a policy may set? (config/nvcc_flags.def) */
bool cmpd_nvcc_flag_ok(const char *flag);

#endif
