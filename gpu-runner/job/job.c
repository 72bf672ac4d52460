#include "gpu-runner/job/job.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/verdict/policy_keys.h"
#include "gpu-runner/compile/closure.h"
#include "gpu-runner/job/job_read.h"

#define LIST_CEILING 1000

cmpd_rc cmpd_job_bad(struct cmpd_err *err, const char *key, const char *why)
{
    return cmpd_err_set(err, CMPD_EINPUT, "job: %s: %s", key, why);
}

cmpd_rc cmpd_job_only_keys(const json_t *o, const char *const *keys, const char *where,
                           struct cmpd_err *err)
{
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)o, key, value)
    {
        bool known = false;
        for (size_t i = 0; keys[i] && !known; i++)
            known = strcmp(keys[i], key) == 0;
        if (!known)
            return cmpd_err_set(err, CMPD_EINPUT, "job: unknown key %.100s%s", key, where);
    }
    return CMPD_OK;
}

/* A string of a policy's form; `def` NULL: required. */
cmpd_rc cmpd_job_string(const json_t *o, const char *key, const char *form, const char *def,
                        char **out, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, key);
    const char *why, *s = v ? json_string_value(v) : def;
    if (!v && !def)
        return cmpd_job_bad(err, key, "is missing");
    if (!s)
        return cmpd_job_bad(err, key, "must be a string");
    if (strlen(s) != (v ? json_string_length(v) : strlen(s)))
        return cmpd_job_bad(err, key, "must not hold a NUL");
    if (!cmpd_policy_form_ok(form, s, &why))
        return cmpd_job_bad(err, key, why);
    *out = cmpd_strdup(s);
    return CMPD_OK;
}

static bool define_is_plain(const char *s)
{
    for (; *s; s++) {
        if (!isalnum((unsigned char)*s) && !strchr("_=.+-*/() :", *s))
            return false;
    }
    return true;
}

/* nvcc hands what it is given to a shell, and takes a comma in a definition for the next one. */
static bool shell_safe(const char *form, const char *s)
{
    if (strcmp(form, "define") == 0)
        return define_is_plain(s);
    return strcmp(form, "relative") != 0 || cmpd_nvcc_path_ok(s);
}

cmpd_rc cmpd_job_strings(const json_t *o, const char *key, const char *form,
                         struct cmpd_strings *out, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (!v)
        return CMPD_OK;
    if (!json_is_array(v) || json_array_size(v) > LIST_CEILING)
        return cmpd_job_bad(err, key, "must be a list of strings");
    for (size_t i = 0; i < json_array_size(v); i++) {
        const char *why, *s = json_string_value(json_array_get(v, i));
        if (!s || strlen(s) != json_string_length(json_array_get(v, i)))
            return cmpd_job_bad(err, key, "must be a list of strings");
        if (!cmpd_policy_form_ok(form, s, &why))
            return cmpd_job_bad(err, key, why);
        if (!shell_safe(form, s))
            return cmpd_job_bad(err, key, "has a character that nvcc would hand to a shell");
        CMPD_GROW(out->items, out->count + 1, out->cap);
        out->items[out->count++] = cmpd_strdup(s);
    }
    return CMPD_OK;
}

cmpd_rc cmpd_job_uint32(const json_t *o, const char *key, json_int_t least, json_int_t most,
                        uint32_t def, uint32_t *out, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (v && (!json_is_integer(v) || json_integer_value(v) < least || json_integer_value(v) > most))
        return cmpd_err_set(err, CMPD_EINPUT, "job: %s: must be a whole number from %lld to %lld",
                            key, (long long)least, (long long)most);
    *out = v ? (uint32_t)json_integer_value(v) : def;
    return CMPD_OK;
}

cmpd_rc cmpd_job_bool(const json_t *o, const char *key, bool def, bool *out, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (v && !json_is_boolean(v))
        return cmpd_job_bad(err, key, "must be true or false");
    *out = v ? json_is_true(v) : def;
    return CMPD_OK;
}

cmpd_rc cmpd_job_one_of(const char *value, const char *const *values, const char *key,
                        struct cmpd_err *err)
{
    for (size_t i = 0; value && values[i]; i++) {
        if (strcmp(values[i], value) == 0)
            return CMPD_OK;
    }
    return cmpd_job_bad(err, key, "is not among the values allowed");
}

