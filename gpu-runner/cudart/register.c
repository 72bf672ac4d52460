/*
 * What nvcc's host code announces before main: fat binaries, the kernels and variables inside. Everything goes to the
 * server at once; nothing is parsed here. What a registration comes to shows only when it is used, as with CUDA.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define WRAPPER_MAGIC     0x466243b1u /* fatbinary_section.h: FATBINC_MAGIC */
#define FATBIN_MAGIC      0xba55ed50u
#define VARIABLE_CONSTANT 1u
#define NO_MODULE         UINT32_MAX

struct wrapper { /* __fatBinC_Wrapper_t of fatbinary_section.h */
    uint32_t magic, version;
    const void *data;
    void *filename_or_fatbins;
};

struct fatbin_head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t body_bytes;
};

struct module {
    uint32_t id;
    cudaError_t error; /* why there is none */
};

struct variable {
    struct variable *next;
    const void *handle;
    void **managed; /* where the host code keeps its address; NULL: not managed */
    cudaError_t error;
};

/* An open hash of kernels by handle; they are registered once and never go. */
#define KERNEL_BUCKETS 256u
struct kernel_node {
    struct kernel_node *next;
    struct rt_kernel kernel;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel_node *kernels[KERNEL_BUCKETS];
static struct variable *variables;

static unsigned bucket_of(uint64_t handle)
{
    return (unsigned)((handle >> 4) ^ (handle >> 12)) % KERNEL_BUCKETS;
}

RT_API void **__cudaRegisterFatBinary(void *fat_cubin)
{
    const struct wrapper *w = fat_cubin;
    struct module *m = calloc(1, sizeof(*m));
    const struct fatbin_head *head = w->data;

    if (!m)
        abort();
    m->id = NO_MODULE;
    m->error = cudaErrorNoKernelImageForDevice;
    rt_fault_blame(fat_cubin);
    if (w->magic == WRAPPER_MAGIC && head && head->magic == FATBIN_MAGIC &&
        head->body_bytes < CMPD_WIRE_MESSAGE_CEILING - head->head_bytes) {
        struct rt_question q = {.kind = CMPD_WIRE_FATBIN,
                                .data = head,
                                .data_bytes = head->head_bytes + (size_t)head->body_bytes,
                                .answer = &m->id,
                                .answer_bytes = sizeof(m->id)};
        m->error = rt_ask(&q);
    }
    return (void **)m;
}

RT_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* At exit; modules live as long as the process. */
RT_API void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

RT_API char __cudaInitModule(void **handle)
{
    const struct module *m = (const struct module *)handle;

    return m && m->error == cudaSuccess;
}

RT_API void __cudaRegisterFunction(void **handle, const char *host_function, char *device_function,
                                   const char *device_name, int thread_limit, uint3 *tid,
                                   uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
    const struct module *m = (const struct module *)handle;
    struct kernel_node *node = calloc(1, sizeof(*node));

    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
    (void)warp;
    if (!node || !(node->kernel.name = strdup(device_name)))
        abort();
    node->kernel.handle = (uint64_t)(uintptr_t)host_function;
    node->kernel.max_dynamic = -1;
    node->kernel.carveout = -1;
    node->kernel.why = m->error;
    if (m->error == cudaSuccess) {
        struct {
            uint32_t module, zero;
            uint64_t handle;
        } fixed = {.module = m->id, .handle = node->kernel.handle};
        struct rt_question q = {.kind = CMPD_WIRE_FUNCTION,
                                .fixed = &fixed,
                                .fixed_bytes = sizeof(fixed),
                                .data = device_name,
                                .data_bytes = strlen(device_name)};
        node->kernel.why = rt_ask(&q);
    }
    pthread_mutex_lock(&lock);
    unsigned b = bucket_of(node->kernel.handle);
    node->next = kernels[b];
    kernels[b] = node;
    pthread_mutex_unlock(&lock);
}

static struct variable *add_variable(const void *handle, void **managed)
{
    struct variable *v = calloc(1, sizeof(*v));

