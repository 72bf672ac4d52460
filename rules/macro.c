/*
 * macro_undef: a macro whose meaning changes under those who use it.
 *
 * Catches: a macro of the standard headers, the toolkit or the compiler that is undefined, or redefined
 * with another value and not under a test of that name; a macro of the file that is used after its
 * #undef, directly, in an #if or through another macro, where nothing else can have that name; a macro
 * that is redefined with another value while code that works together (one calls, launches or reads the
 * other, it is one function, or a third one uses both and the second value stays) uses both values. Two values that an #undef parts are a note otherwise.
 *
 * Misses: macros of headers that are not the toolkit's or the standard libraries'; values that differ in
 * looks alone are taken as different, but for the constants of math.h.
 *
 * Fine: names that other libraries or toolkits only test (NDEBUG, __CUDA_NO_HALF_OPERATORS__); X-macros
 * and other function-like macros that are undefined and defined anew; one constant a section, as long as
 * the sections have nothing to do with each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/api/api_use.h"

#define GONE_CEILING   128    /* #undef'ed names that are followed */
#define PAIRS_CEILING  200    /* pairs of uses that are compared in a file */
#define OTHERS_CEILING 1000   /* macros of others that are reported on in a file */
#define COMMON_CEILING 100000 /* tokens of a file in which common users are looked for */

static bool names_equal(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(s, word, len) == 0;
}

/* ---- macros of others ---- */

static bool is_included(const struct cmpd_unit *unit, uint32_t before, const char *header)
{
    for (size_t i = 0; i < unit->directive_count; i++) {
        const struct cmpd_directive *d = &unit->directives[i];
        if (d->kind == CMPD_DIR_INCLUDE && d->active && d->off < before &&
            names_equal(unit->src->text + d->name_off, d->name_len, header)) {
            return true;
        }
    }
    return false;
}

/* Headers that bring a macro which not every CUDA file has. */
struct bringer {
    const char *prefix;
    const char *headers[4]; /* none: the compiler itself */
};

static const struct bringer bringers[] = {
    {"FLT_", {"cfloat", "float.h"}},
    {"DBL_", {"cfloat", "float.h"}},
    {"LDBL_", {"cfloat", "float.h"}},
    {"INT8_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"INT16_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"INT32_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"INT64_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"UINT8_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"UINT16_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"UINT32_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"UINT64_", {"cstdint", "stdint.h", "cinttypes", "inttypes.h"}},
    {"SIZE_MAX", {"cstdint", "stdint.h"}},
    {"errno", {"cerrno", "errno.h"}},
    {"CUDART_", {"math_constants.h"}},
    {"CUDA_VERSION", {"cuda.h"}},
    {"CU_", {"cuda.h"}},
    {"__", {NULL}},
};

static bool is_brought(const struct cmpd_unit *unit, uint32_t before, const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof bringers / sizeof *bringers; i++) {
        const struct bringer *b = &bringers[i];
        size_t n = strlen(b->prefix);
        if (len < n || memcmp(name, b->prefix, n) != 0) {
            continue;
        }
        for (size_t h = 0; h < 4 && b->headers[h] != NULL; h++) {
            if (is_included(unit, before, b->headers[h])) {
                return true;
            }
        }
        return b->headers[0] == NULL;
    }
    return false;
}

static bool is_of_others(const struct cmpd_api_use *use, uint32_t before, const char *name,
                         size_t len)
{
    struct cmpd_api_entry e;
    if (!cmpd_api_db_find(use->db, name, len, &e)) {
        return false;
    }
    return e.kind == CMPD_API_BASE_MACRO ||
           ((e.kind == CMPD_API_MACRO || e.kind == CMPD_API_STD_MACRO) &&
            is_brought(use->check->unit, before, name, len));
}

/* ---- #if groups ---- */

