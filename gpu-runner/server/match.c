/*
 * Whether bytes stand elsewhere too: which stretches of a buffer are equal to some of the bytes that were seen going by.
 * A copy of a copy leaves no other trace.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

#define ANCHOR 16u /* bytes by which equal stretches are found */

void srv_mask_set(uint8_t *mask, uint64_t at, uint64_t len)
{
    for (uint64_t i = at; i < at + len; i++) {
        if (i % 8 == 0 && i + 8 <= at + len) {
            mask[i / 8] = 0xff;
            i += 7;
        } else {
            mask[i / 8] |= (uint8_t)(1u << (i % 8));
        }
    }
}

bool srv_mask_get(const uint8_t *mask, uint64_t at)
{
    return mask[at / 8] >> (at % 8) & 1;
}

void srv_blobs_add(struct srv_blobs *b, const uint8_t *data, size_t len)
{
    uint64_t cost = len + sizeof(struct srv_blob) + ANCHOR;

    if (len == 0 || cost > SRV_BLOB_BYTES - b->bytes)
        return;
    CMPD_GROW(b->items, b->count + 1, b->cap);
    struct srv_blob *fresh = &b->items[b->count++];
    fresh->data = cmpd_alloc(len);
    fresh->len = len;
    memcpy(fresh->data, data, len);
    b->bytes += cost;
}

void srv_blobs_clear(struct srv_blobs *b)
{
    for (size_t i = 0; i < b->count; i++)
        free(b->items[i].data);
    free(b->items);
    *b = (struct srv_blobs){0};
}

void srv_match_begin(struct srv_match *m)
{
    m->mask = cmpd_calloc(m->bytes / 8 + 1, 1);
    m->next = 0;
}

uint64_t srv_match_end(struct srv_match *m)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < m->bytes; i++)
        count += srv_mask_get(m->mask, i);
    free(m->mask);
    m->mask = NULL;
    return count;
}

static uint64_t equal_bytes(const uint8_t *a, const uint8_t *b, uint64_t most)
{
    uint64_t n = 0;

    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* Copies mostly come in order: this one where the last one ended. */
static bool match_in_order(struct srv_match *m, const struct srv_blob *b)
{
    if (m->bytes - m->next < b->len || memcmp(m->data + m->next, b->data, b->len) != 0)
        return false;
    srv_mask_set(m->mask, m->next, b->len);
    m->next += b->len;
    return true;
}

/* Marks stretches of the buffer that begin as the blob begins. */
static void match_start(struct srv_match *m, const struct srv_blob *b)
{
    uint64_t at = 0, anchor = b->len < ANCHOR ? b->len : ANCHOR;

    while (at < m->bytes && m->budget > m->bytes) {
        const uint8_t *hit = memmem(m->data + at, m->bytes - at, b->data, anchor);
        uint64_t from = hit ? (uint64_t)(hit - m->data) : m->bytes;
        m->budget -= from - at;
        if (!hit)
            return;
        uint64_t room = m->bytes - from < b->len ? m->bytes - from : b->len;
        uint64_t n = equal_bytes(hit, b->data, room);
        srv_mask_set(m->mask, from, n);
        at = m->next = from + n;
    }
}

/* Marks stretches that are not marked yet and stand somewhere in the blob. */
static void match_inside(struct srv_match *m, const struct srv_blob *b)
{
    uint64_t at = 0;

    while (at < m->bytes && m->budget > b->len) {
        while (at < m->bytes && srv_mask_get(m->mask, at))
            at++;
        uint64_t anchor = m->bytes - at < ANCHOR ? m->bytes - at : ANCHOR;
        if (anchor == 0 || anchor > b->len)
            return;
        const uint8_t *hit = memmem(b->data, b->len, m->data + at, anchor);
        m->budget -= b->len;
        if (!hit) {
            at += anchor;
            continue;
        }
        uint64_t room = b->len - (uint64_t)(hit - b->data);
        uint64_t n = equal_bytes(m->data + at, hit, room < m->bytes - at ? room : m->bytes - at);
        srv_mask_set(m->mask, at, n);
        at += n;
    }
}

void srv_match_blob(struct srv_match *m, const struct srv_blob *b)
{
    if (match_in_order(m, b))
        return;
    match_start(m, b);
    match_inside(m, b);
}
