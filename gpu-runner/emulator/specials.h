/* Special registers that stand still while a block runs: each has 32 lanes of 32 bits in the warp. */
#ifndef CMPD_GPU_RUNNER_EMULATOR_SPECIALS_H
#define CMPD_GPU_RUNNER_EMULATOR_SPECIALS_H

/* clang-format off */
#define EMU_SPECIALS(X) \
    X(tid_x) X(tid_y) X(tid_z) X(ntid_x) X(ntid_y) X(ntid_z) X(ctaid_x) X(ctaid_y) X(ctaid_z) X(nctaid_x) X(nctaid_y) \
    X(nctaid_z) X(laneid) X(warpid) X(nwarpid) X(lanemask_eq) X(lanemask_lt) X(lanemask_le) X(lanemask_gt) \
    X(lanemask_ge) X(smid) X(nsmid) X(WARP_SZ) X(dynamic_smem_size) X(total_smem_size) X(envreg1) X(envreg2) X(zero)
/* clang-format on */
enum emu_special {
#define X(name) EMU_SPECIAL_##name,
    EMU_SPECIALS(X)
#undef X
        EMU_SPECIAL_COUNT
};
#define EMU_SPECIAL_BYTES (EMU_SPECIAL_COUNT * 128)

/* An A100's; what programs see who ask. */
#define EMU_MULTIPROCESSORS      108
/* Nanoseconds that %globaltimer moves a clock, and clocks a warp instruction costs: any fixed figures do. */
#define EMU_CLOCKS_PER_STEP      4
/* Reading the clock counts as so many steps: loops that wait for a time end before a budget does. */
#define EMU_STEPS_PER_CLOCK_READ 32

#endif
