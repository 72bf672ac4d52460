#include "gpu-runner/compile/compile_findings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "gpu-runner/compile/repo_index.h"

#define FINDINGS_CEILING 100
#define MESSAGE_CEILING  1200

struct cmpd_compile_finding *cmpd_compile_findings_add_take(struct cmpd_compile_findings *l,
                                                            enum cmpd_tag tag, uint32_t line,
                                                            uint32_t column, char *message,
                                                            const char *hint)
{
    CMPD_GROW(l->items, l->count + 1, l->cap);
    struct cmpd_compile_finding *f = &l->items[l->count++];
    f->tag = tag;
    f->line = line;
    f->column = column;
    f->message = message;
    f->hint = cmpd_strdup(hint);
    return f;
}

void cmpd_compile_findings_clear(struct cmpd_compile_findings *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i].message);
        free(l->items[i].hint);
    }
    free(l->items);
    memset(l, 0, sizeof *l);
}

/* ---- echoes ---- */

/* What an error was about, as far as later ones may echo it. */
struct cause {
    const struct cmpd_diag *said; /* borrowed */
    uint32_t line;                /* anchored */
    uint32_t said_line;           /* where the compiler said it, if in the file */
    bool syntax;
    bool in_file;
    char *undefined;              /* owned; the name that was not declared, NULL: something else */
    const char *text, *said_text; /* of the two lines; borrowed from the context */
    size_t len, said_len;
};

struct folding {
    const struct cmpd_compile_context *ctx;
    struct cause *causes;
    size_t count, cap;
    uint32_t unclosed_line; /* of a brace that nothing closes: what comes behind it is an echo; 0:
                               none */
    bool leaked;            /* said that a foreign file was read */
    bool lost; /* the parser has lost the structure of the file: nothing after it counts */
};

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool is_syntax(const char *m)
{
    return starts(m, "expected ") || starts(m, "unrecognized token") || starts(m, "missing ") ||
           starts(m, "extra text after") || starts(m, "this declaration has no storage class") ||
           starts(m, "unterminated ") || starts(m, "unexpected ");
}

/* Said at file scope once a brace too many or too few has shifted everything. */
static bool is_lost(const char *m)
{
    return starts(m, "expected a declaration") || starts(m, "expected a \"}\"") ||
           starts(m, "this declaration has no storage class") || strstr(m, "at end of input") ||
           strstr(m, "unexpected end of file") ||
           (strstr(m, "__global__") && strstr(m, "inside a function")) ||
           strstr(m, "a function-definition is not allowed here");
}

static char *undefined_name(const struct cmpd_diag *d)
{
    if (starts(d->message, "identifier ") && strstr(d->message, "is undefined"))
        return cmpd_quoted(d->message);
    return NULL;
}

/* Does the line of an earlier error hold the name, as its declaration would? */
static bool declared_in_error(const struct folding *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct cause *c = &f->causes[i];
        if (!c->in_file || (c->undefined && strcmp(c->undefined, name) == 0))
            continue;
        if (cmpd_has_word(c->text, c->len, name) ||
            (c->syntax && cmpd_has_word(c->said_text, c->said_len, name)))
            return true;
    }
    return false;
}

static bool known_undefined(const struct folding *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->causes[i].undefined && strcmp(f->causes[i].undefined, name) == 0)
            return true;
    }
    return false;
}

static bool same_line(const struct folding *f, uint32_t line)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->causes[i].line == line)
            return true;
    }
    return false;
}

/* A syntax error next to another one. */
static bool next_to_syntax(const struct folding *f, uint32_t line)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct cause *c = &f->causes[i];
        if (c->syntax && (line == c->line + 1 || line == c->said_line || line == c->said_line + 1))
            return true;
    }
    return false;
}

/* The same words at the same place: another architecture, pass or instantiation. */
static bool repeats(const struct folding *f, const struct cmpd_diag *d)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct cmpd_diag *e = f->causes[i].said;
        if (d->line && e->line == d->line && strcmp(e->message, d->message) == 0 && e->path &&
            d->path && strcmp(e->path, d->path) == 0)
            return true;
    }
    return false;
}

/* A name that was not declared for the one side comes again for the other, or as a wrong argument.
 */
