/* Any bytes as a fat binary and as an object that holds one. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "gpu-runner/ptx/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(cmpd_rc rc, struct cmpd_fatbin *f, const struct cmpd_err *err)
{
    assert(rc == CMPD_OK || (rc == err->rc && err->msg[0] != '\0' && f->count == 0));
    assert(f->count <= CMPD_FATBIN_IMAGES_CEILING);
    for (size_t i = 0; i < f->count; i++)
        assert(strlen(f->images[i].text) == f->images[i].len);
    cmpd_fatbin_clear(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_fatbin f = {0};
    struct cmpd_err err = {.rc = CMPD_OK};
    assert(cmpd_fatbin_size(data, size) <= size);
    check(cmpd_fatbin_read(data, size, &f, &err), &f, &err);
    check(cmpd_fatbin_read_elf(data, size, &f, &err), &f, &err);
    return 0;
}
