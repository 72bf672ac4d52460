/* Results of files and of whole runs: what is added after the static track, and what it all comes to. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/check.h"
#include "analysis/verdict/report.h"

void cmpd_file_result_free(struct cmpd_file_result *r)
{
    if (!r)
        return;
    free(r->path);
    free(r->old_path);
    cmpd_findings_clear(&r->findings);
    for (size_t i = 0; i < r->clean.count; i++)
        free(r->clean.items[i]);
    free(r->clean.items);
    free(r->op_comment);
    cmpd_source_free(r->source);
    free(r->dynamic.why);
    json_decref(r->dynamic.details);
    cmpd_change_free(r->change);
    free(r);
}

struct cmpd_file_result *cmpd_file_result_failed(const char *path, const struct cmpd_err *why)
{
    struct cmpd_file_result *r = cmpd_calloc(1, sizeof *r);
    r->path = cmpd_strdup(path);
    r->error = *why;
    r->verdict = CMPD_REVIEW;
    r->dynamic.status = CMPD_DYNAMIC_SKIPPED;
    r->dynamic.why = cmpd_strdup("the file could not be judged");
    return r;
}

/* The text of a line, or an empty one. */
static size_t line_text(const struct cmpd_source *src, uint32_t line, const char **text)
{
    *text = "";
    if (!src || line == 0 || line > src->line_count)
        return 0;
    size_t from = src->line_start[line - 1];
    size_t to = line < src->line_count ? src->line_start[line] : src->len;
    *text = src->text + from;
    return to - from;
}

struct cmpd_finding *cmpd_file_result_add(struct cmpd_file_result *r,
                                          const struct cmpd_policy *policy, enum cmpd_tag tag,
                                          enum cmpd_tier tier, uint32_t line, uint32_t column,
                                          const char *message)
{
    struct cmpd_findings *list = &r->findings;
    CMPD_GROW(list->items, list->count + 1, list->cap);
    struct cmpd_finding *f = &list->items[list->count++];
    enum cmpd_tier top = cmpd_tag_info(tag)->tier;
    *f = (struct cmpd_finding){
        .tag = tag,
        .tier = cmpd_policy_tier(policy, tag, tier < top ? tier : top),
        .track = CMPD_TRACK_DYNAMIC,
        .line = line,
        .column = line ? column : 0,
        .end_line = line,
        .end_column = line ? column : 0,
        .message = cmpd_strdup(message),
    };
    const char *text;
    size_t len = line_text(r->source, line, &text);
    if (len == 0) {
        text = message;
        len = strlen(message);
    }
    cmpd_fingerprint_text(tag, NULL, text, len, f->content_hash);
    return f;
}

static bool undecided(const struct cmpd_file_result *r, const struct cmpd_policy *policy)
{
    if (r->error.rc != CMPD_OK || (!r->static_done && policy->require[CMPD_STAGE_STATIC]))
        return true;
    if (r->scope_static || r->dynamic.status == CMPD_DYNAMIC_DONE)
        return !r->scope_static && r->dynamic.undecided;
    for (int s = CMPD_STAGE_COMPILE; s < CMPD_STAGE_COUNT; s++) {
        if (policy->require[s])
            return true;
    }
    return false;
}

void cmpd_file_result_settle(struct cmpd_file_result *r, const struct cmpd_policy *policy)
{
    cmpd_findings_sort(&r->findings);
    cmpd_fingerprints_number(&r->findings);
    r->verdict = cmpd_findings_verdict(&r->findings);
    if (r->verdict == CMPD_PASS && undecided(r, policy))
        r->verdict = CMPD_REVIEW;
}

void cmpd_document_add_take(struct cmpd_document *doc, struct cmpd_file_result *r)
{
    CMPD_GROW(doc->files, doc->count + 1, doc->cap);
    doc->files[doc->count++] = r;
}

void cmpd_document_settle(struct cmpd_document *doc)
{
    doc->verdict = doc->error.rc != CMPD_OK ? CMPD_REVIEW : CMPD_PASS;
    for (size_t i = 0; i < doc->count; i++) {
        if (doc->files[i]->verdict > doc->verdict)
            doc->verdict = doc->files[i]->verdict;
    }
}

void cmpd_document_clear(struct cmpd_document *doc)
{
    for (size_t i = 0; i < doc->count; i++)
        cmpd_file_result_free(doc->files[i]);
    free(doc->files);
    free(doc->base);
    free(doc->head);
    free(doc->merge_base);
    *doc = (struct cmpd_document){0};
}
