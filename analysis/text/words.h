/* What kind of word an identifier is, as far as the normaliser cares. Private to analysis/text. */
#ifndef CMPD_ANALYSIS_TEXT_WORDS_H
#define CMPD_ANALYSIS_TEXT_WORDS_H

#include <stdint.h>

enum word_class {
    WORD_PLAIN, /* any other name */
    WORD_CAPS, /* SOME_NAME: capitals, digits, underscores, two capitals at least: a macro, most likely */
    WORD_TYPE,      /* int, float, unsigned ... */
    WORD_SPECIFIER, /* static, inline, __device__ ... */
    WORD_CV,        /* const, volatile */
    WORD_CLASS_KEY, /* struct, class, union, enum */
    WORD_STATEMENT, /* if, for, return ... */
    WORD_OPERATOR,  /* sizeof, new, throw, case, operator ...: what follows is no declarator */
    WORD_TAIL,      /* noexcept, override, final: stands behind a parameter list */
    WORD_WITH_ARGS, /* __launch_bounds__ and others that the grammar can't read, with their arguments */
    WORD_BARE,      /* the same, without arguments */
};

enum word_class cmpd_word_class(const char *s, uint32_t len);

#endif
