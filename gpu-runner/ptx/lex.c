/* See lex.h. Source of the number forms: PTX ISA 9.0, "Constants". */
#include "gpu-runner/ptx/lex.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { C_WORD = 1, C_DIGIT = 2, C_HEX = 4, C_SPACE = 8 };

#define LONGEST_DECIMAL 63 /* characters of a decimal floating-point constant */

static uint8_t class_of(char ch)
{
    unsigned char c = (unsigned char)ch;
    if (c >= '0' && c <= '9')
        return C_WORD | C_DIGIT | C_HEX;
    if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
        return C_WORD | C_HEX;
    if ((c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z') || c == '_' || c == '$' || c == '%' ||
        c >= 0x80)
        return C_WORD;
    if (c == ' ' || (c >= '\t' && c <= '\r'))
        return C_SPACE;
    return 0;
}

static bool in_word(char c)
{
    return class_of(c) & C_WORD;
}

static void skip_line(struct ptx_lexer *lx)
{
    const char *nl = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
    lx->p = nl ? nl : lx->end;
}

static void skip_block(struct ptx_lexer *lx)
{
    lx->p += 2;
    while (lx->p < lx->end && !(lx->p[0] == '*' && lx->p + 1 < lx->end && lx->p[1] == '/')) {
        if (*lx->p == '\n')
            lx->line++;
        lx->p++;
    }
    lx->p += lx->p < lx->end ? 2 : 0;
}

static void skip_space(struct ptx_lexer *lx)
{
    while (lx->p < lx->end) {
        char c = *lx->p;
        if (c == '\n') {
            lx->line++;
            lx->p++;
        } else if (class_of(c) & C_SPACE) {
            lx->p++;
        } else if (c == '/' && lx->p + 1 < lx->end && lx->p[1] == '/') {
            skip_line(lx);
        } else if (c == '/' && lx->p + 1 < lx->end && lx->p[1] == '*') {
            skip_block(lx);
        } else {
            return;
        }
    }
}

/* Word characters, dots and "::" inside. A dot or colons at the end belong to what follows. */
static const char *word_end(const char *p, const char *end, bool dots)
{
    while (p < end) {
        if (in_word(*p))
            p++;
        else if (dots && *p == '.' && p + 1 < end && in_word(p[1]))
            p += 2;
        else if (*p == ':' && p + 2 < end && p[1] == ':' && in_word(p[2]))
            p += 3;
        else
            break;
    }
    return p;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* The digits of that base from p on; NULL where there is none or the value has over 64 bits. */
static const char *digits(const char *p, const char *end, unsigned base, uint64_t *value)
{
    const char *from = p;
    uint64_t v = 0;
    for (; p < end; p++) {
        unsigned d = (unsigned)digit_value(*p);
        if (d >= base)
            break;
        if (v > (UINT64_MAX - d) / base)
            return NULL;
        v = v * base + d;
    }
    *value = v;
    return p == from ? NULL : p;
}

static const char *hex_bits(const char *p, const char *end, unsigned want, uint64_t *value)
{
    const char *q = digits(p, end, 16, value);
    return q && q - p == (ptrdiff_t)want ? q : NULL;
}

/* 1.5, 1e-5, .5: digits were seen to be followed by a dot or an exponent. */
static const char *decimal(struct ptx_lexer *lx)
{
    char text[LONGEST_DECIMAL + 1];
    size_t n = (size_t)(lx->end - lx->p);
    if (n > LONGEST_DECIMAL)
        n = LONGEST_DECIMAL;
    memcpy(text, lx->p, n);
    text[n] = '\0';
    char *stop = text;
    double d = strtod(text, &stop);
    memcpy(&lx->t.value, &d, sizeof d);
    lx->t.kind = PTX_DOUBLE;
    return stop == text || stop == text + LONGEST_DECIMAL ? NULL : lx->p + (stop - text);
}

static bool is_decimal(const char *p, const char *end)
{
    while (p < end && (class_of(*p) & C_DIGIT))
        p++;
    if (p < end && *p == '.')
        return true;
    if (p + 1 >= end || (*p != 'e' && *p != 'E'))
        return false;
    p++;
    if (p + 1 < end && (*p == '-' || *p == '+'))
        p++;
    return class_of(*p) & C_DIGIT;
}

static const char *number(struct ptx_lexer *lx)
{
    const char *p = lx->p, *end = lx->end, *q;
    char kind = p + 1 < end && *p == '0' ? (char)(p[1] | 0x20) : '\0';
    lx->t.kind = PTX_INT;
    if (kind == 'f') {
        lx->t.kind = PTX_SINGLE;
        return hex_bits(p + 2, end, 8, &lx->t.value);
    }
    if (kind == 'd') {
        lx->t.kind = PTX_DOUBLE;
        return hex_bits(p + 2, end, 16, &lx->t.value);
    }
    if (kind == 'x')
        q = digits(p + 2, end, 16, &lx->t.value);
    else if (kind == 'b')
        q = digits(p + 2, end, 2, &lx->t.value);
    else if (is_decimal(p, end))
        return decimal(lx);
    else
        q = digits(p, end, *p == '0' ? 8 : 10, &lx->t.value);
    return q && q < end && *q == 'U' ? q + 1 : q;
}

static void lex_number(struct ptx_lexer *lx)
{
    const char *q = number(lx);
    if (!q || (q < lx->end && in_word(*q))) {
        lx->t.kind = PTX_BROKEN;
        q = word_end(lx->p + 1, lx->end, true);
    }
    lx->t.len = (uint32_t)(q - lx->p);
    lx->p = q;
}

static void lex_string(struct ptx_lexer *lx)
{
    const char *p = lx->p + 1;
    while (p < lx->end && *p != '"' && *p != '\n')
        p += *p == '\\' && p + 1 < lx->end ? 2 : 1;
    if (p > lx->end)
        p = lx->end;
    lx->t.kind = p < lx->end && *p == '"' ? PTX_STRING : PTX_BROKEN;
    lx->t.at = lx->p + 1;
    lx->t.len = (uint32_t)(p - lx->t.at);
    lx->p = lx->t.kind == PTX_STRING ? p + 1 : p;
}

void ptx_lex_next(struct ptx_lexer *lx)
{
    skip_space(lx);
    const char *p = lx->p;
    lx->t = (struct ptx_token){.kind = PTX_END, .at = p, .line = lx->line};
    if (p >= lx->end)
        return;
    if (class_of(*p) & C_DIGIT || (*p == '.' && p + 1 < lx->end && (class_of(p[1]) & C_DIGIT))) {
        lex_number(lx);
    } else if (in_word(*p)) {
        lx->t.kind = PTX_WORD;
        lx->p = word_end(p, lx->end, true);
        lx->t.len = (uint32_t)(lx->p - p);
    } else if (*p == '.' && p + 1 < lx->end && in_word(p[1])) {
        lx->t.kind = PTX_DIRECTIVE;
        lx->t.at = p + 1;
        lx->p = word_end(p + 1, lx->end, false);
        lx->t.len = (uint32_t)(lx->p - lx->t.at);
    } else if (*p == '"') {
        lex_string(lx);
    } else {
        lx->t.kind = PTX_PUNCT;
        lx->t.punct = *p;
        lx->t.len = 1;
        lx->p++;
    }
}

void ptx_lex_open(struct ptx_lexer *lx, const char *text, const char *end)
{
    *lx = (struct ptx_lexer){.p = text, .end = end, .line = 1};
    ptx_lex_next(lx);
}

char ptx_lex_peek(struct ptx_lexer *lx)
{
    skip_space(lx);
    return lx->p < lx->end ? *lx->p : '\0';
}

void ptx_lex_stop(struct ptx_lexer *lx)
{
    lx->p = lx->end;
    lx->t = (struct ptx_token){.kind = PTX_END, .at = lx->end, .line = lx->line};
}

void ptx_lex_skip_past(struct ptx_lexer *lx, char c)
{
    if (ptx_is(&lx->t, c)) {
        ptx_lex_next(lx);
        return;
    }
    while (lx->p < lx->end && *lx->p != c) {
        if (*lx->p == '\n')
            lx->line++;
        lx->p++;
    }
    if (lx->p < lx->end)
        lx->p++;
    ptx_lex_next(lx);
}

bool ptx_is_word(const struct ptx_token *t, const char *word)
{
    return t->kind == PTX_WORD && t->len == strlen(word) && memcmp(t->at, word, t->len) == 0;
}

bool ptx_is_directive(const struct ptx_token *t, const char *word)
{
    return t->kind == PTX_DIRECTIVE && t->len == strlen(word) && memcmp(t->at, word, t->len) == 0;
}
