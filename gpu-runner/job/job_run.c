/* The "run" object of a job. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/verdict/policy_keys.h"
#include "gpu-runner/job/job_read.h"

/* Element counts and sizes that no operator's case comes near; a product of four still fits 64 bits. */
#define DIM_CEILING     ((json_int_t)1 << 40)
#define BUDGET_CEILING  ((json_int_t)1 << 50)
#define STRINGS_CEILING 200 /* characters of a name */

static const char *const SOURCES[] = {"none", "policy", "option", "comment", "inferred", NULL};
static const char *const REFERENCES[] = {"builtin", "file", "command", NULL};

const char *cmpd_op_source_name(enum cmpd_op_source s)
{
    return SOURCES[s];
}

cmpd_rc cmpd_job_maybe_string(const json_t *o, const char *key, const char *form, char **out,
                              struct cmpd_err *err)
{
    return json_object_get(o, key) ? cmpd_job_string(o, key, form, NULL, out, err) : CMPD_OK;
}

static cmpd_rc read_choice(const json_t *o, const char *key, const char *const *values, int *out,
                           struct cmpd_err *err)
{
    CMPD_AUTOFREE char *s = NULL;
    cmpd_rc rc = cmpd_job_string(o, key, "", values[0], &s, err);
    STEP(cmpd_job_one_of(s, values, key, err));
    for (int i = 0; rc == CMPD_OK && values[i]; i++) {
        if (strcmp(values[i], s) == 0)
            *out = i;
    }
    return rc;
}

static cmpd_rc read_number(const json_t *o, const char *key, bool *has, double *out,
                           struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (!v)
        return CMPD_OK;
    if (!json_is_number(v) || !(json_number_value(v) >= 0) || !isfinite(json_number_value(v)))
        return cmpd_job_bad(err, key, "must be a number that is not negative");
    *has = true;
    *out = json_number_value(v);
    return CMPD_OK;
}

static cmpd_rc read_whole(const json_t *o, const char *key, json_int_t most, bool *has,
                          uint64_t *out, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (!v)
        return CMPD_OK;
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > most)
        return cmpd_job_bad(err, key, "must be a whole number within its bounds");
    if (has)
        *has = true;
    *out = (uint64_t)json_integer_value(v);
    return CMPD_OK;
}

static cmpd_rc read_dim(struct cmpd_job_case *c, const char *name, const json_t *v,
                        struct cmpd_err *err)
{
    const char *why;
    if (!json_is_integer(v) || json_integer_value(v) < 1 || json_integer_value(v) > DIM_CEILING)
        return cmpd_job_bad(err, "cases", "a dimension must be a whole number from 1 on");
    if (!cmpd_policy_form_ok("name", name, &why) || strlen(name) > STRINGS_CEILING)
        return cmpd_job_bad(err, "cases", "a dimension's name must be a name");
    if (c->dim_count == CMPD_JOB_DIMS_CEILING)
        return cmpd_job_bad(err, "cases", "too many dimensions");
    c->dims[c->dim_count].name = cmpd_strdup(name);
    c->dims[c->dim_count++].value = json_integer_value(v);
    return CMPD_OK;
}

static cmpd_rc read_case(const json_t *o, struct cmpd_job_case *c, struct cmpd_err *err)
{
    const char *key;
    const json_t *v;
    if (!json_is_object(o))
        return cmpd_job_bad(err, "cases", "must be a list of objects");
    c->dims = cmpd_calloc(CMPD_JOB_DIMS_CEILING, sizeof *c->dims);
    cmpd_rc rc = CMPD_OK;
    json_object_foreach((json_t *)(uintptr_t)o, key, v)
    {
        if (strcmp(key, "inputs") == 0)
            rc = cmpd_job_string(o, key, "", NULL, &c->inputs, err);
        else if (strcmp(key, "dtype") == 0)
            rc = cmpd_job_string(o, key, "", NULL, &c->dtype, err);
        else
            rc = read_dim(c, key, v, err);
        if (rc != CMPD_OK)
            break;
    }
    return rc;
}

static cmpd_rc read_cases(const json_t *o, struct cmpd_job_run *r, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, "cases");
    if (!v)
        return CMPD_OK;
    if (!json_is_array(v) || json_array_size(v) > CMPD_JOB_CASES_CEILING)
        return cmpd_job_bad(err, "cases", "must be a list of at most 200 objects");
    r->cases = cmpd_calloc(json_array_size(v) + 1, sizeof *r->cases);
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; rc == CMPD_OK && i < json_array_size(v); i++) {
        r->case_count++;
        rc = read_case(json_array_get(v, i), &r->cases[i], err);
    }
    return rc;
}

