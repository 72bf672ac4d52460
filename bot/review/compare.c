/* A file at head held against the merge base: what is old, what the change allows itself, what is shown. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/review/review.h"

/* One side as the comparison needs it. `lines` is of the head side alone. */
struct side {
    struct cmpd_arena arena;
    const struct cmpd_source *src;
    struct cmpd_tokens *tokens;
    struct cmpd_report_state report; /* functions and remarks */
    const struct cmpd_git_lines *lines;
    bool odd_line_ends; /* a CR alone ends a line for us, not for git */
};

static bool has_lone_cr(const struct cmpd_source *src)
{
    for (const char *p = src->text; (p = memchr(p, '\r', src->len - (size_t)(p - src->text)));
         p++) {
        if (p[1] != '\n')
            return true;
    }
    return false;
}

static void read_side(struct side *s, const struct cmpd_source *src,
                      const struct cmpd_git_lines *lines)
{
    *s = (struct side){.src = src, .lines = lines, .odd_line_ends = has_lone_cr(src)};
    s->tokens = cmpd_lex(src, &s->arena);
    cmpd_report_state_init(&s->report, s->tokens, &s->arena);
}

/* The line as git counts it. */
static uint32_t git_line(const struct side *s, uint32_t line)
{
    uint32_t n = 1;

    if (!s->odd_line_ends || line == 0 || line > s->src->line_count)
        return line;
    for (uint32_t i = 0; i < s->src->line_start[line - 1]; i++)
        n += s->src->text[i] == '\n';
    return n;
}

static uint32_t line_of(const struct side *s, uint32_t off)
{
    return cmpd_source_pos(s->src, off).line;
}

static bool ends_something(const struct side *s, size_t i)
{
    const struct cmpd_token *t = &s->tokens->items[i];
    return (t->ctx & CMPD_CTX_DIRECTIVE) ||
           (t->kind == CMPD_TOK_PUNCT && t->len == 1 && strchr(";{}", s->src->text[t->off]));
}

/* The first token of the definition whose body begins at `first`: qualifiers and template head belong to it. */
static size_t head_of(const struct side *s, size_t first)
{
    size_t i = first ? first - 1 : 0; /* the opening brace */
    while (i > 0 && !ends_something(s, i - 1))
        i--;
    return i;
}

static bool lines_touched(const struct side *s, uint32_t from, uint32_t to)
{
    return cmpd_git_lines_touch(s->lines, git_line(s, from), git_line(s, to));
}

/* A function's text, from its head to its closing brace. */
struct function {
    const char *name, *text;
    size_t len;
};

/* The body's closing brace: the first one with as many braces open before it as before the body's first token. */
static size_t closing_brace(const struct side *s, const struct cmpd_body *body)
{
    const struct cmpd_token *items = s->tokens->items;

    for (size_t i = body->first; i <= body->end && i < s->tokens->count; i++) {
        if (items[i].depth == items[body->first].depth && cmpd_token_is(s->tokens, i, "}"))
            return i;
    }
    return body->end ? body->end - 1 : 0;
}

static struct function function_of(const struct side *s, const struct cmpd_body *body)
{
    const struct cmpd_token *from = &s->tokens->items[head_of(s, body->first)];
    const struct cmpd_token *to = &s->tokens->items[closing_brace(s, body)];
    return (struct function){body->name, s->src->text + from->off, to->off + to->len - from->off};
}

static bool base_has(const struct side *base, const struct function *f)
{
    for (size_t i = 0; base && i < base->report.body_count; i++) {
        struct function b = function_of(base, &base->report.bodies[i]);
        if (b.len == f->len && strcmp(b.name, f->name) == 0 && memcmp(b.text, f->text, f->len) == 0)
            return true;
    }
    return false;
}

/*
 * Did the change touch the function that the finding stands in, or where there is none, its own lines? Functions are
 * compared by their text: where new ones look like old ones, a diff may pair their lines in ways that nobody meant.
 */
static bool touched(const struct side *s, const struct side *base, const struct cmpd_finding *f)
{
    bool any = s->lines->binary || s->lines->added_count || s->lines->cut_count;

    if (!any || f->line == 0 || f->line > s->src->line_count)
        return any;
    uint32_t off = s->src->line_start[f->line - 1] + (f->column ? f->column - 1 : 0);
    const struct cmpd_body *body = cmpd_report_body_at(&s->report, s->tokens, off);
    if (!body)
        return f->kernel ||
               lines_touched(s, f->line, f->end_line > f->line ? f->end_line : f->line);
    struct function own = function_of(s, body);
    return !base_has(base, &own);
}

/* Base had it at least as grave. */
static bool stood_on_base(const struct cmpd_file_result *base, const struct cmpd_finding *f)
{
    for (size_t i = 0; i < base->findings.count; i++) {
        const struct cmpd_finding *b = &base->findings.items[i];
        if (b->tag == f->tag && b->tier >= f->tier && strcmp(b->fingerprint, f->fingerprint) == 0)
            return true;
    }
    return false;
}

static void mark_preexisting(const struct cmpd_review *rv, struct cmpd_finding *f)
{
    f->preexisting = true;
    if (rv->policy->preexisting == CMPD_PREEXISTING_NOTE)
        f->tier = CMPD_TIER_NOTE;
}

/* Last line of the comment that an allow was read from. */
static uint32_t comment_end(const struct side *s, const struct cmpd_allow *allow)
{
    uint32_t last = allow->first_line;
    for (size_t i = 0; i < s->tokens->comment_count; i++) {
        const struct cmpd_comment *c = &s->tokens->comments[i];
        if (line_of(s, c->off) != allow->first_line)
            continue;
        uint32_t end = line_of(s, c->off + (c->len ? c->len - 1 : 0));
        last = end > last ? end : last;
    }
    return last;
}

