/* cudaMemcpy and friends: the direction against who made the pointers, the byte count against their sizes. */
#include <string.h>

#include "analysis/eval/root.h"

enum origin { ORIGIN_UNKNOWN, ORIGIN_HOST, ORIGIN_DEVICE };

static enum origin origin_of(const struct ev_val *p)
{
    if (p->kind != EV_PTR || !p->region)
        return ORIGIN_UNKNOWN;
    switch (p->region->kind) {
    case EV_R_HOST:
    case EV_R_LOCAL:
    case EV_R_PINNED:
        return ORIGIN_HOST;
    case EV_R_DEVICE:
    case EV_R_CONSTANT:
        return ORIGIN_DEVICE;
    default:
        return ORIGIN_UNKNOWN; /* managed memory serves both sides; buffers come from outside */
    }
}

static const char *origin_name(enum origin o)
{
    return o == ORIGIN_HOST     ? "host memory"
           : o == ORIGIN_DEVICE ? "device memory"
                                : "memory from outside";
}

static void judge_direction(struct ev_root *root, const struct ir_expr *call,
                            const struct ev_val *dst, const struct ev_val *src, int64_t kind)
{
    static const char *const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
    if (kind < 0 || kind > 3)
        return;
    enum origin want_dst = kind == 0 || kind == 2 ? ORIGIN_HOST : ORIGIN_DEVICE;
    enum origin want_src = kind == 0 || kind == 1 ? ORIGIN_HOST : ORIGIN_DEVICE;
    enum origin d = origin_of(dst), s = origin_of(src);
    bool wrong = (d && d != want_dst) || (s && s != want_src);
    if (!wrong)
        return;
    /* Of one side nothing is known: a copy between host and device is what is meant most. */
    enum origin need_d = d ? d : s == ORIGIN_DEVICE ? ORIGIN_HOST : ORIGIN_DEVICE;
    enum origin need_s = s ? s : d == ORIGIN_DEVICE ? ORIGIN_HOST : ORIGIN_DEVICE;
    int64_t right = need_d == ORIGIN_HOST ? (need_s == ORIGIN_HOST ? 0 : 2)
                                          : (need_s == ORIGIN_HOST ? 1 : 3);
    /* Measured on CUDA 13: between two device pointers every direction passes, and HostToHost counts as Default. */
    bool fails = d && s && kind != 0 && !(d == ORIGIN_DEVICE && s == ORIGIN_DEVICE);
    ev_add_fault(root->facts, root->arena, CMPD_TAG_memcpy_direction,
                 fails ? CMPD_TIER_REJECT : CMPD_TIER_REVIEW, &call->loc, root->func,
                 cmpd_arena_printf(root->arena, "say %s", names[right]),
                 "the copy says %s, but it goes from %s (%s) to %s (%s)", names[kind],
                 src->kind == EV_PTR ? src->region->name : "src", origin_name(s),
                 dst->kind == EV_PTR ? dst->region->name : "dst", origin_name(d));
}

/* ---- byte counts ---- */

struct size_use {
    const struct ir_type *sizeof_type;
    unsigned count;
    uint32_t elem;   /* bytes of the buffer's elements, 0: not asked for */
    uint32_t factor; /* that size stands in the count as a number */
};

static bool find_sizeof(const struct ir_expr *x, void *ctx)
{
    struct size_use *u = ctx;
    if (x->op == IR_OP_MUL && x->a && x->b &&
        ((x->a->kind == IR_X_INT && x->a->ival == u->elem) ||
         (x->b->kind == IR_X_INT && x->b->ival == u->elem)))
        u->factor = u->elem;
    if (x->kind == IR_X_SIZEOF && !x->is_alignof) {
        u->sizeof_type = x->sizeof_type;
        u->count++;
        return false; /* the operand is not evaluated */
    }
    if (x->kind == IR_X_VAR && x->var->init &&
        (x->var->is_const || x->var->is_constexpr || x->var->storage == IR_V_LOCAL))
        cmpd_ir_walk_expr(x->var->init, find_sizeof, ctx);
    return true;
}

