#include "analysis/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"

static size_t room_for(struct cmpd_buf *b, size_t len)
{
    size_t ceiling = b->ceiling ? b->ceiling : CMPD_BUF_CEILING_BYTES;
    size_t left = ceiling > b->len ? ceiling - b->len : 0;
    if (len > left) {
        b->truncated = true;
        len = left;
    }
    if (!b->data || b->len + len + 1 > b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 128;
        if (cap < b->len + len + 1)
            cap = b->len + len + 1;
        b->data = cmpd_realloc(b->data, cap, 1);
        b->cap = cap;
    }
    return len;
}

void cmpd_buf_append(struct cmpd_buf *b, const void *data, size_t len)
{
    len = room_for(b, len);
    if (len)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void cmpd_buf_puts(struct cmpd_buf *b, const char *s)
{
    cmpd_buf_append(b, s, strlen(s));
}

void cmpd_buf_putc(struct cmpd_buf *b, char c)
{
    cmpd_buf_append(b, &c, 1);
}

void cmpd_buf_vprintf(struct cmpd_buf *b, const char *fmt, va_list ap)
{
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        cmpd_buf_append(b, small, (size_t)n);
    } else if (n >= 0) {
        CMPD_AUTOFREE char *big = cmpd_alloc((size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, fmt, again);
        cmpd_buf_append(b, big, (size_t)n);
    }
    va_end(again);
}

void cmpd_buf_printf(struct cmpd_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    cmpd_buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void cmpd_buf_reset(struct cmpd_buf *b)
{
    b->len = 0;
    b->truncated = false;
    if (b->data)
        b->data[0] = '\0';
}

void cmpd_buf_clear(struct cmpd_buf *b)
{
    free(b->data);
    b->data = NULL;
    b->len = b->cap = 0;
    b->truncated = false;
}

char *cmpd_buf_steal(struct cmpd_buf *b)
{
    if (!b->data)
        cmpd_buf_append(b, "", 0);
    char *s = b->data;
    b->data = NULL;
    b->len = b->cap = 0;
    return s;
}

const char *cmpd_buf_str(const struct cmpd_buf *b)
{
    return b->data ? b->data : "";
}
