/*
 * From nvcc's object to a shared library that cmpd-candidate can load: linked in the jail against our CUDA runtime and
 * the system's C and C++ libraries. What the object needs and nobody has is named before anything runs.
 */
#ifndef CMPD_GPU_RUNNER_LINK_LINK_H
#define CMPD_GPU_RUNNER_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/err.h"
#include "analysis/verdict/tags.h"
#include "gpu-runner/jail/jail.h"

#define CMPD_LINK_MISSING_CEILING 64

struct cmpd_link_missing {
    char *symbol;      /* owned; mangled */
    char *display;     /* owned; "ns::helper" */
    enum cmpd_tag tag; /* library_call, not_emulated, compile_environment */
    const char
        *what; /* static: "cuBLAS", "the CUDA driver API", ...; NULL: another file of the project */
};

struct cmpd_link_request {
    const void *object; /* borrowed */
    size_t object_len;
    const char *work; /* private folder, to be written; what is made in it stays there */
    const struct cmpd_jail_ops *jail;
    int cancel_fd; /* -1: none */
};

struct cmpd_link_result {
    bool ok;    /* a library was made */
    char *path; /* owned; of the library, where ok */
    double elapsed_ms;
    struct cmpd_link_missing *missing; /* owned; sorted by tag, library calls first */
    size_t missing_count;
    bool missing_cut; /* there were more */
    /* Where not ok: the finding. */
    enum cmpd_tag tag;
    char *message, *hint; /* owned */
};

/*
 * CMPD_OK with ok false: the object can't be made into a library, tag and message say why. CMPD_EINPUT: no object of
 * this kind. CMPD_EUNAVAIL: no linker, no jail, our own runtime is not installed. CMPD_EIO. Clear the result after
 * CMPD_OK.
 */
cmpd_rc cmpd_link_object(const struct cmpd_link_request *request, struct cmpd_link_result *result,
                         struct cmpd_err *err);
void cmpd_link_result_clear(struct cmpd_link_result *result); /* safe twice */

/* ---- functions of an object or a library ---- */

struct cmpd_elf_function {
    char *symbol; /* owned; mangled */
    uint64_t offset, size;
    bool local; /* static */
    bool clone; /* a part or a changed copy that the compiler made: not to be called by C's rules */
};

struct cmpd_elf_functions {
    struct cmpd_elf_function *items; /* owned; in the file's order */
    size_t count, cap;
};
#define CMPD_ELF_FUNCTIONS_CEILING 100000u

/* All functions that it defines. CMPD_EINPUT: damaged, or not for this machine. Clear it on success. */
cmpd_rc cmpd_elf_functions(const void *data, size_t len, struct cmpd_elf_functions *out,
                           struct cmpd_err *err);
void cmpd_elf_functions_clear(struct cmpd_elf_functions *f);
/* NULL: none of that name, or a clone alone. */
const struct cmpd_elf_function *cmpd_elf_functions_find(const struct cmpd_elf_functions *f,
                                                        const char *symbol);

/* ---- names ---- */

/*
 * What a person calls a function: "ns::launch" of _ZN2ns6launchEPfi, "launch<...>" of an instance. No types; a name that
 * can't be read comes back as it is. The caller frees it.
 */
char *cmpd_link_display(const char *symbol);
/* Which library's or interface's function it is, by its name. False: nobody's that is known. */
bool cmpd_link_foreign(const char *symbol, enum cmpd_tag *tag, const char **what);

#endif
