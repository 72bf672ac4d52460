#include "analysis/text/unit.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/text/normalise.h"
#include "analysis/text/pp.h"

static void blank(char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n' && text[i] != '\r')
            text[i] = ' ';
}

/* ---- the text and its runs ---- */

static void add_run(struct pp *pp, uint32_t src_off, uint32_t use, bool verbatim)
{
    uint32_t exp_off = (uint32_t)pp->out.len;
    if (pp->run_count) {
        struct cmpd_run *last = &pp->runs[pp->run_count - 1];
        uint32_t goes_on = verbatim ? last->src_off + (exp_off - last->exp_off) : last->src_off;
        if (last->verbatim == verbatim && last->use == use && goes_on == src_off)
            return;
        if (last->exp_off == exp_off) { /* nothing came of it */
            last->src_off = src_off;
            last->use = use;
            last->verbatim = verbatim;
            return;
        }
    }
    CMPD_GROW(pp->runs, pp->run_count + 1, pp->run_cap);
    struct cmpd_run r = {exp_off, src_off, use, verbatim};
    pp->runs[pp->run_count++] = r;
}

/* Source text up to `to` as it stands. */
static void copy_verbatim(struct pp *pp, uint32_t to)
{
    if (to <= pp->copied)
        return;
    add_run(pp, pp->copied, 0, true);
    cmpd_buf_append(&pp->out, pp->base + pp->copied, to - pp->copied);
    pp->copied = to;
}

/* Would two neighbours read as one token? */
static bool glues(char a, char b)
{
    static const char joining[] = "+-*/%&|^=<>!:.#";
    if (a == '\0' || b == '\0')
        return false;
    bool word_a = cmpd_lex_is_word((unsigned char)a), word_b = cmpd_lex_is_word((unsigned char)b);
    if (word_a)
        return word_b || b == '"' || b == '\'' || b == '.';
    if (a == '.' && word_b)
        return true;
    return strchr(joining, a) && strchr(joining, b);
}

static char last_char(const struct pp *pp)
{
    return pp->out.len ? pp->out.data[pp->out.len - 1] : '\0';
}

static void note_use(struct pp *pp, uint32_t use, uint32_t from, uint32_t to)
{
    if (use == 0)
        return;
    struct cmpd_macro_use *u = &pp->uses[use - 1];
    if (u->exp_off == UINT32_MAX)
        u->exp_off = from;
    u->exp_len = to - u->exp_off;
}

/* The tokens that a use in the source became. */
static void write_expansion(struct pp *pp, const struct pp_tok *t, uint32_t root)
{
    for (bool first = true; t && !pp->out.truncated; t = t->next, first = false) {
        if ((t->space && !first) || glues(last_char(pp), t->s[0])) {
            if (first)
                add_run(pp, pp->uses[root - 1].off, root, false);
            cmpd_buf_putc(&pp->out, ' ');
        }
        uint32_t from = (uint32_t)pp->out.len, use = t->use ? t->use : root;
        if (t->src != PP_NO_SOURCE)
            add_run(pp, t->src, use, true);
        else
            add_run(pp, pp->uses[use - 1].off, use, false);
        cmpd_buf_append(&pp->out, t->s, t->len);
        note_use(pp, use, from, (uint32_t)pp->out.len);
    }
    if (glues(last_char(pp), pp->base[pp->copied])) {
        add_run(pp, pp->uses[root - 1].off, root, false);
        cmpd_buf_putc(&pp->out, ' ');
    }
}

/* Uses inside uses: a use spans what its inner ones span. */
static void settle_uses(struct pp *pp, size_t from, uint32_t exp_off)
{
    for (size_t i = pp->use_count; i-- > from;) {
        struct cmpd_macro_use *u = &pp->uses[i];
        if (u->exp_off == UINT32_MAX || u->parent == 0)
            continue;
        struct cmpd_macro_use *up = &pp->uses[u->parent - 1];
        uint32_t end = u->exp_off + u->exp_len;
        if (up->exp_off == UINT32_MAX) {
            up->exp_off = u->exp_off;
            up->exp_len = u->exp_len;
            continue;
        }
        uint32_t up_end = up->exp_off + up->exp_len;
        up->exp_off = up->exp_off < u->exp_off ? up->exp_off : u->exp_off;
        up->exp_len = (up_end > end ? up_end : end) - up->exp_off;
    }
    for (size_t i = from; i < pp->use_count; i++)
        if (pp->uses[i].exp_off == UINT32_MAX)
            pp->uses[i].exp_off = exp_off; /* it became nothing */
}

/* ---- the walk ---- */

static inline bool may_be_macro(const struct pp *pp, const struct cmpd_token *t)
{
    if (t->kind != CMPD_TOK_IDENT)
        return false;
    unsigned bit = pp_filter_bit(pp->unit->src->text + t->off, t->len);
    return pp->filter[bit / 64] >> (bit % 64) & 1;
}

