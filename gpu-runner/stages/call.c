#include "gpu-runner/stages/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/formula.h"

/* Where nobody says how large a workspace has to be: room for partial results of any common scheme. */
#define WORKSPACE_FLOOR_BYTES   ((uint64_t)1 << 20)
#define WORKSPACE_CEILING_BYTES ((uint64_t)1 << 30)

static bool is_output(enum cmpd_role r)
{
    return r == CMPD_ROLE_OUT || r == CMPD_ROLE_INOUT;
}

int cmpd_call_output(const struct cmpd_bind_param *p)
{
    if (!is_output(p->role))
        return -1;
    return p->role == CMPD_ROLE_INOUT && p->out_arg >= 0 ? p->out_arg : p->arg;
}

static bool has_buffer(const struct cmpd_bind_param *p)
{
    return p->pass == CMPD_BIND_POINTER && !p->is_null &&
           (p->role == CMPD_ROLE_IN || is_output(p->role) || p->role == CMPD_ROLE_WORKSPACE);
}

/* ---- what the operator sees ---- */

static cmpd_rc expect(struct cmpd_call *c, struct cmpd_err *err)
{
    for (size_t i = 0; i < c->op->arg_count; i++) {
        if (is_output(c->op->args[i].role))
            c->expected[i] = cmpd_calloc(c->ref.tensors[i].count + 1, sizeof(double));
    }
    return cmpd_ref_compute(&c->ref, c->expected, err);
}

/* Results of another dtype than the inputs (half in, float out), and scalars that the policy or a default fixes. */
static void as_bound(struct cmpd_call *c)
{
    for (size_t i = 0; i < c->binding->param_count; i++) {
        const struct cmpd_bind_param *p = &c->binding->params[i];
        struct cmpd_tensor *t = p->arg >= 0 ? &c->ref.tensors[p->arg] : NULL;
        if (p->role == CMPD_ROLE_SCALAR && p->fixed && p->arg >= 0)
            c->ref.scalars[p->arg] = p->value;
        if (p->role != CMPD_ROLE_OUT || !t || t->dtype == p->dtype)
            continue;
        free(t->data);
        t->dtype = p->dtype;
        t->data = cmpd_calloc(t->count + 1, cmpd_dtype_size(t->dtype));
    }
}

static cmpd_rc fill_operator(struct cmpd_call *c, const struct cmpd_plan_case *planned,
                             unsigned approximations, struct cmpd_err *err)
{
    cmpd_rc rc = cmpd_ref_call_init(&c->ref, c->op, &planned->dims, planned->dtype, err);
    if (rc != CMPD_OK)
        return rc;
    c->ref.approximations = approximations;
    c->op->generate(&c->ref, planned->inputs[0] ? planned->inputs : "mixed", planned->seed);
    for (size_t i = 0; i < c->op->arg_count; i++) {
        if (!c->binding->arg_bound[i] && c->op->args[i].optional)
            cmpd_ref_call_default(&c->ref, i);
    }
    as_bound(c);
    return expect(c, err);
}

/* ---- buffers ---- */

static uint64_t workspace_bytes(const struct cmpd_call *c, const struct cmpd_bind_param *p)
{
    struct cmpd_formula_value names[CMPD_REF_DIMS_CEILING];
    size_t count = 0;
    int64_t value = 0;
    uint64_t largest = 0;
    for (size_t i = 0; i < c->op->arg_count; i++) {
        int d = cmpd_ref_dim_index(c->op, i);
        if (d >= 0)
            names[count++] = (struct cmpd_formula_value){c->op->args[i].name, c->ref.dims.value[d]};
        uint64_t bytes = (uint64_t)c->ref.tensors[i].count *
                         cmpd_dtype_size(c->ref.tensors[i].dtype);
        largest = bytes > largest ? bytes : largest;
    }
    if (p->workspace_bytes &&
        cmpd_formula_eval(p->workspace_bytes, names, count, &value, NULL) == CMPD_OK && value > 0)
        return (uint64_t)value < WORKSPACE_CEILING_BYTES ? (uint64_t)value
                                                         : WORKSPACE_CEILING_BYTES;
    return WORKSPACE_FLOOR_BYTES + 4 * largest;
}

