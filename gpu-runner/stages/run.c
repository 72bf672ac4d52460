#include "gpu-runner/stages/run.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "analysis/base/nearest.h"
#include "analysis/base/sha256.h"
#include "analysis/base/version.h"
#include "gpu-runner/compile/workdir.h"
#include "gpu-runner/link/libdir.h"
#include "gpu-runner/link/link.h"
#include "gpu-runner/reference/ownref.h"
#include "gpu-runner/stages/culprit.h"
#include "gpu-runner/stages/host_lines.h"

bool cmpd_stage_cancelled(int cancel_fd)
{
    struct pollfd p = {cancel_fd, POLLIN, 0};
    return cancel_fd >= 0 && poll(&p, 1, 0) > 0;
}

#define LIBRARY_CEILING_BYTES ((size_t)256 << 20)

/* ---- the operator ---- */

#define OPS_CEILING 256

static void say_unknown_op(struct cmpd_run *r)
{
    const char *names[OPS_CEILING];
    size_t count = 0;
    CMPD_BUF_AUTO struct cmpd_buf hint = CMPD_BUF_INIT;
    const struct cmpd_ref_op *op;
    cmpd_buf_puts(&hint, "there are");
    for (; count < OPS_CEILING && (op = cmpd_ref_at(count)) != NULL; count++) {
        names[count] = op->name;
        cmpd_buf_putc(&hint, ' ');
        cmpd_buf_puts(&hint, op->name);
    }
    cmpd_buf_puts(&hint, "; \"reference\" in cmpd.json brings one of your own");
    const char *near = cmpd_nearest(r->job->op, names, count);
    cmpd_stage_findings_say(&r->findings, CMPD_TAG_no_reference, 0, NULL, cmpd_buf_str(&hint),
                            near ? "there is no operator '%s'; did you mean %s?"
                                 : "there is no operator '%s'%s",
                            r->job->op, near ? near : "");
    r->undecided = true;
}

/* *ok false: the user's own reference does not work, and that is told. */
static cmpd_rc find_operator(struct cmpd_run *r, bool *ok, struct cmpd_err *err)
{
    struct cmpd_err why = {0};
    if (r->job->program)
        return CMPD_OK;
    if (r->job->reference == CMPD_REFERENCE_BUILTIN) {
        r->op = r->job->op ? cmpd_ref_find(r->job->op) : NULL;
        *ok = r->op || !r->job->op;
        if (!*ok)
            say_unknown_op(r);
        return CMPD_OK;
    }
    const struct cmpd_ownref_request q = {.kind = r->job->reference,
                                          .root = r->q->job->root,
                                          .path = r->job->reference_path,
                                          .jail = r->q->jail,
                                          .cancel_fd = r->q->cancel_fd};
    cmpd_rc rc = cmpd_ownref_open(&q, &r->own, &why);
    if (rc == CMPD_OK) {
        r->op = cmpd_ownref_op(r->own);
    } else if (rc == CMPD_EINPUT || rc == CMPD_ENOENT) {
        cmpd_stage_findings_say(
            &r->findings, CMPD_TAG_no_reference, 0, NULL, "mend the reference that cmpd.json names",
            "the reference %s can't be used: %s", r->job->reference_path, why.msg);
        r->undecided = true;
        *ok = false;
        rc = CMPD_OK;
    } else if (err) {
        *err = why;
    }
    return rc;
}

/* ---- binding ---- */

static void bind(struct cmpd_run *r)
{
    struct cmpd_elf_functions f = {0};
    bool known = cmpd_elf_functions(r->q->object, r->q->object_len, &f, NULL) == CMPD_OK;
    const char **symbols = cmpd_calloc(f.count + 1, sizeof *symbols);
    const char **kernels = cmpd_calloc(r->code.count + 1, sizeof *kernels);
    size_t count = 0;
    for (size_t i = 0; i < r->code.count; i++)
        kernels[i] = r->code.kernels[i].name;
    for (size_t i = 0; i < f.count; i++) {
        if (!f.items[i].clone)
            symbols[count++] = f.items[i].symbol;
    }
    const struct cmpd_bind_request q = {.sigs = &r->job->signatures,
                                        .file = r->q->job->file,
                                        .entry = r->job->entry,
                                        .entry_required = r->job->entry_required,
                                        .args = &r->job->args,
                                        .op = r->op,
                                        .dtype = r->job->dtype,
                                        .grid = r->job->grid,
                                        .block = r->job->block,
                                        .shared = r->job->shared,
                                        .has_cases = r->job->case_count > 0,
                                        .symbols = known ? symbols : NULL,
                                        .symbol_count = count,
                                        .kernels = kernels,
                                        .kernel_count = r->code.count};
    cmpd_bind(&q, &r->binding);
    free(symbols);
    free(kernels);
    cmpd_elf_functions_clear(&f);
}

