/* On which line of the file an error stands. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/compile/compile_findings.h"

/* Longest inline assembly looked through for its first line. */
#define ASM_LINES 60

const char *cmpd_text_line(const char *text, size_t text_len, uint32_t n, size_t *len)
{
    const char *p = text, *end = text + text_len;
    *len = 0;
    if (!text || !n)
        return "";
    for (uint32_t i = 1; i < n; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            return "";
        p++;
    }
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    *len = (size_t)((nl ? nl : end) - p);
    if (*len && p[*len - 1] == '\r')
        (*len)--;
    return p;
}

bool cmpd_compile_is_file(const char *path, const struct cmpd_compile_context *ctx)
{
    if (!path)
        return false;
    if (path[0] == '/') {
        size_t n = ctx->root ? strlen(ctx->root) : 0;
        if (!n || strncmp(path, ctx->root, n) != 0 || path[n] != '/')
            return false;
        path += n + 1;
    }
    CMPD_AUTOFREE char *plain = cmpd_path_normalise(path);
    return plain && strcmp(plain, ctx->file) == 0;
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static uint32_t first_ink(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!isspace((unsigned char)line[i]))
            return (uint32_t)i + 1;
    }
    return 1;
}

/* How often does word stand in p[0..len) as a whole? With `nth`: the 1-based place of that one,
 * else 0. */
static uint32_t word_place(const char *p, size_t len, const char *word, size_t n, size_t nth,
                           size_t *count)
{
    *count = 0;
    for (size_t i = 0; n && i + n <= len; i++) {
        if (memcmp(p + i, word, n) != 0 || (i && name_char(p[i - 1])) ||
            (i + n < len && name_char(p[i + n])))
            continue;
        if (++*count == nth)
            return (uint32_t)i + 1;
    }
    return 0;
}

/* No caret: the first name that the message quotes, as "hh()". */
static uint32_t named_column(const struct cmpd_diag *d, const char *line, size_t len)
{
    CMPD_AUTOFREE char *name = cmpd_quoted(d->message);
    size_t n = 0, ignored;
    while (name && name_char(name[n]))
        n++;
    uint32_t place = n ? word_place(line, len, name, n, 1, &ignored) : 0;
    return place ? place : first_ink(line, len);
}

/* Punctuation under the caret: the longest piece of what follows that the source line has. */
static uint32_t text_column(const char *from, const char *line, size_t len)
{
    for (size_t n = strnlen(from, 12); n; n--) {
        const char *at = memmem(line, len, from, n);
        if (at)
            return (uint32_t)(at - line) + 1;
    }
    return first_ink(line, len);
}

/*
 * The front end prints the line as it reads it: macros expanded, tabs as blanks. Where that is the
 * source line, the caret is the column; else the word under the caret is looked for in the source
 * line.
 */
static uint32_t front_column(const struct cmpd_diag *d, const char *line, size_t len)
{
    size_t shown_len = d->shown ? strlen(d->shown) : 0;
    if (!d->caret || d->caret > shown_len)
        return named_column(d, line, len);
    bool same = shown_len <= len;
    for (size_t i = 0; same && i < shown_len; i++)
        same = d->shown[i] == line[i] || (line[i] == '\t' && d->shown[i] == ' ');
    if (same)
        return d->caret;
    size_t at = d->caret - 1, n = 0, before, ignored;
    while (at + n < shown_len && name_char(d->shown[at + n]))
        n++;
    if (!n)
        return text_column(d->shown + at, line, len);
    word_place(d->shown, at, d->shown + at, n, 0, &before);
    uint32_t place = word_place(line, len, d->shown + at, n, before + 1, &ignored);
    if (!place)
        place = word_place(line, len, d->shown + at, n, 1, &ignored);
    return place ? place : first_ink(line, len);
}

/* ---- PTX ---- */

/* "	.file	1 "/src/a.cu"": the path of a number; caller owns, NULL: none. */
static char *ptx_file(const struct cmpd_compile_context *ctx, unsigned long number)
{
    const char *p = ctx->ptx, *end = p + ctx->ptx_len;
    while ((p = memmem(p, (size_t)(end - p), ".file", 5)) != NULL) {
        p += 5;
        char *rest;
        if (strtoul(p, &rest, 10) != number)
            continue;
        return cmpd_quoted(rest);
    }
    return NULL;
}

