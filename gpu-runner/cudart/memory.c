/*
 * Allocation and what a pointer is. Device memory is a number here. Managed and pinned memory comes as a descriptor
 * that is mapped at the very address that the device knows it by.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu-runner/cudart/api_calls.h"
#include "gpu-runner/cudart/rt.h"

#define FREE_PLAIN 0u
#define FREE_ASYNC 1u
#define FREE_HOST  2u

#define HOST_ALLOC_FLAGS    0x07u /* cudaHostAllocPortable, Mapped, WriteCombined */
#define HOST_REGISTER_FLAGS 0x0fu
#define ATTACH_GLOBAL       1u
#define ATTACH_HOST         2u
#define PAGE_BYTES          ((size_t)4096)
#define PITCH_BYTES         512u /* what cudaMallocPitch rounds rows up to on compute capability 8.0 */

struct mapping { /* of memory that both sides reach */
    struct mapping *next;
    uint64_t address; /* the device's, and where it is mapped */
    size_t bytes;     /* as the caller asked */
    enum cmpd_memory_kind kind;
    void *host; /* registered host memory: where the caller has it; else NULL */
    size_t host_bytes;
    size_t host_offset; /* from the start of its first page */
    bool lasting;       /* a variable: as long as the process */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings;
static _Atomic int registered; /* how many of them are host memory that was registered */

static size_t pages(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static bool add_mapping(const struct mapping *what)
{
    struct mapping *m = malloc(sizeof(*m));

    if (!m)
        return false;
    *m = *what;
    pthread_mutex_lock(&lock);
    m->next = mappings;
    mappings = m;
    pthread_mutex_unlock(&lock);
    return true;
}

/* The mapping that holds p, by either of its addresses. Copied out: another thread may free it. */
static bool find_mapping(const void *p, struct mapping *out)
{
    uint64_t a = (uint64_t)(uintptr_t)p;
    bool found = false;

    pthread_mutex_lock(&lock);
    for (const struct mapping *m = mappings; m && !found; m = m->next) {
        uint64_t host = (uint64_t)(uintptr_t)m->host;
        found = (a >= m->address && a - m->address < m->bytes) ||
                (host && a >= host && a - host < m->host_bytes);
        if (found)
            *out = *m;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static bool take_mapping(uint64_t address, struct mapping *out)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (struct mapping **at = &mappings; *at && !found; at = found ? at : &(*at)->next) {
        struct mapping *m = *at;
        if (m->address != address)
            continue;
        *out = *m;
        *at = m->next;
        free(m);
        found = true;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool rt_note_shared(uint64_t address, size_t bytes, enum cmpd_memory_kind kind)
{
    struct mapping m = {.address = address, .bytes = bytes, .kind = kind, .lasting = true};

    return add_mapping(&m);
}

bool rt_map_shared(uint64_t address, size_t bytes, int fd, enum cmpd_memory_kind kind)
{
    struct mapping m = {.address = address, .bytes = bytes, .kind = kind};

    if (fd < 0)
        return false;
    void *at = mmap((void *)(uintptr_t)address, pages(bytes), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    close(fd);
    return at != MAP_FAILED && add_mapping(&m);
}

static uint64_t first_passing(void)
{
    pthread_mutex_lock(&lock);
    const struct mapping *m = mappings;
    while (m && m->lasting)
        m = m->next;
    uint64_t address = m ? m->address : 0;
    pthread_mutex_unlock(&lock);
    return address;
}

void rt_unmap_all(void)
{
    struct mapping m;

    for (uint64_t first = first_passing(); first && take_mapping(first, &m);
         first = first_passing())
        munmap((void *)(uintptr_t)m.address, pages(m.bytes));
}

static bool is_device_address(const void *p)
{
    uint64_t a = (uint64_t)(uintptr_t)p;

    return a >= CMPD_DEVICE_BASE && a < CMPD_DEVICE_END;
}

enum rt_place rt_place_of(const void *p, uint64_t *device)
{
    struct mapping m;

    if (find_mapping(p, &m)) {
        uint64_t a = (uint64_t)(uintptr_t)p;
        if (!m.host || is_device_address(p)) {
            *device = a;
            return RT_SHARED;
        }
        *device = m.address + m.host_offset + (a - (uint64_t)(uintptr_t)m.host);
        return RT_REGISTERED;
    }
    if (is_device_address(p)) {
        *device = (uint64_t)(uintptr_t)p;
        return RT_DEVICE;
    }
    *device = 0;
    return RT_HOST;
}

/*
 * On most machines a kernel may be given the host's own pointer to registered memory. A word that merely looks like one
 * is not to be feared: such an address is no number that programs count with.
 */
void rt_translate_registered(uint8_t *params, size_t bytes)
{
    uint64_t word, device;

    for (size_t i = 0; registered > 0 && i + sizeof(word) <= bytes; i += sizeof(word)) {
        memcpy(&word, params + i, sizeof(word));
        const void *p = (const void *)(uintptr_t)word; // NOLINT(performance-no-int-to-ptr)
        if (rt_place_of(p, &device) == RT_REGISTERED)
            memcpy(params + i, &device, sizeof(device));
    }
}

/* ---- allocation ---- */

static cudaError_t ask_alloc(size_t bytes, enum cmpd_memory_kind kind, uint32_t stream,
                             uint64_t *address, int *fd)
{
    struct {
        uint64_t bytes;
        uint32_t kind, stream;
    } fixed = {.bytes = bytes, .kind = kind, .stream = stream};
    struct rt_question q = {.kind = CMPD_WIRE_ALLOC,
                            .fixed = &fixed,
                            .fixed_bytes = sizeof(fixed),
                            .answer = address,
                            .answer_bytes = sizeof(*address),
                            .fd = fd};

    return rt_ask(&q);
}

static cudaError_t allocate(const char *call, void **out, size_t bytes, enum cmpd_memory_kind kind,
                            cudaStream_t stream)
{
    uint32_t id = 0;
    uint64_t address;
    int fd;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_stream_id(stream, &id);
    if (error == cudaSuccess && rt_capture_of(stream))
        return rt_unbuilt("cudaMallocAsync in a captured stream");
    if (error == cudaSuccess)
        error = rt_capture_forbids(stream, false);
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    if (bytes == 0) { /* as CUDA: a null pointer, and success */
        *out = NULL;
        return cudaSuccess;
    }
    error = ask_alloc(bytes, kind, id, &address, &fd);
    if (error != cudaSuccess)
        return rt_done(error);
    if (kind != CMPD_MEMORY_DEVICE && !rt_map_shared(address, bytes, fd, kind))
        return rt_refuse(call, cudaErrorMemoryAllocation);
    *out = (void *)(uintptr_t)address;
    return cudaSuccess;
}

RT_API cudaError_t cudaMalloc(void **pointer, size_t size)
{
    return allocate("cudaMalloc", pointer, size, CMPD_MEMORY_DEVICE, NULL);
}

RT_API cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    return allocate("cudaMallocAsync", pointer, size, CMPD_MEMORY_DEVICE, stream);
}

RT_API cudaError_t cudaMallocAsync_ptsz(void **pointer, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync(pointer, size, rt_per_thread(stream));
}

RT_API cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST)
        return rt_refuse("cudaMallocManaged", cudaErrorInvalidValue);
    return allocate("cudaMallocManaged", pointer, size, CMPD_MEMORY_MANAGED, NULL);
}

RT_API cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return allocate("cudaMallocHost", pointer, size, CMPD_MEMORY_PINNED, NULL);
}

RT_API cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    if (flags & ~HOST_ALLOC_FLAGS)
        return rt_refuse("cudaHostAlloc", cudaErrorInvalidValue);
    return allocate("cudaHostAlloc", pointer, size, CMPD_MEMORY_PINNED, NULL);
}

RT_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    size_t row, bytes;

