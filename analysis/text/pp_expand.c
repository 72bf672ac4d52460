/*
 * Expansion of one macro use, as the standard describes it: arguments are
 * expanded first (but for # and ##), then the result is read again together
 * with what follows. A token carries the set of macros that it must not turn
 * into again.
 */
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/text/pp.h"

struct call {
    const struct pp_macro *macro;
    struct pp_tok *name;
    struct pp_tok **args;     /* raw, one list a parameter */
    struct pp_tok **expanded; /* made on first need */
    bool *is_expanded;
    size_t slots;               /* parameters, the one of __VA_ARGS__ with them */
    const struct pp_hide *hide; /* of what comes out */
    uint32_t use;               /* index + 1 */
    unsigned depth;
};

static struct pp_tok *expand(struct pp *pp, struct pp_tok *list, struct pp_source *more,
                             bool condition, unsigned depth);

/* ---- tokens and lists ---- */

static void charge(struct pp *pp, size_t steps)
{
    pp->use_steps += steps;
    if (pp->use_steps > CMPD_EXPANSION_USE_STEPS_CEILING)
        pp->stopped = pp->over = true;
}

struct pp_tok *pp_tok_new(struct pp *pp, const char *s, uint32_t len, uint8_t kind)
{
    struct pp_tok *t = CMPD_ARENA_NEW(&pp->scratch, struct pp_tok);
    t->s = s;
    t->len = len;
    t->kind = kind;
    t->src = PP_NO_SOURCE;
    charge(pp, 1);
    return t;
}

static struct pp_tok *copy(struct pp *pp, const struct pp_tok *from)
{
    struct pp_tok *t = pp_tok_new(pp, from->s, from->len, from->kind);
    *t = *from;
    t->next = NULL;
    return t;
}

static void list_init(struct pp_list *l)
{
    l->first = NULL;
    l->last = &l->first;
}

static void push(struct pp_list *l, struct pp_tok *t)
{
    *l->last = t;
    l->last = &t->next;
}

static void push_copies(struct pp *pp, struct pp_list *l, const struct pp_tok *from)
{
    for (; from && !pp->stopped; from = from->next)
        push(l, copy(pp, from));
}

struct pp_tok *pp_tok_from_source(struct pp *pp, const struct pp_source *more, size_t i)
{
    const struct cmpd_token *t = &more->t[i];
    struct pp_tok *tok = pp_tok_new(pp, pp->unit->src->text + t->off, t->len, t->kind);
    tok->src = t->off;
    tok->space = i > 0 && t->off > more->t[i - 1].off + more->t[i - 1].len;
    return tok;
}

/* ---- hide sets ---- */

static bool hidden(const struct pp_hide *h, const struct cmpd_macro *m)
{
    for (; h; h = h->rest)
        if (h->macro == m)
            return true;
    return false;
}

static const struct pp_hide *hide_add(struct pp *pp, const struct pp_hide *h,
                                      const struct cmpd_macro *m)
{
    if (hidden(h, m))
        return h;
    struct pp_hide *n = CMPD_ARENA_NEW(&pp->scratch, struct pp_hide);
    n->macro = m;
    n->rest = h;
    n->depth = h ? h->depth + 1 : 1;
    charge(pp, 1);
    if (n->depth > CMPD_EXPANSION_CHAIN_CEILING)
        pp->stopped = pp->over = true;
    return n;
}

static const struct pp_hide *hide_union(struct pp *pp, const struct pp_hide *a,
                                        const struct pp_hide *b)
{
    if (!a || a == b)
        return b;
    for (; a && !pp->stopped; a = a->rest)
        b = hide_add(pp, b, a->macro);
    return b;
}

static const struct pp_hide *hide_common(struct pp *pp, const struct pp_hide *a,
                                         const struct pp_hide *b)
{
    if (a == b)
        return a;
    const struct pp_hide *out = NULL;
    for (; a; a = a->rest)
        if (hidden(b, a->macro))
            out = hide_add(pp, out, a->macro);
    return out;
}

/* ---- uses ---- */

static uint32_t new_use(struct pp *pp, const struct cmpd_macro *m, const struct pp_tok *name)
{
    CMPD_GROW(pp->uses, pp->use_count + 1, pp->use_cap);
    struct cmpd_macro_use *u = &pp->uses[pp->use_count++];
    memset(u, 0, sizeof *u);
    u->macro = m;
    u->parent = name->use;
    u->off = name->src;
    u->len = name->src == PP_NO_SOURCE ? 0 : name->len;
    if (name->src == PP_NO_SOURCE && name->use) {
        u->off = pp->uses[name->use - 1].off;
        u->len = pp->uses[name->use - 1].len;
    }
    u->exp_off = UINT32_MAX;
    return (uint32_t)pp->use_count;
}

