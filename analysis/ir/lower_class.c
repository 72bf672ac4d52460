/* Records and enumerations. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"

/* ---- layout ---- */

static uint64_t round_up(uint64_t n, uint32_t align)
{
    return align ? (n + align - 1) / align * align : n;
}

void ir_layout(struct record_full *full)
{
    struct ir_struct *rec = &full->rec;
    uint64_t at = 0, size = 0;
    uint32_t align = full->min_align ? full->min_align : 1;
    if (full->no_layout || rec->has_bases)
        return;
    for (size_t i = 0; i < rec->field_count; i++) {
        uint64_t bytes;
        uint32_t al;
        const struct ir_type *t = rec->fields[i].type;
        if (t->kind == IR_T_REF)
            bytes = al = 8;
        else if (!ir_type_size(t, &bytes, &al) || bytes > UINT32_MAX / 2)
            return;
        at = rec->is_union ? 0 : round_up(at, al);
        rec->fields[i].offset = (uint32_t)at;
        at += bytes;
        size = at > size ? at : size;
        align = al > align ? al : align;
        if (size > UINT32_MAX / 2)
            return;
    }
    rec->align = align;
    rec->size = (uint32_t)round_up(size ? size : 1, align);
}

/* ---- members ---- */

struct members {
    struct ir_field *items;
    size_t count, cap;
};

static void add_field(struct lower *L, struct record_full *full, struct members *m,
                      const char *name, const struct ir_type *type, const struct ir_expr *init)
{
    CMPD_GROW(m->items, m->count + 1, m->cap);
    m->items[m->count] = (struct ir_field){.name = name, .type = type, .init = init};
    if (name) {
        struct binding *b = ir_bind(L, ir_symbol(L, name, strlen(name)), BIND_FIELD, false);
        b->record = &full->rec;
        b->field = (int)m->count;
    }
    m->count++;
}

static void static_member(struct lower *L, const struct specs *specs, const struct declarator *d,
                          uint32_t value)
{
    struct ir_var *v = CMPD_ARENA_NEW(L->arena, struct ir_var);
    v->name = ir_dup_text(L, d->name);
    v->type = d->type;
    v->storage = specs->constant ? IR_V_CONSTANT : specs->device ? IR_V_DEVICE : IR_V_GLOBAL;
    v->slot = v->tparam = -1;
    v->loc = ir_loc_of(L, d->name);
    v->is_static = true;
    v->is_constexpr = specs->is_constexpr;
    v->is_const = d->type->is_const || specs->is_constexpr;
    ir_bind(L, ir_symbol_of(L, d->name), BIND_VAR, false)->var = v;
    if (value)
        v->init = ir_initializer(L, value, v->type);
    if (v->type->is_auto && v->init)
        v->type = ir_deduce_auto(L, v->type, v->init->type, 0);
    ir_push(&L->globals, v);
}

static void field_declarator(struct lower *L, struct record_full *full, struct members *m,
                             uint32_t node, const struct specs *specs, uint32_t dnode,
                             uint32_t value)
{
    struct declarator d;
    if (L->n[dnode].kind == TK_INIT_DECLARATOR) {
        value = ir_child(L, dnode, TF_VALUE);
        dnode = ir_child(L, dnode, TF_DECLARATOR);
        if (!dnode)
            return;
    }
    ir_declarator(L, dnode, specs->type, &d);
    if (!d.name)
        return;
    if (d.function) {
        full->no_layout |= ir_child_kind(L, node, TK_VIRTUAL) ||
                           ir_child_kind(L, node, TK_VIRTUAL_FUNCTION);
        ir_declare_function(L, node, specs, &d);
        return;
    }
    if (specs->is_static) {
        static_member(L, specs, &d, value);
        return;
    }
    add_field(L, full, m, ir_dup_text(L, d.name), d.type,
              value ? ir_initializer(L, value, d.type) : NULL);
}

