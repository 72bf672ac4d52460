#include "rules/api/api_use.h"

#include <stdlib.h>
#include <string.h>

/* ---- which toolkit ---- */

/* The entry of the policy that compiles this file first. */
static const struct cmpd_nvcc *nvcc_of(const struct cmpd_check *check)
{
    const struct cmpd_policy *policy = check->policy;
    const struct cmpd_kernel_policy *own = cmpd_policy_kernel(policy, check->src->path);
    if (own != NULL && own->nvcc_count > 0) {
        return &own->nvcc[0];
    }
    return policy->nvcc_count > 0 ? &policy->nvcc[0] : NULL;
}

/* "12.4" of ".../cuda-12.4/bin/nvcc". Links are not followed: a verdict must not hang on the machine. */
static bool version_in_path(const char *path, char out[16])
{
    const char *at = path != NULL ? strstr(path, "/cuda-") : NULL;
    size_t n = at != NULL ? strspn(at + 6, "0123456789.") : 0;
    if (n == 0 || n > 15) {
        return false;
    }
    memcpy(out, at + 6, n);
    out[n] = '\0';
    return true;
}

/* 80 for "sm_80", "sm_90a" or "compute_80"; 0 if it says something else. */
static int capability_of(const char *arch)
{
    const char *digits = arch != NULL ? strchr(arch, '_') : NULL;
    long sm = digits != NULL ? strtol(digits + 1, NULL, 10) : 0;
    return sm > 0 && sm < 1000 ? (int)sm : 0;
}

/* ---- includes and using ---- */

static void look_at_includes(struct cmpd_api_use *use)
{
    const struct cmpd_unit *unit = use->check->unit;
    use->headers_known = true;
    for (size_t i = 0; i < unit->directive_count; i++) {
        const struct cmpd_directive *d = &unit->directives[i];
        if (d->kind != CMPD_DIR_INCLUDE || !d->active) {
            continue;
        }
        const char *path = unit->src->text + d->name_off;
        if (d->name_len == 0 || !cmpd_api_db_header(use->db, path, d->name_len)) {
            use->headers_known = false;
            use->headers_local |= !d->system_include;
        }
    }
}

/* Namespaces whose names never stand in for functions of the C library. */
static bool harmless_namespace(const struct cmpd_tokens *toks, size_t i)
{
    return cmpd_token_is(toks, i, "std") || cmpd_token_is(toks, i, "cooperative_groups") ||
           cmpd_token_is(toks, i, "cg") || cmpd_token_is(toks, i, "nvcuda") ||
           cmpd_token_is(toks, i, "at");
}

static void look_at_using(struct cmpd_api_use *use)
{
    const struct cmpd_tokens *toks = use->check->tokens;
    for (size_t i = 0; i + 2 < toks->count; i++) {
        if (!cmpd_token_is(toks, i, "using")) {
            continue;
        }
        if (!cmpd_token_is(toks, i + 1, "namespace")) {
            continue;
        }
        bool plain = i + 3 >= toks->count || !cmpd_token_is(toks, i + 3, "::");
        use->using_std |= plain && cmpd_token_is(toks, i + 2, "std");
        use->using_other |= !harmless_namespace(toks, i + 2) ||
                            (cmpd_token_is(toks, i + 2, "std") && !plain);
    }
}

void cmpd_api_use_init(struct cmpd_api_use *use, struct cmpd_check *check, struct cmpd_err *err)
{
    char version[16] = "";
    const struct cmpd_nvcc *nvcc = nvcc_of(check);
    bool named = nvcc != NULL && version_in_path(nvcc->path, version);
    *use = (struct cmpd_api_use){.check = check, .sm = capability_of(nvcc ? nvcc->arch : NULL)};
    if (cmpd_api_db_open(named ? version : NULL, &use->db, err) != CMPD_OK) {
        use->db = NULL;
        return;
    }
    look_at_includes(use);
    look_at_using(use);
}

void cmpd_api_use_clear(struct cmpd_api_use *use)
{
    cmpd_api_db_free(use->db);
    use->db = NULL;
}

/* ---- names in active text ---- */

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c)
{
    return is_name_start(c) || (c >= '0' && c <= '9');
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\';
}

