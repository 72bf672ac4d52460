#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/text/pp.h"

uint32_t pp_hash(const char *s, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

struct pp_name *pp_name_find(const struct cmpd_macro_names *names, const char *s, size_t len)
{
    if (names->cap == 0)
        return NULL;
    uint32_t hash = pp_hash(s, len);
    for (size_t i = hash & (names->cap - 1);; i = (i + 1) & (names->cap - 1)) {
        struct pp_name *n = &names->slots[i];
        if (!n->name)
            return NULL;
        if (n->hash == hash && n->len == len && memcmp(n->name, s, len) == 0)
            return n;
    }
}

static struct pp_name *insert(struct cmpd_macro_names *names, struct pp_name item)
{
    size_t i = item.hash & (names->cap - 1);
    while (names->slots[i].name)
        i = (i + 1) & (names->cap - 1);
    names->slots[i] = item;
    names->used++;
    return &names->slots[i];
}

static void grow_names(struct pp *pp)
{
    struct cmpd_macro_names old = *pp->names;
    pp->names->cap = old.cap ? old.cap * 2 : 128;
    pp->names->slots = CMPD_ARENA_ARRAY(pp->arena, struct pp_name, pp->names->cap);
    pp->names->used = 0;
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].name)
            insert(pp->names, old.slots[i]);
}

/* Puts a finished macro into force. */
static void enter(struct pp *pp, struct cmpd_macro *m)
{
    size_t len = strlen(m->name);
    struct pp_name *n = pp_name_find(pp->names, m->name, len);
    if (!n) {
        if (2 * (pp->names->used + 1) > pp->names->cap)
            grow_names(pp);
        struct pp_name item = {m->name, (uint32_t)len, pp_hash(m->name, len), NULL, NULL};
        n = insert(pp->names, item);
    }
    m->redefines = n->latest;
    n->current = m;
    n->latest = m;
    if (!m->compiler) {
        unsigned bit = pp_filter_bit(m->name, len);
        pp->filter[bit / 64] |= (uint64_t)1 << (bit % 64);
    }
    CMPD_GROW(pp->macros, pp->macro_count + 1, pp->macro_cap);
    pp->macros[pp->macro_count++] = m;
}

/* ---- bodies ---- */

static int param_index(const struct pp_macro *m, const char *s, size_t len)
{
    if (!m->pub.function_like)
        return -1;
    for (size_t i = 0; i < m->pub.param_count; i++)
        if (strlen(m->pub.params[i]) == len && memcmp(m->pub.params[i], s, len) == 0)
            return (int)i;
    if (m->pub.variadic && len == 11 && memcmp(s, "__VA_ARGS__", 11) == 0)
        return m->va_index;
    return -1;
}

/* Body tokens from text tokens: parameters found, # and ## folded into their neighbours. */
static void make_parts(struct pp *pp, struct pp_macro *m, const char *text,
                       const struct cmpd_token *t, size_t count)
{
    m->parts = CMPD_ARENA_ARRAY(pp->arena, struct pp_part, count ? count : 1);
    struct pp_part *p = m->parts;
    bool paste = false, stringify = false, hash_space = false;
    for (size_t i = 0; i < count; i++) {
        const char *s = text + t[i].off;
        bool space = i > 0 && t[i].off > t[i - 1].off + t[i - 1].len;
        if (t[i].kind == CMPD_TOK_PUNCT && t[i].len == 2 && s[0] == '#' && p > m->parts &&
            i + 1 < count) {
            p[-1].pasted = true;
            paste = true;
            continue;
        }
        bool hash = m->pub.function_like && t[i].kind == CMPD_TOK_PUNCT && t[i].len == 1 &&
                    s[0] == '#';
        if (hash && i + 1 < count && t[i + 1].kind == CMPD_TOK_IDENT &&
            param_index(m, text + t[i + 1].off, t[i + 1].len) >= 0) {
            stringify = true;
            hash_space = space;
            continue;
        }
        p->s = s;
        p->len = t[i].len;
        p->kind = t[i].kind;
        p->param = t[i].kind == CMPD_TOK_IDENT ? param_index(m, s, t[i].len) : -1;
        p->space = stringify ? hash_space : space;
        p->stringify = stringify;
        p->paste = paste;
        p++;
        paste = stringify = false;
    }
    m->part_count = (size_t)(p - m->parts);
}

/* The body as one line of text. */
static const char *join(struct pp *pp, const char *text, const struct cmpd_token *t, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += t[i].len + 1;
    char *body = cmpd_arena_alloc(pp->arena, len + 1), *p = body;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && t[i].off > t[i - 1].off + t[i - 1].len)
            *p++ = ' ';
        memcpy(p, text + t[i].off, t[i].len);
        p += t[i].len;
    }
    *p = '\0';
    return body;
}

static bool punct(const char *text, const struct cmpd_token *t, const char *s)
{
    return t->kind == CMPD_TOK_PUNCT && t->len == strlen(s) &&
           memcmp(text + t->off, s, t->len) == 0;
}

/*
 * The parameter list, t[0] being the opening parenthesis. Returns the number of
 * tokens taken, 0 if malformed.
 */
