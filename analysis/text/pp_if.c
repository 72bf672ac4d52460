/*
 * The value of an #if: `defined` and the __has_* questions are answered first,
 * then macros are expanded, then a recursive descent reckons in 64 bits. What
 * is not an expression is false, and a guess.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/limits.h"
#include "analysis/text/pp.h"

struct value {
    uint64_t v;
    bool is_unsigned;
};

struct parser {
    const struct pp_tok *t;
    unsigned depth;
    unsigned skip; /* inside an operand that does not count */
    bool guess, bad;
};

static bool is_word(const struct pp_tok *t, const char *w)
{
    return t && t->kind == CMPD_TOK_IDENT && t->len == strlen(w) && memcmp(t->s, w, t->len) == 0;
}

static bool is_op(const struct pp_tok *t, const char *op)
{
    return t && t->kind == CMPD_TOK_PUNCT && t->len == strlen(op) && memcmp(t->s, op, t->len) == 0;
}

bool pp_defined(struct pp *pp, const char *s, size_t len, bool *guess)
{
    const struct pp_name *n = pp_name_find(pp->names, s, len);
    if (n && n->current && !(n->current->compiler && pp_hidden_arch(pp, n)))
        return true;
    /* A name with a definition or an #undef of its own in the file is no riddle. */
    if (!n && !pp_known_undefined(s, len))
        *guess = true;
    return false;
}

/* ---- before expansion ---- */

static struct pp_tok *answer(struct pp *pp, bool yes, bool guess)
{
    struct pp_tok *t = pp_tok_new(pp, yes ? "1" : "0", 1, CMPD_TOK_NUMBER);
    t->guess = guess;
    return t;
}

/* `defined X` or `defined(X)`, at t; *next is what follows. */
static struct pp_tok *ask_defined(struct pp *pp, const struct pp_tok *t, struct pp_tok **next)
{
    struct pp_tok *name = t->next;
    bool parens = pp_is(name, '('), guess = false;
    if (parens)
        name = name->next;
    if (!name || name->kind != CMPD_TOK_IDENT) {
        *next = name;
        return answer(pp, false, true);
    }
    *next = name->next;
    if (parens && pp_is(*next, ')'))
        *next = (*next)->next;
    bool yes = pp_defined(pp, name->s, name->len, &guess);
    return answer(pp, yes, guess);
}

/* __has_include(<x>) and its like: known headers are there, everything else is a guess. */
static struct pp_tok *ask_has(struct pp *pp, const struct pp_tok *t, struct pp_tok **next)
{
    bool include = is_word(t, "__has_include") || is_word(t, "__has_include_next");
    struct pp_tok *p = t->next;
    if (!pp_is(p, '(')) {
        *next = p;
        return answer(pp, false, true);
    }
    const char *from = p->s + 1, *to = from;
    unsigned depth = 0;
    for (; p; p = p->next) {
        depth += pp_is(p, '(') ? 1 : 0;
        to = p->s;
        if (pp_is(p, ')') && --depth == 0)
            break;
    }
    *next = p ? p->next : NULL;
    while (from < to && (*from == ' ' || *from == '<' || *from == '"'))
        from++;
    while (from < to && (to[-1] == ' ' || to[-1] == '>' || to[-1] == '"'))
        to--;
    bool known = include && from < to && pp_known_header(from, (size_t)(to - from));
    return answer(pp, known, !known);
}

static struct pp_tok *prepare(struct pp *pp, const struct cmpd_token *tokens, size_t count)
{
    struct pp_source src = {tokens, 0, count};
    struct pp_tok *first = NULL, **last = &first;
    for (size_t i = 0; i < count; i++) {
        *last = pp_tok_from_source(pp, &src, i);
        last = &(*last)->next;
    }
    for (struct pp_tok **at = &first; *at; at = &(*at)->next) {
        struct pp_tok *t = *at, *next = t->next, *a = NULL;
        if (is_word(t, "defined"))
            a = ask_defined(pp, t, &next);
        else if (t->kind == CMPD_TOK_IDENT && t->len > 6 && memcmp(t->s, "__has_", 6) == 0)
            a = ask_has(pp, t, &next);
        if (a) {
            a->next = next;
            *at = a;
        }
    }
    return first;
}

