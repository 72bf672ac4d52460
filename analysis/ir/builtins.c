/*
 * What well-known functions and names of the toolkit and of the standard
 * library give back. Only the type: what they do is the evaluator's.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/ir/lower.h"

/* How the result follows from the arguments. */
enum result {
    R_VOID,
    R_BOOL,
    R_INT,
    R_UINT,
    R_LONG,
    R_LONGLONG,
    R_ULONGLONG,
    R_SIZE,
    R_FLOAT,
    R_DOUBLE,
    R_HALF,
    R_HALF2,
    R_BF16,
    R_BF162,
    R_ERROR,
    R_FLOAT2,
    R_UINT3,
    R_ARG0, /* the type of the first argument */
    R_ARG1,
    R_POINTEE, /* what the first argument points to */
    R_COMMON,  /* the arithmetic type of the arguments: min, max */
    R_MATH,    /* float for float, else double: sqrt, exp */
    R_VOIDPTR,
    R_TARG0, /* the first template argument */
};

struct row {
    const char *name;
    enum result result;
};

/* Each table is sorted by name, as strcmp has it: they are searched by halves. */
static const struct row functions[] = {
    {"__activemask", R_UINT},
    {"__all", R_INT},
    {"__all_sync", R_INT},
    {"__any", R_INT},
    {"__any_sync", R_INT},
    {"__ballot", R_UINT},
    {"__ballot_sync", R_UINT},
    {"__bfloat1622float2", R_FLOAT2},
    {"__bfloat162bfloat162", R_BF162},
    {"__bfloat162float", R_FLOAT},
    {"__brev", R_UINT},
    {"__brevll", R_ULONGLONG},
    {"__byte_perm", R_UINT},
    {"__clz", R_INT},
    {"__clzll", R_INT},
    {"__cosf", R_FLOAT},
    {"__cvta_generic_to_global", R_SIZE},
    {"__cvta_generic_to_shared", R_SIZE},
    {"__dadd_rn", R_DOUBLE},
    {"__ddiv_rn", R_DOUBLE},
    {"__dmul_rn", R_DOUBLE},
    {"__double2bfloat16", R_BF16},
    {"__double2float_rn", R_FLOAT},
    {"__double2float_rz", R_FLOAT},
    {"__double2half", R_HALF},
    {"__double2hiint", R_INT},
    {"__double2int_rn", R_INT},
    {"__double2int_rz", R_INT},
    {"__double2ll_rn", R_LONGLONG},
    {"__double2loint", R_INT},
    {"__double2uint_rn", R_UINT},
    {"__double_as_longlong", R_LONGLONG},
    {"__dp2a_hi", R_ARG0},
    {"__dp2a_lo", R_ARG0},
    {"__dp4a", R_ARG0},
    {"__drcp_rn", R_DOUBLE},
    {"__dsqrt_rn", R_DOUBLE},
    {"__dsub_rn", R_DOUBLE},
    {"__exp10f", R_FLOAT},
    {"__expf", R_FLOAT},
    {"__fadd_rn", R_FLOAT},
    {"__fdiv_rn", R_FLOAT},
    {"__fdividef", R_FLOAT},
    {"__ffs", R_INT},
    {"__ffsll", R_INT},
    {"__float22bfloat162_rn", R_BF162},
    {"__float22half2_rn", R_HALF2},
    {"__float2bfloat16", R_BF16},
    {"__float2bfloat16_rn", R_BF16},
    {"__float2half", R_HALF},
    {"__float2half2_rn", R_HALF2},
    {"__float2half_rn", R_HALF},
    {"__float2half_rz", R_HALF},
    {"__float2int_rd", R_INT},
    {"__float2int_rn", R_INT},
    {"__float2int_ru", R_INT},
    {"__float2int_rz", R_INT},
    {"__float2ll_rn", R_LONGLONG},
    {"__float2ll_rz", R_LONGLONG},
    {"__float2uint_rn", R_UINT},
    {"__float2uint_rz", R_UINT},
    {"__float2ull_rn", R_ULONGLONG},
    {"__float_as_int", R_INT},
    {"__float_as_uint", R_UINT},
    {"__floats2bfloat162_rn", R_BF162},
    {"__floats2half2_rn", R_HALF2},
    {"__fma_rn", R_DOUBLE},
    {"__fmaf_rd", R_FLOAT},
    {"__fmaf_rn", R_FLOAT},
    {"__fmaf_ru", R_FLOAT},
    {"__fmaf_rz", R_FLOAT},
    {"__fmul_rn", R_FLOAT},
    {"__fns", R_UINT},
    {"__frcp_rn", R_FLOAT},
    {"__frsqrt_rn", R_FLOAT},
    {"__fsqrt_rn", R_FLOAT},
    {"__fsub_rn", R_FLOAT},
    {"__funnelshift_l", R_UINT},
    {"__funnelshift_r", R_UINT},
    {"__h2div", R_ARG0},
    {"__habs", R_ARG0},
    {"__habs2", R_ARG0},
    {"__hadd", R_ARG0},
    {"__hadd2", R_ARG0},
    {"__hadd_rn", R_ARG0},
    {"__half22float2", R_FLOAT2},
    {"__half2float", R_FLOAT},
    {"__half2half2", R_HALF2},
    {"__half2int_rn", R_INT},
    {"__half2int_rz", R_INT},
    {"__half2short_rn", R_INT},
    {"__half_as_short", R_INT},
    {"__half_as_ushort", R_UINT},
    {"__halves2bfloat162", R_BF162},
    {"__halves2half2", R_HALF2},
    {"__hdiv", R_ARG0},
    {"__heq", R_BOOL},
    {"__hfma", R_ARG0},
    {"__hfma2", R_ARG0},
    {"__hfma_relu", R_ARG0},
    {"__hge", R_BOOL},
    {"__hgt", R_BOOL},
    {"__high2bfloat16", R_BF16},
    {"__high2float", R_FLOAT},
    {"__high2half", R_HALF},
    {"__hiloint2double", R_DOUBLE},
    {"__hle", R_BOOL},
    {"__hlt", R_BOOL},
    {"__hmax", R_ARG0},
    {"__hmax2", R_ARG0},
    {"__hmin", R_ARG0},
    {"__hmin2", R_ARG0},
    {"__hmul", R_ARG0},
    {"__hmul2", R_ARG0},
    {"__hmul_rn", R_ARG0},
    {"__hne", R_BOOL},
    {"__hneg", R_ARG0},
    {"__hneg2", R_ARG0},
    {"__hsub", R_ARG0},
    {"__hsub2", R_ARG0},
    {"__hsub_rn", R_ARG0},
    {"__int2double_rn", R_DOUBLE},
    {"__int2float_rn", R_FLOAT},
    {"__int2half_rn", R_HALF},
    {"__int_as_float", R_FLOAT},
    {"__isGlobal", R_UINT},
    {"__isShared", R_UINT},
    {"__ldca", R_POINTEE},
    {"__ldcg", R_POINTEE},
    {"__ldcs", R_POINTEE},
    {"__ldcv", R_POINTEE},
    {"__ldg", R_POINTEE},
    {"__ldlu", R_POINTEE},
    {"__ll2double_rn", R_DOUBLE},
    {"__ll2float_rn", R_FLOAT},
    {"__log10f", R_FLOAT},
    {"__log2f", R_FLOAT},
    {"__logf", R_FLOAT},
    {"__longlong_as_double", R_DOUBLE},
    {"__low2bfloat16", R_BF16},
    {"__low2float", R_FLOAT},
    {"__low2half", R_HALF},
    {"__lowhigh2highlow", R_ARG0},
    {"__lows2half2", R_HALF2},
    {"__match_all_sync", R_UINT},
    {"__match_any_sync", R_UINT},
    {"__mul24", R_INT},
    {"__mul64hi", R_LONGLONG},
    {"__mulhi", R_INT},
    {"__nanosleep", R_VOID},
    {"__nv_cvt_float_to_fp8", R_UINT},
    {"__popc", R_INT},
    {"__popcll", R_INT},
    {"__powf", R_FLOAT},
    {"__reduce_add_sync", R_ARG1},
    {"__reduce_and_sync", R_ARG1},
    {"__reduce_max_sync", R_ARG1},
    {"__reduce_min_sync", R_ARG1},
    {"__reduce_or_sync", R_ARG1},
    {"__reduce_xor_sync", R_ARG1},
    {"__rhadd", R_INT},
    {"__sad", R_UINT},
    {"__saturatef", R_FLOAT},
    {"__shfl", R_ARG0},
    {"__shfl_down", R_ARG0},
    {"__shfl_down_sync", R_ARG1},
    {"__shfl_sync", R_ARG1},
    {"__shfl_up", R_ARG0},
    {"__shfl_up_sync", R_ARG1},
    {"__shfl_xor", R_ARG0},
    {"__shfl_xor_sync", R_ARG1},
    {"__short2half_rn", R_HALF},
    {"__short_as_half", R_HALF},
    {"__sinf", R_FLOAT},
    {"__stcg", R_VOID},
    {"__stcs", R_VOID},
    {"__stwb", R_VOID},
    {"__stwt", R_VOID},
    {"__syncthreads", R_VOID},
    {"__syncthreads_and", R_INT},
    {"__syncthreads_count", R_INT},
    {"__syncthreads_or", R_INT},
    {"__syncwarp", R_VOID},
    {"__tanf", R_FLOAT},
    {"__threadfence", R_VOID},
    {"__threadfence_block", R_VOID},
    {"__threadfence_system", R_VOID},
    {"__trap", R_VOID},
    {"__uint2double_rn", R_DOUBLE},
    {"__uint2float_rn", R_FLOAT},
    {"__uint2half_rn", R_HALF},
    {"__uint_as_float", R_FLOAT},
    {"__umul24", R_UINT},
    {"__umul64hi", R_ULONGLONG},
    {"__umulhi", R_UINT},
    {"__usad", R_UINT},
    {"__ushort_as_bfloat16", R_BF16},
    {"__ushort_as_half", R_HALF},
    {"abort", R_VOID},
    {"abs", R_ARG0},
    {"acos", R_MATH},
    {"acosf", R_FLOAT},
    {"asin", R_MATH},
    {"asinf", R_FLOAT},
    {"assert", R_VOID},
    {"atan", R_MATH},
    {"atan2", R_MATH},
    {"atan2f", R_FLOAT},
    {"atanf", R_FLOAT},
    {"atof", R_DOUBLE},
    {"atoi", R_INT},
    {"atol", R_LONG},
    {"atomicAdd", R_POINTEE},
    {"atomicAdd_block", R_POINTEE},
    {"atomicAdd_system", R_POINTEE},
    {"atomicAnd", R_POINTEE},
    {"atomicCAS", R_POINTEE},
    {"atomicCAS_block", R_POINTEE},
    {"atomicCAS_system", R_POINTEE},
    {"atomicDec", R_POINTEE},
    {"atomicExch", R_POINTEE},
    {"atomicExch_block", R_POINTEE},
    {"atomicExch_system", R_POINTEE},
    {"atomicInc", R_POINTEE},
    {"atomicMax", R_POINTEE},
    {"atomicMax_block", R_POINTEE},
    {"atomicMin", R_POINTEE},
    {"atomicMin_block", R_POINTEE},
    {"atomicOr", R_POINTEE},
    {"atomicOr_block", R_POINTEE},
    {"atomicSub", R_POINTEE},
    {"atomicXor", R_POINTEE},
    {"bit_cast", R_TARG0},
    {"calloc", R_VOIDPTR},
    {"cbrt", R_MATH},
    {"cbrtf", R_FLOAT},
    {"ceil", R_MATH},
    {"ceilf", R_FLOAT},
    {"clamp", R_ARG0},
    {"clock", R_LONG},
    {"clock64", R_LONGLONG},
    {"copysign", R_MATH},
    {"copysignf", R_FLOAT},
    {"cos", R_MATH},
    {"cosf", R_FLOAT},
    {"cosh", R_MATH},
    {"coshf", R_FLOAT},
    {"cospi", R_MATH},
    {"cospif", R_FLOAT},
    {"cudaGetErrorName", R_VOIDPTR},
    {"cudaGetErrorString", R_VOIDPTR},
    {"curand", R_UINT},
    {"curand_normal", R_FLOAT},
    {"curand_uniform", R_FLOAT},
    {"curand_uniform_double", R_DOUBLE},
    {"declval", R_TARG0},
    {"drand48", R_DOUBLE},
    {"erf", R_MATH},
    {"erfc", R_MATH},
    {"erfcf", R_FLOAT},
    {"erfcinvf", R_FLOAT},
    {"erfcx", R_MATH},
    {"erfcxf", R_FLOAT},
    {"erff", R_FLOAT},
    {"erfinv", R_MATH},
    {"erfinvf", R_FLOAT},
    {"exit", R_VOID},
    {"exp", R_MATH},
    {"exp10f", R_FLOAT},
    {"exp2", R_MATH},
    {"exp2f", R_FLOAT},
    {"expf", R_FLOAT},
    {"expm1", R_MATH},
    {"expm1f", R_FLOAT},
    {"fabs", R_MATH},
    {"fabsf", R_FLOAT},
    {"fclose", R_INT},
    {"fdimf", R_FLOAT},
    {"fdividef", R_FLOAT},
    {"floor", R_MATH},
    {"floorf", R_FLOAT},
    {"fma", R_MATH},
    {"fmaf", R_FLOAT},
    {"fmax", R_MATH},
    {"fmaxf", R_FLOAT},
    {"fmin", R_MATH},
    {"fminf", R_FLOAT},
    {"fmod", R_MATH},
    {"fmodf", R_FLOAT},
    {"fopen", R_VOIDPTR},
    {"forward", R_ARG0},
    {"fprintf", R_INT},
    {"fread", R_SIZE},
    {"free", R_VOID},
    {"fscanf", R_INT},
    {"fwrite", R_SIZE},
    {"getenv", R_VOIDPTR},
    {"h2exp", R_ARG0},
    {"habs", R_ARG0},
    {"hexp", R_ARG0},
    {"hlog", R_ARG0},
    {"hrcp", R_ARG0},
    {"hrsqrt", R_ARG0},
    {"hsqrt", R_ARG0},
    {"hypot", R_MATH},
    {"hypotf", R_FLOAT},
    {"ilogbf", R_INT},
    {"isfinite", R_BOOL},
    {"isgreater", R_BOOL},
    {"isinf", R_BOOL},
    {"isnan", R_BOOL},
    {"j0f", R_FLOAT},
    {"j1f", R_FLOAT},
    {"labs", R_LONG},
    {"ldexp", R_MATH},
    {"ldexpf", R_FLOAT},
    {"lgamma", R_MATH},
    {"lgammaf", R_FLOAT},
    {"llabs", R_LONGLONG},
    {"llrintf", R_LONGLONG},
    {"log", R_MATH},
    {"log10", R_MATH},
    {"log10f", R_FLOAT},
    {"log1p", R_MATH},
    {"log1pf", R_FLOAT},
    {"log2", R_MATH},
    {"log2f", R_FLOAT},
    {"logb", R_MATH},
    {"logbf", R_FLOAT},
    {"logf", R_FLOAT},
    {"lrand48", R_LONG},
    {"lrint", R_LONG},
    {"lrintf", R_LONG},
    {"lround", R_LONG},
    {"lroundf", R_LONG},
    {"malloc", R_VOIDPTR},
    {"max", R_COMMON},
    {"memcmp", R_INT},
    {"memcpy", R_ARG0},
    {"memmove", R_ARG0},
    {"memset", R_ARG0},
    {"min", R_COMMON},
    {"move", R_ARG0},
    {"nearbyintf", R_FLOAT},
    {"nextafterf", R_FLOAT},
    {"norm3df", R_FLOAT},
    {"norm4df", R_FLOAT},
    {"normcdff", R_FLOAT},
    {"normf", R_FLOAT},
    {"pow", R_MATH},
    {"powf", R_FLOAT},
    {"printf", R_INT},
    {"putchar", R_INT},
    {"puts", R_INT},
    {"rand", R_INT},
    {"raw_pointer_cast", R_ARG0},
    {"rcbrtf", R_FLOAT},
    {"realloc", R_VOIDPTR},
    {"remainderf", R_FLOAT},
    {"rhypotf", R_FLOAT},
    {"rint", R_MATH},
    {"rintf", R_FLOAT},
    {"rnorm3df", R_FLOAT},
    {"round", R_MATH},
    {"roundf", R_FLOAT},
    {"rsqrt", R_MATH},
    {"rsqrtf", R_FLOAT},
    {"signbit", R_BOOL},
    {"sin", R_MATH},
    {"sinf", R_FLOAT},
    {"sinh", R_MATH},
    {"sinhf", R_FLOAT},
    {"sinpi", R_MATH},
    {"sinpif", R_FLOAT},
    {"snprintf", R_INT},
    {"sprintf", R_INT},
    {"sqrt", R_MATH},
    {"sqrtf", R_FLOAT},
    {"srand", R_VOID},
    {"sscanf", R_INT},
    {"stof", R_FLOAT},
    {"stoi", R_INT},
    {"strcmp", R_INT},
    {"strlen", R_SIZE},
    {"strtod", R_DOUBLE},
    {"strtof", R_FLOAT},
    {"strtol", R_LONG},
    {"strtoul", R_SIZE},
    {"surf2Dread", R_TARG0},
    {"tan", R_MATH},
    {"tanf", R_FLOAT},
    {"tanh", R_MATH},
    {"tanhf", R_FLOAT},
    {"terminate", R_VOID},
    {"tex1D", R_TARG0},
    {"tex1DLod", R_TARG0},
    {"tex1Dfetch", R_TARG0},
    {"tex2D", R_TARG0},
    {"tex2DLayered", R_TARG0},
    {"tex2DLod", R_TARG0},
    {"tex3D", R_TARG0},
    {"tgamma", R_MATH},
    {"tgammaf", R_FLOAT},
    {"time", R_LONG},
    {"trunc", R_MATH},
    {"truncf", R_FLOAT},
    {"umax", R_UINT},
    {"umin", R_UINT},
    {"y0f", R_FLOAT},
    {"y1f", R_FLOAT},
};