/* p is at a quote; returns the offset behind the literal, which ends at its line's end at the latest. */
static size_t skip_literal(const char *text, size_t len, size_t p)
{
    char quote = text[p++];
    while (p < len && text[p] != quote && text[p] != '\n') {
        p += text[p] == '\\' && p + 1 < len ? 2 : 1;
    }
    return p < len ? p + 1 : len;
}

/* p is at the quote of R"tag( ... )tag". */
static size_t skip_raw_string(const char *text, size_t len, size_t p)
{
    char closing[20] = ")";
    size_t n = 1;
    size_t q = p + 1;
    while (q < len && text[q] != '(' && n < sizeof closing - 2) {
        closing[n++] = text[q++];
    }
    if (q >= len || text[q] != '(') {
        return skip_literal(text, len, p);
    }
    closing[n++] = '"';
    const char *end = memmem(text + q, len - q, closing, n);
    return end != NULL ? (size_t)(end - text) + n : len;
}

static size_t skip_number(const char *text, size_t len, size_t p)
{
    while (p < len &&
           (is_name_char(text[p]) || text[p] == '.' || text[p] == '\'' ||
            ((text[p] == '+' || text[p] == '-') && strchr("eEpP", text[p - 1]) != NULL))) {
        p++;
    }
    return p;
}

/* Words that are no type: a name right behind one is used there, not declared. */
static bool is_statement_word(const char *s, size_t len)
{
    static const char *const words[] = {
        "return", "else",   "do",    "case",      "throw",   "goto",   "delete",   "sizeof",
        "not",    "and",    "or",    "co_return", "new",     "in",     "co_yield", "co_await",
        "static", "extern", "const", "constexpr", "typedef", "inline", "volatile"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == len && memcmp(words[i], s, len) == 0) {
            return true;
        }
    }
    return false;
}

/* What stands before offset p: found by looking back over white space. */
static enum cmpd_name_before look_back(const char *text, size_t p)
{
    while (p > 0 && is_space(text[p - 1])) {
        p--;
    }
    if (p == 0) {
        return CMPD_BEFORE_OTHER;
    }
    char c = text[p - 1];
    if (c == '.' || (c == '>' && p > 1 && text[p - 2] == '-')) {
        return CMPD_BEFORE_MEMBER;
    }
    if (c == ':' && p > 1 && text[p - 2] == ':') {
        p -= 2;
        while (p > 0 && is_space(text[p - 1])) {
            p--;
        }
        return p > 0 && (is_name_char(text[p - 1]) || text[p - 1] == '>') ? CMPD_BEFORE_SCOPE
                                                                          : CMPD_BEFORE_OTHER;
    }
    if (is_name_char(c)) {
        size_t end = p;
        while (p > 0 && is_name_char(text[p - 1])) {
            p--;
        }
        return is_name_start(text[p]) && !is_statement_word(text + p, end - p) ? CMPD_BEFORE_NAME
                                                                               : CMPD_BEFORE_OTHER;
    }
    return CMPD_BEFORE_OTHER;
}

struct cmpd_span cmpd_name_place(const struct cmpd_api_use *use, const struct cmpd_name *name)
{
    const struct cmpd_macro_use *macro = cmpd_unit_use_at(use->check->unit, name->exp_off);
    if (macro != NULL) {
        return (struct cmpd_span){macro->off, macro->off + macro->len};
    }
    uint32_t off = cmpd_unit_origin(use->check->unit, name->exp_off);
    return (struct cmpd_span){off, off + (uint32_t)name->len};
}

void cmpd_api_use_names(const struct cmpd_api_use *use, cmpd_name_visit visit, void *ctx)
{
    const struct cmpd_unit *unit = use->check->unit;
    const char *text = unit->text;
    size_t len = unit->len;
    for (size_t p = 0; p < len;) {
        char c = text[p];
        if (is_name_start(c)) {
            size_t start = p;
            while (p < len && is_name_char(text[p])) {
                p++;
            }
            if (p < len && text[p] == '"' && text[p - 1] == 'R') {
                p = skip_raw_string(text, len, p);
                continue;
            }
            struct cmpd_name name = {.s = text + start,
                                     .len = p - start,
                                     .before = look_back(text, start),
                                     .exp_off = (uint32_t)start};
            size_t q = p;
            while (q < len && is_space(text[q])) {
                q++;
            }
            name.after = q < len ? text[q] : '\0';
            if (!visit(&name, ctx)) {
                return;
            }
        } else if (c == '"' || c == '\'') {
            p = skip_literal(text, len, p);
        } else if (c >= '0' && c <= '9') {
            p = skip_number(text, len, p);
        } else {
            p++;
        }
    }
}