static size_t parse_params(struct pp *pp, struct pp_macro *m, const char *text,
                           const struct cmpd_token *t, size_t count)
{
    m->pub.function_like = true;
    m->pub.params = CMPD_ARENA_ARRAY(pp->arena, const char *, count);
    size_t i = 1;
    while (i < count && !punct(text, &t[i], ")")) {
        if (t[i].kind == CMPD_TOK_IDENT) {
            m->pub.params[m->pub.param_count++] = cmpd_arena_strndup(pp->arena, text + t[i].off,
                                                                     t[i].len);
            i++;
        }
        if (i < count && punct(text, &t[i], "...")) {
            m->pub.variadic = true;
            bool named = t[i - 1].kind == CMPD_TOK_IDENT;
            m->va_index = (int)m->pub.param_count - (named ? 1 : 0);
            i++;
        }
        if (i < count && punct(text, &t[i], ","))
            i++;
        else if (i >= count || !punct(text, &t[i], ")"))
            return 0;
    }
    return i < count ? i + 1 : 0;
}

static struct pp_macro *new_macro(struct pp *pp, const char *name, size_t len)
{
    struct pp_macro *m = CMPD_ARENA_NEW(pp->arena, struct pp_macro);
    m->pub.name = cmpd_arena_strndup(pp->arena, name, len);
    m->pub.undef_off = UINT32_MAX;
    m->pub.body = "";
    m->va_index = -1;
    return m;
}

/* Everything behind the name; head: a parameter list touches it. */
static bool fill(struct pp *pp, struct pp_macro *m, const char *text, const struct cmpd_token *t,
                 size_t count, bool head)
{
    size_t taken = 0;
    if (head) {
        taken = parse_params(pp, m, text, t, count);
        if (taken == 0)
            return false;
    }
    t += taken;
    count -= taken;
    if (count) {
        m->pub.body_off = t->off;
        m->pub.body_len = t[count - 1].off + t[count - 1].len - t->off;
    }
    m->pub.body = join(pp, text, t, count);
    make_parts(pp, m, text, t, count);
    return true;
}

/*
 * A header's macro counts as one from outside. Only those that stand for a value, a type or a
 * qualifier are taken: what checks calls or makes statements is unknown, as any foreign function.
 */
static bool take_from_header(struct pp *pp, struct pp_macro *m)
{
    enum { PARTS_MAX = 48 };
    bool ok = m->part_count <= PARTS_MAX && !m->pub.variadic;
    for (size_t i = 0; ok && i < m->part_count; i++) {
        const struct pp_part *p = &m->parts[i];
        bool called = i + 1 < m->part_count && p->kind == CMPD_TOK_IDENT && p->param < 0 &&
                      m->parts[i + 1].len == 1 && m->parts[i + 1].s[0] == '(';
        ok = p->kind != CMPD_TOK_STRING && p->kind != CMPD_TOK_OTHER && !p->stringify &&
             !p->paste && !(p->len == 1 && strchr(";{}#", p->s[0])) &&
             !(m->pub.function_like && called);
    }
    for (size_t i = 0; ok && i < m->part_count; i++)
        if (m->parts[i].kind == CMPD_TOK_IDENT)
            pp_words_add(&pp->headers->in_macros, m->parts[i].s, m->parts[i].len);
    m->pub.predefined = true;
    m->pub.body_off = m->pub.body_len = 0;
    return ok;
}

struct cmpd_macro *pp_define(struct pp *pp, const struct cmpd_token *t, size_t count)
{
    const char *text = pp->unit->src->text;
    if (count == 0 || t->kind != CMPD_TOK_IDENT)
        return NULL;
    struct pp_macro *m = new_macro(pp, text + t->off, t->len);
    bool head = count > 1 && t[1].off == t->off + t->len && punct(text, &t[1], "(");
    if (!fill(pp, m, text, t + 1, count - 1, head))
        return NULL;
    m->pub.def_off = pp->in_header ? pp->place : t->off;
    if (pp->in_header && !take_from_header(pp, m))
        return NULL;
    enter(pp, &m->pub);
    return &m->pub;
}

void pp_predefine(struct pp *pp, const char *name, const char *value, bool compiler)
{
    struct cmpd_lexer lx = {.directives_off = true};
    size_t name_len = 0;
    while (cmpd_lex_is_word((unsigned char)name[name_len]))
        name_len++;
    if (name_len == 0)
        return;
    struct pp_macro *m = new_macro(pp, name, name_len);
    m->pub.predefined = true;
    m->pub.compiler = compiler;
    /* "F(x)" as a name defines a function-like macro, as -D does. */
    char *text = cmpd_arena_printf(pp->arena, "%s %s", name + name_len, value ? value : "1");
    cmpd_lexer_run(&lx, text, strlen(text));
    if (fill(pp, m, text, lx.tokens, lx.count, name[name_len] == '('))
        enter(pp, &m->pub);
    m->pub.body_off = m->pub.body_len = 0;
    cmpd_lexer_clear(&lx);
}

struct cmpd_macro *pp_undef(struct pp *pp, const struct cmpd_token *name)
{
    struct pp_name *n = pp_name_find(pp->names, pp->unit->src->text + name->off, name->len);
    if (!n || !n->current)
        return NULL;
    struct cmpd_macro *m = n->current;
    m->undef_off = pp->in_header ? pp->place : name->off;
    n->current = NULL;
    return m;
}

void pp_forget(struct pp *pp, const struct cmpd_token *name)
{
    pp_undef(pp, name);
}
