/* Any bytes as a fat binary and as an object that holds one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/ptx/fatbin.h"

/* In every build type, unlike assert. */
#define MUST(condition)   \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(cmpd_rc rc, struct cmpd_fatbin *f, const struct cmpd_err *err)
{
    MUST(rc == CMPD_OK || (rc == err->rc && err->msg[0] != '\0' && f->count == 0));
    MUST(f->count <= CMPD_FATBIN_IMAGES_CEILING);
    for (size_t i = 0; i < f->count; i++)
        MUST(strlen(f->images[i].text) == f->images[i].len);
    cmpd_fatbin_clear(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_fatbin f = {0};
    struct cmpd_err err = {.rc = CMPD_OK};
    MUST(cmpd_fatbin_size(data, size) <= size);
    check(cmpd_fatbin_read(data, size, &f, &err), &f, &err);
    check(cmpd_fatbin_read_elf(data, size, &f, &err), &f, &err);
    return 0;
}
