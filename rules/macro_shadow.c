/*
 * macro_shadows_local: a macro and a local name of its user get in each other's way.
 *
 * Catches: a function-like macro whose body declares a local (also in a for) and then uses a parameter,
 * where an argument names a variable of that name: the argument then means the macro's own local; an
 * object-like macro whose name is declared as a variable or parameter further down, so that its value
 * stands where the name should; an object-like macro, defined inside a function, whose name a parameter
 * or local of that function has.
 *
 * Misses: macros used inside other macros' bodies; locals that a macro declares through another macro;
 * a macro that reads a local of its user by name, which is often meant; a macro that stands for another
 * single name, but for one that also turns a component of CUDA's vector types (x, y, z, w) into another.
 *
 * Names that are pasted together (##) or given by the user as an argument can't clash.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/api/api_use.h"

#define LOCALS_CEILING 32
#define ARGS_CEILING   32
#define STEPS_CEILING  4000000 /* tokens looked at for names before a #define, in a file */

/* A local that a macro's body declares: its name is a token of the #define. */
struct body_local {
    size_t name;
    size_t from, end; /* tokens in which it is in scope */
    uint64_t params;  /* bit p: parameter p stands in that scope */
};

struct body {
    const struct cmpd_macro *macro;
    const struct cmpd_tokens *toks;
    size_t first, end; /* tokens of the body */
    struct body_local locals[LOCALS_CEILING];
    size_t local_count;
};

static bool is_ident(const struct cmpd_tokens *toks, size_t i)
{
    return toks->items[i].kind == CMPD_TOK_IDENT;
}

static bool same_word(const struct cmpd_tokens *toks, size_t a, size_t b)
{
    const struct cmpd_token *ta = &toks->items[a];
    const struct cmpd_token *tb = &toks->items[b];
    return ta->len == tb->len &&
           memcmp(toks->src->text + ta->off, toks->src->text + tb->off, ta->len) == 0;
}

static bool is_any(const struct cmpd_tokens *toks, size_t i, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (cmpd_token_is(toks, i, words[k])) {
            return true;
        }
    }
    return false;
}

static bool is_keyword(const struct cmpd_tokens *toks, size_t i)
{
    static const char *const words[] = {
        "return",   "else",   "do",      "case",      "goto",    "throw",  "delete",
        "new",      "sizeof", "if",      "while",     "for",     "switch", "break",
        "continue", "using",  "typedef", "namespace", "default", "asm",    "co_return"};
    return is_any(toks, i, words, sizeof words / sizeof *words);
}

static bool is_builtin_type(const struct cmpd_tokens *toks, size_t i)
{
    static const char *const words[] = {
        "int",     "unsigned", "signed",  "long",     "short",     "char",
        "bool",    "float",    "double",  "auto",     "size_t",    "half",
        "__half",  "half2",    "__half2", "uint",     "int8_t",    "uint8_t",
        "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",   "uint64_t",
        "float2",  "float3",   "float4",  "int2",     "int4",      "uint2",
        "uint4",   "double2",  "dim3",    "ssize_t",  "ptrdiff_t", "__nv_bfloat16"};
    return is_any(toks, i, words, sizeof words / sizeof *words);
}

/* The index behind the bracket that closes the one at `open`; `end` if none does. */
static size_t behind_bracket(const struct cmpd_tokens *toks, size_t open, size_t end)
{
    static const char *const opening[] = {"(", "[", "{"};
    static const char *const closing[] = {")", "]", "}"};
    size_t depth = 0;
    for (size_t i = open; i < end; i++) {
        if (is_any(toks, i, opening, 3)) {
            depth++;
        } else if (is_any(toks, i, closing, 3)) {
            if (depth <= 1) {
                return i + 1;
            }
            depth--;
        }
    }
    return end;
}

/* ---- locals that a macro's body declares ---- */

