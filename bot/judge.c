#include "bot/judge.h"

#include <string.h>

#include "analysis/base/alloc.h"
#include "rules/table.h"

struct cmpd_file_result *cmpd_judge_static_take(const struct cmpd_judge *judge,
                                                struct cmpd_source *src)
{
    struct cmpd_file_result *r = cmpd_check_static(src, judge->policy, cmpd_ruleset());
    r->source = src;
    r->scope_static = judge->opt->static_only;
    return r;
}

static void skip(struct cmpd_file_result *r, const char *why)
{
    free(r->dynamic.why);
    r->dynamic.status = CMPD_DYNAMIC_SKIPPED;
    r->dynamic.why = cmpd_strdup(why);
}

void cmpd_judge_dynamic(const struct cmpd_judge *judge, struct cmpd_file_result *r,
                        const char *rel_path)
{
    (void)rel_path;
    if (r->error.rc != CMPD_OK)
        skip(r, "the file could not be judged");
    else if (r->scope_static)
        skip(r, "--track static");
    else if (cmpd_findings_verdict(&r->findings) == CMPD_REJECT)
        skip(r, "static track rejected");
    else {
        r->dynamic.status = CMPD_DYNAMIC_UNAVAILABLE;
        r->dynamic.why = cmpd_strdup("the stages behind compiling are not built yet");
        cmpd_file_result_add(r, judge->policy, CMPD_TAG_runner_unavailable, CMPD_TIER_REVIEW, 0, 0,
                             "the kernel was not run: the stages behind compiling are not built yet");
    }
    cmpd_file_result_settle(r, judge->policy);
}