/* Outputs hold poison before; a kernel that adds to its output finds there what its caller owes it. */
static void fill_before(struct cmpd_call *c, const struct cmpd_bind_param *p,
                        struct cmpd_call_buffer *b, uint8_t poison)
{
    const struct cmpd_tensor *t = p->arg >= 0 ? &c->ref.tensors[p->arg] : NULL;
    b->before = cmpd_calloc(b->bytes + 1, 1);
    if (t && (p->role == CMPD_ROLE_IN || p->role == CMPD_ROLE_INOUT)) {
        memcpy(b->before, t->data, b->bytes);
        return;
    }
    if (p->starts_zero)
        return;
    memset(b->before, poison, b->bytes);
    if (t && c->binding->task == CMPD_BIND_KERNEL && c->op->args[p->arg].accumulates) {
        struct cmpd_tensor view = {b->before, t->count, t->dtype};
        for (size_t i = 0; i < t->count; i++)
            cmpd_tensor_set(&view, i, c->op->args[p->arg].identity);
    }
}

static bool starts_defined(const struct cmpd_call *c, const struct cmpd_bind_param *p)
{
    return p->role == CMPD_ROLE_IN || p->role == CMPD_ROLE_INOUT || p->starts_zero ||
           (p->role == CMPD_ROLE_OUT && c->binding->task == CMPD_BIND_KERNEL &&
            c->op->args[p->arg].accumulates);
}

static cmpd_rc fill_on_device(struct cmpd_call *c, const struct cmpd_bind_param *p,
                              const struct cmpd_call_buffer *b, uint8_t poison,
                              struct cmpd_err *err)
{
    struct cmpd_device *d = c->device;
    if (b->bytes == 0)
        return CMPD_OK;
    if (starts_defined(c, p))
        return d->ops->write(d, b->address, b->before, b->bytes, err);
    return d->ops->poison(d, b->address, poison, b->bytes, err);
}

static cmpd_rc put_on_device(struct cmpd_call *c, const struct cmpd_bind_param *p,
                             struct cmpd_call_buffer *b, const char *name, uint8_t poison,
                             struct cmpd_err *err)
{
    struct cmpd_device *d = c->device;
    if (b->address && b->bytes && fill_on_device(c, p, b, poison, NULL) == CMPD_OK)
        return CMPD_OK;
    if (b->address) /* of no bytes, or the candidate freed it */
        d->ops->free(d, b->address, NULL);
    b->address = 0;
    cmpd_rc rc = d->ops->alloc(d, b->bytes, CMPD_MEMORY_DEVICE, -1, name, &b->address, err);
    return rc == CMPD_OK ? fill_on_device(c, p, b, poison, err) : rc;
}

static cmpd_rc make_buffer(struct cmpd_call *c, size_t i, enum cmpd_bind_side side, uint8_t poison,
                           struct cmpd_err *err)
{
    const struct cmpd_bind_param *p = &c->binding->params[i];
    struct cmpd_call_buffer *b = &c->buffers[i];
    const char *name = p->arg >= 0 ? c->op->args[p->arg].name : "workspace";
    b->used = true;
    b->host = side == CMPD_BIND_HOST;
    b->bytes = p->role == CMPD_ROLE_WORKSPACE ? workspace_bytes(c, p)
                                              : (uint64_t)c->ref.tensors[p->arg].count *
                                                    cmpd_dtype_size(c->ref.tensors[p->arg].dtype);
    fill_before(c, p, b, poison);
    return b->host ? CMPD_OK : put_on_device(c, p, b, name, poison, err);
}

/* ---- arguments ---- */

