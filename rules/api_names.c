/*
 * api_unknown, api_removed, api_deprecated, api_denied: CUDA names against the lists in rules/api/.
 *
 * Catches: calls of misspelt or invented cuda*, cu*, __* and atomic* names that lie within two edits of
 * a real one, and types and constants of such names; names that the policy's toolkit or compute
 * capability no longer has (functions, texture references, members of cudaDeviceProp and
 * cudaPointerAttributes); deprecated calls; calls that the policy denies. Only text that is compiled
 * counts: `#if` branches that are not are left out, and a call inside a macro counts where the macro is
 * used.
 *
 * Misses: invented names that resemble nothing (nvcc decides); misspelt names in a file that includes a
 * header which is neither of the toolkit nor of the standard libraries; wrong arguments; members of a
 * struct reached through auto or through another struct.
 *
 * A name that the file may declare itself, as a macro in any branch or otherwise, is never judged.
 */
#include <string.h>

#include "rules/api/api_use.h"

#define MEMO_SLOTS         256 /* a power of two; a clash costs one more look-up */
#define PROP_NAMES_CEILING 64
#define SEARCHES_CEILING   1000 /* for near names in a file, about 1 ms each */

/* A name's row, kept since files repeat few names many times. */
struct memo {
    const char *s;
    size_t len;
    bool known;
    struct cmpd_api_entry entry; /* if known */
    bool called;                 /* in which role it was looked for */
    enum { NOT_LOOKED, NOT_OURS, NEAR } search;
    struct cmpd_api_entry near; /* if NEAR: the real name */
};

struct prop_name {
    const char *type;
    const char *s;
    size_t len;
};

struct state {
    struct cmpd_api_use *use;
    struct cmpd_check *check;
    struct memo *memo; /* MEMO_SLOTS, in the arena */
    struct prop_name props[PROP_NAMES_CEILING];
    size_t prop_count;
    size_t searches; /* for near names so far */
};

static bool starts_with(const struct cmpd_name *n, const char *prefix)
{
    size_t len = strlen(prefix);
    return n->len >= len && memcmp(n->s, prefix, len) == 0;
}

static bool is_word(const struct cmpd_name *n, const char *word)
{
    return n->len == strlen(word) && memcmp(n->s, word, n->len) == 0;
}

/* Could the lists say anything about it? */
static bool concerns_lists(const struct cmpd_name *n)
{
    switch (n->s[0]) {
    case 'c':
        return n->len > 2 && n->s[1] == 'u';
    case 'C':
        return starts_with(n, "CU");
    case '_':
        return starts_with(n, "__");
    case 'a':
        return starts_with(n, "atomic");
    case 't':
        return starts_with(n, "texture") || is_word(n, "this_multi_grid");
    case 's':
        return starts_with(n, "surface");
    case 'm':
        return is_word(n, "multi_grid_group");
    default:
        return false;
    }
}

static struct memo *look_up(struct state *st, const struct cmpd_name *n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n->len; i++) {
        hash = (hash ^ (unsigned char)n->s[i]) * 16777619u;
    }
    struct memo *m = &st->memo[hash & (MEMO_SLOTS - 1)];
    if (m->s == NULL || m->len != n->len || memcmp(m->s, n->s, n->len) != 0) {
        *m = (struct memo){.s = n->s, .len = n->len};
        m->known = cmpd_api_db_find(st->use->db, n->s, n->len, &m->entry);
    }
    return m;
}

static bool declared(struct state *st, const struct cmpd_name *n)
{
    return cmpd_api_use_declared(st->use, n->s, n->len);
}

static const char *hint_for(struct state *st, const struct cmpd_api_entry *e)
{
    return e->use_len > 0 ? cmpd_arena_printf(st->check->arena, "use %.*s", (int)e->use_len, e->use)
                          : NULL;
}

