/*
 * Tolerances and cases against kernels as people write them, here in plain float on the CPU: an honest one passes every
 * case up to medium size with every seed, one with a fault fails some case with every seed.
 */
#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refs/dtype.h"
#include "refs/ref.h"

typedef struct cmpd_ref_call call_t;

static float in(const call_t *c, size_t arg, size_t i)
{
    return (float)cmpd_tensor_get(&c->tensors[arg], i);
}

static void out(call_t *c, size_t arg, size_t i, float v)
{
    cmpd_tensor_set(&c->tensors[arg], i, v);
}

static float half(float v)
{
    return (float)cmpd_dtype_round(CMPD_F16, v);
}

/* In the dtype of the call after each step, as __hadd and __hmul do. */
static float step(const call_t *c, float v)
{
    return (float)cmpd_dtype_round(c->dtype, v);
}

static size_t dim(const call_t *c, int d)
{
    return (size_t)c->dims.value[d];
}

/* ---- activations ---- */

#define MAP1(name, formula)                                \
    static void name(call_t *c)                            \
    {                                                      \
        for (size_t i = 0; i < c->tensors[1].count; i++) { \
            float x = in(c, 0, i);                         \
            out(c, 1, i, (formula));                       \
        }                                                  \
    }

/* tanh.approx.f32: within 2^-11 of the value. */
static float rough_tanh(float v)
{
    float t = tanhf(v);
    return t * (1 + (((int)(v * 977) & 1) ? 0x1p-11F : -0x1p-11F) * (fabsf(v) < 9 ? 1.0F : 0.0F));
}

MAP1(sigmoid_plain, 1 / (1 + expf(-x)))
MAP1(sigmoid_rough, 0.5F + 0.5F * rough_tanh(0.5F * x))
MAP1(sigmoid_half, half(1 / (1 + half(expf(-half(x))))))
MAP1(tanh_by_exp, 1 - 2 / (expf(2 * x) + 1))
MAP1(tanh_rough, rough_tanh(x))
MAP1(tanh_naive, (expf(2 * x) - 1) / (expf(2 * x) + 1)) /* NaN where exp overflows */
MAP1(gelu_erf, 0.5F * x * (1 + erff(x * 0.70710678F)))
MAP1(gelu_erfc, x *(0.5F * erfcf(x * -0.70710678F)))
MAP1(gelu_by_tanh, 0.5F * x * (1 + tanhf(0.79788456F * (x + 0.044715F * x * x * x))))
MAP1(gelu_rough, 0.5F * x * (1 + rough_tanh(0.79788456F * (x + 0.044715F * x * x * x))))
MAP1(gelu_quick, x / (1 + expf(-1.702F * x)))
MAP1(silu_plain, x / (1 + expf(-x)))
MAP1(silu_rough, 0.5F * x * (1 + rough_tanh(0.5F * x)))
MAP1(gelu_stepwise, step(c, step(c, 0.5F * x) * step(c, 1 + step(c, erff(step(c, x * 0.7071F))))))
MAP1(relu_leaks, x > 0 ? x : 0.001F * x)
MAP1(identity, x)

static void tanh_add_plain(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count; i++) {
        out(c, 2, i, step(c, tanhf(in(c, 0, i))) + in(c, 1, i));
    }
}

static void tanh_add_swapped(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count; i++) {
        out(c, 2, i, tanhf(in(c, 1, i)) + in(c, 0, i));
    }
}

/* The last 3 of 4 are left out where n is no multiple of 4. */
static void add_no_tail(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count / 4 * 4; i++) {
        out(c, 2, i, in(c, 0, i) + in(c, 1, i));
    }
}

static void add_fixed_grid(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count && i < 65536; i++) {
        out(c, 2, i, in(c, 0, i) + in(c, 1, i));
    }
}

static void axpy_stepwise(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count; i++) {
        out(c, 2, i, step(c, (float)c->scalars[0] * in(c, 1, i)) + in(c, 2, i));
    }
}

