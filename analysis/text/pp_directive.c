#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/text/pp.h"

struct line {
    const struct cmpd_line_directive *d;
    const struct cmpd_token *t; /* behind the directive's name */
    size_t count;
    const struct cmpd_token *name; /* NULL: a lone # */
};

static bool word(const struct pp *pp, const struct cmpd_token *t, const char *w)
{
    return t && t->kind == CMPD_TOK_IDENT && t->len == strlen(w) &&
           memcmp(pp->unit->src->text + t->off, w, t->len) == 0;
}

static bool same_name(const struct pp *pp, const struct cmpd_token *a, const struct cmpd_token *b)
{
    const char *text = pp->unit->src->text;
    return a->len == b->len && memcmp(text + a->off, text + b->off, a->len) == 0;
}

static struct line line_at(const struct pp *pp, size_t index)
{
    const struct cmpd_tokens *toks = pp->unit->tokens;
    struct line l = {.d = &toks->directives[index]};
    size_t first = l.d->first_token, count = l.d->end_token - first;
    l.name = count > 1 ? &toks->items[first + 1] : NULL;
    l.t = toks->items + first + (count > 1 ? 2 : count);
    l.count = count > 2 ? count - 2 : 0;
    return l;
}

bool pp_active(const struct pp *pp)
{
    return pp->cond_count == 0 || pp->conds[pp->cond_count - 1].active;
}

bool pp_guessing(const struct pp *pp)
{
    for (size_t i = 0; i < pp->cond_count; i++)
        if (pp->conds[i].guess)
            return true;
    return false;
}

/* ---- which pass decides on __CUDA_ARCH__ ---- */

static bool opens_group(const struct pp *pp, const struct line *l)
{
    return word(pp, l->name, "if") || word(pp, l->name, "ifdef") || word(pp, l->name, "ifndef");
}

/* Does the group that the directive opens hold device code? */
static bool group_holds_device(const struct pp *pp, size_t index)
{
    const struct cmpd_tokens *toks = pp->unit->tokens;
    size_t depth = 0, end = toks->count;
    for (size_t i = index; i < toks->directive_count; i++) {
        struct line l = line_at(pp, i);
        if (opens_group(pp, &l))
            depth++;
        else if (word(pp, l.name, "endif") && --depth == 0) {
            end = l.d->first_token;
            break;
        }
    }
    for (size_t i = toks->directives[index].end_token; i < end; i++) {
        const struct cmpd_token *t = &toks->items[i];
        if (!(t->ctx & CMPD_CTX_DIRECTIVE) &&
            (word(pp, t, "__device__") || word(pp, t, "__global__")))
            return true;
    }
    return false;
}

static bool mentions_arch(const struct pp *pp, const struct line *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (word(pp, &l->t[i], "__CUDA_ARCH__"))
            return true;
    return false;
}

/*
 * In a device function's body the device pass is meant. At namespace scope a
 * group with device code is there for that pass, any other for the host's.
 */
static bool is_device_pass(const struct pp *pp, size_t index)
{
    struct line l = line_at(pp, index);
    uint8_t ctx = pp->unit->tokens->items[l.d->first_token].ctx;
    if (ctx & (CMPD_CTX_KERNEL | CMPD_CTX_DEVICE))
        return true;
    return !(ctx & CMPD_CTX_HOST) && mentions_arch(pp, &l) && group_holds_device(pp, index);
}

/* ---- #if groups ---- */

/*
 * `#ifndef X` with `#define X` below it asks nothing of the outside: it is an
 * include guard, or a default that the file itself sets.
 */
static bool sets_what_it_asks(const struct pp *pp, const struct line *l, size_t index)
{
    if (index + 1 >= pp->unit->tokens->directive_count)
        return false;
    struct line next = line_at(pp, index + 1);
    if (next.count == 0 || !(word(pp, next.name, "define") || word(pp, next.name, "undef")))
        return false;
    for (size_t i = 0; i < l->count; i++)
        if (l->t[i].kind == CMPD_TOK_IDENT && !word(pp, &l->t[i], "defined") &&
            !same_name(pp, &l->t[i], &next.t[0]))
            return false;
    return l->count > 0;
}

static bool evaluate(struct pp *pp, const struct line *l, bool *guess)
{
    const char *text = pp->unit->src->text;
    if (word(pp, l->name, "if") || word(pp, l->name, "elif"))
        return pp_condition(pp, l->t, l->count, guess);
    if (l->count == 0 || l->t->kind != CMPD_TOK_IDENT) {
        *guess = true;
        return false;
    }
    bool defined = pp_defined(pp, text + l->t->off, l->t->len, guess);
    bool negated = word(pp, l->name, "ifndef") || word(pp, l->name, "elifndef");
    return negated ? !defined : defined;
}

static void begin_group(struct pp *pp, const struct line *l, size_t index)
{
    struct pp_cond c = {.off = l->d->off, .parent_active = pp_active(pp)};
    if (c.parent_active) {
        c.device_pass = pp->device_pass = is_device_pass(pp, index);
        c.active = evaluate(pp, l, &c.guess);
        if (c.guess && sets_what_it_asks(pp, l, index))
            c.guess = false;
    }
    c.taken = c.active;
    CMPD_GROW(pp->conds, pp->cond_count + 1, pp->cond_cap);
    pp->conds[pp->cond_count++] = c;
}

