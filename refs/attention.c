/*
 * out = softmax(Q K^T * scale) V for each batch and head; all tensors are batch x heads x seq x dim.
 *
 * Tolerance: a weight errs relatively by what its score errs absolutely. A score is a sum of dim products (ref_sum_error);
 * the weighted mean of V then errs by that times the largest |V|, twice, since the denominator errs as much.
 */
#include <math.h>

#include "analysis/base/alloc.h"
#include "refs/op.h"

enum { Q, K, V, OUT, BATCH, HEADS, SEQ, DIM, SCALE };

static const struct cmpd_ref_arg ARGS[] = {
    REF_IN("q", "Q query queries", "batch heads seq dim"),
    REF_IN("k", "K key keys", "batch heads seq dim"),
    REF_IN("v", "V value values val", "batch heads seq dim"),
    REF_OUT("out", "o O output y result res dst", "batch heads seq dim"),
    {.name = "batch",
     .role = CMPD_ROLE_DIM,
     .aliases = "b B batch_size bs",
     .optional = true,
     .default_value = 1,
     .fixed_dtype = -1},
    {.name = "heads",
     .role = CMPD_ROLE_DIM,
     .aliases = "h H num_heads n_heads nheads nh NH",
     .optional = true,
     .default_value = 1,
     .fixed_dtype = -1},
    REF_DIM("seq", "n N seq_len T t len length s S sequence_length L rows"),
    REF_DIM("dim", "d D head_dim hs dk d_k hidden cols dh"),
    REF_SCALAR("scale", "softmax_scale sm_scale factor", 0),
};

/* Left out, it is 1 / sqrt(dim). */
static double scale_of(const struct cmpd_ref_call *call)
{
    double scale = call->scalars[SCALE];
    return scale != 0 ? scale : 1 / sqrt((double)call->dims.value[3]);
}

static void compute(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t seq = (size_t)call->dims.value[2], dim = (size_t)call->dims.value[3];
    CMPD_AUTOFREE double *p = cmpd_calloc(seq, sizeof *p);
    for (size_t row = 0; row < call->tensors[Q].count / dim; row++) {
        size_t head = row / seq * seq;
        double most = -INFINITY, sum = 0;
        for (size_t j = 0; j < seq; j++) {
            p[j] = 0;
            for (size_t c = 0; c < dim; c++) {
                p[j] += ref_get(call, Q, row * dim + c) * ref_get(call, K, (head + j) * dim + c);
            }
            p[j] *= scale_of(call);
            most = fmax(most, p[j]);
        }
        for (size_t j = 0; j < seq; j++) {
            p[j] = exp(p[j] - most);
            sum += p[j];
        }
        for (size_t c = 0; c < dim; c++) {
            double out = 0;
            for (size_t j = 0; j < seq; j++) {
                out += p[j] / sum * ref_get(call, V, (head + j) * dim + c);
            }
            expected[OUT][row * dim + c] = out;
        }
    }
}

/* Key by key, the result rescaled whenever a larger score comes (as FlashAttention does), in long double. */
static void verify(const struct cmpd_ref_call *call, double *const expected[])
{
    size_t seq = (size_t)call->dims.value[2], dim = (size_t)call->dims.value[3];
    CMPD_AUTOFREE long double *acc = cmpd_calloc(dim, sizeof *acc);
    for (size_t row = 0; row < call->tensors[Q].count / dim; row++) {
        long double most = -INFINITY, sum = 0;
        for (size_t j = seq; j-- > 0;) {
            size_t key = (row / seq * seq + j) * dim;
            long double score = 0;
            for (size_t c = dim; c-- > 0;) {
                score += (long double)ref_get(call, K, key + c) * ref_get(call, Q, row * dim + c);
            }
            score *= scale_of(call);
            long double next = score > most ? score : most;
            long double keep = expl(most - next), weight = expl(score - next);
            sum = sum * keep + weight;
            for (size_t c = 0; c < dim; c++) {
                acc[c] = (sum > weight ? acc[c] * keep : 0) + weight * ref_get(call, V, key + c);
            }
            most = next;
        }
        for (size_t c = 0; c < dim; c++) {
            expected[OUT][row * dim + c] = (double)(acc[c] / sum);
        }
    }
}

static void generate(struct cmpd_ref_call *call, const char *inputs, uint64_t seed)
{
    struct ref_fill fill = {.least_exponent = -5, .past_exponent = 1};
    const struct ref_fill values = {.least_exponent = -6, .past_exponent = 3};
    if (ref_inputs_are(inputs, "large")) {
        fill.least_exponent = 2;
        fill.past_exponent = 4;
    }
    ref_fill(call, Q, seed, &fill);
    ref_fill(call, K, seed, &fill);
    ref_fill(call, V, seed, &values);
    call->scalars[SCALE] = cmpd_dtype_round(CMPD_F32, 1 / sqrt((double)call->dims.value[3]));
}

static struct cmpd_tolerance tolerance(const struct cmpd_ref_call *call, size_t arg)
{
    enum cmpd_dtype dtype = call->tensors[arg].dtype;
    size_t dim = (size_t)call->dims.value[3];
    double norm = sqrt((double)dim) * ref_max_abs(&call->tensors[Q]) *
                  ref_max_abs(&call->tensors[K]);
    double score = fabs(scale_of(call)) * ref_sum_error(dtype, dim, norm);
    return ref_tolerance_at_least(dtype, 2 * score * ref_max_abs(&call->tensors[V]));
}

static const struct cmpd_ref_case CASES[] = {
    {"1x1", {{1, 1, 1, 1}}, CMPD_CASE_TINY, "mixed"},
    {"seq 31", {{1, 1, 31, 16}}, CMPD_CASE_TINY, "mixed"},
    {"seq 33", {{1, 1, 33, 32}}, CMPD_CASE_TINY, "mixed"},
    {"large scores", {{1, 1, 20, 64}}, CMPD_CASE_TINY, "large"},
    {"heads", {{2, 3, 17, 32}}, CMPD_CASE_TINY, "mixed"},
    {"seq 64", {{1, 1, 64, 64}}, CMPD_CASE_SMALL, "mixed"},
    {"prime", {{1, 2, 67, 64}}, CMPD_CASE_SMALL, "mixed"},
    {"seq 130", {{1, 1, 130, 64}}, CMPD_CASE_MEDIUM, "mixed"},
    {"seq 1023", {{2, 8, 1023, 64}}, CMPD_CASE_LARGE, "mixed"},
};

static void draw(struct cmpd_dims *dims, uint64_t seed)
{
    struct cmpd_rng r;
    cmpd_rng_init(&r, seed, 100);
    dims->value[0] = dims->value[1] = 1;
    dims->value[2] = cmpd_rng_range(&r, 2, 90);
    dims->value[3] = 32 * cmpd_rng_range(&r, 1, 2);
}

const struct cmpd_ref_op cmpd_op_attention = {
    .name = "attention",
    .aliases =
        "sdpa self_attention flash_attention flashattention scaled_dot_product_attention mha "
        "flash_attn attention_forward flash_attention_forward",
    .summary = "out = softmax(Q K^T / sqrt(dim)) V for each batch and head",
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