static void bias_relu_stepwise(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count; i++) {
        out(c, 2, i, fmaxf(step(c, in(c, 0, i) + in(c, 1, i % dim(c, 1))), 0));
    }
}

static void bias_relu_rows(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count; i++) {
        out(c, 2, i, fmaxf(in(c, 0, i) + in(c, 1, (i / dim(c, 1)) % dim(c, 1)), 0));
    }
}

/* ---- sums ---- */

static void sum_running(call_t *c)
{
    float sum = 0;
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        sum += in(c, 0, i);
    }
    out(c, 1, 0, sum);
}

static float tree(const call_t *c, size_t from, size_t to)
{
    if (to - from == 1) {
        return in(c, 0, from);
    }
    size_t middle = from + (to - from) / 2;
    return step(c, tree(c, from, middle) + tree(c, middle, to));
}

static void sum_tree(call_t *c)
{
    out(c, 1, 0, tree(c, 0, c->tensors[0].count));
}

/* One element in a thousand is left out. */
static void sum_skips(call_t *c)
{
    float sum = 0;
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        sum += i % 1000 == 999 ? 0 : in(c, 0, i);
    }
    out(c, 1, 0, sum);
}

static void sum_last_missing(call_t *c)
{
    float sum = 0;
    for (size_t i = 0; i + 1 < c->tensors[0].count; i++) {
        sum += in(c, 0, i);
    }
    out(c, 1, 0, sum);
}

static void max_from_zero(call_t *c)
{
    float most = 0;
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        most = fmaxf(most, in(c, 0, i));
    }
    out(c, 1, 0, most);
}

static void argmax_last(call_t *c)
{
    size_t best = 0;
    for (size_t i = 1; i < c->tensors[0].count; i++) {
        best = in(c, 0, i) >= in(c, 0, best) ? i : best;
    }
    out(c, 1, 0, (float)best);
}

/* ---- rows ---- */

static void softmax_rows(call_t *c, bool shift, size_t warp_only)
{
    size_t cols = dim(c, 1);
    for (size_t row = 0; row < c->tensors[0].count; row += cols) {
        float most = shift ? -INFINITY : 0;
        for (size_t i = 0; shift && i < cols; i++) {
            most = fmaxf(most, in(c, 0, row + i));
        }
        for (size_t i = 0; i < cols; i++) {
            float sum = 0;
            size_t from = warp_only ? i / 32 * 32 : 0, to = warp_only ? from + 32 : cols;
            if (warp_only || i == 0) {
                for (size_t j = from; j < to && j < cols; j++) {
                    sum += expf(in(c, 0, row + j) - most);
                }
                c->scalars[0] = sum;
            }
            out(c, 1, row + i, expf(in(c, 0, row + i) - most) / (float)c->scalars[0]);
        }
    }
}

static void softmax_plain(call_t *c)
{
    softmax_rows(c, true, 0);
}

static void softmax_overflows(call_t *c)
{
    softmax_rows(c, false, 0);
}

static void softmax_warps(call_t *c)
{
    softmax_rows(c, true, 1);
}

static void softmax_uniform(call_t *c)
{
    for (size_t i = 0; i < c->tensors[1].count; i++) {
        out(c, 1, i, 1.0F / (float)dim(c, 1));
    }
}

enum norm { TWO_PASS, ONE_PASS, OWN_EPS, SAMPLE, THROUGH_HALF, NO_BETA, EPS_OUTSIDE, GAMMA_BY_ROW };

