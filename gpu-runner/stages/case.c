#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/stages/culprit.h"
#include "gpu-runner/stages/run.h"

/* A difference this much over the tolerance may hang on the last bits of an approximate instruction. */
#define NEAR_EXCESS   4.0
#define JITTER_ULP    2
/* What a few roundings to half (11 bits) or bf16 (8 bits) change, relative to the largest value. */
#define HALF_ROUNDING 0x1p-6

static const struct cmpd_plan_case *planned(const struct cmpd_run *r)
{
    return &r->plan.items[r->at];
}

static void describe_replay(struct cmpd_run *r)
{
    const struct cmpd_plan_case *c = planned(r);
    snprintf(r->replay, sizeof r->replay, "--op %s --case '%s' --seed %llu --schedule %u",
             r->op->name, c->name, (unsigned long long)c->seed, c->schedule);
}

static cmpd_rc too_large(struct cmpd_run *r, const struct cmpd_err *why)
{
    cmpd_stage_findings_say(&r->findings, CMPD_TAG_emulation_budget, 0, NULL, NULL,
                            "case %s was not run: %s", planned(r)->name, why->msg);
    r->undecided = true;
    r->at++;
    return CMPD_OK;
}

static uint64_t *memory_of_repeated(struct cmpd_run *r)
{
    size_t of = planned(r)->place;
    return of < r->kept_count && r->kept[of].kept ? r->kept[of].address : NULL;
}

cmpd_rc cmpd_run_begin(struct cmpd_run *r, struct cmpd_server_case *out, bool *more,
                       struct cmpd_err *err)
{
    cmpd_rc rc = CMPD_OK;
    while (rc == CMPD_OK && !r->open && !r->stop && r->at < r->plan.count) {
        struct cmpd_err why = {0};
        rc = cmpd_call_make(&r->call, r->device, r->op, &r->binding, r->side, planned(r),
                            memory_of_repeated(r), r->code.approximations, &why);
        if (rc == CMPD_OK)
            r->open = true;
        else if (rc == CMPD_ELIMIT)
            rc = too_large(r, &why);
        else if (err)
            *err = why;
    }
    *more = r->open;
    if (!r->open)
        return rc;
    describe_replay(r);
    r->numeric = (struct cmpd_numeric){.compared = true, .ok = true};
    cmpd_event_write_progress(r->q->writer, planned(r)->name, (uint32_t)r->at + 1,
                              (uint32_t)r->plan.count);
    *out = (struct cmpd_server_case){.task = CMPD_WIRE_TASK_CALL,
                                     .number = (uint32_t)r->at,
                                     .result = cmpd_call_wire_type(&r->binding.ret),
                                     .args = r->call.args,
                                     .arg_count = (uint32_t)r->binding.param_count,
                                     .lane_instructions = r->job->budget,
                                     .schedule_seed = planned(r)->schedule,
                                     .jitter_ulp = planned(r)->jitter_ulp};
    return CMPD_OK;
}

static struct cmpd_numeric_limits limits(const struct cmpd_run *r)
{
    return (struct cmpd_numeric_limits){r->job->has_atol, r->job->has_rtol, r->job->atol,
                                        r->job->rtol};
}

cmpd_rc cmpd_run_joined(struct cmpd_run *r, const struct cmpd_server_record *record,
                        struct cmpd_err *err)
{
    struct cmpd_numeric_limits l = limits(r);
    if (!r->open)
        return CMPD_OK;
    cmpd_rc rc = cmpd_call_read_device(&r->call, err);
    return rc == CMPD_OK ? cmpd_numeric_judge(&r->call, record, false, &l, &r->numeric, err) : rc;
}

/* ---- findings ---- */

static uint32_t line_of(const struct cmpd_run *r, const struct cmpd_numeric_fault *f,
                        const struct cmpd_server_record *record)
{
    if (f->line && cmpd_stage_is_file(f->file, r->findings.file))
        return f->line;
    if (f->tag != CMPD_TAG_output_not_written)
        return cmpd_run_failed_line(r);
    return f->whole && record->launches && !record->unjoined &&
                   r->binding.task == CMPD_BIND_LAUNCHER
               ? cmpd_run_kernel_line(r, record)
               : cmpd_run_launch_line(r, record);
}

static const char *hint_for(const struct cmpd_numeric_fault *f,
                            const struct cmpd_server_record *record)
{
    if (f->tag != CMPD_TAG_output_not_written)
        return NULL;
    if (record->unjoined)
        return "work on another stream was still to be done when the entry returned: join it, or use the default stream";
    if (record->launches == 0)
        return "no kernel was launched in this call";
    return NULL;
}

/*
 * Values that are off by about what rounding to half costs, in an operator of wider numbers whose kernel rounds to half:
 * that line is the one to look at.
 */
