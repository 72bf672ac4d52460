/*
 * Writes what documents the command line, from the same tables as the parser: the man page's lists
 * and the completions of bash, zsh and fish.
 *
 *   docgen man TEMPLATE   the template with @VERSION@, @COMMANDS@, @OPTIONS@ and @TAGS@ filled in,
 *                         each alone on its line (but @VERSION@)
 *   docgen man5 TEMPLATE  the template with @VERSION@ and @KEYS@ (the keys of cmpd.json) filled in
 *   docgen defaults       a cmpd.json that states every default (config/default.json)
 *   docgen schema         the JSON Schema of cmpd.json (config/schema/policy.schema.json)
 *   docgen bash|zsh|fish
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/version.h"
#include "config/policy_schema.h"

enum command_id {
#define COMMAND(id, built, synopsis, summary) CMD_##id,
#include "bot/commands.def"
#undef COMMAND
    CMD_COUNT
};

struct command {
    const char *name;
    bool built;
    const char *synopsis;
    const char *summary;
};

static const struct command g_commands[] = {
#define COMMAND(id, built, synopsis, summary) {#id, built, synopsis, summary},
#include "bot/commands.def"
#undef COMMAND
};

struct option {
    const char *name;
    const char *arg;
    const char *choices;
    const char *def;
    unsigned commands;
    const char *help;
};

#define CMPD_FOR(id) (1u << CMD_##id)

static const struct option g_options[] = {
#define OPTION(id, name, arg, choices, def, commands, help) \
    {name, arg, choices, def, commands, help},
#include "bot/options.def"
#undef OPTION
};

struct tag {
    const char *name;
    const char *summary;
};

static const struct tag g_tags[] = {
#define TAG(name, rule, tier, fixed, summary) {#name, summary},
#include "analysis/verdict/tags.def"
#undef TAG
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static bool takes(unsigned command, const struct option *option)
{
    return g_commands[command].built && (option->commands & (1u << command)) != 0;
}

static bool takes_files(const char *synopsis)
{
    return strncmp(synopsis, "FILE", 4) == 0;
}

static bool takes_folder(const char *synopsis)
{
    return strstr(synopsis, "[DIR]") != NULL;
}

/* "a|b|c" with another separator. */
static void put_choices(const char *choices, const char *separator)
{
    for (const char *p = choices; *p; p++) {
        if (*p == '|')
            fputs(separator, stdout);
        else
            putchar(*p);
    }
}

/* ---- man ---- */

static void put_roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (const char *p = text; *p; p++) {
        if (*p == '-')
            fputs("\\-", stdout);
        else if (*p == '\\')
            fputs("\\e", stdout);
        else
            putchar(*p);
    }
}

static void man_commands(void)
{
    for (size_t i = 0; i < COUNT(g_commands); i++) {
        if (!g_commands[i].built)
            continue;
        printf(".TP\n.B cmpd %s \\fR", g_commands[i].name);
        put_roff(g_commands[i].synopsis);
        putchar('\n');
        put_roff(g_commands[i].summary);
        fputs(".\n", stdout);
    }
}

static void man_option(const struct option *option)
{
    const char *separator = "";

    printf(".TP\n.BI \\-\\-");
    put_roff(option->name);
    if (option->arg)
        printf(" \" %s\"", option->arg);
    putchar('\n');
    put_roff(option->help);
    if (option->choices) {
        fputs("; one of ", stdout);
        put_choices(option->choices, ", ");
    }
    if (option->def)
        printf(" (default: %s)", option->def);
    fputs(".\nTaken by: ", stdout);
    for (unsigned c = 0; c < CMD_COUNT; c++) {
        if (takes(c, option)) {
            printf("%s%s", separator, g_commands[c].name);
            separator = ", ";
        }
    }
    fputs(".\n", stdout);
}

static void man_tags(void)
{
    for (size_t i = 0; i < COUNT(g_tags); i++) {
        printf(".TP\n.B %s\n", g_tags[i].name);
        put_roff(g_tags[i].summary);
        fputs(".\n", stdout);
    }
}

static int print_with(void (*append)(struct cmpd_buf *))
{
    struct cmpd_buf text = CMPD_BUF_INIT;
    append(&text);
    fputs(cmpd_buf_str(&text), stdout);
    cmpd_buf_clear(&text);
    return 0;
}

static void man_line(const char *line)
{
    static const char version[] = "@VERSION@";
    const char *at = strstr(line, version);

    if (strcmp(line, "@COMMANDS@\n") == 0) {
        man_commands();
    } else if (strcmp(line, "@OPTIONS@\n") == 0) {
        for (size_t i = 0; i < COUNT(g_options); i++)
            man_option(&g_options[i]);
    } else if (strcmp(line, "@TAGS@\n") == 0) {
        man_tags();
    } else if (strcmp(line, "@KEYS@\n") == 0) {
        print_with(cmpd_policy_man);
    } else if (at) {
        printf("%.*s%s%s", (int)(at - line), line, cmpd_version(), at + sizeof(version) - 1);
    } else {
        fputs(line, stdout);
    }
}

