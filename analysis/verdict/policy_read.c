/* From a checked cmpd.json to struct cmpd_policy; defaults come from the key table. */
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/verdict/policy_keys.h"

static const struct cmpd_key *row(const char *path)
{
    size_t count;
    const struct cmpd_key *keys = cmpd_policy_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, path) == 0)
            return &keys[i];
    }
    return NULL;
}

/* The member, else the default that the table gives at `path`; the caller drops the reference. */
static json_t *value_of(const json_t *object, const char *name, const char *path)
{
    json_t *v = json_object_get(object, name);
    if (v)
        return json_incref(v);
    const struct cmpd_key *k = row(path);
    return k && k->def[0] ? json_loads(k->def, JSON_DECODE_ANY, NULL) : NULL;
}

static char *get_string(const json_t *object, const char *name, const char *path)
{
    json_t *v = value_of(object, name, path);
    char *s = cmpd_strdup(json_string_value(v));
    json_decref(v);
    return s;
}

static struct cmpd_strings get_strings(const json_t *object, const char *name, const char *path)
{
    struct cmpd_strings out = {0};
    json_t *v = value_of(object, name, path);
    for (size_t i = 0; i < json_array_size(v); i++) {
        CMPD_GROW(out.items, out.count + 1, out.cap);
        out.items[out.count++] = cmpd_strdup(json_string_value(json_array_get(v, i)));
    }
    json_decref(v);
    return out;
}

static double get_number(const json_t *object, const char *name, const char *path)
{
    json_t *v = value_of(object, name, path);
    double x = json_number_value(v);
    json_decref(v);
    return x;
}

static bool get_bool(const json_t *object, const char *name, const char *path)
{
    json_t *v = value_of(object, name, path);
    bool b = json_is_true(v);
    json_decref(v);
    return b;
}

static char *get_json(const json_t *object, const char *name)
{
    json_t *v = json_object_get(object, name);
    return v ? json_dumps(v, JSON_COMPACT) : NULL;
}

/* An object over the one it inherits from: members of `own` win. */
static struct cmpd_nvcc read_nvcc(const json_t *own, const json_t *parent)
{
    json_t *o = parent ? json_copy((json_t *)parent) : json_object();
    if (own)
        json_object_update(o, (json_t *)own);
    struct cmpd_nvcc n = {
        .path = get_string(o, "path", "policy.nvcc.path"),
        .std = get_string(o, "std", "policy.nvcc.std"),
        .arch = get_string(o, "arch", "policy.nvcc.arch"),
        .opt = get_string(o, "opt", "policy.nvcc.opt"),
        .include = get_strings(o, "include", "policy.nvcc.include"),
        .define = get_strings(o, "define", "policy.nvcc.define"),
        .flags = get_strings(o, "flags", "policy.nvcc.flags"),
        .rdc = get_bool(o, "rdc", "policy.nvcc.rdc"),
        .timeout_s = (uint32_t)get_number(o, "timeout_s", "policy.nvcc.timeout_s"),
        .memory_mib = (uint32_t)get_number(o, "memory_mib", "policy.nvcc.memory_mib"),
    };
    json_decref(o);
    return n;
}

