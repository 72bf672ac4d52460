#include "gpu-runner/jail/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/jail/seccomp.h"

/* Files handed in one by one; with more, the folder is shown. Descriptors are the limit. */
#define HANDED_CEILING 600
#define TMP_BYTES      ((uint64_t)16 << 20)
#define INNER_ID       "65534" /* nobody and nogroup, by custom of all distributions */

/* ---- lists ---- */

void cmpd_layout_arg(struct cmpd_jail_layout *l, const char *s)
{
    CMPD_GROW(l->argv, l->count + 2, l->cap);
    l->argv[l->count++] = cmpd_strdup(s);
    l->argv[l->count] = NULL;
}

static void args(struct cmpd_jail_layout *l, const char *const *list)
{
    for (; *list; list++)
        cmpd_layout_arg(l, *list);
}
#define ARGS(l, ...) args(l, (const char *const[]){__VA_ARGS__, NULL})

static void arg_take(struct cmpd_jail_layout *l, char *s)
{
    cmpd_layout_arg(l, s);
    free(s);
}

void cmpd_layout_clear(struct cmpd_jail_layout *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->argv[i]);
    for (size_t i = 0; i < l->fd_count; i++)
        close(l->fds[i]);
    free(l->argv);
    free(l->fds);
    memset(l, 0, sizeof *l);
}

/* ---- who may read what ---- */

bool cmpd_layout_open_to_all(const char *path, int mode)
{
    struct stat st;
    char real[PATH_MAX];
    mode_t want = (mode & R_OK ? S_IROTH : 0u) | (mode & X_OK ? S_IXOTH : 0u) |
                  (mode & W_OK ? S_IWOTH : 0u);
    if (!realpath(path, real) || stat(real, &st) < 0 || (st.st_mode & want) != want)
        return false;
    for (char *slash = strrchr(real, '/'); slash && slash > real; slash = strrchr(real, '/')) {
        *slash = '\0';
        if (stat(real, &st) < 0 || !(st.st_mode & S_IXOTH))
            return false;
    }
    return true;
}

/*
 * 65520 to 65533 belong to nobody: above what systemd gives to services, below nobody itself, and
 * there in a container that has the usual 65536 users. Several, so that runners side by side don't
 * count against one another.
 */
#define FIRST_UID 65520u
#define UID_COUNT 14u

static bool is_mapped(uid_t uid)
{
    CMPD_BUF_AUTO struct cmpd_buf map = CMPD_BUF_INIT;
    char chunk[4096];
    ssize_t n;
    int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true; /* a kernel without user namespaces */
    while ((n = read(fd, chunk, sizeof chunk)) > 0)
        cmpd_buf_append(&map, chunk, (size_t)n);
    close(fd);
    const char *p = cmpd_buf_str(&map);
    char *end;
    for (;; p = end) {
        unsigned long inside = strtoul(p, &end, 10);
        if (end == p)
            return false;
        strtoul(end, &end, 10);
        unsigned long count = strtoul(end, &end, 10);
        if (uid >= inside && uid - inside < count)
            return true;
    }
}

uid_t cmpd_layout_uid(unsigned attempt)
{
    uid_t uid = FIRST_UID + ((uid_t)getpid() + attempt) % UID_COUNT;
    return geteuid() == 0 && is_mapped(uid) ? uid : 0;
}

static bool below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* ---- pieces ---- */

static bool there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void show(struct cmpd_jail_layout *l, const char *path)
{
    if (access(path, F_OK) == 0)
        ARGS(l, "--ro-bind", path, path);
}

/* /lib and its like: a link on most systems, a folder on old ones. */
static void show_as_is(struct cmpd_jail_layout *l, const char *path)
{
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n <= 0) {
        show(l, path);
        return;
    }
    target[n] = '\0';
    ARGS(l, "--symlink", target, path);
}

static void common(struct cmpd_jail_layout *l)
{
    ARGS(l, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop",
         "ALL", "--uid", INNER_ID, "--gid", INNER_ID, "--hostname", "jail");
    ARGS(l, "--tmpfs", "/dev", "--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/zero",
         "/dev/zero", "--dev-bind", "/dev/urandom", "/dev/urandom", "--remount-ro", "/dev");
    ARGS(l, "--setenv", "LC_ALL", "C");
}

static void tmp(struct cmpd_jail_layout *l, uint64_t bytes)
{
    char *size = cmpd_asprintf("%ju", (uintmax_t)(bytes ? bytes : TMP_BYTES));
    ARGS(l, "--perms", "1777", "--size", size, "--tmpfs", "/tmp");
    free(size);
}

