#include "analysis/eval/machine.h"

static struct ev_binding *binding_of(struct ev_machine *m, int tparam)
{
    for (struct ev_frame *f = m->frame; f; f = f->outer) {
        if (f->targs && f->func && tparam >= 0 && (size_t)tparam < f->func->tparam_count)
            return &f->targs[tparam];
    }
    return NULL;
}

const struct ir_type *ev_type(struct ev_machine *m, const struct ir_type *t)
{
    if (!t)
        return NULL;
    if (t->kind == IR_T_TPARAM) {
        struct ev_binding *b = binding_of(m, t->tparam);
        return b && b->type ? b->type : t;
    }
    if ((t->kind == IR_T_PTR || t->kind == IR_T_REF || t->kind == IR_T_ARRAY) && t->elem) {
        const struct ir_type *elem = ev_type(m, t->elem);
        if (elem != t->elem) {
            struct ir_type *copy = CMPD_ARENA_NEW(m->keep, struct ir_type);
            *copy = *t;
            copy->elem = elem;
            return copy;
        }
    }
    return t;
}

uint32_t ev_sizeof(struct ev_machine *m, const struct ir_type *t)
{
    t = ev_type(m, t);
    if (!t)
        return 0;
    switch (t->kind) {
    case IR_T_PTR:
        return 8;
    case IR_T_REF:
        return ev_sizeof(m, t->elem);
    case IR_T_ARRAY: {
        uint32_t elem = ev_sizeof(m, t->elem);
        if (!elem || !t->extent)
            return 0;
        struct ev_val n = ev_eval(m, t->extent);
        if (!ev_is_uniform_int(&n) || n.i < 0 || n.i > (int64_t)(1 << 30) / elem)
            return 0;
        return (uint32_t)n.i * elem;
    }
    case IR_T_STRUCT:
        return t->size ? t->size : t->record ? t->record->size : 0;
    default:
        return t->size;
    }
}
