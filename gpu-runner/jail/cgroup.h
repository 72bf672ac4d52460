/*
 * Optional: the jail as a whole in a control group of its own, for memory and processes. With
 * version 1 as root, with version 2 where the group above ours is delegated to us; else nothing.
 */
#ifndef CMPD_GPU_RUNNER_JAIL_CGROUP_H
#define CMPD_GPU_RUNNER_JAIL_CGROUP_H

#include <stdbool.h>

#include "gpu-runner/jail/jail.h"

struct cmpd_cgroup {
    char *folders[2]; /* owned; made by us */
    char *files[3];   /* owned; cgroup.procs of each, NULL-terminated */
    bool memory;      /* the first is (also) the memory group */
    bool two;         /* version 2 */
};

/* Makes the group where that is possible; never fails. `limits` come from the request. */
void cmpd_cgroup_enter(struct cmpd_cgroup *g, const struct cmpd_jail_request *q);
/* For cmpd_proc_spec.join; borrowed; NULL: none. */
const char *const *cmpd_cgroup_files(const struct cmpd_cgroup *g);
/* Did the kernel kill in it for want of memory? */
bool cmpd_cgroup_out_of_memory(const struct cmpd_cgroup *g);
/* Removes it (all its processes are dead or dying). Safe twice, and without an enter. */
void cmpd_cgroup_leave(struct cmpd_cgroup *g);

/* "version 1: memory, processes" or why there is none; buf. true: there is one. */
bool cmpd_cgroup_describe(char *buf, size_t size);

#endif
