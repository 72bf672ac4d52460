#include "gpu-runner/jail/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "analysis/base/alloc.h"
#include "gpu-runner/jail/filter.h"
#include "gpu-runner/jail/seccomp.h"

#define DEEDS_ENOUGH     1000 /* refused calls after which the program is stopped */
#define SAMPLE_MS        20   /* how often its address space is looked at */
#define THREADS_DEFAULT  64
#define RESIDENT_DEFAULT ((uint64_t)2 << 30)
#define PATH_CEILING     512 /* of a path in a message; longer ones are cut */
#define PAGE             4096u

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- set-up ---- */

static cmpd_rc send_filters(struct cmpd_notify *n, struct cmpd_err *err)
{
    const struct cmpd_buf *watching, *plain;
    cmpd_rc rc = cmpd_filter_get(CMPD_FILTER_RUN, &watching, err);
    if (rc == CMPD_OK)
        rc = cmpd_filter_get(CMPD_FILTER_RUN_UNWATCHED, &plain, err);
    if (rc != CMPD_OK)
        return rc;
    struct cmpd_jail_filters head = {CMPD_JAIL_FILTERS_MAGIC, (uint32_t)(watching->len / 8),
                                     (uint32_t)(plain->len / 8), 0};
    struct iovec parts[3] = {
        {&head, sizeof head}, {watching->data, watching->len}, {plain->data, plain->len}};
    struct msghdr m;
    memset(&m, 0, sizeof m);
    m.msg_iov = parts;
    m.msg_iovlen = 3;
    size_t all = sizeof head + watching->len + plain->len;
    if (sendmsg(n->ours, &m, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)all)
        return cmpd_err_set(err, CMPD_EUNAVAIL, "cannot hand over the seccomp filter: %s",
                            strerror(errno));
    return CMPD_OK;
}

cmpd_rc cmpd_notify_init(struct cmpd_notify *n, const struct cmpd_jail_request *q,
                         struct cmpd_err *err)
{
    int pair[2], on = 1;
    memset(n, 0, sizeof *n);
    n->ours = n->theirs = -1;
    n->rules.readable = q->readable;
    n->rules.readable_count = q->readable_count;
    n->rules.may_write = q->may_write;
    n->rules.threads = q->threads ? q->threads : THREADS_DEFAULT;
    n->resident_limit = q->resident_bytes ? q->resident_bytes : RESIDENT_DEFAULT;
    n->stop_fd = eventfd(0, EFD_CLOEXEC);
    n->enough_fd = eventfd(0, EFD_CLOEXEC);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
        n->ours = pair[0];
        n->theirs = pair[1];
    }
    /* So that the kernel tells whose message it is: its number is how we look at its memory. */
    if (n->stop_fd < 0 || n->enough_fd < 0 || n->ours < 0 ||
        setsockopt(n->ours, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0)
        return cmpd_err_set(err, CMPD_EIO, "no descriptors left: %s", strerror(errno));
    return send_filters(n, err);
}

/* ---- the program closes itself in ---- */

/* The byte that says how, the listener (-1: none) and the sender. false: nothing of that kind. */
static bool receive(struct cmpd_notify *n, char *how, int *listener)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec iov = {how, 1};
    struct msghdr m;
    memset(&m, 0, sizeof m);
    m.msg_iov = &iov;
    m.msg_iovlen = 1;
    m.msg_control = control.bytes;
    m.msg_controllen = sizeof control.bytes;
    *listener = -1;
    if (recvmsg(n->ours, &m, MSG_CMSG_CLOEXEC) != 1)
        return false;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
        struct ucred who;
        if (c->cmsg_level != SOL_SOCKET)
            continue;
        if (c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int))) {
            memcpy(listener, CMSG_DATA(c), sizeof *listener);
        } else if (c->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&who, CMSG_DATA(c), sizeof who);
            n->pid = who.pid;
        }
    }
    return true;
}

static int take_listener(struct cmpd_notify *n)
{
    char how = 0;
    int listener = -1;
    if (!receive(n, &how, &listener) || (how != 'w' && how != 'p') ||
        (how == 'w' && listener < 0)) {
        close_fd(&listener);
        close_fd(&n->ours);
        return -1;
    }
    n->report.confined = true;
    n->report.watched = how == 'w';
    char ack = 'a';
    if (send(n->ours, &ack, 1, MSG_NOSIGNAL) != 1)
        n->report.confined = false;
    close_fd(&n->ours);
    return listener;
}

/* ---- what the kernel says of it ---- */

struct usage {
    uint64_t peak_bytes, resident_bytes; /* address space at its highest; memory in use */
    uint32_t threads;
};

