/* Running the program of an operator of the user's own. */
#include "refs/outside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "refs/npy.h"
#include "refs/op.h"
#include "refs/outside_op.h"
#include "refs/words.h"

static bool is_input(const struct cmpd_ref_arg *a)
{
    return a->role == CMPD_ROLE_IN || a->role == CMPD_ROLE_INOUT;
}

static bool is_output(const struct cmpd_ref_arg *a)
{
    return a->role == CMPD_ROLE_OUT || a->role == CMPD_ROLE_INOUT;
}

/* ---- inputs ---- */

static void fill_numbers(struct cmpd_ref_call *call, size_t arg, double lo, double hi,
                         uint64_t seed)
{
    struct cmpd_tensor *t = &call->tensors[arg];
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, arg);
    for (size_t i = 0; i < t->count; i++) {
        cmpd_tensor_set(t, i, lo + (hi - lo) * cmpd_rng_unit(&r));
    }
}

static int64_t dim_of(const struct outside_op *o, const struct cmpd_ref_call *call,
                      const char *name)
{
    for (size_t i = 0; i < o->arg_count; i++) {
        int d = cmpd_ref_dim_index(&o->op, i);
        if (d >= 0 && strcmp(o->args[i].name, name) == 0) {
            return call->dims.value[d];
        }
    }
    return 1;
}

static void fill_tensor(const struct outside_op *o, struct cmpd_ref_call *call, size_t arg,
                        const char *inputs, uint64_t seed)
{
    const struct outside_fill *f = &o->fills[arg];
    bool whole = !cmpd_dtype_is_float(call->tensors[arg].dtype);
    if (f->values == OUTSIDE_BELOW) {
        ref_fill_integers(call, arg, seed, 0, dim_of(o, call, f->below) - 1);
    } else if (f->values == OUTSIDE_RANGE) {
        fill_numbers(call, arg, f->lo, f->hi, seed);
    } else if (ref_inputs_are(inputs, "zeros") || !whole) {
        struct ref_fill fill = {.least_exponent = -10, .past_exponent = 5};
        if (f->values == OUTSIDE_POSITIVE) {
            fill.sign = REF_POSITIVE;
            ref_fill(call, arg, seed, &fill);
        } else {
            ref_elementwise_fill(call, arg, inputs, seed);
        }
    } else {
        ref_fill_integers(call, arg, seed, f->values == OUTSIDE_POSITIVE ? 1 : -100, 100);
    }
}

void outside_generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    const struct outside_op *o = (const struct outside_op *)call->op;
    const struct ref_fill mixed = {.least_exponent = -2, .past_exponent = 2};
    for (size_t i = 0; i < o->arg_count; i++) {
        const struct outside_fill *f = &o->fills[i];
        if (is_input(&o->args[i])) {
            fill_tensor(o, call, i, inputs, seed);
        } else if (o->args[i].role == CMPD_ROLE_SCALAR) {
            struct cmpd_rng r;
            cmpd_rng_init(&r, seed, i);
            double v = f->values == OUTSIDE_FIXED   ? o->args[i].default_value
                       : f->values == OUTSIDE_RANGE ? f->lo + (f->hi - f->lo) * cmpd_rng_unit(&r)
                                                    : ref_scalar(call, i, seed, &mixed);
            call->scalars[i] = cmpd_dtype_round(CMPD_F32, v);
        }
    }
}

/* ---- files ---- */

static void set_shape(const struct cmpd_ref_call *call, size_t arg, struct cmpd_npy *a)
{
    const struct outside_op *o = (const struct outside_op *)call->op;
    const char *rest = o->args[arg].shape;
    struct cmpd_word word;
    a->rank = 0;
    while (cmpd_word_next(&rest, &word) && a->rank < CMPD_NPY_RANK_CEILING) {
        CMPD_AUTOFREE char *name = cmpd_strndup(word.at, word.len);
        a->shape[a->rank++] = (uint64_t)dim_of(o, call, name);
    }
    if (!o->args[arg].shape) {
        a->shape[a->rank++] = 1;
    }
    a->count = call->tensors[arg].count;
}

