/*
 * A translation unit as the parser shall see it: the source after the
 * preprocessor's work that can be done from the file alone. Comments and
 * directives are gone (blanked), `#if` groups that are not compiled are blanked,
 * macros that the file itself defines are expanded, and a normaliser has
 * replaced what the grammar cannot read. Where a file has no macro of its own,
 * text has the same length as the source; else runs map it back: every
 * token of an expansion leads to the macro's use in the source.
 */
#ifndef CMPD_ANALYSIS_TEXT_UNIT_H
#define CMPD_ANALYSIS_TEXT_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/text/header.h"
#include "analysis/text/lex.h"

/* A macro predefined from outside (policy's `define`, -D, the compiler). value NULL: "1". */
struct cmpd_define {
    const char *name;
    const char *value;
};

enum cmpd_directive_kind {
    CMPD_DIR_INCLUDE,
    CMPD_DIR_DEFINE,
    CMPD_DIR_UNDEF,
    CMPD_DIR_IF, /* #if, #ifdef, #ifndef, #elif, #else, #endif */
    CMPD_DIR_PRAGMA,
    CMPD_DIR_OTHER, /* #error, #line, #warning ... */
};

struct cmpd_directive {
    enum cmpd_directive_kind kind;
    uint32_t off, len; /* from '#' to the end of its last continuation line, in the source */
    uint32_t name_off, name_len; /* macro name, or the include's path without delimiters */
    bool active;                 /* it stands in a group that is compiled */
    bool system_include;         /* <...> */
    struct cmpd_macro *macro;    /* DEFINE: what it defined; UNDEF: what it removed, NULL if none */
};

struct cmpd_macro {
    const char *name; /* in the arena */
    bool function_like, variadic;
    size_t param_count;
    const char **params;          /* in the arena */
    uint32_t body_off, body_len;  /* in the source; predefined: 0, 0 */
    const char *body;             /* spliced, comments removed; in the arena */
    uint32_t def_off;             /* of the #define's name in the source */
    uint32_t undef_off;           /* of the #undef's name, UINT32_MAX while defined to the end */
    struct cmpd_macro *redefines; /* the earlier definition of that name, if any */
    bool predefined;
    bool compiler;      /* of the compiler's own table: asked by #if, not expanded in text */
    uint32_t use_count; /* expansions in active text */
};

/* One expansion of a macro of the file in active text. */
struct cmpd_macro_use {
    const struct cmpd_macro *macro;
    uint32_t off, len;         /* in the source: the name, with the argument list if any */
    uint32_t exp_off, exp_len; /* what it became, in the unit's text */
    uint32_t
        parent; /* index + 1 of the use whose expansion holds this one; 0: written in the source */
};

/*
 * Text from exp_off on (up to the next run) comes from the source at src_off. Inside an expansion, what was
 * written in an argument leads to where it is written; what the macro's body says leads to the macro's use.
 */
struct cmpd_run {
    uint32_t exp_off, src_off;
    uint32_t use;  /* index + 1 of the innermost use; 0: not in an expansion */
    bool verbatim; /* true: byte by byte; false: all of the run leads to src_off (a macro's use) */
};

/*
 * What the normaliser took out of the text because the grammar cannot read it there: attributes
 * (__launch_bounds__, __align__, __maxnreg__, __cluster_dims__, __forceinline__, [[...]], a qualifier macro
 * of some header), `__device__` of a lambda, _Pragma. In its place are blanks.
 */
struct cmpd_attr {
    uint32_t exp_off, exp_len; /* in the unit's text */
    const char *name;          /* in the arena: "__launch_bounds__" */
    const char *args;  /* in the arena: the text between the parentheses, "256, 2"; NULL: none */
    uint32_t args_off; /* in the unit's text: the first byte of args; 0: none */
};

/* An #if group, from its #if to its #endif, of which a branch was chosen by guess (see guessed_condition). */
struct cmpd_guess {
    uint32_t off, end; /* bytes in the source */
};

struct cmpd_unit {
    const struct cmpd_source *src;    /* borrowed */
    const struct cmpd_tokens *tokens; /* borrowed; of the source */
    char *text;                       /* in the arena; NUL-terminated */
    size_t len;
    struct cmpd_run *runs; /* ascending exp_off; runs[0].exp_off == 0 */
    size_t run_count;
    struct cmpd_directive *directives;
    size_t directive_count;
    struct cmpd_macro **macros; /* all definitions in order, predefined ones first */
    size_t macro_count;
    struct cmpd_macro_use *uses;
    size_t use_count;
    struct cmpd_attr *attrs; /* ascending exp_off */
    size_t attr_count;
    struct cmpd_guess *guesses; /* ascending end; groups may nest */
    size_t guess_count;
    const struct cmpd_macro_names *names; /* private to unit.c and the preprocessor */
    uint32_t max_nesting;                 /* most brackets of all kinds open at once in the text */
    bool guessed_condition; /* an #if hung on a name that the file does not define (taken as 0) */
    bool has_headers;       /* it uses what headers of the repository say */
    bool cut; /* a ceiling was reached: the text is not complete, judge nothing as proven */
};

/*
 * `defines`: what is predefined beside what nvcc always has (__CUDACC__, __NVCC__, __cplusplus,
 * CUDART_VERSION, __CUDACC_VER_MAJOR__, __CUDA_ARCH__ ...: cmpd_unit's own table, from `toolkit` such as
 * "13.0" and `arch` such as "sm_80"; NULL takes these).
 */
struct cmpd_unit *cmpd_unit_build(const struct cmpd_tokens *toks, const struct cmpd_define *defines,
                                  size_t define_count, const char *toolkit, const char *arch,
                                  struct cmpd_arena *arena);

/*
 * The same with what the repository's own headers (may be NULL) say to the file: their macros are expanded, and where
 * the #include stands the text has those of their constants, enums and small functions that the file may name. All of
 * that text leads to the #include.
 */
struct cmpd_unit *cmpd_unit_build_with(const struct cmpd_tokens *toks,
                                       const struct cmpd_define *defines, size_t define_count,
                                       const char *toolkit, const char *arch,
                                       const struct cmpd_headers *headers,
                                       struct cmpd_arena *arena);

/* The source offset that an offset of the unit's text leads to. */
uint32_t cmpd_unit_origin(const struct cmpd_unit *unit, uint32_t exp_off);

/* The innermost macro use that the offset of the unit's text came from, or NULL when it is written out. */
const struct cmpd_macro_use *cmpd_unit_use_at(const struct cmpd_unit *unit, uint32_t exp_off);

/* Does a guessed #if group overlap source bytes [off, end)? */
bool cmpd_unit_guessed_in(const struct cmpd_unit *unit, uint32_t off, uint32_t end);

/* The definition of `name` in force at the source offset, or NULL. */
const struct cmpd_macro *cmpd_unit_macro_at(const struct cmpd_unit *unit, const char *name,
                                            size_t name_len, uint32_t src_off);

#endif
