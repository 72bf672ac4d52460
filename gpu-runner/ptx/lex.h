/*
 * Tokens of PTX text. Inside this folder only. A word takes in everything that an opcode or a special register may
 * hold ("ld.global.v4.f32", "%tid.x", "st.shared::cta"); a directive is a word that begins with a dot.
 * A token is a view into the text; one token is current at a time.
 */
#ifndef CMPD_GPU_RUNNER_PTX_LEX_H
#define CMPD_GPU_RUNNER_PTX_LEX_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_END,
    PTX_WORD,
    PTX_DIRECTIVE, /* `at` stands behind the dot */
    PTX_INT,
    PTX_SINGLE, /* 0fXXXXXXXX: value holds the bits */
    PTX_DOUBLE, /* 0dXXXXXXXXXXXXXXXX or a decimal: value holds the bits */
    PTX_STRING, /* `at` stands behind the quote; escapes are as written */
    PTX_PUNCT,
    PTX_BROKEN, /* a number or a string that is none */
};

struct ptx_token {
    enum ptx_token_kind kind;
    char punct; /* PTX_PUNCT */
    const char *at;
    uint32_t len, line;
    uint64_t value;
};

struct ptx_lexer {
    const char *p, *end;
    uint32_t line; /* of p */
    struct ptx_token t;
};

/* The first token becomes current. */
void ptx_lex_open(struct ptx_lexer *lx, const char *text, const char *end);
void ptx_lex_next(struct ptx_lexer *lx);
/* The character that the next token begins with, '\0' at the end of the text. */
char ptx_lex_peek(struct ptx_lexer *lx);
/* Nothing is left: every loop over tokens ends. */
void ptx_lex_stop(struct ptx_lexer *lx);
/* Leaves the position behind the next `c`, whatever stands before it; the token behind it becomes current. */
void ptx_lex_skip_past(struct ptx_lexer *lx, char c);

static inline bool ptx_is(const struct ptx_token *t, char punct)
{
    return t->kind == PTX_PUNCT && t->punct == punct;
}
/* The token is that word or that directive. */
bool ptx_is_word(const struct ptx_token *t, const char *word);
bool ptx_is_directive(const struct ptx_token *t, const char *word);

#endif
