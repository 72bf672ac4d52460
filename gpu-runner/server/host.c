/*
 * Host buffers of a case: one memfd, mapped by the candidate at addresses that the server picks. Read back once, so
 * that nothing changes between looking and using. Beside each buffer goes what copies from the device put there: an
 * output whose bytes came another way was computed by the host.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

#define PAGE        4096u
#define ALIGN       16u /* what a host buffer's beginning keeps, as malloc's does */
#define ANCHOR      16u /* bytes by which equal stretches are found */
#define BUFFER_MOST ((uint64_t)1 << (CMPD_WIRE_HOST_SLOT_BITS - 1))

int srv_shared_memory(const char *name, uint64_t bytes)
{
    uint64_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return -1;
    /* Sealed in size: the peer can't make our own mapping fault by truncating it. */
    if (ftruncate(fd, (off_t)size) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int e = errno;
        close(fd);
        errno = e;
        return -1;
    }
    return fd;
}

/* The buffer's end lies at a page's end as far as alignment allows: the next byte is not mapped. */
static void place(struct srv_host *h, size_t slot, uint64_t *file_end)
{
    uint64_t pad = (PAGE - h->bytes % PAGE) % PAGE / ALIGN * ALIGN;

    h->address = CMPD_WIRE_HOST_BASE + ((uint64_t)slot << CMPD_WIRE_HOST_SLOT_BITS) + PAGE + pad;
    h->file_offset = *file_end + pad;
    *file_end += (pad + h->bytes + PAGE - 1) / PAGE * PAGE;
}

