/* The devices that there are, by the name that the option --device gives them. */
#include "gpu-runner/device/device.h"

#include <string.h>

const struct cmpd_device_ops *cmpd_device_find(const char *name)
{
    if (strcmp(name, "auto") == 0 || strcmp(name, "emulator") == 0) {
        return &cmpd_device_emulator;
    }
    return NULL;
}
