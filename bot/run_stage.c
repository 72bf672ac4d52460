#include "bot/run_stage.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/signature/signature.h"
#include "refs/infer.h"

/* Time for a run beside what its budget of instructions takes: loading, references, a jail that starts. */
#define RUN_OVERHEAD_S     180
#define RUN_CASES          64       /* at most, for the deadline */
#define INSTRUCTIONS_PER_S 20000000 /* on a slow and busy machine */
#define RUN_DEADLINE_MAX_S 7200

/* ---- what to run ---- */

static const char *given(const struct cmpd_judge *judge, enum cmpd_option_id id)
{
    return judge->opt->given[id] ? judge->opt->value[id] : NULL;
}

static bool is_replay(const struct cmpd_judge *judge)
{
    return judge->opt->command == CMPD_CMD_replay;
}

static bool is_program(const struct cmpd_judge *judge)
{
    return judge->opt->command == CMPD_CMD_run;
}

/* Does anybody ask what the kernel does when it runs? */
static bool wanted(const struct cmpd_judge *judge)
{
    const bool *require = judge->policy->require;
    return is_replay(judge) || is_program(judge) || require[CMPD_STAGE_NUMERIC] ||
           require[CMPD_STAGE_MEMORY] || require[CMPD_STAGE_PERF] || given(judge, CMPD_OPT_op) ||
           given(judge, CMPD_OPT_device);
}

static bool takes_pointers(const struct cmpd_sig_func *f)
{
    for (size_t i = 0; i < f->param_count; i++) {
        if (f->params[i].pointers)
            return true;
    }
    return false;
}

/* Something that can be called for its effect: a kernel, a launcher, a function that another program calls. */
static bool callable(const struct cmpd_sig_func *f)
{
    if (f->kind == CMPD_SIG_KERNEL || f->is_launcher)
        return true;
    return (f->is_extern_c || f->calls_library) && takes_pointers(f);
}

static const struct cmpd_ref_op *infer(const struct cmpd_signatures *sigs, const char *path)
{
    const char *names[CMPD_SIG_FUNCS_CEILING];
    struct cmpd_infer_names q = {.file = path, .functions = names};
    struct cmpd_infer_result result;
    for (size_t i = 0; i < sigs->func_count; i++) {
        if (callable(&sigs->funcs[i]))
            names[q.function_count++] = sigs->funcs[i].name;
    }
    cmpd_ref_infer(&q, &result);
    return result.op;
}

static const char *find_op(const struct cmpd_judge *judge, const struct cmpd_file_result *r,
                           const struct cmpd_kernel_policy *own, const struct cmpd_signatures *sigs,
                           enum cmpd_op_source *source)
{
    const char *option = given(judge, CMPD_OPT_op);
    const struct cmpd_ref_op *guess;
    *source = CMPD_OP_NONE;
    if (option) {
        *source = CMPD_OP_OPTION;
        return option;
    }
    if (own && own->op) {
        *source = CMPD_OP_POLICY;
        return own->op;
    }
    if (r->op_comment) {
        *source = r->op_comment_new ? CMPD_OP_INFERRED : CMPD_OP_COMMENT;
        return r->op_comment;
    }
    /* A whole program is run as it is; its names alone don't make a kernel of it that can be called. */
    guess = sigs->has_main ? NULL : infer(sigs, r->path);
    if (guess)
        *source = CMPD_OP_INFERRED;
    return guess ? guess->name : NULL;
}

static void set(json_t *o, const char *key, const char *value)
{
    if (value)
        json_object_set_new(o, key, json_string(value));
}

static void set_parsed(json_t *o, const char *key, const char *json)
{
    json_t *v = json ? json_loads(json, 0, NULL) : NULL;
    if (v)
        json_object_set_new(o, key, v);
}

static void set_policy(json_t *o, const struct cmpd_kernel_policy *own)
{
    json_t *launch = json_object(), *args = json_array();
    for (size_t i = 0; i < own->args.count; i++)
        json_array_append_new(args, json_string(own->args.items[i]));
    if (own->args.count)
        json_object_set(o, "args", args);
    json_decref(args);
    set(o, "dtype", own->dtype);
    set_parsed(o, "cases", own->cases_json);
    set_parsed(o, "tolerance", own->tolerance_json);
    set(launch, "grid", own->grid);
    set(launch, "block", own->block);
    set(launch, "shared", own->shared);
    if (json_object_size(launch))
        json_object_set(o, "launch", launch);
    json_decref(launch);
    if (own->reference_file)
        json_object_set_new(o, "reference",
                            json_pack("{ss ss}", "kind", "file", "path", own->reference_file));
    else if (own->reference_command)
        json_object_set_new(
            o, "reference",
            json_pack("{ss ss}", "kind", "command", "path", own->reference_command));
}

