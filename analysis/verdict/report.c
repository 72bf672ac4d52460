#include <stdarg.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/verdict/report.h"

#define FUNCTION_CTX (CMPD_CTX_KERNEL | CMPD_CTX_DEVICE | CMPD_CTX_HOST)

static bool is_punct(const struct cmpd_tokens *toks, size_t i, char c)
{
    const struct cmpd_token *t = &toks->items[i];
    return t->len == 1 && toks->src->text[t->off] == c;
}

static bool is_directive(const struct cmpd_tokens *toks, size_t i)
{
    return (toks->items[i].ctx & CMPD_CTX_DIRECTIVE) != 0;
}

/* Where the declaration that ends before token `brace` begins. */
static size_t declaration_start(const struct cmpd_tokens *toks, size_t brace)
{
    size_t i = brace;
    while (i > 0 && !is_directive(toks, i - 1) && !is_punct(toks, i - 1, ';') &&
           !is_punct(toks, i - 1, '{') && !is_punct(toks, i - 1, '}'))
        i--;
    return i;
}

static bool is_attribute(const struct cmpd_tokens *toks, size_t i)
{
    static const char *const words[] = {"__launch_bounds__", "__align__",        "alignas",
                                        "__attribute__",     "__cluster_dims__", "decltype",
                                        "__maxnreg__",       "noexcept",         "__declspec"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (cmpd_token_is(toks, i, words[w]))
            return true;
    }
    return false;
}

static size_t skip_parens(const struct cmpd_tokens *toks, size_t open, size_t end)
{
    size_t depth = 0;
    for (size_t i = open; i < end; i++) {
        if (is_punct(toks, i, '('))
            depth++;
        if (is_punct(toks, i, ')') && --depth == 0)
            return i + 1;
    }
    return end;
}

/* The name in a function's head: the identifier before the first parenthesis that is no attribute's. */
static const char *head_name(const struct cmpd_tokens *toks, size_t from, size_t brace,
                             struct cmpd_arena *arena)
{
    for (size_t i = from; i + 1 < brace; i++) {
        if (toks->items[i].kind != CMPD_TOK_IDENT || !is_punct(toks, i + 1, '('))
            continue;
        if (is_attribute(toks, i)) {
            i = skip_parens(toks, i + 1, brace) - 1;
            continue;
        }
        return cmpd_arena_strndup(arena, toks->src->text + toks->items[i].off, toks->items[i].len);
    }
    return "";
}

static void find_bodies(struct cmpd_report_state *s, const struct cmpd_tokens *toks,
                        struct cmpd_arena *arena)
{
    size_t cap = 0;
    struct cmpd_body *bodies = NULL;
    for (size_t i = 0; i < toks->count; i++) {
        if (!(toks->items[i].ctx & FUNCTION_CTX) || is_directive(toks, i))
            continue;
        size_t first = i;
        uint16_t depth = toks->items[i].depth;
        while (i < toks->count && (is_directive(toks, i) || ((toks->items[i].ctx & FUNCTION_CTX) &&
                                                             toks->items[i].depth >= depth)))
            i++;
        size_t brace = first ? first - 1 : 0;
        while (brace > 0 && is_directive(toks, brace))
            brace--;
        struct cmpd_body b = {NULL, first, i};
        b.name = head_name(toks, declaration_start(toks, brace), brace, arena);
        CMPD_GROW(bodies, s->body_count + 1, cap);
        bodies[s->body_count++] = b;
    }
    s->bodies = cmpd_arena_alloc(arena, sizeof *bodies * (s->body_count + 1));
    if (bodies)
        memcpy(s->bodies, bodies, sizeof *bodies * s->body_count);
    free(bodies);
}

void cmpd_report_state_init(struct cmpd_report_state *s, const struct cmpd_tokens *toks,
                            struct cmpd_arena *arena)
{
    *s = (struct cmpd_report_state){0};
    cmpd_remarks_read(toks, arena, &s->remarks);
    find_bodies(s, toks, arena);
}

const struct cmpd_body *cmpd_report_body_at(const struct cmpd_report_state *s,
                                            const struct cmpd_tokens *toks, uint32_t off)
{
    size_t at = cmpd_token_at(toks, off);
    for (size_t i = 0; i < s->body_count; i++) {
        const struct cmpd_body *b = &s->bodies[i];
        if (at >= b->end)
            continue;
        size_t brace = b->first ? b->first - 1 : 0;
        return at >= b->first || at >= declaration_start(toks, brace) ? b : NULL;
    }
    return NULL;
}

static bool is_exempt(const struct cmpd_policy *p, const char *name)
{
    for (size_t i = 0; i < p->exempt.count; i++) {
        const char *e = p->exempt.items[i];
        const char *last = strrchr(e, ':');
        if (strcmp(last ? last + 1 : e, name) == 0)
            return true;
    }
    return false;
}

