/* C[b] = A[b] B[b] for each of a batch of row-major matrices. The tolerance is a sum's (see matmul.c). */
#include <math.h>

#include "refs/op.h"

enum { A, B, C };
enum { BATCH, M, N, K };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("a", "A x lhs left mat_a matA matrix_a input_a in1 src1 X", "batch m k"),
    REF_IN("b", "B y rhs right mat_b matB matrix_b input_b in2 src2 Y", "batch k n"),
    REF_OUT("c", "C out output z d res result mat_c matC matrix_c dst ret o Z D", "batch m n"),
    REF_DIM("batch", "b B batch_size num_batches batches bs"),
    REF_DIM("m", "M rows rows_a height"),
    REF_DIM("n", "N cols cols_b width"),
    REF_DIM("k", "K inner cols_a rows_b common depth p"),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t m = (size_t)call->dims.value[M], n = (size_t)call->dims.value[N];
    size_t k = (size_t)call->dims.value[K];
    for (size_t row = 0; row < (size_t)call->dims.value[BATCH] * m; row++) {
        double *out = expected[C] + row * n;
        size_t right = row / m * k * n;
        for (size_t j = 0; j < n; j++) {
            out[j] = 0;
            for (size_t p = 0; p < k; p++) {
                out[j] += ref_get(call, A, row * k + p) * ref_get(call, B, right + p * n + j);
            }
        }
    }
}

/* Sums of outer products, in long double parts of 16. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t m = (size_t)call->dims.value[M], n = (size_t)call->dims.value[N];
    size_t k = (size_t)call->dims.value[K], batch = (size_t)call->dims.value[BATCH];
    for (size_t i = 0; i < call->tensors[C].count; i++) {
        size_t b = i / (m * n), r = i % (m * n) / n, j = i % n;
        long double total = 0;
        for (size_t from = (k + 15) / 16; b < batch && from-- > 0;) {
            long double part = 0;
            for (size_t p = from * 16; p < k && p < from * 16 + 16; p++) {
                part += (long double)ref_get(call, B, (b * k + p) * n + j) *
                        ref_get(call, A, (b * m + r) * k + p);
            }
            total += part;
        }
        expected[C][i] = (double)total;
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    const struct ref_fill fill = {
        .least_exponent = -6, .past_exponent = 3, .half = REF_HALF_AWAY_FROM_ZERO};
    (void)inputs;
    ref_fill(call, A, seed, &fill);
    ref_fill(call, B, seed, &fill);
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    size_t n = (size_t)call->dims.value[N], k = (size_t)call->dims.value[K];
    size_t m = (size_t)call->dims.value[M];
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    double most = 0;
    for (size_t i = 0; i < call->tensors[C].count; i++) {
        size_t b = i / (m * n), r = i % (m * n) / n, j = i % n;
        double squares = 0;
        for (size_t p = 0; p < k; p++) {
            double v = ref_get(call, A, (b * m + r) * k + p) *
                       ref_get(call, B, (b * k + p) * n + j);
            squares += v * v;
        }
        most = fmax(most, squares);
    }
    double error = ref_sum_error(dtype, k, sqrt(most));
    if (dtype == CMPD_F16) {
        error = 2 * sqrt((double)k) * cmpd_dtype_unit_roundoff(dtype) * sqrt(most);
    }
    return ref_tolerance_at_least(dtype, error);
}

static const struct cmpd_ref_case CASES[] = {
    {"1 of 1x1x1", {{1, 1, 1, 1}}, CMPD_CASE_TINY, "mixed"},
    {"3 of 5x7x9", {{3, 5, 7, 9}}, CMPD_CASE_TINY, "mixed"},
    {"2 of 31x33x17", {{2, 31, 33, 17}}, CMPD_CASE_TINY, "mixed"},
    {"17 of 16x16x16", {{17, 16, 16, 16}}, CMPD_CASE_TINY, "mixed"},
    {"3 of 37x53x71", {{3, 37, 53, 71}}, CMPD_CASE_SMALL, "mixed"},
    {"5 of 64x65x66", {{5, 64, 65, 66}}, CMPD_CASE_MEDIUM, "mixed"},
    {"16 of 256x255x257", {{16, 256, 255, 257}}, CMPD_CASE_LARGE, "mixed"},
};

static void draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[BATCH] = cmpd_rng_range(&r, 2, 6);
    for (int i = M; i <= K; i++) {
        dims->value[i] = cmpd_rng_range(&r, 2, 50);
    }
}

const struct cmpd_ref_op cmpd_op_bmm = {
    .name = "bmm",
    .aliases = "batched_matmul batch_matmul batched_gemm batched_matrix_multiply batch_gemm",
    .summary = "C[b,m,n] = sum over k of A[b,m,k] * B[b,k,n], row-major",
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