static bool echoes_undefined(const struct folding *f, const struct cmpd_diag *d)
{
    for (size_t i = 0; i < f->count; i++) {
        const char *name = f->causes[i].undefined;
        if (name && strlen(name) > 2 && starts(d->message, "name followed by \"::\"") &&
            cmpd_has_word(d->message, strlen(d->message), name))
            return true;
    }
    return false;
}

/* std::vector<...> of  calling a __host__ function("std::vector<...>::operator[]") from ...; NULL:
 * another message. */
static char *host_class(const char *message)
{
    if (!starts(message, "calling a __host__ function"))
        return NULL;
    char *name = cmpd_quoted(message), *last = NULL;
    unsigned depth = 0;
    for (char *p = name; p && *p && *p != '('; p++) {
        depth += *p == '<';
        depth -= *p == '>' && depth;
        if (!depth && p[0] == ':' && p[1] == ':')
            last = p;
    }
    if (!last) {
        free(name);
        return NULL;
    }
    *last = '\0';
    return name;
}

/* One class of the host used in device code: each of its members is refused again. */
static bool same_host_class(const struct folding *f, const struct cmpd_diag *d)
{
    CMPD_AUTOFREE char *own = host_class(d->message);
    for (size_t i = 0; own && i < f->count; i++) {
        CMPD_AUTOFREE char *other = host_class(f->causes[i].said->message);
        if (other && strcmp(own, other) == 0)
            return true;
    }
    return false;
}

static bool is_echo(const struct folding *f, const struct cmpd_diag *d, struct cmpd_anchor at,
                    const char *undefined)
{
    if (f->lost || (f->unclosed_line && (at.line > f->unclosed_line || !d->line)))
        return true;
    if (same_line(f, at.line))
        return true;
    if (undefined && (known_undefined(f, undefined) || declared_in_error(f, undefined)))
        return true;
    if (is_syntax(d->message) && next_to_syntax(f, at.line))
        return true;
    return echoes_undefined(f, d) || repeats(f, d) || same_host_class(f, d);
}

/* Takes `undefined` over. */
static void remember(struct folding *f, const struct cmpd_diag *d, struct cmpd_anchor at,
                     char *undefined)
{
    CMPD_GROW(f->causes, f->count + 1, f->cap);
    struct cause *c = &f->causes[f->count++];
    c->said = d;
    c->in_file = cmpd_compile_is_file(d->path, f->ctx);
    c->line = at.line;
    c->said_line = c->in_file ? d->line : 0;
    c->syntax = is_syntax(d->message);
    c->undefined = undefined;
    c->text = cmpd_text_line(f->ctx->text, f->ctx->len, c->line, &c->len);
    c->said_text = cmpd_text_line(f->ctx->text, f->ctx->len, c->said_line, &c->said_len);
}

static void folding_clear(struct folding *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->causes[i].undefined);
    free(f->causes);
}

/* ---- messages ---- */

/* A mangled name at s: puts the plain one and returns its length, 0: none. */
static size_t put_symbol(struct cmpd_buf *out, const char *s)
{
    char symbol[256], name[256];
    size_t n = 0;
    if (!starts(s, "_Z"))
        return 0;
    while ((isalnum((unsigned char)s[n]) || s[n] == '_') && n + 1 < sizeof symbol)
        n++;
    snprintf(symbol, sizeof symbol, "%.*s", (int)n, s);
    cmpd_plain_name(symbol, name, sizeof name);
    if (!name[0])
        return 0;
    cmpd_buf_puts(out, name);
    return n;
}

/* Paths of this machine mean nothing to the reader, and must not tell him of it. */
static void put_clean(struct cmpd_buf *out, const char *s, const struct cmpd_compile_context *ctx)
{
    const char *folders[] = {ctx->work, ctx->root};
    while (*s) {
        bool skipped = false;
        for (size_t i = 0; i < 2 && !skipped; i++) {
            size_t n = folders[i] ? strlen(folders[i]) : 0;
            if (n > 1 && strncmp(s, folders[i], n) == 0 && s[n] == '/') {
                s += n + 1;
                skipped = true;
            }
        }
        if (!skipped && starts(s, "./") &&
            (!out->len || strchr(" \"'(", out->data[out->len - 1]))) {
            s += 2;
            skipped = true;
        }
        size_t symbol = skipped ? 0 : put_symbol(out, s);
        s += symbol;
        if (!skipped && !symbol)
            cmpd_buf_putc(out, *s++);
    }
}

