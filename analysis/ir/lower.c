/* The lowering's way in, and what all its files share: the tree, source places, lists. */
#include "analysis/ir/lower.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/base/limits.h"
#include "analysis/syntax/ast.h"

/* ---- the tree ---- */

uint32_t ir_child(const struct lower *L, uint32_t p, enum ir_node_field field)
{
    FOR_CHILDREN(L, c, p)
    if (L->n[c].field == field)
        return c;
    return 0;
}

uint32_t ir_child_kind(const struct lower *L, uint32_t p, enum ir_node_kind kind)
{
    FOR_CHILDREN(L, c, p)
    if (L->n[c].kind == kind)
        return c;
    return 0;
}

uint32_t ir_first_child(const struct lower *L, uint32_t p)
{
    FOR_CHILDREN(L, c, p)
    if (L->n[c].flags & TN_NAMED)
        return c;
    return 0;
}

bool ir_text_is(const struct lower *L, uint32_t n, const char *word)
{
    size_t len;
    const char *s = ir_text(L, n, &len);
    return strlen(word) == len && memcmp(s, word, len) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The text with white space only where two words meet, so that a name does not hang on its layout. */
char *ir_dup_text(const struct lower *L, uint32_t n)
{
    size_t len, used = 0;
    const char *s = ir_text(L, n, &len);
    char *out = cmpd_arena_strndup(L->arena, s, len);
    for (size_t i = 0; i < len; i++) {
        if (is_space(s[i]))
            continue;
        bool apart = i && is_space(s[i - 1]);
        if (apart && used && is_word(s[i]) && is_word(out[used - 1]))
            out[used++] = ' ';
        out[used++] = s[i];
    }
    out[used] = '\0';
    return out;
}

/* ---- source places ---- */

static const struct cmpd_run *run_at(struct lower *L, uint32_t off)
{
    const struct cmpd_run *runs = L->unit->runs;
    size_t count = L->unit->run_count, lo = L->run_hint;
    if (lo < count && runs[lo].exp_off <= off && (lo + 1 == count || runs[lo + 1].exp_off > off))
        return &runs[lo];
    lo = 0;
    for (size_t hi = count; hi - lo > 1;) {
        size_t mid = lo + (hi - lo) / 2;
        if (runs[mid].exp_off <= off)
            lo = mid;
        else
            hi = mid;
    }
    L->run_hint = lo;
    return &runs[lo];
}

/* The outermost macro use that a run belongs to, or NULL. */
static const struct cmpd_macro_use *root_use(const struct lower *L, const struct cmpd_run *run)
{
    uint32_t at = run->use;
    while (at && at <= L->unit->use_count && L->unit->uses[at - 1].parent)
        at = L->unit->uses[at - 1].parent;
    return at && at <= L->unit->use_count ? &L->unit->uses[at - 1] : NULL;
}

static uint32_t source_of(const struct cmpd_run *run, uint32_t off)
{
    return run->verbatim ? run->src_off + (off - run->exp_off) : run->src_off;
}

struct ir_loc ir_loc_span(struct lower *L, uint32_t start, uint32_t end)
{
    if (L->unit->run_count == 0)
        return (struct ir_loc){start, end, false};
    const struct cmpd_run *first = run_at(L, start);
    uint32_t last_byte = end > start ? end - 1 : start;
    const struct cmpd_run *last = run_at(L, last_byte);
    const struct cmpd_macro_use *a = first->use ? root_use(L, first) : NULL,
                                *b = last->use ? root_use(L, last) : NULL;
    if (a && a == b && !(first->verbatim && last->verbatim))
        return (struct ir_loc){a->off, a->off + a->len, true};
    struct ir_loc loc = {source_of(first, start), source_of(last, last_byte) + (end > start),
                         false};
    if (a && !first->verbatim)
        loc.off = a->off;
    if (b && !last->verbatim)
        loc.end = b->off + b->len;
    if (loc.end < loc.off) /* a macro that puts its arguments the other way round */
        loc.end = loc.off;
    return loc;
}

struct ir_loc ir_loc_of(struct lower *L, uint32_t n)
{
    return ir_loc_span(L, L->n[n].start, L->n[n].end);
}

/* ---- lists and limits ---- */

void ir_push(struct ptr_list *list, void *item)
{
    CMPD_GROW(list->items, list->count + 1, list->cap);
    list->items[list->count++] = item;
}

void ir_add_pending(struct lower *L, const struct pending *p)
{
    CMPD_GROW(L->pending, L->pending_count + 1, L->pending_cap);
    L->pending[L->pending_count++] = *p;
}

void ir_flush_pending(struct lower *L, size_t from)
{
    for (size_t i = from; i < L->pending_count; i++) {
        struct pending p = L->pending[i];
        ir_lower_body(L, &p);
    }
    L->pending_count = from;
}

bool ir_enter(struct lower *L)
{
    if (++L->depth <= CMPD_NESTING_CEILING && !L->arena->exhausted)
        return false;
    L->too_deep = true;
    ir_mark_error(L);
    return true;
}

void ir_leave(struct lower *L)
{
    L->depth--;
}

void ir_mark_error(struct lower *L)
{
    for (struct fn_state *f = L->fn; f; f = f->outer)
        f->func->has_error = true;
}

/* ---- the module ---- */

static void **list_in_arena(struct lower *L, struct ptr_list *list)
{
    void **items = CMPD_ARENA_ARRAY(L->arena, void *, list->count + 1);
    if (list->count)
        memcpy(items, list->items, list->count * sizeof *items);
    free(list->items);
    return items;
}

static void finish_instantiations(struct lower *L)
{
    L->m->instantiation_count = L->instantiations.count;
    L->m->instantiations = CMPD_ARENA_ARRAY(L->arena, struct ir_instantiation,
                                            L->instantiations.count + 1);
    for (size_t i = 0; i < L->instantiations.count; i++)
        L->m->instantiations[i] = *(struct ir_instantiation *)L->instantiations.items[i];
    free(L->instantiations.items);
}

static int by_place(const void *a, const void *b)
{
    const struct ir_func *f = *(struct ir_func *const *)a, *g = *(struct ir_func *const *)b;
    if (f->loc.off != g->loc.off)
        return f->loc.off < g->loc.off ? -1 : 1;
    return f->index < g->index ? -1 : f->index > g->index;
}

static void finish_module(struct lower *L)
{
    struct ir_module *m = L->m;
    m->func_count = L->funcs.count;
    m->funcs = (struct ir_func **)list_in_arena(L, &L->funcs);
    qsort(m->funcs, m->func_count, sizeof *m->funcs, by_place);
    for (size_t i = 0; i < m->func_count; i++)
        m->funcs[i]->index = (uint32_t)i;
    m->global_count = L->globals.count;
    m->globals = (struct ir_var **)list_in_arena(L, &L->globals);
    m->struct_count = L->structs.count;
    m->structs = (struct ir_struct **)list_in_arena(L, &L->structs);
    finish_instantiations(L);
    free(L->pending);
    free(L->specs);
    free(L->launches.items);
}

struct ir_module *cmpd_ir_lower(const struct cmpd_ast *ast, struct cmpd_arena *arena)
{
    struct lower *L = cmpd_calloc(1, sizeof *L);
    struct ir_tree tree;
    ir_tree_flatten(ast->tree, &tree);
    L->unit = ast->unit;
    L->text = ast->unit->text;
    L->arena = arena;
    L->n = tree.nodes;
    L->count = tree.count;
    L->ctx.scope = "";
    struct ir_module *m = CMPD_ARENA_NEW(arena, struct ir_module);
    m->unit = ast->unit;
    m->arena = arena;
    m->error_count = tree.errors;
    L->m = m;
    ir_top_items(L, 0);
    ir_flush_pending(L, 0);
    ir_finish_launches(L);
    finish_module(L);
    ir_tree_clear(&tree);
    free(L);
    return m;
}
