/* y[c][r] = x[r][c]. */
#include "refs/op.h"

enum { X, Y };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "rows cols"),
    REF_OUT("y", REF_NAMES_Y " transposed xt at x_t a_t", "cols rows"),
    REF_DIM("rows", "m M height h num_rows n_rows nrows numRows Rows ROWS r"),
    REF_DIM("cols", "n N width w num_cols n_cols ncols columns numCols Cols COLS c"),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t rows = (size_t)call->dims.value[0], cols = (size_t)call->dims.value[1];
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < cols; c++) {
            expected[Y][c * rows + r] = ref_get(call, X, r * cols + c);
        }
    }
}

/* Output index i comes from i * cols modulo (count - 1), the cycle structure of a transpose in place. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t count = call->tensors[X].count, cols = (size_t)call->dims.value[1];
    expected[Y][count - 1] = ref_get(call, X, count - 1);
    for (size_t i = 0; i + 1 < count; i++) {
        expected[Y][i] = ref_get(call, X, i * cols % (count - 1));
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    (void)inputs;
    if (call->dtype == CMPD_I32) {
        ref_fill_integers(call, X, seed, -1000000000, 1000000000);
        return;
    }
    ref_fill(call, X, seed, &(struct ref_fill){.least_exponent = -10, .past_exponent = 5});
}

static const struct cmpd_ref_case CASES[] = {
    {"1x1", {{1, 1}}, CMPD_CASE_TINY, "mixed"},
    {"1x31", {{1, 31}}, CMPD_CASE_TINY, "mixed"},
    {"33x1", {{33, 1}}, CMPD_CASE_TINY, "mixed"},
    {"31x33", {{31, 33}}, CMPD_CASE_TINY, "mixed"},
    {"25x40", {{25, 40}}, CMPD_CASE_TINY, "mixed"},
    {"64x64", {{64, 64}}, CMPD_CASE_TINY, "mixed"},
    {"prime", {{101, 67}}, CMPD_CASE_SMALL, "mixed"},
    {"tall", {{4099, 3}}, CMPD_CASE_SMALL, "mixed"},
    {"wide", {{5, 2050}}, CMPD_CASE_SMALL, "mixed"},
    {"square", {{130, 130}}, CMPD_CASE_SMALL, "mixed"},
    {"257x391", {{257, 391}}, CMPD_CASE_MEDIUM, "mixed"},
    {"2049x1023", {{2049, 1023}}, CMPD_CASE_LARGE, "mixed"},
    {"4096x4096", {{4096, 4096}}, CMPD_CASE_LARGE, "mixed"},
};

static void draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[0] = cmpd_rng_range(&r, 2, 150);
    dims->value[1] = cmpd_rng_range(&r, 2, 150);
}

static const enum cmpd_dtype DTYPES[] = {CMPD_F32, CMPD_F16, CMPD_BF16, CMPD_F64, CMPD_I32};

const struct cmpd_ref_op cmpd_op_transpose = {
    .name = "transpose",
    .aliases = "matrix_transpose mat_transpose transpose2d transpose_matrix transpose_naive",
    .summary = "y[c][r] = x[r][c]; x is rows x cols",
    .dtypes = DTYPES,
    .dtype_count = REF_COUNT(DTYPES),
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    .cases = CASES,
    .case_count = REF_COUNT(CASES),
    .generate = generate,
    .compute = compute,
    .verify = verify,
    .draw = draw,
};
