/* What a message must look like: the lengths of each kind, and bounded reading. */
#include <string.h>

#include "gpu-runner/wire/io.h"

/* Structures go over the wire as they lie in memory: no holes, and the order of bytes that wire.h names. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire is little-endian");
_Static_assert(sizeof(struct cmpd_wire_head) == 16, "no holes");
_Static_assert(sizeof(struct cmpd_wire_answer) == 16, "no holes");
_Static_assert(sizeof(struct cmpd_wire_copy) == 72, "no holes");
_Static_assert(sizeof(struct cmpd_wire_set) == 48, "no holes");
_Static_assert(sizeof(struct cmpd_wire_launch) == 56, "no holes");
_Static_assert(sizeof(struct cmpd_wire_kernel) == 40, "no holes");
_Static_assert(sizeof(struct cmpd_wire_case) == 32, "no holes");
_Static_assert(sizeof(struct cmpd_wire_arg) == 32, "no holes");

struct kind {
    const char *name;
    uint32_t fixed;     /* bytes of the fixed part */
    uint32_t data_most; /* of what follows it */
};

#define KIND(k, fixed, data_most) [k] = {#k, fixed, data_most}

static const struct kind kinds[CMPD_WIRE_KIND_COUNT] = {
    KIND(CMPD_WIRE_HELLO, 4, 0),
    KIND(CMPD_WIRE_FATBIN, 0, CMPD_WIRE_MESSAGE_CEILING),
    KIND(CMPD_WIRE_FUNCTION, 16, CMPD_WIRE_NAME_CEILING),
    KIND(CMPD_WIRE_VARIABLE, 24, CMPD_WIRE_NAME_CEILING),
    KIND(CMPD_WIRE_ALLOC, 16, 0),
    KIND(CMPD_WIRE_FREE, 16, 0),
    KIND(CMPD_WIRE_COPY, sizeof(struct cmpd_wire_copy), CMPD_WIRE_MESSAGE_CEILING),
    KIND(CMPD_WIRE_SET, sizeof(struct cmpd_wire_set), 0),
    KIND(CMPD_WIRE_LAUNCH, sizeof(struct cmpd_wire_launch), CMPD_WIRE_PARAMS_CEILING),
    KIND(CMPD_WIRE_KERNEL, 8, 0),
    KIND(CMPD_WIRE_SYMBOL, 8, 0),
    KIND(CMPD_WIRE_FUNC_SET, 16, 0),
    KIND(CMPD_WIRE_STREAM_NEW, 8, 0),
    KIND(CMPD_WIRE_STREAM_FREE, 8, 0),
    KIND(CMPD_WIRE_EVENT_NEW, 8, 0),
    KIND(CMPD_WIRE_EVENT_FREE, 8, 0),
    KIND(CMPD_WIRE_EVENT_RECORD, 8, 0),
    KIND(CMPD_WIRE_EVENT_TIME, 8, 0),
    KIND(CMPD_WIRE_WAIT_EVENT, 8, 0),
    KIND(CMPD_WIRE_SYNC, 16, 0),
    KIND(CMPD_WIRE_MEM_INFO, 0, 0),
    KIND(CMPD_WIRE_POINTER, 8, 0),
    KIND(CMPD_WIRE_HOST_RANGE, 24, 0),
    KIND(CMPD_WIRE_LAST_ERROR, 8, 0),
    KIND(CMPD_WIRE_FAILED, 8, CMPD_WIRE_NAME_CEILING),
    KIND(CMPD_WIRE_RESET, 0, 0),
    KIND(CMPD_WIRE_UNBUILT, 0, CMPD_WIRE_NAME_CEILING),
    KIND(CMPD_WIRE_NEXT, 0, 0),
    KIND(CMPD_WIRE_DONE, 16, 0),
    KIND(CMPD_WIRE_FAULT, 24, CMPD_WIRE_NAME_CEILING),
    KIND(CMPD_WIRE_WHERE, 0, CMPD_WIRE_PLACES * sizeof(uint64_t)),
};

const char *cmpd_wire_kind_name(uint32_t kind)
{
    return kind < CMPD_WIRE_KIND_COUNT ? kinds[kind].name : NULL;
}

uint32_t cmpd_wire_fixed_bytes(uint32_t kind)
{
    return kind < CMPD_WIRE_KIND_COUNT ? kinds[kind].fixed : 0;
}

const char *cmpd_wire_head_fault(const struct cmpd_wire_head *head, uint32_t expected_seq)
{
    if (head->magic != CMPD_WIRE_MAGIC)
        return "not a message";
    if (!cmpd_wire_kind_name(head->kind))
        return "an unknown kind";
    if (head->seq != expected_seq)
        return "out of order";
    const struct kind *k = &kinds[head->kind];
    if (head->len < k->fixed)
        return "shorter than its kind";
    if (head->len - k->fixed > k->data_most)
        return "longer than its kind allows";
    return NULL;
}

struct cmpd_wire_reader cmpd_wire_reader_of(const void *data, size_t len)
{
    return (struct cmpd_wire_reader){.at = data, .left = len};
}

const void *cmpd_wire_get_bytes(struct cmpd_wire_reader *r, size_t n)
{
    if (n > r->left) {
        r->bad = true;
        r->left = 0;
        return NULL;
    }
    const void *at = r->at;
    r->at += n;
    r->left -= n;
    return at;
}

void cmpd_wire_get(struct cmpd_wire_reader *r, void *out, size_t n)
{
    const void *from = cmpd_wire_get_bytes(r, n);

    if (from)
        memcpy(out, from, n);
    else
        memset(out, 0, n);
}

uint32_t cmpd_wire_get_u32(struct cmpd_wire_reader *r)
{
    uint32_t v;

    cmpd_wire_get(r, &v, sizeof(v));
    return v;
}

uint64_t cmpd_wire_get_u64(struct cmpd_wire_reader *r)
{
    uint64_t v;

    cmpd_wire_get(r, &v, sizeof(v));
    return v;
}

const char *cmpd_wire_get_name(struct cmpd_wire_reader *r, size_t *len)
{
    const char *name = (const char *)r->at;
    size_t n = r->left;
    bool ok = n >= 1 && n <= CMPD_WIRE_NAME_CEILING;

    for (size_t i = 0; ok && i < n; i++)
        ok = (unsigned char)name[i] >= 0x20 && (unsigned char)name[i] != 0x7f;
    if (!ok) {
        r->bad = true;
        r->left = 0;
        return NULL;
    }
    r->at += n;
    r->left = 0;
    *len = n;
    return name;
}

bool cmpd_wire_reader_done(const struct cmpd_wire_reader *r)
{
    return !r->bad && r->left == 0;
}

bool cmpd_wire_copy_bytes(const struct cmpd_wire_copy *copy, uint64_t *bytes)
{
    uint64_t n;

    if (__builtin_mul_overflow(copy->width, copy->height, &n) || n > CMPD_WIRE_MESSAGE_CEILING)
        return false;
    if (copy->height > 1 && (copy->to_pitch < copy->width || copy->from_pitch < copy->width))
        return false;
    *bytes = n;
    return true;
}
