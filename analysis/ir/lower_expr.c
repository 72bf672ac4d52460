/* Expressions: names, members, literals and what each kind of node leads to. */
#include <string.h>

#include "analysis/base/buf.h"
#include "analysis/ir/lower.h"

struct ir_expr *ir_new_expr(struct lower *L, enum ir_expr_kind kind, uint32_t node,
                            const struct ir_type *type)
{
    struct ir_expr *x = CMPD_ARENA_NEW(L->arena, struct ir_expr);
    x->kind = kind;
    x->loc = ir_loc_of(L, node);
    x->type = type ? type : &ir_t_unknown;
    return x;
}

const struct ir_expr *ir_int_expr(struct lower *L, uint32_t node, int64_t v,
                                  const struct ir_type *type)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_INT, node, type);
    x->ival = v;
    return x;
}

static bool is_expression(enum ir_node_kind k)
{
    switch (k) {
    case TK_ALIGNOF:
    case TK_ASSIGNMENT:
    case TK_BINARY:
    case TK_CALL:
    case TK_CAST:
    case TK_CHAR:
    case TK_COMMA:
    case TK_COMPOUND_LITERAL:
    case TK_CONCAT_STRING:
    case TK_CONDITIONAL:
    case TK_DELETE:
    case TK_EXTENSION:
    case TK_FALSE:
    case TK_FIELD_EXPR:
    case TK_IDENT:
    case TK_LAMBDA:
    case TK_NEW:
    case TK_NULL_LITERAL:
    case TK_NUMBER:
    case TK_PAREN:
    case TK_POINTER_EXPR:
    case TK_QUALIFIED_ID:
    case TK_SIZEOF:
    case TK_STRING:
    case TK_SUBSCRIPT:
    case TK_TEMPLATE_FUNCTION:
    case TK_THIS:
    case TK_TRUE:
    case TK_UNARY:
    case TK_UPDATE:
        return true;
    default:
        return false;
    }
}

struct collect {
    const struct ir_expr **items;
    size_t count;
};

/* Expressions below a node, outermost first, as long as no ERROR lies inside them. */
static void collect_exprs(struct lower *L, uint32_t node, struct collect *out)
{
    if (ir_enter(L)) {
        ir_leave(L);
        return;
    }
    FOR_CHILDREN(L, c, node)
    {
        const struct ir_tnode *n = &L->n[c];
        if (n->field == TF_DECLARATOR && n->kind == TK_IDENT)
            continue; /* a name that is declared, not used */
        if (!(n->flags & (TN_HAS_ERROR | TN_MISSING)) &&
            is_expression((enum ir_node_kind)n->kind)) {
            if (out->items)
                out->items[out->count] = ir_expr(L, c);
            out->count++;
        } else if (n->kind != TK_TYPE_DESCRIPTOR && n->kind != TK_PARAM_LIST &&
                   n->kind != TK_TEMPLATE_ARGS) {
            collect_exprs(L, c, out);
        }
    }
    ir_leave(L);
}

/* An ERROR node's children: a node may itself be the expression. */
static const struct ir_expr **readable(struct lower *L, uint32_t node, size_t *count)
{
    struct collect pass = {NULL, 0};
    collect_exprs(L, node, &pass);
    pass.items = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, pass.count + 1);
    pass.count = 0;
    collect_exprs(L, node, &pass);
    *count = pass.count;
    return pass.items;
}

struct ir_expr *ir_unknown_expr(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_UNKNOWN, node, NULL);
    if (!L->too_deep)
        x->args = readable(L, node, &x->arg_count);
    ir_mark_error(L);
    return x;
}

const struct ir_stmt *ir_unknown_stmt(struct lower *L, uint32_t node)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_UNKNOWN, node);
    if (!L->too_deep)
        s->exprs = readable(L, node, &s->expr_count);
    ir_mark_error(L);
    return s;
}

/* ---- names ---- */

const struct ir_expr *ir_this_expr(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_THIS, node, NULL);
    if (L->ctx.record) {
        struct ir_type *t = CMPD_ARENA_NEW(L->arena, struct ir_type);
        t->kind = IR_T_STRUCT;
        t->record = L->ctx.record;
        t->name = L->ctx.record->name;
        t->size = L->ctx.record->size;
        t->align = L->ctx.record->align;
        x->type = ir_ptr_to(L->arena, t);
    }
    return x;
}