/* ---- the expression ---- */

static struct value conditional(struct parser *p);

static struct value number(struct parser *p, const struct pp_tok *t)
{
    struct value v = {0, false};
    char digits[72];
    size_t n = 0;
    for (uint32_t i = 0; i < t->len && n < sizeof digits - 1; i++)
        if (t->s[i] != '\'')
            digits[n++] = t->s[i];
    digits[n] = '\0';
    char *end;
    bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    v.v = binary ? strtoull(digits + 2, &end, 2) : strtoull(digits, &end, 0);
    for (; *end; end++) {
        if (*end == 'u' || *end == 'U')
            v.is_unsigned = true;
        else if (*end != 'l' && *end != 'L' && *end != 'z' && *end != 'Z')
            p->bad = true;
    }
    if (v.v > INT64_MAX)
        v.is_unsigned = true;
    return v;
}

static struct value character(const struct pp_tok *t)
{
    struct value v = {0, false};
    const char *q = memchr(t->s, '\'', t->len);
    size_t left = t->len - (size_t)(q + 1 - t->s);
    if (left >= 2)
        v.v = (unsigned char)(q[1] == '\\' && q[2] == '0'   ? 0
                              : q[1] == '\\' && q[2] == 'n' ? '\n'
                                                            : q[1]);
    return v;
}

static struct value primary(struct parser *p)
{
    struct value v = {0, false};
    const struct pp_tok *t = p->t;
    if (!t) {
        p->bad = true;
        return v;
    }
    p->t = t->next;
    if (t->guess && !p->skip)
        p->guess = true;
    if (t->kind == CMPD_TOK_NUMBER)
        return number(p, t);
    if (t->kind == CMPD_TOK_CHAR)
        return character(t);
    if (t->kind == CMPD_TOK_IDENT) {
        v.v = is_word(t, "true") ? 1 : 0;
        if (!p->skip && !is_word(t, "true") && !is_word(t, "false") &&
            !pp_known_undefined(t->s, t->len))
            p->guess = true;
        if (pp_is(p->t, '('))
            p->bad = true; /* a function-like macro that nobody defines */
        return v;
    }
    if (!pp_is(t, '(')) {
        p->bad = true;
        return v;
    }
    v = conditional(p);
    if (pp_is(p->t, ')'))
        p->t = p->t->next;
    else
        p->bad = true;
    return v;
}

static struct value unary(struct parser *p)
{
    static const char *const ops[] = {"!", "-", "+", "~"};
    struct value v = {0, false};
    if (++p->depth > CMPD_CONDITION_DEPTH_CEILING)
        p->bad = true;
    if (p->bad)
        return v;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (!is_op(p->t, ops[i]))
            continue;
        p->t = p->t->next;
        v = unary(p);
        p->depth--;
        switch (ops[i][0]) {
        case '!':
            v.v = !v.v;
            v.is_unsigned = false;
            break;
        case '-':
            v.v = 0 - v.v;
            break;
        case '~':
            v.v = ~v.v;
            break;
        default:
            break;
        }
        return v;
    }
    v = primary(p);
    p->depth--;
    return v;
}

