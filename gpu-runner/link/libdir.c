#include "gpu-runner/link/libdir.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

static char *folder(void)
{
    const char *from_env = getenv("CMPD_LIBDIR");
    char exe[PATH_MAX];

    if (from_env && from_env[0] == '/')
        return cmpd_strdup(from_env);
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    if (n <= 0)
        return NULL;
    exe[n] = '\0';
    char *slash = strrchr(exe, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return cmpd_asprintf("%s/../lib/cmpd", exe);
}

cmpd_rc cmpd_libdir_path(const char *name, char **out, struct cmpd_err *err)
{
    CMPD_AUTOFREE char *dir = folder();
    char real[PATH_MAX];

    if (!dir)
        return cmpd_err_set(err, CMPD_EINTERNAL,
                            "can't find the program's own place through /proc/self/exe; "
                            "set CMPD_LIBDIR");
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", dir, name);
    if (!realpath(path, real))
        return cmpd_err_set(err, CMPD_ENOENT, "%s is missing: reinstall, or set CMPD_LIBDIR", path);
    *out = cmpd_strdup(real);
    return CMPD_OK;
}
