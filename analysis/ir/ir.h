/*
 * The intermediate form between tree-sitter's tree and everything that reasons
 * about a file: typed expressions and statements with resolved names. What the
 * lowering does not understand is IR_X_UNKNOWN or IR_S_UNKNOWN, and unknown is
 * never a fault.
 *
 * All nodes live in one arena (the module's) and are immutable after lowering.
 * Offsets are offsets in the SOURCE (already mapped back through the unit).
 */
#ifndef CMPD_ANALYSIS_IR_IR_H
#define CMPD_ANALYSIS_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/base/err.h"
#include "analysis/text/unit.h"

struct cmpd_ast; /* analysis/syntax/ast.h */
struct ir_expr;
struct ir_stmt;
struct ir_func;
struct ir_struct;
struct ir_var;

struct ir_loc {
    uint32_t off, end; /* source bytes [off, end) */
    bool in_macro;     /* the text came from a macro's expansion; off..end is the macro's use */
};

/* ---- types ---- */

enum ir_type_kind {
    IR_T_UNKNOWN, /* a name that the file does not define, a dependent type, auto that stayed open */
    IR_T_VOID,
    IR_T_BOOL,
    IR_T_INT,    /* all integers, char and enum; width in size, sign in is_signed */
    IR_T_FLOAT,  /* half, bfloat16, float, double; width in size */
    IR_T_PTR,    /* elem */
    IR_T_REF,    /* elem; lvalue and rvalue references */
    IR_T_ARRAY,  /* elem, extent (NULL: unsized) */
    IR_T_STRUCT, /* record: struct, class, union, CUDA vector types (float4, dim3, __half2 ...) */
    IR_T_TPARAM, /* a type parameter of the enclosing template: tparam */
};

struct ir_type {
    enum ir_type_kind kind;
    uint32_t size;  /* bytes; 0: not known here (arrays: see extent) */
    uint32_t align; /* bytes; 0: not known */
    bool is_signed, is_const, is_volatile, is_restrict;
    bool is_auto;     /* declared auto; kind is the deduced one where that was plain to see */
    const char *name; /* as written, without qualifiers: "float", "RowStats"; may be NULL */
    const struct ir_type *elem;     /* PTR, REF, ARRAY */
    const struct ir_expr *extent;   /* ARRAY: number of elements; NULL: [] */
    const struct ir_struct *record; /* STRUCT: NULL if the file does not define it */
    const struct ir_targ *targs; /* Tile<float, 4>: with defaults; std::vector<int>: as written */
    size_t targ_count;
    int tparam; /* TPARAM: index into the function's template parameters */
};

struct ir_field {
    const char *name;
    const struct ir_type *type;
    uint32_t offset;            /* bytes; valid if the record's size is known */
    const struct ir_expr *init; /* default member initialiser, may be NULL */
    bool is_static;
};

struct ir_struct {
    const char *name;
    const char *scope;            /* "ns::Outer" or "" */
    const struct ir_type **bases; /* as written; those of other files are UNKNOWN */
    size_t base_count;
    const struct ir_struct *primary; /* of an instance or specialisation: the class template */
    struct ir_field *fields;
    size_t field_count;
    uint32_t size, align; /* 0: not known (virtual, bases, templates, bit-fields ...) */
    bool is_union, has_bases, is_template;
    bool builtin; /* CUDA vector type, dim3, half2 ... */
};

/* ---- variables ---- */

enum ir_storage {
    IR_V_LOCAL,
    IR_V_PARAM,
    IR_V_SHARED,         /* __shared__, sized */
    IR_V_SHARED_DYNAMIC, /* extern __shared__ T x[] */
    IR_V_DEVICE,         /* __device__ or __managed__ at namespace scope */
    IR_V_CONSTANT,       /* __constant__ */
    IR_V_GLOBAL, /* any other namespace-scope variable, static members, constexpr constants */
    IR_V_STATIC, /* static local */
    IR_V_TPARAM, /* non-type template parameter: tparam */
};

