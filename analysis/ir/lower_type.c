/* Types as written: specifiers, declarators, template arguments. */
#include <string.h>

#include "analysis/ir/lower.h"

/* ---- names ---- */

/* The class or namespace that a component of a scope names, without template arguments. */
static const char *scope_component(struct lower *L, uint32_t node)
{
    uint32_t args;
    return ir_dup_text(L, ir_name_and_args(L, node, &args));
}

uint32_t ir_name_and_args(struct lower *L, uint32_t node, uint32_t *args)
{
    *args = 0;
    for (;;) {
        switch (ir_kind(L, node)) {
        case TK_DEPENDENT_NAME: {
            uint32_t inner = ir_first_child(L, node);
            if (!inner)
                return node;
            node = inner;
            break;
        }
        case TK_TEMPLATE_FUNCTION:
        case TK_TEMPLATE_METHOD:
        case TK_TEMPLATE_TYPE:
            *args = ir_child(L, node, TF_ARGUMENTS);
            return ir_child(L, node, TF_NAME);
        default:
            return node;
        }
    }
}

void ir_split_name(struct lower *L, uint32_t node, struct qname *out)
{
    memset(out, 0, sizeof *out);
    while (L->n[node].kind == TK_QUALIFIED_ID) {
        uint32_t scope = ir_child(L, node, TF_SCOPE), name = 0;
        FOR_CHILDREN(L, c, node)
        if (L->n[c].field == TF_NAME && (L->n[c].flags & TN_NAMED))
            name = c;
        const char *part = scope ? scope_component(L, scope) : "";
        out->qual = out->qual && *out->qual ? cmpd_arena_printf(L->arena, "%s::%s", out->qual, part)
                                            : part;
        out->owner = scope && L->n[scope].kind == TK_TEMPLATE_TYPE ? scope : 0;
        if (!name)
            break;
        node = name;
    }
    out->last = node;
}

/* ---- type specifiers ---- */

static const struct ir_type *unknown_named(struct lower *L, uint32_t node)
{
    struct ir_type *t = CMPD_ARENA_NEW(L->arena, struct ir_type);
    t->name = ir_dup_text(L, node);
    return t;
}

const struct ir_type *ir_qualify(struct lower *L, const struct ir_type *t, bool is_const,
                                 bool is_volatile)
{
    if ((!is_const || t->is_const) && (!is_volatile || t->is_volatile))
        return t;
    if (t->kind == IR_T_ARRAY) { /* const of an array is const of its elements */
        struct ir_type *array = ir_type_copy(L->arena, t);
        array->elem = ir_qualify(L, t->elem, is_const, is_volatile);
        return array;
    }
    struct ir_type *copy = ir_type_copy(L->arena, t);
    copy->is_const |= is_const;
    copy->is_volatile |= is_volatile;
    return copy;
}

/* unsigned long long int and the like, in any order. */
static const struct ir_type *sized_type(struct lower *L, uint32_t node)
{
    size_t len;
    const char *s = ir_text(L, node, &len);
    int longs = 0, shorts = 0, chars = 0, doubles = 0, unsigneds = 0, signeds = 0;
    bool is_const = false, is_volatile = false;
    for (size_t i = 0; i < len;) {
        size_t n = i;
        while (n < len && (s[n] == '_' || (s[n] | 32) >= 'a'))
            n++;
        size_t w = n - i;
#define WORD(word) (w == sizeof(word) - 1 && memcmp(s + i, word, w) == 0)
        longs += WORD("long");
        shorts += WORD("short");
        chars += WORD("char");
        doubles += WORD("double");
        unsigneds += WORD("unsigned");
        signeds += WORD("signed");
        is_const |= WORD("const");
        is_volatile |= WORD("volatile");
#undef WORD
        i = w ? n : i + 1;
    }
    const struct ir_type *t = unsigneds ? &ir_t_uint : &ir_t_int;
    if (doubles)
        t = cmpd_ir_builtin_type("long double", 11);
    else if (chars)
        t = unsigneds ? &ir_t_uchar : signeds ? &ir_t_schar : &ir_t_char;
    else if (shorts)
        t = unsigneds ? &ir_t_ushort : &ir_t_short;
    else if (longs == 1)
        t = unsigneds ? &ir_t_ulong : &ir_t_long;
    else if (longs > 1)
        t = unsigneds ? &ir_t_ulonglong : &ir_t_longlong;
    return ir_qualify(L, t, is_const, is_volatile);
}