const struct ir_expr *ir_binding_expr(struct lower *L, uint32_t node, struct binding *b)
{
    struct ir_expr *x;
    switch (b->kind) {
    case BIND_VAR:
        x = ir_new_expr(L, IR_X_VAR, node, cmpd_ir_strip_ref(b->var->type));
        x->var = b->var;
        if (L->fn && L->fn->by_ref && b->var->func && b->var->func != L->fn->func)
            b->var->address_taken = true; /* captured by reference */
        return x;
    case BIND_FUNC:
        x = ir_new_expr(L, IR_X_FUNC, node, NULL);
        x->func = b->func;
        x->name = b->func->name;
        return x;
    case BIND_ENUM:
        return ir_int_expr(L, node, b->ival, b->type);
    case BIND_FIELD:
        return ir_member_expr(L, node, ir_this_expr(L, node), true, b->sym->name);
    default:
        return NULL;
    }
}

static const struct ir_expr *unresolved(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_NAME, node, NULL);
    x->name = ir_dup_text(L, node);
    const struct ir_type *t = ir_known_name_type(x->name);
    if (t)
        x->type = t;
    return x;
}

static const struct ir_expr *builtin_var(struct lower *L, uint32_t node, const struct symbol *sym,
                                         int dim)
{
    enum ir_builtin b = (enum ir_builtin)(sym->builtin_var - 1);
    const struct ir_type *whole = b == IR_B_BLOCK_DIM || b == IR_B_GRID_DIM ? &ir_t_dim3
                                                                            : &ir_t_uint3;
    if (b == IR_B_WARP_SIZE)
        whole = &ir_t_int;
    struct ir_expr *x = ir_new_expr(L, IR_X_BUILTIN, node, dim >= 0 ? &ir_t_uint : whole);
    x->builtin = b;
    x->dim = dim;
    return x;
}

static const struct ir_expr *plain_name(struct lower *L, uint32_t node)
{
    struct symbol *sym = ir_symbol_of(L, node);
    struct binding *b = ir_lookup(L, sym);
    if (!b && sym->builtin_var)
        return builtin_var(L, node, sym, -1);
    const struct ir_expr *x = b ? ir_binding_expr(L, node, b) : NULL;
    return x ? x : unresolved(L, node);
}

/*
 * A static member of a class template whose value hangs on the arguments: Tr<float>::size. What recurses
 * (Fact<N - 1>::value) or stays open is a NAME with the class' arguments.
 */
static const struct ir_expr *through_owner(struct lower *L, uint32_t node, uint32_t owner,
                                           const struct ir_expr *x)
{
    if (x->kind != IR_X_VAR || (x->var->init && !ir_expr_dependent(x->var->init)))
        return x;
    const struct ir_type *o = ir_type_of_name(L, owner);
    if (!o || !o->targ_count ||
        (o->kind == IR_T_STRUCT && o->record && !o->record->primary && x->var->init))
        return x;
    struct tsubst s = {L, o->targs, o->targ_count, 0};
    const struct ir_expr *value = x->var->init ? ir_subst_expr(&s, x->var->init) : NULL;
    int64_t known;
    if (value && ir_const_int(value, &known))
        return ir_int_expr(L, node, known, x->type);
    struct ir_expr *name = (struct ir_expr *)unresolved(L, node);
    name->type = x->type;
    name->targs = o->targs;
    name->targ_count = o->targ_count;
    return name;
}

static const struct ir_expr *qualified_name(struct lower *L, uint32_t node)
{
    struct qname q;
    ir_split_name(L, node, &q);
    uint32_t args, name = ir_name_and_args(L, q.last, &args);
    struct binding *b = ir_lookup_name(L, &q, ir_symbol_of(L, name));
    const struct ir_expr *found = b ? ir_binding_expr(L, node, b) : NULL;
    if (found && q.owner)
        found = through_owner(L, node, q.owner, found);
    if (found && !args)
        return found;
    struct ir_expr *x;
    if (found && found->kind == IR_X_FUNC) {
        x = ir_new_expr(L, IR_X_FUNC, node, NULL);
        x->func = found->func;
        x->name = found->name;
    } else {
        x = (struct ir_expr *)unresolved(L, node);
        size_t cut = args ? L->n[args].start - L->n[node].start : 0;
        if (args) { /* the name without its arguments */
            char *plain = ir_dup_text(L, node);
            if (cut < strlen(plain))
                plain[cut] = '\0';
            x->name = plain;
        }
    }
    if (!args && q.owner && x->kind == IR_X_NAME) /* std::numeric_limits<float>::max */
        ir_name_and_args(L, q.owner, &args);
    if (args)
        x->targs = ir_template_args(L, args, &x->targ_count);
    return x;
}

