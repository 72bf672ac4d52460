/* Expressions. */
#include <string.h>

#include "analysis/eval/machine.h"

static struct ev_val load_at(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val p = ev_address(m, x);
    const struct ir_type *t = p.kind == EV_PTR && p.type && p.type->elem ? p.type->elem : x->type;
    t = ev_type(m, t);
    if (t && t->kind == IR_T_ARRAY) {
        p.type = ev_pointer_to(m, t->elem);
        return p;
    }
    return ev_load(m, &p, t, x, 0);
}

/* ---- variables ---- */

struct ev_slot *ev_slot_of(struct ev_machine *m, const struct ir_var *var, struct ev_frame **frame)
{
    if (var->slot < 0)
        return NULL;
    for (struct ev_frame *f = m->frame; f; f = f->outer) {
        if (f->func == var->func && (size_t)var->slot < f->func->var_count) {
            *frame = f;
            return &f->slots[var->slot];
        }
    }
    return NULL;
}

static bool lives_in_memory(const struct ir_var *var)
{
    return var->storage == IR_V_SHARED || var->storage == IR_V_SHARED_DYNAMIC ||
           var->storage == IR_V_DEVICE || var->storage == IR_V_CONSTANT;
}

static struct ev_val eval_global(struct ev_machine *m, const struct ir_var *var)
{
    const struct ir_type *t = ev_type(m, var->type);
    if (t->kind == IR_T_ARRAY)
        return ev_region_ptr(ev_region_of(m, var), ev_pointer_to(m, t->elem));
    if (!var->init || !(var->is_constexpr || var->is_const))
        return ev_unknown(t);
    if (m->call_depth > 24)
        return ev_unknown(t);
    m->call_depth++;
    struct ev_val v = ev_initial(m, t, var->init, NULL);
    m->call_depth--;
    return v;
}

static struct ev_val eval_template_value(struct ev_machine *m, const struct ir_var *var)
{
    for (struct ev_frame *f = m->frame; f; f = f->outer) {
        for (size_t i = 0; f->func && i < f->func->tparam_count; i++)
            if (f->func->tparams[i].var == var)
                return f->targs[i].set
                           ? ev_convert(m->arena, m->width, &f->targs[i].value, var->type)
                           : ev_unknown(var->type);
    }
    return ev_unknown(var->type);
}

static struct ev_val eval_var(struct ev_machine *m, const struct ir_expr *x)
{
    const struct ir_var *var = x->var;
    const struct ir_type *t = ev_type(m, var->type);
    if (lives_in_memory(var)) {
        struct ev_val p = ev_region_ptr(ev_region_of(m, var), ev_pointer_to(m, t));
        if (t->kind == IR_T_ARRAY) {
            p.type = ev_pointer_to(m, t->elem);
            return p;
        }
        return ev_load(m, &p, t, x, 0);
    }
    if (var->storage == IR_V_TPARAM)
        return eval_template_value(m, var);
    if (var->storage == IR_V_GLOBAL)
        return eval_global(m, var);
    if (var->storage == IR_V_STATIC)
        return t->kind == IR_T_ARRAY ? ev_unknown(ev_pointer_to(m, t->elem)) : eval_global(m, var);
    struct ev_frame *frame;
    struct ev_slot *slot = ev_slot_of(m, var, &frame);
    if (!slot)
        return ev_unknown(t);
    if (slot->alias)
        return *slot->alias;
    if (slot->is_memref)
        return ev_load(m, &slot->val, t->kind == IR_T_REF ? t->elem : t, x, 0);
    if (t->kind == IR_T_ARRAY && slot->val.kind != EV_PTR)
        return ev_region_ptr(ev_region_of(m, var), ev_pointer_to(m, t->elem));
    return slot->val;
}

struct ev_val *ev_variable(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_frame *frame;
    if (!x)
        return NULL;
    if (x->kind == IR_X_VAR) {
        if (lives_in_memory(x->var) || ev_type(m, x->var->type)->kind == IR_T_ARRAY)
            return NULL;
        struct ev_slot *slot = ev_slot_of(m, x->var, &frame);
        if (!slot || slot->is_memref)
            return NULL;
        return slot->alias ? slot->alias : &slot->val;
    }
    if (x->kind == IR_X_MEMBER && !x->arrow) {
        struct ev_val *base = ev_variable(m, x->a);
        if (!base || base->kind != EV_AGG)
            return NULL;
        int f = ev_field_index(base->record, x->name);
        return f < 0 ? NULL : &base->fields[f];
    }
    return NULL;
}