/* ---- declarations ---- */

static bool token_equals(const struct cmpd_tokens *toks, size_t i, const char *s, size_t len)
{
    const struct cmpd_token *t = &toks->items[i];
    return t->len == len && memcmp(toks->src->text + t->off, s, len) == 0;
}

static bool token_is_any(const struct cmpd_tokens *toks, size_t i, const char *const *words,
                         size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (cmpd_token_is(toks, i, words[k])) {
            return true;
        }
    }
    return false;
}

/* The token before i that stands in running text as i does, or i itself if it is the first. */
static size_t token_before(const struct cmpd_tokens *toks, size_t i)
{
    bool directive = (toks->items[i].ctx & CMPD_CTX_DIRECTIVE) != 0;
    for (size_t p = i; p-- > 0;) {
        if (directive || (toks->items[p].ctx & CMPD_CTX_DIRECTIVE) == 0) {
            return p;
        }
    }
    return i;
}

/* Does token i stand within parentheses that its statement has opened? Looks back over 64 tokens. */
static bool in_parentheses(const struct cmpd_tokens *toks, size_t i)
{
    static const char *const bounds[] = {";", "{", "}"};
    size_t closed = 0;
    for (size_t p = i; p-- > 0 && i - p < 64 && !token_is_any(toks, p, bounds, 3);) {
        if (cmpd_token_is(toks, p, ")")) {
            closed++;
        } else if (cmpd_token_is(toks, p, "(") && closed-- == 0) {
            return true;
        }
    }
    return false;
}

/* Does token i stand behind a '=' or a return of its statement? */
static bool behind_assignment(const struct cmpd_tokens *toks, size_t i)
{
    static const char *const bounds[] = {";", "{", "}"};
    for (size_t p = i; p-- > 0 && i - p < 64 && !token_is_any(toks, p, bounds, 3);) {
        if (cmpd_token_is(toks, p, "=") || cmpd_token_is(toks, p, "return")) {
            return true;
        }
    }
    return false;
}

/* Could token i, an identifier, be the name that a declaration introduces there? */
static bool may_declare(const struct cmpd_tokens *toks, size_t i)
{
    static const char *const joints[] = {"*", "&", "&&", ">", ">>", "~"};
    static const char *const values[] = {")", "]"};
    static const char *const lists[] = {",", "{", "["};
    bool called = i + 1 < toks->count && cmpd_token_is(toks, i + 1, "(");
    size_t p = token_before(toks, i);
    if (p == i) {
        return false;
    }
    size_t pp = token_before(toks, p);
    if (toks->items[p].kind == CMPD_TOK_IDENT) {
        return !is_statement_word(toks->src->text + toks->items[p].off, toks->items[p].len);
    }
    if (cmpd_token_is(toks, p, "::")) {
        return pp != p && toks->items[pp].kind == CMPD_TOK_IDENT && !cmpd_token_is(toks, pp, "std");
    }
    if (token_is_any(toks, p, lists, sizeof lists / sizeof *lists)) {
        bool typed = i + 1 < toks->count && toks->items[i + 1].kind == CMPD_TOK_IDENT;
        return !called && !typed && !in_parentheses(toks, i);
    }
    if (!token_is_any(toks, p, joints, sizeof joints / sizeof *joints) ||
        (called && (in_parentheses(toks, i) || behind_assignment(toks, i)))) {
        return false;
    }
    return toks->items[pp].kind != CMPD_TOK_NUMBER &&
           !token_is_any(toks, pp, values, sizeof values / sizeof *values);
}

struct declared_search {
    const char *name;
    size_t len;
    bool found;
};

static bool look_for_declaration(const struct cmpd_name *name, void *ctx)
{
    struct declared_search *s = ctx;
    s->found = name->before == CMPD_BEFORE_NAME && name->len == s->len &&
               memcmp(name->s, s->name, s->len) == 0;
    return !s->found;
}

/* A macro of the file may have put the declaration together (##). */
static bool declared_by_macro(const struct cmpd_api_use *use, const char *name, size_t len)
{
    struct declared_search s = {name, len, false};
    if (use->check->unit->use_count > 0) {
        cmpd_api_use_names(use, look_for_declaration, &s);
    }
    return s.found;
}