/* Where the block ends that token `from` stands in. */
static size_t end_of_block(const struct body *b, size_t from)
{
    size_t depth = 0;
    for (size_t i = from; i < b->end; i++) {
        if (cmpd_token_is(b->toks, i, "{")) {
            depth++;
        } else if (cmpd_token_is(b->toks, i, "}")) {
            if (depth == 0) {
                return i;
            }
            depth--;
        }
    }
    return b->end;
}

/* `open` is the parenthesis of a for: its variable lives to the end of the loop's statement. */
static size_t end_of_loop(const struct body *b, size_t open)
{
    size_t i = behind_bracket(b->toks, open, b->end);
    if (i < b->end && cmpd_token_is(b->toks, i, "{")) {
        return behind_bracket(b->toks, i, b->end);
    }
    while (i < b->end && !cmpd_token_is(b->toks, i, ";")) {
        i = cmpd_token_is(b->toks, i, "(") || cmpd_token_is(b->toks, i, "{")
                ? behind_bracket(b->toks, i, b->end)
                : i + 1;
    }
    return i < b->end ? i + 1 : b->end;
}

static bool is_pasted(const struct body *b, size_t i)
{
    return (i > b->first && cmpd_token_is(b->toks, i - 1, "##")) ||
           (i + 1 < b->end && cmpd_token_is(b->toks, i + 1, "##"));
}

/* Number of the macro's parameter that the token names; -1: none. __VA_ARGS__ comes behind the named ones. */
static int parameter_at(const struct body *b, size_t i)
{
    for (size_t p = 0; p < b->macro->param_count; p++) {
        if (cmpd_token_is(b->toks, i, b->macro->params[p])) {
            return (int)p;
        }
    }
    return b->macro->variadic && cmpd_token_is(b->toks, i, "__VA_ARGS__")
               ? (int)b->macro->param_count
               : -1;
}

static void add_local(struct body *b, size_t name, size_t end)
{
    if (b->local_count < LOCALS_CEILING && parameter_at(b, name) < 0 && !is_pasted(b, name)) {
        b->locals[b->local_count++] = (struct body_local){name, name + 1, end, 0};
    }
}

/*
 * A type at token i, as far as tokens show: words, template arguments, typeof(...), then * and &.
 * Returns the token behind it, which is then the declared name, or i where this is no declaration.
 */
static size_t behind_type(const struct body *b, size_t i)
{
    static const char *const typeofs[] = {"decltype", "typeof", "__typeof__", "__typeof"};
    static const char *const marks[] = {"*", "&", "&&"};
    size_t words = 0;
    size_t p = i;
    while (p < b->end && is_ident(b->toks, p) && !is_keyword(b->toks, p)) {
        if (is_any(b->toks, p, typeofs, 4) && p + 1 < b->end &&
            cmpd_token_is(b->toks, p + 1, "(")) {
            p = behind_bracket(b->toks, p + 1, b->end);
            words++;
            continue;
        }
        size_t next = p + 1;
        if (next < b->end && cmpd_token_is(b->toks, next, "::")) {
            p = next + 1;
            continue;
        }
        if (next < b->end && cmpd_token_is(b->toks, next, "<")) {
            while (next < b->end && !cmpd_token_is(b->toks, next, ">")) {
                next++;
            }
            next++;
        }
        if (words > 0 && (next >= b->end || !is_ident(b->toks, next)) && next == p + 1 &&
            !(next < b->end && is_any(b->toks, next, marks, 3))) {
            return p; /* the last word is the name */
        }
        words++;
        p = next;
    }
    while (words > 0 && p < b->end && is_any(b->toks, p, marks, 3)) {
        p++;
    }
    return words > 0 && p < b->end && is_ident(b->toks, p) && !is_keyword(b->toks, p) ? p : i;
}