/* One toolkit or several; `parent` is what single toolkits inherit from. */
static struct cmpd_nvcc *read_toolkits(const json_t *v, const json_t *parent, size_t *count)
{
    size_t n = json_is_array(v) ? json_array_size(v) : 1;
    struct cmpd_nvcc *list = cmpd_calloc(n, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = read_nvcc(json_is_array(v) ? json_array_get(v, i) : v, parent);
    *count = n;
    return list;
}

static struct cmpd_kernel_policy read_kernel(const json_t *o, const json_t *toolkits)
{
    struct cmpd_kernel_policy k = {
        .path = get_string(o, "path", ""),
        .op = get_string(o, "op", ""),
        .entry = get_string(o, "entry", ""),
        .dtype = get_string(o, "dtype", ""),
        .baseline = get_string(o, "baseline", ""),
        .args = get_strings(o, "args", ""),
        .cases_json = get_json(o, "cases"),
        .tolerance_json = get_json(o, "tolerance"),
    };
    const json_t *launch = json_object_get(o, "launch");
    const json_t *reference = json_object_get(o, "reference");
    k.grid = get_string(launch, "grid", "");
    k.block = get_string(launch, "block", "");
    k.shared = get_string(launch, "shared", "");
    k.reference_file = get_string(reference, "file", "");
    k.reference_command = get_string(reference, "command", "");
    const json_t *own = json_object_get(o, "nvcc");
    const json_t *parent = json_is_array(toolkits) ? json_array_get(toolkits, 0) : toolkits;
    if (own)
        k.nvcc = read_toolkits(own, parent, &k.nvcc_count);
    return k;
}

static void read_kernels(struct cmpd_policy *p, const json_t *list, const json_t *toolkits)
{
    p->kernel_count = json_array_size(list);
    p->kernels = cmpd_calloc(p->kernel_count ? p->kernel_count : 1, sizeof *p->kernels);
    for (size_t i = 0; i < p->kernel_count; i++)
        p->kernels[i] = read_kernel(json_array_get(list, i), toolkits);
}

static void read_require(struct cmpd_policy *p, const json_t *policy)
{
    static const char *const names[CMPD_STAGE_COUNT] = {"static", "compile", "numeric", "memory",
                                                        "perf"};
    json_t *v = value_of(policy, "require", "policy.require");
    for (size_t i = 0; i < json_array_size(v); i++) {
        for (int s = 0; s < CMPD_STAGE_COUNT; s++) {
            if (strcmp(json_string_value(json_array_get(v, i)), names[s]) == 0)
                p->require[s] = true;
        }
    }
    json_decref(v);
}

static void read_tiers(struct cmpd_policy *p, const json_t *tiers)
{
    const char *name;
    json_t *tier;
    json_object_foreach((json_t *)tiers, name, tier)
    {
        enum cmpd_tag tag;
        if (cmpd_tag_find(name, &tag) && cmpd_tier_find(json_string_value(tier), &p->tiers[tag]))
            p->has_tier[tag] = true;
    }
}

static bool is_choice(const json_t *policy, const char *name, const char *path, const char *choice)
{
    char *s = get_string(policy, name, path);
    bool same = s && strcmp(s, choice) == 0;
    free(s);
    return same;
}

struct cmpd_policy *cmpd_policy_read(const json_t *root, const char *origin)
{
    struct cmpd_policy *p = cmpd_calloc(1, sizeof *p);
    const json_t *policy = json_object_get(root, "policy");
    const json_t *api = json_object_get(policy, "api");
    const json_t *nvcc = json_object_get(policy, "nvcc");
    p->origin = cmpd_strdup(origin);
    read_kernels(p, json_object_get(root, "kernels"), nvcc);
    read_require(p, policy);
    p->enforce = get_bool(policy, "enforce", "policy.enforce");
    p->perf_ratio = get_number(policy, "perf_ratio", "policy.perf_ratio");
    p->perf_runs = (uint32_t)get_number(policy, "perf_runs", "policy.perf_runs");
    read_tiers(p, json_object_get(policy, "tiers"));
    p->exempt = get_strings(policy, "exempt", "policy.exempt");
    p->api_allow = get_strings(api, "allow", "policy.api.allow");
    p->api_deny = get_strings(api, "deny", "policy.api.deny");
    p->template_limit = (uint32_t)get_number(policy, "template_limit", "policy.template_limit");
    p->preexisting = is_choice(policy, "preexisting", "policy.preexisting", "count")
                         ? CMPD_PREEXISTING_COUNT
                         : CMPD_PREEXISTING_NOTE;
    p->emulation_budget = (uint64_t)get_number(policy, "emulation_budget",
                                               "policy.emulation_budget");
    p->jail = is_choice(policy, "jail", "policy.jail", "none") ? CMPD_JAIL_NONE : CMPD_JAIL_AUTO;
    p->nvcc = read_toolkits(nvcc, NULL, &p->nvcc_count);
    return p;
}
