#include "gpu-runner/compile/include_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"

/* More than these in one file are not read; no real file comes near. */
#define LINES_CEILING      5000
/* Longest name of a header. */
#define NAME_CEILING       1024
/* More macros than these in the conditions of one file are not kept. */
#define CONDITIONS_CEILING 200

/* Deeper conditions are not looked at. */
#define DEPTH_CEILING 64

/* The conditions that are open where the reader stands; each a line's text behind #if, #ifdef,
 * #ifndef or #elif. */
struct conditions {
    char *texts[DEPTH_CEILING]; /* owned */
    size_t depth;               /* may be over the ceiling */
};

/* One logical line at a time: splices joined, trigraphs of '#' and '\' replaced. */
struct reader {
    const char *p, *end;
    uint32_t line; /* of the physical line that p stands in */
};

static bool trigraph(const struct reader *r, char third)
{
    return r->end - r->p >= 3 && r->p[0] == '?' && r->p[1] == '?' && r->p[2] == third;
}

/* A backslash and a line end (gcc allows blanks between them); *skip: bytes of both. */
static bool splice(const struct reader *r, size_t *skip)
{
    size_t at;
    if (*r->p == '\\')
        at = 1;
    else if (trigraph(r, '/'))
        at = 3;
    else
        return false;
    size_t left = (size_t)(r->end - r->p);
    while (at < left && (r->p[at] == ' ' || r->p[at] == '\t' || r->p[at] == '\r'))
        at++;
    if (at >= left || r->p[at] != '\n')
        return false;
    *skip = at + 1;
    return true;
}

/* false at the end of the text. */
static bool next_logical(struct reader *r, struct cmpd_buf *out, uint32_t *first_line)
{
    if (r->p >= r->end)
        return false;
    cmpd_buf_reset(out);
    *first_line = r->line;
    while (r->p < r->end) {
        size_t skip;
        if (splice(r, &skip)) {
            r->p += skip;
            r->line++;
            continue;
        }
        if (trigraph(r, '=')) {
            cmpd_buf_putc(out, '#');
            r->p += 3;
            continue;
        }
        char c = *r->p++;
        if (c == '\n') {
            r->line++;
            break;
        }
        if (c == '\r' && (r->p >= r->end || *r->p != '\n')) { /* an old Mac line end */
            r->line++;
            break;
        }
        if (c)
            cmpd_buf_putc(out, c);
    }
    return true;
}

/* Comments that begin and end in the line become blanks. One pass, whatever is in it. */
static void blank_comments(char *s)
{
    char *open = NULL;
    for (char *p = s; *p; p++) {
        if (!open && p[0] == '/' && p[1] == '*') {
            open = p++;
        } else if (open && p[0] == '*' && p[1] == '/') {
            memset(open, ' ', (size_t)(p + 2 - open));
            open = NULL;
            p++;
        }
    }
}

/*
 * The lines may be megabytes long: below, nothing looks at more of one than it needs (and so no
 * function that a sanitizer lets run to the string's end).
 */
static const char *blanks(const char *s)
{
    while (*s == ' ' || *s == '\t' || *s == '\v' || *s == '\f' || *s == '\r')
        s++;
    return s;
}

static bool begins(const char *s, const char *word)
{
    while (*word && *s == *word) {
        s++;
        word++;
    }
    return !*word;
}

static const char *directive_word(const char *s)
{
    static const char *const words[] = {"include_next", "include", "import"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (begins(s, words[i]))
            return s + strlen(words[i]);
    }
    return NULL;
}

/*
 * Where "// ..." makes a comment for certain: from the slashes on, up to the end of a block comment
 * that may have begun on an earlier line. NULL, NULL: nowhere.
 */
struct line_comment {
    const char *from, *to;
};

static struct line_comment line_comment(const char *line)
{
    struct line_comment c = {strstr(line, "//"), NULL};
    if (c.from)
        c.to = strstr(c.from, "*/");
    return c;
}

static bool commented(const struct line_comment *c, const char *at)
{
    return c->from && at > c->from && (!c->to || at < c->to);
}

static void add(struct cmpd_include_lines *out, const char *name, size_t len, bool quoted,
                uint32_t line)
{
    if (out->count >= LINES_CEILING)
        return;
    CMPD_GROW(out->items, out->count + 1, out->cap);
    struct cmpd_include_line *i = &out->items[out->count++];
    i->name = name ? cmpd_strndup(name, len) : NULL;
    i->quoted = quoted;
    i->line = line;
}

