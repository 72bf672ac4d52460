/*
 * Binding: each tests/entry/bind/NAME.cu begins with what is asked for and what has to come of it:
 *   // ask: op=relu entry=launch dtype=f16 args=in:x,out:y,dim:n grid=... block=... cases
 *   // get: launcher relu_forward [in:x out:y dim:n stream] f32 DD
 *   // get: none no_entry: TEXT THAT THE MESSAGE HOLDS
 * Letters behind the dtype: D device pointer, H host pointer, ? not known. CMPD_UPDATE=1 writes the second line anew:
 * read the difference before it is committed.
 */
#include "unit/unit.h"

#include <dirent.h>

#include "analysis/base/alloc.h"
#include "analysis/base/buf.h"
#include "analysis/text/source.h"
#include "gpu-runner/entry/bind.h"

struct ask {
    char text[600]; /* words divided by NUL */
    const char *op, *entry, *dtype, *grid, *block;
    bool cases;
    struct cmpd_strings args;
};

static void parse_ask(const char *line, struct ask *a)
{
    memset(a, 0, sizeof *a);
    snprintf(a->text, sizeof a->text, "%s", line);
    char *save = NULL;
    for (char *w = strtok_r(a->text, " \n", &save); w; w = strtok_r(NULL, " \n", &save)) {
        char *value = strchr(w, '=');
        if (value)
            *value++ = '\0';
        if (strcmp(w, "op") == 0)
            a->op = value;
        else if (strcmp(w, "entry") == 0)
            a->entry = value;
        else if (strcmp(w, "dtype") == 0)
            a->dtype = value;
        else if (strcmp(w, "grid") == 0)
            a->grid = value;
        else if (strcmp(w, "block") == 0)
            a->block = value;
        else if (strcmp(w, "cases") == 0)
            a->cases = true;
        for (char *more = NULL, *r = strcmp(w, "args") == 0 ? strtok_r(value, ",", &more) : NULL; r;
             r = strtok_r(NULL, ",", &more)) {
            CMPD_GROW(a->args.items, a->args.count + 1, a->args.cap);
            a->args.items[a->args.count++] = r;
        }
    }
}

static void put_roles(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                      struct cmpd_buf *out)
{
    CMPD_BUF_AUTO struct cmpd_buf text = CMPD_BUF_INIT;
    cmpd_bind_args_text(b, op, &text);
    for (const char *p = strchr(cmpd_buf_str(&text), '['); *p; p++) {
        if (*p != '"' && *p != ',')
            cmpd_buf_putc(out, *p);
    }
}

static void describe(const struct cmpd_binding *b, const struct cmpd_ref_op *op,
                     struct cmpd_buf *out)
{
    static const char *const tasks[] = {"none", "launcher", "kernel", "main"};
    cmpd_buf_puts(out, tasks[b->task]);
    if (b->task == CMPD_BIND_NONE) {
        cmpd_buf_printf(out, " %s%s: %s", cmpd_tag_info(b->tag)->name,
                        b->tier == CMPD_TIER_REJECT ? " (reject)" : "", b->message);
        return;
    }
    if (b->task == CMPD_BIND_MAIN)
        return;
    cmpd_buf_printf(out, " %s ", b->display);
    put_roles(b, op, out);
    cmpd_buf_printf(out, " %s ", cmpd_dtype_name(b->dtype));
    for (size_t i = 0; i < b->param_count; i++) {
        if (b->params[i].pass == CMPD_BIND_POINTER && b->params[i].role != CMPD_ROLE_STREAM)
            cmpd_buf_putc(out, "?DH"[b->params[i].side]);
    }
    if (b->ret.role == CMPD_ROLE_OUT)
        cmpd_buf_printf(out, " returns:%s", op->args[b->ret.arg].name);
    for (size_t d = 0; d < CMPD_REF_DIMS_CEILING; d++) {
        if (b->dim_class[d] != d)
            cmpd_buf_printf(out, " equal:%zu=%u", d, b->dim_class[d]);
        if (b->dim_fixed[d])
            cmpd_buf_printf(out, " fixed:%zu=%lld", d, (long long)b->dim_fixed[d]);
        if (b->dim_free[d])
            cmpd_buf_printf(out, " free:%zu", d);
    }
    if (b->task == CMPD_BIND_KERNEL)
        cmpd_buf_printf(out, " <<<(%s, %s, %s), (%s, %s, %s), %s>>>", b->launch.grid[0],
                        b->launch.grid[1], b->launch.grid[2], b->launch.block[0],
                        b->launch.block[1], b->launch.block[2], b->launch.shared);
    if (b->assumed)
        cmpd_buf_printf(out, " assumed: %s", b->assumed);
}

