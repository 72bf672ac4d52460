/*
 * Numbers: dimensions by their names, by what is left of these without decoration, by order; scalars; streams; what a
 * signature has beside them (sizes of blocks and workspaces, strides, BLAS scalars).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gpu-runner/entry/params.h"

#define WORKSPACE_BYTES \
    (1 << 20) /* what a parameter that asks for the size of a workspace is told */

static bool is_whole(enum cmpd_sig_elem e)
{
    return e >= CMPD_SIG_I8 && e <= CMPD_SIG_U64;
}

static bool is_number(const struct entry_state *s, size_t i)
{
    const struct cmpd_sig_param *p = &s->params[i];
    return p->pointers == 0 && p->elem != CMPD_SIG_STREAM && p->elem != CMPD_SIG_VOID;
}

static void streams(struct entry_state *s)
{
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (s->params[i].elem == CMPD_SIG_STREAM && s->params[i].pointers == 0) {
            s->b->params[i].role = CMPD_ROLE_STREAM;
            s->done[i] = true;
        }
    }
}

static void fix(struct entry_state *s, size_t i, double value)
{
    s->b->params[i].role = CMPD_ROLE_SCALAR;
    s->b->params[i].fixed = true;
    s->b->params[i].value = value;
    s->done[i] = true;
}

static void give_number(struct entry_state *s, size_t i, size_t arg)
{
    struct cmpd_bind_param *p = &s->b->params[i];
    int d = cmpd_ref_dim_index(s->op, arg);
    p->arg = (int)arg;
    if (d >= 0) {
        p->role = CMPD_ROLE_DIM;
        p->dim_mask = 1u << d;
        p->arg = UNBOUND;
    } else {
        p->role = CMPD_ROLE_SCALAR;
    }
    s->taken[arg] = (int)i;
    s->done[i] = true;
}

static bool number_fits(const struct entry_state *s, size_t i, size_t arg)
{
    if (cmpd_ref_dim_index(s->op, arg) >= 0)
        return is_whole(s->params[i].elem);
    return s->op->args[arg].role == CMPD_ROLE_SCALAR;
}

/* "n4", "n_vec4": a count of float4, where the tensors are float4. */
static int vector_dim(const struct entry_state *s, size_t i, unsigned *width)
{
    static const char *const ends[] = {"_vec4", "vec4", "_v4", "_div_4", "_4",   "4",       "_vec2",
                                       "vec2",  "_v2",  "_2",  "2",      "_vec", "_packed", NULL};
    const char *name = s->params[i].name;
    size_t len = strlen(name);
    unsigned vector = 1;
    for (size_t k = 0; k < s->b->param_count; k++)
        vector = entry_is_pointer(s, k) && s->params[k].vector > vector ? s->params[k].vector
                                                                        : vector;
    for (size_t e = 0; ends[e]; e++) {
        size_t n = strlen(ends[e]);
        char stem[64];
        if (len <= n || len - n >= sizeof stem || strcmp(name + len - n, ends[e]) != 0)
            continue;
        memcpy(stem, name, len - n);
        stem[len - n] = '\0';
        int arg = cmpd_ref_match_param(s->op, stem, false, NULL);
        unsigned w = strchr(ends[e], '4') ? 4 : strchr(ends[e], '2') ? 2 : vector;
        if (arg >= 0 && w > 1 && w == vector) {
            *width = w;
            return arg;
        }
    }
    return UNBOUND;
}