/* A local header may hold a stand-in for what the toolkit lacks; then the fault is likely, not certain. */
static enum cmpd_tier tier_of_absence(const struct state *st)
{
    return st->use->headers_local ? CMPD_TIER_REVIEW : CMPD_TIER_REJECT;
}

/* texture<...> and surface<...> are everyday words: only the template of that name is meant. */
static bool is_everyday_word(const struct cmpd_name *n)
{
    return (is_word(n, "texture") || is_word(n, "surface")) && n->after != '<';
}

static void report_removed(struct state *st, const struct cmpd_name *n,
                           const struct cmpd_api_entry *e)
{
    char removed[16];
    char here[16];
    if (n->before == CMPD_BEFORE_NAME || is_everyday_word(n) || declared(st, n)) {
        return;
    }
    struct cmpd_span at = cmpd_name_place(st->use, n);
    cmpd_api_version_text(cmpd_api_db_version(st->use->db), here);
    cmpd_api_version_text(e->removed, removed);
    if (e->arch != 0) {
        cmpd_report(st->check, CMPD_TAG_api_removed, tier_of_absence(st), at.off, at.end, NULL,
                    hint_for(st, e),
                    "%.*s does not exist from sm_%d on; the file is compiled for sm_%d",
                    (int)n->len, n->s, e->arch, st->use->sm);
    } else {
        cmpd_report(st->check, CMPD_TAG_api_removed, tier_of_absence(st), at.off, at.end, NULL,
                    hint_for(st, e),
                    "%.*s was removed in CUDA %s; the file is compiled with CUDA %s", (int)n->len,
                    n->s, removed, here);
    }
}

static void report_deprecated(struct state *st, const struct cmpd_name *n,
                              const struct cmpd_api_entry *e)
{
    char since[16];
    if (n->after != '(' || n->before == CMPD_BEFORE_NAME || declared(st, n)) {
        return;
    }
    struct cmpd_span at = cmpd_name_place(st->use, n);
    cmpd_api_version_text(e->deprecated, since);
    cmpd_report(st->check, CMPD_TAG_api_deprecated, CMPD_TIER_REVIEW, at.off, at.end, NULL,
                hint_for(st, e), "%.*s is deprecated since CUDA %s", (int)n->len, n->s, since);
}

static void report_later(struct state *st, const struct cmpd_name *n,
                         const struct cmpd_api_entry *e)
{
    char added[16];
    char here[16];
    if (n->after != '(' || n->before == CMPD_BEFORE_NAME || declared(st, n)) {
        return;
    }
    struct cmpd_span at = cmpd_name_place(st->use, n);
    cmpd_api_version_text(e->added, added);
    cmpd_api_version_text(cmpd_api_db_version(st->use->db), here);
    cmpd_report(st->check, CMPD_TAG_api_unknown, CMPD_TIER_REVIEW, at.off, at.end, NULL, NULL,
                "%.*s came with CUDA %s; the file is compiled with CUDA %s", (int)n->len, n->s,
                added, here);
}

static void judge_known(struct state *st, const struct cmpd_name *n, const struct cmpd_api_entry *e)
{
    switch (cmpd_api_db_status(st->use->db, e, st->use->sm)) {
    case CMPD_API_REMOVED:
        report_removed(st, n, e);
        break;
    case CMPD_API_DEPRECATED:
        report_deprecated(st, n, e);
        break;
    case CMPD_API_LATER:
        report_later(st, n, e);
        break;
    case CMPD_API_PRESENT:
        break;
    }
}

/* Is it used as a type or a constant, where CUDA's are long enough to be told from other names? */
static bool is_named(const struct cmpd_name *n)
{
    const char *next = n->s + n->len;
    next += strspn(next, " \t\r\n");
    bool ours = (starts_with(n, "cuda") && n->len >= 10) || (starts_with(n, "CU") && n->len >= 10);
    return ours && strchr("(<", *next) == NULL && strncmp(next, "::", 2) != 0;
}

