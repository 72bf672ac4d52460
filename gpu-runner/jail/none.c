#include "gpu-runner/jail/jail.h"

#include "analysis/base/alloc.h"

#define TICK_MS  500
/* SIGTERM first, so that nvcc can remove what it has put elsewhere. */
#define GRACE_MS 300

static cmpd_rc run(const struct cmpd_jail_request *q, struct cmpd_proc_result *result,
                   struct cmpd_err *err)
{
    CMPD_AUTOFREE char *home = cmpd_asprintf("HOME=%s", q->work);
    CMPD_AUTOFREE char *tmp = cmpd_asprintf("TMPDIR=%s", q->work);
    const char *const envp[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", home, tmp, NULL};
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    spec.argv = q->argv;
    spec.envp = envp;
    spec.cwd = q->sources;
    spec.stdout_ceiling = spec.stderr_ceiling = q->output_ceiling;
    spec.deadline_ms = q->deadline_ms;
    spec.grace_ms = GRACE_MS;
    spec.cancel_fd = q->cancel_fd;
    spec.limits = q->limits;
    spec.on_tick = q->on_tick;
    spec.tick_ctx = q->tick_ctx;
    spec.tick_ms = TICK_MS;
    return cmpd_proc_run(&spec, result, err);
}

const struct cmpd_jail_ops cmpd_jail_none = {"none", run};
