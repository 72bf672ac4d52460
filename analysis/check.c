#include "analysis/check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/alloc.h"
#include "analysis/eval/facts.h"
#include "analysis/syntax/ast.h"
#include "analysis/verdict/clean.h"
#include "analysis/verdict/report.h"

/* One static check under way. */
struct run {
    struct cmpd_check check;
    struct cmpd_file_result *result;
    const struct cmpd_ruleset *rules;
    const struct cmpd_nvcc *nvcc;
    const struct cmpd_headers *headers; /* may be NULL */
    struct cmpd_report_state report;
    struct cmpd_scan scan;
    struct cmpd_tokens *tokens;
    struct cmpd_unit *unit;
    struct cmpd_ast *ast;
    bool *settled;        /* by rule: nothing more to do */
    char incomplete[256]; /* why a part was not analysed, "" if all was */
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Processor time of this thread: the parts of a file's time, whatever else the machine does. */
static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The time since *mark, which moves on. */
static double lap(double *mark)
{
    double now = cpu_ms(), spent = now - *mark;
    *mark = now;
    return spent;
}

static cmpd_rc run_scan(struct run *r, struct cmpd_arena *arena)
{
    double mark = cpu_ms();
    r->tokens = cmpd_lex(r->check.src, arena);
    r->check.tokens = r->tokens;
    char *blanked = cmpd_lex_blanked(r->tokens, arena);
    cmpd_report_state_init(&r->report, r->tokens, arena);
    r->result->timing.lex_ms = lap(&mark);
    cmpd_rc rc = cmpd_scan_run(blanked, r->check.src->len, &r->scan, &r->result->error);
    r->check.scan = &r->scan;
    r->result->timing.scan_ms = lap(&mark);
    return rc;
}

/* Is any rule left that needs at least this layer? */
static bool needed(const struct run *r, enum cmpd_layer layer)
{
    for (size_t i = 0; i < r->rules->count; i++) {
        if (!r->settled[i] && r->rules->rules[i]->layer >= layer)
            return true;
    }
    return false;
}

static void run_rules(struct run *r, enum cmpd_layer layer)
{
    double mark = cpu_ms();
    for (size_t i = 0; i < r->rules->count; i++) {
        if (r->settled[i] || r->rules->rules[i]->layer != layer)
            continue;
        r->rules->rules[i]->run(&r->check);
        r->settled[i] = true;
    }
    r->result->layer = layer;
    r->result->timing.rules_ms += lap(&mark);
}

/* "12.4" of ".../cuda-12.4/bin/nvcc"; NULL where the path does not say: then the newest known toolkit is meant. */
static const char *toolkit_of(const char *nvcc_path, char out[16])
{
    const char *at = strstr(nvcc_path, "/cuda-");
    size_t n = at ? strspn(at + 6, "0123456789.") : 0;
    if (n == 0 || n > 15)
        return NULL;
    memcpy(out, at + 6, n);
    out[n] = '\0';
    return out;
}

static void build_unit(struct run *r)
{
    double mark = cpu_ms();
    struct cmpd_arena *arena = r->check.arena;
    size_t count = r->nvcc->define.count;
    struct cmpd_define *defines = CMPD_ARENA_ARRAY(arena, struct cmpd_define, count + 1);
    for (size_t i = 0; i < count; i++) {
        char *name = cmpd_arena_strndup(arena, r->nvcc->define.items[i],
                                        strlen(r->nvcc->define.items[i]));
        char *eq = strchr(name, '=');
        if (eq)
            *eq = '\0';
        defines[i] = (struct cmpd_define){name, eq ? eq + 1 : NULL};
    }
    char toolkit[16];
    struct cmpd_headers headers;
    if (r->headers) { /* with the folders that this file's compiler is told of */
        headers = *r->headers;
        headers.include = (const char *const *)r->nvcc->include.items;
        headers.include_count = r->nvcc->include.count;
    }
    r->unit = cmpd_unit_build_with(r->tokens, defines, count, toolkit_of(r->nvcc->path, toolkit),
                                   r->nvcc->arch, r->headers ? &headers : NULL, arena);
    r->check.unit = r->unit;
    r->result->timing.unit_ms = lap(&mark);
    if (r->unit->cut || r->tokens->cut)
        snprintf(r->incomplete, sizeof r->incomplete,
                 "it is too long once its macros are expanded");
}

static void build_module(struct run *r)
{
    double mark = cpu_ms();
    struct cmpd_err err = {0};
    cmpd_rc rc = cmpd_ast_parse(r->unit, &r->ast, &err);
    r->result->timing.parse_ms = lap(&mark);
    if (rc == CMPD_EINTERNAL) {
        r->result->error = err;
        return;
    }
    if (rc != CMPD_OK) {
        snprintf(r->incomplete, sizeof r->incomplete, "%s", err.msg);
        return;
    }
    struct ir_module *module = cmpd_ir_lower(r->ast, r->check.arena);
    r->check.module = module;
    r->result->timing.lower_ms = lap(&mark);
    if (module)
        r->check.facts = cmpd_facts_build(module, r->check.policy, r->check.arena);
    r->result->timing.facts_ms = lap(&mark);
}

/* Which rules can't find anything here, by the scan alone. */
static void settle_by_scan(struct run *r)
{
    for (size_t i = 0; i < r->rules->count; i++) {
        const struct cmpd_rule *rule = r->rules->rules[i];
        r->settled[i] = rule->possible && !rule->possible(&r->scan);
    }
}

static void run_layers(struct run *r)
{
    settle_by_scan(r);
    run_rules(r, CMPD_LAYER_SCAN);
    if (!needed(r, CMPD_LAYER_LEX))
        return;
    build_unit(r);
    run_rules(r, CMPD_LAYER_LEX);
    if (!needed(r, CMPD_LAYER_AST))
        return;
    build_module(r);
    if (r->check.module)
        run_rules(r, CMPD_LAYER_AST);
}

static void report_remark_faults(struct run *r)
{
    const struct cmpd_remarks *remarks = &r->report.remarks;
    for (size_t i = 0; i < remarks->fault_count; i++)
        cmpd_report(&r->check, CMPD_TAG_style_unknown_allow, CMPD_TIER_NOTE, remarks->faults[i].off,
                    remarks->faults[i].end, NULL, "`cmpd rules` lists the tags", "%s",
                    remarks->faults[i].what);
}

/* What could not be analysed is for a person to look at: never a pass by default. */
static void report_incomplete(struct run *r)
{
    if (r->check.arena->exhausted && !r->incomplete[0])
        snprintf(r->incomplete, sizeof r->incomplete,
                 "it needs more memory than one file may take");
    if (r->report.cut && !r->incomplete[0])
        snprintf(r->incomplete, sizeof r->incomplete, "it has too many findings to list them all");
    if (!r->incomplete[0])
        return;
    uint32_t off = r->scan.first[CMPD_SCAN_GLOBAL_FN];
    struct cmpd_pos pos = {1, 1};
    if (off != UINT32_MAX)
        pos = cmpd_source_pos(r->check.src, off);
    char message[400];
    snprintf(message, sizeof message, "a part of this file was not analysed: %s", r->incomplete);
    struct cmpd_finding *f = cmpd_file_result_add(r->result, r->check.policy,
                                                  CMPD_TAG_index_space_unproven, CMPD_TIER_NOTE,
                                                  pos.line, pos.column, message);
    f->track = CMPD_TRACK_STATIC;
    f->tier = CMPD_TIER_REVIEW;
}

static void count_kernels(struct run *r)
{
    r->result->kernel_count = r->scan.count[CMPD_SCAN_GLOBAL_FN];
    r->result->launch_count = r->scan.count[CMPD_SCAN_LAUNCH] + r->scan.count[CMPD_SCAN_LAUNCH_API];
    if (!r->check.module)
        return;
    r->result->kernel_count = 0;
    for (size_t i = 0; i < r->check.module->func_count; i++) {
        const struct ir_func *f = r->check.module->funcs[i];
        r->result->kernel_count += f->kind == IR_F_KERNEL && f->body;
    }
}

static void check_text(struct run *r)
{
    struct cmpd_arena *arena = r->check.arena;
    if (run_scan(r, arena) != CMPD_OK)
        return;
    r->result->op_comment = cmpd_strdup(r->report.remarks.op);
    r->settled = CMPD_ARENA_ARRAY(arena, bool, r->rules->count + 1);
    run_layers(r);
    if (r->result->error.rc != CMPD_OK)
        return;
    report_remark_faults(r);
    report_incomplete(r);
    count_kernels(r);
    cmpd_findings_sort(&r->result->findings);
    cmpd_clean_remarks(&r->check, r->result);
    r->result->static_done = true;
}

static struct cmpd_file_result *new_result(const struct cmpd_source *src)
{
    struct cmpd_file_result *res = cmpd_calloc(1, sizeof *res);
    res->path = cmpd_strdup(src->path);
    memcpy(res->sha256, src->sha256, sizeof res->sha256);
    res->layer = CMPD_LAYER_SCAN;
    res->dynamic.status = CMPD_DYNAMIC_SKIPPED;
    return res;
}

struct cmpd_file_result *cmpd_check_static(const struct cmpd_source *src,
                                           const struct cmpd_policy *policy,
                                           const struct cmpd_ruleset *rules)
{
    return cmpd_check_static_with(src, policy, rules, NULL);
}

struct cmpd_file_result *cmpd_check_static_with(const struct cmpd_source *src,
                                                const struct cmpd_policy *policy,
                                                const struct cmpd_ruleset *rules,
                                                const struct cmpd_headers *headers)
{
    double begun = now_ms();
    struct cmpd_file_result *res = new_result(src);
    struct cmpd_arena arena = {0};
    const struct cmpd_kernel_policy *own = cmpd_policy_kernel(policy, src->path);
    struct run r = {.result = res,
                    .rules = rules,
                    .headers = headers,
                    .nvcc = own && own->nvcc ? own->nvcc : policy->nvcc};
    r.check = (struct cmpd_check){.src = src,
                                  .policy = policy,
                                  .arena = &arena,
                                  .findings = &res->findings,
                                  .report = &r.report};
    if (src->binary)
        cmpd_err_set(&res->error, CMPD_EINPUT,
                     "%s is binary (it holds a NUL byte), not CUDA source", src->path);
    else
        check_text(&r);
    cmpd_ast_free(r.ast);
    cmpd_arena_clear(&arena);
    res->static_elapsed_ms = now_ms() - begun;
    cmpd_fingerprints_number(&res->findings);
    res->verdict = res->static_done ? cmpd_findings_verdict(&res->findings) : CMPD_REVIEW;
    return res;
}
