/* Collectives of a warp: shfl, vote, match, redux, activemask. */
#include "gpu-runner/emulator/exec.h"

#define NONE(name)                                                                    \
    bool name(struct emu_binder *b, const struct cmpd_ptx_ins *p, struct emu_ins *in) \
    {                                                                                 \
        (void)b;                                                                      \
        (void)p;                                                                      \
        (void)in;                                                                     \
        return false;                                                                 \
    }
NONE(emu_bind_shfl)
NONE(emu_bind_vote)
NONE(emu_bind_match)
NONE(emu_bind_redux)
NONE(emu_bind_activemask)
