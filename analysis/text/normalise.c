#include "analysis/text/normalise.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/text/lexer.h"

#define NO_MATCH UINT32_MAX

struct norm {
    struct cmpd_unit *unit;
    struct cmpd_arena *arena;
    char *text;
    struct cmpd_token *t; /* what is left of the tokens */
    size_t count;
    uint32_t *match;      /* owned; a bracket's partner, NO_MATCH: none */
    struct cmpd_attr *attrs;
    size_t attr_count, attr_cap;
};

/* ---- looking at tokens ---- */

static bool is(const struct norm *n, size_t i, const char *s)
{
    return i < n->count && n->t[i].len == strlen(s) && memcmp(n->text + n->t[i].off, s, n->t[i].len) == 0;
}

static bool is_ident(const struct norm *n, size_t i)
{
    return i < n->count && n->t[i].kind == CMPD_TOK_IDENT;
}

static char first(const struct norm *n, size_t i)
{
    return i < n->count ? n->text[n->t[i].off] : '\0';
}

static bool is_char(const struct norm *n, size_t i, char c)
{
    return i < n->count && n->t[i].kind == CMPD_TOK_PUNCT && n->t[i].len == 1 && first(n, i) == c;
}

static bool is_one_of(const struct norm *n, size_t i, const char *const *words)
{
    if (!is_ident(n, i))
        return false;
    for (; *words; words++)
        if (is(n, i, *words))
            return true;
    return false;
}

/* SOME_MACRO: capitals, digits and underscores, two capitals at least. */
static bool is_caps(const struct norm *n, size_t i)
{
    if (!is_ident(n, i))
        return false;
    unsigned capitals = 0;
    const char *s = n->text + n->t[i].off;
    for (uint32_t k = 0; k < n->t[i].len; k++) {
        if (s[k] >= 'A' && s[k] <= 'Z')
            capitals++;
        else if (s[k] != '_' && !(s[k] >= '0' && s[k] <= '9'))
            return false;
    }
    return capitals >= 2;
}

/* Partners of all brackets; counts how deep they go. */
static void match_brackets(struct norm *n)
{
    uint32_t *stack = cmpd_alloc((n->count + 1) * sizeof *stack);
    size_t open = 0;
    n->match = cmpd_realloc(n->match, n->count + 1, sizeof *n->match);
    n->unit->max_nesting = 0;
    for (size_t i = 0; i < n->count; i++) {
        n->match[i] = NO_MATCH;
        if (n->t[i].kind != CMPD_TOK_PUNCT)
            continue;
        char c = first(n, i);
        if (c == '(' || c == '[' || c == '{') {
            stack[open++] = (uint32_t)i;
            if (open > n->unit->max_nesting)
                n->unit->max_nesting = (uint32_t)open;
        } else if ((c == ')' || c == ']' || c == '}') && open) {
            char o = first(n, stack[open - 1]);
            if ((o == '(' && c != ')') || (o == '[' && c != ']') || (o == '{' && c != '}'))
                continue; /* crossed: leave both alone */
            uint32_t from = stack[--open];
            n->match[from] = (uint32_t)i;
            n->match[i] = from;
        }
    }
    free(stack);
}

/* The token behind a bracketed group that opens at i; i itself if nothing closes it. */
static size_t behind(const struct norm *n, size_t i)
{
    return i < n->count && n->match[i] != NO_MATCH && n->match[i] > i ? n->match[i] + 1 : i;
}

/* ---- changing the text ---- */