struct ir_var {
    const char *name;
    const struct ir_type *type;
    enum ir_storage storage;
    int slot;   /* LOCAL, PARAM, SHARED*, STATIC: unique within the function, from 0; else -1 */
    int tparam; /* TPARAM: index; else -1 */
    const struct ir_expr *init; /* may be NULL; constructor arguments and braces: IR_X_INIT */
    struct ir_loc loc;          /* of the name */
    const struct ir_func *func; /* NULL at namespace scope */
    bool is_constexpr, is_const, is_static;
    bool is_pack;       /* a parameter pack: T... args */
    bool is_assigned;   /* it, or a part, is assigned, stepped or written by asm after its start */
    bool address_taken; /* &x, bound to a reference, or captured by reference in a lambda */
};

/* ---- expressions ---- */

enum ir_expr_kind {
    IR_X_UNKNOWN, /* children that were understood are in args (they may have effects) */
    IR_X_INT,     /* ival */
    IR_X_FLOAT,   /* fval */
    IR_X_STRING,  /* name: the text as written, without quotes and prefix */
    IR_X_NULLPTR,
    IR_X_VAR, /* var */
    IR_X_NAME, /* a name the file does not define: name (std::min, FLT_MAX, blockSize of a header ...) */
    IR_X_FUNC, /* a function of the file: func (first of overloads; call resolution is by call) */
    IR_X_BUILTIN, /* threadIdx.x and the like: builtin, dim */
    IR_X_UNARY,   /* op, a */
    IR_X_BINARY,  /* op, a, b */
    IR_X_LAND,
    IR_X_LOR,    /* a, b */
    IR_X_ASSIGN, /* a = b; op != IR_OP_NONE: a op= b */
    IR_X_INCDEC, /* a; op ADD or SUB; postfix */
    IR_X_COND,   /* a ? b : c */
    IR_X_COMMA,  /* a, b */
    /*
     * CALL: callee a (VAR, NAME, FUNC, MEMBER ...), args, func if resolved, targs. An operator that the
     * file overloads is a CALL too: of FUNC "operator+" with both operands, or of MEMBER "operator[]" on
     * the object. `throw x` is a CALL of NAME "throw".
     */
    IR_X_CALL,
    IR_X_INDEX,  /* a[b] */
    IR_X_MEMBER, /* a.name; arrow: a->name; field index in `field` if the record is known, else -1 */
    IR_X_DEREF,  /* *a */
    IR_X_ADDR,   /* &a */
    IR_X_CAST,   /* type, a; cast */
    IR_X_SIZEOF, /* type of the operand in sizeof_type (always set; for sizeof expr its type) */
    /*
     * INIT: T(args), T{args}, {args}, T x(args): type (UNKNOWN if it has none), args; paren; func: the
     * constructor if the file has one. A designated element {.x = 1} is an ASSIGN whose a is NAME "x";
     * in {[3] = 1} its a is an INDEX without a.
     */
    IR_X_INIT,
    IR_X_LAUNCH, /* a<<<grid, block, shared, stream>>>(args): launch */
    IR_X_LAMBDA, /* lambda */
    IR_X_NEW,    /* type; args; b: array length or NULL; placement */
    IR_X_DELETE, /* a */
    IR_X_THIS,
};

enum ir_op {
    IR_OP_NONE,
    IR_OP_ADD,
    IR_OP_SUB,
    IR_OP_MUL,
    IR_OP_DIV,
    IR_OP_MOD,
    IR_OP_AND,
    IR_OP_OR,
    IR_OP_XOR,
    IR_OP_SHL,
    IR_OP_SHR,
    IR_OP_EQ,
    IR_OP_NE,
    IR_OP_LT,
    IR_OP_LE,
    IR_OP_GT,
    IR_OP_GE,
    IR_OP_NEG,
    IR_OP_NOT /* ! */,
    IR_OP_COMPL /* ~ */,
    IR_OP_PLUS,
};

enum ir_builtin { IR_B_THREAD_IDX, IR_B_BLOCK_IDX, IR_B_BLOCK_DIM, IR_B_GRID_DIM, IR_B_WARP_SIZE };

enum ir_cast { IR_CAST_C, IR_CAST_STATIC, IR_CAST_REINTERPRET, IR_CAST_CONST, IR_CAST_FUNCTIONAL };

/* A template argument as written: exactly one of the two is set. */
struct ir_targ {
    const struct ir_type *type;
    const struct ir_expr *value;
};

