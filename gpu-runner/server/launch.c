/*
 * Whether a launch is possible. CUDA 13 answers every configuration that a device can't have with cudaErrorInvalidValue
 * (measured; older ones with cudaErrorInvalidConfiguration), but for a cooperative grid that doesn't fit.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/server/internal.h"

#define GRID_X_MOST      0x7fffffffu
#define GRID_YZ_MOST     65535u
#define BLOCK_Z_MOST     64u
#define WARP             32u
#define FLAG_COOPERATIVE 1u
#define FLAGS_KNOWN      7u

static void refuse(struct cmpd_server *s, const char *kernel, const struct srv_shape *l,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void refuse(struct cmpd_server *s, const char *kernel, const struct srv_shape *l,
                   const char *fmt, ...)
{
    char why[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    s->record->launches_refused++;
    srv_sight(
        s, CMPD_TAG_launch_failed, false, kernel,
        "the launch with grid (%u, %u, %u), block (%u, %u, %u) and %u bytes of dynamic shared "
        "memory fails: %s",
        l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->shared_bytes,
        why);
}

/* NULL: the grid and block are possible. */
static const char *shape_fault(const struct srv_shape *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1];

    if (l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0)
        return "a dimension of the grid is 0";
    if (l->block[0] == 0 || l->block[1] == 0 || l->block[2] == 0)
        return "a dimension of the block is 0";
    if (l->block[0] > CMPD_WIRE_MODEL_THREADS_PER_BLOCK ||
        l->block[1] > CMPD_WIRE_MODEL_THREADS_PER_BLOCK || l->block[2] > BLOCK_Z_MOST ||
        threads * l->block[2] > CMPD_WIRE_MODEL_THREADS_PER_BLOCK)
        return "a block has at most 1024 threads (1024, 1024 and 64 a dimension)";
    if (l->grid[0] > GRID_X_MOST || l->grid[1] > GRID_YZ_MOST || l->grid[2] > GRID_YZ_MOST)
        return "a grid has at most 2147483647, 65535 and 65535 blocks a dimension";
    return NULL;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Blocks that run at the same time. Registers are left out: what the device says of them is an estimate. */
static uint64_t resident(const struct cmpd_server *s, const struct cmpd_kernel_info *info,
                         const struct srv_shape *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t warps = (threads + WARP - 1) / WARP;
    uint64_t shared = info->static_shared_bytes + l->shared_bytes + CMPD_WIRE_MODEL_SHARED_RESERVED;
    uint64_t a_sm = CMPD_WIRE_MODEL_BLOCKS_PER_SM;

    a_sm = least(a_sm, CMPD_WIRE_MODEL_THREADS_PER_SM / (warps * WARP));
    a_sm = least(a_sm, CMPD_WIRE_MODEL_SHARED_PER_SM / shared);
    return a_sm * s->limits.multiprocessors;
}

int32_t srv_launch_check(struct cmpd_server *s, const struct cmpd_kernel_info *info,
                         uint32_t max_dynamic, const struct srv_shape *l)
{
    const char *why = shape_fault(l);
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t blocks;

    if (why) {
        refuse(s, info->name, l, "%s", why);
        return SRV_INVALID_VALUE;
    }
    if (info->max_threads && threads > info->max_threads) {
        refuse(s, info->name, l, "its __launch_bounds__ allow %u threads a block",
               info->max_threads);
        return SRV_INVALID_VALUE;
    }
    if (l->shared_bytes > max_dynamic) {
        refuse(s, info->name, l,
               "%u bytes of dynamic shared memory are allowed to it (%llu are static); more needs "
               "cudaFuncAttributeMaxDynamicSharedMemorySize, up to %u",
               max_dynamic, (unsigned long long)info->static_shared_bytes,
               CMPD_WIRE_MODEL_SHARED_OPTIN);
        return SRV_INVALID_VALUE;
    }
    if (l->cooperative &&
        (__builtin_mul_overflow((uint64_t)l->grid[0] * l->grid[1], l->grid[2], &blocks) ||
         blocks > resident(s, info, l))) {
        refuse(s, info->name, l,
               "a cooperative grid must fit on the device, which holds %llu blocks",
               (unsigned long long)resident(s, info, l));
        return SRV_COOPERATIVE_TOO_LARGE;
    }
    return SRV_SUCCESS;
}

static int32_t find(struct cmpd_server *s, uint64_t handle, struct srv_function **out)
{
    struct srv_function *f = srv_function_find(s, handle);

    if (!f) {
        srv_sight(s, CMPD_TAG_launch_failed, false, NULL,
                  "a launch of something that is no kernel of this program");
        return handle == 0 ? SRV_INVALID_FUNCTION : SRV_INVALID_HANDLE;
    }
    *out = f;
    return srv_function_ready(s, f);
}

