/*
 * See fatbin.h. Layout, found by looking at what nvcc 11 to 13 writes; all little-endian:
 *   fat binary  +0 u32 magic, +4 u16 version, +6 u16 header bytes, +8 u64 bytes of all entries
 *   entry       +0 u16 kind (1: PTX), +4 u32 header bytes, +8 u64 bytes that follow, +16 u32 compressed bytes
 *               (0: as many as follow), +28 u32 architecture, +40 u64 flags, +56 u64 bytes when uncompressed
 */
#include "gpu-runner/ptx/fatbin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/ptx.h"

#define MAGIC          0xba55ed50u
#define HEADER_BYTES   16u
#define ENTRY_BYTES    64u
#define KIND_PTX       1u
#define FLAG_LZ4       0x2000u
#define FLAG_ZSTD      0x8000u
#define LARGEST_HEADER 4096u

static uint16_t u16_at(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t u32_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t u64_at(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

size_t cmpd_fatbin_size(const void *data, size_t len)
{
    const uint8_t *p = data;
    if (len < HEADER_BYTES || u32_at(p) != MAGIC)
        return 0;
    uint16_t header = u16_at(p + 6);
    uint64_t entries = u64_at(p + 8);
    if (header < HEADER_BYTES || header > len || entries > len - header)
        return 0;
    return header + (size_t)entries;
}

struct entry {
    const uint8_t *payload; /* borrowed */
    size_t payload_len;
    uint16_t kind;
    uint32_t compressed_len, arch;
    uint64_t flags, plain_len;
};

/* The entry at p and, in *len, what it takes of the `left` bytes; false: damaged. */
static bool read_entry(const uint8_t *p, size_t left, struct entry *e, size_t *len)
{
    if (left < ENTRY_BYTES)
        return false;
    uint32_t header = u32_at(p + 4);
    uint64_t payload = u64_at(p + 8);
    if (header < ENTRY_BYTES || header > LARGEST_HEADER || header > left || payload > left - header)
        return false;
    *e = (struct entry){.payload = p + header,
                        .payload_len = (size_t)payload,
                        .kind = u16_at(p),
                        .compressed_len = u32_at(p + 16),
                        .arch = u32_at(p + 28),
                        .flags = u64_at(p + 40),
                        .plain_len = u64_at(p + 56)};
    *len = header + (size_t)payload;
    return true;
}

static cmpd_rc inflate_zstd(const struct entry *e, char **text, size_t *len, struct cmpd_err *err)
{
    size_t packed = e->compressed_len ? e->compressed_len : e->payload_len;
    if (packed > e->payload_len)
        return cmpd_err_set(err, CMPD_EINPUT, "the fat binary is damaged: an entry is cut short");
    if (e->plain_len > CMPD_PTX_TEXT_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT, "PTX of %llu bytes; the ceiling is %zu",
                            (unsigned long long)e->plain_len, CMPD_PTX_TEXT_CEILING_BYTES);
    size_t room = (size_t)e->plain_len;
    char *out = cmpd_alloc(room + 1);
    size_t got = ZSTD_decompress(out, room, e->payload, packed);
    if (ZSTD_isError(got)) {
        free(out);
        return cmpd_err_set(err, CMPD_EINPUT, "the fat binary is damaged: zstd says: %s",
                            ZSTD_getErrorName(got));
    }
    *text = out;
    *len = got;
    return CMPD_OK;
}

static cmpd_rc entry_text(const struct entry *e, char **text, size_t *len, struct cmpd_err *err)
{
    if (e->flags & FLAG_ZSTD)
        return inflate_zstd(e, text, len, err);
    if (e->flags & FLAG_LZ4)
        return cmpd_err_set(err, CMPD_EINPUT,
                            "the PTX is compressed with LZ4, as nvcc before 12.4 did it; compile "
                            "with --no-compress or a newer nvcc");
    if (e->payload_len > CMPD_PTX_TEXT_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT, "PTX of %zu bytes; the ceiling is %zu",
                            e->payload_len, CMPD_PTX_TEXT_CEILING_BYTES);
    *text = cmpd_strndup((const char *)e->payload, e->payload_len);
    *len = e->payload_len;
    return CMPD_OK;
}

/* The text ends at its first NUL: entries are padded to a multiple of eight. */
static void add_image_take(struct cmpd_fatbin *out, char *text, size_t len, uint32_t arch,
                           size_t container)
{
    text[len] = '\0';
    out->images = cmpd_realloc(out->images, out->count + 1, sizeof *out->images);
    out->images[out->count++] = (struct cmpd_fatbin_image){
        .text = text, .len = strlen(text), .arch = arch, .container = container};
}

static cmpd_rc read_container(const uint8_t *p, size_t len, size_t container,
                              struct cmpd_fatbin *out, struct cmpd_err *err)
{
    for (size_t at = u16_at(p + 6); at < len;) {
        struct entry e;
        size_t step = 0;
        if (!read_entry(p + at, len - at, &e, &step))
            return cmpd_err_set(err, CMPD_EINPUT, "the fat binary is damaged: no entry at byte %zu",
                                at);
        at += step;
        if (e.kind != KIND_PTX) {
            out->skipped++;
            continue;
        }
        if (out->count >= CMPD_FATBIN_IMAGES_CEILING)
            return cmpd_err_set(err, CMPD_ELIMIT, "a fat binary of over %d PTX images",
                                CMPD_FATBIN_IMAGES_CEILING);
        char *text = NULL;
        size_t text_len = 0;
        cmpd_rc rc = entry_text(&e, &text, &text_len, err);
        if (rc != CMPD_OK)
            return rc;
        add_image_take(out, text, text_len, e.arch, container);
    }
    return CMPD_OK;
}

cmpd_rc cmpd_fatbin_read(const void *data, size_t len, struct cmpd_fatbin *out,
                         struct cmpd_err *err)
{
    const uint8_t *p = data;
    struct cmpd_fatbin found = {0};
    size_t container = 0;
    while (len > 0) {
        /* Fat binaries are aligned to eight bytes; zeros lie between. */
        if (*p == 0) {
            p++;
            len--;
            continue;
        }
        size_t size = cmpd_fatbin_size(p, len);
        cmpd_rc rc = size == 0 ? cmpd_err_set(err, CMPD_EINPUT, "not a fat binary, or cut short")
                               : read_container(p, size, container++, &found, err);
        if (rc != CMPD_OK) {
            cmpd_fatbin_clear(&found);
            return rc;
        }
        p += size;
        len -= size;
    }
    *out = found;
    return CMPD_OK;
}

void cmpd_fatbin_clear(struct cmpd_fatbin *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->images[i].text);
    free(f->images);
    *f = (struct cmpd_fatbin){0};
}
