/* y = alpha * x. */
#include <math.h>

#include "refs/op.h"

enum { X, Y, N, ROWS, COLS, ALPHA };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "n"),
    REF_OUT("y", REF_NAMES_Y, "n"),
    REF_N_OR_MATRIX,
    {.name = "alpha",
     .role = CMPD_ROLE_SCALAR,
     .aliases = "scale factor s k scalar a coef multiplier value",
     .default_value = 1,
     .fixed_dtype = -1},
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t i = 0; i < call->tensors[Y].count; i++) {
        expected[Y][i] = call->scalars[ALPHA] * ref_get(call, X, i);
    }
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    for (size_t i = call->tensors[Y].count; i-- > 0;) {
        expected[Y][i] = (double)(ref_get(call, X, i) / (1.0L / call->scalars[ALPHA]));
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    ref_elementwise_fill(call, X, inputs, seed);
    call->scalars[ALPHA] = ref_scalar(call, ALPHA, seed,
                                      &(struct ref_fill){.least_exponent = 0, .past_exponent = 2});
}

const struct cmpd_ref_op cmpd_op_scale = {
    .name = "scale",
    .aliases = "vector_scale scal sscal scalar_mul scalar_multiply vec_scale scale_vector",
    .summary = "y = alpha * x",
    REF_UNARY_LIKE(ARGS),
    REF_FLOAT_DTYPES,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