/* ---- addresses ---- */

static struct ev_val address_of_var(struct ev_machine *m, const struct ir_expr *x)
{
    const struct ir_var *var = x->var;
    const struct ir_type *t = ev_type(m, var->type);
    if (lives_in_memory(var) || t->kind == IR_T_ARRAY) {
        struct ev_val v = eval_var(m, x);
        if (t->kind == IR_T_ARRAY)
            return v;
        return ev_region_ptr(ev_region_of(m, var), ev_pointer_to(m, t));
    }
    struct ev_frame *frame;
    struct ev_slot *slot = ev_slot_of(m, var, &frame);
    if (!slot)
        return ev_unknown(ev_pointer_to(m, t));
    if (slot->is_memref)
        return slot->val;
    struct ev_val *cell = slot->alias ? slot->alias : &slot->val;
    if (t->kind == IR_T_REF)
        t = ev_type(m, t->elem);
    if (!slot->cell) {
        slot->cell = ev_region_new(m, m->on_device ? EV_R_LOCAL : EV_R_HOST, slot, var->name);
        slot->cell->elem = t;
        slot->cell->elem_bytes = ev_sizeof(m, t);
        slot->cell->size_bytes = slot->cell->elem_bytes ? (int64_t)slot->cell->elem_bytes : -1;
        slot->cell->var = var;
    }
    slot->cell->cell = cell;
    return ev_region_ptr(slot->cell, ev_pointer_to(m, t));
}

static struct ev_val address_of_member(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val base = x->arrow ? ev_eval(m, x->a) : ev_address(m, x->a);
    const struct ir_type *ptr = ev_pointer_to(m, ev_type(m, x->type));
    if (base.kind != EV_PTR)
        return ev_unknown(ptr);
    const struct ir_type *rec = base.type ? ev_type(m, base.type->elem) : NULL;
    const struct ir_struct *record = rec ? rec->record : NULL;
    int f = ev_field_index(record, x->name);
    if (base.region->cell && base.region->cell->kind == EV_AGG && f >= 0) {
        struct ev_region *r = ev_region_new(m, base.region->kind, &base.region->cell->fields[f],
                                            x->name);
        r->cell = &base.region->cell->fields[f];
        r->elem = record->fields[f].type;
        return ev_region_ptr(r, ev_pointer_to(m, r->elem));
    }
    struct ev_val out = base;
    out.type = ptr;
    out.prov = 0;
    if (f < 0 || !record->size) {
        out.lanes = NULL;
        out.i = CMPD_UNKNOWN_LANE;
        return out;
    }
    struct ev_val offset = ev_int(record->fields[f].offset, NULL);
    out = ev_ptr_add(m->arena, m->width, &out, &offset, 1, 1);
    out.type = ev_pointer_to(m, record->fields[f].type);
    return out;
}

static struct ev_val address_of_index(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val base = ev_eval(m, x->a), index = ev_eval(m, x->b);
    if (base.kind == EV_INT && index.kind == EV_PTR) { /* 3[a] */
        struct ev_val t = base;
        base = index;
        index = t;
    }
    if (base.kind != EV_PTR)
        return ev_unknown(ev_pointer_to(m, ev_type(m, x->type)));
    const struct ir_type *elem = base.type && base.type->elem ? base.type->elem : x->type;
    struct ev_val p = ev_ptr_add(m->arena, m->width, &base, &index, 1, ev_sizeof(m, elem));
    p.type = ev_pointer_to(m, ev_type(m, elem));
    return p;
}

