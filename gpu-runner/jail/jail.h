/*
 * Where foreign code is compiled and run. The stages ask for "this program, these files, these
 * limits" and don't know how that is held in.
 *
 * Two profiles. COMPILE is for nvcc: system folders and toolkit to be read, one folder to be
 * written; no home, no other files, no network. RUN is for the candidate's host code: nothing but
 * the files that the request names and the system's libraries, no shell, no /proc, nothing to be
 * written; what it tries beyond that is refused and told as a deed (see seccomp.h for the part of
 * the program that runs inside).
 *
 * Whatever the program started is dead when run() returns, but for the kernel's last clean-up.
 */
#ifndef CMPD_GPU_RUNNER_JAIL_H
#define CMPD_GPU_RUNNER_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/buf.h"
#include "analysis/base/proc.h"

enum cmpd_jail_profile { CMPD_JAIL_COMPILE, CMPD_JAIL_RUN };

/* ---- what the program did that it should not (RUN) ---- */

#define CMPD_JAIL_DEEDS_CEILING 32 /* distinct ones that are kept */

enum cmpd_jail_deed_kind {
    CMPD_DEED_FILE,    /* opened, made, changed or removed a file */
    CMPD_DEED_NETWORK, /* a socket of any family */
    CMPD_DEED_PROCESS, /* another process: started, signalled, looked into */
    CMPD_DEED_PROGRAM, /* tried to become another program */
    CMPD_DEED_SYSTEM,  /* mounts, namespaces, users, kernel interfaces */
    CMPD_DEED_THREADS, /* more threads than allowed */
};

struct cmpd_jail_deed {
    enum cmpd_jail_deed_kind kind;
    char call[24];  /* the system call: "openat" */
    char what[200]; /* "opens the file /etc/passwd (openat)": put "the launcher" before it */
    uint32_t times;
};

/* Which limit ended the program or was reached. */
enum cmpd_jail_limit {
    CMPD_JAIL_WITHIN,
    CMPD_JAIL_LIMIT_TIME, /* deadline_ms */
    CMPD_JAIL_LIMIT_CPU,  /* limits.cpu_s */
    CMPD_JAIL_LIMIT_MEMORY, /* resident_bytes, limits.address_space_bytes, or the machine had none left */
    CMPD_JAIL_LIMIT_OUTPUT,  /* limits of stdout and stderr */
    CMPD_JAIL_LIMIT_FILE,    /* limits.file_size_bytes or work_bytes */
    CMPD_JAIL_LIMIT_DEEDS,   /* it went on with forbidden calls and was stopped */
    CMPD_JAIL_LIMIT_THREADS, /* `threads`: the thread was refused, the program went on */
};

struct cmpd_jail_report {
    struct cmpd_jail_deed deeds[CMPD_JAIL_DEEDS_CEILING];
    size_t deed_count;
    uint64_t deed_total; /* all calls that were refused */
    bool confined; /* RUN in a jail: the program closed itself in (cmpd_jail_enter) before foreign
                      code ran. false: nothing that it did may count */
    bool watched;  /* deeds could be seen; false: this kernel only refuses them */
    enum cmpd_jail_limit limit;
};

/* ---- the request ---- */

