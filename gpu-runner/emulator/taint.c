/* Values that hang on memory that nobody wrote: how they spread, and where they count. */
#include "gpu-runner/emulator/exec.h"
#include "gpu-runner/emulator/warp.h"

void emu_taint_set(struct emu_warp *w, uint32_t reg, unsigned lane, uint8_t bytes, uint32_t ptx)
{
    if (reg == CMPD_PTX_NONE)
        return;
    if (!bytes) {
        emu_taint_clear(w, reg, 1u << lane);
        return;
    }
    w->tainted = true;
    w->undefined[reg] |= 1u << lane;
    w->undefined_bytes[reg * EMU_LANES + lane] = bytes;
    w->origin[reg] = ptx;
}
void emu_taint(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    (void)w;
    (void)in;
    (void)mask;
}
void emu_taint_guard(struct emu_warp *w, const struct emu_ins *in, uint32_t mask)
{
    (void)w;
    (void)in;
    (void)mask;
}
