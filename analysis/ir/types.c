/*
 * The types that every CUDA file knows, and the rules of C++ for what an
 * operator's result is. x86-64 Linux sizes: that is where nvcc's host half runs.
 */
#include <string.h>

#include "analysis/ir/lower.h"

#define INT_TYPE(var, n, bytes, sign) \
    const struct ir_type var = {      \
        .kind = IR_T_INT, .size = (bytes), .align = (bytes), .is_signed = (sign), .name = (n)}
#define FLOAT_TYPE(var, n, bytes) \
    const struct ir_type var = {  \
        .kind = IR_T_FLOAT, .size = (bytes), .align = (bytes), .is_signed = true, .name = (n)}

const struct ir_type ir_t_unknown = {.kind = IR_T_UNKNOWN};
const struct ir_type ir_t_void = {.kind = IR_T_VOID, .name = "void"};
const struct ir_type ir_t_bool = {.kind = IR_T_BOOL, .size = 1, .align = 1, .name = "bool"};
INT_TYPE(ir_t_char, "char", 1, true);
INT_TYPE(ir_t_schar, "signed char", 1, true);
INT_TYPE(ir_t_uchar, "unsigned char", 1, false);
INT_TYPE(ir_t_short, "short", 2, true);
INT_TYPE(ir_t_ushort, "unsigned short", 2, false);
INT_TYPE(ir_t_int, "int", 4, true);
INT_TYPE(ir_t_uint, "unsigned int", 4, false);
INT_TYPE(ir_t_long, "long", 8, true);
INT_TYPE(ir_t_ulong, "unsigned long", 8, false);
INT_TYPE(ir_t_longlong, "long long", 8, true);
INT_TYPE(ir_t_ulonglong, "unsigned long long", 8, false);
INT_TYPE(ir_t_size, "size_t", 8, false);
static INT_TYPE(t_int128, "__int128", 16, true);
static INT_TYPE(t_ssize, "ssize_t", 8, true);
static INT_TYPE(t_ptrdiff, "ptrdiff_t", 8, true);
static INT_TYPE(t_i8, "int8_t", 1, true);
static INT_TYPE(t_u8, "uint8_t", 1, false);
static INT_TYPE(t_i16, "int16_t", 2, true);
static INT_TYPE(t_u16, "uint16_t", 2, false);
static INT_TYPE(t_i32, "int32_t", 4, true);
static INT_TYPE(t_u32, "uint32_t", 4, false);
static INT_TYPE(t_i64, "int64_t", 8, true);
static INT_TYPE(t_u64, "uint64_t", 8, false);
static INT_TYPE(t_intptr, "intptr_t", 8, true);
static INT_TYPE(t_uintptr, "uintptr_t", 8, false);
static INT_TYPE(t_wchar, "wchar_t", 4, true);
static INT_TYPE(t_char16, "char16_t", 2, false);
static INT_TYPE(t_char32, "char32_t", 4, false);
static INT_TYPE(t_clock, "clock_t", 8, true);
static INT_TYPE(t_time, "time_t", 8, true);
static INT_TYPE(t_texture, "cudaTextureObject_t", 8, false);
static INT_TYPE(t_surface, "cudaSurfaceObject_t", 8, false);
static INT_TYPE(t_deviceptr, "CUdeviceptr", 8, false);
static INT_TYPE(t_memcpy_kind, "cudaMemcpyKind", 4, true);
static INT_TYPE(t_curesult, "CUresult", 4, true);
const struct ir_type ir_t_error = {
    .kind = IR_T_INT, .size = 4, .align = 4, .is_signed = true, .name = "cudaError_t"};
FLOAT_TYPE(ir_t_float, "float", 4);
FLOAT_TYPE(ir_t_double, "double", 8);
FLOAT_TYPE(ir_t_half, "__half", 2);
FLOAT_TYPE(ir_t_bf16, "__nv_bfloat16", 2);
static FLOAT_TYPE(t_longdouble, "long double", 16);

#define HANDLE_TYPE(var, n)             \
    static const struct ir_type var = { \
        .kind = IR_T_PTR, .size = 8, .align = 8, .name = (n), .elem = &ir_t_unknown}
const struct ir_type ir_t_nullptr = {
    .kind = IR_T_PTR, .size = 8, .align = 8, .name = "nullptr_t", .elem = &ir_t_void};