    if (!pointer || !pitch || __builtin_add_overflow(width, PITCH_BYTES - 1, &row))
        return rt_refuse("cudaMallocPitch", cudaErrorInvalidValue);
    row -= row % PITCH_BYTES;
    if (__builtin_mul_overflow(row, height, &bytes))
        return rt_refuse("cudaMallocPitch", cudaErrorMemoryAllocation);
    cudaError_t error = allocate("cudaMallocPitch", pointer, bytes, CMPD_MEMORY_DEVICE, NULL);
    if (error == cudaSuccess)
        *pitch = row;
    return error;
}

RT_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    size_t rows, pitch;
    void *pointer;

    if (!pitched)
        return rt_refuse("cudaMalloc3D", cudaErrorInvalidValue);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return rt_refuse("cudaMalloc3D", cudaErrorMemoryAllocation);
    cudaError_t error = cudaMallocPitch(&pointer, &pitch, extent.width, rows);
    if (error == cudaSuccess)
        *pitched = (struct cudaPitchedPtr){
            .ptr = pointer, .pitch = pitch, .xsize = extent.width, .ysize = extent.height};
    return error;
}

/* ---- freeing ---- */

static cudaError_t release(const char *call, void *pointer, uint32_t how, cudaStream_t stream)
{
    uint32_t id = 0;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_stream_id(stream, &id);
    if (error != cudaSuccess)
        return rt_refuse(call, error);
    if (!pointer)
        return cudaSuccess;
    if (rt_capture_of(stream))
        return rt_unbuilt("cudaFreeAsync in a captured stream");
    struct {
        uint64_t address;
        uint32_t how, stream;
    } fixed = {.address = (uint64_t)(uintptr_t)pointer, .how = how, .stream = id};
    error = rt_ask_simple(CMPD_WIRE_FREE, &fixed, sizeof(fixed), NULL, 0);
    struct mapping gone;
    if (error == cudaSuccess && take_mapping(fixed.address, &gone))
        munmap((void *)(uintptr_t)gone.address, pages(gone.bytes));
    return rt_done(error);
}

