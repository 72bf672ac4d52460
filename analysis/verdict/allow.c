/* `cmpd:` remarks in comments: allow TAG[, TAG]: why, and op=NAME. */
#include <ctype.h>
#include <string.h>

#include "analysis/base/nearest.h"
#include "analysis/verdict/report.h"

struct reader {
    const struct cmpd_tokens *toks;
    struct cmpd_arena *arena;
    struct cmpd_remarks *out;
};

/* A vector in the arena: doubles by copying; the old half is given up. */
#define PUSH(arena, items, count, cap, value)                          \
    do {                                                               \
        if ((count) == (cap)) {                                        \
            size_t cap_ = (cap) ? (cap)*2 : 8;                         \
            void *old_ = (items);                                      \
            (items) = cmpd_arena_alloc((arena), sizeof *(items)*cap_); \
            if (old_)                                                  \
                memcpy((items), old_, sizeof *(items) * (count));      \
            (cap) = cap_;                                              \
        }                                                              \
        (items)[(count)++] = (value);                                  \
    } while (0)

struct span {
    const char *at, *end;
};

static void skip_space(struct span *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        s->at++;
}

static bool take_word(struct span *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

static size_t name_length(const struct span *s)
{
    const char *p = s->at;
    while (p < s->end && (isalnum((unsigned char)*p) || *p == '_' || *p == ':'))
        p++;
    while (p > s->at && p[-1] == ':')
        p--;
    return (size_t)(p - s->at);
}

/* The comment's text without its delimiters. */
static struct span inside(const struct reader *rd, const struct cmpd_comment *c)
{
    struct span s = {rd->toks->src->text + c->off, rd->toks->src->text + c->off + c->len};
    if (take_word(&s, "//")) {
        while (s.at < s.end && (*s.at == '/' || *s.at == '!'))
            s.at++;
    } else if (take_word(&s, "/*")) {
        while (s.at < s.end && (*s.at == '*' || *s.at == '!'))
            s.at++;
        if (s.end - s.at >= 2 && s.end[-1] == '/' && s.end[-2] == '*')
            s.end -= 2;
    }
    while (s.end > s.at && isspace((unsigned char)s.end[-1]))
        s.end--;
    skip_space(&s);
    return s;
}

static void add_fault(struct reader *rd, const struct cmpd_comment *c, const char *what)
{
    struct cmpd_remark_fault f = {c->off, c->off + c->len, what};
    PUSH(rd->arena, rd->out->faults, rd->out->fault_count, rd->out->fault_cap, f);
}

static void unknown_tag(struct reader *rd, const struct cmpd_comment *c, const char *name)
{
    const char *names[CMPD_TAG_COUNT];
    for (int i = 0; i < CMPD_TAG_COUNT; i++)
        names[i] = cmpd_tag_info((enum cmpd_tag)i)->name;
    const char *near = cmpd_nearest(name, names, CMPD_TAG_COUNT);
    const char *what =
        near ? cmpd_arena_printf(rd->arena,
                                 "this comment allows an unknown tag '%.64s'; did you mean '%s'?",
                                 name, near)
             : cmpd_arena_printf(rd->arena, "this comment allows an unknown tag '%.64s'", name);
    add_fault(rd, c, what);
}

/* The lines that a comment speaks for: its own, and if it stands alone the next line that holds code. */
static void covered_lines(const struct reader *rd, const struct cmpd_comment *c,
                          struct cmpd_allow *allow)
{
    const struct cmpd_source *src = rd->toks->src;
    allow->first_line = cmpd_source_pos(src, c->off).line;
    allow->last_line = cmpd_source_pos(src, c->off + (c->len ? c->len - 1 : 0)).line;
    if (!c->own_line)
        return;
    size_t next = cmpd_token_at(rd->toks, c->off + c->len);
    if (next < rd->toks->count)
        allow->last_line = cmpd_source_pos(src, rd->toks->items[next].off).line;
}

static void read_allow(struct reader *rd, const struct cmpd_comment *c, struct span s)
{
    struct cmpd_allow allow = {0};
    size_t first = rd->out->allow_count;
    covered_lines(rd, c, &allow);
    do {
        skip_space(&s);
        size_t n = name_length(&s);
        char *name = cmpd_arena_strndup(rd->arena, s.at, n);
        s.at += n;
        if (n == 0)
            add_fault(rd, c, "this comment allows nothing: name a reason tag behind 'allow'");
        else if (!cmpd_tag_find(name, &allow.tag))
            unknown_tag(rd, c, name);
        else
            PUSH(rd->arena, rd->out->allows, rd->out->allow_count, rd->out->allow_cap, allow);
        skip_space(&s);
    } while (take_word(&s, ","));
    take_word(&s, ":");
    skip_space(&s);
    if (s.at == s.end)
        return;
    const char *why = cmpd_arena_strndup(rd->arena, s.at, (size_t)(s.end - s.at));
    for (size_t i = first; i < rd->out->allow_count; i++)
        rd->out->allows[i].why = why;
}

static void read_comment(struct reader *rd, const struct cmpd_comment *c)
{
    struct span s = inside(rd, c);
    if (!take_word(&s, "cmpd:"))
        return;
    skip_space(&s);
    if (take_word(&s, "allow")) {
        if (s.at < s.end && !isspace((unsigned char)*s.at) && *s.at != ':')
            return;
        read_allow(rd, c, s);
        return;
    }
    if (!take_word(&s, "op"))
        return;
    skip_space(&s);
    if (!take_word(&s, "="))
        return;
    skip_space(&s);
    size_t n = name_length(&s);
    if (n && !rd->out->op)
        rd->out->op = cmpd_arena_strndup(rd->arena, s.at, n);
}

void cmpd_remarks_read(const struct cmpd_tokens *toks, struct cmpd_arena *arena,
                       struct cmpd_remarks *out)
{
    struct reader rd = {toks, arena, out};
    for (size_t i = 0; i < toks->comment_count && !arena->exhausted; i++)
        read_comment(&rd, &toks->comments[i]);
}

const struct cmpd_allow *cmpd_remarks_allow(const struct cmpd_remarks *r, enum cmpd_tag tag,
                                            uint32_t line)
{
    for (size_t i = 0; i < r->allow_count; i++) {
        const struct cmpd_allow *a = &r->allows[i];
        if (a->tag == tag && a->first_line <= line && line <= a->last_line)
            return a;
    }
    return NULL;
}
