/*
 * What operator files share: argument rows, element loops, input generators, shared cases. Internal to refs/.
 *
 * An operator file defines `const struct cmpd_ref_op cmpd_op_NAME`; refs.def lists it.
 */
#ifndef CMPD_REFS_OP_H
#define CMPD_REFS_OP_H

#include "refs/dtype.h"
#include "refs/ref.h"
#include "refs/rng.h"

#define REF_COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- argument rows ---- */

#define REF_IN(name_, aliases_, shape_)                                                  \
    {                                                                                    \
        .name = (name_), .role = CMPD_ROLE_IN, .aliases = (aliases_), .shape = (shape_), \
        .fixed_dtype = -1                                                                \
    }
#define REF_OUT(name_, aliases_, shape_)                                                  \
    {                                                                                     \
        .name = (name_), .role = CMPD_ROLE_OUT, .aliases = (aliases_), .shape = (shape_), \
        .fixed_dtype = -1                                                                 \
    }
#define REF_INOUT(name_, aliases_, shape_)                                                  \
    {                                                                                       \
        .name = (name_), .role = CMPD_ROLE_INOUT, .aliases = (aliases_), .shape = (shape_), \
        .fixed_dtype = -1                                                                   \
    }
#define REF_DIM(name_, aliases_)                                                         \
    {                                                                                    \
        .name = (name_), .role = CMPD_ROLE_DIM, .aliases = (aliases_), .fixed_dtype = -1 \
    }
#define REF_SCALAR(name_, aliases_, default_)                                               \
    {                                                                                       \
        .name = (name_), .role = CMPD_ROLE_SCALAR, .aliases = (aliases_), .optional = true, \
        .default_value = (default_), .fixed_dtype = -1                                      \
    }

/* Names that parameters of launchers and kernels carry, as LLM-written and public code has them. */
#define REF_NAMES_X \
    "in input inp src source a data xs vec vector v array arr tensor inputs values X A"
#define REF_NAMES_Y \
    "out output outp dst dest destination res result results b c o z ret outputs Y B C"
#define REF_NAMES_A "x lhs left first in1 input1 src1 a1 p u x1 input_a in_a A X"
#define REF_NAMES_B "y rhs right second in2 input2 src2 b1 q v x2 input_b in_b B Y"
#define REF_NAMES_BINARY_OUT \
    "out output outp c z dst dest destination res result results o r ret C Z"
#define REF_NAMES_N                                                                                  \
    "size numel len length count total num N num_elements n_elements total_elements elements nelem " \
    "element_count num_elem total_size elems cnt sz numElements numElems"
#define REF_NAMES_ROWS                                                                             \
    "m M batch num_rows n_rows nrows outer height h batch_size R r B row_count rows_count tokens " \
    "num_tokens batches bs outer_size H numRows Rows ROWS"
#define REF_NAMES_COLS                                                                            \
    "n N hidden dim width w inner num_cols n_cols ncols features hidden_size C c D d row_size "   \
    "col_count cols_count num_features feature_dim vocab channels inner_size hidden_dim row_len " \
    "row_length columns classes num_classes W numCols Cols COLS"

/* A launcher may have n alone, or a matrix of rows times cols. */
#define REF_N_OR_MATRIX                                                                       \
    {.name = "n",                                                                             \
     .role = CMPD_ROLE_DIM,                                                                   \
     .aliases = REF_NAMES_N,                                                                  \
     .shape = "rows cols",                                                                    \
     .optional = true,                                                                        \
     .fixed_dtype = -1},                                                                      \
        {.name = "rows",                                                                      \
         .role = CMPD_ROLE_DIM,                                                               \
         .aliases = "m M num_rows n_rows nrows outer height h batch batch_size numRows Rows", \
         .optional = true,                                                                    \
         .fixed_dtype = -1},                                                                  \
    {                                                                                         \
        .name = "cols", .role = CMPD_ROLE_DIM,                                                \
        .aliases = "num_cols n_cols ncols width w inner columns hidden dim numCols Cols",     \
        .optional = true, .fixed_dtype = -1                                                   \
    }

/* ---- float dtypes in general ---- */

extern const enum cmpd_dtype ref_float_dtypes[]; /* f32, f16, bf16, f64 */
#define REF_FLOAT_DTYPE_COUNT 4
/* The same and i32. */
extern const enum cmpd_dtype ref_number_dtypes[];
#define REF_NUMBER_DTYPE_COUNT 5
#define REF_NUMBER_DTYPES      .dtypes = ref_number_dtypes, .dtype_count = REF_NUMBER_DTYPE_COUNT
#define REF_FLOAT_DTYPES       .dtypes = ref_float_dtypes, .dtype_count = REF_FLOAT_DTYPE_COUNT

/* ---- generators (fill.c) ---- */

enum ref_sign { REF_BOTH_SIGNS, REF_POSITIVE, REF_NEGATIVE };

/* Which way half would round a float32 value; either way it errs by 2^-12 to 2^-11 of it. */
enum ref_half { REF_HALF_ANY, REF_HALF_AWAY_FROM_ZERO };

struct ref_fill {
    int least_exponent, past_exponent; /* |v| in [2^least, 2^past), each binade as likely */
    enum ref_sign sign;
    enum ref_half half;
    bool zeros;    /* about one element in 61 is 0 */
    double offset; /* added to every value */
};

double ref_fill_value(struct cmpd_rng *r, const struct ref_fill *fill);
/* Tensors of whole numbers get 1 .. 1000 and their negatives, as far as `sign` says, and zeros. */
void ref_fill(struct cmpd_ref_call *call, size_t arg, uint64_t seed, const struct ref_fill *fill);
/* First and last element anew, from the largest binade: a sum that leaves out an end must show it. */
void ref_fill_ends(struct cmpd_ref_call *call, size_t arg, uint64_t seed,
                   const struct ref_fill *fill);
