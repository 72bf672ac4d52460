/* Every operator: its table, its two formulas against each other, its cases against results that need no work. */
#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refs/admit.h"
#include "refs/dtype.h"
#include "refs/ref.h"
#include "refs/words.h"

#define FOR_EACH_OP(op)           \
    const struct cmpd_ref_op *op; \
    for (size_t op##_i = 0; (op = cmpd_ref_at(op##_i)); op##_i++)

static bool is_dim(const struct cmpd_ref_arg *a)
{
    return a->role == CMPD_ROLE_DIM;
}

static bool is_tensor(const struct cmpd_ref_arg *a)
{
    return a->role == CMPD_ROLE_IN || a->role == CMPD_ROLE_OUT || a->role == CMPD_ROLE_INOUT;
}

static bool is_output(const struct cmpd_ref_arg *a)
{
    return a->role == CMPD_ROLE_OUT || a->role == CMPD_ROLE_INOUT;
}

/* ---- the table ---- */

static void test_table_is_sorted(void **state)
{
    (void)state;
    const char *last = "";
    size_t count = 0;
    FOR_EACH_OP(op)
    {
        assert_true(strcmp(last, op->name) < 0);
        assert_ptr_equal(cmpd_ref_find(op->name), op);
        last = op->name;
        count++;
    }
    assert_true(count >= 20);
    assert_null(cmpd_ref_find("no_such_operator"));
    assert_null(cmpd_ref_find(""));
    assert_null(cmpd_ref_find(NULL));
    assert_null(cmpd_ref_find("soft_max rowwise_softmax"));
    assert_null(cmpd_ref_at((size_t)-1));
    assert_string_equal(cmpd_ref_find("gemm")->name, "matmul");
}

/* No name means two operators. */
static void test_names_are_unique(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        const char *rest = op->aliases;
        struct cmpd_word word;
        while (cmpd_word_next(&rest, &word)) {
            char name[64];
            assert_true(word.len < sizeof name);
            memcpy(name, word.at, word.len);
            name[word.len] = 0;
            FOR_EACH_OP(other)
            {
                if (strcmp(other->name, name) == 0 ||
                    (other != op && cmpd_words_have(other->aliases, name))) {
                    fail_msg("%s: '%s' is %s as well", op->name, name, other->name);
                }
            }
        }
    }
}

static void check_arg(const struct cmpd_ref_op *op, size_t i)
{
    const struct cmpd_ref_arg *a = &op->args[i];
    assert_non_null(a->name);
    const char *rest = a->shape;
    struct cmpd_word word;
    while (cmpd_word_next(&rest, &word)) {
        bool found = false;
        for (size_t d = 0; d < op->arg_count; d++) {
            found = found || (is_dim(&op->args[d]) && cmpd_word_is(word, op->args[d].name));
        }
        if (!found) {
            fail_msg("%s: %s has a dimension that is no argument", op->name, a->name);
        }
    }
    bool integer = a->fixed_dtype >= 0 && !cmpd_dtype_is_float((enum cmpd_dtype)a->fixed_dtype);
    assert_true(a->fixed_dtype == -1 || (is_tensor(a) && integer));
    bool exact;
    assert_int_equal(cmpd_ref_match_arg(op, a->name, &exact), i);
    assert_true(exact);
}

static void test_arguments(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        size_t dims = 0, outputs = 0;
        assert_true(op->arg_count <= CMPD_REF_ARGS_CEILING);
        for (size_t i = 0; i < op->arg_count; i++) {
            check_arg(op, i);
            assert_int_equal(cmpd_ref_dim_index(op, i), is_dim(&op->args[i]) ? (int)dims : -1);
            dims += is_dim(&op->args[i]);
            outputs += is_output(&op->args[i]);
        }
        assert_true(dims > 0 && dims <= CMPD_REF_DIMS_CEILING && outputs > 0);
        assert_true(op->dtype_count > 0 && op->case_count >= 4);
        assert_non_null(op->summary);
    }
}