static cmpd_rc read_nvcc(const json_t *o, struct cmpd_nvcc *n, struct cmpd_err *err)
{
    static const char *const keys[] = {"path",      "std",        "arch",  "opt",
                                       "include",   "define",     "flags", "rdc",
                                       "timeout_s", "memory_mib", NULL};
    static const char *const stds[] = {"c++03", "c++11", "c++14", "c++17", "c++20", NULL};
    static const char *const opts[] = {"-O0", "-O1", "-O2", "-O3", NULL};
    if (!json_is_object(o))
        return cmpd_job_bad(err, "nvcc", "must be a list of objects");
    cmpd_rc rc = cmpd_job_only_keys(o, keys, " in nvcc", err);
    STEP(cmpd_job_string(o, "path", "absolute", "/usr/local/cuda/bin/nvcc", &n->path, err));
    STEP(cmpd_job_string(o, "std", "", "c++17", &n->std, err));
    STEP(cmpd_job_one_of(n->std, stds, "std", err));
    STEP(cmpd_job_string(o, "arch", "arch", "sm_80", &n->arch, err));
    STEP(cmpd_job_string(o, "opt", "", "-O2", &n->opt, err));
    STEP(cmpd_job_one_of(n->opt, opts, "opt", err));
    STEP(cmpd_job_strings(o, "include", "relative", &n->include, err));
    STEP(cmpd_job_strings(o, "define", "define", &n->define, err));
    STEP(cmpd_job_strings(o, "flags", "flag", &n->flags, err));
    STEP(cmpd_job_bool(o, "rdc", false, &n->rdc, err));
    STEP(cmpd_job_uint32(o, "timeout_s", 1, 3600, 120, &n->timeout_s, err));
    STEP(cmpd_job_uint32(o, "memory_mib", 256, 1048576, 8192, &n->memory_mib, err));
    return rc;
}

static cmpd_rc read_stages(const json_t *o, struct cmpd_job *job, bool *run, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, "stages");
    if (!json_is_array(v) || !json_array_size(v))
        return cmpd_job_bad(err, "stages", "must be a list of stages");
    for (size_t i = 0; i < json_array_size(v); i++) {
        const char *s = json_string_value(json_array_get(v, i));
        if (s && strcmp(s, "compile") == 0)
            job->compile = true;
        else if (s && strcmp(s, "run") == 0)
            *run = true;
        else
            return cmpd_job_bad(err, "stages", "this runner knows two stages: compile and run");
    }
    if (!job->compile)
        return cmpd_job_bad(err, "stages", "what is run must be compiled: compile is missing");
    return CMPD_OK;
}

static cmpd_rc check_nonce(const char *s, struct cmpd_err *err)
{
    size_t n = strlen(s);
    if (!n || n > CMPD_NONCE_CEILING)
        return cmpd_job_bad(err, "nonce", "must be 1 to 128 characters");
    for (; *s; s++) {
        if (!isgraph((unsigned char)*s))
            return cmpd_job_bad(err, "nonce", "must be printable ASCII");
    }
    return CMPD_OK;
}

static cmpd_rc read_toolkits(const json_t *o, struct cmpd_job *job, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, "nvcc");
    size_t count = json_array_size(v);
    if (!json_is_array(v) || !count || count > CMPD_JOB_TOOLKITS_CEILING)
        return cmpd_job_bad(err, "nvcc", "must be a list of 1 to 16 objects");
    job->nvcc = cmpd_calloc(count, sizeof *job->nvcc);
    job->nvcc_count = count;
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; rc == CMPD_OK && i < count; i++)
        rc = read_nvcc(json_array_get(v, i), &job->nvcc[i], err);
    return rc;
}

static cmpd_rc read_jail(const json_t *o, struct cmpd_job *job, struct cmpd_err *err)
{
    static const char *const kinds[] = {"auto", "none", NULL};
    CMPD_AUTOFREE char *kind = NULL;
    cmpd_rc rc = cmpd_job_string(o, "jail", "", "auto", &kind, err);
    STEP(cmpd_job_one_of(kind, kinds, "jail", err));
    if (rc == CMPD_OK && kind)
        job->jail = strcmp(kind, "none") == 0 ? CMPD_JAIL_NONE : CMPD_JAIL_AUTO;
    return rc;
}

static cmpd_rc read_job(const json_t *o, struct cmpd_job *job, struct cmpd_err *err)
{
    static const char *const keys[] = {"schema", "nonce",    "root", "file", "nvcc", "stages",
                                       "cache",  "lifeline", "jail", "run",  NULL};
    CMPD_AUTOFREE char *schema = NULL;
    if (!json_is_object(o))
        return cmpd_job_bad(err, "the whole", "must be an object");
    cmpd_rc rc = cmpd_job_string(o, "schema", "", NULL, &schema, err);
    if (rc == CMPD_OK && schema && strcmp(schema, CMPD_JOB_SCHEMA) != 0)
        rc = cmpd_err_set(err, CMPD_EINPUT, "job: schema is %.60s, this runner knows %s", schema,
                          CMPD_JOB_SCHEMA);
    STEP(cmpd_job_only_keys(o, keys, "", err));
    STEP(cmpd_job_string(o, "nonce", "", NULL, &job->nonce, err));
    STEP(check_nonce(job->nonce, err));
    STEP(cmpd_job_string(o, "root", "absolute", NULL, &job->root, err));
    STEP(cmpd_job_string(o, "file", "relative", NULL, &job->file, err));
    bool run = false;
    STEP(read_stages(o, job, &run, err));
    STEP(cmpd_job_read_run(json_object_get(o, "run"), run, &job->run, err));
    STEP(cmpd_job_bool(o, "cache", true, &job->cache, err));
    STEP(cmpd_job_bool(o, "lifeline", true, &job->lifeline, err));
    STEP(read_jail(o, job, err));
    STEP(read_toolkits(o, job, err));
    return rc;
}

