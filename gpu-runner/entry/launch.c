/* How a kernel without a launcher is launched: by the policy, as the file itself does, or by a convention. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/entry/entry.h"
#include "gpu-runner/entry/formula.h"

/*
 * Dynamic shared memory where nobody says how much. A kernel can't tell that there is more than it needs; 48 KiB is what
 * every device gives together with the arrays of fixed size.
 */
#define ASSUMED_SHARED_BYTES 32768
#define NAMES_CEILING        (CMPD_SIG_PARAMS_CEILING + 64)

static char *copy_or(const char *s, const char *def)
{
    return cmpd_strdup(s ? s : def);
}

static bool complete(const struct cmpd_sig_launch *l)
{
    return l->grid[0] && l->grid[1] && l->grid[2] && l->block[0] && l->block[1] && l->block[2] &&
           l->shared;
}

static bool has_value(const struct cmpd_bind_request *q, const struct cmpd_binding *b);

static void clear_launch(struct cmpd_bind_launch *l)
{
    for (int c = 0; c < 3; c++) {
        free(l->grid[c]);
        free(l->block[c]);
    }
    free(l->shared);
    memset(l, 0, sizeof *l);
}

static void take(struct cmpd_binding *b, const struct cmpd_sig_launch *l)
{
    for (int c = 0; c < 3; c++) {
        b->launch.grid[c] = cmpd_strdup(l->grid[c]);
        b->launch.block[c] = cmpd_strdup(l->block[c]);
    }
    b->launch.shared = cmpd_strdup(l->shared);
}

/* The file's own launch of the kernel whose formulas have a value. */
static bool from_file(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    uint32_t kernel = (uint32_t)(b->func - q->sigs->funcs);
    for (size_t i = 0; i < q->sigs->launch_count; i++) {
        const struct cmpd_sig_launch *l = &q->sigs->launches[i];
        if (l->kernel != kernel || !complete(l))
            continue;
        take(b, l);
        if (has_value(q, b))
            return true;
        clear_launch(&b->launch);
    }
    return false;
}

static void set3(char *out[3], const char *x, const char *y)
{
    out[0] = cmpd_strdup(x);
    out[1] = cmpd_strdup(y);
    out[2] = cmpd_strdup("1");
}

/* How many elements the largest tensor has, as a formula over the dimensions' names. */
static char *element_count(const struct cmpd_ref_op *op)
{
    const char *shape = NULL;
    for (size_t i = 0; i < op->arg_count; i++) {
        const struct cmpd_ref_arg *a = &op->args[i];
        bool tensor = a->role == CMPD_ROLE_IN || a->role == CMPD_ROLE_OUT ||
                      a->role == CMPD_ROLE_INOUT;
        if (tensor && a->shape && (!shape || strlen(a->shape) > strlen(shape)))
            shape = a->shape;
    }
    struct cmpd_buf out = CMPD_BUF_INIT;
    for (const char *p = shape ? shape : "1"; *p; p++)
        cmpd_buf_printf(&out, *p == ' ' ? " * " : "%c", *p);
    return cmpd_buf_steal(&out);
}

/* Rows and columns of the (first) output. */
static bool output_matrix(const struct cmpd_ref_op *op, char rows[64], char cols[64])
{
    for (size_t i = 0; i < op->arg_count; i++) {
        const char *shape = op->args[i].role == CMPD_ROLE_OUT ? op->args[i].shape : NULL;
        /* A count that is a product is a matrix too. */
        for (size_t k = 0; shape && k < op->arg_count; k++) {
            if (op->args[k].role == CMPD_ROLE_DIM && op->args[k].shape &&
                strcmp(op->args[k].name, shape) == 0) {
                shape = op->args[k].shape;
                break;
            }
        }
        const char *gap = shape ? strchr(shape, ' ') : NULL;
        if (!gap || strchr(gap + 1, ' ') || (size_t)(gap - shape) >= 64 || strlen(gap + 1) >= 64)
            continue;
        snprintf(rows, 64, "%.*s", (int)(gap - shape), shape);
        snprintf(cols, 64, "%s", gap + 1);
        return true;
    }
    return false;
}

