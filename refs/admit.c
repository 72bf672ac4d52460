#include "refs/admit.h"

#include <math.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "refs/dtype.h"

const char *cmpd_trick_name(enum cmpd_trick t)
{
    static const char *const NAMES[CMPD_TRICK_COUNT] = {
        [CMPD_TRICK_ZEROS] = "zeros",
        [CMPD_TRICK_ONES] = "ones",
        [CMPD_TRICK_MEAN] = "a constant",
        [CMPD_TRICK_COPY] = "a copy of an input",
        [CMPD_TRICK_HALF] = "a recompute in half",
        [CMPD_TRICK_STALE] = "the result for other inputs",
        [CMPD_TRICK_NAN] = "NaN",
    };
    return NAMES[t];
}

/* One case under trial. */
struct trial {
    struct cmpd_ref_call call;  /* the true inputs; its outputs hold what a trick gives */
    struct cmpd_ref_call other; /* other inputs of the same shape */
    double *expected[CMPD_REF_ARGS_CEILING];
    double *altered[CMPD_REF_ARGS_CEILING]; /* the true formula on altered inputs */
    const struct cmpd_tolerance *tolerance; /* borrowed; NULL: the operator's */
    struct cmpd_admission *out;
};

static bool is_output(const struct cmpd_ref_op *op, size_t i)
{
    return i < op->arg_count &&
           (op->args[i].role == CMPD_ROLE_OUT || op->args[i].role == CMPD_ROLE_INOUT);
}

static bool is_input(const struct cmpd_ref_op *op, size_t i)
{
    return i < op->arg_count &&
           (op->args[i].role == CMPD_ROLE_IN || op->args[i].role == CMPD_ROLE_INOUT);
}

static void trial_clear(struct trial *t)
{
    for (size_t i = 0; i < CMPD_REF_ARGS_CEILING; i++) {
        free(t->expected[i]);
        free(t->altered[i]);
    }
    cmpd_ref_call_clear(&t->call);
    cmpd_ref_call_clear(&t->other);
}

/* Outputs as given by `values`; refused when any output's comparison refuses it. */
static void judge(struct trial *t, enum cmpd_trick trick, double *const values[])
{
    bool refused = false;
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        if (!is_output(t->call.op, i)) {
            continue;
        }
        struct cmpd_tensor given = t->call.tensors[i];
        given.data = cmpd_calloc(given.count, cmpd_dtype_size(given.dtype));
        for (size_t e = 0; e < given.count; e++) {
            cmpd_tensor_set(&given, e, values[i][e]);
        }
        struct cmpd_tolerance tol = t->tolerance ? *t->tolerance : cmpd_ref_tolerance(&t->call, i);
        struct cmpd_comparison c;
        cmpd_compare(&given, t->expected[i], tol, &c);
        refused = refused || !c.ok;
        free(given.data);
    }
    t->out->tried[trick]++;
    t->out->caught[trick] += refused;
}

static void judge_constant(struct trial *t, enum cmpd_trick trick, double v)
{
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        for (size_t e = 0; is_output(t->call.op, i) && e < t->call.tensors[i].count; e++) {
            t->altered[i][e] = v;
        }
    }
    judge(t, trick, t->altered);
}

static void judge_mean(struct trial *t)
{
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        if (!is_output(t->call.op, i)) {
            continue;
        }
        size_t count = t->call.tensors[i].count;
        double sum = 0;
        if (count < 2) {
            return;
        }
        for (size_t e = 0; e < count; e++) {
            sum += t->expected[i][e];
        }
        for (size_t e = 0; e < count; e++) {
            t->altered[i][e] = sum / (double)count;
        }
    }
    judge(t, CMPD_TRICK_MEAN, t->altered);
}

/* All outputs from one input; not tried where that input is too short. */
static void judge_copy(struct trial *t, size_t from)
{
    const struct cmpd_tensor *source = &t->call.tensors[from];
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        if (is_output(t->call.op, i) && t->call.tensors[i].count > source->count) {
            return;
        }
    }
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        for (size_t e = 0; is_output(t->call.op, i) && e < t->call.tensors[i].count; e++) {
            t->altered[i][e] = cmpd_tensor_get(source, e);
        }
    }
    judge(t, CMPD_TRICK_COPY, t->altered);
}

