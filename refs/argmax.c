/* out = the first index at which the largest element stands. */
#include "refs/op.h"

enum { X, OUT };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("x", REF_NAMES_X, "n"),
    {.name = "out",
     .role = CMPD_ROLE_OUT,
     .aliases = "y output result res idx index indices argmax max_idx max_index dst ret o b c",
     .fixed_dtype = CMPD_I32},
    REF_DIM("n", REF_NAMES_N),
};

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t best = 0;
    for (size_t i = 1; i < call->tensors[X].count; i++) {
        if (ref_get(call, X, i) > ref_get(call, X, best)) {
            best = i;
        }
    }
    expected[OUT][0] = (double)best;
}

/* From the end; an equal one that comes earlier wins. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t best = call->tensors[X].count - 1;
    for (size_t i = best; i-- > 0;) {
        if (!(ref_get(call, X, i) < ref_get(call, X, best))) {
            best = i;
        }
    }
    expected[OUT][0] = (double)best;
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    ref_reduce_generate(call, inputs, seed);
    if (inputs && !ref_inputs_are(inputs, "mixed")) {
        return;
    }
    /*
     * Two near the top whose difference float holds and half does not: the larger one comes second. 60 + 2^-7 rounds to
     * 60 in half, whose step is 2^-5 there.
     */
    struct cmpd_tensor *x = &call->tensors[X];
    if (x->count >= 2) {
        struct cmpd_rng r;
        cmpd_rng_init(&r, seed, 50);
        size_t second = 1 + cmpd_rng_below(&r, x->count - 1);
        size_t first = cmpd_rng_below(&r, second);
        cmpd_tensor_set(x, first, 60);
        cmpd_tensor_set(x, second, 60 + 0x1p-7);
    }
}

const struct cmpd_ref_op cmpd_op_argmax = {
    .name = "argmax",
    .aliases = "arg_max max_index index_of_max reduce_argmax",
    .summary = "out = the first i with x[i] = max(x)",
    REF_FLOAT_DTYPES,
    REF_REDUCE,
    .args = ARGS,
    .generate = generate,
    .compute = compute,
    .verify = verify,
};
