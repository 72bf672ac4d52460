#include "bot/judge.h"

#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "bot/executor.h"
#include "bot/policy_find.h"
#include "bot/run_stage.h"
#include "gpu-runner/job/events.h"
#include "gpu-runner/job/job.h"
#include "rules/table.h"

/* What a runner may take beside its compilers' own time. */
#define RUNNER_OVERHEAD_S 60

/* --track dynamic: nobody looked, so nothing is said to be in order. */
static void forget_static(struct cmpd_file_result *r)
{
    for (size_t i = 0; i < r->clean.count; i++)
        free(r->clean.items[i]);
    r->clean.count = 0;
    r->static_done = false;
}

struct cmpd_file_result *cmpd_judge_static_take(const struct cmpd_judge *judge,
                                                struct cmpd_source *src)
{
    const char *track = judge->opt->value[CMPD_OPT_track];
    bool skipped = track && strcmp(track, "dynamic") == 0;
    static const struct cmpd_ruleset none = {NULL, 0};
    struct cmpd_file_result *r = cmpd_check_static_with(
        src, judge->policy, skipped ? &none : cmpd_ruleset(), judge->headers);
    if (skipped)
        forget_static(r);
    r->source = src;
    r->scope_static = judge->opt->static_only;
    return r;
}

static void end(struct cmpd_file_result *r, enum cmpd_dynamic_status status, const char *why)
{
    free(r->dynamic.why);
    r->dynamic.status = status;
    r->dynamic.why = cmpd_strdup(why);
}

/* The dynamic track could not say what the policy wants to know. */
static void unavailable(const struct cmpd_judge *judge, struct cmpd_file_result *r, const char *why)
{
    char message[1200];
    snprintf(message, sizeof message, "the dynamic track is not complete: %s", why);
    end(r, CMPD_DYNAMIC_UNAVAILABLE, why);
    cmpd_file_result_add(r, judge->policy, CMPD_TAG_runner_unavailable, CMPD_TIER_REVIEW, 0, 0,
                         message);
}

