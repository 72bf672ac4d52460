/*
 * Exceptions that leave the entry. The C++ library is reached by name, as it was loaded for the candidate: this program
 * is C. (Names: Itanium C++ ABI, 2.5 and 3.4.)
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu-runner/candidate/candidate.h"
#include "gpu-runner/cudart/cudart.h"

typedef void terminate_handler(void);
typedef terminate_handler *set_terminate_function(terminate_handler *);
typedef void *current_type_function(void);
typedef char *demangle_function(const char *, char *, size_t *, int *);

static current_type_function *current_type;
static demangle_function *demangle;

struct type_info { /* std::type_info */
    void *vtable;
    const char *name;
};

static void on_terminate(void)
{
    char text[300];
    const struct type_info *type = current_type ? current_type() : NULL;
    int status = 0;

    if (!type)
        abort();
    char *name = demangle ? demangle(type->name, NULL, NULL, &status) : NULL;
    snprintf(text, sizeof(text), "an exception of type %s that nobody caught",
             name ? name : type->name);
    candidate_runtime->give_up(CMPD_WIRE_WHY_EXCEPTION, text);
}

void candidate_watch_exceptions(void)
{
    set_terminate_function *set;

    *(void **)&set = dlsym(RTLD_DEFAULT, "_ZSt13set_terminatePFvvE");
    *(void **)&current_type = dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
    *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (set)
        set(on_terminate);
}
