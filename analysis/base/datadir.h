/*
 * Where the data files lie (API lists, explanation pages, schemas).
 *
 * Order: the environment's CMPD_DATADIR; else share/cmpd beside the folder of
 * the running executable. The build tree has the same layout as an
 * installation, so one rule serves both.
 */
#ifndef CMPD_ANALYSIS_BASE_DATADIR_H
#define CMPD_ANALYSIS_BASE_DATADIR_H

#include "analysis/base/buf.h"
#include "analysis/base/err.h"

/*
 * Puts the path of a data file, such as "rules/api/cuda-13.0.json", into *out
 * (what it held is replaced, on success only). `relative` must not be absolute
 * and must not hold "..". CMPD_ENOENT when there is no such file; CMPD_EUSAGE
 * for a bad `relative`; CMPD_EINTERNAL when the executable's own place is unknown.
 */
cmpd_rc cmpd_datadir_path(const char *relative, struct cmpd_buf *out, struct cmpd_err *err);

/*
 * The same for the parts that are programs and libraries of our own but no commands (the candidate program, the CUDA
 * runtime it is linked with): lib/cmpd beside the folder of the running executable, or CMPD_LIBDIR.
 */
cmpd_rc cmpd_datadir_program(const char *relative, struct cmpd_buf *out, struct cmpd_err *err);

#endif
