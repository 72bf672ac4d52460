#include "gpu-runner/entry/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

struct parser {
    const char *at;
    const struct cmpd_formula_value *names;
    size_t count;
    unsigned depth;
    bool skip; /* the branch that is not taken: no value is needed */
    struct cmpd_err *err;
    bool failed;
};

static int64_t fail(struct parser *p, const char *why)
{
    if (!p->failed)
        cmpd_err_set(p->err, CMPD_EINPUT, "%s at '%.40s'", why, p->at);
    p->failed = true;
    return 0;
}

static void blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool take(struct parser *p, const char *token)
{
    blanks(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0)
        return false;
    p->at += n;
    return true;
}

static int64_t ternary(struct parser *p);

static int64_t divided(struct parser *p, int64_t a, int64_t b, bool rest)
{
    if (p->skip)
        return 0;
    if (b == 0)
        return fail(p, "a division by zero");
    if (b == -1)
        return rest ? 0 : a == INT64_MIN ? fail(p, "an overflow") : -a;
    return rest ? a % b : a / b;
}

static int64_t ceil_div(struct parser *p, int64_t a, int64_t b)
{
    int64_t q = divided(p, a, b, false);
    return p->failed || p->skip ? 0 : q + (a % b != 0 && (a < 0) == (b < 0));
}

static int64_t call(struct parser *p, const char *name, size_t len)
{
    int64_t a = ternary(p), b = 0;
    if (!take(p, ","))
        return fail(p, "a function of two arguments has one");
    b = ternary(p);
    if (!take(p, ")"))
        return fail(p, "a parenthesis is open");
    if (len == 3 && strncmp(name, "min", len) == 0)
        return a < b ? a : b;
    if (len == 3 && strncmp(name, "max", len) == 0)
        return a > b ? a : b;
    if (len == 8 && strncmp(name, "ceil_div", len) == 0)
        return ceil_div(p, a, b);
    return fail(p, "a function that isn't known");
}

/* NAME or NAME[formula]: what stands in brackets counts where nobody knows the name. */
static int64_t name(struct parser *p)
{
    const char *begin = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t len = (size_t)(p->at - begin);
    if (take(p, "("))
        return call(p, begin, len);
    bool known = false, fallback = false;
    int64_t value = 0;
    for (size_t i = 0; i < p->count && !known; i++) {
        known = strlen(p->names[i].name) == len && memcmp(p->names[i].name, begin, len) == 0;
        if (known)
            value = p->names[i].value;
    }
    if (take(p, "[")) {
        bool was = p->skip;
        p->skip = was || known;
        int64_t other = ternary(p);
        p->skip = was;
        fallback = true;
        value = known ? value : other;
        if (!take(p, "]"))
            return fail(p, "a bracket is open");
    }
    if (!known && !fallback) {
        p->at = begin;
        return fail(p, "a name without a value");
    }
    return value;
}

static int64_t number(struct parser *p)
{
    char *end;
    unsigned long long v = strtoull(p->at, &end, 0);
    if (v > INT64_MAX)
        return fail(p, "a number that is too large");
    p->at = end;
    while (strchr("uUlL", *p->at) && *p->at)
        p->at++;
    if (isalnum((unsigned char)*p->at) || *p->at == '.' || *p->at == '_')
        return fail(p, "no whole number");
    return (int64_t)v;
}

static int64_t unary(struct parser *p)
{
    blanks(p);
    if (++p->depth > CMPD_FORMULA_DEPTH_CEILING)
        return fail(p, "it is nested too deeply");
    int64_t v = 0;
    char c = *p->at;
    if (c == '-' || c == '+' || c == '~' || (c == '!' && p->at[1] != '=')) {
        p->at++;
        v = unary(p);
        v = c == '-' ? (int64_t)(0 - (uint64_t)v) : c == '~' ? ~v : c == '!' ? !v : v;
    } else if (take(p, "(")) {
        v = ternary(p);
        if (!take(p, ")"))
            fail(p, "a parenthesis is open");
    } else if (isdigit((unsigned char)c)) {
        v = number(p);
    } else if (isalpha((unsigned char)c) || c == '_') {
        v = name(p);
    } else {
        fail(p, "a number or a name is missing");
    }
    p->depth--;
    return v;
}

/* Binary operators by precedence, tightest first; longer ones before their beginnings. */
static const char *const LEVELS[][5] = {
    {"*", "/", "%", NULL}, {"+", "-", NULL}, {"<<", ">>", NULL}, {"<=", ">=", "<", ">", NULL},
    {"==", "!=", NULL},    {"&", NULL},      {"^", NULL},        {"|", NULL},
    {"&&", NULL},          {"||", NULL},
};
#define LEVEL_COUNT (sizeof LEVELS / sizeof LEVELS[0])

