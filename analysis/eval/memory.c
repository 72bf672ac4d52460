/* Regions, loads and stores. */
#include <string.h>

#include "analysis/eval/machine.h"

struct ev_region *ev_region_new(struct ev_machine *m, enum ev_region_kind kind, const void *key,
                                const char *name)
{
    struct ev_region *r = CMPD_ARENA_NEW(m->keep, struct ev_region);
    r->kind = kind;
    r->key = key;
    r->name = name;
    r->size_bytes = -1;
    r->id = m->regions->count++;
    r->next = m->regions->first;
    m->regions->first = r;
    return r;
}

struct ev_val ev_region_ptr(struct ev_region *r, const struct ir_type *type)
{
    return (struct ev_val){.kind = EV_PTR, .type = type, .region = r, .i = 0};
}

const struct ir_type *ev_pointer_to(struct ev_machine *m, const struct ir_type *elem)
{
    const struct ir_type **cached = &m->pointers[(uintptr_t)elem >> 4 & 31];
    if (*cached && (*cached)->elem == elem)
        return *cached;
    struct ir_type *t = CMPD_ARENA_NEW(m->keep, struct ir_type);
    t->kind = IR_T_PTR;
    t->size = t->align = 8;
    t->elem = elem;
    *cached = t;
    return t;
}

static enum ev_region_kind kind_for(const struct ev_machine *m, const struct ir_var *var)
{
    switch (var->storage) {
    case IR_V_SHARED:
        return EV_R_SHARED;
    case IR_V_SHARED_DYNAMIC:
        return EV_R_DYNAMIC;
    case IR_V_DEVICE:
        return EV_R_DEVICE;
    case IR_V_CONSTANT:
        return EV_R_CONSTANT;
    case IR_V_LOCAL:
    case IR_V_PARAM:
        return m->on_device ? EV_R_LOCAL : EV_R_HOST;
    default:
        return EV_R_HOST;
    }
}

/* The innermost element type of an array of arrays. */
static const struct ir_type *scalar_elem(const struct ir_type *t)
{
    while (t && t->kind == IR_T_ARRAY)
        t = t->elem;
    return t;
}

struct ev_region *ev_region_of(struct ev_machine *m, const struct ir_var *var)
{
    enum ev_region_kind kind = kind_for(m, var);
    /* All extern __shared__ arrays of a kernel name the same memory. */
    const void *key = kind == EV_R_DYNAMIC ? (const void *)m->regions : (const void *)var;
    for (struct ev_region *r = m->regions->first; r; r = r->next)
        if (r->key == key)
            return r;
    struct ev_region *r = ev_region_new(m, kind, key, var->name);
    const struct ir_type *t = ev_type(m, var->type);
    const struct ir_type *elem = ev_type(m, scalar_elem(t));
    r->var = var;
    r->elem = elem;
    r->elem_bytes = ev_sizeof(m, elem);
    r->is_volatile = t->is_volatile || (elem && elem->is_volatile);
    uint32_t size = ev_sizeof(m, t);
    if (kind != EV_R_DYNAMIC && size)
        r->size_bytes = size;
    return r;
}

static unsigned volatile_flag(const struct ev_val *p)
{
    const struct ir_type *elem = p->type ? p->type->elem : NULL;
    return (elem && elem->is_volatile) || (p->region && p->region->is_volatile) ? EV_VOLATILE : 0;
}

static bool is_cell_access(const struct ev_val *p)
{
    return p->kind == EV_PTR && p->region->cell && !p->lanes && p->i == 0;
}

struct ev_val ev_load(struct ev_machine *m, const struct ev_val *p, const struct ir_type *elem,
                      const struct ir_expr *at, unsigned extra_flags)
{
    elem = ev_type(m, elem);
    if (is_cell_access(p))
        return *p->region->cell;
    if (m->hooks->access)
        m->hooks->access(m, p, ev_sizeof(m, elem), EV_READ | volatile_flag(p) | extra_flags, at);
    /* Data at an address of its own for each thread differs from thread to thread. */
    if (m->on_device && p->kind == EV_PTR && (p->lanes || p->varying) &&
        p->region->kind != EV_R_LOCAL) {
        struct ev_val out = ev_varying(elem);
        if (p->region->kind == EV_R_BUFFER && elem && elem->kind == IR_T_INT && elem->size == 4 &&
            !(extra_flags & EV_WRITE)) {
            out.reaches = true;
            out.reach = INT32_MAX;
        }
        return out;
    }
    return ev_unknown(elem);
}

void ev_store(struct ev_machine *m, const struct ev_val *p, const struct ir_type *elem,
              const struct ev_val *v, const struct ir_expr *at, unsigned extra_flags)
{
    elem = ev_type(m, elem);
    if (is_cell_access(p)) {
        ev_store_val(m, p->region->cell, *v, false);
        return;
    }
    if (p->kind == EV_PTR && p->region->cell)
        ev_store_val(m, p->region->cell, ev_unknown(NULL), false);
    if (m->hooks->access)
        m->hooks->access(m, p, ev_sizeof(m, elem), EV_WRITE | volatile_flag(p) | extra_flags, at);
}

int ev_field_index(const struct ir_struct *record, const char *name)
{
    for (size_t i = 0; record && name && i < record->field_count; i++)
        if (record->fields[i].name && strcmp(record->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool ev_is_dim3(const struct ir_type *t)
{
    return t && t->kind == IR_T_STRUCT && t->name && strcmp(t->name, "dim3") == 0;
}
