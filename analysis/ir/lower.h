/*
 * The lowering's own state and the calls between its files. Nothing here is
 * for others: they see ir.h.
 */
#ifndef CMPD_ANALYSIS_IR_LOWER_H
#define CMPD_ANALYSIS_IR_LOWER_H

#include "analysis/ir/ir.h"
#include "analysis/ir/tree.h"

/* ---- names ---- */

enum bind_kind {
    BIND_VAR,
    BIND_FUNC,
    BIND_TYPE,
    BIND_ENUM,      /* an enumerator whose value is known */
    BIND_FIELD,     /* a data member, seen from inside its class */
    BIND_NAMESPACE, /* an alias: target */
};

struct symbol;

#define IR_CONSTRUCTOR "<constructor>"

/* One meaning of a name. Local ones are popped at the end of their scope, the others stay. */
struct binding {
    struct binding *older;  /* of the same name */
    struct binding *scoped; /* local: the one bound before it in any name */
    struct symbol *sym;
    const char *scope; /* "ns::Class" or ""; NULL: local */
    enum bind_kind kind;
    int64_t ival; /* ENUM */
    union {
        struct ir_var *var;
        struct ir_func *func;
        const struct ir_type *type; /* TYPE, ENUM */
        const char *target;
        struct {
            const struct ir_struct *record;
            int field;
        };
    };
};

struct symbol {
    const char *name;
    uint32_t len, hash;
    struct symbol *next;
    struct binding *top;
    const struct ir_type *builtin; /* a well-known type of that name */
    int8_t builtin_var;            /* 1 + enum ir_builtin; 0: none */
    bool is_keyword_type;          /* unsigned, long ...: a type wherever it stands */
};

/* Template parameters in force, innermost first. */
struct tframe {
    struct tframe *outer;
    struct ir_tparam *params;
    size_t count;
    size_t base;      /* index of its first parameter in the function's list */
    uint32_t node;    /* the template_declaration */
    bool is_explicit; /* template <> */
};

/* What a body sees besides local names. */
struct context {
    const char *scope;              /* namespace or class path */
    const struct ir_struct *record; /* the class whose members are seen, or NULL */
    struct tframe *tframe;
    bool extern_c;
    bool local; /* inside a body: what is declared is popped with its scope */
};

/* A record of the file; ir_struct comes first, so that one can be seen as the other. */
struct record_full {
    struct ir_struct rec;
    struct tframe *frame;  /* class templates: the parameters */
    uint32_t min_align;    /* alignas */
    const char *spec_name; /* specialisations: "P<int>", the path of their members; else NULL */
    bool complete, no_layout;
};

/* The function whose body is being lowered. */
struct fn_state {
    struct fn_state *outer;
    struct ir_func *func;
    size_t var_cap;
    bool returned;   /* a return stood in the body */
    bool deduce_ret; /* auto without a trailing type */
    bool by_ref;     /* a lambda that captures by reference */
};

/* A body that waits until all names of the file (or the class) are known. */
struct pending {
    struct ir_func *func;
    uint32_t node; /* function_definition */
    struct context ctx;
};

struct ptr_list {
    void **items;
    size_t count, cap;
};

/* What a class template becomes with these arguments. */
struct record_spec {
    const struct ir_struct *primary;
    const struct ir_struct *record; /* the specialisation or instance */
    const struct ir_targ *targs;
    size_t targ_count;
    bool partial;
};

#define SYMBOL_BUCKETS 4096

struct lower {
    const struct cmpd_unit *unit;
    const char *text;
    struct cmpd_arena *arena;
    struct ir_tnode *n;
    uint32_t count;
    struct ir_module *m;
    struct symbol *buckets[SYMBOL_BUCKETS];
    struct binding *locals; /* newest local binding */
    struct binding *spare;  /* popped ones, to use again */
    struct context ctx;
    struct fn_state *fn;
    struct ptr_list funcs, globals, structs, instantiations;
    struct pending *pending;
    size_t pending_count, pending_cap;
    struct record_spec *specs;
    size_t spec_count, spec_cap;
    struct ptr_list launches; /* struct pending_launch, see lower_launch.c */
    unsigned depth, instance_depth;
    unsigned anon;   /* names handed to what has none */
    size_t run_hint; /* the run that was asked for last */
    bool too_deep;
};