/*
 * What arrays in shared memory say of the number of threads: one element a thread, or (up to 16) one a warp. A kernel that
 * takes a row a block and shares nothing can only work within a warp.
 */
static uint32_t threads_by_shared(const struct cmpd_sig_func *f)
{
    uint32_t n = f->shared_extent;
    bool power = n && (n & (n - 1)) == 0;
    if (power && n >= 64 && n <= 1024)
        return n;
    if (power && n >= 2 && n <= 16)
        return n * 32;
    bool a_row = (f->uses_block & 7) && !(f->uses_block & CMPD_SIG_GLOBAL_INDEX);
    return n == 0 && !f->dynamic_shared && a_row ? 32 : 0;
}

/* Threads of a block along an axis: what the kernel's own index says, else the usual number within its bounds. */
static uint32_t block_threads(const struct cmpd_binding *b, int axis, uint32_t usual)
{
    uint32_t most = b->func->max_threads, own = b->func->index_threads[axis];
    uint32_t tparam = b->func->index_tparam[axis];
    CMPD_AUTOFREE char *with = tparam ? entry_targ(b->targs, tparam - 1) : NULL;
    if (with && strtoul(with, NULL, 10) >= 1 && strtoul(with, NULL, 10) <= 1024)
        own = (uint32_t)strtoul(with, NULL, 10);
    if (own)
        return own;
    own = axis == 0 && usual == CMPD_BIND_ASSUMED_BLOCK ? threads_by_shared(b->func) : 0;
    if (own && (!most || own <= most))
        return own;
    return most && most < usual ? most : usual;
}

/* Every number that tells a dimension is compared with something: threads beyond the data do nothing. */
static bool guarded(const struct cmpd_binding *b)
{
    bool any = false;
    for (size_t i = 0; i < b->param_count; i++) {
        if (b->params[i].role != CMPD_ROLE_DIM)
            continue;
        if (!(b->func->params[i].evidence & CMPD_SIG_COMPARED))
            return false;
        any = true;
    }
    return any;
}

/* The axis whose index the kernel holds against this dimension; -1: none, or several. */
static int axis_of(const struct cmpd_bind_request *q, const struct cmpd_binding *b, const char *dim)
{
    unsigned axes = 0;
    for (size_t i = 0; i < b->param_count; i++) {
        for (size_t d = 0; b->params[i].role == CMPD_ROLE_DIM && d < entry_dim_count(q->op); d++) {
            if (b->params[i].dim_mask == 1u << d &&
                strcmp(q->op->args[entry_dim_arg(q->op, (int)d)].name, dim) == 0)
                axes |= b->func->params[i].evidence / CMPD_SIG_AXIS_X;
        }
    }
    return axes == 1 ? 0 : axes == 2 ? 1 : -1;
}

/* One thread for each element of a matrix. */
static void tiles(const struct cmpd_bind_request *q, struct cmpd_binding *b, const char *rows,
                  const char *cols)
{
    char x[200], y[200];
    uint32_t tx = block_threads(b, 0, CMPD_BIND_ASSUMED_TILE);
    uint32_t ty = block_threads(b, 1, CMPD_BIND_ASSUMED_TILE);
    int of_rows = axis_of(q, b, rows), of_cols = axis_of(q, b, cols);
    bool told = of_rows >= 0 && of_cols >= 0 && of_rows != of_cols;
    bool sure = told && guarded(b) && !b->func->max_threads &&
                (b->func->uses_block & CMPD_SIG_GLOBAL_INDEX);
    bool turned = told && of_rows == 0;
    snprintf(x, sizeof x, "ceil_div(%s, %u)", turned ? rows : cols, tx);
    snprintf(y, sizeof y, "ceil_div(%s, %u)", turned ? cols : rows, ty);
    set3(b->launch.grid, x, y);
    if (!sure)
        entry_assume(b, "a launch with blocks of %u x %u threads over %s and %s", tx, ty,
                     turned ? rows : cols, turned ? cols : rows);
    snprintf(x, sizeof x, "%u", tx);
    snprintf(y, sizeof y, "%u", ty);
    set3(b->launch.block, x, y);
    b->launch.assumed = !sure;
}

