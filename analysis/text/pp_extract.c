/*
 * Which declarations of a header a file may need: integer constants, enums, other names of
 * built-in types, and small functions of built-in types. Read from tokens alone; what looks like
 * anything else is left out, and its names stay unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/text/pp.h"

enum { FUNCTION_TOKENS_MAX = 300, TPARAMS_MAX = 8 };

struct item {
    size_t from, to; /* tokens */
    bool frame;      /* the opening or the end of a namespace */
    bool keep;
    size_t name; /* of a function; else `from` */
    bool function;
};

struct extract {
    const char *text;
    const struct cmpd_token *t;
    size_t count;
    struct pp_words words;
    struct item *items; /* owned */
    size_t item_count, item_cap;
};

static unsigned word_bit(const char *s, size_t len)
{
    return pp_hash(s, len) & (PP_WORDS_BITS - 1);
}

void pp_words_add(struct pp_words *words, const char *s, size_t len)
{
    unsigned bit = word_bit(s, len);
    words->bits[bit / 64] |= (uint64_t)1 << (bit % 64);
}

static bool is(const struct extract *x, size_t i, const char *w)
{
    return i < x->count && x->t[i].len == strlen(w) &&
           memcmp(x->text + x->t[i].off, w, x->t[i].len) == 0;
}

static bool is_ident(const struct extract *x, size_t i)
{
    return i < x->count && x->t[i].kind == CMPD_TOK_IDENT;
}

static bool needed(const struct extract *x, size_t i)
{
    unsigned bit = word_bit(x->text + x->t[i].off, x->t[i].len);
    return is_ident(x, i) && x->words.bits[bit / 64] >> (bit % 64) & 1;
}

static bool in_list(const struct extract *x, size_t i, const char *const *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (is(x, i, list[k]))
            return true;
    return false;
}

static bool is_type_word(const struct extract *x, size_t i)
{
    static const char *const words[] = {
        "int",     "unsigned", "long",     "short",    "char",        "signed",    "bool",
        "float",   "double",   "void",     "auto",     "size_t",      "int8_t",    "uint8_t",
        "int16_t", "uint16_t", "int32_t",  "uint32_t", "int64_t",     "uint64_t",  "ptrdiff_t",
        "uint",    "ushort",   "uchar",    "float2",   "float3",      "float4",    "int2",
        "int3",    "int4",     "uint2",    "uint3",    "uint4",       "double2",   "dim3",
        "half",    "half2",    "__half",   "__half2",  "const",       "constexpr", "static",
        "inline",  "std",      "volatile", "register", "__restrict__"};
    return in_list(x, i, words, sizeof words / sizeof words[0]);
}

static bool is_qualifier(const struct extract *x, size_t i)
{
    static const char *const words[] = {"inline",     "static",       "constexpr",
                                        "__device__", "__host__",     "__forceinline__",
                                        "__inline__", "__noinline__", "__restrict__"};
    return in_list(x, i, words, sizeof words / sizeof words[0]);
}

/* Behind the bracket that matches the one at i; count if none does. */
static size_t behind(const struct extract *x, size_t i)
{
    size_t depth = 0;
    for (; i < x->count; i++) {
        if (x->t[i].kind != CMPD_TOK_PUNCT || x->t[i].len != 1)
            continue;
        char c = x->text[x->t[i].off];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i + 1;
    }
    return x->count;
}

/* Behind a template's parameter list; its type parameters' tokens go to params. 0: not understood. */
static size_t template_head(const struct extract *x, size_t i, size_t *params, size_t *count)
{
    *count = 0;
    if (!is(x, i + 1, "<"))
        return 0;
    for (i += 2; i < x->count && !is(x, i, ">"); i++) {
        if (is(x, i, "<") || is(x, i, "(") || is(x, i, "...") || is(x, i, "="))
            return 0;
        bool last = is(x, i + 1, ",") || is(x, i + 1, ">");
        if (last && *count < TPARAMS_MAX)
            params[(*count)++] = i;
    }
    return i + 1;
}

