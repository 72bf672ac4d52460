/*
 * The runner's side of a closed-in candidate: hands it the filters, takes its listener, and answers
 * each refused call after noting it. A thread of its own while the program runs.
 */
#ifndef CMPD_GPU_RUNNER_JAIL_NOTIFY_H
#define CMPD_GPU_RUNNER_JAIL_NOTIFY_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gpu-runner/jail/deeds.h"

struct cmpd_notify {
    int ours, theirs; /* the control socket; theirs goes to the program */
    int stop_fd;      /* eventfd: the program has ended */
    int enough_fd;    /* eventfd, readable: stop it; report.limit says why */
    struct cmpd_deed_rules rules;
    struct cmpd_jail_report report;
    uint64_t peak_bytes;     /* of address space, as last seen */
    uint64_t resident_limit; /* bytes; over it the program is stopped */
    pid_t pid;               /* of the program, as seen from here; 0: unknown */
    bool running;
    pthread_t thread;
};

/* Descriptors and the filters, sent. CMPD_EUNAVAIL. Clear it in either case. */
cmpd_rc cmpd_notify_init(struct cmpd_notify *n, const struct cmpd_jail_request *q,
                         struct cmpd_err *err);
/* Starts the thread. CMPD_EIO. */
cmpd_rc cmpd_notify_start(struct cmpd_notify *n, struct cmpd_err *err);
/* The program has it: closes `theirs`. */
void cmpd_notify_given(struct cmpd_notify *n);
/* The program has ended: waits for the thread; `report` is complete. Safe twice. */
void cmpd_notify_stop(struct cmpd_notify *n);
void cmpd_notify_clear(struct cmpd_notify *n); /* stops, closes; safe twice */

#endif