static bool starts_with_word(const struct cmpd_unit *unit, const struct cmpd_directive *d,
                             const char *word)
{
    const char *p = unit->src->text + d->off;
    const char *end = p + d->len;
    while (p < end && (*p == '#' || *p == ' ' || *p == '\t')) {
        p++;
    }
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool mentions(const struct cmpd_unit *unit, const struct cmpd_directive *d, const char *name,
                     size_t len)
{
    const char *begin = unit->src->text + d->off;
    const char *end = begin + d->len;
    for (const char *p = begin; (p = memmem(p, (size_t)(end - p), name, len)) != NULL; p++) {
        if ((p == begin || !is_name_byte(p[-1])) && (p + len == end || !is_name_byte(p[len]))) {
            return true;
        }
    }
    return false;
}

/* Does directive `at` stand in an #if group one of whose conditions is about the name? */
static bool is_under_test(const struct cmpd_unit *unit, size_t at, const char *name, size_t len)
{
    size_t inner = 0;
    for (size_t i = at; i-- > 0;) {
        const struct cmpd_directive *d = &unit->directives[i];
        if (d->kind != CMPD_DIR_IF) {
            continue;
        }
        if (starts_with_word(unit, d, "endif")) {
            inner++;
        } else if (inner == 0 && mentions(unit, d, name, len)) {
            return true;
        } else if (inner > 0 && starts_with_word(unit, d, "if")) {
            inner--;
        }
    }
    return false;
}

/* ---- redefinition of others' macros ---- */

/* Constants of math.h: who writes the same number again changes nothing. */
static bool is_same_constant(const char *name, size_t len, const char *body)
{
    static const struct {
        const char *name;
        double value;
    } known[] = {
        {"M_E", M_E},
        {"M_LOG2E", M_LOG2E},
        {"M_LOG10E", M_LOG10E},
        {"M_LN2", M_LN2},
        {"M_LN10", M_LN10},
        {"M_PI", M_PI},
        {"M_PI_2", M_PI_2},
        {"M_PI_4", M_PI_4},
        {"M_1_PI", M_1_PI},
        {"M_2_PI", M_2_PI},
        {"M_SQRT2", M_SQRT2},
        {"M_SQRT1_2", M_SQRT1_2},
        {"M_2_SQRTPI", M_2_SQRTPI},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (names_equal(name, len, known[i].name)) {
            double given = strtod(body + strspn(body, "( \t"), NULL);
            return fabs(given - known[i].value) <= 1e-6 * known[i].value;
        }
    }
    return false;
}

static void report_others(const struct cmpd_api_use *use, const struct cmpd_directive *d,
                          const char *what)
{
    const char *name = use->check->unit->src->text + d->name_off;
    cmpd_report(
        use->check, CMPD_TAG_macro_undef, CMPD_TIER_REVIEW, d->name_off, d->name_off + d->name_len,
        NULL, "leave it alone and give your own macro a name of its own",
        "%.*s is a macro of the standard headers, the toolkit or the compiler, and is %s here",
        (int)d->name_len, name, what);
}

/* Is the directive about a macro of others? */
static bool judge_directive(const struct cmpd_api_use *use, size_t at)
{
    const struct cmpd_unit *unit = use->check->unit;
    const struct cmpd_directive *d = &unit->directives[at];
    const char *name = unit->src->text + d->name_off;
    if (!d->active || d->name_len == 0 || !is_of_others(use, d->off, name, d->name_len)) {
        return false;
    }
    bool own = d->macro != NULL && !d->macro->predefined;
    if (d->kind == CMPD_DIR_UNDEF && !own) {
        report_others(use, d, "undefined");
    }
    if (d->kind == CMPD_DIR_DEFINE && !is_under_test(unit, at, name, d->name_len) &&
        !(d->macro != NULL &&
          (is_same_constant(name, d->name_len, d->macro->body) ||
           (d->macro->redefines != NULL && !d->macro->redefines->predefined)))) {
        report_others(use, d, "redefined");
    }
    return true;
}

static void judge_others(const struct cmpd_api_use *use)
{
    const struct cmpd_unit *unit = use->check->unit;
    size_t seen = 0;
    for (size_t i = 0; i < unit->directive_count && seen < OTHERS_CEILING; i++) {
        const struct cmpd_directive *d = &unit->directives[i];
        if (d->kind == CMPD_DIR_DEFINE || d->kind == CMPD_DIR_UNDEF) {
            seen += judge_directive(use, i);
        }
    }
}

/* ---- use after #undef ---- */

struct gone {
    const struct cmpd_macro *macro;
    size_t len;
    bool settled; /* reported, or known to be something else as well */
};

struct gone_list {
    struct cmpd_api_use *use;
    struct gone items[GONE_CEILING];
    size_t count;
};

static void collect_gone(struct gone_list *list)
{
    const struct cmpd_unit *unit = list->use->check->unit;
    for (size_t i = 0; i < unit->macro_count && list->count < GONE_CEILING; i++) {
        const struct cmpd_macro *m = unit->macros[i];
        if (!m->predefined && m->undef_off != UINT32_MAX) {
            list->items[list->count++] = (struct gone){m, strlen(m->name), false};
        }
    }
}

/* Could the name be an enumerator of the file? Those have no type before them. */
static bool may_be_enumerator(const struct cmpd_tokens *toks, const char *name)
{
    for (size_t i = 1; i < toks->count; i++) {
        if (!cmpd_token_is(toks, i, name) ||
            (!cmpd_token_is(toks, i - 1, "{") && !cmpd_token_is(toks, i - 1, ","))) {
            continue;
        }
        size_t open = i - 1;
        while (open > 0 && i - open < 200 && !cmpd_token_is(toks, open, "{")) {
            open--;
        }
        for (size_t k = 1; k <= 5 && k <= open; k++) {
            if (cmpd_token_is(toks, open - k, "enum")) {
                return true;
            }
        }
    }
    return false;
}

/* A type of the standard headers that a macro had hidden: behind the #undef it is there again. */
static bool is_standard_type(const struct cmpd_name *n)
{
    return n->len > 2 && memcmp(n->s + n->len - 2, "_t", 2) == 0;
}

static bool has_capital(const struct cmpd_name *n)
{
    for (size_t i = 0; i < n->len; i++) {
        if (n->s[i] >= 'A' && n->s[i] <= 'Z') {
            return true;
        }
    }
    return false;
}

/* May the name mean something else once the macro is gone? An unknown header may declare anything. */
static bool is_otherwise_known(struct cmpd_api_use *use, const struct cmpd_name *n,
                               const char *name)
{
    struct cmpd_api_entry e;
    return !use->headers_known || is_standard_type(n) || (use->using_std && !has_capital(n)) ||
           cmpd_api_db_find(use->db, n->s, n->len, &e) ||
           cmpd_api_use_declared(use, n->s, n->len) || may_be_enumerator(use->check->tokens, name);
}

static bool judge_late_use(const struct cmpd_name *n, void *ctx)
{
    struct gone_list *list = ctx;
    if (n->before != CMPD_BEFORE_OTHER) {
        return true;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct gone *g = &list->items[i];
        if (g->settled || g->len != n->len || memcmp(g->macro->name, n->s, n->len) != 0 ||
            (g->macro->function_like && n->after != '(')) {
            continue;
        }
        struct cmpd_span at = cmpd_name_place(list->use, n);
        if (at.off < g->macro->undef_off ||
            cmpd_unit_macro_at(list->use->check->unit, n->s, n->len, at.off) != NULL) {
            continue;
        }
        g->settled = true;
        if (is_otherwise_known(list->use, n, g->macro->name)) {
            continue;
        }
        uint32_t line = cmpd_source_pos(list->use->check->src, g->macro->undef_off).line;
        cmpd_report(list->use->check, CMPD_TAG_macro_undef, CMPD_TIER_REVIEW, at.off, at.end, NULL,
                    "move the #undef behind the last use",
                    "%s is used here, but line %u undefined it", g->macro->name, line);
        break;
    }
    return true;
}

/* Does the #if want the name's value, without asking whether it is defined? */
static bool wants_value(const struct cmpd_unit *unit, const struct cmpd_directive *d,
                        const char *name, size_t len)
{
    return d->kind == CMPD_DIR_IF && d->active && !starts_with_word(unit, d, "ifdef") &&
           !starts_with_word(unit, d, "ifndef") && mentions(unit, d, name, len) &&
           !mentions(unit, d, "defined", strlen("defined"));
}

/* `#if X` behind the #undef of X: 0, whatever X was. Another file can't define it between the two. */
static void judge_late_tests(struct gone_list *list)
{
    struct cmpd_api_use *use = list->use;
    const struct cmpd_unit *unit = use->check->unit;
    for (size_t i = 0; i < unit->directive_count && use->headers_known; i++) {
        const struct cmpd_directive *d = &unit->directives[i];
        for (size_t k = 0; k < list->count; k++) {
            struct gone *g = &list->items[k];
            const char *name = g->macro->name;
            if (g->settled || d->off < g->macro->undef_off || !wants_value(unit, d, name, g->len) ||
                cmpd_unit_macro_at(unit, name, g->len, d->off) != NULL) {
                continue;
            }
            g->settled = true;
            uint32_t line = cmpd_source_pos(use->check->src, g->macro->undef_off).line;
            cmpd_report(use->check, CMPD_TAG_macro_undef, CMPD_TIER_REVIEW, d->off, d->off + d->len,
                        NULL, "move the #undef behind the last use",
                        "%s counts as 0 in this condition, since line %u undefined it", name, line);
        }
    }
}

static void judge_late_uses(struct cmpd_api_use *use)
{
    struct gone_list list = {.use = use};
    collect_gone(&list);
    if (list.count > 0) {
        judge_late_tests(&list);
        cmpd_api_use_names(use, judge_late_use, &list);
    }
}

/* ---- two values of one name ---- */

static bool same_text(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, " \t\r\n");
        b += strspn(b, " \t\r\n");
        if (*a != *b) {
            return false;
        }
        if (*a == '\0') {
            return true;
        }
        a++;
        b++;
    }
}