struct ev_val ev_address(struct ev_machine *m, const struct ir_expr *x)
{
    switch (x->kind) {
    case IR_X_VAR:
        return address_of_var(m, x);
    case IR_X_MEMBER:
        return address_of_member(m, x);
    case IR_X_INDEX:
        return address_of_index(m, x);
    case IR_X_DEREF:
        return ev_eval(m, x->a);
    case IR_X_CAST:
        if (x->type && x->type->kind == IR_T_REF) { /* reinterpret_cast<T &>(x) */
            struct ev_val p = ev_address(m, x->a);
            p.type = ev_pointer_to(m, ev_type(m, x->type->elem));
            return p;
        }
        return ev_unknown(ev_pointer_to(m, ev_type(m, x->type)));
    case IR_X_COMMA:
        ev_eval(m, x->a);
        return ev_address(m, x->b);
    default: {
        struct ev_val v = ev_eval(m, x);
        (void)v;
        return ev_unknown(ev_pointer_to(m, ev_type(m, x->type)));
    }
    }
}

/* ---- assignment ---- */

void ev_assign(struct ev_machine *m, const struct ir_expr *lhs, struct ev_val v,
               const struct ir_expr *at)
{
    const struct ir_type *t = ev_type(m, lhs->type);
    if (t && t->kind == IR_T_REF)
        t = t->elem;
    struct ev_val *var = ev_variable(m, lhs);
    if (var) {
        v = ev_convert(m->arena, m->width, &v, t);
        if (ev_is_dim3(t) && v.kind == EV_INT)
            v = ev_unknown(t);
        if (lhs->kind == IR_X_VAR) {
            struct ev_frame *frame;
            ev_store_slot(m, ev_slot_of(m, lhs->var, &frame), v, false);
        } else {
            ev_store_val(m, var, v, false);
        }
        return;
    }
    switch (lhs->kind) {
    case IR_X_VAR:
    case IR_X_MEMBER:
    case IR_X_INDEX:
    case IR_X_DEREF:
    case IR_X_CAST:
    case IR_X_COMMA: {
        struct ev_val p = ev_address(m, lhs);
        const struct ir_type *elem = p.kind == EV_PTR && p.type ? p.type->elem : t;
        ev_store(m, &p, elem, &v, at, 0);
        break;
    }
    default: {
        struct ev_val p = ev_unknown(NULL);
        if (m->hooks->access)
            m->hooks->access(m, &p, 0, EV_WRITE, at);
    }
    }
}

static struct ev_val detached(struct ev_machine *m, struct ev_val v)
{
    if (v.lanes) {
        int64_t *copy = cmpd_arena_alloc_raw(m->arena, sizeof *copy * m->width);
        memcpy(copy, v.lanes, sizeof *copy * m->width);
        v.lanes = copy;
    }
    return v;
}

static struct ev_val arithmetic(struct ev_machine *m, const struct ir_expr *x, enum ir_op op,
                                const struct ev_val *a, const struct ev_val *b,
                                const struct ir_type *type)
{
    if (op == IR_OP_MUL && a->prov && b->prov && m->hooks->builtin_product)
        m->hooks->builtin_product(m, x, a->prov, b->prov);
    if (op >= IR_OP_EQ && op <= IR_OP_GE && m->hooks->compare)
        m->hooks->compare(m, x, a, b);
    type = ev_type(m, type);
    ev_tick(m, a->lanes || b->lanes ? m->width : 1);
    return ev_binary(m->arena, m->width, op, a, b, type);
}

static struct ev_val eval_assign(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val v;
    if (x->op == IR_OP_NONE) {
        v = ev_eval(m, x->b);
        if (x->b->kind == IR_X_INIT && ev_type(m, x->a->type)->kind == IR_T_STRUCT)
            v = ev_initial(m, ev_type(m, x->a->type), x->b, x);
    } else {
        struct ev_val old = ev_eval(m, x->a), by = ev_eval(m, x->b);
        const struct ir_type *t = ev_type(m, x->a->type);
        v = arithmetic(m, x, x->op, &old, &by, t && t->kind == IR_T_INT ? NULL : t);
    }
    ev_assign(m, x->a, v, x);
    return v;
}

static struct ev_val eval_incdec(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val old = ev_eval(m, x->a);
    old = detached(m, old);
    struct ev_val one = ev_int(1, NULL);
    struct ev_val v = arithmetic(m, x, x->op, &old, &one, x->a->type);
    ev_assign(m, x->a, v, x);
    return x->postfix ? old : v;
}

