/*
 * Source lines. An inlined place names the call's file, line and column only; the call's own chain is that of the
 * latest .loc of the function with the same three (PTX ISA 9.0, ".loc": the place must have been given before).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/ptx/reader.h"

#define SLOTS 4096u /* a power of two */
#define CHAIN_STEPS \
    64 /* places that fall into one slot and are still compared; more only by ill will */

struct ptx_place_map {
    uint32_t function_first; /* locs below are of other functions */
    uint32_t slots[SLOTS];   /* module->locs + 1, the newest; 0: empty */
    uint32_t *older; /* owned; for each loc the one before it in its slot, in the same form */
    uint32_t older_cap;
};

static uint32_t slot_of(const struct cmpd_ptx_loc *l)
{
    uint32_t h = l->file * 0x9e3779b9u ^ l->line * 0x85ebca6bu ^ l->column * 0xc2b2ae35u;
    return (h ^ (h >> 15)) & (SLOTS - 1);
}

static bool same_place(const struct cmpd_ptx_loc *a, const struct cmpd_ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* The newest of this function at that place. */
static uint32_t find_place(const struct ptx_reader *r, const struct cmpd_ptx_loc *want)
{
    const struct ptx_place_map *map = r->places;
    uint32_t at = map->slots[slot_of(want)];
    for (unsigned n = 0; n < CHAIN_STEPS && at > map->function_first; n++) {
        const struct cmpd_ptx_loc *l = &r->m->locs[at - 1];
        if (same_place(l, want))
            return at - 1;
        at = map->older[at - 1];
    }
    return CMPD_PTX_NONE;
}

static uint32_t add_loc(struct ptx_reader *r, struct cmpd_ptx_loc loc)
{
    struct cmpd_ptx_module *m = r->m;
    struct ptx_place_map *map = r->places;
    if (!ptx_room(r, m->loc_count, CMPD_PTX_INS_CEILING, "source lines"))
        return CMPD_PTX_NONE;
    CMPD_GROW(m->locs, m->loc_count + 1, r->loc_cap);
    CMPD_GROW(map->older, m->loc_count + 1, map->older_cap);
    uint32_t *slot = &map->slots[slot_of(&loc)];
    map->older[m->loc_count] = *slot;
    m->locs[m->loc_count] = loc;
    *slot = ++m->loc_count;
    return m->loc_count - 1;
}

/* Only the newest is used again: what was said last of a place must be found first. */
static uint32_t intern_loc(struct ptx_reader *r, struct cmpd_ptx_loc loc)
{
    uint32_t found = find_place(r, &loc);
    if (found != CMPD_PTX_NONE && r->m->locs[found].inlined_at == loc.inlined_at)
        return found;
    return add_loc(r, loc);
}

static uint32_t find_call(struct ptx_reader *r, struct cmpd_ptx_loc call)
{
    uint32_t found = find_place(r, &call);
    return found != CMPD_PTX_NONE ? found : add_loc(r, call);
}

static struct cmpd_ptx_loc read_place(struct ptx_reader *r)
{
    struct cmpd_ptx_loc l = {.inlined_at = CMPD_PTX_NONE};
    l.file = ptx_number(r);
    l.line = ptx_number(r);
    l.column = ptx_number(r);
    return l;
}

/* ", function_name LABEL[+n], inlined_at FILE LINE COLUMN", the two in either order. */
static void read_inlining(struct ptx_reader *r, struct cmpd_ptx_loc *loc)
{
    while (ptx_accept(r, ',')) {
        if (ptx_is_word(&r->lx.t, "inlined_at")) {
            ptx_lex_next(&r->lx);
            loc->inlined_at = find_call(r, read_place(r));
            continue;
        }
        if (!ptx_is_word(&r->lx.t, "function_name")) {
            ptx_expected(r, "function_name or inlined_at");
            return;
        }
        ptx_lex_next(&r->lx);
        if (r->lx.t.kind != PTX_WORD && r->lx.t.kind != PTX_DIRECTIVE)
            ptx_expected(r, "a label");
        ptx_lex_next(&r->lx);
        if (ptx_accept(r, '+'))
            (void)ptx_number(r);
    }
}

void ptx_locs_begin_function(struct ptx_reader *r)
{
    if (!r->places)
        r->places = cmpd_calloc(1, sizeof *r->places);
    r->places->function_first = r->m->loc_count;
    r->loc = CMPD_PTX_NONE;
}

void ptx_loc(struct ptx_reader *r)
{
    if (!r->places)
        ptx_locs_begin_function(r);
    struct cmpd_ptx_loc loc = read_place(r);
    read_inlining(r, &loc);
    /* Line 0 is the compiler's "no line of its own": what came before is the nearest that is known. */
    if (loc.line != 0)
        r->loc = intern_loc(r, loc);
}

static char *unescape(const struct ptx_token *t)
{
    char *s = cmpd_alloc((size_t)t->len + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->len; i++) {
        char c = t->at[i];
        if (c == '\\' && i + 1 < t->len && (t->at[i + 1] == '\\' || t->at[i + 1] == '"'))
            c = t->at[++i];
        s[n++] = c;
    }
    s[n] = '\0';
    return s;
}

/* NUMBER "name" [, timestamp, size] */
void ptx_file(struct ptx_reader *r)
{
    struct cmpd_ptx_module *m = r->m;
    uint32_t index = ptx_number(r);
    if (r->lx.t.kind != PTX_STRING) {
        ptx_expected(r, "a file's name");
        return;
    }
    if (!ptx_room(r, index, CMPD_PTX_FILES_CEILING, "files"))
        return;
    if (index >= m->file_count) {
        CMPD_GROW(m->files, index + 1, r->file_cap);
        memset(m->files + m->file_count, 0, sizeof *m->files * (index + 1 - m->file_count));
        m->file_count = index + 1;
    }
    free(m->files[index]);
    m->files[index] = unescape(&r->lx.t);
    ptx_lex_next(&r->lx);
    while (ptx_accept(r, ','))
        (void)ptx_number(r);
}

void ptx_locs_finish(struct ptx_reader *r)
{
    struct cmpd_ptx_module *m = r->m;
    for (uint32_t i = 0; i < m->loc_count; i++) {
        if (m->locs[i].file >= m->file_count || !m->files[m->locs[i].file])
            m->locs[i].file = CMPD_PTX_NONE;
    }
}

void ptx_locs_free(struct ptx_reader *r)
{
    if (r->places)
        free(r->places->older);
    free(r->places);
    r->places = NULL;
}
