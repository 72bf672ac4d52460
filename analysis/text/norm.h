/* What the normaliser's files share. Private to analysis/text. */
#ifndef CMPD_ANALYSIS_TEXT_NORM_H
#define CMPD_ANALYSIS_TEXT_NORM_H

#include "analysis/text/lexer.h"
#include "analysis/text/unit.h"
#include "analysis/text/words.h"

#define NORM_NO_MATCH   UINT32_MAX
#define NORM_LOOK_AHEAD 256 /* tokens between the parentheses of an attribute */

struct norm {
    struct cmpd_unit *unit;
    struct cmpd_arena *arena;
    char *text;
    struct cmpd_token
        *t; /* what is left of the tokens; ctx holds the enum word_class of an identifier */
    size_t count;
    uint32_t *match;         /* owned; a bracket's partner, NORM_NO_MATCH: none (pass 4 alone) */
    struct cmpd_attr *attrs; /* owned */
    size_t attr_count, attr_cap;
};

/* The byte of a one-byte punctuator, else 0. */
static inline char norm_char(const struct norm *n, size_t i)
{
    return i < n->count && n->t[i].kind == CMPD_TOK_PUNCT && n->t[i].len == 1 ? n->text[n->t[i].off]
                                                                              : '\0';
}

static inline bool norm_ident(const struct norm *n, size_t i)
{
    return i < n->count && n->t[i].kind == CMPD_TOK_IDENT;
}

/* WORD_PLAIN for what is no identifier: ask norm_ident first where it matters. */
static inline enum word_class norm_word(const struct norm *n, size_t i)
{
    return norm_ident(n, i) ? (enum word_class)n->t[i].ctx : WORD_PLAIN;
}

bool norm_is(const struct norm *n, size_t i, const char *s);
bool norm_line_end_between(const struct norm *n, const struct cmpd_token *a,
                           const struct cmpd_token *b);
/* Not for pass 2, whose tokens before and behind are no neighbours. */
static inline bool norm_begins_line(const struct norm *n, size_t i)
{
    return i == 0 || norm_line_end_between(n, &n->t[i - 1], &n->t[i]);
}
/* Blanks the text from one token to another (neighbours in the array) and keeps it as an attribute. */
void norm_take_out(struct norm *n, const struct cmpd_token *from, const struct cmpd_token *last);
/* The token behind the parentheses that open at i; i if they do not close nearby. */
size_t norm_behind_parens(const struct norm *n, size_t i);

/* The token behind the name T::template X<a, b>::Y that begins at i; i if there is none. */
size_t norm_behind_name(const struct norm *n, size_t i);

void norm_qualifiers(struct norm *n); /* norm_qualifier.c */
void norm_constructs(struct norm *n); /* norm_construct.c */
void norm_statements(struct norm *n); /* norm_statement.c */

#endif