static void next_branch(struct pp *pp, const struct line *l)
{
    if (pp->cond_count == 0)
        return;
    struct pp_cond *c = &pp->conds[pp->cond_count - 1];
    c->active = false;
    if (!c->parent_active || c->taken)
        return;
    pp->device_pass = c->device_pass || mentions_arch(pp, l);
    c->active = word(pp, l->name, "else") || evaluate(pp, l, &c->guess);
    c->taken = c->active;
}

static void end_group(struct pp *pp, uint32_t end)
{
    if (pp->cond_count == 0)
        return;
    struct pp_cond c = pp->conds[--pp->cond_count];
    if (!c.guess)
        return;
    CMPD_GROW(pp->guesses, pp->guess_count + 1, pp->guess_cap);
    struct cmpd_guess g = {c.off, end};
    pp->guesses[pp->guess_count++] = g;
    pp->unit->guessed_condition = true;
}

void pp_close_groups(struct pp *pp)
{
    while (pp->cond_count)
        end_group(pp, (uint32_t)pp->unit->src->len);
}

/* ---- the other directives ---- */

static void include(struct pp *pp, const struct line *l, struct cmpd_directive *out)
{
    const char *text = pp->unit->src->text;
    if (l->count == 0)
        return;
    const struct cmpd_token *t = l->t;
    if (t->kind == CMPD_TOK_STRING && t->len >= 2) {
        out->name_off = t->off + 1;
        out->name_len = t->len - 2;
    } else if (t->kind == CMPD_TOK_PUNCT && text[t->off] == '<') {
        const char *end = memchr(text + t->off, '>', l->d->end - t->off);
        out->system_include = true;
        out->name_off = t->off + 1;
        out->name_len = (uint32_t)(end ? end - (text + out->name_off)
                                       : (long)(l->d->end - out->name_off));
    } else {
        out->name_off = t->off;
        out->name_len = t->len;
    }
}

static void named(const struct line *l, struct cmpd_directive *out)
{
    if (l->count) {
        out->name_off = l->t->off;
        out->name_len = l->t->len;
    }
}

static const struct {
    const char *word;
    enum cmpd_directive_kind kind;
} kinds[] = {
    {"include", CMPD_DIR_INCLUDE}, {"include_next", CMPD_DIR_INCLUDE},
    {"define", CMPD_DIR_DEFINE},   {"undef", CMPD_DIR_UNDEF},
    {"if", CMPD_DIR_IF},           {"ifdef", CMPD_DIR_IF},
    {"ifndef", CMPD_DIR_IF},       {"elif", CMPD_DIR_IF},
    {"elifdef", CMPD_DIR_IF},      {"elifndef", CMPD_DIR_IF},
    {"else", CMPD_DIR_IF},         {"endif", CMPD_DIR_IF},
    {"pragma", CMPD_DIR_PRAGMA},
};

static enum cmpd_directive_kind kind_of(const struct pp *pp, const struct line *l)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (word(pp, l->name, kinds[i].word))
            return kinds[i].kind;
    return CMPD_DIR_OTHER;
}

static void conditional(struct pp *pp, const struct line *l, size_t index,
                        struct cmpd_directive *out)
{
    named(l, out);
    if (opens_group(pp, l)) {
        begin_group(pp, l, index);
        return;
    }
    if (pp->cond_count)
        out->active = pp->conds[pp->cond_count - 1].parent_active;
    if (word(pp, l->name, "endif"))
        end_group(pp, l->d->end);
    else
        next_branch(pp, l);
}

void pp_directive(struct pp *pp, size_t index)
{
    struct line l = line_at(pp, index);
    struct cmpd_directive out = {.kind = kind_of(pp, &l),
                                 .off = l.d->off,
                                 .len = l.d->end - l.d->off,
                                 .active = pp_active(pp)};
    switch (out.kind) {
    case CMPD_DIR_IF:
        conditional(pp, &l, index, &out);
        break;
    case CMPD_DIR_INCLUDE:
        include(pp, &l, &out);
        if (out.active && out.name_len && pp->headers)
            pp_include(pp, &out, pp->unit->tokens->items[l.d->first_token].ctx);
        break;
    case CMPD_DIR_DEFINE:
        named(&l, &out);
        if (out.active && pp->in_header && l.count && pp_guessing(pp))
            pp_forget(pp, l.t);
        else if (out.active)
            out.macro = pp_define(pp, l.t, l.count);
        break;
    case CMPD_DIR_UNDEF:
        named(&l, &out);
        if (out.active && l.count)
            out.macro = pp_undef(pp, l.t);
        break;
    case CMPD_DIR_PRAGMA:
    case CMPD_DIR_OTHER:
        named(&l, &out);
        break;
    }
    CMPD_GROW(pp->directives, pp->directive_count + 1, pp->directive_cap);
    pp->directives[pp->directive_count++] = out;
}
