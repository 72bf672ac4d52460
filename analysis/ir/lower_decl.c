/* Declarations in bodies, among them those that read as something else. */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "analysis/ir/lower.h"

/* ---- variables ---- */

static struct ir_var *add_local(struct lower *L, const char *name, struct ir_loc loc,
                                const struct ir_type *type, enum ir_storage storage)
{
    struct ir_var *v = CMPD_ARENA_NEW(L->arena, struct ir_var);
    v->name = name;
    v->type = type;
    v->storage = storage;
    v->tparam = v->slot = -1;
    v->loc = loc;
    v->is_const = type->is_const;
    struct fn_state *fn = L->fn;
    if (!fn || storage == IR_V_GLOBAL || storage == IR_V_CONSTANT)
        return v;
    v->func = fn->func;
    CMPD_GROW(fn->func->vars, fn->func->var_count + 1, fn->var_cap);
    v->slot = (int)fn->func->var_count;
    fn->func->vars[fn->func->var_count++] = v;
    return v;
}

struct ir_var *ir_new_local(struct lower *L, uint32_t name_node, const struct ir_type *type,
                            enum ir_storage storage)
{
    struct symbol *sym = ir_symbol_of(L, name_node);
    struct ir_var *v = add_local(L, sym->name, ir_loc_of(L, name_node), type, storage);
    ir_bind(L, sym, BIND_VAR, true)->var = v;
    return v;
}

struct ir_var *ir_unnamed_local(struct lower *L, uint32_t node, const struct ir_type *type)
{
    return add_local(L, "", ir_loc_of(L, node), type, IR_V_LOCAL);
}

void ir_bind_structured(struct lower *L, uint32_t bindings)
{
    FOR_CHILDREN(L, c, bindings)
    if (L->n[c].kind == TK_IDENT)
        ir_new_local(L, c, &ir_t_unknown, IR_V_LOCAL);
}

const struct ir_stmt *ir_decl_stmt(struct lower *L, uint32_t node, struct ir_var *var)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_DECL, node);
    s->var = var;
    return s;
}

static enum ir_storage local_storage(const struct specs *specs, const struct ir_type *type)
{
    if (specs->shared)
        return specs->is_extern || (type->kind == IR_T_ARRAY && !type->extent) ? IR_V_SHARED_DYNAMIC
                                                                               : IR_V_SHARED;
    if (specs->constant)
        return IR_V_CONSTANT;
    if (specs->is_extern)
        return IR_V_GLOBAL;
    return specs->is_static ? IR_V_STATIC : IR_V_LOCAL;
}

/* int a[] = {1, 2}: the number of elements comes from the initialiser. */
static const struct ir_type *sized_by(struct lower *L, const struct ir_type *t,
                                      const struct ir_expr *init, uint32_t node)
{
    if (t->kind != IR_T_ARRAY || t->extent || !init)
        return t;
    if (init->kind == IR_X_STRING)
        return ir_array_of(L->arena, t->elem, init->type->extent);
    if (init->kind != IR_X_INIT || init->paren)
        return t;
    int64_t at = 0, extent = 0;
    for (size_t i = 0; i < init->arg_count; i++) {
        const struct ir_expr *x = init->args[i];
        bool placed = x->kind == IR_X_ASSIGN && x->a->kind == IR_X_INDEX; /* [4] = 5 */
        if (placed && (!ir_const_int(x->a->b, &at) || at < 0 || at > INT32_MAX))
            return t;
        at++;
        extent = at > extent ? at : extent;
    }
    return ir_array_of(L->arena, t->elem,
                       ir_int_expr(L, node, (int64_t)init->arg_count, &ir_t_size));
}

/* ---- T name(args) ---- */

/* What a parameter list that stands in a body really is. */
enum meaning { MEANS_TYPE, MEANS_VALUE, MEANS_EITHER };

