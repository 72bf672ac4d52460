/* cmpd run FILE.cu [-- ARGS]: a whole program on a device, watched. Its output is passed on; what was seen is said behind it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/commands.h"
#include "bot/judge.h"

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void say_findings(const struct cmpd_file_result *r)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct cmpd_finding *f = &r->findings.items[i];
        if (f->tag == CMPD_TAG_perf_not_measured || f->tag == CMPD_TAG_no_reference)
            continue; /* nobody asked for a verdict */
        fprintf(stderr, "cmpd: %s", r->path);
        if (f->line)
            fprintf(stderr, ":%u", f->line);
        fprintf(stderr, ": %s: %s: %s\n", cmpd_tier_name(f->tier), cmpd_tag_info(f->tag)->name,
                f->message);
        if (f->hint)
            fprintf(stderr, "cmpd:   hint: %s\n", f->hint);
    }
}

/* 1: something was proven wrong; else the program's own status; 2: it did not run. */
static int status_of(const struct cmpd_file_result *r, const json_t *program)
{
    if (r->error.rc != CMPD_OK)
        return cmpd_rc_exit_status(r->error.rc);
    if (cmpd_findings_verdict(&r->findings) == CMPD_REJECT)
        return 1;
    return program ? (int)json_integer_value(json_object_get(program, "status")) : 2;
}

static int show(struct cmpd_file_result *r)
{
    const json_t *d = r->dynamic.details, *program = json_object_get(d, "program");
    struct cmpd_buf out = CMPD_BUF_INIT;
    cmpd_buf_puts(&out, text_of(program, "stdout"));
    int printed = cmpd_print_take(&out);
    fputs(text_of(program, "stderr"), stderr);
    say_findings(r);
    if (program)
        fprintf(stderr, "cmpd: %s ran on the %s: %lld launches, exit status %lld\n", r->path,
                text_of(d, "device"),
                (long long)json_integer_value(
                    json_object_get(json_object_get(d, "memory"), "launches")),
                (long long)json_integer_value(json_object_get(program, "status")));
    int status = status_of(r, program);
    cmpd_file_result_free(r);
    return printed ? printed : status;
}

static int run(struct cmpd_options *opt)
{
    struct cmpd_err err = {0};
    struct cmpd_file_result *r;
    if (opt->arg_count == 0) {
        cmpd_err_set(&err, CMPD_EUSAGE, "cmpd run needs a FILE with a main()");
        return cmpd_fail(opt, &err);
    }
    if (cmpd_judge_one(opt, opt->args[0], &r, &err) != CMPD_OK)
        return cmpd_fail(opt, &err);
    return show(r);
}

int cmpd_cmd_run(int argc, char **argv)
{
    return cmpd_command_run(CMPD_CMD_run, argc, argv, run);
}
