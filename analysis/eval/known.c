/* Functions and names that the file does not define but everybody knows: device intrinsics, math, constants. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "analysis/eval/machine.h"

const char *ev_plain_name(const char *name)
{
    static const char *const prefixes[] = {
        "::", "cuda::std::", "std::", "cooperative_groups::", "cg::", "thrust::"};
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
            size_t n = strlen(prefixes[i]);
            if (strncmp(name, prefixes[i], n) == 0) {
                name += n;
                again = true;
            }
        }
    }
    return name;
}

struct known_name {
    const char *name;
    int64_t value;
};

bool ev_known_name(const char *name, struct ev_val *out)
{
    static const struct known_name table[] = {
        {"cudaSuccess", 0},
        {"CUDA_SUCCESS", 0},
        {"NULL", 0},
        {"INT_MAX", INT_MAX},
        {"INT_MIN", INT_MIN},
        {"UINT_MAX", UINT_MAX},
        {"CHAR_BIT", 8},
        {"SHRT_MAX", SHRT_MAX},
        {"USHRT_MAX", USHRT_MAX},
        {"UCHAR_MAX", UCHAR_MAX},
        {"CHAR_MAX", CHAR_MAX},
        {"LONG_MAX", LONG_MAX},
        {"LLONG_MAX", LLONG_MAX},
        {"cudaMemcpyHostToHost", 0},
        {"cudaMemcpyHostToDevice", 1},
        {"cudaMemcpyDeviceToHost", 2},
        {"cudaMemcpyDeviceToDevice", 3},
        {"cudaMemcpyDefault", 4},
        {"warpSize", 32},
    };
    if (!name)
        return false;
    name = ev_plain_name(name);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(name, table[i].name) == 0) {
            *out = ev_int(table[i].value,
                          cmpd_ir_builtin_type(table[i].value > INT_MAX ? "long" : "int",
                                               table[i].value > INT_MAX ? 4 : 3));
            return true;
        }
    }
    return false;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);
    return n >= k && strcmp(s + n - k, end) == 0;
}

bool ev_in_list(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* Mathematical and other functions without side effects and without order; a trailing f or l is dropped first. */
static bool is_pure(const char *name)
{
    static const char *const pure[] = {"abs",      "acos",       "acosh",
                                       "asin",     "asinh",      "atan",
                                       "atan2",    "atanh",      "cbrt",
                                       "ceil",     "copysign",   "cos",
                                       "cosh",     "cospi",      "erf",
                                       "erfc",     "erfcinv",    "erfcx",
                                       "erfinv",   "exp",        "exp10",
                                       "exp2",     "expm1",      "fabs",
                                       "fdim",     "floor",      "fma",
                                       "fmax",     "fmin",       "fmod",
                                       "hypot",    "ilogb",      "isfinite",
                                       "isinf",    "isnan",      "j0",
                                       "j1",       "jn",         "labs",
                                       "ldexp",    "lgamma",     "llabs",
                                       "llmax",    "llmin",      "llrint",
                                       "llround",  "log",        "log10",
                                       "log1p",    "log2",       "logb",
                                       "lrint",    "lround",     "max",
                                       "min",      "nearbyint",  "nextafter",
                                       "norm",     "norm3d",     "norm4d",
                                       "normcdf",  "normcdfinv", "pow",
                                       "powi",     "rcbrt",      "remainder",
                                       "rhypot",   "rint",       "rnorm",
                                       "rnorm3d",  "rnorm4d",    "round",
                                       "rsqrt",    "saturate",   "signbit",
                                       "sin",      "sinh",       "sinpi",
                                       "sqrt",     "tan",        "tanh",
                                       "tanpi",    "tgamma",     "trunc",
                                       "ullmax",   "ullmin",     "umax",
                                       "umin",     "y0",         "y1",
                                       "yn",       "clock",      "clock64",
                                       "printf",   "fprintf",    "puts",
                                       "move",     "forward",    "numeric_limits",
                                       "isless",   "isgreater",  "sincos",
                                       "sincospi", "frexp",      "modf",
                                       "swap",     "infinity",   "lowest",
                                       "epsilon",  "clamp",      "atoi",
                                       "atol",     "atof",       "strtol",
                                       "strtoul",  "getenv",     "strcmp",
                                       "strlen",   "srand",      "rand",
                                       "time",     "free",       "cudaFree",
                                       NULL};
    if (ev_in_list(name, pure))
        return true;
    size_t n = strlen(name);
    if (n > 2 && n < 32 && (name[n - 1] == 'f' || name[n - 1] == 'l')) {
        char base[32];
        memcpy(base, name, n - 1);
        base[n - 1] = '\0';
        return ev_in_list(base, pure);
    }
    return strncmp(name, "make_", 5) == 0;
}