/* The file's bytes as they are now, at `at`. `how`: "--file" or "--ro-bind-data". */
static cmpd_rc hand_in(struct cmpd_jail_layout *l, const char *path, const char *at,
                       const char *how, struct cmpd_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        int saved = fd < 0 ? errno : EINVAL;
        if (fd >= 0)
            close(fd);
        return cmpd_err_set(err, CMPD_EIO, "cannot read %s: %s", path, strerror(saved));
    }
    CMPD_GROW(l->fds, l->fd_count + 1, l->fd_cap);
    char *number = cmpd_asprintf("%zu", l->first_fd + l->fd_count);
    l->fds[l->fd_count++] = fd;
    ARGS(l, "--perms", "0555", how, number, at);
    free(number);
    return CMPD_OK;
}

/* ---- the repository ---- */

static bool is_home(const char *path)
{
    const char *home = getenv("HOME");
    char real[PATH_MAX];
    return strcmp(path, "/") == 0 || (home && realpath(home, real) && strcmp(real, path) == 0);
}

static bool shown_by_system(const char *path)
{
    static const char *const places[] = {"/usr/bin",     "/usr/lib",     "/usr/lib64",
                                         "/usr/include", "/usr/libexec", "/usr/local/include"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (below(path, places[i]))
            return true;
    }
    return false;
}

static bool all_readable(const struct cmpd_jail_request *q)
{
    for (size_t i = 0; i < q->source_file_count; i++) {
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", q->sources, q->source_files[i]);
        if (!cmpd_layout_open_to_all(path, R_OK))
            return false;
    }
    return cmpd_layout_open_to_all(q->sources, R_OK | X_OK);
}

/* A file of the repository must lie in it, links followed: else a link in it shows any file. */
static cmpd_rc hand_in_source(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q,
                              const char *file, struct cmpd_err *err)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s",
                                             strcmp(q->sources, "/") == 0 ? "" : q->sources, file);
    char real[PATH_MAX];
    if (!realpath(path, real))
        return cmpd_err_set(err, CMPD_EIO, "cannot read %s: %s", path, strerror(errno));
    if (strcmp(q->sources, "/") != 0 && !below(real, q->sources))
        return cmpd_err_set(err, CMPD_EUNAVAIL, "%s leads out of the repository", path);
    return hand_in(l, real, path, l->closes_sources ? "--file" : "--ro-bind-data", err);
}

static cmpd_rc sources(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q,
                       struct cmpd_err *err)
{
    bool readable = !l->other_user || all_readable(q);
    if (readable && (shown_by_system(q->sources) || below(q->sources, q->toolkit)))
        return CMPD_OK;
    bool whole = q->all_sources || q->source_file_count > HANDED_CEILING;
    if (whole && readable && !is_home(q->sources)) {
        show(l, q->sources);
        return CMPD_OK;
    }
    if (!q->source_file_count || q->source_file_count > HANDED_CEILING)
        return cmpd_err_set(err, CMPD_EUNAVAIL,
                            "the jail's user may not read %s: let others read it (chmod o+rX), or "
                            "run as the folder's owner",
                            q->sources);
    /* A file system of its own, closed once all is in it; / is closed as a whole, later. */
    l->closes_sources = strcmp(q->sources, "/") != 0;
    if (l->closes_sources)
        ARGS(l, "--perms", "0755", "--tmpfs", q->sources);
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; rc == CMPD_OK && i < q->source_file_count; i++)
        rc = hand_in_source(l, q, q->source_files[i], err);
    return rc;
}

/* ---- COMPILE ---- */

/* A path to nvcc through a link (/usr/local/cuda) must lead to the toolkit inside as well. */
static void link_to_toolkit(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q)
{
    CMPD_AUTOFREE char *path = cmpd_strdup(q->argv[0]);
    char real[PATH_MAX];
    for (char *slash = strrchr(path, '/'); slash && slash > path; slash = strrchr(path, '/')) {
        *slash = '\0';
        if (realpath(path, real) && strcmp(real, q->toolkit) == 0) {
            if (strcmp(path, q->toolkit) != 0 && !shown_by_system(path))
                ARGS(l, "--symlink", q->toolkit, path);
            return;
        }
    }
    if (realpath("/usr/local/cuda", real) && strcmp(real, q->toolkit) == 0 &&
        strcmp(q->toolkit, "/usr/local/cuda") != 0)
        ARGS(l, "--symlink", q->toolkit, "/usr/local/cuda");
}