static void test_parameter_names(void **state)
{
    (void)state;
    static const struct {
        const char *op, *param, *arg;
        bool pointer;
    } NAMES[] = {
        {"relu", "input", "x", true},
        {"relu", "d_in", "x", true},
        {"relu", "d_output", "y", true},
        {"relu", "dX", "x", true},
        {"relu", "x_ptr", "x", true},
        {"relu", "numElements", "n", false},
        {"relu", "N", "n", false},
        {"add", "A", "a", true},
        {"add", "d_B", "b", true},
        {"add", "C", "out", true},
        {"tanh_add", "lhs", "a", true},
        {"softmax", "hidden_size", "cols", false},
        {"softmax", "batch_size", "rows", false},
        {"layernorm", "weight", "gamma", true},
        {"layernorm", "bias", "beta", true},
        {"layernorm", "epsilon", "eps", false},
        {"matmul", "M", "m", false},
        {"matmul", "d_A", "a", true},
        {"matmul", "h_c", "c", true},
        {"axpy", "a", "alpha", false},
        {"axpy", "alpha", "alpha", false},
        {"histogram", "hist", "counts", true},
        {"histogram", "num_bins", "bins", false},
        {"softmax", "nonsense", NULL, false},
        {"softmax", "", NULL, false},
        {"softmax", "_", NULL, true},
        {"softmax", "d_", NULL, true},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const struct cmpd_ref_op *op = cmpd_ref_find(NAMES[i].op);
        int got = cmpd_ref_match_param(op, NAMES[i].param, NAMES[i].pointer, NULL);
        const char *name = got < 0 ? NULL : op->args[got].name;
        if (name != NAMES[i].arg && (!name || !NAMES[i].arg || strcmp(name, NAMES[i].arg) != 0)) {
            fail_msg("%s: %s is %s", NAMES[i].op, NAMES[i].param, name ? name : "nothing");
        }
    }
}

/* An alias means one input, one output, one number. */
static void test_aliases_are_disjoint(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        for (size_t i = 0; i < op->arg_count; i++) {
            const char *rest = op->args[i].aliases;
            struct cmpd_word word;
            while (cmpd_word_next(&rest, &word)) {
                for (size_t j = 0; j < op->arg_count; j++) {
                    const struct cmpd_ref_arg *b = &op->args[j];
                    char name[64];
                    assert_true(word.len < sizeof name);
                    memcpy(name, word.at, word.len);
                    name[word.len] = 0;
                    bool same_kind = is_tensor(b) == is_tensor(&op->args[i]) &&
                                     is_output(b) == is_output(&op->args[i]);
                    if (j != i && same_kind &&
                        (cmpd_words_have(b->aliases, name) || strcmp(b->name, name) == 0)) {
                        fail_msg("%s: '%s' is %s and %s", op->name, name, op->args[i].name,
                                 b->name);
                    }
                }
            }
        }
    }
}

/* ---- cases ---- */

static size_t elements(const struct cmpd_ref_op *op, const struct cmpd_dims *dims)
{
    size_t most = 0;
    for (size_t i = 0; i < op->arg_count; i++) {
        size_t count = cmpd_ref_count(op, i, dims);
        most = count > most ? count : most;
    }
    return most;
}

static void test_cases(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        size_t most = 0, large = 0;
        for (size_t i = 0; i < op->case_count; i++) {
            const struct cmpd_ref_case *c = &op->cases[i];
            struct cmpd_dims d = c->dims;
            struct cmpd_err err = {0};
            if (cmpd_ref_dims_complete(op, &d, &err) != CMPD_OK) {
                fail_msg("%s, case %s: %s", op->name, c->name, err.msg);
            }
            assert_memory_equal(&d, &c->dims, sizeof d);
            assert_non_null(c->inputs);
            size_t count = elements(op, &d);
            assert_true(count > 0);
            for (size_t j = 0; j < i; j++) {
                assert_string_not_equal(c->name, op->cases[j].name);
            }
            if (c->size == CMPD_CASE_LARGE) {
                large++;
            } else {
                most = count > most ? count : most;
            }
            assert_true(c->size != CMPD_CASE_TINY || count <= 10000);
        }
        assert_true(large > 0 && most > 0);
    }
}