static void report_unknown(struct state *st, const struct cmpd_name *n, struct cmpd_span at,
                           const struct cmpd_api_entry *near)
{
    char here[16];
    cmpd_api_version_text(cmpd_api_db_version(st->use->db), here);
    const char *hint = cmpd_arena_printf(st->check->arena, "did you mean %.*s?",
                                         (int)near->name_len, near->name);
    cmpd_report(st->check, CMPD_TAG_api_unknown, CMPD_TIER_REJECT, at.off, at.end, NULL, hint,
                "%.*s does not exist in CUDA %s and nothing in the file or its headers declares it",
                (int)n->len, n->s, here);
}

/* Looks for a real name near one that nothing declares; remembers what it found. */
static bool is_near_miss(struct state *st, const struct cmpd_name *n, struct memo *m)
{
    bool called = n->after == '(';
    if (m->search == NOT_LOOKED || m->called != called) {
        m->called = called;
        m->search = NOT_OURS;
        if (st->searches < SEARCHES_CEILING && !cmpd_api_db_foreign(st->use->db, n->s, n->len) &&
            !declared(st, n)) {
            st->searches++;
            m->search = cmpd_api_db_nearest(st->use->db, n->s, n->len,
                                            called ? CMPD_ROLE_CALLED : CMPD_ROLE_NAMED, &m->near)
                            ? NEAR
                            : NOT_OURS;
        }
    }
    return m->search == NEAR;
}

static void judge_unknown(struct state *st, const struct cmpd_name *n, struct memo *m)
{
    const struct cmpd_api_use *use = st->use;
    if ((n->after != '(' && !is_named(n)) || n->before != CMPD_BEFORE_OTHER ||
        !use->headers_known || !cmpd_api_db_covers(use->db)) {
        return;
    }
    struct cmpd_span at = cmpd_name_place(use, n);
    bool device_family = n->s[0] == '_' || n->s[0] == 'a';
    if ((!device_family || cmpd_api_use_in_device(use, at.off)) && is_near_miss(st, n, m)) {
        report_unknown(st, n, at, &m->near);
    }
}

/* ---- members that a struct has lost ---- */

static const char *const struct_types[] = {"cudaDeviceProp", "cudaPointerAttributes"};

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* n is the type's name; what follows up to ';', '(' or ')' are names declared with it: "T a, *b;", "vector<T> c". */
static void note_declared_with(struct state *st, const struct cmpd_name *n, const char *type)
{
    const char *p = n->s + n->len;
    while (st->prop_count < PROP_NAMES_CEILING && *p != '\0' && strchr(" \t\r\n*&>,", *p) != NULL) {
        while (*p != '\0' && strchr(" \t\r\n*&>,", *p) != NULL) {
            p++;
        }
        const char *start = p;
        while (is_name_byte(*p)) {
            p++;
        }
        if (p == start) {
            return;
        }
        st->props[st->prop_count++] = (struct prop_name){type, start, (size_t)(p - start)};
    }
}

/* The variable before "." or "->": "prop" in prop.x, props[i].x, f(0)->x. NULL if it is no plain name. */
static const char *owner_of(const char *text, const char *member, size_t *len)
{
    const char *p = member;
    while (p > text && strchr(" \t\r\n.->", p[-1]) != NULL) {
        p--;
    }
    if (p > text && (p[-1] == ']' || p[-1] == ')')) {
        int depth = 0;
        do {
            p--;
            depth += *p == ']' || *p == ')';
            depth -= *p == '[' || *p == '(';
        } while (p > text && depth > 0);
    }
    const char *end = p;
    while (p > text && is_name_byte(p[-1])) {
        p--;
    }
    *len = (size_t)(end - p);
    return p < end ? p : NULL;
}

