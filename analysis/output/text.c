/* The form for people, as the contract shows it. */
#include <string.h>

#include "analysis/output/common.h"

enum paint { PLAIN, GOOD, WARN, BAD, DIM };

struct writer {
    struct cmpd_buf *out;
    bool color;
};

static const char *code(enum paint p)
{
    static const char *const codes[] = {"", "\033[32m", "\033[33m", "\033[31m", "\033[2m"};
    return codes[p];
}

static void put(struct writer *w, enum paint p, const char *text)
{
    if (w->color && p != PLAIN)
        cmpd_buf_puts(w->out, code(p));
    cmpd_line_append(w->out, text);
    if (w->color && p != PLAIN)
        cmpd_buf_puts(w->out, "\033[0m");
}

static enum paint paint_of_tier(enum cmpd_tier t)
{
    return t == CMPD_TIER_REJECT ? BAD : t == CMPD_TIER_REVIEW ? WARN : DIM;
}

static enum paint paint_of_verdict(enum cmpd_verdict v)
{
    return v == CMPD_REJECT ? BAD : v == CMPD_REVIEW ? WARN : GOOD;
}

static void put_place(struct writer *w, const char *path, const struct cmpd_finding *f)
{
    cmpd_line_append(w->out, path);
    if (f->line)
        cmpd_buf_printf(w->out, ":%u", f->line);
    if (f->line && f->column)
        cmpd_buf_printf(w->out, ":%u", f->column);
    cmpd_buf_puts(w->out, ": ");
}

static void put_remark(struct writer *w, const char *what, const char *text)
{
    if (!text)
        return;
    cmpd_buf_printf(w->out, "  %s: ", what);
    cmpd_line_append(w->out, text);
    cmpd_buf_putc(w->out, '\n');
}

static void put_finding(struct writer *w, const struct cmpd_file_result *r,
                        const struct cmpd_finding *f)
{
    put_place(w, r->path, f);
    put(w, paint_of_tier(f->tier), cmpd_tier_name(f->tier));
    cmpd_buf_printf(w->out, ": %s: ", cmpd_tag_info(f->tag)->name);
    cmpd_line_append(w->out, f->message);
    if (f->preexisting)
        cmpd_buf_puts(w->out, " (stands on base too)");
    cmpd_buf_putc(w->out, '\n');
    if (f->also_line) {
        cmpd_buf_puts(w->out, "  see also: ");
        cmpd_output_also(r, f, w->out);
        cmpd_buf_putc(w->out, '\n');
    }
    put_remark(w, "hint", f->hint);
    put_remark(w, "replay", f->replay);
}

static void put_allowed(struct writer *w, const struct cmpd_file_result *r)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (!f->suppressed)
            continue;
        put_place(w, r->path, f);
        cmpd_buf_printf(w->out, "allowed: %s: ", cmpd_tag_info(f->tag)->name);
        cmpd_line_append(w->out, f->suppress_why ? f->suppress_why : "no reason given");
        cmpd_buf_putc(w->out, '\n');
    }
}

static void put_findings(struct writer *w, const struct cmpd_file_result *r, enum cmpd_track track)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (f->track == track && cmpd_output_shown(f))
            put_finding(w, r, f);
    }
}

static enum cmpd_verdict verdict_of(const struct cmpd_file_result *r, enum cmpd_track track)
{
    enum cmpd_verdict v = CMPD_PASS;
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (f->suppressed || f->track != track || f->tier == CMPD_TIER_NOTE)
            continue;
        enum cmpd_verdict of = f->tier == CMPD_TIER_REJECT ? CMPD_REJECT : CMPD_REVIEW;
        v = of > v ? of : v;
    }
    return v;
}

static void put_verdict(struct writer *w, enum cmpd_verdict v, const char *remark)
{
    cmpd_buf_puts(w->out, "verdict: ");
    put(w, paint_of_verdict(v), cmpd_verdict_name(v));
    if (remark)
        cmpd_buf_printf(w->out, " (%s)", remark);
    cmpd_buf_putc(w->out, '\n');
}

static void put_static(struct writer *w, const struct cmpd_file_result *r)
{
    cmpd_buf_puts(w->out, "[static_review] ");
    cmpd_line_append(w->out, r->path);
    cmpd_buf_putc(w->out, '\n');
    if (r->change && r->change->note) {
        cmpd_line_append(w->out, r->change->note);
        cmpd_buf_putc(w->out, '\n');
    }
    if (!r->static_done) {
        put_findings(w, r, CMPD_TRACK_STATIC);
        return;
    }
    for (size_t i = 0; i < r->clean.count; i++) {
        put(w, GOOD, "+ ");
        cmpd_line_append(w->out, r->clean.items[i]);
        cmpd_buf_putc(w->out, '\n');
    }
    put_findings(w, r, CMPD_TRACK_STATIC);
    put_allowed(w, r);
    enum cmpd_verdict v = verdict_of(r, CMPD_TRACK_STATIC);
    bool goes_on = v != CMPD_REJECT && r->dynamic.status != CMPD_DYNAMIC_SKIPPED;
    put_verdict(w, v,
                goes_on           ? "enter dynamic track"
                : r->scope_static ? "static track alone"
                                  : NULL);
}