/* ---- conditions inside expressions ---- */

static void mask_where(struct ev_machine *m, const struct ev_val *c, const uint8_t *entry,
                       int64_t want)
{
    for (uint32_t l = 0; l < m->width; l++) {
        int64_t t = entry[l] ? ev_truth(c, l) : want;
        m->mask[l] = !entry[l]                ? LANE_OFF
                     : t == CMPD_UNKNOWN_LANE ? LANE_MAYBE
                     : t == want              ? entry[l]
                                              : LANE_OFF;
    }
    ev_mask_refresh(m);
}

static void restore_mask(struct ev_machine *m, const uint8_t *entry)
{
    memcpy(m->mask, entry, m->width);
    ev_mask_refresh(m);
}

static struct ev_val select_lanes(struct ev_machine *m, const struct ev_val *c,
                                  const struct ev_val *a, const struct ev_val *b,
                                  const struct ir_type *type)
{
    bool ints = (a->kind == EV_INT || a->kind == EV_UNKNOWN) &&
                (b->kind == EV_INT || b->kind == EV_UNKNOWN);
    bool ptrs = a->kind == EV_PTR && b->kind == EV_PTR && a->region == b->region;
    if (!ints && !ptrs)
        return ev_unknown(type);
    if (a->kind == EV_UNKNOWN && b->kind == EV_UNKNOWN)
        return ev_unknown(type);
    struct ev_val out = ptrs ? *a : (struct ev_val){.kind = EV_INT, .type = type};
    out.prov = 0;
    out.lanes = cmpd_arena_alloc_raw(m->arena, sizeof(int64_t) * m->width);
    for (uint32_t l = 0; l < m->width; l++) {
        int64_t t = ev_truth(c, l), x = ev_lane(a, l), y = ev_lane(b, l);
        out.lanes[l] = t == CMPD_UNKNOWN_LANE ? (x == y ? x : CMPD_UNKNOWN_LANE) : t ? x : y;
    }
    return ev_collapse(m, out);
}

static struct ev_val eval_cond(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val c = ev_eval(m, x->a);
    int64_t t;
    if (ev_uniform_truth(&c, &t) && t != CMPD_UNKNOWN_LANE)
        return ev_eval(m, t ? x->b : x->c);
    uint8_t *entry = ev_mask_copy(m);
    mask_where(m, &c, entry, 1);
    struct ev_val a = ev_mask_any(m) ? ev_eval(m, x->b) : ev_unknown(x->type);
    a = detached(m, a);
    mask_where(m, &c, entry, 0);
    struct ev_val b = ev_mask_any(m) ? ev_eval(m, x->c) : ev_unknown(x->type);
    restore_mask(m, entry);
    return select_lanes(m, &c, &a, &b, ev_type(m, x->type));
}

static struct ev_val eval_logical(struct ev_machine *m, const struct ir_expr *x)
{
    int64_t ends = x->kind == IR_X_LOR; /* the value of a that settles it */
    struct ev_val a = ev_eval(m, x->a);
    int64_t t;
    if (ev_uniform_truth(&a, &t) && t != CMPD_UNKNOWN_LANE) {
        if (t == ends)
            return ev_int(ends, x->type);
        struct ev_val b = ev_eval(m, x->b);
        int64_t u;
        if (ev_uniform_truth(&b, &u))
            return ev_int(u, x->type);
        return b;
    }
    a = detached(m, a);
    uint8_t *entry = ev_mask_copy(m);
    mask_where(m, &a, entry, !ends);
    struct ev_val b = ev_mask_any(m) ? ev_eval(m, x->b) : ev_unknown(NULL);
    restore_mask(m, entry);
    struct ev_val out = {.kind = EV_INT, .type = x->type};
    out.lanes = cmpd_arena_alloc_raw(m->arena, sizeof(int64_t) * m->width);
    for (uint32_t l = 0; l < m->width; l++) {
        int64_t p = ev_truth(&a, l), q = ev_truth(&b, l);
        if (p == ends || (q == ends && p != CMPD_UNKNOWN_LANE))
            out.lanes[l] = ends;
        else if (q == ends && p == CMPD_UNKNOWN_LANE)
            out.lanes[l] = ends;
        else
            out.lanes[l] = p == CMPD_UNKNOWN_LANE || q == CMPD_UNKNOWN_LANE ? CMPD_UNKNOWN_LANE
                                                                            : !ends;
    }
    return ev_collapse(m, out);
}

