/*
 * In whose body each token stands: one pass that follows braces and the words
 * before them. It understands declarations well enough to tell a function's
 * body from a class, a namespace or an initialiser; where it errs, ctx is that
 * of a host function, which no rule takes for proof.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/text/lexer.h"

/* What was seen since the declaration began. */
enum {
    SAW_GLOBAL = 1 << 0,
    SAW_DEVICE = 1 << 1,
    SAW_PARAMS = 1 << 2, /* a closed parameter list */
    SAW_CLASS = 1 << 3,  /* class, struct, union, enum */
    SAW_NAMESPACE = 1 << 4,
    SAW_ASSIGN = 1 << 5,
    SAW_INIT_LIST = 1 << 6, /* ':' behind a parameter list */
    SAW_TEMPLATE = 1 << 7,  /* the angle bracket comes next */
};

struct brace {
    uint8_t ctx; /* outside of it */
    uint8_t saw; /* to go on with behind it */
    uint32_t parens;
};

struct branch {
    uint32_t depth, parens, nesting;
    uint8_t ctx, saw;
};

/* A macro of the file whose body says __device__ or __global__. */
struct qualifier {
    const struct cmpd_token *name;
    uint8_t saw;
};
#define QUALIFIERS_CEILING 32

struct state {
    const char *text;
    struct qualifier qualifiers[QUALIFIERS_CEILING];
    size_t qualifier_count;
    struct brace *braces; /* owned */
    size_t brace_cap;
    struct branch *branches; /* owned; open #if groups */
    size_t branch_count, branch_cap;
    uint32_t depth, parens, nesting, max_nesting;
    int angle;
    uint8_t ctx, saw;
    bool attr_parens; /* the open parentheses belong to an attribute */
    const struct cmpd_token *prev;
};

static inline bool word_is(const struct state *s, const struct cmpd_token *t, const char *w,
                           size_t n)
{
    return t && t->len == n && memcmp(s->text + t->off, w, n) == 0;
}
#define IS(s, t, w) word_is((s), (t), (w), sizeof(w) - 1)

static bool is_attribute(const struct state *s, const struct cmpd_token *t)
{
    return IS(s, t, "__align__") || IS(s, t, "alignas") || IS(s, t, "__launch_bounds__") ||
           IS(s, t, "__attribute__") || IS(s, t, "__declspec") || IS(s, t, "decltype") ||
           IS(s, t, "noexcept") || IS(s, t, "__maxnreg__") || IS(s, t, "__cluster_dims__") ||
           IS(s, t, "__block_size__") || IS(s, t, "explicit") || IS(s, t, "requires");
}

/* Which context a brace at namespace or class scope opens. */
static uint8_t opened_by(const struct state *s)
{
    const struct cmpd_token *prev = s->prev;
    if (s->parens || (s->saw & SAW_NAMESPACE) || !(s->saw & SAW_PARAMS))
        return 0;
    bool tail = IS(s, prev, ")") || IS(s, prev, "const") || IS(s, prev, "noexcept") ||
                IS(s, prev, "override") || IS(s, prev, "final") || IS(s, prev, "try");
    if ((s->saw & (SAW_CLASS | SAW_ASSIGN)) && !tail)
        return 0;
    return s->saw & SAW_GLOBAL   ? CMPD_CTX_KERNEL
           : s->saw & SAW_DEVICE ? CMPD_CTX_DEVICE
                                 : CMPD_CTX_HOST;
}

static void open_brace(struct state *s)
{
    CMPD_GROW(s->braces, (size_t)s->depth + 1, s->brace_cap);
    struct brace *b = &s->braces[s->depth++];
    b->ctx = s->ctx;
    b->saw = 0;
    b->parens = s->parens;
    bool member_init = !s->ctx && (s->saw & SAW_INIT_LIST) && s->prev &&
                       (s->prev->kind == CMPD_TOK_IDENT || IS(s, s->prev, ">"));
    if (member_init)
        b->saw = s->saw;
    else if (!s->ctx)
        s->ctx = opened_by(s);
    else if (s->ctx == CMPD_CTX_HOST && (s->saw & SAW_DEVICE))
        s->ctx = CMPD_CTX_DEVICE; /* an extended lambda, or a method of a local class */
    s->saw = 0;
    s->parens = 0;
    s->angle = 0;
}

static void close_brace(struct state *s)
{
    s->saw = 0;
    s->angle = 0;
    if (s->depth == 0)
        return;
    const struct brace *b = &s->braces[--s->depth];
    s->ctx = b->ctx;
    s->saw = b->saw;
    s->parens = b->parens;
}

static void open_paren(struct state *s)
{
    if (s->parens++ == 0)
        s->attr_parens = is_attribute(s, s->prev);
}

static void close_paren(struct state *s)
{
    if (s->parens == 0 || --s->parens > 0)
        return;
    if (!s->attr_parens && s->angle == 0)
        s->saw |= SAW_PARAMS;
    s->attr_parens = false;
}

static void nest(struct state *s, char c)
{
    if (c == '(' || c == '[' || c == '{') {
        if (++s->nesting > s->max_nesting)
            s->max_nesting = s->nesting;
    } else if ((c == ')' || c == ']' || c == '}') && s->nesting) {
        s->nesting--;
    }
}

static void angle_brackets(struct state *s, const struct cmpd_token *t, char c)
{
    if (s->saw & SAW_TEMPLATE) {
        s->saw &= (uint8_t)~SAW_TEMPLATE;
        s->angle = c == '<' ? 1 : 0;
    } else if (s->angle > 0) {
        s->angle += c == '<' ? 1 : -(int)t->len; /* '>>' closes two */
        if (s->angle < 0)
            s->angle = 0;
    }
}

