/*
 * From "ld.global.nc.v4.f32" to opcode, modifiers and types. A module has some hundred different ones at most, so each
 * is taken apart once.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/names.h"
#include "gpu-runner/ptx/reader.h"

#define SLOTS 2048u /* a power of two; a newer text takes the place of an older one */

struct cached {
    const char *text; /* borrowed: the text; NULL: empty */
    uint32_t len;
    uint16_t op;
    uint8_t type_count, mod_count;
    uint8_t types[4];
    uint16_t mods[CMPD_PTX_MODIFIERS_CEILING];
};

struct ptx_opcode_cache {
    struct cached slots[SLOTS];
};

/* A part that is over what an instruction can hold makes the whole unknown. */
static bool add_part(struct cached *c, const char *text, uint32_t len)
{
    enum cmpd_ptx_type type = ptx_type_find(text, len);
    if (type != CMPD_PTX_T_NONE) {
        if (c->type_count >= sizeof c->types)
            return false;
        c->types[c->type_count++] = (uint8_t)type;
        return true;
    }
    if (c->mod_count >= CMPD_PTX_MODIFIERS_CEILING)
        return false;
    c->mods[c->mod_count++] = (uint16_t)ptx_mod_find(text, len);
    return true;
}

static void take_apart(struct cached *c, const char *text, uint32_t len)
{
    *c = (struct cached){.text = text, .len = len};
    const char *end = text + len, *dot = memchr(text, '.', len);
    c->op = (uint16_t)ptx_op_find(text, (uint32_t)((dot ? dot : end) - text));
    while (dot) {
        const char *part = dot + 1;
        dot = memchr(part, '.', (size_t)(end - part));
        if (!add_part(c, part, (uint32_t)((dot ? dot : end) - part))) {
            c->op = CMPD_PTX_OP_UNKNOWN;
            return;
        }
    }
}

static uint32_t slot_of(const char *text, uint32_t len)
{
    uint32_t h = len;
    for (uint32_t i = 0; i < len; i++)
        h = h * 31 + (unsigned char)text[i];
    return (h ^ (h >> 11)) & (SLOTS - 1);
}

void ptx_opcode(struct ptx_reader *r, const char *text, uint32_t len, struct cmpd_ptx_ins *in)
{
    if (!r->opcodes)
        r->opcodes = cmpd_calloc(1, sizeof *r->opcodes);
    struct cached *c = &r->opcodes->slots[slot_of(text, len)];
    if (!c->text || c->len != len || memcmp(c->text, text, len) != 0)
        take_apart(c, text, len);
    in->op = c->op;
    in->type_count = c->type_count;
    in->mod_count = c->mod_count;
    memcpy(in->types, c->types, sizeof in->types);
    memcpy(in->mods, c->mods, sizeof in->mods);
}

void ptx_opcodes_free(struct ptx_reader *r)
{
    free(r->opcodes);
    r->opcodes = NULL;
}