/* ---- records ---- */

struct ev_val ev_blank_record(struct ev_machine *m, const struct ir_type *type)
{
    type = ev_type(m, type);
    const struct ir_struct *rec = type ? type->record : NULL;
    if (!rec || rec->is_union || !rec->field_count)
        return ev_unknown(type);
    struct ev_val v = {.kind = EV_AGG, .type = type, .record = rec};
    v.fields = CMPD_ARENA_ARRAY(m->keep, struct ev_val, rec->field_count);
    for (size_t i = 0; i < rec->field_count; i++) {
        const struct ir_type *ft = rec->fields[i].type;
        bool nested = ft && ft->kind == IR_T_STRUCT && ft->record && ft->record != rec &&
                      m->call_depth < 16;
        m->call_depth++;
        if (rec->fields[i].init && m->call_depth < 16)
            v.fields[i] = ev_initial(m, ft, rec->fields[i].init, NULL);
        else
            v.fields[i] = nested ? ev_blank_record(m, ft) : ev_unknown(ft);
        m->call_depth--;
    }
    return v;
}

static struct ev_val dim3_of(struct ev_machine *m, const struct ir_type *type,
                             const struct ev_val *parts, size_t count)
{
    struct ev_val v = ev_blank_record(m, type);
    if (v.kind != EV_AGG || v.record->field_count < 3)
        return ev_unknown(type);
    for (size_t i = 0; i < 3; i++) {
        struct ev_val part = i < count ? parts[i] : ev_int(1, NULL);
        v.fields[i] = ev_convert(m->arena, m->width, &part, v.record->fields[i].type);
        v.fields[i].prov = i < count ? parts[i].prov : 0;
    }
    return v;
}

static struct ev_val initial_record(struct ev_machine *m, const struct ir_type *type,
                                    const struct ir_expr *init)
{
    size_t n = init->arg_count;
    struct ev_val *parts = CMPD_ARENA_ARRAY(m->arena, struct ev_val, n + 1);
    for (size_t i = 0; i < n; i++)
        parts[i] = init->args[i] ? ev_eval(m, init->args[i]) : ev_unknown(NULL);
    if (ev_is_dim3(type)) {
        if (n == 1 && parts[0].kind == EV_AGG)
            return parts[0];
        return dim3_of(m, type, parts, n);
    }
    if (n == 1 && parts[0].kind == EV_AGG && parts[0].record == type->record)
        return parts[0];
    struct ev_val v = ev_blank_record(m, type);
    if (v.kind != EV_AGG || init->paren)
        return v;
    for (size_t i = 0; i < v.record->field_count; i++) {
        const struct ir_type *ft = v.record->fields[i].type;
        if (i < n)
            v.fields[i] = ev_convert(m->arena, m->width, &parts[i], ft);
        else if (!v.record->fields[i].init && ft && (ft->kind == IR_T_INT || ft->kind == IR_T_BOOL))
            v.fields[i] = ev_int(0, ft);
    }
    return v;
}

struct ev_val ev_initial(struct ev_machine *m, const struct ir_type *type,
                         const struct ir_expr *init, const struct ir_expr *at)
{
    type = ev_type(m, type);
    if (!init) {
        if (ev_is_dim3(type))
            return dim3_of(m, type, NULL, 0);
        return type && type->kind == IR_T_STRUCT ? ev_blank_record(m, type) : ev_unknown(type);
    }
    if (init->kind == IR_X_INIT) {
        if (type && type->kind == IR_T_STRUCT)
            return initial_record(m, type, init);
        if (init->arg_count == 0 && type && (type->kind == IR_T_INT || type->kind == IR_T_BOOL))
            return ev_int(0, type);
        if (init->arg_count == 1 && init->args[0]) {
            struct ev_val v = ev_eval(m, init->args[0]);
            return ev_convert(m->arena, m->width, &v, type);
        }
        for (size_t i = 0; i < init->arg_count; i++)
            if (init->args[i])
                ev_eval(m, init->args[i]);
        return ev_unknown(type);
    }
    struct ev_val v = ev_eval(m, init);
    if (ev_is_dim3(type) && v.kind != EV_AGG)
        return v.kind == EV_INT ? dim3_of(m, type, &v, 1)
                                : dim3_of(m, type, (struct ev_val[3]){{0}}, 3);
    (void)at;
    return ev_convert(m->arena, m->width, &v, type);
}

