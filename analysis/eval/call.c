/* Calls: functions of the file are entered, known ones modelled, all others may do anything to what they get. */
#include <string.h>

#include "analysis/eval/machine.h"

enum { CALL_DEPTH = 12, ARG_MAX = 64 };

struct call_args {
    struct ev_val vals[ARG_MAX];
    struct ev_val *lvals[ARG_MAX];
    size_t count;
};

void ev_exit_lanes(struct ev_machine *m)
{
    for (struct ev_frame *f = m->frame; f; f = f->parent)
        for (uint32_t l = 0; l < m->width; l++)
            if (m->mask[l] && f->returned[l] != LANE_ON)
                f->returned[l] = m->mask[l] == LANE_MAYBE ? LANE_MAYBE : LANE_ON;
    if (!m->on_device && m->mask[0] == LANE_ON)
        m->aborted = m->cut = true;
    memset(m->mask, LANE_OFF, m->width);
    m->all_on = false;
}

static void eval_args(struct ev_machine *m, const struct ir_expr *x, const struct ir_func *f,
                      struct call_args *out)
{
    out->count = x->arg_count < ARG_MAX ? x->arg_count : ARG_MAX;
    for (size_t i = 0; i < out->count; i++) {
        const struct ir_expr *arg = x->args[i];
        out->lvals[i] = NULL;
        out->vals[i] = ev_unknown(NULL);
        if (!arg)
            continue;
        bool by_ref = f && i < f->param_count && f->params[i]->type->kind == IR_T_REF;
        if (by_ref) {
            out->lvals[i] = ev_variable(m, arg);
            if (!out->lvals[i] && (arg->kind == IR_X_INDEX || arg->kind == IR_X_DEREF ||
                                   arg->kind == IR_X_MEMBER || arg->kind == IR_X_VAR)) {
                struct ev_val p = ev_address(m, arg);
                if (p.kind == EV_PTR) {
                    p.aligned_null = true; /* a mark for bind_param: memory reference */
                    out->vals[i] = p;
                    continue;
                }
            }
        }
        out->vals[i] = ev_eval(m, arg);
    }
}

static struct ev_val call_file_function(struct ev_machine *m, const struct ir_expr *x,
                                        const struct ir_func *f, struct ev_val *self)
{
    struct call_args *args = CMPD_ARENA_NEW(m->arena, struct call_args);
    eval_args(m, x, f, args);
    if (m->call_depth >= CALL_DEPTH) {
        if (m->on_device && m->hooks->barrier)
            m->hooks->barrier(m, NULL, false);
        return ev_unknown(ev_type(m, x->type));
    }
    m->call_depth++;
    struct ev_val v = ev_call(m, f, args->vals, args->lvals, args->count, x->targs, x->targ_count,
                              m->frame, self);
    m->call_depth--;
    if (v.kind == EV_UNKNOWN &&
        (!v.type || v.type->kind == IR_T_UNKNOWN || v.type->kind == IR_T_TPARAM))
        v.type = ev_type(m, x->type);
    return v;
}

static const struct ir_func *functor_of(const struct ev_machine *m, const struct ir_struct *record)
{
    for (size_t i = 0; record && i < m->module->func_count; i++) {
        const struct ir_func *f = m->module->funcs[i];
        if (f->record == record && f->body && f->name && strcmp(f->name, "operator()") == 0)
            return f;
    }
    return NULL;
}

/* The function of the file that a call enters, or NULL. */
static const struct ir_func *callee_of(struct ev_machine *m, const struct ir_expr *x,
                                       struct ev_val **self)
{
    *self = NULL;
    if (x->a && x->a->kind == IR_X_MEMBER && x->func && x->func->is_method)
        *self = ev_variable(m, x->a->a);
    if (x->func)
        return x->func->body ? x->func : NULL;
    if (!x->a || (x->a->kind != IR_X_VAR && x->a->kind != IR_X_LAMBDA && x->a->kind != IR_X_INIT))
        return NULL;
    struct ev_val v = ev_eval(m, x->a);
    if (v.kind == EV_CALLABLE)
        return v.func && v.func->body ? v.func : NULL;
    if (v.kind == EV_AGG)
        return functor_of(m, v.record);
    const struct ir_type *t = ev_type(m, x->a->type);
    if (t && t->kind == IR_T_REF)
        t = ev_type(m, t->elem);
    return t && t->kind == IR_T_STRUCT ? functor_of(m, t->record) : NULL;
}