const struct ir_expr *ir_name_expr(struct lower *L, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_QUALIFIED_ID:
    case TK_TEMPLATE_FUNCTION:
    case TK_TEMPLATE_TYPE:
        return qualified_name(L, node);
    default:
        return plain_name(L, node);
    }
}

/* ---- members ---- */

static int field_index(const struct ir_struct *rec, const char *name)
{
    for (size_t i = 0; i < rec->field_count; i++)
        if (rec->fields[i].name && strcmp(rec->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

static struct ir_expr *member_of(struct lower *L, uint32_t node, const struct ir_expr *obj,
                                 bool arrow, const char *name, const struct ir_struct *rec,
                                 int index)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_MEMBER, node, NULL);
    x->a = obj;
    x->arrow = arrow;
    x->name = name;
    x->field = index;
    if (rec && index >= 0)
        x->type = cmpd_ir_strip_ref(rec->fields[index].type);
    return x;
}

/* Members of a struct or union without a name inside the record. */
static struct ir_expr *nested_member(struct lower *L, uint32_t node, const struct ir_expr *obj,
                                     bool arrow, const char *name, const struct ir_struct *rec)
{
    for (size_t i = 0; i < rec->field_count; i++) {
        const struct ir_type *t = rec->fields[i].type;
        if (rec->fields[i].name || t->kind != IR_T_STRUCT || !t->record)
            continue;
        int inner = field_index(t->record, name);
        if (inner >= 0) {
            const struct ir_expr *outer = member_of(L, node, obj, arrow, "", rec, (int)i);
            return member_of(L, node, outer, false, name, t->record, inner);
        }
    }
    return NULL;
}

/* A member that a base class of the file has: no index, but its type. */
static const struct ir_type *inherited_type(const struct ir_struct *rec, const char *name,
                                            unsigned depth)
{
    for (size_t i = 0; i < rec->base_count && depth < 8; i++) {
        const struct ir_struct *base = rec->bases[i]->record;
        if (!base)
            continue;
        int at = field_index(base, name);
        if (at >= 0)
            return base->fields[at].type;
        const struct ir_type *t = inherited_type(base, name, depth + 1);
        if (t)
            return t;
    }
    return NULL;
}

/* A static data member reached through an object. */
static const struct ir_expr *static_member(struct lower *L, uint32_t node,
                                           const struct ir_struct *rec, const char *name)
{
    if (rec->builtin)
        return NULL;
    const struct symbol *sym = ir_symbol(L, name, strlen(name));
    const char *path = ir_record_path(L, rec);
    for (struct binding *b = sym->top; b; b = b->older)
        if (b->scope && (b->kind == BIND_VAR || b->kind == BIND_ENUM) &&
            strcmp(b->scope, path) == 0)
            return ir_binding_expr(L, node, b);
    return NULL;
}

const struct ir_expr *ir_member_expr(struct lower *L, uint32_t node, const struct ir_expr *obj,
                                     bool arrow, const char *name)
{
    const struct ir_type *t = cmpd_ir_strip_ref(obj->type);
    if (arrow && t->kind == IR_T_STRUCT) {
        const struct ir_expr *call = ir_call_operator(L, node, "->", obj, NULL);
        if (!call)
            return member_of(L, node, obj, arrow, name, NULL, -1);
        obj = call;
        t = cmpd_ir_strip_ref(call->type);
    }
    if (arrow)
        t = t->kind == IR_T_PTR || t->kind == IR_T_ARRAY ? t->elem : &ir_t_unknown;
    const struct ir_struct *rec = t->kind == IR_T_STRUCT ? t->record : NULL;
    if (!rec)
        return member_of(L, node, obj, arrow, name, NULL, -1);
    int index = field_index(rec, name);
    if (index >= 0)
        return member_of(L, node, obj, arrow, name, rec, index);
    const struct ir_expr *x = nested_member(L, node, obj, arrow, name, rec);
    if (!x)
        x = static_member(L, node, rec, name);
    if (x)
        return x;
    struct ir_expr *m = member_of(L, node, obj, arrow, name, NULL, -1);
    const struct ir_type *inherited = inherited_type(rec, name, 0);
    if (inherited)
        m->type = cmpd_ir_strip_ref(inherited);
    return m;
}

static int dim_of(const struct lower *L, uint32_t field)
{
    size_t len;
    const char *s = ir_text(L, field, &len);
    return len == 1 && *s >= 'x' && *s <= 'z' ? *s - 'x' : -1;
}

static const struct ir_expr *field_node(struct lower *L, uint32_t node)
{
    uint32_t obj = ir_child(L, node, TF_ARGUMENT), field = ir_child(L, node, TF_FIELD);
    uint32_t op = ir_child(L, node, TF_OPERATOR), args;
    if (!obj || !field)
        return ir_unknown_expr(L, node);
    if (L->n[obj].kind == TK_IDENT) {
        const struct symbol *sym = ir_symbol_of(L, obj);
        int dim = sym->builtin_var ? dim_of(L, field) : -1;
        if (dim >= 0 && !ir_lookup(L, sym))
            return builtin_var(L, node, sym, dim);
    }
    const struct ir_expr *a = ir_expr(L, obj);
    uint32_t name = ir_name_and_args(L, field, &args);
    if (op && ir_text_is(L, op, ".*")) {
        struct ir_expr *x = ir_unknown_expr(L, node);
        return x;
    }
    bool arrow = op && ir_text_is(L, op, "->");
    const struct ir_expr *m = ir_member_expr(L, node, a, arrow, ir_symbol_of(L, name)->name);
    if (!args || m->kind != IR_X_MEMBER)
        return m;
    struct ir_expr *with = (struct ir_expr *)m;
    with->targs = ir_template_args(L, args, &with->targ_count);
    return with;
}

/* ---- literals ---- */

static const struct ir_expr *string_node(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_STRING, node, NULL);
    struct cmpd_buf text = CMPD_BUF_INIT;
    uint32_t end = L->n[node].skip;
    uint32_t first = L->n[node].kind == TK_CONCAT_STRING ? node + 1 : node;
    for (uint32_t c = first; c < end; c = L->n[c].skip) {
        size_t len;
        const char *s = ir_text(L, c, &len);
        const char *open = memchr(s, '"', len);
        if (open && s[len - 1] == '"' && s + len - 1 > open)
            cmpd_buf_append(&text, open + 1, (size_t)(s + len - 1 - open - 1));
    }
    x->name = cmpd_arena_strndup(L->arena, cmpd_buf_str(&text), text.len);
    struct ir_type *elem = ir_type_copy(L->arena, &ir_t_char);
    elem->is_const = true;
    x->type = ir_array_of(L->arena, elem, ir_int_expr(L, node, (int64_t)text.len + 1, &ir_t_size));
    cmpd_buf_clear(&text);
    return x;
}

