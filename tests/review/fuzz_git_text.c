/* Bytes of a change: include lines, names, and the lines between two texts (cut at the first 0xff byte). */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/git/diff.h"
#include "bot/git/include.h"
#include "bot/git/path.h"
#include "bot/git/similarity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    const char *bytes;
    size_t len;
};

static void on_include(void *ctx, const char *name, size_t len, bool angle)
{
    const struct text *t = ctx;
    (void)angle;
    assert(name >= t->bytes && len <= t->len && (size_t)(name - t->bytes) <= t->len - len);
    CMPD_AUTOFREE char *path = cmpd_path_join("k/deep", name, len);
    assert(!path || cmpd_path_is_safe(path) || strlen(path) > 200);
}

static void check_name(const char *bytes, size_t len)
{
    CMPD_AUTOFREE char *name = cmpd_strndup(bytes, len);
    CMPD_AUTOFREE char *shown = cmpd_path_shown(name);
    for (const char *p = shown; *p; p++)
        assert((unsigned char)*p >= 0x20 && *p != 0x7f);
    CMPD_AUTOFREE char *again = cmpd_path_shown(shown);
    assert(strcmp(shown, again) == 0);
}

static void check_lines(const struct text *a, const struct text *b)
{
    struct cmpd_git_lines l;
    if (cmpd_git_lines(a->bytes, a->len, b->bytes, b->len, &l, NULL) != CMPD_OK)
        return;
    for (size_t i = 0; i < l.added_count; i++) {
        assert(l.added[i].from <= l.added[i].to);
        assert(i == 0 || l.added[i - 1].to + 1 < l.added[i].from);
        assert(cmpd_git_line_in_diff(&l, l.added[i].from) &&
               cmpd_git_line_in_diff(&l, l.added[i].to));
    }
    cmpd_git_lines_clear(&l);
}

static void check_similarity(const struct text *a, const struct text *b)
{
    struct cmpd_pieces from, to;
    cmpd_pieces_make(a->bytes, a->len, &from);
    cmpd_pieces_make(b->bytes, b->len, &to);
    int score = cmpd_similarity(&from, a->len, &to, b->len);
    assert(score >= 0 && score <= CMPD_SIMILARITY_MAX);
    cmpd_pieces_clear(&from);
    cmpd_pieces_clear(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of just that size, so that a read past its end is seen. */
    CMPD_AUTOFREE char *copy = cmpd_alloc(size);
    if (size)
        memcpy(copy, data, size);
    const char *cut = size ? memchr(copy, 0xff, size) : NULL;
    struct text a = {copy, cut ? (size_t)(cut - copy) : size};
    struct text b = {cut ? cut + 1 : copy + size, cut ? size - a.len - 1 : 0};
    cmpd_include_scan(a.bytes, a.len, on_include, &a);
    check_name(a.bytes, a.len);
    check_lines(&a, &b);
    check_similarity(&a, &b);
    return 0;
}
