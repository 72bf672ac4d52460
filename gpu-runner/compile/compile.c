#include "gpu-runner/compile/compile.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/limits.h"
#include "analysis/base/sha256.h"
#include "gpu-runner/compile/toolkit.h"
#include "gpu-runner/compile/workdir.h"

/* Changed whenever the same input would give other findings or another object. */
#define CACHE_FORMAT     "cmpd-compile-6"
#define OUTPUT_CEILING   ((size_t)1 << 20)
#define OBJECT_CEILING   ((size_t)200 << 20)
#define PTX_CEILING      ((size_t)64 << 20)
#define FILE_SIZE_LIMIT  ((uint64_t)2 << 30)
#define OPEN_FILES_LIMIT 256
#define SHIM_NAME        "cmpd-shim.cu"

/* All that one run needs, with one owner. */
struct run {
    const struct cmpd_compile_request *q;
    struct cmpd_compile_result *result;
    struct cmpd_toolkit toolkit;
    struct cmpd_closure closure;
    struct cmpd_buf text;
    char *root; /* links resolved: what the compiler takes for its folder */
    char *file; /* normalised */
    char *work;
    char *object;             /* path in work */
    char *rule;               /* path of the make rule */
    char *shim;               /* path of the request's shim, NULL: none */
    struct cmpd_strings argv; /* for nvcc, without its terminator */
    char key[65];
    int64_t started_ns;
};

static double now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void run_clear(struct run *r)
{
    if (r->work)
        cmpd_workdir_remove(r->work);
    cmpd_toolkit_clear(&r->toolkit);
    cmpd_closure_clear(&r->closure);
    cmpd_buf_clear(&r->text);
    cmpd_strings_clear_all(&r->argv);
    free(r->root);
    free(r->file);
    free(r->work);
    free(r->object);
    free(r->rule);
    free(r->shim);
}

static void environment(struct run *r, uint32_t line, const char *hint, char *message)
{
    cmpd_compile_findings_add_take(&r->result->findings, CMPD_TAG_compile_environment, line,
                                   line ? 1 : 0, message, hint);
}

/* ---- the command ---- */

static void arg(struct run *r, char *value)
{
    CMPD_GROW(r->argv.items, r->argv.count + 1, r->argv.cap);
    r->argv.items[r->argv.count++] = value;
}

static bool ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

/* What decides the result; the rest of the command only says where things go. */
static void deciding_args(struct run *r)
{
    const struct cmpd_nvcc *n = r->q->nvcc;
    arg(r, cmpd_strdup("-c"));
    arg(r, cmpd_asprintf("-std=%s", n->std));
    arg(r, cmpd_asprintf("-arch=%s", n->arch));
    arg(r, cmpd_strdup(n->opt));
    arg(r, cmpd_strdup("-lineinfo"));
    arg(r, cmpd_strdup("-w")); /* warnings are no findings */
    /*
     * It is linked into a shared library: data of other libraries (std::cout, environ) needs -fPIC. A static launcher
     * is called by its own symbol, which has to be there. Lines of host code are found by its line table.
     */
    arg(r, cmpd_strdup("-Xcompiler"));
    arg(r, cmpd_strdup("-fPIC,-fkeep-static-functions,-g1"));
    if (n->rdc)
        arg(r, cmpd_strdup("-rdc=true"));
    for (size_t i = 0; i < n->include.count; i++)
        arg(r, cmpd_asprintf("-I%s", n->include.items[i]));
    /* After all else, so that a folder found by us can't hide a header of the system. */
    for (size_t i = 0; i < r->closure.found_dirs.count; i++) {
        arg(r, cmpd_strdup("-Xcompiler"));
        arg(r, cmpd_asprintf("-idirafter,%s", r->closure.found_dirs.items[i]));
    }
    for (size_t i = 0; i < n->define.count; i++)
        arg(r, cmpd_asprintf("-D%s", n->define.items[i]));
    for (size_t i = 0; i < n->flags.count; i++)
        arg(r, cmpd_strdup(n->flags.items[i]));
    if (!r->q->shim && !ends(r->file, ".cu")) {
        arg(r, cmpd_strdup("-x"));
        arg(r, cmpd_strdup("cu"));
    }
    /* A shim lies in the private folder, whose name must not decide anything. */
    arg(r, r->q->shim ? cmpd_strdup(SHIM_NAME) : cmpd_asprintf("./%s", r->file));
}

