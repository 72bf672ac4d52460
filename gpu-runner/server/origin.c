/*
 * Outputs that the host worked out itself and sent to the device: their bytes are among those that copies from host
 * memory carried there, and no input's. A kernel that only moves them changes nothing about that.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

static bool all_equal(const uint8_t *data, size_t len)
{
    return len < 2 || memcmp(data, data + 1, len - 1) == 0;
}

/* Bytes of an input of the case, sent on as they are. */
static bool from_input(const struct cmpd_server *s, uint64_t address, const uint8_t *data,
                       size_t len)
{
    const struct srv_host *h = srv_host_near(s, address);

    if (h && h->initial && address >= h->address && address - h->address <= h->bytes &&
        len <= h->bytes - (address - h->address) &&
        memcmp(h->initial + (address - h->address), data, len) == 0)
        return true;
    for (size_t i = 0; i < s->host_count; i++) {
        h = &s->hosts[i];
        size_t anchor = len < 64 ? len : 64;
        const uint8_t *hit = h->initial ? memmem(h->initial, h->bytes, data, anchor) : NULL;
        if (hit && h->bytes - (uint64_t)(hit - h->initial) >= len && memcmp(hit, data, len) == 0)
            return true;
    }
    return false;
}

void srv_origin_sent(struct cmpd_server *s, uint64_t address, const uint8_t *data, size_t len)
{
    /* A filling with one value is no result. */
    if (s->in_case && s->task == CMPD_WIRE_TASK_CALL && !all_equal(data, len) &&
        !from_input(s, address, data, len))
        srv_blobs_add(&s->sent, data, len);
}

static void judge(struct cmpd_server *s, uint32_t arg, const uint8_t *data, uint64_t bytes,
                  uint64_t *budget)
{
    struct cmpd_server_record *r = s->record;
    struct srv_match m = {.data = data, .bytes = bytes, .budget = *budget};

    srv_match_begin(&m);
    for (size_t i = 0; i < s->sent.count; i++)
        srv_match_blob(&m, &s->sent.items[i]);
    *budget = m.budget;
    uint64_t from_host = srv_match_end(&m);
    if (from_host > 0 && r->origin_count < CMPD_SERVER_ARGS_CEILING)
        r->origins[r->origin_count++] =
            (struct cmpd_server_origin){.arg = arg, .bytes = bytes, .from_host_bytes = from_host};
}

cmpd_rc srv_origin_judge(struct cmpd_server *s, struct cmpd_err *err)
{
    struct cmpd_server_record *r = s->record;
    uint64_t budget = SRV_SEARCH_BYTES;

    if (s->sent.count == 0)
        return CMPD_OK;
    for (size_t i = 0; i < r->host_count; i++) {
        const struct cmpd_server_host *h = &r->hosts[i];
        bool output = !s->hosts[i].initial || memcmp(s->hosts[i].initial, h->data, h->bytes) != 0;
        if (output)
            judge(s, h->arg, h->data, h->bytes, &budget);
    }
    for (size_t i = 0; i < s->ranges.count; i++) {
        const struct srv_range *g = &s->ranges.items[i];
        if (g->owner != SRV_CALLER || g->bytes > SRV_BLOB_BYTES)
            continue;
        CMPD_AUTOFREE uint8_t *data = cmpd_alloc(g->bytes + 1);
        cmpd_rc rc = s->device->ops->read(s->device, data, g->base, g->bytes, err);
        if (rc != CMPD_OK)
            return rc;
        judge(s, g->arg, data, g->bytes, &budget);
    }
    return CMPD_OK;
}