static void say_unbound(struct cmpd_run *r)
{
    struct cmpd_event_finding *f = cmpd_stage_findings_say(&r->findings, r->binding.tag,
                                                           r->binding.line, NULL, r->binding.hint,
                                                           "%s", r->binding.message);
    if (f && r->binding.tier < cmpd_tag_info(r->binding.tag)->tier)
        f->weight = r->binding.tier == CMPD_TIER_NOTE ? CMPD_EVENT_NOTE : CMPD_EVENT_DOUBT;
    r->undecided = true;
}

/* The entry is not in the object (a template that nobody instantiates, a static function that nobody calls). */
static cmpd_rc compile_shim(struct cmpd_run *r, struct cmpd_buf *object, struct cmpd_err *err)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    CMPD_AUTOFREE char *root = realpath(r->q->job->root, NULL);
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s", root ? root : r->q->job->root,
                                             r->q->job->file);
    if (!r->q->compile_shim)
        return cmpd_err_set(err, CMPD_EINPUT, "%s is not in the object", r->binding.display);
    cmpd_bind_shim(&r->binding, path, &text);
    return r->q->compile_shim(r->q->shim_ctx, cmpd_buf_str(&text), object, err);
}

/* ---- linking ---- */

static void say_unlinked(struct cmpd_run *r, const struct cmpd_link_result *linked)
{
    const char **functions = cmpd_calloc(linked->missing_count + 1, sizeof *functions);
    size_t count = 0;
    for (size_t i = 0; i < linked->missing_count; i++) {
        if (linked->missing[i].tag == linked->tag && linked->missing[i].display)
            functions[count++] = linked->missing[i].display;
    }
    uint32_t line = cmpd_culprit_call_line(r->q->job->root, r->q->job->file, functions, count);
    free(functions);
    cmpd_stage_findings_say(&r->findings, linked->tag, line, NULL, linked->hint, "%s",
                            linked->message);
    r->undecided = true;
}

/* Where the entry lies in the linked library. */
static cmpd_rc find_entry(struct cmpd_run *r, bool *ok, struct cmpd_err *err)
{
    const char *symbol = r->binding.needs_shim ? CMPD_BIND_SHIM_SYMBOL : r->binding.symbol;
    CMPD_BUF_AUTO struct cmpd_buf library = CMPD_BUF_INIT;
    struct cmpd_elf_functions f;
    cmpd_rc rc = cmpd_file_read(r->library, LIBRARY_CEILING_BYTES, &library, err);
    if (rc == CMPD_OK)
        rc = cmpd_elf_functions(library.data, library.len, &f, err);
    if (rc != CMPD_OK)
        return rc;
    const struct cmpd_elf_function *found = cmpd_elf_functions_find(&f, symbol);
    *ok = found != NULL;
    if (found)
        r->entry_offset = found->offset;
    else
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_no_entry, r->binding.line, NULL, NULL,
                                "%s is not among the linked file's functions", r->binding.display);
    r->undecided |= !found;
    cmpd_elf_functions_clear(&f);
    return CMPD_OK;
}

/* Changed whenever the same object would give another library. */
#define LINK_FORMAT "cmpd-link-1"

static void link_key(const void *object, size_t len, char key[65])
{
    struct cmpd_sha256 h;
    char hex[65];
    cmpd_sha256_hex(object, len, hex);
    cmpd_sha256_init(&h);
    cmpd_sha256_field(&h, LINK_FORMAT, strlen(LINK_FORMAT));
    cmpd_sha256_field(&h, cmpd_version(), strlen(cmpd_version()));
    cmpd_sha256_field(&h, hex, 64);
    cmpd_sha256_final_hex(&h, key, 64);
}

/* A library that was linked from the same object before. */
static bool take_linked(struct cmpd_run *r, const char *key)
{
    CMPD_BUF_AUTO struct cmpd_buf meta = CMPD_BUF_INIT;
    CMPD_BUF_AUTO struct cmpd_buf library = CMPD_BUF_INIT;
    if (!cmpd_cache_get(r->q->cache, key, "/", &meta, &library) || !library.len)
        return false;
    r->library = cmpd_asprintf("%s/candidate.so", r->work);
    return cmpd_file_write_atomic(r->library, library.data, library.len, NULL) == CMPD_OK;
}

