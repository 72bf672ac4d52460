/* The way out of `check` and `review`: the document in the wanted form, and the exit status. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/file.h"
#include "bot/judge.h"

/* A link or an over-long file that a change brings is a matter of its verdict, not a failure of the run. */
static bool belongs_to_change(const struct cmpd_file_result *r)
{
    return r->change && (r->error.rc == CMPD_EINPUT || r->error.rc == CMPD_ELIMIT);
}

static int exit_status(const struct cmpd_document *doc, const struct cmpd_options *opt)
{
    if (doc->error.rc != CMPD_OK)
        return cmpd_rc_exit_status(doc->error.rc);
    for (size_t i = 0; i < doc->count; i++) {
        const struct cmpd_file_result *r = doc->files[i];
        if (r->error.rc != CMPD_OK && !belongs_to_change(r))
            return cmpd_rc_exit_status(r->error.rc);
    }
    if (doc->advisory || doc->verdict == CMPD_PASS)
        return 0;
    if (doc->verdict == CMPD_REJECT)
        return 1;
    return opt->fail_on_reject ? 0 : 2;
}

/* A terminal that shows colour, whose owner has not asked for none. */
static bool wants_color(const char *output)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    if (output || (none && *none) || !term || strcmp(term, "dumb") == 0)
        return false;
    return isatty(STDOUT_FILENO) == 1;
}

static cmpd_rc write_out(const struct cmpd_buf *text, const char *output, struct cmpd_err *err)
{
    if (output && strcmp(output, "-") != 0)
        return cmpd_file_write_atomic(output, cmpd_buf_str(text), text->len, err);
    errno = 0;
    if (fwrite(cmpd_buf_str(text), 1, text->len, stdout) == text->len && fflush(stdout) == 0)
        return CMPD_OK;
    return cmpd_err_set(err, CMPD_EIO, "cannot write to standard output: %s", strerror(errno));
}

static void say(const char *message)
{
    fprintf(stderr, "cmpd: %s\n", message);
}

static void say_errors(const struct cmpd_document *doc)
{
    if (doc->error.rc != CMPD_OK)
        say(doc->error.msg);
    for (size_t i = 0; i < doc->count; i++) {
        if (doc->files[i]->error.rc != CMPD_OK)
            say(doc->files[i]->error.msg);
    }
}

int cmpd_finish(struct cmpd_document *doc, const struct cmpd_options *opt)
{
    const char *output = opt->value[CMPD_OPT_output];
    struct cmpd_buf text = CMPD_BUF_INIT;
    struct cmpd_err err = {0};
    cmpd_document_settle(doc);
    int status = exit_status(doc, opt);
    struct cmpd_output_env env = {.color = wants_color(output), .exit_status = status};
    say_errors(doc);
    opt->format->render(doc, &env, &text);
    if (text.truncated)
        status = cmpd_rc_exit_status(
            cmpd_err_set(&err, CMPD_ELIMIT, "the result is too long; judge fewer files at once"));
    else if (write_out(&text, output, &err) != CMPD_OK)
        status = cmpd_rc_exit_status(err.rc);
    if (err.rc != CMPD_OK)
        say(err.msg);
    cmpd_buf_clear(&text);
    return status;
}

int cmpd_fail(const struct cmpd_options *opt, const struct cmpd_err *err)
{
    struct cmpd_document doc = {.error = *err};
    if (!opt || !opt->format || strcmp(opt->format->name, "text") == 0) {
        say(err->msg);
        return cmpd_rc_exit_status(err->rc);
    }
    return cmpd_finish(&doc, opt);
}

int cmpd_print_take(struct cmpd_buf *text)
{
    struct cmpd_err err = {0};
    cmpd_rc rc = write_out(text, NULL, &err);
    cmpd_buf_clear(text);
    if (rc)
        say(err.msg);
    return cmpd_rc_exit_status(rc);
}

int cmpd_print_help(enum cmpd_command_id command)
{
    struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_command_help(command, &text);
    return cmpd_print_take(&text);
}

int cmpd_command_run(enum cmpd_command_id command, int argc, char **argv,
                     int (*run)(struct cmpd_options *opt))
{
    struct cmpd_options opt;
    struct cmpd_err err = {0};
    int status;
    if (cmpd_options_parse(command, argc, argv, &opt, &err) != CMPD_OK)
        status = cmpd_fail(&opt, &err);
    else if (opt.help)
        status = cmpd_print_help(command);
    else
        status = run(&opt);
    cmpd_options_clear(&opt);
    return status;
}
