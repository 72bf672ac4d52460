/*
 * A compile error that base has in the same words is no fault of the change: something that both
 * lack (the contract: compile_environment). Base is compiled only where head has an error and the
 * file stood there.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/review/review.h"
#include "gpu-runner/compile/repo_index.h"

static bool is_error(const struct cmpd_finding *f)
{
    return f->tag == CMPD_TAG_compile_error && !f->suppressed;
}

static bool has_error(const struct cmpd_file_result *r)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        if (is_error(&r->findings.items[i]))
            return true;
    }
    return false;
}

/* Are the texts equal but for numbers, such as those of lines? */
static bool same_words(const char *a, const char *b)
{
    while (*a || *b) {
        bool digits = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        if (!digits && *a != *b)
            return false;
        if (!digits) {
            a++;
            b++;
            continue;
        }
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
    }
    return true;
}

static bool base_says(const struct cmpd_file_result *base, const char *message)
{
    for (size_t i = 0; i < base->findings.count; i++) {
        const struct cmpd_finding *f = &base->findings.items[i];
        if (is_error(f) && same_words(f->message, message))
            return true;
    }
    return false;
}

void cmpd_review_forgive_base(struct cmpd_file_result *head, const struct cmpd_file_result *base,
                              const struct cmpd_policy *policy)
{
    size_t count = head->findings.count;
    for (size_t i = 0; i < count; i++) {
        struct cmpd_finding *f = &head->findings.items[i];
        if (!is_error(f) || !base_says(base, f->message))
            continue;
        CMPD_AUTOFREE char *message = cmpd_asprintf("%s (base fails the same way)", f->message);
        CMPD_AUTOFREE char *hint = f->hint;
        uint32_t line = f->line, column = f->column;
        f->hint = NULL;
        free(f->message);
        free(f->kernel);
        free(f->suppress_why);
        /* Added anew, so that tier and fingerprint follow the tag; it takes the old one's place. */
        struct cmpd_finding *added = cmpd_file_result_add(
            head, policy, CMPD_TAG_compile_environment, CMPD_TIER_REVIEW, line, column, message);
        added->hint = cmpd_strdup(hint);
        head->findings.items[i] = *added;
        head->findings.count--;
    }
    cmpd_file_result_settle(head, policy);
}

/* The merge base's tree, as head's is: written out as far as a compiler needs it. */
struct base_tree {
    struct cmpd_export export;
    struct cmpd_git_tree tree;
    struct cmpd_includes *includes; /* NULL: not begun */
};

static cmpd_rc begin(const struct cmpd_review *rv, struct base_tree *b, struct cmpd_err *err)
{
    if (b->includes)
        return CMPD_OK;
    cmpd_rc rc = cmpd_export_begin(&b->export, err);
    if (rc == CMPD_OK)
        rc = cmpd_git_tree_list(rv->git, &rv->merge_base.tree, &b->tree, err);
    if (rc == CMPD_OK)
        rc = cmpd_export_matching(&b->export, rv->git, &b->tree, cmpd_repo_is_build_file, err);
    if (rc == CMPD_OK)
        b->includes = cmpd_includes_new(rv->git, &b->tree, &rv->include_dirs, NULL, 0);
    return rc;
}

static void compile_base(struct cmpd_review *rv, struct base_tree *b, struct cmpd_review_file *f)
{
    struct cmpd_err why = {.rc = CMPD_OK};
    if (cmpd_export_closure(&b->export, rv->git, b->includes, f->from->path, &why) != CMPD_OK)
        return;
    struct cmpd_judge judge = {.opt = rv->opt, .policy = rv->policy, .root = b->export.root};
    struct cmpd_file_result *base = cmpd_file_result_failed(f->from->path, &why);
    base->kernel_count = 1; /* so that it is compiled whatever is in it */
    cmpd_judge_dynamic(&judge, base, f->from->path);
    cmpd_review_forgive_base(f->result, base, rv->policy);
    cmpd_file_result_free(base);
}

void cmpd_review_base_compile(struct cmpd_review *rv)
{
    struct base_tree b = {.export = CMPD_EXPORT_INIT};
    for (size_t i = 0; i < rv->count; i++) {
        struct cmpd_review_file *f = &rv->files[i];
        /* A base that can't be written out excuses nothing. */
        if (f->cuda && f->from && has_error(f->result) && begin(rv, &b, NULL) == CMPD_OK)
            compile_base(rv, &b, f);
    }
    cmpd_includes_free(b.includes);
    cmpd_git_tree_clear(&b.tree);
    cmpd_export_end(&b.export);
}