static struct ev_val arg(struct ev_machine *m, const struct ir_expr *x, size_t i)
{
    return i < x->arg_count && x->args[i] ? ev_eval(m, x->args[i]) : ev_unknown(NULL);
}

static struct ev_val eval_all(struct ev_machine *m, const struct ir_expr *x,
                              const struct ir_type *type)
{
    bool varying = false;
    for (size_t i = 0; i < x->arg_count; i++)
        varying |= arg(m, x, i).varying;
    return varying ? ev_varying(type) : ev_unknown(type);
}

/* ---- min, max, rounding ---- */

/* The data's bound where `v` is held against `k`. */
static struct ev_val bounded(const struct ev_val *v, const struct ev_val *k, bool want_max,
                             const struct ir_type *t)
{
    struct ev_val out = ev_varying(t);
    if (!v->reaches || !ev_is_uniform_int(k))
        return out;
    bool taken = (k->i > v->reach) == want_max;
    out.reaches = true;
    out.reach = taken ? k->i : v->reach;
    out.capped = v->capped || (taken && !want_max);
    return out;
}

static struct ev_val pick(struct ev_machine *m, const struct ir_expr *x, bool want_max)
{
    struct ev_val a = arg(m, x, 0), b = arg(m, x, 1);
    const struct ir_type *t = ev_type(m, x->type);
    if (t && t->kind == IR_T_UNKNOWN)
        t = a.type && a.type->kind == IR_T_INT ? a.type : b.type;
    if (a.kind == EV_DBL || b.kind == EV_DBL) {
        if ((a.kind != EV_DBL && !ev_is_uniform_int(&a)) ||
            (b.kind != EV_DBL && !ev_is_uniform_int(&b)))
            return ev_unknown(t);
        double p = a.kind == EV_DBL ? a.d : (double)a.i, q = b.kind == EV_DBL ? b.d : (double)b.i;
        return ev_dbl(want_max ? fmax(p, q) : fmin(p, q), t);
    }
    if (a.kind != EV_INT || b.kind != EV_INT) {
        if (a.varying || b.varying)
            return a.reaches ? bounded(&a, &b, want_max, t) : bounded(&b, &a, want_max, t);
        return ev_unknown(t);
    }
    if (!a.lanes && !b.lanes)
        return ev_int((a.i > b.i) == want_max ? a.i : b.i, t);
    struct ev_val out = {.kind = EV_INT, .type = t};
    out.lanes = cmpd_arena_alloc_raw(m->arena, sizeof(int64_t) * m->width);
    for (uint32_t l = 0; l < m->width; l++) {
        int64_t p = ev_lane(&a, l), q = ev_lane(&b, l);
        out.lanes[l] = p == CMPD_UNKNOWN_LANE || q == CMPD_UNKNOWN_LANE ? CMPD_UNKNOWN_LANE
                       : (p > q) == want_max                            ? p
                                                                        : q;
    }
    return out;
}

static struct ev_val clamp_call(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val v = arg(m, x, 0), lo = arg(m, x, 1), hi = arg(m, x, 2);
    if (!ev_is_uniform_int(&v) || !ev_is_uniform_int(&lo) || !ev_is_uniform_int(&hi))
        return ev_unknown(ev_type(m, x->type));
    return ev_int(v.i < lo.i ? lo.i : v.i > hi.i ? hi.i : v.i, v.type);
}

static struct ev_val rounding(struct ev_machine *m, const struct ir_expr *x,
                              double (*round_to)(double))
{
    struct ev_val a = arg(m, x, 0);
    if (ev_is_uniform_int(&a))
        a = ev_dbl((double)a.i, x->type);
    return a.kind == EV_DBL ? ev_dbl(round_to(a.d), x->type) : ev_unknown(x->type);
}

static struct ev_val multiply(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val a = arg(m, x, 0), b = arg(m, x, 1);
    if (a.prov && b.prov && m->hooks->builtin_product)
        m->hooks->builtin_product(m, x, a.prov, b.prov);
    return ev_binary(m->arena, m->width, IR_OP_MUL, &a, &b, ev_type(m, x->type));
}

static struct ev_val absolute(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val a = arg(m, x, 0);
    if (ev_is_uniform_int(&a))
        return ev_int(a.i < 0 ? -a.i : a.i, a.type);
    return a.kind == EV_DBL ? ev_dbl(fabs(a.d), a.type) : ev_unknown(ev_type(m, x->type));
}