static void numbers_by_name(struct entry_state *s)
{
    for (int pass = 0; pass < 2; pass++) {
        int wish[CMPD_SIG_PARAMS_CEILING];
        for (size_t i = 0; i < s->b->param_count; i++) {
            bool exact = false;
            wish[i] = UNBOUND;
            if (s->done[i] || !is_number(s, i))
                continue;
            int arg = cmpd_ref_match_param(s->op, s->params[i].name, false, &exact);
            if (arg >= 0 && (exact || pass) && s->taken[arg] == UNBOUND &&
                number_fits(s, i, (size_t)arg))
                wish[i] = arg;
        }
        for (size_t i = 0; i < s->b->param_count; i++) {
            unsigned same = 0;
            for (size_t k = 0; k < s->b->param_count; k++)
                same += wish[i] != UNBOUND && wish[k] == wish[i];
            if (same == 1)
                give_number(s, i, (size_t)wish[i]);
        }
    }
    for (size_t i = 0; i < s->b->param_count; i++) {
        unsigned width = 1;
        int arg = s->done[i] || !is_number(s, i) ? UNBOUND : vector_dim(s, i, &width);
        if (arg == UNBOUND || !number_fits(s, i, (size_t)arg) || s->taken[arg] != UNBOUND)
            continue;
        give_number(s, i, (size_t)arg);
        s->b->params[i].dim_divisor = width;
    }
}

static unsigned told_dims(const struct entry_state *s)
{
    unsigned set = 0;
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (s->b->params[i].role == CMPD_ROLE_DIM)
            set |= s->b->params[i].dim_mask;
    }
    return entry_dims_closure(s->op, set);
}

/* Dimensions that are needed, not told, and no products: what numbers without a known name may be. */
static size_t open_dims(const struct entry_state *s, int out[CMPD_REF_DIMS_CEILING])
{
    unsigned open = entry_dims_needed(s->op, s->b) & ~told_dims(s);
    size_t count = 0;
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        if (open & (1u << d))
            out[count++] = d;
    }
    return count;
}

static size_t open_numbers(const struct entry_state *s, size_t out[CMPD_SIG_PARAMS_CEILING])
{
    size_t count = 0;
    for (size_t i = 0; i < s->b->param_count; i++) {
        if (!s->done[i] && is_number(s, i) && is_whole(s->params[i].elem) &&
            !s->params[i].has_default)
            out[count++] = i;
    }
    return count;
}

/* Several numbers whose product is the count of elements: a shape that the operator sees flat. */
static bool shape_of_flat(struct entry_state *s, const size_t *params, size_t count, int d,
                          bool sure)
{
    const struct cmpd_ref_op *op = s->op;
    if (!entry_dim_is_product(op, d) || count < 2)
        return false;
    int factors[2], found = 0;
    for (int f = 0; f < (int)entry_dim_count(op) && found < 2; f++) {
        if (f != d && !entry_dim_is_product(op, f))
            factors[found++] = f;
    }
    if (found < 2)
        return false;
    for (size_t k = 0; k < count; k++) {
        struct cmpd_bind_param *p = &s->b->params[params[k]];
        p->role = CMPD_ROLE_DIM;
        /* The last two are rows and columns; what stands before them is 1. */
        p->dim_mask = k + 2 >= count ? 1u << factors[k + 2 - count] : 0;
        s->done[params[k]] = true;
    }
    if (!sure)
        entry_assume(s->b, "the %zu numbers are taken as a shape whose product counts the elements",
                     count);
    return true;
}

/* N, C, H, W of an operator that sees its data flat, before 'N' is taken for their count. */
static void flat_shape(struct entry_state *s)
{
    size_t params[CMPD_SIG_PARAMS_CEILING], count = open_numbers(s, params), letters = 0;
    int dims[CMPD_REF_DIMS_CEILING];
    for (size_t k = 0; k < count; k++)
        letters += strlen(s->params[params[k]].name) == 1;
    if (count >= 3 && letters == count && open_dims(s, dims) == 1)
        shape_of_flat(s, params, count, dims[0], true);
}

static bool named_like(const char *name, const char *const *parts);

/* (N, D), (B, C), (T, H): rows by columns as everybody writes them. */
static bool usual_pair(const struct entry_state *s, const size_t *params, const int *dims)
{
    static const char *const firsts[] = {"n",      "b",   "m",      "t",         "r",
                                         "bt",     "bs",  "batch",  "batchsize", "rows",
                                         "tokens", "seq", "seqlen", NULL};
    static const char *const seconds[] = {"d", "c",   "n",      "k",    "h",        "e",     "f",
                                          "v", "dim", "hidden", "cols", "features", "width", NULL};
    return strcmp(s->op->args[entry_dim_arg(s->op, dims[0])].name, "rows") == 0 &&
           strcmp(s->op->args[entry_dim_arg(s->op, dims[1])].name, "cols") == 0 &&
           named_like(s->params[params[0]].name, firsts) &&
           named_like(s->params[params[1]].name, seconds);
}

