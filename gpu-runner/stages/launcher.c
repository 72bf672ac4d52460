/* Calling a launcher: the candidate's host code runs in its jail and talks to the device server. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "gpu-runner/stages/run.h"
#include "gpu-runner/stages/sides.h"

/* Of the whole process: cases, their checks and the device's work lie between. */
#define PROCESS_DEADLINE_MS      600000u
#define RESTARTS_MOST            24u
/* The device that the candidate sees has few multiprocessors: grids that are sized by them stay small. */
#define EMULATED_MULTIPROCESSORS 4u

/* ---- the operator's cases ---- */

static cmpd_rc next(void *ctx, struct cmpd_server_case *out, struct cmpd_err *err)
{
    struct cmpd_run *r = ctx;
    bool more = false;
    cmpd_rc rc = cmpd_run_begin(r, out, &more, err);
    if (rc == CMPD_OK && !more)
        *out = (struct cmpd_server_case){.task = CMPD_WIRE_TASK_STOP};
    out->symbol_offset = r->entry_offset;
    return rc;
}

static cmpd_rc joined(void *ctx, const struct cmpd_server_record *record, struct cmpd_err *err)
{
    return cmpd_run_joined(ctx, record, err);
}

static cmpd_rc done(void *ctx, struct cmpd_server_record *record, struct cmpd_err *err)
{
    return cmpd_run_done(ctx, record, err);
}

/* ---- a whole program: main() once ---- */

static cmpd_rc next_main(void *ctx, struct cmpd_server_case *out, struct cmpd_err *err)
{
    struct cmpd_run *r = ctx;
    (void)err;
    *out = (struct cmpd_server_case){.task = r->at++ == 0 ? CMPD_WIRE_TASK_MAIN
                                                          : CMPD_WIRE_TASK_STOP,
                                     .lane_instructions = r->job->budget,
                                     .schedule_seed = r->job->schedule};
    return CMPD_OK;
}

static cmpd_rc done_main(void *ctx, struct cmpd_server_record *record, struct cmpd_err *err)
{
    (void)err;
    cmpd_run_program_done(ctx, record);
    return CMPD_OK;
}

/* ---- one call to see which pointers are the device's ---- */

static cmpd_rc next_probe(void *ctx, struct cmpd_server_case *out, struct cmpd_err *err)
{
    struct cmpd_run *r = ctx;
    if (!r->open && r->probes++ == 0)
        return next(ctx, out, err);
    *out = (struct cmpd_server_case){.task = CMPD_WIRE_TASK_STOP};
    return CMPD_OK;
}

static cmpd_rc done_probe(void *ctx, struct cmpd_server_record *record, struct cmpd_err *err)
{
    struct cmpd_run *r = ctx;
    (void)err;
    cmpd_sides_settle(r, record);
    cmpd_run_forget(r);
    return CMPD_OK;
}

/* ---- serving ---- */

static const struct cmpd_server_plan plans[] = {
    [CMPD_RUN_CASES] = {NULL, next, joined, done},
    [CMPD_RUN_MAIN] = {NULL, next_main, NULL, done_main},
    [CMPD_RUN_PROBE] = {NULL, next_probe, NULL, done_probe},
};

/* What the user's own program says, for the one who asked to see it run. */
static void write_program(struct cmpd_run *r, const struct cmpd_candidate_end *end)
{
    const struct cmpd_proc_result *p = &end->process;
    int status = p->end == CMPD_PROC_EXITED ? p->exit_status : 128 + (p->signal & 127);
    CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;
    const struct cmpd_buf *kernels = r->device->ops->printed ? r->device->ops->printed(r->device)
                                                             : NULL;
    if (kernels &&
        kernels->len) /* first: programs print results behind the kernels that made them */
        cmpd_buf_append(&out, kernels->data, kernels->len);
    cmpd_buf_append(&out, cmpd_buf_str(&p->out), p->out.len);
    cmpd_event_write_program(r->q->writer, status & 255, cmpd_buf_str(&out), out.len,
                             cmpd_buf_str(&p->err), p->err.len);
}

