/* The #include lines of a hostile file, and the make rule that nvcc writes about it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/compile/cache.h"
#include "gpu-runner/compile/closure.h"
#include "gpu-runner/compile/include_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_include_lines l;
    struct cmpd_strings rule;
    cmpd_include_lines_find((const char *)data, size, &l);
    for (size_t i = 0; i < l.count; i++) {
        char *plain = l.items[i].name ? cmpd_path_normalise(l.items[i].name) : NULL;
        /* Whatever it is, it stays below its start. */
        if (plain && (plain[0] == '/' || strncmp(plain, "../", 3) == 0 || strcmp(plain, "..") == 0))
            abort();
        free(plain);
    }
    cmpd_include_lines_clear(&l);
    cmpd_cache_parse_rule((const char *)data, size, &rule);
    cmpd_strings_clear_all(&rule);
    return 0;
}
