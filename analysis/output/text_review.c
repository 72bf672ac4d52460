/* The head of a review in the form for people: what was compared, and each file's result in a line. */
#include <string.h>

#include "analysis/output/common.h"

static void put_id(struct cmpd_buf *out, const char *id)
{
    cmpd_buf_append(out, id, strlen(id) < 12 ? strlen(id) : 12);
}

static size_t counted(const struct cmpd_file_result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->findings.count; i++)
        n += !r->findings.items[i].suppressed && r->findings.items[i].tier != CMPD_TIER_NOTE;
    return n;
}

static void put_path(struct cmpd_buf *out, const struct cmpd_file_result *r)
{
    if (r->old_path) {
        cmpd_line_append(out, r->old_path);
        cmpd_buf_puts(out, " -> ");
    }
    cmpd_line_append(out, r->path);
}

static void put_row(struct cmpd_buf *out, const struct cmpd_file_result *r)
{
    size_t n = counted(r);

    cmpd_buf_printf(out, "  %-6s  %-9s  ", cmpd_verdict_name(r->verdict),
                    r->change ? cmpd_change_name(r->change->status) : "");
    put_path(out, r);
    if (n)
        cmpd_buf_printf(out, "  (%zu finding%s)", n, n == 1 ? "" : "s");
    if (r->change && r->change->via) {
        cmpd_buf_puts(out, "  (includes ");
        cmpd_line_append(out, r->change->via);
        cmpd_buf_putc(out, ')');
    }
    if (r->change && r->change->note) {
        cmpd_buf_puts(out, "  (");
        cmpd_line_append(out, r->change->note);
        cmpd_buf_putc(out, ')');
    }
    cmpd_buf_putc(out, '\n');
}

void cmpd_text_review_head(const struct cmpd_document *doc, struct cmpd_buf *out)
{
    cmpd_buf_puts(out, "[review] ");
    put_id(out, doc->base);
    cmpd_buf_puts(out, "...");
    put_id(out, doc->head);
    cmpd_buf_puts(out, ", merge base ");
    put_id(out, doc->merge_base);
    cmpd_buf_printf(out, ": %zu file%s\n", doc->count, doc->count == 1 ? "" : "s");
    for (size_t i = 0; i < doc->count; i++)
        put_row(out, doc->files[i]);
    if (doc->count)
        cmpd_buf_putc(out, '\n');
}

bool cmpd_text_listed_only(const struct cmpd_file_result *r)
{
    return r->change && r->change->note && r->error.rc == CMPD_OK && r->findings.count == 0;
}