static cmpd_rc read_tolerance(const json_t *o, struct cmpd_job_run *r, struct cmpd_err *err)
{
    static const char *const keys[] = {"atol", "rtol", NULL};
    const json_t *v = json_object_get(o, "tolerance");
    if (!v)
        return CMPD_OK;
    if (!json_is_object(v))
        return cmpd_job_bad(err, "tolerance", "must be an object");
    cmpd_rc rc = cmpd_job_only_keys(v, keys, " in tolerance", err);
    STEP(read_number(v, "atol", &r->has_atol, &r->atol, err));
    STEP(read_number(v, "rtol", &r->has_rtol, &r->rtol, err));
    return rc;
}

static cmpd_rc read_launch(const json_t *o, struct cmpd_job_run *r, struct cmpd_err *err)
{
    static const char *const keys[] = {"grid", "block", "shared", NULL};
    const json_t *v = json_object_get(o, "launch");
    if (!v)
        return CMPD_OK;
    if (!json_is_object(v))
        return cmpd_job_bad(err, "launch", "must be an object");
    cmpd_rc rc = cmpd_job_only_keys(v, keys, " in launch", err);
    STEP(cmpd_job_maybe_string(v, "grid", "formula", &r->grid, err));
    STEP(cmpd_job_maybe_string(v, "block", "formula", &r->block, err));
    STEP(cmpd_job_maybe_string(v, "shared", "formula", &r->shared, err));
    return rc;
}

static cmpd_rc read_reference(const json_t *o, struct cmpd_job_run *r, struct cmpd_err *err)
{
    static const char *const keys[] = {"kind", "path", NULL};
    const json_t *v = json_object_get(o, "reference");
    int kind = CMPD_REFERENCE_BUILTIN;
    if (!v)
        return CMPD_OK;
    if (!json_is_object(v))
        return cmpd_job_bad(err, "reference", "must be an object");
    cmpd_rc rc = cmpd_job_only_keys(v, keys, " in reference", err);
    STEP(read_choice(v, "kind", REFERENCES, &kind, err));
    r->reference = (enum cmpd_reference_kind)kind;
    STEP(cmpd_job_maybe_string(v, "path", "relative", &r->reference_path, err));
    if (rc == CMPD_OK && (kind == CMPD_REFERENCE_BUILTIN) != (r->reference_path == NULL))
        return cmpd_job_bad(err, "reference", "needs a path where it is not builtin");
    return rc;
}

static cmpd_rc read_signatures(const json_t *o, struct cmpd_job_run *r, struct cmpd_err *err)
{
    const json_t *v = json_object_get(o, "functions");
    return v ? cmpd_signatures_read(v, &r->signatures, err) : CMPD_OK;
}

static cmpd_rc read_run(const json_t *o, struct cmpd_job_run *r, struct cmpd_err *err)
{
    static const char *const keys[] = {"device",         "op",     "op_source", "entry",
                                       "entry_required", "args",   "dtype",     "cases",
                                       "tolerance",      "launch", "reference", "functions",
                                       "budget",         "seed",   "schedule",  "only_case",
                                       "program",        "argv",   NULL};
    static const char *const devices[] = {"auto", "gpu", "emulator", NULL};
    int source = CMPD_OP_NONE;
    cmpd_rc rc = cmpd_job_only_keys(o, keys, " in run", err);
    STEP(cmpd_job_string(o, "device", "", "auto", &r->device, err));
    STEP(cmpd_job_one_of(r->device, devices, "device", err));
    STEP(cmpd_job_maybe_string(o, "op", "name", &r->op, err));
    STEP(read_choice(o, "op_source", SOURCES, &source, err));
    r->op_source = (enum cmpd_op_source)source;
    STEP(cmpd_job_maybe_string(o, "entry", "entry", &r->entry, err));
    STEP(cmpd_job_bool(o, "entry_required", false, &r->entry_required, err));
    STEP(cmpd_job_strings(o, "args", "role", &r->args, err));
    STEP(cmpd_job_maybe_string(o, "dtype", "name", &r->dtype, err));
    STEP(read_cases(o, r, err));
    STEP(read_tolerance(o, r, err));
    STEP(read_launch(o, r, err));
    STEP(read_reference(o, r, err));
    STEP(read_signatures(o, r, err));
    STEP(read_whole(o, "budget", BUDGET_CEILING, NULL, &r->budget, err));
    STEP(read_whole(o, "seed", INT64_MAX, &r->has_seed, &r->seed, err));
    STEP(cmpd_job_uint32(o, "schedule", 0, UINT32_MAX, 0, &r->schedule, err));
    STEP(cmpd_job_maybe_string(o, "only_case", "", &r->only_case, err));
    STEP(cmpd_job_bool(o, "program", false, &r->program, err));
    STEP(cmpd_job_strings(o, "argv", "", &r->argv, err));
    return rc;
}

