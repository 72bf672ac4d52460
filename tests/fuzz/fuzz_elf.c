/* Any bytes as an object file, and what a linker says of it as names. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/link/elf.h"
#include "gpu-runner/link/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void names(const char *symbol)
{
    enum cmpd_tag tag;
    const char *what;
    char *display = cmpd_link_display(symbol);

    /* "1a" becomes "::a" at worst */
    if (strlen(display) > 3 * strlen(symbol) + 64)
        abort();
    for (const char *p = display; *p; p++)
        if (*p < ' ' || *p == 0x7f)
            abort();
    free(display);
    cmpd_link_foreign(symbol, &tag, &what);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_elf_functions f;
    struct cmpd_elf elf;
    const char *why;
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    names(text);
    free(text);
    if (cmpd_elf_open(&elf, data, size, &why))
        for (uint64_t offset = 0; offset < 4096; offset += 64)
            cmpd_elf_function_at(&elf, offset);
    if (cmpd_elf_functions(data, size, &f, NULL) == CMPD_OK) {
        for (size_t i = 0; i < f.count; i++)
            names(f.items[i].symbol);
        cmpd_elf_functions_clear(&f);
    }
    return 0;
}