/* ---- the rest ---- */

static struct ev_val builtin_component(struct ev_machine *m, enum ir_builtin b, int dim)
{
    const struct ir_type *t = cmpd_ir_builtin_type("unsigned int", 12);
    const struct ev_dims *d = b == IR_B_BLOCK_IDX   ? &m->block_idx
                              : b == IR_B_BLOCK_DIM ? &m->block
                                                    : &m->grid;
    struct ev_val v;
    if (b == IR_B_THREAD_IDX) {
        int64_t extent = dim == 0 ? m->block.x : dim == 1 ? m->block.y : m->block.z;
        v = ev_int(0, t);
        if (extent != 1)
            v.lanes = m->tid[dim];
    } else {
        v = ev_int(dim == 0 ? d->x : dim == 1 ? d->y : d->z, t);
    }
    v.prov = EV_PROV(b, dim);
    return v;
}

static struct ev_val eval_builtin(struct ev_machine *m, const struct ir_expr *x)
{
    if (x->builtin == IR_B_WARP_SIZE)
        return ev_int(32, x->type);
    if (!m->on_device)
        return ev_unknown(x->type);
    if (x->dim >= 0)
        return builtin_component(m, x->builtin, x->dim);
    struct ev_val v = ev_blank_record(m, x->type);
    for (size_t i = 0; v.kind == EV_AGG && i < 3 && i < v.record->field_count; i++)
        v.fields[i] = builtin_component(m, x->builtin, (int)i);
    return v;
}

static struct ev_val eval_member(struct ev_machine *m, const struct ir_expr *x)
{
    if (!x->arrow) {
        struct ev_val *var = ev_variable(m, x);
        if (var)
            return *var;
        bool lvalue = x->a->kind == IR_X_INDEX || x->a->kind == IR_X_DEREF ||
                      x->a->kind == IR_X_MEMBER ||
                      (x->a->kind == IR_X_VAR && !ev_variable(m, x->a));
        if (!lvalue) {
            struct ev_val base = ev_eval(m, x->a);
            int f = base.kind == EV_AGG ? ev_field_index(base.record, x->name) : -1;
            return f < 0 ? ev_unknown(ev_type(m, x->type)) : base.fields[f];
        }
    }
    if (x->arrow && x->a->kind == IR_X_THIS && m->frame->self && m->frame->self->kind == EV_AGG) {
        int f = ev_field_index(m->frame->self->record, x->name);
        if (f >= 0)
            return m->frame->self->fields[f];
    }
    return load_at(m, x);
}

static struct ev_val eval_new(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val count = x->b ? ev_eval(m, x->b) : ev_int(1, NULL);
    for (size_t i = 0; i < x->arg_count; i++)
        if (x->args[i])
            ev_eval(m, x->args[i]);
    const struct ir_type *elem = x->type->kind == IR_T_PTR ? x->type->elem : x->type;
    struct ev_region *r = ev_region_new(m, m->on_device ? EV_R_DEVICE : EV_R_HOST, x, "new");
    r->elem = elem;
    r->elem_bytes = ev_sizeof(m, elem);
    r->made_at = x;
    if (ev_is_uniform_int(&count) && r->elem_bytes)
        r->size_bytes = count.i * r->elem_bytes;
    return ev_region_ptr(r, ev_pointer_to(m, elem));
}

static struct ev_val eval_cast(struct ev_machine *m, const struct ir_expr *x)
{
    const struct ir_type *t = ev_type(m, x->type);
    struct ev_val v = ev_eval(m, x->a);
    if (t && t->kind == IR_T_REF) {
        struct ev_val p = ev_address(m, x->a);
        if (p.kind == EV_PTR)
            return ev_load(m, &p, t->elem, x, 0);
    }
    if (ev_is_dim3(t) && v.kind == EV_INT)
        return dim3_of(m, t, &v, 1);
    return ev_convert(m->arena, m->width, &v, t);
}

