#include <errno.h>
#include <sys/mman.h>

#include "gpu-runner/candidate/candidate.h"

#define PAGE_BYTES ((uint64_t)4096)

static void page_range(const struct cmpd_wire_arg *a, uint64_t *first, uint64_t *bytes)
{
    *first = a->address - a->address % PAGE_BYTES;
    *bytes = (a->address + a->bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES - *first;
}

static bool is_buffer(const struct cmpd_wire_arg *a)
{
    return a->type == CMPD_WIRE_POINTER_HOST && a->address && a->bytes > 0;
}

/* What lies round a buffer stays unmapped: its pages are its own. */
bool candidate_map(const struct cmpd_wire_arg *args, uint32_t count, int fd)
{
    uint64_t first, bytes;

    for (uint32_t i = 0; i < count; i++) {
        if (!is_buffer(&args[i]))
            continue;
        page_range(&args[i], &first, &bytes);
        void *at = mmap((void *)(uintptr_t)first, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED_NOREPLACE, fd, (off_t)args[i].value);
        if (at == MAP_FAILED)
            return false;
    }
    return true;
}

void candidate_unmap(const struct cmpd_wire_arg *args, uint32_t count)
{
    uint64_t first, bytes;

    for (uint32_t i = 0; i < count; i++) {
        if (!is_buffer(&args[i]))
            continue;
        page_range(&args[i], &first, &bytes);
        munmap((void *)(uintptr_t)first, bytes);
    }
}