static void after_word(const char *s, uint32_t line, struct cmpd_include_lines *out)
{
    s = blanks(s);
    if (*s == '"' || *s == '<') {
        char close = *s == '"' ? '"' : '>';
        size_t n = 0;
        while (n < NAME_CEILING && s[1 + n] && s[1 + n] != close)
            n++;
        if (n && s[1 + n] == close)
            add(out, s + 1, n, close == '"', line);
    } else if (*s == '_' || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z')) {
        add(out, NULL, 0, false, line);
    }
}

static void add_condition(struct cmpd_strings *l, const char *name, size_t len)
{
    static const char defined[] = "defined";
    if (l->count >= CONDITIONS_CEILING ||
        (len == sizeof defined - 1 && memcmp(name, defined, len) == 0))
        return;
    for (size_t i = 0; i < l->count; i++) {
        if (strlen(l->items[i]) == len && memcmp(l->items[i], name, len) == 0)
            return;
    }
    CMPD_GROW(l->items, l->count + 1, l->cap);
    l->items[l->count++] = cmpd_strndup(name, len);
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The names in the open conditions. */
static void note_conditions(const struct conditions *c, struct cmpd_strings *out)
{
    for (size_t i = 0; i < c->depth && i < DEPTH_CEILING; i++) {
        for (const char *p = c->texts[i] ? c->texts[i] : ""; *p;) {
            size_t n = 0;
            while (name_char(p[n]))
                n++;
            if (n && !isdigit((unsigned char)*p))
                add_condition(out, p, n);
            p += n ? n : 1;
        }
    }
}

static void set_condition(struct conditions *c, const char *text)
{
    if (!c->depth || c->depth > DEPTH_CEILING)
        return;
    char *old = c->texts[c->depth - 1];
    /* An #elif hangs on what came before it as well. */
    c->texts[c->depth - 1] = old ? cmpd_asprintf("%.500s %.500s", old, text)
                                 : cmpd_asprintf("%.500s", text);
    free(old);
}

static void pop_condition(struct conditions *c)
{
    if (!c->depth)
        return;
    c->depth--;
    if (c->depth < DEPTH_CEILING) {
        free(c->texts[c->depth]);
        c->texts[c->depth] = NULL;
    }
}

/* #if, #elif, #endif; #else changes nothing. `word` stands behind the mark. */
static void follow_condition(struct conditions *c, const char *word)
{
    static const char *const opening[] = {"ifdef", "ifndef", "if"};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(opening[i]);
        if (begins(word, opening[i]) && !name_char(word[n])) {
            c->depth++;
            set_condition(c, word + n);
            return;
        }
    }
    if (begins(word, "elif"))
        set_condition(c, word + 4);
    else if (begins(word, "endif"))
        pop_condition(c);
}

static void one_line(const char *s, uint32_t line, struct conditions *open,
                     struct cmpd_include_lines *out)
{
    if (!out->embeds && strstr(s, "incbin")) {
        out->embeds = true;
        out->embeds_line = line;
    }
    struct line_comment comment = line_comment(s);
    const char *first = blanks(s);
    for (const char *p = s; *p; p++) {
        size_t mark = *p == '#' ? 1 : p[0] == '%' && p[1] == ':' ? 2 : 0;
        if (!mark || commented(&comment, p))
            continue;
        const char *word = blanks(p + mark);
        if (begins(word, "embed") && !out->embeds) {
            out->embeds = true;
            out->embeds_line = line;
        }
        if (p == first)
            follow_condition(open, word);
        const char *rest = directive_word(word);
        if (rest) {
            after_word(rest, line, out);
            note_conditions(open, &out->conditions);
        }
    }
}

void cmpd_include_lines_find(const char *text, size_t len, struct cmpd_include_lines *out)
{
    memset(out, 0, sizeof *out);
    struct reader r = {text, text + len, 1};
    CMPD_BUF_AUTO struct cmpd_buf logical = CMPD_BUF_INIT;
    struct conditions open = {.depth = 0};
    uint32_t line;
    while (next_logical(&r, &logical, &line)) {
        if (!logical.len)
            continue;
        blank_comments(logical.data);
        one_line(logical.data, line, &open, out);
    }
    while (open.depth)
        pop_condition(&open);
}

void cmpd_include_lines_clear(struct cmpd_include_lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i].name);
    for (size_t i = 0; i < l->conditions.count; i++)
        free(l->conditions.items[i]);
    free(l->conditions.items);
    free(l->items);
    memset(l, 0, sizeof *l);
}