static void layernorm(call_t *c, enum norm how)
{
    size_t cols = dim(c, 1);
    for (size_t row = 0; row < c->tensors[0].count; row += cols) {
        float sum = 0, squares = 0;
        for (size_t i = 0; i < cols; i++) {
            float v = in(c, 0, row + i);
            sum += v;
            squares += v * v;
        }
        float mean = sum * (1.0F / (float)cols), variance = squares / (float)cols - mean * mean;
        if (how != ONE_PASS) {
            variance = 0;
            for (size_t i = 0; i < cols; i++) {
                float d = in(c, 0, row + i) - mean;
                variance += d * d;
            }
            variance /= (float)(how == SAMPLE && cols > 1 ? cols - 1 : cols);
        }
        float eps = how == OWN_EPS ? 1e-6F : (float)c->scalars[6];
        float scale = how == EPS_OUTSIDE ? 1 / (sqrtf(variance) + 0.001F)
                                         : 1 / sqrtf(fmaxf(variance, 0) + eps);
        for (size_t i = 0; i < cols; i++) {
            float z = (in(c, 0, row + i) - mean) * scale;
            z = how == THROUGH_HALF ? half(z) : z;
            size_t at = how == GAMMA_BY_ROW ? (row / cols) % cols : i;
            out(c, 3, row + i, z * in(c, 1, at) + (how == NO_BETA ? 0 : in(c, 2, i)));
        }
    }
}

#define NORM(name, how)         \
    static void name(call_t *c) \
    {                           \
        layernorm(c, how);      \
    }
NORM(layernorm_two_pass, TWO_PASS)
NORM(layernorm_one_pass, ONE_PASS)
NORM(layernorm_own_eps, OWN_EPS)
NORM(layernorm_sample, SAMPLE)
NORM(layernorm_half, THROUGH_HALF)
NORM(layernorm_no_beta, NO_BETA)
NORM(layernorm_eps_outside, EPS_OUTSIDE)
NORM(layernorm_gamma_by_row, GAMMA_BY_ROW)

static void rmsnorm(call_t *c, bool centred, float eps)
{
    size_t cols = dim(c, 1);
    for (size_t row = 0; row < c->tensors[0].count; row += cols) {
        float squares = 0, mean = 0;
        for (size_t i = 0; centred && i < cols; i++) {
            mean += in(c, 0, row + i) / (float)cols;
        }
        for (size_t i = 0; i < cols; i++) {
            float v = in(c, 0, row + i) - mean;
            squares += v * v;
        }
        float scale = 1 / sqrtf(squares / (float)cols + eps);
        for (size_t i = 0; i < cols; i++) {
            out(c, 2, row + i, in(c, 0, row + i) * scale * in(c, 1, i));
        }
    }
}

static void rmsnorm_plain(call_t *c)
{
    rmsnorm(c, false, (float)c->scalars[5]);
}

static void rmsnorm_own_eps(call_t *c)
{
    rmsnorm(c, false, 1e-6F);
}

static void rmsnorm_centred(call_t *c)
{
    rmsnorm(c, true, (float)c->scalars[5]);
}

/* ---- matmul, transpose, histogram ---- */

enum product { FLOAT_SUM, HALF_SUM, DROP_TAIL, B_TRANSPOSED, TF32, FIXED_TILES };

static float tf32(float v)
{
    return ldexpf(half(ldexpf(v, 0)), 0);
}

static void matmul(call_t *c, enum product how)
{
    size_t m = dim(c, 0), n = dim(c, 1), k = dim(c, 2);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t p = 0; p < (how == DROP_TAIL ? k / 8 * 8 : k); p++) {
                float a = in(c, 0, i * k + p);
                float b = in(c, 1, how == B_TRANSPOSED ? (j * k + p) % (n * k) : p * n + j);
                if (how == TF32) {
                    sum += tf32(a) * tf32(b);
                } else {
                    sum = how == HALF_SUM ? half(sum + half(a * b)) : sum + a * b;
                }
            }
            if (how != FIXED_TILES || (i < 64 && j < 64)) {
                out(c, 2, i * n + j, sum);
            }
        }
    }
}

#define PRODUCT(name, how)      \
    static void name(call_t *c) \
    {                           \
        matmul(c, how);         \
    }