static const struct ir_type *with_args(struct lower *L, const struct binding *b, uint32_t node,
                                       uint32_t list)
{
    size_t count;
    const struct ir_targ *targs = ir_template_args(L, list, &count);
    if (b->type->kind != IR_T_STRUCT || !b->type->record || !b->type->record->is_template) {
        struct tsubst s = {L, targs, count, 0}; /* an alias template */
        return ir_subst_type(&s, b->type);
    }
    struct ir_type *t = ir_type_copy(L->arena, b->type);
    t->name = ir_dup_text(L, node);
    t->targs = ir_with_defaults(L, b->type->record, targs, count, &t->targ_count);
    t->record = ir_instantiate(L, b->type->record, t->targs, t->targ_count);
    t->size = t->record ? t->record->size : 0;
    t->align = t->record ? t->record->align : 0;
    return t;
}

static const struct ir_type *unknown_template(struct lower *L, uint32_t node, uint32_t list)
{
    struct ir_type *t = CMPD_ARENA_NEW(L->arena, struct ir_type);
    t->name = ir_dup_text(L, node);
    t->targs = ir_template_args(L, list, &t->targ_count);
    return t;
}

/* A member type of a class template seen with arguments: Tile<float>::value_type. */
static const struct ir_type *through_owner(struct lower *L, uint32_t owner, const struct ir_type *t)
{
    const struct ir_type *o = ir_type_of_name(L, owner);
    if (!o || !o->targ_count)
        return ir_is_dependent(t) ? &ir_t_unknown : t;
    struct tsubst s = {L, o->targs, o->targ_count, 0};
    return ir_subst_type(&s, t);
}

struct binding *ir_lookup_name(struct lower *L, const struct qname *q, const struct symbol *sym)
{
    const struct ir_type *owner = q->owner ? ir_type_of_name(L, q->owner) : NULL;
    if (owner && owner->kind == IR_T_STRUCT && owner->record && !owner->record->builtin)
        return ir_lookup_in(L, sym, ir_record_path(L, owner->record));
    return ir_lookup_in(L, sym, q->qual);
}

static const struct ir_type *qualified_type(struct lower *L, uint32_t node)
{
    struct qname q;
    ir_split_name(L, node, &q);
    uint32_t args, name = ir_name_and_args(L, q.last, &args);
    struct symbol *sym = ir_symbol_of(L, name);
    const struct binding *b = ir_lookup_name(L, &q, sym);
    if (b) {
        if (b->kind != BIND_TYPE)
            return NULL;
        if (args)
            return with_args(L, b, node, args);
        return q.owner ? through_owner(L, q.owner, b->type) : b->type;
    }
    if (args)
        return NULL;
    if (!q.qual || !*q.qual || strcmp(q.qual, "std") == 0 || strcmp(q.qual, "cuda::std") == 0)
        return sym->builtin;
    return NULL;
}

const struct ir_type *ir_type_of_name(struct lower *L, uint32_t node)
{
    switch (ir_kind(L, node)) {
    case TK_IDENT:
    case TK_TYPE_ID:
    case TK_NAMESPACE_ID:
    case TK_PRIMITIVE_TYPE: {
        struct symbol *sym = ir_symbol_of(L, node);
        const struct binding *b = ir_lookup(L, sym);
        if (b)
            return b->kind == BIND_TYPE ? b->type : NULL;
        return sym->builtin;
    }
    case TK_QUALIFIED_ID:
    case TK_TEMPLATE_TYPE:
    case TK_TEMPLATE_FUNCTION:
        return qualified_type(L, node);
    default:
        return NULL;
    }
}

