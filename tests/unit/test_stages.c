/* The run stage's parts that need no device: the plan of cases, findings, lines of host code, places of deeds. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/file.h"
#include "gpu-runner/stages/contract.h"
#include "gpu-runner/stages/culprit.h"
#include "gpu-runner/stages/findings.h"
#include "gpu-runner/stages/host_lines.h"
#include "gpu-runner/stages/plan.h"
#include "unit/unit.h"

/* ---- plan ---- */

static struct cmpd_binding bound(const char *op)
{
    struct cmpd_binding b = {
        .task = CMPD_BIND_LAUNCHER, .display = (char *)"launch", .dtype = CMPD_F32};
    for (unsigned d = 0; d < CMPD_REF_DIMS_CEILING; d++)
        b.dim_class[d] = d;
    assert_non_null(cmpd_ref_find(op));
    return b;
}

static void test_plan_of_the_operator(void **state)
{
    (void)state;
    const struct cmpd_ref_op *op = cmpd_ref_find("softmax");
    struct cmpd_binding b = bound("softmax");
    struct cmpd_job_run run = {.has_seed = true, .seed = 7};
    struct cmpd_plan p, again;
    struct cmpd_err err = {0};
    size_t repeats = 0, odd = 0;
    assert_int_equal(cmpd_plan_make(&run, op, &b, NULL, false, &p, &err), CMPD_OK);
    assert_true(p.count >= CMPD_PLAN_CALLS_MIN);
    for (size_t i = 0; i < p.count; i++) {
        const struct cmpd_plan_case *c = &p.items[i];
        if (c->repeats == CMPD_PLAN_NO_REPEAT) {
            odd += c->schedule != 0;
            continue;
        }
        repeats++;
        assert_true(c->repeats < i);
        assert_int_equal(c->seed, p.items[c->repeats].seed);
        assert_true(c->schedule != 0 && c->poison != p.items[c->repeats].poison);
    }
    assert_true(repeats >= 2 && odd == 0);
    assert_int_equal(cmpd_plan_make(&run, op, &b, NULL, false, &again, &err), CMPD_OK);
    assert_int_equal(again.count, p.count);
    assert_memory_equal(again.items, p.items, p.count * sizeof *p.items);
    cmpd_plan_clear(&again);
    cmpd_plan_clear(&p);
}

static void test_plan_of_the_policy(void **state)
{
    (void)state;
    const struct cmpd_ref_op *op = cmpd_ref_find("softmax");
    struct cmpd_binding b = bound("softmax");
    struct cmpd_job_dim dims[] = {{(char *)"rows", 3}, {(char *)"cols", 17}};
    struct cmpd_job_dim wrong[] = {{(char *)"depth", 3}};
    struct cmpd_job_case cases[] = {{.dims = dims, .dim_count = 2}};
    struct cmpd_job_case bad[] = {{.dims = wrong, .dim_count = 1}};
    struct cmpd_job_run run = {.cases = cases, .case_count = 1};
    struct cmpd_plan p;
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_plan_make(&run, op, &b, NULL, false, &p, &err), CMPD_OK);
    assert_string_equal(p.items[0].name, "rows=3 cols=17");
    for (size_t i = 0; i < p.count; i++)
        assert_memory_equal(&p.items[i].dims, &p.items[0].dims, sizeof p.items[0].dims);
    assert_true(p.count >= CMPD_PLAN_CALLS_MIN);
    cmpd_plan_clear(&p);
    run.cases = bad;
    assert_int_equal(cmpd_plan_make(&run, op, &b, NULL, false, &p, &err), CMPD_EINPUT);
    assert_non_null(strstr(err.msg, "depth"));
}

/* Replay finds a case by its name, and a drawn one by the shape that its name is. */
static void test_plan_of_one(void **state)
{
    (void)state;
    const struct cmpd_ref_op *op = cmpd_ref_find("softmax");
    struct cmpd_binding b = bound("softmax");
    struct cmpd_job_run run = {
        .only_case = (char *)"rows=5 cols=41", .has_seed = true, .seed = 99, .schedule = 3};
    struct cmpd_plan p;
    struct cmpd_err err = {0};
    assert_int_equal(cmpd_plan_make(&run, op, &b, NULL, false, &p, &err), CMPD_OK);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.items[0].seed, 99);
    assert_int_equal(p.items[0].schedule, 3);
    cmpd_plan_clear(&p);
    run.only_case = (char *)"no such case";
    assert_int_equal(cmpd_plan_make(&run, op, &b, NULL, false, &p, &err), CMPD_EINPUT);
}

/* ---- findings ---- */