static const char *operator_at(struct parser *p, size_t level)
{
    blanks(p);
    for (size_t i = 0; LEVELS[level][i]; i++) {
        const char *op = LEVELS[level][i];
        size_t n = strlen(op);
        if (strncmp(p->at, op, n) != 0)
            continue;
        /* "&" is no part of "&&", "<" none of "<<". */
        if (n == 1 && strchr("&|<>", op[0]) && p->at[1] == op[0])
            continue;
        p->at += n;
        return op;
    }
    return NULL;
}

static int64_t shifted(struct parser *p, int64_t a, int64_t b, bool left)
{
    if (b < 0 || b > 62)
        return p->skip ? 0 : fail(p, "a shift that is too wide");
    return left ? (int64_t)((uint64_t)a << b) : a >> b;
}

static int64_t apply(struct parser *p, const char *op, int64_t a, int64_t b)
{
    int64_t r = 0;
    if (p->skip || p->failed)
        return 0;
    switch (op[0]) {
    case '*':
        return __builtin_mul_overflow(a, b, &r) ? fail(p, "an overflow") : r;
    case '/':
        return divided(p, a, b, false);
    case '%':
        return divided(p, a, b, true);
    case '+':
        return __builtin_add_overflow(a, b, &r) ? fail(p, "an overflow") : r;
    case '-':
        return __builtin_sub_overflow(a, b, &r) ? fail(p, "an overflow") : r;
    case '<':
        return op[1] == '<' ? shifted(p, a, b, true) : op[1] ? a <= b : a < b;
    case '>':
        return op[1] == '>' ? shifted(p, a, b, false) : op[1] ? a >= b : a > b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '&':
        return op[1] ? a && b : a & b;
    case '^':
        return a ^ b;
    default:
        return op[1] ? a || b : a | b;
    }
}

static int64_t binary(struct parser *p, size_t level)
{
    if (level == 0) {
        int64_t v = unary(p);
        for (const char *op; !p->failed && (op = operator_at(p, 0));)
            v = apply(p, op, v, unary(p));
        return v;
    }
    int64_t v = binary(p, level - 1);
    for (const char *op; !p->failed && (op = operator_at(p, level));) {
        bool was = p->skip, decided = (op[0] == '&' && op[1] && !v) || (op[0] == '|' && op[1] && v);
        p->skip = was || decided;
        int64_t b = binary(p, level - 1);
        p->skip = was;
        v = decided ? op[0] == '|' : apply(p, op, v, b);
    }
    return v;
}

static int64_t ternary(struct parser *p)
{
    if (++p->depth > CMPD_FORMULA_DEPTH_CEILING)
        return fail(p, "it is nested too deeply");
    int64_t v = binary(p, LEVEL_COUNT - 1);
    if (!p->failed && take(p, "?")) {
        bool was = p->skip;
        p->skip = was || !v;
        int64_t yes = ternary(p);
        if (!take(p, ":"))
            fail(p, "a ':' is missing");
        p->skip = was || v;
        int64_t no = p->failed ? 0 : ternary(p);
        p->skip = was;
        v = v ? yes : no;
    }
    p->depth--;
    return v;
}

cmpd_rc cmpd_formula_eval(const char *text, const struct cmpd_formula_value *names, size_t count,
                          int64_t *out, struct cmpd_err *err)
{
    struct parser p = {.at = text, .names = names, .count = count, .err = err};
    if (strlen(text) > CMPD_FORMULA_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_EINPUT, "the formula is too long");
    int64_t v = ternary(&p);
    blanks(&p);
    if (!p.failed && *p.at)
        fail(&p, "something that does not belong there");
    if (p.failed)
        return CMPD_EINPUT;
    *out = v;
    return CMPD_OK;
}

static void clear3(char *out[3])
{
    for (int i = 0; i < 3; i++) {
        free(out[i]);
        out[i] = NULL;
    }
}

cmpd_rc cmpd_formula_split3(const char *text, char *out[3], struct cmpd_err *err)
{
    int depth = 0, part = 0;
    const char *begin = text;
    out[0] = out[1] = out[2] = NULL;
    for (const char *p = text;; p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        if (*p && !(*p == ',' && depth == 0))
            continue;
        if (part == 3) {
            clear3(out);
            return cmpd_err_set(err, CMPD_EINPUT, "'%.60s' has more than three parts", text);
        }
        out[part++] = cmpd_strndup(begin, (size_t)(p - begin));
        if (!*p)
            break;
        begin = p + 1;
    }
    while (part < 3)
        out[part++] = cmpd_strdup("1");
    return CMPD_OK;
}
