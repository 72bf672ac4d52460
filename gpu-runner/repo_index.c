#include "gpu-runner/repo_index.h"

#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/file.h"

#define ENTRIES_CEILING 200000 /* looked at in one walk */
#define DEPTH_CEILING 40
#define BUILD_FILE_CEILING_BYTES ((size_t)1 << 20)

typedef void visit_fn(void *ctx, const char *relative);

struct walk {
    const char *root;
    size_t seen;
    visit_fn *visit;
    void *ctx;
};

static bool skipped_folder(const char *name)
{
    static const char *const names[] = {".git", ".hg", ".svn", "node_modules", "__pycache__"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static void walk(struct walk *w, const char *relative, unsigned depth)
{
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", w->root, relative);
    DIR *d = depth < DEPTH_CEILING ? opendir(full) : NULL;
    struct dirent *e;
    while (d && w->seen < ENTRIES_CEILING && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        w->seen++;
        CMPD_AUTOFREE char *path = relative[0] ? cmpd_asprintf("%s/%s", relative, e->d_name)
                                               : cmpd_strdup(e->d_name);
        CMPD_AUTOFREE char *entry = cmpd_asprintf("%s/%s", w->root, path);
        struct stat st;
        if (lstat(entry, &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode) && !skipped_folder(e->d_name))
            walk(w, path, depth + 1);
        else if (S_ISREG(st.st_mode))
            w->visit(w->ctx, path);
    }
    if (d)
        closedir(d);
}

static const char *extension(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot : "";
}

static void keep_header(void *ctx, const char *relative)
{
    static const char *const kinds[] = {".h", ".cuh", ".hpp", ".hh", ".hxx", ".inl",
                                        ".inc", ".cu", ".ipp", ".tcc", ".h++", ".def"};
    struct cmpd_repo_index *x = ctx;
    const char *ext = extension(relative);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(ext, kinds[i]) != 0)
            continue;
        CMPD_GROW(x->paths, x->count + 1, x->cap);
        x->paths[x->count++] = cmpd_strdup(relative);
        return;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void cmpd_repo_index_build(const char *root, struct cmpd_repo_index *out)
{
    memset(out, 0, sizeof *out);
    struct walk w = {.root = root, .visit = keep_header, .ctx = out};
    walk(&w, "", 0);
    /* The order of a folder's entries must not decide anything. */
    if (out->count)
        qsort(out->paths, out->count, sizeof out->paths[0], by_name);
}

void cmpd_repo_index_clear(struct cmpd_repo_index *x)
{
    for (size_t i = 0; i < x->count; i++)
        free(x->paths[i]);
    free(x->paths);
    memset(x, 0, sizeof *x);
}

static size_t shared_folders(const char *a, const char *b)
{
    size_t n = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        n += a[i] == '/';
    return n;
}

const char *cmpd_repo_index_nearest(const struct cmpd_repo_index *x, const char *from,
                                    const char *name, size_t *matches)
{
    const char *best = NULL;
    size_t best_shared = 0, n = strlen(name);
    *matches = 0;
    for (size_t i = 0; n && i < x->count; i++) {
        const char *path = x->paths[i];
        size_t len = strlen(path);
        if (len < n || strcmp(path + len - n, name) != 0 || (len > n && path[len - n - 1] != '/'))
            continue;
        (*matches)++;
        size_t shared = shared_folders(path, from);
        if (!best || shared > best_shared) {
            best = path;
            best_shared = shared;
        }
    }
    return best;
}

static bool exists_in(const char *pattern, const char *toolkit, const char *name)
{
    CMPD_AUTOFREE char *dirs = pattern[0] == '/' ? cmpd_strdup(pattern)
                                                 : cmpd_asprintf("%s/%s", toolkit, pattern);
    glob_t g;
    if (glob(dirs, 0, NULL, &g) != 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < g.gl_pathc && !found; i++) {
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", g.gl_pathv[i], name);
        struct stat st;
        found = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    }
    globfree(&g);
    return found;
}

bool cmpd_system_header(const char *toolkit, const char *name)
{
    static const char *const places[] = {"include", "targets/*/include", "include/cccl",
                                         "targets/*/include/cccl", "/usr/include",
                                         "/usr/include/*-linux-gnu", "/usr/local/include",
                                         "/usr/include/c++/*", "/usr/lib/gcc/*/*/include"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (exists_in(places[i], toolkit, name))
            return true;
    }
    return false;
}

struct macro_search {
    const char *root, *macro;
    bool found;
};

bool cmpd_repo_is_build_file(const char *relative)
{
    static const char *const names[] = {"CMakeLists.txt", "Makefile", "makefile", "GNUmakefile",
                                        "setup.py", "BUILD", "BUILD.bazel", "meson.build",
                                        "SConstruct", "configure.ac", "xmake.lua", "build.sh",
                                        "compile_flags.txt", "compile_commands.json"};
    static const char *const kinds[] = {".cmake", ".mk", ".bzl", ".make", ".gn", ".pro"};
    const char *slash = strrchr(relative, '/'), *name = slash ? slash + 1 : relative;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(extension(relative), kinds[i]) == 0)
            return true;
    }
    return false;
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += n) {
        bool before = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
        /* "-DNAME": the D belongs to the option. */
        if (before && p - text >= 2 && p[-1] == 'D' && p[-2] == '-')
            before = false;
        bool after = isalnum((unsigned char)p[n]) || p[n] == '_';
        if (!before && !after)
            return true;
    }
    return false;
}

static void search_build_file(void *ctx, const char *relative)
{
    struct macro_search *m = ctx;
    if (m->found || !cmpd_repo_is_build_file(relative))
        return;
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", m->root, relative);
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    if (cmpd_file_read(full, BUILD_FILE_CEILING_BYTES, &text, NULL) == CMPD_OK)
        m->found = has_word(cmpd_buf_str(&text), m->macro);
}

bool cmpd_repo_build_file_names(const char *root, const char *macro)
{
    struct macro_search m = {.root = root, .macro = macro};
    struct walk w = {.root = root, .visit = search_build_file, .ctx = &m};
    if (macro[0])
        walk(&w, "", 0);
    return m.found;
}
