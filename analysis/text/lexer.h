/*
 * The lexer behind lex.h, for text that is no source file: a unit's text after
 * macro expansion, a macro's body. Private to analysis/text.
 */
#ifndef CMPD_ANALYSIS_TEXT_LEXER_H
#define CMPD_ANALYSIS_TEXT_LEXER_H

#include "analysis/text/lex.h"

struct cmpd_lexer {
    struct cmpd_token *tokens; /* owned */
    size_t count, cap;
    struct cmpd_comment *comments; /* owned */
    size_t comment_count, comment_cap;
    struct cmpd_line_directive *directives; /* owned */
    size_t directive_count, directive_cap;
    bool cut;
    bool directives_off; /* '#' starts no directive (text after the preprocessor) */
};

/* Tokens without context: ctx holds CMPD_CTX_DIRECTIVE alone, depth is 0. `text` is NUL-terminated behind len. */
void cmpd_lexer_run(struct cmpd_lexer *lx, const char *text, size_t len);
void cmpd_lexer_clear(struct cmpd_lexer *lx);

/* Fills in ctx and depth; returns the most brackets open at once. */
uint32_t cmpd_lex_context(const char *text, struct cmpd_token *tokens, size_t count,
                          const struct cmpd_line_directive *directives, size_t directive_count);

/* Length of the punctuator at s (NUL-terminated text), at least 1. */
uint32_t cmpd_lex_punct(const char *s);

/* May the byte stand in an identifier? */
bool cmpd_lex_is_word(unsigned char c);

#endif
