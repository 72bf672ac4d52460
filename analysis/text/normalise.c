/*
 * The passes, each over what the one before left of the tokens:
 *   1  attributes that the grammar cannot read are taken out
 *   2  macros of headers that stand for qualifiers, from right to left, so that a
 *      row of them is seen one by one
 *   3  single constructs: lambda qualifiers, `new const T *[n]`, macros between
 *      string literals, explicit instantiations of classes, types as arguments
 *   4  statement macros get their `;`
 * A name that the file defines has been expanded before, so that a name in
 * capitals is a constant, a type or a macro of some header.
 */
#include "analysis/text/normalise.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/text/norm.h"

bool norm_is(const struct norm *n, size_t i, const char *s)
{
    return i < n->count && n->t[i].len == strlen(s) &&
           memcmp(n->text + n->t[i].off, s, n->t[i].len) == 0;
}

bool norm_line_end_between(const struct norm *n, const struct cmpd_token *a,
                           const struct cmpd_token *b)
{
    const char *end = n->text + b->off;
    for (const char *p = n->text + a->off + a->len; p < end; p++)
        if (*p == '\n' || *p == '\r')
            return true;
    return false;
}

void norm_take_out(struct norm *n, const struct cmpd_token *from, const struct cmpd_token *last)
{
    struct cmpd_attr a = {.exp_off = from->off};
    uint32_t end = last->off + last->len;
    a.exp_len = end - a.exp_off;
    a.name = cmpd_arena_strndup(n->arena, n->text + from->off, from->len);
    if (last - from >= 2 && n->text[from[1].off] == '(' && n->text[last->off] == ')') {
        a.args_off = from[1].off + 1;
        a.args = cmpd_arena_strndup(n->arena, n->text + a.args_off, last->off - a.args_off);
    }
    for (uint32_t i = a.exp_off; i < end; i++)
        if (n->text[i] != '\n' && n->text[i] != '\r')
            n->text[i] = ' ';
    CMPD_GROW(n->attrs, n->attr_count + 1, n->attr_cap);
    n->attrs[n->attr_count++] = a;
}

size_t norm_behind_parens(const struct norm *n, size_t i)
{
    size_t depth = 0;
    for (size_t k = i; k < n->count && k < i + NORM_LOOK_AHEAD; k++) {
        if (norm_char(n, k) == '(')
            depth++;
        else if (norm_char(n, k) == ')' && --depth == 0)
            return k + 1;
    }
    return i;
}

size_t norm_behind_name(const struct norm *n, size_t i)
{
    size_t k = i, end = i + NORM_LOOK_AHEAD;
    while (norm_ident(n, k) && k < end) {
        k++;
        if (norm_char(n, k) == '<') {
            size_t open = 0;
            for (; k < n->count && k < end; k++) {
                char c = norm_char(n, k);
                open += c == '<' ? 1 : 0;
                size_t closed = c == '>'               ? 1
                                : norm_is(n, k, ">>")  ? 2
                                : norm_is(n, k, ">>>") ? 3
                                                       : 0;
                if (c == ';' || c == '{' || closed > open)
                    return i;
                open -= closed;
                if (open == 0)
                    break;
            }
            k++;
        }
        if (!norm_is(n, k, "::"))
            return k;
        k++;
        if (norm_is(n, k, "template"))
            k++;
    }
    return i;
}

/* ---- pass 1: attributes ---- */

static size_t unreadable(const struct norm *n, size_t i)
{
    if (n->t[i].ctx == WORD_BARE)
        return 1;
    if (n->t[i].ctx != WORD_WITH_ARGS || norm_char(n, i + 1) != '(')
        return 0;
    return norm_behind_parens(n, i + 1) - i > 1 ? norm_behind_parens(n, i + 1) - i : 0;
}

static void take_out_attributes(struct norm *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n->count;) {
        size_t len = n->t[i].kind == CMPD_TOK_IDENT ? unreadable(n, i) : 0;
        if (len) {
            norm_take_out(n, &n->t[i], &n->t[i + len - 1]);
            i += len;
        } else {
            n->t[kept++] = n->t[i++]; /* kept <= i: what lies ahead is untouched */
        }
    }
    n->count = kept;
}

/* ---- brackets ---- */

static void match_brackets(struct norm *n)
{
    uint32_t *stack = cmpd_alloc((n->count + 1) * sizeof *stack);
    size_t open = 0;
    n->match = cmpd_realloc(n->match, n->count + 1, sizeof *n->match);
    n->unit->max_nesting = 0;
    for (size_t i = 0; i < n->count; i++) {
        n->match[i] = NORM_NO_MATCH;
        char c = norm_char(n, i);
        if (c == '(' || c == '[' || c == '{') {
            stack[open++] = (uint32_t)i;
            if (open > n->unit->max_nesting)
                n->unit->max_nesting = (uint32_t)open;
        } else if ((c == ')' || c == ']' || c == '}') && open) {
            char o = norm_char(n, stack[open - 1]);
            if ((o == '(' && c != ')') || (o == '[' && c != ']') || (o == '{' && c != '}'))
                continue; /* crossed: leave both alone */
            uint32_t from = stack[--open];
            n->match[from] = (uint32_t)i;
            n->match[i] = from;
        }
    }
    free(stack);
}

/* ---- all of it ---- */

static int by_offset(const void *a, const void *b)
{
    const struct cmpd_attr *x = a, *y = b;
    return x->exp_off < y->exp_off ? -1 : x->exp_off > y->exp_off;
}

static void classify(struct norm *n)
{
    for (size_t i = 0; i < n->count; i++)
        n->t[i].ctx = n->t[i].kind == CMPD_TOK_IDENT
                          ? (uint8_t)cmpd_word_class(n->text + n->t[i].off, n->t[i].len)
                          : (uint8_t)WORD_PLAIN;
}

void cmpd_normalise(struct cmpd_unit *unit, struct cmpd_arena *arena)
{
    struct cmpd_lexer lx = {.directives_off = true};
    cmpd_lexer_run(&lx, unit->text, unit->len);
    struct norm n = {
        .unit = unit, .arena = arena, .text = unit->text, .t = lx.tokens, .count = lx.count};
    classify(&n);
    take_out_attributes(&n);
    norm_qualifiers(&n);
    norm_constructs(&n);
    match_brackets(&n);
    norm_statements(&n);
    if (n.attr_count > 1)
        qsort(n.attrs, n.attr_count, sizeof *n.attrs, by_offset);
    unit->attr_count = n.attr_count;
    unit->attrs = cmpd_arena_alloc(arena, n.attr_count * sizeof *n.attrs + 1);
    if (n.attr_count)
        memcpy(unit->attrs, n.attrs, n.attr_count * sizeof *n.attrs);
    free(n.attrs);
    free(n.match);
    cmpd_lexer_clear(&lx);
}