struct cmpd_jail_request {
    enum cmpd_jail_profile profile;
    const char *const *argv; /* MUST; borrowed; argv[0] is absolute */
    /* COMPILE: MUST each; RUN: NULL, or as here. */
    const char *sources; /* the repository: to be read, never written; the program starts there */
    const char *toolkit; /* folder that holds bin/nvcc: to be read */
    const char *work;    /* private folder: to be written; also HOME and TMPDIR. As root it and the
                            files in it become the jail user's */
    /*
     * Files below `sources` that are needed, relative to it: all that the program gets to see of it,
     * unless `all_sources`. Then the whole folder is shown, if it is neither / nor the user's home
     * and the jail's user may read it (the runner is root, the folder 0700: it may not).
     */
    const char *const *source_files;
    size_t source_file_count;
    bool all_sources;
    /* Absolute paths of files (any) and folders (readable by others) to be read, at the same place
     * inside. RUN: the program itself and all that it loads, but for the system's libraries. */
    const char *const *readable;
    size_t readable_count;
    /*
     * RUN: becomes descriptor 3 of the program; -1: none. Taken over: closed in this process once
     * the program has it, or could not be started, so that the other end sees its end.
     */
    int pass_fd_take;
    bool may_write;                 /* RUN: files in /tmp (a small one of its own) are no deed */
    struct cmpd_proc_limits limits; /* 0: none, but for processes: 0 is the jail's own default */
    /* RUN: of memory in use (limits.address_space_bytes is only promised); 0: 2 GiB. Looked at every
     * 20 ms. */
    uint64_t resident_bytes;
    uint32_t threads;    /* RUN: that may run at once; 0: 64 */
    uint64_t tmp_bytes;  /* room in /tmp; 0: 16 MiB */
    uint64_t work_bytes; /* room in the work folder, about; 0: 8 GiB */
    uint64_t deadline_ms;
    size_t output_ceiling; /* kept of each of stdout and stderr */
    uint64_t output_limit; /* of both together: over it the program is stopped; 0: never */
    int cancel_fd;         /* as in cmpd_proc_spec */
    void (*on_tick)(void *ctx, uint64_t elapsed_ms); /* MAY be NULL */
    void *tick_ctx;
    struct cmpd_jail_report *report; /* MAY be NULL; filled where run() gives CMPD_OK */
};

#define CMPD_JAIL_REQUEST_INIT              \
    {                                       \
        .pass_fd_take = -1, .cancel_fd = -1 \
    }

struct cmpd_jail_ops {
    const char *name; /* "none", "bwrap" */
    /*
     * MUST. Runs the program and waits; results as cmpd_proc_run's: where the jail stands between,
     * SIGNALLED and KILLED are told from the exit status 128+n. Safe from several threads.
     * CMPD_EUNAVAIL: the jail or the program could not be started, the message says why.
     */
    cmpd_rc (*run)(const struct cmpd_jail_request *request, struct cmpd_proc_result *result,
                   struct cmpd_err *err);
};

/*
 * No jail: limits, a clean environment, a process group, closed descriptors. What the program may
 * read is what the user may read, and deeds are not seen.
 */
extern const struct cmpd_jail_ops cmpd_jail_none;

/* bubblewrap, seccomp, limits; as root another user first. */
extern const struct cmpd_jail_ops cmpd_jail_bwrap;

/* ---- what this machine can do ---- */

enum cmpd_jail_layer {
    CMPD_LAYER_BWRAP,      /* /usr/bin/bwrap is there and new enough */
    CMPD_LAYER_NAMESPACES, /* it could start a program */
    CMPD_LAYER_SECCOMP,    /* filters */
    CMPD_LAYER_WATCH,      /* refused calls are told to us (user notification) */
    CMPD_LAYER_RLIMITS,
    CMPD_LAYER_UID,    /* as root: another user; as a user: nothing to drop */
    CMPD_LAYER_CGROUP, /* optional: memory and processes of the jail as a whole */
    CMPD_LAYER_COUNT
};

struct cmpd_jail_layer_state {
    bool active;
    bool required;    /* without it there is no jail */
    char value[160];  /* what was found */
    char advice[320]; /* what to do; "": nothing */
};

struct cmpd_jail_probe {
    bool usable;
    struct cmpd_jail_layer_state layers[CMPD_LAYER_COUNT];
    char why_not[320]; /* one sentence with the way out; "" where usable */
    char name[80];     /* "bwrap+seccomp+rlimits", for results; "none" where not usable */
};

const char *cmpd_jail_layer_name(enum cmpd_jail_layer layer); /* "user namespaces"; static */

/* Tries it: starts a program in the jail once (about 10 ms). Never fails. */
void cmpd_jail_probe(struct cmpd_jail_probe *out);

/*
 * The jail for policy's choice. CMPD_EUNAVAIL (message: cmpd_jail_probe's why_not and the policy
 * key): none here and policy wants one. *name (MAY be NULL) is what results say: "none" or the
 * probe's name; static, valid until the process ends. Probes once a process; any thread.
 */
cmpd_rc cmpd_jail_choose(bool policy_none, const struct cmpd_jail_ops **ops, const char **name,
                         struct cmpd_err *err);

#endif
