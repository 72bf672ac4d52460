#include "gpu-runner/stages/candidate.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/link/libdir.h"

/* What host code of a launcher may take. */
#define OUTPUT_KEPT_BYTES  ((size_t)64 << 10)
#define OUTPUT_LIMIT_BYTES ((uint64_t)8 << 20)
#define MEMORY_LIMIT_BYTES ((uint64_t)8 << 30) /* address space */
#define PROCESSOR_LIMIT_S  60
#define FILE_LIMIT_BYTES   ((uint64_t)16 << 20)
#define DESCRIPTORS_LIMIT  256

struct cmpd_candidate {
    struct cmpd_jail_request request;
    char *program, *runtime, *library; /* owned */
    const char **argv;                 /* owned; its strings are borrowed */
    const char *readable[3];
    const struct cmpd_jail_ops *jail;
    int cancel[2]; /* closing [1] ends the process */
    struct cmpd_candidate_end end;
    pthread_t thread;
};

static cmpd_rc find_parts(struct cmpd_candidate *c, struct cmpd_err *err)
{
    cmpd_rc rc = cmpd_libdir_path(CMPD_LIBDIR_CANDIDATE, &c->program, err);
    if (rc == CMPD_OK)
        rc = cmpd_libdir_path(CMPD_LIBDIR_CUDART, &c->runtime, err);
    if (rc == CMPD_OK)
        return rc;
    err->rc = CMPD_EUNAVAIL; /* the message stands: it can't be printed into itself */
    return err->rc;
}

static void *wait_for_it(void *arg)
{
    struct cmpd_candidate *c = arg;
    c->end.rc = c->jail->run(&c->request, &c->end.process, &c->end.err);
    return NULL;
}

static void fill_request(struct cmpd_candidate *c, const struct cmpd_candidate_spec *spec, int fd)
{
    size_t n = 0;
    c->argv = cmpd_calloc(spec->argc + 3, sizeof *c->argv);
    c->argv[n++] = c->program;
    c->argv[n++] = c->library;
    for (size_t i = 0; i < spec->argc; i++)
        c->argv[n++] = spec->argv[i];
    c->readable[0] = c->program;
    c->readable[1] = c->runtime;
    c->readable[2] = c->library;
    c->request = (struct cmpd_jail_request)CMPD_JAIL_REQUEST_INIT;
    c->request.profile = CMPD_JAIL_RUN;
    c->request.argv = c->argv;
    c->request.readable = c->readable;
    c->request.readable_count = 3;
    c->request.pass_fd_take = fd;
    c->request.limits.cpu_s = PROCESSOR_LIMIT_S;
    c->request.limits.address_space_bytes = MEMORY_LIMIT_BYTES;
    c->request.limits.file_size_bytes = FILE_LIMIT_BYTES;
    c->request.limits.open_files = DESCRIPTORS_LIMIT;
    c->request.deadline_ms = spec->deadline_ms;
    c->request.output_ceiling = OUTPUT_KEPT_BYTES;
    c->request.output_limit = OUTPUT_LIMIT_BYTES;
    c->request.cancel_fd = c->cancel[0];
    c->request.report = &c->end.report;
}

static void release(struct cmpd_candidate *c)
{
    for (int i = 0; i < 2; i++) {
        if (c->cancel[i] >= 0)
            close(c->cancel[i]);
    }
    free(c->argv);
    free(c->program);
    free(c->runtime);
    free(c->library);
    free(c);
}

static cmpd_rc open_pipes(struct cmpd_candidate *c, int pair[2], struct cmpd_err *err)
{
    if (pipe2(c->cancel, O_CLOEXEC) < 0) {
        c->cancel[0] = c->cancel[1] = -1;
        return cmpd_err_set(err, CMPD_EIO, "can't open a pipe: %s", strerror(errno));
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return cmpd_err_set(err, CMPD_EIO, "can't open a socket pair: %s", strerror(errno));
    return CMPD_OK;
}

cmpd_rc cmpd_candidate_start(const struct cmpd_candidate_spec *spec, struct cmpd_candidate **out,
                             int *fd, struct cmpd_err *err)
{
    struct cmpd_err why = {0};
    int pair[2] = {-1, -1};
    struct cmpd_candidate *c = cmpd_calloc(1, sizeof *c);
    c->cancel[0] = c->cancel[1] = -1;
    c->jail = spec->jail;
    c->library = cmpd_strdup(spec->library);
    cmpd_rc rc = find_parts(c, &why);
    if (rc == CMPD_OK)
        rc = open_pipes(c, pair, &why);
    if (rc != CMPD_OK) {
        release(c);
        if (err)
            *err = why;
        return rc;
    }
    fill_request(c, spec, pair[1]);
    int failed = pthread_create(&c->thread, NULL, wait_for_it, c);
    if (failed) {
        close(pair[0]);
        close(pair[1]);
        release(c);
        return cmpd_err_set(err, CMPD_EIO, "can't start a thread: %s", strerror(failed));
    }
    *fd = pair[0];
    *out = c;
    return CMPD_OK;
}

void cmpd_candidate_finish(struct cmpd_candidate *c, bool kill, struct cmpd_candidate_end *end)
{
    if (kill) {
        close(c->cancel[1]);
        c->cancel[1] = -1;
    }
    pthread_join(c->thread, NULL);
    *end = c->end;
    release(c);
}

void cmpd_candidate_end_clear(struct cmpd_candidate_end *end)
{
    if (end->rc == CMPD_OK)
        cmpd_proc_result_clear(&end->process);
}
