/* GitLab's Code Quality report: a list with one entry a finding. */
#include <string.h>

#include "analysis/base/sha256.h"
#include "analysis/output/common.h"

static const char *severity(enum cmpd_tier t)
{
    return t == CMPD_TIER_REJECT ? "blocker" : t == CMPD_TIER_REVIEW ? "major" : "info";
}

/* GitLab drops entries of one fingerprint; equal code in two files gives equal ones, so the later is told apart. */
static void add_fingerprint(json_t *o, json_t *seen, const char *path, const char *fingerprint)
{
    char own[33];
    memcpy(own, fingerprint, sizeof own);
    while (json_object_get(seen, own)) {
        struct cmpd_sha256 h;
        cmpd_sha256_init(&h);
        cmpd_sha256_update(&h, own, strlen(own));
        cmpd_sha256_update(&h, path, strlen(path));
        cmpd_sha256_final_hex(&h, own, 32);
    }
    json_object_set_new(seen, own, json_true());
    cmpd_json_add_text(o, "fingerprint", own);
}

static json_t *entry(const char *path, const struct cmpd_finding *f, json_t *seen)
{
    const char *tag = cmpd_tag_info(f->tag)->name;
    json_t *o = json_object(), *place = json_object(), *lines = json_object();
    struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_buf_printf(&text, "%s: %s", tag, f->message);
    if (f->hint)
        cmpd_buf_printf(&text, " (%s)", f->hint);
    cmpd_json_add_text(o, "description", cmpd_buf_str(&text));
    cmpd_buf_clear(&text);
    cmpd_json_add_text(o, "check_name", tag);
    add_fingerprint(o, seen, path, f->fingerprint);
    cmpd_json_add_text(o, "severity", severity(f->tier));
    cmpd_json_add_text(place, "path", path);
    json_object_set_new(lines, "begin", json_integer(f->line ? f->line : 1));
    if (f->line && f->end_line > f->line)
        json_object_set_new(lines, "end", json_integer(f->end_line));
    json_object_set_new(place, "lines", lines);
    json_object_set_new(o, "location", place);
    return o;
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    json_t *list = json_array(), *seen = json_object();
    (void)env;
    for (size_t i = 0; i < doc->count; i++) {
        const struct cmpd_findings *findings = &doc->files[i]->findings;
        for (size_t k = 0; k < findings->count; k++) {
            if (cmpd_output_shown(&findings->items[k]))
                json_array_append_new(list, entry(doc->files[i]->path, &findings->items[k], seen));
        }
    }
    json_decref(seen);
    cmpd_json_write_take(list, out);
}

const struct cmpd_output_ops cmpd_output_gitlab = {
    .name = "gitlab",
    .summary = "GitLab's Code Quality report",
    .render = render,
};
