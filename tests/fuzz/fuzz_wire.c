/* Any bytes as a conversation: heads, and what the reading helpers make of the rest. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/wire/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void read_body(const struct cmpd_wire_head *head, struct cmpd_wire_reader *r)
{
    uint8_t fixed[128];
    uint64_t bytes;
    size_t len = 0;

    must(cmpd_wire_fixed_bytes(head->kind) <= sizeof(fixed));
    cmpd_wire_get(r, fixed, cmpd_wire_fixed_bytes(head->kind));
    if (head->kind == CMPD_WIRE_COPY) {
        struct cmpd_wire_copy copy;
        memcpy(&copy, fixed, sizeof(copy));
        if (cmpd_wire_copy_bytes(&copy, &bytes))
            must(bytes <= CMPD_WIRE_MESSAGE_CEILING);
    }
    if (r->left > 0) {
        const char *name = cmpd_wire_get_name(r, &len);
        must(!name || (len > 0 && !memchr(name, '\0', len)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cmpd_wire_reader all = cmpd_wire_reader_of(data, size);
    uint32_t seq = 1;

    while (all.left > 0) {
        struct cmpd_wire_head head;
        cmpd_wire_get(&all, &head, sizeof(head));
        if (cmpd_wire_head_fault(&head, seq++))
            return 0;
        const void *body = cmpd_wire_get_bytes(&all, head.len);
        if (!body)
            return 0;
        struct cmpd_wire_reader r = cmpd_wire_reader_of(body, head.len);
        read_body(&head, &r);
    }
    return 0;
}
