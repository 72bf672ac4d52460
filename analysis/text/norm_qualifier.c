/*
 * Pass 2: names in capitals that can only be a macro for qualifiers, by their
 * place in a declaration: API float f(), void CALLBACK f(), class API Foo {,
 * T *RESTRICT x, template <...> BOUNDS(512) __global__ void k().
 */
#include <string.h>

#include "analysis/text/norm.h"

#define ROW_CEILING 8 /* macros in a row that are looked back over */

/* The name at hand: raw tokens before it, kept tokens behind it. */
struct spot {
    const struct norm *n;
    size_t at;   /* the name */
    size_t next; /* what follows, taken out names left aside */
};

static bool is_specifier(enum word_class w)
{
    return w == WORD_SPECIFIER || w == WORD_CLASS_KEY;
}

static bool is_type_like(const struct norm *n, size_t i)
{
    enum word_class w = norm_word(n, i);
    return norm_ident(n, i) && (w == WORD_PLAIN || w == WORD_CAPS || w == WORD_TYPE);
}

/* What stands before a new declaration or statement, other names alone on their lines left aside. */
static bool after_end(const struct spot *s)
{
    size_t i = s->at;
    while (i > 0 && s->at - i < ROW_CEILING && norm_word(s->n, i - 1) == WORD_CAPS &&
           norm_line_end_between(s->n, &s->n->t[i - 1], &s->n->t[i]))
        i--;
    if (i == 0)
        return true;
    char c = norm_char(s->n, i - 1);
    return c == ';' || c == '{' || c == '}' || c == ':';
}

/* Before a declaration's specifiers: its beginning, another specifier, a template's header, extern "C". */
static bool among_specifiers(const struct spot *s)
{
    if (after_end(s))
        return true;
    size_t prev = s->at - 1;
    while (prev > 0 && s->at - prev < ROW_CEILING && norm_word(s->n, prev) == WORD_CAPS)
        prev--; /* DEV HOST float *f( */
    char c = norm_char(s->n, prev);
    return c == '>' || c == ']' || norm_word(s->n, prev) == WORD_SPECIFIER ||
           s->n->t[prev].kind == CMPD_TOK_STRING ||
           (prev + 1 < s->at && (c == ';' || c == '}' || c == '{'));
}

static bool after_access(const struct spot *s)
{
    return s->at > 0 &&
           (norm_char(s->n, s->at - 1) == '.' || norm_is(s->n, s->at - 1, "->") ||
            norm_is(s->n, s->at - 1, "::") || norm_word(s->n, s->at - 1) == WORD_CLASS_KEY ||
            norm_word(s->n, s->at - 1) == WORD_OPERATOR);
}

/* `REAL __device__ f(`: the name is the type, since none follows before the function's own name. */
static bool is_the_type(const struct norm *n, size_t next)
{
    while (norm_word(n, next) == WORD_SPECIFIER || norm_word(n, next) == WORD_CV)
        next++;
    return norm_ident(n, next) && norm_word(n, next) != WORD_TYPE &&
           norm_word(n, next) != WORD_CLASS_KEY && !norm_ident(n, next + 1) &&
           norm_char(n, next + 1) != '*' && norm_char(n, next + 1) != '&' &&
           norm_char(n, next + 1) != '<' && !norm_is(n, next + 1, "::");
}

/* API int f(), MACRO __global__ ..., IN int x */
static bool before_specifier(const struct spot *s)
{
    enum word_class w = norm_word(s->n, s->next);
    if (!(is_specifier(w) || w == WORD_TYPE || norm_is(s->n, s->next, "typename")) ||
        after_access(s))
        return false;
    return !is_the_type(s->n, s->next);
}

/* T *QUALIFIER x */
static bool behind_star(const struct spot *s)
{
    char c = s->at > 0 ? norm_char(s->n, s->at - 1) : '\0';
    return (c == '*' || c == '&') && norm_ident(s->n, s->next) &&
           norm_word(s->n, s->next) == WORD_PLAIN;
}

/* void CALLBACK f( */
static bool between_type_and_name(const struct spot *s)
{
    return s->at > 0 && is_type_like(s->n, s->at - 1) && norm_word(s->n, s->next) == WORD_PLAIN &&
           norm_ident(s->n, s->next) && norm_char(s->n, s->next + 1) == '(';
}

/* API Foo f(, HD T *f(, API std::string f( */
static bool before_type_and_name(const struct spot *s)
{
    const struct norm *n = s->n;
    size_t i = s->next;
    char before = s->at > 0 ? norm_char(n, s->at - 1) : '\0';
    if (before == '(' || before == ',') /* CONSTANT Foo const x, IN Foo x */
        return is_type_like(n, i) && (is_type_like(n, i + 1) || norm_word(n, i + 1) == WORD_CV);
    if (!among_specifiers(s) || after_access(s) || !is_type_like(n, i))
        return false;
    size_t name = norm_behind_name(n, i);
    if (name == i)
        return false;
    while (norm_char(n, name) == '*' || norm_char(n, name) == '&')
        name++;
    return is_type_like(n, name);
}

