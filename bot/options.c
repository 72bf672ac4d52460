#include "bot/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/nearest.h"

const struct cmpd_command cmpd_commands[CMPD_CMD_COUNT] = {
#define COMMAND(id, built, synopsis, summary) {#id, built, synopsis, summary},
#include "bot/commands.def"
#undef COMMAND
};

const struct cmpd_option cmpd_options_table[CMPD_OPT_COUNT] = {
#define OPTION(id, name, arg, choices, def, commands, help) \
    {name, arg, choices, def, commands, help},
#include "bot/options.def"
#undef OPTION
};

static bool takes(enum cmpd_command_id command, int option)
{
    return (cmpd_options_table[option].commands & (1u << command)) != 0;
}

/* The option of this command whose name is the first `len` bytes of `text`; -1: none. */
static int find_option(enum cmpd_command_id command, const char *text, size_t len)
{
    for (int i = 0; i < CMPD_OPT_COUNT; i++) {
        const char *name = cmpd_options_table[i].name;
        if (takes(command, i) && strlen(name) == len && memcmp(name, text, len) == 0)
            return i;
    }
    return -1;
}

static cmpd_rc unknown_option(enum cmpd_command_id command, const char *text, struct cmpd_err *err)
{
    const char *names[CMPD_OPT_COUNT];
    size_t count = 0;
    for (int i = 0; i < CMPD_OPT_COUNT; i++) {
        if (takes(command, i))
            names[count++] = cmpd_options_table[i].name;
    }
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(text, "="), text);
    const char *near = cmpd_nearest(typed, names, count);
    if (near)
        return cmpd_err_set(err, CMPD_EUSAGE, "cmpd %s has no option --%s; did you mean --%s?",
                            cmpd_commands[command].name, typed, near);
    return cmpd_err_set(err, CMPD_EUSAGE, "cmpd %s has no option --%s (see cmpd help %s)",
                        cmpd_commands[command].name, typed, cmpd_commands[command].name);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t len = strlen(value);
    for (const char *p = choices; p;) {
        size_t n = strcspn(p, "|");
        if (n == len && memcmp(p, value, n) == 0)
            return true;
        p = p[n] ? p + n + 1 : NULL;
    }
    return false;
}

static cmpd_rc set_value(struct cmpd_options *o, int option, const char *value,
                         struct cmpd_err *err)
{
    const struct cmpd_option *info = &cmpd_options_table[option];
    if (info->choices && !is_choice(info->choices, value))
        return cmpd_err_set(err, CMPD_EUSAGE, "--%s takes one of %s, not '%.64s'", info->name,
                            info->choices, value);
    if (info->arg && !*value)
        return cmpd_err_set(err, CMPD_EUSAGE, "--%s must not be empty", info->name);
    o->value[option] = value;
    o->given[option] = true;
    return CMPD_OK;
}

/* One "--name", "--name=value" or "--name value"; *at moves over a value of its own. */
static cmpd_rc take_option(struct cmpd_options *o, int argc, char **argv, int *at,
                           struct cmpd_err *err)
{
    const char *text = argv[*at] + 2;
    size_t n = strcspn(text, "=");
    int option = find_option(o->command, text, n);
    if (option < 0)
        return unknown_option(o->command, text, err);
    const struct cmpd_option *info = &cmpd_options_table[option];
    if (!info->arg && text[n])
        return cmpd_err_set(err, CMPD_EUSAGE, "--%s takes no argument", info->name);
    if (!info->arg)
        return set_value(o, option, "", err);
    if (text[n])
        return set_value(o, option, text + n + 1, err);
    if (*at + 1 >= argc)
        return cmpd_err_set(err, CMPD_EUSAGE, "--%s needs an argument: %s", info->name,
                            info->choices ? info->choices : info->arg);
    return set_value(o, option, argv[++*at], err);
}

static cmpd_rc take_jobs(struct cmpd_options *o, struct cmpd_err *err)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    o->jobs = cpus > 0 ? (unsigned)cpus : 1;
    const char *text = o->value[CMPD_OPT_jobs];
    if (!text)
        return CMPD_OK;
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || *end || n < 1 || n > 1024)
        return cmpd_err_set(err, CMPD_EUSAGE, "--jobs takes a number from 1 to 1024, not '%.64s'",
                            text);
    o->jobs = (unsigned)n;
    return CMPD_OK;
}

static cmpd_rc check_executor(const struct cmpd_options *o, struct cmpd_err *err)
{
    const char *e = o->value[CMPD_OPT_executor];
    if (!e || strcmp(e, "local") == 0 || strcmp(e, "slurm") == 0)
        return CMPD_OK;
    if (strncmp(e, "ssh:", 4) == 0 && e[4] && e[4] != '-')
        return CMPD_OK;
    return cmpd_err_set(err, CMPD_EUSAGE, "--executor takes local, ssh:HOST or slurm, not '%.64s'",
                        e);
}

/* The form is wanted for errors too, so it is looked for wherever the command line goes wrong. */
static const struct cmpd_output_ops *wanted_format(int argc, char **argv)
{
    const struct cmpd_output_ops *found = NULL;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--format=", 9) == 0)
            found = cmpd_output_find(argv[i] + 9);
        else if (strcmp(argv[i], "--format") == 0 && i + 1 < argc)
            found = cmpd_output_find(argv[i + 1]);
    }
    return found ? found : cmpd_output_find("text");
}