static cmpd_rc compile_folders(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q,
                               struct cmpd_err *err)
{
    static const char *const roots[] = {"/bin", "/lib", "/lib32", "/lib64", "/libx32"};
    static const char *const system[] = {"/usr/bin",     "/usr/lib",           "/usr/lib64",
                                         "/usr/lib32",   "/usr/libx32",        "/usr/include",
                                         "/usr/libexec", "/usr/local/include", "/etc/alternatives"};
    if (strcmp(q->toolkit, "/") == 0)
        return cmpd_err_set(err, CMPD_EUNAVAIL, "the toolkit of %s has no folder of its own",
                            q->argv[0]);
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++)
        show(l, system[i]);
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        if (there(roots[i]))
            show_as_is(l, roots[i]);
    }
    if (l->other_user && !cmpd_layout_open_to_all(q->argv[0], X_OK))
        return cmpd_err_set(err, CMPD_EUNAVAIL,
                            "the jail's user may not read the toolkit at %s: let others read it "
                            "(chmod -R o+rX)",
                            q->toolkit);
    if (!shown_by_system(q->toolkit))
        show(l, q->toolkit);
    link_to_toolkit(l, q);
    return CMPD_OK;
}

static cmpd_rc compile_layout(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q,
                              struct cmpd_err *err)
{
    /* No /tmp: TMPDIR says where, and a tmpfs with a limit needs bubblewrap 0.7. */
    cmpd_rc rc = compile_folders(l, q, err);
    if (rc == CMPD_OK)
        rc = sources(l, q, err);
    if (rc != CMPD_OK)
        return rc;
    ARGS(l, "--bind", q->work, q->work, "--chdir", q->sources);
    if (l->closes_sources)
        ARGS(l, "--remount-ro", q->sources);
    ARGS(l, "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", q->work, "--setenv", "TMPDIR",
         q->work);
    return CMPD_OK;
}

/* ---- RUN ---- */

/* The C and C++ libraries, by the folders that the common distributions put them in. */
static void show_libraries(struct cmpd_jail_layout *l)
{
    static const char *const folders[] = {
#if defined __x86_64__
        "/usr/lib/x86_64-linux-gnu",
#elif defined __aarch64__
        "/usr/lib/aarch64-linux-gnu",
#endif
        "/usr/lib64",
        "/usr/lib"
    };
    static const char *const names[] = {"libc.so.6",
                                        "libm.so.6",
                                        "libgcc_s.so.1",
                                        "libstdc++.so.6",
                                        "libdl.so.2",
                                        "libpthread.so.0",
                                        "librt.so.1",
                                        "libgomp.so.1",
                                        "ld-linux-x86-64.so.2",
                                        "ld-linux-aarch64.so.1"};
    static const char *const roots[] = {"/lib", "/lib64"};
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", folders[f], names[i]);
            show(l, path);
        }
    }
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        char real[PATH_MAX];
        if (realpath(roots[i], real) && strcmp(real, roots[i]) != 0)
            ARGS(l, "--symlink", real, roots[i]);
        else
            show(l, roots[i]);
    }
}

static cmpd_rc show_readable(struct cmpd_jail_layout *l, const char *path, struct cmpd_err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot read %s: %s", path, strerror(errno));
    bool folder = S_ISDIR(st.st_mode);
    /* A jailed linker may leave a link for us to follow, with rights that it does not have. */
    struct stat own;
    if (l->other_user && lstat(path, &own) == 0 && S_ISLNK(own.st_mode) && own.st_uid != 0)
        return cmpd_err_set(err, CMPD_EUNAVAIL, "%s is a link of another user's", path);
    if (!l->other_user || cmpd_layout_open_to_all(path, folder ? R_OK | X_OK : R_OK)) {
        show(l, path);
        return CMPD_OK;
    }
    if (folder)
        return cmpd_err_set(err, CMPD_EUNAVAIL, "the jail's user may not read %s", path);
    return hand_in(l, path, path, "--ro-bind-data", err);
}

static cmpd_rc run_layout(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q,
                          struct cmpd_err *err)
{
    show_libraries(l);
    if (q->may_write)
        tmp(l, q->tmp_bytes);
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; rc == CMPD_OK && i < q->readable_count; i++)
        rc = show_readable(l, q->readable[i], err);
    arg_take(l, cmpd_strdup("--chdir"));
    arg_take(l, cmpd_strdup("/"));
    char *number = cmpd_asprintf("%d", CMPD_JAIL_CONTROL_FD);
    ARGS(l, "--setenv", CMPD_JAIL_CONTROL_NAME, number);
    free(number);
    return rc;
}

cmpd_rc cmpd_layout_build(struct cmpd_jail_layout *l, const struct cmpd_jail_request *q,
                          struct cmpd_err *err)
{
    common(l);
    cmpd_rc rc = q->profile == CMPD_JAIL_COMPILE ? compile_layout(l, q, err)
                                                 : run_layout(l, q, err);
    for (size_t i = 0; rc == CMPD_OK && q->profile == CMPD_JAIL_COMPILE && i < q->readable_count;
         i++)
        rc = show_readable(l, q->readable[i], err);
    if (rc != CMPD_OK)
        return rc;
    ARGS(l, "--remount-ro", "/", "--");
    args(l, q->argv);
    return CMPD_OK;
}
