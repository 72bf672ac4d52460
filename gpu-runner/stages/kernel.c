/* Calling a kernel without any host code: the object's device code alone, launched from here. */
#include "gpu-runner/stages/run.h"
#include "gpu-runner/stages/sides.h"

#define PARAMS_CEILING CMPD_WIRE_PARAMS_CEILING

static cmpd_rc launch(struct cmpd_run *r, struct cmpd_server *server, struct cmpd_err *err)
{
    static _Thread_local uint8_t params[PARAMS_CEILING];
    struct cmpd_kernel_info info;
    struct cmpd_launch l = {.kernel = r->binding.symbol, .params = params};
    cmpd_rc rc = cmpd_server_find_kernel(server, r->binding.symbol, &l.module, &info, err);
    if (rc == CMPD_OK)
        rc = cmpd_call_params(&r->call, &info, params, sizeof params, err);
    if (rc == CMPD_OK)
        rc = cmpd_bind_launch_eval(&r->binding, r->op, &r->call.ref.dims, l.grid, l.block,
                                   &l.shared_bytes, err);
    if (rc != CMPD_OK)
        return rc;
    l.param_bytes = info.param_bytes;
    return cmpd_server_direct(server, &l, err);
}

static cmpd_rc one_case(struct cmpd_run *r, struct cmpd_server *server,
                        const struct cmpd_server_case *c, struct cmpd_err *err)
{
    cmpd_server_begin(server, c);
    cmpd_rc rc = launch(r, server, err), rc2 = CMPD_OK;
    struct cmpd_server_record *record = cmpd_server_end(server);
    record->returned = true;
    if (rc == CMPD_OK)
        rc2 = cmpd_run_joined(r, record, err);
    if (rc == CMPD_OK && rc2 == CMPD_OK)
        rc2 = cmpd_run_done(r, record, err);
    else
        cmpd_run_broken_off(r, record, false);
    return rc != CMPD_OK ? rc : rc2;
}

cmpd_rc cmpd_run_kernel(struct cmpd_run *r, const void *object, size_t len, struct cmpd_err *err)
{
    struct cmpd_server *server;
    struct cmpd_server_case c;
    uint32_t first, count;
    bool more = true;
    struct cmpd_err why = {0};
    cmpd_rc rc = cmpd_server_new(r->device, NULL, &server, err);
    if (rc != CMPD_OK)
        return rc;
    cmpd_sides_open(r);
    rc = cmpd_server_load_object(server, object, len, &first, &count, &why);
    while (rc == CMPD_OK && more) {
        rc = cmpd_run_begin(r, &c, &more, &why);
        if (rc == CMPD_OK && more)
            rc = one_case(r, server, &c, &why);
    }
    cmpd_server_free(server);
    if (rc == CMPD_EINPUT ||
        rc == CMPD_ENOENT) { /* text and code do not agree, or a grid has no value */
        cmpd_stage_findings_say(&r->findings, CMPD_TAG_no_entry, r->binding.line, NULL,
                                "say how it is launched with \"launch\" in cmpd.json",
                                "%s can't be launched: %s", r->binding.display, why.msg);
        r->undecided = true;
        return CMPD_OK;
    }
    if (rc != CMPD_OK && err)
        *err = why;
    return rc;
}
