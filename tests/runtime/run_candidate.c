/*
 * Runs one object like the product does: linked with our runtime, in a process of its own, served by the real device
 * server with the emulated device. What happened is printed, a line a fact, for scripts to compare.
 *
 *   run_candidate [--jail] [--call SYMBOL [ARG...] --] [--result TYPE] [--twice] [--budget LANE-INSTRUCTIONS] OBJECT
 *
 * Without --call, main() of the object runs. ARG is i32:5, i64:5, f32:1.5, f64:1.5, dev:N or host:N (a buffer of N
 * floats that hold 0, 1, 2, ...; its first elements are printed afterwards), null, stream.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "analysis/base/file.h"
#include "gpu-runner/compile/workdir.h"
#include "gpu-runner/link/libdir.h"
#include "gpu-runner/link/link.h"
#include "gpu-runner/server/server.h"

#define ARGS_MOST    16
#define OBJECT_BYTES ((size_t)64 << 20)
#define DEADLINE_MS  60000
#define SHOWN        4
#define OUTPUT_BYTES ((size_t)1 << 20)

struct buffer {
    uint64_t address, bytes;
    float *data;
};

struct run {
    const char *object, *symbol;
    bool jail;
    unsigned times, given;
    struct cmpd_server_arg args[ARGS_MOST];
    struct buffer buffers[ARGS_MOST];
    uint32_t arg_count;
    enum cmpd_wire_type result;
    uint64_t offset, budget;
    struct cmpd_device *device;
    struct cmpd_link_result linked;
    struct cmpd_proc_result process;
    int pass_fd;
};

static void die(const char *what, const struct cmpd_err *err)
{
    fprintf(stderr, "run_candidate: %s%s%s\n", what, err ? ": " : "", err ? err->msg : "");
    exit(1);
}

static float *counting(uint64_t n)
{
    float *data = cmpd_calloc(n ? n : 1, sizeof(float));

    for (uint64_t i = 0; i < n; i++)
        data[i] = (float)i;
    return data;
}

static void add_buffer(struct run *r, struct cmpd_server_arg *a, const char *text, bool device)
{
    uint64_t n = strtoull(text, NULL, 0);
    struct buffer *b = &r->buffers[r->arg_count];

    b->bytes = n * sizeof(float);
    b->data = counting(n);
    a->bytes = b->bytes;
    a->name = device ? "a device buffer" : "a host buffer";
    a->type = device ? CMPD_WIRE_POINTER_DEVICE : CMPD_WIRE_POINTER_HOST;
    a->data = device ? NULL : b->data;
}

static void add_arg(struct run *r, const char *text)
{
    struct cmpd_server_arg *a = &r->args[r->arg_count];
    const char *value = strchr(text, ':') ? strchr(text, ':') + 1 : "";
    float f = strtof(value, NULL);
    double d = strtod(value, NULL);

    if (r->arg_count == ARGS_MOST)
        die("too many arguments", NULL);
    a->value = (uint64_t)strtoll(value, NULL, 0);
    if (strncmp(text, "i32:", 4) == 0) {
        a->type = CMPD_WIRE_I32;
    } else if (strncmp(text, "i64:", 4) == 0) {
        a->type = CMPD_WIRE_I64;
    } else if (strncmp(text, "f32:", 4) == 0) {
        a->type = CMPD_WIRE_F32;
        a->value = 0;
        memcpy(&a->value, &f, sizeof(f));
    } else if (strncmp(text, "f64:", 4) == 0) {
        a->type = CMPD_WIRE_F64;
        memcpy(&a->value, &d, sizeof(d));
    } else if (strncmp(text, "dev:", 4) == 0 || strncmp(text, "host:", 5) == 0) {
        add_buffer(r, a, value, text[0] == 'd');
    } else if (strcmp(text, "stream") == 0) {
        a->type = CMPD_WIRE_STREAM;
    } else if (strcmp(text, "null") == 0) {
        a->type = CMPD_WIRE_POINTER_DEVICE;
    } else {
        die("what is this argument", NULL);
    }
    r->arg_count++;
}

static enum cmpd_wire_type result_type(const char *name)
{
    static const struct {
        const char *name;
        enum cmpd_wire_type type;
    } types[] = {{"void", CMPD_WIRE_VOID}, {"i32", CMPD_WIRE_I32}, {"i64", CMPD_WIRE_I64},
                 {"f32", CMPD_WIRE_F32},   {"f64", CMPD_WIRE_F64}, {"i8", CMPD_WIRE_I8}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(name, types[i].name) == 0)
            return types[i].type;
    die("what is this result", NULL);
    return CMPD_WIRE_VOID;
}

static void parse(struct run *r, int argc, char **argv)
{
    int i = 1;

    r->times = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--jail") == 0) {
            r->jail = true;
        } else if (strcmp(argv[i], "--twice") == 0) {
            r->times = 2;
        } else if (strcmp(argv[i], "--budget") == 0 && i + 1 < argc) {
            r->budget = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--result") == 0 && i + 1 < argc) {
            r->result = result_type(argv[++i]);
        } else if (strcmp(argv[i], "--call") == 0 && i + 1 < argc) {
            r->symbol = argv[++i];
            while (++i < argc && strcmp(argv[i], "--") != 0)
                add_arg(r, argv[i]);
        }
    }
    if (i + 1 != argc)
        die("usage: run_candidate [options] OBJECT", NULL);
    r->object = argv[i];
}

/* ---- the plan ---- */