static void numbers_by_order(struct entry_state *s)
{
    int dims[CMPD_REF_DIMS_CEILING];
    size_t params[CMPD_SIG_PARAMS_CEILING];
    size_t open = open_dims(s, dims), count = open_numbers(s, params);
    if (!open || !count)
        return;
    if (open == 1 && shape_of_flat(s, params, count, dims[0], false))
        return;
    if (open != count)
        return;
    CMPD_BUF_AUTO struct cmpd_buf said = CMPD_BUF_INIT;
    for (size_t k = 0; k < count; k++) {
        size_t arg = entry_dim_arg(s->op, dims[k]);
        cmpd_buf_printf(&said, "%s'%s' as %s", k ? ", " : "", s->params[params[k]].name,
                        s->op->args[arg].name);
        give_number(s, params[k], arg);
    }
    if (count != 2 || !usual_pair(s, params, dims))
        entry_assume(s->b, "%s by their order", cmpd_buf_str(&said));
}

static bool named_like(const char *name, const char *const *parts)
{
    char low[64] = "";
    size_t n = 0;
    for (size_t i = 0; name[i] && n + 1 < sizeof low; i++) {
        if (name[i] != '_')
            low[n++] = (char)tolower((unsigned char)name[i]);
    }
    low[n] = '\0';
    for (size_t i = 0; parts[i]; i++) {
        if (strcmp(low, parts[i]) == 0)
            return true;
    }
    return false;
}

/* "vocab_size", "num_heads": what is left without the word that says that it counts. */
static int match_bare(const struct entry_state *s, const char *name)
{
    static const char *const heads[] = {"num_", "n_", "num"}, *const tails[] = {"_size", "_dim",
                                                                                "_len",  "_count",
                                                                                "Size",  "Dim"};
    char bare[64];
    size_t len = strlen(name);
    for (size_t t = 0; t < sizeof tails / sizeof *tails; t++) {
        size_t n = strlen(tails[t]);
        if (len > n && len - n < sizeof bare && strcmp(name + len - n, tails[t]) == 0) {
            snprintf(bare, sizeof bare, "%.*s", (int)(len - n), name);
            int arg = cmpd_ref_match_param(s->op, bare, false, NULL);
            if (arg >= 0)
                return arg;
        }
    }
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
        size_t n = strlen(heads[h]);
        int arg = len > n && strncmp(name, heads[h], n) == 0
                      ? cmpd_ref_match_param(s->op, name + n, false, NULL)
                      : UNBOUND;
        if (arg >= 0)
            return arg;
    }
    return UNBOUND;
}

/* nx by ny: along a row, and how many of them. */
static int match_axis(const struct entry_state *s, const char *name)
{
    static const char *const xs[] = {"nx", "dimx", "sizex", "lenx", NULL}, *const ys[] = {
                                                                               "ny", "dimy",
                                                                               "sizey", "leny",
                                                                               NULL};
    const char *dim = named_like(name, xs) ? "cols" : named_like(name, ys) ? "rows" : NULL;
    for (size_t a = 0; dim && a < s->op->arg_count; a++) {
        if (s->op->args[a].role == CMPD_ROLE_DIM && strcmp(s->op->args[a].name, dim) == 0)
            return (int)a;
    }
    return UNBOUND;
}

static void numbers_by_axis(struct entry_state *s)
{
    for (size_t i = 0; i < s->b->param_count; i++) {
        int arg = s->done[i] || !is_number(s, i) ? UNBOUND : match_axis(s, s->params[i].name);
        if (arg == UNBOUND || s->taken[arg] != UNBOUND || !number_fits(s, i, (size_t)arg))
            continue;
        give_number(s, i, (size_t)arg);
        entry_assume(s->b, "'%s' as %s", s->params[i].name, s->op->args[arg].name);
    }
}