/* Is the token the name of a macro there, in a # line or in text? */
static bool is_macro_there(const struct cmpd_api_use *use, size_t i)
{
    const struct cmpd_token *t = &use->check->tokens->items[i];
    return (t->ctx & CMPD_CTX_DIRECTIVE) != 0 ||
           cmpd_unit_macro_at(use->check->unit, use->check->src->text + t->off, t->len, t->off) !=
               NULL;
}

static bool search_declaration(const struct cmpd_api_use *use, const char *name, size_t len)
{
    const struct cmpd_tokens *toks = use->check->tokens;
    if (toks->cut || use->check->unit->cut) {
        return true;
    }
    for (size_t i = 0; i < toks->count; i++) {
        if (toks->items[i].kind == CMPD_TOK_IDENT && token_equals(toks, i, name, len) &&
            may_declare(toks, i) && !(use->macros_apart && is_macro_there(use, i))) {
            return true;
        }
    }
    return declared_by_macro(use, name, len);
}

bool cmpd_api_use_declared(struct cmpd_api_use *use, const char *name, size_t len)
{
    for (size_t i = 0; i < use->asked_count; i++) {
        const struct cmpd_declared *d = &use->asked[i];
        if (d->len == len && memcmp(d->s, name, len) == 0) {
            return d->declared;
        }
    }
    if (use->asked_count == CMPD_DECLARED_CEILING) {
        return true;
    }
    bool declared = search_declaration(use, name, len);
    use->asked[use->asked_count++] = (struct cmpd_declared){name, len, declared};
    return declared;
}

/* ---- places ---- */

#define BODY_CTX (CMPD_CTX_KERNEL | CMPD_CTX_DEVICE | CMPD_CTX_HOST)

size_t cmpd_token_index(const struct cmpd_tokens *toks, uint32_t off)
{
    size_t lo = 0;
    size_t hi = toks->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (toks->items[mid].off + toks->items[mid].len <= off) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

bool cmpd_api_use_in_device(const struct cmpd_api_use *use, uint32_t off)
{
    const struct cmpd_tokens *toks = use->check->tokens;
    size_t at = cmpd_token_index(toks, off);
    return at < toks->count && (toks->items[at].ctx & (CMPD_CTX_KERNEL | CMPD_CTX_DEVICE)) != 0;
}

static bool is_directive(const struct cmpd_tokens *toks, size_t i)
{
    return (toks->items[i].ctx & CMPD_CTX_DIRECTIVE) != 0;
}

static bool in_body(const struct cmpd_tokens *toks, size_t i)
{
    return is_directive(toks, i) || (toks->items[i].ctx & BODY_CTX) != 0;
}

static size_t name_in_head(const struct cmpd_tokens *toks, const struct cmpd_function_body *b)
{
    static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "__align__",
                                             "alignas",           "decltype",      "noexcept",
                                             "__cluster_dims__"};
    for (size_t i = b->head; i + 1 < b->first; i++) {
        if (toks->items[i].kind == CMPD_TOK_IDENT && cmpd_token_is(toks, i + 1, "(") &&
            !token_is_any(toks, i, attributes, sizeof attributes / sizeof *attributes)) {
            return i;
        }
    }
    return b->first;
}

bool cmpd_function_body_at(const struct cmpd_tokens *toks, size_t at,
                           struct cmpd_function_body *out)
{
    if (at >= toks->count || (toks->items[at].ctx & BODY_CTX) == 0) {
        return false;
    }
    struct cmpd_function_body b = {.first = at, .end = at};
    while (b.first > 0 && in_body(toks, b.first - 1)) {
        b.first--;
    }
    while (b.end < toks->count && in_body(toks, b.end)) {
        b.end++;
    }
    b.head = b.first;
    while (b.head > 0 && !is_directive(toks, b.head - 1) && !cmpd_token_is(toks, b.head - 1, ";") &&
           !cmpd_token_is(toks, b.head - 1, "}")) {
        b.head--;
    }
    b.name = name_in_head(toks, &b);
    *out = b;
    return true;
}

bool cmpd_strings_hold(const struct cmpd_strings *list, const char *name, size_t len)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strlen(list->items[i]) == len && memcmp(list->items[i], name, len) == 0) {
            return true;
        }
    }
    return false;
}
