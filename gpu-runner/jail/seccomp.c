/* Inside the jail: libc alone, see seccomp.h. */
#include "gpu-runner/jail/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int read_all(void *to, size_t len)
{
    char *p = to;
    while (len) {
        ssize_t n = read(CMPD_JAIL_CONTROL_FD, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

/* One byte says how it went; the listener goes with it. */
static int tell(char how, int listener)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {&how, 1};
    struct msghdr m;
    memset(&m, 0, sizeof m);
    memset(&control, 0, sizeof control);
    m.msg_iov = &iov;
    m.msg_iovlen = 1;
    if (listener >= 0) {
        m.msg_control = control.bytes;
        m.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &listener, sizeof listener);
    }
    return sendmsg(CMPD_JAIL_CONTROL_FD, &m, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

static int install(struct sock_filter *code, uint32_t count, unsigned flags)
{
    struct sock_fprog prog = {(unsigned short)count, code};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

/* Returns NULL or what went wrong. */
static const char *close_in(const struct cmpd_jail_filters *head, struct sock_filter *code)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return "the jail: no_new_privs was refused";
    int listener = install(code, head->watching, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (listener < 0 && install(code + head->watching, head->plain, 0) < 0)
        return "the jail: the kernel takes no seccomp filter";
    char ack;
    int rc = tell(listener >= 0 ? 'w' : 'p', listener);
    if (listener >= 0)
        close(listener);
    if (rc < 0 || read_all(&ack, 1) < 0)
        return "the jail: the runner does not listen";
    return NULL;
}

int cmpd_jail_enter(const char **why)
{
    struct cmpd_jail_filters head;
    *why = NULL;
    if (!getenv(CMPD_JAIL_CONTROL_NAME))
        return 0;
    unsetenv(CMPD_JAIL_CONTROL_NAME);
    if (read_all(&head, sizeof head) < 0 || head.magic != CMPD_JAIL_FILTERS_MAGIC ||
        head.watching > CMPD_JAIL_FILTERS_CEILING || head.plain > CMPD_JAIL_FILTERS_CEILING) {
        *why = "the jail: no filter came from the runner";
        return -1;
    }
    size_t bytes = ((size_t)head.watching + head.plain) * sizeof(struct sock_filter);
    struct sock_filter *code = malloc(bytes);
    if (!code || read_all(code, bytes) < 0)
        *why = "the jail: no filter came from the runner";
    else
        *why = close_in(&head, code);
    free(code);
    close(CMPD_JAIL_CONTROL_FD);
    return *why ? -1 : 0;
}