static bool brought_by_change(const struct side *s, const struct cmpd_allow *allow)
{
    for (uint32_t line = allow->first_line; line <= comment_end(s, allow); line++) {
        if (cmpd_git_line_added(s->lines, git_line(s, line)))
            return true;
    }
    return false;
}

static bool same_kernel(const struct cmpd_finding *a, const struct cmpd_finding *b)
{
    return a->kernel && b->kernel ? strcmp(a->kernel, b->kernel) == 0 : a->kernel == b->kernel;
}

/* On base, was this tag allowed in this function? An old comment must not cover what people never saw under it. */
static bool allowed_on_base(const struct cmpd_file_result *base, const struct cmpd_finding *f)
{
    for (size_t i = 0; base && i < base->findings.count; i++) {
        const struct cmpd_finding *b = &base->findings.items[i];
        if (b->suppressed && b->tag == f->tag && same_kernel(b, f))
            return true;
    }
    return false;
}

/* Is one of the comments that cover the finding an old one? */
static bool old_comment_covers(const struct side *s, const struct cmpd_finding *f)
{
    const struct cmpd_remarks *r = &s->report.remarks;
    for (size_t i = 0; i < r->allow_count; i++) {
        const struct cmpd_allow *a = &r->allows[i];
        if (a->tag == f->tag && a->first_line <= f->line && f->line <= a->last_line &&
            !brought_by_change(s, a))
            return true;
    }
    return false;
}

static void unsuppress(struct cmpd_finding *f)
{
    f->suppressed = false;
    free(f->suppress_why);
    f->suppress_why = NULL;
}

/* One finding for each comment that the change brings, whether it covers anything or not. */
static void report_new_allows(const struct cmpd_review *rv, struct cmpd_review_file *file,
                              const struct side *s)
{
    const struct cmpd_remarks *r = &s->report.remarks;
    for (size_t i = 0; i < r->allow_count; i++) {
        const struct cmpd_allow *a = &r->allows[i];
        if (!brought_by_change(s, a))
            continue;
        CMPD_AUTOFREE char *message =
            cmpd_asprintf("the change itself allows %s here; only what base allows is honoured",
                          cmpd_tag_info(a->tag)->name);
        struct cmpd_finding *f = cmpd_file_result_add(file->result, rv->policy,
                                                      CMPD_TAG_policy_changed, CMPD_TIER_REVIEW,
                                                      a->first_line, 1, message);
        f->track = CMPD_TRACK_STATIC;
    }
}

static void forget_new_operator(struct cmpd_file_result *r, const struct cmpd_file_result *base)
{
    bool known = base && base->op_comment && r->op_comment &&
                 strcmp(base->op_comment, r->op_comment) == 0;
    if (known)
        return;
    r->op_comment_new = r->op_comment != NULL;
}

static void compare_with(const struct cmpd_review *rv, struct cmpd_review_file *file,
                         const struct cmpd_file_result *base, const struct side *s,
                         const struct side *base_side)
{
    struct cmpd_findings *list = &file->result->findings;

    for (size_t i = 0; i < list->count; i++) {
        struct cmpd_finding *f = &list->items[i];
        if (f->suppressed && !(old_comment_covers(s, f) && allowed_on_base(base, f)))
            unsuppress(f);
        if (base && stood_on_base(base, f) && !touched(s, base_side, f))
            mark_preexisting(rv, f);
    }
}

void cmpd_review_compare(const struct cmpd_review *rv, struct cmpd_review_file *file,
                         const struct cmpd_file_result *base, bool same)
{
    struct cmpd_file_result *r = file->result;
    struct side s, base_side = {0};

    if (same) {
        for (size_t i = 0; i < r->findings.count; i++)
            mark_preexisting(rv, &r->findings.items[i]);
        return;
    }
    read_side(&s, r->source, &file->lines);
    if (base)
        read_side(&base_side, base->source, NULL);
    compare_with(rv, file, base, &s, base ? &base_side : NULL);
    report_new_allows(rv, file, &s);
    forget_new_operator(r, base);
    cmpd_arena_clear(&s.arena);
    cmpd_arena_clear(&base_side.arena);
}

static bool hidden_by(const char *filter, const struct cmpd_review_file *file,
                      const struct cmpd_finding *f, uint32_t line)
{
    if (strcmp(filter, "all") == 0)
        return false;
    if (strcmp(filter, "file") == 0)
        return file->status == CMPD_CHANGE_INCLUDER && f->tier == CMPD_TIER_NOTE;
    if (f->line == 0)
        return false; /* it belongs to the file as a whole */
    if (strcmp(filter, "context") == 0)
        return !f->in_diff;
    return !cmpd_git_line_added(&file->lines, line);
}

void cmpd_review_mark_shown(const struct cmpd_review *rv, struct cmpd_review_file *file)
{
    struct cmpd_file_result *r = file->result;
    struct side s = {.src = r->source, .odd_line_ends = r->source && has_lone_cr(r->source)};

    for (size_t i = 0; i < r->findings.count; i++) {
        struct cmpd_finding *f = &r->findings.items[i];
        uint32_t line = git_line(&s, f->line);
        f->in_diff = f->line && cmpd_git_line_in_diff(&file->lines, line);
        f->hidden = hidden_by(rv->opt->value[CMPD_OPT_filter], file, f, line);
    }
}
