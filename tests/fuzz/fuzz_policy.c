/* The policy reader over any bytes: no fault, and what it accepts holds what it promises. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/jsonpos.h"
#include "analysis/verdict/policy.h"
#include "analysis/verdict/policy_keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_toolkits(const struct cmpd_nvcc *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert(list[i].path && list[i].path[0] == '/');
        assert(list[i].std && list[i].arch && list[i].opt);
        assert(list[i].timeout_s >= 1 && list[i].memory_mib >= 256);
        for (size_t k = 0; k < list[i].flags.count; k++)
            assert(cmpd_nvcc_flag_ok(list[i].flags.items[k]));
    }
}

static void check_policy(const struct cmpd_policy *p)
{
    assert(p->nvcc_count >= 1);
    assert(p->perf_ratio > 0 && p->perf_runs >= 3 && p->template_limit >= 1);
    check_toolkits(p->nvcc, p->nvcc_count);
    for (size_t i = 0; i < p->kernel_count; i++) {
        assert(p->kernels[i].path && p->kernels[i].path[0] != '/');
        check_toolkits(p->kernels[i].nvcc, p->kernels[i].nvcc_count);
    }
    for (int t = 0; t < CMPD_TAG_COUNT; t++) {
        enum cmpd_tier top = cmpd_tag_info((enum cmpd_tag)t)->tier;
        if (cmpd_tag_info((enum cmpd_tag)t)->fixed)
            assert(cmpd_policy_tier(p, (enum cmpd_tag)t, top) == top);
    }
    cmpd_policy_kernel(p, "kernels/a.cu");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct cmpd_json_step steps[] = {
        {"policy", 0}, {"nvcc", 0}, {NULL, 1}, {"arch", 0}};
    struct cmpd_policy *p = NULL;
    struct cmpd_err err = {0};
    struct cmpd_json_pos pos;
    cmpd_rc rc = cmpd_policy_parse((const char *)data, size, "cmpd.json", &p, &err);
    if (rc == CMPD_OK) {
        check_policy(p);
        cmpd_json_locate((const char *)data, size, steps, 4, true, &pos);
        assert(pos.line >= 1 && pos.column >= 1);
    } else {
        assert(!p && err.rc == rc && err.msg[0]);
    }
    cmpd_policy_free(p);
    return 0;
}
