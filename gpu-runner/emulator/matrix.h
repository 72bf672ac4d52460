/*
 * Matrices spread over the registers of a warp: which element a lane holds where. One rule gives the layouts of all
 * mma shapes but m8n8k4 on f16 (PTX ISA, "Matrix Fragments for mma"): with g = lane / 4 and t = lane % 4, a register of
 * e elements holds, of A, row g and e columns from t * e; of B, column g and e rows from t * e; of C, row g and columns
 * 2t, 2t + 1. Further registers hold the row eight below, then the next columns. wmma uses the same layouts.
 */
#ifndef CMPD_GPU_RUNNER_EMULATOR_MATRIX_H
#define CMPD_GPU_RUNNER_EMULATOR_MATRIX_H

#include "gpu-runner/emulator/exec.h"

enum emu_matrix { EMU_MATRIX_A, EMU_MATRIX_B, EMU_MATRIX_C };

#define EMU_MATRIX_SIDE 32 /* the largest dimension of any shape supported */

struct emu_shape {
    uint8_t m, n, k;
};

/* How a matrix lies in the registers. */
struct emu_fragment {
    uint8_t matrix; /* enum emu_matrix */
    uint8_t type;   /* enum cmpd_ptx_type of an element */
    uint8_t each;   /* elements of one register */
    uint8_t unique; /* registers that hold something new; further ones repeat them */
    struct emu_shape shape;
    const uint16_t *place; /* in the module's arena; of element part of register reg in a lane, at
                            * (reg * each + part) * 32 + lane: row * EMU_MATRIX_SIDE + column */
};

/* A product: its operands stand in emu_ins.more in the order D, A, B, C; emu_ins.extra is this. */
struct emu_product {
    struct emu_fragment a, b, c, d;
    bool satfinite;
};

/* 8, 16, 32 or 64 bits; the false ones (sub-byte types) aren't supported. */
bool emu_fragment_init(struct emu_module *m, struct emu_fragment *f, enum emu_matrix matrix,
                       enum cmpd_ptx_type type, struct emu_shape shape);
/* Row and column of element `part` of register `reg` in a lane. */
void emu_fragment_place(const struct emu_fragment *f, unsigned lane, unsigned reg, unsigned part,
                        unsigned *row, unsigned *column);
bool emu_shape_of(const struct cmpd_ptx_ins *p, struct emu_shape *out);

#endif
