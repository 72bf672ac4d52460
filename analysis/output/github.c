/* Workflow commands of GitHub Actions: one annotation a finding. */
#include "analysis/output/common.h"

static const char *command(enum cmpd_tier t)
{
    return t == CMPD_TIER_REJECT ? "error" : t == CMPD_TIER_REVIEW ? "warning" : "notice";
}

/* A property's value ends at ',' or ':', the message at the line's end. */
static void put(struct cmpd_buf *out, const char *s, bool property)
{
    struct cmpd_buf clean = CMPD_BUF_INIT;
    for (; *s; s++) {
        char c = *s;
        if (c == '%' || c == '\n' || c == '\r' || (property && (c == ',' || c == ':')))
            cmpd_buf_printf(&clean, "%%%02X", (unsigned char)c);
        else
            cmpd_buf_putc(&clean, c);
    }
    cmpd_line_append(out, cmpd_buf_str(&clean));
    cmpd_buf_clear(&clean);
}

static void put_finding(struct cmpd_buf *out, const char *path, const struct cmpd_finding *f)
{
    const char *tag = cmpd_tag_info(f->tag)->name;
    cmpd_buf_printf(out, "::%s file=", command(f->tier));
    put(out, path, true);
    if (f->line)
        cmpd_buf_printf(out, ",line=%u", f->line);
    if (f->line && f->column)
        cmpd_buf_printf(out, ",col=%u,endLine=%u,endColumn=%u", f->column, f->end_line,
                        f->end_column);
    cmpd_buf_printf(out, ",title=%s::", tag);
    put(out, f->message, false);
    if (f->hint) {
        cmpd_buf_puts(out, "%0Ahint: ");
        put(out, f->hint, false);
    }
    cmpd_buf_putc(out, '\n');
}

static void put_error(struct cmpd_buf *out, const struct cmpd_err *err)
{
    if (err->rc == CMPD_OK)
        return;
    cmpd_buf_puts(out, "::error title=cmpd::");
    put(out, err->msg, false);
    cmpd_buf_putc(out, '\n');
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    (void)env;
    put_error(out, &doc->error);
    for (size_t i = 0; i < doc->count; i++) {
        const struct cmpd_file_result *r = doc->files[i];
        put_error(out, &r->error);
        for (size_t k = 0; k < r->findings.count; k++) {
            if (cmpd_output_shown(&r->findings.items[k]))
                put_finding(out, r->path, &r->findings.items[k]);
        }
    }
    cmpd_buf_printf(out, "cmpd: %s\n", cmpd_verdict_name(doc->verdict));
}

const struct cmpd_output_ops cmpd_output_github = {
    .name = "github",
    .summary = "annotations of a GitHub workflow",
    .render = render,
};