static char *message_of(const struct cmpd_diag *d, const struct cmpd_compile_context *ctx)
{
    struct cmpd_buf out = {.ceiling = MESSAGE_CEILING};
    if (strstr(d->message, ": No such file or directory")) {
        size_t n = strcspn(d->message, ":");
        cmpd_buf_printf(&out, "the header %.*s is neither in the repository nor in the toolkit",
                        (int)n, d->message);
        return cmpd_buf_steal(&out);
    }
    put_clean(&out, d->message, ctx);
    bool own = cmpd_compile_is_file(d->path, ctx);
    if (d->path && !own && d->path[0] != '/' && d->tool != CMPD_DIAG_PTXAS)
        cmpd_buf_printf(&out, " (in %s:%u)", d->path + (starts(d->path, "./") ? 2 : 0), d->line);
    if (d->context) {
        cmpd_buf_puts(&out, " (");
        put_clean(&out, d->context, ctx);
        cmpd_buf_puts(&out, ")");
    }
    return cmpd_buf_steal(&out);
}

/* An excerpt or text of a file that is neither the repository's nor the toolkit's or the system's
 * headers. */
static bool leaks(const struct cmpd_diag *d, const struct cmpd_compile_context *ctx)
{
    static const char *const public_places[] = {"/usr/include/", "/usr/lib/",
                                                "/usr/local/include/"};
    if (!d->path || d->path[0] != '/' || cmpd_compile_is_file(d->path, ctx) ||
        (ctx->work && starts(d->path, ctx->work)))
        return false;
    for (size_t i = 0; i < sizeof public_places / sizeof public_places[0]; i++) {
        if (starts(d->path, public_places[i]))
            return false;
    }
    const char *slash = ctx->nvcc && ctx->nvcc->path ? strrchr(ctx->nvcc->path, '/') : NULL;
    if (slash && strncmp(d->path, ctx->nvcc->path, (size_t)(slash - ctx->nvcc->path)) == 0)
        return false;
    return !(ctx->toolkit && starts(d->path, ctx->toolkit));
}

static void drop_errors(struct cmpd_compile_findings *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (l->items[i].tag == CMPD_TAG_compile_error) {
            free(l->items[i].message);
            free(l->items[i].hint);
        } else {
            l->items[kept++] = l->items[i];
        }
    }
    l->count = kept;
}

/* One setting that is missing makes many errors; a macro or a symbol is missing each for itself. */
static bool same_lack(const struct cmpd_compile_findings *l, const char *hint)
{
    if (!hint || starts(hint, "set the macro") || starts(hint, "the symbol"))
        return false;
    for (size_t i = 0; i < l->count; i++) {
        if (l->items[i].hint && strcmp(l->items[i].hint, hint) == 0)
            return true;
    }
    return false;
}

/*
 * Of several errors on one line the name that is not declared says most: `__half *p` without its
 * header is first said to be of an incomplete type.
 */
static void tell_better(struct cmpd_compile_findings *l, const struct folding *f,
                        struct cmpd_anchor at, const struct cmpd_diag *d)
{
    for (size_t i = 0; i < l->count; i++) {
        struct cmpd_compile_finding *x = &l->items[i];
        if (x->line != at.line || x->tag != CMPD_TAG_compile_error ||
            starts(x->message, "identifier "))
            continue;
        free(x->message);
        x->message = message_of(d, f->ctx);
        x->column = at.column;
    }
}

static void one(struct folding *f, const struct cmpd_diag *d, struct cmpd_compile_findings *out)
{
    const char *hint;
    if (leaks(d, f->ctx)) {
        if (!f->leaked)
            cmpd_compile_findings_add_take(
                out, CMPD_TAG_compile_environment, 0, 0,
                cmpd_strdup("the compiler read a file outside the repository and the toolkit"),
                NULL);
        f->leaked = true;
        return;
    }
    struct cmpd_anchor at = cmpd_compile_anchor(d, f->ctx);
    enum cmpd_tag tag = cmpd_compile_classify(d, f->ctx, &hint);
    char *undefined = undefined_name(d);
    bool echo = is_echo(f, d, at, undefined);
    f->lost = f->lost || (is_lost(d->message) && cmpd_compile_is_file(d->path, f->ctx));
    bool known = undefined && known_undefined(f, undefined);
    if (undefined && echo && !known && !strstr(d->message, "in device code"))
        tell_better(out, f, at, d);
    remember(f, d, at, undefined);
    if (tag == CMPD_TAG_compile_error ? echo : known || same_lack(out, hint))
        return;
    cmpd_compile_findings_add_take(out, tag, at.line, at.column, message_of(d, f->ctx), hint);
}

