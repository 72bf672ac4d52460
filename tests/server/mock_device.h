/*
 * A device of plain memory for the tests of the server: every fat binary is taken that begins with "MOCK", and holds
 * the same few kernels and variables. What a kernel does is written here in C.
 *
 *   add_one(float *p, int n)            p[i] += 1 for i < n
 *   taint(float *p, int n)              the same; the bytes then count as computed from unwritten memory
 *   copy(float *to, const float *from, int n)
 *   fault() misaligned() stuck() budget() unsupported()   end as their names say
 *   bounded()                           __launch_bounds__(128)
 *   big_shared()                        47 KiB of static shared memory
 *
 * Variables: table (64 bytes), constant (64 bytes).
 */
#ifndef CMPD_TESTS_SERVER_MOCK_DEVICE_H
#define CMPD_TESTS_SERVER_MOCK_DEVICE_H

#include "gpu-runner/device/device.h"

extern const struct cmpd_device_ops mock_device_ops;

#define MOCK_IMAGE     "MOCK"
#define MOCK_LOG_BYTES 4096

/* What was done, in its order: "add_one", "write", "set", "copy", "free"; separated by spaces. Cut when full. */
const char *mock_device_log(struct cmpd_device *d);
void mock_device_log_clear(struct cmpd_device *d);
/* Makes every launch fail as a broken device does. */
void mock_device_break(struct cmpd_device *d);

#endif