static uint32_t narrowing_line(const struct cmpd_run *r, const struct cmpd_numeric_fault *f,
                               const struct cmpd_server_record *record)
{
    unsigned bytes = cmpd_dtype_size(planned(r)->dtype);
    if (f->tag != CMPD_TAG_numeric_mismatch || bytes < 4 || r->numeric.relative > HALF_ROUNDING)
        return 0;
    for (size_t i = 0; i < record->step_count; i++) {
        const struct cmpd_server_step *s = &record->steps[i];
        const struct cmpd_code_kernel *k = s->kernel ? cmpd_device_code_find(&r->code, s->kernel)
                                                     : NULL;
        if (k && k->narrow_line)
            return k->narrow_line;
    }
    return 0;
}

static struct cmpd_event_finding *say_fault(struct cmpd_run *r, const struct cmpd_numeric_fault *f,
                                            const struct cmpd_server_record *record,
                                            const char *shape)
{
    uint32_t narrow = narrowing_line(r, f, record);
    const char *hint = narrow ? "keep values in float: they are rounded to half precision here"
                              : hint_for(f, record);
    return cmpd_stage_findings_say(&r->findings, f->tag, narrow ? narrow : line_of(r, f, record),
                                   r->replay, hint, "%s (%s)", f->message, shape);
}

/*
 * A launcher that throws, asserts or returns an error before it has launched anything refuses this shape. Whether it may
 * is for a person to say: the operator has such shapes, but nobody wrote down which ones the file promises to take.
 */
static void mark_refused(const struct cmpd_run *r, struct cmpd_event_finding *f)
{
    if (f->weight != CMPD_EVENT_SURE)
        return;
    f->weight = CMPD_EVENT_DOUBT;
    free(f->hint);
    f->hint = cmpd_asprintf(
        "%s refuses this shape; if that is right, say so in a comment (\"cols <= 1024\", \"n is a "
        "multiple of 4\") or give \"cases\" in cmpd.json",
        r->binding.display);
}

static bool returned_refusal(const struct cmpd_run *r, const struct cmpd_server_record *record)
{
    const struct cmpd_bind_param *ret = &r->binding.ret;
    bool whole = ret->role != CMPD_ROLE_OUT &&
                 (ret->pass == CMPD_BIND_SIGNED || ret->pass == CMPD_BIND_UNSIGNED);
    return whole && record->returned && record->result != 0 && record->launches == 0 &&
           record->launches_refused == 0;
}

static void say_numeric(struct cmpd_run *r, const struct cmpd_server_record *record)
{
    char shape[160];
    cmpd_call_shape(&r->call, shape, sizeof shape);
    for (size_t i = 0; i < r->numeric.fault_count; i++) {
        const struct cmpd_numeric_fault *f = &r->numeric.faults[i];
        struct cmpd_event_finding *said = say_fault(r, f, record, shape);
        if (said && returned_refusal(r, record))
            mark_refused(r, said);
        if (said && planned(r)->jitter_ulp && said->weight == CMPD_EVENT_SURE)
            said->weight = CMPD_EVENT_DOUBT;
        if (said && f->file && !cmpd_stage_is_file(f->file, r->findings.file)) {
            said->also.file = cmpd_strdup(f->file);
            said->also.line = f->line;
        }
    }
}

/* A verdict must not hang on the last bits of an approximate instruction: near the limit it is tried with others. */
static void settle_near_miss(struct cmpd_run *r)
{
    const struct cmpd_plan_case *c = planned(r);
    if (r->numeric.ok && c->jitter_ulp && c->repeats != CMPD_PLAN_NO_REPEAT) {
        for (size_t i = 0; i < r->findings.count; i++) {
            struct cmpd_event_finding *f = &r->findings.items[i];
            if (f->tag == CMPD_TAG_numeric_mismatch && f->weight == CMPD_EVENT_SURE &&
                r->near_miss == c->repeats)
                f->weight = CMPD_EVENT_DOUBT;
        }
    }
    if (!r->numeric.ok && !c->jitter_ulp && r->numeric.excess > 0 &&
        r->numeric.excess < NEAR_EXCESS && r->code.approximate &&
        r->near_miss == CMPD_PLAN_NO_REPEAT) {
        r->near_miss = r->at;
        cmpd_plan_add_jittered(&r->plan, r->at, JITTER_ULP);
    }
}

static void compare_repeat(struct cmpd_run *r)
{
    const struct cmpd_plan_case *c = planned(r);
    char *message = NULL;
    if (c->repeats == CMPD_PLAN_NO_REPEAT || c->jitter_ulp || !r->kept[c->repeats].kept)
        return;
    if (cmpd_numeric_same(&r->call, (const void *const *)r->kept[c->repeats].after, &message))
        return;
    struct cmpd_event_finding *f = cmpd_stage_findings_say(
        &r->findings, CMPD_TAG_nondeterministic, 0, r->replay, NULL, "%s (%s)", message, c->name);
    if (f)
        f->weight = CMPD_EVENT_NOTE;
    free(message);
}

