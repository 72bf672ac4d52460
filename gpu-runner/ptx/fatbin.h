/*
 * The PTX images of a fat binary, as nvcc embeds it (.nv_fatbin: header 0xba55ed50, then entries; PTX is kind 1, zstd
 * compressed with flag 0x8000), and of a host object (ELF) that holds such a section. The bytes are hostile.
 */
#ifndef CMPD_GPU_RUNNER_PTX_FATBIN_H
#define CMPD_GPU_RUNNER_PTX_FATBIN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"

#define CMPD_FATBIN_IMAGES_CEILING 256

struct cmpd_fatbin_image {
    char *text; /* owned; PTX, NUL-terminated */
    size_t len;
    uint32_t arch;    /* 80 */
    size_t container; /* which fat binary of the section it came from: 0, 1, ... */
};

struct cmpd_fatbin {
    struct cmpd_fatbin_image *images; /* owned */
    size_t count;
    size_t skipped; /* entries that hold no PTX (machine code) */
};

/*
 * The PTX images in `data` (one or more fat binaries behind one another). CMPD_EINPUT: damaged, or compressed in a way
 * that isn't known (message says which). No PTX at all is CMPD_OK with count 0.
 */
cmpd_rc cmpd_fatbin_read(const void *data, size_t len, struct cmpd_fatbin *out,
                         struct cmpd_err *err);

/* The same of the .nv_fatbin sections of an ELF64 object or shared library. */
cmpd_rc cmpd_fatbin_read_elf(const void *elf, size_t len, struct cmpd_fatbin *out,
                             struct cmpd_err *err);

/* The size of the fat binary that begins at data (header and entries); 0: it is none or does not fit into len. */
size_t cmpd_fatbin_size(const void *data, size_t len);

void cmpd_fatbin_clear(struct cmpd_fatbin *f);

#endif
