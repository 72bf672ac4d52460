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
#define ALIGN       16u                 /* what a host buffer's beginning keeps, as malloc's does */
#define ANCHOR      16u                 /* bytes by which equal stretches are found */
#define SEARCH_MOST ((uint64_t)1 << 30) /* bytes looked through to explain one case's buffers */
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

static void mask_set(uint8_t *mask, uint64_t at, uint64_t len)
{
    for (uint64_t i = at; i < at + len; i++) {
        if (i % 8 == 0 && i + 8 <= at + len) {
            mask[i / 8] = 0xff;
            i += 7;
        } else {
            mask[i / 8] |= (uint8_t)(1u << (i % 8));
        }
    }
}

static bool mask_get(const uint8_t *mask, uint64_t at)
{
    return mask[at / 8] >> (at % 8) & 1;
}

void srv_hosts_explain(struct cmpd_server *s, const uint8_t *data, size_t len)
{
    uint64_t cost = len + sizeof(struct srv_blob) + ALIGN;

    if (s->host_count == 0 || len == 0 || cost > SRV_BLOB_BYTES - s->blob_bytes)
        return;
    CMPD_GROW(s->blobs, s->blob_count + 1, s->blob_cap);
    struct srv_blob *b = &s->blobs[s->blob_count++];
    b->data = cmpd_alloc(len);
    b->len = len;
    memcpy(b->data, data, len);
    s->blob_bytes += cost;
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
    mask_set(h->mask, address - h->address, len);
    if (s->device->ops->undefined) {
        cmpd_rc rc = s->device->ops->undefined(s->device, from, len, &h->undefined, &err);
        if (rc != CMPD_OK)
            srv_broken(s, rc, &err);
    }
}

static uint64_t equal_bytes(const uint8_t *a, const uint8_t *b, uint64_t most)
{
    uint64_t n = 0;

    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* Marks stretches of the buffer that begin as the blob begins. */
static void match_blob_start(const struct srv_blob *b, const uint8_t *data, uint64_t bytes,
                             uint8_t *mask, uint64_t *budget)
{
    uint64_t at = 0, anchor = b->len < ANCHOR ? b->len : ANCHOR;

    while (at<bytes && * budget> bytes) {
        const uint8_t *hit = memmem(data + at, bytes - at, b->data, anchor);
        *budget -= hit ? (uint64_t)(hit - data) - at + 1 : bytes - at;
        if (!hit)
            return;
        uint64_t from = (uint64_t)(hit - data);
        uint64_t room = bytes - from < b->len ? bytes - from : b->len;
        uint64_t n = equal_bytes(hit, b->data, room);
        mask_set(mask, from, n);
        at = from + n;
    }
}

/* Marks stretches that are not explained yet and stand somewhere in the blob. */
static void match_inside_blob(const struct srv_blob *b, const uint8_t *data, uint64_t bytes,
                              uint8_t *mask, uint64_t *budget)
{
    uint64_t at = 0;

    while (at<bytes && * budget> b->len) {
        while (at < bytes && mask_get(mask, at))
            at++;
        uint64_t anchor = bytes - at < ANCHOR ? bytes - at : ANCHOR;
        if (anchor == 0 || anchor > b->len)
            return;
        const uint8_t *hit = memmem(b->data, b->len, data + at, anchor);
        *budget -= b->len;
        if (!hit) {
            at += anchor;
            continue;
        }
        uint64_t room = b->len - (uint64_t)(hit - b->data);
        uint64_t n = equal_bytes(data + at, hit, room < bytes - at ? room : bytes - at);
        mask_set(mask, at, n);
        at += n;
    }
}

static uint64_t explained(struct cmpd_server *s, const struct srv_host *h, const uint8_t *data,
                          uint64_t *budget)
{
    CMPD_AUTOFREE uint8_t *mask = cmpd_calloc(h->bytes / 8 + 1, 1);
    uint64_t count = 0;

    for (uint64_t i = 0; h->mask && i < h->bytes; i++)
        if (mask_get(h->mask, i) && h->copied[i] == data[i])
            mask_set(mask, i, 1);
    for (size_t i = 0; i < s->blob_count; i++) {
        match_blob_start(&s->blobs[i], data, h->bytes, mask, budget);
        match_inside_blob(&s->blobs[i], data, h->bytes, mask, budget);
    }
    for (uint64_t i = 0; i < h->bytes; i++)
        count += mask_get(mask, i);
    return count;
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
    uint64_t budget = SEARCH_MOST;

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
    for (size_t i = 0; i < s->blob_count; i++)
        free(s->blobs[i].data);
    s->blob_count = 0;
    s->blob_bytes = 0;
    if (s->host_fd >= 0)
        close(s->host_fd);
    s->host_fd = -1;
}