/* Said last, and the cause of all before it. */
static void unclosed_first(struct folding *f, const struct cmpd_diags *diags,
                           struct cmpd_compile_findings *out)
{
    for (size_t i = 0; i < diags->count; i++) {
        const struct cmpd_diag *d = &diags->items[i];
        if (d->tool != CMPD_DIAG_FRONT || d->line || !d->use_line ||
            !starts(d->message, "expected a ") || !cmpd_compile_is_file(d->use_path, f->ctx))
            continue;
        struct cmpd_anchor at = cmpd_compile_anchor(d, f->ctx);
        cmpd_compile_findings_add_take(
            out, CMPD_TAG_compile_error, at.line, at.column,
            cmpd_asprintf("%s: nothing closes what is opened here", d->message), NULL);
        remember(f, d, at, NULL);
        f->unclosed_line = at.line;
        return;
    }
}

/* All errors follow from one thing that is not the file's fault: the first stands for them. Takes
 * `why` over. */
static void excuse_take(struct cmpd_compile_findings *l, char *why, const char *hint)
{
    bool first = true;
    for (size_t i = 0; i < l->count; i++) {
        struct cmpd_compile_finding *x = &l->items[i];
        if (!first || x->tag != CMPD_TAG_compile_error)
            continue;
        char *message = cmpd_asprintf("%s (%s)", x->message, why);
        free(x->message);
        free(x->hint);
        x->message = message;
        x->hint = cmpd_strdup(hint);
        x->tag = CMPD_TAG_compile_environment;
        first = false;
    }
    drop_errors(l);
    free(why);
}

static bool given(const struct cmpd_compile_context *ctx, const char *macro)
{
    size_t n = strlen(macro);
    for (size_t i = 0; ctx->nvcc && i < ctx->nvcc->define.count; i++) {
        const char *d = ctx->nvcc->define.items[i];
        if (strncmp(d, macro, n) == 0 && (d[n] == '\0' || d[n] == '='))
            return true;
    }
    return false;
}

/* A macro of the project's build decides which headers are included, and nobody gave it to us. */
static const char *missing_condition(const struct cmpd_compile_context *ctx)
{
    for (size_t i = 0; ctx->closure && i < ctx->closure->conditions.count; i++) {
        const char *macro = ctx->closure->conditions.items[i];
        if (macro[0] != '_' && !given(ctx, macro) && cmpd_repo_build_file_names(ctx->root, macro))
            return macro;
    }
    return NULL;
}

/* What errors may follow from that no message tells of. */
static void look_around(struct cmpd_compile_findings *l, const struct cmpd_compile_context *ctx)
{
    if (!ctx->root || !l->count)
        return;
    char *user = cmpd_repo_user_of(ctx->root, ctx->file);
    if (user) {
        excuse_take(l, cmpd_asprintf("%s uses this file as a part of something else", user),
                    "judge the file that includes it");
        free(user);
        return;
    }
    const char *macro = missing_condition(ctx);
    if (macro)
        excuse_take(
            l,
            cmpd_asprintf("which headers are included hangs on %s, which a build file sets", macro),
            "set the macro in policy.nvcc.define in cmpd.json");
}

void cmpd_compile_findings_make(const struct cmpd_diags *diags,
                                const struct cmpd_compile_context *ctx,
                                struct cmpd_compile_findings *out)
{
    struct folding f = {.ctx = ctx};
    bool environment = false;
    unclosed_first(&f, diags, out);
    for (size_t i = 0; i < diags->count && out->count < FINDINGS_CEILING; i++)
        one(&f, &diags->items[i], out);
    for (size_t i = 0; i < out->count; i++)
        environment = environment || out->items[i].tag != CMPD_TAG_compile_error;
    if (environment)
        drop_errors(out);
    else
        look_around(out, ctx);
    folding_clear(&f);
}
