/* The whole static track over any bytes, and every form of its result. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/check.h"
#include "analysis/output/output.h"
#include "rules/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_findings(const struct cmpd_source *src, const struct cmpd_findings *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct cmpd_finding *f = &list->items[i];
        assert(f->message && f->message[0] && strlen(f->fingerprint) == 32);
        assert(f->line <= src->line_count && f->end_line <= src->line_count);
        assert(f->end_line >= f->line && (f->end_line > f->line || f->end_column >= f->column));
        assert(f->tier <= CMPD_TIER_REJECT);
        if (i)
            assert(list->items[i - 1].line <= f->line);
    }
}

static void check_forms(struct cmpd_document *doc)
{
    size_t count;
    const struct cmpd_output_ops *const *forms = cmpd_output_all(&count);
    struct cmpd_output_env env = {.color = true, .exit_status = 2};
    for (size_t i = 0; i < count; i++) {
        struct cmpd_buf out = CMPD_BUF_INIT;
        forms[i]->render(doc, &env, &out);
        if (strcmp(forms[i]->name, "json") == 0 || strcmp(forms[i]->name, "sarif") == 0) {
            json_t *parsed = json_loadb(cmpd_buf_str(&out), out.len, JSON_REJECT_DUPLICATES, NULL);
            assert(parsed);
            json_decref(parsed);
        }
        cmpd_buf_clear(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cmpd_policy *policy;
    struct cmpd_source *src = NULL;
    struct cmpd_err err = {0};
    if (!policy)
        policy = cmpd_policy_new();
    char *text = cmpd_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (cmpd_source_new_take("fuzz.cu", text, size, &src, &err) != CMPD_OK) {
        free(text);
        return 0;
    }
    struct cmpd_file_result *r = cmpd_check_static(src, policy, cmpd_ruleset());
    assert(r->error.rc != CMPD_OK || r->static_done);
    assert(r->error.rc == CMPD_OK || r->error.rc == CMPD_EINPUT);
    check_findings(src, &r->findings);
    r->source = src;
    struct cmpd_document doc = {0};
    cmpd_document_add_take(&doc, r);
    cmpd_document_settle(&doc);
    check_forms(&doc);
    cmpd_document_clear(&doc);
    return 0;
}
