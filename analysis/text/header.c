#include "analysis/text/header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

/* "a/./x/../b" as "a/b", in place. False: it is absolute, empty or climbs out of the root. */
static bool normalise(char *path)
{
    char *out = path, *in = path;
    if (*path == '/')
        return false;
    while (*in) {
        size_t n = strcspn(in, "/");
        bool more = in[n] == '/';
        if (n == 2 && memcmp(in, "..", 2) == 0) {
            if (out == path)
                return false;
            for (out--; out > path && out[-1] != '/'; out--)
                continue;
        } else if (n && !(n == 1 && *in == '.')) {
            memmove(out, in, n);
            out += n;
            if (more)
                *out++ = '/';
        }
        in += n + more;
    }
    *out = '\0';
    return out > path && out[-1] != '/';
}

/* The file below dir_fd, each part opened by itself so that no link is followed. Takes dir_fd over. */
static int open_below_take(int dir_fd, const char *path)
{
    while (dir_fd >= 0) {
        char part[256];
        size_t n = strcspn(path, "/");
        bool last = path[n] == '\0';
        int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
        int fd = -1;
        if (n < sizeof part) {
            memcpy(part, path, n);
            part[n] = '\0';
            fd = openat(dir_fd, part, last ? flags : flags | O_DIRECTORY);
        }
        close(dir_fd);
        if (last)
            return fd;
        dir_fd = fd;
        path += n + 1;
    }
    return -1;
}

static bool read_exactly(int fd, char *to, size_t len)
{
    while (len) {
        ssize_t n = read(fd, to, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        len -= (size_t)n;
    }
    return true;
}

bool cmpd_header_read_disk(void *ctx, const char *path, size_t ceiling_bytes, char **text,
                           size_t *len)
{
    int fd = open_below_take(open(ctx, O_RDONLY | O_CLOEXEC | O_DIRECTORY), path);
    struct stat st;
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 &&
              (unsigned long long)st.st_size <= ceiling_bytes;
    if (ok) {
        size_t size = (size_t)st.st_size;
        char *bytes = cmpd_calloc(size + 1, 1);
        ok = read_exactly(fd, bytes, size);
        if (ok) {
            *text = bytes;
            *len = size;
        } else {
            free(bytes);
        }
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Tries one place; `dir` of dir_len bytes, "" the root. */
static bool try_place(const struct cmpd_headers *h, const char *dir, size_t dir_len,
                      const char *name, size_t ceiling, char **path, char **text, size_t *len)
{
    char *full = cmpd_asprintf("%.*s/%s", (int)dir_len, dir, name);
    char *from = dir_len ? full : full + 1;
    if (dir_len == 0)
        memmove(full, from, strlen(from) + 1);
    if (normalise(full) && h->read(h->ctx, full, ceiling, text, len)) {
        *path = full;
        return true;
    }
    free(full);
    return false;
}

bool cmpd_header_find(const struct cmpd_headers *headers, const char *from, const char *name,
                      bool angle, size_t ceiling_bytes, char **path, char **text, size_t *len)
{
    const char *slash = strrchr(from, '/');
    if (*name == '\0' || *name == '/')
        return false;
    if (!angle && try_place(headers, from, slash ? (size_t)(slash - from) : 0, name, ceiling_bytes,
                            path, text, len))
        return true;
    for (size_t i = 0; i < headers->include_count; i++) {
        const char *dir = headers->include[i];
        if (*dir != '/' &&
            try_place(headers, dir, strlen(dir), name, ceiling_bytes, path, text, len))
            return true;
    }
    return false;
}