/* What the library is made of beside the object: another runtime of ours makes another one. */
static void keep_linked(struct cmpd_run *r, const char *key, int64_t started_ns)
{
    CMPD_BUF_AUTO struct cmpd_buf library = CMPD_BUF_INIT;
    char *parts[2] = {NULL, NULL};
    const struct cmpd_strings inputs = {parts, 2, 2};
    if (cmpd_libdir_path(CMPD_LIBDIR_CUDART, &parts[0], NULL) == CMPD_OK &&
        cmpd_libdir_path(CMPD_LIBDIR_DSO, &parts[1], NULL) == CMPD_OK &&
        cmpd_file_read(r->library, LIBRARY_CEILING_BYTES, &library, NULL) == CMPD_OK)
        cmpd_cache_put(r->q->cache, key, "/", &inputs, started_ns, "{}", library.data, library.len);
    free(parts[0]);
    free(parts[1]);
}

/* *ok false: it can't be linked, and that is told. */
static cmpd_rc link_anew(struct cmpd_run *r, const void *object, size_t len, const char *key,
                         bool *ok, struct cmpd_err *err)
{
    struct cmpd_link_result linked;
    struct timespec now;
    const struct cmpd_link_request q = {.object = object,
                                        .object_len = len,
                                        .work = r->work,
                                        .jail = r->q->jail,
                                        .cancel_fd = r->q->cancel_fd};
    clock_gettime(CLOCK_REALTIME, &now);
    cmpd_rc rc = cmpd_link_object(&q, &linked, err);
    if (rc != CMPD_OK)
        return rc;
    *ok = linked.ok;
    if (linked.ok) {
        free(r->library);
        r->library = cmpd_strdup(linked.path);
        keep_linked(r, key, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    } else {
        say_unlinked(r, &linked);
    }
    cmpd_link_result_clear(&linked);
    return CMPD_OK;
}

/* *ok false: it can't be linked or has no such entry, and that is told. */
static cmpd_rc link_candidate(struct cmpd_run *r, const void *object, size_t len, bool *ok,
                              struct cmpd_err *err)
{
    char key[65];
    link_key(object, len, key);
    cmpd_rc rc = take_linked(r, key) ? CMPD_OK : link_anew(r, object, len, key, ok, err);
    return rc == CMPD_OK && *ok && r->binding.task == CMPD_BIND_LAUNCHER ? find_entry(r, ok, err)
                                                                         : rc;
}

/* ---- running ---- */

static void write_entry(struct cmpd_run *r)
{
    CMPD_BUF_AUTO struct cmpd_buf args = CMPD_BUF_INIT;
    if (r->op)
        cmpd_bind_args_text(&r->binding, r->op, &args);
    cmpd_event_write_entry(r->q->writer, r->binding.display ? r->binding.display : "main",
                           r->op ? r->op->name : NULL, args.len ? cmpd_buf_str(&args) : NULL,
                           r->binding.launch.assumed);
}

static cmpd_rc make_plan(struct cmpd_run *r, bool *ok)
{
    struct cmpd_err why = {0};
    bool large = strcmp(r->device->ops->backend, "gpu") == 0;
    struct cmpd_contract contract;
    cmpd_contract_read(r->q->job->root, r->q->job->file, &r->binding, &contract);
    *ok = cmpd_plan_make(r->job, r->op, &r->binding, &contract, large, &r->plan, &why) == CMPD_OK;
    if (!*ok) {
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_no_reference, r->binding.line, NULL, NULL,
                                "%s", why.msg);
        r->undecided = true;
        return CMPD_OK;
    }
    r->kept_count = r->plan.count;
    r->kept = cmpd_calloc(r->kept_count + 1, sizeof *r->kept);
    return CMPD_OK;
}

static cmpd_rc open_device(struct cmpd_run *r, struct cmpd_err *err)
{
    const struct cmpd_device_ops *ops = cmpd_device_find(r->job->device);
    const struct cmpd_device_options options = {.lane_instructions = r->job->budget,
                                                .schedule_seed = r->job->schedule,
                                                .cancel_fd = r->q->cancel_fd};
    if (!ops)
        return cmpd_err_set(err, CMPD_EUNAVAIL,
                            "this build has no device '%s'; use --device emulator", r->job->device);
    cmpd_rc rc = ops->open(&options, &r->device, err);
    if (rc == CMPD_OK)
        cmpd_event_write_device(r->q->writer, ops->name, ops->backend);
    return rc;
}