static cmpd_rc fill(int fd, const struct srv_host *h, const uint8_t *data, struct cmpd_err *err)
{
    uint64_t done = 0;

    while (data && done < h->bytes) {
        ssize_t n = pwrite(fd, data + done, h->bytes - done, (off_t)(h->file_offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return cmpd_err_set(err, CMPD_EIO, "filling a host buffer: errno %d", errno);
        done += (uint64_t)n;
    }
    return CMPD_OK;
}

cmpd_rc srv_hosts_open(struct cmpd_server *s, const struct cmpd_server_case *c, uint64_t *bytes,
                       struct cmpd_err *err)
{
    uint64_t end = 0;
    cmpd_rc rc = CMPD_OK;

    for (uint32_t i = 0; i < c->arg_count; i++) {
        if (c->args[i].type != CMPD_WIRE_POINTER_HOST)
            continue;
        if (c->args[i].bytes > BUFFER_MOST)
            return cmpd_err_set(err, CMPD_ELIMIT, "a host buffer of %llu bytes",
                                (unsigned long long)c->args[i].bytes);
        struct srv_host *h = &s->hosts[s->host_count];
        *h = (struct srv_host){.arg = i,
                               .bytes = c->args[i].bytes,
                               .name = c->args[i].name,
                               .initial = c->args[i].data};
        place(h, s->host_count++, &end);
    }
    *bytes = end;
    if (end == 0)
        return CMPD_OK;
    s->host_fd = srv_shared_memory("cmpd-host", end);
    if (s->host_fd < 0)
        return cmpd_err_set(err, CMPD_EIO, "no memory for host buffers: errno %d", errno);
    for (size_t i = 0; i < s->host_count && rc == CMPD_OK; i++)
        rc = fill(s->host_fd, &s->hosts[i], s->hosts[i].initial, err);
    return rc;
}

const struct srv_host *srv_host_near(const struct cmpd_server *s, uint64_t address)
{
    if (address < CMPD_WIRE_HOST_BASE || address >= CMPD_WIRE_HOST_END)
        return NULL;
    uint64_t slot = (address - CMPD_WIRE_HOST_BASE) >> CMPD_WIRE_HOST_SLOT_BITS;
    return slot < s->host_count ? &s->hosts[slot] : NULL;
}

/* ---- where bytes came from ---- */

void srv_hosts_explain(struct cmpd_server *s, const uint8_t *data, size_t len)
{
    if (s->host_count > 0)
        srv_blobs_add(&s->blobs, data, len);
}

void srv_hosts_copied(struct cmpd_server *s, uint64_t address, uint64_t from, const uint8_t *data,
                      size_t len)
{
    struct srv_host *h = (struct srv_host *)srv_host_near(s, address);
    struct cmpd_err err = {0};

    if (!h || address < h->address || address - h->address > h->bytes ||
        len > h->bytes - (address - h->address)) {
        srv_hosts_explain(s, data, len);
        return;
    }
    if (!h->copied) {
        h->copied = cmpd_alloc(h->bytes + 1);
        h->mask = cmpd_calloc(h->bytes / 8 + 1, 1);
    }
    memcpy(h->copied + (address - h->address), data, len);
    srv_mask_set(h->mask, address - h->address, len);
    if (s->device->ops->undefined) {
        cmpd_rc rc = s->device->ops->undefined(s->device, from, len, &h->undefined, &err);
        if (rc != CMPD_OK)
            srv_broken(s, rc, &err);
    }
}

static uint64_t explained(struct cmpd_server *s, const struct srv_host *h, const uint8_t *data,
                          uint64_t *budget)
{
    struct srv_match m = {.data = data, .bytes = h->bytes, .budget = *budget};

    srv_match_begin(&m);
    for (uint64_t i = 0; h->mask && i < h->bytes; i++)
        if (srv_mask_get(h->mask, i) && h->copied[i] == data[i])
            srv_mask_set(m.mask, i, 1);
    for (size_t i = 0; i < s->blobs.count; i++)
        srv_match_blob(&m, &s->blobs.items[i]);
    *budget = m.budget;
    return srv_match_end(&m);
}

static cmpd_rc read_back(int fd, const struct srv_host *h, uint8_t *data, struct cmpd_err *err)
{
    uint64_t done = 0;

    while (done < h->bytes) {
        ssize_t n = pread(fd, data + done, h->bytes - done, (off_t)(h->file_offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return cmpd_err_set(err, CMPD_EIO, "reading a host buffer: errno %d", errno);
        done += (uint64_t)n;
    }
    return CMPD_OK;
}

/* An untouched buffer is no output, and explaining it would be work for nothing. */
static bool unchanged(const struct srv_host *h, const uint8_t *data)
{
    return h->initial && memcmp(h->initial, data, h->bytes) == 0;
}

cmpd_rc srv_hosts_collect(struct cmpd_server *s, struct cmpd_server_record *record,
                          struct cmpd_err *err)
{
    uint64_t budget = SRV_SEARCH_BYTES;

    if (s->host_count == 0)
        return CMPD_OK;
    record->hosts = cmpd_calloc(s->host_count, sizeof(*record->hosts));
    for (size_t i = 0; i < s->host_count; i++) {
        struct srv_host *h = &s->hosts[i];
        struct cmpd_server_host *out = &record->hosts[record->host_count++];
        *out = (struct cmpd_server_host){.arg = h->arg,
                                         .address = h->address,
                                         .bytes = h->bytes,
                                         .undefined = h->undefined,
                                         .data = cmpd_calloc(h->bytes + 1, 1)};
        h->undefined = (struct cmpd_sightings){0};
        cmpd_rc rc = read_back(s->host_fd, h, out->data, err);
        if (rc != CMPD_OK)
            return rc;
        if (!unchanged(h, out->data) || h->mask)
            out->from_device_bytes = explained(s, h, out->data, &budget);
    }
    return CMPD_OK;
}

void srv_hosts_close(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->host_count; i++) {
        free(s->hosts[i].copied);
        free(s->hosts[i].mask);
        cmpd_sightings_clear(&s->hosts[i].undefined);
    }
    s->host_count = 0;
    srv_blobs_clear(&s->blobs);
    srv_blobs_clear(&s->sent);
    if (s->host_fd >= 0)
        close(s->host_fd);
    s->host_fd = -1;
}
