/* Operators that treat each element alone: arguments, cases, loops. */
#include "refs/op.h"

const enum cmpd_dtype ref_float_dtypes[REF_FLOAT_DTYPE_COUNT] = {CMPD_F32, CMPD_F16, CMPD_BF16,
                                                                 CMPD_F64};

const struct cmpd_ref_arg ref_unary_args[REF_UNARY_ARG_COUNT] = {
    REF_IN("x", REF_NAMES_X, "n"), REF_OUT("y", REF_NAMES_Y, "n"), REF_N_OR_MATRIX};

const struct cmpd_ref_arg ref_binary_args[REF_BINARY_ARG_COUNT] = {
    REF_IN("a", REF_NAMES_A, "n"), REF_IN("b", REF_NAMES_B, "n"),
    REF_OUT("out", REF_NAMES_BINARY_OUT, "n"), REF_N_OR_MATRIX};

const enum cmpd_dtype ref_number_dtypes[REF_NUMBER_DTYPE_COUNT] = {CMPD_F32, CMPD_F16, CMPD_BF16,
                                                                   CMPD_F64, CMPD_I32};

/*
 * Beside the tails of vectors, warps and blocks: more than 65,536 elements, so that a fixed grid of 64 or 256 blocks
 * without a loop leaves some out.
 */
const struct cmpd_ref_case ref_elementwise_cases[REF_ELEMENTWISE_CASES] = {
    {"n=1", {{1, 1, 1}}, CMPD_CASE_TINY, "mixed"},
    {"n=31", {{31, 1, 31}}, CMPD_CASE_TINY, "mixed"},
    {"n=33", {{33, 3, 11}}, CMPD_CASE_TINY, "small"},
    {"n=1000", {{1000, 25, 40}}, CMPD_CASE_TINY, "mixed"},
    {"large values", {{1026, 27, 38}}, CMPD_CASE_TINY, "large"},
    {"zeros", {{130, 13, 10}}, CMPD_CASE_TINY, "zeros"},
    {"prime", {{10007, 10007, 1}}, CMPD_CASE_SMALL, "mixed"},
    {"n=100287", {{100287, 99, 1013}}, CMPD_CASE_MEDIUM, "mixed"},
    {"n=1050621", {{1050621, 1023, 1027}}, CMPD_CASE_LARGE, "mixed"},
    {"n=16777207", {{16777207, 4099, 4093}}, CMPD_CASE_LARGE, "mixed"},
};

void ref_map1(const struct cmpd_ref_call *call, double *const expected[], ref_f1 *f)
{
    for (size_t i = 0; i < call->tensors[1].count; i++) {
        expected[1][i] = f(ref_get(call, 0, i));
    }
}

void ref_map2(const struct cmpd_ref_call *call, double *const expected[], ref_f2 *f)
{
    for (size_t i = 0; i < call->tensors[2].count; i++) {
        expected[2][i] = f(ref_get(call, 0, i), ref_get(call, 1, i));
    }
}

void ref_elementwise_fill(struct cmpd_ref_call *call, size_t arg, const char *inputs, uint64_t seed)
{
    if (ref_inputs_are(inputs, "zeros")) {
        ref_fill_constant(call, arg, 0);
    } else if (ref_inputs_are(inputs, "small")) {
        ref_fill(call, arg, seed, &(struct ref_fill){.least_exponent = -6, .past_exponent = 1});
    } else if (ref_inputs_are(inputs, "large")) {
        ref_fill(call, arg, seed, &(struct ref_fill){.least_exponent = 5, .past_exponent = 7});
    } else {
        ref_fill(call, arg, seed, &ref_mixed);
    }
}

void ref_elementwise_generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    for (size_t i = 0; i < call->op->arg_count; i++) {
        if (call->op->args[i].role == CMPD_ROLE_IN) {
            ref_elementwise_fill(call, i, inputs, seed);
        }
    }
}

void ref_elementwise_draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[1] = cmpd_rng_range(&r, 2, 150);
    dims->value[2] = cmpd_rng_range(&r, 2, 150);
    dims->value[0] = dims->value[1] * dims->value[2];
}
