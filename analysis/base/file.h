/* Reading whole files and hashing bytes. */
#ifndef CMPD_ANALYSIS_BASE_FILE_H
#define CMPD_ANALYSIS_BASE_FILE_H

#include <stddef.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"

/*
 * Read the regular file `path` ("-" is standard input) into *out (appended).
 * CMPD_ENOENT: no such file. CMPD_EINPUT: a directory, a fifo, a device or a
 * socket (never opened, so nothing hangs). CMPD_ELIMIT: longer than
 * `ceiling_bytes`. CMPD_EIO: reading failed. The message names the path.
 */
cmpd_rc cmpd_file_read(const char *path, size_t ceiling_bytes, struct cmpd_buf *out,
                       struct cmpd_err *err);

/*
 * Write all of data to path through a temporary file and rename, so that a reader never sees half. A link
 * is replaced, not followed; but a device or a fifo is written to as it is, never replaced.
 */
cmpd_rc cmpd_file_write_atomic(const char *path, const void *data, size_t len,
                               struct cmpd_err *err);

#endif
