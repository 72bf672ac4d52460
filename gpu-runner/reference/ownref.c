#include "gpu-runner/reference/ownref.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"
#include "gpu-runner/compile/workdir.h"
#include "refs/reference_texts.h"

#define CC                  "/usr/bin/cc"
#define DEFAULT_DEADLINE_MS 60000
#define OUTPUT_CEILING      ((size_t)1 << 20)
#define MEMORY_LIMIT        ((uint64_t)4 << 30)
#define FILE_LIMIT          ((uint64_t)1 << 30)
#define ARGS_CEILING        32

struct cmpd_ownref {
    struct cmpd_ownref_request q;
    char *work;    /* owned; private folder */
    char *program; /* owned; inside work */
    struct cmpd_ref_op *op;
};

/* Both profiles of use are COMPILE's: system folders to be read, one folder to be written, no network. */
static cmpd_rc run_in_jail(const struct cmpd_ownref *r, const char *const *argv,
                           struct cmpd_proc_result *result, struct cmpd_err *err)
{
    struct cmpd_jail_request j = CMPD_JAIL_REQUEST_INIT;
    const char *const files[] = {r->q.path};
    uint64_t deadline_ms = r->q.deadline_ms ? r->q.deadline_ms : DEFAULT_DEADLINE_MS;
    j.profile = CMPD_JAIL_COMPILE;
    j.argv = argv;
    j.sources = r->q.root;
    j.toolkit = "/usr/bin";
    j.work = r->work;
    j.source_files = files;
    j.source_file_count = 1;
    j.all_sources = true;
    j.limits.cpu_s = deadline_ms / 1000 + 5;
    j.limits.address_space_bytes = MEMORY_LIMIT;
    j.limits.file_size_bytes = FILE_LIMIT;
    j.deadline_ms = deadline_ms;
    j.output_ceiling = OUTPUT_CEILING;
    j.cancel_fd = r->q.cancel_fd;
    return r->q.jail->run(&j, result, err);
}

static cmpd_rc run_program(void *ctx, const char *const *args, struct cmpd_proc_result *result,
                           struct cmpd_err *err)
{
    const struct cmpd_ownref *r = ctx;
    const char *argv[ARGS_CEILING];
    size_t n = 0;
    /* Through env: the jail asks of argv[0] that anybody may run it, which a private folder refuses. */
    argv[n++] = "/usr/bin/env";
    argv[n++] = r->program;
    for (; *args; args++) {
        if (n + 1 == ARGS_CEILING) {
            return cmpd_err_set(err, CMPD_EINTERNAL, "too many arguments for a reference");
        }
        argv[n++] = *args;
    }
    argv[n] = NULL;
    return run_in_jail(r, argv, result, err);
}

/* ---- a C file ---- */

static cmpd_rc write_text(const struct cmpd_ownref *r, const char *name, const char *text,
                          size_t len, struct cmpd_err *err)
{
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", r->work, name);
    return cmpd_file_write_atomic(path, text, len, err);
}

