/* The document as cmpd.verdict.v1 (config/schema/verdict.schema.json). */
#include <string.h>

#include "analysis/base/version.h"
#include "analysis/output/common.h"

static json_t *reasons(const enum cmpd_tag *tags, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(cmpd_tag_info(tags[i])->name));
    return list;
}

static json_t *error_object(const struct cmpd_err *err)
{
    json_t *o = json_object();
    json_object_set_new(o, "exit_status", json_integer(cmpd_rc_exit_status(err->rc)));
    cmpd_json_add_text(o, "message", err->msg);
    return o;
}

static void add_place(json_t *o, const struct cmpd_finding *f)
{
    if (!f->line)
        return;
    json_object_set_new(o, "line", json_integer(f->line));
    if (!f->column)
        return;
    json_object_set_new(o, "column", json_integer(f->column));
    json_object_set_new(o, "end_line", json_integer(f->end_line));
    json_object_set_new(o, "end_column", json_integer(f->end_column));
}

static json_t *finding_object(const struct cmpd_finding *f)
{
    const struct cmpd_tag_info *info = cmpd_tag_info(f->tag);
    json_t *o = json_object();
    cmpd_json_add_text(o, "rule", info->rule);
    cmpd_json_add_text(o, "reason", info->name);
    cmpd_json_add_text(o, "tier", cmpd_tier_name(f->tier));
    cmpd_json_add_text(o, "track", f->track == CMPD_TRACK_STATIC ? "static" : "dynamic");
    add_place(o, f);
    cmpd_json_add_text(o, "kernel", f->kernel);
    cmpd_json_add_text(o, "message", f->message);
    cmpd_json_add_text(o, "hint", f->hint);
    cmpd_json_add_text(o, "replay", f->replay);
    if (f->also_line) {
        json_t *also = json_object();
        cmpd_json_add_text(also, "file", f->also_file);
        json_object_set_new(also, "line", json_integer(f->also_line));
        json_object_set_new(o, "also", also);
    }
    cmpd_json_add_text(o, "fingerprint", f->fingerprint);
    if (f->preexisting)
        json_object_set_new(o, "preexisting", json_true());
    if (f->in_diff)
        json_object_set_new(o, "in_diff", json_true());
    if (f->suppressed)
        json_object_set_new(o, "why", cmpd_json_text(f->suppress_why));
    return o;
}

static enum cmpd_verdict static_verdict(const struct cmpd_file_result *r)
{
    enum cmpd_verdict v = r->static_done ? CMPD_PASS : CMPD_REVIEW;
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (f->suppressed || f->track != CMPD_TRACK_STATIC || f->tier == CMPD_TIER_NOTE)
            continue;
        enum cmpd_verdict of = f->tier == CMPD_TIER_REJECT ? CMPD_REJECT : CMPD_REVIEW;
        v = of > v ? of : v;
    }
    return v;
}

static json_t *timing_object(const struct cmpd_timing *t)
{
    return json_pack("{sf sf sf sf sf sf sf}", "lex", t->lex_ms, "scan", t->scan_ms, "unit",
                     t->unit_ms, "parse", t->parse_ms, "lower", t->lower_ms, "facts", t->facts_ms,
                     "rules", t->rules_ms);
}

static json_t *static_object(const struct cmpd_file_result *r)
{
    json_t *o = json_object();
    cmpd_json_add_text(o, "status", r->static_done ? "done" : "skipped");
    if (!r->static_done)
        return o;
    cmpd_json_add_text(o, "verdict", cmpd_verdict_name(static_verdict(r)));
    cmpd_json_add_text(o, "layer", cmpd_output_layer(r->layer));
    json_object_set_new(o, "elapsed_ms", json_real(r->static_elapsed_ms));
    json_object_set_new(o, "timing_ms", timing_object(&r->timing));
    json_object_set_new(o, "kernels", json_integer(r->kernel_count));
    json_object_set_new(o, "launches", json_integer(r->launch_count));
    json_t *clean = json_array();
    for (size_t i = 0; i < r->clean.count; i++)
        json_array_append_new(clean, cmpd_json_text(r->clean.items[i]));
    json_object_set_new(o, "clean", clean);
    return o;
}

