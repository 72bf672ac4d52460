/* The protocol with a program that computes an operator: its description, and programs that answer wrongly. */
#include "unit/unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "refs/npy.h"
#include "refs/outside.h"

/* ---- describe ---- */

#define HEAD "cmpd-reference 1\nname ours\n"
#define BODY "arg in x shape=n\narg out y shape=n\narg dim n\n"

static struct cmpd_ref_op *parse_ok(const char *text)
{
    struct cmpd_ref_op *op = NULL;
    struct cmpd_err err = {0};
    if (cmpd_outside_parse(text, strlen(text), &op, &err) != CMPD_OK) {
        fail_msg("%s", err.msg);
    }
    return op;
}

static void test_describe(void **state)
{
    (void)state;
    struct cmpd_ref_op *op = parse_ok(
        "\n  cmpd-reference 1\r\nname mine\nsummary  y =  a x \ndtypes f32,half\n"
        "arg in x shape=rows,cols aliases=input,src\n"
        "arg in idx shape=rows dtype=i32 values=below:cols\narg in w shape=cols optional=1\n"
        "arg out y shape=rows,cols\narg inout acc shape=1\narg dim rows aliases=m\narg dim cols\n"
        "arg scalar a default=2.5 values=-1:1\n"
        "case small rows=3 cols=31 inputs=large\ncase big rows=4096 cols=4096 size=large\n"
        "tolerance f32 1e-3 1e-2");
    assert_string_equal(op->name, "mine");
    assert_string_equal(op->summary, "y =  a x ");
    assert_int_equal(op->arg_count, 8);
    assert_int_equal(op->dtype_count, 2);
    assert_int_equal(op->dtypes[1], CMPD_F16);
    assert_string_equal(op->args[0].aliases, "input src");
    assert_string_equal(op->args[0].shape, "rows cols");
    assert_int_equal(op->args[1].fixed_dtype, CMPD_I32);
    assert_true(op->args[2].optional && op->args[2].default_value == 1);
    assert_null(op->args[4].shape);
    assert_true(op->args[7].default_value == 2.5);
    assert_int_equal(op->case_count, 2);
    assert_int_equal(op->cases[0].dims.value[1], 31);
    assert_string_equal(op->cases[0].inputs, "large");
    assert_int_equal(op->cases[1].size, CMPD_CASE_LARGE);
    assert_null(op->verify);

    struct cmpd_ref_call call;
    assert_int_equal(cmpd_ref_call_init(&call, op, &op->cases[0].dims, CMPD_F32, NULL), CMPD_OK);
    op->generate(&call, "mixed", 9);
    for (size_t i = 0; i < call.tensors[1].count; i++) {
        double v = cmpd_tensor_get(&call.tensors[1], i);
        assert_true(v >= 0 && v < 31);
    }
    assert_true(call.scalars[7] >= -1 && call.scalars[7] <= 1);
    assert_true(cmpd_ref_tolerance(&call, 3).atol == 1e-3);
    cmpd_ref_call_clear(&call);
    cmpd_outside_close(op);
}

static void test_describe_defaults(void **state)
{
    (void)state;
    struct cmpd_ref_op *op = parse_ok(HEAD BODY);
    assert_int_equal(op->case_count, 6);
    assert_int_equal(op->dtypes[0], CMPD_F32);
    assert_true(cmpd_ref_default_tolerance(CMPD_F32).atol == 1e-5);
    cmpd_outside_close(op);
    cmpd_outside_close(NULL);
}