static cmpd_rc fill_device_buffers(struct run *r, struct cmpd_err *err)
{
    for (uint32_t i = 0; i < r->arg_count; i++) {
        struct buffer *b = &r->buffers[i];
        if (r->args[i].type != CMPD_WIRE_POINTER_DEVICE || b->bytes == 0)
            continue;
        if (!b->address) {
            cmpd_rc rc = r->device->ops->alloc(r->device, b->bytes, CMPD_MEMORY_DEVICE, -1,
                                               "a device buffer", &b->address, err);
            if (rc != CMPD_OK)
                return rc;
            r->args[i].value = b->address;
        }
        cmpd_rc rc = r->device->ops->write(r->device, b->address, b->data, b->bytes, err);
        if (rc != CMPD_OK)
            return rc;
    }
    return CMPD_OK;
}

static cmpd_rc next(void *ctx, struct cmpd_server_case *out, struct cmpd_err *err)
{
    struct run *r = ctx;

    *out = (struct cmpd_server_case){.task = CMPD_WIRE_TASK_STOP};
    if (r->given == r->times)
        return CMPD_OK;
    *out = (struct cmpd_server_case){.task = r->symbol ? CMPD_WIRE_TASK_CALL : CMPD_WIRE_TASK_MAIN,
                                     .number = ++r->given,
                                     .symbol_offset = r->offset,
                                     .result = r->result,
                                     .args = r->args,
                                     .arg_count = r->arg_count,
                                     .lane_instructions = r->budget};
    return fill_device_buffers(r, err);
}

static void show_floats(const char *what, uint32_t arg, const float *data, uint64_t bytes)
{
    printf("%s %u", what, arg);
    for (uint64_t i = 0; i < SHOWN && i < bytes / sizeof(float); i++)
        printf(" %g", (double)data[i]);
    printf("\n");
}

static cmpd_rc joined(void *ctx, const struct cmpd_server_record *record, struct cmpd_err *err)
{
    struct run *r = ctx;

    for (uint32_t i = 0; i < r->arg_count; i++) {
        const struct buffer *b = &r->buffers[i];
        if (!b->address)
            continue;
        CMPD_AUTOFREE float *data = cmpd_calloc(1, b->bytes);
        cmpd_rc rc = r->device->ops->read(r->device, data, b->address, b->bytes, err);
        if (rc != CMPD_OK)
            return rc;
        show_floats("device", i, data, b->bytes);
    }
    for (size_t i = 0; i < record->host_count; i++)
        if (record->hosts[i].data)
            show_floats("host", record->hosts[i].arg, (const float *)(void *)record->hosts[i].data,
                        record->hosts[i].bytes);
    return CMPD_OK;
}

static void show_record(const struct cmpd_server_record *rec)
{
    printf("launches %u refused %u\n", rec->launches, rec->launches_refused);
    for (size_t i = 0; i < rec->failure_count; i++)
        printf("failed %s %s\n", rec->failures[i].call,
               cmpd_server_error_name(rec->failures[i].error));
    if (rec->last_error)
        printf("last error %s\n", cmpd_server_error_name(rec->last_error));
    if (rec->threads)
        printf("threads %u\n", rec->threads);
    for (size_t i = 0; i < rec->sightings.count; i++) {
        const struct cmpd_sighting *s = &rec->sightings.items[i];
        printf("%s %s %s:%u %s\n", s->note ? "note" : "seen", cmpd_tag_info(s->tag)->name,
               s->file ? s->file : "-", s->line, s->message ? s->message : "");
    }
}

static cmpd_rc done(void *ctx, struct cmpd_server_record *record, struct cmpd_err *err)
{
    (void)ctx, (void)err;
    printf("result %d\n", record->result);
    show_record(record);
    return CMPD_OK;
}

/* ---- the process ---- */

