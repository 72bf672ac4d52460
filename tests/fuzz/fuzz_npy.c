/* The .npy reader over any bytes: no fault, all promised elements are there, and a rewritten file reads the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "refs/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_npy a, back;
    if (cmpd_npy_parse(data, size, &a, NULL) != CMPD_OK)
        return 0;
    struct cmpd_tensor t = {(void *)(uintptr_t)a.data, a.count, a.dtype};
    double sum = 0;
    for (size_t i = 0; i < t.count; i++)
        sum += cmpd_tensor_get(&t, i);
    volatile double keep = sum;
    (void)keep;
    CMPD_BUF_AUTO struct cmpd_buf file = CMPD_BUF_INIT;
    must(cmpd_npy_write(&a, &file, NULL) == CMPD_OK);
    must(cmpd_npy_parse(file.data, file.len, &back, NULL) == CMPD_OK);
    must(back.count == a.count && back.rank == a.rank && back.dtype == a.dtype);
    must(memcmp(back.shape, a.shape, a.rank * sizeof *a.shape) == 0);
    must(a.count == 0 || memcmp(back.data, a.data, a.count * cmpd_dtype_size(a.dtype)) == 0);
    return 0;
}
