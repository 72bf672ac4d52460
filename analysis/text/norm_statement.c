/*
 * Pass 4: `CHECK(x)` as a statement without its `;`, which the macro's body
 * would have brought. A blank behind the parenthesis becomes the `;`.
 */
#include "analysis/text/norm.h"

/* if (x), for (...), while (...), switch (...), with the closing parenthesis at i */
static bool ends_header(const struct norm *n, size_t i)
{
    if (norm_char(n, i) != ')' || n->match[i] == NORM_NO_MATCH || n->match[i] == 0)
        return false;
    size_t before = n->match[i] - 1;
    return norm_is(n, before, "if") || norm_is(n, before, "for") || norm_is(n, before, "while") ||
           norm_is(n, before, "switch") ||
           (norm_is(n, before, "constexpr") && before > 0 && norm_is(n, before - 1, "if"));
}

/* namespace a::b {, class X {, extern "C" { */
static bool opens_scope(const struct norm *n, size_t i)
{
    size_t p = i;
    while (p > 0 && i - p < 16 && (norm_ident(n, p - 1) || norm_is(n, p - 1, "::"))) {
        p--;
        if (norm_is(n, p, "namespace") || norm_word(n, p) == WORD_CLASS_KEY)
            return true;
    }
    return p > 1 && n->t[p - 1].kind == CMPD_TOK_STRING && norm_is(n, p - 2, "extern");
}

/* Does the brace open a block, and not a list of initialisers? */
static bool opens_block(const struct norm *n, size_t i)
{
    if (i == 0)
        return true;
    size_t p = i - 1;
    char c = norm_char(n, p);
    if (c == '{')
        return p == 0 || norm_char(n, p - 1) == ')' || norm_char(n, p - 1) == ';';
    if (c == ')' || c == ';' || c == '}' || c == ':' || norm_word(n, p) == WORD_TAIL ||
        norm_word(n, p) == WORD_CV)
        return true;
    return norm_is(n, p, "else") || norm_is(n, p, "do") || norm_is(n, p, "try") ||
           opens_scope(n, i);
}

static bool after_statement(const struct norm *n, size_t i)
{
    if (i == 0)
        return true;
    char c = norm_char(n, i - 1);
    if (c == '{')
        return opens_block(n, i - 1);
    return c == ';' || c == '}' || c == ':' || norm_is(n, i - 1, "else") ||
           norm_is(n, i - 1, "do") || ends_header(n, i - 1);
}

/* May the word at i begin a statement that follows a call? */
static bool begins_statement(const struct norm *n, size_t i, bool caps)
{
    if (norm_char(n, i) == '}')
        return true;
    if (!norm_ident(n, i) || norm_word(n, i) == WORD_TAIL)
        return false;
    if (norm_is(n, i, "else") || norm_is(n, i, "case"))
        return true;
    enum word_class w = norm_word(n, i);
    if (w == WORD_OPERATOR && !norm_is(n, i, "delete") && !norm_is(n, i, "throw") &&
        !norm_is(n, i, "typename"))
        return false;
    if (w == WORD_CV && !caps)
        return false; /* a member function's head, most likely */
    return norm_begins_line(n, i);
}

static void put_semicolon(struct norm *n, uint32_t at, uint32_t end)
{
    for (uint32_t k = at; k < end; k++) {
        if (n->text[k] == ' ' || n->text[k] == '\t') {
            n->text[k] = ';';
            return;
        }
    }
    if (at < end)
        n->text[at] = ';';
}

void norm_statements(struct norm *n)
{
    size_t ended = 0; /* the token before which a `;` was put last */
    for (size_t i = 0; i + 2 < n->count; i++) {
        enum word_class w = norm_word(n, i);
        if (!norm_ident(n, i) || (w != WORD_CAPS && w != WORD_PLAIN) || norm_char(n, i + 1) != '(')
            continue;
        uint32_t close = n->match[i + 1];
        if (close == NORM_NO_MATCH || close < i || !(i == ended || after_statement(n, i)))
            continue;
        if (close + 1 == n->count) {
            if (w == WORD_CAPS)
                put_semicolon(n, n->t[close].off + 1, (uint32_t)n->unit->len);
        } else if (begins_statement(n, close + 1, w == WORD_CAPS)) {
            put_semicolon(n, n->t[close].off + 1, n->t[close + 1].off);
            ended = close + 1;
        }
    }
}
