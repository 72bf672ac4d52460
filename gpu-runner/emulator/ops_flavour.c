/* The tables of one flavour. */
#include "gpu-runner/emulator/exec.h"

/* ops_round.c comes after ops_float.c: its rows would take what has no rounding at all. */
static const struct emu_row *const tables[] = {
    EMU_NAME(emu_rows_int),
    EMU_NAME(emu_rows_bits),
    EMU_NAME(emu_rows_float),
    EMU_NAME(emu_rows_round),
    EMU_NAME(emu_rows_half),
    EMU_NAME(emu_rows_setp),
    NULL,
};

const struct emu_ops EMU_NAME(emu_ops) = {
    .tables = tables,
    .test = EMU_NAME(emu_find_test),
    .compare_index = EMU_NAME(emu_compare_index),
    .setp = EMU_NAME(emu_setp),
    .setp_x2 = EMU_NAME(emu_setp_x2),
    .set = EMU_NAME(emu_set),
    .testp = EMU_NAME(emu_testp),
    .mma = EMU_NAME(emu_mma),
    .cvt = EMU_NAME(emu_find_cvt),
};
