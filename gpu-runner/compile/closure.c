#include "gpu-runner/compile/closure.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"
#include "analysis/base/sha256.h"
#include "gpu-runner/compile/include_lines.h"
#include "gpu-runner/compile/repo_index.h"

/* More headers than these, or longer ones, are left to the compiler. */
#define FILES_CEILING 4000

struct scan {
    const char *root;
    char real_root[PATH_MAX];
    const struct cmpd_strings *include;
    const char *toolkit;
    struct cmpd_closure *out;
    struct cmpd_repo_index index; /* filled when first needed */
    bool indexed;
    struct cmpd_sha256 digest;
};

bool cmpd_nvcc_path_ok(const char *path)
{
    if (!path[0] || path[0] == '-')
        return false;
    for (const char *p = path; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (!isalnum(c) && c < 0x80 && !strchr("_./+-@=:% ", c))
            return false;
    }
    return true;
}

char *cmpd_path_normalise(const char *path)
{
    if (path[0] == '/')
        return NULL;
    char *out = cmpd_alloc(strlen(path) + 2);
    size_t len = 0;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.') {
            if (!len) {
                free(out);
                return NULL;
            }
            while (len && out[len - 1] != '/')
                len--;
            len -= len > 0;
        } else if (n && !(n == 1 && p[0] == '.')) {
            if (len)
                out[len++] = '/';
            memcpy(out + len, p, n);
            len += n;
        }
        p += n + (p[n] == '/');
    }
    out[len] = '\0';
    return out;
}

static char *join(const char *dir, const char *name)
{
    return dir[0] ? cmpd_asprintf("%s/%s", dir, name) : cmpd_strdup(name);
}

static char *dir_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? cmpd_strndup(path, (size_t)(slash - path)) : cmpd_strdup("");
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A regular file below the root. *outside: it is one, but a link leads out of the repository. */
static bool in_repository(const struct scan *s, const char *relative, bool *outside)
{
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", s->root, relative);
    char real[PATH_MAX];
    if (!is_file(full) || !realpath(full, real))
        return false;
    size_t n = strlen(s->real_root);
    bool inside = strncmp(real, s->real_root, n) == 0 &&
                  (real[n] == '/' || s->real_root[n - 1] == '/');
    *outside = !inside;
    return inside;
}

static void refuse(struct scan *s, uint32_t main_line, char *why)
{
    if (s->out->refused) {
        free(why);
        return;
    }
    s->out->refused = why;
    s->out->refused_line = main_line;
}

static void add_string(struct cmpd_strings *l, const char *value)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->items[i], value) == 0)
            return;
    }
    CMPD_GROW(l->items, l->count + 1, l->cap);
    l->items[l->count++] = cmpd_strdup(value);
}

static void add_file(struct scan *s, const char *path, uint32_t main_line)
{
    struct cmpd_closure *c = s->out;
    if (cmpd_closure_find(c, path) || c->count >= FILES_CEILING)
        return;
    CMPD_GROW(c->files, c->count + 1, c->cap);
    c->files[c->count].path = cmpd_strdup(path);
    c->files[c->count++].main_line = main_line;
}

enum tried { TRIED_NOTHING, TRIED_FOUND, TRIED_REFUSED };

/* One place where the compiler would look. */
static enum tried try_dir(struct scan *s, const char *dir, const char *name, uint32_t main_line)
{
    CMPD_AUTOFREE char *joined = join(dir, name);
    CMPD_AUTOFREE char *path = cmpd_path_normalise(joined);
    if (!path) {
        refuse(s, main_line, cmpd_asprintf("#include of %s leads out of the repository", name));
        return TRIED_REFUSED;
    }
    bool outside = false;
    if (in_repository(s, path, &outside)) {
        cmpd_sha256_field(&s->digest, path, strlen(path));
        add_file(s, path, main_line);
        return TRIED_FOUND;
    }
    if (!outside)
        return TRIED_NOTHING;
    refuse(s, main_line, cmpd_asprintf("%s is a link that leads out of the repository", path));
    return TRIED_REFUSED;
}

static bool climbs(const char *name)
{
    for (const char *p = name; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.')
            return true;
        p += n + (p[n] == '/');
    }
    return false;
}

/* Elsewhere in the repository, in a folder that nobody named. */
static void try_elsewhere(struct scan *s, const char *from, const char *name, uint32_t main_line)
{
    if (!s->indexed) {
        cmpd_repo_index_build(s->root, &s->index);
        s->indexed = true;
    }
    size_t matches = 0;
    const char *path = cmpd_repo_index_nearest(&s->index, from, name, &matches);
    bool outside = false;
    if (!path || !cmpd_nvcc_path_ok(path) || !in_repository(s, path, &outside))
        return;
    CMPD_AUTOFREE char *dir = cmpd_strndup(path, strlen(path) - strlen(name));
    size_t n = strlen(dir);
    if (n)
        dir[n - 1] = '\0';
    add_string(&s->out->found_dirs, n ? dir : ".");
    s->out->ambiguous = s->out->ambiguous || matches > 1;
    cmpd_sha256_field(&s->digest, path, strlen(path));
    add_file(s, path, main_line);
}

