/* Which policy judges the change, and does the change touch what judges it? */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "bot/git/path.h"
#include "bot/policy_find.h"
#include "bot/review/review.h"

#define POLICY_NAME "cmpd.json"

static cmpd_rc given_policy(const char *path, struct cmpd_policy **out, struct cmpd_err *err)
{
    struct cmpd_policy_place place = {0};
    cmpd_rc rc = cmpd_policy_find(NULL, path, &place, err);
    if (rc != CMPD_OK)
        return rc;
    *out = place.policy;
    place.policy = NULL;
    cmpd_policy_place_clear(&place);
    return CMPD_OK;
}

/* NULL in *text: the tree has none. */
static cmpd_rc read_policy(struct cmpd_git *git, const struct cmpd_git_commit *commit,
                           const char *origin, char **text, size_t *len, struct cmpd_err *err)
{
    struct cmpd_git_entry entry;

    *text = NULL;
    cmpd_rc rc = cmpd_git_entry_at(git, &commit->tree, POLICY_NAME, &entry, err);
    if (rc != CMPD_OK || entry.mode == GIT_FILEMODE_UNREADABLE)
        return rc;
    if (!cmpd_git_mode_is_file(entry.mode))
        return cmpd_err_set(err, CMPD_EINPUT, "%s is no regular file (%s), and is not followed",
                            origin,
                            entry.mode == GIT_FILEMODE_LINK ? "a symbolic link" : "a folder");
    rc = cmpd_git_blob(git, &entry.oid, CMPD_POLICY_CEILING_BYTES, text, len, err);
    return rc == CMPD_OK ? rc : cmpd_err_prefix(err, "%s", origin);
}

static cmpd_rc policy_at(struct cmpd_git *git, const struct cmpd_git_commit *commit,
                         const char *side, struct cmpd_policy **out, struct cmpd_err *err)
{
    char hex[GIT_OID_HEXSZ + 1];
    CMPD_AUTOFREE char *origin = cmpd_asprintf("%s:" POLICY_NAME "@%.12s", side,
                                               git_oid_tostr(hex, sizeof hex, &commit->commit));
    CMPD_AUTOFREE char *text = NULL;
    size_t len = 0;

    cmpd_rc rc = read_policy(git, commit, origin, &text, &len, err);
    if (rc != CMPD_OK)
        return rc;
    if (text)
        return cmpd_policy_parse(text, len, origin, out, err);
    *out = cmpd_policy_new();
    return CMPD_OK;
}

cmpd_rc cmpd_review_policy(const struct cmpd_review *rv, struct cmpd_policy **out,
                           struct cmpd_err *err)
{
    const char *given = rv->opt->value[CMPD_OPT_policy];
    return given ? given_policy(given, out, err) : policy_at(rv->git, &rv->base, "base", out, err);
}

static bool touches(const struct cmpd_git_change *change, const char *path)
{
    return (change->from.path && strcmp(change->from.path, path) == 0) ||
           (change->to.path && strcmp(change->to.path, path) == 0);
}

bool cmpd_review_judges(const struct cmpd_policy *policy, const struct cmpd_git_change *change)
{
    if (touches(change, POLICY_NAME))
        return true;
    for (size_t i = 0; policy && i < policy->kernel_count; i++) {
        const struct cmpd_kernel_policy *k = &policy->kernels[i];
        const char *named[] = {k->baseline, k->reference_file, k->reference_command};
        for (size_t n = 0; n < sizeof named / sizeof *named; n++) {
            CMPD_AUTOFREE char *path = named[n] ? cmpd_path_join("", named[n], strlen(named[n]))
                                                : NULL;
            if (path && touches(change, path))
                return true;
        }
    }
    return false;
}

/* What a person should know of the new policy before saying yes to it. */
static void describe(const struct cmpd_review *rv, const struct cmpd_review_file *f,
                     struct cmpd_buf *out)
{
    bool itself = (f->to && f->to->path && strcmp(f->to->path, POLICY_NAME) == 0) ||
                  (f->from && f->from->path && strcmp(f->from->path, POLICY_NAME) == 0);
    struct cmpd_policy *next = NULL;
    struct cmpd_err err = {0};

    if (!itself) {
        cmpd_buf_puts(
            out, "the change edits a reference or baseline that the policy names; base's was used");
        return;
    }
    if (!f->from || !f->from->path)
        cmpd_buf_puts(out, "the change adds cmpd.json; the defaults judged it");
    else if (!f->to || !f->to->path)
        cmpd_buf_puts(out, "the change removes cmpd.json; base's judged it");
    else
        cmpd_buf_puts(out, "the change edits cmpd.json; base's judged it");
    if (policy_at(rv->git, &rv->head, "head", &next, &err) != CMPD_OK)
        cmpd_buf_printf(out, "; the new one is broken: %s", err.msg);
    cmpd_policy_free(next);
}

void cmpd_review_add_policy_changed(const struct cmpd_review *rv, struct cmpd_review_file *f)
{
    CMPD_BUF_AUTO struct cmpd_buf message = CMPD_BUF_INIT;
    uint32_t line = f->lines.added_count ? f->lines.added[0].from : 0;

    describe(rv, f, &message);
    struct cmpd_finding *found = cmpd_file_result_add(f->result, rv->policy,
                                                      CMPD_TAG_policy_changed, CMPD_TIER_REVIEW,
                                                      line, line ? 1 : 0, cmpd_buf_str(&message));
    found->track = CMPD_TRACK_STATIC;
}
