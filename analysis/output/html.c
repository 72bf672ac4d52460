/* One page that needs nothing else: findings with the source lines round them. */
#include <string.h>

#include "analysis/base/version.h"
#include "analysis/output/common.h"

#define LINES_ROUND  3
#define LONGEST_LINE 400

static const char STYLE[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222;"
    "background:#fff}h1{font-size:1.4em}h2{font-size:1.15em;border-bottom:1px solid #ccc;margin-top:2em;"
    "overflow-wrap:anywhere}.badge{display:inline-block;padding:0 .6em;border-radius:.3em;color:#fff;"
    "font-weight:600}.PASS{background:#1a7f37}.REVIEW{background:#8a5a00}.REJECT{background:#b3261e}"
    "article{border-left:4px solid #999;padding:.2em 1em;margin:1em 0;background:#f7f7f7}"
    "article.reject{border-color:#b3261e}article.review{border-color:#8a5a00}"
    "article.note{border-color:#999}pre{overflow-x:auto;background:#fff;border:1px solid #ddd;"
    "padding:.5em;margin:.5em 0}pre b{background:#ffe8a3;font-weight:inherit}.n{color:#666;"
    "user-select:none}p{margin:.3em 0}.meta{color:#555}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}article{background:#222}"
    "pre{background:#111;border-color:#444}pre b{background:#5a4a00}.n,.meta{color:#aaa}}";

static void put(struct cmpd_buf *out, const char *s, size_t len)
{
    struct cmpd_buf clean = CMPD_BUF_INIT;
    cmpd_utf8_append(&clean, s, len);
    for (size_t i = 0; i < clean.len; i++) {
        unsigned char c = (unsigned char)clean.data[i];
        switch (c) {
        case '<':
            cmpd_buf_puts(out, "&lt;");
            break;
        case '>':
            cmpd_buf_puts(out, "&gt;");
            break;
        case '&':
            cmpd_buf_puts(out, "&amp;");
            break;
        case '"':
            cmpd_buf_puts(out, "&quot;");
            break;
        case '\'':
            cmpd_buf_puts(out, "&#39;");
            break;
        default:
            cmpd_buf_putc(out, (c < 0x20 && c != '\t') || c == 0x7f ? '?' : (char)c);
        }
    }
    cmpd_buf_clear(&clean);
}

static void put_text(struct cmpd_buf *out, const char *s)
{
    put(out, s, strlen(s));
}

static void put_badge(struct cmpd_buf *out, enum cmpd_verdict v)
{
    cmpd_buf_printf(out, "<span class=\"badge %s\">%s</span>", cmpd_verdict_name(v),
                    cmpd_verdict_name(v));
}

static void put_source(struct cmpd_buf *out, const struct cmpd_file_result *r, uint32_t line)
{
    const char *text;
    size_t len;
    if (!cmpd_output_line(r, line, &text, &len))
        return;
    cmpd_buf_puts(out, "<pre>");
    uint32_t from = line > LINES_ROUND ? line - LINES_ROUND : 1;
    for (uint32_t l = from; l <= line + LINES_ROUND && cmpd_output_line(r, l, &text, &len); l++) {
        cmpd_buf_printf(out, "<span class=\"n\">%6u </span>%s", l, l == line ? "<b>" : "");
        put(out, text, len < LONGEST_LINE ? len : LONGEST_LINE);
        cmpd_buf_printf(out, "%s\n", l == line ? "</b>" : "");
    }
    cmpd_buf_puts(out, "</pre>\n");
}

static void put_finding(struct cmpd_buf *out, const struct cmpd_file_result *r,
                        const struct cmpd_finding *f)
{
    const char *tier = cmpd_tier_name(f->tier);
    cmpd_buf_printf(
        out, "<article class=\"%s\" id=\"f-%s\">\n<p><strong>%s: %s</strong> <span class=\"meta\">",
        f->suppressed ? "note" : tier, f->fingerprint, f->suppressed ? "allowed" : tier,
        cmpd_tag_info(f->tag)->name);
    if (f->line)
        cmpd_buf_printf(out, "line %u", f->line);
    if (f->line && f->column)
        cmpd_buf_printf(out, ", column %u", f->column);
    if (f->kernel) {
        cmpd_buf_puts(out, " in ");
        put_text(out, f->kernel);
    }
    cmpd_buf_printf(out, "%s</span></p>\n<p>", f->preexisting ? " (stands on base too)" : "");
    put_text(out, f->message);
    cmpd_buf_puts(out, "</p>\n");
    put_source(out, r, f->line);
    if (f->suppressed) {
        cmpd_buf_puts(out, "<p>allowed: ");
        put_text(out, f->suppress_why ? f->suppress_why : "no reason given");
        cmpd_buf_puts(out, "</p>\n");
    } else if (f->hint) {
        cmpd_buf_puts(out, "<p>hint: ");
        put_text(out, f->hint);
        cmpd_buf_puts(out, "</p>\n");
    }
    if (f->also_line) {
        CMPD_BUF_AUTO struct cmpd_buf also = CMPD_BUF_INIT;
        cmpd_output_also(r, f, &also);
        cmpd_buf_puts(out, "<p>see also ");
        put_text(out, cmpd_buf_str(&also));
        cmpd_buf_puts(out, "</p>\n");
    }
    if (f->replay) {
        cmpd_buf_puts(out, "<p>again: <code>");
        put_text(out, f->replay);
        cmpd_buf_puts(out, "</code></p>\n");
    }
    cmpd_buf_puts(out, "</article>\n");
}

static void put_error(struct cmpd_buf *out, const struct cmpd_err *err)
{
    if (err->rc == CMPD_OK)
        return;
    cmpd_buf_puts(out, "<p><strong>error:</strong> ");
    put_text(out, err->msg);
    cmpd_buf_puts(out, "</p>\n");
}

static void put_stage(void *ctx, enum cmpd_line_mark mark, const char *text)
{
    static const char *const classes[] = {"note", "reject", "review"};
    struct cmpd_buf *out = ctx;
    cmpd_buf_printf(out, "<li class=\"%s\">", classes[mark]);
    put_text(out, text);
    cmpd_buf_puts(out, "</li>\n");
}

static void put_stages(struct cmpd_buf *out, const struct cmpd_file_result *r)
{
    CMPD_BUF_AUTO struct cmpd_buf list = CMPD_BUF_INIT;
    cmpd_output_dynamic_lines(r, put_stage, &list);
    if (list.len)
        cmpd_buf_printf(out, "<ul>\n%s</ul>\n", cmpd_buf_str(&list));
}

static void put_file(struct cmpd_buf *out, const struct cmpd_file_result *r)
{
    cmpd_buf_puts(out, "<section>\n<h2>");
    put_badge(out, r->verdict);
    cmpd_buf_putc(out, ' ');
    put_text(out, r->path);
    cmpd_buf_puts(out, "</h2>\n");
    put_error(out, &r->error);
    if (r->clean.count)
        cmpd_buf_puts(out, "<ul>\n");
    for (size_t i = 0; i < r->clean.count; i++) {
        cmpd_buf_puts(out, "<li>");
        put_text(out, r->clean.items[i]);
        cmpd_buf_puts(out, "</li>\n");
    }
    if (r->clean.count)
        cmpd_buf_puts(out, "</ul>\n");
    for (size_t i = 0; i < r->findings.count; i++) {
        if (!r->findings.items[i].hidden)
            put_finding(out, r, &r->findings.items[i]);
    }
    cmpd_buf_printf(out, "<p class=\"meta\">dynamic track: %s",
                    cmpd_output_status(r->dynamic.status));
    if (r->dynamic.status != CMPD_DYNAMIC_DONE) {
        cmpd_buf_puts(out, " (");
        put_text(out, cmpd_output_dynamic_why(r));
        cmpd_buf_putc(out, ')');
    }
    const char *device = json_string_value(json_object_get(r->dynamic.details, "device"));
    if (device) {
        cmpd_buf_puts(out, " on ");
        put_text(out, device);
    }
    cmpd_buf_puts(out, "</p>\n");
    put_stages(out, r);
    cmpd_buf_puts(out, "</section>\n");
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    (void)env;
    cmpd_buf_printf(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n<title>cmpd: %s</title>\n<style>%s</style>\n</head>\n<body>\n<h1>",
        cmpd_verdict_name(doc->verdict), STYLE);
    put_badge(out, doc->verdict);
    cmpd_buf_printf(out, " CMP-D</h1>\n");
    put_error(out, &doc->error);
    if (doc->head) {
        cmpd_buf_puts(out, "<p class=\"meta\">head ");
        put_text(out, doc->head);
        if (doc->base) {
            cmpd_buf_puts(out, ", base ");
            put_text(out, doc->base);
        }
        cmpd_buf_puts(out, "</p>\n");
    }
    if (doc->count == 0 && doc->error.rc == CMPD_OK)
        cmpd_buf_puts(out, "<p>no CUDA changes</p>\n");
    for (size_t i = 0; i < doc->count; i++)
        put_file(out, doc->files[i]);
    cmpd_buf_printf(out, "<p class=\"meta\">cmpd %s</p>\n</body>\n</html>\n", cmpd_version());
}

const struct cmpd_output_ops cmpd_output_html = {
    .name = "html",
    .summary = "a page of its own",
    .render = render,
};