#define FOR_CHILDREN(L, c, p) for (uint32_t c = (p) + 1; (c) < (L)->n[p].skip; (c) = (L)->n[c].skip)

/* ---- tree helpers (lower.c) ---- */

uint32_t ir_child(const struct lower *L, uint32_t p, enum ir_node_field field); /* 0: none */
uint32_t ir_child_kind(const struct lower *L, uint32_t p, enum ir_node_kind kind);
uint32_t ir_first_child(const struct lower *L, uint32_t p);
static inline enum ir_node_kind ir_kind(const struct lower *L, uint32_t n)
{
    return (enum ir_node_kind)L->n[n].kind;
}
static inline const char *ir_text(const struct lower *L, uint32_t n, size_t *len)
{
    *len = L->n[n].end - L->n[n].start;
    return L->text + L->n[n].start;
}
bool ir_text_is(const struct lower *L, uint32_t n, const char *word);
char *ir_dup_text(const struct lower *L, uint32_t n); /* runs of white space become one blank */
struct ir_loc ir_loc_of(struct lower *L, uint32_t n);
struct ir_loc ir_loc_span(struct lower *L, uint32_t start, uint32_t end);
void ir_push(struct ptr_list *list, void *item);
void ir_add_pending(struct lower *L, const struct pending *p);
void ir_flush_pending(struct lower *L, size_t from);
/* True once nesting is too deep; pair with ir_leave. */
bool ir_enter(struct lower *L);
void ir_leave(struct lower *L);
void ir_mark_error(struct lower *L); /* in the function at hand */

/* ---- scope.c ---- */

struct symbol *ir_symbol(struct lower *L, const char *name, size_t len);
struct symbol *ir_symbol_of(struct lower *L, uint32_t n);
struct binding *ir_scope_open(struct lower *L); /* pass the result to close */
void ir_scope_close(struct lower *L, struct binding *mark);
struct binding *ir_bind(struct lower *L, struct symbol *sym, enum bind_kind kind, bool local);
struct binding *ir_lookup(struct lower *L, const struct symbol *sym);
/* qual: "a::B", may be "" (then global scope alone) or NULL (unqualified) */
struct binding *ir_lookup_in(struct lower *L, const struct symbol *sym, const char *qual);
const char *ir_join_scope(struct lower *L, const char *outer, const char *inner);
const char *ir_record_path(struct lower *L, const struct ir_struct *rec);

/* ---- types.c ---- */

extern const struct ir_type ir_t_unknown, ir_t_void, ir_t_bool, ir_t_char, ir_t_schar, ir_t_uchar,
    ir_t_short, ir_t_ushort, ir_t_int, ir_t_uint, ir_t_long, ir_t_ulong, ir_t_longlong,
    ir_t_ulonglong, ir_t_size, ir_t_float, ir_t_double, ir_t_half, ir_t_bf16, ir_t_nullptr,
    ir_t_dim3, ir_t_uint3, ir_t_error;

const struct ir_type *ir_decay(struct cmpd_arena *a, const struct ir_type *t);
const struct ir_type *ir_ptr_to(struct cmpd_arena *a, const struct ir_type *t);
const struct ir_type *ir_ref_to(struct cmpd_arena *a, const struct ir_type *t);
const struct ir_type *ir_array_of(struct cmpd_arena *a, const struct ir_type *t,
                                  const struct ir_expr *extent);
struct ir_type *ir_type_copy(struct cmpd_arena *a, const struct ir_type *t);
const struct ir_type *ir_promote(const struct ir_type *t);
const struct ir_type *ir_arith(const struct ir_type *a, const struct ir_type *b);
const struct ir_type *ir_binary_type(struct cmpd_arena *arena, enum ir_op op,
                                     const struct ir_type *a, const struct ir_type *b);
const struct ir_type *ir_common_type(struct cmpd_arena *arena, const struct ir_type *a,
                                     const struct ir_type *b);