static void resolve(struct scan *s, const char *from, const struct cmpd_include_line *inc,
                    uint32_t main_line)
{
    cmpd_sha256_field(&s->digest, inc->name, strlen(inc->name));
    if (inc->name[0] == '/') {
        refuse(s, main_line,
               cmpd_asprintf("#include of the absolute path %s: only the repository's own headers "
                             "and the toolkit's may be included",
                             inc->name));
        return;
    }
    if (inc->quoted) {
        CMPD_AUTOFREE char *dir = dir_of(from);
        if (try_dir(s, dir, inc->name, main_line) != TRIED_NOTHING)
            return;
    }
    for (size_t i = 0; i < s->include->count; i++) {
        if (try_dir(s, s->include->items[i], inc->name, main_line) != TRIED_NOTHING)
            return;
    }
    if (climbs(inc->name)) {
        refuse(s, main_line,
               cmpd_asprintf("#include of %s is found nowhere in the repository, and "
                             "\"..\" may not lead elsewhere",
                             inc->name));
        return;
    }
    if (!cmpd_system_header(s->toolkit, inc->name))
        try_elsewhere(s, from, inc->name, main_line);
}

static cmpd_rc scan_file(struct scan *s, size_t index, struct cmpd_err *err)
{
    CMPD_AUTOFREE char *path = cmpd_strdup(s->out->files[index].path);
    uint32_t via = s->out->files[index].main_line;
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", s->root, path);
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_file_read(full, CMPD_SOURCE_CEILING_BYTES, &text, err);
    if (rc != CMPD_OK)
        return rc;
    struct cmpd_include_lines lines;
    cmpd_include_lines_find(cmpd_buf_str(&text), text.len, &lines);
    if (lines.embeds)
        refuse(
            s, index ? via : lines.embeds_line,
            cmpd_asprintf(
                "%s embeds another file's bytes (.incbin or #embed), which is not allowed", path));
    for (size_t i = 0; i < lines.count; i++) {
        const struct cmpd_include_line *inc = &lines.items[i];
        if (inc->name)
            resolve(s, path, inc, index ? via : inc->line);
        else
            s->out->computed = true;
    }
    for (size_t i = 0; i < lines.conditions.count; i++)
        add_string(&s->out->conditions, lines.conditions.items[i]);
    cmpd_include_lines_clear(&lines);
    return CMPD_OK;
}

cmpd_rc cmpd_closure_scan(const char *root, const char *file, const struct cmpd_strings *include,
                          const char *toolkit, struct cmpd_closure *out, struct cmpd_err *err)
{
    struct scan s = {.root = root, .include = include, .toolkit = toolkit, .out = out};
    memset(out, 0, sizeof *out);
    if (!realpath(root, s.real_root))
        return cmpd_err_set(err, CMPD_ENOENT, "cannot find %s: %s", root, strerror(errno));
    CMPD_AUTOFREE char *path = cmpd_path_normalise(file);
    bool outside = false;
    if (!path)
        return cmpd_err_set(err, CMPD_EINPUT, "%s does not lie in %s", file, root);
    if (!in_repository(&s, path, &outside) && outside)
        return cmpd_err_set(err, CMPD_EINPUT, "%s is a link that leads out of %s", file, root);
    cmpd_sha256_init(&s.digest);
    add_file(&s, path, 0);
    cmpd_rc rc = scan_file(&s, 0, err);
    for (size_t i = 1; rc == CMPD_OK && i < out->count; i++)
        scan_file(&s, i, NULL); /* what can't be read is the compiler's to complain about */
    cmpd_sha256_final_hex(&s.digest, out->digest, 64);
    cmpd_repo_index_clear(&s.index);
    if (rc != CMPD_OK)
        cmpd_closure_clear(out);
    return rc;
}

void cmpd_closure_clear(struct cmpd_closure *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->files[i].path);
    for (size_t i = 0; i < c->found_dirs.count; i++)
        free(c->found_dirs.items[i]);
    for (size_t i = 0; i < c->conditions.count; i++)
        free(c->conditions.items[i]);
    free(c->files);
    free(c->conditions.items);
    free(c->found_dirs.items);
    free(c->refused);
    memset(c, 0, sizeof *c);
}

const struct cmpd_closure_file *cmpd_closure_find(const struct cmpd_closure *c, const char *path)
{
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->files[i].path, path) == 0)
            return &c->files[i];
    }
    return NULL;
}