static const struct ir_expr *number_node(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_UNKNOWN, node, NULL);
    size_t len;
    const char *s = ir_text(L, node, &len);
    ir_number(s, len, x);
    return x;
}

static const struct ir_expr *char_node(struct lower *L, uint32_t node)
{
    const struct ir_type *type;
    size_t len;
    const char *s = ir_text(L, node, &len);
    int64_t v = ir_char_value(s, len, &type);
    return ir_int_expr(L, node, v, type);
}

/* ---- sizeof, new, delete, braces ---- */

static const struct ir_expr *sizeof_node(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_SIZEOF, node, &ir_t_size);
    x->is_alignof = L->n[node].kind == TK_ALIGNOF;
    uint32_t type = ir_child(L, node, TF_TYPE), value = ir_child(L, node, TF_VALUE);
    const struct ir_type *t = NULL;
    if (type) {
        t = ir_type_descriptor(L, type);
    } else if (value) {
        t = ir_type_of_expr(L, value);
        if (!t) {
            x->a = ir_expr(L, value);
            t = x->a->type;
        }
    }
    x->sizeof_type = t ? t : &ir_t_unknown;
    if (!t) /* sizeof...(pack) */
        x->kind = IR_X_UNKNOWN;
    return x;
}

static const struct ir_expr *offsetof_node(struct lower *L, uint32_t node)
{
    uint32_t type = ir_child(L, node, TF_TYPE), member = ir_child(L, node, TF_MEMBER);
    const struct ir_type *t = type ? ir_type_descriptor(L, type) : &ir_t_unknown;
    const struct ir_struct *rec = t->kind == IR_T_STRUCT ? t->record : NULL;
    int index = rec && rec->size && member ? field_index(rec, ir_symbol_of(L, member)->name) : -1;
    if (index >= 0)
        return ir_int_expr(L, node, rec->fields[index].offset, &ir_t_size);
    return ir_new_expr(L, IR_X_UNKNOWN, node, &ir_t_size);
}

