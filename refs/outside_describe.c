/* The answer to `describe`: text of another program, line by line. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "refs/op.h"
#include "refs/outside_op.h"
#include "refs/words.h"

#define WORDS_CEILING 40
#define NAME_CEILING  64

struct line {
    unsigned number;
    char *words[WORDS_CEILING]; /* in the arena */
    size_t count;
    const char *text; /* the whole line, in the arena */
};

/* A name that may stand in a file name and before an equals sign. */
static bool is_name(const char *s)
{
    size_t len = strlen(s);
    if (len == 0 || len > NAME_CEILING || !(isalpha((unsigned char)s[0]) || s[0] == '_')) {
        return false;
    }
    for (const char *p = s; *p; p++) {
        if (!isalnum((unsigned char)*p) && *p != '_') {
            return false;
        }
    }
    return true;
}

static bool parse_double(const char *s, double *out)
{
    char *end;
    errno = 0;
    *out = strtod(s, &end);
    return end != s && !*end && isfinite(*out);
}

static bool parse_dim(const char *s, int64_t *out)
{
    char *end;
    errno = 0;
    long long v = strtoll(s, &end, 10);
    *out = v;
    return end != s && !*end && errno == 0 && v > 0;
}

/* The value of `key=...`; NULL: another word. */
static const char *value_of(const char *word, const char *key)
{
    size_t n = strlen(key);
    return strncmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* a,b,c to "a b c"; NULL: something in it is no name. */
static char *list_of(struct outside_op *o, const char *text)
{
    char *list = cmpd_arena_strndup(&o->arena, text, strlen(text));
    for (char *part = list;;) {
        size_t n = strcspn(part, ",");
        bool last = !part[n];
        part[n] = 0;
        if (!is_name(part)) {
            return NULL;
        }
        if (last) {
            return list;
        }
        part[n] = ' ';
        part += n + 1;
    }
}

static cmpd_rc bad(const struct line *l, struct cmpd_err *err, const char *what)
{
    return cmpd_err_set(err, CMPD_EINPUT, "line %u of describe: %s: %.200s", l->number, what,
                        l->text);
}

/* ---- arguments ---- */

static bool parse_role(const char *word, enum cmpd_role *out)
{
    static const struct {
        const char *name;
        enum cmpd_role role;
    } ROLES[] = {{"in", CMPD_ROLE_IN},
                 {"out", CMPD_ROLE_OUT},
                 {"inout", CMPD_ROLE_INOUT},
                 {"dim", CMPD_ROLE_DIM},
                 {"scalar", CMPD_ROLE_SCALAR}};
    for (size_t i = 0; i < REF_COUNT(ROLES); i++) {
        if (strcmp(ROLES[i].name, word) == 0) {
            *out = ROLES[i].role;
            return true;
        }
    }
    return false;
}

static bool parse_values(struct outside_op *o, const char *text, struct outside_fill *f)
{
    const char *colon = strchr(text, ':');
    if (!colon) {
        f->values = strcmp(text, "positive") == 0 ? OUTSIDE_POSITIVE : OUTSIDE_MIXED;
        return f->values == OUTSIDE_POSITIVE || strcmp(text, "mixed") == 0;
    }
    if (strncmp(text, "below:", 6) == 0) {
        f->values = OUTSIDE_BELOW;
        f->below = cmpd_arena_strndup(&o->arena, colon + 1, strlen(colon + 1));
        return is_name(f->below);
    }
    char *lo = cmpd_arena_strndup(&o->arena, text, (size_t)(colon - text));
    f->values = OUTSIDE_RANGE;
    return parse_double(lo, &f->lo) && parse_double(colon + 1, &f->hi) && f->lo <= f->hi;
}

static cmpd_rc arg_option(struct outside_op *o, const struct line *l, const char *word,
                          struct cmpd_ref_arg *a, struct outside_fill *f, struct cmpd_err *err)
{
    const char *v;
    bool number = a->role == CMPD_ROLE_DIM || a->role == CMPD_ROLE_SCALAR;
    enum cmpd_dtype dtype;
    if ((v = value_of(word, "aliases"))) {
        a->aliases = list_of(o, v);
        return a->aliases ? CMPD_OK : bad(l, err, "aliases are no names");
    }
    if ((v = value_of(word, "shape")) && !number) {
        a->shape = strcmp(v, "1") == 0 ? NULL : list_of(o, v);
        return a->shape || strcmp(v, "1") == 0 ? CMPD_OK : bad(l, err, "shape is no list of names");
    }
    if ((v = value_of(word, "dtype")) && !number) {
        if (!cmpd_dtype_parse(v, &dtype)) {
            return bad(l, err, "no such dtype");
        }
        a->fixed_dtype = (int)dtype;
        return CMPD_OK;
    }
    if ((v = value_of(word, "values")) && a->role != CMPD_ROLE_DIM && a->role != CMPD_ROLE_OUT) {
        return parse_values(o, v, f) ? CMPD_OK : bad(l, err, "no such values");
    }
    if ((v = value_of(word, "default")) && a->role == CMPD_ROLE_SCALAR) {
        return parse_double(v, &a->default_value) ? CMPD_OK : bad(l, err, "default is no number");
    }
    if ((v = value_of(word, "optional")) && a->role == CMPD_ROLE_IN) {
        a->optional = true;
        return parse_double(v, &a->default_value) ? CMPD_OK : bad(l, err, "optional is no number");
    }
    return bad(l, err, "unknown option of an argument");
}

static bool name_taken(const struct outside_op *o, const char *name)
{
    for (size_t i = 0; i < o->arg_count; i++) {
        if (strcmp(o->args[i].name, name) == 0) {
            return true;
        }
    }
    /* Words of the compute command line. */
    return strcmp(name, "dtype") == 0 || strcmp(name, "inputs") == 0 || strcmp(name, "size") == 0;
}

static cmpd_rc parse_arg(struct outside_op *o, const struct line *l, struct cmpd_err *err)
{
    if (o->arg_count == CMPD_REF_ARGS_CEILING) {
        return bad(l, err, "too many arguments");
    }
    struct cmpd_ref_arg a = {.fixed_dtype = -1, .aliases = ""};
    struct outside_fill f = {0};
    if (l->count < 3 || !parse_role(l->words[1], &a.role)) {
        return bad(l, err, "not: arg in|out|inout|dim|scalar NAME");
    }
    if (!is_name(l->words[2]) || name_taken(o, l->words[2])) {
        return bad(l, err, "no name, or one that is taken");
    }
    a.name = l->words[2];
    a.optional = a.role == CMPD_ROLE_SCALAR;
    f.values = a.role == CMPD_ROLE_SCALAR ? OUTSIDE_FIXED : OUTSIDE_MIXED;
    for (size_t i = 3; i < l->count; i++) {
        cmpd_rc rc = arg_option(o, l, l->words[i], &a, &f, err);
        if (rc != CMPD_OK) {
            return rc;
        }
    }
    if (a.role == CMPD_ROLE_DIM && o->dim_count++ == CMPD_REF_DIMS_CEILING) {
        return bad(l, err, "too many dimensions");
    }
    o->fills[o->arg_count] = f;
    o->args[o->arg_count++] = a;
    return CMPD_OK;
}

/* ---- cases ---- */

static bool parse_size(const char *text, enum cmpd_case_size *out)
{
    static const char *const SIZES[] = {"tiny", "small", "medium", "large"};
    for (size_t i = 0; i < REF_COUNT(SIZES); i++) {
        if (strcmp(SIZES[i], text) == 0) {
            *out = (enum cmpd_case_size)i;
            return true;
        }
    }
    return false;
}

static bool is_input_set(const char *name)
{
    return strcmp(name, "mixed") == 0 || strcmp(name, "small") == 0 || strcmp(name, "large") == 0 ||
           strcmp(name, "zeros") == 0;
}

static bool case_word(struct outside_op *o, const char *word, struct cmpd_ref_case *c)
{
    const char *v;
    if ((v = value_of(word, "inputs"))) {
        c->inputs = v;
        return is_input_set(v);
    }
    if ((v = value_of(word, "size"))) {
        return parse_size(v, &c->size);
    }
    int d = 0;
    for (size_t i = 0; i < o->arg_count; i++) {
        if (o->args[i].role == CMPD_ROLE_DIM) {
            if ((v = value_of(word, o->args[i].name))) {
                return parse_dim(v, &c->dims.value[d]);
            }
            d++;
        }
    }
    return false;
}

static cmpd_rc parse_case(struct outside_op *o, const struct line *l, struct cmpd_err *err)
{
    struct cmpd_ref_case c = {.inputs = "mixed", .size = CMPD_CASE_TINY};
    if (o->case_count == CMPD_OUTSIDE_CASES_CEILING || l->count < 2) {
        return bad(l, err, "too many cases, or one without a name");
    }
    c.name = l->words[1];
    for (size_t i = 2; i < l->count; i++) {
        if (!case_word(o, l->words[i], &c)) {
            return bad(l, err, "not DIM=NUMBER, inputs= or size= (arguments come before cases)");
        }
    }
    for (size_t d = 0; d < o->dim_count; d++) {
        if (c.dims.value[d] == 0) {
            return bad(l, err, "a dimension is missing");
        }
    }
    o->cases[o->case_count++] = c;
    return CMPD_OK;
}

static void default_cases(struct outside_op *o)
{
    static const int64_t ONE[] = {1, 31, 33, 1000, 10007, 100287};
    static const int64_t TWO[][2] = {{1, 1}, {3, 31}, {7, 33}, {25, 40}, {67, 129}, {2, 4099}};
    static const int64_t THREE[][3] = {{1, 1, 1},    {31, 33, 17}, {33, 33, 33},
                                       {37, 53, 71}, {5, 7, 1031}, {64, 64, 64}};
    static const enum cmpd_case_size SIZES[] = {CMPD_CASE_TINY, CMPD_CASE_TINY,  CMPD_CASE_TINY,
                                                CMPD_CASE_TINY, CMPD_CASE_SMALL, CMPD_CASE_MEDIUM};
    for (size_t i = 0; i < 6; i++) {
        struct cmpd_ref_case *c = &o->cases[o->case_count++];
        const int64_t *from = o->dim_count == 1 ? &ONE[i] : o->dim_count == 2 ? TWO[i] : THREE[i];
        memcpy(c->dims.value, from, o->dim_count * sizeof *from);
        c->name = cmpd_arena_printf(&o->arena, "shape %zu", i + 1);
        c->size = SIZES[i];
        c->inputs = "mixed";
    }
}

/* ---- the rest ---- */

static cmpd_rc parse_dtypes(struct outside_op *o, const struct line *l, struct cmpd_err *err)
{
    if (l->count != 2 || o->dtype_count) {
        return bad(l, err, "not one list of dtypes");
    }
    char *save = NULL;
    for (char *t = strtok_r(l->words[1], ",", &save); t; t = strtok_r(NULL, ",", &save)) {
        enum cmpd_dtype dtype;
        if (!cmpd_dtype_parse(t, &dtype) || o->dtype_count == CMPD_DTYPE_COUNT) {
            return bad(l, err, "no such dtype");
        }
        o->dtypes[o->dtype_count++] = dtype;
    }
    return o->dtype_count ? CMPD_OK : bad(l, err, "not one list of dtypes");
}

static cmpd_rc parse_tolerance(struct outside_op *o, const struct line *l, struct cmpd_err *err)
{
    enum cmpd_dtype dtype;
    struct cmpd_tolerance t;
    if (l->count != 4 || !cmpd_dtype_parse(l->words[1], &dtype) ||
        !parse_double(l->words[2], &t.atol) || !parse_double(l->words[3], &t.rtol) || t.atol < 0 ||
        t.rtol < 0) {
        return bad(l, err, "not: tolerance DTYPE ATOL RTOL");
    }
    o->tolerances[dtype] = t;
    o->has_tolerance[dtype] = true;
    return CMPD_OK;
}

static cmpd_rc parse_line(struct outside_op *o, const struct line *l, struct cmpd_err *err)
{
    const char *key = l->words[0];
    if (strcmp(key, "arg") == 0) {
        return parse_arg(o, l, err);
    }
    if (strcmp(key, "case") == 0) {
        return parse_case(o, l, err);
    }
    if (strcmp(key, "dtypes") == 0) {
        return parse_dtypes(o, l, err);
    }
    if (strcmp(key, "tolerance") == 0) {
        return parse_tolerance(o, l, err);
    }
    if (strcmp(key, "summary") == 0) {
        o->op.summary = l->text + strspn(l->text, " \t");
        o->op.summary += strlen("summary");
        o->op.summary += strspn(o->op.summary, " \t");
        return CMPD_OK;
    }
    if (strcmp(key, "name") == 0 && l->count == 2 && is_name(l->words[1]) && !o->op.name) {
        o->op.name = l->words[1];
        return CMPD_OK;
    }
    return bad(l, err, "not understood");
}

static size_t rank_of(const struct cmpd_ref_arg *a)
{
    size_t rank = 0;
    const char *rest = a->shape;
    struct cmpd_word word;
    while (cmpd_word_next(&rest, &word)) {
        rank++;
    }
    return rank;
}

/* Shapes and values name dimensions that are there; something is computed. */
static cmpd_rc check_whole(struct outside_op *o, struct cmpd_err *err)
{
    bool output = false;
    for (size_t i = 0; i < o->arg_count; i++) {
        const struct cmpd_ref_arg *a = &o->args[i];
        output = output || a->role == CMPD_ROLE_OUT || a->role == CMPD_ROLE_INOUT;
        if (rank_of(a) > CMPD_REF_RANK_CEILING) {
            return cmpd_err_set(err, CMPD_EINPUT, "describe: %s has more than %d dimensions",
                                a->name, CMPD_REF_RANK_CEILING);
        }
        CMPD_AUTOFREE char *needs = cmpd_asprintf("%s %s", a->shape ? a->shape : "",
                                                  o->fills[i].below ? o->fills[i].below : "");
        char *save = NULL;
        for (char *n = strtok_r(needs, " ", &save); n; n = strtok_r(NULL, " ", &save)) {
            bool found = false;
            for (size_t d = 0; d < o->arg_count; d++) {
                found = found || (o->args[d].role == CMPD_ROLE_DIM && !strcmp(o->args[d].name, n));
            }
            if (!found) {
                return cmpd_err_set(err, CMPD_EINPUT,
                                    "describe: %s names %s, which is no dimension", a->name, n);
            }
        }
    }
    if (!o->op.name || !output || !o->dim_count) {
        return cmpd_err_set(err, CMPD_EINPUT, "describe lacks a %s",
                            !o->op.name ? "name"
                            : !output   ? "result (arg out)"
                                        : "dimension");
    }
    if (!o->case_count && o->dim_count > 3) {
        return cmpd_err_set(err, CMPD_EINPUT, "describe: more than 3 dimensions need case lines");
    }
    return CMPD_OK;
}

/* Cuts text up to its end or a newline into words; false: too many. */
static bool cut_line(struct outside_op *o, const char *at, size_t len, struct line *l)
{
    char *copy = cmpd_arena_strndup(&o->arena, at, len);
    char *save = NULL;
    l->text = cmpd_arena_strndup(&o->arena, at, len);
    l->count = 0;
    for (char *w = strtok_r(copy, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save)) {
        if (l->count == WORDS_CEILING) {
            return false;
        }
        l->words[l->count++] = w;
    }
    return true;
}

static cmpd_rc parse_text(struct outside_op *o, const char *text, size_t len, struct cmpd_err *err)
{
    struct line l = {0};
    const char *end = text + len;
    bool first = true;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
        l.number++;
        if (!cut_line(o, text, n, &l)) {
            return bad(&l, err, "too many words");
        }
        text += n + 1;
        if (l.count == 0) {
            continue;
        }
        if (first) {
            if (l.count != 2 || strcmp(l.words[0], "cmpd-reference") != 0 ||
                strcmp(l.words[1], "1") != 0) {
                return bad(&l, err, "not: cmpd-reference 1");
            }
            first = false;
            continue;
        }
        cmpd_rc rc = parse_line(o, &l, err);
        if (rc != CMPD_OK) {
            return rc;
        }
    }
    return check_whole(o, err);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    const struct outside_op *o = (const struct outside_op *)call->op;
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    return o->has_tolerance[dtype] ? o->tolerances[dtype] : cmpd_ref_default_tolerance(dtype);
}

