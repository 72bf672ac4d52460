/* Fat binaries, functions and variables, as the candidate's host code registers them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

#define VARIABLE_MANAGED 2u

/* cudaFuncAttribute, as driver_types.h numbers it. */
enum { ATTR_MAX_DYNAMIC_SHARED = 8, ATTR_CARVEOUT = 9, ATTR_LAST = 15 };

cmpd_rc srv_module_load(struct cmpd_server *s, const void *image, size_t len, uint32_t *index,
                        struct cmpd_err *err)
{
    struct srv_module m = {0};
    cmpd_rc rc = s->device->ops->load(s->device, image, len, &m.device_module, err);

    if (rc != CMPD_OK && rc != CMPD_EINPUT && rc != CMPD_EUNAVAIL && rc != CMPD_ELIMIT)
        return rc;
    m.loaded = rc == CMPD_OK;
    if (!m.loaded)
        snprintf(m.why, sizeof(m.why), "%s", err->msg);
    CMPD_GROW(s->modules, s->module_count + 1, s->module_cap);
    *index = (uint32_t)s->module_count;
    s->modules[s->module_count++] = m;
    return rc;
}

int32_t srv_on_fatbin(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct cmpd_err err = {0};
    uint32_t index;
    size_t len = r->left;
    const void *image = cmpd_wire_get_bytes(r, len);

    if (s->module_count >= s->limits.modules) {
        srv_end(s, CMPD_SERVER_LIMIT, "more than %u fat binaries", s->limits.modules);
        return SRV_MEMORY_ALLOCATION;
    }
    cmpd_rc rc = srv_module_load(s, image, len, &index, &err);
    if (rc != CMPD_OK && rc != CMPD_EINPUT && rc != CMPD_EUNAVAIL && rc != CMPD_ELIMIT) {
        srv_broken(s, rc, &err);
        return SRV_NO_KERNEL_IMAGE;
    }
    /* A note: it counts once one of its kernels is used. */
    if (rc != CMPD_OK)
        srv_sight(s, CMPD_TAG_not_emulated, true, NULL, "device code that can't be loaded: %s",
                  err.msg);
    srv_reply_put(s, &index, sizeof(index));
    return SRV_SUCCESS;
}

struct srv_function *srv_function_find(struct cmpd_server *s, uint64_t handle)
{
    for (size_t i = 0; i < s->function_count; i++)
        if (s->functions[i].handle == handle)
            return &s->functions[i];
    return NULL;
}

int32_t srv_on_function(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint32_t module = cmpd_wire_get_u32(r);
    size_t len = 0;

    cmpd_wire_get_u32(r);
    uint64_t handle = cmpd_wire_get_u64(r);
    const char *name = cmpd_wire_get_name(r, &len);
    if (!name || module >= s->module_count)
        return srv_violation(s, "a function without a name or a module");
    struct srv_function *f = srv_function_find(s, handle);
    if (!f) {
        if (s->function_count >= s->limits.symbols) {
            srv_end(s, CMPD_SERVER_LIMIT, "more than %u kernels", s->limits.symbols);
            return SRV_MEMORY_ALLOCATION;
        }
        CMPD_GROW(s->functions, s->function_count + 1, s->function_cap);
        f = &s->functions[s->function_count++];
        f->name = NULL;
    }
    free(f->name);
    *f = (struct srv_function){.handle = handle, .module = module, .name = cmpd_strndup(name, len)};
    return SRV_SUCCESS;
}

/* The compiler made the device code, so that it can't be used here is no fault of the candidate's. */
static int32_t no_code(struct cmpd_server *s, const struct srv_function *f, const char *why)
{
    srv_sight(s, CMPD_TAG_not_emulated, false, f->name,
              "the device code of this kernel can't be used: %s", why);
    srv_undecided(s);
    return SRV_NO_KERNEL_IMAGE;
}

int32_t srv_function_ready(struct cmpd_server *s, struct srv_function *f)
{
    struct cmpd_err err = {0};
    const struct srv_module *m = &s->modules[f->module];

    if (f->found)
        return SRV_SUCCESS;
    if (!m->loaded)
        return no_code(s, f, m->why);
    cmpd_rc rc = s->device->ops->kernel(s->device, m->device_module, f->name, &f->info, &err);
    if (rc == CMPD_ENOENT || rc == CMPD_EUNAVAIL || rc == CMPD_EINPUT)
        return no_code(s, f, err.msg);
    if (rc != CMPD_OK) {
        srv_broken(s, rc, &err);
        return SRV_NO_KERNEL_IMAGE;
    }
    f->found = true;
    uint64_t taken = f->info.static_shared_bytes;
    f->max_dynamic = taken < CMPD_WIRE_MODEL_SHARED_PER_BLOCK
                         ? CMPD_WIRE_MODEL_SHARED_PER_BLOCK - (uint32_t)taken
                         : 0;
    return SRV_SUCCESS;
}

int32_t srv_on_kernel(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct srv_function *f = srv_function_find(s, cmpd_wire_get_u64(r));

    if (!f)
        return SRV_INVALID_HANDLE;
    int32_t error = srv_function_ready(s, f);
    if (error != SRV_SUCCESS)
        return error;
    const struct cmpd_kernel_info *info = &f->info;
    struct cmpd_wire_kernel answer = {
        .param_count = info->param_count,
        .param_bytes = info->param_bytes,
        .max_threads = info->max_threads ? info->max_threads : CMPD_WIRE_MODEL_THREADS_PER_BLOCK,
        .registers = info->registers,
        .static_shared_bytes = info->static_shared_bytes,
        .local_bytes = info->local_bytes,
        .max_dynamic_shared_bytes = f->max_dynamic};
    srv_reply_put(s, &answer, sizeof(answer));
    for (uint32_t i = 0; i < info->param_count; i++) {
        uint32_t pair[2] = {info->param_offsets[i], info->param_sizes[i]};
        srv_reply_put(s, pair, sizeof(pair));
    }
    return SRV_SUCCESS;
}