static const struct row methods[] = {
    {"all", R_INT},
    {"any", R_INT},
    {"ballot", R_UINT},
    {"block_index", R_UINT3},
    {"block_rank", R_UINT},
    {"dim_blocks", R_UINT3},
    {"dim_threads", R_UINT3},
    {"group_dim", R_UINT3},
    {"group_index", R_UINT3},
    {"meta_group_rank", R_ULONGLONG},
    {"meta_group_size", R_ULONGLONG},
    {"num_blocks", R_ULONGLONG},
    {"num_threads", R_ULONGLONG},
    {"shfl", R_ARG0},
    {"shfl_down", R_ARG0},
    {"shfl_up", R_ARG0},
    {"shfl_xor", R_ARG0},
    {"size", R_ULONGLONG},
    {"sync", R_VOID},
    {"thread_index", R_UINT3},
    {"thread_rank", R_ULONGLONG},
};

static const struct row names[] = {
    {"CUDART_INF_F", R_FLOAT}, {"CUDART_PI_F", R_FLOAT}, {"DBL_MAX", R_DOUBLE},
    {"DBL_MIN", R_DOUBLE},     {"EXIT_FAILURE", R_INT},  {"EXIT_SUCCESS", R_INT},
    {"FLT_EPSILON", R_FLOAT},  {"FLT_MAX", R_FLOAT},     {"FLT_MIN", R_FLOAT},
    {"HUGE_VALF", R_FLOAT},    {"INFINITY", R_FLOAT},    {"INT_MAX", R_INT},
    {"INT_MIN", R_INT},        {"M_E", R_DOUBLE},        {"M_LOG2E", R_DOUBLE},
    {"M_PI", R_DOUBLE},        {"NAN", R_FLOAT},         {"RAND_MAX", R_INT},
    {"UINT_MAX", R_UINT},      {"cudaSuccess", R_ERROR},
};

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct row *)row)->name);
}