PRODUCT(matmul_float, FLOAT_SUM)
PRODUCT(matmul_half, HALF_SUM)
PRODUCT(matmul_drop_tail, DROP_TAIL)
PRODUCT(matmul_b_transposed, B_TRANSPOSED)
PRODUCT(matmul_tf32, TF32)
PRODUCT(matmul_fixed_tiles, FIXED_TILES)

static void transpose_copies(call_t *c)
{
    for (size_t i = 0; i < c->tensors[1].count; i++) {
        out(c, 1, i, in(c, 0, i));
    }
}

/* Updates that collide get lost: of two equal neighbours one counts. */
static void histogram_races(call_t *c)
{
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        size_t bin = (size_t)in(c, 0, i);
        if (i == 0 || bin != (size_t)in(c, 0, i - 1)) {
            out(c, 1, bin, in(c, 1, bin) + 1);
        }
    }
}

static void histogram_plain(call_t *c)
{
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        size_t bin = (size_t)in(c, 0, i);
        out(c, 1, bin, in(c, 1, bin) + 1);
    }
}

/* ---- other everyday operators ---- */

MAP1(exp_rough, expf(x) * (1 + 0x1p-20F))
MAP1(log_plain, logf(x))
MAP1(softplus_plain, fmaxf(x, 0) + log1pf(expf(-fabsf(x))))
MAP1(softplus_naive, logf(1 + expf(x))) /* Inf from 89 on */
MAP1(elu_naive, x > 0 ? x : expf(x) - 1)

static void silu_mul_plain(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count; i++) {
        float a = in(c, 0, i);
        out(c, 2, i, step(c, a / (1 + expf(-a))) * in(c, 1, i));
    }
}

static void silu_mul_swapped(call_t *c)
{
    for (size_t i = 0; i < c->tensors[2].count; i++) {
        float b = in(c, 1, i);
        out(c, 2, i, b / (1 + expf(-b)) * in(c, 0, i));
    }
}

static void row_sum_running(call_t *c)
{
    for (size_t r = 0; r < c->tensors[1].count; r++) {
        float sum = 0;
        for (size_t i = 0; i < dim(c, 1); i++) {
            sum += in(c, 0, r * dim(c, 1) + i);
        }
        out(c, 1, r, sum);
    }
}

static void row_sum_columns(call_t *c)
{
    for (size_t r = 0; r < c->tensors[1].count; r++) {
        float sum = 0;
        for (size_t i = 0; i < dim(c, 1); i++) {
            sum += in(c, 0, (i * dim(c, 0) + r) % c->tensors[0].count);
        }
        out(c, 1, r, sum);
    }
}

static void log_softmax_rows(call_t *c, bool log_of_softmax)
{
    size_t cols = dim(c, 1);
    for (size_t row = 0; row < c->tensors[0].count; row += cols) {
        float most = -INFINITY, sum = 0;
        for (size_t i = 0; i < cols; i++) {
            most = fmaxf(most, in(c, 0, row + i));
        }
        for (size_t i = 0; i < cols; i++) {
            sum += expf(in(c, 0, row + i) - most);
        }
        for (size_t i = 0; i < cols; i++) {
            float d = in(c, 0, row + i) - most;
            out(c, 1, row + i, log_of_softmax ? logf(expf(d) / sum) : d - logf(sum));
        }
    }
}

static void log_softmax_plain(call_t *c)
{
    log_softmax_rows(c, false);
}

static void log_softmax_underflows(call_t *c)
{
    log_softmax_rows(c, true);
}

static void dot_running(call_t *c)
{
    float sum = 0;
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        sum += in(c, 0, i) * in(c, 1, i);
    }
    out(c, 2, 0, sum);
}

static void mse_running(call_t *c)
{
    float sum = 0;
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        float d = in(c, 0, i) - in(c, 1, i);
        sum += d * d;
    }
    out(c, 2, 0, sum / (float)c->tensors[0].count);
}