static const struct ir_expr *new_node(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_NEW, node, NULL);
    uint32_t type = ir_child(L, node, TF_TYPE), dims = ir_child(L, node, TF_DECLARATOR);
    uint32_t args = ir_child(L, node, TF_ARGUMENTS);
    const struct ir_type *t = type ? ir_type_node(L, type) : &ir_t_unknown;
    uint32_t length = dims ? ir_child(L, dims, TF_LENGTH) : 0;
    if (length)
        x->b = ir_expr(L, length);
    x->placement = ir_child(L, node, TF_PLACEMENT) != 0;
    if (args)
        x->args = ir_arg_list(L, args, &x->arg_count);
    x->type = ir_ptr_to(L->arena, t);
    return x;
}

static const struct ir_expr *designated(struct lower *L, uint32_t node, const struct ir_type *type)
{
    uint32_t d = ir_child(L, node, TF_DESIGNATOR), value = ir_child(L, node, TF_VALUE);
    if (!d || !value)
        return ir_unknown_expr(L, node);
    struct ir_expr *x = ir_new_expr(L, IR_X_ASSIGN, node, NULL);
    uint32_t inner = ir_first_child(L, d);
    struct ir_expr *place;
    if (L->n[d].kind == TK_SUBSCRIPT_DESIGNATOR && inner) {
        place = ir_new_expr(L, IR_X_INDEX, d, type->kind == IR_T_ARRAY ? type->elem : NULL);
        place->b = ir_expr(L, inner);
    } else {
        place = ir_new_expr(L, IR_X_NAME, d, NULL);
        place->name = ir_dup_text(L, inner ? inner : d);
        const struct ir_struct *rec = type->kind == IR_T_STRUCT ? type->record : NULL;
        int index = rec ? field_index(rec, place->name) : -1;
        if (index >= 0)
            place->type = rec->fields[index].type;
    }
    x->a = place;
    x->b = ir_initializer(L, value, place->type);
    x->type = x->b->type;
    return x;
}

static const struct ir_type *element_type(const struct ir_type *t, size_t i)
{
    if (t->kind == IR_T_ARRAY)
        return t->elem;
    if (t->kind == IR_T_STRUCT && t->record && i < t->record->field_count)
        return t->record->fields[i].type;
    return &ir_t_unknown;
}

const struct ir_expr *ir_initializer(struct lower *L, uint32_t node, const struct ir_type *type)
{
    enum ir_node_kind k = ir_kind(L, node);
    if (k == TK_INIT_PAIR)
        return designated(L, node, type);
    if (k != TK_INIT_LIST)
        return ir_expr(L, node);
    size_t n = 0, count = 0;
    FOR_CHILDREN(L, c, node)
    n += (L->n[c].flags & TN_NAMED) != 0;
    const struct ir_expr **args = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, n + 1);
    type = cmpd_ir_strip_ref(type);
    if (ir_enter(L)) {
        ir_leave(L);
        return ir_unknown_expr(L, node);
    }
    FOR_CHILDREN(L, c, node)
    if (L->n[c].flags & TN_NAMED) {
        args[count] = ir_initializer(L, c, element_type(type, count));
        count++;
    }
    ir_leave(L);
    return ir_construct(L, node, type, args, count, false);
}

