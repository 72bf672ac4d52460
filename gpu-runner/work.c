#include "gpu-runner/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/version.h"
#include "gpu-runner/compile/compile.h"
#include "gpu-runner/job/events.h"
#include "gpu-runner/stages/stage.h"

/* A person who waits is told from here on. */
#define PROGRESS_AFTER_MS 3000

struct work {
    const struct cmpd_job *job;
    struct cmpd_event_writer writer;
    struct cmpd_cache cache;
    const struct cmpd_jail_ops *jail;
    const char *jail_name; /* static; for results */
    int cancel_fd;
    bool progress, shown;
    bool failed;            /* a toolkit did not compile the file */
    struct cmpd_buf object; /* owned; the first toolkit's */
};

static bool cancelled(const struct work *w)
{
    return cmpd_stage_cancelled(w->cancel_fd);
}

static void tick(void *ctx, uint64_t elapsed_ms)
{
    struct work *w = ctx;
    if (!w->progress || elapsed_ms < PROGRESS_AFTER_MS)
        return;
    fprintf(stderr, "\rcompiling %s: %u s", w->job->file, (unsigned)(elapsed_ms / 1000));
    w->shown = true;
}

static void end_progress(struct work *w)
{
    if (w->shown)
        fputs("\r\033[K", stderr);
    w->shown = false;
}

static void write_start(struct work *w)
{
    cmpd_event_write_take(&w->writer,
                          json_pack("{s:s, s:s, s:s, s:s, s:s}", "event", "start", "schema",
                                    "cmpd.event.v1", "version", cmpd_version(), "file",
                                    w->job->file, "jail", w->jail_name));
}

static void write_compile(struct work *w, const struct cmpd_nvcc *n,
                          const struct cmpd_compile_result *r)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:b, s:I, s:b}", "event", "compile", "nvcc",
                          n->path, "version", r->version, "arch", n->arch, "ok", (int)r->ok,
                          "elapsed_ms", (json_int_t)llround(r->elapsed_ms), "cached",
                          (int)r->cached);
    cmpd_event_write_take(&w->writer, o);
}

/* The compiler's text may hold bytes that are no UTF-8; JSON can't. */
static char *printable(const char *s)
{
    json_t *probe = json_string(s);
    if (probe) {
        json_decref(probe);
        return cmpd_strdup(s);
    }
    char *copy = cmpd_strdup(s);
    for (char *p = copy; *p; p++) {
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    }
    return copy;
}

static void write_finding(struct work *w, const char *tag, uint32_t line, uint32_t column,
                          const char *message, const char *hint)
{
    CMPD_AUTOFREE char *text = printable(message);
    json_t *o = json_pack("{s:s, s:s, s:I, s:I, s:s}", "event", "finding", "tag", tag, "line",
                          (json_int_t)line, "column", (json_int_t)column, "message", text);
    if (hint)
        json_object_set_new(o, "hint", json_string(hint));
    cmpd_event_write_take(&w->writer, o);
}

/* With several toolkits the reader must know which one said it. */
static void write_findings(struct work *w, const struct cmpd_nvcc *n,
                           const struct cmpd_compile_result *r)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_compile_finding *f = &r->findings.items[i];
        CMPD_AUTOFREE char *with = w->job->nvcc_count > 1
                                       ? cmpd_asprintf("%s (CUDA %s, %s)", f->message, r->version,
                                                       n->arch)
                                       : NULL;
        write_finding(w, cmpd_tag_info(f->tag)->name, f->line, f->column, with ? with : f->message,
                      f->hint);
    }
}

static struct cmpd_compile_request request_for(struct work *w, const struct cmpd_nvcc *n)
{
    return (struct cmpd_compile_request){.root = w->job->root,
                                         .file = w->job->file,
                                         .nvcc = n,
                                         .jail = w->jail,
                                         .cache = &w->cache,
                                         .cancel_fd = w->cancel_fd,
                                         .on_tick = tick,
                                         .tick_ctx = w};
}