static void test_findings_are_told_once(void **state)
{
    (void)state;
    struct cmpd_stage_findings f = {.file = "k/a.cu"};
    assert_non_null(
        cmpd_stage_findings_say(&f, CMPD_TAG_out_of_bounds, 5, NULL, NULL, "offset %d", 4));
    assert_null(cmpd_stage_findings_say(&f, CMPD_TAG_out_of_bounds, 5, NULL, NULL, "offset %d", 8));
    assert_non_null(
        cmpd_stage_findings_say(&f, CMPD_TAG_out_of_bounds, 6, NULL, NULL, "offset %d", 8));
    /* Without a line words tell them apart, but not their numbers. */
    assert_non_null(
        cmpd_stage_findings_say(&f, CMPD_TAG_bad_free, 0, NULL, NULL, "cudaMalloc #3 freed twice"));
    assert_null(cmpd_stage_findings_say(&f, CMPD_TAG_bad_free, 0, NULL, NULL,
                                        "cudaMalloc #12 freed twice"));
    assert_non_null(
        cmpd_stage_findings_say(&f, CMPD_TAG_bad_free, 0, NULL, NULL, "never allocated"));
    assert_true(cmpd_stage_findings_proven(&f, "memory"));
    assert_false(cmpd_stage_findings_proven(&f, "numeric"));
    cmpd_stage_findings_clear(&f);
}

static void test_findings_under_an_assumption(void **state)
{
    (void)state;
    struct cmpd_stage_findings f = {.file = "a.cu", .doubt = true};
    struct cmpd_event_finding *said = cmpd_stage_findings_say(&f, CMPD_TAG_out_of_bounds, 5, NULL,
                                                              NULL, "past the end");
    assert_int_equal(said->weight, CMPD_EVENT_DOUBT);
    assert_false(cmpd_stage_findings_proven(&f, NULL));
    cmpd_stage_findings_clear(&f);
}

static void test_sightings_stand_in_the_file(void **state)
{
    (void)state;
    struct cmpd_stage_findings f = {.file = "k/a.cu"};
    struct cmpd_sightings s = {0};
    const struct cmpd_sighting in_header = {.tag = CMPD_TAG_data_race,
                                            .file = (char *)"/r/k/warp.cuh",
                                            .line = 40,
                                            .outer_file = (char *)"/elsewhere/k/a.cu",
                                            .outer_line = 12,
                                            .kernel = (char *)"_Z3sumPf",
                                            .message = (char *)"a race"};
    const struct cmpd_sighting note = {.tag = CMPD_TAG_uninitialized_read,
                                       .file = (char *)"k/a.cu",
                                       .line = 3,
                                       .message = (char *)"a copy",
                                       .note = true};
    const struct cmpd_sighting other = {.tag = CMPD_TAG_out_of_bounds,
                                        .file = (char *)"/r/k/ba.cu",
                                        .line = 9,
                                        .message = (char *)"another file"};
    cmpd_sightings_add(&s, &in_header);
    cmpd_sightings_add(&s, &note);
    cmpd_sightings_add(&s, &other);
    assert_int_equal(cmpd_stage_findings_sightings(&f, &s, "--case x"), 2);
    assert_int_equal(f.items[0].line, 12);
    assert_string_equal(f.items[0].also.file, "/r/k/warp.cuh");
    assert_string_equal(f.items[0].kernel, "sum");
    assert_string_equal(f.items[0].replay, "--case x");
    assert_int_equal(f.items[1].weight, CMPD_EVENT_NOTE);
    assert_int_equal(f.items[1].line, 3);
    assert_int_equal(f.items[2].line, 0);
    cmpd_sightings_clear(&s);
    cmpd_stage_findings_clear(&f);
}

/* ---- lines of host code ---- */

static void test_lines_of_addresses(void **state)
{
    (void)state;
    static const char said[] = "0x0000000000001a10\n"
                               "/usr/local/cuda/include/cuda_runtime.h:700\n"
                               "/home/u/repo/k/a.cu:33 (discriminator 2)\n"
                               "/home/u/repo/k/a.cu:50\n"
                               "0x0000000000002000\n"
                               "??:0\n"
                               "0x0000000000003000\n"
                               "./k/a.cu:7\n";
    uint32_t lines[4];
    cmpd_host_lines_read(said, "k/a.cu", 4, lines);
    assert_int_equal(lines[0], 33);
    assert_int_equal(lines[1], 0);
    assert_int_equal(lines[2], 7);
    assert_int_equal(lines[3], 0);
}