static bool is_param_of(const struct extract *x, size_t i, const size_t *params, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (x->t[params[k]].len == x->t[i].len &&
            memcmp(x->text + x->t[params[k]].off, x->text + x->t[i].off, x->t[i].len) == 0)
            return true;
    return false;
}

/* Are tokens [i, end) made of built-in types, template parameters and the names of what has them? */
static bool plain_types(const struct extract *x, size_t i, size_t end, const size_t *params,
                        size_t count)
{
    for (; i < end; i++) {
        if (x->t[i].kind != CMPD_TOK_IDENT || is_type_word(x, i) || is_qualifier(x, i) ||
            is_param_of(x, i, params, count))
            continue;
        bool named = is(x, i + 1, ",") || is(x, i + 1, ")") || is(x, i + 1, "[") ||
                     is(x, i + 1, "=");
        if (!named || is(x, i - 1, "(") || is(x, i - 1, ",") || is(x, i - 1, "::"))
            return false;
    }
    return true;
}

static bool plain_body(const struct extract *x, size_t i, size_t end)
{
    for (; i < end; i++)
        if (is(x, i, "asm") || is(x, i, "extern") || is(x, i, "static") || is(x, i, "__asm__") ||
            is(x, i, "__shared__") || is(x, i, "struct") || is(x, i, "goto") || is(x, i, "<<<"))
            return false;
    return true;
}

/* A small function, with its parameter list at `paren` and its body at `brace`. */
static bool is_function(const struct extract *x, struct item *it, size_t paren, size_t brace)
{
    size_t params[TPARAMS_MAX], count = 0, from = it->from;
    if (it->to - it->from > FUNCTION_TOKENS_MAX || paren < it->from + 2)
        return false;
    bool small = is(x, from, "template");
    if (small) {
        from = template_head(x, from, params, &count);
        if (from == 0)
            return false;
    }
    for (size_t i = from; i + 1 < paren; i++)
        small |= is_qualifier(x, i);
    size_t name = paren - 1;
    if (!small || !is_ident(x, name) || is(x, name - 1, "::") || is(x, name - 1, "operator") ||
        behind(x, paren) != brace)
        return false;
    it->name = name;
    it->function = true;
    return plain_types(x, from, name, params, count) &&
           plain_types(x, paren, brace, params, count) && plain_body(x, brace, it->to);
}

/* `const int A = 1;`, `constexpr int B{2};`, `static const int c[] = {1, 2};` */
static bool is_constant(const struct extract *x, const struct item *it, size_t init)
{
    bool constant = false;
    size_t name = init;
    for (size_t i = it->from; i < init; i++) {
        constant |= is(x, i, "const") || is(x, i, "constexpr");
        if (is(x, i, "[") && name == init)
            name = i;
        if (is(x, i, "*") || is(x, i, "&") || is(x, i, "<") || is(x, i, "(") ||
            is(x, i, "__constant__"))
            return false;
    }
    if (!constant || name < it->from + 2 || !is_ident(x, name - 1))
        return false;
    return plain_types(x, it->from, name - 1, NULL, 0);
}

static bool is_alias(const struct extract *x, const struct item *it)
{
    bool use = is(x, it->from, "using") && is(x, it->from + 2, "=");
    if (use)
        return plain_types(x, it->from + 3, it->to - 1, NULL, 0);
    return is(x, it->from, "typedef") && it->to >= it->from + 4 &&
           plain_types(x, it->from + 1, it->to - 2, NULL, 0);
}

static bool is_enum(const struct extract *x, const struct item *it)
{
    return is(x, it->from, "enum") || (is(x, it->from, "typedef") && is(x, it->from + 1, "enum"));
}

