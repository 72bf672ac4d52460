#include "gpu-runner/stages/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "analysis/base/alloc.h"

#define POISON_FIRST  0xA5 /* as floats: -7e-17, as integers: huge; neither zero nor plausible */
#define POISON_SECOND 0x5B

static uint64_t fresh_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        seed = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)now.tv_sec;
    }
    return seed & 0xffffffffu; /* short enough to be typed */
}

/* One of a sequence of seeds (splitmix64). */
static uint64_t derived(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) & 0xffffffffu;
}

static bool same_shape(const struct cmpd_plan_case *a, const struct cmpd_plan_case *b)
{
    return memcmp(&a->dims, &b->dims, sizeof a->dims) == 0 && strcmp(a->inputs, b->inputs) == 0 &&
           a->dtype == b->dtype;
}

static struct cmpd_plan_case *append(struct cmpd_plan *p, const struct cmpd_plan_case *c)
{
    CMPD_GROW(p->items, p->count + 1, p->cap);
    p->items[p->count] = *c;
    return &p->items[p->count++];
}

/* Adds a shape unless the plan has it; seeds follow from the place in the plan. */
static void add_shape(struct cmpd_plan *p, const char *name, const struct cmpd_dims *dims,
                      enum cmpd_dtype dtype, const char *inputs)
{
    if (p->count >= CMPD_PLAN_CALLS_MAX)
        return;
    struct cmpd_plan_case c = {.dims = *dims,
                               .dtype = dtype,
                               .poison = POISON_FIRST,
                               .repeats = CMPD_PLAN_NO_REPEAT,
                               .place = CMPD_PLAN_NO_REPEAT};
    snprintf(c.name, sizeof c.name, "%s", name);
    snprintf(c.inputs, sizeof c.inputs, "%s", inputs ? inputs : "");
    c.seed = derived(p->seed, p->count);
    for (size_t i = 0; i < p->count; i++) {
        if (same_shape(&p->items[i], &c))
            return;
    }
    append(p, &c);
}

static int dim_named(const struct cmpd_ref_op *op, const char *name)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        int d = cmpd_ref_dim_index(op, i);
        if (d >= 0 && strcmp(op->args[i].name, name) == 0)
            return d;
    }
    int arg = cmpd_ref_match_param(op, name, false, NULL);
    return arg < 0 ? -1 : cmpd_ref_dim_index(op, (size_t)arg);
}

/* "rows=3 cols=17": a name from which replay finds the shape again. */
static void name_of_shape(const struct cmpd_ref_op *op, const struct cmpd_dims *dims, char *out,
                          size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < op->arg_count && used < size; i++) {
        int d = cmpd_ref_dim_index(op, i);
        if (d >= 0 && !op->args[i].shape)
            used += (size_t)snprintf(out + used, size - used, "%s%s=%lld", used ? " " : "",
                                     op->args[i].name, (long long)dims->value[d]);
    }
}

static void name_of_policy_case(const struct cmpd_job_case *c, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < c->dim_count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s=%lld", i ? " " : "",
                                 c->dims[i].name, (long long)c->dims[i].value);
    if (c->inputs && used < size)
        snprintf(out + used, size - used, " %s", c->inputs);
}

