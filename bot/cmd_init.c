/* cmpd init [DIR]: proposes a cmpd.json, from what the static track sees in the .cu files below DIR. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "bot/commands.h"
#include "bot/judge.h"
#include "bot/propose.h"

#define DEEPEST_FOLDER 32
#define MOST_FILES     10000

struct walk {
    struct cmpd_strings files; /* relative to the start */
    bool cut;
};

static bool is_cuda(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, ".cu") == 0;
}

/* Folders that hold no sources of the repository's own. */
static bool skipped(const char *name)
{
    return name[0] == '.' || strncmp(name, "build", 5) == 0 || strcmp(name, "node_modules") == 0;
}

static void add_file(struct walk *w, char *path)
{
    if (w->files.count >= MOST_FILES) {
        w->cut = true;
        free(path);
        return;
    }
    CMPD_GROW(w->files.items, w->files.count + 1, w->files.cap);
    w->files.items[w->files.count++] = path;
}

static void walk_folder(struct walk *w, int dir_fd, const char *prefix, int depth)
{
    DIR *dir = fdopendir(dir_fd);
    if (!dir) {
        close(dir_fd);
        return;
    }
    struct dirent *e;
    while ((e = readdir(dir)) && !w->cut) {
        struct stat st;
        if (e->d_name[0] == '.' || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        char *path = cmpd_asprintf("%s%s%s", prefix, *prefix ? "/" : "", e->d_name);
        if (S_ISREG(st.st_mode) && is_cuda(e->d_name)) {
            add_file(w, path);
            continue;
        }
        if (S_ISDIR(st.st_mode) && !skipped(e->d_name) && depth < DEEPEST_FOLDER) {
            int fd = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (fd >= 0)
                walk_folder(w, fd, path, depth + 1);
        }
        free(path);
    }
    closedir(dir);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Standard error, for what the proposal leaves open. */
static void remark(const char *file, const char *text)
{
    fprintf(stderr, "cmpd: %s: %s\n", file, text);
}

static void propose_all(const char *dir, const struct cmpd_strings *files, json_t *kernels)
{
    for (size_t i = 0; i < files->count; i++) {
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", dir, files->items[i]);
        struct cmpd_source *src = NULL;
        struct cmpd_err err = {0};
        if (cmpd_source_open(path, &src, &err) != CMPD_OK) {
            remark(files->items[i], err.msg);
            continue;
        }
        char note[200] = "";
        json_t *entry = cmpd_propose_kernel(src, files->items[i], note, sizeof note);
        if (note[0])
            remark(files->items[i], note);
        if (entry)
            json_array_append_new(kernels, entry);
        cmpd_source_free(src);
    }
}

static char *proposal_text(json_t *kernels)
{
    json_t *root = json_pack("{si so}", "version", 1, "kernels", kernels);
    char *text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    return text;
}

/* Never over an existing file. */
static cmpd_rc write_new(const char *path, const char *text, struct cmpd_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return cmpd_err_set(err, CMPD_EUSAGE,
                            "%s is there already; cmpd init does not overwrite it", path);
    if (fd < 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot write %s: %s", path, strerror(errno));
    FILE *f = fdopen(fd, "w");
    bool ok = f && fprintf(f, "%s\n", text) > 0;
    ok = f && fclose(f) == 0 && ok;
    if (!ok)
        return cmpd_err_set(err, CMPD_EIO, "cannot write %s: %s", path, strerror(errno));
    return CMPD_OK;
}

static int run(const struct cmpd_options *opt)
{
    const char *dir = opt->arg_count ? opt->args[0] : ".";
    struct cmpd_err err = {0};
    struct walk w = {.cut = false};
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        cmpd_err_set(&err,
                     errno == ENOENT    ? CMPD_ENOENT
                     : errno == ENOTDIR ? CMPD_EINPUT
                                        : CMPD_EIO,
                     "cannot open the folder %s: %s", dir, strerror(errno));
        return cmpd_fail(opt, &err);
    }
    walk_folder(&w, fd, "", 0);
    if (w.files.count)
        qsort(w.files.items, w.files.count, sizeof *w.files.items, by_name);
    if (w.cut)
        fprintf(stderr, "cmpd: over %d files; the rest is left out\n", MOST_FILES);
    json_t *kernels = json_array();
    propose_all(dir, &w.files, kernels);
    CMPD_AUTOFREE char *text = proposal_text(kernels);
    for (size_t i = 0; i < w.files.count; i++)
        free(w.files.items[i]);
    free(w.files.items);
    if (opt->given[CMPD_OPT_write]) {
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/cmpd.json", dir);
        if (write_new(path, text, &err) != CMPD_OK)
            return cmpd_fail(opt, &err);
        fprintf(stderr, "cmpd: wrote %s; read it before you commit it\n", path);
        return 0;
    }
    struct cmpd_buf out = CMPD_BUF_INIT;
    cmpd_buf_printf(&out, "%s\n", text);
    return cmpd_print_take(&out);
}

int cmpd_cmd_init(int argc, char **argv)
{
    struct cmpd_options opt;
    struct cmpd_err err = {0};
    int status;
    cmpd_rc rc = cmpd_options_parse(CMPD_CMD_init, argc, argv, &opt, &err);
    if (rc == CMPD_OK && opt.arg_count > 1)
        rc = cmpd_err_set(&err, CMPD_EUSAGE, "cmpd init takes one DIR");
    if (rc)
        status = cmpd_fail(&opt, &err);
    else if (opt.help)
        status = cmpd_print_help(CMPD_CMD_init);
    else
        status = run(&opt);
    cmpd_options_clear(&opt);
    return status;
}