    if (!v)
        abort();
    v->handle = handle;
    v->managed = managed;
    pthread_mutex_lock(&lock);
    v->next = variables;
    variables = v;
    pthread_mutex_unlock(&lock);
    return v;
}

static cudaError_t announce_variable(const struct module *m, const void *handle, const char *name,
                                     size_t bytes, bool constant)
{
    struct {
        uint32_t module, flags;
        uint64_t handle, bytes;
    } fixed = {.module = m->id,
               .flags = constant ? VARIABLE_CONSTANT : 0,
               .handle = (uint64_t)(uintptr_t)handle,
               .bytes = bytes};
    struct rt_question q = {.kind = CMPD_WIRE_VARIABLE,
                            .fixed = &fixed,
                            .fixed_bytes = sizeof(fixed),
                            .data = name,
                            .data_bytes = strlen(name)};

    return m->error == cudaSuccess ? rt_ask(&q) : m->error;
}

RT_API void __cudaRegisterVar(void **handle, char *host_var, char *device_address,
                              const char *device_name, int ext, size_t size, int constant,
                              int global)
{
    struct variable *v = add_variable(host_var, NULL);

    (void)device_address, (void)ext, (void)global;
    v->error = announce_variable((const struct module *)handle, host_var, device_name, size,
                                 constant != 0);
}

/* The host code reaches the variable through *host_pointer, which it expects to be set from here on. */
RT_API void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device_address,
                                     const char *device_name, int ext, size_t size, int constant,
                                     int global)
{
    struct variable *v = add_variable(host_pointer, host_pointer);
    uint64_t stub = (uint64_t)(uintptr_t)host_pointer, found[2] = {0, 0};

    (void)device_address, (void)ext, (void)constant, (void)global;
    v->error = announce_variable((const struct module *)handle, host_pointer, device_name, size,
                                 false);
    if (v->error == cudaSuccess)
        v->error = rt_ask_simple(CMPD_WIRE_SYMBOL, &stub, sizeof(stub), found, sizeof(found));
    if (v->error == cudaSuccess && found[1] >= size) {
        *host_pointer = rt_managed_add(found[0], size);
        rt_note_shared(found[0], size, CMPD_MEMORY_MANAGED);
    } else { /* no device code uses it: it is the host's alone */
        *host_pointer = calloc(1, size ? size : 1);
    }
}

struct rt_kernel *rt_kernel_find(const void *func)
{
    uint64_t handle = (uint64_t)(uintptr_t)func;
    struct kernel_node *n;

    pthread_mutex_lock(&lock);
    for (n = kernels[bucket_of(handle)]; n && n->kernel.handle != handle;)
        n = n->next;
    pthread_mutex_unlock(&lock);
    return n ? &n->kernel : NULL;
}

/* What is no function's address counts as a handle that went wrong. */
cudaError_t rt_no_kernel(const void *func)
{
    return func ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

/* The first use of a kernel asks for its parameters. Two threads at once ask twice, and get the same. */
static void ask_kernel(struct rt_kernel *k)
{
    struct cmpd_wire_kernel info;
    void *params = NULL;
    size_t bytes = 0;
    struct rt_question q = {.kind = CMPD_WIRE_KERNEL,
                            .fixed = &k->handle,
                            .fixed_bytes = sizeof(k->handle),
                            .answer = &info,
                            .answer_bytes = sizeof(info),
                            .more = &params,
                            .more_bytes = &bytes};
    cudaError_t error = rt_ask(&q);

    pthread_mutex_lock(&lock);
    k->asked = true;
    k->why = error;
    if (error == cudaSuccess && !k->known && bytes == (size_t)info.param_count * 8) {
        k->info = info;
        k->params = params;
        params = NULL;
        k->known = true;
    }
    pthread_mutex_unlock(&lock);
    free(params);
}

cudaError_t rt_kernel_get(const void *func, struct rt_kernel **out)
{
    struct rt_kernel *k = rt_kernel_find(func);

    if (!k)
        return rt_no_kernel(func);
    if (!k->known && k->why == cudaSuccess)
        ask_kernel(k);
    if (!k->known)
        return k->why != cudaSuccess ? k->why : cudaErrorInvalidDeviceFunction;
    *out = k;
    return cudaSuccess;
}

cudaError_t rt_symbol_get(const void *symbol, uint64_t *address, uint64_t *bytes)
{
    uint64_t handle = (uint64_t)(uintptr_t)symbol, answer[2];
    struct variable *v;

    pthread_mutex_lock(&lock);
    for (v = variables; v && v->handle != symbol && !(v->managed && *v->managed == symbol);)
        v = v->next;
    pthread_mutex_unlock(&lock);
    if (!v || v->error != cudaSuccess)
        return cudaErrorInvalidSymbol;
    handle = (uint64_t)(uintptr_t)v->handle;
    cudaError_t error = rt_ask_simple(CMPD_WIRE_SYMBOL, &handle, sizeof(handle), answer,
                                      sizeof(answer));
    if (error == cudaSuccess) {
        *address = answer[0];
        *bytes = answer[1];
    }
    return error;
}

RT_API cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    uint64_t address, bytes;
    cudaError_t error = rt_begin();

    if (error != cudaSuccess)
        return rt_done(error);
    if (!pointer)
        return rt_refuse("cudaGetSymbolAddress", cudaErrorInvalidValue);
    error = rt_symbol_get(symbol, &address, &bytes);
    if (error == cudaSuccess)
        *pointer = (void *)(uintptr_t)address;
    return error == cudaErrorInvalidSymbol ? rt_refuse("cudaGetSymbolAddress", error)
                                           : rt_done(error);
}

RT_API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    uint64_t address, bytes;
    cudaError_t error = rt_begin();

    if (error != cudaSuccess)
        return rt_done(error);
    if (!size)
        return rt_refuse("cudaGetSymbolSize", cudaErrorInvalidValue);
    error = rt_symbol_get(symbol, &address, &bytes);
    if (error == cudaSuccess)
        *size = bytes;
    return error == cudaErrorInvalidSymbol ? rt_refuse("cudaGetSymbolSize", error) : rt_done(error);
}