static void numbers_by_bare_name(struct entry_state *s)
{
    for (size_t i = 0; i < s->b->param_count; i++) {
        int arg = s->done[i] || !is_number(s, i) ? UNBOUND : match_bare(s, s->params[i].name);
        if (arg != UNBOUND && s->taken[arg] == UNBOUND && number_fits(s, i, (size_t)arg))
            give_number(s, i, (size_t)arg);
    }
}

/* The same dimension twice (batch and sequence of one softmax): the second counts 1. */
static bool repeated_dim(struct entry_state *s, size_t i)
{
    static const char *const leading[] = {
        "seq", "seqlen", "sequencelength", "heads", "numheads", "nheads",    "nhead",  "h",
        "t",   "time",   "steps",          "b",     "batch",    "batchsize", "groups", NULL};
    int arg = cmpd_ref_match_param(s->op, s->params[i].name, false, NULL);
    for (size_t a = 0; arg < 0 && a < s->op->arg_count; a++) {
        if (strcmp(s->op->args[a].name, "rows") == 0 && named_like(s->params[i].name, leading))
            arg = (int)a;
    }
    if (arg < 0 || cmpd_ref_dim_index(s->op, (size_t)arg) < 0 || s->taken[arg] == UNBOUND ||
        !is_whole(s->params[i].elem))
        return false;
    s->b->params[i].role = CMPD_ROLE_DIM;
    s->b->params[i].dim_mask = 0;
    s->done[i] = true;
    if (!named_like(s->params[i].name, leading))
        entry_assume(s->b, "'%s' is 1, since '%s' is %s already", s->params[i].name,
                     s->params[s->taken[arg]].name, s->op->args[arg].name);
    return true;
}

/* Dimensions before the rows of a matrix, once rows and columns have their numbers or will get them. */
static void leading_dims(struct entry_state *s)
{
    int dims[CMPD_REF_DIMS_CEILING];
    size_t params[CMPD_SIG_PARAMS_CEILING];
    size_t open = open_dims(s, dims), count = open_numbers(s, params);
    for (size_t k = 0; k < count && count > open; k++)
        repeated_dim(s, params[k]);
}

/* The length of a row in memory: that of the tensor that the name speaks of, else of all. */
static bool leading_dim(struct entry_state *s, size_t i)
{
    static const char *const lengths[] = {
        "stride",      "rowstride", "pitch",   "ld",        "leadingdim",   "step",    "instride",
        "inputstride", "xstride",   "stridex", "outstride", "outputstride", "ystride", "stridey",
        "lda",         "ldb",       "ldc",     "ldx",       "ldy",          NULL};
    const char *name = s->params[i].name;
    if (!is_whole(s->params[i].elem) || !named_like(name, lengths))
        return false;
    int last = UNBOUND;
    for (size_t a = 0; a < s->op->arg_count; a++) {
        const char *shape = entry_is_tensor_role(s->op->args[a].role) ? s->op->args[a].shape : NULL;
        const char *word = shape ? strrchr(shape, ' ') : NULL;
        bool ours = strlen(name) == 3 && name[0] == 'l' && name[1] == 'd' &&
                    tolower((unsigned char)name[2]) == s->op->args[a].name[0];
        if (!word)
            continue;
        for (size_t k = 0; k < s->op->arg_count; k++) {
            int d = cmpd_ref_dim_index(s->op, k);
            if (d < 0 || strcmp(s->op->args[k].name, word + 1) != 0)
                continue;
            if (ours || last == UNBOUND || last == d)
                last = d;
            else if (strlen(name) != 3)
                return false; /* rows of different lengths */
        }
        if (ours)
            break;
    }
    if (last == UNBOUND)
        return false;
    s->b->params[i].role = CMPD_ROLE_DIM;
    s->b->params[i].dim_mask = 1u << last;
    s->done[i] = true;
    entry_assume(s->b, "'%s' as the length of a row", name);
    return true;
}

