#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/link/elf.h"
#include "gpu-runner/link/link.h"

/* GCC's names for what it made of a function: launch.isra.0, launch.constprop.1, launch.part.0, launch.cold. */
static bool is_clone(const char *name)
{
    return strchr(name, '.') != NULL;
}

cmpd_rc cmpd_elf_functions(const void *data, size_t len, struct cmpd_elf_functions *out,
                           struct cmpd_err *err)
{
    struct cmpd_elf_functions f = {0};
    struct cmpd_elf elf;
    struct cmpd_elf_symbol s;
    const char *why;

    if (!cmpd_elf_open(&elf, data, len, &why))
        return cmpd_err_set(err, CMPD_EINPUT, "%s", why);
    for (size_t i = 0; i < elf.symbol_count && f.count < CMPD_ELF_FUNCTIONS_CEILING; i++) {
        if (!cmpd_elf_symbol(&elf, i, &s) || !s.function || !s.defined || s.name[0] == '\0')
            continue;
        CMPD_GROW(f.items, f.count + 1, f.cap);
        f.items[f.count++] = (struct cmpd_elf_function){.symbol = cmpd_strdup(s.name),
                                                        .offset = s.value,
                                                        .size = s.size,
                                                        .local = s.local,
                                                        .clone = is_clone(s.name)};
    }
    *out = f;
    return CMPD_OK;
}

void cmpd_elf_functions_clear(struct cmpd_elf_functions *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->items[i].symbol);
    free(f->items);
    memset(f, 0, sizeof(*f));
}

const struct cmpd_elf_function *cmpd_elf_functions_find(const struct cmpd_elf_functions *f,
                                                        const char *symbol)
{
    for (size_t i = 0; i < f->count; i++)
        if (!f->items[i].clone && strcmp(f->items[i].symbol, symbol) == 0)
            return &f->items[i];
    return NULL;
}
