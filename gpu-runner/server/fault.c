/* What a signal of the candidate means. What it says of itself can harm only itself. */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu-runner/server/internal.h"

#define NULL_PAGES 65536u /* an index off a null pointer */

static void classify_device(struct cmpd_server *s, uint64_t address, char *out, size_t size)
{
    struct cmpd_server_outcome *o = s->outcome;
    const struct srv_range *r = srv_range_near(s, address);

    o->fault = CMPD_SERVER_FAULT_DEVICE_POINTER;
    if (!r) {
        snprintf(out, size, "host code follows the device pointer 0x%" PRIx64, address);
    } else if (r->kind == CMPD_MEMORY_DEVICE || r->kind == CMPD_MEMORY_SYMBOL) {
        snprintf(out, size, "host code dereferences a device pointer: offset %" PRId64 " of %s%s",
                 (int64_t)(address - r->base), r->name, r->live ? "" : ", which was freed");
    } else {
        o->fault = CMPD_SERVER_FAULT_HOST_BUFFER;
        snprintf(out, size, "host code accesses offset %" PRId64 " of %s (%" PRIu64 " bytes)%s",
                 (int64_t)(address - r->base), r->name, r->bytes,
                 r->live ? "" : ", which was freed");
    }
}

static void classify_address(struct cmpd_server *s, uint64_t address, char *out, size_t size)
{
    struct cmpd_server_outcome *o = s->outcome;
    const struct srv_host *h = srv_host_near(s, address);

    if (srv_is_device_address(address)) {
        classify_device(s, address, out, size);
    } else if (h) {
        o->fault = CMPD_SERVER_FAULT_HOST_BUFFER;
        snprintf(out, size,
                 "host code accesses offset %" PRId64 " of the host buffer %s (%" PRIu64 " bytes)",
                 (int64_t)(address - h->address), h->name ? h->name : "", h->bytes);
    } else if (address < NULL_PAGES) {
        o->fault = CMPD_SERVER_FAULT_NULL;
        snprintf(out, size, "host code dereferences a null pointer (address 0x%" PRIx64 ")",
                 address);
    } else {
        o->fault = CMPD_SERVER_FAULT_OTHER_ADDRESS;
        snprintf(out, size, "host code accesses 0x%" PRIx64 ", where nothing is", address);
    }
}

static const char *signal_text(uint32_t signal)
{
    switch (signal) {
    case SIGABRT:
        return "aborts (a failed assertion, an exception that nobody caught, or the C library)";
    case SIGFPE:
        return "divides by zero";
    case SIGILL:
        return "runs an illegal instruction";
    default:
        return "dies of a signal";
    }
}

static enum cmpd_tag tag_of(enum cmpd_server_fault_kind kind)
{
    return kind == CMPD_SERVER_FAULT_DEVICE_POINTER ? CMPD_TAG_host_dereference
           : kind == CMPD_SERVER_FAULT_HOST_BUFFER  ? CMPD_TAG_out_of_bounds
           : kind == CMPD_SERVER_FAULT_FORBIDDEN    ? CMPD_TAG_forbidden_host_action
                                                    : CMPD_TAG_crashed;
}

static void classify(struct cmpd_server *s, char *out, size_t size)
{
    struct cmpd_server_outcome *o = s->outcome;

    if (o->signal == SIGSEGV || o->signal == SIGBUS) {
        classify_address(s, o->address, out, size);
    } else if (o->signal == SIGSYS) {
        o->fault = CMPD_SERVER_FAULT_FORBIDDEN;
        snprintf(out, size, "host code makes a system call that is forbidden to it");
    } else {
        o->fault = CMPD_SERVER_FAULT_SIGNAL;
        snprintf(out, size, "host code %s (signal %u)", signal_text(o->signal), o->signal);
    }
}

/* Last words come behind the place that they are about. */
static void place_last(struct cmpd_server *s)
{
    struct cmpd_sightings *seen = &s->record->sightings;

    if (s->sighted < seen->count)
        srv_sight_at(&seen->items[seen->count - 1], s->told_at);
}

void srv_on_fault(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct cmpd_server_outcome *o = s->outcome;
    char what[192] = "";
    size_t len = 0;

    o->signal = cmpd_wire_get_u32(r);
    uint32_t why = cmpd_wire_get_u32(r);
    o->address = cmpd_wire_get_u64(r);
    o->pc = cmpd_wire_get_u64(r);
    if (r->left > 0) {
        const char *where = cmpd_wire_get_name(r, &len);
        if (where) {
            len = len < sizeof(o->where) - 1 ? len : sizeof(o->where) - 1;
            memcpy(o->where, where, len);
            o->where[len] = '\0';
        }
    }
    if (why == CMPD_WIRE_WHY_LOAD || why == CMPD_WIRE_WHY_TASK) {
        o->fault = why == CMPD_WIRE_WHY_LOAD ? CMPD_SERVER_FAULT_LOAD : CMPD_SERVER_FAULT_TASK;
        srv_end(s, CMPD_SERVER_FAULTED, "%s", o->where);
        return;
    }
    if (why == CMPD_WIRE_WHY_EXCEPTION) {
        o->fault = CMPD_SERVER_FAULT_EXCEPTION;
        s->sighted = s->record->sightings.count;
        srv_sight(s, CMPD_TAG_crashed, false, NULL, "host code ends in %s",
                  o->where[0] ? o->where : "an exception that nobody caught");
        place_last(s);
        srv_end(s, CMPD_SERVER_FAULTED, "host code ends in %.200s", o->where);
        return;
    }
    classify(s, what, sizeof(what));
    s->sighted = s->record->sightings.count;
    srv_sight(s, tag_of(o->fault), false, NULL, "%s%s%s", what, o->where[0] ? ", in " : "",
              o->where);
    place_last(s);
    srv_end(s, CMPD_SERVER_FAULTED, "%s", what);
}
