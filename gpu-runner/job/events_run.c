/* Reading what the run stage says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/job/events_read.h"

#define CASES_CEILING 1000
#define ARGS_CEILING  64

static bool get_uint64(const json_t *o, const char *key, uint64_t *out)
{
    const json_t *v = json_object_get(o, key);
    if (v && (!json_is_integer(v) || json_integer_value(v) < 0))
        return false;
    *out = (uint64_t)json_integer_value(v);
    return true;
}

/* A number, or one of the words that stand for what JSON has no number for. */
static bool get_number(const json_t *o, const char *key, double *out)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    const json_t *v = json_object_get(o, key);
    *out = json_number_value(v);
    if (json_is_number(v))
        return isfinite(*out);
    for (size_t i = 0; json_is_string(v) && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, json_string_value(v)) == 0) {
            *out = words[i].value;
            return true;
        }
    }
    return false;
}

static void keep_text(char **slot, const json_t *o, const char *key)
{
    free(*slot);
    *slot = cmpd_events_text(o, key);
}

const char *cmpd_events_read_device(const json_t *o, struct cmpd_events *e)
{
    keep_text(&e->device, o, "name");
    keep_text(&e->backend, o, "backend");
    if (!e->device || !e->backend ||
        (strcmp(e->backend, "gpu") != 0 && strcmp(e->backend, "emulator") != 0))
        return "a device event without a name or of a backend that isn't known";
    return NULL;
}

static void clear_args(struct cmpd_strings *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
    memset(l, 0, sizeof *l);
}

const char *cmpd_events_read_entry(const json_t *o, struct cmpd_events *e)
{
    const json_t *args = json_object_get(o, "args");
    keep_text(&e->entry, o, "name");
    keep_text(&e->op, o, "op");
    clear_args(&e->args);
    e->assumed_launch = json_is_true(json_object_get(o, "assumed_launch"));
    if (!e->entry || json_array_size(args) > ARGS_CEILING)
        return "an entry event without a name or with too many arguments";
    for (size_t i = 0; i < json_array_size(args); i++) {
        const char *s = json_string_value(json_array_get(args, i));
        if (!s)
            return "an entry event with an argument that is no string";
        CMPD_GROW(e->args.items, e->args.count + 1, e->args.cap);
        e->args.items[e->args.count++] = cmpd_strndup(s, strnlen(s, 200));
    }
    return NULL;
}

static void clear_case(struct cmpd_event_read_case *c)
{
    free(c->name);
    free(c->dtype);
    for (size_t i = 0; i < c->dim_count; i++)
        free(c->shape[i].name);
    memset(c, 0, sizeof *c);
}

static bool read_shape(const json_t *shape, struct cmpd_event_read_case *c)
{
    const char *name;
    const json_t *v;
    if (!json_is_object(shape) || json_object_size(shape) > CMPD_EVENT_DIMS_CEILING)
        return false;
    json_object_foreach((json_t *)(uintptr_t)shape, name, v)
    {
        if (!json_is_integer(v))
            return false;
        c->shape[c->dim_count].name = cmpd_strndup(name, strnlen(name, 64));
        c->shape[c->dim_count++].value = json_integer_value(v);
    }
    return true;
}

static const char *fill_case(const json_t *o, struct cmpd_event_read_case *c)
{
    c->name = cmpd_events_text(o, "name");
    c->dtype = cmpd_events_text(o, "dtype");
    c->ok = json_is_true(json_object_get(o, "ok"));
    c->measured = json_object_get(o, "max_abs_err") != NULL;
    if (!c->name || !c->dtype || !json_is_boolean(json_object_get(o, "ok")))
        return "a case without its name, dtype or result";
    if (!read_shape(json_object_get(o, "shape"), c))
        return "a case with a wrong shape";
    if (!get_uint64(o, "seed", &c->seed) || !cmpd_events_uint32(o, "schedule", &c->schedule) ||
        !get_uint64(o, "lane_instructions", &c->lane_instructions) ||
        !get_number(o, "elapsed_ms", &c->elapsed_ms))
        return "a case with a wrong number";
    if (c->measured && (!get_number(o, "max_abs_err", &c->max_abs_err) ||
                        !get_number(o, "max_rel_err", &c->max_rel_err)))
        return "a case with a wrong error";
    /* Errors that can't be compared are no pass, whatever the line says. */
    if (c->ok && (!c->measured || isnan(c->max_abs_err)))
        return "a case that passed without having been measured";
    return NULL;
}