static void keep_outputs(struct cmpd_run *r)
{
    bool wanted = false;
    for (size_t i = r->at + 1; i < r->plan.count; i++)
        wanted |= r->plan.items[i].repeats == r->at || r->plan.items[i].place == r->at;
    if (!wanted || r->at >= r->kept_count)
        return;
    for (size_t i = 0; i < r->binding.param_count; i++) {
        r->kept[r->at].after[i] = r->call.buffers[i].after;
        r->call.buffers[i].after = NULL;
        r->kept[r->at].address[i] = r->call.buffers[i].address;
        r->call.buffers[i].address = 0;
    }
    r->kept[r->at].kept = true;
}

/* What the candidate left undone or got wrong at large. */
static void say_record(struct cmpd_run *r, const struct cmpd_server_record *record)
{
    if (record->budget_exhausted) {
        if (!cmpd_stage_findings_has(&r->findings, CMPD_TAG_emulation_budget))
            cmpd_stage_findings_say(
                &r->findings, CMPD_TAG_emulation_budget, 0, r->replay,
                "give smaller shapes under \"cases\", or a larger \"emulation_budget\", in cmpd.json",
                "case %s needs more than the emulator's budget of instructions", planned(r)->name);
        r->undecided = r->stop = true;
    }
    if (!record->undecided && !record->last_error && r->binding.ret.elem == CMPD_SIG_STATUS &&
        record->returned && record->result)
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_api_error, r->binding.line, r->replay, NULL,
                                "the entry returned %s (%s)",
                                cmpd_server_error_name(record->result), planned(r)->name);
    if (record->live_count) {
        struct cmpd_event_finding *f =
            cmpd_stage_findings_say(&r->findings, CMPD_TAG_memory_leak, r->binding.line, NULL, NULL,
                                    "%llu allocations of the call are not freed when it returns",
                                    (unsigned long long)record->live_count);
        if (f)
            f->weight = CMPD_EVENT_NOTE;
    }
    for (size_t i = 0; i < record->step_count; i++) {
        const struct cmpd_server_step *s = &record->steps[i];
        bool unsupported = s->kind == CMPD_SERVER_LAUNCH &&
                           s->result.end == CMPD_LAUNCH_UNSUPPORTED;
        r->undecided |= unsupported;
        r->stop |= unsupported ||
                   (s->kind == CMPD_SERVER_LAUNCH && s->result.end == CMPD_LAUNCH_STUCK);
    }
}

static uint32_t line_of_copy(const struct cmpd_run *r, size_t param)
{
    const struct cmpd_sig_func *f = r->binding.func;
    uint32_t line = f && param < f->param_count
                        ? cmpd_culprit_copy_line(r->q->job->root, r->q->job->file,
                                                 f->params[param].name)
                        : 0;
    return line ? line : cmpd_run_failed_line(r);
}

/* An output whose bytes stood in host memory first was computed there, whatever moved them afterwards. */
static void say_host_compute(struct cmpd_run *r, const struct cmpd_server_record *record)
{
    bool host[CMPD_SIG_PARAMS_CEILING] = {false};
    for (size_t i = 0; i < record->origin_count; i++) {
        const struct cmpd_server_origin *o = &record->origins[i];
        if (o->arg < r->binding.param_count)
            host[o->arg] |= o->from_host_bytes == o->bytes;
    }
    for (size_t i = 0; i < record->host_count; i++) {
        const struct cmpd_server_host *h = &record->hosts[i];
        if (h->arg < r->binding.param_count)
            host[h->arg] |= h->from_device_bytes == 0 && h->bytes > 0;
    }
    for (size_t i = 0; i < r->binding.param_count; i++) {
        int arg = cmpd_call_output(&r->binding.params[i]);
        if (host[i] && arg >= 0 && r->call.buffers[i].used)
            cmpd_stage_findings_say(
                &r->findings, CMPD_TAG_host_compute, line_of_copy(r, i), r->replay, NULL,
                "the values of %s come from host memory, not from a kernel", r->op->args[arg].name);
    }
}

/* Kernels of thrust and cub: the work was a library's. */
static void say_library(struct cmpd_run *r, const struct cmpd_server_record *record)
{
    for (size_t i = 0; i < record->step_count; i++) {
        const char *k = record->steps[i].kernel;
        if (!k || record->steps[i].kind != CMPD_SERVER_LAUNCH)
            continue;
        if (strncmp(k, "_ZN3cub", 7) != 0 && strncmp(k, "_ZN6thrust", 10) != 0)
            continue;
        uint32_t line = cmpd_culprit_line(r->q->job->root, r->q->job->file, CMPD_CULPRIT_LIBRARY);
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_library_call, line ? line : r->binding.line,
                                NULL, NULL, "the entry lets %s do the work",
                                k[4] == '3' ? "cub" : "thrust or cub");
        return;
    }
}

