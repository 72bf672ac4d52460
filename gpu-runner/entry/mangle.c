#include "gpu-runner/entry/mangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"

#define SUBSTITUTIONS_CEILING 200
#define DEPTH_CEILING         40

struct reader {
    const char *at;
    bool failed;
    int depth;
    char *subs[SUBSTITUTIONS_CEILING]; /* owned; what S_, S0_, ... stand for */
    size_t sub_count;
    char *targs[64]; /* owned; of the function's own template: T_, T0_, ... */
    size_t targ_count;
    bool returns;     /* a template function: its result type comes first */
    char *last_targs; /* owned; of the last component, joined */
};

static void fail(struct reader *r)
{
    r->failed = true;
}

static bool take(struct reader *r, const char *s)
{
    size_t n = strlen(s);
    if (strncmp(r->at, s, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void remember(struct reader *r, const char *text)
{
    if (r->sub_count < SUBSTITUTIONS_CEILING)
        r->subs[r->sub_count++] = cmpd_strdup(text);
}

/* A number in the base of S_ and T_: digits and capitals, none for the first. */
static size_t sequence(struct reader *r, unsigned base)
{
    size_t n = 0;
    if (take(r, "_"))
        return 0;
    for (; *r->at && *r->at != '_'; r->at++) {
        int c = (unsigned char)*r->at;
        if (!isdigit(c) && !(base == 36 && isupper(c))) {
            fail(r);
            return 0;
        }
        n = n * base + (size_t)(isdigit(c) ? c - '0' : c - 'A' + 10);
        if (n > 10000)
            break;
    }
    if (!take(r, "_"))
        fail(r);
    return n + 1;
}

static void put_type(struct reader *r, struct cmpd_buf *out);

static void put_joined(struct cmpd_buf *out, char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cmpd_buf_printf(out, "%s%s", i ? ", " : "", list[i]);
}

static void put_source_name(struct reader *r, struct cmpd_buf *out)
{
    size_t n = 0;
    while (isdigit((unsigned char)*r->at) && n < CMPD_MANGLE_CEILING)
        n = n * 10 + (size_t)(*r->at++ - '0');
    if (n == 0 || n > CMPD_MANGLE_CEILING || strnlen(r->at, n) < n) {
        fail(r);
        return;
    }
    cmpd_buf_append(out, r->at, n);
    r->at += n;
}

/* What nvcc and the compiler put there for things of one file only. */
static bool of_one_file(const char *name)
{
    return strncmp(name, "_GLOBAL__N_", 11) == 0 || strncmp(name, "_INTERNAL_", 10) == 0 ||
           strncmp(name, "_GLOBAL__", 9) == 0;
}

/* Lf1_E, Li256E, Lb1E, Lj4E: a value. */
static void put_literal(struct reader *r, struct cmpd_buf *out)
{
    bool boolean = *r->at == 'b';
    CMPD_BUF_AUTO struct cmpd_buf type = CMPD_BUF_INIT;
    if (take(r, "_Z")) { /* the address of something */
        fail(r);
        return;
    }
    put_type(r, &type);
    const char *begin = r->at;
    while (*r->at && *r->at != 'E')
        r->at++;
    size_t n = (size_t)(r->at - begin);
    if (!take(r, "E") || n > 40) {
        fail(r);
        return;
    }
    if (boolean)
        cmpd_buf_puts(out, *begin == '1' ? "true" : "false");
    else if (*begin == 'n')
        cmpd_buf_printf(out, "-%.*s", (int)(n - 1), begin + 1);
    else
        cmpd_buf_printf(out, "%.*s", (int)n, begin);
}

static void put_template_arg(struct reader *r, struct cmpd_buf *out)
{
    if (take(r, "L")) {
        put_literal(r, out);
    } else if (take(r, "J")) { /* a pack */
        for (int i = 0; *r->at && *r->at != 'E' && !r->failed; i++) {
            cmpd_buf_puts(out, i ? ", " : "");
            put_template_arg(r, out);
        }
        if (!take(r, "E"))
            fail(r);
    } else if (*r->at == 'X') {
        fail(r);
    } else {
        put_type(r, out);
    }
}

/* I ... E. `own`: they are the function's, which T_ in its parameters means. */
static void put_template_args(struct reader *r, struct cmpd_buf *out, bool own)
{
    CMPD_BUF_AUTO struct cmpd_buf all = CMPD_BUF_INIT;
    char *list[64];
    size_t count = 0;
    while (*r->at && *r->at != 'E' && !r->failed && count < 64) {
        CMPD_BUF_AUTO struct cmpd_buf one = CMPD_BUF_INIT;
        put_template_arg(r, &one);
        list[count++] = cmpd_strdup(cmpd_buf_str(&one));
    }
    if (!take(r, "E"))
        fail(r);
    put_joined(&all, list, count);
    cmpd_buf_puts(out, cmpd_buf_str(&all));
    for (size_t i = 0; own && i < r->targ_count; i++)
        free(r->targs[i]);
    for (size_t i = 0; i < count; i++) {
        if (own)
            r->targs[i] = list[i];
        else
            free(list[i]);
    }
    if (own)
        r->targ_count = count;
}

static void put_substitution(struct reader *r, struct cmpd_buf *out)
{
    static const char *const names[][2] = {
        {"t", "std"},          {"a", "std::allocator"}, {"b", "std::basic_string"},
        {"s", "std::string"},  {"i", "std::istream"},   {"o", "std::ostream"},
        {"d", "std::iostream"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (take(r, names[i][0])) {
            cmpd_buf_puts(out, names[i][1]);
            return;
        }
    }
    size_t n = sequence(r, 36);
    if (n < r->sub_count)
        cmpd_buf_puts(out, r->subs[n]);
    else
        fail(r);
}

static void set_last_targs(struct reader *r, const char *text)
{
    free(r->last_targs);
    r->last_targs = cmpd_strdup(text);
}

/* Behind a component of a nested name or a plain name: template arguments. */
static bool put_maybe_targs(struct reader *r, struct cmpd_buf *out, bool own)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    if (!take(r, "I"))
        return false;
    put_template_args(r, &text, own);
    if (own)
        set_last_targs(r, cmpd_buf_str(&text));
    else
        cmpd_buf_printf(out, "<%s>", cmpd_buf_str(&text));
    return true;
}

/* N ... E. `function`: the whole symbol's name, whose last template arguments stand apart. */
static void put_nested(struct reader *r, struct cmpd_buf *out, bool function)
{
    bool first = true;
    while (*r->at == 'K' || *r->at == 'V' || *r->at == 'r')
        r->at++;
    while (*r->at && *r->at != 'E' && !r->failed) {
        CMPD_BUF_AUTO struct cmpd_buf part = CMPD_BUF_INIT;
        if (*r->at == 'S') {
            r->at++;
            put_substitution(r, &part);
        } else if (*r->at == 'L') {
            r->at++;
            put_source_name(r, &part);
        } else if (*r->at == 'C' || *r->at == 'D') { /* constructor, destructor */
            r->at += r->at[1] ? 2 : 1;
            cmpd_buf_puts(&part, "~");
        } else if (isdigit((unsigned char)*r->at)) {
            put_source_name(r, &part);
        } else {
            fail(r); /* operators, lambdas, local types */
            return;
        }
        bool hidden = of_one_file(cmpd_buf_str(&part));
        if (!hidden) {
            cmpd_buf_printf(out, "%s%s", first ? "" : "::", cmpd_buf_str(&part));
            first = false;
        }
        if (*r->at != 'E')
            remember(r, cmpd_buf_str(out));
        if (*r->at == 'I') {
            r->returns = function;
            put_maybe_targs(r, out, function);
            if (*r->at != 'E') { /* it was a class's: part of the name */
                if (function && r->last_targs)
                    cmpd_buf_printf(out, "<%s>", r->last_targs);
                free(r->last_targs);
                r->last_targs = NULL;
                r->returns = false;
                remember(r, cmpd_buf_str(out));
            }
        } else {
            r->returns = false;
        }
    }
    if (!take(r, "E"))
        fail(r);
}

static void put_class(struct reader *r, struct cmpd_buf *out)
{
    put_source_name(r, out);
    remember(r, cmpd_buf_str(out));
    if (put_maybe_targs(r, out, false))
        remember(r, cmpd_buf_str(out));
}

static const char *builtin(char c)
{
    static const struct {
        char code;
        const char *name;
    } rows[] = {{'v', "void"},
                {'b', "bool"},
                {'c', "char"},
                {'a', "signed char"},
                {'h', "unsigned char"},
                {'s', "short"},
                {'t', "unsigned short"},
                {'i', "int"},
                {'j', "unsigned int"},
                {'l', "long"},
                {'m', "unsigned long"},
                {'x', "long long"},
                {'y', "unsigned long long"},
                {'f', "float"},
                {'d', "double"},
                {'e', "long double"},
                {'w', "wchar_t"},
                {'z', "..."}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code == c)
            return rows[i].name;
    }
    return NULL;
}

static void put_derived(struct reader *r, struct cmpd_buf *out, const char *behind)
{
    CMPD_BUF_AUTO struct cmpd_buf inner = CMPD_BUF_INIT;
    put_type(r, &inner);
    cmpd_buf_printf(&inner, "%s", behind);
    remember(r, cmpd_buf_str(&inner));
    cmpd_buf_puts(out, cmpd_buf_str(&inner));
}

static void put_template_param(struct reader *r, struct cmpd_buf *out)
{
    size_t n = sequence(r, 10);
    const char *text = n < r->targ_count ? r->targs[n] : "?";
    cmpd_buf_puts(out, text);
    remember(r, text);
}

static void put_named(struct reader *r, struct cmpd_buf *out)
{
    if (take(r, "S")) {
        bool std = *r->at == 't';
        put_substitution(r, out);
        if (std && isdigit((unsigned char)*r->at)) { /* St6vector */
            CMPD_BUF_AUTO struct cmpd_buf name = CMPD_BUF_INIT;
            put_source_name(r, &name);
            cmpd_buf_printf(out, "::%s", cmpd_buf_str(&name));
            remember(r, cmpd_buf_str(out));
        }
        if (put_maybe_targs(r, out, false))
            remember(r, cmpd_buf_str(out));
    } else if (take(r, "N")) {
        put_nested(r, out, false);
        remember(r, cmpd_buf_str(out));
    } else if (isdigit((unsigned char)*r->at)) {
        put_class(r, out);
    } else {
        fail(r);
    }
}

static void put_type(struct reader *r, struct cmpd_buf *out)
{
    if (++r->depth > DEPTH_CEILING || out->len > CMPD_MANGLE_CEILING) {
        fail(r);
        return;
    }
    char c = *r->at;
    if (take(r, "P")) {
        put_derived(r, out, "*");
    } else if (take(r, "R")) {
        put_derived(r, out, "&");
    } else if (take(r, "O")) {
        put_derived(r, out, "&&");
    } else if (c == 'K' || c == 'V' || c == 'r') {
        r->at++;
        put_derived(r, out, c == 'K' ? " const" : c == 'V' ? " volatile" : "");
    } else if (take(r, "T")) {
        put_template_param(r, out);
    } else if (take(r, "Dn")) {
        cmpd_buf_puts(out, "nullptr_t");
    } else if (builtin(c)) {
        r->at++;
        cmpd_buf_puts(out, builtin(c));
    } else {
        put_named(r, out);
    }
    r->depth--;
}

static void read_params(struct reader *r, struct cmpd_demangled *d)
{
    CMPD_BUF_AUTO struct cmpd_buf all = CMPD_BUF_INIT;
    size_t count = 0;
    if (r->returns) {
        CMPD_BUF_AUTO struct cmpd_buf result = CMPD_BUF_INIT;
        put_type(r, &result);
    }
    /* Suffixes that the compiler adds to clones (".cold", ".constprop.0") begin with a dot. */
    while (*r->at && *r->at != '.' && !r->failed) {
        if (*r->at == 'v' && count == 0 && (!r->at[1] || r->at[1] == '.')) {
            r->at++;
            break;
        }
        cmpd_buf_puts(&all, count ? ", " : "");
        put_type(r, &all);
        count++;
    }
    if (!r->failed) {
        d->params = cmpd_strdup(cmpd_buf_str(&all));
        d->param_count = count;
    }
}

static void read_name(struct reader *r, struct cmpd_buf *out)
{
    if (take(r, "N")) {
        put_nested(r, out, true);
        return;
    }
    if (take(r, "St"))
        cmpd_buf_puts(out, "std::");
    take(r, "L");
    put_source_name(r, out);
    if (*r->at == 'I') {
        remember(r, cmpd_buf_str(out));
        r->returns = put_maybe_targs(r, out, true);
    }
}

static void clear_reader(struct reader *r)
{
    for (size_t i = 0; i < r->sub_count; i++)
        free(r->subs[i]);
    for (size_t i = 0; i < r->targ_count; i++)
        free(r->targs[i]);
    free(r->last_targs);
}

bool cmpd_demangle(const char *symbol, struct cmpd_demangled *out)
{
    memset(out, 0, sizeof *out);
    if (strnlen(symbol, CMPD_MANGLE_CEILING) >= CMPD_MANGLE_CEILING)
        return false;
    if (strncmp(symbol, "_Z", 2) != 0) {
        out->name = cmpd_strdup(symbol);
        out->plain = true;
        return symbol[0] != '\0';
    }
    struct reader r = {.at = symbol + 2};
    CMPD_BUF_AUTO struct cmpd_buf name = CMPD_BUF_INIT;
    read_name(&r, &name);
    bool ok = !r.failed && name.len;
    if (ok) {
        out->name = cmpd_strdup(cmpd_buf_str(&name));
        out->targs = r.last_targs;
        r.last_targs = NULL;
        read_params(&r, out);
    }
    clear_reader(&r);
    return ok;
}

void cmpd_demangled_clear(struct cmpd_demangled *d)
{
    free(d->name);
    free(d->targs);
    free(d->params);
    memset(d, 0, sizeof *d);
}