static void punct(struct state *s, const struct cmpd_token *t)
{
    char c = s->text[t->off];
    nest(s, c);
    switch (c) {
    case '{':
        open_brace(s);
        break;
    case '}':
        close_brace(s);
        break;
    case '(':
        open_paren(s);
        break;
    case ')':
        close_paren(s);
        break;
    case ';':
        s->saw = 0;
        s->angle = 0;
        break;
    case '<':
    case '>':
        angle_brackets(s, t, c);
        break;
    case '=':
        if (t->len == 1 && !s->parens && !s->angle && !IS(s, s->prev, "operator"))
            s->saw |= SAW_ASSIGN;
        break;
    case ':':
        if (t->len == 1 && !s->parens && (s->saw & SAW_PARAMS))
            s->saw |= SAW_INIT_LIST;
        break;
    default:
        break;
    }
}

/* HD float f(), with the macro defined here, or CUTLASS_DEVICE void f(), with the macro of a header. */
static uint8_t qualifies(const struct state *s, const struct cmpd_token *t)
{
    static const char device[] = "DEVICE";
    const char *name = s->text + t->off;
    for (size_t i = 0; i < s->qualifier_count; i++)
        if (word_is(s, s->qualifiers[i].name, name, t->len))
            return s->qualifiers[i].saw;
    bool call = name[t->len] == '(';
    return t->len > sizeof device && !call && memmem(name, t->len, device, sizeof device - 1)
               ? SAW_DEVICE
               : 0;
}

static void ident(struct state *s, const struct cmpd_token *t)
{
    char first = s->text[t->off];
    if (!s->ctx && !s->parens && (s->qualifier_count || (first >= 'A' && first <= 'Z')))
        s->saw |= qualifies(s, t);
    switch (first) {
    case '_':
        if (IS(s, t, "__global__"))
            s->saw |= SAW_GLOBAL;
        else if (IS(s, t, "__device__"))
            s->saw |= SAW_DEVICE;
        break;
    case 'n':
        if (IS(s, t, "namespace"))
            s->saw |= SAW_NAMESPACE;
        break;
    case 't':
        if (IS(s, t, "template"))
            s->saw |= SAW_TEMPLATE;
        break;
    case 'c':
    case 's':
    case 'u':
    case 'e':
        if (!s->angle && !s->parens &&
            (IS(s, t, "class") || IS(s, t, "struct") || IS(s, t, "union") || IS(s, t, "enum")))
            s->saw |= SAW_CLASS;
        break;
    default:
        break;
    }
}

/* #define HD __host__ __device__ */
static void remember_qualifier(struct state *s, const struct cmpd_token *tokens,
                               const struct cmpd_line_directive *d)
{
    if (d->end_token < d->first_token + 4 || !IS(s, &tokens[d->first_token + 1], "define") ||
        s->qualifier_count == QUALIFIERS_CEILING)
        return;
    struct qualifier q = {&tokens[d->first_token + 2], 0};
    for (uint32_t i = d->first_token + 3; i < d->end_token && i < d->first_token + 16; i++) {
        if (tokens[i].kind != CMPD_TOK_IDENT)
            return; /* more than qualifiers */
        if (IS(s, &tokens[i], "__global__"))
            q.saw |= SAW_GLOBAL;
        else if (IS(s, &tokens[i], "__device__"))
            q.saw |= SAW_DEVICE;
    }
    if (q.saw && q.name->kind == CMPD_TOK_IDENT)
        s->qualifiers[s->qualifier_count++] = q;
}

/* Every branch of an #if begins where the first one began. */
static void conditional(struct state *s, const struct cmpd_token *tokens,
                        const struct cmpd_line_directive *d)
{
    if (d->end_token < d->first_token + 2)
        return;
    const struct cmpd_token *name = &tokens[d->first_token + 1];
    if (IS(s, name, "if") || IS(s, name, "ifdef") || IS(s, name, "ifndef")) {
        CMPD_GROW(s->branches, s->branch_count + 1, s->branch_cap);
        struct branch b = {s->depth, s->parens, s->nesting, s->ctx, s->saw};
        s->branches[s->branch_count++] = b;
    } else if (s->branch_count && (IS(s, name, "else") || IS(s, name, "elif"))) {
        const struct branch *b = &s->branches[s->branch_count - 1];
        s->depth = b->depth;
        s->parens = b->parens;
        s->nesting = b->nesting;
        s->ctx = b->ctx;
        s->saw = b->saw;
    } else if (s->branch_count && IS(s, name, "endif")) {
        s->branch_count--;
    }
}

static inline void mark(const struct state *s, struct cmpd_token *t)
{
    t->ctx |= s->ctx;
    t->depth = (uint16_t)(s->depth < UINT16_MAX ? s->depth : UINT16_MAX);
}

uint32_t cmpd_lex_context(const char *text, struct cmpd_token *tokens, size_t count,
                          const struct cmpd_line_directive *directives, size_t directive_count)
{
    struct state s = {.text = text};
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        struct cmpd_token *t = &tokens[i];
        if (t->ctx & CMPD_CTX_DIRECTIVE) {
            if (next < directive_count && directives[next].first_token == i) {
                remember_qualifier(&s, tokens, &directives[next]);
                conditional(&s, tokens, &directives[next++]);
            }
            mark(&s, t);
            continue;
        }
        mark(&s, t);
        if (t->kind == CMPD_TOK_PUNCT)
            punct(&s, t);
        else if (t->kind == CMPD_TOK_IDENT)
            ident(&s, t);
        s.prev = t;
    }
    free(s.braces);
    free(s.branches);
    return s.max_nesting;
}