static uint64_t bits_of(const struct cmpd_bind_param *p, double v)
{
    uint64_t bits = 0;
    if (p->pass == CMPD_BIND_SIGNED || p->pass == CMPD_BIND_UNSIGNED) {
        bits = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
    } else if (p->pass == CMPD_BIND_HALF) {
        struct cmpd_tensor t = {&bits, 1, p->elem == CMPD_SIG_BF16 ? CMPD_BF16 : CMPD_F16};
        cmpd_tensor_set(&t, 0, v);
    } else if (p->size_bytes == 4) {
        float f = (float)v;
        memcpy(&bits, &f, sizeof f);
    } else {
        memcpy(&bits, &v, sizeof v);
    }
    return bits;
}

static uint64_t number_of(const struct cmpd_call *c, const struct cmpd_bind_param *p)
{
    if (p->role == CMPD_ROLE_DIM) {
        int64_t n = cmpd_bind_dim(p, c->op, &c->ref.dims);
        return p->pass == CMPD_BIND_FLOAT ? bits_of(p, (double)n) : (uint64_t)n;
    }
    return p->role == CMPD_ROLE_SCALAR
               ? bits_of(p, p->fixed || p->arg < 0 ? p->value : c->ref.scalars[p->arg])
               : 0;
}

enum cmpd_wire_type cmpd_call_wire_type(const struct cmpd_bind_param *p)
{
    static const enum cmpd_wire_type is[] = {CMPD_WIRE_I8, CMPD_WIRE_I16, CMPD_WIRE_I32,
                                             CMPD_WIRE_I64};
    static const enum cmpd_wire_type us[] = {CMPD_WIRE_U8, CMPD_WIRE_U16, CMPD_WIRE_U32,
                                             CMPD_WIRE_U64};
    unsigned step = p->size_bytes >= 8 ? 3 : p->size_bytes >= 4 ? 2 : p->size_bytes >= 2 ? 1 : 0;
    switch (p->pass) {
    case CMPD_BIND_VOID:
        return CMPD_WIRE_VOID;
    case CMPD_BIND_SIGNED:
        return is[step];
    case CMPD_BIND_UNSIGNED:
        return us[step];
    case CMPD_BIND_FLOAT:
        return p->size_bytes == 4 ? CMPD_WIRE_F32 : CMPD_WIRE_F64;
    case CMPD_BIND_HALF:
        return CMPD_WIRE_F16;
    case CMPD_BIND_POINTER:
        break;
    }
    return p->role == CMPD_ROLE_STREAM ? CMPD_WIRE_STREAM : CMPD_WIRE_POINTER_DEVICE;
}

static void make_arg(struct cmpd_call *c, size_t i)
{
    const struct cmpd_bind_param *p = &c->binding->params[i];
    struct cmpd_call_buffer *b = &c->buffers[i];
    struct cmpd_server_arg *a = &c->args[i];
    a->type = cmpd_call_wire_type(p);
    a->name = p->arg >= 0 ? c->op->args[p->arg].name : NULL;
    if (b->used) {
        a->type = b->host ? CMPD_WIRE_POINTER_HOST : CMPD_WIRE_POINTER_DEVICE;
        a->value = b->address;
        a->bytes = b->bytes;
        a->data = b->host ? b->before : NULL;
    } else {
        a->value = number_of(c, p);
    }
    if (p->by_reference) { /* const int &n: a pointer to the number, in the candidate's memory */
        b->before = cmpd_calloc(8, 1);
        memcpy(b->before, &a->value, sizeof a->value);
        *a = (struct cmpd_server_arg){CMPD_WIRE_POINTER_HOST, a->name, 0, p->size_bytes, b->before};
    }
}

cmpd_rc cmpd_call_make(struct cmpd_call *c, struct cmpd_device *device,
                       const struct cmpd_ref_op *op, const struct cmpd_binding *binding,
                       const enum cmpd_bind_side side[], const struct cmpd_plan_case *planned,
                       uint64_t again[], unsigned approximations, struct cmpd_err *err)
{
    memset(c, 0, sizeof *c);
    c->binding = binding;
    c->op = op;
    c->device = device;
    for (size_t i = 0; again && i < binding->param_count; i++) {
        c->buffers[i].address = again[i];
        again[i] = 0;
    }
    cmpd_rc rc = fill_operator(c, planned, approximations, err);
    for (size_t i = 0; rc == CMPD_OK && i < binding->param_count; i++) {
        if (has_buffer(&binding->params[i]))
            rc = make_buffer(c, i, side[i], planned->poison, err);
        if (rc == CMPD_OK)
            make_arg(c, i);
    }
    if (rc != CMPD_OK)
        cmpd_call_clear(c);
    return rc;
}

