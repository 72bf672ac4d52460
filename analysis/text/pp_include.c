/*
 * What a file's own repository says to it by its headers. A header is read once, as if it had an
 * include guard; below a ceiling of size, number and depth. One that is not found or is too long
 * leaves its names unknown, as those of all other headers are.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/text/pp.h"

static bool was_read(const struct pp_headers *h, const char *path)
{
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->seen[i], path) == 0)
            return true;
    return false;
}

static void add_words(struct pp_words *words, const struct cmpd_tokens *toks)
{
    for (size_t i = 0; i < toks->count; i++)
        if (toks->items[i].kind == CMPD_TOK_IDENT)
            pp_words_add(words, toks->src->text + toks->items[i].off, toks->items[i].len);
}

static struct pp_words *words_of(struct pp *pp, const struct pp_words *outer)
{
    struct pp_words *w = CMPD_ARENA_NEW(pp->arena, struct pp_words);
    if (outer)
        *w = *outer;
    add_words(w, pp->unit->tokens);
    return w;
}

/* The header's text in the arena, as a source; NULL: it is no text. */
static struct cmpd_source *source_of(struct pp *pp, const char *path, const char *text, size_t len)
{
    if (memchr(text, '\0', len))
        return NULL;
    struct cmpd_source *s = CMPD_ARENA_NEW(pp->arena, struct cmpd_source);
    s->path = cmpd_arena_strndup(pp->arena, path, strlen(path));
    s->text = cmpd_arena_strndup(pp->arena, text, len);
    s->len = len;
    s->has_bom = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    return s;
}

/* Works through the header with the includer's macros in force; its own stay in force behind it. */
static void read_header(struct pp *pp, const struct cmpd_source *src, uint32_t off,
                        bool in_function)
{
    struct pp sub = {.arena = pp->arena,
                     .headers = pp->headers,
                     .path = src->path,
                     .in_header = true,
                     .place = pp->in_header ? pp->place : off,
                     .names = pp->names,
                     .arch = pp->arch,
                     .steps = pp->steps};
    if (!pp->words)
        pp->words = words_of(pp, NULL);
    sub.unit = CMPD_ARENA_NEW(pp->arena, struct cmpd_unit);
    sub.unit->src = src;
    sub.unit->tokens = cmpd_lex(src, pp->arena);
    memcpy(sub.filter, pp->filter, sizeof sub.filter);
    sub.words = words_of(&sub, pp->words);
    pp->headers->depth++;
    pp_run(&sub);
    pp->headers->depth--;
    pp->steps = sub.steps;
    memcpy(pp->filter, sub.filter, sizeof sub.filter);
    if (!sub.unit->cut && !sub.unit->tokens->cut && !in_function) {
        CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
        pp_extract(sub.unit->text, sub.unit->len, pp->words, &pp->headers->in_macros, &text);
        if (text.len)
            pp_put(pp, off, text.data, text.len);
    }
    pp_clear(&sub);
}

void pp_include(struct pp *pp, const struct cmpd_directive *d, uint8_t ctx)
{
    struct pp_headers *h = pp->headers;
    if (h->depth >= CMPD_HEADER_DEPTH_CEILING || h->count >= CMPD_HEADERS_CEILING ||
        pp_guessing(pp) || (d->system_include && h->from->include_count == 0))
        return;
    CMPD_AUTOFREE char *name = cmpd_asprintf("%.*s", (int)d->name_len,
                                             pp->unit->src->text + d->name_off);
    CMPD_AUTOFREE char *text = NULL;
    char *path = NULL;
    size_t len = 0;
    if (!cmpd_header_find(h->from, pp->path, name, d->system_include, CMPD_HEADER_CEILING_BYTES,
                          &path, &text, &len))
        return;
    if (was_read(h, path) || strcmp(path, h->from->file) == 0 ||
        h->bytes + len > CMPD_HEADERS_CEILING_BYTES) {
        free(path);
        return;
    }
    CMPD_GROW(h->seen, h->count + 1, h->cap);
    h->seen[h->count++] = path;
    h->bytes += len;
    const struct cmpd_source *src = source_of(pp, path, text, len);
    bool in_function = ctx & (CMPD_CTX_KERNEL | CMPD_CTX_DEVICE | CMPD_CTX_HOST);
    if (src)
        read_header(pp, src, d->off, in_function);
}
