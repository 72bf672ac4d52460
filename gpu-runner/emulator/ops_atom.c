/* Atomics: atom and red. */
#include "gpu-runner/emulator/exec.h"

bool emu_bind_atom(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in)
{
    (void)b;
    (void)p;
    (void)in;
    return false;
}