static cmpd_rc set_number(json_t *o, const struct cmpd_options *opt, enum cmpd_option_id id,
                          const char *name, struct cmpd_err *err)
{
    uint64_t value = 0;
    cmpd_rc rc = cmpd_option_number(opt, id, name, &value, err);
    if (rc == CMPD_OK && opt->value[id])
        json_object_set_new(o, name, json_integer((json_int_t)value));
    return rc;
}

static cmpd_rc set_replay(json_t *o, const struct cmpd_judge *judge, struct cmpd_err *err)
{
    if (!is_replay(judge))
        return CMPD_OK;
    set(o, "only_case", judge->opt->value[CMPD_OPT_case]);
    cmpd_rc rc = set_number(o, judge->opt, CMPD_OPT_seed, "seed", err);
    if (rc == CMPD_OK)
        rc = set_number(o, judge->opt, CMPD_OPT_schedule, "schedule", err);
    return rc;
}

/* The file as a program of its own, with what stands behind it on the command line. */
static cmpd_rc make_program(const struct cmpd_judge *judge, const struct cmpd_signatures *sigs,
                            struct cmpd_job_run **out, struct cmpd_err *err)
{
    json_t *o = json_object(), *argv = json_array();
    if (!sigs->has_main) {
        json_decref(o);
        json_decref(argv);
        return cmpd_err_set(err, CMPD_EINPUT, "%s has no main()", judge->opt->args[0]);
    }
    for (size_t i = 1; i < judge->opt->arg_count; i++)
        json_array_append_new(argv, json_string(judge->opt->args[i]));
    set(o, "device", judge->opt->value[CMPD_OPT_device]);
    json_object_set_new(o, "program", json_true());
    json_object_set_new(o, "argv", argv);
    json_object_set_new(o, "functions", cmpd_signatures_json(sigs));
    json_object_set_new(o, "budget", json_integer((json_int_t)judge->policy->emulation_budget));
    cmpd_rc rc = cmpd_job_run_read(o, out, err);
    json_decref(o);
    return rc;
}

static cmpd_rc make(const struct cmpd_judge *judge, const struct cmpd_file_result *r,
                    const char *rel_path, const struct cmpd_signatures *sigs,
                    struct cmpd_job_run **out, struct cmpd_err *err)
{
    const struct cmpd_kernel_policy *own = cmpd_policy_kernel(judge->policy, rel_path);
    const char *entry = given(judge, CMPD_OPT_entry);
    enum cmpd_op_source source;
    const char *op = find_op(judge, r, own, sigs, &source);
    json_t *o = json_object();
    set(o, "device", judge->opt->value[CMPD_OPT_device]);
    set(o, "op", op);
    set(o, "op_source", cmpd_op_source_name(source));
    entry = entry ? entry : own ? own->entry : NULL;
    set(o, "entry", entry);
    json_object_set_new(o, "entry_required", json_boolean(entry != NULL));
    if (own)
        set_policy(o, own);
    json_object_set_new(o, "functions", cmpd_signatures_json(sigs));
    json_object_set_new(o, "budget", json_integer((json_int_t)judge->policy->emulation_budget));
    cmpd_rc rc = set_replay(o, judge, err);
    if (rc == CMPD_OK)
        rc = cmpd_job_run_read(o, out, err);
    json_decref(o);
    return rc;
}

cmpd_rc cmpd_run_part(const struct cmpd_judge *judge, const struct cmpd_file_result *r,
                      const char *rel_path, struct cmpd_job_run **out, struct cmpd_err *err)
{
    const struct cmpd_kernel_policy *own = cmpd_policy_kernel(judge->policy, rel_path);
    struct cmpd_signatures sigs;
    bool any = false;
    *out = NULL;
    if (!r->source || !wanted(judge))
        return CMPD_OK;
    cmpd_rc rc = cmpd_signatures_of_source(
        r->source, own && own->nvcc ? own->nvcc : judge->policy->nvcc, &sigs, err);
    if (rc != CMPD_OK)
        return rc;
    for (size_t i = 0; i < sigs.func_count && !any; i++)
        any = callable(&sigs.funcs[i]);
    any = any || r->kernel_count || r->launch_count || given(judge, CMPD_OPT_entry) ||
          (own && own->entry);
    if (is_program(judge))
        rc = make_program(judge, &sigs, out, err);
    else if (any)
        rc = make(judge, r, rel_path, &sigs, out, err);
    cmpd_signatures_clear(&sigs);
    return rc;
}

