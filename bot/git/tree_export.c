#include "bot/git/tree_export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "bot/git/path.h"

cmpd_rc cmpd_export_begin(struct cmpd_export *out, struct cmpd_err *err)
{
    const char *tmp = getenv("TMPDIR");
    CMPD_AUTOFREE char *root = cmpd_asprintf("%s/cmpd-review-XXXXXX",
                                             tmp && tmp[0] == '/' ? tmp : "/tmp");

    if (!mkdtemp(root))
        return cmpd_err_set(err, CMPD_EIO, "cannot make the folder %s: %s", root, strerror(errno));
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        int saved = errno;
        rmdir(root);
        return cmpd_err_set(err, CMPD_EIO, "cannot open the folder %s: %s", root, strerror(saved));
    }
    *out = (struct cmpd_export){cmpd_strdup(root), fd, 0, 0};
    return CMPD_OK;
}

/* The folder that `path` goes into, made as needed; each step must be a real folder of ours. -1 with errno. */
static int enter_folders(int root_fd, const char *path)
{
    int fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 0);

    for (const char *slash; fd >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        CMPD_AUTOFREE char *name = cmpd_strndup(path, (size_t)(slash - path));
        int next = -1;
        if (mkdirat(fd, name, 0700) == 0 || errno == EEXIST)
            next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        int saved = errno;
        close(fd);
        errno = saved;
        fd = next;
    }
    return fd;
}

static cmpd_rc write_bytes(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return CMPD_EIO;
        data += n;
        len -= (size_t)n;
    }
    return CMPD_OK;
}

/* The errno of what failed, 0 if nothing did. */
static int write_file(struct cmpd_export *ex, const char *path, const char *text, size_t len)
{
    int dir = enter_folders(ex->root_fd, path);
    if (dir < 0)
        return errno;
    int fd = openat(dir, cmpd_path_base(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                    0600);
    int failed = fd < 0 ? errno : 0;
    close(dir);
    if (fd < 0)
        return failed == EEXIST ? 0 : failed;
    if (write_bytes(fd, text, len) != CMPD_OK)
        failed = errno ? errno : EIO;
    if (close(fd) < 0 && !failed)
        failed = errno;
    ex->files++;
    ex->bytes += len;
    return failed;
}

static bool is_there(const struct cmpd_export *ex, const char *path)
{
    struct stat st;
    return fstatat(ex->root_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

struct exporting {
    struct cmpd_export *ex;
    struct cmpd_git *git;
};

static cmpd_rc export_file(void *ctx, const struct cmpd_git_file *file, struct cmpd_err *err)
{
    struct exporting *e = ctx;
    CMPD_AUTOFREE char *shown = cmpd_path_shown(file->path);
    CMPD_AUTOFREE char *text = NULL;
    size_t len = 0;

    if (!cmpd_path_is_safe(file->path))
        return cmpd_err_set(err, CMPD_EINPUT, "%s: this path cannot be written out", shown);
    if (is_there(e->ex, file->path))
        return CMPD_OK;
    cmpd_rc rc = cmpd_git_blob(e->git, &file->oid, CMPD_SOURCE_CEILING_BYTES, &text, &len, err);
    if (rc != CMPD_OK)
        return cmpd_err_prefix(err, "%s", shown);
    if (e->ex->files >= CMPD_EXPORT_FILES_CEILING || e->ex->bytes + len > CMPD_EXPORT_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT, "%s: too many files are included to write them out",
                            shown);
    int failed = write_file(e->ex, file->path, text, len);
    if (failed)
        return cmpd_err_set(err, CMPD_EIO, "cannot write %s/%s: %s", e->ex->root, shown,
                            strerror(failed));
    return CMPD_OK;
}

cmpd_rc cmpd_export_one(struct cmpd_export *ex, struct cmpd_git *git, const git_oid *tree,
                        const char *path, struct cmpd_err *err)
{
    struct exporting e = {ex, git};
    struct cmpd_git_entry at;
    cmpd_rc rc = cmpd_git_entry_at(git, tree, path, &at, err);
    if (rc != CMPD_OK)
        return rc;
    if (!cmpd_git_mode_is_file(at.mode))
        return cmpd_err_set(err, CMPD_ENOENT, "there is no file %s", path);
    struct cmpd_git_file file = {.path = (char *)(uintptr_t)path, .mode = at.mode, .oid = at.oid};
    bool was = is_there(ex, path);
    rc = export_file(&e, &file, err);
    if (rc == CMPD_OK && !was && at.mode == GIT_FILEMODE_BLOB_EXECUTABLE &&
        fchmodat(ex->root_fd, path, 0700, 0) != 0)
        rc = cmpd_err_set(err, CMPD_EIO, "cannot make %s executable", path);
    return rc;
}

cmpd_rc cmpd_export_closure(struct cmpd_export *ex, struct cmpd_git *git, struct cmpd_includes *inc,
                            const char *path, struct cmpd_err *err)
{
    struct exporting e = {ex, git};
    return cmpd_includes_closure(inc, path, export_file, &e, err);
}

cmpd_rc cmpd_export_matching(struct cmpd_export *ex, struct cmpd_git *git,
                             const struct cmpd_git_tree *tree, bool (*wanted)(const char *path),
                             struct cmpd_err *err)
{
    struct exporting e = {ex, git};
    cmpd_rc rc = CMPD_OK;

    for (size_t i = 0; rc == CMPD_OK && i < tree->count; i++) {
        const struct cmpd_git_file *f = &tree->files[i];
        size_t size;
        if (!cmpd_git_mode_is_file(f->mode) || !wanted(f->path) || !cmpd_path_is_safe(f->path) ||
            cmpd_git_blob_size(git, &f->oid, &size, NULL) != CMPD_OK ||
            size > CMPD_SOURCE_CEILING_BYTES)
            continue;
        rc = export_file(&e, f, err);
    }
    return rc;
}

/* Empties the folder behind fd, which it takes over. Never follows a link. */
static void empty_folder(int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    struct dirent *d;

    if (!dir) {
        close(fd);
        return;
    }
    while (depth < 4096 && (d = readdir(dir)) != NULL) {
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, d->d_name, 0) == 0)
            continue;
        int inner = openat(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (inner >= 0)
            empty_folder(inner, depth + 1);
        unlinkat(fd, d->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
}

void cmpd_export_end(struct cmpd_export *ex)
{
    if (ex->root) {
        empty_folder(ex->root_fd, 0);
        rmdir(ex->root);
        free(ex->root);
    }
    *ex = (struct cmpd_export)CMPD_EXPORT_INIT;
}
