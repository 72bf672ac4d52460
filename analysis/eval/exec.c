/* Statements: control flow by lane states (see machine.h). */
#include <string.h>

#include "analysis/eval/machine.h"

static uint8_t *zero_mask(struct ev_machine *m)
{
    return cmpd_arena_alloc(m->arena, m->width);
}

static void set_mask(struct ev_machine *m, const uint8_t *mask)
{
    memcpy(m->mask, mask, m->width);
    ev_mask_refresh(m);
}

/* ---- joining again ---- */

static uint8_t left_state(uint8_t entry)
{
    return entry == LANE_MAYBE ? LANE_MAYBE : LANE_LEFT;
}

/* After a loop or switch: who is here again. */
static void rejoin(struct ev_machine *m, const uint8_t *entry, const uint8_t *ret_before)
{
    const uint8_t *ret = m->frame->returned;
    for (uint32_t l = 0; l < m->width; l++) {
        uint8_t st = entry[l];
        if (st && ret[l] == LANE_ON)
            st = LANE_OFF;
        else if (st && ret[l] == LANE_MAYBE && !ret_before[l])
            st = left_state(st);
        for (struct ev_loop *o = m->loop; st && o; o = o->parent) {
            uint8_t gone = o->broke[l] > o->continued[l] ? o->broke[l] : o->continued[l];
            if (o->broke[l] == LANE_ON || o->continued[l] == LANE_ON)
                st = LANE_OFF;
            else if (gone)
                st = LANE_MAYBE;
            if (!o->is_switch)
                break;
        }
        m->mask[l] = st;
    }
    ev_mask_refresh(m);
}

/* ---- if ---- */

struct split {
    uint8_t *entry, *ret_before, *yes, *no, *unknown;
    bool any_yes, any_no;
};

static void split_lanes(struct ev_machine *m, const struct ev_val *c, struct split *s)
{
    s->entry = ev_mask_copy(m);
    s->ret_before = zero_mask(m);
    memcpy(s->ret_before, m->frame->returned, m->width);
    s->yes = zero_mask(m);
    s->no = zero_mask(m);
    s->unknown = zero_mask(m);
    s->any_yes = s->any_no = false;
    for (uint32_t l = 0; l < m->width; l++) {
        if (!s->entry[l])
            continue;
        int64_t t = ev_truth(c, l);
        if (t == CMPD_UNKNOWN_LANE) {
            s->yes[l] = s->no[l] = LANE_MAYBE;
            s->unknown[l] = 1;
            s->any_yes = s->any_no = true;
        } else if (t) {
            s->yes[l] = s->entry[l];
            s->any_yes = true;
        } else {
            s->no[l] = s->entry[l];
            s->any_no = true;
        }
    }
}

static void join_lanes(struct ev_machine *m, const struct split *s, const uint8_t *yes_out,
                       const uint8_t *no_out)
{
    for (uint32_t l = 0; l < m->width; l++) {
        uint8_t a = yes_out[l], b = no_out[l];
        if (!s->unknown[l]) {
            m->mask[l] = a ? a : b;
            continue;
        }
        bool returned = m->frame->returned[l] != s->ret_before[l];
        if (!a && !b)
            m->mask[l] = LANE_OFF;
        else if (a && b && !returned)
            m->mask[l] = s->entry[l];
        else
            m->mask[l] = returned ? left_state(s->entry[l]) : LANE_MAYBE;
    }
    ev_mask_refresh(m);
}

static void exec_if(struct ev_machine *m, const struct ir_stmt *s)
{
    if (s->init)
        ev_exec(m, s->init);
    struct ev_val c = ev_eval(m, s->x);
    const struct ir_stmt *then = s->body_count > 0 ? s->body[0] : NULL;
    const struct ir_stmt *other = s->body_count > 1 ? s->body[1] : NULL;
    int64_t t;
    if (ev_uniform_truth(&c, &t) && t != CMPD_UNKNOWN_LANE) {
        if (t && then)
            ev_exec(m, then);
        else if (!t && other)
            ev_exec(m, other);
        return;
    }
    struct split sp;
    split_lanes(m, &c, &sp);
    bool parts = c.kind == EV_UNKNOWN && c.varying;
    m->parted += parts;
    if (parts)
        m->parted_by = s->x;
    set_mask(m, sp.yes);
    if (sp.any_yes && then)
        ev_exec(m, then);
    uint8_t *yes_out = ev_mask_copy(m);
    set_mask(m, sp.no);
    if (sp.any_no && other)
        ev_exec(m, other);
    uint8_t *no_out = ev_mask_copy(m);
    m->parted -= parts;
    join_lanes(m, &sp, yes_out, no_out);
}