static struct ev_val eval_unknown(struct ev_machine *m, const struct ir_expr *x)
{
    for (size_t i = 0; i < x->arg_count; i++) {
        if (!x->args[i])
            continue;
        struct ev_val v = ev_eval(m, x->args[i]);
        if (v.kind == EV_PTR && m->hooks->access)
            m->hooks->access(m, &v, 0, EV_READ | EV_WRITE | EV_SPECULATIVE, x);
    }
    return ev_unknown(ev_type(m, x->type));
}

static struct ev_val eval_name(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val v;
    (void)m;
    return ev_known_name(x->name, &v) ? v : ev_unknown(x->type);
}

static struct ev_val eval_sizeof(struct ev_machine *m, const struct ir_expr *x)
{
    uint32_t n = x->is_alignof ? 0 : ev_sizeof(m, x->sizeof_type);
    return n ? ev_int(n, x->type) : ev_unknown(x->type);
}

static struct ev_val eval_two(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val a = ev_eval(m, x->a);
    a = x->b->kind == IR_X_ASSIGN || x->b->kind == IR_X_INCDEC || x->b->kind == IR_X_CALL
            ? detached(m, a)
            : a;
    struct ev_val b = ev_eval(m, x->b);
    return arithmetic(m, x, x->op, &a, &b, x->type);
}

static struct ev_val eval_one(struct ev_machine *m, const struct ir_expr *x)
{
    struct ev_val a = ev_eval(m, x->a);
    return ev_unary(m->arena, m->width, x->op, &a, ev_type(m, x->type));
}

struct ev_val ev_eval(struct ev_machine *m, const struct ir_expr *x)
{
    if (!x || !ev_tick(m, EV_NODE_COST))
        return ev_unknown(x ? x->type : NULL);
    switch (x->kind) {
    case IR_X_INT:
        return ev_int(x->ival, x->type);
    case IR_X_FLOAT:
        return ev_dbl(x->fval, x->type);
    case IR_X_NULLPTR:
        return ev_int(0, x->type);
    case IR_X_VAR:
        return eval_var(m, x);
    case IR_X_NAME:
        return eval_name(m, x);
    case IR_X_FUNC:
        return (struct ev_val){.kind = EV_CALLABLE, .type = x->type, .func = x->func};
    case IR_X_LAMBDA:
        return (struct ev_val){.kind = EV_CALLABLE, .type = x->type, .func = x->lambda->func};
    case IR_X_BUILTIN:
        return eval_builtin(m, x);
    case IR_X_UNARY:
        return eval_one(m, x);
    case IR_X_BINARY:
        return eval_two(m, x);
    case IR_X_LAND:
    case IR_X_LOR:
        return eval_logical(m, x);
    case IR_X_ASSIGN:
        return eval_assign(m, x);
    case IR_X_INCDEC:
        return eval_incdec(m, x);
    case IR_X_COND:
        return eval_cond(m, x);
    case IR_X_COMMA:
        ev_eval(m, x->a);
        return ev_eval(m, x->b);
    case IR_X_CALL:
        return ev_eval_call(m, x);
    case IR_X_LAUNCH:
        return ev_eval_launch(m, x);
    case IR_X_INDEX:
    case IR_X_DEREF:
        return load_at(m, x);
    case IR_X_MEMBER:
        return eval_member(m, x);
    case IR_X_ADDR:
        return ev_address(m, x->a);
    case IR_X_CAST:
        return eval_cast(m, x);
    case IR_X_SIZEOF:
        return eval_sizeof(m, x);
    case IR_X_INIT:
        return ev_initial(m, x->type, x, x);
    case IR_X_NEW:
        return eval_new(m, x);
    case IR_X_DELETE:
        if (x->a)
            ev_eval(m, x->a);
        return ev_unknown(NULL);
    case IR_X_THIS:
    case IR_X_STRING:
        return ev_unknown(x->type);
    case IR_X_UNKNOWN:
        return eval_unknown(m, x);
    }
    return ev_unknown(x->type);
}