HANDLE_TYPE(t_stream, "cudaStream_t");
HANDLE_TYPE(t_event, "cudaEvent_t");
HANDLE_TYPE(t_graph, "cudaGraph_t");
HANDLE_TYPE(t_graph_exec, "cudaGraphExec_t");
HANDLE_TYPE(t_graph_node, "cudaGraphNode_t");
HANDLE_TYPE(t_mem_pool, "cudaMemPool_t");
HANDLE_TYPE(t_array, "cudaArray_t");
HANDLE_TYPE(t_custream, "CUstream");
HANDLE_TYPE(t_cuevent, "CUevent");
HANDLE_TYPE(t_cucontext, "CUcontext");
HANDLE_TYPE(t_cumodule, "CUmodule");
HANDLE_TYPE(t_cufunction, "CUfunction");
HANDLE_TYPE(t_cublas, "cublasHandle_t");
HANDLE_TYPE(t_cudnn, "cudnnHandle_t");

/* A vector type: fields x, y, z, w of one element type. The tables hold as many fields as counted. */
#define VEC(id, n, elem_type, bytes, al, fields_used)                        \
    static struct ir_field f_##id[] = {                                      \
        {.name = "x", .type = &(elem_type), .offset = 0},                    \
        {.name = "y", .type = &(elem_type), .offset = (bytes)},              \
        {.name = "z", .type = &(elem_type), .offset = 2 * (bytes)},          \
        {.name = "w", .type = &(elem_type), .offset = 3 * (bytes)}};         \
    static const struct ir_struct s_##id = {.name = (n),                     \
                                            .scope = "",                     \
                                            .fields = f_##id,                \
                                            .field_count = (fields_used),    \
                                            .size = (fields_used) * (bytes), \
                                            .align = (al),                   \
                                            .builtin = true};                \
    static const struct ir_type t_##id = {.kind = IR_T_STRUCT,               \
                                          .size = (fields_used) * (bytes),   \
                                          .align = (al),                     \
                                          .name = (n),                       \
                                          .record = &s_##id}