const struct ir_expr **ir_arg_list(struct lower *L, uint32_t list, size_t *count)
{
    size_t n = 0;
    FOR_CHILDREN(L, c, list)
    n += (L->n[c].flags & TN_NAMED) != 0;
    const struct ir_expr **args = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, n + 1);
    *count = 0;
    FOR_CHILDREN(L, c, list)
    if (L->n[c].flags & TN_NAMED)
        args[(*count)++] = ir_initializer(L, c, &ir_t_unknown);
    return args;
}

static const struct ir_expr *compound_literal(struct lower *L, uint32_t node)
{
    uint32_t type = ir_child(L, node, TF_TYPE), value = ir_child(L, node, TF_VALUE);
    if (!type || !value)
        return ir_unknown_expr(L, node);
    struct ir_expr *x = (struct ir_expr *)ir_initializer(L, value, ir_type_descriptor(L, type));
    x->loc = ir_loc_of(L, node);
    return x;
}

static const struct ir_expr *delete_node(struct lower *L, uint32_t node)
{
    struct ir_expr *x = ir_new_expr(L, IR_X_DELETE, node, &ir_t_void);
    uint32_t a = ir_first_child(L, node);
    if (!a)
        return ir_unknown_expr(L, node);
    x->a = ir_expr(L, a);
    return x;
}

/* ---- dispatch ---- */

static const struct ir_expr *inner_of(struct lower *L, uint32_t node)
{
    uint32_t inner = ir_first_child(L, node);
    if (!inner || L->n[inner].kind == TK_COMPOUND)
        return ir_unknown_expr(L, node);
    return ir_expr(L, inner);
}

static const struct ir_expr *expr_node(struct lower *L, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_IDENT:
    case TK_TYPE_ID:
    case TK_QUALIFIED_ID:
    case TK_TEMPLATE_FUNCTION:
    case TK_TEMPLATE_TYPE:
        return ir_name_expr(L, node);
    case TK_NUMBER:
        return number_node(L, node);
    case TK_CHAR:
        return char_node(L, node);
    case TK_STRING:
    case TK_RAW_STRING:
    case TK_CONCAT_STRING:
        return string_node(L, node);
    case TK_TRUE:
        return ir_int_expr(L, node, 1, &ir_t_bool);
    case TK_FALSE:
        return ir_int_expr(L, node, 0, &ir_t_bool);
    case TK_NULL_LITERAL:
        return ir_new_expr(L, IR_X_NULLPTR, node, &ir_t_nullptr);
    case TK_THIS:
        return ir_this_expr(L, node);
    case TK_PAREN:
    case TK_EXTENSION:
        return inner_of(L, node);
    case TK_FIELD_EXPR:
        return field_node(L, node);
    case TK_CALL:
        return ir_call_node(L, node);
    case TK_SIZEOF:
    case TK_ALIGNOF:
        return sizeof_node(L, node);
    case TK_OFFSETOF:
        return offsetof_node(L, node);
    case TK_NEW:
        return new_node(L, node);
    case TK_DELETE:
        return delete_node(L, node);
    case TK_LAMBDA:
        return ir_lambda_node(L, node);
    case TK_INIT_LIST:
        return ir_initializer(L, node, &ir_t_unknown);
    case TK_COMPOUND_LITERAL:
        return compound_literal(L, node);
    case TK_UNARY:
    case TK_BINARY:
    case TK_ASSIGNMENT:
    case TK_UPDATE:
    case TK_POINTER_EXPR:
    case TK_CONDITIONAL:
    case TK_COMMA:
    case TK_CAST:
    case TK_SUBSCRIPT:
        return ir_arith_node(L, node);
    default:
        return ir_unknown_expr(L, node);
    }
}

const struct ir_expr *ir_expr(struct lower *L, uint32_t node)
{
    const struct ir_expr *x;
    if (ir_enter(L))
        x = ir_new_expr(L, IR_X_UNKNOWN, node, NULL);
    else if (L->n[node].flags & TN_MISSING)
        x = ir_unknown_expr(L, node);
    else
        x = expr_node(L, node);
    ir_leave(L);
    return x;
}