static void *run_process(void *ctx)
{
    struct run *r = ctx;
    struct cmpd_jail_request q = CMPD_JAIL_REQUEST_INIT;
    struct cmpd_jail_report report = {0};
    struct cmpd_err err = {0};
    char *program = NULL, *cudart = NULL;

    if (cmpd_libdir_path(CMPD_LIBDIR_CANDIDATE, &program, &err) != CMPD_OK ||
        cmpd_libdir_path(CMPD_LIBDIR_CUDART, &cudart, &err) != CMPD_OK)
        die("the candidate program", &err);
    const char *const argv[] = {program, r->linked.path, NULL};
    const char *const readable[] = {program, cudart, r->linked.path};
    q.profile = CMPD_JAIL_RUN;
    q.argv = argv;
    q.readable = readable;
    q.readable_count = 3;
    q.pass_fd_take = r->pass_fd;
    q.deadline_ms = DEADLINE_MS;
    q.output_ceiling = OUTPUT_BYTES;
    q.report = &report;
    const struct cmpd_jail_ops *jail = r->jail ? &cmpd_jail_bwrap : &cmpd_jail_none;
    if (jail->run(&q, &r->process, &err) != CMPD_OK)
        die("starting it", &err);
    for (size_t i = 0; i < report.deed_count; i++)
        printf("deed %s\n", report.deeds[i].what);
    free(program);
    free(cudart);
    return NULL;
}

static void link_it(struct run *r, const char *work)
{
    CMPD_BUF_AUTO struct cmpd_buf object = CMPD_BUF_INIT, library = CMPD_BUF_INIT;
    struct cmpd_elf_functions functions;
    struct cmpd_err err = {0};

    if (cmpd_file_read(r->object, OBJECT_BYTES, &object, &err) != CMPD_OK)
        die("reading it", &err);
    struct cmpd_link_request q = {.object = object.data,
                                  .object_len = object.len,
                                  .work = work,
                                  .jail = r->jail ? &cmpd_jail_bwrap : &cmpd_jail_none,
                                  .cancel_fd = -1};
    if (cmpd_link_object(&q, &r->linked, &err) != CMPD_OK)
        die("linking it", &err);
    if (!r->linked.ok) {
        printf("not linked %s %s\n", cmpd_tag_info(r->linked.tag)->name, r->linked.message);
        for (size_t i = 0; i < r->linked.missing_count; i++)
            printf("missing %s\n", r->linked.missing[i].display);
        return;
    }
    if (!r->symbol)
        return;
    if (cmpd_file_read(r->linked.path, OBJECT_BYTES, &library, &err) != CMPD_OK ||
        cmpd_elf_functions(library.data, library.len, &functions, &err) != CMPD_OK)
        die("its functions", &err);
    const struct cmpd_elf_function *f = cmpd_elf_functions_find(&functions, r->symbol);
    if (!f)
        die("no such function", NULL);
    r->offset = f->offset;
    cmpd_elf_functions_clear(&functions);
}

static void serve(struct run *r)
{
    static const char *const ends[] = {"finished", "gone early", "faulted",   "violation",
                                       "wall",     "limit",      "cancelled", "broken",
                                       "stopped",  "undecided"};
    struct cmpd_server_plan plan = {.ctx = r, .next = next, .joined = joined, .done = done};
    struct cmpd_server_outcome outcome = {0};
    struct cmpd_server *server;
    struct cmpd_err err = {0};
    pthread_t thread;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        die("a socket pair", NULL);
    r->pass_fd = pair[1];
    if (cmpd_server_new(r->device, NULL, &server, &err) != CMPD_OK)
        die("the server", &err);
    pthread_create(&thread, NULL, run_process, r);
    cmpd_rc rc = cmpd_server_serve(server, pair[0], -1, &plan, &outcome, &err);
    close(pair[0]);
    pthread_join(thread, NULL);
    printf("end %s\n", ends[outcome.end]);
    if (outcome.end != CMPD_SERVER_FINISHED) {
        printf("message %s\n", outcome.message);
        if (outcome.end == CMPD_SERVER_FAULTED)
            printf("fault signal %u in %s\n", outcome.signal, outcome.where);
        show_record(cmpd_server_open_record(server));
    }
    if (rc != CMPD_OK)
        printf("error %s\n", err.msg);
    show_record(cmpd_server_outside_record(server));
    cmpd_server_free(server);
}

int main(int argc, char **argv)
{
    struct run r = {.pass_fd = -1};
    struct cmpd_device_options options = {.cancel_fd = -1};
    struct cmpd_err err = {0};
    char *work;

    parse(&r, argc, argv);
    if (cmpd_workdir_make(&work, &err) != CMPD_OK)
        die("a work folder", &err);
    link_it(&r, work);
    if (r.linked.ok) {
        if (cmpd_device_find("emulator")->open(&options, &r.device, &err) != CMPD_OK)
            die("the device", &err);
        serve(&r);
        r.device->ops->close(r.device);
        if (r.process.out.len > 0)
            printf("--- stdout\n%s", cmpd_buf_str(&r.process.out));
        if (r.process.err.len > 0)
            printf("--- stderr\n%s", cmpd_buf_str(&r.process.err));
        cmpd_proc_result_clear(&r.process);
    }
    cmpd_link_result_clear(&r.linked);
    cmpd_workdir_remove(work);
    free(work);
    for (uint32_t i = 0; i < ARGS_MOST; i++)
        free(r.buffers[i].data);
    return 0;
}
