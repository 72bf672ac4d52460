#include "analysis/base/err.h"

#include <stdio.h>
#include <string.h>

cmpd_rc cmpd_err_set(struct cmpd_err *err, cmpd_rc rc, const char *fmt, ...)
{
    if (!err)
        return rc;
    va_list ap;
    va_start(ap, fmt);
    err->rc = rc;
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    return rc;
}

cmpd_rc cmpd_err_prefix(struct cmpd_err *err, const char *fmt, ...)
{
    if (!err)
        return CMPD_EINTERNAL;
    char old[sizeof err->msg];
    memcpy(old, err->msg, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof err->msg)
        snprintf(err->msg + n, sizeof err->msg - (size_t)n, ": %s", old);
    return err->rc;
}

int cmpd_rc_exit_status(cmpd_rc rc)
{
    switch (rc) {
    case CMPD_OK:
        return 0;
    case CMPD_EUSAGE:
        return 64;
    case CMPD_EINPUT:
    case CMPD_ELIMIT:
        return 65;
    case CMPD_ENOENT:
        return 66;
    case CMPD_EUNAVAIL:
    case CMPD_ETIMEOUT:
        return 69;
    case CMPD_EINTERNAL:
        return 70;
    case CMPD_EIO:
        return 74;
    }
    return 70;
}