static enum meaning param_meaning(struct lower *L, uint32_t param)
{
    uint32_t type = ir_child(L, param, TF_TYPE), d = ir_child(L, param, TF_DECLARATOR);
    if (L->n[param].kind != TK_PARAM || !type || ir_child_kind(L, param, TK_TYPE_QUALIFIER))
        return MEANS_TYPE;
    if (d && L->n[d].kind == TK_IDENT)
        return MEANS_TYPE; /* T x */
    switch (ir_kind(L, type)) {
    case TK_PRIMITIVE_TYPE:
    case TK_SIZED_TYPE:
        return d && (L->n[d].kind == TK_ABSTRACT_FUNCTION) ? MEANS_EITHER : MEANS_TYPE;
    case TK_STRUCT:
    case TK_ENUM:
    case TK_CLASS:
    case TK_UNION:
    case TK_PLACEHOLDER_TYPE:
    case TK_DEPENDENT_TYPE:
        return MEANS_TYPE;
    default:
        break;
    }
    struct qname q;
    uint32_t args;
    ir_split_name(L, type, &q);
    uint32_t name = ir_name_and_args(L, q.last, &args);
    const struct symbol *sym = ir_symbol_of(L, name);
    const struct binding *b = ir_lookup_in(L, sym, q.qual);
    if (b && b->kind != BIND_TYPE)
        return MEANS_VALUE;
    if (b || ir_type_of_name(L, type))
        return d && L->n[d].kind == TK_ABSTRACT_FUNCTION ? MEANS_EITHER : MEANS_TYPE;
    return MEANS_EITHER;
}

bool ir_declares_function(struct lower *L, uint32_t fd, bool local, const struct ir_type *ret)
{
    uint32_t list = ir_child(L, fd, TF_PARAMETERS);
    if (!list || !ir_first_child(L, list))
        return true;
    enum meaning all = MEANS_EITHER;
    FOR_CHILDREN(L, c, list)
    {
        if (!(L->n[c].flags & TN_NAMED))
            continue;
        enum meaning m = param_meaning(L, c);
        if (m == MEANS_VALUE)
            return false;
        if (m == MEANS_TYPE)
            all = MEANS_TYPE;
    }
    return all == MEANS_TYPE || !local || ret->kind == IR_T_VOID;
}

static const struct ir_expr *declarator_as_expr(struct lower *L, const struct ir_expr *x,
                                                uint32_t d);

static const struct ir_expr *call_of_params(struct lower *L, uint32_t node,
                                            const struct ir_expr *callee, uint32_t list)
{
    size_t count;
    const struct ir_expr **args = ir_params_as_args(L, list, &count);
    return ir_make_call(L, node, callee, args, count);
}

static const struct ir_expr *index_of_declarator(struct lower *L, const struct ir_expr *x,
                                                 uint32_t d)
{
    uint32_t size = ir_child(L, d, TF_SIZE);
    if (!size)
        return NULL;
    struct ir_expr *index = ir_new_expr(L, IR_X_INDEX, d, NULL);
    const struct ir_type *t = ir_decay(L->arena, x->type);
    index->a = x;
    index->b = ir_expr(L, size);
    index->type = t->kind == IR_T_PTR ? t->elem : &ir_t_unknown;
    index->loc.off = x->loc.off;
    return index;
}

/* n * m, n & m, f(x), f(x)(y) and a[i] as they look when read as parameters. */
static const struct ir_expr *declarator_as_expr(struct lower *L, const struct ir_expr *x,
                                                uint32_t d)
{
    uint32_t inner = ir_child(L, d, TF_DECLARATOR);
    switch (ir_kind(L, d)) {
    case TK_POINTER_DECLARATOR:
    case TK_REFERENCE_DECLARATOR: {
        uint32_t right = inner ? inner : ir_first_child(L, d);
        if (!right || L->n[right].kind != TK_IDENT)
            return NULL;
        const struct ir_expr *b = ir_expr(L, right);
        bool pointer = L->n[d].kind == TK_POINTER_DECLARATOR;
        bool land = !pointer && L->text[L->n[d].start + 1] == '&';
        struct ir_expr *e = (struct ir_expr *)ir_binary_expr(L, d, pointer ? IR_OP_MUL : IR_OP_AND,
                                                             land ? 1 : 0, x, b);
        e->loc.off = x->loc.off;
        return e;
    }
    case TK_ABSTRACT_FUNCTION:
        if (inner)
            x = declarator_as_expr(L, x, inner);
        return x ? call_of_params(L, d, x, ir_child(L, d, TF_PARAMETERS)) : NULL;
    case TK_ABSTRACT_ARRAY:
        if (inner)
            x = declarator_as_expr(L, x, inner);
        return x ? index_of_declarator(L, x, d) : NULL;
    default:
        return NULL;
    }
}