static void make_key(struct run *r)
{
    struct cmpd_sha256 h;
    char hex[65];
    cmpd_sha256_init(&h);
    cmpd_sha256_field(&h, CACHE_FORMAT, strlen(CACHE_FORMAT));
    cmpd_sha256_field(&h, r->toolkit.identity, 64);
    for (size_t i = 0; i < r->argv.count; i++)
        cmpd_sha256_field(&h, r->argv.items[i], strlen(r->argv.items[i]));
    cmpd_sha256_hex(cmpd_buf_str(&r->text), r->text.len, hex);
    cmpd_sha256_field(&h, hex, 64);
    cmpd_sha256_field(&h, r->closure.digest, 64);
    if (r->q->shim)
        cmpd_sha256_field(&h, r->q->shim, strlen(r->q->shim));
    cmpd_sha256_final_hex(&h, r->key, 64);
}

/* ---- the cache ---- */

static json_t *findings_json(const struct cmpd_compile_findings *l)
{
    json_t *a = json_array();
    for (size_t i = 0; i < l->count; i++) {
        const struct cmpd_compile_finding *f = &l->items[i];
        json_array_append_new(a, json_pack("[i, i, s, s]", (int)f->line, (int)f->column, f->message,
                                           f->hint ? f->hint : ""));
    }
    return a;
}

static bool take_cached(struct run *r)
{
    CMPD_BUF_AUTO struct cmpd_buf meta = CMPD_BUF_INIT;
    if (!cmpd_cache_get(r->q->cache, r->key, r->root, &meta, &r->result->object))
        return false;
    json_t *m = json_loadb(cmpd_buf_str(&meta), meta.len, 0, NULL);
    const json_t *list = json_object_get(m, "errors"), *row;
    bool good = json_is_array(list);
    size_t i;
    json_array_foreach(list, i, row)
    {
        int line, column;
        const char *message, *hint;
        if (json_unpack((json_t *)(uintptr_t)row, "[i, i, s, s]", &line, &column, &message, &hint) <
            0)
            good = false;
        else
            cmpd_compile_findings_add_take(&r->result->findings, CMPD_TAG_compile_error,
                                           (uint32_t)line, (uint32_t)column, cmpd_strdup(message),
                                           *hint ? hint : NULL);
    }
    json_decref(m);
    if (!good) {
        cmpd_compile_findings_clear(&r->result->findings);
        cmpd_buf_reset(&r->result->object);
        return false;
    }
    r->result->ok = r->result->findings.count == 0;
    r->result->cached = true;
    return true;
}

/* Only what the inputs alone decide: an object, or errors of the file. */
static void keep(struct run *r, const struct cmpd_strings *inputs)
{
    struct cmpd_compile_result *res = r->result;
    for (size_t i = 0; i < res->findings.count; i++) {
        if (res->findings.items[i].tag != CMPD_TAG_compile_error)
            return;
    }
    json_t *m = json_pack("{s:o}", "errors", findings_json(&res->findings));
    char *text = m ? json_dumps(m, JSON_COMPACT) : NULL;
    json_decref(m);
    if (text)
        cmpd_cache_put(r->q->cache, r->key, r->root, inputs, r->started_ns, text,
                       cmpd_buf_str(&res->object), res->object.len);
    free(text);
}

/* ---- what nvcc left behind ---- */

/* What the jailed program left, read by us: never through a link. */
static cmpd_rc read_left(const char *path, size_t ceiling, struct cmpd_buf *out)
{
    struct stat st;
    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return CMPD_ENOENT;
    return cmpd_file_read(path, ceiling, out, NULL);
}