/* The first line with ": error: " or the linker's; else all that was said. */
static void first_error(const char *text, char *out, size_t size)
{
    static const char *const MARKS[] = {": error: ", ": fatal error: ", "undefined reference"};
    const char *best = NULL;
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++) {
        const char *at = strstr(text, MARKS[i]);
        if (at && (!best || at < best)) {
            best = at;
        }
    }
    const char *line = best ? best : text;
    while (line > text && line[-1] != '\n') {
        line--;
    }
    snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static cmpd_rc compile(struct cmpd_ownref *r, const char *file, struct cmpd_err *err)
{
    cmpd_rc rc = write_text(r, "cmpd_reference.h", cmpd_reference_header_text,
                            cmpd_reference_header_len, err);
    if (rc == CMPD_OK) {
        rc = write_text(r, "cmpd_reference_main.c", cmpd_reference_main_text,
                        cmpd_reference_main_len, err);
    }
    if (rc != CMPD_OK) {
        return rc;
    }
    if (access(CC, X_OK) < 0) {
        return cmpd_err_set(err, CMPD_EUNAVAIL, "no C compiler at %s for the reference %s", CC,
                            r->q.path);
    }
    CMPD_AUTOFREE char *harness = cmpd_asprintf("%s/cmpd_reference_main.c", r->work);
    CMPD_AUTOFREE char *include = cmpd_asprintf("-I%s", r->work);
    const char *const argv[] = {CC,         "-std=c11", "-O2",   "-w",  include, "-o",
                                r->program, file,       harness, "-lm", NULL};
    CMPD_PROC_RESULT_AUTO struct cmpd_proc_result p = {0};
    rc = run_in_jail(r, argv, &p, err);
    if (rc != CMPD_OK || (p.end == CMPD_PROC_EXITED && p.exit_status == 0)) {
        return rc;
    }
    char error[400], how[80];
    first_error(cmpd_buf_str(&p.err), error, sizeof error);
    return cmpd_err_set(err, CMPD_EINPUT, "reference %s: the C compiler %s: %s", r->q.path,
                        cmpd_proc_describe(&p, how, sizeof how), error);
}

/* ---- a command ---- */

/* A copy in the private folder, since the jail's user may not be let near the original. */
static cmpd_rc copy_command(struct cmpd_ownref *r, const char *file, struct cmpd_err *err)
{
    if (access(file, X_OK) < 0) {
        return cmpd_err_set(err, CMPD_EINPUT, "reference %s is not executable", r->q.path);
    }
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_file_read(file, CMPD_BUF_CEILING_BYTES, &text, err);
    if (rc == CMPD_OK) {
        rc = cmpd_file_write_atomic(r->program, cmpd_buf_str(&text), text.len, err);
    }
    if (rc == CMPD_OK && chmod(r->program, 0755) < 0) {
        rc = cmpd_err_set(err, CMPD_EIO, "cannot make %s executable: %s", r->program,
                          strerror(errno));
    }
    return rc;
}

static cmpd_rc prepare(struct cmpd_ownref *r, struct cmpd_err *err)
{
    struct stat st;
    CMPD_AUTOFREE char *file = cmpd_asprintf("%s/%s", r->q.root, r->q.path);
    if (stat(file, &st) < 0 || !S_ISREG(st.st_mode)) {
        return cmpd_err_set(err, CMPD_ENOENT, "there is no reference %s", r->q.path);
    }
    cmpd_rc rc = cmpd_workdir_make(&r->work, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    r->program = cmpd_asprintf("%s/cmpd-reference", r->work);
    return r->q.kind == CMPD_REFERENCE_FILE ? compile(r, file, err) : copy_command(r, file, err);
}

cmpd_rc cmpd_ownref_open(const struct cmpd_ownref_request *q, struct cmpd_ownref **out,
                         struct cmpd_err *err)
{
    struct cmpd_ownref *r = cmpd_calloc(1, sizeof *r);
    r->q = *q;
    cmpd_rc rc = prepare(r, err);
    if (rc == CMPD_OK) {
        struct cmpd_outside_how how = {.folder = r->work, .run = run_program, .ctx = r};
        rc = cmpd_outside_open(&how, &r->op, err);
        if (rc != CMPD_OK) {
            cmpd_err_prefix(err, "reference %s", q->path);
        }
    }
    if (rc != CMPD_OK) {
        cmpd_ownref_close(r);
        return rc;
    }
    *out = r;
    return CMPD_OK;
}

const struct cmpd_ref_op *cmpd_ownref_op(const struct cmpd_ownref *r)
{
    return r->op;
}

void cmpd_ownref_close(struct cmpd_ownref *r)
{
    if (!r) {
        return;
    }
    cmpd_outside_close(r->op);
    if (r->work) {
        cmpd_workdir_remove(r->work);
    }
    free(r->work);
    free(r->program);
    free(r);
}