/* ---- memory ---- */

static const struct ir_type *pointee(const struct ev_val *p)
{
    return p->type && p->type->elem ? p->type->elem : NULL;
}

static struct ev_val touch(struct ev_machine *m, const struct ir_expr *x, unsigned flags,
                           size_t ptr_arg)
{
    struct ev_val p = ev_unknown(NULL);
    for (size_t i = 0; i < x->arg_count; i++) {
        struct ev_val v = arg(m, x, i);
        if (i == ptr_arg)
            p = v;
    }
    const struct ir_type *elem = pointee(&p);
    if (p.kind == EV_PTR && p.region->cell && (flags & EV_WRITE))
        ev_store_val(m, p.region->cell, ev_unknown(elem), false);
    if (m->hooks->access)
        m->hooks->access(m, &p, ev_sizeof(m, elem), flags, x);
    bool varying = p.kind == EV_PTR && (p.lanes || p.varying);
    const struct ir_type *t = elem ? ev_type(m, elem) : x->type;
    return varying ? ev_varying(t) : ev_unknown(t);
}

/* memcpy and memset in device code, __pipeline_memcpy_async: bytes in argument 2. */
static struct ev_val copy_bytes(struct ev_machine *m, const struct ir_expr *x, bool has_source)
{
    struct ev_val d = arg(m, x, 0), s = arg(m, x, 1), n = arg(m, x, 2);
    uint32_t bytes = ev_is_uniform_int(&n) && n.i > 0 && n.i < (1 << 20) ? (uint32_t)n.i : 0;
    if (m->hooks->access) {
        if (has_source)
            m->hooks->access(m, &s, bytes, EV_READ, x);
        m->hooks->access(m, &d, bytes, EV_WRITE, x);
    }
    return d;
}

/* ---- vectors ---- */

/* make_int2 and the like give records with known fields; float ones stay unknown. */
static struct ev_val make_vector(struct ev_machine *m, const struct ir_expr *x)
{
    const struct ir_type *t = ev_type(m, x->type);
    struct ev_val v = t && t->kind == IR_T_STRUCT ? ev_blank_record(m, t) : ev_unknown(t);
    for (size_t i = 0; i < x->arg_count; i++) {
        struct ev_val a = arg(m, x, i);
        if (v.kind == EV_AGG && i < v.record->field_count) {
            a = ev_convert(m->arena, m->width, &a, v.record->fields[i].type);
            ev_store_val(m, &v.fields[i], a, true);
        }
    }
    return v;
}

/* ---- what a name is ---- */

enum known_id {
    K_UNSEEN, /* not looked up yet */
    K_NOTHING,
    K_HOST,
    K_MAX,
    K_MIN,
    K_CLAMP,
    K_CEIL,
    K_FLOOR,
    K_SQRT,
    K_ABS,
    K_MULTIPLY,
    K_MAKE,
    K_LOAD,
    K_STORE,
    K_ATOMIC,
    K_COPY,
    K_SET,
    K_COPY_ASYNC,
    K_BARRIER,
    K_NAMED_BARRIER,
    K_WARP_SYNC,
    K_TRAP,
    K_PURE,
};

struct known_function {
    const char *name;
    enum known_id id;
};

static const struct known_function functions[] = {
    {"max", K_MAX},
    {"umax", K_MAX},
    {"llmax", K_MAX},
    {"ullmax", K_MAX},
    {"fmax", K_MAX},
    {"fmaxf", K_MAX},
    {"min", K_MIN},
    {"umin", K_MIN},
    {"llmin", K_MIN},
    {"ullmin", K_MIN},
    {"fmin", K_MIN},
    {"fminf", K_MIN},
    {"clamp", K_CLAMP},
    {"ceil", K_CEIL},
    {"ceilf", K_CEIL},
    {"floor", K_FLOOR},
    {"floorf", K_FLOOR},
    {"sqrt", K_SQRT},
    {"sqrtf", K_SQRT},
    {"abs", K_ABS},
    {"labs", K_ABS},
    {"__mul24", K_MULTIPLY},
    {"__umul24", K_MULTIPLY},
    {"__imul24", K_MULTIPLY},
    {"__ldg", K_LOAD},
    {"__ldcg", K_LOAD},
    {"__ldca", K_LOAD},
    {"__ldcs", K_LOAD},
    {"__ldlu", K_LOAD},
    {"__ldcv", K_LOAD},
    {"__stwb", K_STORE},
    {"__stcg", K_STORE},
    {"__stcs", K_STORE},
    {"__stwt", K_STORE},
    {"memcpy", K_COPY},
    {"memmove", K_COPY},
    {"memset", K_SET},
    {"__pipeline_memcpy_async", K_COPY_ASYNC},
    {"__syncthreads", K_BARRIER},
    {"__syncthreads_count", K_BARRIER},
    {"__syncthreads_and", K_BARRIER},
    {"__syncthreads_or", K_BARRIER},
    {"__barrier_sync", K_NAMED_BARRIER},
    {"__syncwarp", K_WARP_SYNC},
    {"__trap", K_TRAP},
};