#define VEC4(id, elem_type, bytes, align2, align4)    \
    VEC(id##1, #id "1", elem_type, bytes, bytes, 1);  \
    VEC(id##2, #id "2", elem_type, bytes, align2, 2); \
    VEC(id##3, #id "3", elem_type, bytes, bytes, 3);  \
    VEC(id##4, #id "4", elem_type, bytes, align4, 4)

VEC4(char, ir_t_schar, 1, 2, 4);
VEC4(uchar, ir_t_uchar, 1, 2, 4);
VEC4(short, ir_t_short, 2, 4, 8);
VEC4(ushort, ir_t_ushort, 2, 4, 8);
VEC4(int, ir_t_int, 4, 8, 16);
VEC4(uint, ir_t_uint, 4, 8, 16);
VEC4(long, ir_t_long, 8, 16, 16);
VEC4(ulong, ir_t_ulong, 8, 16, 16);
VEC4(longlong, ir_t_longlong, 8, 16, 16);
VEC4(ulonglong, ir_t_ulonglong, 8, 16, 16);
VEC4(float, ir_t_float, 4, 8, 16);
VEC4(double, ir_t_double, 8, 16, 16);
VEC(double4_32a, "double4_32a", ir_t_double, 8, 32, 4);
VEC(half2, "__half2", ir_t_half, 2, 4, 2);
VEC(bf162, "__nv_bfloat162", ir_t_bf16, 2, 4, 2);
VEC(float2w, "cuFloatComplex", ir_t_float, 4, 8, 2);
VEC(double2w, "cuDoubleComplex", ir_t_double, 8, 16, 2);

static struct ir_field f_dim3[] = {{.name = "x", .type = &ir_t_uint, .offset = 0},
                                   {.name = "y", .type = &ir_t_uint, .offset = 4},
                                   {.name = "z", .type = &ir_t_uint, .offset = 8}};
static const struct ir_struct s_dim3 = {.name = "dim3",
                                        .scope = "",
                                        .fields = f_dim3,
                                        .field_count = 3,
                                        .size = 12,
                                        .align = 4,
                                        .builtin = true};
const struct ir_type ir_t_dim3 = {
    .kind = IR_T_STRUCT, .size = 12, .align = 4, .name = "dim3", .record = &s_dim3};
const struct ir_type ir_t_uint3 = {
    .kind = IR_T_STRUCT, .size = 12, .align = 4, .name = "uint3", .record = &s_uint3};

static struct ir_field f_config[] = {
    {.name = "gridDim", .type = &ir_t_dim3, .offset = 0},
    {.name = "blockDim", .type = &ir_t_dim3, .offset = 12},
    {.name = "dynamicSmemBytes", .type = &ir_t_size, .offset = 24},
    {.name = "stream", .type = &t_stream, .offset = 32},
    {.name = "attrs", .type = &ir_t_nullptr, .offset = 40},
    {.name = "numAttrs", .type = &ir_t_uint, .offset = 48},
};
static const struct ir_struct s_config = {.name = "cudaLaunchConfig_t",
                                          .scope = "",
                                          .fields = f_config,
                                          .field_count = 6,
                                          .size = 56,
                                          .align = 8,
                                          .builtin = true};
static const struct ir_type t_config = {
    .kind = IR_T_STRUCT, .size = 56, .align = 8, .name = "cudaLaunchConfig_t", .record = &s_config};

#define VEC4_ROWS(id)                                                    \
    {#id "1", &t_##id##1}, {#id "2", &t_##id##2}, {#id "3", &t_##id##3}, \
    {                                                                    \
#id "4", &t_##id##4                                              \
    }

static const struct {
    const char *name;
    const struct ir_type *type;
} known[] = {
    {"void", &ir_t_void},
    {"bool", &ir_t_bool},
    {"char", &ir_t_char},
    {"short", &ir_t_short},
    {"int", &ir_t_int},
    {"long", &ir_t_long},
    {"float", &ir_t_float},
    {"double", &ir_t_double},
    {"unsigned", &ir_t_uint},
    {"signed", &ir_t_int},
    {"unsigned int", &ir_t_uint},
    {"unsigned char", &ir_t_uchar},
    {"signed char", &ir_t_schar},
    {"unsigned short", &ir_t_ushort},
    {"unsigned long", &ir_t_ulong},
    {"long long", &ir_t_longlong},
    {"unsigned long long", &ir_t_ulonglong},
    {"long double", &t_longdouble},
    {"__int128", &t_int128},
    {"size_t", &ir_t_size},
    {"ssize_t", &t_ssize},
    {"ptrdiff_t", &t_ptrdiff},
    {"int8_t", &t_i8},
    {"uint8_t", &t_u8},
    {"int16_t", &t_i16},
    {"uint16_t", &t_u16},
    {"int32_t", &t_i32},
    {"uint32_t", &t_u32},
    {"int64_t", &t_i64},
    {"uint64_t", &t_u64},
    {"intptr_t", &t_intptr},
    {"uintptr_t", &t_uintptr},
    {"wchar_t", &t_wchar},
    {"char16_t", &t_char16},
    {"char32_t", &t_char32},
    {"char8_t", &ir_t_uchar},
    {"clock_t", &t_clock},
    {"time_t", &t_time},
    {"uint", &ir_t_uint},
    {"ushort", &ir_t_ushort},
    {"ulong", &ir_t_ulong},
    {"u_char", &ir_t_uchar},
    {"cudaTextureObject_t", &t_texture},
    {"cudaSurfaceObject_t", &t_surface},
    {"CUdeviceptr", &t_deviceptr},
    {"cudaMemcpyKind", &t_memcpy_kind},
    {"CUresult", &t_curesult},
    {"cudaError_t", &ir_t_error},
    {"cudaError", &ir_t_error},
    {"__half", &ir_t_half},
    {"half", &ir_t_half},
    {"__half2", &t_half2},
    {"half2", &t_half2},
    {"__nv_bfloat16", &ir_t_bf16},
    {"nv_bfloat16", &ir_t_bf16},
    {"__nv_bfloat162", &t_bf162},
    {"nv_bfloat162", &t_bf162},
    {"nullptr_t", &ir_t_nullptr},
    {"cudaStream_t", &t_stream},
    {"cudaEvent_t", &t_event},
    {"cudaGraph_t", &t_graph},
    {"cudaGraphExec_t", &t_graph_exec},
    {"cudaGraphNode_t", &t_graph_node},
    {"cudaMemPool_t", &t_mem_pool},
    {"cudaArray_t", &t_array},
    {"CUstream", &t_custream},
    {"CUevent", &t_cuevent},
    {"CUcontext", &t_cucontext},
    {"CUmodule", &t_cumodule},
    {"CUfunction", &t_cufunction},
    {"cublasHandle_t", &t_cublas},
    {"cudnnHandle_t", &t_cudnn},
    {"dim3", &ir_t_dim3},
    {"cudaLaunchConfig_t", &t_config},
    {"cuFloatComplex", &t_float2w},
    {"cuComplex", &t_float2w},
    {"cuDoubleComplex", &t_double2w},
    {"double4_32a", &t_double4_32a},
    {"double4_16a", &t_double4},
    VEC4_ROWS(char),
    VEC4_ROWS(uchar),
    VEC4_ROWS(short),
    VEC4_ROWS(ushort),
    VEC4_ROWS(int),
    VEC4_ROWS(uint),
    VEC4_ROWS(long),
    VEC4_ROWS(ulong),
    VEC4_ROWS(longlong),
    VEC4_ROWS(ulonglong),
    VEC4_ROWS(float),
    VEC4_ROWS(double),
};

const struct ir_type *cmpd_ir_builtin_type(const char *name, size_t len)
{
    static const char *const prefixes[] = {"::", "cuda::", "std::"};
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t plen = strlen(prefixes[p]);
        if (len > plen && memcmp(name, prefixes[p], plen) == 0) {
            name += plen;
            len -= plen;
        }
    }
    for (size_t i = 0; len && i < sizeof known / sizeof *known; i++)
        if (known[i].name[0] == *name && strncmp(known[i].name, name, len) == 0 &&
            known[i].name[len] == '\0')
            return known[i].type;
    return NULL;
}

const struct ir_type *cmpd_ir_strip_ref(const struct ir_type *t)
{
    while (t && t->kind == IR_T_REF)
        t = t->elem;
    return t;
}

struct ir_type *ir_type_copy(struct cmpd_arena *a, const struct ir_type *t)
{
    struct ir_type *copy = CMPD_ARENA_NEW(a, struct ir_type);
    *copy = *t;
    return copy;
}

static struct ir_type *derived(struct cmpd_arena *a, enum ir_type_kind kind,
                               const struct ir_type *elem)
{
    struct ir_type *t = CMPD_ARENA_NEW(a, struct ir_type);
    t->kind = kind;
    t->elem = elem;
    return t;
}

const struct ir_type *ir_ptr_to(struct cmpd_arena *a, const struct ir_type *t)
{
    struct ir_type *p = derived(a, IR_T_PTR, t);
    p->size = p->align = 8;
    return p;
}

const struct ir_type *ir_ref_to(struct cmpd_arena *a, const struct ir_type *t)
{
    if (t->kind == IR_T_REF)
        return t;
    struct ir_type *r = derived(a, IR_T_REF, t);
    r->size = t->size; /* sizeof a reference is that of what it refers to */
    r->align = t->align;
    return r;
}

const struct ir_type *ir_array_of(struct cmpd_arena *a, const struct ir_type *t,
                                  const struct ir_expr *extent)
{
    struct ir_type *r = derived(a, IR_T_ARRAY, t);
    r->extent = extent;
    r->align = t->align;
    int64_t n;
    if (extent && t->size && ir_const_int(extent, &n) && n > 0 && n < UINT32_MAX / t->size)
        r->size = (uint32_t)n * t->size;
    return r;
}

const struct ir_type *ir_decay(struct cmpd_arena *a, const struct ir_type *t)
{
    t = cmpd_ir_strip_ref(t);
    if (t->kind == IR_T_ARRAY)
        return ir_ptr_to(a, t->elem);
    return t;
}

bool ir_is_arith(const struct ir_type *t)
{
    return t->kind == IR_T_BOOL || t->kind == IR_T_INT || t->kind == IR_T_FLOAT;
}

const struct ir_type *ir_promote(const struct ir_type *t)
{
    if (t->kind == IR_T_BOOL || (t->kind == IR_T_INT && t->size && t->size < 4))
        return &ir_t_int;
    return t;
}

static const struct ir_type *arith_float(const struct ir_type *a, const struct ir_type *b)
{
    if (a->kind != IR_T_FLOAT)
        return b;
    if (b->kind != IR_T_FLOAT || a->size >= b->size)
        return a;
    return b;
}

const struct ir_type *ir_arith(const struct ir_type *a, const struct ir_type *b)
{
    if (a->kind == IR_T_FLOAT || b->kind == IR_T_FLOAT)
        return arith_float(a, b);
    a = ir_promote(a);
    b = ir_promote(b);
    if (a->size != b->size)
        return a->size > b->size ? a : b;
    return a->is_signed ? b : a;
}

bool ir_is_dependent(const struct ir_type *t)
{
    for (; t; t = t->elem)
        if (t->kind == IR_T_TPARAM)
            return true;
    return false;
}

bool ir_same_targ(const struct ir_targ *p, const struct ir_targ *q)
{
    int64_t u, v;
    if (p->type && q->type)
        return ir_same_type(p->type, q->type);
    if (!p->value || !q->value)
        return false;
    if (p->value->kind == IR_X_VAR && q->value->kind == IR_X_VAR && p->value->var == q->value->var)
        return true;
    return ir_const_int(p->value, &u) && ir_const_int(q->value, &v) && u == v;
}

static bool same_targs(const struct ir_type *a, const struct ir_type *b)
{
    if (a->targ_count != b->targ_count)
        return false;
    for (size_t i = 0; i < a->targ_count; i++)
        if (!ir_same_targ(&a->targs[i], &b->targs[i]))
            return false;
    return true;
}

bool ir_same_type(const struct ir_type *a, const struct ir_type *b)
{
    for (;; a = a->elem, b = b->elem) {
        if (a == b)
            return true;
        if (!a || !b || a->kind != b->kind)
            return false;
        switch (a->kind) {
        case IR_T_INT:
        case IR_T_FLOAT:
            return a->size == b->size && a->is_signed == b->is_signed &&
                   (a->size != 2 || a->kind == IR_T_INT || strcmp(a->name, b->name) == 0);
        case IR_T_STRUCT:
            return a->record && a->record == b->record && same_targs(a, b);
        case IR_T_TPARAM:
            return a->tparam == b->tparam;
        case IR_T_UNKNOWN:
            return a->name && b->name && strcmp(a->name, b->name) == 0;
        case IR_T_PTR:
        case IR_T_REF:
        case IR_T_ARRAY:
            if (a->elem && b->elem && a->elem->is_const != b->elem->is_const)
                return false;
            break;
        default:
            return true;
        }
    }
}

static const struct ir_type *plus_type(struct cmpd_arena *arena, enum ir_op op,
                                       const struct ir_type *a, const struct ir_type *b)
{
    if (a->kind == IR_T_PTR && b->kind == IR_T_PTR)
        return op == IR_OP_SUB ? &t_ptrdiff : &ir_t_unknown;
    if (a->kind == IR_T_PTR)
        return a;
    if (b->kind == IR_T_PTR && op == IR_OP_ADD)
        return b;
    return ir_common_type(arena, a, b);
}

/* The type of an arithmetic result, of a ?: and the like. */
const struct ir_type *ir_common_type(struct cmpd_arena *arena, const struct ir_type *a,
                                     const struct ir_type *b)
{
    a = ir_decay(arena, a);
    b = ir_decay(arena, b);
    if (ir_is_arith(a) && ir_is_arith(b))
        return ir_arith(a, b);
    if (a->kind == IR_T_STRUCT && (ir_is_arith(b) || b->kind == IR_T_UNKNOWN) && a->record &&
        a->record->builtin)
        return a;
    if (b->kind == IR_T_STRUCT && (ir_is_arith(a) || a->kind == IR_T_UNKNOWN) && b->record &&
        b->record->builtin)
        return b;
    if (ir_same_type(a, b))
        return a;
    return &ir_t_unknown;
}

const struct ir_type *ir_binary_type(struct cmpd_arena *arena, enum ir_op op,
                                     const struct ir_type *a, const struct ir_type *b)
{
    a = ir_decay(arena, a);
    b = ir_decay(arena, b);
    switch (op) {
    case IR_OP_ADD:
    case IR_OP_SUB:
        return plus_type(arena, op, a, b);
    case IR_OP_SHL:
    case IR_OP_SHR:
        return ir_is_arith(a) ? ir_promote(a) : &ir_t_unknown;
    case IR_OP_EQ:
    case IR_OP_NE:
    case IR_OP_LT:
    case IR_OP_LE:
    case IR_OP_GT:
    case IR_OP_GE:
        return &ir_t_bool;
    default:
        return ir_common_type(arena, a, b);
    }
}

const char *ir_unqualified(const char *name)
{
    const char *last = name;
    int depth = 0;
    for (const char *p = name; *p; p++) {
        if (*p == '<')
            depth++;
        else if (*p == '>')
            depth--;
        else if (p[0] == ':' && p[1] == ':' && depth == 0)
            last = p + 2;
    }
    return last;
}