struct ir_launch {
    const struct ir_expr *callee;
    const struct ir_func *kernel; /* NULL if the file does not define it */
    const struct ir_targ *targs;  /* explicit template arguments of the kernel */
    size_t targ_count;
    const struct ir_expr *grid, *block;    /* dim3 or integer expressions; NULL with config */
    const struct ir_expr *shared, *stream; /* NULL: not given */
    const struct ir_expr *config; /* cudaLaunchKernelEx, -ExC: the first argument; else NULL */
    bool via_api;      /* cudaLaunchKernel(&k, grid, block, args, ...), cudaLaunchKernelEx ... */
    bool args_unknown; /* the argument array could not be followed: args is empty */
};

struct ir_lambda {
    const struct ir_func *func; /* parameters and body; captured names are the outer function's */
    bool by_reference;          /* default capture & or any &name */
};

struct ir_expr {
    enum ir_expr_kind kind;
    struct ir_loc loc;
    const struct ir_type *type; /* never NULL; kind UNKNOWN where not plain to see */
    enum ir_op op;
    const struct ir_expr *a, *b, *c;
    const struct ir_expr **args;
    size_t arg_count;
    union {
        int64_t ival; /* INT; unsigned values wrap into it, see type */
        double fval;
        const struct ir_var *var;
        const struct ir_func *func; /* FUNC; CALL: what it calls; INIT: the constructor */
        struct {
            enum ir_builtin builtin;
            int dim; /* 0 x, 1 y, 2 z; -1: the whole dim3/uint3 */
        };
        const struct ir_type *sizeof_type;
        const struct ir_launch *launch; /* LAUNCH: args hold the kernel's arguments */
        const struct ir_lambda *lambda;
        int field; /* MEMBER */
    };
    /* NAME: qualified as written; MEMBER: the member; CALL of a NAME or MEMBER: that name */
    const char *name;
    const struct ir_targ *targs; /* CALL: explicit template arguments */
    size_t targ_count;
    enum ir_cast cast;
    bool arrow, postfix, paren, placement, is_alignof;
};

/* ---- statements ---- */

enum ir_stmt_kind {
    IR_S_UNKNOWN, /* an ERROR node or a construct not understood; exprs found inside are in `exprs` */
    IR_S_EMPTY,
    IR_S_EXPR,      /* x */
    IR_S_DECL,      /* var (one statement a variable); its init is evaluated here */
    IR_S_BLOCK,     /* body[] */
    IR_S_IF,        /* init, x, body[0] then, body[1] else (may be NULL); is_constexpr */
    IR_S_FOR,       /* init (stmt), x (may be NULL: true), step (may be NULL), body[0] */
    IR_S_WHILE,     /* x, body[0] */
    IR_S_DO,        /* body[0], x */
    IR_S_RANGE_FOR, /* var, x (range), body[0] */
    IR_S_SWITCH,    /* x, body[0] (block whose statements include CASE labels) */
    IR_S_CASE,      /* label: x; NULL: default */
    IR_S_BREAK,
    IR_S_CONTINUE,
    IR_S_RETURN, /* x may be NULL */
    IR_S_GOTO,
    IR_S_LABEL, /* name */
    IR_S_ASM, /* asm: args hold all operands' expressions, outputs first; is_volatile; name: the text */
    IR_S_TRY, /* body[0]; handlers are dropped */
};

struct ir_stmt {
    enum ir_stmt_kind kind;
    struct ir_loc loc;
    const struct ir_expr *x, *step;
    const struct ir_stmt *init;
    const struct ir_var *var;
    const struct ir_stmt **body;
    size_t body_count;
    const struct ir_expr **exprs; /* UNKNOWN, ASM: operands */
    size_t expr_count;
    size_t asm_outputs; /* ASM: how many of exprs are outputs */
    const char *name;
    int unroll; /* loops: #pragma unroll before it: -1 none, 0 full, N */
    bool is_constexpr, is_volatile;
};

/* ---- functions and the module ---- */

enum ir_func_kind {
    IR_F_HOST,
    IR_F_KERNEL,      /* __global__ */
    IR_F_DEVICE,      /* __device__ */
    IR_F_HOST_DEVICE, /* both */
};

