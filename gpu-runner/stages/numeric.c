#include "gpu-runner/stages/numeric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"

static struct cmpd_numeric_fault *fault_take(struct cmpd_numeric *n, enum cmpd_tag tag,
                                             char *message)
{
    n->ok = false;
    if (n->fault_count == CMPD_NUMERIC_FAULTS_CEILING) {
        free(message);
        return NULL;
    }
    struct cmpd_numeric_fault *f = &n->faults[n->fault_count++];
    f->tag = tag;
    f->message = message;
    return f;
}

/* The source line that stored a byte, where the device knows. */
static void blame(struct cmpd_numeric_fault *f, struct cmpd_call *c,
                  const struct cmpd_call_buffer *b, uint64_t offset)
{
    const char *file = NULL;
    uint32_t line = 0;
    struct cmpd_device *d = c->device;
    if (!f || b->host || !d->ops->writer || offset >= b->bytes)
        return;
    if (d->ops->writer(d, b->address + offset, &file, &line, NULL) != CMPD_OK)
        return;
    f->file = cmpd_strdup(file);
    f->line = line;
}

/* "out[3][17]" */
static void element_name(const struct cmpd_call *c, size_t arg, size_t index, char *out,
                         size_t size)
{
    const struct cmpd_ref_arg *a = &c->op->args[arg];
    int64_t extent[CMPD_REF_RANK_CEILING];
    size_t rank = 0, at[CMPD_REF_RANK_CEILING];
    CMPD_AUTOFREE char *shape = cmpd_strdup(a->shape ? a->shape : "");
    char *save = NULL;
    for (char *name = strtok_r(shape, " ", &save); name && rank < CMPD_REF_RANK_CEILING;
         name = strtok_r(NULL, " ", &save)) {
        extent[rank] = 1;
        for (size_t i = 0; i < c->op->arg_count; i++) {
            int d = cmpd_ref_dim_index(c->op, i);
            if (d >= 0 && strcmp(c->op->args[i].name, name) == 0)
                extent[rank] = c->ref.dims.value[d];
        }
        rank++;
    }
    for (size_t r = rank; r-- > 0;) {
        size_t e = extent[r] > 0 ? (size_t)extent[r] : 1;
        at[r] = index % e;
        index /= e;
    }
    size_t used = (size_t)snprintf(out, size, "%s", a->name);
    for (size_t r = 0; r < rank && used < size; r++)
        used += (size_t)snprintf(out + used, size - used, "[%zu]", at[r]);
}

/* ---- written, and with what ---- */

static void say_unwritten(struct cmpd_numeric *n, struct cmpd_call *c, size_t arg,
                          const struct cmpd_call_buffer *b, uint64_t count, uint64_t first)
{
    char name[128];
    unsigned unit = cmpd_dtype_size(c->ref.tensors[arg].dtype);
    element_name(c, arg, first / unit, name, sizeof name);
    uint64_t elements = (count + unit - 1) / unit, all = b->bytes / unit;
    struct cmpd_numeric_fault *f = fault_take(
        n, CMPD_TAG_output_not_written,
        elements >= all
            ? cmpd_asprintf("nothing was written to %s (%llu elements)", c->op->args[arg].name,
                            (unsigned long long)all)
            : cmpd_asprintf("%llu of %llu elements of %s were never written, the first is %s",
                            (unsigned long long)elements, (unsigned long long)all,
                            c->op->args[arg].name, name));
    if (f)
        f->whole = elements >= all;
}

static void say_undefined(struct cmpd_numeric *n, struct cmpd_call *c, size_t arg,
                          const struct cmpd_call_buffer *b, uint64_t first)
{
    char name[128];
    element_name(c, arg, first / cmpd_dtype_size(c->ref.tensors[arg].dtype), name, sizeof name);
    blame(fault_take(n, CMPD_TAG_uninitialized_read,
                     cmpd_asprintf("%s is computed from memory that nothing wrote", name)),
          c, b, first);
}

/* Values that were computed from memory that nobody wrote: where it was read is for the device to say. */
static cmpd_rc undefined_values(struct cmpd_call *c, size_t param, const struct cmpd_call_buffer *b,
                                const struct cmpd_server_record *record, struct cmpd_numeric *n,
                                struct cmpd_err *err)
{
    struct cmpd_sightings own = {0};
    const struct cmpd_sightings *seen = &own;
    cmpd_rc rc = CMPD_OK;
    if (!b->host && c->device->ops->undefined && b->bytes)
        rc = c->device->ops->undefined(c->device, b->address, b->bytes, &own, err);
    for (size_t i = 0; b->host && i < record->host_count; i++) {
        if (record->hosts[i].arg == param)
            seen = &record->hosts[i].undefined;
    }
    for (size_t i = 0; rc == CMPD_OK && i < seen->count; i++) {
        struct cmpd_numeric_fault *f = fault_take(n, seen->items[i].tag,
                                                  cmpd_strdup(seen->items[i].message));
        if (!f)
            break;
        f->file = cmpd_strdup(seen->items[i].file);
        f->line = seen->items[i].line;
    }
    cmpd_sightings_clear(&own);
    return rc;
}

