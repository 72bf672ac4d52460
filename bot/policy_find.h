/* Which cmpd.json judges a file on disk. */
#ifndef CMPD_BOT_POLICY_FIND_H
#define CMPD_BOT_POLICY_FIND_H

#include "analysis/base/err.h"
#include "analysis/verdict/policy.h"

struct cmpd_policy_place {
    char *root;                 /* owned; absolute folder that the policy's paths are relative to */
    struct cmpd_policy *policy; /* owned */
};

/*
 * The policy for files in the folder `dir` (NULL: the current one): `given` if not NULL, else the nearest cmpd.json
 * upward, not past the repository's root (the folder that holds .git) nor into another file system; else the defaults.
 * Errors as cmpd_policy_parse's and cmpd_file_read's.
 */
cmpd_rc cmpd_policy_find(const char *dir, const char *given, struct cmpd_policy_place *out,
                         struct cmpd_err *err);
void cmpd_policy_place_clear(struct cmpd_policy_place *place);

/* The file's path relative to the root, links in its folder resolved; where it lies outside, as given. Caller owns. */
char *cmpd_policy_relative(const struct cmpd_policy_place *place, const char *path);

#endif
