/* Sources and units from strings, for the tests of the text and syntax layers. */
#ifndef CMPD_TESTS_UNIT_TEXT_HELPER_H
#define CMPD_TESTS_UNIT_TEXT_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/text/lex.h"
#include "analysis/text/unit.h"

struct text_fixture {
    struct cmpd_arena arena;
    struct cmpd_source *src;
    struct cmpd_tokens *toks;
    struct cmpd_unit *unit; /* NULL until text_unit was called */
};

static inline void text_open_bytes(struct text_fixture *f, const char *text, size_t len)
{
    struct cmpd_err err = {0};
    memset(f, 0, sizeof *f);
    if (cmpd_source_new_take("test.cu", cmpd_strndup(text, len), len, &f->src, &err) != CMPD_OK)
        fail_msg("%s", err.msg);
    f->toks = cmpd_lex(f->src, &f->arena);
}

static inline void text_open(struct text_fixture *f, const char *text)
{
    text_open_bytes(f, text, strlen(text));
}

static inline void text_unit(struct text_fixture *f, const char *text)
{
    text_open(f, text);
    f->unit = cmpd_unit_build(f->toks, NULL, 0, NULL, NULL, &f->arena);
}

static inline void text_close(struct text_fixture *f)
{
    cmpd_arena_clear(&f->arena);
    cmpd_source_free(f->src);
}

/* Offset of the nth (from 0) occurrence of a needle; fails the test when there is none. */
static inline uint32_t text_find(const char *text, const char *needle, unsigned nth)
{
    const char *p = strstr(text, needle);
    while (p && nth--)
        p = strstr(p + 1, needle);
    if (!p)
        fail_msg("no %s", needle);
    return (uint32_t)(p - text);
}

/* The text with every run of white space as one space, none at the ends. */
static inline const char *text_squeezed(struct text_fixture *f, const char *text)
{
    char *out = cmpd_arena_strndup(&f->arena, text, strlen(text)), *w = out;
    for (const char *p = text; *p; p++) {
        if (!strchr(" \t\r\n", *p))
            *w++ = *p;
        else if (w > out && w[-1] != ' ')
            *w++ = ' ';
    }
    if (w > out && w[-1] == ' ')
        w--;
    *w = '\0';
    return out;
}

#endif
