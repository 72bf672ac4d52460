/* Dimensions: which of them the parameters tell, and what becomes of the others. */
#include <string.h>

#include "gpu-runner/entry/entry.h"

size_t entry_dim_count(const struct cmpd_ref_op *op)
{
    size_t n = 0;
    for (size_t i = 0; i < op->arg_count; i++)
        n += op->args[i].role == CMPD_ROLE_DIM;
    return n;
}

size_t entry_dim_arg(const struct cmpd_ref_op *op, int d)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        if (cmpd_ref_dim_index(op, i) == d)
            return i;
    }
    return 0;
}

bool entry_dim_is_product(const struct cmpd_ref_op *op, int d)
{
    return op->args[entry_dim_arg(op, d)].shape != NULL;
}

/* The dimensions named in a list of words. */
static unsigned named(const struct cmpd_ref_op *op, const char *words)
{
    unsigned set = 0;
    for (const char *p = words ? words : ""; *p;) {
        size_t n = strcspn(p, " ");
        for (size_t i = 0; i < op->arg_count; i++) {
            int d = cmpd_ref_dim_index(op, i);
            if (d >= 0 && strlen(op->args[i].name) == n && memcmp(op->args[i].name, p, n) == 0)
                set |= 1u << d;
        }
        p += n + strspn(p + n, " ");
    }
    return set;
}

unsigned entry_dims_needed(const struct cmpd_ref_op *op, const struct cmpd_binding *b)
{
    unsigned set = 0;
    (void)b;
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].role == CMPD_ROLE_IN || op->args[i].role == CMPD_ROLE_OUT ||
            op->args[i].role == CMPD_ROLE_INOUT)
            set |= named(op, op->args[i].shape);
    }
    return set;
}

unsigned entry_dims_closure(const struct cmpd_ref_op *op, unsigned known)
{
    for (size_t round = 0; round <= op->arg_count; round++) {
        for (size_t i = 0; i < op->arg_count; i++) {
            int d = cmpd_ref_dim_index(op, i);
            if (d < 0 || !op->args[i].shape)
                continue;
            unsigned factors = named(op, op->args[i].shape), open = factors & ~known;
            if (!open)
                known |= 1u << d;
            else if ((known & (1u << d)) && (open & (open - 1)) == 0)
                known |= open;
        }
    }
    return known;
}

/* A product of two tells the dimension that is their product, and neither of them. */
static unsigned told(const struct cmpd_ref_op *op, const struct cmpd_binding *b)
{
    unsigned set = 0;
    for (size_t i = 0; i < b->param_count; i++) {
        unsigned mask = b->params[i].role == CMPD_ROLE_DIM ? b->params[i].dim_mask : 0;
        if (mask && (mask & (mask - 1)) == 0)
            set |= mask;
        for (int d = 0; mask && d < (int)entry_dim_count(op); d++) {
            if (entry_dim_is_product(op, d) &&
                named(op, op->args[entry_dim_arg(op, d)].shape) == mask)
                set |= 1u << d;
        }
    }
    return set;
}

static unsigned count_bits(unsigned set)
{
    return (unsigned)__builtin_popcount(set);
}

static const char *dim_name(const struct cmpd_ref_op *op, int d)
{
    return op->args[entry_dim_arg(op, d)].name;
}

/* "m, n and k" */
static void put_dims(const struct cmpd_ref_op *op, unsigned set, struct cmpd_buf *out)
{
    unsigned left = count_bits(set);
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        if (!(set & (1u << d)))
            continue;
        left--;
        cmpd_buf_printf(out, "'%s'%s", dim_name(op, d), left > 1 ? ", " : left ? " and " : "");
    }
}

/* One number can only mean a square: every base dimension that is needed equals the one that is told. */
static bool make_square(const struct cmpd_ref_op *op, struct cmpd_binding *b, unsigned known,
                        unsigned needed)
{
    unsigned base = 0;
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        if ((needed & (1u << d)) && !entry_dim_is_product(op, d) &&
            !op->args[entry_dim_arg(op, d)].optional)
            base |= 1u << d;
    }
    if (count_bits(known & base) != 1 || count_bits(base) < 2)
        return false;
    unsigned lowest = (unsigned)__builtin_ctz(base);
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        if (base & (1u << d))
            b->dim_class[d] = lowest;
    }
    return true;
}

/* Does a launch of the entry name this dimension where no parameter tells it? */
static bool launch_names(const struct cmpd_bind_request *q, const struct cmpd_binding *b, int d)
{
    const struct cmpd_ref_op *op = q->op;
    const char *texts[] = {q->grid, q->block, b->launch.grid[0], b->launch.grid[1],
                           b->launch.grid[2]};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (const char *p = texts[t] ? texts[t] : ""; *p;) {
            size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
            char word[64];
            if (n && n < sizeof word) {
                memcpy(word, p, n);
                word[n] = '\0';
                int arg = cmpd_ref_match_param(op, word, false, NULL);
                if (arg >= 0 && cmpd_ref_dim_index(op, (size_t)arg) == d)
                    return true;
            }
            p += n ? n : 1;
        }
    }
    return false;
}