uint64_t cmpd_run_deadline_ms(const struct cmpd_job_run *run)
{
    uint64_t s = RUN_OVERHEAD_S + run->budget / INSTRUCTIONS_PER_S * RUN_CASES;
    return (s < RUN_DEADLINE_MAX_S ? s : RUN_DEADLINE_MAX_S) * 1000;
}

/* ---- what came back ---- */

static json_t *number(double v)
{
    if (v != v)
        return json_string("nan");
    if (v > 1e308 || v < -1e308)
        return json_string(v > 0 ? "inf" : "-inf");
    return json_real(v);
}

static json_t *case_object(const struct cmpd_event_read_case *c)
{
    json_t *o = json_object(), *shape = json_object();
    set(o, "name", c->name);
    for (size_t i = 0; i < c->dim_count; i++)
        json_object_set_new(shape, c->shape[i].name, json_integer(c->shape[i].value));
    json_object_set_new(o, "shape", shape);
    set(o, "dtype", c->dtype);
    json_object_set_new(o, "seed", json_integer((json_int_t)c->seed));
    json_object_set_new(o, "schedule", json_integer(c->schedule));
    if (c->measured) {
        json_object_set_new(o, "max_abs_err", number(c->max_abs_err));
        json_object_set_new(o, "max_rel_err", number(c->max_rel_err));
    }
    json_object_set_new(o, "ok", json_boolean(c->ok));
    json_object_set_new(o, "elapsed_ms", number(c->elapsed_ms));
    json_object_set_new(o, "lane_instructions", json_integer((json_int_t)c->lane_instructions));
    return o;
}

static json_t *stage_object(const struct cmpd_event_stage_result *s)
{
    static const char *const names[] = {"pass", "fail", "undecided"};
    json_t *o = json_object();
    set(o, "status", names[s->said ? s->status : CMPD_EVENT_UNDECIDED]);
    set(o, "why", s->why);
    return o;
}

static json_t *numeric_object(const struct cmpd_events *e)
{
    json_t *o = stage_object(&e->numeric), *cases = json_array();
    set(o, "op", e->op);
    if (e->has_tolerance) {
        json_object_set_new(o, "atol", json_real(e->atol));
        json_object_set_new(o, "rtol", json_real(e->rtol));
    }
    for (size_t i = 0; i < e->case_count; i++)
        json_array_append_new(cases, case_object(&e->cases[i]));
    json_object_set_new(o, "cases", cases);
    return o;
}

static json_t *memory_object(const struct cmpd_events *e)
{
    json_t *o = stage_object(&e->memory);
    set(o, "method", e->memory_method);
    json_object_set_new(o, "launches", json_integer((json_int_t)e->launches));
    json_object_set_new(o, "lane_instructions", json_integer((json_int_t)e->lane_instructions));
    return o;
}

void cmpd_run_details(struct cmpd_file_result *r, const struct cmpd_events *e)
{
    json_t *o = r->dynamic.details;
    if (!e->device)
        return;
    if (e->has_program) {
        json_t *program = json_pack("{si}", "status", e->program_status);
        set(program, "stdout", e->program_out);
        set(program, "stderr", e->program_err);
        json_object_set_new(o, "program", program);
    }
    set(o, "device", e->device);
    set(o, "backend", e->backend);
    if (e->entry) {
        json_t *args = json_array();
        set(o, "entry", e->entry);
        for (size_t i = 0; i < e->args.count; i++)
            json_array_append_new(args, json_string(e->args.items[i]));
        json_object_set_new(o, "args", args);
        if (e->assumed_launch)
            json_object_set_new(o, "assumed_launch", json_true());
    }
    json_object_set_new(o, "numeric", numeric_object(e));
    json_object_set_new(o, "memory", memory_object(e));
}

static bool decided(const struct cmpd_event_stage_result *s)
{
    return s->said && s->status != CMPD_EVENT_UNDECIDED;
}

