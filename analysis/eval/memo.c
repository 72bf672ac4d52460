#include "analysis/eval/memo.h"

#include "analysis/base/arena.h"

static size_t slot_of(const struct ev_memo *memo, const struct ir_expr *key)
{
    size_t i = ((uintptr_t)key >> 4) * 0x9E3779B1u & (memo->size - 1);
    while (memo->keys[i] && memo->keys[i] != key)
        i = (i + 1) & (memo->size - 1);
    return i;
}

uint16_t ev_memo_get(const struct ev_memo *memo, const struct ir_expr *key)
{
    return memo->size ? memo->values[slot_of(memo, key)] : 0;
}

void ev_memo_put(struct ev_memo *memo, struct cmpd_arena *arena, const struct ir_expr *key,
                 uint16_t value)
{
    if (memo->count * 2 >= memo->size) {
        struct ev_memo old = *memo;
        memo->size = old.size ? old.size * 2 : 256;
        memo->keys = CMPD_ARENA_ARRAY(arena, const struct ir_expr *, memo->size);
        memo->values = CMPD_ARENA_ARRAY(arena, uint16_t, memo->size);
        for (size_t i = 0; i < old.size; i++) {
            if (!old.keys[i])
                continue;
            size_t to = slot_of(memo, old.keys[i]);
            memo->keys[to] = old.keys[i];
            memo->values[to] = old.values[i];
        }
    }
    size_t i = slot_of(memo, key);
    if (!memo->keys[i])
        memo->count++;
    memo->keys[i] = key;
    memo->values[i] = value;
}
