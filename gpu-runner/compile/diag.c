#include "gpu-runner/compile/diag.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"

/* Longest message or context kept; templates of the standard library go on for pages. */
#define TEXT_CEILING  1500
#define SHOWN_CEILING 4000

struct span {
    const char *p;
    size_t len;
};

/* What the lines that follow a heading belong to. */
struct parser {
    struct cmpd_diags *out;
    struct cmpd_diag *open; /* the error whose lines we are in; NULL: skip to the next heading */
    struct cmpd_buf message, context;
    struct span
        previous; /* the last line that was not placed yet (it is the source if a caret follows) */
    bool after_caret;
    char *included_path; /* gcc's "In file included from": the outermost so far */
    uint32_t included_line;
};

static struct span trim(struct span s)
{
    while (s.len && isspace((unsigned char)s.p[0])) {
        s.p++;
        s.len--;
    }
    while (s.len && isspace((unsigned char)s.p[s.len - 1]))
        s.len--;
    return s;
}

static bool starts(struct span s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.len >= n && memcmp(s.p, prefix, n) == 0;
}

static const char *find(struct span s, const char *needle)
{
    return s.len ? memmem(s.p, s.len, needle, strlen(needle)) : NULL;
}

static struct span after(struct span s, const char *at)
{
    size_t skip = (size_t)(at - s.p);
    return (struct span){at, s.len - skip};
}

/* A decimal number at the start; advances. 0 also for none and for what does not fit. */
static uint32_t number(struct span *s)
{
    uint64_t v = 0;
    bool fits = true;
    while (s->len && isdigit((unsigned char)s->p[0])) {
        v = v * 10 + (uint64_t)(s->p[0] - '0');
        fits = fits && v <= UINT32_MAX;
        if (!fits)
            v = 0;
        s->p++;
        s->len--;
    }
    return fits ? (uint32_t)v : 0;
}

static void append_text(struct cmpd_buf *b, struct span s, const char *joint)
{
    s = trim(s);
    if (!s.len)
        return;
    if (b->len)
        cmpd_buf_puts(b, joint);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\t' || c >= 0x80 || isprint(c))
            cmpd_buf_putc(b, c == '\t' ? ' ' : (char)c);
    }
}

static void close_open(struct parser *ps)
{
    struct cmpd_diag *d = ps->open;
    ps->open = NULL;
    if (!d)
        return;
    /* Without a caret the last line was no source line but more of the message. */
    if (ps->previous.len && !ps->after_caret)
        append_text(&ps->message, ps->previous, "; ");
    d->message = cmpd_strdup(cmpd_buf_str(&ps->message));
    if (ps->context.len)
        d->context = cmpd_strdup(cmpd_buf_str(&ps->context));
}

static void open_diag(struct parser *ps, enum cmpd_diag_tool tool, struct span path, uint32_t line,
                      uint32_t column, struct span message)
{
    close_open(ps);
    cmpd_buf_reset(&ps->message);
    cmpd_buf_reset(&ps->context);
    ps->previous = (struct span){NULL, 0};
    ps->after_caret = false;
    append_text(&ps->message, message, "");
    if (!ps->message.len || ps->out->count >= CMPD_DIAGS_CEILING)
        return;
    CMPD_GROW(ps->out->items, ps->out->count + 1, ps->out->cap);
    struct cmpd_diag *d = &ps->out->items[ps->out->count++];
    memset(d, 0, sizeof *d);
    d->tool = tool;
    d->path = path.len ? cmpd_strndup(path.p, path.len) : NULL;
    d->line = line;
    d->column = column;
    if (tool == CMPD_DIAG_HOST && ps->included_path) {
        d->use_path = cmpd_strdup(ps->included_path);
        d->use_line = ps->included_line;
    }
    ps->open = d;
}

static void forget_inclusion(struct parser *ps)
{
    free(ps->included_path);
    ps->included_path = NULL;
    ps->included_line = 0;
}

/* "error: ...", "fatal error: ...", "catastrophic error: ...", "error #20-D: ...", "internal error:
 * ..." */
static bool severity(struct span s, bool *is_error, struct span *message)
{
    static const struct {
        const char *word;
        bool is_error;
    } words[] = {{"error", true},
                 {"fatal error", true},
                 {"catastrophic error", true},
                 {"internal error", true},
                 {"internal compiler error", true},
                 {"warning", false},
                 {"note", false},
                 {"remark", false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!starts(s, words[i].word))
            continue;
        struct span rest = after(s, s.p + strlen(words[i].word));
        const char *colon = find(rest, ":");
        if (!colon || (rest.p[0] != ':' && !starts(rest, " #")))
            continue;
        *is_error = words[i].is_error;
        *message = trim(after(rest, colon + 1));
        /* Which of them it was matters where the text does not say it. */
        if (starts(s, "internal"))
            *message = s;
        return true;
    }
    return false;
}

