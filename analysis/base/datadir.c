#include "analysis/base/datadir.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA_FOLDER    "share/cmpd"
#define LIBRARY_FOLDER "lib/cmpd"

static bool is_inner_path(const char *path)
{
    if (path[0] == '\0' || path[0] == '/')
        return false;
    for (const char *p = path; p; p = strchr(p, '/')) {
        if (*p == '/')
            p++;
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
            return false;
    }
    return true;
}

/* The folder above the one that holds the executable: /usr for /usr/bin/cmpd. */
static cmpd_rc install_prefix(struct cmpd_buf *out, struct cmpd_err *err)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe));

    if (n <= 0 || (size_t)n >= sizeof(exe))
        return cmpd_err_set(err, CMPD_EINTERNAL,
                            "can't find the program's own place through /proc/self/exe; "
                            "set CMPD_DATADIR");
    size_t len = (size_t)n;
    for (int level = 0; level < 2; level++) {
        while (len > 0 && exe[len - 1] != '/')
            len--;
        while (len > 1 && exe[len - 1] == '/')
            len--;
    }
    cmpd_buf_append(out, exe, len);
    return CMPD_OK;
}

static cmpd_rc find(const char *folder, const char *variable, const char *relative,
                    struct cmpd_buf *out, struct cmpd_err *err)
{
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    const char *from_env = getenv(variable);

    if (!is_inner_path(relative))
        return cmpd_err_set(err, CMPD_EUSAGE, "'%s' does not name a data file", relative);
    if (from_env && from_env[0]) {
        cmpd_buf_puts(&path, from_env);
    } else {
        cmpd_rc rc = install_prefix(&path, err);
        if (rc != CMPD_OK)
            return rc;
        cmpd_buf_putc(&path, '/');
        cmpd_buf_puts(&path, folder);
    }
    cmpd_buf_putc(&path, '/');
    cmpd_buf_puts(&path, relative);
    if (access(cmpd_buf_str(&path), R_OK) != 0)
        return cmpd_err_set(err, CMPD_ENOENT, "%s is missing: reinstall, or set %s",
                            cmpd_buf_str(&path), variable);
    cmpd_buf_reset(out);
    cmpd_buf_append(out, path.data, path.len);
    return CMPD_OK;
}

cmpd_rc cmpd_datadir_path(const char *relative, struct cmpd_buf *out, struct cmpd_err *err)
{
    return find(DATA_FOLDER, "CMPD_DATADIR", relative, out, err);
}

cmpd_rc cmpd_datadir_program(const char *relative, struct cmpd_buf *out, struct cmpd_err *err)
{
    return find(LIBRARY_FOLDER, "CMPD_LIBDIR", relative, out, err);
}