static const struct ir_expr *param_as_expr(struct lower *L, uint32_t param)
{
    uint32_t type = ir_child(L, param, TF_TYPE), d = ir_child(L, param, TF_DECLARATOR);
    if (!type)
        return ir_unknown_expr(L, param);
    bool sized = L->n[type].kind == TK_SIZED_TYPE;
    const struct ir_type *t = sized ? ir_type_node(L, type) : ir_type_of_name(L, type);
    if (t && d && L->n[d].kind == TK_ABSTRACT_FUNCTION && !ir_child(L, d, TF_DECLARATOR)) {
        size_t count; /* int(x), dim3(a, b) */
        const struct ir_expr **args = ir_params_as_args(L, ir_child(L, d, TF_PARAMETERS), &count);
        return ir_construct(L, param, t, args, count, true);
    }
    const struct ir_expr *x = ir_name_expr(L, type);
    if (d)
        x = declarator_as_expr(L, x, d);
    return x ? x : ir_unknown_expr(L, param);
}

const struct ir_expr **ir_params_as_args(struct lower *L, uint32_t list, size_t *count)
{
    size_t n = 0;
    *count = 0;
    if (list)
        FOR_CHILDREN(L, c, list)
    n += (L->n[c].flags & TN_NAMED) != 0;
    const struct ir_expr **args = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, n + 1);
    if (list)
        FOR_CHILDREN(L, c, list)
    if (L->n[c].flags & TN_NAMED)
        args[(*count)++] = param_as_expr(L, c);
    return args;
}

/* ---- one declarator ---- */

struct one_decl {
    uint32_t node;       /* what the statement covers */
    uint32_t declarator; /* without its initialiser */
    uint32_t value;      /* initialiser node; 0: none */
    const struct specs *specs;
    uint32_t align; /* asked for by an attribute; 0: none */
};

static const struct ir_expr *lower_value(struct lower *L, uint32_t value,
                                         const struct ir_type *type)
{
    if (L->n[value].kind != TK_ARG_LIST)
        return ir_initializer(L, value, type);
    size_t count;
    const struct ir_expr **args = ir_arg_list(L, value, &count);
    struct ir_expr *x = ir_new_expr(L, IR_X_INIT, value, type);
    const struct ir_expr *made = ir_construct(L, value, type, args, count, true);
    if (made->kind == IR_X_INIT)
        return made;
    x->args = args; /* int n(3): kept as a construction, not as a cast */
    x->arg_count = count;
    x->paren = true;
    return x;
}

static void structured(struct lower *L, const struct one_decl *one, uint32_t bindings,
                       struct stmt_list *out)
{
    struct ir_stmt *s = ir_new_stmt(L, IR_S_UNKNOWN, one->node);
    s->exprs = CMPD_ARENA_ARRAY(L->arena, const struct ir_expr *, 1);
    if (one->value)
        s->exprs[s->expr_count++] = ir_initializer(L, one->value, &ir_t_unknown);
    ir_bind_structured(L, bindings);
    ir_mark_error(L);
    ir_list_add(out, s);
}

/* T name(args): the arguments came as parameters. */
static const struct ir_expr *vexing_args(struct lower *L, uint32_t fd, const struct ir_type *type)
{
    size_t count;
    uint32_t list = ir_child(L, fd, TF_PARAMETERS);
    const struct ir_expr **args = ir_params_as_args(L, list, &count);
    struct ir_expr *x = ir_new_expr(L, IR_X_INIT, list, type);
    const struct ir_expr *made = ir_construct(L, list, type, args, count, true);
    if (made->kind == IR_X_INIT)
        return made;
    x->args = args;
    x->arg_count = count;
    x->paren = true;
    return x;
}