static void put_stage(void *ctx, enum cmpd_line_mark mark, const char *text)
{
    static const char *const heads[] = {"+ ", "- ", "? "};
    static const enum paint paints[] = {GOOD, BAD, WARN};
    struct writer *w = ctx;
    put(w, paints[mark], heads[mark]);
    cmpd_line_append(w->out, text);
    cmpd_buf_putc(w->out, '\n');
}

static void put_dynamic(struct writer *w, const struct cmpd_file_result *r)
{
    const json_t *device = json_object_get(r->dynamic.details, "device");
    if (r->dynamic.status == CMPD_DYNAMIC_SKIPPED) {
        if (!r->scope_static && r->error.rc == CMPD_OK) {
            cmpd_buf_puts(w->out, "[dynamic_check] skipped: ");
            cmpd_line_append(w->out, cmpd_output_dynamic_why(r));
            cmpd_buf_putc(w->out, '\n');
        }
        return;
    }
    cmpd_buf_puts(w->out, "[dynamic_check]");
    if (json_is_string(device)) {
        cmpd_buf_putc(w->out, ' ');
        cmpd_line_append(w->out, json_string_value(device));
    }
    cmpd_buf_putc(w->out, '\n');
    cmpd_output_dynamic_lines(r, put_stage, w);
    put_findings(w, r, CMPD_TRACK_DYNAMIC);
    put_verdict(w, verdict_of(r, CMPD_TRACK_DYNAMIC), NULL);
}

static void put_reasons(struct writer *w, const struct cmpd_file_result *r)
{
    enum cmpd_tag tags[CMPD_TAG_COUNT];
    size_t count = cmpd_output_reasons(&r->findings, tags);
    if (!count)
        return;
    cmpd_buf_puts(w->out, "reason: ");
    for (size_t i = 0; i < count; i++)
        cmpd_buf_printf(w->out, "%s%s", i ? ", " : "", cmpd_tag_info(tags[i])->name);
    cmpd_buf_putc(w->out, '\n');
}

static void put_hidden(struct writer *w, const struct cmpd_document *doc,
                       const struct cmpd_file_result *r)
{
    size_t hidden = 0;
    for (size_t i = 0; i < r->findings.count; i++)
        hidden += r->findings.items[i].hidden && !r->findings.items[i].suppressed;
    if (hidden)
        cmpd_buf_printf(w->out, "not shown: %zu (--filter %s)\n", hidden,
                        doc->filter ? doc->filter : "file");
}

/* A pass that says nothing of speed says so. */
static bool speed_is_unknown(const struct cmpd_file_result *r)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        if (r->findings.items[i].tag == CMPD_TAG_perf_not_measured)
            return r->verdict == CMPD_PASS;
    }
    return false;
}

static void put_file(struct writer *w, const struct cmpd_document *doc,
                     const struct cmpd_file_result *r)
{
    put_static(w, r);
    put_dynamic(w, r);
    if (r->error.rc != CMPD_OK) {
        put(w, WARN, "error: ");
        cmpd_line_append(w->out, r->error.msg);
        cmpd_buf_putc(w->out, '\n');
    }
    put_hidden(w, doc, r);
    cmpd_buf_puts(w->out, "result: ");
    put(w, paint_of_verdict(r->verdict), cmpd_verdict_name(r->verdict));
    cmpd_buf_puts(w->out, speed_is_unknown(r) ? " (speed not measured)\n" : "\n");
    put_reasons(w, r);
}

static void put_summary(struct writer *w, const struct cmpd_document *doc)
{
    size_t of[3] = {0};
    for (size_t i = 0; i < doc->count; i++)
        of[doc->files[i]->verdict]++;
    cmpd_buf_printf(w->out, "\n%zu files: %zu PASS, %zu REVIEW, %zu REJECT\noverall: ", doc->count,
                    of[CMPD_PASS], of[CMPD_REVIEW], of[CMPD_REJECT]);
    put(w, paint_of_verdict(doc->verdict), cmpd_verdict_name(doc->verdict));
    cmpd_buf_putc(w->out, '\n');
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    struct writer w = {out, env->color};
    bool any = false;
    if (doc->merge_base)
        cmpd_text_review_head(doc, out);
    for (size_t i = 0; i < doc->count; i++) {
        if (cmpd_text_listed_only(doc->files[i]))
            continue;
        if (any)
            cmpd_buf_putc(out, '\n');
        any = true;
        put_file(&w, doc, doc->files[i]);
    }
    if (doc->count > 1)
        put_summary(&w, doc);
    else if (!any && doc->error.rc == CMPD_OK)
        cmpd_buf_printf(out, "%sresult: PASS\n", doc->count ? "" : "no CUDA changes\n");
    if (doc->advisory && doc->verdict != CMPD_PASS)
        cmpd_buf_puts(out, "advisory: the policy says \"enforce\": false, so nothing is blocked\n");
}

const struct cmpd_output_ops cmpd_output_text = {
    .name = "text",
    .summary = "for people",
    .render = render,
};
