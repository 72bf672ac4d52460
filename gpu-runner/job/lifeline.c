#include "gpu-runner/job/lifeline.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "analysis/base/alloc.h"

struct watcher {
    struct cmpd_lifeline *lifeline;
    bool input;
};

cmpd_rc cmpd_lifeline_open(struct cmpd_lifeline *l, struct cmpd_err *err)
{
    sigset_t set;
    memset(l, 0, sizeof *l);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN); /* a reader that is gone shows as a failed write */
    l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    l->cancel_fd = eventfd(0, EFD_CLOEXEC);
    if (l->signal_fd < 0 || l->cancel_fd < 0)
        return cmpd_err_set(err, CMPD_EIO, "no descriptors left: %s", strerror(errno));
    return CMPD_OK;
}

static bool take_signal(struct cmpd_lifeline *l)
{
    struct signalfd_siginfo info;
    if (read(l->signal_fd, &info, sizeof info) != (ssize_t)sizeof info)
        return false;
    l->signal = (int)info.ssi_signo;
    return true;
}

cmpd_rc cmpd_lifeline_read_line(struct cmpd_lifeline *l, size_t ceiling, struct cmpd_buf *out,
                                struct cmpd_err *err)
{
    char chunk[4096];
    for (;;) {
        struct pollfd p[2] = {{STDIN_FILENO, POLLIN, 0}, {l->signal_fd, POLLIN, 0}};
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            return cmpd_err_set(err, CMPD_EIO, "cannot wait for the job: %s", strerror(errno));
        if (p[1].revents && take_signal(l))
            return cmpd_err_set(err, CMPD_EUNAVAIL, "stopped by signal %d", l->signal);
        if (!p[0].revents)
            continue;
        ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return cmpd_err_set(err, CMPD_EIO, "cannot read the job: %s", strerror(errno));
        if (n == 0)
            return cmpd_err_set(err, CMPD_EINPUT,
                                "job: standard input ended before the job did (it is one line)");
        /* What stands behind the line is no job: it is read later and dropped. */
        const char *nl = memchr(chunk, '\n', (size_t)n);
        size_t take = nl ? (size_t)(nl - chunk) : (size_t)n;
        if (out->len + take > ceiling)
            return cmpd_err_set(err, CMPD_ELIMIT, "job: longer than %zu bytes", ceiling);
        cmpd_buf_append(out, chunk, take);
        if (nl)
            return CMPD_OK;
    }
}

static void cancel(struct cmpd_lifeline *l)
{
    const uint64_t one = 1;
    ssize_t n;
    do
        n = write(l->cancel_fd, &one, sizeof one);
    while (n < 0 && errno == EINTR);
}

/* false: standard input has ended. */
static bool input_goes_on(void)
{
    char chunk[4096];
    ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static void *watch(void *arg)
{
    struct watcher w = *(struct watcher *)arg;
    free(arg);
    for (;;) {
        struct pollfd p[2] = {{w.input ? STDIN_FILENO : -1, POLLIN, 0},
                              {w.lifeline->signal_fd, POLLIN, 0}};
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            break;
        if (p[1].revents && take_signal(w.lifeline))
            break;
        if (p[0].revents && !input_goes_on())
            break;
    }
    cancel(w.lifeline);
    return NULL;
}

cmpd_rc cmpd_lifeline_watch(struct cmpd_lifeline *l, bool input, struct cmpd_err *err)
{
    struct watcher *w = cmpd_calloc(1, sizeof *w);
    pthread_t thread;
    w->lifeline = l;
    w->input = input;
    int failed = pthread_create(&thread, NULL, watch, w);
    if (failed) {
        free(w);
        return cmpd_err_set(err, CMPD_EIO, "cannot start a thread: %s", strerror(failed));
    }
    pthread_detach(thread);
    return CMPD_OK;
}