static const struct row *find(const struct row *rows, size_t count, const char *name)
{
    return bsearch(name, rows, count, sizeof *rows, by_name);
}

static const struct ir_type *fixed(enum result r)
{
    switch (r) {
    case R_VOID:
        return &ir_t_void;
    case R_BOOL:
        return &ir_t_bool;
    case R_INT:
        return &ir_t_int;
    case R_UINT:
        return &ir_t_uint;
    case R_LONG:
        return &ir_t_long;
    case R_LONGLONG:
        return &ir_t_longlong;
    case R_ULONGLONG:
        return &ir_t_ulonglong;
    case R_SIZE:
        return &ir_t_size;
    case R_FLOAT:
        return &ir_t_float;
    case R_DOUBLE:
        return &ir_t_double;
    case R_HALF:
        return &ir_t_half;
    case R_HALF2:
        return cmpd_ir_builtin_type("__half2", 7);
    case R_BF16:
        return &ir_t_bf16;
    case R_BF162:
        return cmpd_ir_builtin_type("__nv_bfloat162", 14);
    case R_ERROR:
        return &ir_t_error;
    case R_FLOAT2:
        return cmpd_ir_builtin_type("float2", 6);
    case R_UINT3:
        return &ir_t_uint3;
    case R_VOIDPTR:
        return &ir_t_nullptr;
    default:
        return NULL;
    }
}

