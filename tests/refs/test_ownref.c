/* References of the user's own through the jail: the examples, and files that are no reference. */
#include "unit/unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/compile/workdir.h"
#include "gpu-runner/reference/ownref.h"
#include "refs/admit.h"

static const struct cmpd_jail_ops *jail = &cmpd_jail_none;

static cmpd_rc open_ref(enum cmpd_reference_kind kind, const char *root, const char *path,
                        struct cmpd_ownref **out, struct cmpd_err *err)
{
    struct cmpd_ownref_request q = {
        .kind = kind, .root = root, .path = path, .jail = jail, .cancel_fd = -1};
    return cmpd_ownref_open(&q, out, err);
}

static void check_formula(const struct cmpd_ref_op *op)
{
    enum { X, SHIFT, Y, ROWS, COLS, ALPHA };
    struct cmpd_ref_call call;
    struct cmpd_err err = {0};
    for (size_t i = 0; i < op->case_count; i++) {
        if (op->cases[i].size == CMPD_CASE_LARGE) {
            continue;
        }
        assert_int_equal(cmpd_ref_call_init(&call, op, &op->cases[i].dims, CMPD_F32, &err),
                         CMPD_OK);
        op->generate(&call, op->cases[i].inputs, i);
        size_t count = call.tensors[Y].count, cols = call.tensors[SHIFT].count;
        double *expected[CMPD_REF_ARGS_CEILING] = {0};
        expected[Y] = cmpd_calloc(count, sizeof(double));
        if (cmpd_ref_compute(&call, expected, &err) != CMPD_OK) {
            fail_msg("%s", err.msg);
        }
        for (size_t e = 0; e < count; e++) {
            double y = call.scalars[ALPHA] * cmpd_tensor_get(&call.tensors[X], e) +
                       cmpd_tensor_get(&call.tensors[SHIFT], e % cols);
            double diff = y - expected[Y][e];
            assert_true(diff < 1e-12 && diff > -1e-12);
        }
        free(expected[Y]);
        cmpd_ref_call_clear(&call);
    }
}

static void check_example(enum cmpd_reference_kind kind, const char *path)
{
    const char *source = getenv("CMPD_SOURCE_DIR");
    CMPD_AUTOFREE char *root = cmpd_asprintf("%s/refs/examples", source ? source : ".");
    struct cmpd_ownref *r;
    struct cmpd_err err = {0};
    if (open_ref(kind, root, path, &r, &err) != CMPD_OK) {
        fail_msg("%s", err.msg);
    }
    const struct cmpd_ref_op *op = cmpd_ownref_op(r);
    assert_string_equal(op->name, "scale_shift");
    assert_int_equal(op->dtype_count, 2);
    assert_int_equal(op->case_count, 5);
    check_formula(op);
    struct cmpd_admission a;
    enum cmpd_trick passed;
    assert_int_equal(cmpd_ref_admit(op, CMPD_F32, CMPD_CASE_TINY, 1, &a, &err), CMPD_OK);
    assert_true(cmpd_admission_ok(&a, &passed));
    cmpd_ownref_close(r);
}

static void test_c_file(void **state)
{
    (void)state;
    check_example(CMPD_REFERENCE_FILE, "scale_shift.c");
}

static bool has_numpy(void)
{
    struct cmpd_proc_spec spec = CMPD_PROC_SPEC_INIT;
    spec.argv = (const char *const[]){"/usr/bin/python3", "-c", "import numpy", NULL};
    struct cmpd_proc_result p;
    if (cmpd_proc_run(&spec, &p, NULL) != CMPD_OK) {
        return false;
    }
    bool there = p.end == CMPD_PROC_EXITED && p.exit_status == 0;
    cmpd_proc_result_clear(&p);
    return there;
}

static void test_command(void **state)
{
    (void)state;
    if (!has_numpy()) {
        print_message("python3-numpy is not there: skipped\n");
        skip();
    }
    check_example(CMPD_REFERENCE_COMMAND, "scale_shift.py");
}

/* The same in the jail, where this machine has one. */
static void test_in_the_jail(void **state)
{
    (void)state;
    struct cmpd_jail_probe probe;
    cmpd_jail_probe(&probe);
    if (!probe.usable) {
        print_message("no jail here: %s\n", probe.why_not);
        skip();
    }
    jail = &cmpd_jail_bwrap;
    check_example(CMPD_REFERENCE_FILE, "scale_shift.c");
    if (has_numpy()) {
        check_example(CMPD_REFERENCE_COMMAND, "scale_shift.py");
    }
    jail = &cmpd_jail_none;
}