/* An exception that nobody catches, or abort() as by assert. */
static bool refuses(const struct cmpd_server_outcome *o)
{
    return o->end == CMPD_SERVER_FAULTED &&
           (o->fault == CMPD_SERVER_FAULT_EXCEPTION ||
            (o->fault == CMPD_SERVER_FAULT_SIGNAL && o->signal == SIGABRT));
}

static void conclude(struct cmpd_run *r, enum cmpd_run_mode mode, struct cmpd_server *server,
                     const struct cmpd_server_outcome *outcome,
                     const struct cmpd_candidate_end *end)
{
    if (mode == CMPD_RUN_PROBE) {
        if (r->open) { /* it broke off: the record up to there tells as much */
            cmpd_sides_settle(r, cmpd_server_open_record(server));
            cmpd_run_forget(r);
        }
        return;
    }
    cmpd_stage_findings_sightings(&r->findings, &cmpd_server_outside_record(server)->sightings,
                                  NULL);
    if (mode == CMPD_RUN_MAIN && outcome->in_case)
        cmpd_run_program_done(r, cmpd_server_open_record(server));
    const struct cmpd_server_record *open = cmpd_server_open_record(server);
    bool refused = r->open && refuses(outcome) && open->launches == 0 && !end->report.deed_count;
    if (r->open)
        cmpd_run_broken_off(r, open, refused);
    r->again = refused && r->restarts++ < RESTARTS_MOST;
    if (!refused)
        cmpd_run_outcome(r, mode, outcome, end);
    if (mode == CMPD_RUN_MAIN && r->job->program)
        write_program(r, end);
}

static cmpd_rc serve(struct cmpd_run *r, enum cmpd_run_mode mode, struct cmpd_server *server,
                     int fd, struct cmpd_candidate *candidate, struct cmpd_err *err)
{
    struct cmpd_server_plan plan = plans[mode];
    struct cmpd_server_outcome outcome;
    struct cmpd_candidate_end end;
    plan.ctx = r;
    cmpd_rc rc = cmpd_server_serve(server, fd, r->q->cancel_fd, &plan, &outcome, err);
    close(fd);
    bool ends_itself = outcome.end == CMPD_SERVER_FINISHED || outcome.end == CMPD_SERVER_GONE_EARLY;
    cmpd_candidate_finish(candidate, rc != CMPD_OK || !ends_itself, &end);
    if (rc == CMPD_OK && outcome.end == CMPD_SERVER_CANCELLED)
        rc = cmpd_err_set(err, CMPD_EUNAVAIL, "cancelled");
    if (rc == CMPD_OK)
        conclude(r, mode, server, &outcome, &end);
    cmpd_candidate_end_clear(&end);
    return rc;
}

static cmpd_rc with_server(struct cmpd_run *r, enum cmpd_run_mode mode, struct cmpd_err *err)
{
    const struct cmpd_server_limits limits = {.multiprocessors = EMULATED_MULTIPROCESSORS};
    const struct cmpd_candidate_spec spec = {.jail = r->q->jail,
                                             .library = r->library,
                                             .argv = (const char *const *)r->job->argv.items,
                                             .argc = r->job->argv.count,
                                             .deadline_ms = PROCESS_DEADLINE_MS};
    struct cmpd_server *server;
    struct cmpd_candidate *candidate;
    int fd;
    cmpd_rc rc = cmpd_server_new(r->device, &limits, &server, err);
    if (rc != CMPD_OK)
        return rc;
    rc = cmpd_candidate_start(&spec, &candidate, &fd, err);
    if (rc == CMPD_OK)
        rc = serve(r, mode, server, fd, candidate, err);
    cmpd_server_free(server);
    return rc;
}

cmpd_rc cmpd_run_launcher(struct cmpd_run *r, struct cmpd_err *err)
{
    cmpd_rc rc = cmpd_sides_open(r) ? with_server(r, CMPD_RUN_PROBE, err) : CMPD_OK;
    if (rc == CMPD_OK)
        rc = with_server(r, CMPD_RUN_CASES, err);
    while (rc == CMPD_OK && r->again && r->at < r->plan.count) {
        r->again = false;
        rc = with_server(r, CMPD_RUN_CASES, err);
    }
    return rc;
}

cmpd_rc cmpd_run_program(struct cmpd_run *r, struct cmpd_err *err)
{
    return with_server(r, CMPD_RUN_MAIN, err);
}