static uint64_t number_of(const char *status, const char *key)
{
    const char *p = strstr(status, key);
    return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

/* false: it can't be asked any more. */
static bool ask(const struct cmpd_notify *n, struct usage *u)
{
    char path[40], text[8192];
    if (!n->pid)
        return false;
    snprintf(path, sizeof path, "/proc/%d/status", (int)n->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    close_fd(&fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    u->peak_bytes = number_of(text, "\nVmPeak:") << 10; /* the file counts in KiB */
    u->resident_bytes = (number_of(text, "\nVmRSS:") + number_of(text, "\nVmSwap:")) << 10;
    u->threads = (uint32_t)number_of(text, "\nThreads:");
    return true;
}

static void stop_it(struct cmpd_notify *n, enum cmpd_jail_limit why)
{
    uint64_t one = 1;
    if (n->report.limit != CMPD_JAIL_WITHIN)
        return;
    n->report.limit = why;
    if (write(n->enough_fd, &one, sizeof one) != (ssize_t)sizeof one)
        abort(); /* an eventfd at 0 takes 1 */
}

static void sample(struct cmpd_notify *n)
{
    struct usage u;
    if (!ask(n, &u))
        return;
    if (u.peak_bytes > n->peak_bytes)
        n->peak_bytes = u.peak_bytes;
    if (u.resident_bytes > n->resident_limit)
        stop_it(n, CMPD_JAIL_LIMIT_MEMORY);
}

/* ---- one call ---- */

/* Up to the end of each page, since the next one may not be there. */
static bool read_path(pid_t pid, uint64_t address, char out[PATH_CEILING], bool *blind)
{
    size_t have = 0;
    while (have < PATH_CEILING - 1) {
        uint64_t at = address + have;
        size_t want = PAGE - (size_t)(at % PAGE);
        if (want > PATH_CEILING - 1 - have)
            want = PATH_CEILING - 1 - have;
        struct iovec to = {out + have, want}, from = {(void *)(uintptr_t)at, want};
        ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
        if (got <= 0) {
            *blind = got < 0 && errno == EPERM;
            return false;
        }
        if (memchr(out + have, '\0', (size_t)got))
            return true;
        have += (size_t)got;
    }
    out[have] = '\0';
    return true;
}

/* Is the call still waiting? Else its number may be another's by now. */
static bool still_there(int listener, uint64_t id)
{
    return seccomp_notify_id_valid(listener, id) == 0;
}

static void judge_call(struct cmpd_notify *n, int listener, const struct seccomp_notif *q,
                       struct seccomp_notif_resp *a)
{
    char path[PATH_CEILING];
    char *name = seccomp_syscall_resolve_num_arch(q->data.arch, q->data.nr);
    const struct cmpd_deed_row *row = name ? cmpd_deed_row(name) : NULL;
    free(name);
    a->error = -EPERM;
    if (!row)
        return;
    struct cmpd_deed_call call = {.row = row};
    for (size_t i = 0; i < 6; i++)
        call.args[i] = q->data.args[i];
    if (row->path >= 0 && read_path((pid_t)q->pid, call.args[row->path], path, &call.blind) &&
        still_there(listener, q->id))
        call.path = path;
    struct usage now;
    if (strcmp(row->call, "clone") == 0)
        call.threads = ask(n, &now) ? now.threads : 0;
    struct cmpd_jail_deed deed;
    int refused = cmpd_deed_judge(&n->rules, &call, &deed);
    if (!refused) {
        a->error = 0;
        a->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        return;
    }
    a->error = -refused;
    cmpd_deed_note(&n->report, &deed);
    if (n->report.deed_total == DEEDS_ENOUGH)
        stop_it(n, CMPD_JAIL_LIMIT_DEEDS);
}

static void answer_one(struct cmpd_notify *n, int listener, struct seccomp_notif *q,
                       struct seccomp_notif_resp *a)
{
    memset(q, 0, sizeof *q); /* the kernel wants it so */
    memset(a, 0, sizeof *a);
    if (seccomp_notify_receive(listener, q) != 0)
        return; /* it died in between */
    a->id = q->id;
    judge_call(n, listener, q, a);
    seccomp_notify_respond(listener, a);
}

/* ---- the thread ---- */

static void serve(struct cmpd_notify *n, struct seccomp_notif *q, struct seccomp_notif_resp *a)
{
    int listener = -1;
    for (;;) {
        struct pollfd p[3] = {{n->stop_fd, POLLIN, 0}, {n->ours, POLLIN, 0}, {listener, POLLIN, 0}};
        int ready = poll(p, 3, n->pid ? SAMPLE_MS : -1);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready <= 0) {
            sample(n);
            continue;
        }
        if (p[2].revents & POLLIN)
            answer_one(n, listener, q, a);
        else if (p[2].revents)
            close_fd(&listener); /* nobody is left under the filter */
        if (p[1].revents)
            listener = take_listener(n);
        if (p[0].revents)
            break;
    }
    close_fd(&listener);
}

static void *thread_main(void *ctx)
{
    struct cmpd_notify *n = ctx;
    struct seccomp_notif *q = NULL;
    struct seccomp_notif_resp *a = NULL;
    if (seccomp_notify_alloc(&q, &a) == 0)
        serve(n, q, a);
    seccomp_notify_free(q, a);
    return NULL;
}

cmpd_rc cmpd_notify_start(struct cmpd_notify *n, struct cmpd_err *err)
{
    /* Signals are for the threads that wait for them. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&n->thread, NULL, thread_main, n);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc != 0)
        return cmpd_err_set(err, CMPD_EIO, "cannot start a thread: %s", strerror(rc));
    n->running = true;
    return CMPD_OK;
}

void cmpd_notify_given(struct cmpd_notify *n)
{
    close_fd(&n->theirs);
}

void cmpd_notify_stop(struct cmpd_notify *n)
{
    uint64_t one = 1;
    if (!n->running)
        return;
    if (write(n->stop_fd, &one, sizeof one) != (ssize_t)sizeof one)
        abort(); /* an eventfd at 0 takes 1 */
    pthread_join(n->thread, NULL);
    n->running = false;
}

void cmpd_notify_clear(struct cmpd_notify *n)
{
    cmpd_notify_stop(n);
    close_fd(&n->ours);
    close_fd(&n->theirs);
    close_fd(&n->stop_fd);
    close_fd(&n->enough_fd);
}