/* False: the buffer holds bytes that have no meaning, so there is nothing to compare. */
static cmpd_rc defined_on_device(struct cmpd_call *c, size_t param, size_t arg,
                                 const struct cmpd_call_buffer *b,
                                 const struct cmpd_server_record *record, struct cmpd_numeric *n,
                                 bool *defined, struct cmpd_err *err)
{
    struct cmpd_device *d = c->device;
    uint64_t count = 0, first = 0;
    const char *file;
    uint32_t line;
    size_t faults = n->fault_count;
    *defined = true;
    if (!d->ops->unwritten || b->bytes == 0)
        return CMPD_OK;
    cmpd_rc rc = d->ops->unwritten(d, b->address, b->bytes, &count, &first, err);
    if (rc != CMPD_OK || count == 0)
        return rc;
    *defined = false;
    rc = undefined_values(c, param, b, record, n, err);
    if (rc != CMPD_OK || n->fault_count > faults)
        return rc;
    if (d->ops->writer && d->ops->writer(d, b->address + first, &file, &line, NULL) == CMPD_OK)
        say_undefined(n, c, arg, b, first);
    else
        say_unwritten(n, c, arg, b, count, first);
    return CMPD_OK;
}

/* Host memory has no shadow: an element that still holds the poison was not written. */
static bool defined_on_host(struct cmpd_call *c, size_t arg, const struct cmpd_call_buffer *b,
                            struct cmpd_numeric *n)
{
    unsigned unit = cmpd_dtype_size(c->ref.tensors[arg].dtype);
    const uint8_t *before = b->before, *after = b->after;
    uint64_t count = 0, first = 0;
    for (uint64_t i = 0; i + unit <= b->bytes; i += unit) {
        if (memcmp(before + i, after + i, unit) != 0)
            continue;
        first = count ? first : i;
        count += unit;
    }
    if (count)
        say_unwritten(n, c, arg, b, count, first);
    return count == 0;
}

/* ---- values ---- */

static double largest(const double *v, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fabs(v[i]) > most ? fabs(v[i]) : most;
    return most > 0 ? most : 1;
}

static void say_wrong(struct cmpd_numeric *n, struct cmpd_call *c, size_t arg,
                      const struct cmpd_call_buffer *b, const struct cmpd_comparison *r,
                      struct cmpd_tolerance tol)
{
    char name[128];
    element_name(c, arg, r->first, name, sizeof name);
    size_t count = c->ref.tensors[arg].count;
    double allowed = tol.atol + tol.rtol * fabs(r->expected), off = fabs(r->got - r->expected);
    bool odd = r->nonfinite > 0 && !isfinite(r->got) && isfinite(r->expected);
    uint64_t wrong = r->wrong + r->nonfinite;
    char *message =
        odd ? cmpd_asprintf(
                  "%s is %g where the reference has %.7g; %llu of %zu elements are NaN or infinite",
                  name, r->got, r->expected, (unsigned long long)r->nonfinite, count)
            : cmpd_asprintf(
                  "%s is %.9g, the reference has %.9g (off by %.3g, allowed %.3g); %llu of %zu elements are "
                  "wrong",
                  name, r->got, r->expected, off, allowed, (unsigned long long)wrong, count);
    n->nonfinite |= odd;
    n->relative = off / largest(c->expected[arg], count);
    n->excess = odd ? INFINITY : allowed > 0 ? off / allowed : INFINITY;
    blame(fault_take(n, odd ? CMPD_TAG_output_nan_inf : CMPD_TAG_numeric_mismatch, message), c, b,
          (uint64_t)r->first * cmpd_dtype_size(c->ref.tensors[arg].dtype));
}

/* Within the policy's tolerance, else the operator's; how far off goes into the sums. */
static struct cmpd_tolerance measure(struct cmpd_numeric *n, const struct cmpd_call *c, size_t arg,
                                     const struct cmpd_tensor *got,
                                     const struct cmpd_numeric_limits *limits,
                                     struct cmpd_comparison *out)
{
    struct cmpd_tolerance tol = cmpd_ref_tolerance(&c->ref, arg);
    if (limits->has_atol)
        tol.atol = limits->atol;
    if (limits->has_rtol)
        tol.rtol = limits->rtol;
    cmpd_compare(got, c->expected[arg], tol, out);
    n->atol = fmax(n->atol, tol.atol);
    n->rtol = fmax(n->rtol, tol.rtol);
    n->max_abs_err = fmax(n->max_abs_err, out->max_abs_err);
    n->max_rel_err = fmax(n->max_rel_err, out->max_rel_err);
    return tol;
}

static void compare(struct cmpd_numeric *n, struct cmpd_call *c, size_t arg,
                    const struct cmpd_call_buffer *b, const struct cmpd_numeric_limits *limits)
{
    struct cmpd_tensor got = {b->after, c->ref.tensors[arg].count, c->ref.tensors[arg].dtype};
    struct cmpd_comparison r;
    struct cmpd_tolerance tol = measure(n, c, arg, &got, limits, &r);
    if (!r.ok)
        say_wrong(n, c, arg, b, &r, tol);
}