static void update(const char *path, const struct cmpd_source *src, const char *line1, size_t len1,
                   const char *rest, const char *got)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fprintf(f, "%.*s\n// get: %s\n", (int)len1, line1, got);
    fwrite(rest, 1, src->len - (size_t)(rest - src->text), f);
    fclose(f);
}

static const char *next_line(const char *p)
{
    const char *nl = strchr(p, '\n');
    return nl ? nl + 1 : p + strlen(p);
}

static void check_file(const char *path)
{
    struct cmpd_source *src = NULL;
    struct cmpd_err err = {CMPD_OK, ""};
    struct cmpd_signatures sigs;
    struct cmpd_binding b;
    struct ask a;
    if (cmpd_source_open(path, &src, &err) != CMPD_OK ||
        cmpd_signatures_of_source(src, NULL, &sigs, &err) != CMPD_OK)
        fail_msg("%s: %s", path, err.msg);
    CMPD_AUTOFREE char *text = cmpd_strndup(src->text, src->len);
    size_t len1 = strcspn(text, "\n");
    CMPD_AUTOFREE char *line1 = cmpd_strndup(text, len1);
    assert_int_equal(strncmp(line1, "// ask:", 7), 0);
    parse_ask(line1 + 7, &a);
    const struct cmpd_bind_request q = {.sigs = &sigs,
                                        .file = "k.cu",
                                        .entry = a.entry,
                                        .entry_required = a.entry != NULL,
                                        .args = &a.args,
                                        .op = a.op ? cmpd_ref_find(a.op) : NULL,
                                        .dtype = a.dtype,
                                        .grid = a.grid,
                                        .block = a.block,
                                        .has_cases = a.cases};
    cmpd_bind(&q, &b);
    CMPD_BUF_AUTO struct cmpd_buf got = CMPD_BUF_INIT;
    describe(&b, q.op, &got);
    const char *line2 = next_line(text);
    size_t len2 = strcspn(line2, "\n");
    bool has2 = strncmp(line2, "// get: ", 8) == 0;
    if (getenv("CMPD_UPDATE"))
        update(path, src, line1, len1, src->text + ((has2 ? next_line(line2) : line2) - text),
               cmpd_buf_str(&got));
    else if (!has2 || len2 - 8 != got.len || memcmp(line2 + 8, cmpd_buf_str(&got), got.len) != 0)
        fail_msg("%s:\n  got  %s\n  want %.*s", path, cmpd_buf_str(&got),
                 (int)(has2 ? len2 - 8 : 0), line2 + 8);
    assert_true(b.task == CMPD_BIND_NONE || b.task == CMPD_BIND_MAIN || b.args_hint);
    assert_true(b.task != CMPD_BIND_NONE || (b.message && b.hint));
    free(a.args.items);
    cmpd_binding_clear(&b);
    cmpd_signatures_clear(&sigs);
    cmpd_source_free(src);
}

static void folder(char *out, size_t size)
{
    const char *root = getenv("CMPD_SOURCE_DIR");
    snprintf(out, size, "%s/tests/entry/bind", root ? root : ".");
}

static void every_file(void **state)
{
    (void)state;
    char dir[4096], path[5000];
    size_t count = 0;
    folder(dir, sizeof dir);
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".cu") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        check_file(path);
        count++;
    }
    closedir(d);
    assert_true(count >= 40);
}

/* ---- what a description does not show ---- */

static void make(const char *text, struct cmpd_signatures *sigs)
{
    struct cmpd_source *src = NULL;
    assert_int_equal(cmpd_source_new_take("k.cu", strdup(text), strlen(text), &src, NULL), CMPD_OK);
    assert_int_equal(cmpd_signatures_of_source(src, NULL, sigs, NULL), CMPD_OK);
    cmpd_source_free(src);
}

