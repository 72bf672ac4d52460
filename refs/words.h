/* Lists of words in one string, separated by blanks: aliases, shapes. */
#ifndef CMPD_REFS_WORDS_H
#define CMPD_REFS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct cmpd_word {
    const char *at; /* borrowed, not NUL-terminated */
    size_t len;
};

/* Steps over one word; false at the end. *rest may be NULL: no words. */
static inline bool cmpd_word_next(const char **rest, struct cmpd_word *word)
{
    if (!*rest) {
        return false;
    }
    const char *p = *rest + strspn(*rest, " ");
    word->at = p;
    word->len = strcspn(p, " ");
    *rest = p + word->len;
    return word->len > 0;
}

static inline bool cmpd_word_is(struct cmpd_word word, const char *text)
{
    return strlen(text) == word.len && memcmp(text, word.at, word.len) == 0;
}

/* `text` is one of the words of `words` (may be NULL). */
static inline bool cmpd_words_have(const char *words, const char *text)
{
    struct cmpd_word word;
    while (cmpd_word_next(&words, &word)) {
        if (cmpd_word_is(word, text)) {
            return true;
        }
    }
    return false;
}

#endif