/* A declaration may start at token i: notes its names, which are in scope up to `end`. */
static void read_declaration(struct body *b, size_t i, size_t end)
{
    static const char *const after[] = {"=", ";", ",", "[", "{", ":", "("};
    size_t name = behind_type(b, i);
    if (name == i || name + 1 >= b->end || !is_any(b->toks, name + 1, after, 7)) {
        return;
    }
    if (cmpd_token_is(b->toks, name + 1, "(") && !is_builtin_type(b->toks, i)) {
        return; /* as likely a call or a function */
    }
    add_local(b, name, end);
    for (size_t p = name + 1;
         p < end && !cmpd_token_is(b->toks, p, ";") && !cmpd_token_is(b->toks, p, ":");) {
        if (cmpd_token_is(b->toks, p, "(") || cmpd_token_is(b->toks, p, "[") ||
            cmpd_token_is(b->toks, p, "{")) {
            p = behind_bracket(b->toks, p, b->end);
        } else if (cmpd_token_is(b->toks, p, ",") && p + 1 < end) {
            p += cmpd_token_is(b->toks, p + 1, "*") ? 2 : 1;
            if (p < end && is_ident(b->toks, p)) {
                add_local(b, p, end);
            }
        } else {
            p++;
        }
    }
}

static void read_locals(struct body *b)
{
    static const char *const starts[] = {"{", "}", ";"};
    for (size_t i = b->first; i < b->end; i++) {
        if (i > b->first + 1 && cmpd_token_is(b->toks, i - 1, "(") &&
            cmpd_token_is(b->toks, i - 2, "for")) {
            read_declaration(b, i, end_of_loop(b, i - 1));
        } else if (i == b->first || is_any(b->toks, i - 1, starts, 3) ||
                   (cmpd_token_is(b->toks, i - 1, ")") && i > b->first + 1)) {
            read_declaration(b, i, end_of_block(b, i));
        }
    }
}

/* Which parameters stand where the local is in scope, neither pasted nor made a string. */
static void note_parameters(const struct body *b, struct body_local *l)
{
    for (size_t i = l->from; i < l->end && i < b->end; i++) {
        int p = is_ident(b->toks, i) ? parameter_at(b, i) : -1;
        if (p >= 0 && p < 64 && !is_pasted(b, i) && !cmpd_token_is(b->toks, i - 1, "#")) {
            l->params |= UINT64_C(1) << p;
        }
    }
}

static void read_body(struct body *b, const struct cmpd_macro *m, const struct cmpd_tokens *toks)
{
    *b = (struct body){.macro = m, .toks = toks, .first = cmpd_token_index(toks, m->body_off)};
    b->end = b->first;
    while (b->end < toks->count && toks->items[b->end].off < m->body_off + m->body_len) {
        b->end++;
    }
    read_locals(b);
    for (size_t i = 0; i < b->local_count; i++) {
        note_parameters(b, &b->locals[i]);
    }
}

/* ---- captured arguments ---- */

struct arg {
    size_t first, end; /* tokens */
};

/* Splits the arguments of the use at token `name`; returns how many, 0 where it is not written as a call. */
static size_t read_args(const struct cmpd_tokens *toks, size_t name, struct arg args[ARGS_CEILING])
{
    size_t open = name + 1;
    if (open >= toks->count || !cmpd_token_is(toks, open, "(")) {
        return 0;
    }
    size_t close = behind_bracket(toks, open, toks->count) - 1;
    size_t count = 0;
    size_t start = open + 1;
    for (size_t i = start; i <= close && count < ARGS_CEILING;) {
        if (i == close || cmpd_token_is(toks, i, ",")) {
            args[count++] = (struct arg){start, i};
            start = ++i;
        } else if (cmpd_token_is(toks, i, "(") || cmpd_token_is(toks, i, "[") ||
                   cmpd_token_is(toks, i, "{")) {
            i = behind_bracket(toks, i, close);
        } else {
            i++;
        }
    }
    return count;
}

/* Does the argument name a variable that is called as the token? */
static bool arg_names(const struct cmpd_tokens *toks, const struct arg *a, size_t word)
{
    for (size_t i = a->first; i < a->end; i++) {
        if (!is_ident(toks, i) || !same_word(toks, i, word)) {
            continue;
        }
        bool member = cmpd_token_is(toks, i - 1, ".") || cmpd_token_is(toks, i - 1, "->") ||
                      cmpd_token_is(toks, i - 1, "::");
        bool call = i + 1 < toks->count && cmpd_token_is(toks, i + 1, "(");
        if (!member && !call) {
            return true;
        }
    }
    return false;
}

