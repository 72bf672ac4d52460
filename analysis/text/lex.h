/*
 * The lex layer: C++/CUDA tokens of the source, with their context. Comments
 * and white space are not tokens; comments are kept in a list of their own,
 * since preconditions and `cmpd:` remarks are written there. Never fails on
 * odd text: an unterminated comment or literal ends at the end of its line or
 * of the file.
 */
#ifndef CMPD_ANALYSIS_TEXT_LEX_H
#define CMPD_ANALYSIS_TEXT_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/text/source.h"

enum cmpd_token_kind {
    CMPD_TOK_IDENT,  /* identifiers and keywords alike */
    CMPD_TOK_NUMBER, /* pp-number: 0x1fu, 1e-5f, 1'000 */
    CMPD_TOK_STRING, /* with prefix and quotes; raw strings too */
    CMPD_TOK_CHAR,
    CMPD_TOK_PUNCT, /* longest match, `<<<` and `>>>` as one token each */
    CMPD_TOK_OTHER, /* a byte that starts no token */
};

/* Where a token stands; directives carry DIRECTIVE beside what surrounds them. */
enum cmpd_token_ctx {
    CMPD_CTX_DIRECTIVE = 1 << 0, /* inside a # line (with its continuations) */
    CMPD_CTX_KERNEL = 1 << 1,    /* inside the body of a __global__ function */
    CMPD_CTX_DEVICE =
        1 << 2, /* inside the body of a __device__ function (also __host__ __device__) */
    CMPD_CTX_HOST = 1 << 3, /* inside the body of any other function */
};

struct cmpd_token {
    uint32_t off, len; /* bytes in the source */
    uint8_t kind;      /* enum cmpd_token_kind */
    uint8_t ctx;       /* enum cmpd_token_ctx bits */
    uint16_t depth;    /* of curly braces before it, capped at 65535 */
};

struct cmpd_comment {
    uint32_t off, len; /* with its delimiters */
    bool own_line;     /* only white space before it on its line */
};

/* A # line with its continuations. */
struct cmpd_line_directive {
    uint32_t off, end; /* bytes: from '#' to the end of the last line, line end excluded */
    uint32_t first_token, end_token; /* tokens [first_token, end_token); the first one is '#' */
};

struct cmpd_tokens {
    const struct cmpd_source *src; /* borrowed */
    struct cmpd_token *items;      /* in the arena */
    size_t count;
    struct cmpd_comment *comments; /* in the arena */
    size_t comment_count;
    struct cmpd_line_directive *directives; /* in the arena; ascending */
    size_t directive_count;
    uint32_t max_nesting; /* most brackets of all kinds open at once */
    bool cut;             /* CMPD_TOKENS_CEILING was reached: treat the rest as unknown */
};

struct cmpd_tokens *cmpd_lex(const struct cmpd_source *src, struct cmpd_arena *arena);

/* Does the token's text equal the word? */
bool cmpd_token_is(const struct cmpd_tokens *toks, size_t index, const char *word);

/*
 * A copy of the source in which comments and the inside of string and character
 * literals (all but their outer quotes) are blanked with spaces (line ends kept),
 * so that the scan layer can search it; same length, same offsets. In the arena,
 * NUL-terminated.
 */
char *cmpd_lex_blanked(const struct cmpd_tokens *toks, struct cmpd_arena *arena);

#endif
