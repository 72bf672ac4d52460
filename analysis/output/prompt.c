/* Feedback for a generator: what is wrong, where, and what to do; short, since it is paid for by the word. */
#include "analysis/output/common.h"

#define LONGEST_LINE 240

static void put_source_line(struct cmpd_buf *out, const struct cmpd_file_result *r, uint32_t line)
{
    const char *text;
    size_t len;
    if (!cmpd_output_line(r, line, &text, &len))
        return;
    while (len && (*text == ' ' || *text == '\t')) {
        text++;
        len--;
    }
    struct cmpd_buf copy = CMPD_BUF_INIT;
    cmpd_buf_append(&copy, text, len < LONGEST_LINE ? len : LONGEST_LINE);
    cmpd_buf_puts(out, "   | ");
    cmpd_line_append(out, cmpd_buf_str(&copy));
    cmpd_buf_puts(out, len > LONGEST_LINE ? " ...\n" : "\n");
    cmpd_buf_clear(&copy);
}

static void put_finding(struct cmpd_buf *out, const struct cmpd_file_result *r, size_t number,
                        const struct cmpd_finding *f)
{
    cmpd_buf_printf(out, "%zu. %s (%s)", number, cmpd_tag_info(f->tag)->name,
                    cmpd_tier_name(f->tier));
    if (f->line)
        cmpd_buf_printf(out, " at line %u", f->line);
    if (f->kernel) {
        cmpd_buf_puts(out, " in ");
        cmpd_line_append(out, f->kernel);
    }
    cmpd_buf_puts(out, ": ");
    cmpd_line_append(out, f->message);
    cmpd_buf_putc(out, '\n');
    put_source_line(out, r, f->line);
    if (f->also_line) {
        cmpd_buf_puts(out, "   see also ");
        cmpd_output_also(r, f, out);
        cmpd_buf_putc(out, '\n');
        if (!f->also_file)
            put_source_line(out, r, f->also_line);
    }
    if (!f->hint)
        return;
    cmpd_buf_puts(out, "   fix: ");
    cmpd_line_append(out, f->hint);
    cmpd_buf_putc(out, '\n');
}

static const char *advice(const struct cmpd_file_result *r)
{
    switch (r->verdict) {
    case CMPD_REJECT:
        return "Mend every finding marked reject, then those marked review. Keep the entry's name and "
               "signature, change nothing else, and give the whole file again.";
    case CMPD_REVIEW:
        return "Nothing is proven wrong, but a person has to look at what is marked review. Mend it where "
               "you can without changing the entry's signature, and give the whole file again.";
    case CMPD_PASS:
        break;
    }
    return "Nothing has to be changed.";
}

static void put_file(struct cmpd_buf *out, const struct cmpd_file_result *r)
{
    size_t number = 0;
    cmpd_line_append(out, r->path);
    cmpd_buf_printf(out, ": %s\n", cmpd_verdict_name(r->verdict));
    if (r->error.rc != CMPD_OK) {
        cmpd_buf_puts(out, "error: ");
        cmpd_line_append(out, r->error.msg);
        cmpd_buf_putc(out, '\n');
    }
    for (size_t i = 0; i < r->findings.count; i++) {
        if (cmpd_output_shown(&r->findings.items[i]))
            put_finding(out, r, ++number, &r->findings.items[i]);
    }
    cmpd_buf_printf(out, "What to do: %s\n", advice(r));
}

static void render(const struct cmpd_document *doc, const struct cmpd_output_env *env,
                   struct cmpd_buf *out)
{
    (void)env;
    if (doc->error.rc != CMPD_OK) {
        cmpd_buf_puts(out, "error: ");
        cmpd_line_append(out, doc->error.msg);
        cmpd_buf_putc(out, '\n');
    }
    for (size_t i = 0; i < doc->count; i++) {
        if (i)
            cmpd_buf_putc(out, '\n');
        put_file(out, doc->files[i]);
    }
}

const struct cmpd_output_ops cmpd_output_prompt = {
    .name = "prompt",
    .summary = "feedback for a generator",
    .render = render,
};
