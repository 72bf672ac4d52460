#include "gpu-runner/compile/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

#define DEPTH_CEILING 64

cmpd_rc cmpd_workdir_make(char **out, struct cmpd_err *err)
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/')
        base = "/tmp";
    char *path = cmpd_asprintf("%s/cmpd-XXXXXX", base);
    if (!mkdtemp(path)) {
        cmpd_rc rc = cmpd_err_set(err, CMPD_EIO, "cannot make a folder in %s: %s", base,
                                  strerror(errno));
        free(path);
        return rc;
    }
    *out = path;
    return CMPD_OK;
}

/* Takes the descriptor over. */
static void empty_take(int fd, unsigned depth)
{
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    struct dirent *e;
    while ((e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, e->d_name, 0) == 0 || depth >= DEPTH_CEILING)
            continue;
        int sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (sub >= 0)
            empty_take(sub, depth + 1);
        unlinkat(fd, e->d_name, AT_REMOVEDIR);
    }
    closedir(d);
}

void cmpd_workdir_remove(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        empty_take(fd, 0);
    rmdir(path);
}