static void test_drawn_shapes(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        assert_non_null(op->draw);
        for (uint64_t seed = 0; op->draw && seed < 200; seed++) {
            struct cmpd_dims d = {{0}}, again = {{0}};
            op->draw(&d, seed);
            op->draw(&again, seed);
            assert_memory_equal(&d, &again, sizeof d);
            assert_int_equal(cmpd_ref_dims_complete(op, &again, NULL), CMPD_OK);
            assert_memory_equal(&d, &again, sizeof d);
            size_t count = elements(op, &d);
            assert_true(count > 0 && count < 70000);
        }
    }
}

/* ---- formulas ---- */

struct results {
    double *compute[CMPD_REF_ARGS_CEILING];
    double *verify[CMPD_REF_ARGS_CEILING];
};

static void results_alloc(struct results *r, const struct cmpd_ref_call *call)
{
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < call->op->arg_count; i++) {
        if (is_output(&call->op->args[i])) {
            r->compute[i] = calloc(call->tensors[i].count, sizeof(double));
            r->verify[i] = calloc(call->tensors[i].count, sizeof(double));
            for (size_t e = 0; e < call->tensors[i].count; e++) {
                r->compute[i][e] = r->verify[i][e] = NAN; /* what stays unwritten shows */
            }
        }
    }
}

static void results_clear(struct results *r)
{
    for (size_t i = 0; i < CMPD_REF_ARGS_CEILING; i++) {
        free(r->compute[i]);
        free(r->verify[i]);
    }
}

static double magnitude_of(const struct cmpd_tensor *t)
{
    double largest = 0;
    for (size_t e = 0; e < t->count; e++) {
        largest = fmax(largest, fabs(cmpd_tensor_get(t, e)));
    }
    return largest;
}

static double magnitude(const struct cmpd_ref_call *call)
{
    double most = 0;
    for (size_t i = 0; i < call->op->arg_count; i++) {
        most = fmax(most, magnitude_of(&call->tensors[i]));
    }
    return most;
}

/* Both in double or better: they agree to far below any tolerance of a kernel. */
static void check_agree(const struct cmpd_ref_call *call, const struct results *r, const char *name)
{
    double noise = 1e-13 * (1 + magnitude(call) * magnitude(call));
    for (size_t i = 0; i < call->op->arg_count; i++) {
        struct cmpd_tolerance tol = {0};
        if (r->compute[i]) {
            tol = cmpd_ref_tolerance(call, i);
        }
        for (size_t e = 0; r->compute[i] && e < call->tensors[i].count; e++) {
            double a = r->compute[i][e], b = r->verify[i][e];
            bool same = fabs(a - b) <= noise + 1e-11 * fabs(b);
            bool far_below = fabs(a - b) <= (tol.atol + tol.rtol * fabs(b)) / 100;
            if (!same || !(far_below || a == b)) {
                fail_msg("%s %s, case %s: [%zu] is %.17g and %.17g", call->op->name,
                         cmpd_dtype_name(call->dtype), name, e, a, b);
            }
        }
    }
}

static void check_case(const struct cmpd_ref_op *op, const struct cmpd_ref_case *c,
                       enum cmpd_dtype dtype, uint64_t seed)
{
    struct cmpd_ref_call call;
    struct results r;
    assert_int_equal(cmpd_ref_call_init(&call, op, &c->dims, dtype, NULL), CMPD_OK);
    op->generate(&call, c->inputs, seed);
    results_alloc(&r, &call);
    op->compute(&call, r.compute);
    op->verify(&call, r.verify);
    check_agree(&call, &r, c->name);
    results_clear(&r);
    cmpd_ref_call_clear(&call);
}

