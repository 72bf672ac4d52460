/* Pass 3: single constructs that the grammar does not know. */
#include <string.h>

#include "analysis/text/norm.h"

/* [=] __host__ __device__ (int i) { */
static size_t lambda_qualifiers(const struct norm *n, size_t i)
{
    if (i == 0 || norm_char(n, i - 1) != ']')
        return 0;
    size_t k = i;
    while (norm_is(n, k, "__device__") || norm_is(n, k, "__host__"))
        k++;
    char c = norm_char(n, k);
    return k > i && (c == '(' || c == '{') ? k - i : 0;
}

/* new const float *[n] */
static size_t const_of_new(const struct norm *n, size_t i)
{
    return i > 0 && norm_word(n, i) == WORD_CV && norm_is(n, i - 1, "new") ? 1 : 0;
}

/* new float *[n]: the grammar knows no pointer there */
static size_t star_of_new(const struct norm *n, size_t i)
{
    if (norm_char(n, i) != '*' || norm_char(n, i + 1) != '[')
        return 0;
    size_t k = i;
    while (k > 0 && i - k < 16 &&
           (norm_ident(n, k - 1) || norm_is(n, k - 1, "::") || norm_char(n, k - 1) == '*')) {
        if (norm_is(n, k - 1, "new"))
            return 1;
        k--;
    }
    return 0;
}

/* A macro beside a string literal: "a" PRIu64 "b", FMT "b", "a" STR(x). */
static size_t beside_string(const struct norm *n, size_t i)
{
    size_t len = 1;
    if (norm_word(n, i) == WORD_CAPS && norm_char(n, i + 1) == '(' &&
        norm_behind_parens(n, i + 1) > i + 1)
        len = norm_behind_parens(n, i + 1) - i;
    bool left = i > 0 && n->t[i - 1].kind == CMPD_TOK_STRING &&
                n->t[i - 1].off + n->t[i - 1].len < n->t[i].off && norm_word(n, i) != WORD_OPERATOR;
    bool right = i + len < n->count && n->t[i + len].kind == CMPD_TOK_STRING;
    bool linkage = i > 1 && norm_is(n, i - 2, "extern"); /* extern "C" FOO */
    if (left && !linkage &&
        (norm_word(n, i) == WORD_CAPS || (len == 1 && norm_word(n, i) == WORD_PLAIN)))
        return len;
    return right && norm_word(n, i) == WORD_CAPS ? len : 0;
}

/* template class X<float>; reads as a declaration of the class without its first word. */
static size_t class_instantiation(const struct norm *n, size_t i)
{
    return norm_is(n, i, "template") && norm_word(n, i + 1) == WORD_CLASS_KEY ? 1 : 0;
}

/* extern template ...; declares nothing that is here. */
static size_t extern_template(const struct norm *n, size_t i)
{
    if (!norm_is(n, i, "extern") || !norm_is(n, i + 1, "template"))
        return 0;
    for (size_t k = i; k < n->count && k < i + NORM_LOOK_AHEAD; k++)
        if (norm_char(n, k) == ';')
            return k + 1 - i;
    return 0;
}

/* What may stand before an operand. */
static bool before_operand(const struct norm *n, size_t i)
{
    if (n->t[i].kind == CMPD_TOK_PUNCT)
        return !strchr(")]};", n->text[n->t[i].off]);
    return norm_is(n, i, "return");
}

/* f(typename T::X{}), x = typename T::X(1): the grammar knows the word in declarations alone. */
static size_t typename_in_expression(const struct norm *n, size_t i)
{
    if (!norm_is(n, i, "typename") || i == 0 || !before_operand(n, i - 1))
        return 0;
    size_t behind = norm_behind_name(n, i + 1);
    char c = norm_char(n, behind);
    return behind > i + 1 && (c == '(' || c == '{') ? 1 : 0;
}

/* using typename T::X; */
static size_t typename_of_using(const struct norm *n, size_t i)
{
    return i > 0 && norm_is(n, i, "typename") && norm_is(n, i - 1, "using") ? 1 : 0;
}

/* a.template f(x) */
static size_t template_of_member(const struct norm *n, size_t i)
{
    bool member = i > 0 && (norm_char(n, i - 1) == '.' || norm_is(n, i - 1, "->"));
    return member && norm_is(n, i, "template") && norm_ident(n, i + 1) && norm_char(n, i + 2) != '<'
               ? 1
               : 0;
}

/* void f(T x = {}) */
static size_t empty_default(const struct norm *n, size_t i)
{
    return norm_char(n, i) == '=' && norm_char(n, i + 1) == '{' && norm_char(n, i + 2) == '}' &&
                   norm_char(n, i + 3) == ')'
               ? 3
               : 0;
}

/* f(decltype(x){}): reads as a compound literal without the word. */
static size_t decltype_in_expression(const struct norm *n, size_t i)
{
    if (!norm_is(n, i, "decltype") || i == 0 || !before_operand(n, i - 1) ||
        norm_char(n, i + 1) != '(')
        return 0;
    return norm_char(n, norm_behind_parens(n, i + 1)) == '{' ? 1 : 0;
}

/* int a : 14, : 2; and int : 1, b : 3; */
static size_t unnamed_bits(const struct norm *n, size_t i)
{
    if (norm_char(n, i) == ',' && norm_char(n, i + 1) == ':' && i + 2 < n->count)
        return n->t[i + 2].kind == CMPD_TOK_NUMBER ? 3 : 0;
    bool behind_type = i > 0 && norm_char(n, i) == ':' && norm_word(n, i - 1) == WORD_TYPE;
    return behind_type && i + 1 < n->count && n->t[i + 1].kind == CMPD_TOK_NUMBER &&
                   norm_char(n, i + 2) == ','
               ? 3
               : 0;
}