static void finish_var(struct ir_var *v, const struct one_decl *one)
{
    const struct specs *specs = one->specs;
    v->is_constexpr = specs->is_constexpr;
    v->is_const |= specs->is_constexpr;
    v->is_static = specs->is_static;
    if (v->init && v->type->kind == IR_T_REF)
        ir_take_address(v->init);
}

static void one_declarator(struct lower *L, const struct one_decl *one, struct stmt_list *out)
{
    const struct specs *specs = one->specs;
    const struct ir_type *base = specs->type;
    const struct ir_expr *init = NULL;
    if (base->is_auto && base->kind == IR_T_UNKNOWN && one->value &&
        L->n[one->declarator].kind != TK_STRUCTURED_BINDING) {
        init = lower_value(L, one->value, &ir_t_unknown);
        const struct ir_expr *from = init;
        if (init->kind == IR_X_INIT && init->arg_count == 1 && init->type->kind == IR_T_UNKNOWN)
            from = init->args[0];
        base = ir_deduce_auto(L, base, from->type, one->declarator);
    }
    struct declarator d;
    ir_declarator(L, one->declarator, base, &d);
    if (d.bindings) {
        structured(L, one, d.bindings, out);
        return;
    }
    if (!d.name || L->n[d.name].kind != TK_IDENT) {
        ir_list_add(out, ir_unknown_stmt(L, one->node));
        return;
    }
    if (d.function && !one->value && ir_declares_function(L, d.function, true, d.type)) {
        ir_declare_function(L, one->node, specs, &d);
        return;
    }
    struct ir_var *v = ir_new_local(L, d.name, d.type, local_storage(specs, d.type));
    if (d.function)
        v->init = vexing_args(L, d.function, d.type);
    else if (init)
        v->init = init;
    else if (one->value)
        v->init = lower_value(L, one->value, d.type);
    v->type = sized_by(L, v->type, v->init, one->node);
    if (one->align && one->align != UINT32_MAX && one->align > v->type->align) {
        struct ir_type *aligned = ir_type_copy(L->arena, v->type);
        aligned->align = one->align;
        v->type = aligned;
    }
    finish_var(v, one);
    if (v->storage != IR_V_GLOBAL)
        ir_list_add(out, ir_decl_stmt(L, one->node, v));
}

void ir_local_declaration(struct lower *L, uint32_t node, struct stmt_list *out)
{
    struct specs specs;
    ir_specs(L, node, &specs);
    uint32_t value = ir_child(L, node, TF_VALUE); /* while (T x = value) */
    uint32_t align = ir_attr_align(L, node, L->n[node].end);
    FOR_CHILDREN(L, c, node)
    {
        if (L->n[c].field != TF_DECLARATOR)
            continue;
        struct one_decl one = {c, c, value, &specs, align};
        if (L->n[c].kind == TK_INIT_DECLARATOR) {
            one.declarator = ir_child(L, c, TF_DECLARATOR);
            one.value = ir_child(L, c, TF_VALUE);
        }
        if (one.declarator)
            one_declarator(L, &one, out);
        else
            ir_list_add(out, ir_unknown_stmt(L, c));
    }
}

/* ---- declarations that read as expressions ---- */

struct disguise {
    uint32_t type, name, value;
    uint32_t sizes[8];
    size_t size_count;
    bool function;  /* T (*f)(int) */
    bool reference; /* T (&a)[3] */
};

/* call_expression T (*name) */
static bool pointer_part(struct lower *L, uint32_t call, struct disguise *d)
{
    d->type = ir_child(L, call, TF_FUNCTION);
    uint32_t list = ir_child(L, call, TF_ARGUMENTS), arg = list ? ir_first_child(L, list) : 0;
    if (!d->type || !arg || L->n[arg].skip != L->n[list].skip || L->n[arg].kind != TK_POINTER_EXPR)
        return false;
    uint32_t op = ir_child(L, arg, TF_OPERATOR);
    d->name = ir_child(L, arg, TF_ARGUMENT);
    d->reference = op && ir_text_is(L, op, "&");
    if (!op || !d->name || L->n[d->name].kind != TK_IDENT)
        return false;
    return ir_type_of_name(L, d->type) != NULL;
}

