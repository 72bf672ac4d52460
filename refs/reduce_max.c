/* out = the largest element. */
#include <math.h>

#include "refs/op.h"

enum { X, OUT };

static const struct cmpd_ref_arg ARGS[REF_REDUCE_ARG_COUNT] = {
    REF_IN("x", REF_NAMES_X, "n"),
    {.name = "out",
     .role = CMPD_ROLE_OUT,
     .aliases =
         "y output result res max maximum max_val max_value dst ret o b c Y global_max partial",
     .accumulates = true,
     .identity = -INFINITY,
     .fixed_dtype = -1},
    REF_DIM("n", REF_NAMES_N),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    double most = -INFINITY;
    for (size_t i = 0; i < call->tensors[X].count; i++) {
        most = fmax(most, ref_get(call, X, i));
    }
    expected[OUT][0] = most;
}

/* A tournament. */
static double winner(const struct cmpd_tensor *t, size_t from, size_t to)
{
    if (to - from == 1) {
        return cmpd_tensor_get(t, from);
    }
    size_t middle = from + (to - from) / 2;
    double left = winner(t, from, middle), right = winner(t, middle, to);
    return right > left ? right : left;
}

static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    expected[OUT][0] = winner(&call->tensors[X], 0, call->tensors[X].count);
}

const struct cmpd_ref_op cmpd_op_reduce_max = {
    .name = "reduce_max",
    .aliases =
        "max max_reduce block_max max_reduction reduction_max array_max vector_max global_max "
        "find_max amax",
    .summary = "out = the largest of x[0] .. x[n-1]",
    REF_NUMBER_DTYPES,
    REF_REDUCE,
    .args = ARGS,
    .generate = ref_reduce_generate,
    .compute = compute,
    .verify = verify,
};