/* The make rule's files, without what nvcc made in its own folder. */
static void read_inputs(const struct run *r, struct cmpd_strings *out)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    memset(out, 0, sizeof *out);
    if (read_left(r->rule, CMPD_SOURCE_CEILING_BYTES, &text) != CMPD_OK)
        return;
    cmpd_cache_parse_rule(cmpd_buf_str(&text), text.len, out);
    size_t kept = 0, n = strlen(r->work);
    for (size_t i = 0; i < out->count; i++) {
        if (strncmp(out->items[i], r->work, n) == 0)
            free(out->items[i]);
        else
            out->items[kept++] = out->items[i];
    }
    out->count = kept;
}

static void read_ptx(const struct run *r, struct cmpd_buf *out)
{
    DIR *d = opendir(r->work);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        if (!ends(e->d_name, ".ptx"))
            continue;
        CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", r->work, e->d_name);
        cmpd_buf_reset(out);
        read_left(path, PTX_CEILING, out);
    }
    if (d)
        closedir(d);
}

/* A file that was read and belongs to neither side; borrowed from inputs. */
static const char *foreign_input(const struct run *r, const struct cmpd_strings *inputs)
{
    static const char *const places[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
    const char *slash = strrchr(r->q->nvcc->path, '/');
    for (size_t i = 0; i < inputs->count; i++) {
        const char *p = inputs->items[i];
        bool known = p[0] != '/' || strncmp(p, r->toolkit.root, strlen(r->toolkit.root)) == 0 ||
                     strncmp(p, r->q->nvcc->path, (size_t)(slash - r->q->nvcc->path)) == 0;
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++)
            known = known || strncmp(p, places[k], strlen(places[k])) == 0;
        /* A shim names the file, and so what that includes, by its place. */
        known = known || (r->q->shim && strncmp(p, r->root, strlen(r->root)) == 0 &&
                          p[strlen(r->root)] == '/' && !strstr(p, "/../"));
        if (known && p[0] != '/') {
            CMPD_AUTOFREE char *plain = cmpd_path_normalise(p);
            known = plain != NULL;
        }
        if (!known)
            return p;
    }
    return NULL;
}

static void judge_output(struct run *r, const struct cmpd_proc_result *p,
                         const struct cmpd_strings *inputs)
{
    CMPD_BUF_AUTO struct cmpd_buf all = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf ptx = CMPD_BUF_INIT;
    struct cmpd_diags diags;
    /* The front end writes to stdout, host compiler and ptxas to stderr. */
    cmpd_buf_append(&all, cmpd_buf_str(&p->out), p->out.len);
    cmpd_buf_putc(&all, '\n');
    cmpd_buf_append(&all, cmpd_buf_str(&p->err), p->err.len);
    cmpd_diag_parse(all.data, all.len, &diags);
    read_ptx(r, &ptx);
    struct cmpd_compile_context ctx = {.root = r->root,
                                       .file = r->file,
                                       .text = cmpd_buf_str(&r->text),
                                       .len = r->text.len,
                                       .closure = &r->closure,
                                       .nvcc = r->q->nvcc,
                                       .toolkit = r->toolkit.root,
                                       .work = r->work,
                                       .ptx = ptx.len ? ptx.data : NULL,
                                       .ptx_len = ptx.len,
                                       .inputs = inputs};
    cmpd_compile_findings_make(&diags, &ctx, &r->result->findings);
    cmpd_diags_clear(&diags);
    if (!r->result->findings.count) {
        char how[80];
        environment(r, 0, "see `cmpd doctor`",
                    cmpd_asprintf("nvcc %s without a message that could be understood",
                                  cmpd_proc_describe(p, how, sizeof how)));
    }
}