/* "	.loc	1 12 9" or "..., inlined_at 1 30 5": the line of our file, 0: another file's. */
static struct cmpd_anchor loc_anchor(const struct cmpd_compile_context *ctx, const char *loc,
                                     size_t len)
{
    struct cmpd_anchor a = {0, 0};
    CMPD_AUTOFREE char *text = cmpd_strndup(loc, len);
    for (const char *p = text; p && !a.line; p = strstr(p + 1, "inlined_at")) {
        char *at = text + (p - text) + (p == text ? 4 : 10);
        unsigned long file = strtoul(at, &at, 10);
        unsigned long line = strtoul(at, &at, 10), column = strtoul(at, &at, 10);
        CMPD_AUTOFREE char *path = ptx_file(ctx, file);
        if (path && cmpd_compile_is_file(path, ctx) && line <= UINT32_MAX && column <= UINT32_MAX) {
            a.line = (uint32_t)line;
            a.column = (uint32_t)column;
        }
    }
    return a;
}

/* The last .loc of our file at or above a line of the PTX. */
static struct cmpd_anchor ptx_line_anchor(const struct cmpd_compile_context *ctx, uint32_t line)
{
    struct cmpd_anchor best = {0, 0};
    const char *p = ctx->ptx, *end = p + ctx->ptx_len;
    for (uint32_t n = 1; p < end && n <= line; n++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)((nl ? nl : end) - p), skip = 0;
        while (skip < len && isspace((unsigned char)p[skip]))
            skip++;
        if (len - skip > 5 && memcmp(p + skip, ".loc", 4) == 0) {
            struct cmpd_anchor a = loc_anchor(ctx, p + skip, len - skip);
            if (a.line)
                best = a;
        }
        p = nl ? nl + 1 : end;
    }
    return best;
}

/* ptxas is told the line of an operand; a person looks for the statement. */
static struct cmpd_anchor asm_statement(const struct cmpd_compile_context *ctx,
                                        struct cmpd_anchor a)
{
    static const char *const words[] = {"asm", "__asm__", "__asm"};
    size_t len, ignored;
    for (uint32_t n = a.line; n > 0 && a.line - n < ASM_LINES; n--) {
        const char *line = cmpd_text_line(ctx->text, ctx->len, n, &len);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            uint32_t place = word_place(line, len, words[i], strlen(words[i]), 1, &ignored);
            if (place)
                return (struct cmpd_anchor){n, place};
        }
        while (len && isspace((unsigned char)line[len - 1]))
            len--;
        if (n < a.line && len && memchr(";{}", line[len - 1], 3))
            break;
    }
    return a;
}

/* ---- names ---- */

void cmpd_plain_name(const char *mangled, char *out, size_t size)
{
    out[0] = '\0';
    if (strncmp(mangled, "_Z", 2) != 0) {
        snprintf(out, size, "%s", mangled);
        return;
    }
    const char *p = mangled + 2;
    while (*p == 'N' || *p == 'K' || *p == 'L')
        p++;
    while (isdigit((unsigned char)*p)) {
        char *name;
        unsigned long n = strtoul(p, &name, 10);
        if (!n || n > strlen(name) || n >= size)
            return;
        snprintf(out, size, "%.*s", (int)n, name);
        p = name + n;
    }
}

/* The first place of a word that `on_line` accepts (NULL: any). */
static struct cmpd_anchor find_word(const struct cmpd_compile_context *ctx, const char *word,
                                    const char *on_line)
{
    struct cmpd_anchor a = {0, 0};
    size_t n = strlen(word), count;
    const char *p = ctx->text, *end = p + ctx->len;
    for (uint32_t line = 1; n && p < end; line++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)((nl ? nl : end) - p);
        uint32_t place = word_place(p, len, word, n, 1, &count);
        if (place && (!on_line || cmpd_has_word(p, len, on_line)))
            return (struct cmpd_anchor){line, place};
        p = nl ? nl + 1 : end;
    }
    return a;
}