/* Is there a use at token i, as far as one can tell without expanding? */
static bool starts_use(const struct pp *pp, const struct cmpd_token *t, size_t i, size_t end)
{
    const char *text = pp->unit->src->text;
    const struct pp_name *n = pp_name_find(pp->names, text + t[i].off, t[i].len);
    if (!n || !n->current || n->current->compiler)
        return false;
    return !n->current->function_like || (i + 1 < end && text[t[i + 1].off] == '(');
}

/* Expands the use at token i; returns the token to go on with. */
static size_t expand_at(struct pp *pp, const struct cmpd_token *t, size_t i, size_t end)
{
    struct cmpd_arena_mark mark = cmpd_arena_mark(&pp->scratch);
    size_t uses = pp->use_count;
    struct pp_source more = {t, i + 1, end};
    struct pp_tok *out = pp_expand(pp, pp_tok_from_source(pp, &more, i), &more, false);
    if (pp->stopped || pp->use_count == uses) {
        pp->unit->cut |= pp->over;
        pp->use_count = uses;
        cmpd_arena_release(&pp->scratch, mark);
        return i + 1;
    }
    copy_verbatim(pp, t[i].off);
    uint32_t exp_off = (uint32_t)pp->out.len;
    const struct cmpd_token *last = &t[more.next - 1];
    struct cmpd_macro_use *root = &pp->uses[uses];
    if (last->off + last->len > root->off + root->len)
        root->len = last->off + last->len - root->off;
    pp->copied = last->off + last->len;
    write_expansion(pp, out, (uint32_t)uses + 1);
    settle_uses(pp, uses, exp_off);
    cmpd_arena_release(&pp->scratch, mark);
    return more.next;
}

/* Text between two directives. */
static void segment(struct pp *pp, size_t i, size_t end, uint32_t from, uint32_t to)
{
    const struct cmpd_token *t = pp->unit->tokens->items;
    if (!pp_active(pp) || (pp->in_header && pp_guessing(pp))) {
        blank(pp->base, from, to);
        return;
    }
    if (!(pp->filter[0] | pp->filter[1] | pp->filter[2] | pp->filter[3]))
        return;
    while (i < end && !pp->out.truncated && !pp->arena->exhausted) {
        if (may_be_macro(pp, &t[i]) && starts_use(pp, t, i, end))
            i = expand_at(pp, t, i, end);
        else
            i++;
    }
}

static void walk(struct pp *pp)
{
    const struct cmpd_tokens *toks = pp->unit->tokens;
    size_t token = 0;
    uint32_t off = 0;
    for (size_t i = 0; i < toks->directive_count; i++) {
        const struct cmpd_line_directive *d = &toks->directives[i];
        segment(pp, token, d->first_token, off, d->off);
        pp_directive(pp, i);
        blank(pp->base, d->off, d->end);
        token = d->end_token;
        off = d->end;
    }
    segment(pp, token, toks->count, off, (uint32_t)pp->unit->src->len);
    pp_close_groups(pp);
}

/* ---- the parts put together ---- */

static void *keep(struct cmpd_arena *arena, void *items, size_t bytes)
{
    void *p = cmpd_arena_alloc(arena, bytes ? bytes : 1);
    if (bytes)
        memcpy(p, items, bytes);
    free(items);
    return p;
}

static void finish_text(struct pp *pp)
{
    struct cmpd_unit *u = pp->unit;
    if (pp->run_count == 0) { /* no macro was used: the base is the text */
        u->text = pp->base;
        u->len = u->src->len;
        add_run(pp, 0, 0, true);
        return;
    }
    copy_verbatim(pp, (uint32_t)u->src->len);
    u->cut |= pp->out.truncated;
    u->len = pp->out.len;
    u->text = cmpd_arena_strndup(pp->arena, cmpd_buf_str(&pp->out), pp->out.len);
}

static void finish(struct pp *pp)
{
    struct cmpd_unit *u = pp->unit;
    finish_text(pp);
    u->cut |= pp->arena->exhausted || u->tokens->cut;
    for (size_t i = 0; i < pp->use_count; i++)
        ((struct cmpd_macro *)(uintptr_t)pp->uses[i].macro)->use_count++;
    u->run_count = pp->run_count;
    u->runs = keep(pp->arena, pp->runs, pp->run_count * sizeof *pp->runs);
    u->directive_count = pp->directive_count;
    u->directives = keep(pp->arena, pp->directives, pp->directive_count * sizeof *pp->directives);
    u->macro_count = pp->macro_count;
    u->macros = keep(pp->arena, pp->macros, pp->macro_count * sizeof *pp->macros);
    u->use_count = pp->use_count;
    u->uses = keep(pp->arena, pp->uses, pp->use_count * sizeof *pp->uses);
    u->guess_count = pp->guess_count;
    u->guesses = keep(pp->arena, pp->guesses, pp->guess_count * sizeof *pp->guesses);
    free(pp->conds);
    cmpd_buf_clear(&pp->out);
    cmpd_arena_clear(&pp->scratch);
}

