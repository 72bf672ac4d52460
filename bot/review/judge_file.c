/* One file of a review: its text at head and at the merge base, and the static track of both. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "bot/git/path.h"
#include "bot/review/review.h"

struct text {
    char *bytes; /* owned; NULL: not there */
    size_t len;
};

static void free_text(struct text *t)
{
    free(t->bytes);
}
#define TEXT_AUTO __attribute__((cleanup(free_text)))

static bool is_lfs_pointer(const struct text *t)
{
    static const char first[] = "version https://git-lfs.github.com/spec/";
    return t->len < 1024 && t->len > sizeof first && memcmp(t->bytes, first, sizeof first - 1) == 0;
}

/* A link's bytes are where it leads; it is read as a blob, never followed. */
static bool has_bytes(const struct cmpd_git_side *side)
{
    return side && (cmpd_git_mode_is_file(side->mode) || side->mode == GIT_FILEMODE_LINK);
}

static cmpd_rc read_side(struct cmpd_git *git, const struct cmpd_git_side *side, struct text *out,
                         struct cmpd_err *err)
{
    if (!has_bytes(side))
        return CMPD_OK;
    return cmpd_git_blob(git, &side->oid, CMPD_SOURCE_CEILING_BYTES, &out->bytes, &out->len, err);
}

/* What stands at head but can't be judged as CUDA. */
static cmpd_rc refuse(const struct cmpd_git_side *side, const struct text *head, const char *shown,
                      struct cmpd_err *err)
{
    if (side->mode == GIT_FILEMODE_LINK) {
        CMPD_AUTOFREE char *to = cmpd_path_shown(head->bytes);
        return cmpd_err_set(err, CMPD_EINPUT,
                            "%s: a symbolic link to %.200s; links are not followed", shown, to);
    }
    if (is_lfs_pointer(head))
        return cmpd_err_set(err, CMPD_EINPUT,
                            "%s: a Git LFS pointer; the content is not in the repository", shown);
    return CMPD_OK;
}

/* Another kind of thing took the place of the old: all of one is gone, all of the other is new. */
static cmpd_rc replaced_lines(const struct text *base, const struct text *head,
                              struct cmpd_git_lines *out, struct cmpd_err *err)
{
    struct cmpd_git_lines gone = {0};
    cmpd_rc rc = CMPD_OK;

    if (head->bytes)
        rc = cmpd_git_lines(NULL, 0, head->bytes, head->len, out, err);
    if (rc == CMPD_OK && base->bytes)
        rc = cmpd_git_lines(base->bytes, base->len, NULL, 0, &gone, err);
    if (rc == CMPD_OK) {
        out->removed = gone.removed;
        out->removed_count = gone.removed_count;
        gone.removed = NULL;
    }
    cmpd_git_lines_clear(&gone);
    return rc;
}

static cmpd_rc find_lines(struct cmpd_review_file *f, const struct text *base,
                          const struct text *head, struct cmpd_err *err)
{
    if (!base->bytes && !head->bytes)
        return CMPD_OK;
    if (f->status == CMPD_CHANGE_TYPE)
        return replaced_lines(base, head, &f->lines, err);
    return cmpd_git_lines(base->bytes, base->len, head->bytes, head->len, &f->lines, err);
}

/* The lines become part of the result too, for the forms that show them. */
static void describe_change(struct cmpd_review_file *f)
{
    struct cmpd_change *c = cmpd_calloc(1, sizeof *c);

    c->status = f->status;
    c->via = f->via ? cmpd_path_shown(f->via) : NULL;
    c->note = cmpd_strdup(f->note);
    c->added_count = f->lines.added_count;
    c->added = cmpd_calloc(c->added_count, sizeof *c->added);
    c->removed_count = f->lines.removed_count;
    c->removed = cmpd_calloc(c->removed_count, sizeof *c->removed);
    if (c->added_count)
        memcpy(c->added, f->lines.added, c->added_count * sizeof *c->added);
    if (c->removed_count)
        memcpy(c->removed, f->lines.removed, c->removed_count * sizeof *c->removed);
    f->result->change = c;
    if (f->from && f->to && strcmp(f->from->path, f->to->path) != 0)
        f->result->old_path = cmpd_path_shown(f->from->path);
}

static bool same_content(const struct cmpd_review_file *f)
{
    return f->from && f->to && cmpd_git_mode_is_file(f->from->mode) &&
           git_oid_equal(&f->from->oid, &f->to->oid);
}

/* Headers as a commit has them. */
struct commit_headers {
    struct cmpd_git *git; /* borrowed, as the tree */
    const git_oid *tree;
};

