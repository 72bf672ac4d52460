/* Functions that the device has by itself: printf, malloc, free, assert. */
#include "gpu-runner/emulator/exec.h"

static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail", NULL};

uint32_t emu_builtin_find(const char *name)
{
    for (uint32_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return CMPD_PTX_NONE;
}
void emu_builtin_call(struct emu_warp *w, const struct emu_ins *in, uint32_t mask, uint32_t builtin)
{
    (void)w;
    (void)in;
    (void)mask;
    (void)builtin;
}
void emu_async_wait(struct emu_warp *w, uint32_t mask, uint32_t keep, bool all)
{
    (void)w;
    (void)mask;
    (void)keep;
    (void)all;
}