static void test_describe_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } TEXTS[] = {
        {"", "lacks"},
        {"hello", "cmpd-reference 1"},
        {"cmpd-reference 2\n", "cmpd-reference 1"},
        {HEAD, "lacks"},
        {"cmpd-reference 1\n" BODY, "lacks a name"},
        {HEAD "arg in x shape=n\narg dim n\n", "lacks a result"},
        {HEAD "arg out y\n", "lacks a dimension"},
        {HEAD "name other\n" BODY, "not understood"},
        {HEAD "name ../x\n", "not understood"},
        {HEAD "arg in ../x shape=n\n", "no name"},
        {HEAD "arg in a/b\n", "no name"},
        {HEAD BODY "arg in x shape=n\n", "taken"},
        {HEAD "arg in dtype\n", "taken"},
        {HEAD "arg input x\n", "not: arg"},
        {HEAD "arg in\n", "not: arg"},
        {HEAD "arg in x shape=m\n"
              "arg out y shape=n\narg dim n\n",
         "no dimension"},
        {HEAD "arg in x shape=,\n", "shape"},
        {HEAD "arg in x aliases=a,,b\n", "aliases"},
        {HEAD "arg in x dtype=f7\n", "dtype"},
        {HEAD "arg in x values=2:1\n", "values"},
        {HEAD "arg in x values=nan:1\n", "values"},
        {HEAD "arg in x values=below:../n\n", "values"},
        {HEAD "arg scalar a default=inf\n", "default"},
        {HEAD "arg dim n shape=n\n", "unknown option"},
        {HEAD "arg out y shape=n,n,n,n,n\narg dim n\n", "more than 4"},
        {HEAD BODY "case\n", "case"},
        {HEAD BODY "case a\n", "missing"},
        {HEAD BODY "case a n=0\n", "case"},
        {HEAD BODY "case a n=-3\n", "case"},
        {HEAD BODY "case a n=99999999999999999999\n", "case"},
        {HEAD BODY "case a n=3x\n", "case"},
        {HEAD BODY "case a n=3 inputs=odd\n", "case"},
        {HEAD BODY "dtypes f32,f7\n", "dtype"},
        {HEAD BODY "dtypes ,\n", "dtypes"},
        {HEAD BODY "tolerance f32 1e-3\n", "tolerance"},
        {HEAD BODY "tolerance f32 -1 0\n", "tolerance"},
        {HEAD BODY "tolerance f32 nan 0\n", "tolerance"},
        {HEAD "arg dim a\narg dim b\narg dim c\narg dim d\narg dim e\narg dim f\narg dim g\n",
         "too many"},
        {HEAD "arg dim a\narg dim b\narg dim c\narg dim d\narg out y\n", "case lines"},
    };
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        struct cmpd_ref_op *op = NULL;
        struct cmpd_err err = {0};
        cmpd_rc rc = cmpd_outside_parse(TEXTS[i].text, strlen(TEXTS[i].text), &op, &err);
        if (rc != CMPD_EINPUT || !strstr(err.msg, TEXTS[i].why)) {
            fail_msg("%s: %d %s", TEXTS[i].text, rc, err.msg);
        }
    }
    struct cmpd_ref_op *op;
    assert_int_equal(cmpd_outside_parse("a\0b", 3, &op, NULL), CMPD_EINPUT);
}

/* ---- programs ---- */

struct shell {
    const char *describe; /* what it says */
    const char *compute;  /* a shell command; $2 is the folder */
    const char *folder;
};

static cmpd_rc run_shell(void *ctx, const char *const *args, struct cmpd_proc_result *result,
                         struct cmpd_err *err)
{
    const struct shell *s = ctx;
    const char *argv[24] = {"/bin/sh", "-c", NULL, "sh"};
    size_t n = 4;
    bool describe = strcmp(args[0], "describe") == 0;
    CMPD_AUTOFREE char *script = describe ? cmpd_asprintf("cat <<'END'\n%s\nEND\n", s->describe)
                                          : cmpd_strdup(s->compute);
    argv[2] = script;
    for (; *args; args++) {
        argv[n++] = *args;
    }
    argv[n] = NULL;
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    spec.argv = argv;
    spec.deadline_ms = 20000;
    return cmpd_proc_run(&spec, result, err);
}