/* f.cu(12): error: ... */
static bool front_heading(struct parser *ps, struct span s)
{
    const char *close = find(s, "): ");
    if (!close)
        return false;
    const char *open = close;
    while (open > s.p && isdigit((unsigned char)open[-1]))
        open--;
    if (open == close || open <= s.p + 1 || open[-1] != '(')
        return false;
    struct span at = after(s, open), message;
    uint32_t line = number(&at);
    bool is_error;
    if (!severity(after(s, close + 3), &is_error, &message))
        return false;
    struct span path = {s.p, (size_t)(open - 1 - s.p)};
    forget_inclusion(ps);
    if (is_error) {
        open_diag(ps, CMPD_DIAG_FRONT, path, line, 0, message);
        return true;
    }
    /* An error at the end of the source says nothing; the brace that it lacks a partner for does.
     */
    if (ps->open && !ps->open->line && !ps->open->use_path && find(message, "to match this")) {
        ps->open->use_path = cmpd_strndup(path.p, path.len);
        ps->open->use_line = line;
    }
    close_open(ps);
    return true;
}

static bool end_of_source(struct parser *ps, struct span s)
{
    bool is_error;
    struct span message;
    if (!starts(s, "At end of source: ") ||
        !severity(after(s, s.p + strlen("At end of source: ")), &is_error, &message))
        return false;
    if (is_error)
        open_diag(ps, CMPD_DIAG_FRONT, (struct span){NULL, 0}, 0, 0, message);
    else
        close_open(ps);
    return true;
}

/* f.cu:12:3: error: ... (also f.cu:12: error: ...) */
static bool host_heading(struct parser *ps, struct span s)
{
    for (const char *c = s.p; (c = find(after(s, c), ":")) != NULL; c++) {
        struct span at = after(s, c + 1);
        uint32_t line = number(&at), column = 0;
        if (!line || c == s.p || !at.len || at.p[0] != ':')
            continue;
        at = after(at, at.p + 1);
        if (at.len && isdigit((unsigned char)at.p[0])) {
            column = number(&at);
            if (!at.len || at.p[0] != ':')
                continue;
            at = after(at, at.p + 1);
        }
        bool is_error;
        struct span message, path = {s.p, (size_t)(c - s.p)};
        at = trim(at);
        if (severity(at, &is_error, &message)) {
            if (is_error)
                open_diag(ps, CMPD_DIAG_HOST, path, line, column, message);
            else
                close_open(ps);
            return true;
        }
        /* "f.cu:9:5:   required from here": a line before its heading, the last one is the
         * outermost. */
        if (find(at, "required from here")) {
            forget_inclusion(ps);
            ps->included_path = cmpd_strndup(path.p, path.len);
            ps->included_line = line;
            return true;
        }
        return false;
    }
    return false;
}

/* "In file included from f.cu:3," and its "                 from f.cu:9:" */
static bool inclusion(struct parser *ps, struct span s)
{
    bool first = starts(s, "In file included from ");
    struct span t = trim(s);
    if (!first && !(starts(t, "from ") && ps->included_path))
        return false;
    t = after(t, t.p + (first ? strlen("In file included from ") : strlen("from ")));
    for (const char *c = t.p; (c = find(after(t, c), ":")) != NULL; c++) {
        struct span at = after(t, c + 1);
        uint32_t line = number(&at);
        if (!line)
            continue;
        close_open(ps);
        forget_inclusion(ps);
        ps->included_path = cmpd_strndup(t.p, (size_t)(c - t.p));
        ps->included_line = line;
        return true;
    }
    return false;
}

static bool tool_severity(struct span s, struct span *message)
{
    const char *words[] = {"error", "fatal"};
    s = trim(s);
    for (size_t i = 0; i < 2; i++) {
        if (!starts(s, words[i]))
            continue;
        struct span rest = trim(after(s, s.p + strlen(words[i])));
        if (!starts(rest, ":"))
            return false;
        *message = trim(after(rest, rest.p + 1));
        return true;
    }
    return false;
}

/* "ptxas fatal : Ptx assembly aborted due to errors" repeats that there were errors. */
static bool is_summary(struct span message)
{
    return starts(message, "Ptx assembly aborted due to error");
}

/* ptxas error : ...; ptxas f.ptx, line 4; error : ...; nvlink error : ...; nvcc fatal : ... */
static bool tool_heading(struct parser *ps, struct span s)
{
    static const struct {
        const char *name;
        enum cmpd_diag_tool tool;
    } tools[] = {{"ptxas ", CMPD_DIAG_PTXAS}, {"nvlink ", CMPD_DIAG_LINK},
                 {"nvcc ", CMPD_DIAG_DRIVER}, {"fatbinary ", CMPD_DIAG_DRIVER},
                 {"cicc ", CMPD_DIAG_DRIVER}, {"cudafe++ ", CMPD_DIAG_DRIVER}};
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        if (!starts(s, tools[i].name))
            continue;
        struct span rest = after(s, s.p + strlen(tools[i].name)), message, path = {NULL, 0};
        uint32_t line = 0;
        const char *at = find(rest, ", line ");
        if (at) {
            struct span n = after(rest, at + strlen(", line "));
            path = (struct span){rest.p, (size_t)(at - rest.p)};
            line = number(&n);
            rest = n.len && n.p[0] == ';' ? after(n, n.p + 1) : n;
        }
        if (tool_severity(rest, &message) && !is_summary(message))
            open_diag(ps, tools[i].tool, path, line, 0, message);
        else
            close_open(ps);
        return true;
    }
    return false;
}

