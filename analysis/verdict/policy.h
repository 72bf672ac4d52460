/*
 * cmpd.json as the contract describes it, with defaults filled in. The keys
 * come from one table (config/policy_keys.def); an unknown key or a wrong type
 * is an error that names the key and the place (line:column).
 */
#ifndef CMPD_ANALYSIS_VERDICT_POLICY_H
#define CMPD_ANALYSIS_VERDICT_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"
#include "analysis/verdict/tags.h"

struct cmpd_strings {
    char **items; /* owned */
    size_t count, cap;
};

enum cmpd_stage {
    CMPD_STAGE_STATIC,
    CMPD_STAGE_COMPILE,
    CMPD_STAGE_NUMERIC,
    CMPD_STAGE_MEMORY,
    CMPD_STAGE_PERF,
    CMPD_STAGE_COUNT
};

/* One toolkit to compile with. NULL members of a kernel's entry inherit from the policy's. */
struct cmpd_nvcc {
    char *path; /* absolute; default /usr/local/cuda/bin/nvcc; never looked up in PATH */
    char *std;  /* "c++17" */
    char *arch; /* "sm_80" */
    char *opt;  /* "-O2" */
    struct cmpd_strings include; /* relative to the repository's root */
    struct cmpd_strings define;  /* NAME or NAME=VALUE */
    struct cmpd_strings flags;   /* from a fixed allow list; others are an error of the policy */
    bool rdc;
    uint32_t timeout_s;  /* default 120 */
    uint32_t memory_mib; /* default 8192 */
};

struct cmpd_kernel_policy {
    char *path;                          /* may be a glob; relative to the repository's root */
    char *op, *entry, *dtype, *baseline; /* owned, NULL where absent */
    struct cmpd_strings args;
    char *cases_json;            /* compact JSON of "cases", NULL where absent */
    char *tolerance_json;        /* compact JSON of "tolerance", NULL where absent */
    char *grid, *block, *shared; /* formulas of "launch", NULL each where absent */
    /* An operator of the user's own, relative to the root; at most one is set. */
    char *reference_file, *reference_command;
    struct cmpd_nvcc *nvcc; /* own toolkits, NULL where absent */
    size_t nvcc_count;
};

enum cmpd_preexisting { CMPD_PREEXISTING_NOTE, CMPD_PREEXISTING_COUNT };
enum cmpd_jail_kind { CMPD_JAIL_AUTO, CMPD_JAIL_NONE };

struct cmpd_policy {
    char *origin; /* path or "base:cmpd.json@<sha>", NULL: built-in defaults */
    struct cmpd_kernel_policy *kernels; /* owned */
    size_t kernel_count;
    bool require[CMPD_STAGE_COUNT];
    bool enforce;
    double perf_ratio;
    uint32_t perf_runs;
    bool has_tier[CMPD_TAG_COUNT];
    enum cmpd_tier tiers[CMPD_TAG_COUNT]; /* valid where has_tier */
    struct cmpd_strings exempt;           /* function names whose calls and bodies are trusted */
    struct cmpd_strings api_allow, api_deny;
    uint32_t template_limit; /* instantiations of one kernel or function template; default 32 */
    enum cmpd_preexisting preexisting;
    enum cmpd_jail_kind jail;
    uint64_t emulation_budget; /* lane instructions a case */
    struct cmpd_nvcc *nvcc;    /* at least one */
    size_t nvcc_count;
};

/* Built-in defaults. */
struct cmpd_policy *cmpd_policy_new(void);
void cmpd_policy_free(struct cmpd_policy *p);

/*
 * Parse JSON text. `origin` is how messages name it. CMPD_EINPUT: not JSON (line and column named), a wrong key,
 * type, value or a tag that can't be lowered; CMPD_ELIMIT: over CMPD_POLICY_CEILING_BYTES.
 */
cmpd_rc cmpd_policy_parse(const char *text, size_t len, const char *origin,
                          struct cmpd_policy **out, struct cmpd_err *err);

/* The tier that counts for a tag that a rule reported at `proven` (policy may lower or raise it). */
enum cmpd_tier cmpd_policy_tier(const struct cmpd_policy *p, enum cmpd_tag tag,
                                enum cmpd_tier proven);

/* The kernels entry for a repository-relative path (last match wins), or NULL. */
const struct cmpd_kernel_policy *cmpd_policy_kernel(const struct cmpd_policy *p, const char *path);

#endif
