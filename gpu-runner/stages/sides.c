#include "gpu-runner/stages/sides.h"

#include <string.h>

static bool is_open(const struct cmpd_bind_param *p)
{
    return p->pass == CMPD_BIND_POINTER && !p->by_reference && p->role != CMPD_ROLE_STREAM &&
           p->side == CMPD_BIND_UNKNOWN_SIDE;
}

bool cmpd_sides_open(struct cmpd_run *r)
{
    bool open = false;
    for (size_t i = 0; i < r->binding.param_count; i++) {
        const struct cmpd_bind_param *p = &r->binding.params[i];
        r->side[i] = r->binding.task == CMPD_BIND_KERNEL ? CMPD_BIND_DEVICE : p->side;
        if (r->side[i] == CMPD_BIND_UNKNOWN_SIDE) {
            r->side[i] = is_open(p) ? CMPD_BIND_HOST : CMPD_BIND_DEVICE;
            open |= is_open(p);
        }
    }
    return open;
}

/* Does a launch have an address of this buffer among its parameters? */
static bool reaches_kernel(const struct cmpd_server_record *record, uint64_t address,
                           uint64_t bytes)
{
    for (size_t i = 0; i < record->step_count; i++) {
        const struct cmpd_server_step *s = &record->steps[i];
        for (size_t at = 0; s->kind == CMPD_SERVER_LAUNCH && s->data && at + 8 <= s->data_bytes;
             at += 8) {
            uint64_t value;
            memcpy(&value, s->data + at, sizeof value);
            if (value >= address && value < address + (bytes ? bytes : 1))
                return true;
        }
    }
    return false;
}

static bool device_copy(const struct cmpd_server_record *record)
{
    for (size_t i = 0; i < record->step_count; i++) {
        if (record->steps[i].kind == CMPD_SERVER_WRITE || record->steps[i].kind == CMPD_SERVER_READ)
            return true;
    }
    return false;
}

/*
 * A call that neither handed its pointers to a kernel nor copied anything says nothing (it failed early, as host code
 * that gets host pointers for device ones does: cudaMemcpy refuses them). Device pointers are the rule then.
 */
void cmpd_sides_settle(struct cmpd_run *r, const struct cmpd_server_record *record)
{
    bool copies = device_copy(record), any = false;
    bool device[CMPD_SIG_PARAMS_CEILING] = {false};
    for (size_t h = 0; h < record->host_count; h++) {
        const struct cmpd_server_host *host = &record->hosts[h];
        if (host->arg >= r->binding.param_count || !is_open(&r->binding.params[host->arg]))
            continue;
        device[host->arg] = reaches_kernel(record, host->address, host->bytes);
        any |= device[host->arg];
    }
    for (size_t i = 0; i < r->binding.param_count; i++) {
        if (is_open(&r->binding.params[i]) && (device[i] || (!copies && !any)))
            r->side[i] = CMPD_BIND_DEVICE;
    }
}