/* sizeof(T), (T)(x) and T[3] come as expressions when T is a plain name. */
const struct ir_type *ir_type_of_expr(struct lower *L, uint32_t node)
{
    for (;;) {
        switch (ir_kind(L, node)) {
        case TK_PAREN:
            node = ir_first_child(L, node);
            if (!node)
                return NULL;
            continue;
        case TK_SUBSCRIPT: {
            const struct ir_type *elem = ir_type_of_expr(L, ir_child(L, node, TF_ARGUMENT));
            uint32_t list = ir_child(L, node, TF_INDICES),
                     index = list ? ir_first_child(L, list) : 0;
            return elem && index ? ir_array_of(L->arena, elem, ir_expr(L, index)) : NULL;
        }
        default:
            return ir_type_of_name(L, node);
        }
    }
}

static const struct ir_type *decltype_of(struct lower *L, uint32_t node)
{
    uint32_t e = ir_first_child(L, node);
    if (!e || L->n[e].kind == TK_AUTO)
        return NULL;
    return ir_expr(L, e)->type;
}

static const struct ir_type *auto_type(struct lower *L)
{
    struct ir_type *t = CMPD_ARENA_NEW(L->arena, struct ir_type);
    t->is_auto = true;
    t->name = "auto";
    return t;
}

static const struct ir_type *type_node(struct lower *L, uint32_t node)
{
    const struct ir_type *t = NULL;
    uint32_t args;
    switch (ir_kind(L, node)) {
    case TK_SIZED_TYPE:
        return sized_type(L, node);
    case TK_STRUCT:
    case TK_CLASS:
    case TK_UNION:
        return ir_define_record(L, node);
    case TK_ENUM:
        return ir_define_enum(L, node);
    case TK_PLACEHOLDER_TYPE:
    case TK_AUTO:
        return auto_type(L);
    case TK_DECLTYPE:
        t = decltype_of(L, node);
        break;
    case TK_DEPENDENT_TYPE: /* typename X::Y: plain to see where X hangs on no parameter */
        t = ir_first_child(L, node) ? ir_type_of_name(L, ir_first_child(L, node)) : NULL;
        break;
    default:
        t = ir_type_of_name(L, node);
        if (!t) {
            struct qname q;
            ir_split_name(L, node, &q);
            ir_name_and_args(L, q.last, &args);
            if (args)
                return unknown_template(L, node, args);
        }
    }
    return t ? t : unknown_named(L, node);
}

const struct ir_type *ir_type_node(struct lower *L, uint32_t node)
{
    const struct ir_type *t = ir_enter(L) ? &ir_t_unknown : type_node(L, node);
    ir_leave(L);
    return t;
}

/* ---- specifiers ---- */

static void one_word(struct lower *L, uint32_t node, struct specs *out)
{
    static const struct {
        const char *word;
        size_t offset;
    } words[] = {
        {"const", offsetof(struct specs, is_const)},
        {"constexpr", offsetof(struct specs, is_constexpr)},
        {"constinit", offsetof(struct specs, is_constexpr)},
        {"volatile", offsetof(struct specs, is_volatile)},
        {"static", offsetof(struct specs, is_static)},
        {"extern", offsetof(struct specs, is_extern)},
        {"inline", offsetof(struct specs, is_inline)},
        {"__shared__", offsetof(struct specs, shared)},
        {"__constant__", offsetof(struct specs, constant)},
        {"__device__", offsetof(struct specs, device)},
        {"__host__", offsetof(struct specs, host)},
        {"__global__", offsetof(struct specs, global)},
        {"__managed__", offsetof(struct specs, managed)},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ir_text_is(L, node, words[i].word))
            *(bool *)((char *)out + words[i].offset) = true;
    if (out->global && !out->global_node)
        out->global_node = node;
}

void ir_specs(struct lower *L, uint32_t node, struct specs *out)
{
    memset(out, 0, sizeof *out);
    FOR_CHILDREN(L, c, node)
    {
        if (L->n[c].field == TF_TYPE && !out->type_node) {
            out->type_node = c;
            continue;
        }
        switch (ir_kind(L, c)) {
        case TK_TYPE_QUALIFIER:
        case TK_STORAGE_CLASS:
        case TK_T_DEVICE:
        case TK_T_HOST:
        case TK_T_GLOBAL:
            one_word(L, c, out);
            break;
        case TK_LAUNCH_BOUNDS:
            out->launch_bounds = c;
            break;
        default:
            break;
        }
    }
    out->type = out->type_node ? ir_type_node(L, out->type_node) : &ir_t_void;
    out->type = ir_qualify(L, out->type, out->is_const || out->is_constexpr, out->is_volatile);
}