static bool make_nonce(char out[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static cmpd_rc encode(const struct cmpd_judge *judge, const char *rel_path,
                      struct cmpd_job_run *run, const char *nonce, struct cmpd_buf *out,
                      uint64_t *deadline_ms, struct cmpd_err *err)
{
    const struct cmpd_kernel_policy *own = cmpd_policy_kernel(judge->policy, rel_path);
    bool has_own = own && own->nvcc;
    struct cmpd_job job = {
        .nonce = (char *)nonce,
        .root = (char *)judge->root,
        .file = (char *)rel_path,
        .nvcc = has_own ? own->nvcc : judge->policy->nvcc,
        .nvcc_count = has_own ? own->nvcc_count : judge->policy->nvcc_count,
        .compile = true,
        .run = run,
        .cache = true,
        .lifeline = true,
        .jail = judge->policy->jail,
    };
    uint64_t seconds = RUNNER_OVERHEAD_S;
    for (size_t i = 0; i < job.nvcc_count; i++)
        seconds += job.nvcc[i].timeout_s;
    *deadline_ms = seconds * 1000 + (run ? cmpd_run_deadline_ms(run) : 0);
    return cmpd_job_encode(&job, out, err);
}

/* One job, with one more try where the runner broke off: only a right end record counts. */
static cmpd_rc run_job(const struct cmpd_judge *judge, const char *rel_path,
                       struct cmpd_job_run *run, struct cmpd_events *events, struct cmpd_err *err)
{
    const char *name = judge->opt->value[CMPD_OPT_executor];
    const struct cmpd_executor_ops *executor = cmpd_executor_find(name ? name : "local");
    if (!executor)
        return cmpd_err_set(err, CMPD_EUNAVAIL, "the executor '%.64s' is not built yet", name);
    char nonce[33];
    if (!make_nonce(nonce))
        return cmpd_err_set(err, CMPD_EUNAVAIL, "no random numbers on this machine");
    CMPD_BUF_AUTO struct cmpd_buf job = CMPD_BUF_INIT;
    uint64_t deadline_ms = 0;
    cmpd_rc rc = encode(judge, rel_path, run, nonce, &job, &deadline_ms, err);
    for (int attempt = 0; rc == CMPD_OK && attempt < 2; attempt++) {
        CMPD_BUF_AUTO struct cmpd_buf out = CMPD_BUF_INIT;
        cmpd_rc ended = executor->run(strchr(name ? name : "local", ':'), &job, deadline_ms, &out,
                                      err);
        if (ended == CMPD_OK)
            ended = cmpd_events_parse(cmpd_buf_str(&out), out.len, nonce, events, err);
        if (ended == CMPD_OK || ended == CMPD_ETIMEOUT || attempt == 1)
            return ended;
    }
    return rc;
}

static json_t *compile_object(const struct cmpd_event_compile *c)
{
    json_t *o = json_object();
    json_object_set_new(o, "ok", json_boolean(c->ok));
    if (c->nvcc)
        json_object_set_new(o, "nvcc", json_string(c->nvcc));
    if (c->version)
        json_object_set_new(o, "version", json_string(c->version));
    if (c->arch)
        json_object_set_new(o, "arch", json_string(c->arch));
    json_object_set_new(o, "cached", json_boolean(c->cached));
    json_object_set_new(o, "elapsed_ms", json_real(c->elapsed_ms));
    return o;
}

/* The first toolkit's figures, and with several a list of all. */
static void keep_details(struct cmpd_file_result *r, const struct cmpd_events *e)
{
    if (!r->dynamic.details)
        r->dynamic.details = json_object();
    if (e->jail)
        json_object_set_new(r->dynamic.details, "jail", json_string(e->jail));
    if (e->compile_count == 0)
        return;
    json_t *first = compile_object(&e->compiles[0]);
    json_object_set_new(r->dynamic.details, "compile", first);
    if (e->compile_count == 1)
        return;
    json_t *all = json_array();
    for (size_t i = 0; i < e->compile_count; i++) {
        json_array_append_new(all, compile_object(&e->compiles[i]));
        if (!e->compiles[i].ok)
            json_object_set_new(first, "ok", json_false());
    }
    json_object_set_new(first, "toolkits", all);
}

static void keep_findings(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                          const struct cmpd_events *e)
{
    for (size_t i = 0; i < e->finding_count; i++) {
        const struct cmpd_event_finding *f = &e->findings[i];
        enum cmpd_tier tier = f->weight == CMPD_EVENT_NOTE    ? CMPD_TIER_NOTE
                              : f->weight == CMPD_EVENT_DOUBT ? CMPD_TIER_REVIEW
                                                              : CMPD_TIER_REJECT;
        struct cmpd_finding *added = cmpd_file_result_add(r, judge->policy, f->tag, tier, f->line,
                                                          f->column, f->message);
        added->hint = cmpd_strdup(f->hint);
        added->kernel = cmpd_strdup(f->kernel);
        added->replay = cmpd_run_replay(judge, r, f->replay);
        added->also_file = cmpd_strdup(f->also.file);
        added->also_line = f->also.line;
    }
}

static bool all_compiled(const struct cmpd_events *e)
{
    for (size_t i = 0; i < e->compile_count; i++) {
        if (!e->compiles[i].ok)
            return false;
    }
    return e->compile_count > 0;
}

/* The entry that the command line or the policy names, NULL where neither does. */
static const char *named_entry(const struct cmpd_judge *judge, const char *rel_path)
{
    const struct cmpd_kernel_policy *own = cmpd_policy_kernel(judge->policy, rel_path);
    const char *given = judge->opt->value[CMPD_OPT_entry];
    return given ? given : own ? own->entry : NULL;
}

/* Does the word stand in the file, or could it be made there: by a macro's ## or by a header of the repository? */
static void look_for_word(const struct cmpd_source *src, const char *word, bool *there,
                          bool *possible)
{
    struct cmpd_arena arena = {0};
    struct cmpd_tokens *toks = cmpd_lex(src, &arena);
    *there = *possible = false;
    for (size_t i = 0; i < toks->count; i++) {
        *there = *there || (toks->items[i].kind == CMPD_TOK_IDENT && cmpd_token_is(toks, i, word));
        *possible = *possible || cmpd_token_is(toks, i, "##") ||
                    (i && cmpd_token_is(toks, i - 1, "include") &&
                     toks->items[i].kind == CMPD_TOK_STRING);
    }
    *possible = *possible || toks->cut;
    cmpd_arena_clear(&arena);
}

static void check_entry(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                        const char *rel_path)
{
    const char *entry = named_entry(judge, rel_path);
    bool there, possible;
    if (!entry || !r->source)
        return;
    const char *last = strrchr(entry, ':');
    look_for_word(r->source, last ? last + 1 : entry, &there, &possible);
    if (there)
        return;
    char message[400];
    snprintf(message, sizeof message, "the entry %.200s, which %s names, is not in this file%s",
             entry, judge->opt->value[CMPD_OPT_entry] ? "--entry" : "the policy",
             possible ? ", unless a macro or a header makes it" : "");
    cmpd_file_result_add(r, judge->policy, CMPD_TAG_entry_not_found,
                         possible ? CMPD_TIER_REVIEW : CMPD_TIER_REJECT, 0, 0, message);
}

/* Compiled, and nothing was to be run. */
static void without_run(const struct cmpd_judge *judge, struct cmpd_file_result *r)
{
    end(r, CMPD_DYNAMIC_DONE, NULL);
    if (r->kernel_count || r->launch_count)
        cmpd_file_result_add(r, judge->policy, CMPD_TAG_perf_not_measured, CMPD_TIER_NOTE, 0, 0,
                             "no GPU measured the speed");
}

/* Compiled, and the run stage was asked for. */
static void after_run(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                      const struct cmpd_job_run *run, const struct cmpd_events *e)
{
    if (!e->device && !e->numeric.said && !e->memory.said && e->finding_count == 0) {
        unavailable(judge, r, "the runner did not run the kernel and gave no reason");
        return;
    }
    end(r, CMPD_DYNAMIC_DONE, NULL);
    cmpd_run_settle(judge, r, run, e);
    if (r->dynamic.undecided && !e->device)
        end(r, CMPD_DYNAMIC_UNAVAILABLE, "the kernel could not be run here");
}

static void judge_events(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                         const char *rel_path, const struct cmpd_job_run *run,
                         const struct cmpd_events *events)
{
    keep_details(r, events);
    cmpd_run_details(r, events);
    keep_findings(judge, r, events);
    if (!run || !all_compiled(events))
        check_entry(judge, r, rel_path);
    if (all_compiled(events) && run)
        after_run(judge, r, run, events);
    else if (all_compiled(events))
        without_run(judge, r);
    else if (cmpd_findings_verdict(&r->findings) == CMPD_REJECT)
        end(r, CMPD_DYNAMIC_DONE, NULL);
    else if (events->finding_count)
        end(r, CMPD_DYNAMIC_UNAVAILABLE, "the file could not be compiled here");
    else
        unavailable(judge, r, "the runner did not say whether the file compiles");
}

static void run_stages(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                       const char *rel_path)
{
    struct cmpd_events events = {0};
    struct cmpd_job_run *run = NULL;
    struct cmpd_err err = {0};
    cmpd_rc rc = cmpd_run_part(judge, r, rel_path, &run, &err);
    if (rc == CMPD_OK)
        rc = run_job(judge, rel_path, run, &events, &err);
    if (rc == CMPD_OK)
        judge_events(judge, r, rel_path, run, &events);
    else
        unavailable(judge, r, err.msg);
    cmpd_events_clear(&events);
    cmpd_job_run_free(run);
}

/* Standard input has no place on disk, so the runner gets it in a folder of its own. */
static void run_stages_stdin(const struct cmpd_judge *judge, struct cmpd_file_result *r)
{
    const char *tmp = getenv("TMPDIR");
    CMPD_AUTOFREE char *dir = cmpd_asprintf("%s/cmpd-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    struct cmpd_err err = {0};
    if (!mkdtemp(dir)) {
        unavailable(judge, r, "no folder for temporary files can be made");
        return;
    }
    CMPD_AUTOFREE char *file = cmpd_asprintf("%s/stdin.cu", dir);
    struct cmpd_judge there = *judge;
    there.root = dir;
    if (cmpd_file_write_atomic(file, r->source->text, r->source->len, &err) == CMPD_OK)
        run_stages(&there, r, "stdin.cu");
    else
        unavailable(judge, r, err.msg);
    unlink(file);
    rmdir(dir);
}

/* Nothing but white space and comments: no compiler is needed to know that it does nothing. */
static bool is_blank(const struct cmpd_source *src)
{
    struct cmpd_arena arena = {0};
    bool blank = src && cmpd_lex(src, &arena)->count == 0;
    cmpd_arena_clear(&arena);
    return blank;
}

void cmpd_judge_dynamic(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                        const char *rel_path)
{
    if (r->error.rc != CMPD_OK)
        end(r, CMPD_DYNAMIC_SKIPPED, "the file could not be judged");
    else if (r->scope_static)
        end(r, CMPD_DYNAMIC_SKIPPED, "--track static");
    else if (cmpd_findings_verdict(&r->findings) == CMPD_REJECT)
        end(r, CMPD_DYNAMIC_SKIPPED, "static track rejected");
    else if (r->kernel_count == 0 && is_blank(r->source))
        end(r, CMPD_DYNAMIC_DONE, NULL);
    else if (strcmp(r->path, "-") == 0)
        run_stages_stdin(judge, r);
    else
        run_stages(judge, r, rel_path);
    cmpd_file_result_settle(r, judge->policy);
}

cmpd_rc cmpd_judge_one(struct cmpd_options *opt, const char *path, struct cmpd_file_result **out,
                       struct cmpd_err *err)
{
    struct cmpd_policy_place place = {0};
    struct cmpd_source *src = NULL;
    CMPD_AUTOFREE char *folder = cmpd_strdup(path);
    cmpd_rc rc = cmpd_source_open(path, &src, err);
    if (rc == CMPD_OK)
        rc = cmpd_policy_find(dirname(folder), opt->value[CMPD_OPT_policy], &place, err);
    if (rc != CMPD_OK) {
        cmpd_source_free(src);
        return rc;
    }
    opt->value[CMPD_OPT_track] = "dynamic";
    struct cmpd_judge judge = {.opt = opt, .policy = place.policy, .root = place.root};
    struct cmpd_file_result *r = cmpd_judge_static_take(&judge, src);
    CMPD_AUTOFREE char *rel = cmpd_policy_relative(&place, path);
    cmpd_judge_dynamic(&judge, r, rel);
    cmpd_policy_place_clear(&place);
    *out = r;
    return CMPD_OK;
}