/* ---- what a piece of code may assign ---- */

static const struct ir_var *root_variable(const struct ir_expr *x)
{
    while (x) {
        switch (x->kind) {
        case IR_X_VAR:
            return x->var;
        case IR_X_MEMBER:
            if (x->arrow)
                return NULL;
            x = x->a;
            break;
        case IR_X_INDEX:
        case IR_X_CAST:
        case IR_X_COMMA:
            x = x->kind == IR_X_COMMA ? x->b : x->a;
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

static void forget_variable(struct ev_machine *m, const struct ir_var *var)
{
    if (!var || (var->storage != IR_V_LOCAL && var->storage != IR_V_PARAM))
        return;
    struct ev_frame *frame;
    struct ev_slot *slot = ev_slot_of(m, var, &frame);
    if (!slot || slot->is_memref)
        return;
    const struct ir_type *t = ev_type(m, var->type);
    if (t->kind == IR_T_ARRAY)
        return;
    ev_store_slot(m, slot, ev_unknown(t), false);
}

static bool forget_assigned(const struct ir_expr *x, void *ctx)
{
    struct ev_machine *m = ctx;
    switch (x->kind) {
    case IR_X_ASSIGN:
    case IR_X_INCDEC:
    case IR_X_ADDR:
        forget_variable(m, root_variable(x->a));
        break;
    case IR_X_UNKNOWN:
    case IR_X_CALL: /* arguments may be bound to references */
        for (size_t i = 0; i < x->arg_count; i++) {
            const struct ir_var *v = x->args[i] ? root_variable(x->args[i]) : NULL;
            if (v && (x->kind == IR_X_UNKNOWN || v->address_taken))
                forget_variable(m, v);
        }
        if (x->a && x->a->kind == IR_X_MEMBER)
            forget_variable(m, root_variable(x->a->a));
        break;
    default:
        break;
    }
    return true;
}

static void forget_in_stmt(struct ev_machine *m, const struct ir_stmt *s)
{
    if (s)
        cmpd_ir_walk_stmt(s, forget_assigned, m);
}

static void forget_in_expr(struct ev_machine *m, const struct ir_expr *x)
{
    if (x)
        cmpd_ir_walk_expr(x, forget_assigned, m);
}

/* ---- loops ---- */

/* Lanes that perhaps go on: run the body once with all that it assigns forgotten, and leave them behind the loop. */
static void unknown_pass(struct ev_machine *m, const struct ir_stmt *s, const uint8_t *lanes,
                         struct ev_loop *loop)
{
    uint8_t *saved = ev_mask_copy(m);
    uint8_t *maybe = zero_mask(m);
    for (uint32_t l = 0; l < m->width; l++)
        maybe[l] = lanes[l] ? LANE_MAYBE : LANE_OFF;
    for (uint32_t l = 0; l < m->width; l++)
        m->unsure[l] = (uint16_t)(m->unsure[l] + (saved[l] != 0));
    set_mask(m, maybe);
    const struct ir_stmt *body = s->body_count ? s->body[0] : NULL;
    forget_in_stmt(m, body);
    forget_in_expr(m, s->step);
    if (s->var) {
        struct ev_frame *frame;
        struct ev_slot *slot = ev_slot_of(m, s->var, &frame);
        if (slot)
            ev_store_slot(m, slot, ev_unknown(ev_type(m, s->var->type)), true);
    }
    if (body)
        ev_exec(m, body);
    set_mask(m, maybe);
    if (s->step)
        ev_eval(m, s->step);
    forget_in_stmt(m, body);
    forget_in_expr(m, s->step);
    memset(loop->continued, 0, m->width);
    for (uint32_t l = 0; l < m->width; l++)
        m->unsure[l] = (uint16_t)(m->unsure[l] - (saved[l] != 0));
    set_mask(m, saved);
}

/* Apply the loop's condition: lanes that end leave the mask. false: none goes on. */
static bool loop_condition(struct ev_machine *m, const struct ir_stmt *s, struct ev_loop *loop)
{
    if (!s->x)
        return ev_mask_any(m);
    struct ev_val c = ev_eval(m, s->x);
    int64_t t;
    if (ev_uniform_truth(&c, &t) && t != CMPD_UNKNOWN_LANE)
        return t && ev_mask_any(m);
    uint8_t *unknown = zero_mask(m);
    bool any_unknown = false, any = false;
    for (uint32_t l = 0; l < m->width; l++) {
        if (!m->mask[l])
            continue;
        int64_t lane = ev_truth(&c, l);
        if (lane == CMPD_UNKNOWN_LANE) {
            unknown[l] = any_unknown = true;
            m->unsure[l]++;
            m->mask[l] = LANE_OFF;
        } else if (!lane) {
            m->mask[l] = LANE_OFF;
        } else {
            any = true;
        }
    }
    ev_mask_refresh(m);
    if (any_unknown) {
        bool parts = c.kind == EV_UNKNOWN && c.varying;
        m->parted += parts;
        if (parts)
            m->parted_by = s->x;
        unknown_pass(m, s, unknown, loop);
        m->parted -= parts;
        for (uint32_t l = 0; l < m->width; l++)
            if (unknown[l] && loop->broke[l] == LANE_OFF)
                loop->broke[l] = LANE_MAYBE;
    }
    return any;
}

/* The end of one turn: lanes that said `continue` are back. */
static void end_turn(struct ev_machine *m, struct ev_loop *loop, const uint8_t *turn_entry,
                     const uint8_t *ret_before)
{
    for (uint32_t l = 0; l < m->width; l++) {
        if (!m->mask[l] && !loop->continued[l])
            continue;
        uint8_t st = turn_entry[l];
        if (loop->broke[l])
            st = LANE_MAYBE;
        else if (m->frame->returned[l] && !ret_before[l])
            st = left_state(st);
        m->mask[l] = st;
        loop->continued[l] = LANE_OFF;
    }
    ev_mask_refresh(m);
}

static void leave_rest_unknown(struct ev_machine *m, const struct ir_stmt *s, struct ev_loop *loop)
{
    uint8_t *rest = ev_mask_copy(m);
    uint8_t *none = zero_mask(m);
    for (uint32_t l = 0; l < m->width; l++)
        m->unsure[l] = (uint16_t)(m->unsure[l] + (rest[l] != 0));
    set_mask(m, none);
    unknown_pass(m, s, rest, loop);
}

static void exec_loop(struct ev_machine *m, const struct ir_stmt *s)
{
    if (s->init)
        ev_exec(m, s->init);
    uint8_t *entry = ev_mask_copy(m);
    uint8_t *ret_before = zero_mask(m);
    memcpy(ret_before, m->frame->returned, m->width);
    uint16_t *unsure_before = CMPD_ARENA_ARRAY(m->arena, uint16_t, m->width);
    memcpy(unsure_before, m->unsure, sizeof *unsure_before * m->width);
    struct ev_loop loop = {zero_mask(m), zero_mask(m), m->loop, false, m->parted, false};
    m->loop = &loop;
    bool first = s->kind == IR_S_DO;
    for (unsigned turn = 0;; turn++) {
        struct cmpd_arena_mark mark = cmpd_arena_mark(m->arena);
        bool go = first ? ev_mask_any(m) : loop_condition(m, s, &loop);
        first = false;
        if (go && (turn >= m->loop_limit || !ev_tick(m, m->width))) {
            if (!m->cut || turn)
                leave_rest_unknown(m, s, &loop);
            go = false;
        }
        if (!go) {
            cmpd_arena_release(m->arena, mark);
            break;
        }
        uint8_t *turn_entry = ev_mask_copy(m);
        uint8_t *turn_ret = zero_mask(m);
        memcpy(turn_ret, m->frame->returned, m->width);
        if (s->body_count && s->body[0])
            ev_exec(m, s->body[0]);
        end_turn(m, &loop, turn_entry, turn_ret);
        if (s->step && ev_mask_any(m))
            ev_eval(m, s->step);
        cmpd_arena_release(m->arena, mark);
    }
    memcpy(m->unsure, unsure_before, sizeof *unsure_before * m->width);
    m->loop = loop.parent;
    m->parted_loops -= loop.parted_exit;
    rejoin(m, entry, ret_before);
}

static void exec_range_for(struct ev_machine *m, const struct ir_stmt *s)
{
    uint8_t *entry = ev_mask_copy(m);
    uint8_t *ret_before = zero_mask(m);
    memcpy(ret_before, m->frame->returned, m->width);
    if (s->x)
        ev_eval(m, s->x);
    struct ev_loop loop = {zero_mask(m), zero_mask(m), m->loop, false, m->parted, false};
    m->loop = &loop;
    leave_rest_unknown(m, s, &loop);
    for (uint32_t l = 0; l < m->width; l++)
        m->unsure[l] = (uint16_t)(m->unsure[l] - (entry[l] != 0));
    m->loop = loop.parent;
    m->parted_loops -= loop.parted_exit;
    rejoin(m, entry, ret_before);
}

/* ---- switch ---- */

static int64_t case_value(struct ev_machine *m, const struct ir_stmt *label)
{
    struct ev_val v = ev_eval(m, label->x);
    return ev_is_uniform_int(&v) ? v.i : CMPD_UNKNOWN_LANE;
}

static bool matches_some_case(struct ev_machine *m, const struct ir_stmt *block, int64_t v)
{
    for (size_t i = 0; i < block->body_count; i++) {
        const struct ir_stmt *s = block->body[i];
        if (s->kind == IR_S_CASE && s->x) {
            int64_t c = case_value(m, s);
            if (c == v || c == CMPD_UNKNOWN_LANE)
                return true;
        }
    }
    return false;
}

static void enter_case(struct ev_machine *m, const struct ir_stmt *block,
                       const struct ir_stmt *label, const struct ev_val *v, const uint8_t *entry,
                       uint8_t *entered)
{
    int64_t want = label->x ? case_value(m, label) : 0;
    for (uint32_t l = 0; l < m->width; l++) {
        if (!entry[l] || entered[l] == LANE_ON)
            continue;
        int64_t x = ev_lane(v, l);
        if (x == CMPD_UNKNOWN_LANE || (label->x && want == CMPD_UNKNOWN_LANE)) {
            m->mask[l] = LANE_MAYBE;
            continue;
        }
        bool hit = label->x ? x == want : !matches_some_case(m, block, x);
        if (hit) {
            m->mask[l] = entry[l];
            entered[l] = LANE_ON;
        }
    }
    ev_mask_refresh(m);
}

static void exec_switch(struct ev_machine *m, const struct ir_stmt *s)
{
    if (s->init)
        ev_exec(m, s->init);
    struct ev_val v = ev_eval(m, s->x);
    const struct ir_stmt *block = s->body_count ? s->body[0] : NULL;
    if (!block)
        return;
    uint8_t *entry = ev_mask_copy(m);
    uint8_t *ret_before = zero_mask(m);
    memcpy(ret_before, m->frame->returned, m->width);
    struct ev_loop loop = {zero_mask(m), zero_mask(m), m->loop, true, m->parted, false};
    m->loop = &loop;
    uint8_t *entered = zero_mask(m);
    set_mask(m, loop.broke); /* nobody is inside before a label */
    for (size_t i = 0; i < block->body_count && !m->cut; i++) {
        if (block->body[i]->kind == IR_S_CASE)
            enter_case(m, block, block->body[i], &v, entry, entered);
        else if (ev_mask_any(m))
            ev_exec(m, block->body[i]);
    }
    m->loop = loop.parent;
    m->parted_loops -= loop.parted_exit;
    rejoin(m, entry, ret_before);
}

/* ---- leaving ---- */

static void leave_loop(struct ev_machine *m, bool is_continue)
{
    struct ev_loop *loop = m->loop;
    while (is_continue && loop && loop->is_switch)
        loop = loop->parent;
    if (loop && !is_continue && m->parted > loop->parted_at_entry && !loop->parted_exit) {
        loop->parted_exit = true;
        m->parted_loops++;
    }
    for (uint32_t l = 0; l < m->width; l++) {
        if (m->mask[l] && loop) {
            uint8_t *where = is_continue ? loop->continued : loop->broke;
            uint8_t st = m->mask[l] == LANE_MAYBE ? LANE_MAYBE : LANE_ON;
            if (where[l] != LANE_ON)
                where[l] = st;
        }
        m->mask[l] = LANE_OFF;
    }
    m->all_on = false;
}

static void exec_return(struct ev_machine *m, const struct ir_stmt *s)
{
    struct ev_frame *f = m->frame;
    if (s->x) {
        struct ev_val v = ev_eval(m, s->x);
        if (f->func && f->func->ret)
            v = ev_convert(m->arena, m->width, &v, ev_type(m, f->func->ret));
        uint8_t *saved = ev_mask_copy(m);
        for (uint32_t l = 0; l < m->width; l++)
            if (m->mask[l])
                m->mask[l] = f->returned[l] ? LANE_MAYBE : LANE_ON;
        ev_mask_refresh(m);
        struct ev_slot slot = {.val = f->has_ret ? f->ret : ev_unknown(v.type)};
        ev_store_slot(m, &slot, v, false);
        f->ret = slot.val;
        f->has_ret = true;
        set_mask(m, saved);
    }
    for (uint32_t l = 0; l < m->width; l++) {
        if (m->mask[l] == LANE_MAYBE && f->returned[l] != LANE_ON)
            f->returned[l] = LANE_MAYBE;
        else if (m->mask[l])
            f->returned[l] = LANE_ON;
        m->mask[l] = LANE_OFF;
    }
    m->all_on = false;
}

/* Code that was not understood may have done anything to the variables that it names, and may have left. */
static void exec_unknown(struct ev_machine *m, const struct ir_stmt *s)
{
    forget_in_stmt(m, s);
    for (size_t i = 0; i < s->expr_count; i++)
        forget_in_expr(m, s->exprs[i]);
    if (m->on_device && m->hooks->barrier)
        m->hooks->barrier(m, NULL, false);
    for (uint32_t l = 0; l < m->width; l++)
        if (m->mask[l] == LANE_ON)
            m->mask[l] = LANE_LEFT;
    ev_mask_refresh(m);
}

static void exec_asm(struct ev_machine *m, const struct ir_stmt *s)
{
    for (size_t i = 0; i < s->expr_count; i++) {
        if (!s->exprs[i])
            continue;
        if (i < s->asm_outputs) {
            ev_assign(m, s->exprs[i], ev_unknown(s->exprs[i]->type), s->exprs[i]);
            continue;
        }
        struct ev_val v = ev_eval(m, s->exprs[i]);
        if (v.kind == EV_PTR && m->hooks->access)
            m->hooks->access(m, &v, 0, EV_READ | EV_WRITE | EV_SPECULATIVE, s->exprs[i]);
    }
    if (m->on_device && m->hooks->barrier)
        m->hooks->barrier(m, NULL, false); /* bar.sync or anything else: assume order */
}

/* ---- declarations ---- */

static void bind_reference(struct ev_machine *m, struct ev_slot *slot, const struct ir_expr *init)
{
    struct ev_val *target = ev_variable(m, init);
    *slot = (struct ev_slot){0};
    if (target) {
        slot->alias = target;
        return;
    }
    struct ev_val p = ev_address(m, init);
    if (p.kind == EV_PTR) {
        ev_store_slot(m, slot, p, true);
        slot->is_memref = true;
    } else {
        ev_store_slot(m, slot, ev_eval(m, init), true);
    }
}

static void exec_decl(struct ev_machine *m, const struct ir_stmt *s)
{
    const struct ir_var *var = s->var;
    if (!var || (var->storage != IR_V_LOCAL && var->storage != IR_V_PARAM))
        return;
    struct ev_frame *frame;
    struct ev_slot *slot = ev_slot_of(m, var, &frame);
    if (!slot)
        return;
    const struct ir_type *type = ev_type(m, var->type);
    if (type->kind == IR_T_REF && var->init) {
        bind_reference(m, slot, var->init);
        return;
    }
    slot->alias = NULL;
    slot->is_memref = false;
    if (type->kind == IR_T_ARRAY) {
        if (var->init)
            ev_eval(m, var->init);
        return;
    }
    struct ev_val v = ev_initial(m, type, var->init, var->init);
    if (v.kind == EV_UNKNOWN && !m->on_device && var->init && m->hooks->input) {
        int64_t n = m->hooks->input(m, NULL, var);
        if (n != CMPD_UNKNOWN_LANE && (type->kind == IR_T_INT || type->kind == IR_T_UNKNOWN))
            v = ev_int(n, type);
    }
    ev_store_slot(m, slot, v, true);
}

/* ---- the switchboard ---- */

static void exec_block(struct ev_machine *m, const struct ir_stmt *s)
{
    for (size_t i = 0; i < s->body_count && !m->cut; i++) {
        if (!ev_mask_any(m))
            return;
        ev_exec(m, s->body[i]);
    }
}

void ev_exec(struct ev_machine *m, const struct ir_stmt *s)
{
    if (!s || m->cut || !ev_tick(m, EV_NODE_COST))
        return;
    struct cmpd_arena_mark mark = cmpd_arena_mark(m->arena);
    switch (s->kind) {
    case IR_S_BLOCK:
    case IR_S_TRY:
        exec_block(m, s);
        break;
    case IR_S_EXPR:
        if (s->x)
            ev_eval(m, s->x);
        break;
    case IR_S_DECL:
        exec_decl(m, s);
        break;
    case IR_S_IF:
        exec_if(m, s);
        break;
    case IR_S_FOR:
    case IR_S_WHILE:
    case IR_S_DO:
        exec_loop(m, s);
        break;
    case IR_S_RANGE_FOR:
        exec_range_for(m, s);
        break;
    case IR_S_SWITCH:
        exec_switch(m, s);
        break;
    case IR_S_BREAK:
    case IR_S_CONTINUE:
        leave_loop(m, s->kind == IR_S_CONTINUE);
        break;
    case IR_S_RETURN:
        exec_return(m, s);
        break;
    case IR_S_ASM:
        exec_asm(m, s);
        break;
    case IR_S_GOTO:
    case IR_S_UNKNOWN:
        exec_unknown(m, s);
        break;
    case IR_S_EMPTY:
    case IR_S_CASE:
    case IR_S_LABEL:
        break;
    }
    cmpd_arena_release(m->arena, mark);
}

/* ---- calling a function of the file ---- */

static void bind_param(struct ev_machine *m, struct ev_frame *callee, const struct ir_var *param,
                       const struct ev_val *arg, struct ev_val *lval)
{
    if (param->slot < 0)
        return;
    struct ev_slot *slot = &callee->slots[param->slot];
    const struct ir_type *type = ev_type(m, param->type);
    if (type->kind == IR_T_REF) {
        if (lval) {
            slot->alias = lval;
            return;
        }
        if (arg->kind == EV_PTR && arg->aligned_null) { /* memory reference, marked by the caller */
            struct ev_val p = *arg;
            p.aligned_null = false;
            ev_store_slot(m, slot, p, true);
            slot->is_memref = true;
            return;
        }
        type = type->elem;
    }
    struct ev_val v = ev_convert(m->arena, m->width, arg, type);
    ev_store_slot(m, slot, v, true);
}

static const struct ir_type *deduce_from(const struct ir_type *param, const struct ev_val *arg,
                                         int tparam)
{
    const struct ir_type *a = arg->type;
    while (param && a) {
        if (param->kind == IR_T_REF) {
            param = param->elem;
            continue;
        }
        if (a->kind == IR_T_REF) {
            a = a->elem;
            continue;
        }
        if (param->kind == IR_T_TPARAM)
            return param->tparam == tparam ? a : NULL;
        if (param->kind == IR_T_PTR && (a->kind == IR_T_PTR || a->kind == IR_T_ARRAY)) {
            param = param->elem;
            a = a->elem;
            continue;
        }
        return NULL;
    }
    return NULL;
}

static void bind_template(struct ev_machine *m, struct ev_frame *callee, const struct ev_val *args,
                          size_t arg_count, const struct ir_targ *targs, size_t targ_count,
                          struct ev_frame *targ_frame)
{
    const struct ir_func *f = callee->func;
    struct ev_frame *saved = m->frame;
    for (size_t i = 0; i < f->tparam_count; i++) {
        struct ev_binding *b = &callee->targs[i];
        if (i < targ_count) {
            m->frame = targ_frame;
            if (targs[i].type)
                b->type = ev_type(m, targs[i].type);
            if (targs[i].value)
                b->value = ev_eval(m, targs[i].value);
            b->set = true;
        }
        for (size_t p = 0; !b->set && f->tparams[i].is_type && p < f->param_count && p < arg_count;
             p++) {
            b->type = deduce_from(f->params[p]->type, &args[p], (int)i);
            b->set = b->type != NULL;
        }
        m->frame = callee;
        if (!b->set && f->tparams[i].is_type && f->tparams[i].type) {
            b->type = ev_type(m, f->tparams[i].type);
            b->set = true;
        }
        if (!b->set && !f->tparams[i].is_type && f->tparams[i].def) {
            b->value = ev_eval(m, f->tparams[i].def);
            b->set = true;
        }
        if (b->value.lanes) /* constants only */
            b->value = ev_unknown(b->value.type);
    }
    m->frame = saved;
}

struct ev_val ev_call(struct ev_machine *m, const struct ir_func *f, const struct ev_val *args,
                      struct ev_val *const *lvals, size_t arg_count, const struct ir_targ *targs,
                      size_t targ_count, struct ev_frame *targ_frame, struct ev_val *self)
{
    struct ev_frame *callee = CMPD_ARENA_NEW(m->frames, struct ev_frame);
    callee->func = f;
    callee->slots = CMPD_ARENA_ARRAY(m->frames, struct ev_slot, f->var_count + 1);
    callee->targs = CMPD_ARENA_ARRAY(m->frames, struct ev_binding, f->tparam_count + 1);
    callee->returned = cmpd_arena_alloc(m->frames, m->width);
    callee->parent = m->frame;
    callee->outer = f->is_lambda ? m->frame : NULL;
    callee->self = self;
    callee->depth = m->frame ? m->frame->depth + 1 : 0;
    for (size_t i = 0; i < f->var_count; i++)
        callee->slots[i].val = ev_unknown(f->vars[i] ? f->vars[i]->type : NULL);
    bind_template(m, callee, args, arg_count, targs, targ_count, targ_frame);
    uint8_t *saved_mask = ev_mask_copy(m);
    struct ev_frame *saved_frame = m->frame;
    struct ev_loop *saved_loop = m->loop;
    m->frame = callee;
    m->loop = NULL;
    for (size_t i = 0; i < f->param_count && i < arg_count; i++)
        bind_param(m, callee, f->params[i], &args[i], lvals ? lvals[i] : NULL);
    if (arg_count < f->param_count) { /* default arguments */
        for (size_t i = arg_count; i < f->param_count; i++)
            if (f->params[i]->init && f->params[i]->slot >= 0)
                ev_store_slot(
                    m, &callee->slots[f->params[i]->slot],
                    ev_initial(m, ev_type(m, f->params[i]->type), f->params[i]->init, NULL), true);
    }
    ev_exec(m, f->body);
    m->frame = saved_frame;
    m->loop = saved_loop;
    set_mask(m, saved_mask);
    return callee->has_ret ? callee->ret : ev_unknown(f->ret);
}