static cmpd_rc write_input(const struct cmpd_ref_call *call, size_t arg, const char *folder,
                           struct cmpd_err *err)
{
    const struct cmpd_tensor *t = &call->tensors[arg];
    struct cmpd_npy a = {.dtype = cmpd_dtype_is_float(t->dtype) ? CMPD_F64 : CMPD_I64};
    set_shape(call, arg, &a);
    CMPD_AUTOFREE void *wide = cmpd_calloc(t->count, 8);
    struct cmpd_tensor w = {wide, t->count, a.dtype};
    for (size_t i = 0; i < t->count; i++) {
        cmpd_tensor_set(&w, i, cmpd_tensor_get(t, i));
    }
    a.data = wide;
    CMPD_BUF_AUTO struct cmpd_buf file = CMPD_BUF_INIT;
    cmpd_rc rc = cmpd_npy_write(&a, &file, err);
    if (rc == CMPD_OK && file.truncated) {
        rc = cmpd_err_set(err, CMPD_ELIMIT, "%s is too large for a reference outside",
                          call->op->args[arg].name);
    }
    if (rc != CMPD_OK) {
        return rc;
    }
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/%s.npy", folder, call->op->args[arg].name);
    return cmpd_file_write_atomic(path, file.data, file.len, err);
}

static char *left_path(const char *folder, const struct cmpd_ref_arg *a)
{
    return cmpd_asprintf("%s/%s.out.npy", folder, a->name);
}

/* What the program left: never through a link, never a pipe. */
static cmpd_rc read_left(const char *path, size_t ceiling, struct cmpd_buf *out,
                         struct cmpd_err *err)
{
    struct stat st;
    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
        return cmpd_err_set(err, CMPD_EINPUT, "it wrote no such file");
    }
    return cmpd_file_read(path, ceiling, out, err);
}

static bool shape_fits(const struct cmpd_npy *got, const struct cmpd_npy *want)
{
    if (got->count != want->count) {
        return false;
    }
    if (got->rank <= 1) {
        return true;
    }
    return got->rank == want->rank &&
           memcmp(got->shape, want->shape, want->rank * sizeof *want->shape) == 0;
}

static cmpd_rc read_output(const struct cmpd_ref_call *call, size_t arg, const char *path,
                           double *expected, struct cmpd_err *err)
{
    struct cmpd_npy want = {0}, got;
    set_shape(call, arg, &want);
    CMPD_BUF_AUTO struct cmpd_buf file = CMPD_BUF_INIT;
    cmpd_rc rc = read_left(path, want.count * 8 + 16384, &file, err);
    if (rc == CMPD_OK) {
        rc = cmpd_npy_parse(cmpd_buf_str(&file), file.len, &got, err);
    }
    if (rc != CMPD_OK) {
        return rc;
    }
    if (got.fortran_order || !shape_fits(&got, &want)) {
        return cmpd_err_set(err, CMPD_EINPUT, "it has %zu elements, %s; wanted are %zu, row-major",
                            got.count, got.fortran_order ? "column-major" : "or another shape",
                            want.count);
    }
    struct cmpd_tensor t = {(void *)(uintptr_t)got.data, got.count, got.dtype};
    for (size_t i = 0; i < got.count; i++) {
        expected[i] = cmpd_tensor_get(&t, i);
    }
    return CMPD_OK;
}

/* ---- the program ---- */

static cmpd_rc run(const struct cmpd_outside_how *how, const char *const *args,
                   struct cmpd_proc_result *result, struct cmpd_err *err)
{
    cmpd_rc rc = how->run(how->ctx, args, result, err);
    if (rc != CMPD_OK || (result->end == CMPD_PROC_EXITED && result->exit_status == 0)) {
        return rc;
    }
    char text[80];
    const char *said = cmpd_buf_str(&result->err);
    /* The last line says most: a Python traceback ends with the error. */
    size_t len = strlen(said);
    while (len && (said[len - 1] == '\n' || said[len - 1] == '\r')) {
        len--;
    }
    size_t from = len;
    while (from && said[from - 1] != '\n') {
        from--;
    }
    rc = cmpd_err_set(err, CMPD_EINPUT, "%s %s%s%.*s", args[0],
                      cmpd_proc_describe(result, text, sizeof text), len > from ? ": " : "",
                      (int)(len - from < 300 ? len - from : 300), said + from);
    cmpd_proc_result_clear(result);
    return rc;
}