static bool has_finding(const struct cmpd_file_result *r, enum cmpd_tier tier)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (f->track == CMPD_TRACK_DYNAMIC && !f->suppressed && f->tier >= tier)
            return true;
    }
    return false;
}

/* What concerns the comparison alone counts for nothing where the policy does not ask for it. */
static void without_numeric(struct cmpd_file_result *r)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        struct cmpd_finding *f = &r->findings.items[i];
        if ((f->tag == CMPD_TAG_no_reference || f->tag == CMPD_TAG_op_unconfirmed) &&
            f->tier == CMPD_TIER_REVIEW)
            f->tier = CMPD_TIER_NOTE;
    }
}

static void say_silent(const struct cmpd_judge *judge, struct cmpd_file_result *r, const char *what)
{
    CMPD_AUTOFREE char *message = cmpd_asprintf("the runner did not decide %s and gave no reason",
                                                what);
    cmpd_file_result_add(r, judge->policy, CMPD_TAG_runner_unavailable, CMPD_TIER_REVIEW, 0, 0,
                         message);
}

/* Speed is measured on a GPU alone. */
static void speed(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                  const struct cmpd_events *e)
{
    bool required = judge->policy->require[CMPD_STAGE_PERF];
    CMPD_AUTOFREE char *message =
        e->backend && strcmp(e->backend, "emulator") == 0
            ? cmpd_asprintf("the %s has no clock: no GPU measured the speed", e->device)
            : cmpd_strdup("no GPU measured the speed");
    struct cmpd_finding *f = cmpd_file_result_add(r, judge->policy, CMPD_TAG_perf_not_measured,
                                                  CMPD_TIER_NOTE, 0, 0, message);
    if (!required)
        return;
    f->tier = CMPD_TIER_REVIEW;
    r->dynamic.undecided = true;
}

void cmpd_run_settle(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                     const struct cmpd_job_run *run, const struct cmpd_events *e)
{
    const bool *require = judge->policy->require;
    bool numeric = !require[CMPD_STAGE_NUMERIC] || decided(&e->numeric);
    bool memory = !require[CMPD_STAGE_MEMORY] || decided(&e->memory);
    bool failed = (e->numeric.said && e->numeric.status == CMPD_EVENT_FAIL) ||
                  (e->memory.said && e->memory.status == CMPD_EVENT_FAIL);
    bool reasons = has_finding(r, CMPD_TIER_REVIEW);
    if (run->program)
        return; /* watched, not judged */
    if (!require[CMPD_STAGE_NUMERIC])
        without_numeric(r);
    if (has_finding(r, CMPD_TIER_REJECT))
        return;
    r->dynamic.undecided = !numeric || !memory;
    if ((!numeric || !memory) && !reasons)
        say_silent(judge, r, !numeric ? "the numeric stage" : "the memory stage");
    else if (failed && !reasons) /* a failure that nobody explains is no pass */
        say_silent(judge, r, "what it saw fail");
    speed(judge, r, e);
}

/* ---- replay ---- */

/* As a shell takes it for one word. */
static void put_word(struct cmpd_buf *out, const char *s)
{
    bool plain =
        *s &&
        s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-")] ==
            '\0';
    if (plain) {
        cmpd_buf_puts(out, s);
        return;
    }
    cmpd_buf_putc(out, '\'');
    for (; *s; s++)
        cmpd_buf_puts(out, *s == '\'' ? "'\\''" : (const char[]){*s, '\0'});
    cmpd_buf_putc(out, '\'');
}

static void put_option(struct cmpd_buf *out, const struct cmpd_judge *judge, enum cmpd_option_id id)
{
    if (!given(judge, id))
        return;
    cmpd_buf_printf(out, " --%s ", cmpd_options_table[id].name);
    put_word(out, given(judge, id));
}

char *cmpd_run_replay(const struct cmpd_judge *judge, const struct cmpd_file_result *r,
                      const char *arguments)
{
    struct cmpd_buf out = CMPD_BUF_INIT;
    if (!arguments)
        return NULL;
    cmpd_buf_puts(&out, "cmpd replay ");
    put_word(&out, r->path);
    cmpd_buf_printf(&out, " %s", arguments);
    if (!strstr(arguments, "--op "))
        put_option(&out, judge, CMPD_OPT_op);
    put_option(&out, judge, CMPD_OPT_entry);
    put_option(&out, judge, CMPD_OPT_device);
    put_option(&out, judge, CMPD_OPT_policy);
    return cmpd_buf_steal(&out);
}