bool ir_is_arith(const struct ir_type *t);
bool ir_same_type(const struct ir_type *a, const struct ir_type *b); /* without top-level const */
bool ir_is_dependent(const struct ir_type *t);
const char *ir_unqualified(
    const char *name); /* behind the last "::" outside of template arguments */

/* ---- builtins.c ---- */

/* The return type of a function that the file does not define; NULL: not well known. */
const struct ir_type *ir_known_call_type(struct cmpd_arena *arena, const char *name,
                                         const struct ir_expr *const *args, size_t count,
                                         const struct ir_targ *targs, size_t targ_count);
const struct ir_type *ir_known_method_type(const char *name, const struct ir_expr *const *args,
                                           size_t count);
const struct ir_type *ir_known_name_type(const char *name);

/* ---- literal.c ---- */

void ir_number(const char *s, size_t len, struct ir_expr *out);
int64_t ir_char_value(const char *s, size_t len, const struct ir_type **type);

/* ---- constant.c ---- */

bool ir_const_int(const struct ir_expr *x, int64_t *out);
bool ir_type_size(const struct ir_type *t, uint64_t *size, uint32_t *align); /* arrays too */

/* ---- subst.c ---- */

struct tsubst {
    struct lower *L;
    const struct ir_targ *targs;
    size_t count;
    unsigned depth;
};
const struct ir_type *ir_subst_type(struct tsubst *s, const struct ir_type *t);
const struct ir_expr *ir_subst_expr(struct tsubst *s, const struct ir_expr *x);
bool ir_expr_dependent(const struct ir_expr *x);
/* The arguments of f's template parameters in a call, as far as given or deduced: f->tparam_count of them. */
struct ir_targ *ir_bind_targs(struct lower *L, const struct ir_func *f,
                              const struct ir_expr *const *args, size_t count,
                              const struct ir_targ *targs, size_t targ_count,
                              const struct ir_type *object);
bool ir_same_targ(const struct ir_targ *p, const struct ir_targ *q);
/* The return type of a call of f: template arguments given, then deduced. */
const struct ir_type *ir_call_type(struct lower *L, const struct ir_func *f,
                                   const struct ir_expr *const *args, size_t count,
                                   const struct ir_targ *targs, size_t targ_count,
                                   const struct ir_type *object);
/* The arguments of a class template of the file with its defaults behind them. */
const struct ir_targ *ir_with_defaults(struct lower *L, const struct ir_struct *primary,
                                       const struct ir_targ *targs, size_t count,
                                       size_t *out_count);
/* A class template with arguments: the specialisation or an instance made of the primary. */
const struct ir_struct *ir_instantiate(struct lower *L, const struct ir_struct *primary,
                                       const struct ir_targ *targs, size_t count);

/* ---- lower_type.c ---- */

struct specs {
    const struct ir_type *type;
    bool is_const, is_volatile, is_constexpr, is_static, is_extern, is_inline, is_friend,
        is_typedef;
    bool shared, constant, device, host, global, managed;
    uint32_t global_node, launch_bounds, type_node;
};

struct declarator {
    const struct ir_type *type;
    uint32_t name; /* node; 0: abstract */
    uint32_t
        function; /* function_declarator (or abstract) right round the name; 0: not a function */
    uint32_t bindings; /* structured_binding_declarator */
    bool is_pack;
};

/* A qualified name in parts. */
struct qname {
    const char
        *qual;     /* "a::B" without template arguments, "" for a leading ::; NULL: not qualified */
    uint32_t last; /* node of the last component */
    uint32_t owner; /* the scope right before it when that is a template-id, else 0 */
};
void ir_split_name(struct lower *L, uint32_t node, struct qname *out);
/* Look-up of the last component with the qualifier in front of it. */
struct binding *ir_lookup_name(struct lower *L, const struct qname *q, const struct symbol *sym);
/* The node of the plain name and that of its template arguments (0: none) of a last component. */
uint32_t ir_name_and_args(struct lower *L, uint32_t node, uint32_t *args);

