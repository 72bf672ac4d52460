/* A source file, from its functions to a binding, a shim and a launch: text of a stranger all the way. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/text/source.h"
#include "gpu-runner/entry/bind.h"
#include "gpu-runner/entry/formula.h"
#include "gpu-runner/entry/mangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void bind(const struct cmpd_signatures *sigs, const struct cmpd_ref_op *op,
                 const char *entry)
{
    static const char *const symbols[] = {"f", "_Z1fPKfPfi", "_ZN1a1fEPf", "_Z1kIfEvPKT_PS0_i"};
    const struct cmpd_bind_request q = {.sigs = sigs,
                                        .file = "a.cu",
                                        .entry = entry,
                                        .op = op,
                                        .symbols = symbols,
                                        .symbol_count = 4,
                                        .kernels = symbols,
                                        .kernel_count = 4};
    struct cmpd_binding b;
    struct cmpd_buf shim = CMPD_BUF_INIT;
    struct cmpd_dims dims;
    uint32_t grid[3], block[3], shared;
    cmpd_bind(&q, &b);
    if (b.task == CMPD_BIND_NONE && (!b.message || !b.hint))
        abort();
    for (size_t d = 0; d < CMPD_REF_DIMS_CEILING; d++)
        dims.value[d] = 17;
    if (b.task == CMPD_BIND_LAUNCHER || b.task == CMPD_BIND_KERNEL) {
        cmpd_bind_shim(&b, "a.cu", &shim);
        if (b.task == CMPD_BIND_KERNEL && cmpd_bind_fit(&b, op, &dims))
            cmpd_bind_launch_eval(&b, op, &dims, grid, block, &shared, NULL);
    }
    cmpd_buf_clear(&shim);
    cmpd_binding_clear(&b);
}

/* What is sent must be what is taken. */
static void send(const struct cmpd_signatures *sigs)
{
    struct cmpd_signatures again;
    struct cmpd_err err = {0};
    json_t *o = cmpd_signatures_json(sigs);
    if (cmpd_signatures_read(o, &again, &err) != CMPD_OK)
        abort();
    json_decref(o);
    cmpd_signatures_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const ops[] = {"relu", "matmul", "layernorm", "reduce_sum"};
    struct cmpd_source *src = NULL;
    struct cmpd_signatures sigs;
    struct cmpd_demangled d;
    char *text = malloc(size + 1);
    int64_t v;
    memcpy(text, data, size);
    text[size] = '\0';
    cmpd_demangle(text, &d);
    cmpd_demangled_clear(&d);
    cmpd_formula_eval(text, NULL, 0, &v, NULL);
    if (cmpd_source_new_take("a.cu", text, size, &src, NULL) != CMPD_OK)
        return 0;
    if (cmpd_signatures_of_source(src, NULL, &sigs, NULL) == CMPD_OK) {
        send(&sigs);
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
            bind(&sigs, cmpd_ref_find(ops[i]), NULL);
        for (size_t i = 0; i < sigs.func_count && i < 4; i++)
            bind(&sigs, cmpd_ref_find("relu"), sigs.funcs[i].name);
        cmpd_signatures_clear(&sigs);
    }
    cmpd_source_free(src);
    return 0;
}