static bool in_disguise(struct lower *L, uint32_t x, struct disguise *d)
{
    memset(d, 0, sizeof *d);
    if (L->n[x].kind == TK_ASSIGNMENT) {
        uint32_t op = ir_child(L, x, TF_OPERATOR);
        d->value = ir_child(L, x, TF_RIGHT);
        x = ir_child(L, x, TF_LEFT);
        if (!op || !ir_text_is(L, op, "=") || !x || !d->value)
            return false;
    }
    while (L->n[x].kind == TK_SUBSCRIPT && d->size_count < 8) {
        uint32_t list = ir_child(L, x, TF_INDICES);
        d->sizes[d->size_count++] = list ? ir_first_child(L, list) : 0;
        x = ir_child(L, x, TF_ARGUMENT);
        if (!x)
            return false;
    }
    if (L->n[x].kind != TK_CALL)
        return false;
    uint32_t fn = ir_child(L, x, TF_FUNCTION);
    if (fn && L->n[fn].kind == TK_CALL && !d->size_count) {
        d->function = true;
        x = fn;
    }
    return (d->size_count || d->function) && pointer_part(L, x, d);
}

/*
 * `float (*tile)[33] = ...;` and `T (*f)(int) = ...;` read as an assignment to T(*tile)[33]. True when that is what
 * stands there; the declaration is appended.
 */
bool ir_recover_declaration(struct lower *L, uint32_t x, struct stmt_list *out)
{
    struct disguise d;
    if (!in_disguise(L, x, &d))
        return false;
    const struct ir_type *t = d.function ? &ir_t_unknown : ir_type_of_name(L, d.type);
    for (size_t i = 0; i < d.size_count; i++)
        t = ir_array_of(L->arena, t, d.sizes[i] ? ir_expr(L, d.sizes[i]) : NULL);
    t = d.reference ? ir_ref_to(L->arena, t) : ir_ptr_to(L->arena, t);
    struct ir_var *v = ir_new_local(L, d.name, t, IR_V_LOCAL);
    if (d.value)
        v->init = ir_initializer(L, d.value, v->type);
    if (d.reference && v->init)
        ir_take_address(v->init);
    ir_list_add(out, ir_decl_stmt(L, x, v));
    return true;
}

/* ---- #pragma unroll ---- */

static bool blank_between(const char *s, uint32_t from, uint32_t to)
{
    while (from < to && strchr(" \t\r\n\f\v", s[from]))
        from++;
    return from >= to;
}

/* "unroll", "unroll 4" or "unroll(4)"; -1: another pragma. */
static int pragma_text(const char *p, const char *end)
{
    static const char word[] = "unroll";
    size_t n = sizeof word - 1;
    if (!p || (size_t)(end - p) < n || memcmp(p, word, n) != 0)
        return -1;
    p += n;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '('))
        p++;
    long count = 0;
    for (; p < end && *p >= '0' && *p <= '9' && count < 100000; p++)
        count = count * 10 + (*p - '0');
    return (int)count;
}

static int pragma_unroll(const char *s, size_t len)
{
    static const char word[] = "pragma";
    const char *end = s + len, *p = memchr(s, '#', len);
    if (!p)
        return -1;
    p++;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    if ((size_t)(end - p) < sizeof word || memcmp(p, word, sizeof word - 1) != 0)
        return -1;
    p += sizeof word - 1;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return pragma_text(p, end);
}

int ir_unroll_before(struct lower *L, uint32_t node)
{
    const struct cmpd_unit *u = L->unit;
    const struct cmpd_attr *pragma = ir_attr_in(L, L->n[node].start, L->n[node].start, "_Pragma");
    if (pragma && pragma->args)
        return pragma_text(strpbrk(pragma->args, "u"), pragma->args + strlen(pragma->args));
    if (!u->directive_count)
        return -1;
    uint32_t at = ir_loc_of(L, node).off;
    size_t lo = 0, hi = u->directive_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (u->directives[mid].off < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo)
        return -1;
    const struct cmpd_directive *d = &u->directives[lo - 1];
    if (d->kind != CMPD_DIR_PRAGMA || !d->active || !u->src ||
        !blank_between(u->src->text, d->off + d->len, at))
        return -1;
    return pragma_unroll(u->src->text + d->off, d->len);
}