void ir_specs(struct lower *L, uint32_t node, struct specs *out);
const struct ir_type *ir_type_node(struct lower *L, uint32_t node); /* a type_specifier */
const struct ir_type *ir_type_descriptor(struct lower *L, uint32_t node);
void ir_declarator(struct lower *L, uint32_t node, const struct ir_type *base,
                   struct declarator *out);
const struct ir_type *ir_qualify(struct lower *L, const struct ir_type *t, bool is_const,
                                 bool is_volatile);
const struct ir_targ *ir_template_args(struct lower *L, uint32_t list, size_t *count);
const struct ir_type *ir_type_of_name(struct lower *L,
                                      uint32_t node); /* an identifier that names a type; NULL */
const struct ir_type *ir_type_of_expr(
    struct lower *L, uint32_t node); /* an expression node that names a type; NULL */
const struct ir_type *ir_deduce_auto(struct lower *L, const struct ir_type *placeholder,
                                     const struct ir_type *init, uint32_t declarator);

/* ---- lower_expr.c and its like ---- */

struct ir_expr *ir_new_expr(struct lower *L, enum ir_expr_kind kind, uint32_t node,
                            const struct ir_type *type);
struct ir_expr *ir_unknown_expr(struct lower *L,
                                uint32_t node); /* with the children that can be read */
const struct ir_expr *ir_int_expr(struct lower *L, uint32_t node, int64_t v,
                                  const struct ir_type *type);
const struct ir_expr *ir_expr(struct lower *L, uint32_t node);
const struct ir_expr *ir_this_expr(struct lower *L, uint32_t node);
const struct ir_expr *ir_initializer(struct lower *L, uint32_t node, const struct ir_type *type);
const struct ir_expr *ir_name_expr(struct lower *L, uint32_t node);
const struct ir_expr *ir_binding_expr(struct lower *L, uint32_t node, struct binding *b);
const struct ir_expr *ir_member_expr(struct lower *L, uint32_t node, const struct ir_expr *obj,
                                     bool arrow, const char *name);
const struct ir_expr *ir_binary_expr(struct lower *L, uint32_t node, enum ir_op op, int logical,
                                     const struct ir_expr *a, const struct ir_expr *b);
const struct ir_expr *ir_arith_node(struct lower *L,
                                    uint32_t node); /* unary, binary ... in lower_arith.c */
const struct ir_expr *ir_call_node(struct lower *L, uint32_t node); /* lower_call.c */
const struct ir_expr *ir_launch_node(struct lower *L, uint32_t node,
                                     uint32_t config); /* lower_launch.c */
const struct ir_expr *ir_launch_api(struct lower *L, uint32_t node, const char *name,
                                    const struct ir_expr *const *args, size_t count);
void ir_finish_launches(struct lower *L);
const struct ir_expr *ir_lambda_node(struct lower *L, uint32_t node); /* lower_func.c */
const struct ir_expr **ir_arg_list(struct lower *L, uint32_t list, size_t *count);
const struct ir_expr *ir_construct(struct lower *L, uint32_t node, const struct ir_type *type,
                                   const struct ir_expr **args, size_t count, bool paren);
const struct ir_expr *ir_make_call(struct lower *L, uint32_t node, const struct ir_expr *callee,
                                   const struct ir_expr **args, size_t count);
const struct ir_expr *ir_call_operator(struct lower *L, uint32_t node, const char *op,
                                       const struct ir_expr *a,
                                       const struct ir_expr *b); /* NULL: not overloaded */
/* What std::vector<float> and its like hold; NULL: no container that we know. */
const struct ir_type *ir_container_elem(const struct ir_type *t);
void ir_take_address(const struct ir_expr *x);
void ir_mark_assigned(const struct ir_expr *x);
/* Expressions that tree-sitter reads as template calls: repair.c. 0: nothing to repair. */
bool ir_needs_repair(struct lower *L, uint32_t node);
const struct ir_expr *ir_repair(struct lower *L, uint32_t node);

/* ---- resolve.c ---- */

/* The function that a call means, or NULL. sym's bindings that agree with qual (NULL: unqualified) are the choice. */
const struct ir_func *ir_resolve(struct lower *L, const char *name, const char *scope,
                                 const struct ir_expr *const *args, size_t count,
                                 const struct ir_targ *targs, size_t targ_count);