/* A shim's object has device code of its own: the instance that is called stands there alone. */
static bool take_shim(struct cmpd_run *r, const struct cmpd_buf *shim)
{
    cmpd_device_code_clear(&r->code);
    cmpd_device_code_read(shim->data, shim->len, r->q->job->file, &r->code);
    if (r->binding.task != CMPD_BIND_KERNEL)
        return true;
    const char **kernels = cmpd_calloc(r->code.count + 1, sizeof *kernels);
    for (size_t i = 0; i < r->code.count; i++)
        kernels[i] = r->code.kernels[i].name;
    bool found = cmpd_bind_kernel_symbol(&r->binding, kernels, r->code.count);
    free(kernels);
    return found;
}

static cmpd_rc call_entry(struct cmpd_run *r, struct cmpd_err *err)
{
    CMPD_BUF_AUTO struct cmpd_buf shim = CMPD_BUF_INIT;
    const void *object = r->q->object;
    size_t len = r->q->object_len;
    struct cmpd_err why = {0};
    bool ok = true;
    cmpd_rc rc = r->binding.needs_shim ? compile_shim(r, &shim, &why) : CMPD_OK;
    if (rc == CMPD_EINPUT) {
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_no_entry, r->binding.line, NULL,
                                "name an entry that the file instantiates or exports",
                                "%s can't be reached: %s", r->binding.display, why.msg);
        r->undecided = true;
        return CMPD_OK;
    }
    if (rc != CMPD_OK) {
        if (err)
            *err = why;
        return rc;
    }
    if (shim.len && !take_shim(r, &shim)) {
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_no_entry, r->binding.line, NULL, NULL,
                                "%s is not among the kernels that the compiler made",
                                r->binding.display);
        r->undecided = true;
        return CMPD_OK;
    }
    if (shim.len) {
        object = shim.data;
        len = shim.len;
    }
    if (r->binding.task == CMPD_BIND_KERNEL)
        return cmpd_run_kernel(r, object, len, err);
    rc = link_candidate(r, object, len, &ok, err);
    if (rc != CMPD_OK || !ok)
        return rc;
    return r->binding.task == CMPD_BIND_MAIN ? cmpd_run_program(r, err) : cmpd_run_launcher(r, err);
}

static cmpd_rc run_bound(struct cmpd_run *r, struct cmpd_err *err)
{
    bool ok = true;
    cmpd_rc rc = open_device(r, err);
    if (rc != CMPD_OK)
        return rc;
    write_entry(r);
    if (r->binding.task != CMPD_BIND_MAIN)
        rc = make_plan(r, &ok);
    return rc == CMPD_OK && ok ? call_entry(r, err) : rc;
}

/* ---- what it comes to ---- */

/* A whole program was watched; whether its values are right nobody can say. */
static void say_no_reference(struct cmpd_run *r)
{
    if (r->binding.task == CMPD_BIND_MAIN && !r->job->program)
        cmpd_stage_findings_say(
            &r->findings, CMPD_TAG_no_reference, 0, NULL,
            "name a launcher or a kernel with --entry, and its operator with --op",
            "the file is a whole program: what it prints is no evidence, and there is nothing to "
            "compare its values with");
}

static void confirm_op(struct cmpd_run *r)
{
    if (r->job->op_source != CMPD_OP_INFERRED || !r->op || r->compared == 0)
        return;
    cmpd_stage_findings_say(
        &r->findings, CMPD_TAG_op_unconfirmed, r->binding.line, NULL,
        "say it with \"op\" in cmpd.json or --op",
        "compared with operator %s, which only names suggest, or a remark that the change itself brings",
        r->op->name);
}

static enum cmpd_event_status status_of(const struct cmpd_run *r, bool failed)
{
    return failed ? CMPD_EVENT_FAIL : r->undecided ? CMPD_EVENT_UNDECIDED : CMPD_EVENT_PASS;
}

static bool memory_fault(const struct cmpd_run *r)
{
    return cmpd_stage_findings_proven(&r->findings, "memory") ||
           cmpd_stage_findings_proven(&r->findings, "run");
}

/* Sizes and roles are a guess at the operator that no case has confirmed. */
static bool guessed(const struct cmpd_run *r)
{
    return r->job->op_source == CMPD_OP_INFERRED && r->op && r->compared <= r->failed;
}

