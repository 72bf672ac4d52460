/*
 * The review of a change: what it touches is judged as it stands at head, by
 * base's policy, and held against what stood at the merge base. Private to
 * this folder; `cmpd_cmd_review` (bot/commands.h) is the way in.
 */
#ifndef CMPD_BOT_REVIEW_REVIEW_H
#define CMPD_BOT_REVIEW_REVIEW_H

#include "analysis/check.h"
#include "analysis/verdict/report.h"
#include "bot/git/diff.h"
#include "bot/git/include.h"
#include "bot/git/tree_export.h"
#include "bot/judge.h"

/* A file that the document will list. */
struct cmpd_review_file {
    enum cmpd_change_status status;
    const struct cmpd_git_side *from,
        *to;                  /* borrowed from the diff; an includer's from and to are one */
    struct cmpd_git_side own; /* owned; of an includer */
    const char *via;          /* borrowed from the diff; of an includer */
    const char *note;         /* static; why it is listed though nothing is judged, else NULL */
    bool cuda;                /* to be judged; else it is listed alone */
    bool policy_changed;      /* it is the policy, or a reference or baseline that it names */
    struct cmpd_git_lines lines;
    struct cmpd_file_result *result; /* owned until the document takes it */
};

struct cmpd_review {
    const struct cmpd_options *opt; /* borrowed */
    struct cmpd_git *git;           /* owned, as all below */
    struct cmpd_git_commit base, head, merge_base;
    struct cmpd_git_diff diff;
    struct cmpd_policy *policy;
    struct cmpd_strings include_dirs;
    struct cmpd_git_tree tree; /* of head; filled when someone asks who includes what */
    const char **gone; /* code that head has no longer, ascending; the strings are the diff's */
    size_t gone_count;
    struct cmpd_includes *includes;
    struct cmpd_review_file *files;
    size_t count, cap;
    struct cmpd_export export;
};

/*
 * The policy of base's tree, or --policy's. CMPD_EINPUT, CMPD_ELIMIT: it is broken; the message names file and place.
 * No cmpd.json: the defaults.
 */
cmpd_rc cmpd_review_policy(const struct cmpd_review *rv, struct cmpd_policy **out,
                           struct cmpd_err *err);

/* Does the change touch what judges it: cmpd.json, or a reference or baseline that the policy (may be NULL) names? */
bool cmpd_review_judges(const struct cmpd_policy *policy, const struct cmpd_git_change *change);

/* Adds policy_changed to a file's result, with what is known of it. */
void cmpd_review_add_policy_changed(const struct cmpd_review *rv, struct cmpd_review_file *f);

/* Could the change matter to CUDA code at all? False: it passes at once. */
bool cmpd_review_relevant(const struct cmpd_review *rv, const struct cmpd_policy *policy);

/* Fills rv->files. CMPD_EIO, CMPD_ELIMIT. */
cmpd_rc cmpd_review_select(struct cmpd_review *rv, struct cmpd_err *err);

/* The map of who includes what at head, made when first asked for. */
cmpd_rc cmpd_review_includes(struct cmpd_review *rv, struct cmpd_err *err);

/* The static track of one file, held against the merge base. Safe in several threads for different files. */
void cmpd_review_judge_static(const struct cmpd_review *rv, struct cmpd_review_file *f);

/*
 * Marks what stands on base too, takes back what the change itself allows, and forgets an operator that the change
 * itself names. `base` is the result of the merge base's text, NULL if there was none. `same`: both texts are equal.
 */
void cmpd_review_compare(const struct cmpd_review *rv, struct cmpd_review_file *f,
                         const struct cmpd_file_result *base, bool same);

/*
 * For files that stood on base and do not compile at head: compiles base's version too, and what fails there in the
 * same words becomes compile_environment. After the dynamic track.
 */
void cmpd_review_base_compile(struct cmpd_review *rv);

/* Its core: compile_error findings of head that base has too become compile_environment; head is settled again. */
void cmpd_review_forgive_base(struct cmpd_file_result *head, const struct cmpd_file_result *base,
                              const struct cmpd_policy *policy);

/* Sets in_diff and, by --filter, hidden of every finding. To be called when no finding will be added. */
void cmpd_review_mark_shown(const struct cmpd_review *rv, struct cmpd_review_file *f);

#endif
