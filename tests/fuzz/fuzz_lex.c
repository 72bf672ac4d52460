/*
 * Source table, lexer, blanking, scan and translation unit over any bytes.
 * Beside memory faults it looks for results that contradict themselves.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/text/lex.h"
#include "analysis/text/scan.h"
#include "analysis/text/unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const struct cmpd_source *src)
{
    assert(src->line_count >= 1 && src->line_start[0] == 0);
    for (uint32_t i = 1; i < src->line_count; i++)
        assert(src->line_start[i] > src->line_start[i - 1] && src->line_start[i] <= src->len);
    struct cmpd_pos end = cmpd_source_pos(src, src->len + 100);
    assert(end.line == src->line_count && end.column >= 1);
}

static void check_tokens(const struct cmpd_tokens *toks)
{
    size_t len = toks->src->len, at = 0;
    for (size_t i = 0; i < toks->count; i++) {
        const struct cmpd_token *t = &toks->items[i];
        assert(t->len > 0 && t->off >= at && (size_t)t->off + t->len <= len);
        at = (size_t)t->off + t->len;
    }
    at = 0;
    for (size_t i = 0; i < toks->comment_count; i++) {
        const struct cmpd_comment *c = &toks->comments[i];
        assert(c->len >= 2 && c->off >= at && (size_t)c->off + c->len <= len);
        at = (size_t)c->off + c->len;
    }
    at = 0;
    for (size_t i = 0; i < toks->directive_count; i++) {
        const struct cmpd_line_directive *d = &toks->directives[i];
        assert(d->off >= at && d->off < d->end && d->end <= len);
        assert(d->first_token < d->end_token && d->end_token <= toks->count);
        assert(toks->src->text[toks->items[d->first_token].off] == '#');
        at = d->end;
    }
}

static void check_scan(const struct cmpd_tokens *toks, struct cmpd_arena *arena)
{
    const struct cmpd_source *src = toks->src;
    char *blanked = cmpd_lex_blanked(toks, arena);
    assert(blanked[src->len] == '\0');
    for (size_t i = 0; i < src->len; i++)
        assert(blanked[i] == src->text[i] || blanked[i] == ' ');
    struct cmpd_scan scan;
    struct cmpd_err err;
    assert(cmpd_scan_run(blanked, src->len, &scan, &err) == CMPD_OK);
    for (int i = 0; i < CMPD_SCAN_ITEM_COUNT; i++)
        assert((scan.count[i] == 0) == (scan.first[i] == UINT32_MAX) &&
               (scan.count[i] == 0 || scan.first[i] < src->len));
    assert(cmpd_scan_run(src->text, src->len, &scan, &err) == CMPD_OK);
}

static void check_uses(const struct cmpd_unit *u)
{
    for (size_t i = 0; i < u->use_count; i++) {
        const struct cmpd_macro_use *use = &u->uses[i];
        assert(use->macro && use->parent <= i);
        assert((size_t)use->off + use->len <= u->src->len);
        assert(u->cut || (size_t)use->exp_off + use->exp_len <= u->len);
    }
    for (size_t i = 0; i < u->run_count; i++)
        assert(u->runs[i].use <= u->use_count && u->runs[i].src_off <= u->src->len);
    for (size_t i = 0; i < u->macro_count; i++)
        assert(u->macros[i]->predefined ||
               (size_t)u->macros[i]->body_off + u->macros[i]->body_len <= u->src->len);
}

static void check_map(const struct cmpd_unit *u)
{
    assert(u->run_count >= 1 && u->runs[0].exp_off == 0);
    for (size_t i = 1; i < u->run_count; i++)
        assert(u->runs[i].exp_off > u->runs[i - 1].exp_off);
    size_t step = u->len / 512 + 1;
    for (size_t i = 0; i <= u->len; i += step) {
        assert(cmpd_unit_origin(u, (uint32_t)i) <= u->src->len);
        const struct cmpd_macro_use *use = cmpd_unit_use_at(u, (uint32_t)i);
        assert(!use || use < u->uses + u->use_count);
    }
    if (u->use_count == 0)
        assert(u->len == u->src->len);
}

static void check_unit(const struct cmpd_tokens *toks, struct cmpd_arena *arena)
{
    static const struct cmpd_define defines[] = {{"N", "4"}, {"F(x)", "x+x"}, {"NDEBUG", NULL}};
    struct cmpd_unit *u = cmpd_unit_build(toks, defines, 3, "12.4", "sm_90a", arena);
    assert(u->text[u->len] == '\0' && strlen(u->text) <= u->len);
    assert(u->len <= CMPD_EXPANSION_CEILING_BYTES);
    check_map(u);
    check_uses(u);
    assert(u->directive_count == toks->directive_count);
    for (size_t i = 0; i < u->directive_count; i++) {
        const struct cmpd_directive *d = &u->directives[i];
        assert((size_t)d->off + d->len <= u->src->len);
        assert((size_t)d->name_off + d->name_len <= u->src->len);
        if (d->name_len)
            cmpd_unit_macro_at(u, u->src->text + d->name_off, d->name_len, d->off);
    }
    for (size_t i = 0; i < u->attr_count; i++)
        assert(u->attrs[i].exp_len > 0 &&
               (size_t)u->attrs[i].exp_off + u->attrs[i].exp_len <= u->len);
    for (size_t i = 0; i < u->guess_count; i++)
        assert(u->guesses[i].off < u->guesses[i].end && u->guesses[i].end <= u->src->len &&
               cmpd_unit_guessed_in(u, u->guesses[i].off, u->guesses[i].end));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = cmpd_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    struct cmpd_source *src = NULL;
    struct cmpd_err err;
    if (cmpd_source_new_take("fuzz.cu", text, size, &src, &err) != CMPD_OK) {
        free(text);
        return 0;
    }
    struct cmpd_arena arena = {0};
    struct cmpd_tokens *toks = cmpd_lex(src, &arena);
    check_lines(src);
    check_tokens(toks);
    check_scan(toks, &arena);
    check_unit(toks, &arena);
    cmpd_arena_clear(&arena);
    cmpd_source_free(src);
    return 0;
}
