#include "analysis/output/common.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

/* Bytes of the well-formed sequence at s; 0: there is none. */
static size_t sequence(const unsigned char *s, size_t left)
{
    size_t n = s[0] < 0x80   ? 1
               : s[0] < 0xc2 ? 0
               : s[0] < 0xe0 ? 2
               : s[0] < 0xf0 ? 3
               : s[0] < 0xf5 ? 4
                             : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : n;
}

void cmpd_utf8_append(struct cmpd_buf *out, const char *s, size_t len)
{
    size_t from = 0, i = 0;
    while (i < len) {
        size_t n = sequence((const unsigned char *)s + i, len - i);
        if (n) {
            i += n;
            continue;
        }
        cmpd_buf_append(out, s + from, i - from);
        cmpd_buf_puts(out, "\xef\xbf\xbd");
        from = ++i;
    }
    cmpd_buf_append(out, s + from, len - from);
}

json_t *cmpd_json_text(const char *s)
{
    if (!s)
        return json_null();
    json_t *plain = json_string(s);
    if (plain)
        return plain;
    struct cmpd_buf b = CMPD_BUF_INIT;
    cmpd_utf8_append(&b, s, strlen(s));
    json_t *text = json_string(cmpd_buf_str(&b));
    cmpd_buf_clear(&b);
    return text ? text : json_string("");
}

void cmpd_json_add_text(json_t *object, const char *name, const char *s)
{
    if (s)
        json_object_set_new(object, name, cmpd_json_text(s));
}

static int append_chunk(const char *data, size_t len, void *out)
{
    cmpd_buf_append(out, data, len);
    return 0;
}

void cmpd_json_write_take(json_t *value, struct cmpd_buf *out)
{
    json_dump_callback(value, append_chunk, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    cmpd_buf_putc(out, '\n');
    json_decref(value);
}

void cmpd_line_append(struct cmpd_buf *out, const char *s)
{
    struct cmpd_buf b = CMPD_BUF_INIT;
    cmpd_utf8_append(&b, s, strlen(s));
    for (size_t i = 0; i < b.len; i++) {
        unsigned char c = (unsigned char)b.data[i];
        if (c == 0xc2 && i + 1 < b.len && (unsigned char)b.data[i + 1] < 0xa0) {
            cmpd_buf_putc(out, '?'); /* the C1 controls; some terminals obey them */
            i++;
        } else {
            cmpd_buf_putc(out, c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : (char)c);
        }
    }
    cmpd_buf_clear(&b);
}

bool cmpd_output_shown(const struct cmpd_finding *f)
{
    return !f->hidden && !f->suppressed;
}

static size_t add_reasons(const struct cmpd_findings *list, enum cmpd_tier tier, enum cmpd_tag *out,
                          size_t count)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct cmpd_finding *f = &list->items[i];
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known = known || out[k] == f->tag;
        if (!known && !f->suppressed && f->tier == tier)
            out[count++] = f->tag;
    }
    return count;
}

size_t cmpd_output_reasons(const struct cmpd_findings *list, enum cmpd_tag *out)
{
    size_t count = add_reasons(list, CMPD_TIER_REJECT, out, 0);
    return add_reasons(list, CMPD_TIER_REVIEW, out, count);
}

size_t cmpd_output_document_reasons(const struct cmpd_document *doc, enum cmpd_tag *out)
{
    size_t count = 0;
    for (int tier = CMPD_TIER_REJECT; tier >= CMPD_TIER_REVIEW; tier--) {
        for (size_t i = 0; i < doc->count; i++)
            count = add_reasons(&doc->files[i]->findings, (enum cmpd_tier)tier, out, count);
    }
    return count;
}

bool cmpd_output_line(const struct cmpd_file_result *r, uint32_t line, const char **text,
                      size_t *len)
{
    const struct cmpd_source *src = r->source;
    if (!src || line == 0 || line > src->line_count)
        return false;
    size_t from = src->line_start[line - 1];
    size_t to = line < src->line_count ? src->line_start[line] : src->len;
    if (line == 1 && src->has_bom)
        from += 3;
    while (to > from && (src->text[to - 1] == '\n' || src->text[to - 1] == '\r'))
        to--;
    *text = src->text + from;
    *len = to - from;
    return true;
}

const char *cmpd_output_dynamic_why(const struct cmpd_file_result *r)
{
    return r->dynamic.why ? r->dynamic.why : "not run";
}

const char *cmpd_output_layer(enum cmpd_layer layer)
{
    static const char *const names[] = {"scan", "lex", "ast"};
    return names[layer];
}

const char *cmpd_output_status(enum cmpd_dynamic_status status)
{
    static const char *const names[] = {"done", "skipped", "unavailable"};
    return names[status];
}

void cmpd_uri_append(struct cmpd_buf *out, const char *path)
{
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        if (isalnum(c) || strchr("-._~/", c))
            cmpd_buf_putc(out, (char)c);
        else
            cmpd_buf_printf(out, "%%%02X", c);
    }
}
