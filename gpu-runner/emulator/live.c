/*
 * Which registers may be read before they are written: variables of the source that were never given a value. The
 * paths of the text are taken as they stand, so a register found here may in truth always be written first; it
 * then only costs the warp its masks.
 */
#include <stdlib.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/emulator/exec.h"

/* Words of all bit sets together; larger functions aren't looked at. */
#define LIVE_WORDS_CEILING ((size_t)4 << 20)
#define LIVE_ROUNDS        64

struct live {
    const struct emu_module *m;
    const struct emu_function *f;
    uint32_t *block_of; /* by instruction of the function */
    uint32_t *start;    /* by block, and one behind the last */
    uint32_t block_count;
    size_t words; /* of one set */
    uint64_t *reads, *writes,
        *in; /* by block: read before written inside; surely written inside; live at its head */
};

static void set_bit(uint64_t *s, uint32_t i)
{
    s[i / 64] |= UINT64_C(1) << (i % 64);
}
static bool has_bit(const uint64_t *s, uint32_t i)
{
    return s[i / 64] >> (i % 64) & 1;
}

static void mark_target(struct live *v, uint8_t *heads, uint32_t target)
{
    const uint32_t i = target - v->f->ptx->first;
    if (i < v->f->ptx->count)
        heads[i] = 1;
}

static void mark_heads(struct live *v, uint8_t *heads)
{
    heads[0] = 1;
    for (uint32_t i = 0; i < v->f->ptx->count; i++) {
        const struct emu_ins *e = &v->f->code[i];
        if (e->control == EMU_BRANCH)
            mark_target(v, heads, e->target);
        if (e->control == EMU_BRANCH_TABLE)
            for (uint32_t k = 0; k < v->m->ptx->tables[e->target].count; k++)
                mark_target(v, heads, v->m->ptx->tables[e->target].targets[k]);
        if (e->control != EMU_PLAIN && i + 1 < v->f->ptx->count)
            heads[i + 1] = 1;
    }
}

static void split(struct live *v)
{
    const uint32_t count = v->f->ptx->count;
    CMPD_AUTOFREE uint8_t *heads = cmpd_calloc(count + 1, 1);
    mark_heads(v, heads);
    v->block_of = cmpd_calloc(count + 1, sizeof *v->block_of);
    for (uint32_t i = 0; i < count; i++) {
        v->block_count += heads[i];
        v->block_of[i] = v->block_count - 1;
    }
    v->start = cmpd_calloc(v->block_count + 1, sizeof *v->start);
    for (uint32_t i = count; i-- > 0;)
        v->start[v->block_of[i]] = i;
    v->start[v->block_count] = count;
}

static void read_register(struct live *v, uint32_t block, uint32_t reg)
{
    if (reg != CMPD_PTX_NONE && reg < v->f->ptx->register_count &&
        !has_bit(v->writes + block * v->words, reg))
        set_bit(v->reads + block * v->words, reg);
}
static void write_register(struct live *v, uint32_t block, uint32_t reg)
{
    if (reg != CMPD_PTX_NONE && reg < v->f->ptx->register_count)
        set_bit(v->writes + block * v->words, reg);
}

/* In a list of `more` an operand is read where the instruction is a store or packs, else written. */
static void scan_one(struct live *v, uint32_t block, const struct emu_ins *e)
{
    read_register(v, block, e->guard);
    if (e->control == EMU_CALL) {
        read_register(v, block, e->src[0].reg);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        read_register(v, block, e->src[i].reg);
    const bool mixed = e->more_written > 0 && e->more_written < e->more_count;
    const bool reads_more = e->taint == EMU_TAINT_STORE ||
                            (e->taint == EMU_TAINT_PACK && e->dst_count) || mixed;
    for (unsigned i = e->more_written; reads_more && i < e->more_count; i++)
        read_register(v, block, e->more[i].reg);
    if (e->guard != CMPD_PTX_NONE) /* may not write */
        return;
    for (unsigned i = 0; i < 2; i++)
        write_register(v, block, e->dst[i].reg);
    for (unsigned i = 0; i < (mixed ? e->more_written : reads_more ? 0u : e->more_count); i++)
        write_register(v, block, e->more[i].reg);
}

static void merge(const struct live *v, uint64_t *out, uint32_t target)
{
    const uint32_t i = target - v->f->ptx->first;
    if (i >= v->f->ptx->count)
        return;
    const uint64_t *from = v->in + v->block_of[i] * v->words;
    for (size_t k = 0; k < v->words; k++)
        out[k] |= from[k];
}

static bool flow(struct live *v, uint32_t block, uint64_t *out)
{
    const uint32_t last = v->start[block + 1] - 1;
    const struct emu_ins *e = &v->f->code[last];
    const uint32_t next = v->f->ptx->first + last + 1;
    memset(out, 0, v->words * sizeof *out);
    const bool leaves = e->control == EMU_RETURN || e->control == EMU_EXIT ||
                        e->control == EMU_TRAP || e->control == EMU_BRANCH ||
                        e->control == EMU_BRANCH_TABLE;
    if (!leaves || e->guard != CMPD_PTX_NONE)
        merge(v, out, next);
    if (e->control == EMU_BRANCH)
        merge(v, out, e->target);
    if (e->control == EMU_BRANCH_TABLE)
        for (uint32_t k = 0; k < v->m->ptx->tables[e->target].count; k++)
            merge(v, out, v->m->ptx->tables[e->target].targets[k]);
    bool changed = false;
    uint64_t *in = v->in + block * v->words;
    for (size_t k = 0; k < v->words; k++) {
        const uint64_t now = v->reads[block * v->words + k] |
                             (out[k] & ~v->writes[block * v->words + k]);
        changed |= now != in[k];
        in[k] = now;
    }
    return changed;
}

static void collect(struct live *v, struct emu_function *f)
{
    uint32_t cap = 0;
    for (uint32_t r = 0; r < f->ptx->register_count; r++)
        if (has_bit(v->in, r)) {
            CMPD_GROW(f->live_in, f->live_in_count + 1, cap);
            f->live_in[f->live_in_count++] = r;
        }
}

void emu_flow_live_in(const struct emu_module *m, struct emu_function *f)
{
    struct live v = {.m = m, .f = f};
    if (f->unsupported != EMU_NO_INS || !f->ptx->count)
        return;
    split(&v);
    v.words = (f->ptx->register_count + 63) / 64 + 1;
    if (v.words * v.block_count < LIVE_WORDS_CEILING) {
        v.reads = cmpd_calloc(v.words * v.block_count, sizeof *v.reads);
        v.writes = cmpd_calloc(v.words * v.block_count, sizeof *v.writes);
        v.in = cmpd_calloc(v.words * v.block_count, sizeof *v.in);
        CMPD_AUTOFREE uint64_t *out = cmpd_calloc(v.words, sizeof *out);
        for (uint32_t i = 0; i < f->ptx->count; i++)
            scan_one(&v, v.block_of[i], &f->code[i]);
        bool changed = true;
        for (unsigned round = 0; changed && round < LIVE_ROUNDS; round++) {
            changed = false;
            for (uint32_t b = v.block_count; b-- > 0;)
                changed |= flow(&v, b, out);
        }
        collect(&v, f);
    }
    free(v.block_of);
    free(v.start);
    free(v.reads);
    free(v.writes);
    free(v.in);
}
