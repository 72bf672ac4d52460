/*
 * What the end of a candidate process means. The process is hostile: its exit status proves nothing good, only a
 * conversation that came to its end does.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "gpu-runner/compile/compile_findings.h"
#include "gpu-runner/stages/culprit.h"
#include "gpu-runner/stages/run.h"

#define PLAIN_BYTES 256

/* ---- lines ---- */

static bool launched(const struct cmpd_server_record *record, const char *name)
{
    char plain[PLAIN_BYTES];
    for (size_t i = 0; i < record->step_count; i++) {
        if (record->steps[i].kind != CMPD_SERVER_LAUNCH || !record->steps[i].kernel)
            continue;
        cmpd_plain_name(record->steps[i].kernel, plain, sizeof plain);
        if (strcmp(plain, name) == 0)
            return true;
    }
    return false;
}

uint32_t cmpd_run_launch_line(const struct cmpd_run *r, const struct cmpd_server_record *record)
{
    const struct cmpd_signatures *s = &r->job->signatures;
    uint32_t line = 0;
    for (size_t i = 0; i < s->launch_count; i++) {
        const struct cmpd_sig_launch *l = &s->launches[i];
        if (record->launches && l->kernel < s->func_count &&
            !launched(record, s->funcs[l->kernel].name))
            continue;
        if (line && line != l->line)
            return cmpd_run_failed_line(r);
        line = l->line;
    }
    return line ? line : cmpd_run_failed_line(r);
}

uint32_t cmpd_run_kernel_line(const struct cmpd_run *r, const struct cmpd_server_record *record)
{
    const struct cmpd_signatures *s = &r->job->signatures;
    for (size_t i = record->step_count; i-- > 0;) {
        const struct cmpd_code_kernel *k =
            record->steps[i].kernel ? cmpd_device_code_find(&r->code, record->steps[i].kernel)
                                    : NULL;
        if (k && k->store_line)
            return k->store_line;
    }
    for (size_t i = s->func_count; i-- > 0;) {
        if (s->funcs[i].kind == CMPD_SIG_KERNEL && launched(record, s->funcs[i].name))
            return s->funcs[i].line;
    }
    return cmpd_run_failed_line(r);
}

uint32_t cmpd_run_failed_line(const struct cmpd_run *r)
{
    return r->binding.func ? r->binding.func->line : r->binding.line;
}

/* The line of the deed where the text shows one that does it, else the entry's. */
static uint32_t line_of_deed(const struct cmpd_run *r, enum cmpd_culprit what)
{
    uint32_t line = cmpd_culprit_line(r->q->job->root, r->q->job->file, what);
    return line ? line : cmpd_run_failed_line(r);
}

/* ---- deeds ---- */

static const char *who(const struct cmpd_server_outcome *o)
{
    return o->cases_done == 0 && !o->in_case ? "code that runs before the entry is called"
                                             : "the entry";
}

/* True: something was refused and told. */
static bool say_deeds(struct cmpd_run *r, const struct cmpd_server_outcome *o,
                      const struct cmpd_jail_report *report)
{
    for (size_t i = 0; i < report->deed_count; i++)
        cmpd_stage_findings_say(
            &r->findings, CMPD_TAG_forbidden_host_action,
            line_of_deed(r, cmpd_culprit_of(report->deeds[i].kind)), NULL,
            "a launcher may allocate, copy and launch; nothing else of the machine is its affair",
            "%s %s", who(o), report->deeds[i].what);
    return report->deed_count > 0;
}