static void write_case(struct cmpd_run *r, const struct cmpd_server_record *record, bool ok)
{
    const struct cmpd_plan_case *c = planned(r);
    struct cmpd_event_case e = {.name = c->name,
                                .dtype = cmpd_dtype_name(c->dtype),
                                .seed = c->seed,
                                .schedule = c->schedule,
                                .measured = r->numeric.compared && record->returned,
                                .max_abs_err = r->numeric.max_abs_err,
                                .max_rel_err = r->numeric.max_rel_err,
                                .ok = ok,
                                .elapsed_ms = record->device_ms,
                                .lane_instructions = record->lane_instructions};
    for (size_t i = 0; i < r->op->arg_count && e.dim_count < CMPD_EVENT_DIMS_CEILING; i++) {
        int d = cmpd_ref_dim_index(r->op, i);
        if (d >= 0)
            e.shape[e.dim_count++] = (struct cmpd_event_dim){r->op->args[i].name,
                                                             r->call.ref.dims.value[d]};
    }
    cmpd_event_write_case(r->q->writer, &e);
}

static void close_case(struct cmpd_run *r)
{
    cmpd_call_clear(&r->call);
    cmpd_numeric_clear(&r->numeric);
    r->open = false;
    r->at++;
}

cmpd_rc cmpd_run_done(struct cmpd_run *r, const struct cmpd_server_record *record,
                      struct cmpd_err *err)
{
    struct cmpd_numeric_limits l = limits(r);
    if (!r->open)
        return CMPD_OK;
    cmpd_call_take_hosts(&r->call, record);
    cmpd_rc rc = cmpd_numeric_judge(&r->call, record, true, &l, &r->numeric, err);
    if (rc != CMPD_OK)
        return rc;
    cmpd_numeric_judge_result(&r->call, record->result_bits, &l, &r->numeric);
    size_t proven = cmpd_stage_findings_sightings(&r->findings, &record->sightings, r->replay);
    say_record(r, record);
    say_library(r, record);
    r->undecided |= record->undecided;
    bool judged = !record->budget_exhausted && !r->undecided;
    if (proven == 0 && judged)
        say_numeric(r, record);
    if (proven == 0 && judged && r->numeric.ok) {
        say_host_compute(r, record);
        compare_repeat(r);
    }
    bool ok = proven == 0 && r->numeric.ok && judged;
    r->compared += judged && r->numeric.compared;
    r->atol = fmax(r->atol, r->numeric.atol);
    r->rtol = fmax(r->rtol, r->numeric.rtol);
    r->failed += judged && !ok;
    r->launches += record->launches;
    r->lane_instructions += record->lane_instructions;
    write_case(r, record, ok);
    settle_near_miss(r);
    keep_outputs(r);
    close_case(r);
    return CMPD_OK;
}

void cmpd_run_broken_off(struct cmpd_run *r, const struct cmpd_server_record *record, bool refused)
{
    size_t before = r->findings.count;
    if (!r->open)
        return;
    cmpd_stage_findings_sightings(&r->findings, &record->sightings, r->replay);
    for (size_t i = before; refused && i < r->findings.count; i++)
        mark_refused(r, &r->findings.items[i]);
    r->failed += !record->undecided && !refused;
    r->undecided |= refused;
    r->launches += record->launches;
    r->lane_instructions += record->lane_instructions;
    r->numeric.compared = false;
    write_case(r, record, false);
    close_case(r);
}

void cmpd_run_forget(struct cmpd_run *r)
{
    cmpd_call_clear(&r->call);
    cmpd_numeric_clear(&r->numeric);
    r->open = false;
}

void cmpd_run_program_done(struct cmpd_run *r, const struct cmpd_server_record *record)
{
    cmpd_stage_findings_sightings(&r->findings, &record->sightings, NULL);
    if (record->budget_exhausted)
        cmpd_stage_findings_say(
            &r->findings, CMPD_TAG_emulation_budget, 0, NULL,
            "give a larger \"emulation_budget\" in cmpd.json",
            "the program needs more than the emulator's budget of instructions");
    for (size_t i = 0; i < record->step_count; i++)
        r->undecided |= record->steps[i].kind == CMPD_SERVER_LAUNCH &&
                        record->steps[i].result.end == CMPD_LAUNCH_UNSUPPORTED;
    r->undecided |= record->undecided;
    r->launches += record->launches;
    r->lane_instructions += record->lane_instructions;
}
