/* y = x / sqrt(mean(x^2) + eps) * gamma along each row. Nothing cancels, so the default tolerance holds. */
#include <math.h>

#include "refs/op.h"

enum { X, GAMMA, Y, ROWS, COLS, EPS };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "rows cols"),
    {.name = "gamma",
     .role = CMPD_ROLE_IN,
     .aliases = "weight weights w g scale gain b",
     .shape = "cols",
     .optional = true,
     .default_value = 1,
     .fixed_dtype = -1},
    REF_OUT("y", "out output outp dst dest destination res result results o z ret outputs Y c",
            "rows cols"),
    REF_DIM("rows", REF_NAMES_ROWS),
    REF_DIM("cols", REF_NAMES_COLS),
    REF_SCALAR("eps", "epsilon EPS EPSILON e eps_value variance_epsilon", 1e-5),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        double squares = 0;
        for (size_t c = 0; c < cols; c++) {
            squares += ref_get(call, X, row + c) * ref_get(call, X, row + c);
        }
        double scale = 1 / sqrt(squares / (double)cols + call->scalars[EPS]);
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] = ref_get(call, X, row + c) * scale * ref_get(call, GAMMA, c);
        }
    }
}

/* sqrt(mean(x^2) + eps) as the length of a vector, side by side with hypot. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t cols = (size_t)call->dims.value[1];
    for (size_t row = 0; row < call->tensors[X].count; row += cols) {
        long double length = sqrtl((long double)call->scalars[EPS] * (long double)cols);
        for (size_t c = cols; c-- > 0;) {
            length = hypotl(length, ref_get(call, X, row + c));
        }
        long double root = length / sqrtl((long double)cols);
        for (size_t c = 0; c < cols; c++) {
            expected[Y][row + c] =
                (double)(ref_get(call, GAMMA, c) / root * ref_get(call, X, row + c));
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill x = {.least_exponent = -6, .past_exponent = 3};
    const struct ref_fill gamma = {.least_exponent = -1, .past_exponent = 1};
    call->scalars[EPS] = cmpd_dtype_round(CMPD_F32, 1e-5);
    ref_fill(call, GAMMA, seed, &gamma);
    if (call->dims.value[1] < 20) {
        /* An eps built into the kernel, 1e-6 or 1e-8, must not show in the root of few squares. */
        x.least_exponent = 1;
    }
    if (ref_inputs_are(inputs, "ties")) {
        ref_fill_constant(call, X, 1.25);
        return;
    }
    if (ref_inputs_are(inputs, "large")) {
        x.least_exponent = 5;
        x.past_exponent = 8;
    } else if (ref_inputs_are(inputs, "offset")) {
        x.offset = 8;
    }
    ref_fill(call, X, seed, &x);
}

const struct cmpd_ref_op cmpd_op_rmsnorm = {
    .name = "rmsnorm",
    .aliases = "rms_norm RMSNorm rmsnorm_forward rmsnorm_fwd root_mean_square_norm rms_layernorm "
               "rms_norm_forward",
    .summary = "y = x / sqrt(mean(x^2) + eps) * gamma along each row",
    REF_FLOAT_DTYPES,
    .args = ARGS,
    .arg_count = REF_COUNT(ARGS),
    REF_ROWS,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
