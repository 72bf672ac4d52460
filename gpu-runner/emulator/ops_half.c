/* f16 and bf16, single and packed. Worked out in float or double with enough bits, then rounded once. */
#include <math.h>

#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/half.h"

const struct emu_row EMU_NAME(emu_rows_half)[] = {
    {0},
};
