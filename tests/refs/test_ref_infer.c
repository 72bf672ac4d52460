/* The operator that names mean. */
#include "unit/unit.h"

#include <string.h>

#include "refs/infer.h"

static const char *inferred(const char *comment, const char *file, const char *function)
{
    const char *functions[] = {function};
    struct cmpd_infer_names names = {comment, file, functions, function ? 1 : 0};
    struct cmpd_infer_result r;
    cmpd_ref_infer(&names, &r);
    return r.op ? r.op->name : "";
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *file, *function, *op;
    } NAMES[] = {
        {"g04_tanh_add.cu", NULL, "tanh_add"},
        {"kernels/relu.cu", "relu_kernel", "relu"},
        {NULL, "launch_tanh_add", "tanh_add"},
        {NULL, "launchSoftmax", "softmax"},
        {NULL, "rmsNormKernel", "rmsnorm"},
        {NULL, "layer_norm_fwd", "layernorm"},
        {NULL, "vectorAdd", "add"},
        {NULL, "vector_add_f32", "add"},
        {NULL, "leaky_relu_kernel", "leaky_relu"},
        {NULL, "bias_relu", "bias_relu"},
        {NULL, "fused_bias_gelu", "bias_gelu"},
        {NULL, "gelu_tanh_vec4", "gelu_tanh"},
        {NULL, "gelu_half", "gelu"},
        {NULL, "sgemm_tiled<16>", "matmul"},
        {NULL, "matmul_shared_mem", "matmul"},
        {NULL, "reduce_sum_warp_shuffle", "reduce_sum"},
        {NULL, "reduce_max", "reduce_max"},
        {NULL, "argmax_block", "argmax"},
        {NULL, "saxpy", "axpy"},
        {NULL, "transpose_32", "transpose"},
        {NULL, "histogram_shared(int*)", "histogram"},
        {"x.cu", "do_it", ""},
        {"", "", ""},
        {NULL, "kernel", ""},
        {NULL, "sumo_wrestler", ""},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (!cmpd_ref_find(NAMES[i].op) && NAMES[i].op[0]) {
            continue;
        }
        const char *got = inferred(NULL, NAMES[i].file, NAMES[i].function);
        if (strcmp(got, NAMES[i].op) != 0) {
            fail_msg("%s %s: '%s'", NAMES[i].file ? NAMES[i].file : "-",
                     NAMES[i].function ? NAMES[i].function : "-", got);
        }
    }
}

static void test_comment(void **state)
{
    (void)state;
    assert_string_equal(inferred("relu", "softmax.cu", "softmax"), "relu");
    assert_string_equal(inferred("gemm", NULL, NULL), "matmul");
    assert_string_equal(inferred("nonsense", "softmax.cu", "softmax"), "");
}

/* A file of two operators is neither. */
static void test_ambiguous(void **state)
{
    (void)state;
    const char *functions[] = {"relu_kernel", "tanh_kernel"};
    struct cmpd_infer_names names = {NULL, "activations.cu", functions, 2};
    struct cmpd_infer_result r;
    cmpd_ref_infer(&names, &r);
    assert_null(r.op);
    assert_true(r.count >= 2);
    /* Helpers of the one that the file is named for don't make it so. */
    const char *helpers[] = {"block_max", "block_sum", "softmax_kernel"};
    names = (struct cmpd_infer_names){NULL, "softmax.cu", helpers, 3};
    cmpd_ref_infer(&names, &r);
    assert_non_null(r.op);
    assert_string_equal(r.op->name, "softmax");
}

static void test_odd_names(void **state)
{
    (void)state;
    char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_string_equal(inferred(NULL, longest, longest), "");
    for (size_t i = 0; i < sizeof longest - 1; i += 2) {
        longest[i] = '_';
    }
    assert_string_equal(inferred(NULL, longest, longest), "");
    assert_string_equal(inferred(longest, NULL, NULL), "");
    assert_string_equal(inferred(NULL, "\xff\xfe/\x80.cu", "\xc3\xa9"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_comment),
        cmocka_unit_test(test_ambiguous),
        cmocka_unit_test(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