static void judge_member(struct state *st, const struct cmpd_name *n)
{
    size_t len;
    const char *owner = owner_of(st->check->unit->text, n->s, &len);
    char member[48];
    if (owner == NULL || n->len >= sizeof member) {
        return;
    }
    memcpy(member, n->s, n->len);
    member[n->len] = '\0';
    for (size_t i = 0; i < st->prop_count; i++) {
        struct cmpd_api_entry gone;
        const struct prop_name *p = &st->props[i];
        if (p->len != len || memcmp(p->s, owner, len) != 0 ||
            !cmpd_api_db_gone_member(st->use->db, p->type, member, &gone)) {
            continue;
        }
        char removed[16];
        char here[16];
        struct cmpd_span at = cmpd_name_place(st->use, n);
        cmpd_api_version_text(gone.removed, removed);
        cmpd_api_version_text(cmpd_api_db_version(st->use->db), here);
        cmpd_report(st->check, CMPD_TAG_api_removed, CMPD_TIER_REJECT, at.off, at.end, NULL,
                    hint_for(st, &gone),
                    "%s has no member %s since CUDA %s; the file is compiled with CUDA %s", p->type,
                    member, removed, here);
        return;
    }
}

/* ---- the walk ---- */

static bool is_used(const struct cmpd_name *n)
{
    return n->before != CMPD_BEFORE_NAME && n->before != CMPD_BEFORE_MEMBER;
}

static void judge_denied(struct state *st, const struct cmpd_name *n)
{
    struct cmpd_span at = cmpd_name_place(st->use, n);
    cmpd_report(st->check, CMPD_TAG_api_denied, CMPD_TIER_REVIEW, at.off, at.end, NULL,
                "take it out, or have the policy's api.deny list changed", "the policy denies %.*s",
                (int)n->len, n->s);
}

static bool judge_name(const struct cmpd_name *n, void *ctx)
{
    struct state *st = ctx;
    const struct cmpd_policy *policy = st->check->policy;
    if (policy->api_deny.count > 0 && is_used(n) &&
        cmpd_strings_hold(&policy->api_deny, n->s, n->len)) {
        judge_denied(st, n);
        return true;
    }
    if (n->before == CMPD_BEFORE_MEMBER) {
        if (st->prop_count > 0) {
            judge_member(st, n);
        }
        return true;
    }
    if (!concerns_lists(n) || n->before == CMPD_BEFORE_SCOPE) {
        return true;
    }
    for (size_t i = 0; i < sizeof struct_types / sizeof *struct_types; i++) {
        if (is_word(n, struct_types[i])) {
            note_declared_with(st, n, struct_types[i]);
            return true;
        }
    }
    if (cmpd_strings_hold(&policy->api_allow, n->s, n->len) ||
        cmpd_strings_hold(&policy->exempt, n->s, n->len)) {
        return true;
    }
    struct memo *m = look_up(st, n);
    if (m->known) {
        judge_known(st, n, &m->entry);
    } else {
        judge_unknown(st, n, m);
    }
    return true;
}

static void run(struct cmpd_check *check)
{
    struct cmpd_api_use use;
    struct cmpd_err err = {0};
    cmpd_api_use_init(&use, check, &err);
    if (use.db == NULL) {
        cmpd_report(check, CMPD_TAG_api_unknown, CMPD_TIER_REVIEW, 0, 0, NULL,
                    "`cmpd doctor` says where the data files are looked for",
                    "no name was checked, since the API lists can't be read: %s", err.msg);
    } else {
        struct state st = {.use = &use,
                           .check = check,
                           .memo = CMPD_ARENA_ARRAY(check->arena, struct memo, MEMO_SLOTS)};
        cmpd_api_use_names(&use, judge_name, &st);
    }
    cmpd_api_use_clear(&use);
}

/* No `possible`: the policy may deny any name. */
const struct cmpd_rule cmpd_rule_api_names = {.name = "api", .layer = CMPD_LAYER_LEX, .run = run};
