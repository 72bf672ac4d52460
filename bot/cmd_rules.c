/* cmpd rules: the table of reason tags. */
#include <jansson.h>
#include <string.h>

#include "bot/commands.h"
#include "bot/judge.h"
#include "rules/table.h"

/* The deepest layer that the tag's rule needs to prove a fault; NULL: no rule of the static track. */
static const char *layer_of(const struct cmpd_tag_info *info)
{
    static const char *const names[] = {"scan", "lex", "ast"};
    const struct cmpd_ruleset *set = cmpd_ruleset();
    const char *found = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const char *name = set->rules[i]->name;
        size_t n = strlen(info->rule);
        /* A rule may be split over files: "api_names" and "api_device" report for "api". */
        if (strncmp(name, info->rule, n) == 0 && (name[n] == '\0' || name[n] == '_'))
            found = names[set->rules[i]->layer];
    }
    return found;
}

static void put_text(struct cmpd_buf *out)
{
    cmpd_buf_printf(out, "%-34s %-16s %-7s %-5s %s\n", "tag", "rule or stage", "tier", "layer",
                    "meaning");
    for (int t = 0; t < CMPD_TAG_COUNT; t++) {
        const struct cmpd_tag_info *info = cmpd_tag_info((enum cmpd_tag)t);
        const char *layer = layer_of(info);
        cmpd_buf_printf(out, "%-34s %-16s %-7s %-5s %s%s\n", info->name, info->rule,
                        cmpd_tier_name(info->tier), layer ? layer : "-", info->summary,
                        info->fixed ? " (can't be lowered)" : "");
    }
}

static void put_json(struct cmpd_buf *out)
{
    json_t *list = json_array();
    for (int t = 0; t < CMPD_TAG_COUNT; t++) {
        const struct cmpd_tag_info *info = cmpd_tag_info((enum cmpd_tag)t);
        const char *layer = layer_of(info);
        json_t *o = json_pack("{ss ss ss sb ss}", "reason", info->name, "rule", info->rule, "tier",
                              cmpd_tier_name(info->tier), "fixed", info->fixed, "summary",
                              info->summary);
        if (layer)
            json_object_set_new(o, "layer", json_string(layer));
        json_array_append_new(list, o);
    }
    json_t *root = json_pack("{ss so}", "schema", "cmpd.rules.v1", "rules", list);
    char *text = json_dumps(root, JSON_INDENT(2));
    cmpd_buf_puts(out, text);
    cmpd_buf_putc(out, '\n');
    free(text);
    json_decref(root);
}

int cmpd_cmd_rules(int argc, char **argv)
{
    struct cmpd_options opt;
    struct cmpd_err err = {0};
    struct cmpd_buf out = CMPD_BUF_INIT;
    int status;
    cmpd_rc rc = cmpd_options_parse(CMPD_CMD_rules, argc, argv, &opt, &err);
    if (rc == CMPD_OK && !opt.help && opt.arg_count)
        rc = cmpd_err_set(&err, CMPD_EUSAGE,
                          "cmpd rules takes no argument; cmpd explain TAG tells of one tag");
    if (rc) {
        status = cmpd_fail(&opt, &err);
    } else if (opt.help) {
        status = cmpd_print_help(CMPD_CMD_rules);
    } else {
        if (strcmp(opt.value[CMPD_OPT_list_format], "json") == 0)
            put_json(&out);
        else
            put_text(&out);
        status = cmpd_print_take(&out);
    }
    cmpd_options_clear(&opt);
    return status;
}
