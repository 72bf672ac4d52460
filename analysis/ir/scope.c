/* Names: interning, scopes and look-up. */
#include <string.h>

#include "analysis/ir/lower.h"

static const char *const builtin_vars[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                           "warpSize"};

static void describe(struct symbol *s)
{
    s->builtin = cmpd_ir_builtin_type(s->name, s->len);
    for (size_t i = 0; i < sizeof builtin_vars / sizeof *builtin_vars; i++)
        if (strcmp(builtin_vars[i], s->name) == 0)
            s->builtin_var = (int8_t)(1 + i);
    static const char *const words[] = {"unsigned", "signed", "int",    "long", "short",
                                        "char",     "float",  "double", "bool", "void"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], s->name) == 0)
            s->is_keyword_type = true;
}

struct symbol *ir_symbol(struct lower *L, const char *name, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    struct symbol **bucket = &L->buckets[h % SYMBOL_BUCKETS];
    for (struct symbol *s = *bucket; s; s = s->next)
        if (s->hash == h && s->len == len && memcmp(s->name, name, len) == 0)
            return s;
    struct symbol *s = CMPD_ARENA_NEW(L->arena, struct symbol);
    s->name = cmpd_arena_strndup(L->arena, name, len);
    s->len = (uint32_t)len;
    s->hash = h;
    s->next = *bucket;
    *bucket = s;
    describe(s);
    return s;
}

struct symbol *ir_symbol_of(struct lower *L, uint32_t n)
{
    size_t len;
    const char *s = ir_text(L, n, &len);
    return ir_symbol(L, s, len);
}

struct binding *ir_scope_open(struct lower *L)
{
    return L->locals;
}

void ir_scope_close(struct lower *L, struct binding *mark)
{
    while (L->locals != mark) {
        struct binding *b = L->locals;
        L->locals = b->scoped;
        b->sym->top = b->older;
        b->scoped = L->spare;
        L->spare = b;
    }
}

struct binding *ir_bind(struct lower *L, struct symbol *sym, enum bind_kind kind, bool local)
{
    struct binding *b = L->spare;
    if (b) {
        L->spare = b->scoped;
        memset(b, 0, sizeof *b);
    } else {
        b = CMPD_ARENA_NEW(L->arena, struct binding);
    }
    b->sym = sym;
    b->kind = kind;
    if (local) {
        b->older = sym->top;
        b->scoped = L->locals;
        L->locals = b;
        sym->top = b;
        return b;
    }
    /* Others go below the local ones that are in force, so that popping stays a stack. */
    b->scope = L->ctx.scope;
    struct binding **at = &sym->top;
    while (*at && !(*at)->scope)
        at = &(*at)->older;
    b->older = *at;
    *at = b;
    return b;
}

/* Does the path `outer` hold the path `inner` ("a::b" holds "a::b::c")? */
static bool holds(const char *outer, const char *inner)
{
    size_t n = strlen(outer);
    return n == 0 || (strncmp(outer, inner, n) == 0 && (inner[n] == '\0' || inner[n] == ':'));
}

static bool in_bases(const struct ir_struct *rec, const char *path, unsigned depth, struct lower *L)
{
    if (!rec || depth > 8)
        return false;
    for (size_t i = 0; i < rec->base_count; i++) {
        const struct ir_struct *base = rec->bases[i]->record;
        if (!base)
            continue;
        if (strcmp(ir_record_path(L, base), path) == 0 || in_bases(base, path, depth + 1, L))
            return true;
    }
    return false;
}

/* How near the binding is to where we stand; 0: not visible. */
static size_t nearness(struct lower *L, const struct binding *b)
{
    if (holds(b->scope, L->ctx.scope))
        return 2 + strlen(b->scope);
    if (L->ctx.record && L->ctx.record->base_count && in_bases(L->ctx.record, b->scope, 0, L))
        return 2 + strlen(L->ctx.scope);
    return b->kind == BIND_FIELD ? 0 : 1;
}

struct binding *ir_lookup(struct lower *L, const struct symbol *sym)
{
    struct binding *best = NULL;
    size_t best_near = 0;
    for (struct binding *b = sym->top; b; b = b->older) {
        if (!b->scope)
            return b;
        size_t near = nearness(L, b);
        if (near > best_near) {
            best = b;
            best_near = near;
        }
    }
    return best;
}

/* Does the written qualifier lead to the path? "b" fits "a::b"; inline namespaces may hide behind it. */
static int qualifies(const char *qual, const char *path)
{
    size_t q = strlen(qual), p = strlen(path);
    if (q == 0)
        return p == 0 ? 3 : 0;
    if (p == q)
        return strcmp(qual, path) == 0 ? 3 : 0;
    if (p > q && strcmp(path + p - q, qual) == 0 && path[p - q - 1] == ':')
        return 2;
    if (p > q && strncmp(path, qual, q) == 0 && path[q] == ':')
        return 1;
    return 0;
}

static const char *resolve_head(struct lower *L, const char *qual)
{
    size_t n = strcspn(qual, ":");
    if (!n)
        return qual;
    const struct binding *b = ir_lookup(L, ir_symbol(L, qual, n));
    if (!b)
        return qual;
    if (b->kind == BIND_NAMESPACE)
        return cmpd_arena_printf(L->arena, "%s%s", b->target, qual + n);
    if (b->kind == BIND_TYPE && b->type->kind == IR_T_STRUCT && b->type->record &&
        !b->type->record->builtin)
        return cmpd_arena_printf(L->arena, "%s%s", ir_record_path(L, b->type->record), qual + n);
    return qual;
}

struct binding *ir_lookup_in(struct lower *L, const struct symbol *sym, const char *qual)
{
    if (!qual)
        return ir_lookup(L, sym);
    qual = resolve_head(L, qual);
    struct binding *best = NULL;
    int best_fit = 0;
    for (struct binding *b = sym->top; b; b = b->older) {
        int fit = b->scope ? qualifies(qual, b->scope) : 0;
        if (fit > best_fit) {
            best = b;
            best_fit = fit;
        }
    }
    return best;
}

const char *ir_join_scope(struct lower *L, const char *outer, const char *inner)
{
    if (!*outer)
        return inner;
    if (!*inner)
        return outer;
    return cmpd_arena_printf(L->arena, "%s::%s", outer, inner);
}

const char *ir_record_path(struct lower *L, const struct ir_struct *rec)
{
    const struct record_full *full = (const struct record_full *)rec;
    if (rec->builtin)
        return rec->name;
    if (full->spec_name)
        return ir_join_scope(L, rec->scope, full->spec_name);
    const struct ir_struct *named = rec->primary ? rec->primary : rec;
    return ir_join_scope(L, named->scope ? named->scope : "", named->name ? named->name : "");
}