/* What was taken for granted may be the reading's fault, not the file's. */
static void weaken_assumed(struct cmpd_run *r)
{
    bool inferred = r->job->op_source == CMPD_OP_INFERRED, all = r->binding.assumed || guessed(r);
    if (!all && !inferred)
        return;
    for (size_t i = 0; i < r->findings.count; i++) {
        struct cmpd_event_finding *f = &r->findings.items[i];
        bool numeric = strcmp(cmpd_tag_info(f->tag)->rule, "numeric") == 0;
        bool whoever_calls = f->tag ==
                             CMPD_TAG_forbidden_host_action; /* no argument makes it right */
        if (f->weight == CMPD_EVENT_SURE && (numeric || (all && !whoever_calls)))
            f->weight = CMPD_EVENT_DOUBT;
    }
    if (r->binding.assumed && r->failed)
        cmpd_stage_findings_say(
            &r->findings, CMPD_TAG_no_entry, r->binding.line, NULL, r->binding.args_hint,
            "what failed may be due to how the arguments were read: %s", r->binding.assumed);
    if (guessed(r) && r->failed)
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_op_unconfirmed, r->binding.line, NULL,
                                "say it with \"op\" in cmpd.json or --op",
                                "what failed may be due to the operator: names alone suggest %s",
                                r->op->name);
}

static void write_all(struct cmpd_run *r)
{
    struct cmpd_event_writer *w = r->q->writer;
    bool memory = memory_fault(r), numeric = r->failed > 0 && !memory;
    for (size_t i = 0; i < r->findings.count; i++)
        cmpd_event_write_finding(w, &r->findings.items[i]);
    if (!r->device)
        return;
    if (r->compared)
        cmpd_event_write_tolerance(w, r->atol, r->rtol);
    cmpd_event_write_memory(w, !memory, "shadow memory", r->launches, r->lane_instructions);
    cmpd_event_write_stage(w, CMPD_EVENT_MEMORY,
                           r->launches || memory ? status_of(r, memory) : CMPD_EVENT_UNDECIDED,
                           NULL);
    if (r->op)
        cmpd_event_write_stage(w, CMPD_EVENT_NUMERIC,
                               memory && !numeric ? CMPD_EVENT_UNDECIDED : status_of(r, numeric),
                               memory ? "the run went wrong before" : NULL);
}

static void run_clear(struct cmpd_run *r)
{
    if (r->open)
        cmpd_run_forget(r);
    for (size_t i = 0; i < r->kept_count; i++) {
        for (size_t k = 0; k < CMPD_SIG_PARAMS_CEILING; k++)
            free(r->kept[i].after[k]);
    }
    free(r->kept);
    if (r->device)
        r->device->ops->close(r->device);
    if (r->work)
        cmpd_workdir_remove(r->work);
    cmpd_plan_clear(&r->plan);
    cmpd_device_code_clear(&r->code);
    cmpd_ownref_close(r->own);
    cmpd_stage_findings_clear(&r->findings);
    cmpd_binding_clear(&r->binding);
    free(r->library);
    free(r->work);
    free(r);
}

/* CMPD_EUNAVAIL that is no cancelling is a result: nothing here could run it. */
static cmpd_rc as_result(struct cmpd_run *r, cmpd_rc rc, const struct cmpd_err *why,
                         struct cmpd_err *err)
{
    if (rc == CMPD_EUNAVAIL && !cmpd_stage_cancelled(r->q->cancel_fd)) {
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_runner_unavailable, 0, NULL, NULL, "%s",
                                why->msg);
        r->undecided = true;
        return CMPD_OK;
    }
    if (rc != CMPD_OK && err)
        *err = *why;
    return rc;
}

cmpd_rc cmpd_stage_run(const struct cmpd_stage_request *q, struct cmpd_err *err)
{
    struct cmpd_run *r = cmpd_calloc(1, sizeof *r);
    struct cmpd_err why = {0};
    r->q = q;
    r->job = q->job->run;
    r->near_miss = CMPD_PLAN_NO_REPEAT;
    r->findings.file = q->job->file;
    cmpd_device_code_read(q->object, q->object_len, q->job->file, &r->code);
    cmpd_event_write_jail(q->writer, q->jail_name);
    bool ok = true;
    cmpd_rc rc = cmpd_workdir_make(&r->work, &why);
    if (rc == CMPD_OK)
        rc = find_operator(r, &ok, &why);
    if (rc == CMPD_OK && ok) {
        bind(r);
        r->findings.doubt = r->binding.launch.assumed;
        if (r->binding.task == CMPD_BIND_NONE)
            say_unbound(r);
        else
            rc = run_bound(r, &why);
    }
    rc = as_result(r, rc, &why, err);
    if (rc == CMPD_OK) {
        if (r->library)
            cmpd_host_lines_resolve(&r->findings, r->library, r->work, q->jail, q->cancel_fd);
        cmpd_stage_findings_unite(&r->findings);
        say_no_reference(r);
        confirm_op(r);
        weaken_assumed(r);
        write_all(r);
    }
    run_clear(r);
    return rc;
}