/* alpha and beta of BLAS, where the operator has neither: the plain product. */
static bool blas_scalar(struct entry_state *s, size_t i)
{
    bool alpha = strcmp(s->params[i].name, "alpha") == 0,
         beta = strcmp(s->params[i].name, "beta") == 0;
    bool other = false;
    for (size_t k = 0; k < s->b->param_count; k++)
        other = other || strcmp(s->params[k].name, alpha ? "beta" : "alpha") == 0;
    if ((!alpha && !beta) || !other || is_whole(s->params[i].elem))
        return false;
    fix(s, i, alpha ? 1 : 0);
    /* What is multiplied by zero is read all the same. */
    for (size_t k = 0; k < s->b->param_count; k++)
        s->b->params[k].starts_zero = s->b->params[k].role == CMPD_ROLE_OUT;
    return true;
}

/* What is left over: defaults of the signature, sizes of blocks and workspaces, strides. */
static void rest(struct entry_state *s)
{
    static const char *const blocks[] = {"block",      "blocksize", "threads", "threadsperblock",
                                         "numthreads", "nthreads",  "tpb",     "blockdim",
                                         "bs",         NULL};
    static const char *const bytes[] = {"workspacesize",    "workspacebytes", "wssize",  "wsbytes",
                                        "tempstoragebytes", "scratchsize",    "tmpsize", NULL};
    for (size_t i = 0; i < s->b->param_count; i++) {
        const struct cmpd_sig_param *p = &s->params[i];
        if (s->done[i])
            continue;
        if (is_number(s, i) && p->has_default && p->default_known)
            fix(s, i, p->default_value);
        else if (entry_is_pointer(s, i) && p->has_default && p->default_known) {
            s->b->params[i].is_null = true;
            s->b->params[i].role = CMPD_ROLE_WORKSPACE;
            s->done[i] = true;
        } else if (is_whole(p->elem) && is_number(s, i) && named_like(p->name, blocks))
            fix(s, i, CMPD_BIND_ASSUMED_BLOCK);
        else if (is_whole(p->elem) && is_number(s, i) && named_like(p->name, bytes))
            fix(s, i, WORKSPACE_BYTES);
        else if (is_number(s, i) && !leading_dim(s, i) && !blas_scalar(s, i))
            repeated_dim(s, i);
    }
}

/*
 * Letters alone, not in the operator's order: (N, M) is rows by columns for some and the reverse for others. Two are
 * taken in their order, and neither reading is certain.
 */
static void letters_out_of_order(struct entry_state *s)
{
    size_t params[CMPD_REF_DIMS_CEILING], count = 0;
    int first = -1;
    for (size_t i = 0; i < s->b->param_count; i++) {
        const struct cmpd_bind_param *p = &s->b->params[i];
        if (p->role != CMPD_ROLE_DIM || !p->dim_mask || (p->dim_mask & (p->dim_mask - 1)) ||
            strlen(s->params[i].name) != 1 || count == CMPD_REF_DIMS_CEILING)
            continue;
        first = count == 0 ? __builtin_ctz(p->dim_mask) : first;
        params[count++] = i;
    }
    const char *letters = count >= 2 ? s->params[params[0]].name : "";
    if (count < 2 || first == 0 || tolower((unsigned char)letters[0]) != 'n' ||
        entry_dim_is_product(s->op, first))
        return;
    if (count == 2) {
        unsigned mask = s->b->params[params[0]].dim_mask;
        s->b->params[params[0]].dim_mask = s->b->params[params[1]].dim_mask;
        s->b->params[params[1]].dim_mask = mask;
    }
    entry_assume(s->b, "'%s' and '%s' %s", s->params[params[0]].name, s->params[params[1]].name,
                 count == 2 ? "by their order" : "by their letters");
}

void entry_bind_numbers(struct entry_state *s)
{
    streams(s);
    flat_shape(s);
    numbers_by_name(s);
    numbers_by_bare_name(s);
    numbers_by_axis(s);
    letters_out_of_order(s);
    leading_dims(s);
    numbers_by_order(s);
    rest(s);
}
