/* cmpd review: the CUDA files that a change touches. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/commands.h"
#include "bot/git/merge_base.h"
#include "bot/review/review.h"
#include "gpu-runner/compile/repo_index.h"

static void clear_review(struct cmpd_review *rv)
{
    for (size_t i = 0; i < rv->count; i++) {
        cmpd_git_lines_clear(&rv->files[i].lines);
        cmpd_file_result_free(rv->files[i].result);
        free(rv->files[i].own.path);
    }
    free(rv->files);
    cmpd_export_end(&rv->export);
    cmpd_includes_free(rv->includes);
    free(rv->gone);
    cmpd_git_tree_clear(&rv->tree);
    cmpd_include_dirs_clear(&rv->include_dirs);
    cmpd_policy_free(rv->policy);
    cmpd_git_diff_clear(&rv->diff);
    cmpd_git_close(rv->git);
}

static cmpd_rc check_usage(const struct cmpd_options *opt, struct cmpd_err *err)
{
    if (opt->arg_count)
        return cmpd_err_set(err, CMPD_EUSAGE, "cmpd review takes no FILE ('%.200s')", opt->args[0]);
    if (!opt->value[CMPD_OPT_base])
        return cmpd_err_set(err, CMPD_EUSAGE,
                            "cmpd review needs --base REV, the branch that the change goes into");
    return CMPD_OK;
}

/* The revisions and what lies between them. */
static cmpd_rc find_change(struct cmpd_review *rv, struct cmpd_err *err)
{
    const struct cmpd_options *opt = rv->opt;
    git_oid merge_base;

    cmpd_rc rc = cmpd_git_open(opt->value[CMPD_OPT_repo], &rv->git, err);
    if (rc == CMPD_OK)
        rc = cmpd_git_revision(rv->git, opt->value[CMPD_OPT_base], &rv->base, err);
    if (rc == CMPD_OK)
        rc = cmpd_git_revision(rv->git, opt->value[CMPD_OPT_head], &rv->head, err);
    if (rc == CMPD_OK)
        rc = cmpd_git_merge_base(rv->git, &rv->base.commit, &rv->head.commit, &merge_base, err);
    if (rc == CMPD_OK)
        rc = cmpd_git_commit_of(rv->git, &merge_base, &rv->merge_base, err);
    if (rc == CMPD_OK)
        rc = cmpd_git_diff(rv->git, &rv->merge_base.tree, &rv->head.tree, &rv->diff, err);
    return rc;
}

static void warn_of_cut_renames(const struct cmpd_review *rv)
{
    if (rv->diff.renames_cut)
        fprintf(stderr,
                "cmpd: too many files were added and deleted to pair them all; some renamed "
                "files count as new\n");
}

static void static_at(void *ctx, size_t i)
{
    struct cmpd_review *rv = ctx;
    cmpd_review_judge_static(rv, &rv->files[i]);
}

static bool goes_on(const struct cmpd_review *rv, const struct cmpd_review_file *f)
{
    return f->cuda && f->result->error.rc == CMPD_OK && !rv->opt->static_only &&
           cmpd_findings_verdict(&f->result->findings) != CMPD_REJECT;
}

static void dynamic_at(void *ctx, size_t i)
{
    struct cmpd_review *rv = ctx;
    struct cmpd_review_file *f = &rv->files[i];
    struct cmpd_judge judge = {.opt = rv->opt, .policy = rv->policy, .root = rv->export.root};

    if (f->cuda && f->result->error.rc == CMPD_OK && !f->result->dynamic.why)
        cmpd_judge_dynamic(&judge, f->result, f->to->path);
}

/* What could not be written out can't be compiled, and is not decided. */
static void no_sources(const struct cmpd_review *rv, struct cmpd_review_file *f,
                       const struct cmpd_err *why)
{
    CMPD_AUTOFREE char *message = cmpd_asprintf("the file was not compiled: %s", why->msg);

    free(f->result->dynamic.why);
    f->result->dynamic.status = CMPD_DYNAMIC_UNAVAILABLE;
    f->result->dynamic.why = cmpd_strdup(why->msg);
    cmpd_file_result_add(f->result, rv->policy, CMPD_TAG_runner_unavailable, CMPD_TIER_REVIEW, 0, 0,
                         message);
    cmpd_file_result_settle(f->result, rv->policy);
}

/*
 * An operator of the project's own comes from where the policy does, base: written first, so that a file of head at its
 * path does not take its place.
 */