/* The declaration that begins at i; returns the token behind it, and keeps it if it is of use. */
static size_t declaration(struct extract *x, size_t i)
{
    struct item it = {.from = i, .name = i};
    size_t paren = 0, init = 0, brace = 0;
    for (it.to = i; it.to < x->count && !is(x, it.to, ";") && !is(x, it.to, "}");) {
        bool open = is(x, it.to, "{");
        if (is(x, it.to, "(") && !paren && !init)
            paren = it.to;
        if ((is(x, it.to, "=") || open) && !init && !paren)
            init = it.to;
        if (open && paren && !init) {
            brace = it.to;
            it.to = behind(x, brace);
            break;
        }
        it.to = open || is(x, it.to, "(") || is(x, it.to, "[") ? behind(x, it.to) : it.to + 1;
    }
    if (!brace && is(x, it.to, ";"))
        it.to++;
    if (it.to == i)
        return i + 1; /* a stray closing brace */
    bool use = brace ? is_function(x, &it, paren, brace)
                     : is_enum(x, &it) || is_alias(x, &it) || (init && is_constant(x, &it, init));
    if (use) {
        CMPD_GROW(x->items, x->item_count + 1, x->item_cap);
        x->items[x->item_count++] = it;
    }
    return it.to;
}

static void frame(struct extract *x, size_t from, size_t to)
{
    CMPD_GROW(x->items, x->item_count + 1, x->item_cap);
    x->items[x->item_count++] = (struct item){.from = from, .to = to, .frame = true};
}

/* Behind `namespace a::b {` or `extern "C" {`; 0 if there is none here. */
static size_t frame_head(const struct extract *x, size_t i)
{
    if (is(x, i, "extern") && i + 1 < x->count && x->t[i + 1].kind == CMPD_TOK_STRING)
        return is(x, i + 2, "{") ? i + 3 : 0;
    i += is(x, i, "inline") && is(x, i + 1, "namespace");
    if (!is(x, i, "namespace"))
        return 0;
    for (i++; is_ident(x, i) || is(x, i, "::"); i++)
        continue;
    return is(x, i, "{") ? i + 1 : 0;
}

static void find_items(struct extract *x)
{
    size_t open = 0;
    for (size_t i = 0; i < x->count;) {
        size_t inside = frame_head(x, i);
        if (inside) {
            frame(x, i, inside);
            open++;
            i = inside;
        } else if (is(x, i, "}") && open) {
            frame(x, i, i + 1);
            open--;
            i++;
        } else {
            i = declaration(x, i);
        }
    }
    if (open)
        x->item_count = 0; /* not understood */
}

/* From the last to the first, since a declaration names those before it. */
static bool choose(struct extract *x)
{
    bool any = false;
    for (size_t n = x->item_count; n-- > 0;) {
        struct item *it = &x->items[n];
        if (it->frame)
            continue;
        size_t from = it->function ? it->name : it->from, to = it->function ? from + 1 : it->to;
        for (size_t i = from; i < to && !it->keep; i++)
            it->keep = needed(x, i) && !is_type_word(x, i) && !is(x, i, "enum");
        for (size_t i = it->from; it->keep && i < it->to; i++)
            if (is_ident(x, i))
                pp_words_add(&x->words, x->text + x->t[i].off, x->t[i].len);
        any |= it->keep;
    }
    return any;
}

static void write_item(const struct extract *x, const struct item *it, struct cmpd_buf *out)
{
    const struct cmpd_token *last = &x->t[it->to - 1];
    for (uint32_t off = x->t[it->from].off; off < last->off + last->len; off++) {
        char c = x->text[off];
        cmpd_buf_putc(out, c == '\n' || c == '\r' ? ' ' : c);
    }
    cmpd_buf_putc(out, ' ');
}

void pp_extract(const char *text, size_t len, const struct pp_words *a, const struct pp_words *b,
                struct cmpd_buf *out)
{
    struct cmpd_lexer lx = {.directives_off = true};
    struct extract x = {.text = text};
    cmpd_lexer_run(&lx, text, len);
    x.t = lx.tokens;
    x.count = lx.cut ? 0 : lx.count;
    for (size_t i = 0; i < PP_WORDS_BITS / 64; i++)
        x.words.bits[i] = a->bits[i] | b->bits[i];
    find_items(&x);
    if (choose(&x))
        for (size_t i = 0; i < x.item_count; i++)
            if (x.items[i].keep || x.items[i].frame)
                write_item(&x, &x.items[i], out);
    free(x.items);
    cmpd_lexer_clear(&lx);
}