static int write_man(const char *template)
{
    char line[1024];
    FILE *in = fopen(template, "r");

    if (!in) {
        perror(template);
        return 1;
    }
    while (fgets(line, sizeof(line), in))
        man_line(line);
    int rc = ferror(in) ? 1 : 0;
    fclose(in);
    return rc;
}

/* ---- bash ---- */

static void bash_options_of(unsigned command)
{
    printf("    %s) options='", g_commands[command].name);
    for (size_t i = 0; i < COUNT(g_options); i++) {
        if (takes(command, &g_options[i]))
            printf("--%s ", g_options[i].name);
    }
    fputs("' ;;\n", stdout);
}

static void bash_values_of(unsigned command)
{
    for (size_t i = 0; i < COUNT(g_options); i++) {
        const struct option *option = &g_options[i];
        if (!takes(command, option) || !option->arg)
            continue;
        printf("    %s:--%s) ", g_commands[command].name, option->name);
        if (option->choices) {
            fputs("words='", stdout);
            put_choices(option->choices, " ");
            fputs("' ;;\n", stdout);
        } else if (strcmp(option->arg, "FILE") == 0 || strcmp(option->arg, "PATH") == 0) {
            fputs("kind=path ;;\n", stdout);
        } else if (strcmp(option->arg, "DIR") == 0) {
            fputs("kind=folder ;;\n", stdout);
        } else if (strcmp(option->arg, "REV") == 0) {
            fputs("kind=revision ;;\n", stdout);
        } else {
            fputs("kind=none ;;\n", stdout);
        }
    }
}

static void bash_arguments(void)
{
    for (unsigned c = 0; c < CMD_COUNT; c++) {
        if (!g_commands[c].built)
            continue;
        if (takes_files(g_commands[c].synopsis))
            printf("    %s) kind=source ;;\n", g_commands[c].name);
        else if (takes_folder(g_commands[c].synopsis))
            printf("    %s) kind=folder ;;\n", g_commands[c].name);
        else if (strcmp(g_commands[c].synopsis, "TAG") == 0)
            printf("    %s) words=$tags ;;\n", g_commands[c].name);
    }
}

static void bash_head(void)
{
    fputs("# bash completion for cmpd; made from the tables of its command line.\n\n"
          "_cmpd() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} commands='",
          stdout);
    for (size_t i = 0; i < COUNT(g_commands); i++) {
        if (g_commands[i].built)
            printf("%s ", g_commands[i].name);
    }
    fputs("' tags='", stdout);
    for (size_t i = 0; i < COUNT(g_tags); i++)
        printf("%s ", g_tags[i].name);
    fputs(
        "'\n"
        "    local options='' words='' kind=''\n\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$current\")\n"
        "        return\n"
        "    fi\n",
        stdout);
}

static int write_bash(void)
{
    bash_head();
    fputs("    case $command in\n", stdout);
    for (unsigned c = 0; c < CMD_COUNT; c++) {
        if (g_commands[c].built)
            bash_options_of(c);
    }
    fputs("    esac\n    case $command:$before in\n", stdout);
    for (unsigned c = 0; c < CMD_COUNT; c++)
        bash_values_of(c);
    fputs("    esac\n"
          "    if [ -z \"$words$kind\" ]; then\n"
          "        if [ \"${current:0:1}\" = - ]; then\n"
          "            words=$options\n"
          "        else\n"
          "            case $command in\n",
          stdout);
    bash_arguments();
    fputs(
        "            esac\n"
        "        fi\n"
        "    fi\n"
        "    case $kind in\n"
        "    path) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
        "    folder) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
        "    source)\n"
        "        compopt -o filenames\n"
        "        mapfile -t COMPREPLY < <(compgen -f -X '!*.cu' -- \"$current\"\n"
        "            compgen -f -X '!*.cuh' -- \"$current\"\n"
        "            compgen -d -- \"$current\")\n"
        "        ;;\n"
        "    revision)\n"
        "        words=$(git for-each-ref --format='%(refname:short)' 2>/dev/null)\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$words HEAD\" -- \"$current\")\n"
        "        ;;\n"
        "    none) ;;\n"
        "    *) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
        "    esac\n"
        "}\n\n"
        "complete -F _cmpd cmpd\n",
        stdout);
    return 0;
}

/* ---- zsh ---- */

/* Text inside single quotes within a spec of _arguments or _describe. */
static void put_zsh(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\'')
            fputs("'\\''", stdout);
        else if (*p == ':' || *p == '[' || *p == ']' || *p == '\\')
            printf("\\%c", *p);
        else
            putchar(*p);
    }
}

