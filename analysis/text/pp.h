/*
 * The preprocessor behind unit.h: what its files share. Private to analysis/text.
 *
 *   pp_macro.c      the table of names, #define and #undef
 *   pp_expand.c     expansion of one use, by lists of tokens with hide sets
 *   pp_if.c         the value of an #if
 *   pp_directive.c  directives and #if groups
 *   pp_include.c    headers of the repository
 *   pp_extract.c    the declarations of a header that a file may need
 *   pp_predef.c     what the compiler predefines
 *   unit.c          the walk over the source, the text and its runs
 */
#ifndef CMPD_ANALYSIS_TEXT_PP_H
#define CMPD_ANALYSIS_TEXT_PP_H

#include "analysis/base/buf.h"
#include "analysis/text/header.h"
#include "analysis/text/lexer.h"
#include "analysis/text/unit.h"

#define PP_NO_SOURCE UINT32_MAX

/* Macros that must not be expanded again in a token (shared lists, newest first). */
struct pp_hide {
    const struct cmpd_macro *macro;
    const struct pp_hide *rest;
    uint32_t depth; /* macros in the list */
};

/* A token on its way through expansion; in the scratch arena. */
struct pp_tok {
    struct pp_tok *next;
    const char *s;
    const struct pp_hide *hide;
    uint32_t len;
    uint32_t
        src; /* offset in the source where it is written, PP_NO_SOURCE: in a macro's body, or made */
    uint32_t use; /* index + 1 of the innermost use that it came from */
    uint8_t kind; /* enum cmpd_token_kind */
    bool space;   /* white space before it */
    bool guess;   /* in an #if: the value of a name that nobody defines */
};

struct pp_list {
    struct pp_tok *first, **last; /* last: the end's next, or &first */
};

/* A token of a macro's body. */
struct pp_part {
    const char *s;
    uint32_t len;
    int param; /* index into the parameters, -1: none; param_count: __VA_ARGS__ */
    uint8_t kind;
    bool space;
    bool stringify; /* #param */
    bool paste;     /* ## before it */
    bool pasted;    /* ## behind it */
};

/* What unit.h shows of a macro, and its body as tokens. */
struct pp_macro {
    struct cmpd_macro pub; /* first */
    struct pp_part *parts;
    size_t part_count;
    int va_index; /* the parameter that takes all that is left over, -1: none */
};

struct pp_name {
    const char *name;
    uint32_t len, hash;
    struct cmpd_macro *current; /* in force now; NULL after #undef */
    struct cmpd_macro *latest;  /* newest definition ever */
};

struct cmpd_macro_names {
    struct pp_name *slots; /* open addressing; in the arena */
    size_t cap, used;
};

struct pp_cond {
    uint32_t off; /* of the #if */
    bool parent_active, active, taken, guess;
    bool device_pass; /* __CUDA_ARCH__ is defined for its conditions */
};

#define PP_WORDS_BITS 16384u

/* Identifiers, by hash: "may be in it" or "is not". */
struct pp_words {
    uint64_t bits[PP_WORDS_BITS / 64];
};

/* Headers read so far for one unit; one for all that are nested in it. */
struct pp_headers {
    const struct cmpd_headers *from; /* borrowed */
    char **seen;                     /* owned, and each string: paths */
    size_t count, cap;
    size_t bytes;
    unsigned depth;
    bool put;                  /* text of theirs went into the unit's */
    struct pp_words in_macros; /* what bodies of the headers' macros name */
};

struct pp {
    struct cmpd_unit *unit;
    struct pp_headers *headers; /* NULL: none are read */
    const char *path;           /* of this text, relative to the repository's root */
    struct pp_words *words; /* what this text and those that include it name; NULL until needed */
    bool in_header;
    uint32_t place; /* in_header: the source offset of the #include that it came by */
    struct cmpd_arena *arena;
    struct cmpd_arena scratch;
    struct cmpd_macro_names *names;
    uint64_t filter[4]; /* which (first byte, last byte, length) a macro of the file may have */
    char *base;         /* the source with comments, directives and dead groups blanked */
    struct cmpd_buf out;
    uint32_t copied; /* source bytes that are already in out */
    struct cmpd_run *runs;
    struct cmpd_directive *directives;
    struct cmpd_macro **macros;
    struct cmpd_macro_use *uses;
    struct cmpd_guess *guesses;
    struct pp_cond *conds;
    size_t run_count, run_cap, directive_count, directive_cap, macro_count, macro_cap, use_count,
        use_cap;
    size_t guess_count, guess_cap, cond_count, cond_cap;
    size_t steps, use_steps; /* tokens made so far: in all, for the use at hand */
    uint32_t arch;           /* 800 for sm_80 */
    bool device_pass;        /* for the #if at hand __CUDA_ARCH__ is defined */
    bool stopped;            /* the use at hand can't be expanded */
    bool over;               /* ... since it went over a ceiling */
};