/* `count` arguments are given; those of "..." belong to the last parameter. */
static bool captures(const struct body *b, const struct body_local *l, const struct arg *args,
                     size_t count)
{
    for (size_t a = 0; a < count; a++) {
        size_t p = a < b->macro->param_count ? a : b->macro->param_count;
        if (p < 64 && (l->params >> p & 1) != 0 && arg_names(b->toks, &args[a], l->name)) {
            return true;
        }
    }
    return false;
}

static const struct body_local *captured_by(const struct body *b, size_t use_token)
{
    struct arg args[ARGS_CEILING];
    size_t count = read_args(b->toks, use_token, args);
    for (size_t i = 0; i < b->local_count; i++) {
        if (captures(b, &b->locals[i], args, count)) {
            return &b->locals[i];
        }
    }
    return NULL;
}

/* uses[0..count) are those of the macro. */
static void judge_function_macro(struct cmpd_check *check, const struct cmpd_macro *m,
                                 const struct cmpd_macro_use *const *uses, size_t count)
{
    struct body b;
    read_body(&b, m, check->tokens);
    for (size_t i = 0; i < count && b.local_count > 0; i++) {
        const struct cmpd_macro_use *use = uses[i];
        size_t at = cmpd_token_index(check->tokens, use->off);
        if (use->parent != 0 || at >= check->tokens->count ||
            !cmpd_token_is(check->tokens, at, m->name)) {
            continue;
        }
        const struct body_local *l = captured_by(&b, at);
        if (l == NULL) {
            continue;
        }
        const struct cmpd_token *name = &check->tokens->items[l->name];
        cmpd_report(
            check, CMPD_TAG_macro_shadows_local, CMPD_TIER_REVIEW, use->off, use->off + use->len,
            NULL,
            "make it an inline function, or give the macro's local a name that nobody else uses",
            "%s declares its own `%.*s`, so the `%.*s` passed to it here means that one, not the caller's",
            m->name, (int)name->len, check->src->text + name->off, (int)name->len,
            check->src->text + name->off);
    }
}

/* ---- object-like macros in the place of a declared name ---- */

/* Is token i declared there: behind a type, before what ends a declarator? */
static bool is_declared_here(const struct cmpd_tokens *toks, size_t i)
{
    static const char *const after[] = {",", ")", "=", ";", "[", "{", ">"};
    if (i == 0 || i + 1 >= toks->count || !is_any(toks, i + 1, after, 7)) {
        return false;
    }
    size_t p = i - 1;
    while (p > 0 && (cmpd_token_is(toks, p, "*") || cmpd_token_is(toks, p, "&") ||
                     cmpd_token_is(toks, p, "__restrict__") || cmpd_token_is(toks, p, "const"))) {
        p--;
    }
    return is_builtin_type(toks, p);
}

/* A macro for one other name, or for nothing or an attribute, renames or decorates: a declaration stays one. */
static bool is_a_value(const struct body *b)
{
    if (b->end == b->first || cmpd_token_is(b->toks, b->first, "__attribute__")) {
        return false;
    }
    return b->end - b->first > 1 || b->toks->items[b->first].kind != CMPD_TOK_IDENT;
}

/* Has the function that holds the #define a parameter or local of that name before it? */
static bool hides_local(const struct cmpd_tokens *toks, const struct cmpd_macro *m, size_t *steps)
{
    struct cmpd_function_body f;
    size_t def = cmpd_token_index(toks, m->def_off);
    if (*steps > STEPS_CEILING || !cmpd_function_body_at(toks, def, &f)) {
        return false;
    }
    *steps += f.end - f.head;
    for (size_t i = f.head; i < def; i++) {
        if (is_ident(toks, i) && cmpd_token_is(toks, i, m->name) && is_declared_here(toks, i)) {
            return true;
        }
    }
    return false;
}