/* ---- files that are no reference ---- */

#define START "#include \"cmpd_reference.h\"\n"
#define ARGS                                                                           \
    "static const struct cmpd_reference_arg args[] = {{.role = \"in\", .name = \"x\"," \
    " .shape = \"n\"}, {.role = \"out\", .name = \"y\", .shape = \"n\"},"              \
    " {.role = \"dim\", .name = \"n\"}};\n"
#define OP                                                                                     \
    "const struct cmpd_reference cmpd_reference = {.version = CMPD_REFERENCE_VERSION, .name =" \
    " \"own\", .args = args, .arg_count = 3, .compute = compute};\n"
#define COMPUTE(body) \
    "static void compute(const struct cmpd_reference_call *c, double *const o[]) {" body "}\n"

/* The folder lives as long as the reference; the caller removes it. */
static cmpd_rc open_text(const char *text, char **root, struct cmpd_ownref **out,
                         struct cmpd_err *err)
{
    assert_int_equal(cmpd_workdir_make(root, err), CMPD_OK);
    CMPD_AUTOFREE char *path = cmpd_asprintf("%s/own.c", *root);
    assert_int_equal(cmpd_file_write_atomic(path, text, strlen(text), err), CMPD_OK);
    return open_ref(CMPD_REFERENCE_FILE, *root, "own.c", out, err);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } FILES[] = {
        {"int x = ;\n", "expected expression"},
        {"int x;\n", "cmpd_reference"},
        {"#include <no/such.h>\n", "no/such.h"},
        {START ARGS COMPUTE("(void)c; (void)o;") "const struct cmpd_reference cmpd_reference = "
                                                 "{.version = 77, .compute = compute};\n",
         "wrong version"},
        {START ARGS COMPUTE(
             "(void)c; (void)o;") "static void __attribute__((constructor)) start(void) { __builtin_trap(); }\n" OP,
         "killed by signal"},
    };
    for (size_t i = 0; i < COUNT(FILES); i++) {
        struct cmpd_ownref *r;
        struct cmpd_err err = {0};
        char *root;
        cmpd_rc rc = open_text(FILES[i].text, &root, &r, &err);
        cmpd_workdir_remove(root);
        free(root);
        if (rc != CMPD_EINPUT || !strstr(err.msg, FILES[i].why) || !strstr(err.msg, "own.c")) {
            fail_msg("%s: %d %s", FILES[i].text, rc, err.msg);
        }
    }
    struct cmpd_ownref *r;
    struct cmpd_err err = {0};
    assert_int_equal(open_ref(CMPD_REFERENCE_FILE, "/tmp", "no-such-file.c", &r, &err),
                     CMPD_ENOENT);
    assert_int_equal(open_ref(CMPD_REFERENCE_COMMAND, "/etc", "passwd", &r, &err), CMPD_EINPUT);
}

/* A reference that crashes, hangs on or lies fails its call and nothing else. */
static void test_bad_compute(void **state)
{
    (void)state;
    static const char *const BODIES[] = {
        "(void)c; (void)o; __builtin_trap();",
        "(void)c; (void)o; extern void _exit(int); _exit(0);",
    };
    for (size_t i = 0; i < COUNT(BODIES); i++) {
        CMPD_AUTOFREE char *text = cmpd_asprintf(
            START ARGS
            "static void compute(const struct cmpd_reference_call *c, double *const o[]) {%s}\n" OP,
            BODIES[i]);
        struct cmpd_ownref *r;
        struct cmpd_err err = {0};
        char *root;
        if (open_text(text, &root, &r, &err) != CMPD_OK) {
            fail_msg("%s", err.msg);
        }
        struct cmpd_ref_call call;
        struct cmpd_dims d = {{5}};
        double y[5];
        double *expected[CMPD_REF_ARGS_CEILING] = {NULL, y};
        const struct cmpd_ref_op *op = cmpd_ownref_op(r);
        assert_int_equal(cmpd_ref_call_init(&call, op, &d, CMPD_F32, &err), CMPD_OK);
        op->generate(&call, "mixed", 1);
        assert_int_equal(cmpd_ref_compute(&call, expected, &err), CMPD_EINPUT);
        cmpd_ref_call_clear(&call);
        cmpd_ownref_close(r);
        cmpd_workdir_remove(root);
        free(root);
    }
}

int main(void)
{
    if (access("/usr/bin/cc", X_OK) < 0) {
        printf("/usr/bin/cc is not there: skipped\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c_file),      cmocka_unit_test(test_command),
        cmocka_unit_test(test_in_the_jail), cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_bad_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