static cmpd_rc policy_case(struct cmpd_plan *p, const struct cmpd_job_case *c,
                           const struct cmpd_ref_op *op, const struct cmpd_binding *b,
                           struct cmpd_err *err)
{
    struct cmpd_dims dims = {{0}};
    char name[CMPD_PLAN_NAME_BYTES];
    name_of_policy_case(c, name, sizeof name);
    for (size_t i = 0; i < c->dim_count; i++) {
        int d = dim_named(op, c->dims[i].name);
        if (d < 0)
            return cmpd_err_set(err, CMPD_EINPUT, "case %s: operator %s has no dimension '%s'",
                                name, op->name, c->dims[i].name);
        dims.value[d] = c->dims[i].value;
    }
    cmpd_rc rc = cmpd_ref_dims_complete(op, &dims, err);
    if (rc != CMPD_OK)
        return cmpd_err_prefix(err, "case %s", name);
    if (!cmpd_bind_fit(b, op, &dims))
        return cmpd_err_set(err, CMPD_EINPUT, "case %s: %s can't be called with this shape", name,
                            b->display);
    enum cmpd_dtype dtype = b->dtype;
    if (c->dtype && (!cmpd_dtype_parse(c->dtype, &dtype) || dtype != b->dtype))
        return cmpd_err_set(err, CMPD_EINPUT, "case %s: dtype %s does not fit %s, which takes %s",
                            name, c->dtype, b->display, cmpd_dtype_name(b->dtype));
    add_shape(p, name, &dims, dtype, c->inputs);
    return CMPD_OK;
}

/* One of the operator's own shapes, brought inside what the file demands; its name then says what became of it. */
static void add_own(struct cmpd_plan *p, const struct cmpd_ref_op *op, const struct cmpd_binding *b,
                    const struct cmpd_contract *contract, const char *name,
                    const struct cmpd_dims *dims, const char *inputs)
{
    struct cmpd_dims fitted = *dims;
    char shape[CMPD_PLAN_NAME_BYTES];
    if (!cmpd_bind_fit(b, op, &fitted) ||
        (contract && !cmpd_contract_fit(contract, b, op, &fitted)))
        return;
    if (!name || memcmp(&fitted, dims, sizeof fitted) != 0) {
        name_of_shape(op, &fitted, shape, sizeof shape);
        name = shape;
    }
    add_shape(p, name, &fitted, b->dtype, inputs);
}

static void operator_cases(struct cmpd_plan *p, const struct cmpd_ref_op *op,
                           const struct cmpd_binding *b, const struct cmpd_contract *contract,
                           bool large)
{
    for (size_t i = 0; i < op->case_count; i++) {
        const struct cmpd_ref_case *c = &op->cases[i];
        if (c->size != CMPD_CASE_LARGE || large)
            add_own(p, op, b, contract, c->name, &c->dims, c->inputs);
    }
    struct cmpd_dims drawn = {{0}};
    if (op->draw) {
        op->draw(&drawn, derived(p->seed, 1000));
        add_own(p, op, b, contract, NULL, &drawn, NULL);
    }
}

/* The policy's shapes say nothing of values: the operator's special inputs (large ones, ties, ...) are tried on the first. */
static void special_inputs(struct cmpd_plan *p, const struct cmpd_ref_op *op)
{
    struct cmpd_plan_case first = p->items[0];
    for (size_t i = 0; i < op->case_count && first.inputs[0] == 0; i++) {
        const char *set = op->cases[i].inputs;
        char name[CMPD_PLAN_NAME_BYTES + 32];
        if (!set || !set[0])
            continue;
        snprintf(name, sizeof name, "%.60s %s", first.name, set);
        add_shape(p, name, &first.dims, first.dtype, set);
    }
}

static struct cmpd_plan_case *repeat(struct cmpd_plan *p, size_t of)
{
    struct cmpd_plan_case c = p->items[of];
    c.repeats = c.place = of;
    return append(p, &c);
}

/* Other inputs of the same shape. */
static struct cmpd_plan_case *anew(struct cmpd_plan *p, size_t of, size_t place)
{
    struct cmpd_plan_case c = p->items[of];
    c.seed = derived(p->seed, p->count);
    c.schedule = 0;
    c.repeats = CMPD_PLAN_NO_REPEAT;
    c.place = place;
    return append(p, &c);
}

/*
 * The same inputs in other orders and on other leftovers, then other inputs in the same memory: results remembered by
 * pointer or by shape are wrong there. Small cases anew until enough calls were made.
 */