static void test_place_of_a_call(void **state)
{
    (void)state;
    static const char text[] =
        "int cublasSgemm(void *, const float *, float *); void f(float *y) {\n"
        "    cublasCreate(&h);\n"
        "    std::vector<float> host(n);\n"
        "    cudaMemcpy(host.data(), y, n * 4, cudaMemcpyDeviceToHost);\n"
        "    cudaMemcpy(y, host.data(), n * 4, cudaMemcpyHostToDevice);\n"
        "    cublasSgemm(h, x, y);\n"
        "}\n";
    static const char *const library[] = {"cublasCreate_v2", "cublasSgemm_v2"};
    static const char *const other[] = {"ns::helper(float*)"};
    char folder[] = "/tmp/cmpd-test-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.cu", folder);
    assert_int_equal(cmpd_file_write_atomic(path, text, strlen(text), NULL), CMPD_OK);
    assert_int_equal(cmpd_culprit_call_line(folder, "a.cu", library, 2), 6);
    assert_int_equal(cmpd_culprit_call_line(folder, "a.cu", library, 1), 2);
    assert_int_equal(cmpd_culprit_call_line(folder, "a.cu", other, 1), 0);
    assert_int_equal(cmpd_culprit_copy_line(folder, "a.cu", "y"), 5);
    assert_int_equal(cmpd_culprit_copy_line(folder, "a.cu", "x"), 0);
    unlink(path);
    rmdir(folder);
}

static void test_place_of_a_deed(void **state)
{
    (void)state;
    static const char text[] = "#include <cstdlib>\n"
                               "// system(\"x\")\n"
                               "struct box { void exit(); };\n"
                               "__global__ void k() { }\n"
                               "void f(box *b) {\n"
                               "    b->exit();\n"
                               "    std::ofstream log(\"x\");\n"
                               "    exit(0);\n"
                               "}\n";
    char folder[] = "/tmp/cmpd-test-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.cu", folder);
    assert_int_equal(cmpd_file_write_atomic(path, text, strlen(text), NULL), CMPD_OK);
    assert_int_equal(cmpd_culprit_line(folder, "a.cu", CMPD_CULPRIT_END), 8);
    assert_int_equal(cmpd_culprit_line(folder, "a.cu", CMPD_CULPRIT_FILE), 7);
    assert_int_equal(cmpd_culprit_line(folder, "a.cu", CMPD_CULPRIT_PROCESS), 0);
    assert_int_equal(cmpd_culprit_line(folder, "none.cu", CMPD_CULPRIT_END), 0);
    unlink(path);
    rmdir(folder);
}

/* ---- what comments demand ---- */

static struct cmpd_contract contract_of(const char *text, const struct cmpd_binding *b)
{
    char folder[] = "/tmp/cmpd-test-XXXXXX";
    char path[64];
    struct cmpd_contract c;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.cu", folder);
    assert_int_equal(cmpd_file_write_atomic(path, text, strlen(text), NULL), CMPD_OK);
    cmpd_contract_read(folder, "a.cu", b, &c);
    unlink(path);
    rmdir(folder);
    return c;
}

static void test_what_comments_demand(void **state)
{
    (void)state;
    struct cmpd_sig_param names[] = {{.name = (char *)"rows"}, {.name = (char *)"cols"}};
    struct cmpd_sig_func func = {.params = names, .param_count = 2};
    struct cmpd_binding b = bound("softmax");
    const struct cmpd_ref_op *op = cmpd_ref_find("softmax");
    b.func = &func;
    b.param_count = 2;
    for (unsigned i = 0; i < 2; i++)
        b.params[i] = (struct cmpd_bind_param){
            .role = CMPD_ROLE_DIM, .dim_mask = 1u << i, .dim_factor = 1, .dim_divisor = 1};
    assert_int_equal(contract_of("// if cols < 32 a warp does it\nvoid f();\n", &b).count, 0);
    assert_int_equal(contract_of("void f() {\n    // cols <= 32 here\n    g();\n}\n", &b).count, 0);
    assert_int_equal(contract_of("// colsum <= 32\nvoid f();\n", &b).count, 0);
    struct cmpd_contract c =
        contract_of("// 1 <= cols <= 2^10; rows must be a multiple of 8\nvoid f();\n", &b);
    assert_int_equal(c.count, 2);
    struct cmpd_dims dims = {{3, 4099}};
    assert_true(cmpd_contract_fit(&c, &b, op, &dims));
    assert_int_equal(dims.value[0], 8);
    assert_int_equal(dims.value[1], 1024);
    struct cmpd_dims inside = {{16, 5}};
    assert_true(cmpd_contract_fit(&c, &b, op, &inside));
    assert_true(inside.value[0] == 16 && inside.value[1] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_of_the_operator),
        cmocka_unit_test(test_plan_of_the_policy),
        cmocka_unit_test(test_plan_of_one),
        cmocka_unit_test(test_findings_are_told_once),
        cmocka_unit_test(test_findings_under_an_assumption),
        cmocka_unit_test(test_sightings_stand_in_the_file),
        cmocka_unit_test(test_lines_of_addresses),
        cmocka_unit_test(test_place_of_a_call),
        cmocka_unit_test(test_place_of_a_deed),
        cmocka_unit_test(test_what_comments_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