uint32_t ev_sizeof_in(const struct ir_expr *allocation)
{
    struct size_use u = {0};
    for (size_t i = 1; i < allocation->arg_count; i++)
        if (allocation->args[i])
            cmpd_ir_walk_expr(allocation->args[i], find_sizeof, &u);
    return u.count == 1 ? u.sizeof_type->size : 0;
}

static uint32_t elem_size(const struct ev_val *p)
{
    return p->kind == EV_PTR && p->region->elem ? p->region->elem_bytes : 0;
}

static int64_t room(const struct ev_val *p)
{
    if (p->kind != EV_PTR || p->region->size_bytes < 0 || ev_lane(p, 0) == CMPD_UNKNOWN_LANE)
        return -1;
    return p->region->size_bytes - ev_lane(p, 0);
}

static void copy_fault(struct ev_root *root, const struct ir_expr *call, enum cmpd_tier tier,
                       const char *hint, const char *message)
{
    struct ev_sighting s = {.tag = CMPD_TAG_memcpy_size,
                            .at = call,
                            .kernel = root->func,
                            .text = message,
                            .hint = hint};
    ev_record_sighting(root, NULL, &s, NULL, tier == CMPD_TIER_REJECT);
}

static bool judge_overrun(struct ev_root *root, const struct ir_expr *call, const struct ev_val *p,
                          const char *verb, int64_t bytes)
{
    int64_t left = room(p);
    if (left < 0 || bytes <= left)
        return false;
    const char *with = ev_run_inputs_text(root, root->run);
    copy_fault(root, call, CMPD_TIER_REJECT, "count the bytes of the buffer that was allocated",
               cmpd_arena_printf(root->arena, "%s%s%sthe call %s %lld bytes of %s, which has %lld",
                                 *with ? "with " : "", with, *with ? " " : "", verb,
                                 (long long)bytes, p->region->name, (long long)left));
    return true;
}

/* The count is short by exactly the ratio of two element sizes, or is a number of elements. */
static bool judge_short(struct ev_root *root, const struct ir_expr *call,
                        const struct ir_expr *bytes_expr, const struct ev_val *p,
                        const struct ev_val *q, int64_t bytes)
{
    uint32_t elem = elem_size(p);
    int64_t left = room(p);
    if (elem < 2 || (q && elem_size(q) && elem_size(q) != elem) || left < 0 || bytes >= left ||
        bytes <= 0)
        return false;
    struct size_use u = {.elem = elem};
    cmpd_ir_walk_expr(bytes_expr, find_sizeof, &u);
    bool literal = bytes_expr->kind == IR_X_INT; /* may be meant as it stands */
    const char *message = NULL;
    /* Who multiplies by the element's size in figures copies a part: (n / 4) * 4 bytes of n floats are a quarter. */
    if (u.count == 0 && u.factor == elem)
        return false;
    if (u.count == 0 && bytes * elem == left)
        message = cmpd_arena_printf(
            root->arena, "the count is a number of elements: %lld bytes of %s's %lld are copied",
            (long long)bytes, p->region->name, (long long)left);
    else if (u.count == 1 && u.sizeof_type->kind == IR_T_PTR && bytes == 8 && p->region->elem &&
             p->region->elem->kind != IR_T_PTR)
        message = cmpd_arena_printf(
            root->arena, "the count is the size of a pointer: 8 bytes of %s's %lld are copied",
            p->region->name, (long long)left);
    else if (u.count == 1 && u.sizeof_type->kind != IR_T_PTR && u.sizeof_type->size &&
             u.sizeof_type->size != elem && bytes * elem == left * u.sizeof_type->size)
        message = cmpd_arena_printf(
            root->arena,
            "%s holds elements of %u bytes, but the count takes %u a piece: %lld of %lld bytes "
            "are copied",
            p->region->name, elem, u.sizeof_type->size, (long long)bytes, (long long)left);
    if (!message)
        return false;
    copy_fault(root, call, literal ? CMPD_TIER_REVIEW : CMPD_TIER_REJECT,
               "multiply the number of elements with sizeof of the element type", message);
    return true;
}