static void field_declaration(struct lower *L, struct record_full *full, struct members *m,
                              uint32_t node)
{
    struct specs specs;
    ir_specs(L, node, &specs);
    full->no_layout |= ir_child_kind(L, node, TK_BITFIELD) != 0;
    bool any = false;
    for (uint32_t c = node + 1; c < L->n[node].skip; c = L->n[c].skip) {
        if (L->n[c].field != TF_DECLARATOR)
            continue;
        uint32_t next = L->n[c].skip, value = 0;
        if (next < L->n[node].skip && L->n[next].field == TF_DEFAULT_VALUE)
            value = next;
        field_declarator(L, full, m, node, &specs, c, value);
        any = true;
    }
    enum ir_node_kind k = specs.type_node ? ir_kind(L, specs.type_node) : TK_OTHER;
    if (!any && (k == TK_STRUCT || k == TK_UNION || k == TK_CLASS) &&
        !ir_child(L, specs.type_node, TF_NAME))
        add_field(L, full, m, NULL, specs.type, NULL); /* its members are seen from outside */
}

static void method(struct lower *L, struct record_full *full, uint32_t node)
{
    full->no_layout |= ir_child_kind(L, node, TK_VIRTUAL) ||
                       ir_child_kind(L, node, TK_VIRTUAL_FUNCTION);
    ir_top_item(L, node);
}

static void friend_item(struct lower *L, uint32_t node)
{
    uint32_t inner = ir_child_kind(L, node, TK_FUNCTION);
    if (!inner)
        return;
    struct context ctx = L->ctx; /* a friend defined in the class is a function of the namespace */
    size_t n = strlen(L->ctx.scope);
    while (n && L->ctx.scope[n - 1] != ':')
        n--;
    L->ctx.scope = cmpd_arena_strndup(L->arena, L->ctx.scope, n > 2 ? n - 2 : 0);
    L->ctx.record = NULL;
    ir_top_item(L, inner);
    L->ctx = ctx;
}

static void member(struct lower *L, struct record_full *full, struct members *m, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_FIELD_DECL:
    case TK_DECL:
        field_declaration(L, full, m, node);
        break;
    case TK_FUNCTION:
        method(L, full, node);
        break;
    case TK_TEMPLATE_DECL:
        ir_template_declaration(L, node);
        break;
    case TK_ALIAS_DECL:
        ir_type_alias(L, node);
        break;
    case TK_TYPE_DEF:
        ir_type_def(L, node);
        break;
    case TK_FRIEND:
        friend_item(L, node);
        break;
    case TK_ERROR:
        full->no_layout = true;
        break;
    default:
        break;
    }
}

static void members(struct lower *L, struct record_full *full, uint32_t body)
{
    struct context outer = L->ctx;
    struct fn_state *fn = L->fn;
    struct members m = {0};
    L->ctx.scope = ir_record_path(L, &full->rec);
    L->ctx.record = &full->rec;
    L->ctx.local = false;
    L->fn = NULL;
    /* Data members are bound before a method's default argument may name one. */
    FOR_CHILDREN(L, c, body)
    if (L->n[c].flags & TN_NAMED)
        member(L, full, &m, c);
    full->rec.fields = CMPD_ARENA_ARRAY(L->arena, struct ir_field, m.count + 1);
    full->rec.field_count = m.count;
    if (m.count)
        memcpy(full->rec.fields, m.items, m.count * sizeof *m.items);
    free(m.items);
    L->ctx = outer;
    L->fn = fn;
}

/* ---- the record ---- */

static void read_bases(struct lower *L, struct record_full *full, uint32_t clause)
{
    size_t n = 0;
    FOR_CHILDREN(L, c, clause)
    n++;
    full->rec.has_bases = true;
    full->rec.bases = CMPD_ARENA_ARRAY(L->arena, const struct ir_type *, n + 1);
    FOR_CHILDREN(L, c, clause)
    {
        enum ir_node_kind k = ir_kind(L, c);
        if (k == TK_TYPE_ID || k == TK_QUALIFIED_ID || k == TK_TEMPLATE_TYPE)
            full->rec.bases[full->rec.base_count++] = ir_type_node(L, c);
    }
}