/* Messages without a heading of their own that decide what a failure means. */
static bool bare_line(struct parser *ps, struct span s)
{
    static const char *const texts[] = {"No space left on device",  "virtual memory exhausted",
                                        "out of memory allocating", "died due to signal",
                                        "std::bad_alloc",           "Cannot allocate memory"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!find(s, texts[i]))
            continue;
        open_diag(ps, CMPD_DIAG_DRIVER, (struct span){NULL, 0}, 0, 0, s);
        close_open(ps);
        return true;
    }
    return false;
}

/* "instantiation of "..." at line 4 of t.cu": the last one is the outermost. */
static void note_use(struct cmpd_diag *d, struct span s)
{
    for (const char *c = s.p; (c = find(after(s, c), "at line ")) != NULL; c++) {
        struct span at = after(s, c + strlen("at line "));
        uint32_t line = number(&at);
        if (!line)
            continue;
        free(d->use_path);
        d->use_path = NULL;
        d->use_line = line;
        if (starts(at, " of ")) {
            at = trim(after(at, at.p + 4));
            if (at.len > 2 && at.p[0] == '"' && at.p[at.len - 1] == '"')
                at = (struct span){at.p + 1, at.len - 2};
            d->use_path = cmpd_strndup(at.p, at.len);
        } else {
            d->use_path = cmpd_strdup(d->path);
        }
    }
}

static bool is_caret(struct span line, uint32_t *place)
{
    size_t i = 0;
    while (i < line.len && (line.p[i] == ' ' || line.p[i] == '\t'))
        i++;
    if (i == 0 || i + 1 != trim(line).len + i || line.p[i] != '^')
        return false;
    *place = (uint32_t)i + 1;
    return true;
}

/* A line that belongs to the open error. */
static void body_line(struct parser *ps, struct span line)
{
    struct cmpd_diag *d = ps->open;
    uint32_t place;
    if (d->tool != CMPD_DIAG_FRONT)
        return; /* gcc's excerpts ("    2 | ...") say nothing that the heading does not */
    if (!ps->after_caret && ps->previous.len && is_caret(line, &place)) {
        size_t len = ps->previous.len < SHOWN_CEILING ? ps->previous.len : SHOWN_CEILING;
        /* Two columns are the front end's own indent. */
        size_t indent = starts(ps->previous, "  ") ? 2 : 0;
        d->shown = cmpd_strndup(ps->previous.p + indent, len - indent);
        d->caret = place > indent ? place - (uint32_t)indent : 0;
        ps->previous = (struct span){NULL, 0};
        ps->after_caret = true;
        return;
    }
    if (ps->after_caret || find(line, "detected during")) {
        note_use(d, line);
        append_text(&ps->context, line, " ");
        return;
    }
    if (ps->previous.len)
        append_text(&ps->message, ps->previous, "; ");
    ps->previous = line;
}

static void one_line(struct parser *ps, struct span line)
{
    if (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    if (!trim(line).len) {
        close_open(ps); /* a blank line ends an error of the front end */
        return;
    }
    bool flush = !isspace((unsigned char)line.p[0]);
    if (inclusion(ps, line))
        return;
    if (flush && (tool_heading(ps, line) || end_of_source(ps, line) || front_heading(ps, line) ||
                  host_heading(ps, line) || bare_line(ps, line)))
        return;
    if (flush && ps->open && ps->open->tool != CMPD_DIAG_HOST)
        close_open(ps);
    if (ps->open)
        body_line(ps, line);
}

void cmpd_diag_parse(const char *text, size_t len, struct cmpd_diags *out)
{
    memset(out, 0, sizeof *out);
    struct parser ps = {.out = out};
    ps.message.ceiling = TEXT_CEILING;
    ps.context.ceiling = TEXT_CEILING;
    size_t at = 0;
    while (at < len) {
        const char *nl = memchr(text + at, '\n', len - at);
        size_t n = nl ? (size_t)(nl - (text + at)) : len - at;
        one_line(&ps, (struct span){text + at, n});
        at += n + 1;
    }
    close_open(&ps);
    forget_inclusion(&ps);
    cmpd_buf_clear(&ps.message);
    cmpd_buf_clear(&ps.context);
}

void cmpd_diags_clear(struct cmpd_diags *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->items[i].path);
        free(d->items[i].message);
        free(d->items[i].context);
        free(d->items[i].use_path);
        free(d->items[i].shown);
    }
    free(d->items);
    memset(d, 0, sizeof *d);
}