cmpd_rc cmpd_job_parse(const char *text, size_t len, struct cmpd_job **out, struct cmpd_err *err)
{
    if (len > CMPD_JOB_CEILING_BYTES)
        return cmpd_err_set(err, CMPD_ELIMIT, "job: longer than %zu bytes", CMPD_JOB_CEILING_BYTES);
    json_error_t je;
    json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
    if (!o)
        return cmpd_err_set(err, CMPD_EINPUT, "job: not JSON: %s at column %d", je.text, je.column);
    struct cmpd_job *job = cmpd_calloc(1, sizeof *job);
    cmpd_rc rc = read_job(o, job, err);
    json_decref(o);
    if (rc != CMPD_OK) {
        cmpd_job_free(job);
        return rc;
    }
    *out = job;
    return CMPD_OK;
}

void cmpd_job_strings_clear(struct cmpd_strings *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
}

void cmpd_job_free(struct cmpd_job *job)
{
    if (!job)
        return;
    for (size_t i = 0; i < job->nvcc_count; i++) {
        struct cmpd_nvcc *n = &job->nvcc[i];
        free(n->path);
        free(n->std);
        free(n->arch);
        free(n->opt);
        cmpd_job_strings_clear(&n->include);
        cmpd_job_strings_clear(&n->define);
        cmpd_job_strings_clear(&n->flags);
    }
    free(job->nvcc);
    cmpd_job_run_free(job->run);
    free(job->nonce);
    free(job->root);
    free(job->file);
    free(job);
}

json_t *cmpd_job_strings_json(const struct cmpd_strings *l)
{
    json_t *a = json_array();
    for (size_t i = 0; i < l->count; i++)
        json_array_append_new(a, json_string(l->items[i]));
    return a;
}

void cmpd_job_set_string(json_t *o, const char *key, const char *value)
{
    if (value)
        json_object_set_new(o, key, json_string(value));
}

static json_t *nvcc_json(const struct cmpd_nvcc *n)
{
    json_t *o = json_object();
    cmpd_job_set_string(o, "path", n->path);
    cmpd_job_set_string(o, "std", n->std);
    cmpd_job_set_string(o, "arch", n->arch);
    cmpd_job_set_string(o, "opt", n->opt);
    json_object_set_new(o, "include", cmpd_job_strings_json(&n->include));
    json_object_set_new(o, "define", cmpd_job_strings_json(&n->define));
    json_object_set_new(o, "flags", cmpd_job_strings_json(&n->flags));
    json_object_set_new(o, "rdc", json_boolean(n->rdc));
    if (n->timeout_s)
        json_object_set_new(o, "timeout_s", json_integer(n->timeout_s));
    if (n->memory_mib)
        json_object_set_new(o, "memory_mib", json_integer(n->memory_mib));
    return o;
}

cmpd_rc cmpd_job_encode(const struct cmpd_job *job, struct cmpd_buf *out, struct cmpd_err *err)
{
    json_t *root = json_string(job->root), *file = json_string(job->file);
    if (!root || !file) {
        json_decref(root);
        json_decref(file);
        return cmpd_err_set(err, CMPD_EINPUT, "the path of %s is not UTF-8", job->file);
    }
    json_t *o = json_object(), *list = json_array();
    cmpd_job_set_string(o, "schema", CMPD_JOB_SCHEMA);
    cmpd_job_set_string(o, "nonce", job->nonce);
    json_object_set_new(o, "root", root);
    json_object_set_new(o, "file", file);
    for (size_t i = 0; i < job->nvcc_count; i++)
        json_array_append_new(list, nvcc_json(&job->nvcc[i]));
    json_object_set_new(o, "nvcc", list);
    json_object_set_new(o, "stages",
                        job->run ? json_pack("[s, s]", "compile", "run")
                                 : json_pack("[s]", "compile"));
    if (job->run)
        json_object_set_new(o, "run", cmpd_job_run_json(job->run));
    json_object_set_new(o, "cache", json_boolean(job->cache));
    json_object_set_new(o, "lifeline", json_boolean(job->lifeline));
    json_object_set_new(o, "jail", json_string(job->jail == CMPD_JAIL_NONE ? "none" : "auto"));
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    if (!text)
        return cmpd_err_set(err, CMPD_EINTERNAL, "cannot write the job as JSON");
    cmpd_buf_puts(out, text);
    cmpd_buf_putc(out, '\n');
    free(text);
    return CMPD_OK;
}