static cmpd_rc one_toolkit(struct work *w, const struct cmpd_nvcc *n, struct cmpd_err *err)
{
    struct cmpd_compile_request q = request_for(w, n);
    struct cmpd_compile_result r;
    struct cmpd_err why = {0};
    cmpd_rc rc = cmpd_compile_run(&q, &r, &why);
    end_progress(w);
    if (rc == CMPD_EUNAVAIL) { /* no compiler here: a result, not a failure of the job */
        write_finding(w, "runner_unavailable", 0, 0, why.msg, NULL);
        return CMPD_OK;
    }
    if (rc != CMPD_OK) {
        if (err)
            *err = why;
        return rc;
    }
    if (r.cancelled || cancelled(w)) {
        rc = cmpd_err_set(err, CMPD_EUNAVAIL, "cancelled");
    } else {
        write_compile(w, n, &r);
        write_findings(w, n, &r);
        w->failed |= !r.ok;
        if (r.ok && !w->object.len) /* the first toolkit's object is the one that is run */
            cmpd_buf_append(&w->object, cmpd_buf_str(&r.object), r.object.len);
    }
    cmpd_compile_result_clear(&r);
    return rc;
}

/* ---- the run stage ---- */

static cmpd_rc compile_shim(void *ctx, const char *text, struct cmpd_buf *object,
                            struct cmpd_err *err)
{
    struct work *w = ctx;
    struct cmpd_compile_request q = request_for(w, &w->job->nvcc[0]);
    struct cmpd_compile_result r;
    q.shim = text;
    cmpd_rc rc = cmpd_compile_run(&q, &r, err);
    end_progress(w);
    if (rc != CMPD_OK)
        return rc;
    if (r.cancelled || cancelled(w))
        rc = cmpd_err_set(err, CMPD_EUNAVAIL, "cancelled");
    else if (!r.ok)
        rc = cmpd_err_set(err, CMPD_EINPUT, "a call of it does not compile: %s",
                          r.findings.count ? r.findings.items[0].message : "no object");
    else
        cmpd_buf_append(object, cmpd_buf_str(&r.object), r.object.len);
    cmpd_compile_result_clear(&r);
    return rc;
}

static cmpd_rc run_stage(struct work *w, struct cmpd_err *err)
{
    if (!w->job->run || w->failed || !w->object.len)
        return CMPD_OK;
    const struct cmpd_stage_request q = {.job = w->job,
                                         .object = w->object.data,
                                         .object_len = w->object.len,
                                         .jail = w->jail,
                                         .jail_name = w->jail_name,
                                         .cache = &w->cache,
                                         .cancel_fd = w->cancel_fd,
                                         .writer = &w->writer,
                                         .compile_shim = compile_shim,
                                         .shim_ctx = w};
    return cmpd_stage_run(&q, err);
}

cmpd_rc cmpd_work(const struct cmpd_job *job, int out, int cancel_fd, struct cmpd_err *err)
{
    struct work w = {.job = job,
                     .writer = {.fd = out},
                     .cancel_fd = cancel_fd,
                     .progress = isatty(STDERR_FILENO) == 1};
    cmpd_cache_open(&w.cache, job->cache);
    struct cmpd_err why = {0};
    bool jailed = cmpd_jail_choose(job->jail == CMPD_JAIL_NONE, &w.jail, &w.jail_name, &why) ==
                  CMPD_OK;
    if (!jailed)
        w.jail_name = "unavailable";
    write_start(&w);
    cmpd_rc rc = CMPD_OK;
    if (!jailed) /* nothing foreign is compiled or run: a result, not a failure of the job */
        write_finding(&w, "runner_unavailable", 0, 0, why.msg, NULL);
    for (size_t i = 0; jailed && rc == CMPD_OK && i < job->nvcc_count; i++)
        rc = one_toolkit(&w, &job->nvcc[i], err);
    if (jailed && rc == CMPD_OK)
        rc = run_stage(&w, err);
    if (rc == CMPD_OK)
        cmpd_event_write_end(&w.writer, job->nonce);
    cmpd_cache_clear(&w.cache);
    cmpd_buf_clear(&w.object);
    if (rc == CMPD_OK && w.writer.failed)
        rc = cmpd_err_set(err, CMPD_EIO, "nobody reads the answer");
    return rc;
}