RT_API cudaError_t cudaFree(void *pointer)
{
    return release("cudaFree", pointer, FREE_PLAIN, NULL);
}

RT_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return release("cudaFreeAsync", pointer, FREE_ASYNC, stream);
}

RT_API cudaError_t cudaFreeAsync_ptsz(void *pointer, cudaStream_t stream)
{
    return cudaFreeAsync(pointer, rt_per_thread(stream));
}

RT_API cudaError_t cudaFreeHost(void *pointer)
{
    return release("cudaFreeHost", pointer, FREE_HOST, NULL);
}

/* ---- host memory that the caller has already ---- */

static void tell_host_range(const void *p, size_t bytes, uint32_t on)
{
    struct {
        uint64_t address, bytes;
        uint32_t on, zero;
    } fixed = {.address = (uint64_t)(uintptr_t)p, .bytes = bytes, .on = on};

    rt_ask_simple(CMPD_WIRE_HOST_RANGE, &fixed, sizeof(fixed), NULL, 0);
}

struct registering {
    struct mapping m;
    int fd;
    bool ok;
};

/* The whole pages round the caller's range become pages of memory that the device reaches too, with what they held. */
static void swap_pages_in(void *ctx)
{
    struct registering *r = ctx;
    uint8_t *first = (uint8_t *)r->m.host - r->m.host_offset;
    uint8_t *shared = (uint8_t *)(uintptr_t)r->m.address;

    memcpy(shared, first, r->m.bytes);
    r->ok = mmap(first, r->m.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, r->fd, 0) !=
            MAP_FAILED;
}

RT_API cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
    struct mapping other;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (!pointer || size == 0 || (flags & ~HOST_REGISTER_FLAGS)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && find_mapping(pointer, &other))
        error = cudaErrorHostMemoryAlreadyRegistered;
    if (error == cudaSuccess && is_device_address(pointer))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse("cudaHostRegister", error);
    struct registering r = {.m = {.kind = CMPD_MEMORY_PINNED, .host = pointer, .host_bytes = size}};
    r.m.host_offset = (uintptr_t)pointer % PAGE_BYTES;
    r.m.bytes = pages(size + r.m.host_offset);
    error = ask_alloc(r.m.bytes, CMPD_MEMORY_PINNED, 0, &r.m.address, &r.fd);
    if (error != cudaSuccess)
        return rt_done(error);
    uint64_t bad;
    bool mapped = mmap((void *)(uintptr_t)r.m.address, r.m.bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED_NOREPLACE, r.fd, 0) != MAP_FAILED;
    bool whole = mapped && rt_guarded(swap_pages_in, &r, &bad) && r.ok && add_mapping(&r.m);
    close(r.fd);
    if (!whole)
        return rt_refuse("cudaHostRegister", cudaErrorInvalidValue);
    registered++;
    tell_host_range(pointer, size, 1);
    return cudaSuccess;
}