/* A component of CUDA's vector types is used as a member: its own name is fixed by the toolkit. */
static bool renames_component(const struct cmpd_tokens *toks, const struct body *b,
                              const struct cmpd_macro_use *const *uses, size_t count)
{
    static const char *const components[] = {"x", "y", "z", "w"};
    bool single = b->end == b->first + 1 && is_ident(toks, b->first);
    bool component = false;
    for (size_t i = 0; i < 4; i++) {
        component |= strcmp(b->macro->name, components[i]) == 0;
    }
    for (size_t i = 0; single && component && i < count; i++) {
        size_t at = cmpd_token_index(toks, uses[i]->off);
        if (uses[i]->parent == 0 && at > 0 && at < toks->count &&
            cmpd_token_is(toks, at, b->macro->name) &&
            (cmpd_token_is(toks, at - 1, ".") || cmpd_token_is(toks, at - 1, "->"))) {
            return true;
        }
    }
    return false;
}

static void judge_object_macro(struct cmpd_check *check, const struct cmpd_macro *m,
                               const struct cmpd_macro_use *const *uses, size_t count,
                               size_t *steps)
{
    struct body b = {
        .macro = m, .toks = check->tokens, .first = cmpd_token_index(check->tokens, m->body_off)};
    b.end = b.first;
    while (b.end < b.toks->count && b.toks->items[b.end].off < m->body_off + m->body_len) {
        b.end++;
    }
    if (!is_a_value(&b) && !renames_component(check->tokens, &b, uses, count)) {
        return;
    }
    bool hides = hides_local(check->tokens, m, steps);
    for (size_t i = 0; i < count; i++) {
        const struct cmpd_macro_use *use = uses[i];
        size_t at = cmpd_token_index(check->tokens, use->off);
        if (use->parent != 0 || at >= check->tokens->count ||
            !cmpd_token_is(check->tokens, at, m->name)) {
            continue;
        }
        if (hides || is_declared_here(check->tokens, at)) {
            cmpd_report(
                check, CMPD_TAG_macro_shadows_local, CMPD_TIER_REVIEW, use->off,
                use->off + use->len, NULL, "give the macro or the variable another name",
                "%s is a macro here, so its value `%.40s` stands in the place of the variable of that name",
                m->name, m->body);
            return;
        }
    }
}

static int by_macro(const void *a, const void *b)
{
    const struct cmpd_macro_use *const *ua = a;
    const struct cmpd_macro_use *const *ub = b;
    if ((*ua)->macro != (*ub)->macro) {
        return (*ua)->macro->def_off < (*ub)->macro->def_off ? -1 : 1;
    }
    return ((*ua)->off > (*ub)->off) - ((*ua)->off < (*ub)->off);
}

static void judge_group(struct cmpd_check *check, const struct cmpd_macro_use *const *uses,
                        size_t count, size_t *steps)
{
    const struct cmpd_macro *m = uses[0]->macro;
    if (m->predefined) {
        return;
    }
    if (m->function_like) {
        judge_function_macro(check, m, uses, count);
    } else {
        judge_object_macro(check, m, uses, count, steps);
    }
}

static void run(struct cmpd_check *check)
{
    size_t count = check->unit->use_count;
    size_t steps = 0;
    if (check->unit->cut || count == 0) {
        return;
    }
    const struct cmpd_macro_use **uses = CMPD_ARENA_ARRAY(check->arena,
                                                          const struct cmpd_macro_use *, count);
    for (size_t i = 0; i < count; i++) {
        uses[i] = &check->unit->uses[i];
    }
    qsort(uses, count, sizeof *uses, by_macro);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && uses[end]->macro == uses[i]->macro) {
            end++;
        }
        judge_group(check, uses + i, end - i, &steps);
        i = end;
    }
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_DEFINE] > 0;
}

const struct cmpd_rule cmpd_rule_macro_shadow = {
    .name = "macro", .layer = CMPD_LAYER_LEX, .possible = possible, .run = run};