cmpd_rc cmpd_outside_parse(const char *text, size_t len, struct cmpd_ref_op **out,
                           struct cmpd_err *err)
{
    if (len > CMPD_OUTSIDE_DESCRIBE_CEILING || (len && memchr(text, 0, len))) {
        return cmpd_err_set(err, CMPD_EINPUT, "describe gave no text, or too much of it");
    }
    struct outside_op *o = cmpd_calloc(1, sizeof *o);
    cmpd_rc rc = parse_text(o, text, len, err);
    if (rc != CMPD_OK) {
        cmpd_outside_close(&o->op);
        return rc;
    }
    if (!o->case_count) {
        default_cases(o);
    }
    if (!o->dtype_count) {
        o->dtypes[o->dtype_count++] = CMPD_F32;
    }
    o->op.aliases = "";
    o->op.summary = o->op.summary ? o->op.summary : "";
    o->op.args = o->args;
    o->op.arg_count = o->arg_count;
    o->op.cases = o->cases;
    o->op.case_count = o->case_count;
    o->op.dtypes = o->dtypes;
    o->op.dtype_count = o->dtype_count;
    o->op.generate = outside_generate;
    o->op.tolerance = tolerance;
    *out = &o->op;
    return CMPD_OK;
}

void cmpd_outside_close(struct cmpd_ref_op *op)
{
    if (op) {
        struct outside_op *o = (struct outside_op *)op;
        cmpd_arena_clear(&o->arena);
        free(o);
    }
}