/* A local variable handed bare to a function that is not seen may be an output. */
static void forget_argument(struct ev_machine *m, const struct ir_expr *arg)
{
    if (arg->kind != IR_X_VAR || arg->var->storage != IR_V_LOCAL || arg->var->is_const ||
        arg->var->is_constexpr)
        return;
    struct ev_val *v = ev_variable(m, arg);
    if (v && v->kind != EV_PTR)
        ev_store_val(m, v, ev_unknown(v->type), false);
}

static bool looks_like_check(const char *name)
{
    static const char *const parts[] = {"ASSERT",  "CHECK",  "REQUIRE",
                                        "ENFORCE", "EXPECT", "assert"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static bool is_macro_style(const char *name)
{
    for (const char *p = name; *p; p++)
        if (*p >= 'a' && *p <= 'z')
            return false;
    return true;
}

/* TORCH_CHECK(n % 4 == 0, ...), assert(n > 0): a false condition ends the program. */
static void host_check(struct ev_machine *m, const struct ev_val *cond, const struct ir_expr *at)
{
    const struct ir_type *t = at->type;
    bool is_condition = at->kind == IR_X_BINARY || at->kind == IR_X_LAND || at->kind == IR_X_LOR ||
                        (t && t->kind == IR_T_BOOL);
    if (is_condition && cond->kind == EV_INT && !cond->lanes && cond->i == 0)
        ev_exit_lanes(m);
}

static struct ev_val unknown_call(struct ev_machine *m, const struct ir_expr *x, const char *name)
{
    enum { SEEN = 1, CHECK = 2, MACRO = 4 };
    uint16_t traits = ev_memo_get(&m->memos[2], x);
    if (!traits) {
        traits = (uint16_t)(SEEN | (name && looks_like_check(name) ? CHECK : 0) |
                            (name && is_macro_style(name) ? MACRO : 0));
        ev_memo_put(&m->memos[2], m->memo_arena, x, traits);
    }
    bool check = traits & CHECK;
    for (size_t i = 0; i < x->arg_count; i++) {
        const struct ir_expr *arg = x->args[i];
        if (!arg)
            continue;
        struct ev_val v = ev_eval(m, arg);
        if (check && i == 0 && !m->on_device)
            host_check(m, &v, arg);
        if (v.kind == EV_PTR && m->hooks->access)
            m->hooks->access(m, &v, 0, EV_READ | EV_WRITE | EV_SPECULATIVE, x);
        if (v.kind == EV_PTR && v.region->cell)
            ev_store_val(m, v.region->cell, ev_unknown(v.region->elem), false);
        if (!check && !(traits & MACRO))
            forget_argument(m, arg);
    }
    if (x->a && x->a->kind == IR_X_MEMBER) {
        struct ev_val *obj = ev_variable(m, x->a->a);
        if (!obj)
            ev_eval(m, x->a->a);
    }
    if (m->on_device && m->hooks->barrier)
        m->hooks->barrier(m, NULL, false);
    return ev_unknown(ev_type(m, x->type));
}

struct ev_val ev_eval_call(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val *self = NULL;
    const struct ir_func *f = callee_of(m, x, &self);
    if (f && f->kind != IR_F_KERNEL)
        return call_file_function(m, x, f, self);
    const char *name = x->name ? x->name : x->a ? x->a->name : NULL;
    struct ev_val v;
    if (name && ev_known_call(m, x, ev_plain_name(name), &v))
        return v;
    return unknown_call(m, x, name);
}

struct ev_val ev_eval_launch(struct ev_machine *m, const struct ir_expr *x)
{
    const struct ir_launch *l = x->launch;
    struct ev_launch_event ev = {.expr = x, .launch = l, .frame = m->frame};
    ev.grid = l->grid ? ev_eval(m, l->grid) : ev_unknown(NULL);
    ev.block = l->block ? ev_eval(m, l->block) : ev_unknown(NULL);
    ev.shared = l->shared ? ev_eval(m, l->shared) : ev_int(0, NULL);
    if (l->stream)
        ev_eval(m, l->stream);
    ev.arg_count = x->arg_count;
    ev.args = CMPD_ARENA_ARRAY(m->arena, struct ev_val, x->arg_count + 1);
    for (size_t i = 0; i < x->arg_count; i++)
        ev.args[i] = x->args[i] ? ev_eval(m, x->args[i]) : ev_unknown(NULL);
    ev.certain = ev_mask_certain(m);
    if (!m->on_device && m->hooks->launch && ev_mask_any(m))
        m->hooks->launch(m, &ev);
    return ev_int(0, x->type);
}