static void judge_success(struct run *r, const struct cmpd_strings *inputs)
{
    const char *foreign = foreign_input(r, inputs);
    if (foreign) {
        environment(r, 0, NULL,
                    cmpd_strdup("the compiler read a file outside the repository and the toolkit"));
        return;
    }
    if (read_left(r->object, OBJECT_CEILING, &r->result->object) != CMPD_OK ||
        !r->result->object.len) {
        environment(r, 0, NULL, cmpd_strdup("nvcc ended well but left no object"));
        return;
    }
    r->result->ok = true;
}

static void judge(struct run *r, const struct cmpd_proc_result *p)
{
    struct cmpd_strings inputs;
    read_inputs(r, &inputs);
    if (p->end == CMPD_PROC_CANCELLED) {
        r->result->cancelled = true;
    } else if (p->end == CMPD_PROC_TIMED_OUT) {
        cmpd_compile_findings_add_take(
            &r->result->findings, CMPD_TAG_compile_timeout, 0, 0,
            cmpd_asprintf("compiling took longer than %u s", r->q->nvcc->timeout_s),
            "raise policy.nvcc.timeout_s in cmpd.json, or make the file smaller");
    } else if (p->end != CMPD_PROC_EXITED) {
        char how[80];
        environment(r, 0, "give the compiler more room (policy.nvcc.memory_mib, disk)",
                    cmpd_asprintf("nvcc was %s", cmpd_proc_describe(p, how, sizeof how)));
    } else if (p->exit_status != 0) {
        judge_output(r, p, &inputs);
    } else {
        judge_success(r, &inputs);
    }
    if (!r->result->cancelled)
        keep(r, &inputs);
    cmpd_strings_clear_all(&inputs);
}

/* ---- running it ---- */

static bool asks_for_headers(const struct run *r)
{
    return memmem(cmpd_buf_str(&r->text), r->text.len, "__has_include", 13) != NULL;
}

static cmpd_rc run_nvcc(struct run *r, struct cmpd_proc_result *p, struct cmpd_err *err)
{
    const struct cmpd_nvcc *n = r->q->nvcc;
    const char *extra[] = {"-MD", "-MF", r->rule, "--keep", "--keep-dir", r->work, "-o", r->object};
    size_t count = 0, extras = sizeof extra / sizeof extra[0];
    const char **argv = cmpd_calloc(r->argv.count + extras + 2, sizeof *argv);
    argv[count++] = r->q->nvcc->path;
    for (size_t i = 0; i < extras; i++)
        argv[count++] = extra[i];
    for (size_t i = 0; i < r->argv.count; i++)
        argv[count++] = r->argv.items[i];
    if (r->shim)
        argv[count - 1] = r->shim;
    const char **files = cmpd_calloc(r->closure.count, sizeof *files);
    for (size_t i = 0; i < r->closure.count; i++)
        files[i] = r->closure.files[i].path;
    struct cmpd_jail_request j = {.profile = CMPD_JAIL_COMPILE,
                                  .argv = argv,
                                  .sources = r->root,
                                  .toolkit = r->toolkit.root,
                                  .work = r->work,
                                  .source_files = files,
                                  .source_file_count = r->closure.count,
                                  /* What a macro names, and what is only asked for, isn't known. */
                                  .all_sources = r->closure.computed || asks_for_headers(r),
                                  .pass_fd_take = -1,
                                  .deadline_ms = (uint64_t)n->timeout_s * 1000,
                                  .output_ceiling = OUTPUT_CEILING,
                                  .cancel_fd = r->q->cancel_fd,
                                  .on_tick = r->q->on_tick,
                                  .tick_ctx = r->q->tick_ctx};
    j.limits.cpu_s = n->timeout_s + 5u;
    j.limits.address_space_bytes = (uint64_t)n->memory_mib << 20;
    j.limits.file_size_bytes = FILE_SIZE_LIMIT;
    j.limits.open_files = OPEN_FILES_LIMIT;
    cmpd_rc rc = r->q->jail->run(&j, p, err);
    free(argv);
    free(files);
    return rc;
}