const char *cmpd_events_read_case(const json_t *o, struct cmpd_events *e)
{
    if (e->case_count == CASES_CEILING)
        return "too many cases";
    struct cmpd_event_read_case c = {0};
    const char *why = fill_case(o, &c);
    if (why) {
        clear_case(&c);
        return why;
    }
    CMPD_GROW(e->cases, e->case_count + 1, e->case_cap);
    e->cases[e->case_count++] = c;
    return NULL;
}

const char *cmpd_events_read_stage(const json_t *o, struct cmpd_events *e)
{
    static const char *const names[] = {"pass", "fail", "undecided"};
    const char *stage = json_string_value(json_object_get(o, "stage"));
    const char *status = json_string_value(json_object_get(o, "status"));
    if (!stage || !status)
        return "a stage event without stage or status";
    struct cmpd_event_stage_result *r = strcmp(stage, "numeric") == 0  ? &e->numeric
                                        : strcmp(stage, "memory") == 0 ? &e->memory
                                                                       : NULL;
    if (!r)
        return NULL; /* a stage that a later runner may add */
    for (int i = 0; i < 3; i++) {
        if (strcmp(names[i], status) != 0)
            continue;
        r->said = true;
        r->status = (enum cmpd_event_status)i;
        keep_text(&r->why, o, "why");
        return NULL;
    }
    return "a stage event of a status that isn't known";
}

const char *cmpd_events_read_memory(const json_t *o, struct cmpd_events *e)
{
    if (!json_is_boolean(json_object_get(o, "ok")) || !get_uint64(o, "launches", &e->launches) ||
        !get_uint64(o, "lane_instructions", &e->lane_instructions))
        return "a memory event without its result or with a wrong number";
    keep_text(&e->memory_method, o, "method");
    return NULL;
}

const char *cmpd_events_read_tolerance(const json_t *o, struct cmpd_events *e)
{
    if (!get_number(o, "atol", &e->atol) || !get_number(o, "rtol", &e->rtol) ||
        !isfinite(e->atol) || !isfinite(e->rtol))
        return "a tolerance that is no number";
    e->has_tolerance = true;
    return NULL;
}

const char *cmpd_events_read_program(const json_t *o, struct cmpd_events *e)
{
    const json_t *status = json_object_get(o, "status");
    const char *out = json_string_value(json_object_get(o, "stdout"));
    const char *err = json_string_value(json_object_get(o, "stderr"));
    if (!json_is_integer(status) || json_integer_value(status) < 0 ||
        json_integer_value(status) > 255)
        return "a program event without the status of its end";
    e->has_program = true;
    e->program_status = (int)json_integer_value(status);
    free(e->program_out);
    free(e->program_err);
    e->program_out = out ? cmpd_strndup(out, strnlen(out, CMPD_EVENT_OUTPUT_CEILING)) : NULL;
    e->program_err = err ? cmpd_strndup(err, strnlen(err, CMPD_EVENT_OUTPUT_CEILING)) : NULL;
    return NULL;
}

void cmpd_events_clear_run(struct cmpd_events *e)
{
    for (size_t i = 0; i < e->case_count; i++)
        clear_case(&e->cases[i]);
    free(e->cases);
    clear_args(&e->args);
    free(e->device);
    free(e->backend);
    free(e->entry);
    free(e->op);
    free(e->numeric.why);
    free(e->memory.why);
    free(e->memory_method);
    free(e->program_out);
    free(e->program_err);
}