RT_API cudaError_t cudaHostUnregister(void *pointer)
{
    struct mapping m;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && (!pointer || !find_mapping(pointer, &m) || !m.host))
        error = cudaErrorHostMemoryNotRegistered;
    if (error == cudaSuccess)
        error = rt_sync(0, 0, false); /* work may still use it */
    if (error != cudaSuccess)
        return rt_refuse("cudaHostUnregister", error);
    uint8_t *first = (uint8_t *)m.host - m.host_offset;
    uint8_t *own = mmap(NULL, m.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return rt_refuse("cudaHostUnregister", cudaErrorMemoryAllocation);
    memcpy(own, first, m.bytes);
    mremap(own, m.bytes, m.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, first);
    registered--;
    tell_host_range(m.host, m.host_bytes, 0);
    return release("cudaHostUnregister", (void *)(uintptr_t)m.address, FREE_HOST, NULL);
}

RT_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    uint64_t address;
    struct mapping m;

    if (!device || flags != 0 || !find_mapping(host, &m))
        return rt_refuse("cudaHostGetDevicePointer", cudaErrorInvalidValue);
    rt_place_of(host, &address);
    *device = (void *)(uintptr_t)address;
    return cudaSuccess;
}

RT_API cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    struct mapping m;

    if (!flags || !find_mapping(host, &m) || m.kind != CMPD_MEMORY_PINNED)
        return rt_refuse("cudaHostGetFlags", cudaErrorInvalidValue);
    *flags = 0x02; /* cudaHostAllocMapped: always so with one address space */
    return cudaSuccess;
}

/* ---- what there is ---- */

RT_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    uint64_t answer[2];
    cudaError_t error = rt_begin();

    if (error == cudaSuccess)
        error = rt_ask_simple(CMPD_WIRE_MEM_INFO, NULL, 0, answer, sizeof(answer));
    if (error == cudaSuccess) {
        if (free_bytes)
            *free_bytes = answer[0];
        if (total_bytes)
            *total_bytes = answer[1];
    }
    return rt_done(error);
}

RT_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                            const void *pointer)
{
    struct {
        uint32_t kind, zero;
        uint64_t base, bytes;
    } answer;
    uint64_t device;
    struct mapping m;
    cudaError_t error = rt_begin();

    if (error == cudaSuccess && !attributes)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_refuse("cudaPointerGetAttributes", error);
    enum rt_place place = rt_place_of(pointer, &device);
    /* CUDA 12's structure ends before `reserved`, which stays as it is. */
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2; /* cudaInvalidDeviceId */
    attributes->devicePointer = NULL;
    attributes->hostPointer = (void *)(uintptr_t)pointer;
    if (place == RT_HOST)
        return cudaSuccess;
    error = rt_ask_simple(CMPD_WIRE_POINTER, &device, sizeof(device), &answer, sizeof(answer));
    if (error != cudaSuccess)
        return rt_done(error);
    if (answer.kind == 0)
        return cudaSuccess;
    attributes->device = 0;
    attributes->devicePointer = (void *)(uintptr_t)device;
    attributes->hostPointer = place == RT_DEVICE ? NULL : (void *)(uintptr_t)pointer;
    attributes->type = place == RT_DEVICE ? cudaMemoryTypeDevice
                       : find_mapping(pointer, &m) && m.kind == CMPD_MEMORY_MANAGED
                           ? cudaMemoryTypeManaged
                           : cudaMemoryTypeHost;
    return cudaSuccess;
}
