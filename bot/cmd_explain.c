/* cmpd explain TAG: the tag's page. */
#include <string.h>

#include "analysis/base/datadir.h"
#include "analysis/base/file.h"
#include "analysis/base/nearest.h"
#include "bot/commands.h"
#include "bot/judge.h"

#define PAGE_CEILING ((size_t)256 << 10)

static cmpd_rc unknown_tag(const char *typed, struct cmpd_err *err)
{
    const char *names[CMPD_TAG_COUNT];
    for (int t = 0; t < CMPD_TAG_COUNT; t++)
        names[t] = cmpd_tag_info((enum cmpd_tag)t)->name;
    const char *near = cmpd_nearest(typed, names, CMPD_TAG_COUNT);
    if (near)
        return cmpd_err_set(err, CMPD_EUSAGE, "no reason tag '%.64s'; did you mean '%s'?", typed,
                            near);
    return cmpd_err_set(err, CMPD_EUSAGE, "no reason tag '%.64s' (cmpd rules lists them)", typed);
}

static cmpd_rc load(const struct cmpd_options *opt, struct cmpd_buf *page, struct cmpd_err *err)
{
    enum cmpd_tag tag;
    if (opt->arg_count != 1)
        return cmpd_err_set(err, CMPD_EUSAGE, "cmpd explain needs one TAG (cmpd rules lists them)");
    if (!cmpd_tag_find(opt->args[0], &tag))
        return unknown_tag(opt->args[0], err);
    char name[128];
    snprintf(name, sizeof name, "rules/docs/%s.md", cmpd_tag_info(tag)->name);
    CMPD_BUF_AUTO struct cmpd_buf path = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_datadir_path(name, &path, err);
    if (rc)
        return rc;
    return cmpd_file_read(cmpd_buf_str(&path), PAGE_CEILING, page, err);
}

int cmpd_cmd_explain(int argc, char **argv)
{
    struct cmpd_options opt;
    struct cmpd_err err = {0};
    struct cmpd_buf page = CMPD_BUF_INIT;
    int status;
    cmpd_rc rc = cmpd_options_parse(CMPD_CMD_explain, argc, argv, &opt, &err);
    if (rc == CMPD_OK && opt.help)
        status = cmpd_print_help(CMPD_CMD_explain);
    else if (rc || load(&opt, &page, &err) != CMPD_OK)
        status = cmpd_fail(&opt, &err);
    else
        status = cmpd_print_take(&page);
    cmpd_buf_clear(&page);
    cmpd_options_clear(&opt);
    return status;
}