static json_t *dynamic_object(const struct cmpd_file_result *r)
{
    json_t *o = r->dynamic.details ? json_deep_copy(r->dynamic.details) : json_object();
    cmpd_json_add_text(o, "status", cmpd_output_status(r->dynamic.status));
    if (r->dynamic.status != CMPD_DYNAMIC_DONE)
        cmpd_json_add_text(o, "why", cmpd_output_dynamic_why(r));
    return o;
}

static json_t *ranges(const struct cmpd_line_range *list, size_t count)
{
    json_t *a = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(a,
                              json_pack("[II]", (json_int_t)list[i].from, (json_int_t)list[i].to));
    return a;
}

static json_t *change_object(const struct cmpd_change *c)
{
    json_t *o = json_object();
    cmpd_json_add_text(o, "status", cmpd_change_name(c->status));
    cmpd_json_add_text(o, "via", c->via);
    cmpd_json_add_text(o, "note", c->note);
    json_object_set_new(o, "added", ranges(c->added, c->added_count));
    json_object_set_new(o, "removed", ranges(c->removed, c->removed_count));
    return o;
}

static void add_findings(json_t *o, const struct cmpd_file_result *r)
{
    json_t *shown = json_array(), *suppressed = json_array();
    json_int_t hidden = 0;
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (f->suppressed)
            json_array_append_new(suppressed, finding_object(f));
        else if (f->hidden)
            hidden++;
        else
            json_array_append_new(shown, finding_object(f));
    }
    json_object_set_new(o, "findings", shown);
    json_object_set_new(o, "suppressed", suppressed);
    if (hidden)
        json_object_set_new(o, "hidden", json_integer(hidden));
}

static json_t *file_object(const struct cmpd_file_result *r)
{
    enum cmpd_tag tags[CMPD_TAG_COUNT];
    json_t *o = json_object();
    cmpd_json_add_text(o, "path", r->path);
    cmpd_json_add_text(o, "old_path", r->old_path);
    if (r->sha256[0])
        cmpd_json_add_text(o, "sha256", r->sha256);
    if (r->change)
        json_object_set_new(o, "change", change_object(r->change));
    cmpd_json_add_text(o, "verdict", cmpd_verdict_name(r->verdict));
    if (r->scope_static)
        cmpd_json_add_text(o, "scope", "static");
    json_object_set_new(o, "reasons", reasons(tags, cmpd_output_reasons(&r->findings, tags)));
    if (r->error.rc != CMPD_OK)
        json_object_set_new(o, "error", error_object(&r->error));
    cmpd_json_add_text(o, "op", r->op_comment_new ? NULL : r->op_comment);
    add_findings(o, r);
    json_object_set_new(o, "static", static_object(r));
    json_object_set_new(o, "dynamic", dynamic_object(r));
    return o;
}

static bool all_static(const struct cmpd_document *doc)
{
    for (size_t i = 0; i < doc->count; i++) {
        if (!doc->files[i]->scope_static)
            return false;
    }
    return doc->count > 0;
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    enum cmpd_tag tags[CMPD_TAG_COUNT];
    json_t *root = json_object();
    (void)env;
    cmpd_json_add_text(root, "schema", "cmpd.verdict.v1");
    json_object_set_new(root, "tool",
                        json_pack("{ss ss}", "name", "cmpd", "version", cmpd_version()));
    cmpd_json_add_text(root, "verdict", cmpd_verdict_name(doc->verdict));
    if (all_static(doc))
        cmpd_json_add_text(root, "scope", "static");
    json_object_set_new(root, "reasons", reasons(tags, cmpd_output_document_reasons(doc, tags)));
    if (doc->error.rc != CMPD_OK)
        json_object_set_new(root, "error", error_object(&doc->error));
    cmpd_json_add_text(root, "base", doc->base);
    cmpd_json_add_text(root, "head", doc->head);
    cmpd_json_add_text(root, "merge_base", doc->merge_base);
    cmpd_json_add_text(root, "filter", doc->filter);
    if (doc->advisory)
        json_object_set_new(root, "advisory", json_true());
    json_t *files = json_array();
    for (size_t i = 0; i < doc->count; i++)
        json_array_append_new(files, file_object(doc->files[i]));
    json_object_set_new(root, "files", files);
    cmpd_json_write_take(root, out);
}

const struct cmpd_output_ops cmpd_output_json = {
    .name = "json",
    .summary = "cmpd.verdict.v1",
    .render = render,
};