static void judge_bytes(struct ev_root *root, const struct ir_expr *call,
                        const struct ir_expr *bytes_expr, const struct ev_val *dst,
                        const struct ev_val *src, const struct ev_val *bytes)
{
    if (!ev_is_uniform_int(bytes))
        return;
    if (judge_overrun(root, call, dst, "writes", bytes->i))
        return;
    if (src && judge_overrun(root, call, src, "reads", bytes->i))
        return;
    if (judge_short(root, call, bytes_expr, dst, src, bytes->i))
        return;
    if (src)
        judge_short(root, call, bytes_expr, src, dst, bytes->i);
}

/* The count is sizeof of a container or smart pointer: of the object, not of what it holds. */
static bool judge_object_size(struct ev_root *root, const struct ir_expr *call,
                              const struct ir_expr *bytes_expr)
{
    const struct ir_type *t = bytes_expr->kind == IR_X_SIZEOF ? bytes_expr->sizeof_type : NULL;
    if (t && t->kind == IR_T_REF)
        t = t->elem;
    if (!t || !t->name ||
        !(strstr(t->name, "vector") || strstr(t->name, "unique_ptr") || strstr(t->name, "string")))
        return false;
    copy_fault(root, call, CMPD_TIER_REJECT, "multiply size() with sizeof of the element type",
               cmpd_arena_printf(
                   root->arena,
                   "the count is the size of the %s object itself, not of what it holds", t->name));
    return true;
}

/* Where the arguments of a copying call stand; -1: it has none. */
struct copy_call {
    const char *name;
    int dst, src, bytes, kind;
};

static const struct copy_call copy_calls[] = {
    {"cudaMemcpy", 0, 1, 2, 3},
    {"cudaMemcpyAsync", 0, 1, 2, 3},
    {"cudaMemset", 0, -1, 2, -1},
    {"cudaMemsetAsync", 0, -1, 2, -1},
    {"cudaMemcpyToSymbol", 0, 1, 2, -1},
    {"cudaMemcpyFromSymbol", 0, 1, 2, -1},
    {"cudaMemcpyToSymbolAsync", 0, 1, 2, -1},
    {"cudaMemcpyFromSymbolAsync", 0, 1, 2, -1},
    {"cudaMemcpy2D", 0, 2, -1, 6},
    {"cudaMemcpy2DAsync", 0, 2, -1, 6},
};

static bool already_told(const struct ev_root *root, const struct ir_expr *call)
{
    for (size_t i = 0; i < root->facts->fault_count; i++)
        if (root->facts->faults[i].at.off == call->loc.off)
            return true;
    return false;
}

void ev_judge_copy(struct ev_root *root, struct ev_machine *m, const struct ir_expr *call,
                   const char *name, const struct ev_val *args, size_t arg_count)
{
    (void)m;
    if (strncmp(name, "cudaMem", 7) != 0)
        return;
    const struct copy_call *c = NULL;
    for (size_t i = 0; i < sizeof copy_calls / sizeof *copy_calls && !c; i++)
        if (strcmp(name, copy_calls[i].name) == 0)
            c = &copy_calls[i];
    int last = !c ? 0 : c->kind > c->bytes ? c->kind : c->bytes;
    if (!c || already_told(root, call) ||
        (size_t)(last > c->src ? last : c->src) >= arg_count + (c->kind == 3))
        return;
    const struct ev_val *src = c->src >= 0 ? &args[c->src] : NULL;
    if (c->bytes >= 0 && call->args[c->bytes] &&
        !judge_object_size(root, call, call->args[c->bytes]))
        judge_bytes(root, call, call->args[c->bytes], &args[c->dst], src, &args[c->bytes]);
    if (c->kind >= 0 && (size_t)c->kind < arg_count && ev_is_uniform_int(&args[c->kind]))
        judge_direction(root, call, &args[c->dst], src, args[c->kind].i);
}
