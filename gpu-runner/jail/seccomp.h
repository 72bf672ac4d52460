/*
 * The jail's part inside: how the candidate program closes itself in before it loads foreign code.
 * Needs libc alone (seccomp.c is compiled into gpu-runner/candidate; no cmpd library with it).
 *
 *   int main() {
 *       load all libraries that the candidate may need (our libcudart, libstdc++, libm);
 *       const char *why;
 *       if (cmpd_jail_enter(&why) < 0) { write(2, why, ...); _exit(CMPD_JAIL_ENTER_FAILED); }
 *       dlopen(candidate); ...
 *   }
 *
 * The filter comes from the runner over descriptor CMPD_JAIL_CONTROL_FD, which is closed here. From
 * then on only what a launcher and the C and C++ libraries need is done by the kernel: memory,
 * threads (up to a number), clocks, reading and writing open descriptors, sending on descriptor 3,
 * opening the files of the jail to read. Any other call (open, socket, execve, fork, kill, ptrace,
 * ...) waits until the runner has noted it as a deed, and fails with EPERM or EACCES. The runner's
 * end of that is not reachable from foreign code: it is no signal handler and no descriptor.
 */
#ifndef CMPD_GPU_RUNNER_JAIL_SECCOMP_H
#define CMPD_GPU_RUNNER_JAIL_SECCOMP_H

#include <stdint.h>

#define CMPD_JAIL_CONTROL_FD   4
#define CMPD_JAIL_CONTROL_NAME "CMPD_JAIL_CONTROL" /* in the environment: there is a jail */
#define CMPD_JAIL_ENTER_FAILED 83                  /* exit status */

/* What the runner sends: this head, then two programs of struct sock_filter. */
struct cmpd_jail_filters {
    uint32_t magic;
    uint32_t watching; /* instructions of the first: refused calls are told */
    uint32_t plain;    /* of the second, for kernels that can't tell: refused calls fail */
    uint32_t reserved;
};
#define CMPD_JAIL_FILTERS_MAGIC   0x4c494a43u
#define CMPD_JAIL_FILTERS_CEILING 4096u /* instructions of one: the kernel's own limit */

/*
 * 0: closed in, or no jail was made round this process (cmpd_jail_none). Negative: failed, *why is
 * a static sentence; no foreign code may be run. Call once, while there is one thread.
 */
int cmpd_jail_enter(const char **why);

#endif
