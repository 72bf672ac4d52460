/*
 * Run another program and wait for it: argument vector (no shell, no PATH search), exact
 * environment, limits, bytes for its standard input, captured output with ceilings, a deadline. How
 * it ended is data.
 *
 * The child leads a process group of its own. When it ends, or has to, the whole group is killed
 * and then reaped; a process that leaves the group by setsid() escapes (a jail's pid namespace is
 * what stops that). The child inherits no descriptor but 0, 1, 2 and those it is passed, no blocked
 * signal and no ignored SIGPIPE. Safe to call from several threads at once.
 */
#ifndef CMPD_ANALYSIS_BASE_PROC_H
#define CMPD_ANALYSIS_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analysis/base/buf.h"
#include "analysis/base/err.h"

#define CMPD_PROC_PASS_CEILING 4200 /* descriptors passed to a child */

/* Limits of each process in the group; 0: not set. Core dumps are always off. */
struct cmpd_proc_limits {
    uint64_t cpu_s;
    uint64_t address_space_bytes;
    uint64_t file_size_bytes;
    uint64_t open_files;
    uint64_t processes; /* RLIMIT_NPROC: of the user, all of its processes and threads together */
};

struct cmpd_proc_spec {
    const char *const *argv; /* MUST; borrowed, NULL-terminated; argv[0] is the program's path */
    const char *const *envp; /* borrowed, NULL-terminated; NULL: an empty environment */
    const char *cwd;         /* borrowed; NULL: the caller's */
    const void *stdin_data;  /* borrowed; written as far as the child reads it */
    size_t stdin_len;        /* 0 and not keep_stdin_open: standard input is /dev/null */
    /* Should this process die: SIGTERM, so that the child can clean up; else SIGKILL. */
    bool orphan_may_clean_up;
    bool keep_stdin_open;  /* close the child's standard input only when it has ended: a lifeline */
    size_t stdout_ceiling; /* bytes kept; 0: CMPD_BUF_CEILING_BYTES. What is over is read and
                              dropped */
    size_t stderr_ceiling;
    uint64_t deadline_ms; /* wall clock from the start; 0: none */
    uint64_t grace_ms;    /* between SIGTERM and SIGKILL; 0: SIGKILL at once */
    int cancel_fd; /* readable or hung up: cancel. -1: none. Borrowed. (0 is a descriptor!) */
    struct cmpd_proc_limits limits;
    uint64_t output_limit_bytes; /* of stdout and stderr together; over it the group is killed and
                                    the end is FLOODED; 0: none */
    const int *pass_fds;         /* borrowed; become descriptors 3, 4, ... of the child */
    size_t pass_count;
    /* Root only; 0: stay. The child gives up all groups, then becomes this user and group. */
    uid_t become_uid;
    gid_t become_gid;
    /* Files to write "0" to before that (cgroup.procs: the child joins); NULL-terminated or NULL */
    const char *const *join;
    bool expendable; /* first to be killed when the machine runs out of memory */
    /* MAY be NULL. Called once the program has been started, from the calling thread. */
    void (*on_start)(void *ctx);
    void *start_ctx;
    /* MAY be NULL. Called about every tick_ms while the child runs, from the calling thread. */
    void (*on_tick)(void *ctx, uint64_t elapsed_ms);
    void *tick_ctx;
    uint64_t tick_ms;
};

enum cmpd_proc_end {
    CMPD_PROC_EXITED,
    CMPD_PROC_SIGNALLED,
    CMPD_PROC_TIMED_OUT, /* the deadline, or the processor time of limits.cpu_s */
    CMPD_PROC_KILLED,    /* SIGKILL that was not ours: as a rule the kernel, out of memory */
    CMPD_PROC_CANCELLED, /* cancel_fd */
    CMPD_PROC_FLOODED,   /* output_limit_bytes */
};

struct cmpd_proc_result {
    enum cmpd_proc_end end;
    int exit_status;     /* EXITED */
    int signal;          /* SIGNALLED, KILLED */
    struct cmpd_buf out; /* owned; truncated is set where it was cut */
    struct cmpd_buf err; /* owned */
    double elapsed_ms;
    double user_ms, system_ms;
    uint64_t max_rss_kib; /* of the largest process of the group that was waited for */
};

#define CMPD_PROC_SPEC_INIT \
    {                       \
        .cancel_fd = -1     \
    }

/*
 * CMPD_OK: the program was started, *result says how it ended (clear it, whatever it had is
 * overwritten). CMPD_EUNAVAIL: it could not be started: no such file, not executable, no such cwd
 * (message names it). CMPD_EIO: no descriptors or processes left.
 */
cmpd_rc cmpd_proc_run(const struct cmpd_proc_spec *spec, struct cmpd_proc_result *result,
                      struct cmpd_err *err);
void cmpd_proc_result_clear(struct cmpd_proc_result *result); /* safe twice */

/* "exited with status 2", "killed by signal 11", "timed out"; static or in buf. */
const char *cmpd_proc_describe(const struct cmpd_proc_result *result, char *buf, size_t size);

#define CMPD_PROC_RESULT_AUTO __attribute__((cleanup(cmpd_proc_result_clear)))

#endif