/* ---- declarators ---- */

#define DECLARATOR_CEILING 48

static void pointer_qualifiers(struct lower *L, uint32_t node, struct ir_type *p)
{
    FOR_CHILDREN(L, c, node)
    {
        if (L->n[c].kind != TK_TYPE_QUALIFIER)
            continue;
        if (ir_text_is(L, c, "const"))
            p->is_const = true;
        else if (ir_text_is(L, c, "volatile"))
            p->is_volatile = true;
        else
            p->is_restrict = true; /* __restrict__, restrict, __restrict */
    }
}

static uint32_t inner_declarator(struct lower *L, uint32_t node)
{
    uint32_t d = ir_child(L, node, TF_DECLARATOR);
    if (d)
        return d;
    FOR_CHILDREN(L, c, node)
    {
        enum ir_node_kind k = ir_kind(L, c);
        if ((L->n[c].flags & TN_NAMED) && k != TK_TYPE_QUALIFIER && k != TK_PARAM_LIST &&
            k != TK_ATTRIBUTE_DECL && k != TK_ERROR && L->n[c].field == TF_NONE)
            return c;
    }
    return 0;
}

/* (*name) inside a function declarator: a pointer to a function, not a function. */
static bool wraps_pointer(struct lower *L, uint32_t d)
{
    while (d && (L->n[d].kind == TK_PAREN_DECLARATOR || L->n[d].kind == TK_ABSTRACT_PAREN)) {
        d = inner_declarator(L, d);
        if (d && L->n[d].kind != TK_IDENT && L->n[d].kind != TK_PAREN_DECLARATOR &&
            L->n[d].kind != TK_ABSTRACT_PAREN)
            return true;
    }
    return false;
}

static void function_declarator(struct lower *L, uint32_t node, struct declarator *out)
{
    uint32_t d = ir_child(L, node, TF_DECLARATOR);
    if (wraps_pointer(L, d)) {
        struct ir_type *t = CMPD_ARENA_NEW(L->arena, struct ir_type);
        t->name = "function";
        t->elem = NULL;
        out->type = t;
        return;
    }
    out->function = node;
    uint32_t trailing = ir_child_kind(L, node, TK_TRAILING_RETURN);
    uint32_t desc = trailing ? ir_first_child(L, trailing) : 0;
    if (desc)
        out->type = ir_type_descriptor(L, desc);
}

static bool apply_declarator(struct lower *L, uint32_t node, struct declarator *out)
{
    switch (ir_kind(L, node)) {
    case TK_POINTER_DECLARATOR:
    case TK_POINTER_TYPE_DECLARATOR:
    case TK_ABSTRACT_POINTER: {
        struct ir_type *p = ir_type_copy(L->arena, ir_ptr_to(L->arena, out->type));
        pointer_qualifiers(L, node, p);
        out->type = p;
        return true;
    }
    case TK_REFERENCE_DECLARATOR:
    case TK_ABSTRACT_REFERENCE:
        out->type = ir_ref_to(L->arena, out->type);
        return true;
    case TK_ARRAY_DECLARATOR:
    case TK_ABSTRACT_ARRAY: {
        uint32_t size = ir_child(L, node, TF_SIZE);
        if (size && !(L->n[size].flags & TN_NAMED))
            size = 0;
        out->type = ir_array_of(L->arena, out->type, size ? ir_expr(L, size) : NULL);
        return true;
    }
    case TK_FUNCTION_DECLARATOR:
    case TK_ABSTRACT_FUNCTION:
        function_declarator(L, node, out);
        return true;
    case TK_VARIADIC_DECLARATOR:
        out->is_pack = true;
        return true;
    case TK_PAREN_DECLARATOR:
    case TK_ABSTRACT_PAREN:
    case TK_ATTRIBUTED_DECLARATOR:
        return true;
    case TK_STRUCTURED_BINDING:
        out->bindings = node;
        return false;
    default:
        out->name = node;
        return false;
    }
}

