/*
 * NumPy's .npy files (format versions 1 to 3), little-endian numbers alone. The reader takes hostile bytes: nothing is
 * read beyond them, and what a header promises is held against what is there.
 */
#ifndef CMPD_REFS_NPY_H
#define CMPD_REFS_NPY_H

#include "analysis/base/buf.h"
#include "refs/ref.h"

#define CMPD_NPY_RANK_CEILING 8

struct cmpd_npy {
    enum cmpd_dtype dtype; /* of f2 f4 f8 i1 u1 i4 u4 i8 u8; bool reads as u8 */
    bool fortran_order;    /* column-major; only where that makes a difference */
    unsigned rank;         /* 0: a single number */
    uint64_t shape[CMPD_NPY_RANK_CEILING];
    size_t count;     /* elements */
    const void *data; /* borrowed from the bytes; not aligned */
};

/* CMPD_EINPUT: no .npy file, or one of another kind; the message says what is wrong. */
cmpd_rc cmpd_npy_parse(const void *bytes, size_t len, struct cmpd_npy *out, struct cmpd_err *err);

/* Appends a whole file. dtypes without a NumPy name (bf16) can't be written: CMPD_EINPUT. */
cmpd_rc cmpd_npy_write(const struct cmpd_npy *array, struct cmpd_buf *out, struct cmpd_err *err);

#endif