static cmpd_rc export_references(struct cmpd_review *rv, struct cmpd_err *err)
{
    for (size_t i = 0; i < rv->policy->kernel_count; i++) {
        const struct cmpd_kernel_policy *k = &rv->policy->kernels[i];
        const char *path = k->reference_file ? k->reference_file : k->reference_command;
        struct cmpd_err why = {0};
        cmpd_rc rc = path ? cmpd_export_one(&rv->export, rv->git, &rv->base.tree, path, &why)
                          : CMPD_OK;
        if (rc != CMPD_OK &&
            rc != CMPD_ENOENT) { /* one that is not there is said when it is needed */
            if (err)
                *err = why;
            return rc;
        }
    }
    return CMPD_OK;
}

/* Build files say which macros a file is compiled with; the compile stage looks there. */
static cmpd_rc begin_export(struct cmpd_review *rv, struct cmpd_err *err)
{
    if (rv->export.root)
        return CMPD_OK;
    cmpd_rc rc = cmpd_export_begin(&rv->export, err);
    if (rc == CMPD_OK)
        rc = export_references(rv, err);
    if (rc == CMPD_OK)
        rc = cmpd_review_includes(rv, err);
    if (rc == CMPD_OK)
        rc = cmpd_export_matching(&rv->export, rv->git, &rv->tree, cmpd_repo_is_build_file, err);
    return rc;
}

/* The compiler reads files, so those that head's tree holds are written to a folder of our own. */
static cmpd_rc write_sources(struct cmpd_review *rv, struct cmpd_err *err)
{
    for (size_t i = 0; i < rv->count; i++) {
        struct cmpd_review_file *f = &rv->files[i];
        struct cmpd_err why = {0};
        if (!goes_on(rv, f))
            continue;
        cmpd_rc rc = begin_export(rv, err);
        if (rc != CMPD_OK)
            return rc;
        if (cmpd_export_closure(&rv->export, rv->git, rv->includes, f->to->path, &why) != CMPD_OK)
            no_sources(rv, f, &why);
    }
    return CMPD_OK;
}

static cmpd_rc judge(struct cmpd_review *rv, struct cmpd_err *err)
{
    cmpd_rc rc = cmpd_review_policy(rv, &rv->policy, err);

    if (!cmpd_review_relevant(rv, rv->policy)) {
        /* Nothing is judged, so that a broken policy does not matter. */
        if (!rv->policy)
            rv->policy = cmpd_policy_new();
        return CMPD_OK;
    }
    if (rc == CMPD_OK)
        rc = cmpd_review_select(rv, err);
    if (rc != CMPD_OK)
        return rc;
    warn_of_cut_renames(rv);
    cmpd_parallel(rv->count, rv->opt->jobs, static_at, rv);
    rc = write_sources(rv, err);
    if (rc != CMPD_OK)
        return rc;
    cmpd_parallel(rv->count, rv->opt->jobs, dynamic_at, rv);
    cmpd_review_base_compile(rv);
    for (size_t i = 0; i < rv->count; i++)
        cmpd_review_mark_shown(rv, &rv->files[i]);
    return CMPD_OK;
}

static char *hex_of(const git_oid *id)
{
    char hex[GIT_OID_HEXSZ + 1];
    return cmpd_strdup(git_oid_tostr(hex, sizeof hex, id));
}

static int finish(struct cmpd_review *rv)
{
    struct cmpd_document doc = {0};

    doc.base = hex_of(&rv->base.commit);
    doc.head = hex_of(&rv->head.commit);
    doc.merge_base = hex_of(&rv->merge_base.commit);
    doc.filter = rv->opt->value[CMPD_OPT_filter];
    doc.advisory = !rv->policy->enforce;
    for (size_t i = 0; i < rv->count; i++) {
        cmpd_document_add_take(&doc, rv->files[i].result);
        rv->files[i].result = NULL;
    }
    int status = cmpd_finish(&doc, rv->opt);
    cmpd_document_clear(&doc);
    return status;
}

static int run(struct cmpd_options *opt)
{
    struct cmpd_review rv = {.opt = opt, .export = CMPD_EXPORT_INIT};
    struct cmpd_err err = {0};

    cmpd_rc rc = check_usage(opt, &err);
    if (rc == CMPD_OK)
        rc = find_change(&rv, &err);
    if (rc == CMPD_OK)
        rc = judge(&rv, &err);
    int status = rc == CMPD_OK ? finish(&rv) : cmpd_fail(opt, &err);
    clear_review(&rv);
    return status;
}

int cmpd_cmd_review(int argc, char **argv)
{
    return cmpd_command_run(CMPD_CMD_review, argc, argv, run);
}