/* ---- pp_macro.c ---- */

uint32_t pp_hash(const char *s, size_t len);
struct pp_name *pp_name_find(const struct cmpd_macro_names *names, const char *s, size_t len);
/* Defines from outside: value NULL is "1". */
void pp_predefine(struct pp *pp, const char *name, const char *value, bool compiler);
/* From the directive's tokens (first: the name). NULL if malformed. */
struct cmpd_macro *pp_define(struct pp *pp, const struct cmpd_token *t, size_t count);
/* The name is not known any more: a definition of it hung on a guess. */
void pp_forget(struct pp *pp, const struct cmpd_token *name);
struct cmpd_macro *pp_undef(struct pp *pp, const struct cmpd_token *name);
static inline unsigned pp_filter_bit(const char *s, size_t len)
{
    return ((unsigned char)s[0] * 5u + (unsigned char)s[len - 1] * 33u + (unsigned)len * 17u) &
           255u;
}

/* ---- pp_expand.c ---- */

struct pp_source { /* source tokens that an expansion may take as arguments */
    const struct cmpd_token *t;
    size_t next, end;
};

struct pp_tok *pp_tok_from_source(struct pp *pp, const struct pp_source *more, size_t i);
struct pp_tok *pp_tok_new(struct pp *pp, const char *s, uint32_t len, uint8_t kind);
static inline bool pp_is(const struct pp_tok *t, char c)
{
    return t && t->kind == CMPD_TOK_PUNCT && t->len == 1 && t->s[0] == c;
}
/* Expands a list. `more` may be NULL. `condition`: the compiler's own macros are expanded as well. */
struct pp_tok *pp_expand(struct pp *pp, struct pp_tok *list, struct pp_source *more,
                         bool condition);

/* ---- pp_if.c ---- */

/* The truth of an #if or #elif: tokens behind the directive's name. *guess: a name that nobody defines decided. */
bool pp_condition(struct pp *pp, const struct cmpd_token *t, size_t count, bool *guess);
/* Is the name defined here? *guess: nobody defines it, and it is no name that is known to be undefined. */
bool pp_defined(struct pp *pp, const char *s, size_t len, bool *guess);

/* ---- pp_predef.c ---- */

/* __CUDA_ARCH__ where the host's pass decides. */
bool pp_hidden_arch(const struct pp *pp, const struct pp_name *n);
void pp_predefine_compiler(struct pp *pp, const char *toolkit, const char *arch);
bool pp_known_undefined(const char *s, size_t len);
bool pp_known_header(const char *s, size_t len);

/* ---- pp_directive.c ---- */

bool pp_active(const struct pp *pp);
void pp_directive(struct pp *pp, size_t index);
void pp_close_groups(struct pp *pp);
/* Does it hang on a guess whether the text here is compiled? */
bool pp_guessing(const struct pp *pp);

/* ---- pp_include.c ---- */

/* An active #include at token `first` of the text; what it brings is put in its place. */
void pp_include(struct pp *pp, const struct cmpd_directive *d, uint8_t ctx);

/* ---- pp_extract.c ---- */

void pp_words_add(struct pp_words *words, const char *s, size_t len);
/*
 * Appends to `out`, on one line, the declarations of a header's text (after the preprocessor) that may be named by a
 * word of `a` or `b` or of a declaration appended: integer constants, enums, names of built-in types, small functions.
 */
void pp_extract(const char *text, size_t len, const struct pp_words *a, const struct pp_words *b,
                struct cmpd_buf *out);

/* ---- unit.c ---- */

/* Fills pp->unit's text (in the arena). */
void pp_run(struct pp *pp);
/* Puts text of a header where the directive stands. */
void pp_put(struct pp *pp, uint32_t off, const char *text, size_t len);
void pp_clear(struct pp *pp);

#endif