static bool read_header(void *ctx, const char *path, size_t ceiling, char **text, size_t *len)
{
    const struct commit_headers *c = ctx;
    struct cmpd_git_entry at;
    return cmpd_git_entry_at(c->git, c->tree, path, &at, NULL) == CMPD_OK &&
           cmpd_git_mode_is_file(at.mode) &&
           cmpd_git_blob(c->git, &at.oid, ceiling, text, len, NULL) == CMPD_OK;
}

/* The static track of a text with the headers of its own commit. Takes src over. */
static struct cmpd_file_result *judge_side_take(const struct cmpd_review *rv,
                                                const struct cmpd_git_commit *commit,
                                                const char *path, struct cmpd_source *src)
{
    struct commit_headers from = {rv->git, &commit->tree};
    struct cmpd_headers headers = {.read = read_header, .ctx = &from, .file = path};
    struct cmpd_judge judge = {
        .opt = rv->opt, .policy = rv->policy, .root = rv->export.root, .headers = &headers};
    return cmpd_judge_static_take(&judge, src);
}

/* The base side is analysed only where the head side has something that it could answer for. */
static void judge_against_base(const struct cmpd_review *rv, struct cmpd_review_file *f,
                               struct text *base)
{
    struct cmpd_file_result *before = NULL;
    struct cmpd_source *src = NULL;
    /* An includer's text is the same, but not what its headers say. */
    bool same = same_content(f) && f->status != CMPD_CHANGE_INCLUDER;
    bool asked = f->result->findings.count || f->result->op_comment;

    bool comparable = base->bytes && f->status != CMPD_CHANGE_TYPE;
    if (!same && asked && comparable &&
        cmpd_source_new_take(f->from->path, base->bytes, base->len, &src, NULL) == CMPD_OK) {
        base->bytes = NULL;
        before = judge_side_take(rv, &rv->merge_base, f->from->path, src);
    }
    cmpd_review_compare(rv, f, before, same);
    cmpd_file_result_free(before);
}

static void fail(struct cmpd_review_file *f, const char *shown, const struct cmpd_err *err)
{
    f->result = cmpd_file_result_failed(shown, err);
}

static void judge_cuda(const struct cmpd_review *rv, struct cmpd_review_file *f, const char *shown)
{
    TEXT_AUTO struct text head = {0};
    TEXT_AUTO struct text base = {0};
    struct cmpd_source *src = NULL;
    struct cmpd_err err = {0};

    /* With no base text all lines count as added: more is judged, never less. */
    read_side(rv->git, f->from, &base, NULL);
    cmpd_rc rc = read_side(rv->git, f->to, &head, &err);
    if (rc != CMPD_OK)
        cmpd_err_prefix(&err, "%s", shown);
    else
        rc = find_lines(f, &base, &head, &err);
    if (rc == CMPD_OK)
        rc = refuse(f->to, &head, shown, &err);
    if (rc == CMPD_OK)
        rc = cmpd_source_new_take(shown, head.bytes, head.len, &src, &err);
    if (rc != CMPD_OK) {
        fail(f, shown, &err);
        return;
    }
    head.bytes = NULL;
    f->result = judge_side_take(rv, &rv->head, f->to->path, src);
    judge_against_base(rv, f, &base);
}

/* A file that is only listed; its lines are wanted all the same. */
static void list_only(const struct cmpd_review *rv, struct cmpd_review_file *f, const char *shown)
{
    TEXT_AUTO struct text head = {0};
    TEXT_AUTO struct text base = {0};

    f->result = cmpd_calloc(1, sizeof *f->result);
    f->result->path = cmpd_strdup(shown);
    f->result->scope_static = rv->opt->static_only;
    f->result->dynamic.status = CMPD_DYNAMIC_SKIPPED;
    f->result->dynamic.why = cmpd_strdup("nothing to run");
    read_side(rv->git, f->to, &head, NULL);
    read_side(rv->git, f->from, &base, NULL);
    find_lines(f, &base, &head, NULL);
}

void cmpd_review_judge_static(const struct cmpd_review *rv, struct cmpd_review_file *f)
{
    CMPD_AUTOFREE char *shown = cmpd_path_shown(f->to ? f->to->path : f->from->path);

    if (f->cuda)
        judge_cuda(rv, f, shown);
    else
        list_only(rv, f, shown);
    describe_change(f);
    if (f->policy_changed)
        cmpd_review_add_policy_changed(rv, f);
    cmpd_file_result_settle(f->result, rv->policy);
    if (!f->cuda)
        f->result->verdict = cmpd_findings_verdict(&f->result->findings);
}
