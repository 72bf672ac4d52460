/*
 * The server with the emulated device and real device code: what the fat binaries of an object hold, launched directly,
 * recorded, checked, and run again. Usage: server_emulated OBJECT. Prints what is wrong and exits 1, or 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/buf.h"
#include "analysis/base/file.h"
#include "gpu-runner/server/server.h"

#define N            100
#define OBJECT_BYTES ((size_t)16 << 20)

static struct cmpd_err err;
static int wrong;

#define CHECK(what)                                                              \
    do {                                                                         \
        if (!(what)) {                                                           \
            fprintf(stderr, "line %d: not %s (%s)\n", __LINE__, #what, err.msg); \
            wrong++;                                                             \
        }                                                                        \
    } while (0)

struct world {
    struct cmpd_device *device;
    struct cmpd_server *server;
    uint64_t x;
};

/* A parameter block by the kernel's own offsets. */
struct block {
    uint8_t bytes[64];
    struct cmpd_kernel_info info;
    uint32_t module, next;
};

static struct block block_of(struct world *w, const char *kernel)
{
    struct block b = {0};

    CHECK(cmpd_server_find_kernel(w->server, kernel, &b.module, &b.info, &err) == CMPD_OK);
    CHECK(b.info.param_bytes <= sizeof(b.bytes));
    return b;
}

static void put(struct block *b, const void *value, size_t size)
{
    CHECK(b->next < b->info.param_count && b->info.param_sizes[b->next] == size);
    if (b->next < b->info.param_count)
        memcpy(b->bytes + b->info.param_offsets[b->next++], value, size);
}

static void launch(struct world *w, const struct block *b, uint32_t blocks, uint32_t threads,
                   uint32_t shared)
{
    struct cmpd_launch l = {.module = b->module,
                            .kernel = b->info.name,
                            .grid = {blocks, 1, 1},
                            .block = {threads, 1, 1},
                            .shared_bytes = shared,
                            .params = b->bytes,
                            .param_bytes = b->info.param_bytes};

    CHECK(cmpd_server_direct(w->server, &l, &err) == CMPD_OK);
}

static void fill(struct world *w, float with)
{
    float data[N];

    for (int i = 0; i < N; i++)
        data[i] = with;
    CHECK(w->device->ops->write(w->device, w->x, data, sizeof(data), &err) == CMPD_OK);
}

static float at(struct world *w, int i)
{
    float v = -1;

    CHECK(w->device->ops->read(w->device, &v, w->x + (uint64_t)i * 4, 4, &err) == CMPD_OK);
    return v;
}

static void begin(struct world *w, uint64_t budget)
{
    struct cmpd_server_arg arg = {
        .type = CMPD_WIRE_POINTER_DEVICE, .name = "x", .value = w->x, .bytes = N * 4};
    struct cmpd_server_case c = {.args = &arg, .arg_count = 1, .lane_instructions = budget};

    cmpd_server_begin(w->server, &c);
}

static size_t count(const struct cmpd_server_record *r, enum cmpd_tag tag)
{
    size_t n = 0;

    for (size_t i = 0; i < r->sightings.count; i++)
        n += r->sightings.items[i].tag == tag && !r->sightings.items[i].note;
    return n;
}

static void scale_and_again(struct world *w)
{
    struct block b = block_of(w, "scale");
    struct cmpd_server_replay again;
    float by = 3;
    int n = N;

    put(&b, &w->x, 8);
    put(&b, &by, 4);
    put(&b, &n, 4);
    fill(w, 1);
    begin(w, 0);
    launch(w, &b, 4, 32, 0);
    struct cmpd_server_record r = *cmpd_server_end(w->server);
    memset(cmpd_server_end(w->server), 0, sizeof(r)); /* taken */
    CHECK(at(w, 0) == 3.5f && at(w, N - 1) == 3.5f);
    CHECK(r.sightings.count == 0 && r.launches == 1 && r.lane_instructions > N);
    fill(w, 10);
    CHECK(cmpd_server_replay(w->server, &r, &again, &err) == CMPD_OK);
    CHECK(at(w, 0) == 30.5f && at(w, N - 1) == 30.5f);
    CHECK(again.lane_instructions == r.lane_instructions && again.worst == CMPD_LAUNCH_DONE);
    cmpd_sightings_clear(&again.sightings);
    cmpd_server_record_clear(&r);
}