static void gemv_running(call_t *c)
{
    for (size_t r = 0; r < dim(c, 0); r++) {
        float sum = 0;
        for (size_t i = 0; i < dim(c, 1); i++) {
            sum += in(c, 0, r * dim(c, 1) + i) * in(c, 1, i);
        }
        out(c, 2, r, sum);
    }
}

static void cumsum_running(call_t *c)
{
    float sum = 0;
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        sum += in(c, 0, i);
        out(c, 1, i, sum);
    }
}

/* Sums of blocks of 1,024 that nobody adds up. */
static void cumsum_blocks(call_t *c)
{
    float sum = 0;
    for (size_t i = 0; i < c->tensors[0].count; i++) {
        sum = i % 1024 ? sum + in(c, 0, i) : in(c, 0, i);
        out(c, 1, i, sum);
    }
}

static void attention(call_t *c, float factor)
{
    size_t seq = dim(c, 2), width = dim(c, 3);
    float scale = (float)c->scalars[8] * factor;
    for (size_t row = 0; row < c->tensors[0].count / width; row++) {
        float most = -INFINITY, sum = 0, acc[64] = {0};
        for (size_t j = 0; j < seq; j++) {
            size_t key = (row / seq * seq + j) * width;
            float score = 0;
            for (size_t i = 0; i < width; i++) {
                score += in(c, 0, row * width + i) * in(c, 1, key + i);
            }
            float next = fmaxf(most, score * scale), keep = expf(most - next);
            float weight = expf(score * scale - next);
            sum = sum * keep + weight;
            for (size_t i = 0; i < width; i++) {
                acc[i] = acc[i] * keep + weight * in(c, 2, key + i);
            }
            most = next;
        }
        for (size_t i = 0; i < width; i++) {
            out(c, 3, row * width + i, acc[i] / sum);
        }
    }
}

static void attention_online(call_t *c)
{
    attention(c, 1);
}

static void attention_unscaled(call_t *c)
{
    attention(c, sqrtf((float)dim(c, 3)));
}

/* ---- the table ---- */

#define F   (1u << CMPD_F32)
#define H   (1u << CMPD_F16)
#define BF  (1u << CMPD_BF16)
#define I   (1u << CMPD_I32)
#define ALL (F | H | BF)