/* The true formula on t->other's inputs. */
static cmpd_rc judge_other(struct trial *t, enum cmpd_trick trick, struct cmpd_err *err)
{
    cmpd_rc rc = cmpd_ref_compute(&t->other, t->altered, err);
    if (rc == CMPD_OK) {
        judge(t, trick, t->altered);
    }
    return rc;
}

static cmpd_rc judge_half(struct trial *t, struct cmpd_err *err)
{
    bool any = false;
    memcpy(t->other.scalars, t->call.scalars, sizeof t->other.scalars);
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        const struct cmpd_tensor *from = &t->call.tensors[i];
        if (!is_input(t->call.op, i)) {
            continue;
        }
        bool wide = from->dtype == CMPD_F32 || from->dtype == CMPD_F64;
        any = any || wide;
        for (size_t e = 0; e < from->count; e++) {
            double v = cmpd_tensor_get(from, e);
            cmpd_tensor_set(&t->other.tensors[i], e, wide ? cmpd_dtype_round(CMPD_F16, v) : v);
        }
    }
    return any ? judge_other(t, CMPD_TRICK_HALF, err) : CMPD_OK;
}

static bool all_float(const struct trial *t)
{
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        if (is_output(t->call.op, i) && !cmpd_dtype_is_float(t->call.tensors[i].dtype)) {
            return false;
        }
    }
    return true;
}

static cmpd_rc try_all(struct trial *t, struct cmpd_err *err)
{
    cmpd_rc rc = cmpd_ref_compute(&t->call, t->expected, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    judge_constant(t, CMPD_TRICK_ZEROS, 0);
    judge_constant(t, CMPD_TRICK_ONES, 1);
    if (all_float(t)) {
        judge_constant(t, CMPD_TRICK_NAN, NAN);
    }
    judge_mean(t);
    for (size_t i = 0; i < t->call.op->arg_count; i++) {
        if (is_input(t->call.op, i)) {
            judge_copy(t, i);
        }
    }
    rc = judge_other(t, CMPD_TRICK_STALE, err);
    return rc == CMPD_OK ? judge_half(t, err) : rc;
}

cmpd_rc cmpd_ref_admit_case(const struct cmpd_ref_op *op, const struct cmpd_dims *dims,
                            enum cmpd_dtype dtype, const char *inputs, uint64_t seed,
                            const struct cmpd_tolerance *tolerance, struct cmpd_admission *out,
                            struct cmpd_err *err)
{
    struct trial t = {.tolerance = tolerance, .out = out};
    cmpd_rc rc = cmpd_ref_call_init(&t.call, op, dims, dtype, err);
    if (rc == CMPD_OK) {
        rc = cmpd_ref_call_init(&t.other, op, dims, dtype, err);
    }
    if (rc == CMPD_OK) {
        op->generate(&t.call, inputs, seed);
        op->generate(&t.other, inputs, seed + 1);
        for (size_t i = 0; i < op->arg_count; i++) {
            if (is_output(op, i)) {
                t.expected[i] = cmpd_calloc(t.call.tensors[i].count, sizeof(double));
                t.altered[i] = cmpd_calloc(t.call.tensors[i].count, sizeof(double));
            }
        }
        rc = try_all(&t, err);
    }
    trial_clear(&t);
    return rc;
}

cmpd_rc cmpd_ref_admit(const struct cmpd_ref_op *op, enum cmpd_dtype dtype,
                       enum cmpd_case_size largest, uint64_t seed, struct cmpd_admission *out,
                       struct cmpd_err *err)
{
    struct cmpd_admission a = {{0}, {0}};
    for (size_t i = 0; i < op->case_count; i++) {
        const struct cmpd_ref_case *c = &op->cases[i];
        if (c->size > largest) {
            continue;
        }
        cmpd_rc rc = cmpd_ref_admit_case(op, &c->dims, dtype, c->inputs, seed + 2 * i, NULL, &a,
                                         err);
        if (rc != CMPD_OK) {
            return rc;
        }
    }
    *out = a;
    return CMPD_OK;
}

bool cmpd_admission_ok(const struct cmpd_admission *a, enum cmpd_trick *passed)
{
    for (int t = 0; t < CMPD_TRICK_COUNT; t++) {
        if (a->tried[t] && !a->caught[t]) {
            if (passed) {
                *passed = (enum cmpd_trick)t;
            }
            return false;
        }
    }
    return true;
}