static enum known_id device_id(const char *name)
{
    if (strncmp(name, "atomic", 6) == 0 && name[6] >= 'A' && name[6] <= 'Z')
        return K_ATOMIC;
    if (strncmp(name, "__", 2) == 0)
        return ends_with(name, "_sync") ? K_WARP_SYNC : K_PURE;
    return strcmp(name, "assert") == 0 ? K_PURE : K_NOTHING;
}

bool ev_is_known_name(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0)
            return true;
    return strncmp(name, "make_", 5) == 0 || is_pure(name) || device_id(name) != K_NOTHING;
}

static enum known_id identify(const struct ev_machine *m, const struct ir_expr *x, const char *name)
{
    bool is_method = x->a && x->a->kind == IR_X_MEMBER;
    if (!m->on_device && ev_is_host_call(x, name))
        return K_HOST;
    if (is_method)
        return K_NOTHING;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0)
            return functions[i].id;
    if (strncmp(name, "make_", 5) == 0)
        return K_MAKE;
    if (is_pure(name))
        return K_PURE;
    return m->on_device ? device_id(name) : K_NOTHING;
}

static struct ev_val barrier(struct ev_machine *m, const struct ir_expr *x, bool whole_block)
{
    eval_all(m, x, x->type);
    if (m->hooks->barrier)
        m->hooks->barrier(m, x, whole_block);
    return ev_unknown(x->type);
}

static struct ev_val warp_sync(struct ev_machine *m, const struct ir_expr *x)
{
    eval_all(m, x, x->type);
    if (m->hooks->warp_sync)
        m->hooks->warp_sync(m, x);
    return ev_unknown(
        ev_type(m, x->type)); /* the same for the lanes of a warp, perhaps: not varying */
}

static struct ev_val trap(struct ev_machine *m, const struct ir_expr *x)
{
    ev_exit_lanes(m);
    return ev_unknown(x->type);
}

static struct ev_val run_known(struct ev_machine *m, const struct ir_expr *x, enum known_id id)
{
    switch (id) {
    case K_MAX:
    case K_MIN:
        return pick(m, x, id == K_MAX);
    case K_CLAMP:
        return clamp_call(m, x);
    case K_CEIL:
        return rounding(m, x, ceil);
    case K_FLOOR:
        return rounding(m, x, floor);
    case K_SQRT:
        return rounding(m, x, sqrt);
    case K_ABS:
        return absolute(m, x);
    case K_MULTIPLY:
        return multiply(m, x);
    case K_MAKE:
        return make_vector(m, x);
    case K_LOAD:
        return touch(m, x, EV_READ, 0);
    case K_STORE:
        return touch(m, x, EV_WRITE, 0);
    case K_ATOMIC:
        return touch(m, x, EV_READ | EV_WRITE | EV_ATOMIC, 0);
    case K_COPY:
    case K_SET:
        return copy_bytes(m, x, id == K_COPY);
    case K_COPY_ASYNC:
        return copy_bytes(m, x, true);
    case K_BARRIER:
    case K_NAMED_BARRIER:
        return barrier(m, x, id == K_BARRIER);
    case K_WARP_SYNC:
        return warp_sync(m, x);
    case K_TRAP:
        return trap(m, x);
    default:
        return eval_all(m, x, ev_type(m, x->type));
    }
}

bool ev_known_call(struct ev_machine *m, const struct ir_expr *x, const char *name,
                   struct ev_val *out)
{
    struct ev_memo *memo = &m->memos[m->on_device];
    enum known_id id = (enum known_id)ev_memo_get(memo, x);
    if (id == K_UNSEEN) {
        id = identify(m, x, name);
        ev_memo_put(memo, m->memo_arena, x, (uint16_t)id);
    }
    if (id == K_NOTHING)
        return false;
    if (id == K_HOST)
        return ev_known_host_call(m, x, name, out);
    *out = run_known(m, x, id);
    return true;
}