static const struct kernel {
    const char *op, *name;
    void (*run)(call_t *);
    unsigned dtypes;
    bool honest;
    unsigned approximations;
} KERNELS[] = {
    {"sigmoid", "plain", sigmoid_plain, ALL, true, 0},
    {"sigmoid", "by tanh.approx", sigmoid_rough, ALL, true, CMPD_APPROX_TANH},
    {"sigmoid", "in half", sigmoid_half, F, false, 0},
    {"sigmoid", "identity", identity, ALL, false, 0},
    {"tanh", "by exp", tanh_by_exp, ALL, true, 0},
    {"tanh", "tanh.approx", tanh_rough, ALL, true, CMPD_APPROX_TANH},
    {"tanh", "overflows", tanh_naive, F, false, 0},
    {"gelu", "erf", gelu_erf, ALL, true, 0},
    {"gelu", "erfc", gelu_erfc, ALL, true, 0},
    {"gelu", "in steps", gelu_stepwise, H | BF, true, 0},
    {"gelu", "tanh form", gelu_by_tanh, F, false, 0},
    {"gelu", "sigmoid form", gelu_quick, ALL, false, 0},
    {"gelu_tanh", "plain", gelu_by_tanh, ALL, true, 0},
    {"gelu_tanh", "tanh.approx", gelu_rough, ALL, true, CMPD_APPROX_TANH},
    {"gelu_tanh", "erf form", gelu_erf, F, false, 0},
    {"silu", "plain", silu_plain, ALL, true, 0},
    {"silu", "by tanh.approx", silu_rough, ALL, true, CMPD_APPROX_TANH},
    {"relu", "leaks", relu_leaks, F, false, 0},
    {"tanh_add", "plain", tanh_add_plain, ALL, true, 0},
    {"tanh_add", "swapped", tanh_add_swapped, ALL, false, 0},
    {"add", "no tail", add_no_tail, ALL, false, 0},
    {"add", "fixed grid", add_fixed_grid, ALL, false, 0},
    {"axpy", "in steps", axpy_stepwise, ALL, true, 0},
    {"bias_relu", "in steps", bias_relu_stepwise, ALL, true, 0},
    {"bias_relu", "bias by row", bias_relu_rows, ALL, false, 0},
    {"reduce_sum", "running", sum_running, ALL, true, 0},
    {"reduce_sum", "tree in its dtype", sum_tree, ALL, true, 0},
    {"reduce_sum", "skips some", sum_skips, F, false, 0},
    {"reduce_sum", "last missing", sum_last_missing, ALL, false, 0},
    {"reduce_max", "starts at zero", max_from_zero, ALL, false, 0},
    {"argmax", "last of ties", argmax_last, ALL, false, 0},
    {"softmax", "plain", softmax_plain, ALL, true, 0},
    {"softmax", "overflows", softmax_overflows, ALL, false, 0},
    {"softmax", "sum of a warp", softmax_warps, ALL, false, 0},
    {"softmax", "uniform", softmax_uniform, ALL, false, 0},
    {"layernorm", "two passes", layernorm_two_pass, ALL, true, 0},
    {"layernorm", "one pass", layernorm_one_pass, ALL, true, 0},
    {"layernorm", "eps of its own", layernorm_own_eps, ALL, true, 0},
    {"layernorm", "sample variance", layernorm_sample, ALL, false, 0},
    {"layernorm", "through half", layernorm_half, F, false, 0},
    {"layernorm", "no beta", layernorm_no_beta, ALL, false, 0},
    {"layernorm", "eps outside", layernorm_eps_outside, F, false, 0},
    {"layernorm", "gamma by row", layernorm_gamma_by_row, ALL, false, 0},
    {"rmsnorm", "plain", rmsnorm_plain, ALL, true, 0},
    {"rmsnorm", "eps of its own", rmsnorm_own_eps, ALL, true, 0},
    {"rmsnorm", "centred", rmsnorm_centred, ALL, false, 0},
    {"matmul", "in float", matmul_float, ALL, true, 0},
    {"matmul", "in half", matmul_half, H, true, 0},
    {"matmul", "in half for float", matmul_half, F, false, 0},
    {"matmul", "ten bits", matmul_tf32, F, false, 0},
    {"matmul", "drops a tail", matmul_drop_tail, ALL, false, 0},
    {"matmul", "B transposed", matmul_b_transposed, ALL, false, 0},
    {"matmul", "64 x 64 alone", matmul_fixed_tiles, ALL, false, 0},
    {"transpose", "copies", transpose_copies, ALL | I, false, 0},
    {"histogram", "plain", histogram_plain, I, true, 0},
    {"histogram", "races", histogram_races, I, false, 0},
    {"exp", "__expf", exp_rough, ALL, true, 0},
    {"log", "plain", log_plain, ALL, true, 0},
    {"softplus", "plain", softplus_plain, ALL, true, 0},
    {"softplus", "overflows", softplus_naive, ALL, false, 0},
    {"elu", "expf - 1", elu_naive, ALL, true, 0},
    {"silu_mul", "in steps", silu_mul_plain, ALL, true, 0},
    {"silu_mul", "swapped", silu_mul_swapped, ALL, false, 0},
    {"row_sum", "running", row_sum_running, ALL, true, 0},
    {"row_sum", "of columns", row_sum_columns, ALL, false, 0},
    {"log_softmax", "plain", log_softmax_plain, ALL, true, 0},
    {"log_softmax", "log of softmax", log_softmax_underflows, ALL, false, 0},
    {"dot", "running", dot_running, ALL, true, 0},
    {"mse", "running", mse_running, ALL, true, 0},
    {"gemv", "running", gemv_running, ALL, true, 0},
    {"cumsum", "running", cumsum_running, ALL, true, 0},
    {"cumsum", "of blocks alone", cumsum_blocks, ALL, false, 0},
    {"attention", "online", attention_online, ALL, true, 0},
    {"attention", "unscaled", attention_unscaled, ALL, false, 0},
};