static const struct ir_type *math_type(const struct ir_type *t)
{
    t = cmpd_ir_strip_ref(t);
    if (t->kind == IR_T_INT || t->kind == IR_T_BOOL)
        return &ir_t_double;
    return t; /* float stays float, half has overloads, the unknown stays unknown */
}

static const struct ir_type *from_args(struct cmpd_arena *arena, enum result r,
                                       const struct ir_expr *const *args, size_t count)
{
    size_t which = r == R_ARG1 ? 1 : 0;
    if (which >= count)
        return NULL;
    const struct ir_type *t = ir_decay(arena, args[which]->type);
    switch (r) {
    case R_ARG0:
    case R_ARG1:
        return t;
    case R_POINTEE:
        return t->kind == IR_T_PTR && t->elem->kind != IR_T_VOID ? t->elem : NULL;
    case R_MATH:
        return math_type(t);
    case R_COMMON:
        for (size_t i = 1; i < count && i < 2; i++)
            t = ir_common_type(arena, t, args[i]->type);
        return t;
    default:
        return NULL;
    }
}

static const struct ir_type *apply(struct cmpd_arena *arena, enum result r,
                                   const struct ir_expr *const *args, size_t count)
{
    const struct ir_type *t = fixed(r);
    return t ? t : from_args(arena, r, args, count);
}