/* f(int x MORE_PARAMS) */
static bool behind_parameter(const struct spot *s)
{
    const struct norm *n = s->n;
    char c = norm_char(n, s->next);
    if ((c != ')' && c != ',') || s->at < 2 || !norm_ident(n, s->at - 1) ||
        norm_word(n, s->at - 1) == WORD_TYPE || !is_type_like(n, s->at - 1))
        return false;
    char before = norm_char(n, s->at - 2);
    return is_type_like(n, s->at - 2) || before == '*' || before == '&' || before == '>';
}

/* HD Foo(int a) : a(a) {} */
static bool before_constructor(const struct spot *s)
{
    if (!among_specifiers(s) || !norm_ident(s->n, s->next) || norm_char(s->n, s->next + 1) != '(')
        return false;
    size_t behind = norm_behind_parens(s->n, s->next + 1);
    return behind > s->next + 1 && norm_char(s->n, behind) == ':';
}

/* class API Foo { */
static bool in_class_head(const struct spot *s)
{
    if (s->at == 0 || norm_word(s->n, s->at - 1) != WORD_CLASS_KEY || !norm_ident(s->n, s->next))
        return false;
    char c = norm_char(s->n, s->next + 1);
    return c == '{' || c == ':' || norm_is(s->n, s->next + 1, "final");
}

/* struct X { LOCALS } */
static bool first_in_class(const struct spot *s)
{
    return s->at > 2 && norm_char(s->n, s->at - 1) == '{' &&
           norm_word(s->n, s->at - 3) == WORD_CLASS_KEY && !norm_is(s->n, s->at - 3, "enum");
}

/* LOCALS, alone on its line */
static bool alone_on_line(const struct spot *s)
{
    if (!after_end(s))
        return false;
    const struct norm *n = s->n;
    char before = s->at > 0 ? norm_char(n, s->at - 1) : ';';
    bool may_close = (before != '{' && before != ':') || first_in_class(s);
    if (s->next == n->count)
        return may_close;
    if (!norm_line_end_between(n, &n->t[s->at], &n->t[s->next]))
        return false;
    enum word_class w = norm_word(n, s->next);
    bool member = norm_ident(n, s->next) &&
                  (norm_char(n, s->next + 1) == '.' || norm_is(n, s->next + 1, "->"));
    return w == WORD_CV || w == WORD_STATEMENT || member ||
           (norm_char(n, s->next) == '}' && may_close);
}

/* [=] GPU_LAMBDA (int i) { */
static bool of_lambda(const struct spot *s)
{
    return s->at > 0 && norm_char(s->n, s->at - 1) == ']' && norm_char(s->n, s->next) == '(';
}

static bool is_qualifier(const struct spot *s)
{
    return before_specifier(s) || behind_star(s) || between_type_and_name(s) ||
           before_type_and_name(s) || behind_parameter(s) || before_constructor(s) ||
           in_class_head(s) || alone_on_line(s) || of_lambda(s);
}

/* BOUNDS(512) among specifiers; the token behind it, or 0. Where a statement could stand pass 4 looks at it. */
static size_t qualifier_with_args(const struct spot *s)
{
    const struct norm *n = s->n;
    if (norm_char(n, s->next) != '(' || (after_end(s) && norm_begins_line(n, s->at)))
        return 0;
    size_t behind = norm_behind_parens(n, s->next);
    if (behind == s->next)
        return 0;
    bool class_head = s->at > 0 && norm_word(n, s->at - 1) == WORD_CLASS_KEY;
    if (class_head)
        return behind;
    if (!norm_ident(n, behind) || !among_specifiers(s))
        return 0;
    enum word_class w = norm_word(n, behind);
    bool declares = is_specifier(w) || w == WORD_TYPE ||
                    (is_type_like(n, behind) && is_type_like(n, behind + 1));
    return declares ? behind : 0;
}

void norm_qualifiers(struct norm *n)
{
    size_t kept = n->count; /* tokens from here on are settled */
    for (size_t i = n->count; i-- > 0;) {
        struct spot s = {n, i, kept};
        if (norm_word(n, i) == WORD_CAPS) {
            size_t behind = qualifier_with_args(&s);
            if (behind) {
                struct cmpd_token group[NORM_LOOK_AHEAD + 2];
                size_t len = behind - kept;
                memcpy(group + 1, n->t + kept, len * sizeof *group);
                group[0] = n->t[i];
                norm_take_out(n, group, group + len);
                kept = behind;
                continue;
            }
            if (is_qualifier(&s)) {
                norm_take_out(n, &n->t[i], &n->t[i]);
                continue;
            }
        }
        n->t[--kept] = n->t[i];
    }
    n->count -= kept;
    memmove(n->t, n->t + kept, n->count * sizeof *n->t);
}
