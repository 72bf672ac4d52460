/*
 * A growing byte buffer with a ceiling. The text is always NUL-terminated
 * behind `len`. Reaching the ceiling sets `truncated` and drops what is over;
 * nothing fails, so that a caller can say that output was cut.
 */
#ifndef CMPD_ANALYSIS_BASE_BUF_H
#define CMPD_ANALYSIS_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct cmpd_buf {
    char *data;     /* owned; NULL while empty */
    size_t len;     /* bytes, without the terminator */
    size_t cap;     /* bytes allocated */
    size_t ceiling; /* most bytes; 0: CMPD_BUF_CEILING_BYTES of limits.h */
    bool truncated;
};

#define CMPD_BUF_INIT        \
    {                        \
        NULL, 0, 0, 0, false \
    }

void cmpd_buf_append(struct cmpd_buf *b, const void *data, size_t len);
void cmpd_buf_puts(struct cmpd_buf *b, const char *s);
void cmpd_buf_putc(struct cmpd_buf *b, char c);
void cmpd_buf_printf(struct cmpd_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cmpd_buf_vprintf(struct cmpd_buf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
void cmpd_buf_reset(struct cmpd_buf *b);            /* keeps the memory */
void cmpd_buf_clear(struct cmpd_buf *b);            /* frees; safe twice */
char *cmpd_buf_steal(struct cmpd_buf *b);           /* caller owns; never NULL; b is empty after */
const char *cmpd_buf_str(const struct cmpd_buf *b); /* borrowed; "" while empty */

#define CMPD_BUF_AUTO __attribute__((cleanup(cmpd_buf_clear)))

#endif