const struct ir_type *ir_known_call_type(struct cmpd_arena *arena, const char *name,
                                         const struct ir_expr *const *args, size_t count,
                                         const struct ir_targ *targs, size_t targ_count)
{
    if (strstr(name, "numeric_limits<") && targ_count && targs[0].type)
        return targs[0].type;
    name = ir_unqualified(name);
    if (strncmp(name, "make_", 5) == 0) {
        const char *made = name + 5;
        const struct ir_type *vec = cmpd_ir_builtin_type(made, strlen(made));
        if (vec)
            return vec;
    }
    if (strncmp(name, "__v", 3) == 0) /* SIMD within a word: __vadd4, __vmaxs2 ... */
        return &ir_t_uint;
    const struct row *row = find(functions, sizeof functions / sizeof *functions, name);
    if (!row) {
        if (strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z')
            return &ir_t_error;
        return NULL;
    }
    if (row->result == R_TARG0)
        return targ_count && targs[0].type ? targs[0].type : NULL;
    if (row->result == R_COMMON && targ_count && targs[0].type)
        return targs[0].type;
    return apply(arena, row->result, args, count);
}

const struct ir_type *ir_known_method_type(const char *name, const struct ir_expr *const *args,
                                           size_t count)
{
    const struct row *row = find(methods, sizeof methods / sizeof *methods, name);
    if (!row)
        return NULL;
    if (row->result == R_ARG0)
        return count ? cmpd_ir_strip_ref(args[0]->type) : NULL;
    return fixed(row->result);
}

const struct ir_type *ir_known_name_type(const char *name)
{
    const struct row *row = find(names, sizeof names / sizeof *names, ir_unqualified(name));
    return row ? fixed(row->result) : NULL;
}