/* A little past the end nothing stops on a GPU either, and the launch goes on; far outside it does. */
static void faults(struct world *w)
{
    struct block b = block_of(w, "unguarded"), far = b;
    uint64_t nowhere = 4096;

    put(&b, &w->x, 8);
    put(&far, &nowhere, 8);
    begin(w, 0);
    launch(w, &b, 4, 32, 0); /* 128 threads, 100 elements */
    struct cmpd_server_record *r = cmpd_server_end(w->server);
    CHECK(count(r, CMPD_TAG_out_of_bounds) == 1 && r->sticky_error == 0);
    CHECK(r->sightings.count > 0 && r->sightings.items[0].line == 13);
    begin(w, 0);
    launch(w, &far, 1, 32, 0);
    launch(w, &b, 1, 32, 0); /* not any more: the context is dead */
    r = cmpd_server_end(w->server);
    CHECK(count(r, CMPD_TAG_out_of_bounds) == 1);
    CHECK(r->sticky_error == 700 && r->launches == 1);
}

static void refused(struct world *w)
{
    struct block b = block_of(w, "bounded");

    put(&b, &w->x, 8);
    CHECK(b.info.max_threads == 64);
    begin(w, 0);
    launch(w, &b, 1, 65, 0);
    launch(w, &b, 1, 1025, 0);
    launch(w, &b, 1, 64, 0);
    struct cmpd_server_record *r = cmpd_server_end(w->server);
    CHECK(count(r, CMPD_TAG_launch_failed) == 1 && r->launches_refused == 2 && r->launches == 1);
    CHECK(at(w, 63) == 2);
}

static void shared_memory(struct world *w)
{
    struct block b = block_of(w, "reverse");
    int n = 50;

    put(&b, &w->x, 8);
    put(&b, &n, 4);
    fill(w, 5);
    begin(w, 0);
    launch(w, &b, 1, 50, 200);
    struct cmpd_server_record *r = cmpd_server_end(w->server);
    CHECK(r->sightings.count == 0 && at(w, 0) == 5);
}

static void never_ends(struct world *w, uint64_t budget)
{
    struct block b = block_of(w, "endless");

    put(&b, &w->x, 8);
    fill(w, 0);
    begin(w, budget);
    launch(w, &b, 1, 1, 0);
    struct cmpd_server_record *r = cmpd_server_end(w->server);
    CHECK(r->sticky_error == 702);
    CHECK(r->budget_exhausted || count(r, CMPD_TAG_timeout) + count(r, CMPD_TAG_deadlock) == 1);
}

int main(int argc, char **argv)
{
    struct cmpd_device_options options = {.cancel_fd = -1};
    CMPD_BUF_AUTO struct cmpd_buf object = CMPD_BUF_INIT;
    struct world w;
    uint32_t first, modules;

    if (argc != 2 || cmpd_file_read(argv[1], OBJECT_BYTES, &object, &err) != CMPD_OK ||
        cmpd_device_emulator.open(&options, &w.device, &err) != CMPD_OK ||
        cmpd_server_new(w.device, NULL, &w.server, &err) != CMPD_OK ||
        w.device->ops->alloc(w.device, N * 4, CMPD_MEMORY_DEVICE, -1, "x", &w.x, &err) != CMPD_OK) {
        fprintf(stderr, "server_emulated: %s\n", err.msg);
        return 1;
    }
    CHECK(cmpd_server_load_object(w.server, object.data, object.len, &first, &modules, &err) ==
          CMPD_OK);
    CHECK(modules == 1);
    scale_and_again(&w);
    faults(&w);
    refused(&w);
    shared_memory(&w);
    never_ends(&w, 200000);
    cmpd_server_free(w.server);
    w.device->ops->close(w.device);
    return wrong ? 1 : 0;
}