/* inputs (NULL: the default) is that set. */
bool ref_inputs_are(const char *inputs, const char *name);
/* Every element v; lo .. hi evenly in whole numbers. */
void ref_fill_constant(struct cmpd_ref_call *call, size_t arg, double v);
void ref_fill_integers(struct cmpd_ref_call *call, size_t arg, uint64_t seed, int64_t lo,
                       int64_t hi);
/* One value of the fill, rounded to the call's dtype: a scalar. */
double ref_scalar(const struct cmpd_ref_call *call, size_t arg, uint64_t seed,
                  const struct ref_fill *fill);

/* "mixed": 2^-10 .. 2^5, both signs, some zeros. */
extern const struct ref_fill ref_mixed;
/* The same without zeros, and with the error of half in one direction: sums don't average it away. */
extern const struct ref_fill ref_summed;

/* ---- loops over elements (elementwise.c) ---- */

static inline double ref_get(const struct cmpd_ref_call *call, size_t arg, size_t i)
{
    return cmpd_tensor_get(&call->tensors[arg], i);
}

/* Unary: arguments x, y, n, rows, cols. Binary: a, b, out, n, rows, cols. */
extern const struct cmpd_ref_arg ref_unary_args[], ref_binary_args[];
extern const struct cmpd_ref_case ref_elementwise_cases[];
#define REF_UNARY_ARG_COUNT  5
#define REF_BINARY_ARG_COUNT 6

typedef double ref_f1(double);
typedef double ref_f2(double, double);
void ref_map1(const struct cmpd_ref_call *call, double *const expected[], ref_f1 *f);
void ref_map2(const struct cmpd_ref_call *call, double *const expected[], ref_f2 *f);
/* Inputs: "mixed", "small" (2^-6 .. 2), "large" (32 .. 128), "zeros". */
void ref_elementwise_fill(struct cmpd_ref_call *call, size_t arg, const char *inputs,
                          uint64_t seed);
void ref_elementwise_generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed);
void ref_elementwise_draw(struct cmpd_dims *dims, uint64_t seed);

#define REF_UNARY                                                                             \
    .args = ref_unary_args, .arg_count = REF_UNARY_ARG_COUNT, .cases = ref_elementwise_cases, \
    .case_count = REF_ELEMENTWISE_CASES, .draw = ref_elementwise_draw
/* The same with arguments of the file's own, of which the first five are these. */
#define REF_UNARY_LIKE(args_)                                                       \
    .args = (args_), .arg_count = REF_COUNT(args_), .cases = ref_elementwise_cases, \
    .case_count = REF_ELEMENTWISE_CASES, .draw = ref_elementwise_draw
#define REF_BINARY                                                                              \
    .args = ref_binary_args, .arg_count = REF_BINARY_ARG_COUNT, .cases = ref_elementwise_cases, \
    .case_count = REF_ELEMENTWISE_CASES, .draw = ref_elementwise_draw
#define REF_ELEMENTWISE_CASES 10

/* ---- rows times cols (rows.c) ---- */

extern const struct cmpd_ref_case ref_row_cases[];
#define REF_ROW_CASES 14
#define REF_ROWS      .cases = ref_row_cases, .case_count = REF_ROW_CASES, .draw = ref_row_draw
/* Arguments x, y, rows, cols (softmax.c). */
extern const struct cmpd_ref_arg ref_row_args[];
#define REF_ROW_ARG_COUNT 4
void ref_row_draw(struct cmpd_dims *dims, uint64_t seed);

/* ---- all elements to one (reduce_sum.c) ---- */

/* Arguments x, out, n; others of the same order are possible. */
extern const struct cmpd_ref_arg ref_reduce_args[];
extern const struct cmpd_ref_case ref_reduce_cases[];
#define REF_REDUCE_ARG_COUNT 3
#define REF_REDUCE_CASES     11
#define REF_REDUCE                                                                                \
    .arg_count = REF_REDUCE_ARG_COUNT, .cases = ref_reduce_cases, .case_count = REF_REDUCE_CASES, \
    .draw = ref_reduce_draw
/* Inputs: "mixed", "positive", "negative", "ties" (few whole numbers), "zeros". */
void ref_reduce_generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed);
void ref_reduce_draw(struct cmpd_dims *dims, uint64_t seed);

/* ---- analysis of errors (error.c) ---- */

double ref_norm2(const struct cmpd_tensor *t); /* sqrt of the sum of squares */
double ref_max_abs(const struct cmpd_tensor *t);

/*
 * What rounding may add to a sum of `length` terms with that 2-norm: lambda * sqrt(length) * u * norm. Partial sums of
 * terms with mixed signs stay near the norm, and their rounding errors are independent (Higham and Mary, "A new approach
 * to probabilistic rounding error analysis", 2019); lambda = 2 is five standard deviations of a plain running sum. Sums
 * of half and bf16 are taken to be kept in float, or added as a tree: sqrt(log2(length)) in the dtype's own u.
 */
double ref_sum_error(enum cmpd_dtype dtype, size_t length, double norm2);

/* The dtype's default, its atol raised to at least `atol`. */
struct cmpd_tolerance ref_tolerance_at_least(enum cmpd_dtype dtype, double atol);

/* Rounding of one intermediate of this size in the dtype itself: for half and bf16 arithmetic step by step. */
struct cmpd_tolerance ref_tolerance_stepwise(enum cmpd_dtype dtype, double intermediate);

#endif
