/* cmpd check FILE...: files on disk, or standard input. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/commands.h"
#include "bot/judge.h"
#include "bot/policy_find.h"

/* The policy of one folder; files in the same folder share it. */
struct folder {
    char *dir; /* owned */
    struct cmpd_policy_place place;
};

struct job {
    const char *path;
    size_t folder;
    struct cmpd_file_result *result; /* owned until it is handed to the document */
};

struct batch {
    const struct cmpd_options *opt;
    struct folder *folders;
    size_t folder_count, folder_cap;
    struct job *jobs;
    size_t count;
};

static void clear_batch(struct batch *b)
{
    for (size_t i = 0; i < b->folder_count; i++) {
        free(b->folders[i].dir);
        cmpd_policy_place_clear(&b->folders[i].place);
    }
    free(b->folders);
    for (size_t i = 0; i < b->count; i++)
        cmpd_file_result_free(b->jobs[i].result);
    free(b->jobs);
}

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

static cmpd_rc find_folder(struct batch *b, const char *path, size_t *out, struct cmpd_err *err)
{
    CMPD_AUTOFREE char *copy = cmpd_strdup(path);
    const char *dir = is_stdin(path) ? "." : dirname(copy);
    for (size_t i = 0; i < b->folder_count; i++) {
        if (strcmp(b->folders[i].dir, dir) == 0) {
            *out = i;
            return CMPD_OK;
        }
    }
    struct folder f = {0};
    cmpd_rc rc = cmpd_policy_find(dir, b->opt->value[CMPD_OPT_policy], &f.place, err);
    if (rc)
        return rc;
    f.dir = cmpd_strdup(dir);
    CMPD_GROW(b->folders, b->folder_count + 1, b->folder_cap);
    *out = b->folder_count;
    b->folders[b->folder_count++] = f;
    return CMPD_OK;
}

/* A folder that is not there concerns its file alone; a broken policy concerns all. */
static cmpd_rc prepare(struct batch *b, struct cmpd_err *err)
{
    bool given = b->opt->value[CMPD_OPT_policy] != NULL;
    b->count = b->opt->arg_count;
    b->jobs = cmpd_calloc(b->count, sizeof *b->jobs);
    for (size_t i = 0; i < b->count; i++) {
        struct job *j = &b->jobs[i];
        j->path = b->opt->args[i];
        cmpd_rc rc = find_folder(b, j->path, &j->folder, err);
        if (rc == CMPD_OK)
            continue;
        if (rc != CMPD_ENOENT || given)
            return rc;
        struct cmpd_err missing;
        cmpd_err_set(&missing, CMPD_ENOENT, "no such file: %s", j->path);
        j->result = cmpd_file_result_failed(j->path, &missing);
    }
    return CMPD_OK;
}

static void judge(void *ctx, size_t i)
{
    struct batch *b = ctx;
    struct job *j = &b->jobs[i];
    if (j->result)
        return;
    const struct cmpd_policy_place *place = &b->folders[j->folder].place;
    struct cmpd_judge how = {.opt = b->opt, .policy = place->policy, .root = place->root};
    struct cmpd_source *src = NULL;
    struct cmpd_err err = {0};
    if (cmpd_source_open(j->path, &src, &err) != CMPD_OK) {
        j->result = cmpd_file_result_failed(j->path, &err);
        return;
    }
    CMPD_AUTOFREE char *rel = cmpd_policy_relative(place, j->path);
    struct cmpd_headers headers = {.read = cmpd_header_read_disk, .ctx = place->root, .file = rel};
    if (!is_stdin(j->path))
        how.headers = &headers;
    j->result = cmpd_judge_static_take(&how, src);
    cmpd_judge_dynamic(&how, j->result, rel);
}

static cmpd_rc check_usage(const struct cmpd_options *opt, struct cmpd_err *err)
{
    size_t from_stdin = 0;
    for (size_t i = 0; i < opt->arg_count; i++)
        from_stdin += is_stdin(opt->args[i]);
    if (opt->arg_count == 0)
        return cmpd_err_set(err, CMPD_EUSAGE, "cmpd check needs a FILE (- is standard input)");
    if (from_stdin > 1)
        return cmpd_err_set(err, CMPD_EUSAGE, "standard input (-) can be given once only");
    return CMPD_OK;
}

static int run(struct cmpd_options *opt)
{
    struct cmpd_err err = {0};
    struct batch b = {.opt = opt};
    if (check_usage(opt, &err) != CMPD_OK)
        return cmpd_fail(opt, &err);
    if (prepare(&b, &err) != CMPD_OK) {
        clear_batch(&b);
        return cmpd_fail(opt, &err);
    }
    cmpd_parallel(b.count, opt->jobs, judge, &b);
    struct cmpd_document doc = {0};
    doc.advisory = true;
    for (size_t i = 0; i < b.count; i++) {
        const struct folder *f = b.folder_count ? &b.folders[b.jobs[i].folder] : NULL;
        doc.advisory = doc.advisory && f && !f->place.policy->enforce;
        cmpd_document_add_take(&doc, b.jobs[i].result);
        b.jobs[i].result = NULL;
    }
    int status = cmpd_finish(&doc, opt);
    cmpd_document_clear(&doc);
    clear_batch(&b);
    return status;
}

int cmpd_cmd_check(int argc, char **argv)
{
    return cmpd_command_run(CMPD_CMD_check, argc, argv, run);
}