/* The token becomes part of the use: what it came from now lies inside it. */
static void adopt(struct pp *pp, struct pp_tok *t, uint32_t parent, uint32_t use)
{
    uint32_t u = t->use;
    if (u == parent || u == 0) {
        t->use = use;
        return;
    }
    for (unsigned hops = 0; hops < CMPD_EXPANSION_DEPTH_CEILING && u && u < use; hops++) {
        struct cmpd_macro_use *item = &pp->uses[u - 1];
        if (item->parent == parent) {
            item->parent = use;
            return;
        }
        u = item->parent;
    }
}

/* ---- arguments ---- */

struct cursor {
    struct pp_tok *list; /* what is left of the list */
    struct pp_source *more;
};

static bool paren_follows(const struct pp *pp, const struct cursor *c)
{
    if (c->list)
        return pp_is(c->list, '(');
    const struct pp_source *m = c->more;
    return m && m->next < m->end && m->t[m->next].kind == CMPD_TOK_PUNCT &&
           m->t[m->next].len == 1 && pp->unit->src->text[m->t[m->next].off] == '(';
}

/* Is there a closing parenthesis for the one that comes next? */
static bool closes(struct pp *pp, const struct cursor *c)
{
    size_t depth = 0, looked = 0;
    bool found = false;
    for (const struct pp_tok *t = c->list; t && !found; t = t->next, looked++) {
        depth += pp_is(t, '(') ? 1 : 0;
        if (pp_is(t, ')') && --depth == 0)
            found = true;
    }
    const char *text = pp->unit->src->text;
    for (size_t i = c->more ? c->more->next : 0; !found && c->more && i < c->more->end;
         i++, looked++) {
        const struct cmpd_token *t = &c->more->t[i];
        if (t->kind != CMPD_TOK_PUNCT || t->len != 1)
            continue;
        depth += text[t->off] == '(' ? 1 : 0;
        if (text[t->off] == ')' && --depth == 0)
            found = true;
    }
    pp->steps += looked / 4;
    return found;
}

static struct pp_tok *take(struct pp *pp, struct cursor *c)
{
    struct pp_tok *t = c->list;
    if (t)
        c->list = t->next;
    else
        t = pp_tok_from_source(pp, c->more, c->more->next++);
    t->next = NULL;
    return t;
}

/* Takes "( a, b )" off the cursor, which closes() has found whole. False: the number of arguments is wrong. */
static bool collect(struct pp *pp, struct cursor *c, struct call *call)
{
    struct pp_list arg;
    list_init(&arg);
    size_t depth = 0, index = 0, commas = 0;
    uint32_t parent = call->name->use;
    take(pp, c);
    for (;;) {
        struct pp_tok *t = take(pp, c);
        bool top = depth == 0;
        if (pp_is(t, '('))
            depth++;
        if (pp_is(t, ')') && depth-- == 0) {
            call->hide = hide_common(pp, call->name->hide, t->hide);
            struct cmpd_macro_use *u = &pp->uses[call->use - 1];
            if (t->src != PP_NO_SOURCE && call->name->src != PP_NO_SOURCE && t->src >= u->off)
                u->len = t->src + t->len - u->off;
            break;
        }
        if (top && pp_is(t, ',') && (int)index != call->macro->va_index) {
            if (index < call->slots)
                call->args[index] = arg.first;
            list_init(&arg);
            index++;
            commas++;
            continue;
        }
        adopt(pp, t, parent, call->use);
        push(&arg, t);
    }
    if (index < call->slots)
        call->args[index] = arg.first;
    if (call->slots == 0)
        return commas == 0 && !arg.first;
    bool variadic_left_out = call->macro->va_index >= 0 && commas + 2 == call->slots;
    return commas + 1 == call->slots || variadic_left_out;
}

static const struct pp_tok *expanded_arg(struct pp *pp, struct call *call, size_t i, bool condition)
{
    if (!call->is_expanded[i]) {
        struct pp_list raw;
        list_init(&raw);
        push_copies(pp, &raw, call->args[i]);
        call->expanded[i] = expand(pp, raw.first, NULL, condition, call->depth + 1);
        call->is_expanded[i] = true;
    }
    return call->expanded[i];
}

/* ---- # and ## ---- */