/* Does [off, end) touch a call of an exempt function: its name up to the closing parenthesis? */
static bool on_exempt_call(const struct cmpd_check *c, uint32_t off, uint32_t end)
{
    const struct cmpd_tokens *toks = c->tokens;
    size_t first = cmpd_token_at(toks, off), last = first;
    while (last < toks->count && toks->items[last].off < end) {
        if (is_punct(toks, last, ';') || is_punct(toks, last, '{'))
            return false; /* more than one statement: not about one call */
        last++;
    }
    size_t from = first;
    while (from > 0 && !is_punct(toks, from - 1, ';') && !is_punct(toks, from - 1, '{') &&
           !is_punct(toks, from - 1, '}'))
        from--;
    for (size_t i = from; i < last && i + 1 < toks->count; i++) {
        if (toks->items[i].kind != CMPD_TOK_IDENT || !is_punct(toks, i + 1, '('))
            continue;
        char name[128];
        if (toks->items[i].len >= sizeof name)
            continue;
        memcpy(name, toks->src->text + toks->items[i].off, toks->items[i].len);
        name[toks->items[i].len] = '\0';
        if (is_exempt(c->policy, name) && skip_parens(toks, i + 1, toks->count) > first)
            return true;
    }
    return false;
}

static bool dropped(const struct cmpd_check *c, const struct cmpd_body *body, const char *kernel,
                    uint32_t off, uint32_t end)
{
    if (c->policy->exempt.count == 0)
        return false;
    return (kernel && is_exempt(c->policy, kernel)) || (body && is_exempt(c->policy, body->name)) ||
           on_exempt_call(c, off, end);
}

static struct cmpd_finding *append(struct cmpd_check *c)
{
    struct cmpd_findings *list = c->findings;
    if (list->count >= CMPD_FINDINGS_CEILING) {
        c->report->cut = true;
        return NULL;
    }
    CMPD_GROW(list->items, list->count + 1, list->cap);
    struct cmpd_finding *f = &list->items[list->count++];
    *f = (struct cmpd_finding){0};
    return f;
}

static void place(struct cmpd_finding *f, const struct cmpd_source *src, uint32_t off, uint32_t end)
{
    struct cmpd_pos from = cmpd_source_pos(src, off);
    struct cmpd_pos to = cmpd_source_pos(src, end < off ? off : end);
    f->line = from.line;
    f->column = from.column;
    f->end_line = to.line;
    f->end_column = to.column;
}

static void suppress(const struct cmpd_check *c, struct cmpd_finding *f)
{
    const struct cmpd_allow *a = cmpd_remarks_allow(&c->report->remarks, f->tag, f->line);
    if (!a)
        return;
    f->suppressed = true;
    f->suppress_why = cmpd_strdup(a->why);
}

static __attribute__((format(printf, 1, 0))) char *format(const char *fmt, va_list ap)
{
    struct cmpd_buf b = CMPD_BUF_INIT;
    cmpd_buf_vprintf(&b, fmt, ap);
    while (b.len && (b.data[b.len - 1] == '\n' || b.data[b.len - 1] == ' '))
        b.data[--b.len] = '\0';
    return cmpd_buf_steal(&b);
}

/*
 * Does the text come from a header? What is odd about a header is said in the header's own review;
 * here only what this file's launches prove of it counts.
 */
static bool is_headers(const struct cmpd_check *c, uint32_t off)
{
    if (!c->unit || off >= c->src->len || c->src->text[off] != '#')
        return false;
    for (size_t i = 0; i < c->unit->directive_count; i++)
        if (c->unit->directives[i].off == off)
            return c->unit->directives[i].kind == CMPD_DIR_INCLUDE;
    return false;
}

void cmpd_report(struct cmpd_check *check, enum cmpd_tag tag, enum cmpd_tier proven, uint32_t off,
                 uint32_t end, const char *kernel, const char *hint, const char *fmt, ...)
{
    const struct cmpd_body *body = cmpd_report_body_at(check->report, check->tokens, off);
    if (dropped(check, body, kernel, off, end) ||
        (proven != CMPD_TIER_REJECT && is_headers(check, off)))
        return;
    struct cmpd_finding *f = append(check);
    if (!f)
        return;
    enum cmpd_tier top = cmpd_tag_info(tag)->tier;
    if (!kernel && body && body->name[0])
        kernel = body->name;
    f->tag = tag;
    f->tier = cmpd_policy_tier(check->policy, tag, proven < top ? proven : top);
    f->track = CMPD_TRACK_STATIC;
    place(f, check->src, off, end);
    f->kernel = cmpd_strdup(kernel);
    f->hint = cmpd_strdup(hint);
    va_list ap;
    va_start(ap, fmt);
    f->message = format(fmt, ap);
    va_end(ap);
    cmpd_fingerprint_region(check->tokens, tag, kernel, off, end, f->content_hash);
    suppress(check, f);
}