static void read_align_attr(struct lower *L, struct record_full *full, uint32_t node, uint32_t body)
{
    uint32_t align = ir_attr_align(L, node, L->n[body].start);
    if (align == UINT32_MAX)
        full->no_layout = true;
    else if (align > full->min_align)
        full->min_align = align;
}

static struct ir_type *record_type(struct lower *L, const char *name)
{
    struct ir_type *t = CMPD_ARENA_NEW(L->arena, struct ir_type);
    t->kind = IR_T_STRUCT;
    t->name = name;
    return t;
}

static struct record_full *new_record(struct lower *L, uint32_t node, const char *name)
{
    struct record_full *full = CMPD_ARENA_NEW(L->arena, struct record_full);
    full->rec.name = name;
    full->rec.scope = L->ctx.local && L->fn ? ir_join_scope(L, L->ctx.scope, L->fn->func->name)
                                            : L->ctx.scope;
    full->rec.is_union = L->n[node].kind == TK_UNION;
    ir_push(&L->structs, &full->rec);
    return full;
}

/* template <> struct P<int> {...}: not the meaning of the name P, but of P<int>. */
static struct record_full *specialisation(struct lower *L, uint32_t node, uint32_t name,
                                          struct ir_type **type)
{
    uint32_t args, plain = ir_name_and_args(L, name, &args);
    const struct binding *b = ir_lookup(L, ir_symbol_of(L, plain));
    struct record_full *full = new_record(L, node, ir_dup_text(L, plain));
    full->spec_name = ir_dup_text(L, name);
    *type = record_type(L, full->spec_name);
    (*type)->targs = ir_template_args(L, args, &(*type)->targ_count);
    if (!b || b->kind != BIND_TYPE || b->type->kind != IR_T_STRUCT)
        return full;
    full->rec.primary = b->type->record;
    struct record_spec spec = {b->type->record, &full->rec, (*type)->targs, (*type)->targ_count,
                               L->ctx.tframe && L->ctx.tframe->count > 0};
    if (spec.partial)
        full->frame = L->ctx.tframe;
    CMPD_GROW(L->specs, L->spec_count + 1, L->spec_cap);
    L->specs[L->spec_count++] = spec;
    return full;
}

/* The type that the name stands for here, made when there is none yet. */
static struct ir_type *named_record(struct lower *L, uint32_t name, bool define)
{
    struct symbol *sym = ir_symbol_of(L, name);
    for (struct binding *b = sym->top; b; b = b->older) {
        bool here = b->scope ? strcmp(b->scope, L->ctx.scope) == 0 : L->ctx.local;
        if (b->kind != BIND_TYPE || b->type->kind != IR_T_STRUCT)
            continue;
        if (here && !(define && b->type->record))
            return (struct ir_type *)b->type;
    }
    if (!define) {
        const struct ir_type *t = ir_type_of_name(L, name);
        if (t && t->kind == IR_T_STRUCT)
            return (struct ir_type *)t;
    }
    struct ir_type *t = record_type(L, sym->name);
    struct binding *b = ir_bind(L, sym, BIND_TYPE, L->ctx.local);
    b->type = t;
    return t;
}

static void define(struct lower *L, struct record_full *full, struct ir_type *type, uint32_t node,
                   uint32_t body)
{
    size_t pending = L->pending_count;
    bool local = L->ctx.local;
    type->record = &full->rec;
    uint32_t bases = ir_child_kind(L, node, TK_BASE_CLAUSE);
    if (bases)
        read_bases(L, full, bases);
    read_align_attr(L, full, node, body);
    members(L, full, body);
    full->complete = true;
    if (!full->frame)
        ir_layout(full);
    type->size = full->rec.size;
    type->align = full->rec.align;
    if (local) /* its methods may name constants of the function: while those are in scope */
        ir_flush_pending(L, pending);
}

