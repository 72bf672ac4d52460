#include "gpu-runner/link/libdir.h"

#include <limits.h>
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "analysis/base/datadir.h"

/* Links are followed: a jail shows the file itself. */
cmpd_rc cmpd_libdir_path(const char *name, char **out, struct cmpd_err *err)
{
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    char real[PATH_MAX];
    cmpd_rc rc = cmpd_datadir_program(name, &path, err);

    if (rc != CMPD_OK)
        return rc;
    if (!realpath(cmpd_buf_str(&path), real))
        return cmpd_err_set(err, CMPD_ENOENT, "%s is missing: reinstall, or set CMPD_LIBDIR",
                            cmpd_buf_str(&path));
    *out = cmpd_strdup(real);
    return CMPD_OK;
}