/* Each element alone: no row of it is anything special. */
static bool flat_output(const struct cmpd_ref_op *op)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].role == CMPD_ROLE_OUT && op->args[i].shape)
            return strchr(op->args[i].shape, ' ') == NULL;
    }
    return true;
}

static void by_convention(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    char rows[64], cols[64], x[200], y[200];
    bool matrix = output_matrix(q->op, rows, cols);
    unsigned uses = b->func->uses_thread | b->func->uses_block;
    CMPD_AUTOFREE char *count = element_count(q->op);
    uint32_t threads = block_threads(b, 0, CMPD_BIND_ASSUMED_BLOCK);
    bool global = b->func->uses_block & CMPD_SIG_GLOBAL_INDEX;
    b->launch.shared = cmpd_asprintf("%d", b->func->dynamic_shared ? ASSUMED_SHARED_BYTES : 0);
    if ((uses & 2) && matrix && (b->func->uses_thread & 2)) {
        tiles(q, b, rows, cols);
        return;
    }
    if (!(b->func->uses_block & 7))
        snprintf(x, sizeof x, "1"); /* it knows one block only */
    else if (matrix && !global && !flat_output(q->op))
        snprintf(x, sizeof x, "%s", rows);
    else
        snprintf(x, sizeof x, "ceil_div(%s, %u)", count, threads);
    set3(b->launch.grid, x, "1");
    snprintf(y, sizeof y, "%u", threads);
    set3(b->launch.block, y, "1");
    /* A thread an element with a guard: any launch that covers the data will do. */
    b->launch.assumed = !global || (uses & 6) || !guarded(b);
    if (b->launch.assumed)
        entry_assume(b, "a launch with %s block%s of %u threads", x, strcmp(x, "1") == 0 ? "" : "s",
                     threads);
}

static bool replace3(char *slots[3], const char *text, struct cmpd_err *err)
{
    char *parts[3];
    if (cmpd_formula_split3(text, parts, err) != CMPD_OK)
        return false;
    for (int c = 0; c < 3; c++) {
        free(slots[c]);
        slots[c] = parts[c];
    }
    return true;
}

static void from_policy(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    struct cmpd_err err = {0};
    if (q->grid && !replace3(b->launch.grid, q->grid, &err))
        entry_refuse(q, b, "the launch's grid in cmpd.json: %s", err.msg);
    if (q->block && !replace3(b->launch.block, q->block, &err))
        entry_refuse(q, b, "the launch's block in cmpd.json: %s", err.msg);
    if (q->shared) {
        free(b->launch.shared);
        b->launch.shared = cmpd_strdup(q->shared);
    }
}

void entry_find_launch(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    if (q->grid && q->block) {
        b->launch.shared = copy_or(q->shared, "0");
    } else if (!from_file(q, b)) {
        by_convention(q, b);
    }
    from_policy(q, b);
    struct cmpd_dims dims;
    uint32_t grid[3], block[3], shared;
    struct cmpd_err err = {0};
    for (size_t d = 0; d < CMPD_REF_DIMS_CEILING; d++)
        dims.value[d] = 64;
    if (b->task == CMPD_BIND_KERNEL &&
        cmpd_bind_launch_eval(b, q->op, &dims, grid, block, &shared, &err) != CMPD_OK)
        entry_refuse(q, b, "the launch of %s has no value: %s", b->display, err.msg);
}

/* ---- evaluating ---- */

static size_t add_name(struct cmpd_formula_value *names, size_t count, const char *name,
                       int64_t value)
{
    if (count < NAMES_CEILING && name[0])
        names[count++] = (struct cmpd_formula_value){name, value};
    return count;
}