static bool say_limit(struct cmpd_run *r, const struct cmpd_jail_report *report)
{
    static const char *const what[] = {
        [CMPD_JAIL_LIMIT_MEMORY] = "asked for more memory than a launcher may have",
        [CMPD_JAIL_LIMIT_OUTPUT] = "wrote more output than a launcher may",
        [CMPD_JAIL_LIMIT_FILE] = "wrote a file larger than allowed",
        [CMPD_JAIL_LIMIT_DEEDS] = "went on with calls that are forbidden",
    };
    if ((size_t)report->limit >= sizeof what / sizeof *what || !what[report->limit])
        return false;
    cmpd_stage_findings_say(&r->findings, CMPD_TAG_forbidden_host_action, cmpd_run_failed_line(r),
                            r->replay, NULL, "the host code %s and was stopped",
                            what[report->limit]);
    return true;
}

/* ---- the process ---- */

static void say_early_end(struct cmpd_run *r, const struct cmpd_server_outcome *o,
                          const struct cmpd_candidate_end *end)
{
    char how[128];
    const struct cmpd_proc_result *p = &end->process;
    cmpd_proc_describe(p, how, sizeof how);
    if (p->end == CMPD_PROC_EXITED)
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_forbidden_host_action,
                                line_of_deed(r, CMPD_CULPRIT_END), r->replay,
                                "return from the entry; a process that ends proves nothing",
                                "%s ends the process (exit status %d)", who(o), p->exit_status);
    else
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_crashed, cmpd_run_failed_line(r), r->replay,
                                NULL, "%s crashed: %s", who(o), how);
}

/* On a slow machine honest code is late too: no proof, so a person looks. */
static void say_late(struct cmpd_run *r, const struct cmpd_server_outcome *o)
{
    struct cmpd_event_finding *f =
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_timeout, cmpd_run_failed_line(r), r->replay,
                                NULL, "the host code does not come to an end: %s", o->message);
    if (f)
        f->weight = CMPD_EVENT_DOUBT;
}

static void say_unavailable(struct cmpd_run *r, const char *why)
{
    r->undecided = true;
    cmpd_stage_findings_say(&r->findings, CMPD_TAG_runner_unavailable, 0, NULL, NULL, "%s", why);
}

void cmpd_run_outcome(struct cmpd_run *r, enum cmpd_run_mode mode,
                      const struct cmpd_server_outcome *o, const struct cmpd_candidate_end *end)
{
    if (end->rc != CMPD_OK) {
        say_unavailable(r, end->err.msg);
        return;
    }
    if (r->q->jail == &cmpd_jail_bwrap && !end->report.confined) {
        say_unavailable(r, "the candidate could not be held in; nothing that it did counts");
        return;
    }
    bool told = say_deeds(r, o, &end->report);
    if (o->end != CMPD_SERVER_FINISHED)
        told |= say_limit(r, &end->report);
    if (o->undecided &&
        o->end !=
            CMPD_SERVER_VIOLATION) { /* what it did then may be due to what it could not have here */
        r->undecided = true;
        return;
    }
    switch (o->end) {
    case CMPD_SERVER_GONE_EARLY:
        if (end->process.end == CMPD_PROC_EXITED && (mode == CMPD_RUN_MAIN || o->after_error))
            break; /* a program may end by exit(), and one that checks its errors does; the error is told */
        if (!told && end->report.limit == CMPD_JAIL_LIMIT_CPU)
            say_late(r, o);
        else if (!told)
            say_early_end(r, o, end);
        break;
    case CMPD_SERVER_VIOLATION:
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_forbidden_host_action,
                                cmpd_run_failed_line(r), NULL, NULL, "%s", o->message);
        break;
    case CMPD_SERVER_WALL:
        if (!told)
            say_late(r, o);
        break;
    case CMPD_SERVER_LIMIT:
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_emulation_budget, 0, r->replay, NULL, "%s",
                                o->message);
        r->undecided = true;
        break;
    case CMPD_SERVER_UNDECIDED:
        r->undecided = true;
        break; /* the record says why */
    case CMPD_SERVER_FINISHED:
    case CMPD_SERVER_FAULTED: /* the record's sightings hold it */
    case CMPD_SERVER_CANCELLED:
    case CMPD_SERVER_BROKEN:
    case CMPD_SERVER_STOPPED:
        break;
    }
}
