#include "analysis/text/source.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"
#include "analysis/base/sha256.h"

static const uint64_t HIGH_BITS = 0x8080808080808080u;

/* Length of the well-formed UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_sequence(const unsigned char *s, size_t left)
{
    size_t n = s[0] < 0x80   ? 1
               : s[0] < 0xc2 ? 0
               : s[0] < 0xe0 ? 2
               : s[0] < 0xf0 ? 3
               : s[0] < 0xf5 ? 4
                             : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* Over-long forms, surrogates, and what lies over U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static bool utf8_valid(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0;
    while (i < len) {
        uint64_t word;
        if (len - i >= sizeof word) {
            memcpy(&word, s + i, sizeof word);
            if ((word & HIGH_BITS) == 0) {
                i += sizeof word;
                continue;
            }
        }
        size_t n = utf8_sequence(s + i, len - i);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

static void add_line(struct cmpd_source *src, size_t *cap, size_t start)
{
    CMPD_GROW(src->line_start, (size_t)src->line_count + 1, *cap);
    src->line_start[src->line_count++] = (uint32_t)start;
}

static void build_lines(struct cmpd_source *src)
{
    size_t cap = 0;
    const char *text = src->text, *end = text + src->len;
    add_line(src, &cap, 0);
    if (!memchr(text, '\r', src->len)) {
        for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p))); p++)
            add_line(src, &cap, (size_t)(p + 1 - text));
        return;
    }
    for (size_t i = 0; i < src->len; i++) {
        if (text[i] == '\r' && text[i + 1] == '\n')
            i++;
        else if (text[i] != '\n' && text[i] != '\r')
            continue;
        add_line(src, &cap, i + 1);
    }
}

cmpd_rc cmpd_source_new_take(const char *path, char *text, size_t len, struct cmpd_source **out,
                             struct cmpd_err *err)
{
    if (len > CMPD_SOURCE_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT, "%s has %zu bytes; at most %zu are judged", path, len,
                            CMPD_SOURCE_CEILING_BYTES);
    struct cmpd_source *src = cmpd_calloc(1, sizeof *src);
    src->path = cmpd_strdup(path);
    src->text = text;
    src->len = len;
    build_lines(src);
    cmpd_sha256_hex(text, len, src->sha256);
    src->has_bom = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    src->binary = memchr(text, '\0', len) != NULL;
    src->valid_utf8 = utf8_valid(text, len);
    *out = src;
    return CMPD_OK;
}

cmpd_rc cmpd_source_open(const char *path, struct cmpd_source **out, struct cmpd_err *err)
{
    CMPD_BUF_AUTO struct cmpd_buf buf = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_file_read(path, CMPD_SOURCE_CEILING_BYTES, &buf, err);
    if (rc != CMPD_OK)
        return rc;
    size_t len = buf.len;
    char *text = cmpd_buf_steal(&buf);
    rc = cmpd_source_new_take(path, text, len, out, err);
    if (rc != CMPD_OK)
        free(text);
    return rc;
}

void cmpd_source_free(struct cmpd_source *src)
{
    if (!src)
        return;
    free(src->path);
    free(src->text);
    free(src->line_start);
    free(src);
}

struct cmpd_pos cmpd_source_pos(const struct cmpd_source *src, size_t offset)
{
    if (offset > src->len)
        offset = src->len;
    uint32_t low = 0, high = src->line_count; /* line_start[low] <= offset */
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (src->line_start[mid] <= offset)
            low = mid;
        else
            high = mid;
    }
    struct cmpd_pos pos = {low + 1, (uint32_t)(offset - src->line_start[low]) + 1};
    return pos;
}