cmpd_rc cmpd_job_read_run(const json_t *o, bool wanted, struct cmpd_job_run **out,
                          struct cmpd_err *err)
{
    if (!o && !wanted)
        return CMPD_OK;
    if (!o || !wanted)
        return cmpd_job_bad(err, "run", "goes with the stage run, and the stage with it");
    if (!json_is_object(o))
        return cmpd_job_bad(err, "run", "must be an object");
    *out = cmpd_calloc(1, sizeof **out); /* the job frees it */
    return read_run(o, *out, err);
}

cmpd_rc cmpd_job_run_read(const json_t *o, struct cmpd_job_run **out, struct cmpd_err *err)
{
    struct cmpd_job_run *run = NULL;
    cmpd_rc rc = cmpd_job_read_run(o, true, &run, err);
    if (rc == CMPD_OK)
        *out = run;
    else
        cmpd_job_run_free(run);
    return rc;
}

static void free_cases(struct cmpd_job_run *r)
{
    for (size_t i = 0; i < r->case_count; i++) {
        for (size_t d = 0; d < r->cases[i].dim_count; d++)
            free(r->cases[i].dims[d].name);
        free(r->cases[i].dims);
        free(r->cases[i].inputs);
        free(r->cases[i].dtype);
    }
    free(r->cases);
}

void cmpd_job_run_free(struct cmpd_job_run *r)
{
    if (!r)
        return;
    free_cases(r);
    free(r->device);
    free(r->op);
    free(r->entry);
    cmpd_job_strings_clear(&r->args);
    free(r->dtype);
    free(r->grid);
    free(r->block);
    free(r->shared);
    cmpd_signatures_clear(&r->signatures);
    free(r->only_case);
    free(r->reference_path);
    cmpd_job_strings_clear(&r->argv);
    free(r);
}

static json_t *case_json(const struct cmpd_job_case *c)
{
    json_t *o = json_object();
    for (size_t i = 0; i < c->dim_count; i++)
        json_object_set_new(o, c->dims[i].name, json_integer(c->dims[i].value));
    cmpd_job_set_string(o, "inputs", c->inputs);
    cmpd_job_set_string(o, "dtype", c->dtype);
    return o;
}

static void add_object(json_t *o, const char *key, json_t *v)
{
    if (json_object_size(v))
        json_object_set(o, key, v);
    json_decref(v);
}

static json_t *launch_json(const struct cmpd_job_run *r)
{
    json_t *o = json_object();
    cmpd_job_set_string(o, "grid", r->grid);
    cmpd_job_set_string(o, "block", r->block);
    cmpd_job_set_string(o, "shared", r->shared);
    return o;
}

static json_t *tolerance_json(const struct cmpd_job_run *r)
{
    json_t *o = json_object();
    if (r->has_atol)
        json_object_set_new(o, "atol", json_real(r->atol));
    if (r->has_rtol)
        json_object_set_new(o, "rtol", json_real(r->rtol));
    return o;
}

static json_t *reference_json(const struct cmpd_job_run *r)
{
    json_t *o = json_object();
    if (r->reference == CMPD_REFERENCE_BUILTIN)
        return o;
    cmpd_job_set_string(o, "kind", REFERENCES[r->reference]);
    cmpd_job_set_string(o, "path", r->reference_path);
    return o;
}

static void add_cases(json_t *o, const struct cmpd_job_run *r)
{
    if (!r->case_count)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < r->case_count; i++)
        json_array_append_new(list, case_json(&r->cases[i]));
    json_object_set_new(o, "cases", list);
}

json_t *cmpd_job_run_json(const struct cmpd_job_run *r)
{
    json_t *o = json_object();
    cmpd_job_set_string(o, "device", r->device);
    cmpd_job_set_string(o, "op", r->op);
    cmpd_job_set_string(o, "op_source", cmpd_op_source_name(r->op_source));
    cmpd_job_set_string(o, "entry", r->entry);
    json_object_set_new(o, "entry_required", json_boolean(r->entry_required));
    if (r->args.count)
        json_object_set_new(o, "args", cmpd_job_strings_json(&r->args));
    cmpd_job_set_string(o, "dtype", r->dtype);
    add_cases(o, r);
    add_object(o, "tolerance", tolerance_json(r));
    add_object(o, "launch", launch_json(r));
    add_object(o, "reference", reference_json(r));
    json_object_set_new(o, "functions", cmpd_signatures_json(&r->signatures));
    if (r->budget)
        json_object_set_new(o, "budget", json_integer((json_int_t)r->budget));
    if (r->has_seed)
        json_object_set_new(o, "seed", json_integer((json_int_t)r->seed));
    json_object_set_new(o, "schedule", json_integer(r->schedule));
    cmpd_job_set_string(o, "only_case", r->only_case);
    if (r->program)
        json_object_set_new(o, "program", json_true());
    if (r->argv.count)
        json_object_set_new(o, "argv", cmpd_job_strings_json(&r->argv));
    return o;
}
