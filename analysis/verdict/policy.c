#include "analysis/verdict/policy.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/verdict/glob.h"
#include "analysis/verdict/policy_keys.h"

static void clear_strings(struct cmpd_strings *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->items[i]);
    free(s->items);
}

static void free_nvcc(struct cmpd_nvcc *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].path);
        free(list[i].std);
        free(list[i].arch);
        free(list[i].opt);
        clear_strings(&list[i].include);
        clear_strings(&list[i].define);
        clear_strings(&list[i].flags);
    }
    free(list);
}

static void clear_kernel(struct cmpd_kernel_policy *k)
{
    free(k->path);
    free(k->op);
    free(k->entry);
    free(k->dtype);
    free(k->baseline);
    clear_strings(&k->args);
    free(k->cases_json);
    free(k->tolerance_json);
    free(k->grid);
    free(k->block);
    free(k->shared);
    free(k->reference_file);
    free(k->reference_command);
    free_nvcc(k->nvcc, k->nvcc_count);
}

void cmpd_policy_free(struct cmpd_policy *p)
{
    if (!p)
        return;
    free(p->origin);
    for (size_t i = 0; i < p->kernel_count; i++)
        clear_kernel(&p->kernels[i]);
    free(p->kernels);
    clear_strings(&p->exempt);
    clear_strings(&p->api_allow);
    clear_strings(&p->api_deny);
    free_nvcc(p->nvcc, p->nvcc_count);
    free(p);
}

struct cmpd_policy *cmpd_policy_new(void)
{
    json_t *empty = json_object();
    struct cmpd_policy *p = cmpd_policy_read(empty, NULL);
    json_decref(empty);
    return p;
}

static json_t *load(const char *text, size_t len, const char *origin, struct cmpd_err *err)
{
    json_error_t at;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &at);
    if (!root && len == 0)
        cmpd_err_set(err, CMPD_EINPUT, "%s:1:1: the policy is empty; write at least {}", origin);
    else if (!root)
        cmpd_err_set(err, CMPD_EINPUT, "%s:%d:%d: not valid JSON: %s", origin, at.line,
                     at.column > 0 ? at.column : 1, at.text);
    return root;
}

cmpd_rc cmpd_policy_parse(const char *text, size_t len, const char *origin,
                          struct cmpd_policy **out, struct cmpd_err *err)
{
    if (len > CMPD_POLICY_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT, "%s has %zu bytes; a policy has at most %zu", origin,
                            len, CMPD_POLICY_CEILING_BYTES);
    json_t *root = load(text, len, origin, err);
    if (!root)
        return CMPD_EINPUT;
    cmpd_rc rc = cmpd_policy_check(root, text, len, origin, err);
    if (rc == CMPD_OK)
        *out = cmpd_policy_read(root, origin);
    json_decref(root);
    return rc;
}

enum cmpd_tier cmpd_policy_tier(const struct cmpd_policy *p, enum cmpd_tag tag,
                                enum cmpd_tier proven)
{
    enum cmpd_tier top = cmpd_tag_info(tag)->tier;
    if (!p->has_tier[tag])
        return proven;
    enum cmpd_tier moved = p->tiers[tag];
    /* Raised: only what the rule was sure of; a doubt does not become a verdict. */
    if (moved > top)
        return proven >= top ? moved : proven;
    return proven < moved ? proven : moved;
}

const struct cmpd_kernel_policy *cmpd_policy_kernel(const struct cmpd_policy *p, const char *path)
{
    for (size_t i = p->kernel_count; i > 0; i--) {
        if (cmpd_glob_match(p->kernels[i - 1].path, path))
            return &p->kernels[i - 1];
    }
    return NULL;
}