/* A name in the formula that only the operator knows, unless a parameter has that dimension already. */
static bool foreign_name(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                         const struct cmpd_dims *dims, const char *word, int64_t *value)
{
    bool exact = false;
    int arg = cmpd_ref_match_param(op, word, false, &exact);
    int d = arg >= 0 ? cmpd_ref_dim_index(op, (size_t)arg) : -1;
    if (d < 0)
        return false;
    for (size_t i = 0; i < b->param_count && !exact; i++) {
        if (b->params[i].role == CMPD_ROLE_DIM && (b->params[i].dim_mask & (1u << d)))
            return false;
    }
    *value = dims->value[d];
    return true;
}

/*
 * The names that a formula may hold: the kernel's numbers, then the operator's dimensions, then aliases of these that
 * stand in the formula. `store` keeps the aliases' texts.
 */
static size_t collect_names(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                            const struct cmpd_dims *dims, const char *formula,
                            struct cmpd_formula_value *names, char store[][64], size_t store_count)
{
    size_t count = 0, stored = 0;
    for (size_t i = 0; i < b->param_count; i++) {
        const struct cmpd_bind_param *p = &b->params[i];
        if (p->role == CMPD_ROLE_DIM)
            count = add_name(names, count, b->func->params[i].name, cmpd_bind_dim(p, op, dims));
        else if (p->role == CMPD_ROLE_SCALAR && p->fixed)
            count = add_name(names, count, b->func->params[i].name, (int64_t)p->value);
    }
    for (const char *at = formula; *at && stored < store_count;) {
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        bool word = n && n < sizeof store[0] && !(*at >= '0' && *at <= '9');
        if (word) {
            snprintf(store[stored], sizeof store[0], "%.*s", (int)n, at);
            int64_t value;
            bool known = false;
            for (size_t i = 0; i < count; i++)
                known = known || strcmp(names[i].name, store[stored]) == 0;
            /* NAME[number]: a constant of the file, which is a dimension only if no parameter is. */
            if (!known && foreign_name(b, op, dims, store[stored], &value))
                count = add_name(names, count, store[stored++], value);
        }
        at += n ? n : 1;
    }
    return count;
}

static cmpd_rc eval(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                    const struct cmpd_dims *dims, const char *formula, const char *what,
                    int64_t *out, struct cmpd_err *err)
{
    struct cmpd_formula_value names[NAMES_CEILING];
    char store[32][64];
    size_t count = collect_names(b, op, dims, formula, names, store, 32);
    cmpd_rc rc = cmpd_formula_eval(formula, names, count, out, err);
    if (rc != CMPD_OK && err) {
        struct cmpd_err why = *err;
        return cmpd_err_set(err, CMPD_EINPUT, "%s '%.200s': %.200s", what, formula, why.msg);
    }
    return rc;
}

cmpd_rc cmpd_bind_launch_eval(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                              const struct cmpd_dims *dims, uint32_t grid[3], uint32_t block[3],
                              uint32_t *shared_bytes, struct cmpd_err *err)
{
    int64_t v;
    cmpd_rc rc = CMPD_OK;
    for (int c = 0; rc == CMPD_OK && c < 6; c++) {
        char *const *from = c < 3 ? b->launch.grid : b->launch.block;
        const char *what = c < 3 ? "grid" : "block";
        rc = eval(b, op, dims, from[c % 3] ? from[c % 3] : "1", what, &v, err);
        /* Out of every device's limits it stays: the launch then fails and is said to. */
        if (rc == CMPD_OK)
            (c < 3 ? grid : block)[c % 3] = v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
    }
    if (rc == CMPD_OK)
        rc = eval(b, op, dims, b->launch.shared ? b->launch.shared : "0", "shared", &v, err);
    if (rc == CMPD_OK)
        *shared_bytes = v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
    return rc;
}

static bool has_value(const struct cmpd_bind_request *q, const struct cmpd_binding *b)
{
    struct cmpd_dims dims;
    uint32_t grid[3], block[3], shared;
    for (size_t d = 0; d < CMPD_REF_DIMS_CEILING; d++)
        dims.value[d] = 64;
    return cmpd_bind_launch_eval(b, q->op, &dims, grid, block, &shared, NULL) == CMPD_OK &&
           block[0] > 0 && block[1] > 0 && block[2] > 0;
}
