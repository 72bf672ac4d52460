/* Writing variables under the lanes' states. */
#include <string.h>

#include "analysis/eval/machine.h"

static int64_t *own_lanes(struct ev_machine *m, int64_t **store)
{
    if (!*store)
        *store = CMPD_ARENA_ARRAY(m->frames, int64_t, m->width);
    return *store;
}

static void set_all(struct ev_machine *m, struct ev_val *dst, int64_t **store,
                    const struct ev_val *v)
{
    if (v->kind == EV_AGG) {
        struct ev_val *fields = dst->kind == EV_AGG && dst->record == v->record ? dst->fields
                                                                                : NULL;
        *dst = *v;
        if (!v->record) {
            *dst = ev_unknown(v->type);
            return;
        }
        if (!fields)
            fields = CMPD_ARENA_ARRAY(m->keep, struct ev_val, v->record->field_count);
        dst->fields = fields;
        for (size_t i = 0; i < v->record->field_count; i++) {
            int64_t *fresh = NULL;
            if (&fields[i] != &v->fields[i])
                set_all(m, &fields[i], &fresh, &v->fields[i]);
        }
        return;
    }
    if (!v->lanes) {
        *dst = *v;
        return;
    }
    int64_t *lanes = own_lanes(m, store);
    if (lanes != v->lanes)
        memcpy(lanes, v->lanes, sizeof *lanes * m->width);
    *dst = *v;
    dst->lanes = lanes;
}

static bool mergeable(const struct ev_val *a, const struct ev_val *b)
{
    if (a->kind == EV_UNKNOWN || b->kind == EV_UNKNOWN)
        return (a->kind == EV_UNKNOWN || a->kind == EV_INT || a->kind == EV_PTR) &&
               (b->kind == EV_UNKNOWN || b->kind == EV_INT || b->kind == EV_PTR);
    if (a->kind != b->kind)
        return false;
    return a->kind == EV_INT || (a->kind == EV_PTR && a->region == b->region);
}

static bool same_uniform(const struct ev_val *a, const struct ev_val *b)
{
    if (a->kind != b->kind || a->lanes || b->lanes)
        return false;
    switch (a->kind) {
    case EV_INT:
        return a->i == b->i;
    case EV_DBL:
        return a->d == b->d;
    case EV_PTR:
        return a->region == b->region && a->i == b->i;
    case EV_CALLABLE:
        return a->func == b->func;
    default:
        return false;
    }
}

/* Does some lane keep the old value, or only perhaps get the new one? */
static bool keeps_old(const struct ev_machine *m)
{
    const uint8_t *returned = m->frame ? m->frame->returned : NULL;
    for (uint32_t l = 0; l < m->width; l++) {
        if (m->mask[l] == LANE_MAYBE)
            return true;
        if (m->mask[l] == LANE_OFF && !(returned && returned[l] == LANE_ON))
            return true;
    }
    return false;
}

static void merge_lanes(struct ev_machine *m, struct ev_val *dst, int64_t **store,
                        const struct ev_val *v)
{
    struct ev_val old = *dst;
    int64_t *lanes = own_lanes(m, store);
    for (uint32_t l = 0; l < m->width; l++) {
        int64_t before = ev_lane(&old, l), after = ev_lane(v, l);
        switch (m->mask[l]) {
        case LANE_OFF:
            lanes[l] = before;
            break;
        case LANE_MAYBE:
            lanes[l] = before == after ? after : CMPD_UNKNOWN_LANE;
            break;
        default:
            lanes[l] = after;
        }
    }
    const struct ev_val *shape = v->kind == EV_UNKNOWN ? &old : v;
    *dst = *shape;
    dst->prov = 0;
    dst->lanes = lanes;
    if (shape->kind == EV_UNKNOWN)
        *dst = ev_unknown(v->type);
    *dst = ev_collapse(m, *dst);
}

static void store_val(struct ev_machine *m, struct ev_val *dst, int64_t **store,
                      const struct ev_val *v, bool fresh)
{
    if (fresh || m->all_on || !keeps_old(m)) {
        set_all(m, dst, store, v);
        return;
    }
    if (same_uniform(dst, v))
        return;
    if (v->kind == EV_AGG && dst->kind == EV_AGG && v->record == dst->record && v->record) {
        for (size_t i = 0; i < v->record->field_count; i++) {
            int64_t *field_store = NULL;
            store_val(m, &dst->fields[i], &field_store, &v->fields[i], false);
        }
        return;
    }
    if (mergeable(dst, v))
        merge_lanes(m, dst, store, v);
    else
        *dst = ev_unknown(v->type);
}

void ev_store_slot(struct ev_machine *m, struct ev_slot *slot, struct ev_val v, bool fresh)
{
    if (slot->alias && !fresh) {
        int64_t *store = NULL;
        store_val(m, slot->alias, &store, &v, false);
        return;
    }
    store_val(m, &slot->val, &slot->store, &v, fresh);
}

void ev_store_val(struct ev_machine *m, struct ev_val *dst, struct ev_val v, bool fresh)
{
    int64_t *store = NULL;
    store_val(m, dst, &store, &v, fresh);
}
