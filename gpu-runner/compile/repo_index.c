#include "gpu-runner/compile/repo_index.h"

#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"
#include "gpu-runner/compile/closure.h"

#define ENTRIES_CEILING          200000 /* looked at in one walk */
#define DEPTH_CEILING            40
#define BUILD_FILE_CEILING_BYTES ((size_t)1 << 20)
/* Bytes between the head of a list of definitions and a macro in it. */
#define LIST_REACH               600
#define SOURCES_CEILING_BYTES    ((size_t)512 << 20) /* read in search of who uses a file */
#define NAME_REACH               400                 /* longest name of a file in quotes */

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
    static const char *const kinds[] = {".h",   ".cuh", ".hpp", ".hh",  ".hxx", ".inl",
                                        ".inc", ".cu",  ".ipp", ".tcc", ".h++", ".def"};
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
    static const char *const places[] = {"include",
                                         "targets/*/include",
                                         "include/cccl",
                                         "targets/*/include/cccl",
                                         "/usr/include",
                                         "/usr/include/*-linux-gnu",
                                         "/usr/local/include",
                                         "/usr/include/c++/*",
                                         "/usr/lib/gcc/*/*/include"};
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

/* A script that builds: named so, and in a language that such are written in. */
static bool is_build_script(const char *name)
{
    static const char *const words[] = {"setup", "build",   "compile", "make",
                                        "run",   "install", "bench"};
    const char *ext = extension(name);
    if (strcmp(ext, ".py") != 0 && strcmp(ext, ".sh") != 0)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return true;
    }
    return false;
}

bool cmpd_repo_is_build_file(const char *relative)
{
    static const char *const names[] = {"CMakeLists.txt",    "Makefile",
                                        "makefile",          "GNUmakefile",
                                        "setup.py",          "BUILD",
                                        "BUILD.bazel",       "meson.build",
                                        "SConstruct",        "configure.ac",
                                        "xmake.lua",         "build.sh",
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
    return is_build_script(name);
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is p inside an open list that begins with `opening` and that `close` would end? Looks a little
 * way back. */
static bool inside_list(const char *text, const char *p, const char *opening, char close)
{
    size_t n = strlen(opening);
    for (const char *q = p; q > text && p - q < LIST_REACH && q[-1] != close; q--) {
        if ((size_t)(q - text) >= n && memcmp(q - n, opening, n) == 0)
            return true;
    }
    return false;
}

/* -DNAME, or NAME in a list of definitions. */
static bool is_definition(const char *text, const char *p)
{
    if (p - text >= 2 && p[-1] == 'D' && p[-2] == '-')
        return true;
    if (p > text && name_char(p[-1]))
        return false;
    return inside_list(text, p, "definitions(", ')') || inside_list(text, p, "efines = [", ']') ||
           inside_list(text, p, "efines=[", ']') || inside_list(text, p, "define_macros=[", ']');
}

static bool defines(const char *text, const char *macro)
{
    size_t n = strlen(macro);
    for (const char *p = text; (p = strstr(p, macro)) != NULL; p += n) {
        if (!name_char(p[n]) && is_definition(text, p))
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
        m->found = defines(cmpd_buf_str(&text), m->macro);
}

bool cmpd_repo_build_file_names(const char *root, const char *macro)
{
    struct macro_search m = {.root = root, .macro = macro};
    struct walk w = {.root = root, .visit = search_build_file, .ctx = &m};
    if (macro[0])
        walk(&w, "", 0);
    return m.found;
}

/* ---- who uses a file ---- */

struct user_search {
    const char *root, *file;
    const char *name; /* last part of file */
    size_t read_bytes;
    char *user; /* owned; NULL: none so far */
};

static bool is_source(const char *relative)
{
    static const char *const kinds[] = {".cu", ".cuh", ".c",   ".cc",  ".cpp", ".cxx",
                                        ".h",  ".hh",  ".hpp", ".hxx", ".inl", ".inc"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(extension(relative), kinds[i]) == 0)
            return true;
    }
    return false;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* Does `path` lie in the folder of `of`, or deeper? */
static bool at_or_below(const char *path, const char *of)
{
    size_t n = folder_length(of);
    return n == 0 || (strncmp(path, of, n) == 0 && path[n] == '/');
}

static bool ends_in(const char *path, const char *name)
{
    size_t n = strlen(path), m = strlen(name);
    return n >= m && strcmp(path + n - m, name) == 0 && (n == m || path[n - m - 1] == '/');
}

/* Does `said`, in quotes in the source `from`, mean the file? */
static bool means(const struct user_search *u, const char *from, const char *said)
{
    size_t n = folder_length(from);
    CMPD_AUTOFREE char *joined = n ? cmpd_asprintf("%.*s/%s", (int)n, from, said)
                                   : cmpd_strdup(said);
    CMPD_AUTOFREE char *plain = cmpd_path_normalise(joined);
    if (plain && strcmp(plain, u->file) == 0)
        return true;
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", u->root, plain ? plain : "");
    struct stat st;
    if (plain && stat(path, &st) == 0)
        return false; /* another file that is really there */
    return ends_in(u->file, said) && at_or_below(u->file, from);
}

/* `end` stands in a line that begins with '#': an #include, not a string. */
static bool in_directive(const char *text, const char *end)
{
    const char *p = end;
    while (p > text && p[-1] != '\n')
        p--;
    while (*p == ' ' || *p == '\t')
        p++;
    return *p == '#';
}

/* The quoted name that ends at `end`; caller owns, NULL: none. */
static char *quoted_name(const char *text, const char *end)
{
    const char *p = end;
    while (p > text && end - p < NAME_REACH && p[-1] != '"' && p[-1] != '<' && p[-1] != '\n')
        p--;
    return p > text && (p[-1] == '"' || p[-1] == '<') ? cmpd_strndup(p, (size_t)(end - p)) : NULL;
}

static void search_user(void *ctx, const char *relative)
{
    struct user_search *u = ctx;
    if (u->user || !is_source(relative) || strcmp(relative, u->file) == 0 ||
        u->read_bytes > SOURCES_CEILING_BYTES)
        return;
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", u->root, relative);
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    if (cmpd_file_read(full, CMPD_SOURCE_CEILING_BYTES, &text, NULL) != CMPD_OK)
        return;
    u->read_bytes += text.len;
    const char *all = cmpd_buf_str(&text);
    bool run_time = strcasestr(all, "nvrtc") !=
                    NULL; /* else a string with a file's name means little */
    size_t n = strlen(u->name);
    for (const char *p = all; !u->user && (p = strstr(p, u->name)) != NULL; p += n) {
        if ((p[n] != '"' && p[n] != '>') || (!run_time && !in_directive(all, p)))
            continue;
        CMPD_AUTOFREE char *said = quoted_name(all, p + n);
        if (said && means(u, relative, said))
            u->user = cmpd_strdup(relative);
    }
}

char *cmpd_repo_user_of(const char *root, const char *file)
{
    const char *slash = strrchr(file, '/');
    struct user_search u = {.root = root, .file = file, .name = slash ? slash + 1 : file};
    struct walk w = {.root = root, .visit = search_user, .ctx = &u};
    if (u.name[0])
        walk(&w, "", 0);
    return u.user;
}
