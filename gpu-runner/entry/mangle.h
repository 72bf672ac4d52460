/*
 * Names of the Itanium C++ ABI (https://itanium-cxx-abi.github.io/cxx-abi/abi.html, chapter 5.1), as far as symbols of
 * kernels and launchers need it: the qualified name, the template arguments, the parameters' types.
 */
#ifndef CMPD_GPU_RUNNER_ENTRY_MANGLE_H
#define CMPD_GPU_RUNNER_ENTRY_MANGLE_H

#include <stdbool.h>
#include <stddef.h>

#define CMPD_MANGLE_CEILING 4000 /* bytes of a symbol; of each text that comes out */

struct cmpd_demangled {
    char
        *name; /* owned; "ns::launch"; unnamed namespaces and nvcc's module prefixes are left out */
    char *targs;  /* owned; "float, 256"; NULL: no template. A part that isn't read is "?" */
    char *params; /* owned; "float const*, float*, int" where all of it could be read, else NULL */
    size_t param_count; /* valid where params is not NULL */
    bool plain;         /* no C++ name: extern "C" */
};

/* False: it can't be read (it is no mangled name, or uses what isn't known here). Clear it. */
bool cmpd_demangle(const char *symbol, struct cmpd_demangled *out);
void cmpd_demangled_clear(struct cmpd_demangled *d);

#endif