static bool body_names(const struct cmpd_tokens *toks, const struct cmpd_function_body *body,
                       size_t name_token)
{
    const struct cmpd_token *name = &toks->items[name_token];
    for (size_t i = body->first; i < body->end; i++) {
        const struct cmpd_token *t = &toks->items[i];
        if (t->kind == CMPD_TOK_IDENT && t->len == name->len &&
            memcmp(toks->src->text + t->off, toks->src->text + name->off, t->len) == 0) {
            return true;
        }
    }
    return false;
}

/* Where a macro is used: in a function's body, or in the declaration of an array or a constant outside. */
struct site {
    bool in_body;
    struct cmpd_function_body body;
    size_t
        name; /* token of the function's or the variable's name; the number of tokens if there is none */
};

static struct site site_of(const struct cmpd_tokens *toks, uint32_t off)
{
    struct site s = {.name = toks->count};
    size_t at = cmpd_token_index(toks, off);
    if (cmpd_function_body_at(toks, at, &s.body)) {
        s.in_body = true;
        s.name = s.body.name < s.body.first ? s.body.name : toks->count;
        return s;
    }
    for (size_t i = at; i-- > 1 && at - i < 32 && !cmpd_token_is(toks, i, ";");) {
        bool declarator = cmpd_token_is(toks, i, "[") || cmpd_token_is(toks, i, "=");
        if (declarator && toks->items[i - 1].kind == CMPD_TOK_IDENT) {
            s.name = i - 1;
            break;
        }
    }
    return s;
}