static int64_t wall_clock_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static cmpd_rc write_shim(struct run *r, struct cmpd_err *err)
{
    if (!r->q->shim)
        return CMPD_OK;
    r->shim = cmpd_asprintf("%s/%s", r->work, SHIM_NAME);
    return cmpd_file_write_atomic(r->shim, r->q->shim, strlen(r->q->shim), err);
}

static cmpd_rc compile_anew(struct run *r, struct cmpd_err *err)
{
    cmpd_rc rc = cmpd_workdir_make(&r->work, err);
    if (rc != CMPD_OK)
        return rc;
    if (!cmpd_nvcc_path_ok(r->work))
        return cmpd_err_set(err, CMPD_EIO, "TMPDIR has characters that nvcc would hand to a shell");
    r->object = cmpd_asprintf("%s/cmpd-out.o", r->work);
    r->rule = cmpd_asprintf("%s/cmpd-out.d", r->work);
    struct cmpd_proc_result p;
    rc = write_shim(r, err);
    if (rc != CMPD_OK)
        return rc;
    rc = run_nvcc(r, &p, err);
    if (rc != CMPD_OK)
        return rc;
    judge(r, &p);
    cmpd_proc_result_clear(&p);
    return CMPD_OK;
}

/* What must not reach the compiler is a finding, not an error. true: go on. */
static bool may_compile(struct run *r)
{
    if (!cmpd_nvcc_path_ok(r->file)) {
        environment(r, 0, "rename the file",
                    cmpd_strdup("the file's name has characters that nvcc would hand to a shell"));
        return false;
    }
    if (!r->closure.refused)
        return true;
    environment(r, r->closure.refused_line, "include headers by their place in the repository",
                cmpd_strdup(r->closure.refused));
    return false;
}

static cmpd_rc prepare(struct run *r, struct cmpd_err *err)
{
    const struct cmpd_compile_request *q = r->q;
    r->started_ns = wall_clock_ns();
    r->file = cmpd_path_normalise(q->file);
    if (!r->file)
        return cmpd_err_set(err, CMPD_EINPUT, "%s does not lie in %s", q->file, q->root);
    r->root = realpath(q->root, NULL);
    if (!r->root)
        return cmpd_err_set(err, CMPD_ENOENT, "cannot find %s: %s", q->root, strerror(errno));
    cmpd_rc rc = cmpd_toolkit_open(q->nvcc->path, q->cache->dir, &r->toolkit, err);
    if (rc == CMPD_OK)
        rc = cmpd_closure_scan(r->root, r->file, &q->nvcc->include, r->toolkit.root, &r->closure,
                               err);
    CMPD_AUTOFREE char *full = cmpd_asprintf("%s/%s", r->root, r->file);
    if (rc == CMPD_OK)
        rc = cmpd_file_read(full, CMPD_SOURCE_CEILING_BYTES, &r->text, err);
    return rc;
}

cmpd_rc cmpd_compile_run(const struct cmpd_compile_request *request,
                         struct cmpd_compile_result *result, struct cmpd_err *err)
{
    double started = now_ms();
    memset(result, 0, sizeof *result);
    struct run r = {.q = request, .result = result};
    cmpd_rc rc = prepare(&r, err);
    if (rc == CMPD_OK && may_compile(&r)) {
        deciding_args(&r);
        make_key(&r);
        if (!take_cached(&r))
            rc = compile_anew(&r, err);
    }
    if (rc == CMPD_OK)
        result->version = cmpd_strdup(r.toolkit.version);
    else
        cmpd_compile_result_clear(result);
    result->elapsed_ms = now_ms() - started;
    run_clear(&r);
    return rc;
}

void cmpd_compile_result_clear(struct cmpd_compile_result *result)
{
    free(result->version);
    cmpd_compile_findings_clear(&result->findings);
    cmpd_buf_clear(&result->object);
    memset(result, 0, sizeof *result);
}