const struct ir_type *ir_define_record(struct lower *L, uint32_t node)
{
    uint32_t name = ir_child(L, node, TF_NAME), body = ir_child(L, node, TF_BODY);
    if (name && L->n[name].kind == TK_QUALIFIED_ID) {
        const struct ir_type *t = ir_type_of_name(L, name);
        if (!body || !t || t->kind != IR_T_STRUCT || t->record) {
            if (t || !body)
                return t ? t : &ir_t_unknown;
        }
        struct qname q;
        ir_split_name(L, name, &q);
        name = q.last;
    }
    if (!body) {
        if (!name)
            return &ir_t_unknown;
        return L->n[name].kind == TK_TYPE_ID ? named_record(L, name, false) : ir_type_node(L, name);
    }
    struct ir_type *type;
    struct record_full *full;
    if (name && L->n[name].kind == TK_TEMPLATE_TYPE) {
        full = specialisation(L, node, name, &type);
    } else {
        const char *text = name ? ir_symbol_of(L, name)->name
                                : cmpd_arena_printf(L->arena, "<unnamed %u>", ++L->anon);
        type = name ? named_record(L, name, true) : record_type(L, text);
        full = new_record(L, node, text);
        full->frame = L->ctx.local ? NULL : L->ctx.tframe;
        full->rec.is_template = full->frame != NULL && full->frame->base + full->frame->count > 0;
        if (!full->rec.is_template)
            full->frame = NULL;
    }
    define(L, full, type, node, body);
    return type;
}

/* ---- enumerations ---- */

static void bind_enumerator(struct lower *L, uint32_t name, const struct ir_expr *value, bool known,
                            int64_t v, const struct ir_type *type, bool local)
{
    struct symbol *sym = ir_symbol_of(L, name);
    if (known) {
        struct binding *b = ir_bind(L, sym, BIND_ENUM, local);
        b->ival = v;
        b->type = type;
        return;
    }
    struct ir_var *var = CMPD_ARENA_NEW(L->arena, struct ir_var);
    var->name = sym->name;
    var->type = type;
    var->storage = IR_V_GLOBAL;
    var->slot = var->tparam = -1;
    var->init = value;
    var->loc = ir_loc_of(L, name);
    var->is_const = var->is_constexpr = true;
    ir_bind(L, sym, BIND_VAR, local)->var = var;
}

static void enumerators(struct lower *L, uint32_t list, const struct ir_type *type,
                        const char *path, bool scoped)
{
    int64_t next = 0;
    bool known = true;
    FOR_CHILDREN(L, c, list)
    {
        uint32_t name = L->n[c].kind == TK_ENUMERATOR ? ir_child(L, c, TF_NAME) : 0;
        uint32_t value = name ? ir_child(L, c, TF_VALUE) : 0;
        const struct ir_expr *x = NULL;
        if (!name)
            continue;
        if (value) {
            x = ir_expr(L, value);
            known = ir_const_int(x, &next);
        }
        const char *scope = L->ctx.scope;
        if (path) {
            L->ctx.scope = path;
            bind_enumerator(L, name, x, known, next, type, false);
            L->ctx.scope = scope;
        }
        if (!scoped)
            bind_enumerator(L, name, x, known, next, type, L->ctx.local);
        next = (int64_t)((uint64_t)next + 1);
    }
}

const struct ir_type *ir_define_enum(struct lower *L, uint32_t node)
{
    uint32_t name = ir_child(L, node, TF_NAME), body = ir_child(L, node, TF_BODY),
             base = ir_child(L, node, TF_BASE);
    if (!body && name) {
        const struct ir_type *t = ir_type_of_name(L, name);
        if (t)
            return t;
    }
    struct ir_type *t = ir_type_copy(L->arena, base ? ir_type_node(L, base) : &ir_t_int);
    if (t->kind != IR_T_INT)
        *t = ir_t_int;
    t->name = name ? ir_dup_text(L, name) : "enum";
    if (name)
        ir_bind(L, ir_symbol_of(L, name), BIND_TYPE, L->ctx.local)->type = t;
    if (!body)
        return t;
    const char *p = L->text + L->n[node].start + strlen("enum");
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        p++;
    bool scoped = strncmp(p, "class", 5) == 0 || strncmp(p, "struct", 6) == 0;
    enumerators(L, body, t, name ? ir_join_scope(L, L->ctx.scope, t->name) : NULL, scoped);
    return t;
}
