/*
 * The command line. options.def and commands.def are the one source of the
 * parser, --help, the man page's lists and the completions.
 */
#ifndef CMPD_BOT_OPTIONS_H
#define CMPD_BOT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"
#include "analysis/output/output.h"

enum cmpd_command_id {
#define COMMAND(id, built, synopsis, summary) CMPD_CMD_##id,
#include "bot/commands.def"
#undef COMMAND
    CMPD_CMD_COUNT
};

/* Bits that say which commands take an option. */
#define CMPD_FOR(id) (1u << CMPD_CMD_##id)

enum cmpd_option_id {
#define OPTION(id, name, arg, choices, def, commands, help) CMPD_OPT_##id,
#include "bot/options.def"
#undef OPTION
    CMPD_OPT_COUNT
};

struct cmpd_command {
    const char *name;
    bool built;           /* false: exits 64 and says so */
    const char *synopsis; /* what stands behind the name */
    const char *summary;
};

struct cmpd_option {
    const char *name;    /* long name without dashes */
    const char *arg;     /* name of its argument, NULL: a switch */
    const char *choices; /* "a|b|c", NULL: anything */
    const char *def;     /* default, NULL: none */
    unsigned commands;   /* CMPD_FOR bits */
    const char *help;    /* one sentence */
};

extern const struct cmpd_command cmpd_commands[CMPD_CMD_COUNT];
extern const struct cmpd_option cmpd_options_table[CMPD_OPT_COUNT];

struct cmpd_options {
    enum cmpd_command_id command;
    /* What was given or the default, NULL without either; borrowed from argv. A switch that was given is "". */
    const char *value[CMPD_OPT_COUNT];
    bool given[CMPD_OPT_COUNT];
    char **args; /* positional arguments, in order; borrowed from argv, the array is owned */
    size_t arg_count;
    bool help; /* --help was given: print cmpd_command_help() and exit 0 */
    /* Check and review, from the values above: */
    const struct cmpd_output_ops *format;
    bool static_only; /* --track static */
    bool fail_on_reject;
    unsigned jobs; /* at least 1 */
};

/*
 * argv[0] is the command's name. CMPD_EUSAGE names the option and what it takes. *out is usable (format at least) in
 * every case; free it with cmpd_options_clear.
 */
cmpd_rc cmpd_options_parse(enum cmpd_command_id command, int argc, char **argv,
                           struct cmpd_options *out, struct cmpd_err *err);
void cmpd_options_clear(struct cmpd_options *opt);

/* An option's whole number; not given: *value stays. CMPD_EUSAGE names the option (by `name`) and what was given. */
cmpd_rc cmpd_option_number(const struct cmpd_options *opt, enum cmpd_option_id id, const char *name,
                           uint64_t *value, struct cmpd_err *err);

void cmpd_command_help(enum cmpd_command_id command, struct cmpd_buf *out);
void cmpd_general_help(struct cmpd_buf *out);

#endif