static struct pp_tok *stringify(struct pp *pp, const struct pp_tok *arg)
{
    size_t need = 3;
    for (const struct pp_tok *t = arg; t; t = t->next)
        need += 2 * (size_t)t->len + 1;
    charge(pp, need / 8);
    if (pp->stopped)
        return pp_tok_new(pp, "\"\"", 2, CMPD_TOK_STRING);
    char *s = cmpd_arena_alloc(&pp->scratch, need), *p = s;
    *p++ = '"';
    for (const struct pp_tok *t = arg; t; t = t->next) {
        if (t != arg && t->space)
            *p++ = ' ';
        bool literal = t->kind == CMPD_TOK_STRING || t->kind == CMPD_TOK_CHAR;
        for (uint32_t i = 0; i < t->len; i++) {
            if (literal && (t->s[i] == '"' || t->s[i] == '\\'))
                *p++ = '\\';
            *p++ = t->s[i] == '\n' || t->s[i] == '\r' ? ' ' : t->s[i];
        }
    }
    *p++ = '"';
    return pp_tok_new(pp, s, (uint32_t)(p - s), CMPD_TOK_STRING);
}

static uint8_t kind_of(const char *s, size_t len)
{
    unsigned char c = (unsigned char)s[0];
    if (s[len - 1] == '"')
        return CMPD_TOK_STRING;
    if (s[len - 1] == '\'')
        return CMPD_TOK_CHAR;
    if ((c >= '0' && c <= '9') || (c == '.' && len > 1 && s[1] >= '0' && s[1] <= '9'))
        return CMPD_TOK_NUMBER;
    return cmpd_lex_is_word(c) ? CMPD_TOK_IDENT : CMPD_TOK_PUNCT;
}

/* left becomes left ## right. */
static void paste(struct pp *pp, struct pp_tok *left, const struct pp_tok *right)
{
    size_t len = (size_t)left->len + right->len;
    charge(pp, len / 8);
    if (pp->stopped)
        return;
    char *s = cmpd_arena_alloc(&pp->scratch, len + 1);
    memcpy(s, left->s, left->len);
    memcpy(s + left->len, right->s, right->len);
    left->s = s;
    left->len = (uint32_t)len;
    left->kind = kind_of(s, len);
    left->src = PP_NO_SOURCE;
    left->hide = hide_common(pp, left->hide, right->hide);
}

/* ---- substitution ---- */

struct body {
    struct pp_list out;
    struct pp_tok **tail_at; /* the link that leads to the last token */
    struct pp_tok *tail;
    bool empty_left; /* the part before gave nothing: a placemarker for ## */
    bool left_space; /* white space before what the ## joins */
};

static void put(struct body *b, struct pp_tok *t)
{
    b->tail_at = b->out.last;
    b->tail = t;
    push(&b->out, t);
}

static void put_all(struct body *b, struct pp_tok *t)
{
    while (t) {
        struct pp_tok *next = t->next;
        t->next = NULL;
        put(b, t);
        t = next;
    }
}

/* What one part of the body turns into, before any ##. */
static struct pp_tok *part_tokens(struct pp *pp, struct call *call, const struct pp_part *p,
                                  bool condition)
{
    if (p->param < 0) {
        struct pp_tok *t = pp_tok_new(pp, p->s, p->len, p->kind);
        t->use = call->use;
        t->space = p->space;
        return t;
    }
    if (p->stringify) {
        struct pp_tok *t = stringify(pp, call->args[p->param]);
        t->use = call->use;
        t->space = p->space;
        return t;
    }
    struct pp_list l;
    list_init(&l);
    bool raw = p->paste || p->pasted;
    push_copies(pp, &l,
                raw ? call->args[p->param] : expanded_arg(pp, call, (size_t)p->param, condition));
    if (l.first)
        l.first->space = p->space;
    return l.first;
}

/* The GNU form `, ## __VA_ARGS__`: the comma goes when nothing is left over. */
static bool comma_case(struct pp *pp, struct call *call, const struct pp_part *p, struct body *b,
                       bool condition)
{
    if (p->param < 0 || p->param != call->macro->va_index || !b->tail || b->empty_left ||
        !pp_is(b->tail, ','))
        return false;
    if (!call->args[p->param]) {
        *b->tail_at = NULL;
        b->out.last = b->tail_at;
        b->tail = NULL;
        b->empty_left = true;
        return true;
    }
    struct pp_list l;
    list_init(&l);
    push_copies(pp, &l, expanded_arg(pp, call, (size_t)p->param, condition));
    put_all(b, l.first);
    return true;
}

