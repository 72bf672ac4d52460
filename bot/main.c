/* The front door: finds the command and runs it. */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/nearest.h"
#include "analysis/base/version.h"
#include "bot/commands.h"
#include "bot/judge.h"
#include "bot/options.h"

static int (*const RUN[CMPD_CMD_COUNT])(int, char **) = {
    [CMPD_CMD_check] = cmpd_cmd_check,   [CMPD_CMD_review] = cmpd_cmd_review,
    [CMPD_CMD_rules] = cmpd_cmd_rules,   [CMPD_CMD_explain] = cmpd_cmd_explain,
    [CMPD_CMD_doctor] = cmpd_cmd_doctor, [CMPD_CMD_init] = cmpd_cmd_init,
    [CMPD_CMD_replay] = cmpd_cmd_replay, [CMPD_CMD_run] = cmpd_cmd_run,
};

static int find_command(const char *name)
{
    for (int i = 0; i < CMPD_CMD_COUNT; i++) {
        if (strcmp(cmpd_commands[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* A usage error before any command is known; --format json is honoured here too. */
static int usage_error(int argc, char **argv, struct cmpd_err *err)
{
    struct cmpd_options opt;
    cmpd_options_parse(CMPD_CMD_check, argc, argv, &opt, NULL);
    int status = cmpd_fail(&opt, err);
    cmpd_options_clear(&opt);
    return status;
}

static int unknown_command(int argc, char **argv)
{
    const char *names[CMPD_CMD_COUNT];
    for (int i = 0; i < CMPD_CMD_COUNT; i++)
        names[i] = cmpd_commands[i].name;
    const char *near = cmpd_nearest(argv[1], names, CMPD_CMD_COUNT);
    struct cmpd_err err;
    if (near)
        cmpd_err_set(&err, CMPD_EUSAGE, "no command '%.64s'; did you mean '%s'?", argv[1], near);
    else
        cmpd_err_set(&err, CMPD_EUSAGE, "no command '%.64s' (see cmpd help)", argv[1]);
    return usage_error(argc - 1, argv + 1, &err);
}

static int show_help(int argc, char **argv)
{
    struct cmpd_buf text = CMPD_BUF_INIT;
    int command = argc > 2 ? find_command(argv[2]) : -1;
    if (argc > 2 && command < 0)
        return unknown_command(argc - 1, argv + 1);
    if (argc > 2)
        cmpd_command_help((enum cmpd_command_id)command, &text);
    else
        cmpd_general_help(&text);
    return cmpd_print_take(&text);
}

static int run_command(int argc, char **argv)
{
    int command = find_command(argv[1]);
    if (command < 0)
        return unknown_command(argc, argv);
    if (RUN[command])
        return RUN[command](argc - 1, argv + 1);
    if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0))
        return show_help(3, (char *[]){argv[0], argv[1], argv[1], NULL});
    struct cmpd_err err;
    cmpd_err_set(&err, CMPD_EUSAGE, "the command '%s' is not built yet", argv[1]);
    return usage_error(argc - 1, argv + 1, &err);
}

/* Descriptors 0 to 2 must be open, or a file that is opened later would be taken for one of them. */
static void hold_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd ? O_WRONLY : O_RDONLY);
    }
}

/* File after file takes and gives back the same megabytes: handing them to the system in between costs a third of the time. */
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

int main(int argc, char **argv)
{
    keep_memory();
    hold_standard_descriptors();
    if (argc < 2) {
        struct cmpd_err err;
        cmpd_err_set(&err, CMPD_EUSAGE, "which command? (see cmpd help)");
        return cmpd_fail(NULL, &err);
    }
    if (strcmp(argv[1], "--version") == 0) {
        struct cmpd_buf text = CMPD_BUF_INIT;
        cmpd_buf_printf(&text, "cmpd %s\n", cmpd_version());
        return cmpd_print_take(&text);
    }
    if (strcmp(argv[1], "help") == 0)
        return show_help(argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return show_help(2, argv);
    return run_command(argc, argv);
}
