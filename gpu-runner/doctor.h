/* What this machine offers a runner, and what to do about what is missing. */
#ifndef CMPD_GPU_RUNNER_DOCTOR_H
#define CMPD_GPU_RUNNER_DOCTOR_H

#include <jansson.h>

#include "analysis/base/buf.h"

#define CMPD_DOCTOR_SCHEMA "cmpd.doctor.v1"

/*
 * {"schema", "version", "checks": [{"name", "ok", "value", "advice"}]}: `ok` null where nothing is
 * needed in this build; advice only where something can be done. nvcc: path to look at, NULL: the
 * default. Caller owns.
 */
json_t *cmpd_doctor_report(const char *nvcc);

/* The same for people. */
void cmpd_doctor_text(const json_t *report, struct cmpd_buf *out);

#endif
