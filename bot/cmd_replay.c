/* cmpd replay FILE --case NAME: one case of a result again, with all that is known of it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "bot/commands.h"
#include "bot/judge.h"

static const char *text_of(const json_t *o, const char *key, const char *def)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : def;
}

static void put_error(struct cmpd_buf *out, const char *what, const json_t *v)
{
    if (json_is_string(v))
        cmpd_buf_printf(out, "  %s: %s\n", what, json_string_value(v));
    else if (json_is_number(v))
        cmpd_buf_printf(out, "  %s: %.6g\n", what, json_number_value(v));
}

static void put_case(struct cmpd_buf *out, const json_t *c)
{
    const char *name;
    const json_t *v;
    cmpd_buf_printf(out, "case %s: %s\n  shape:", text_of(c, "name", "?"),
                    json_is_true(json_object_get(c, "ok")) ? "as the reference has it"
                                                           : "not in order");
    json_object_foreach(json_object_get(c, "shape"), name, v)
    {
        cmpd_buf_printf(out, " %s=%lld", name, (long long)json_integer_value(v));
    }
    cmpd_buf_printf(out, "\n  dtype: %s\n  seed: %lld\n  schedule: %lld\n",
                    text_of(c, "dtype", "?"),
                    (long long)json_integer_value(json_object_get(c, "seed")),
                    (long long)json_integer_value(json_object_get(c, "schedule")));
    put_error(out, "max_abs_err", json_object_get(c, "max_abs_err"));
    put_error(out, "max_rel_err", json_object_get(c, "max_rel_err"));
    cmpd_buf_printf(out, "  lane instructions: %lld\n",
                    (long long)json_integer_value(json_object_get(c, "lane_instructions")));
}

static void put_finding(struct cmpd_buf *out, const char *path, const struct cmpd_finding *f)
{
    cmpd_buf_puts(out, path);
    if (f->line)
        cmpd_buf_printf(out, ":%u", f->line);
    cmpd_buf_printf(out, ": %s: %s: %s\n", cmpd_tier_name(f->tier), cmpd_tag_info(f->tag)->name,
                    f->message);
    if (f->also_line)
        cmpd_buf_printf(out, "  see also %s:%u\n", f->also_file ? f->also_file : path,
                        f->also_line);
    if (f->hint)
        cmpd_buf_printf(out, "  hint: %s\n", f->hint);
}

static void put_text(struct cmpd_buf *out, const struct cmpd_file_result *r)
{
    const json_t *d = r->dynamic.details, *numeric = json_object_get(d, "numeric"), *c;
    size_t i;
    if (json_object_get(d, "device"))
        cmpd_buf_printf(out, "[replay] %s on %s: %s\n", r->path, text_of(d, "device", "?"),
                        text_of(d, "entry", "?"));
    else
        cmpd_buf_printf(out, "[replay] %s: nothing ran\n", r->path);
    json_array_foreach(json_object_get(numeric, "cases"), i, c)
    {
        put_case(out, c);
    }
    for (i = 0; i < r->findings.count; i++)
        put_finding(out, r->path, &r->findings.items[i]);
}

/* Not a verdict on the file: what this one case says. */
static int status_of(const struct cmpd_file_result *r)
{
    static const int of[] = {[CMPD_PASS] = 0, [CMPD_REVIEW] = 2, [CMPD_REJECT] = 1};
    if (r->error.rc != CMPD_OK)
        return cmpd_rc_exit_status(r->error.rc);
    const json_t *numeric = json_object_get(r->dynamic.details, "numeric");
    enum cmpd_verdict v = cmpd_findings_verdict(&r->findings);
    bool ran = json_array_size(json_object_get(numeric, "cases")) > 0;
    return v == CMPD_PASS && !ran ? 2 : of[v];
}

static int print(const struct cmpd_options *opt, struct cmpd_file_result *r)
{
    struct cmpd_buf out = CMPD_BUF_INIT;
    int status = status_of(r);
    if (strcmp(opt->value[CMPD_OPT_list_format], "json") == 0) {
        struct cmpd_document doc = {0};
        struct cmpd_output_env env = {.exit_status = status};
        cmpd_document_add_take(&doc, r);
        cmpd_document_settle(&doc);
        cmpd_output_find("json")->render(&doc, &env, &out);
        cmpd_document_clear(&doc);
    } else {
        put_text(&out, r);
        cmpd_file_result_free(r);
    }
    int printed = cmpd_print_take(&out);
    return printed ? printed : status;
}

static int run(struct cmpd_options *opt)
{
    struct cmpd_err err = {0};
    struct cmpd_file_result *r;
    if (opt->arg_count != 1 || !opt->value[CMPD_OPT_case]) {
        cmpd_err_set(&err, CMPD_EUSAGE, "cmpd replay needs one FILE and --case NAME");
        return cmpd_fail(opt, &err);
    }
    /* A mistyped option is told before anything runs. */
    uint64_t number;
    if (cmpd_option_number(opt, CMPD_OPT_seed, "seed", &number, &err) != CMPD_OK ||
        cmpd_option_number(opt, CMPD_OPT_schedule, "schedule", &number, &err) != CMPD_OK)
        return cmpd_fail(opt, &err);
    if (cmpd_judge_one(opt, opt->args[0], &r, &err) != CMPD_OK)
        return cmpd_fail(opt, &err);
    return print(opt, r);
}

int cmpd_cmd_replay(int argc, char **argv)
{
    return cmpd_command_run(CMPD_CMD_replay, argc, argv, run);
}
