/* Call records: dimensions, counts, tensors. */
#include <math.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "refs/ref.h"
#include "refs/words.h"

/* Elements of one tensor; beyond it the double-width results alone would not fit a machine's memory. */
#define COUNT_CEILING ((uint64_t)1 << 30)

int cmpd_ref_dim_index(const struct cmpd_ref_op *op, size_t arg)
{
    if (arg >= op->arg_count || op->args[arg].role != CMPD_ROLE_DIM) {
        return -1;
    }
    int index = 0;
    for (size_t i = 0; i < arg; i++) {
        index += op->args[i].role == CMPD_ROLE_DIM;
    }
    return index;
}

/* The argument that is dimension `d`. */
static const struct cmpd_ref_arg *dim_arg(const struct cmpd_ref_op *op, int d)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].role == CMPD_ROLE_DIM && d-- == 0) {
            return &op->args[i];
        }
    }
    return NULL;
}

/* The dimension of that name (not NUL-terminated); -1: none. */
static int dim_by_name(const struct cmpd_ref_op *op, struct cmpd_word name)
{
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        const struct cmpd_ref_arg *arg = dim_arg(op, d);
        if (!arg) {
            return -1;
        }
        if (cmpd_word_is(name, arg->name)) {
            return d;
        }
    }
    return -1;
}

static bool is_tensor(const struct cmpd_ref_arg *arg)
{
    return arg->role == CMPD_ROLE_IN || arg->role == CMPD_ROLE_OUT || arg->role == CMPD_ROLE_INOUT;
}

size_t cmpd_ref_count(const struct cmpd_ref_op *op, size_t arg, const struct cmpd_dims *dims)
{
    if (arg >= op->arg_count || !is_tensor(&op->args[arg])) {
        return 0;
    }
    uint64_t count = 1;
    const char *rest = op->args[arg].shape;
    struct cmpd_word word;
    while (cmpd_word_next(&rest, &word)) {
        int d = dim_by_name(op, word);
        if (d < 0 || dims->value[d] <= 0 || (uint64_t)dims->value[d] > COUNT_CEILING / count) {
            return 0;
        }
        count *= (uint64_t)dims->value[d];
    }
    return (size_t)count;
}

/* One round over one product; true: something was filled in. */
static bool complete_product(const struct cmpd_ref_op *op, struct cmpd_dims *dims, int d)
{
    int factors[CMPD_REF_DIMS_CEILING];
    int count = 0, unknown = -1, unknowns = 0;
    int64_t known = 1;
    const char *rest = dim_arg(op, d)->shape;
    struct cmpd_word word;
    while (cmpd_word_next(&rest, &word) && count < CMPD_REF_DIMS_CEILING) {
        int f = dim_by_name(op, word);
        if (f < 0) {
            return false;
        }
        factors[count++] = f;
        if (dims->value[f] == 0) {
            unknown = f;
            unknowns++;
        } else if (__builtin_mul_overflow(known, dims->value[f], &known)) {
            return false;
        }
    }
    int64_t *product = &dims->value[d];
    if (unknowns == 0 && *product == 0) {
        *product = known;
        return true;
    }
    if (unknowns == 0 || *product == 0 || *product % known != 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (dims->value[factors[i]] == 0) {
            dims->value[factors[i]] = factors[i] == unknown ? *product / known : 1;
        }
    }
    return true;
}

static cmpd_rc check_product(const struct cmpd_ref_op *op, const struct cmpd_dims *dims, int d,
                             struct cmpd_err *err)
{
    int64_t product = 1;
    const char *rest = dim_arg(op, d)->shape;
    struct cmpd_word word;
    while (cmpd_word_next(&rest, &word)) {
        int f = dim_by_name(op, word);
        if (f < 0 || __builtin_mul_overflow(product, dims->value[f], &product)) {
            product = -1;
            break;
        }
    }
    if (product != dims->value[d]) {
        return cmpd_err_set(err, CMPD_EINPUT, "%s: dimension %s is %lld, which is not %s", op->name,
                            dim_arg(op, d)->name, (long long)dims->value[d], dim_arg(op, d)->shape);
    }
    return CMPD_OK;
}

