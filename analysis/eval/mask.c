#include <string.h>

#include "analysis/eval/machine.h"

uint8_t *ev_mask_copy(struct ev_machine *m)
{
    uint8_t *copy = cmpd_arena_alloc_raw(m->arena, m->width);
    memcpy(copy, m->mask, m->width);
    return copy;
}

void ev_mask_refresh(struct ev_machine *m)
{
    m->all_on = true;
    for (uint32_t l = 0; l < m->width; l++) {
        if (m->mask[l] != LANE_ON) {
            m->all_on = false;
            return;
        }
    }
}

bool ev_mask_any(const struct ev_machine *m)
{
    if (m->all_on)
        return true;
    for (uint32_t l = 0; l < m->width; l++)
        if (m->mask[l])
            return true;
    return false;
}

bool ev_mask_certain(const struct ev_machine *m)
{
    if (m->all_on)
        return true;
    return memchr(m->mask, LANE_ON, m->width) != NULL;
}

bool ev_tick(struct ev_machine *m, uint64_t cost)
{
    m->steps += cost;
    if (m->steps > m->step_limit || m->arena->exhausted || m->keep->exhausted)
        m->cut = true;
    return !m->cut;
}

struct ev_val ev_collapse(const struct ev_machine *m, struct ev_val v)
{
    if (m->width != 1 || !v.lanes)
        return v;
    v.i = v.lanes[0];
    v.lanes = NULL;
    if (v.kind == EV_INT && v.i == CMPD_UNKNOWN_LANE)
        return ev_unknown(v.type);
    return v;
}