static void set_defaults(struct cmpd_options *o)
{
    for (int i = 0; i < CMPD_OPT_COUNT; i++) {
        if (takes(o->command, i))
            o->value[i] = cmpd_options_table[i].def;
    }
    o->jobs = 1;
}

static cmpd_rc take_all(struct cmpd_options *o, int argc, char **argv, struct cmpd_err *err)
{
    bool only_files = false;
    for (int i = 1; i < argc; i++) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = true;
        } else if (!only_files && strcmp(argv[i], "-h") == 0) {
            o->help = true;
        } else if (!only_files && strncmp(argv[i], "--", 2) == 0) {
            cmpd_rc rc = take_option(o, argc, argv, &i, err);
            if (rc)
                return rc;
        } else if (!only_files && argv[i][0] == '-' && argv[i][1]) {
            return cmpd_err_set(err, CMPD_EUSAGE,
                                "unknown option '%.64s' (a file of that name: put -- before it)",
                                argv[i]);
        } else {
            o->args[o->arg_count++] = argv[i];
        }
    }
    return CMPD_OK;
}

cmpd_rc cmpd_options_parse(enum cmpd_command_id command, int argc, char **argv,
                           struct cmpd_options *out, struct cmpd_err *err)
{
    *out = (struct cmpd_options){.command = command};
    out->args = cmpd_calloc((size_t)argc + 1, sizeof *out->args);
    out->format = wanted_format(argc, argv);
    set_defaults(out);
    cmpd_rc rc = take_all(out, argc, argv, err);
    out->help = out->help || out->given[CMPD_OPT_help];
    if (rc == CMPD_OK && !out->help)
        rc = take_jobs(out, err);
    if (rc == CMPD_OK && !out->help)
        rc = check_executor(out, err);
    const char *track = out->value[CMPD_OPT_track], *fail_on = out->value[CMPD_OPT_fail_on];
    out->static_only = track && strcmp(track, "static") == 0;
    out->fail_on_reject = fail_on && strcmp(fail_on, "reject") == 0;
    return rc;
}

void cmpd_options_clear(struct cmpd_options *opt)
{
    free(opt->args);
    *opt = (struct cmpd_options){0};
}

static void put_option(const struct cmpd_option *o, struct cmpd_buf *out)
{
    char head[64];
    snprintf(head, sizeof head, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
    cmpd_buf_printf(out, "  %-18s %s", head, o->help);
    if (o->choices) {
        cmpd_buf_puts(out, "; one of ");
        for (const char *p = o->choices; *p; p++) {
            if (*p == '|')
                cmpd_buf_puts(out, ", ");
            else
                cmpd_buf_putc(out, *p);
        }
    }
    if (o->def)
        cmpd_buf_printf(out, " (default: %s)", o->def);
    cmpd_buf_putc(out, '\n');
}

void cmpd_command_help(enum cmpd_command_id command, struct cmpd_buf *out)
{
    const struct cmpd_command *c = &cmpd_commands[command];
    cmpd_buf_printf(out, "usage: cmpd %s%s%s\n\n%s%s\n", c->name, *c->synopsis ? " " : "",
                    c->synopsis, c->summary, c->built ? "" : " (not built yet)");
    if (!c->built)
        return;
    cmpd_buf_puts(out, "\noptions:\n");
    for (int i = 0; i < CMPD_OPT_COUNT; i++) {
        if (takes(command, i))
            put_option(&cmpd_options_table[i], out);
    }
}

void cmpd_general_help(struct cmpd_buf *out)
{
    cmpd_buf_puts(out, "usage: cmpd COMMAND [options]\n\n"
                       "CMP-D judges CUDA kernels: PASS, REVIEW or REJECT, with reasons.\n\n"
                       "commands:\n");
    for (int i = 0; i < CMPD_CMD_COUNT; i++) {
        if (cmpd_commands[i].built)
            cmpd_buf_printf(out, "  %-8s %s\n", cmpd_commands[i].name, cmpd_commands[i].summary);
    }
    cmpd_buf_puts(out, "  help     say what a command takes\n"
                       "\nnot built yet:");
    for (int i = 0; i < CMPD_CMD_COUNT; i++) {
        if (!cmpd_commands[i].built)
            cmpd_buf_printf(out, " %s", cmpd_commands[i].name);
    }
    cmpd_buf_puts(out,
                  "\n\nexit status: 0 PASS, 1 REJECT, 2 REVIEW, 64 usage, 65 bad input, 66 no such "
                  "file,\n69 a service is missing, 70 a fault of cmpd, 74 input or output error\n");
}

cmpd_rc cmpd_option_number(const struct cmpd_options *opt, enum cmpd_option_id id, const char *name,
                           uint64_t *value, struct cmpd_err *err)
{
    const char *text = opt->value[id];
    char *end = NULL;
    if (!text)
        return CMPD_OK;
    unsigned long long v = strtoull(text, &end, 0);
    if (!*text || *end || *text == '-' || v > INT64_MAX)
        return cmpd_err_set(err, CMPD_EUSAGE, "--%s must be a whole number, not '%.40s'", name,
                            text);
    *value = v;
    return CMPD_OK;
}