struct ir_tparam {
    const char *name;
    bool is_type; /* typename/class; else a value */
    bool is_pack;
    const struct ir_type *type; /* of a value parameter; the default of a type's, may be NULL */
    const struct ir_expr *def;  /* value parameters: default, may be NULL */
    const struct ir_var *var;   /* value parameters: the variable that expressions refer to */
};

struct ir_func {
    const char *name;  /* unqualified: "launch", "operator()" */
    const char *scope; /* "ns::Class" or "" */
    enum ir_func_kind kind;
    const struct ir_type *ret;
    struct ir_var **params;
    size_t param_count;
    struct ir_tparam *tparams;
    size_t tparam_count;
    struct ir_var **vars;       /* every variable with a slot, in slot order (params first) */
    size_t var_count;           /* number of slots */
    const struct ir_stmt *body; /* NULL: only declared */
    struct ir_loc loc;          /* from the first specifier (or `template`) to the closing brace */
    struct ir_loc name_loc;     /* of the name; for a kernel the `__global__` line may be earlier */
    uint32_t global_off;        /* kernels: source offset of `__global__` */
    bool is_static, is_method, is_lambda, is_extern_c, is_variadic, is_specialization;
    bool is_defined;     /* the file holds its body */
    bool is_constructor; /* its member initialisers head the body as assignments to this->member */
    const struct ir_targ *spec_targs; /* template<> k<float, 4>: the arguments as written */
    size_t spec_targ_count;
    const struct ir_struct *record; /* methods: the class, if known */
    const struct ir_expr *launch_bounds_threads, *launch_bounds_blocks; /* may be NULL */
    bool has_error; /* an ERROR or MISSING node, or an UNKNOWN, lies inside */
    uint32_t index; /* position in the module's funcs */
};

/* An explicit instantiation `template __global__ void k<float, 4>(...);` or `template void f<...>(...)`. */
struct ir_instantiation {
    const struct ir_func *func; /* NULL if not of this file */
    const char *name;
    const struct ir_targ *targs;
    size_t targ_count;
    struct ir_loc loc;
};

struct ir_module {
    const struct cmpd_unit *unit; /* borrowed */
    struct cmpd_arena *arena;     /* borrowed; owns all nodes */
    struct ir_func **funcs; /* definitions and declarations in order; methods and lambdas too */
    size_t func_count;
    struct ir_var **globals; /* namespace scope */
    size_t global_count;
    struct ir_struct **structs;
    size_t struct_count;
    struct ir_instantiation *instantiations;
    size_t instantiation_count;
    uint32_t error_count; /* ERROR and MISSING nodes met */
};

/* Never fails on odd input; what it cannot read is unknown. */
struct ir_module *cmpd_ir_lower(const struct cmpd_ast *ast, struct cmpd_arena *arena);

/* Definition of a function by name (unqualified), arity-compatible with arg_count; NULL if none or if several fit
 * and differ in more than templates. Used by lowering for calls and by rules. */
const struct ir_func *cmpd_ir_find_func(const struct ir_module *m, const char *name,
                                        size_t arg_count);

/* Walk every expression below a statement or expression, parents first. visit returns false to skip the children. */
typedef bool (*cmpd_ir_visit_expr)(const struct ir_expr *x, void *ctx);
void cmpd_ir_walk_expr(const struct ir_expr *x, cmpd_ir_visit_expr visit, void *ctx);
void cmpd_ir_walk_stmt(const struct ir_stmt *s, cmpd_ir_visit_expr visit, void *ctx);
typedef bool (*cmpd_ir_visit_stmt)(const struct ir_stmt *s, void *ctx);
void cmpd_ir_walk_stmts(const struct ir_stmt *s, cmpd_ir_visit_stmt visit, void *ctx);

/* The type without references; the element type of pointer/array/reference or NULL. */
const struct ir_type *cmpd_ir_strip_ref(const struct ir_type *t);

/* Well-known types by name ("float", "unsigned int", "float4", "__half", "size_t", "int64_t"...): static or in a
 * builtin table; NULL if not well known. */
const struct ir_type *cmpd_ir_builtin_type(const char *name, size_t len);

/* A readable dump of the module for tests and debugging (`cmpd check --dump-ir` is not offered). */
struct cmpd_buf;
void cmpd_ir_dump(const struct ir_module *m, struct cmpd_buf *out);

#endif