/* Do the two uses stand in one function, or in two declarations of which one names the other? */
static bool work_together(const struct cmpd_tokens *toks, uint32_t a, uint32_t b)
{
    struct site sa = site_of(toks, a);
    struct site sb = site_of(toks, b);
    if (sa.in_body && sb.in_body && sa.body.first == sb.body.first) {
        return true;
    }
    return (sa.in_body && sb.name < toks->count && body_names(toks, &sa.body, sb.name)) ||
           (sb.in_body && sa.name < toks->count && body_names(toks, &sb.body, sa.name));
}

/* Does a third function name the functions of both uses: calls or launches both? */
static bool have_common_user(const struct cmpd_tokens *toks, uint32_t a, uint32_t b)
{
    struct site sa = site_of(toks, a);
    struct site sb = site_of(toks, b);
    if (sa.name >= toks->count || sb.name >= toks->count) {
        return false;
    }
    for (size_t i = 0; i < toks->count && toks->count < COMMON_CEILING; i++) {
        struct cmpd_function_body f;
        if (!cmpd_function_body_at(toks, i, &f)) {
            continue;
        }
        if (body_names(toks, &f, sa.name) && body_names(toks, &f, sb.name)) {
            return true;
        }
        i = f.end;
    }
    return false;
}

/* The file's macro uses, those of one macro together. */
struct uses {
    const struct cmpd_macro_use **items; /* in the arena */
    size_t count;
    size_t budget; /* pairs of uses that may still be compared */
};

