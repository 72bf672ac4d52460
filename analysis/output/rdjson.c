/* Reviewdog's rdjson; its columns count bytes, as ours do. */
#include "analysis/output/common.h"

static const char *severity(enum cmpd_tier t)
{
    return t == CMPD_TIER_REJECT ? "ERROR" : t == CMPD_TIER_REVIEW ? "WARNING" : "INFO";
}

static json_t *position(uint32_t line, uint32_t column)
{
    json_t *o = json_pack("{sI}", "line", (json_int_t)line);
    if (column)
        json_object_set_new(o, "column", json_integer(column));
    return o;
}

static json_t *diagnostic(const char *path, const struct cmpd_finding *f)
{
    json_t *o = json_object(), *place = json_object();
    struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_buf_puts(&text, f->message);
    if (f->hint)
        cmpd_buf_printf(&text, "\nhint: %s", f->hint);
    cmpd_json_add_text(o, "message", cmpd_buf_str(&text));
    cmpd_buf_clear(&text);
    cmpd_json_add_text(place, "path", path);
    if (f->line) {
        json_t *range = json_object();
        json_object_set_new(range, "start", position(f->line, f->column));
        if (f->column)
            json_object_set_new(range, "end", position(f->end_line, f->end_column));
        json_object_set_new(place, "range", range);
    }
    json_object_set_new(o, "location", place);
    cmpd_json_add_text(o, "severity", severity(f->tier));
    json_object_set_new(o, "code", json_pack("{ss}", "value", cmpd_tag_info(f->tag)->name));
    return o;
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    json_t *list = json_array();
    enum cmpd_tier worst = CMPD_TIER_NOTE;
    (void)env;
    for (size_t i = 0; i < doc->count; i++) {
        const struct cmpd_findings *findings = &doc->files[i]->findings;
        for (size_t k = 0; k < findings->count; k++) {
            const struct cmpd_finding *f = &findings->items[k];
            if (!cmpd_output_shown(f))
                continue;
            json_array_append_new(list, diagnostic(doc->files[i]->path, f));
            worst = f->tier > worst ? f->tier : worst;
        }
    }
    json_t *root = json_object();
    json_object_set_new(root, "source", json_pack("{ss}", "name", "cmpd"));
    cmpd_json_add_text(root, "severity", severity(worst));
    json_object_set_new(root, "diagnostics", list);
    cmpd_json_write_take(root, out);
}

const struct cmpd_output_ops cmpd_output_rdjson = {
    .name = "rdjson",
    .summary = "reviewdog's diagnostics",
    .render = render,
};
