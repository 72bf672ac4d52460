/*
 * Every name that the real library exports and this one does not implement. A call tells the server its name
 * (not_emulated) and fails. The stubs are weak: an implementation elsewhere takes their place, so that the list need
 * not know what is built. Arguments are not looked at, which C's calling convention allows.
 */
#include "gpu-runner/cudart/rt.h"

#define EXPORT(name)                                     \
    RT_API __attribute__((weak)) cudaError_t name(void); \
    RT_API __attribute__((weak)) cudaError_t name(void)  \
    {                                                    \
        return rt_unbuilt(#name);                        \
    }
#include "gpu-runner/cudart/exports.def"
#undef EXPORT
