/* Finds the #include lines of a text. Comments and literals are skipped; nothing else is understood. */
#include <string.h>

#include "bot/git/include.h"

struct scan {
    const char *at, *end;
};

static bool starts(const struct scan *s, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
}

/* A backslash before the line's end joins two lines. */
static bool skip_splice(struct scan *s)
{
    if (!starts(s, "\\\n") && !starts(s, "\\\r\n"))
        return false;
    s->at += s->at[1] == '\r' ? 3 : 2;
    return true;
}

static void skip_line_comment(struct scan *s)
{
    while (s->at < s->end && *s->at != '\n') {
        if (!skip_splice(s))
            s->at++;
    }
}

static void skip_block_comment(struct scan *s)
{
    s->at += 2;
    while (s->at < s->end && !starts(s, "*/"))
        s->at++;
    s->at = s->end - s->at >= 2 ? s->at + 2 : s->end;
}

/* Up to the closing quote; an open literal ends with its line. */
static void skip_literal(struct scan *s)
{
    char quote = *s->at++;

    while (s->at < s->end && *s->at != quote && *s->at != '\n') {
        if (!skip_splice(s))
            s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
    }
    if (s->at < s->end && *s->at == quote)
        s->at++;
}

/* R"tag( ... )tag" */
static void skip_raw_literal(struct scan *s)
{
    const char *tag = s->at + 2;
    const char *open = memchr(tag, '(', (size_t)(s->end - tag) < 17 ? (size_t)(s->end - tag) : 17);

    if (!open) {
        s->at++;
        return;
    }
    size_t n = (size_t)(open - tag);
    for (const char *p = open; p < s->end; p++) {
        if (*p == ')' && (size_t)(s->end - p) >= n + 2 && memcmp(p + 1, tag, n) == 0 &&
            p[n + 1] == '"') {
            s->at = p + n + 2;
            return;
        }
    }
    s->at = s->end;
}

static void skip_blanks(struct scan *s)
{
    for (;;) {
        if (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\v' || *s->at == '\f'))
            s->at++;
        else if (starts(s, "/*"))
            skip_block_comment(s);
        else if (!skip_splice(s))
            return;
    }
}

/* Behind '#': is it an include with a literal name? */
static bool take_include(struct scan *s, struct scan *name, bool *angle)
{
    skip_blanks(s);
    const char *word = starts(s, "include_next") ? "include_next"
                       : starts(s, "include")    ? "include"
                                                 : NULL;
    if (!word)
        return false;
    s->at += strlen(word);
    skip_blanks(s);
    if (s->at == s->end || (*s->at != '"' && *s->at != '<'))
        return false;
    *angle = *s->at == '<';
    char close = *angle ? '>' : '"';
    name->at = ++s->at;
    while (s->at < s->end && *s->at != close && *s->at != '\n')
        s->at++;
    name->end = s->at;
    return s->at < s->end && *s->at == close;
}

void cmpd_include_scan(const char *text, size_t len,
                       void (*found)(void *ctx, const char *name, size_t name_len, bool angle),
                       void *ctx)
{
    struct scan s = {text, text + len};
    bool line_begins = true;

    if (starts(&s, "\xef\xbb\xbf"))
        s.at += 3;
    while (s.at < s.end) {
        struct scan name;
        bool angle;
        char c = *s.at;
        if (starts(&s, "//")) {
            skip_line_comment(&s);
        } else if (starts(&s, "/*")) {
            skip_block_comment(&s);
        } else if (c == '\n' || c == '\r') {
            line_begins = true;
            s.at++;
        } else if (c == '#' && line_begins) {
            s.at++;
            line_begins = false;
            if (take_include(&s, &name, &angle))
                found(ctx, name.at, (size_t)(name.end - name.at), angle);
        } else if (c == 'R' && starts(&s, "R\"")) {
            skip_raw_literal(&s);
            line_begins = false;
        } else if (c == '"' || c == '\'') {
            skip_literal(&s);
            line_begins = false;
        } else if (!skip_splice(&s)) {
            line_begins = line_begins && (c == ' ' || c == '\t' || c == '\v' || c == '\f');
            s.at++;
        }
    }
}