cmpd_rc cmpd_ref_dims_complete(const struct cmpd_ref_op *op, struct cmpd_dims *dims,
                               struct cmpd_err *err)
{
    bool more = true;
    while (more) {
        more = false;
        for (int d = 0; dim_arg(op, d); d++) {
            more |= dim_arg(op, d)->shape && complete_product(op, dims, d);
        }
    }
    for (int d = 0; dim_arg(op, d); d++) {
        const struct cmpd_ref_arg *arg = dim_arg(op, d);
        if (dims->value[d] == 0 && arg->optional && arg->default_value > 0) {
            dims->value[d] = (int64_t)arg->default_value;
        }
        if (dims->value[d] <= 0) {
            return cmpd_err_set(err, CMPD_EINPUT, "%s: dimension %s %s", op->name, arg->name,
                                dims->value[d] ? "is negative" : "is not given");
        }
    }
    for (int d = 0; dim_arg(op, d); d++) {
        if (dim_arg(op, d)->shape) {
            cmpd_rc rc = check_product(op, dims, d, err);
            if (rc != CMPD_OK) {
                return rc;
            }
        }
    }
    return CMPD_OK;
}

cmpd_rc cmpd_ref_call_init(struct cmpd_ref_call *call, const struct cmpd_ref_op *op,
                           const struct cmpd_dims *dims, enum cmpd_dtype dtype,
                           struct cmpd_err *err)
{
    struct cmpd_ref_call c = {.op = op, .dims = *dims, .dtype = dtype};
    if (op->arg_count > CMPD_REF_ARGS_CEILING) {
        return cmpd_err_set(err, CMPD_EINPUT, "%s: more than %d arguments", op->name,
                            CMPD_REF_ARGS_CEILING);
    }
    cmpd_rc rc = cmpd_ref_dims_complete(op, &c.dims, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    for (size_t i = 0; i < op->arg_count; i++) {
        if (is_tensor(&op->args[i]) && cmpd_ref_count(op, i, &c.dims) == 0) {
            return cmpd_err_set(err, CMPD_ELIMIT, "%s: tensor %s has too many elements", op->name,
                                op->args[i].name);
        }
    }
    for (size_t i = 0; i < op->arg_count; i++) {
        const struct cmpd_ref_arg *arg = &op->args[i];
        if (!is_tensor(arg)) {
            c.scalars[i] = arg->role == CMPD_ROLE_SCALAR ? arg->default_value : 0;
            continue;
        }
        struct cmpd_tensor *t = &c.tensors[i];
        t->count = cmpd_ref_count(op, i, &c.dims);
        t->dtype = arg->fixed_dtype < 0 ? dtype : (enum cmpd_dtype)arg->fixed_dtype;
        t->data = cmpd_calloc(t->count, cmpd_dtype_size(t->dtype));
    }
    *call = c;
    return CMPD_OK;
}

void cmpd_ref_call_clear(struct cmpd_ref_call *call)
{
    for (size_t i = 0; i < CMPD_REF_ARGS_CEILING; i++) {
        free(call->tensors[i].data);
    }
    memset(call, 0, sizeof *call);
}

void cmpd_ref_call_default(struct cmpd_ref_call *call, size_t arg)
{
    const struct cmpd_ref_arg *a = &call->op->args[arg];
    if (a->role == CMPD_ROLE_SCALAR) {
        call->scalars[arg] = a->default_value;
        return;
    }
    struct cmpd_tensor *t = &call->tensors[arg];
    for (size_t i = 0; i < t->count; i++) {
        cmpd_tensor_set(t, i, a->default_value);
    }
}

cmpd_rc cmpd_ref_compute(const struct cmpd_ref_call *call, double *const expected[],
                         struct cmpd_err *err)
{
    if (call->op->compute_outside) {
        return call->op->compute_outside(call, expected, err);
    }
    call->op->compute(call, expected);
    return CMPD_OK;
}

struct cmpd_tolerance cmpd_ref_tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    if (call->op->tolerance) {
        return call->op->tolerance(call, arg);
    }
    return cmpd_ref_default_tolerance(call->tensors[arg].dtype);
}

struct cmpd_tolerance cmpd_ref_default_tolerance(enum cmpd_dtype dtype)
{
    switch (dtype) {
    case CMPD_F32:
        return (struct cmpd_tolerance){1e-5, 1e-4};
    case CMPD_F64:
        return (struct cmpd_tolerance){1e-10, 1e-8};
    case CMPD_F16:
    case CMPD_BF16:
        return (struct cmpd_tolerance){1e-2, 1e-2};
    default:
        return (struct cmpd_tolerance){0, 0};
    }
}