void cmpd_numeric_judge_result(struct cmpd_call *c, uint64_t bits,
                               const struct cmpd_numeric_limits *limits, struct cmpd_numeric *n)
{
    const struct cmpd_bind_param *ret = &c->binding->ret;
    struct cmpd_tensor got = {&bits, 1, ret->dtype};
    struct cmpd_comparison r;
    if (ret->role != CMPD_ROLE_OUT || ret->arg < 0 || ret->pass == CMPD_BIND_VOID)
        return;
    measure(n, c, (size_t)ret->arg, &got, limits, &r);
    if (!r.ok)
        fault_take(n, r.nonfinite ? CMPD_TAG_output_nan_inf : CMPD_TAG_numeric_mismatch,
                   cmpd_asprintf("the result is %.9g, the reference has %.9g", r.got, r.expected));
}

/* ---- inputs ---- */

static void unchanged(struct cmpd_numeric *n, struct cmpd_call *c, size_t arg,
                      const struct cmpd_call_buffer *b)
{
    const uint8_t *before = b->before, *after = b->after;
    uint64_t i = 0;
    while (i < b->bytes && before[i] == after[i])
        i++;
    if (i == b->bytes)
        return;
    char name[128];
    element_name(c, arg, i / cmpd_dtype_size(c->ref.tensors[arg].dtype), name, sizeof name);
    blame(fault_take(n, CMPD_TAG_input_modified, cmpd_asprintf("the input %s was changed", name)),
          c, b, i);
}

static cmpd_rc judge_output(struct cmpd_call *c, size_t param,
                            const struct cmpd_server_record *record,
                            const struct cmpd_numeric_limits *limits, struct cmpd_numeric *n,
                            struct cmpd_err *err)
{
    struct cmpd_call_buffer *b = &c->buffers[param];
    size_t arg = (size_t)cmpd_call_output(&c->binding->params[param]);
    bool defined = true;
    cmpd_rc rc = CMPD_OK;
    size_t faults = n->fault_count;
    if (!b->host)
        rc = defined_on_device(c, param, arg, b, record, n, &defined, err);
    else if (c->binding->params[param].role == CMPD_ROLE_OUT)
        defined = defined_on_host(c, arg, b, n);
    if (rc == CMPD_OK && b->host)
        rc = undefined_values(c, param, b, record, n, err);
    if (rc != CMPD_OK)
        return rc;
    defined &= n->fault_count == faults;
    if (defined)
        compare(n, c, arg, b, limits);
    n->compared &= defined;
    return CMPD_OK;
}

cmpd_rc cmpd_numeric_judge(struct cmpd_call *c, const struct cmpd_server_record *record, bool host,
                           const struct cmpd_numeric_limits *limits, struct cmpd_numeric *n,
                           struct cmpd_err *err)
{
    for (size_t i = 0; i < c->binding->param_count; i++) {
        const struct cmpd_bind_param *p = &c->binding->params[i];
        const struct cmpd_call_buffer *b = &c->buffers[i];
        if (!b->used || b->host != host || p->role == CMPD_ROLE_WORKSPACE)
            continue;
        if (!b->after) { /* freed by the candidate: the sighting says so */
            n->compared = n->ok = false;
            continue;
        }
        cmpd_rc rc = CMPD_OK;
        if (cmpd_call_output(p) >= 0)
            rc = judge_output(c, i, record, limits, n, err);
        else
            unchanged(n, c, (size_t)p->arg, b);
        if (rc != CMPD_OK)
            return rc;
    }
    return CMPD_OK;
}

void cmpd_numeric_clear(struct cmpd_numeric *n)
{
    for (size_t i = 0; i < n->fault_count; i++) {
        free(n->faults[i].file);
        free(n->faults[i].message);
    }
    memset(n, 0, sizeof *n);
}

bool cmpd_numeric_same(const struct cmpd_call *a, const void *const after[], char **message)
{
    for (size_t i = 0; i < a->binding->param_count; i++) {
        const struct cmpd_call_buffer *b = &a->buffers[i];
        const struct cmpd_bind_param *p = &a->binding->params[i];
        if (!b->used || cmpd_call_output(p) < 0 || !b->after || !after[i])
            continue;
        size_t arg = (size_t)cmpd_call_output(p);
        unsigned unit = cmpd_dtype_size(a->ref.tensors[arg].dtype);
        const uint8_t *x = b->after, *y = after[i];
        uint64_t at = 0;
        while (at + unit <= b->bytes && memcmp(x + at, y + at, unit) == 0)
            at += unit;
        if (at + unit > b->bytes)
            continue;
        char name[128];
        element_name(a, arg, at / unit, name, sizeof name);
        struct cmpd_tensor tx = {(void *)x, b->bytes / unit, a->ref.tensors[arg].dtype}, ty = tx;
        ty.data = (void *)y;
        *message = cmpd_asprintf("%s is %.9g in one order of threads and %.9g in another", name,
                                 cmpd_tensor_get(&ty, at / unit), cmpd_tensor_get(&tx, at / unit));
        return false;
    }
    return true;
}
