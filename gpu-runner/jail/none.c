#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/jail/jail.h"

#define TICK_MS  500
/* SIGTERM first, so that nvcc can remove what it has put elsewhere. */
#define GRACE_MS 300

static void on_start(void *ctx)
{
    int *fd = ctx;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static enum cmpd_jail_limit limit_of(const struct cmpd_proc_result *p)
{
    if (p->end == CMPD_PROC_TIMED_OUT)
        return CMPD_JAIL_LIMIT_TIME;
    if (p->end == CMPD_PROC_FLOODED)
        return CMPD_JAIL_LIMIT_OUTPUT;
    return p->end == CMPD_PROC_KILLED ? CMPD_JAIL_LIMIT_MEMORY : CMPD_JAIL_WITHIN;
}

static cmpd_rc run(const struct cmpd_jail_request *q, struct cmpd_proc_result *result,
                   struct cmpd_err *err)
{
    CMPD_AUTOFREE char *home = q->work ? cmpd_asprintf("HOME=%s", q->work) : NULL;
    CMPD_AUTOFREE char *tmp = q->work ? cmpd_asprintf("TMPDIR=%s", q->work) : NULL;
    const char *const envp[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", home, tmp, NULL};
    int pass = q->profile == CMPD_JAIL_RUN ? q->pass_fd_take : -1;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    spec.argv = q->argv;
    spec.envp = envp;
    spec.cwd = q->sources ? q->sources : q->work ? q->work : "/";
    spec.stdout_ceiling = spec.stderr_ceiling = q->output_ceiling;
    spec.output_limit_bytes = q->output_limit;
    spec.deadline_ms = q->deadline_ms;
    spec.grace_ms = q->profile == CMPD_JAIL_COMPILE ? GRACE_MS : 0;
    spec.cancel_fd = q->cancel_fd;
    spec.limits = q->limits;
    spec.pass_fds = &pass;
    spec.pass_count = pass >= 0 ? 1 : 0;
    spec.on_start = on_start;
    spec.start_ctx = &pass;
    spec.on_tick = q->on_tick;
    spec.tick_ctx = q->tick_ctx;
    spec.tick_ms = TICK_MS;
    cmpd_rc rc = cmpd_proc_run(&spec, result, err);
    on_start(&pass);
    if (rc == CMPD_OK && q->report) {
        memset(q->report, 0, sizeof *q->report);
        q->report->limit = limit_of(result);
    }
    return rc;
}

const struct cmpd_jail_ops cmpd_jail_none = {"none", run};