static cmpd_rc compute_with(const char *command, const char *folder, double *y,
                            struct cmpd_err *err)
{
    struct shell s = {HEAD BODY, command, folder};
    struct cmpd_outside_how how = {folder, run_shell, &s};
    struct cmpd_ref_op *op = NULL;
    if (cmpd_outside_open(&how, &op, err) != CMPD_OK) {
        fail_msg("%s", err->msg);
    }
    struct cmpd_dims d = {{4}};
    struct cmpd_ref_call call;
    assert_int_equal(cmpd_ref_call_init(&call, op, &d, CMPD_F32, err), CMPD_OK);
    op->generate(&call, "small", 1);
    double *expected[CMPD_REF_ARGS_CEILING] = {NULL, y};
    cmpd_rc rc = cmpd_ref_compute(&call, expected, err);
    for (size_t i = 0; i < 4 && rc == CMPD_OK; i++) {
        assert_true(y[i] == cmpd_tensor_get(&call.tensors[0], i));
    }
    cmpd_ref_call_clear(&call);
    cmpd_outside_close(op);
    return rc;
}

static void test_programs(void **state)
{
    (void)state;
    static const struct {
        const char *command, *why; /* why NULL: it is right */
    } PROGRAMS[] = {
        {"cp $2/x.npy $2/y.out.npy", NULL},
        {"test \"$3 $4\" = 'dtype=f32 n=4' && cp $2/x.npy $2/y.out.npy", NULL},
        {"exit 3", "exited with status 3"},
        {"echo first >&2; echo 'KeyError: last' >&2; exit 1", "KeyError: last"},
        {"kill -9 $$", "compute killed"},
        {"true", "no such file"},
        {"ln -s x.npy $2/y.out.npy", "no such file"},
        {"mkfifo $2/y.out.npy", "no such file"},
        {"mkdir $2/y.out.npy", "no such file"},
        {"echo > $2/y.out.npy", ".npy file"},
        {"head -c 150 $2/x.npy > $2/y.out.npy", "shorter"},
        {"(cat $2/x.npy; echo) > $2/y.out.npy", "longer"},
        {"sed 's/(4,)/(2,)/' $2/x.npy | head -c 144 > $2/y.out.npy", "2 elements"},
        {"head -c 10000000 /dev/zero > $2/y.out.npy", "y.out.npy"},
    };
    char folder[] = "/tmp/cmpd-outside-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < COUNT(PROGRAMS); i++) {
        double y[4];
        struct cmpd_err err = {0};
        cmpd_rc rc = compute_with(PROGRAMS[i].command, folder, y, &err);
        CMPD_AUTOFREE char *left = cmpd_asprintf("%s/y.out.npy", folder);
        rmdir(left);
        if (PROGRAMS[i].why ? rc == CMPD_OK || !strstr(err.msg, PROGRAMS[i].why) ||
                                  !strstr(err.msg, "reference ours")
                            : rc != CMPD_OK) {
            fail_msg("%s: %d %s", PROGRAMS[i].command, rc, err.msg);
        }
    }
    CMPD_AUTOFREE char *x = cmpd_asprintf("%s/x.npy", folder);
    CMPD_AUTOFREE char *y = cmpd_asprintf("%s/y.out.npy", folder);
    unlink(x);
    unlink(y);
    assert_int_equal(rmdir(folder), 0);
}

/* A result of an earlier call is never taken for this one's. */
static void test_stale_result(void **state)
{
    (void)state;
    char folder[] = "/tmp/cmpd-outside-XXXXXX";
    assert_non_null(mkdtemp(folder));
    double y[4];
    struct cmpd_err err = {0};
    assert_int_equal(compute_with("cp $2/x.npy $2/y.out.npy", folder, y, &err), CMPD_OK);
    assert_int_equal(compute_with("true", folder, y, &err), CMPD_EINPUT);
    CMPD_AUTOFREE char *x = cmpd_asprintf("%s/x.npy", folder);
    unlink(x);
    assert_int_equal(rmdir(folder), 0);
}

static void test_describe_fails(void **state)
{
    (void)state;
    struct shell s = {"cmpd-reference 1\nnonsense", "true", "/tmp"};
    struct cmpd_outside_how how = {"/tmp", run_shell, &s};
    struct cmpd_ref_op *op;
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_outside_open(&how, &op, &err), CMPD_EINPUT);
    assert_non_null(strstr(err.msg, "line 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),         cmocka_unit_test(test_describe_defaults),
        cmocka_unit_test(test_describe_refused), cmocka_unit_test(test_programs),
        cmocka_unit_test(test_stale_result),     cmocka_unit_test(test_describe_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
