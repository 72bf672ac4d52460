#include "analysis/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

static cmpd_rc read_all(int fd, const char *name, size_t ceiling, struct cmpd_buf *out,
                        struct cmpd_err *err)
{
    size_t total = 0;
    char chunk[65536];
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cmpd_err_set(err, CMPD_EIO, "cannot read %s: %s", name, strerror(errno));
        if (n == 0)
            return CMPD_OK;
        total += (size_t)n;
        if (total > ceiling)
            return cmpd_err_set(err, CMPD_ELIMIT,
                                "%s is longer than %zu bytes, the most that is read", name,
                                ceiling);
        cmpd_buf_append(out, chunk, (size_t)n);
    }
}

static cmpd_rc refuse_odd(const char *path, const struct stat *st, struct cmpd_err *err)
{
    const char *what = S_ISDIR(st->st_mode)    ? "a directory"
                       : S_ISFIFO(st->st_mode) ? "a fifo"
                       : S_ISSOCK(st->st_mode) ? "a socket"
                                               : "a device";
    return cmpd_err_set(err, CMPD_EINPUT, "%s is %s, not a file", path, what);
}

cmpd_rc cmpd_file_read(const char *path, size_t ceiling_bytes, struct cmpd_buf *out,
                       struct cmpd_err *err)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", ceiling_bytes, out, err);
    /* O_NONBLOCK: a fifo with no writer must not hang the open. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        cmpd_rc rc = errno == ENOENT || errno == ENOTDIR ? CMPD_ENOENT : CMPD_EIO;
        return cmpd_err_set(err, rc, "cannot open %.500s: %s", path, strerror(errno));
    }
    struct stat st;
    cmpd_rc rc;
    if (fstat(fd, &st) < 0)
        rc = cmpd_err_set(err, CMPD_EIO, "cannot stat %s: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        rc = refuse_odd(path, &st, err);
    else if ((unsigned long long)st.st_size > ceiling_bytes)
        rc = cmpd_err_set(err, CMPD_ELIMIT, "%s has %lld bytes; at most %zu are read", path,
                          (long long)st.st_size, ceiling_bytes);
    else
        rc = read_all(fd, path, ceiling_bytes, out, err);
    close(fd);
    return rc;
}

static cmpd_rc write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return CMPD_EIO;
        data += n;
        len -= (size_t)n;
    }
    return CMPD_OK;
}

/* A device or a fifo is written to; a file of that name in its place would be its end. */
static cmpd_rc write_into(const char *path, const void *data, size_t len, struct cmpd_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot write %s: %s", path, strerror(errno));
    cmpd_rc rc = write_all(fd, data, len);
    int saved = errno;
    if (close(fd) < 0 && rc == CMPD_OK) {
        saved = errno;
        rc = CMPD_EIO;
    }
    return rc == CMPD_OK ? rc : cmpd_err_set(err, rc, "cannot write %s: %s", path, strerror(saved));
}

static cmpd_rc replace(const char *path, const void *data, size_t len, struct cmpd_err *err)
{
    CMPD_AUTOFREE char *tmp = cmpd_asprintf("%s.XXXXXX", path);
    int fd = mkstemp(tmp);
    if (fd < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot write %s: %s", path, strerror(errno));
    cmpd_rc rc = write_all(fd, data, len);
    if (fchmod(fd, 0644) < 0)
        rc = CMPD_EIO;
    if (close(fd) < 0)
        rc = CMPD_EIO;
    if (rc == CMPD_OK && rename(tmp, path) < 0)
        rc = CMPD_EIO;
    if (rc != CMPD_OK) {
        int saved = errno;
        unlink(tmp);
        return cmpd_err_set(err, rc, "cannot write %s: %s", path, strerror(saved));
    }
    return CMPD_OK;
}

cmpd_rc cmpd_file_write_atomic(const char *path, const void *data, size_t len, struct cmpd_err *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return write_into(path, data, len, err);
    return replace(path, data, len, err);
}