#define ARGS_CEILING (CMPD_REF_ARGS_CEILING + 4)

/* "dtype=f32", "n=1000", "alpha=0.5"; owned by the arena. */
static void compute_args(const struct cmpd_ref_call *call, struct cmpd_arena *arena,
                         const char *folder, const char *args[ARGS_CEILING])
{
    const struct cmpd_ref_op *op = call->op;
    size_t n = 0;
    args[n++] = "compute";
    args[n++] = folder;
    args[n++] = cmpd_arena_printf(arena, "dtype=%s", cmpd_dtype_name(call->dtype));
    for (size_t i = 0; i < op->arg_count; i++) {
        int d = cmpd_ref_dim_index(op, i);
        if (d >= 0) {
            args[n++] = cmpd_arena_printf(arena, "%s=%lld", op->args[i].name,
                                          (long long)call->dims.value[d]);
        } else if (op->args[i].role == CMPD_ROLE_SCALAR) {
            args[n++] = cmpd_arena_printf(arena, "%s=%.17g", op->args[i].name, call->scalars[i]);
        }
    }
    args[n] = NULL;
}

static cmpd_rc exchange(const struct cmpd_ref_call *call, struct cmpd_arena *arena,
                        double *const expected[], struct cmpd_err *err)
{
    const struct outside_op *o = (const struct outside_op *)call->op;
    const char *folder = o->how.folder;
    cmpd_rc rc = CMPD_OK;
    for (size_t i = 0; i < o->arg_count; i++) {
        CMPD_AUTOFREE char *left = left_path(folder, &o->args[i]);
        if (is_output(&o->args[i]) && unlink(left) < 0 && errno != ENOENT) {
            return cmpd_err_set(err, CMPD_EIO, "cannot remove %s: %s", left, strerror(errno));
        }
        if (is_input(&o->args[i]) && (rc = write_input(call, i, folder, err)) != CMPD_OK) {
            return rc;
        }
    }
    const char *args[ARGS_CEILING];
    struct cmpd_proc_result result;
    compute_args(call, arena, folder, args);
    rc = run(&o->how, args, &result, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    cmpd_proc_result_clear(&result);
    for (size_t i = 0; i < o->arg_count; i++) {
        if (!is_output(&o->args[i])) {
            continue;
        }
        CMPD_AUTOFREE char *left = left_path(folder, &o->args[i]);
        rc = read_output(call, i, left, expected[i], err);
        if (rc != CMPD_OK) {
            cmpd_err_prefix(err, "%s.out.npy", o->args[i].name);
            return rc;
        }
    }
    return CMPD_OK;
}

static cmpd_rc compute_outside(const struct cmpd_ref_call *call, double *const expected[],
                               struct cmpd_err *err)
{
    struct cmpd_arena arena = {0};
    cmpd_rc rc = exchange(call, &arena, expected, err);
    cmpd_arena_clear(&arena);
    if (rc != CMPD_OK) {
        cmpd_err_prefix(err, "reference %s", call->op->name);
    }
    return rc;
}

cmpd_rc cmpd_outside_open(const struct cmpd_outside_how *how, struct cmpd_ref_op **out,
                          struct cmpd_err *err)
{
    struct cmpd_proc_result result;
    struct cmpd_ref_op *op;
    cmpd_rc rc = run(how, (const char *const[]){"describe", NULL}, &result, err);
    if (rc != CMPD_OK) {
        return rc;
    }
    rc = cmpd_outside_parse(cmpd_buf_str(&result.out), result.out.len, &op, err);
    cmpd_proc_result_clear(&result);
    if (rc != CMPD_OK) {
        return rc;
    }
    struct outside_op *o = (struct outside_op *)op;
    o->how = *how;
    op->compute_outside = compute_outside;
    *out = op;
    return CMPD_OK;
}
