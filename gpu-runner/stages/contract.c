#include "gpu-runner/stages/contract.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/base/alloc.h"
#include "analysis/base/arena.h"
#include "analysis/text/lex.h"
#include "analysis/text/source.h"

#define TEXT_CEILING 4000 /* of one comment */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind `word` at p, as a whole word; NULL: it does not stand there. */
static const char *behind(const char *p, const char *word)
{
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && !is_word(p[n]) ? p + n : NULL;
}

static const char *blanks(const char *p)
{
    while (*p == ' ' || *p == '`' || *p == '\'' || *p == '*' || *p == ':')
        p++;
    return p;
}

/* "if n < 32 ..." tells what the code does, not what it demands. */
static bool is_condition(const char *text, const char *name)
{
    static const char *const words[] = {"if",    "when",   "while", "for",
                                        "where", "unless", "until", "case"};
    const char *end = name;
    while (end > text && !is_word(end[-1]))
        end--;
    const char *start = end;
    while (start > text && is_word(start[-1]))
        start--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == (size_t)(end - start) &&
            strncasecmp(words[i], start, (size_t)(end - start)) == 0)
            return true;
    }
    return false;
}

/* A number, also 2^20 and 1 << 20; 0: none. */
static int64_t number(const char *p)
{
    char *end;
    long long v = strtoll(blanks(p), &end, 10);
    if (end == blanks(p) || v <= 0)
        return 0;
    const char *q = blanks(end);
    if (*q == '^' || strncmp(q, "<<", 2) == 0) {
        long power = strtol(blanks(q + (*q == '^' ? 1 : 2)), NULL, 10);
        return power > 0 && power < 62 && (v == 2 || v == 1) ? (int64_t)1 << power : 0;
    }
    return v;
}

/* What follows a parameter's name: "<= 1024", "is a multiple of 4", "% 4 == 0", "divisible by 32". */
static void read_demand(const char *p, struct cmpd_contract_term *t)
{
    static const char *const fillers[] = {"must", "should", "has", "to",  "be",    "is",
                                          "are",  "a",      "an",  "any", "always"};
    const char *next;
    p = blanks(p);
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++) {
        next = behind(p, fillers[i]);
        if (next) {
            p = blanks(next);
            i = (size_t)-1;
        }
    }
    if (strncmp(p, "<=", 2) == 0)
        t->most = number(p + 2);
    else if (*p == '<' && p[1] != '<')
        t->most = number(p + 1) > 1 ? number(p + 1) - 1 : 0;
    else if ((next = behind(p, "at")) && (next = behind(blanks(next), "most")))
        t->most = number(next);
    else if ((next = behind(p, "up")) && (next = behind(blanks(next), "to")))
        t->most = number(next);
    else if (((next = behind(p, "multiple")) && (next = behind(blanks(next), "of"))) ||
             ((next = behind(p, "divisible")) && (next = behind(blanks(next), "by"))))
        t->multiple = number(next) ? number(next) : 1;
    else if (*p == '%' && strstr(p, "== 0") && strstr(p, "== 0") - p < 16)
        t->multiple = number(p + 1) ? number(p + 1) : 1;
}

static void read_comment(const char *text, const struct cmpd_binding *b, struct cmpd_contract *out)
{
    for (size_t i = 0; i < b->param_count && b->func && i < b->func->param_count; i++) {
        const char *name = b->func->params[i].name;
        if (b->params[i].role != CMPD_ROLE_DIM || !name || !name[0])
            continue;
        for (const char *p = text; (p = strstr(p, name)) != NULL; p++) {
            struct cmpd_contract_term t = {.param = i, .multiple = 1};
            if ((p > text && is_word(p[-1])) || is_word(p[strlen(name)]) || is_condition(text, p))
                continue;
            read_demand(p + strlen(name), &t);
            if ((t.most || t.multiple > 1) && out->count < CMPD_CONTRACT_CEILING)
                out->terms[out->count++] = t;
        }
    }
}

static bool inside_a_function(const struct cmpd_tokens *t, uint32_t offset)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (t->items[mid].off < offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->count &&
           (t->items[low].ctx & (CMPD_CTX_KERNEL | CMPD_CTX_DEVICE | CMPD_CTX_HOST));
}

void cmpd_contract_read(const char *root, const char *file, const struct cmpd_binding *b,
                        struct cmpd_contract *out)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", root, file);
    struct cmpd_source *src = NULL;
    memset(out, 0, sizeof *out);
    if (cmpd_source_open(path, &src, NULL) != CMPD_OK)
        return;
    struct cmpd_arena arena = {0};
    const struct cmpd_tokens *t = cmpd_lex(src, &arena);
    for (size_t i = 0; i < t->comment_count; i++) {
        if (inside_a_function(t, t->comments[i].off)) /* it tells of the code there */
            continue;
        size_t len = t->comments[i].len < TEXT_CEILING ? t->comments[i].len : TEXT_CEILING;
        CMPD_AUTOFREE char *text = cmpd_strndup(src->text + t->comments[i].off, len);
        read_comment(text, b, out);
    }
    cmpd_arena_clear(&arena);
    cmpd_source_free(src);
}

static bool keeps(const struct cmpd_contract_term *t, int64_t v)
{
    return (!t->most || v <= t->most) && v % t->multiple == 0;
}

/* The argument that dimension d is. */
static const struct cmpd_ref_arg *dimension(const struct cmpd_ref_op *op, int d)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        if (cmpd_ref_dim_index(op, i) == d)
            return &op->args[i];
    }
    return NULL;
}

/* Gives the parameter a value: its dimension, or of several the last, the others being 1. Products follow. */
static bool set_value(const struct cmpd_bind_param *p, const struct cmpd_ref_op *op, int64_t v,
                      struct cmpd_dims *dims)
{
    if (!p->dim_mask || p->dim_factor != 1 || p->dim_divisor > 1)
        return false;
    int last = 31 - __builtin_clz(p->dim_mask);
    const struct cmpd_ref_arg *a = dimension(op, last);
    if (a && a->shape) /* a product by itself: the rest follows from it */
        memset(dims, 0, sizeof *dims);
    for (int d = 0; d < last; d++) {
        if (p->dim_mask >> d & 1)
            dims->value[d] = 1;
    }
    dims->value[last] = v;
    for (size_t i = 0; i < op->arg_count; i++) {
        int d = cmpd_ref_dim_index(op, i);
        if (d >= 0 && d != last && op->args[i].shape)
            dims->value[d] = 0;
    }
    return cmpd_ref_dims_complete(op, dims, NULL) == CMPD_OK;
}

bool cmpd_contract_fit(const struct cmpd_contract *c, const struct cmpd_binding *b,
                       const struct cmpd_ref_op *op, struct cmpd_dims *dims)
{
    struct cmpd_dims tried = *dims;
    for (size_t i = 0; i < c->count; i++) {
        const struct cmpd_contract_term *t = &c->terms[i];
        int64_t v = cmpd_bind_dim(&b->params[t->param], op, &tried);
        if (keeps(t, v))
            continue;
        v = (v + t->multiple - 1) / t->multiple * t->multiple;
        if (t->most && v > t->most)
            v = t->most / t->multiple * t->multiple;
        if (v <= 0 || !set_value(&b->params[t->param], op, v, &tried) ||
            !cmpd_bind_fit(b, op, &tried))
            return false;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (!keeps(&c->terms[i], cmpd_bind_dim(&b->params[c->terms[i].param], op, &tried)))
            return false;
    }
    *dims = tried;
    return true;
}