static int32_t do_launch(struct cmpd_server *s, const struct cmpd_wire_launch *w,
                         const uint8_t *params, size_t param_bytes)
{
    struct srv_function *f = NULL;
    struct srv_shape shape = {.shared_bytes = w->shared_bytes,
                              .cooperative = w->flags & FLAG_COOPERATIVE};

    memcpy(shape.grid, w->grid, sizeof(shape.grid));
    memcpy(shape.block, w->block, sizeof(shape.block));
    int32_t error = find(s, w->handle, &f);
    if (error != SRV_SUCCESS)
        return error;
    if (w->cluster[0] > 1 || w->cluster[1] > 1 || w->cluster[2] > 1) {
        srv_sight(s, CMPD_TAG_not_emulated, false, f->name, "a launch with thread block clusters");
        srv_undecided(s);
        return SRV_NOT_SUPPORTED;
    }
    error = srv_launch_check(s, &f->info, f->max_dynamic, &shape);
    if (error != SRV_SUCCESS)
        return error;
    if (!srv_stream_find(s, w->stream))
        return SRV_INVALID_HANDLE;
    if (param_bytes != f->info.param_bytes)
        return srv_violation(s, "a parameter block of another size than the kernel's");
    struct cmpd_server_step step = {.kind = CMPD_SERVER_LAUNCH,
                                    .module = s->modules[f->module].device_module,
                                    .kernel = cmpd_strdup(f->name),
                                    .shared_bytes = w->shared_bytes,
                                    .cooperative = shape.cooperative,
                                    .data = cmpd_alloc(param_bytes + 1),
                                    .data_bytes = param_bytes};
    memcpy(step.grid, w->grid, sizeof(step.grid));
    memcpy(step.block, w->block, sizeof(step.block));
    if (param_bytes > 0)
        memcpy(step.data, params, param_bytes);
    srv_queue(s, w->stream, SRV_STEP, &step);
    return SRV_SUCCESS;
}

int32_t srv_on_launch(struct cmpd_server *s, struct cmpd_wire_reader *r)
{
    struct cmpd_wire_launch w;
    size_t len;

    cmpd_wire_get(r, &w, sizeof(w));
    len = r->left;
    const uint8_t *params = cmpd_wire_get_bytes(r, len);
    if (w.flags & ~FLAGS_KNOWN)
        return srv_violation(s, "a launch with unknown flags");
    if (++s->launch_count > s->limits.launches) {
        srv_end(s, CMPD_SERVER_LIMIT, "more than %u launches in one case", s->limits.launches);
        return SRV_INVALID_VALUE;
    }
    return do_launch(s, &w, params, len);
}

cmpd_rc cmpd_server_direct(struct cmpd_server *s, const struct cmpd_launch *l, struct cmpd_err *err)
{
    struct cmpd_kernel_info info;
    struct srv_shape shape = {.shared_bytes = l->shared_bytes, .cooperative = l->cooperative};
    cmpd_rc rc = s->device->ops->kernel(s->device, l->module, l->kernel, &info, err);

    if (rc != CMPD_OK)
        return rc;
    if (l->param_bytes != info.param_bytes)
        return cmpd_err_set(err, CMPD_EUSAGE, "%s takes %u bytes of parameters, not %zu", l->kernel,
                            info.param_bytes, l->param_bytes);
    memcpy(shape.grid, l->grid, sizeof(shape.grid));
    memcpy(shape.block, l->block, sizeof(shape.block));
    uint64_t most = CMPD_WIRE_MODEL_SHARED_OPTIN;
    most = info.static_shared_bytes < most ? most - info.static_shared_bytes : 0;
    int32_t error = srv_launch_check(s, &info, (uint32_t)most, &shape);
    srv_fail(s, "cudaLaunchKernel", error);
    if (error != SRV_SUCCESS)
        return CMPD_OK;
    struct cmpd_server_step step = {.kind = CMPD_SERVER_LAUNCH,
                                    .module = l->module,
                                    .kernel = cmpd_strdup(l->kernel),
                                    .shared_bytes = l->shared_bytes,
                                    .cooperative = l->cooperative,
                                    .data = cmpd_alloc(l->param_bytes + 1),
                                    .data_bytes = l->param_bytes};
    memcpy(step.grid, l->grid, sizeof(step.grid));
    memcpy(step.block, l->block, sizeof(step.block));
    if (l->param_bytes > 0)
        memcpy(step.data, l->params, l->param_bytes);
    srv_queue(s, 0, SRV_STEP, &step);
    srv_wait(s, SRV_WAIT_ALL, 0);
    if (s->over && s->rc != CMPD_OK)
        return cmpd_err_set(err, s->rc, "%s", s->outcome->message);
    return CMPD_OK;
}