void cmpd_call_clear(struct cmpd_call *c)
{
    for (size_t i = 0; i < CMPD_SIG_PARAMS_CEILING; i++) {
        struct cmpd_call_buffer *b = &c->buffers[i];
        if (b->address)
            c->device->ops->free(c->device, b->address,
                                 NULL); /* gone already where the candidate freed it */
        free(b->before);
        free(b->after);
    }
    for (size_t i = 0; i < CMPD_REF_ARGS_CEILING; i++)
        free(c->expected[i]);
    cmpd_ref_call_clear(&c->ref);
    memset(c, 0, sizeof *c);
}

/* ---- what came back ---- */

cmpd_rc cmpd_call_read_device(struct cmpd_call *c, struct cmpd_err *err)
{
    for (size_t i = 0; i < c->binding->param_count; i++) {
        struct cmpd_call_buffer *b = &c->buffers[i];
        if (!b->used || b->host || !b->address || c->binding->params[i].role == CMPD_ROLE_WORKSPACE)
            continue;
        void *after = cmpd_calloc(b->bytes + 1, 1);
        cmpd_rc rc = b->bytes ? c->device->ops->read(c->device, after, b->address, b->bytes, err)
                              : CMPD_OK;
        if (rc == CMPD_OK)
            b->after = after;
        else
            free(after);
        if (rc != CMPD_OK &&
            rc != CMPD_EINPUT) /* EINPUT: the candidate freed it; that is a sighting */
            return rc;
    }
    return CMPD_OK;
}

void cmpd_call_take_hosts(struct cmpd_call *c, const struct cmpd_server_record *record)
{
    for (size_t h = 0; h < record->host_count; h++) {
        const struct cmpd_server_host *from = &record->hosts[h];
        if (from->arg >= c->binding->param_count || !from->data)
            continue;
        struct cmpd_call_buffer *b = &c->buffers[from->arg];
        if (!b->used || b->after || from->bytes != b->bytes)
            continue;
        b->after = cmpd_calloc(b->bytes + 1, 1);
        memcpy(b->after, from->data, b->bytes);
    }
}

cmpd_rc cmpd_call_params(const struct cmpd_call *c, const struct cmpd_kernel_info *kernel,
                         uint8_t *out, size_t size, struct cmpd_err *err)
{
    if (kernel->param_count != c->binding->param_count || kernel->param_bytes > size)
        return cmpd_err_set(err, CMPD_EINPUT,
                            "%s has %u parameters in the object's code and %zu in the text",
                            c->binding->display, kernel->param_count, c->binding->param_count);
    memset(out, 0, size);
    for (size_t i = 0; i < c->binding->param_count; i++) {
        uint32_t at = kernel->param_offsets[i], bytes = kernel->param_sizes[i];
        if (bytes > sizeof c->args[i].value || at + bytes > kernel->param_bytes)
            return cmpd_err_set(err, CMPD_EINPUT,
                                "parameter %zu of %s has %u bytes in the object's code", i + 1,
                                c->binding->display, bytes);
        memcpy(out + at, &c->args[i].value, bytes);
    }
    return CMPD_OK;
}

void cmpd_call_shape(const struct cmpd_call *c, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < c->op->arg_count && used < size; i++) {
        int d = cmpd_ref_dim_index(c->op, i);
        if (d >= 0 && !c->op->args[i].shape)
            used += (size_t)snprintf(out + used, size - used, "%s%s=%lld", used ? " " : "",
                                     c->op->args[i].name, (long long)c->ref.dims.value[d]);
    }
}
