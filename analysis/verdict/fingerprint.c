#include <ctype.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/sha256.h"
#include "analysis/verdict/report.h"

/* A region as long as a kernel's body is known well enough by its beginning. */
#define MOST_TOKENS 256

size_t cmpd_token_at(const struct cmpd_tokens *toks, uint32_t off)
{
    size_t lo = 0, hi = toks->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (toks->items[mid].off + toks->items[mid].len <= off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Does the token end a statement, or begin or end a block? */
static bool is_edge(const struct cmpd_tokens *toks, size_t i)
{
    const struct cmpd_token *t = &toks->items[i];
    return t->kind == CMPD_TOK_PUNCT && t->len == 1 && strchr(";{}", toks->src->text[t->off]);
}

static void start(struct cmpd_sha256 *h, enum cmpd_tag tag, const char *kernel)
{
    const char *name = cmpd_tag_info(tag)->name;
    cmpd_sha256_init(h);
    cmpd_sha256_update(h, name, strlen(name) + 1);
    cmpd_sha256_update(h, kernel ? kernel : "", kernel ? strlen(kernel) + 1 : 1);
}

void cmpd_fingerprint_region(const struct cmpd_tokens *toks, enum cmpd_tag tag, const char *kernel,
                             uint32_t off, uint32_t end, char out[33])
{
    size_t first = cmpd_token_at(toks, off), last = first;
    while (last < toks->count && toks->items[last].off < end && last - first < MOST_TOKENS)
        last++;
    while (first > 0 && last - first < MOST_TOKENS && !is_edge(toks, first - 1))
        first--;
    while (last < toks->count && last - first < MOST_TOKENS && last > first &&
           !is_edge(toks, last - 1))
        last++;
    struct cmpd_sha256 h;
    start(&h, tag, kernel);
    for (size_t i = first; i < last; i++) {
        cmpd_sha256_update(&h, toks->src->text + toks->items[i].off, toks->items[i].len);
        cmpd_sha256_update(&h, "", 1);
    }
    cmpd_sha256_final_hex(&h, out, 32);
}

void cmpd_fingerprint_text(enum cmpd_tag tag, const char *kernel, const char *text, size_t len,
                           char out[33])
{
    struct cmpd_sha256 h;
    start(&h, tag, kernel);
    for (size_t i = 0; i < len; i++) {
        if (!isspace((unsigned char)text[i]))
            cmpd_sha256_update(&h, text + i, 1);
    }
    cmpd_sha256_final_hex(&h, out, 32);
}

static int by_content(const void *pa, const void *pb)
{
    const struct cmpd_finding *a = *(struct cmpd_finding *const *)pa;
    const struct cmpd_finding *b = *(struct cmpd_finding *const *)pb;
    int c = strcmp(a->content_hash, b->content_hash);
    return c ? c : (a > b) - (a < b); /* same list: the place in it is its order */
}

void cmpd_fingerprints_number(struct cmpd_findings *list)
{
    struct cmpd_finding **order = cmpd_calloc(list->count + 1, sizeof *order);
    for (size_t i = 0; i < list->count; i++)
        order[i] = &list->items[i];
    qsort(order, list->count, sizeof *order, by_content);
    uint32_t occurrence = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool again = i > 0 && strcmp(order[i]->content_hash, order[i - 1]->content_hash) == 0;
        occurrence = again ? occurrence + 1 : 0;
        memcpy(order[i]->fingerprint, order[i]->content_hash, sizeof order[i]->fingerprint);
        if (!again)
            continue;
        struct cmpd_sha256 h;
        unsigned char number[4] = {(unsigned char)(occurrence >> 24),
                                   (unsigned char)(occurrence >> 16),
                                   (unsigned char)(occurrence >> 8), (unsigned char)occurrence};
        cmpd_sha256_init(&h);
        cmpd_sha256_update(&h, order[i]->content_hash, 32);
        cmpd_sha256_update(&h, number, sizeof number);
        cmpd_sha256_final_hex(&h, order[i]->fingerprint, 32);
    }
    free(order);
}