static void test_formulas_agree(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        for (size_t i = 0; i < op->case_count; i++) {
            for (size_t t = 0; t < op->dtype_count && op->cases[i].size != CMPD_CASE_LARGE; t++) {
                check_case(op, &op->cases[i], op->dtypes[t], 11 + i);
            }
        }
    }
}

static double norm2(const struct cmpd_tensor *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        sum += cmpd_tensor_get(t, i) * cmpd_tensor_get(t, i);
    }
    return sqrt(sum);
}

/*
 * What an analysis allows in float beyond 1e-5 is a small share of what is computed with: of the results, or of a sum's
 * terms where they cancel.
 */
static void check_narrow(const struct cmpd_ref_call *call, const struct results *r,
                         const char *name)
{
    double scale = 0;
    for (size_t i = 0; i < call->op->arg_count; i++) {
        if (call->op->args[i].role == CMPD_ROLE_IN) {
            scale = scale > 0 ? scale * fmax(1, magnitude_of(&call->tensors[i]))
                              : norm2(&call->tensors[i]);
        }
    }
    for (size_t i = 0; i < call->op->arg_count; i++) {
        if (r->compute[i]) {
            struct cmpd_tolerance t = cmpd_ref_tolerance(call, i);
            if (t.rtol > 1e-4 || t.atol > 1.01e-5 + 5e-5 * scale) {
                fail_msg("%s, case %s: atol %g, rtol %g", call->op->name, name, t.atol, t.rtol);
            }
        }
    }
}

static void test_tolerances_stay_narrow(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        for (size_t i = 0; i < op->case_count; i++) {
            struct cmpd_ref_call call;
            struct results r;
            if (op->dtypes[0] != CMPD_F32 || op->cases[i].size == CMPD_CASE_LARGE) {
                continue;
            }
            assert_int_equal(cmpd_ref_call_init(&call, op, &op->cases[i].dims, CMPD_F32, NULL),
                             CMPD_OK);
            op->generate(&call, op->cases[i].inputs, 17 + i);
            results_alloc(&r, &call);
            op->compute(&call, r.compute);
            check_narrow(&call, &r, op->cases[i].name);
            results_clear(&r);
            cmpd_ref_call_clear(&call);
        }
    }
}

/* ---- inputs ---- */

static void test_generators(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        for (size_t i = 0; i < op->case_count; i++) {
            const struct cmpd_ref_case *c = &op->cases[i];
            if (c->size > CMPD_CASE_SMALL) {
                continue;
            }
            for (size_t t = 0; t < op->dtype_count; t++) {
                struct cmpd_ref_call a, b;
                assert_int_equal(cmpd_ref_call_init(&a, op, &c->dims, op->dtypes[t], NULL),
                                 CMPD_OK);
                assert_int_equal(cmpd_ref_call_init(&b, op, &c->dims, op->dtypes[t], NULL),
                                 CMPD_OK);
                op->generate(&a, c->inputs, 5);
                op->generate(&b, c->inputs, 5);
                for (size_t k = 0; k < op->arg_count; k++) {
                    size_t bytes = a.tensors[k].count * cmpd_dtype_size(a.tensors[k].dtype);
                    if (bytes) {
                        assert_memory_equal(a.tensors[k].data, b.tensors[k].data, bytes);
                    }
                    assert_true(a.scalars[k] == b.scalars[k]);
                    for (size_t e = 0; e < a.tensors[k].count; e++) {
                        assert_true(isfinite(cmpd_tensor_get(&a.tensors[k], e)));
                    }
                }
                op->generate(&b, NULL, 5);
                cmpd_ref_call_clear(&a);
                cmpd_ref_call_clear(&b);
            }
        }
    }
}