static void add_repeats(struct cmpd_plan *p)
{
    size_t shapes = p->count;
    for (size_t n = 0; n < 2 && n < shapes; n++) {
        struct cmpd_plan_case *c = repeat(p, shapes > 3 ? 2 + n : n);
        c->schedule = 1 + (uint32_t)(derived(p->seed, 2000 + n) % 0xffffu);
        c->poison = POISON_SECOND;
    }
    for (size_t i = shapes, end = p->count; i < end; i++)
        anew(p, i, i);
    for (size_t i = 0; shapes > 0 && p->count < CMPD_PLAN_CALLS_MIN; i++)
        anew(p, i % shapes, CMPD_PLAN_NO_REPEAT);
}

/* "rows=3 cols=17" */
static bool parse_shape(const char *name, const struct cmpd_ref_op *op, struct cmpd_dims *dims)
{
    CMPD_AUTOFREE char *text = cmpd_strdup(name);
    char *save = NULL;
    memset(dims, 0, sizeof *dims);
    for (char *part = strtok_r(text, " ", &save); part; part = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(part, '='), *end;
        if (!equals)
            return false;
        *equals = 0;
        int d = dim_named(op, part);
        long long value = strtoll(equals + 1, &end, 10);
        if (d < 0 || *end || value < 0)
            return false;
        dims->value[d] = value;
    }
    return cmpd_ref_dims_complete(op, dims, NULL) == CMPD_OK;
}

static cmpd_rc keep_only(struct cmpd_plan *p, const struct cmpd_job_run *run,
                         const struct cmpd_ref_op *op, const struct cmpd_binding *b,
                         struct cmpd_err *err)
{
    size_t i = 0;
    struct cmpd_dims dims;
    while (i < p->count && strcmp(p->items[i].name, run->only_case) != 0)
        i++;
    if (i == p->count && parse_shape(run->only_case, op, &dims) && cmpd_bind_fit(b, op, &dims))
        add_shape(p, run->only_case, &dims, b->dtype, NULL);
    if (i == p->count)
        return cmpd_err_set(err, CMPD_EINPUT, "there is no case '%s'; the first is '%s'",
                            run->only_case, p->count ? p->items[0].name : "(none)");
    struct cmpd_plan_case c = p->items[i];
    if (run->has_seed)
        c.seed = run->seed;
    c.schedule = run->schedule;
    p->items[0] = c;
    p->count = 1;
    return CMPD_OK;
}

cmpd_rc cmpd_plan_make(const struct cmpd_job_run *run, const struct cmpd_ref_op *op,
                       const struct cmpd_binding *binding, const struct cmpd_contract *contract,
                       bool large, struct cmpd_plan *out, struct cmpd_err *err)
{
    struct cmpd_plan p = {.seed = run->has_seed ? run->seed : fresh_seed()};
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; rc == CMPD_OK && i < run->case_count; i++)
        rc = policy_case(&p, &run->cases[i], op, binding, err);
    if (rc == CMPD_OK && p.count > 0)
        special_inputs(&p, op);
    if (rc == CMPD_OK && run->case_count == 0)
        operator_cases(&p, op, binding, contract, large);
    if (rc == CMPD_OK && p.count == 0)
        rc = cmpd_err_set(
            err, CMPD_EINPUT,
            "none of the cases of operator %s fits %s; give shapes under \"cases\" in cmpd.json",
            op->name, binding->display);
    if (rc == CMPD_OK && run->only_case)
        rc = keep_only(&p, run, op, binding, err);
    else if (rc == CMPD_OK)
        add_repeats(&p);
    if (rc != CMPD_OK) {
        cmpd_plan_clear(&p);
        return rc;
    }
    *out = p;
    return CMPD_OK;
}

void cmpd_plan_clear(struct cmpd_plan *p)
{
    free(p->items);
    memset(p, 0, sizeof *p);
}

void cmpd_plan_add_jittered(struct cmpd_plan *p, size_t i, uint32_t ulp)
{
    if (p->count < CMPD_PLAN_CALLS_MAX)
        repeat(p, i)->jitter_ulp = ulp;
}
