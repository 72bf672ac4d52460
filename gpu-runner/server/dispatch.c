/* One handler a kind of question. */
#include <string.h>

#include "gpu-runner/server/internal.h"

enum {
    NEEDS_CONTEXT = 1, /* fails with the sticky error once a launch has faulted */
    COUNTS_ITSELF = 2, /* the handler keeps the error state */
};

static int32_t on_hello(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    if (cmpd_wire_get_u32(r) != CMPD_WIRE_VERSION || s->greeted)
        return srv_violation(s, "a greeting of another version");
    s->greeted = true;
    s->outcome->started = true;
    return SRV_SUCCESS;
}

static int32_t on_last_error(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    int32_t error = s->last_error;

    if (cmpd_wire_get_u32(r))
        s->last_error = SRV_SUCCESS;
    return error;
}

static void copy_name(char *to, size_t size, const char *name, size_t len)
{
    size_t n = len < size - 1 ? len : size - 1;

    memcpy(to, name, n);
    to[n] = '\0';
}

static int32_t on_failed(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    char call[CMPD_SERVER_NAME_BYTES];
    int32_t error = (int32_t)cmpd_wire_get_u32(r);
    size_t len = 0;

    cmpd_wire_get_u32(r);
    const char *name = cmpd_wire_get_name(r, &len);
    if (!name || error <= 0)
        return srv_violation(s, "a failed call without a name or an error");
    copy_name(call, sizeof(call), name, len);
    srv_fail(s, call, error);
    return error;
}

static int32_t on_unbuilt(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    char what[256];
    size_t len = 0;
    const char *name = cmpd_wire_get_name(r, &len);

    if (!name)
        return srv_violation(s, "a call without a name");
    copy_name(what, sizeof(what), name, len);
    srv_sight(s, CMPD_TAG_not_emulated, false, NULL, "%s", what);
    srv_undecided(s);
    return SRV_NOT_SUPPORTED;
}

struct entry {
    srv_handler *handler;
    const char *call; /* the runtime call that it stands for, in records */
    int flags;
};

static const struct entry entries[CMPD_WIRE_KIND_COUNT] = {
    [CMPD_WIRE_HELLO] = {on_hello, "", COUNTS_ITSELF},
    [CMPD_WIRE_FATBIN] = {srv_on_fatbin, "__cudaRegisterFatBinary", COUNTS_ITSELF},
    [CMPD_WIRE_FUNCTION] = {srv_on_function, "__cudaRegisterFunction", COUNTS_ITSELF},
    [CMPD_WIRE_VARIABLE] = {srv_on_variable, "__cudaRegisterVar", COUNTS_ITSELF},
    [CMPD_WIRE_ALLOC] = {srv_on_alloc, "cudaMalloc", NEEDS_CONTEXT},
    [CMPD_WIRE_FREE] = {srv_on_free, "cudaFree", NEEDS_CONTEXT},
    [CMPD_WIRE_COPY] = {srv_on_copy, "cudaMemcpy", NEEDS_CONTEXT | COUNTS_ITSELF},
    [CMPD_WIRE_SET] = {srv_on_set, "cudaMemset", NEEDS_CONTEXT | COUNTS_ITSELF},
    [CMPD_WIRE_LAUNCH] = {srv_on_launch, "cudaLaunchKernel", NEEDS_CONTEXT},
    [CMPD_WIRE_KERNEL] = {srv_on_kernel, "cudaFuncGetAttributes", NEEDS_CONTEXT},
    [CMPD_WIRE_SYMBOL] = {srv_on_symbol, "cudaGetSymbolAddress", NEEDS_CONTEXT},
    [CMPD_WIRE_FUNC_SET] = {srv_on_func_set, "cudaFuncSetAttribute", NEEDS_CONTEXT},
    [CMPD_WIRE_STREAM_NEW] = {srv_on_stream_new, "cudaStreamCreate", NEEDS_CONTEXT},
    [CMPD_WIRE_STREAM_FREE] = {srv_on_stream_free, "cudaStreamDestroy", NEEDS_CONTEXT},
    [CMPD_WIRE_EVENT_NEW] = {srv_on_event_new, "cudaEventCreate", NEEDS_CONTEXT},
    [CMPD_WIRE_EVENT_FREE] = {srv_on_event_free, "cudaEventDestroy", NEEDS_CONTEXT},
    [CMPD_WIRE_EVENT_RECORD] = {srv_on_event_record, "cudaEventRecord", NEEDS_CONTEXT},
    [CMPD_WIRE_EVENT_TIME] = {srv_on_event_time, "cudaEventElapsedTime", NEEDS_CONTEXT},
    [CMPD_WIRE_WAIT_EVENT] = {srv_on_wait_event, "cudaStreamWaitEvent", NEEDS_CONTEXT},
    [CMPD_WIRE_SYNC] = {srv_on_sync, "cudaDeviceSynchronize", NEEDS_CONTEXT},
    [CMPD_WIRE_MEM_INFO] = {srv_on_mem_info, "cudaMemGetInfo", NEEDS_CONTEXT},
    [CMPD_WIRE_POINTER] = {srv_on_pointer, "cudaPointerGetAttributes", 0},
    [CMPD_WIRE_HOST_RANGE] = {srv_on_host_range, "cudaHostRegister", NEEDS_CONTEXT},
    [CMPD_WIRE_LAST_ERROR] = {on_last_error, "", COUNTS_ITSELF},
    [CMPD_WIRE_FAILED] = {on_failed, "", COUNTS_ITSELF},
    [CMPD_WIRE_RESET] = {srv_on_reset, "cudaDeviceReset", 0},
    [CMPD_WIRE_UNBUILT] = {on_unbuilt, "", COUNTS_ITSELF},
    [CMPD_WIRE_NEXT] = {srv_on_next, "", COUNTS_ITSELF},
    [CMPD_WIRE_DONE] = {srv_on_done, "", COUNTS_ITSELF},
};

void srv_dispatch(struct cmpd_server *s, const struct cmpd_wire_head *head)
{
    struct cmpd_wire_reader r = cmpd_wire_reader_of(s->in, head->len);
    const struct entry *e = &entries[head->kind];

    if (head->kind == CMPD_WIRE_FAULT) {
        srv_on_fault(s, &r);
        return;
    }
    if (!s->greeted && head->kind != CMPD_WIRE_HELLO) {
        srv_violation(s, "no greeting");
        return;
    }
    if (head->kind == CMPD_WIRE_WHERE) {
        srv_on_where(s, &r);
        return;
    }
    s->sighted = s->record->sightings.count;
    s->call_failed = false;
    bool dead = (e->flags & NEEDS_CONTEXT) && s->sticky;
    int32_t error = dead ? s->sticky : e->handler(s, &r);
    if (s->over)
        return;
    if (dead || !(e->flags & COUNTS_ITSELF))
        srv_fail(s, e->call, error);
    if (head->kind == CMPD_WIRE_NEXT || head->kind == CMPD_WIRE_DONE) { /* of another record */
        s->sighted = s->record->sightings.count;
        s->call_failed = false;
    }
    if (r.bad)
        srv_violation(s, "a message that ends too early");
    if (s->in_case && s->given_up)
        srv_end(s, CMPD_SERVER_UNDECIDED, "the emulator can't finish this case");
    if (!s->over)
        srv_answer(s, head->seq, error);
}