/* The only __shared__ declaration between a kernel's head and the next kernel; else the head. */
static struct cmpd_anchor shared_of_kernel(const struct cmpd_compile_context *ctx,
                                           struct cmpd_anchor kernel)
{
    struct cmpd_anchor found = kernel;
    unsigned count = 0;
    size_t len, ignored;
    for (uint32_t line = kernel.line; line < kernel.line + 10000; line++) {
        const char *p = cmpd_text_line(ctx->text, ctx->len, line, &len);
        if (!*p || (line > kernel.line && cmpd_has_word(p, len, "__global__")))
            break;
        uint32_t place = word_place(p, len, "__shared__", 10, 1, &ignored);
        if (place && count++ == 0)
            found = (struct cmpd_anchor){line, place};
    }
    return count == 1 ? found : kernel;
}

static struct cmpd_anchor named_anchor(const struct cmpd_diag *d,
                                       const struct cmpd_compile_context *ctx)
{
    struct cmpd_anchor none = {0, 0};
    CMPD_AUTOFREE char *symbol = cmpd_quoted(d->message);
    char name[256];
    if (!symbol || !ctx->text)
        return none;
    cmpd_plain_name(symbol, name, sizeof name);
    bool is_extern = strstr(d->message, "xtern") != NULL;
    struct cmpd_anchor a = find_word(ctx, name, is_extern ? "extern" : "__global__");
    if (!a.line)
        a = find_word(ctx, name, NULL);
    if (a.line && strstr(d->message, "shared data"))
        a = shared_of_kernel(ctx, a);
    return a;
}

/* ---- a header's errors ---- */

static struct cmpd_anchor header_anchor(const struct cmpd_diag *d,
                                        const struct cmpd_compile_context *ctx)
{
    struct cmpd_anchor a = {0, 0};
    if (d->use_line && cmpd_compile_is_file(d->use_path, ctx)) {
        a.line = d->use_line;
    } else if (d->path && d->path[0] != '/' && ctx->closure) {
        CMPD_AUTOFREE char *plain = cmpd_path_normalise(d->path);
        const struct cmpd_closure_file *f = plain ? cmpd_closure_find(ctx->closure, plain) : NULL;
        a.line = f ? f->main_line : 0;
    }
    if (a.line) {
        size_t len;
        const char *line = cmpd_text_line(ctx->text, ctx->len, a.line, &len);
        a.column = first_ink(line, len);
    }
    return a;
}

/* A missing ';' is noticed at the next token; where that begins a line, the fault is at the end of
 * the one before. */
static struct cmpd_anchor before_token(const struct cmpd_compile_context *ctx, struct cmpd_anchor a)
{
    size_t len;
    const char *line = cmpd_text_line(ctx->text, ctx->len, a.line, &len);
    if (a.column > first_ink(line, len))
        return a;
    for (uint32_t n = a.line - 1; n > 0; n--) {
        line = cmpd_text_line(ctx->text, ctx->len, n, &len);
        while (len && isspace((unsigned char)line[len - 1]))
            len--;
        const char *comment = len ? memmem(line, len, "//", 2) : NULL;
        size_t code = comment ? (size_t)(comment - line) : len;
        while (code && isspace((unsigned char)line[code - 1]))
            code--;
        if (code && line[first_ink(line, code) - 1] != '#')
            return (struct cmpd_anchor){n, (uint32_t)code};
        if (code)
            break;
    }
    return a;
}

static struct cmpd_anchor own_anchor(const struct cmpd_diag *d,
                                     const struct cmpd_compile_context *ctx)
{
    struct cmpd_anchor a = {d->line, d->column};
    size_t len;
    const char *line = cmpd_text_line(ctx->text, ctx->len, a.line, &len);
    if (d->tool == CMPD_DIAG_FRONT)
        a.column = front_column(d, line, len);
    if (!a.column)
        a.column = first_ink(line, len);
    if (strncmp(d->message, "expected a \";\"", 14) == 0)
        a = before_token(ctx, a);
    return a;
}

struct cmpd_anchor cmpd_compile_anchor(const struct cmpd_diag *d,
                                       const struct cmpd_compile_context *ctx)
{
    struct cmpd_anchor a = {0, 0};
    if (d->tool == CMPD_DIAG_PTXAS || d->tool == CMPD_DIAG_LINK) {
        if (d->line && ctx->ptx)
            a = asm_statement(ctx, ptx_line_anchor(ctx, d->line));
        return a.line ? a : named_anchor(d, ctx);
    }
    if (cmpd_compile_is_file(d->path, ctx))
        return own_anchor(d, ctx);
    return header_anchor(d, ctx);
}
