#include "analysis/text/lex.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/text/lexer.h"

/* What a byte may start. */
enum byte_class {
    B_OTHER,
    B_SPACE,
    B_LINE_END,
    B_WORD,
    B_DIGIT,
    B_DOT,
    B_QUOTE,
    B_SLASH,
    B_BACKSLASH,
    B_HASH,
    B_PUNCT
};

static const uint8_t byte_class[256] = {
    [' '] = B_SPACE,      ['\t'] = B_SPACE,    ['\v'] = B_SPACE,         ['\f'] = B_SPACE,
    ['\n'] = B_LINE_END,  ['\r'] = B_LINE_END, ['a' ... 'z'] = B_WORD,   ['A' ... 'Z'] = B_WORD,
    ['_'] = B_WORD,       ['$'] = B_WORD,      [0x80 ... 0xff] = B_WORD, ['0' ... '9'] = B_DIGIT,
    ['.'] = B_DOT,        ['"'] = B_QUOTE,     ['\''] = B_QUOTE,         ['/'] = B_SLASH,
    ['\\'] = B_BACKSLASH, ['#'] = B_HASH,      ['{'] = B_PUNCT,          ['}'] = B_PUNCT,
    ['('] = B_PUNCT,      [')'] = B_PUNCT,     ['['] = B_PUNCT,          [']'] = B_PUNCT,
    [';'] = B_PUNCT,      [','] = B_PUNCT,     [':'] = B_PUNCT,          ['?'] = B_PUNCT,
    ['~'] = B_PUNCT,      ['!'] = B_PUNCT,     ['+'] = B_PUNCT,          ['-'] = B_PUNCT,
    ['*'] = B_PUNCT,      ['%'] = B_PUNCT,     ['&'] = B_PUNCT,          ['|'] = B_PUNCT,
    ['^'] = B_PUNCT,      ['='] = B_PUNCT,     ['<'] = B_PUNCT,          ['>'] = B_PUNCT,
};

