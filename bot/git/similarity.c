#include "bot/git/similarity.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

/* The numbers of git's hash; another hash would give other collisions and so, at the threshold, other renames. */
enum { HASHES = 107927, PIECE_BYTES = 64, BINARY_PROBE_BYTES = 8000 };

static bool looks_binary(const char *text, size_t len)
{
    return memchr(text, '\0', len < BINARY_PROBE_BYTES ? len : BINARY_PROBE_BYTES) != NULL;
}

/* Bytes under each hash; `sums` holds HASHES zeroes. Returns how many became non-zero. */
static size_t sum_pieces(const char *text, size_t len, uint32_t *sums)
{
    bool binary = looks_binary(text, len);
    uint32_t high = 0, low = 0, bytes = 0;
    size_t used = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (!binary && c == '\r' && i + 1 < len && text[i + 1] == '\n')
            continue; /* a change of line ends alone is no change here */
        uint32_t before = high;
        high = ((high << 7) ^ (low >> 25)) + c;
        low = (low << 7) ^ (before >> 25);
        if (++bytes < PIECE_BYTES && c != '\n')
            continue;
        uint32_t hash = (high + low * 0x61u) % HASHES;
        used += sums[hash] == 0;
        sums[hash] += bytes;
        high = low = bytes = 0;
    }
    return used;
}

void cmpd_pieces_make(const char *text, size_t len, struct cmpd_pieces *out)
{
    CMPD_AUTOFREE uint32_t *sums = cmpd_calloc(HASHES, sizeof *sums);
    size_t used = sum_pieces(text, len, sums);

    out->items = cmpd_calloc(used, sizeof *out->items);
    out->count = 0;
    for (uint32_t h = 0; h < HASHES && out->count < used; h++) {
        if (sums[h])
            out->items[out->count++] = (struct cmpd_piece){h, sums[h]};
    }
}

void cmpd_pieces_clear(struct cmpd_pieces *p)
{
    free(p->items);
    *p = (struct cmpd_pieces){0};
}

int cmpd_similarity_possible(size_t size_a, size_t size_b, int least)
{
    double longer = (double)(size_a > size_b ? size_a : size_b);
    double apart = longer - (double)(size_a > size_b ? size_b : size_a);

    return longer * (CMPD_SIMILARITY_MAX - least) >= apart * CMPD_SIMILARITY_MAX;
}

int cmpd_similarity(const struct cmpd_pieces *from, size_t from_size, const struct cmpd_pieces *to,
                    size_t to_size)
{
    size_t longer = from_size > to_size ? from_size : to_size;
    uint64_t shared = 0;

    for (size_t a = 0, b = 0; a < from->count && b < to->count;) {
        const struct cmpd_piece *x = &from->items[a], *y = &to->items[b];
        if (x->hash == y->hash)
            shared += x->bytes < y->bytes ? x->bytes : y->bytes;
        a += x->hash <= y->hash;
        b += y->hash <= x->hash;
    }
    return to_size ? (int)((double)shared * CMPD_SIMILARITY_MAX / (double)longer) : 0;
}
