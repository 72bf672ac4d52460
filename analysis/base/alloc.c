#include "analysis/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p)
{
    if (!p) {
        fputs("cmpd: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *cmpd_alloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *cmpd_calloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *cmpd_realloc(void *p, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        checked(NULL);
    return checked(realloc(p, bytes ? bytes : 1));
}

char *cmpd_strdup(const char *s)
{
    return s ? checked(strdup(s)) : NULL;
}

char *cmpd_strndup(const char *s, size_t len)
{
    char *p = cmpd_alloc(len + 1);
    memcpy(p, s, len);
    p[len] = '\0';
    return p;
}

char *cmpd_asprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = NULL;
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    return checked(n < 0 ? NULL : s);
}

void cmpd_autofree(void *pp)
{
    void *p;
    memcpy(&p, pp, sizeof p);
    free(p);
}