const struct ir_func *ir_resolve_method(struct lower *L, const struct ir_type *object,
                                        const char *name, const struct ir_expr *const *args,
                                        size_t count);
bool ir_arity_fits(const struct ir_func *f, size_t count);

/* ---- attr.c ---- */

/* The attribute of that name in the text [from, to), or before `from` with only blanks between; NULL: none. */
const struct cmpd_attr *ir_attr_in(const struct lower *L, uint32_t from, uint32_t to,
                                   const char *name);
const struct cmpd_attr *ir_attr_behind(const struct lower *L, uint32_t end, const char *name);
/* Its arguments as integer expressions; how many could be read. */
size_t ir_attr_args(struct lower *L, const struct cmpd_attr *attr, const struct ir_expr **out,
                    size_t count);
/* The alignment that an attribute asks for of what is declared; 0: none, UINT32_MAX: one that is not known. */
uint32_t ir_attr_align(struct lower *L, uint32_t node, uint32_t head_end);

/* ---- statements: lower_stmt.c, lower_decl.c ---- */

struct stmt_list {
    const struct ir_stmt **items;
    size_t count, cap;
};
struct ir_stmt *ir_new_stmt(struct lower *L, enum ir_stmt_kind kind, uint32_t node);
void ir_stmt_append(struct lower *L, struct stmt_list *out, uint32_t node);
const struct ir_stmt *ir_stmt_one(struct lower *L, uint32_t node); /* never NULL */
const struct ir_stmt *ir_compound(struct lower *L, uint32_t node); /* opens a scope */
void ir_list_add(struct stmt_list *list, const struct ir_stmt *s);
const struct ir_stmt *ir_list_block(struct lower *L, struct stmt_list *list, uint32_t node);
void ir_local_declaration(struct lower *L, uint32_t node, struct stmt_list *out);
const struct ir_stmt *ir_decl_stmt(struct lower *L, uint32_t node, struct ir_var *var);
bool ir_recover_declaration(struct lower *L, uint32_t expr, struct stmt_list *out);
struct ir_var *ir_new_local(struct lower *L, uint32_t name_node, const struct ir_type *type,
                            enum ir_storage storage);
struct ir_var *ir_unnamed_local(struct lower *L, uint32_t node, const struct ir_type *type);
void ir_bind_structured(struct lower *L, uint32_t bindings);
bool ir_declares_function(struct lower *L, uint32_t function_declarator, bool local,
                          const struct ir_type *ret);
const struct ir_expr **ir_params_as_args(struct lower *L, uint32_t param_list, size_t *count);
int ir_unroll_before(struct lower *L, uint32_t node);
const struct ir_stmt *ir_unknown_stmt(struct lower *L, uint32_t node);

/* ---- lower_func.c, lower_class.c, lower_top.c ---- */

void ir_top_item(struct lower *L, uint32_t node);
void ir_top_items(struct lower *L, uint32_t parent);
void ir_template_declaration(struct lower *L, uint32_t node);
struct ir_func *ir_declare_function(struct lower *L, uint32_t node, const struct specs *specs,
                                    const struct declarator *d);
void ir_lower_body(struct lower *L, const struct pending *p);
void ir_bind_tframe(struct lower *L, struct tframe *f);
const struct ir_type *ir_define_record(struct lower *L, uint32_t node);
const struct ir_type *ir_define_enum(struct lower *L, uint32_t node);
void ir_type_alias(struct lower *L, uint32_t node);
void ir_type_def(struct lower *L, uint32_t node);
void ir_global_declaration(struct lower *L, uint32_t node);
void ir_namespace_alias(struct lower *L, uint32_t node);
void ir_add_parameters(struct lower *L, struct ir_func *f, uint32_t param_list);
void ir_layout(struct record_full *rec);
struct tframe *ir_template_frame(struct lower *L, uint32_t list, uint32_t node);
struct ir_func *ir_new_func(struct lower *L, uint32_t node, const char *name);

#endif
