/* The #include lines of a text, as any compiler mode would see them. */
#ifndef CMPD_GPU_RUNNER_INCLUDE_LINES_H
#define CMPD_GPU_RUNNER_INCLUDE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/verdict/policy.h"

struct cmpd_include_line {
    char *name;    /* owned; NULL: computed (#include MACRO) */
    bool quoted;   /* "name", else <name> */
    uint32_t line; /* 1-based */
};

struct cmpd_include_lines {
    struct cmpd_include_line *items; /* owned */
    size_t count, cap;
    struct cmpd_strings
        conditions; /* owned; macros on which it hangs whether some header is included; each once */
    bool embeds;    /* the text holds .incbin or #embed, which put a file's bytes into the object */
    uint32_t embeds_line;
};

/*
 * On the safe side: what only might be a directive (inside a block comment, say) counts as one.
 * Spliced lines, comments between the tokens, %: and trigraphs are understood.
 */
void cmpd_include_lines_find(const char *text, size_t len, struct cmpd_include_lines *out);
void cmpd_include_lines_clear(struct cmpd_include_lines *l);

#endif
