/*
 * The one error channel. A function that can fail returns cmpd_rc and puts the
 * detail into the caller's `struct cmpd_err *err` (last parameter, may be NULL
 * where the caller does not care). Out-parameters are written only on success.
 */
#ifndef CMPD_ANALYSIS_BASE_ERR_H
#define CMPD_ANALYSIS_BASE_ERR_H

#include <stdarg.h>

/* A code exists only where a caller branches on it; most map to an exit status. */
typedef enum cmpd_rc {
    CMPD_OK = 0,
    CMPD_EUSAGE,    /* bad usage: exit 64 */
    CMPD_EINPUT,    /* input is not what it should be: exit 65 */
    CMPD_ENOENT,    /* no such file or revision: exit 66 */
    CMPD_EUNAVAIL,  /* a needed service or program is not there: exit 69 */
    CMPD_EINTERNAL, /* a fault of CMP-D itself: exit 70 */
    CMPD_EIO,       /* input or output error: exit 74 */
    CMPD_ELIMIT,    /* a ceiling of limits.h was reached: exit 65 */
    CMPD_ETIMEOUT,  /* a deadline passed */
} cmpd_rc;

struct cmpd_err {
    cmpd_rc rc;
    char msg[1024]; /* one sentence, no trailing newline; names the place and what to do */
};

/* Fill *err (if not NULL) and return rc, so that callers can `return cmpd_err_set(...)`. */
cmpd_rc cmpd_err_set(struct cmpd_err *err, cmpd_rc rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the message that *err already holds; returns err->rc. */
cmpd_rc cmpd_err_prefix(struct cmpd_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The process exit status (sysexits) for a code. */
int cmpd_rc_exit_status(cmpd_rc rc);

#endif