/* Loosest first; a level holds the operators that bind equally. */
static const char *const levels[][5] = {
    {"||"},       {"&&"},     {"|"},           {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};
#define LEVEL_COUNT (sizeof levels / sizeof levels[0])

static bool less(struct value a, struct value b)
{
    return a.is_unsigned || b.is_unsigned ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
}

static uint64_t divide(struct parser *p, struct value a, struct value b, bool rest)
{
    if (b.v == 0) {
        p->bad = p->bad || !p->skip;
        return 0;
    }
    if (a.is_unsigned || b.is_unsigned)
        return rest ? a.v % b.v : a.v / b.v;
    if ((int64_t)b.v == -1) /* INT64_MIN / -1 has no value */
        return rest ? 0 : 0 - a.v;
    return (uint64_t)(rest ? (int64_t)a.v % (int64_t)b.v : (int64_t)a.v / (int64_t)b.v);
}

static uint64_t shift_right(struct value a, unsigned by)
{
    if (a.is_unsigned || !(a.v >> 63))
        return a.v >> by;
    return ~(~a.v >> by);
}

static struct value apply(struct parser *p, const char *op, struct value a, struct value b)
{
    struct value v = {0, a.is_unsigned || b.is_unsigned};
    char two = op[1];
    switch (op[0]) {
    case '|':
        v.v = two ? a.v || b.v : a.v | b.v;
        break;
    case '&':
        v.v = two ? a.v && b.v : a.v & b.v;
        break;
    case '^':
        v.v = a.v ^ b.v;
        break;
    case '=':
        v.v = a.v == b.v;
        break;
    case '!':
        v.v = a.v != b.v;
        break;
    case '<':
        v.v = two == '<' ? a.v << (b.v & 63) : two ? !less(b, a) : less(a, b);
        break;
    case '>':
        v.v = two == '>' ? shift_right(a, (unsigned)(b.v & 63)) : two ? !less(a, b) : less(b, a);
        break;
    case '+':
        v.v = a.v + b.v;
        break;
    case '-':
        v.v = a.v - b.v;
        break;
    case '*':
        v.v = a.v * b.v;
        break;
    default:
        v.v = divide(p, a, b, op[0] == '%');
        break;
    }
    bool truth = (two && op[0] != '<' && op[0] != '>') || (op[0] == '<' && two != '<') ||
                 (op[0] == '>' && two != '>');
    if (truth)
        v.is_unsigned = false;
    return v;
}

static const char *operator_at(const struct pp_tok *t, size_t level)
{
    for (const char *const *op = levels[level]; *op; op++)
        if (is_op(t, *op))
            return *op;
    return NULL;
}

static struct value binary(struct parser *p, size_t level)
{
    if (level == LEVEL_COUNT)
        return unary(p);
    struct value v = binary(p, level + 1);
    const char *op;
    while (!p->bad && (op = operator_at(p->t, level))) {
        p->t = p->t->next;
        bool decided = (level == 0 && v.v) || (level == 1 && !v.v);
        p->skip += decided;
        struct value right = binary(p, level + 1);
        p->skip -= decided;
        v = apply(p, op, v, right);
    }
    return v;
}

static struct value conditional(struct parser *p)
{
    struct value v = {0, false};
    if (++p->depth > CMPD_CONDITION_DEPTH_CEILING)
        p->bad = true;
    if (p->bad)
        return v;
    v = binary(p, 0);
    if (!pp_is(p->t, '?')) {
        p->depth--;
        return v;
    }
    bool yes = v.v != 0;
    p->t = p->t->next;
    p->skip += !yes;
    struct value a = conditional(p);
    p->skip -= !yes;
    if (pp_is(p->t, ':'))
        p->t = p->t->next;
    else
        p->bad = true;
    p->skip += yes;
    struct value b = conditional(p);
    p->skip -= yes;
    p->depth--;
    return yes ? a : b;
}

bool pp_condition(struct pp *pp, const struct cmpd_token *t, size_t count, bool *guess)
{
    struct cmpd_arena_mark mark = cmpd_arena_mark(&pp->scratch);
    size_t uses = pp->use_count;
    pp->use_steps = 0;
    pp->stopped = false;
    struct pp_tok *list = pp_expand(pp, prepare(pp, t, count), NULL, true);
    struct parser p = {.t = list};
    struct value v = conditional(&p);
    bool bad = p.bad || p.t || pp->stopped;
    if (bad || p.guess)
        *guess = true;
    pp->use_count = uses;
    cmpd_arena_release(&pp->scratch, mark);
    return !bad && v.v != 0;
}