void ir_declarator(struct lower *L, uint32_t node, const struct ir_type *base,
                   struct declarator *out)
{
    memset(out, 0, sizeof *out);
    out->type = base;
    for (unsigned depth = 0; node && apply_declarator(L, node, out); depth++) {
        node = inner_declarator(L, node);
        if (depth >
            DECLARATOR_CEILING) { /* no program nests so deep; types are walked by recursion */
            out->type = &ir_t_unknown;
            return;
        }
    }
}

const struct ir_type *ir_type_descriptor(struct lower *L, uint32_t node)
{
    if (L->n[node].kind != TK_TYPE_DESCRIPTOR)
        return ir_type_node(L, node);
    struct specs specs;
    struct declarator d;
    ir_specs(L, node, &specs);
    ir_declarator(L, ir_child(L, node, TF_DECLARATOR), specs.type, &d);
    if (!d.function)
        return d.type;
    return &ir_t_unknown; /* a function type */
}

const struct ir_type *ir_deduce_auto(struct lower *L, const struct ir_type *placeholder,
                                     const struct ir_type *init, uint32_t declarator)
{
    enum ir_node_kind k = declarator ? ir_kind(L, declarator) : TK_OTHER;
    const struct ir_type *t = cmpd_ir_strip_ref(init);
    if (k == TK_POINTER_DECLARATOR) {
        t = ir_decay(L->arena, t);
        t = t->kind == IR_T_PTR ? t->elem : &ir_t_unknown;
    } else if (k != TK_REFERENCE_DECLARATOR && k != TK_ARRAY_DECLARATOR) {
        t = ir_decay(L->arena, t);
    }
    struct ir_type *copy = ir_type_copy(L->arena, t);
    if (k != TK_REFERENCE_DECLARATOR && k != TK_POINTER_DECLARATOR)
        copy->is_const = copy->is_volatile = false; /* a copy of a const value is not const */
    copy->is_auto = true;
    copy->is_const |= placeholder->is_const;
    return copy;
}

/* ---- template arguments ---- */

/* A type_descriptor that is one name and no type: a value argument. */
static uint32_t value_name(struct lower *L, uint32_t desc)
{
    uint32_t type = ir_child(L, desc, TF_TYPE);
    if (!type || ir_child(L, desc, TF_DECLARATOR) || ir_child_kind(L, desc, TK_TYPE_QUALIFIER))
        return 0;
    enum ir_node_kind k = ir_kind(L, type);
    if (k != TK_TYPE_ID && k != TK_QUALIFIED_ID)
        return 0;
    struct qname q;
    ir_split_name(L, type, &q);
    uint32_t args, name = ir_name_and_args(L, q.last, &args);
    const struct binding *b = ir_lookup_name(L, &q, ir_symbol_of(L, name));
    return b && b->kind != BIND_TYPE ? type : 0;
}

static struct ir_targ one_arg(struct lower *L, uint32_t node)
{
    struct ir_targ arg = {NULL, NULL};
    if (L->n[node].kind != TK_TYPE_DESCRIPTOR) {
        arg.value = ir_expr(L, node);
        return arg;
    }
    uint32_t value = value_name(L, node);
    if (value)
        arg.value = ir_name_expr(L, value);
    else
        arg.type = ir_type_descriptor(L, node);
    return arg;
}

const struct ir_targ *ir_template_args(struct lower *L, uint32_t list, size_t *count)
{
    size_t n = 0;
    FOR_CHILDREN(L, c, list)
    n += (L->n[c].flags & TN_NAMED) != 0;
    struct ir_targ *args = CMPD_ARENA_ARRAY(L->arena, struct ir_targ, n + 1);
    *count = 0;
    FOR_CHILDREN(L, c, list)
    if (L->n[c].flags & TN_NAMED)
        args[(*count)++] = one_arg(L, c);
    return args;
}