static const uint8_t word_byte[256] = {
    ['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1,
    ['_'] = 1,         ['$'] = 1,         [0x80 ... 0xff] = 1,
};

bool cmpd_lex_is_word(unsigned char c)
{
    return word_byte[c];
}

static inline bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static inline const char *skip_line_end(const char *p)
{
    return p + (p[0] == '\r' && p[1] == '\n' ? 2 : 1);
}

static inline const char *skip_word(const char *p)
{
    while (word_byte[(unsigned char)*p])
        p++;
    return p;
}

uint32_t cmpd_lex_punct(const char *s)
{
    char a = s[0], b = a ? s[1] : 0;
    switch (a) {
    case '<':
        if (b == '<')
            return s[2] == '<' || s[2] == '=' ? 3 : 2;
        return b != '=' ? 1 : s[2] == '>' ? 3 : 2;
    case '>':
        if (b == '>')
            return s[2] == '>' || s[2] == '=' ? 3 : 2;
        return b == '=' ? 2 : 1;
    case '-':
        if (b == '>')
            return s[2] == '*' ? 3 : 2;
        return b == '-' || b == '=' ? 2 : 1;
    case '+':
    case '&':
    case '|':
        return b == a || b == '=' ? 2 : 1;
    case '.':
        return b == '.' && s[2] == '.' ? 3 : b == '*' ? 2 : 1;
    case ':':
    case '#':
        return b == a ? 2 : 1;
    case '*':
    case '/':
    case '%':
    case '^':
    case '=':
    case '!':
        return b == '=' ? 2 : 1;
    default:
        return 1;
    }
}

/* Past a pp-number: digits, letters, dots, digit separators, and a sign behind an exponent. */
static const char *skip_number(const char *p)
{
    for (;;) {
        unsigned char c = (unsigned char)*p;
        if ((c == '+' || c == '-') && strchr("eEpP", p[-1]))
            p++;
        else if (c == '\'' && word_byte[(unsigned char)p[1]])
            p += 2;
        else if (word_byte[c] || c == '.')
            p++;
        else
            return p;
    }
}

/* Past a literal whose opening quote is at p; it ends at its line's end if nothing closes it. */
static const char *skip_quoted(const char *p, const char *end)
{
    char quote = *p++;
    while (p < end) {
        if (*p == '\\' && p + 1 < end) {
            p = is_line_end(p[1]) ? skip_line_end(p + 1) : p + 2;
            continue;
        }
        if (is_line_end(*p))
            return p;
        if (*p++ == quote)
            return p;
    }
    return end;
}

/* Past R"delim( ... )delim", with the opening quote at p. */
static const char *skip_raw(const char *p, const char *end)
{
    const char *delim = p + 1;
    size_t n = 0;
    while (n <= 16 && delim + n < end && !strchr("() \\\t\v\f\r\n", delim[n]))
        n++;
    if (delim + n >= end || delim[n] != '(' || n > 16)
        return skip_quoted(p, end);
    const char *q = delim + n + 1;
    while ((q = memchr(q, ')', (size_t)(end - q)))) {
        q++;
        if ((size_t)(end - q) > n && memcmp(q, delim, n) == 0 && q[n] == '"')
            return q + n + 1;
    }
    return end;
}

/* 0: the word is no literal's prefix; 1: an ordinary one; 2: of a raw string. */
static int literal_prefix(const char *s, size_t len)
{
    bool raw = s[len - 1] == 'R';
    size_t n = len - (raw ? 1 : 0);
    bool known = (n == 0 && raw) || (n == 1 && strchr("LuU", s[0])) ||
                 (n == 2 && s[0] == 'u' && s[1] == '8');
    return !known ? 0 : raw ? 2 : 1;
}

/* ---- the run over the text ---- */

struct run {
    struct cmpd_lexer *lx;
    const char *text, *p, *end;
    bool fresh_line;   /* no token yet on this logical line */
    bool blank_before; /* nothing at all yet on this line but white space */
    bool in_directive;
};

static inline void push_token(struct run *r, enum cmpd_token_kind kind, const char *start,
                              const char *end)
{
    struct cmpd_lexer *lx = r->lx;
    if (lx->count == lx->cap)
        CMPD_GROW(lx->tokens, lx->count + 1, lx->cap);
    struct cmpd_token *t = &lx->tokens[lx->count++];
    t->off = (uint32_t)(start - r->text);
    t->len = (uint32_t)(end - start);
    t->kind = (uint8_t)kind;
    t->ctx = r->in_directive ? CMPD_CTX_DIRECTIVE : 0;
    t->depth = 0;
    r->fresh_line = false;
    r->blank_before = false;
    r->p = end;
}

static void open_directive(struct run *r)
{
    struct cmpd_lexer *lx = r->lx;
    CMPD_GROW(lx->directives, lx->directive_count + 1, lx->directive_cap);
    struct cmpd_line_directive *d = &lx->directives[lx->directive_count++];
    d->off = (uint32_t)(r->p - r->text);
    d->end = d->off;
    d->first_token = (uint32_t)lx->count;
    d->end_token = d->first_token;
    r->in_directive = true;
}

static void close_directive(struct run *r)
{
    if (!r->in_directive)
        return;
    struct cmpd_line_directive *d = &r->lx->directives[r->lx->directive_count - 1];
    d->end = (uint32_t)(r->p - r->text);
    d->end_token = (uint32_t)r->lx->count;
    r->in_directive = false;
}

static void push_comment(struct run *r, const char *end)
{
    struct cmpd_lexer *lx = r->lx;
    CMPD_GROW(lx->comments, lx->comment_count + 1, lx->comment_cap);
    struct cmpd_comment *c = &lx->comments[lx->comment_count++];
    c->off = (uint32_t)(r->p - r->text);
    c->len = (uint32_t)(end - r->p);
    c->own_line = r->blank_before;
    r->blank_before = false;
    r->p = end;
}

static void line_comment(struct run *r)
{
    const char *p = r->p + 2;
    while (p < r->end && !is_line_end(*p)) {
        if (*p == '\\' && is_line_end(p[1]))
            p = skip_line_end(p + 1);
        else
            p++;
    }
    push_comment(r, p < r->end ? p : r->end);
}

static void block_comment(struct run *r)
{
    const char *p = r->p + 2;
    while ((p = memchr(p, '*', (size_t)(r->end - p))) && p[1] != '/')
        p++;
    push_comment(r, p ? p + 2 : r->end);
}

static void slash(struct run *r)
{
    if (r->p[1] == '/')
        line_comment(r);
    else if (r->p[1] == '*' && r->p + 2 <= r->end)
        block_comment(r);
    else
        push_token(r, CMPD_TOK_PUNCT, r->p, r->p + cmpd_lex_punct(r->p));
}

static inline void word(struct run *r)
{
    const char *start = r->p, *p = skip_word(start + 1);
    if ((*p == '"' || *p == '\'') && p - start <= 3) {
        int prefix = literal_prefix(start, (size_t)(p - start));
        if (prefix == 2 && *p == '"') {
            push_token(r, CMPD_TOK_STRING, start, skip_raw(p, r->end));
            return;
        }
        if (prefix == 1) {
            push_token(r, *p == '"' ? CMPD_TOK_STRING : CMPD_TOK_CHAR, start,
                       skip_quoted(p, r->end));
            return;
        }
    }
    push_token(r, CMPD_TOK_IDENT, start, p);
}

static void line_end(struct run *r)
{
    close_directive(r);
    r->p = skip_line_end(r->p);
    r->fresh_line = true;
    r->blank_before = true;
}

static inline void step(struct run *r)
{
    const char *p = r->p;
    switch ((enum byte_class)byte_class[(unsigned char)*p]) {
    case B_SPACE:
        r->p++;
        return;
    case B_LINE_END:
        line_end(r);
        return;
    case B_WORD:
        word(r);
        return;
    case B_DOT:
        if (byte_class[(unsigned char)p[1]] != B_DIGIT) {
            push_token(r, CMPD_TOK_PUNCT, p, p + cmpd_lex_punct(p));
            return;
        }
        push_token(r, CMPD_TOK_NUMBER, p, skip_number(p + 1));
        return;
    case B_DIGIT:
        push_token(r, CMPD_TOK_NUMBER, p, skip_number(p + 1));
        return;
    case B_QUOTE:
        push_token(r, *p == '"' ? CMPD_TOK_STRING : CMPD_TOK_CHAR, p, skip_quoted(p, r->end));
        return;
    case B_SLASH:
        slash(r);
        return;
    case B_BACKSLASH:
        if (is_line_end(p[1]))
            r->p = skip_line_end(p + 1);
        else
            push_token(r, CMPD_TOK_OTHER, p, p + 1);
        return;
    case B_HASH:
        if (r->fresh_line && !r->in_directive && !r->lx->directives_off)
            open_directive(r);
        push_token(r, CMPD_TOK_PUNCT, p, p + cmpd_lex_punct(p));
        return;
    case B_PUNCT:
        push_token(r, CMPD_TOK_PUNCT, p, p + cmpd_lex_punct(p));
        return;
    case B_OTHER:
        push_token(r, CMPD_TOK_OTHER, p, p + 1);
        return;
    }
}

void cmpd_lexer_run(struct cmpd_lexer *lx, const char *text, size_t len)
{
    struct run r = {lx, text, text, text + len, true, true, false};
    lx->count = lx->comment_count = lx->directive_count = 0;
    lx->cut = false;
    CMPD_GROW(lx->tokens, len / 4 + 16, lx->cap);
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        r.p += 3;
    while (r.p < r.end) {
        step(&r);
        if (lx->count >= CMPD_TOKENS_CEILING) {
            lx->cut = true;
            break;
        }
    }
    close_directive(&r);
}

void cmpd_lexer_clear(struct cmpd_lexer *lx)
{
    free(lx->tokens);
    free(lx->comments);
    free(lx->directives);
    memset(lx, 0, sizeof *lx);
}

/* ---- the public face ---- */

static void *copy_into(struct cmpd_arena *arena, const void *items, size_t bytes)
{
    void *p = cmpd_arena_alloc(arena, bytes ? bytes : 1);
    if (bytes)
        memcpy(p, items, bytes);
    return p;
}

struct cmpd_tokens *cmpd_lex(const struct cmpd_source *src, struct cmpd_arena *arena)
{
    struct cmpd_lexer lx = {0};
    cmpd_lexer_run(&lx, src->text, src->len);
    struct cmpd_tokens *toks = CMPD_ARENA_NEW(arena, struct cmpd_tokens);
    toks->src = src;
    toks->cut = lx.cut;
    toks->count = lx.count;
    toks->max_nesting = cmpd_lex_context(src->text, lx.tokens, lx.count, lx.directives,
                                         lx.directive_count);
    toks->items = copy_into(arena, lx.tokens, lx.count * sizeof *lx.tokens);
    toks->comment_count = lx.comment_count;
    toks->comments = copy_into(arena, lx.comments, lx.comment_count * sizeof *lx.comments);
    toks->directive_count = lx.directive_count;
    toks->directives = copy_into(arena, lx.directives, lx.directive_count * sizeof *lx.directives);
    cmpd_lexer_clear(&lx);
    return toks;
}

bool cmpd_token_is(const struct cmpd_tokens *toks, size_t index, const char *word)
{
    if (index >= toks->count)
        return false;
    const struct cmpd_token *t = &toks->items[index];
    return strlen(word) == t->len && memcmp(toks->src->text + t->off, word, t->len) == 0;
}

static void blank(char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!is_line_end(text[i]))
            text[i] = ' ';
}

/* The inside of a literal: between its outer quotes (the closing one may be missing). */
static void blank_literal(char *text, const struct cmpd_token *t)
{
    size_t from = t->off, to = t->off + t->len;
    char quote = t->kind == CMPD_TOK_STRING ? '"' : '\'';
    while (text[from] != quote)
        from++;
    if (to - from >= 2 && text[to - 1] == quote)
        to--;
    blank(text, from + 1, to);
}

char *cmpd_lex_blanked(const struct cmpd_tokens *toks, struct cmpd_arena *arena)
{
    char *text = cmpd_arena_strndup(arena, toks->src->text, toks->src->len);
    for (size_t i = 0; i < toks->comment_count; i++)
        blank(text, toks->comments[i].off, (size_t)toks->comments[i].off + toks->comments[i].len);
    for (size_t i = 0; i < toks->count; i++)
        if (toks->items[i].kind == CMPD_TOK_STRING || toks->items[i].kind == CMPD_TOK_CHAR)
            blank_literal(text, &toks->items[i]);
    return text;
}
