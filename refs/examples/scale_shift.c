/* y = alpha * x + shift, shift along the columns: a reference of one's own in C. See ../cmpd_reference.h. */
#include "cmpd_reference.h"

enum { X, SHIFT, Y, ROWS, COLS, ALPHA };

static const struct cmpd_reference_arg args[] = {
    {.role = "in", .name = "x", .shape = "rows,cols", .aliases = "input,src"},
    {.role = "in", .name = "shift", .shape = "cols", .aliases = "bias", .values = "-2:2"},
    {.role = "out", .name = "y", .shape = "rows,cols", .aliases = "output,dst"},
    {.role = "dim", .name = "rows", .aliases = "m,batch"},
    {.role = "dim", .name = "cols", .aliases = "n,hidden"},
    {.role = "scalar", .name = "alpha", .values = "0.5:2", .default_value = 1},
};

static const struct cmpd_reference_case cases[] = {
    {.name = "one", .dims = {1, 1}},
    {.name = "odd", .dims = {3, 31}},
    {.name = "wide", .dims = {2, 1027}, .inputs = "large"},
    {.name = "tall", .dims = {259, 33}, .size = "small"},
    {.name = "big", .dims = {4099, 1023}, .size = "large"},
};

static void compute(const struct cmpd_reference_call *call, double *const out[])
{
    long long rows = call->dims[0], cols = call->dims[1];
    for (long long i = 0; i < rows * cols; i++) {
        out[Y][i] = call->scalars[ALPHA] * call->in[X][i] + call->in[SHIFT][i % cols];
    }
}

const struct cmpd_reference cmpd_reference = {
    .version = CMPD_REFERENCE_VERSION,
    .name = "scale_shift",
    .summary = "y = alpha * x + shift",
    .dtypes = "f32,f16",
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .compute = compute,
};