/* What the kernel's own dtype can't hold would be Inf for an honest kernel too. */
static void test_results_fit_their_dtype(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        for (size_t i = 0; i < op->case_count; i++) {
            const struct cmpd_ref_case *c = &op->cases[i];
            for (size_t t = 0; t < op->dtype_count && c->size != CMPD_CASE_LARGE; t++) {
                struct cmpd_ref_call call;
                struct results r;
                assert_int_equal(cmpd_ref_call_init(&call, op, &c->dims, op->dtypes[t], NULL),
                                 CMPD_OK);
                op->generate(&call, c->inputs, 3);
                results_alloc(&r, &call);
                op->compute(&call, r.compute);
                for (size_t k = 0; k < op->arg_count; k++) {
                    for (size_t e = 0; r.compute[k] && e < call.tensors[k].count; e++) {
                        double v = cmpd_dtype_round(call.tensors[k].dtype, r.compute[k][e]);
                        if (!isfinite(v)) {
                            fail_msg("%s %s, case %s: %g overflows", op->name,
                                     cmpd_dtype_name(op->dtypes[t]), c->name, r.compute[k][e]);
                        }
                    }
                }
                results_clear(&r);
                cmpd_ref_call_clear(&call);
            }
        }
    }
}

/* ---- a task admits itself ---- */

/* In float it is not one lucky case that catches a trick, but a third of them or more. */
static void check_shares(const struct cmpd_ref_op *op, enum cmpd_dtype dtype,
                         const struct cmpd_admission *a)
{
    for (int trick = 0; dtype == CMPD_F32 && trick < CMPD_TRICK_COUNT; trick++) {
        if (a->caught[trick] * 3 < a->tried[trick]) {
            fail_msg("%s: %s is caught in %u of %u cases", op->name,
                     cmpd_trick_name((enum cmpd_trick)trick), a->caught[trick], a->tried[trick]);
        }
    }
}

static void test_every_trick_fails(void **state)
{
    (void)state;
    FOR_EACH_OP(op)
    {
        for (size_t t = 0; t < op->dtype_count; t++) {
            for (uint64_t seed = 1; seed <= 3; seed++) {
                struct cmpd_admission a;
                enum cmpd_trick passed;
                assert_int_equal(
                    cmpd_ref_admit(op, op->dtypes[t], CMPD_CASE_SMALL, seed * 1000, &a, NULL),
                    CMPD_OK);
                if (!cmpd_admission_ok(&a, &passed)) {
                    fail_msg("%s %s: %s passes all %u cases", op->name,
                             cmpd_dtype_name(op->dtypes[t]), cmpd_trick_name(passed),
                             a.tried[passed]);
                }
                if (op->dtypes[t] == CMPD_F32 && !a.tried[CMPD_TRICK_HALF]) {
                    fail_msg("%s: a recompute in half was not tried", op->name);
                }
                assert_true(a.tried[CMPD_TRICK_ZEROS] > 0);
                check_shares(op, op->dtypes[t], &a);
            }
        }
    }
}

/* The admission itself can fail: with a tolerance that accepts anything, everything passes. */
static void test_admission_can_fail(void **state)
{
    (void)state;
    const struct cmpd_ref_op *op = cmpd_ref_find("add");
    struct cmpd_admission a = {{0}, {0}};
    struct cmpd_dims d = {{100, 10, 10}};
    struct cmpd_tolerance loose = {1e30, 0};
    enum cmpd_trick passed;
    assert_int_equal(cmpd_ref_admit_case(op, &d, CMPD_F32, "mixed", 1, &loose, &a, NULL), CMPD_OK);
    assert_false(cmpd_admission_ok(&a, &passed));
    assert_int_equal(passed, CMPD_TRICK_ZEROS);
    assert_int_equal(a.caught[CMPD_TRICK_NAN], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sorted),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_parameter_names),
        cmocka_unit_test(test_aliases_are_disjoint),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_drawn_shapes),
        cmocka_unit_test(test_formulas_agree),
        cmocka_unit_test(test_tolerances_stay_narrow),
        cmocka_unit_test(test_generators),
        cmocka_unit_test(test_results_fit_their_dtype),
        cmocka_unit_test(test_every_trick_fails),
        cmocka_unit_test(test_admission_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