/* Blanks tokens [from, to) and keeps them as an attribute. */
static void take_out(struct norm *n, size_t from, size_t to)
{
    struct cmpd_attr a = {.exp_off = n->t[from].off};
    uint32_t end = n->t[to - 1].off + n->t[to - 1].len;
    a.exp_len = end - a.exp_off;
    a.name = cmpd_arena_strndup(n->arena, n->text + n->t[from].off, n->t[from].len);
    if (to - from >= 3 && is_char(n, from + 1, '(')) {
        a.args_off = n->t[from + 1].off + 1;
        a.args = cmpd_arena_strndup(n->arena, n->text + a.args_off, n->t[to - 1].off - a.args_off);
    }
    for (uint32_t i = a.exp_off; i < end; i++)
        if (n->text[i] != '\n' && n->text[i] != '\r')
            n->text[i] = ' ';
    CMPD_GROW(n->attrs, n->attr_count + 1, n->attr_cap);
    n->attrs[n->attr_count++] = a;
}

/* ---- what is taken out ---- */

static const char *const with_args[] = {
    "__launch_bounds__", "__align__", "__maxnreg__", "__cluster_dims__", "__block_size__", "__attribute__",
    "__attribute", "__declspec", "_Pragma", "__pragma", NULL,
};

static const char *const bare[] = {
    "__forceinline__", "__noinline__", "__inline__", "__grid_constant__", "__extension__", "__nv_pure__", NULL,
};

/* How many tokens from i on the grammar can't read; 0: none. */
static size_t unreadable(const struct norm *n, size_t i)
{
    if (first(n, i) != '_')
        return 0;
    if (is_one_of(n, i, with_args) && is_char(n, i + 1, '(') && behind(n, i + 1) > i + 1)
        return behind(n, i + 1) - i;
    return is_one_of(n, i, bare) ? 1 : 0;
}

static void take_out_unreadable(struct norm *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n->count;) {
        size_t len = unreadable(n, i);
        if (len) {
            take_out(n, i, i + len);
            i += len;
        } else {
            n->t[kept++] = n->t[i++]; /* kept <= i: what lies ahead is untouched */
        }
    }
    n->count = kept;
}

/* ---- statement macros ---- */

static bool begins_line(const struct norm *n, size_t i)
{
    const char *p = n->text + n->t[i - 1].off + n->t[i - 1].len, *end = n->text + n->t[i].off;
    for (; p < end; p++)
        if (*p == '\n' || *p == '\r')
            return true;
    return false;
}

/* Has a statement ended before token i? */
static bool after_statement(const struct norm *n, size_t i)
{
    return i == 0 || is_char(n, i - 1, ';') || is_char(n, i - 1, '{') || is_char(n, i - 1, '}') ||
           is(n, i - 1, "else") || is(n, i - 1, "do");
}

static void put_semicolon(struct norm *n, size_t before)
{
    uint32_t at = n->t[before - 1].off + n->t[before - 1].len;
    if (at < n->t[before].off)
        n->text[at] = ';';
}

/* `CHECK(x)` on a line of its own, with no `;`. */
static void end_statement_macros(struct norm *n)
{
    for (size_t i = 0; i + 2 < n->count; i++) {
        if (!is_caps(n, i) || !is_char(n, i + 1, '(') || !after_statement(n, i))
            continue;
        size_t next = behind(n, i + 1);
        if (next == i + 1 || next >= n->count)
            continue;
        if (is_char(n, next, '}') || (begins_line(n, next) && is_ident(n, next)))
            put_semicolon(n, next);
    }
}

void cmpd_normalise(struct cmpd_unit *unit, struct cmpd_arena *arena)
{
    struct cmpd_lexer lx = {.directives_off = true};
    cmpd_lexer_run(&lx, unit->text, unit->len);
    struct norm n = {.unit = unit, .arena = arena, .text = unit->text, .t = lx.tokens, .count = lx.count};
    match_brackets(&n);
    take_out_unreadable(&n);
    match_brackets(&n);
    end_statement_macros(&n);
    unit->attr_count = n.attr_count;
    unit->attrs = cmpd_arena_alloc(arena, n.attr_count * sizeof *n.attrs + 1);
    if (n.attr_count)
        memcpy(unit->attrs, n.attrs, n.attr_count * sizeof *n.attrs);
    free(n.attrs);
    free(n.match);
    cmpd_lexer_clear(&lx);
}