static void symbols(void **state)
{
    (void)state;
    struct cmpd_signatures sigs;
    struct cmpd_binding b;
    make("namespace { __global__ void k(const float *x, float *y, int n) { y[0] = x[0]; } }\n"
         "static void relu(const float *x, float *y, int n) { k<<<1, 1>>>(x, y, n); }\n"
         "template <typename T> __global__ void tk(const T *x, T *y, int n) { y[0] = x[0]; }\n",
         &sigs);
    const char *const there[] = {"main", "_ZL4reluPKfPfi", "_ZL4reluPKdPdi"};
    const char *const kernels[] = {"_ZN36_GLOBAL__N__c088b21f_4_k_cu_3b1f3e3f1kEPKfPfi",
                                   "_Z2tkIdEvPKT_PS0_i", "_Z2tkIfEvPKT_PS0_i"};
    struct cmpd_bind_request q = {.sigs = &sigs,
                                  .file = "k.cu",
                                  .op = cmpd_ref_find("relu"),
                                  .symbols = there,
                                  .symbol_count = 3,
                                  .kernels = kernels,
                                  .kernel_count = 3};
    cmpd_bind(&q, &b);
    assert_string_equal(b.symbol, "_ZL4reluPKfPfi");
    assert_false(b.needs_shim);
    cmpd_binding_clear(&b);
    q.symbol_count = 1; /* the compiler dropped it */
    cmpd_bind(&q, &b);
    assert_null(b.symbol);
    assert_true(b.needs_shim);
    CMPD_BUF_AUTO struct cmpd_buf shim = CMPD_BUF_INIT;
    cmpd_bind_shim(&b, "k.cu", &shim);
    assert_non_null(strstr(cmpd_buf_str(&shim), "#include \"k.cu\""));
    assert_non_null(
        strstr(cmpd_buf_str(&shim),
               "extern \"C\" void cmpd_shim_entry(const float * a0, float * a1, int a2)"));
    assert_non_null(strstr(cmpd_buf_str(&shim), "return relu(a0, a1, a2);"));
    cmpd_binding_clear(&b);
    q.entry = "k";
    cmpd_bind(&q, &b);
    assert_string_equal(b.symbol, kernels[0]);
    cmpd_binding_clear(&b);
    q.entry = "tk"; /* float is the usual one */
    cmpd_bind(&q, &b);
    assert_string_equal(b.symbol, kernels[2]);
    cmpd_binding_clear(&b);
    q.entry = "tk<double>";
    cmpd_bind(&q, &b);
    assert_string_equal(b.symbol, kernels[1]);
    assert_int_equal(b.dtype, CMPD_F64);
    cmpd_binding_clear(&b);
    q.dtype = "f64";
    q.entry = "tk";
    cmpd_bind(&q, &b);
    assert_string_equal(b.symbol, kernels[1]);
    cmpd_binding_clear(&b);
    cmpd_signatures_clear(&sigs);
}

static void dimensions(void **state)
{
    (void)state;
    struct cmpd_signatures sigs;
    struct cmpd_binding b;
    const struct cmpd_ref_op *op = cmpd_ref_find("matmul");
    make(
        "__global__ void k(const float *a, const float *b, float *c, int n) { c[0] = a[0] + b[0]; }\n"
        "extern \"C\" void matmul(const float *a, const float *b, float *c, int n)\n"
        "{ k<<<1, 1>>>(a, b, c, n); }\n",
        &sigs);
    const struct cmpd_bind_request q = {.sigs = &sigs, .file = "k.cu", .op = op};
    cmpd_bind(&q, &b);
    struct cmpd_dims dims = {{31, 33, 17}};
    assert_true(cmpd_bind_fit(&b, op, &dims));
    assert_int_equal(dims.value[0], dims.value[1]);
    assert_int_equal(dims.value[0], dims.value[2]);
    assert_int_equal(cmpd_bind_dim(&b.params[3], op, &dims), dims.value[0]);
    cmpd_binding_clear(&b);
    cmpd_signatures_clear(&sigs);
}

static void vectors(void **state)
{
    (void)state;
    struct cmpd_signatures sigs;
    struct cmpd_binding b;
    const struct cmpd_ref_op *op = cmpd_ref_find("add");
    make(
        "__global__ void add4(const float4 *a, const float4 *b, float4 *c, int n4)\n"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n4) c[i].x = a[i].x + b[i].x; }\n",
        &sigs);
    const struct cmpd_bind_request q = {.sigs = &sigs, .file = "k.cu", .op = op};
    cmpd_bind(&q, &b);
    struct cmpd_dims odd = {{31, 1, 31}}, even = {{1024, 32, 32}};
    assert_false(cmpd_bind_fit(&b, op, &odd));
    assert_true(cmpd_bind_fit(&b, op, &even));
    assert_int_equal(cmpd_bind_dim(&b.params[3], op, &even), 256);
    uint32_t grid[3], block[3], shared;
    assert_int_equal(cmpd_bind_launch_eval(&b, op, &even, grid, block, &shared, NULL), CMPD_OK);
    assert_int_equal(grid[0], 4);
    assert_int_equal(block[0], 256);
    cmpd_binding_clear(&b);
    cmpd_signatures_clear(&sigs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file), cmocka_unit_test(symbols),
                                       cmocka_unit_test(dimensions), cmocka_unit_test(vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