int32_t srv_on_func_set(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct srv_function *f = srv_function_find(s, cmpd_wire_get_u64(r));
    int32_t attribute = (int32_t)cmpd_wire_get_u32(r), value = (int32_t)cmpd_wire_get_u32(r);

    if (!f)
        return SRV_INVALID_HANDLE;
    int32_t error = srv_function_ready(s, f);
    if (error != SRV_SUCCESS)
        return error;
    if (attribute < ATTR_MAX_DYNAMIC_SHARED || attribute > ATTR_LAST)
        return SRV_INVALID_VALUE;
    if (attribute == ATTR_CARVEOUT)
        return value >= -1 && value <= 100 ? SRV_SUCCESS : SRV_INVALID_VALUE;
    if (attribute != ATTR_MAX_DYNAMIC_SHARED)
        return SRV_SUCCESS;
    if (value < 0 || (uint64_t)value + f->info.static_shared_bytes > CMPD_WIRE_MODEL_SHARED_OPTIN) {
        srv_sight(s, CMPD_TAG_api_error, false, f->name,
                  "cudaFuncSetAttribute asks for %d bytes of dynamic shared memory beside %llu "
                  "static ones; a block may have %u",
                  value, (unsigned long long)f->info.static_shared_bytes,
                  CMPD_WIRE_MODEL_SHARED_OPTIN);
        return SRV_INVALID_VALUE;
    }
    f->max_dynamic = (uint32_t)value;
    return SRV_SUCCESS;
}

/* ---- variables ---- */

static struct srv_variable *variable_find(struct cmpd_server *s, uint64_t handle)
{
    for (size_t i = 0; i < s->variable_count; i++)
        if (s->variables[i].handle == handle)
            return &s->variables[i];
    return NULL;
}

static int32_t locate(struct cmpd_server *s, struct srv_variable *v, const struct srv_module *m,
                      const char *name)
{
    struct cmpd_err err = {0};

    if (!m->loaded)
        return SRV_SUCCESS; /* said when it was loaded */
    cmpd_rc rc = s->device->ops->symbol(s->device, m->device_module, name, &v->address, &v->bytes,
                                        &err);
    if (rc == CMPD_ENOENT)
        return SRV_SUCCESS; /* the compiler dropped it; using it is an error, having it isn't */
    if (rc != CMPD_OK) {
        srv_broken(s, rc, &err);
        return SRV_INVALID_SYMBOL;
    }
    v->found = true;
    srv_range_add(s, v->address, v->bytes, CMPD_MEMORY_SYMBOL, SRV_MODULE, name);
    return SRV_SUCCESS;
}

int32_t srv_on_variable(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    uint32_t module = cmpd_wire_get_u32(r), flags = cmpd_wire_get_u32(r);
    uint64_t handle = cmpd_wire_get_u64(r);
    size_t len = 0;

    cmpd_wire_get_u64(r); /* the host's idea of its size; the device's counts */
    const char *name = cmpd_wire_get_name(r, &len);
    if (!name || module >= s->module_count)
        return srv_violation(s, "a variable without a name or a module");
    CMPD_AUTOFREE char *text = cmpd_strndup(name, len);
    if (flags & VARIABLE_MANAGED) {
        srv_sight(s, CMPD_TAG_not_emulated, false, NULL, "the __managed__ variable %.100s", text);
        srv_undecided(s);
        return SRV_NOT_SUPPORTED;
    }
    struct srv_variable *v = variable_find(s, handle);
    if (!v) {
        if (s->variable_count >= s->limits.symbols) {
            srv_end(s, CMPD_SERVER_LIMIT, "more than %u variables", s->limits.symbols);
            return SRV_MEMORY_ALLOCATION;
        }
        CMPD_GROW(s->variables, s->variable_count + 1, s->variable_cap);
        v = &s->variables[s->variable_count++];
    }
    *v = (struct srv_variable){.handle = handle};
    return locate(s, v, &s->modules[module], text);
}

int32_t srv_on_symbol(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct srv_variable *v = variable_find(s, cmpd_wire_get_u64(r));

    if (!v || !v->found)
        return SRV_INVALID_SYMBOL;
    uint64_t answer[2] = {v->address, v->bytes};
    srv_reply_put(s, answer, sizeof(answer));
    return SRV_SUCCESS;
}

void srv_modules_clear(struct cmpd_server *s)
{
    for (size_t i = 0; i < s->function_count; i++)
        free(s->functions[i].name);
    free(s->functions);
    free(s->variables);
    free(s->modules);
}

cmpd_rc cmpd_server_find_kernel(struct cmpd_server *s, const char *name, uint32_t *module,
                                struct cmpd_kernel_info *out, struct cmpd_err *err)
{
    for (size_t i = 0; i < s->module_count; i++) {
        const struct srv_module *m = &s->modules[i];
        if (!m->loaded)
            continue;
        cmpd_rc rc = s->device->ops->kernel(s->device, m->device_module, name, out, err);
        if (rc == CMPD_OK)
            *module = m->device_module;
        if (rc != CMPD_ENOENT)
            return rc;
    }
    return cmpd_err_set(err, CMPD_ENOENT, "no kernel %s in the object's device code", name);
}