static void zsh_option(const struct option *option)
{
    printf("            '--%s[", option->name);
    put_zsh(option->help);
    putchar(']');
    if (option->arg) {
        printf(":%s:", option->arg);
        if (option->choices) {
            putchar('(');
            put_choices(option->choices, " ");
            putchar(')');
        } else if (strcmp(option->arg, "FILE") == 0 || strcmp(option->arg, "PATH") == 0) {
            fputs("_files", stdout);
        } else if (strcmp(option->arg, "DIR") == 0) {
            fputs("_files -/", stdout);
        }
    }
    fputs("' \\\n", stdout);
}

static void zsh_command(unsigned command)
{
    printf("    %s)\n        _arguments \\\n", g_commands[command].name);
    for (size_t i = 0; i < COUNT(g_options); i++) {
        if (takes(command, &g_options[i]))
            zsh_option(&g_options[i]);
    }
    if (takes_files(g_commands[command].synopsis)) {
        fputs("            '*:file:_files -g \"*.(cu|cuh)(-.)\"'\n", stdout);
    } else if (takes_folder(g_commands[command].synopsis)) {
        fputs("            '1:folder:_files -/'\n", stdout);
    } else if (strcmp(g_commands[command].synopsis, "TAG") == 0) {
        fputs("            '1:tag:(", stdout);
        for (size_t i = 0; i < COUNT(g_tags); i++)
            printf("%s ", g_tags[i].name);
        fputs(")'\n", stdout);
    } else {
        fputs("            && return\n", stdout);
    }
    fputs("        ;;\n", stdout);
}

static int write_zsh(void)
{
    fputs("#compdef cmpd\n# zsh completion for cmpd; made from the tables of its command line.\n\n"
          "local -a commands\ncommands=(\n",
          stdout);
    for (size_t i = 0; i < COUNT(g_commands); i++) {
        if (!g_commands[i].built)
            continue;
        printf("    '%s:", g_commands[i].name);
        put_zsh(g_commands[i].summary);
        fputs("'\n", stdout);
    }
    fputs(")\n\nif (( CURRENT == 2 )); then\n"
          "    _describe -t commands 'cmpd command' commands\n    return\nfi\n"
          "shift words\n(( CURRENT-- ))\ncase $words[1] in\n",
          stdout);
    for (unsigned c = 0; c < CMD_COUNT; c++) {
        if (g_commands[c].built)
            zsh_command(c);
    }
    fputs("esac\n", stdout);
    return 0;
}

/* ---- fish ---- */

static void put_fish(const char *text)
{
    putchar('\'');
    for (const char *p = text; *p; p++) {
        if (*p == '\'' || *p == '\\')
            putchar('\\');
        putchar(*p);
    }
    putchar('\'');
}

static void fish_option(unsigned command, const struct option *option)
{
    printf("complete -c cmpd -n '__fish_seen_subcommand_from %s' -l %s", g_commands[command].name,
           option->name);
    if (option->choices) {
        fputs(" -x -a '", stdout);
        put_choices(option->choices, " ");
        putchar('\'');
    } else if (option->arg) {
        fputs(" -r", stdout);
    }
    fputs(" -d ", stdout);
    put_fish(option->help);
    putchar('\n');
}

static int write_fish(void)
{
    fputs("# fish completion for cmpd; made from the tables of its command line.\n", stdout);
    for (unsigned c = 0; c < CMD_COUNT; c++) {
        if (!g_commands[c].built)
            continue;
        printf("complete -c cmpd -n __fish_use_subcommand -f -a %s -d ", g_commands[c].name);
        put_fish(g_commands[c].summary);
        putchar('\n');
        for (size_t i = 0; i < COUNT(g_options); i++) {
            if (takes(c, &g_options[i]))
                fish_option(c, &g_options[i]);
        }
        if (strcmp(g_commands[c].synopsis, "TAG") == 0) {
            printf("complete -c cmpd -n '__fish_seen_subcommand_from %s' -f -a '",
                   g_commands[c].name);
            for (size_t i = 0; i < COUNT(g_tags); i++)
                printf("%s ", g_tags[i].name);
            fputs("'\n", stdout);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    int rc = 64;

    if (argc == 3 && (strcmp(argv[1], "man") == 0 || strcmp(argv[1], "man5") == 0))
        rc = write_man(argv[2]);
    else if (argc == 2 && strcmp(argv[1], "defaults") == 0)
        rc = print_with(cmpd_policy_defaults);
    else if (argc == 2 && strcmp(argv[1], "schema") == 0)
        rc = print_with(cmpd_policy_schema);
    else if (argc == 2 && strcmp(argv[1], "bash") == 0)
        rc = write_bash();
    else if (argc == 2 && strcmp(argv[1], "zsh") == 0)
        rc = write_zsh();
    else if (argc == 2 && strcmp(argv[1], "fish") == 0)
        rc = write_fish();
    else
        fputs(
            "usage: docgen man TEMPLATE | man5 TEMPLATE | defaults | schema | bash | zsh | fish\n",
            stderr);
    if (fflush(stdout) != 0 || ferror(stdout))
        rc = 74;
    return rc;
}
