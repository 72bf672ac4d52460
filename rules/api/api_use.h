/*
 * A file's names as the API rules see them: the lists of the policy's toolkit,
 * the names in active text with what stands around them, and which names the
 * file declares itself.
 */
#ifndef CMPD_RULES_API_API_USE_H
#define CMPD_RULES_API_API_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/rule.h"
#include "rules/api/api_db.h"

/* An answer of cmpd_api_use_declared. */
struct cmpd_declared {
    const char *s; /* borrowed from the asker: lives as long as the use */
    size_t len;
    bool declared;
};

/* Different names that a file is searched for; of more nothing is judged. */
#define CMPD_DECLARED_CEILING 64

struct cmpd_api_use {
    struct cmpd_check *check; /* borrowed */
    struct cmpd_api_db *db;   /* owned; NULL: the lists could not be read, judge nothing */
    int sm;                   /* compute capability that the policy compiles for: 80 */
    bool
        headers_known; /* each #include in active text is the toolkit's or the standard library's */
    bool headers_local; /* an unknown header is included with quotes: it may declare anything */
    bool using_std;     /* `using namespace std` */
    bool using_other;   /* `using namespace` of what may bring device functions of C names */
    bool macros_apart; /* set by who asks about macros: a #define or #undef declares nothing then */
    struct cmpd_declared asked[CMPD_DECLARED_CEILING];
    size_t asked_count;
};

/* Without lists `db` is NULL and *err (may be NULL) says why. */
void cmpd_api_use_init(struct cmpd_api_use *use, struct cmpd_check *check, struct cmpd_err *err);
void cmpd_api_use_clear(struct cmpd_api_use *use);

enum cmpd_name_before {
    CMPD_BEFORE_OTHER,
    CMPD_BEFORE_NAME,   /* an identifier that is no statement keyword: perhaps a declaration */
    CMPD_BEFORE_MEMBER, /* . or -> */
    CMPD_BEFORE_SCOPE,  /* a::name, not ::name */
};

/* A name in active text, macros expanded. */
struct cmpd_name {
    const char *s; /* in the unit's text, not terminated */
    size_t len;
    enum cmpd_name_before before;
    char after;       /* next byte that is no white space; 0 at the end */
    uint32_t exp_off; /* in the unit's text */
};

/* In order of the text; false from visit ends the walk. */
typedef bool (*cmpd_name_visit)(const struct cmpd_name *name, void *ctx);
void cmpd_api_use_names(const struct cmpd_api_use *use, cmpd_name_visit visit, void *ctx);

/* Where the name stands in the source: [off, end); the macro's use where it came from one. */
struct cmpd_span {
    uint32_t off, end;
};
struct cmpd_span cmpd_name_place(const struct cmpd_api_use *use, const struct cmpd_name *name);

/*
 * May the file declare the name itself: as a macro (in any #if branch), a function, a variable or a type?
 * Errs on the side of yes. `name` must live as long as the use.
 */
bool cmpd_api_use_declared(struct cmpd_api_use *use, const char *name, size_t len);

/* Does the source offset lie in the body of a kernel or a device function? */
bool cmpd_api_use_in_device(const struct cmpd_api_use *use, uint32_t off);

/* The first token that ends behind the source offset; the number of tokens if none does. */
size_t cmpd_token_index(const struct cmpd_tokens *toks, uint32_t off);

/*
 * The function body that token `at` lies in: tokens [first, end) between its braces, [head, first - 1) before
 * them, and the token of its name (`first` if there is none). False outside of bodies.
 */
struct cmpd_function_body {
    size_t head, name, first, end;
};
bool cmpd_function_body_at(const struct cmpd_tokens *toks, size_t at,
                           struct cmpd_function_body *out);

bool cmpd_strings_hold(const struct cmpd_strings *list, const char *name, size_t len);

#endif