static int by_macro(const void *a, const void *b)
{
    const struct cmpd_macro_use *const *ua = a;
    const struct cmpd_macro_use *const *ub = b;
    if ((*ua)->macro != (*ub)->macro) {
        return (*ua)->macro->def_off < (*ub)->macro->def_off ? -1 : 1;
    }
    return ((*ua)->off > (*ub)->off) - ((*ua)->off < (*ub)->off);
}

static void sort_uses(const struct cmpd_check *check, struct uses *uses)
{
    const struct cmpd_unit *unit = check->unit;
    uses->items = CMPD_ARENA_ARRAY(check->arena, const struct cmpd_macro_use *,
                                   unit->use_count + 1);
    uses->count = unit->use_count;
    uses->budget = PAIRS_CEILING;
    for (size_t i = 0; i < unit->use_count; i++) {
        uses->items[i] = &unit->uses[i];
    }
    qsort(uses->items, uses->count, sizeof *uses->items, by_macro);
}

/* Index of the macro's first use; count if it has none. */
static size_t first_use(const struct uses *uses, const struct cmpd_macro *m)
{
    size_t lo = 0;
    size_t hi = uses->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (uses->items[mid]->macro->def_off < m->def_off) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < uses->count && uses->items[lo]->macro == m ? lo : uses->count;
}

typedef bool (*together_fn)(const struct cmpd_tokens *toks, uint32_t a, uint32_t b);

static bool uses_meet(const struct cmpd_check *check, struct uses *uses,
                      const struct cmpd_macro *first, const struct cmpd_macro *second,
                      together_fn together)
{
    size_t from = first_use(uses, second);
    for (size_t i = first_use(uses, first); i < uses->count && uses->items[i]->macro == first;
         i++) {
        for (size_t k = from; k < uses->count && uses->items[k]->macro == second; k++) {
            if (uses->budget == 0) {
                return false;
            }
            uses->budget--;
            if (together(check->tokens, uses->items[i]->off, uses->items[k]->off)) {
                return true;
            }
        }
    }
    return false;
}

static void judge_redefinition(struct cmpd_check *check, struct uses *uses,
                               const struct cmpd_macro *m)
{
    const struct cmpd_macro *old = m->redefines;
    if (old == NULL || old->predefined || m->predefined || old->use_count == 0 ||
        m->use_count == 0 || same_text(old->body, m->body)) {
        return;
    }
    bool undone = old->undef_off != UINT32_MAX;
    if (undone && (old->function_like || m->function_like)) {
        return;
    }
    /* A value that is undefined again behind its section was meant for that section alone. */
    bool stays = m->undef_off == UINT32_MAX;
    bool meet = uses_meet(check, uses, old, m, work_together) ||
                (stays && uses_meet(check, uses, old, m, have_common_user));
    uint32_t line = cmpd_source_pos(check->src, old->def_off).line;
    cmpd_report(check, CMPD_TAG_macro_undef, meet || !undone ? CMPD_TIER_REVIEW : CMPD_TIER_NOTE,
                m->def_off, m->def_off + (uint32_t)strlen(m->name), NULL,
                "give the second value a name of its own",
                "%s is redefined from `%.40s` (line %u) to `%.40s`%s", m->name, old->body, line,
                m->body, meet ? ", and code that works together uses both" : "");
}

static void run(struct cmpd_check *check)
{
    struct cmpd_api_use use;
    cmpd_api_use_init(&use, check, NULL);
    use.macros_apart = true;
    if (use.db != NULL && !check->unit->cut) {
        judge_others(&use);
        judge_late_uses(&use);
        struct uses uses;
        sort_uses(check, &uses);
        for (size_t i = 0; i < check->unit->macro_count; i++) {
            judge_redefinition(check, &uses, check->unit->macros[i]);
        }
    }
    cmpd_api_use_clear(&use);
}

static bool possible(const struct cmpd_scan *scan)
{
    return scan->count[CMPD_SCAN_DEFINE] > 0 || scan->count[CMPD_SCAN_UNDEF] > 0;
}

const struct cmpd_rule cmpd_rule_macro = {
    .name = "macro", .layer = CMPD_LAYER_LEX, .possible = possible, .run = run};
