/*
 * C = A B; A is m x k, B is k x n, C is m x n, all row-major.
 *
 * Tolerance: each element is a sum of k products. In float its error is that of a sum (ref_sum_error); kept in half, as
 * tensor cores and __hfma can, half's own u counts over k steps. bf16 has no accumulators of its own.
 */
#include <math.h>

#include "refs/op.h"

enum { A, B, C };
enum { M, N, K };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("a", "A x lhs left mat_a matA matrix_a input_a in1 src1 mat1 m1 input X", "m k"),
    REF_IN("b", "B y rhs right mat_b matB matrix_b input_b in2 src2 mat2 m2 weight w W Y", "k n"),
    REF_OUT("c", "C out output z d res result mat_c matC matrix_c dst ret o mat3 Z D", "m n"),
    REF_DIM("m", "M rows rows_a a_rows rowsA num_rows height m_size"),
    REF_DIM("n", "N cols cols_b b_cols colsB num_cols width size n_size dim"),
    REF_DIM("k", "K inner cols_a a_cols rows_b b_rows colsA rowsB common depth k_size inner_dim p"),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t m = (size_t)call->dims.value[M], n = (size_t)call->dims.value[N];
    size_t k = (size_t)call->dims.value[K];
    for (size_t i = 0; i < m; i++) {
        double *row = expected[C] + i * n;
        for (size_t j = 0; j < n; j++) {
            row[j] = 0;
        }
        for (size_t p = 0; p < k; p++) {
            double a = ref_get(call, A, i * k + p);
            for (size_t j = 0; j < n; j++) {
                row[j] += a * ref_get(call, B, p * n + j);
            }
        }
    }
}

/* a . b by halves, b a column with its stride. */
static long double dot(const struct cmpd_ref_call *call, size_t a, size_t b, size_t stride,
                       size_t count)
{
    if (count <= 8) {
        long double sum = 0;
        for (size_t p = count; p-- > 0;) {
            sum += (long double)ref_get(call, B, b + p * stride) * ref_get(call, A, a + p);
        }
        return sum;
    }
    size_t half = count / 2;
    return dot(call, a, b, stride, half) +
           dot(call, a + half, b + half * stride, stride, count - half);
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t m = (size_t)call->dims.value[M], n = (size_t)call->dims.value[N];
    size_t k = (size_t)call->dims.value[K];
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m; i++) {
            expected[C][i * n + j] = (double)dot(call, i * k, j, n, k);
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = {
        .least_exponent = -6, .past_exponent = 3, .half = REF_HALF_AWAY_FROM_ZERO};
    if (ref_inputs_are(inputs, "positive")) {
        fill.sign = REF_POSITIVE;
    }
    ref_fill(call, A, seed, &fill);
    ref_fill(call, B, seed, &fill);
}

/* The largest sum of fourth powers along `count` lines of `length` elements; lines and elements have strides. */
static double largest_fourth(const struct cmpd_tensor *t, size_t count, size_t line, size_t length,
                             size_t step)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t p = 0; p < length; p++) {
            double v = cmpd_tensor_get(t, i * line + p * step);
            sum += v * v * v * v;
        }
        most = fmax(most, sum);
    }
    return most;
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    size_t m = (size_t)call->dims.value[M], n = (size_t)call->dims.value[N];
    size_t k = (size_t)call->dims.value[K];
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    /* Cauchy and Schwarz: the 2-norm of a row's products with a column is at most this. */
    double norm = sqrt(sqrt(largest_fourth(&call->tensors[A], m, k, k, 1)) *
                       sqrt(largest_fourth(&call->tensors[B], n, 1, k, n)));
    double error = ref_sum_error(dtype, k, norm);
    if (dtype == CMPD_F16) {
        error = 2 * sqrt((double)k) * cmpd_dtype_unit_roundoff(dtype) * norm;
    }
    return ref_tolerance_at_least(dtype, error);
}

static const struct cmpd_ref_case CASES[] = {
    {"1x1x1", {{1, 1, 1}}, CMPD_CASE_TINY, "mixed"},
    {"31x33x17", {{31, 33, 17}}, CMPD_CASE_TINY, "mixed"},
    {"33x33x33", {{33, 33, 33}}, CMPD_CASE_TINY, "mixed"},
    {"one row", {{1, 100, 67}}, CMPD_CASE_TINY, "mixed"},
    {"one column", {{70, 1, 130}}, CMPD_CASE_TINY, "mixed"},
    {"positive", {{16, 48, 32}}, CMPD_CASE_TINY, "positive"},
    {"64x64x64", {{64, 64, 64}}, CMPD_CASE_SMALL, "mixed"},
    {"prime", {{37, 53, 71}}, CMPD_CASE_SMALL, "mixed"},
    {"long inner", {{5, 7, 1031}}, CMPD_CASE_SMALL, "mixed"},
    {"128x128x128", {{128, 128, 128}}, CMPD_CASE_MEDIUM, "mixed"},
    {"130x127x129", {{130, 127, 129}}, CMPD_CASE_MEDIUM, "mixed"},
    {"257x511x383", {{257, 511, 383}}, CMPD_CASE_LARGE, "mixed"},
    {"1024x1024x1024", {{1024, 1024, 1024}}, CMPD_CASE_LARGE, "mixed"},
};

static void draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    for (int i = 0; i < 3; i++) {
        dims->value[i] = cmpd_rng_range(&r, 2, 90);
    }
}

const struct cmpd_ref_op cmpd_op_matmul = {
    .name = "matmul",
    .aliases =
        "gemm sgemm hgemm mat_mul matrix_mul matrix_multiply matmult mm matrixMul matmul_kernel "
        "tiled_matmul matrix_multiplication dgemm gemm_tiled",
    .summary = "C[m,n] = sum over k of A[m,k] * B[k,n], row-major",
    REF_FLOAT_DTYPES,
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    .cases = CASES,
    .case_count = REF_COUNT(CASES),
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .tolerance = tolerance,
    .draw = draw,
};