static void put_part(struct pp *pp, struct call *call, const struct pp_part *p, struct body *b,
                     bool condition)
{
    if (p->paste && comma_case(pp, call, p, b, condition))
        return;
    struct pp_tok *items = part_tokens(pp, call, p, condition);
    if (p->paste && !b->empty_left && b->tail && items) {
        paste(pp, b->tail, items);
        b->tail->use = call->use;
        items = items->next;
        put_all(b, items);
        return;
    }
    if (!p->paste)
        b->left_space = p->space;
    else if (items && b->empty_left)
        items->space = b->left_space;
    b->empty_left = !items && (!p->paste || b->empty_left);
    put_all(b, items);
}

/* The macro's body with its arguments in place, followed by `rest`. */
static struct pp_tok *substitute(struct pp *pp, struct call *call, struct pp_tok *rest,
                                 bool condition)
{
    struct body b = {.tail = NULL, .empty_left = true};
    list_init(&b.out);
    for (size_t i = 0; i < call->macro->part_count && !pp->stopped; i++)
        put_part(pp, call, &call->macro->parts[i], &b, condition);
    const struct pp_hide *last_in = NULL, *last_out = call->hide;
    for (struct pp_tok *t = b.out.first; t; t = t->next) {
        if (t->hide != last_in) {
            last_in = t->hide;
            last_out = hide_union(pp, t->hide, call->hide);
        }
        t->hide = last_out;
    }
    if (b.out.first)
        b.out.first->space = call->name->space;
    *b.out.last = rest;
    return b.out.first;
}

static struct call *new_call(struct pp *pp, const struct cmpd_macro *m, struct pp_tok *name,
                             unsigned depth)
{
    struct call *call = CMPD_ARENA_NEW(&pp->scratch, struct call);
    call->macro = (const struct pp_macro *)m;
    call->name = name;
    call->depth = depth;
    call->use = new_use(pp, m, name);
    if (m->function_like) {
        call->slots = m->param_count + (call->macro->va_index == (int)m->param_count ? 1 : 0);
        call->args = CMPD_ARENA_ARRAY(&pp->scratch, struct pp_tok *, call->slots + 1);
        call->expanded = CMPD_ARENA_ARRAY(&pp->scratch, struct pp_tok *, call->slots + 1);
        call->is_expanded = CMPD_ARENA_ARRAY(&pp->scratch, bool, call->slots + 1);
    }
    return call;
}

static const struct cmpd_macro *macro_of(const struct pp *pp, const struct pp_tok *t,
                                         bool condition)
{
    if (t->kind != CMPD_TOK_IDENT)
        return NULL;
    const struct pp_name *n = pp_name_find(pp->names, t->s, t->len);
    if (!n || !n->current || hidden(t->hide, n->current))
        return NULL;
    if (n->current->compiler && (!condition || pp_hidden_arch(pp, n)))
        return NULL;
    return n->current;
}

/* Replaces the macro use that begins with `name`. False: it is none, and the name stays. */
static bool expand_use(struct pp *pp, struct pp_tok *name, struct cursor *c, bool condition,
                       unsigned depth)
{
    const struct cmpd_macro *m = macro_of(pp, name, condition);
    if (!m || (m->function_like && (!paren_follows(pp, c) || !closes(pp, c))))
        return false;
    struct call *call = new_call(pp, m, name, depth);
    call->hide = name->hide;
    if (m->function_like && !collect(pp, c, call)) {
        /* The compiler will say so; here the text can't be read any further. */
        pp->stopped = true;
        return false;
    }
    call->hide = hide_add(pp, call->hide, m);
    c->list = substitute(pp, call, c->list, condition);
    return true;
}

static struct pp_tok *expand(struct pp *pp, struct pp_tok *list, struct pp_source *more,
                             bool condition, unsigned depth)
{
    struct pp_list out;
    list_init(&out);
    if (depth > CMPD_EXPANSION_DEPTH_CEILING)
        pp->stopped = pp->over = true;
    struct cursor c = {list, more};
    while (c.list) {
        struct pp_tok *t = c.list;
        if (pp->stopped) {
            push(&out, t);
            break;
        }
        c.list = t->next;
        t->next = NULL;
        if (!expand_use(pp, t, &c, condition, depth))
            push(&out, t);
    }
    return out.first;
}

struct pp_tok *pp_expand(struct pp *pp, struct pp_tok *list, struct pp_source *more, bool condition)
{
    pp->use_steps = 0;
    pp->stopped = pp->over = pp->steps > CMPD_EXPANSION_STEPS_CEILING;
    struct pp_tok *out = expand(pp, list, more, condition, 0);
    pp->steps += pp->use_steps;
    return out;
}
