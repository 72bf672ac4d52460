/* The emulated device from PTX text, without a fat binary round it: for tests and tools. */
#ifndef CMPD_GPU_RUNNER_EMULATOR_DEVICE_TEXT_H
#define CMPD_GPU_RUNNER_EMULATOR_DEVICE_TEXT_H

#include "gpu-runner/device/device.h"

/* d: of cmpd_device_emulator. As its `load`. */
cmpd_rc emu_device_load_text(struct cmpd_device *d, const char *text, size_t len, uint32_t *module,
                             struct cmpd_err *err);

#endif