struct verdict {
    unsigned cases, refused;
    const char *last; /* refused case */
    struct cmpd_comparison worst;
};

static void run_case(const struct kernel *k, const struct cmpd_ref_op *op, size_t index,
                     enum cmpd_dtype dtype, uint64_t seed, struct verdict *v)
{
    const struct cmpd_ref_case *rc = &op->cases[index];
    call_t truth, given;
    double *expected[CMPD_REF_ARGS_CEILING] = {0};
    assert_int_equal(cmpd_ref_call_init(&truth, op, &rc->dims, dtype, NULL), CMPD_OK);
    assert_int_equal(cmpd_ref_call_init(&given, op, &rc->dims, dtype, NULL), CMPD_OK);
    op->generate(&truth, rc->inputs, seed);
    op->generate(&given, rc->inputs, seed);
    truth.approximations = k->approximations;
    for (size_t i = 0; i < op->arg_count; i++) {
        expected[i] = calloc(truth.tensors[i].count + 1, sizeof(double));
    }
    op->compute(&truth, expected);
    k->run(&given);
    bool ok = true;
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].role == CMPD_ROLE_OUT || op->args[i].role == CMPD_ROLE_INOUT) {
            struct cmpd_comparison c;
            cmpd_compare(&given.tensors[i], expected[i], cmpd_ref_tolerance(&truth, i), &c);
            if (!c.ok) {
                v->worst = c;
            }
            ok = ok && c.ok;
        }
        free(expected[i]);
    }
    v->cases++;
    v->refused += !ok;
    v->last = ok ? v->last : rc->name;
    cmpd_ref_call_clear(&truth);
    cmpd_ref_call_clear(&given);
}

static void check(const struct kernel *k, enum cmpd_dtype dtype, uint64_t seed)
{
    const struct cmpd_ref_op *op = cmpd_ref_find(k->op);
    struct verdict v = {0};
    for (size_t i = 0; i < op->case_count; i++) {
        if (op->cases[i].size != CMPD_CASE_LARGE) {
            run_case(k, op, i, dtype, seed + i, &v);
        }
    }
    if (k->honest && v.refused) {
        fail_msg("%s, %s, %s, seed %llu: refused on %s: [%zu] %.9g for %.9g", k->op, k->name,
                 cmpd_dtype_name(dtype), (unsigned long long)seed, v.last, v.worst.first,
                 v.worst.got, v.worst.expected);
    }
    if (!k->honest && !v.refused) {
        fail_msg("%s, %s, %s, seed %llu: passes all %u cases", k->op, k->name,
                 cmpd_dtype_name(dtype), (unsigned long long)seed, v.cases);
    }
    if (getenv("CMPD_SHOW")) {
        printf("%s, %s, %s: refused on %u of %u\n", k->op, k->name, cmpd_dtype_name(dtype),
               v.refused, v.cases);
    }
}

static void check_all(bool honest)
{
    const char *seeds = getenv("CMPD_SEEDS");
    uint64_t count = seeds ? strtoull(seeds, NULL, 10) : 2;
    for (size_t i = 0; i < COUNT(KERNELS); i++) {
        for (unsigned t = 0; t < CMPD_DTYPE_COUNT; t++) {
            for (uint64_t seed = 0; seed < count && KERNELS[i].honest == honest; seed++) {
                if (KERNELS[i].dtypes & (1u << t)) {
                    check(&KERNELS[i], (enum cmpd_dtype)t, seed * 7919);
                }
            }
        }
    }
}

static void test_honest_kernels_pass(void **state)
{
    (void)state;
    check_all(true);
}

static void test_faults_show(void **state)
{
    (void)state;
    check_all(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest_kernels_pass),
        cmocka_unit_test(test_faults_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
