/*
 * Which system calls of the candidate are deeds, and the sentence for each. Pure: what was asked
 * for comes in as data, so all of it can be tested without a jail.
 */
#ifndef CMPD_GPU_RUNNER_JAIL_DEEDS_H
#define CMPD_GPU_RUNNER_JAIL_DEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu-runner/jail/jail.h"

enum cmpd_deed_when {
    CMPD_DEED_ALWAYS,
    CMPD_DEED_BY_ARGUMENT, /* told always; the arguments decide whether it is let through */
    CMPD_DEED_SOME_VALUES, /* told for some values of an argument only (filter.c) */
};

struct cmpd_deed_row {
    const char *call;
    enum cmpd_jail_deed_kind kind;
    enum cmpd_deed_when when;
    int path;         /* the argument that points to a path; -1: none */
    const char *says; /* "removes"; a path follows where there is one */
};

const struct cmpd_deed_row *cmpd_deed_rows(size_t *count);
const struct cmpd_deed_row *cmpd_deed_row(const char *call); /* NULL: not a deed */

/* One call, as told. */
struct cmpd_deed_call {
    const struct cmpd_deed_row *row;
    uint64_t args[6];
    const char *path; /* borrowed; NULL: none, or it could not be read */
    uint32_t threads; /* clone: that run now */
    bool blind;       /* no path can be read on this machine (ptrace_scope): opening to read is let
                         through, as there is nothing in the jail to be opened */
};

/* What is let through. */
struct cmpd_deed_rules {
    const char *const *readable; /* borrowed; files and folders, as in the request */
    size_t readable_count;
    bool may_write;
    uint32_t threads; /* that may run at once */
};

/*
 * 0: let it through; else the errno to answer with, and *deed (times 1) says what was done.
 */
int cmpd_deed_judge(const struct cmpd_deed_rules *rules, const struct cmpd_deed_call *call,
                    struct cmpd_jail_deed *deed);

/* Adds it to the report, or counts it where it stands already. */
void cmpd_deed_note(struct cmpd_jail_report *report, const struct cmpd_jail_deed *deed);

#endif
