/* What a reference says of itself, any bytes: no fault, and an accepted operator is whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "refs/outside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Small enough to be filled in. */
static void fill_first_case(const struct cmpd_ref_op *op)
{
    struct cmpd_dims dims = op->cases[0].dims;
    struct cmpd_ref_call call;
    for (int d = 0; d < CMPD_REF_DIMS_CEILING; d++)
        dims.value[d] = dims.value[d] > 3 ? 3 : dims.value[d];
    if (cmpd_ref_call_init(&call, op, &dims, op->dtypes[0], NULL) != CMPD_OK)
        return;
    op->generate(&call, op->cases[0].inputs, 1);
    cmpd_ref_call_clear(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_ref_op *op;
    if (cmpd_outside_parse((const char *)data, size, &op, NULL) != CMPD_OK)
        return 0;
    must(op->name && op->summary && op->case_count > 0 && op->dtype_count > 0);
    must(op->arg_count <= CMPD_REF_ARGS_CEILING);
    for (size_t i = 0; i < op->arg_count; i++) {
        must(!strchr(op->args[i].name, '/') && op->args[i].aliases);
        cmpd_ref_match_arg(op, op->args[i].name, NULL);
    }
    for (size_t i = 0; i < op->case_count; i++)
        must(op->cases[i].name && op->cases[i].inputs);
    fill_first_case(op);
    cmpd_outside_close(op);
    return 0;
}