void pp_put(struct pp *pp, uint32_t off, const char *text, size_t len)
{
    copy_verbatim(pp, off);
    add_run(pp, off, 0, false);
    cmpd_buf_append(&pp->out, text, len);
    pp->headers->put = true;
}

void pp_clear(struct pp *pp)
{
    free(pp->runs);
    free(pp->directives);
    free(pp->macros);
    free(pp->uses);
    free(pp->guesses);
    free(pp->conds);
    cmpd_buf_clear(&pp->out);
    cmpd_arena_clear(&pp->scratch);
}

static void blank_comments(struct pp *pp)
{
    const struct cmpd_tokens *toks = pp->unit->tokens;
    for (size_t i = 0; i < toks->comment_count; i++)
        blank(pp->base, toks->comments[i].off,
              (size_t)toks->comments[i].off + toks->comments[i].len);
    if (pp->unit->src->has_bom)
        blank(pp->base, 0, 3);
}

static void prepare(struct pp *pp)
{
    const struct cmpd_source *src = pp->unit->src;
    pp->out.ceiling = CMPD_EXPANSION_CEILING_BYTES;
    pp->base = cmpd_arena_strndup(pp->arena, src->text, src->len);
    blank_comments(pp);
    walk(pp);
}

void pp_run(struct pp *pp)
{
    prepare(pp);
    finish_text(pp);
}

struct cmpd_unit *cmpd_unit_build(const struct cmpd_tokens *toks, const struct cmpd_define *defines,
                                  size_t define_count, const char *toolkit, const char *arch,
                                  struct cmpd_arena *arena)
{
    return cmpd_unit_build_with(toks, defines, define_count, toolkit, arch, NULL, arena);
}

struct cmpd_unit *cmpd_unit_build_with(const struct cmpd_tokens *toks,
                                       const struct cmpd_define *defines, size_t define_count,
                                       const char *toolkit, const char *arch,
                                       const struct cmpd_headers *headers, struct cmpd_arena *arena)
{
    struct pp_headers read = {.from = headers};
    struct pp pp = {
        .arena = arena, .headers = headers ? &read : NULL, .path = headers ? headers->file : NULL};
    struct cmpd_unit *u = CMPD_ARENA_NEW(arena, struct cmpd_unit);
    u->src = toks->src;
    u->tokens = toks;
    pp.unit = u;
    pp.names = CMPD_ARENA_NEW(arena, struct cmpd_macro_names);
    u->names = pp.names;
    pp_predefine_compiler(&pp, toolkit, arch);
    for (size_t i = 0; i < define_count; i++)
        pp_predefine(&pp, defines[i].name, defines[i].value, false);
    prepare(&pp);
    finish(&pp);
    u->has_headers = read.put;
    for (size_t i = 0; i < u->use_count && read.count; i++)
        u->has_headers |= u->uses[i].macro->predefined;
    for (size_t i = 0; i < read.count; i++)
        free(read.seen[i]);
    free(read.seen);
    cmpd_normalise(u, arena);
    return u;
}

/* ---- questions ---- */

static const struct cmpd_run *run_at(const struct cmpd_unit *unit, uint32_t exp_off)
{
    size_t low = 0, high = unit->run_count;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (unit->runs[mid].exp_off <= exp_off)
            low = mid;
        else
            high = mid;
    }
    return &unit->runs[low];
}

uint32_t cmpd_unit_origin(const struct cmpd_unit *unit, uint32_t exp_off)
{
    const struct cmpd_run *r = run_at(unit, exp_off);
    uint32_t off = r->verbatim ? r->src_off + (exp_off - r->exp_off) : r->src_off;
    return off < unit->src->len ? off : (uint32_t)unit->src->len;
}

const struct cmpd_macro_use *cmpd_unit_use_at(const struct cmpd_unit *unit, uint32_t exp_off)
{
    const struct cmpd_run *r = run_at(unit, exp_off);
    return r->use ? &unit->uses[r->use - 1] : NULL;
}

bool cmpd_unit_guessed_in(const struct cmpd_unit *unit, uint32_t off, uint32_t end)
{
    for (size_t i = 0; i < unit->guess_count; i++)
        if (unit->guesses[i].off < end && off < unit->guesses[i].end)
            return true;
    return false;
}

const struct cmpd_macro *cmpd_unit_macro_at(const struct cmpd_unit *unit, const char *name,
                                            size_t name_len, uint32_t src_off)
{
    const struct pp_name *n = pp_name_find(unit->names, name, name_len);
    for (const struct cmpd_macro *m = n ? n->latest : NULL; m; m = m->redefines)
        if (m->predefined || m->def_off <= src_off)
            return m->undef_off > src_off ? m : NULL;
    return NULL;
}
