#include "bot/git/path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/limits.h"

/* Drops the last name of what was joined so far; false at the root. */
static bool go_up(struct cmpd_buf *path)
{
    if (path->len == 0)
        return false;
    while (path->len && path->data[path->len - 1] != '/')
        path->len--;
    if (path->len)
        path->len--;
    path->data[path->len] = '\0';
    return true;
}

/* Appends each name of [text, text + len); false when they lead out of the root. */
static bool append_names(struct cmpd_buf *path, const char *text, size_t len)
{
    const char *end = text + len;

    while (text < end) {
        const char *stop = memchr(text, '/', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        if (n == 2 && memcmp(text, "..", 2) == 0) {
            if (!go_up(path))
                return false;
        } else if (n > 0 && !(n == 1 && text[0] == '.')) {
            if (path->len)
                cmpd_buf_putc(path, '/');
            cmpd_buf_append(path, text, n);
        }
        text += n + 1;
    }
    return true;
}

char *cmpd_path_join(const char *dir, const char *relative, size_t relative_len)
{
    CMPD_BUF_AUTO struct cmpd_buf path = {.ceiling = CMPD_PATH_CEILING_BYTES};

    if (relative_len == 0 || relative[0] == '/' || memchr(relative, '\0', relative_len))
        return NULL;
    if (!append_names(&path, dir, strlen(dir)) || !append_names(&path, relative, relative_len))
        return NULL;
    return path.len && !path.truncated ? cmpd_buf_steal(&path) : NULL;
}

const char *cmpd_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *cmpd_path_dir(const char *path)
{
    const char *base = cmpd_path_base(path);
    return cmpd_strndup(path, base > path ? (size_t)(base - path) - 1 : 0);
}

static bool ends_in_one_of(const char *path, const char *const *endings)
{
    const char *dot = strrchr(cmpd_path_base(path), '.');

    for (; dot && *endings; endings++) {
        if (strcmp(dot + 1, *endings) == 0)
            return true;
    }
    return false;
}

bool cmpd_path_is_cuda(const char *path)
{
    static const char *const endings[] = {"cu", "cuh", NULL};
    return ends_in_one_of(path, endings);
}

bool cmpd_path_is_code(const char *path)
{
    static const char *const endings[] = {"cu",  "cuh", "h",   "hh",  "hpp", "hxx",  "h++",
                                          "inl", "inc", "ipp", "tpp", "tcc", "txx",  "def",
                                          "c",   "cc",  "cpp", "cxx", "c++", "impl", NULL};
    return ends_in_one_of(path, endings);
}

/* Length of the UTF-8 character at p (surrogates and over-long forms are none), 0 if there is none. */
static size_t utf8_length(const unsigned char *p)
{
    size_t n = p[0] < 0x80   ? 1
               : p[0] < 0xc2 ? 0
               : p[0] < 0xe0 ? 2
               : p[0] < 0xf0 ? 3
               : p[0] < 0xf5 ? 4
                             : 0;

    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

char *cmpd_path_shown(const char *path)
{
    struct cmpd_buf out = CMPD_BUF_INIT;
    const unsigned char *p = (const unsigned char *)path;

    while (*p) {
        size_t n = utf8_length(p);
        /* U+0080 to U+009F are control characters too. */
        bool control = n && (*p < 0x20 || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0));
        if (n && !control) {
            cmpd_buf_append(&out, p, n);
            p += n;
        } else {
            cmpd_buf_printf(&out, "\\x%02X", *p++);
        }
    }
    return cmpd_buf_steal(&out);
}

bool cmpd_path_is_safe(const char *path)
{
    size_t len = strlen(path);

    if (len == 0 || len > CMPD_PATH_CEILING_BYTES)
        return false;
    for (const char *p = path;;) {
        size_t n = strcspn(p, "/");
        if (n == 0 || n > NAME_MAX || (n == 1 && p[0] == '.') ||
            (n == 2 && memcmp(p, "..", 2) == 0))
            return false;
        if (!p[n])
            return true;
        p += n + 1;
    }
}