/* Softmax of one row, a histogram of the usual number of bins. */
static void fix_defaults(const struct cmpd_bind_request *q, struct cmpd_binding *b, unsigned *known)
{
    const struct cmpd_ref_op *op = q->op;
    for (size_t i = 0; i < op->arg_count; i++) {
        int d = cmpd_ref_dim_index(op, i);
        if (d < 0 || (*known & (1u << d)) || op->args[i].shape || !op->args[i].optional ||
            op->args[i].default_value == 0 || launch_names(q, b, d))
            continue;
        if (op->args[i].default_value > 0) /* else any value will do: a table's length */
            b->dim_fixed[d] = (int64_t)op->args[i].default_value;
        *known |= 1u << d;
    }
    *known = entry_dims_closure(op, *known);
}

static void free_dims(const struct cmpd_bind_request *q, struct cmpd_binding *b, unsigned *known,
                      unsigned open)
{
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        bool named_by_launch = b->task == CMPD_BIND_KERNEL && launch_names(q, b, d);
        if ((open & (1u << d)) && (q->has_cases || named_by_launch)) {
            b->dim_free[d] = true;
            *known |= 1u << d;
        }
    }
    *known = entry_dims_closure(q->op, *known);
}

/* A kernel with one block a row is told how many rows by its grid alone; a launcher without rows has one. */
static void lone_rows(const struct cmpd_bind_request *q, struct cmpd_binding *b, unsigned *known,
                      unsigned needed)
{
    const struct cmpd_ref_op *op = q->op;
    unsigned open = needed & ~*known;
    if (count_bits(open) != 1 || count_bits(needed) != 2)
        return;
    int d = __builtin_ctz(open);
    if (strcmp(dim_name(op, d), "rows") != 0)
        return;
    *known |= open;
    if (b->task == CMPD_BIND_KERNEL && (b->func->uses_block & 7)) {
        b->dim_free[d] = true;
        entry_assume(b, "the grid is taken to tell how many rows there are");
    } else {
        b->dim_fixed[d] = 1;
    }
}

bool entry_settle_dims(const struct cmpd_bind_request *q, struct cmpd_binding *b)
{
    const struct cmpd_ref_op *op = q->op;
    for (unsigned d = 0; d < CMPD_REF_DIMS_CEILING; d++)
        b->dim_class[d] = d;
    unsigned needed = entry_dims_needed(op, b), known = entry_dims_closure(op, told(op, b));
    if (needed & ~known)
        fix_defaults(q, b, &known);
    if (needed & ~known)
        free_dims(q, b, &known, needed & ~known);
    if (needed & ~known)
        lone_rows(q, b, &known, needed);
    if ((needed & ~known) && make_square(op, b, known, needed))
        known |= needed;
    if (!(needed & ~known))
        return true;
    CMPD_BUF_AUTO struct cmpd_buf open = CMPD_BUF_INIT;
    put_dims(op, needed & ~known, &open);
    return entry_refuse(q, b,
                        "no parameter of %s tells %s of operator %s; where the sizes stand in the "
                        "code, give them as \"cases\" in cmpd.json",
                        b->display, cmpd_buf_str(&open), op->name);
}

bool cmpd_bind_fit(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                   struct cmpd_dims *dims)
{
    bool changed = false;
    for (size_t d = 0; d < entry_dim_count(op); d++) {
        int64_t v = b->dim_fixed[d] > 0 ? b->dim_fixed[d] : dims->value[b->dim_class[d]];
        changed = changed || v != dims->value[d];
        dims->value[d] = v;
    }
    for (int d = 0; changed && (size_t)d < entry_dim_count(op); d++) {
        if (entry_dim_is_product(op, d))
            dims->value[d] = 0;
    }
    if (changed && cmpd_ref_dims_complete(op, dims, NULL) != CMPD_OK)
        return false;
    for (size_t i = 0; i < b->param_count; i++) {
        const struct cmpd_bind_param *p = &b->params[i];
        if (p->role != CMPD_ROLE_DIM || p->dim_divisor <= 1)
            continue;
        struct cmpd_bind_param whole = *p;
        whole.dim_divisor = 1;
        if (cmpd_bind_dim(&whole, op, dims) % p->dim_divisor != 0)
            return false;
    }
    return true;
}

int64_t cmpd_bind_dim(const struct cmpd_bind_param *p, const struct cmpd_ref_op *op,
                      const struct cmpd_dims *dims)
{
    int64_t v = p->dim_factor ? p->dim_factor : 1;
    for (size_t d = 0; d < entry_dim_count(op); d++) {
        if ((p->dim_mask & (1u << d)) && __builtin_mul_overflow(v, dims->value[d], &v))
            return INT64_MAX;
    }
    return p->dim_divisor > 1 ? v / p->dim_divisor : v;
}
