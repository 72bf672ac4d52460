/*
 * From what the compiler said to findings: which fault is the file's own and which the
 * environment's, on which line of the file it stands, and which messages are only echoes of
 * another.
 */
#ifndef CMPD_GPU_RUNNER_COMPILE_FINDINGS_H
#define CMPD_GPU_RUNNER_COMPILE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/verdict/policy.h"
#include "analysis/verdict/tags.h"
#include "gpu-runner/compile/closure.h"
#include "gpu-runner/compile/diag.h"

/* All members are borrowed; what is unknown is NULL or 0. */
struct cmpd_compile_context {
    const char *root; /* absolute */
    const char *file; /* relative to root, normalised */
    const char *text; /* of the file */
    size_t len;
    const struct cmpd_closure *closure;
    const struct cmpd_nvcc *nvcc;
    const char *toolkit; /* folder that holds bin/nvcc */
    const char *work;    /* private folder: its paths don't appear in messages */
    const char *ptx;     /* of the front half, for lines of ptxas messages */
    size_t ptx_len;
    const struct cmpd_strings *inputs; /* every file read, where the preprocessor got that far */
};

struct cmpd_compile_finding {
    enum cmpd_tag tag;     /* compile_error, compile_environment, compile_timeout */
    uint32_t line, column; /* 1-based; 0: the file as a whole */
    char *message;         /* owned */
    char *hint;            /* owned, NULL: none */
};

struct cmpd_compile_findings {
    struct cmpd_compile_finding *items; /* owned */
    size_t count, cap;
};

/* Takes message over; hint is copied, may be NULL. */
struct cmpd_compile_finding *cmpd_compile_findings_add_take(struct cmpd_compile_findings *l,
                                                            enum cmpd_tag tag, uint32_t line,
                                                            uint32_t column, char *message,
                                                            const char *hint);
void cmpd_compile_findings_clear(struct cmpd_compile_findings *l);

/*
 * One finding for each distinct cause. Where any cause lies in the environment, the rest is not
 * judged: it may follow from it. Errors that can't be understood become one compile_environment
 * finding, never a reject.
 */
void cmpd_compile_findings_make(const struct cmpd_diags *diags,
                                const struct cmpd_compile_context *ctx,
                                struct cmpd_compile_findings *out);

/* ---- parts, for tests ---- */

/* compile_error or compile_environment; *hint (static or NULL). */
enum cmpd_tag cmpd_compile_classify(const struct cmpd_diag *d,
                                    const struct cmpd_compile_context *ctx, const char **hint);

struct cmpd_anchor {
    uint32_t line, column;
};
/* The place in the file; 0, 0 where none is known. */
struct cmpd_anchor cmpd_compile_anchor(const struct cmpd_diag *d,
                                       const struct cmpd_compile_context *ctx);

/* Does `path` of a message name the file of the context? */
bool cmpd_compile_is_file(const char *path, const struct cmpd_compile_context *ctx);

/* The n-th line (1-based) of a text, without its end; *len 0 where there is none. */
const char *cmpd_text_line(const char *text, size_t text_len, uint32_t n, size_t *len);

/* The first 'quoted' or "quoted" part of a message; caller owns, NULL: none. */
char *cmpd_quoted(const char *message);

/* The plain name inside _Z4kernPfi or _ZN2ns4kernE...; the whole where it is not mangled, empty
 * where unreadable. */
void cmpd_plain_name(const char *mangled, char *out, size_t size);

/* Does word stand in text[0..len) with no name character on either side? */
bool cmpd_has_word(const char *text, size_t len, const char *word);

#endif