/* X_STATIC_ASSERT(a > b, "c") in a class reads as a broken declaration, and does nothing anyway. */
static size_t static_assertion(const struct norm *n, size_t i)
{
    static const char tail[] = "STATIC_ASSERT";
    size_t len = n->t[i].len, tail_len = sizeof tail - 1;
    if (norm_word(n, i) != WORD_CAPS || len < tail_len || norm_char(n, i + 1) != '(' ||
        memcmp(n->text + n->t[i].off + len - tail_len, tail, tail_len) != 0)
        return 0;
    size_t behind = norm_behind_parens(n, i + 1);
    return behind > i + 1 ? behind - i : 0;
}

/* T *const __restrict p: the grammar knows __restrict__ alone there. */
static size_t restrict_behind_const(const struct norm *n, size_t i)
{
    return i > 0 && norm_is(n, i, "__restrict") && norm_word(n, i - 1) == WORD_CV ? 1 : 0;
}

static size_t construct(const struct norm *n, size_t i)
{
    if (n->t[i].kind == CMPD_TOK_PUNCT)
        return star_of_new(n, i) + unnamed_bits(n, i) + empty_default(n, i);
    if (n->t[i].kind != CMPD_TOK_IDENT)
        return 0;
    size_t len = 0;
    switch (norm_word(n, i)) {
    case WORD_SPECIFIER:
        len = lambda_qualifiers(n, i);
        return len ? len : extern_template(n, i);
    case WORD_CV:
        return const_of_new(n, i);
    case WORD_STATEMENT:
        return class_instantiation(n, i) + template_of_member(n, i);
    case WORD_OPERATOR:
        len = typename_of_using(n, i);
        return len ? len : typename_in_expression(n, i) + decltype_in_expression(n, i);
    case WORD_CAPS:
        len = static_assertion(n, i);
        return len ? len : beside_string(n, i);
    case WORD_PLAIN:
        return beside_string(n, i) + restrict_behind_const(n, i);
    default:
        return 0;
    }
}

/* ---- types as arguments ---- */

/*
 * An argument that is a type and nothing else becomes a name of the same
 * length: `FOO(const float *, x)` is read as `FOO(Const_float  , x)`.
 */
static void rename_type(struct norm *n, size_t from, size_t to)
{
    uint32_t off = n->t[from].off, end = n->t[to - 1].off + n->t[to - 1].len, words_end = off;
    for (size_t i = from; i < to; i++)
        if (norm_ident(n, i))
            words_end = n->t[i].off + n->t[i].len;
    for (uint32_t k = off; k < end; k++) {
        bool line_end = n->text[k] == '\n' || n->text[k] == '\r';
        if (k >= words_end)
            n->text[k] = line_end ? n->text[k] : ' ';
        else if (!cmpd_lex_is_word((unsigned char)n->text[k]))
            n->text[k] = '_';
    }
    if (n->text[off] >= 'a' && n->text[off] <= 'z')
        n->text[off] = (char)(n->text[off] - 'a' + 'A');
}

static bool is_type(const struct norm *n, size_t from, size_t to)
{
    bool builtin = false, stars = false;
    for (size_t i = from; i < to; i++) {
        char c = norm_char(n, i);
        if (c == '*' || c == '&') {
            stars = true;
            continue;
        }
        if (!norm_ident(n, i) || stars)
            return false;
        builtin = builtin || norm_word(n, i) == WORD_TYPE || norm_word(n, i) == WORD_CV;
    }
    return from < to && norm_ident(n, from) && (builtin || (stars && to - from == 2));
}

/* Behind which a name with parentheses is a call. */
static bool before_call(const struct norm *n, size_t i)
{
    if (norm_ident(n, i))
        return norm_word(n, i) == WORD_STATEMENT || norm_word(n, i) == WORD_OPERATOR;
    return true;
}

/* A call, not a declaration, whose parentheses may hold types. */
static bool takes_types(const struct norm *n, size_t i)
{
    if (norm_char(n, i + 1) != '(')
        return false;
    bool known = norm_is(n, i, "typeid") || norm_is(n, i, "va_arg") || norm_is(n, i, "offsetof") ||
                 norm_is(n, i, "__builtin_offsetof");
    if (known || norm_word(n, i) == WORD_CAPS)
        return i == 0 || before_call(n, i - 1);
    /* x = alloc(int, n): what else begins with a built-in type there is a declaration */
    return norm_word(n, i) == WORD_PLAIN && i > 0 && norm_char(n, i - 1) == '=' &&
           norm_word(n, i + 2) == WORD_TYPE && norm_char(n, i + 3) == ',' &&
           (i < 3 || !norm_is(n, i - 3, "using"));
}

static void rename_types(struct norm *n, size_t i)
{
    size_t from = i + 2, depth = 0;
    for (size_t k = from; k < n->count && k < from + NORM_LOOK_AHEAD; k++) {
        char c = norm_char(n, k);
        if (depth == 0 && (c == ',' || c == ')')) {
            if (is_type(n, from, k))
                rename_type(n, from, k);
            from = k + 1;
            if (c == ')')
                return;
        }
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && depth-- == 0)
            return;
    }
}

void norm_constructs(struct norm *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n->count;) {
        size_t len = construct(n, i);
        if (len) {
            norm_take_out(n, &n->t[i], &n->t[i + len - 1]);
            i += len;
            continue;
        }
        n->t[kept++] = n->t[i++];
    }
    n->count = kept;
    for (size_t i = 0; i < n->count; i++)
        if (norm_ident(n, i) && takes_types(n, i))
            rename_types(n, i);
}
