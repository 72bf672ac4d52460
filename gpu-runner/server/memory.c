/*
 * Address ranges and whose they are. The device has its own table; this one knows owners, names and what was freed, and
 * gives CUDA's answers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

bool srv_is_device_address(uint64_t address)
{
    return address >= CMPD_DEVICE_BASE && address < CMPD_DEVICE_END;
}

/* The index of the first range whose base is above the address. */
static size_t upper(const struct srv_ranges *r, uint64_t address)
{
    size_t low = 0, high = r->count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (r->items[mid].base <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct srv_range *srv_range_near(struct cmpd_server *s, uint64_t address)
{
    size_t i = upper(&s->ranges, address);

    if (i > 0) {
        struct srv_range *below = &s->ranges.items[i - 1];
        if (address - below->base < CMPD_DEVICE_SLOT_BYTES / 2)
            return below;
    }
    if (i < s->ranges.count) {
        struct srv_range *above = &s->ranges.items[i];
        if (above->base - address <= CMPD_DEVICE_SLOT_BYTES / 2)
            return above;
    }
    return NULL;
}

struct srv_range *srv_range_add(struct cmpd_server *s, uint64_t base, uint64_t bytes,
                                enum cmpd_memory_kind kind, enum srv_owner owner, const char *name)
{
    struct srv_ranges *r = &s->ranges;
    size_t i = upper(r, base);
    struct srv_range *at = i > 0 && r->items[i - 1].base == base ? &r->items[i - 1] : NULL;

    if (!at) {
        CMPD_GROW(r->items, r->count + 1, r->cap);
        at = &r->items[i];
        memmove(at + 1, at, (r->count - i) * sizeof(*at));
        r->count++;
    }
    *at = (struct srv_range){.base = base,
                             .bytes = bytes,
                             .kind = kind,
                             .owner = owner,
                             .live = true,
                             .epoch = s->epoch};
    snprintf(at->name, sizeof(at->name), "%s", name);
    return at;
}

void srv_ranges_drop_caller(struct cmpd_server *s)
{
    size_t to = 0;

    for (size_t i = 0; i < s->ranges.count; i++)
        if (s->ranges.items[i].owner != SRV_CALLER)
            s->ranges.items[to++] = s->ranges.items[i];
    s->ranges.count = to;
}

static const char *freed_text(const struct srv_range *r)
{
    return r->live ? "" : ", which was freed";
}

bool srv_span_ok(struct cmpd_server *s, const char *call, bool write, uint64_t address,
                 uint64_t len, struct srv_range **range)
{
    struct srv_range *r = srv_is_device_address(address) ? srv_range_near(s, address) : NULL;
    uint64_t end;

    if (r && r->live && address >= r->base && !__builtin_add_overflow(address, len, &end) &&
        end - r->base <= r->bytes) {
        *range = r;
        return true;
    }
    const char *verb = write ? "writes" : "reads";
    if (!r) {
        srv_sight(s, CMPD_TAG_out_of_bounds, false, NULL,
                  "%s %s %" PRIu64 " bytes at 0x%" PRIx64 ", where no device memory is", call, verb,
                  len, address);
    } else if (address < r->base) {
        srv_sight(s, CMPD_TAG_out_of_bounds, false, NULL,
                  "%s %s %" PRIu64 " bytes that begin %" PRIu64 " bytes in front of %s (%" PRIu64
                  " bytes)%s",
                  call, verb, len, r->base - address, r->name, r->bytes, freed_text(r));
    } else {
        srv_sight(s, CMPD_TAG_out_of_bounds, false, NULL,
                  "%s %s %" PRIu64 " bytes at offset %" PRIu64 " of %s (%" PRIu64 " bytes)%s", call,
                  verb, len, address - r->base, r->name, r->bytes, freed_text(r));
    }
    return false;
}

/* ---- allocating ---- */

static const char *alloc_call(enum cmpd_memory_kind kind)
{
    return kind == CMPD_MEMORY_PINNED    ? "cudaMallocHost"
           : kind == CMPD_MEMORY_MANAGED ? "cudaMallocManaged"
                                         : "cudaMalloc";
}

/* More than a run may have here; a GPU may have had the room. */
static int32_t no_room(struct cmpd_server *s, enum cmpd_memory_kind kind, uint64_t bytes,
                       const char *why)
{
    srv_sight(s, CMPD_TAG_not_emulated, false, NULL, "%s of %" PRIu64 " bytes: %s",
              alloc_call(kind), bytes, why);
    srv_undecided(s);
    return SRV_MEMORY_ALLOCATION;
}

static int32_t make(struct cmpd_server *s, enum cmpd_memory_kind kind, uint64_t bytes)
{
    struct cmpd_err err = {0};
    char name[CMPD_SERVER_NAME_BYTES];
    uint64_t address = 0;
    int fd = -1;

    snprintf(name, sizeof(name), "%s #%u", alloc_call(kind), s->allocations + 1);
    if (kind != CMPD_MEMORY_DEVICE) {
        fd = srv_shared_memory("cmpd-shared", bytes);
        if (fd < 0)
            return SRV_MEMORY_ALLOCATION;
    }
    cmpd_rc rc = s->device->ops->alloc(s->device, bytes, kind, fd, name, &address, &err);
    if (rc != CMPD_OK) {
        if (fd >= 0)
            close(fd);
        if (rc != CMPD_ELIMIT)
            srv_broken(s, rc, &err);
        return rc == CMPD_ELIMIT ? no_room(s, kind, bytes, err.msg) : SRV_MEMORY_ALLOCATION;
    }
    srv_range_add(s, address, bytes, kind, SRV_CANDIDATE, name);
    s->allocations++;
    s->allocated_bytes += bytes;
    srv_reply_put(s, &address, sizeof(address));
    s->reply.fd = fd;
    return SRV_SUCCESS;
}

int32_t srv_on_alloc(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint64_t bytes = cmpd_wire_get_u64(r);
    uint32_t kind = cmpd_wire_get_u32(r), stream = cmpd_wire_get_u32(r);
    uint64_t none = 0;

    if (kind != CMPD_MEMORY_DEVICE && kind != CMPD_MEMORY_MANAGED && kind != CMPD_MEMORY_PINNED)
        return srv_violation(s, "an unknown kind of memory");
    if (!srv_stream_find(s, stream))
        return SRV_INVALID_HANDLE;
    if (bytes == 0) {
        srv_reply_put(s, &none, sizeof(none));
        return SRV_SUCCESS;
    }
    if (bytes > s->limits.memory_bytes - s->allocated_bytes)
        return no_room(s, (enum cmpd_memory_kind)kind, bytes, "more memory than a run may have");
    return make(s, (enum cmpd_memory_kind)kind, bytes);
}

int32_t srv_on_mem_info(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint64_t info[2] = {s->limits.memory_bytes - s->allocated_bytes, s->limits.memory_bytes};

    (void)r;
    srv_reply_put(s, info, sizeof(info));
    return SRV_SUCCESS;
}

int32_t srv_on_pointer(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint64_t address = cmpd_wire_get_u64(r);
    struct srv_range *range = srv_is_device_address(address) ? srv_range_near(s, address) : NULL;
    struct {
        uint32_t kind, zero;
        uint64_t base, bytes;
    } answer = {0};

    if (range && range->live && address >= range->base && address - range->base < range->bytes) {
        answer.kind = (uint32_t)range->kind + 1;
        answer.base = range->base;
        answer.bytes = range->bytes;
    }
    srv_reply_put(s, &answer, sizeof(answer));
    return SRV_SUCCESS;
}

/* ---- freeing ---- */

/* What host code leaves in shared memory may be where an output's bytes come from. */
static void explain_shared(struct cmpd_server *s, const struct srv_range *r)
{
    struct cmpd_err err = {0};

    if (r->kind == CMPD_MEMORY_DEVICE || s->host_count == 0 || r->bytes > SRV_BLOB_BYTES)
        return;
    CMPD_AUTOFREE uint8_t *bytes = cmpd_alloc(r->bytes);
    if (s->device->ops->read(s->device, bytes, r->base, r->bytes, &err) == CMPD_OK)
        srv_hosts_explain(s, bytes, r->bytes);
}

void srv_explain_shared(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->ranges.count; i++)
        if (s->ranges.items[i].live && s->ranges.items[i].owner == SRV_CANDIDATE)
            explain_shared(s, &s->ranges.items[i]);
}

void srv_do_free(struct cmpd_server *s, uint64_t address)
{
    struct cmpd_err err = {0};
    struct srv_range *r = srv_range_near(s, address);

    if (!r || r->base != address || !r->live)
        return;
    explain_shared(s, r);
    r->live = false;
    s->allocated_bytes -= r->bytes;
    if (s->keep) {
        CMPD_GROW(s->kept, s->kept_count + 1, s->kept_cap);
        s->kept[s->kept_count++] = address;
        return;
    }
    cmpd_rc rc = s->device->ops->free(s->device, address, &err);
    if (rc != CMPD_OK)
        srv_broken(s, rc, &err);
}

enum how { HOW_FREE, HOW_ASYNC, HOW_HOST, HOW_COUNT };
static const char *const free_call[HOW_COUNT] = {"cudaFree", "cudaFreeAsync", "cudaFreeHost"};

static int32_t bad_free(struct cmpd_server *s, enum how how, uint64_t address)
{
    const char *call = free_call[how];
    struct srv_range *r = srv_is_device_address(address) ? srv_range_near(s, address) : NULL;

    if (!r)
        srv_sight(s, CMPD_TAG_bad_free, false, NULL,
                  "%s of 0x%" PRIx64 ", which is no device memory", call, address);
    else if (r->base == address && (!r->live || r->free_queued))
        srv_sight(s, CMPD_TAG_bad_free, false, NULL, "%s of %s, which was freed before", call,
                  r->name);
    else if (r->owner == SRV_MODULE)
        srv_sight(s, CMPD_TAG_bad_free, false, NULL, "%s of the variable %s", call, r->name);
    else if (r->base == address)
        srv_sight(s, CMPD_TAG_bad_free, false, NULL, "%s of %s, which another call has to free",
                  call, r->name);
    else
        srv_sight(s, CMPD_TAG_bad_free, false, NULL,
                  "%s of an address %s %s (%" PRIu64 " bytes), not of its beginning", call,
                  address > r->base && address - r->base < r->bytes ? "inside" : "near", r->name,
                  r->bytes);
    return SRV_INVALID_VALUE;
}

static bool can_free(const struct srv_range *r, enum how how)
{
    bool pinned = r->kind == CMPD_MEMORY_PINNED;

    return r->live && !r->free_queued && r->owner != SRV_MODULE && pinned == (how == HOW_HOST);
}

int32_t srv_on_free(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint64_t address = cmpd_wire_get_u64(r);
    uint32_t how = cmpd_wire_get_u32(r), stream = cmpd_wire_get_u32(r);

    if (how >= HOW_COUNT)
        return srv_violation(s, "an unknown way to free");
    if (!srv_stream_find(s, stream))
        return SRV_INVALID_HANDLE;
    if (address == 0)
        return SRV_SUCCESS;
    if (how != HOW_ASYNC) { /* measured: both wait for the whole device */
        srv_wait(s, SRV_WAIT_ALL, 0);
        if (s->sticky)
            return s->sticky;
    }
    struct srv_range *range = srv_is_device_address(address) ? srv_range_near(s, address) : NULL;
    if (!range || range->base != address || !can_free(range, (enum how)how))
        return bad_free(s, (enum how)how, address);
    if (range->owner == SRV_CALLER) {
        srv_sight(s, CMPD_TAG_bad_free, false, NULL, "%s of %s, which belongs to the caller",
                  free_call[how], range->name);
        range->live = false; /* for the candidate; the caller still looks at it */
        return SRV_SUCCESS;
    }
    if (how != HOW_ASYNC) {
        srv_do_free(s, address);
        return SRV_SUCCESS;
    }
    range->free_queued = true;
    srv_queue(s, stream, SRV_FREE, NULL)->address = address;
    return SRV_SUCCESS;
}

void srv_memory_release(struct cmpd_server *s)
{
    struct cmpd_err err = {0};

    for (size_t i = 0; i < s->ranges.count; i++) {
        struct srv_range *r = &s->ranges.items[i];
        if (r->live && r->owner == SRV_CANDIDATE)
            s->device->ops->free(s->device, r->base, &err);
        r->live = r->live && r->owner != SRV_CANDIDATE;
    }
    for (size_t i = 0; i < s->kept_count; i++)
        s->device->ops->free(s->device, s->kept[i], &err);
    s->kept_count = 0;
    s->allocated_bytes = 0;
}

/* ---- host memory that the candidate registers ---- */

static size_t registered_at(const struct cmpd_server *s, uint64_t address)
{
    size_t i = 0;

    while (i < s->registered_count &&
           (address < s->registered[i].address ||
            address - s->registered[i].address >= s->registered[i].bytes))
        i++;
    return i;
}

int32_t srv_on_host_range(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint64_t address = cmpd_wire_get_u64(r), bytes = cmpd_wire_get_u64(r);
    uint32_t on = cmpd_wire_get_u32(r);
    size_t i = registered_at(s, address);

    if (srv_is_device_address(address))
        return SRV_INVALID_VALUE;
    if (!on) {
        if (i == s->registered_count)
            return SRV_NOT_REGISTERED;
        if (s->registered[i].address != address)
            return SRV_INVALID_VALUE;
        s->registered[i] = s->registered[--s->registered_count];
        return SRV_SUCCESS;
    }
    if (bytes == 0 || bytes > UINT64_MAX - address)
        return SRV_INVALID_VALUE;
    if (i < s->registered_count)
        return SRV_ALREADY_REGISTERED;
    if (s->registered_count == SRV_REGISTER_CEILING)
        return SRV_MEMORY_ALLOCATION;
    CMPD_GROW(s->registered, s->registered_count + 1, s->registered_cap);
    s->registered[s->registered_count++] = (struct srv_registered){.address = address,
                                                                   .bytes = bytes};
    return SRV_SUCCESS;
}

/* ---- cudaDeviceReset ---- */

int32_t srv_on_reset(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    (void)r;
    srv_wait(s, SRV_WAIT_ALL, 0);
    for (size_t i = 0; i < s->ranges.count; i++) {
        struct srv_range *range = &s->ranges.items[i];
        if (range->live && range->owner == SRV_CALLER) {
            srv_sight(s, CMPD_TAG_bad_free, false, NULL,
                      "cudaDeviceReset frees %s, which belongs to the caller", range->name);
            range->live = false;
        } else if (range->owner == SRV_CANDIDATE) {
            srv_do_free(s, range->base);
        }
    }
    for (size_t i = 0; i < s->stream_count; i++)
        if (s->streams[i].id >= SRV_FIRST_ID)
            s->streams[i].live = false;
    for (size_t i = 0; i < s->event_count; i++)
        s->events[i].live = false;
    s->live_streams = s->live_events = 0;
    s->registered_count = 0;
    s->sticky = 0;
    return SRV_SUCCESS;
}
