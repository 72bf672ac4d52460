#include "analysis/verdict/clean.h"

#include <string.h>

#include "analysis/base/alloc.h"

static void say(struct cmpd_file_result *r, const char *sentence)
{
    CMPD_GROW(r->clean.items, r->clean.count + 1, r->clean.cap);
    r->clean.items[r->clean.count++] = cmpd_strdup(sentence);
}

/* Has a rule nothing to say, not even in a note? */
static bool silent(const struct cmpd_file_result *r, const char *rule)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        if (strcmp(cmpd_tag_info(r->findings.items[i].tag)->rule, rule) == 0)
            return false;
    }
    return true;
}

void cmpd_clean_remarks(const struct cmpd_check *check, struct cmpd_file_result *r)
{
    if (check->scan->count[CMPD_SCAN_GLOBAL_FN] == 0 && r->kernel_count == 0) {
        say(r, "no kernels.");
        return;
    }
    if (silent(r, "api"))
        say(r, "API blacklist: none.");
    if (silent(r, "shared_memory") && silent(r, "sync"))
        say(r, "shared memory check: none.");
}
